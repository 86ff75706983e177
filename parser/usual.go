package parser

// usual reads the line that most lines are: one of the scanned stretch in a
// layout that flat reads, bare or in the usual CRI head. It finds what next
// would find; anything else it leaves as it is.
func (p *Parser) usual() bool {
	m, begin := &p.marks, p.pos
	if !wide || begin != m.next || m.line == m.lines || m.other != ' ' || p.glued || p.givenText || p.spreads {
		return false
	}
	e := m.ends[m.line]
	q := m.quotes[m.quote:e.quotes]
	if len(q) < requestQuotes+userQuotes {
		return false
	}
	base, end := begin-m.begin, m.begin+int(e.at)
	line := p.block[begin:end]
	head := int(q[0]) - base - (requestLine - 1)
	if head != 0 && (head != usualCRI || line[0] == '[' || line[10] != 'T' || !isUsualCRI(line) || p.parts[usualStream(line)].size > 0) {
		return false
	}
	if c := line[len(line)-1]; c == '\r' || c >= 0x80 {
		return false
	}
	size, r := min(end+1, len(p.block))-begin, &p.rec
	r.reset(begin, size, p.line+1)
	p.scanned = m
	if !p.flatAt(line[head:], q, base+head) {
		return false
	}
	if head > 0 {
		r.wrap(CRI)
	}
	m.line++
	m.quote, m.next = int(e.quotes), end+1
	p.pos = begin + size
	p.line++
	r.Partial = p.cut && p.pos >= len(p.block)
	return true
}
