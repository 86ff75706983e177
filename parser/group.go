package parser

import "bytes"

// The limits of a group: an event with the lines that go on it. Lines beyond
// are records of their own.
const (
	maxGroupLines = 2000
	maxGroupSize  = 256 << 10 // bytes of the block, wrappers included
	maxGroupBlank = 2         // blank lines in a row
)

// Text returns the whole text of an event: the message, and the lines that
// belong to it up to their last one, line ends between them and wrappers taken
// off. A record of one line has its message here. The lifetime is that of
// Bytes; it is nil when the parser was not asked for Message.
func (r *Record) Text() []byte {
	if !r.grouped || !r.present.Has(Message) {
		return r.Bytes(Message)
	}
	return r.text[r.spans[Message].lo:len(r.text):len(r.text)]
}

// A groups reads groups. Its results are valid until it reads the next one.
type groups struct {
	peel  peeler
	stops func(line []byte) bool // says that a line is a record, whatever it looks like; may be nil
	copy  bool                   // keep the text of wrapped groups

	head  event
	text  []byte // of the first line, then of all
	lines int
	size  int  // with the line end of the last line
	open  bool // the data ended before the group did
	frame int  // number of the last frame
}

// read reads the group that begins data, and is false when data does not
// begin with a line that others may go on. Of a claim that comes to nothing,
// the group is the first line.
func (g *groups) read(data []byte) bool {
	line, size := firstLine(data)
	text, ok := g.peel.first(line)
	g.text, g.lines, g.size, g.open = g.text[:0], 1, size, false
	if !ok {
		return false
	}
	g.text = append(g.text, text...)
	first := g.text
	g.head = event{}
	opens, claimed := claimOpens(first), false
	if known := g.head.recognise(first); known {
		opens = g.head.opens(first)
	} else if claimed = opens != 0; !claimed {
		return false
	}
	if opens == 0 {
		return true
	}
	g.frame = frameNumber(g.head.message.of(first))
	g.follow(data, opens)
	if claimed {
		g.head.emitter = claimant(first, data[size:g.size])
		g.head.message = spanOf(first, 0, len(first))
		if g.head.emitter == NoEmitter {
			g.lines, g.size = 1, size
		}
	}
	return true
}

// follow takes the lines that go on the first one.
func (g *groups) follow(data []byte, opens shape) {
	indent := skipBlanks(g.text, 0)
	logged := loggedHead(g.text)
	lines, size, blank := g.lines, g.size, 0
	for {
		if size == len(data) {
			g.open = true
			return
		}
		line, n := firstLine(data[size:])
		text, ok := g.peel.next(line)
		if !ok || lines == maxGroupLines || size+n > maxGroupSize {
			return
		}
		lines, size = lines+1, size+n
		if isBlankLine(text) {
			if blank++; blank > maxGroupBlank {
				return
			}
			continue
		}
		is := shapeOf(text) & opens
		if is == 0 || is == shapeIndent && skipBlanks(text, 0) <= indent || is&(shapeFrame|shapeLogged) != 0 && !g.sameTrace(text, logged) || g.stops != nil && g.stops(text) {
			return
		}
		if g.copy && g.peel.depth > 0 {
			g.join(text, blank)
		}
		g.lines, g.size, blank = lines, size, 0
	}
}

// join adds a line to the text.
func (g *groups) join(text []byte, blank int) {
	for range blank + 1 {
		g.text = append(g.text, '\n')
	}
	g.text = append(g.text, bytes.TrimRight(text, "\r")...)
}

// sameTrace says whether a frame can follow the last one: frames count up, and
// those that the logger wrote are of one thread.
func (g *groups) sameTrace(text, logged []byte) bool {
	at := skipBlanks(text, 0)
	if head := loggedHead(text); head != nil {
		if logged != nil && !bytes.Equal(head, logged) {
			return false
		}
		at = bytes.IndexByte(text, '#')
	}
	if at < 0 || at >= len(text) {
		return true
	}
	n := frameNumber(text[at:])
	if n < 0 {
		return true
	}
	last := g.frame
	g.frame = n
	return n > last
}

// loggedHead returns `[thread][level]` of a line in Envoy's own layout; nil
// when it is in another.
func loggedHead(line []byte) []byte {
	time, at := group(line, skipBlanks(line, 0))
	_, end := group(line, at)
	_, end = group(line, end)
	if end <= at || !isDateTime(time.of(line), ' ') {
		return nil
	}
	return line[at:end]
}

// firstLine returns the first line of data without its end, and its length
// with it.
func firstLine(data []byte) (line []byte, size int) {
	n := bytes.IndexByte(data, '\n')
	if n < 0 {
		return data, len(data)
	}
	return bytes.TrimSuffix(data[:n], []byte{'\r'}), n + 1
}

// gather adds the lines that go on the event which was just read to it.
func (p *Parser) gather() {
	r := &p.rec
	rest := p.block[p.pos:]
	if len(rest) == 0 || r.Lines != 1 || p.pos != r.Begin+r.Size || p.piece < len(p.scattered) || len(p.rest) > 0 {
		return
	}
	if len(r.text) == 0 || r.text[0] == '{' || r.Kind != Event && (r.Kind != Noise || claimOpens(r.text) == 0) {
		return
	}
	if r.Kind == Event && p.startsOwn(rest) {
		return
	}
	if next, _ := firstLine(rest); !mayGoOn(next, r.depth > 0) {
		return
	}
	g := &p.groups
	if !g.read(p.block[r.Begin:]) || g.lines == 1 {
		return
	}
	first := g.text
	if g.peel.depth > 0 {
		first = first[:min(len(r.text), len(first))]
	}
	if !bytes.Equal(first, r.text) || g.head.emitter == NoEmitter || r.Kind == Event && r.Emitter != g.head.emitter {
		return
	}
	p.extend(g)
}

// extend makes the record the group that was read.
func (p *Parser) extend(g *groups) {
	r := &p.rec
	if g.peel.depth > 0 {
		r.text = g.text
	} else {
		line, _ := firstLine(p.block[r.Begin:])
		whole := p.block[r.Begin+len(line)-len(r.text) : r.Begin+g.size]
		r.text = bytes.TrimRight(whole, "\r\n")
	}
	if r.Kind != Event {
		r.forget()
		r.Kind, r.Emitter = Event, g.head.emitter
		p.keep(Message, g.head.message)
	}
	p.pos += g.size - r.Size
	p.line += g.lines - 1
	r.Size, r.Lines, r.grouped = g.size, g.lines, true
}

// startsOwn says whether what follows the event is a record of its own, as
// most of the time: it has a time.
func (p *Parser) startsOwn(next []byte) bool {
	if r := &p.rec; r.depth > 0 {
		if r.depth > 1 || r.envelopes[0] != CRI || len(next) < usualCRI || next[10] != 'T' || string(next[29:34]) != "Z std" || string(next[37:usualCRI]) != " F " {
			return false
		}
		next = next[usualCRI:]
	}
	if len(next) < 30 {
		return false
	}
	switch c := next[0]; {
	case c == '[':
		return !p.traces && next[5] == '-' && next[8] == '-' && isDigit(next[1])
	case c == '{':
		return true
	case isDigit(c):
		return !p.traces && stampLike(next)
	}
	return isKlog(next)
}

// mayGoOn says whether a line, in whatever wrapper, may go on an event; names
// may stand in front. It may be wrong when it says so.
func mayGoOn(line []byte, names bool) bool {
	line = bytes.TrimSuffix(line, []byte{'\r'})
	for range maxEnvelopes {
		if isKlog(line) {
			return false
		}
		if is := shapeOf(line); is != 0 || len(line) == 0 || line[0] == 0x1b {
			return true
		}
		n := 0
		switch {
		case isDigit(line[0]):
			if n = stampAlone(line); n > 0 && levelFollows(line[skipBlanks(line, n):]) {
				return false
			}
			if h, ok := criHead(line, n); ok && n > 0 {
				if h.bad || h.more {
					return false
				}
				n = h.inner
			}
		case line[0] == '[':
			_, n = prefixEnds(line)
		case bytes.HasPrefix(line, dockerHead):
			return dockerMayGoOn(line[len(dockerHead):])
		}
		if n == 0 {
			break
		}
		line = line[n:]
	}
	return isBlankLine(line) || names && named(line)
}

func isBlankLine(line []byte) bool { s := spanOf(line, 0, len(line)); return s.lo == s.hi }

// dockerMayGoOn does so for a line that docker wrote into JSON: lines with a
// time are records of their own, unless they are frames.
func dockerMayGoOn(line []byte) bool {
	own := stampLike(line) || len(line) > 20 && line[0] == '[' && (isDateTime(line[1:], ' ') || isDateTime(line[1:], 'T'))
	return !own || bytes.Contains(line, []byte("backtrace")) || bytes.Contains(line, []byte("envoy_bug"))
}

// named says whether what follows the names in front of a line, as docker
// compose and stern print them, may go on an event.
func named(line []byte) bool {
	if bytes.Contains(line[:min(len(line), 128)], []byte("| ")) {
		return true
	}
	for range 3 {
		at := wordEnd(line, 0)
		if at == 0 || at == len(line) || line[at] != ' ' || line[0]|0x20-'a' >= 26 && !isDigit(line[0]) {
			return false
		}
		if line = line[at+1:]; len(line) == 0 || shapeOf(line) != 0 {
			return true
		}
	}
	return false
}

// openGroup returns where the group begins that may go on behind data[:end];
// end when there is none.
func openGroup(data []byte, end int, g *groups) int {
	at := end
	for lines := 0; at > 0 && lines < 2*maxGroupLines && end-at < 2*maxGroupSize; lines++ {
		lo := lastLine(data[:at])
		line := data[lo : at-1]
		at = lo
		if !mayGoOn(line, true) {
			break
		}
	}
	for at < end {
		if g.read(data[at:end]) && g.open {
			return at
		}
		at += g.size
	}
	return end
}
