package parser

import "bytes"

// syslogHead returns the length of what syslog, or journalctl, puts in front
// of a line: `<PRI>1 TIME HOST APP PID ID - ` of RFC 5424, `<PRI>Mon 2 15:04:05
// HOST APP[PID]: ` of RFC 3164, the same without PRI, and `TIME HOST APP[PID]: `
// of journalctl's ISO formats. It is 0 when there is none.
func syslogHead(s []byte) int {
	i := 0
	if s[0] == '<' {
		end := bytes.IndexByte(s[:min(len(s), 6)], '>')
		if end < 2 || !isDigits(s[1:end]) {
			return 0
		}
		i = end + 1
		if hasPrefix(s[i:], "1 ") {
			return newSyslogHead(s, i+2)
		}
	}
	n := clockHead(s[i:])
	if n == 0 {
		return 0
	}
	host := wordEnd(s, i+n)
	if host == i+n || host+1 >= len(s) {
		return 0
	}
	return tagEnd(s, host+1)
}

// tagEnd returns the offset behind `APP[PID]: ` at i; 0 when there is no such
// thing.
func tagEnd(s []byte, i int) int {
	end := wordEnd(s, i)
	if end-i < 2 || end+1 > len(s) || s[end-1] != ':' || s[i] == '"' || s[i] == '[' || s[i] == '{' {
		return 0
	}
	return min(end+1, len(s))
}

// clockHead returns the length of `Jan  2 15:04:05 `, perhaps with a fraction,
// or of an ISO time with a zone in digits and a blank; 0 when there is none.
func clockHead(s []byte) int {
	if n := stampAlone(s); n > 0 && n < len(s) && s[n-1] == ' ' {
		return n
	}
	if len(s) < 20 || isDigit(s[0]) || !isMonth(s[:3]) || s[3] != ' ' || s[6] != ' ' || s[9] != ':' || s[12] != ':' || !isDigit(s[5]) || !isDigits(s[13:15]) {
		return 0
	}
	i := 15
	for i < len(s) && (s[i] == '.' || isDigit(s[i])) {
		i++
	}
	if i >= len(s) || s[i] != ' ' {
		return 0
	}
	return i + 1
}

func isMonth(s []byte) bool {
	const months = "JanFebMarAprMayJunJulAugSepOctNovDec"
	for i := 0; i < len(months); i += 3 {
		if string(s) == months[i:i+3] {
			return true
		}
	}
	return false
}

// newSyslogHead is syslogHead for RFC 5424 from the time on.
func newSyslogHead(s []byte, i int) int {
	for range 5 { // time, host, program, process, message id
		end := wordEnd(s, i)
		if end == i || end >= len(s) {
			return 0
		}
		i = end + 1
	}
	for i < len(s) && s[i] == '[' {
		end := bytes.IndexByte(s[i:], ']')
		if end < 0 {
			return 0
		}
		i += end + 1
	}
	if i < len(s) && s[i] == '-' {
		i++
	}
	if i >= len(s) || s[i] != ' ' {
		return 0
	}
	i++
	if bytes.HasPrefix(s[i:], []byte("\xef\xbb\xbf")) {
		i += 3
	}
	return i
}

// quoteHead returns the length of the marks that a page or a viewer has put
// around a line: markdown's quote marks and bullets, a frame, backticks; and
// the line without those at its end. It is 0 when there are none in front of
// something that begins like a record.
func quoteHead(s []byte) (n int, line []byte) {
	marks := 0
	for n < len(s) && n < 32 {
		switch c := s[n]; {
		case c == ' ' || c == '\t':
			n++
			continue
		case c == '>' || c == '|' || c == '`' || c == '*' || c == '-' && n+1 < len(s) && s[n+1] == ' ':
			n++
		case c == '"' && n+1 < len(s) && (s[n+1] == '[' || s[n+1] == '{') || c == '\'':
			n++
		case c == boxByte && isBox(s[n:]):
			n += 3
		default:
			if marks == 0 || !beginsRecord(s[n:]) && ownHead(s[n:]) == 0 && !beginsTorn(s[n:]) && !beginsTold(s[n:]) {
				return 0, nil
			}
			return n, withoutMarks(s[n:], s[0])
		}
		marks++
	}
	return 0, nil
}

// beginsTorn says whether s begins like a record whose time was cut off.
func beginsTorn(s []byte) bool {
	if len(s) < 10 || s[0] != '"' {
		return false
	}
	end := bytes.IndexByte(s[1:], '"')
	return end > 0 && endsRequest(s[1:end+1])
}

// beginsTold says whether s begins like an event that has no time: a text that
// comes bare, or a row that kubectl prints of an event.
func beginsTold(s []byte) bool {
	var e event
	return findBare(s) != nil || e.kubeRow(s, 0)
}

// withoutMarks takes the marks off the end of a line that stand there when the
// line began with one.
func withoutMarks(s []byte, first byte) []byte {
	s = bytes.TrimRight(s, " \t")
	switch {
	case first == '`':
		return bytes.TrimRight(bytes.TrimRight(s, "`"), " ")
	case first == '|':
		return bytes.TrimRight(bytes.TrimSuffix(s, []byte{'|'}), " ")
	case first == '\'':
		return bytes.TrimSuffix(s, []byte{'\''})
	case first == '"':
		return bytes.TrimSuffix(s, []byte{'"'})
	case first == boxByte && len(s) > 3 && isBox(s[len(s)-3:]):
		return bytes.TrimRight(s[:len(s)-3], " ")
	}
	return s
}

// boxByte begins the characters that frames are drawn with.
const boxByte = 0xe2

// isBox says whether s begins with one of them: U+2500 to U+25AF.
func isBox(s []byte) bool {
	return len(s) > 2 && s[0] == boxByte && (s[1] == 0x94 || s[1] == 0x95 || s[1] == 0x96)
}

// readLed reads a record that stands behind something nobody knows: a prompt,
// a number of a line, columns of a table. What stands in front may itself be
// the end of another record, glued to this one.
func (p *Parser) readLed(s []byte) bool {
	at := nextHead(s[:min(len(s), maxLead)], 1)
	if at < 0 {
		return p.readLedEvent(s)
	}
	lead := trimBlanks(s[:at])
	if p.readTorn(lead) {
		p.suspect = true
		p.splitAt(s, at)
		return true
	}
	mark := byte(0)
	if n := len(lead); n > 2 && isBox(lead[n-3:]) {
		mark = boxByte
	} else if n > 0 {
		mark = lead[n-1]
	}
	line := withoutMarks(cellOf(s[at:], s[:at]), mark)
	p.rec.wrap(Quote)
	p.rec.tell(lead)
	if p.readGlued(line) || p.flat(line) || p.flatOwn(line, nil, 0) || p.readText(line) || p.readTorn(line) {
		return true
	}
	why, stop := p.whyUnread(line)
	p.invalid(why, at+stop)
	return true
}

// cellOf returns the part of a line that stands in the same place of a table, a
// page or a call as where it begins, behind a lead.
func cellOf(line, lead []byte) []byte {
	for _, c := range cellEnds {
		if !bytes.HasSuffix(bytes.TrimRight(lead, " "), []byte(c.opens)) {
			continue
		}
		if end := bytes.Index(line, []byte(c.closes)); end > 0 {
			return line[:end]
		}
	}
	return line
}

// cellEnds are what opens a cell and what closes it then.
var cellEnds = []struct{ opens, closes string }{{"\t", "\t"}, {">", "</"}, {"`", "`"}, {"|", " | "}, {`=>"`, `", "`}, {`=>"`, `"}`}, {"Str(", ")"},
	{"{code}", "{code}"}, {"{noformat}", "{noformat}"}, {"[CDATA[", "]]>"},
}

// readLedEvent does so for an event, which must begin with the time that its
// program writes, have a level, and name a part of the program or say what
// only that program says.
func (p *Parser) readLedEvent(s []byte) bool {
	at := nextLogged(s[:min(len(s), maxLead)], 1)
	if at < 0 {
		return false
	}
	var e event
	if !e.recognise(s[at:]) || e.level.hi == 0 || !e.isKnown(s[at:]) || !p.readEvent(at, len(s)) {
		return false
	}
	p.rec.wrap(Quote)
	return true
}

// nextLogged returns where such a time begins at an offset or behind it,
// negative when there is none.
func nextLogged(s []byte, from int) int {
	const stamp = len("2006-01-02T15:04:05.000000")
	for at := from; ; at++ {
		j := bytes.IndexByte(s[min(at, len(s)):], '.')
		if j < 0 {
			return -1
		}
		at += j
		switch begin := at - len("2006-01-02T15:04:05"); {
		case begin < from:
		case isDateTime(s[begin:], 'T') && begin+stamp < len(s) && s[begin+stamp] == 'Z':
			return begin
		case begin > from && s[begin-1] == '[' && isDateTime(s[begin:], ' '):
			return begin - 1
		}
	}
}

// maxLead is how far into a line the head of a record is looked for.
const maxLead = 1 << 10

// readLedObject is readLed for an object.
func (p *Parser) readLedObject(s []byte) bool {
	at := bytes.Index(s[:min(len(s), maxLead)], []byte(`{"`))
	if at <= 0 || !hasColumns(s[at:]) {
		return false
	}
	kind, o := p.readObject(s[at:])
	if kind != jsonAccess {
		return false
	}
	p.rec.wrap(Quote)
	p.rec.tell(s[:at])
	p.splitObject(s[at:], &o)
	return true
}
