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

func TestFencedIsFound(t *testing.T) {
	if err := fmt.Errorf("partition 3: %w", ErrFenced); !errors.Is(err, ErrFenced) {
		t.Error(err)
	}
}
