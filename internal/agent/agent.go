package agent

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"maps"
	"slices"
	"sync"
	"time"

	"github.com/flagwatch/flagwatch/classify"
	"github.com/flagwatch/flagwatch/internal/ledger"
	"github.com/flagwatch/flagwatch/internal/pipeline"
	"github.com/flagwatch/flagwatch/internal/safe"
	"github.com/flagwatch/flagwatch/internal/tail"
	"github.com/flagwatch/flagwatch/parser"
	"github.com/flagwatch/flagwatch/sinks"
)

const (
	epoch       = 950 * time.Millisecond
	flushEvery  = time.Second      // of what a commit could not write
	lookEvery   = 2                // flushes
	tellEvery   = time.Minute      // how often the same trouble is logged
	unreadyWhen = 30 * time.Second // of not being able to write the state
)

// Env is what an agent gets from its surroundings.
type Env struct {
	Log     *slog.Logger
	Self    string // name of the pod that it runs in, whose logs are left out
	Causes  *classify.Classifier
	Formats []*parser.Format
	Build   sinks.MetricOptions // of which the program's version is taken
	Program string              // what reports say they were made by
}

// An agent is one that runs.
type agent struct {
	cfg    Config
	env    Env
	log    *slog.Logger
	roots  *safe.Roots
	absent []string // roots that are not open; watch's while it runs
	tail   *tail.Tailer
	count  func(context.Context, pipeline.Options) error // counts tail; a test may watch it
	led    counts
	file   *ledger.State // nil without a state directory

	mu   sync.Mutex
	told map[string]time.Time
}

// counts are a ledger that can be looked at.
type counts interface {
	ledger.Ledger
	View(func(*sinks.Snapshot))
	ViewMetrics(func(*sinks.Snapshot))
}

// Run follows logs until ctx is done. What was counted then is committed, and
// the error is nil.
func Run(ctx context.Context, cfg Config, env Env) error {
	a := &agent{cfg: cfg, env: env, log: env.Log, told: map[string]time.Time{}}
	defer a.close()
	if err := a.open(); err != nil {
		return err
	}
	return a.run(ctx)
}

// open takes what a run needs; close gives it back, however much there is.
func (a *agent) open() (err error) {
	if a.roots, err = a.openRoots(); err != nil {
		return err
	}
	saved, err := a.openLedger()
	if err != nil {
		return err
	}
	if most := tail.MostOpen(); a.cfg.MaxOpen > most {
		a.log.Warn("the system's limit allows for fewer open files", "maxOpenFiles", a.cfg.MaxOpen, "used", most)
	}
	a.tail = tail.New(a.cfg.Inputs, tail.Options{
		Formats: a.env.Formats,
		System:  tail.Jail{Roots: a.roots}, Saved: saved, End: a.cfg.From == "end", History: a.cfg.From != "end",
		MaxOpen: a.cfg.MaxOpen, Self: a.env.Self, Once: a.file == nil,
		Blocks: a.cfg.Workers, // reading ahead of one worker would take a second processor, and have it read what is in no cache of its own
	})
	a.count = func(ctx context.Context, o pipeline.Options) error { return pipeline.Run(ctx, a.tail, a.led, o) }
	if a.file != nil {
		a.file.Follow(a.tail)
	}
	return nil
}

func (a *agent) close() {
	if a.tail != nil {
		a.tail.Close()
	}
	if a.file != nil {
		a.file.Close()
	}
	if a.roots != nil {
		a.roots.Close()
	}
}

func (a *agent) run(ctx context.Context) error {
	stop, err := a.serve(ctx)
	if err != nil {
		return err
	}
	defer stop()
	inner, cancel := context.WithCancel(ctx)
	var others sync.WaitGroup
	others.Go(func() { a.watch(inner) })
	err = a.count(ctx, pipeline.Options{
		Workers: a.cfg.Workers, Epoch: epoch, Classifier: a.env.Causes, Formats: a.env.Formats, Series: true, MaxSeries: a.cfg.MaxSeries, Fault: a.fault,
	})
	cancel()
	others.Wait()
	if errors.Is(err, context.Canceled) {
		err = nil
	}
	if a.file != nil {
		err = errors.Join(err, a.file.Flush(), a.file.Stats().Err)
	}
	if err != nil {
		a.log.Error("stopped", "err", err)
	} else {
		a.log.Info("stopped")
	}
	return err
}

// openLedger opens the state, or does without one.
func (a *agent) openLedger() (*tail.Saved, error) {
	if a.cfg.StateDir == "" {
		mem := ledger.NewMemory()
		mem.View(func(s *sinks.Snapshot) { s.SetMaxSeries(a.cfg.MaxSeries) })
		a.led = mem
		a.log.Warn("no state directory: counts end with the process", "from", a.cfg.From)
		return nil, nil
	}
	state, err := ledger.OpenState(a.cfg.StateDir, ledger.StateOptions{Strict: a.cfg.Strict, Restore: a.restore})
	if err != nil {
		return nil, err
	}
	for _, note := range state.Stats().Notes {
		a.log.Warn(note)
	}
	saved, err := tail.ParseSaved(state.Saved())
	if err != nil {
		state.Close()
		return nil, err
	}
	a.led, a.file = state, state
	a.log.Info("state", "dir", a.cfg.StateDir, "streams", len(saved.Streams))
	return saved, nil
}

func (a *agent) restore(data []byte) (*sinks.Snapshot, bool, error) {
	s, whole, err := sinks.NewSnapshot(), true, error(nil)
	if data != nil {
		s, whole, err = sinks.RestoreSnapshot(data, func(id string) *classify.Cause {
			c, _ := a.env.Causes.Cause(id)
			return c
		})
	}
	if err == nil {
		s.SetMaxSeries(a.cfg.MaxSeries)
	}
	return s, whole, err
}

// watch retries what could not be written, and logs what is wrong.
func (a *agent) watch(ctx context.Context) {
	tick := time.NewTicker(flushEvery)
	defer tick.Stop()
	for n := 0; ; n++ {
		select {
		case <-ctx.Done():
			return
		case <-tick.C:
		}
		if a.file != nil {
			if err := a.file.Flush(); err != nil {
				a.tell("state", "state can not be written", err)
			}
			if st := a.file.Stats(); st.Err != nil {
				a.tell("state", "state can not be written: what is shown stays as it is", st.Err)
			}
		}
		if n%lookEvery != 0 {
			continue
		}
		a.absent = a.openThose(a.roots, a.absent)
		bad := a.tail.Bad()
		for _, path := range slices.Sorted(maps.Keys(bad)) {
			a.tell("file "+path, "file can not be read", errors.New(path+": "+bad[path]))
		}
	}
}

// tell logs a trouble now and then.
func (a *agent) tell(key, text string, err error) {
	a.mu.Lock()
	defer a.mu.Unlock()
	if now := time.Now(); now.Sub(a.told[key]) >= tellEvery {
		if len(a.told) > 1000 {
			clear(a.told)
		}
		a.told[key] = now
		a.log.Warn(text, "err", safe.Text(err.Error()).String())
	}
}

func (a *agent) fault(value any, stack []byte) {
	a.tell("fault", "a fault of flagwatch, please report it", fmt.Errorf("%v\n%s", value, stack))
}
