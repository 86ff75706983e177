package parser

import (
	"bytes"
	"strings"
)

// A format with line ends in it writes each record over as many lines. Such a
// record is read where its lines stand bare, or each in the wrappers that the
// first one is in: their number is fixed, and the first one fits the format's
// own.

// maxSpread is how many lines a record of a format may have.
const maxSpread = 32

// setSpread finds out over how many lines a record goes, and what its first
// line looks like.
func (f *Format) setSpread(format string) {
	n := 1 + strings.Count(f.prefix, "\n")
	for i := range f.columns {
		n += strings.Count(f.columns[i].until, "\n")
	}
	if f.lines = n; n == 1 {
		return
	}
	head, _, _ := strings.Cut(format, "\n")
	if first, err := compileText(head); err == nil && len(first.columns) > 0 {
		for i := range first.columns {
			first.columns[i].lenient = true
		}
		first.finish()
		f.first = first
	} else {
		f.first = &Format{prefix: head}
	}
}

// opens says whether a line may be the first one of a record of the format.
func (f *Format) opens(c *cutter, line []byte) bool {
	first := f.first
	if first == nil || !hasPrefix(line, first.prefix) {
		return false
	}
	if len(first.columns) == 0 {
		return len(line) == len(first.prefix)
	}
	c.run(first, line, 0, len(first.prefix))
	return c.full
}

// firstOf takes the wrappers off a line, which opens says may be the first one
// of a record. It is false when it is not, or when the line is a piece of a
// longer one.
func (p *peeler) firstOf(line []byte, opens func([]byte) bool) (text []byte, ok bool) {
	text, ok = p.strip(line, func(line []byte) (w wrapper, n int) {
		if p.depth > 0 && p.wrappers[p.depth-1].kind == Docker {
			return wrapper{kind: NumEnvelopes}, 0 // its text is the record's
		}
		return spreadWrapper(line, opens)
	})
	return text, ok && opens(text)
}

// spreadWrapper is wrapperOf for a line whose text begins as opens says.
func spreadWrapper(line []byte, opens func([]byte) bool) (w wrapper, n int) {
	w.kind = NumEnvelopes
	if len(line) == 0 {
		return w, 0
	}
	switch c := line[0]; {
	case isDigit(c):
		n := stampAlone(line)
		if n == 0 {
			break
		}
		if h, cri := criHead(line, n); cri {
			if w.kind, w.stream = CRI, h.stream; h.bad || h.more {
				return w, -1
			}
		} else if opens(line[n:]) {
			w.kind = KubectlTimestamp
		}
	case c == '[':
		if _, end := prefixEnds(line); end > 0 {
			w.kind = KubectlPrefix
			return w, end
		}
	case c == '{' && bytes.HasPrefix(line, dockerHead):
		w.kind, w.stream = Docker, dockerStream(line)
	case c|' ' >= 'a' && c|' ' <= 'z':
		begins := func(s []byte) bool { return opens(s) || opens(s[stampAlone(s):]) }
		if ends, parts := sternEnds(line, begins); parts > 0 {
			w.kind = Stern
			return w, ends[parts-1] + 1
		}
		if bar := bytes.Index(line[:min(len(line), 128)], []byte(" | ")); bar > 0 && isToken(trimBlanks(line[:bar])) && begins(line[bar+3:]) {
			w.kind = Compose
			return w, bar + 3
		}
	}
	return w, 0
}

// nextOf takes the wrappers of the first line off one that follows. It is false
// when the line has others.
func (p *peeler) nextOf(line []byte) (text []byte, ok bool) {
	for i := range p.depth {
		w := &p.wrappers[i]
		if n := len(w.same) - 1; n > 0 && len(line) == n && w.same[n] == ' ' && bytes.HasPrefix(w.same, line) {
			return nil, true // an empty line, without the blank in front of it
		}
		if line, ok = p.off(w, line); !ok {
			return nil, false
		}
	}
	return line, true
}

// readSpread reads a record of several lines at an offset of the block.
func (p *Parser) readSpread(begin int) bool {
	line, _ := firstLine(p.block[begin:])
	line = bytes.TrimSuffix(line, []byte{'\r'})
	if text, ok := p.peeler.firstOf(line, p.opensSpread); ok && p.readSpreadText(begin, text) {
		return true
	}
	if p.peeler.depth == 0 {
		return false
	}
	p.peeler.depth = 0 // what seems to be a wrapper is the record's own
	return p.opensSpread(line) && p.readSpreadText(begin, line)
}

// readSpreadText reads such a record, of whose first line the text is known.
func (p *Parser) readSpreadText(begin int, head []byte) bool {
	p.spread = append(p.spread[:0], head...)
	first := len(p.spread)
	for i, f := range p.given {
		if f.lines < 2 || !f.opens(&p.cuts, p.spread[:first]) {
			continue
		}
		s, size := p.spreadText(f.lines, begin, first)
		if size == 0 {
			continue
		}
		p.rec.reset(begin, size, p.line+1)
		if !p.readPlan(f, p.wanted[i], s, nil, 0) {
			p.cuts.run(f, s, 0, len(f.prefix))
			if !p.cuts.full || !p.take(f, s) {
				continue
			}
		}
		for k := range p.peeler.depth {
			p.wrapSpread(&p.peeler.wrappers[k])
		}
		p.rec.Lines = f.lines
		p.pos, p.line = begin+size, p.line+f.lines
		return true
	}
	return false
}

// wrapSpread notes a wrapper that was taken off all lines.
func (p *Parser) wrapSpread(w *wrapper) {
	switch p.rec.wrap(w.kind); w.kind {
	case KubectlPrefix:
		p.prefixHead(w.same)
	case Stern:
		p.placeNames(w.same, func(rest []byte) bool { return len(rest) == 0 })
	case Compose:
		p.rec.place = Place{Container: trimBlanks(w.same[:len(w.same)-3])}
	}
}

// spreadText joins the lines of a record that begins at an offset of the
// block, and returns how many bytes of the block they are; 0 when they are not
// all there. The first line is in p.spread already, up to the given length.
func (p *Parser) spreadText(lines, begin, first int) (s []byte, size int) {
	p.spread = p.spread[:first]
	_, size = firstLine(p.block[begin:])
	for range lines - 1 {
		if begin+size >= len(p.block) {
			return nil, 0
		}
		line, step := firstLine(p.block[begin+size:])
		text, ok := p.peeler.nextOf(bytes.TrimSuffix(line, []byte{'\r'}))
		if !ok {
			return nil, 0
		}
		p.spread = append(append(p.spread, '\n'), text...)
		size += step
	}
	return padded(&p.spread), size
}

// opensSpread says whether a line begins a record of several lines.
func (p *Parser) opensSpread(line []byte) bool {
	for _, f := range p.given {
		if f.lines > 1 && f.opens(&p.cuts, line) {
			return true
		}
	}
	return false
}

// openSpread returns the beginning of the record of several lines that is not
// complete at data[:end]; end when there is none. It reads the last lines as a
// parser does, since a line within a record may look like a first one.
func (st *FrameState) openSpread(data []byte, end int) int {
	most := 0
	for _, f := range st.Formats {
		most = max(most, f.lines)
	}
	if most < 2 {
		return end
	}
	if st.spreads == nil {
		st.spreads = NewParser(0, st.Formats...)
	}
	at, lines := end, 0
	for ; lines < 2*most && at > 0; lines++ {
		at = lastLine(data[:at])
	}
	p := st.spreads
	p.block = data[:end]
	for ; lines > 0; lines-- {
		if p.line = 0; p.readSpread(at) {
			at, lines = p.pos, lines-p.line+1
			continue
		}
		if lines < most && p.mayOpen(at, lines) {
			return at
		}
		at += 1 + bytes.IndexByte(data[at:], '\n')
	}
	return end
}

// mayOpen says whether a record of more lines than there are may begin at an
// offset of the block.
func (p *Parser) mayOpen(begin, lines int) bool {
	line, _ := firstLine(p.block[begin:])
	line = bytes.TrimSuffix(line, []byte{'\r'})
	text, ok := p.peeler.firstOf(line, p.opensSpread)
	for _, f := range p.given {
		if f.lines > lines && (ok && f.opens(&p.cuts, text) || f.opens(&p.cuts, line)) {
			return true
		}
	}
	return false
}
