package sinks

import (
	"encoding/json"
	"reflect"
	"strings"
	"time"

	"github.com/flagwatch/flagwatch/classify"
	"github.com/flagwatch/flagwatch/parser"
)

// Schema returns the JSON Schema (2020-12) of a Report as WriteJSON writes it,
// derived from its types. Later versions of v1 add properties, so readers must
// accept those that they do not know.
func Schema() []byte { return schemaOf(reflect.TypeFor[Report](), "flagwatch report, v1") }

// DiffSchema is Schema for a Diff.
func DiffSchema() []byte { return schemaOf(reflect.TypeFor[Diff](), "flagwatch diff, v1") }

func schemaOf(t reflect.Type, title string) []byte {
	s := schemas{defs: map[string]any{}, enums: enums()}
	root := s.of(t, "")
	doc := map[string]any{
		"$schema": "https://json-schema.org/draft/2020-12/schema",
		"title":   title,
		"$ref":    root["$ref"],
		"$defs":   s.defs,
	}
	text, err := json.MarshalIndent(doc, "", "  ")
	if err != nil {
		panic(err) // the schema is made of maps, strings and lists only
	}
	return append(text, '\n')
}

// enums are the closed sets of values, by type and property.
func enums() map[string][]string {
	severities := []string{classify.Error.String(), classify.Warning.String(), classify.Info.String()}
	var emitters, reasons []string
	for e := parser.NoEmitter + 1; e < parser.NumEmitters; e++ {
		emitters = append(emitters, e.String())
	}
	for r := parser.NoReason + 1; r < parser.NumReasons; r++ {
		reasons = append(reasons, r.String())
	}
	return map[string][]string{
		"Report.apiVersion": {apiVersion}, "Report.kind": {"Report"}, "Diff.apiVersion": {apiVersion}, "Diff.kind": {"Diff"}, "Change.change": ChangeKinds(), "Grouping.by": Groupings(),
		"Card.fold": FoldNames(), "Card.ending": Endings(), "Card.severity": severities, "Verdict.severity": severities, "Evidence.kind": EvidenceKinds(),
		"ProxyTally.status": ProxyStatuses(), "Milestone.name": milestoneNames[1:], "EventTally.emitter": emitters, "ReasonTally.reason": reasons, "LayoutColumn.surety": sureties,
	}
}

type schemas struct {
	defs  map[string]any
	enums map[string][]string
}

// of is the schema of a type; place is where it stands, for its enum.
func (s *schemas) of(t reflect.Type, place string) map[string]any {
	switch t.Kind() {
	case reflect.Pointer:
		return map[string]any{"anyOf": []any{s.of(t.Elem(), place), map[string]any{"type": "null"}}}
	case reflect.Slice:
		return map[string]any{"type": "array", "items": s.of(t.Elem(), place)}
	case reflect.Map:
		return map[string]any{"type": "object", "additionalProperties": s.of(t.Elem(), place)}
	case reflect.String:
		schema := map[string]any{"type": "string"}
		if list := s.enums[place]; list != nil {
			schema["enum"] = list
		}
		return schema
	case reflect.Bool:
		return map[string]any{"type": "boolean"}
	case reflect.Float64:
		return map[string]any{"type": "number"}
	case reflect.Uint64:
		return map[string]any{"type": "integer", "minimum": 0}
	case reflect.Struct:
		if t == reflect.TypeFor[time.Time]() {
			return map[string]any{"type": "string", "format": "date-time"}
		}
		return s.object(t)
	}
	return map[string]any{"type": "integer"}
}

// object defines a struct once and refers to it.
func (s *schemas) object(t reflect.Type) map[string]any {
	ref := map[string]any{"$ref": "#/$defs/" + t.Name()}
	if s.defs[t.Name()] != nil {
		return ref
	}
	properties, required := map[string]any{}, []string{}
	s.defs[t.Name()] = map[string]any{} // a type that holds itself ends here
	for _, f := range reflect.VisibleFields(t) {
		name, options, _ := strings.Cut(f.Tag.Get("json"), ",")
		if f.Anonymous || name == "" || name == "-" {
			continue
		}
		fieldType := f.Type
		if options == "omitempty" && fieldType.Kind() == reflect.Pointer {
			fieldType = fieldType.Elem()
		}
		properties[name] = s.of(fieldType, t.Name()+"."+name)
		if options != "omitempty" {
			required = append(required, name)
		}
	}
	s.defs[t.Name()] = map[string]any{"type": "object", "properties": properties, "required": required}
	return ref
}
