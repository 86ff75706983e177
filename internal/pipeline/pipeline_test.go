package pipeline

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/flagwatch/flagwatch/classify"
	"github.com/flagwatch/flagwatch/internal/ledger"
	"github.com/flagwatch/flagwatch/internal/source"
	"github.com/flagwatch/flagwatch/parser"
	"github.com/flagwatch/flagwatch/sinks"
)

// often makes epochs fall between and into batches.
const often = 20 * time.Microsecond

// TestEndsAndDeltasAgree demands that a crash after any commit leaves exactly
// the records before the committed ends: see fakeLedger.check.
func TestEndsAndDeltasAgree(t *testing.T) {
	commits := 0
	for seed := range uint64(20) {
		src := newFakeSource(seed, 3, 4, 200)
		led := newFakeLedger(t, src)
		if err := Run(t.Context(), src, led, Options{Workers: 4, Epoch: often}); err != nil {
			t.Fatal(err)
		}
		for group := range 3 {
			led.complete(group)
		}
		commits += led.commits
	}
	if commits < 20*3*2 {
		t.Errorf("only %d commits: the epochs show nothing", commits)
	}
}

// TestCommitErrorStops demands that a commit that fails ends a run whose
// source never would, and that none follows it.
func TestCommitErrorStops(t *testing.T) {
	for after := range 6 {
		led := &brokenLedger{after: after}
		if err := Run(t.Context(), new(endless), led, Options{Workers: 4, Epoch: often}); !errors.Is(err, errDiskFull) {
			t.Errorf("after %d commits: %v", after, err)
		}
		if led.calls != after+1 {
			t.Errorf("%d commits after the one that failed", led.calls-after-1)
		}
	}
}

var errDiskFull = errors.New("disk full")

// A brokenLedger fails after some commits.
type brokenLedger struct{ calls, after int }

func (l *brokenLedger) Commit(context.Context, ledger.Epoch) error {
	if l.calls++; l.calls > l.after {
		return errDiskFull
	}
	return nil
}

// An endless source has the same line again and again.
type endless struct {
	stream source.Stream
	at     source.Position
}

func (s *endless) Next(ctx context.Context, b *source.Batch) error {
	fill(b, &s.stream, &s.at, "one line\n")
	return ctx.Err()
}

// TestFencedGroup demands that the counts of a group that is fenced are
// dropped, and no others.
func TestFencedGroup(t *testing.T) {
	src := newFakeSource(7, 2, 3, 500)
	led := newFakeLedger(t, src)
	fenced := 0
	led.fail = func(e ledger.Epoch) error {
		if e.Group == 1 {
			fenced++
			return fmt.Errorf("partition 1: %w", ledger.ErrFenced)
		}
		return nil
	}
	if err := Run(t.Context(), src, led, Options{Workers: 4, Epoch: often}); err != nil {
		t.Fatal(err)
	}
	led.complete(0)
	if led.sums[1] != nil || fenced == 0 {
		t.Errorf("group 1 was fenced %d times and has counts: %v", fenced, led.sums[1] != nil)
	}
}

// TestFencedOnce demands that a dropped delta does not come back with the next
// epoch of its group.
func TestFencedOnce(t *testing.T) {
	src := newFakeSource(8, 1, 1, 3000)
	led := newFakeLedger(t, src)
	dropped := uint64(0)
	led.fail = func(e ledger.Epoch) error {
		if dropped > 0 {
			return nil
		}
		s := sinks.NewSnapshot()
		s.Merge(e.Delta)
		dropped = s.Identity().Records
		led.src = new(fakeSource) // from here on the counts are not those before the ends
		return ledger.ErrFenced
	}
	if err := Run(t.Context(), src, led, Options{Workers: 4, Epoch: often}); err != nil {
		t.Fatal(err)
	}
	f := src.streams[0]
	kept := uint64(0)
	if led.sums[0] != nil {
		kept = led.sums[0].Identity().Records
	}
	if all := f.records(int64(len(f.text))); kept+dropped != all {
		t.Errorf("%d kept and %d dropped of %d", kept, dropped, all)
	}
}

const mixed = `{"start_time":"2024-05-01T10:00:00.000Z","method":"GET","path":"/","protocol":"HTTP/1.1","response_code":503,"response_flags":"UH"}
{
  "method": "GET",
  "response_code": 200,
  "response_flags": "-"
}
application output

2024-05-01T10:00:00.000000000Z stdout P [2024-05-01T10:00:00.000Z] "GET /a HTTP/1.1" 
2024-05-01T10:00:00.000000000Z stdout F 404 NR 0 0 0 - "-" "-" "1" "shop" "-"
`

func TestBlockSizesAndWorkers(t *testing.T) {
	text := accessLine(200, "-", 1) + mixed + accessLine(503, "UF,URX", 2) + mixed + strings.TrimSuffix(accessLine(504, "UT", 3), "\n")
	want := ""
	for _, workers := range []int{1, 4} {
		for _, size := range []int{len(text), 1, 2, 3, 5, 17, 100, 1000} {
			got := report(t, &chopper{rest: []byte(text), size: size}, Options{Workers: workers, Epoch: often})
			if want == "" {
				want = got
			}
			if got != want {
				t.Fatalf("%d workers, reads of %d: %s\nwant %s", workers, size, got, want)
			}
		}
	}
}

func TestOutputIsOrdered(t *testing.T) {
	for seed := range uint64(5) {
		src := newFakeSource(seed, 2, 3, 500)
		led := newFakeLedger(t, src)
		var out strings.Builder
		emit := func(buf []byte, b *source.Batch, r *parser.Record, _ classify.Verdict) []byte {
			return append(buf, b.Data[r.Begin:r.Begin+r.Size]...)
		}
		if err := Run(t.Context(), src, led, Options{Workers: 8, Epoch: often, Emit: emit, Out: &out}); err != nil {
			t.Fatal(err)
		}
		if out.String() != strings.Join(src.handed, "") {
			t.Error("the output is not in the order of the batches")
		}
	}
}

// TestLongOutput demands that what a batch makes a worker write stays in order
// when it is written in pieces.
func TestLongOutput(t *testing.T) {
	src := newFakeSource(1, 1, 2, 60)
	var out strings.Builder
	piece := strings.Repeat("x", flushSize/3)
	emit := func(buf []byte, b *source.Batch, r *parser.Record, _ classify.Verdict) []byte {
		buf = fmt.Appendf(buf, "%s %d ", b.Stream.Name, b.From.Line+int64(r.Line))
		return append(buf, piece...)
	}
	if err := Run(t.Context(), src, newFakeLedger(t, src), Options{Workers: 4, Emit: emit, Out: &out}); err != nil {
		t.Fatal(err)
	}
	at := map[string]int{}
	for _, f := range strings.Split(strings.TrimSuffix(out.String(), piece), piece) {
		var name string
		var line int
		if _, err := fmt.Sscanf(f, "%s %d", &name, &line); err != nil || line != at[name]+1 {
			t.Fatalf("%q after line %d (%v)", f, at[name], err)
		}
		at[name] = line
	}
}

// A brokenWriter takes some writes.
type brokenWriter struct {
	left int
	out  strings.Builder
	err  error
}

func (w *brokenWriter) Write(p []byte) (int, error) {
	if w.left--; w.left < 0 {
		return 0, w.err
	}
	return w.out.Write(p)
}

func TestWriteErrorStops(t *testing.T) {
	src := newFakeSource(3, 1, 2, 2000)
	led := newFakeLedger(t, src)
	w := &brokenWriter{left: 3, err: errors.New("broken pipe")}
	emit := func(buf []byte, b *source.Batch, r *parser.Record, _ classify.Verdict) []byte {
		return append(buf, b.Data[r.Begin:r.Begin+r.Size]...)
	}
	if err := Run(t.Context(), src, led, Options{Workers: 4, Emit: emit, Out: w}); err != w.err {
		t.Errorf("%v", err)
	}
	if w.left != -1 {
		t.Errorf("%d writes after the error", -1-w.left)
	}
	if want := strings.Join(src.handed[:3], ""); w.out.String() != want {
		t.Error("something else than the first batches was written")
	}
}

// A stuckSource hands out its batches, and then blocks until released, or as
// long as ctx lives.
type stuckSource struct {
	batches []string
	stream  source.Stream
	at      source.Position
	release chan struct{}
	heeds   bool
}

func (s *stuckSource) Next(ctx context.Context, b *source.Batch) error {
	if len(s.batches) == 0 {
		if s.heeds {
			<-ctx.Done()
			return ctx.Err()
		}
		<-s.release
		s.batches = []string{accessLine(500, "-", 9)}
	}
	fill(b, &s.stream, &s.at, s.batches[0])
	s.batches = s.batches[1:]
	return nil
}

func TestCancelWhileBlocked(t *testing.T) {
	for _, heeds := range []bool{true, false} {
		synctest.Test(t, func(t *testing.T) {
			src := &stuckSource{batches: []string{accessLine(200, "-", 1), accessLine(200, "-", 2)}, release: make(chan struct{}), heeds: heeds}
			m := ledger.NewMemory()
			ctx, cancel := context.WithCancel(t.Context())
			var emitted atomic.Int64
			emit := func(buf []byte, _ *source.Batch, _ *parser.Record, _ classify.Verdict) []byte {
				emitted.Add(1)
				return buf
			}
			go func() {
				time.Sleep(time.Hour + time.Second/2)
				cancel()
			}()
			begin := time.Now()
			err := Run(ctx, src, m, Options{Workers: 4, Emit: emit, Out: io.Discard})
			if took := time.Since(begin) - time.Hour - time.Second/2; err != context.Canceled || took > grace || heeds && took > 0 {
				t.Errorf("%v, %v after the cancel", err, took)
			}
			close(src.release)
			synctest.Wait()
			m.View(func(s *sinks.Snapshot) {
				if n := s.Identity().Records; n != 2 || emitted.Load() != 2 {
					t.Errorf("%d records counted and %d written, want 2", n, emitted.Load())
				}
			})
		})
	}
}

// TestEpochs demands that counts become visible while the source is blocked.
func TestEpochs(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		src := &stuckSource{batches: []string{accessLine(200, "-", 1)}, heeds: true}
		m := ledger.NewMemory()
		ctx, cancel := context.WithCancel(t.Context())
		done := make(chan error)
		go func() { done <- Run(ctx, src, m, Options{Workers: 2}) }()
		time.Sleep(time.Second + time.Millisecond)
		m.View(func(s *sinks.Snapshot) {
			if n := s.Identity().Records; n != 1 {
				t.Errorf("%d records after an epoch", n)
			}
		})
		cancel()
		if err := <-done; err != context.Canceled {
			t.Error(err)
		}
	})
}

// A pacedSource hands out a record after each pause.
type pacedSource struct {
	stream source.Stream
	at     source.Position
	pauses []time.Duration
}

func (s *pacedSource) Next(_ context.Context, b *source.Batch) error {
	if len(s.pauses) == 0 {
		return io.EOF
	}
	time.Sleep(s.pauses[0])
	s.pauses = s.pauses[1:]
	fill(b, &s.stream, &s.at, accessLine(200, "-", 1))
	return nil
}

// A clockedLedger knows when commits came.
type clockedLedger struct {
	begin time.Time
	at    []time.Duration
}

func (l *clockedLedger) Commit(context.Context, ledger.Epoch) error {
	l.at = append(l.at, time.Since(l.begin))
	return nil
}

// TestEpochsAreApart demands that commits are no closer than an epoch but for
// the last one, that none comes without a record, and that a record which comes
// after a long while does not wait.
func TestEpochsAreApart(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		src := &pacedSource{}
		for range 30 {
			src.pauses = append(src.pauses, 101*time.Millisecond)
		}
		src.pauses = append(src.pauses, time.Hour, time.Millisecond)
		led := &clockedLedger{begin: time.Now()}
		if err := Run(t.Context(), src, led, Options{Workers: 1}); err != nil {
			t.Fatal(err)
		}
		first, after := 101*time.Millisecond, 30*101*time.Millisecond+time.Hour
		want := []time.Duration{first, first + time.Second, first + 2*time.Second, first + 3*time.Second, after, after + time.Millisecond}
		if !slices.Equal(led.at, want) {
			t.Errorf("commits at %v, want %v", led.at, want)
		}
	})
}

func TestCancelledStdin(t *testing.T) {
	r, w, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	defer w.Close()
	src, err := source.New(nil, r, source.Options{})
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	m := ledger.NewMemory()
	emit := func(buf []byte, _ *source.Batch, _ *parser.Record, _ classify.Verdict) []byte {
		cancel() // all has arrived, and the next read blocks
		return buf
	}
	w.WriteString(accessLine(200, "-", 1) + accessLine(200, "-", 2) + "half a li")
	begin := time.Now()
	if err := Run(ctx, src, m, Options{Emit: emit, Out: io.Discard}); err != context.Canceled {
		t.Error(err)
	}
	if took := time.Since(begin); took > grace/2 {
		t.Errorf("took %v", took)
	}
	m.View(func(s *sinks.Snapshot) {
		if n := s.Identity().Records; n != 2 {
			t.Errorf("%d records, want 2", n)
		}
	})
}

func TestIncompleteInput(t *testing.T) {
	root := t.TempDir()
	good, missing, long := filepath.Join(root, "good.log"), filepath.Join(root, "missing.log"), filepath.Join(root, "long.log")
	text := accessLine(200, "-", 1)
	err := errors.Join(os.WriteFile(good, []byte(text), 0o644),
		os.WriteFile(long, []byte(text+strings.Repeat("x", 5<<20)+"\n"+text), 0o644))
	if err != nil {
		t.Fatal(err)
	}
	src, err := source.New([]string{missing, long, good}, nil, source.Options{})
	if err != nil {
		t.Fatal(err)
	}
	m := ledger.NewMemory()
	err = Run(t.Context(), src, m, Options{Workers: 2})
	if !errors.Is(err, source.ErrIncomplete) || !errors.Is(err, os.ErrNotExist) || !strings.Contains(err.Error(), missing) {
		t.Errorf("%v", err)
	}
	read := int64(0)
	for _, in := range src.Inputs() {
		read += in.Bytes
	}
	if want := int64(3*len(text) + 5<<20 + 1); read != want {
		t.Errorf("%d bytes read, want %d", read, want)
	}
	m.View(func(s *sinks.Snapshot) {
		id := s.Identity(sinks.Input{Bytes: read})
		if !id.Complete || id.Records != 4 || id.Discarded["oversize"] != 5<<20+1-64<<10 {
			t.Errorf("%+v", id)
		}
		if id.Kinds["access"].Records != 3 || id.Kinds["invalid"].Records != 1 {
			t.Errorf("%+v", id.Kinds)
		}
	})
}
