package agent

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"time"

	"github.com/flagwatch/flagwatch/sinks"
)

// Pages are what a reader of something else than files serves, under the same
// paths as the agent. The functions are called by several goroutines at once.
type Pages struct {
	Metrics func(io.Writer)
	Report  func(since time.Duration) *sinks.Report // since 0: of all
	Unready func() string                           // why it does not read as it should, "" when it does
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

func (p Pages) handler() http.Handler {
	mux := http.NewServeMux()
	renders := make(chan struct{}, maxRenders)
	page := func(path, kind string, write func(io.Writer, *http.Request) error) {
		mux.HandleFunc("GET "+path, func(w http.ResponseWriter, r *http.Request) {
			renders <- struct{}{}
			defer func() { <-renders }()
			w.Header().Set("X-Content-Type-Options", "nosniff")
			var b bytes.Buffer
			if err := write(&b, r); err != nil {
				http.Error(w, err.Error(), http.StatusBadRequest)
				return
			}
			w.Header().Set("Content-Type", kind)
			w.Write(b.Bytes())
		})
	}
	page("/metrics", sinks.ContentType, func(w io.Writer, _ *http.Request) error {
		p.Metrics(w)
		return nil
	})
	page("/api/v1/report", "application/json", func(w io.Writer, r *http.Request) error {
		since, err := time.ParseDuration(r.FormValue("since"))
		if r.FormValue("since") != "" && (err != nil || since <= 0) {
			return errors.New("since: want a duration like 15m")
		}
		return p.Report(since).WriteJSON(w)
	})
	mux.HandleFunc("GET /livez", func(w http.ResponseWriter, _ *http.Request) { fmt.Fprintln(w, "ok") })
	mux.HandleFunc("GET /readyz", func(w http.ResponseWriter, _ *http.Request) {
		if why := p.Unready(); why != "" {
			http.Error(w, "not ready", http.StatusServiceUnavailable)
			return
		}
		fmt.Fprintln(w, "ok")
	})
	return mux
}
