package parser

import (
	"slices"
	"testing"
)

// The assembly gives what its twin in Go gives, wherever line ends and quotes
// stand and whatever is behind the text.
func FuzzScanLine(f *testing.F) {
	for _, line := range corpus(f) {
		f.Add(line, byte(len(line)))
	}
	f.Add([]byte(`""""""""""""""""""""""""""""""`+"\n"), byte(3))
	f.Fuzz(func(t *testing.T, data []byte, cut byte) {
		behind := append(block(data), '"', '\n', '"')[:len(data)]
		for n := max(0, len(data)-int(cut)); n <= len(data); n++ {
			var want, got quotePlaces
			wantEnd, wantQuotes := scanLineGo(behind[:n], &want)
			gotEnd, gotQuotes := scanLine(behind[:n], &got)
			if gotEnd != wantEnd || gotQuotes != wantQuotes || !slices.Equal(got[:gotQuotes], want[:wantQuotes]) {
				t.Fatalf("%q: end %d, %d quotes %v; want %d, %d %v", behind[:n], gotEnd, gotQuotes, got, wantEnd, wantQuotes, want)
			}
		}
	})
}
