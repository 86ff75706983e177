package parser

import (
	"slices"
	"strings"
	"testing"
)

// FuzzShortFlags compares the words of short names with names one by one.
func FuzzShortFlags(f *testing.F) {
	for _, text := range []string{"UF", "UF,URX", "URX,UF", "UMSDR", "NFCF", "DC,DI,RL", "", ",", "UF,", ",UF", "UF,,DC", "ZZ", "uf", "UF ,DC", "UF\x00", "\x00", "-", "UFUFUFUF"} {
		f.Add(text)
	}
	for a := range NumFlags {
		for b := range NumFlags {
			f.Add(flags[a].Short + "," + flags[b].Short)
		}
	}
	f.Fuzz(func(t *testing.T, text string) {
		if len(text) > 8 || strings.Contains(text, "\x00") {
			return
		}
		got, ok := shortFlags.set(wordOf(text))
		want, known := FlagSet(0), true
		for name := range strings.SplitSeq(text, ",") {
			at := slices.IndexFunc(flags[:], func(f FlagInfo) bool { return f.Short == name })
			if known = known && at >= 0; known {
				want |= 1 << at
			}
		}
		if ok != known || ok && got != want {
			t.Errorf("%q: %x %v, want %x %v", text, got, ok, want, known)
		}
	})
}
