package agent

import (
	"context"
	"errors"
	"io"
	"log/slog"
	"net"
	"net/http"
	"net/http/pprof"
	"runtime"
	"sync"
	"time"

	"github.com/flagwatch/flagwatch/internal/tail"
	"github.com/flagwatch/flagwatch/sinks"
)

const (
	maxConnections = 64 // but no more than a quarter of the files that the process may have open
	maxRenders     = 4
	drainFor       = 2 * time.Second // requests that are under way at the end
)

// isLoopback says whether only this host reaches an address.
func isLoopback(addr string) bool {
	host, _, err := net.SplitHostPort(addr)
	if err != nil {
		return false
	}
	ip := net.ParseIP(host)
	return host == "localhost" || ip != nil && ip.IsLoopback()
}

// serve listens as it is configured. stop ends that.
func (a *agent) serve(ctx context.Context) (stop func(), err error) {
	var servers []*http.Server
	stop = func() {
		ctx, cancel := context.WithTimeout(context.Background(), drainFor)
		defer cancel()
		for _, s := range servers {
			if s.Shutdown(ctx) != nil {
				s.Close()
			}
		}
	}
	for _, x := range []struct {
		addr    string
		handler http.Handler
	}{{a.cfg.Listen, a.pages().handler()}, {a.cfg.Pprof, profiles()}} {
		if x.addr == "" {
			continue
		}
		l, err := net.Listen("tcp", x.addr)
		if err != nil {
			stop()
			return nil, err
		}
		s := newServer(x.handler)
		s.ErrorLog = slog.NewLogLogger(a.log.Handler(), slog.LevelWarn)
		servers = append(servers, s)
		a.log.Info("listening", "address", l.Addr().String())
		go func() {
			if err := s.Serve(limit(l)); !errors.Is(err, http.ErrServerClosed) {
				a.log.Error("server ended", "err", err)
			}
		}()
	}
	return stop, nil
}

func newServer(h http.Handler) *http.Server {
	return &http.Server{
		Handler:           h,
		ReadHeaderTimeout: 5 * time.Second,
		ReadTimeout:       10 * time.Second,
		WriteTimeout:      30 * time.Second,
		IdleTimeout:       60 * time.Second,
		MaxHeaderBytes:    8 << 10,
	}
}

func limit(l net.Listener) *limited {
	return &limited{Listener: l, slots: make(chan struct{}, max(min(maxConnections, tail.FileLimit()/4), 1))}
}

// limited accepts so many connections at a time.
type limited struct {
	net.Listener
	slots chan struct{}
}

func (l *limited) Accept() (net.Conn, error) {
	l.slots <- struct{}{}
	c, err := l.Listener.Accept()
	if err != nil {
		<-l.slots
		return nil, err
	}
	return &counted{Conn: c, slots: l.slots}, nil
}

type counted struct {
	net.Conn
	slots chan struct{}
	once  sync.Once // a server that ends closes what may be closing itself
}

func (c *counted) Close() error {
	c.once.Do(func() { <-c.slots })
	return c.Conn.Close()
}

// pages are what the agent serves.
func (a *agent) pages() Pages { return Pages{Metrics: a.metrics, Report: a.report, Unready: a.unready} }

func profiles() http.Handler {
	mux := http.NewServeMux()
	mux.HandleFunc("GET /debug/pprof/", pprof.Index)
	mux.HandleFunc("GET /debug/pprof/profile", pprof.Profile)
	mux.HandleFunc("GET /debug/pprof/trace", pprof.Trace)
	return mux
}

// unready says that what is counted can not be kept, once that lasts.
func (a *agent) unready() string {
	if a.file != nil {
		if st := a.file.Stats(); st.Err != nil && time.Since(st.Since) > unreadyWhen {
			return "the state can not be written"
		}
	}
	return ""
}

func (a *agent) metrics(w io.Writer) {
	o := a.env.Build
	o.GoVersion, o.GOOS, o.GOARCH = runtime.Version(), runtime.GOOS, runtime.GOARCH
	o.Causes = a.env.Causes.All()
	o.Now, o.BornFor = time.Now(), a.cfg.BornAtZero
	for _, in := range a.cfg.Inputs {
		o.Inputs = append(o.Inputs, in.Name)
	}
	if a.file != nil {
		if st := a.file.Stats(); st.Err != nil {
			o.StateAge = o.Now.Sub(st.Since)
		}
	}
	a.led.ViewMetrics(func(s *sinks.Snapshot) { s.WriteMetrics(w, o) })
	sinks.WriteProcessMetrics(w)
}

func (a *agent) report(since time.Duration) *sinks.Report {
	var rep *sinks.Report
	a.led.View(func(s *sinks.Snapshot) {
		if since > 0 {
			s = s.Since(time.Now().Add(-since))
		}
		rep = s.Report().Redact()
		rep.AttachSnapshot()
	})
	rep.Version = a.env.Program
	status := a.tail.Status()
	rep.Inputs = inputs(&status)
	return rep
}

// inputs are the files, as a report has them.
func inputs(st *tail.Status) (list []sinks.Input) {
	list = []sinks.Input{}
	for _, s := range st.Streams {
		list = append(list, sinks.Input{Name: s.Name, Bytes: s.Read, Error: s.Fault})
	}
	return list
}
