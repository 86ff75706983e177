package sinks

import (
	"bytes"
	"encoding/json"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/flagwatch/flagwatch/classify"
	"github.com/flagwatch/flagwatch/parser"
)

// counted is a Delta of all golden logs.
func counted(t testing.TB) *Delta {
	t.Helper()
	logs, err := filepath.Glob("../testdata/logs/*/*.log")
	if err != nil || len(logs) == 0 {
		t.Fatal("no logs", err)
	}
	d := NewDelta()
	d.CountSeries()
	causes := classify.Default()
	p := parser.NewParser(Wanted | causes.Fields())
	for i, path := range logs {
		data, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		data = append(data, make([]byte, parser.Padding)...)[:len(data)]
		from := Origin{Input: path, Source: "test", Namespace: "shop", Pod: []string{"cart-6d5f7c9b8-x2x7k", "till-0"}[i%2], Container: "istio-proxy", Block: data}
		p.Reset(data)
		for r, ok := p.Next(); ok; r, ok = p.Next() {
			d.Add(&from, r, causes.Classify(r))
		}
	}
	d.AddDiscarded("oversize", 7)
	d.AddLost("rotated-away", 9)
	return d
}

func report(t testing.TB, s *Snapshot) string {
	t.Helper()
	var b bytes.Buffer
	if err := s.Report().WriteJSON(&b); err != nil {
		t.Fatal(err)
	}
	return b.String()
}

// TestState demands that nothing shows whether a Snapshot was restored, also
// after more was counted.
func TestState(t *testing.T) {
	d := counted(t)
	want, twice := NewSnapshot(), NewSnapshot()
	want.Merge(d)
	want.Stamp(time.Unix(1_800_000_000, 0))
	data := want.AppendState(nil)
	got, whole, err := RestoreSnapshot(data, nil)
	if err != nil || !whole {
		t.Fatal(whole, err)
	}
	compare := func(got, want *Snapshot) {
		t.Helper()
		if g, w := report(t, got), report(t, want); g != w {
			t.Error("another report")
		}
		g, _ := json.Marshal(sorted(got.sum.counters()))
		w, _ := json.Marshal(sorted(want.sum.counters()))
		if !bytes.Equal(g, w) {
			t.Errorf("other counters:\n%s\n%s", g, w)
		}
	}
	compare(got, want)
	twice.Merge(d)
	twice.Merge(d)
	twice.Stamp(time.Unix(1_800_000_000, 0))
	got.Merge(d)
	compare(got, twice)
}

// TestRestoreMetrics demands that metrics do not show how much was restored.
func TestRestoreMetrics(t *testing.T) {
	s := NewSnapshot()
	s.Merge(counted(t))
	s.Stamp(time.Unix(1_800_000_000, 0))
	data := s.AppendState(nil)
	some, err := RestoreMetrics(data)
	if err != nil {
		t.Fatal(err)
	}
	all, _, err := RestoreSnapshot(data, nil)
	if err != nil {
		t.Fatal(err)
	}
	for _, now := range []time.Time{{}, time.Unix(1_800_000_030, 0), time.Unix(1_800_000_090, 0)} {
		o := MetricOptions{Version: "1", Now: now, BornFor: time.Minute, Inputs: []string{"test", "none"}}
		var want, got, once bytes.Buffer
		for b, s := range map[*bytes.Buffer]*Snapshot{&want: all, &got: some, &once: s} {
			if err := s.WriteMetrics(b, o); err != nil {
				t.Fatal(err)
			}
		}
		if got.String() != want.String() || got.String() != once.String() {
			t.Errorf("other metrics at %v:\n%s\nwant\n%s", now, &got, &want)
		}
	}
	if _, err := RestoreMetrics(data[:20]); err == nil {
		t.Error("half a state has metrics")
	}
}

func sorted(c *counters) *counters {
	for _, list := range c.families() {
		sortBy(*list, func(r tallyRow) uint64 { return r.N }, func(r tallyRow) string {
			b, _ := json.Marshal(r)
			return string(b)
		})
	}
	return c
}

// TestStateOfAnotherVersion demands that counters go on.
func TestStateOfAnotherVersion(t *testing.T) {
	s := NewSnapshot()
	s.Merge(counted(t))
	data := s.AppendState(nil)
	shape := []byte(codec(nil).Shape(Delta{}))
	i := bytes.Index(data, shape)
	other := append(bytes.Replace(data[:i+shapeLen], shape, []byte("0123456789abcdef"), 1), "something else"...)
	got, whole, err := RestoreSnapshot(other, nil)
	if err != nil || whole {
		t.Fatal(whole, err)
	}
	g, _ := json.Marshal(sorted(got.sum.counters()))
	w, _ := json.Marshal(sorted(s.sum.counters()))
	if !bytes.Equal(g, w) {
		t.Errorf("other counters:\n%s\n%s", g, w)
	}
	if id := got.Identity(); !id.Complete {
		t.Errorf("%+v", id)
	}
}

func FuzzRestore(f *testing.F) {
	s := NewSnapshot()
	s.Merge(counted(f))
	f.Add(s.AppendState(nil))
	f.Fuzz(func(t *testing.T, data []byte) {
		if s, _, err := RestoreSnapshot(data, nil); err == nil {
			s.AppendState(nil)
		}
	})
}

func BenchmarkAppendState(b *testing.B) {
	s := NewSnapshot()
	s.Merge(counted(b))
	b.SetBytes(int64(len(s.AppendState(nil))))
	for b.Loop() {
		s.AppendState(nil)
	}
}

// TestBuckets demands that a duration is in the first bucket that it fits in.
func TestBuckets(t *testing.T) {
	list := []int64{1 << 32, 1<<63 - 1}
	for ms := range bounds[len(bounds)-1] + 10 {
		list = append(list, ms)
	}
	for _, ms := range list {
		want := 0
		for want < len(bounds) && ms > bounds[want] {
			want++
		}
		if got := bucketFor(ms); got != want {
			t.Fatalf("%d ms are in bucket %d, want %d", ms, got, want)
		}
	}
}

func TestWorkload(t *testing.T) {
	for pod, want := range map[string]string{
		"cart-6d5f7c9b8-x2x7k":      "cart",
		"shop-cart-7f9c5d4b6-lm4zq": "shop-cart",
		"till-0":                    "till",
		"ztunnel-9xk2p":             "ztunnel",
		"backup-29012345-h7k2m":     "backup-29012345",
		"proxy":                     "proxy",
		"istio-ingress":             "istio-ingress",
		"node-a-20":                 "node-a",
		"":                          "",
	} {
		if got := workloadOf(pod); got != want {
			t.Errorf("%q: %q, want %q", pod, got, want)
		}
	}
}
