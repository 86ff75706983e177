package tail

import (
	"bytes"
	"errors"
	"io"
	"time"

	"github.com/flagwatch/flagwatch/internal/source"
	"github.com/flagwatch/flagwatch/parser"
)

const (
	blockSize  = 512 << 10 // read at a time: what is done once a block costs little, and it stays in a cache
	turnSize   = 1 << 20   // read of one stream before another has its turn
	shared     = 16 << 20  // unfinished records of all streams that are kept in memory
	alwaysKept = 4 << 10   // of one stream, whatever the others keep
)

// How long a record that could go on waits for it.
const (
	waitLine  = 250 * time.Millisecond // a line, for lines that belong to it
	waitOpen  = 2 * time.Second        // an object over many lines
	waitPiece = time.Minute            // a line that a runtime wrote in pieces
	waitNext  = 5 * time.Second        // a rotated file, for a writer that has not noticed
	waitStill = 30 * time.Second       // a packed file, for whoever packs it
)

// A stream is one log: all generations of it one behind the other are its
// bytes, and positions count them from where the stream was first seen. A
// record may begin in one generation and end in the next.
type stream struct {
	src  source.Stream
	dir  string
	base string // the name that is written to; "" in a container's directory

	gens    []*generation // in order; those before at are finished
	at      int
	aside   map[string]aside // names that hold nothing new
	cuts    []cutting        // not yet settled
	changed time.Time        // what the directory said of its last change
	rescan  bool             // whatever the directory says
	full    time.Time        // when all was last looked at
	known   bool             // it was saved, or has been looked at once

	framer source.Framer
	pos    int64  // of the first held byte
	held   []byte // read and not handed out
	before []byte // what stands in front of held, as much as makes a marker
	back   putBack
	grew   time.Time
	flush  bool // held is all there is of its record
	lost   [source.NumLosses]int64
	junk   int64 // bytes since the last text

	marks   []mark // places that were handed out and not committed
	saved   mark   // the place that was
	once    bool   // nothing is ever saved: what is handed out is as good as committed
	queued  bool
	watched bool // the kernel tells of changes: see hints
	turn    int  // bytes read in this turn
	over    bool // the directory is gone
}

// A putBack says when a record that was put back is tried again: when much of
// it has come, or something and it is long ago.
type putBack struct {
	had, need int64 // unread bytes; 0: nothing was put back
	at        time.Time
}

func (p *putBack) due(unread int64, now time.Time) bool {
	return unread > p.need || unread > p.had && now.Sub(p.at) >= waitNext
}

// A mark is a place between two records.
type mark struct {
	at       int64
	skipping bool
	before   []byte
	marker   string // in place of before, where that is not known
}

// seen is a file that is known by its name.
type seen struct {
	device, inode uint64
	size          int64
	changed       int64 // nanoseconds since 1970
}

// A block is memory for a batch. It starts with room for a marker.
type block struct {
	buf   []byte
	batch source.Batch
}

// current is the generation that is read, nil when all are finished.
func (s *stream) current() *generation {
	if s.at < len(s.gens) {
		return s.gens[s.at]
	}
	return nil
}

// end is the place behind all that was read.
func (s *stream) end() int64 { return s.pos + int64(len(s.held)) }

// last is what stands in front of the place behind all that was read, at most
// n bytes.
func (s *stream) last(n int64) []byte {
	b := keepLast(append([]byte(nil), s.before...), s.held)
	return b[max(0, int64(len(b))-n):]
}

// begin gives the current generation its place in the stream.
func (s *stream) begin(g *generation) {
	if g.begun {
		return
	}
	if g.copyOf != nil {
		g.off, g.marker = g.copyOf.off, g.copyOf.marker
	}
	g.begun, g.base = true, s.end()-g.off
	g.start, g.startMarker = s.end(), g.marker
}

// errReplaced means that a file has another content than was read of it.
var errReplaced = errors.New("replaced")

// read adds what comes next of the current generation to buf, which holds the
// room for a marker and the held bytes.
func (s *stream) read(g *generation, buf []byte, room int) (int, error) {
	start := len(buf)
	if g.packed {
		n, err := g.zip.Read(buf[start : start+room])
		g.off += int64(n)
		return n, err
	}
	front := s.last(min(g.off, markerSize))
	at := start - len(front)
	n, err := g.file.ReadAt(buf[at:start+room], g.off-int64(len(front)))
	if n < len(front) && (err == io.EOF || err == nil) || !bytes.Equal(buf[at:at+min(n, len(front))], front[:min(n, len(front))]) {
		return 0, errReplaced
	}
	n = max(n-len(front), 0)
	g.off += int64(n)
	g.size = max(g.size, g.off)
	if n > 0 {
		err = nil
	}
	return n, err
}

// next reads a block and hands out the whole records in it. Nothing may be
// handed out although bytes were read.
func (s *stream) next(b *block, g *generation, now time.Time) (handed bool, err error) {
	s.back = putBack{}
	size := blockSize
	if len(s.held) >= size/2 {
		size = min(2*len(s.held), parser.MaxRecord)
	}
	room := max(size-len(s.held), 0)
	b.grow(size)
	buf := append(b.buf[:markerSize], s.held...)
	n, err := s.read(g, buf, room)
	if n == 0 {
		return false, err
	}
	s.turn += n
	s.grew, g.grew = now, now
	buf = b.buf[markerSize : len(buf)+n]
	if n := nuls(buf); n >= leastNULs && len(s.held) == 0 && !s.framer.Skipping {
		s.discard(b, g, buf, n)
		return true, err
	}
	tried := len(s.held)
	cut, head := s.framer.Cut(buf, tried)
	if cut == 0 && !s.framer.Skipping {
		s.held = append(s.held, buf[tried:]...)
		g.marker = hashOf(s.last(min(g.off, markerSize)))
		return false, err
	}
	s.handOut(b, buf, cut, head)
	s.quarantine(&b.batch)
	g.marker = hashOf(s.last(min(g.off, markerSize)))
	return true, err
}

func (b *block) grow(size int) {
	if want := markerSize + size + parser.Padding; cap(b.buf) < want {
		b.buf = make([]byte, want)
	}
}

// handOut gives b the first n bytes of buf, which is b's memory, and holds the
// rest.
func (s *stream) handOut(b *block, buf []byte, n int, head bool) {
	out := &b.batch
	used := s.framer.Fill(out, buf, n, head)
	out.Stream, out.From = &s.src, source.Position{Offset: s.pos}
	s.pos += int64(used)
	out.To = source.Position{Offset: s.pos}
	out.Lost, s.lost = s.lost, [source.NumLosses]int64{}
	s.before = keepLast(s.before, buf[:used])
	s.held = append(s.held[:0], buf[used:]...)
	s.mark()
}

func (s *stream) mark() {
	if s.once {
		s.saved = mark{at: s.pos}
		return
	}
	if k := len(s.marks); k > 0 && s.marks[k-1].at == s.pos {
		s.marks = s.marks[:k-1]
	}
	s.marks = append(s.marks, mark{at: s.pos, skipping: s.framer.Skipping, before: bytes.Clone(s.before)})
}

// rest hands out held bytes though no record ends there: all of them, or
// whole lines only.
func (s *stream) rest(b *block, all bool) bool {
	n := len(s.held)
	if !all {
		n = s.framer.WholeLines(s.held)
	}
	if n == 0 {
		return false
	}
	b.grow(len(s.held))
	buf := append(b.buf[:markerSize], s.held...)[markerSize:]
	s.handOut(b, buf, n, false)
	return true
}

// putBack forgets held bytes of a record that is long in coming, as far as
// they can be read again.
func (s *stream) putBack(g *generation, now time.Time) {
	if g.packed || s.pos < g.base || len(s.held) <= alwaysKept {
		return
	}
	n := int64(len(s.held))
	s.back = putBack{n, n * 5 / 4, now}
	g.off = s.pos - g.base
	s.held = nil
	g.marker = hashOf(s.last(min(g.off, markerSize)))
}

// patience is how long the held bytes may wait for what belongs to them; 0
// when there is no whole line among them.
func (s *stream) patience() time.Duration {
	end := bytes.IndexByte(s.held, '\n')
	if end < 0 {
		return 0
	}
	line := s.held[:end]
	if piece, rest := runtimeLine(line); rest != nil {
		if piece {
			return waitPiece
		}
		line = rest
	}
	line = bytes.TrimSpace(line)
	if len(line) > 0 && line[0] == '{' {
		return waitOpen
	}
	return waitLine
}

// runtimeLine reads the head of a container runtime's line: time, stream, tag.
// Source: https://github.com/kubernetes/community/blob/master/contributors/design-proposals/node/kubelet-cri-logging.md
func runtimeLine(line []byte) (piece bool, rest []byte) {
	_, after, _ := bytes.Cut(line, []byte{' '})
	name, after, _ := bytes.Cut(after, []byte{' '})
	tag, rest, ok := bytes.Cut(after, []byte{' '})
	if !ok || string(name) != "stdout" && string(name) != "stderr" || len(tag) == 0 {
		return false, nil
	}
	return tag[0] == 'P', rest
}

// finish ends the current generation; what is held goes on in the next, unless
// that is apart.
func (s *stream) finish(g *generation) {
	s.begin(g)
	g.finished = true
	g.close()
	s.at++
	s.flush = s.flush || g.apart && len(s.held) > 0
	s.framer.Skipping = s.framer.Skipping && !g.apart
}
