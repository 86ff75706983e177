// Package tail follows growing logs over rotation, truncation, compression
// and restarts: no byte that is on the disk while it runs, or still there when
// it comes back, is missed or read twice.
package tail

import (
	"context"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/flagwatch/flagwatch/internal/source"
)

// An Input is a set of logs under one name.
type Input struct {
	Name       string
	Paths      []string // files, patterns, or a directory of pods as the kubelet lays it out
	Containers []string // whose logs are read, where the container is known
}

// Options are choices for a Tailer. The zero value is ready for use.
type Options struct {
	System    System        // nil: Disk
	Saved     *Saved        // where to go on
	End       bool          // begin at the end of files that are there at the start and not in Saved
	History   bool          // read the rotated generations that are there at the start, too
	MaxOpen   int           // files open at a time; 0: 512
	HoldBytes int64         // unread bytes of a deleted file that is kept open; 0: 1 GiB
	HoldTime  time.Duration // how long it is; 0: an hour
	Self      string        // name of a pod whose logs are left out
	Blocks    int           // batches that are under way at a time; 0: 3
	NoHints   bool          // ask only
	Now       func() time.Time
}

// Counts are what happened to files since the start.
type Counts struct {
	Truncations uint64 // files cut off while they were followed
	Generations uint64 // deleted with unread bytes
	Damaged     uint64 // packed files that could not be read to their end
	Refused     uint64 // what is no regular file, or leads out of the roots
	Faults      uint64 // reads that failed and are tried again
}

// A Tailer is the Source of growing logs. It never ends by itself.
type Tailer struct {
	f    *follower
	full chan *block
	free chan *block
	lent map[*source.Batch]*block
	stop context.CancelFunc
	done chan struct{}
}

// New returns a Tailer of all that inputs name, now and later. Close ends it.
func New(inputs []Input, opt Options) *Tailer {
	opt.fill()
	f := newFollower(inputs, opt)
	if !opt.NoHints {
		f.hint = newHints()
	}
	t := &Tailer{f: f, full: make(chan *block), free: make(chan *block, opt.Blocks), lent: map[*source.Batch]*block{}, done: make(chan struct{})}
	for range opt.Blocks {
		t.free <- new(block)
	}
	ctx, stop := context.WithCancel(context.Background())
	t.stop = stop
	go t.run(ctx)
	return t
}

func (o *Options) fill() {
	if o.System == nil {
		o.System = Disk{}
	}
	if o.MaxOpen <= 0 {
		o.MaxOpen = 512
	}
	if o.HoldBytes <= 0 {
		o.HoldBytes = 1 << 30
	}
	if o.HoldTime <= 0 {
		o.HoldTime = time.Hour
	}
	if o.Blocks <= 0 {
		o.Blocks = 3
	}
	if o.Now == nil {
		o.Now = time.Now
	}
}

func newFollower(inputs []Input, opt Options) *follower {
	f := &follower{opt: opt, sys: opt.System, streams: map[string]*stream{}, bad: map[string]string{}, owner: map[inodeKey]*stream{}, saved: map[string]*SavedStream{}, finds: newFinds(inputs)}
	if opt.Saved != nil {
		for i := range opt.Saved.Streams {
			s := &opt.Saved.Streams[i]
			f.saved[key(s.Dir, s.Base)] = s
		}
	}
	return f
}

// run is the goroutine that does all reading.
func (t *Tailer) run(ctx context.Context) {
	defer close(t.done)
	timer := time.NewTimer(0)
	defer timer.Stop()
	for ctx.Err() == nil {
		var b *block
		select {
		case b = <-t.free:
		case <-ctx.Done():
			return
		}
		for {
			ok, wait := t.f.next(b, t.f.opt.Now())
			if ok {
				break
			}
			timer.Reset(wait)
			select {
			case <-timer.C:
			case <-t.f.hint.woken():
			case <-ctx.Done():
				return
			}
		}
		select {
		case t.full <- b:
		case <-ctx.Done():
			return
		}
	}
}

// Next is Source's. The memory of a batch is the Tailer's and lent to b.
func (t *Tailer) Next(ctx context.Context, b *source.Batch) error {
	if old := t.lent[b]; old != nil {
		delete(t.lent, b)
		t.free <- old
	}
	if err := ctx.Err(); err != nil {
		return err
	}
	select {
	case k := <-t.full:
		t.lent[b] = k
		*b = k.batch
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}

// Save returns what is to be restored together with counts up to these ends.
func (t *Tailer) Save(ends map[*source.Stream]int64) ([]byte, error) { return t.f.save(ends) }

// Close ends reading and closes all files but those of a read that hangs.
func (t *Tailer) Close() {
	t.stop()
	select {
	case <-t.done:
		t.f.hint.close()
		t.f.closeAll()
	case <-time.After(time.Second):
	}
}

func (f *follower) closeAll() {
	f.mu.Lock()
	defer f.mu.Unlock()
	for _, s := range f.order {
		for _, g := range s.gens {
			f.close(g)
		}
	}
}

// A Status is what a Tailer is about.
type Status struct {
	Counts
	Streams []StreamStatus    `json:"streams"`
	Bad     map[string]string `json:"unreadable"` // paths, and why
	Open    int               `json:"open"`       // files
	Waiting int               `json:"waiting"`    // files with unread bytes that have to wait for being opened
}

// A StreamStatus is what is known of one log.
type StreamStatus struct {
	Name        string `json:"name"`
	Input       string `json:"input"`
	Read        int64  `json:"read"`        // bytes since it was first seen
	Unread      int64  `json:"unread"`      // bytes that are known of
	Generations int    `json:"generations"` // not yet finished
}

// Status may be called at any time.
func (t *Tailer) Status() Status {
	f := t.f
	f.mu.Lock()
	defer f.mu.Unlock()
	st := Status{Counts: f.counts, Bad: maps.Clone(f.bad), Open: f.open, Waiting: f.waiting}
	for _, s := range f.order {
		x := StreamStatus{Name: s.src.Name, Input: s.src.Input, Read: s.pos, Generations: len(s.gens) - s.at}
		for _, g := range s.gens[s.at:] {
			x.Unread += g.unread()
		}
		st.Streams = append(st.Streams, x)
	}
	slices.SortFunc(st.Streams, func(a, b StreamStatus) int { return strings.Compare(a.Name, b.Name) })
	return st
}
