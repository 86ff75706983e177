package kafka

import (
	"io"
	"testing"

	"github.com/twmb/franz-go/pkg/kfake"

	"github.com/flagwatch/flagwatch/internal/source"
)

// TestRevokedWhileSearching demands that what is lost is not counted by who
// owns the partition no more when the end of the loss is found: its next owner
// counts it.
func TestRevokedWhileSearching(t *testing.T) {
	for _, revoked := range []bool{false, true} {
		c := harmed(t)
		opt := c.options("", "access")
		r, err := connect(t.Context(), opt)
		if err != nil {
			t.Fatal(err)
		}
		lost := &claim{part: part{"access", 0}, gen: new(generation), next: 10, until: -1}
		lost.closed = revoked
		r.skip(t.Context(), lost, 10)
		want, next := int64(3), int64(13)
		if revoked {
			want, next = 0, 10
		}
		if n := r.counters.Lost[Poisoned]; n != want || lost.next != next {
			t.Errorf("revoked %v: %d offsets are said to be lost, going on at %d; want %d, %d", revoked, n, lost.next, want, next)
		}
		r.c.close()
	}
}

// TestProgress demands that progress of a bounded reading is in offsets of its
// range, from nothing to all.
func TestProgress(t *testing.T) {
	c := newCluster(t, kfake.SeedTopics(3, "access"))
	c.produce("access", 0, lines(200, 0, 20)...)
	c.produce("access", 1, lines(200, 0, 8)...)
	r, err := OpenRange(t.Context(), c.options("", "access"), Range{FromOffset: 5, HasFrom: true, ToOffset: 15, HasTo: true})
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	if read, size := r.Progress(); read != 0 || size != 10+3 {
		t.Errorf("at first %d of %d, want 0 of 13", read, size)
	}
	var b source.Batch
	for before := int64(0); ; {
		err := r.Next(t.Context(), &b)
		read, size := r.Progress()
		if read < before || read > size || size != 13 || err == nil && read == before {
			t.Errorf("%d of %d behind %d", read, size, before)
		}
		if before = read; err == io.EOF {
			break
		} else if err != nil {
			t.Fatal(err)
		}
	}
	if read, _ := r.Progress(); read != 13 {
		t.Errorf("at the end %d of 13", read)
	}
}
