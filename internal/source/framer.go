package source

import (
	"bytes"

	"github.com/flagwatch/flagwatch/parser"
)

// HeadKept is how many bytes are kept of a record that is too long.
const HeadKept = 64 << 10

// A Framer decides which of the bytes of one stream that have arrived make the
// next batch. It belongs to one goroutine.
type Framer struct {
	Skipping bool // in the rest of a record that is too long; then nothing is held
	state    parser.FrameState
}

// NewFramer returns a framer for records of which some may be in the formats.
func NewFramer(formats []*parser.Format) Framer {
	return Framer{state: parser.FrameState{Formats: formats}}
}

// Reset makes it one for another stream.
func (f *Framer) Reset() { f.Skipping, f.state.Final = false, false }

// Cut returns how many bytes of buf to hand out, and whether they are the head
// of a record that is too long. It knows that the first tried bytes hold no
// whole record.
func (f *Framer) Cut(buf []byte, tried int) (n int, head bool) {
	if f.Skipping {
		return len(buf), false
	}
	if bytes.IndexByte(buf[tried:], '\n') >= 0 {
		f.state.Final = false
		n = parser.Cut(buf, &f.state)
	}
	if n == 0 && len(buf) >= parser.MaxRecord {
		if n = f.WholeLines(buf); n == 0 {
			return HeadKept, true
		}
	}
	return n, false
}

// WholeLines returns the end of the last line, and takes the record that ends
// there as it is.
func (f *Framer) WholeLines(buf []byte) int {
	end := bytes.LastIndexByte(buf, '\n') + 1
	if end == 0 {
		return 0
	}
	f.state.Final = true
	if n := parser.Cut(buf[:end], &f.state); n > 0 {
		return n
	}
	return end
}

// Fill puts the first n bytes of buf into b, as Cut said, and returns how many
// bytes that used up: of a record that is too long only the head is in b.Data,
// the rest of buf is in b.Discarded. b.Data is a view of buf.
func (f *Framer) Fill(b *Batch, buf []byte, n int, head bool) (used int) {
	used = n
	b.Data, b.Cut, b.Discarded = buf[:n], head, [NumDiscards]int64{}
	switch {
	case head:
		used = len(buf)
		b.Discarded[Oversize] = int64(used - n)
	case f.Skipping:
		if end := bytes.IndexByte(buf, '\n'); end >= 0 {
			used, f.Skipping = end+1, false
		}
		b.Data = buf[:0]
		b.Discarded[Oversize] = int64(used)
	}
	f.Skipping = f.Skipping || head
	return used
}
