package parser

import "math/bits"

// A step takes one column, or several at once, of the usual line, and no other
// line: what is unusual is left to place, which cuts in the same way. The steps
// of a plan are as straight as they can be: which guard ends a column is known
// beforehand, blanks are found by the marks of the line, and what need not be
// decoded at once is only counted.
type step struct {
	head, mask  uint64 // as of the cut of the last column
	size        uint8  // likewise
	at          uint8  // where the byte that is found stands in what ends the step
	stop        byte
	guard       uint8 // number of the guard that ends it
	ends        ending
	sees        sight
	check       check
	field       Field // NumFields when it is none
	first, last uint8 // columns
	index       uint8 // of the run, or of the segment
}

// An ending is how the end of a step is found.
type ending uint8

const (
	atGuard ending = iota
	atBlank
	atStop
	atTime // behind 24 bytes, or at the stop
	atEnd  // of the line
)

// A sight is what is looked at between the ends of a step.
type sight uint8

const (
	seesNothing sight = iota
	seesValue         // as the check says, or a dash
	seesFull          // as the check says
	seesTime          // as Envoy writes it
	seesClock         // the start in a layout that was given
	seesCode
	seesFlags
	seesRun     // from here on there are several columns
	seesRequest // method, path and protocol
	seesRight   // from the open column on
)

// findSteps compiles the plan.
func (f *Format) findSteps() {
	q := f.plan
	guard := q.first
	for i := 0; i < len(q.cuts); {
		o := f.newStep(i)
		o.guard = uint8(guard)
		q.steps = append(q.steps, o)
		if o.sees >= seesTime && o.sees <= seesFlags {
			q.decoded |= 1 << o.field
		}
		i = int(o.last) + 1
		guard += int(q.cuts[o.last].guards)
	}
	for i := range f.columns {
		if c := &f.columns[i]; !c.plain && (c.field == Extra || !q.decoded.Has(c.field)) {
			q.kept |= 1 << i
		}
	}
}

// newStep compiles what begins with column i.
func (f *Format) newStep(i int) step {
	q := f.plan
	k := &q.cuts[i]
	o := step{stop: k.stop, at: k.at, check: k.check, field: k.field, first: uint8(i), last: uint8(i), index: k.index}
	switch k.how {
	case findGuard:
		o.ends = atGuard
	case findTime:
		o.ends = atTime
	case findStop:
		o.ends = atStop
	case findRun:
		o.sees, o.last = seesRun, uint8(q.runs[k.index].last)
	case findOpen:
		o.sees, o.last = seesRight, uint8(q.segments[k.index].last)
	}
	if k.how == findStop && f.asksRequest(i) {
		o.sees, o.last = seesRequest, uint8(i+2)
	}
	last := &q.cuts[o.last]
	o.head, o.mask, o.size = last.head, last.mask, last.size
	switch {
	case o.sees != seesNothing:
		if o.ends, o.at = atEnd, 0; last.guards > 0 {
			o.ends, o.at = atGuard, uint8(q.anchorOf(int(o.last)))
		}
		return o
	case o.ends != atGuard && o.stop == ' ':
		o.ends = atBlank
	}
	o.sees = f.columns[i].sightOf(k)
	return o
}

// anchorOf is the anchor of the segment that ends with a column.
func (q *plan) anchorOf(column int) int {
	for i := range q.segments {
		if q.segments[i].last == column {
			return q.segments[i].anchor
		}
	}
	return -1
}

// sightOf is what is looked at of a single column.
func (c *column) sightOf(k *cut) sight {
	switch {
	case c.piped || c.most > 0:
	case k.field == StartTime && c.clock != nil:
		return seesClock
	case k.field == StartTime && k.check == checkTime:
		return seesTime
	case k.field == ResponseCode && k.check == checkCode:
		return seesCode
	case k.field == ResponseFlags && c.typ == TypeFlags:
		return seesFlags
	}
	switch {
	case k.check == checkNone:
		return seesNothing
	case k.dash:
		return seesValue
	}
	return seesFull
}

// asksRequest says whether a request line as HTTP writes it begins with
// column i and is the rest of its segment.
func (f *Format) asksRequest(i int) bool {
	q := f.plan
	if i+2 >= len(f.columns) || q.guard != '"' || q.cuts[i+1].how != findOpen || q.cuts[i].check != checkNone {
		return false
	}
	a, b, c := &f.columns[i], &f.columns[i+1], &f.columns[i+2]
	last := q.anchorOf(i + 2)
	return a.field == Method && b.field == Path && c.field == Protocol && last >= 0 && a.until == " " && b.until == " " &&
		b.typ == TypeText && c.typ == TypeProtocol && b.most+c.most == 0
}

// straight reads a line by the steps of the format's plan. It is false when
// that is not the usual one. Guards are the places of all guards in s, counted
// from base, and as many as the plan has; m is what the line's blanks are
// marked in, or nil. Behind s eight bytes must be readable.
func (p *Parser) straight(f *Format, s []byte, guards []uint16, base int, m *marks) bool {
	q, r := f.plan, &p.rec
	n, lo := len(s), len(f.prefix)
	code, flags, ran := int32(0), FlagSet(0), uint8(0)
	for i := range q.steps {
		o := &q.steps[i]
		hi := lo
		switch o.ends {
		case atGuard:
			hi = int(guards[o.guard]) - base - int(o.at)
		case atBlank:
			hi = nextBlank(s, lo, m, base) - int(o.at)
		case atEnd:
			hi = n - int(o.size)
		case atTime:
			if hi += 24; hi >= n || s[hi] != o.stop {
				hi = searchStop(s, lo, o.stop)
			}
		default:
			hi = searchStop(s, lo, o.stop) - int(o.at)
		}
		next := hi + int(o.size)
		if hi < lo || next > n || load64(s, hi)&o.mask != o.head || o.size > 8 && string(s[hi:next]) != f.columns[o.last].until {
			return false
		}
		if o.sees < seesRun {
			if r.spans[o.field] = (span{uint32(lo), uint32(hi)}); o.field == NumFields {
				p.placed[o.first] = r.spans[o.field]
			}
		}
		ok := true
		switch o.sees {
		case seesNothing:
		case seesValue:
			ok = hi == lo+1 && s[lo] == '-' || f.columns[o.first].passes(o.check, s, lo, hi)
		case seesFull:
			ok = f.columns[o.first].passes(o.check, s, lo, hi)
		case seesTime:
			ok = hi == lo+24 && isEnvoyTime(s, lo)
		case seesClock:
			ok = p.clocks.fits(&f.columns[o.first], s[lo:hi])
		case seesCode:
			code, ok = codeIn(s, lo, hi)
		case seesFlags:
			if flags = 0; hi != lo+1 || s[lo] != '-' {
				flags, ok = decodeFlags(s[lo:hi]), fits(TypeFlags, s[lo:hi])
			}
		case seesRequest:
			ok = r.seeRequest(s, lo, hi, m, base)
		case seesRun:
			if ok = p.seeRun(f, o, s, lo, hi, m, base); ok && r.runs[o.index].hi > 0 {
				ran |= 1 << o.index
			}
		case seesRight:
			ok = p.placeRight(f, &q.segments[o.index], s, lo, hi) >= 0
		}
		if !ok {
			return false
		}
		lo = next
	}
	if lo != n {
		return false
	}
	p.begin(f, s)
	r.ran = ran
	r.code, r.hasCode = code, q.decoded.Has(ResponseCode)
	if q.decoded.Has(ResponseFlags) {
		r.flags, r.hasFlags = flags, true
		if flags != 0 {
			r.present |= 1 << ResponseFlags
		}
	}
	if at := r.spans[StartTime]; q.decoded.Has(StartTime) {
		r.set(StartTime, int(at.lo), int(at.hi))
	}
	return true
}

// nextBlank is the place of the first blank from lo on. It is negative, or
// beyond the line, when there is none.
func nextBlank(s []byte, lo int, m *marks, base int) int {
	if m == nil {
		return searchStop(s, lo, ' ')
	}
	if w := m.from(base + lo); w != 0 {
		return lo + bits.TrailingZeros64(w)
	}
	return searchStop(s, lo+64, ' ')
}

// codeIn is the code that s[lo:hi] is.
func codeIn(s []byte, lo, hi int) (code int32, ok bool) {
	w := uint32(load64(s, lo)) & 0xffffff
	if hi == lo+3 {
		w ^= 0x303030
		return int32(w&15*100 + w>>8&15*10 + w>>16), (w|(w+0x767676))&0xf0f0f0 == 0
	}
	return 0, hi == lo+1 && s[lo] == '0'
}

// seeRequest takes method, path and protocol.
func (r *Record) seeRequest(s []byte, lo, hi int, m *marks, base int) bool {
	proto := hi - 8
	if proto <= lo || s[proto-1] != ' ' || load64(s, proto) != http11 {
		if proto = protocolAt(s, lo, hi); proto < 0 {
			return false
		}
	}
	blank := nextBlank(s, lo, m, base)
	r.spans[Method] = span{uint32(lo), uint32(blank)}
	r.spans[Path] = span{uint32(blank) + 1, uint32(proto) - 1}
	r.spans[Protocol] = span{uint32(proto), uint32(hi)}
	return blank >= lo && blank < proto-1
}

// seeRun takes the columns of a run; they are cut at once when one of them is
// asked for that is not found later, else the run has an end then.
func (p *Parser) seeRun(f *Format, o *step, s []byte, lo, hi int, m *marks, base int) bool {
	ru := &f.plan.runs[o.index]
	at := &p.rec.runs[o.index]
	*at = span{uint32(lo), uint32(hi)}
	if m == nil || ru.numbers {
		if !ru.holds(s, lo, hi) {
			return false
		}
	} else if n, blanks := m.count(base+lo, base+hi), ru.last-ru.first; n != blanks && !(ru.open && n > blanks) {
		return false
	}
	if ru.extra && p.want.Has(Extra) {
		*at = span{}
		for i := ru.first; i <= ru.last; i++ {
			end := hi
			if i < ru.last {
				end = nextBlank(s, lo, m, base)
			}
			p.keepPlace(i, f.plan.cuts[i].field, lo, end)
			lo = end + 1
		}
	}
	return true
}
