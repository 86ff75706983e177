package sinks

import (
	"bytes"
	"encoding/json"
	"fmt"
	"math"
	"math/big"
	"strings"
	"testing"
	"time"

	"github.com/flagwatch/flagwatch/internal/generated"
)

// TestChance compares with binomial terms added up exactly.
func TestChance(t *testing.T) {
	for _, row := range [][4]uint64{{0, 100, 5, 100}, {3, 50, 9, 70}, {10, 1000, 10, 1000}, {40, 1000, 12, 300}, {0, 10, 0, 10}, {7, 9, 1, 400}} {
		n := row[0] + row[2]
		p := new(big.Rat).SetFrac64(int64(row[3]), int64(row[1]+row[3]))
		tail := func(from, to uint64) float64 {
			sum := new(big.Rat)
			for i := from; i <= to && i <= n; i++ {
				term := new(big.Rat).SetInt(new(big.Int).Binomial(int64(n), int64(i)))
				for range i {
					term.Mul(term, p)
				}
				for range n - i {
					term.Mul(term, new(big.Rat).Sub(big.NewRat(1, 1), p))
				}
				sum.Add(sum, term)
			}
			f, _ := sum.Float64()
			return f
		}
		want := min(1, 2*min(tail(0, row[2]), tail(row[2], n)))
		if got := chance(row[0], row[1], row[2], row[3]); math.Abs(got-want) > 1e-9*want+1e-12 {
			t.Errorf("%v: %g, want %g", row, got, want)
		}
	}
	if p := chance(1_000_000, 50_000_000, 1_000_500, 50_000_000); !(p > 0.5 && p <= 1) {
		t.Errorf("a difference of half a standard deviation: %g", p)
	}
	if p := chance(1_000_000, 50_000_000, 1_100_000, 50_000_000); p > 1e-100 {
		t.Errorf("a tenth more of a million: %g", p)
	}
}

// mesh is a report of one cluster with so many failed of so many records.
func mesh(causes map[string][2]uint64) *Report {
	r := &Report{APIVersion: apiVersion, Kind: "Report", Inputs: []Input{}, Span: &Span{First: time.Unix(0, 0).UTC(), Last: time.Unix(60, 0).UTC(), Seconds: 60}}
	seen := map[string]bool{}
	for place, n := range causes {
		id, cluster, _ := strings.Cut(place, "@")
		c := Card{ID: id, Title: "about " + id, Severity: "error", Failed: n[0]}
		if cluster == "" {
			c.Events = n[0]
			r.Totals.Records = n[1]
		} else {
			c.Clusters = []ValueCount{{Value: cluster, Count: n[0]}}
		}
		r.Causes = append(r.Causes, c)
		if !seen[cluster] && cluster != "" {
			seen[cluster] = true
			r.Clusters = append(r.Clusters, Tally{Name: cluster, Count: n[1]})
		}
	}
	return r
}

func TestCompare(t *testing.T) {
	before := mesh(map[string][2]uint64{"same@a": {50, 10000}, "more@b": {20, 10000}, "less@c": {200, 1000}, "gone@d": {9, 100}, "moved@e": {5, 100}, "event@": {3, 1000}, "double@i": {40, 1000}})
	after := mesh(map[string][2]uint64{"same@a": {53, 10000}, "more@b": {90, 10000}, "less@c": {20, 1000}, "new@d": {9, 100}, "moved@f": {5, 100}, "event@": {60, 1000}, "double@i": {80, 2000}})
	d := before.Compare(after)
	got := map[string]string{}
	for _, c := range d.Changes {
		got[c.Cause+"@"+c.Cluster] = c.Change
		if c.Change == changeMore && c.Cause == "more" && (c.Ratio != 4.5 || !(c.Low > 2.5 && c.Low < 3.5) || !(c.High > 6.5 && c.High < 8) || c.Confidence != "high") {
			t.Errorf("more: %+v", c)
		}
	}
	want := map[string]string{"more@b": "more", "less@c": "less", "gone@d": "gone", "new@d": "new", "moved@e": "gone", "moved@f": "new", "event@": "more"}
	if fmt.Sprint(got) != fmt.Sprint(want) {
		t.Errorf("%v, want %v", got, want)
	}
	if len(d.Unchanged) != 2 || d.Unchanged[0].Cause != "double" || d.Unchanged[1].Cause != "same" {
		t.Errorf("unchanged: %+v", d.Unchanged)
	}
	if last := d.Changes[len(d.Changes)-1]; last.Change != changeGone {
		t.Errorf("what went is not last: %+v", last)
	}
	if none := before.Compare(before); len(none.Changes) != 0 {
		t.Errorf("against itself: %+v", none.Changes)
	}
	var out bytes.Buffer
	if err := WriteDiff(&out, d, TextOptions{}); err != nil || !strings.Contains(out.String(), "7 changes, 2 without a significant change") {
		t.Errorf("%s, %v", out.String(), err)
	}
}

// A golden file for a diff in a terminal, a narrow one, and in a chat.
func TestDiffGolden(t *testing.T) {
	log := strings.Repeat(access{time: "2026-05-04T03:00:00.000Z", code: "503", flags: "UH", details: "no_healthy_upstream", host: "-", cluster: "outbound|80||`@everyone`.shop.svc.cluster.local"}.String(), 30)
	d := reportOf(incident()).Compare(reportOf(log + minutes(func(i int) string { return map[bool]string{true: "UO"}[i >= 900] })))
	var table, narrow, message bytes.Buffer
	for _, err := range []error{WriteDiff(&table, d, TextOptions{}), WriteDiff(&narrow, d, TextOptions{Width: 60}), WriteDiffMarkdown(&message, d)} {
		if err != nil {
			t.Fatal(err)
		}
	}
	golden(t, "diff.txt", table.Bytes())
	golden(t, "diff_60.txt", narrow.Bytes())
	golden(t, "diff.markdown", message.Bytes())
}

// TestGeneratedDiffSchema compares the committed schema with the types, and
// diffs with the schema. -update writes it again.
func TestGeneratedDiffSchema(t *testing.T) {
	want := DiffSchema()
	generated.File(t, *update, "diff.schema.json", string(want))
	var root, doc map[string]any
	if err := json.Unmarshal(want, &root); err != nil {
		t.Fatal(err)
	}
	for _, d := range []*Diff{
		mesh(nil).Compare(mesh(map[string][2]uint64{"new@a": {5, 100}})),
		reportOf(incident()).Compare(mesh(map[string][2]uint64{"new@a": {5, 100}, "event@": {3, 10}})),
	} {
		var out bytes.Buffer
		if err := d.WriteJSON(&out); err != nil {
			t.Fatal(err)
		}
		if err := json.Unmarshal(out.Bytes(), &doc); err != nil {
			t.Fatal(err)
		}
		v := validator{root["$defs"].(map[string]any)}
		if fault := v.check(root, doc, "diff"); fault != "" {
			t.Error(fault)
		}
	}
}

// A report with all that is optional fits the schema, too.
func TestMergeableReportFitsTheSchema(t *testing.T) {
	v, root := newValidator(t)
	r := reportOf(incident())
	r.GroupBy(Groupings()...)
	r.AttachSnapshot()
	if fault := v.check(root, decoded(t, r), "report"); fault != "" || r.Snapshot == "" {
		t.Error(fault, len(r.Snapshot))
	}
}
