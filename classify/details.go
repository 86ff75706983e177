package classify

import "bytes"

// refused are the response code details with which a proxy says that it
// refused a request, gave up on it, or saw it break off. A detail that takes a
// parameter in brackets or after a colon is listed without it; a row that ends
// in a dot stands for a family.
// Source: https://www.envoyproxy.io/docs/envoy/latest/configuration/http/http_conn_man/response_code_details
var refused = []string{
	// routing
	"route_not_found", "route_configuration_not_found", "cluster_not_found", "no_healthy_upstream", "maintenance_mode",
	"drop_overload", "unconditional_drop_overload", "filter_chain_not_found", "no_cluster_found",
	"cache_no_route", "cache_no_cluster", "cache_upstream_reset",
	"cache.aborted_lookup", "cache.aborted_headers", "cache.aborted_body", "cache.aborted_trailers",
	"dns_resolution_failure", "dns_resolution_timeout", "dns_cache_overflow", "dns_cache_pending_requests_overflow",
	"dynamic_forward_proxy_pending_request_overflow", "dynamic_forward_proxy_cluster_is_gone",
	"sub_cluster_overflow", "sub_cluster_warming_timeout", "empty_host_header",
	// limits
	"overload", "overload_error", "response_timeout", "upstream_response_timeout", "upstream_per_try_timeout",
	"upstream_per_try_idle_timeout", "upstream_max_stream_duration_reached", "request_payload_too_large",
	"response_payload_too_large", "request_payload_exceeded_retry_buffer_limit", "stream_idle_timeout",
	"request_overall_timeout", "request_header_timeout", "downstream_header_timeout", "max_duration_timeout",
	"duration_timeout", "reached_concurrency_limit", "denied_by_admission_control", "too_many_premature_resets",
	"connect_bridge_unary_request_too_large", "connect_bridge_unary_response_too_large",
	// what the client sent
	"low_version", "missing_host_header", "missing_path_rejected", "invalid_path", "absolute_path_rejected",
	"path_normalization_failed", "rejecting_because_detection_failed", "upgrade_failed", "websocket_handshake_unsuccessful",
	"early_connect_data", "request_headers_failed_strict_check", "codec_error", "http.", "http1.", "http2.", "http3.", "uhv.",
	"grpc_base_64_decode_failed", "grpc_base_64_decode_failed_bad_size", "grpc_bridge_data_too_small",
	"grpc_bridge_content_type_wrong", "grpc_bridge_content_length_missing", "grpc_bridge_content_length_wrong",
	"early_grpc_json_transcode_failure", "grpc_json_transcode_failure", "early_grpc_json_reverse_transcode_failure",
	"grpc_json_reverse_transcode_failure", "invalid_cdn_loop_header", "cdn_loop_detected",
	"mcp_filter_reject_no_mcp", "mcp_filter_not_jsonrpc", "mcp_filter_parse_error",
	"no_checksum_for_path", "checksum_but_no_body", "mismatched_checksum",
	// policy
	"rbac_access_denied", "rbac_access_denied_matched_policy", "jwt_authn_access_denied", "ext_authz_denied", "ext_authz_error",
	"ext_authz_invalid", "request_rate_limited", "rate_limiter_error", "local_rate_limited", "rate_limited_by_quota",
	"no_credential_for_basic_auth", "invalid_scheme_for_basic_auth", "invalid_format_for_basic_auth",
	"invalid_credential_for_basic_auth", "missing_key_sources", "missing_credentials", "missing_api_key", "unknown_api_key",
	"unkonwn_api_key", "client_not_allowed", "failed_to_inject_credential", "csrf_origin_mismatch", "fault_filter_abort",
	// filters
	"filter_removed_required_headers", "filter_removed_required_request_headers", "filter_removed_required_response_headers",
	"filter_added_invalid_request_data", "filter_added_invalid_response_data", "wasm_close_stream", "wasm_fail_stream",
	"ext_proc_error_gRPC_error_", "ext_proc_error_HTTP_ERROR", "ext_proc_error_per-message_timeout_exceeded",
	"health_check_failed", "health_check_failed_no_cluster_found", "health_check_failed_cluster_empty",
	"health_check_failed_cluster_unhealthy", "reverse_tunnel_not_found", "reverse_tunnel_missing_headers",
	"reverse_tunnel_validation_failed",
	// streams that broke off
	"upstream_reset_before_response_started", "upstream_reset_after_response_started",
	"downstream_remote_disconnect", "downstream_local_disconnect",
}

// isRefused says whether the details are in the list.
func isRefused(details []byte) bool {
	for _, row := range refused {
		if len(details) >= len(row) && string(details[:len(row)]) == row && endsDetail(row, details[len(row):]) {
			return true
		}
	}
	return false
}

// endsDetail says whether what follows a row of the list is its parameter.
func endsDetail(row string, rest []byte) bool {
	last := row[len(row)-1]
	return len(rest) == 0 || last == '.' || last == '_' || bytes.IndexByte([]byte("{[(:"), rest[0]) >= 0
}

// clientLeft says whether the details tell that the client ended the stream.
func clientLeft(details []byte) bool {
	switch string(details) {
	case "downstream_remote_disconnect", "http2.remote_reset", "http2.remote_refuse", "http3.remote_reset", "http3.remote_refuse":
		return true
	}
	return false
}

// denials are the words of connection termination details that name a denial,
// a timeout or a failure.
// Source: https://www.envoyproxy.io/docs/envoy/latest/configuration/observability/access_log/usage#command-operators
var denials = []string{"denied", "deny", "timeout", "timed out", "fail", "error", "refused", "rejected"}

// isDenial says whether termination details name one.
func isDenial(details []byte) bool {
	for _, word := range denials {
		if bytes.Contains(details, []byte(word)) {
			return true
		}
	}
	return false
}
