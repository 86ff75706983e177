package exposed

import (
	"flag"
	"fmt"
	"strings"
	"testing"

	"github.com/flagwatch/flagwatch/internal/generated"
)

var update = flag.Bool("update", false, "write generated files again")

// TestGeneratedMetrics compares docs/metrics.md with the list of metrics.
func TestGeneratedMetrics(t *testing.T) {
	var b strings.Builder
	b.WriteString(`# Metrics

What ` + "`flagwatch agent`" + ` and ` + "`flagwatch kafka --listen`" + ` serve under /metrics and
` + "`-o prom`" + ` writes, in Prometheus' text format. ` + "`flagwatch list metrics`" + ` prints this
list; in Go it is ` + "`exposed.Metrics`" + `.

| name | kind | labels | meaning |
|---|---|---|---|
`)
	for _, m := range Metrics() {
		where := ""
		if m.Where != "" {
			where = " Only from `flagwatch " + m.Where + "`."
		}
		fmt.Fprintf(&b, "| `%s` | %s | %s | %s%s |\n", m.Name, m.Type, strings.Join(m.Labels, ", "), m.Help, where)
	}
	b.WriteString(`
A label without a value is left out. The namespace and the workload come from
where the log lies, never from what is in it; the workload is the pod's name
without what its controller appended. ` + "`input`" + ` is the name of an input in the
configuration, never a path.

At most 2,000 series a metric by default (` + "`--max-series`" + `), first come. What comes
later is counted under the workload ` + "`other`" + `, so sums stay exact, and
` + "`flagwatch_series_limited_total`" + ` says how much that was.

Totals by kind, reason, flag and cause are there from the start, at 0. A series
of a workload is shown as 0 for its first minute (` + "`--born-at-zero`" + `) and with its
value from then on, so that ` + "`increase()`" + ` sees the first failure.
`)
	generated.File(t, *update, "../../docs/metrics.md", b.String())
}

// TestNamesAreUnique demands that no metric is in both lists.
func TestNamesAreUnique(t *testing.T) {
	seen := map[string]bool{}
	for _, m := range Metrics() {
		if seen[m.Name] || !strings.HasPrefix(m.Name, "flagwatch_") || m.Help == "" || strings.HasSuffix(m.Name, "_total") != (m.Type == "counter") {
			t.Errorf("%+v", m)
		}
		seen[m.Name] = true
	}
}
