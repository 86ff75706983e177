package pipeline

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/flagwatch/flagwatch/internal/ledger"
	"github.com/flagwatch/flagwatch/internal/source"
	"github.com/flagwatch/flagwatch/parser"
	"github.com/flagwatch/flagwatch/sinks"
)

// oneLayout and otherLayout are in no list.
func oneLayout(n int) string {
	return fmt.Sprintf("2026-05-06T07:08:%02d.000Z GET /a/%d %d %s %d blue\n", n%60, n, []int{200, 503}[n%2], []string{"-", "UH"}[n%2], n)
}

func otherLayout(n int) string {
	return fmt.Sprintf("%d;%s;2026-05-06T08:08:%02d.000Z;POST;/b/%d;10.0.0.%d:80\n", []int{200, 504}[n%2], []string{"-", "UT"}[n%2], n%60, n, n%200)
}

func manyLines(layout func(int) string, n int) string {
	var b strings.Builder
	for i := range n {
		b.WriteString(layout(i))
	}
	return b.String()
}

// learned runs text through a pipeline and returns what was worked out and the
// report.
func learned(t *testing.T, text string, workers, size int, formats ...*parser.Format) (list []Learned, report *sinks.Report) {
	t.Helper()
	m := ledger.NewMemory()
	opt := Options{Workers: workers, Formats: formats, Learned: func(l Learned) { list = append(list, l) }}
	if err := Run(t.Context(), &chopper{rest: []byte(text), size: size}, m, opt); err != nil {
		t.Fatal(err)
	}
	m.View(func(s *sinks.Snapshot) { report = s.Report(sinks.Input{Bytes: int64(len(text))}) })
	return list, report
}

func TestLearn(t *testing.T) {
	text := manyLines(oneLayout, 1000)
	for _, workers := range []int{1, 4} {
		list, r := learned(t, text, workers, 4096)
		if len(list) != 1 || list[0].Again || list[0].At.Offset != 0 {
			t.Fatalf("%d layouts: %+v", len(list), list)
		}
		if r.Totals.Access != 1000 || r.Totals.Failed != 500 || !r.Accounting.Complete || len(r.Dialects) != 1 || r.Dialects[0].Name != "inferred" {
			t.Errorf("%d workers: %+v %+v", workers, r.Totals, r.Dialects)
		}
	}
}

// A layout that changes in mid-stream is worked out anew; what was written
// before anybody could know is the only text that is lost.
func TestLearnDrift(t *testing.T) {
	first := manyLines(oneLayout, 500)
	list, r := learned(t, first+manyLines(otherLayout, 500)+manyLines(oneLayout, 100), 1, 4096)
	if len(list) != 2 || list[0].Again || !list[1].Again {
		t.Fatalf("%d layouts: %+v", len(list), list)
	}
	if at := int(list[1].At.Offset); at < len(first)-4200 || at > len(first)+2*4200 {
		t.Errorf("the second layout from byte %d, the change is at %d", at, len(first))
	}
	lost := r.Totals.Records - r.Totals.Access
	if r.Totals.Records != 1100 || lost > 100 || !r.Accounting.Complete {
		t.Errorf("%+v", r.Totals)
	}
}

// What is worked out, and so what is read, does not depend on the number of
// workers: neither where layouts change nor where some lines have none.
func TestLearnAlike(t *testing.T) {
	var text strings.Builder
	for i := range 40 {
		text.WriteString(manyLines(oneLayout, 30+i*7%50))
		text.WriteString(strings.Repeat("503 is said here, and UF - \"in words\" 9\n", i*i%17))
		text.WriteString(manyLines(otherLayout, 20+i*11%60))
		text.WriteString(manyLines(func(n int) string { return accessLine(200, "-", n) }, i%5*20))
	}
	want, wanted := learned(t, text.String(), 1, 4096)
	if len(want) < 2 {
		t.Fatalf("%d layouts", len(want))
	}
	for range 5 {
		got, report := learned(t, text.String(), 8, 4096)
		if len(got) != len(want) || report.Totals != wanted.Totals {
			t.Errorf("8 workers: %d layouts, %+v, want %d, %+v", len(got), report.Totals, len(want), wanted.Totals)
		}
	}
}

// Known layouts are nothing to work out, nor what the caller gave.
func TestLearnNothing(t *testing.T) {
	known := manyLines(func(n int) string { return accessLine(200, "-", n) }, 200)
	if list, r := learned(t, known, 2, 4096); len(list) > 0 || r.Totals.Access != 200 {
		t.Errorf("known: %+v, %+v", list, r.Totals)
	}
	torn := accessLine(503, "UF", 1)
	torn = torn[:strings.Index(torn, "UF")+2]
	if list, _ := learned(t, known+torn, 2, 4096); len(list) > 0 {
		t.Errorf("a torn line: %+v", list)
	}
	f, err := parser.Compile("%START_TIME% %REQ(:METHOD)% %REQ(:PATH)% %RESPONSE_CODE% %RESPONSE_FLAGS% %DURATION% %REQ(X-TENANT)%")
	if err != nil {
		t.Fatal(err)
	}
	if list, r := learned(t, manyLines(oneLayout, 200), 2, 4096, f); len(list) > 0 || r.Dialects[0].Name != "custom" {
		t.Errorf("given: %+v, %+v", list, r.Dialects)
	}
}

// Two streams with one layout share a parser, and a stream of its own layout
// does not disturb them.
func TestLearnStreams(t *testing.T) {
	src := &turns{streams: []*chopper{
		{stream: source.Stream{Name: "a"}, rest: []byte(manyLines(oneLayout, 300)), size: 2048},
		{stream: source.Stream{Name: "b"}, rest: []byte(manyLines(otherLayout, 300)), size: 2048},
		{stream: source.Stream{Name: "c"}, rest: []byte(manyLines(oneLayout, 300)), size: 2048},
	}}
	var names []string
	m := ledger.NewMemory()
	opt := Options{Workers: 3, Learned: func(l Learned) { names = append(names, l.Stream.Name) }}
	if err := Run(t.Context(), src, m, opt); err != nil {
		t.Fatal(err)
	}
	slices.Sort(names)
	if want := []string{"a", "b", "c"}; !slices.Equal(names, want) {
		t.Errorf("layouts of %q", names)
	}
	m.View(func(s *sinks.Snapshot) {
		if r := s.Report(); r.Totals.Access != 900 {
			t.Errorf("%+v", r.Totals)
		}
	})
}
