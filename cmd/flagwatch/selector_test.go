package main

import (
	"fmt"
	"strings"
	"testing"

	"github.com/flagwatch/flagwatch/classify"
	"github.com/flagwatch/flagwatch/parser"
	"github.com/flagwatch/flagwatch/sinks"
)

// selectorLines are records that differ in what selectors look at: code,
// flags, authority, host and cluster.
func selectorLines() string {
	var text strings.Builder
	for i, row := range [][5]string{
		{"503", "UF,URX", "reviews:9080", "192.0.2.43:9080", "outbound|9080||reviews.shop.svc.cluster.local"},
		{"503", "UO", "ratings:8080", "192.0.2.44:8080", "outbound|8080||ratings.shop.svc.cluster.local"},
		{"200", "-", "reviews:9080", "192.0.2.43:9080", "outbound|9080||reviews.shop.svc.cluster.local"},
		{"504", "UT", "cart", "192.0.2.21:8080", "inbound|8080||"},
		{"404", "NR", "nobody", "-", "-"},
	} {
		fmt.Fprintf(&text, "[2026-03-17T10:09:12.48%dZ] \"GET /%d HTTP/1.1\" %s %s - - \"-\" 0 167 58 - \"-\" \"shop/3.4\" \"2f1b8a52-0000-4000-8000-0000000000f%d\" %q %q %s - 198.51.100.12:9080 192.0.2.21:44867 - default\n", i, i, row[0], row[1], i, row[2], row[3], row[4])
	}
	return text.String()
}

// selected are the numbers of the records that the terms leave.
func selected(t *testing.T, only, exclude []string) string {
	t.Helper()
	c := classify.Default()
	o := reading{only: only, exclude: exclude}
	var p plan
	if err := o.selections(&p, c); err != nil {
		t.Fatal(err)
	}
	records := parser.NewParser(sinks.Wanted | c.Fields() | p.fields)
	records.Reset(padded([]byte(selectorLines())))
	got := ""
	for i := 0; ; i++ {
		r, ok := records.Next()
		if !ok {
			return got
		}
		if v := c.Classify(r); p.keep.Match(r, v) {
			got += fmt.Sprint(i)
		}
		if n := testing.AllocsPerRun(10, func() { p.keep.Match(r, classify.Verdict{}) }); n != 0 {
			t.Errorf("%v allocations", n)
		}
	}
}

func TestSelections(t *testing.T) {
	for _, row := range []struct {
		only, exclude, want string
	}{
		{"flag=UF", "", "0"},
		{"flag=UpstreamConnectionFailure", "", "0"},
		{"flag=UF,flag=UO", "", "01"},
		{"flag=-", "", "2"},
		{"code=503", "", "01"},
		{"code=5xx", "", "013"},
		{"code=5XX,code=404", "", "0134"},
		{"code=1xx,code=0,code=999", "", ""},
		{"code=503,cluster=*reviews*", "", "0"},
		{"cluster=outbound|9080||reviews.shop.svc.cluster.local", "", "02"},
		{"cluster=outbound|9080||reviews", "", ""},
		{"cluster=outbound|*|reviews.*", "", "02"},
		{"host=192.0.2.43:9080", "", "02"},
		{"host=192.0.2.4*", "", "012"},
		{"authority=reviews:9080,authority=cart", "", "023"},
		{"route=default", "", "01234"},
		{"direction=inbound", "", "3"},
		{"direction=outbound,code=200", "", "2"},
		{"cause=route.not-found", "", "4"},
		{"", "code=503", "234"},
		{"", "code=503,direction=inbound", "24"},
		{"code=5xx", "flag=UO", "03"},
	} {
		var only, exclude []string
		if row.only != "" {
			only = []string{row.only}
		}
		if row.exclude != "" {
			exclude = []string{row.exclude}
		}
		if row.only == "cause=route.not-found" {
			only[0] = "cause=" + causeOfLine(t, 4)
		}
		if got := selected(t, only, exclude); got != row.want {
			t.Errorf("only %q, exclude %q: records %q, want %q", row.only, row.exclude, got, row.want)
		}
		if len(only) == 1 { // a list is the same as the flag given again
			if got := selected(t, strings.Split(only[0], ","), exclude); got != row.want {
				t.Errorf("only %q apart: records %q, want %q", row.only, got, row.want)
			}
		}
	}
}

// causeOfLine is the cause of one of the lines.
func causeOfLine(t *testing.T, n int) string {
	c := classify.Default()
	records := parser.NewParser(c.Fields())
	records.Reset(padded([]byte(selectorLines())))
	for i := 0; ; i++ {
		r, ok := records.Next()
		if !ok {
			t.Fatalf("no record %d", n)
		}
		if i == n {
			return c.Classify(r).Cause.ID
		}
	}
}

func TestSelectionErrors(t *testing.T) {
	for term, want := range map[string]string{
		"":                  "want KEY=VALUE",
		"UF":                "want KEY=VALUE",
		"flags=UF":          "did you mean flag",
		"flag=UFF":          "no such flag; did you mean",
		"code=six":          "want a code",
		"code=5x":           "want a code",
		"code=9999":         "want a code",
		"code=9xx":          "want a code such as 503, a class from 1xx to 5xx",
		"code=0xx":          "want a code",
		"code=xx":           "want a code",
		"code=55xx":         "want a code",
		"code=-xx":          "want a code",
		"code=50":           "want a code",
		"code=+503":         "want a code",
		"code=0503":         "want a code",
		"code=00":           "want a code",
		"cause=no-such":     "no such cause",
		"direction=sideway": "want inbound or outbound",
		"code=503,":         "want KEY=VALUE",
	} {
		_, err := parseSelection("only", []string{term}, classify.Default())
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: %v, want %q", term, err, want)
		}
	}
}
