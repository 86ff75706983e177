// Package agent follows the proxy logs of a node and exposes what it counted:
// a tailer, a ledger, and a server of metrics.
package agent

import (
	"cmp"
	"errors"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"
	"time"

	"go.yaml.in/yaml/v3"

	"github.com/flagwatch/flagwatch/internal/document"
	"github.com/flagwatch/flagwatch/internal/pipeline"
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

// bounds are what the numbers of a configuration may be.
var bounds = map[string]struct{ least, most int }{
	"maxSeries": {1, math.MaxInt32}, "maxOpenFiles": {1, math.MaxInt32}, "workers": {0, pipeline.MaxWorkers},
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
		return func(p *parsing, n *yaml.Node) { p.text(n, at(&p.c), enum...) }
	}
	num := func(at func(*Config) *int) func(*parsing, *yaml.Node) {
		return func(p *parsing, n *yaml.Node) { p.number(n, at(&p.c)) }
	}
	return []Key{
		{"inputs", "list", nil, "What to follow; without it the proxies in /var/log/pods.", (*parsing).inputs},
		{"inputs.name", "string", nil, "What metrics call the input.", nil},
		{"inputs.paths", "strings", nil, "Files, patterns with * and **, or a directory of pods as the kubelet lays it out.", nil},
		{"inputs.containers", "strings", nil, "Containers whose logs are read, where the container is known.", nil},
		{"roots", "strings", nil, "Directories outside of which no file is opened, whatever links say.", func(p *parsing, n *yaml.Node) { p.texts(n, &p.c.Roots) }},
		{"stateDir", "string", nil, "Where positions and counts are kept; without it they end with the process.", str(func(c *Config) *string { return &c.StateDir })},
		{"from", "string", Froms, "Where to begin with a file that the state does not know: state means the beginning.", str(func(c *Config) *string { return &c.From }, Froms...)},
		{"strictState", "boolean", nil, "Refuse to start with a damaged state.", func(p *parsing, n *yaml.Node) { p.truth(n, &p.c.Strict) }},
		{"listen", "string", nil, "Address of /metrics, /livez, /readyz and /api/v1/report; empty for none.", str(func(c *Config) *string { return &c.Listen })},
		{"pprof", "string", nil, "Loopback address of /debug/pprof; empty for none.", str(func(c *Config) *string { return &c.Pprof })},
		{"rules", "string", nil, "File of the team's own causes.", str(func(c *Config) *string { return &c.Rules })},
		{"bornAtZero", "duration", nil, "How long a new series of a workload is shown as 0.", func(p *parsing, n *yaml.Node) { p.duration(n, &p.c.BornAtZero) }},
		{"maxSeries", "integer", nil, "How many series a metric has at most; the rest is other.", num(func(c *Config) *int { return &c.MaxSeries })},
		{"maxOpenFiles", "integer", nil, "How many files are open at a time.", num(func(c *Config) *int { return &c.MaxOpen })},
		{"workers", "integer", nil, "How many workers count, 1 unless it is said: one keeps up with some 500 MB a second, and each more makes all of it dearer; 0 is one a CPU.", num(func(c *Config) *int { return &c.Workers })},
		{"logFormat", "string", LogFormats, "How the agent's own log is written.", str(func(c *Config) *string { return &c.LogFormat }, LogFormats...)},
		{"logLevel", "string", LogLevels, "What of it is written.", str(func(c *Config) *string { return &c.LogLevel }, LogLevels...)},
	}
}

// Keys lists the keys of a configuration.
func Keys() []Key { return keys() }

// Parse reads a configuration. The error joins one for each mistake; they name
// the file, and the line and the column where there is one.
func Parse(name string, data []byte) (Config, error) {
	p := &parsing{c: Default(), at: map[string]*yaml.Node{}, failed: map[string]bool{}}
	root, second, err := document.Read(name, data)
	if err != nil {
		return p.c, err
	}
	if root != nil {
		p.mapping(root, "", "")
	}
	if second != nil {
		p.faults = append(p.faults, faultAt(second, "a second document: want all in one"))
	}
	for _, m := range p.c.mistakes() {
		if !p.unread(m.key) {
			p.faults = append(p.faults, faultAt(p.node(m.key), m.String()))
		}
	}
	return p.c, p.err(name)
}

// A fault is a mistake at its place.
type fault struct {
	line, column int // 0: in nothing that the file says
	text         string
}

func faultAt(n *yaml.Node, text string) fault {
	if n == nil {
		return fault{text: text}
	}
	return fault{n.Line, n.Column, text}
}

// parsing is a file that is being read. What can not be read stays as it was.
type parsing struct {
	c      Config
	in     *tail.Input
	path   string                // of the value that is being read, such as inputs[0].paths
	at     map[string]*yaml.Node // values by their paths
	failed map[string]bool       // paths of values that could not be read
	faults []fault
}

func (p *parsing) fail(n *yaml.Node, format string, args ...any) {
	p.failed[p.path] = true
	p.faults = append(p.faults, faultAt(n, fmt.Sprintf(format, args...)))
}

// unread says whether a value could not be read, or what it stands in.
func (p *parsing) unread(path string) bool {
	for ; path != ""; path = above(path) {
		if p.failed[path] {
			return true
		}
	}
	return false
}

// node is where a value stands, or else what it would stand in.
func (p *parsing) node(path string) *yaml.Node {
	for ; path != ""; path = above(path) {
		if n := p.at[path]; n != nil {
			return n
		}
	}
	return nil
}

// above is the path that another one lies in, "" when it lies in none.
func above(path string) string { return path[:max(0, strings.LastIndexAny(path, ".["))] }

// err joins the faults in the order of the file.
func (p *parsing) err(name string) error {
	slices.SortStableFunc(p.faults, func(a, b fault) int {
		return cmp.Or(cmp.Compare(a.line, b.line), cmp.Compare(a.column, b.column))
	})
	var list []error
	for _, f := range p.faults {
		place := name
		if f.line > 0 {
			place = fmt.Sprintf("%s:%d:%d", name, f.line, f.column)
		}
		list = append(list, fmt.Errorf("%s: %s", place, f.text))
	}
	return errors.Join(list...)
}

// mapping reads the keys of a mapping, which stands at path; below is the key
// that its own are listed under.
func (p *parsing) mapping(n *yaml.Node, below, path string) {
	p.path = path
	if n.Kind != yaml.MappingNode {
		p.fail(n, "want a mapping")
		return
	}
	known, names := keysBelow(below)
	seen := map[string]bool{}
	for i := 0; i+1 < len(n.Content); i += 2 {
		key, value := n.Content[i], n.Content[i+1]
		set, ok := known[key.Value]
		p.path = strings.TrimPrefix(path+"."+key.Value, ".")
		switch {
		case !ok:
			p.fail(key, "unknown key %q%s", key.Value, spell.DidYouMean(key.Value, names))
		case seen[key.Value]:
			p.fail(key, "%q is there twice", key.Value)
		default:
			seen[key.Value], p.at[p.path] = true, value
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
	"name":       func(p *parsing, n *yaml.Node) { p.text(n, &p.in.Name) },
	"paths":      func(p *parsing, n *yaml.Node) { p.texts(n, &p.in.Paths) },
	"containers": func(p *parsing, n *yaml.Node) { p.texts(n, &p.in.Containers) },
}

func (p *parsing) inputs(n *yaml.Node) {
	if n.Kind != yaml.SequenceNode {
		p.fail(n, "want a list of inputs")
		return
	}
	p.c.Inputs = nil
	for i, item := range n.Content {
		p.in = &tail.Input{Containers: tail.DefaultContainers()}
		path := fmt.Sprintf("inputs[%d]", i)
		p.at[path] = item
		p.mapping(item, "inputs", path)
		p.c.Inputs = append(p.c.Inputs, *p.in)
	}
}

func (p *parsing) text(n *yaml.Node, to *string, enum ...string) {
	switch {
	case n.Kind != yaml.ScalarNode || n.Tag == "!!null":
		p.fail(n, "want a text")
	case enum != nil && !slices.Contains(enum, n.Value):
		p.fail(n, "%q: want one of %s%s", n.Value, strings.Join(enum, ", "), spell.DidYouMean(n.Value, enum))
	default:
		*to = n.Value
	}
}

func (p *parsing) texts(n *yaml.Node, to *[]string) {
	if n.Kind != yaml.SequenceNode {
		p.fail(n, "want a list of texts")
		return
	}
	list := make([]string, len(n.Content))
	for i, item := range n.Content {
		p.at[fmt.Sprintf("%s[%d]", p.path, i)] = item
		p.text(item, &list[i])
	}
	*to = list
}

func (p *parsing) number(n *yaml.Node, to *int) {
	v, err := strconv.Atoi(n.Value)
	if n.Kind != yaml.ScalarNode || err != nil {
		p.fail(n, "%q: want a whole number", n.Value)
		return
	}
	*to = v
}

func (p *parsing) truth(n *yaml.Node, to *bool) {
	if n.Kind != yaml.ScalarNode || n.Value != "true" && n.Value != "false" {
		p.fail(n, "%q: want true or false", n.Value)
		return
	}
	*to = n.Value == "true"
}

func (p *parsing) duration(n *yaml.Node, to *time.Duration) {
	v, err := time.ParseDuration(n.Value)
	if n.Kind != yaml.ScalarNode || err != nil {
		p.fail(n, "%q: want a duration like 90s", n.Value)
		return
	}
	*to = v
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
		s["type"], s["items"] = "array", map[string]any{"type": "string", "minLength": 1}
		if k.Name != "inputs.containers" {
			s["minItems"] = 1
		}
	case "integer":
		s["type"], s["minimum"], s["maximum"] = k.Type, bounds[k.Name].least, bounds[k.Name].most
	case "duration":
		s["type"], s["pattern"] = "string", `^([0-9]+(\.[0-9]+)?(ns|us|ms|s|m|h))+$|^0$`
	default:
		s["type"] = k.Type
	}
	if k.Name == "inputs.name" {
		s["minLength"] = 1
	}
	if k.Enum != nil {
		s["enum"] = k.Enum
	}
	return s
}
