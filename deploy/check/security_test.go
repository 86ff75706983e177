package check

import (
	"slices"
	"strings"
	"testing"

	apps "k8s.io/api/apps/v1"
	batch "k8s.io/api/batch/v1"
	core "k8s.io/api/core/v1"
	"k8s.io/pod-security-admission/api"
	"k8s.io/pod-security-admission/policy"
)

// podOf is the pod that an object makes, nil if it makes none.
func podOf(t *testing.T, o object) *core.PodTemplateSpec {
	t.Helper()
	switch o.kind {
	case "DaemonSet":
		return &decode[apps.DaemonSet](t, o).Spec.Template
	case "StatefulSet":
		return &decode[apps.StatefulSet](t, o).Spec.Template
	case "Job":
		return &decode[batch.Job](t, o).Spec.Template
	}
	return nil
}

// broken lists the checks of a level of Pod Security that a pod does not pass.
// Source: https://kubernetes.io/docs/concepts/security/pod-security-standards/
func broken(t *testing.T, pod *core.PodTemplateSpec, level api.Level) string {
	t.Helper()
	evaluator, err := policy.NewEvaluator(policy.DefaultChecks(), nil)
	if err != nil {
		t.Fatal(err)
	}
	var list []string
	for _, r := range evaluator.EvaluatePod(api.LevelVersion{Level: level, Version: api.LatestVersion()}, &pod.ObjectMeta, &pod.Spec) {
		if !r.Allowed {
			list = append(list, r.ForbiddenReason)
		}
	}
	slices.Sort(list)
	return strings.Join(list, ", ")
}

// TestPodSecurity holds pods to docs/deploy.md: directories of the node are all
// that keeps the agent from the level restricted, and root, without any
// capability, for the container that prepares the state directory.
func TestPodSecurity(t *testing.T) {
	for name, want := range map[string]string{
		"default": "restricted volume types, runAsNonRoot != true, runAsUser=0",
		"all":     "restricted volume types, runAsNonRoot != true, runAsUser=0",
		"no-root": "restricted volume types", "no-state": "restricted volume types",
	} {
		for _, o := range rendered(t, cases(t)[name]) {
			pod := podOf(t, o)
			if pod == nil {
				continue
			}
			baseline, restricted := "hostPath volumes", want
			if o.kind == "StatefulSet" {
				baseline, restricted = "", ""
			}
			if got := broken(t, pod, api.LevelBaseline); got != baseline {
				t.Errorf("%s: %s %s breaks %q of baseline, want %q", name, o.kind, o.name, got, baseline)
			}
			if got := broken(t, pod, api.LevelRestricted); got != restricted {
				t.Errorf("%s: %s %s breaks %q of restricted, want %q", name, o.kind, o.name, got, restricted)
			}
		}
	}
}

// What Pod Security does not look at.
func TestPodsHaveNoMoreThanTheyNeed(t *testing.T) {
	for name, values := range cases(t) {
		for _, o := range rendered(t, values) {
			pod := podOf(t, o)
			if pod == nil {
				continue
			}
			spec := pod.Spec
			if spec.AutomountServiceAccountToken == nil || *spec.AutomountServiceAccountToken || spec.HostNetwork || spec.HostPID {
				t.Errorf("%s: %s has a token, or is in a namespace of the node", name, o.name)
			}
			writable := map[string]bool{"state": true}
			for _, c := range slices.Concat(spec.InitContainers, spec.Containers) {
				s := c.SecurityContext
				if s == nil || s.ReadOnlyRootFilesystem == nil || !*s.ReadOnlyRootFilesystem || len(s.Capabilities.Add) > 0 || !slices.Equal(s.Capabilities.Drop, []core.Capability{"ALL"}) {
					t.Errorf("%s: %s/%s: security context %+v", name, o.name, c.Name, s)
				}
				if c.Resources.Limits.Memory().IsZero() || c.Resources.Requests.Cpu().IsZero() {
					t.Errorf("%s: %s/%s: resources %+v", name, o.name, c.Name, c.Resources)
				}
				for _, m := range c.VolumeMounts {
					if !m.ReadOnly && !writable[m.Name] {
						t.Errorf("%s: %s/%s can write to %s", name, o.name, c.Name, m.MountPath)
					}
				}
			}
		}
	}
}
