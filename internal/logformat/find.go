package logformat

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"regexp"
	"strconv"
	"strings"

	"go.yaml.in/yaml/v3"
)

// MaxSize is how long a configuration may be, in bytes.
const MaxSize = 8 << 20

// The limits of a configuration that somebody built to be expensive.
const (
	maxDepth = 200
	maxNodes = 1 << 20
)

// Find returns the access-log formats of a configuration in YAML, of one or
// more documents, or in JSON: Istio's MeshConfig, alone, in a ConfigMap, an
// IstioOperator or Helm's values; EnvoyFilter; EnvoyProxy of Envoy Gateway;
// settings of Contour, Kuma, Emissary, Gloo, kgateway, Consul and App Mesh; and
// bootstraps, listeners and dumps of Envoy. A format
// that is there several times is found once. The error is an *Error.
func Find(name string, data []byte) ([]Found, error) {
	if len(data) > MaxSize {
		return nil, &Error{placeIn(name, string(data[:MaxSize]), MaxSize), fmt.Sprintf("more than %d MiB: no configuration of a proxy", MaxSize>>20)}
	}
	s := &source{name: name, data: data}
	w := &walker{source: s}
	if err := w.documents(); err != nil {
		return nil, err
	}
	if len(w.found) == 0 {
		return nil, &Error{Place{name, 1, 1}, w.nothing()}
	}
	return w.found, nil
}

// A source is a text in YAML: a file, or a value of one.
type source struct {
	name   string
	data   []byte
	parent *source    // nil: the file itself
	node   *yaml.Node // of the parent that the text is the value of
}

// place is that of a line and column of the source in the file.
func (s *source) place(line, column int) Place {
	if s.parent == nil {
		return Place{s.name, line, column}
	}
	outer, inner := s.node.Line+line, lineOf(s.data, line)
	if s.node.Style&(yaml.LiteralStyle|yaml.FoldedStyle) != 0 {
		if text := lineOf(s.parent.data, outer); bytes.HasSuffix(text, inner) && len(inner) > 0 {
			return s.parent.place(outer, len(text)-len(inner)+column)
		}
	}
	return s.parent.place(s.node.Line, s.node.Column)
}

// within is the place of a byte of a scalar's value, which begins with head:
// the one in the source that as many heads stand in front of.
func (s *source) within(n *yaml.Node, offset int, head string) Place {
	value := n.Value
	if offset > len(value) || head == "" || !strings.HasPrefix(value[offset:], head) {
		return s.place(n.Line, n.Column)
	}
	skip := strings.Count(value[:offset], head)
	for line, from := n.Line, n.Column-1; ; line, from = line+1, 0 {
		text := lineOf(s.data, line)
		if text == nil {
			return s.place(n.Line, n.Column)
		}
		for i := min(from, len(text)); ; {
			j := bytes.Index(text[i:], []byte(head))
			if j < 0 {
				break
			}
			if skip == 0 {
				return s.place(line, i+j+1)
			}
			skip--
			i += j + len(head)
		}
	}
}

// yamlLine is how the YAML library names a line.
var yamlLine = regexp.MustCompile(`^line (\d+): `)

// invalid is the error about a source that is no YAML.
func (s *source) invalid(err error) error {
	text, line, column := strings.TrimPrefix(err.Error(), "yaml: "), 1, 1
	if m := yamlLine.FindStringSubmatch(text); m != nil {
		line, _ = strconv.Atoi(m[1])
		text = text[len(m[0]):]
	}
	if at, col := tabIn(s.data, line); at > 0 && strings.Contains(text, "tab") || at > 0 && strings.Contains(text, "cannot start any token") {
		return &Error{s.place(at, col), "a tab in the indentation: YAML wants blanks there"}
	}
	if trimmed := bytes.TrimSpace(s.data); len(trimmed) > 0 && trimmed[0] == '{' {
		var v any
		if syntax, ok := errors.AsType[*json.SyntaxError](json.Unmarshal(s.data, &v)); ok {
			p := placeIn(s.name, string(s.data), max(0, int(syntax.Offset)-1))
			return &Error{s.place(p.Line, p.Column), "not well-formed: " + syntax.Error()}
		}
	}
	return &Error{s.place(line, column), "not well-formed YAML: " + text}
}

// tabIn finds the first tab in front of a line's text, from the line before
// the given one on. It is 0 when there is none.
func tabIn(data []byte, from int) (line, column int) {
	for i, text := range bytes.Split(data, []byte{'\n'}) {
		head := text[:len(text)-len(bytes.TrimLeft(text, " \t"))]
		if j := bytes.IndexByte(head, '\t'); j >= 0 && i+1 >= from-1 && len(head) < len(text) {
			return i + 1, j + 1
		}
	}
	return 0, 0
}

// A walker looks for formats in a source.
type walker struct {
	*source
	found     []Found
	seen      map[string]int // places of a format in found, by its text
	nodes     int
	resource  string // kind and name of the one that is read
	kinds     []string
	elsewhere string // why there may be none
}

// documents reads all documents of the source.
func (w *walker) documents() error {
	data := w.data
	if json.Valid(data) {
		data = bytes.ReplaceAll(data, []byte{'\t'}, []byte{' '}) // strings of JSON have none
	}
	for d := yaml.NewDecoder(bytes.NewReader(data)); ; {
		var doc yaml.Node
		err := d.Decode(&doc)
		if errors.Is(err, io.EOF) {
			return nil
		}
		if err != nil {
			return w.invalid(err)
		}
		for _, n := range doc.Content {
			if err := w.walk(n, path{}); err != nil {
				return err
			}
		}
	}
}

// nothing says why no format was found.
func (w *walker) nothing() string {
	text := "no access-log format in it"
	if len(w.kinds) > 0 {
		text += ", only " + strings.Join(w.kinds, ", ")
	}
	return text + w.elsewhere
}

// walk looks at a node and all below it.
func (w *walker) walk(n *yaml.Node, at path) error {
	if w.nodes++; w.nodes > maxNodes || len(at) > maxDepth {
		return w.tooMuch(n)
	}
	switch n.Kind {
	case yaml.AliasNode:
		return w.walk(n.Alias, append(at, "*"))
	case yaml.SequenceNode:
		for _, item := range n.Content {
			if err := w.walk(item, append(at, "[]")); err != nil {
				return err
			}
		}
	case yaml.MappingNode:
		return w.mapping(mapping{n}, at)
	}
	return nil
}

func (w *walker) tooMuch(n *yaml.Node) error {
	return &Error{w.place(n.Line, n.Column), "too many values, or nested too deep"}
}

// mapping looks at a mapping and all below it.
func (w *walker) mapping(m mapping, at path) error {
	if kind := m.text("kind"); kind != "" && m.has("apiVersion", "api_version") {
		defer func(before string) { w.resource = before }(w.resource)
		w.resource = resourceName(kind, m)
		w.kinds = append(w.kinds, w.resource)
	}
	if kind := m.text("type"); strings.HasPrefix(kind, "Mesh") && m.has("name") && m.has("spec", "logging") { // Kuma's own notation
		defer func(before string) { w.resource = before }(w.resource)
		w.resource = kind + " " + m.text("name")
		w.kinds = append(w.kinds, w.resource)
	}
	if err := w.settings(m, at); err != nil {
		return err
	}
	for key, value := range m.pairs {
		name := snake(key.Value)
		switch {
		case notLogs[name]:
			continue
		case strings.HasPrefix(w.resource, "ConfigMap") && at.ends("data") && value.Kind == yaml.ScalarNode:
			if err := w.nested(key.Value, value); err != nil {
				return err
			}
			continue
		}
		if err := w.walk(value, append(at, name)); err != nil {
			return err
		}
	}
	return nil
}

// notLogs are keys of settings that have formats of other things.
var notLogs = map[string]bool{
	"body_format": true, "body_format_override": true, "local_reply_config": true, "application_log_config": true,
	"annotations": true, "managed_fields": true, "open_apiv3_schema": true, "status": true,
}

// nested looks into a value of a ConfigMap, which is a file of its own.
func (w *walker) nested(key string, n *yaml.Node) error {
	if !strings.Contains(n.Value, ":") {
		return nil
	}
	inner := &walker{source: &source{w.name, []byte(n.Value), w.source, n}, seen: w.seen, found: w.found, nodes: w.nodes, resource: w.resource + " " + key}
	err := inner.documents()
	if _, own := errors.AsType[*Error](err); own && !configFile(key) {
		err = nil // a file of another program, in another language
	}
	w.found, w.seen, w.nodes = inner.found, inner.seen, inner.nodes
	w.elsewhere += inner.elsewhere
	return err
}

// configFile says whether a key of a ConfigMap names a file that is YAML.
func configFile(key string) bool {
	return key == "mesh" || key == "meshNetworks" || strings.HasSuffix(key, ".yaml") || strings.HasSuffix(key, ".yml") || strings.HasSuffix(key, ".json")
}

func resourceName(kind string, m mapping) string {
	meta := m.child("metadata")
	name := meta.text("name")
	if ns := meta.text("namespace"); ns != "" {
		name = ns + "/" + name
	}
	return strings.TrimSpace(kind + " " + name)
}

// A path is the keys above a node, in snake case.
type path []string

func (p path) ends(key string) bool { return len(p) > 0 && p[len(p)-1] == key }

// inAccessLog says whether a node is below the settings of access logs.
func (p path) inAccessLog() bool {
	for _, key := range p {
		if strings.HasPrefix(key, "access_log") || strings.Contains(key, "access_log") || key == "extension_providers" {
			return true
		}
	}
	return false
}

// snake turns camel case and dashes to snake case: Envoy and Kubernetes spell
// the same keys in both ways.
func snake(key string) string {
	var b strings.Builder
	for i := range len(key) {
		c := key[i]
		switch {
		case c == '-':
			b.WriteByte('_')
		case c >= 'A' && c <= 'Z':
			if i > 0 && key[i-1] >= 'a' && key[i-1] <= 'z' {
				b.WriteByte('_')
			}
			b.WriteByte(c | ' ')
		default:
			b.WriteByte(c)
		}
	}
	return b.String()
}

// A mapping is a node of that kind, or none: then it has no keys.
type mapping struct{ node *yaml.Node }

func (m mapping) pairs(yield func(key, value *yaml.Node) bool) {
	if m.node == nil || m.node.Kind != yaml.MappingNode {
		return
	}
	for i := 0; i+1 < len(m.node.Content); i += 2 {
		if !yield(m.node.Content[i], resolved(m.node.Content[i+1])) {
			return
		}
	}
}

func resolved(n *yaml.Node) *yaml.Node {
	if n.Kind == yaml.AliasNode {
		return n.Alias
	}
	return n
}

// get returns the value of a key, spelled in snake or camel case.
func (m mapping) get(keys ...string) *yaml.Node {
	for key, value := range m.pairs {
		for _, want := range keys {
			if snake(key.Value) == want {
				return value
			}
		}
	}
	return nil
}

func (m mapping) has(keys ...string) bool {
	return m.get(keys...) != nil || m.get(snake(keys[0])) != nil
}

func (m mapping) child(key string) mapping {
	n := m.get(key)
	if n == nil || n.Kind != yaml.MappingNode {
		return mapping{}
	}
	return mapping{n}
}

// text is the value of a key when it is a scalar.
func (m mapping) text(key string) string {
	if n := m.get(key); n != nil && n.Kind == yaml.ScalarNode {
		return n.Value
	}
	return ""
}
