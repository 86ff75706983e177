//go:build unix

package tail

import (
	"compress/gzip"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/flagwatch/flagwatch/internal/source"
)

// A rig is a follower over a directory, with a clock that stands still.
type rig struct {
	t      testing.TB
	dir    string
	inputs []Input
	opt    Options
	f      *follower
	b      block
	now    time.Time

	ends  map[*source.Stream]int64
	text  strings.Builder // what was handed out since the last commit
	kept  string          // what was committed
	saved []byte
	lost  [source.NumLosses]int64
	gone  int64 // discarded
	total int64 // bytes of batches
}

func newRig(t testing.TB, opt Options, paths ...string) *rig {
	r := &rig{t: t, dir: t.TempDir(), opt: opt, now: time.Unix(1_800_000_000, 0)}
	if len(paths) == 0 {
		paths = []string{"x.log"}
	}
	in := Input{Name: "test", Containers: DefaultContainers()}
	for _, p := range paths {
		in.Paths = append(in.Paths, filepath.Join(r.dir, p))
	}
	r.inputs = []Input{in}
	r.start()
	return r
}

// start is a start of the process with what was saved.
func (r *rig) start() {
	if r.f != nil {
		r.f.closeAll()
	}
	opt := r.opt
	opt.fill()
	saved, err := ParseSaved(r.saved)
	if err != nil {
		r.t.Fatal(err)
	}
	opt.Saved = saved
	list := newFollowers(r.inputs, opt)
	if len(list) != 1 {
		r.t.Fatal("a rig has one path")
	}
	r.f = list[0]
	r.ends = map[*source.Stream]int64{}
	r.text.Reset()
}

// step lets time pass and takes all that is handed out.
func (r *rig) step(d time.Duration) *rig {
	r.now = r.now.Add(d)
	for n := 0; ; n++ {
		ok, wait := r.f.next(&r.b, r.now)
		if !ok {
			if wait <= 0 && n > 1000 {
				r.t.Fatal("it never waits")
			}
			if wait > 0 {
				return r
			}
			continue
		}
		if n > 100_000 {
			r.t.Fatal("it never ends")
		}
		b := &r.b.batch
		if b.To.Offset-b.From.Offset != int64(len(b.Data))+discarded(b) {
			r.t.Fatalf("%v to %v: %d bytes and %d discarded", b.From, b.To, len(b.Data), discarded(b))
		}
		if last, ok := r.ends[b.Stream]; ok && last != b.From.Offset {
			r.t.Fatalf("%s: batch from %d after one to %d", b.Stream.Name, b.From.Offset, last)
		}
		r.ends[b.Stream] = b.To.Offset
		r.text.Write(b.Data)
		r.total += b.Bytes()
		r.gone += discarded(b)
		for i, n := range b.Lost {
			r.lost[i] += n
		}
	}
}

func discarded(b *source.Batch) (n int64) {
	for _, d := range b.Discarded {
		n += d
	}
	return n
}

// pass lets time pass in steps of a poll.
func (r *rig) pass(d time.Duration) *rig {
	for ; d > 0; d -= pollEvery {
		r.step(pollEvery)
	}
	return r
}

// commit makes durable what was handed out.
func (r *rig) commit() *rig {
	saved, err := json.Marshal(&Saved{Version: savedVersion, Streams: r.f.save(nil, r.ends)})
	r.check(err)
	r.saved = saved
	r.kept += r.text.String()
	r.text.Reset()
	return r
}

func (r *rig) path(name string) string { return filepath.Join(r.dir, name) }

func (r *rig) check(err error) {
	r.t.Helper()
	if err != nil {
		r.t.Fatal(err)
	}
}

func (r *rig) append(name, text string) *rig {
	r.t.Helper()
	r.check(os.MkdirAll(filepath.Dir(r.path(name)), 0o755))
	f, err := os.OpenFile(r.path(name), os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o644)
	r.check(err)
	_, err = f.WriteString(text)
	r.check(err)
	r.check(f.Close())
	return r
}

func (r *rig) rename(from, to string) *rig {
	r.t.Helper()
	r.check(os.Rename(r.path(from), r.path(to)))
	return r
}

func (r *rig) remove(name string) *rig {
	r.t.Helper()
	r.check(os.RemoveAll(r.path(name)))
	return r
}

func (r *rig) truncate(name string, size int64) *rig {
	r.t.Helper()
	r.check(os.Truncate(r.path(name), size))
	return r
}

func (r *rig) copy(from, to string) *rig {
	r.t.Helper()
	data, err := os.ReadFile(r.path(from))
	r.check(err)
	r.check(os.WriteFile(r.path(to), data, 0o644))
	return r
}

// gzip packs a file as the kubelet does.
func (r *rig) gzip(name string) *rig {
	r.t.Helper()
	data, err := os.ReadFile(r.path(name))
	r.check(err)
	tmp, err := os.Create(r.path(name + ".tmp"))
	r.check(err)
	z := gzip.NewWriter(tmp)
	_, err = z.Write(data)
	r.check(err)
	r.check(z.Close())
	r.check(tmp.Close())
	r.check(os.Rename(r.path(name+".tmp"), r.path(name+".gz")))
	return r.remove(name)
}

// want demands that exactly this was handed out.
func (r *rig) want(text string) *rig {
	r.t.Helper()
	if got := r.kept + r.text.String(); got != text {
		r.t.Fatalf("handed out\n%s\nwant\n%s", clip(got), clip(text))
	}
	return r
}

func clip(s string) string {
	if len(s) > 2000 {
		return s[:1000] + "\n...\n" + s[len(s)-1000:]
	}
	return s
}

// lines are numbered access records.
func lines(from, to int) string {
	var b strings.Builder
	for i := from; i < to; i++ {
		fmt.Fprintf(&b, "[2026-03-17T10:07:58.113Z] \"GET /n/%d HTTP/1.1\" 200 - 0 5 3 2 \"-\" \"curl/8.5.0\" \"97728e73-e806-4ed0-917d-9d3d9eef3351\" \"cart:9080\" \"192.0.2.42:9080\"\n", i)
	}
	return b.String()
}

// look lets the follower see what there is without reading it.
func (r *rig) look() {
	r.f.mu.Lock()
	defer r.f.mu.Unlock()
	s := r.f.order[0]
	s.rescan = true
	r.f.scan(s, r.now)
	r.f.poll(s, r.now)
}
