package classify

import (
	"testing"

	"github.com/flagwatch/flagwatch/parser"
)

// Expected values follow the definition of who answered: one record can tell
// the application from the next proxy only on an inbound line.
func TestAnsweredBy(t *testing.T) {
	for _, row := range []struct {
		name string
		line string
		want Answerer
	}{
		{"client's proxy", outbound(`200 - via_upstream - "-" 0 512 8 7`), Upstream},
		{"server's proxy", inbound(`200 - via_upstream - "-" 0 512 6 5`), Application},
		{"application error", inbound(`500 - via_upstream - "-" 0 9 4 4`), Application},
		{"upstream error", outbound(`503 - via_upstream - "-" 0 9 4 4`), Upstream},
		{"answered before the request ended", outbound(`413 - via_upstream - "-" 65536 9 4 -`), Upstream},
		{"retries used up", outbound(`503 URX via_upstream - "-" 0 9 88 4`), Upstream},
		{"retry refused", outbound(`500 UO via_upstream - "-" 0 9 4 4`), Upstream},
		{"into the cache", outbound(`200 - cache.insert_via_upstream - "-" 0 9 4 4`), Upstream},
		{"from the cache", refusedBy(`200 RFCF cache.response_from_cache_filter - "-" 0 512 0 3`), Proxy},
		{"redirect", refusedBy(`301 - direct_response - "-" 0 0 0 -`), Proxy},
		{"no route", refusedBy(`404 NR route_not_found - "-" 0 0 0 -`), Proxy},
		{"no endpoint", refusedBy(`503 UH no_healthy_upstream - "-" 0 19 0 -`), Proxy},
		{"no endpoint inbound", inbound(`503 UH no_healthy_upstream - "-" 0 19 0 -`), Proxy},
		{"refused", outbound(`503 UF upstream_reset_before_response_started{connection_timeout} - "-" 0 91 24 -`), Proxy},
		{"closed before the answer", outbound(`503 UC upstream_reset_before_response_started{connection_termination} - "-" 0 95 24 -`), Proxy},
		{"closed after 100 Continue", outbound(`503 UC upstream_reset_after_response_started{connection_termination} - "-" 0 95 24 -`), Proxy},
		{"gRPC refused", outbound(`200 UF upstream_reset_before_response_started{connection_timeout} - "-" 5 0 24 -`), Proxy},
		{"gRPC reset", outbound(`200 UR upstream_reset_before_response_started{remote_reset} - "-" 5 0 24 -`), Proxy},
		{"timeout", outbound(`504 UT response_timeout - "-" 0 24 15000 -`), Proxy},
		{"gRPC timeout", outbound(`200 UT response_timeout - "-" 5 0 15000 -`), Proxy},
		{"alternative code of a timeout", outbound(`204 UT response_timeout - "-" 0 0 15000 -`), Proxy},
		{"timeout in the body", outbound(`200 UT response_timeout - "-" 0 4096 15000 9`), Upstream},
		{"timeout in the body, no service time", outbound(`200 UT response_timeout - "-" 0 4096 15000 -`), Unknown},
		{"idle in the body", inbound(`200 SI stream_idle_timeout - "-" 0 4096 300000 9`), Application},
		{"cut in the body", outbound(`200 UPE upstream_reset_after_response_started{protocol_error} - "-" 0 4096 70 9`), Upstream},
		{"cut in the body inbound", inbound(`200 UPE upstream_reset_after_response_started{protocol_error} - "-" 0 4096 70 9`), Application},
		{"cut in the body, no service time", outbound(`200 UPE upstream_reset_after_response_started{protocol_error} - "-" 0 4096 70 -`), Unknown},
		{"client gone in the body", outbound(`200 DC downstream_remote_disconnect - "-" 0 4096 912 7`), Upstream},
		{"client gone in the body, no service time", outbound(`200 DC downstream_remote_disconnect - "-" 0 4096 912 -`), Unknown},
		{"client gone before", outbound(`0 DC downstream_remote_disconnect - "-" 0 0 912 -`), Nobody},
		{"websocket ended", outbound(`101 UC upstream_reset_after_response_started{connection_termination} - "-" 400 900 60012 -`), Unknown},
		{"authorizer's redirect", refusedBy(`302 UAEX ext_authz_denied - "-" 0 0 4 3`), Proxy},
		{"authorizer down", refusedBy(`403 UAEX ext_authz_error - "-" 0 0 4 -`), Proxy},
		{"rate limit", refusedBy(`429 RL local_rate_limited - "-" 0 18 0 -`), Proxy},
		{"denied", refusedBy(`403 - rbac_access_denied_matched_policy[none] - "-" 0 19 0 -`), Proxy},
		{"overload", refusedBy(`503 - overload - "-" 0 16 0 -`), Proxy},
		{"gRPC overload", refusedBy(`200 - overload - "-" 5 0 0 -`), Proxy},
		{"health check", refusedBy(`200 - health_check_ok - "-" 0 0 0 -`), Proxy},
		{"garbage", when + `"- - HTTP/1.1" 400 DPE http1.codec_error - "-" 0 11 0 - "-" "-" "-" "-" "-" - - 10.8.1.7:8080 10.8.2.3:41324 - -`, Proxy},
		{"handshake refused by the server", outbound(`200 - websocket_handshake_unsuccessful - "-" 0 40 6 5`), Upstream},
		{"gRPC idle, its status", object(`"response_code":200,"response_flags":"SI","response_code_details":"stream_idle_timeout","grpc_status":4,"bytes_sent":12`), Proxy},

		// layouts without details
		{"no details", plain(`200 - 0 512 8 7`, "10.8.1.7:8080"), Unknown},
		{"no details, 503", plain(`503 - 0 9 8 -`, "-"), Unknown},
		{"no details, UH", plain(`503 UH 0 19 0 -`, "-"), Proxy},
		{"no details, NR", plain(`404 NR 0 0 0 -`, "-"), Proxy},
		{"no details, URX UF", plain(`503 URX,UF 0 121 24 -`, "10.8.1.7:8080"), Proxy},
		{"no details, URX", plain(`503 URX 0 9 24 4`, "10.8.1.7:8080"), Unknown},
		{"no details, gRPC UF", plain(`200 UF 5 0 24 -`, "10.8.1.7:8080"), Proxy},
		{"no details, UC", plain(`503 UC 0 95 24 -`, "10.8.1.7:8080"), Proxy},
		{"no details, UC in the body", plain(`200 UC 0 4096 24 9`, "10.8.1.7:8080"), Upstream},
		{"no details, UC in the body, no service time", plain(`200 UC 0 4096 24 -`, "10.8.1.7:8080"), Unknown},
		{"no details, UT", plain(`504 UT 0 24 15000 -`, "10.8.1.7:8080"), Proxy},
		{"no details, DC in the body", plain(`200 DC 0 4096 24 9`, "10.8.1.7:8080"), Upstream},
		{"no details, DI", plain(`200 DI 0 512 3008 7`, "10.8.1.7:8080"), Unknown},
		{"no details, redirect of the authorizer", plain(`302 UAEX 0 0 4 3`, "-"), Proxy},

		// nobody
		{"TCP", tcp(`0 - - - "-" 431 1204 30012`, "10.8.3.9:3306"), Nobody},
		{"TCP refused", tcp(`0 UF,URX - - "-" 0 0 2`, "10.8.3.9:3306"), Nobody},
		{"no filter chain", tcp(`0 NR filter_chain_not_found - "-" 0 0 1`, "-"), Nobody},
		{"client's reset", outbound(`0 DR http2.remote_reset - "-" 0 0 55 -`), Nobody},
		{"start record", refusedBy(`0 - - - "-" 0 0 0 -`), Nobody},
		{"ztunnel has no code", ztunnel("info", `direction="inbound" bytes_sent=84 bytes_recv=158 duration="118ms"`), Unknown},
	} {
		t.Run(row.name, func(t *testing.T) {
			if got := AnsweredBy(record(t, row.line, parser.Access)); got != row.want {
				t.Errorf("answered by %v, want %v: %s", got, row.want, row.line)
			}
		})
	}
}

func TestAnswererNames(t *testing.T) {
	want := []string{"application", "upstream", "proxy", "nobody", "unknown"}
	for i, name := range want {
		if got := Answerer(i).String(); got != name {
			t.Errorf("answerer %d is %q, want %q", i, got, name)
		}
	}
	if int(NumAnswerers) != len(want) {
		t.Errorf("%d answerers, want %d", NumAnswerers, len(want))
	}
}
