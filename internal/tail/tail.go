// Package tail follows growing logs over rotation, truncation, compression
// and restarts: no byte that is on the disk while it runs, or still there when
// it comes back, is missed or read twice.
package tail

import (
	"context"
	"encoding/json"
	"errors"
	"io/fs"
	"maps"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/flagwatch/flagwatch/internal/safe"
	"github.com/flagwatch/flagwatch/internal/source"
	"github.com/flagwatch/flagwatch/parser"
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
	MaxOpen   int           // files open at a time, but no more than MostOpen; 0: 512
	HoldBytes int64         // unread bytes of a deleted file that is kept open; 0: 1 GiB
	HoldTime  time.Duration // how long it is; 0: an hour
	Self      string        // name of a pod whose logs are left out
	Blocks    int           // batches of one path that are under way at a time, where others have at most one; 0: 4
	NoHints   bool          // ask only
	Once      bool          // Save is never called: nothing is kept for it
	Now       func() time.Time
	Formats   []*parser.Format // that records may be in
}

// Counts are what happened to files since the start.
type Counts struct {
	Truncations uint64 // files cut off while they were followed
	Generations uint64 // deleted with unread bytes
	Damaged     uint64 // packed files that could not be read to their end
	Refused     uint64 // what is no regular file, or leads out of the roots
	Faults      uint64 // reads that failed and are tried again
}

func (c *Counts) add(o *Counts) {
	c.Truncations += o.Truncations
	c.Generations += o.Generations
	c.Damaged += o.Damaged
	c.Refused += o.Refused
	c.Faults += o.Faults
}

// A Tailer is the Source of growing logs. It never ends by itself. Each path of
// an input has a goroutine of its own, so that a disk that hangs holds up only
// what lies on it.
type Tailer struct {
	followers []*follower
	full      chan *block
	free      chan *block
	lent      map[*source.Batch]*block
	stop      context.CancelFunc
	running   sync.WaitGroup
}

// New returns a Tailer of all that inputs name, now and later. Close ends it.
func New(inputs []Input, opt Options) *Tailer {
	opt.fill()
	t := &Tailer{followers: newFollowers(inputs, opt), lent: map[*source.Batch]*block{}}
	blocks := opt.Blocks - 1 + len(t.followers)
	t.full, t.free = make(chan *block, blocks), make(chan *block, blocks)
	for range blocks {
		t.free <- new(block)
	}
	ctx, stop := context.WithCancel(context.Background())
	t.stop = stop
	for _, f := range t.followers {
		if !opt.NoHints {
			f.hint = newHints()
		}
		t.running.Go(func() { t.run(ctx, f) })
	}
	return t
}

// MostOpen is how many files a Tailer has open at most: half of what the system
// lets the process have, so that there is always one for a state, a directory or
// a connection.
func MostOpen() int { return max(FileLimit()/2, 1) }

func (o *Options) fill() {
	if o.System == nil {
		o.System = Disk{}
	}
	if o.MaxOpen <= 0 {
		o.MaxOpen = 512
	}
	o.MaxOpen = min(o.MaxOpen, MostOpen())
	if o.HoldBytes <= 0 {
		o.HoldBytes = 1 << 30
	}
	if o.HoldTime <= 0 {
		o.HoldTime = time.Hour
	}
	if o.Blocks <= 0 {
		o.Blocks = 4
	}
	if o.Now == nil {
		o.Now = time.Now
	}
}

// newFollowers returns one for each path.
func newFollowers(inputs []Input, opt Options) (list []*follower) {
	finds, shared := newFinds(inputs), newClaims()
	opt.MaxOpen = max(opt.MaxOpen/max(len(finds), 1), 1)
	for _, d := range finds {
		f := &follower{opt: opt, streams: map[string]*stream{}, bad: map[string]string{}, claims: shared, saved: map[string]*SavedStream{}, finds: []find{d}}
		f.sys = unlocked{opt.System, &f.mu}
		list = append(list, f)
	}
	if opt.Saved == nil {
		return list
	}
	for i := range opt.Saved.Streams {
		s := &opt.Saved.Streams[i]
		if f := nearest(list, s); f != nil {
			f.saved[key(s.Dir, s.Base)] = s
		} else {
			shared.orphans[key(s.Dir, s.Base)] = s
		}
	}
	shared.looking = len(list)
	return list
}

// nearest is the follower that a saved stream is likely to be of: the one of
// its input whose path has most in common with it.
func nearest(list []*follower, s *SavedStream) (best *follower) {
	most := -1
	for _, f := range list {
		d := &f.finds[0]
		n := 0
		for n < min(len(d.path), len(s.Dir)) && d.path[n] == s.Dir[n] {
			n++
		}
		if d.input.Name == s.Input && n > most {
			best, most = f, n
		}
	}
	return best
}

// run is the goroutine that does all reading of one path.
func (t *Tailer) run(ctx context.Context, f *follower) {
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
			ok, wait := f.next(b, f.opt.Now())
			if ok {
				break
			}
			timer.Reset(wait)
			select {
			case <-timer.C:
			case <-f.hint.woken():
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
func (t *Tailer) Save(ends map[*source.Stream]int64) ([]byte, error) {
	v := Saved{Version: savedVersion, Streams: []SavedStream{}}
	for _, f := range t.followers {
		v.Streams = f.save(v.Streams, ends)
	}
	if len(t.followers) > 0 {
		v.Streams = t.followers[0].claims.saveOrphans(v.Streams)
	}
	return json.Marshal(&v)
}

// Close ends reading and closes all files but those of a read that hangs.
func (t *Tailer) Close() {
	t.stop()
	done := make(chan struct{})
	go func() {
		t.running.Wait()
		close(done)
	}()
	select {
	case <-done:
		for _, f := range t.followers {
			f.hint.close()
			f.closeAll()
		}
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
	Read        int64  `json:"read"`            // bytes since it was first seen
	Unread      int64  `json:"unread"`          // bytes that are known of
	Generations int    `json:"generations"`     // not yet finished
	Fault       string `json:"fault,omitempty"` // which file of it can not be read, and why
}

// Status may be called at any time.
func (t *Tailer) Status() Status {
	st := Status{Bad: map[string]string{}}
	for _, f := range t.followers {
		f.status(&st)
	}
	slices.SortFunc(st.Streams, func(a, b StreamStatus) int { return strings.Compare(a.Name, b.Name) })
	return st
}

// Bad returns the paths that can not be read, and why. It may be called at any
// time.
func (t *Tailer) Bad() map[string]string {
	bad := map[string]string{}
	for _, f := range t.followers {
		f.mu.Lock()
		maps.Copy(bad, f.bad)
		f.mu.Unlock()
	}
	return bad
}

// reason is what an error says about a path, without naming it once more.
func reason(path string, err error) string {
	if e, ok := errors.AsType[*safe.RefusedError](err); ok && e.Path == path {
		return e.Why
	}
	if e, ok := errors.AsType[*fs.PathError](err); ok && e.Path == path {
		return e.Err.Error()
	}
	return err.Error()
}

func (f *follower) status(st *Status) {
	f.mu.Lock()
	defer f.mu.Unlock()
	st.Counts.add(&f.counts)
	maps.Copy(st.Bad, f.bad)
	st.Open += f.open
	st.Waiting += f.waiting
	bad := slices.Sorted(maps.Keys(f.bad))
	for _, s := range f.order {
		x := StreamStatus{Name: s.src.Name, Input: s.src.Input, Read: s.pos, Generations: len(s.gens) - s.at}
		if i := slices.IndexFunc(bad, func(path string) bool { return f.isOf(s, path) }); i >= 0 {
			x.Fault = bad[i] + ": " + f.bad[bad[i]]
		}
		for _, g := range s.gens[s.at:] {
			x.Unread += g.unread()
		}
		st.Streams = append(st.Streams, x)
	}
}

// isOf says whether a path is a stream's directory, or that of a file of it. A
// file that is followed by itself is of no other stream.
func (f *follower) isOf(s *stream, path string) bool {
	dir, name := filepath.Dir(path), filepath.Base(path)
	if owner := f.streams[key(dir, name)]; owner != nil {
		return owner == s
	}
	_, ok := labelOf(s.base, name)
	return path == s.dir || ok && dir == s.dir
}
