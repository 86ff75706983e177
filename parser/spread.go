package parser

import (
	"bytes"
	"strings"
)

// A format with line ends in it writes each record over as many lines. Such a
// record is read where its lines stand bare or in the wrapper of a container
// runtime: their number is fixed, and the first one fits the format's own.

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

// A bare is a physical line without the wrapper of a container runtime.
type bare struct {
	text   []byte
	cri    bool
	stream uint8
}

// bareLine takes that wrapper off a line; ok is false when the line is a piece
// of a longer one.
func bareLine(line []byte) (b bare, ok bool) {
	line = bytes.TrimSuffix(line, []byte{'\r'})
	if n := stamp(line); n > 0 {
		if h, cri := criHead(line, n); cri {
			return bare{line[h.inner:], true, uint8(h.stream)}, !h.bad && !h.more
		}
	}
	return bare{text: line}, true
}

// readSpread reads a record of several lines at an offset of the block.
func (p *Parser) readSpread(begin int) bool {
	line, _ := firstLine(p.block[begin:])
	head, ok := bareLine(line)
	if !ok {
		return false
	}
	for i, f := range p.given {
		if f.lines < 2 || !f.opens(&p.cuts, head.text) {
			continue
		}
		s, size := p.spreadText(f.lines, begin, head)
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
		if head.cri {
			p.rec.wrap(CRI)
		}
		p.rec.Lines = f.lines
		p.pos, p.line = begin+size, p.line+f.lines
		return true
	}
	return false
}

// spreadText joins the lines of a record that begins at an offset of the
// block, and returns how many bytes of the block they are; 0 when they are not
// all there.
func (p *Parser) spreadText(lines, begin int, head bare) (s []byte, size int) {
	p.spread = p.spread[:0]
	for n := range lines {
		if begin+size >= len(p.block) {
			return nil, 0
		}
		line, step := firstLine(p.block[begin+size:])
		b, ok := bareLine(line)
		if !ok || b.cri != head.cri || b.stream != head.stream {
			return nil, 0
		}
		if n > 0 {
			p.spread = append(p.spread, '\n')
		}
		p.spread = append(p.spread, b.text...)
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
// complete at data[:end]; end when there is none.
func (st *FrameState) openSpread(data []byte, end int) int {
	open := end
	for _, f := range st.Formats {
		at := end
		for n := 1; n < f.lines && at > 0; n++ {
			lo := bytes.LastIndexByte(data[:at-1], '\n') + 1
			if b, ok := bareLine(data[lo : at-1]); ok && f.opens(&st.cuts, b.text) {
				open = min(open, lo)
			}
			at = lo
		}
	}
	return open
}
