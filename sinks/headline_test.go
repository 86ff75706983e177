package sinks

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"
)

// strict is a mesh in which one service begins to want mutual TLS: its proxy
// refuses plain text, and its callers see connections that end.
func strict() string {
	var b strings.Builder
	begin := time.Date(2026, 3, 2, 10, 0, 0, 0, time.UTC)
	for i := range 600 {
		at := begin.Add(time.Duration(i) * time.Second).Format("2006-01-02T15:04:05.000Z")
		a := access{time: at, cluster: "outbound|8080||payments.shop.svc.cluster.local", host: "10.42.3.11:8080"}
		if i >= 300 {
			a.code, a.flags, a.details = "503", "UC", "upstream_reset_before_response_started{connection_termination}"
			fmt.Fprintf(&b, `[%s] "- - -" 0 NR filter_chain_not_found - "-" 0 0 0 - "-" "-" "-" "-" "-" - - 10.42.3.11:8080 10.42.9.7:40001 - -`+"\n", at)
		}
		b.WriteString(a.String())
	}
	return b.String()
}

// Both sides of a connection tell of one cause: the headline adds them up, says
// that it goes on, and no cause is its own rival.
func TestHeadlineAddsBothSidesUp(t *testing.T) {
	r := reportOf(strict())
	if want := "Plaintext sent to a port that demands mutual TLS: 600 of 600 failed requests (503 UC and code 0 NR), since 10:05:00, still going at the end of the log, to payments.shop:8080."; r.Headline != want &&
		r.Headline != strings.Replace(want, "503 UC and code 0 NR", "code 0 NR and 503 UC", 1) {
		t.Errorf("headline %q, want %q", r.Headline, want)
	}
	for _, c := range r.Causes {
		for _, rival := range c.Rivals {
			if rival.ID == c.Verdict.Cause {
				t.Errorf("%s is its own rival", rival.ID)
			}
		}
		for _, e := range c.Evidence {
			if strings.Contains(e.Text, "of - ") {
				t.Errorf("evidence of no cluster: %s", e.Text)
			}
		}
	}
}

// A name may be as long as it likes: no line is wider than the page.
func TestLongNamesFitThePage(t *testing.T) {
	a := refused("")
	a.cluster = "outbound|9080||" + strings.Repeat("very-long-name-", 16) + ".shop.svc.cluster.local"
	r := reportOf(strings.Repeat(a.String(), 30))
	for width := minWidth; width <= 120; width += 7 {
		for line := range strings.Lines(string(render(t, r, TextOptions{Width: width}))) {
			if n := len([]rune(strings.TrimRight(line, "\n"))); n > width && !strings.Contains(line, "kubectl") && !strings.Contains(line, "https://") {
				t.Errorf("width %d: line of %d: %s", width, n, line)
			}
		}
	}
}

// What to type next is the first cause's command, then one of another error
// that is large or about the control plane; never one twice.
func TestFirstCommands(t *testing.T) {
	card := func(cause, severity string, failed, events uint64, next ...string) Card {
		return Card{ID: cause, Verdict: Verdict{Cause: cause, Severity: severity}, Failed: failed, Events: events, Next: next}
	}
	for name, row := range map[string]struct {
		causes []Card
		want   []string
	}{
		"none":              {nil, nil},
		"one":               {[]Card{card("a", "error", 90, 0, "1", "2")}, []string{"1"}},
		"the control plane": {[]Card{card("a", "error", 90, 0, "1"), card("b", "error", 0, 3, "2")}, []string{"1", "2"}},
		"large":             {[]Card{card("a", "error", 60, 0, "1"), card("b", "error", 30, 0, "2")}, []string{"1", "2"}},
		"small":             {[]Card{card("a", "error", 90, 0, "1"), card("b", "error", 10, 0, "2")}, []string{"1"}},
		"no error":          {[]Card{card("a", "error", 50, 0, "1"), card("b", "warning", 50, 0, "2")}, []string{"1"}},
		"the same":          {[]Card{card("a", "error", 50, 0, "1"), card("b", "error", 50, 0, "1")}, []string{"1"}},
		"three":             {[]Card{card("a", "error", 30, 0, "1"), card("b", "error", 30, 0, "2"), card("c", "error", 30, 0, "3")}, []string{"1", "2"}},
	} {
		r := &Report{Causes: row.causes, Totals: Totals{Failed: 100}}
		var got []string
		for _, s := range firstSuggestions(r) {
			got = append(got, s.command)
		}
		if !slices.Equal(got, row.want) {
			t.Errorf("%s: %q, want %q", name, got, row.want)
		}
	}
}

// A copy is named as one, not as an empty file.
func TestCopiesAreSaid(t *testing.T) {
	r := count("a.log", access{}.String()).Report(Input{Name: "a.log", Bytes: 200}, Input{Name: "a.log.gz", SameAs: "a.log"}, Input{Name: "b.log"}, Input{Name: "c.log", NotRead: 9})
	out := string(render(t, r, TextOptions{}))
	for _, want := range []string{"a.log.gz: the same log as a.log, counted once", "b.log: empty", "c.log: nothing of it was asked for"} {
		if !strings.Contains(out, want) {
			t.Errorf("no %q in\n%s", want, out)
		}
	}
	if page := textOf(allFormats(t, r)["html"]); !strings.Contains(page, "the same log as a.log, counted once") {
		t.Error("the page does not say that a.log.gz is a copy")
	}
}

// The first and the last failure are told to the second, not to their cells.
func TestEdges(t *testing.T) {
	at := func(s string) string { return refused("2026-03-02T10:0" + s + "Z").String() }
	out := string(render(t, reportOf(at("0:03.500")+at("1:17.250")+at("2:58.750")), TextOptions{}))
	if !strings.Contains(out, "first 10:00:03 · last 10:02:58") {
		t.Error(out)
	}
}

// A team's own cause may have any severity: the report does not say what kind
// of failure it is.
func TestOwnCausesAreNotNamed(t *testing.T) {
	text := repeat(eachSecond(5), func(at string) string { return refusedBy(at, "10.42.3.9:9080") }) + repeat(eachSecond(30), func(at string) string {
		return accessAt(at, access{code: "503", flags: "UC", details: "upstream_reset_before_response_started{connection_termination}"})
	})
	r := reportOf(text)
	for i := range r.Causes {
		if r.Causes[i].Verdict.Cause == "upstream-closed" {
			r.Causes[i].Verdict.Cause, r.Causes[i].Verdict.Severity = "nightly-restart", "warning"
		}
	}
	r.Severities = []NamedCount{{"error", 5}, {"warning", 30}}
	if got := strings.Join(severities(r), ", "); got != "outage 5, warning 30" {
		t.Errorf("severities: %s", got)
	}
	card := Card{Failed: 5, Verdict: Verdict{Cause: "upstream-refused", Severity: "error"}}
	if got := (&scene{}).besides(&card, r); got != "; 30 more are rated no outage" {
		t.Errorf("besides: %s", got)
	}
	r.Causes = []Card{card}
	if got := strings.Join(severities(r), ", "); got != "outage 5, refused or cut on purpose 30" {
		t.Errorf("severities of the catalogue: %s", got)
	}
}

func TestOutcomeText(t *testing.T) {
	number := func(n int) *int { return &n }
	for want, o := range map[string]OutcomeCount{
		"code 0 NR":  {Code: number(0), Flags: []string{"NR"}},
		"code 0":     {Code: number(0)},
		"503 UF,URX": {Code: number(503), Flags: []string{"UF", "URX"}},
		"- UF":       {Flags: []string{"UF"}},
	} {
		if got := outcomeText(o.Code, o.Flags); got != want {
			t.Errorf("got %q, want %q", got, want)
		}
	}
}

// One workload that fails towards several services is the place.
func TestOneCallerIsNamed(t *testing.T) {
	card := &Card{
		Records: 30, Failed: 30, Callers: []ValueCount{{Value: "cart", Count: 30}},
		Clusters: []ValueCount{{Value: "outbound|80||prices.shop.svc.cluster.local", Count: 16}, {Value: "outbound|80||stock.shop.svc.cluster.local", Count: 14}},
	}
	if got := new(scene).where(card); got != "all of them from cart" {
		t.Error(got)
	}
	card.Callers[0].Count = 29 // and one more of somebody else
	if got := new(scene).where(card); got != "" {
		t.Error(got)
	}
}
