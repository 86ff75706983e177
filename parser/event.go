package parser

import "bytes"

// An event is what the shape of an operational line tells; its spans count in
// that line.
type event struct {
	emitter   Emitter
	time      span
	level     span
	component span
	message   span
}

// readEvent reads the operational record that the physical line
// rec.text[lo:hi], without line end and wrapper, holds: an event, or one of
// ztunnel's access records. It is false, and nothing is changed, when the line
// has the shape of neither.
func (p *Parser) readEvent(lo, hi int) bool {
	line := p.rec.text[lo:hi]
	var e event
	if !e.recognise(line) {
		return false
	}
	p.keepEvent(lo, line, &e, e.logsTraces(line))
	return true
}

// keepEvent makes the record the event that the line was recognised as, which
// is at lo of the record's text; traces says whether its logger is one that
// writes backtraces.
func (p *Parser) keepEvent(lo int, line []byte, e *event, traces bool) {
	p.rec.forget()
	p.setEvent(lo, line, e, traces)
}

// setEvent is keepEvent for a record of which nothing was read.
func (p *Parser) setEvent(lo int, line []byte, e *event, traces bool) {
	p.rec.Kind, p.rec.Emitter = Event, e.emitter
	p.traces = traces
	if e.emitter == Ztunnel && p.readZtunnel(lo, line, e) {
		return
	}
	p.keep(StartTime, e.time.at(lo))
	p.keep(Level, e.level.at(lo))
	p.keep(Component, e.component.at(lo))
	p.keep(Message, e.message.at(lo))
	p.localReply(line, lo, e)
}

// at moves a span by the offset of its line.
func (s span) at(lo int) span { return span{s.lo + uint32(lo), s.hi + uint32(lo)} }

// of returns what a span covers.
func (s span) of(line []byte) []byte { return line[s.lo:s.hi] }

// spanOf is the span of line[lo:hi] without blanks at both ends.
func spanOf(line []byte, lo, hi int) span {
	for lo < hi && isBlank(line[lo]) {
		lo++
	}
	for hi > lo && (isBlank(line[hi-1]) || line[hi-1] == '\r') {
		hi--
	}
	return span{uint32(lo), uint32(hi)}
}

// recognise finds the shape of a line: by its first byte, then by typed
// checks. Shapes that other programs use as well need a second sign.
func (e *event) recognise(line []byte) bool {
	lo := 0
	for lo < len(line) && isBlank(line[lo]) {
		lo++
	}
	if lo == len(line) {
		return false
	}
	c := line[lo]
	switch {
	case c == '[':
		return e.bracketed(line, lo)
	case isDigit(c):
		return e.istio(line, lo) || e.envoyLog(line, lo) || e.kubeRow(line, lo)
	case c == 'I' || c == 'W' || c == 'E' || c == 'F':
		if e.klog(line, lo) {
			return true
		}
	case c == '#':
		return e.frame(line, lo)
	}
	return e.istioLevel(line, lo, event{}) || e.kubeRow(line, lo) || e.kubeState(line, lo) || e.bare(line, lo)
}

// bracketed reads lines that begin with a bracket: Envoy's application log,
// perhaps behind a name in brackets that a supervisor put there, and what
// Envoy's libraries print.
func (e *event) bracketed(line []byte, lo int) bool {
	if e.envoyLog(line, lo+1) || e.library(line, lo) || e.envoyLevel(line, lo) {
		return true
	}
	if n := bytes.IndexByte(line[lo:], ']'); n > 0 && n < 40 {
		lo += n + 1
		for lo < len(line) && isBlank(line[lo]) {
			lo++
		}
		return lo < len(line) && line[lo] == '[' && e.envoyLog(line, lo+1)
	}
	return false
}

// envoyLog reads `[date time][thread][level][name] [file:line] text` from the
// time on; name and file are missing in some formats, and old ones have no
// bracket in front of the file. The first bracket is easily lost when a line
// is copied.
// Source: https://www.envoyproxy.io/docs/envoy/latest/operations/cli#cmdoption-log-format
func (e *event) envoyLog(line []byte, lo int) bool {
	if len(line) < lo+25 || !isDateTime(line[lo:], ' ') {
		return false
	}
	end := bytes.IndexByte(line[lo:], ']') + lo
	if end < lo+19 || end > lo+29 || !isFraction(line[lo+19:end]) {
		return false
	}
	e.time = span{uint32(lo), uint32(end)}
	thread, at := group(line, end+1)
	level, at := group(line, at)
	if !isDigits(thread.of(line)) || !isEnvoyLevel(level.of(line)) {
		return false
	}
	e.emitter, e.level = Envoy, level
	if name, next := group(line, at); next > at {
		e.component, at = name, next
	}
	e.envoyText(line, at)
	return true
}

// envoyLevel reads `[level][name] [file:line] text`: such a line whose time and
// thread were cut off.
func (e *event) envoyLevel(line []byte, lo int) bool {
	level, at := group(line, lo)
	name, end := group(line, at)
	if end == at || !isEnvoyLevel(level.of(line)) || !isOneOf(name.of(line), envoyLoggers) {
		return false
	}
	at = skipBlanks(line, end)
	if location(line, at) == at {
		return false
	}
	*e = event{emitter: Envoy, level: level, component: name}
	e.envoyText(line, at)
	return true
}

// envoyText takes the source location off the text and notes both.
func (e *event) envoyText(line []byte, at int) {
	for at < len(line) && isBlank(line[at]) {
		at++
	}
	if loc := location(line, at); loc > at {
		if validates(line[at:loc]) {
			e.emitter = EnvoyValidate
		}
		at = loc
	}
	e.message = spanOf(line, at, len(line))
}

// validates says whether a source file is one of `envoy --mode validate`.
func validates(path []byte) bool {
	return bytes.HasSuffix(path[:bytes.LastIndexByte(path, '/')+1], []byte("config_validation/"))
}

// group returns what stands in the brackets that open at an offset, and where
// they end; the offset itself when there are none.
func group(line []byte, at int) (span, int) {
	if at >= len(line) || line[at] != '[' {
		return span{}, at
	}
	n := bytes.IndexByte(line[at:], ']')
	if n < 0 {
		return span{}, at
	}
	return span{uint32(at + 1), uint32(at + n)}, at + n + 1
}

// location returns the end of a source location such as
// `[source/server/server.cc:84] `; at when there is none.
func location(line []byte, at int) int {
	end := blankOr(line, at, ']')
	if end < at+5 || end == len(line) || line[end] != ']' {
		return at
	}
	path := withoutNumber(line[at:end])
	if len(path) < 3 || !isSourceFile(path) {
		return at
	}
	return end + 1
}

// withoutNumber takes the number of a line off a place in a source file; it is
// empty when there is none.
func withoutNumber(place []byte) []byte {
	i := len(place)
	for i > 0 && isDigit(place[i-1]) {
		i--
	}
	if i == len(place) || i == 0 || place[i-1] != ':' {
		return nil
	}
	return place[:i-1]
}

// isSourceFile says whether a path names a C++ file.
func isSourceFile(path []byte) bool {
	return bytes.HasSuffix(path, []byte(".cc")) || bytes.HasSuffix(path, []byte(".h"))
}

// library reads lines of libevent and Abseil, which have no time.
func (e *event) library(line []byte, lo int) bool {
	rest := line[lo:]
	for _, head := range [...]string{"[warn] ev", "[err] ev", "[msg] ev", "[warn] epoll", "[err] epoll"} {
		if hasPrefix(rest, head) && bytes.Contains(rest, []byte(": ")) {
			level, at := group(line, lo)
			*e = event{emitter: Envoy, level: level, message: spanOf(line, at, len(line))}
			return true
		}
	}
	if at := bytes.Index(rest, []byte("] RAW: ")); at > 0 && at < 60 && bytes.Contains(rest[:at], []byte(" : ")) {
		*e = event{emitter: Envoy, message: spanOf(line, lo+at+7, len(line))}
		return true
	}
	return false
}

// frame reads a line of Envoy's backtrace: `#0: name [0x7f6be7810520]`.
func (e *event) frame(line []byte, lo int) bool {
	i := lo + 1
	for i < len(line) && isDigit(line[i]) {
		i++
	}
	all := spanOf(line, lo, len(line))
	rest := all.of(line)[i-lo:]
	if i == lo+1 || len(rest) < 6 || rest[0] != ':' && rest[0] != ' ' || rest[len(rest)-1] != ']' || !bytes.Contains(rest, []byte("[0x")) {
		return false
	}
	*e = event{emitter: Envoy, message: all}
	return true
}

func isEnvoyLevel(b []byte) bool {
	switch string(b) {
	case "trace", "debug", "info", "warning", "error", "critical", "off":
		return true
	}
	return false
}

func isOneOf(b []byte, list []string) bool {
	for _, s := range list {
		if string(b) == s {
			return true
		}
	}
	return false
}

func hasPrefix(b []byte, head string) bool {
	return len(b) >= len(head) && string(b[:len(head)]) == head
}

func isBlank(c byte) bool { return c == ' ' || c == '\t' }

func isDigit(c byte) bool { return c-'0' <= 9 }

// isFraction says whether b is `.` and digits.
func isFraction(b []byte) bool { return len(b) > 1 && b[0] == '.' && isDigits(b[1:]) }

// isDateTime says whether b begins with yyyy-mm-dd, the separator and hh:mm:ss.
func isDateTime(b []byte, sep byte) bool {
	if len(b) < len("2006-01-02T15:04:05") || b[10] != sep {
		return false
	}
	const ( // "2006-01-", "02T15:04", "15:04:05"; bits that no digit sets; carries from above nine
		a, as, an = 0x2d30302d30303030, 0xfff0f0fff0f0f0f0, 0x0006060006060606
		c, cs, cn = 0x30303a3030003030, 0xf0f0fff0f000f0f0, 0x0606000606000606
		d, ds, dn = 0x30303a30303a3030, 0xf0f0fff0f0fff0f0, 0x0606000606000606
	)
	x, y, z := load64(b, 0)^a, load64(b, 8)^c, load64(b, 11)^d
	return (x|(x+an))&as == 0 && (y|(y+cn))&cs == 0 && (z|(z+dn))&ds == 0
}
