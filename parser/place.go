package parser

import (
	"bytes"
	"math/bits"
)

// A run is columns at the end of a segment with a blank between them, of which
// only the number is checked: a caller that asks for one lets them be cut.
type run struct {
	first, last int // columns
	columns     uint64
	fields      FieldSet
	extra       bool // one of them is no field
	numbers     bool // all of them are
	open        bool // the last one may have blanks itself
}

// The limits of runs. Shorter ones are cut at once.
const (
	maxRuns    = 3
	fewestRuns = 3 // columns
)

// findRuns finds the runs of a plan.
func (f *Format) findRuns() {
	p := f.plan
	for i := range p.segments {
		g := &p.segments[i]
		if g.last > g.open || len(p.runs) == maxRuns || p.guard != '"' {
			continue
		}
		ru := run{first: g.last, last: g.last, open: g.open == g.last}
		if !ru.open && g.anchor < 0 || !f.joinsRun(&ru, g.last) {
			continue
		}
		for ru.first > g.first && f.columns[ru.first-1].until == " " && f.joinsRun(&ru, ru.first-1) {
			ru.first--
		}
		if ru.last-ru.first+1 >= fewestRuns {
			p.runs = append(p.runs, ru)
			p.cuts[ru.first].run = len(p.runs)
		}
	}
}

// joinsRun adds a column to a run, if there is nothing to see of it at once.
func (f *Format) joinsRun(ru *run, i int) bool {
	c := &f.columns[i]
	number := c.typ == TypeInt || c.typ == TypeNumber
	switch {
	case c.most > 0 || c.clock != nil || c.field != Extra && !c.plain || c.field == ResponseCodeDetails:
		return false
	case ru.columns != 0 && number != ru.numbers || number && ru.open:
		return false
	case !number && !(c.typ == TypeToken || c.typ == TypeAddress && c.lenient || ru.columns == 0 && ru.open && (c.typ == TypePhrase || c.typ == TypeText)):
		return false
	}
	ru.numbers, ru.extra = number, ru.extra || c.field == Extra
	ru.columns |= 1 << i
	if c.field != Extra {
		ru.fields |= 1 << c.field
	}
	return true
}

// holds says whether s[lo:hi] has as many columns as the run.
func (ru *run) holds(s []byte, lo, hi int) bool {
	blanks := ru.last - ru.first
	if ru.numbers {
		return numbersIn(s, lo, hi, blanks+1)
	}
	n := bytes.Count(s[lo:hi], blankByte)
	return n == blanks || ru.open && n > blanks
}

// numbersIn says whether s[lo:hi] is as many numbers: digits, or nothing, with
// a blank between them.
func numbersIn(s []byte, lo, hi, count int) bool {
	const (
		zeros = 0x3030303030303030
		blank = 0x2020202020202020
	)
	for ; lo < hi; lo += 8 {
		w := load64(s, lo)
		if rest := hi - lo; rest < 8 {
			w |= zeros << (8 * rest)
			w &= ^uint64(0)>>(64-8*rest) | zeros
		}
		d := w ^ zeros
		other := (d | (d&low7 + 0x7676767676767676)) &^ low7 // no digit
		b := w ^ blank
		b = ^(b&low7 + low7 | b | low7) // a blank
		if other != b {
			return false
		}
		count -= bits.OnesCount64(b)
	}
	return count == 1
}

// place cuts s by the plan of the format into p.placed, but for the runs whose
// columns it returns: their places are in the record. It is false when the
// values have a guard byte or do not have their types. Behind s eight bytes
// must be readable. Quotes are the places of all quotes in s, counted from
// base; nil when they are not known.
func (p *Parser) place(f *Format, s []byte, quotes []uint16, base int) (late uint64, ok bool) {
	q := f.plan
	if q == nil || len(s) < len(f.prefix) || len(s) >= maxPlanned || string(s[:len(f.prefix)]) != f.prefix {
		return 0, false
	}
	if q.guard != '"' {
		quotes = nil
	}
	if q.guard != 0 && quotes == nil {
		quotes, base = places(p.guards[:0], s, q.guard, q.guards), 0
	}
	if q.guard != 0 && len(quotes) != q.guards {
		return 0, false
	}
	lo, k, n, spans := len(f.prefix), q.first, len(s), &p.placed
	for i := 0; i < len(q.cuts); i++ {
		c := &q.cuts[i]
		if c.run > 0 && !(q.runs[c.run-1].extra && p.want.Has(Extra)) {
			ru := &q.runs[c.run-1]
			last := &q.cuts[ru.last]
			hi := n - last.size
			if anchor := q.segments[c.segment].anchor; anchor >= 0 {
				hi = int(quotes[k]) - base - anchor
			}
			if next := hi + last.size; hi >= lo && next <= n && last.endsAt(s, hi, f.columns[ru.last].until) && ru.holds(s, lo, hi) {
				p.rec.runs[c.run-1] = span{uint32(lo), uint32(hi)}
				late |= ru.columns
				i, lo, k = ru.last, next, k+last.guards
				continue
			}
		}
		hi := lo
		switch {
		case c.check == checkTime && c.left.at == 0 && n > lo+24 && s[lo+24] == c.left.c && isEnvoyTime(s, lo):
			if hi += 24; load64(s, hi)&c.mask == c.head && c.size <= 8 && hi+c.size <= n {
				spans[i] = span{uint32(lo), uint32(hi)}
				lo, k = hi+c.size, k+c.guards
				continue
			}
		case !c.open && !c.guarded:
			m := near(load64(s, lo), c.left.c)
			for m == 0 {
				if hi += 8; hi >= n {
					return 0, false
				}
				m = near(load64(s, hi), c.left.c)
			}
			hi += bits.TrailingZeros64(m) >> 3
		case c.guarded:
			hi = int(quotes[k]) - base
		default:
			g := &q.segments[c.segment]
			if hi = n - q.cuts[g.last].size; g.anchor >= 0 {
				hi = int(quotes[k]) - base - g.anchor
			}
			if lo = f.fromRight(g, s, lo, hi, spans); lo < 0 {
				return 0, false
			}
			i = g.last
			k += q.cuts[i].guards
			continue
		}
		hi -= c.left.at
		next := hi + c.size
		if hi < lo || next > n || !c.endsAt(s, hi, f.columns[i].until) {
			return 0, false
		}
		if c.check != checkNone {
			w := load64(s, lo)
			switch {
			case hi == lo+1 && byte(w) == '-' && c.check != checkCode:
			case c.check == checkNumber && hi <= lo+8 && hi > lo && digitCount(w) >= hi-lo:
			default:
				if !f.columns[i].passes(c.check, s, lo, hi) {
					return 0, false
				}
			}
		}
		spans[i] = span{uint32(lo), uint32(hi)}
		k += c.guards
		lo = next
	}
	return late, lo == n
}

// places appends the places of the guards in s, and one more than there should
// be at most.
func places(list []uint16, s []byte, guard byte, most int) []uint16 {
	for lo := 0; len(list) <= most && len(list) < cap(list); {
		j := bytes.IndexByte(s[lo:], guard)
		if j < 0 {
			break
		}
		lo += j + 1
		list = append(list, uint16(lo-1))
	}
	return list
}

// fromRight places the columns of a segment from the open one on, which begins
// at lo, in s[lo:hi]. It returns where the next segment begins; negative when
// the text does not fit.
func (f *Format) fromRight(g *segment, s []byte, lo, hi int, spans *[maxColumns]span) int {
	last := &f.plan.cuts[g.last]
	next := hi + last.size
	if hi < lo || next > len(s) || !last.endsAt(s, hi, f.columns[g.last].until) {
		return -1
	}
	for i := g.last; i > g.open; i-- {
		c, before := &f.columns[i], &f.plan.cuts[i-1]
		begin, ok := c.usual(s, hi)
		if !ok {
			stop := f.plan.cuts[i].right
			at := hi - 1
			for at >= lo && s[at] != stop.c {
				at--
			}
			begin = at - stop.at + before.size
		}
		from := begin - before.size
		if from < lo || begin > hi || !before.endsAt(s, from, f.columns[i-1].until) || !ok && !c.passes(checkFits, s, begin, hi) {
			return -1
		}
		spans[i] = span{uint32(begin), uint32(hi)}
		hi = from
	}
	if c := &f.columns[g.open]; (c.typ != TypeText || c.most > 0) && (hi != lo+1 || s[lo] != '-' || c.always) && !c.fits(c.typ, s[lo:hi]) {
		return -1
	}
	spans[g.open] = span{uint32(lo), uint32(hi)}
	return next
}

// usual returns where a value begins that ends at hi, if it is one of the usual
// protocols.
func (c *column) usual(s []byte, hi int) (begin int, ok bool) {
	if c.typ != TypeProtocol || hi < 8 || c.most > 0 {
		return 0, false
	}
	switch w := load64(s, hi-8); {
	case w == http11:
		return hi - 8, true
	case w>>16 == http2:
		return hi - 6, true
	}
	return 0, false
}

// endsAt says whether what ends the column, which is until, stands at i.
func (c *cut) endsAt(s []byte, i int, until string) bool {
	return load64(s, i)&c.mask == c.head && (c.size <= 8 || string(s[i:i+c.size]) == until)
}

// wantedOf is the set of the format's columns that the parser stores.
func (p *Parser) wantedOf(f *Format) (columns uint64) {
	for i := range f.columns {
		c := &f.columns[i]
		if p.want.Has(c.field) || !c.plain && c.field != Extra || string(c.key) == string(mixerStatus) || c.most > 0 && p.want.Has(Extra) {
			columns |= 1 << i
		}
	}
	return columns
}

// readPlan reads a whole line by the format's plan. Wanted is wantedOf the
// format, or all columns.
func (p *Parser) readPlan(f *Format, wanted uint64, s []byte, quotes []uint16, base int) bool {
	if p.readLike(f, s, quotes, base) {
		return true
	}
	late, ok := p.place(f, s, quotes, base)
	if !ok {
		return false
	}
	p.begin(f, s)
	r := &p.rec
	if late != 0 {
		r.planned = f
		for i := range f.plan.runs {
			if ru := &f.plan.runs[i]; late&ru.columns != 0 {
				r.late |= p.want & ru.fields
			}
		}
	}
	for rest := wanted &^ late << (64 - len(f.columns)) >> (64 - len(f.columns)); rest != 0; rest &= rest - 1 {
		i := bits.TrailingZeros64(rest)
		c, at := &f.columns[i], p.placed[i]
		if !c.plain {
			p.column(c, s, edge{from: at.lo, to: at.hi})
		} else if at.lo != at.hi && (at.hi-at.lo > 1 || s[at.lo] != '-') && p.want.Has(c.field) {
			r.spans[c.field] = at
			r.present |= 1 << c.field
		}
	}
	return true
}

// readLike reads a line in a given format that is a known one.
func (p *Parser) readLike(f *Format, s []byte, quotes []uint16, base int) bool {
	if f.like == NoDialect || quotes == nil || f.dialect != Custom || !p.flatAt(s, quotes, base) {
		return false
	}
	r := &p.rec
	if r.Dialect != f.like {
		r.forget()
		r.Kind, r.Dialect = Noise, NoDialect
		return false
	}
	r.Dialect = Custom
	return true
}

// findRun finds a field in its run.
func (r *Record) findRun(f Field) {
	for i := range r.planned.plan.runs {
		ru := &r.planned.plan.runs[i]
		if !ru.fields.Has(f) {
			continue
		}
		lo, end := int(r.runs[i].lo), int(r.runs[i].hi)
		for k := ru.first; k <= ru.last; k++ {
			hi := end
			if k < ru.last {
				hi = lo + bytes.IndexByte(r.text[lo:], ' ')
			}
			if r.planned.columns[k].field == f {
				r.setLate(f, lo, hi)
				break
			}
			lo = hi + 1
		}
	}
	r.late &^= 1 << f
}
