package agent

import (
	"bytes"
	"fmt"
	"io"
	"net"
	"net/http"
	"time"

	"github.com/flagwatch/flagwatch/sinks"
)

// Pages are what the agent, or a reader of something else than files, serves.
// The functions are called by several goroutines at once.
type Pages struct {
	Metrics func(io.Writer)
	Report  func(since time.Duration) *sinks.Report // since 0: of all
	Unready func() string                           // what /readyz says when it does not work as it should, "" when it does
}

// Serve serves pages on an address until stop is called.
func Serve(addr string, p Pages) (at net.Addr, stop func(), err error) {
	l, err := net.Listen("tcp", addr)
	if err != nil {
		return nil, nil, err
	}
	s := newServer(p.handler())
	done := make(chan struct{})
	go func() {
		defer close(done)
		s.Serve(&limited{Listener: l, slots: make(chan struct{}, maxConnections)})
	}()
	return l.Addr(), func() {
		s.Close()
		<-done
	}, nil
}

// handler serves GET and HEAD. At most maxRenders pages are made at a time.
func (p Pages) handler() http.Handler {
	renders := make(chan struct{}, maxRenders)
	mux := http.NewServeMux()
	page := func(path string, f http.HandlerFunc) {
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
	page("/metrics", p.metrics)
	page("/api/v1/report", p.report)
	for _, path := range []string{"/livez", "/healthz"} {
		mux.HandleFunc("GET "+path, func(w http.ResponseWriter, _ *http.Request) { fmt.Fprintln(w, "ok") })
	}
	mux.HandleFunc("GET /readyz", p.ready)
	return mux
}

func (p Pages) metrics(w http.ResponseWriter, _ *http.Request) {
	var b bytes.Buffer
	p.Metrics(&b)
	w.Header().Set("Content-Type", sinks.ContentType)
	w.Write(b.Bytes())
}

// report is the Report as JSON, of all or of the last while.
func (p Pages) report(w http.ResponseWriter, r *http.Request) {
	since, err := time.ParseDuration(r.FormValue("since"))
	if r.FormValue("since") != "" && (err != nil || since <= 0) {
		http.Error(w, "since: want a duration like 15m", http.StatusBadRequest)
		return
	}
	var b bytes.Buffer
	if err := p.Report(since).WriteJSON(&b); err != nil {
		http.Error(w, err.Error(), http.StatusInternalServerError)
		return
	}
	w.Header().Set("Content-Type", "application/json")
	w.Write(b.Bytes())
}

func (p Pages) ready(w http.ResponseWriter, _ *http.Request) {
	if why := p.Unready(); why != "" {
		http.Error(w, why, http.StatusServiceUnavailable)
		return
	}
	fmt.Fprintln(w, "ok")
}
