package agent

import (
	"context"
	"fmt"
	"io"
	"log/slog"
	"math/rand/v2"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/flagwatch/flagwatch/classify"
	"github.com/flagwatch/flagwatch/internal/pipeline"
	"github.com/flagwatch/flagwatch/internal/source"
	"github.com/flagwatch/flagwatch/internal/tail"
	"github.com/flagwatch/flagwatch/sinks"
)

// What BenchmarkLatency writes: half of the records go to a few busy logs, the
// others to any.
const (
	latencyLogs   = 1000
	latencyBusy   = 10
	latencyEvery  = 2 * time.Millisecond // a record
	latencyTime   = 30 * time.Second
	latencyScrape = 50 * time.Millisecond // between pages; what is measured of them is too long by half of it
)

// A timedLog is a log of which it is known when each record was written.
type timedLog struct {
	path    string
	size    int64
	ends    []int64
	written []time.Time
	counted int // records in the totals
	shown   int // records on the page
}

// A stopwatch measures how long records take.
type stopwatch struct {
	b       *testing.B
	rnd     *rand.Rand
	mu      sync.Mutex
	logs    []*timedLog
	streams map[string]*timedLog
	records int
	open    int // records that are not yet on the page
	totals  []time.Duration
	pages   []time.Duration
	late    []time.Duration // how much later than it asked for the machine let it write
}

func (w *stopwatch) check(err error) {
	w.b.Helper()
	if err != nil {
		w.b.Fatal(err)
	}
}

func newStopwatch(b *testing.B, pods string) *stopwatch {
	w := &stopwatch{b: b, rnd: rand.New(rand.NewPCG(9, 1)), streams: map[string]*timedLog{}}
	for i := range latencyLogs {
		dir := filepath.Join(pods, fmt.Sprintf("shop_cart%04d-6d5f7c9b8-x2x7k_0b0e6f0e-0000-4000-8000-%012d", i, i), "istio-proxy")
		w.check(os.MkdirAll(dir, 0o755))
		l := &timedLog{path: filepath.Join(dir, "0.log")}
		w.logs, w.streams[dir] = append(w.logs, l), l
	}
	return w
}

// write appends a record to a log.
func (w *stopwatch) write(l *timedLog) {
	text := line(time.Now())
	f, err := os.OpenFile(l.path, os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o640)
	w.check(err)
	w.mu.Lock() // nobody sees it before its time is known
	defer w.mu.Unlock()
	_, err = f.WriteString(text)
	w.check(err)
	l.written = append(l.written, time.Now())
	w.check(f.Close())
	l.size += int64(len(text))
	l.ends = append(l.ends, l.size)
	w.records++
	w.open++
}

func (w *stopwatch) writeAny() {
	n := latencyLogs
	if w.rnd.IntN(2) == 0 {
		n = latencyBusy
	}
	w.write(w.logs[w.rnd.IntN(n)])
}

// An observed source tells what has come to the totals: who asks for the next
// batch has counted the one before. There is one worker.
type observed struct {
	source.Source
	watch *stopwatch
}

func (o observed) Next(ctx context.Context, b *source.Batch) error {
	if b.Stream != nil {
		o.watch.counted(b.Stream.Name, b.To.Offset)
	}
	return o.Source.Next(ctx, b)
}

func (w *stopwatch) counted(stream string, to int64) {
	now := time.Now()
	w.mu.Lock()
	defer w.mu.Unlock()
	for l := w.streams[stream]; l.counted < len(l.ends) && l.ends[l.counted] <= to; l.counted++ {
		w.totals = append(w.totals, now.Sub(l.written[l.counted]))
	}
}

// read looks at what the page shows.
func (w *stopwatch) read(url string) {
	resp, err := http.Get(url)
	w.check(err)
	page, err := io.ReadAll(resp.Body)
	w.check(err)
	resp.Body.Close()
	now := time.Now()
	w.mu.Lock()
	defer w.mu.Unlock()
	for line := range strings.Lines(string(page)) {
		i, n, ok := requestsOf(line)
		for ok && w.logs[i].shown < n {
			l := w.logs[i]
			w.pages = append(w.pages, now.Sub(l.written[l.shown]))
			l.shown++
			w.open--
		}
	}
}

// requestsOf reads how many requests of a log a line of the page shows.
func requestsOf(line string) (log, n int, ok bool) {
	rest, ok := strings.CutPrefix(line, `flagwatch_requests_total{proxy_namespace="shop",proxy_workload="cart`)
	if !ok {
		return 0, 0, false
	}
	number, rest, _ := strings.Cut(rest, `"`)
	_, count, _ := strings.Cut(rest, "} ")
	log, err := strconv.Atoi(number)
	n, err2 := strconv.Atoi(strings.TrimSpace(count))
	return log, n, err == nil && err2 == nil
}

// drain reads until all that was written is shown.
func (w *stopwatch) drain(url string) {
	for deadline := time.Now().Add(time.Minute); w.open > 0; <-time.After(latencyScrape) {
		if w.read(url); time.Now().After(deadline) {
			w.b.Fatalf("%d of %d records are not shown", w.open, w.records)
		}
	}
}

func (w *stopwatch) report(name string, list []time.Duration) {
	slices.Sort(list)
	for _, p := range []int{50, 99} {
		w.b.ReportMetric(float64(list[len(list)*p/100].Milliseconds()), fmt.Sprintf("ms-%s-p%d", name, p))
	}
	w.b.ReportMetric(float64(list[len(list)-1].Milliseconds()), "ms-"+name+"-max")
}

// BenchmarkLatency is of an agent with a state directory that follows a thousand
// logs: how long it takes from the write of a record until it is in the totals in
// memory, and until /metrics shows it, which is when it is durable.
func BenchmarkLatency(b *testing.B) {
	dir := b.TempDir()
	pods := filepath.Join(dir, "pods")
	w := newStopwatch(b, pods)
	l, err := net.Listen("tcp", "127.0.0.1:0")
	w.check(err)
	cfg := Default()
	cfg.Inputs = []tail.Input{{Name: "mesh", Paths: []string{pods}, Containers: tail.DefaultContainers()}}
	cfg.Roots, cfg.StateDir, cfg.Listen, cfg.BornAtZero = []string{pods}, filepath.Join(dir, "state"), l.Addr().String(), 0
	w.check(l.Close())
	for _, l := range w.logs {
		w.write(l)
	}
	a := &agent{cfg: cfg, log: slog.New(slog.DiscardHandler), told: map[string]time.Time{}}
	a.env = Env{Log: a.log, Causes: classify.Default(), Build: sinks.MetricOptions{Version: "test"}}
	defer a.close()
	w.check(a.open())
	a.count = func(ctx context.Context, o pipeline.Options) error {
		return pipeline.Run(ctx, observed{a.tail, w}, a.led, o)
	}
	ctx, stop := context.WithCancel(b.Context())
	done := make(chan error, 1)
	go func() { done <- a.run(ctx) }()
	url := "http://" + cfg.Listen + "/metrics"
	for _, err := http.Get(url); err != nil; _, err = http.Get(url) {
		<-time.After(latencyScrape)
	}
	w.drain(url)
	w.totals, w.pages, w.late, w.records = nil, nil, nil, 0
	for b.Loop() {
		w.run(url)
	}
	stop()
	w.check(<-done)
	b.ReportMetric(0, "ns/op")
	b.ReportMetric(float64(w.records), "records")
	w.report("totals", w.totals)
	w.report("shown", w.pages)
	w.report("late", w.late)
}

// run writes for a while and reads pages meanwhile.
func (w *stopwatch) run(url string) {
	tick := time.NewTicker(latencyEvery)
	defer tick.Stop()
	over := time.After(latencyTime)
	next := time.Now()
	reading := make(chan struct{}, 1)
	for going := true; going; {
		select {
		case at := <-tick.C:
			w.late = append(w.late, time.Since(at))
			w.writeAny()
		case <-over:
			going = false
		}
		if time.Now().After(next) {
			next = time.Now().Add(latencyScrape)
			select {
			case reading <- struct{}{}:
				go func() {
					w.read(url)
					<-reading
				}()
			default:
			}
		}
	}
	reading <- struct{}{}
	w.drain(url)
	<-reading
}
