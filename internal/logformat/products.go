package logformat

import (
	"strings"

	"go.yaml.in/yaml/v3"
)

// Settings of products that are spelled in their own way.
//
// Sources: Emissary's ambassador Module (https://emissary-ingress.dev/docs/3.10/topics/running/ambassador/),
// Kuma's MeshAccessLog (https://kuma.io/docs/latest/policies/meshaccesslog/),
// Envoy's OpenTelemetry access logger (https://www.envoyproxy.io/docs/envoy/latest/api-v3/extensions/access_loggers/open_telemetry/v3/logs_service.proto),
// App Mesh's logging format (https://docs.aws.amazon.com/app-mesh/latest/userguide/envoy-logs.html).

// emissary takes a format of Emissary, which is a text unless its type says
// JSON.
func (w *walker) emissary(m mapping, key string, n *yaml.Node) error {
	if strings.EqualFold(m.text("envoy_log_type"), "json") || n.Kind == yaml.MappingNode {
		return w.jsonMap(key, n)
	}
	return w.text(key, n, false)
}

// inKuma says whether the resource is one of Kuma's that has access logs.
func (w *walker) inKuma() bool {
	kind, _, _ := strings.Cut(w.resource, " ")
	return kind == "MeshAccessLog" || kind == "Mesh"
}

// telemetry takes the body or the attributes of a record of OpenTelemetry:
// each is an AnyValue, a list of keys with values, or a text.
func (w *walker) telemetry(m mapping, key string, n *yaml.Node, at path) error {
	if !at.inAccessLog() && !w.inKuma() && !strings.Contains(m.text("@type"), "OpenTelemetryAccessLog") {
		return nil
	}
	if n.Kind == yaml.ScalarNode {
		return w.text(key, n, false)
	}
	if n.Kind == yaml.SequenceNode {
		return w.pairs(key, n)
	}
	any := mapping{n}
	if text := any.get("string_value"); text != nil {
		return w.text(key+".string_value", text, false)
	}
	list := any.get("values")
	if list == nil {
		list = any.child("kvlist_value").get("values")
	}
	if list == nil || list.Kind != yaml.SequenceNode {
		return nil
	}
	return w.pairs(key, list)
}

// pairs takes a map that is written as a list of keys with values.
func (w *walker) pairs(key string, n *yaml.Node) error {
	b := mapBuilder{w: w}
	found, err := b.pairs(n, 0)
	if err != nil || found == 0 {
		return err
	}
	return w.compiled(key, n, b.String(), true, false, b.at)
}

// pairs writes a list of keys with values as an object, and returns how many
// there are.
func (b *mapBuilder) pairs(n *yaml.Node, depth int) (found int, err error) {
	if b.w.nodes += len(n.Content); b.w.nodes > maxNodes || depth > maxDepth {
		return 0, b.w.tooMuch(n)
	}
	b.open('{')
	for _, item := range n.Content {
		m := mapping{resolved(item)}
		value := m.get("value")
		if m.text("key") == "" || value == nil {
			continue
		}
		b.member(found, m.text("key"))
		found++
		if err := b.anyValue(value, depth); err != nil {
			return found, err
		}
	}
	b.WriteByte('}')
	return found, nil
}

// anyValue writes a value that may be wrapped as OpenTelemetry has it.
func (b *mapBuilder) anyValue(n *yaml.Node, depth int) error {
	m := mapping{n}
	for key, value := range m.pairs {
		switch snake(key.Value) {
		case "string_value", "int_value", "bool_value", "double_value":
			return b.value(value, depth)
		case "kvlist_value":
			if list := (mapping{value}).get("values"); list != nil {
				_, err := b.pairs(list, depth+1)
				return err
			}
		}
	}
	return b.value(n, depth)
}
