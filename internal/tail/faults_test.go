//go:build unix

package tail

import (
	"bytes"
	"compress/gzip"
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/fsnotify/fsnotify"

	"github.com/flagwatch/flagwatch/internal/source"
)

// A faultyDisk is a disk with faults that come and go, by the name of a file.
type faultyDisk struct {
	Disk
	mu   sync.Mutex
	open map[string]error
	read map[string]error
	list error
	hang map[string]chan struct{} // reads wait for it
}

func newFaultyDisk() *faultyDisk {
	return &faultyDisk{open: map[string]error{}, read: map[string]error{}, hang: map[string]chan struct{}{}}
}

func (d *faultyDisk) set(f func()) {
	d.mu.Lock()
	defer d.mu.Unlock()
	f()
}

func (d *faultyDisk) Open(path string) (File, string, error) {
	name := filepath.Base(path)
	d.mu.Lock()
	err := d.open[name]
	d.mu.Unlock()
	if err != nil {
		return nil, "", &os.PathError{Op: "open", Path: path, Err: err}
	}
	f, at, err := d.Disk.Open(path)
	if err != nil {
		return nil, "", err
	}
	return &faultyFile{f, d, name}, at, nil
}

func (d *faultyDisk) Names(dir string) ([]string, error) {
	d.mu.Lock()
	err := d.list
	d.mu.Unlock()
	if err != nil {
		return nil, &os.PathError{Op: "open", Path: dir, Err: err}
	}
	return d.Disk.Names(dir)
}

type faultyFile struct {
	File
	disk *faultyDisk
	name string
}

func (f *faultyFile) ReadAt(p []byte, off int64) (int, error) {
	f.disk.mu.Lock()
	err, hang := f.disk.read[f.name], f.disk.hang[f.name]
	f.disk.mu.Unlock()
	if hang != nil {
		<-hang
	}
	if err != nil {
		return 0, err
	}
	return f.File.ReadAt(p, off)
}

// T76, T77: a fault of one file is none of the others', and passes.
func TestFaultsOfTheDisk(t *testing.T) {
	tests := []struct {
		id   string
		make func(*faultyDisk)
		ends func(*faultyDisk)
		seen string // path in the list of bad ones
	}{
		{"T76 a file that may not be opened", func(d *faultyDisk) { d.open["b.log"] = syscall.EACCES }, func(d *faultyDisk) { delete(d.open, "b.log") }, "b.log"},
		{"T77 a file that can not be read", func(d *faultyDisk) { d.read["b.log"] = syscall.EIO }, func(d *faultyDisk) { delete(d.read, "b.log") }, "b.log"},
		{"T77 a handle that is stale", func(d *faultyDisk) { d.read["b.log"] = syscall.ESTALE }, func(d *faultyDisk) { delete(d.read, "b.log") }, "b.log"},
		{"T76 a directory that may not be listed", func(d *faultyDisk) { d.list = syscall.EACCES }, func(d *faultyDisk) { d.list = nil }, ""},
	}
	for _, when := range []string{"from the start", "later"} {
		for _, test := range tests {
			t.Run(test.id+", "+when, func(t *testing.T) {
				disk := newFaultyDisk()
				r := newRig(t, Options{System: disk}, "*.log")
				r.append("a.log", lines(0, 10)).append("b.log", lines(10, 20))
				if when == "later" {
					r.pass(2 * time.Second)
				}
				disk.set(func() { test.make(disk) })
				r.append("a.log", lines(20, 30)).append("b.log", lines(30, 40)).pass(10 * time.Second)
				if got := r.text.String(); test.seen != "" && !strings.Contains(got, lines(20, 30)) {
					t.Errorf("the other file waits:\n%s", clip(got))
				}
				if bad := r.f.bad[r.path(test.seen)]; bad == "" && (test.seen == "" || when == "from the start") {
					t.Errorf("bad files: %q", r.f.bad)
				}
				disk.set(func() { test.ends(disk) })
				r.pass(10 * time.Second)
				for i := range 40 {
					if n := strings.Count(r.text.String(), lines(i, i+1)); n != 1 {
						t.Errorf("line %d was handed out %d times", i, n)
					}
				}
				if len(r.f.bad) != 0 {
					t.Errorf("still bad: %q", r.f.bad)
				}
			})
		}
	}
}

// T83: a disk that hangs holds up its own files only; what is known can be
// asked for and saved all the time.
func TestDiskHangs(t *testing.T) {
	dir := t.TempDir()
	a, b := filepath.Join(dir, "a.log"), filepath.Join(dir, "b.log")
	for path, text := range map[string]string{a: lines(0, 10), b: lines(10, 20)} {
		if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	disk, release := newFaultyDisk(), make(chan struct{})
	disk.hang["a.log"] = release
	tailer := New([]Input{{Name: "test", Paths: []string{a, b}}}, Options{System: disk, NoHints: true})
	defer tailer.Close()
	ctx, cancel := context.WithTimeout(t.Context(), 20*time.Second)
	defer cancel()
	var batch source.Batch
	read := func(want string) {
		t.Helper()
		got := ""
		for got != want {
			if err := tailer.Next(ctx, &batch); err != nil {
				t.Fatalf("%v after %q", err, clip(got))
			}
			got += string(batch.Data)
		}
	}
	read(lines(10, 20))
	for len(tailer.Status().Streams) != 2 {
		if ctx.Err() != nil {
			t.Fatalf("%+v", tailer.Status())
		}
	}
	if _, err := tailer.Save(map[*source.Stream]int64{batch.Stream: batch.To.Offset}); err != nil {
		t.Error(err)
	}
	close(release)
	read(lines(0, 10))
}

func packed(texts ...string) []byte {
	var b bytes.Buffer
	for _, text := range texts {
		z := gzip.NewWriter(&b)
		z.Write([]byte(text))
		z.Close()
	}
	return b.Bytes()
}

// T34 to T38, T40, T42: packed files that are not as they should be.
func TestPackedFiles(t *testing.T) {
	text := lines(0, 2000)
	whole := packed(text)
	flipped := bytes.Clone(whole)
	flipped[len(flipped)-6] ^= 1
	tests := []struct {
		id      string
		data    []byte
		want    string // all of it, or its beginning
		damaged bool
	}{
		{"T35 the last four bytes are missing", whole[:len(whole)-4], text, true},
		{"T36 another checksum", flipped, text, true},
		{"T37 members", packed(lines(0, 10), "", lines(10, 2000)), text, false},
		{"T38 zeros behind it", append(bytes.Clone(whole), make([]byte, 512)...), text, true},
		{"T34 half of it", whole[:len(whole)/2], "", true},
		{"T40 a text by that name", []byte(text), text, false},
	}
	for _, test := range tests {
		r := newRig(t, Options{History: true})
		r.check(os.WriteFile(r.path("x.log.1.gz"), test.data, 0o644))
		r.append("x.log", lines(3000, 3001)).pass(waitStill + 10*time.Second)
		got, ok := strings.CutSuffix(r.text.String(), lines(3000, 3001))
		if !ok || test.want != "" && got != test.want || !strings.HasPrefix(text, got[:strings.LastIndexByte(got, '\n')+1]) || len(got) < len(text)/10 {
			t.Errorf("%s: %d bytes of %d, and the next file: %v", test.id, len(got), len(text), ok)
		}
		if (r.f.counts.Damaged == 1) != test.damaged {
			t.Errorf("%s: %d damaged", test.id, r.f.counts.Damaged)
		}
	}
	r := newRig(t, Options{History: true}) // T42
	r.check(os.WriteFile(r.path("x.log.1.gz"), whole[:len(whole)/2], 0o644))
	r.append("x.log", lines(2000, 2001)).pass(20 * time.Second)
	r.check(os.WriteFile(r.path("x.log.1.gz"), whole, 0o644))
	r.pass(5 * time.Second).want(lines(0, 2001))
	if r.f.counts.Damaged != 0 {
		t.Error("a file in the making was called damaged")
	}
}

// T09, T50: a writer that knows its own place makes a hole.
func TestHole(t *testing.T) {
	r := newRig(t, Options{})
	r.append("x.log", lines(0, 50)).step(0)
	w, err := os.OpenFile(r.path("x.log"), os.O_WRONLY, 0)
	r.check(err)
	defer w.Close()
	r.truncate("x.log", 0)
	const hole = 300 << 20
	_, err = w.WriteAt([]byte(lines(50, 60)), hole)
	r.check(err)
	r.pass(3 * time.Second).want(lines(0, 60))
	if r.gone != hole {
		t.Errorf("%d bytes discarded, want %d", r.gone, hole)
	}
}

// T49: a line that never ends costs no more than one that is too long.
func TestEndlessLine(t *testing.T) {
	r := newRig(t, Options{})
	part := strings.Repeat("x", 1<<20)
	for range 30 {
		r.append("x.log", part).step(time.Second)
		if s := r.f.order[0]; cap(s.held) > 4<<20 || len(r.b.buf) > 4<<20 {
			t.Fatalf("%d bytes are held, a block has %d", cap(s.held), len(r.b.buf))
		}
	}
	r.append("x.log", "\n"+lines(0, 1)).pass(time.Second).want(part[:source.HeadKept] + lines(0, 1))
}

// Many streams with long unfinished records share the memory for them.
func TestManyUnfinishedLines(t *testing.T) {
	r := newRig(t, Options{}, "*.log")
	half, all := strings.Repeat("x", 512<<10), 0
	for i := range 100 {
		r.append(fmt.Sprint(i, ".log"), half)
	}
	r.pass(3 * time.Second)
	for _, s := range r.f.order {
		all += len(s.held)
	}
	if all > shared+1<<20 || all != r.f.held {
		t.Errorf("%d bytes are held, %d are said to be", all, r.f.held)
	}
	for i := range 100 {
		r.append(fmt.Sprint(i, ".log"), strings.Repeat("y", 100<<10)+"\n")
	}
	r.pass(2 * waitNext)
	if got, want := strings.Count(r.text.String(), half+strings.Repeat("y", 100<<10)+"\n"), 100; got != want {
		t.Errorf("%d lines, want %d", got, want)
	}
}

// T80: hints only make it sooner. A file that was idle is watched; the first
// change ends that.
func TestHints(t *testing.T) {
	r := newRig(t, Options{})
	r.f.hint = newHints()
	if r.f.hint == nil {
		return // the kernel has none; then files are asked about all the time, as in all other tests
	}
	defer r.f.hint.close()
	r.append("x.log", lines(0, 5)).pass(idleAfter + 2*time.Second)
	s := r.f.order[0]
	if !s.watched {
		t.Fatal("an idle file is not watched")
	}
	r.append("x.log", lines(5, 6))
	select {
	case <-r.f.hint.woken():
	case <-time.After(10 * time.Second):
		t.Fatal("no hint")
	}
	r.step(0).want(lines(0, 6))
	if s.watched {
		t.Error("a busy file is watched")
	}
}

// T80: what comes just before a file is watched is told by nobody, and is seen
// by the poll that has it watched.
func TestBeforeHints(t *testing.T) {
	for phase := range idlePolls {
		steps := 0
		for _, late := range []bool{false, true} {
			r := newRig(t, Options{})
			if r.f.hint = newHints(); r.f.hint == nil {
				return
			}
			defer r.f.hint.close()
			for range phase {
				r.step(pollEvery)
			}
			r.append("x.log", lines(0, 5)).step(scanEvery)
			r.f.hint.unwatch(r.dir)
			if late {
				for range steps - 1 {
					r.step(pollEvery)
				}
				r.append("x.log", lines(5, 6)).step(pollEvery).want(lines(0, 6))
				continue
			}
			for ; !r.f.order[0].watched; steps++ {
				r.step(pollEvery)
			}
		}
	}
}

// T80: what the kernel could not tell is asked for at once.
func TestMissedHints(t *testing.T) {
	r := newRig(t, Options{}, "*.log")
	if r.f.hint = newHints(); r.f.hint == nil {
		return
	}
	defer r.f.hint.close()
	r.append("x.log", lines(0, 5)).append("y.log", lines(5, 6)).pass(idleAfter + 2*time.Second)
	r.check(r.f.hint.w.Remove(r.dir)) // nothing is told from now on
	r.append("x.log", lines(6, 7))
	select {
	case r.f.hint.w.Errors <- fsnotify.ErrEventOverflow:
	case <-time.After(10 * time.Second):
		t.Fatal("nobody hears what went wrong")
	}
	select {
	case <-r.f.hint.woken():
	case <-time.After(10 * time.Second):
		t.Fatal("no hint")
	}
	r.step(0).want(lines(0, 7))
	for _, s := range r.f.order {
		if s.watched {
			t.Errorf("%s is still watched", s.src.Name)
		}
	}
}

// T81: a directory with much that does not matter.
func TestCrowdedDirectory(t *testing.T) {
	r := newRig(t, Options{})
	for i := range 20000 {
		f, err := os.Create(r.path(fmt.Sprint("unrelated-", i)))
		r.check(err)
		r.check(f.Close())
	}
	r.append("x.log", lines(0, 5))
	begin := time.Now()
	r.pass(5 * time.Second).want(lines(0, 5))
	if d := time.Since(begin); d > 5*time.Second {
		t.Errorf("it took %v", d)
	}
}

// T62: the wall clock jumps. A follower's own clock does not, but the times
// that a directory has do.
func TestClockJumps(t *testing.T) {
	for _, jump := range []time.Duration{time.Hour, -time.Hour} {
		r := newRig(t, Options{})
		r.append("x.log", lines(0, 5)).pass(time.Second)
		for i := range 3 {
			r.append("x.log", lines(5+2*i, 6+2*i)).rename("x.log", fmt.Sprint("x.log.20260317-00000", i)).append("x.log", lines(6+2*i, 7+2*i))
			at := time.Now().Add(jump)
			r.check(os.Chtimes(r.dir, at, at))
			r.pass(2 * fullEvery)
		}
		r.want(lines(0, 11))
	}
}

func TestFairness(t *testing.T) {
	r := newRig(t, Options{}, "*.log")
	big := lines(0, 60000)
	r.append("a.log", big).append("b.log", lines(0, 3))
	r.now = r.now.Add(time.Second)
	read := 0
	for {
		ok, _ := r.f.next(&r.b, r.now)
		if !ok {
			t.Fatal("the small file was not read")
		}
		if strings.HasSuffix(r.b.batch.Stream.Name, "b.log") {
			break
		}
		read += len(r.b.batch.Data)
	}
	if read > 2*turnSize {
		t.Errorf("%d bytes of another file came first", read)
	}
}

// TestFaultOf demands that a file which can not be read is the fault of its own
// log, and not of those whose names begin alike.
func TestFaultOf(t *testing.T) {
	const app, sidecar = "/pods/shop_cart-0_1/istio-proxy", "/pods/shop_cart-0_1/istio-proxy-2"
	f := &follower{streams: map[string]*stream{}, bad: map[string]string{}}
	for _, at := range [][2]string{{"/x", "a.log"}, {"/x", "a.log.1"}, {"/x", "a.log-new"}, {app, ""}, {sidecar, ""}} {
		s := &stream{dir: at[0], base: at[1], src: source.Stream{Name: filepath.Join(at[0], at[1])}}
		f.streams[key(at[0], at[1])], f.order = s, append(f.order, s)
	}
	for bad, want := range map[string]string{
		"/x/a.log": "/x/a.log", "/x/a.log.2": "/x/a.log", "/x/a.log-20260301": "/x/a.log", "/x/a.log.1": "/x/a.log.1", "/x/a.log-new": "/x/a.log-new",
		"/x/b.log": "", "/x": "/x/a.log /x/a.log.1 /x/a.log-new", "/pods/shop_cart-0_1": "",
		app: app, app + "/1.log": app, sidecar: sidecar, sidecar + "/0.log": sidecar, sidecar + "/0.log.20260301-101112.gz": sidecar,
	} {
		clear(f.bad)
		f.bad[bad] = "permission denied"
		st := Status{Bad: map[string]string{}}
		f.status(&st)
		var got []string
		for _, s := range st.Streams {
			if s.Fault == bad+": permission denied" {
				got = append(got, s.Name)
			}
		}
		if strings.Join(got, " ") != want {
			t.Errorf("%s is the fault of %q, want %q", bad, got, want)
		}
	}
}
