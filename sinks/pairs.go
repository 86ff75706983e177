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

// pairs are counted in a list; it is kept when they were met.
type pairs struct {
	list  chain[pairCount]
	slots []uint16 // place in list and one, by hash; 0: free
}

type pairCount struct {
	pair pair
	n    uint64
	when span
}

// of returns the place of p; nil when p is new and limit pairs are there.
func (t *pairs) of(p *pair, limit int) *pairCount {
	if len(t.slots) == 0 {
		t.slots = make([]uint16, 64)
	}
	i := t.find(p)
	if t.slots[i] == 0 {
		if t.list.n >= limit {
			return nil
		}
		if 2*(t.list.n+1) > len(t.slots) {
			t.grow()
			i = t.find(p)
		}
		t.list.add(pairCount{pair: *p})
		t.slots[i] = uint16(t.list.n)
	}
	return t.list.at(int(t.slots[i]) - 1)
}

// add counts p once. It is false when p is new and limit pairs are there.
func (t *pairs) add(p *pair, limit int, at int64, timed bool) bool {
	c := t.of(p, limit)
	if c == nil {
		return false
	}
	c.n++
	if timed {
		c.when.add(at)
	}
	return true
}

// addMany counts p n times.
func (t *pairs) addMany(p *pair, n uint64, when span, limit int) bool {
	c := t.of(p, limit)
	if c == nil {
		return false
	}
	c.n += n
	c.when.merge(when)
	return true
}

// find returns the slot of p, or the free one where it belongs.
func (t *pairs) find(p *pair) uint64 {
	mask := uint64(len(t.slots) - 1)
	i := p.hash() & mask
	for t.slots[i] != 0 && t.list.at(int(t.slots[i])-1).pair != *p {
		i = (i + 1) & mask
	}
	return i
}

func (t *pairs) grow() {
	t.slots = make([]uint16, 2*len(t.slots))
	for i := range t.list.n {
		t.slots[t.find(&t.list.at(i).pair)] = uint16(i + 1)
	}
}

func (t *pairs) reset() {
	t.list.cut(0)
	clear(t.slots)
}
