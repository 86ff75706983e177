package doctor

import (
	"bytes"
	"encoding/json"
	"flag"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/mattn/go-runewidth"

	"github.com/flagwatch/flagwatch/classify"
	"github.com/flagwatch/flagwatch/parser"
	"github.com/flagwatch/flagwatch/sinks"
)

var update = flag.Bool("update", false, "write the golden files")

// The records of the cases: Envoy's default format, one with a user's quotes,
// one that is cut off, one of a JSON format without flags.
const (
	whole     = `[2026-05-06T07:08:09.123Z] "GET /stock HTTP/1.1" 503 UF 0 9 1 2 "-" "probe/1" "0a1b2c3d-1111-4222-8333-444455556667" "stock.example" "10.1.1.1:80"` + "\n"
	doubtful  = `[2026-05-06T07:09:09.123Z] "GET /stock HTTP/1.1" 200 - 0 9 1 2 "-" "probe" "-" "1" "0a1b2c3d-1111-4222-8333-444455556667" "stock.example" "10.1.1.1:80"` + "\n"
	broken    = `[2026-05-06T07:09:10.123Z] "GET /stock HTTP/1.1" xx - 0 9 1 2 "-" "probe/1` + "\x1b[31m\n"
	flagless  = `{"start_time":"2026-05-06T07:08:01.123Z","method":"GET","path":"/stock","protocol":"HTTP/1.1","response_code":503,"duration":3,"request_id":"0a1b2c3d-1111-4222-8333-444455556668","authority":"stock.example","upstream_host":null,"upstream_cluster":"outbound|80||stock.depot.svc.cluster.local"}` + "\n"
	otherText = "starting up\n"
)

// diagnose reads text as one input.
func diagnose(t *testing.T, text string) *Diagnosis {
	t.Helper()
	c := classify.Default()
	p := parser.NewParser(parser.AllFields)
	block := append(make([]byte, 0, len(text)+parser.Padding), text...)
	p.Reset(block)
	d, census := sinks.NewDelta(), &Census{}
	from := &sinks.Origin{Input: "edge.log", Block: block}
	for r, ok := p.Next(); ok; r, ok = p.Next() {
		census.Add(r)
		d.Add(from, r, c.Classify(r))
	}
	d.EndBatch(from, int64(len(text)))
	s := sinks.NewSnapshot()
	s.Merge(d)
	return Diagnose(s.Report(sinks.Input{Name: "edge.log", Bytes: int64(len(text))}), census, c)
}

// absentFields are those of a layout, with causes in each way to be lost.
var absentFields = []Absent{
	{"response_flags", "RESPONSE_FLAGS", 1, costs[parser.ResponseFlags], []Lost{{"no-endpoints", "unknown-origin"}, {"route-timeout", "unknown-origin"}, {"client-disconnected", ""}}},
	{"duration", "DURATION", .25, costs[parser.Duration], []Lost{{"keepalive-race", "upstream-closed"}}},
	{"request_id", "REQ(X-REQUEST-ID)", 1, costs[parser.RequestID], []Lost{}},
	{"route_name", "ROUTE_NAME", 1, "", []Lost{}},
}

func TestText(t *testing.T) {
	for name, text := range map[string]string{
		"default":  whole + doubtful + broken + whole,
		"flagless": flagless + otherText,
		"nothing":  otherText,
	} {
		d := diagnose(t, text)
		if len(d.Absent) > 0 {
			d.Absent = absentFields // the catalogue grows
		}
		var b bytes.Buffer
		if err := d.WriteText(&b); err != nil {
			t.Fatal(err)
		}
		checkHarmless(t, name, b.String())
		golden := filepath.Join("testdata", name+".golden")
		if *update {
			if err := os.WriteFile(golden, b.Bytes(), 0o644); err != nil {
				t.Fatal(err)
			}
		}
		want, err := os.ReadFile(golden)
		if err != nil {
			t.Fatal(err)
		}
		if b.String() != string(want) {
			t.Errorf("%s: the text is not that of %s:\n%s", name, golden, b.String())
		}
	}
}

// checkHarmless demands 80 columns and nothing that a terminal obeys.
func checkHarmless(t *testing.T, name, text string) {
	t.Helper()
	for line := range strings.Lines(text) {
		line = strings.TrimSuffix(line, "\n")
		if n := runewidth.StringWidth(line); n > width {
			t.Errorf("%s: %d columns: %q", name, n, line)
		}
		if strings.ContainsFunc(line, func(r rune) bool { return r < ' ' || r == 0x7f }) {
			t.Errorf("%s: a control in %q", name, line)
		}
	}
}

// Names from the outside stay within the columns, and harmless.
func TestTextIsHarmless(t *testing.T) {
	hostile := "\x1b]0;x\a" + strings.Repeat("界", 90) + "\u202e\n%s%n"
	d := diagnose(t, whole+broken)
	d.Inputs[0].Name, d.Inputs[0].Error = hostile, hostile
	d.Dialects[0].Name = hostile
	d.Layouts = []sinks.Layout{{Input: hostile, Format: hostile, Columns: []sinks.LayoutColumn{{Operator: hostile, Surety: "likely"}}}}
	d.Samples.Invalid[0].Input, d.Samples.Invalid[0].Text = hostile, hostile
	var b bytes.Buffer
	if err := d.WriteText(&b); err != nil {
		t.Fatal(err)
	}
	checkHarmless(t, "hostile", b.String())
}

// The flags are the first of what is absent, and the causes that hang on them
// are named.
func TestAbsent(t *testing.T) {
	d := diagnose(t, flagless)
	if len(d.Absent) == 0 || d.Absent[0].Name != "response_flags" || d.Absent[0].Share != 1 {
		t.Fatalf("%+v", d.Absent)
	}
	lost := map[string]bool{}
	for _, l := range d.Absent[0].Causes {
		lost[l.Cause] = true
	}
	for _, id := range []string{"no-endpoints", "upstream-connect-failed", "circuit-breaker-overflow", "route-timeout"} {
		if !lost[id] {
			t.Errorf("%s is not among what the flags tell", id)
		}
	}
	if d = diagnose(t, whole); d.Absent[0].Name == "response_flags" {
		t.Error("the flags are there")
	}
	if d = diagnose(t, whole+flagless); d.Absent[0].Name != "response_flags" || d.Absent[0].Share != .5 {
		t.Errorf("half of the records lack the flags: %+v", d.Absent[0])
	}
}

// The census counts columns and values apart, and allocates nothing.
func TestCensus(t *testing.T) {
	text := whole + doubtful
	block := append(make([]byte, 0, len(text)+parser.Padding), text...)
	p := parser.NewParser(parser.AllFields)
	var c Census
	pass := func() {
		p.Reset(block)
		for r, ok := p.Next(); ok; r, ok = p.Next() {
			c.Add(r)
		}
	}
	pass()
	if n := c.records.Load(); n != 2 {
		t.Errorf("%d records", n)
	}
	for f, want := range map[parser.Field][2]uint64{
		parser.ResponseFlags: {2, 1}, parser.ResponseCode: {2, 2}, parser.XForwardedFor: {2, 0}, parser.UserAgent: {2, 1}, parser.UpstreamCluster: {0, 0},
	} {
		if got := [2]uint64{c.columns[f].Load(), c.values[f].Load()}; got != want {
			t.Errorf("%v: %d columns and values, want %d", f, got, want)
		}
	}
	if n := testing.AllocsPerRun(20, pass); n > 0 {
		t.Errorf("%v allocations", n)
	}
}

func TestJSON(t *testing.T) {
	var b bytes.Buffer
	if err := diagnose(t, whole+broken).WriteJSON(&b); err != nil {
		t.Fatal(err)
	}
	var d Diagnosis
	if err := json.Unmarshal(b.Bytes(), &d); err != nil {
		t.Fatal(err)
	}
	if d.Kind != "Diagnosis" || d.APIVersion != "flagwatch.io/v1" || len(d.Fields) == 0 || len(d.Samples.Invalid) != 1 {
		t.Errorf("%+v", d)
	}
	if s := d.Samples.Invalid[0]; s.Offset != int64(len(whole)) || s.Stopped <= s.Offset || s.Reason != "no-code" {
		t.Errorf("%+v", s)
	}
	if bytes.IndexByte(b.Bytes(), 0x1b) >= 0 {
		t.Error("an escape is not escaped")
	}
}
