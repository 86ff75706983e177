package sinks

import "testing"

// What is taken to be one column wide is so wherever it stands.
func TestIsNarrow(t *testing.T) {
	p := &page{}
	for r := range rune(0x110000) {
		if isNarrow(r) && p.chars.StringWidth("a"+string(r)+"b") != 3 {
			t.Errorf("%U does not take one column", r)
		}
	}
}
