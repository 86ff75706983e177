package tail

import (
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"sync"
	"time"

	"github.com/flagwatch/flagwatch/internal/safe"
)

// A System is the files that a Tailer sees: the whole disk, a jail, or, in
// tests, one with faults.
type System interface {
	// Open opens a regular file for reading and returns its path without
	// links. It never waits.
	Open(path string) (File, string, error)
	Names(dir string) ([]string, error)
	Stat(path string) (fs.FileInfo, error)
}

// A File is one that is open.
type File interface {
	io.ReaderAt
	io.Closer
	Stat() (fs.FileInfo, error)
	// Handle is what the kernel knows the file by for as long as it exists:
	// unlike the number of an inode it is not used again. Empty where there is none.
	Handle() string
}

// Disk opens what the user named; links are followed.
type Disk struct{}

// Open is System's.
func (Disk) Open(path string) (File, string, error) {
	at, err := filepath.EvalSymlinks(path)
	if err != nil {
		return nil, "", err
	}
	f, err := safe.OpenFile(at)
	if err != nil {
		return nil, "", err
	}
	return osFile{f}, at, nil
}

// Names is System's.
func (Disk) Names(dir string) ([]string, error) { return names(dir) }

// Stat is System's.
func (Disk) Stat(path string) (fs.FileInfo, error) { return os.Stat(path) }

// A Jail opens nothing outside of its roots, whatever links lie in them.
type Jail struct{ Roots *safe.Roots }

// Open is System's.
func (j Jail) Open(path string) (File, string, error) {
	f, at, err := j.Roots.Open(path)
	if err != nil {
		return nil, "", err
	}
	return osFile{f}, at, nil
}

// Names is System's. A directory that is a link has no names.
func (j Jail) Names(dir string) ([]string, error) {
	if info, err := os.Lstat(dir); err != nil || !info.IsDir() {
		return nil, err
	}
	return names(dir)
}

// Stat is System's.
func (j Jail) Stat(path string) (fs.FileInfo, error) { return os.Lstat(path) }

func names(dir string) ([]string, error) {
	f, err := os.Open(dir)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	return f.Readdirnames(-1)
}

type osFile struct{ *os.File }

func (f osFile) Handle() string { return handle(f.File) }

// unlocked lets go of a lock while it waits for the disk, which may hang.
type unlocked struct {
	System
	mu *sync.Mutex
}

func (u unlocked) Open(path string) (File, string, error) {
	u.mu.Unlock()
	defer u.mu.Lock()
	f, at, err := u.System.Open(path)
	if err != nil {
		return nil, "", err
	}
	return unlockedFile{f, u.mu}, at, nil
}

func (u unlocked) Names(dir string) ([]string, error) {
	u.mu.Unlock()
	defer u.mu.Lock()
	return u.System.Names(dir)
}

func (u unlocked) Stat(path string) (fs.FileInfo, error) {
	u.mu.Unlock()
	defer u.mu.Lock()
	return u.System.Stat(path)
}

type unlockedFile struct {
	File
	mu *sync.Mutex
}

func (f unlockedFile) ReadAt(p []byte, off int64) (int, error) {
	f.mu.Unlock()
	defer f.mu.Lock()
	return f.File.ReadAt(p, off)
}

func (f unlockedFile) Stat() (fs.FileInfo, error) {
	f.mu.Unlock()
	defer f.mu.Lock()
	return f.File.Stat()
}

// settled says whether what was seen of a directory at now can be relied on:
// the clock of directories is coarse, so a second change may not show.
func settled(changed, now time.Time) bool { return now.Sub(changed) > 100*time.Millisecond }
