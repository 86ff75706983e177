package sinks

import (
	"cmp"
	"slices"
	"time"
)

// How far off a clock must be for its records to be left out of pictures, and
// how few they must be.
const (
	farOff  = 30 * 24 * time.Hour
	fewPart = 100 // one in so many, or one
)

// A mass is how many records came in a step of time.
type mass struct{ begin, end, n int64 }

// pictured is the time of the records without those whose clocks are far off:
// a proxy that boots with its clock at 1970 must not stretch a chart of ten
// minutes to half a century.
func (d *Delta) pictured() span {
	whole := span{d.first, d.last, d.hasTime}
	if time.Duration(d.last-d.first) < farOff {
		return whole
	}
	list := d.masses()
	if len(list) < 2 {
		return whole
	}
	total := int64(0)
	for _, m := range list {
		total += m.n
	}
	i, j := core(list, max(1, total/fewPart))
	for i > 0 && near(list[i-1], list[i], list[j].end-list[i].begin) {
		i--
	}
	for j < len(list)-1 && near(list[j], list[j+1], list[j].end-list[i].begin) {
		j++
	}
	if i > 0 {
		whole.first = max(whole.first, list[i].begin)
	}
	if j < len(list)-1 {
		whole.last = min(whole.last, list[j].end-1)
	}
	return whole
}

// core is the first and the last step without few records at each end.
func core(list []mass, few int64) (first, last int) {
	sum := list[0].n
	for sum <= few && first < len(list)-1 {
		first++
		sum += list[first].n
	}
	last = len(list) - 1
	sum = list[last].n
	for sum <= few && last > first {
		last--
		sum += list[last].n
	}
	return first, last
}

// near says whether the gap between two steps is no longer than a clock that
// is right may make it.
func near(a, b mass, length int64) bool {
	gap := b.begin - a.end
	return gap <= int64(farOff) || gap <= 10*length
}

// masses are all records by time, as far as the steps tell.
func (d *Delta) masses() (list []mass) {
	for _, w := range d.cells.all {
		list = append(list, mass{w.begin, w.begin + d.cells.width(), int64(w.n)})
	}
	for _, w := range d.load.all {
		list = append(list, mass{w.begin, w.begin + d.load.width(), int64(w.n)})
	}
	slices.SortFunc(list, func(a, b mass) int { return cmp.Compare(a.begin, b.begin) })
	return list
}
