package sinks

import "testing"

// The hash of an id is part of what is kept, so it is that of its words and its
// tail, byte by byte.
func TestHashIDTwin(t *testing.T) {
	slow := func(id []byte) uint64 {
		h := uint64(len(id)) ^ 0x9e3779b97f4a7c15
		for ; len(id) >= 8; id = id[8:] {
			word := uint64(0)
			for i, c := range id[:8] {
				word |= uint64(c) << (8 * i)
			}
			h = fold(h, word)
		}
		tail := uint64(0)
		for _, c := range id {
			tail = tail<<8 | uint64(c)
		}
		return fold(h, tail^0xe7037ed1a0b428db)
	}
	id := make([]byte, 40)
	for i := range id {
		id[i] = byte(255 - 37*i)
	}
	for n := range len(id) + 1 {
		if got, want := hashID(id[:n]), slow(id[:n]); got != want {
			t.Errorf("%d bytes: %x, want %x", n, got, want)
		}
	}
}
