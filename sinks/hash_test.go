package sinks

import (
	"bytes"
	"testing"
)

// Each byte of a text and its length count, and nothing around it.
func TestSeedHash(t *testing.T) {
	s := newSeed()
	room := bytes.Repeat([]byte("outbound|8080||cart.shop"), 10)
	for n := range 130 {
		text := room[20 : 20+n : 20+n]
		met := map[uint64]int{s.hash(text): -1}
		for i := range text {
			text[i]++
			if other, have := met[s.hash(text)]; have {
				t.Fatalf("%d bytes: another byte at %d is like one at %d", n, i, other)
			}
			met[s.hash(text)] = i
			text[i]--
		}
		if _, have := met[s.hash(room[20:21+n])]; have {
			t.Fatalf("%d bytes: one more makes no difference", n)
		}
		same := append([]byte("xyz"), text...)[3:]
		if met[s.hash(same)] != -1 {
			t.Fatalf("%d bytes: the same text elsewhere has another hash", n)
		}
	}
	if other := newSeed(); s.hash(room[:40]) == other.hash(room[:40]) {
		t.Error("two seeds make the same hash")
	}
}
