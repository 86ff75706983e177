package pipeline

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"

	"github.com/flagwatch/flagwatch/internal/ledger"
	"github.com/flagwatch/flagwatch/internal/source"
	"github.com/flagwatch/flagwatch/sinks"
)

// counts are what one worker has counted in one epoch.
type counts struct {
	groups map[int]*sinks.Delta
	ends   map[*source.Stream]end
	series bool
}

// An end is where the batch seq of a stream ended.
type end struct {
	at  source.Position
	seq uint64
}

func newCounts(series bool) *counts {
	return &counts{groups: map[int]*sinks.Delta{}, ends: map[*source.Stream]end{}, series: series}
}

func (c *counts) delta(group int) *sinks.Delta {
	d := c.groups[group]
	if d == nil {
		d = sinks.NewDelta()
		if c.series {
			d.CountSeries()
		}
		c.groups[group] = d
	}
	return d
}

// reset empties c. It keeps the memory of the groups that were in use.
func (c *counts) reset() {
	used := map[int]bool{}
	for s := range c.ends {
		used[s.Group] = true
	}
	for group, d := range c.groups {
		if used[group] {
			d.Reset()
		} else {
			delete(c.groups, group)
		}
	}
	clear(c.ends)
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
	for _, w := range r.workers {
		w.before.reset()
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
	for _, group := range slices.Sorted(maps.Keys(ends)) {
		e := ledger.Epoch{Group: group, Ends: ends[group], Delta: r.merged(group)}
		if err := r.led.Commit(ctx, e); err != nil && !errors.Is(err, ledger.ErrFenced) {
			return fmt.Errorf("commit of group %d: %w", group, err)
		}
	}
	return nil
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

// merged adds up what the workers have counted of a group.
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
		}
	}
	return sum
}
