package classify

import (
	"math/rand/v2"
	"strings"
	"testing"
)

// The assembly, where there is some, finds the signs that the plain loop finds,
// wherever a text stands in memory and whatever stands behind it.
func TestSignsAreFoundAlike(t *testing.T) {
	rng := rand.New(rand.NewPCG(5, 13))
	pieces := strings.Split("denied|eof|connectivity|connect|deni|till|edge7|x|42|7x| |: |_|\\n|\\\\|\\|/|\x80|DENIED|Eof|eofx|xeof|"+strings.Repeat("a", 57)+"| . . ", "|")
	for _, words := range []string{"denied eof connectivity", "denied 7x"} {
		s, room, found := newSigns(wordSet(words)), new(padded), 0
		memory := make([]byte, 3*4096)
		for range 40000 {
			var text strings.Builder
			for range rng.IntN(12) {
				text.WriteString(pieces[rng.IntN(len(pieces))])
			}
			at := rng.IntN(2 * 4096)
			n := copy(memory[at:], text.String())
			copy(memory[at+n:], "eof denied")
			got, want := s.scan(memory[at:at+n], room), s.scanGo(memory[at:at+n], room)
			if got != want {
				t.Fatalf("%q at %d: %v, want %v", text.String(), at, got, want)
			}
			if want {
				found++
			}
		}
		if found < 1000 || found > 39000 {
			t.Errorf("%q: found in %d texts", words, found)
		}
	}
}
