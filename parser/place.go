package parser

import (
	"bytes"
	"math/bits"
)

// usualFields are those that are asked for of every record: they are found at
// once.
const usualFields = FieldSet(1<<ResponseCodeDetails | 1<<UpstreamCluster | 1<<UpstreamHost)

// numbersIn says whether s[lo:hi] is as many numbers: digits, or nothing, with
// a blank between them. Where a column is missing, hi is in front of lo.
func numbersIn(s []byte, lo, hi, count int) bool {
	if lo > hi {
		return false
	}
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
// record's spans, those of other columns in p.placed. It is false when the
// values do not have their types. Guards are the places of all guards in s,
// counted from base, and as many as the plan has. Behind s eight bytes must be
// readable.
func (p *Parser) place(f *Format, s []byte, guards []uint16, base int) bool {
	q := f.plan
	r, n, cuts := &p.rec, len(s), q.cuts
	lo, k := len(f.prefix), q.first
	for i := 0; i < len(cuts); i++ {
		c := &cuts[i]
		hi := lo
		switch c.how {
		case findGuard:
			hi = int(guards[k]) - base
		case findOpen:
			g := &q.segments[c.index]
			if lo = p.placeRight(f, g, s, lo, segmentEnd(q, g, n, guards, k, base)); lo < 0 {
				return false
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
			return false
		}
		if c.check != checkNone && !(hi == lo+1 && s[lo] == '-' && c.dash) && !f.columns[i].passes(c.check, s, lo, hi) || c.size > 8 && string(s[hi:next]) != f.columns[i].until {
			return false
		}
		if c.field < NumFields {
			r.spans[c.field] = span{uint32(lo), uint32(hi)}
		} else {
			p.placed[i] = span{uint32(lo), uint32(hi)}
		}
		k += int(c.guards)
		lo = next
	}
	return lo == n
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

// readPlan reads a whole line by the format's plan. Wanted is wantedOf the
// format, or all columns.
func (p *Parser) readPlan(f *Format, wanted uint64, s []byte, quotes []uint16, base int) bool {
	q := f.plan
	if q == nil || len(s) >= maxPlanned {
		return false
	}
	if f.like != NoDialect && p.readLike(f, s, quotes, base) || q.grid != nil && p.readCells(f, wanted, s, quotes, base) {
		return true
	}
	if !hasPrefix(s, f.prefix) {
		return false
	}
	guards, from, ok := p.guardsIn(q, s, quotes, base)
	if !ok || !p.place(f, s, guards, from) {
		return false
	}
	p.begin(f, s)
	r := &p.rec
	r.planned, r.late = f, p.want&q.plain&^usualFields
	for rest := uint64(p.want & q.plain & usualFields); rest != 0; rest &= rest - 1 {
		field := Field(bits.TrailingZeros64(rest))
		r.set(field, int(r.spans[field].lo), int(r.spans[field].hi))
	}
	for rest := wanted & q.stored; rest != 0; rest &= rest - 1 {
		i := bits.TrailingZeros64(rest)
		at := p.placed[i]
		if c := &f.columns[i]; c.field < NumFields {
			at = r.spans[c.field]
		}
		p.column(&f.columns[i], s, edge{from: at.lo, to: at.hi})
	}
	return true
}

// readLike reads a line in a given format that is a known one.
func (p *Parser) readLike(f *Format, s []byte, quotes []uint16, base int) bool {
	if quotes == nil || p.scanned.other != ' ' || f.dialect != Custom || !p.flatAt(s, quotes, base) {
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
	if r.spots != nil {
		r.findCell(f)
		return
	}
	r.set(f, int(r.spans[f].lo), int(r.spans[f].hi))
	r.late &^= 1 << f
}
