// Package agent follows the proxy logs of a node and exposes what it counted:
// a tailer, a ledger, and a server of metrics.
package agent

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"go.yaml.in/yaml/v3"

	"github.com/flagwatch/flagwatch/internal/spell"
	"github.com/flagwatch/flagwatch/internal/tail"
	"github.com/flagwatch/flagwatch/sinks"
)

// A Config is what an agent is told. Default has what is not said.
type Config struct {
	Inputs   []tail.Input
	Roots    []string // directories outside of which nothing is opened
	StateDir string   // "": counts end with the process
	From     string   // state, beginning or end
	Strict   bool     // a damaged state is an error
	Listen   string   // "": nothing is served
	Pprof    string   // address; "": none
	Rules    string   // file of the team's own causes

	BornAtZero time.Duration
	MaxSeries  int
	MaxOpen    int
	Workers    int
	LogFormat  string // auto, text or json
	LogLevel   string // debug, info, warn or error
}

// The values of Config.From, and what log lines look like.
var (
	Froms      = []string{"state", "beginning", "end"}
	LogFormats = []string{"auto", "text", "json"}
	LogLevels  = []string{"debug", "info", "warn", "error"}
)

// kubeRoots are where the kubelet and container runtimes keep logs.
// Source: https://kubernetes.io/docs/concepts/cluster-administration/logging/
var kubeRoots = []string{"/var/log/pods", "/var/log/containers", "/var/lib/docker/containers"}

// Default is what an agent does that is told nothing: it follows the proxies
// of the node that it runs on.
func Default() Config {
	return Config{
		Inputs:     []tail.Input{{Name: "pods", Paths: kubeRoots[:1:1], Containers: tail.DefaultContainers()}},
		Roots:      slices.Clone(kubeRoots),
		From:       "state",
		Listen:     "127.0.0.1:9469",
		BornAtZero: time.Minute,
		MaxSeries:  sinks.DefaultMaxSeries,
		MaxOpen:    512,
		Workers:    1,
		LogFormat:  "auto",
		LogLevel:   "info",
	}
}

// A Key is one that a configuration may have.
type Key struct {
	Name string // inputs.name is one in a list
	Type string // string, integer, duration, boolean, list or strings
	Enum []string
	Help string
	set  func(*parsing, *yaml.Node)
}

// keys are THE LIST of what a configuration may say.
func keys() []Key {
	str := func(at func(*Config) *string, enum ...string) func(*parsing, *yaml.Node) {
		return func(p *parsing, n *yaml.Node) { *at(&p.c) = p.text(n, enum) }
	}
	num := func(at func(*Config) *int) func(*parsing, *yaml.Node) {
		return func(p *parsing, n *yaml.Node) { *at(&p.c) = p.number(n) }
	}
	return []Key{
		{"inputs", "list", nil, "What to follow; without it the proxies in /var/log/pods.", (*parsing).inputs},
		{"inputs.name", "string", nil, "What metrics call the input.", nil},
		{"inputs.paths", "strings", nil, "Files, patterns with * and **, or a directory of pods as the kubelet lays it out.", nil},
		{"inputs.containers", "strings", nil, "Containers whose logs are read, where the container is known.", nil},
		{"roots", "strings", nil, "Directories outside of which no file is opened, whatever links say.", func(p *parsing, n *yaml.Node) { p.c.Roots = p.texts(n) }},
		{"stateDir", "string", nil, "Where positions and counts are kept; without it they end with the process.", str(func(c *Config) *string { return &c.StateDir })},
		{"from", "string", Froms, "Where to begin with a file that the state does not know: state means the beginning.", str(func(c *Config) *string { return &c.From }, Froms...)},
		{"strictState", "boolean", nil, "Refuse to start with a damaged state.", func(p *parsing, n *yaml.Node) { p.c.Strict = p.truth(n) }},
		{"listen", "string", nil, "Address of /metrics, /livez, /readyz and /api/v1/report; empty for none.", str(func(c *Config) *string { return &c.Listen })},
		{"pprof", "string", nil, "Loopback address of /debug/pprof; empty for none.", str(func(c *Config) *string { return &c.Pprof })},
		{"rules", "string", nil, "File of the team's own causes.", str(func(c *Config) *string { return &c.Rules })},
		{"bornAtZero", "duration", nil, "How long a new series of a workload is shown as 0.", func(p *parsing, n *yaml.Node) { p.c.BornAtZero = p.duration(n) }},
		{"maxSeries", "integer", nil, "How many series a metric has at most; the rest is other.", num(func(c *Config) *int { return &c.MaxSeries })},
		{"maxOpenFiles", "integer", nil, "How many files are open at a time.", num(func(c *Config) *int { return &c.MaxOpen })},
		{"workers", "integer", nil, "How many workers count, 1 unless it is said: one keeps up with some 500 MB a second, and each more makes all of it dearer; 0 is one a CPU.", num(func(c *Config) *int { return &c.Workers })},
		{"logFormat", "string", LogFormats, "How the agent's own log is written.", str(func(c *Config) *string { return &c.LogFormat }, LogFormats...)},
		{"logLevel", "string", LogLevels, "What of it is written.", str(func(c *Config) *string { return &c.LogLevel }, LogLevels...)},
	}
}

// Keys lists the keys of a configuration.
func Keys() []Key { return keys() }

// Parse reads a configuration. Errors name the file, the line and the column.
func Parse(name string, data []byte) (Config, error) {
	p := &parsing{name: name, c: Default()}
	var doc yaml.Node
	if err := yaml.Unmarshal(data, &doc); err != nil {
		return p.c, fmt.Errorf("%s: %s", name, strings.TrimPrefix(err.Error(), "yaml: "))
	}
	if len(doc.Content) > 0 {
		p.mapping(doc.Content[0], "")
	}
	if p.err == nil {
		if err := p.c.Check(); err != nil {
			p.err = fmt.Errorf("%s: %w", name, err)
		}
	}
	return p.c, p.err
}

// Check says what is wrong with a configuration as a whole.
func (c *Config) Check() error {
	seen := map[string]bool{}
	for _, in := range c.Inputs {
		switch {
		case in.Name == "" || len(in.Paths) == 0:
			return fmt.Errorf("an input needs a name and paths")
		case seen[in.Name]:
			return fmt.Errorf("two inputs are called %s", in.Name)
		}
		seen[in.Name] = true
	}
	for _, x := range []struct {
		name  string
		value int
		least int
	}{{"maxSeries", c.MaxSeries, 1}, {"maxOpenFiles", c.MaxOpen, 1}, {"workers", c.Workers, 0}} {
		if x.value < x.least {
			return fmt.Errorf("%s: %d, want %d or more", x.name, x.value, x.least)
		}
	}
	if c.BornAtZero < 0 {
		return fmt.Errorf("bornAtZero: %v, want 0 or more", c.BornAtZero)
	}
	if c.Pprof != "" && !isLoopback(c.Pprof) {
		return fmt.Errorf("pprof: %s is no loopback address", c.Pprof)
	}
	return nil
}

// parsing is a file that is being read; the first error stays.
type parsing struct {
	name string
	c    Config
	in   *tail.Input
	err  error
}

func (p *parsing) fail(n *yaml.Node, format string, args ...any) {
	if p.err == nil {
		p.err = fmt.Errorf("%s:%d:%d: %s", p.name, n.Line, n.Column, fmt.Sprintf(format, args...))
	}
}

// mapping reads the keys of a mapping; below is the key that it stands under.
func (p *parsing) mapping(n *yaml.Node, below string) {
	if n.Kind != yaml.MappingNode {
		p.fail(n, "want a mapping")
		return
	}
	known, names := keysBelow(below)
	seen := map[string]bool{}
	for i := 0; i+1 < len(n.Content) && p.err == nil; i += 2 {
		key, value := n.Content[i], n.Content[i+1]
		set, ok := known[key.Value]
		switch {
		case !ok:
			p.fail(key, "unknown key %q%s", key.Value, spell.DidYouMean(key.Value, names))
		case seen[key.Value]:
			p.fail(key, "%q is there twice", key.Value)
		default:
			seen[key.Value] = true
			set(p, value)
		}
	}
}

func keysBelow(below string) (known map[string]func(*parsing, *yaml.Node), names []string) {
	known = map[string]func(*parsing, *yaml.Node){}
	for _, k := range keys() {
		parent, name, nested := strings.Cut(k.Name, ".")
		switch {
		case !nested && below == "":
			known[k.Name] = k.set
		case nested && parent == below:
			known[name] = inputKeys[name]
		default:
			continue
		}
		names = append(names, k.Name[max(0, strings.IndexByte(k.Name, '.')+1):])
	}
	return known, names
}

// inputKeys are how the keys of an input are read.
var inputKeys = map[string]func(*parsing, *yaml.Node){
	"name":       func(p *parsing, n *yaml.Node) { p.in.Name = p.text(n, nil) },
	"paths":      func(p *parsing, n *yaml.Node) { p.in.Paths = p.texts(n) },
	"containers": func(p *parsing, n *yaml.Node) { p.in.Containers = p.texts(n) },
}

func (p *parsing) inputs(n *yaml.Node) {
	if n.Kind != yaml.SequenceNode {
		p.fail(n, "want a list of inputs")
		return
	}
	p.c.Inputs = nil
	for _, item := range n.Content {
		p.in = &tail.Input{Containers: tail.DefaultContainers()}
		p.mapping(item, "inputs")
		p.c.Inputs = append(p.c.Inputs, *p.in)
	}
}

func (p *parsing) text(n *yaml.Node, enum []string) string {
	if n.Kind != yaml.ScalarNode || n.Tag == "!!null" {
		p.fail(n, "want a text")
		return ""
	}
	if enum != nil && !slices.Contains(enum, n.Value) {
		p.fail(n, "%q: want one of %s%s", n.Value, strings.Join(enum, ", "), spell.DidYouMean(n.Value, enum))
	}
	return n.Value
}

func (p *parsing) texts(n *yaml.Node) (list []string) {
	if n.Kind != yaml.SequenceNode {
		p.fail(n, "want a list of texts")
		return nil
	}
	for _, item := range n.Content {
		list = append(list, p.text(item, nil))
	}
	return list
}

func (p *parsing) number(n *yaml.Node) int {
	v, err := strconv.Atoi(n.Value)
	if n.Kind != yaml.ScalarNode || err != nil {
		p.fail(n, "%q: want a whole number", n.Value)
	}
	return v
}

func (p *parsing) truth(n *yaml.Node) bool {
	if n.Kind != yaml.ScalarNode || n.Value != "true" && n.Value != "false" {
		p.fail(n, "%q: want true or false", n.Value)
	}
	return n.Value == "true"
}

func (p *parsing) duration(n *yaml.Node) time.Duration {
	v, err := time.ParseDuration(n.Value)
	if n.Kind != yaml.ScalarNode || err != nil {
		p.fail(n, "%q: want a duration like 90s", n.Value)
	}
	return v
}

// Schema is the JSON Schema of a configuration.
func Schema() map[string]any {
	root, input := map[string]any{}, map[string]any{}
	for _, k := range keys() {
		_, name, nested := strings.Cut(k.Name, ".")
		switch {
		case nested:
			input[name] = k.schema()
		case k.Name == "inputs":
			root[k.Name] = map[string]any{"type": "array", "description": k.Help, "items": object(input, "name", "paths")}
		default:
			root[k.Name] = k.schema()
		}
	}
	s := object(root)
	s["$schema"] = "https://json-schema.org/draft/2020-12/schema"
	s["title"] = "Configuration of flagwatch agent"
	return s
}

func object(properties map[string]any, required ...string) map[string]any {
	o := map[string]any{"type": "object", "additionalProperties": false, "properties": properties}
	if len(required) > 0 {
		o["required"] = required
	}
	return o
}

func (k *Key) schema() map[string]any {
	s := map[string]any{"description": k.Help}
	switch k.Type {
	case "strings":
		s["type"], s["items"] = "array", map[string]any{"type": "string"}
	case "duration":
		s["type"], s["pattern"] = "string", `^([0-9]+(\.[0-9]+)?(ns|us|ms|s|m|h))+$|^0$`
	default:
		s["type"] = k.Type
	}
	if k.Enum != nil {
		s["enum"] = k.Enum
	}
	return s
}
