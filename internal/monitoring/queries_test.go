package monitoring

import (
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/flagwatch/flagwatch/classify"
	"github.com/flagwatch/flagwatch/internal/exposed"
	"github.com/flagwatch/flagwatch/sinks"
)

// The parts of a query that name something.
var (
	quoted     = regexp.MustCompile(`"(?:[^"\\]|\\.)*"`)
	grouping   = regexp.MustCompile(`\b(by|on|without|ignoring)\s*\(([^)]*)\)`)
	selection  = regexp.MustCompile(`\{([^}]*)\}`)
	matching   = regexp.MustCompile(`([A-Za-z_]\w*)\s*(?:=~|!~|!=|=)`)
	duration   = regexp.MustCompile(`\[[^\]]*\]|\boffset \w+`)
	identifier = regexp.MustCompile(`[A-Za-z_:][\w:]*`)
)

// words are those of the language that queries use.
var words = strings.Fields("sum max count topk rate increase changes absent present_over_time max_over_time min_over_time histogram_quantile time label_values and or unless e6")

// targetLabels are what a scrape adds, or Prometheus itself has.
var targetLabels = []string{"job", "instance", "le", "alertname", "alertstate"}

// foreign are metrics that are not in a list of ours: those of the process,
// which sinks.WriteProcessMetrics writes, and Prometheus' own.
var foreign = []string{"process_cpu_seconds_total", "process_resident_memory_bytes", "process_io_storage_written_bytes_total", "ALERTS"}

// vocabulary is what a query may name: metrics with their labels.
func vocabulary() map[string][]string {
	known := map[string][]string{}
	for _, m := range exposed.Metrics() {
		known[m.Name] = m.Labels
		if m.Type == "histogram" {
			known[m.Name+"_bucket"] = m.Labels
		}
	}
	for _, name := range foreign {
		known[name] = nil
	}
	for _, r := range recordings() {
		known[r.Record] = strings.Split(grouping.FindStringSubmatch(r.Expr)[2], ", ")
	}
	return known
}

// check says what a query names that is not there.
func check(query string, known map[string][]string) (faults []string) {
	bare := quoted.ReplaceAllString(query, `""`)
	labels := slices.Clone(targetLabels)
	rest := duration.ReplaceAllString(selection.ReplaceAllString(grouping.ReplaceAllString(bare, ""), ""), "")
	if args, ok := strings.CutPrefix(rest, "label_values("); ok {
		metric, label, _ := strings.Cut(strings.TrimSuffix(args, ")"), ", ")
		bare, rest = bare+" by ("+label+")", metric
	}
	metrics := 0
	for _, name := range identifier.FindAllString(rest, -1) {
		list, ok := known[name]
		switch {
		case ok:
			metrics++
			labels = append(labels, list...)
		case !slices.Contains(words, name):
			faults = append(faults, "no metric "+name)
		}
	}
	if metrics == 0 {
		faults = append(faults, "no metric at all")
	}
	for _, s := range selection.FindAllStringSubmatch(bare, -1) {
		for _, m := range matching.FindAllStringSubmatch(s[1], -1) {
			if !slices.Contains(labels, m[1]) {
				faults = append(faults, "no label "+m[1])
			}
		}
	}
	for _, g := range grouping.FindAllStringSubmatch(bare, -1) {
		for _, label := range strings.Split(g[2], ", ") {
			if !slices.Contains(labels, label) {
				faults = append(faults, "no label "+label)
			}
		}
	}
	return faults
}

func TestCheckFindsFaults(t *testing.T) {
	for query, want := range map[string]string{
		`sum(rate(flagwatch_requests_total{job=~"x"}[5m])) > 0`:                    "",
		`rate(flagwatch_request_total[5m])`:                                        "no metric flagwatch_request_total, no metric at all",
		`sum by (cause) (rate(flagwatch_requests_total[5m]))`:                      "no label cause",
		`flagwatch_events_total{flag="UF",cause=~"a{2}|b"}`:                        "no label flag",
		`label_values(flagwatch_requests_total{job="$job"}, proxy_workload)`:       "",
		`label_values(flagwatch_requests_total{job="$job"}, workload)`:             "no label workload",
		`foo(flagwatch_events_total)`:                                              "no metric foo",
		`histogram_quantile(0.9, flagwatch_request_duration_seconds{outcome="a"})`: "",
		"1 > 0": "no metric at all",
	} {
		if got := strings.Join(check(query, vocabulary()), ", "); got != want {
			t.Errorf("%s: %q, want %q", query, got, want)
		}
	}
}

// queries are all of them, by where they stand.
func queries() map[string]string {
	all := map[string]string{}
	for _, g := range Rules().Groups {
		for _, r := range g.Rules {
			all[g.Name+" "+r.Alert+r.Record] = r.Expr
		}
	}
	for _, d := range Dashboards() {
		for _, v := range d.Templating.List {
			if v.Type == "query" {
				all[d.UID+" $"+v.Name] = v.Definition
			}
		}
		for _, a := range d.Annotations.List {
			all[d.UID+" "+a.Name] = a.Expr
		}
		for _, p := range d.Panels {
			for _, target := range p.Targets {
				all[d.UID+" "+p.Title+" "+target.RefID] = target.Expr
			}
		}
	}
	return all
}

// TestQueriesNameWhatIsThere holds all queries against the list of metrics.
func TestQueriesNameWhatIsThere(t *testing.T) {
	known := vocabulary()
	for where, query := range queries() {
		for _, fault := range check(query, known) {
			t.Errorf("%s: %s in %s", where, fault, query)
		}
	}
}

// TestMetricsAreUsed demands that each metric is looked at somewhere.
func TestMetricsAreUsed(t *testing.T) {
	var all strings.Builder
	for _, query := range queries() {
		all.WriteString(query + "\n")
	}
	for _, m := range sinks.Metrics() {
		if !strings.Contains(all.String(), m.Name) {
			t.Errorf("nobody looks at %s", m.Name)
		}
	}
}

// TestLegends demands that what templates and legends show is what the query
// leaves.
func TestLegends(t *testing.T) {
	shown := regexp.MustCompile(`\{\{(\w+)\}\}`)
	kept := regexp.MustCompile(`\bby \(([^)]*)\)`)
	for _, d := range Dashboards() {
		for _, p := range d.Panels {
			for _, target := range p.Targets {
				for _, l := range shown.FindAllStringSubmatch(target.LegendFormat, -1) {
					by := kept.FindStringSubmatch(target.Expr)
					if by != nil && !slices.Contains(strings.Split(by[1], ", "), l[1]) {
						t.Errorf("%s: the legend shows %s, which %s does not leave", p.Title, l[1], target.Expr)
					}
				}
			}
		}
	}
	used, known := regexp.MustCompile(`\$labels\.(\w+)`), vocabulary()
	for _, g := range Rules().Groups {
		for _, r := range g.Rules {
			left := []string{"job", "instance", "input", "topic", "partition"} // of gauges that are alerted of as they are
			for _, by := range kept.FindAllStringSubmatch(r.Expr, -1) {
				left = append(left, strings.Split(by[1], ", ")...)
			}
			for _, name := range identifier.FindAllString(r.Expr, -1) {
				if strings.Contains(name, ":") {
					left = append(left, known[name]...)
				}
			}
			for _, l := range used.FindAllStringSubmatch(r.Annotations["summary"], -1) {
				if !slices.Contains(left, l[1]) {
					t.Errorf("%s: the summary shows %s, the expression leaves %s", r.Alert, l[1], left)
				}
			}
		}
	}
}

// TestCauseNames demands that each cause that a query names is one, so that
// none is watched in vain.
func TestCauseNames(t *testing.T) {
	known := map[string]bool{}
	for _, c := range classify.Causes() {
		known[c.ID] = true
	}
	named := regexp.MustCompile(`cause(?:=~|!~)"([^"$]*)"`)
	for where, query := range queries() {
		for _, m := range named.FindAllStringSubmatch(query, -1) {
			for _, id := range strings.Split(m[1], "|") {
				if !known[id] {
					t.Errorf("%s: no cause %q", where, id)
				}
			}
		}
	}
}
