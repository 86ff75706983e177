package parser

import "bytes"

// A wrapper is what was taken off the front of a line, so that it can be taken
// off the lines that follow in the same stream.
type wrapper struct {
	kind   Envelope
	same   []byte // what must stand in front of those lines too
	stream int
}

// A peeler takes the wrappers off the lines of a group. What it returns is
// valid until it is asked for the next line.
type peeler struct {
	wrappers [maxEnvelopes]wrapper
	depth    int
	copied   [2][]byte // without escapes of JSON, without those of terminals
}

// first takes the wrappers off a line. It is false when the line is a piece of
// another one, or in a wrapper that holds no groups.
func (p *peeler) first(line []byte) (text []byte, ok bool) {
	return p.strip(bytes.TrimPrefix(line, []byte("\xef\xbb\xbf")), wrapperOf)
}

// strip takes off the wrappers that a function finds, until there are none.
func (p *peeler) strip(line []byte, find func([]byte) (wrapper, int)) (text []byte, ok bool) {
	for p.depth = 0; ; {
		w, n := find(line)
		if n == 0 && w.kind == NumEnvelopes {
			return line, true
		}
		if n < 0 || p.depth == maxEnvelopes {
			return nil, false
		}
		w.same = line[:n]
		p.wrappers[p.depth] = w
		p.depth++
		if line, ok = p.off(&w, line); !ok {
			return nil, false
		}
	}
}

// next takes the same wrappers off a line that follows. It is false when the
// line has others.
func (p *peeler) next(line []byte) (text []byte, ok bool) {
	for i := range p.depth {
		if line, ok = p.off(&p.wrappers[i], line); !ok {
			return nil, false
		}
	}
	return line, true
}

// wrapperOf recognises the wrapper that begins a line and returns the length
// of what all lines of its stream have in front; negative when the line can
// not be in a group. The kind is NumEnvelopes when there is no wrapper.
func wrapperOf(line []byte) (w wrapper, n int) {
	w.kind = NumEnvelopes
	if len(line) == 0 {
		return w, 0
	}
	switch c := line[0]; {
	case c == 0x1b:
		w.kind = ANSI
	case isDigit(c):
		if n := stamp(line); n > 0 {
			if h, ok := criHead(line, n); ok {
				if h.bad || h.more {
					return w, -1
				}
				w.kind, w.stream = CRI, h.stream
			} else if wrapsRecord(line[n:]) {
				w.kind = KubectlTimestamp
			}
		}
	case c == '[':
		if _, end := prefixEnds(line); end > 0 {
			w.kind = KubectlPrefix
			return w, end
		}
	case c == '{':
		if !bytes.HasPrefix(line, dockerHead) {
			return w, -1
		}
		w.kind, w.stream = Docker, dockerStream(line)
	case c|' ' >= 'a' && c|' ' <= 'z':
		if ends, parts := sternEnds(line, beginsRecord); parts > 0 {
			w.kind = Stern
			return w, ends[parts-1] + 1
		}
		if bar := composeBar(line); bar > 0 {
			w.kind = Compose
			return w, bar + 3
		}
	}
	return w, 0
}

// off takes a wrapper off a line.
func (p *peeler) off(w *wrapper, line []byte) (text []byte, ok bool) {
	switch w.kind {
	case CRI:
		h, ok := criHead(line, stamp(line))
		if !ok || h.bad || h.more || h.stream != w.stream || stamp(line) == 0 {
			return nil, false
		}
		return line[h.inner:], true
	case KubectlTimestamp:
		n := stampAlone(line)
		return line[n:], n > 0
	case Docker:
		return p.docker(w, line)
	case ANSI:
		p.copied[1] = stripANSI(p.copied[1][:0], line)
		return p.copied[1], true
	}
	if !bytes.HasPrefix(line, w.same) {
		return nil, false
	}
	return line[len(w.same):], true
}

// stampAlone is stamp for a line that may end behind the time.
func stampAlone(line []byte) int {
	if n := stamp(line); n > 0 {
		return n
	}
	if len(line) > 20 && len(line) < 36 && stampLike(line) && line[len(line)-1] == 'Z' {
		return len(line)
	}
	return 0
}

var dockerHead = []byte(`{"log":"`)

// docker takes the text out of a line of docker's json-file; it must be a
// whole line of its own.
func (p *peeler) docker(w *wrapper, line []byte) (text []byte, ok bool) {
	if !bytes.HasPrefix(line, dockerHead) {
		return nil, false
	}
	end, _ := stringEnd(line, len(dockerHead))
	if end < 0 || dockerStream(line[end:]) != w.stream || w.stream < 0 || !bytes.HasSuffix(line[:end], []byte(`\n`)) {
		return nil, false
	}
	p.copied[0] = unescape(p.copied[0][:0], line[len(dockerHead):end])
	return bytes.TrimRight(p.copied[0], "\r\n"), true
}

// dockerStream returns the stream that a line of docker's json-file names
// behind its text, negative when it names none.
func dockerStream(line []byte) int {
	switch {
	case bytes.Contains(line, []byte(`,"stream":"stderr"`)):
		return stderr
	case bytes.Contains(line, []byte(`,"stream":"stdout"`)):
		return stdout
	}
	return -1
}
