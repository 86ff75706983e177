package parser

import (
	"bytes"
	"encoding/json"
	"iter"
)

// jsonPairs walks the keys of a flat JSON map of the list of dialects.
func jsonPairs(format string) iter.Seq2[string, string] {
	return func(yield func(string, string) bool) {
		if format == "" {
			return
		}
		var pairs map[string]string
		if err := json.Unmarshal([]byte(format), &pairs); err != nil {
			panic(err)
		}
		for k, v := range pairs {
			if !yield(k, v) {
				return
			}
		}
	}
}

// maxKeys is how many keys of an object are remembered.
const maxKeys = 63

// maxDepth is how deep the values of an object may nest.
const maxDepth = 32

// An object is what a scan found beside the fields.
type object struct {
	end     int    // offset behind the object, or where the scan stopped
	whole   bool   // the object is complete
	cut     bool   // the text ended inside it
	keys    keySet // known keys
	foreign bool   // it has a key that no list knows
	proxy   bool   // it has a key that only proxies write
	told    bool   // it has the details of the code, under such a key
	dash    bool   // it has flags, and there are none
	odd     bool   // a key has an escape in it
	inner   span   // value of "log" or "body", quotes off
	key     Envelope
	torn    bool // the text ended inside it
	names   int  // weight of the keys that are fields' own names
	stream  bool // it has docker's "stream"
	stderr  bool // which is stderr
	shipped bool // inner is a cargo's
	carrier bool // it has a key that a shipper's objects have
	count   int
	typed   bool // a number is written as one
	remarks bool // somebody wrote remarks behind its members
}

// typedFields are those that typed JSON has as numbers.
var typedFields = [...]Field{ResponseCode, BytesSent, BytesReceived, Duration}

// scan reads the object at s[0] and stores the fields it finds. Keys of
// dialects are matched at the top level; all else is kept as extra.
func (p *Parser) scan(s []byte) (o object) {
	r := &p.rec
	r.text = s
	i := 1
	for {
		i = p.skipRemarks(s, i, &o)
		if i >= len(s) {
			o.cut = true
			break
		}
		if s[i] == '}' {
			i++
			o.whole = true
			break
		}
		if o.count > 0 {
			if s[i] != ',' {
				break
			}
			if i = p.skipRemarks(s, i+1, &o); i >= len(s) {
				o.cut = true
				break
			}
		}
		if s[i] != '"' {
			break
		}
		var ok bool
		if i, ok = p.member(s, i, &o); !ok {
			o.cut = i >= len(s)
			break
		}
	}
	o.end = i
	return o
}

// skipRemarks skips space, and what people write behind the members of an
// object that they laid out: from # or // to the end of the line.
func (p *Parser) skipRemarks(s []byte, i int, o *object) int {
	i = skipSpace(s, i)
	for p.multiline && i < len(s) && (s[i] == '#' || hasPrefix(s[i:], "//")) {
		o.remarks = true
		i = skipSpace(s, i+lineEndIn(s[i:]))
	}
	return i
}

// member reads one key and its value at i.
func (p *Parser) member(s []byte, i int, o *object) (next int, ok bool) {
	begin := i
	end, escaped := stringEnd(s, i+1)
	if end < 0 {
		return len(s), false
	} else if n := p.wrapped(s[i:end]); n > 0 {
		return i + n, false
	}
	o.odd = o.odd || escaped
	name := s[i+1 : end]
	if i = skipSpace(s, end+1); i >= len(s) || s[i] != ':' {
		return i, false
	}
	i++
	key, known := keyOf(name)
	if o.count < maxKeys {
		p.seen[o.count] = span{uint32(begin), uint32(i)}
	}
	o.count++
	if i = skipSpace(s, i); i >= len(s) {
		return i, false
	}
	if !known {
		o.foreign = true
		return p.foreign(s, i, name, o)
	} else if key.field == Extra && string(name) == "body" {
		o.keys.add(key.id)
		return p.foreign(s, i, name, o)
	}
	if key.own && commonFields.Has(key.field) {
		o.names += 2
	} else if key.own && key.field < Level {
		o.names += 3
	}
	return p.value(s, i, name, key, o.note(key), o)
}

// note notes a known key, and says whether the object had this very key before.
func (o *object) note(key jsonKey) (again bool) {
	o.proxy = o.proxy || key.proxy
	o.told = o.told || key.field == ResponseCodeDetails && !key.loose
	if key.spelled {
		o.foreign = true
		return false
	}
	again = o.keys.has(key.id)
	o.keys.add(key.id)
	return again
}

// value stores the value at i under a known key. again says that the object
// had this very key before: which one is meant can not be told.
func (p *Parser) value(s []byte, i int, name []byte, key jsonKey, again bool, o *object) (next int, ok bool) {
	r := &p.rec
	v, escaped, next, ok := scalar(s, i)
	if !ok {
		return next, false
	} else if n := p.wrapped(s[v.lo:v.hi]); n > 0 {
		return int(v.lo) + n, false
	}
	if v.lo == 0 && key.field == ResponseFlags && s[i] == '[' && !again {
		p.flagList(s[i:next])
		return next, true
	}
	if v.lo == 0 { // an object or an array
		if p.want.Has(Extra) {
			p.addExtra(name, s[i:next], true)
		}
		return next, true
	}
	f := key.field
	if f == Extra && s[i] == '"' && bytes.Equal(name, mixerKey) {
		r.mixer = v
	}
	if f == Extra || r.layout.Has(f) && !again && !key.own {
		p.extraScalar(s, i, name, v, escaped, next)
		return next, true
	}
	if again {
		r.Suspicious = true
		r.present &^= 1 << f
		if f == ResponseCode {
			r.hasCode = false
		}
		return next, true
	}
	r.layout |= 1 << f
	r.present &^= 1 << f
	if s[i] == 'n' {
		return next, true
	}
	o.dash = o.dash || f == ResponseFlags && isDash(s[v.lo:v.hi])
	o.typed = o.typed || s[i] != '"' && (f == ResponseCode || f == BytesSent || f == BytesReceived || f == Duration)
	if f == ResponseCode {
		r.spans[f] = v
		r.setCode(s[v.lo:v.hi])
		return next, true
	}
	if !p.want.Has(f) && f != ResponseFlags && f != StartTime && f != Level && f != Message && f != Component {
		return next, true
	}
	if escaped {
		lo := len(r.scratch)
		r.scratch = unescape(r.scratch, s[v.lo:v.hi])
		r.setScratch(f, lo)
	} else {
		r.inScratch &^= 1 << f
		r.set(f, int(v.lo), int(v.hi))
	}
	return next, true
}

// flagList reads flags that stand in a list, as this program's own output has
// them, and stores them as a proxy writes them.
func (p *Parser) flagList(list []byte) {
	r := &p.rec
	lo := len(r.scratch)
	for i := bytes.IndexByte(list, '"'); i >= 0; i = bytes.IndexByte(list, '"') {
		end, _ := stringEnd(list, i+1)
		if len(r.scratch) > lo {
			r.scratch = append(r.scratch, ',')
		}
		r.scratch = append(r.scratch, list[i+1:end]...)
		list = list[end+1:]
	}
	r.layout |= 1 << ResponseFlags
	r.setScratch(ResponseFlags, lo)
}

// foreign keeps the value of a key that no list knows.
func (p *Parser) foreign(s []byte, i int, name []byte, o *object) (next int, ok bool) {
	v, escaped, next, ok := scalar(s, i)
	if _, carrier := carriers[string(name)]; carrier || s[i] == '{' && string(name) == "body" {
		o.carrier = true
	}
	switch string(name) {
	case "log", "body":
		if s[i] == '"' {
			if !ok {
				v = span{uint32(i + 1), uint32(len(s))}
				o.torn = true
			}
			o.inner, o.key = v, JSONLog
			if len(name) == len("body") {
				o.key = JSONBody
			}
		}
	case "stream":
		o.stream, o.stderr = true, ok && string(s[v.lo:v.hi]) == "stderr"
	}
	if ok {
		p.extraScalar(s, i, name, v, escaped, next)
	}
	if ok && s[i] == '{' {
		var buf [maxSpelling]byte
		p.members(s, i, buf[:0], name, o)
	}
	return next, ok
}

// extraScalar keeps a value under its own key.
func (p *Parser) extraScalar(s []byte, i int, name []byte, v span, escaped bool, next int) {
	if !p.want.Has(Extra) || s[i] == 'n' {
		return
	}
	if s[i] != '"' {
		p.addExtra(name, s[i:next], true)
		return
	}
	if !escaped {
		p.addExtra(name, s[v.lo:v.hi], false)
		return
	}
	lo := len(p.unescaped)
	p.unescaped = unescape(p.unescaped, s[v.lo:v.hi])
	p.addExtra(name, p.unescaped[lo:], false)
}

// scalar finds the end of the value at i. v is what stands inside the quotes,
// or the number or literal; it is empty at 0 for an object or an array.
func scalar(s []byte, i int) (v span, escaped bool, next int, ok bool) {
	switch c := s[i]; {
	case c == '"':
		end, esc := stringEnd(s, i+1)
		if end < 0 {
			return v, false, len(s), false
		}
		return span{uint32(i + 1), uint32(end)}, esc, end + 1, true
	case c == '{' || c == '[':
		next, ok = nested(s, i)
		return v, false, next, ok
	default:
		j := i
		for j < len(s) && !endsScalar[s[j]] {
			j++
		}
		if j == len(s) || !isLiteral(s[i:j]) {
			return v, false, j, false
		}
		return span{uint32(i), uint32(j)}, false, j, true
	}
}

var endsScalar = [256]bool{',': true, '}': true, ']': true, ' ': true, '\t': true, '\n': true, '\r': true, '"': true, ':': true, '{': true, '[': true}

func isLiteral(v []byte) bool {
	switch {
	case len(v) == 0:
		return false
	case v[0]-'0' <= 9 || v[0] == '-':
		for _, c := range v[1:] {
			if c-'0' > 9 && c != '.' && c|' ' != 'e' && c != '+' && c != '-' {
				return string(v) == "-inf"
			}
		}
		return true
	}
	return string(v) == "null" || string(v) == "true" || string(v) == "false" || string(v) == "inf" || string(v) == "nan"
}

// stringEnd returns the offset of the quote that ends the string begun before
// i, and whether a backslash stands in it. It is negative when there is none.
func stringEnd(s []byte, i int) (end int, escaped bool) {
	lo := i
	for {
		j := bytes.IndexByte(s[i:], '"')
		if j < 0 {
			return -1, false
		}
		i += j
		if i == lo || s[i-1] != '\\' {
			return i, escaped || bytes.IndexByte(s[lo:i], '\\') >= 0
		}
		n := 0
		for k := i - 1; k >= lo && s[k] == '\\'; k-- {
			n++
		}
		if n&1 == 0 {
			return i, true
		}
		escaped = true
		i++
	}
}

// nested returns the offset behind the object or array at i.
func nested(s []byte, i int) (next int, ok bool) {
	depth := 0
	for ; i < len(s); i++ {
		switch s[i] {
		case '{', '[':
			if depth++; depth > maxDepth {
				return i, false
			}
		case '}', ']':
			if depth--; depth == 0 {
				return i + 1, true
			}
		case '"':
			end, _ := stringEnd(s, i+1)
			if end < 0 {
				return len(s), false
			}
			i = end
		}
	}
	return len(s), false
}

// wrapped returns the offset behind the line end that a string goes over, or
// 0. Well-formed JSON never does that: the line ends in a torn string, and the
// next one is another record.
func (p *Parser) wrapped(v []byte) int {
	if !p.multiline {
		return 0
	}
	return bytes.IndexByte(v, '\n') + 1
}

func skipSpace(s []byte, i int) int {
	for i < len(s) && s[i] <= ' ' && (s[i] == ' ' || s[i] == '\n' || s[i] == '\t' || s[i] == '\r') {
		i++
	}
	return i
}
