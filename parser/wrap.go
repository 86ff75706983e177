package parser

import "bytes"

// The limits of a record that a terminal, an editor or a chat program has
// wrapped over several lines.
const (
	maxWrapLines = 16
	maxWrapSize  = 8 << 10
	maxWrapBlank = 2 // blank lines in a row
)

// startsWrap says whether a line begins like a record: one that does not goes
// on the line before it, or is nobody's.
func startsWrap(line []byte) bool {
	if len(line) < 2 {
		return len(line) == 1 && line[0] == '{'
	}
	switch c := line[0]; {
	case c == '"':
		return beginsTorn(line)
	case c == 0x1b:
		return true
	case c == '[' && beginsTimeless(line):
		return true
	}
	_, names := sternEnds(line, beginsRecord)
	_, prefix := prefixEnds(line)
	marks, _ := quoteHead(line)
	return names > 0 || prefix > 0 || marks > 0 || composeBar(line) > 0 || beginsRecord(line) || syslogHead(line) > 0 || opensPairs(line)
}

// beginsTimeless says whether a line begins like a record in which somebody
// wrote something else for the time.
func beginsTimeless(line []byte) bool {
	i := bytes.Index(line[:min(len(line), 40)], []byte(`] "`))
	return i > 0 && line[0] == '[' && beginsTorn(line[i+2:])
}

// looksWhole says whether a line has all that a record has, by its quotes and
// what stands behind the last one. It may be wrong when it says no.
func looksWhole(line []byte) bool {
	line = bytes.TrimRight(line, " \t\r")
	if opensPairs(line) {
		return false
	}
	if n := len(line); n == 0 || line[n-1] == '}' || line[n-1] == ']' && line[0] == '{' {
		return true
	}
	if bytes.IndexByte(line, '{') < 0 && nextHead(line, 0) < 0 && !beginsTorn(line) && !beginsTimeless(line) {
		return true // an event, or nobody's
	}
	last := bytes.LastIndexByte(line, '"')
	if last < 0 {
		return false
	}
	quotes := bytes.Count(line, []byte{'"'})
	if last == len(line)-1 {
		return quotes == requestQuotes+userQuotes || quotes == 18 || quotes == 20
	}
	return (quotes == 14 || quotes == 16) && len(bytes.TrimRight(line[last+1:], "\"")) > 0 && bytes.Count(line[last+1:], blankByte) >= 6
}

// mayBeWrapped says whether the record that was just read of a line alone may
// go on in the next line.
func (p *Parser) mayBeWrapped() bool {
	r := &p.rec
	switch r.Kind {
	case Access:
		return r.Partial && r.Emitter == NoEmitter && r.Dialect != Custom || r.Emitter == Ztunnel && opensPairs(p.base)
	case Invalid:
		return r.Reason == Incomplete || r.Reason == BadJSON || r.Reason == NoCode || r.Reason == UnknownLayout
	}
	return r.Kind == Noise && hasPrefix(p.base, `{"`)
}

// unwrapLines joins the record that was just read with the lines that it goes
// on in, if that makes it whole, or makes it one that has a code. The line is
// the physical one.
func (p *Parser) unwrapLines(line []byte) {
	r := &p.rec
	if r.Lines < 1 || p.glued || p.joined != nil || p.pos != r.Begin+r.Size || len(p.rest) > 0 || len(p.queue) > 0 {
		return
	}
	if !p.mayBeWrapped() || r.Lines > 1 && !hasPrefix(p.base, `{"`) || !startsWrap(line) || looksWhole(line) {
		return
	}
	pos, number := p.pos, p.line
	if r.Lines > 1 { // it was taken for an object that somebody laid out
		p.pos = r.Begin + lineEndIn(p.block[r.Begin:]) + 1
		p.line -= r.Lines - 1
	}
	if p.pos >= len(p.block) {
		p.pos, p.line = pos, number
		return
	}
	before := *r
	framed := r.depth > 0 && r.envelopes[r.depth-1] == Quote
	p.wrap = append(p.wrap[:0], withoutMarks(p.base, boxByte)...)
	size, lines, ok := 0, 0, false
	switch {
	case hasPrefix(p.base, `{"`):
		size, lines, ok = p.wrapObject(framed)
	case r.Emitter == Ztunnel:
		size, lines, ok = p.wrapPairs(framed)
	default:
		size, lines, ok = p.wrapText(framed)
	}
	if !ok {
		p.pos, p.line, *r = pos, number, before
		if r.Kind == Access {
			r.reset(before.Begin, before.Size, before.Line)
			p.read(line)
		}
		return
	}
	p.pos += size
	r.Size, r.Lines, r.Reason = p.pos-r.Begin, 1+lines, NoReason
	p.line += lines
}

// nextWrapped returns the line at an offset behind the record, without frame,
// and its size; ok is false when it can not go on the one before.
func (p *Parser) nextWrapped(at int, framed bool) (line []byte, size int, ok bool) {
	rest := p.block[p.pos+at:]
	if len(rest) == 0 {
		return nil, 0, false
	}
	line, size = firstLine(rest)
	if startsWrap(line) || len(p.wrap)+len(line) > maxWrapSize {
		return nil, 0, false
	}
	line = withoutFrame(line, framed)
	var e event
	return line, size, !e.recognise(line)
}

// withoutFrame takes the marks off a line within a frame.
func withoutFrame(line []byte, framed bool) []byte {
	first := byte(0)
	switch {
	case len(line) > 2 && isBox(line):
		first, line = line[0], line[3:]
	case framed && len(line) > 0 && (line[0] == '>' || line[0] == '|'):
		first, line = line[0], line[1:]
	}
	if first != 0 {
		line = bytes.TrimPrefix(line, blankByte)
	}
	return withoutMarks(line, first)
}

// wrapObject joins lines until the object is closed, or until none goes on it.
func (p *Parser) wrapObject(framed bool) (size, lines int, ok bool) {
	r := &p.rec
	was := r.Kind
	for n, at := 0, 0; n < maxWrapLines; n++ {
		line, step, more := p.nextWrapped(at, framed)
		if !more {
			break
		}
		at += step
		p.wrap = append(p.wrap, line...)
		if !bytes.ContainsAny(line, "}") && len(line) > 0 {
			size, lines = at, n+1
			continue
		}
		size, lines = at, n+1
		if _, closed := nested(padded(&p.wrap), 0); closed {
			kind, o := p.readObject(p.wrap)
			ok = o.whole && (kind == jsonAccess || kind == jsonEvent)
			return size, lines, ok
		}
	}
	if lines == 0 || was == Access {
		return 0, 0, false
	}
	kind, _ := p.readObject(padded(&p.wrap))
	return size, lines, kind == jsonAccess && r.hasCode && r.hasFlags
}

// wrapPairs joins lines that begin with a pair of a ztunnel's access record.
func (p *Parser) wrapPairs(framed bool) (size, lines int, ok bool) {
	for lines < maxWrapLines {
		line, step, more := p.nextWrapped(size, framed)
		if line = bytes.TrimLeft(line, " \t"); !more || !beginsPair(line) {
			break
		}
		p.wrap = append(append(p.wrap, ' '), line...)
		size += step
		lines++
	}
	if lines == 0 {
		return 0, 0, false
	}
	s := padded(&p.wrap)
	p.rec.forget()
	p.rec.text = s
	return size, lines, p.readEvent(0, len(s)) || p.readZtunnelPiece(s)
}

// wrapText joins lines as long as the text follows a layout.
func (p *Parser) wrapText(framed bool) (size, lines int, ok bool) {
	was, n := p.rec.Kind, p.wrapLines(framed)
	if n == 0 {
		return 0, 0, false
	}
	w := &p.wraps
	w.tries, w.told = maxWrapTries, 0
	if k := p.glue(0, n); k > 0 {
		return w.ends[k-1], w.numbers[k-1], p.readJoined()
	}
	if was != Invalid || w.told == 0 {
		return 0, 0, false
	}
	p.wrap = append(p.wrap[:0], w.text...)
	return w.ends[w.told-1], w.numbers[w.told-1], p.readJoined()
}

// A wraps is what is tried to join a record.
type wraps struct {
	lines   [maxWrapLines]span // of the block: those that are not blank, without frames
	ends    [maxWrapLines]int  // offset behind each, from where the record ended
	numbers [maxWrapLines]int  // lines up to it, blank ones included
	even    bool               // the lines are of one width: a terminal wrapped them
	tries   int                // left
	told    int                // lines that made the record one with a code, as far as they were joined
	text    []byte             // what they are then
}

// maxWrapTries is how many ways to join the lines are tried.
const maxWrapTries = 64

// wrapLines finds the lines that the record may go on in.
func (p *Parser) wrapLines(framed bool) (n int) {
	w := &p.wraps
	w.even = true
	total, blank := len(p.wrap), 0
	for number, at := 1, 0; number <= maxWrapLines; number++ {
		line, size, more := p.nextWrapped(at, framed)
		if total += len(line); !more || total > maxWrapSize {
			break
		}
		begin := p.pos + at + bytes.Index(p.block[p.pos+at:p.pos+at+size], line)
		at += size
		if len(bytes.TrimSpace(line)) == 0 {
			if blank++; blank > maxWrapBlank {
				break
			}
			continue
		}
		blank = 0
		if n > 0 && int(w.lines[n-1].hi-w.lines[n-1].lo) != len(p.base) {
			w.even = false // all but the last are as wide as the first
		}
		w.lines[n] = span{uint32(begin), uint32(begin + len(line))}
		w.ends[n], w.numbers[n] = at, number
		n++
	}
	if n > 0 && int(w.lines[n-1].hi-w.lines[n-1].lo) > len(p.base) {
		w.even = false
	}
	return n
}

// How far a text follows a layout: to the end, or by the number of columns;
// those up to the flags are needed to tell anything.
const (
	wholeReach   = 1 << 20
	outcomeReach = 6
)

// glue adds line k of n and those behind it to the text, each with a blank or
// without, until the text is a whole record, and returns how many lines that
// took; 0 when none makes it whole.
func (p *Parser) glue(k, n int) int {
	w := &p.wraps
	if k == n {
		return 0
	}
	line, end := w.lines[k].of(p.block), len(p.wrap)
	first := p.glueFirst(line)
	text := bytes.TrimLeft(line, " \t")
	for _, blank := range [...]bool{first, !first} {
		if blank && isBlank(p.wrap[end-1]) || w.tries == 0 {
			continue
		}
		w.tries--
		if p.wrap = p.wrap[:end]; blank {
			p.wrap = append(p.wrap, ' ')
		}
		p.wrap = append(p.wrap, text...)
		switch reach := p.reach(padded(&p.wrap)); {
		case reach == wholeReach:
			return k + 1
		case reach == 0:
		default:
			if w.told == 0 && reach > outcomeReach {
				w.told, w.text = k+1, append(w.text[:0], p.wrap...)
			}
			if m := p.glue(k+1, n); m > 0 {
				return m
			}
		}
	}
	p.wrap = p.wrap[:end]
	return 0
}

// glueFirst says whether a line is first tried with a blank in front.
func (p *Parser) glueFirst(line []byte) bool {
	const within = "|:/_-=&?.{[(@#"
	last, first := p.wrap[len(p.wrap)-1], line[0]
	switch {
	case isBlank(last):
		return false
	case last == '"' && len(p.wrap) > 1 && isBlank(p.wrap[len(p.wrap)-2]) || first == '"' && len(line) > 1 && isBlank(line[1]):
		return false // the quote opens what follows, or closes what was before
	case isBlank(first) || last == '"' || first == '"' || last == ',' || last == ';' || last == ')':
		return true
	case bytes.IndexByte([]byte(within), last) >= 0 || bytes.IndexByte([]byte(within), first) >= 0 && first != '-' && first != '[':
		return false
	}
	return !p.wraps.even
}

// reach says how far a text follows the layout that it follows furthest.
func (p *Parser) reach(s []byte) (most int) {
	column, lo := 0, 0
	if accessHead(s) == 0 && ownHead(s) == 0 {
		at, found := p.requestEnds(s, false)
		if found != 1 {
			return 0
		}
		column, lo = 4, at
	}
	for _, f := range p.layouts.list {
		if f.dialect == Custom || column > 0 && f.columns[column].field != ResponseCode || column == 0 && !hasPrefix(s, f.prefix) {
			continue
		}
		from := lo
		if column == 0 {
			from = len(f.prefix)
		}
		p.cuts.run(f, s, column, from)
		n := p.cuts.end
		if p.cuts.full {
			n = wholeReach
		} else if n == column || !p.endsInColumn(f, s) {
			continue
		}
		if n > f.flagsColumn() && p.unknownFlags(f, s) {
			n /= 2
		}
		most = max(most, n)
	}
	return most
}

// unknownFlags says whether a cut has flags that no proxy knows.
func (p *Parser) unknownFlags(f *Format, s []byte) bool {
	i := f.flagsColumn()
	if i >= p.cuts.end || i < p.cuts.from {
		return false
	}
	e, _ := p.cuts.value(i)
	return decodeFlags(s[e.from:e.to])&UnknownFlags != 0
}

// readJoined reads the text that was joined.
func (p *Parser) readJoined() bool {
	s := padded(&p.wrap)
	p.rec.forget()
	if accessHead(s) > 0 || ownHead(s) > 0 {
		return p.flat(s) || p.flatOwn(s, nil, 0) || p.readText(s)
	}
	return p.readTorn(s)
}

// openWrap returns the beginning of the record that may be wrapped and go on
// behind data[:end]; end when there is none.
func (st *FrameState) openWrap(data []byte, end int) int {
	at := end
	for n := 0; at > 0 && n <= maxWrapLines && end-at < maxWrapSize; n++ {
		lo := lastLine(data[:at])
		line := bytes.TrimSuffix(data[lo:at-1], []byte{'\r'})
		if startsWrap(line) {
			if !looksWhole(line) && st.unfinished(line) {
				return lo
			}
			return end
		}
		at = lo
	}
	return end
}

// unfinished says whether the record that a line is alone may go on.
func (st *FrameState) unfinished(line []byte) bool {
	if len(line) > maxWrapSize {
		return false
	}
	if st.alone == nil {
		st.alone = NewParser(0)
	}
	p := st.alone
	st.line = append(st.line[:0], line...)
	p.Reset(padded(&st.line))
	_, ok := p.Next()
	return ok && p.pos == len(p.block) && p.mayBeWrapped()
}
