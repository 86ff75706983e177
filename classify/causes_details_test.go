package classify

import (
	"strings"
	"testing"

	"github.com/flagwatch/flagwatch/parser"
)

// detailRows are all response code details of Envoy's versions, each with code
// and flag as it is usually logged, under the cause that they lead to. Under
// "" stand those that only inform.
// Source: https://www.envoyproxy.io/docs/envoy/latest/configuration/http/http_conn_man/response_code_details
var detailRows = map[string]string{
	"": `200 - via_upstream
301 - direct_response@
302 - internal_redirect
200 - admin_filter_response
200 - lua_response
200 - cors_response
302 - oauth.race_redirect
302 - oauth.logged_in
302 - oauth.missing_credentials
302 - oauth.sign_out
200 RFCF cache.response_from_cache_filter
200 - cache.insert_via_upstream
200 - health_check_ok
200 - health_check_ok_cluster_healthy
200 - health_check_cached
307 - path_normalization_failed`,
	"upstream-5xx":                `503 - via_upstream`,
	"redirect-or-direct-response": `503 - direct_response`,
	"route-missing": `404 NR route_not_found
404 - cache_no_route`,
	"route-config-not-received": `404 - route_configuration_not_found`,
	"cluster-missing": `503 NC cluster_not_found
503 - no_cluster_found
503 - cache_no_cluster`,
	"no-endpoints":     `503 UH no_healthy_upstream`,
	"maintenance-mode": `503 UO maintenance_mode`,
	"drop-overload": `503 DO drop_overload
503 UDO unconditional_drop_overload`,
	"overload-manager": `503 - overload
500 DPE overload
200 OM overload
0 OM overload_error:Envoy_is_overloaded
503 OM upstream_reset_before_response_started{overload_manager_reset}`,
	"route-timeout": `504 UT response_timeout
504 UT upstream_response_timeout`,
	"per-try-timeout": `504 UT upstream_per_try_timeout
504 UT upstream_per_try_idle_timeout`,
	"max-stream-duration": `504 UMSDR upstream_max_stream_duration_reached
408 - upstream_max_stream_duration_reached
504 - max_duration_timeout
200 - max_duration_timeout`,
	"stream-idle-timeout": `408 SI stream_idle_timeout
504 - stream_idle_timeout
0 DC downstream_local_disconnect(on_idle_timeout)
0 DC downstream_local_disconnect(tcp_session_idle_timeout)`,
	"body-too-large": `413 - request_payload_too_large
500 - response_payload_too_large
507 - request_payload_exceeded_retry_buffer_limit
413 - connect_bridge_unary_request_too_large
500 - connect_bridge_unary_response_too_large`,
	"slow-client": `408 - request_overall_timeout
408 - request_header_timeout
408 - downstream_header_timeout
0 DC downstream_local_disconnect(transport_socket_timeout)`,
	"connection-max-age": `0 DT duration_timeout
0 - duration_timeout
0 DC downstream_local_disconnect(max_connection_duration_reached)
0 DC downstream_local_disconnect(duration_timeout)`,
	"http10-client": `426 DPE low_version
426 - low_version`,
	"malformed-request": `400 - missing_host_header
404 - missing_path_rejected
404 - invalid_path
404 - absolute_path_rejected
400 - path_normalization_failed
400 - early_connect_data
400 DPE http1.codec_error
400 DPE http1.invalid_characters
400 DPE http1.connection_header_rejected
400 DPE http1.invalid_url
400 DPE http1.invalid_scheme
501 DPE http1.invalid_transfer_encoding
400 DPE http1.body_disallowed
400 DPE http1.transfer_encoding_not_allowed
400 DPE http1.content_length_not_allowed
400 DPE http1.content_length_and_chunked_not_allowed
400 DPE http1.unexpected_underscore
400 DPE http.invalid_authority
400 DPE http.invalid_method
400 DPE http.invalid_path
400 DPE http.invalid_scheme
400 DPE codec_error:http/1.1_protocol_error:_HPE_INVALID_HEADER_TOKEN
400 DPE uhv.invalid_name_characters
400 DPE uhv.invalid_value_characters
400 DPE uhv.invalid_url
400 DPE uhv.invalid_host
400 DPE uhv.invalid_host_deprecated_user_info
400 DPE uhv.invalid_scheme
400 DPE uhv.invalid_method
400 DPE uhv.invalid_content_length
400 DPE uhv.unexpected_underscore
400 DPE uhv.invalid_status
400 DPE uhv.empty_header_name
400 DPE uhv.invalid_pseudo_header
400 DPE uhv.fragment_in_url_path
400 DPE uhv.escaped_slashes_in_url_path
400 DPE uhv.percent_00_in_url_path
400 DPE uhv.http1.transfer_encoding_not_allowed
400 DPE uhv.http1.content_length_not_allowed
307 DPE uhv.path_normalization_redirect
400 DF empty_host_header`,
	"https-url-on-plaintext": `403 DPE http1.https_url_on_plaintext_connection`,
	"request-headers-too-large": `431 DPE http1.too_many_headers
431 DPE http1.headers_too_large
0 DR http2.too_many_headers
0 DR http2.header_list_size_too_large
431 DPE http3.headers_too_large
431 DPE http3.too_many_headers
0 DPE http3.too_many_trailers`,
	"http2-downstream-violation": `0 DPE http2.invalid.header.field
0 DPE http2.violation.of.messaging.rule
0 DPE http2.unknown.nghttp2.error
0 DPE http2.unknown.oghttp2.error
0 DPE http2.outbound_frames_flood
0 DPE http2.inbound_empty_frames_flood
0 DR http2.unexpected_underscore
0 DPE http2.remote_reset
400 DPE http3.invalid_header_field
400 DPE http3.unexpected_underscore
0 DPE http3.inconsistent_content_length
0 - too_many_premature_resets
400 DPE uhv.http2.invalid_te
400 DPE uhv.http2.connection_header_rejected
0 DC downstream_local_disconnect(codec_error:Too_many_PRIORITY_frames)
0 DC downstream_local_disconnect(too_many_premature_resets)`,
	"websocket-upgrade-refused": `403 - upgrade_failed
200 - websocket_handshake_unsuccessful
400 DPE http.connect_not_supported`,
	"strict-header-invalid":    `400 IH request_headers_failed_strict_check{x-envoy-max-retries}`,
	"plaintext-to-strict-mtls": `0 NR filter_chain_not_found`,
	"client-disconnected": `0 DC downstream_remote_disconnect
0 DR http2.remote_refuse
0 DR http2.remote_reset
0 DR http3.remote_refuse
0 - http3.remote_reset`,
	"downstream-closed-locally": `0 DC downstream_local_disconnect
0 DC downstream_local_disconnect(close_for_connect_request_or_tcp_tunneling)
0 DC downstream_local_disconnect(http2_ping_timeout)
0 DC downstream_local_disconnect(http2_connection_protocol_violation)
0 DC downstream_local_disconnect(triggered_delayed_close_timeout)
0 DC downstream_local_disconnect(tcp_initializion_failure:0)
0 DC downstream_local_disconnect(Active_Internal_Listener_destructor)
0 DC downstream_local_disconnect(closing_upstream_tcp_connection_due_to_downstream_remote_close)
0 DC downstream_local_disconnect(closing_upstream_tcp_connection_due_to_downstream_local_close)
0 DC downstream_local_disconnect(closing_upstream_tcp_connection_due_to_downstream_reset_close)
0 DC downstream_local_disconnect(non_pooled_tcp_connection_host_health_failure)
0 DC downstream_local_disconnect(no_filters)
0 DC downstream_local_disconnect(failed_resuming_async_handshake)
0 DC downstream_local_disconnect(tcp_upstream_reset_stream)
0 DC downstream_local_disconnect(auth_digest_no_match)`,
	"drain-cut-connections": `0 DC downstream_local_disconnect(deferred_close_on_drained_connection)
0 DC downstream_local_disconnect(purging_socket_that_have_not_progressed_to_connections)`,
	"config-change-connection-drain": `0 DC downstream_local_disconnect(filter_chain_is_being_removed)`,
	"load-shed": `503 - reached_concurrency_limit
503 - denied_by_admission_control
0 DC downstream_local_disconnect(over_connection_limit)`,
	"upstream-connect-failed": `503 UF upstream_reset_before_response_started{remote_connection_failure}
503 UF upstream_reset_before_response_started{connection_failure}`,
	"local-connection-failure": `503 UF upstream_reset_before_response_started{local_connection_failure}`,
	"upstream-connect-timeout": `503 UF upstream_reset_before_response_started{connection_timeout}`,
	"upstream-refused": `503 UF upstream_reset_before_response_started{remote_connection_failure,delayed_connect_error:_111}
503 URX,UF upstream_reset_before_response_started{remote_connection_failure|delayed_connect_error:_Connection_refused}`,
	"upstream-cert-untrusted": `503 UF upstream_reset_before_response_started{remote_connection_failure|TLS_error:|268435581:SSL_routines:OPENSSL_internal:CERTIFICATE_VERIFY_FAILED:TLS_error_end}`,
	"upstream-closed": `503 UC upstream_reset_before_response_started{connection_termination}
503 - upstream_reset_before_response_started`,
	"local-reset": `503 LR upstream_reset_before_response_started{local_reset}
503 LR upstream_reset_before_response_started{local_reset|codec_error}
503 LR upstream_reset_before_response_started{local_refused_stream_reset}
503 LR upstream_reset_before_response_started{HTTP/1_premature_upstream_half_close}`,
	"circuit-breaker-overflow": `503 UO upstream_reset_before_response_started{overflow}`,
	"upstream-remote-reset": `503 UR upstream_reset_before_response_started{remote_reset}
503 UR upstream_reset_before_response_started{remote_refused_stream_reset}
503 UR upstream_reset_before_response_started{remote_error_with_CONNECT_request}`,
	"upstream-protocol-error": `502 UPE upstream_reset_before_response_started{protocol_error}`,
	"response-truncated": `200 UC upstream_reset_after_response_started{connection_termination}
200 UPE upstream_reset_after_response_started{protocol_error}
200 UR upstream_reset_after_response_started{remote_error_with_CONNECT_request}`,
	"fault-abort": `500 FI fault_filter_abort`,
	"rate-limited-global": `429 RL request_rate_limited
429 RL rate_limited_by_quota
0 DC downstream_local_disconnect(ratelimit_close_over_limit)`,
	"rate-limited-local": `429 RL local_rate_limited
0 DC downstream_local_disconnect(local_ratelimit_close_over_limit)`,
	"rate-limit-service-error": `500 RLSE rate_limiter_error
0 DC downstream_local_disconnect(ratelimit_error_failure_mode_connection_close)`,
	"ext-authz-denied": `403 UAEX ext_authz_denied
0 DC downstream_local_disconnect(ext_authz_close)`,
	"ext-authz-error": `403 UAEX ext_authz_error
500 UAEX ext_authz_invalid`,
	"rbac-denied": `403 - rbac_access_denied_matched_policy[none]
403 - rbac_access_denied
0 DC downstream_local_disconnect(rbac_deny_close)`,
	"jwt-missing": `401 - jwt_authn_access_denied{Jwt_is_missing}
401 - jwt_authn_access_denied`,
	"jwt-expired": `401 - jwt_authn_access_denied{Jwt_is_expired}`,
	"dns-failure": `503 DF dns_resolution_failure
503 UH dns_resolution_failure{cares_norecords:Domain_name_not_found}
503 DF dns_resolution_failure{resolve_timeout}
503 DF dns_resolution_timeout
503 DF dns_cache_overflow
503 DF dns_cache_pending_requests_overflow
503 DF dynamic_forward_proxy_pending_request_overflow
503 DF dynamic_forward_proxy_cluster_is_gone
503 DF sub_cluster_overflow
503 DF sub_cluster_warming_timeout`,
	"health-check-failed": `503 LH health_check_failed
503 LH health_check_cached
503 LH health_check_failed_no_cluster_found
503 LH health_check_failed_cluster_empty
503 LH health_check_failed_cluster_unhealthy`,
	"extension-not-loaded": `503 - wasm_fail_stream`,
	"extension-answered": `403 - rejecting_because_detection_failed
503 DPE filter_removed_required_headers
503 DPE filter_removed_required_request_headers{missing_required_header:_:path}
502 - filter_removed_required_response_headers{missing_required_header:_:status}
502 - filter_added_invalid_request_data
502 - filter_added_invalid_response_data
500 - lua_response
500 - admin_filter_response
401 - no_credential_for_basic_auth
401 - invalid_scheme_for_basic_auth
401 - invalid_format_for_basic_auth
401 - invalid_credential_for_basic_auth
401 - missing_key_sources
401 - missing_credentials
401 - missing_api_key
401 - unknown_api_key
401 - unkonwn_api_key
403 - client_not_allowed
401 - failed_to_inject_credential
403 - csrf_origin_mismatch
401 - oauth.missing_credentials
503 - OAuth2_secrets_are_not_ready
400 - grpc_base_64_decode_failed
400 - grpc_base_64_decode_failed_bad_size
400 - early_grpc_json_transcode_failure{BAD_REQUEST}
502 - grpc_json_transcode_failure{INVALID_ARGUMENT}
400 - early_grpc_json_reverse_transcode_failure{BAD_REQUEST}
500 - grpc_json_reverse_transcode_failure{INVALID_ARGUMENT}
200 - grpc_bridge_data_too_small
200 - grpc_bridge_content_type_wrong
200 - grpc_bridge_content_length_missing
200 - grpc_bridge_content_length_wrong
503 RFCF cache.response_from_cache_filter
503 - cache.aborted_lookup
503 - cache.aborted_headers
200 - cache.aborted_body
200 - cache.aborted_trailers
503 - cache_upstream_reset
500 - ext_proc_error_gRPC_error_14{upstream_connect_error{upstream_reset_before_response_started{overflow}}}
500 - ext_proc_error_HTTP_ERROR
504 - ext_proc_error_per-message_timeout_exceeded
0 - wasm_close_stream
400 - invalid_cdn_loop_header
502 - cdn_loop_detected
400 - mcp_filter_reject_no_mcp
400 - mcp_filter_not_jsonrpc
400 - mcp_filter_parse_error
400 - grpc_field_extraction_BAD_REQUEST{REQUEST_OUT_OF_DATA}
400 UAEX proto_message_extraction_BAD_REQUEST{REQUEST_OUT_OF_DATA}
403 - proto_api_scrubber_PERMISSION_DENIED
403 - no_checksum_for_path
403 - checksum_but_no_body
403 - mismatched_checksum
404 - reverse_tunnel_not_found
400 - reverse_tunnel_missing_headers
403 - reverse_tunnel_validation_failed
0 DC downstream_local_disconnect(wasm_downstream_close)
0 DC downstream_local_disconnect(go_upstream_close)
0 DC downstream_local_disconnect(ext_proc_grpc_error)`,
}

// Every row of Envoy's details leads to its cause, or is known to inform only.
func TestEveryDetailIsKnown(t *testing.T) {
	c := classifier(t)
	var all []string
	for cause, rows := range detailRows {
		for row := range strings.Lines(rows) {
			columns := strings.Fields(row)
			details, informs := strings.CutSuffix(columns[2], "@")
			all = append(all, details)
			line := when + `"GET /basket/7 ` + protocolOf(details) + `" ` + columns[0] + " " + columns[1] + " " + details +
				` - "-" 0 0 3 - "-" "okhttp/4.12.0" "-" "basket" "-" ` + basket + ` - 10.99.8.4:7070 10.62.3.18:47110 - default`
			v := c.Classify(record(t, line, parser.Access))
			if got := idOf(v.Cause); got != cause && !(informs && v.Severity == Info) {
				t.Errorf("%s: got %q, want %q", row, got, cause)
			}
			if v.Failed == (cause == "") {
				t.Errorf("%s: failed is %v", row, v.Failed)
			}
		}
	}
	for _, row := range refused {
		if !hasRow(all, row) {
			t.Errorf("no row for %s", row)
		}
	}
}

func hasRow(all []string, want string) bool {
	for _, details := range all {
		if rest, ok := strings.CutPrefix(details, want); ok && endsDetail(want, []byte(rest)) {
			return true
		}
	}
	return false
}

func protocolOf(details string) string {
	if strings.Contains(details, "http2") || strings.Contains(details, "http3") {
		return "HTTP/2"
	}
	return "HTTP/1.1"
}
