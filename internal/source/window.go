package source

import (
	"bytes"
	"io"
	"os"
	"time"
)

const (
	// Slack is how far from the order of their times records may stand: Envoy
	// writes its access log in portions, and at the end of a request.
	Slack = 5 * time.Minute

	searchSize  = 4 << 20  // a smaller file is read as a whole
	probeSize   = 64 << 10 // what is looked at for a time
	probes      = 32       // places where the order of a file is checked
	searchSteps = 1 << 20  // what a search need not be closer than
)

// A part is what is read of a plain file.
type part struct {
	from, to int64 // offsets where lines begin
	lines    int64 // in front of from, if lines are counted
}

// choose says what to read of a file, and goes there.
func (r *Reader) choose(w *row, f *file) (p part, err error) {
	p = part{f.start, f.size, 0}
	switch {
	case r.opt.Tail > 0:
		p.from, err = lastLines(f.f, f.start, f.size, r.opt.Tail)
	case r.opt.TimeOf != nil && (r.opt.Since != 0 || r.opt.Until != 0) && f.size-f.start >= searchSize:
		s := search{f: f.f, from: f.start, to: f.size, timeOf: r.opt.TimeOf}
		p.from, p.to = s.window(r.opt.Since, r.opt.Until)
	}
	if err != nil || p.from == f.start && p.to == f.size {
		return p, err
	}
	if r.opt.Lines {
		if p.lines, err = countLines(f.f, f.start, p.from); err != nil {
			return p, err
		}
	}
	if _, err = f.f.Seek(p.from, io.SeekStart); err != nil {
		return p, err
	}
	r.mu.Lock()
	w.Skipped = f.size - f.start - (p.to - p.from)
	r.mu.Unlock()
	f.start, f.limited, f.left = p.from, p.to != f.size, p.to-p.from
	return p, nil
}

// A search looks for times in a file whose records are in the order of their
// times, but for Slack.
type search struct {
	f        *os.File
	from, to int64
	timeOf   func([]byte) (int64, bool)
	buf      []byte
}

// window returns the part of the file that holds all records from since to
// until, in nanoseconds since 1970; 0 is no bound. When the file is not in
// order, as far as some places show, that is all of it.
func (s *search) window(since, until int64) (from, to int64) {
	from, to = s.from, s.to
	s.buf = make([]byte, probeSize, probeSize+64)
	if !s.ordered() {
		return from, to
	}
	if since != 0 {
		from, _ = s.bounds(since - int64(Slack))
	}
	if until != 0 {
		_, to = s.bounds(until + int64(Slack))
	}
	return from, max(from, to)
}

// ordered looks at some places.
func (s *search) ordered() bool {
	last := int64(0)
	for i := range int64(probes) {
		at, _, ok := s.probe(s.from + (s.to-s.from)/probes*i)
		if !ok || at < last-int64(Slack) {
			return false
		}
		last = max(last, at)
	}
	return true
}

// bounds returns the beginnings of two lines with the time t between them, or
// the ends of the file.
func (s *search) bounds(t int64) (before, behind int64) {
	before, behind = s.from, s.to
	for lo, hi := s.from, s.to; hi-lo > searchSteps; {
		middle := lo + (hi-lo)/2
		at, line, ok := s.probe(middle)
		switch {
		case !ok:
			return before, behind
		case at < t:
			lo, before = middle, line
		default:
			hi, behind = middle, line
		}
	}
	return before, behind
}

// probe returns the first time that a record tells behind an offset, and the
// beginning of the first line there.
func (s *search) probe(offset int64) (at, line int64, ok bool) {
	n, err := s.f.ReadAt(s.buf[:min(probeSize, s.to-offset)], offset)
	if err != nil && err != io.EOF {
		return 0, 0, false
	}
	begin := bytes.IndexByte(s.buf[:n], '\n') + 1
	if offset == s.from {
		begin = 0
	}
	end := bytes.LastIndexByte(s.buf[:n], '\n') + 1
	if begin >= end {
		return 0, 0, false
	}
	at, ok = s.timeOf(s.buf[begin:end])
	return at, offset + int64(begin), ok
}

// countLines counts the line ends in a part of a file.
func countLines(f *os.File, from, to int64) (n int64, err error) {
	buf := make([]byte, blockSize)
	for r := io.NewSectionReader(f, from, to-from); ; {
		m, err := r.Read(buf)
		n += int64(bytes.Count(buf[:m], []byte{'\n'}))
		if err == io.EOF {
			return n, nil
		}
		if err != nil {
			return n, err
		}
	}
}

// lastLines returns where the last n lines of a part of a file begin.
func lastLines(f *os.File, from, to int64, n int) (int64, error) {
	buf := make([]byte, probeSize)
	for end := to; end > from; {
		begin := max(from, end-probeSize)
		block := buf[:end-begin]
		if _, err := f.ReadAt(block, begin); err != nil && err != io.EOF {
			return from, err
		}
		if end == to && len(block) > 0 && block[len(block)-1] == '\n' {
			block = block[:len(block)-1] // it ends the last line, and begins none
		}
		for i := bytes.LastIndexByte(block, '\n'); i >= 0; i = bytes.LastIndexByte(block[:i], '\n') {
			if n--; n == 0 {
				return begin + int64(i) + 1, nil
			}
		}
		end = begin
	}
	return from, nil
}
