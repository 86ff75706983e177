package parser

import (
	"strings"
	"testing"
)

const oldLine = `[2019-03-02T09:14:07.482Z] "GET /cart HTTP/1.1" 403 UAEX "PERMISSION_DENIED:denier.handler" 0 88 12 - "-" "curl/7.61.0" ` +
	`"0f6c8e2a-5b1d-4c3f-9a77-2f1d6f0f3c55" "cart:8080" "-" outbound|8080||cart.shop.svc.cluster.local - 10.96.14.2:8080 10.8.2.3:41324 -`

func TestMixer(t *testing.T) {
	const denied = "PERMISSION_DENIED:denier.handler"
	object := func(status string) string {
		return `{"start_time":"2019-03-02T09:14:07.482Z","method":"GET","path":"/cart","protocol":"HTTP/1.1","response_code":"403","response_flags":"UAEX",` +
			`"bytes_received":"0","bytes_sent":"88","duration":"12","authority":"cart:8080","upstream_cluster":"-","istio_policy_status":` + status + `}`
	}
	const tls = `"PERMISSION_DENIED:denier.handler" "TLS error: Secret is not supplied by SDS"`
	for name, row := range map[string]struct{ line, want string }{
		"status alone":      {oldLine, denied},
		"status and reason": {strings.Replace(oldLine, `"`+denied+`"`, tls, 1) + " default", denied},
		"quote in the path": {strings.Replace(oldLine, "/cart HTTP", `/ca"rt HTTP`, 1), denied},
		"none":              {strings.Replace(oldLine, denied, "-", 1), ""},
		"object":            {object(`"` + denied + `"`), denied},
		"object, escaped":   {object(`"\"` + denied + `\""`), `\"` + denied + `\"`},
		"object with none":  {object(`"-"`), ""},
		"object with null":  {object(`null`), ""},
	} {
		p := NewParser(Fields(ResponseFlags))
		block := append([]byte(strings.Repeat(row.line+"\n", 3)), make([]byte, Padding)...)
		p.Reset(block[:len(block)-Padding])
		for n := 0; n < 3; n++ { // objects are read by the order of the last one
			r, ok := p.Next()
			if !ok || r.Kind != Access || string(r.Mixer()) != row.want {
				t.Errorf("%s, record %d: %v %q", name, n, r.Kind, r.Mixer())
			}
		}
	}
}

func TestFailure(t *testing.T) {
	const want = "connection closed due to policy rejection: explicitly denied by: shop/no-web"
	const head = "2026-03-02T09:14:07.482113Z\terror\taccess\tconnection complete\tsrc.addr=10.8.2.3:41324 dst.addr=10.8.1.7:15008 "
	for _, row := range []struct{ line, want string }{
		{head + `direction="inbound" bytes_sent=0 bytes_recv=0 duration="0ms" error="` + want + `"`, want},
		{`{"level":"error","time":"2026-03-02T09:14:07.482113Z","scope":"access","message":"connection complete","src.addr":"10.8.2.3:41324","dst.addr":"10.8.1.7:15008","direction":"inbound","duration":"0ms","error":"` + want + `"}`, want},
		{head + `direction="inbound" bytes_sent=1 bytes_recv=2 duration="1ms"`, ""},
		{oldLine, ""},
	} {
		p := NewParser(Fields(Duration))
		block := append([]byte("\n"+row.line+"\n"), make([]byte, Padding)...)
		p.Reset(block[:len(block)-Padding])
		p.Next()
		if r, ok := p.Next(); !ok || r.Kind != Access || string(r.Failure()) != row.want {
			t.Errorf("%v %q, want %q: %s", r.Kind, r.Failure(), row.want, row.line)
		}
	}
}
