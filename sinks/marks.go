package sinks

import "math/bits"

// maxMarks is how many steps marks have.
const maxMarks = 64

// Marks are the steps of time that something was met in, as wide as maxMarks of
// them make necessary. They depend on the times alone, not on their order.
type marks struct {
	bits  uint64 // the lowest is the first step
	first int64  // number of that step
	shift uint8  // a step is ten seconds times two to the shift
}

func (m *marks) add(at int64) {
	step := floorDiv(at, cellNanos)
	if i := uint64(step>>m.shift - m.first); i < maxMarks && m.bits>>i&1 != 0 {
		return
	}
	m.merge(marks{1, step, 0})
}

func (m *marks) merge(o marks) {
	if o.bits == 0 {
		return
	}
	if m.bits == 0 {
		*m = o
		return
	}
	for m.shift < o.shift {
		m.widen()
	}
	for o.shift < m.shift || max(m.end(), o.end())-min(m.first, o.first) > maxMarks {
		if o.shift == m.shift {
			m.widen()
		}
		o.widen()
	}
	first := min(m.first, o.first)
	m.bits = m.bits<<(m.first-first) | o.bits<<(o.first-first)
	m.first = first
}

// end is the number of the step behind the last one.
func (m *marks) end() int64 {
	return m.first + int64(bits.Len64(m.bits))
}

// widen makes one step of two.
func (m *marks) widen() {
	first, wide := m.first>>1, uint64(0)
	for i := range int64(maxMarks) {
		if m.bits>>i&1 != 0 {
			wide |= 1 << ((m.first+i)>>1 - first)
		}
	}
	m.bits, m.first = wide, first
	m.shift++
}

// in are the marks among the steps of u, which has them all.
func (m marks) in(u *marks) uint64 {
	if m.bits == 0 {
		return 0
	}
	for m.shift < u.shift {
		m.widen()
	}
	return m.bits << (m.first - u.first)
}

// beside says whether both were met in one step, and m in its neighbours, too;
// known is false where m has no such step. A step in which m only begins or
// ends proves nothing.
func (m *marks) beside(o marks) (met, known bool) {
	u := *m
	u.merge(o)
	own := m.in(&u)
	inner := own & (own << 1) & (own >> 1)
	return inner&o.in(&u) != 0, inner != 0
}
