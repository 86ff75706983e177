package main

import (
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"go.yaml.in/yaml/v3"
)

const scaleOut = "../../docs/scale-out.md"

// A jobManifest is what the recipe relies on.
type jobManifest struct {
	APIVersion string `yaml:"apiVersion"`
	Kind       string
	Spec       struct {
		CompletionMode string `yaml:"completionMode"`
		Completions    int
		Template       struct {
			Spec struct {
				RestartPolicy string `yaml:"restartPolicy"`
				Containers    []struct {
					Args         []string
					VolumeMounts []struct {
						Name      string
						MountPath string `yaml:"mountPath"`
					} `yaml:"volumeMounts"`
				}
				Volumes []struct{ Name string }
			}
		}
	}
}

// TestScaleOutJobs runs what the Jobs of the recipe run, pod by pod, with
// folders in place of volumes, and compares with one process.
func TestScaleOutJobs(t *testing.T) {
	text, err := os.ReadFile(scaleOut)
	if err != nil {
		t.Fatal(err)
	}
	blocks := regexp.MustCompile("(?s)\n```yaml\n(.*?)\n```").FindAllStringSubmatch(string(text), -1)
	if len(blocks) != 2 {
		t.Fatalf("%d manifests, want 2", len(blocks))
	}
	archive := writeForm(t, rand.New(rand.NewPCG(3, 8)), corpus(t), func(w io.Writer) (io.WriteCloser, error) { return open{w}, nil })
	volumes := map[string]string{"/archive": archive, "/parts": t.TempDir()}
	var jobs [2]jobManifest
	for i, block := range blocks {
		if err := yaml.Unmarshal([]byte(block[1]), &jobs[i]); err != nil {
			t.Fatal(err)
		}
		checkJob(t, &jobs[i])
	}
	parts := &jobs[0]
	if parts.Spec.CompletionMode != "Indexed" || parts.Spec.Completions == 0 {
		t.Fatalf("the first job is not indexed: %+v", parts.Spec)
	}
	for i := range parts.Spec.Completions {
		runJSON(t, 0, podArgs(parts, i, volumes)...)
	}
	if args := strings.Join(podArgs(parts, 0, volumes), " "); !strings.Contains(args, fmt.Sprintf("--shard=0/%d", parts.Spec.Completions)) {
		t.Errorf("as many shards as pods: %s", args)
	}
	args := podArgs(&jobs[1], 0, volumes)
	runJSON(t, 0, args...)
	if page, err := os.ReadFile(filepath.Join(volumes["/parts"], "report.html")); err != nil || !strings.Contains(string(page), "<html") {
		t.Errorf("no page: %v", err)
	}
	got := plainReport(t, runJSON(t, 0, "merge", "-o", "json", filepath.Join(volumes["/parts"], "*.json")))
	want := plainReport(t, runJSON(t, 0, "-o", "json", archive))
	if got != want {
		t.Error(firstDifference(got, want))
	}
}

// checkJob checks what a cluster would refuse.
func checkJob(t *testing.T, j *jobManifest) {
	t.Helper()
	pod := &j.Spec.Template.Spec
	if j.APIVersion != "batch/v1" || j.Kind != "Job" || pod.RestartPolicy != "Never" || len(pod.Containers) != 1 {
		t.Fatalf("%+v", j)
	}
	known := map[string]bool{}
	for _, v := range pod.Volumes {
		known[v.Name] = true
	}
	for _, m := range pod.Containers[0].VolumeMounts {
		if !known[m.Name] {
			t.Errorf("no volume %s", m.Name)
		}
	}
}

// podArgs are the arguments of a pod, as the kubelet expands them.
func podArgs(j *jobManifest, index int, volumes map[string]string) (args []string) {
	for _, arg := range j.Spec.Template.Spec.Containers[0].Args {
		arg = strings.ReplaceAll(arg, "$(JOB_COMPLETION_INDEX)", fmt.Sprint(index))
		for mount, dir := range volumes {
			arg = strings.ReplaceAll(arg, mount, dir)
		}
		args = append(args, arg)
	}
	return args
}

// The script scale_xargs runs the recipe for one machine as it stands there.
func TestScaleOutScript(t *testing.T) {
	text, err := os.ReadFile(scaleOut)
	if err != nil {
		t.Fatal(err)
	}
	script, err := os.ReadFile("testdata/script/scale_xargs.txtar")
	if err != nil {
		t.Fatal(err)
	}
	line := regexp.MustCompile(`(?m)^seq .*$`).FindString(string(text))
	if line == "" || !strings.Contains(string(script), line+"\n") {
		t.Errorf("the script does not run %q", line)
	}
}
