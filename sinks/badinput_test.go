package sinks

import (
	"fmt"
	"os"
	"strings"
	"testing"
	"time"
)

const refusedDetails = "upstream_reset_before_response_started{remote_connection_failure|delayed_connect_error:_Connection_refused}"

// refused is one request to a host that refuses it.
func refused(at string) access {
	return access{time: at, code: "503", flags: "UF,URX", details: refusedDetails, host: "10.42.3.19:9080"}
}

// reportsOfAllKinds are reports of all that an input may be.
func reportsOfAllKinds(t *testing.T) map[string]*Report {
	t.Helper()
	sample, err := os.ReadFile("../testdata/logs/sample.log")
	if err != nil {
		t.Fatal(err)
	}
	var backwards, long strings.Builder
	for i := range 60 {
		at := time.Date(2026, 3, 2, 10, 30-i/2, 0, 0, time.UTC)
		backwards.WriteString(refused(at.Format("2006-01-02T15:04:05.000Z")).String())
		long.WriteString(access{code: "503", flags: "UH", details: "no_healthy_upstream", host: "-", cluster: fmt.Sprintf("outbound|80||%s-%02d.%s.svc.cluster.local", strings.Repeat("long-name-", 20), i, strings.Repeat("界", 40))}.String())
	}
	list := map[string]*Report{
		"incident": reportOf(incident()), "sample": reportOf(string(sample)), "empty": reportOf(""), "healthy": reportOf(strings.Repeat(access{}.String(), 30)),
		"one": reportOf(refused("").String()), "few": reportOf(strings.Repeat(refused("").String(), 19)),
		"unreadable": reportOf(strings.Repeat("[2026-03-02T10:09:00.000Z] \"GET /\x1b[31mred\xff\u202e HTTP/1.1\"\n", 30)),
		"no times":   reportOf(strings.Repeat(refused("-").String(), 30)), "backwards": reportOf(backwards.String()), "long names": reportOf(long.String()),
		"outlier": reportOf(incident() + refused("1970-01-01T00:00:07.000Z").String()),
		"future":  reportOf(incident() + access{time: "2099-12-31T23:59:59.000Z"}.String()),
		"kubectl": reportOf("Error from server (NotFound): pods \"frontend\" not found\n"), "noise": reportOf("hello\n\nworld\n"),
		"events": reportOf("2026-03-02T10:09:02.000000Z\tinfo\tReadiness succeeded in 1.2s\n"),
	}
	broken := reportOf(incident())
	broken.Inputs = append(broken.Inputs, Input{Name: "a\x1b[2J.log", Error: "no\r\nway <b>"})
	list["broken input"] = broken
	return list
}

// One record whose clock is far off does not stretch the pictures, and is told.
func TestOutlierDoesNotStretch(t *testing.T) {
	plain := reportOf(incident())
	for name, text := range map[string]string{
		"past":    access{time: "1970-01-01T00:00:07.000Z"}.String(),
		"future":  access{time: "2099-12-31T23:59:59.000Z"}.String(),
		"in both": refused("1970-01-01T00:00:07.000Z").String() + access{time: "2099-12-31T23:59:59.000Z"}.String(),
	} {
		r := reportOf(incident() + text)
		if r.Shown == nil || r.Shown.First.Before(plain.Span.First.Add(-time.Minute)) || r.Shown.Last.After(plain.Span.Last.Add(time.Minute)) {
			t.Errorf("%s: the pictures show %+v of %+v", name, r.Shown, r.Span)
			continue
		}
		if got, want := fmt.Sprint(r.Causes[0].Trend), fmt.Sprint(plain.Causes[0].Trend); got != want {
			t.Errorf("%s: trend %s, want %s", name, got, want)
		}
		if got, want := r.Causes[0].Evidence[0].Text, plain.Causes[0].Evidence[0].Text; name != "in both" && got != want {
			t.Errorf("%s: %s, want %s", name, got, want)
		}
		out := string(render(t, r, TextOptions{Width: 100}))
		if !strings.Contains(out, "Some clocks are far off") || !strings.Contains(out, "2026-03-02 10:00:00–10:17:") {
			t.Errorf("%s: %s", name, out)
		}
	}
}

// What is no outlier is shown: two incidents in one input, few records in all.
func TestPicturesShowAll(t *testing.T) {
	old := strings.Repeat(refused("2026-01-02T10:00:00.000Z").String(), 10)
	now := strings.Repeat(refused("2026-03-02T10:00:00.000Z").String(), 10)
	for name, text := range map[string]string{
		"two incidents": old + now,
		"within a day":  refused("2026-03-01T12:00:00.000Z").String() + now,
		"one":           refused("").String(),
	} {
		if r := reportOf(text); r.Shown != nil {
			t.Errorf("%s: the pictures show %+v of %+v", name, r.Shown, r.Span)
		}
	}
}

// Clusters whose names differ in the middle stay different when shortened.
func TestShortNamesStayDifferent(t *testing.T) {
	var b strings.Builder
	for i, name := range []string{"reviews", "ratings", "reviews-v2", "returns"} {
		for range 30 + i {
			b.WriteString(access{code: "503", flags: "UH", details: "no_healthy_upstream", host: "-", cluster: "outbound|9080||" + name + ".shop-in-a-namespace-with-a-name.svc.cluster.local"}.String())
		}
	}
	for width := 44; width <= 120; width++ {
		out := string(render(t, reportOf(b.String()), TextOptions{Width: width}))
		_, table, found := strings.Cut(out, "\n     cluster ")
		if !found {
			t.Fatal(out)
		}
		seen := map[string]bool{}
		rows := strings.Split(table, "\n")[1:5]
		for _, row := range rows {
			seen[strings.Join(strings.Fields(row)[:1], "")] = true
		}
		if len(seen) != 4 {
			t.Errorf("width %d: %d names in\n%s", width, len(seen), strings.Join(rows, "\n"))
		}
	}
}

// A percentage of fewer than twenty records says nothing, so none is shown.
func TestNoPercentageOfFew(t *testing.T) {
	r := reportsOfAllKinds(t)["few"]
	for name, out := range allFormats(t, r) {
		if name == "html" {
			out = textOf(out)
		}
		if name != "csv" && name != "json" && name != "jsonl" && strings.Contains(strings.NewReplacer("99 %", "", "90 %", "").Replace(out), "%") {
			t.Errorf("%s has a percentage:\n%s", name, out)
		}
	}
}
