package source

import (
	"bytes"
	"context"
	"errors"
	"io"
)

// errPacked is a sniffer's word for: these bytes have to be unpacked first.
var errPacked = errors.New("packed")

// isPacked says whether bytes that begin so have to be unpacked.
func isPacked(head []byte) bool { return codecOf(head) != nil || isZip(head) || isTar(head) }

// IsPacked says whether a file is compressed or an archive, by what it begins
// with.
func IsPacked(f io.ReaderAt) bool {
	head := make([]byte, sniffSize)
	n, _ := f.ReadAt(head, 0)
	return isPacked(head[:n])
}

// headAt reads the beginning of a file, which stays unread, into buf.
func (s *file) headAt(buf []byte) []byte {
	n, _ := s.f.ReadAt(buf, s.start)
	return buf[:n]
}

// asFile returns the regular file that an input is.
func asFile(in input) (*file, bool) {
	if s, ok := in.(*stdinFile); ok {
		return s.file, true
	}
	f, ok := in.(*file)
	return f, ok
}

// A sniffer looks at the first bytes of an input that may be slow, before it
// hands them out.
type sniffer struct {
	in    input
	head  []byte // not yet handed out
	known bool
	err   error

	refuse func([]byte) string // as in Options
}

func (s *sniffer) read(ctx context.Context, p []byte, mayBeQuiet bool) (int, error) {
	if !s.known {
		s.look(ctx)
		if isPacked(s.head) {
			return 0, errPacked
		}
		if s.refuse != nil {
			if why := s.refuse(s.head); why != "" {
				return 0, &RefusedError{why}
			}
		}
	}
	if len(s.head) == 0 {
		if err := s.err; err != nil {
			s.err = nil
			return 0, err
		}
		return s.in.read(ctx, p, mayBeQuiet)
	}
	n := copy(p, s.head)
	s.head = s.head[n:]
	return n, nil
}

// look reads until it is clear what the input is.
func (s *sniffer) look(ctx context.Context) {
	buf := make([]byte, sniffSize)
	n := 0
	for s.err == nil && !isClear(buf[:n]) {
		var m int
		m, s.err = s.in.read(ctx, buf[n:], bytes.IndexByte(buf[:n], '\n') >= 0)
		n += m
	}
	if s.err == errQuiet {
		s.err = nil
	}
	s.head, s.known = buf[:n], true
}

// isClear says whether head is enough to tell. Text must not have to wait for
// more than its first line: no packed format has one as short as its magic.
func isClear(head []byte) bool {
	if len(head) == sniffSize || isPacked(head) {
		return true
	}
	if bytes.IndexByte(head, '\n') < 0 {
		return false
	}
	return len(head) >= magicSize || bytes.IndexByte([]byte("\x1f\x28\x04\x02\xff\xfe\xfdBP"), head[0]) < 0
}

func (s *sniffer) close() { s.in.close() }

// An unread is a packed input as bytes. Reading ends with ctx.
type unread struct {
	ctx  context.Context
	in   input
	file *file // nil: no way back
}

func (u *unread) Read(p []byte) (int, error) {
	if s, ok := u.in.(*sniffer); ok && len(s.head) > 0 {
		n := copy(p, s.head)
		s.head = s.head[n:]
		return n, nil
	}
	return u.in.read(u.ctx, p, false)
}

// back goes back by n bytes, if it can.
func (u *unread) back(n int64) bool { return u.file != nil && u.file.back(n) == nil }
