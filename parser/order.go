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
	steps    []step
	at       [policyStatus + 1]int8 // the step of a field; negative: none
	buffer   []byte                 // what the tokens are views of
	layout   FieldSet
	dialect  Dialect
	clock    *clock // layout of the start time; nil: RFC 3339
	tail     []byte // what stands behind the last value
	number   Field  // a number that tells whether numbers are written as such; NumFields: none
	typed    bool   // they are
	windows  windows
	constant []uint8 // steps whose value is fixed
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

// newOrder returns an order that can be learned again and again without memory.
func newOrder() *order {
	return &order{
		steps: make([]step, 0, maxKeys), constant: make([]uint8, 0, maxKeys), buffer: make([]byte, 0, 2<<10),
		windows: windows{texts: make([][windowSize]byte, 0, maxKeys), longer: make([]longer, 0, maxLonger)},
	}
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
			set[k] = newOrder()
		}
	}
	way := &set[q.next[i]%orderWays]
	q.next[i]++
	q.last = *way
	q.last.windows.count = 0
	return q.last
}

// A step is one key, and what to do with its value.
type step struct {
	words  [tokenWords]uint64 // of the token
	masks  [tokenWords]uint64 // which of their bytes it has
	size   uint16             // of the token
	quotes uint16             // in it
	short  bool               // it has no more than two words
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
		token: token, name: name, field: field, fixed: fixed, size: uint16(n), quotes: uint16(bytes.Count(token, quoteByte)),
		short: n <= 16,
	}
	for i, c := range token[:min(n, tokenRoom)] {
		st.words[i>>3] |= uint64(c) << (i & 7 * 8)
		st.masks[i>>3] |= 0xff << (i & 7 * 8)
	}
	return st
}

// flatObject reads a whole access object in an order that was learned, without
// blanks, nested values or escapes. Anything else is left to slower code. The
// places are those of its values in p.scanned, where the object begins at base;
// nil when it was not scanned for them.
func (p *Parser) flatObject(s []byte, places []uint16, base int) bool {
	q := &p.orders
	if q.last == nil || s[len(s)-1] != '}' || len(s) > stretch {
		return false
	}
	o := &p.outline
	o.plain = false
	if wide && !p.valuesOf(s, places, base) {
		return false
	}
	if p.compare(q.last, s) {
		q.misses = 0
		return true
	}
	for _, way := range q.sets[orderSet(s)] {
		if way != nil && way != q.last && p.compare(way, s) {
			q.last, q.misses = way, 0
			return true
		}
	}
	return false
}

// usualObject reads the line that most lines are in a log of objects: a bare
// one in the order of the one before. It takes the line from the marks, and
// finds what fast would find; anything else it leaves as it is.
func (p *Parser) usualObject() bool {
	m, begin, q := &p.marks, p.pos, p.orders.last
	if q == nil || q.windows.count == 0 || p.block[begin] != '{' || p.glued || p.givenBrace || p.givenText || p.spreads || !wide {
		return false
	}
	if begin != m.next || m.line == m.lines {
		m.of(p.block[begin:], begin, 0)
	}
	if m.line == m.lines || m.other != 0 {
		return false
	}
	e, o := m.ends[m.line], &p.outline
	end := m.begin + int(e.at)
	s := p.block[begin:end]
	if len(s) < 2 || s[len(s)-1] != '}' {
		return false
	}
	o.text, o.noted, o.begin, o.end, o.sum = m.text, m.quotes[m.quote:e.quotes], begin-m.begin, int(e.at), int(m.sums[m.line+1]-m.sums[m.line])
	if !o.match(q) {
		return false
	}
	size := min(end+1, len(p.block)) - begin
	p.rec.reset(begin, size, p.line+1)
	if !p.settle(q, s) {
		return false
	}
	m.line++
	m.quote, m.next = int(e.quotes), end+1
	p.pos = begin + size
	p.line++
	p.orders.misses = 0
	p.rec.Partial = p.cut && p.pos >= len(p.block)
	return true
}

// valuesOf makes sure that it is noted where values begin in the object.
func (p *Parser) valuesOf(s []byte, places []uint16, base int) bool {
	o, m, ok := &p.outline, p.scanned, true
	if places == nil || m.other != 0 {
		m, base = &p.nested, 0
		m.of(s, 0, 0)
		var end int
		end, places = m.take()
		ok = end == len(s)
	}
	o.text, o.noted, o.begin, o.end, o.sum = m.text, places, base, base+len(s), m.taken()
	return ok
}

// follow finds the values of an object in the order q that begins at s[0], one
// behind the other, for orders that windows are not made for. It is false when
// the object is in another order.
func (o *outline) follow(q *order, s []byte) bool {
	o.strings, o.nulls, o.places, o.base = 0, 0, o.picked[:len(q.steps)], 0
	i := 0
	for k := range q.steps {
		st := &q.steps[k]
		lo := i + int(st.size)
		if !st.at((*[tokenRoom]byte)(s[i:i+tokenRoom])) || lo >= len(s) || st.size > tokenRoom && string(s[i:lo]) != string(st.token) {
			return false
		}
		o.places[k] = uint16(lo)
		if s[lo] == '"' {
			i = quoteFrom(s, lo+1) + 1
			o.strings |= 1 << k
			if i < lo+2 {
				return false
			}
		} else if load32(s, lo) == null {
			i = lo + 4
			o.nulls |= 1 << k
		} else if i = numberEnd(s, lo); i < 0 {
			return false
		}
		o.lasts[k+1] = uint16(i - 1)
	}
	return i <= len(s) && string(s[i:]) == string(q.tail)
}

// at says whether the first bytes of b are those of the token.
func (st *step) at(b *[tokenRoom]byte) bool {
	differ := (binary.LittleEndian.Uint64(b[0:])^st.words[0])&st.masks[0] | (binary.LittleEndian.Uint64(b[8:])^st.words[1])&st.masks[1]
	if !st.short {
		differ |= (binary.LittleEndian.Uint64(b[16:])^st.words[2])&st.masks[2] | (binary.LittleEndian.Uint64(b[24:])^st.words[3])&st.masks[3] |
			(binary.LittleEndian.Uint64(b[32:])^st.words[4])&st.masks[4]
	}
	return differ == 0
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

// compare reads the object s in the order q. Where its values stand is kept for
// whoever asks for them.
func (p *Parser) compare(q *order, s []byte) bool {
	o := &p.outline
	if q.windows.count > 0 && wide {
		return o.match(q) && p.settle(q, s)
	}
	o.plain = o.plain || bytes.IndexByte(s, '\\') < 0
	return o.plain && len(q.steps) > 0 && o.follow(q, s) && p.settle(q, s)
}

// settle fills the record in with the object s, whose values were found in the
// order q. It is false when one of them shows that the order is another.
func (p *Parser) settle(q *order, s []byte) bool {
	r, o := &p.rec, &p.outline
	r.text, r.ordered, r.outline = s, q, o
	if q.number < NumFields && !r.typedAlike() || len(q.constant) > 0 && !r.fixedAlike() {
		r.ordered = nil
		return false
	}
	r.Kind, r.Dialect, r.layout, r.inScratch, r.present = Access, q.dialect, q.layout, 0, 0
	r.late = q.layout & (p.want&ownFields | 1<<StartTime | 1<<ResponseFlags) &^ (1 << ResponseCode)
	r.clock, r.mixer, r.extra = q.clock, r.ordinal(policyStatus), r.extra[:0]
	if !r.usualEnding() {
		r.endings()
	}
	if p.want.Has(Extra) {
		p.keepRest(q, o)
	}
	return true
}

// endings reads the code and the flags.
func (r *Record) endings() {
	if at := r.ordinal(ResponseCode); at.hi == at.lo+3 {
		w := load32(r.text, int(at.lo)) ^ '0'<<16 ^ '0'<<8 ^ '0'
		if r.code, r.hasCode = int32(w&255*100+w>>8&255*10+w>>16&255), true; (w|(w&0x7f7f7f+0x767676))&0x808080 != 0 {
			r.code, r.hasCode = 0, r.setCode(at.of(r.text))
		}
	} else if at.hi > 0 {
		r.setCode(at.of(r.text))
	}
	if r.layout.Has(ResponseFlags) {
		r.hasFlags = true
		if v := r.ordinal(ResponseFlags).of(r.text); isValue(v) {
			r.flags = decodeFlags(v)
		}
	}
	if r.flags == 0 && r.hasFlags {
		r.plain = string(r.ordinal(ResponseCodeDetails).of(r.text)) == usualWhy && !isValue(r.ordinal(GRPCStatus).of(r.text))
	}
}

// usualEnding is endings for the object that most are: one that is plain.
func (r *Record) usualEnding() bool {
	q, o, s := r.ordered, r.outline, r.text
	code, flags, details, status := q.at[ResponseCode], q.at[ResponseFlags], q.at[ResponseCodeDetails], q.at[GRPCStatus]
	if code|flags|details < 0 || status >= 0 && o.nulls>>status&1 == 0 {
		return false
	}
	lo := o.begins(details)
	if load64(s, lo) != quotedVia || load64(s, lo+6) != quotedUpstream || load32(s, o.begins(flags))&0xffffff != '"'|'-'<<8|'"'<<16 {
		return false
	}
	lo = o.begins(code)
	behind := uint32(',')
	if o.strings>>code&1 != 0 {
		lo++
		behind = '"'
	}
	w := load32(s, lo) ^ ('0' | '0'<<8 | '0'<<16 | behind<<24)
	if (w|(w&0x7f7f7f+0x767676))&0xff808080 != 0 {
		return false
	}
	r.code, r.hasCode, r.hasFlags, r.plain = int32(w&255*100+w>>8&255*10+w>>16), true, true, true
	return true
}

const (
	quotedVia      = '"' | 'v'<<8 | 'i'<<16 | 'a'<<24 | '_'<<32 | 'u'<<40 | 'p'<<48 | 's'<<56
	quotedUpstream = 'p' | 's'<<8 | 't'<<16 | 'r'<<24 | 'e'<<32 | 'a'<<40 | 'm'<<48 | '"'<<56
)

// typedAlike says whether numbers are written as the order has them: as such,
// or as strings.
func (r *Record) typedAlike() bool {
	o, q := r.outline, r.ordered
	k := q.at[q.number]
	if q.typed {
		return (o.strings|o.nulls)>>k&1 == 0
	}
	return o.strings>>k&1 != 0 && isValue(r.value(int(k)).of(r.text))
}

// fixedAlike says whether the values that never change are those of the order.
func (r *Record) fixedAlike() bool {
	q := r.ordered
	for _, k := range q.constant {
		if at := r.value(int(k)); at.hi > 0 && string(at.of(r.text)) != string(q.steps[k].fixed) {
			return false
		}
	}
	return true
}

// keepRest keeps the values that are no fields.
func (p *Parser) keepRest(q *order, o *outline) {
	for k := range q.steps {
		if st := &q.steps[k]; st.field >= NumFields {
			if at := p.rec.value(k); at.hi > 0 {
				p.addExtra(st.name, at.of(p.rec.text), o.strings>>k&1 == 0)
			}
		}
	}
}

// isValue says whether v does not say that there is no value.
func isValue(v []byte) bool { return len(v) > 1 || len(v) == 1 && v[0] != '-' }

// value is where a value of the order stands; empty at 0 for null.
func (r *Record) value(k int) span {
	o := r.outline
	if o.nulls>>(k&63)&1 != 0 {
		return span{}
	}
	quote := uint32(o.strings >> (k & 63) & 1)
	return span{uint32(o.places[k]&placeMask) + quote - uint32(o.base), uint32(o.lasts[k+1]) + 1 - quote - uint32(o.base)}
}

// begins is where a value of the order begins, with its quote.
func (o *outline) begins(k int8) int { return int(o.places[k]&placeMask) - o.base }

// ordinal is where the value of a field stands in an object that was read in an
// order; empty at 0 when there is none.
func (r *Record) ordinal(f Field) span {
	if k := r.ordered.at[f]; k >= 0 {
		return r.value(int(k))
	}
	return span{}
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
	lo, numbers := 0, uint64(0)
	for k, at := range p.seen[:o.count] {
		token := q.buffer[lo : lo+1+int(at.hi-at.lo)]
		lo += len(token)
		name := token[2:bytes.LastIndexByte(token, '"')]
		key, known := keyOf(name)
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
		if s[at.hi]-'0' <= 9 {
			numbers |= 1 << k
		}
	}
	q.index(numbers)
}

// index notes the steps of fields, and makes the windows. An order with two for
// one field is of no use. Numbers are the steps that had a number.
func (q *order) index(numbers uint64) {
	q.constant = q.constant[:0]
	for f := range q.at {
		q.at[f] = -1
	}
	for k := range q.steps {
		st := &q.steps[k]
		if st.fixed != nil {
			q.constant = append(q.constant, uint8(k))
		}
		switch f := st.field; {
		case f == NumFields:
		case q.at[f] >= 0:
			q.steps = q.steps[:0]
			return
		default:
			q.at[f] = int8(k)
		}
	}
	q.windows.set(q.steps, q.tail, numbers)
}
