package classify

import (
	"slices"
	"strings"
	"testing"

	"github.com/flagwatch/flagwatch/parser"
)

// terminated puts connection termination details into a record.
func terminated(h hop, text string) string {
	return strings.Replace(h.istio(), ` - "`+dash(h.reason)+`" `, ` `+text+` "`+dash(h.reason)+`" `, 1)
}

// forwarded is the record of a request that a load balancer forwarded.
func forwarded(line string) string {
	return strings.Replace(line, `"-" "okhttp`, `"198.51.100.7" "okhttp`, 1)
}

// handshakeError is the text of a TLS failure in recent and in older versions.
func handshakeError(name string) string {
	return "TLS_error:|268435610:SSL_routines:OPENSSL_internal:" + name + ":TLS_error_end"
}

func oldHandshakeError(name string) string {
	return "TLS error: 268435610:SSL routines:OPENSSL_internal:" + name
}

// handshake is a listener's record of a handshake that failed.
func handshake(reason string) hop {
	return hop{method: "tcp", took: 3, local: "10.62.9.4:8443", downstream: reason}
}

// unread is a request of which nothing could be read.
func unread(code int, flags, details string) string {
	h := hop{code: code, flags: flags, details: details, local: "203.0.113.40:443"}
	return strings.Replace(h.istio(), "GET /basket/7 HTTP/1.1", "- - HTTP/1.1", 1)
}

func handshakeRecords() []ruled {
	inbound := func(reason string) string {
		return with(handshake(reason), func(h *hop) { h.cluster, h.local = "inbound|5432||", "10.62.6.2:5432" }).object()
	}
	return []ruled{
		{handshake("TLS_error:_Secret_is_not_supplied_by_SDS").object(), "workload-cert-not-issued", ""},
		{handshake("TLS error: Secret is not supplied by SDS").object(), "workload-cert-not-issued", ""},
		{inbound(handshakeError("HTTP_REQUEST")), "plaintext-to-strict-mtls", "http-to-https-port"},
		{inbound(handshakeError("WRONG_VERSION_NUMBER")), "plaintext-to-strict-mtls", "http-to-https-port"},
		{handshake(handshakeError("HTTP_REQUEST")).object(), "http-to-https-port", "plaintext-to-strict-mtls"},
		{handshake(oldHandshakeError("HTTP_REQUEST")).object(), "http-to-https-port", "plaintext-to-strict-mtls"},
		{handshake(handshakeError("HTTPS_PROXY_REQUEST")).object(), "http-to-https-port", "plaintext-to-strict-mtls"},
		{handshake(handshakeError("CERTIFICATE_VERIFY_FAILED:verify_cert_failed:_X509_verify_cert:_certificate_verification_error_at_depth_0:_certificate_has_expired")).object(), "certificate-expired", ""},
		{handshake(handshakeError("SSLV3_ALERT_CERTIFICATE_EXPIRED")).object(), "certificate-expired", ""},
		{handshake(handshakeError("CERTIFICATE_VERIFY_FAILED:verify_cert_failed:_X509_verify_cert:_certificate_verification_error_at_depth_0:_certificate_is_not_yet_valid")).object(), "clock-skew", "certificate-expired"},
		{handshake(handshakeError("CERTIFICATE_VERIFY_FAILED:verify_cert_failed:_X509_verify_cert:_certificate_verification_error_at_depth_0:_certificate_revoked")).object(), "certificate-revoked", ""},
		{handshake(handshakeError("CERTIFICATE_VERIFY_FAILED")).object(), "downstream-cert-refused", ""},
		{handshake(handshakeError("PEER_DID_NOT_RETURN_A_CERTIFICATE:peer_did_not_provide_required_client_certificate")).object(), "downstream-cert-refused", ""},
		{handshake(oldHandshakeError("PEER_DID_NOT_RETURN_A_CERTIFICATE")).object(), "downstream-cert-refused", ""},
		{handshake(handshakeError("TLSV1_ALERT_UNKNOWN_CA")).object(), "served-cert-refused", ""},
		{handshake(handshakeError("SSLV3_ALERT_BAD_CERTIFICATE")).object(), "served-cert-refused", ""},
		{handshake(handshakeError("SSLV3_ALERT_CERTIFICATE_UNKNOWN")).object(), "served-cert-refused", ""},
		{handshake("TLS_error:|268435610:SSL_routines:OPENSSL_internal:BAD_PACKET_LENGTH|268435603:SSL_routines:OPENSSL_internal:DECRYPTION_FAILED_OR_BAD_RECORD_MAC:TLS_error_end").object(), "served-cert-refused", "downstream-tls-failed"},
		{handshake("TLS_error:|33554536:system_library:OPENSSL_internal:Connection_reset_by_peer:TLS_error_end").object(), "client-disconnected", "downstream-tls-failed served-cert-refused"},
		{handshake(handshakeError("UNSUPPORTED_PROTOCOL")).object(), "downstream-tls-failed", "tls-params-mismatch"},
		{handshake(handshakeError("NO_SHARED_CIPHER")).object(), "downstream-tls-failed", "tls-params-mismatch"},
		{handshake(handshakeError("WRONG_VERSION_NUMBER")).object(), "downstream-tls-failed", "http-to-https-port served-cert-refused"},
		{terminated(connection("", 15001), "transport socket timeout was reached"), "slow-client", "downstream-tls-failed"},
	}
}

func partingRecords() []ruled {
	local := func(reason string) string {
		return out(0, "DC", "downstream_local_disconnect("+reason+")", 31).istio()
	}
	left := func(took int) hop { return out(0, "DC", "downstream_remote_disconnect", took) }
	reset := func(flags, details string) string {
		return with(out(0, flags, details, 55), func(h *hop) { h.proto = "HTTP/2" }).istio()
	}
	return []ruled{
		{local("transport_socket_timeout"), "slow-client", "downstream-tls-failed"},
		{local("duration_timeout"), "connection-max-age", ""},
		{local("max_connection_duration_reached"), "connection-max-age", ""},
		{out(0, "", "duration_timeout", 3600000).istio(), "connection-max-age", ""},
		{local("filter_chain_is_being_removed"), "config-change-connection-drain", "drain-cut-connections"},
		{local("purging_socket_that_have_not_progressed_to_connections"), "drain-cut-connections", "config-change-connection-drain"},
		{with(out(200, "DC", "downstream_local_disconnect(purging_socket_that_have_not_progressed_to_connections)", 900), func(h *hop) { h.served = "4" }).object(), "drain-cut-connections", "config-change-connection-drain"},
		{local("deferred_close_on_drained_connection"), "drain-cut-connections", "config-change-connection-drain"},
		{local("on_idle_timeout"), "stream-idle-timeout", ""},
		{local("tcp_session_idle_timeout"), "stream-idle-timeout", ""},
		{local("codec_error:Too_many_PRIORITY_frames"), "http2-downstream-violation", "malformed-request"},
		{local("too_many_premature_resets"), "http2-downstream-violation", "malformed-request"},
		{local("http2_connection_protocol_violation"), "downstream-closed-locally", "http2-downstream-violation"},
		{local("wasm_downstream_close"), "extension-answered", "downstream-closed-locally"},
		{local("ext_proc_close_requested"), "extension-answered", "downstream-closed-locally"},
		{local("http2_ping_timeout"), "downstream-closed-locally", "drain-cut-connections config-change-connection-drain"},
		{local("close_for_connect_request_or_tcp_tunneling"), "downstream-closed-locally", "drain-cut-connections config-change-connection-drain"},
		{local("triggered_delayed_close_timeout"), "downstream-closed-locally", "drain-cut-connections config-change-connection-drain"},
		{out(0, "DC", "downstream_local_disconnect", 31).object(), "downstream-closed-locally", "drain-cut-connections config-change-connection-drain"},
		{local("rbac_deny_close"), "rbac-denied", ""},
		{local("ext_authz_close"), "ext-authz-denied", ""},
		{local("local_ratelimit_close_over_limit"), "rate-limited-local", ""},
		{local("ratelimit_close_over_limit"), "rate-limited-global", ""},
		{local("ratelimit_error_failure_mode_connection_close"), "rate-limit-service-error", ""},
		{local("over_connection_limit"), "load-shed", ""},

		{out(408, "", "request_overall_timeout", 30001).istio(), "slow-client", ""},
		{out(200, "", "request_header_timeout", 10001).istio(), "slow-client", ""}, // gRPC
		{out(504, "", "max_duration_timeout", 15000).istio(), "max-stream-duration", "route-timeout"},
		{with(out(200, "", "max_duration_timeout", 15000), func(h *hop) { h.sent, h.served = 4096, "7" }).object(), "max-stream-duration", "route-timeout"},

		{left(4998).istio(), "client-disconnected", ""},
		{left(4998).object(), "client-disconnected", ""},
		{with(left(4998), func(h *hop) { h.code, h.sent, h.served = 200, 40960, "9" }).istio(), "client-disconnected", ""},
		{with(left(40), func(h *hop) { h.code = 100 }).istio(), "client-disconnected", ""},
		{with(left(2007), func(h *hop) { h.flags = "DI,DC" }).istio(), "client-disconnected", ""},
		{in(0, "DC", "downstream_remote_disconnect", 497).istio(), "client-disconnected", ""},
		{out(0, "", "downstream_remote_disconnect", 497).istio(), "client-disconnected", ""}, // before the flag was set
		{with(left(1000), func(h *hop) { h.upLocal = "" }).istio(), "client-disconnected", "upstream-connect-timeout"},
		{strings.Replace(in(0, "DC", "downstream_remote_disconnect", 8000).istio(), "GET /basket/7 HTTP", "- - HTTP", 1), "client-disconnected", "tcp-on-http-named-port"},
		{forwarded(left(60003).istio()), "request-timeout-by-lb", "client-disconnected"},
		{forwarded(left(29960).istio()), "request-timeout-by-lb", "client-disconnected"},
		{forwarded(left(31400).istio()), "client-disconnected", ""},
		{forwarded(in(0, "DC", "downstream_remote_disconnect", 60003).istio()), "client-disconnected", ""},
		{left(60003).istio(), "client-disconnected", ""},
		{out(0, "DC", "", 4998).mixer(), "client-disconnected", "downstream-closed-locally"},
		{out(0, "DC", "", 4998).envoy(), "client-disconnected", "downstream-closed-locally"},
		{with(out(0, "DC", "", 4998), func(h *hop) { h.upLocal = "" }).mixer(), "client-disconnected", "upstream-connect-timeout downstream-closed-locally"},
		{forwarded(out(0, "DC", "", 60003).mixer()), "request-timeout-by-lb", "client-disconnected downstream-closed-locally"},
		{reset("DR", "http2.remote_reset"), "client-disconnected", ""},
		{reset("DC", "http2.remote_reset"), "client-disconnected", ""},
		{reset("", "http2.remote_refuse"), "client-disconnected", ""},
		{reset("DR", "http3.remote_reset"), "client-disconnected", ""},
		{out(0, "DR", "", 55).envoy(), "client-disconnected", "request-headers-too-large http2-downstream-violation"},

		// what an attempt before left behind comes first
		{with(left(800), func(h *hop) { h.reason = "delayed_connect_error:_Connection_refused" }).istio(), "upstream-refused", "stale-endpoint client-disconnected"},

		// parted as they should
		{with(left(60012), func(h *hop) { h.code = 101 }).istio(), "", ""},
		{with(left(3300), func(h *hop) { h.code, h.sent = 206, 1048576 }).istio(), "", ""},
		{connection("", 60012).istio(), "", ""},
	}
}

func requestRecords() []ruled {
	plain := func(code int, flags, details string) string {
		return hop{code: code, flags: flags, details: details}.istio()
	}
	h2 := func(code int, flags, details string) string {
		return hop{code: code, flags: flags, details: details, proto: "HTTP/2"}.istio()
	}
	mesh := func(line string) string {
		return strings.Replace(line, " - -", " outbound_.7070_._.basket.market.svc.cluster.local -", 1)
	}
	tail := func(line string) string { // the SNI is the last column but one
		cut := strings.LastIndex(line, " - -")
		return line[:cut] + mesh(line[cut:])
	}
	const cannotTell, unreadable = "malformed-request h2c-on-http1-port", "https-to-http-port malformed-request"
	records := []ruled{
		{plain(426, "", "low_version"), "http10-client", ""},
		{unread(426, "DPE", "low_version"), "http10-client", ""},
		{unread(426, "DPE", ""), "http10-client", ""},
		{plain(403, "", "upgrade_failed"), "websocket-upgrade-refused", ""},
		{plain(200, "", "websocket_handshake_unsuccessful"), "websocket-upgrade-refused", ""},
		{plain(400, "DPE", "http.connect_not_supported"), "websocket-upgrade-refused", ""},
		{hop{code: 507, details: "request_payload_exceeded_retry_buffer_limit", reason: "delayed_connect_error:_111"}.istio(), "body-too-large", "upstream-connect-failed"},
		{plain(413, "", "request_payload_too_large"), "body-too-large", ""},
		{plain(200, "", "request_payload_too_large"), "body-too-large", ""}, // gRPC
		{plain(500, "", "response_payload_too_large"), "body-too-large", ""},
		{unread(431, "DPE", "http1.headers_too_large"), "request-headers-too-large", ""},
		{unread(431, "DPE", "http1.too_many_headers"), "request-headers-too-large", ""},
		{unread(431, "DPE", ""), "request-headers-too-large", ""},
		{h2(0, "DR", "http2.too_many_headers"), "request-headers-too-large", ""},
		{h2(0, "DR", "http2.header_list_size_too_large"), "request-headers-too-large", ""},
		{plain(403, "DPE", "http1.https_url_on_plaintext_connection"), "https-url-on-plaintext", ""},
		{plain(503, "DPE", "filter_removed_required_request_headers{missing_required_header:_:path}"), "extension-answered", ""},
		{plain(502, "", "filter_removed_required_response_headers{missing_required_header:_:status}"), "extension-answered", ""},
		{h2(0, "", "too_many_premature_resets"), "http2-downstream-violation", "client-disconnected"},
		{unread(400, "DPE", "codec_error:http/1.1_protocol_error:_HPE_INVALID_METHOD"), "https-to-http-port", "malformed-request"},
		{plain(400, "DPE", "codec_error:http/1.1_protocol_error:_HPE_INVALID_CONTENT_LENGTH"), "malformed-request", "https-to-http-port"},
		{plain(0, "DPE", "codec_error:The_user_callback_function_failed"), "malformed-request", "https-to-http-port"},
		{h2(0, "DPE", "codec_error:Flooding_was_detected_in_this_HTTP/2_session,_and_it_must_be_closed"), "http2-downstream-violation", ""},
		{h2(0, "DPE", "http2.remote_reset"), "http2-downstream-violation", "client-disconnected"},
		{h2(0, "DPE", "http2.violation.of.messaging.rule"), "http2-downstream-violation", ""},
		{h2(0, "DPE", "http2.inbound_empty_frames_flood"), "http2-downstream-violation", ""},
		{h2(0, "DR", "http2.unexpected_underscore"), "http2-downstream-violation", ""},
		{h2(400, "DPE", "uhv.http2.invalid_te"), "http2-downstream-violation", ""},
		{hop{code: 400, flags: "DPE", details: "http1.codec_error", method: "PRI", path: "*"}.istio(), "h2c-on-http1-port", ""},
		{tail(unread(400, "DPE", "http1.codec_error")), "tcp-on-http-named-port", unreadable},
		{strings.Replace(in(400, "DPE", "http1.codec_error", 0).object("requested_server_name"), `"GET"`, "null", 1), "https-to-http-port", "malformed-request tcp-on-http-named-port h2c-on-http1-port"},
		{unread(400, "DPE", "http1.codec_error"), "https-to-http-port", cannotTell},
		{plain(400, "DPE", "http1.codec_error"), "malformed-request", ""},
		{h2(0, "DPE", ""), "http2-downstream-violation", "malformed-request"},
		{tail(unread(400, "DPE", "")), "tcp-on-http-named-port", unreadable},
		{unread(400, "DPE", ""), "https-to-http-port", cannotTell},
		{strings.Replace(hop{code: 400, flags: "DPE"}.envoy(), "GET /basket/7 HTTP", "- - HTTP", 1), "https-to-http-port", cannotTell},
		{plain(403, "DPE", ""), "https-url-on-plaintext", "malformed-request"},
		{plain(500, "DPE", ""), "overload-manager", "malformed-request"},
		{plain(503, "DPE", ""), "extension-answered", "malformed-request"},
		{plain(400, "DPE", ""), "malformed-request", "http2-downstream-violation"},
		{hop{code: 501, flags: "DPE"}.envoy(), "malformed-request", "http2-downstream-violation"},
		{plain(200, "DPE", "via_upstream"), "malformed-request", "extension-answered"},
		{plain(307, "", "path_normalization_failed"), "", ""}, // a redirect
	}
	for _, details := range []string{"http1.invalid_characters", "http1.content_length_and_chunked_not_allowed", "http1.invalid_url", "http1.unexpected_underscore",
		"http1.invalid_transfer_encoding", "http.invalid_authority", "uhv.invalid_name_characters", "http.invalid_scheme"} {
		records = append(records, ruled{plain(400, "DPE", details), "malformed-request", ""})
	}
	for _, details := range []string{"missing_host_header", "missing_path_rejected", "absolute_path_rejected", "path_normalization_failed", "invalid_path", "early_connect_data"} {
		records = append(records, ruled{plain(400, "", details), "malformed-request", ""})
	}
	return records
}

func TestHandshakeRules(t *testing.T) { checkRuled(t, handshakeRecords()) }
func TestPartingRules(t *testing.T)   { checkRuled(t, partingRecords()) }
func TestRequestRules(t *testing.T)   { checkRuled(t, requestRecords()) }

// No rule may stand behind others that leave nothing to it.
func TestNoRuleOfDownstreamIsDead(t *testing.T) {
	c := classifier(t)
	all := Rules()
	type key struct{ when, cause string }
	reached := map[key]bool{}
	for _, r := range downstreamAll() {
		line := record(t, r.line, parser.Access)
		if n := c.plan(line, failedAccess(line)).decide(c, line); n >= 0 {
			reached[key{all[n].When, all[n].Cause}] = true
		}
	}
	for _, r := range slices.Concat(ambientRules, policyRules, downstreamRules, remainingRules) {
		if !reached[key{r.When, r.Cause}] {
			t.Errorf("no record reaches the rule of %s: %s", r.Cause, r.When)
		}
	}
}

func downstreamAll() []ruled {
	return slices.Concat(handshakeRecords(), partingRecords(), requestRecords(), denialRecords(), limitRecords(), tunnelRecords(), answerRecords())
}

func TestDownstreamAllocatesNothing(t *testing.T) {
	c := classifier(t)
	for _, r := range downstreamAll() {
		line := record(t, r.line, parser.Access)
		c.Classify(line)
		if n := testing.AllocsPerRun(10, func() { c.Classify(line) }); n != 0 {
			t.Errorf("%v allocations: %s", n, r.line)
		}
	}
}
