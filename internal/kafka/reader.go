package kafka

import (
	"context"
	"errors"
	"io"
	"maps"
	"slices"
	"sync"
	"time"

	kafka "github.com/segmentio/kafka-go"
	"github.com/segmentio/kafka-go/protocol"

	"github.com/flagwatch/flagwatch/internal/ledger"
	"github.com/flagwatch/flagwatch/internal/source"
)

// A Reader is the source.Source of topics. Next is for one caller at a time,
// all else may be called at any time.
type Reader struct {
	opt    Options
	c      *client
	member *member // nil: a bounded reading, without a group
	end    context.CancelFunc
	over   sync.WaitGroup

	again  chan struct{} // holds one: the member is to join again
	stir   chan struct{} // holds one: the dispatcher is to look
	news   chan struct{} // holds one: Next is to look
	commit sync.Mutex    // held while a commit is under way, before mu

	mu       sync.Mutex
	gens     map[int]*generation // by group; those that can still be committed
	groups   int                 // handed out
	claims   []*claim            // of the current generation, or of the bounded reading
	first    int                 // claim that the next fetch begins with
	flying   map[int]int         // fetches under way, by broker
	leaders  map[part]int
	known    time.Time // when the leaders were asked for; zero: ask again
	ready    []*chunk
	held     int       // bytes in ready
	space    sync.Cond // held became less, or nobody waits for the rest
	free     []*chunk
	texts    [][]byte // memory of carries
	blocks   [][]byte // memory of answers
	shapers  []*shaper
	err      error // why nothing follows
	renewed  time.Time
	stalls   int   // in a row, see guard
	progress int64 // Bytes at the last look of guard
	stopped  time.Time
	health   Health
	said     map[string]time.Time // troubles
	counters Counters
}

// Open connects, checks what the brokers speak and begins to read. An error
// comes within a few seconds when the brokers can not be used as configured.
// All tokens of its commits must begin with process, which is no other's.
// resolve is called when no commit of an earlier process with the same state
// can be applied any more; nil: there was none.
func Open(ctx context.Context, opt Options, process string, resolve func(context.Context, ledger.Offsets) error) (*Reader, error) {
	r, err := connect(ctx, opt)
	if err != nil {
		return nil, err
	}
	r.member = &member{
		opt: r.opt, c: r.c, r: r, process: process, seen: map[string]bool{}, resolve: resolve,
		long: &kafka.Client{Addr: r.c.api.Addr, Timeout: r.opt.Rebalance + r.opt.Timeout, Transport: r.c.transport},
	}
	r.start(func(ctx context.Context) { r.member.run(ctx) })
	return r, nil
}

// connect makes a Reader that reads nothing yet.
func connect(ctx context.Context, opt Options) (*Reader, error) {
	opt, err := opt.filled()
	if err != nil {
		return nil, err
	}
	r := &Reader{
		opt: opt, c: newClient(opt), again: make(chan struct{}, 1), stir: make(chan struct{}, 1), news: make(chan struct{}, 1),
		gens: map[int]*generation{}, said: map[string]time.Time{}, flying: map[int]int{}, texts: make([][]byte, 0, 2*maxFlying), blocks: make([][]byte, 0, 2*maxFlying),
	}
	r.space.L = &r.mu
	if err := r.probe(ctx); err != nil {
		r.c.close()
		return nil, err
	}
	r.c.met.Store(true)
	return r, nil
}

// probeTime is how long the first contact may take.
const probeTime = 4500 * time.Millisecond

// probe makes the mistakes of a configuration known at once, and waits a while
// for a cluster that is just being made.
func (r *Reader) probe(ctx context.Context) error {
	ctx, cancel := context.WithTimeout(ctx, probeTime)
	defer cancel()
	for {
		err := r.contact(ctx)
		if !isPassing(err) {
			return err
		}
		sleep(ctx, minPause)
		if ctx.Err() != nil {
			return err
		}
	}
}

// contact asks every leader, because its address is the one that the cluster
// advertises.
func (r *Reader) contact(ctx context.Context) error {
	if err := r.c.check(ctx); err != nil {
		return err
	}
	leaders, err := r.c.parts(ctx)
	if err != nil {
		return err
	}
	asked := map[int]bool{}
	var list []part
	for p, broker := range leaders {
		if !asked[broker] {
			asked[broker] = true
			list = append(list, p)
		}
	}
	if _, err := r.c.offsets(ctx, list, kafka.FirstOffset); err != nil {
		return err
	}
	if r.opt.Group == "" {
		return nil
	}
	_, err = r.c.fetchCommitted(ctx, list)
	if isUnready(err) {
		return nil // a coordinator that is just being made: joining waits for it
	}
	return err
}

// isPassing says whether an error is that of a cluster that elects leaders.
func isPassing(err error) bool {
	for _, passing := range [...]error{protocol.ErrNoLeader, kafka.LeaderNotAvailable, kafka.NotLeaderForPartition, kafka.BrokerNotAvailable, kafka.ReplicaNotAvailable} {
		if errors.Is(err, passing) {
			return true
		}
	}
	return false
}

func (r *Reader) start(work func(context.Context)) {
	ctx, cancel := context.WithCancel(context.Background())
	r.end = cancel
	r.over.Go(func() { work(ctx) })
	r.over.Go(func() { r.dispatch(ctx) })
}

// Close ends reading, and a dynamic membership. Nothing is committed any more.
func (r *Reader) Close() {
	r.end()
	r.mu.Lock()
	r.space.Broadcast()
	r.mu.Unlock()
	r.over.Wait()
	if r.member != nil {
		r.member.leave()
	}
	r.c.close()
}

// Next is Source's.
func (r *Reader) Next(ctx context.Context, b *source.Batch) error {
	for {
		if ctx.Err() != nil {
			r.stop()
			return ctx.Err()
		}
		ok, err := r.take(b)
		if ok || err != nil {
			return err
		}
		select {
		case <-r.news:
		case <-ctx.Done():
		}
	}
}

// stop notes that the run is ending: a commit is not tried for ever then.
func (r *Reader) stop() {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.stopped.IsZero() {
		r.stopped = time.Now()
	}
}

// take hands out the next chunk, if there is one.
func (r *Reader) take(b *source.Batch) (bool, error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	for len(r.ready) > 0 {
		k := r.pop()
		c := k.claim
		if c.closed {
			r.recycle(k)
			continue
		}
		k.fill(b, c.stream(k.at))
		c.handed = k.to
		r.counters.Bytes += b.Bytes()
		r.recycle(k)
		return true, nil
	}
	if r.err == nil && r.member == nil && !slices.ContainsFunc(r.claims, func(c *claim) bool { return !c.done }) {
		r.err = r.bounded()
	}
	return false, r.err
}

// pop takes the first chunk, and wakes those that waited for the room. mu is
// held.
func (r *Reader) pop() *chunk {
	k := r.ready[0]
	r.ready = r.ready[:copy(r.ready, r.ready[1:])]
	if r.held > maxHeld || k.claim.queued >= maxQueued {
		nudge(r.stir)
	}
	k.claim.queued--
	if r.held -= len(k.text); r.held <= maxHeld {
		r.space.Broadcast()
	}
	return k
}

// maxFree is how many chunks are kept for another fetch.
const maxFree = 8

// recycle keeps a chunk for another fetch. mu is held.
func (r *Reader) recycle(k *chunk) {
	if len(r.free) < maxFree && cap(k.text) <= 4*chunkSize {
		r.free = append(r.free, &chunk{text: k.text[:0]})
	}
}

// bounded is the end of a bounded reading.
func (r *Reader) bounded() error {
	var list []error
	for _, c := range r.claims {
		if c.status.Halted != "" {
			list = append(list, &source.InputError{Name: c.name(), Offset: c.next, Err: errors.New(c.status.Halted)})
		}
	}
	if len(list) > 0 {
		return errors.Join(list...)
	}
	return io.EOF
}

func nudge(c chan struct{}) {
	select {
	case c <- struct{}{}:
	default:
	}
}

// fail ends the reading for good.
func (r *Reader) fail(err error) {
	r.mu.Lock()
	if r.err == nil {
		r.err = err
	}
	r.mu.Unlock()
	nudge(r.news)
}

// begin makes a generation the current one.
func (r *Reader) begin(gen *generation) {
	r.mu.Lock()
	r.groups++
	gen.group = r.groups
	r.gens[gen.group] = gen
	r.claims = r.claims[:0]
	now := time.Now()
	for _, c := range gen.claims {
		c.status.Topic, c.status.Partition, c.status.LastSuccess = c.topic, c.id, now
		r.claims = append(r.claims, c)
	}
	slices.SortFunc(r.claims, func(a, b *claim) int { return compareParts(a.part, b.part) })
	r.known = time.Time{}
	r.counters.Rebalances++
	r.health.Joined, r.health.Trouble, r.health.Alive = true, "", now
	r.mu.Unlock()
	nudge(r.stir)
}

// revoke hands out nothing of a generation any more.
func (r *Reader) revoke(gen *generation) {
	r.mu.Lock()
	defer r.mu.Unlock()
	for _, c := range gen.claims {
		c.closed = true
	}
	r.claims = r.claims[:0]
	r.health.Joined = false
	r.space.Broadcast()
}

// drained says whether all that was handed out of a generation is committed.
func (r *Reader) drained(gen *generation) bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	for _, c := range gen.claims {
		if c.handed != c.begin && c.handed != c.owned && !c.gone {
			return false
		}
	}
	return true
}

// forget waits for the commit that is under way; after it nothing of the
// generation can be committed, although the coordinator might accept it: a
// member that joins again may get the same generation.
func (r *Reader) forget(gen *generation) {
	r.commit.Lock()
	defer r.commit.Unlock()
	gen.fenced.Store(true)
	r.mu.Lock()
	defer r.mu.Unlock()
	delete(r.gens, gen.group)
}

// alive notes a sign of life of the coordinator.
func (r *Reader) alive() {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.health.Alive, r.health.Trouble = time.Now(), ""
}

// sayAgain is after how long the same trouble is said again.
const sayAgain = time.Minute

// trouble notes what keeps the reading from going on, and says it now and then:
// several parts of it may be in trouble in turns. That it ends is none.
func (r *Reader) trouble(err error) {
	if errors.Is(err, context.Canceled) {
		return
	}
	text := err.Error()
	r.mu.Lock()
	r.health.Trouble = text
	now := time.Now()
	fresh := now.Sub(r.said[text]) > sayAgain
	if fresh {
		maps.DeleteFunc(r.said, func(_ string, at time.Time) bool { return now.Sub(at) > sayAgain })
		r.said[text] = now
	}
	r.mu.Unlock()
	if fresh {
		r.opt.Say(text)
	}
}
