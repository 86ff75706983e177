package monitoring

import (
	"bytes"
	"fmt"
	"slices"
	"strings"
	"time"

	"go.yaml.in/yaml/v3"

	"github.com/flagwatch/flagwatch/classify"
)

// Groups are groups of rules, as a file of rules or a PrometheusRule has them.
type Groups struct {
	Groups []Group `yaml:"groups"`
}

// A Group is evaluated as a whole, one rule after the other.
type Group struct {
	Name  string `yaml:"name"`
	Rules []Rule `yaml:"rules"`
}

// A Rule records a series or alerts.
// Source: https://prometheus.io/docs/prometheus/latest/configuration/alerting_rules/
type Rule struct {
	Record      string            `yaml:"record,omitempty"`
	Alert       string            `yaml:"alert,omitempty"`
	Expr        string            `yaml:"expr"`
	For         string            `yaml:"for,omitempty"`
	Labels      map[string]string `yaml:"labels,omitempty"`
	Annotations map[string]string `yaml:"annotations,omitempty"`
}

// The series that are recorded; dashboards do without them.
const (
	requestRate   = "workload:flagwatch_requests:rate5m"
	failureRate   = "workload_cause:flagwatch_failures:rate5m"
	errorRate     = "workload:flagwatch_errors:rate5m"
	causeIncrease = "cause:flagwatch_records:increase10m"
)

// Rules are all rules.
func Rules() Groups {
	mesh := Group{"flagwatch-mesh", recordings()}
	for _, a := range meshAlerts() {
		mesh.Rules = append(mesh.Rules, a.rule())
	}
	self := Group{Name: "flagwatch-self"}
	for _, a := range selfAlerts() {
		self.Rules = append(self.Rules, a.rule())
	}
	return Groups{[]Group{mesh, self}}
}

// YAML is the text of a file of rules.
func (g Groups) YAML() string {
	var b bytes.Buffer
	b.WriteString("# Made by `flagwatch generate rules`.\n")
	e := yaml.NewEncoder(&b)
	e.SetIndent(2)
	if err := e.Encode(g); err != nil {
		panic(err) // strings can always be written
	}
	return b.String()
}

// An alert is a rule with what its runbook says.
type alert struct {
	name, severity string
	expr           string
	lasts          time.Duration
	summary        string // a template
	meaning        string
	when           string // the expression in words
	steps          []string
	causes         []classify.Cause
}

func (a *alert) rule() Rule {
	r := Rule{
		Alert: a.name, Expr: a.expr, Labels: map[string]string{"severity": a.severity},
		Annotations: map[string]string{"summary": a.summary, "description": a.meaning, "runbook_url": a.runbook()},
	}
	if a.lasts > 0 {
		r.For = short(a.lasts)
	}
	return r
}

// short is a duration as Prometheus writes it.
func short(d time.Duration) string {
	if d%time.Hour == 0 {
		return fmt.Sprintf("%dh", d/time.Hour)
	}
	return fmt.Sprintf("%dm", d/time.Minute)
}

func recordings() []Rule {
	return []Rule{
		{Record: requestRate, Expr: "sum by (proxy_namespace, proxy_workload) (rate(flagwatch_requests_total[5m]))"},
		{Record: failureRate, Expr: "sum by (proxy_namespace, proxy_workload, cause) (rate(flagwatch_failures_total[5m]))"},
		{Record: errorRate, Expr: ofWorkload + "(" + failureRate + `{cause!~"` + alternatives(harmless(classify.Warning, classify.InAccess)) + `"})`},
		{Record: causeIncrease, Expr: "sum by (cause) (increase(flagwatch_failures_total[10m])) + sum by (cause) (increase(flagwatch_events_total[10m]))\n" +
			"or\nsum by (cause) (increase(flagwatch_failures_total[10m]))"},
	}
}

// meshAlerts tell of the mesh: first that it fails, then why.
func meshAlerts() []alert {
	list := []alert{failureShare()}
	for _, f := range Families() {
		list = append(list, f.alert())
	}
	return append(list, newCause())
}

const (
	ofWorkload = "sum by (proxy_namespace, proxy_workload) "
	workload   = `{{ with $labels.proxy_namespace }}{{ . }}/{{ end }}{{ or $labels.proxy_workload "all proxies" }}`
	percentage = "{{ $value | humanizePercentage }}"
)

// share is the share that a rate of failures has of a workload's requests,
// where it is high and more than a few failed.
func share(failures string, above float64, least int) string {
	return fmt.Sprintf("%s\n  / %s > %g\nand\n%s * %d >= %d", failures, requestRate, above, failures, int(requestWindow.Seconds()), least)
}

func shareWhen(above float64, least int, lasts time.Duration) string {
	return fmt.Sprintf("More than %g %% of a workload's requests within %s, and at least %d, for %s.", 100*above, short(requestWindow), least, short(lasts))
}

func failureShare() alert {
	const above, least, lasts = 0.05, 10, 5 * time.Minute
	return alert{
		name: "MeshFailureShareHigh", severity: critical, lasts: lasts,
		expr:    share(errorRate, above, least),
		when:    "Causes of severity error count, those of a team's own, and failures that nothing explains. " + shareWhen(above, least, lasts),
		summary: percentage + " of the requests of " + workload + " fail.",
		meaning: "A workload's proxies report that many of its requests fail. The alerts of the same workload say why.",
		steps:   []string{workloadReport},
	}
}

// harmless are the causes of requests, or of what else is seen, up to a
// severity.
func harmless(most classify.Severity, seen ...classify.Seen) (list []classify.Cause) {
	for _, c := range classify.Causes() {
		if slices.Contains(seen, c.Seen) && c.Severity <= most {
			list = append(list, c)
		}
	}
	return list
}

// What to type first.
const (
	workloadReport = "kubectl logs -n NAMESPACE deploy/WORKLOAD -c istio-proxy --since=15m | flagwatch"
	nodeReport     = "curl -s 'http://AGENT:9469/api/v1/report?since=15m' > report.json && flagwatch merge report.json"
	explain        = "flagwatch explain CAUSE"
)

func (f *Family) alert() alert {
	a := alert{name: f.Alert, severity: f.Severity, lasts: f.For, meaning: f.Meaning, causes: f.Causes()}
	matcher := `cause=~"` + alternatives(a.causes) + `"`
	if !f.Events {
		a.expr = share(ofWorkload+"("+failureRate+"{"+matcher+"})", f.Share, f.Least)
		a.when = shareWhen(f.Share, f.Least, f.For)
		a.summary = percentage + " of the requests of " + workload + " " + f.Summary + "."
		a.steps = []string{workloadReport, explain}
		return a
	}
	a.expr = fmt.Sprintf("sum by (cause) (increase(flagwatch_events_total{%s}[%s])) > %s", matcher, short(f.Window), below(f.Least))
	a.when = fmt.Sprintf("At least %s with one cause within %s", records(f.Least), short(f.Window))
	if f.For > 0 {
		a.when += ", for " + short(f.For)
	}
	a.when += "."
	a.summary = "Records of proxies or the control plane " + f.Summary + ": {{ $labels.cause }}."
	a.steps = []string{nodeReport, explain}
	return a
}

func records(n int) string {
	if n == 1 {
		return "one record"
	}
	return fmt.Sprintf("%d records", n)
}

// below is what an increase of n is safely above: Prometheus extrapolates to
// the ends of the window, which is less than one where scrapes are frequent.
func below(n int) string {
	if n == 1 {
		return "0"
	}
	return fmt.Sprint(n-1) + ".5"
}

func alternatives(causes []classify.Cause) string {
	var ids []string
	for _, c := range causes {
		ids = append(ids, c.ID)
	}
	return strings.Join(ids, "|")
}

// newCause compares the last minutes with the day before. All causes are there
// from the start, so a series that is older than a day says that somebody
// looked; without that everything were new on the first day.
func newCause() alert {
	const least, quiet = 3, time.Hour
	return alert{
		name: "MeshNewCause", severity: warning,
		expr: fmt.Sprintf("%s{cause!~\"%s\"} > %s\nand on (cause)\npresent_over_time(%[1]s[1d] offset 1d)\nunless on (cause)\nmax_over_time(%[1]s[1d] offset %[4]s) > 0",
			causeIncrease, alternatives(harmless(classify.Info, classify.InAccess, classify.InEvents)), below(least), short(quiet)),
		when:    fmt.Sprintf("At least %d failed requests or records with one cause within 10m, and none from an hour ago to a day before that. It needs a day of history, and ends after an hour.", least),
		summary: "{{ $labels.cause }} is new: {{ $value | humanize }} in ten minutes, and none in the day before.",
		meaning: "A cause that was not there for a day has appeared in the mesh. Somebody changed something.",
		steps:   []string{explain, "flagwatch diff before.json after.json"},
	}
}
