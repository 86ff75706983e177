package agent

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/url"
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
		s.Serve(limit(l))
	}()
	return l.Addr(), func() {
		s.Close()
		<-done
	}, nil
}

// A body is what a page holds, or what is wrong with the request for it.
type body struct {
	kind  string // content type
	text  bytes.Buffer
	wrong string
	code  int // with wrong
}

// handler serves GET and HEAD. At most maxRenders pages are made at a time; a
// client that takes long to read one holds up no other.
func (p Pages) handler() http.Handler {
	renders := make(chan struct{}, maxRenders)
	mux := http.NewServeMux()
	page := func(path string, render func(*body, *http.Request)) {
		mux.HandleFunc("GET "+path, func(w http.ResponseWriter, r *http.Request) {
			w.Header().Set("X-Content-Type-Options", "nosniff")
			var b body
			select {
			case renders <- struct{}{}:
				func() {
					defer func() { <-renders }()
					render(&b, r)
				}()
			case <-r.Context().Done():
				return
			}
			if b.wrong != "" {
				http.Error(w, b.wrong, b.code)
				return
			}
			w.Header().Set("Content-Type", b.kind)
			w.Write(b.text.Bytes())
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

func (p Pages) metrics(b *body, _ *http.Request) {
	b.kind = sinks.ContentType
	p.Metrics(&b.text)
}

// report is the Report as JSON, of all or of the last while.
func (p Pages) report(b *body, r *http.Request) {
	since, err := sinceOf(r.URL.RawQuery)
	if err != nil {
		b.wrong, b.code = err.Error(), http.StatusBadRequest
		return
	}
	b.kind = "application/json"
	if err := p.Report(since).WriteJSON(&b.text); err != nil {
		b.wrong, b.code = err.Error(), http.StatusInternalServerError
	}
}

// sinceOf reads the query of a request for a report. What is not understood is
// wrong: the report of all would be taken for that of the last while.
func sinceOf(query string) (since time.Duration, err error) {
	values, err := url.ParseQuery(query)
	if err != nil {
		return 0, errors.New("the query is malformed: want since=15m")
	}
	for name, list := range values {
		if name != "since" || len(list) != 1 {
			return 0, errors.New("want one parameter, since, such as since=15m")
		}
		if since, err = time.ParseDuration(list[0]); err != nil || since <= 0 {
			return 0, errors.New("since: want a duration like 15m")
		}
	}
	return since, nil
}

func (p Pages) ready(w http.ResponseWriter, _ *http.Request) {
	if why := p.Unready(); why != "" {
		http.Error(w, why, http.StatusServiceUnavailable)
		return
	}
	fmt.Fprintln(w, "ok")
}
