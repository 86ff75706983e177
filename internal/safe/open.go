package safe

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"sync"
)

// A RefusedError says why a path was not opened, or not kept open.
type RefusedError struct{ Path, Why string }

func (e *RefusedError) Error() string { return e.Path + ": " + e.Why }

// OpenFile opens a file that a user named: links are followed, but only a
// regular file is returned, so that no open and no read hangs. The error is a *RefusedError or what package os says.
func OpenFile(path string) (*os.File, error) {
	info, err := os.Stat(path)
	if err != nil {
		return nil, err
	}
	if err := checkKind(info, path); err != nil {
		return nil, err
	}
	f, err := os.OpenFile(path, os.O_RDONLY|openFlags, 0)
	if err != nil {
		return nil, err
	}
	info, err = f.Stat()
	if err == nil {
		err = checkKind(info, path)
	}
	if err != nil {
		f.Close()
		return nil, err
	}
	return f, nil
}

func checkKind(info fs.FileInfo, path string) error {
	if info.Mode().IsRegular() {
		return nil
	}
	return &RefusedError{path, kindName(info.Mode()) + ", not a regular file"}
}

func kindName(m fs.FileMode) string {
	switch {
	case m.IsDir():
		return "a directory"
	case m&fs.ModeNamedPipe != 0:
		return "a named pipe"
	case m&fs.ModeSocket != 0:
		return "a socket"
	case m&fs.ModeDevice != 0:
		return "a device"
	case m&fs.ModeSymlink != 0:
		return "a link"
	}
	return "something special"
}

// maxLinks is how many links a path may pass through; the kubelet's chain from
// /var/log/containers has two.
const maxLinks = 8

// Roots are the directories that a daemon may read. Whoever controls what
// lies below them can not make Open reach a file outside of them, whatever
// links they place or swap. The zero value has none. Safe for concurrent use.
type Roots struct {
	mu   sync.RWMutex
	list []root
}

type root struct {
	dir   *os.Root
	names []string // absolute and clean: as given, and with links resolved
}

// OpenRoots opens the directories once; links in their own names are the
// administrator's and are followed here.
func OpenRoots(dirs ...string) (*Roots, error) {
	r := &Roots{}
	for _, name := range dirs {
		if err := r.Add(name); err != nil {
			r.Close()
			return nil, err
		}
	}
	return r, nil
}

// Add opens one more root.
func (r *Roots) Add(name string) error {
	given, err := filepath.Abs(name)
	if err != nil {
		return err
	}
	resolved, err := filepath.EvalSymlinks(given)
	if err != nil {
		return err
	}
	dir, err := os.OpenRoot(resolved)
	if err != nil {
		return err
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	r.list = append(r.list, root{dir, []string{given, resolved}})
	return nil
}

// Close closes the roots; files that they opened stay open.
func (r *Roots) Close() error {
	var first error
	for _, d := range r.list {
		if err := d.dir.Close(); err != nil && first == nil {
			first = err
		}
	}
	return first
}

// Open opens a regular file inside the roots for reading. Links are resolved
// here, at most eight of them, and every hop must lie inside a root. The
// second result is the path without links: the name that a stream goes by.
// The error is a *RefusedError or what package os says.
func (r *Roots) Open(path string) (*os.File, string, error) {
	at, err := filepath.Abs(path)
	if err != nil {
		return nil, "", err
	}
	for range maxLinks + 1 {
		dir, rel, ok := r.find(at)
		if !ok {
			return nil, "", &RefusedError{path, "leads outside the allowed directories, to " + at}
		}
		next, info, err := follow(dir.dir, dir.names[0], rel)
		if err != nil {
			return nil, "", named(err, at)
		}
		if next == "" {
			return dir.open(rel, info)
		}
		at = next
	}
	return nil, "", &RefusedError{path, "too many links"}
}

// find returns the root that path lies in, and the path below it.
func (r *Roots) find(path string) (root, string, bool) {
	r.mu.RLock()
	defer r.mu.RUnlock()
	for _, d := range r.list {
		for _, name := range d.names {
			if rel, err := filepath.Rel(name, path); err == nil && filepath.IsLocal(rel) {
				return d, rel, true
			}
		}
	}
	return root{}, "", false
}

// follow walks rel from the left. At the first link it returns the absolute
// path that the link stands for, else what the last component is.
func follow(dir *os.Root, name, rel string) (next string, info fs.FileInfo, err error) {
	for end := 0; end < len(rel); {
		end = nextSeparator(rel, end)
		info, err = dir.Lstat(rel[:end])
		if err != nil {
			return "", nil, err
		}
		if info.Mode()&fs.ModeSymlink == 0 {
			continue
		}
		target, err := dir.Readlink(rel[:end])
		if err != nil {
			return "", nil, err
		}
		if !filepath.IsAbs(target) {
			target = filepath.Join(name, filepath.Dir(rel[:end]), target)
		}
		return filepath.Join(target, rel[end:]), nil, nil
	}
	return "", info, nil
}

// named gives an error of a root, which knows the part below it, the whole path.
func named(err error, path string) error {
	if pathErr, ok := errors.AsType[*fs.PathError](err); ok {
		return &fs.PathError{Op: "open", Path: path, Err: pathErr.Err}
	}
	return err
}

// nextSeparator returns the end of the path component that begins at or
// behind from.
func nextSeparator(path string, from int) int {
	if from > 0 {
		from++
	}
	if i := strings.IndexByte(path[from:], filepath.Separator); i >= 0 {
		return from + i
	}
	return len(path)
}

// open opens what follow saw. A link that was put there since then can lead
// to another file of this root only, and that is seen by comparing.
func (d root) open(rel string, seen fs.FileInfo) (*os.File, string, error) {
	path := filepath.Join(d.names[0], rel)
	if err := checkKind(seen, path); err != nil {
		return nil, "", err
	}
	f, err := d.dir.OpenFile(rel, os.O_RDONLY|openFlags|noFollow, 0)
	if err != nil {
		return nil, "", named(err, path)
	}
	if err := d.checkSame(f, seen, path); err != nil {
		f.Close()
		return nil, "", err
	}
	return f, path, nil
}

func (d root) checkSame(f *os.File, seen fs.FileInfo, path string) error {
	info, err := f.Stat()
	if err != nil {
		return err
	}
	if !os.SameFile(info, seen) {
		return &RefusedError{path, "was replaced while it was being opened"}
	}
	return checkKind(info, path)
}
