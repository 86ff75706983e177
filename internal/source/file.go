package source

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"

	"github.com/flagwatch/flagwatch/internal/safe"
)

// A file is a regular file as an input. The caller's read is the file's read.
type file struct {
	f     *os.File
	start int64 // where reading began
	size  int64 // at that time
	n     int64 // bytes read
	err   error

	limited bool // only left bytes are to be read
	left    int64
}

// newFile reads f from where it stands: a shell may have read some of it.
func newFile(f *os.File, size int64) *file {
	start, err := f.Seek(0, io.SeekCurrent)
	if err != nil {
		start = 0
	}
	return &file{f: f, start: start, size: size}
}

func (s *file) read(ctx context.Context, p []byte, _ bool) (int, error) {
	if err := ctx.Err(); err != nil {
		return 0, err
	}
	if s.err != nil {
		return 0, s.err
	}
	if s.limited {
		p = p[:min(int64(len(p)), s.left)]
		if len(p) == 0 {
			return 0, io.EOF
		}
	}
	n, err := s.f.Read(p)
	s.n += int64(n)
	s.left -= int64(n)
	switch {
	case err == io.EOF:
		err = s.end()
	case err == nil && n < len(p) && 0 < s.size && s.size <= s.start+s.n:
		err = io.EOF // a regular file gives less than it is asked for at its end only
	}
	s.err = err
	if n > 0 {
		return n, nil
	}
	return 0, err
}

// back goes back by n bytes.
func (s *file) back(n int64) error {
	if _, err := s.f.Seek(-n, io.SeekCurrent); err != nil {
		return err
	}
	s.n, s.err = s.n-n, nil
	return nil
}

// end returns io.EOF, unless the file became shorter under our hands.
func (s *file) end() error {
	info, err := s.f.Stat()
	if missing := s.size - s.start - s.n; err == nil && missing > 0 && info.Size() < s.size {
		return fmt.Errorf("the file shrank while it was read, bytes missing: %d", missing)
	}
	return io.EOF
}

func (s *file) close() { s.f.Close() }

// open opens what the user named: a regular file, or a pipe. An open that
// could wait for a writer is left to the pipe.
func open(path string) (in input, live bool, err error) {
	f, err := safe.OpenFile(path)
	if err == nil {
		info, err := f.Stat()
		if err != nil {
			f.Close()
			return nil, false, err
		}
		return &file{f: f, size: info.Size()}, false, nil
	}
	if info, statErr := os.Stat(path); statErr != nil || info.Mode()&os.ModeNamedPipe == 0 {
		return nil, false, err
	}
	return newPipe(func() (io.ReadCloser, error) {
		f, err := os.Open(path)
		if err == nil {
			widen(f)
		}
		return f, err
	}), true, nil
}

// openStdin takes standard input as it is. It is never closed: it is not ours.
func openStdin(f *os.File) (in input, live bool, err error) {
	info, err := f.Stat()
	if err != nil {
		return nil, false, err
	}
	switch {
	case info.Mode().IsRegular():
		return &stdinFile{newFile(f, info.Size())}, false, nil
	case info.IsDir():
		return nil, false, errors.New("is a directory")
	}
	widen(f)
	return newPipe(func() (io.ReadCloser, error) { return io.NopCloser(f), nil }), true, nil
}

type stdinFile struct{ *file }

func (s *stdinFile) close() {}

// cause takes the operation and the path off an error that will name the
// input itself.
func cause(err error) error {
	if e, ok := errors.AsType[*os.PathError](err); ok {
		return e.Err
	}
	if e, ok := errors.AsType[*safe.RefusedError](err); ok {
		return errors.New("is " + e.Why)
	}
	return err
}
