//go:build unix

package tail

import (
	"bytes"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/flagwatch/flagwatch/internal/source"
)

// remembered is how much a follower remembers.
func (r *rig) remembered() (n int) {
	f, d := r.f, &r.f.finds[0]
	n = len(f.order) + len(f.streams) + len(f.bad) + len(f.claims.streams) + len(f.claims.owner) + len(d.dirs) + len(d.links)
	for _, s := range f.order {
		n += len(s.gens) + len(s.marks) + len(s.aside)
	}
	return n
}

// What is gone is forgotten, whether positions are saved or not, and also while
// what was saved can not be written, T84: memory is of what there is, not of how
// long it runs.
func TestWhatIsGoneIsForgotten(t *testing.T) {
	for _, test := range []struct {
		id   string
		opt  Options
		path string
		turn func(*rig, int)
	}{
		{"a log that is rotated", Options{}, "*.log", func(r *rig, i int) {
			r.rename("x.log", fmt.Sprintf("x.log.%06d", i)).append("x.log", lines(i, i+1))
			if i >= 3 {
				r.remove(fmt.Sprintf("x.log.%06d", i-3))
			}
		}},
		{"pods that come and go", Options{}, "pods", func(r *rig, i int) {
			r.append(podLog(i), lines(i, i+1))
			if i >= 3 {
				r.remove(strings.TrimSuffix(podLog(i-3), "/istio-proxy/0.log"))
			}
		}},
		{"files that can not be read", Options{}, "*.log", func(r *rig, i int) {
			r.check(syscall.Mkfifo(r.path(fmt.Sprintf("fifo%d.log", i)), 0o600))
			if i >= 3 {
				r.remove(fmt.Sprintf("fifo%d.log", i-3))
			}
		}},
	} {
		for _, once := range []bool{true, false} {
			t.Run(fmt.Sprintf("%s, once %v", test.id, once), func(t *testing.T) {
				test.opt.Once = once
				r := newRig(t, test.opt, test.path)
				r.append("x.log", lines(0, 1)).append("pods/"+"README", "")
				after := 0
				for i := range 200 {
					test.turn(r, i)
					r.pass(7 * time.Second)
					if !once {
						r.commit()
					}
					if i == 50 {
						after = r.remembered()
					}
				}
				if got := r.remembered(); got > after+4 {
					t.Errorf("%d things are remembered after 200 turns, %d after 50", got, after)
				}
			})
		}
	}
}

func podLog(i int) string {
	return fmt.Sprintf("pods/shop_cart-%d_0b0e6f0e-0000-4000-8000-%012d/istio-proxy/0.log", i, i)
}

// A file that could not be read and is gone holds up nothing that comes after
// it.
func TestUnreadableAndGone(t *testing.T) {
	for _, fault := range []error{syscall.EACCES, syscall.EIO} {
		disk := newFaultyDisk()
		r := newRig(t, Options{System: disk})
		r.append("x.log", lines(0, 5)).pass(2 * time.Second)
		disk.set(func() { disk.open["x.log.1"], disk.read["x.log.1"] = fault, fault })
		if errors.Is(fault, syscall.EIO) {
			disk.set(func() { delete(disk.open, "x.log.1"); disk.read["x.log"] = fault })
		}
		r.append("x.log", lines(5, 8)).pass(time.Second).rename("x.log", "x.log.1").append("x.log", lines(8, 9))
		disk.set(func() { delete(disk.read, "x.log") })
		r.pass(5*time.Second).remove("x.log.1").pass(10*time.Second).append("x.log", lines(9, 10)).pass(10 * time.Second)
		if got := r.kept + r.text.String(); !strings.HasSuffix(got, lines(8, 10)) {
			t.Errorf("%v: handed out\n%s", fault, clip(got))
		}
		if len(r.f.bad) > 0 {
			t.Errorf("%v: still bad: %v", fault, r.f.bad)
		}
	}
}

// T61: a file that is no log is set aside after a while, each of its bytes is
// accounted for, text behind it is read, and other files do not wait for it.
func TestBinaryFile(t *testing.T) {
	rnd := rand.New(rand.NewPCG(61, 1))
	elf := make([]byte, 8<<20)
	for i := range elf {
		if rnd.IntN(3) > 0 { // as in a program, where zero is the commonest byte
			elf[i] = byte(rnd.Uint32())
		}
	}
	copy(elf, "\x7fELF\x02\x01\x01")
	r := newRig(t, Options{}, "*.log")
	r.check(os.WriteFile(r.path("a.log"), elf, 0o644))
	r.append("b.log", lines(0, 10)).pass(2 * time.Second)
	r.append("a.log", "\n"+lines(10, 20)).append("b.log", lines(20, 30)).pass(2 * time.Second)
	got := r.text.String()
	for _, want := range []string{lines(0, 10), lines(10, 20), lines(20, 30)} {
		if strings.Count(got, want) != 1 {
			t.Errorf("not handed out once: %s", clip(want))
		}
	}
	if handed := int64(len(elf)) - r.gone; handed < quarantineAfter || handed > 3*quarantineAfter {
		t.Errorf("%d bytes of it were handed out, %d discarded", handed, r.gone)
	}
	if want := int64(len(elf) + 1 + len(lines(0, 30))); r.total != want {
		t.Errorf("%d bytes are accounted for, want %d", r.total, want)
	}
}

// What is no text is told from text by all of its lines.
func TestIsJunk(t *testing.T) {
	rnd := rand.New(rand.NewPCG(61, 2))
	for range 20000 {
		data := make([]byte, rnd.IntN(60))
		for i := range data {
			data[i] = "aaaaaaa\n\n\x00"[rnd.IntN(10)]
			if rnd.IntN(2) == 0 && i > len(data)/5 {
				data[i] = 0
			}
		}
		junk := 0
		for line := range bytes.Lines(data) {
			if bytes.Contains(line, []byte{0}) {
				junk += len(line)
			}
		}
		if want := junk > 0 && junk >= len(data)/10*9; isJunk(data) != want {
			t.Fatalf("%q: %v, want %v", data, !want, want)
		}
	}
}

// A log with zero bytes here and there is no binary file.
func TestLogWithZeroBytes(t *testing.T) {
	r := newRig(t, Options{})
	var all bytes.Buffer
	for i := range 4000 {
		all.WriteString(lines(i, i+1))
		if i%3 == 0 {
			all.WriteString(strings.Repeat("\x00", 300) + "\n")
		}
	}
	r.append("x.log", all.String()).pass(3 * time.Second).want(all.String())
}

// T79: ten thousand logs, a few lines at a time, with as many open files as
// there may be: each line is handed out once.
func TestTenThousandFiles(t *testing.T) {
	const files, rounds, open = 10_000, 2, 64
	r := newRig(t, Options{MaxOpen: open}, "pods")
	for i := range rounds {
		for k := range files {
			r.append(podLog(k), lines(i*files+k, i*files+k+1))
		}
		r.pass(3 * time.Second)
		if r.f.open > open {
			t.Fatalf("%d files are open", r.f.open)
		}
	}
	r.pass(10 * time.Second)
	got := r.text.String()
	if want := len(lines(0, files*rounds)); len(got) != want {
		t.Errorf("%d bytes were handed out, want %d", len(got), want)
	}
	seen := make([]bool, files*rounds)
	for line := range strings.Lines(got) {
		var n int
		if _, rest, ok := strings.Cut(line, "GET /n/"); !ok {
			t.Fatalf("a line that nobody wrote: %q", line)
		} else if _, err := fmt.Sscan(rest, &n); err != nil || seen[n] {
			t.Fatalf("line %d again, %v", n, err)
		}
		seen[n] = true
	}
	if r.lost != [source.NumLosses]int64{} {
		t.Errorf("lost %v", r.lost)
	}
}

// T75: an input that has another name now goes on where it was; one that is
// followed no more is forgotten.
func TestInputIsRenamed(t *testing.T) {
	for _, path := range []string{"pods", "pods/*/*/*.log"} {
		r := newRig(t, Options{History: true}, path)
		at := podLog(1)
		r.append(at, lines(0, 5)).pass(2*time.Second).rename(at, at+".20260317-101112").append(at, lines(5, 9)).pass(8 * time.Second).commit()
		r.inputs[0].Name = "another"
		r.start()
		r.append(at, lines(9, 10)).pass(8 * time.Second).want(lines(0, 10)).commit()
		for _, s := range r.f.order {
			if s.src.Input != "another" {
				t.Errorf("%s: input %q", path, s.src.Input)
			}
		}
		r.inputs[0].Name, r.inputs[0].Paths = "third", []string{r.path("elsewhere/*.log")}
		r.start()
		r.pass(8 * time.Second).want(lines(0, 10)).commit()
		if got := string(r.saved); strings.Contains(got, "istio-proxy") {
			t.Errorf("%s: still in the state: %s", path, got)
		}
	}
}

// T72: the state of another node is of other files, though they have the same
// names and begin alike.
func TestStateOfAnotherNode(t *testing.T) {
	here, there := newRig(t, Options{History: true}), newRig(t, Options{History: true})
	here.append("x.log", lines(0, 50)).pass(time.Second).commit()
	there.append("x.log", lines(0, 40)+lines(100, 120))
	there.saved = bytes.ReplaceAll(here.saved, []byte(here.dir), []byte(there.dir))
	there.start()
	there.pass(8 * time.Second).want(lines(0, 40) + lines(100, 120))
}

// T74: the process is stopped for ten minutes, and there are three rotations
// meanwhile.
func TestProcessIsStopped(t *testing.T) {
	r := newRig(t, Options{})
	r.append("x.log", lines(0, 5)).pass(time.Second)
	for i := range 3 {
		r.append("x.log", lines(5+2*i, 7+2*i)).rename("x.log", fmt.Sprintf("x.log.20260317-10111%d", i))
		if i == 0 {
			r.gzip("x.log.20260317-101110")
		}
	}
	r.append("x.log", lines(11, 12)).step(10 * time.Minute)
	r.pass(8 * time.Second).want(lines(0, 12))
}

// T45: a write ends in the middle of a character.
func TestTornCharacter(t *testing.T) {
	r := newRig(t, Options{})
	text := strings.Replace(lines(0, 1), "/n/0", "/n/grün/0", 1)
	half := strings.Index(text, "ü") + 1
	r.append("x.log", text[:half]).pass(5*time.Second).append("x.log", text[half:]).pass(time.Second).want(text)
}
