package parser

import "bytes"

// append keeps a piece of a record until the rest of it has come.
func (p *Parser) append(q *part, s []byte) {
	r := &p.rec
	if q.size == 0 {
		*q = part{text: q.text[:0], pieces: q.pieces[:0], begin: r.Begin, line: r.Line, envs: r.envelopes, depth: r.depth}
	}
	q.size += r.Size
	q.lines++
	q.pieces = append(q.pieces, piece{r.Begin, r.Size, r.Line})
	if room := MaxRecord - len(q.text); room > 0 {
		q.text = append(q.text, s[:min(len(s), room)]...)
	}
}

// complete adds the last piece to those that have come and returns the line
// that they make up.
func (p *Parser) complete(q *part, s []byte) []byte {
	p.append(q, s)
	r := &p.rec
	r.Begin, r.Size, r.Line, r.Lines = q.begin, q.size, q.line, q.lines
	q.size, p.joined = 0, q
	return padded(&q.text)
}

// flush reads what has come of a record whose last piece is missing.
func (p *Parser) flush(q *part) {
	p.rec.reset(q.begin, q.size, q.line)
	r := &p.rec
	r.Lines, r.envelopes, r.depth = q.lines, q.envs, q.depth
	q.size, p.joined = 0, q
	if !p.read(padded(&q.text)) {
		p.invalid(Incomplete, r.Size)
	}
	switch {
	case r.Kind == Access:
		r.Partial = true
	case len(q.text) == MaxRecord:
		p.invalid(Oversize, MaxRecord)
	default:
		p.scatter()
	}
}

// scatter undoes a join when the whole turned out to be noise, which is a
// record a physical line: the pieces are handed out one by one.
func (p *Parser) scatter() {
	r := &p.rec
	if r.Kind != Noise || r.Lines < 2 || p.joined == nil {
		return
	}
	p.scattered, p.piece = append(p.scattered[:0], p.joined.pieces...), 0
	p.nextPiece()
}

// nextPiece turns the record into the next piece of scattered noise.
func (p *Parser) nextPiece() {
	r, q := &p.rec, p.scattered[p.piece]
	p.piece++
	envelopes, depth := r.envelopes, r.depth
	r.reset(q.begin, q.size, q.line)
	r.envelopes, r.depth = envelopes, depth
}

// padded returns the buffer with readable bytes behind it.
func padded(b *[]byte) []byte {
	n := len(*b)
	*b = append(*b, zeros[:]...)[:n]
	return *b
}

var zeros [Padding]byte

// readBrace reads a line that begins with a brace. done says that the record
// is complete; otherwise inner is the line inside a wrapper, or nil when the
// line is nobody's.
func (p *Parser) readBrace(s []byte, depth int) (inner []byte, done bool) {
	r := &p.rec
	kind, o := p.readObject(s)
	if o.cut && r.depth == 0 && !p.glued && opensObject(s) {
		if text, laid := p.readLines(); laid == jsonWrapper {
			return p.unwrap(text, &p.laid, depth)
		} else if laid != jsonOther {
			return nil, true
		}
		kind, o = p.readObject(s)
	}
	if r.oddObject(kind, &o) {
		if p.readStrings(s, &o) || p.splicedObject(s) {
			return nil, true
		}
		kind, o = p.readObject(s)
	}
	switch kind {
	case jsonAccess, jsonEvent:
		p.splitObject(s, &o)
		return nil, true
	case jsonWrapper:
		if r.depth == 0 && o.key != Docker { // pieces are of whole lines
			p.splitObject(s, &o)
		}
		return p.unwrap(s, &o, depth)
	case jsonBroken:
		why := BadJSON
		if o.cut {
			why = Incomplete
		}
		p.invalid(why, o.end)
		return nil, true
	}
	r.forget()
	return nil, false
}

// splitObject lets the next record begin behind the object when another one
// stands on its line.
func (p *Parser) splitObject(s []byte, o *object) {
	if !o.whole {
		return
	}
	at := skipSpace(s, o.end)
	if at < len(s) && s[at] == ',' { // of a list
		at = skipSpace(s, at+1)
	}
	if rest := s[at:]; len(rest) > 0 && rest[0] == '{' || accessHead(rest) > 0 || ownHead(rest) > 0 {
		p.suspect = false
		p.splitAt(s, at)
	}
}

// opensObject says whether the line can be the first one of an object over
// many lines.
func opensObject(s []byte) bool {
	s = bytes.TrimRight(s, " \t\r")
	c := s[len(s)-1]
	return c == '{' || c == ',' || c == '['
}

// readLines reads an object that goes on over the following lines. It is
// jsonOther when they do not belong to one; a wrapper is in p.laid, and counts
// in text.
func (p *Parser) readLines() (text []byte, kind jsonKind) {
	r := &p.rec
	text = p.block[r.Begin:min(len(p.block), r.Begin+MaxRecord)]
	object := text[bytes.IndexByte(text, '{'):]
	p.multiline = true
	kind, o := p.readObject(object)
	p.multiline = false
	size := p.linesOf(text, &o)
	if size == 0 {
		return nil, jsonOther
	}
	lines := bytes.Count(text[:size], []byte{'\n'})
	if text[size-1] != '\n' {
		lines++
	}
	switch kind {
	case jsonAccess, jsonEvent:
	case jsonBroken:
		p.invalid(Incomplete, size)
	case jsonWrapper:
		if !o.whole || !o.shipped || p.cargo.count == 0 && !p.isRecord(object, &p.cargo) {
			return nil, jsonOther
		}
		p.laid = o
	default:
		return nil, jsonOther
	}
	r.Size, r.Lines = size, lines
	p.pos, p.line = r.Begin+size, r.Line-1+lines
	return object, kind
}

// linesOf returns the length of the lines that an object over many lines has:
// those up to its closing brace, or up to the line that broke it. It is 0 when
// something else stands behind the brace; of an object in a list, that may be
// a comma.
func (p *Parser) linesOf(text []byte, o *object) int {
	end := o.end + bytes.IndexByte(text, '{')
	if !o.whole && !o.cut {
		return bytes.LastIndexByte(text[:end], '\n') + 1 // the line that broke it is not its own
	}
	i := bytes.IndexByte(text[end:], '\n')
	if i < 0 {
		i = len(text) - end - 1
	}
	if rest := bytes.TrimSpace(text[end : end+i+1]); len(rest) > 0 && string(rest) != "," {
		return 0
	}
	return end + i + 1
}

// unwrap takes the line out of a shipper's or docker's object.
func (p *Parser) unwrap(s []byte, o *object, depth int) (inner []byte, done bool) {
	r := &p.rec
	if depth == maxEnvelopes {
		return nil, false
	}
	buf := p.inner[depth][:0]
	switch {
	case o.shipped && p.cargo.nested:
		buf = append(buf, o.inner.of(s)...)
	case o.key == JSONMessage && !o.shipped:
		buf = append(buf, r.Bytes(Message)...)
	default:
		buf = unescape(buf, o.inner.of(s))
	}
	r.forget()
	r.wrap(o.key)
	if o.shipped {
		if !p.cargo.mixed {
			r.place.from(&p.cargo.place)
		}
		if p.cargo.count > 0 {
			buf = append(buf, p.enqueue()...)
		}
	}
	ends := len(buf) > 0 && buf[len(buf)-1] == '\n'
	buf = bytes.TrimRight(buf, "\r\n")
	p.inner[depth] = buf
	padded(&p.inner[depth])
	if len(buf) == 0 {
		return nil, true
	}
	if o.torn {
		if !p.read(p.inner[depth]) || r.Kind == Noise {
			p.invalid(BadEnvelope, o.end)
		}
		return nil, true
	}
	return p.dockerPiece(p.inner[depth], o, ends)
}

// dockerPiece joins the pieces that docker makes of a long line: all but the
// last have no line end.
func (p *Parser) dockerPiece(s []byte, o *object, ends bool) (inner []byte, done bool) {
	q := &p.parts[stdout]
	if o.stderr {
		q = &p.parts[stderr]
	}
	switch {
	case p.joined != nil || o.key != Docker:
		return s, false
	case !ends && len(s) >= dockerPiece:
		p.append(q, s)
		p.held = true
		return nil, true
	case q.size > 0:
		return p.complete(q, s), false
	}
	return s, false
}
