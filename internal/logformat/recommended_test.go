package logformat_test

import (
	"strings"
	"testing"

	"github.com/flagwatch/flagwatch/internal/logformat"
	"github.com/flagwatch/flagwatch/parser"
)

// What is generated is found again, compiles without a warning, and has every
// field.
func TestTargetsAreReadBack(t *testing.T) {
	for _, target := range logformat.Targets {
		for _, json := range []bool{false, true} {
			config := target.Write(json)
			found, err := logformat.Find(target.Name, []byte(config))
			if err != nil {
				t.Errorf("%s: %v\n%s", target.Name, err, config)
				continue
			}
			formats := 0
			for _, f := range found {
				if len(f.Notes) > 0 {
					t.Errorf("%s: %v", target.Name, f.Notes)
				}
				if f.Format == nil {
					continue
				}
				formats++
				checkAllFields(t, target.Name, f.Format, json)
			}
			if formats != 1 {
				t.Errorf("%s: %d formats in\n%s", target.Name, formats, config)
			}
		}
	}
}

// values are what the operators print about a request that failed.
var values = strings.NewReplacer(
	"%START_TIME%", "2026-05-06T07:08:09.123Z", "%REQ(:METHOD)%", "GET", "%REQ(X-ENVOY-ORIGINAL-PATH?:PATH)%", "/stock?q=1", "%PROTOCOL%", "HTTP/2",
	"%RESPONSE_CODE%", "503", "%RESPONSE_FLAGS%", "UF,URX", "%RESPONSE_CODE_DETAILS%", "upstream_reset_before_response_started{remote_connection_failure}",
	"%CONNECTION_TERMINATION_DETAILS%", "idle_timeout", "%UPSTREAM_TRANSPORT_FAILURE_REASON%", "delayed_connect_error:_111", "%DOWNSTREAM_TRANSPORT_FAILURE_REASON%", "TLS_error:_x",
	"%BYTES_RECEIVED%", "12", "%BYTES_SENT%", "91", "%DURATION%", "7", "%RESP(X-ENVOY-UPSTREAM-SERVICE-TIME)%", "5", "%REQ(X-FORWARDED-FOR)%", "10.5.5.5",
	"%REQ(USER-AGENT)%", "probe/2 (a b)", "%REQ(X-REQUEST-ID)%", "0a1b2c3d-1111-4222-8333-444455556666", "%REQ(:AUTHORITY)%", "stock.example", "%UPSTREAM_HOST%", "10.6.0.1:8080",
	"%UPSTREAM_CLUSTER%", "outbound|8080||stock.depot.svc.cluster.local", "%UPSTREAM_LOCAL_ADDRESS%", "10.6.0.2:4000", "%DOWNSTREAM_LOCAL_ADDRESS%", "10.6.0.3:8443",
	"%DOWNSTREAM_REMOTE_ADDRESS%", "10.6.0.4:5000", "%REQUESTED_SERVER_NAME%", "stock.example", "%ROUTE_NAME%", "main route", "%GRPC_STATUS%", "Unavailable",
)

func checkAllFields(t *testing.T, name string, f *parser.Format, json bool) {
	t.Helper()
	line := values.Replace(logformat.Recommended())
	if json {
		var pairs []string
		for _, p := range logformat.RecommendedKeys() {
			pairs = append(pairs, `"`+p[0]+`":"`+values.Replace(p[1])+`"`)
		}
		line = "{" + strings.Join(pairs, ",") + "}\n"
	}
	p := parser.NewParser(parser.AllFields, f)
	p.Reset(append(make([]byte, 0, len(line)+parser.Padding), line...))
	r, _ := p.Next()
	if r.Dialect != parser.Custom || r.Suspicious {
		t.Fatalf("%s: %s is read as %v", name, line, r.Dialect)
	}
	if code, _ := r.Code(); code != 503 {
		t.Errorf("%s: code %d", name, code)
	}
	for _, row := range parser.FieldList() {
		if row.Field == parser.ResponseCode {
			continue // is a number
		}
		if want := values.Replace("%" + row.Operator + "%"); row.Operator != "" && string(r.Bytes(row.Field)) != want {
			t.Errorf("%s: %s is %q, want %q", name, row.Name, r.Bytes(row.Field), want)
		}
	}
}
