package parser

import (
	"regexp"
	"strconv"
	"strings"
	"testing"
)

// The slow twin: all cuts of a line by plain recursion, every end of every
// column tried, values checked by regular expressions.

var slowTypes = map[Type]*regexp.Regexp{
	TypeText:     regexp.MustCompile(`(?s)^.*$`),
	TypeToken:    regexp.MustCompile(`^[^ "]*$`),
	TypeName:     regexp.MustCompile(`^[^ "()]*$`),
	TypeTime:     regexp.MustCompile(`^(-|\d{4}-..-..[Tt]..:..:.*|)$`),
	TypeInt:      regexp.MustCompile(`^(-|\d*)$`),
	TypeNumber:   regexp.MustCompile(`^(-|-?\d+(\.\d+)?([eE][+-]?\d+)?|)$`),
	TypeCode:     regexp.MustCompile(`^(0|\d{3})$`),
	TypeFlags:    regexp.MustCompile(`^(-|\d+|[A-Za-z][A-Za-z0-9_]*(,[A-Za-z][A-Za-z0-9_]*)*)$`),
	TypeProtocol: regexp.MustCompile(`^(-|HTTP/[0-9.]{1,3}|)$`),
	TypeAddress:  regexp.MustCompile(`^(-|[^\x00- ",]*[:/@.][^\x00- ",]*|)$`),
	TypePhrase:   regexp.MustCompile(`(?s)^[^"]*$`),
	TypeReason:   regexp.MustCompile(`(?s)^(-|[^0-9"][^"]*|)$`),
}

func slowFits(t Type, v string) bool {
	if t != TypeIPList {
		return slowTypes[t].MatchString(v)
	}
	elements := strings.Split(v, ",")
	last := strings.TrimSpace(elements[len(elements)-1])
	return v == "" || v == "-" || slowTypes[TypeToken].MatchString(last) && last != "" &&
		(!strings.Contains(v, `"`) || slowTypes[TypeAddress].MatchString(last) && last != "-")
}

// A slowValue is a value and where it stands.
type slowValue struct {
	at    int
	value string
}

func slowCuts(f *Format, s string, i, at int) (cuts [][]slowValue) {
	col := f.columns[i]
	for end := 0; end <= len(s); end++ {
		if !strings.HasPrefix(s[end:], col.until) || !slowFits(col.typ, s[:end]) {
			continue
		}
		rest := s[end+len(col.until):]
		switch {
		case i+1 < len(f.columns):
			for _, tail := range slowCuts(f, rest, i+1, at+end+len(col.until)) {
				cuts = append(cuts, append([]slowValue{{at, s[:end]}}, tail...))
			}
		case rest == "":
			cuts = append(cuts, []slowValue{{at, s[:end]}})
		}
	}
	return cuts
}

// agreed returns the value of a column if all cuts have the same there.
func agreed(cuts [][]slowValue, col int) (string, bool) {
	for _, c := range cuts {
		if c[col] != cuts[0][col] {
			return "", false
		}
	}
	return cuts[0][col].value, true
}

func twinFormats() (list []*Format) {
	return newTextLayouts(nil).list
}

// clean makes a fuzzed string what a header value can be: no line ends, no
// NUL; and short, because the twin is slow.
func clean(s string, most int) string {
	s = strings.Map(func(r rune) rune {
		if r < ' ' && r != '\t' || r == 0x7f {
			return -1
		}
		return r
	}, s)
	return s[:min(len(s), most)]
}

// Whatever users write into their five columns: the fast parser gives what
// the slow twin gives, and no field is wrong without the mark.
func FuzzUserText(f *testing.F) {
	add := func(path, xff, agent, id, authority string) {
		for layout := range twinFormats() {
			f.Add(uint8(layout), path, xff, agent, id, authority)
		}
	}
	add("/", "-", "curl/8", "4f1f3a9c-1b1e-4d71-8d6e-0a3b4c5d6e7f", "shop:8080")
	add(`/a" 200 - via_upstream - "-" 0 0 0 0 "-`, "10.0.0.1", `x" "y`, "id", `a" "b`)
	add(`/q?x="`, `1.1.1.1" "evil`, `foo bar" "baz qux`, `a" b`, `h"`)
	add("/", "unknown", `Mozilla "weird" (X11)`, "", `"`)
	add("/", "-", `x" "id" "h" "1.2.3.4:80" c - 1.1.1.1:1 2.2.2.2:2 - default`, "id", "h")
	add("/", "-", `[2026-01-02T03:04:05.006Z] "GET / HTTP/1.1" 200 - 0 0 0 0 "-" "-" "-" "-" "-"`, "id", "h")
	f.Fuzz(func(t *testing.T, layout uint8, path, xff, agent, id, authority string) {
		list := twinFormats()
		format := list[int(layout)%len(list)]
		user := map[Field]string{
			Path: "/" + clean(path, 60), XForwardedFor: clean(xff, 24), UserAgent: clean(agent, 90), RequestID: clean(id, 40), Authority: clean(authority, 24),
		}
		if user[XForwardedFor] != "-" {
			user[XForwardedFor] += ",10.9.8.7" // the proxy appends its peer
		}
		values := render(format, user)
		line := ""
		for i, c := range format.columns {
			line += values[i] + c.until
		}
		line = format.prefix + line
		checkTwin(t, format, values, line)
	})
}

// render gives every column of a format a value, users' as given.
func render(f *Format, user map[Field]string) (values []string) {
	fixed := map[Field]string{
		StartTime: "2026-11-30T01:02:03.004Z", Method: "GET", Protocol: "HTTP/1.1", ResponseCode: "503", ResponseFlags: "UF,URX",
		ResponseCodeDetails: "upstream_reset_before_response_started{connection_failure}", ConnectionTerminationDetails: "-", UpstreamTransportFailureReason: "delayed_connect_error:_111",
		BytesReceived: "12", BytesSent: "91", Duration: "7", UpstreamServiceTime: "-", UpstreamHost: "10.1.2.3:9080", UpstreamCluster: "outbound|9080||reviews.shop.svc.cluster.local",
		UpstreamLocalAddress: "-", DownstreamLocalAddress: "10.96.0.7:9080", DownstreamRemoteAddress: "10.1.9.9:4444", RequestedServerName: "-", RouteName: "default", Extra: "-",
	}
	for _, c := range f.columns {
		v, ok := user[c.field]
		if !ok {
			v = fixed[c.field]
		}
		values = append(values, v)
	}
	return values
}

func checkTwin(t *testing.T, format *Format, values []string, line string) {
	t.Helper()
	p := NewParser(AllFields)
	p.Reset(block([]byte(line)))
	r, ok := p.Next()
	if !ok || r.Kind != Access {
		t.Fatalf("%v %v: %q", r.Kind, r.Reason, line)
	}
	var cuts [][]slowValue
	var fitting *Format
	for _, f := range twinFormats() {
		if !strings.HasPrefix(line, f.prefix) {
			continue
		}
		own := slowCuts(f, strings.TrimRight(line[len(f.prefix):], " \t"), 0, 0)
		if len(own) > 0 && (fitting == nil || len(own) == 1 && f.own() && len(cuts) > 1) {
			fitting, cuts = f, own
		}
	}
	if fitting != nil && fitting != format && fitting.own() {
		return // a user wrote what makes the line look like Kuma's: it moves only what users write
	}
	if r.Size < len(line) { // taken for two records: both are marked
		if !r.Suspicious {
			t.Fatalf("split without a mark: %q", line)
		}
		return
	}
	for i, c := range format.columns {
		if c.field == Extra || fitting != format || len(cuts) == 0 {
			continue
		}
		if want, same := agreed(cuts, i); same && got(r, c.field) != absent(want) {
			t.Errorf("%v is %q, twin says %q: %q", c.field, got(r, c.field), want, line)
		} else if !same && !r.Suspicious {
			t.Errorf("twin has several values of %v and there is no mark: %q", c.field, line)
		}
	}
	for i, c := range format.columns {
		if c.field == RequestID && !slowFits(TypeToken, values[i]) {
			return // a proxy at the edge writes its own; only its type tells where it stands
		}
	}
	for i, c := range format.columns {
		if v := got(r, c.field); c.field != Extra && v != "" && v != absent(values[i]) && !r.Suspicious {
			t.Errorf("%v is %q instead of %q without a mark: %q", c.field, v, values[i], line)
		}
	}
	if code, ok := r.Code(); !r.Suspicious && format.layout.Has(ResponseCode) && (!ok || code != 503) {
		t.Errorf("code %d without a mark: %q", code, line)
	}
}

func absent(v string) string {
	if v == "-" {
		return ""
	}
	return v
}

func got(r *Record, f Field) string {
	if f == ResponseCode {
		if code, ok := r.Code(); ok {
			return strconv.Itoa(code)
		}
		return ""
	}
	return string(r.Bytes(f))
}
