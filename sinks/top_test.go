package sinks

import (
	"math/rand/v2"
	"slices"
	"strconv"
	"testing"
)

// A top gives up the values that one does which compares all of them each time:
// of the least frequent ones the next behind the last, all around, and the first
// one when all are more frequent than that was.
func TestTopTwin(t *testing.T) {
	type value struct {
		name string
		n    int
	}
	random := rand.New(rand.NewPCG(7, 9))
	for _, size := range []int{1, 5, maxTop, maxHosts} {
		kept, slow, low, rare := newTop(size), []value{}, 0, 0
		for range 20_000 {
			name := strconv.Itoa(int(random.ExpFloat64() * float64(size)))
			kept.add(key{}, []byte(name), 0, false)
			i := slices.IndexFunc(slow, func(v value) bool { return v.name == name })
			switch {
			case i >= 0:
			case len(slow) < size:
				slow, i = append(slow, value{name: name}), len(slow)
			default:
				least := slices.MinFunc(slow, func(a, b value) int { return a.n - b.n }).n
				if least > rare {
					low, rare = 0, least
				}
				for i = low; slow[i].n != least; i = (i + 1) % size {
				}
				low, slow[i].name = i, name
			}
			slow[i].n++
		}
		for i, v := range slow {
			if e := &kept.list[i]; e.value() != v.name || int(e.count) != v.n {
				t.Fatalf("of %d values number %d is %s, %d times; want %s, %d times", size, i, e.value(), e.count, v.name, v.n)
			}
		}
	}
}
