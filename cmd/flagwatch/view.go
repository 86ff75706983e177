package main

import (
	"strings"

	"github.com/spf13/pflag"

	"github.com/flagwatch/flagwatch/classify"
	"github.com/flagwatch/flagwatch/internal/spell"
	"github.com/flagwatch/flagwatch/sinks"
)

// A view is what a report shows of what was counted.
type view struct {
	join     bool
	suppress []string // as given: cause=ID
}

func (v *view) addFlags(flags *pflag.FlagSet) {
	flags.BoolVar(&v.join, "join", true, "let the innermost of the records of one request have the cause")
	flags.StringArrayVar(&v.suppress, "suppress", nil, "only name a cause, as cause=ID; may be given again")
}

// options checks the flags against the causes that there are.
func (v *view) options(c *classify.Classifier) (sinks.ReportOptions, error) {
	opt := sinks.ReportOptions{Alone: !v.join}
	for _, s := range v.suppress {
		id, ok := strings.CutPrefix(s, "cause=")
		if !ok {
			return opt, usageError("--suppress %s: want cause=ID", s)
		}
		cause, ok := c.Cause(id)
		if !ok {
			return opt, usageError("--suppress: no cause %s%s", id, spell.DidYouMean(id, explainable(c)))
		}
		opt.Suppress = append(opt.Suppress, cause.ID)
	}
	return opt, nil
}
