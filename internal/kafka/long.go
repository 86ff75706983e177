package kafka

import (
	"bytes"

	"github.com/flagwatch/flagwatch/parser"
)

// longLine returns where a line begins that is longer than any record may be,
// negative when there is none.
func longLine(text []byte) int {
	if len(text) <= parser.MaxRecord {
		return -1
	}
	for at := 0; at < len(text); {
		n := bytes.IndexByte(text[at:], '\n')
		if n < 0 {
			n = len(text) - at
		}
		if n >= parser.MaxRecord {
			return at
		}
		at += n + 1
	}
	return -1
}

// oversize emits a message with a line that is too long: its head is kept, as
// of a file's, and the rest of the message is discarded. What a message holds
// is committed as a whole.
func (v *conversion) oversize(text []byte, at int) {
	k := &v.c.carry
	k.text = append(k.text, text[:at+headSize]...)
	k.marks = append(k.marks, mark{len(k.text), v.next})
	v.cut, v.excess = true, int64(len(text)-at-headSize)
	if text[len(text)-1] != '\n' {
		v.excess++ // the line end that a message gets
	}
	k.flush(v.emit)
}
