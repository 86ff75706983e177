package parser

import (
	"bytes"
	"encoding/binary"
	"math/bits"
)

// An order is the layout of an access object: its keys as they were written,
// one behind the other. A proxy writes all its records in one order, so the
// next object is read by comparing; one in another order is scanned, and
// learned from with back-off.
type order struct {
	steps   []step
	at      [policyStatus + 1]int8 // the step of a field; negative: none
	buffer  []byte                 // what the tokens are views of
	layout  FieldSet
	dialect Dialect
	clock   *clock // layout of the start time; nil: RFC 3339
	tail    []byte // what stands behind the last value
	number  Field  // a number that tells whether numbers are written as such; NumFields: none
	typed   bool   // they are
}

// Orders are found by how an object begins.
const (
	orderSets = 8
	orderWays = 8
)

// An orders holds the orders that were learned: the last one, and those of the
// other proxies in the stream.
type orders struct {
	last   *order
	sets   [orderSets][orderWays]*order
	next   [orderSets]uint8 // which one of a set is forgotten next
	misses int              // objects in a row that were in no order that is known
}

// orderSet is the set of an object by its first key and its last one.
func orderSet(s []byte) uint8 {
	i := len(s) - 4
	for i > 8 && (s[i] != '"' || s[i+1] != ':') {
		i--
	}
	const odd = 0x9e3779b97f4a7c15
	h := (load64(s, 2)*odd ^ load64(s, max(i-8, 0))) * odd
	return uint8(h >> 61)
}

// room returns the order to overwrite with that of s; nil when nothing is to
// be learned.
func (q *orders) room(s []byte, keys int) *order {
	if q.misses++; keys == 0 || keys > maxKeys || q.misses > 8 && q.misses&63 != 0 {
		return nil
	}
	i := orderSet(s)
	set := &q.sets[i]
	for k := range set {
		if set[k] == nil {
			set[k] = &order{steps: make([]step, 0, 48), buffer: make([]byte, 0, 2<<10)}
		}
	}
	way := &set[q.next[i]%orderWays]
	q.next[i]++
	q.last = *way
	return *way
}

// A step is one key, and what to do with its value.
type step struct {
	words  [tokenWords]uint64 // of the token
	masks  [tokenWords]uint64 // which of their bytes it has
	size   uint16             // of the token
	quotes uint16             // in it
	short  bool               // it has no more than two words
	odd    bool               // there is more to compare: the rest of the token, or fixed
	field  Field              // from NumFields on: kept as extra, if at all
	token  []byte             // what stands in front of the value: `{"key":` or `,"key":`
	name   []byte
	fixed  []byte // what the value must be; nil: anything
}

const (
	tokenWords = 5
	tokenRoom  = 8 * tokenWords
)

func newStep(token, name []byte, field Field, fixed []byte) step {
	n := len(token)
	st := step{
		token: token, name: name, field: field, fixed: fixed, size: uint16(n), quotes: uint16(bytes.Count(token, []byte{'"'})),
		short: n <= 16, odd: n > tokenRoom || fixed != nil,
	}
	for i, c := range token[:min(n, tokenRoom)] {
		st.words[i>>3] |= uint64(c) << (i & 7 * 8)
		st.masks[i>>3] |= 0xff << (i & 7 * 8)
	}
	return st
}

// flatObject reads a whole access object in an order that was learned, without
// blanks, nested values or escapes. Anything else is left to slower code. The
// quotes are those of p.scanned, where the object begins at base; nil when it
// was not scanned.
func (p *Parser) flatObject(s []byte, quotes []uint16, base int) bool {
	q := &p.orders
	if q.last == nil || s[len(s)-1] != '}' || len(s) > stretch {
		return false
	}
	text, quotes, base, ok := p.withoutEscapes(s, quotes, base)
	if !ok {
		return false
	}
	if p.compare(q.last, s, text, quotes, base) {
		q.misses = 0
		return true
	}
	for _, way := range q.sets[orderSet(s)] {
		if way != nil && way != q.last && p.compare(way, s, text, quotes, base) {
			q.last, q.misses = way, 0
			return true
		}
	}
	return false
}

// withoutEscapes makes sure that no backslash stands in an object, and returns
// the text that its quotes count in and where it begins there.
func (p *Parser) withoutEscapes(s []byte, quotes []uint16, base int) (text []byte, places []uint16, begin int, ok bool) {
	switch {
	case quotes != nil && p.scanned.other == '\\':
		return p.scanned.text, quotes, base, p.scanned.count(base, base+len(s)) == 0
	case quotes != nil:
		return p.scanned.text, quotes, base, bytes.IndexByte(s, '\\') < 0
	case wide:
		m := &p.nested
		m.of(s, 0, '\\')
		end, quotes := m.take()
		return s, quotes, 0, end == len(s) && m.count(0, end) == 0
	}
	return s, nil, 0, bytes.IndexByte(s, '\\') < 0
}

// follow finds the values of an object in the order q that begins at text[i],
// whose quotes are those given, if any, and where the last one ends; negative
// when the object is in another order. A null has no place.
func (q *order) follow(text []byte, i int, quotes []uint16, values []span) int {
	steps, n := q.steps, 0
	values = values[:len(steps)]
	for k := range steps {
		st := &steps[k]
		b := (*[tokenRoom]byte)(text[i : i+tokenRoom])
		differ := (binary.LittleEndian.Uint64(b[0:])^st.words[0])&st.masks[0] | (binary.LittleEndian.Uint64(b[8:])^st.words[1])&st.masks[1]
		if !st.short {
			differ |= (binary.LittleEndian.Uint64(b[16:])^st.words[2])&st.masks[2] | (binary.LittleEndian.Uint64(b[24:])^st.words[3])&st.masks[3] |
				(binary.LittleEndian.Uint64(b[32:])^st.words[4])&st.masks[4]
		}
		lo := i + int(st.size)
		n += int(st.quotes)
		if differ != 0 || lo >= len(text) {
			return -1
		}
		from, hi := i, 0
		if text[lo] == '"' {
			lo++
			if n++; n < len(quotes) {
				hi = int(quotes[n])
			} else if hi = quoteFrom(text, lo); quotes != nil || hi < lo {
				return -1
			}
			n++
			i = hi + 1
		} else if load32(text, lo) == null {
			i, lo = lo+4, 0
		} else if i = numberEnd(text, lo); i < 0 {
			return -1
		} else {
			hi = i
		}
		values[k] = span{uint32(lo), uint32(hi)}
		if st.odd && !st.passes(text, from, lo, hi) {
			return -1
		}
	}
	return i
}

// quoteFrom is the place of the first quote from lo on; before lo when there is
// none.
func quoteFrom(text []byte, lo int) int {
	if found := near(load64(text, lo), '"'); found != 0 {
		return lo + bits.TrailingZeros64(found)>>3
	}
	return lo + bytes.IndexByte(text[lo:], '"')
}

// numberEnd returns where the digits at text[i] end; negative when something
// else stands there.
func numberEnd(text []byte, i int) int {
	lo := i
	n := digitCount(load64(text, i))
	for i += n; n == 8 && i+8 < len(text); i += n {
		n = digitCount(load64(text, i))
	}
	if i == lo || i >= len(text) || text[i] != ',' && text[i] != '}' {
		return -1
	}
	return i
}

// passes compares the rest of an odd step: its token begins at an offset, its
// value is text[lo:hi], empty at 0 for null.
func (st *step) passes(text []byte, from, lo, hi int) bool {
	if st.size > tokenRoom && string(text[from:from+int(st.size)]) != string(st.token) {
		return false
	}
	return st.fixed == nil || hi == 0 || string(text[lo:hi]) == string(st.fixed)
}

// compare reads the object s in the order q, which begins at base in the text.
// Where its values stand is kept for whoever asks for them.
func (p *Parser) compare(q *order, s, text []byte, quotes []uint16, base int) bool {
	if len(q.steps) == 0 {
		return false
	}
	values := p.seen[:len(q.steps)]
	end := q.follow(text, base, quotes, values)
	if end < 0 || end > base+len(s) || string(text[end:base+len(s)]) != string(q.tail) {
		return false
	}
	if q.number < NumFields && !q.isNumber(text, values) {
		return false
	}
	r := &p.rec
	r.text, r.extra = s, r.extra[:0]
	r.ordered, r.values, r.base = q, values, uint32(base)
	r.Kind, r.Dialect, r.layout, r.inScratch, r.present = Access, q.dialect, q.layout, 0, 0
	r.late = q.layout & (p.want&ownFields | 1<<StartTime | 1<<ResponseFlags) &^ (1 << ResponseCode)
	r.clock = q.clock
	r.mixer = r.ordered.place(policyStatus, values, r.base)
	if at := q.place(ResponseCode, values, r.base); at.hi > 0 {
		r.setCode(at.of(s))
	}
	if q.layout.Has(ResponseFlags) {
		r.flags, r.hasFlags = decodeFlags(r.Bytes(ResponseFlags)), true
	}
	if r.flags == 0 && r.hasFlags {
		r.plain = string(q.place(ResponseCodeDetails, values, r.base).of(s)) == "via_upstream" && !isValue(q.place(GRPCStatus, values, r.base).of(s))
	}
	if p.want.Has(Extra) {
		for k := range q.steps {
			if st, at := &q.steps[k], values[k]; st.field >= NumFields && at.hi > 0 {
				lo := int(at.lo) - base
				p.addExtra(st.name, s[lo:int(at.hi)-base], s[lo-1] != '"')
			}
		}
	}
	return true
}

// isValue says whether v does not say that there is no value.
func isValue(v []byte) bool { return len(v) > 1 || len(v) == 1 && v[0] != '-' }

// isNumber says whether the values are written as the order has them: numbers
// as such, or as strings.
func (q *order) isNumber(text []byte, values []span) bool {
	at := values[q.at[q.number]]
	return at.hi > 0 && isValue(at.of(text)) && text[at.lo-1] != '"' == q.typed
}

// place is where the value of a field stands in an object that begins at base;
// empty at 0 when there is none.
func (q *order) place(f Field, values []span, base uint32) span {
	k := q.at[f]
	if k < 0 || values[k].hi == 0 {
		return span{}
	}
	return span{values[k].lo - base, values[k].hi - base}
}

var closing = []byte{'}'}

const null = 'n' | 'u'<<8 | 'l'<<16 | 'l'<<24

// learn remembers the order of the keys of the access object that was just
// scanned, if reading by comparing gives the same.
func (p *Parser) learn(s []byte, o *object) {
	q := p.orders.room(s, o.count)
	if q == nil {
		return
	}
	q.steps, q.buffer, q.layout, q.dialect = q.steps[:0], q.buffer[:0], 0, p.rec.Dialect
	for _, at := range p.seen[:o.count] {
		q.buffer = append(append(q.buffer, ','), s[at.lo:at.hi]...)
	}
	q.buffer[0] = '{'
	q.clock, q.tail, q.number, q.typed = nil, closing, NumFields, o.typed
	for _, f := range typedFields {
		if p.rec.present.Has(f) || f == ResponseCode && p.rec.hasCode {
			q.number = f
			break
		}
	}
	lo := 0
	for _, at := range p.seen[:o.count] {
		token := q.buffer[lo : lo+1+int(at.hi-at.lo)]
		lo += len(token)
		name := token[2:bytes.LastIndexByte(token, '"')]
		key, known := jsonKeys[string(name)]
		switch {
		case bytes.Equal(name, mixerKey):
			key.field = policyStatus
		case !known || key.field == Extra:
			key.field = NumFields
		case q.layout.Has(key.field) && !key.own && len(token) == len(name)+4:
			key.field = NumFields // another key of the field came first
		case q.layout.Has(key.field), len(token) != len(name)+4:
			q.steps = q.steps[:0] // a field by two keys, or blanks
			return
		}
		q.layout |= 1 << key.field & ownFields
		q.steps = append(q.steps, newStep(token, name, key.field, nil))
	}
	q.index()
}

// index notes the steps of fields. An order with two for one field is of no
// use.
func (q *order) index() {
	for f := range q.at {
		q.at[f] = -1
	}
	for k := range q.steps {
		switch f := q.steps[k].field; {
		case f == NumFields:
		case q.at[f] >= 0:
			q.steps = q.steps[:0]
			return
		default:
			q.at[f] = int8(k)
		}
	}
}
