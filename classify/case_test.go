package classify

import "testing"

// A host outside of the mesh is one that Kubernetes does not name.
func TestOutside(t *testing.T) {
	for cluster, want := range map[string]bool{
		"outbound|443||pay.example.org":                 true,
		"outbound|443|v2|pay.example.org":               true,
		"outbound|443||*.example.org":                   true,
		"outbound|8080||cart.shop.svc.cluster.local":    false,
		"outbound|8080||cart.shop.svc":                  false,
		"outbound|8080||cart.shop.svc.mesh.example.org": false,
		"outbound|8080||cart":                           false,
		"outbound|5432||db.legacy.local":                false,
		"inbound|8080||":                                false,
		"inbound|8080||pay.example.org":                 false,
		"PassthroughCluster":                            false,
		"pay.example.org":                               false,
		"":                                              false,
	} {
		if got := Outside([]byte(cluster)); got != want {
			t.Errorf("%q: %v", cluster, got)
		}
	}
}

// Each case says what to do, and something else than its cause.
func TestCases(t *testing.T) {
	for _, cause := range Causes() {
		met := map[Picture]bool{}
		for _, k := range cause.Cases {
			if met[k.Picture] || k.Remedy == "" || k.Remedy == cause.Remedy || k.Side == cause.Side || k.Severity == cause.Severity && k.Severity != NoSeverity || k.Picture.String() == "" {
				t.Errorf("%s, %s: %+v", cause.ID, k.Picture, k)
			}
			met[k.Picture] = true
		}
	}
}
