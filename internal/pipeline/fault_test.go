package pipeline

import (
	"fmt"
	"strings"
	"sync"
	"testing"

	"github.com/flagwatch/flagwatch/classify"
	"github.com/flagwatch/flagwatch/internal/ledger"
	"github.com/flagwatch/flagwatch/internal/source"
	"github.com/flagwatch/flagwatch/parser"
	"github.com/flagwatch/flagwatch/sinks"
)

// TestFaultWhileRendering demands that a panic costs its record only.
func TestFaultWhileRendering(t *testing.T) {
	var text strings.Builder
	for id := range 1000 {
		text.WriteString(accessLine(200, "-", id))
	}
	var out strings.Builder
	var mu sync.Mutex
	faults := 0
	opt := Options{
		Workers: 3,
		Out:     &out,
		Emit: func(buf []byte, b *source.Batch, r *parser.Record, _ classify.Verdict) []byte {
			line := b.From.Line + int64(r.Line)
			if r.Kind == parser.Access && line%10 == 0 {
				panic("a fault")
			}
			return fmt.Appendf(buf, "%d %s\n", line, r.Kind)
		},
		Fault: func(value any, stack []byte) {
			mu.Lock()
			defer mu.Unlock()
			if faults++; value != "a fault" || !strings.Contains(string(stack), "fault_test.go") {
				t.Errorf("%v: %s", value, stack)
			}
		},
	}
	m := ledger.NewMemory()
	if err := Run(t.Context(), &chopper{rest: []byte(text.String()), size: 5000}, m, opt); err != nil {
		t.Fatal(err)
	}
	var want strings.Builder
	for line := 1; line <= 1000; line++ {
		kind := parser.Access
		if line%10 == 0 {
			kind = parser.Invalid
		}
		fmt.Fprintf(&want, "%d %s\n", line, kind)
	}
	if out.String() != want.String() {
		t.Errorf("output %s", out.String())
	}
	m.View(func(s *sinks.Snapshot) {
		id := s.Identity(sinks.Input{Bytes: int64(text.Len())})
		if inv := id.Kinds["invalid"]; !id.Complete || inv.Records != 100 || inv.Lines != 100 || faults != 100 {
			t.Errorf("%d faults, %+v", faults, id)
		}
		if r := s.Report().Invalid; len(r) != 1 || r[0].Reason != "internal" {
			t.Errorf("%+v", r)
		}
	})
}

// TestFaultBetweenParts demands that bytes are not counted twice when records
// stand between the parts of another.
func TestFaultBetweenParts(t *testing.T) {
	const stamp = "2024-05-01T10:00:00.000000000Z "
	text := stamp + "stdout P one \n" + stamp + "stderr F two\n" + stamp + "stdout F three\n" + stamp + "stdout F four\n"
	records := 0
	opt := Options{
		Workers: 1,
		Out:     new(strings.Builder),
		Emit: func(buf []byte, _ *source.Batch, _ *parser.Record, _ classify.Verdict) []byte {
			if records++; records == 2 {
				panic("a fault")
			}
			return buf
		},
	}
	m := ledger.NewMemory()
	if err := Run(t.Context(), &chopper{rest: []byte(text), size: len(text)}, m, opt); err != nil {
		t.Fatal(err)
	}
	m.View(func(s *sinks.Snapshot) {
		if id := s.Identity(sinks.Input{Bytes: int64(len(text))}); !id.Complete || id.Records != 4 || id.Kinds["invalid"].Records != 1 {
			t.Errorf("%+v", id)
		}
	})
}
