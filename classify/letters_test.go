package classify

import (
	"math/rand/v2"
	"testing"
)

// The assembly, where there is some, says of every byte what the plain loop
// says, at every place of a chunk and up to the longest text.
func TestLettersAreToldApart(t *testing.T) {
	rng := rand.New(rand.NewPCG(7, 11))
	for size := range maxText + 1 {
		text := make([]byte, size)
		for i := range text {
			text[i] = byte(rng.Uint32())
			if size%3 == 0 {
				text[i] = "till_Edge-09\\nAZaz@[`{/:\x80\xc1\xe1"[rng.IntN(26)]
			}
		}
		got, want := new(padded), new(padded)
		n := got.take(text)
		*want = *got
		want.scanGo(n)
		if *got != *want {
			t.Fatalf("%q: differs", text)
		}
		if got.in[n] != 0 || got.letters[n] != 0 || got.slashes[n] != 0 {
			t.Fatalf("%d bytes: not closed", size)
		}
	}
}

// Room that held a longer text holds nothing of it any more.
func TestRoomIsUsedAgain(t *testing.T) {
	room, k := new(padded), &keys{signs: newSigns(map[string]bool{"denied": true})}
	long := make([]byte, maxText)
	for i := range long {
		long[i] = 'd'
	}
	k.signs.in(long, room)
	for _, c := range []struct {
		text string
		want bool
	}{
		{"", false}, {"denie", false}, {"denied", true}, {"deniedd", false}, {"x denied", true}, {"DENIED:7", true}, {`x\ndenied`, true},
	} {
		if got := k.signs.in([]byte(c.text), room); got != c.want {
			t.Errorf("%q: got %v, want %v", c.text, got, c.want)
		}
	}
}
