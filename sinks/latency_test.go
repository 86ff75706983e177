package sinks

import (
	"fmt"
	"strings"
	"testing"
	"time"
)

// timed is a record that took so long, at a time of milliseconds.
func timed(a access, at, ms int64) string {
	a.time = time.UnixMilli(at).UTC().Format("2006-01-02T15:04:05.000Z")
	return strings.Replace(a.String(), " 0 95 3 2 ", fmt.Sprintf(" 0 95 %d 2 ", ms), 1)
}

// Failed requests are all measured, of the others those of some milliseconds;
// what ends when its user likes is not measured.
func TestLatency(t *testing.T) {
	var b strings.Builder
	const begin = 1772445600000
	measured := uint64(0)
	for at := int64(begin); at < begin+4000; at++ {
		b.WriteString(timed(access{}, at, 20))
		b.WriteString(timed(access{code: "0", details: "-"}, at, 3_600_000))
		b.WriteString(timed(access{code: "101"}, at, 3_600_000))
		if lookedAt(at * 1e6) {
			measured++
		}
	}
	for i := range int64(40) {
		b.WriteString(timed(access{code: "504", flags: "UT", details: "response_timeout"}, begin+i, 15_000+i%3))
	}
	for i := range int64(10) {
		b.WriteString(timed(refused(""), begin+i, 4))
	}
	r := reportOf(b.String())
	l := r.Latency
	if measured < 100 || l == nil || l.OK == nil || l.OK.Count != measured || l.OK.P50 != 20 || l.OK.Max != 20 {
		t.Errorf("ok: %+v, of %d", l.OK, measured)
	}
	if l.Failed == nil || l.Failed.Count != 50 || l.Failed.P50 != 15_002 || l.Failed.Max != 15_002 {
		t.Errorf("failed: %+v", l.Failed)
	}
	if got := fmt.Sprint(l.Timeouts); got != "[{15 40 0}]" {
		t.Errorf("timeouts %s", got)
	}
	out := string(render(t, r, TextOptions{}))
	if want := "duration    failed median 15,002 ms, 99 % up to 15,002 ms, 40 at 15 s\n                 ok median 20 ms, 99 % up to 20 ms\n"; !strings.Contains(out, want) {
		t.Errorf("no %q in\n%s", want, out)
	}
}

// Quantiles of few requests are not told.
func TestLatencyOfFew(t *testing.T) {
	out := string(render(t, reportOf(strings.Repeat(refused("").String(), 19)), TextOptions{}))
	if !strings.Contains(out, "duration    failed up to 3 ms\n") {
		t.Error(out)
	}
	if r := reportOf("hello\n"); r.Latency != nil || r.Clients != nil {
		t.Errorf("%+v, %+v", r.Latency, r.Clients)
	}
}

// Latencies and clients of parts are those of the whole, and of a Delta that
// was used before.
func TestLatencyMerges(t *testing.T) {
	blocks := mixture()
	whole, parts, d := NewDelta(), NewSnapshot(), NewDelta()
	for i, block := range blocks {
		countBlock(whole, Origin{Input: "a"}, block)
		countBlock(d, Origin{Input: "a"}, block)
		if i%3 == 2 || i == len(blocks)-1 {
			parts.Merge(d)
			d.Reset()
		}
	}
	s := NewSnapshot()
	s.Merge(whole)
	want, got := s.Report(), parts.Report()
	if a, b := encoded(t, want.Latency, true), encoded(t, got.Latency, true); a != b {
		t.Errorf("latency %s, want %s", b, a)
	}
	if a, b := encoded(t, want.Clients, true), encoded(t, got.Clients, true); a != b {
		t.Errorf("clients %s, want %s", b, a)
	}
	if want.Latency == nil || want.Latency.Failed == nil || want.Clients == nil {
		t.Error("nothing was compared")
	}
}
