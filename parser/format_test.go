package parser

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"time"
)

// mustCompile compiles a format string, or a map when it is one.
func mustCompile(t testing.TB, format string) *Format {
	t.Helper()
	f, err := Compile(format)
	if strings.HasPrefix(format, "{") && json.Valid([]byte(format)) {
		f, err = CompileJSON([]byte(format))
	}
	if err != nil {
		t.Fatalf("%q: %v", format, err)
	}
	return f
}

// readLines reads lines by given formats.
func readLines(lines string, formats ...*Format) (records []*Record) {
	p := NewParser(AllFields, formats...)
	p.Reset(block([]byte(lines)))
	for r, ok := p.Next(); ok; r, ok = p.Next() {
		records = append(records, r.Clone())
	}
	return records
}

// summary writes down what a record of a given format says.
func summary(r *Record) string {
	var b strings.Builder
	b.WriteString(r.Kind.String())
	if r.Dialect != NoDialect {
		b.WriteString(" " + r.Dialect.String())
	}
	if r.Partial {
		b.WriteString(" partial")
	}
	if r.Suspicious {
		b.WriteString(" suspicious")
	}
	if code, ok := r.Code(); ok {
		fmt.Fprintf(&b, " code=%d", code)
	}
	if set, ok := r.Flags(); ok {
		b.WriteString(" flags=")
		for f := range set.All {
			b.WriteString(f.String() + ";")
		}
	}
	if at, ok := r.Time(); ok {
		b.WriteString(" at=" + time.Unix(0, at).UTC().Format(time.RFC3339Nano))
	}
	for f := range NumFields {
		if v := r.Bytes(f); v != nil && f != ResponseCode && f != ResponseFlags {
			fmt.Fprintf(&b, " %v=%s", f, v)
		}
	}
	for _, e := range r.Extra() {
		fmt.Fprintf(&b, " +%s=%s", e.Key, e.Value)
	}
	return b.String()
}

// An operator as a user writes it, with an argument where it needs one.
func usage(o OperatorInfo) string {
	if o.Argument != Required {
		return "%" + o.Name + "%"
	}
	args := map[string]string{
		"COMMON_DURATION": "DS_RX_BEG:US_TX_BEG:us", "METADATA": "ROUTE:acme.tags:tier", "DYNAMIC_METADATA": "acme.gate:verdict:why", "CLUSTER_METADATA": "acme.pool:zone",
		"UPSTREAM_METADATA": "acme.pool:rack", "FILTER_STATE": "acme.quota:PLAIN", "CEL": "size(request.headers) > 3", "TYPED_CEL": "response.code", "COALESCE": `{"operators":["REQ(A)","REQ(B)"]}`,
		"QUERY_PARAM": "page", "ENVIRONMENT": "POD_NAME", "XFCC_VALUE": "uri", "SECRET": "token", "FILE_CONTENT": "/etc/zone",
	}
	arg, ok := args[o.Name]
	if !ok {
		arg = "X-ACME"
	}
	return "%" + o.Name + "(" + arg + ")%"
}

// value renders an ordinary value of an operator as Envoy would: without
// quotes, and sometimes what stands for no value.
func value(rng *rand.Rand, o OperatorInfo) string {
	pick := func(list ...string) string { return list[rng.IntN(len(list))] }
	if rng.IntN(6) == 0 {
		switch o.Missing {
		case Dash:
			return "-"
		case Zero:
			return "0"
		case Empty:
			return ""
		}
	}
	switch o.Type {
	case TypeTime:
		return time.Unix(1790000000+rng.Int64N(1e8), rng.Int64N(1000)*1e6).UTC().Format("2006-01-02T15:04:05.000Z")
	case TypeInt:
		return pick("0", "1", "17", "4096", "99999999", "123456789012")
	case TypeNumber:
		return pick("0", "3", "250", "15000")
	case TypeCode:
		return pick("0", "100", "200", "304", "404", "503")
	case TypeFlags:
		if strings.HasSuffix(o.Name, "_LONG") {
			return pick("-", "NoHealthyUpstream", "UpstreamConnectionFailure,UpstreamRetryLimitExceeded")
		}
		return pick("-", "UH", "URX,UF", "DC", "UF,XYZ")
	case TypeProtocol:
		return pick("HTTP/1.0", "HTTP/1.1", "HTTP/2", "HTTP/3")
	case TypeAddress:
		return pick("10.20.30.40:8080", "[2001:db8::7]:443", "/run/app.sock", "envoy://internal_client_address/", "10.20.30.41")
	case TypeToken:
		return pick("outbound|8080|v2|cart.shop.svc.cluster.local", "via_upstream", "TLSv1.3", "a=b;c", "x,y", "local_reply{timeout}", "7")
	case TypeReason:
		return pick("delayed_connect_error:_111", "TLS error: 268435703:SSL routines", "rbac deny")
	case TypePhrase:
		return pick("to cart v2", "default", "a|b", "idle timeout; closed")
	}
	return pick("plain", "two words", "Mozilla/5.0 (X11; Linux x86_64) Gecko/20100101", "a, b; c", "/cart?id=7&x=%20", "{a:1}", "503 UF", "k=v w=u", "[x] y", "über", "1", "#", "-1")
}

// Every operator of the list compiles, is known, and gives back what Envoy
// renders: as a column of a text, and as a value of typed and untyped JSON.
func TestEveryOperatorIsRead(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	for _, o := range OperatorList() {
		if o.About == "" || o.Name == "" {
			t.Errorf("row without a name or a text: %+v", o)
		}
		use := usage(o)
		text := mustCompile(t, `[%START_TIME%] "`+use+`" %RESPONSE_CODE% %RESPONSE_FLAGS%`)
		object := mustCompile(t, `{"op":"`+strings.ReplaceAll(use, `"`, `\"`)+`","code":"%RESPONSE_CODE%","time":"%START_TIME%"}`)
		for _, f := range []*Format{text, object} {
			for _, w := range f.Warnings() {
				if w.Operator != "" && !strings.Contains(w.Text, "no %RESPONSE_FLAGS%") {
					t.Errorf("%s: warning about an operator of the list: %s", use, w.Text)
				}
			}
		}
		for range 8 {
			v := value(rng, o)
			line := `[2026-08-01T02:03:04.005Z] "` + v + `" 503 UF`
			checkOperator(t, text, line, strings.Trim(use, "%"), v)
			quoted, _ := json.Marshal(v)
			checkOperator(t, object, `{"code":"503","op":`+string(quoted)+`,"time":"2026-08-01T02:03:04.005Z"}`, "op", v)
			if o.JSON == JSONNumber && v != "-" && v != "" {
				checkOperator(t, object, `{"code":503,"op":`+v+`,"time":"2026-08-01T02:03:04.005Z"}`, "op", v)
			}
		}
		if o.Missing == Dash {
			checkOperator(t, object, `{"code":503,"op":null,"time":"2026-08-01T02:03:04.005Z"}`, "op", "-")
		}
	}
}

// checkOperator reads a line whose operator has the value; key names it among
// the extra columns.
func checkOperator(t *testing.T, f *Format, line, key, value string) {
	t.Helper()
	all := readLines(line, f)
	if len(all) != 1 || all[0].Kind != Access || all[0].Dialect != Custom || all[0].Suspicious || all[0].Partial {
		t.Errorf("%s: %s", line, summary(all[0]))
		return
	}
	r := all[0]
	if code, ok := r.Code(); !ok || code != 503 && key != "RESPONSE_CODE" && fmt.Sprint(code) != value {
		t.Errorf("%s: code %d", line, code)
	}
	if value == "-" || value == "" {
		return
	}
	for field := range NumFields {
		if string(r.Bytes(field)) == value {
			return
		}
	}
	for _, e := range r.Extra() {
		if string(e.Key) == key && string(e.Value) == value {
			return
		}
	}
	if code, _ := r.Code(); fmt.Sprint(code) != value {
		t.Errorf("%s: %q is nowhere: %s", line, value, summary(r))
	}
}

// A random format gives back random values, unless it said that it can not;
// and it never gives a wrong one without a mark.
func TestRandomFormats(t *testing.T) {
	separators := []string{" ", " ", " ", `" "`, `" `, ` "`, "|", ", ", "; ", " k=", "] [", "\t", " - ", "", "->", ")("}
	unwarned, unread := 0, 0
	for seed := range uint64(6000) {
		rng := rand.New(rand.NewPCG(seed, 7))
		columns := 2 + rng.IntN(9)
		format, line := "#", "#"
		var values []string
		for i := range columns {
			o := OperatorList()[rng.IntN(len(OperatorList()))]
			if i == 0 && rng.IntN(2) == 0 {
				o = *operatorByName("START_TIME")
			}
			v := value(rng, o)
			values = append(values, v)
			sep := separators[rng.IntN(len(separators))]
			if i+1 == columns && rng.IntN(2) == 0 {
				sep = ""
			}
			format, line = format+usage(o)+sep, line+v+sep
		}
		f := mustCompile(t, format)
		warned := slices.ContainsFunc(f.Warnings(), func(w Warning) bool {
			return strings.Contains(w.Text, "between them") || strings.Contains(w.Text, "apart")
		})
		all := readLines(line, f)
		r := all[0]
		if len(all) > 1 {
			if !warned && !r.Suspicious {
				t.Fatalf("seed %d: split without a mark: %s\n%s", seed, format, line)
			}
			continue
		}
		if warned && r.Kind == Noise {
			unread++
			continue
		}
		if r.Kind != Access || r.Dialect != Custom {
			t.Fatalf("seed %d: not read\n%s\n%s\n%s", seed, format, line, summary(r))
		}
		if warned || r.Suspicious && strings.Count(line, `"`) != strings.Count(format, `"`) {
			if !r.Suspicious && len(f.columns) == columns {
				checkValues(t, f, r, values, fmt.Sprintf("seed %d, warned\n%s\n%s", seed, format, line))
			}
			continue
		}
		unwarned++
		if r.Suspicious {
			t.Fatalf("seed %d: suspicious without a warning\n%s\n%s\n%s", seed, format, line, summary(r))
		}
		checkValues(t, f, r, values, fmt.Sprintf("seed %d\n%s\n%s", seed, format, line))
	}
	if unwarned < 1000 || unread > 6 {
		t.Errorf("%d formats without a warning, and %d with one whose record was not read", unwarned, unread)
	}
}

func checkValues(t *testing.T, f *Format, r *Record, values []string, what string) {
	t.Helper()
	extra := r.Extra()
	for i, c := range f.columns {
		want := absent(values[i])
		if c.field != Extra {
			if c.field == ResponseFlags {
				set, _ := r.Flags()
				if set != decodeFlags([]byte(want)) {
					t.Fatalf("%s\nflags %x instead of %q", what, set, want)
				}
			} else if v := got(r, c.field); v != want {
				t.Fatalf("%s\n%v is %q instead of %q", what, c.field, v, want)
			}
			continue
		}
		if want == "" {
			continue
		}
		if len(extra) == 0 || string(extra[0].Key) != string(c.key) || string(extra[0].Value) != want {
			t.Fatalf("%s\n%s is %s instead of %q", what, c.key, summary(r), want)
		}
		extra = extra[1:]
	}
}

func TestGivenFormats(t *testing.T) {
	tests := []struct{ name, format, lines, want string }{
		{"arguments", `%REQ(x-request-ID)% %REQ(:path):6% %START_TIME(%s.%3f)% %COMMON_DURATION(DS_RX_BEG:US_TX_BEG:us)% rc=%RESPONSE_CODE%`,
			`8c1f /cart? 1790000000.250 1700 rc=503`,
			`access custom code=503 at=2026-09-21T14:13:20.25Z start_time=1790000000.250 path=/cart? request_id=8c1f +COMMON_DURATION(DS_RX_BEG:US_TX_BEG:us)=1700`},
		{"percent", `100%% %RESPONSE_CODE% %RESPONSE_FLAGS%%%`, `100% 200 -%`, `access custom code=200 flags=`},
		{"long flags", `rf=%RESPONSE_FLAGS_LONG% rc=%RESPONSE_CODE%`, `rf=UpstreamConnectionFailure,UpstreamRetryLimitExceeded rc=503`, `access custom code=503 flags=UF;URX;`},
		{"text between anchors", `%START_TIME% %REQ(USER-AGENT)% %RESPONSE_CODE% %RESPONSE_FLAGS%`, `2026-08-01T02:03:04.005Z curl 200 - again 503 UF`,
			`access custom code=503 flags=UF; at=2026-08-01T02:03:04.005Z start_time=2026-08-01T02:03:04.005Z user_agent=curl 200 - again`},
		{"cluster with bars", `%UPSTREAM_CLUSTER%|%RESPONSE_CODE%|%REQ(X-A)%`, `outbound|8443||cart|503|a b`, `access custom code=503 upstream_cluster=outbound|8443||cart +REQ(X-A)=a b`},
		{"ambiguous", `%REQ(USER-AGENT)% %REQ(REFERER)% %RESPONSE_CODE%`, "one two 200\na b c 200",
			"access custom code=200 user_agent=one +REQ(REFERER)=two\naccess custom suspicious code=200"},
		{"quotes in text", `"%REQ(USER-AGENT)%" "%REQ(REFERER)%" %RESPONSE_CODE%`, `"a" "b" "c" 200`, `access custom suspicious code=200`},
		{"side by side", `%BYTES_SENT%%BYTES_RECEIVED% %RESPONSE_CODE%`, `12345 200`, `access custom code=200 +%BYTES_SENT%%BYTES_RECEIVED%=12345`},
		{"side by side by type", `%RESPONSE_CODE%%RESPONSE_FLAGS% %PROTOCOL%`, `503UF,URX HTTP/2`, `access custom code=503 flags=UF;URX; protocol=HTTP/2`},
		{"cut values", `%RESPONSE_CODE:2% %RESPONSE_FLAGS:3% %DURATION:3%`, "50 UF 12\n50 UF, 123", "access custom flags=UF; duration=12 +RESPONSE_CODE=50\naccess custom +RESPONSE_CODE=50 +RESPONSE_FLAGS=UF, +DURATION=123"},
		{"length", `%REQ(X-A):3%,%RESPONSE_CODE%`, "a,b,200", "access custom code=200 +REQ(X-A)=a,b"},
		{"too long for its length", `x %REQ(X-A):3%,%RESPONSE_CODE%`, "x abcd,200", "noise"},
		{"unknown operator", `%KUMA_MESH% %RESPONSE_CODE%`, `east west 404`, `access custom code=404 +KUMA_MESH=east west`},
		{"empty values", `%REQ(A)% %RESPONSE_CODE% %RESPONSE_FLAGS% %UPSTREAM_HOST% end`, ` 200 -  end`, `access custom code=200 flags=`},
		{"glued", `[%START_TIME%] %RESPONSE_CODE% %RESPONSE_FLAGS%`, `[2026-08-01T02:03:04.005Z] 200 -[2026-08-01T02:03:04.006Z] 503 UF`,
			"access custom code=200 flags= at=2026-08-01T02:03:04.005Z start_time=2026-08-01T02:03:04.005Z\naccess custom code=503 flags=UF; at=2026-08-01T02:03:04.006Z start_time=2026-08-01T02:03:04.006Z"},
		{"glued with text", `%START_TIME% %REQ(USER-AGENT)% %RESPONSE_CODE%`, `2026-08-01T02:03:04.005Z curl 2002026-08-01T02:03:04.006Z wget 503`,
			"access custom suspicious code=200 at=2026-08-01T02:03:04.005Z start_time=2026-08-01T02:03:04.005Z user_agent=curl\naccess custom suspicious code=503 at=2026-08-01T02:03:04.006Z start_time=2026-08-01T02:03:04.006Z user_agent=wget"},
		{"torn", `%START_TIME% rc=%RESPONSE_CODE% rf=%RESPONSE_FLAGS% path="%REQ(:PATH)%" up=%UPSTREAM_HOST%`, `2026-08-01T02:03:04.005Z rc=503 rf=UF path="/a b`,
			`access custom partial code=503 flags=UF; at=2026-08-01T02:03:04.005Z start_time=2026-08-01T02:03:04.005Z`},
		{"wrappers", `gate %RESPONSE_CODE% %REQ(:PATH)%`,
			"2026-08-01T02:03:04.000000005Z stdout F gate 200 /a\n2026-08-01T02:03:04.005Z gate 201 /b\nshop-7d9f istio-proxy gate 202 /c\n" +
				`{"log":"gate 203 /d\n","stream":"stdout","time":"2026-08-01T02:03:04.005Z"}` + "\n[pod/shop-7d9f/istio-proxy] gate 204 /e\ngate-1  | gate 205 /f\n" + `{"level":"info","message":"gate 206 /g"}`,
			"access custom code=200 path=/a\naccess custom code=201 path=/b\naccess custom code=202 path=/c\naccess custom code=203 path=/d\naccess custom code=204 path=/e\naccess custom code=205 path=/f\naccess custom code=206 path=/g"},
		{"other records", `gate %RESPONSE_CODE%`, "gate 200\n" + `[2026-11-30T00:00:00.000Z] "GET /a HTTP/1.1" 200 - 0 91 1 1 "-" "curl/8" "-" "reviews:9080" "10.1.2.3:9080"` + "\nhello",
			"access custom code=200\naccess envoy-default-http code=200 flags= at=2026-11-30T00:00:00Z start_time=2026-11-30T00:00:00.000Z method=GET path=/a protocol=HTTP/1.1 bytes_received=0 bytes_sent=91 duration=1 upstream_service_time=1 user_agent=curl/8 authority=reviews:9080 upstream_host=10.1.2.3:9080\nnoise"},
		{"text like JSON", `{"a": "%REQ(USER-AGENT)%", "code": %RESPONSE_CODE%, "d": %DURATION%, "flags": "%RESPONSE_FLAGS%"}`, `{"a": "x"y", "code": 503, "d": -, "flags": "UF"}`,
			`access custom code=503 flags=UF; user_agent=x"y`},
		{"two columns of a field", `%REQ(:PATH)% %REQ(X-ENVOY-ORIGINAL-PATH?:PATH)% %RESPONSE_CODE%`, `/b /a 200`, `access custom code=200 path=/a +REQ(:PATH)=/b`},
	}
	for _, tt := range tests {
		f, err := Compile(tt.format)
		if err != nil {
			t.Errorf("%s: %v", tt.name, err)
			continue
		}
		var got []string
		for _, r := range readLines(tt.lines, f) {
			got = append(got, summary(r))
		}
		if g := strings.Join(got, "\n"); g != tt.want {
			t.Errorf("%s:\n got %s\nwant %s", tt.name, g, tt.want)
		}
	}
}

func TestGivenMaps(t *testing.T) {
	const nested = `{"kind":"access","http":{"code":"%RESPONSE_CODE%","req":{"size":"%BYTES_RECEIVED%","id":"%REQ(X-REQUEST-ID)%","tenant":"%REQ(X-TENANT)%"}},"why":"%RESPONSE_FLAGS%","line":"%REQ(:METHOD)% %REQ(:PATH)% %PROTOCOL%","list":["%UPSTREAM_HOST%","%REQ(X-B)%",7],"meta":"%DYNAMIC_METADATA(acme.gate)%"}`
	tests := []struct{ name, format, lines, want string }{
		{"whatever the key is called", `{"a":"%RESPONSE_CODE%","b":"%RESPONSE_FLAGS%","c":"%REQ(X-A)%"}`, `{"a":503,"b":"UF,URX","c":"x"}`, `access custom code=503 flags=UF;URX; +c=x`},
		{"all strings", `{"a":"%RESPONSE_CODE%","b":"%RESPONSE_FLAGS%","c":"%REQ(X-A)%"}`, `{"a":"503","b":"-","c":"-"}`, `access custom code=503 flags=`},
		{"numbers as doubles", `{"a":"%RESPONSE_CODE%","b":"%BYTES_SENT%"}`, `{"a":2e+02,"b":1.5e+09}`, `access custom code=200 bytes_sent=1.5e+09`},
		{"nested", nested,
			`{"http":{"code":404,"req":{"id":"8c1f","size":12,"tenant":"blue"}},"kind":"access","line":"GET /a b HTTP/2","list":["10.0.0.1:80",null,7],"meta":{"x":[1,"y"]},"why":"NR"}` + "\n" +
				`{"http":{"code":404,"req":{"id":"8c1f","size":12,"tenant":null}},"kind":"access","line":"GET /a\u0022 HTTP/2","list":["10.0.0.1:80","b",7],"meta":null,"why":"NR"}`,
			"access custom code=404 flags=NR; method=GET path=/a b protocol=HTTP/2 bytes_received=12 request_id=8c1f upstream_host=10.0.0.1:80 +http={\"req\":{\"tenant\":\"blue\"}} +kind=access +list=[null,null,7] +meta={\"x\":[1,\"y\"]}\n" +
				"access custom code=404 flags=NR; method=GET path=/a\" protocol=HTTP/2 bytes_received=12 request_id=8c1f upstream_host=10.0.0.1:80 +http= +kind=access"},
		{"literal of another", `{"kind":"access","code":"%RESPONSE_CODE%"}`, `{"code":200,"kind":"audit"}`, `noise`},
		{"number literal", `{"v":100000,"code":"%RESPONSE_CODE%"}`, `{"code":200,"v":1e+05}`, `access custom code=200 +v=1e+05`},
		{"omitted", `{"code":"%RESPONSE_CODE%","flags":"%RESPONSE_FLAGS%","host":"%UPSTREAM_HOST%","sub":{"a":"%REQ(A)%"}}`, `{"code":200,"flags":"-"}`, `access custom code=200 flags=`},
		{"somebody added keys", `{"a":"%RESPONSE_CODE%","b":"%RESPONSE_FLAGS%"}`, `{"a":200,"b":"-","cluster_name":"east"}`, `access custom code=200 flags= +cluster_name=east`},
		{"torn", `{"a":"%RESPONSE_CODE%","b":"%RESPONSE_FLAGS%","c":"%REQ(X-A)%"}`, `{"a":503,"b":"UF","c":"x`, `access custom partial code=503 flags=UF;`},
		{"a key twice", `{"a":"%RESPONSE_CODE%","b":"%RESPONSE_FLAGS%"}`, `{"a":503,"b":"UF","a":200}`, `access custom suspicious flags=UF;`},
		{"two keys of a field", `{"@timestamp":"%START_TIME%","ts":"%START_TIME(%s)%","code":"%RESPONSE_CODE%"}`, `{"@timestamp":"2026-08-01T02:03:04.005Z","code":200,"ts":"1785549784"}`,
			`access custom code=200 at=2026-08-01T02:03:04.005Z start_time=2026-08-01T02:03:04.005Z +ts=1785549784`},
		{"percent and part", `{"p":"%%","t":"took %DURATION%ms","code":"%RESPONSE_CODE%"}`, `{"code":200,"p":"%","t":"took 7ms"}`, `access custom code=200 duration=7 +p=%`},
		{"over many lines", `{"a":"%RESPONSE_CODE%","b":{"c":"%RESPONSE_FLAGS%"}}`, "{\n  \"a\": 503,\n  \"b\": {\n    \"c\": \"UF\"\n  }\n}", `access custom code=503 flags=UF;`},
		{"glued", `{"a":"%RESPONSE_CODE%"}`, `{"a":503}{"a":200}`, "access custom code=503\naccess custom code=200"},
		{"another's", `{"a":"%RESPONSE_CODE%"}`, `{"b":503}`, "noise"},
	}
	for _, tt := range tests {
		f := mustCompile(t, tt.format)
		for _, repeat := range []int{1, 3} { // by scanning, and by comparing
			var got, want []string
			for _, r := range readLines(strings.Repeat(tt.lines+"\n", repeat), f) {
				got = append(got, summary(r))
			}
			for range repeat {
				want = append(want, strings.ReplaceAll(tt.want, " +http= +kind=access", ` +kind=access +list=[null,"b",7]`))
			}
			if g, w := strings.Join(got, "\n"), strings.Join(want, "\n"); g != w {
				t.Errorf("%s, %d times:\n got %s\nwant %s", tt.name, repeat, g, w)
			}
		}
	}
}

// Several formats at once: every record is read in the first that it fits.
func TestSeveralFormats(t *testing.T) {
	a, b, c := mustCompile(t, `in %RESPONSE_CODE% %REQ(:PATH)%`), mustCompile(t, `out %RESPONSE_FLAGS% %RESPONSE_CODE%`), mustCompile(t, `{"s":"%RESPONSE_CODE%"}`)
	var got []string
	for _, r := range readLines("out UF 503\nin 200 /a\n{\"s\":404}\nin 201 /b\nup 1\n", a, b, c) {
		got = append(got, summary(r))
	}
	want := []string{"access custom code=503 flags=UF;", "access custom code=200 path=/a", "access custom code=404", "access custom code=201 path=/b", "noise"}
	if !slices.Equal(got, want) {
		t.Errorf("got  %q\nwant %q", got, want)
	}
}

func TestFormatErrors(t *testing.T) {
	tests := []struct {
		format   string
		offset   int
		operator string
		problem  string
	}{
		{"", 0, "", "no operator"},
		{"static", 0, "", "no operator"},
		{"%RESPONSE_CODE% at 5 % done", 21, "", "%%"},
		{"%RESPONSE_CODE", 0, "RESPONSE_CODE", "no closing"},
		{"x %response_code%", 2, "response_code", "upper case"},
		{"%PROTOCOL% %REQ(X-A", 11, "REQ", "no )"},
		{"%REQ(%", 0, "REQ", "no )"},
		{"%REQ(A):%", 0, "REQ", "no )"},
		{"%PROTOCOL:%", 0, "PROTOCOL", "no closing"},
		{"%START_TIME(%Y%n)%", 0, "START_TIME", "line end"},
		{"%PROTOCOL% %", 11, "", "%%"},
		{`{"a":"%RESPONSE_CODE%","b":"x %PROTOCOL"}`, 30, "PROTOCOL", "no closing"},
		{`{"a":"b"}`, 0, "", "no operator"},
		{`{"a":"%PROTOCOL%","a":"%DURATION%"}`, 18, "", "twice"},
	}
	for _, tt := range tests {
		_, err := Compile(tt.format)
		if strings.HasPrefix(tt.format, "{") {
			_, err = CompileJSON([]byte(tt.format))
		}
		wrong, ok := errors.AsType[*FormatError](err)
		if !ok || wrong.Offset != tt.offset || wrong.Operator != tt.operator || !strings.Contains(wrong.Problem, tt.problem) {
			t.Errorf("%q: %#v, want byte %d, operator %q, problem %q", tt.format, err, tt.offset, tt.operator, tt.problem)
		}
	}
	for _, broken := range []string{`{"a":"%PROTOCOL%"`, `{"a":"%PROTOCOL%"} x`, `["%PROTOCOL%"]`, `{"a" "%PROTOCOL%"}`, strings.Repeat(`{"a":`, 40) + `1` + strings.Repeat(`}`, 40)} {
		if _, err := CompileJSON([]byte(broken)); err == nil {
			t.Errorf("%q compiles", broken)
		}
	}
}

// What a format does not tell is said, with the operators that it is about.
func TestWarnings(t *testing.T) {
	const whole = ` %START_TIME% %RESPONSE_CODE% %RESPONSE_FLAGS%`
	tests := []struct{ format, want string }{
		{`a` + whole, ``},
		{`a %START_TIME% %RESPONSE_CODE%`, `no %RESPONSE_FLAGS%`},
		{`a %START_TIME% %RESPONSE_FLAGS%`, `no %RESPONSE_CODE%`},
		{`a %RESPONSE_CODE% %RESPONSE_FLAGS%`, `no %START_TIME%`},
		{`a %TLS_VERSION%` + whole, `%TLS_VERSION% is no operator`},
		{`a %REQ%` + whole, `%REQ% needs an argument`},
		{`a %PROTOCOL(X)%` + whole, `%PROTOCOL(X)% takes no argument`},
		{`a %BYTES_SENT:3%` + whole, `%BYTES_SENT:3% can not be cut`},
		{`a %REQ(USER-AGENT)% %REQ(REFERER)%` + whole, `%REQ(USER-AGENT)% and %REQ(REFERER)%: " " between them`},
		{`a %REQ(USER-AGENT)% %UPSTREAM_CLUSTER% x %REQ(REFERER)%` + whole, `%REQ(USER-AGENT)% and %REQ(REFERER)%: " x " between them`},
		{`a %REQ(USER-AGENT)%|%REQ(REFERER)%|` + whole, `%REQ(USER-AGENT)% and %REQ(REFERER)%: only "|" tells them apart`},
		{`a "%REQ(USER-AGENT)%" "%REQ(REFERER)%"` + whole, ``},
		{"a %REQ(USER-AGENT)%\t%REQ(REFERER)%\t" + whole, ``},
		{`a %REQ(USER-AGENT)%` + whole, ``},
		{`a %REQ(A)%%REQ(B)%` + whole, `%REQ(A)% and %REQ(B)%: nothing stands between them to tell them apart`},
		{`a %PROTOCOL%%BYTES_SENT%` + whole, `%PROTOCOL% and %BYTES_SENT%: nothing stands between them: where two`},
		{`a %START_TIME(%H:%M)% %RESPONSE_CODE% %RESPONSE_FLAGS%`, `%START_TIME(%H:%M)% does not tell the instant`},
		{`a %START_TIME_LOCAL(%F %T)% %RESPONSE_CODE% %RESPONSE_FLAGS%`, `does not tell the instant`},
		{`%REQ(A)% %REQ(B)%`, `any line may be taken`},
		{"a\nb" + whole, ``},
		{"a" + whole + "\n", ``},
		{`{"a":"%START_TIME%","b":"%RESPONSE_CODE%"}`, `no %RESPONSE_FLAGS%`},
		{`{"a":"%START_TIME%","b":"%RESPONSE_CODE%","c":"%RESPONSE_FLAGS%","d":"%REQ(A)% %REQ(B)%"}`, `%REQ(A)% and %REQ(B)%`},
	}
	for _, tt := range tests {
		var texts []string
		for _, w := range mustCompile(t, tt.format).Warnings() {
			texts = append(texts, w.Text)
			if w.Offset >= 0 && tt.format[w.Offset] != '%' {
				t.Errorf("%s: warning at byte %d, which is no operator", tt.format, w.Offset)
			}
		}
		if got := strings.Join(texts, "\n"); (tt.want == "") != (got == "") || !strings.Contains(got, tt.want) {
			t.Errorf("%s:\n got %q\nwant %q", tt.format, got, tt.want)
		}
	}
}

// Times in layouts of strftime and Envoy's own.
func TestClock(t *testing.T) {
	tests := []struct {
		layout string
		local  bool
		value  string
		want   string // RFC 3339; "?": fits and tells no instant; "": does not fit
	}{
		{"%Y-%m-%dT%H:%M:%S.%3fZ", false, "2026-03-14T09:26:53.589Z", "2026-03-14T09:26:53.589Z"},
		{"%Y/%m/%dT%H:%M:%S%z %s", false, "2026/03/14T09:26:53+0000 1773480413", "2026-03-14T09:26:53Z"},
		{"%s.%3f", false, "1773480413.250", "2026-03-14T09:26:53.25Z"},
		{"%s%3f", false, "1773480413250", "2026-03-14T09:26:53.25Z"},
		{"%s", false, "1773480413", "2026-03-14T09:26:53Z"},
		{"%f", false, "123456789", "?"},
		{"%FT%T.%fZ", false, "2026-03-14T09:26:53.123456789Z", "2026-03-14T09:26:53.123456789Z"},
		{"%F %T.%6f", false, "2026-03-14 09:26:53.123456", "2026-03-14T09:26:53.123456Z"},
		{"%FT%H:%M:%E3S%z", true, "2026-03-14T09:26:53.589+0130", "2026-03-14T07:56:53.589Z"},
		{"%FT%H:%M:%E*S%Ez", true, "2026-03-14T09:26:53.5-08:00", "2026-03-14T17:26:53.5Z"},
		{"%FT%H:%M:%E*S%Ez", true, "2026-03-14T09:26:53-08:00", "2026-03-14T17:26:53Z"},
		{"%FT%H:%M:%S.%*fZ", false, "2026-03-14T09:26:53.5Z", "2026-03-14T09:26:53.5Z"},
		{"%d/%b/%Y:%H:%M:%S %z", false, "14/Mar/2026:09:26:53 +0000", "2026-03-14T09:26:53Z"},
		{"%A, %d %B %y %I:%M:%S %p", false, "Saturday, 14 March 26 12:26:53 AM", "2026-03-14T00:26:53Z"},
		{"%a %e %b %Y %I:%M %p", false, "Sat  4 Apr 2026 11:07 PM", "2026-04-04T23:07:00Z"},
		{"%Y.%j %R", false, "2026.073 09:26", "2026-03-14T09:26:00Z"},
		{"%F %T %Z", true, "2026-03-14 09:26:53 UTC", "2026-03-14T09:26:53Z"},
		{"%F %T %Z", true, "2026-03-14 09:26:53 CET", "?"},
		{"%F %T", true, "2026-03-14 09:26:53", "?"},
		{"%H:%M", false, "09:26", "?"},
		{"%%%F%% %T", false, "%2026-03-14% 09:26:53", "2026-03-14T09:26:53Z"},
		{"bad_format", false, "bad_format", "?"},
		{"%Q", false, "whatever it prints", "?"},
		{"%F %T", false, "2026-13-14 09:26:53", ""},
		{"%F %T", false, "2026-03-14 09:26:5", ""},
		{"%F %T", false, "2026-03-14 09:26:53 ", ""},
		{"%s.%3f", false, "1773480413.25", ""},
		{"%b", false, "Mrz", ""},
	}
	for _, tt := range tests {
		c, err := newClock(tt.layout, tt.local)
		if err != nil {
			t.Errorf("%s: %v", tt.layout, err)
			continue
		}
		if fits := c.fits([]byte(tt.value)); fits != (tt.want != "") {
			t.Errorf("%s: %q fits: %v", tt.layout, tt.value, fits)
		}
		got := "?"
		if at, ok := c.time([]byte(tt.value)); ok {
			got = time.Unix(0, at).UTC().Format(time.RFC3339Nano)
		}
		if tt.want != "" && got != tt.want {
			t.Errorf("%s: %q is %s, want %s", tt.layout, tt.value, got, tt.want)
		}
	}
}

// A dialect that is given by its id names its records.
func TestDialectFormats(t *testing.T) {
	for _, d := range DialectList() {
		f, known := DialectFormat(d.ID)
		if !known || (f == nil) != (d.Format == "") {
			t.Errorf("%s: %v, %v", d.ID, f, known)
		}
		if f != nil && f.dialect.String() != d.ID {
			t.Errorf("%s: names its records %v", d.ID, f.dialect)
		}
	}
	if _, known := DialectFormat("istio-text"); known {
		t.Error("a dialect that is in no list is known")
	}
}

// Given formats cost no allocation, and records of other layouts neither.
func TestGivenFormatsAllocateNothing(t *testing.T) {
	text := mustCompile(t, `[%START_TIME(%s.%3f)%] %RESPONSE_CODE% %RESPONSE_FLAGS% "%REQ(USER-AGENT)%" %REQ(X-A)% %DURATION%`)
	object := mustCompile(t, `{"k":"x","http":{"c":"%RESPONSE_CODE%","t":"%REQ(X-T)%","l":["%REQ(A)%"]},"f":"%RESPONSE_FLAGS%","r":"%REQ(:METHOD)% %REQ(:PATH)%"}`)
	lines := `[1790000000.250] 503 UF "curl" a b c 12` + "\n" + `[1790000000.250] 503 UF "cu"rl" a b c 12` + "\n" + `[1790000000.250] 503 UF "curl` + "\n" +
		`{"f":"-","http":{"c":200,"l":["x"],"t":"a"},"k":"x","r":"GET /a\u0022"}` + "\n" + `{"f":"-","http":{"c":200,"l":[null],"t":null},"k":"x","r":"GET /"}` + "\n" + `{"f":"-","http":{"c":2` + "\n" + "other\n"
	for _, line := range corpus(t) {
		if len(line) < 3000 {
			lines += string(line) + "\n"
		}
	}
	data := block([]byte(lines))
	p := NewParser(AllFields, text, object)
	pass := func() {
		p.Reset(data)
		for _, ok := p.Next(); ok; _, ok = p.Next() {
		}
	}
	pass()
	if n := testing.AllocsPerRun(10, pass); n > 0 {
		t.Errorf("%v allocations in %d bytes", n, bytes.Count(data, []byte{'\n'}))
	}
}
