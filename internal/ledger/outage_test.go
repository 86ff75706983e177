package ledger

import (
	"path/filepath"
	"testing"
	"time"

	"github.com/flagwatch/flagwatch/classify"
	"github.com/flagwatch/flagwatch/internal/source"
	"github.com/flagwatch/flagwatch/parser"
	"github.com/flagwatch/flagwatch/sinks"
)

// ends counts the places of streams that it was told.
type ends struct{ told int }

func (e *ends) Save(m map[*source.Stream]int64) ([]byte, error) {
	e.told += len(m)
	return []byte("places"), nil
}

// T84: where counts go refuses them for six hours. Reading goes on, nothing
// piles up, what is shown stays as it was, and then all of it is there.
func TestOutageOfSixHours(t *testing.T) {
	now, broken := time.Unix(1_800_000_000, 0), false
	state, err := OpenState(filepath.Join(t.TempDir(), "state"), StateOptions{
		Now: func() time.Time { return now },
		fail: func(string) error {
			if broken {
				return errDisk
			}
			return nil
		},
	})
	if err != nil {
		t.Fatal(err)
	}
	defer state.Close()
	var places ends
	state.Follow(&places)
	streams := make([]source.Stream, 10)
	records := uint64(0)
	commit := func() {
		e := Epoch{Delta: sinks.NewDelta()}
		for i := range streams {
			e.Delta.Add(&sinks.Origin{Input: "a"}, &parser.Record{Kind: parser.Noise, Size: 10, Lines: 1}, classify.Verdict{})
			records++
			e.Ends = append(e.Ends, StreamEnd{Stream: &streams[i], End: source.Position{Offset: int64(10 * records)}})
		}
		if err := state.Commit(t.Context(), e); err != nil {
			t.Fatal(err)
		}
		now = now.Add(5 * time.Second)
	}
	shown := func() (n uint64) {
		state.View(func(s *sinks.Snapshot) { n = s.Report().Totals.Records })
		return n
	}
	commit()
	before := shown()
	size := 0
	broken = true
	for i := range 6 * 60 * 60 / 5 {
		commit()
		if i%100 != 0 {
			continue
		}
		switch n := len(state.live.AppendState(nil)); {
		case i == 100:
			size = n
		case i > 100 && n > size+100:
			t.Fatalf("after %d epochs the counts take %d bytes, after 100 %d", i, n, size)
		}
		if len(state.ends) > len(streams) {
			t.Fatalf("%d places wait", len(state.ends))
		}
	}
	if got := shown(); got != before || before == 0 {
		t.Errorf("%d records are shown during the outage, %d before", got, before)
	}
	broken = false
	commit()
	if got := shown(); got != records {
		t.Errorf("%d records are shown, want %d", got, records)
	}
	if want := int(records); places.told != want {
		t.Errorf("%d places were told, want %d", places.told, want)
	}
}
