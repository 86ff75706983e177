package parser

import "bytes"

// readText reads a line that flat could not: with quotes in user text, in a
// given format, cut or torn. It says whether code or flags were found.
func (p *Parser) readText(s []byte) bool {
	if p.readWhole(s) || p.readWhole(bytes.TrimRight(s, " \t")) {
		if p.splicedDetails(s) {
			_ = p.readSpliced(s) || p.readWhole(s)
			p.rec.Suspicious = true
		}
		return true
	}
	if p.readSpliced(s) {
		return true
	}
	if at := elision(s); at >= 0 && p.readText(s[:at]) {
		p.readBehind(s[at:])
		return true
	}
	p.cuts.loose = true
	whole := p.readWhole(s)
	p.cuts.loose = false
	if whole {
		return true
	}
	if p.readAdded(s) {
		return true
	}
	best, _ := p.layoutOf(s)
	if best == nil {
		return false
	}
	p.cuts.run(best, s, 0, len(best.prefix))
	return p.takePart(best, s)
}

// maxAdded is how many columns behind those of a layout are looked for.
const maxAdded = 6

// readAdded reads a line to whose layout somebody added columns at the end.
// What they are can not be told from one line.
func (p *Parser) readAdded(s []byte) bool {
	front := s
	for range maxAdded {
		front = withoutLast(front)
		for _, d := range [...]Dialect{istioText19, envoyDefault} {
			f := productFormats[d]
			if !hasPrefix(front, f.prefix) {
				return false
			}
			if p.cuts.run(f, front, 0, len(f.prefix)); p.cuts.full && p.cuts.single() {
				p.take(f, front)
				p.rec.Dialect = Inferred
				return true
			}
		}
	}
	return false
}

// withoutLast takes the last column off a line, quoted or not.
func withoutLast(s []byte) []byte {
	s = bytes.TrimRight(s, " ")
	end := len(s) - 1
	if end > 0 && s[end] == '"' {
		end = bytes.LastIndexByte(s[:end], '"')
	}
	return bytes.TrimRight(s[:max(0, bytes.LastIndexByte(s[:max(0, end)], ' '))], " ")
}

// readWhole reads a line that fits a layout from end to end.
func (p *Parser) readWhole(s []byte) bool {
	f, whole := p.layoutOf(s)
	return whole && p.take(f, s)
}

// layoutOf finds the first layout that the whole line fits, whose cuts are
// left in p.cuts; else the one that goes furthest. A line that fits Envoy's
// default format in several ways and one of Kuma's in one way is Kuma's.
func (p *Parser) layoutOf(s []byte) (best *Format, whole bool) {
	reached := 0
	var several *Format
	for _, f := range p.layouts.list {
		if !hasPrefix(s, f.prefix) {
			continue
		}
		switch p.cuts.run(f, s, 0, len(f.prefix)); {
		case p.cuts.full && (several == nil || f.own()) && p.cuts.single():
			return f, true
		case p.cuts.full && several == nil:
			several = f
		case p.cuts.end > reached:
			best, reached = f, p.cuts.end
		}
	}
	if several != nil {
		p.cuts.run(several, s, 0, len(several.prefix))
		return several, true
	}
	return best, false
}

// take stores the columns of a whole cut: those on which all cuts agree.
func (p *Parser) take(f *Format, s []byte) bool {
	p.begin(f, s)
	p.takeColumns(f, s)
	return true
}

func (p *Parser) takeColumns(f *Format, s []byte) {
	r := &p.rec
	r.Suspicious = r.Suspicious || p.cuts.flood
	for col := p.cuts.from; col < p.cuts.end; col++ {
		e, agreed := p.cuts.value(col)
		if !agreed {
			r.Suspicious = true
			continue
		}
		p.column(&f.columns[col], s, e)
	}
	if r.present&bracedFields == bracedFields {
		r.closeDetails()
	}
}

const bracedFields = FieldSet(1<<ResponseCodeDetails | 1<<ConnectionTerminationDetails)

// closeDetails gives back to the details what stands within their braces: some
// proxies write blanks there, at which the next column seems to begin.
func (r *Record) closeDetails() {
	d, c := &r.spans[ResponseCodeDetails], &r.spans[ConnectionTerminationDetails]
	v := d.of(r.text)
	if c.lo != d.hi+1 || bytes.Count(v, []byte{'{'}) <= bytes.Count(v, []byte{'}'}) {
		return
	}
	end := bytes.Index(c.of(r.text), []byte("} "))
	if end < 0 {
		return
	}
	d.hi = c.lo + uint32(end) + 1
	c.lo = d.hi + 1
	if isDash(c.of(r.text)) {
		r.present &^= 1 << ConnectionTerminationDetails
	}
}

// takePart stores the columns of a line that does not fit to its end. With
// code and flags it is a damaged record of the layout, or one of a layout
// that is in no list.
func (p *Parser) takePart(f *Format, s []byte) bool {
	r := &p.rec
	if p.cuts.end <= f.flagsColumn() || f.columns[1].field == ResponseFlags && !p.tellsOwn(f) {
		return false
	}
	p.take(f, s)
	if _, ends := p.requestEnds(s, false); ends > 1 {
		r.Suspicious = true // which end is the request's can not be told from half a line
	}
	if p.endsInColumn(f, s) {
		r.Partial = true
		p.lastColumn(f, s)
		return true
	}
	r.Dialect = Inferred
	r.present &= Fields(StartTime, Method, Path, Protocol, ResponseCode, ResponseFlags)
	p.inferDetails(s)
	p.inferTail(s)
	return true
}

// endsInColumn says whether the line breaks off where the format was still
// followed, rather than being laid out in another way.
func (p *Parser) endsInColumn(f *Format, s []byte) bool {
	c := &p.cuts
	if c.end >= len(f.columns) {
		return false
	}
	for _, e := range c.edges[c.first[c.end-1]:] {
		if e.alive && index(s[e.next:], f.columns[c.end].until) < 0 {
			return true
		}
	}
	return false
}

// lastColumn reads the value that a torn line ends with, when it can be seen
// to be whole: by its closing quote, or because it is what a proxy writes.
func (p *Parser) lastColumn(f *Format, s []byte) {
	c := &f.columns[p.cuts.end]
	e, agreed := p.cuts.value(p.cuts.end - 1)
	if !agreed || int(e.next) >= len(s) {
		return
	}
	hi := len(s) - 1
	switch {
	case s[hi] == '"' && s[e.next-1] == '"' && hi > int(e.next) && fits(c.typ, s[e.next:hi]):
		p.column(c, s, edge{from: e.next, to: uint32(hi)})
	case c.field == ResponseCodeDetails && isWholeDetails(s[e.next:]):
		p.column(c, s, edge{from: e.next, to: uint32(len(s))})
	}
}

// inferDetails reads the token behind the flags as details when it is one.
func (p *Parser) inferDetails(s []byte) {
	r := &p.rec
	if !r.hasFlags {
		return
	}
	lo := int(r.spans[ResponseFlags].hi) + 1
	hi := lo
	for hi < len(s) && s[hi] != ' ' {
		hi++
	}
	if lo < hi && s[lo]|' ' >= 'a' && s[lo]|' ' <= 'z' && (bytes.IndexByte(s[lo:hi], '_') > 0 || isOneOf(s[lo:hi], detailsNames)) {
		r.layout |= 1 << ResponseCodeDetails
		p.keep(ResponseCodeDetails, span{uint32(lo), uint32(hi)})
	}
}

// inferTail reads the right end of a line whose layout is in no list: the
// numbers, the quoted columns and what follows them, if they stand there as in
// Envoy's default format or Istio's, in one place only.
func (p *Parser) inferTail(s []byte) {
	r := &p.rec
	if r.Suspicious {
		return
	}
	var tail *Format
	from := 0
	for i := int(r.spans[ResponseFlags].hi) + 1; i < len(s); i++ {
		if s[i-1] != ' ' || r.numbers(i) < 0 {
			continue
		}
		for _, d := range [...]Dialect{istioText19, envoyDefault} {
			f := productFormats[d]
			if p.cuts.run(f, s, f.columnOf(BytesReceived), i); !p.cuts.full {
				continue
			}
			if tail != nil {
				return
			}
			tail, from = f, i
		}
	}
	if tail != nil {
		p.cuts.run(tail, s, tail.columnOf(BytesReceived), from)
		p.takeColumns(tail, s)
		for i := tail.columnOf(BytesReceived); i < len(tail.columns); i++ {
			r.layout |= 1 << tail.columns[i].field
		}
	}
}

// columnOf is the column of a field that the format has.
func (f *Format) columnOf(field Field) int {
	i := 0
	for f.columns[i].field != field {
		i++
	}
	return i
}

// column stores one column's value.
func (p *Parser) column(c *column, s []byte, e edge) {
	r := &p.rec
	v := s[e.from:e.to]
	if !c.whole(len(v)) {
		if p.want.Has(Extra) {
			p.addExtra(c.key, v, false)
		}
		return
	}
	switch c.field {
	case ResponseCode:
		r.setCode(v)
	case ResponseFlags:
		r.flags, r.hasFlags = decodeFlags(v), true
		r.spans[ResponseFlags] = span{e.from, e.to}
		if r.flags != 0 {
			r.present |= 1 << ResponseFlags
		}
	case StartTime:
		p.rec.set(StartTime, int(e.from), int(e.to))
	case Extra:
		if bytes.Equal(c.key, mixerStatus) {
			r.mixer = span{e.from, e.to}
		}
		if p.want.Has(Extra) {
			p.addExtra(c.key, v, false)
		}
	default:
		lo, hi := int(e.from), int(e.to)
		p.keep(c.field, span{uint32(lo), uint32(hi)})
	}
}

// readTorn reads a record whose front is missing or damaged: from the request
// line, or from the code, to the end. Its flags may be the last thing on the
// line.
func (p *Parser) readTorn(s []byte) bool {
	blank := len(s) > 0 && s[0] == ' '
	if at := elision(s); at > 0 && p.readFront(bytes.TrimLeft(s[:at], " \t"), blank) {
		p.readBehind(s[at:])
		return true
	}
	return p.readFront(trimBlanks(s), blank)
}

// readFront is readTorn without the blanks around the line; blank says whether
// one stood in front.
func (p *Parser) readFront(s []byte, blank bool) bool {
	headed := accessHead(s) > 0 || ownHead(s) > 0
	at, found := p.requestEnds(s, false)
	loose := found == 0 && headed // the quote may be the user's
	if loose {
		at, found = p.requestEnds(s, true)
	}
	if n := p.codeAndFlags(s, 0); found == 0 && !headed && n > 0 && s[n-1] != '-' {
		found = 1
	}
	if found == 0 || looksLikeCommonLog(s[:at]) || !p.tornFrom(s, at) {
		return false
	}
	r := &p.rec
	r.Partial = true
	r.Suspicious = r.Suspicious || loose || found > 1
	if at == 0 && !blank && r.code == 0 {
		r.hasCode = false // it may be the end of another one
	}
	p.tornRequest(s, at)
	return true
}

// tornRequest reads what is left in front of the code at the offset.
func (p *Parser) tornRequest(s []byte, at int) {
	end := bytes.LastIndexByte(s[:at], '"')
	if end <= 0 {
		return
	}
	lo := accessHead(s)
	if lo > 0 {
		p.rec.set(StartTime, 1, lo-3)
	} else {
		lo = bytes.IndexByte(s[:end], '"') + 1
	}
	if proto := protocolAt(s, 0, end); proto > lo {
		m := lo + max(0, bytes.IndexByte(s[lo:proto], ' '))
		p.rec.setRequest(p.want, lo, m, proto, end)
		if lo == 0 { // the method may be torn
			p.rec.present &^= Fields(Method, Path)
		}
	} else if endsShort(s[:end]) {
		lo = bytes.LastIndexByte(s[:end], '"') + 1
		at := lo + bytes.IndexByte(s[lo:end], ' ')
		p.keep(Method, span{uint32(lo), uint32(at)})
		p.keep(Path, span{uint32(at + 1), uint32(end)})
	}
}

// requestEnds finds the places where a request line ends and a code and flags
// follow, and returns the first code's offset and how many there are. With
// loose, what stands before the quote does not matter.
func (p *Parser) requestEnds(s []byte, loose bool) (at, found int) {
	for i := 0; ; {
		j := bytes.Index(s[i:], []byte(`" `))
		if j < 0 {
			return at, found
		}
		i += j + 1
		code := skipBlanks(s, i)
		end := p.codeAndFlags(s, code)
		if end == 0 || !loose && !endsRequest(s[:i-1]) && (s[end-1] == '-' || !endsShort(s[:i-1])) {
			continue
		}
		if found++; found > 1 {
			return at, found
		}
		at = code
	}
}

// endsRequest says whether s ends like a request line; nothing of it may be
// left.
func endsRequest(s []byte) bool {
	n := len(s)
	return n == 0 || protocolAt(s, 0, n) > 0 || n >= 8 && isProtocol(s[n-8:]) || n >= 6 && isProtocol(s[n-6:])
}

// endsShort says whether s ends like a request line whose protocol somebody
// left out.
func endsShort(s []byte) bool {
	method, path, ok := bytes.Cut(s[bytes.LastIndexByte(s, '"')+1:], blankByte)
	return ok && isMethod(method) && len(path) > 0 && path[0] == '/' && isToken(path)
}

// tornFrom reads the columns from the code at lo on in the layout that goes
// furthest.
func (p *Parser) tornFrom(s []byte, lo int) bool {
	const codeColumn = 4 // in textHead
	best, reached := -1, 0
	for i, f := range p.layouts.list {
		if f.dialect == Custom || f.dialect == Inferred {
			continue
		}
		p.cuts.run(f, s, codeColumn, lo)
		if p.cuts.full {
			return p.take(f, s)
		}
		if p.cuts.end > reached {
			best, reached = i, p.cuts.end
		}
	}
	if best >= 0 && reached > codeColumn+1 {
		f := p.layouts.list[best]
		p.cuts.run(f, s, codeColumn, lo)
		return p.takePart(f, s)
	}
	return accessHead(s) == 0 && ownHead(s) == 0 && p.lastFlags(s, lo)
}

// lastFlags reads a code and flags that end the line. A line whose front is
// intact was cut by a program, anywhere; one without was cut by a person, who
// cuts between words.
func (p *Parser) lastFlags(s []byte, lo int) bool {
	code, i := codeAt(s, lo)
	if i < 0 || !isFlags(s[i:]) {
		return false
	}
	r := &p.rec
	r.forget()
	r.Kind, r.Dialect, r.text, r.layout = Access, Inferred, s, Fields(ResponseCode, ResponseFlags)
	r.code, r.hasCode = code, true
	r.flags, r.hasFlags = decodeFlags(s[i:]), true
	r.set(ResponseFlags, i, len(s))
	return true
}

// codeAndFlags returns the offset behind a code and known flags at lo, or 0.
func (p *Parser) codeAndFlags(s []byte, lo int) int {
	_, i := codeAt(s, lo)
	if i < 0 {
		return 0
	}
	hi := i
	for hi < len(s) && s[hi] != ' ' {
		hi++
	}
	v := s[i:hi]
	if len(v) == 1 && v[0] == '-' {
		return hi
	}
	if !isFlags(v) || isDigits(v) || decodeFlags(v)&UnknownFlags != 0 {
		return 0
	}
	return hi
}

// looksLikeCommonLog recognises the head of a web server's own access log,
// `host ident user [10/Oct/2000:13:55:36 -0700] "`, which is not a proxy's.
func looksLikeCommonLog(head []byte) bool {
	i := bytes.IndexByte(head, '[')
	return i >= 0 && i+8 < len(head) && head[i+3] == '/' && head[i+7] == '/'
}
