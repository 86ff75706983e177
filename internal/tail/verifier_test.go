//go:build unix

package tail

import (
	"flag"
	"fmt"
	"math/rand/v2"
	"os"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/flagwatch/flagwatch/internal/source"
)

var (
	seeds     = flag.Int("seeds", 300, "how many random programs the loss verifier runs")
	firstSeed = flag.Int("seed", 0, "the first of them")
)

// A writer is whoever writes a log: numbered lines, rotated in every way there
// is. It knows what a reader must have seen in the end.
type writer struct {
	*rig
	rnd     *rand.Rand
	name    string
	f       *os.File
	n       int      // lines written, the half one included
	half    string   // what is still to be written of the last line
	old     []string // rotated files, the oldest first
	packed  int      // how many of them are packed
	last    []int    // the first line that is not in the file, by file of old
	renamed bool     // the handle is of old's last file
	stamp   int
	copied  bool     // then lines may be found after later ones
	copies  []string // that somebody made and nobody needs
	log     []string // what was done
}

func (w *writer) do(format string, args ...any) {
	w.log = append(w.log, fmt.Sprintf("%5d durable, %5d read: ", strings.Count(w.kept, "\n"), strings.Count(w.text.String(), "\n"))+fmt.Sprintf(format, args...))
}

func (w *writer) open() {
	f, err := os.OpenFile(w.path(w.name), os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o644)
	w.check(err)
	if w.f != nil {
		w.f.Close()
	}
	w.f, w.renamed = f, false
}

func (w *writer) write(text string) {
	_, err := w.f.WriteString(text)
	w.check(err)
}

func (w *writer) complete() {
	w.write(w.half)
	w.half = ""
}

func (w *writer) append() {
	w.complete()
	n := 1 + w.rnd.IntN(20)
	if w.rnd.IntN(20) == 0 {
		n = 8000
	}
	w.do("append %d-%d", w.n, w.n+n)
	w.write(lines(w.n, w.n+n))
	w.n += n
}

func (w *writer) appendHalf() {
	w.complete()
	l := lines(w.n, w.n+1)
	at := 1 + w.rnd.IntN(len(l)-1)
	w.do("half of %d", w.n)
	w.write(l[:at])
	w.half = l[at:]
	w.n++
}

// rename is the first half of a rotation; the writer goes on in the file.
func (w *writer) rename() {
	if w.renamed {
		return
	}
	w.stamp++
	to := fmt.Sprintf("%s.20260317-%06d", w.name, w.stamp)
	w.do("rename to %s", to)
	w.rig.rename(w.name, to)
	w.old = append(w.old, to)
	w.last = append(w.last, 0)
	w.renamed = true
}

// reopen is the second half.
func (w *writer) reopen() {
	if !w.renamed {
		return
	}
	w.complete()
	w.do("reopen")
	w.last[len(w.last)-1] = w.n
	w.open()
}

// renameBack is what the kubelet does when the second half fails.
func (w *writer) renameBack() {
	if !w.renamed {
		return
	}
	w.do("rename back")
	k := len(w.old) - 1
	w.rig.rename(w.old[k], w.name)
	w.old, w.last, w.renamed = w.old[:k], w.last[:k], false
}

func (w *writer) pack() {
	if w.packed < len(w.old)-1 || w.packed < len(w.old) && !w.renamed {
		w.do("pack %s", w.old[w.packed])
		w.gzip(w.old[w.packed])
		w.old[w.packed] += ".gz"
		w.packed++
	}
}

// delete removes the oldest file once all of it is durable.
func (w *writer) delete() {
	if len(w.old) == 0 || w.renamed && len(w.old) == 1 || !strings.HasSuffix(w.kept, lines(w.n-1, w.n)) && strings.Count(w.kept, "\n") < w.last[0] {
		return
	}
	if len(w.copies) > 0 { // whose copies they are can not be told later
		w.pass(2 * time.Second).commit()
	}
	w.do("delete %s", w.old[0])
	w.remove(w.old[0])
	w.old, w.last = slices.Delete(w.old, 0, 1), slices.Delete(w.last, 0, 1)
	w.packed = max(w.packed-1, 0)
}

// copyTruncate is the other way to rotate. Without a copy it loses what is
// unread.
func (w *writer) copyTruncate() {
	if w.renamed {
		return
	}
	w.complete()
	if w.rnd.IntN(3) == 0 {
		w.do("read all, truncate")
		w.pass(20*time.Second).commit().truncate(w.name, 0)
		return
	}
	w.stamp++
	to := fmt.Sprintf("%s.20260317-%06d", w.name, w.stamp)
	w.do("copy to %s, truncate", to)
	w.copied = true
	w.copy(w.name, to).truncate(w.name, 0)
	w.old, w.last = append(w.old, to), append(w.last, w.n)
}

// copyAside is somebody who keeps what there is, in full or not to the end,
// packed or not, and takes it away some day.
func (w *writer) copyAside() {
	if len(w.copies) > 0 && w.rnd.IntN(3) == 0 {
		w.do("remove %s", w.copies[0])
		w.remove(w.copies[0])
		w.copies = w.copies[1:]
		return
	}
	from := w.name
	if k := len(w.old) - w.packed; k > 0 && w.rnd.IntN(2) == 0 {
		from = w.old[w.packed+w.rnd.IntN(k)]
	} else if w.renamed {
		return
	}
	w.stamp++
	to := fmt.Sprintf("%s.20260317-%06d", w.name, w.stamp)
	w.copied = true
	switch w.rnd.IntN(3) {
	case 0:
		w.rig.half(from, to)
	case 1:
		w.copy(from, to)
	default:
		if to += ".gz"; from == w.name && w.rnd.IntN(2) == 0 {
			to = from + ".gz"
		}
		w.rig.pack(from, to)
	}
	w.do("copy %s to %s", from, to)
	if !slices.Contains(w.copies, to) {
		w.copies = append(w.copies, to)
	}
}

func (w *writer) wait() {
	d := time.Duration(w.rnd.IntN(3000)) * time.Millisecond
	w.do("wait %v", d)
	w.pass(d)
}

func (w *writer) saves() {
	w.do("commit")
	w.commit()
}

func (w *writer) kill() {
	w.do("kill")
	w.start()
}

func (w *writer) restart() {
	w.do("restart")
	w.commit().start()
}

// TestLossVerifier runs random programs: whatever happens to a log, every line
// that could be read is handed out once, in order, and what is durable never
// becomes less.
func TestLossVerifier(t *testing.T) {
	for seed := *firstSeed; seed < *firstSeed+*seeds; seed++ {
		rnd := rand.New(rand.NewPCG(uint64(seed), 1))
		opt, name := Options{History: rnd.IntN(2) == 0}, "x.log"
		paths := []string{name}
		switch rnd.IntN(3) {
		case 0:
			opt.System = noHandles{}
		case 1:
			name, paths = podDir+"0.log", []string{"pods"}
		}
		w := &writer{rig: newRig(t, opt, paths...), rnd: rnd, name: name}
		w.check(os.MkdirAll(w.path(podDir), 0o755))
		w.open()
		ops := []func(){w.append, w.append, w.appendHalf, w.rename, w.rename, w.reopen, w.reopen, w.renameBack, w.pack, w.delete, w.copyTruncate, w.copyAside, w.wait, w.wait, w.wait, w.saves, w.kill, w.restart}
		w.append()
		w.step(0).commit()
		for range 5 + rnd.IntN(60) {
			ops[rnd.IntN(len(ops))]()
		}
		w.complete()
		w.pass(20 * time.Second).commit()
		w.f.Close()
		w.rig.f.closeAll()
		if w.lost != [source.NumLosses]int64{} {
			t.Errorf("seed %d: %s\nlost %v", seed, strings.Join(w.log, "\n"), w.lost)
		}
		if want := lines(0, w.n); w.kept != want {
			if d := difference(w.kept, want); d != "" || !w.copied {
				t.Fatalf("seed %d: %s\n%s", seed, strings.Join(w.log, "\n"), d+"another order")
			}
		}
	}
}

// difference says which lines are missing and which are too many.
func difference(got, want string) string {
	seen := map[string]int{}
	for l := range strings.Lines(got) {
		seen[l]++
	}
	var out strings.Builder
	for l := range strings.Lines(want) {
		if seen[l] != 1 && out.Len() < 1000 {
			fmt.Fprintf(&out, "%d times: %s", seen[l], l)
		}
		delete(seen, l)
	}
	for l := range seen {
		fmt.Fprintf(&out, "unknown: %q\n", clip(l))
	}
	return out.String()
}
