package pipeline

import (
	"strings"
	"testing"

	"github.com/flagwatch/flagwatch/classify"
	"github.com/flagwatch/flagwatch/internal/ledger"
	"github.com/flagwatch/flagwatch/internal/source"
	"github.com/flagwatch/flagwatch/parser"
	"github.com/flagwatch/flagwatch/sinks"
)

// TestAccountOnly demands that a run that counts the account alone emits what
// it finds of causes all the same.
func TestAccountOnly(t *testing.T) {
	const refused = "[2024-05-01T10:00:00.000Z] \"GET /item HTTP/1.1\" 503 UH 0 12 3 - \"-\" \"curl/8.5.0\" \"7\" \"shop\" \"-\"\n"
	src := newFakeSource(1, 1, 1, 1)
	src.streams = []*fakeStream{{Stream: &source.Stream{Name: "log"}, text: strings.Repeat(refused, 3) + "some text\n"}}
	var out strings.Builder
	emit := func(buf []byte, _ *source.Batch, r *parser.Record, v classify.Verdict) []byte {
		if v.Failed {
			buf = append(buf, "failed\n"...)
		}
		return buf
	}
	led := ledger.NewMemory()
	if err := Run(t.Context(), src, led, Options{Account: true, Early: true, Emit: emit, Out: &out}); err != nil {
		t.Fatal(err)
	}
	var r *sinks.Report
	led.View(func(s *sinks.Snapshot) { r = s.Report() })
	if r.Totals.Access != 3 || r.Totals.Noise != 1 || r.Totals.Failed != 0 || len(r.Causes) > 0 || r.Accounting.Read != uint64(3*len(refused)+10) {
		t.Errorf("totals %+v, causes %v, account %+v", r.Totals, r.Causes, r.Accounting)
	}
	if out.String() != "failed\nfailed\nfailed\n" {
		t.Errorf("emitted %q", out.String())
	}
}
