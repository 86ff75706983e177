//go:build unix

package source

import (
	"context"
	"errors"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"
)

func TestExpansion(t *testing.T) {
	root := tree(t, map[string]string{
		"logs/b.log": "b\n", "logs/a.log": "a\n", "logs/deep/er/c.log": "c\n", "logs/deep/d.txt": "d\n",
		"logs/.hidden": "h\n", "logs/.git/x.log": "x\n", "nothing/": "", "hidden/.a.log": "h\n", "odd/[a].log": "o\n",
		"round/a.log": "r\n", "round/deep/b.log": "s\n",
	})
	for name, target := range map[string]string{
		"links/file.log": "../logs/a.log", "links/dir": "../logs", "links/gone": "nowhere", "linked": "logs",
		"round/deep/one": "..", "round/deep/two": "..",
	} {
		path := filepath.Join(root, name)
		if err := errors.Join(os.MkdirAll(filepath.Dir(path), 0o755), os.Symlink(target, path)); err != nil {
			t.Fatal(err)
		}
	}
	if err := syscall.Mkfifo(filepath.Join(root, "logs/fifo.log"), 0o644); err != nil {
		t.Fatal(err)
	}
	t.Chdir(root)
	tests := []struct {
		args string
		want string
		err  string
	}{
		{"logs", "logs/a.log logs/b.log logs/deep/d.txt logs/deep/er/c.log", ""},
		{"logs/", "logs/a.log logs/b.log logs/deep/d.txt logs/deep/er/c.log", ""},
		{"linked", "linked/a.log linked/b.log linked/deep/d.txt linked/deep/er/c.log", ""},
		{"links", "links/file.log", ""},
		{"logs/*.log", "logs/a.log logs/b.log", ""},
		{"logs/**/*.log", "logs/a.log logs/b.log logs/deep/er/c.log", ""},
		{"logs/{a,deep/er/c}.log", "logs/a.log logs/deep/er/c.log", ""},
		{"odd/[a].log", "odd/[a].log", ""},
		{"logs/.hidden", "logs/.hidden", ""},
		{"logs/b.log logs/a.log logs/b.log", "logs/b.log logs/a.log", ""},
		{"logs/b.log logs/../logs/b.log links/file.log logs/a.log", "logs/b.log links/file.log", ""},
		{"logs/b.log logs", "logs/b.log logs/a.log logs/deep/d.txt logs/deep/er/c.log", ""},
		{"logs logs/b.log", "logs/a.log logs/b.log logs/deep/d.txt logs/deep/er/c.log", ""},
		{"links logs", "links/file.log logs/b.log logs/deep/d.txt logs/deep/er/c.log", ""},
		{"logs/*.log logs/**/*.log", "logs/a.log logs/b.log logs/deep/er/c.log", ""},
		{"round", "round/a.log round/deep/b.log", ""},
		{"round/**/*.log", "round/a.log round/deep/b.log", ""},
		{"./r*/**", "round/a.log round/deep/b.log", ""},
		{"{round/**,logs}/*.log", "logs/a.log logs/b.log round/a.log round/deep/b.log", ""},
		{"linked/**/c.log", "linked/deep/er/c.log", ""},
		{"links/d*/**/c.log", "links/dir/deep/er/c.log", ""},
		{"links/*/*.log", "links/dir/a.log links/dir/b.log", ""},
		{"round/**/*.gz", "", "round/**/*.gz: no file matches"},
		{"nothing", "", "nothing: no log file in this directory"},
		{"hidden", "", "hidden: no log file in this directory"},
		{"logs/*.gz logs/a.log", "logs/a.log", "logs/*.gz: no file matches"},
		{"missing.log logs/a.log", "logs/a.log", "missing.log: no such file or directory"},
		{"logs/a.log/x", "", "logs/a.log/x: not a directory"},
		{"links/gone", "", "links/gone: no such file or directory"},
		{"/dev/null", "", "/dev/null: is a device, not a regular file"},
	}
	for _, test := range tests {
		r := newReader(t, Options{}, strings.Fields(test.args)...)
		list, err := drain(t, r)
		var names []string
		for _, g := range list {
			names = append(names, g.name)
		}
		if want := strings.Fields(test.want); !slices.Equal(names, want) {
			t.Errorf("%s: reads %q, want %q", test.args, names, want)
		}
		switch {
		case test.err == "" && err != io.EOF:
			t.Errorf("%s: %v", test.args, err)
		case test.err != "" && (err.Error() != test.err || !errors.Is(err, ErrIncomplete)):
			t.Errorf("%s: error %q, want %q", test.args, err, test.err)
		}
	}
	if _, err := New([]string{"logs/[z-"}, nil, Options{}); err == nil || !strings.Contains(err.Error(), "logs/[z-: malformed pattern") {
		t.Errorf("a malformed pattern: %v", err)
	}
}

// TestUnreadable takes the files away after they were found.
func TestUnreadable(t *testing.T) {
	root := tree(t, map[string]string{"1.log": lines(0, 2), "2.log": lines(2, 4), "3.log": lines(4, 6), "4.log": lines(6, 8)})
	r := newReader(t, Options{}, root)
	gone, dir := filepath.Join(root, "1.log"), filepath.Join(root, "3.log")
	if err := errors.Join(os.Remove(gone), os.Remove(dir), os.Mkdir(dir, 0o755)); err != nil {
		t.Fatal(err)
	}
	list, err := drain(t, r)
	if len(list) != 2 || list[0].data != lines(2, 4) || list[1].data != lines(6, 8) {
		t.Errorf("%+v", list)
	}
	want := gone + ": no such file or directory\n" + dir + ": is a directory, not a regular file"
	if !errors.Is(err, ErrIncomplete) || err.Error() != want {
		t.Errorf("error %q, want %q", err, want)
	}
	var first *InputError
	if !errors.As(err, &first) || first.Name != gone || first.Offset != NotOpened || !errors.Is(err, os.ErrNotExist) {
		t.Errorf("%+v", first)
	}
}

func TestFileShrinks(t *testing.T) {
	text := strings.Repeat(lines(0, 1000), 100)
	root := tree(t, map[string]string{"a.log": text, "b.log": lines(0, 2)})
	path := filepath.Join(root, "a.log")
	r := newReader(t, Options{}, root)
	var b Batch
	if err := r.Next(t.Context(), &b); err != nil {
		t.Fatal(err)
	}
	read := int64(blockSize)
	if err := os.Truncate(path, 100); err != nil {
		t.Fatal(err)
	}
	for {
		err := r.Next(t.Context(), &b)
		if err == nil {
			continue
		}
		var e *InputError
		if !errors.As(err, &e) || e.Name != path || e.Offset != read || !strings.Contains(err.Error(), "the file shrank while it was read") {
			t.Errorf("%v", err)
		}
		break
	}
	if in := r.Inputs(); in[0].Bytes != read || in[1].Bytes != int64(len(lines(0, 2))) {
		t.Errorf("%+v", in)
	}
}

// TestReadError demands that what was read before an error is handed out.
func TestReadError(t *testing.T) {
	text := lines(0, 3) + "half"
	w := &row{Input: Input{Name: "a.log"}, path: "a.log"}
	r := &Reader{rows: []*row{w}, next: 1, row: w}
	r.cur = &cutter{in: &failing{text: text, err: &os.PathError{Op: "read", Path: "a.log", Err: syscall.EIO}}, stream: &Stream{Name: "a.log"}, block: 10}
	list, err := drain(t, r)
	if len(list) != 1 || list[0].data != text {
		t.Errorf("%+v", list)
	}
	if want := "a.log: byte 64: input/output error"; err.Error() != want {
		t.Errorf("error %q, want %q", err, want)
	}
}

// A fifo without a writer is opened for as long as it takes.
func TestFIFO(t *testing.T) {
	path := filepath.Join(t.TempDir(), "fifo")
	if err := syscall.Mkfifo(path, 0o600); err != nil {
		t.Fatal(err)
	}
	r := newReader(t, Options{}, path)
	go func() {
		if w, err := os.OpenFile(path, os.O_WRONLY, 0); err == nil {
			w.WriteString(lines(0, 3))
			w.Close()
		}
	}()
	list, err := drain(t, r)
	if err != io.EOF || len(list) != 1 || list[0].data != lines(0, 3) || !r.Inputs()[0].Live {
		t.Errorf("%+v, %v", list, err)
	}
	ctx, cancel := context.WithTimeout(t.Context(), 10*time.Millisecond)
	defer cancel()
	if err := newReader(t, Options{}, path).Next(ctx, new(Batch)); err != ctx.Err() || err == nil {
		t.Errorf("without a writer: %v", err)
	}
	if w, err := os.OpenFile(path, os.O_WRONLY, 0); err == nil {
		w.Close() // lets the opening goroutine go
	}
}
