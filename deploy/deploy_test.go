package deploy

import (
	"encoding/json"
	"flag"
	"fmt"
	"maps"
	"os"
	"path"
	"regexp"
	"slices"
	"strings"
	"testing"

	"go.yaml.in/yaml/v3"

	"github.com/flagwatch/flagwatch/internal/agent"
	"github.com/flagwatch/flagwatch/internal/generated"
)

var update = flag.Bool("update", false, "write generated files again")

const (
	page       = "../docs/deploy.md"
	schemaFile = "chart/values.schema.json"
)

// chartsOwn are keys of the agent's configuration that the chart sets.
var chartsOwn = []string{"listen", "roots", "rules", "stateDir"}

// TestGeneratedValuesSchema puts the schema of the agent's configuration into
// the one of the chart's values.
func TestGeneratedValuesSchema(t *testing.T) {
	var schema map[string]any
	if err := json.Unmarshal([]byte(read(t, schemaFile)), &schema); err != nil {
		t.Fatal(err)
	}
	config := agent.Schema()
	for _, key := range chartsOwn {
		if _, ok := config["properties"].(map[string]any)[key]; !ok {
			t.Errorf("the configuration has no key %s", key)
		}
		delete(config["properties"].(map[string]any), key)
	}
	delete(config, "$schema")
	schema["properties"].(map[string]any)["config"] = config
	text, err := json.MarshalIndent(schema, "", "  ")
	if err != nil {
		t.Fatal(err)
	}
	generated.File(t, *update, schemaFile, string(text)+"\n")
}

// A value is one that a chart can be told.
type value struct{ key, preset, about string }

// TestGeneratedValues compares the table in docs/deploy.md with the chart's
// values, each of which says what it is.
func TestGeneratedValues(t *testing.T) {
	var b strings.Builder
	b.WriteString("| value | preset | what it is |\n|---|---|---|\n")
	for _, v := range values(t) {
		fmt.Fprintf(&b, "| `%s` | `%s` | %s |\n", v.key, v.preset, strings.ReplaceAll(v.about, "|", "\\|"))
	}
	generated.Parts(t, *update, page, generated.Part{Name: "values", Text: b.String()})
}

func values(t *testing.T) (list []value) {
	t.Helper()
	var doc yaml.Node
	if err := yaml.Unmarshal([]byte(read(t, "chart/values.yaml")), &doc); err != nil {
		t.Fatal(err)
	}
	var walk func(prefix string, n *yaml.Node)
	walk = func(prefix string, n *yaml.Node) {
		for i := 0; i+1 < len(n.Content); i += 2 {
			key, v := n.Content[i], n.Content[i+1]
			name := prefix + key.Value
			if _, about, ok := strings.Cut(key.HeadComment, "# -- "); ok {
				list = append(list, value{name, presetOf(t, v), about})
				continue
			}
			if v.Kind != yaml.MappingNode {
				t.Errorf("chart/values.yaml: %s does not say what it is", name)
			}
			walk(name+".", v)
		}
	}
	walk("", doc.Content[0])
	return list
}

func presetOf(t *testing.T, n *yaml.Node) string {
	t.Helper()
	var v any
	if err := n.Decode(&v); err != nil {
		t.Fatal(err)
	}
	text, err := json.Marshal(v)
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

// The schema knows each value, and has none that the chart does not.
func TestSchemaHasEachValue(t *testing.T) {
	var schema map[string]any
	var have map[string]any
	if err := json.Unmarshal([]byte(read(t, schemaFile)), &schema); err != nil {
		t.Fatal(err)
	}
	if err := yaml.Unmarshal([]byte(read(t, "chart/values.yaml")), &have); err != nil {
		t.Fatal(err)
	}
	have["global"] = nil // Helm's own
	var compare func(at string, values, schema map[string]any)
	compare = func(at string, values, schema map[string]any) {
		known := schema["properties"].(map[string]any)
		if got, want := slices.Sorted(maps.Keys(values)), slices.Sorted(maps.Keys(known)); !slices.Equal(got, want) {
			t.Errorf("%s: values %v, schema %v", at, got, want)
		}
		if schema["additionalProperties"] != false {
			t.Errorf("%s: the schema takes keys that it does not know", at)
		}
		for name, v := range values {
			if sub, ok := known[name].(map[string]any); ok && sub["properties"] != nil && name != "config" && name != "resources" {
				compare(at+"."+name, v.(map[string]any), sub)
			}
		}
	}
	compare("values", have, schema)
}

// What the page says to set is a value of the chart.
func TestPageSetsValues(t *testing.T) {
	known := map[string]bool{}
	for _, v := range values(t) {
		known[v.key] = true
	}
	sets := regexp.MustCompile("--set ([^` \n]+)").FindAllStringSubmatch(read(t, page), -1)
	if len(sets) == 0 {
		t.Error("the page sets nothing")
	}
	for _, set := range sets {
		for one := range strings.SplitSeq(set[1], ",") {
			if key, _, ok := strings.Cut(one, "="); !ok || !known[key] {
				t.Errorf("--set %s: no value %s", set[1], key)
			}
		}
	}
}

// A daemonSet is what the agent relies on.
type daemonSet struct {
	Data map[string]string
	Spec struct {
		Template struct {
			Spec struct {
				InitContainers  []container `yaml:"initContainers"`
				Containers      []container
				SecurityContext struct {
					RunAsUser  int `yaml:"runAsUser"`
					RunAsGroup int `yaml:"runAsGroup"`
				} `yaml:"securityContext"`
			}
		}
	}
}

type container struct {
	Args  []string
	Ports []struct {
		ContainerPort int `yaml:"containerPort"`
	}
	VolumeMounts []struct {
		Name      string
		MountPath string `yaml:"mountPath"`
		ReadOnly  bool   `yaml:"readOnly"`
	} `yaml:"volumeMounts"`
}

// TestPodFitsTheAgent holds the pod to what the agent in it is told: its
// configuration is valid, each directory that it reads is mounted under the
// same name and read only, and the state lies on a volume that can be written.
func TestPodFitsTheAgent(t *testing.T) {
	text, err := YAML("agent")
	if err != nil {
		t.Fatal(err)
	}
	var pod daemonSet
	var config string
	for _, doc := range strings.Split(text, "\n---\n") {
		var d daemonSet
		if err := yaml.Unmarshal([]byte(doc), &d); err != nil {
			t.Fatal(err)
		}
		config += d.Data["agent.yaml"]
		if len(d.Spec.Template.Spec.Containers) > 0 {
			pod = d
		}
	}
	cfg, err := agent.Parse("agent.yaml", []byte(config))
	if err != nil {
		t.Fatal(err)
	}
	spec := pod.Spec.Template.Spec
	if len(spec.Containers) != 1 || len(spec.InitContainers) != 1 {
		t.Fatalf("containers: %+v", spec)
	}
	mounts := map[string]bool{} // whether it is read only
	for _, m := range spec.Containers[0].VolumeMounts {
		mounts[m.MountPath] = m.ReadOnly
	}
	for _, root := range cfg.Roots {
		if readOnly, ok := mounts[root]; !ok || !readOnly {
			t.Errorf("root %s: mounts %v", root, mounts)
		}
	}
	for _, in := range cfg.Inputs {
		for _, p := range in.Paths {
			if !slices.Contains(cfg.Roots, p) {
				t.Errorf("input %s reads %s, outside of the roots %v", in.Name, p, cfg.Roots)
			}
		}
	}
	if readOnly, ok := mounts[path.Dir(cfg.StateDir)]; !ok || readOnly {
		t.Errorf("state in %s: mounts %v", cfg.StateDir, mounts)
	}
	if got, want := spec.InitContainers[0].Args, []string{"agent", "prepare", cfg.StateDir}; !slices.Equal(got, want) {
		t.Errorf("%v prepares the state, want %v", got, want)
	}
	if got := spec.Containers[0].Args; !slices.Equal(got, []string{"agent", "--config=/etc/flagwatch/agent.yaml"}) {
		t.Errorf("arguments %v", got)
	}
	if want := fmt.Sprintf("USER %d:", spec.SecurityContext.RunAsUser); !strings.Contains(read(t, "Dockerfile"), "\n"+want) {
		t.Errorf("the image has no %s", want)
	}
	if spec.SecurityContext.RunAsGroup != 0 || cfg.Listen != fmt.Sprintf(":%d", spec.Containers[0].Ports[0].ContainerPort) {
		t.Errorf("group %d, listens on %s", spec.SecurityContext.RunAsGroup, cfg.Listen)
	}
}

// The recipe of docs/scale-out.md is what the program carries.
func TestArchiveJobsAreThoseOfTheRecipe(t *testing.T) {
	blocks := regexp.MustCompile("(?s)\n```yaml\n(.*?\n)```").FindAllStringSubmatch(read(t, "../docs/scale-out.md"), -1)
	names := []string{"archive-parts", "archive-merge"}
	if len(blocks) != len(names) {
		t.Fatalf("%d manifests, want %d", len(blocks), len(names))
	}
	for i, name := range names {
		if text, err := YAML(name); err != nil || text != blocks[i][1] {
			t.Errorf("%s is not what docs/scale-out.md has: %v", name, err)
		}
	}
}

func TestEachManifestIsListed(t *testing.T) {
	files, err := os.ReadDir("manifests")
	if err != nil {
		t.Fatal(err)
	}
	var have, want []string
	for _, f := range files {
		if name := strings.TrimSuffix(f.Name(), ".yaml"); name != "kustomization" {
			have = append(have, name)
		}
	}
	for _, m := range Manifests() {
		want = append(want, m.Name)
		if _, err := YAML(m.Name); err != nil {
			t.Error(err)
		}
	}
	slices.Sort(want)
	if !slices.Equal(have, want) {
		t.Errorf("manifests %v, want %v", have, want)
	}
}

// A context that leaves out a file of the repository, or takes one that is
// none, gives an image whose version says that it was changed.
func TestImageIsOfACleanTree(t *testing.T) {
	lines := func(name string) (list []string) {
		for line := range strings.Lines(read(t, name)) {
			if line = strings.TrimSpace(line); line != "" && line[0] != '#' {
				list = append(list, strings.TrimPrefix(line, "**/"))
			}
		}
		return list
	}
	if got, want := lines("../.dockerignore"), lines("../.gitignore"); !slices.Equal(got, want) {
		t.Errorf(".dockerignore has %v, .gitignore %v", got, want)
	}
}

func read(t *testing.T, name string) string {
	t.Helper()
	data, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	return string(data)
}
