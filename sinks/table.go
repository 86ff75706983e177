package sinks

import (
	"cmp"
	"slices"
)

// A key is a packed combination of values.
type key struct {
	flags uint64 // the parser.FlagSet
	rest  uint64 // see pack
}

// hash has no loop: the words are folded by two multiplications.
func (k key) hash() uint64 {
	return wide(wide(k.flags^0x9e3779b97f4a7c15, k.rest^0xe7037ed1a0b428db)^0x8ebc6af09c88c6e3, 0x589965cc75374cc3)
}

// A table counts keys by open addressing.
type table struct {
	slots []slot
	used  int
	last  int // slot of the last key: neighbours are often equal
}

type slot struct {
	key   key
	count uint64 // 0: free
}

func newTable() table { return table{slots: make([]slot, 64)} }

// add counts k n times. It is false when k is new and limit keys are there.
func (t *table) add(k key, n uint64, limit int) bool {
	if s := &t.slots[t.last]; s.key == k && s.count > 0 {
		s.count += n
		return true
	}
	i := t.find(k)
	if t.slots[i].count == 0 {
		if t.used >= limit {
			return false
		}
		if 2*(t.used+1) > len(t.slots) {
			t.grow()
			i = t.find(k)
		}
		t.slots[i].key = k
		t.used++
	}
	t.slots[i].count += n
	t.last = i
	return true
}

// find returns the slot of k, or the free one where it belongs.
func (t *table) find(k key) int {
	mask := len(t.slots) - 1
	i := int(k.hash()) & mask
	for t.slots[i].count > 0 && t.slots[i].key != k {
		i = (i + 1) & mask
	}
	return i
}

func (t *table) grow() {
	old := t.slots
	t.slots, t.last = make([]slot, 2*len(old)), 0
	for _, s := range old {
		if s.count > 0 {
			t.slots[t.find(s.key)] = s
		}
	}
}

// arrange puts equal tables in the same order, whatever order their keys came in.
func (t *table) arrange() {
	list := slices.DeleteFunc(slices.Clone(t.slots), func(s slot) bool { return s.count == 0 })
	slices.SortFunc(list, func(a, b slot) int {
		return cmp.Or(cmp.Compare(a.key.flags, b.key.flags), cmp.Compare(a.key.rest, b.key.rest))
	})
	clear(t.slots)
	t.last = 0
	for _, s := range list {
		t.slots[t.find(s.key)] = s
	}
}

// all walks the keys in no order.
func (t *table) all(yield func(key, uint64) bool) {
	for _, s := range t.slots {
		if s.count > 0 && !yield(s.key, s.count) {
			return
		}
	}
}

func (t *table) reset() {
	clear(t.slots)
	t.used, t.last = 0, 0
}

// outcome is what the rest of a key holds. Cells and hosts use cluster, code
// and unknown, and the cause in place of the details.
type outcome struct {
	cluster  uint16
	details  uint16
	code     uint16 // noCode: none
	dialect  uint8
	dir      uint8
	answered uint8
	unknown  uint16 // name of the tokens that are no known flag
	failed   bool
	hasFlags bool
}

const noCode = 1<<10 - 1

// untoldCode stands for the codes of records of which only their number is kept.
const untoldCode = noCode - 1

// pack takes an outcome's values one by one: a struct of small fields would
// have to pass through memory.
func pack(cluster, details, code uint16, dialect, dir, answered uint8, unknown uint16, failed, hasFlags bool) uint64 {
	rest := uint64(cluster) | uint64(details)<<13 | uint64(code)<<24 | uint64(dialect)<<34 |
		uint64(dir)<<42 | uint64(answered)<<44 | uint64(unknown)<<47
	if failed {
		rest |= 1 << 54
	}
	if hasFlags {
		rest |= 1 << 55
	}
	return rest
}

// packPlain is pack for cells, hosts and what is told apart under a cause.
func packPlain(cluster, code, unknown, cause uint16) uint64 {
	return pack(cluster, cause, code, 0, 0, 0, unknown, false, false)
}

// plainOf turns what pack packed into what packPlain does, with a cause.
func plainOf(rest uint64, cause uint16) uint64 {
	const kept = 1<<13 - 1 | (1<<10-1)<<24 | (1<<7-1)<<47 // cluster, code, unknown
	return rest&kept | uint64(cause)<<13
}

// clusterOf is what of a key tells clusters apart.
func clusterOf(k key) key { return key{rest: k.rest & (1<<13 - 1)} }

func hasNoCluster(rest uint64) bool { return rest&(1<<13-1) == uint64(noName) }

func (o outcome) pack() uint64 {
	return pack(o.cluster, o.details, o.code, o.dialect, o.dir, o.answered, o.unknown, o.failed, o.hasFlags)
}

func unpack(rest uint64) outcome {
	return outcome{
		cluster:  uint16(rest & (1<<13 - 1)),
		details:  uint16(rest >> 13 & (1<<11 - 1)),
		code:     uint16(rest >> 24 & (1<<10 - 1)),
		dialect:  uint8(rest >> 34),
		dir:      uint8(rest >> 42 & 3),
		answered: uint8(rest >> 44 & 7),
		unknown:  uint16(rest >> 47 & (1<<7 - 1)),
		failed:   rest>>54&1 != 0,
		hasFlags: rest>>55&1 != 0,
	}
}

// clientError says whether this is the application's own 4xx.
func (o outcome) clientError() bool { return !o.failed && o.code >= 400 && o.code < 500 }
