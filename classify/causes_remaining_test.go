package classify

import (
	"strings"
	"testing"

	"github.com/flagwatch/flagwatch/parser"
)

func answerRecords() []ruled {
	said := func(h hop) hop { return with(h, func(h *hop) { h.served = "34" }) }
	grpc := func(status, cluster, details string) string {
		return strings.TrimSuffix(hop{code: 200, cluster: cluster, details: details, served: "3", proto: "HTTP/2"}.object(), "}") + `,"grpc_status":` + status + `}`
	}
	short := func(code int) string {
		return `{"ts":"2026-05-11T21:40:02.118Z","method":"GET","path":"/basket/7","response_code":` + itoa(code) + `,"duration":4,"upstream_host":"10.62.5.9:7070","authority":"basket"}`
	}
	return []ruled{
		{out(503, "QUOTA", "quota_of_the_team", 2).istio(), "unknown-flag", "extension-answered"},
		{out(503, "QUOTA", "", 2).istio(), "unknown-flag", "extension-answered unknown-origin"},
		{said(out(200, "QUOTA", "via_upstream", 2)).istio(), "unknown-flag", "extension-answered unknown-origin"},
		{out(503, "UF,QUOTA", before+"{remote_connection_failure|delayed_connect_error:_111}", 2).istio(), "upstream-refused", "stale-endpoint"}, // known flags come first

		{said(in(500, "", "via_upstream", 35)).istio(), "app-error", ""},
		{said(in(503, "DI", "via_upstream", 35)).object(), "app-error", ""},
		{said(out(503, "", "via_upstream", 35)).istio(), "upstream-5xx", "app-error"},
		{out(502, "", "via_upstream", 35).istio(), "upstream-5xx", "app-error"}, // answered before the request's end
		{said(out(500, "", "cache.insert_via_upstream", 35)).istio(), "upstream-5xx", "app-error"},
		{grpc("13", "inbound|7070||", "via_upstream"), "app-error", ""},
		{grpc(`"Unavailable"`, basket, "via_upstream"), "upstream-5xx", "app-error"},
		{grpc("5", basket, "via_upstream"), "", ""}, // not found: the application's business
		{said(out(404, "", "via_upstream", 4)).istio(), "", ""},

		{with(out(200, "", "via_upstream", 2009), func(h *hop) { h.flags = "DI" }).istio(), "fault-delay", ""},
		{out(499, "DC", "something_new", 40).istio(), "client-disconnected", ""},

		{out(503, "", before, 40).istio(), "upstream-closed", ""}, // while the body was on its way
		{out(503, "", "no_cluster_found", 0).object(), "cluster-missing", ""},
		{out(403, "", "csrf_origin_mismatch", 0).istio(), "extension-answered", ""},
		{out(401, "", "invalid_credential_for_basic_auth", 0).istio(), "extension-answered", ""},
		{out(500, "", "ext_proc_error_gRPC_error_14{upstream_connect_error_or_disconnect{upstream_reset_before_response_started{remote_connection_failure}}}", 9).istio(), "extension-answered", ""},
		{out(401, "", "State_query_param_is_not_a_valid_JSON:_", 0).istio(), "extension-answered", ""},
		{out(503, "", "OAuth2_secrets_are_not_ready", 0).istio(), "extension-answered", ""},
		{out(404, "", "words_of_a_plugin", 0).istio(), "extension-answered", ""},
		{out(200, "", "lua_response", 0).istio(), "", ""},
		{out(302, "", "oauth.missing_credentials", 0).istio(), "", ""},

		{said(in(500, "", "", 35)).mixer(), "app-error", "unknown-origin"},
		{said(out(500, "", "", 35)).envoy(), "upstream-5xx", "unknown-origin app-error"},
		{terminated(connection("", 9), "idle error of a plugin"), "downstream-closed-locally", ""},
		{with(out(503, "", "", 4), func(h *hop) { h.host = "" }).envoy(), "unknown-origin", "upstream-5xx overload-manager extension-answered"},
		{with(out(504, "", "", 4), func(h *hop) { h.host = "" }).mixer(), "unknown-origin", "upstream-5xx max-stream-duration"},
		{with(out(500, "", "", 4), func(h *hop) { h.host = "" }).envoy(), "unknown-origin", "upstream-5xx extension-answered"},
		{short(503), "unknown-origin", "upstream-5xx upstream-connect-failed no-endpoints"},
		{short(504), "unknown-origin", "upstream-5xx route-timeout"},
		{short(502), "unknown-origin", "upstream-5xx upstream-protocol-error"},
		{short(500), "unknown-origin", "upstream-5xx extension-answered"},
	}
}

func itoa(n int) string {
	return string([]byte{byte('0' + n/100), byte('0' + n/10%10), byte('0' + n%10)})
}

func TestAnswerRules(t *testing.T) { checkRuled(t, answerRecords()) }

// Every flag has a cause of its own, whatever else the record lacks; RFCF is
// no failure.
func TestEveryFlagHasACause(t *testing.T) {
	c := classifier(t)
	for _, f := range parser.FlagList() {
		for _, line := range []string{
			hop{code: 503, flags: f.Short, cluster: basket, host: "10.62.5.9:7070"}.envoy(),
			hop{code: 200, flags: f.Short, cluster: "inbound|7070||", host: "10.62.5.9:7070"}.mixer(),
			hop{code: 0, flags: f.Long, cluster: basket, method: "tcp"}.object(),
		} {
			v := c.Classify(record(t, line, parser.Access))
			if v.Failed && (v.Cause == nil || v.Cause.ID == "unknown-origin" && f.Short != "RFCF" && f.Short != "DI" || v.Cause.ID == "unknown-flag") {
				t.Errorf("%s: %s: %s", f.Short, idOf(v.Cause), line)
			}
		}
	}
}

// A failed record has a cause, whatever it consists of; one that did not fail
// raises no alarm.
func TestEveryFailureHasACause(t *testing.T) {
	c := classifier(t)
	codes := []int{0, 101, 200, 206, 302, 404, 503}
	flags := []string{"", "DC", "UF,URX", "UC", "DPE", "NR", "XX", "RFCF", "UAEX", "RLSE"}
	for _, details := range append(refused, "", "via_upstream", "words_of_a_plugin", "{", "http2.", "upstream_reset_before_response_started{") {
		for _, code := range codes {
			for _, f := range flags {
				for _, h := range []hop{out(code, f, details, 3), {code: code, flags: f, details: details, method: "tcp"}} {
					line := h.istio()
					v := c.Classify(record(t, line, parser.Access))
					if v.Failed && v.Cause == nil || !v.Failed && v.Cause != nil && v.Severity != Info {
						t.Errorf("failed %v, %s: %s", v.Failed, idOf(v.Cause), line)
					}
				}
			}
		}
	}
}
