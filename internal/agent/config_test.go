package agent

import (
	"cmp"
	"encoding/json"
	"fmt"
	"maps"
	"net"
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
		"maxSeries: 0":                    `a.yaml:1:12: maxSeries: 0, want 1 or more`,
		"workers: 100000":                 `a.yaml:1:10: workers: 100000, want 1024 or less`,
		"bornAtZero: 60":                  `a.yaml:1:13: "60": want a duration like 90s`,
		"bornAtZero: -1s":                 `a.yaml:1:13: bornAtZero: -1s, want 0 or more`,
		"strictState: yes":                `a.yaml:1:14: "yes": want true or false`,
		"inputs: x":                       `a.yaml:1:9: want a list of inputs`,
		"inputs: [x]":                     `a.yaml:1:10: want a mapping`,
		"inputs:\n- name: a\n  path: [x]": "a.yaml:2:3: inputs[0].paths: an input needs paths\na.yaml:3:3: unknown key \"path\"; did you mean paths?",
		"inputs:\n- name: a":              `a.yaml:2:3: inputs[0].paths: an input needs paths`,
		"inputs:\n- paths: [a]":           `a.yaml:2:3: inputs[0].name: an input needs a name`,
		"inputs:\n- {name: a, paths: [x]}\n- {name: a, paths: [y]}": `a.yaml:3:10: inputs[1].name: two inputs are called "a"`,
		"inputs: [{name: a, paths: [b, '/c/[x']}]":                  `a.yaml:1:31: inputs[0].paths[1]: "/c/[x": malformed pattern`,
		"inputs: [{name: a, paths: ['']}]":                          `a.yaml:1:28: inputs[0].paths[0]: a path is empty`,
		"inputs: [{name: a, paths: [b], containers: ['']}]":         `a.yaml:1:45: inputs[0].containers[0]: want a container's name`,
		"listen: a\nlisten: b":                                      `a.yaml:2:1: "listen" is there twice`,
		"listen: 9469x":                                             `a.yaml:1:9: listen: "9469x": missing port in address; want an address such as 127.0.0.1:9469`,
		"pprof: 0.0.0.0:6060":                                       `a.yaml:1:8: pprof: 0.0.0.0:6060 is no loopback address`,
		"pprof: localhost":                                          `a.yaml:1:8: pprof: "localhost": missing port`,
		"pprof: 127.0.0.1:9469":                                     `a.yaml:1:8: pprof: 127.0.0.1:9469 is taken by listen, 127.0.0.1:9469`,
		"listen: ':6060'\npprof: localhost:6060":                    `a.yaml:2:8: pprof: localhost:6060 is taken by listen, :6060`,
		"- a":                                                       `a.yaml:1:1: want a mapping`,
		"listen: ':1'\n---\n---\nlisten: ':2'":                      `a.yaml:4:1: a second document: want all in one`,
		"listen: ':1'\n---\nlisten: ':2'":                           `a.yaml:3:1: a second document: want all in one`,
		"listen: ':1'\n---\n# nothing\n---\n- [":                    `a.yaml: `,
		"listen: [":                                                 `a.yaml: `,
		"roots: /var/log":                                           `a.yaml:1:8: want a list of texts`,
		"roots: []":                                                 `a.yaml:1:8: roots: want at least one directory`,
		"roots: ['']":                                               `a.yaml:1:9: roots[0]: a path is empty`,
		"stateDir: \"/a\\0b\"":                                      `a.yaml:1:11: stateDir: "/a\x00b": a path has no zero byte`,
	} {
		if _, err := Parse("a.yaml", []byte(text)); err == nil || !strings.HasPrefix(err.Error(), want) || strings.Count(err.Error(), "\n") != strings.Count(want, "\n") {
			t.Errorf("%q: %v, want %q", text, err, want)
		}
	}
}

// TestConfigSaysAll demands every mistake of a file, each once, in the order of
// its lines.
func TestConfigSaysAll(t *testing.T) {
	_, err := Parse("a.yaml", []byte(`state-dir: /var/lib/flagwatch
inputs:
- {name: shop, paths: 3}
- {name: shop, paths: ["/srv/{a"]}
- edge
bornAtZero: soon
listen: 9469x
maxSeries: -4
workers: many
`))
	want := []string{
		`a.yaml:1:1: unknown key "state-dir"; did you mean stateDir?`,
		`a.yaml:3:23: want a list of texts`,
		`a.yaml:4:10: inputs[1].name: two inputs are called "shop"`,
		`a.yaml:4:24: inputs[1].paths[0]: "/srv/{a": malformed pattern`,
		`a.yaml:5:3: want a mapping`,
		`a.yaml:6:13: "soon": want a duration like 90s`,
		`a.yaml:7:9: listen: "9469x": missing port in address; want an address such as 127.0.0.1:9469 or :9469`,
		`a.yaml:8:12: maxSeries: -4, want 1 or more`,
		`a.yaml:9:10: "many": want a whole number`,
	}
	if err == nil || !slices.Equal(strings.Split(err.Error(), "\n"), want) {
		t.Errorf("%v\nwant\n%s", err, strings.Join(want, "\n"))
	}
}

// TestWrongAddress compares the check of addresses with what listening takes,
// where that needs no name to be looked up.
func TestWrongAddress(t *testing.T) {
	for addr, good := range map[string]bool{
		"": true, "127.0.0.1:0": true, "127.0.0.1:00": true, "localhost:0": true, "[::1]:0": true, ":0": true, "0.0.0.0:0": true,
		"9469": false, "9469x": false, ":9469x": false, "127.0.0.1:65536": false, "127.0.0.1:-1": false, "127.0.0.1": false,
		"::1:9469": false, "[::1]": false, "[::1:9469": false, "1.2.3.4.5:0": false, "300.1.1.1:0": false, "a b:0": false, "/run/x:0": false,
		"http://127.0.0.1:0": false,
	} {
		if text := WrongAddress(addr); (text == "") != good {
			t.Errorf("%q: %q", addr, text)
		}
		if good && addr != "" && addr != "[::1]:0" {
			l, err := net.Listen("tcp", addr)
			if err != nil {
				t.Errorf("%q: %v", addr, err)
				continue
			}
			l.Close()
		}
	}
	for _, addr := range []string{"node-1:9469", "node-1.example.org.:9469", "[fe80::1%eth0]:9469"} {
		if text := WrongAddress(addr); text != "" {
			t.Errorf("%q: %q", addr, text)
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
		case "roots":
			value = "[/srv]"
		case "listen":
			value = "':9469'"
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

// TestSchemaBounds demands that the schema refuses the numbers, the lists and
// the texts that the parser refuses.
func TestSchemaBounds(t *testing.T) {
	takes := func(format string, value any) bool {
		_, err := Parse("a.yaml", fmt.Appendf(nil, format, value))
		return err == nil
	}
	schema := Schema()["properties"].(map[string]any)
	input := schema["inputs"].(map[string]any)["items"].(map[string]any)["properties"].(map[string]any)
	formats := map[string]string{
		"name": "inputs: [{name: %v, paths: [a]}]", "paths": "inputs: [{name: a, paths: %v}]",
		"containers": "inputs: [{name: a, paths: [a], containers: %v}]",
	}
	maps.Copy(input, schema)
	for name, s := range input {
		s, format := s.(map[string]any), cmp.Or(formats[name], name+": %v")
		switch s["type"] {
		case "integer":
			least, most := s["minimum"].(int), s["maximum"].(int)
			for value, want := range map[int]bool{least - 1: false, least: true, most: true, most + 1: false} {
				if takes(format, value) != want {
					t.Errorf("%s: %d is taken: %v, want %v", name, value, !want, want)
				}
			}
		case "array":
			_, least := s["minItems"]
			if takes(format, "[]") == least {
				t.Errorf("%s: no item is taken: %v, as the schema has it %v", name, least, !least)
			}
			if item, ok := s["items"].(map[string]any); ok && item["type"] == "string" && item["minLength"] != 1 {
				t.Errorf("%s: the schema takes an empty item", name)
			}
		case "string":
			if _, enum := s["enum"]; !enum && name != "bornAtZero" && takes(format, "''") == (s["minLength"] != nil) {
				t.Errorf("%s: an empty text", name)
			}
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

// What stands behind the last --- may be nothing.
func TestConfigOneDocument(t *testing.T) {
	for _, text := range []string{"", "---\n", "--- # nothing\n# yet\n", "---\nlisten: ':1'\n", "listen: ':1'\n---\n", "listen: ':1'\n---\n# end\n...\n"} {
		if _, err := Parse("a.yaml", []byte(text)); err != nil {
			t.Errorf("%q: %v", text, err)
		}
	}
}
