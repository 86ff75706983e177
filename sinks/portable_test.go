package sinks

import (
	"fmt"
	"strings"
	"testing"
)

// What is given twice is counted once, so the same records make the same
// report, although tables spread names differently in each run.
func TestSameSnapshot(t *testing.T) {
	var text strings.Builder
	for i := range 300 {
		for _, code := range []string{"200", "204", "304", "404", "503"} {
			fmt.Fprintln(&text, access{time: fmt.Sprintf("2026-03-02T10:%02d:%02d.000Z", i/60, i%60), code: code, cluster: fmt.Sprintf("outbound|80||svc-%d.shop.svc.cluster.local", i)})
		}
	}
	snapshot := func() string {
		r := count("a.log", text.String()).Report()
		r.AttachSnapshot()
		return r.Snapshot
	}
	first := snapshot()
	for range 4 {
		if again := snapshot(); again != first {
			t.Fatal("the same records made another snapshot")
		}
	}
}
