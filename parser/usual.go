package parser

// usualQuotes is how many quotes a line in Istio's layout of today has.
const usualQuotes = requestQuotes + 2 + userQuotes

// usual reads the line that most lines are: a request in Istio's layout of
// today to which an answer came from upstream, bare or in the usual CRI head.
// It takes the line from the marks, and finds what fast would find; anything
// else it leaves as it is.
func (p *Parser) usual() bool {
	m, begin := &p.marks, p.pos
	if !wide || begin != m.next || m.line == m.lines || m.other != ' ' || p.glued || p.givenText || p.spreads {
		return false
	}
	e := m.ends[m.line]
	if int(e.quotes)-m.quote != usualQuotes {
		return false
	}
	q := (*[usualQuotes]uint16)(m.quotes[m.quote:])
	base := begin - m.begin
	line := p.block[begin : m.begin+int(e.at)]
	head := int(q[0]) - base - (len(timeHead) - 1)
	if head != 0 {
		if head != usualCRI || line[0] == '[' || line[10] != 'T' || !isUsualCRI(line) || p.parts[usualStream(line)].size > 0 {
			return false
		}
		line, base = line[head:], base+head
	}
	at := int(q[1]) - base // the quote behind the request line
	last := len(line) - 1
	if line[0] != '[' || line[11] != 'T' || load32(line, 24) != headEnd || line[last] == '\r' || line[last] >= 0x80 || at+1+len(answered) > last {
		return false
	}
	w, r := load64(line, at+1), &p.rec
	a, b, c := byte(w>>8)-'0', byte(w>>16)-'0', byte(w>>24)-'0'
	i := at + 8
	if w&answeredForm != answeredHead || a > 9 || b > 9 || c > 9 || load64(line, i) != via || load64(line, i+8) != upstream || load32(line, i+15) != noReason {
		return false
	}
	u := (*[userQuotes]uint16)(q[usualQuotes-userQuotes:])
	if (u[2]-u[1])^2|(u[4]-u[3])^2|(u[6]-u[5])^2|(u[8]-u[7])^2 != 0 {
		return false
	}
	x, y, z, v, host := int(u[1])-base, int(u[3])-base, int(u[5])-base, int(u[7])-base, int(u[9])-base
	if host+2 > last || (line[x+1]^' ')|(line[y+1]^' ')|(line[z+1]^' ')|(line[v+1]^' ')|(line[host+1]^' ') != 0 {
		return false
	}
	proto, digits := protocolAt(line, len(timeHead), at), i+len(healthy)
	r.text = line
	if proto < 0 || !r.areNumbers(digits, int(u[0])-base) {
		return false
	}
	lo := host + 2
	end, blanks := m.tail(base+lo, base+len(line))
	if blanks < 5 {
		return false
	}
	m.line++
	m.quote = int(e.quotes)
	m.next = m.begin + int(e.at) + 1
	size := min(m.next, len(p.block)) - begin
	p.pos = begin + size
	p.line++
	r.reset(begin, size, p.line)
	if head > 0 {
		r.wrap(CRI)
	}
	r.Kind, r.Dialect, r.layout = Access, istioText19, productLayouts[istioText19]
	r.code, r.hasCode, r.hasFlags, r.plain = int32(a)*100+int32(b)*10+int32(c), true, true, true
	r.Partial = p.cut && p.pos >= len(p.block)
	r.proto, r.reqEnd, r.digits = uint32(proto), uint32(at), uint32(digits)
	r.spans[StartTime] = span{1, 25}
	r.spans[ResponseFlags] = span{uint32(i - 2), uint32(i - 1)}
	r.spans[ResponseCodeDetails] = span{uint32(i), uint32(i + len(usualDetails))}
	r.spans[ConnectionTerminationDetails] = span{uint32(i + 13), uint32(i + 14)}
	r.spans[UpstreamTransportFailureReason] = span{uint32(i + 16), uint32(i + 17)}
	r.spans[XForwardedFor] = span{uint32(int(u[0]) + 1 - base), uint32(x)}
	r.spans[UserAgent] = span{uint32(x + 3), uint32(y)}
	r.spans[RequestID] = span{uint32(y + 3), uint32(z)}
	r.spans[Authority] = span{uint32(z + 3), uint32(v)}
	r.spans[UpstreamHost] = span{uint32(v + 3), uint32(host)}
	r.spans[UpstreamCluster] = span{uint32(lo), uint32(end - base)}
	r.present = 1<<StartTime | p.want&(1<<ResponseCodeDetails)
	if p.want.Has(UpstreamCluster) {
		r.set(UpstreamCluster, lo, end-base)
	}
	r.late = p.want & r.layout & lateFields
	if p.want&endingFields == endingFields {
		r.ending = span{uint32(at + 2), uint32(digits)}
	}
	return true
}

const (
	timeHead     = `[2006-01-02T15:04:05.000Z] "`
	usualDetails = "via_upstream"
	answered     = ` 200 - ` + healthy
	answeredForm = 0xffffffff000000ff // blank, three bytes, blank, dash, blank, v
	answeredHead = 0x76202d2000000020
)
