package parser

import (
	"fmt"
	"strings"
)

// A Warning says what a well-formed format does not tell, or that Envoy would
// not take it.
type Warning struct {
	Offset   int    // byte of the format that it is about; negative: the whole
	Operator string // name of the operator that it is about, without percent signs; "" for the whole
	Unknown  bool   // Envoy has no such operator, as far as is known
	Text     string
}

// Warnings returns what the format does not tell, in the order of its
// operators. The slice is shared: callers must not change it.
func (f *Format) Warnings() []Warning { return f.warnings }

// judge warns about an operator as Envoy would refuse it.
func (f *Format) judge(op operator, row *OperatorInfo, place int) {
	add := func(text string) {
		f.warnings = append(f.warnings, Warning{Offset: place, Operator: op.name, Unknown: row == nil, Text: text})
	}
	switch {
	case row == nil && strings.HasPrefix(op.name, "KUMA_"): // Kuma fills it in
	case row == nil:
		add(fmt.Sprintf("%%%s%% is no operator of Envoy that is known: its values are kept as they are", op.text()))
	case row.Argument == Required && op.arg == "":
		add(fmt.Sprintf("%%%s%% needs an argument: Envoy refuses this format", op.text()))
	case row.Argument == NoArgument && op.hasArg:
		add(fmt.Sprintf("%%%s%% takes no argument: Envoy refuses this format", op.text()))
	case !row.Length && op.length > 0:
		add(fmt.Sprintf("%%%s:%d%% can not be cut to a length: Envoy refuses this format", op.text(), op.length))
	}
}

// warnPair warns about two columns that user text can confuse.
func (f *Format) warnPair(a, b *column, text string) {
	f.warnings = append(f.warnings, Warning{Offset: b.place, Operator: b.name(), Text: fmt.Sprintf("%s and %s: %s", a.operator(), b.operator(), text)})
}

// name is the column's operator without its argument.
func (c *column) name() string {
	name, _, _ := strings.Cut(string(c.key), "(")
	return name
}

// Lacks are fields whose absence from a format costs a diagnosis.
var lacks = []struct {
	field Field
	text  string
}{
	{ResponseCode, "no %RESPONSE_CODE%: requests that failed without a response flag are not seen"},
	{ResponseFlags, "no %RESPONSE_FLAGS%: why the proxy itself refused, cut or could not forward a request can not be told"},
	{StartTime, "no %START_TIME%: records can not be placed in time"},
}

// warn warns about what the whole format lacks.
func (f *Format) warn(columns []column) {
	for i := range columns {
		if c := &columns[i]; c.field == StartTime && c.clock != nil && !c.clock.known {
			f.warnings = append(f.warnings, Warning{Offset: c.place, Operator: c.name(), Text: c.operator() + " does not tell the instant: it needs a date, a time and, in local time, the zone"})
		}
	}
	for _, l := range lacks {
		if !f.layout.Has(l.field) {
			f.warnings = append(f.warnings, Warning{Offset: -1, Text: l.text})
		}
	}
	if f.object == nil && f.vague() {
		f.warnings = append(f.warnings, Warning{Offset: -1, Text: "nothing in this format tells its records from other lines: any line may be taken for one"})
	}
}

// vague says whether about any line fits the format: no text of its own, and
// no column that looks like something.
func (f *Format) vague() bool {
	for i := range f.columns {
		switch c := &f.columns[i]; c.typ {
		case TypeText, TypePhrase, TypeReason, TypeToken, TypeIPList:
			if wordy(c.until) {
				return false
			}
		default:
			return false
		}
	}
	return !wordy(f.prefix)
}

// wordy says whether a literal is more than what separates columns.
func wordy(literal string) bool {
	return strings.ContainsFunc(literal, func(r rune) bool { return r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' || r == '"' })
}
