package main

import (
	"errors"
	"fmt"
	"io"
	"strconv"
	"strings"

	"github.com/spf13/pflag"

	"github.com/flagwatch/flagwatch/internal/spell"
	"github.com/flagwatch/flagwatch/sinks"
)

// Gates are the conditions on which a script wants to fail.
type gates struct {
	given []string
	list  []gate
}

// A gate is one condition. It says what met it, "" when nothing did. The diff
// is nil where there is none.
type gate struct {
	text string
	met  func(*sinks.Report, *sinks.Diff) string
}

func (g *gates) addFlags(flags *pflag.FlagSet, diff bool) {
	about := "exit with 3 on a condition: cause=ID>N or failure-ratio>P%"
	if diff {
		about += ", of what is after, or new-cause"
	}
	flags.StringArrayVar(&g.given, "fail-on", nil, about+"; may be given again")
}

// parse checks the conditions; the rules have the team's own causes.
func (g *gates) parse(rules string, diff bool) error {
	for _, text := range g.given {
		for one := range strings.SplitSeq(text, ",") {
			met, err := parseGate(one, rules, diff)
			if err != nil {
				return usageError("--fail-on %s: %w", one, err)
			}
			g.list = append(g.list, gate{one, met})
		}
	}
	return nil
}

func parseGate(text, rules string, diff bool) (func(*sinks.Report, *sinks.Diff) string, error) {
	name, limit, isLimit := strings.Cut(text, ">")
	id, isCause := strings.CutPrefix(name, "cause=")
	switch {
	case text == "new-cause" && diff:
		return newCause, nil
	case text == "new-cause":
		return nil, errors.New("only diff knows which causes are new")
	case isCause && isLimit:
		return causeGate(id, limit, rules)
	case name == "failure-ratio" && isLimit:
		return ratioGate(limit)
	}
	return nil, errors.New("want cause=ID>N, failure-ratio>P% or, with diff, new-cause")
}

func causeGate(id, limit, rules string) (func(*sinks.Report, *sinks.Diff) string, error) {
	causes, err := loadRules(rules)
	if err != nil {
		return nil, err
	}
	cause, ok := causes.Cause(id)
	if !ok {
		return nil, fmt.Errorf("no cause %s%s", id, spell.DidYouMean(id, explainable(causes)))
	}
	most, err := strconv.ParseUint(limit, 10, 64)
	if err != nil {
		return nil, fmt.Errorf("%q is no count", limit)
	}
	return func(r *sinks.Report, _ *sinks.Diff) string {
		n := uint64(0)
		for i := range r.Causes {
			if c := &r.Causes[i]; c.ID == cause.ID || c.Verdict.Cause == cause.ID {
				n += c.Own()
			}
		}
		if n <= most {
			return ""
		}
		return strconv.FormatUint(n, 10)
	}, nil
}

func ratioGate(limit string) (func(*sinks.Report, *sinks.Diff) string, error) {
	digits, isPercent := strings.CutSuffix(limit, "%")
	most, err := strconv.ParseFloat(digits, 64)
	if err != nil || !isPercent || !(most >= 0 && most <= 100) {
		return nil, fmt.Errorf("%q is no percentage such as 5%%", limit)
	}
	return func(r *sinks.Report, _ *sinks.Diff) string {
		t := r.Totals
		if t.Access == 0 || float64(t.Failed)*100 <= most*float64(t.Access) {
			return ""
		}
		return fmt.Sprintf("%d of %s failed", t.Failed, plural(t.Access, "request", "requests"))
	}, nil
}

// newCause is met by a cause that is more than information.
func newCause(_ *sinks.Report, d *sinks.Diff) string {
	var names []string
	for _, c := range d.Changes {
		if c.Change != "new" || c.Severity == "info" {
			continue
		}
		name := c.Cause
		if name == "" {
			name = "unexplained"
		}
		if c.Cluster != "" {
			name += " in " + c.Cluster
		}
		names = append(names, name)
	}
	return strings.Join(names, ", ")
}

// conclude returns what the program ends with: err, what the reading came to,
// or that a condition was met. Of both the first decides the exit code, since
// what was read is not all; all is said on w.
func (g *gates) conclude(w io.Writer, r *sinks.Report, d *sinks.Diff, err error) error {
	var met []error
	for _, one := range g.list {
		if by := one.met(r, d); by != "" {
			met = append(met, fmt.Errorf("--fail-on %s is met: %s", one.text, by))
		}
	}
	switch {
	case len(met) == 0:
		return err
	case err == nil:
		return &exitError{exitMet, errors.Join(met...)}
	}
	printErrors(w, errors.Join(met...))
	return err
}
