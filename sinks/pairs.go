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

// hash is what a pair is known by; text stands for its name.
func (p *pair) hash(text uint64) uint64 {
	return fold(fold(p.key.hash(), uint64(p.cause)|uint64(p.dim)<<16), text)
}

// pairs are counted in a list; it is kept when they were met. A pair is known by
// its hash, like a name.
type pairs struct {
	list  chain[pairCount]
	slots []uint32 // place in list and one, with upper bits of the hash, by hash; 0: free
}

// A pairCount is as long as a line of a cache.
type pairCount struct {
	hash uint64
	n    uint64
	when span
	pair pair
}

func (c *pairCount) count(at int64, timed bool) {
	c.n++
	if timed {
		c.when.add(at)
	}
}

// placeBits are those of a slot that hold the place.
const placeBits = 1<<16 - 1

func slotFor(h uint64, place int) uint32 { return uint32(h>>32)&^placeBits | uint32(place+1) }

// find returns the pair with a hash; nil when it is new.
func (t *pairs) find(h uint64) *pairCount {
	if len(t.slots) == 0 {
		return nil
	}
	mask := uint64(len(t.slots) - 1)
	for i := h & mask; t.slots[i] != 0; i = (i + 1) & mask {
		place := int(t.slots[i]&placeBits) - 1
		if t.slots[i] == slotFor(h, place) {
			if c := t.list.at(place); c.hash == h {
				return c
			}
		}
	}
	return nil
}

// add puts a pair that is new at the end of the list.
func (t *pairs) add(p pair, h uint64) *pairCount {
	if n := len(t.slots); 2*(t.list.n+1) > n {
		t.slots = make([]uint32, max(64, 2*n))
		for i := range t.list.n {
			t.put(t.list.at(i).hash, i)
		}
	}
	t.put(h, t.list.n)
	t.list.add(pairCount{hash: h, pair: p})
	return t.list.at(t.list.n - 1)
}

func (t *pairs) put(h uint64, place int) {
	mask := uint64(len(t.slots) - 1)
	i := h & mask
	for t.slots[i] != 0 {
		i = (i + 1) & mask
	}
	t.slots[i] = slotFor(h, place)
}

func (t *pairs) reset() {
	t.list.cut(0)
	clear(t.slots)
}

// pairOf returns the place of a pair whose name, if it has one, is text and an id
// of the table ids; nil when it is new, and has no room or its name has none.
func (d *Delta) pairOf(p pair, ids *names, text []byte) *pairCount {
	h := p.hash(d.words.hash(text))
	if c := d.pairs.find(h); c != nil {
		return c
	}
	limit := maxPairs
	if ids == &d.sights {
		limit = maxPairs / 2
	}
	if d.pairs.list.n >= limit {
		return nil
	}
	if p.name = ids.id(text); p.name == otherName {
		return nil
	}
	return d.pairs.add(p, h)
}
