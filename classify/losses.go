package classify

import (
	"strings"

	"github.com/flagwatch/flagwatch/parser"
)

// A Loss is a cause that can not be told any more when a field is not logged.
type Loss struct {
	Cause   *Cause
	Instead *Cause // what its record is taken for; nil: it does not show at all
}

// Losses returns the causes of access records that can not be told for want of
// a field, where all the missing ones are not logged: a rule of theirs asks for
// the field, and their example, read without, is taken for something else. They
// are in the order of the catalogue.
func (c *Classifier) Losses(f parser.Field, missing parser.FieldSet) (list []Loss) {
	only := parser.Fields(f)
	p := parser.NewParser(parser.AllFields)
	for i := range c.causes {
		cause := &c.causes[i]
		if cause.Seen != InAccess || !c.needs(cause, f) {
			continue
		}
		for _, example := range cause.Examples {
			p.Reset(append(make([]byte, 0, len(example)+parser.Padding), example...))
			r, ok := p.Next()
			if !ok || r.Kind != parser.Access || c.Classify(r).Cause != cause {
				continue
			}
			r = r.Clone()
			instead := c.Classify(r.Without(missing | only)).Cause
			if instead != cause && (c.Classify(r.Without(only)).Cause != cause || c.Classify(r.Without(missing&^only)).Cause == cause) {
				list = append(list, Loss{cause, instead})
				break
			}
		}
	}
	return list
}

// needs says whether a rule of the cause asks for the field.
func (c *Classifier) needs(cause *Cause, f parser.Field) bool {
	for i := range c.rules {
		if c.rules[i].verdict.Cause == cause && c.rules[i].needs.Has(f) {
			return true
		}
	}
	return false
}

// needsOf are the fields of access records that a condition asks for: without
// one of them it never holds.
func needsOf(when string) (set parser.FieldSet) {
	for word := range strings.FieldsSeq(when) {
		name, list, _ := strings.Cut(word, ":")
		switch name {
		case "flag":
			set |= parser.Fields(parser.ResponseFlags)
		case "code":
			set |= parser.Fields(parser.ResponseCode)
		case "grpc":
			set |= parser.Fields(parser.GRPCStatus)
		case "column":
			name = list
		}
		for _, col := range columns {
			if col.name == name {
				set |= parser.Fields(col.field)
			}
		}
		set |= predicateNamed[name].fields
	}
	return set
}
