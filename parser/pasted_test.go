package parser

import (
	"fmt"
	"strings"
	"testing"
)

// outcomes describes the access records of a text, one a line.
func outcomes(t *testing.T, text string, fields ...Field) string {
	t.Helper()
	var list []string
	for _, r := range account(t, []byte(text), AllFields) {
		if r.Kind != Access {
			continue
		}
		var flags []string
		set, _ := r.Flags()
		for f := range set.All {
			flags = append(flags, f.String())
		}
		s := strings.Join(flags, ",")
		if code, ok := r.Code(); ok {
			s = fmt.Sprintf("%d %s", code, s)
		}
		for _, f := range fields {
			s += "|" + string(r.Bytes(f))
		}
		if r.Partial {
			s += " partial"
		}
		list = append(list, s)
	}
	return strings.Join(list, "\n")
}

// People leave columns out of the records that they quote: what stands in
// front of the dots is read, and what its own shape gives away behind them.
func TestElided(t *testing.T) {
	for _, c := range []struct{ line, want string }{
		{`[...] "GET /seats HTTP/1.1" 503 UO upstream_reset_before_response_started{overflow} ... outbound|7443||seats.opera.svc.cluster.local ...`,
			"503 UO|upstream_reset_before_response_started{overflow}|outbound|7443||seats.opera.svc.cluster.local|| partial"},
		{`"PUT /seats HTTP/2" 503 URX,UF upstream_reset_before_response_started{remote_connection_failure|TLS_error:|268435703:SSL_routines:OPENSSL_internal:WRONG_VERSION_NUMBER:TLS_error_end} ... "10.88.3.9:7443" outbound|7443|blue|seats.opera.svc.cluster.local ...`,
			"503 UF,URX|upstream_reset_before_response_started{remote_connection_failure|TLS_error:|268435703:SSL_routines:OPENSSL_internal:WRONG_VERSION_NUMBER:TLS_error_end}|outbound|7443|blue|seats.opera.svc.cluster.local|10.88.3.9:7443| partial"},
		{`[2026-04-11T19:02:44.120Z] "GET /seats HTTP/1.1" 504 UT ... "outbound|7443|blue|seats.opera.svc.cluster.local" 10.88.3.9:7443`,
			"504 UT||outbound|7443|blue|seats.opera.svc.cluster.local|| partial"},
		{`[2026-04-11T19:02:44.120Z] "GET /seats HTTP/1.1" 503 UC "-" "-" 0 95 1 - "-" ... upstream_cluster="outbound|7443||seats.opera.svc.cluster.local" ...`,
			"503 UC||outbound|7443||seats.opera.svc.cluster.local||1 partial"},
		{`"- - -" 0 UF,URX - - "delayed_connect_error:_Connection_refused" 0 0 2 - "-" "-" "-" "-" "10.88.3.9:7443" outbound|7443||seats.opera.svc.cluster.local ... opera.example.net -`,
			"0 UF,URX||outbound|7443||seats.opera.svc.cluster.local|10.88.3.9:7443|2 partial"},
		{`[2026-04-11T19:02:44.120Z] "GET /seats HTTP/1.1" 200 - via_upstream - "-" 0 81 4 3 "-" "box ... office" "id" "seats" "10.88.3.9:7443" outbound|7443||seats.opera.svc.cluster.local 10.88.1.1:40 10.88.2.2:7443 10.88.1.1:38 - default`,
			"200 |via_upstream|outbound|7443||seats.opera.svc.cluster.local|10.88.3.9:7443|4"},
	} {
		if got := outcomes(t, c.line, ResponseCodeDetails, UpstreamCluster, UpstreamHost, Duration); got != c.want {
			t.Errorf("%s\ngot  %s\nwant %s", c.line, got, c.want)
		}
	}
}

// The value that a line ends with counts when it can be seen to be whole.
func TestLastColumn(t *testing.T) {
	const line = `[2026-04-11T19:02:44.120Z] "GET /seats HTTP/1.1" 503 UF `
	for details, want := range map[string]string{
		"upstream_reset_before_response_started{connection_failure,TLS_error}": "upstream_reset_before_response_started{connection_failure,TLS_error}",
		"no_healthy_upstream": "no_healthy_upstream",
		"upstream_reset_before_response_started{connection_fai": "",
		"no_healthy_upst": "",
	} {
		if got := outcomes(t, line+details, ResponseCodeDetails); got != "503 UF|"+want+" partial" {
			t.Errorf("%s: %s", details, got)
		}
	}
}

// Columns that somebody added behind those of a known layout do not hide
// these.
func TestAddedColumns(t *testing.T) {
	const line = `[2026-04-11T19:02:44.120Z] "GET /seats HTTP/1.1" 503 UF upstream_reset_before_response_started{connection_timeout} - "-" 0 91 4001 - "-" "curl/8.9" "id" "seats" "10.88.3.9:7443" outbound|7443||seats.opera.svc.cluster.local - 10.88.2.2:7443 10.88.1.1:38 - default`
	for _, added := range []string{` "Internal"`, ` "tenant-7" 3 "eu west"`, ` "Int`} {
		if got := outcomes(t, line+added, UpstreamCluster, Duration); got != "503 UF|outbound|7443||seats.opera.svc.cluster.local|4001" {
			t.Errorf("%s: %s", added, got)
		}
	}
}

// A request line without a protocol was shortened by hand. Without a flag it is
// a web server's own.
func TestShortRequest(t *testing.T) {
	for line, want := range map[string]string{
		`[19:02:44.120Z] "GET /seats?row=4" 206 DC downstream_remote_disconnect`: "206 DC|/seats?row=4|downstream_remote_disconnect partial",
		`10.88.1.1 - - "GET /seats" 404 - 12 0.3`:                                "",
		`said "no way" 503 UF`:                                                   "",
	} {
		if got := outcomes(t, line, Path, ResponseCodeDetails); got != want {
			t.Errorf("%s: %s", line, got)
		}
	}
}

// A record is joined from its lines also when its time was left out.
func TestWrappedWithoutTime(t *testing.T) {
	for _, time := range []string{"[time]", "[...]", "[2026-04-11T19:02:44.120Z]"} {
		text := time + ` "GET /seats HTTP/1.1" 503 UH "-" "-" 0 19 6 - "10.88.0.4" "box/3"` + "\n\"id-7\" \"opera.example.net\" \"-\"\noutbound|7443||seats.opera.svc.cluster.local\n- 10.88.2.2:7443 10.88.1.1:38 - default\n"
		if got := strings.TrimSuffix(outcomes(t, text, Authority, UpstreamCluster, RouteName), " partial"); got != "503 UH|opera.example.net|outbound|7443||seats.opera.svc.cluster.local|default" {
			t.Errorf("%s: %s", time, got)
		}
	}
}

// Remarks behind the members of an object that was laid out are no JSON, but
// the object is one record.
func TestRemarks(t *testing.T) {
	for _, mark := range []string{"//", "#"} {
		text := "{\n  \"method\": \"GET\", " + mark + " of the \"caller\"\n  \"response_code\": 503,\n  " + mark + " look here\n  \"response_flags\": \"UF\", " + mark + " could not connect\n  \"duration\": 7,\n  \"upstream_host\": \"10.88.3.9:7443\" " + mark + " a pod\n}\n"
		if got := outcomes(t, text, Method, UpstreamHost, Duration); got != "503 UF|GET|10.88.3.9:7443|7" {
			t.Errorf("%s: %s", mark, got)
		}
	}
}

// The names of a proxy's keys are not enough: DNS has a response's code and
// flags as well.
func TestForeignFlags(t *testing.T) {
	for _, text := range []string{
		`{"queryName":"seats.opera.example.","responseCode":"NXDOMAIN","responseFlags":"qr,aa,rd","responseSize":77}`,
		"{\n  \"queryName\": \"seats.opera.example.\",\n  \"responseCode\": \"NOERROR\",\n  \"responseFlags\": \"qr,rd,ra\",\n  \"responseSize\": 77\n}",
		`  "responseFlags": "qr,rd,ra",`,
	} {
		if got := outcomes(t, text); got != "" {
			t.Errorf("%s: %s", text, got)
		}
	}
	if got := outcomes(t, `{"response_code":503,"response_flags":"XQ","upstream_host":"10.88.3.9:7443"}`, UpstreamHost); !strings.HasPrefix(got, "503 ") || !strings.HasSuffix(got, "|10.88.3.9:7443") {
		t.Errorf("a flag that is new: %s", got)
	}
}

// Braces within a value belong to it.
func TestPairsBraces(t *testing.T) {
	const line = `response_code=503 response_flags=UF response_code_details=upstream_reset_before_response_started{connection_failure} upstream_host="10.88.3.9:7443"}`
	if got := outcomes(t, line, ResponseCodeDetails, UpstreamHost); got != "503 UF|upstream_reset_before_response_started{connection_failure}|10.88.3.9:7443 partial" {
		t.Error(got)
	}
}

// A ztunnel's record may be cut within its error, lack its time, or be wrapped
// at its pairs.
func TestZtunnelPasted(t *testing.T) {
	const whole, failed = "10.88.3.9:15008|12", "connection closed due to policy rejection: explicitly denied by: opera/gates"
	for _, c := range []struct{ text, want, failure string }{
		{"2026-04-11T19:02:44.120331Z error access connection complete src.addr=10.88.1.1:38 src.workload=\"box\" dst.addr=10.88.3.9:15008 direction=\"inbound\" bytes_sent=0 bytes_recv=0 duration=\"12ms\" error=\"" + failed, "|" + whole, failed},
		{"`error access connection complete src.addr=10.88.1.1:38 dst.addr=10.88.3.9:15008 direction=\"inbound\" duration=\"12ms\" error=\"" + failed + "\"`", "|" + whole + " partial", failed},
		{"warn access connection complete src.addr=10.88.1.1:38 dst.service=\"seats.opera.svc.cluster.local\" error=\"" + failed + "\"", "|| partial", failed},
		{"2026-04-11T19:02:44.120331Z error access connection complete src.addr=10.88.1.1:38 src.workload=\"box\"\nsrc.namespace=\"opera\" dst.addr=10.88.3.9:15008\n\tdirection=\"inbound\" bytes_sent=0\n  bytes_recv=0 duration=\"12ms\" error=\"" + failed + "\"\nnext\n", "|" + whole, failed},
		{"info access connection complete src.addr=10.88.1.1:38\n  dst.addr=10.88.3.9:15008 direction=\"inbound\"\n  duration=\"12ms\"\n", "|" + whole, ""},
		{"info access connection opened src.addr=10.88.1.1:38\n  dst.addr=10.88.3.9:15008 direction=\"inbound\"\n", "", ""},
	} {
		if got := outcomes(t, c.text, UpstreamHost, Duration); got != c.want {
			t.Errorf("%s\ngot  %s\nwant %s", c.text, got, c.want)
			continue
		}
		if all := account(t, []byte(c.text), AllFields); string(all[0].Failure()) != c.failure {
			t.Errorf("%s\nfailure %q", c.text, all[0].Failure())
		}
	}
}

// Records that people laid out or wrapped are the same in whatever portions
// they arrive.
func TestPastedInPortions(t *testing.T) {
	text := []byte("2026-04-11T19:02:44.120331Z error access connection complete src.addr=10.88.1.1:38\ndst.addr=10.88.3.9:15008\nduration=\"12ms\" error=\"x\"\n" +
		"{\n  \"response_code\": 503, // a \"code\"\n  \"response_flags\": \"UF\" # a flag\n}\n" +
		"[...] \"GET /seats HTTP/1.1\" 503 UO ... outbound|7443||seats.opera.svc.cluster.local ...\n")
	want := readInPortions(text, len(text))
	if len(want) != 3 {
		t.Fatalf("%d records: %v", len(want), want)
	}
	for size := 1; size < len(text); size++ {
		if got := readInPortions(text, size); fmt.Sprint(got) != fmt.Sprint(want) {
			t.Fatalf("in portions of %d bytes\ngot  %v\nwant %v", size, got, want)
		}
	}
	p := NewParser(AllFields)
	data := block(text)
	pass := func() {
		p.Reset(data)
		for _, ok := p.Next(); ok; _, ok = p.Next() {
		}
	}
	pass()
	if n := testing.AllocsPerRun(20, pass); n > 0 {
		t.Errorf("%v allocations", n)
	}
}
