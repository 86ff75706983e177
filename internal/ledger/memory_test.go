package ledger

import (
	"errors"
	"fmt"
	"testing"

	"github.com/flagwatch/flagwatch/classify"
	"github.com/flagwatch/flagwatch/parser"
	"github.com/flagwatch/flagwatch/sinks"
)

func TestMemory(t *testing.T) {
	m := NewMemory()
	d := sinks.NewDelta()
	d.Add(&sinks.Origin{Input: "a"}, &parser.Record{Kind: parser.Noise, Size: 10, Lines: 1}, classify.Verdict{})
	d.AddDiscarded("oversize", 5)
	for range 2 {
		if err := m.Commit(t.Context(), Epoch{Delta: d}); err != nil {
			t.Fatal(err)
		}
	}
	d.Reset() // the ledger keeps nothing of it
	m.View(func(s *sinks.Snapshot) {
		id := s.Identity(sinks.Input{Name: "a", Bytes: 30})
		if id.Records != 2 || id.Bytes != 20 || id.Discarded["oversize"] != 10 || !id.Complete {
			t.Errorf("%+v", id)
		}
	})
}

// TestMemoryKeepsTheLast demands that the counts of a run's last epoch are
// added to those before it, and are all there is without any.
func TestMemoryKeepsTheLast(t *testing.T) {
	for before := range 3 {
		m := NewMemory()
		for i := range before + 1 {
			d := sinks.NewDelta()
			d.Add(&sinks.Origin{Input: "a"}, &parser.Record{Kind: parser.Noise, Size: 10, Lines: 1}, classify.Verdict{})
			if err := m.Commit(t.Context(), Epoch{Delta: d, Last: i == before}); err != nil {
				t.Fatal(err)
			}
		}
		m.View(func(s *sinks.Snapshot) {
			if id := s.Identity(); id.Records != uint64(before+1) {
				t.Errorf("%d records after %d epochs", id.Records, before+1)
			}
		})
	}
}

func TestFencedIsFound(t *testing.T) {
	if err := fmt.Errorf("partition 3: %w", ErrFenced); !errors.Is(err, ErrFenced) {
		t.Error(err)
	}
}
