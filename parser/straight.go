package parser

import (
	"bytes"
	"math/bits"
)

// A stride takes one column of the usual line, or several at once. The strides
// of a plan are as straight as they can be: which guard ends a column is known
// beforehand, blanks are found by the marks of the line, values that are nearly
// always the same are compared, and what nobody needs at once is only counted.
// What is unusual is left to place, which cuts in the same way.
type stride struct {
	head, mask  uint64 // as of the cut of the last column
	size        uint8  // likewise
	at          uint8  // where the byte that is found stands in what ends the stride
	stop        byte
	guard       uint8 // number of the guard that ends it
	count       uint8 // columns
	kind        strideKind
	ends        ending
	sees        sight
	check       check
	field       Field // NumFields when it is none
	first, last uint8 // columns
	index       uint8 // of the run, or of the segment
	row         []rowValue
	form        *form
}

// A strideKind says what a stride takes.
type strideKind uint8

const (
	takesValue   strideKind = iota
	takesForm               // the columns of a form, or nothing
	takesRow                // values of which nothing is checked, in front of guards
	takesRequest            // method, path and protocol
	takesNumbers            // a run
	takesRun                // likewise, of tokens
	takesRight              // all from the open column on
)

// An ending is how the end of a stride is found.
type ending uint8

const (
	atGuard ending = iota
	atBlank
	atStop
	atTime // behind 24 bytes, or at the stop
	atEnd  // of the line
)

// A sight is what is looked at of a value.
type sight uint8

const (
	seesNothing sight = iota
	seesValue         // as the check says, or a dash
	seesFull          // as the check says
	seesTime          // as Envoy writes it
	seesClock         // the start in a layout that was given
	seesCode
	seesFlags
)

// A rowValue is a value of a row, and what ends it.
type rowValue struct {
	head, mask, tail uint64 // the first eight bytes, and the last ones if it has more
	size, guards     uint8
	field            Field
}

// A form is columns whose values usually have the same bytes, or digits in the
// same places.
type form struct {
	words   []formWord
	size    int          // bytes, with what ends the last column
	strides int          // that it stands for
	code    int          // offset of the code; negative when it has none
	kept    []formColumn // values that are kept
	missing FieldSet     // fields that have none
	plain   bool         // see Record.Plain
}

// A formWord is eight bytes of a form.
type formWord struct {
	want uint64 // zero for a digit
	same uint64 // bits that must be the same
	nine uint64 // carries into them from above nine
}

type formColumn struct {
	field  Field
	lo, hi uint32
}

// A usualLine is a line while it is read.
type usualLine struct {
	f      *Format
	s      []byte   // behind it eight bytes are readable
	guards []uint16 // places of the plan's guards, counted from an offset
	from   int
	marks  *marks // what the blanks are marked in, counted from base; nil: they are not
	base   int
}

// straight reads a line by the strides of the format's plan into a record that
// was reset. It is false when the line is not the usual one.
func (p *Parser) straight(l *usualLine) bool {
	q, r := l.f.plan, &p.rec
	list, lo := q.strides, len(l.f.prefix)
	r.late = p.want & q.plain &^ usualFields
	r.code, r.flags, r.mixer, r.extra, r.plain, r.ran = 0, 0, span{}, r.extra[:0], false, 0 // flatAt may have been here
	for i := 0; i < len(list) && lo >= 0; i++ {
		o := &list[i]
		switch o.kind {
		case takesForm:
			if next := r.takeForm(o.form, l, lo); next > lo {
				lo = next
				i += o.form.strides
			}
		case takesRow:
			lo = r.takeRow(o, l, lo)
		case takesRequest:
			lo = r.takeRequest(o, l, lo)
		case takesNumbers:
			lo = p.takeNumbers(o, l, lo)
		case takesRun:
			lo = p.takeRun(o, l, lo)
		case takesRight:
			lo = p.placeRight(l.f, &q.segments[o.index], l.s, lo, o.edge(l))
		default:
			lo = p.takeValue(o, l, lo)
		}
	}
	if lo != len(l.s) {
		return false
	}
	r.Kind, r.Dialect, r.text, r.layout, r.clock, r.learned = Access, l.f.dialect, l.s, l.f.layout, l.f.clock, l.f.dialect == Inferred
	r.hasCode, r.hasFlags = q.decoded.Has(ResponseCode), q.decoded.Has(ResponseFlags)
	if r.flags != 0 {
		r.present = 1 << ResponseFlags
	}
	r.plain = r.plain && r.flags == 0 && r.hasCode && r.hasFlags
	if at := &r.spans[StartTime]; q.decoded.Has(StartTime) {
		r.set(StartTime, int(at.lo), int(at.hi))
	}
	return true
}

// takeForm takes the columns of a form, if it stands at lo.
func (r *Record) takeForm(m *form, l *usualLine, lo int) int {
	s, words := l.s, m.words
	if lo+m.size > len(s) {
		return lo
	}
	at := lo
	for i := range words {
		w := &words[i]
		x := load64(s, at) ^ w.want
		if (x|(x+w.nine))&w.same != 0 {
			return lo
		}
		at += 8
	}
	for i := range m.kept {
		c := &m.kept[i]
		r.spans[c.field] = span{uint32(lo) + c.lo, uint32(lo) + c.hi}
	}
	if m.code >= 0 {
		w := load32(s, lo+m.code)
		r.code = int32(w&15*100 + w>>8&15*10 + w>>16&15)
	}
	r.late &^= m.missing
	r.plain = r.plain || m.plain
	return lo + m.size
}

// takeRow takes the values of a row.
func (r *Record) takeRow(o *stride, l *usualLine, lo int) int {
	s, guards, from, k := l.s, l.guards, l.from, int(o.guard)
	if int(guards[k])-from < lo { // later ones are behind what was compared
		return -1
	}
	for i := range o.row {
		v := &o.row[i]
		hi := int(guards[k]) - from
		next := hi + int(v.size)
		if load64(s, hi)&v.mask != v.head || v.size > 8 && (next > len(s) || load64(s, next-8) != v.tail) {
			return -1
		}
		r.spans[v.field] = span{uint32(lo), uint32(hi)}
		lo = next
		k += int(v.guards)
	}
	return lo
}

// takeRequest takes a request line.
func (r *Record) takeRequest(o *stride, l *usualLine, lo int) int {
	s, hi := l.s, o.edge(l)
	if hi < lo+2 || hi+int(o.size) > len(s) || load64(s, hi)&o.mask != o.head {
		return -1
	}
	proto := hi - 8
	if proto <= lo || s[proto-1] != ' ' || load64(s, proto) != http11 {
		if proto = protocolAt(s, lo, hi); proto < 0 {
			return -1
		}
	}
	blank := l.blank(lo)
	if blank < lo || blank >= proto-1 {
		return -1
	}
	r.spans[Method] = span{uint32(lo), uint32(blank)}
	r.spans[Path] = span{uint32(blank) + 1, uint32(proto) - 1}
	r.spans[Protocol] = span{uint32(proto), uint32(hi)}
	return hi + int(o.size)
}

// takeNumbers takes a run of numbers.
func (p *Parser) takeNumbers(o *stride, l *usualLine, lo int) int {
	hi := o.edge(l)
	if hi < lo || !o.endsAt(l, hi) {
		return -1
	}
	ru := &l.f.plan.runs[o.index]
	if numbersIn(l.s, lo, hi, int(o.count)) && !(ru.extra && p.want.Has(Extra)) {
		p.rec.runs[o.index] = span{uint32(lo), uint32(hi)}
		p.rec.ran |= 1 << o.index
	} else if !p.cutRun(ru, l, lo, hi) {
		return -1
	}
	return hi + int(o.size)
}

// takeRun takes a run of tokens, perhaps with one in front of it that is asked
// for at once.
func (p *Parser) takeRun(o *stride, l *usualLine, lo int) int {
	hi := o.edge(l)
	if hi < lo || !o.endsAt(l, hi) {
		return -1
	}
	ru, first, blanks := &l.f.plan.runs[o.index], 0, 0
	if l.marks != nil {
		first, blanks = l.marks.tail(l.base+lo, l.base+hi)
		first -= l.base
	} else {
		first, blanks = searchStop(l.s, lo, ' '), bytes.Count(l.s[lo:hi], blankByte)
	}
	if want := int(o.count) - 1; blanks != want && !(ru.open && blanks > want) {
		return -1
	}
	if int(o.first) < ru.first {
		if p.rec.spans[o.field] = (span{uint32(lo), uint32(first)}); o.field == NumFields {
			p.placed[o.first] = span{uint32(lo), uint32(first)}
		}
		lo = first + 1
	}
	if !(ru.extra && p.want.Has(Extra)) {
		p.rec.runs[o.index] = span{uint32(lo), uint32(hi)}
		p.rec.ran |= 1 << o.index
	} else if !p.cutRun(ru, l, lo, hi) {
		return -1
	}
	return hi + int(o.size)
}

// cutRun cuts the columns of the run s[lo:hi]: those that are asked for and
// not found later, and numbers of which one is missing.
func (p *Parser) cutRun(ru *run, l *usualLine, lo, hi int) bool {
	for i := ru.first; i <= ru.last; i++ {
		end := hi
		if i < ru.last {
			end = l.blank(lo)
		}
		if end < lo || end > hi || ru.numbers && !l.f.columns[i].passes(checkNumber, l.s, lo, end) {
			return false
		}
		p.keepPlace(i, l.f.plan.cuts[i].field, lo, end)
		lo = end + 1
	}
	return true
}

// takeValue takes one column.
func (p *Parser) takeValue(o *stride, l *usualLine, lo int) int {
	hi := o.end(l, lo)
	if hi < lo || !o.endsAt(l, hi) || o.sees != seesNothing && !p.see(o, l, lo, hi) {
		return -1
	}
	if p.rec.spans[o.field] = (span{uint32(lo), uint32(hi)}); o.field == NumFields {
		p.placed[o.first] = span{uint32(lo), uint32(hi)}
	}
	return hi + int(o.size)
}

// see looks at the value s[lo:hi] of a stride, and says whether it is one.
func (p *Parser) see(o *stride, l *usualLine, lo, hi int) bool {
	s, r, c := l.s, &p.rec, &l.f.columns[o.first]
	switch o.sees {
	case seesValue:
		return hi == lo+1 && s[lo] == '-' || c.passes(o.check, s, lo, hi)
	case seesTime:
		return hi == lo+24 && isEnvoyTime(s, lo)
	case seesClock:
		return p.ticker.fits(c, s[lo:hi])
	case seesCode:
		n, _ := digits(s[lo:hi])
		r.code = int32(n)
		return c.passes(checkCode, s, lo, hi)
	case seesFlags:
		if hi != lo+1 || s[lo] != '-' {
			r.flags = decodeFlags(s[lo:hi])
			return fits(TypeFlags, s[lo:hi])
		}
		return true
	}
	return c.passes(o.check, s, lo, hi)
}

// edge is end for the strides that a guard or the line ends.
func (o *stride) edge(l *usualLine) int {
	if o.ends == atGuard {
		return int(l.guards[o.guard]) - l.from - int(o.at)
	}
	return len(l.s) - int(o.size)
}

// end is where the value of the stride's last column ends, or something that is
// no place in the rest of the line.
func (o *stride) end(l *usualLine, lo int) int {
	switch o.ends {
	case atGuard:
		return o.edge(l)
	case atBlank:
		return l.blank(lo) - int(o.at)
	case atTime:
		if hi := lo + len(usualTime); hi < len(l.s) && l.s[hi] == o.stop {
			return hi
		}
	}
	return searchStop(l.s, lo, o.stop) - int(o.at)
}

// endsAt says whether what ends the stride stands at hi.
func (o *stride) endsAt(l *usualLine, hi int) bool {
	next := hi + int(o.size)
	return next <= len(l.s) && load64(l.s, hi)&o.mask == o.head && (o.size <= 8 || string(l.s[hi:next]) == l.f.columns[o.last].until)
}

// blank is the place of the first blank from lo on. It is negative, or beyond
// the line, when there is none.
func (l *usualLine) blank(lo int) int {
	if l.marks == nil {
		return searchStop(l.s, lo, ' ')
	}
	if w := l.marks.from(l.base + lo); w != 0 {
		return lo + bits.TrailingZeros64(w)
	}
	return searchStop(l.s, lo+64, ' ')
}
