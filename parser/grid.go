package parser

import "math/bits"

// A grid cuts the usual line of a format without reading it. The places of its
// quotes are known, and those of one more byte, the fence. A line that has as
// many quotes as the format's literals, and between them as many fences, has
// none in its values: so the first one of the line is the first one of the
// format, and so on. There is no other cut, and a column that nobody asks for
// is not even looked at.
type grid struct {
	fence   byte // stands in all literals without a quote
	quotes  int  // in the literals
	lanes   []lane
	seen    facet   // what is to see beside the lanes
	strict  []look  // what is left to see of a line with fences in its values
	tight   []uint8 // columns that may end in front of their begin
	cells   []cell  // of the columns
	of      [NumFields]uint8
	decoded uint64 // columns that the looks decode
}

// The spots of a line are the places that its columns are counted from: where
// it begins and ends, its quotes and its fences.
const (
	spotBegin = iota
	spotEnd
	spotQuotes
	maxSpots = 128
)

// A peg is a place in a line as seen from a spot.
type peg struct {
	spot uint8
	off  int16
}

// in is the place of a peg in a line that begins at base.
func (g peg) in(spots *[maxSpots]uint16, base int) int {
	return int(spots[g.spot%maxSpots]) - base + int(g.off)
}

// A cell is where a column stands.
type cell struct {
	lo, hi peg
	lane   uint8 // whose fences it is counted from; noLane
}

const noLane = 255

// A lane is what stands between two quotes, or an end of the line and a quote,
// if columns and fences do.
type lane struct {
	from, to uint8 // spots
	skip     uint8 // bytes of the first one
	at       uint8 // spot of the first fence
	need     uint8 // fences
	open     uint8 // fences in front of the only column that may have some itself; exactly: there is none
	kind     laneKind
	count    uint8 // of numbers
	lo, hi   peg   // of the numbers, those that no form stands in front of
	form     form  // of the first columns; its size is 0 when they have none
	front    facet // what is to see of those columns when they are not as in the form
	rest     facet // and of the others
}

// A laneKind says what is to be done for the columns behind a lane's form.
type laneKind uint8

const (
	laneLate    laneKind = iota // their fences are counted, and looked for when somebody asks for a column
	lanePick                    // their fences are looked for
	laneRequest                 // they are method, path and protocol
	laneNumbers                 // they are numbers
	laneNothing                 // there are none
)

const exactly = 255

// A facet is what is to see of some columns.
type facet struct {
	words []gridWord
	looks []look
}

// A gridWord is eight bytes of a literal, or fewer.
type gridWord struct {
	want, mask uint64
	at         peg
}

// A form is columns whose values usually have the same bytes, or digits in the
// same places.
type form struct {
	words  []formWord
	size   int     // bytes, literals included
	code   int     // offset of the code; negative when it has none
	start  int     // of the start time
	fences []uint8 // their offsets
	plain  bool    // see Record.Plain
}

// A formWord is eight bytes of a form.
type formWord struct {
	want uint64 // zero for a digit
	same uint64 // bits that must be the same
	nine uint64 // carries into them from above the greatest digit
}

// standsAt says whether text that the words are of stands at lo.
func standsAt(words []formWord, s []byte, lo int) bool {
	for i := range words {
		w := &words[i]
		x := load64(s, lo) ^ w.want
		if (x|(x+w.nine))&w.same != 0 {
			return false
		}
		lo += 8
	}
	return true
}

// add adds byte i of the word: b, or a digit up to most if that is not 0.
func (w *formWord) add(i int, b, most byte) {
	shift := 8 * i
	if most == 0 {
		w.want |= uint64(b) << shift
		w.same |= 0xff << shift
		return
	}
	w.want |= '0' << shift
	w.same |= 0xf0 << shift
	w.nine |= uint64('9'+6-most) << shift
}

// An outcome is what was seen of a line.
type outcome struct {
	code  int32
	plain bool
	flags FlagSet
	start span
	list  span // of the flags
}

// readCells reads a line by the grid of a format, if it is one of the usual
// kind. Wanted, quotes and base are as in readPlan.
func (p *Parser) readCells(f *Format, wanted uint64, s []byte, quotes []uint16, base int) bool {
	g, r, m := f.plan.grid, &p.rec, p.scanned
	if quotes == nil {
		r.forget() // somebody may have tried to read it
		quotes, m = p.quotesIn(s, g.fence)
	}
	if len(quotes) != g.quotes {
		return false
	}
	if m != nil && (!wide || m.other != g.fence) {
		m = nil
	}
	r.text, r.planned, r.spots, r.scanned, r.base, r.ran = s, f, &p.spots, m, uint32(base), 0
	p.spots[spotBegin], p.spots[spotEnd] = uint16(base), uint16(base+len(s))
	copy(p.spots[spotQuotes:], quotes)
	var found outcome
	if !p.readLanes(g, s, base, m, &found) || !p.sees(&g.seen, s, base, &found) || !g.orderly(&p.spots, base) {
		r.spots, r.planned = nil, nil
		return false
	}
	q := f.plan
	r.Kind, r.Dialect, r.layout, r.clock, r.learned = Access, f.dialect, f.layout, f.clock, f.dialect == Inferred
	r.mixer, r.extra, r.late = span{}, r.extra[:0], p.want&q.plain
	r.code, r.flags, r.hasCode, r.hasFlags = found.code, found.flags, q.decoded.Has(ResponseCode), q.decoded.Has(ResponseFlags)
	r.plain = found.plain && found.flags == 0 && r.hasCode && r.hasFlags
	if r.spans[ResponseFlags] = found.list; found.flags != 0 {
		r.present = 1 << ResponseFlags
	}
	if found.start.hi > 0 {
		r.set(StartTime, int(found.start.lo), int(found.start.hi))
	}
	for rest := wanted & q.stored &^ g.decoded; rest != 0; rest &= rest - 1 {
		i := bits.TrailingZeros64(rest)
		at := r.cell(i)
		p.column(&f.columns[i], s, edge{from: at.lo, to: at.hi})
	}
	return true
}

// readLanes finds what is needed of the fences of a line, and sees whether its
// lanes are those of the grid.
func (p *Parser) readLanes(g *grid, s []byte, base int, m *marks, found *outcome) bool {
	exact := true
	for i := range g.lanes {
		z := &g.lanes[i]
		begin := int(p.spots[z.from%maxSpots]) - base + int(z.skip)
		lo, hi := begin, int(p.spots[z.to%maxSpots])-base
		formed := z.form.size > 0 && lo+z.form.size <= hi && standsAt(z.form.words, s, lo)
		if formed {
			lo += z.form.size
			z.form.found(s, begin, found)
		}
		switch z.kind {
		case laneNothing:
			if formed && lo == hi {
				continue
			}
			formed, lo = false, begin
		case laneLate:
			if m != nil && (formed || z.form.size == 0) && m.count(base+lo, base+hi) == z.missing(formed) {
				continue
			}
		case laneNumbers:
			at := lo
			if z.form.size == 0 {
				at = z.lo.in(&p.spots, base)
			}
			if (formed || z.form.size == 0) && numbersIn(s, at, z.hi.in(&p.spots, base), int(z.count)) {
				continue
			}
		case laneRequest:
			if p.request(z, s, lo, hi, base, m) {
				p.rec.ran |= 1 << i
				continue
			}
			return false
		}
		p.rec.ran |= 1 << i
		if n := p.fences(z, lo, hi, base, formed); n != int(z.need) {
			if formed {
				formed = false
				n = p.fences(z, begin, hi, base, false)
			}
			if exact = false; !z.shift(&p.spots, n) {
				return false
			}
		}
		if !formed && !p.sees(&z.front, s, base, found) || !p.sees(&z.rest, s, base, found) {
			return false
		}
	}
	return exact || p.strictly(g, s)
}

// fences finds the fences of a lane in s[lo:hi], which its form stands in front
// of or not, and returns how many it has.
func (p *Parser) fences(z *lane, lo, hi, base int, formed bool) int {
	at := int(z.at)
	if formed {
		for _, off := range z.form.fences {
			p.spots[at%maxSpots] = uint16(base + lo - z.form.size + int(off))
			at++
		}
	}
	return at - int(z.at) + p.rec.fences(base+lo, base+hi, p.spots[at:])
}

// fences notes the places of the fences from lo to hi, which count like those of
// spots, and returns how many there are: see pick.
func (r *Record) fences(lo, hi int, list []uint16) int {
	if r.scanned != nil {
		return r.scanned.pick(lo, hi, list)
	}
	base := int(r.base)
	return fencesIn(r.text, lo-base, hi-base, base, r.planned.plan.grid.fence, list)
}

// missing is how many fences a lane has, behind its form if that stands there.
func (z *lane) missing(formed bool) int {
	if formed {
		return int(z.need) - len(z.form.fences)
	}
	return int(z.need)
}

// found notes what a form that stands at lo says.
func (m *form) found(s []byte, lo int, to *outcome) {
	if m.code >= 0 {
		to.code = threeDigits(load32(s, lo+m.code))
	}
	if m.start >= 0 {
		to.start = span{uint32(lo + m.start), uint32(lo + m.start + len(usualTime))}
	}
	to.plain = to.plain || m.plain
}

// request finds the fences of a request line.
func (p *Parser) request(z *lane, s []byte, lo, hi, base int, m *marks) bool {
	proto := protocolAt(s, lo, hi)
	if proto < 0 {
		return false
	}
	blank := -1
	if m != nil {
		if w := m.from(base + lo); w != 0 {
			blank = lo + bits.TrailingZeros64(w)
		}
	}
	if blank < 0 {
		blank = searchStop(s, lo, ' ')
	}
	p.spots[z.at%maxSpots], p.spots[(z.at+1)%maxSpots] = uint16(base+blank), uint16(base+proto-1)
	return blank >= lo && blank < proto-1
}

// sees looks at a facet of a line, and says whether it is as it must be.
func (p *Parser) sees(o *facet, s []byte, base int, found *outcome) bool {
	for i := range o.words {
		w := &o.words[i]
		if at := w.at.in(&p.spots, base); at < 0 || load64(s, at)&w.mask != w.want {
			return false
		}
	}
	for i := range o.looks {
		k := &o.looks[i]
		if lo, hi := k.lo.in(&p.spots, base), k.hi.in(&p.spots, base); lo > hi || !p.look(k, s, lo, hi, found) {
			return false
		}
	}
	return true
}

// orderly says whether no column ends in front of its begin.
func (g *grid) orderly(spots *[maxSpots]uint16, base int) bool {
	for _, i := range g.tight {
		if c := &g.cells[i]; c.lo.in(spots, base) > c.hi.in(spots, base) {
			return false
		}
	}
	return true
}

// strictly says whether a line with fences in its values has no other cut.
func (p *Parser) strictly(g *grid, s []byte) bool {
	for i := range g.strict {
		o := &g.strict[i]
		if at := p.rec.cell(int(o.column)); at.lo > at.hi || !p.look(o, s, int(at.lo), int(at.hi), nil) {
			return false
		}
	}
	return !p.rec.planned.gluedAt(s)
}

// shift finds the places of a lane's fences among the n that there are, since
// its open column has the others. It is false when they can not be told.
func (z *lane) shift(spots *[maxSpots]uint16, n int) bool {
	need, open := int(z.need), int(z.open)
	list := spots[z.at:]
	if n < need || z.open == exactly || n > len(list) {
		return false
	}
	copy(list[open:need], list[open+n-need:n])
	return true
}

// findCell finds a late field of a record that was read by a grid.
func (r *Record) findCell(f Field) {
	at := r.cell(int(r.planned.plan.grid.of[f]))
	r.set(f, int(at.lo), int(at.hi))
	r.late &^= 1 << f
}

// cell is where a column stands.
func (r *Record) cell(i int) span {
	g, base := r.planned.plan.grid, int(r.base)
	c := &g.cells[i]
	if c.lane != noLane && r.ran>>c.lane&1 == 0 {
		z := &g.lanes[c.lane]
		lo, hi := int(r.spots[z.from%maxSpots])+int(z.skip), int(r.spots[z.to%maxSpots])
		r.fences(lo, hi, r.spots[z.at:])
		r.ran |= 1 << c.lane
	}
	return span{uint32(c.lo.in(r.spots, base)), uint32(c.hi.in(r.spots, base))}
}

// pick notes the places of the other byte from lo to hi, and returns how many
// there are; more than the list has room for if so.
func (m *marks) pick(lo, hi int, list []uint16) (n int) {
	if hi-lo <= 128 && hi > lo {
		return m.pickFew(lo, hi, list)
	}
	for ; lo < hi; lo += 64 {
		w := m.from(lo)
		if rest := hi - lo; rest < 64 {
			w &= 1<<rest - 1
		}
		for ; w != 0; w &= w - 1 {
			if n == len(list) {
				return n + 1
			}
			list[n] = uint16(lo + bits.TrailingZeros64(w))
			n++
		}
	}
	return n
}

// pickFew is pick for up to 128 bytes. Where the bytes lie among them decides
// no branch.
func (m *marks) pickFew(lo, hi int, list []uint16) int {
	a, b := m.from(lo), m.from(lo+64)
	if rest := hi - lo; rest <= 64 {
		a, b = a&(1<<rest-1), 0
	} else {
		b &= 1<<(rest-64) - 1
	}
	n := bits.OnesCount64(a) + bits.OnesCount64(b)
	if n > len(list) {
		return len(list) + 1
	}
	list = list[:n]
	for i := range list {
		w, at := a, lo
		if a == 0 {
			w, at = b, lo+64
		}
		list[i] = uint16(at + bits.TrailingZeros64(w))
		c := b & (b - 1)
		if a == 0 {
			b = c
		}
		a &= a - 1
	}
	return n
}

// fencesIn is pick for bytes that are not marked, in s[lo:hi]: their places
// count from base. Behind s eight bytes must be readable.
func fencesIn(s []byte, lo, hi, base int, c byte, list []uint16) (n int) {
	const ones = 0x0101010101010101
	for ; lo < hi; lo += 8 {
		w := load64(s, lo) ^ uint64(c)*ones
		w = ^(w&low7 + low7 | w | low7)
		if rest := hi - lo; rest < 8 {
			w &= 1<<(8*rest) - 1
		}
		for ; w != 0; w &= w - 1 {
			if n == len(list) {
				return n + 1
			}
			list[n] = uint16(base + lo + bits.TrailingZeros64(w)>>3)
			n++
		}
	}
	return n
}

// quotesIn scans a line by itself. It returns the places of its quotes, and the
// marks if it is short enough to have some.
func (p *Parser) quotesIn(s []byte, fence byte) (quotes []uint16, m *marks) {
	if len(s) <= stretch {
		m = &p.nested
		m.of(s, 0, fence)
		p.scanned = m
		return m.quotes[:m.total], m
	}
	list := p.guards[:]
	n := fencesIn(s, 0, len(s), 0, '"', list)
	return list[:min(n, len(list))], nil
}
