package parser

import (
	"bytes"
	"unicode/utf16"
	"unicode/utf8"
)

// A verdict on a line that begins with a brace.
type jsonKind uint8

const (
	jsonOther   jsonKind = iota // somebody else's JSON
	jsonAccess                  // an access record, in p.rec
	jsonEvent                   // an event, in p.rec
	jsonWrapper                 // the line is in o.inner
	jsonBroken                  // a proxy's, but not well-formed
)

// readObject scans the object at s[0] and says what it is.
func (p *Parser) readObject(s []byte) (jsonKind, object) {
	if o, ok := p.givenObject(s); ok {
		return jsonAccess, o
	}
	r := &p.rec
	r.forget()
	p.unescaped = p.unescaped[:0]
	o := p.scan(s)
	if o.odd && o.whole {
		p.general(s[:o.end], &o)
	}
	switch {
	case r.answersElse():
		return jsonOther, o
	case r.layout.Has(ResponseFlags) && o.proxy || r.hasCode && (o.proxy || o.keys.has(ownCode)) || o.told && r.hasCode || r.showsOutcome(&o):
		p.accessObject(s, &o)
		return jsonAccess, o
	case o.carrier && (p.readTraffic(s) || p.readEntry(s)):
		return jsonAccess, o
	case o.carrier && p.ship(s, &o):
		return jsonWrapper, o
	case o.inner.lo > 0 && (o.stream || o.torn || r.layout.Has(StartTime)):
		if o.stream {
			o.key = Docker
		}
		return jsonWrapper, o
	case o.whole && p.readJSONEvent(s):
		return jsonEvent, o
	case beginsRecord(r.Bytes(Message)) || p.fitsGiven(r.Bytes(Message)):
		o.key = JSONMessage
		return jsonWrapper, o
	case (o.proxy || o.names >= enoughNames) && !o.whole:
		return jsonBroken, o
	}
	return jsonOther, o
}

// answersElse says whether the code and the flags are no proxy's, but those of
// another protocol that answers with such, like DNS.
func (r *Record) answersElse() bool {
	return !r.hasCode && r.layout.Has(ResponseCode) && r.foreignFlags()
}

// foreignFlags says whether there are flags and no proxy knows any of them.
func (r *Record) foreignFlags() bool {
	if !r.present.Has(ResponseFlags) {
		return false
	}
	flags := decodeFlags(r.Bytes(ResponseFlags))
	return flags != 0 && flags&^UnknownFlags == 0
}

// showsOutcome says whether code and flags, under keys that other programs have
// as well, are those of a proxy: it knows the flags, or a request has none.
func (r *Record) showsOutcome(o *object) bool {
	request := r.layout&(1<<Method|1<<Path|1<<Authority|1<<UpstreamCluster) != 0
	switch {
	case !r.hasCode:
		return false
	case r.present.Has(ResponseFlags):
		return isFlagsOrDash(r.Bytes(ResponseFlags)) && (request || r.layout.Has(StartTime))
	}
	return o.dash && request && r.layout.Has(StartTime)
}

var ownCode = jsonKeys["response_code"].id

// accessObject turns what was scanned into an access record.
func (p *Parser) accessObject(s []byte, o *object) {
	r := &p.rec
	r.Kind, r.Partial = Access, !o.whole
	if r.layout.Has(ResponseFlags) {
		r.flags, r.hasFlags = decodeFlags(r.Bytes(ResponseFlags)), true
	}
	r.Dialect = dialectOf(&o.keys, o.foreign, o.typed)
	if o.whole && !o.odd && !o.remarks && bytes.IndexByte(s, '\\') < 0 { // no object with escapes is read in an order
		p.learn(s, o)
	}
}

// unescape appends the text of a JSON string. Escapes that JSON does not have
// stay as they are, but for the octal ones that old proxies wrote.
func unescape(dst, v []byte) []byte {
	for {
		j := bytes.IndexByte(v, '\\')
		if j < 0 || j+1 == len(v) {
			return append(dst, v...)
		}
		dst = append(dst, v[:j]...)
		v = v[j+1:]
		n := 1
		switch c := v[0]; c {
		case '"', '\\', '/':
			dst = append(dst, c)
		case 'b':
			dst = append(dst, '\b')
		case 'f':
			dst = append(dst, '\f')
		case 'n':
			dst = append(dst, '\n')
		case 'r':
			dst = append(dst, '\r')
		case 't':
			dst = append(dst, '\t')
		case 'u':
			dst, n = unescapeRune(dst, v)
		default:
			dst, n = unescapeOctal(dst, v)
		}
		v = v[n:]
	}
}

// unescapeRune appends the rune of uXXXX, or of a surrogate pair, at v[0].
func unescapeRune(dst, v []byte) ([]byte, int) {
	r1, ok := hex4(v[1:])
	if !ok {
		return append(dst, '\\', 'u'), 1
	}
	if utf16.IsSurrogate(r1) {
		if len(v) >= 11 && v[5] == '\\' && v[6] == 'u' {
			if r2, ok := hex4(v[7:]); ok {
				if r := utf16.DecodeRune(r1, r2); r != utf8.RuneError {
					return utf8.AppendRune(dst, r), 11
				}
			}
		}
		return utf8.AppendRune(dst, utf8.RuneError), 5
	}
	return utf8.AppendRune(dst, r1), 5
}

func hex4(v []byte) (rune, bool) {
	if len(v) < 4 {
		return 0, false
	}
	n := rune(0)
	for _, c := range v[:4] {
		switch {
		case c-'0' <= 9:
			c -= '0'
		case c|' ' >= 'a' && c|' ' <= 'f':
			c = c | ' ' - 'a' + 10
		default:
			return 0, false
		}
		n = n<<4 | rune(c)
	}
	return n, true
}

// unescapeOctal appends the byte of a three-digit octal escape at v[0], or the
// backslash that was none.
func unescapeOctal(dst, v []byte) ([]byte, int) {
	if len(v) >= 3 && v[0] >= '0' && v[0] <= '3' && v[1]-'0' <= 7 && v[2]-'0' <= 7 {
		return append(dst, (v[0]-'0')<<6|(v[1]-'0')<<3|v[2]-'0'), 3
	}
	return append(dst, '\\'), 0
}
