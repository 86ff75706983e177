package sinks

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"testing"
)

// takingTurns is a log of n minutes in which services fail and decline in turn, a record of
// each every ten seconds.
func takingTurns(n int) string {
	var b strings.Builder
	for i := range 6 * n {
		for service := range 8 {
			a := access{
				time:    fmt.Sprintf("2026-05-04T%02d:%02d:%02d.%03dZ", 3+i/360, i/6%60, i%6*10, service),
				cluster: fmt.Sprintf("outbound|8080|v%d|cart%d.shop.svc.cluster.local", i%2, service),
				id:      fmt.Sprintf("0d9d52f7-1a1e-4c55-8f0e-%012d", 8*i+service),
			}
			switch (i/3 + service) % 5 {
			case 0:
				a.code, a.flags, a.details = "503", "UH", "no_healthy_upstream"
			case 1:
				a.code, a.flags, a.details = "503", "UF", "upstream_reset_before_response_started{connection_failure}"
			case 2:
				a.code = "403"
			}
			b.WriteString(a.String())
		}
	}
	return b.String()
}

// What a report costs goes with the sorts of what happened; a longer log has
// more steps, which are kept in few pieces.
func TestReportOfManySteps(t *testing.T) {
	allocations := func(n int) float64 {
		s := count("log", takingTurns(n))
		return testing.AllocsPerRun(5, func() { s.Report() })
	}
	short, long := allocations(20), allocations(160)
	if long > 1.25*short {
		t.Errorf("a report of 20 minutes takes %.0f allocations, one of 160 minutes %.0f", short, long)
	}
}

// Cells come by time, then by what they are named after.
func TestTimelineOrder(t *testing.T) {
	cells := reportOf(takingTurns(5)).Timeline.Cells
	failed := uint64(0)
	for _, c := range cells {
		failed += c.Failed
	}
	if want := uint64(6 * 5 * 8 * 2 / 5); failed != want {
		t.Errorf("%d failed in all cells, want %d", failed, want)
	}
	if !slices.IsSortedFunc(cells, func(a, b Cell) int {
		return cmp.Or(a.Time.Compare(b.Time), cmp.Compare(a.Cluster, b.Cluster), compareCodes(a.Code, b.Code), slices.Compare(a.Flags, b.Flags), cmp.Compare(a.Cause, b.Cause))
	}) {
		t.Errorf("cells are not in order: %v", cells)
	}
}

func TestPartBy(t *testing.T) {
	got := partBy([]int{31, 10, 32, 11, 33}, 5, func(v *int) uint16 { return uint16(*v / 10) })
	for id, want := range [][]int{{}, {10, 11}, {}, {31, 32, 33}, {}} {
		if !slices.Equal(got[id], want) {
			t.Errorf("%d: %v, want %v", id, got[id], want)
		}
	}
}
