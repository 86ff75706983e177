package parser

import "bytes"

// A walk reads an object by a map.
type walk struct {
	f       *Format
	seen    [maxLeaves/64 + 1]uint64
	count   int // keys of the map that were seen
	foreign int // keys that the map does not have
	named   FieldSet
	kept    []byte // nested values that no field takes
	leaves  []leaf // values in the order of the object, for learning
	plain   bool   // it can be read by comparing
}

// A leaf is a value that is no object and no array.
type leaf struct {
	lo, hi int    // where it stands, quotes included
	field  Field  // from NumFields on: extra
	key    []byte // of an extra
	fixed  bool   // the map says what it is
}

// givenObject reads the object at s[0] by the first of the given maps that it
// has the keys of.
func (p *Parser) givenObject(s []byte) (o object, ok bool) {
	if !p.givenMap {
		return o, false
	}
	for _, f := range p.given {
		if f.object != nil && p.readMap(f, s, &o) {
			return o, true
		}
	}
	return o, false
}

// readMap reads the object at s[0] by the map f.
func (p *Parser) readMap(f *Format, s []byte, o *object) bool {
	r, w := &p.rec, &p.walk
	*w = walk{f: f, kept: w.kept[:0], leaves: w.leaves[:0], plain: true}
	p.begin(f, s)
	p.unescaped = p.unescaped[:0]
	end, whole := p.walkObject(s, 0, f.object, 0)
	*o = object{end: end, whole: whole, cut: !whole && end >= len(s)}
	if !whole && !o.cut || !w.belongs(whole) {
		r.forget()
		r.Kind, r.Dialect = Noise, NoDialect
		return false
	}
	r.Partial = !whole
	if w.named.Has(ResponseFlags) {
		r.flags, r.hasFlags = decodeFlags(r.Bytes(ResponseFlags)), true
	}
	if whole && !r.Suspicious && w.plain && w.foreign == 0 {
		p.learnMap(s[:end])
	}
	return true
}

// belongs says whether an object with the keys that were seen is one of the
// map: it has no other keys and lacks only those that a proxy may omit, or it
// has all of them and others that somebody added.
func (w *walk) belongs(whole bool) bool {
	if w.count == w.f.leaves {
		return true
	}
	if w.foreign > 0 || w.count == 0 {
		return false
	}
	if !whole {
		return w.named&Fields(ResponseCode, ResponseFlags, ResponseCodeDetails) != 0
	}
	must, has := w.must(w.f.object)
	return has == must && (must > 0 || 2*w.count >= w.f.leaves)
}

// must counts the members below n that every record has, and those of them
// that were seen.
func (w *walk) must(n *node) (must, has int) {
	for _, m := range n.members {
		if m.kind == nodeObject || m.kind == nodeArray {
			a, b := w.must(m)
			must, has = must+a, has+b
		} else if m.always {
			must++
			if w.saw(m) {
				has++
			}
		}
	}
	return must, has
}

func (w *walk) saw(n *node) bool { return w.seen[n.id>>6]>>(n.id&63)&1 != 0 }

// walkObject reads the object at s[i] by the node, and returns the offset
// behind it. whole is false where the text stops being such an object.
func (p *Parser) walkObject(s []byte, i int, n *node, depth int) (next int, whole bool) {
	for i++; ; {
		if i = skipSpace(s, i); i >= len(s) {
			return i, false
		}
		if s[i] == '}' {
			return i + 1, true
		}
		if s[i] == ',' {
			if i = skipSpace(s, i+1); i >= len(s) {
				return i, false
			}
		}
		if s[i] != '"' {
			return i, false
		}
		end, escaped := stringEnd(s, i+1)
		if end < 0 {
			return len(s), false
		} else if at := p.wrapped(s[i:end]); at > 0 {
			return i + at, false
		}
		raw := s[i : end+1]
		name := raw[1 : len(raw)-1]
		if escaped {
			lo := len(p.unescaped)
			p.unescaped = unescape(p.unescaped, name)
			name = p.unescaped[lo:]
		}
		if i = skipSpace(s, end+1); i >= len(s) || s[i] != ':' {
			return i, false
		}
		if i = skipSpace(s, i+1); i >= len(s) {
			return i, false
		}
		if i, whole = p.walkMember(s, i, n.byKey[string(name)], name, raw, depth); !whole {
			return i, false
		}
	}
}

// walkArray is walkObject for an array. What is kept of it stays in its place.
func (p *Parser) walkArray(s []byte, i int, n *node, depth int) (next int, whole bool) {
	w := &p.walk
	open, any := len(w.kept), false
	i++
	for k := 0; ; k++ {
		if i = skipSpace(s, i); i >= len(s) {
			return i, false
		}
		if s[i] == ']' {
			if !any {
				w.kept = w.kept[:open]
			}
			return i + 1, true
		}
		if s[i] == ',' {
			if i = skipSpace(s, i+1); i >= len(s) {
				return i, false
			}
		}
		var m *node
		if k < len(n.members) {
			m = n.members[k]
		}
		before := len(w.kept)
		if i, whole = p.walkMember(s, i, m, nil, nil, depth); !whole {
			return i, false
		}
		if any = any || len(w.kept) > before; len(w.kept) == before {
			w.kept = append(appendMemberKey(w.kept, nil), "null"...)
		}
	}
}

// walkMember reads the value at i: that of a node, nil when the map has none.
// Name is its key, raw the key as it is written; both are nil in an array.
func (p *Parser) walkMember(s []byte, i int, n *node, name, raw []byte, depth int) (next int, whole bool) {
	w := &p.walk
	v, escaped, next, ok := scalar(s, i)
	switch {
	case n == nil:
		w.foreign++
		if ok {
			p.keepMember(s, i, next, v, escaped, name, raw, depth)
		}
		return next, ok
	case w.saw(n):
		p.rec.Suspicious = true
		if n.kind == nodeColumn {
			p.unset(n.column.field)
		}
		return next, ok
	}
	w.seen[n.id>>6] |= 1 << (n.id & 63)
	w.count++
	switch {
	case n.kind == nodeObject && s[i] == '{':
		return p.walkNested(s, i, n, name, raw, depth, (*Parser).walkObject)
	case n.kind == nodeArray && s[i] == '[':
		return p.walkNested(s, i, n, name, raw, depth, (*Parser).walkArray)
	case !ok:
		return next, false
	case p.wrapped(s[v.lo:v.hi]) > 0:
		return int(v.lo) + p.wrapped(s[v.lo:v.hi]), false
	case n.kind == nodeLiteral:
		if !n.is(s[i:next], v, s) {
			return i, false
		}
		w.leaves = append(w.leaves, leaf{i, next, NumFields, name, true})
		w.plain = w.plain && (n.quoted || isDigits(n.literal))
		p.keepMember(s, i, next, v, escaped, name, raw, depth)
	case n.kind == nodePattern:
		w.plain = false
		p.walkPattern(s, i, next, n, v, escaped, name, raw, depth)
	case n.kind == nodeColumn:
		p.walkColumn(s, i, next, n, v, escaped, name, raw, depth)
	default: // an object or an array that has no value
		w.plain = false
		return next, s[i] == 'n'
	}
	return next, true
}

// walkNested reads a nested object or array. What no field takes of it is
// kept under its key, nested as it is.
func (p *Parser) walkNested(s []byte, i int, n *node, name, raw []byte, depth int, read func(*Parser, []byte, int, *node, int) (int, bool)) (next int, whole bool) {
	w := &p.walk
	lo := len(w.kept)
	if depth > 0 {
		w.kept = appendMemberKey(w.kept, raw)
	}
	open := len(w.kept)
	w.kept = append(w.kept, s[i])
	next, whole = read(p, s, i, n, depth+1)
	if len(w.kept) == open+1 {
		w.kept = w.kept[:lo]
		return next, whole
	}
	w.kept = append(w.kept, s[i]+2) // the closing bracket
	if depth == 0 {
		p.addExtra(name, w.kept[lo:len(w.kept):len(w.kept)], true)
	}
	return next, whole
}

func appendMemberKey(b, raw []byte) []byte {
	if c := b[len(b)-1]; c != '{' && c != '[' {
		b = append(b, ',')
	}
	if raw != nil {
		b = append(append(b, raw...), ':')
	}
	return b
}

// keepMember keeps a value that no field takes.
func (p *Parser) keepMember(s []byte, i, next int, v span, escaped bool, name, raw []byte, depth int) {
	if !p.want.Has(Extra) || s[i] == 'n' {
		return
	}
	w := &p.walk
	if depth == 0 {
		if v.lo == 0 {
			p.addExtra(name, s[i:next], true)
			w.plain = false
			return
		}
		p.extraScalar(s, i, name, v, escaped, next)
		return
	}
	w.plain = false
	if value := s[v.lo:v.hi]; v.lo > 0 && (len(value) == 0 || len(value) == 1 && value[0] == '-') {
		return
	}
	w.kept = append(appendMemberKey(w.kept, raw), s[i:next]...)
}

// walkColumn stores a value that is one operator.
func (p *Parser) walkColumn(s []byte, i, next int, n *node, v span, escaped bool, name, raw []byte, depth int) {
	r, w, f := &p.rec, &p.walk, n.column.field
	if f != Extra && v.lo > 0 {
		w.named |= 1 << f
	}
	switch {
	case f == ResponseFlags && s[i] == '[':
		w.named |= 1 << f
		p.flagList(s[i:next])
		w.plain = false
	case f == Extra || v.lo == 0 || s[i] != 'n' && !n.column.whole(int(v.hi-v.lo)):
		w.leaves = append(w.leaves, leaf{i, next, NumFields, name, false})
		w.plain = w.plain && f == Extra && v.lo > 0 && n.column.most == 0
		p.keepMember(s, i, next, v, escaped, name, raw, depth)
	default:
		w.leaves = append(w.leaves, leaf{i, next, f, nil, false})
		w.plain = w.plain && n.column.most == 0
		if s[i] == 'n' {
			return
		}
		if f == ResponseCode {
			r.setCode(s[v.lo:v.hi])
			return
		}
		p.store(f, s, v, escaped)
	}
}

// store keeps a value that was found in JSON, if it is wanted.
func (p *Parser) store(f Field, s []byte, v span, escaped bool) {
	r := &p.rec
	if !p.want.Has(f) && f != ResponseFlags && f != StartTime {
		return
	}
	if !escaped {
		r.set(f, int(v.lo), int(v.hi))
		return
	}
	lo := len(r.scratch)
	r.scratch = unescape(r.scratch, s[v.lo:v.hi])
	r.setScratch(f, lo)
}

// walkPattern cuts a text with several operators.
func (p *Parser) walkPattern(s []byte, i, next int, n *node, v span, escaped bool, name, raw []byte, depth int) {
	f := n.pattern
	if s[i] == '"' && !escaped && f.cutWithin(p, s, v) {
		return
	}
	if s[i] == '"' && escaped {
		lo := len(p.rec.scratch)
		p.rec.scratch = unescape(p.rec.scratch, s[v.lo:v.hi])
		if p.cutScratch(f, lo) {
			return
		}
	}
	p.keepMember(s, i, next, v, escaped, name, raw, depth)
}

// cutWithin stores the columns of the text s[v].
func (f *Format) cutWithin(p *Parser, s []byte, v span) bool {
	text := s[:v.hi]
	if !hasPrefix(text[v.lo:], f.prefix) {
		return false
	}
	if p.cuts.run(f, text, 0, int(v.lo)+len(f.prefix)); !p.cuts.full {
		return false
	}
	p.takeColumns(f, text)
	return true
}

// cutScratch stores the columns of the text scratch[lo:].
func (p *Parser) cutScratch(f *Format, lo int) bool {
	r := &p.rec
	text := r.scratch
	if !hasPrefix(text[lo:], f.prefix) {
		return false
	}
	if p.cuts.run(f, text, 0, lo+len(f.prefix)); !p.cuts.full {
		return false
	}
	line, before := r.text, r.present
	r.text = text
	p.takeColumns(f, text)
	r.text = line
	r.inScratch |= r.present &^ before
	return true
}

// unset takes a value back.
func (p *Parser) unset(f Field) {
	r := &p.rec
	if f == Extra {
		return
	}
	r.present &^= 1 << f
	switch f {
	case ResponseCode:
		r.hasCode = false
	case ResponseFlags:
		p.walk.named &^= 1 << ResponseFlags
		r.flags, r.hasFlags = 0, false
	}
}

// is says whether a value is the literal that the map has. Numbers may be
// written in another way.
func (n *node) is(value []byte, v span, s []byte) bool {
	if value[0] == 'n' {
		return true
	}
	if value[0] != '"' || !n.quoted {
		if n.quoted || value[0] == '"' {
			return false
		}
		a, ok := parseNumber(value)
		b, also := parseNumber(n.literal)
		return ok && also && a == b || bytes.Equal(value, n.literal)
	}
	text := s[v.lo:v.hi]
	if bytes.IndexByte(text, '\\') < 0 {
		return bytes.Equal(text, n.literal)
	}
	var room [256]byte
	return bytes.Equal(unescape(room[:0], text), n.literal)
}

// learnMap remembers the order of the object that was just read by a map: the
// text between its values, and what each value is.
func (p *Parser) learnMap(s []byte) {
	w := &p.walk
	q := p.orders.room(s, len(w.leaves))
	if q == nil {
		return
	}
	q.number = NumFields
	q.steps, q.buffer, q.layout, q.dialect, q.clock = q.steps[:0], append(q.buffer[:0], s...), w.f.layout&ownFields, w.f.dialect, w.f.clock
	lo, text, numbers := 0, q.buffer, uint64(0)
	for k, l := range w.leaves {
		name := text[:0]
		if l.key != nil {
			at := bytes.LastIndex(text[:l.lo], l.key)
			if at < 0 {
				q.steps = q.steps[:0]
				return
			}
			name = text[at : at+len(l.key)]
		}
		var fixed []byte
		if l.fixed {
			if fixed = text[l.lo:l.hi]; fixed[0] == '"' {
				fixed = fixed[1 : len(fixed)-1]
			}
		}
		q.steps = append(q.steps, newStep(text[lo:l.lo], name, l.field, fixed))
		if lo = l.hi; text[l.lo]-'0' <= 9 {
			numbers |= 1 << k
		}
	}
	q.tail = text[lo:]
	q.index(numbers)
}
