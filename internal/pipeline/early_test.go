package pipeline

import (
	"context"
	"fmt"
	"reflect"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/flagwatch/flagwatch/internal/ledger"
	"github.com/flagwatch/flagwatch/internal/source"
	"github.com/flagwatch/flagwatch/sinks"
)

// A countedMemory counts its commits.
type countedMemory struct {
	*ledger.Memory
	commits atomic.Int32
}

func (l *countedMemory) Commit(ctx context.Context, e ledger.Epoch) error {
	l.commits.Add(1)
	return l.Memory.Commit(ctx, e)
}

// TestEarly demands that workers whose counts are committed once, at the end,
// report the same as one whose counts are committed now and then.
func TestEarly(t *testing.T) {
	var text strings.Builder
	for id := range 40000 {
		fmt.Fprintf(&text, "[2024-05-01T10:%02d:%02d.000Z] \"GET /item HTTP/1.1\" 503 UF 0 12 3 2 \"-\" \"curl/8.5.0\" \"%d\" \"shop-%d\" \"10.0.0.%d:8080\"\n", id/60%60, id%60, id, id%5, id%7)
	}
	read := func(workers int, early bool) (*sinks.Report, int) {
		src := newFakeSource(1, 1, 1, 1)
		src.streams = []*fakeStream{{Stream: &source.Stream{Name: "log"}, text: text.String()}}
		led := &countedMemory{Memory: ledger.NewMemory()}
		if err := Run(t.Context(), src, led, Options{Workers: workers, Early: early}); err != nil {
			t.Fatal(err)
		}
		var r *sinks.Report
		led.View(func(s *sinks.Snapshot) { r = s.Report() })
		return r, int(led.commits.Load())
	}
	want, _ := read(1, false)
	got, commits := read(3, true)
	if commits != 1 {
		t.Errorf("%d commits before the end", commits-1)
	}
	if got.Totals.Failed != 40000 {
		t.Errorf("%d failed", got.Totals.Failed)
	}
	for name, pair := range map[string][2]any{
		"totals": {got.Totals, want.Totals}, "codes": {got.Codes, want.Codes}, "hosts": {got.Hosts, want.Hosts},
		"timeline": {got.Timeline, want.Timeline}, "join": {got.Join, want.Join}, "causes": {got.Causes, want.Causes}, "inputs": {got.Inputs, want.Inputs},
	} {
		if !reflect.DeepEqual(pair[0], pair[1]) {
			t.Errorf("%s differ: %+v\nwant %+v", name, pair[0], pair[1])
		}
	}
}
