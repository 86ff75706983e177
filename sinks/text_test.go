package sinks

import (
	"bytes"
	"encoding/json"
	"fmt"
	"strings"
	"testing"
	"time"
	"unicode/utf8"

	"github.com/mattn/go-runewidth"
)

// incident is a quarter of an hour in which one host refuses connections.
func incident() string {
	var b strings.Builder
	at := time.Date(2026, 3, 2, 10, 2, 11, 0, time.UTC)
	for i := range 1500 {
		a := access{time: at.Add(time.Duration(i) * 600 * time.Millisecond).Format("2006-01-02T15:04:05.000Z"), id: fmt.Sprintf("5f0c9a44-6c1e-4a57-9d0a-%012d", i)}
		switch {
		case i > 600 && i < 1200 && i%7 == 0:
			a.code, a.flags, a.host = "503", "UF,URX", "10.42.3.19:9080"
			a.details = "upstream_reset_before_response_started{remote_connection_failure|delayed_connect_error:_Connection_refused}"
		case i%61 == 0:
			a.code, a.flags, a.details, a.host = "503", "UO", "upstream_reset_before_response_started{overflow}", "-"
			a.cluster = "outbound|8080|v2|ratings.shop-with-a-rather-long-name.svc.cluster.local"
		case i%97 == 0:
			a.code, a.flags, a.details = "0", "DC", "downstream_remote_disconnect"
		case i%211 == 0:
			a.code, a.flags, a.details, a.host, a.cluster = "404", "NR", "route_not_found", "-", "-"
		case i%333 == 0:
			a.code, a.flags, a.details = "503", "ZZ", "no_healthy_upstream"
		case i%13 == 0:
			a.code = "404"
		case i%5 == 0:
			a.code = "304"
		}
		b.WriteString(a.String())
		if i%250 == 0 {
			a.cluster, a.host = "inbound|9080||", "127.0.0.6:9080"
			b.WriteString(a.String())
		}
	}
	b.WriteString("[2026-03-02 10:09:01.000][21][warning][config] [external/envoy/source/common/config/grpc_stream.h:152] StreamAggregatedResources gRPC config stream closed: 14\n")
	b.WriteString("2026-03-02T10:09:02.000000Z\tinfo\tReadiness succeeded in 1.2s\n")
	b.WriteString("[2026-03-02T10:09:00.000Z] \"GET /\x1b[31mred\xff\u202e HTTP/1.1\"\n")
	b.WriteString("\x00\x01\x02\x00\n")
	b.WriteString(strings.Replace(access{}.String(), "curl/8.9.1", `x" "y" "z" "-" "-`, 1))
	return b.String()
}

func reportOf(text string) *Report {
	return count("frontend.log", text).Report(Input{Name: "frontend.log", Bytes: int64(len(text))})
}

var shapes = map[string]TextOptions{
	"120":   {Width: 120},
	"100":   {Width: 100, Verbose: true},
	"80":    {Width: 80},
	"60":    {Width: 60},
	"ascii": {Width: 100, ASCII: true},
	"color": {Width: 100, Color: true},
}

func TestTextIncident(t *testing.T) {
	r := reportOf(incident())
	for name, opt := range shapes {
		golden(t, "incident_"+name+".txt", render(t, r, opt))
	}
}

func TestText(t *testing.T) {
	healthy := strings.Repeat(access{}.String(), 30) + access{code: "404"}.String()
	events := "[2026-03-02 10:09:01.000][21][warning][config] [external/envoy/source/common/config/grpc_stream.h:152] StreamAggregatedResources gRPC config stream closed: 14\n" +
		"2026-03-02T10:09:02.000000Z\tinfo\tReadiness succeeded in 1.2s\n"
	broken := reportOf(healthy)
	broken.Inputs = append(broken.Inputs, Input{Name: "a\nb.log", Error: "permission denied"}, Input{Name: "c.log"})
	for name, r := range map[string]*Report{
		"healthy":  reportOf(healthy),
		"few":      reportOf(access{code: "503", flags: "UH", details: "no_healthy_upstream", host: "-"}.String() + access{}.String()),
		"events":   reportOf(events),
		"nothing":  reportOf("127.0.0.1 - - [02/Mar/2026:10:00:00 +0000] \"GET / HTTP/1.1\" 200 12\n\nhello\n"),
		"kubectl":  reportOf("Error from server (NotFound): pods \"frontend\" not found\n"),
		"empty":    reportOf(""),
		"unopened": broken,
	} {
		golden(t, name+".txt", render(t, r, TextOptions{Width: 80}))
	}
}

func render(t *testing.T, r *Report, opt TextOptions) []byte {
	t.Helper()
	var b bytes.Buffer
	if err := WriteText(&b, r, opt); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

// No line is wider than the page, nothing can be obeyed by a terminal, and
// ASCII is ASCII.
func TestTextKeepsItsPromises(t *testing.T) {
	hostile := access{code: "503", flags: "\x1b]0;x\x07", details: "日本語\u202e{x}", cluster: "outbound|80||" + strings.Repeat("界", 90), host: "10.0.0.1:80"}.String()
	r := reportOf(incident() + hostile)
	r.Clusters = append(r.Clusters, Tally{"\x1b[2J" + strings.Repeat("界", 90), 5000, 5000})
	r.Inputs = append(r.Inputs, Input{Name: "\x1b[2J", Error: "no\r\nway"})
	chars := runewidth.Condition{}
	for width := 50; width < 140; width++ {
		for _, ascii := range []bool{false, true} {
			out := string(render(t, r, TextOptions{Width: width, ASCII: ascii}))
			for line := range strings.Lines(out) {
				line = strings.TrimSuffix(line, "\n")
				if n := chars.StringWidth(line); n > width {
					t.Errorf("width %d: line of %d: %s", width, n, line)
				}
				for _, c := range line {
					if c < ' ' || c >= 0x7f && c < 0xa0 || c == '\u202e' || c == utf8.RuneError || ascii && c > '~' {
						t.Errorf("width %d, ASCII %v: %q", width, ascii, line)
						break
					}
				}
			}
		}
	}
}

func TestJSON(t *testing.T) {
	var b bytes.Buffer
	if err := reportOf(incident()).WriteJSON(&b); err != nil {
		t.Fatal(err)
	}
	golden(t, "incident.json", b.Bytes())
	if bytes.ContainsAny(b.Bytes(), "\x1b\u202e") || !json.Valid(b.Bytes()) {
		t.Error("the document is not safe or not JSON")
	}
	var back Report
	if err := json.Unmarshal(b.Bytes(), &back); err != nil || back.Totals != reportOf(incident()).Totals {
		t.Errorf("read back: %v, %+v", err, back.Totals)
	}
}

func TestFormats(t *testing.T) {
	for got, want := range map[string]string{
		number(0): "0", number(999): "999", number(1000): "1,000", number(1234567): "1,234,567",
		percent(1, 19): "", percent(0, 20): "0 %", percent(20, 20): "100 %", percent(1, 100000): "<0.01 %", percent(1, 200): "0.50 %",
		percent(625, 1000): "62.5 %", percent(99999, 100000): "99.9 %",
		size(1): "1 byte", size(999): "999 bytes", size(1500): "1.5 kB", size(999999): "1.0 MB", size(61400000): "61.4 MB",
		length(120 * time.Millisecond): "120 ms", length(58 * time.Second): "58s", length(898 * time.Second): "14m58s",
		length(3 * time.Hour): "3h00m", length(50 * time.Hour): "2d02h",
	} {
		if got != want {
			t.Errorf("got %q, want %q", got, want)
		}
	}
}
