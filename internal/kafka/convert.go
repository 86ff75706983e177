package kafka

import (
	"context"
	"errors"
	"io"
	"time"

	"github.com/segmentio/kafka-go/protocol"
	"github.com/segmentio/kafka-go/protocol/fetch"
)

// A conversion makes chunks of what was fetched of one partition.
type conversion struct {
	r       *Reader
	c       *claim
	shaper  *shaper
	next    int64 // offset behind what was seen
	moved   bool  // a batch was seen, be it empty
	base    int64 // of the last batch; -1: there is none
	aborted []fetch.ResponseTransaction
	active  map[int64]bool // producers in a transaction that was given up
	chunks  []*chunk
	size    int // of the texts
	control int64
	dropped int64 // records of given-up transactions
}

// convert takes over what arrived of a partition, and returns how much text it
// was.
func (r *Reader) convert(ctx context.Context, c *claim, p *fetch.ResponsePartition) int {
	v := &conversion{r: r, c: c, shaper: r.shaper(), next: c.next, base: -1, aborted: p.AbortedTransactions}
	r.lend(&c.carry)
	err := v.all(p.RecordSet.Records)
	if err == nil {
		if v.next == c.next && v.base >= 0 && v.next < p.LastStableOffset {
			v.next = r.behind(ctx, c, v.base, v.next, p.LastStableOffset)
		}
		v.finish(p)
	}
	r.mu.Lock()
	r.shapers = append(r.shapers, v.shaper)
	r.takeBack(&c.carry)
	r.mu.Unlock()
	if err != nil {
		r.undecodable(ctx, c, err)
		return 0
	}
	r.enqueue(v, p)
	return v.size
}

func (r *Reader) shaper() *shaper {
	r.mu.Lock()
	defer r.mu.Unlock()
	if n := len(r.shapers); n > 0 {
		s := r.shapers[n-1]
		r.shapers = r.shapers[:n-1]
		return s
	}
	return newShaper(r.opt.MessageKey)
}

// all reads the batches in their order.
func (v *conversion) all(records protocol.RecordReader) error {
	stream, ok := records.(*protocol.RecordStream)
	if !ok {
		return nil
	}
	for _, batch := range stream.Records {
		if err := v.batch(batch); err != nil {
			return err
		}
	}
	return nil
}

func (v *conversion) batch(batch protocol.RecordReader) error {
	skip := false
	switch b := batch.(type) {
	case *protocol.ControlBatch:
		return v.marker(b)
	case *protocol.RecordBatch:
		v.empty(b.BaseOffset)
		v.activate(b.BaseOffset)
		skip = b.Attributes.Transactional() && v.active[b.ProducerID]
	}
	for {
		rec, err := batch.ReadRecord()
		if err == io.EOF {
			return nil
		}
		if err != nil {
			return err
		}
		err = v.record(rec, skip)
		closeRecord(rec)
		if err != nil {
			return err
		}
	}
}

// empty takes note of a batch: what lies between two batches is nothing.
func (v *conversion) empty(base int64) {
	v.base = base
	if base > v.next {
		v.next, v.moved = base, true
	}
}

// marker ends a transaction. A control batch holds one record.
func (v *conversion) marker(b *protocol.ControlBatch) error {
	v.activate(b.BaseOffset)
	for {
		rec, err := b.ReadControlRecord()
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			return err
		}
		if rec.Type == 0 {
			delete(v.active, b.ProducerID)
		}
	}
	if b.BaseOffset >= v.next {
		v.next, v.moved = b.BaseOffset+1, true
		v.control++
	}
	return nil
}

// activate begins the given-up transactions that begin before an offset. They
// come in the order of their first offsets.
func (v *conversion) activate(offset int64) {
	for len(v.aborted) > 0 && v.aborted[0].FirstOffset <= offset {
		if v.active == nil {
			v.active = map[int64]bool{}
		}
		v.active[v.aborted[0].ProducerID] = true
		v.aborted = v.aborted[1:]
	}
}

func (v *conversion) record(rec *protocol.Record, skip bool) error {
	c := v.c
	if rec.Offset < v.next || c.until >= 0 && rec.Offset >= c.until {
		return nil
	}
	v.moved = true
	if skip {
		v.dropped++
		v.next = rec.Offset + 1
		return nil
	}
	text, at, err := v.shaper.shape(rec)
	if err != nil {
		return err
	}
	v.next = rec.Offset + 1
	v.size += len(text)
	k := &c.carry
	k.add(at, rec.Offset, v.emit)
	if long := longLine(text); long >= 0 {
		v.oversize(text, long)
		return nil
	}
	k.text = append(k.text, text...)
	k.end(v.next, v.emit)
	return nil
}

func closeRecord(rec *protocol.Record) {
	if rec.Key != nil {
		rec.Key.Close()
	}
	if rec.Value != nil {
		rec.Value.Close()
	}
}

// release gives the memory of a response back.
func release(res *fetch.Response) {
	for i := range res.Topics {
		for j := range res.Topics[i].Partitions {
			stream, ok := res.Topics[i].Partitions[j].RecordSet.Records.(*protocol.RecordStream)
			if !ok {
				continue
			}
			for _, batch := range stream.Records {
				for rec, err := batch.ReadRecord(); err == nil; rec, err = batch.ReadRecord() {
					closeRecord(rec)
				}
			}
		}
	}
}

// emit makes a chunk of the first bytes of a carry.
func (v *conversion) emit(k *carry, end int, to int64) {
	n := v.r.blank()
	n.claim, n.at, n.from, n.to = v.c, k.at, k.from, to
	n.text = padded(n.text, k.text[:end])
	v.chunks = append(v.chunks, n)
}

// finish decides what is still to wait for, and takes the offsets along that
// hold nothing.
func (v *conversion) finish(p *fetch.ResponsePartition) {
	c := v.c
	if c.until >= 0 && p.LastStableOffset <= v.next && v.next < c.until {
		v.next = c.until // what is left of the range are markers
	}
	if !v.moved || v.next >= p.LastStableOffset || c.until >= 0 && v.next >= c.until {
		c.carry.flush(v.emit)
	} else {
		c.carry.emit(false, v.emit)
	}
	if len(c.carry.marks) > 0 || v.next == c.next {
		return
	}
	if n := len(v.chunks); n > 0 {
		v.chunks[n-1].to = v.next
		return
	}
	k := v.r.blank()
	k.claim, k.from, k.to = c, c.next, v.next
	k.text = padded(k.text, nil)
	v.chunks = append(v.chunks, k)
}

// lend gives a carry memory for its text; most partitions need none of their
// own most of the time.
func (r *Reader) lend(k *carry) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if n := len(r.texts); k.text == nil && n > 0 {
		k.text, r.texts = r.texts[n-1], r.texts[:n-1]
	}
}

// takeBack is for a carry that is empty. mu is held.
func (r *Reader) takeBack(k *carry) {
	if len(k.text) > 0 {
		return
	}
	if len(r.texts) < 2*maxFlying && cap(k.text) <= 4*chunkSize {
		r.texts = append(r.texts, k.text)
	}
	k.text = nil
}

// flush hands out what waits for more, because nothing more will come.
func (r *Reader) flush(c *claim) {
	v := &conversion{r: r, c: c, next: c.next}
	c.carry.flush(v.emit)
	r.mu.Lock()
	defer r.mu.Unlock()
	r.queue(v)
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

// queue makes the chunks ready. mu is held.
func (r *Reader) queue(v *conversion) {
	if v.c.closed {
		return
	}
	for _, k := range v.chunks {
		v.c.queued++
		r.held += len(k.text)
		r.ready = append(r.ready, k)
	}
}

// enqueue hands the chunks over to Next.
func (r *Reader) enqueue(v *conversion, p *fetch.ResponsePartition) {
	r.mu.Lock()
	defer r.mu.Unlock()
	c := v.c
	c.fails, c.alone = 0, false
	c.status.LogStart, c.status.HighWatermark, c.status.LastSuccess = p.LogStartOffset, p.LastStableOffset, time.Now()
	if c.closed {
		return
	}
	r.counters.ControlRecords += v.control
	r.counters.Aborted += v.dropped
	c.next = v.next
	r.queue(v)
	c.done = c.until >= 0 && c.next >= c.until
}
