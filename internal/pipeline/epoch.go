package pipeline

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"sync"

	"github.com/flagwatch/flagwatch/internal/ledger"
	"github.com/flagwatch/flagwatch/internal/source"
	"github.com/flagwatch/flagwatch/sinks"
)

// counts are what one worker has counted in one epoch.
type counts struct {
	groups map[int]*sinks.Delta
	ends   map[*source.Stream]end
	spare  *spares
}

// An end is where the batch seq of a stream ended.
type end struct {
	at  source.Position
	seq uint64
}

func newCounts(spare *spares) *counts {
	return &counts{groups: map[int]*sinks.Delta{}, ends: map[*source.Stream]end{}, spare: spare}
}

func (c *counts) delta(group int) *sinks.Delta {
	d := c.groups[group]
	if d == nil {
		d = c.spare.take()
		c.groups[group] = d
	}
	return d
}

// reset empties c and returns its Deltas.
func (c *counts) reset() (used []*sinks.Delta) {
	for _, d := range c.groups {
		used = append(used, d)
	}
	clear(c.groups)
	clear(c.ends)
	return used
}

// spares are Deltas that can be used again: by any worker and for any group,
// so that there are no more of them than epochs need.
type spares struct {
	maxSeries int // 0: series are not counted
	mu        sync.Mutex
	list      []*sinks.Delta
}

// take returns an empty Delta.
func (s *spares) take() *sinks.Delta {
	s.mu.Lock()
	defer s.mu.Unlock()
	if n := len(s.list); n > 0 {
		d := s.list[n-1]
		s.list = s.list[:n-1]
		return d
	}
	d := sinks.NewDelta()
	if s.maxSeries > 0 {
		d.SetMaxSeries(s.maxSeries)
	}
	return d
}

// give keeps the Deltas of an epoch. What the next one will hardly need is let
// go.
func (s *spares) give(used []*sinks.Delta) {
	for _, d := range used {
		d.Reset()
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.list = append(used, s.list...)
	clear(s.list[len(used):])
	s.list = s.list[:len(used)]
}

// epoch commits what was counted since the last one. The workers wait only
// while their counts are exchanged for empty ones.
func (r *run) epoch(ctx context.Context, last bool) error {
	r.gate.Lock()
	for _, w := range r.workers {
		w.now, w.before = w.before, w.now
	}
	if last {
		r.halt()
	}
	r.gate.Unlock()
	err := r.commit(context.WithoutCancel(ctx))
	if err != nil && !last {
		r.cancel()
		r.gate.Lock()
		r.halt()
		r.gate.Unlock()
	}
	var used []*sinks.Delta
	for _, w := range r.workers {
		used = append(used, w.before.reset()...)
	}
	if !last {
		r.spare.give(used)
	}
	return err
}

// halt ends counting and writing; gate is held.
func (r *run) halt() {
	r.ended = true
	close(r.stop)
}

// commit hands the epoch to the ledger, group by group. Counts that are fenced
// are dropped.
func (r *run) commit(ctx context.Context) error {
	ends := r.ends()
	for _, group := range r.groups() {
		e := ledger.Epoch{Group: group, Ends: ends[group], Delta: r.merged(group), Last: r.ended}
		if err := r.led.Commit(ctx, e); err != nil && !errors.Is(err, ledger.ErrFenced) {
			return fmt.Errorf("commit of group %d: %w", group, err)
		}
	}
	return nil
}

// groups lists those that anything was counted of.
func (r *run) groups() []int {
	all := map[int]bool{}
	for _, w := range r.workers {
		for group := range w.before.groups {
			all[group] = true
		}
	}
	return slices.Sorted(maps.Keys(all))
}

// ends gathers the last end of each stream, by group.
func (r *run) ends() map[int][]ledger.StreamEnd {
	latest := map[*source.Stream]end{}
	for _, w := range r.workers {
		for s, e := range w.before.ends {
			if old, ok := latest[s]; !ok || e.seq > old.seq {
				latest[s] = e
			}
		}
	}
	groups := map[int][]ledger.StreamEnd{}
	for s, e := range latest {
		groups[s.Group] = append(groups[s.Group], ledger.StreamEnd{Stream: s, End: e.at})
	}
	for _, list := range groups {
		slices.SortFunc(list, func(a, b ledger.StreamEnd) int { return cmp.Compare(a.Stream.Name, b.Stream.Name) })
	}
	return groups
}

// merged adds up what the workers have counted of a group. In the last epoch
// it lets go of what it has added.
func (r *run) merged(group int) *sinks.Delta {
	var sum *sinks.Delta
	for _, w := range r.workers {
		d := w.before.groups[group]
		switch {
		case d == nil:
		case sum == nil:
			sum = d
		default:
			sum.Merge(d)
			if r.ended {
				delete(w.before.groups, group)
			}
		}
	}
	return sum
}
