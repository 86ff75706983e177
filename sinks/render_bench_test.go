package sinks

import (
	"fmt"
	"io"
	"slices"
	"strings"
	"testing"
	"time"
)

// manyCauses is a report of a thousand causes, and of as many places as a
// Snapshot of a hundred thousand of them keeps.
func manyCauses() *Report {
	r := manyPlaces(100_000).Report()
	card := r.Causes[0]
	r.Causes = nil
	for i := range 1000 {
		c := card
		c.ID = fmt.Sprintf("team-cause-%d", i)
		c.Verdict.Cause = c.ID
		r.Causes = append(r.Causes, c)
	}
	return r
}

// manyPlaces counts a failure at each of n clusters, hosts and paths.
func manyPlaces(n int) *Snapshot {
	s, d := NewSnapshot(), NewDelta()
	begin := time.Date(2026, 3, 2, 10, 0, 0, 0, time.UTC)
	var b strings.Builder
	for i := range n {
		a := refused(begin.Add(time.Duration(i) * 20 * time.Millisecond).Format("2006-01-02T15:04:05.000Z"))
		a.cluster = fmt.Sprintf("outbound|9080||service-%d.shop.svc.cluster.local", i)
		a.host = fmt.Sprintf("10.%d.%d.%d:9080", i>>16&255, i>>8&255, i&255)
		b.WriteString(strings.Replace(a.String(), "/reviews/7", fmt.Sprintf("/reviews/%d", i), 1))
		if i%1000 == 999 || i == n-1 {
			countBlock(d, Origin{Input: "a"}, b.String())
			b.Reset()
		}
	}
	s.Merge(d)
	return s
}

// What a redraw and each format cost for a report as large as it gets.
func BenchmarkRender(b *testing.B) {
	r := manyCauses()
	list := writers()
	names := []string{}
	for name := range list {
		names = append(names, name)
	}
	slices.Sort(names)
	for _, name := range names {
		b.Run(name, func(b *testing.B) {
			for b.Loop() {
				if err := list[name](io.Discard, r); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}

// What it costs to compute a report of a hundred thousand places.
func BenchmarkReport(b *testing.B) {
	s := manyPlaces(100_000)
	b.ResetTimer()
	for b.Loop() {
		s.Report()
	}
}
