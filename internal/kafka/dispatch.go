package kafka

import (
	"context"
	"slices"
	"time"
)

const (
	maxFlying  = 2       // fetches of one broker at once
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
func (r *Reader) wanted() (broker int, list []*claim) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.held > maxHeld || len(r.claims) == 0 {
		return 0, nil
	}
	now := time.Now()
	r.turn++
	of := map[int][]*claim{}
	for i := range r.claims {
		c := r.claims[(r.turn+i)%len(r.claims)]
		leader, known := r.leaders[c.part]
		if c.busy || c.done || c.closed || c.gone || c.status.Halted != "" || c.queued >= maxQueued || now.Before(c.after) || !known || r.flying[leader] >= maxFlying {
			continue
		}
		of[leader] = append(of[leader], c)
	}
	for leader, mine := range of {
		broker, list = leader, mine[:(len(mine)+1)/2]
		break
	}
	for _, c := range list {
		c.busy = true
	}
	if len(list) > 0 {
		r.flying[broker]++
	}
	return broker, list
}

// asked is how many bytes a fetch asks for. mu is held.
func (r *Reader) asked() int {
	brokers := map[int]bool{}
	for _, leader := range r.leaders {
		brokers[leader] = true
	}
	return min(r.opt.MaxBytes, max(leastAsked, maxAsked/maxFlying/max(1, len(brokers))))
}

// guard makes all connections anew when a partition could not be fetched for
// long: whatever it is that holds it up may be in them. Where the brokers are
// is asked from the beginning then.
func (r *Reader) guard() {
	limit := 3 * r.opt.Timeout
	r.mu.Lock()
	stalled := slices.ContainsFunc(r.claims, func(c *claim) bool {
		return !c.done && c.status.Halted == "" && time.Since(c.status.LastSuccess) > limit
	})
	due := stalled && time.Since(r.renewed) > limit
	if due {
		r.renewed = time.Now()
		r.counters.Stalls++
	}
	r.mu.Unlock()
	if due {
		r.c.transport.CloseIdleConnections()
		r.opt.Say("no answer for long; connecting anew")
	}
}
