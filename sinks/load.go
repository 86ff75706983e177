package sinks

import "math"

// A load counts records by time and by an id, such as a cluster's. Its steps
// are ten seconds; when there are too many of them, they are doubled, for all
// ids alike, so that what it holds depends on nothing but the records.
type load struct {
	steps   stepCounts
	shift   uint8 // a step is ten seconds times two to the shift
	windows []window
}

// maxShift is where steps are as long as a number can say: then there are four of
// them in all times.
const maxShift = 29

// A window is the step that an id's records came in last, not yet among the
// steps.
type window struct {
	begin int64 // nanoseconds since 1970
	n     uint64
}

func (l *load) width() int64 { return cellNanos << l.shift }

func (l *load) add(id uint16, at int64) {
	for int(id) >= len(l.windows) {
		l.windows = append(l.windows, window{})
	}
	w := &l.windows[id]
	switch {
	case uint64(at-w.begin) < uint64(l.width()):
		w.n++
	case at < w.begin: // a record is written at its end, so some are late
		l.put(id, floorDiv(at, l.width()), 1)
	default:
		l.close(id)
		w.begin = floorDiv(at, l.width()) * l.width()
		w.n++
	}
}

// close puts an id's window among the steps.
func (l *load) close(id uint16) {
	w := &l.windows[id]
	if w.n > 0 {
		l.put(id, floorDiv(w.begin, l.width()), w.n)
		w.n = 0
	}
}

// closeAll puts all windows among the steps.
func (l *load) closeAll() {
	for id := range l.windows {
		l.close(uint16(id))
	}
}

// put counts n records of a step.
func (l *load) put(id uint16, at int64, n uint64) {
	shift := l.shift
	for !l.steps.add(id, at>>(l.shift-shift), n, l.limit()) {
		l.widen()
	}
}

// limit is how many steps there may be. Ids are bounded, too, so there are
// never many of them at the widest.
func (l *load) limit() int {
	if l.shift == maxShift {
		return math.MaxInt
	}
	return maxCells
}

// widen doubles the steps.
func (l *load) widen() {
	old := l.steps
	l.steps = stepCounts{slots: make([]stepSlot, len(old.slots))}
	l.shift++
	for i := range old.slots {
		if s := &old.slots[i]; s.n > 0 {
			id, at := s.split()
			l.steps.add(id, at>>1, s.n, math.MaxInt)
		}
	}
	for i := range l.windows {
		w := &l.windows[i]
		w.begin = floorDiv(w.begin, l.width()) * l.width()
	}
}

// all walks the steps of all ids, in no order; one may come twice, unless all
// windows are closed.
func (l *load) all(yield func(id uint16, w window) bool) {
	for i := range l.steps.slots {
		s := &l.steps.slots[i]
		if s.n == 0 {
			continue
		}
		if id, at := s.split(); !yield(id, window{at * l.width(), s.n}) {
			return
		}
	}
	for id, w := range l.windows {
		if w.n > 0 && !yield(uint16(id), w) {
			return
		}
	}
}

// merge adds o, whose ids are the given ones here.
func (l *load) merge(o *load, ids []uint16) {
	for l.shift < o.shift {
		l.widen()
	}
	for id, w := range o.all {
		l.put(ids[id], floorDiv(w.begin, l.width()), w.n)
	}
}

func (l *load) reset() {
	l.steps.reset()
	l.shift, l.windows = 0, l.windows[:0]
}

// stepCounts count by id and step, by open addressing.
type stepCounts struct {
	slots []stepSlot
	used  int
}

type stepSlot struct {
	key uint64 // the id in the highest 16 bits, then the step, which may be negative
	n   uint64 // 0: free
}

func (s *stepSlot) split() (id uint16, at int64) {
	return uint16(s.key >> 48), int64(s.key<<16) >> 16
}

// add counts n records. It is false when the step is new and limit of them are
// there.
func (t *stepCounts) add(id uint16, at int64, n uint64, limit int) bool {
	k := uint64(id)<<48 | uint64(at)&(1<<48-1)
	if len(t.slots) == 0 {
		t.slots = make([]stepSlot, 64)
	}
	s := t.find(k)
	if s.n == 0 {
		if t.used >= limit {
			return false
		}
		if 4*(t.used+1) > 3*len(t.slots) {
			t.grow()
			s = t.find(k)
		}
		s.key = k
		t.used++
	}
	s.n += n
	return true
}

// find returns the slot of a key, or the free one where it belongs.
func (t *stepCounts) find(k uint64) *stepSlot {
	mask := uint64(len(t.slots) - 1)
	i := fold(0x8ebc6af09c88c6e3, k) & mask
	for t.slots[i].n > 0 && t.slots[i].key != k {
		i = (i + 1) & mask
	}
	return &t.slots[i]
}

func (t *stepCounts) grow() {
	old := t.slots
	t.slots = make([]stepSlot, 2*len(old))
	for _, s := range old {
		if s.n > 0 {
			*t.find(s.key) = s
		}
	}
}

func (t *stepCounts) reset() {
	clear(t.slots)
	t.used = 0
}
