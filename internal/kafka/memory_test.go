package kafka

import (
	"fmt"
	"testing"
	"time"

	"github.com/twmb/franz-go/pkg/kfake"
	"github.com/twmb/franz-go/pkg/kgo"
	"github.com/twmb/franz-go/pkg/kmsg"

	"github.com/flagwatch/flagwatch/internal/source"
)

// TestHeldIsBounded demands that what waits to be counted stays within its
// bound, however small it was on its way and whoever does not fetch it.
func TestHeldIsBounded(t *testing.T) {
	const partitions, each = 20, 5000
	c := newCluster(t, kfake.SeedTopics(partitions, "access"))
	k, err := kgo.NewClient(kgo.SeedBrokers(c.addrs...), kgo.RecordPartitioner(kgo.ManualPartitioner()), kgo.ProducerBatchCompression(kgo.ZstdCompression()))
	if err != nil {
		t.Fatal(err)
	}
	defer k.Close()
	for id := range partitions * each {
		k.Produce(t.Context(), &kgo.Record{Topic: "access", Partition: int32(id % partitions), Value: []byte(line(200, "-", id))}, nil)
	}
	if err := k.Flush(t.Context()); err != nil {
		t.Fatal(err)
	}
	r, err := OpenRange(t.Context(), c.options("", "access"), Range{})
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	held := func() (n int) {
		r.mu.Lock()
		defer r.mu.Unlock()
		for _, b := range r.blocks {
			if n += cap(b); cap(b) > maxKept {
				t.Errorf("a block of %d bytes is kept", cap(b))
			}
		}
		if n > 2*maxFlying*maxKept {
			t.Errorf("blocks of %d bytes are kept", n)
		}
		return r.held
	}
	wait(t, "the bound", func() bool { return held() > maxHeld })
	records, most := 0, 0
	var b source.Batch
	for {
		most = max(most, held())
		if err := r.Next(t.Context(), &b); err != nil {
			break
		}
		for _, c := range b.Data {
			if c == '\n' {
				records++
			}
		}
	}
	if records != partitions*each || most > maxHeld+2*chunkSize {
		t.Errorf("%d records, want %d; %d bytes were held, want %d at most", records, partitions*each, most, maxHeld+2*chunkSize)
	}
}

// TestRecordsAllocateNothing demands that memory is used again: what a fetch
// costs does not grow with its records.
func TestRecordsAllocateNothing(t *testing.T) {
	var records []kmsg.Record
	for id := range 2000 {
		records = append(records, kmsg.Record{OffsetDelta: int32(id), Value: []byte(line(200, "-", id)), Headers: []kmsg.Header{{Key: "pod", Value: []byte("cart-1")}}})
	}
	for codec := range int16(5) {
		log := newBatch(t, 0, 1999, codec, true, records...)
		r := &Reader{texts: make([][]byte, 0, 4)}
		r.space.L = &r.mu
		c := &claim{part: part{"access", 0}, until: -1, gen: new(generation)}
		var b source.Batch
		n := testing.AllocsPerRun(20, func() {
			c.next = 0
			r.convert(t.Context(), c, &fetched{part: c.part, stable: 2000, log: log}, true)
			for len(r.ready) > 0 {
				if ok, err := r.take(&b); !ok || err != nil {
					t.Fatal(ok, err)
				}
			}
		})
		if n > 100 || c.next != 2000 || c.handed != 2000 || c.fails > 0 {
			t.Errorf("codec %d: %v allocations for %d records, up to %d", codec, n, len(records), c.next)
		}
	}
}

// TestCutOff demands that a batch which does not fit is fetched again, and
// that one which can not be had halts its partition.
func TestCutOff(t *testing.T) {
	log := newBatch(t, 0, 0, 0, false, kmsg.Record{Value: []byte(line(200, "-", 1))})
	r := &Reader{texts: make([][]byte, 0, 4), opt: Options{Say: func(string) {}}}
	r.space.L = &r.mu
	c := &claim{part: part{"access", 0}, until: -1, gen: new(generation)}
	cut := func(alone bool) {
		r.convert(t.Context(), c, &fetched{part: c.part, stable: 9, log: log[:len(log)-1]}, alone)
	}
	for range 5 {
		cut(false)
	}
	if c.next != 0 || c.status.Halted != "" {
		t.Errorf("%+v", c.status)
	}
	for range 3 {
		cut(true)
	}
	if c.status.Halted == "" {
		t.Error("nothing halts")
	}
	if at := fmt.Sprint(c.next); at != "0" || time.Since(c.status.LastSuccess) > time.Minute {
		t.Errorf("at %s, %+v", at, c.status)
	}
}
