package monitoring

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"go.yaml.in/yaml/v3"
)

// TestEachAlertIsTested demands that the unit tests for promtool, which e2e
// runs, say of each alert when it fires and when it does not.
func TestEachAlertIsTested(t *testing.T) {
	files, err := filepath.Glob("../../deploy/rules/*_test.yaml")
	if err != nil || len(files) == 0 {
		t.Fatal(files, err)
	}
	fires, quiet := map[string]bool{}, map[string]bool{}
	for _, name := range files {
		data, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		var doc struct {
			RuleFiles []string `yaml:"rule_files"`
			Tests     []struct {
				Rules []struct {
					Alert string `yaml:"alertname"`
					Want  []any  `yaml:"exp_alerts"`
				} `yaml:"alert_rule_test"`
				Queries []struct {
					Samples []struct{ Labels string } `yaml:"exp_samples"`
				} `yaml:"promql_expr_test"`
			}
		}
		if err := yaml.Unmarshal(data, &doc); err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		if len(doc.RuleFiles) != 1 || doc.RuleFiles[0] != RuleFile().Name {
			t.Errorf("%s tests %v", name, doc.RuleFiles)
		}
		for _, test := range doc.Tests {
			for _, r := range test.Rules {
				fires[r.Alert] = fires[r.Alert] || len(r.Want) > 0
				quiet[r.Alert] = quiet[r.Alert] || len(r.Want) == 0
			}
			for _, q := range test.Queries {
				for _, s := range q.Samples {
					_, rest, _ := strings.Cut(s.Labels, `alertname="`)
					alert, _, _ := strings.Cut(rest, `"`)
					fires[alert] = fires[alert] || strings.Contains(s.Labels, `alertstate="firing"`)
				}
			}
		}
	}
	for _, a := range append(meshAlerts(), selfAlerts()...) {
		if !fires[a.name] || !quiet[a.name] {
			t.Errorf("%s: a test that it fires: %v; that it does not: %v", a.name, fires[a.name], quiet[a.name])
		}
	}
}
