package parser

import (
	"bytes"
	"math/bits"
)

// The text layouts that Envoy's default format and Istio's share a head with,
// in the order in which they are tried.
type textLayouts struct{ list []*Format }

func newTextLayouts(given []*Format) textLayouts {
	t := textLayouts{}
	for _, f := range given {
		if f.object == nil {
			t.list = append(t.list, f)
		}
	}
	for _, d := range flatDialects {
		t.list = append(t.list, productFormats[d])
	}
	t.list = append(t.list, ownLayouts...)
	return t
}

// flatDialects are the dialects that flat reads, in the order in which they
// are tried.
var flatDialects = []Dialect{istioText19, envoyDefault, istioText18, istioText13, istioText12, istioText11}

// productFormats holds the compiled text formats of the list of dialects.
var productFormats = func() map[Dialect]*Format {
	m := map[Dialect]*Format{}
	for i, d := range dialects {
		if d.Encoding != Text || d.Format == "" {
			continue
		}
		f, err := compileProduct(d.Format)
		if err != nil {
			panic(err)
		}
		f.dialect = firstProduct + Dialect(i)
		m[f.dialect] = f
	}
	return m
}()

var (
	mixerStatus = []byte("DYNAMIC_METADATA(istio.mixer:status)")
	mixerKey    = []byte("istio_policy_status")
	blankQuote  = []byte{' ', '"'}
	blankByte   = []byte{' '}
)

// productLayouts holds the columns of the text dialects.
var productLayouts = func() (all [256]FieldSet) {
	for d, f := range productFormats {
		all[d] = f.layout
	}
	return all
}()

// Groups of columns that are looked for when one of them is asked for.
const (
	requestFields = FieldSet(1<<Method | 1<<Path | 1<<Protocol)
	numberFields  = FieldSet(1<<BytesReceived | 1<<BytesSent | 1<<Duration | 1<<UpstreamServiceTime)
	userFields    = FieldSet(1<<XForwardedFor | 1<<UserAgent | 1<<RequestID | 1<<Authority | 1<<UpstreamHost)
	tailFields    = FieldSet(1<<UpstreamLocalAddress | 1<<DownstreamLocalAddress | 1<<DownstreamRemoteAddress | 1<<RequestedServerName | 1<<RouteName)
	endingFields  = FieldSet(1<<ResponseCode | 1<<ResponseFlags | 1<<ResponseCodeDetails | 1<<ConnectionTerminationDetails | 1<<UpstreamTransportFailureReason)
	lateFields    = ownFields &^ (1<<StartTime | 1<<ResponseCode | 1<<ResponseFlags | 1<<ResponseCodeDetails | 1<<UpstreamCluster)
)

// flat reads a whole record in one of the layouts that begin with textHead,
// when its quotes are exactly those of the layout: then its cut is the only
// one. Anything else is left to slower code. Whether a column holds a value,
// and where the columns stand that few callers ask for, is found out when
// somebody asks: see Record.late.
//
// s has Padding readable bytes behind it: values of up to eight bytes are
// loaded as one word.
func (p *Parser) flat(s []byte) bool {
	if len(s) < 64 || len(s) > stretch || s[0] != '[' || s[11] != 'T' {
		return false
	}
	m := &p.nested
	p.scanned = m
	m.of(s, 0, ' ')
	end, quotes := m.take()
	return end == len(s) && p.flatAt(s, quotes, 0)
}

// How many quotes a layout has: around the request line, the columns in front
// of the numbers, and the five that users and the upstream host fill.
const (
	requestQuotes = 2
	userQuotes    = 10
)

// requestLine is where the request line begins in these layouts.
const requestLine = len(`[2006-01-02T15:04:05.000Z] "`)

// flatAt is flat for a line whose quotes are known. The line begins at base
// in the stretch that the quotes count in.
func (p *Parser) flatAt(s []byte, q []uint16, base int) bool {
	n := len(q)
	if len(s) < 64 || n < requestQuotes+userQuotes || n >= maxQuotes || s[0] != '[' || s[11] != 'T' || load32(s, 24) != headEnd || int(q[0])-base != requestLine-1 {
		return false
	}
	end := int(q[1]) - base
	if end < requestLine+2 || end+8 > len(s) {
		return false
	}
	r := &p.rec
	r.text, r.mixer, r.extra = s, span{}, r.extra[:0]
	r.scanned, r.base = p.scanned, uint32(base)
	proto := protocolAt(s, requestLine, end)
	if proto < 0 {
		return false
	}
	i := r.outcome(end + 1)
	if i < 0 {
		return false
	}
	dialect, want, dashes := envoyDefault, requestQuotes+userQuotes, FieldSet(0)
	switch {
	case isHealthy(s, i):
		r.spans[ResponseCodeDetails] = span{uint32(i), uint32(i + len(usualWhy))}
		r.plain = r.flags == 0
		dialect, want, dashes, i = istioText19, want+2, reasonFields, i+len(healthy)
	case s[i] == '"':
		if dialect, i = r.reasons(i); dialect == istioText12 {
			want += 2
		}
		want += 2
	case s[i]-'0' > 9:
		dialect, i = r.why(i)
		want += 2
	}
	u := (*[userQuotes]uint16)(q[n-userQuotes:])
	if n != want || i < 0 || !r.areNumbers(i, int(u[0])-base) || !areApart(r.scanned.text, u) {
		return false
	}
	r.digits, r.users = uint32(i), *u
	host := int(u[userQuotes-1]) - base
	if dialect == envoyDefault {
		if host+1 != len(s) {
			return false
		}
	} else if dialect = r.tailBegins(dialect, host); dialect == NoDialect {
		return false
	}
	r.Kind, r.Dialect, r.layout = Access, dialect, productLayouts[dialect]
	r.hasCode, r.hasFlags = true, true
	r.spans[StartTime] = span{1, 25}
	r.present = 1 << StartTime
	if r.flags != 0 {
		r.present |= 1 << ResponseFlags
	}
	wanted := p.want & r.layout
	r.late = wanted & lateFields &^ dashes
	if wanted.Has(ResponseCodeDetails) {
		at := r.spans[ResponseCodeDetails]
		r.set(ResponseCodeDetails, int(at.lo), int(at.hi))
	}
	if wanted.Has(UpstreamCluster) {
		at := r.spans[UpstreamCluster]
		r.set(UpstreamCluster, int(at.lo), int(at.hi))
	}
	r.proto, r.reqEnd = uint32(proto), uint32(end)
	if p.want&endingFields == endingFields {
		r.ending = span{uint32(end + 2), uint32(i)}
	}
	if r.mixer.hi > 0 {
		p.addMixer()
	}
	return true
}

// areApart says whether a blank stands between each two of the columns that
// users and the upstream host fill, and nothing else. Their quotes count in
// text.
func areApart(text []byte, u *[userQuotes]uint16) bool {
	const quotes = '"' | ' '<<8 | '"'<<16
	other := uint32(0)
	for k := 1; k < userQuotes-2; k += 2 {
		other |= load32(text, int(u[k])) ^ quotes
	}
	return other<<8 == 0 // but for the byte behind them
}

const headEnd = 'Z' | ']'<<8 | ' '<<16 | '"'<<24

// outcome reads ` CODE FLAGS ` at i and returns the offset behind it;
// negative when something else stands there.
func (r *Record) outcome(i int) int {
	s := r.text
	const (
		form  = 0x00ffffff000000ff // blank, three bytes, blank, dash, blank
		usual = 0x00202d2000000020
	)
	if w := load64(s, i); w&form == usual && i+7 < len(s) {
		d := uint32(w>>8)&0xffffff ^ 0x303030
		if (d|(d+0x060606))&0xf0f0f0 == 0 {
			r.code, r.flags = int32(d&15*100+d>>8&15*10+d>>16), 0
			return i + 7
		}
	}
	if s[i] != ' ' {
		return -1
	}
	code, lo := codeAt(s, i+1)
	if lo < 0 {
		return -1
	}
	hi := r.blankFrom(lo)
	if hi < lo || hi+1 >= len(s) {
		return -1
	}
	flags, ok := flagsAt(s, lo, hi)
	if !ok {
		return -1
	}
	r.code, r.flags = code, flags
	r.spans[ResponseFlags] = span{uint32(lo), uint32(hi)}
	return hi + 1
}

// flagsAt reads the flags column s[lo:hi] of a text layout.
func flagsAt(s []byte, lo, hi int) (FlagSet, bool) {
	n := hi - lo
	if n == 1 && s[lo] == '-' {
		return 0, true
	}
	if n > 0 && n <= 8 {
		if set, ok := shortFlags.set(load64(s, lo) & (^uint64(0) >> (64 - 8*n))); ok {
			return set, true
		}
	}
	v := s[lo:hi]
	return decodeFlags(v), isFlags(v)
}

// reasons reads one or two quoted columns in front of the numbers: the
// mixer's status, the transport failure reason, or both.
func (r *Record) reasons(i int) (Dialect, int) {
	at := i + 1
	if i = quotedEnd(r.text, i); i < 0 {
		return NoDialect, i
	}
	first := span{uint32(at), uint32(i - 2)}
	r.spans[UpstreamTransportFailureReason] = first
	if r.text[i] != '"' {
		return istioText18, i
	}
	at = i + 1
	if i = quotedEnd(r.text, i); i < 0 {
		return NoDialect, i
	}
	r.mixer, r.spans[UpstreamTransportFailureReason] = first, span{uint32(at), uint32(i - 2)}
	return istioText12, i
}

const (
	healthy  = usualWhy + ` - "-" `
	via      = 'v' | 'i'<<8 | 'a'<<16 | '_'<<24 | 'u'<<32 | 'p'<<40 | 's'<<48 | 't'<<56
	upstream = 'r' | 'e'<<8 | 'a'<<16 | 'm'<<24 | ' '<<32 | '-'<<40 | ' '<<48 | '"'<<56
	noReason = '"' | '-'<<8 | '"'<<16 | ' '<<24
)

// reasonFields are the columns behind the details.
const reasonFields = FieldSet(1<<ConnectionTerminationDetails | 1<<UpstreamTransportFailureReason)

// isHealthy says whether the details of a healthy record stand at i, and no
// reasons.
func isHealthy(s []byte, i int) bool {
	return i+len(healthy) < len(s) && load64(s, i) == via && load64(s, i+8) == upstream && load32(s, i+15) == noReason
}

// why reads details, termination details and transport failure reason.
func (r *Record) why(i int) (Dialect, int) {
	s := r.text
	j := r.blankFrom(i)
	if j < i || j+4 > len(s) {
		return NoDialect, -1
	}
	r.spans[ResponseCodeDetails] = span{uint32(i), uint32(j)}
	i, j = j+1, j+2
	if s[i] != '-' || s[j] != ' ' {
		if j = bytes.Index(s[i:], blankQuote) + i; j < i || hasSplice(r.text[r.spans[ResponseCodeDetails].lo:j]) {
			return NoDialect, -1
		}
	}
	if r.spans[ConnectionTerminationDetails] = (span{uint32(i), uint32(j)}); j > i+1 {
		r.closeDetails()
	}
	if s[j+1] != '"' {
		return NoDialect, -1
	}
	at := j + 2
	i = quotedEnd(s, j+1)
	r.spans[UpstreamTransportFailureReason] = span{uint32(at), uint32(i - 2)}
	return istioText19, i
}

// tailBegins checks the unquoted columns behind the upstream host's quote by
// their number, which decides between layouts that are alike up to there, and
// reads the cluster.
func (r *Record) tailBegins(dialect Dialect, host int) Dialect {
	s, m, base, lo := r.text, r.scanned, int(r.base), host+2
	if lo >= len(s) || s[host+1] != ' ' {
		return NoDialect
	}
	end, blanks := len(s), 0
	if wide {
		if blanks = m.count(base+lo, base+len(s)); blanks > 0 {
			end = m.first(base+lo) - base
		}
	} else {
		end, blanks = lo+bytes.IndexByte(s[lo:], ' '), bytes.Count(s[lo:], blankByte)
	}
	switch {
	case dialect == istioText18 && blanks == 4:
		dialect, r.mixer, r.spans[UpstreamTransportFailureReason] = istioText11, r.spans[UpstreamTransportFailureReason], span{}
	case dialect == istioText12 && blanks >= 5:
		dialect = istioText13
	case blanks < 5 && (dialect != istioText12 || blanks < 4):
		return NoDialect
	}
	r.spans[UpstreamCluster] = span{uint32(lo), uint32(end)}
	return dialect
}

// policyStatus is the place among a record's spans of the mixer's status in an
// object. It is no field.
const policyStatus = NumFields + 1

// Mixer returns the status that Istio's mixer left, of the layouts up to 1.2;
// JSON escapes stay. It is nil when there is none, and lives as long as the
// record.
func (r *Record) Mixer() []byte {
	v := r.text[r.mixer.lo:r.mixer.hi:r.mixer.hi]
	if len(v) == 0 || len(v) == 1 && v[0] == '-' {
		return nil
	}
	return v
}

// addMixer keeps the status that Istio's mixer left.
func (p *Parser) addMixer() {
	if at := p.rec.mixer; p.want.Has(Extra) {
		p.addExtra(mixerStatus, p.rec.text[at.lo:at.hi], false)
	}
}

// protocolAt returns where the protocol begins in the request line s[lo:hi];
// negative when the line does not end with one.
func protocolAt(s []byte, lo, hi int) int {
	if hi-9 > lo { // which of the two it is decides no branch
		w := load64(s, hi-8)
		second := (w>>16 ^ http2 - 1) >> 63
		if at := hi - 8 + 2*int(second); (w^http11)&(second-1) == 0 && s[at-1] == ' ' {
			return at
		}
	}
	for _, n := range [...]int{8, 6, 1, 7} { // HTTP/1.1, HTTP/2, -, the rest
		if at := hi - n; at > lo && s[at-1] == ' ' {
			if n == 1 && s[at] == '-' || n > 1 && isProtocol(s[at:hi]) {
				return at
			}
		}
	}
	return -1
}

const (
	http2  = 'H' | 'T'<<8 | 'T'<<16 | 'P'<<24 | '/'<<32 | '2'<<40
	http11 = 'H' | 'T'<<8 | 'T'<<16 | 'P'<<24 | '/'<<32 | '1'<<40 | '.'<<48 | '1'<<56
)

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

// quotedEnd returns the offset behind the quoted value at i and the blank that
// follows; negative when there is none, or nothing behind it.
func quotedEnd(s []byte, i int) int {
	const dash = '"' | '-'<<8 | '"'<<16 | ' '<<24
	if i+4 < len(s) && load32(s, i) == dash {
		return i + 4
	}
	j := bytes.IndexByte(s[i+1:], '"') + i + 1
	if j <= i || j+2 >= len(s) || s[j+1] != ' ' {
		return -1
	}
	return j + 2
}

// areNumbers says whether text[lo:hi] is four columns from the bytes received
// on: digits, a dash or nothing, each with a blank.
func (r *Record) areNumbers(lo, hi int) bool {
	n := hi - lo
	if n < 8 || n > 16 {
		return r.numbers(lo) == hi
	}
	const (
		zeros = 0x3030303030303030
		sixes = 0x7676767676767676 // carries into the high bit from above nine
		blank = 0x1010101010101010 // a blank against a zero
	)
	// The last eight bytes, and those in front of them.
	w, v := load64(r.text, hi-8)^zeros, load64(r.text, hi-16)^zeros
	a, b := (w|(w&low7+sixes))&^low7, (v|(v&low7+sixes))&^low7
	b &= ^uint64(0) << (128 - 8*n)
	// All that is no digit is a blank.
	if (w^blank)&(a>>7*0xff) != 0 || (v^blank)&(b>>7*0xff) != 0 || a>>63 == 0 {
		return r.numbers(lo) == hi
	}
	return bits.OnesCount64(a)+bits.OnesCount64(b) == 4
}

// numbers reads the four columns from the bytes received on and the quote
// behind them, whose offset it returns. It is negative when something else
// stands there.
func (r *Record) numbers(i int) int {
	s := r.text
	for f := BytesReceived; f <= UpstreamServiceTime; f++ {
		if i+8 > len(s) {
			return -1
		}
		lo := i
		n := digitCount(load64(s, i))
		i += n
		for n == 8 && i+8 <= len(s) {
			n = digitCount(load64(s, i))
			i += n
		}
		if i == lo && s[i] == '-' {
			i++
		}
		if i >= len(s) || s[i] != ' ' {
			return -1
		}
		r.spans[f] = span{uint32(lo), uint32(i)}
		i++
	}
	if i >= len(s) || s[i] != '"' {
		return -1
	}
	return i
}

// digitCount is how many of the eight bytes, from the first one on, are digits.
func digitCount(w uint64) int {
	w ^= 0x3030303030303030                                      // digits become 0 to 9
	other := (w | (w&low7 + 0x7676767676767676)) & ^uint64(low7) // all else has its high bit set
	return bits.TrailingZeros64(other) >> 3
}

const low7 = 0x7f7f7f7f7f7f7f7f

func (p *Parser) addExtra(key, value []byte, json bool) {
	if len(value) == 0 || len(value) == 1 && value[0] == '-' {
		return
	}
	p.rec.extra = append(p.rec.extra, ExtraField{key, value, json})
}

// keep stores a value that was found, if it is wanted and not a dash.
func (p *Parser) keep(f Field, at span) {
	if p.want.Has(f) {
		p.rec.set(f, int(at.lo), int(at.hi))
	}
}
