package parser

import (
	"bytes"
	"math/rand/v2"
	"testing"
)

// Lines of the golden cases, damaged at random and in random order: all bytes
// and lines are accounted for, however they arrive.
func TestRandomDamage(t *testing.T) {
	rng, pool := rand.New(rand.NewPCG(4, 9)), corpus(t)
	for n := range 300 {
		pieces := n%2 == 0 // which of two streams' records comes first is open
		var text []byte
		for range 1 + rng.IntN(120) {
			line := bytes.Clone(pool[rng.IntN(len(pool))])
			switch k := rng.IntN(len(line) + 1); rng.IntN(8) {
			case 0:
				line = line[:k]
			case 1:
				line = line[k:]
			case 2:
				line = append(line, pool[rng.IntN(len(pool))]...)
			case 3:
				if k < len(line) {
					line[k] = byte(rng.IntN(256))
				}
			case 4:
				line = append([]byte("2026-11-30T01:02:03.000000001Z stdout "+pick(rng, "F ", "P ")), line...)
			case 5:
				line = []byte(pick(rng, "", "\r", "\xff\xfe", "{", "[", `""""""`, "\x1b[31m"))
			}
			if pieces || !bytes.Contains(line, []byte("std")) && len(line) < dockerPiece {
				text = append(append(text, line...), '\n')
			}
		}
		account(t, text, AllFields)
		if pieces {
			continue
		}
		want, got := readInPortions(text, len(text)), readInPortions(text, 1+rng.IntN(2000))
		for i := range max(len(got), len(want)) {
			if at(got, i) != at(want, i) {
				t.Fatalf("record %d of %d\ngot  %s\nwant %s\nof %q", i, len(want), at(got, i), at(want, i), text)
			}
		}
	}
}
