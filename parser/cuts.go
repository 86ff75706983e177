package parser

import "bytes"

// The limits of one search for cuts. A line that needs more is suspicious:
// what can be read from the left up to the first doubt is read.
const (
	maxStarts = 32
	maxEdges  = 1024

	maxGlances = 8 // ends that are tried to see whether a column can begin
)

// An edge is one possible value of a column: text[from:to]; the next column
// would begin at next.
type edge struct {
	from, to, next uint32
	alive          bool
}

// A cutter considers all cuts of a line that satisfy every typed column of a
// format. Offsets where a column can begin are found from left to right, and
// those that lead nowhere are dropped from right to left; a column is known
// when all cuts that are left agree on it. The work is bounded: columns x
// possible starts.
type cutter struct {
	starts [maxStarts]uint32
	nexts  [maxStarts]uint32
	edges  []edge
	found  [maxColumns]search  // of what each column ends with
	first  [maxColumns + 1]int // first edge of a column
	from   int                 // column that the cut begins with
	end    int                 // column behind the last one that was reached
	full   bool                // the cut ends with the line
	flood  bool                // a limit was reached
	loose  bool                // columns that users write are not typed
}

// A search is where a text was found from an offset on: the answer for all offsets
// in between.
type search struct {
	from, at int // at is negative when there is none
	done     bool
}

// next is the offset from lo on of what column i ends with; negative when there is
// none. A user can write what makes that be asked at every byte.
func (c *cutter) next(f *Format, i int, s []byte, lo int) int {
	x := &c.found[i]
	if !x.done || lo < x.from || x.at >= 0 && lo > x.at {
		*x = search{lo, index(s[lo:], f.columns[i].until), true}
		if x.at >= 0 {
			x.at += lo
		}
	}
	return x.at
}

// run cuts s[lo:] by the format's columns from the given one on. The result
// is in c: the columns from <= i < end have edges, the alive ones count.
func (c *cutter) run(f *Format, s []byte, column, lo int) {
	c.edges, c.from, c.end, c.full, c.flood = c.edges[:0], column, column, false, false
	clear(c.found[:len(f.columns)])
	c.starts[0] = uint32(lo)
	n := 1
	for i := column; i < len(f.columns) && n > 0; i++ {
		c.first[i] = len(c.edges)
		for _, start := range c.starts[:n] {
			c.extend(f, i, s, int(start))
		}
		if len(c.edges) == c.first[i] {
			break
		}
		c.end = i + 1
		n = c.collect(i)
	}
	c.first[c.end] = len(c.edges)
	c.prune(f, len(s))
}

// extend adds the possible values of column i that begin at lo.
func (c *cutter) extend(f *Format, i int, s []byte, lo int) {
	col := &f.columns[i]
	last := i+1 == len(f.columns)
	typ := c.typeOf(col)
	if last && col.until == "" {
		if col.fits(typ, s[lo:]) {
			c.add(lo, len(s), len(s))
		}
		return
	}
	many := col.open || typ != col.typ
	for at := lo; at <= len(s); at++ {
		to := c.next(f, i, s, at)
		if to < 0 {
			return
		}
		next := to + len(col.until)
		if col.fits(typ, s[lo:to]) && (last && next == len(s) || !last && c.viable(f, i+1, s, next)) {
			c.add(lo, to, next)
		}
		if !many || len(c.edges) == maxEdges {
			return
		}
		at = to
	}
}

// viable says whether column i can begin at lo; one with several possible ends
// always can.
func (c *cutter) viable(f *Format, i int, s []byte, lo int) bool {
	col := &f.columns[i]
	typ := c.typeOf(col)
	switch {
	case col.until == "" && i+1 == len(f.columns):
		return col.fits(typ, s[lo:])
	case typ != col.typ || col.open && sortOf(typ) == TypeText:
		return true
	case typ == TypeTime && col.always && col.clock == nil:
		return isTime(s[lo:])
	}
	at := lo
	for range maxGlances {
		end := c.next(f, i, s, at)
		if end < 0 {
			return at == lo && f.columns[i-1].until != "" // the line may break off here
		}
		if at = end; col.fits(typ, s[lo:at]) {
			return true
		}
		if at++; !col.open || at > len(s) {
			return false
		}
	}
	return typ != TypeCode // which is shorter than that
}

// typeOf is the type that values of a column must have.
func (c *cutter) typeOf(col *column) Type {
	if c.loose && (col.field == RequestID || col.field == XForwardedFor || col.field == Extra || col.lenient && sortOf(col.typ) == TypeText) {
		return TypeText
	}
	return col.typ
}

func (c *cutter) add(from, to, next int) {
	if len(c.edges) == maxEdges {
		c.flood = true
		return
	}
	c.edges = append(c.edges, edge{uint32(from), uint32(to), uint32(next), false})
}

// collect gathers the distinct starts of the column behind i.
func (c *cutter) collect(i int) int {
	n := 0
	for _, e := range c.edges[c.first[i]:] {
		if n > 0 && seen(c.nexts[:n], e.next) {
			continue
		}
		if n == maxStarts {
			c.flood = true
			break
		}
		c.nexts[n] = e.next
		n++
	}
	c.starts = c.nexts
	return n
}

func seen(list []uint32, x uint32) bool {
	for _, y := range list {
		if x == y {
			return true
		}
	}
	return false
}

// prune marks the edges that stand on a way to the end of the line, or to the
// last column reached when no cut gets that far.
func (c *cutter) prune(f *Format, n int) {
	if c.end == c.from {
		return
	}
	if c.end == len(f.columns) {
		for i := c.first[c.end-1]; i < len(c.edges); i++ {
			if int(c.edges[i].next) == n {
				c.edges[i].alive, c.full = true, true
			}
		}
	}
	if !c.full {
		for i := c.first[c.end-1]; i < len(c.edges); i++ {
			c.edges[i].alive = true
		}
	}
	for col := c.end - 2; col >= c.from; col-- {
		for i := c.first[col]; i < c.first[col+1]; i++ {
			c.edges[i].alive = c.leads(col+1, c.edges[i].next)
		}
	}
}

// leads says whether an alive value of the column begins at lo.
func (c *cutter) leads(col int, lo uint32) bool {
	for _, e := range c.edges[c.first[col]:c.first[col+1]] {
		if e.alive && e.from == lo {
			return true
		}
	}
	return false
}

// value returns the column's value if all cuts agree on one; agreed is false
// when there are several.
func (c *cutter) value(col int) (e edge, agreed bool) {
	n := 0
	for _, x := range c.edges[c.first[col]:c.first[col+1]] {
		if x.alive {
			e = x
			n++
		}
	}
	return e, n == 1
}

// index is bytes.Index for a string of any length: a long one would be copied
// to the heap.
func index(s []byte, sep string) int {
	if len(sep) <= 32 {
		return bytes.Index(s, []byte(sep))
	}
	for i := 0; ; i++ {
		j := bytes.IndexByte(s[i:], sep[0])
		if j < 0 || i+j+len(sep) > len(s) {
			return -1
		}
		if i += j; string(s[i:i+len(sep)]) == sep {
			return i
		}
	}
}

// single says whether there is only one cut.
func (c *cutter) single() bool {
	for col := c.from; col < c.end; col++ {
		if _, agreed := c.value(col); !agreed {
			return false
		}
	}
	return !c.flood
}

// fits says whether v is a value of the type, or one of the two ways to write
// that there is none: "-" and nothing.
func fits(t Type, v []byte) bool {
	if len(v) == 0 || len(v) == 1 && v[0] == '-' {
		return t != TypeCode && (t != TypeFlags || len(v) == 1)
	}
	switch t {
	case TypeText:
		return true
	case TypeToken:
		return isToken(v)
	case TypeName:
		return isToken(v) && bytes.IndexByte(v, '(') < 0 && bytes.IndexByte(v, ')') < 0
	case TypeTime:
		return isTime(v)
	case TypeInt:
		return isDigits(v)
	case TypeNumber:
		_, ok := parseNumber(v)
		return ok
	case TypeCode:
		return len(v) == 1 && v[0] == '0' || len(v) == 3 && isDigits(v)
	case TypeFlags:
		return isFlags(v)
	case TypeProtocol:
		return isProtocol(v)
	case TypeAddress:
		return isAddress(v)
	case TypeIPList:
		return isIPList(v)
	case TypeReason:
		return v[0]-'0' > 9 && bytes.IndexByte(v, '"') < 0
	default: // TypePhrase
		return bytes.IndexByte(v, '"') < 0
	}
}

func isDigits(v []byte) bool {
	for _, c := range v {
		if c-'0' > 9 {
			return false
		}
	}
	return len(v) > 0
}

func isToken(v []byte) bool {
	for _, c := range v {
		if c == ' ' || c == '"' {
			return false
		}
	}
	return true
}

// isTime says whether v begins like an RFC 3339 time.
func isTime(v []byte) bool {
	return len(v) >= 19 && v[4] == '-' && v[7] == '-' && v[10]|' ' == 't' && v[13] == ':' && v[16] == ':' && isDigits(v[:4])
}

// isFlags says whether v is a list of names joined by commas, or a mask.
func isFlags(v []byte) bool {
	if isDigits(v) {
		return true
	}
	begin := true
	for _, c := range v {
		switch {
		case c|' ' >= 'a' && c|' ' <= 'z':
			begin = false
		case c-'0' <= 9 || c == '_':
			if begin {
				return false
			}
		case c == ',':
			if begin {
				return false
			}
			begin = true
		default:
			return false
		}
	}
	return !begin
}

func isProtocol(v []byte) bool {
	if len(v) < 6 || len(v) > 8 || string(v[:5]) != "HTTP/" {
		return false
	}
	for _, c := range v[5:] {
		if c-'0' > 9 && c != '.' {
			return false
		}
	}
	return true
}

// isAddress accepts ip:port, [v6]:port, URLs and socket paths, also with
// octets that somebody masked.
func isAddress(v []byte) bool {
	place := false
	for _, c := range v {
		if c <= ' ' || c == '"' || c == ',' {
			return false
		}
		place = place || c == ':' || c == '/' || c == '@' || c == '.'
	}
	return place
}

// isIPList looks at the last element: it is the one that a proxy wrote. A list
// with a quote in it is user text, so there the last element must be an address.
//
// It looks no further back than the element goes: a user who writes quotes makes
// it be asked at each of them.
func isIPList(v []byte) bool {
	v = bytes.TrimSpace(v)
	lo := len(v)
	for lo > 0 && v[lo-1] != ',' && v[lo-1] != ' ' && v[lo-1] != '"' {
		lo--
	}
	if front := bytes.TrimSpace(v[:lo]); len(front) > 0 && front[len(front)-1] != ',' {
		return false
	}
	last := bytes.TrimSpace(v[lo:])
	return isAddress(last) || bytes.IndexByte(v, '"') < 0
}
