package sinks

import (
	"fmt"
	"maps"
	"math/rand/v2"
	"testing"
)

// Above the cap the cells get wider, keep all failures, and depend on nothing
// but the records: not on their order, nor on who counted them.
func TestCellsAboveTheCap(t *testing.T) {
	rand := rand.New(rand.NewPCG(7, 2026))
	const n = 100000
	whole, parts := cells{}, [3]cells{}
	for range n {
		k := key{flags: 1 << rand.IntN(3), rest: packPlain(firstName+uint16(rand.IntN(5)), 503, noName, 1+uint16(rand.IntN(2)))}
		at := rand.Int64N(3 * 86400e9)
		for _, c := range []*cells{&whole, &parts[rand.IntN(len(parts))]} {
			c.add(c.sort(k), at)
		}
	}
	merged := cells{}
	for i := range parts {
		merged.merge(&parts[i], func(k key) key { return k })
	}
	flat := func(c *cells) map[string]uint64 {
		m := map[string]uint64{}
		for k, w := range c.each {
			m[fmt.Sprint(k, w.begin)] += w.n
		}
		return m
	}
	a, b := flat(&merged), flat(&whole)
	total := uint64(0)
	for _, n := range a {
		total += n
	}
	if total != n || len(a) > maxCells || whole.shift == 0 || merged.width() != whole.width() || !maps.Equal(a, b) {
		t.Errorf("%d failures in %d cells of %d s, and in %d of %d s; want %d", total, len(a), merged.width()/1e9, len(b), whole.width()/1e9, n)
	}
}

// When there are too many sorts of failures, the causes stay apart, and
// everything is still counted.
func TestSortsAboveTheCap(t *testing.T) {
	const n = 3 * maxSorts
	c := cells{}
	for i := range uint16(n) {
		c.add(c.sort(key{flags: uint64(i), rest: packPlain(firstName, 503, noName, 1+i%3)}), int64(i)*1e6)
	}
	byCause := map[uint16]uint64{}
	for k, w := range c.each {
		byCause[unpack(k.rest).details] += w.n
	}
	if len(c.sorts) > maxSorts+1+3 || byCause[1] != n/3 || byCause[2] != n/3 || byCause[3] != n/3 {
		t.Errorf("%d sorts, by cause %v", len(c.sorts), byCause)
	}
}
