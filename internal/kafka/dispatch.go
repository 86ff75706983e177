package kafka

import (
	"context"
	"fmt"
	"slices"
	"time"

	"github.com/flagwatch/flagwatch/internal/source"
)

const (
	maxFlying  = 2       // fetches of one broker at once, up to the end of their conversion
	maxQueued  = 6       // chunks of one partition that wait while it is fetched again
	maxHeld    = 2 << 20 // bytes that wait, of all partitions
	maxAsked   = 2 << 20 // bytes that fetches ask for, of all brokers at once
	leastAsked = 64 << 10
	leadersFor = 2 * time.Second
)

// dispatch starts a fetch for whatever may be fetched.
func (r *Reader) dispatch(ctx context.Context) {
	idle := time.NewTicker(50 * time.Millisecond)
	defer idle.Stop()
	for {
		if r.stale() {
			r.look(ctx)
			r.guard()
		}
		for {
			broker, list := r.wanted()
			if len(list) == 0 {
				break
			}
			r.over.Go(func() { r.fetch(ctx, broker, list) })
		}
		select {
		case <-ctx.Done():
			return
		case <-r.stir:
		case <-idle.C:
		}
	}
}

func (r *Reader) stale() bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	return len(r.claims) > 0 && time.Since(r.known) > leadersFor
}

// look asks who leads the partitions; kafka-go answers from its memory.
func (r *Reader) look(ctx context.Context) {
	leaders, err := r.c.parts(ctx)
	r.mu.Lock()
	r.known = time.Now()
	if err == nil {
		r.leaders = leaders
	}
	r.mu.Unlock()
	if err != nil && ctx.Err() == nil {
		r.trouble(err)
	}
}

// wanted returns partitions of one broker that are to be fetched together, and
// marks them as busy. They begin with another one each time.
func (r *Reader) wanted() (broker int, list []wish) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.held > maxHeld || len(r.claims) == 0 {
		return 0, nil
	}
	now := time.Now()
	r.first++
	of := map[int][]wish{}
	for i := range r.claims {
		c := r.claims[(r.first+i)%len(r.claims)]
		leader, known := r.leaders[c.part]
		if !known || r.flying[leader] >= maxFlying || !c.open(now) {
			continue
		}
		of[leader] = append(of[leader], wish{claim: c, from: c.want})
	}
	for leader, mine := range of {
		broker, list = leader, mine[:(len(mine)+1)/2]
		break
	}
	for _, w := range list {
		w.busy = true
	}
	if len(list) > 0 {
		r.flying[broker]++
	}
	return broker, list
}

// open says whether there is something to fetch. The reader's lock is held.
func (c *claim) open(now time.Time) bool {
	switch {
	case c.busy, c.done, c.closed, c.gone, c.status.Halted != "", c.queued >= maxQueued, now.Before(c.after):
		return false
	}
	return c.until < 0 || c.want < c.until
}

// asked is how many bytes a fetch asks for. mu is held.
func (r *Reader) asked() int {
	brokers := map[int]bool{}
	for _, leader := range r.leaders {
		brokers[leader] = true
	}
	return min(r.opt.MaxBytes, max(leastAsked, maxAsked/maxFlying/max(1, len(brokers))))
}

// maxStalls is how often in a row guard may find a bounded reading held up; it
// is what a member is for to wait for ever.
const maxStalls = 4

// guard makes all connections anew when a partition could not be fetched for
// long: whatever it is that holds it up may be in them. Where the brokers are
// is asked from the beginning then.
func (r *Reader) guard() {
	limit := 3 * r.opt.Timeout
	r.mu.Lock()
	i := slices.IndexFunc(r.claims, func(c *claim) bool {
		return !c.done && c.status.Halted == "" && time.Since(c.status.LastSuccess) > limit
	})
	due := i >= 0 && time.Since(r.renewed) > limit
	if i < 0 || r.counters.Bytes > r.progress {
		r.stalls, r.progress = 0, r.counters.Bytes
	}
	if due {
		r.renewed = time.Now()
		r.counters.Stalls++
		r.stalls++
	}
	if due && r.member == nil && r.stalls > maxStalls && r.err == nil {
		c := r.claims[i]
		r.err = &source.InputError{Name: c.name(), Offset: c.next, Err: fmt.Errorf("given up after %v without an answer: %s", time.Since(c.status.LastSuccess).Round(time.Second), r.health.Trouble)}
	}
	r.mu.Unlock()
	if due {
		r.c.transport.CloseIdleConnections()
		r.opt.Say("no answer for long; connecting anew")
		nudge(r.news)
	}
}
