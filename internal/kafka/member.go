package kafka

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"net"
	"slices"
	"strconv"
	"time"

	kafka "github.com/segmentio/kafka-go"

	"github.com/flagwatch/flagwatch/internal/ledger"
)

// A member keeps the process in its group, and the reader reading what it owns.
type member struct {
	opt     Options
	c       *client
	long    *kafka.Client // for requests that wait for other members
	r       *Reader
	process string // begins every token of this process
	id      string // "" before the first join

	coordinator net.Addr // of the heartbeats; nil: not known

	seen map[string]bool // topics that were there before; run's own

	// resolve is called once, when no commit of an earlier process can be
	// applied any more.
	resolve func(context.Context, ledger.Offsets) error
}

// run joins again and again, until ctx ends or the group can not be joined.
func (m *member) run(ctx context.Context) {
	for pause := minPause; ctx.Err() == nil; {
		gen, err := m.joinNow(ctx)
		if err != nil {
			if errors.Is(err, errFatal) {
				m.r.fail(err)
				return
			}
			m.r.trouble(err)
			m.rest(ctx, &pause)
			continue
		}
		pause = minPause
		m.remember(gen.known)
		m.r.begin(gen)
		m.keep(ctx, gen)
		m.r.revoke(gen)
		m.drain(ctx, gen)
		m.r.forget(gen)
	}
}

const minPause, maxPause = 100 * time.Millisecond, 2 * time.Second

func (m *member) rest(ctx context.Context, pause *time.Duration) {
	sleep(ctx, *pause)
	*pause = min(2**pause, maxPause)
}

func sleep(ctx context.Context, d time.Duration) {
	t := time.NewTimer(d)
	defer t.Stop()
	select {
	case <-t.C:
	case <-ctx.Done():
	}
}

func (m *member) joinNow(ctx context.Context) (*generation, error) {
	gen, err := m.join(ctx)
	if err != nil {
		return nil, err
	}
	if m.resolve != nil {
		if err := m.resolve(ctx, m.r); err != nil {
			return nil, err
		}
		m.resolve = nil
	}
	return gen, nil
}

// keep sends heartbeats until the generation is over.
func (m *member) keep(ctx context.Context, gen *generation) {
	every := min(3*time.Second, m.opt.Session/6)
	tick := time.NewTicker(every)
	defer tick.Stop()
	watched := time.Now()
	for {
		select {
		case <-ctx.Done():
			return
		case <-m.r.again:
			return
		case <-tick.C:
		}
		err := m.heartbeat(ctx, gen)
		switch {
		case err == nil:
			m.r.alive()
		case errors.Is(err, kafka.RebalanceInProgress):
			return
		case errors.Is(err, kafka.IllegalGeneration), errors.Is(err, kafka.UnknownMemberId):
			gen.fenced.Store(true)
			m.lost(err)
			return
		case errors.Is(err, kafka.FencedInstanceID):
			gen.fenced.Store(true)
			m.r.fail(m.lost(err))
			return
		default:
			m.r.trouble(m.c.explain(err))
		}
		if time.Since(watched) > partitionsEvery {
			watched = time.Now()
			if m.changed(ctx, gen) {
				return
			}
		}
	}
}

// partitionsEvery is how often a member looks for new partitions.
const partitionsEvery = 5 * time.Second

// changed says whether there are other partitions than at the last rebalance.
// Every member joins again then; that of the leader makes a new generation.
func (m *member) changed(ctx context.Context, gen *generation) bool {
	now, err := m.c.parts(ctx)
	if err != nil {
		return false
	}
	return !slices.EqualFunc(slices.SortedFunc(maps.Keys(now), compareParts), slices.SortedFunc(maps.Keys(gen.known), compareParts),
		func(a, b part) bool { return a == b })
}

// heartbeat works around two faults of kafka-go 0.4.51: see misread, and it
// sends a heartbeat to any broker, so the coordinator's address is given.
func (m *member) heartbeat(ctx context.Context, gen *generation) error {
	if m.coordinator == nil {
		r, err := m.c.api.FindCoordinator(ctx, &kafka.FindCoordinatorRequest{Key: m.opt.Group, KeyType: kafka.CoordinatorKeyTypeConsumer})
		if err == nil {
			err = r.Error
		}
		if err != nil {
			return err
		}
		m.coordinator = kafka.TCP(net.JoinHostPort(r.Coordinator.Host, strconv.Itoa(r.Coordinator.Port)))
	}
	r, err := m.c.api.Heartbeat(ctx, &kafka.HeartbeatRequest{
		Addr: m.coordinator, GroupID: m.opt.Group, GenerationID: int32(gen.id), MemberID: gen.member, GroupInstanceID: gen.instance,
	})
	if err == nil {
		err = misread(r.Error, r.Throttle)
	}
	if err != nil {
		m.coordinator = nil
	}
	return err
}

// misread returns the error of an answer of which kafka-go 0.4.51 reads the
// error and the throttle time in the wrong order: the error stands in the lower
// half of the number of milliseconds.
func misread(err error, throttle time.Duration) error {
	if code := int16(throttle.Milliseconds() & 0xffff); err == nil && code != 0 {
		return kafka.Error(code)
	}
	return err
}

// drain waits until all that was handed out is committed, for a while.
func (m *member) drain(ctx context.Context, gen *generation) {
	limit := time.Now().Add(min(m.opt.Rebalance/2, drainTime))
	for time.Now().Before(limit) && ctx.Err() == nil && !gen.fenced.Load() && !m.r.drained(gen) {
		sleep(ctx, 10*time.Millisecond)
	}
}

const drainTime = 3 * time.Second

// remember notes the topics that there are by now.
func (m *member) remember(known map[part]int) {
	for p := range known {
		m.seen[p.topic] = true
	}
}

// leaveTime is how long leaving is tried.
const leaveTime = 2 * time.Second

// leave tells the coordinator that a dynamic member is gone; a static one
// stays, so that its restart is none of the others' business. It is a courtesy:
// nothing is lost when it fails, but the others wait for the partitions.
func (m *member) leave() {
	if m.opt.InstanceID != "" || m.id == "" {
		return
	}
	ctx, cancel := context.WithTimeout(context.Background(), leaveTime)
	defer cancel()
	var failed error
	for pause := minPause; ctx.Err() == nil; pause *= 2 {
		err := m.leaveOnce(ctx)
		if err == nil {
			return
		}
		if slow, ok := errors.AsType[net.Error](err); failed == nil || !ok || !slow.Timeout() {
			failed = err // not that the time is over
		}
		sleep(ctx, pause)
	}
	m.opt.Say(fmt.Sprintf("group %s could not be left: its partitions stay without a reader until the session ends, for up to %v: %v", m.opt.Group, m.opt.Session, m.c.explain(failed)))
}

func (m *member) leaveOnce(ctx context.Context) error {
	r, err := m.c.api.LeaveGroup(ctx, &kafka.LeaveGroupRequest{GroupID: m.opt.Group, Members: []kafka.LeaveGroupRequestMember{{ID: m.id}}})
	if err == nil {
		err = misread(r.Error, r.Throttle)
	}
	if err == nil {
		err = r.Members[0].Error
	}
	if errors.Is(err, kafka.UnknownMemberId) {
		return nil // it is gone already
	}
	return err
}
