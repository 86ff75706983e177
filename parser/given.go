package parser

import "bytes"

// The formats that a caller gave stand in front of all that the parser knows:
// every line is tried with each of them, in their order, once its wrappers are
// off. So what a line is does not depend on its neighbours.

// give takes the caller's formats.
func (p *Parser) give(formats []*Format) {
	p.given, p.wanted = formats, make([]uint64, len(formats))
	for i, f := range formats {
		p.wanted[i] = p.wantedOf(f)
		p.givenText = p.givenText || f.object == nil
		p.givenMap = p.givenMap || f.object != nil
		p.givenBrace = p.givenBrace || f.object == nil && (f.prefix == "" || f.prefix[0] == '{')
	}
	p.fence = fenceOf(formats)
	for _, f := range formats {
		p.spreads = p.spreads || f.lines > 1
		f.markFirst(&p.givenFirst)
	}
	if p.givenText {
		p.groups.stops = p.fitsGiven
	}
}

// fenceOf is what stands between the columns of the first text that has a grid.
func fenceOf(formats []*Format) byte {
	for _, f := range formats {
		if f.plan != nil && f.plan.grid != nil {
			return f.plan.grid.fence
		}
	}
	return ' '
}

// flatGiven reads a line whose values upset no plan. Quotes are as in place.
func (p *Parser) flatGiven(s []byte, quotes []uint16, base int) bool {
	for i, f := range p.given {
		if f.object != nil || !p.readPlan(f, p.wanted[i], s, quotes, base) {
			continue
		}
		if p.rec.spots != nil || !f.gluedAt(s) {
			return true
		}
		p.rec.Kind, p.rec.Dialect = Noise, NoDialect
	}
	return false
}

// gluedAt says whether another record of the format may begin within the line
// although the whole line fits its plan.
func (f *Format) gluedAt(s []byte) bool {
	return f.plan.guard == 0 && f.headed && f.nextHead(s, 1) > 0
}

// nextHead returns the offset from i on where another record of the format
// seems to begin: the text in front of its time, and a time. It is negative
// when there is none.
func (f *Format) nextHead(s []byte, i int) int {
	c := &f.columns[0]
	for ; ; i++ {
		j := 0
		if f.prefix != "" {
			j = bytes.Index(s[min(i, len(s)):], []byte(f.prefix))
		} else {
			j = yearIn(s[min(i, len(s)):])
		}
		if j < 0 {
			return -1
		}
		i += j
		lo := i + len(f.prefix)
		if n := bytes.Index(s[lo:], []byte(c.until)); n > 0 && n < 64 && c.fits(c.typ, s[lo:lo+n]) {
			return i
		}
	}
}

// yearIn returns the offset of the first `2026-` of this century in s;
// negative when there is none.
func yearIn(s []byte) int {
	for i := 0; ; i++ {
		j := bytes.Index(s[i:], []byte("20"))
		if j < 0 || i+j+5 > len(s) {
			return -1
		}
		if i += j; s[i+4] == '-' && isDigits(s[i:i+4]) {
			return i
		}
	}
}

// readGiven reads a line in one of the given text formats: the first one that
// the whole line fits.
func (p *Parser) readGiven(s []byte) bool {
	return p.givenText && (p.splitGiven(s) || p.flatGiven(s, nil, 0) || p.cutGiven(s))
}

// cutGiven tries all cuts: of the line, of it without blanks at its end, and
// with columns of any type where users or filters write.
func (p *Parser) cutGiven(s []byte) bool {
	if f := p.givenFor(s); f != nil {
		return p.take(f, s)
	}
	if short := bytes.TrimRight(s, " \t"); len(short) < len(s) {
		if f := p.givenFor(short); f != nil {
			return p.take(f, short)
		}
	}
	p.cuts.loose = true
	f := p.givenFor(s)
	p.cuts.loose = false
	return f != nil && p.take(f, s)
}

// givenFor returns the first of the given text formats that a line fits; the
// cuts are those of the line then.
func (p *Parser) givenFor(s []byte) *Format {
	for _, f := range p.given {
		if f.object != nil || !hasPrefix(s, f.prefix) || !f.mayBegin(s) {
			continue
		}
		if p.cuts.run(f, s, 0, len(f.prefix)); p.cuts.full {
			return f
		}
	}
	return nil
}

// mayBegin says whether a line that has the format's prefix may have its first
// column. It may be wrong when it says so.
func (f *Format) mayBegin(s []byte) bool {
	c := &f.columns[0]
	return c.typ != TypeTime || !c.always || c.clock != nil || isTime(s[len(f.prefix):])
}

func (p *Parser) fitsGiven(s []byte) bool {
	return p.givenText && len(s) > 0 && (p.givenFor(s) != nil || p.spreads && p.opensSpread(s))
}

// splitGiven reads the first of several records that stand on one line, since
// their format ends with no line end.
func (p *Parser) splitGiven(s []byte) bool {
	for _, f := range p.given {
		if !f.headed || f.object != nil || !hasPrefix(s, f.prefix) {
			continue
		}
		for at := f.nextHead(s, 1); at > 0; at = f.nextHead(s, at+1) {
			first := s[:at]
			if p.cuts.run(f, first, 0, len(f.prefix)); !p.cuts.full {
				continue
			}
			p.take(f, first)
			suspicious := p.rec.Suspicious
			p.suspect = p.givenFor(s) != nil // a user may have written the second head
			p.rec.Suspicious = suspicious
			p.splitAt(s, at)
			return true
		}
	}
	return false
}

// tornGiven reads what a line that breaks off has of a given format, if it has
// a column that says how the request ended.
func (p *Parser) tornGiven(s []byte) bool {
	for _, f := range p.given {
		if !f.headed || f.object != nil || !hasPrefix(s, f.prefix) {
			continue
		}
		if p.cuts.run(f, s, 0, len(f.prefix)); p.cuts.end == 0 || !p.endsInColumn(f, s) {
			continue
		}
		ended := FieldSet(0)
		for i := range p.cuts.end {
			ended |= 1 << f.columns[i].field
		}
		if ended&Fields(ResponseCode, ResponseFlags, ResponseCodeDetails) != 0 {
			p.rec.Partial = p.take(f, s)
			return true
		}
	}
	return false
}

// ownLine says whether a line is to be tried with the given text formats
// before its wrappers are taken off: it has none, as far as can be seen.
func (p *Parser) ownLine(s []byte) bool {
	n := len(usualTime) + 1
	if len(s) < 2*n || s[n-1] != ' ' || s[n+2] == '\t' || !isEnvoyTime(s, 0) {
		n = stamp(s)
	}
	if n == 0 {
		_, end := prefixEnds(s)
		return end == 0
	}
	if n < len(s) && s[n] == 's' {
		if _, cri := criHead(s, n); cri {
			return false
		}
	}
	return n < len(s) && !p.givenFirst[s[n]] || !p.fitsGiven(s[n:])
}

// markFirst marks the bytes that a line in a text format may begin with.
func (f *Format) markFirst(set *[256]bool) {
	if f.object != nil {
		return
	}
	for b := range set {
		switch c := byte(b); {
		case f.lines > 1:
			set[b] = true
		case f.prefix != "":
			set[b] = set[b] || c == f.prefix[0]
		case f.columns[0].typ == TypeTime && f.columns[0].always && f.columns[0].clock == nil:
			set[b] = set[b] || c-'0' <= 9
		default:
			set[b] = true
		}
	}
}

// begin makes the record an access record of the format, without a value yet.
func (p *Parser) begin(f *Format, s []byte) {
	r := &p.rec
	r.forget()
	r.Kind, r.Dialect, r.text, r.layout, r.clock, r.learned = Access, f.dialect, s, f.layout, f.clock, f.dialect == Inferred
}
