package check

import (
	"os"
	"path/filepath"
	"reflect"
	"regexp"
	"strings"
	"testing"

	monitoring "github.com/prometheus-operator/prometheus-operator/pkg/apis/monitoring/v1"
	apps "k8s.io/api/apps/v1"
	batch "k8s.io/api/batch/v1"
	core "k8s.io/api/core/v1"
	"k8s.io/pod-security-admission/api"
	"sigs.k8s.io/yaml"
)

const manifestDir = "../manifests"

// plain are the manifests that the chart is rendered into: files, values, and
// which kinds of what they give.
var plain = []struct {
	file, values, kinds string
}{
	{"agent.yaml", "{}", "ServiceAccount ConfigMap Service DaemonSet NetworkPolicy"},
	{"podmonitor.yaml", "podMonitor: {create: true}", "PodMonitor"},
}

// helmsOwn are lines that say that Helm manages an object.
var helmsOwn = regexp.MustCompile(`(?m)^ +(helm\.sh/chart|app\.kubernetes\.io/managed-by): .*\n`)

func TestManifestsAreWhatTheChartRenders(t *testing.T) {
	for _, m := range plain {
		var values map[string]any
		if err := yaml.Unmarshal([]byte(m.values), &values); err != nil {
			t.Fatal(err)
		}
		var docs []string
		for _, o := range rendered(t, values) {
			if strings.Contains(" "+m.kinds+" ", " "+o.kind+" ") {
				docs = append(docs, helmsOwn.ReplaceAllString(o.text, ""))
			}
		}
		want := "# Rendered from deploy/chart; make chart CHART=-update writes it again.\n" + strings.Join(docs, "---\n")
		path := filepath.Join(manifestDir, m.file)
		if *update {
			if err := os.WriteFile(path, []byte(want), 0o644); err != nil {
				t.Fatal(err)
			}
		}
		if have, err := os.ReadFile(path); err != nil || string(have) != want {
			t.Errorf("%s is not what the chart gives (%v); make chart CHART=-update writes it again", path, err)
		}
	}
}

// manifests are all plain ones.
func manifests(t *testing.T) (list []object) {
	t.Helper()
	files, err := filepath.Glob(manifestDir + "/*.yaml")
	if err != nil || len(files) == 0 {
		t.Fatal("no manifests: ", err)
	}
	for _, file := range files {
		data, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		if filepath.Base(file) == "kustomization.yaml" {
			continue
		}
		for _, doc := range strings.Split(string(data), "\n---\n") {
			o, err := objectOf(doc)
			if err != nil {
				t.Fatalf("%s: %v", file, err)
			}
			list = append(list, o)
		}
	}
	return list
}

func TestManifestsAreWhatKubernetesTakes(t *testing.T) {
	for _, o := range manifests(t) {
		if v := typeOf(o.kind); v == nil {
			t.Errorf("%s %s: of no known type", o.kind, o.name)
		} else if err := strict(o, v); err != nil {
			t.Errorf("%s %s: %v", o.kind, o.name, err)
		}
		if o.kind == "Job" {
			pod := decode[batch.Job](t, o).Spec.Template
			if got := broken(t, &pod, api.LevelRestricted); got != "" {
				t.Errorf("%s breaks %q of restricted", o.name, got)
			}
		}
	}
}

// The namespace lets in what the agent's pod is.
func TestNamespaceLetsTheAgentIn(t *testing.T) {
	var level api.Level
	var pod *core.PodTemplateSpec
	for _, o := range manifests(t) {
		switch o.kind {
		case "Namespace":
			level = api.Level(decode[core.Namespace](t, o).Labels[api.EnforceLevelLabel])
		case "DaemonSet":
			pod = &decode[apps.DaemonSet](t, o).Spec.Template
		}
	}
	if level == "" || pod == nil {
		t.Fatalf("level %q, pod %v", level, pod)
	}
	if got := broken(t, pod, level); got != "" {
		t.Errorf("the namespace is %s, and the pod breaks %q", level, got)
	}
}

// The chart carries the rules and the dashboards that are in the repository.
func TestChartCarriesRulesAndDashboards(t *testing.T) {
	var want monitoring.PrometheusRuleSpec
	data, err := os.ReadFile("../rules/flagwatch.yaml")
	if err != nil {
		t.Fatal(err)
	}
	if err := yaml.Unmarshal(data, &want); err != nil || len(want.Groups) == 0 {
		t.Fatalf("%d groups, %v", len(want.Groups), err)
	}
	boards, err := filepath.Glob("../dashboards/*.json")
	if err != nil || len(boards) == 0 {
		t.Fatal("no dashboards: ", err)
	}
	for _, o := range rendered(t, cases(t)["all"]) {
		switch {
		case o.kind == "PrometheusRule":
			if got := decode[monitoring.PrometheusRule](t, o).Spec; !reflect.DeepEqual(got, want) {
				t.Errorf("%d groups of rules, want the %d of rules/flagwatch.yaml", len(got.Groups), len(want.Groups))
			}
		case o.kind == "ConfigMap" && strings.HasSuffix(o.name, "-dashboards"):
			got := decode[core.ConfigMap](t, o)
			if len(got.Data) != len(boards) || len(o.text) > 1<<20 {
				t.Errorf("%d dashboards in %d bytes, want %d", len(got.Data), len(o.text), len(boards))
			}
			for _, file := range boards {
				text, err := os.ReadFile(file)
				if err != nil || strings.TrimSpace(got.Data[filepath.Base(file)]) != strings.TrimSpace(string(text)) {
					t.Errorf("%s is not what the chart has: %v", file, err)
				}
			}
		}
	}
}
