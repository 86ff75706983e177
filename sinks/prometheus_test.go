package sinks

import (
	"bytes"
	"fmt"
	"regexp"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/flagwatch/flagwatch/classify"
	"github.com/flagwatch/flagwatch/parser"
)

// expose returns the series of a snapshot's metrics, and demands that the text
// is what Prometheus' text format allows: families in one piece behind their
// HELP and TYPE, no series twice, labels that are declared.
// Source: https://prometheus.io/docs/instrumenting/exposition_formats/
func expose(t testing.TB, s *Snapshot, o MetricOptions) map[string]float64 {
	t.Helper()
	var b bytes.Buffer
	if err := s.WriteMetrics(&b, o); err != nil {
		t.Fatal(err)
	}
	line := regexp.MustCompile(`^([a-z_]+)(\{[a-z_]+="(?:[^"\\\n]|\\[\\n"])*"(?:,[a-z_]+="(?:[^"\\\n]|\\[\\n"])*")*\})? (\S+)$`)
	label := regexp.MustCompile(`[{,]([a-z_]+)="`)
	all, declared := map[string]float64{}, map[string]Metric{}
	for _, m := range Metrics() {
		declared[m.Name] = m
	}
	var at Metric
	for _, text := range strings.Split(strings.TrimSuffix(b.String(), "\n"), "\n") {
		if name, ok := strings.CutPrefix(text, "# HELP "); ok {
			name, help, _ := strings.Cut(name, " ")
			if at, ok = declared[name]; !ok || help == "" {
				t.Errorf("%s: twice, or not declared", text)
			}
			delete(declared, name)
			continue
		}
		if typ, ok := strings.CutPrefix(text, "# TYPE "+at.Name+" "); ok && typ == at.Type {
			continue
		}
		f := line.FindStringSubmatch(text)
		if f == nil {
			t.Fatalf("not of the format: %q", text)
		}
		name := f[1]
		if at.Type == "histogram" {
			name = regexp.MustCompile(`_(bucket|sum|count)$`).ReplaceAllString(name, "")
		}
		for _, l := range label.FindAllStringSubmatch(f[2], -1) {
			if !strings.Contains(" "+strings.Join(at.Labels, " ")+" le ", " "+l[1]+" ") {
				t.Errorf("%s: label %s is not declared", text, l[1])
			}
		}
		v, err := strconv.ParseFloat(f[3], 64)
		if _, twice := all[f[1]+f[2]]; err != nil || name != at.Name || twice {
			t.Errorf("%s: in the family of %s, or twice, %v", text, at.Name, err)
		}
		all[f[1]+f[2]] = v
	}
	return all
}

// A feeder counts lines.
type feeder struct {
	causes *classify.Classifier
	parser *parser.Parser
}

func newFeeder() *feeder {
	c := classify.Default()
	return &feeder{c, parser.NewParser(Wanted | c.Fields())}
}

// add counts lines as those of a pod.
func (f *feeder) add(d *Delta, namespace, pod string, lines ...string) {
	data := append([]byte(strings.Join(lines, "\n")+"\n"), make([]byte, parser.Padding)...)
	data = data[:len(data)-parser.Padding]
	f.parser.Reset(data)
	from := Origin{Input: "x", Source: "mesh", Namespace: namespace, Pod: pod, Container: "istio-proxy", Block: data}
	for r, ok := f.parser.Next(); ok; r, ok = f.parser.Next() {
		d.Add(&from, r, f.causes.Classify(r))
	}
	d.EndBatch(&from, from.Offset+int64(len(from.Block)))
}

func requestLine(code, flags, duration, cluster string) string {
	return `[2026-03-17T10:07:58.113Z] "GET /a HTTP/1.1" ` + code + " " + flags + ` - - "-" 0 5 ` + duration + ` - "-" "curl/8" "97728e73-e806-4ed0-917d-9d3d9eef3351" "cart:9080" "192.0.2.42:9080" ` +
		cluster + ` 192.0.2.1:1 198.51.100.12:9080 192.0.2.21:60891 - default`
}

func metered() *Delta {
	d := NewDelta()
	d.CountSeries()
	return d
}

func TestMetrics(t *testing.T) {
	d := metered()
	newFeeder().add(d, "shop", "cart-6d5f7c9b8-x2x7k",
		requestLine("200", "-", "3", "inbound|9080||"), requestLine("200", "-", "5", "inbound|9080||"), requestLine("200", "-", "61000", "inbound|9080||"),
		requestLine("503", "UH", "0", "outbound|80||till.shop.svc.cluster.local"), requestLine("503", "UF,URX", "1", "outbound|80||till.shop.svc.cluster.local"))
	d.AddLost("rotated-away", 12)
	d.AddDiscarded("oversize", 7)
	s := NewSnapshot()
	s.Merge(d)
	all := expose(t, s, MetricOptions{Version: "v1", Now: time.Unix(1773742088, 0), Inputs: []string{"mesh", "silent"}})
	const shop = `proxy_namespace="shop",proxy_workload="cart",`
	for name, want := range map[string]float64{
		`flagwatch_build_info{version="v1"}`:                                                     1,
		`flagwatch_records_total{kind="access"}`:                                                 5,
		`flagwatch_records_total{kind="noise"}`:                                                  0,
		`flagwatch_invalid_total{reason="spliced"}`:                                              0,
		`flagwatch_lost_bytes_total{reason="rotated-away"}`:                                      12,
		`flagwatch_lost_bytes_total{reason="hold-budget"}`:                                       0,
		`flagwatch_discarded_bytes_total{reason="oversize"}`:                                     7,
		`flagwatch_requests_total{` + shop + `direction="inbound"}`:                              3,
		`flagwatch_requests_total{` + shop + `direction="outbound"}`:                             2,
		`flagwatch_response_flags_total{` + shop + `direction="outbound",flag="UH"}`:             1,
		`flagwatch_response_flags_total{` + shop + `direction="outbound",flag="UF"}`:             1,
		`flagwatch_response_flags_total{` + shop + `direction="outbound",flag="URX"}`:            1,
		`flagwatch_response_flags_total{flag="UH"}`:                                              0,
		`flagwatch_failures_total{cause="unexplained"}`:                                          0,
		`flagwatch_request_duration_seconds_bucket{direction="inbound",outcome="ok",le="0.005"}`: 2,
		`flagwatch_request_duration_seconds_bucket{direction="inbound",outcome="ok",le="60"}`:    2,
		`flagwatch_request_duration_seconds_bucket{direction="inbound",outcome="ok",le="+Inf"}`:  3,
		`flagwatch_request_duration_seconds_count{direction="inbound",outcome="ok"}`:             3,
		`flagwatch_request_duration_seconds_sum{direction="inbound",outcome="ok"}`:               61.008,
		`flagwatch_request_duration_seconds_count{direction="outbound",outcome="failed"}`:        2,
		`flagwatch_series_limited_total{metric="flagwatch_requests_total"}`:                      0,
		`flagwatch_input_last_record_timestamp_seconds{input="mesh"}`:                            1773742078.113,
		`flagwatch_state_age_seconds`:                                                            0,
	} {
		if got, ok := all[name]; !ok || got != want {
			t.Errorf("%s %v, want %v", name, got, want)
		}
	}
	if lag := all[`flagwatch_input_lag_seconds{input="mesh"}`]; lag < 9.8 || lag > 9.9 {
		t.Errorf("lag %v, want 9.887", lag)
	}
	failures := 0.0
	for name, n := range all {
		if strings.HasPrefix(name, "flagwatch_failures_total{"+shop) {
			failures += n
		}
	}
	if failures != 2 {
		t.Errorf("%v failures, want one a failed request", failures)
	}
}

// TestBornAtZero demands that a new series is 0 for a while, also over a
// restart, and that nothing becomes less.
func TestBornAtZero(t *testing.T) {
	const name = `flagwatch_requests_total{proxy_namespace="shop",proxy_workload="cart",direction="inbound"}`
	f, begin := newFeeder(), time.Unix(1_800_000_000, 0)
	for second, want := range map[int]float64{0: 0, 59: 0, 60: 1, 3600: 1} {
		s := NewSnapshot()
		d := metered()
		f.add(d, "shop", "cart-6d5f7c9b8-x2x7k", requestLine("200", "-", "3", "inbound|9080||"))
		s.Merge(d)
		s.Stamp(begin)
		s.Stamp(begin.Add(time.Hour)) // the first time counts
		restored, whole, err := RestoreSnapshot(s.AppendState(nil), nil)
		if err != nil || !whole {
			t.Fatal(err)
		}
		all := expose(t, restored, MetricOptions{Now: begin.Add(time.Duration(second) * time.Second), BornFor: time.Minute})
		if got, ok := all[name]; !ok || got != want {
			t.Errorf("after %d seconds: %v, want %v", second, got, want)
		}
	}
}

// S15: more workloads than series are allowed.
func TestTooManyWorkloads(t *testing.T) {
	const workloads, most = 5000, 100
	s := NewSnapshot()
	s.SetMaxSeries(most)
	line := requestLine("503", "UH", "1", "inbound|9080||")
	d, f := metered(), newFeeder()
	for i := range workloads {
		f.add(d, fmt.Sprint("ns", i), "cart-0", line)
		if i%1000 == 999 {
			s.Merge(d)
			d.Reset()
		}
	}
	count := func(prefix string) (series int, sum float64) {
		for name, n := range expose(t, s, MetricOptions{Causes: []classify.Cause{}}) {
			if strings.HasPrefix(name, prefix+"{proxy_namespace") {
				series++
				sum += n
			}
		}
		return series, sum
	}
	for _, m := range []string{"flagwatch_requests_total", "flagwatch_failures_total", "flagwatch_response_flags_total"} {
		series, sum := count(m)
		if series > most+1 || sum != workloads {
			t.Errorf("%s: %d series with %v, want at most %d with %d", m, series, sum, most+1, workloads)
		}
		limited := expose(t, s, MetricOptions{})[`flagwatch_series_limited_total{metric="`+m+`"}`]
		if limited != workloads-most {
			t.Errorf("%s: %v limited, want %d", m, limited, workloads-most)
		}
	}
}

// S17: names that no Kubernetes has.
func TestHostileLabels(t *testing.T) {
	d, f := metered(), newFeeder()
	for _, name := range []string{"a\"b\\c\nd", "\x1b[31m", "\xff\xfe", strings.Repeat("é", 5000), strings.Repeat("é", 5001), "\u202e"} {
		f.add(d, name, "x"+name, requestLine("200", "-", "3", "inbound|9080||"))
	}
	s := NewSnapshot()
	s.Merge(d)
	n := 0
	for name := range expose(t, s, MetricOptions{}) {
		if strings.HasPrefix(name, "flagwatch_requests_total{proxy_namespace") {
			n++
			if len(name) > 3*maxLabel+200 || strings.ContainsAny(name, "\x1b\u202e") {
				t.Errorf("%q", name)
			}
		}
	}
	if n != 6 {
		t.Errorf("%d series, want 6", n)
	}
}

func TestMeterAllocatesNothing(t *testing.T) {
	d := metered()
	data := append([]byte(requestLine("200", "-", "3", "inbound|9080||")+"\n"+requestLine("503", "UF,URX", "1", "outbound|80||till.shop.svc.cluster.local")+"\n"), make([]byte, parser.Padding)...)
	data = data[:len(data)-parser.Padding]
	causes := classify.Default()
	p := parser.NewParser(Wanted | causes.Fields())
	from := Origin{Input: "x", Namespace: "shop", Pod: "cart-0", Block: data}
	run := func() {
		p.Reset(data)
		for r, ok := p.Next(); ok; r, ok = p.Next() {
			d.Add(&from, r, causes.Classify(r))
		}
	}
	run()
	d.Reset()
	run()
	if n := testing.AllocsPerRun(100, run); n != 0 {
		t.Errorf("%v allocations", n)
	}
}

// TestResetWithinBatch demands that a Delta that was reset within a batch has
// nothing of it, nor of the stream it was of.
func TestResetWithinBatch(t *testing.T) {
	d, f := metered(), newFeeder()
	line := requestLine("200", "-", "3", "inbound|9080||")
	f.add(d, "shop", "cart-0", line)
	f.parser.Reset(append([]byte(line), make([]byte, parser.Padding)...)[:len(line)])
	r, _ := f.parser.Next()
	place, met := d.Met(r)
	if !met {
		t.Fatal("not met")
	}
	d.AddMet(&Origin{Input: "x", Source: "mesh", Namespace: "shop", Pod: "cart-0"}, r, place)
	d.Reset()
	f.add(d, "bank", "till-0", line)
	s := NewSnapshot()
	s.Merge(d)
	for name, n := range expose(t, s, MetricOptions{Causes: []classify.Cause{}}) {
		if strings.HasPrefix(name, "flagwatch_requests_total{proxy_namespace") && (!strings.Contains(name, `"bank"`) || n != 1) {
			t.Errorf("%s %v", name, n)
		}
	}
}

// TestManyWorkloads demands that as many series are told apart as there may be,
// also those of one Delta.
func TestManyWorkloads(t *testing.T) {
	const workloads = DefaultMaxSeries + 500
	s := NewSnapshot()
	s.SetMaxSeries(workloads)
	line := requestLine("503", "UH", "1", "inbound|9080||")
	d, f := metered(), newFeeder()
	d.SetMaxSeries(workloads)
	for i := range workloads {
		f.add(d, fmt.Sprint("ns", i), "cart-0", line)
	}
	s.Merge(d)
	for name, n := range expose(t, s, MetricOptions{Causes: []classify.Cause{}}) {
		if strings.HasPrefix(name, "flagwatch_series_limited_total") && n > 0 {
			t.Errorf("%s %v", name, n)
		}
	}
}

// TestSeriesOfBefore demands that what has a series goes on in it, whatever comes
// new before it in an epoch, and that there are no more series than there may be.
func TestSeriesOfBefore(t *testing.T) {
	const most, epochs = 10, 4
	line, f, s := requestLine("503", "UH", "1", "inbound|9080||"), newFeeder(), NewSnapshot()
	s.SetMaxSeries(most)
	workers := []*Delta{metered(), metered()}
	fresh, total := 0, 0
	for epoch := range epochs {
		for i, d := range workers {
			d.SetMaxSeries(most)
			if epoch > 0 { // what has no series, and leaves the workers no room for others
				for range most - i {
					f.add(d, fmt.Sprint("fresh", fresh), "cart-0", line)
					fresh++
					total++
				}
			}
			f.add(d, "known", "cart-0", line)
			total++
		}
		workers[0].Merge(workers[1])
		s.Merge(workers[0])
		for _, d := range workers {
			d.Reset()
		}
	}
	for _, m := range []string{"flagwatch_requests_total", "flagwatch_failures_total", "flagwatch_response_flags_total"} {
		series, sum, known, others := 0, 0.0, 0.0, 0.0
		all := expose(t, s, MetricOptions{Causes: []classify.Cause{}})
		for name, n := range all {
			if !strings.HasPrefix(name, m+"{proxy_namespace") {
				continue
			}
			series++
			sum += n
			if strings.Contains(name, `"known"`) {
				known += n
			}
			if strings.Contains(name, `"other"`) {
				others += n
			}
		}
		if series != most+1 || sum != float64(total) || known != 2*epochs || others != sum-known-most+1 {
			t.Errorf("%s: %d series with %v, %v of them known and %v others", m, series, sum, known, others)
		}
		if n := all[`flagwatch_series_limited_total{metric="`+m+`"}`]; n != others {
			t.Errorf("%s: %v limited, %v others", m, n, others)
		}
	}
}

// TestAdoptManyWorkloads demands that a Snapshot has no more series than its
// only Delta was told, which tells more apart.
func TestAdoptManyWorkloads(t *testing.T) {
	const most = 10
	d, f := metered(), newFeeder()
	d.SetMaxSeries(most)
	for i := range 2 * most {
		f.add(d, fmt.Sprint("ns", i), "cart-0", requestLine("200", "-", "1", "inbound|9080||"))
	}
	series, all := 0, expose(t, Adopt(d), MetricOptions{})
	for name := range all {
		if strings.HasPrefix(name, "flagwatch_requests_total{proxy_namespace") {
			series++
		}
	}
	if n := all[`flagwatch_series_limited_total{metric="flagwatch_requests_total"}`]; series != most+1 || n != most {
		t.Errorf("%d series, %v limited; want %d, %d", series, n, most+1, most)
	}
}
