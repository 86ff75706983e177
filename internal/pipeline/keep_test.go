package pipeline

import (
	"context"
	"fmt"
	"io"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/flagwatch/flagwatch/classify"
	"github.com/flagwatch/flagwatch/internal/ledger"
	"github.com/flagwatch/flagwatch/internal/source"
	"github.com/flagwatch/flagwatch/parser"
	"github.com/flagwatch/flagwatch/sinks"
)

// A linesSource hands out a text as batches that end after random lines.
type linesSource struct {
	rnd    *rand.Rand
	stream *source.Stream
	lines  []string
	at     source.Position
}

func (s *linesSource) Next(_ context.Context, b *source.Batch) error {
	if len(s.lines) == 0 {
		return io.EOF
	}
	n := min(len(s.lines), 1+s.rnd.IntN(3))
	fill(b, s.stream, &s.at, strings.Join(s.lines[:n], ""))
	s.lines = s.lines[n:]
	return nil
}

// timedLines are access records of one a second, and lines without a time of
// which some stand in front of the first record.
func timedLines(rnd *rand.Rand, n int) (list []string) {
	for i := range n {
		if rnd.IntN(3) > 0 {
			list = append(list, fmt.Sprintf("text without a time, behind %d\n", i))
		} else {
			list = append(list, accessLine(200, "-", i))
		}
	}
	return list
}

// TestWindow compares with a reader of one line after the other.
func TestWindow(t *testing.T) {
	at := func(second int) int64 {
		return time.Date(2024, 5, 1, 10, 0, second, 0, time.UTC).UnixNano()
	}
	for seed := range uint64(60) {
		rnd := rand.New(rand.NewPCG(seed, 2))
		list := timedLines(rnd, 50)
		since, until := at(rnd.IntN(50)), at(rnd.IntN(60))
		if seed%4 == 1 {
			since = 0
		}
		if seed%4 == 2 || until < since {
			until = 0
		}
		var want []string
		last, before, after := int64(0), int64(0), int64(0)
		for _, line := range list {
			var second int
			if _, err := fmt.Sscanf(line, "[2024-05-01T10:00:%02d", &second); err == nil {
				last = at(second)
			}
			if last == 0 || last >= since && (until == 0 || last <= until) {
				want = append(want, line)
			} else if last < since {
				before = max(before, last)
			} else {
				after = max(after, last)
			}
		}
		for _, workers := range []int{1, 4} {
			src := &linesSource{rnd: rnd, stream: &source.Stream{Name: "a"}, lines: list}
			var out strings.Builder
			mem := ledger.NewMemory()
			keep := Keep{Since: since, Until: until, Before: new(Latest), After: new(Latest)}
			err := Run(t.Context(), src, mem, Options{Workers: workers, Epoch: often, Keep: keep, Out: &out, Emit: copyRecord})
			if err != nil {
				t.Fatal(err)
			}
			if keep.Before.Time() != before || keep.After.Time() != after {
				t.Errorf("seed %d: left out up to %d and %d, want %d and %d", seed, keep.Before.Time(), keep.After.Time(), before, after)
			}
			if got := slices.Collect(strings.Lines(out.String())); !slices.Equal(got, want) {
				t.Fatalf("seed %d, %d workers: %d records, want %d", seed, workers, len(got), len(want))
			}
			mem.View(func(s *sinks.Snapshot) {
				id := s.Identity()
				skipped := id.Skipped["access"].Records + id.Skipped["noise"].Records
				if id.Records != uint64(len(want)) || skipped != uint64(len(list)-len(want)) || !id.Complete || id.Read != uint64(len(strings.Join(list, ""))) {
					t.Errorf("seed %d: %+v", seed, id)
				}
			})
		}
	}
}

func copyRecord(buf []byte, b *source.Batch, r *parser.Record, _ classify.Verdict) []byte {
	return append(buf, b.Data[r.Begin:r.Begin+r.Size]...)
}

// Where a search has begun a stream, lines in front of the first time are not
// of the window.
func TestWindowBegunBehind(t *testing.T) {
	list := []string{"half a record\n", "more\n", accessLine(200, "-", 5), "of it\n"}
	src := &linesSource{rnd: rand.New(rand.NewPCG(1, 1)), stream: &source.Stream{Name: "a"}, lines: list, at: source.Position{Offset: 1000}}
	mem := ledger.NewMemory()
	if err := Run(t.Context(), src, mem, Options{Keep: Keep{Since: 1}}); err != nil {
		t.Fatal(err)
	}
	mem.View(func(s *sinks.Snapshot) {
		if id := s.Identity(); id.Records != 2 || id.Skipped["noise"].Records != 2 {
			t.Errorf("%+v", id)
		}
	})
}
