package logformat

import (
	"bytes"
	"encoding/json"
	"fmt"
	"strconv"
	"strings"

	"go.yaml.in/yaml/v3"

	"github.com/flagwatch/flagwatch/internal/spell"
	"github.com/flagwatch/flagwatch/parser"
)

// settings takes the formats that a mapping has itself.
//
// Sources: Envoy's core.v3.SubstitutionFormatString and FileAccessLog
// (https://www.envoyproxy.io/docs/envoy/latest/api-v3/config/core/v3/substitution_format_string.proto),
// Istio's MeshConfig (https://istio.io/latest/docs/reference/config/istio.mesh.v1alpha1/),
// Envoy Gateway's EnvoyProxy (https://gateway.envoyproxy.io/docs/api/extension_types/#proxyaccesslogformat),
// Contour's configuration (https://projectcontour.io/docs/main/configuration/).
func (w *walker) settings(m mapping, at path) error {
	for key, n := range m.pairs {
		var err error
		switch name := snake(key.Value); name {
		case "text_format":
			err = w.text(key.Value, n, true)
		case "text_format_source":
			err = w.dataSource(key.Value, mapping{n})
		case "json_format", "typed_json_format":
			err = w.jsonMap(key.Value, n)
		case "format":
			err = w.format(m, key.Value, n, at)
		case "log_format":
			err = w.meshProvider(n)
		case "access_log_format":
			err = w.meshFormat(m, key.Value, n)
		case "access_log_format_string", "accesslog_format_string":
			err = w.text(key.Value, n, false)
		case "json_fields", "access_log_jsonfields":
			err = w.contourFields(key.Value, n)
		case "access_log_file", "access_log_encoding":
			w.meshDefault(m, key)
		case "accesslog_format":
			w.contourDefault(m, n)
		case "envoy_log_format":
			err = w.emissary(m, key.Value, n)
		case "string_format":
			err = w.text(key.Value, n, true)
		case "body", "attributes":
			err = w.telemetry(m, key.Value, n, at)
		case "access_logging":
			w.elsewhere = "; a Telemetry names providers: their formats are in the MeshConfig"
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// text takes a format string. bare says that nobody adds a line end to it.
func (w *walker) text(key string, n *yaml.Node, bare bool) error {
	if n.Kind != yaml.ScalarNode || n.Value == "" {
		return nil
	}
	return w.compiled(key, n, n.Value, false, bare, func(offset int, head string) Place { return w.within(n, offset, head) })
}

// compiled compiles a format and keeps it, unless it was there before.
func (w *walker) compiled(key string, n *yaml.Node, value string, object, bare bool, at func(offset int, head string) Place) error {
	if i, ok := w.seen[value]; ok {
		w.found[i].More++
		return nil
	}
	f, err := compile(value, object, at)
	if err != nil {
		return err
	}
	f.Place, f.What = w.place(n.Line, n.Column), w.what(key)
	if bare && !strings.HasSuffix(value, "\n") {
		f.Notes = append(f.Notes, Note{f.Place, "no line end: Envoy writes its records one behind the other"})
	}
	w.keep(f)
	return nil
}

func (w *walker) keep(f Found) {
	if w.seen == nil {
		w.seen = map[string]int{}
	}
	w.seen[f.text] = len(w.found)
	w.found = append(w.found, f)
}

// what names a setting.
func (w *walker) what(key string) string {
	return strings.TrimSpace(w.resource + " " + key)
}

// known notes that records have a layout which the parser knows.
func (w *walker) known(key string, n *yaml.Node, layout string) {
	f := Found{Place: w.place(n.Line, n.Column), What: w.what(key) + ": " + layout, text: "\x00" + layout}
	if _, ok := w.seen[f.text]; !ok {
		w.keep(f)
	}
}

// dataSource takes a format string that may stand elsewhere.
func (w *walker) dataSource(key string, m mapping) error {
	if n := m.get("inline_string"); n != nil {
		return w.text(key, n, true)
	}
	if file := m.text("filename"); file != "" {
		w.elsewhere = fmt.Sprintf("; one is in the file %s: give it with --format @FILE", file)
	}
	if name := m.text("environment_variable"); name != "" {
		w.elsewhere = fmt.Sprintf("; one is in the variable %s of the proxy's environment", name)
	}
	return nil
}

// format takes the older format of Envoy's file access log, and the format of
// Envoy Gateway, which is a mapping.
func (w *walker) format(m mapping, key string, n *yaml.Node, at path) error {
	if n.Kind == yaml.ScalarNode {
		if strings.Contains(n.Value, "%") && (at.inAccessLog() || w.inKuma() || strings.Contains(m.text("@type"), "AccessLog")) {
			return w.text(key, n, true)
		}
		return nil
	}
	if !at.inAccessLog() && !w.inKuma() {
		return nil
	}
	g := mapping{n}
	for _, name := range []string{"text", "plain"} {
		if text := g.get(name); text != nil {
			if err := w.text(key+"."+name, text, false); err != nil {
				return err
			}
		}
	}
	if object := g.get("json"); object != nil {
		return w.jsonMap(key+".json", object)
	}
	if kind := g.text("type"); kind != "" && g.get("text", "plain") == nil {
		w.known(key, n, "type "+kind+", the product's own fields")
	}
	return nil
}

// meshProvider takes the format of a provider of Istio's MeshConfig.
func (w *walker) meshProvider(n *yaml.Node) error {
	m := mapping{n}
	if text := m.get("text"); text != nil {
		return w.text("logFormat.text", text, false)
	}
	if labels := m.get("labels"); labels != nil && labels.Kind == yaml.MappingNode {
		return w.jsonMap("logFormat.labels", labels)
	}
	return nil
}

// meshFormat takes accessLogFormat of Istio's MeshConfig, which is a text, or
// a JSON object when the encoding says so; of Contour's resource it is a word.
func (w *walker) meshFormat(m mapping, key string, n *yaml.Node) error {
	if n.Kind != yaml.ScalarNode || n.Value == "" {
		return nil
	}
	if word := strings.ToLower(n.Value); word == "json" || word == "envoy" {
		w.contourDefault(m, n)
		return nil
	}
	at := func(offset int, head string) Place { return w.within(n, offset, head) }
	return w.compiled(key, n, n.Value, strings.EqualFold(m.text("access_log_encoding"), "JSON"), false, at)
}

// meshDefault notes Istio's own format where a MeshConfig logs without one.
func (w *walker) meshDefault(m mapping, key *yaml.Node) {
	if m.text("access_log_format") != "" || m.text("access_log_file") == "" && snake(key.Value) == "access_log_file" {
		return
	}
	encoding := "text"
	if strings.EqualFold(m.text("access_log_encoding"), "JSON") {
		encoding = "JSON"
	}
	w.known(key.Value, key, "Istio's own "+encoding+" format")
}

func (w *walker) contourDefault(m mapping, n *yaml.Node) {
	switch strings.ToLower(n.Value) {
	case "envoy":
		if m.get("accesslog_format_string", "access_log_format_string") == nil {
			w.known("accesslog-format", n, "Envoy's own text format")
		}
	case "json":
		if m.get("json_fields", "access_log_jsonfields") == nil {
			w.known("accesslog-format", n, "Contour's own JSON fields")
		}
	}
}

// contourFields takes Contour's list of JSON fields: names it knows, and
// `name=format`.
func (w *walker) contourFields(key string, n *yaml.Node) error {
	if n.Kind != yaml.SequenceNode || len(n.Content) == 0 {
		return nil
	}
	b := mapBuilder{w: w}
	b.open('{')
	for i, item := range n.Content {
		item = resolved(item)
		name, format, own := strings.Cut(item.Value, "=")
		if !own {
			if format = contourField(name); format == "" {
				return &Error{w.place(item.Line, item.Column), fmt.Sprintf("%q is no field of Contour's, and has no =FORMAT%s", name, spell.DidYouMean(name, contourNames()))}
			}
		}
		b.member(i, name)
		b.scalar(item, format, len(item.Value)-len(format))
	}
	b.WriteByte('}')
	return w.compiled(key, n, b.String(), true, false, b.at)
}

// contourField returns the format of a name that Contour knows: Envoy's
// operators in lower case, and the fields of its own default. Source:
// https://projectcontour.io/docs/main/config/access-logging/
func contourField(name string) string {
	switch name {
	case "@timestamp", "ts":
		return "%START_TIME%"
	case "uber_trace_id":
		return "%REQ(UBER-TRACE-ID)%"
	}
	if strings.HasPrefix(name, "contour_config_") {
		return "%METADATA(ROUTE:envoy.access_loggers.file:io.projectcontour." + strings.TrimPrefix(name, "contour_config_") + ")%"
	}
	for _, f := range parser.FieldList() {
		if f.Name == name && f.Operator != "" {
			return "%" + f.Operator + "%"
		}
	}
	for _, o := range parser.OperatorList() {
		if o.Name == strings.ToUpper(name) && o.Argument != parser.Required {
			return "%" + o.Name + "%"
		}
	}
	return ""
}

func contourNames() (names []string) {
	for _, f := range parser.FieldList() {
		if f.Operator != "" {
			names = append(names, f.Name)
		}
	}
	for _, o := range parser.OperatorList() {
		if o.Argument != parser.Required {
			names = append(names, strings.ToLower(o.Name))
		}
	}
	return names
}

// jsonMap takes a map of keys to format strings.
func (w *walker) jsonMap(key string, n *yaml.Node) error {
	switch {
	case len(n.Content) == 0 && strings.HasPrefix(strings.TrimSpace(n.Value), "{"): // a JSON text
		return w.compiled(key, n, n.Value, true, false, func(offset int, head string) Place { return w.within(n, offset, head) })
	case n.Kind == yaml.SequenceNode:
		return w.pairs(key, n)
	case n.Kind != yaml.MappingNode || len(n.Content) == 0:
		return nil
	}
	b := mapBuilder{w: w}
	if err := b.value(n, 0); err != nil {
		return err
	}
	return w.compiled(key, n, b.String(), true, false, b.at)
}

// A mapBuilder writes a node of YAML as JSON, and knows where each of its
// strings comes from.
type mapBuilder struct {
	bytes.Buffer
	w       *walker
	strings []origin
}

// An origin says that the string which begins at an offset of the JSON is the
// value of a scalar, from some byte of it on.
type origin struct {
	offset int
	node   *yaml.Node
	skip   int
}

// at is the place of a byte of the JSON.
func (b *mapBuilder) at(offset int, head string) Place {
	var last origin
	for _, o := range b.strings {
		if o.offset <= offset {
			last = o
		}
	}
	if last.node == nil {
		return b.w.place(1, 1)
	}
	return b.w.within(last.node, offset-last.offset+last.skip, head)
}

func (b *mapBuilder) open(c byte) { b.WriteByte(c) }

func (b *mapBuilder) member(i int, key string) {
	if i > 0 {
		b.WriteByte(',')
	}
	b.quote(key)
	b.WriteByte(':')
}

func (b *mapBuilder) quote(s string) {
	e := json.NewEncoder(b)
	e.SetEscapeHTML(false)
	if e.Encode(s) == nil {
		b.Truncate(b.Len() - 1) // the encoder's line end
	}
}

// scalar writes a string that is the node's value from skip on.
func (b *mapBuilder) scalar(n *yaml.Node, s string, skip int) {
	b.strings = append(b.strings, origin{b.Len() + 1, n, skip})
	b.quote(s)
}

func (b *mapBuilder) value(n *yaml.Node, depth int) error {
	n = resolved(n)
	if b.w.nodes++; b.w.nodes > maxNodes || depth > maxDepth {
		return b.w.tooMuch(n)
	}
	switch n.Kind {
	case yaml.MappingNode:
		b.open('{')
		for i := 0; i+1 < len(n.Content); i += 2 {
			b.member(i, n.Content[i].Value)
			if err := b.value(n.Content[i+1], depth+1); err != nil {
				return err
			}
		}
		b.WriteByte('}')
	case yaml.SequenceNode:
		b.open('[')
		for i, item := range n.Content {
			if i > 0 {
				b.WriteByte(',')
			}
			if err := b.value(item, depth+1); err != nil {
				return err
			}
		}
		b.WriteByte(']')
	default:
		b.plain(n)
	}
	return nil
}

// plain writes a scalar with the type that YAML gives it.
func (b *mapBuilder) plain(n *yaml.Node) {
	switch n.ShortTag() {
	case "!!null":
		b.WriteString("null")
		return
	case "!!bool":
		var v bool
		if n.Decode(&v) == nil {
			b.WriteString(strconv.FormatBool(v))
			return
		}
	case "!!int", "!!float":
		if json.Valid([]byte(n.Value)) {
			b.WriteString(n.Value)
			return
		}
	}
	b.scalar(n, n.Value, 0)
}
