package check

import (
	"errors"
	"maps"
	"slices"
	"strings"
	"testing"

	monitoring "github.com/prometheus-operator/prometheus-operator/pkg/apis/monitoring/v1"
	"helm.sh/helm/v4/pkg/chart/v2/lint"
	apps "k8s.io/api/apps/v1"
	batch "k8s.io/api/batch/v1"
	core "k8s.io/api/core/v1"
	networking "k8s.io/api/networking/v1"
	scheduling "k8s.io/api/scheduling/v1"
	"sigs.k8s.io/json"
	"sigs.k8s.io/yaml"
)

// typeOf returns something of the type that a kind has.
func typeOf(kind string) any {
	switch kind {
	case "Namespace":
		return new(core.Namespace)
	case "ServiceAccount":
		return new(core.ServiceAccount)
	case "ConfigMap":
		return new(core.ConfigMap)
	case "Service":
		return new(core.Service)
	case "DaemonSet":
		return new(apps.DaemonSet)
	case "StatefulSet":
		return new(apps.StatefulSet)
	case "Job":
		return new(batch.Job)
	case "NetworkPolicy":
		return new(networking.NetworkPolicy)
	case "PriorityClass":
		return new(scheduling.PriorityClass)
	case "PodMonitor":
		return new(monitoring.PodMonitor)
	case "PrometheusRule":
		return new(monitoring.PrometheusRule)
	}
	return nil
}

// decode reads an object as the API server does with strict validation: a
// field that the type does not have is an error, and so is one that is there
// twice.
func decode[T any](t *testing.T, o object) *T {
	t.Helper()
	v, ok := typeOf(o.kind).(*T)
	if !ok {
		t.Fatalf("%s %s: of no known type", o.kind, o.name)
	}
	if err := strict(o, v); err != nil {
		t.Fatalf("%s %s: %v\n%s", o.kind, o.name, err, o.text)
	}
	return v
}

func strict(o object, v any) error {
	data, err := yaml.YAMLToJSONStrict([]byte(o.text))
	if err != nil {
		return err
	}
	refused, err := json.UnmarshalStrict(data, v)
	return errors.Join(append(refused, err)...)
}

func TestObjectsAreWhatKubernetesTakes(t *testing.T) {
	for name, values := range cases(t) {
		kinds := map[string]bool{}
		for _, o := range rendered(t, values) {
			kinds[o.kind] = true
			if typeOf(o.kind) == nil {
				t.Errorf("%s: %s %s: of no known type", name, o.kind, o.name)
			} else if err := strict(o, typeOf(o.kind)); err != nil {
				t.Errorf("%s: %s %s: %v\n%s", name, o.kind, o.name, err, o.text)
			}
		}
		if name != "all" {
			continue
		}
		for _, kind := range kindOrder {
			if !kinds[kind] {
				t.Errorf("with everything on there is no %s", kind)
			}
		}
	}
}

// A strict decoder that takes everything would show nothing.
func TestMisspeltFieldIsRefused(t *testing.T) {
	for _, o := range rendered(t, nil) {
		if o.kind != "DaemonSet" {
			continue
		}
		o.text = strings.Replace(o.text, "readOnlyRootFilesystem", "readOnlyRootFileSystem", 1)
		if err := strict(o, typeOf(o.kind)); err == nil || !strings.Contains(err.Error(), "readOnlyRootFileSystem") {
			t.Error(err)
		}
	}
}

func TestLint(t *testing.T) {
	for name, values := range cases(t) {
		for _, m := range lint.RunAll(chartDir, values, "flagwatch").Messages {
			if m.Severity > 1 { // all but "icon is recommended"
				t.Errorf("%s: %v", name, m)
			}
		}
	}
}

func TestSchemaRefuses(t *testing.T) {
	for _, x := range []struct{ values, want string }{
		{"imge: {tag: x}", "imge"},
		{"image: {tagg: x}", "tagg"},
		{"image: {pullPolicy: Sometimes}", "pullPolicy"},
		{"image: {digest: 'md5:1'}", "digest"},
		{"port: http", "port"},
		{"port: 70000", "port"},
		{"logDirs: [var/log/pods]", "logDirs"},
		{"logDirs: []", "logDirs"},
		{"state: {hostPath: relative}", "hostPath"},
		{"state: {prepare: 'yes'}", "prepare"},
		{"config: {maxSerie: 1}", "maxSerie"},
		{"config: {maxSeries: many}", "maxSeries"},
		{"config: {from: middle}", "from"},
		{"config: {stateDir: /tmp/x}", "stateDir"},
		{"config: {inputs: [{name: a}]}", "paths"},
		{"goMemLimit: lots", "goMemLimit"},
		{"resources: {limits: {memory: much}}", "memory"},
		{"resources: {limit: {memory: 1Gi}}", "limit"},
		{"tolerations: {operator: Exists}", "tolerations"},
		{"updateStrategy: {rollingUpdate: {maxSurge: 1}}", "maxSurge"},
		{"terminationGracePeriodSeconds: 1", "terminationGracePeriodSeconds"},
		{"extraArgs: [state]", "extraArgs"},
		{"kafka: {create: true}", "brokers"},
		{"kafka: {create: true, brokers: [kafka], topics: [a]}", "brokers"},
		{"serviceAccount: {automount: true}", "automount"},
	} {
		var values map[string]any
		if err := yaml.Unmarshal([]byte(x.values), &values); err != nil {
			t.Fatal(err)
		}
		if _, err := render(values); err == nil || !strings.Contains(err.Error(), x.want) {
			t.Errorf("%s: %v, want an error that names %s", x.values, err, x.want)
		}
	}
}

// What selects pods finds those that it is meant for, and no others.
func TestSelectorsFindPods(t *testing.T) {
	list := rendered(t, cases(t)["all"])
	pods := map[string]map[string]string{}
	for _, o := range list {
		switch o.kind {
		case "DaemonSet":
			pods["agent"] = decode[apps.DaemonSet](t, o).Spec.Template.Labels
		case "StatefulSet":
			pods["kafka"] = decode[apps.StatefulSet](t, o).Spec.Template.Labels
		}
	}
	find := func(selector map[string]string) (names []string) {
		for _, name := range slices.Sorted(maps.Keys(pods)) {
			fits := len(selector) > 0
			for k, v := range selector {
				fits = fits && pods[name][k] == v
			}
			if fits {
				names = append(names, name)
			}
		}
		return names
	}
	want := map[string]string{
		"DaemonSet mesh-failures": "agent", "Service mesh-failures": "agent", "NetworkPolicy mesh-failures": "agent",
		"StatefulSet mesh-failures-kafka": "kafka", "Service mesh-failures-kafka": "kafka", "NetworkPolicy mesh-failures-kafka": "kafka",
		"PodMonitor mesh-failures": "agent kafka",
	}
	for _, o := range list {
		var selector map[string]string
		switch o.kind {
		case "DaemonSet":
			selector = decode[apps.DaemonSet](t, o).Spec.Selector.MatchLabels
		case "StatefulSet":
			selector = decode[apps.StatefulSet](t, o).Spec.Selector.MatchLabels
		case "Service":
			selector = decode[core.Service](t, o).Spec.Selector
		case "NetworkPolicy":
			selector = decode[networking.NetworkPolicy](t, o).Spec.PodSelector.MatchLabels
		case "PodMonitor":
			selector = decode[monitoring.PodMonitor](t, o).Spec.Selector.MatchLabels
		default:
			continue
		}
		key := o.kind + " " + o.name
		if got := strings.Join(find(selector), " "); got != want[key] {
			t.Errorf("%s selects %q, want %q", key, got, want[key])
		}
		delete(want, key)
	}
	if len(want) > 0 {
		t.Errorf("not there: %v", want)
	}
}
