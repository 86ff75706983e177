package parser

import "bytes"

// readQuote reads a line that somebody quotes records in: in its strings, or behind
// marks; inner is what stands there where that is still to be read.
func (p *Parser) readQuote(s []byte, depth int) (inner []byte, done bool) {
	if inner, done = p.readQuoted(s, depth); done || inner != nil {
		return inner, done
	}
	if n, line := quoteHead(s); n > 0 {
		p.rec.wrap(Quote)
		inner = line
	}
	return inner, false
}

// readQuoted reads the records in the strings of a line that is nobody's: a
// row of a table, an answer of an interface, what a shipper prints of an
// event. Strings have their quotes escaped or doubled. Where the string is in a
// shipper's object behind something else, inner is the line that it carries.
func (p *Parser) readQuoted(s []byte, depth int) (inner []byte, done bool) {
	if len(p.queue) > 0 || bytes.IndexByte(s, '\\') < 0 && !bytes.Contains(s, []byte(`""`)) {
		return nil, false
	}
	first := p.takeQuoted(s)
	if first < 0 {
		return nil, false
	}
	r := &p.rec
	if at := bytes.Index(s[:first], []byte(`{"`)); at > 0 && depth < maxEnvelopes {
		if kind, o := p.readObject(s[at:]); kind == jsonWrapper && o.whole {
			r.wrap(Quote)
			r.tell(s[:at])
			return p.unwrap(s[at:], &o, depth)
		}
		p.takeQuoted(s)
	}
	r.forget()
	r.wrap(Quote)
	r.tell(s[:first])
	p.joined = &p.whole // what is inside is no piece
	p.read(p.enqueue())
	return nil, true
}

// The limits of one search for records in the strings of a line.
const (
	maxStrings  = 64       // strings that turn out to hold none
	nearStrings = 16 << 10 // bytes of lines before that are searched for the same record
)

// takeQuoted takes the strings of a line that have records for a cargo, each
// once, and returns where the first begins; negative when there is none.
func (p *Parser) takeQuoted(s []byte) (first int) {
	c := &p.cargo
	c.lines, c.count, first = c.lines[:0], 0, -1
	for i, others := 0, 0; others < maxStrings; {
		at, inner := nextQuoted(s, i)
		if at < 0 {
			break
		}
		i = at + 1
		end, doubled := 0, s[inner+1] == '"'
		if doubled {
			end = doubledEnd(s, inner)
		} else {
			end, _ = stringEnd(s, at+1)
		}
		if end <= 0 || !c.addQuoted(s[at+1:end], doubled) {
			others++
			continue
		}
		if i = end + 1; first < 0 {
			first = at
		}
	}
	return first
}

// addQuoted adds the text of a string to the lines if it holds a record that they
// do not have yet.
func (c *cargo) addQuoted(v []byte, doubled bool) bool {
	lo := len(c.lines)
	c.lines = appendQuoted(c.lines, v, doubled)
	line := c.lines[lo:]
	near := c.lines[max(0, lo-max(nearStrings, 2*len(line))):lo]
	if !holdsRecord(line) || bytes.Contains(near, line) {
		c.lines = c.lines[:lo]
		return false
	}
	c.count++
	return true
}

// nextQuoted returns where the next string begins that may hold a record, and
// its first quote within, which is escaped or doubled; at is negative when there
// is none.
func nextQuoted(s []byte, i int) (at, inner int) {
	for ; ; i = at + 1 {
		j := bytes.IndexByte(s[min(i, len(s)):], '"')
		if at = i + j; j < 0 || at+32 > len(s) {
			return -1, 0
		}
		if c := s[at+1]; c != '[' && c != '{' && c-'0' > 9 && c != 'A' || at > 0 && s[at-1] == '\\' {
			continue
		}
		inner = bytes.IndexByte(s[at+1:], '"')
		if inner += at + 1; inner <= at || inner+1 >= len(s) {
			return -1, 0
		}
		if s[inner-1] == '\\' || s[inner+1] == '"' {
			return at, inner
		}
	}
}

// doubledEnd returns the offset from i on of a quote that is not doubled;
// negative when there is none.
func doubledEnd(s []byte, i int) int {
	for i < len(s) {
		j := bytes.IndexByte(s[i:], '"')
		if i += j; j < 0 {
			break
		}
		if i+1 == len(s) || s[i+1] != '"' {
			return i
		}
		i += 2
	}
	return -1
}

// appendQuoted appends the text of a string, on one line.
func appendQuoted(dst, v []byte, doubled bool) []byte {
	lo := len(dst)
	if doubled {
		for i := 0; i < len(v); i++ {
			if dst = append(dst, v[i]); v[i] == '"' {
				i++
			}
		}
	} else {
		dst = unescape(dst, v)
	}
	for i := lo; i < len(dst); i++ {
		if dst[i] == '\n' || dst[i] == '\r' {
			dst[i] = ' '
		}
	}
	return append(dst[:lo+len(bytes.TrimRight(dst[lo:], " "))], '\n')
}

// holdsRecord says whether a text is an access record or has one in a wrapper.
func holdsRecord(s []byte) bool {
	if n := stamp(s); n > 0 {
		return wrapsRecord(s[n:]) || hasPrefix(s[n:], "std")
	}
	return accessHead(s) > 0 || ownHead(s) > 0 || s[0] == '{' && (hasColumns(s) || nextHead(s, 0) >= 0 || bytes.Contains(s, []byte(`Z] \`)) || bytes.Contains(s, []byte(`\"response_`)))
}

// tell lets the lead of a record tell its place, if nothing did.
func (r *Record) tell(lead []byte) {
	if !r.HasPlace() {
		r.place = placeIn(lead)
	}
}

// placeIn finds the place that is told in front of a record: in a tag made of
// the path of a container's log, or in labels.
func placeIn(lead []byte) Place {
	if i := bytes.Index(lead, []byte("log")); i >= 0 {
		if at := placeOf(lead[i:]); at.Pod != nil {
			return at
		}
	}
	if at := bracketed(bytes.Trim(lead, " :")); at.Pod != nil {
		return at
	}
	return labelled(lead)
}

// bracketed reads the heads of kubetail, [POD CONTAINER] or [POD], and of kail,
// NAMESPACE/POD[CONTAINER].
func bracketed(s []byte) (at Place) {
	open := bytes.IndexByte(s, '[')
	if open < 0 || s[len(s)-1] != ']' {
		return at
	}
	within := s[open+1 : len(s)-1]
	pod, container, two := bytes.Cut(within, blankByte)
	switch {
	case open > 0:
		at.Namespace, at.Pod, two = bytes.Cut(s[:open], []byte{'/'})
		if at.Container = within; !two {
			return Place{}
		}
	case two:
		at.Pod, at.Container = pod, container
	case bytes.IndexByte(pod, '-') > 0:
		at.Pod = pod
	}
	for _, name := range [...][]byte{at.Namespace, at.Pod, at.Container} {
		for _, c := range name {
			if !isLetter(c) && !isDigit(c) && c != '-' && c != '.' {
				return Place{}
			}
		}
	}
	return at
}

func isLabelByte(c byte) bool { return isNameByte(c) || isLetter(c) }

// labelled reads labels as Loki and Prometheus write them: {pod="a",
// namespace="b"}.
func labelled(s []byte) (at Place) {
	for {
		i := bytes.Index(s, []byte(`="`))
		if i < 0 {
			return at
		}
		lo := i
		for lo > 0 && isLabelByte(s[lo-1]) {
			lo--
		}
		end := bytes.IndexByte(s[i+2:], '"')
		if end < 0 {
			return at
		}
		v := s[i+2 : i+2+end]
		switch placeKeys[string(s[lo:i])] {
		case placeNamespace:
			at.Namespace = v
		case placePod:
			at.Pod = v
		case placeContainer:
			at.Container = v
		}
		s = s[i+2+end:]
	}
}
