package classify

import (
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

// What clients and proxies print, by the first cause to think of.
func TestSymptomOf(t *testing.T) {
	for text, want := range map[string]string{
		"curl: (35) error:0A00010B:SSL routines::wrong version number":                                                              "https-to-http-port",
		"upstream connect error or disconnect/reset before headers. reset reason: connection termination":                           "upstream-closed",
		"upstream connect error or disconnect/reset before headers. reset reason: overflow":                                         "circuit-breaker-overflow",
		"upstream connect error or disconnect/reset before headers. retried and the latest reset reason: remote connection failure": "upstream-refused",
		"no healthy upstream":      "no-endpoints",
		"upstream request timeout": "route-timeout",
		"RBAC: access denied":      "rbac-denied",
		"Jwt is missing":           "jwt-missing",
		"curl: (35) OpenSSL SSL_connect: SSL_ERROR_SYSCALL in connection to shop.example.com:443": "sni-no-match",
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
