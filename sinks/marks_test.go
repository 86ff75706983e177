package sinks

import (
	"math/rand/v2"
	"testing"
)

// Marks are the same in any order and by any way of merging, and have each time.
func TestMarks(t *testing.T) {
	rnd := rand.New(rand.NewPCG(3, 5))
	for range 300 {
		spread := int64(1) << (20 + rnd.IntN(40))
		times := make([]int64, 1+rnd.IntN(40))
		for i := range times {
			times[i] = rnd.Int64N(spread) - spread/2
		}
		var forth, back, half marks
		for i, at := range times {
			forth.add(at)
			back.add(times[len(times)-1-i])
			if i%2 == 0 {
				half.add(at)
			}
		}
		other := marks{}
		for i, at := range times {
			if i%2 == 1 {
				other.add(at)
			}
		}
		half.merge(other)
		if forth != back || forth != half {
			t.Fatalf("%v: %+v, %+v, %+v", times, forth, back, half)
		}
		for _, at := range times {
			i := floorDiv(at, cellNanos<<forth.shift) - forth.first
			if i < 0 || i >= maxMarks || forth.bits>>i&1 == 0 {
				t.Fatalf("%v: %+v lacks %d", times, forth, at)
			}
		}
	}
}

// Something is beside what lasts when it comes in its midst, not at its ends
// and not between two parts of it.
func TestMarksBeside(t *testing.T) {
	at := func(steps ...int64) (m marks) {
		for _, s := range steps {
			m.add(s * cellNanos)
		}
		return m
	}
	for name, row := range map[string]struct {
		lasts, comes marks
		met, known   bool
	}{
		"in its midst":  {at(10, 11, 12, 13), at(0, 12, 40), true, true},
		"at its ends":   {at(10, 11, 12, 13), at(0, 10, 13, 40), false, true},
		"before, after": {at(10, 11, 12, 13), at(2, 9, 14, 60), false, true},
		"between":       {at(10, 11, 12, 20, 21, 22), at(14, 16, 18), false, true},
		"too short":     {at(10, 11), at(10, 11), false, false},
		"far wider":     {at(1000, 1001, 1002, 1003), at(0, 1001, 9000), false, false},
		"nothing":       {at(10, 11, 12), marks{}, false, true},
	} {
		if met, known := row.lasts.beside(row.comes); met != row.met || known != row.known {
			t.Errorf("%s: %v, %v", name, met, known)
		}
	}
}
