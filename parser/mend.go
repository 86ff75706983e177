package parser

import "bytes"

// mend undoes what editors, chat programs, tables and addresses do to a pasted
// line: typographic quotes, quotes that were doubled or escaped, blanks that are
// none or became tabs, escaped bars, bytes as %XX. It returns nil when there is
// nothing to undo.
func (p *Parser) mend(s []byte) []byte {
	doubled := doubledQuotes(s)
	escaped := bytes.Contains(s, []byte(`\"`)) || bytes.Contains(s, []byte(`\|`))
	tabbed := bytes.Contains(s, []byte("]\t\""))
	percent := bytes.IndexByte(s, '"') < 0 && bytes.Contains(s, []byte("%22"))
	if !doubled && !escaped && !tabbed && !percent && bytes.IndexByte(s, 0xe2) < 0 && bytes.IndexByte(s, 0xc2) < 0 && bytes.IndexByte(s, '&') < 0 {
		return nil
	}
	plus := percent && bytes.IndexByte(s, ' ') < 0 && !bytes.Contains(s, []byte("%20"))
	buf := p.mended[:0]
	for i := 0; i < len(s); {
		n, c := mark(s[i:])
		switch {
		case doubled && s[i] == '"' && i+1 < len(s) && s[i+1] == '"':
			buf = append(buf, '"')
			i += 2
		case escaped && s[i] == '\\' && i+1 < len(s) && (s[i+1] == '"' || s[i+1] == '\\' || s[i+1] == '|'):
			buf = append(buf, s[i+1])
			i += 2
		case tabbed && s[i] == '\t':
			buf = append(buf, ' ')
			i++
		case percent && percentByte(s[i:]) > 0:
			buf = append(buf, percentByte(s[i:]))
			i += 3
		case plus && s[i] == '+':
			buf = append(buf, ' ')
			i++
		case n > 0 && c > 0:
			buf = append(buf, c)
			i += n
		case n > 0:
			i += n
		default:
			buf = append(buf, s[i])
			i++
		}
	}
	p.mended = buf
	if bytes.Equal(buf, s) {
		return nil
	}
	return padded(&p.mended)
}

// percentByte is the byte that an address has as %XX at s[0]; 0 when there is
// none.
func percentByte(s []byte) byte {
	if len(s) < 3 || s[0] != '%' {
		return 0
	}
	v, ok := hex4([]byte{'0', '0', s[1], s[2]})
	if !ok {
		return 0
	}
	return byte(v)
}

// mark returns the length of a typographic mark at s[0] and the byte that a
// proxy wrote there, 0 for none; the length is 0 when there is no such mark.
func mark(s []byte) (n int, c byte) {
	switch s[0] {
	case 0xe2: // quotes and blanks of General Punctuation
		if len(s) < 3 || s[1] != 0x80 {
			return 0, 0
		}
		switch s[2] {
		case 0x9c, 0x9d, 0x9e, 0x9f:
			return 3, '"'
		case 0x98, 0x99:
			return 3, '\''
		case 0x93, 0x94:
			return 3, '-'
		case 0x8b, 0x8c, 0x8d:
			return 3, 0
		case 0xaf:
			return 3, ' '
		}
	case 0xc2:
		switch {
		case len(s) > 1 && s[1] == 0xa0:
			return 2, ' '
		case len(s) > 1 && (s[1] == 0xab || s[1] == 0xbb):
			return 2, '"'
		}
	case '&':
		for _, e := range entities {
			if hasPrefix(s, e.name) {
				return len(e.name), e.c
			}
		}
	}
	return 0, 0
}

// entities are how a page writes bytes that its markup needs.
var entities = []struct {
	name string
	c    byte
}{{"&quot;", '"'}, {"&#34;", '"'}, {"&#x22;", '"'}, {"&#39;", '\''}, {"&#x27;", '\''}, {"&apos;", '\''}, {"&#124;", '|'}, {"&#x2F;", '/'}, {"&lt;", '<'}, {"&gt;", '>'}, {"&amp;", '&'}, {"&nbsp;", ' '}}

// doubledQuotes says whether a table has doubled all quotes of a line, but for
// those around it.
func doubledQuotes(s []byte) bool {
	pairs := 0
	for i := bytes.IndexByte(s, '"'); i < len(s) && i >= 0; {
		n := 0
		for i+n < len(s) && s[i+n] == '"' {
			n++
		}
		outer := i == 0 || i+n == len(s) || s[i-1] == ','
		if n&1 != 0 && !outer {
			return false
		}
		pairs += n / 2
		next := bytes.IndexByte(s[i+n:], '"')
		if next < 0 {
			break
		}
		i += n + next
	}
	return pairs > 1
}

// readMended reads a line after what was done to it is undone.
func (p *Parser) readMended(s []byte) bool {
	m := p.mend(s)
	if m == nil {
		return false
	}
	if n, line := quoteHead(m); n > 0 {
		m = line
	}
	if at := bytes.IndexByte(m, '{'); at >= 0 && hasColumns(m[at:]) {
		if kind, _ := p.readObject(m[at:]); kind == jsonAccess {
			return true
		}
	}
	return p.flat(m) || p.readLine(m)
}

// unsplice takes out a time that another program wrote into the middle of a
// line, with what a container runtime writes behind it. It returns nil when
// there is none.
func (p *Parser) unsplice(s []byte) []byte {
	const lead = len("[2006-01-02T")
	for at := lead; ; {
		j := bytes.Index(s[min(at, len(s)):], []byte("20"))
		if j < 0 {
			return nil
		}
		at += j
		n := spliceLength(s[at:])
		if n == 0 {
			at++
			continue
		}
		p.spliced = append(append(p.spliced[:0], s[:at]...), s[at+n:]...)
		return padded(&p.spliced)
	}
}

// spliceLength returns the length of a kubelet's time at s[0], with a fraction
// that a proxy's has not, and of what follows it; 0 when there is none.
func spliceLength(s []byte) int {
	if len(s) < 24 || !isDateTime(s, 'T') || s[19] != '.' {
		return 0
	}
	i := 20
	for i < len(s) && isDigit(s[i]) {
		i++
	}
	if i < 24 || i >= len(s) || s[i] != 'Z' {
		return 0
	}
	i++
	if i < len(s) && s[i] == ' ' {
		i++
		if h, ok := criHead(s, i); ok && !h.bad {
			i = h.inner
		}
	}
	return i
}

// readSpliced reads a line that is a whole record once another program's time
// is taken out of it.
func (p *Parser) readSpliced(s []byte) bool {
	m := p.unsplice(s)
	if m == nil || !p.flat(m) && !p.flatOwn(m, nil, 0) && !p.readWhole(m) {
		return false
	}
	p.rec.Suspicious = true
	return true
}

// splicedDetails says whether a time stands in the details of the record that
// was just read of s: there the line fits its layout all the same.
func (p *Parser) splicedDetails(s []byte) bool {
	r := &p.rec
	if !r.layout.Has(ConnectionTerminationDetails) || !r.hasFlags {
		return false
	}
	details := s[min(int(r.spans[ResponseFlags].hi), len(s)):]
	return hasSplice(details[:max(0, bytes.IndexByte(details, '"'))])
}

// hasSplice says whether another program's time stands in a value.
func hasSplice(v []byte) bool {
	for i := 0; len(v)-i >= 24; i++ {
		if v[i] == '2' && spliceLength(v[i:]) > 0 {
			return true
		}
	}
	return false
}

// oddObject says whether something may have been done to an object.
func (r *Record) oddObject(kind jsonKind, o *object) bool {
	switch kind {
	case jsonAccess:
		return !o.whole || r.flags&UnknownFlags != 0 || r.layout.Has(ResponseCode) && !r.hasCode || r.Dialect == Inferred
	case jsonOther:
		return !o.cut && (!o.whole || o.foreign && o.proxy)
	}
	return kind == jsonBroken
}

// splicedObject is readSpliced for an object.
func (p *Parser) splicedObject(s []byte) bool {
	m := p.unsplice(s)
	if m == nil {
		return false
	}
	kind, o := p.readObject(m)
	p.rec.Suspicious = true
	return kind == jsonAccess && o.whole && p.rec.Dialect != Inferred
}
