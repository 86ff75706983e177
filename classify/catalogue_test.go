package classify

import (
	"regexp"
	"slices"
	"strings"
	"testing"
)

// placeholders are what a report fills into a check.
var placeholders = []string{"pod", "namespace", "cluster", "service", "port", "subset", "host", "upstream_ip", "upstream_port", "upstream_pod", "upstream_namespace", "client_ip", "authority", "sni", "route", "node", "code"}

// A row that nobody can act on is no row.
func TestRowsAreComplete(t *testing.T) {
	c := classifier(t)
	asked := regexp.MustCompile(`\{[a-z_]+\}`)
	ruled := map[string]bool{}
	for _, r := range Rules() {
		ruled[r.Cause] = true
	}
	for _, cause := range c.All() {
		for what, missing := range map[string]bool{
			"title": cause.Title == "", "meaning": cause.Meaning == "", "evidence": cause.Evidence == "" && cause.Seen != Topic,
			"remedy": cause.Remedy == "", "page": len(cause.Docs) == 0, "side": cause.Side == NoSide, "severity": cause.Severity == NoSeverity,
			"example": len(cause.Examples) == 0 && ruled[cause.ID],
		} {
			if missing {
				t.Errorf("%s has no %s", cause.ID, what)
			}
		}
		checks := slices.Clone(cause.Checks)
		for _, k := range cause.Cases {
			checks = append(checks, k.Checks...)
		}
		for _, check := range checks {
			for _, p := range asked.FindAllString(check, -1) {
				if !slices.Contains(placeholders, strings.Trim(p, "{}")) {
					t.Errorf("%s: check %q: nothing fills %s", cause.ID, check, p)
				}
			}
		}
		for _, r := range cause.Rivals {
			if other, ok := c.Cause(r.ID); !ok || other.ID != r.ID || r.ID == cause.ID {
				t.Errorf("%s: rival %q is no other cause", cause.ID, r.ID)
			}
		}
		if parent, ok := c.Cause(cause.Parent); cause.Parent != "" && (!ok || parent.ID != cause.Parent) {
			t.Errorf("%s: no cause %q above it", cause.ID, cause.Parent)
		}
	}
}

// Each row of the catalogue is found by its id.
func TestDocumented(t *testing.T) {
	for _, c := range Causes() {
		if got := Documented(c.ID); got == nil || got.ID != c.ID || got.Title != c.Title {
			t.Errorf("%s: %v", c.ID, got)
		}
	}
	if got := Documented("nightly-restart"); got != nil {
		t.Errorf("a cause that nobody documents: %v", got)
	}
}
