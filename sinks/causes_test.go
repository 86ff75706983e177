package sinks

import (
	"fmt"
	"math/rand/v2"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/flagwatch/flagwatch/classify"
	"github.com/flagwatch/flagwatch/parser"
)

// Durations are kept within a sixteenth, small ones exactly, and histograms
// of parts merge to that of the whole.
func TestHistogram(t *testing.T) {
	rand := rand.New(rand.NewPCG(4, 2026))
	var whole histogram
	parts := make([]histogram, 3)
	var list []int64
	for range 5000 {
		ms := int64(1) << rand.IntN(26)
		ms += rand.Int64N(ms)
		list = append(list, ms)
		whole.add(ms)
		parts[rand.IntN(3)].add(ms)
	}
	var merged histogram
	for i := range parts {
		merged.merge(&parts[i])
	}
	if !reflect.DeepEqual(merged, whole) {
		t.Error("the parts do not merge to the whole")
	}
	slices.Sort(list)
	for _, q := range []float64{0, 0.5, 0.9, 0.99, 1} {
		want := list[min(int(q*float64(len(list))), len(list)-1)]
		if got := whole.quantile(q); got < want || got > want+want/16+1 {
			t.Errorf("quantile %v: %d, want %d or a sixteenth more", q, got, want)
		}
	}
	for bucket := range numBuckets {
		if got := bucketOf(lowest(bucket)); got != bucket {
			t.Errorf("bucket %d begins with a duration of bucket %d", bucket, got)
		}
	}
	exact := histogram{}
	for ms := range int64(40) {
		exact.add(ms)
	}
	if exact.upTo(5) != 6 || exact.upTo(0) != 1 {
		t.Errorf("up to 5 ms: %d, up to 0: %d", exact.upTo(5), exact.upTo(0))
	}
}

// A load keeps all its records when its steps get longer, and depends on
// nothing but them.
func TestLoad(t *testing.T) {
	rand := rand.New(rand.NewPCG(5, 2026))
	whole, parts := load{}, []load{{}, {}}
	const n = 200000
	for range n {
		cluster, at := uint16(2+rand.IntN(5)), rand.Int64N(40*86400e9)
		whole.add(cluster, at)
		parts[rand.IntN(2)].add(cluster, at)
	}
	all := load{}
	ids := []uint16{0, 1, 2, 3, 4, 5, 6}
	for i := range parts {
		all.merge(&parts[i], ids)
	}
	sum := load{}
	sum.merge(&whole, ids)
	flat := func(l *load) map[string]uint64 {
		m := map[string]uint64{}
		for cluster, w := range l.all {
			m[fmt.Sprint(cluster, w.begin)] += w.n
		}
		return m
	}
	a, b := flat(&all), flat(&sum)
	total := uint64(0)
	for k, n := range a {
		total += n
		if b[k] != n {
			t.Fatalf("%s: %d and %d", k, n, b[k])
		}
	}
	if total != n || len(a) != len(b) || len(a) > maxCells || all.shift == 0 {
		t.Errorf("%d records in %d and %d steps, shift %d", total, len(a), len(b), all.shift)
	}
}

func TestRedact(t *testing.T) {
	jwt := "eyJhbGciOiJSUzI1NiJ9.eyJzdWIiOiJhIn0.c2ln"
	for in, want := range map[string]string{
		`"GET /pay?card=4111&pin=1 HTTP/1.1" 503`:    `"GET /pay?... HTTP/1.1" 503`,
		`authorization: Bearer ` + jwt + ` more`:     `authorization: ... more`,
		`{"token":"s3cr3t-value","code":503}`:        `{"token":"...","code":503}`,
		`password=hunter2&user=a`:                    `password=...&user=a`,
		`got Bearer abcdefghijkl "x"`:                `got Bearer ... "x"`,
		`cookie ` + jwt:                              `cookie ...`,
		`no secret in GET /reviews/7, token of none`: `no secret in GET /reviews/7, token of none`,
		``: ``,
	} {
		if got := redact(in); strings.Contains(got, "hunter2") || strings.Contains(got, "eyJ") || got != want && !strings.Contains(in, "authorization") {
			t.Errorf("%s: %s, want %s", in, got, want)
		}
	}
	for _, name := range secrets {
		for _, name := range []string{name, strings.ToUpper(name)} {
			in, want := "a=1&"+name+"=hunter2&b=2 "+name+": hunter3", "a=1&"+name+"=...&b=2 "+name+": ..."
			if got := redact(in); got != want {
				t.Errorf("%s: %s, want %s", in, got, want)
			}
		}
	}
}

// Every command of the catalogue uses names that the report knows, and what
// the log says can not become a command of its own.
func TestCommands(t *testing.T) {
	for _, cause := range classify.Causes() {
		for _, check := range cause.Checks {
			for rest := check; ; {
				_, after, ok := strings.Cut(rest, "{")
				if !ok {
					break
				}
				name, tail, _ := strings.Cut(after, "}")
				if isName(name) && !slices.Contains(Placeholders(), name) {
					t.Errorf("%s: no placeholder %s: %s", cause.ID, name, check)
				}
				rest = tail
			}
		}
	}
	values := map[string]string{"pod": "cart-5", "cluster": reviews, "authority": "x;reboot", "sni": "$(reboot)", "route": "-rf", "host": ""}
	for in, want := range map[string]string{
		"logs {pod}":                   "logs cart-5",
		"--cluster {cluster} -x":       "--cluster '" + reviews + "' -x",
		"--cluster '{cluster}'":        "--cluster '" + reviews + "'",
		"curl {authority} {sni}":       "curl <authority> <sni>",
		"rm {route}":                   "rm <route>",
		"dig {host} {upstream_ip}":     "dig <host> <upstream-ip>",
		"-o jsonpath={.items[0].name}": "-o jsonpath={.items[0].name}",
	} {
		if got := fillIn(in, values); got != want {
			t.Errorf("%s: %s, want %s", in, got, want)
		}
	}
}

func isName(s string) bool {
	return s != "" && strings.Trim(s, "abcdefghijklmnopqrstuvwxyz_") == ""
}

// The counts of the causes add up to those of the records, with what no rule
// explains.
func TestCausesAddUp(t *testing.T) {
	r := reportOf(incident())
	failed := uint64(0)
	for _, c := range r.Causes {
		failed += c.Failed
		for _, by := range []struct {
			list []ValueCount
			want uint64
		}{{c.Clusters, c.Records}, {c.Proxies, c.Records + c.Events}} {
			sum := uint64(0)
			for _, v := range by.list {
				sum += v.Count
			}
			if sum != by.want {
				t.Errorf("%s: %+v add up to %d, want %d", c.ID, by.list, sum, by.want)
			}
		}
	}
	if failed != r.Totals.Failed {
		t.Errorf("%d failed, want %d", failed, r.Totals.Failed)
	}
	byCell := uint64(0)
	for _, c := range r.Timeline.Cells {
		if c.Cause == "upstream-refused" {
			byCell += c.Failed
		}
	}
	i := slices.IndexFunc(r.Causes, func(c Card) bool { return c.ID == "upstream-refused" })
	if i != 0 || byCell != r.Causes[0].Failed || r.Causes[0].Hosts[0].Value != "10.42.3.19:9080" {
		t.Errorf("refused stands at %d: %s; cells %d", i, cardList(r), byCell)
	}
	if !strings.Contains(r.Headline, "10.42.3.19:9080") {
		t.Errorf("headline %s", r.Headline)
	}
}

// A cause of the control plane and one of requests make one sentence.
func TestHeadlineNamesTheControlPlane(t *testing.T) {
	text := repeat(every(2, 5, 60), func(at string) string {
		return accessAt(at, access{code: "503", flags: "UF", details: "upstream_reset_before_response_started{remote_connection_failure|delayed_connect_error:_Connection_refused}"})
	}) + repeat([]string{"10:02:00", "10:03:00"}, func(at string) string {
		return envoyLine(at, "warning", "config", "StreamAggregatedResources gRPC config stream to xds-grpc closed since 60s ago: 14, connection error: desc = \"transport: dial tcp 10.96.11.4:15012: connect: connection refused\"")
	})
	r := reportOf(text)
	if !strings.Contains(r.Headline, "from 10:02:00") || !strings.Contains(r.Headline, "the control plane is unreachable since 10:01:00") {
		t.Errorf("headline %q; causes %s", r.Headline, cardList(r))
	}
}

// Proxies are told apart by their place or their input.
func TestProxies(t *testing.T) {
	d := NewDelta()
	start := envoyLine("10:00:00", "info", "main", "starting main dispatch loop")
	countBlock(d, Origin{Input: "a.log"}, start+envoyLine("10:00:02", "info", "main", "all dependencies initialized. starting workers"))
	countBlock(d, Origin{Input: "b.log"}, start+envoyLine("10:00:50", "warning", "main", "something else"))
	countBlock(d, Origin{Input: "c.log", Namespace: "shop", Pod: "cart-5"}, start+agentLine("10:00:02", "info", "Envoy proxy is ready")+agentLine("10:20:00", "info", "Agent draining Proxy"))
	s := NewSnapshot()
	s.Merge(d)
	r := s.Report()
	got := ""
	for _, p := range r.Proxies {
		got += p.Input + p.Namespace + "/" + p.Pod + " " + p.Status + "\n"
	}
	if want := "a.log/ serving\nb.log/ waiting\nshop/cart-5 draining\n"; got != want {
		t.Errorf("got %s\nwant %s", got, want)
	}
	if len(r.Causes) == 0 || r.Causes[0].ID != "control-plane-unreachable" || r.Causes[0].Waiting != 1 || r.Causes[0].Proxies[0].Value != "b.log" {
		t.Errorf("causes %s", cardList(r))
	}
}

func TestSuppress(t *testing.T) {
	r := count("log", incident()).ReportWith(ReportOptions{Suppress: []string{"upstream-refused"}})
	i := slices.IndexFunc(r.Causes, func(c Card) bool { return c.ID == "upstream-refused" })
	if i < 0 || r.Causes[i].Fold != foldSuppressed || r.Causes[i].Failed != 86 || strings.Contains(r.Headline, "10.42.3.19") {
		t.Errorf("headline %s; %s", r.Headline, cardList(r))
	}
	if out := string(render(t, r, TextOptions{Width: 80})); !strings.Contains(out, "suppressed  upstream-refused 86") {
		t.Errorf("no note: %s", out)
	}
}

// Failed records and events cost no memory once they were met.
func TestCausesAllocateNothing(t *testing.T) {
	block := padded(repeat(every(0, 1, 50), closedAt) + repeat(every(0, 1, 20), func(at string) string { return notReady(at, noUpdates) }) +
		repeat(every(0, 1, 20), func(at string) string { return envoyLine(at, "warning", "config", streamEnded) }))
	c := classify.Default()
	p, d := parser.NewParser(Wanted|c.Fields()), NewDelta()
	from := Origin{Input: "log", Block: block}
	run := func() {
		d.Reset()
		p.Reset(block)
		for r, ok := p.Next(); ok; r, ok = p.Next() {
			d.Add(&from, r, c.Classify(r))
		}
	}
	run()
	if n := testing.AllocsPerRun(10, run); n > 0 {
		t.Errorf("%v allocations", n)
	}
}
