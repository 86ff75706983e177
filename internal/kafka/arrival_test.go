package kafka

import (
	"fmt"
	"testing"

	"github.com/twmb/franz-go/pkg/kfake"
	"github.com/twmb/franz-go/pkg/kmsg"

	"github.com/flagwatch/flagwatch/internal/source"
)

// tenRecords is a batch that begins at an offset.
func tenRecords(t *testing.T, base int64) []byte {
	var records []kmsg.Record
	for id := range 10 {
		records = append(records, kmsg.Record{OffsetDelta: int32(id), Value: []byte(line(200, "-", id))})
	}
	return newBatch(t, base, 9, 0, false, records...)
}

// TestArrivals demands that what arrives of a partition is converted in its
// order although it is fetched ahead, and that nothing is skipped when what
// arrived first could not be converted.
func TestArrivals(t *testing.T) {
	damaged := tenRecords(t, 10)
	damaged[len(damaged)-1] ^= 1
	join := func(logs ...[]byte) (all []byte) {
		for _, log := range logs {
			all = append(all, log...)
		}
		return all
	}
	type come struct {
		from int64
		log  []byte
		code int16
	}
	for name, test := range map[string]struct {
		comes      []come // all are there before the first one's turn
		next, want int64
		fails      int
	}{
		"whole":               {[]come{{0, join(tenRecords(t, 0), tenRecords(t, 10)), 0}, {20, tenRecords(t, 20), 0}}, 30, 30, 0},
		"cut off":             {[]come{{0, join(tenRecords(t, 0), tenRecords(t, 10)[:99]), 0}, {10, tenRecords(t, 10), 0}}, 20, 20, 0},
		"damaged":             {[]come{{0, join(tenRecords(t, 0), damaged), 0}, {20, tenRecords(t, 20), 0}}, 10, 10, 1},
		"damaged, two behind": {[]come{{0, join(tenRecords(t, 0), damaged), 0}, {20, tenRecords(t, 20), 0}, {30, tenRecords(t, 30), 0}}, 10, 10, 1},
		"damaged, refused":    {[]come{{0, join(tenRecords(t, 0), damaged), 0}, {20, nil, 1}}, 10, 10, 1},
		"nothing":             {[]come{{0, nil, 0}}, 0, 0, 0},
		"nothing behind":      {[]come{{0, tenRecords(t, 0), 0}, {10, nil, 0}}, 10, 10, 0},
	} {
		t.Run(name, func(t *testing.T) {
			r := &Reader{opt: Options{Say: func(string) {}}, texts: make([][]byte, 0, 4)}
			r.space.L = &r.mu
			c := &claim{part: part{"access", 0}, until: -1, gen: new(generation)}
			var queue []arrival
			for _, come := range test.comes {
				if c.want != come.from {
					t.Fatalf("%d is wanted, the test has %d", c.want, come.from)
				}
				c.busy = true
				res := &response{parts: []fetched{{part: c.part, code: come.code, stable: 100, log: come.log}}}
				queue = append(queue, r.queue([]wish{{claim: c, from: come.from}}, res)...)
			}
			for _, a := range queue {
				r.turn(t.Context(), a, false)
			}
			if c.next != test.next || c.want != test.want || c.fails != test.fails || c.busy {
				t.Errorf("converted up to %d, to be fetched from %d, %d fails, busy: %v; want %d, %d, %d", c.next, c.want, c.fails, c.busy, test.next, test.want, test.fails)
			}
			records, at := int64(0), int64(0)
			var b source.Batch
			for len(r.ready) > 0 {
				if ok, err := r.take(&b); !ok || err != nil || b.From.Offset != at {
					t.Fatal(ok, err, b.From, at)
				}
				at = b.To.Offset
				for _, c := range b.Data {
					if c == '\n' {
						records++
					}
				}
			}
			if end := test.next - int64(len(c.carry.marks)); records != end || at != end {
				t.Errorf("%d records up to %d, want %d", records, at, end)
			}
		})
	}
}

// TestFetchedAhead demands exact counts when many fetches are needed, with a
// damaged batch among them.
func TestFetchedAhead(t *testing.T) {
	w := &wire{find: []byte("damage-me"), put: []byte("dAmage-me")}
	c := newCluster(t, kfake.SeedTopics(2, "access"), kfake.ListenFn(w.listen))
	for round := range 60 {
		for p := range int32(2) {
			c.produce("access", p, lines(200+int(p), 0, 10)...)
		}
		if round == 30 {
			c.produce("access", 1, "damage-me", "x", "y")
		}
	}
	opt := c.options("flagwatch", "access")
	opt.Poison, opt.MaxBytes = Skip, 4<<10
	m := c.run(opt)
	wait(t, "1200 records", func() bool { return recordsOf(m) >= 1200 })
	if err := m.stop(); err != nil {
		t.Error(err)
	}
	if got, want := fmt.Sprint(codesOf(m)), "map[200:600 201:600]"; got != want {
		t.Errorf("%s, want %s", got, want)
	}
	if n := m.reader.Status().Lost[Poisoned]; n != 3 {
		t.Errorf("%d offsets are said to be lost, want 3", n)
	}
}
