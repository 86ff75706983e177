package parser

import "bytes"

// A part is a record that a container runtime wrote in several pieces: the
// text of those that have come, and where they stood.
type part struct {
	text   []byte
	pieces []piece
	begin  int
	size   int
	line   int
	lines  int
	envs   [maxEnvelopes]Envelope
	depth  uint8
}

// A piece is where one of them stood.
type piece struct{ begin, size, line int }

// The streams of a container: the parts of one may stand between those of the
// other.
const (
	stdout = iota
	stderr
	numStreams
)

// stamp returns the length of the RFC 3339 time and the blank at s[0], or 0.
func stamp(s []byte) int {
	if len(s) < 21 || len(s) > 27 && s[27] == '\t' || s[0]-'0' > 9 || s[4] != '-' || s[7] != '-' || s[10] != 'T' || s[13] != ':' || s[16] != ':' {
		return 0
	}
	i := 19
	for i < len(s) && i < 36 && s[i] != ' ' {
		if c := s[i]; c != '.' && c != 'Z' && c != '+' && c != '-' && c != ':' && c-'0' > 9 {
			return 0
		}
		i++
	}
	if i == len(s) || s[i] != ' ' {
		return 0
	}
	return i + 1
}

// A head is what stands in front of the line inside a CRI envelope.
type head struct {
	inner  int // where the line begins
	stream int
	more   bool // the record goes on in the stream's next line
	bad    bool // the head is damaged
}

// criHead reads `TIME stdout F ` at s[0]; n is the length of the time. It is
// false when the line has no such head.
func criHead(s []byte, n int) (h head, ok bool) {
	rest := s[n:]
	if len(rest) < 7 || rest[0] != 's' || rest[1] != 't' || rest[2] != 'd' {
		return h, false
	}
	switch {
	case string(rest[:7]) == "stdout ":
		h.stream = stdout
	case string(rest[:7]) == "stderr ":
		h.stream = stderr
	default:
		return h, false
	}
	h.inner = n + 7
	rest = rest[7:]
	if len(rest) < 1 || rest[0] != 'F' && rest[0] != 'P' {
		h.bad = true
		return h, true
	}
	h.more = rest[0] == 'P'
	end := bytes.IndexByte(rest, ' ') // other tags may follow after a colon
	switch {
	case end < 0:
		end = len(rest) - 1
		h.bad = len(rest) != 1
	case end > 1 && rest[1] != ':':
		h.bad = true
	}
	h.inner += end + 1
	return h, true
}

// prefixHead reads `[pod/NAME/CONTAINER] ` of kubectl logs --prefix.
func (p *Parser) prefixHead(s []byte) int {
	slash, end := prefixEnds(s)
	if end > 0 {
		p.rec.place = Place{Pod: s[len(podPrefix):slash], Container: s[slash+1 : end-2]}
	}
	return end
}

const podPrefix = "[pod/"

// prefixEnds returns where the pod's name ends in such a prefix, and where the
// prefix does; 0 when there is none.
func prefixEnds(s []byte) (slash, end int) {
	if !hasPrefix(s, podPrefix) {
		return 0, 0
	}
	end = bytes.Index(s, []byte("] "))
	if end < 0 {
		return 0, 0
	}
	name := s[len(podPrefix):end]
	slash = bytes.IndexByte(name, '/')
	if slash <= 0 || !isToken(name) {
		return 0, 0
	}
	return len(podPrefix) + slash, end + 2
}

// sternHead reads `pod container `, or `namespace pod container `, in front of
// something that begins like a record; or one name, a container's in front of
// that, a pod's in front of an event.
func (p *Parser) sternHead(s []byte) int {
	n := p.placeNames(s, beginsRecord)
	if n == 0 && p.givenText {
		n = p.placeNames(s, p.fitsGiven)
	}
	return n
}

// placeNames notes the place that such names tell, and returns what stands
// behind them.
func (p *Parser) placeNames(s []byte, begins func([]byte) bool) int {
	ends, parts := sternEnds(s, begins)
	switch parts {
	case 1:
		if name := s[:ends[0]]; isContainer(name) {
			p.rec.place = Place{Container: name}
		} else {
			p.rec.place = Place{Pod: name}
		}
	case 2:
		p.rec.place = Place{Pod: s[:ends[0]], Container: s[ends[0]+1 : ends[1]]}
	case 3:
		p.rec.place = Place{Namespace: s[:ends[0]], Pod: s[ends[0]+1 : ends[1]], Container: s[ends[1]+1 : ends[2]]}
	default:
		return 0
	}
	return ends[parts-1] + 1
}

// sternEnds returns where the names in such a head end, and how many they are.
func sternEnds(s []byte, begins func([]byte) bool) (ends [3]int, parts int) {
	i := 0
	for n := range ends {
		lo := i
		for i < len(s) && (s[i] >= 'a' && s[i] <= 'z' || s[i]-'0' <= 9 || s[i] == '-' || s[i] == '.') {
			i++
		}
		if i == lo || i >= len(s) || s[i] != ' ' {
			return ends, 0
		}
		ends[n] = i
		i++
		if n > 0 && begins(s[i:]) || n == 0 && standsAlone(s[:i-1], s[i:], begins) {
			return ends, n + 1
		}
	}
	return ends, 0
}

// standsAlone says whether a name in front of a text tells where it is from.
func standsAlone(name, text []byte, begins func([]byte) bool) bool {
	return isContainer(name) && begins(text) || bytes.IndexByte(name, '-') > 0 && beginsEvent(text)
}

// beginsEvent says whether s begins like a line that Istio's programs or Envoy
// logged: a time and a level.
func beginsEvent(s []byte) bool {
	if len(s) < 30 || s[0] == '[' && !isDateTime(s[1:], ' ') || s[0] != '[' && !stampLike(s) {
		return false
	}
	var e event
	return e.recognise(s) && e.level.hi > 0
}

// composeHead reads `service-1  | ` of docker compose, in front of something
// that begins like a record.
func (p *Parser) composeHead(s []byte) int {
	bar := composeBar(s)
	if bar == 0 {
		if bar = bytes.Index(s[:min(len(s), 128)], []byte(" | ")); bar <= 0 || !isToken(trimBlanks(s[:bar])) || !p.fitsGiven(s[bar+3:]) {
			return 0
		}
	}
	p.rec.place = Place{Container: trimBlanks(s[:bar])}
	return bar + 3
}

// composeBar returns where the bar of such a head is, 0 when there is none.
func composeBar(s []byte) int {
	bar := bytes.Index(s[:min(len(s), 128)], []byte(" | "))
	if bar <= 0 || !isToken(trimBlanks(s[:bar])) || !beginsRecord(s[bar+3:]) && findBare(s[bar+3:]) == nil {
		return 0
	}
	return bar
}

// beginsRecord says whether s begins like a record or a wrapper.
func beginsRecord(s []byte) bool {
	if len(s) < 2 {
		return false
	}
	return s[0] == '[' && (s[1]-'0' <= 9 || s[1] == 'E') || s[0] == '{' && s[1] == '"' || stampLike(s) || isKlog(s) ||
		hasPrefix(s, "ACCESS [") || hasPrefix(s, podPrefix) || s[0] == '<' && syslogHead(s) > 0
}

// wrapsRecord says whether the time in front of s is kubectl's: a record
// follows that has its own, or a text that has none.
func wrapsRecord(s []byte) bool {
	return !levelFollows(s) && beginsRecord(s) || hasPrefix(s, podPrefix) || findBare(s) != nil
}

// stampLike says whether s begins with an RFC 3339 time.
func stampLike(s []byte) bool {
	return len(s) > 20 && s[4] == '-' && s[7] == '-' && s[10] == 'T' && s[13] == ':' && isDigits(s[:4])
}

// isKlog says whether s begins like `W0227 21:51:03.156818`.
func isKlog(s []byte) bool {
	return len(s) > 20 && (s[0] == 'I' || s[0] == 'W' || s[0] == 'E' || s[0] == 'F') && isDigits(s[1:5]) && s[5] == ' ' && s[8] == ':' && s[11] == ':'
}

// stripANSI appends s without its terminal escapes.
func stripANSI(dst, s []byte) []byte {
	for {
		j := bytes.IndexByte(s, 0x1b)
		if j < 0 {
			return append(dst, s...)
		}
		dst = append(dst, s[:j]...)
		s = s[j+1:]
		if len(s) == 0 || s[0] != '[' {
			continue
		}
		i := 1
		for i < len(s) && (s[i] < 0x40 || s[i] > 0x7e) {
			i++
		}
		s = s[min(i+1, len(s)):]
	}
}

// levelFollows says whether one of the levels that proxies and their helpers
// write stands at s[0]: then the time in front of it is the event's own.
func levelFollows(s []byte) bool {
	for _, level := range [...]string{"info", "warn", "error", "debug", "trace", "critical", "fatal", "INFO", "WARN", "ERROR", "DEBUG", "TRACE"} {
		if len(s) > len(level) && string(s[:len(level)]) == level {
			return true
		}
	}
	return false
}
