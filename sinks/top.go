package sinks

import (
	"bytes"
	"cmp"
	"hash/maphash"
	"math"
	"math/bits"
	"slices"
)

// maxValue is how many bytes of a value are kept.
const maxValue = 96

// The values of a top have a bit each in a word.
const _ = uint(64 - max(maxHosts, maxTop))

// A top keeps the most frequent values of something by the Space-Saving
// algorithm: Metwally, Agrawal, El Abbadi, "Efficient Computation of Frequent
// and Top-k Elements in Data Streams", 2005. A value that is not kept occurred
// at most as often as the least frequent one that is; a count is too high by
// at most its excess. Below max values the counts are exact. A value is known by
// its hash, like a name.
type top struct {
	max    int // at most 64
	seed   maphash.Seed
	tags   []byte   // the last byte of each hash, looked through first
	hashes []uint64 // of list
	list   []entry
	low    int    // the value that was the least frequent one last
	rares  uint64 // those that still have the count that it had then, as bits: none is rarer
}

// An entry is a value: a key, a name, or both.
type entry struct {
	count  uint64
	excess uint64
	when   span // while it was kept
	key    key
	length uint8
	name   [maxValue]byte
}

func newTop(max int) top { return top{max: max, seed: maphash.MakeSeed()} }

func (e *entry) value() string { return string(e.name[:e.length]) }

func (e *entry) is(k key, name []byte) bool {
	return e.key == k && string(e.name[:e.length]) == string(name)
}

// add counts a value that was met at a time, once.
func (t *top) add(k key, name []byte, at int64, timed bool) {
	if len(name) > maxValue {
		name = name[:maxValue]
	}
	e := t.entry(k, name)
	e.count++
	if timed {
		e.when.add(at)
	}
}

// addMany counts a value that was met n times.
func (t *top) addMany(k key, name []byte, n uint64, when span) {
	e := t.entry(k, name[:min(len(name), maxValue)])
	e.count += n
	e.when.merge(when)
}

// entry is the place of a value that is to be counted; it is there for the value
// from now on.
func (t *top) entry(k key, name []byte) *entry {
	h := t.hash(k, name)
	i := t.find(h)
	if i < 0 {
		i = t.evict(k, name, h)
	}
	t.rares &^= 1 << i
	return &t.list[i]
}

// hash is what a value is known by.
func (t *top) hash(k key, name []byte) uint64 {
	h := maphash.Bytes(t.seed, name)
	if k != (key{}) {
		h = fold(k.hash(), h)
	}
	return h
}

// find is the place of a value with its hash; negative when it is not there.
func (t *top) find(h uint64) int {
	for i := 0; ; i++ {
		n := bytes.IndexByte(t.tags[i:], byte(h))
		if n < 0 {
			return -1
		}
		if i += n; t.hashes[i] == h {
			return i
		}
	}
}

// evict makes room for a new value; its count begins at what it may have had.
func (t *top) evict(k key, name []byte, h uint64) int {
	i := len(t.list)
	count := uint64(0)
	if i < t.max {
		t.list = slices.Grow(t.list, 1)[:i+1]
		t.hashes, t.tags = append(t.hashes, 0), append(t.tags, 0)
	} else {
		i = t.least()
		count = t.list[i].count
	}
	t.hashes[i], t.tags[i] = h, byte(h)
	e := &t.list[i]
	e.key, e.count, e.excess, e.when = k, count, count, span{}
	e.length = uint8(copy(e.name[:], name))
	return i
}

// least is a least frequent value: of several the next one behind the last, all
// around. Counts only rise, so they are compared when none is left.
func (t *top) least() int {
	if t.rares == 0 {
		t.findRares()
	}
	next := t.rares >> t.low << t.low
	if next == 0 {
		next = t.rares
	}
	t.low = bits.TrailingZeros64(next)
	return t.low
}

// findRares finds all that are the least frequent.
func (t *top) findRares() {
	t.low = 0
	rare := uint64(math.MaxUint64)
	for i := range t.list {
		switch n := t.list[i].count; {
		case n < rare:
			rare, t.rares = n, 1<<i
		case n == rare:
			t.rares |= 1 << i
		}
	}
}

// floor is how often a value that is not kept may have occurred.
func (t *top) floor() uint64 {
	if len(t.list) < t.max {
		return 0
	}
	return t.list[t.least()].count
}

// merge adds o, whose keys rekey turns into keys of this side. A value that
// one side does not keep may have occurred there as often as that side's
// floor, so count and excess rise by it.
func (t *top) merge(o *top, rekey func(key) key) {
	if len(o.list) == 0 {
		return
	}
	mine, theirs := t.floor(), o.floor()
	union := append(make([]entry, 0, len(t.list)+len(o.list)), t.list...)
	met := make([]bool, len(union), cap(union))
next:
	for _, e := range o.list {
		e.key = rekey(e.key)
		for i := range union {
			if u := &union[i]; u.is(e.key, e.name[:e.length]) {
				u.count += e.count
				u.excess += e.excess
				u.when.merge(e.when)
				met[i] = true
				continue next
			}
		}
		e.count, e.excess = e.count+mine, e.excess+mine
		union, met = append(union, e), append(met, true)
	}
	for i := range union {
		if !met[i] {
			union[i].count += theirs
			union[i].excess += theirs
		}
	}
	t.keep(union)
}

// clone returns a copy with memory of its own.
func (t *top) clone() top {
	c := *t
	c.tags, c.hashes, c.list = slices.Clone(t.tags), slices.Clone(t.hashes), slices.Clone(t.list)
	return c
}

// dropUnsure drops values that may be less than half as frequent as they are
// counted: which of many rare ones are kept is an accident.
func (t *top) dropUnsure() {
	t.list = slices.DeleteFunc(t.list, func(e entry) bool { return 2*e.excess > e.count })
}

// fill adds values with exact counts, in the order in which compare puts them.
// Of those that t does not keep, only the first ones can come among its values.
func (t *top) fill(values []*pairCount, compare func(a, b *pairCount) int, name func(*pair) []byte) {
	floor, kept := t.floor(), len(t.list)
	var first []*pairCount
	for _, v := range values {
		if kept > 0 {
			if i := t.find(t.hash(v.pair.key, name(&v.pair))); i >= 0 {
				e := &t.list[i]
				e.count += v.n
				e.when.merge(v.when)
				continue
			}
		}
		if len(first) == t.max {
			if compare(v, first[t.max-1]) > 0 {
				continue
			}
			first = first[:t.max-1]
		}
		i, _ := slices.BinarySearchFunc(first, v, compare)
		first = slices.Insert(first, i, v)
	}
	list := append(make([]entry, 0, kept+len(first)), t.list...)
	for _, v := range first {
		e := entry{key: v.pair.key, count: v.n + floor, excess: floor, when: v.when}
		e.length = uint8(copy(e.name[:], name(&v.pair)))
		list = append(list, e)
	}
	t.keep(list)
}

// keep makes the most frequent of the entries those of t.
func (t *top) keep(list []entry) {
	slices.SortStableFunc(list, func(a, b entry) int {
		if a.count != b.count {
			return cmp.Compare(b.count, a.count)
		}
		return bytes.Compare(a.name[:a.length], b.name[:b.length])
	})
	t.reset()
	list = list[:min(len(list), t.max)]
	t.list, t.hashes, t.tags = slices.Grow(t.list, len(list)), slices.Grow(t.hashes, len(list)), slices.Grow(t.tags, len(list))
	for _, e := range list {
		h := t.hash(e.key, e.name[:e.length])
		t.list, t.hashes, t.tags = append(t.list, e), append(t.hashes, h), append(t.tags, byte(h))
	}
}

func (t *top) reset() {
	t.list, t.hashes, t.tags = t.list[:0], t.hashes[:0], t.tags[:0]
	t.low, t.rares = 0, 0
}

// A span is from the first to the last of some times, nanoseconds since 1970.
type span struct {
	first, last int64
	timed       bool // there was one
}

func (s *span) add(at int64) {
	if !s.timed {
		*s = span{at, at, true}
		return
	}
	s.first, s.last = min(s.first, at), max(s.last, at)
}

// ever is a span that all times are in.
func ever() span { return span{math.MinInt64 / 2, math.MaxInt64 / 2, true} }

func (s *span) merge(o span) {
	if o.timed {
		s.add(o.first)
		s.add(o.last)
	}
}
