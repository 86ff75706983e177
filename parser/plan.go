package parser

import (
	"bytes"
	"fmt"
	"slices"
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
	spaced   bool // it is one only between blanks: other columns than text may have it
	guards   int  // how many of them the literals have
	first    int  // guards in front of the first column
	segments []segment
	cuts     []cut    // per column
	right    []stop   // per column: when it is read from the right
	plain    FieldSet // fields that are kept as they are found
	decoded  FieldSet // fields that the grid decodes
	stored   uint64   // columns that are not plain
	grid     *grid    // nil when there is none
}

// The limits of what a plan is used for.
const (
	maxGuards  = 96      // in a format
	maxPlanned = 1 << 16 // bytes of a line
	maxLiteral = 255     // bytes between two columns
)

// A segment is a run of columns.
type segment struct {
	first, open, last int // open: the column that is found last; behind last when there is none
	anchor            int // offset in the last column's literal of the guard that ends the segment; -1: the line's end does
}

// A cut is how to find a column from the left.
type cut struct {
	head   uint64 // the first eight bytes of what ends it
	mask   uint64 // how many of them there are
	size   uint8  // how long all of that is
	guards uint8  // how many guards it has
	stop   byte   // one of its bytes, which no value has
	at     uint8  // where that stands
	how    how
	check  check
	dash   bool  // a dash says that there is no value
	field  Field // NumFields when it is none
	index  uint8 // of the segment that it opens
}

// A how is the way to find the end of a column.
type how uint8

const (
	findStop  how = iota // search for the stop
	findGuard            // it is the next guard
	findTime             // behind 24 bytes, or as findStop
	findOpen             // all of the segment from here on is read from its end
	findRun              // a run of columns ends with the segment, or as findStop
)

// A stop is the byte to search for to find one end of a column, and where it
// stands in the literal there.
type stop struct {
	c  byte
	at int
}

// A check is what is left to see of a value whose end was found.
type check uint8

const (
	checkFits   check = iota // all that the column's type says
	checkNone                // nothing
	checkTime                // RFC 3339 as Envoy writes it; else as checkFits
	checkNumber              // digits or a dash; else as checkFits
	checkCode                // three digits or 0
	checkBlank               // no blank
	checkDash                // a dash; else as checkFits
)

// guards are the bytes that may be forbidden in values, the rarest in user
// text first; weak are those that are not rare.
const (
	guardBytes = "\"\t"
	weakGuards = "|;,"
)

// ends says whether the first place where the literal stands behind the
// column's begin is the only one where its value can end.
func (c *column) ends(literal string) bool {
	return c.stopIn(literal, 0, false).at >= 0
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
		return !digit && !letter && strings.IndexByte("-:.+", b) < 0
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
	case TypeName:
		return b == ' ' || b == '"' || b == '(' || b == ')'
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
	p := &plan{guard: guard, cuts: make([]cut, n), right: make([]stop, n)}
	if guard != 0 {
		p.first = strings.Count(f.prefix, string(rune(guard)))
		p.guards = p.first
		p.spaced = f.spaces(guard)
	}
	g := segment{open: -1}
	for i := range f.columns {
		c := &f.columns[i]
		k := newCut(c.until, guard)
		if g.open < 0 {
			left := c.stopIn(c.until, guard, false)
			if k.stop, k.at = left.c, uint8(left.at); left.at < 0 {
				g.open = i
			}
		} else {
			before := f.columns[i-1].until
			if p.right[i] = c.stopIn(before, guard, true); p.right[i].at < 0 {
				return g.open, i, false
			}
		}
		k.check, k.field, k.index = c.checkWith(k.stop, guard), min(c.field, NumFields), uint8(len(p.segments))
		k.dash = !c.always && k.check != checkCode && k.check != checkTime
		switch {
		case g.open == i:
			k.how = findOpen
		case guard != 0 && k.stop == guard:
			k.how = findGuard
		case k.check == checkTime && k.at == 0 && k.size <= 8:
			k.how = findTime
		}
		if c.plain {
			p.plain |= 1 << c.field
		}
		p.cuts[i], p.guards = k, p.guards+int(k.guards)
		anchor := -1
		if k.guards > 0 {
			anchor = strings.IndexByte(c.until, guard)
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
	long := slices.ContainsFunc(f.columns, func(c column) bool { return len(c.until) > maxLiteral })
	if p.guards < maxGuards && !long {
		f.plan = p
		f.findGrid()
	}
	return 0, 0, true
}

// spaces says whether the guard stands between blanks in all literals.
func (f *Format) spaces(guard byte) bool {
	alone, between := string(rune(guard)), " "+string(rune(guard))+" "
	if strings.Contains(f.prefix, alone) {
		return false
	}
	for i := range f.columns {
		if until := f.columns[i].until; strings.Count(until, alone) != strings.Count(until, between) {
			return false
		}
	}
	return true
}

func newCut(until string, guard byte) cut {
	k := cut{size: uint8(min(len(until), maxLiteral))}
	for i := range min(len(until), 8) {
		k.head |= uint64(until[i]) << (8 * i)
		k.mask |= 0xff << (8 * i)
	}
	if guard != 0 {
		k.guards = uint8(min(strings.Count(until, string(rune(guard))), maxLiteral))
	}
	return k
}

// checkWith is what is left to check of a value that was found by its stop,
// in a line without guards in its values.
func (c *column) checkWith(stop, guard byte) check {
	typ := c.typ
	if typ == TypeAddress && c.lenient {
		typ = TypeToken
	}
	switch {
	case c.most > 0 || c.clock != nil:
		return checkFits
	case typ == TypeText || guard == '"' && (typ == TypePhrase || typ == TypeToken && stop == ' '):
		return checkNone
	case guard == '"' && stop == guard && c.lenient && (typ == TypeToken || typ == TypeIPList):
		return checkNone
	case guard == '"' && typ == TypeToken:
		return checkBlank
	case typ == TypeTime && c.always:
		return checkTime
	case typ == TypeInt || typ == TypeNumber:
		return checkNumber
	case typ == TypeCode:
		return checkCode
	}
	return checkDash
}

// passes says whether s[lo:hi] is a value of the column whose end was found.
func (c *column) passes(k check, s []byte, lo, hi int) bool {
	switch n := hi - lo; k {
	case checkNone:
		return true
	case checkDash:
		if n == 1 && s[lo] == '-' {
			return true
		}
	case checkNumber:
		if w := load64(s, lo); n == 1 && byte(w) == '-' || n <= 8 && n > 0 && digitCount(w) >= n {
			return true
		}
	case checkCode:
		w := load64(s, lo)
		return n == 3 && digitCount(w) >= 3 || n == 1 && byte(w) == '0'
	case checkBlank:
		return n == 1 || bytes.IndexByte(s[lo:hi], ' ') < 0
	case checkFits:
		if w := load64(s, lo); c.typ == TypeProtocol && (n == 8 && w == http11 || n == 6 && w<<16>>16 == http2) {
			return true
		}
	case checkTime:
		if n == 24 && isEnvoyTime(s, lo) {
			return true
		}
	}
	return c.fits(c.typ, s[lo:hi])
}

// isEnvoyTime says whether 2006-01-02T15:04:05.000Z stands at lo.
func isEnvoyTime(s []byte, lo int) bool {
	const ( // "0000-00-", "00T00:00", ":00.000Z"; bits that no digit sets; carries from above nine
		a, as, an = 0x2d30302d30303030, 0xfff0f0fff0f0f0f0, 0x0006060006060606
		b, bs, bn = 0x30303a3030543030, 0xf0f0fff0f0fff0f0, 0x0606000606000606
		c, cs, cn = 0x5a3030302e30303a, 0xfff0f0f0fff0f0ff, 0x0006060600060600
	)
	x, y, z := load64(s, lo)^a, load64(s, lo+8)^b, load64(s, lo+16)^c
	return (x|(x+an))&as == 0 && (y|(y+bn))&bs == 0 && (z|(z+cn))&cs == 0
}
