package pipeline

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"math/rand/v2"
	"runtime"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/flagwatch/flagwatch/internal/ledger"
	"github.com/flagwatch/flagwatch/internal/source"
	"github.com/flagwatch/flagwatch/parser"
	"github.com/flagwatch/flagwatch/sinks"
)

// accessLine is a record in Envoy's default format.
// https://www.envoyproxy.io/docs/envoy/latest/configuration/observability/access_log/usage#default-format-string
func accessLine(code int, flags string, id int) string {
	return fmt.Sprintf("[2024-05-01T10:00:%02d.000Z] \"GET /item/%d HTTP/1.1\" %d %s 0 12 3 2 \"-\" \"curl/8.5.0\" \"%d\" \"shop\" \"10.0.0.1:8080\"\n", id%60, id, code, flags, id)
}

// A fakeStream is a stream of lines that all have one code, which is no other
// stream's: so the codes tell which records were counted.
type fakeStream struct {
	*source.Stream
	code int
	text string
	at   source.Position
}

// records is how many records stand before an offset.
func (s *fakeStream) records(offset int64) uint64 {
	return uint64(strings.Count(s.text[:offset], "\n"))
}

// A fakeSource hands out batches of a few lines, of streams in random order.
type fakeSource struct {
	rnd     *rand.Rand
	streams []*fakeStream
	handed  []string // all batches, in the order they were handed out
	end     error    // instead of io.EOF
}

func newFakeSource(seed uint64, groups, each, records int) *fakeSource {
	s := &fakeSource{rnd: rand.New(rand.NewPCG(seed, 1)), end: io.EOF}
	for i := range groups * each {
		code := 200 + i
		var text strings.Builder
		for id := range records + s.rnd.IntN(records) {
			text.WriteString(accessLine(code, "-", id))
		}
		s.streams = append(s.streams, &fakeStream{
			Stream: &source.Stream{Name: fmt.Sprintf("stream-%d", i), Group: i % groups},
			code:   code, text: text.String(),
		})
	}
	return s
}

func (s *fakeSource) Next(ctx context.Context, b *source.Batch) error {
	if s.rnd.IntN(4) == 0 {
		runtime.Gosched()
	}
	left := slices.DeleteFunc(slices.Clone(s.streams), func(f *fakeStream) bool { return f.at.Offset == int64(len(f.text)) })
	switch {
	case ctx.Err() != nil:
		return ctx.Err()
	case len(left) == 0:
		return s.end
	}
	f := left[s.rnd.IntN(len(left))]
	n := 0
	for rest := f.text[f.at.Offset:]; n < len(rest) && s.rnd.IntN(20) > 0; {
		n += strings.IndexByte(rest[n:], '\n') + 1
	}
	if n == 0 {
		n = strings.IndexByte(f.text[f.at.Offset:], '\n') + 1
	}
	data := f.text[f.at.Offset:][:n]
	s.handed = append(s.handed, data)
	fill(b, f.Stream, &f.at, data)
	return nil
}

// fill makes data the batch that begins at at, and moves at behind it.
func fill(b *source.Batch, s *source.Stream, at *source.Position, data string) {
	b.Stream, b.From, b.Cut, b.Discarded = s, *at, false, [source.NumDiscards]int64{}
	b.Data = slices.Grow(b.Data[:0], len(data)+parser.Padding)
	b.Data = append(b.Data, data...)
	at.Offset += int64(len(data))
	at.Line += int64(strings.Count(data, "\n"))
	b.To = *at
}

// A fakeLedger keeps the groups apart, and checks at every commit that the
// counts are exactly those of the records before the ends.
type fakeLedger struct {
	t       *testing.T
	src     *fakeSource
	fail    func(e ledger.Epoch) error // before anything is committed
	commits int

	mu   sync.Mutex
	sums map[int]*sinks.Snapshot
	ends map[*source.Stream]source.Position
}

func newFakeLedger(t *testing.T, src *fakeSource) *fakeLedger {
	return &fakeLedger{t: t, src: src, sums: map[int]*sinks.Snapshot{}, ends: map[*source.Stream]source.Position{}}
}

func (l *fakeLedger) Commit(ctx context.Context, e ledger.Epoch) error {
	if ctx.Err() != nil {
		l.t.Error("the commit's context has ended")
	}
	if l.fail != nil {
		if err := l.fail(e); err != nil {
			return err
		}
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	l.commits++
	if l.sums[e.Group] == nil {
		l.sums[e.Group] = sinks.NewSnapshot()
	}
	l.sums[e.Group].Merge(e.Delta)
	for _, end := range e.Ends {
		if end.Stream.Group != e.Group || end.End.Offset <= l.ends[end.Stream].Offset {
			l.t.Errorf("group %d: %s ends at %d after %d", e.Group, end.Stream.Name, end.End.Offset, l.ends[end.Stream].Offset)
		}
		l.ends[end.Stream] = end.End
	}
	l.check(e.Group)
	return nil
}

func (l *fakeLedger) check(group int) {
	codes := l.codes(group)
	for _, f := range l.src.streams {
		if f.Group != group {
			continue
		}
		if want := f.records(l.ends[f.Stream].Offset); codes[f.code] != want {
			l.t.Errorf("commit %d: %d records of %s, which ends behind record %d", l.commits, codes[f.code], f.Name, want)
		}
	}
}

// codes are the committed counts of a group by code.
func (l *fakeLedger) codes(group int) map[int]uint64 {
	codes := map[int]uint64{}
	if sum := l.sums[group]; sum != nil {
		for _, c := range sum.Report().Codes {
			codes[c.Code] = c.Count
		}
	}
	return codes
}

// complete demands that all records of a group are committed.
func (l *fakeLedger) complete(group int) {
	l.t.Helper()
	codes := l.codes(group)
	for _, f := range l.src.streams {
		if want := f.records(int64(len(f.text))); f.Group == group && codes[f.code] != want {
			l.t.Errorf("%s: %d records in the end, want %d", f.Name, codes[f.code], want)
		}
	}
}

// A chopper hands out one text, read in pieces of a size and cut by the parser.
type chopper struct {
	stream source.Stream
	rest   []byte
	size   int
	at     source.Position
}

func (c *chopper) Next(_ context.Context, b *source.Batch) error {
	if len(c.rest) == 0 {
		return io.EOF
	}
	n, cut := 0, 0
	for cut == 0 {
		n = min(n+c.size, len(c.rest))
		cut = parser.Cut(c.rest[:n:n], &parser.FrameState{Final: n == len(c.rest)})
	}
	fill(b, &c.stream, &c.at, string(c.rest[:cut]))
	c.rest = c.rest[cut:]
	return nil
}

// report runs the pipeline over a source and returns the report as JSON.
func report(t *testing.T, src source.Source, opt Options) string {
	t.Helper()
	m := ledger.NewMemory()
	if err := Run(t.Context(), src, m, opt); err != nil {
		t.Fatal(err)
	}
	var buf bytes.Buffer
	m.View(func(s *sinks.Snapshot) {
		if err := s.Report().WriteJSON(&buf); err != nil {
			t.Fatal(err)
		}
	})
	return buf.String()
}

// turns takes batches from several choppers in turn.
type turns struct {
	streams []*chopper
	next    int
}

func (s *turns) Next(ctx context.Context, b *source.Batch) error {
	for range s.streams {
		c := s.streams[s.next%len(s.streams)]
		s.next++
		if err := c.Next(ctx, b); err != io.EOF {
			return err
		}
	}
	return io.EOF
}
