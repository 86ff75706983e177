package classify

import (
	"slices"
	"testing"

	"github.com/flagwatch/flagwatch/parser"
)

func TestSymptomsNameCauses(t *testing.T) {
	c := classifier(t)
	for _, s := range Symptoms() {
		for _, id := range s.Causes {
			if cause, ok := c.Cause(id); !ok || cause.ID != id {
				t.Errorf("%s: no cause %s", s.Text, id)
			}
		}
	}
}

// What Kubernetes says of any container is both the application's and the
// proxy's, until the text names one.
func TestSymptomsOfAnyContainer(t *testing.T) {
	for text, want := range map[string][]string{
		"OOMKilled":        {"app-crash", "envoy-oom"},
		"exit code 137":    {"app-crash", "envoy-oom"},
		"CrashLoopBackOff": {"app-crash", "sidecar-crashloop-unspecified", "cni-install-crashloop"},
	} {
		s, _ := SymptomOf(text)
		for _, id := range want {
			if s == nil || !slices.Contains(s.Causes, id) {
				t.Errorf("%s does not lead to %s", text, id)
			}
		}
	}
}

// What clients and proxies print, by the first cause to think of.
func TestSymptomOf(t *testing.T) {
	for text, want := range map[string]string{
		"curl: (35) error:0A00010B:SSL routines::wrong version number":                                                              "https-to-http-port",
		"upstream connect error or disconnect/reset before headers. reset reason: connection termination":                           "upstream-closed",
		"upstream connect error or disconnect/reset before headers. reset reason: overflow":                                         "circuit-breaker-overflow",
		"upstream connect error or disconnect/reset before headers. retried and the latest reset reason: remote connection failure": "upstream-refused",
		"no healthy upstream":                                     "no-endpoints",
		"upstream request timeout":                                "route-timeout",
		"RBAC: access denied":                                     "rbac-denied",
		"Jwt is missing":                                          "jwt-missing",
		"dial tcp 10.96.12.34:15012: i/o timeout":                 "control-plane-blocked",
		"dial tcp 10.96.12.34:15012: connect: connection refused": "control-plane-down",
		"Envoy proxy is NOT ready: config not received from XDS server (is Istiod running?)":      "control-plane-unreachable",
		"curl: (6) Could not resolve host: foo":                                                   "dns-failure",
		"Error: read ECONNRESET":                                                                  "upstream-closed",
		"connect ECONNREFUSED 10.1.2.3:80":                                                        "upstream-refused",
		"curl: (35) OpenSSL SSL_connect: SSL_ERROR_SYSCALL in connection to shop.example.com:443": "sni-no-match",
		"OOMKilled": "app-crash",
		"Last State: Terminated, Reason: OOMKilled":              "app-crash",
		"istio-proxy: Last State: Terminated, Reason: OOMKilled": "envoy-oom",
		"Exit Code: 137":               "app-crash",
		"CrashLoopBackOff":             "app-crash",
		"istio-proxy CrashLoopBackOff": "sidecar-crashloop-unspecified",
		"install-cni CrashLoopBackOff": "cni-install-crashloop",
	} {
		if s, ok := SymptomOf(text); !ok || s.Causes[0] != want {
			t.Errorf("%q: got %v, want %s", text, s, want)
		}
	}
	if s, ok := SymptomOf("all is well"); ok {
		t.Errorf("a symptom of nothing: %v", s)
	}
}

func TestAbout(t *testing.T) {
	c := classifier(t)
	uf, _ := parser.FlagByName("UF")
	has := func(list []*Cause, id string) bool {
		for _, cause := range list {
			if cause.ID == id {
				return true
			}
		}
		return false
	}
	if !has(c.AboutFlags(parser.FlagsOf(uf)), "upstream-refused") {
		t.Error("UF does not lead to upstream-refused")
	}
	if list, in := c.AboutText("delayed connect error: Connection refused"); !has(list, "upstream-refused") || len(in) == 0 {
		t.Errorf("a refused connection leads to %v in %v", list, in)
	}
}

// The usual causes come first, and nothing is named that is out of the
// question.
func TestUsualCausesComeFirst(t *testing.T) {
	c := classifier(t)
	for _, id := range usual {
		if cause, ok := c.Cause(id); !ok || cause.ID != id {
			t.Errorf("no cause %s", id)
		}
	}
	flag := func(name string) []*Cause {
		f, _ := parser.FlagByName(name)
		return c.AboutFlags(parser.FlagsOf(f))
	}
	for want, list := range map[string][]*Cause{
		"upstream-refused": flag("UF"), "upstream-closed": flag("UC"), "no-endpoints": flag("UH"), "route-timeout": c.AboutCode(504), "upstream-5xx": c.AboutCode(502), "rbac-denied": c.AboutCode(403), "route-missing": c.AboutCode(404),
	} {
		if len(list) == 0 || list[0].ID != want {
			t.Errorf("%v, want %s first", ids(list), want)
		}
	}
	for _, code := range []int{418, 404, 502, 503, 504} {
		if slices.Contains(ids(c.AboutCode(code)), "mixer-policy-denied") && code != 503 {
			t.Errorf("%d: %v", code, ids(c.AboutCode(code)))
		}
	}
	if got := ids(c.AboutStatus(14)); len(got) == 0 || got[0] != "upstream-refused" || !slices.Contains(got, "no-endpoints") {
		t.Errorf("status 14: %v", got)
	}
	for _, list := range [][]*Cause{c.AboutCode(503), c.AboutStatus(14), flag("UF")} {
		names := ids(list)
		slices.Sort(names)
		if len(slices.Compact(names)) != len(list) {
			t.Errorf("twice: %v", names)
		}
	}
}

func ids(list []*Cause) (names []string) {
	for _, cause := range list {
		names = append(names, cause.ID)
	}
	return names
}
