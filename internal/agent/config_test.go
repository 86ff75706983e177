package agent

import (
	"encoding/json"
	"slices"
	"strings"
	"testing"
	"time"
)

func TestConfig(t *testing.T) {
	c, err := Parse("a.yaml", []byte(`
inputs:
  - name: mesh
    paths: [/var/log/pods, "/var/log/envoy/*.log"]
    containers: [istio-proxy]
  - {name: edge, paths: [/srv/edge.log]}
roots: [/var/log, /srv]
stateDir: /var/lib/flagwatch
from: end
listen: ":9469"
bornAtZero: 30s
maxSeries: 500
strictState: true
`))
	if err != nil {
		t.Fatal(err)
	}
	if len(c.Inputs) != 2 || !slices.Equal(c.Inputs[0].Paths, []string{"/var/log/pods", "/var/log/envoy/*.log"}) || !slices.Equal(c.Inputs[0].Containers, []string{"istio-proxy"}) ||
		c.Inputs[1].Name != "edge" || len(c.Inputs[1].Containers) < 3 {
		t.Errorf("%+v", c.Inputs)
	}
	if !slices.Equal(c.Roots, []string{"/var/log", "/srv"}) || c.StateDir != "/var/lib/flagwatch" || c.From != "end" || c.Listen != ":9469" ||
		c.BornAtZero != 30*time.Second || c.MaxSeries != 500 || !c.Strict || c.MaxOpen != 512 || c.LogLevel != "info" {
		t.Errorf("%+v", c)
	}
	if c, err := Parse("a.yaml", nil); err != nil || c.Inputs[0].Name != "pods" {
		t.Errorf("%+v, %v", c, err)
	}
}

func TestConfigErrors(t *testing.T) {
	for text, want := range map[string]string{
		"lisen: x":                        `a.yaml:1:1: unknown key "lisen"; did you mean listen?`,
		"from: start":                     `a.yaml:1:7: "start": want one of state, beginning, end`,
		"maxSeries: many":                 `a.yaml:1:12: "many": want a whole number`,
		"maxSeries: 0":                    `a.yaml: maxSeries: 0, want 1 or more`,
		"bornAtZero: 60":                  `a.yaml:1:13: "60": want a duration like 90s`,
		"strictState: yes":                `a.yaml:1:14: "yes": want true or false`,
		"inputs: x":                       `a.yaml:1:9: want a list of inputs`,
		"inputs:\n- name: a\n  path: [x]": `a.yaml:3:3: unknown key "path"; did you mean paths?`,
		"inputs:\n- name: a":              `a.yaml: an input needs a name and paths`,
		"inputs:\n- {name: a, paths: [x]}\n- {name: a, paths: [y]}": `a.yaml: two inputs are called a`,
		"listen: a\nlisten: b": `"listen"`,
		"pprof: 0.0.0.0:6060":  `a.yaml: pprof: 0.0.0.0:6060 is no loopback address`,
		"- a":                  `a.yaml:1:1: want a mapping`,
		"listen: [":            `a.yaml: `,
		"roots: /var/log":      `a.yaml:1:8: want a list of texts`,
	} {
		if _, err := Parse("a.yaml", []byte(text)); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: %v, want %q", text, err, want)
		}
	}
}

// TestSchema demands that the schema and the parser know the same keys.
func TestSchema(t *testing.T) {
	data, err := json.Marshal(Schema())
	if err != nil {
		t.Fatal(err)
	}
	var s struct {
		AdditionalProperties bool
		Properties           map[string]struct {
			Type        string
			Description string
			Items       struct {
				Properties map[string]struct{ Type, Description string }
			}
		}
	}
	if err := json.Unmarshal(data, &s); err != nil {
		t.Fatal(err)
	}
	n := len(s.Properties) + len(s.Properties["inputs"].Items.Properties)
	if n != len(Keys()) || s.AdditionalProperties {
		t.Errorf("%d keys in the schema, %d in the list", n, len(Keys()))
	}
	for name, p := range s.Properties {
		if p.Type == "" || p.Description == "" {
			t.Errorf("%s: %+v", name, p)
		}
		value := map[string]string{"string": "end", "array": "[]", "integer": "7", "boolean": "true"}[p.Type]
		switch name {
		case "inputs":
			value = "[{name: a, paths: [b]}]"
		case "bornAtZero":
			value = "5s"
		case "pprof":
			value = "127.0.0.1:1"
		case "logFormat":
			value = "json"
		case "logLevel":
			value = "warn"
		}
		if _, err := Parse("a.yaml", []byte(name+": "+value)); err != nil {
			t.Error(err)
		}
	}
}

func FuzzParse(f *testing.F) {
	f.Add([]byte("inputs:\n- {name: a, paths: [b]}\nfrom: end\n"))
	f.Fuzz(func(t *testing.T, data []byte) {
		if c, err := Parse("a.yaml", data); err == nil && c.Check() != nil {
			t.Errorf("%q is taken, and is wrong", data)
		}
	})
}
