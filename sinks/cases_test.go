package sinks

import (
	"bytes"
	"slices"
	"strings"
	"testing"

	"github.com/flagwatch/flagwatch/classify"
	"github.com/flagwatch/flagwatch/parser"
)

// brokenTLS is a request to a cluster that failed for a reason of TLS.
func brokenTLS(at, cluster, reason string) string {
	line := accessAt(at, access{code: "503", flags: "UF", details: "upstream_reset_before_response_started{remote_connection_failure}", cluster: cluster, host: "192.0.2.7:443"})
	return strings.Replace(line, ` - "-" 0 95`, ` - "TLS_error:|`+reason+`:TLS_error_end" 0 95`, 1)
}

const (
	alertExpired = "268436501:SSL_routines:OPENSSL_internal:SSLV3_ALERT_CERTIFICATE_EXPIRED"
	foundExpired = "268435581:SSL_routines:OPENSSL_internal:CERTIFICATE_VERIFY_FAILED:verify_cert_failed:_certificate_has_expired"
	alertRevoked = "268436500:SSL_routines:OPENSSL_internal:SSLV3_ALERT_CERTIFICATE_REVOKED"
	elsewhere    = "outbound|443||pay.example.org"
)

// Whose certificate it is decides where to look first, who has to act, and
// what to do: the proxy's own, the mesh's, or that of somebody else.
func TestWhoseCertificate(t *testing.T) {
	for name, test := range map[string]struct{ cluster, reason, side, first, remedy string }{
		"own":             {reviews, alertExpired, "control-plane", "istioctl proxy-config secret cart-7f9c6d5b8-x2x7k ", "this proxy's own"},
		"own, elsewhere":  {elsewhere, alertExpired, "control-plane", "istioctl proxy-config secret cart-7f9c6d5b8-x2x7k ", "this proxy's own"},
		"own, revoked":    {reviews, alertRevoked, "control-plane", "istioctl proxy-config secret cart-7f9c6d5b8-x2x7k ", "this proxy's own"},
		"of the mesh":     {reviews, foundExpired, "control-plane", "openssl s_client -connect 192.0.2.7:443", "istiod down"},
		"of another host": {elsewhere, foundExpired, "application", "openssl s_client -connect 192.0.2.7:443", "outside of the mesh"},
	} {
		c := reportOf(placed("cart-7f9c6d5b8-x2x7k", "istio-proxy", repeat(eachSecond(30), func(at string) string { return brokenTLS(at, test.cluster, test.reason) }))).Causes[0]
		if c.Verdict.Side != test.side || !strings.HasPrefix(c.Next[0], test.first) || !strings.Contains(c.Remedy, test.remedy) || c.Side != "control-plane" {
			t.Errorf("%s: side %s, remedy %s, next %q", name, c.Verdict.Side, c.Remedy, c.Next)
		}
	}
}

// One record tells the same when it is pasted.
func TestWhoseCertificateOfOneRecord(t *testing.T) {
	for reason, want := range map[string]string{alertExpired: "this proxy's own", foundExpired: "outside of the mesh"} {
		c := catalogue()
		p := parser.NewParser(parser.AllFields)
		p.Reset(padded(brokenTLS("10:00:00", elsewhere, reason)))
		r, _ := p.Next()
		var b bytes.Buffer
		if err := WriteVerdict(&b, "a record", r, c.Classify(r), TextOptions{Width: 400}); err != nil || !strings.Contains(b.String(), want) {
			t.Errorf("%v: %s", err, b.String())
		}
	}
}

// A host outside of the mesh has no pod to look for and no port of a Service
// to mend, whatever the cause.
func TestOutsideHostsHaveNoPods(t *testing.T) {
	for _, flags := range []string{"UF", "UC"} {
		for reason, details := range map[string]string{
			"refused": "upstream_reset_before_response_started{remote_connection_failure|delayed_connect_error:_Connection_refused}",
			"silent":  "upstream_reset_before_response_started{connection_timeout}",
			"closed":  "upstream_reset_before_response_started{connection_termination}",
		} {
			c := reportOf(repeat(eachSecond(30), func(at string) string {
				return accessAt(at, access{code: "503", flags: flags, details: details, cluster: elsewhere, host: "192.0.2.7:443"})
			})).Causes[0]
			for _, command := range c.Next {
				if strings.Contains(command, "podIP=192.0.2.7") || strings.Contains(command, "POD") {
					t.Errorf("%s %s: %s", flags, reason, command)
				}
			}
			if strings.Contains(c.Remedy, "targetPort") {
				t.Errorf("%s %s: %s", flags, reason, c.Remedy)
			}
		}
	}
}

// What answered before has no wrong port: its process ended. What never
// answered may have one.
func TestRefusedAfterAnswers(t *testing.T) {
	hosts := []string{"10.42.3.9:9080", "10.42.3.10:9080"}
	good := repeat(every(0, 1, 120), func(at string) string { return okFrom(at, hosts[0]) + okFrom(at, hosts[1]) })
	bad := repeat(every(3, 1, 120), func(at string) string { return refusedBy(at, hosts[0]) + refusedBy(at, hosts[1]) })
	after, never := reportOf(good + bad).Causes[0], reportOf(bad).Causes[0]
	if next := strings.Join(after.Next, "\n"); strings.Contains(next, ".spec.ports") || !strings.Contains(next, "--previous") || !strings.Contains(after.Remedy, "Last State") || after.Rivals[0].ID != "app-crash" {
		t.Errorf("%s\n%s\n%+v", after.Remedy, next, after.Rivals)
	}
	if text := evidenceOf(after, answeredEvidence); !strings.HasPrefix(text, "240 requests of reviews.shop.svc.cluster.local succeeded before 10:03:00") {
		t.Errorf("evidence %q", text)
	}
	if !strings.Contains(never.Remedy, "targetPort") || evidenceOf(never, answeredEvidence) != "" {
		t.Errorf("never answered: %s", never.Remedy)
	}
	again := reportOf(bad + repeat(every(6, 1, 120), func(at string) string { return okFrom(at, hosts[0]) + okFrom(at, hosts[1]) }) + repeat(every(9, 1, 60), func(at string) string { return refusedBy(at, hosts[0]) + refusedBy(at, hosts[1]) })).Causes[0]
	if text := evidenceOf(again, answeredEvidence); text != "2 hosts that refuse answered at other times" || !strings.Contains(again.Remedy, "its port is right") {
		t.Errorf("evidence %q, %s", text, again.Remedy)
	}
	if other := reportOf(bad + repeat(every(6, 1, 120), func(at string) string { return okFrom(at, "10.42.3.77:9080") })).Causes[0]; evidenceOf(other, answeredEvidence) != "" {
		t.Errorf("other hosts answered: %+v", other.Evidence)
	}
}

func evidenceOf(c Card, kind string) string {
	for _, e := range c.Evidence {
		if e.Kind == kind {
			return e.Text
		}
	}
	return ""
}

// A host that refuses, and cuts connections in between, is in a crash loop;
// one that cut connections once is not.
func TestCrashLoop(t *testing.T) {
	closed := func(at string) string {
		return accessAt(at, access{code: "503", flags: "UC", details: "upstream_reset_before_response_started{connection_termination}", cluster: reviews})
	}
	bad := repeat(every(0, 1, 300), func(at string) string { return refusedBy(at, "10.42.3.9:9080") })
	if got := evidenceOf(causeOf(reportOf(bad+repeat(every(0, 65, 5), closed)), "upstream-refused"), loopEvidence); !strings.Contains(got, "cut them, at 5 times from 10:00:00 to 10:04:20") {
		t.Errorf("evidence %q", got)
	}
	if got := evidenceOf(causeOf(reportOf(bad+repeat(every(0, 1, 5), closed)), "upstream-refused"), loopEvidence); got != "" {
		t.Errorf("once: %q", got)
	}
}

func causeOf(r *Report, id string) Card {
	return r.Causes[slices.IndexFunc(r.Causes, func(c Card) bool { return c.ID == id })]
}

// Everybody who is denied from a moment on was let in before: a policy was
// made, which is an outage and no client's fault. One who is denied among
// others is that.
func TestDeniedFromAMoment(t *testing.T) {
	for id, a := range map[string]access{
		"rbac-denied":        {code: "403", details: "rbac_access_denied_matched_policy[none]"},
		"ext-authz-denied":   {code: "403", flags: "UAEX", details: "ext_authz_denied"},
		"jwt-missing":        {code: "401", details: "jwt_authn_access_denied{Jwt_is_missing}"},
		"jwt-issuer-unknown": {code: "401", details: "jwt_authn_access_denied{Jwt_issuer_is_not_configured}"},
		"jwt-audience":       {code: "403", details: "jwt_authn_access_denied{Audiences_in_Jwt_are_not_allowed}"},
	} {
		for cluster, side := range map[string]string{reviews: "client-proxy", inbound: "server-proxy"} {
			a.cluster = cluster
			good := repeat(every(0, 1, 120), okAt(cluster))
			denied := repeat(every(3, 1, 120), func(at string) string { return accessAt(at, a) })
			c := reportOf(good + denied).Causes[0]
			if c.ID != id || c.Verdict.Side != side || c.Verdict.Severity != "error" || c.Side != "client" || c.Severity != "warning" || evidenceOf(c, onsetAllEvidence) == "" || c.IfEmpty[0] == "" {
				t.Errorf("%s, %s: side %s, severity %s, next %q", id, side, c.Verdict.Side, c.Verdict.Severity, c.Next)
			}
			for name, text := range map[string]string{"others pass": good + denied + repeat(every(3, 1, 120), okAt(cluster)), "always": denied} {
				if c := reportOf(text).Causes[0]; c.Verdict.Side != "client" || c.Verdict.Severity != "warning" {
					t.Errorf("%s, %s: side %s, severity %s", id, name, c.Verdict.Side, c.Verdict.Severity)
				}
			}
		}
	}
}

// One caller of several who is denied is named; one who is alone is not.
func TestOneCaller(t *testing.T) {
	denied := func(at string) string {
		return by(access{time: "2026-03-02T" + at + ".000Z", code: "403", details: "rbac_access_denied_matched_policy[none]", cluster: inbound}, "10.42.1.8", "curl/8.9.1")
	}
	bad := repeat(every(0, 1, 240), denied)
	if got := evidenceOf(reportOf(bad + repeat(every(0, 1, 240), okAt(inbound))).Causes[0], callerEvidence); got != "one caller of several: 10.42.1.8 has 240 of 240 failures, and others get answers meanwhile" {
		t.Errorf("evidence %q", got)
	}
	if got := evidenceOf(reportOf(bad).Causes[0], callerEvidence); got != "" {
		t.Errorf("alone: %q", got)
	}
}

// A file that is named after a pod names it.
func TestPodOfInput(t *testing.T) {
	for input, want := range map[string]string{
		"pods/cart-6c8d9f7b5d-x2x7k.log": "cart-6c8d9f7b5d-x2x7k", "a-b-6c8d9f7b5d-x2x7k.log.gz": "a-b-6c8d9f7b5d-x2x7k",
		"cart.log": "", "10.42.3.9": "", "-": "", "": "", "access-2026-03-02.log": "", "frontend-access-proxy.log": "", "6c8d9f7b5d-x2x7k": "",
	} {
		if got := podOfInput(input); got != want {
			t.Errorf("%s: %q, want %q", input, got, want)
		}
	}
}

// No command runs about all pods when the one it is about is gone: what looks
// a pod up hands it on, and never stands inside of another command.
func TestCommandsOfNoPod(t *testing.T) {
	values := map[string]string{"upstream_pod": podOf("10.42.3.9", "shop"), "upstream_namespace": "shop", "code": "503"}
	for _, cause := range classify.Causes() {
		checks := slices.Concat(cause.Checks, onePod)
		for _, k := range cause.Cases {
			checks = append(checks, k.Checks...)
		}
		for _, check := range checks {
			command := fillIn(check, values)
			if strings.Contains(command, "$(") || strings.Contains(check, "{upstream_pod}") && strings.Contains(check, "POD") {
				t.Errorf("%s: %s", cause.ID, command)
			}
			if strings.Contains(check, "{upstream_pod}") && (!strings.HasPrefix(command, "kubectl get pods -n shop --no-headers ") || !strings.Contains(command, " | xargs -r -I POD ") || emptyMeans(command) == "") {
				t.Errorf("%s: %s (%s)", cause.ID, command, emptyMeans(command))
			}
			if filters := strings.Contains(command, "| grep ") || strings.Contains(command, "--field-selector"); filters && emptyMeans(command) == "" {
				t.Errorf("%s: nobody says what it means that this is empty: %s", cause.ID, command)
			}
		}
	}
}
