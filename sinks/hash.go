package sinks

import (
	"hash/maphash"
	"math/bits"
	"unsafe"
)

// A seed makes hashes of texts that nobody who writes them can foresee.
type seed struct {
	keys [8]uint64 // one for each word of a short text
	long maphash.Seed
}

func newSeed() (s seed) {
	s.long = maphash.MakeSeed()
	for i := range s.keys {
		s.keys[i] = maphash.Comparable(s.long, i)
	}
	return s
}

// hash goes one way for all texts of 8 to 64 bytes: lengths differ from text to
// text, so a branch on them would cost as much as the hash. It reads eight words,
// which lie over each other in what is shorter.
func (s *seed) hash(text []byte) uint64 {
	n := len(text)
	if n < 8 || n > 64 {
		return maphash.Bytes(s.long, text)
	}
	k, last, p := &s.keys, n-8, unsafe.Pointer(unsafe.SliceData(text))
	return wide(wordAt(p, 0)^k[0], wordAt(p, lesser(8, last))^k[1]) ^
		wide(wordAt(p, lesser(16, last))^k[2], wordAt(p, lesser(24, last))^k[3]) ^
		wide(wordAt(p, lesser(32, last))^k[4], wordAt(p, lesser(40, last))^k[5]) ^
		wide(wordAt(p, lesser(48, last))^k[6], wordAt(p, last)^k[7]+uint64(n))
}

// wordAt is the word at an offset, which must be inside, with all its bytes.
func wordAt(p unsafe.Pointer, at int) uint64 { return *(*uint64)(unsafe.Add(p, at)) }

// lesser is min without a branch.
func lesser(a, b int) int { return a + (b-a)&((b-a)>>63) }

// wide is both halves of a product as one word.
func wide(a, b uint64) uint64 {
	hi, lo := bits.Mul64(a, b)
	return hi ^ lo
}
