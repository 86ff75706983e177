package classify

import (
	"testing"

	"github.com/flagwatch/flagwatch/parser"
)

// Expected values follow the rule for failures: flags, codes, gRPC statuses,
// details, code 0 and ztunnel's error, each with its exceptions.
func TestFailed(t *testing.T) {
	for _, row := range []struct {
		name string
		line string
		want bool
	}{
		// healthy
		{"ok", outbound(`200 - via_upstream - "-" 0 512 8 7`), false},
		{"ok inbound", inbound(`200 - via_upstream - "-" 0 512 6 5`), false},
		{"ok without details", plain(`200 - 0 512 8 7`, "10.8.1.7:8080"), false},
		{"created", outbound(`201 - via_upstream - "-" 88 0 12 12`), false},
		{"redirect of the application", outbound(`302 - via_upstream - "-" 0 0 3 3`), false},
		{"redirect of the route", refusedBy(`301 - direct_response - "-" 0 0 0 -`), false},
		{"path to be normalised", refusedBy(`307 - path_normalization_failed - "-" 0 0 0 -`), false},
		{"upgrade", outbound(`101 - via_upstream - "-" 40 90 60012 4`), false},
		{"health check", refusedBy(`200 - health_check_ok - "-" 0 0 0 -`), false},
		{"preflight", refusedBy(`200 - cors_response - "-" 0 0 0 -`), false},
		{"login redirect", refusedBy(`302 - oauth.missing_credentials - "-" 0 0 0 -`), false},
		{"from the cache", refusedBy(`200 RFCF cache.response_from_cache_filter - "-" 0 512 0 -`), false},
		{"delayed on purpose", outbound(`200 DI via_upstream - "-" 0 512 3008 7`), false},

		// codes
		{"application 404", outbound(`404 - via_upstream - "-" 0 9 4 4`), false},
		{"application 401", inbound(`401 - via_upstream - "-" 0 9 4 4`), false},
		{"404 without details", plain(`404 - 0 9 4 4`, "10.8.1.7:8080"), false},
		{"direct 404", refusedBy(`404 - direct_response - "-" 0 0 0 -`), false},
		{"cached 404", refusedBy(`404 RFCF cache.response_from_cache_filter - "-" 0 9 0 -`), false},
		{"404 passed on into the cache", outbound(`404 - cache.insert_via_upstream - "-" 0 9 4 4`), false},
		{"application 500", inbound(`500 - via_upstream - "-" 0 9 4 4`), true},
		{"500 without details", plain(`500 - 0 9 4 4`, "10.8.1.7:8080"), true},
		{"direct 502", refusedBy(`502 - direct_response - "-" 0 0 0 -`), true},
		{"delayed 503", outbound(`503 DI via_upstream - "-" 0 9 3004 4`), true},
		{"odd code", outbound(`999 - via_upstream - "-" 0 9 4 4`), true},

		// flags
		{"no route", refusedBy(`404 NR route_not_found - "-" 0 0 0 -`), true},
		{"no endpoint", refusedBy(`503 UH no_healthy_upstream - "-" 0 19 0 -`), true},
		{"refused", outbound(`503 URX,UF upstream_reset_before_response_started{remote_connection_failure|delayed_connect_error:_Connection_refused} - "delayed_connect_error:_Connection_refused" 0 121 24 -`), true},
		{"retries used up", outbound(`503 URX via_upstream - "-" 0 9 88 4`), true},
		{"client gone", outbound(`0 DC downstream_remote_disconnect - "-" 0 0 912 -`), true},
		{"client gone in the body", outbound(`200 DC downstream_remote_disconnect - "-" 0 40960 912 7`), true},
		{"client resets", outbound(`0 DR http2.remote_reset - "-" 0 0 55 -`), true},
		{"upstream closes in the body", outbound(`200 UC upstream_reset_after_response_started{connection_termination} - "-" 0 4096 70 9`), true},
		{"gRPC without endpoint", refusedBy(`200 UH no_healthy_upstream - "-" 5 0 0 -`), true},
		{"fault injected", refusedBy(`500 FI fault_filter_abort - "-" 0 18 0 -`), true},
		{"delayed and refused", outbound(`503 DI,UF upstream_reset_before_response_started{connection_timeout} - "-" 0 91 4001 -`), true},
		{"unknown flag", outbound(`200 XYZ via_upstream - "-" 0 512 8 7`), true},

		// flags that are no failure
		{"websocket ended by the client", outbound(`101 DC downstream_remote_disconnect - "-" 400 900 60012 -`), false},
		{"websocket ended by the server", outbound(`101 UC upstream_reset_after_response_started{connection_termination} - "-" 400 900 60012 -`), false},
		{"websocket reset", outbound(`101 DR http2.remote_reset - "-" 400 900 60012 -`), false},
		{"websocket idle", outbound(`101 SI stream_idle_timeout - "-" 400 900 300001 -`), true},
		{"part of a film", outbound(`206 DC downstream_remote_disconnect - "-" 0 1048576 3300 12`), false},
		{"part of a film, reset", outbound(`206 DR http2.remote_reset - "-" 0 1048576 3300 12`), false},
		{"part of a film, server gone", outbound(`206 UC upstream_reset_after_response_started{connection_termination} - "-" 0 1048576 3300 12`), true},
		{"login by the authorizer", refusedBy(`302 UAEX ext_authz_denied - "-" 0 0 4 -`), false},
		{"denied by the authorizer", refusedBy(`403 UAEX ext_authz_denied - "-" 0 0 4 -`), true},
		{"limiter down, passed", outbound(`200 RLSE via_upstream - "-" 0 512 8 7`), false},
		{"limiter down, refused", refusedBy(`500 RLSE rate_limiter_error - "-" 0 0 8 -`), true},
		{"limiter down, 404", outbound(`404 RLSE via_upstream - "-" 0 9 8 7`), true},

		// details
		{"limit of duration in the body", outbound(`200 - max_duration_timeout - "-" 0 4096 5000 7`), true},
		{"gRPC overload", refusedBy(`200 - overload - "-" 5 0 0 -`), true},
		{"gRPC denied", refusedBy(`200 - rbac_access_denied_matched_policy[none] - "-" 5 0 0 -`), true},
		{"gRPC without token", refusedBy(`200 - jwt_authn_access_denied{Jwt_is_missing} - "-" 5 0 0 -`), true},
		{"handshake refused", outbound(`200 - websocket_handshake_unsuccessful - "-" 0 40 6 5`), true},
		{"client reset before the flag existed", outbound(`200 - http2.remote_reset - "-" 0 4096 60 7`), true},
		{"part of a film before the flag existed", outbound(`206 - http2.remote_reset - "-" 0 4096 60 7`), false},
		{"name of a plugin's detail", refusedBy(`200 - overloaded_but_served - "-" 0 4096 60 -`), false},
		{"denied by policy", refusedBy(`403 - rbac_access_denied_matched_policy[ns[shop]-policy[deny-all]-rule[0]] - "-" 0 19 0 -`), true},
		{"old HTTP", refusedBy(`426 - low_version - "-" 0 0 0 -`), true},
		{"too large", refusedBy(`413 - request_payload_too_large - "-" 1048576 17 4 -`), true},
		{"no API key", refusedBy(`401 - missing_api_key - "-" 0 29 0 -`), true},
		{"a plugin's 4xx", refusedBy(`418 - my_plugin_says_no - "-" 0 0 0 -`), true},
		{"header timeout", refusedBy(`408 - request_header_timeout - "-" 0 7 10000 -`), true},
		{"no client side protocol", when + `"- - HTTP/1.1" 400 DPE http1.codec_error - "-" 0 11 0 - "-" "-" "-" "-" "-" - - 10.8.1.7:8080 10.8.2.3:41324 - -`, true},

		// code 0
		{"TCP", tcp(`0 - - - "-" 431 1204 30012`, "10.8.3.9:3306"), false},
		{"start record", refusedBy(`0 - - - "-" 0 0 0 -`), false},
		{"TCP refused", tcp(`0 UF,URX - - "delayed_connect_error:_Connection_refused" 0 0 2`, "10.8.3.9:3306"), true},
		{"TCP refused at first", tcp(`0 UF - - "delayed_connect_error:_Connection_refused" 431 1204 30012`, "10.8.3.9:3306"), false},
		{"TCP refused, nothing came back", tcp(`0 UF - - "delayed_connect_error:_Connection_refused" 431 0 12`, "10.8.3.9:3306"), true},
		{"TCP refused, no host", tcp(`0 UF - - "-" 431 1204 12`, "-"), true},
		{"TCP reset", tcp(`0 UR - - "-" 431 12 44`, "10.8.3.9:3306"), true},
		{"TCP too old", tcp(`0 DT - - "-" 431 12 3600000`, "10.8.3.9:3306"), true},
		{"TCP denied", tcp(`0 - - rbac_access_denied_matched_policy[none] "-" 0 0 0`, "10.8.3.9:3306"), true},
		{"TCP too slow", tcp(`0 - - transport socket timeout was reached "-" 0 0 15000`, "-"), true},
		{"TCP authorizer", tcp(`0 UAEX ext_authz_denied - "-" 0 0 3`, "10.8.3.9:3306"), true},
		{"no filter chain", tcp(`0 NR filter_chain_not_found - "-" 0 0 1`, "-"), true},
		{"transport reason without flag", tcp(`0 - - - "TLS_error:|268435581:SSL_routines:OPENSSL_internal:CERTIFICATE_VERIFY_FAILED:TLS_error_end" 0 0 9`, "10.8.3.9:3306"), true},
		{"rapid reset", refusedBy(`0 - too_many_premature_resets - "-" 0 0 9 -`), true},
		{"handshake of the client", object(`"response_code":0,"response_flags":"-","response_code_details":null,"downstream_transport_failure_reason":"TLS_error:|268435703:SSL_routines:OPENSSL_internal:WRONG_VERSION_NUMBER:TLS_error_end"`), true},
		{"TCP in JSON", object(`"response_code":0,"response_flags":"-","response_code_details":null,"bytes_received":10,"bytes_sent":20`), false},

		// gRPC
		{"gRPC ok", object(`"response_code":200,"response_flags":"-","response_code_details":"via_upstream","grpc_status":0`), false},
		{"gRPC OK by name", object(`"response_code":200,"response_flags":"-","response_code_details":"via_upstream","grpc_status":"OK"`), false},
		{"gRPC unavailable", object(`"response_code":200,"response_flags":"-","response_code_details":"via_upstream","grpc_status":14`), true},
		{"gRPC Unavailable", object(`"response_code":200,"response_flags":"-","response_code_details":"via_upstream","grpc_status":"Unavailable"`), true},
		{"gRPC DEADLINE_EXCEEDED", object(`"response_code":200,"response_flags":"-","response_code_details":"via_upstream","grpc_status":"DEADLINE_EXCEEDED"`), true},
		{"gRPC 13 as a double", object(`"response_code":200,"response_flags":"-","response_code_details":"via_upstream","grpc_status":13.0`), true},
		{"gRPC NotFound", object(`"response_code":200,"response_flags":"-","response_code_details":"via_upstream","grpc_status":5`), false},
		{"gRPC Cancelled", object(`"response_code":200,"response_flags":"-","response_code_details":"via_upstream","grpc_status":"CANCELLED"`), false},
		{"gRPC denied by the route", object(`"response_code":200,"response_flags":"-","response_code_details":"direct_response","grpc_status":7`), true},
		{"gRPC denied by the application", object(`"response_code":200,"response_flags":"-","response_code_details":"via_upstream","grpc_status":7`), false},
		{"gRPC unknown number", object(`"response_code":200,"response_flags":"-","response_code_details":"via_upstream","grpc_status":77`), false},
		{"gRPC no status", object(`"response_code":200,"response_flags":"-","response_code_details":"via_upstream","grpc_status":null`), false},

		// ztunnel
		{"ztunnel", ztunnel("info", `direction="outbound" bytes_sent=84 bytes_recv=158 duration="118ms"`), false},
		{"ztunnel error", ztunnel("error", `direction="inbound" bytes_sent=0 bytes_recv=0 duration="0ms" error="connection closed due to policy rejection"`), true},
		{"ztunnel JSON", `{"level":"info","time":"2026-03-02T09:14:07.482113Z","scope":"access","message":"connection complete","src.addr":"10.8.2.3:41324","dst.addr":"10.8.1.7:15008","direction":"outbound","bytes_sent":84,"bytes_recv":158,"duration":"118ms"}`, false},
		{"ztunnel JSON error", `{"level":"error","time":"2026-03-02T09:14:07.482113Z","scope":"access","message":"connection complete","src.addr":"10.8.2.3:41324","dst.addr":"10.8.1.7:15008","direction":"outbound","bytes_sent":0,"bytes_recv":0,"duration":"10002ms","error":"deadline has elapsed"}`, true},
	} {
		t.Run(row.name, func(t *testing.T) {
			if got := Failed(record(t, row.line, parser.Access)); got != row.want {
				t.Errorf("failed = %v, want %v: %s", got, row.want, row.line)
			}
		})
	}
}

// What is no access record has no request that could have failed.
func TestFailedIsAboutRequests(t *testing.T) {
	for line, kind := range map[string]parser.Kind{
		"ERROR something of an application":                                               parser.Noise,
		"2026-03-02T09:14:07.482113Z\terror\tcitadelclient\tFailed to create certificate": parser.Event,
	} {
		if r := record(t, line, kind); Failed(r) || AnsweredBy(r) != Unknown {
			t.Errorf("failed or answered: %s", line)
		}
	}
}

func TestIsRefused(t *testing.T) {
	for details, want := range map[string]bool{
		"route_not_found": true, "route_not_foundation": false, "http1.codec_error": true, "uhv.invalid_url": true,
		"codec_error:http/1.1_protocol_error:_HPE_INVALID_METHOD":                        true,
		"ext_proc_error_gRPC_error_14{upstream_reset_before_response_started{overflow}}": true,
		"downstream_local_disconnect(http2_ping_timeout)":                                true,
		"upstream_reset_before_response_started":                                         true,
		"upstream_reset_before_response_started{connection termination}":                 true,
		"filter_removed_required_request_headers{missing_required_header:_:path}":        true,
		"jwt_authn_access_denied{Jwt_is_expired}":                                        true,
		"via_upstream": false, "direct_response": false, "internal_redirect": false, "health_check_ok": false, "": false,
	} {
		if got := isRefused([]byte(details)); got != want {
			t.Errorf("%q: refused = %v, want %v", details, got, want)
		}
	}
}

// Neither function may allocate, whatever the record.
func TestNoAllocations(t *testing.T) {
	for _, line := range []string{
		outbound(`200 - via_upstream - "-" 0 512 8 7`),
		outbound(`503 URX,UF upstream_reset_before_response_started{connection_timeout} - "-" 0 91 24 -`),
		refusedBy(`200 - overload - "-" 5 0 0 -`),
		tcp(`0 UF - - "delayed_connect_error:_Connection_refused" 431 1204 30012`, "10.8.3.9:3306"),
		object(`"response_code":200,"response_flags":"-","response_code_details":"via_upstream","grpc_status":"PERMISSION_DENIED"`),
		ztunnel("error", `direction="inbound" bytes_sent=0 bytes_recv=0 duration="0ms" error="x"`),
	} {
		r := record(t, line, parser.Access)
		if n := testing.AllocsPerRun(100, func() { Failed(r); AnsweredBy(r) }); n != 0 {
			t.Errorf("%v allocations: %s", n, line)
		}
	}
}

func BenchmarkFailedHealthy(b *testing.B) {
	line := outbound(`200 - via_upstream - "-" 0 512 8 7`)
	block := append(make([]byte, 0, len(line)+1+parser.Padding), line+"\n"...)
	p := parser.NewParser(FailedFields)
	p.Reset(block)
	r, _ := p.Next()
	for b.Loop() {
		Failed(r)
	}
}
