package classify

import (
	"regexp"
	"slices"
	"strings"
	"testing"
)

// A check answers, whatever is installed, and its answer says of what: kubectl
// refuses a list of kinds as a whole when the cluster lacks one of them, shows
// ten lines of each pod that a label selects, and a part of a YAML document
// does not say whose it is.
func TestChecksAnswer(t *testing.T) {
	gatewayAPI := []string{"httproutes", "grpcroutes", "tcproutes", "tlsroutes", "referencegrants", "backendtlspolicies", "gateways.gateway.networking.k8s.io"}
	kinds := regexp.MustCompile(`kubectl get ([a-z0-9.,]+)`)
	byLabel := regexp.MustCompile(`kubectl logs .* -l `)
	for _, cause := range Causes() {
		for _, check := range cause.Checks {
			if m := kinds.FindStringSubmatch(check); m != nil {
				list := strings.Split(m[1], ",")
				if len(list) > 1 && slices.ContainsFunc(list, func(kind string) bool { return slices.Contains(gatewayAPI, kind) }) {
					t.Errorf("%s: without the Gateway API all of it fails: %s", cause.ID, check)
				}
				if slices.Contains(list, "gateways") || slices.Contains(list, "gateway") {
					t.Errorf("%s: two kinds have this name: %s", cause.ID, check)
				}
			}
			if byLabel.MatchString(check) && !strings.Contains(check, "--tail=") {
				t.Errorf("%s: ten lines of each pod: %s", cause.ID, check)
			}
			if strings.Contains(check, " -A -o yaml") && !strings.Contains(check, "name:") {
				t.Errorf("%s: nothing says of which object: %s", cause.ID, check)
			}
			if columns, ok := strings.CutPrefix(check[strings.Index(check, "custom-columns=")+1:], "ustom-columns="); ok && columns[0] != '\'' && strings.ContainsAny(strings.Fields(columns)[0], "'\"*[]{}") {
				t.Errorf("%s: a shell takes more than a word from the columns: %s", cause.ID, check)
			}
		}
	}
}

// What is installed everywhere is asked for first.
func TestGatewayAPIComesLast(t *testing.T) {
	for _, cause := range Causes() {
		if len(cause.Checks) > 0 && strings.Contains(cause.Checks[0], "get httproutes") && !strings.HasPrefix(cause.ID, "backend-ref") {
			t.Errorf("%s: begins with %s", cause.ID, cause.Checks[0])
		}
	}
}
