package parser

import (
	"bytes"
	"encoding/binary"
	"math/bits"
)

// stretch is how many bytes are scanned at once: few enough to be still in the
// innermost cache when they are read.
const stretch = 8 << 10

// marks say where quotes and line ends stand in a stretch of text. Places
// count from its beginning.
type marks struct {
	quotes [stretch + 64]uint16 // behind the last one stands anything
	ends   [stretch + 1]lineEnd
	words  [stretch/64 + 4]word // only where wide is true
	sums   [stretch + 2]uint16  // of an object's stretch: quotes and backslashes in front of each line, and of its end
	lines  int                  // line ends
	total  int                  // quotes
	sum    int                  // quotes and backslashes of an object's stretch
	text   []byte               // the stretch

	// reading goes on at
	begin int // offset in the block where the stretch begins
	line  int
	quote int
	next  int  // offset in the block where the line begins
	other byte // a blank, or 0 of an object's stretch: instead of the quotes, it has the places of values; see scanValues
}

// A word tells where the other byte stands in 64 bytes: one bit a byte. What it
// says of bytes behind the text is anything.
type word struct {
	bits   uint64
	before uint64 // how many there are in front of them
}

// A lineEnd is the place of a line end, and how many quotes of the stretch
// stand in front of it.
type lineEnd struct{ at, quotes uint16 }

// maxQuotes is one more than the quotes of any text layout: more need not be
// told apart.
const maxQuotes = 17

// forget makes sure that nothing is read from the last stretch any more.
func (m *marks) forget() { m.next = -1 }

// of scans text, which begins at an offset of the block and goes on to its end,
// for quotes and the other byte, or with 0 for the values of objects. Behind
// text 63 bytes must be readable. The text's end is a line end.
func (m *marks) of(text []byte, begin int, other byte) {
	m.begin, m.line, m.quote, m.next, m.other = begin, 0, 0, begin, other
	n := min(len(text), stretch)
	m.text = text[:n]
	if other == 0 {
		scanValues(m.text, m)
	} else {
		scanMarks(m.text, m, other)
	}
	if n == len(text) && (m.lines == 0 || int(m.ends[m.lines-1].at)+1 < n) {
		m.ends[m.lines] = lineEnd{uint16(n), uint16(m.total)}
		m.lines++
		m.sums[m.lines] = uint16(m.sum)
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

// taken is how many quotes and backslashes the line has that was taken last, of
// an object's stretch.
func (m *marks) taken() int { return int(m.sums[m.line] - m.sums[m.line-1]) }

// count is how often the other byte stands from lo to hi of a scanned line.
func (m *marks) count(lo, hi int) int { return m.upTo(hi) - m.upTo(lo) }

// upTo is how often it stands in front of a place.
func (m *marks) upTo(at int) int {
	w := &m.words[uint(at)>>6]
	return int(w.before) + bits.OnesCount64(w.bits&(1<<(at&63)-1))
}

// from are the bits from a place on.
func (m *marks) from(at int) uint64 {
	i, k := uint(at)>>6, at&63
	return m.words[i].bits>>k | m.words[i+1].bits<<1<<(63-k)
}

// first is the place of the first other byte from lo on; there must be one.
func (m *marks) first(lo int) int {
	w := m.from(lo)
	for w == 0 {
		lo += 64
		w = m.from(lo)
	}
	return lo + bits.TrailingZeros64(w)
}

// scanMarksGo is scanMarks without assembly: its twin, and what it is where
// there is none. It notes no bits.
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
