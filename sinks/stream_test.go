package sinks

import (
	"fmt"
	"io"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/flagwatch/flagwatch/parser"
)

// A flow is requests of one kind, at random times between two seconds of the
// input.
type flow struct {
	from, to, n int // seconds, and how many requests
	cluster     string
	client      string
	method      string
	code, flags string
	host        int // of so many hosts; below 0: that one
	ms, spread  int // duration
	bytes       int
	authority   string
	path        int // of so many paths
}

var streamBegin = time.Date(2026, 4, 7, 8, 0, 0, 0, time.UTC)

// streamOf is a log of flows, in the order of time. A seed makes it the same
// each time.
func streamOf(flows ...flow) string {
	type line struct {
		at   time.Time
		text string
	}
	rnd := rand.New(rand.NewPCG(7, 11))
	var lines []line
	for _, f := range flows {
		for i := range f.n {
			ms := int64(f.from*1000) + rnd.Int64N(int64(f.to-f.from)*1000)
			at := streamBegin.Add(time.Duration(ms) * time.Millisecond)
			lines = append(lines, line{at, f.line(at, i, rnd)})
		}
	}
	slices.SortStableFunc(lines, func(a, b line) int { return a.at.Compare(b.at) })
	var b strings.Builder
	for _, l := range lines {
		b.WriteString(l.text)
	}
	return b.String()
}

func (f *flow) line(at time.Time, i int, rnd *rand.Rand) string {
	or := func(s, other string) string {
		if s == "" {
			return other
		}
		return s
	}
	details, service := "via_upstream", "3"
	switch {
	case strings.HasPrefix(f.flags, "U") && f.flags != "UT":
		details, service = "upstream_reset_before_response_started{connection_termination}", "-"
	case f.flags == "NR":
		details, service = "route_not_found", "-"
	case f.flags == "UT":
		details, service = "response_timeout", "-"
	case f.flags == "DC":
		details, service = "downstream_remote_disconnect", "-"
	}
	n := -f.host
	if f.host >= 0 {
		n = 1 + rnd.IntN(max(f.host, 1))
	}
	host, cluster := fmt.Sprintf(`"10.61.4.%d:8080"`, n), or(f.cluster, stock)
	if f.flags == "NR" {
		host, cluster = `"-"`, "-"
	}
	return fmt.Sprintf(`[%s] "%s /stock/%d HTTP/1.1" %s %s %s - "-" 0 %d %d %s "-" "till/3.1" "0c5d8a11-7e2b-4c1f-9a3d-%012x" "%s" %s %s %s:40001 10.96.8.8:8080 %s:40001 - default`+"\n",
		at.Format("2006-01-02T15:04:05.000Z"), or(f.method, "GET"), rnd.IntN(max(f.path, 1)), or(f.code, "200"), or(f.flags, "-"), details, f.bytes,
		f.ms+rnd.IntN(f.spread+1), service, rnd.Uint64()>>16, or(f.authority, "stock.till:8080"), host, cluster, or(f.client, "10.61.9.7"), or(f.client, "10.61.9.7"))
}

const (
	stock  = "outbound|8080||stock.till.svc.cluster.local"
	prices = "outbound|8080||prices.till.svc.cluster.local"
)

func healthyFlow(from, to, n int) flow {
	return flow{from: from, to: to, n: n, host: 12, ms: 12, spread: 40, bytes: 700}
}

func brokenFlow(from, to, n int) flow {
	return flow{from: from, to: to, n: n, host: 12, code: "503", flags: "UC", ms: 0, spread: 3, bytes: 95}
}

func (f flow) with(change func(*flow)) flow { change(&f); return f }

func saysOf(c *Card) string {
	var b strings.Builder
	for _, e := range c.Evidence {
		fmt.Fprintf(&b, "%s: %s\n", e.Kind, e.Text)
	}
	return b.String()
}

func TestVerdictsOfStreams(t *testing.T) {
	post := func(f *flow) { f.method = "POST" }
	slow := func(f *flow) { f.ms, f.spread = 1, 25 }
	retried := func(f *flow) { f.flags, f.ms, f.spread = "UC,URX", 20, 70 }
	other := func(f *flow) { f.client = "10.61.9.99" }
	oneHost := func(f *flow) { f.host = -5 }
	elsewhere := func(f *flow) { f.cluster = prices }
	late := func(f *flow) { f.ms, f.spread = 700, 900 }
	for _, test := range []struct {
		name       string
		text       string
		cause      string
		confidence string
		says       []string // of the evidence
		not        []string // neither evidence nor rivals
	}{
		{"all fail from a moment on", streamOf(healthyFlow(0, 600, 200), brokenFlow(600, 1200, 200), healthyFlow(0, 1200, 400).with(elsewhere)),
			"plaintext-to-strict-mtls", "medium", []string{"every request of stock.till", "200 succeeded before"}, []string{"keepalive-race"}},
		{"far away", streamOf(healthyFlow(0, 600, 200), brokenFlow(600, 1200, 200).with(slow), healthyFlow(0, 1200, 400).with(elsewhere)),
			"plaintext-to-strict-mtls", "medium", []string{"every request of stock.till", "200 succeeded before"}, []string{"keepalive-race"}},
		{"with retries", streamOf(healthyFlow(0, 600, 200), brokenFlow(600, 1200, 100).with(retried), brokenFlow(600, 1200, 100).with(slow), healthyFlow(0, 1200, 400).with(elsewhere)),
			"plaintext-to-strict-mtls", "medium", []string{"200 succeeded before"}, nil},
		{"after long work", streamOf(healthyFlow(0, 600, 200), brokenFlow(600, 1200, 200).with(late)), "upstream-closed", "", nil, []string{"every request"}},
		{"of one client, while others succeed", streamOf(healthyFlow(0, 600, 400), brokenFlow(600, 1200, 300), healthyFlow(0, 1200, 800).with(other)),
			"plaintext-to-strict-mtls", "medium", []string{"every request of one client, 10.61.9.7,", "those of other clients succeed"}, nil},
		{"half of those of one client", streamOf(healthyFlow(0, 1200, 800), brokenFlow(600, 1200, 300), healthyFlow(0, 1200, 800).with(other)),
			"upstream-closed", "", nil, []string{"every request"}},
		{"refused ones between them", streamOf(healthyFlow(0, 600, 200), brokenFlow(600, 640, 60), brokenFlow(600, 640, 60).with(func(f *flow) { f.flags = "UF" })),
			"upstream-closed", "", nil, []string{"every request"}},

		{"few of all, at all hosts", streamOf(healthyFlow(0, 3600, 4000), brokenFlow(0, 3600, 40).with(post)),
			"keepalive-race", "medium", []string{"a low rate all along: 40 of 4,040 requests (0.99 %)", " hosts; ", "40 of 40 are POST or PATCH", "spread over"}, []string{"burst", "client-cert-refused"}},
		{"two hosts, more of them", streamOf(healthyFlow(0, 3600, 800).with(func(f *flow) { f.host = 2 }), brokenFlow(0, 3600, 50).with(post).with(func(f *flow) { f.host = 2 })),
			"keepalive-race", "medium", []string{"at 2 hosts"}, []string{"burst"}},
		{"any method", streamOf(healthyFlow(0, 3600, 4000), brokenFlow(0, 3600, 40)), "keepalive-race", "low", nil, []string{"POST", "client-cert-refused"}},
		{"at one host of many", streamOf(healthyFlow(0, 3600, 4000), brokenFlow(0, 3600, 40).with(post).with(oneHost)), "upstream-closed", "", []string{"one host of"}, nil},
		{"in the second half only", streamOf(healthyFlow(0, 3600, 4000), brokenFlow(1800, 3600, 40).with(post)), "upstream-closed", "", []string{"none in the 30m"}, []string{"spread over"}},
		{"in a minute", streamOf(healthyFlow(0, 3600, 4000), brokenFlow(1800, 1850, 40).with(post)), "upstream-closed", "", []string{"a burst: "}, []string{"spread over"}},
		{"a third of all", streamOf(healthyFlow(0, 3600, 400), brokenFlow(0, 3600, 200).with(post)), "upstream-closed", "", nil, nil},
	} {
		t.Run(test.name, func(t *testing.T) {
			r := reportOf(test.text)
			i := slices.IndexFunc(r.Causes, func(c Card) bool { return c.ID == "upstream-closed" })
			if i < 0 {
				t.Fatalf("no upstream-closed: %s", cardList(r))
			}
			c := &r.Causes[i]
			said := saysOf(c)
			if c.Verdict.Cause != test.cause || test.confidence != "" && c.Verdict.Confidence != test.confidence {
				t.Errorf("%s %s, want %s %s\n%s", c.Verdict.Cause, c.Verdict.Confidence, test.cause, test.confidence, said)
			}
			for _, want := range test.says {
				if !strings.Contains(said, want) {
					t.Errorf("no %q in\n%s", want, said)
				}
			}
			for _, rival := range c.Rivals {
				said += rival.ID + "\n"
			}
			for _, unwanted := range test.not {
				if strings.Contains(said, unwanted) {
					t.Errorf("%q in\n%s", unwanted, said)
				}
			}
			if one := strings.Contains(said, "one client"); one != (len(c.Clients) > 0) {
				t.Errorf("clients %v beside\n%s", c.Clients, said)
			}
		})
	}
}

// A burst is true by the cells: no stream that lies evenly in time has one.
func TestBurstsAreNoChance(t *testing.T) {
	for n := 10; n <= 60; n += 5 {
		for _, f := range []flow{brokenFlow(0, 3600, n), brokenFlow(900, 3600, n), brokenFlow(0, 1200, n)} {
			said := saysOf(&reportOf(streamOf(healthyFlow(0, 3600, 3000), f)).Causes[0])
			if strings.Contains(said, "burst") {
				t.Errorf("%d failures from %d to %d s:\n%s", n, f.from, f.to, said)
			}
		}
		said := saysOf(&reportOf(streamOf(healthyFlow(0, 3600, 3000), brokenFlow(2000, 2120, n))).Causes[0])
		if !strings.Contains(said, "a burst") {
			t.Errorf("%d failures in two minutes:\n%s", n, said)
		}
	}
}

func TestNarrowest(t *testing.T) {
	at := func(s int, n uint64) step { return step{streamBegin.Add(time.Duration(s) * time.Second), n} }
	for name, test := range map[string]struct {
		steps    []step
		n        uint64
		from, to int
	}{
		"one step":                {[]step{at(0, 1), at(10, 9), at(500, 1)}, 8, 1, 1},
		"two that touch":          {[]step{at(0, 1), at(10, 5), at(20, 5), at(500, 5)}, 10, 1, 2},
		"all":                     {[]step{at(0, 1), at(100, 1), at(200, 1)}, 3, 0, 2},
		"not the top ones of all": {[]step{at(0, 5), at(1000, 2), at(1010, 3), at(1020, 3), at(3000, 5)}, 8, 1, 3},
	} {
		if from, to, _ := narrowest(test.steps, test.n); from != test.from || to != test.to {
			t.Errorf("%s: %d to %d, want %d to %d", name, from, to, test.from, test.to)
		}
	}
}

// withNames are the records of clients that sent the host as the server name.
func withNames(text string) string {
	var b strings.Builder
	for line := range strings.Lines(text) {
		host := strings.Split(line, `"`)[11]
		b.WriteString(strings.Replace(line, " - default\n", " "+host+" default\n", 1))
	}
	return b.String()
}

func TestEveryPath(t *testing.T) {
	lost := flow{from: 600, to: 1200, n: 200, host: 1, code: "404", flags: "NR", authority: "www.till.example", path: 90}
	served := healthyFlow(0, 600, 300).with(func(f *flow) { f.authority = "www.till.example" })
	fine := healthyFlow(0, 1200, 900).with(func(f *flow) { f.authority = "api.till.example" })
	many := func(f flow) (list []flow) {
		for i := range 8 {
			list = append(list, f.with(func(f *flow) { f.n, f.client = f.n/8, fmt.Sprintf("198.51.100.%d", i+1) }))
		}
		return list
	}
	for _, test := range []struct {
		name, text, cause, says string
		rival                   bool
	}{
		{"of a gateway, from a moment on", streamOf(append(many(lost), served, fine)...), "gateway-host-unbound", "whatever the path; about ", false},
		{"of a gateway, never", streamOf(append(many(lost), fine)...), "gateway-host-unbound", "whatever the path; none before", false},
		{"of a sidecar", streamOf(lost, served, fine), "route-missing", "whatever the path; about ", false},
		{"some paths only", streamOf(append(many(lost), served.with(func(f *flow) { f.to, f.n = 1200, 900 }), fine)...), "route-missing", "succeed at the same time", false},
		{"of a gateway, and back", streamOf(append(many(lost.with(func(f *flow) { f.from, f.to = 300, 900 })), served.with(func(f *flow) { f.to, f.n = 300, 200 }), served.with(func(f *flow) { f.from, f.to, f.n = 900, 1200, 200 }), fine)...),
			"gateway-host-unbound", "to 08:14:5", false},
		{"twice", streamOf(append(append(many(lost.with(func(f *flow) { f.from, f.to = 100, 400 })), many(lost.with(func(f *flow) { f.from, f.to = 900, 1200 }))...), served.with(func(f *flow) { f.from, f.to, f.n = 400, 900, 900 }))...),
			"gateway-host-unbound", "at other times", false},
		{"with TLS, some paths only", withNames(streamOf(append(many(lost), served.with(func(f *flow) { f.to, f.n = 1200, 900 }), fine)...)), "route-missing", "succeed at the same time", false},
		{"with TLS, and over", withNames(streamOf(append(many(lost.with(func(f *flow) { f.from, f.to = 300, 800 })), served.with(func(f *flow) { f.to, f.n = 1200, 900 }), fine)...)), "route-missing", "succeed at the same time", false},
		{"with TLS, all of it", withNames(streamOf(append(many(lost), served, fine)...)), "gateway-host-unbound", "whatever the path; about ", false},
		{"with TLS, and back", withNames(streamOf(append(many(lost.with(func(f *flow) { f.from, f.to = 300, 900 })), served.with(func(f *flow) { f.to, f.n = 300, 200 }), served.with(func(f *flow) { f.from, f.to, f.n = 900, 1200, 200 }), fine)...)),
			"gateway-host-unbound", "at other times", false},
		{"one path", streamOf(append(many(lost.with(func(f *flow) { f.path = 1 })), fine)...), "route-missing", "", true},
	} {
		c := &reportOf(test.text).Causes[0]
		if c.Verdict.Cause != test.cause || !strings.Contains(saysOf(c), test.says) {
			t.Errorf("%s: %s\n%s", test.name, c.Verdict.Cause, saysOf(c))
		}
		if got := slices.ContainsFunc(c.Rivals, func(r RivalCount) bool {
			return r.ID == "gateway-host-unbound" || r.ID == "gateway-vs-tls-mismatch" && test.cause == "route-missing"
		}); got != test.rival {
			t.Errorf("%s: rivals %+v", test.name, c.Rivals)
		}
	}
}

func TestDeclined(t *testing.T) {
	denied := func(from, to, n int) flow {
		return flow{from: from, to: to, n: n, host: 3, code: "403", ms: 2, bytes: 19}
	}
	other := healthyFlow(0, 1200, 600).with(func(f *flow) { f.cluster = prices })
	for _, test := range []struct {
		name, text, cause, confidence string
		says                          []string
	}{
		{"403 from a moment on", streamOf(healthyFlow(0, 600, 150), denied(600, 1200, 150), other), "rbac-denied", "medium",
			[]string{"to stock.till:8080", "with 403 from 08:10:00 on; 0 of 150 before", "-n till"}},
		{"for a while", streamOf(healthyFlow(0, 400, 150), denied(400, 700, 150), healthyFlow(700, 1200, 150), other), "rbac-denied", "medium", []string{"from 08:06:40 to 08:11:40"}},
		{"another body", streamOf(healthyFlow(0, 600, 150), denied(600, 1200, 150).with(func(f *flow) { f.bytes = 310 }), other), "", "low", []string{"with 403"}},
		{"401", streamOf(healthyFlow(0, 600, 150), denied(600, 1200, 150).with(func(f *flow) { f.code = "401" }), other), "jwt-missing", "low", []string{"with 401"}},
		{"422", streamOf(healthyFlow(0, 600, 150), denied(600, 1200, 150).with(func(f *flow) { f.code = "422" }), other), "", "low", []string{"with 422"}},
		{"background", streamOf(healthyFlow(0, 1200, 600), denied(0, 1200, 60), other), "-", "", nil},
		{"nothing else, ever", streamOf(denied(0, 1200, 600), other), "-", "", nil},
		{"half of all", streamOf(healthyFlow(0, 600, 150), healthyFlow(600, 1200, 75), denied(600, 1200, 75), other), "-", "", nil},
		{"few", streamOf(healthyFlow(0, 600, 150), denied(1150, 1200, 5), other), "-", "", nil},
	} {
		r := reportOf(test.text)
		if r.Totals.Failed > 0 {
			t.Errorf("%s: %d failed: a notice is no failure", test.name, r.Totals.Failed)
		}
		if test.cause == "-" {
			if len(r.Hints) > 0 {
				t.Errorf("%s: %+v", test.name, r.Hints)
			}
			continue
		}
		if len(r.Hints) != 1 || r.Hints[0].Cause != test.cause || r.Hints[0].Confidence != test.confidence {
			t.Errorf("%s: %+v", test.name, r.Hints)
			continue
		}
		for _, want := range test.says {
			if !strings.Contains(r.Hints[0].Text, want) {
				t.Errorf("%s: no %q in %s", test.name, want, r.Hints[0].Text)
			}
		}
	}
}

// A remark stands in every picture.
func TestHintsAreDrawn(t *testing.T) {
	denied := flow{from: 600, to: 1200, n: 150, host: 3, code: "403", ms: 2, bytes: 19}
	r := reportOf(streamOf(healthyFlow(0, 600, 150), denied))
	draw := map[string]func(io.Writer) error{
		"text":     func(w io.Writer) error { return WriteText(w, r, TextOptions{Width: 120}) },
		"markdown": func(w io.Writer) error { return WriteMarkdown(w, r) },
		"html":     func(w io.Writer) error { return WriteHTML(w, r) },
	}
	for name, write := range draw {
		var out strings.Builder
		if err := write(&out); err != nil {
			t.Fatal(err)
		}
		for _, want := range []string{"worth a look", "rbac-denied", "0 of 150 before"} {
			if !strings.Contains(strings.ToLower(strings.Join(strings.Fields(out.String()), " ")), want) {
				t.Errorf("%s: no %q", name, want)
			}
		}
	}
}

// Durations close to whole seconds are told when they are more than chance
// makes them.
func TestTimeoutsAreNoChance(t *testing.T) {
	cut := flow{from: 0, to: 1200, n: 300, host: 3, code: "0", flags: "DC", ms: 2000, spread: 7000}
	at := func(ms, n int) flow { return cut.with(func(f *flow) { f.n, f.ms, f.spread = n, ms, 4 }) }
	for _, test := range []struct {
		name  string
		flows []flow
		want  string
	}{
		{"random", []flow{cut}, "[]"},
		{"all of them", []flow{at(15000, 40)}, "[{15 40 0}]"},
		{"three alone", []flow{at(30000, 3)}, "[{30 3 0}]"},
		{"one alone", []flow{at(30000, 1)}, "[]"},
	} {
		c := &reportOf(streamOf(test.flows...)).Causes[0]
		if got := fmt.Sprint(c.Timeouts); got != test.want {
			t.Errorf("%s: %s, want %s", test.name, got, test.want)
		}
	}
	c := &reportOf(streamOf(cut, at(5000, 90))).Causes[0]
	if len(c.Timeouts) != 1 || c.Timeouts[0].Seconds != 5 || c.Timeouts[0].Count < 90 {
		t.Errorf("among random ones: %v", c.Timeouts)
	}
}

// How many hosts a cluster has is said with care: few of the successes are
// looked at.
func TestHostsAreNotUnderstated(t *testing.T) {
	bad := brokenFlow(0, 1200, 40).with(func(f *flow) { f.host = -13 })
	for n, want := range map[int]string{60: " or more: ", 6000: "one host of 13: "} {
		if said := saysOf(&reportOf(streamOf(healthyFlow(0, 1200, n), bad)).Causes[0]); !strings.Contains(said, want) {
			t.Errorf("%d successes: no %q in\n%s", n, want, said)
		}
	}
}

// What was left out is not there to be compared with.
func TestFilteredStream(t *testing.T) {
	bad := streamOf(brokenFlow(600, 1200, 40).with(func(f *flow) { f.host = -5 }))
	d := NewDelta()
	countBlock(d, Origin{Input: "till.log"}, bad)
	d.AddSkipped(&parser.Record{Kind: parser.Access})
	s := NewSnapshot()
	s.Merge(d)
	r := s.Report()
	said := saysOf(&r.Causes[0])
	if r.Totals.Access != 40 || strings.Contains(said, "no other host") || strings.Contains(said, "every request") || !strings.Contains(said, "40 of 40 failures") {
		t.Errorf("%d records\n%s", r.Totals.Access, said)
	}
	if out := string(render(t, r, TextOptions{})); strings.Contains(out, "of access)") || !strings.Contains(out, "all of them at 10.61.4.5:8080") {
		t.Error(out)
	}
}

func TestSince(t *testing.T) {
	text := streamOf(healthyFlow(0, 1200, 500), brokenFlow(300, 1100, 100))
	s := count("till.log", text)
	whole, r := s.Report(), s.Since(streamBegin.Add(10*time.Minute)).Report()
	if r.Totals.Access == 0 || r.Totals.Access >= whole.Totals.Access || r.Totals.WithoutCode != 0 || r.Totals.WithoutFlags != 0 || len(r.Hints) > 0 {
		t.Errorf("%+v of %+v, %+v", r.Totals, whole.Totals, r.Hints)
	}
	c, w := &r.Causes[0], &whole.Causes[0]
	if !c.Last.Equal(*w.Last) || !c.Clusters[0].Last.Equal(*w.Last) || c.First.Before(streamBegin.Add(10*time.Minute)) {
		t.Errorf("from %v to %v, %v; of all to %v", c.First, c.Last, c.Clusters[0].Last, w.Last)
	}
	if !r.Span.Last.Equal(whole.Span.Last) {
		t.Errorf("span %v, of all %v", r.Span, whole.Span)
	}
}
