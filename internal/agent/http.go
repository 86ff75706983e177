package agent

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"net"
	"net/http"
	"net/http/pprof"
	"runtime"
	"strings"
	"time"

	"github.com/flagwatch/flagwatch/internal/tail"
	"github.com/flagwatch/flagwatch/sinks"
)

const (
	maxConnections = 64
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
	}{{a.cfg.Listen, a.handler()}, {a.cfg.Pprof, profiles()}} {
		if x.addr == "" {
			continue
		}
		l, err := net.Listen("tcp", x.addr)
		if err != nil {
			stop()
			return nil, err
		}
		s := newServer(x.handler)
		servers = append(servers, s)
		a.log.Info("listening", "address", l.Addr().String())
		go func() {
			if err := s.Serve(&limited{Listener: l, slots: make(chan struct{}, maxConnections)}); !errors.Is(err, http.ErrServerClosed) {
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
	done  bool
}

func (c *counted) Close() error {
	if !c.done {
		c.done = true
		<-c.slots
	}
	return c.Conn.Close()
}

// handler serves GET and HEAD.
func (a *agent) handler() http.Handler {
	renders := make(chan struct{}, maxRenders)
	mux := http.NewServeMux()
	page := func(path string, f func(http.ResponseWriter, *http.Request)) {
		mux.HandleFunc("GET "+path, func(w http.ResponseWriter, r *http.Request) {
			w.Header().Set("X-Content-Type-Options", "nosniff")
			select {
			case renders <- struct{}{}:
				defer func() { <-renders }()
				f(w, r)
			case <-r.Context().Done():
			}
		})
	}
	page("/metrics", a.metrics)
	page("/api/v1/report", a.report)
	for _, path := range []string{"/livez", "/healthz"} {
		mux.HandleFunc("GET "+path, func(w http.ResponseWriter, _ *http.Request) { fmt.Fprintln(w, "ok") })
	}
	mux.HandleFunc("GET /readyz", a.ready)
	return mux
}

func profiles() http.Handler {
	mux := http.NewServeMux()
	mux.HandleFunc("GET /debug/pprof/", pprof.Index)
	mux.HandleFunc("GET /debug/pprof/profile", pprof.Profile)
	mux.HandleFunc("GET /debug/pprof/trace", pprof.Trace)
	return mux
}

// ready says whether what is counted is also kept.
func (a *agent) ready(w http.ResponseWriter, _ *http.Request) {
	if a.file != nil {
		if st := a.file.Stats(); st.Err != nil && time.Since(st.Since) > unreadyWhen {
			http.Error(w, "the state can not be written", http.StatusServiceUnavailable)
			return
		}
	}
	fmt.Fprintln(w, "ok")
}

func (a *agent) metrics(w http.ResponseWriter, _ *http.Request) {
	o := a.env.Build
	o.GoVersion, o.GOOS, o.GOARCH = runtime.Version(), runtime.GOOS, runtime.GOARCH
	o.Now, o.BornFor = time.Now(), a.cfg.BornAtZero
	for _, in := range a.cfg.Inputs {
		o.Inputs = append(o.Inputs, in.Name)
	}
	if a.file != nil {
		if st := a.file.Stats(); st.Err != nil {
			o.StateAge = o.Now.Sub(st.Since)
		}
	}
	var b bytes.Buffer
	a.led.View(func(s *sinks.Snapshot) { s.WriteMetrics(&b, o) })
	sinks.WriteProcessMetrics(&b)
	w.Header().Set("Content-Type", sinks.ContentType)
	w.Write(b.Bytes())
}

// report is the Report as JSON, of all or of the last while.
func (a *agent) report(w http.ResponseWriter, r *http.Request) {
	since, err := time.ParseDuration(r.FormValue("since"))
	if r.FormValue("since") != "" && (err != nil || since <= 0) {
		http.Error(w, "since: want a duration like 15m", http.StatusBadRequest)
		return
	}
	var rep *sinks.Report
	a.led.View(func(s *sinks.Snapshot) {
		if since > 0 {
			s = s.Since(time.Now().Add(-since))
		}
		rep = s.Report()
	})
	status := a.tail.Status()
	rep.Inputs = inputs(&status)
	var b bytes.Buffer
	if err := rep.WriteJSON(&b); err != nil {
		http.Error(w, err.Error(), http.StatusInternalServerError)
		return
	}
	w.Header().Set("Content-Type", "application/json")
	w.Write(b.Bytes())
}

// inputs are the files, as a report has them.
func inputs(st *tail.Status) (list []sinks.Input) {
	list = []sinks.Input{}
	for _, s := range st.Streams {
		in := sinks.Input{Name: s.Name, Bytes: s.Read}
		for path, why := range st.Bad {
			if strings.HasPrefix(path, s.Name) {
				in.Error = path + ": " + why
			}
		}
		list = append(list, in)
	}
	return list
}
