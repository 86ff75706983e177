// Package check holds the chart and the manifests to what Kubernetes and Helm
// say of them. It is a module of its own, so that the program does not depend on
// either; make chart runs it.
package check

import (
	"cmp"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"helm.sh/helm/v4/pkg/chart/common"
	"helm.sh/helm/v4/pkg/chart/common/util"
	"helm.sh/helm/v4/pkg/chart/v2/loader"
	"helm.sh/helm/v4/pkg/engine"
	"sigs.k8s.io/yaml"
)

var update = flag.Bool("update", false, "write the manifests again")

const chartDir = "../chart"

// An object is one document that a chart renders.
type object struct {
	kind, name, text string
}

// kindOrder is in which order objects are applied.
var kindOrder = []string{"PriorityClass", "ServiceAccount", "ConfigMap", "Service", "DaemonSet", "StatefulSet", "NetworkPolicy", "PodMonitor", "PrometheusRule"}

// render is helm template: values are checked by the schema, and objects come
// in the order in which they are applied.
func render(values map[string]any) ([]object, error) {
	c, err := loader.Load(chartDir)
	if err != nil {
		return nil, err
	}
	release := common.ReleaseOptions{Name: "flagwatch", Namespace: "flagwatch", Revision: 1, IsInstall: true}
	all, err := util.ToRenderValues(c, values, release, common.DefaultCapabilities)
	if err != nil {
		return nil, err
	}
	files, err := engine.Render(c, all)
	if err != nil {
		return nil, err
	}
	var list []object
	for name, text := range files {
		if strings.HasSuffix(name, "NOTES.txt") {
			continue
		}
		for _, doc := range strings.Split(text, "\n---\n") {
			o, err := objectOf(doc)
			if err != nil {
				return nil, fmt.Errorf("%s: %w", name, err)
			}
			if o.kind != "" {
				list = append(list, o)
			}
		}
	}
	slices.SortFunc(list, func(a, b object) int {
		return cmp.Or(cmp.Compare(slices.Index(kindOrder, a.kind), slices.Index(kindOrder, b.kind)), cmp.Compare(a.name, b.name))
	})
	return list, nil
}

func objectOf(doc string) (object, error) {
	var head struct {
		Kind     string `json:"kind"`
		Metadata struct {
			Name string `json:"name"`
		} `json:"metadata"`
	}
	err := yaml.Unmarshal([]byte(doc), &head)
	return object{head.Kind, head.Metadata.Name, strings.TrimSpace(doc) + "\n"}, err
}

// cases are the values of the chart's ci directory, and none.
func cases(t *testing.T) map[string]map[string]any {
	t.Helper()
	list := map[string]map[string]any{"default": {}}
	files, err := filepath.Glob(chartDir + "/ci/*-values.yaml")
	if err != nil || len(files) == 0 {
		t.Fatal("no values in ci: ", err)
	}
	for _, file := range files {
		data, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		var values map[string]any
		if err := yaml.UnmarshalStrict(data, &values); err != nil {
			t.Fatalf("%s: %v", file, err)
		}
		list[strings.TrimSuffix(filepath.Base(file), "-values.yaml")] = values
	}
	return list
}

// rendered is what one of the cases gives.
func rendered(t *testing.T, values map[string]any) []object {
	t.Helper()
	list, err := render(values)
	if err != nil {
		t.Fatal(err)
	}
	return list
}
