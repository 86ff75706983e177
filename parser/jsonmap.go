package parser

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strings"
)

// The limits of a JSON map.
const (
	maxLeaves   = 512 // keys and elements on all levels
	maxMapDepth = 16
)

// A node is a value of a JSON map.
type node struct {
	kind    nodeKind
	id      int    // number among all keys and elements of the map
	key     string // as records have it, escapes undone
	column  column // of an operator that is the whole value
	pattern *Format
	literal []byte // what the record has there: a string's text, or JSON
	quoted  bool   // the literal is a string
	always  bool   // a record has the key even when empty ones are omitted
	members []*node
	byKey   map[string]*node
}

type nodeKind uint8

const (
	nodeColumn  nodeKind = iota // one operator
	nodePattern                 // a text with operators in it
	nodeLiteral
	nodeObject
	nodeArray
)

// CompileJSON compiles a map of keys to format strings, as json_format and
// typed_json_format have it: nested objects and arrays, values without an
// operator, and values with several. A value that an operator fills alone is
// read whatever its type is, so one map reads typed records and those whose
// values are all strings. The error is a *FormatError.
//
// Source: https://www.envoyproxy.io/docs/envoy/latest/configuration/observability/access_log/usage#format-dictionaries
func CompileJSON(config []byte) (*Format, error) {
	m := &mapReader{f: &Format{dialect: Custom}, config: config, Decoder: json.NewDecoder(bytes.NewReader(config))}
	m.UseNumber()
	token, err := m.Token()
	if err != nil {
		return nil, m.broken(err)
	}
	if token != json.Delim('{') {
		return nil, &FormatError{0, "", "want a JSON object: a map of keys to format strings"}
	}
	root, err := m.container(nodeObject, 0)
	if err != nil {
		return nil, err
	}
	if _, err := m.Token(); !errors.Is(err, io.EOF) {
		return nil, &FormatError{int(m.InputOffset()), "", "something stands behind the JSON object"}
	}
	f := m.f
	f.object = root
	f.settleMap()
	if len(m.columns) == 0 {
		return nil, &FormatError{0, "", "no operator such as %RESPONSE_CODE% in the map"}
	}
	columns := make([]column, len(m.columns))
	for i, c := range m.columns {
		columns[i] = *c
	}
	f.warn(columns)
	f.twin = textTwin(config)
	return f, nil
}

// textTwin compiles a map as a text that looks like JSON: what users write into
// its records may break the JSON. It is nil for a map over several lines.
func textTwin(config []byte) *Format {
	text := string(bytes.TrimSpace(config))
	if strings.Contains(text, "\n") {
		return nil
	}
	f, err := compileText(text)
	if err != nil || len(f.columns) == 0 {
		return nil
	}
	for i := range f.columns {
		f.columns[i].lenient = true
	}
	f.finish()
	return f
}

// A mapReader compiles a map.
type mapReader struct {
	*json.Decoder
	f       *Format
	config  []byte
	columns []*column // of the whole map, those of patterns included
}

func (m *mapReader) broken(err error) error {
	at := int(m.InputOffset())
	if syntax := (*json.SyntaxError)(nil); errors.As(err, &syntax) {
		at = max(0, int(syntax.Offset)-1)
	}
	if errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF) {
		at, err = len(m.config), errors.New("the JSON object has no end")
	}
	return &FormatError{at, "", strings.TrimPrefix(err.Error(), "json: ")}
}

// container reads the members of the object or array that was just opened.
func (m *mapReader) container(kind nodeKind, depth int) (*node, error) {
	n := &node{kind: kind, byKey: map[string]*node{}}
	if depth == maxMapDepth {
		return nil, &FormatError{int(m.InputOffset()), "", fmt.Sprintf("nested more than %d deep", maxMapDepth)}
	}
	for m.More() {
		key := ""
		if kind == nodeObject {
			token, err := m.Token()
			if err != nil {
				return nil, m.broken(err)
			}
			key = token.(string)
			if n.byKey[key] != nil {
				return nil, &FormatError{m.begin(token), "", fmt.Sprintf("the key %q is there twice", key)}
			}
		}
		member, err := m.value(depth)
		if err != nil {
			return nil, err
		}
		if member.id = m.f.leaves; member.id == maxLeaves {
			return nil, &FormatError{int(m.InputOffset()), "", fmt.Sprintf("more than %d keys", maxLeaves)}
		}
		m.f.leaves++
		member.key = key
		n.members = append(n.members, member)
		n.byKey[key] = member
		n.always = n.always || member.always
	}
	if _, err := m.Token(); err != nil {
		return nil, m.broken(err)
	}
	return n, nil
}

// begin is where the token that was just read begins.
func (m *mapReader) begin(token json.Token) int {
	end := int(m.InputOffset())
	switch v := token.(type) {
	case string:
		return max(0, bytes.LastIndexByte(m.config[:max(0, end-1-len(v))], '"'))
	case json.Number:
		return end - len(v)
	}
	return end
}

func (m *mapReader) value(depth int) (*node, error) {
	token, err := m.Token()
	if err != nil {
		return nil, m.broken(err)
	}
	switch v := token.(type) {
	case json.Delim:
		if v == '{' {
			return m.container(nodeObject, depth+1)
		}
		return m.container(nodeArray, depth+1)
	case string:
		return m.text(v, m.begin(token)+1)
	case json.Number:
		return &node{kind: nodeLiteral, literal: []byte(v), always: true}, nil
	case bool:
		return &node{kind: nodeLiteral, literal: fmt.Append(nil, v), always: true}, nil
	}
	return &node{kind: nodeLiteral, literal: []byte("null")}, nil
}

// text compiles a string, which begins at an offset of the map.
func (m *mapReader) text(v string, begin int) (*node, error) {
	f, err := compileText(v)
	if err != nil {
		if at := (*FormatError)(nil); errors.As(err, &at) {
			at.Offset += begin
		}
		return nil, err
	}
	for _, w := range f.warnings {
		w.Offset += begin
		m.f.warnings = append(m.f.warnings, w)
	}
	for i := range f.columns {
		f.columns[i].place += begin
	}
	switch {
	case len(f.columns) == 0:
		return &node{kind: nodeLiteral, literal: []byte(f.prefix), quoted: true, always: true}, nil
	case len(f.columns) == 1 && f.prefix == "" && f.columns[0].until == "":
		n := &node{kind: nodeColumn, column: f.columns[0]}
		row := operatorByName(n.column.name())
		n.always = row != nil && row.Missing != Dash || n.column.field == ResponseFlags
		m.columns = append(m.columns, &n.column)
		return n, nil
	}
	n := &node{kind: nodePattern, pattern: f, always: true}
	f.warnings = nil
	f.finish()
	m.f.warnings = append(m.f.warnings, f.warnings...)
	for i := range f.columns {
		m.columns = append(m.columns, &f.columns[i])
	}
	return n, nil
}

// settleMap leaves every field to one of the columns of the map. A value that
// is the operator alone wins over one in a text.
func (f *Format) settleMap() {
	best := map[Field]*column{}
	f.eachColumn(f.object, func(c *column, alone bool) {
		if c.field == Extra {
			return
		}
		if !alone {
			c.rank += 10
		}
		if b := best[c.field]; b != nil && b.rank <= c.rank {
			c.field = Extra
			return
		} else if b != nil {
			b.field = Extra
		}
		best[c.field] = c
	})
	for field, c := range best {
		f.layout |= 1 << field
		if field == StartTime {
			f.clock = c.clock
		}
	}
	f.eachColumn(f.object, func(c *column, _ bool) {
		if c.field == Extra {
			f.layout |= 1 << Extra
		}
	})
}

// eachColumn calls visit for every column below n; alone says that it is the
// whole value.
func (f *Format) eachColumn(n *node, visit func(c *column, alone bool)) {
	switch n.kind {
	case nodeColumn:
		visit(&n.column, true)
	case nodePattern:
		for i := range n.pattern.columns {
			visit(&n.pattern.columns[i], false)
		}
	}
	for _, member := range n.members {
		f.eachColumn(member, visit)
	}
}
