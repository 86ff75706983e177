package sinks

import (
	"fmt"
	"strings"

	"github.com/flagwatch/flagwatch/parser"
)

// A Layout is one of records that was worked out from lines, since no known
// layout reads them.
type Layout struct {
	Input   string         `json:"input"`
	From    int64          `json:"from"`              // byte from where on it was worked out
	Changed bool           `json:"changed,omitempty"` // the input had another one before
	Format  string         `json:"format"`            // as a format string; COLUMN_N is a column that was not recognised
	Lines   int            `json:"lines"`             // in the sample
	Fit     int            `json:"linesThatFit"`
	Columns []LayoutColumn `json:"columns"`
}

// A LayoutColumn is a column of such a layout.
type LayoutColumn struct {
	Operator string  `json:"operator"`
	Field    string  `json:"field,omitempty"`
	Surety   string  `json:"surety"`       // certain, likely or unknown
	By       string  `json:"recognisedBy"` // name, shape, place or nothing
	Share    float64 `json:"share"`        // of the values in the sample that look like it
}

// sureties are the values of LayoutColumn.Surety.
var sureties = []string{"certain", "likely", "unknown"}

// LayoutOf describes a layout that was worked out.
func LayoutOf(input string, from int64, changed bool, in *parser.Inference) Layout {
	l := Layout{Input: input, From: from, Changed: changed, Format: in.Format, Lines: in.Lines, Fit: in.Fit}
	for _, c := range in.Columns {
		col := LayoutColumn{Operator: c.Operator, Surety: sureties[0], By: c.By.String(), Share: c.Share}
		if c.Field < parser.NumFields {
			col.Field = c.Field.String()
		}
		switch c.By {
		case parser.ByPlace:
			col.Surety = sureties[1]
		case parser.ByNothing:
			col.Surety = sureties[2]
		}
		l.Columns = append(l.Columns, col)
	}
	return l
}

// Summary says in sentences how far the layout is known.
func (l *Layout) Summary() string {
	names := map[string][]string{}
	for _, c := range l.Columns {
		name := c.Field
		if name == "" {
			name = c.Operator
		}
		names[c.Surety] = append(names[c.Surety], name)
	}
	var b strings.Builder
	if l.Changed {
		fmt.Fprintf(&b, "changed before byte %d: ", l.From)
	}
	fmt.Fprintf(&b, "worked out from %d of %d lines that no known layout reads", l.Fit, l.Lines)
	for _, surety := range sureties[:2] {
		if list := names[surety]; len(list) > 0 {
			fmt.Fprintf(&b, "; %s: %s", surety, strings.Join(list, ", "))
		}
	}
	if n := len(names[sureties[2]]); n > 0 {
		fmt.Fprintf(&b, "; not recognised: %d of %d columns", n, len(l.Columns))
	}
	return b.String()
}

// layouts says which layouts were worked out and how surely.
func (p *page) layouts(list []Layout) {
	for i := range list {
		if i == maxOtherRows {
			p.listed(plainMark, "layout", plural(uint64(len(list)-i), "more layout", "more layouts")+" worked out")
			break
		}
		p.listed(plainMark, "layout", p.user(list[i].Input)+": "+p.user(list[i].Summary()))
	}
}
