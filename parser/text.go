package parser

import "bytes"

// The text layouts that Envoy's default format and Istio's share a head with,
// in the order in which they are tried.
type textLayouts struct{ list []*Format }

func newTextLayouts(given []*Format) textLayouts {
	t := textLayouts{}
	t.list = append(t.list, given...)
	for _, d := range []Dialect{istioText19, envoyDefault, istioText18, istioText13, istioText12, istioText11} {
		t.list = append(t.list, productFormats[d])
	}
	return t
}

// productFormats holds the compiled text formats of the list of dialects.
var productFormats = func() map[Dialect]*Format {
	m := map[Dialect]*Format{}
	for i, d := range dialects {
		if d.JSON || d.Format == "" {
			continue
		}
		f, err := Compile(d.Format)
		if err != nil {
			panic(err)
		}
		f.dialect = firstProduct + Dialect(i)
		m[f.dialect] = f
	}
	return m
}()

// The columns that users write into, and those behind the last quote.
var (
	userFields = Fields(XForwardedFor, UserAgent, RequestID, Authority, UpstreamHost)
	tailFields = Fields(UpstreamLocalAddress, DownstreamLocalAddress, DownstreamRemoteAddress, RequestedServerName, RouteName)
	reqFields  = Fields(Method, Path, Protocol)
)

// flat reads a whole record in one of the layouts that begin with textHead,
// from left to right, when its quotes are exactly those of the layout: then
// its cut is the only one. Anything else is left to slower code.
func (p *Parser) flat(s []byte) bool {
	n := len(s)
	if n < 64 || s[0] != '[' || s[5] != '-' || s[8] != '-' || s[11] != 'T' || s[25] != ']' || s[26] != ' ' || s[27] != '"' {
		return false
	}
	r := &p.rec
	const req = 28
	reqEnd := bytes.IndexByte(s[req:], '"')
	if reqEnd < 0 || req+reqEnd+8 > n {
		return false
	}
	reqEnd += req
	proto := protocolAt(s, req, reqEnd)
	i := reqEnd + 2
	if proto < 0 || s[i-1] != ' ' {
		return false
	}
	code, i := codeAt(s, i)
	if i < 0 {
		return false
	}
	flagsLo := i
	var set FlagSet
	if i+1 < n && s[i] == '-' && s[i+1] == ' ' {
		i += 2
	} else {
		for i < n && s[i] != ' ' {
			i++
		}
		if !isFlags(s[flagsLo:i]) {
			return false
		}
		set = decodeFlags(s[flagsLo:i])
		i++
	}
	flagsHi := i - 1
	if i >= n {
		return false
	}

	// Why, if the layout says it, and the numbers.
	quotes := 2
	var details, term, reason, policy span
	dialect := envoyDefault
	switch c := s[i]; {
	case c == '"':
		first, j := quoted(s, i)
		if j < 0 {
			return false
		}
		dialect, reason, quotes, i = istioText18, first, 4, j
		if s[i] == '"' {
			policy = first
			if reason, j = quoted(s, i); j < 0 {
				return false
			}
			dialect, quotes, i = istioText12, 6, j
		}
	case c-'0' > 9:
		j := bytes.IndexByte(s[i:], ' ')
		if j <= 0 || i+j+4 > n {
			return false
		}
		details = span{uint32(i), uint32(i + j)}
		i += j + 1
		j = i
		if s[i] == '-' && s[i+1] == ' ' {
			i++
		} else if k := bytes.Index(s[i:], []byte(` "`)); k >= 0 {
			i += k
		} else {
			return false
		}
		term = span{uint32(j), uint32(i)}
		if s[i+1] != '"' {
			return false
		}
		dialect, quotes = istioText19, 4
		if reason, i = quoted(s, i+1); i < 0 {
			return false
		}
	}
	var received, sent, duration, service span
	if received, i = numberAt(s, i); i < 0 {
		return false
	}
	if sent, i = numberAt(s, i); i < 0 {
		return false
	}
	if duration, i = numberAt(s, i); i < 0 {
		return false
	}
	if service, i = numberAt(s, i); i < 0 || i >= n || s[i] != '"' {
		return false
	}

	// The user's columns and the tail.
	quotes += 10
	if bytes.Count(s, quoteByte) != quotes {
		return false
	}
	user := i
	hostEnd := lastQuote(s)
	if dialect != envoyDefault {
		if hostEnd+2 >= n || s[hostEnd+1] != ' ' {
			return false
		}
		blanks := bytes.Count(s[hostEnd+2:], blankByte)
		switch {
		case dialect == istioText18 && blanks == 4:
			dialect, policy, reason = istioText11, reason, span{}
		case dialect == istioText12 && blanks >= 5:
			dialect = istioText13
		case dialect == istioText12 && blanks == 4:
		case blanks < 5:
			return false
		}
	} else if hostEnd+1 != n {
		return false
	}

	if p.want&userFields != 0 && !p.userColumns(s, user, hostEnd) {
		return false
	}
	r.Kind, r.Dialect, r.text, r.layout = Access, dialect, s, productLayouts[dialect]
	r.code, r.hasCode, r.flags, r.hasFlags = code, true, set, true
	r.spans[ResponseFlags] = span{uint32(flagsLo), uint32(flagsHi)}
	if set != 0 {
		r.present |= 1 << ResponseFlags
	}
	r.spans[StartTime] = span{1, 25}
	r.present |= 1 << StartTime
	p.keep(ResponseCodeDetails, details)
	p.keep(ConnectionTerminationDetails, term)
	p.keep(UpstreamTransportFailureReason, reason)
	p.keep(BytesReceived, received)
	p.keep(BytesSent, sent)
	p.keep(Duration, duration)
	p.keep(UpstreamServiceTime, service)
	if policy.hi > 0 && p.want.Has(Extra) {
		p.addExtra(mixerStatus, s[policy.lo:policy.hi], false)
	}
	if p.want&reqFields != 0 {
		p.request(s, req, proto, reqEnd)
	}
	if dialect != envoyDefault {
		p.tail(s, hostEnd+2)
	}
	return true
}

var (
	mixerStatus = []byte("DYNAMIC_METADATA(istio.mixer:status)")
	quoteByte   = []byte{'"'}
	blankByte   = []byte{' '}
)

// productLayouts holds the columns of the text dialects.
var productLayouts = func() (all [256]FieldSet) {
	for d, f := range productFormats {
		all[d] = f.layout
	}
	return all
}()

// keep stores a value that was found, if it is wanted and not a dash.
func (p *Parser) keep(f Field, at span) {
	if at.hi <= at.lo || at.hi == at.lo+1 && p.rec.text[at.lo] == '-' || !p.want.Has(f) {
		return
	}
	p.rec.spans[f] = at
	p.rec.present |= 1 << f
}

// protocolAt returns where the protocol begins in the request line s[lo:hi];
// negative when the line does not end with one.
func protocolAt(s []byte, lo, hi int) int {
	for _, n := range [...]int{8, 6, 1, 7} { // HTTP/1.1, HTTP/2, -, the rest
		if at := hi - n; at > lo && s[at-1] == ' ' {
			if n == 1 && s[at] == '-' || n > 1 && isProtocol(s[at:hi]) {
				return at
			}
		}
	}
	return -1
}

// codeAt reads a code and the blank behind it; negative when there is none.
func codeAt(s []byte, i int) (code int32, next int) {
	if i+4 < len(s) && s[i+3] == ' ' && s[i]-'0' <= 9 && s[i+1]-'0' <= 9 && s[i+2]-'0' <= 9 {
		return int32(s[i]-'0')*100 + int32(s[i+1]-'0')*10 + int32(s[i+2]-'0'), i + 4
	}
	if i+2 < len(s) && s[i] == '0' && s[i+1] == ' ' {
		return 0, i + 2
	}
	return 0, -1
}

// quoted reads a quoted value at i and the blank behind it.
func quoted(s []byte, i int) (at span, next int) {
	if i+4 < len(s) && s[i+1] == '-' && s[i+2] == '"' && s[i+3] == ' ' {
		return span{uint32(i + 1), uint32(i + 2)}, i + 4
	}
	j := bytes.IndexByte(s[i+1:], '"')
	if j < 0 || i+j+3 >= len(s) || s[i+j+2] != ' ' {
		return span{}, -1
	}
	return span{uint32(i + 1), uint32(i + 1 + j)}, i + j + 3
}

// numberAt reads digits or a dash, and the blank behind them.
func numberAt(s []byte, i int) (at span, next int) {
	lo := i
	for i < len(s) && s[i]-'0' <= 9 {
		i++
	}
	if i == lo && i < len(s) && s[i] == '-' {
		i++
	}
	if i >= len(s) || s[i] != ' ' {
		return span{}, -1
	}
	return span{uint32(lo), uint32(i)}, i + 1
}

// lastQuote returns the offset of the last quote of s, which has one. The
// tail of a line is short, so the search goes forward in a window at its end.
func lastQuote(s []byte) int {
	const window = 160
	lo := max(0, len(s)-window)
	at := bytes.IndexByte(s[lo:], '"')
	if at < 0 {
		return bytes.LastIndexByte(s, '"')
	}
	for at += lo; ; {
		j := bytes.IndexByte(s[at+1:], '"')
		if j < 0 {
			return at
		}
		at += 1 + j
	}
}

// userColumns reads the five quoted columns whose first quote stands at i.
func (p *Parser) userColumns(s []byte, i, hostEnd int) bool {
	p.rec.text = s
	for _, f := range [...]Field{XForwardedFor, UserAgent, RequestID, Authority} {
		at, next := quoted(s, i)
		if next < 0 || s[next] != '"' {
			p.rec.present = 0
			return false
		}
		p.keep(f, at)
		i = next
	}
	p.keep(UpstreamHost, span{uint32(i + 1), uint32(hostEnd)})
	return true
}

// request reads method, path and protocol of the request line s[lo:hi].
func (p *Parser) request(s []byte, lo, proto, hi int) {
	if m := bytes.IndexByte(s[lo:hi], ' '); m >= 0 {
		p.keep(Method, span{uint32(lo), uint32(lo + m)})
		if lo+m+1 < proto {
			p.keep(Path, span{uint32(lo + m + 1), uint32(proto - 1)})
		}
	}
	p.keep(Protocol, span{uint32(proto), uint32(hi)})
}

// tail reads the columns behind the upstream host; the last one goes on to
// the end of the line.
func (p *Parser) tail(s []byte, lo int) {
	j := bytes.IndexByte(s[lo:], ' ')
	p.keep(UpstreamCluster, span{uint32(lo), uint32(lo + j)})
	if p.want&tailFields == 0 {
		return
	}
	last := RequestedServerName
	if p.rec.layout.Has(RouteName) {
		last = RouteName
	}
	lo += j + 1
	for f := UpstreamLocalAddress; f < last; f++ {
		j = bytes.IndexByte(s[lo:], ' ')
		p.keep(f, span{uint32(lo), uint32(lo + j)})
		lo += j + 1
	}
	hi := len(s)
	for hi > lo && s[hi-1] == ' ' {
		hi--
	}
	p.keep(last, span{uint32(lo), uint32(hi)})
}

func (p *Parser) addExtra(key, value []byte, json bool) {
	if len(value) == 0 || len(value) == 1 && value[0] == '-' {
		return
	}
	p.rec.extra = append(p.rec.extra, ExtraField{key, value, json})
}
