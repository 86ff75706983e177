package parser

import (
	"bytes"
	"testing"
)

// TestLastLine compares every length of a last line, and of what is in front
// of it, with a plain search.
func TestLastLine(t *testing.T) {
	for before := range 3 {
		for size := range 200 {
			data := bytes.Repeat([]byte{'x'}, before*33+size+1)
			data[len(data)-1] = '\n'
			if before > 0 {
				data[before*33-1] = '\n'
			}
			want := bytes.LastIndexByte(data[:len(data)-1], '\n') + 1
			if got := lastLine(data); got != want {
				t.Errorf("a line of %d bytes behind %d: begins at %d, want %d", size+1, before*33, got, want)
			}
		}
	}
	near := []byte("a\n\v\v\v\v\v\v\v\v\n") // bytes that a search by words could take for line ends
	if got := lastLine(near); got != 2 {
		t.Errorf("begins at %d, want 2", got)
	}
}
