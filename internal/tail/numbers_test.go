//go:build unix

package tail

import (
	"io/fs"
	"path/filepath"
	"syscall"
	"testing"
	"time"
)

// A numberedDisk has no handles, and the inodes of its files have the numbers
// that a test gives to their names: a file system uses the number of a deleted
// file again when it likes.
type numberedDisk struct {
	Disk
	number map[string]uint64
}

type numberedFile struct {
	File
	number uint64
}

type numberedInfo struct {
	fs.FileInfo
	number uint64
}

func (d numberedDisk) Open(path string) (File, string, error) {
	f, at, err := d.Disk.Open(path)
	if err != nil {
		return nil, "", err
	}
	return numberedFile{f, d.number[filepath.Base(path)]}, at, nil
}

func (d numberedDisk) Stat(path string) (fs.FileInfo, error) {
	info, err := d.Disk.Stat(path)
	return numbered(info, d.number[filepath.Base(path)]), err
}

func numbered(info fs.FileInfo, number uint64) fs.FileInfo {
	if number > 0 && info != nil {
		return numberedInfo{info, number}
	}
	return info
}

func (f numberedFile) Handle() string { return "" }

func (f numberedFile) Stat() (fs.FileInfo, error) {
	info, err := f.File.Stat()
	return numbered(info, f.number), err
}

func (i numberedInfo) Sys() any {
	st := *i.FileInfo.Sys().(*syscall.Stat_t)
	st.Ino = i.number
	return &st
}

// What was empty is known by nothing but its number and the name that is
// written to: another file with the number is another file, a copy above all.
func TestNumberOfAnEmptyFile(t *testing.T) {
	tests := []struct {
		id   string
		down func(r *rig, number map[string]uint64) // while nobody reads
		want string
	}{
		{"a copy of the next content has it", func(r *rig, number map[string]uint64) {
			r.remove("x.log.2").append("x.log", lines(5, 20)).copy("x.log", "x.log.3")
			number["x.log.3"] = 1001
		}, lines(0, 20)},
		{"a copy in the making has it", func(r *rig, number map[string]uint64) {
			r.gzip("x.log.2").append("x.log", lines(5, 20)).half("x.log", "x.log.3")
			number["x.log.3"] = 1001
		}, lines(0, 20)},
		{"a copy of what was read before has it", func(r *rig, number map[string]uint64) {
			r.copy("x.log.1", "x.log.3").remove("x.log.2").append("x.log", lines(5, 20))
			number["x.log.3"] = 1001
		}, lines(0, 20)},
		{"the next content has it", func(r *rig, number map[string]uint64) {
			r.remove("x.log.2").append("x.log", lines(5, 20))
			number["x.log"] = 1001
		}, lines(0, 20)},
		{"its writer goes on, and then rotates", func(r *rig, number map[string]uint64) {
			r.append("x.log.2", lines(5, 10)).rename("x.log.2", "x.log.9").append("x.log", lines(10, 20))
			number["x.log.9"] = 1001
		}, lines(0, 20)},
		{"its writer goes on", func(r *rig, _ map[string]uint64) { r.append("x.log.2", lines(5, 20)) }, lines(0, 20)},
		{"it is gone", func(r *rig, _ map[string]uint64) { r.remove("x.log.2") }, lines(0, 5)},
	}
	for _, test := range tests {
		number := map[string]uint64{"x.log": 1000}
		r := newRig(t, Options{System: numberedDisk{number: number}})
		r.append("x.log", lines(0, 5)).pass(2 * time.Second)
		r.rename("x.log", "x.log.1").append("x.log", "")
		number["x.log.1"], number["x.log"] = 1000, 1001
		r.pass(8*time.Second).rename("x.log", "x.log.2")
		number["x.log.2"], number["x.log"] = 1001, 1002
		r.pass(2 * time.Second).commit()
		test.down(r, number)
		r.start()
		r.pass(20 * time.Second).commit()
		if got := r.kept; got != test.want {
			t.Errorf("%s: %s", test.id, difference(got, test.want))
		}
		if r.f.counts.Generations > 0 {
			t.Errorf("%s: %d generations are said to have been lost with unread bytes", test.id, r.f.counts.Generations)
		}
	}
}

// Half a line goes on behind an empty file that came between and went.
func TestHalfLineOverAnEmptyFile(t *testing.T) {
	number := map[string]uint64{"x.log": 1000}
	r := newRig(t, Options{System: numberedDisk{number: number}})
	l := lines(5, 6)
	r.append("x.log", lines(0, 5)+l[:40]).pass(2*time.Second).rename("x.log", "x.log.1").append("x.log", "")
	number["x.log.1"], number["x.log"] = 1000, 1001
	r.pass(8*time.Second).rename("x.log", "x.log.2")
	number["x.log.2"], number["x.log"] = 1001, 1002
	r.pass(2*time.Second).commit().remove("x.log.2").append("x.log", l[40:]+lines(6, 9)).start()
	r.pass(20 * time.Second).want(lines(0, 9))
}
