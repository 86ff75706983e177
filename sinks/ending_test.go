package sinks

import (
	"cmp"
	"fmt"
	"strings"
	"testing"
	"time"
)

// minutes is a log of twenty minutes with a request every second; what fails
// says of each second how it fails, "" for not at all.
func minutes(fails func(second int) string) string {
	begin := time.Date(2026, 5, 4, 3, 0, 0, 0, time.UTC)
	var b strings.Builder
	for i := range 1200 {
		a := access{time: begin.Add(time.Duration(i) * time.Second).Format("2006-01-02T15:04:05.000Z"), id: fmt.Sprintf("7b1e44d0-2c5f-4a18-9a51-%012d", i)}
		if flags := fails(i); flags != "" {
			a.code, a.flags, a.details = "503", flags, "no_healthy_upstream"
		}
		b.WriteString(a.String())
	}
	return b.String()
}

// A cause is over when it has been quiet for much longer than it ever was and
// requests went on; it goes on when it was met as usual up to the end. Else
// nobody knows.
func TestEnding(t *testing.T) {
	between := func(from, to, each int) func(int) string {
		return func(i int) string {
			if i >= from && i < to && i%each == 0 {
				return "UH"
			}
			return ""
		}
	}
	either := func(a, b func(int) string) func(int) string { return func(i int) string { return cmp.Or(a(i), b(i)) } }
	for name, row := range map[string]struct {
		log      string
		ending   string
		headline string
	}{
		"over":            {minutes(between(300, 600, 2)), endingOver, "from 03:05:00 to 03:09:58 (over: none in the last 10m01s)"},
		"over a minute":   {minutes(between(300, 1130, 2)), endingOver, "(over: none in the last 1m11s)"},
		"going on":        {minutes(between(300, 1200, 2)), endingOngoing, "since 03:05:00, still going at the end of the log"},
		"going on slow":   {minutes(between(0, 1170, 100)), endingOngoing, "from 03:00:00 to 03:18:20, still going at the end of the log"},
		"too short":       {minutes(between(300, 1165, 2)), "", "from 03:05:00 to 03:19:24 (last seen 35s before the end of the log), "},
		"rare":            {minutes(between(0, 1001, 200)), endingOngoing, "from 03:00:00 to 03:16:40, still going"},
		"few":             {minutes(between(300, 304, 1)), "", "from 03:05:00 to 03:05:03 (last seen 14m56s before the end of the log), "},
		"nobody calls":    {minutes(func(i int) string { return map[bool]string{true: "UH"}[i > 300] })[:220*700], endingOngoing, ""},
		"again":           {minutes(either(between(300, 420, 2), between(1180, 1200, 2))), endingOngoing, "from 03:05:00 to 03:07:00, and again since 03:19:40, still going at the end of the log"},
		"again and again": {minutes(either(between(300, 420, 2), either(between(600, 720, 2), between(1080, 1200, 2)))), endingOngoing, "since 03:05:00, still going at the end of the log"},
		"few, then many":  {minutes(either(between(300, 304, 1), between(900, 1200, 2))), endingOngoing, "since 03:05:00, still going at the end of the log"},
		"always rare":     {minutes(between(0, 1200, 90)), endingOngoing, "from 03:00:00 to 03:19:30, still going at the end of the log"},
		"a short moment":  {strings.Join(strings.SplitAfter(minutes(between(0, 30, 1)), "\n")[:40], ""), "", "from 03:00:00 to 03:00:29 (last seen 10s before the end of the log), "},
	} {
		r := reportOf(row.log)
		if c := &r.Causes[0]; c.Ending != row.ending || !strings.Contains(r.Headline, row.headline) {
			t.Errorf("%s: ending %q after %v s, want %q; headline %q, want %q in it", name, c.Ending, c.Quiet, row.ending, r.Headline, row.headline)
		}
	}
}

// The end of chosen records is not the end of the log.
func TestSelectedHasNoEnding(t *testing.T) {
	s := count("log", minutes(func(i int) string { return map[bool]string{true: "UH"}[i >= 600] }))
	if c := &s.ReportWith(ReportOptions{Selected: true}).Causes[0]; c.Ending != "" || c.Quiet != 0 {
		t.Errorf("ending %q after %v s", c.Ending, c.Quiet)
	}
	if c := &s.Report().Causes[0]; c.Ending != endingOngoing {
		t.Errorf("of all records: ending %q after %v s", c.Ending, c.Quiet)
	}
}

// Without requests after the last failure a cause may as well go on.
func TestEndingWithoutRequests(t *testing.T) {
	failing := minutes(func(i int) string { return map[bool]string{true: "UH"}[i%2 == 0] })
	lines := strings.SplitAfter(failing, "\n")[:600]
	other := strings.ReplaceAll(minutes(func(int) string { return "" }), "reviews.shop", "ratings.shop")
	r := reportOf(strings.Join(lines, "") + other)
	if c := &r.Causes[0]; c.Ending != "" || c.Quiet < 600 {
		t.Errorf("a service that nobody calls any more: %q after %v s", c.Ending, c.Quiet)
	}
	if want := "last seen 10m01s before the end of the log"; !strings.Contains(whole(string(render(t, r, TextOptions{}))), want) {
		t.Errorf("%q is not said", want)
	}
}

// Where the log goes on behind what was read, nothing is said of its end.
func TestEndingOfACutLog(t *testing.T) {
	for name, row := range map[string]struct {
		from, to int
		headline string
		not      string
	}{
		"going on":  {300, 1200, "since 03:05:00, still going when --until cut it", "at the end of the log"},
		"too short": {300, 1165, "(last seen 35s before --until cut it)", "the end of the log"},
		"over":      {300, 600, "(over: none in the last 10m01s)", "the end of the log"},
	} {
		s := count("log", minutes(func(i int) string { return map[bool]string{true: "UH"}[i >= row.from && i < row.to && i%2 == 0] }))
		r := s.ReportWith(ReportOptions{Cut: true})
		if !r.Cut || !strings.Contains(r.Headline, row.headline) {
			t.Errorf("%s: headline %q, want %q in it", name, r.Headline, row.headline)
		}
		for format, out := range allFormats(t, r) {
			if strings.Contains(whole(out), row.not) {
				t.Errorf("%s: %s speaks of the end of the log", name, format)
			}
		}
		if out := string(render(t, r, TextOptions{Width: 120})); name == "going on" && (strings.Contains(out, " now ") || !strings.Contains(out, " cut ")) {
			t.Errorf("%s is said to be so now:\n%s", name, out)
		}
	}
}
