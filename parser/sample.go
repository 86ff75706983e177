package parser

import "bytes"

// What a Sample keeps at most.
const (
	maxSampled = 256     // lines
	maxSample  = 4 << 10 // bytes of a line
	maxLooked  = 1 << 10 // records of a block that are looked at
)

// A Sample holds lines of a stream that no known layout reads, though they seem
// to carry a code and flags: what their layout is worked out from. The zero
// value is ready for use. It is not safe for concurrent use.
type Sample struct{ lines []sampled }

// A sampled is a line without its wrappers.
type sampled struct {
	text []byte
	read bool // its code and flags are read without a layout
	torn bool // it may be the beginning of a known one
}

// Add looks at the records of a block and keeps copies of the lines that
// neither the known dialects nor the given formats read whole. The block must
// be as for Reset. It returns how many lines were kept.
func (s *Sample) Add(block []byte, formats ...*Format) (kept int) {
	return s.AddOf(NewParser(Fields(ResponseCode), formats...), block)
}

// AddOf is Add with a parser for the formats, which the caller has for many
// blocks. It has to find ResponseCode.
func (s *Sample) AddOf(p *Parser, block []byte) (kept int) {
	p.Reset(block)
	within := false // the line of the last record goes on
	for range maxLooked {
		r, ok := p.Next()
		if !ok {
			break
		}
		if line := p.strayLine(); line != nil && !within {
			if len(s.lines) == maxSampled {
				s.lines = append(s.lines[:0], s.lines[maxSampled/2:]...)
			}
			s.lines = append(s.lines, sampled{bytes.Clone(line), r.Kind == Access, r.Kind == Invalid && r.Reason == Incomplete})
			kept++
		}
		within = r.Lines == 0
	}
	return kept
}

// stray says whether the record is a line, or a part of one, that no known
// layout reads whole.
func (r *Record) stray() bool {
	switch r.Kind {
	case Access:
		return r.Dialect == Inferred && !r.learned
	case Invalid:
		return r.Reason == UnknownLayout || r.Reason == NoCode || r.Reason == Incomplete
	case Noise:
		return len(r.text) > 0
	}
	return false
}

// strayLine returns the line of a stray record without its wrappers, if it
// seems to carry a code and flags.
func (p *Parser) strayLine() []byte {
	if !p.rec.stray() {
		return nil
	}
	line := p.base
	if p.rec.Kind == Noise {
		line = p.rec.text
	}
	if len(line) == 0 || len(line) > maxSample || line[0] == '{' || bytes.IndexByte(line, '\n') >= 0 || !hasOutcome(line) {
		return nil
	}
	return line
}

// hasOutcome says whether a code and flags stand among the words of a line.
func hasOutcome(line []byte) bool {
	code, flags := false, false
	for i := 0; i < len(line); {
		lo := i
		for i < len(line) && (isNameByte(line[i]) || isLetter(line[i]) || line[i] == '-') {
			i++
		}
		word := line[lo:i]
		i = max(i, lo+1)
		switch {
		case isStatus(word):
			code = true
		case len(word) == 1 && word[0] == '-' || len(word) > 1 && !isDigits(word) && isFlags(word) && decodeFlags(word)&UnknownFlags == 0:
			flags = true
		}
	}
	return code && flags
}

// isStatus says whether a word is a status that a proxy may log.
func isStatus(word []byte) bool {
	return len(word) == 1 && word[0] == '0' || len(word) == 3 && isDigits(word) && word[0] >= '1' && word[0] <= '5'
}
