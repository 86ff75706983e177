package parser

import (
	"fmt"
	"strings"
)

// A clock reads times in the layout that START_TIME and its like were given:
// strftime, and what Envoy adds to it.
//
// Sources: https://www.envoyproxy.io/docs/envoy/latest/configuration/advanced/substitution_formatter
// (START_TIME) and https://pubs.opengroup.org/onlinepubs/9799919799/functions/strftime.html
type clock struct {
	parts []timePart
	known bool      // a value tells the instant
	free  bool      // it has a specifier that is not known: a value may be anything
	may   [256]bool // bytes that a value can have
}

// A timePart is a specifier, or text between specifiers.
type timePart struct {
	verb   byte   // as in strftime; 0: text, '.': a fraction, ':': a zone with a colon
	text   string // of a text
	digits int    // of a fraction; any: as many as there are
}

const anyDigits = -1

// shorthands are specifiers that stand for several.
var shorthands = map[byte]string{
	'T': "%H:%M:%S", 'X': "%H:%M:%S", 'D': "%m/%d/%y", 'x': "%m/%d/%y", 'F': "%Y-%m-%d", 'R': "%H:%M", 'r': "%I:%M:%S %p", 'c': "%a %b %e %H:%M:%S %Y", '+': "%a %b %e %H:%M:%S %Z %Y",
}

var (
	monthNames = []string{"January", "February", "March", "April", "May", "June", "July", "August", "September", "October", "November", "December"}
	dayNames   = []string{"Sunday", "Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday"}
)

// verbWidths are the lengths of the specifiers that always have the same.
var verbWidths = map[byte]int{
	'Y': 4, 'G': 4, 'y': 2, 'C': 2, 'g': 2, 'm': 2, 'd': 2, 'e': 2, 'H': 2, 'I': 2, 'k': 2, 'l': 2, 'M': 2, 'S': 2, 'U': 2, 'V': 2, 'W': 2, 'j': 3, 'u': 1, 'w': 1,
	'z': 5, ':': 6, 'p': 2, 'P': 2,
}

// newClock compiles a layout. local says that the times are those of the
// proxy's zone, not of UTC.
func newClock(layout string, local bool) (*clock, error) {
	c := &clock{}
	if err := c.compile(layout); err != nil {
		return nil, err
	}
	c.known = !c.free && c.tells(local)
	c.measure()
	return c, nil
}

func (c *clock) compile(layout string) error {
	for len(layout) > 0 {
		i := strings.IndexByte(layout, '%')
		if i != 0 {
			if i < 0 {
				i = len(layout)
			}
			c.literal(layout[:i])
			layout = layout[i:]
			continue
		}
		n, err := c.specifier(layout)
		if err != nil {
			return err
		}
		layout = layout[n:]
	}
	return nil
}

// literal adds text, to the text in front of it if there is one.
func (c *clock) literal(text string) {
	if n := len(c.parts); n > 0 && c.parts[n-1].verb == 0 {
		c.parts[n-1].text += text
		return
	}
	c.parts = append(c.parts, timePart{text: text})
}

func (c *clock) add(verb byte, digits int) {
	c.parts = append(c.parts, timePart{verb: verb, digits: digits})
}

// specifier compiles the one that begins the layout, and returns its length.
func (c *clock) specifier(layout string) (int, error) {
	i := 1
	if i < len(layout) && (layout[i] == 'E' || layout[i] == 'O') {
		i++
	}
	extended := i == 2
	digits := 0
	if i < len(layout) && layout[i] == '*' {
		digits, i = anyDigits, i+1
	} else {
		for i < len(layout) && layout[i]-'0' <= 9 && digits < 100 {
			digits, i = digits*10+int(layout[i]-'0'), i+1
		}
	}
	if i == len(layout) {
		c.literal(layout)
		return i, nil
	}
	verb, numbered := layout[i], digits != 0
	i++
	switch {
	case verb == 'n':
		return 0, fmt.Errorf("%%n is a line end, which Envoy refuses in a time")
	case verb == 'f' && !numbered:
		c.add('.', 9)
	case verb == 'f':
		c.add('.', digits)
	case extended && verb == 'S' && numbered:
		c.add('S', 0)
		if digits > 0 {
			c.literal(".")
			c.add('.', digits)
		} else {
			c.add('*', 0)
		}
	case extended && verb == 'Y' && digits == 4:
		c.add('Y', 0)
	case extended && verb == 'z' && (!numbered || digits == anyDigits):
		c.add(':', 0)
	case extended && verb == 'T' && !numbered:
		c.literal("T")
	case numbered:
		c.free = true
	case verb == '%':
		c.literal("%")
	case verb == 't':
		c.literal("\t")
	case verb == 'h':
		c.add('b', 0)
	case shorthands[verb] != "":
		return i, c.compile(shorthands[verb])
	case verbWidths[verb] > 0 || strings.IndexByte("bBaAsZ", verb) >= 0:
		c.add(verb, 0)
	default:
		c.free = true
	}
	return i, nil
}

// tells says whether the values tell an instant: a date, a time of the day
// and, if they are local, the zone.
func (c *clock) tells(local bool) bool {
	has := map[byte]bool{}
	for _, p := range c.parts {
		has[p.verb] = true
	}
	year := has['Y'] || has['y']
	date := year && ((has['m'] || has['b'] || has['B']) && (has['d'] || has['e']) || has['j'])
	hour := has['H'] || has['k'] || (has['I'] || has['l']) && (has['p'] || has['P'])
	zone := !local || has['z'] || has[':'] || has['Z']
	return has['s'] || date && hour && has['M'] && zone
}

// measure finds the bytes that the values may have.
func (c *clock) measure() {
	for i := range c.may {
		c.may[i] = c.free
	}
	mark := func(bytes string) {
		for i := range len(bytes) {
			c.may[bytes[i]] = true
		}
	}
	mark("-0123456789")
	for _, p := range c.parts {
		mark(p.text)
		switch p.verb {
		case 'e', 'k', 'l':
			mark(" ")
		case 'z', ':':
			mark("+:")
		case '*':
			mark(".")
		case 'p', 'P':
			mark("APMapm")
		case 'b', 'B', 'a', 'A', 'Z':
			mark("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz+")
		}
	}
}

// holds is how often a byte stands in every value. It is false when that
// differs.
func (c *clock) holds(b byte) (n int, ok bool) {
	for _, p := range c.parts {
		switch {
		case p.verb == 0:
			n += strings.Count(p.text, string(rune(b)))
		case b == ' ' && strings.IndexByte("ekl", p.verb) >= 0:
			return 0, false
		}
	}
	return n, !c.free && (b == ' ' || b == '|' || b == ';' || b == ',' || b == '\t')
}

// A moment is what the parts of a time say.
type moment struct {
	year, month, day, yearDay  int64
	hour, half, minute, second int64
	nano, epoch, offset        int64
	hasEpoch, noon, foreign    bool // foreign: of a zone that is known by name only
}

// fits says whether b is a time in the layout.
func (c *clock) fits(b []byte) bool {
	if c.free {
		return true
	}
	var m moment
	return c.read(b, &m)
}

// time returns nanoseconds since 1970 UTC. It is false when b is no time in
// the layout, or when that does not tell the instant.
func (c *clock) time(b []byte) (int64, bool) {
	m := moment{month: 1, day: 1}
	if !c.known || !c.read(b, &m) || m.foreign {
		return 0, false
	}
	if m.hasEpoch {
		if m.epoch < -9e9 || m.epoch > 9e9 {
			return 0, false
		}
		return m.epoch*1e9 + m.nano, true
	}
	if m.year < firstYear || m.year > lastYear {
		return 0, false
	}
	day := days(m.year, m.month, m.day)
	if m.yearDay > 0 {
		day = days(m.year, 1, 1) + m.yearDay - 1
	}
	if m.noon {
		m.half += 12
	}
	return (((day*24+m.hour+m.half)*60+m.minute)*60+m.second-m.offset)*1e9 + m.nano, true
}

// read takes b apart; it is false when b does not fit.
func (c *clock) read(b []byte, m *moment) bool {
	for i := range c.parts {
		p := &c.parts[i]
		if p.verb == 0 {
			if !hasPrefix(b, p.text) {
				return false
			}
			b = b[len(p.text):]
			continue
		}
		n := c.part(b, i, m)
		if n < 0 {
			return false
		}
		b = b[n:]
	}
	return len(b) == 0
}

// part reads one part at b[0] and returns its length; negative when it is
// something else.
func (c *clock) part(b []byte, i int, m *moment) int {
	p := &c.parts[i]
	switch p.verb {
	case 'b', 'B':
		k, n := nameAt(b, monthNames)
		m.month = int64(k) + 1
		return n
	case 'a', 'A':
		_, n := nameAt(b, dayNames)
		return n
	case 'p', 'P':
		if len(b) < 2 || b[1]|' ' != 'm' || b[0]|' ' != 'a' && b[0]|' ' != 'p' {
			return -1
		}
		m.noon = b[0]|' ' == 'p'
		return 2
	case 'Z':
		return zoneName(b, m)
	case 'z', ':':
		n := verbWidths[p.verb]
		if len(b) < n {
			return -1
		}
		var ok bool
		m.offset, ok = zone(b[:n])
		if !ok {
			return -1
		}
		return n
	case '.':
		return c.fractionAt(b, p.digits, m)
	case '*':
		if len(b) > 0 && b[0] == '.' {
			if n := c.fractionAt(b[1:], anyDigits, m); n > 0 {
				return n + 1
			}
		}
		return 0
	case 's':
		return c.epochAt(b, i, m)
	}
	return c.numberAt(b, p.verb, m)
}

// nameAt reads a name of the list, whole or its first three letters.
func nameAt(b []byte, names []string) (k, n int) {
	for k, name := range names {
		if hasPrefix(b, name) {
			return k, len(name)
		}
	}
	for k, name := range names {
		if hasPrefix(b, name[:3]) {
			return k, 3
		}
	}
	return 0, -1
}

func zoneName(b []byte, m *moment) int {
	n := 0
	for n < len(b) && (b[n]|' ' >= 'a' && b[n]|' ' <= 'z' || b[n] == '+' || b[n] == '-' || b[n]-'0' <= 9) {
		n++
	}
	if n == 0 {
		return -1
	}
	name := string(b[:n])
	m.foreign = name != "UTC" && name != "GMT" && name != "Z"
	return n
}

func (c *clock) fractionAt(b []byte, digits int, m *moment) int {
	n := digitRun(b)
	if digits != anyDigits {
		if n < digits {
			return -1
		}
		n = digits
	}
	if n == 0 {
		return -1
	}
	unit := int64(1e8)
	m.nano = 0
	for _, d := range b[:n] {
		m.nano += int64(d-'0') * unit
		unit /= 10
	}
	return n
}

// epochAt reads seconds since 1970: all digits but those of the parts that
// follow at once.
func (c *clock) epochAt(b []byte, i int, m *moment) int {
	lo := 0
	if len(b) > 0 && b[0] == '-' {
		lo = 1
	}
	n := digitRun(b[lo:])
	for _, p := range c.parts[i+1:] {
		if p.verb != '.' || p.digits < 0 {
			break
		}
		n -= p.digits
	}
	if n <= 0 {
		return -1
	}
	v, ok := digits(b[lo : lo+n])
	if lo == 1 {
		v = -v
	}
	m.epoch, m.hasEpoch = v, true
	if !ok {
		return -1
	}
	return lo + n
}

// numberAt reads a number of a fixed width.
func (c *clock) numberAt(b []byte, verb byte, m *moment) int {
	n := verbWidths[verb]
	if len(b) < n {
		return -1
	}
	lo := 0
	if b[0] == ' ' && (verb == 'e' || verb == 'k' || verb == 'l') {
		lo = 1
	}
	v, ok := digits(b[lo:n])
	if !ok {
		return -1
	}
	least, most := int64(0), int64(1e4)
	switch verb {
	case 'Y':
		m.year = v
	case 'y':
		m.year = 1900 + v
		if v < 69 {
			m.year += 100
		}
	case 'm':
		m.month, least, most = v, 1, 12
	case 'd', 'e':
		m.day, least, most = v, 1, 31
	case 'j':
		m.yearDay, least, most = v, 1, 366
	case 'H', 'k':
		m.hour, most = v, 23
	case 'I', 'l':
		m.half, least, most = v%12, 1, 12
	case 'M':
		m.minute, most = v, 59
	case 'S':
		m.second, most = v, 60
	}
	if v < least || v > most {
		return -1
	}
	return n
}

func digitRun(b []byte) int {
	n := 0
	for n < len(b) && b[n]-'0' <= 9 {
		n++
	}
	return n
}

// A ticker knows the last time that a column had: of the next one, often only
// the hour's last digit and what is shorter are others.
type ticker struct {
	of    *column
	size  int
	words [tickerWords]formWord // the bytes of that time, and digits
}

const tickerWords = 6

// fits is column.fits for a column with a clock.
func (t *ticker) fits(c *column, s []byte, lo, hi int) bool {
	if n := hi - lo; t.of == c && t.size == n && standsAt(t.words[:(n+7)/8], s, lo) {
		return true
	}
	if !c.fits(TypeTime, s[lo:hi]) {
		return false
	}
	t.learn(c, s[lo:hi])
	return true
}

// learn remembers a time.
func (t *ticker) learn(c *column, v []byte) {
	if t.of = nil; len(v) > 8*tickerWords || c.clock.free || !c.clock.fits(v) {
		return
	}
	t.of, t.size, t.words = c, len(v), [tickerWords]formWord{}
	var m moment
	for k, at := 0, 0; k < len(c.clock.parts); k++ {
		p := &c.clock.parts[k]
		n := len(p.text)
		if p.verb != 0 {
			n = c.clock.part(v[at:], k, &m)
		}
		for i := range n {
			t.words[(at+i)/8].add((at+i)%8, v[at+i], p.most(v[at:at+n], i))
		}
		at += n
	}
}

// most is the greatest digit that may stand at i of a value of the part without
// a change elsewhere; 0 when no other may.
func (p *timePart) most(v []byte, i int) byte {
	switch {
	case p.verb == '.' || (p.verb == 'M' || p.verb == 'S') && i == 1 && v[0] < '6':
		return '9'
	case (p.verb == 'M' || p.verb == 'S') && v[0] < '6':
		return '5'
	case p.verb == 'H' && i == 1 && v[0] < '2':
		return '9'
	}
	return 0
}
