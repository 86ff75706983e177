package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"
	"sync"

	"github.com/spf13/pflag"

	"github.com/flagwatch/flagwatch/classify"
	"github.com/flagwatch/flagwatch/internal/ledger"
	"github.com/flagwatch/flagwatch/internal/pipeline"
	"github.com/flagwatch/flagwatch/internal/source"
	"github.com/flagwatch/flagwatch/parser"
	"github.com/flagwatch/flagwatch/sinks"
)

// RunOptions are what the commands that read logs have in common.
type runOptions struct {
	jobs        int
	verbose     bool
	rules       string
	view        view
	formats     formats
	reading     reading
	followFiles bool
	series      bool // count what metrics show, too
	account     bool // count what conclude tells and no more: there is no report
	watch       watcher
	gates       gates
	learned     []sinks.Layout // that were worked out from lines
	commands    []string       // names that the first argument may be a misspelling of
}

func (o *runOptions) addFlags(flags *pflag.FlagSet) {
	flags.IntVarP(&o.jobs, "jobs", "j", 0, "how many workers read; 0: one a CPU")
	flags.StringVar(&o.rules, "rules", "", "a file of the team's own causes, tried before the catalogue's")
	o.formats.addFlags(flags)
	flags.BoolVarP(&o.verbose, "verbose", "v", false, "print the account of all records and bytes on standard error")
}

// An emitter appends what is to be written about a record.
type emitter func([]byte, *source.Batch, *parser.Record, classify.Verdict) []byte

// A result is what a run came to.
type result struct {
	inputs      []source.Input
	report      *sinks.Report
	snapshot    *sinks.Snapshot // of the run, which is over
	interrupted bool
	shown       bool // the output says what the input looks like
	again       []source.Repeat
	unread      bool  // of some input is nothing in the report
	windowed    bool  // records were left out by their time alone
	last        int64 // time of the latest record that is too old to be counted, in nanoseconds since 1970; 0: there is none
}

// checkJobs refuses a number of workers that can not be meant.
func checkJobs(n int) error {
	if n < 0 || n > pipeline.MaxWorkers {
		return usageError("--jobs %d: want 0 to %d", n, pipeline.MaxWorkers)
	}
	return nil
}

// run reads the inputs that args name. Errors of inputs are in the result;
// an error is one of usage or of writing.
func (o *runOptions) run(ctx context.Context, std streams, args []string, want parser.FieldSet, emit emitter) (*result, error) {
	if len(args) == 0 && isTerminal(std.in) {
		io.WriteString(std.err, terminalUsage)
		return nil, &exitError{code: exitUsage}
	}
	if err := meantCommand(args, o.commands); err != nil {
		return nil, err
	}
	if err := checkJobs(o.jobs); err != nil {
		return nil, err
	}
	forMany, stopSaving := saveMemory()
	defer stopSaving()
	causes, err := loadRules(o.rules)
	if err != nil {
		return nil, err
	}
	view, err := o.view.options(causes)
	if err != nil {
		return nil, err
	}
	formats, err := o.formats.load(std.err)
	if err != nil {
		return nil, err
	}
	plan, err := o.reading.plan(o.jobs, emit != nil, causes, formats)
	if err != nil {
		return nil, err
	}
	view.Selected = plan.keep.Match != nil
	if want == 0 {
		want = sinks.Wanted | causes.Fields() | plan.fields
	}
	if o.followFiles {
		return o.follow(ctx, args, std.err, pipeline.Options{Workers: o.jobs, Want: want, Formats: formats, Classifier: causes, Keep: plan.keep, Series: o.series, Learned: o.learn, Fault: o.fault(std.err), Epoch: o.watch.epoch()}, view)
	}
	src, err := source.New(args, std.in, plan.source)
	if err != nil {
		return nil, &exitError{exitUsage, err}
	}
	if len(src.Inputs()) > 1 {
		forMany()
	}
	mem := ledger.NewMemory()
	stopMeter := o.reading.watch(std, src.Inputs, src.Progress, emit != nil || o.watch.show != nil)
	led, stop := o.watch.start(mem, func(s *sinks.Snapshot) *sinks.Report { return s.ReportWith(view) })
	err = pipeline.Run(ctx, src, led, pipeline.Options{Workers: o.jobs, Want: want, Formats: formats, Classifier: causes, Keep: plan.keep, Series: o.series, Learned: o.learn, Account: o.account, Emit: emit, Out: std.out, Fault: o.fault(std.err), Epoch: o.watch.epoch(), Early: true})
	stop()
	stopMeter()
	giveBack()
	if err != nil && !errors.Is(err, source.ErrIncomplete) && !errors.Is(err, context.Canceled) {
		return nil, err
	}
	res := &result{inputs: src.Inputs(), again: src.Repeats(), windowed: plan.keep.Timed() && plan.keep.Match == nil, last: plan.keep.Before.Time(), interrupted: ctx.Err() != nil}
	view.Cut = plan.keep.After.Time() != 0
	mem.View(func(s *sinks.Snapshot) { res.snapshot, res.report = s, s.ReportWith(view, res.reportInputs()...) })
	res.report.Layouts = o.learned
	return res, nil
}

// learn keeps a layout that was worked out.
func (o *runOptions) learn(l pipeline.Learned) {
	o.learned = append(o.learned, sinks.LayoutOf(l.Stream.Name, l.At.Offset, l.Again, l.Inference))
}

// fault tells about the first fault of ours in a run.
func (o *runOptions) fault(w io.Writer) func(any, []byte) {
	var once sync.Once
	return func(value any, stack []byte) {
		once.Do(func() {
			say(w, fmt.Sprintf("a fault of flagwatch, please report it: %v", value))
			if o.verbose {
				for line := range bytes.Lines(stack) {
					say(w, string(bytes.TrimSpace(line)))
				}
			}
		})
	}
}

func (r *result) reportInputs() []sinks.Input {
	list := make([]sinks.Input, 0, len(r.inputs))
	for _, in := range r.inputs {
		row := sinks.Input{Name: in.Name, Bytes: in.Bytes, SameAs: in.Same, NotRead: in.Skipped}
		if err := r.inputError(in); err != nil {
			row.Error = strings.TrimPrefix(err.Error(), in.Name+": ")
		}
		list = append(list, row)
	}
	return list
}

// inputError says why an input was not read to its end, nil when it was, or
// when nobody but its writer could end it.
func (r *result) inputError(in source.Input) error {
	switch {
	case in.Err != nil || in.Done || in.Live && in.Begun:
		return in.Err
	case in.Begun:
		return fmt.Errorf("%s: interrupted at byte %d", in.Name, in.Bytes)
	}
	return fmt.Errorf("%s: not read", in.Name)
}

// conclude says on w what the output does not, and returns the error that the
// program ends with.
func (r *result) conclude(w io.Writer, verbose bool) error {
	if verbose {
		r.account(w)
	}
	r.tellInputs(w, verbose)
	if list := r.report.Samples.Kubectl; len(list) > 0 && !r.shown {
		say(w, list[0].Input+": kubectl itself failed: "+firstLine(list[0].Text))
	}
	var failed []error
	noData := false
	for _, in := range r.inputs {
		failed = append(failed, r.inputError(in))
		switch empty := in.Done && in.Err == nil && in.Bytes == 0; {
		case empty && (in.Same != "" || in.Skipped > 0):
		case empty && in.Name == source.Stdin:
			noData = true
		case empty:
			say(w, in.Name+": empty file")
		}
	}
	if err := errors.Join(failed...); err != nil {
		if _, refused := errors.AsType[*source.RefusedError](err); refused {
			return &exitError{exitUsage, err}
		}
		return err
	}
	if noData {
		return &exitError{exitNothing, errors.New("stdin: no data; did the command in front of the pipe fail?")}
	}
	return r.recognised()
}

// recognised is an error when there was something to read and nothing of it
// was a record of a proxy.
func (r *result) recognised() error {
	t := r.report.Totals
	skipped := r.report.Accounting.Skipped
	if t.Access+t.Events > 0 || t.Records == 0 || r.interrupted || skipped["access"].Records+skipped["event"].Records > 0 {
		return nil
	}
	if r.shown {
		return &exitError{exitNothing, errors.New("no access record and no event in the input")}
	}
	var kinds []string
	if t.Noise > 0 {
		kinds = append(kinds, plural(t.Noise, "line", "lines")+" of other text")
	}
	for _, row := range r.report.Invalid {
		kinds = append(kinds, fmt.Sprintf("%d invalid (%s)", row.Count, row.Reason))
	}
	return &exitError{exitNothing, fmt.Errorf("no access record and no event in the input: only %s, and it begins with: %s", strings.Join(kinds, ", "), r.begins())}
}

// begins is the first line that is not blank, as far as it was kept.
func (r *result) begins() string {
	var first *sinks.Sample
	for _, list := range [][]sinks.Sample{r.report.Samples.Noise, r.report.Samples.Invalid} {
		if len(list) > 0 && (first == nil || list[0].Input == first.Input && list[0].Offset < first.Offset) {
			first = &list[0]
		}
	}
	if first == nil {
		return "blank lines"
	}
	return firstLine(first.Text)
}

func firstLine(text string) string {
	line, _, _ := strings.Cut(strings.TrimLeft(text, "\r\n"), "\n")
	return strings.TrimRight(line, "\r")
}

// outside says whether there were records, and all of them of another time than
// was asked for.
func (r *result) outside() bool {
	t := r.report.Totals
	skipped := len(r.report.Accounting.Skipped) > 0
	for _, in := range r.inputs {
		skipped = skipped || in.Skipped > 0
	}
	return r.windowed && skipped && t.Access+t.Events == 0
}

// account prints the two identities that hold for every run.
func (r *result) account(w io.Writer) {
	id, kind := r.report.Accounting, r.report.Totals
	say(w, fmt.Sprintf("%s = %d access + %d event + %d noise + %d invalid", plural(id.Records, "record", "records"), kind.Access, kind.Events, kind.Noise, kind.Invalid))
	line := fmt.Sprintf("%s read = %d in records", plural(id.Read, "byte", "bytes"), id.Bytes)
	for _, reason := range slices.Sorted(maps.Keys(id.Discarded)) {
		line += fmt.Sprintf(" + %d discarded (%s)", id.Discarded[reason], reason)
	}
	for _, kind := range slices.Sorted(maps.Keys(id.Skipped)) {
		line += fmt.Sprintf(" + %d left out (%s)", id.Skipped[kind].Bytes, kind)
	}
	say(w, line)
}
