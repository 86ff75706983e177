package parser

import "bytes"

// A FrameState is what Cut is told about a stream. It is not safe for
// concurrent use.
type FrameState struct {
	// Final says that nothing more is to come, or not soon: the data's last
	// record is whole as it is, even without a line end.
	Final bool

	// Formats that were given. The records of those with line ends in them go
	// over several lines.
	Formats []*Format

	groups  groups // scratch memory of Cut
	alone   *Parser
	spreads *Parser // reads the lines at the end, if records go over several
	line    []byte
}

// Padding is how many readable bytes stand behind a block.
const Padding = 64

// MaxRecord is the longest record that is read; of a longer one the head is
// kept and the rest skipped.
const MaxRecord = 1 << 20

// The limits of looking back from the end of the data for the beginning of an
// open record.
const (
	maxBack      = MaxRecord
	maxBackLines = 2000
	dockerPiece  = 16 << 10 // docker cuts a container's lines at this length
)

// Cut returns the end of the last whole record in data: a block that ends
// there loses nothing and splits nothing. It is 0 when no record is whole yet.
// A record that a following line could go on is not whole: an object over many
// lines, a line that a container runtime wrote in pieces, and an event.
func Cut(data []byte, st *FrameState) int {
	if st.Final {
		return len(data)
	}
	end := bytes.LastIndexByte(data, '\n') + 1
	if end == 0 {
		return 0
	}
	if open := st.openSpread(data, end); open < end {
		return open
	}
	end = openGroup(data, openRecord(data, end), &st.groups)
	if open := st.openWrap(data, end); open < end {
		return openGroup(data, openRecord(data, open), &st.groups)
	}
	return end
}

// lastLine returns where the last line of data begins.
func lastLine(data []byte) int {
	hi := len(data) - 1
	for ; hi >= 32; hi -= 32 {
		w := data[hi-32 : hi]
		if near(load64(w, 0), '\n')|near(load64(w, 8), '\n')|near(load64(w, 16), '\n')|near(load64(w, 24), '\n') != 0 {
			break
		}
	}
	return bytes.LastIndexByte(data[:hi], '\n') + 1
}

// openRecord returns the beginning of the record that data[:end] ends in the
// middle of; end when it ends with a whole one.
func openRecord(data []byte, end int) int {
	at, open := end, end
	for n := 0; at > 0 && n < maxBackLines && end-at < maxBack; n++ {
		lo := lastLine(data[:at])
		switch stateOf(data[lo : at-1]) {
		case lineWhole:
			return min(open, openPiece(data, end))
		case lineOpens:
			if closed(data[lo:end]) {
				return end
			}
			return lo
		case linePiece:
			return firstPiece(data, lo)
		case lineWithin:
			if isLoneBrace(data[lo:at-1]) && !closed(data[lo:end]) {
				open = lo
			}
		}
		at = lo
	}
	return open
}

// isLoneBrace says whether a line opens an object in a list.
func isLoneBrace(line []byte) bool { return string(bytes.TrimSpace(line)) == "{" }

type lineState uint8

const (
	lineWhole  lineState = iota // is whole, and no line before it is open
	lineOpens                   // begins an object that may go on
	lineWithin                  // may stand within an object
	linePiece                   // a piece of a container's line
)

// stateOf says what a line means for the records around it.
func stateOf(line []byte) lineState {
	line = bytes.TrimRight(line, "\r \t")
	if len(line) == 0 {
		return lineWithin
	}
	switch c := line[0]; {
	case c == '{':
		if line[len(line)-1] == '}' {
			if len(line) > dockerPiece && bytes.HasPrefix(line, []byte(`{"log":"`)) && !bytes.Contains(line, []byte(`\n","`)) {
				return linePiece
			}
			return lineWhole
		}
		if opensObject(line) {
			return lineOpens
		}
	case c-'0' <= 9:
		if n := stamp(line); n > 0 {
			if h, ok := criHead(line, n); ok && h.more {
				return linePiece
			}
		}
	case c == ' ' || c == '\t' || c == '"' || c == '}' || c == ']':
		return lineWithin
	}
	return lineWhole
}

// closed says whether the object that begins data also ends in it.
func closed(data []byte) bool {
	_, ok := nested(data, 0)
	return ok
}

// interleaved is how many lines of one stream may stand behind an open piece
// of a container's other stream.
const interleaved = 128

// openPiece returns the beginning of a record of a container's other stream
// that is still open at end; end when there is none.
func openPiece(data []byte, end int) int {
	last := data[bytes.LastIndexByte(data[:end-1], '\n')+1 : end-1]
	h, ok := criHead(last, stamp(last))
	if !ok {
		return end
	}
	at := end
	for n := 0; at > 0 && n < interleaved; n++ {
		lo := lastLine(data[:at])
		other, ok := criHead(data[lo:at-1], stamp(data[lo:at-1]))
		if !ok {
			return end
		}
		if other.stream != h.stream {
			if other.more {
				return firstPiece(data, lo)
			}
			return end
		}
		at = lo
	}
	return end
}

// firstPiece returns the beginning of the first piece of the record that the
// piece at lo belongs to.
func firstPiece(data []byte, lo int) int {
	first := lo
	for n := 0; lo > 0 && n < maxBackLines && first-lo < maxBack; n++ {
		prev := lastLine(data[:lo])
		if stateOf(data[prev:lo-1]) == linePiece {
			first = prev
		} else if sameStream(data[prev:lo-1], data[first:first+bytes.IndexByte(data[first:], '\n')]) {
			break
		}
		lo = prev
	}
	return first
}

// sameStream says whether two lines are of one stream of a container.
func sameStream(a, b []byte) bool {
	ha, ok := criHead(a, stamp(a))
	if !ok {
		return true
	}
	hb, ok := criHead(b, stamp(b))
	return !ok || ha.stream == hb.stream
}
