package parser

import (
	"bytes"
	"math/bits"
)

// A run is columns at the end of a segment with a blank between them, of which
// only the number is checked: a caller that asks for one lets them be cut.
type run struct {
	segment     int
	first, last int // columns
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

// usualFields are those that are asked for of every record: they are found at
// once.
const usualFields = FieldSet(1<<ResponseCodeDetails | 1<<UpstreamCluster | 1<<UpstreamHost)

// findRuns finds the runs of a plan.
func (f *Format) findRuns() {
	p := f.plan
	for i := range p.segments {
		g := &p.segments[i]
		if g.last > g.open || p.cuts[g.first].how == findRun || len(p.runs) == maxRuns || p.guard != '"' {
			continue
		}
		ru := run{segment: i, first: g.last, last: g.last, open: g.open == g.last}
		if !ru.open && g.anchor < 0 || !f.joinsRun(&ru, g.last) {
			continue
		}
		for ru.first > g.first && f.columns[ru.first-1].until == " " && f.joinsRun(&ru, ru.first-1) {
			ru.first--
		}
		if ru.last-ru.first+1 >= fewestRuns {
			p.runs = append(p.runs, ru)
			p.cuts[ru.first].how, p.cuts[ru.first].index = findRun, uint8(len(p.runs)-1)
		}
	}
}

// joinsRun adds a column to a run, if there is nothing to see of it at once.
func (f *Format) joinsRun(ru *run, i int) bool {
	c := &f.columns[i]
	number := c.typ == TypeInt || c.typ == TypeNumber
	switch {
	case c.most > 0 || c.clock != nil || c.field != Extra && !c.plain || c.field != Extra && usualFields.Has(c.field) || bytes.Equal(c.key, mixerStatus):
		return false
	case i < ru.last && number != ru.numbers || number && ru.open:
		return false
	case !number && !(c.typ == TypeToken || c.typ == TypeAddress && c.lenient || i == ru.last && ru.open && (c.typ == TypePhrase || c.typ == TypeText)):
		return false
	}
	ru.numbers, ru.extra = number, ru.extra || c.field == Extra
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
	if n := hi - lo; n >= 8 && n <= 16 && hi >= 16 { // the last eight bytes, and those in front of them
		const sixes, gap = 0x7676767676767676, zeros ^ blank
		w, v := load64(s, hi-8)^zeros, load64(s, hi-16)^zeros
		a, b := (w|(w&low7+sixes))&^low7, (v|(v&low7+sixes))&^low7&(^uint64(0)<<(128-8*n))
		return (w^gap)&(a>>7*0xff) == 0 && (v^gap)&(b>>7*0xff) == 0 && bits.OnesCount64(a)+bits.OnesCount64(b) == count-1
	}
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

// guardsIn returns the places of the plan's guards in s, counted from a base.
// It is false when there are not as many as the format has. Quotes are the
// places of all quotes, counted from base; nil when they are not known.
func (p *Parser) guardsIn(q *plan, s []byte, quotes []uint16, base int) ([]uint16, int, bool) {
	switch {
	case q.guard == 0:
		return nil, base, true
	case q.guard != '"' || quotes == nil:
		list := q.places(p.guards[:0], s)
		return list, 0, len(list) == q.guards
	}
	return quotes, base, len(quotes) == q.guards
}

// place cuts s by the plan of the format. The places of fields are in the
// record's spans, those of other columns in p.placed; of the runs that it
// returns, as bits, only the whole is known. It is false when the values do
// not have their types. Guards are the places of all guards in s, counted from
// base, and as many as the plan has. Behind s eight bytes must be readable.
func (p *Parser) place(f *Format, s []byte, guards []uint16, base int) (ran uint8, ok bool) {
	q := f.plan
	r, n, cuts := &p.rec, len(s), q.cuts
	lo, k := len(f.prefix), q.first
	for i := 0; i < len(cuts); i++ {
		c := &cuts[i]
		hi := lo
		switch c.how {
		case findRun:
			ru := &q.runs[c.index]
			if next := p.placeRun(f, ru, s, lo, guards, k, base); next >= 0 {
				r.runs[c.index] = span{uint32(lo), uint32(next) - uint32(cuts[ru.last].size)}
				ran |= 1 << c.index
				i, lo, k = ru.last, next, k+int(cuts[ru.last].guards)
				continue
			}
			hi = searchStop(s, lo, c.stop)
		case findGuard:
			hi = int(guards[k]) - base
		case findOpen:
			g := &q.segments[c.index]
			if lo = p.placeRight(f, g, s, lo, segmentEnd(q, g, n, guards, k, base)); lo < 0 {
				return 0, false
			}
			i = g.last
			k += int(cuts[i].guards)
			continue
		case findTime:
			if hi += 24; hi >= n || s[hi] != c.stop || !isEnvoyTime(s, lo) {
				hi = searchStop(s, lo, c.stop)
			}
		default:
			m := near(load64(s, lo), c.stop)
			if m != 0 {
				hi += bits.TrailingZeros64(m) >> 3
			} else {
				hi = searchStop(s, lo+8, c.stop)
			}
		}
		hi -= int(c.at)
		next := hi + int(c.size)
		if hi < lo || next > n || load64(s, hi)&c.mask != c.head {
			return 0, false
		}
		if c.check != checkNone && !(hi == lo+1 && s[lo] == '-' && c.dash) && !f.columns[i].passes(c.check, s, lo, hi) || c.size > 8 && string(s[hi:next]) != f.columns[i].until {
			return 0, false
		}
		if c.field < NumFields {
			r.spans[c.field] = span{uint32(lo), uint32(hi)}
		} else {
			p.placed[i] = span{uint32(lo), uint32(hi)}
		}
		k += int(c.guards)
		lo = next
	}
	return ran, lo == n
}

// searchStop is the place of the first byte c from lo on; negative when there
// is none.
func searchStop(s []byte, lo int, c byte) int {
	for ; lo < len(s); lo += 8 {
		if m := near(load64(s, lo), c); m != 0 {
			return lo + bits.TrailingZeros64(m)>>3
		}
	}
	return -1
}

// segmentEnd is where the value of the segment's last column ends.
func segmentEnd(q *plan, g *segment, n int, quotes []uint16, k, base int) int {
	if g.anchor >= 0 {
		return int(quotes[k]) - base - g.anchor
	}
	return n - int(q.cuts[g.last].size)
}

// placeRun returns where the segment behind a run that begins at lo begins;
// negative when the columns are to be cut one by one.
func (p *Parser) placeRun(f *Format, ru *run, s []byte, lo int, quotes []uint16, k, base int) int {
	if ru.extra && p.want.Has(Extra) {
		return -1
	}
	q, last := f.plan, &f.plan.cuts[ru.last]
	hi := segmentEnd(q, &q.segments[ru.segment], len(s), quotes, k, base)
	next := hi + int(last.size)
	if hi < lo || next > len(s) || !last.endsAt(s, hi, f.columns[ru.last].until) || !ru.holds(s, lo, hi) {
		return -1
	}
	return next
}

// places appends the places of the plan's guards in s, and one more than there
// should be at most.
func (q *plan) places(list []uint16, s []byte) []uint16 {
	for lo := 0; len(list) <= q.guards && len(list) < cap(list); {
		j := bytes.IndexByte(s[lo:], q.guard)
		if j < 0 {
			break
		}
		lo += j + 1
		if !q.spaced || lo > 1 && s[lo-2] == ' ' && lo < len(s) && s[lo] == ' ' {
			list = append(list, uint16(lo-1))
		}
	}
	return list
}

// placeRight places the columns of a segment from the open one on, which
// begins at lo, in s[lo:hi]. It returns where the next segment begins;
// negative when the text does not fit.
func (p *Parser) placeRight(f *Format, g *segment, s []byte, lo, hi int) int {
	q := f.plan
	last := &q.cuts[g.last]
	next := hi + int(last.size)
	if hi < lo || next > len(s) || !last.endsAt(s, hi, f.columns[g.last].until) {
		return -1
	}
	for i := g.last; i > g.open; i-- {
		c, before := &f.columns[i], &q.cuts[i-1]
		begin, ok := c.usual(s, hi)
		if !ok {
			stop := q.right[i]
			at := hi - 1
			for at >= lo && s[at] != stop.c {
				at--
			}
			begin = at - stop.at + int(before.size)
		}
		from := begin - int(before.size)
		if from < lo || begin > hi || !before.endsAt(s, from, f.columns[i-1].until) || !ok && !c.passes(checkFits, s, begin, hi) {
			return -1
		}
		p.keepPlace(i, c.field, begin, hi)
		hi = from
	}
	c := &f.columns[g.open]
	if (c.typ != TypeText || c.most > 0) && (hi != lo+1 || s[lo] != '-' || c.always) && !c.fits(c.typ, s[lo:hi]) {
		return -1
	}
	p.keepPlace(g.open, c.field, lo, hi)
	return next
}

// keepPlace notes where a column stands.
func (p *Parser) keepPlace(i int, f Field, lo, hi int) {
	if f < NumFields {
		p.rec.spans[f] = span{uint32(lo), uint32(hi)}
	} else {
		p.placed[i] = span{uint32(lo), uint32(hi)}
	}
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
	return load64(s, i)&c.mask == c.head && (c.size <= 8 || string(s[i:i+int(c.size)]) == until)
}

// wantedOf is the set of the format's columns that are stored at once; the
// others are late.
func (p *Parser) wantedOf(f *Format) (columns uint64) {
	for i := range f.columns {
		if c := &f.columns[i]; !c.plain && (c.field != Extra || p.want.Has(Extra) || bytes.Equal(c.key, mixerStatus)) {
			columns |= 1 << i
		}
	}
	return columns
}

// blanks is what the blanks of a line are marked in; nil when they are not.
func (p *Parser) blanks(quotes []uint16) *marks {
	if m := p.scanned; wide && quotes != nil && m != nil && m.other == ' ' {
		return m
	}
	return nil
}

// readPlan reads a whole line by the format's plan. Wanted is wantedOf the
// format, or all columns.
func (p *Parser) readPlan(f *Format, wanted uint64, s []byte, quotes []uint16, base int) bool {
	q := f.plan
	if q == nil || len(s) >= maxPlanned || f.prefix != "" && !hasPrefix(s, f.prefix) {
		return false
	}
	if f.like != NoDialect && p.readLike(f, s, quotes, base) {
		return true
	}
	guards, from, ok := p.guardsIn(q, s, quotes, base)
	if !ok {
		return false
	}
	r, kept := &p.rec, wanted&q.kept
	if quotes == nil {
		r.forget() // somebody may have tried to read it
	}
	var line usualLine // field by field: a literal is copied in larger units than it was stored in, which is slow
	line.f, line.s, line.guards, line.from, line.marks, line.base = f, s, guards, from, p.blanks(quotes), base
	if !p.straight(&line) {
		r.forget()
		ran, ok := p.place(f, s, guards, from)
		if !ok {
			return false
		}
		p.begin(f, s)
		r.ran, r.late, kept = ran, p.want&q.plain&^usualFields, wanted&q.stored
	}
	r.planned = f
	for rest := uint64(p.want & q.plain & usualFields); rest != 0; rest &= rest - 1 {
		field := Field(bits.TrailingZeros64(rest))
		r.set(field, int(r.spans[field].lo), int(r.spans[field].hi))
	}
	for rest := kept; rest != 0; rest &= rest - 1 {
		i := bits.TrailingZeros64(rest)
		c := &f.columns[i]
		at := p.placed[i]
		if c.field < NumFields {
			at = r.spans[c.field]
		}
		if r.ran != 0 && c.field == Extra && q.ranOver(i, r.ran) {
			continue
		}
		p.column(c, s, edge{from: at.lo, to: at.hi})
	}
	return true
}

// ranOver says whether a column is in one of the runs.
func (q *plan) ranOver(column int, ran uint8) bool {
	for i := range q.runs {
		if ran>>i&1 != 0 && q.runs[i].first <= column && column <= q.runs[i].last {
			return true
		}
	}
	return false
}

// readLike reads a line in a given format that is a known one.
func (p *Parser) readLike(f *Format, s []byte, quotes []uint16, base int) bool {
	if quotes == nil || f.dialect != Custom || !p.flatAt(s, quotes, base) {
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

// findPlanned finds a late field of a line that was read by a plan.
func (r *Record) findPlanned(f Field) {
	for i := range r.planned.plan.runs {
		if ru := &r.planned.plan.runs[i]; r.ran>>i&1 != 0 && ru.fields.Has(f) {
			r.findInRun(f, ru, int(r.runs[i].lo), int(r.runs[i].hi))
			r.late &^= 1 << f
			return
		}
	}
	r.set(f, int(r.spans[f].lo), int(r.spans[f].hi))
	r.late &^= 1 << f
}

// findInRun finds a field in the run text[lo:end].
func (r *Record) findInRun(f Field, ru *run, lo, end int) {
	for k := ru.first; k <= ru.last; k++ {
		hi := end
		if k < ru.last {
			hi = lo + bytes.IndexByte(r.text[lo:], ' ')
		}
		if r.planned.columns[k].field == f {
			r.setLate(f, lo, hi)
			return
		}
		lo = hi + 1
	}
}
