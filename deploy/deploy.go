// Package deploy holds what runs flagwatch in a cluster: an image, a chart for
// Helm, and manifests that are rendered from it, which the program carries.
package deploy

import (
	"embed"
	"fmt"
	"strings"
)

//go:embed manifests/namespace.yaml manifests/agent.yaml manifests/podmonitor.yaml manifests/archive-parts.yaml manifests/archive-merge.yaml
var manifests embed.FS

// A Manifest is a file of objects for a cluster.
type Manifest struct {
	Name  string
	About string
}

// Manifests lists them.
func Manifests() []Manifest {
	return []Manifest{
		{"namespace", "the agent's namespace"},
		{"agent", "the agent on every node"},
		{"podmonitor", "lets Prometheus' operator scrape it"},
		{"archive-parts", "a Job whose pods read a part of an archive each"},
		{"archive-merge", "a Job that adds the parts up to a report"},
	}
}

// YAML is what the file of a manifest holds.
func YAML(name string) (string, error) {
	data, err := manifests.ReadFile("manifests/" + name + ".yaml")
	if err != nil {
		return "", fmt.Errorf("no manifest %q", name)
	}
	return strings.TrimSpace(string(data)) + "\n", nil
}
