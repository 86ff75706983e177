package tail

import (
	"compress/gzip"
	"crypto/sha256"
	"errors"
	"io"
	"io/fs"
	"os"
	"time"
)

const (
	headSize   = 1024 // how much of a file's beginning identifies it
	markerSize = 512  // how much in front of a position shows that it is still the same content: more than a line, as lines end alike
)

// An Identity tells one content of a log from every other, over renames and
// restarts. Hashes are of SHA-256, cut.
type Identity struct {
	Handle  string `json:"handle,omitempty"` // the kernel's, hexadecimal
	Device  uint64 `json:"device"`
	Inode   uint64 `json:"inode"`
	HeadLen int    `json:"headLength"` // bytes of the (decompressed) beginning that Head is of
	Head    string `json:"head"`
}

func hashOf(b []byte) string {
	sum := sha256.Sum256(b)
	const digits = "0123456789abcdef"
	out := make([]byte, 0, 32)
	for _, c := range sum[:16] {
		out = append(out, digits[c>>4], digits[c&15])
	}
	return string(out)
}

// sameFile says whether two identities are of one inode in one life.
func (id *Identity) sameFile(o *Identity) bool {
	if id.Handle != "" && o.Handle != "" {
		return id.Handle == o.Handle && id.Device == o.Device
	}
	return id.Device == o.Device && id.Inode == o.Inode
}

// A generation is one content of a log: what lies between two rotations, or
// between two truncations.
type generation struct {
	id    Identity
	label label
	path  string // where it was seen last
	base  int64  // place in the stream of its first byte
	off   int64  // bytes read, decompressed
	size  int64  // bytes there as seen last; meaningless when packed
	prior int64  // bytes there as seen before that
	grew  time.Time
	used  uint64 // by the follower's count of reads

	file        File // nil while it is closed
	zip         *gzip.Reader
	packed      bool
	begun       bool        // its place in the stream is known
	finished    bool        // nothing more comes
	apart       bool        // what follows is another content: no record goes on there
	cut         bool        // it was truncated: a copy may have more of it
	passed      bool        // a copy was found that has more of it
	lostName    time.Time   // since when no name leads to it; zero: one does
	start       int64       // place in the stream where reading of it began
	startMarker string      // marker there
	primed      bool        // the stream knows what stands in front of off
	copyOf      *generation // what was read of that is not read of this
	scan        uint64      // when it was last found
	kept        uint64      // when a file was last found that holds nothing else
	marker      string      // hash of what stands in front of off, where reading stopped
	err         error
	retry       time.Time // when it is tried again after err
}

// end is the place in the stream behind what was read.
func (g *generation) end() int64 { return g.base + g.off }

// unread is how many bytes are known of and not read; of a packed file they
// are not known.
func (g *generation) unread() int64 {
	if g.packed || g.finished {
		return 0
	}
	return max(g.size-g.off, 0)
}

// nothing says whether there was never a byte in it, as far as is known.
func (g *generation) nothing() bool { return !g.packed && g.off == 0 && g.size == 0 }

// isLive says whether the name that is written to leads to it.
func (g *generation) isLive() bool { return g.label.live && g.lostName.IsZero() }

// continues says whether an open file has the content that was read of g, or
// is g: what stands behind g.off in it was not read. An error says that the
// file does not tell.
func (g *generation) continues(f io.ReaderAt, size int64) (bool, error) {
	if size < g.off {
		return false, nil
	}
	if same, err := g.id.compare(f, false); !same || err != nil || g.off == 0 {
		return same, err
	}
	m, err := markerAt(f, g.off)
	return m == g.marker, err
}

// continuesPacked is continues of a packed file that begins as g does, also of
// one that holds less. One in the making does not tell.
func (g *generation) continuesPacked(f io.ReaderAt) bool {
	z, err := gzip.NewReader(&sequence{f: f})
	if err != nil || g.off == 0 || g.marker == "" {
		return true
	}
	last, left, err := skip(z, g.off)
	if left > 0 {
		return err != io.EOF || g.id.HeadLen == headSize
	}
	return hashOf(last) == g.marker
}

// identify reads who an open file is.
func identify(f File) (id Identity, info fs.FileInfo, err error) {
	info, err = f.Stat()
	if err != nil {
		return id, nil, err
	}
	id.Device, id.Inode, _ = inode(info)
	if h := f.Handle(); h != "" {
		id.Handle = hashOf([]byte(h))
	}
	return id, info, nil
}

// readHead adds the head to an identity. A packed file has that of its content.
func (id *Identity) readHead(f io.ReaderAt, packed bool, size int) error {
	buf := make([]byte, size)
	var n int
	var err error
	if packed {
		var z *gzip.Reader
		if z, err = gzip.NewReader(&sequence{f: f}); err == nil {
			n, err = io.ReadFull(z, buf)
		}
	} else {
		n, err = f.ReadAt(buf, 0)
	}
	id.HeadLen, id.Head = n, hashOf(buf[:n])
	if err == io.EOF || err == io.ErrUnexpectedEOF {
		err = nil
	}
	return err
}

// growHead makes the head of a growing file as long as it can be.
func (g *generation) growHead() error {
	if g.packed || g.id.HeadLen >= headSize || g.size <= int64(g.id.HeadLen) || !g.id.begins(g.file, false) {
		return nil
	}
	return g.id.readHead(g.file, false, headSize)
}

// begins says whether an open file begins with the content of an identity.
func (id *Identity) begins(f io.ReaderAt, packed bool) bool {
	same, err := id.compare(f, packed)
	return same && err == nil
}

func (id *Identity) compare(f io.ReaderAt, packed bool) (bool, error) {
	if id.HeadLen == 0 {
		return true, nil
	}
	var other Identity
	err := other.readHead(f, packed, id.HeadLen)
	return other.HeadLen == id.HeadLen && other.Head == id.Head, err
}

// markerAt hashes what stands in front of off.
func markerAt(f io.ReaderAt, off int64) (string, error) {
	n := min(off, markerSize)
	buf := make([]byte, n)
	if _, err := f.ReadAt(buf, off-n); err != nil {
		return "", err
	}
	return hashOf(buf), nil
}

// A sequence reads a file from its beginning.
type sequence struct {
	f  io.ReaderAt
	at int64
}

func (s *sequence) Read(p []byte) (int, error) {
	n, err := s.f.ReadAt(p, s.at)
	s.at += int64(n)
	if n > 0 {
		return n, nil
	}
	return 0, err
}

// unpack opens the content of a packed generation at its place and returns
// what stands in front of it, as much as makes a marker. It is false when the
// content is another one than was read.
func (g *generation) unpack() (last []byte, same bool, err error) {
	z, err := gzip.NewReader(&sequence{f: g.file})
	if err != nil {
		return nil, false, err
	}
	g.zip = z
	last, left, _ := skip(z, g.off)
	if left > 0 {
		return nil, false, nil
	}
	return last, g.off == 0 || g.marker == "" || hashOf(last) == g.marker, nil
}

// skip reads n bytes, or as many as there are, and returns the last of them, as
// much as makes a marker, and how many are missing.
func skip(r io.Reader, n int64) (last []byte, left int64, err error) {
	buf := make([]byte, 32<<10)
	for left = n; left > 0; {
		n, err := r.Read(buf[:min(left, int64(len(buf)))])
		last = keepLast(last, buf[:n])
		if left -= int64(n); err != nil && left > 0 {
			return last, left, err
		}
	}
	return last, 0, nil
}

// keepLast is the end of kept and more, in kept's memory: as much as makes a
// marker.
func keepLast(kept, more []byte) []byte {
	if len(more) >= markerSize {
		return append(kept[:0], more[len(more)-markerSize:]...)
	}
	if over := len(kept) + len(more) - markerSize; over > 0 {
		kept = append(kept[:0], kept[over:]...)
	}
	return append(kept, more...)
}

// close gives the file back; what is known of it stays.
func (g *generation) close() {
	if g.file != nil {
		g.file.Close()
	}
	g.file, g.zip = nil, nil
}

// notThere says whether an error means that a name leads nowhere.
func notThere(err error) bool { return errors.Is(err, fs.ErrNotExist) || errors.Is(err, os.ErrClosed) }
