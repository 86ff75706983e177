package sinks

// maxSorts is how many sorts of failures are told apart in time; what comes
// later has only its cause.
const maxSorts = 4096

// cells count failed records by time and by cluster, flags, code and cause.
type cells struct {
	load           // by id of sorts
	sorts []key    // by id, from 1 on
	slots []uint16 // ids by hash; 0: free
}

// sort is the id of what packPlain packed with a cause.
func (t *cells) sort(k key) uint16 {
	if len(t.slots) == 0 {
		t.slots, t.sorts = make([]uint16, 64), append(t.sorts[:0], key{})
	}
	i := t.find(k)
	if t.slots[i] == 0 {
		if len(t.sorts) > maxSorts && k != coarse(k) {
			return t.sort(coarse(k))
		}
		if 4*len(t.sorts) > 3*len(t.slots) {
			t.grow()
			i = t.find(k)
		}
		t.slots[i] = uint16(len(t.sorts))
		t.sorts = append(t.sorts, k)
	}
	return t.slots[i]
}

// coarse is all failures of a sort's cause.
func coarse(k key) key {
	return key{rest: packPlain(otherName, noCode, noName, unpack(k.rest).details)}
}

func (t *cells) find(k key) uint64 {
	mask := uint64(len(t.slots) - 1)
	i := k.hash() & mask
	for t.slots[i] != 0 && t.sorts[t.slots[i]] != k {
		i = (i + 1) & mask
	}
	return i
}

func (t *cells) grow() {
	t.slots = make([]uint16, 2*len(t.slots))
	for id := 1; id < len(t.sorts); id++ {
		t.slots[t.find(t.sorts[id])] = uint16(id)
	}
}

// each walks the cells, in no order.
func (t *cells) each(yield func(sort key, w window) bool) {
	for id, w := range t.all {
		if !yield(t.sorts[id], w) {
			return
		}
	}
}

// merge adds o; plain turns its sorts into those of t.
func (t *cells) merge(o *cells, plain func(key) key) {
	ids := make([]uint16, len(o.sorts))
	for id := 1; id < len(o.sorts); id++ {
		ids[id] = t.sort(plain(o.sorts[id]))
	}
	t.load.merge(&o.load, ids)
}

func (t *cells) reset() {
	t.load.reset()
	clear(t.slots)
	t.sorts = t.sorts[:min(len(t.sorts), 1)]
}
