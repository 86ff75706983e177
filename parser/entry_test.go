package parser

import (
	"strings"
	"testing"
)

// An entry of the access log service is the record that its proxy would have
// written, in either spelling of its members, on one line or laid out.
func TestEntry(t *testing.T) {
	const entry = `{"common_properties":{"start_time":"2026-07-02T11:20:01.004Z","duration":"0.012s","upstream_remote_address":{"socket_address":{"address":"10.61.4.8","port_value":7080}},"upstream_cluster":"outbound|7080||berths.harbor.svc.cluster.local",` +
		`"response_flags":{"upstream_connection_failure":true,"upstream_retry_limit_exceeded":true,"failed_local_healthcheck":false},"upstream_transport_failure_reason":"say \"no\""},"protocol_version":"HTTP11","request":{"request_method":"GET","path":"/berths/4","authority":"berths"},"response":{"response_code":503,"response_code_details":"upstream_reset_before_response_started{x}"}}`
	const want = `503 UF,URX|GET|/berths/4|HTTP/1.1|upstream_reset_before_response_started{x}|10.61.4.8:7080|12|say "no"`
	var camel []byte
	for i := 0; i < len(entry); i++ {
		if entry[i] == '_' && !strings.HasPrefix(entry[i:], "_reset") && !strings.HasPrefix(entry[i:], "_before") && !strings.HasPrefix(entry[i:], "_response_started") && !strings.HasPrefix(entry[i:], "_started") {
			i++
			camel = append(camel, entry[i]-'a'+'A')
			continue
		}
		camel = append(camel, entry[i])
	}
	fields := []Field{Method, Path, Protocol, ResponseCodeDetails, UpstreamHost, Duration, UpstreamTransportFailureReason}
	for _, text := range []string{entry, string(camel), strings.NewReplacer(`,"`, ",\n  \"", `{"`, "{\n  \"").Replace(entry)} {
		if got := outcomes(t, text+"\n", fields...); got != want {
			t.Errorf("%s\ngot  %s\nwant %s", text, got, want)
		}
	}
	for text, want := range map[string]string{
		`{"common_properties":{"upstream_cluster":"db","response_flags":{"unauthorized_details":{"reason":"EXTERNAL_SERVICE"}}},"connection_properties":{"received_bytes":"7"}}`: "0 UAEX|7",
		`{"common_properties":{"upstream_remote_address":{"pipe":{"path":"/run/a.sock"}}},"response":{"response_code":200}}`:                                                     "200 |",
		`{"common_properties":{"team":"harbor"},"name":"x"}`: "",
	} {
		if got := outcomes(t, text+"\n", BytesReceived); got != want {
			t.Errorf("%s\ngot  %s\nwant %s", text, got, want)
		}
	}
}

// Every flag is known by the name that an entry has for it.
func TestEntryFlags(t *testing.T) {
	for name, want := range map[string]string{
		"failed_local_healthcheck": "LH", "no_healthy_upstream": "UH", "upstream_request_timeout": "UT", "local_reset": "LR", "upstream_remote_reset": "UR", "upstream_connection_termination": "UC",
		"upstream_overflow": "UO", "no_route_found": "NR", "delay_injected": "DI", "fault_injected": "FI", "rate_limited": "RL", "rate_limit_service_error": "RLSE", "downstream_connection_termination": "DC",
		"stream_idle_timeout": "SI", "invalid_envoy_request_headers": "IH", "downstream_protocol_error": "DPE", "upstream_max_stream_duration_reached": "UMSDR", "response_from_cache_filter": "RFCF",
		"no_filter_config_found": "NFCF", "duration_timeout": "DT", "upstream_protocol_error": "UPE", "no_cluster_found": "NC", "overload_manager": "OM", "dns_resolution_failure": "DF", "downstream_remote_reset": "DR",
	} {
		text := `{"common_properties":{"response_flags":{"` + name + `":true}},"response":{"response_code":503}}`
		if got := outcomes(t, text+"\n"); got != "503 "+want {
			t.Errorf("%s: %s, want %s", name, got, want)
		}
	}
}
