// Package pipeline takes batches through workers and hands what they counted
// to the ledger, epoch by epoch.
package pipeline

import (
	"cmp"
	"context"
	"io"
	"runtime"
	"sync"
	"time"

	"github.com/flagwatch/flagwatch/classify"
	"github.com/flagwatch/flagwatch/internal/ledger"
	"github.com/flagwatch/flagwatch/internal/source"
	"github.com/flagwatch/flagwatch/parser"
	"github.com/flagwatch/flagwatch/sinks"
)

// grace is how long a cancelled run waits for the source to hand out what had
// arrived and to return. A source whose read can not be interrupted is left
// behind then.
const grace = time.Second

// MaxWorkers is how many workers a run has at most: each has memory of its own,
// and is waited for at the end.
const MaxWorkers = 1024

// Options are choices for a run. The zero value is ready for use.
type Options struct {
	Workers int             // 0: one per processor; at most MaxWorkers
	Epoch   time.Duration   // between commits at least, and from a record to its commit at most; 0: a second, or none before the end if Early
	Early   bool            // commits have no ends: for a ledger in memory
	Want    parser.FieldSet // fields to find; 0: those that are counted
	Formats []*parser.Format

	// Classifier finds the causes; each worker gets a clone. nil: the catalogue.
	Classifier *classify.Classifier

	// Learned is told about every layout that was worked out from lines which no
	// known one reads, if set. Calls do not overlap; they hold up the reading.
	Learned func(Learned)

	Keep    Keep // which records count
	Series  bool // count what metrics show, too
	Account bool // count no more than sinks.Delta.Account does

	MaxSeries int // of a metric, as the ledger has it; 0: sinks.DefaultMaxSeries

	// Emit appends what is to be written about a record to buf, if set. It is
	// called by all workers at once, and by each in the order of its records;
	// the record's Line counts from b.From.Line. What it appends is written to
	// Out in the order in which the source handed the batches out.
	Emit func(buf []byte, b *source.Batch, r *parser.Record, v classify.Verdict) []byte
	Out  io.Writer

	// Fault is told about every panic that was turned into an invalid record
	// of reason internal, if set. It is called by all workers at once.
	Fault func(value any, stack []byte)
}

// A run is one call of Run.
//
// A worker takes the next batch while it holds turn, and before it gives turn
// back it takes gate for reading; it gives gate back when the batch is counted
// and written. So whoever holds gate for writing knows: of every stream, all
// batches up to some place are counted and none behind it, and output that
// waits for an earlier batch never waits for gate.
type run struct {
	src source.Source
	led ledger.Ledger
	opt Options

	turn     chan struct{} // a lock that one can stop waiting for
	over     bool          // the source has nothing more; under turn
	seq      uint64        // batches handed out; under turn
	tides    tides
	learners map[*source.Stream]*learner // under turn
	looker   *parser.Parser              // see lookerFor; under turn
	layouts  []layout                    // under turn
	stop     chan struct{}               // closed with stopped
	news     chan struct{}               // something was counted since the last epoch
	gate     sync.RWMutex
	ended    bool // nothing may be counted or written any more; under gate

	workers []*worker
	spare   spares
	out     output
	cancel  context.CancelFunc // ends the workers' ctx

	mu     sync.Mutex
	failed error // why the run was broken off
	end    error // what the source ended with
}

// Run counts all that src yields and commits it to led, until src ends, ctx is
// done, or a commit or a write fails. Whatever ends it, what was counted is
// committed, unless committing is what failed. It returns nil at the end of
// the input, else src's error, which may be ctx's, or that of the commit or
// the write.
//
// When it returns nothing is counted or written any more. A read that can not
// be interrupted may still be blocked in src.Next; its bytes are not counted.
// A write to Out that blocks holds up the end.
func Run(ctx context.Context, src source.Source, led ledger.Ledger, opt Options) error {
	if opt.Workers <= 0 {
		opt.Workers = runtime.GOMAXPROCS(0)
	}
	if opt.Epoch <= 0 && !opt.Early {
		opt.Epoch = time.Second
	}
	if opt.Classifier == nil {
		opt.Classifier = classify.Default()
	}
	if opt.Want == 0 {
		opt.Want = sinks.Wanted | opt.Classifier.Fields()
	}
	inner, cancel := context.WithCancel(ctx)
	defer cancel()
	r := &run{src: src, led: led, opt: opt, turn: make(chan struct{}, 1), tides: tides{}, learners: map[*source.Stream]*learner{}, stop: make(chan struct{}), news: make(chan struct{}, 1), cancel: cancel}
	if opt.Series {
		r.spare.maxSeries = cmp.Or(opt.MaxSeries, sinks.DefaultMaxSeries)
	}
	r.out.init(opt.Out)
	done := r.start(inner)
	if err := r.commitAll(inner, done); err != nil {
		return err
	}
	return r.result(ctx)
}

// start starts the workers. The channel is closed when all have ended.
func (r *run) start(ctx context.Context) <-chan struct{} {
	var all sync.WaitGroup
	for range r.opt.Workers {
		w := newWorker(r)
		r.workers = append(r.workers, w)
	}
	for _, w := range r.workers {
		all.Go(func() { w.work(ctx) })
	}
	done := make(chan struct{})
	go func() {
		all.Wait()
		close(done)
	}()
	return done
}

// commitAll commits an epoch whenever there is something to commit, but not
// too often, and the last one.
func (r *run) commitAll(ctx context.Context, done <-chan struct{}) error {
	pause, news := time.NewTimer(0), r.news // the first one comes at once
	defer pause.Stop()
	if r.opt.Epoch <= 0 {
		news = nil
	}
	for r.await(ctx, done, news, nil) && r.await(ctx, done, nil, pause.C) {
		pause.Reset(r.opt.Epoch)
		if err := r.epoch(ctx, false); err != nil {
			return err
		}
	}
	r.wait(done)
	return r.epoch(ctx, true)
}

// await waits for news or the end of a pause. It is false at the end.
func (r *run) await(ctx context.Context, done, news <-chan struct{}, pause <-chan time.Time) bool {
	select {
	case <-news:
	case <-pause:
	case <-done:
		return false
	case <-ctx.Done():
		return false
	}
	return true
}

func (r *run) wait(done <-chan struct{}) {
	patience := time.NewTimer(grace)
	defer patience.Stop()
	select {
	case <-done:
	case <-patience.C:
	}
}

// fail breaks the run off.
func (r *run) fail(err error) {
	r.mu.Lock()
	if r.failed == nil {
		r.failed = err
	}
	r.mu.Unlock()
	r.cancel()
}

// finish notes what the source ended with.
func (r *run) finish(err error) {
	r.mu.Lock()
	r.end = err
	r.mu.Unlock()
}

func (r *run) result(ctx context.Context) error {
	r.mu.Lock()
	defer r.mu.Unlock()
	switch {
	case r.failed != nil:
		return r.failed
	case r.end == io.EOF:
		return nil
	case r.end != nil:
		return r.end
	}
	return ctx.Err()
}
