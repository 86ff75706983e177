package parser

import (
	"bytes"
	"encoding/binary"
	"math/bits"
)

// stretch is how many bytes are scanned at once: few enough to be still in the
// innermost cache when they are read.
const stretch = 8 << 10

// marks say where quotes and line ends stand in a stretch of text.
// Places count from its beginning.
type marks struct {
	quotes [stretch + maxQuotes]uint16 // behind the last one stands anything
	ends   [stretch + 1]lineEnd
	lines  int // line ends
	total  int // quotes

	// reading goes on at
	begin int // offset in the block where the stretch begins
	line  int
	quote int
	next  int // offset in the block where the line begins
}

// A lineEnd is the place of a line end, and how many quotes of the stretch
// stand in front of it.
type lineEnd struct{ at, quotes uint16 }

// maxQuotes is one more than the quotes of any text layout: more need not be
// told apart.
const maxQuotes = 17

// forget makes sure that nothing is read from the last stretch any more.
func (m *marks) forget() { m.next = -1 }

// of scans text, which begins at an offset of the block and goes on to its
// end. Behind text 63 bytes must be readable. The text's end is a line end.
func (m *marks) of(text []byte, begin int) {
	m.begin, m.line, m.quote, m.next = begin, 0, 0, begin
	n := min(len(text), stretch)
	scanMarks(text[:n], m)
	if n == len(text) && (m.lines == 0 || int(m.ends[m.lines-1].at)+1 < n) {
		m.ends[m.lines] = lineEnd{uint16(n), uint16(m.total)}
		m.lines++
	}
}

// take returns the end of the next line and its quotes.
func (m *marks) take() (end int, quotes []uint16) {
	e := &m.ends[m.line]
	quotes = m.quotes[m.quote:e.quotes]
	m.line++
	m.quote = int(e.quotes)
	end = m.begin + int(e.at)
	m.next = end + 1
	return end, quotes
}

// scanMarksGo is scanMarks without assembly: its twin, and what it is where
// there is none.
func scanMarksGo(text []byte, m *marks) {
	m.lines, m.total = 0, 0
	for at := 0; at < len(text); at += 8 {
		w := load64(text, at)
		for found := near(w, '"') | near(w, '\n'); found != 0; found &= found - 1 {
			i := at + bits.TrailingZeros64(found)>>3
			if i >= len(text) {
				break
			}
			switch text[i] {
			case '"':
				m.quotes[m.total] = uint16(i)
				m.total++
			case '\n':
				m.ends[m.lines] = lineEnd{uint16(i), uint16(m.total)}
				m.lines++
			}
		}
	}
}

// near has the high bit of every byte that is c, and of few others.
func near(w uint64, c byte) uint64 {
	const ones = 0x0101010101010101
	w ^= uint64(c) * ones
	return (w - ones) &^ w &^ low7
}

func load32(s []byte, i int) uint32 { return binary.LittleEndian.Uint32(s[i : i+4]) }

// load64 loads eight bytes, which may go beyond the end of s.
func load64(s []byte, i int) uint64 { return binary.LittleEndian.Uint64(s[i : i+8]) }

// lineEndIn is the offset of the first line end in s, or its length.
func lineEndIn(s []byte) int {
	if i := bytes.IndexByte(s, '\n'); i >= 0 {
		return i
	}
	return len(s)
}
