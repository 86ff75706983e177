package classify

import (
	"cmp"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/flagwatch/flagwatch/parser"
)

// A hop is a record to be; empty columns print as "-".
type hop struct {
	code                              int
	flags, details, reason            string
	took                              int
	host, cluster, upLocal            string
	local, sni, route, served         string
	method, path, proto, agent, asked string
	received, sent                    int
	downstream                        string // JSON only
}

const (
	basket   = "outbound|7070||basket.market.svc.cluster.local"
	basketV2 = "outbound|7070|v2|basket.market.svc.cluster.local"
	fx       = "outbound|443||fx.example.org"
	before   = "upstream_reset_before_response_started"
	after    = "upstream_reset_after_response_started"
)

func dash(s string) string { return cmp.Or(s, "-") }

func (h hop) requestLine() string {
	if h.method == "tcp" {
		return "- - -"
	}
	return cmp.Or(h.method, "GET") + " " + cmp.Or(h.path, "/basket/7") + " " + cmp.Or(h.proto, "HTTP/1.1")
}

func (h hop) userColumns() string {
	if h.method == "tcp" {
		return fmt.Sprintf(`"-" "-" "-" "-" "%s"`, dash(h.host))
	}
	return fmt.Sprintf(`"-" "%s" "6a0f2f5c-91b7-4b5e-8d0a-3c1f7be2a914" "%s" "%s"`, cmp.Or(h.agent, "okhttp/4.12.0"), cmp.Or(h.asked, "basket"), dash(h.host))
}

func (h hop) lastColumns() string {
	return strings.Join([]string{dash(h.cluster), dash(h.upLocal), cmp.Or(h.local, "10.99.8.4:7070"), "10.62.3.18:47110", dash(h.sni), dash(h.route)}, " ")
}

// istio is Istio's layout since 1.9.
func (h hop) istio() string {
	return fmt.Sprintf(`[2026-05-11T21:40:02.118Z] "%s" %d %s %s - "%s" %d %d %d %s %s %s`, h.requestLine(), h.code, dash(h.flags), dash(h.details), dash(h.reason),
		h.received, h.sent, h.took, dash(h.served), h.userColumns(), h.lastColumns())
}

// mixer is Istio's layout from 1.3 to 1.7, without details.
func (h hop) mixer() string {
	return fmt.Sprintf(`[2020-05-11T21:40:02.118Z] "%s" %d %s "-" "%s" %d %d %d %s %s %s`, h.requestLine(), h.code, dash(h.flags), dash(h.reason),
		h.received, h.sent, h.took, dash(h.served), h.userColumns(), h.lastColumns())
}

// envoy is Envoy's default layout.
func (h hop) envoy() string {
	return fmt.Sprintf(`[2026-05-11T21:40:02.118Z] "%s" %d %s %d %d %d %s %s`, h.requestLine(), h.code, dash(h.flags), h.received, h.sent, h.took, dash(h.served), h.userColumns())
}

// object is Istio's JSON layout; lacking names the columns to leave out.
func (h hop) object(lacking ...string) string {
	columns := map[string]any{
		"start_time": "2026-05-11T21:40:02.118Z", "response_code": h.code, "response_flags": dash(h.flags), "response_code_details": h.details,
		"upstream_transport_failure_reason": h.reason, "duration": h.took, "upstream_host": h.host, "upstream_cluster": h.cluster, "upstream_local_address": h.upLocal,
		"downstream_local_address": cmp.Or(h.local, "10.99.8.4:7070"), "downstream_remote_address": "10.62.3.18:47110", "requested_server_name": h.sni, "route_name": h.route,
		"upstream_service_time": h.served, "bytes_received": h.received, "bytes_sent": h.sent, "downstream_transport_failure_reason": h.downstream,
	}
	if h.method != "tcp" {
		columns["method"], columns["path"], columns["protocol"] = cmp.Or(h.method, "GET"), cmp.Or(h.path, "/basket/7"), cmp.Or(h.proto, "HTTP/1.1")
		columns["authority"] = cmp.Or(h.asked, "basket")
	}
	for key, v := range columns {
		if v == "" {
			columns[key] = nil
		}
	}
	for _, key := range lacking {
		delete(columns, key)
	}
	text, err := json.Marshal(columns)
	if err != nil {
		panic(err)
	}
	return string(text)
}

// out is a hop of a client's proxy to the basket service, in one of its pods.
func out(code int, flags, details string, took int) hop {
	return hop{code: code, flags: flags, details: details, took: took, host: "10.62.5.9:7070", cluster: basket, upLocal: "10.62.3.18:51002", route: "default"}
}

// in is a hop of the server's proxy to its application.
func in(code int, flags, details string, took int) hop {
	return hop{code: code, flags: flags, details: details, took: took, host: "10.62.5.9:7070", cluster: "inbound|7070||", upLocal: "127.0.0.6:39901",
		local: "10.62.5.9:7070", sni: "outbound_.7070_._.basket.market.svc.cluster.local", route: "default"}
}

// connection is a hop of a TCP proxy.
func connection(flags string, took int) hop {
	return hop{flags: flags, took: took, method: "tcp", host: "10.62.6.2:5432", cluster: "outbound|5432||ledger.market.svc.cluster.local", local: "10.99.8.9:5432"}
}

func with(h hop, change func(*hop)) hop { change(&h); return h }

// A ruled is a record with its verdict.
type ruled struct{ line, cause, rivals string }

func checkRuled(t *testing.T, records []ruled) {
	t.Helper()
	c := classifier(t)
	for _, want := range records {
		v := c.Classify(record(t, want.line, parser.Access))
		if got := idOf(v.Cause); got != want.cause || rivalIDs(v) != want.rivals {
			t.Errorf("got %s (%s), want %s (%s): %s", got, rivalIDs(v), want.cause, want.rivals, want.line)
		}
		if v.Cause != nil && v.Confidence == High && len(v.Rivals) > 2 {
			t.Errorf("%s is sure, with rivals %s", v.Cause.ID, rivalIDs(v))
		}
	}
}

func idOf(c *Cause) string {
	if c == nil {
		return ""
	}
	return c.ID
}

func rivalIDs(v Verdict) string {
	var ids []string
	for _, r := range v.Rivals {
		ids = append(ids, r.ID)
	}
	return strings.Join(ids, " ")
}

func TestUpstreamRules(t *testing.T) { checkRuled(t, upstreamRecords()) }

func upstreamRecords() []ruled {
	return slices.Concat(hostRecords(), overflowRecords(), connectRecords(), breakRecords(), timeRecords(), retryRecords())
}

func hostRecords() []ruled {
	none := func(h *hop) { h.host, h.upLocal = "", "" }
	uh := with(out(503, "UH", "no_healthy_upstream", 0), none)
	grpc := with(out(200, "UH", "no_healthy_upstream", 0), func(h *hop) { none(h); h.method, h.proto = "POST", "HTTP/2" })
	in := func(cluster string) func(*hop) { return func(h *hop) { h.cluster = cluster } }
	bare := with(connection("UH", 0), func(h *hop) { h.host = "" })
	return []ruled{
		{uh.istio(), "no-endpoints", "outlier-all-ejected"},
		{uh.mixer(), "no-endpoints", "outlier-all-ejected"},
		{uh.object(), "no-endpoints", "outlier-all-ejected"},
		{uh.envoy(), "no-endpoints", "outlier-all-ejected subset-without-endpoints dns-failure"},
		{grpc.istio(), "no-endpoints", "outlier-all-ejected"},
		{with(uh, in(basketV2)).istio(), "subset-without-endpoints", "outlier-all-ejected no-endpoints"},
		{with(uh, in(basketV2)).mixer(), "subset-without-endpoints", "outlier-all-ejected no-endpoints"},
		{with(uh, in("outbound|8080||depot.example.org")).istio(), "no-endpoints", "dns-failure outlier-all-ejected"},
		{with(uh, in("PassthroughCluster")).istio(), "no-endpoints", "egress-passthrough"},
		{`{"response_code":503,"response_flags":"UH","response_code_details":"no_healthy_upstream","upstream_host":null,"upstream_cluster":null}`, "no-endpoints", "outlier-all-ejected subset-without-endpoints dns-failure"}, // no method: a request all the same
		{with(uh, in("BlackHoleCluster")).istio(), "egress-blocked-http", ""},
		{with(uh, in("depot")).envoy(), "no-endpoints", "outlier-all-ejected subset-without-endpoints dns-failure"},
		{bare.istio(), "no-endpoints", "outlier-all-ejected"},
		{with(bare, in("BlackHoleCluster")).istio(), "egress-blocked-tcp", ""},
		{with(bare, in("BlackHoleCluster")).object(), "egress-blocked-tcp", ""},
		{with(bare, in("")).istio(), "egress-blocked-tcp", "no-endpoints"},
		{bare.envoy(), "no-endpoints", "egress-blocked-tcp outlier-all-ejected subset-without-endpoints"},
		{with(bare, in("outbound|5432|eu|ledger.market.svc.cluster.local")).istio(), "subset-without-endpoints", "outlier-all-ejected no-endpoints"},
		{with(uh, func(h *hop) { h.host = "10.62.5.9:7070" }).istio(), "outlier-all-ejected", "no-endpoints"},
		{with(uh, func(h *hop) { h.flags, h.reason = "URX,UH", "delayed_connect_error:_111" }).istio(), "outlier-all-ejected", "no-endpoints"},
		{with(uh, func(h *hop) { h.flags = "XX" }).object("response_flags"), "no-endpoints", "outlier-all-ejected"},

		{hop{code: 503, flags: "DF", details: "dns_resolution_failure{cares_failure:DNS_server_returned_general_failure}", took: 31}.istio(), "dns-failure", ""},
		{hop{code: 503, flags: "UH", details: "dns_resolution_failure{resolve_timeout}", took: 5000}.istio(), "dns-failure", ""},
		{hop{code: 503, flags: "DF", details: "dns_resolution_timeout", took: 5000}.object(), "dns-failure", ""},
		{hop{code: 503, flags: "DF"}.envoy(), "dns-failure", ""},
		{hop{code: 503, flags: "DF", details: "dns_cache_overflow"}.istio(), "dns-failure", "circuit-breaker-overflow"},
		{hop{code: 503, flags: "DF", details: "dynamic_forward_proxy_pending_request_overflow"}.istio(), "dns-failure", "circuit-breaker-overflow"},
		{hop{code: 503, flags: "DF", details: "dynamic_forward_proxy_cluster_is_gone"}.istio(), "dns-failure", ""},
		{hop{code: 503, flags: "DF", details: "sub_cluster_warming_timeout"}.istio(), "dns-failure", ""},
	}
}

func overflowRecords() []ruled {
	pool := func(h *hop) { h.host, h.upLocal = "", "" }
	return []ruled{
		{with(out(503, "UO", before+"{overflow}", 0), pool).istio(), "circuit-breaker-overflow", ""},
		{out(503, "UO", before+"{overflow}", 0).istio(), "circuit-breaker-overflow", ""}, // HTTP/2: the host is known
		{with(out(503, "URX,UO", before+"{overflow}", 42), pool).istio(), "circuit-breaker-overflow", ""},
		{with(out(200, "UO", before+"{overflow}", 0), pool).object(), "circuit-breaker-overflow", ""},
		{with(out(503, "", before+"{overflow}", 0), pool).object("response_flags"), "circuit-breaker-overflow", ""},
		{with(out(503, "UO", "", 0), pool).mixer(), "circuit-breaker-overflow", "retry-budget-overflow maintenance-mode"},
		{with(out(503, "UO", "", 0), pool).envoy(), "circuit-breaker-overflow", "retry-budget-overflow maintenance-mode"},
		{with(connection("UO", 0), func(h *hop) { h.host = "" }).istio(), "circuit-breaker-overflow", ""},
		{with(out(503, "UO", "maintenance_mode", 0), pool).istio(), "maintenance-mode", ""},

		{with(out(500, "UO", "via_upstream", 8), func(h *hop) { h.served = "7" }).istio(), "retry-budget-overflow", "upstream-5xx"},
		{with(out(500, "UO", "", 8), func(h *hop) { h.served = "7" }).mixer(), "retry-budget-overflow", "upstream-5xx"},
		{with(out(503, "UO,UF", before+"{remote_connection_failure|delayed_connect_error:_Connection_refused}", 1), func(h *hop) { h.reason = "delayed_connect_error:_Connection_refused" }).istio(), "retry-budget-overflow", "upstream-connect-failed"},
		{out(503, "UO,UC", before+"{connection_termination}", 1).istio(), "retry-budget-overflow", "upstream-closed"},
		{out(503, "UR,UO", before+"{remote_reset}", 1).istio(), "retry-budget-overflow", "upstream-remote-reset"},
		{out(502, "UPE,UO", before+"{protocol_error}", 1).istio(), "retry-budget-overflow", "upstream-protocol-error"},
		{out(503, "UF,UO", "", 1).mixer(), "retry-budget-overflow", "upstream-connect-failed circuit-breaker-overflow"},
		{out(503, "UC,UO", "", 1).envoy(), "retry-budget-overflow", "upstream-closed circuit-breaker-overflow"},
		{out(503, "UR,UO", "", 1).envoy(), "retry-budget-overflow", "upstream-remote-reset circuit-breaker-overflow"},
		{out(502, "UPE,UO", "", 1).envoy(), "retry-budget-overflow", "upstream-protocol-error circuit-breaker-overflow"},
	}
}

func connectRecords() []ruled {
	failed := before + "{remote_connection_failure}"
	dialled := func(h *hop) { h.upLocal = "" }
	app := func(h *hop) { h.host, h.upLocal = "127.0.0.1:7070", "" }
	own := func(h *hop) { h.cluster = "PassthroughCluster" }
	undeclared := func(h *hop) { h.cluster = "InboundPassthroughClusterIpv4" }
	return []ruled{
		// the words of the details without a reason
		{with(out(503, "UF", before+"{connection_timeout}", 10001), dialled).istio(), "upstream-connect-timeout", "stale-endpoint mtls-to-plaintext"},
		{with(out(200, "URX,UF", before+"{connection_timeout}", 30071), dialled).object(), "upstream-connect-timeout", "stale-endpoint mtls-to-plaintext"},
		{with(out(503, "UF", before+"{local_connection_failure}", 0), dialled).istio(), "local-connection-failure", "fd-limit-crash"},
		{with(out(503, "UF", failed, 2), dialled).istio(), "upstream-connect-failed", "plaintext-to-strict-mtls client-cert-refused tls-params-mismatch"},
		{with(out(503, "UF", before+"{connection_failure}", 1), dialled).istio(), "upstream-connect-failed", "upstream-refused plaintext-to-strict-mtls mtls-to-plaintext"},
		{with(out(503, "UF", before+"{connection failure}", 1), dialled).object(), "upstream-connect-failed", "upstream-refused plaintext-to-strict-mtls mtls-to-plaintext"}, // 1.11 to 1.16
		{with(out(503, "UF", before+"{connection_failure}", 10002), dialled).istio(), "upstream-connect-timeout", "upstream-unreachable stale-endpoint upstream-connect-failed"},
		{with(out(503, "", before+"{connection_failure}", 10002), dialled).object("response_flags"), "upstream-connect-failed", "upstream-connect-timeout upstream-refused"},
		{with(out(503, "", before+"{connection_timeout}", 10002), dialled).object("response_flags"), "upstream-connect-timeout", "stale-endpoint mtls-to-plaintext"},

		// no details
		{with(out(503, "UF,URX", "", 84), dialled).mixer(), "upstream-connect-failed", "upstream-refused upstream-connect-timeout plaintext-to-strict-mtls mtls-to-plaintext"},
		{with(out(503, "UF", "", 2), dialled).envoy(), "upstream-connect-failed", "upstream-refused plaintext-to-strict-mtls mtls-to-plaintext"},
		{with(out(503, "UF", "", 2001), dialled).envoy(), "upstream-connect-timeout", "upstream-unreachable stale-endpoint upstream-connect-failed"}, // Contour's 2 s
		{with(out(503, "UF,URX", "", 24255), dialled).mixer(), "upstream-connect-timeout", "upstream-unreachable stale-endpoint upstream-connect-failed"},
		{connection("UF,URX", 30012).istio(), "upstream-connect-timeout", "upstream-unreachable stale-endpoint upstream-connect-failed"},
		{connection("UF,URX", 301).istio(), "upstream-connect-timeout", "upstream-connect-failed stale-endpoint mtls-to-plaintext"},
		{connection("UF,URX", 100).istio(), "upstream-connect-timeout", "upstream-connect-failed stale-endpoint mtls-to-plaintext"}, // a connect timeout of 0.1 s
		{connection("UF,URX", 89).istio(), "upstream-connect-failed", "upstream-refused upstream-connect-timeout plaintext-to-strict-mtls mtls-to-plaintext"},
		{connection("UF,URX", 17).istio(), "upstream-connect-failed", "upstream-refused upstream-connect-timeout plaintext-to-strict-mtls mtls-to-plaintext"}, // ten attempts
		{connection("UF,URX", 3).istio(), "upstream-connect-failed", "upstream-refused plaintext-to-strict-mtls mtls-to-plaintext"},
		{with(in(503, "UF", "", 0), app).mixer(), "upstream-refused", "upstream-connect-failed"},
		{with(in(503, "UF", "", 1003), app).mixer(), "upstream-connect-failed", "upstream-refused upstream-connect-timeout"}, // backlog full, or many attempts
		{with(in(503, "UF", "", 0), dialled).mixer(), "upstream-connect-failed", "upstream-refused plaintext-to-strict-mtls mtls-to-plaintext"},

		// passthrough
		{with(out(503, "UF", failed, 2), own).istio(), "upstream-connect-failed", "egress-passthrough upstream-refused"},
		{with(in(503, "UF", failed, 2), undeclared).istio(), "upstream-connect-failed", "upstream-refused inbound-undeclared-port"},
		{with(connection("UF,URX", 9997), own).istio(), "upstream-connect-timeout", "egress-passthrough upstream-unreachable upstream-connect-failed"},
		{with(connection("UF,URX", 9997), undeclared).istio(), "upstream-connect-timeout", "inbound-undeclared-port upstream-connect-failed"},

		// a TCP connection that went on after a failed attempt and was reset later
		{with(connection("UF,UR", 840), func(h *hop) { h.reason, h.received, h.sent = "delayed_connect_error:_111", 412, 90 }).istio(), "upstream-remote-reset", "plaintext-to-strict-mtls upstream-closed"},
		{with(connection("UF", 840), func(h *hop) { h.reason, h.received, h.sent = "delayed_connect_error:_111", 412, 90 }).istio(), "", ""},
	}
}

func breakRecords() []ruled {
	cut := before + "{connection_termination}"
	podIP := hop{code: 503, flags: "UC", details: cut, took: 1, host: "10.62.5.9:7070", asked: "10.62.5.9:7070", cluster: "PassthroughCluster", local: "10.62.5.9:7070", route: "allow_any"}
	to := func(host string) func(*hop) { return func(h *hop) { h.host = host } }
	grpc := func(h *hop) { h.method, h.path, h.proto = "POST", "/market.Basket/Add", "HTTP/2" }
	served := func(h *hop) { h.served = "14" }
	return []ruled{
		// UC on the client's side
		{out(503, "UC", cut, 1).istio(), "upstream-closed", "keepalive-race plaintext-to-strict-mtls client-cert-refused peer-draining rbac-denied"},
		{out(503, "UC", "", 1).mixer(), "upstream-closed", "keepalive-race plaintext-to-strict-mtls client-cert-refused peer-draining rbac-denied"},
		{out(503, "UC", before+"{connection termination}", 1).object(), "upstream-closed", "keepalive-race plaintext-to-strict-mtls client-cert-refused peer-draining rbac-denied"},
		{with(out(200, "UC", cut, 1), grpc).object(), "upstream-closed", "keepalive-race plaintext-to-strict-mtls client-cert-refused peer-draining rbac-denied"},
		{out(503, "UC", "", 1).envoy(), "upstream-closed", "keepalive-race app-crash plaintext-to-strict-mtls peer-draining"},
		{with(out(503, "UC", cut, 1), to("10.62.5.9:8443")).istio(), "upstream-closed", "plaintext-to-tls-upstream client-cert-refused keepalive-race"},
		{out(503, "UC", cut, 722).istio(), "upstream-closed", "app-crash peer-draining"},
		{out(503, "UC", "", 722).envoy(), "upstream-closed", "app-crash peer-draining"},
		{out(503, "UC", cut, 60003).istio(), "upstream-closed", "app-closed-after-timeout app-crash"},
		{out(503, "URX,UC", cut, 412).istio(), "upstream-closed", "app-crash peer-draining"},
		{out(503, "", cut, 412).object("response_flags"), "upstream-closed", "keepalive-race app-crash"},
		{out(503, "UC", after+"{connection_termination}", 104).istio(), "upstream-closed", "response-truncated"}, // after 100 Continue

		// and on the server's
		{in(503, "UC", cut, 1).istio(), "keepalive-race", "app-crash upstream-closed"},
		{in(503, "UC", "", 0).mixer(), "keepalive-race", "app-crash upstream-closed"},
		{in(503, "UC", cut, 120001).istio(), "app-closed-after-timeout", "upstream-closed app-crash"},
		{in(503, "UC", cut, 29996).object(), "app-closed-after-timeout", "upstream-closed app-crash"},
		{in(503, "UC", cut, 29500).istio(), "upstream-closed", "app-crash app-closed-after-timeout"},
		{with(in(503, "URX,UC", cut, 44), func(h *hop) { h.reason = "delayed_connect_error:_111" }).istio(), "app-crash", "upstream-closed"},

		// passthrough
		{podIP.istio(), "headless-pod-ip-passthrough", "plaintext-to-strict-mtls upstream-closed"},
		{podIP.mixer(), "headless-pod-ip-passthrough", "plaintext-to-strict-mtls upstream-closed"},
		{with(podIP, func(h *hop) { h.asked = "10.62.5.9" }).object(), "headless-pod-ip-passthrough", "plaintext-to-strict-mtls upstream-closed"},
		{with(podIP, func(h *hop) { h.asked, h.host = "basket.market", "10.99.8.4:7070" }).istio(), "plaintext-to-strict-mtls", "headless-pod-ip-passthrough upstream-closed"},
		{with(podIP, func(h *hop) { h.asked, h.host, h.took = "fx.example.org", "203.0.113.8:80", 300 }).istio(), "upstream-closed", "plaintext-to-tls-upstream"},

		// not failed: an upgraded connection ended
		{out(101, "UC", after+"{connection_termination}", 90211).istio(), "", ""},

		// answers that broke off
		{with(out(200, "UPE", after+"{protocol_error}", 101), served).istio(), "response-truncated", "upstream-protocol-error app-crash"},
		{with(in(200, "UPE", after+"{protocol_error}", 101), served).istio(), "response-truncated", "upstream-protocol-error app-crash"},
		{with(out(200, "UR", after+"{remote_reset}", 101), served).istio(), "response-truncated", "upstream-remote-reset"},
		{out(200, "UR", after+"{remote_error_with_CONNECT_request}", 101).istio(), "response-truncated", "upstream-remote-reset"},
		{with(out(200, "UC", after+"{connection_termination}", 101), served).istio(), "response-truncated", "app-crash"},
		{with(out(503, "UC", after+"{connection_termination}", 101), served).istio(), "response-truncated", "app-crash"},
		{with(out(200, "UPE", "", 101), served).envoy(), "response-truncated", "upstream-protocol-error app-crash"},
		{with(out(200, "UC", "", 101), served).mixer(), "response-truncated", "upstream-remote-reset app-crash"},
		{with(out(200, "LR", after+"{local_reset}", 101), served).istio(), "response-truncated", "app-crash"},

		// UPE
		{out(502, "UPE", before+"{protocol_error}", 9).istio(), "upstream-protocol-error", "app-crash grpc-protocol-mismatch plaintext-to-tls-upstream"},
		{out(502, "URX,UPE", before+"{protocol_error}", 80).istio(), "upstream-protocol-error", "app-crash grpc-protocol-mismatch plaintext-to-tls-upstream"},
		{out(502, "UPE", "", 9).envoy(), "upstream-protocol-error", "app-crash grpc-protocol-mismatch plaintext-to-tls-upstream"},
		{in(502, "UPE", before+"{protocol_error}", 1).istio(), "upstream-protocol-error", "app-crash keepalive-race"},
		{out(503, "", before+"{protocol_error}", 9).istio(), "upstream-protocol-error", "app-crash"}, // before 1.18
		{with(out(200, "UPE", before+"{protocol_error}", 1), grpc).istio(), "grpc-protocol-mismatch", "upstream-protocol-error"},
		{with(out(502, "UPE", before+"{protocol_error}", 1), to("10.62.5.9:8443")).istio(), "plaintext-to-tls-upstream", "upstream-protocol-error"},

		// UR, LR
		{out(503, "UR", before+"{remote_reset}", 3).istio(), "upstream-remote-reset", "upstream-protocol-error"},
		{with(out(200, "UR", before+"{remote_reset}", 3), grpc).object(), "upstream-remote-reset", "upstream-protocol-error"},
		{out(503, "URX,UR", before+"{remote_refused_stream_reset}", 3).istio(), "upstream-remote-reset", "peer-draining"},
		{out(503, "UR", "", 3).envoy(), "upstream-remote-reset", "upstream-protocol-error"},
		{out(503, "", before+"{remote reset}", 3).object("response_flags"), "upstream-remote-reset", "upstream-protocol-error"},
		{connection("UR", 7).istio(), "upstream-remote-reset", "plaintext-to-strict-mtls upstream-closed"},
		{connection("UR", 7).envoy(), "upstream-remote-reset", "upstream-closed"},
		{out(503, "LR", before+"{local_reset}", 3).istio(), "local-reset", "upstream-protocol-error"},
		{out(503, "LR,URX", "", 3).mixer(), "local-reset", "upstream-protocol-error"},
		{out(503, "", before+"{local_refused_stream_reset}", 3).object("response_flags"), "local-reset", "upstream-closed"},
		{out(503, "", before+"{HTTP/1_premature_upstream_half_close}", 3).object("response_flags"), "local-reset", "upstream-closed"},
	}
}

func timeRecords() []ruled {
	dialling := func(h *hop) { h.upLocal = "" }
	return []ruled{
		{out(504, "UT", "response_timeout", 15001).istio(), "route-timeout", ""},
		{out(504, "UT", "upstream_response_timeout", 3000).istio(), "route-timeout", ""},
		{out(504, "URX,UT", "response_timeout", 15001).istio(), "route-timeout", ""},
		{out(204, "UT", "response_timeout", 300).istio(), "route-timeout", ""},
		{with(out(200, "UT", "response_timeout", 300), func(h *hop) { h.method, h.proto = "POST", "HTTP/2" }).object(), "route-timeout", ""},
		{with(out(504, "UT", "response_timeout", 400), dialling).istio(), "route-timeout", "upstream-connect-timeout"},
		{with(out(504, "UT", "response_timeout", 400), func(h *hop) { h.host, h.upLocal = "", "" }).istio(), "route-timeout", ""},
		{out(504, "UT", "", 15001).mixer(), "route-timeout", "per-try-timeout upstream-connect-timeout"},
		{out(504, "UT", "", 15001).envoy(), "route-timeout", "per-try-timeout upstream-connect-timeout"},
		{out(504, "", "response_timeout", 15001).object("response_flags"), "route-timeout", ""},
		{out(504, "UT", "upstream_per_try_timeout", 2001).istio(), "per-try-timeout", ""},
		{out(504, "URX,UT", "upstream_per_try_timeout", 6031).istio(), "per-try-timeout", ""},
		{out(504, "UT", "upstream_per_try_idle_timeout", 2001).object(), "per-try-timeout", ""},
		{out(504, "UMSDR", "upstream_max_stream_duration_reached", 2001).istio(), "max-stream-duration", ""},
		{out(408, "UMSDR", "", 2001).envoy(), "max-stream-duration", ""},
		{out(504, "", "upstream_max_stream_duration_reached", 2001).object("response_flags"), "max-stream-duration", ""},
		{out(504, "SI", "stream_idle_timeout", 300001).istio(), "stream-idle-timeout", ""},
		{out(200, "SI", "stream_idle_timeout", 300001).istio(), "stream-idle-timeout", ""},
		{out(101, "SI", "stream_idle_timeout", 413322).istio(), "stream-idle-timeout", ""},
		{out(408, "SI", "stream_idle_timeout", 300001).istio(), "stream-idle-timeout", "slow-client"},
		{out(504, "", "stream_idle_timeout", 300001).object("response_flags"), "stream-idle-timeout", ""},
		{with(connection("DT", 3600001), func(h *hop) { h.received, h.sent = 5120, 9000 }).istio(), "connection-max-age", ""},
	}
}

func retryRecords() []ruled {
	served := func(h *hop) { h.served = "59" }
	return []ruled{
		{with(out(503, "URX", "via_upstream", 88), served).istio(), "retries-exhausted", "upstream-5xx"},
		{with(out(200, "URX", "via_upstream", 88), served).object(), "retries-exhausted", "upstream-5xx"},
		{with(out(500, "URX", "", 88), served).mixer(), "retries-exhausted", "upstream-5xx"},
		{out(503, "URX", "", 88).mixer(), "retries-exhausted", "upstream-connect-failed upstream-5xx"},
		{connection("URX", 88).istio(), "retries-exhausted", "upstream-connect-failed upstream-5xx"},
		{with(connection("URX", 0), func(h *hop) { h.host, h.cluster = "", "" }).istio(), "rate-limited-local", "retries-exhausted"},
	}
}

// reasonSamples are reasons as old and new versions print them, and what they
// prove.
var reasonSamples = []struct{ text, cluster, cause, rivals string }{
	{"delayed_connect_error:_111", basket, "upstream-refused", "stale-endpoint"},
	{"delayed connect error: 111", basket, "upstream-refused", "stale-endpoint"},
	{"delayed_connect_error:_Connection_refused", basket, "upstream-refused", "stale-endpoint"},
	{"immediate_connect_error:_Connection_refused|remote_address:@basket", basket, "upstream-refused", "stale-endpoint"},
	{"immediate_connect_error:_No_such_file_or_directory|remote_address:/run/basket.sock", basket, "upstream-refused", "stale-endpoint"},
	{"delayed_connect_error:_111", "inbound|7070||", "upstream-refused", "app-crash"},
	{"delayed_connect_error:_Connection_refused", "PassthroughCluster", "upstream-refused", "egress-passthrough"},
	{"delayed_connect_error:_Connection_refused", "InboundPassthroughCluster", "upstream-refused", "inbound-undeclared-port"},
	{"delayed_connect_error:_113", basket, "upstream-unreachable", "stale-endpoint"},
	{"delayed_connect_error:_No_route_to_host", basket, "upstream-unreachable", "stale-endpoint"},
	{"immediate_connect_error:_101", basket, "upstream-unreachable", "stale-endpoint"},
	{"immediate_connect_error:_Network_is_unreachable|remote_address:[fd00::7]:7070|remote_address_family:v6|local_address_family:v6", basket, "upstream-unreachable", "stale-endpoint"},
	{"immediate_connect_error:_Permission_denied|remote_address:10.62.5.9:7070", basket, "upstream-unreachable", "stale-endpoint"},
	{"immediate connect error: Invalid argument", basket, "upstream-unreachable", "stale-endpoint"},
	{"delayed_connect_error:_110", basket, "upstream-connect-timeout", "stale-endpoint"},
	{"delayed_connect_error:_Connection_timed_out", basket, "upstream-connect-timeout", "stale-endpoint"},
	{"failed_to_bind_to_10.62.3.18:0:_Cannot_assign_requested_address", basket, "local-connection-failure", "fd-limit-crash"},
	{"socket_creation_failure", basket, "local-connection-failure", "fd-limit-crash"},
	{"immediate_connect_error:_99", basket, "local-connection-failure", "fd-limit-crash"},

	{tlsError(268435703, "WRONG_VERSION_NUMBER"), basket, "mtls-to-plaintext", "tls-to-plaintext-upstream"},
	{"TLS error: 268435703:SSL routines:OPENSSL_internal:WRONG_VERSION_NUMBER", "depot", "mtls-to-plaintext", "tls-to-plaintext-upstream"},
	{tlsError(268435703, "WRONG_VERSION_NUMBER"), fx, "tls-to-plaintext-upstream", "mtls-to-plaintext"},
	{"TLS_error:_268435703:SSL_routines:OPENSSL_internal:WRONG_VERSION_NUMBER", fx, "tls-to-plaintext-upstream", "mtls-to-plaintext"},
	{"TLS_error:_Secret_is_not_supplied_by_SDS", basket, "workload-cert-not-issued", ""},
	{tlsError(268435581, "CERTIFICATE_VERIFY_FAILED:verify_cert_failed:_SAN_matcher,_certificate_SANs_are_[connection-refused.example.org,_wrong-version-number.example.org]"), fx, "upstream-cert-untrusted", ""},
	{tlsError(268435581, "CERTIFICATE_VERIFY_FAILED:verify_cert_failed:_X509_verify_cert:_certificate_verification_error_at_depth_0:_certificate_has_expired"), fx, "certificate-expired", "clock-skew"},
	{tlsError(268435581, "CERTIFICATE_VERIFY_FAILED:verify_cert_failed:_X509_verify_cert:_certificate_verification_error_at_depth_0:_certificate_is_not_yet_valid"), fx, "clock-skew", "certificate-expired"},
	{tlsError(268435581, "CERTIFICATE_VERIFY_FAILED:verify_cert_failed:_X509_verify_cert:_certificate_verification_error_at_depth_0:_certificate_revocation_check_against_provided_CRLs_failed:_certificate_revoked"), fx, "certificate-revoked", ""},
	{tlsError(268435581, "CERTIFICATE_VERIFY_FAILED:verify_cert_failed:_X509_verify_cert:_certificate_verification_error_at_depth_1:_unable_to_get_local_issuer_certificate"), fx, "upstream-cert-untrusted", ""},
	{tlsError(268435581, "CERTIFICATE_VERIFY_FAILED:verify_cert_failed:_cert_hash_and_spki"), fx, "upstream-cert-untrusted", ""},
	{"TLS error: 268435581:SSL routines:OPENSSL_internal:CERTIFICATE_VERIFY_FAILED", fx, "upstream-cert-untrusted", "certificate-expired certificate-revoked"},
	{tlsError(268436501, "SSLV3_ALERT_CERTIFICATE_EXPIRED"), basket, "certificate-expired", "clock-skew"},
	{tlsError(268436500, "SSLV3_ALERT_CERTIFICATE_REVOKED"), basket, "certificate-revoked", ""},
	{"TLS_error:|268436496:SSL_routines:OPENSSL_internal:SSLV3_ALERT_HANDSHAKE_FAILURE|268435610:SSL_routines:OPENSSL_internal:HANDSHAKE_FAILURE_ON_CLIENT_HELLO:TLS_error_end", fx, "tls-params-mismatch", "client-cert-refused"},
	{tlsError(268436526, "TLSV1_ALERT_PROTOCOL_VERSION"), fx, "tls-params-mismatch", "client-cert-refused"},
	{tlsError(268436568, "TLSV1_ALERT_UNRECOGNIZED_NAME"), fx, "tls-params-mismatch", "client-cert-refused"},
	{tlsError(268436576, "TLSV1_ALERT_NO_APPLICATION_PROTOCOL"), fx, "tls-params-mismatch", "client-cert-refused"},
	{tlsError(268435696, "UNSUPPORTED_PROTOCOL"), fx, "tls-params-mismatch", "client-cert-refused"},
	{tlsError(268436504, "TLSV1_ALERT_UNKNOWN_CA"), basket, "client-cert-refused", "certificate-expired"},
	{"TLS error: 268436504:SSL routines:OPENSSL_internal:TLSV1_UNKNOWN_CA", basket, "client-cert-refused", "certificate-expired"},
	{tlsError(268436572, "TLSV1_ALERT_CERTIFICATE_REQUIRED"), basket, "client-cert-refused", "certificate-expired"},
	{tlsError(268436498, "SSLV3_ALERT_BAD_CERTIFICATE"), basket, "client-cert-refused", "certificate-expired"},
	{tlsError(268436502, "SSLV3_ALERT_CERTIFICATE_UNKNOWN"), basket, "client-cert-refused", "certificate-expired"},
	{tlsError(268436496, "SSLV3_ALERT_HANDSHAKE_FAILURE"), basket, "client-cert-refused", "tls-params-mismatch"},
	{"TLS_error:|33554536:system_library:OPENSSL_internal:Connection_reset_by_peer:TLS_error_end", basket, "upstream-connect-failed", "tls-params-mismatch client-cert-refused"},
	{tlsError(268436536, "TLSV1_ALERT_INTERNAL_ERROR"), basket, "tls-params-mismatch", "client-cert-refused upstream-connect-failed"},
}

func tlsError(code int, name string) string {
	return fmt.Sprintf("TLS_error:|%d:SSL_routines:OPENSSL_internal:%s:TLS_error_end", code, name)
}

// reasonRecords puts every reason into every place where it may stand.
func reasonRecords() (records []ruled) {
	for _, s := range reasonSamples {
		inside := strings.ReplaceAll(s.text, " ", "_")
		also := func(id string) string { return strings.TrimSpace(s.rivals + " " + id) }
		h := hop{code: 503, took: 12, host: "10.62.5.9:7070", cluster: s.cluster, reason: s.text}
		records = append(records,
			ruled{with(h, func(h *hop) { h.flags, h.details = "UF", before+"{remote_connection_failure|"+inside+"}" }).istio(), s.cause, s.rivals},
			ruled{with(h, func(h *hop) { h.flags, h.details = "UF,URX", before+"{connection_failure,"+inside+"}" }).istio(), s.cause, s.rivals},
			ruled{with(h, func(h *hop) { h.flags = "UF,URX" }).mixer(), s.cause, s.rivals},
			ruled{with(h, func(h *hop) {
				h.flags, h.details, h.code = "URX,UF", before+"{remote_connection_failure|"+inside+"}", 200
			}).object(), s.cause, s.rivals},
			ruled{with(h, func(h *hop) { h.flags, h.details = "UF", before+"{remote_connection_failure|"+inside+"}" }).object("upstream_transport_failure_reason"), s.cause, s.rivals},
			ruled{with(h, func(h *hop) { h.details = before + "{remote_connection_failure|" + inside + "}" }).object("response_flags"), s.cause, s.rivals},
			ruled{with(h, func(h *hop) { h.flags, h.code, h.method = "UF,URX", 0, "tcp" }).istio(), s.cause, s.rivals},
			ruled{with(h, func(h *hop) { h.code, h.method = 0, "tcp" }).istio(), s.cause, s.rivals},
			ruled{with(h, func(h *hop) { h.flags, h.code, h.details = "DC", 0, "downstream_remote_disconnect" }).istio(), s.cause, also("client-disconnected")},
			ruled{with(h, func(h *hop) { h.flags, h.code, h.details = "UT", 504, "response_timeout" }).istio(), s.cause, also("route-timeout")},
			ruled{with(h, func(h *hop) { h.flags, h.details, h.served = "URX", "via_upstream", "3" }).istio(), s.cause, also("retries-exhausted")},
		)
	}
	return records
}

func TestReasonRules(t *testing.T) { checkRuled(t, reasonRecords()) }

// No rule may stand behind others that leave nothing to it.
func TestNoRuleOfUpstreamIsDead(t *testing.T) {
	c := classifier(t)
	all := Rules()
	type key struct{ when, cause string }
	reached := map[key]bool{}
	for _, r := range slices.Concat(routingRecords(), upstreamRecords(), reasonRecords()) {
		line := record(t, r.line, parser.Access)
		if n := c.plan(line, failedAccess(line)).decide(c, line); n >= 0 {
			reached[key{all[n].When, all[n].Cause}] = true
		}
	}
	for _, r := range slices.Concat(routingRules, upstreamRules) {
		if !reached[key{r.When, r.Cause}] {
			t.Errorf("no record reaches the rule of %s: %s", r.Cause, r.When)
		}
	}
}

func TestUpstreamAllocatesNothing(t *testing.T) {
	c := classifier(t)
	for _, r := range slices.Concat(routingRecords(), upstreamRecords()) {
		line := record(t, r.line, parser.Access)
		c.Classify(line)
		if n := testing.AllocsPerRun(10, func() { c.Classify(line) }); n != 0 {
			t.Errorf("%v allocations: %s", n, r.line)
		}
	}
}
