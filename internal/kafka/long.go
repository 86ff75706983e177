package kafka

import (
	"bytes"
	"slices"

	"github.com/flagwatch/flagwatch/parser"
)

// padded copies text into dst, with the readable bytes behind it that a block
// has.
func padded(dst, text []byte) []byte {
	dst = slices.Grow(dst[:0], len(text)+parser.Padding)
	return append(dst, text...)
}

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
	k.flush(v.emit)
	last := v.chunks[len(v.chunks)-1]
	last.cut, last.discarded = true, int64(len(text)-at-headSize)
	if text[len(text)-1] != '\n' {
		last.discarded++ // the line end that a message gets
	}
}
