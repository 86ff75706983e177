package monitoring

import (
	"strings"
	"testing"

	"github.com/flagwatch/flagwatch/classify"
)

// TestFamiliesAreComplete demands that each cause that is counted, and is more
// than information, is alerted of exactly once by those that count its kind.
func TestFamiliesAreComplete(t *testing.T) {
	in := map[bool]map[string][]string{false: {}, true: {}}
	for _, f := range Families() {
		for _, c := range f.Causes() {
			in[f.Events][c.ID] = append(in[f.Events][c.ID], f.Alert)
		}
	}
	for _, c := range classify.Causes() {
		requests, events := in[false][c.ID], in[true][c.ID]
		own := requests
		if c.Seen == classify.InEvents {
			own = events
		}
		want := 1
		if c.Seen == classify.Topic || c.Severity == classify.Info {
			want = 0
		}
		if len(own) != want || len(requests) > 1 || len(events) > 1 || want == 0 && len(events) > 0 {
			t.Errorf("%s (%s, %s) is in %v %v, want %d", c.ID, c.Seen, c.Severity, requests, events, want)
		}
	}
}

func TestFamiliesNameCauses(t *testing.T) {
	known, alerts := map[string]bool{}, map[string]bool{}
	for _, c := range classify.Causes() {
		known[c.ID] = true
	}
	for _, f := range Families() {
		if alerts[f.Alert] {
			t.Errorf("%s is there twice", f.Alert)
		}
		alerts[f.Alert] = true
		if len(f.Causes()) == 0 {
			t.Errorf("%s has no cause", f.Alert)
		}
		for _, id := range f.Roots {
			if !known[id] {
				t.Errorf("%s: no cause %s", f.Alert, id)
			}
		}
	}
}

// TestNearestFamilyOwns: a family that names a cause has it, although another
// one names what stands above.
func TestNearestFamilyOwns(t *testing.T) {
	for _, test := range []struct{ alert, has, hasNot string }{
		{"MeshPolicyServiceFailures", "ext-authz-provider-invalid", "rbac-denied"},
		{"MeshRequestsDenied", "rbac-denied", "ext-authz-provider-invalid"},
		{"MeshNoRoute", "gateway-host-unbound", "unknown-host-probe"},
		{"MeshTLSFailures", "certificate-expired", "clock-skew"},
		{"MeshCertificateTrouble", "clock-skew", "webhook-cert-expired"},
		{"MeshCertificateTrouble", "certificate-expired", "certificate-revoked"},
	} {
		for _, f := range Families() {
			if f.Alert != test.alert {
				continue
			}
			ids := "|" + alternatives(f.Causes()) + "|"
			if !strings.Contains(ids, "|"+test.has+"|") || strings.Contains(ids, "|"+test.hasNot+"|") {
				t.Errorf("%s has %s, want %s and not %s", f.Alert, ids, test.has, test.hasNot)
			}
		}
	}
}
