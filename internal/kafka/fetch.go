package kafka

import (
	"context"
	"fmt"
	"time"

	kafka "github.com/segmentio/kafka-go"
	"github.com/segmentio/kafka-go/protocol/fetch"
)

// fetch fetches partitions of one broker once.
func (r *Reader) fetch(ctx context.Context, broker int, list []wish) {
	res, err := r.request(ctx, list)
	switch {
	case ctx.Err() != nil:
	case err != nil:
		r.failed(list, err)
	default:
		r.receive(ctx, list, res)
	}
	r.mu.Lock()
	for _, w := range list {
		if !w.freed {
			w.busy = false
		}
	}
	r.flying[broker]--
	r.mu.Unlock()
	nudge(r.stir)
	nudge(r.news)
}

// request asks one broker for several partitions.
func (r *Reader) request(ctx context.Context, list []wish) (*response, error) {
	ctx, cancel := context.WithTimeout(ctx, r.opt.Timeout)
	defer cancel()
	req := &fetchRequest{block: r.block, Request: fetch.Request{
		ReplicaID: -1, MaxWaitTime: int32(r.opt.MaxWait.Milliseconds()), MinBytes: 1,
		IsolationLevel: int8(kafka.ReadCommitted), SessionID: -1, SessionEpoch: -1,
	}}
	r.mu.Lock()
	req.MaxBytes = int32(r.asked())
	r.mu.Unlock()
	for _, w := range list {
		n := len(req.Topics)
		if n == 0 || req.Topics[n-1].Topic != w.topic {
			req.Topics = append(req.Topics, fetch.RequestTopic{Topic: w.topic})
			n++
		}
		t := &req.Topics[n-1]
		t.Partitions = append(t.Partitions, fetch.RequestPartition{
			Partition: int32(w.id), CurrentLeaderEpoch: -1, FetchOffset: w.from, LogStartOffset: -1, PartitionMaxBytes: req.MaxBytes,
		})
	}
	m, err := r.c.transport.RoundTrip(ctx, r.c.api.Addr, req)
	if err != nil {
		return nil, err
	}
	res := m.(*response)
	if res.code != 0 {
		return nil, kafka.Error(res.code)
	}
	return res, nil
}

// failed is told that a whole request failed.
func (r *Reader) failed(list []wish, err error) {
	r.mu.Lock()
	r.known = time.Time{}
	for _, w := range list {
		w.after = time.Now().Add(minPause)
	}
	r.mu.Unlock()
	r.trouble(r.c.explain(err))
}

// refused is told that a broker will not give a partition's records.
func (r *Reader) refused(ctx context.Context, c *claim, err kafka.Error) {
	r.mu.Lock()
	r.known = time.Time{}
	c.after = time.Now().Add(minPause)
	r.mu.Unlock()
	switch err {
	case kafka.OffsetOutOfRange:
		r.outOfRange(ctx, c)
	case kafka.NotLeaderForPartition, kafka.LeaderNotAvailable, kafka.FencedLeaderEpoch, kafka.UnknownLeaderEpoch, kafka.ReplicaNotAvailable, kafka.KafkaStorageError:
		// the leader moves; the next look finds it
	default:
		r.trouble(fmt.Errorf("%s: %w", c.name(), r.c.explain(err)))
	}
}

// outOfRange finds out what became of the offset that is not there any more.
func (r *Reader) outOfRange(ctx context.Context, c *claim) {
	r.mu.Lock()
	over := c.closed
	r.mu.Unlock()
	if over {
		return
	}
	list := []part{c.part}
	if r.member != nil {
		have, err := r.c.fetchCommitted(ctx, list)
		if err != nil {
			r.trouble(err)
			return
		}
		if r.recreated(c, have[c.part]) {
			return
		}
	}
	first, err := r.c.offsets(ctx, list, kafka.FirstOffset)
	if err != nil {
		r.trouble(err)
		return
	}
	last, err := r.c.offsets(ctx, list, kafka.LastOffset)
	if err != nil {
		r.trouble(err)
		return
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	switch at := c.next; {
	case at < first[c.part]:
		r.lose(c, Retention, first[c.part]-at, first[c.part])
	case at > last[c.part]:
		r.lose(c, Truncated, at-last[c.part], last[c.part])
	}
}

// lose counts offsets that will never be read, and goes on at another place.
// What was revoked meanwhile is its next owner's to count. mu is held.
func (r *Reader) lose(c *claim, why Loss, n, next int64) {
	if c.closed {
		return
	}
	r.counters.Lost[why] += n
	c.next, c.fails = next, 0
	c.after = time.Time{}
	go r.opt.Say(fmt.Sprintf("%s: offsets lost: %d (%s); going on at %d", c.name(), n, why, next))
}

// recreated looks whether the group's offset is gone although it was there: a
// broker drops it together with its topic. The reading begins anew then, and
// what was handed out and not committed is dropped: it may be of either topic.
func (r *Reader) recreated(c *claim, have committed) bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	if !c.gone && (have.offset >= 0 || c.owned < 0) {
		return false
	}
	if !c.gone {
		c.gone, c.closed = true, true
		r.counters.Lost[Recreated] += max(0, c.next-c.owned)
		go r.opt.Say(fmt.Sprintf("%s: the topic was deleted and made again; reading it from its first record", c.name()))
	}
	nudge(r.again)
	return true
}

// undecodable is told that a partition alone can not be decoded. Three times
// in a row is no accident.
func (r *Reader) undecodable(ctx context.Context, c *claim, err error) {
	r.mu.Lock()
	c.fails++
	fails, at := c.fails, c.next
	r.mu.Unlock()
	if fails < 3 {
		return
	}
	if r.opt.Poison == Halt {
		r.flush(ctx, c)
		r.mu.Lock()
		c.status.Halted = fmt.Sprintf("the records from offset %d on can not be decoded: %s", at, err)
		c.done = r.member == nil
		r.mu.Unlock()
		r.opt.Say(c.name() + ": " + c.status.Halted + "; --on-poison skip goes on behind them")
		return
	}
	r.skip(ctx, c, at)
}

// skip goes on at the first offset behind at that can be decoded.
func (r *Reader) skip(ctx context.Context, c *claim, at int64) {
	last, err := r.c.offsets(ctx, []part{c.part}, kafka.LastOffset)
	if err != nil {
		r.trouble(err)
		return
	}
	good := search(at, last[c.part], func(offset int64) bool {
		return r.readable(ctx, c, offset) != nil
	})
	if ctx.Err() != nil {
		return
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	r.lose(c, Poisoned, good-at, good)
}

// search returns the first offset in (at, limit] that is not like the one at
// at; limit when there is none. Like ones are next to each other.
func search(at, limit int64, like func(int64) bool) int64 {
	for step := int64(1); at+step < limit; step *= 2 {
		if !like(at + step) {
			limit = at + step
			break
		}
		at += step
	}
	for at+1 < limit {
		if mid := at + (limit-at)/2; like(mid) {
			at = mid
		} else {
			limit = mid
		}
	}
	return limit
}

// readable fetches what stands at an offset, and returns why it can not be
// decoded.
func (r *Reader) readable(ctx context.Context, c *claim, offset int64) error {
	probe := []wish{{claim: &claim{part: c.part}, from: offset}}
	for ctx.Err() == nil {
		res, err := r.request(ctx, probe)
		if err == nil && len(res.parts) == 1 && res.parts[0].code == 0 {
			err = res.parts[0].check()
			r.giveBack(res)
			return err
		}
		sleep(ctx, minPause)
	}
	return ctx.Err()
}

// check decodes the first batch.
func (p *fetched) check() error {
	if p.tooLarge {
		return errTooLarge
	}
	if len(p.log) == 0 {
		return nil
	}
	whole, _, err := cutBatch(p.log)
	if err != nil {
		return err
	}
	b, err := parseBatch(whole)
	if err != nil {
		return err
	}
	body, err := new(unpacker).unpack(b.attributes&codecBits, b.body)
	if err != nil {
		return err
	}
	return b.records(body, new(record), func(*record) error { return nil })
}
