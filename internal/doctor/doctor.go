// Package doctor says how well a log can be read: which layouts it has, which
// fields they lack, what each lacking field costs, and what could not be read.
package doctor

import (
	"slices"
	"sync/atomic"

	"github.com/flagwatch/flagwatch/classify"
	"github.com/flagwatch/flagwatch/parser"
	"github.com/flagwatch/flagwatch/sinks"
)

// A Census counts which fields access records have. It is safe for concurrent
// use; the zero value is ready.
type Census struct {
	records atomic.Uint64
	columns [parser.Level]atomic.Uint64 // records whose layout has the field
	values  [parser.Level]atomic.Uint64 // records that have a value
}

// Add counts a record; it allocates nothing.
func (c *Census) Add(r *parser.Record) {
	if r.Kind != parser.Access {
		return
	}
	c.records.Add(1)
	values := r.Present()
	for f := range parser.Level {
		if r.Column(f) {
			c.columns[f].Add(1)
		}
		if values.Has(f) || f == parser.ResponseCode && hasCode(r) {
			c.values[f].Add(1)
		}
	}
}

func hasCode(r *parser.Record) bool { _, ok := r.Code(); return ok }

// A Diagnosis is what the doctor says. It is the schema of `doctor -o json`.
// Strings that come from the log are as they were written: what draws it
// escapes them.
type Diagnosis struct {
	APIVersion string          `json:"apiVersion"`
	Kind       string          `json:"kind"`
	Version    string          `json:"version,omitempty"`
	Inputs     []sinks.Input   `json:"inputs"`
	Span       *sinks.Span     `json:"span,omitempty"` // of access records
	Totals     sinks.Totals    `json:"totals"`
	Dialects   []Dialect       `json:"dialects"`
	Layouts    []sinks.Layout  `json:"layouts"` // worked out from lines
	Fields     []Field         `json:"fields"`
	Absent     []Absent        `json:"absent"` // the dearest first; the flags before all
	Invalid    []Reason        `json:"invalid"`
	Samples    Samples         `json:"samples"`
	Accounting *sinks.Identity `json:"accounting"`
}

// A Dialect is a layout and how many access records have it.
type Dialect struct {
	Name  string  `json:"name"`
	Count uint64  `json:"count"`
	Share float64 `json:"share"`
}

// A Field is how many access records have a field.
type Field struct {
	Name     string `json:"name"`
	Operator string `json:"operator"`
	Columns  uint64 `json:"columns"` // records whose layout has it
	Values   uint64 `json:"values"`  // records that have a value
}

// An Absent is a field that the layout of some records lacks, and what that
// costs.
type Absent struct {
	Name     string  `json:"name"`
	Operator string  `json:"operator"`
	Share    float64 `json:"share"` // of access records
	Costs    string  `json:"costs,omitempty"`
	Causes   []Lost  `json:"causes"` // that can not be told without it
}

// A Lost is a cause that can not be told.
type Lost struct {
	Cause   string `json:"cause"`
	Instead string `json:"takenFor,omitempty"` // the cause that it looks like; "" when it does not show
}

// A Reason counts invalid records.
type Reason struct {
	Reason string `json:"reason"`
	Count  uint64 `json:"count"`
	About  string `json:"about"`
}

// Samples are the first records that could not be read, or not for certain.
type Samples struct {
	Invalid    []sinks.Sample `json:"invalid"`
	Suspicious []sinks.Sample `json:"suspicious"`
	Noise      []sinks.Sample `json:"noise"`
}

// costs are what fields are for beside causes.
var costs = map[parser.Field]string{
	parser.ResponseCode:  "requests that failed without a response flag are not seen",
	parser.ResponseFlags: "why the proxy itself refused, cut or could not forward a request can not be told",
	parser.StartTime:     "records can not be placed in time: no timeline, no --since",
	parser.RequestID:     "the records of both sides of a request can not be joined",
	parser.UpstreamHost:  "the one bad endpoint can not be named",
	parser.Duration:      "timeouts can not be told from refusals",
}

// Diagnose draws the diagnosis from a report and the census of its records.
func Diagnose(r *sinks.Report, census *Census, c *classify.Classifier) *Diagnosis {
	d := &Diagnosis{
		APIVersion: r.APIVersion, Kind: "Diagnosis", Version: r.Version, Inputs: r.Inputs, Span: r.Span, Totals: r.Totals, Accounting: &r.Accounting,
		Dialects: []Dialect{}, Layouts: append([]sinks.Layout{}, r.Layouts...), Fields: []Field{}, Absent: []Absent{}, Invalid: []Reason{},
		Samples: Samples{r.Samples.Invalid, r.Samples.Suspicious, r.Samples.Noise},
	}
	for _, t := range r.Dialects {
		d.Dialects = append(d.Dialects, Dialect{t.Name, t.Count, share(t.Count, r.Totals.Access)})
	}
	for _, t := range r.Invalid {
		d.Invalid = append(d.Invalid, Reason{t.Reason, t.Count, aboutReason(t.Reason)})
	}
	d.fields(census, c)
	return d
}

func aboutReason(name string) string {
	for _, row := range parser.ReasonList() {
		if row.Name == name {
			return row.About
		}
	}
	return ""
}

// fields lists the fields, and what the absent ones cost.
func (d *Diagnosis) fields(census *Census, c *classify.Classifier) {
	all := census.records.Load()
	if all == 0 {
		return
	}
	var missing parser.FieldSet
	var lacking []parser.Field
	for _, row := range parser.FieldList()[:parser.Level] {
		f, columns := row.Field, census.columns[row.Field].Load()
		d.Fields = append(d.Fields, Field{row.Name, row.Operator, columns, census.values[f].Load()})
		if columns < all {
			lacking = append(lacking, f)
		}
		if columns == 0 {
			missing |= parser.Fields(f)
		}
	}
	for _, f := range lacking {
		row := parser.FieldList()[f]
		a := Absent{Name: row.Name, Operator: row.Operator, Share: 1 - share(census.columns[f].Load(), all), Costs: costs[f], Causes: []Lost{}}
		for _, l := range c.Losses(f, missing) {
			lost := Lost{Cause: l.Cause.ID}
			if l.Instead != nil {
				lost.Instead = l.Instead.ID
			}
			a.Causes = append(a.Causes, lost)
		}
		d.Absent = append(d.Absent, a)
	}
	slices.SortStableFunc(d.Absent, func(a, b Absent) int { return b.weight() - a.weight() })
}

// weight sorts absent fields: the flags, then by what they cost.
func (a *Absent) weight() int {
	n := 2 * len(a.Causes)
	if a.Costs != "" {
		n++
	}
	if a.Name == parser.ResponseFlags.String() {
		n += 1 << 16
	}
	return n
}

func share(part, whole uint64) float64 {
	if whole == 0 {
		return 0
	}
	return float64(part) / float64(whole)
}
