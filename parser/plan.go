package parser

import (
	"bytes"
	"fmt"
	"strings"
)

// A plan cuts a line by searching once for what ends each column. It holds for
// lines whose values have no guard byte; then its cut is the only one.
//
// The columns fall into segments. Those of a segment in front of its open column
// are read from the left, those behind it from the right end of the segment,
// which is the next guard or the end of the line: so user text is what is left
// between two anchors.
type plan struct {
	guard    byte // 0: no byte is forbidden
	guards   int  // how many of them the literals have
	segments []segment
	left     []stop // per column, when it is read from the left
	right    []stop // per column, when it is read from the right
}

// A segment is a run of columns.
type segment struct {
	first, open, last int // open: the column that is found last; behind last when there is none
	anchor            int // offset in the last column's literal of the guard that ends the segment; -1: the line's end does
}

// A stop is the byte to search for to find one end of a column, and where it
// stands in the literal there.
type stop struct {
	c  byte
	at int
}

// guards are the bytes that may be forbidden in values, the rarest in user
// text first; weak are those that are not rare.
const (
	guardBytes = "\"\t"
	weakGuards = "|;,"
)

// ends says whether the first place where the literal stands behind the
// column's begin is the only one where its value can end.
func (c *column) ends(literal string) bool {
	return literal == "" || c.stopIn(literal, 0, false).at >= 0
}

// stopIn finds the byte of a literal that the column's values can not have:
// the first, or the last. Its offset is negative when there is none.
func (c *column) stopIn(literal string, guard byte, last bool) stop {
	found := stop{at: -1}
	for i := range len(literal) {
		if c.excludes(literal[i]) || literal[i] == guard && guard != 0 {
			found = stop{literal[i], i}
			if !last {
				break
			}
		}
	}
	return found
}

// excludes says whether no value of the column has the byte.
func (c *column) excludes(b byte) bool {
	digit := b-'0' <= 9
	letter := b|' ' >= 'a' && b|' ' <= 'z'
	switch c.typ {
	case TypeTime:
		if c.clock != nil {
			return !c.clock.may[b]
		}
		return !digit && !letter && strings.IndexByte("-:.+ ", b) < 0
	case TypeInt:
		return !digit && b != '-'
	case TypeNumber:
		return !digit && strings.IndexByte("-+.eE", b) < 0
	case TypeCode:
		return !digit
	case TypeFlags:
		return !digit && !letter && strings.IndexByte("-_,", b) < 0
	case TypeProtocol:
		return !digit && strings.IndexByte("-HTP/.", b) < 0
	case TypeAddress:
		return b <= ' ' || b == '"' || b == ','
	case TypeToken:
		return b == ' ' || b == '"'
	case TypePhrase, TypeReason:
		return b == '"'
	}
	return false
}

// findPlan looks for a plan and warns about the columns for which there is
// none, or one that ordinary text upsets.
func (f *Format) findPlan() {
	first, second, ok := f.planWith(0)
	if ok {
		return
	}
	for i := range guardBytes {
		a, b, ok := f.planWith(guardBytes[i])
		if ok {
			return
		}
		if i == 0 {
			first, second = a, b
		}
	}
	for i := range weakGuards {
		if _, _, ok := f.planWith(weakGuards[i]); ok {
			f.warnPair(&f.columns[first], &f.columns[second], fmt.Sprintf("only %q tells them apart: a record with one in its values may be ambiguous", weakGuards[i:i+1]))
			return
		}
	}
	if f.columns[second-1].until == "" {
		return // merge has said so
	}
	f.warnPair(&f.columns[first], &f.columns[second], fmt.Sprintf("%q between them may also stand in their values: such a record is ambiguous and has neither", f.columns[second-1].until))
}

// planWith makes a plan for lines whose values do not have the guard. It is
// false when there are two columns that it can not tell apart.
func (f *Format) planWith(guard byte) (first, second int, ok bool) {
	n := len(f.columns)
	p := &plan{guard: guard, left: make([]stop, n), right: make([]stop, n)}
	if guard != 0 {
		p.guards = strings.Count(f.prefix, string(rune(guard)))
	}
	g := segment{open: -1}
	for i := range f.columns {
		c := &f.columns[i]
		anchor := -1
		if guard != 0 {
			p.guards += strings.Count(c.until, string(rune(guard)))
			anchor = strings.IndexByte(c.until, guard)
		}
		if g.open < 0 {
			if p.left[i] = c.stopIn(c.until, guard, false); p.left[i].at < 0 {
				g.open = i
			}
		} else {
			before := f.columns[i-1].until
			if p.right[i] = c.stopIn(before, guard, true); p.right[i].at < 0 {
				return g.open, i, false
			}
		}
		if anchor >= 0 || i+1 == n {
			g.last, g.anchor = i, anchor
			if g.open < 0 {
				g.open = i + 1
			}
			p.segments = append(p.segments, g)
			g = segment{first: i + 1, open: -1}
		}
	}
	f.plan = p
	return 0, 0, true
}

// place cuts s by the plan into spans, one for each column. It is false when
// the values have a guard byte or do not have their types.
func (f *Format) place(s []byte, spans []span) bool {
	p := f.plan
	if p == nil || len(s) < len(f.prefix) || string(s[:len(f.prefix)]) != f.prefix {
		return false
	}
	if p.guard != 0 && bytes.Count(s, []byte{p.guard}) != p.guards {
		return false
	}
	lo := len(f.prefix)
	for i := range p.segments {
		if lo = f.placeSegment(&p.segments[i], s, lo, spans); lo < 0 {
			return false
		}
	}
	return lo == len(s)
}

// placeSegment places the columns of a segment that begins at lo, and returns
// where the next one does; negative when the text does not fit.
func (f *Format) placeSegment(g *segment, s []byte, lo int, spans []span) int {
	for i := g.first; i < g.open && i <= g.last; i++ {
		c, stop := &f.columns[i], f.plan.left[i]
		j := bytes.IndexByte(s[lo:], stop.c)
		hi := lo + j - stop.at
		next := hi + len(c.until)
		if j < stop.at || next > len(s) || string(s[hi:next]) != c.until || !c.fits(c.typ, s[lo:hi]) {
			return -1
		}
		spans[i] = span{uint32(lo), uint32(hi)}
		lo = next
	}
	if g.open > g.last {
		return lo
	}
	last := &f.columns[g.last]
	hi := len(s) - len(last.until)
	if g.anchor >= 0 {
		hi = lo + bytes.IndexByte(s[lo:], f.plan.guard) - g.anchor
	}
	next := hi + len(last.until)
	if hi < lo || next > len(s) || string(s[hi:next]) != last.until {
		return -1
	}
	for i := g.last; i > g.open; i-- {
		c, stop, before := &f.columns[i], f.plan.right[i], f.columns[i-1].until
		from := lo + bytes.LastIndexByte(s[lo:hi], stop.c) - stop.at
		begin := from + len(before)
		if from < lo || begin > hi || string(s[from:begin]) != before || !c.fits(c.typ, s[begin:hi]) {
			return -1
		}
		spans[i] = span{uint32(begin), uint32(hi)}
		hi = from
	}
	if c := &f.columns[g.open]; !c.fits(c.typ, s[lo:hi]) {
		return -1
	}
	spans[g.open] = span{uint32(lo), uint32(hi)}
	return next
}
