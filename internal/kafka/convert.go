package kafka

import (
	"context"
	"fmt"
	"slices"
	"time"

	"github.com/flagwatch/flagwatch/parser"
)

// A conversion makes chunks of what was fetched of one partition, batch by
// batch: it waits when too much waits to be counted, so that what is
// decompressed is bounded.
type conversion struct {
	ctx     context.Context
	r       *Reader
	c       *claim
	shaper  *shaper
	next    int64 // offset behind what was seen
	sent    int64 // offset behind what is in chunks
	moved   bool  // a batch was seen, be it empty
	over    bool  // nobody wants it any more
	aborted []abortion
	active  map[int64]bool // producers in a transaction that was given up
	cut     bool           // of the next chunk
	excess  int64          // likewise
	control int64
	dropped int64 // records of given-up transactions
}

// convert takes over what arrived of a partition. alone says that nothing came
// of another: a batch that is cut off then can not be had.
func (r *Reader) convert(ctx context.Context, c *claim, p *fetched, alone bool) {
	r.mu.Lock()
	c.status.LogStart, c.status.HighWatermark, c.status.LastSuccess = p.logStart, p.stable, time.Now()
	r.mu.Unlock()
	v := r.conversion(ctx, c, p)
	err := v.all(p, alone)
	if err == nil {
		v.finish(p)
	}
	r.done(v)
	if err != nil && !v.over {
		r.undecodable(ctx, c, err)
	}
}

func (r *Reader) conversion(ctx context.Context, c *claim, p *fetched) *conversion {
	r.mu.Lock()
	defer r.mu.Unlock()
	v := &conversion{ctx: ctx, r: r, c: c, next: c.next, sent: c.next, aborted: p.aborted}
	if len(c.carry.marks) > 0 {
		v.sent = c.carry.from
	}
	if n := len(r.shapers); n > 0 {
		v.shaper, r.shapers = r.shapers[n-1], r.shapers[:n-1]
	} else {
		v.shaper = newShaper(r.opt.MessageKey)
	}
	if n := len(r.texts); n > 0 {
		c.carry.move(r.texts[n-1])
		r.texts = r.texts[:n-1]
	} else if len(p.log) >= chunkSize/4 && cap(c.carry.text) < textSize {
		c.carry.move(make([]byte, 0, textSize))
	}
	return v
}

// done ends a conversion.
func (r *Reader) done(v *conversion) {
	r.mu.Lock()
	defer r.mu.Unlock()
	c := v.c
	r.shapers = append(r.shapers, v.shaper)
	if text := c.carry.shrink(); text != nil && len(r.texts) < cap(r.texts) {
		r.texts = append(r.texts, text)
	}
	if c.closed || v.over {
		return
	}
	r.counters.ControlRecords += v.control
	r.counters.Aborted += v.dropped
	if v.next > c.next {
		c.next, c.fails = v.next, 0
	}
	c.done = c.until >= 0 && c.next >= c.until
}

// all reads the batches in their order.
func (v *conversion) all(p *fetched, alone bool) error {
	if p.tooLarge {
		return errTooLarge
	}
	for log := p.log; len(log) > 0 && !v.over; {
		whole, rest, err := cutBatch(log)
		if err == errCut {
			if v.moved || !alone {
				return nil // the rest comes with the next fetch
			}
			return err
		}
		if err == nil {
			err = v.batch(whole)
		}
		if err != nil {
			return err
		}
		log = rest
	}
	return nil
}

func (v *conversion) batch(whole []byte) error {
	b, err := parseBatch(whole)
	if err != nil {
		return err
	}
	v.activate(b.base)
	if b.next <= v.next {
		return nil
	}
	body, err := v.shaper.batch.unpack(b.attributes&codecBits, b.body)
	if err != nil {
		return err
	}
	skip := b.attributes&transactional != 0 && v.active[b.producer]
	err = b.records(body, &v.shaper.rec, func(rec *record) error {
		switch {
		case b.attributes&control != 0:
			return v.marker(&b, rec)
		case rec.offset < v.next || v.over || v.c.until >= 0 && rec.offset >= v.c.until:
		case skip:
			v.dropped++
		default:
			v.record(rec)
		}
		return nil
	})
	if err == nil {
		v.next, v.moved = max(v.next, b.next), true
		if v.c.until >= 0 {
			v.next = min(v.next, v.c.until)
		}
	}
	return err
}

// marker ends a transaction.
// https://kafka.apache.org/documentation/#controlbatch
func (v *conversion) marker(b *batch, rec *record) error {
	if len(rec.key) < 4 {
		return fmt.Errorf("%w: a marker has no kind", errDamaged)
	}
	if kind := int(rec.key[2])<<8 | int(rec.key[3]); kind == abortMark {
		delete(v.active, b.producer)
	}
	v.control++
	return nil
}

// activate begins the given-up transactions that begin before an offset. They
// come in the order of their first offsets.
func (v *conversion) activate(offset int64) {
	for len(v.aborted) > 0 && v.aborted[0].first <= offset {
		if v.active == nil {
			v.active = map[int64]bool{}
		}
		v.active[v.aborted[0].producer] = true
		v.aborted = v.aborted[1:]
	}
}

func (v *conversion) record(rec *record) {
	text, at := v.shaper.shape(rec)
	v.next, v.moved = rec.offset+1, true
	k := &v.c.carry
	k.add(at, rec.offset, v.emit)
	if long := longLine(text); long >= 0 {
		v.oversize(text, long)
		return
	}
	k.text = append(k.text, text...)
	k.end(v.next, v.emit)
}

// emit makes a chunk of the first bytes of a carry.
func (v *conversion) emit(k *carry, end int, to int64) {
	n := v.r.blank()
	n.claim, n.at, n.from, n.to = v.c, k.at, k.from, to
	n.cut, n.discarded = v.cut, v.excess
	v.cut, v.excess = false, 0
	n.text = k.cut(end, n.text)
	v.put(n)
}

// put hands a chunk over to Next, when there is room for it.
func (v *conversion) put(k *chunk) {
	r := v.r
	r.mu.Lock()
	defer r.mu.Unlock()
	for r.held > maxHeld && !v.c.closed && v.ctx.Err() == nil {
		r.space.Wait()
	}
	if v.c.closed || v.ctx.Err() != nil {
		v.over = true
		r.recycle(k)
		return
	}
	v.sent = k.to
	v.c.queued++
	r.held += len(k.text)
	r.ready = append(r.ready, k)
	nudge(r.news)
}

// finish decides what is still to wait for, and takes the offsets along that
// hold nothing.
func (v *conversion) finish(p *fetched) {
	c := v.c
	if c.until >= 0 && p.stable <= v.next && v.next < c.until {
		v.next = c.until // what is left of the range are markers
	}
	if !v.moved || v.next >= p.stable || c.until >= 0 && v.next >= c.until {
		c.carry.flush(v.emit)
	} else {
		c.carry.emit(false, v.emit)
	}
	if len(c.carry.marks) > 0 || v.next == v.sent || v.over {
		return
	}
	k := v.r.blank()
	k.claim, k.at, k.from, k.to, k.cut, k.discarded = c, place{}, v.sent, v.next, false, 0
	k.text = slices.Grow(k.text[:0], parser.Padding)
	v.put(k)
}

// flush hands out what waits for more, because nothing more will come.
func (r *Reader) flush(ctx context.Context, c *claim) {
	v := &conversion{ctx: ctx, r: r, c: c}
	c.carry.flush(v.emit)
}

// blank returns a chunk without text.
func (r *Reader) blank() *chunk {
	r.mu.Lock()
	defer r.mu.Unlock()
	if n := len(r.free); n > 0 {
		k := r.free[n-1]
		r.free = r.free[:n-1]
		return k
	}
	return new(chunk)
}

// block returns memory for an answer.
func (r *Reader) block(n int) []byte {
	r.mu.Lock()
	defer r.mu.Unlock()
	for i, b := range r.blocks {
		if cap(b) >= n {
			last := len(r.blocks) - 1
			r.blocks[i], r.blocks = r.blocks[last], r.blocks[:last]
			return b
		}
	}
	if len(r.blocks) == cap(r.blocks) {
		r.blocks = r.blocks[:len(r.blocks)-1] // one that is too small makes place
	}
	return make([]byte, 0, (n+blockStep-1)/blockStep*blockStep)
}

// blockStep makes the memory of one answer fit the next one.
const blockStep = 64 << 10

// giveBack takes the memory of an answer for the next one.
func (r *Reader) giveBack(res *response) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if len(r.blocks) < cap(r.blocks) && cap(res.memory) <= maxKept {
		r.blocks = append(r.blocks, res.memory[:0])
	}
}
