package main

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/flagwatch/flagwatch/classify"
	"github.com/flagwatch/flagwatch/parser"
)

// records parses text and returns what parse prints about each record.
func records(text string) []string {
	p, c := parser.NewParser(parser.AllFields), classify.Default()
	p.Reset(append([]byte(text), make([]byte, parser.Padding)...)[:len(text)])
	var list []string
	for r, ok := p.Next(); ok; r, ok = p.Next() {
		list = append(list, string(appendRecord(nil, r, c.Classify(r), int64(r.Line))))
	}
	return list
}

const head = `[2026-03-17T10:09:12.480Z] "GET /a HTTP/1.1" `

// The values and the order of keys are those of the documentation of parse.
func TestAppendRecord(t *testing.T) {
	for _, c := range []struct{ name, in, want string }{
		{
			"istio text",
			head + `503 UF,URX upstream_reset_before_response_started{connection_timeout} - "a \b" 0 167 58 - "203.0.113.9" "curl/8" "2f1b8a52-0000-4000-8000-0000000000ff" "reviews:9080" "192.0.2.43:9080" outbound|9080||reviews.shop.svc.cluster.local - 198.51.100.12:9080 192.0.2.21:44867 - default`,
			`{"line":1,"lines":1,"kind":"access","dialect":"istio-text-1.9-1.22","start_time":"2026-03-17T10:09:12.480Z","method":"GET","path":"/a","protocol":"HTTP/1.1","response_code":503,"response_flags":["UF","URX"],"response_code_details":"upstream_reset_before_response_started{connection_timeout}","upstream_transport_failure_reason":"a \\b","bytes_received":0,"bytes_sent":167,"duration":58,"x_forwarded_for":"203.0.113.9","user_agent":"curl/8","request_id":"2f1b8a52-0000-4000-8000-0000000000ff","authority":"reviews:9080","upstream_host":"192.0.2.43:9080","upstream_cluster":"outbound|9080||reviews.shop.svc.cluster.local","downstream_local_address":"198.51.100.12:9080","downstream_remote_address":"192.0.2.21:44867","route_name":"default","direction":"outbound","failed":true,"answered_by":"proxy","cause":"upstream-connect-timeout","confidence":"high","rivals":["stale-endpoint","mtls-to-plaintext"],"side":"network","severity":"error"}`,
		},
		{
			"flags are sorted, unknown ones among them",
			head + `503 UF,ZZ,DC,LHX 0 0 1 - "-" "-" "-" "-" "-"`,
			`"response_flags":["DC","LHX","UF","ZZ"]`,
		},
		{"no flags", head + `200 - 0 0 1 - "-" "-" "-" "-" "-"`, `"response_code":200,"response_flags":[],"bytes_received":0`},
		{
			"JSON numbers in every spelling",
			`{"start_time":"2026-03-17T12:09:12.48+02:00","response_code":"200","response_flags":"-","bytes_sent":1e+05,"bytes_received":7.0,"duration":1.5,"grpc_status":"UNAVAILABLE"}`,
			`"start_time":"2026-03-17T10:09:12.48Z","response_code":200,"response_flags":[],"bytes_received":7,"bytes_sent":100000,"duration":1.5,"grpc_status":14`,
		},
		{
			"what is no number is kept as it was",
			`{"start_time":"yesterday","response_code":200,"response_flags":"-","bytes_sent":"many","grpc_status":"fine"}`,
			`"extra":{"bytes_sent":"many","grpc_status":"fine"}`,
		},
		{
			"a time that can not be read",
			`{"start_time":"yesterday","response_code":200,"response_flags":"-"}`,
			`"start_time":"yesterday"`,
		},
		{
			"a time beyond what nanoseconds hold",
			`{"start_time":"9999-12-31T23:59:59+01:00","response_code":200,"response_flags":"-"}`,
			`"start_time":"9999-12-31T23:59:59+01:00"`,
		},
		{
			"nested values stay nested",
			`{"response_code":200,"response_flags":"-","x":{"a": [1, {"b": "c \u001b d"}], "e":null}}`,
			`"extra":{"x":{"a":[1,{"b":"c \u001b d"}],"e":null}}`,
		},
		{
			"an event",
			"2026-03-17T10:02:12.911000Z\terror\txdsproxy\tfailed \"so\"",
			`{"line":1,"lines":1,"kind":"event","start_time":"2026-03-17T10:02:12.911000Z","level":"error","emitter":"pilot-agent","component":"xdsproxy","message":"failed \"so\""}`,
		},
		{"noise", "hello", `{"line":1,"lines":1,"kind":"noise"}`},
		{"binary", "\x00\x01\x00\x00", `{"line":1,"lines":1,"kind":"invalid","reason":"binary"}`},
		{
			"CRI",
			"2026-03-17T10:09:13.000000000Z stdout F hello",
			`{"line":1,"lines":1,"kind":"noise","envelope":["cri"]}`,
		},
	} {
		list := records(c.in + "\n")
		if len(list) != 1 || !strings.Contains(list[0], c.want) {
			t.Errorf("%s:\ngot  %swant %s", c.name, strings.Join(list, ""), c.want)
		}
		for _, line := range list {
			if !json.Valid([]byte(line)) {
				t.Errorf("%s: no JSON: %s", c.name, line)
			}
		}
	}
}

// What an upstream calls JSON may be none; what parse prints always is.
func TestAppendNested(t *testing.T) {
	for _, c := range []struct{ in, want string }{
		{`1e5`, `1e5`},
		{`true`, `true`},
		{"{ \"a\" :\t[1,\r\n2] }", `{"a":[1,2]}`},
		{`{"a b":"c \" d"}`, `{"a b":"c \" d"}`},
		{`{"a":"\\"}`, `{"a":"\\"}`},
		{"{\"a\":\"\u009b\u202e\"}", `{"a":"\u009b\u202e"}`},
		{"{\"a\":\"\xff\"}", "{\"a\":\"\uFFFD\"}"},
		{`{"a":`, `"{\"a\":"`},
		{`01`, `"01"`},
		{`{"a":1}}`, `"{\"a\":1}}"`},
		{`nul`, `"nul"`},
		{strings.Repeat("[", 32) + strings.Repeat("]", 32), strings.Repeat("[", 32) + strings.Repeat("]", 32)},
		{strings.Repeat("[", 33) + strings.Repeat("]", 33), `"` + strings.Repeat("[", 33) + strings.Repeat("]", 33) + `"`},
	} {
		got := string(appendNested([]byte("x"), []byte(c.in)))
		if got != "x"+c.want {
			t.Errorf("%s: got %s, want %s", c.in, got[1:], c.want)
		}
		if !json.Valid([]byte(got[1:])) {
			t.Errorf("%s: no JSON: %s", c.in, got[1:])
		}
	}
}

func FuzzAppendNested(f *testing.F) {
	f.Add([]byte("{ \"a\" : [1, \"\\\"\"] }"))
	f.Fuzz(func(t *testing.T, in []byte) {
		got := appendNested(nil, in)
		if !json.Valid(got) || strings.ContainsAny(string(got), "\n\r\x1b") {
			t.Errorf("%q became %q", in, got)
		}
	})
}

func TestRenderingAllocatesNothing(t *testing.T) {
	lines := []string{
		head + `503 UF,ZZ,URX upstream_reset_before_response_started{connection_timeout} - "-" 0 167 58 - "-" "curl" "a-b" "reviews:9080" "192.0.2.43:9080" outbound|9080||reviews - 198.51.100.12:9080 192.0.2.21:44867 - default`,
		`{"start_time":"2026-03-17T12:09:12.48+02:00","response_code":"200","response_flags":"-","duration":1.5,"bytes_sent":"x","y":{"a": [1, "\u001b"]}}`,
		"2026-03-17T10:02:12.911000Z\terror\txdsproxy\tfailed",
		"2026-03-17T10:09:13.000000000Z stdout F hello",
		"\x00\x01\x00\x00",
		head + `503 UF`,
	}
	for _, line := range lines {
		p, c := parser.NewParser(parser.AllFields), classify.Default()
		p.Reset(append([]byte(line+"\n"), make([]byte, parser.Padding)...)[:len(line)+1])
		buf := make([]byte, 0, 1<<16)
		for r, ok := p.Next(); ok; r, ok = p.Next() {
			if n := testing.AllocsPerRun(100, func() { buf = appendRecord(buf[:0], r, c.Classify(r), 1) }); n != 0 {
				t.Errorf("%v allocations for %q", n, line)
			}
		}
	}
}

func BenchmarkAppendRecord(b *testing.B) {
	line := head + `200 - via_upstream - "-" 0 167 58 57 "-" "Mozilla/5.0 (X11; Linux x86_64)" "2f1b8a52-0000-4000-8000-0000000000ff" "reviews:9080" "192.0.2.43:9080" outbound|9080||reviews.shop.svc.cluster.local 192.0.2.21:41000 198.51.100.12:9080 192.0.2.21:44867 - default` + "\n"
	p, c := parser.NewParser(parser.AllFields), classify.Default()
	p.Reset(append([]byte(line), make([]byte, parser.Padding)...)[:len(line)])
	r, _ := p.Next()
	buf := make([]byte, 0, 4096)
	b.SetBytes(int64(len(line)))
	for b.Loop() {
		buf = appendRecord(buf[:0], r, c.Classify(r), 1)
	}
}
