package parser

import (
	"bytes"
	"math/bits"
)

// An order is the layout of an access object: its keys as they were written,
// one behind the other. A proxy writes all its records in one order, so the
// next object is read by comparing; one in another order is scanned, and
// learned from with back-off.
type order struct {
	steps   []step
	buffer  []byte // what the tokens are views of
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
	words [4]uint64 // of the token, overlapping when it is short
	at    [4]uint8  // where they begin in it
	odd   bool      // they are not all of the token
	field Field     // from NumFields on: kept as extra, if at all
	size  uint16    // of the token
	token []byte    // what stands in front of the value: `{"key":` or `,"key":`
	name  []byte
	fixed []byte // what the value must be; nil: anything
}

func newStep(token, name []byte, field Field) step {
	n := len(token)
	st := step{token: token, name: name, field: field, size: uint16(n), odd: n < 8 || n > 32}
	if !st.odd {
		st.at = [4]uint8{0, uint8(min(8, n-8)), uint8(max(0, n-16)), uint8(n - 8)}
		for i, at := range st.at {
			st.words[i] = load64(token, int(at))
		}
	}
	return st
}

// flatObject reads a whole access object in an order that was learned, without
// blanks, nested values or escapes. Anything else is left to slower code.
func (p *Parser) flatObject(s []byte) bool {
	q := &p.orders
	if q.last == nil || s[len(s)-1] != '}' || bytes.IndexByte(s, '\\') >= 0 {
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

// compare reads an object in the order q.
func (p *Parser) compare(q *order, s []byte) bool {
	if len(q.steps) == 0 {
		return false
	}
	r := &p.rec
	r.text, r.extra = s, r.extra[:0]
	r.spans[policyStatus] = span{}
	extra := p.want.Has(Extra)
	present := FieldSet(0)
	i := 0
	for k := range q.steps {
		st := &q.steps[k]
		lo := i + int(st.size)
		if lo >= len(s) {
			return false
		}
		if st.odd {
			if string(s[i:lo]) != string(st.token) {
				return false
			}
		} else if load64(s, i+int(st.at[0]))^st.words[0]|load64(s, i+int(st.at[1]))^st.words[1]|
			load64(s, i+int(st.at[2]))^st.words[2]|load64(s, i+int(st.at[3]))^st.words[3] != 0 {
			return false
		}
		hi := 0
		switch c := s[lo]; {
		case c == '"':
			lo++
			hi = lo
			if found := near(load64(s, lo), '"'); found != 0 {
				hi += bits.TrailingZeros64(found) >> 3
			} else {
				hi += bytes.IndexByte(s[lo:], '"')
			}
			if i = hi + 1; hi < lo || hi >= len(s) {
				return false
			}
		case c-'0' <= 9:
			hi = lo + digitCount(load64(s, lo))
			i = hi
			if hi >= len(s) || s[hi] != ',' && s[hi] != '}' {
				return false
			}
		case load32(s, lo) == null && lo+4 < len(s):
			i = lo + 4
			continue
		default:
			return false
		}
		if st.fixed != nil && string(s[lo:hi]) != string(st.fixed) {
			return false
		}
		if hi == lo || hi == lo+1 && s[lo] == '-' {
			continue
		}
		r.spans[st.field] = span{uint32(lo), uint32(hi)}
		present |= 1 << st.field
		if extra && st.field >= NumFields {
			p.addExtra(st.name, s[lo:hi], s[lo-1] != '"')
		}
	}
	if string(s[i:]) != string(q.tail) {
		return false
	}
	if q.number < NumFields && (!present.Has(q.number) || (s[r.spans[q.number].lo-1] != '"') != q.typed) {
		return false
	}
	r.clock = q.clock
	r.mixer = r.spans[policyStatus]
	r.Kind, r.Dialect, r.layout, r.late, r.inScratch = Access, q.dialect, q.layout, 0, 0
	r.present = present & (p.want&ownFields | 1<<StartTime | 1<<ResponseFlags)
	if present.Has(ResponseCode) {
		at := r.spans[ResponseCode]
		r.setCode(s[at.lo:at.hi])
	}
	if q.layout.Has(ResponseFlags) {
		r.flags, r.hasFlags = decodeFlags(r.Bytes(ResponseFlags)), true
	}
	if details := r.spans[ResponseCodeDetails]; present.Has(ResponseCodeDetails) && r.flags == 0 && r.hasFlags {
		r.plain = string(s[details.lo:details.hi]) == "via_upstream" && !present.Has(GRPCStatus)
	}
	return true
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
		q.steps = append(q.steps, newStep(token, name, key.field))
	}
}
