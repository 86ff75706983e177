package sinks

// maxPairs is how many values a Delta counts exactly; what comes later goes to
// tops.
const maxPairs = 8192

// A pair is a value of one dim under a cause.
type pair struct {
	key   key
	name  uint16 // id of a table that the dim knows
	cause uint16
	dim   dim
}

// allHosts is a dim for the hosts of all causes.
const allHosts = numDims

func (p *pair) hash() uint64 {
	return fold(p.key.hash(), uint64(p.name)|uint64(p.cause)<<16|uint64(p.dim)<<32)
}

// pairs are counted by open addressing; it is kept when they were met.
type pairs struct {
	slots []pairSlot
	used  int
}

type pairSlot struct {
	pair pair
	n    uint64 // 0: free
	when span
}

func newPairs() pairs { return pairs{slots: make([]pairSlot, 64)} }

// slot returns the place of p; nil when p is new and limit pairs are there.
func (t *pairs) slot(p *pair, limit int) *pairSlot {
	i := t.find(p)
	if t.slots[i].n > 0 {
		return &t.slots[i]
	}
	if t.used >= limit {
		return nil
	}
	if 2*(t.used+1) > len(t.slots) {
		t.grow()
		i = t.find(p)
	}
	t.used++
	t.slots[i].pair = *p
	return &t.slots[i]
}

// add counts p once. It is false when p is new and limit pairs are there.
func (t *pairs) add(p *pair, limit int, at int64, timed bool) bool {
	s := t.slot(p, limit)
	if s == nil {
		return false
	}
	s.n++
	if timed {
		s.when.add(at)
	}
	return true
}

// addMany counts p n times, which is not 0.
func (t *pairs) addMany(p *pair, n uint64, when span, limit int) bool {
	s := t.slot(p, limit)
	if s == nil {
		return false
	}
	s.n += n
	s.when.merge(when)
	return true
}

func (t *pairs) find(p *pair) int {
	mask := len(t.slots) - 1
	i := int(p.hash()) & mask
	for t.slots[i].n > 0 && t.slots[i].pair != *p {
		i = (i + 1) & mask
	}
	return i
}

func (t *pairs) grow() {
	old := t.slots
	t.slots = make([]pairSlot, 2*len(old))
	for i := range old {
		if old[i].n > 0 {
			t.slots[t.find(&old[i].pair)] = old[i]
		}
	}
}

// all walks the pairs in no order.
func (t *pairs) all(yield func(*pairSlot) bool) {
	for i := range t.slots {
		if t.slots[i].n > 0 && !yield(&t.slots[i]) {
			return
		}
	}
}

func (t *pairs) reset() {
	clear(t.slots)
	t.used = 0
}
