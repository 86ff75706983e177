//go:build unix

package tail

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/flagwatch/flagwatch/internal/source"
)

// A fault is what may happen to a log, and what is to be handed out.
type fault struct {
	id   string
	opt  Options
	run  func(r *rig)
	want string
	lost map[source.Loss]int64
}

func runFaults(t *testing.T, faults []fault, paths ...string) {
	for _, test := range faults {
		t.Run(test.id, func(t *testing.T) {
			r := newRig(t, test.opt, paths...)
			test.run(r)
			r.want(test.want)
			for why := range source.NumLosses {
				if r.lost[why] != test.lost[why] {
					t.Errorf("lost %d bytes by %s, want %d", r.lost[why], why, test.lost[why])
				}
			}
		})
	}
}

func TestRotation(t *testing.T) {
	runFaults(t, []fault{
		{id: "T01 while idle", run: func(r *rig) {
			r.append("x.log", lines(0, 5)).step(0).rename("x.log", "x.log.1").step(time.Second).append("x.log", lines(5, 9)).pass(2 * time.Second)
		}, want: lines(0, 9)},
		{id: "T02 while there is much to read", run: func(r *rig) {
			r.append("x.log", lines(0, 40000)).step(0).append("x.log", lines(40000, 80000)).rename("x.log", "x.log.1").append("x.log", lines(80000, 80002)).pass(2 * time.Second)
		}, want: lines(0, 80002)},
		{id: "T03 the writer goes on in the renamed file", run: func(r *rig) {
			r.append("x.log", lines(0, 5)).step(0).rename("x.log", "x.log.20260317-101112")
			for i := range 12 {
				r.append("x.log.20260317-101112", lines(5+i, 6+i)).step(pollEvery)
			}
			r.append("x.log", lines(17, 20)).pass(2 * time.Second)
		}, want: lines(0, 20)},
		{id: "T04 twenty rotations between two looks", run: func(r *rig) {
			r.append("x.log", lines(0, 5)).step(0)
			for i := range 20 {
				r.rename("x.log", fmt.Sprintf("x.log.20260317-1011%02d", i)).append("x.log", lines(5+i, 6+i))
			}
			r.pass(2 * time.Second)
		}, want: lines(0, 25)},
		{id: "T04 twenty rotations by number", run: func(r *rig) {
			r.append("x.log", lines(0, 5)).step(0)
			for i := range 20 {
				for k := i; k > 0; k-- {
					r.rename(fmt.Sprint("x.log.", k), fmt.Sprint("x.log.", k+1))
				}
				r.rename("x.log", "x.log.1").append("x.log", lines(5+i, 6+i))
			}
			r.pass(2 * time.Second)
		}, want: lines(0, 25)},
		{id: "T05 a rotation every ten milliseconds", run: func(r *rig) {
			for i := range 300 {
				r.append("x.log", lines(i, i+1)).step(10*time.Millisecond).rename("x.log", fmt.Sprintf("x.log.20260317-%06d", i))
			}
			r.pass(8 * time.Second)
		}, want: lines(0, 300)},
		{id: "T06 renamed and renamed back", run: func(r *rig) {
			r.append("x.log", lines(0, 5)).step(0).rename("x.log", "x.log.1").pass(2*time.Second).rename("x.log.1", "x.log").pass(2*time.Second).append("x.log", lines(5, 6)).pass(10 * time.Second)
		}, want: lines(0, 6)},
		{id: "T07 copied and truncated, all read", run: func(r *rig) {
			r.append("x.log", lines(0, 5)).step(0).copy("x.log", "x.log.1").truncate("x.log", 0).append("x.log", lines(5, 7)).pass(3 * time.Second)
		}, want: lines(0, 7)},
		{id: "T07 the copy is there for long before the truncation", run: func(r *rig) {
			r.append("x.log", lines(0, 5)).step(0).copy("x.log", "x.log.1").pass(3*time.Second).truncate("x.log", 0).pass(3*time.Second).append("x.log", lines(5, 7)).pass(3 * time.Second)
		}, want: lines(0, 7)},
		{id: "T08 truncated with unread bytes, no copy", run: func(r *rig) {
			r.append("x.log", lines(0, 5)).step(0).append("x.log", lines(5, 8))
			r.look() // it knows of them
			r.truncate("x.log", 0).pass(time.Second).append("x.log", lines(8, 9)).pass(3 * time.Second)
		}, want: lines(0, 5) + lines(8, 9), lost: map[source.Loss]int64{source.TruncatedAway: int64(len(lines(5, 8)))}},
		{id: "T08 truncated with unread bytes that the copy has", run: func(r *rig) {
			r.append("x.log", lines(0, 5)).step(0).append("x.log", lines(5, 8)).copy("x.log", "x.log.1").truncate("x.log", 0).append("x.log", lines(8, 9)).pass(3 * time.Second)
		}, want: lines(0, 9)},
		{id: "T09 truncated and grown beyond", run: func(r *rig) {
			r.append("x.log", lines(0, 5)).step(0).truncate("x.log", 0).append("x.log", lines(5, 50)).pass(3 * time.Second)
		}, want: lines(0, 50)},
		{id: "T10 truncated, with the same beginning", run: func(r *rig) {
			r.append("x.log", lines(0, 30)+lines(100, 105)).step(0).truncate("x.log", 0).append("x.log", lines(0, 30)+lines(200, 290)).pass(3 * time.Second)
		}, want: lines(0, 30) + lines(100, 105) + lines(0, 30) + lines(200, 290)},
		{id: "T11 truncated to a smaller size", run: func(r *rig) {
			r.append("x.log", lines(0, 5)).step(0).truncate("x.log", int64(len(lines(0, 2)))).pass(2*time.Second).append("x.log", lines(7, 8)).pass(2 * time.Second)
		}, want: lines(0, 5) + lines(0, 2) + lines(7, 8)},
		{id: "T12 deleted and created", run: func(r *rig) {
			r.append("x.log", lines(0, 5)).step(0)
			for i := range 20 {
				r.remove("x.log").append("x.log", lines(5+i, 6+i)).pass(7 * time.Second)
			}
		}, want: lines(0, 25)},
		{id: "T21 one line that never grows", run: func(r *rig) { r.append("x.log", lines(0, 1)).pass(5 * time.Second) }, want: lines(0, 1)},
		{id: "T22 empty for an hour", run: func(r *rig) {
			r.append("x.log", "").pass(time.Minute).step(time.Hour).append("x.log", lines(0, 3)).pass(5 * time.Second)
		}, want: lines(0, 3)},
		{id: "T23 deleted with unread bytes", run: func(r *rig) {
			r.append("x.log", lines(0, 5)).step(0).append("x.log", lines(5, 5000)).remove("x.log").pass(7 * time.Second)
		}, want: lines(0, 5000)},
		{id: "T28 replaced by a file that begins alike", run: func(r *rig) {
			r.append("x.log", lines(0, 30)).step(0).copy("x.log", "tmp").append("tmp", lines(30, 35)).rename("tmp", "x.log").pass(9 * time.Second)
		}, want: lines(0, 35)},
		{id: "T30 packed twice while it runs", run: func(r *rig) {
			r.append("x.log", lines(0, 5)).step(0).rename("x.log", "x.log.1").append("x.log", lines(5, 9)).gzip("x.log.1").pass(7*time.Second).
				rename("x.log.1.gz", "x.log.2.gz").rename("x.log", "x.log.1").append("x.log", lines(9, 10)).gzip("x.log.1").pass(7 * time.Second)
		}, want: lines(0, 10)},
		{id: "T32 packed while it is read", run: func(r *rig) {
			r.append("x.log", lines(0, 5)).step(0).append("x.log", lines(5, 5000)).rename("x.log", "x.log.1").append("x.log", lines(5000, 5001)).gzip("x.log.1").pass(7 * time.Second)
		}, want: lines(0, 5001)},
		{id: "T33 files in the making", run: func(r *rig) {
			r.append("x.log", lines(0, 5)).append("x.log.1.gz.tmp", lines(7, 9)).append("x.log.tmp", lines(7, 9)).pass(7 * time.Second)
		}, want: lines(0, 5)},
		{id: "T44 a line in two halves", run: func(r *rig) {
			l := lines(0, 1)
			r.append("x.log", l[:30]).pass(10*time.Second).append("x.log", l[30:]).pass(time.Second)
		}, want: lines(0, 1)},
		{id: "T46 half a line, then a rotation", run: func(r *rig) {
			l := lines(0, 2)
			r.append("x.log", l[:30]).step(0).rename("x.log", "x.log.1").step(time.Second).append("x.log.1", l[30:]).step(time.Second).append("x.log", lines(2, 3)).pass(time.Second)
		}, want: lines(0, 3)},
		{id: "T47 half a line, then a truncation", run: func(r *rig) {
			r.append("x.log", lines(0, 2)[:100]).step(0).truncate("x.log", 0).append("x.log", lines(2, 3)).pass(3 * time.Second)
		}, want: lines(0, 2)[:100] + lines(2, 3)},
		{id: "T48 a line of five megabytes", run: func(r *rig) {
			r.append("x.log", strings.Repeat("x", 5<<20)+"\n"+lines(0, 1)).pass(3 * time.Second)
		}, want: strings.Repeat("x", source.HeadKept) + lines(0, 1)},
	})
}

// rests are what is seen of a log when the program comes back.
func TestRestart(t *testing.T) {
	down := func(then func(r *rig)) func(*rig) {
		return func(r *rig) {
			r.append("x.log", lines(0, 50)).step(0).commit()
			then(r)
			r.start()
			r.pass(8 * time.Second)
		}
	}
	tests := []fault{
		{id: "nothing happened", run: down(func(r *rig) {}), want: lines(0, 50)},
		{id: "not committed", run: func(r *rig) {
			r.append("x.log", lines(0, 5)).step(0).commit().append("x.log", lines(5, 9)).step(time.Second).start()
			r.pass(time.Second)
		}, want: lines(0, 9)},
		{id: "grown", run: down(func(r *rig) { r.append("x.log", lines(50, 60)) }), want: lines(0, 60)},
		{id: "T13 another file of the same name", run: down(func(r *rig) { r.remove("x.log").append("x.log", lines(50, 60)) }), want: lines(0, 60)},
		{id: "T13 a longer one", run: down(func(r *rig) { r.remove("x.log").append("x.log", lines(50, 160)) }), want: lines(0, 160)},
		{id: "truncated", run: down(func(r *rig) { r.truncate("x.log", 0).append("x.log", lines(50, 60)) }), want: lines(0, 60)},
		{id: "truncated and longer", run: down(func(r *rig) { r.truncate("x.log", 0).append("x.log", lines(50, 160)) }), want: lines(0, 160)},
		{id: "T27 copied to another inode", run: down(func(r *rig) {
			r.copy("x.log", "tmp").append("tmp", lines(50, 60)).remove("x.log").rename("tmp", "x.log")
		}), want: lines(0, 60)},
		{id: "rotated", run: down(func(r *rig) {
			r.append("x.log", lines(50, 60)).rename("x.log", "x.log.1").append("x.log", lines(60, 70))
		}), want: lines(0, 70)},
		{id: "T29 only packed", run: down(func(r *rig) {
			r.append("x.log", lines(50, 60)).rename("x.log", "x.log.20260317-101112").gzip("x.log.20260317-101112").append("x.log", lines(60, 70))
		}), want: lines(0, 70)},
		{id: "T30 four rotations", run: down(func(r *rig) {
			r.append("x.log", lines(50, 60))
			for i := range 4 {
				at := fmt.Sprint("x.log.20260317-10111", i)
				r.rename("x.log", at).append("x.log", lines(60+10*i, 70+10*i))
				if i < 3 {
					r.gzip(at)
				}
			}
		}), want: lines(0, 100)},
		{id: "T31 deleted", run: down(func(r *rig) {
			r.append("x.log", lines(50, 60)).remove("x.log").append("x.log.20260317-101112", lines(70, 80)).gzip("x.log.20260317-101112").append("x.log", lines(80, 81))
		}), want: lines(0, 50) + lines(70, 81)},
		{id: "half a line that was rotated and packed", run: func(r *rig) {
			l := lines(0, 10)
			r.append("x.log", l[:100]).step(0).commit().append("x.log", l[100:]).rename("x.log", "x.log.1").gzip("x.log.1").append("x.log", lines(10, 12)).start()
			r.pass(8 * time.Second)
		}, want: lines(0, 12)},
		{id: "finished ones are not read again", opt: Options{History: true}, run: func(r *rig) {
			r.append("x.log", lines(0, 5)).step(0).rename("x.log", "x.log.1").append("x.log", lines(5, 10)).pass(2*time.Second).commit().
				rename("x.log.1", "x.log.2").rename("x.log", "x.log.1").gzip("x.log.2").append("x.log", lines(10, 15)).start()
			r.pass(8 * time.Second)
		}, want: lines(0, 15)},
		{id: "history is not read", run: func(r *rig) {
			r.append("x.log.1", lines(100, 105)).append("x.log", lines(0, 5)).step(0).rename("x.log.1", "x.log.2").rename("x.log", "x.log.1").append("x.log", lines(5, 6)).pass(2 * time.Second)
		}, want: lines(0, 6)},
		{id: "history is read", opt: Options{History: true}, run: func(r *rig) {
			r.append("x.log.2", lines(0, 5)).gzip("x.log.2").append("x.log.1", lines(5, 7)).append("x.log", lines(7, 9)).pass(7 * time.Second)
		}, want: lines(0, 9)},
		{id: "from the end", opt: Options{End: true}, run: func(r *rig) {
			r.append("x.log", lines(0, 5)+lines(5, 6)[:20]).step(0).append("x.log", lines(5, 6)[20:]).pass(time.Second).commit()
			r.start()
			r.append("x.log", lines(6, 7)).pass(time.Second)
		}, want: lines(5, 7)},
		{id: "from the end, nothing came", opt: Options{End: true}, run: func(r *rig) {
			r.append("x.log", lines(0, 5)).step(0).commit().start()
			r.append("x.log", lines(5, 7)).pass(time.Second)
		}, want: lines(5, 7)},
		{id: "in the middle of a long line", run: func(r *rig) {
			r.append("x.log", strings.Repeat("x", 3<<20)).step(0).commit().start()
			r.append("x.log", "yy\n"+lines(0, 1)).pass(time.Second)
		}, want: strings.Repeat("x", source.HeadKept) + lines(0, 1)},
	}
	runFaults(t, tests)
	for i := range tests {
		tests[i].id += ", without handles"
		tests[i].opt.System = noHandles{}
	}
	runFaults(t, tests)
}

// noHandles is a disk whose files have no handle, T14.
type noHandles struct{ Disk }

type noHandle struct{ File }

func (noHandle) Handle() string { return "" }

func (d noHandles) Open(path string) (File, string, error) {
	f, at, err := d.Disk.Open(path)
	return noHandle{f}, at, err
}

const (
	podDir  = "pods/shop_cart-6d5f7c9b8-x2x7k_0b0e6f0e-0000-4000-8000-000000000001/istio-proxy/"
	criHead = "2026-03-17T10:07:58.113456789Z stdout "
)

// cri wraps lines as a container runtime does.
func cri(tag, text string) string {
	var b strings.Builder
	for l := range strings.Lines(text) {
		b.WriteString(criHead + tag + " " + strings.TrimSuffix(l, "\n") + "\n")
	}
	return b.String()
}

func TestPods(t *testing.T) {
	f := cri("F", lines(0, 40))
	line := func(from, to int) string { return cri("F", lines(from, to)) }
	runFaults(t, []fault{
		{id: "a pod that comes later", run: func(r *rig) {
			r.append("pods/x", "").step(0).append(podDir+"0.log", line(0, 5)).pass(2 * time.Second)
		}, want: line(0, 5)},
		{id: "other containers and other files", run: func(r *rig) {
			r.append(podDir+"0.log", line(0, 5)).append(strings.Replace(podDir, "istio-proxy", "cart", 1)+"0.log", line(7, 8)).append(podDir+"x.log", line(7, 8)).pass(2 * time.Second)
		}, want: line(0, 5)},
		{id: "T26 a container restarts", run: func(r *rig) {
			r.append(podDir+"0.log", line(0, 5)).step(0).append(podDir+"0.log", line(5, 9000)).append(podDir+"1.log", line(9000, 9009)).pass(2 * time.Second)
		}, want: line(0, 9009)},
		{id: "T23 the pod is deleted", run: func(r *rig) {
			r.append(podDir+"0.log", line(0, 5)).step(0).append(podDir+"0.log", line(5, 9)).remove("pods").pass(8 * time.Second).commit().step(time.Second)
			if len(r.f.order) != 0 || r.f.open != 0 {
				r.t.Errorf("%d streams and %d files are left", len(r.f.order), r.f.open)
			}
		}, want: line(0, 9)},
		{id: "T57 pieces over a rotation", run: func(r *rig) {
			r.append(podDir+"0.log", line(0, 1)+cri("P", "[2026-03-17T10:07")).pass(2*time.Second).rename(podDir+"0.log", podDir+"0.log.20260317-101112").
				append(podDir+"0.log", cri("F", ":58.113Z] x\n")+line(1, 2)).pass(2 * time.Second)
			if b := r.f.order[0]; len(b.held) != 0 {
				r.t.Errorf("held: %q", b.held)
			}
		}, want: line(0, 1) + cri("P", "[2026-03-17T10:07") + cri("F", ":58.113Z] x\n") + line(1, 2)},
		{id: "T57 with a restart, and the first file is gone", run: func(r *rig) {
			r.append(podDir+"0.log", line(0, 1)+cri("P", "[2026-03-17T10:07")).pass(2*time.Second).rename(podDir+"0.log", podDir+"0.log.20260317-101112").
				append(podDir+"0.log", "").pass(8 * time.Second).commit().remove(podDir + "0.log.20260317-101112").start()
			r.append(podDir+"0.log", cri("F", ":58.113Z] x\n")+line(1, 2)).pass(2 * time.Second)
		}, want: line(0, 1) + cri("P", "[2026-03-17T10:07") + cri("F", ":58.113Z] x\n") + line(1, 2)},
		{id: "T58 a piece that nothing follows", run: func(r *rig) {
			r.append(podDir+"0.log", line(0, 1)+cri("P", "[2026-03-17T10:07")).pass(waitPiece + time.Second)
		}, want: line(0, 1) + cri("P", "[2026-03-17T10:07")},
		{id: "from history", opt: Options{History: true}, run: func(r *rig) {
			r.append(podDir+"0.log.20260317-101110", f[:500]).gzip(podDir+"0.log.20260317-101110").append(podDir+"0.log.20260317-101112", f[500:1500]).append(podDir+"0.log", f[1500:]).pass(7 * time.Second)
		}, want: f},
	}, "pods")
}

func TestLinks(t *testing.T) {
	r := newRig(t, Options{}, "containers/*.log")
	line := func(from, to int) string { return cri("F", lines(from, to)) }
	link := func(target, name string) {
		r.check(os.MkdirAll(r.path("containers"), 0o755))
		os.Remove(r.path("containers/" + name))
		r.check(os.Symlink(r.path(target), r.path("containers/"+name)))
	}
	name := "cart-6d5f7c9b8-x2x7k_shop_istio-proxy-0123456789ab.log"
	link(podDir+"0.log", name) // T19: dangling
	r.pass(2*time.Second).append(podDir+"0.log", line(0, 3)).pass(2 * time.Second)
	link(podDir+"0.log", "cart-6d5f7c9b8-x2x7k_shop_istio-proxy-again.log") // T17
	r.append(podDir+"0.log", line(3, 4)).pass(2 * time.Second)
	r.append(podDir+"0.log", line(4, 6)).append(podDir+"1.log", line(6, 7)) // T18
	link(podDir+"1.log", name)
	r.pass(7 * time.Second)
	// T20: three hops
	r.append("docker/id/id-json.log", line(7, 9))
	other := strings.Replace(podDir, "cart", "till", 1)
	r.check(os.MkdirAll(r.path(other), 0o755))
	r.check(os.Symlink(r.path("docker/id/id-json.log"), r.path(other+"0.log")))
	link(other+"0.log", "till-6d5f7c9b8-x2x7k_shop_istio-proxy-0123456789ac.log")
	r.pass(7 * time.Second).want(line(0, 9))
	places := ""
	for _, s := range r.f.order {
		places += s.src.Namespace + "/" + s.src.Pod + "/" + s.src.Container + " "
	}
	if want := "shop/cart-6d5f7c9b8-x2x7k/istio-proxy shop/till-6d5f7c9b8-x2x7k/istio-proxy "; places != want {
		t.Errorf("streams of %s, want %s", places, want)
	}
}

// T15, T16: files that only begin alike, and files that are one.
func TestTwins(t *testing.T) {
	r := newRig(t, Options{}, "*.log")
	r.append("a.log", lines(0, 100)+lines(100, 101)).append("b.log", lines(0, 100)+lines(101, 102))
	r.check(os.Link(r.path("a.log"), r.path("c.log")))
	r.pass(3 * time.Second).want(lines(0, 101) + lines(0, 100) + lines(101, 102))
}

// T82: what is no regular file is refused and holds up nothing.
func TestNoRegularFiles(t *testing.T) {
	r := newRig(t, Options{}, "*.log")
	r.append("a.log", lines(0, 3))
	r.check(syscall.Mkfifo(r.path("fifo.log"), 0o644))
	r.check(os.Mkdir(r.path("dir.log"), 0o755))
	r.check(os.Symlink("/dev/zero", r.path("zero.log")))
	begin := time.Now()
	r.pass(3 * time.Second).want(lines(0, 3))
	if d := time.Since(begin); d > time.Second {
		t.Errorf("it took %v", d)
	}
	if len(r.f.bad) != 3 || r.f.counts.Refused != 3 {
		t.Errorf("%d refused, %q", r.f.counts.Refused, r.f.bad)
	}
}

// T78: more files than may be open.
func TestFewFiles(t *testing.T) {
	r := newRig(t, Options{MaxOpen: 16}, "*.log")
	want := 0
	for i := range 200 {
		r.append(fmt.Sprintf("%d.log", i), lines(i, i+3))
		want += len(lines(i, i+3))
	}
	r.pass(3 * time.Second)
	for i := range 200 {
		r.append(fmt.Sprintf("%d.log", i), lines(0, 2))
		want += len(lines(0, 2))
	}
	r.pass(3 * time.Second)
	if r.f.open > 16 || r.f.waiting != 0 || r.text.Len() != want {
		t.Errorf("%d open, %d waiting, %d bytes, want %d", r.f.open, r.f.waiting, r.text.Len(), want)
	}
}

// T24: a deleted file is kept open for so many bytes, and for so long.
func TestHoldBudget(t *testing.T) {
	r := newRig(t, Options{HoldBytes: 10 << 10})
	r.append("x.log", lines(0, 5)).step(0).append("x.log", lines(5, 500)).remove("x.log")
	r.look()
	r.pass(time.Second).want(lines(0, 5))
	if want := int64(len(lines(5, 500))); r.lost[source.HoldBudget] != want {
		t.Errorf("lost %d bytes, want %d", r.lost[source.HoldBudget], want)
	}
	r = newRig(t, Options{HoldTime: time.Minute})
	r.append("x.log", lines(0, 5)).step(0).append("x.log", lines(5, 500)).remove("x.log")
	r.look()
	r.now = r.now.Add(2 * time.Minute) // nobody came to read
	r.look()
	r.pass(time.Second).want(lines(0, 5))
	if want := int64(len(lines(5, 500))); r.lost[source.HoldBudget] != want {
		t.Errorf("lost %d bytes, want %d", r.lost[source.HoldBudget], want)
	}
}

// T25: a pod that is there for two seconds is read to its end.
func TestShortLives(t *testing.T) {
	r := newRig(t, Options{}, "pods")
	r.append("pods/README", "").pass(time.Second)
	want := ""
	for i := range 20 {
		text := cri("F", lines(50*i, 50*i+50))
		r.append(podLog(i), text).pass(2 * time.Second).remove(strings.TrimSuffix(podLog(i), "/istio-proxy/0.log"))
		want += text
	}
	r.pass(7 * time.Second).want(want)
}

// A pod's own log is not followed.
func TestSelf(t *testing.T) {
	r := newRig(t, Options{Self: "cart-6d5f7c9b8-x2x7k"}, "pods")
	r.append(podDir+"0.log", cri("F", lines(0, 5))).pass(2 * time.Second).want("")
	if _, err := os.Stat(filepath.Join(r.dir, podDir)); err != nil {
		t.Error(err)
	}
}
