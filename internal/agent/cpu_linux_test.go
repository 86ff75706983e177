package agent

import (
	"context"
	"io"
	"log/slog"
	"math"
	"os"
	"path/filepath"
	"runtime"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/flagwatch/flagwatch/bench/gen"
	"github.com/flagwatch/flagwatch/classify"
	"github.com/flagwatch/flagwatch/internal/ledger"
	"github.com/flagwatch/flagwatch/internal/pipeline"
	"github.com/flagwatch/flagwatch/internal/source"
	"github.com/flagwatch/flagwatch/internal/tail"
	"github.com/flagwatch/flagwatch/sinks"
)

const (
	cpuSize   = 128 << 20 // of the log
	cpuRate   = 100e6     // bytes a second that it grows by
	cpuPiece  = 1 << 20   // written at a time
	cpuBurst  = 35e6      // what comes between two looks at a file
	cpuRounds = 5         // the best of them counts
	idleTime  = 10 * time.Second
)

// BenchmarkCPU is of the processor time (user and system) that an agent with a
// state directory takes for a log of a pod, beside that of counting the same file
// once, with one worker: for a log that is there already, and for one that grows
// by 100 MB a second. What the writer itself takes is not counted.
func BenchmarkCPU(b *testing.B) {
	data := makeLog(b, cpuSize)
	for name, follow := range map[string]func(*testing.B, []byte) time.Duration{"catch-up": caughtUp, "growing": grown} {
		b.Run(name, func(b *testing.B) {
			plain, paced, agent := time.Duration(math.MaxInt64), time.Duration(math.MaxInt64), time.Duration(math.MaxInt64)
			for b.Loop() {
				for range cpuRounds {
					plain, paced, agent = min(plain, countedOnce(b, data, math.MaxInt64)), min(paced, countedOnce(b, data, cpuBurst)), min(agent, follow(b, data))
				}
			}
			b.ReportMetric(0, "ns/op")
			b.ReportMetric(float64(plain.Milliseconds()), "ms-plain")
			b.ReportMetric(float64(paced.Milliseconds()), "ms-paced")
			b.ReportMetric(float64(agent.Milliseconds()), "ms-agent")
			b.ReportMetric(float64(agent)/float64(plain), "ratio")
		})
	}
}

// BenchmarkIdle is of the share of one processor that an agent takes while none
// of a thousand logs grows.
func BenchmarkIdle(b *testing.B) {
	pods := filepath.Join(b.TempDir(), "pods")
	w := newStopwatch(b, pods)
	size := int64(0)
	for _, l := range w.logs {
		w.write(l)
		size += l.size
	}
	f := follow(b, pods)
	f.wait(size)
	<-time.After(idleTime) // until it is told of changes instead of asking
	share := 1.0
	for b.Loop() {
		before := cpuTime(b, syscall.RUSAGE_SELF)
		<-time.After(idleTime)
		share = min(share, float64(cpuTime(b, syscall.RUSAGE_SELF)-before)/float64(idleTime))
	}
	f.stop()
	b.ReportMetric(0, "ns/op")
	b.ReportMetric(100*share, "%-of-a-core")
}

const tickTime = 10 * time.Millisecond

func makeLog(b *testing.B, size int64) []byte {
	g, err := gen.New(gen.Config{Dialect: "cri", Fail: 0.06, Seed: 1})
	if err != nil {
		b.Fatal(err)
	}
	data := make([]byte, 0, size+1<<20)
	for int64(len(data)) < size {
		data = g.Append(data)
	}
	return data
}

// cpuTime is what the process, or with rusageThread this thread, has taken.
func cpuTime(b *testing.B, who int) time.Duration {
	var r syscall.Rusage
	if err := syscall.Getrusage(who, &r); err != nil {
		b.Fatal(err)
	}
	return time.Duration(r.Utime.Nano() + r.Stime.Nano())
}

const rusageThread = 1

// podLog is the path of a log below a new directory of pods.
func podLog(b *testing.B) (pods, path string) {
	pods = filepath.Join(b.TempDir(), "pods")
	dir := filepath.Join(pods, "shop_cart-6d5f7c9b8-x2x7k_0b0e6f0e-0000-4000-8000-000000000000", "istio-proxy")
	if err := os.MkdirAll(dir, 0o755); err != nil {
		b.Fatal(err)
	}
	return pods, filepath.Join(dir, "0.log")
}

// A paced source hands out so many bytes, then waits until they would have come.
type paced struct {
	source.Source
	burst, next int64
	begin       time.Time
	read        int64
}

func (p *paced) Next(ctx context.Context, b *source.Batch) error {
	if p.read >= p.next {
		p.next += p.burst
		<-time.After(time.Until(p.begin.Add(time.Duration(float64(p.read) / cpuRate * 1e9))))
	}
	err := p.Source.Next(ctx, b)
	p.read += int64(len(b.Data))
	return err
}

// countedOnce counts the log as a run that ends does, in bursts of so many bytes.
func countedOnce(b *testing.B, data []byte, burst int64) time.Duration {
	_, path := podLog(b)
	if err := os.WriteFile(path, data, 0o640); err != nil {
		b.Fatal(err)
	}
	runtime.GC()
	before := cpuTime(b, syscall.RUSAGE_SELF)
	r, err := source.New([]string{path}, nil, source.Options{})
	if err != nil {
		b.Fatal(err)
	}
	led := ledger.NewMemory()
	if err := pipeline.Run(b.Context(), &paced{Source: r, burst: burst, next: burst, begin: time.Now()}, led, pipeline.Options{Workers: 1, Early: true}); err != nil {
		b.Fatal(err)
	}
	led.View(func(s *sinks.Snapshot) {
		if id := s.Identity(); id.Bytes != uint64(len(data)) {
			b.Fatalf("%d bytes were counted of %d", id.Bytes, len(data))
		}
	})
	return cpuTime(b, syscall.RUSAGE_SELF) - before
}

// A following is an agent that runs.
type following struct {
	seen *watched
	stop func()
}

// A watched ledger tells how much was committed.
type watched struct {
	counts
	mu   sync.Mutex
	ends map[*source.Stream]int64
}

func (w *watched) Commit(ctx context.Context, e ledger.Epoch) error {
	err := w.counts.Commit(ctx, e)
	w.mu.Lock()
	defer w.mu.Unlock()
	for _, end := range e.Ends {
		w.ends[end.Stream] = end.End.Offset
	}
	return err
}

func (w *watched) bytes() (n int64) {
	w.mu.Lock()
	defer w.mu.Unlock()
	for _, at := range w.ends {
		n += at
	}
	return n
}

func follow(b *testing.B, pods string) *following {
	cfg := Default()
	cfg.Inputs = []tail.Input{{Name: "mesh", Paths: []string{pods}, Containers: tail.DefaultContainers()}}
	cfg.Roots, cfg.StateDir, cfg.Listen = []string{pods}, filepath.Join(b.TempDir(), "state"), ""
	log := slog.New(slog.NewTextHandler(io.Discard, nil))
	a := &agent{cfg: cfg, log: log, told: map[string]time.Time{}, env: Env{Log: log, Causes: classify.Default()}}
	if err := a.open(); err != nil {
		b.Fatal(err)
	}
	w := &watched{counts: a.led, ends: map[*source.Stream]int64{}}
	a.led = w
	ctx, cancel := context.WithCancel(b.Context())
	done := make(chan error, 1)
	go func() { done <- a.run(ctx) }()
	return &following{w, func() {
		cancel()
		if err := <-done; err != nil {
			b.Fatal(err)
		}
		a.close()
	}}
}

// wait waits until so much was committed.
func (f *following) wait(bytes int64) {
	for f.seen.bytes() < bytes {
		<-time.After(tickTime)
	}
}

// caughtUp is what an agent takes for a log that is there already.
func caughtUp(b *testing.B, data []byte) time.Duration {
	pods, path := podLog(b)
	if err := os.WriteFile(path, data, 0o640); err != nil {
		b.Fatal(err)
	}
	runtime.GC()
	before := cpuTime(b, syscall.RUSAGE_SELF)
	f := follow(b, pods)
	f.wait(int64(len(data)))
	f.stop()
	return cpuTime(b, syscall.RUSAGE_SELF) - before
}

// grown is what an agent takes for a log that grows.
func grown(b *testing.B, data []byte) time.Duration {
	pods, path := podLog(b)
	runtime.GC()
	before := cpuTime(b, syscall.RUSAGE_SELF)
	f := follow(b, pods)
	written := make(chan time.Duration)
	go func() { written <- write(b, path, data) }()
	writing := <-written
	f.wait(int64(len(data)))
	f.stop()
	return cpuTime(b, syscall.RUSAGE_SELF) - before - writing
}

// write writes a log in time, and returns what that took.
func write(b *testing.B, path string, data []byte) time.Duration {
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	before := cpuTime(b, rusageThread)
	out, err := os.Create(path)
	if err != nil {
		b.Error(err)
	}
	defer out.Close()
	begin := time.Now()
	for n := 0; n < len(data); {
		m, err := out.Write(data[n:min(n+cpuPiece, len(data))])
		if n += m; err != nil {
			b.Error(err)
		}
		<-time.After(time.Until(begin.Add(time.Duration(float64(n) / cpuRate * 1e9))))
	}
	return cpuTime(b, rusageThread) - before
}
