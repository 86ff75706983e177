package parser

import (
	"bytes"
	"strings"
)

// fences are the bytes that may be a grid's fence, those that hardly a value
// has first.
const fences = "\t|; ,"

// findGrid makes the grid of the format's plan, if it can have one.
func (f *Format) findGrid() {
	for i := range f.columns {
		if !f.columns[i].plain {
			f.plan.stored |= 1 << i
		}
	}
	best := -1
	for i := range fences {
		g := f.newGrid(fences[i])
		if n := f.holders(fences[i]); g != nil && (best < 0 || n < best) {
			f.plan.grid, best = g, n
		}
	}
	if g := f.plan.grid; g != nil {
		for i := range f.columns {
			if g.decoded>>i&1 != 0 {
				f.plan.decoded |= 1 << f.columns[i].field
			}
		}
	}
}

// holders is how many columns often have a byte in their values.
func (f *Format) holders(b byte) (n int) {
	for i := range f.columns {
		switch c := &f.columns[i]; c.field {
		case UserAgent:
			if b == ' ' || b == ';' || b == ',' {
				n++
			}
		case XForwardedFor:
			if b == ' ' || b == ',' {
				n++
			}
		case UpstreamCluster:
			if b == '|' {
				n++
			}
		case ResponseFlags:
			if b == ',' {
				n++
			}
		}
	}
	return n
}

// A gridMaker compiles a grid.
type gridMaker struct {
	f       *Format
	g       *grid
	quote   int // spots that come next
	fence   int
	lane    lane
	columns []int  // of the lane
	opens   int    // columns of it that may have fences
	head    string // what stands in the lane in front of its first column
}

// newGrid makes the grid with a fence; it is nil when there is none.
func (f *Format) newGrid(fence byte) *grid {
	quotes := strings.Count(f.prefix, `"`)
	for i := range f.columns {
		quotes += strings.Count(f.columns[i].until, `"`)
	}
	g := &grid{fence: fence, quotes: quotes, cells: make([]cell, len(f.columns))}
	k := gridMaker{f: f, g: g, quote: spotQuotes, fence: spotQuotes + quotes}
	k.open(spotBegin, 0, f.prefix)
	if len(f.columns) < 2 || len(f.prefix) > maxGridLiteral || spotQuotes+quotes >= maxSpots {
		return nil
	}
	k.prefix()
	for i := range f.columns {
		if !k.column(i) {
			return nil
		}
	}
	if k.close(spotEnd); k.fence >= maxSpots || len(g.lanes) > 64 {
		return nil
	}
	k.seeOthers()
	return g
}

// maxGridLiteral is how long the literals of a grid are at most: eight bytes
// behind one that begins at a line's last byte must be readable.
const maxGridLiteral = 40

// open opens a lane with text in front of its first column, if it has one.
func (k *gridMaker) open(spot, skip int, text string) {
	before, _, _ := strings.Cut(text, `"`)
	k.lane, k.columns, k.opens, k.head = lane{from: uint8(spot), skip: uint8(skip), at: uint8(k.fence), open: exactly}, nil, 0, before
}

// close ends the lane at a spot.
func (k *gridMaker) close(spot int) {
	z := &k.lane
	if z.to = uint8(spot); z.need == 0 || len(k.columns) == 0 {
		k.fence -= int(z.need)
		return
	}
	if k.opens != 1 {
		z.open = exactly
	}
	for _, i := range k.columns {
		k.g.cells[i].lane = uint8(len(k.g.lanes))
	}
	k.seeLane(z)
	k.g.lanes = append(k.g.lanes, *z)
}

// prefix takes the literal in front of all.
func (k *gridMaker) prefix() {
	text := k.f.prefix
	k.g.cells[0].lo = peg{spotBegin, int16(len(text))}
	k.cross(text)
	if text != "" {
		k.g.seen.words = appendWords(k.g.seen.words, text, peg{spotBegin, 0})
	}
}

// column takes a column and the literal behind it. It is false when nothing
// marks where it ends.
func (k *gridMaker) column(i int) bool {
	c := &k.f.columns[i]
	text, last := c.until, i+1 == len(k.f.columns)
	k.columns = append(k.columns, i)
	if n, ok := k.within(c); ok {
		k.lane.need += uint8(n)
		k.fence += n
	} else if !c.excludes(k.g.fence) {
		k.opens++
		k.lane.open = k.lane.need
	}
	if k.g.cells[i].lane = noLane; c.field < NumFields {
		k.g.of[c.field] = uint8(i)
	}
	lo, hi := peg{uint8(k.quote + strings.Count(text, `"`) - 1), int16(len(text) - strings.LastIndexByte(text, '"'))}, peg{uint8(k.quote), int16(-strings.IndexByte(text, '"'))}
	if lo.spot < uint8(k.quote) {
		at := strings.IndexByte(text, k.g.fence)
		if lo, hi = (peg{uint8(k.fence), int16(len(text) - at)}), (peg{uint8(k.fence), int16(-at)}); at < 0 && !last {
			return false
		}
	}
	if last {
		hi = peg{spotEnd, int16(-len(text))}
	} else {
		k.g.cells[i+1].lo = lo
	}
	k.g.cells[i].hi = hi
	fenced := strings.IndexByte(text[:-hi.off], k.g.fence) >= 0
	if k.g.cells[i].lo.off > 1 && (last || hi.off < 0 && !fenced) {
		k.g.tight = append(k.g.tight, uint8(i))
	}
	k.cross(text)
	return len(text) <= maxGridLiteral
}

// within is how many fences each value of a column has, if it is a time.
func (k *gridMaker) within(c *column) (n int, ok bool) {
	if c.clock == nil || c.typ != TypeTime {
		return 0, false
	}
	return c.clock.holds(k.g.fence)
}

// cross goes over the quotes and fences of a literal.
func (k *gridMaker) cross(text string) {
	for j := range len(text) {
		switch text[j] {
		case '"':
			k.close(k.quote)
			k.open(k.quote, 1, text[j+1:])
			k.quote++
		case k.g.fence:
			k.lane.need++
			k.fence++
		}
	}
}

// appendWords adds what is to be compared of a literal that begins at a peg.
func appendWords(list []gridWord, text string, at peg) []gridWord {
	for ; text != ""; at.off += 8 {
		n := min(len(text), 8)
		w := gridWord{at: at}
		for j := range n {
			w.want |= uint64(text[j]) << (8 * j)
			w.mask |= 0xff << (8 * j)
		}
		list = append(list, w)
		text = text[n:]
	}
	return list
}

// seeColumn adds what is to see of a column and what ends it.
func (k *gridMaker) seeColumn(to *facet, i int) {
	c, at := &k.f.columns[i], k.g.cells[i].hi
	if len(c.until) > 1 || at.spot == spotEnd {
		to.words = appendWords(to.words, c.until, at)
	}
	k.addLook(to, i)
}

// addLook adds the look at a column, if there is anything to see.
func (k *gridMaker) addLook(to *facet, i int) {
	o, strict := k.look(i)
	if strict.check == checkFits && strict.of != nil {
		k.g.strict = append(k.g.strict, strict)
	}
	switch o.kind {
	case lookTime, lookClock, lookCode, lookFlags:
		k.g.decoded |= 1 << i
	case lookValue:
		if o.check == checkNone {
			return
		}
	}
	to.looks = append(to.looks, o)
}

// seeOthers adds what is to see of columns in no lane, and of literals between
// lanes.
func (k *gridMaker) seeOthers() {
	for i := range k.f.columns {
		switch at := k.g.cells[i]; {
		case at.lane == noLane:
			k.seeColumn(&k.g.seen, i)
		case at.hi.spot < uint8(spotQuotes+k.g.quotes) && k.f.columns[i].until != "":
			k.g.seen.words = appendWords(k.g.seen.words, k.f.columns[i].until, at.hi)
		}
	}
}

// seeLane adds what is to see of the columns of a lane.
func (k *gridMaker) seeLane(z *lane) {
	n := k.newForm(z)
	for j, i := range k.columns {
		to := &z.front
		if j >= n {
			to = &z.rest
		}
		k.addLook(to, i)
		if at, until := k.g.cells[i].hi, k.f.columns[i].until; at.spot >= z.at && len(until) > 1 {
			to.words = appendWords(to.words, until, at)
		}
	}
	rest := k.columns[n:]
	z.kind = lanePick
	switch {
	case len(rest) == 0:
		z.kind = laneNothing
	case n == 0 && k.asksRequest(z):
		z.kind = laneRequest
	case k.joinNumbers(z, rest):
		z.kind = laneNumbers
	case len(z.rest.looks)+len(z.rest.words) == 0:
		z.kind = laneLate
	}
}

// asksRequest says whether a lane is a request line as HTTP writes it.
func (k *gridMaker) asksRequest(z *lane) bool {
	if len(k.columns) != 3 || k.g.fence != ' ' || z.need != 2 || k.head != "" {
		return false
	}
	i := k.columns[0]
	a, b, c := &k.f.columns[i], &k.f.columns[i+1], &k.f.columns[i+2]
	return a.field == Method && b.field == Path && c.field == Protocol && a.until == " " && b.until == " " && k.g.cells[i+2].hi == (peg{z.to, 0}) &&
		a.typ == TypeToken && b.typ == TypeText && c.typ == TypeProtocol && a.most+b.most+c.most == 0 && !a.piped && !b.piped
}

// joinNumbers makes one look of the numbers that the columns are, if they are.
func (k *gridMaker) joinNumbers(z *lane, columns []int) bool {
	first, last := columns[0], columns[len(columns)-1]
	for _, i := range columns {
		if c := &k.f.columns[i]; c.typ != TypeInt && c.typ != TypeNumber || c.most > 0 || c.piped || i < last && c.until != " " {
			return false
		}
	}
	between := len(columns) - 1
	if len(k.columns) == len(columns) {
		between += strings.Count(k.head, " ")
	} else {
		between += int(len(z.form.fences))
	}
	text, _, _ := strings.Cut(k.f.columns[last].until, `"`)
	if k.g.fence != ' ' || between+strings.Count(text, " ") != int(z.need) {
		return false
	}
	z.lo, z.hi, z.count = k.g.cells[first].lo, k.g.cells[last].hi, uint8(len(columns))
	z.rest.looks = []look{{lo: z.lo, hi: z.hi, kind: lookNumbers, column: uint8(first), count: z.count}}
	return z.lo.spot < z.at && z.hi.spot < z.at || len(k.columns) > len(columns) && z.hi.spot < z.at
}

// look is what is to see of column i, and what else when a value may have a
// fence.
func (k *gridMaker) look(i int) (o, strict look) {
	c := &k.f.columns[i]
	at := k.g.cells[i]
	o = look{lo: at.lo, hi: at.hi, of: c, column: uint8(i)}
	stop := byte('"')
	if at.lane != noLane {
		stop = k.g.fence
	}
	o.check = c.checkWith(stop, '"')
	o.dash = !c.always && o.check != checkCode && o.check != checkTime
	switch {
	case c.piped || c.most > 0:
		o.check = checkFits
	case c.field == StartTime && c.clock != nil:
		o.kind = lookClock
	case c.field == StartTime && o.check == checkTime:
		o.kind = lookTime
	case c.field == ResponseCode && o.check == checkCode:
		o.kind = lookCode
	case c.field == ResponseFlags && c.typ == TypeFlags:
		o.kind = lookFlags
	case o.check == checkNumber:
		o.kind, o.count = lookNumbers, 1
	case c.lenient && (c.typ == TypeToken || c.typ == TypeAddress || c.typ == TypeIPList):
		if c.typ != TypeToken || stop != ' ' {
			strict = o
			strict.check = checkFits
		}
		if o.check = checkNone; c.field == ResponseCodeDetails && !k.f.layout.Has(GRPCStatus) {
			o.kind = lookDetails
		}
	}
	return o, strict
}

// usualValue is the one that the column usually has; empty when there is none.
func (k *gridMaker) usualValue(i int) string {
	c := &k.f.columns[i]
	o, _ := k.look(i)
	switch {
	case o.kind == lookTime:
		return usualTime
	case o.kind == lookCode:
		return usualCode
	case o.kind == lookFlags:
		return noValue
	case c.piped || c.most > 0:
		return ""
	case c.field == ResponseCodeDetails && c.typ == TypeToken:
		return usualWhy
	case c.typ == TypeReason && o.dash:
		return noValue
	}
	return ""
}

// newForm makes the form of a lane's first columns, and returns how many have
// one.
func (k *gridMaker) newForm(z *lane) (n int) {
	m := form{code: -1, start: -1}
	text := []byte(k.head)
	class := bytes.Repeat([]byte{noValue[0]}, len(text)) // a zero for a byte that is any digit
	for _, i := range k.columns {
		value := k.usualValue(i)
		if value == "" {
			break
		}
		c, lo := &k.f.columns[i], len(text)
		switch c.field {
		case ResponseCode:
			m.code = lo
		case StartTime:
			m.start = lo
		case ResponseCodeDetails:
			m.plain = !k.f.layout.Has(GRPCStatus)
		}
		until, _, _ := strings.Cut(c.until, `"`)
		text = append(append(text, value...), until...)
		class = append(append(class, value...), bytes.Repeat([]byte{noValue[0]}, len(until))...)
		n++
	}
	if n == 0 || len(text) > 250 {
		return 0
	}
	for j, b := range text {
		if j%8 == 0 {
			m.words = append(m.words, formWord{})
		}
		w := &m.words[j/8]
		if class[j] == '0' {
			w.add(j%8, b, '9')
		} else {
			w.add(j%8, b, 0)
		}
		if b == k.g.fence {
			m.fences = append(m.fences, uint8(j))
		}
	}
	m.size = len(text)
	z.form = m
	return n
}
