package parser

import "bytes"

// A Parser cuts blocks into records. It is not safe for concurrent use: every
// goroutine has its own. Formats are shared.
type Parser struct {
	_       [56]byte // see TestOutlineAlignment
	outline outline  // of the object that was read in an order

	want    FieldSet
	layouts textLayouts
	own     *Format // of ownLayouts, the last that a line had

	given      []*Format // the caller's formats stand in front
	wanted     []uint64  // columns of each of them to store
	givenText  bool      // one of them is a text
	givenMap   bool      // one of them is a JSON map
	givenBrace bool      // one of the texts may begin with a brace
	fence      byte      // of the first of the texts, or a blank: what lines are scanned for beside quotes
	givenFirst [256]bool // bytes that a line in one of the texts may begin with
	spreads    bool      // records of one of them go over several lines
	spread     []byte    // the lines of such a record
	peeler     peeler    // of their wrappers
	placed     [maxColumns]span
	guards     [maxGuards]uint16
	spots      [maxSpots]uint16
	ticker     ticker
	walk       walk

	block   []byte
	pos     int  // where the next record begins
	line    int  // physical lines before pos
	cut     bool // the block's last record is the head of a longer one
	glued   bool // pos stands inside a physical line: it holds another record
	suspect bool // that line could also be read as one record

	rec       Record
	cuts      cutter
	orders    orders
	reader    reader
	seen      [maxKeys]span
	marks     marks    // of the stretch of the block at pos
	quotes    []uint16 // those of the line, when it may be an access record
	nested    marks    // of text that is no line of the block
	scanned   *marks   // what the quotes are of; nil: the line was not scanned
	multiline bool     // a string that goes over a line end is broken
	held      bool     // the line was a piece: there is no record yet
	unescaped []byte
	inner     [maxEnvelopes + 1][]byte // lines that wrappers had escaped, by depth
	parts     [numStreams]part
	joined    *part // the part that the record was joined from
	whole     part  // stands for a record that was not joined and can be no piece

	rest          []byte // the next record in the wrapper that was just read
	restLines     int
	restEnvelopes [maxEnvelopes]Envelope
	restDepth     uint8

	base           []byte // the line without its wrappers
	wrap           []byte // a record that was wrapped over several lines
	wraps          wraps
	mended         []byte // a line with its damage undone
	spliced        []byte // a line without another program's time in it
	laid           object // a wrapper that somebody laid out over several lines
	cargo          cargo  // of the last shipper's object
	queued         []byte // lines that it carried
	queuedBefore   []byte // those that such a line was one of
	queue          []byte // those to come
	queueLines     int
	queueEnvelopes [maxEnvelopes]Envelope
	queueDepth     uint8
	queuePlace     Place
	traffic        []byte // an entry of Google's traffic log as one object

	heads  eventHeads
	groups groups
	traces bool // the event is of a logger that writes backtraces line by line

	scattered []piece // pieces of joined noise
	piece     int     // how many of them were returned
}

// NewParser returns a parser that finds the wanted fields and no others; the
// code, the flags and the start time are always found. The given formats
// stand in front of the known dialects.
func NewParser(want FieldSet, formats ...*Format) *Parser {
	p := &Parser{want: want, layouts: newTextLayouts(formats)}
	p.groups.copy = true
	p.give(formats)
	return p
}

// Reset gives the parser a block of whole records, as Cut finds them. The
// capacity behind the block must hold Padding readable bytes more. The block
// must not change while records of it are in use.
func (p *Parser) Reset(block []byte) {
	p.block, p.pos, p.line, p.cut, p.glued = block, 0, 0, false, false
	p.scattered, p.piece, p.rest, p.queue = p.scattered[:0], 0, nil, nil
	p.marks.forget()
	for i := range p.parts {
		p.parts[i].size = 0
	}
}

// ResetCut is Reset for a block whose last record is the head of a longer
// one, the rest of which was skipped.
func (p *Parser) ResetCut(block []byte) {
	p.Reset(block)
	p.cut = true
}

// Next returns the block's next record; it is valid until the next call. The
// second result is false at the end of the block. The sizes of all records
// add up to the block's length, their lines to its number of physical lines.
func (p *Parser) Next() (*Record, bool) {
	if len(p.rest) > 0 {
		p.readRest()
		return &p.rec, true
	}
	if len(p.queue) > 0 {
		p.nextQueued()
		return &p.rec, true
	}
	if p.piece < len(p.scattered) {
		p.nextPiece()
		return &p.rec, true
	}
	for p.pos < len(p.block) {
		if p.usual() || p.usualObject() || p.next() {
			return &p.rec, true
		}
	}
	for i := range p.parts {
		if p.parts[i].size > 0 {
			p.flush(&p.parts[i])
			return &p.rec, true
		}
	}
	return nil, false
}

// next reads the record at pos. It is false when the line was only a part of
// a record.
func (p *Parser) next() bool {
	r := &p.rec
	begin := p.pos
	if p.spreads && !p.glued && p.readSpread(begin) {
		return true
	}
	head, end := p.lineAt(begin)
	size := min(end+1, len(p.block)) - begin
	p.pos = begin + size
	p.line++
	r.reset(begin, size, p.line)
	if end > begin && p.block[end-1] == '\r' {
		end--
	}
	s := p.block[begin:end]
	wasGlued := p.glued
	p.glued = false
	if p.fast(s, head) {
		r.Suspicious = wasGlued && p.suspect
		r.Partial = p.cut && p.pos >= len(p.block)
		return true
	}
	p.multiline, p.joined = false, nil
	if !p.fastEvent(s, head) {
		return p.finish(s, p.read(s), wasGlued)
	}
	return r.Kind == Event && !wasGlued && !p.cut && p.startsOwn(p.block[p.pos:]) || p.finish(s, true, wasGlued)
}

// finish completes the record that was read of the physical line s, unless
// the line was only a part of it.
func (p *Parser) finish(s []byte, done, wasGlued bool) bool {
	if done {
		p.scatter()
		if !wasGlued {
			p.gather()
			if p.rec.Kind != Event {
				p.unwrapLines(s)
			}
		}
	}
	if wasGlued && p.suspect {
		p.rec.Suspicious = true
	}
	if done && p.cut && p.pos >= len(p.block) {
		p.truncated()
	}
	return done
}

// usualCRI is how long the usual CRI head is.
const usualCRI = len("2006-01-02T15:04:05.000000000Z stdout F ")

// isUsualCRI says whether all of that but the time stands in s.
func isUsualCRI(s []byte) bool {
	const (
		out  = 'Z' | ' '<<8 | 's'<<16 | 't'<<24 | 'd'<<32 | 'o'<<40 | 'u'<<48 | 't'<<56
		err  = 'Z' | ' '<<8 | 's'<<16 | 't'<<24 | 'd'<<32 | 'e'<<40 | 'r'<<48 | 'r'<<56
		full = ' ' | 'F'<<8 | ' '<<16
	)
	w := load64(s, 29)
	return (w == out || w == err) && load32(s, 37)&0xffffff == full
}

// usualStream is the stream that the usual CRI head of a line names.
func usualStream(s []byte) int {
	if s[34] == 'e' {
		return stderr
	}
	return stdout
}

// lineAt returns the end of the physical line at begin and the length of the
// usual CRI head in front of it; of a line that begins like an access record
// the quotes are noted.
func (p *Parser) lineAt(begin int) (head, end int) {
	b := p.block[begin:]
	if b[0] != '[' && len(b) > usualCRI && b[10] == 'T' && isUsualCRI(b) {
		head = usualCRI
	}
	m := &p.marks
	p.scanned = m
	if begin != m.next || m.line == m.lines {
		switch c := b[head]; {
		case c == '[' || p.givenText:
			m.of(b, begin, p.fence)
		case c == '{' && wide:
			m.of(b, begin, 0)
		}
		if begin != m.next || m.line == m.lines {
			return p.longLineAt(begin, head)
		}
	}
	end, p.quotes = m.take()
	if end < begin+head {
		head = 0
	}
	return head, end
}

// longLineAt is lineAt for a line that was not scanned, and for one that is
// longer than a stretch.
func (p *Parser) longLineAt(begin, head int) (int, int) {
	p.quotes, p.scanned = nil, nil
	end := begin + lineEndIn(p.block[begin:])
	if end < begin+head {
		head = 0
	}
	return head, end
}

// fast reads the usual record: a whole one in the layout of a known dialect,
// bare or in the usual CRI head of a stream of which no piece is open.
func (p *Parser) fast(s []byte, head int) (ok bool) {
	if len(s) < head+2 || head > 0 && p.parts[usualStream(s)].size > 0 || s[len(s)-1] >= 0x80 {
		return false
	}
	if head > 0 {
		p.rec.wrap(CRI)
	}
	line, base := s[head:], p.rec.Begin+head-p.marks.begin
	switch c := line[0]; {
	case p.givenText && (head > 0 || p.ownLine(s)) && p.flatGiven(line, p.quotes, base):
		ok = true
	case c == '[' && p.scanned != nil && p.scanned.other != ' ':
		ok = !p.givenText && p.flat(line)
	case c == '[':
		ok = !p.givenText && len(line) > 11 && line[11] == 'T' && (p.flatAt(line, p.quotes, base) || p.flatOwn(line, p.quotes, base))
	case c == '{':
		ok = !p.givenBrace && p.flatObject(line, p.quotes, base)
	case c == 'A':
		ok = !p.givenText && p.flatOwn(line, nil, 0)
	}
	if !ok {
		p.rec.depth = 0
	}
	return ok
}

// truncated marks a record whose rest was skipped.
func (p *Parser) truncated() {
	r := &p.rec
	switch r.Kind {
	case Access:
		r.Partial = true
	case Noise, Invalid:
		p.invalid(Oversize, MaxRecord)
	}
}

// read takes the wrappers off a physical line and reads what is inside. It is
// false when the line was only a part of a record.
func (p *Parser) read(s []byte) bool {
	r := &p.rec
	for depth := 0; depth <= maxEnvelopes; depth++ {
		if len(p.given) == 0 && depth > 0 && (p.flat(s) || len(s) > 1 && s[0] == '{' && p.flatObject(s, nil, 0)) {
			return true
		}
		if s = trimFront(s); len(s) == 0 {
			r.text = s
			return true
		}
		if n := len(s) - 3; n > 0 && isBox(s[n:]) && (accessHead(s) > 0 || s[0] == '{') {
			r.wrap(Quote)
			s = withoutMarks(s, boxByte)
			continue
		}
		if p.givenText && p.ownLine(s) && p.readGiven(s) {
			return true
		}
		switch c := s[0]; {
		case depth < maxEnvelopes && (c == 0x1b || c == '{' && bytes.IndexByte(s, 0x1b) >= 0):
			s = p.plain(s, depth)
			continue
		case c-'0' <= 9:
			inner, piece := p.readStamp(s)
			if piece || r.Kind == Invalid {
				return !piece
			}
			if inner != nil {
				s = inner
				continue
			}
			if n := syslogHead(s); n > 0 && (beginsRecord(s[n:]) || findBare(s[n:]) != nil) {
				r.wrap(Syslog)
				s = s[n:]
				continue
			}
		case c == '{':
			p.base = s
			inner, done := p.readBrace(s, depth)
			if done {
				held := p.held
				p.held = false
				return !held
			}
			if inner != nil {
				s = inner
				continue
			}
		default:
			if n, e := p.toolHead(s); n > 0 {
				r.wrap(e)
				s = s[n:]
				continue
			}
			if hasPrefix(s, `[{"`) {
				s = s[1:]
				continue
			}
		}
		if inner, done := p.readQuote(s, depth); done {
			return true
		} else if inner != nil {
			s = inner
			continue
		}
		p.base = s
		if p.readLine(s) {
			return true
		}
		if bytes.IndexByte(s, 0x1b) < 0 || depth == maxEnvelopes {
			break
		}
		s = p.plain(s, depth)
	}
	p.other(s)
	return true
}

// trimFront takes a byte order mark off a line, and what is blank in front of an
// object or a record.
func trimFront(s []byte) []byte {
	s = bytes.TrimPrefix(s, []byte("\xef\xbb\xbf"))
	if n := skipSpace(s, 0); n == len(s) || s[n] == '{' || accessHead(s[n:]) > 0 {
		return s[n:]
	}
	return s
}

// toolHead is how many bytes a tool put in front of the line, and which tool.
func (p *Parser) toolHead(s []byte) (n int, e Envelope) {
	switch c := s[0]; {
	case c == '[':
		return p.prefixHead(s), KubectlPrefix
	case c == '<' || c >= 'A' && c <= 'S' && isMonth(s[:min(3, len(s))]):
		return syslogHead(s), Syslog
	case c|' ' >= 'a' && c|' ' <= 'z':
		if n = p.sternHead(s); n > 0 {
			return n, Stern
		}
		return p.composeHead(s), Compose
	}
	return 0, 0
}

// readStamp takes a time off the front of a line when a container runtime or
// kubectl put it there. inner is the line behind it, nil when the time is the
// line's own or the head is damaged; piece says that the record goes on.
func (p *Parser) readStamp(s []byte) (inner []byte, piece bool) {
	r := &p.rec
	n := stamp(s)
	if n == 0 {
		return nil, false
	}
	h, cri := criHead(s, n)
	switch {
	case cri && h.bad:
		p.invalid(BadEnvelope, n+7)
	case cri:
		r.wrap(CRI)
		inner = s[h.inner:]
		q := &p.parts[h.stream]
		if h.more && p.joined == nil {
			p.append(q, inner)
			return nil, true
		}
		if q.size > 0 && p.joined == nil {
			inner = p.complete(q, inner)
		}
	case wrapsRecord(s[n:]) || p.fitsGiven(s[n:]):
		r.wrap(KubectlTimestamp)
		inner = s[n:]
	}
	return inner, false
}

// plain takes terminal escapes out of a line.
func (p *Parser) plain(s []byte, depth int) []byte {
	p.rec.wrap(ANSI)
	p.inner[depth] = stripANSI(p.inner[depth][:0], s)
	return padded(&p.inner[depth])
}

// readLine reads an unwrapped line as an access record or an event.
func (p *Parser) readLine(s []byte) bool {
	r := &p.rec
	if n := accessHead(s); n > 0 {
		if n < len(s) && s[n] == '"' && doubledQuotes(s) && p.readMended(s) {
			return true
		}
		return p.givenText && p.flat(s) || p.flatOwn(s, nil, 0) || p.readGlued(s) || p.readText(s) || p.readTorn(s)
	}
	if ownHead(s) > 0 && (p.flatOwn(s, nil, 0) || p.readGlued(s) || p.readText(s)) {
		return true
	}
	r.text = s
	return p.readEvent(0, len(s)) || p.tornGiven(s) || p.readLedObject(s) || p.readMended(s) || p.readLed(s) || p.readTorn(s) || p.readPiece(s) || s[0] == '[' && p.readSpliced(s)
}

// accessHead returns the length of `[TIME] "` at s[0], or 0.
func accessHead(s []byte) int {
	if len(s) < 24 || s[0] != '[' || !isTime(s[1:]) {
		return 0
	}
	i := bytes.IndexByte(s[:min(len(s), 40)], ']')
	if i < 0 || i+3 > len(s) || s[i+1] != ' ' || s[i+2] != '"' {
		return 0
	}
	return i + 3
}

// maxGlued is how many heads in a line are tried as the next record's: a user can
// write any number of them.
const maxGlued = 16

// readGlued reads the first of several records that stand on one line: a
// complete one, with the head of the next one behind it.
func (p *Parser) readGlued(s []byte) bool {
	at := gluedHead(s, 1)
	for tries := 0; at > 0 && tries < maxGlued; tries++ {
		first := trimBlanks(s[:at])
		if p.flat(first) || p.flatOwn(first, nil, 0) || p.readText(first) && p.cuts.full {
			_, p.suspect = p.layoutOf(s) // a user may have written the second head
			p.splitAt(s, at)
			return true
		}
		at = gluedHead(s, at+1)
	}
	return false
}

// splitAt ends the record before s[at:], a suffix of the physical line that
// was just taken, and lets the next record begin there. The line end belongs
// to the last record of a line. Of a line in a wrapper, all bytes belong to
// the first one.
func (p *Parser) splitAt(s []byte, at int) {
	r := &p.rec
	r.Suspicious = r.Suspicious || p.suspect
	inBlock := bytes.Index(p.block[p.pos-r.Size:p.pos], s)
	if r.depth > 0 || inBlock < 0 {
		p.rest, p.restLines, p.restEnvelopes, p.restDepth = s[at:], min(r.Lines, 1), r.envelopes, r.depth
		r.Lines -= p.restLines
		return
	}
	p.pos -= r.Size
	skip := inBlock + at
	r.Size, r.Lines = skip, 0
	p.pos += skip
	p.line--
	p.glued = true
}

// readRest reads the next of several records that stand in one wrapper.
func (p *Parser) readRest() {
	r, s := &p.rec, p.rest
	p.rest = nil
	place := r.place
	r.reset(r.Begin+r.Size, 0, r.Line)
	r.Lines, r.envelopes, r.depth, r.place = p.restLines, p.restEnvelopes, p.restDepth, place
	p.joined = &p.whole // what is inside is no piece
	p.read(s)
	r.Suspicious = r.Suspicious || p.suspect && r.Kind == Access
}

// other accounts for a line that is no record: noise, or invalid when it
// claims to be one.
func (p *Parser) other(s []byte) {
	r := &p.rec
	r.forget()
	r.Kind, r.text = Noise, s
	switch {
	case bytes.IndexByte(s, 0) >= 0 || controls(s):
		p.invalid(Binary, max(0, bytes.IndexByte(s, 0)))
	case accessHead(s) > 0:
		p.invalid(p.whyUnread(s))
	case hasPrefix(s, emissaryHead) && accessHead(s[len(emissaryHead):]) > 0:
		why, at := p.whyUnread(s[len(emissaryHead):])
		p.invalid(why, at+len(emissaryHead))
	case len(s) > 30 && s[0] == '[' && isTime(s[1:]) && s[11] == 'T':
		p.invalid(Incomplete, len(s))
	}
	if r.Reason == Incomplete && p.unsplice(s) != nil {
		r.Reason = Spliced
	}
}

// whyUnread says why a line that begins like an access record can not be
// read, and where reading stopped.
func (p *Parser) whyUnread(s []byte) (Reason, int) {
	at := accessHead(s)
	for i := at; ; {
		j := bytes.Index(s[i:], []byte(`" `))
		if j < 0 {
			return Incomplete, len(s)
		}
		i += j + 1
		if protocolAt(s, at, i-1) < 0 {
			continue
		}
		rest := s[i+1:]
		switch _, n := codeAt(rest, 0); {
		case bytes.IndexByte(rest, ' ') < 0 || n > 0 && bytes.IndexByte(rest[n:], ' ') < 0:
			return Incomplete, len(s)
		case n < 0:
			return NoCode, i + 1
		}
		return UnknownLayout, i + 1
	}
}

// controls says whether s is mostly bytes that no log line has.
func controls(s []byte) bool {
	n := 0
	for _, c := range s[:min(len(s), 256)] {
		if c < ' ' && c != '\t' && c != 0x1b || c == 0x7f {
			n++
		}
	}
	return n > 2 && n*8 > min(len(s), 256)
}

// invalid makes the record an invalid one; at is how far into its line reading
// came.
func (p *Parser) invalid(why Reason, at int) {
	r := &p.rec
	r.forget()
	r.Kind, r.Reason, r.Partial = Invalid, why, false
	r.Dialect, r.Emitter = NoDialect, NoEmitter
	r.Stop = min(r.Begin+at, r.Begin+r.Size)
}

// Fault is for a caller that recovered from a panic in Next, or while it used
// the record: it makes that record an invalid one and lets the next call of
// Next go on behind it.
func (p *Parser) Fault() *Record {
	p.invalid(Internal, 0)
	p.held = false
	return &p.rec
}
