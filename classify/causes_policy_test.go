package classify

import (
	"fmt"
	"strings"
	"testing"
)

// gRPC requests that a proxy refused are logged with code 200.
func denialRecords() []ruled {
	out := func(code int, flags, details string) string {
		return hop{code: code, flags: flags, details: details, cluster: basket}.istio()
	}
	served := func(code int, flags, details string) string {
		return hop{code: code, flags: flags, details: details, cluster: "inbound|7070||", local: "10.62.5.9:7070"}.object()
	}
	mixer := func(code int, flags, status string) string {
		return strings.Replace(hop{code: code, flags: flags, cluster: basket}.mixer(), ` "-" "-" `, ` "`+status+`" "-" `, 1)
	}
	tcp := func(details string) string { return terminated(connection("", 3), details) }
	const rbac, custom = "rbac_access_denied_matched_policy", "istio-ext-authz-ns[market]-policy[login]-rule[0]-deny-due-to-bad-CUSTOM-action"
	records := []ruled{
		{mixer(403, "UAEX", "PERMISSION_DENIED:denier.market"), "mixer-policy-denied", "ext-authz-denied"},
		{mixer(503, "UAEX", "UNAVAILABLE:no healthy upstream"), "mixer-policy-denied", "ext-authz-denied"},
		{mixer(503, "", "UNAVAILABLE:no healthy upstream"), "mixer-policy-denied", "unknown-origin"},
		{`{"start_time":"2019-11-04T03:27:35.402Z","method":"GET","path":"/basket/7","protocol":"HTTP/1.1","response_code":"429","response_flags":"UAEX","bytes_received":"0",` +
			`"bytes_sent":"31","duration":"2","authority":"basket","upstream_host":"-","upstream_cluster":"-","istio_policy_status":"\"RESOURCE_EXHAUSTED:quota.market\""}`,
			"mixer-policy-denied", "ext-authz-denied"},

		{served(403, "", rbac+"["+custom+"]"), "ext-authz-provider-invalid", ""},
		{tcp(rbac + "[" + custom + "]"), "ext-authz-provider-invalid", ""},
		{served(403, "", rbac+"[default-deny-all-due-to-bad-CUSTOM-action]"), "ext-authz-provider-invalid", ""},
		{served(403, "", rbac+"[none]"), "rbac-denied", ""},
		{served(403, "", rbac+"[ns[market]-policy[no-web]-rule[0]]"), "rbac-denied", ""},
		{served(200, "", rbac+"[none]"), "rbac-denied", ""},
		{out(403, "", "rbac_access_denied"), "rbac-denied", ""},
		{tcp(rbac + "[none]"), "rbac-denied", ""},

		{out(401, "", "jwt_authn_access_denied"), "jwt-missing", "jwt-expired jwt-signature jwt-issuer-unknown jwt-invalid"},
		{out(401, "", "ext_authz_denied"), "ext-authz-denied", ""}, // Envoy 1.15 to 1.20
		{out(403, "UAEX", "ext_authz_denied"), "ext-authz-denied", ""},
		{out(200, "UAEX", "ext_authz_denied"), "ext-authz-denied", ""},
		{strings.Replace(connection("UAEX", 2).istio(), "UAEX -", "UAEX ext_authz_denied", 1), "ext-authz-denied", ""},
		{out(403, "UAEX", "ext_authz_error"), "ext-authz-error", ""},
		{out(403, "", "ext_authz_error"), "ext-authz-error", ""},
		{out(500, "UAEX", "ext_authz_invalid"), "ext-authz-error", ""},
		{out(302, "UAEX", "ext_authz_denied"), "ext-authz-redirect", ""},
		{out(302, "", "ext_authz_denied"), "ext-authz-redirect", ""},
		{hop{code: 302, flags: "UAEX", cluster: basket}.envoy(), "ext-authz-redirect", ""},
		{out(400, "UAEX", "proto_message_extraction_BAD_REQUEST{REQUEST_OUT_OF_DATA}"), "extension-answered", ""},
		{hop{code: 503, flags: "UAEX", cluster: basket}.envoy(), "ext-authz-error", "ext-authz-denied"},
		{hop{code: 403, flags: "UAEX", cluster: basket}.envoy(), "ext-authz-denied", "ext-authz-error"},
		{hop{code: 403, flags: "UAEX", cluster: basket, took: 740}.envoy(), "ext-authz-denied", "ext-authz-error"},
		{hop{code: 403, flags: "UAEX", cluster: basket, took: 3002}.envoy(), "ext-authz-error", "ext-authz-denied"},
		{connection("UAEX", 2).istio(), "ext-authz-denied", "ext-authz-error"},
		{out(403, "UAEX", "auth_digest_no_match"), "ext-authz-denied", "ext-authz-error extension-answered"},
	}
	for text, cause := range map[string]string{
		"Jwt_is_missing": "jwt-missing", "Jwt_is_expired": "jwt-expired", "Jwt_issuer_is_not_configured": "jwt-issuer-unknown",
		"Audiences_in_Jwt_are_not_allowed": "jwt-audience", "Jwks_remote_fetch_is_failed": "jwt-jwks-unreachable", "Jwks_is_invalid": "jwt-jwks-unreachable",
		"Jwt_not_yet_valid": "jwt-invalid", "Jwt_is_not_in_the_form_of_Header.Payload.Signature_with_two_dots_and_3_sections": "jwt-invalid",
		"Jwt_header_[alg]_is_not_supported": "jwt-invalid",
	} {
		for _, code := range []int{401, 200} {
			records = append(records, ruled{served(code, "", "jwt_authn_access_denied{"+text+"}"), cause, ""})
		}
	}
	for _, text := range []string{"Jwt_verification_fails", "Jwks_doesn't_have_key_to_match_kid_or_alg_from_Jwt"} {
		records = append(records, ruled{out(401, "", "jwt_authn_access_denied{"+text+"}"), "jwt-signature", "jwt-jwks-unreachable"})
	}
	return records
}

func limitRecords() []ruled {
	out := func(code int, flags, details string) string {
		return hop{code: code, flags: flags, details: details, cluster: basket}.istio()
	}
	bare := func(code int, flags string) string { return hop{code: code, flags: flags, cluster: basket}.envoy() }
	return []ruled{
		{out(429, "RL", "local_rate_limited"), "rate-limited-local", ""},
		{out(429, "", "local_rate_limited"), "rate-limited-local", ""},
		{out(200, "RL", "local_rate_limited"), "rate-limited-local", ""},
		{out(429, "RL", "request_rate_limited"), "rate-limited-global", ""},
		{out(503, "RL", "request_rate_limited"), "rate-limited-global", ""},
		{out(429, "RL", "rate_limited_by_quota"), "rate-limited-global", ""},
		{bare(429, "RL"), "rate-limited-local", "rate-limited-global"},
		{out(429, "RL", "quota_of_a_plugin"), "rate-limited-local", "rate-limited-global extension-answered"},
		{out(500, "RLSE", "rate_limiter_error"), "rate-limit-service-error", ""},
		{out(500, "", "rate_limiter_error"), "rate-limit-service-error", ""},
		{bare(500, "RLSE"), "rate-limit-service-error", ""},
		{with(hop{code: 200, flags: "RLSE", details: "via_upstream", cluster: basket}, func(h *hop) { h.served = "7" }).istio(), "", ""}, // let through

		{out(503, "", "overload"), "overload-manager", ""},
		{out(200, "", "overload"), "overload-manager", ""},
		{out(500, "DPE", "overload"), "overload-manager", ""},
		{out(0, "OM", "overload_error:Envoy_is_overloaded"), "overload-manager", ""},
		{out(503, "OM", before+"{overload_manager_reset}"), "overload-manager", ""},
		{bare(503, "OM"), "overload-manager", ""},
		{out(503, "", "reached_concurrency_limit"), "load-shed", ""},
		{hop{code: 503, details: "reached concurrency limit", cluster: basket}.object(), "load-shed", ""},
		{out(503, "", "denied_by_admission_control"), "load-shed", ""},
		{out(503, "DO", "drop_overload"), "drop-overload", ""},
		{out(503, "UDO", "unconditional_drop_overload"), "drop-overload", ""},
		{bare(503, "DO"), "drop-overload", ""},
		{out(500, "FI", "fault_filter_abort"), "fault-abort", ""},
		{out(200, "DI,FI", "fault_filter_abort"), "fault-abort", ""},
		{bare(418, "FI"), "fault-abort", ""},
		{out(503, "", "wasm_fail_stream"), "extension-not-loaded", "extension-answered"},
		{out(500, "NFCF", ""), "extension-not-loaded", ""},
		{hop{code: 500, flags: "NFCF", cluster: basket}.object(), "extension-not-loaded", ""},
		{out(503, "LH", "health_check_failed"), "health-check-failed", "draining"},
		{out(503, "LH", "health_check_failed_cluster_empty"), "health-check-failed", "draining"},
		{out(503, "LH", "health_check_cached"), "health-check-failed", "draining"},
		{bare(503, "LH"), "health-check-failed", "draining"},
		{out(400, "IH", "request_headers_failed_strict_check{x-envoy-max-retries}"), "strict-header-invalid", ""},
		{bare(400, "IH"), "strict-header-invalid", ""},
	}
}

// tunnelRecords are of ztunnel, of waypoints and of gateways that use the tunnel.
func tunnelRecords() []ruled {
	outbound := func(text string) string {
		return ztunnel("error", fmt.Sprintf(`direction="outbound" bytes_sent=0 bytes_recv=0 duration="4ms" error="%s"`, text))
	}
	inbound := func(text string) string { return strings.Replace(outbound(text), `"outbound"`, `"inbound"`, 1) }
	plain := func(text string) string {
		return strings.Replace(outbound(text), ":15008 dst.hbone_addr=10.8.1.7:8080", ":8080", 1)
	}
	object := func(text string) string {
		return `{"level":"error","time":"2026-05-11T21:40:02.118113Z","scope":"access","message":"connection complete","src.addr":"10.62.3.18:47110","src.workload":"web-6d",` +
			`"dst.addr":"10.62.5.9:15008","dst.hbone_addr":"10.62.5.9:7070","direction":"inbound","bytes_sent":0,"bytes_recv":0,"duration":"0ms","error":"` + text + `"}`
	}
	tunnel := func(flags, reason string) string {
		return hop{flags: flags, reason: reason, method: "tcp", host: "10.62.5.9:15008", cluster: "connect_originate", local: "10.62.5.9:7070"}.istio()
	}
	way := func(code int, flags, details string) hop {
		return hop{code: code, flags: flags, details: details, host: "envoy://connect_originate/10.62.5.9:7070", cluster: "inbound-vip|7070|http|basket.market.svc.cluster.local", upLocal: "envoy://internal_client_address/"}
	}
	const peers = "ambient-policy-denied ambient-peer-not-captured"
	records := []ruled{
		{object("connection closed due to policy rejection: explicitly denied by: market/no-web"), "ambient-policy-denied", ""},
		{outbound("http status: 401 Unauthorized"), "ambient-policy-denied", "ambient-hbone-failed"},
		{outbound("http status: 503 Service Unavailable"), "ambient-hbone-failed", "upstream-refused ambient-no-endpoints"},
		{outbound("http status: 502 Bad Gateway"), "ambient-hbone-failed", ""},
		{outbound("connection failed: io error: Connection refused (os error 111)"), "ambient-peer-not-captured", "ambient-hbone-failed"},
		{inbound("connection failed: io error: Connection refused (os error 111)"), "upstream-refused", ""},
		{plain("connection failed: io error: Connection refused (os error 111)"), "upstream-refused", ""},
		{outbound("connection timed out, maybe a NetworkPolicy is blocking HBONE port 15008: deadline has elapsed"), "ambient-hbone-blocked", "ambient-peer-not-captured upstream-connect-timeout"},
		{outbound("connection timed out: deadline has elapsed"), "ambient-hbone-blocked", "ambient-hbone-failed upstream-connect-timeout"},
		{plain("connection timed out: deadline has elapsed"), "upstream-connect-timeout", ""},
		{plain("connection failed: io error: No route to host (os error 113)"), "upstream-unreachable", ""},
		{outbound("io error: invalid peer certificate: Other(OtherError(identity verification error: peer did not present the expected SAN))"), "ambient-peer-identity", "upstream-cert-untrusted"},
		{outbound("tls error: invalid peer certificate: UnknownIssuer"), "upstream-cert-untrusted", "certificate-expired"},
		{outbound("tls error: tls handshake error: AlertReceived(CertificateExpired)"), "certificate-expired", ""},
		{outbound("tls error: tls handshake error: AlertReceived(UnknownCA)"), "client-cert-refused", "tls-params-mismatch"},
		{inbound("expected method CONNECT, got GET"), "ambient-protocol-error", "ambient-hbone-failed"},
		{inbound("http2 handshake failed: connection error"), "ambient-protocol-error", "ambient-hbone-failed"},
		{outbound("io error: Connection reset by peer (os error 104)"), "client-disconnected", "response-truncated"},
		{outbound("something new"), "ambient-hbone-failed", "ambient-peer-not-captured"},
		{inbound("something new"), "upstream-connect-failed", ""},

		{with(way(503, "UH", "no_healthy_upstream"), func(h *hop) { h.host = "" }).istio(), "ambient-no-endpoints", ""},
		{hop{flags: "UH", method: "tcp", cluster: "connect_originate"}.istio(), "ambient-no-endpoints", ""},
		{tunnel("UF,URX", "tunnel_response:401"), "ambient-policy-denied", "ambient-hbone-failed"},
		{way(503, "UF", before+"{remote_connection_failure|tunnel_response:401}").istio(), "ambient-policy-denied", "ambient-hbone-failed"},
		{tunnel("UF,URX", "tunnel_response:503"), "ambient-hbone-failed", "upstream-refused ambient-peer-not-captured"},
		{tunnel("URX,UF", "tunnel_response:404"), "ambient-hbone-failed", "ambient-policy-denied"},
		{tunnel("UF,URX", "delayed_connect_error:_Connection_refused"), "ambient-hbone-failed", "ambient-peer-not-captured upstream-refused"},
		{tunnel("UF,URX", ""), "ambient-hbone-failed", "ambient-hbone-blocked ambient-peer-not-captured"},
		{way(503, "UC", before+"{connection_termination}").istio(), "ambient-hbone-failed", peers},
		{way(503, "UF", before+"{remote_connection_failure|delayed_connect_error:_Invalid_argument}").object(), "ambient-hbone-failed", peers},
		{way(503, "URX,UF", "").mixer(), "ambient-hbone-failed", peers},
	}
	for text, cause := range map[string]string{
		"connection closed due to policy rejection":                                         "ambient-policy-denied",
		"connection closed due to policy rejection: allow policies exist, but none allowed": "ambient-policy-denied",
		"connection closed due to policy change":                                            "ambient-policy-changed",
		"connection closed: peer certificate revoked by CRL":                                "certificate-revoked",
		"no healthy upstream: 10.62.8.4:7070":                                               "no-endpoints",
		"no valid target port for workload: basket":                                         "no-endpoints",
		"unknown waypoint: market/gate":                                                     "ambient-waypoint-missing",
		"no service for target address: 10.99.8.4:7070":                                     "ambient-unknown-destination",
		"unknown network gateway: east":                                                     "ambient-unknown-destination",
		"identity error: failed to fetch certificate":                                       "workload-cert-not-issued",
		"connection closed due to connection drain":                                         "draining",
		"pool draining":                                        "draining",
		"dns lookup: no such name":                             "dns-failure",
		"dns response had no valid IP addresses":               "dns-failure",
		"attempted recursive call to ourselves":                "ambient-capture-failed",
		"ip mismatch: 10.62.5.9 != 10.62.5.77":                 "ambient-capture-failed",
		"client disconnected before all data was written":      "client-disconnected",
		"destination disconnected before all data was written": "response-truncated",
	} {
		records = append(records, ruled{inbound(text), cause, ""}, ruled{object(text), cause, ""})
	}
	return records
}

func TestDenialRules(t *testing.T) { checkRuled(t, denialRecords()) }
func TestLimitRules(t *testing.T)  { checkRuled(t, limitRecords()) }
func TestTunnelRules(t *testing.T) { checkRuled(t, tunnelRecords()) }
