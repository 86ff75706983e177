package parser

import "strconv"

// Int returns the value of a field that holds an integer. JSON numbers with a
// fraction of zero or an exponent count: 200, "200", 200.0 and 2e+02 are one.
func (r *Record) Int(f Field) (int64, bool) { return parseInt(r.Bytes(f)) }

// Number returns the value of a field that holds a number; durations are
// milliseconds.
func (r *Record) Number(f Field) (float64, bool) { return parseNumber(r.Bytes(f)) }

// Time returns the start time in nanoseconds since 1970 UTC. It is false when
// the record has none, or its value does not tell the instant: it is neither
// RFC 3339 nor in the layout that a given format says.
func (r *Record) Time() (int64, bool) {
	if r.clock != nil {
		return r.clock.time(r.Bytes(StartTime))
	}
	return parseTime(r.Bytes(StartTime))
}

func parseInt(b []byte) (int64, bool) {
	if n, ok := digits(b); ok {
		return n, true
	}
	v, ok := parseNumber(b)
	if !ok || v != float64(int64(v)) {
		return 0, false
	}
	return int64(v), true
}

// digits reads an unsigned decimal of at most 18 digits.
func digits(b []byte) (int64, bool) {
	if len(b) == 0 || len(b) > 18 {
		return 0, false
	}
	n := int64(0)
	for _, c := range b {
		if c-'0' > 9 {
			return 0, false
		}
		n = n*10 + int64(c-'0')
	}
	return n, true
}

func parseNumber(b []byte) (float64, bool) {
	if n, ok := digits(b); ok {
		return float64(n), true
	}
	if len(b) == 0 || len(b) > 40 || b[0] != '-' && b[0]-'0' > 9 {
		return 0, false
	}
	v, err := strconv.ParseFloat(string(b), 64)
	return v, err == nil
}

// The years that nanoseconds since 1970 can hold whole.
const (
	firstYear = 1678
	lastYear  = 2261
)

// parseTime reads RFC 3339 with any number of fractional digits, and a zone
// of Z, +hh:mm or +hhmm.
func parseTime(b []byte) (int64, bool) {
	if len(b) < 20 || b[4] != '-' || b[7] != '-' || b[10]|' ' != 'T'|' ' && b[10] != ' ' || b[13] != ':' || b[16] != ':' {
		return 0, false
	}
	y, ok1 := digits(b[0:4])
	mo, ok2 := digits(b[5:7])
	d, ok3 := digits(b[8:10])
	h, ok4 := digits(b[11:13])
	mi, ok5 := digits(b[14:16])
	s, ok6 := digits(b[17:19])
	if y < firstYear || y > lastYear || !ok1 || !ok2 || !ok3 || !ok4 || !ok5 || !ok6 || mo < 1 || mo > 12 || d < 1 || d > 31 || h > 23 || mi > 59 || s > 60 {
		return 0, false
	}
	nano, rest := fraction(b[19:])
	offset, ok := zone(rest)
	if !ok {
		return 0, false
	}
	return (((days(y, mo, d)*24+h)*60+mi)*60+s-offset)*1e9 + nano, true
}

// fraction reads ".123" as nanoseconds and returns what follows.
func fraction(b []byte) (nano int64, rest []byte) {
	if len(b) == 0 || b[0] != '.' {
		return 0, b
	}
	unit := int64(1e8)
	for i, c := range b[1:] {
		if c-'0' > 9 {
			return nano, b[i+1:]
		}
		nano += int64(c-'0') * unit
		unit /= 10
	}
	return nano, nil
}

// zone reads Z, +hh:mm or +hhmm as seconds east of UTC.
func zone(b []byte) (int64, bool) {
	if len(b) == 1 && b[0]|' ' == 'z' {
		return 0, true
	}
	if len(b) == 6 && b[3] == ':' {
		b = append(append(make([]byte, 0, 5), b[:3]...), b[4:]...)
	}
	if len(b) != 5 || b[0] != '+' && b[0] != '-' {
		return 0, false
	}
	h, ok1 := digits(b[1:3])
	m, ok2 := digits(b[3:5])
	if !ok1 || !ok2 {
		return 0, false
	}
	if b[0] == '-' {
		return -(h*3600 + m*60), true
	}
	return h*3600 + m*60, true
}

// days counts days since 1970-01-01 in the proleptic Gregorian calendar
// (Howard Hinnant, "chrono-Compatible Low-Level Date Algorithms").
func days(y, m, d int64) int64 {
	if m <= 2 {
		y--
		m += 12
	}
	era := y / 400
	yoe := y - era*400
	doy := (153*(m-3)+2)/5 + d - 1
	doe := yoe*365 + yoe/4 - yoe/100 + doy
	return era*146097 + doe - 719468
}
