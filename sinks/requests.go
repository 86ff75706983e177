package sinks

import (
	"encoding/binary"
	"slices"

	"github.com/flagwatch/flagwatch/parser"
)

// maxRequests is how many request ids are sampled.
const maxRequests = 512

// requests samples request ids with the directions that they were seen in:
// they tell how many requests two proxies reported. The ids with the smallest
// keys are kept, so that every worker samples the same ones and samples merge
// exactly. Ids of records whose start is in one second of 64 come first, then
// those of one second of eight: once there are enough of them, the others need
// not be read.
type requests struct {
	list [maxRequests]request // by key
	n    int
}

type request struct {
	key  uint64 // hash of the id; the two highest bits are the turn of its second
	dirs uint8  // bit 0: inbound, bit 1: outbound
}

// turnBits is how far the turn stands from the end of a key.
const turnBits = 62

// turnOf is when the ids of a second come, 0 first. A second has 2^30 ns here.
func turnOf(at int64) uint64 {
	switch s := at >> 30; {
	case s&63 == 0:
		return 0
	case s&7 == 0:
		return 1
	}
	return 2
}

// mayTake says whether there is still room for ids of a record's second.
func (t *requests) mayTake(at int64) bool {
	return t.n < maxRequests || turnOf(at) <= t.list[maxRequests-1].key>>turnBits
}

// add samples a record's id, if there is room for it.
func (t *requests) add(r *parser.Record, dir parser.Direction, at int64) {
	if dir == parser.NoDirection {
		return
	}
	id := r.Bytes(parser.RequestID)
	if len(id) == 0 {
		return
	}
	t.put(request{hashID(id)>>2 | turnOf(at)<<turnBits, 1 << (dir - 1)})
}

func (t *requests) put(r request) {
	if t.n == maxRequests && r.key > t.list[maxRequests-1].key {
		return
	}
	i, found := slices.BinarySearchFunc(t.list[:t.n], r.key, func(a request, h uint64) int {
		switch {
		case a.key < h:
			return -1
		case a.key > h:
			return 1
		}
		return 0
	})
	if found {
		t.list[i].dirs |= r.dirs
		return
	}
	t.n = min(t.n+1, maxRequests)
	copy(t.list[i+1:t.n], t.list[i:])
	t.list[i] = r
}

func (t *requests) merge(o *requests) {
	for _, r := range o.list[:o.n] {
		t.put(r)
	}
}

// both is how many of the sampled requests were seen in both directions.
func (t *requests) both() int {
	n := 0
	for _, r := range t.list[:t.n] {
		if r.dirs == 3 {
			n++
		}
	}
	return n
}

// hashID has no seed: the samples of two processes must be of the same ids.
// Whoever forges ids can only spoil the estimate.
func hashID(id []byte) uint64 {
	h := uint64(len(id)) ^ 0x9e3779b97f4a7c15
	rest := id
	for ; len(rest) >= 8; rest = rest[8:] {
		h = fold(h, binary.LittleEndian.Uint64(rest))
	}
	tail := uint64(0)
	if len(id) >= 8 {
		tail = binary.BigEndian.Uint64(id[len(id)-8:]) & (1<<(8*len(rest)) - 1)
	} else {
		for _, c := range rest {
			tail = tail<<8 | uint64(c)
		}
	}
	return fold(h, tail^0xe7037ed1a0b428db)
}

func fold(h, word uint64) uint64 {
	return wide(h^word, 0x9fb21c651e98df25) ^ h<<1
}
