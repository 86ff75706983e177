package monitoring

import (
	"flag"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/flagwatch/flagwatch/internal/generated"
)

var update = flag.Bool("update", false, "write rules, dashboards and runbooks again")

// TestGeneratedMonitoring compares what is in the tree, and what the chart
// takes along, with what is made.
func TestGeneratedMonitoring(t *testing.T) {
	t.Chdir("../..")
	generated.File(t, *update, "docs/runbooks.md", Runbooks())
	for _, name := range []string{"deploy/rules/flagwatch.yaml", "deploy/chart/files/rules.yaml"} {
		generated.File(t, *update, name, RuleFile().Text)
	}
	for _, dir := range []string{"deploy/dashboards", "deploy/chart/files/dashboards"} {
		known := map[string]bool{}
		for _, f := range DashboardFiles() {
			known[f.Name] = true
			generated.File(t, *update, filepath.Join(dir, f.Name), f.Text)
		}
		files, err := os.ReadDir(dir)
		if err != nil {
			t.Fatal(err)
		}
		for _, f := range files {
			if !known[f.Name()] {
				t.Errorf("%s/%s is no dashboard of ours", dir, f.Name())
			}
		}
	}
}

// TestRunbookLinks demands that each alert leads to a section of the page, and
// each section to causes that CAUSES.md has.
func TestRunbookLinks(t *testing.T) {
	page, err := os.ReadFile("../../docs/runbooks.md")
	if err != nil {
		t.Fatal(err)
	}
	list, err := os.ReadFile("../../classify/CAUSES.md")
	if err != nil {
		t.Fatal(err)
	}
	sections := map[string]bool{}
	for line := range strings.Lines(string(page)) {
		if name, ok := strings.CutPrefix(line, "### "); ok {
			sections[strings.ToLower(strings.TrimSpace(name))] = true
		}
	}
	for _, g := range Rules().Groups {
		for _, r := range g.Rules {
			anchor, ok := strings.CutPrefix(r.Annotations["runbook_url"], pages+"docs/runbooks.md#")
			if r.Alert != "" && (!ok || !sections[anchor]) {
				t.Errorf("%s: no section for %s", r.Alert, r.Annotations["runbook_url"])
			}
		}
	}
	for _, f := range Families() {
		for _, c := range f.Causes() {
			if !strings.Contains(string(list), "\n## "+c.ID+"\n") {
				t.Errorf("%s: CAUSES.md has no %s", f.Alert, c.ID)
			}
		}
	}
}
