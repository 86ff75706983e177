package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/spf13/pflag"

	"github.com/flagwatch/flagwatch/internal/safe"
	"github.com/flagwatch/flagwatch/internal/spell"
	"github.com/flagwatch/flagwatch/sinks"
)

var colorNames = []string{"auto", "always", "never"}

// A presentation is how a report is shown.
type presentation struct {
	output, color    *choice
	quiet            bool
	every            time.Duration
	redact, noRedact bool
	top              int
	by               []string
	file             string        // instead of standard output; "" and "-" are that
	state            func() string // how far the input is, while the report is redrawn; nil: "reading"
}

func newPresentation() *presentation {
	return &presentation{output: newChoice(outputNames()...), color: newChoice(colorNames...)}
}

func (p *presentation) addFlags(flags *pflag.FlagSet) {
	flags.VarP(p.output, "output", "o", "output format")
	flags.IntVar(&p.top, "top", 0, "rows of each table; 0: some")
	flags.StringSliceVar(&p.by, "by", nil, "count the records that have a cause by `KEY`: "+strings.Join(sinks.Groupings(), ", "))
	flags.StringVar(&p.file, "output-file", "-", "write the report to a `file`, which is replaced when all of it is there; - is standard output")
	flags.Var(p.color, "color", "colour in the table")
	flags.BoolVarP(&p.quiet, "quiet", "q", false, "only the answer and the table of causes")
	flags.DurationVar(&p.every, "every", 0, "while the input goes on, report again after so long (30s); on a terminal the report is redrawn all along")
	flags.BoolVar(&p.redact, "redact", false, "leave query strings, tokens and addresses out of quoted records; the default unless the output is a terminal")
	flags.BoolVar(&p.noRedact, "no-redact", false, "quote records as they are")
}

// live says whether the report is redrawn in place.
func (p *presentation) live(std streams) bool {
	f := outputFormatOf(p.output.value)
	return drawsOn(std) && f.isText() && !p.quiet
}

// check refuses what makes no sense.
func (p *presentation) check() error {
	for _, key := range p.by {
		if !slices.Contains(sinks.Groupings(), key) {
			return usageError("--by %s: want one of %s%s", key, strings.Join(sinks.Groupings(), ", "), spell.DidYouMean(key, sinks.Groupings()))
		}
	}
	switch {
	case p.redact && p.noRedact:
		return usageError("--redact and --no-redact: want one of them")
	case p.every < 0:
		return usageError("--every %v: want a time above zero", p.every)
	case p.top < 0:
		return usageError("--top %d: want 0 or more", p.top)
	case p.every > 0 && p.toFile():
		return usageError("--every: a file is written once; leave out --output-file")
	case p.every > 0 && p.output.value == "html":
		return usageError("--every: a page for a browser is written once; use another --output")
	}
	return nil
}

// write writes a report.
func (p *presentation) write(std streams, r *sinks.Report) error {
	if p.redact || !p.noRedact && !drawsOn(std) {
		r = r.Redact()
	}
	r.Version = version()
	r.GroupBy(p.by...)
	if p.output.value == "json" {
		r.AttachSnapshot()
	}
	opt := textOptions(std, p.color.value)
	opt.Quiet, opt.Top = p.quiet, p.top
	f := outputFormatOf(p.output.value)
	if err := f.write(std.out, r, opt); err != nil {
		return fmt.Errorf("cannot write the report: %w", err)
	}
	return nil
}

// watch returns what shows the report while the input goes on, and what ends
// that. fail is called when it can not be written.
func (p *presentation) watch(std streams, fail func(error)) (watcher, func()) {
	if p.live(std) {
		s := &screen{out: std.out, size: terminalSize(std)}
		return watcher{max(redrawEvery, p.every), func(r *sinks.Report) { s.draw(p.brief(std, r)) }}, s.erase
	}
	if p.every == 0 {
		return watcher{}, func() {}
	}
	return watcher{p.every, func(r *sinks.Report) {
		if err := p.write(std, r); err != nil {
			fail(err)
		}
		if f := outputFormatOf(p.output.value); f.isText() || p.output.value == "markdown" {
			fmt.Fprintln(std.out)
		}
	}}, func() {}
}

// brief is a report as it is redrawn.
func (p *presentation) brief(std streams, r *sinks.Report) []byte {
	var b bytes.Buffer
	opt := textOptions(std, p.color.value)
	opt.Brief = true
	sinks.WriteText(&b, r, opt) // a Buffer takes all
	doing := "reading"
	if p.state != nil {
		doing = fmt.Sprint(safe.Text(p.state()))
	}
	b.WriteString("\n  " + doing + "; Ctrl-C ends with the whole report\n")
	return b.Bytes()
}

// report is the work of the root command.
func (o *runOptions) report(ctx context.Context, std streams, args []string, p *presentation) error {
	return p.deliver(std, func(std streams) error { return o.reportTo(ctx, std, args, p) })
}

func (o *runOptions) reportTo(ctx context.Context, std streams, args []string, p *presentation) error {
	if err := errors.Join(p.check(), o.gates.parse(o.rules, false)); err != nil {
		return err
	}
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	watch, end := p.watch(std, cancel)
	o.watch, o.series = watch, p.output.value == "prom"
	res, err := o.run(ctx, std, args, 0, nil)
	end()
	if cause := context.Cause(ctx); cause != nil && !errors.Is(cause, context.Canceled) {
		return cause
	}
	if err != nil {
		return err
	}
	return o.finish(std, res, p)
}

// finish draws what was read, and says with which code to exit.
func (o *runOptions) finish(std streams, res *result, p *presentation) error {
	if f := outputFormatOf(p.output.value); !f.isText() || res.report.Totals.Records > 0 {
		res.shown = f.isText() && !p.quiet
		if err := p.write(std, res.report); err != nil {
			return err
		}
	}
	err := res.conclude(std.err, o.verbose)
	if err == nil && len(o.gates.list) > 0 && res.outside() {
		return &exitError{exitNothing, errors.New("--fail-on: no record is of the time that was asked for, so there is nothing to judge")}
	}
	return o.gates.conclude(std.err, res.report, nil, err)
}
