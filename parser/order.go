package parser

import "bytes"

// An order is the layout of the last access object: its keys as they were
// written, one behind the other. A proxy writes all its records in one order,
// so the next object is read by comparing; one in another order is scanned,
// and learned from with back-off.
type order struct {
	steps   []step
	buffer  []byte // what the tokens are views of
	layout  FieldSet
	dialect Dialect
	clock   *clock // layout of the start time; nil: RFC 3339
	tail    []byte // what stands behind the last value
	misses  int    // objects in a row that were in another order
}

// A step is one key, and what to do with its value.
type step struct {
	token []byte // what stands in front of the value: `{"key":` or `,"key":`
	name  []byte
	field Field // from NumFields on: kept as extra, if at all
}

// flatObject reads a whole access object in the order of the last one, without
// blanks, nested values or escapes. Anything else is left to slower code.
func (p *Parser) flatObject(s []byte) bool {
	q := &p.order
	if len(q.steps) == 0 || s[len(s)-1] != '}' || bytes.IndexByte(s, '\\') >= 0 {
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
		lo := i + len(st.token)
		if lo >= len(s) || string(s[i:lo]) != string(st.token) {
			return false
		}
		hi := 0
		switch c := s[lo]; {
		case c == '"':
			lo++
			hi = bytes.IndexByte(s[lo:], '"') + lo
			i = hi + 1
			if hi < lo {
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
	q.misses = 0
	return true
}

var closing = []byte{'}'}

const null = 'n' | 'u'<<8 | 'l'<<16 | 'l'<<24

// learn remembers the order of the keys of the access object that was just
// scanned, if reading by comparing gives the same.
func (p *Parser) learn(s []byte, o *object) {
	q := &p.order
	if q.misses++; o.count > maxKeys || q.misses > 8 && q.misses&63 != 0 {
		return
	}
	q.steps, q.buffer, q.layout, q.dialect = q.steps[:0], q.buffer[:0], 0, p.rec.Dialect
	for _, at := range p.seen[:o.count] {
		q.buffer = append(append(q.buffer, ','), s[at.lo:at.hi]...)
	}
	q.buffer[0] = '{'
	q.clock, q.tail = nil, closing
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
		case q.layout.Has(key.field), len(token) != len(name)+4:
			q.steps = q.steps[:0] // a field by two keys, or blanks
			return
		}
		q.layout |= 1 << key.field & ownFields
		q.steps = append(q.steps, step{token, name, key.field})
	}
}
