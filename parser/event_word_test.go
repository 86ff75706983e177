package parser

import (
	"strings"
	"testing"
)

// Words end at the first blank, wherever it stands and whatever bytes are
// around it.
func TestWordEnd(t *testing.T) {
	for c := range 256 {
		for size := range 20 {
			for at := range size + 1 {
				line := []byte(strings.Repeat(string([]byte{byte(c)}), size) + "\t x")
				want := at
				for want < len(line) && line[want] != ' ' && line[want] != '\t' {
					want++
				}
				if got := wordEnd(line, at); got != want {
					t.Fatalf("%q from %d: got %d, want %d", line, at, got, want)
				}
			}
		}
	}
	for _, line := range []string{"", "a", "till/edge", "!!!!!!!!!!!!", "\x1f\x21\x08\x0a\xa0\x89\x20"} {
		want := strings.IndexAny(line, " \t")
		if want < 0 {
			want = len(line)
		}
		if got := wordEnd([]byte(line), 0); got != want {
			t.Errorf("%q: got %d, want %d", line, got, want)
		}
	}
}

// A scope has one row.
func TestScopesAreNamedOnce(t *testing.T) {
	for i, row := range scopes {
		if got, ok := scopeNamed([]byte(row.name)); !ok || got != scopes[i] {
			t.Errorf("%s: got %+v, %v", row.name, got, ok)
		}
	}
	for _, name := range []string{"", "x", "xdsprox", "xdsproxyy"} {
		if row, ok := scopeNamed([]byte(name)); ok {
			t.Errorf("%q is %+v", name, row)
		}
	}
}
