package sinks

import (
	"bytes"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/flagwatch/flagwatch/internal/generated"
)

const schemaFile = "report.schema.json"

// TestGeneratedSchema compares the committed schema with the types. -update
// writes it again.
func TestGeneratedSchema(t *testing.T) {
	generated.File(t, *update, schemaFile, string(Schema()))
}

// A validator knows the part of JSON Schema that Schema uses.
type validator struct{ defs map[string]any }

func newValidator(t *testing.T) (v validator, root map[string]any) {
	t.Helper()
	if err := json.Unmarshal(Schema(), &root); err != nil {
		t.Fatal(err)
	}
	return validator{root["$defs"].(map[string]any)}, root
}

// check returns the first fault of a value, "" if there is none.
func (v validator) check(schema map[string]any, value any, at string) string {
	for _, keyword := range append([]string{"type"}, slices.Sorted(maps.Keys(schema))...) {
		if fault := v.keyword(schema, keyword, value, at); fault != "" {
			return fault
		}
	}
	return ""
}

func (v validator) keyword(schema map[string]any, keyword string, value any, at string) string {
	wrong := fmt.Sprintf("%s: %v against %s %v", at, value, keyword, schema[keyword])
	switch argument := schema[keyword]; keyword {
	case "$ref":
		return v.check(v.defs[strings.TrimPrefix(argument.(string), "#/$defs/")].(map[string]any), value, at)
	case "anyOf":
		for _, s := range argument.([]any) {
			if v.check(s.(map[string]any), value, at) == "" {
				return ""
			}
		}
		return wrong
	case "type":
		if argument != nil && !isType(argument.(string), value) {
			return wrong
		}
	case "enum":
		if !slices.Contains(argument.([]any), value) {
			return wrong
		}
	case "minimum":
		if value.(float64) < argument.(float64) {
			return wrong
		}
	case "format":
		if _, err := time.Parse(time.RFC3339Nano, value.(string)); err != nil {
			return wrong
		}
	case "items":
		for i, item := range value.([]any) {
			if fault := v.check(argument.(map[string]any), item, fmt.Sprintf("%s[%d]", at, i)); fault != "" {
				return fault
			}
		}
	case "required":
		for _, name := range argument.([]any) {
			if _, ok := value.(map[string]any)[name.(string)]; !ok {
				return at + ": no " + name.(string)
			}
		}
	case "properties":
		for name, item := range value.(map[string]any) {
			s, ok := argument.(map[string]any)[name]
			if !ok {
				return at + ": the schema has no " + name
			}
			if fault := v.check(s.(map[string]any), item, at+"."+name); fault != "" {
				return fault
			}
		}
	case "additionalProperties":
		for name, item := range value.(map[string]any) {
			if fault := v.check(argument.(map[string]any), item, at+"."+name); fault != "" {
				return fault
			}
		}
	case "$schema", "title", "$defs":
	default:
		return "no such keyword: " + keyword
	}
	return ""
}

func isType(name string, value any) (ok bool) {
	switch name {
	case "null":
		return value == nil
	case "object":
		_, ok = value.(map[string]any)
	case "array":
		_, ok = value.([]any)
	case "string":
		_, ok = value.(string)
	case "boolean":
		_, ok = value.(bool)
	case "number", "integer":
		var f float64
		f, ok = value.(float64)
		ok = ok && (name == "number" || f == float64(int64(f)))
	}
	return ok
}

// Every report fits the schema, and a document that does not is found.
func TestReportsFitTheSchema(t *testing.T) {
	v, root := newValidator(t)
	for name, r := range reportsOfAllKinds(t) {
		for _, r := range []*Report{r, r.Redact()} {
			if fault := v.check(root, decoded(t, r), "report"); fault != "" {
				t.Errorf("%s: %s", name, fault)
			}
		}
	}
	for name, break_ := range map[string]func(map[string]any){
		"report: no totals":                func(d map[string]any) { delete(d, "totals") },
		"report: the schema has no colour": func(d map[string]any) { d["colour"] = "red" },
		"report.apiVersion: v2":            func(d map[string]any) { d["apiVersion"] = "v2" },
		"report.totals.failed: -1":         func(d map[string]any) { d["totals"].(map[string]any)["failed"] = -1.0 },
		"report.totals.failed: 0.5":        func(d map[string]any) { d["totals"].(map[string]any)["failed"] = 0.5 },
		"report.span.first: noon":          func(d map[string]any) { d["span"].(map[string]any)["first"] = "noon" },
		"report.inputs: x":                 func(d map[string]any) { d["inputs"] = "x" },
		"report.causes[0].fold: bored":     func(d map[string]any) { d["causes"].([]any)[0].(map[string]any)["fold"] = "bored" },
	} {
		d := decoded(t, reportOf(incident()))
		break_(d)
		if fault := v.check(root, d, "report"); !strings.HasPrefix(fault, name) {
			t.Errorf("got %q, want %q", fault, name)
		}
	}
}

func decoded(t *testing.T, r *Report) (doc map[string]any) {
	t.Helper()
	var b bytes.Buffer
	if err := r.WriteJSON(&b); err != nil {
		t.Fatal(err)
	}
	if err := json.Unmarshal(b.Bytes(), &doc); err != nil {
		t.Fatal(err)
	}
	return doc
}
