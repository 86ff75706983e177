package sinks

import "testing"

// TestWidest demands that steps of many ids over all times begin where they do:
// the widest one must not be wider than a number can say.
func TestWidest(t *testing.T) {
	const ids, early, late = maxCells/2 + 1, -4e18, 4e18
	var l load
	for id := range uint16(ids) {
		l.add(id, early)
		l.add(id, late)
	}
	l.closeAll()
	if l.width() <= 0 {
		t.Fatalf("steps of %d ns by a shift of %d", l.width(), l.shift)
	}
	var before, after uint64
	for _, w := range l.all {
		switch {
		case uint64(early-w.begin) < uint64(l.width()):
			before += w.n
		case uint64(late-w.begin) < uint64(l.width()):
			after += w.n
		}
	}
	if before != ids || after != ids {
		t.Errorf("%d early and %d late, want %d of each", before, after, ids)
	}
}
