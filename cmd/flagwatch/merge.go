package main

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/json"
	"errors"
	"io"
	"os"
	"time"

	"github.com/spf13/cobra"

	"github.com/flagwatch/flagwatch/classify"
	"github.com/flagwatch/flagwatch/internal/safe"
	"github.com/flagwatch/flagwatch/internal/source"
	"github.com/flagwatch/flagwatch/sinks"
)

func newMerge(std streams) *cobra.Command {
	var o runOptions
	p := newPresentation()
	cmd := &cobra.Command{
		Use:   "merge REPORT.json...",
		Short: "Add reports up to one",
		Long: `merge adds up what flagwatch -o json wrote, as if all the logs had been read at
once. An argument may also be a directory or a pattern, or a log, which is then
read; - takes reports one after the other from standard input. Compressed ones
are unpacked. With one report it draws it in another format. What is given twice,
a file or the same report under two names, is counted once, and that is said.

Reports are redacted by default: to keep clients' addresses in what is merged,
write them with --no-redact.`,
		Example: `  flagwatch merge before.json after.json
  flagwatch merge -o html --output-file incident.html before.json`,
		Args: cobra.MinimumNArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			return p.deliver(std, func(std streams) error { return o.merge(cmd.Context(), std, args, p) })
		},
	}
	o.addFlags(cmd.Flags())
	o.view.addFlags(cmd.Flags())
	o.gates.addFlags(cmd.Flags(), false)
	p.addFlags(cmd.Flags())
	return cmd
}

func (o *runOptions) merge(ctx context.Context, std streams, args []string, p *presentation) error {
	if err := errors.Join(p.check(), o.gates.parse(o.rules, false)); err != nil {
		return err
	}
	res, err := o.load(ctx, std, args)
	if err != nil {
		return err
	}
	return o.finish(std, res, p)
}

// A sum is reports and logs in the making of one report.
type sum struct {
	causes   *classify.Classifier
	snapshot *sinks.Snapshot
	inputs   []source.Input
	redacted bool
	selected bool                         // of a report, records were chosen by what they are
	cut      bool                         // the log goes on behind the latest report
	last     time.Time                    // of the latest report
	unread   bool                         // of some input is nothing in it
	added    map[[sha256.Size]byte]string // reports by their hash, with the names of their inputs
	again    []source.Repeat
}

// fail adds an input that nothing was read of.
func (s *sum) fail(in source.Input, err error) {
	in.Err, in.Done, s.unread = err, true, true
	s.inputs = append(s.inputs, in)
}

// load reads reports and logs as one.
func (o *runOptions) load(ctx context.Context, std streams, args []string) (*result, error) {
	causes, err := loadRules(o.rules)
	if err != nil {
		return nil, err
	}
	view, err := o.view.options(causes)
	if err != nil {
		return nil, err
	}
	list, again, err := source.Expand(args)
	if err != nil {
		return nil, &exitError{exitUsage, err}
	}
	s := &sum{causes: causes, snapshot: sinks.NewSnapshot(), added: map[[sha256.Size]byte]string{}, again: again}
	var logs []string
	for _, in := range list {
		switch {
		case in.Err != nil:
			s.fail(in, in.Err)
		case in.Name == source.Stdin:
			s.addReports(in, std.in)
		case isReport(in.Name):
			s.addFile(in)
		default:
			logs = append(logs, in.Name)
		}
	}
	interrupted := false
	if len(logs) > 0 {
		res, err := o.run(ctx, std, logs, 0, nil)
		if err != nil {
			return nil, err
		}
		s.snapshot.MergeSnapshot(res.snapshot)
		s.selected = s.selected || res.report.Selected
		s.ends(res.report)
		for _, in := range res.inputs {
			s.unread = s.unread || in.Err != nil && in.Bytes == 0
		}
		s.inputs = append(s.inputs, res.inputs...)
		interrupted = res.interrupted
	}
	res := &result{inputs: s.inputs, snapshot: s.snapshot, interrupted: interrupted, again: s.again, unread: s.unread}
	view.Selected, view.Cut = s.selected, s.cut
	res.report = s.snapshot.ReportWith(view, res.reportInputs()...)
	res.report.Redacted = s.redacted
	return res, nil
}

// ends notes whether the log goes on behind the latest of the reports.
func (s *sum) ends(r *sinks.Report) {
	if r.Span == nil || r.Span.Last.Before(s.last) {
		return
	}
	s.cut = r.Cut || s.cut && r.Span.Last.Equal(s.last)
	s.last = r.Span.Last
}

// isReport says whether a file is a report rather than a log.
func isReport(path string) bool {
	f, err := safe.OpenFile(path)
	if err != nil {
		return false
	}
	defer f.Close()
	head := make([]byte, 256)
	n, _ := io.ReadFull(source.Unpack(f), head)
	return sinks.IsReport(head[:n])
}

func (s *sum) addFile(in source.Input) {
	f, err := os.Open(in.Name)
	if err != nil {
		s.fail(in, openError(in.Name, err))
		return
	}
	defer f.Close()
	s.addReports(in, f)
}

// addReports adds reports that stand one after the other.
func (s *sum) addReports(in source.Input, r io.Reader) {
	d := json.NewDecoder(source.Unpack(r))
	for {
		var doc json.RawMessage
		err := d.Decode(&doc)
		if err == io.EOF {
			return
		}
		if err == nil {
			err = s.addOnce(in.Name, doc)
		}
		if err != nil {
			s.fail(in, &source.InputError{Name: in.Name, Offset: source.NotOpened, Err: err})
			return
		}
	}
}

// addOnce adds a report, unless the same one was added: reports of two logs, or
// of two times, differ.
func (s *sum) addOnce(name string, doc []byte) error {
	sum := sha256.Sum256(doc)
	if first, ok := s.added[sum]; ok {
		s.again = append(s.again, source.Repeat{Name: name, First: first})
		return nil
	}
	s.added[sum] = name
	return s.add(doc)
}

// add adds a report, or nothing of it.
func (s *sum) add(doc []byte) error {
	if !sinks.IsReport(bytes.TrimSpace(doc)) {
		return errors.New("is no report of flagwatch -o json")
	}
	r, err := sinks.ReadReport(doc)
	if err != nil {
		return err
	}
	find := func(id string) *classify.Cause {
		c, _ := s.causes.Cause(id)
		return c
	}
	counted, err := r.RestoreSnapshot(find)
	if err != nil {
		return err
	}
	s.snapshot.MergeSnapshot(counted)
	s.redacted, s.selected = s.redacted || r.Redacted, s.selected || r.Selected
	s.ends(r)
	for _, in := range r.Inputs {
		row := source.Input{Name: in.Name, Bytes: in.Bytes, Same: in.SameAs, Skipped: in.NotRead, Begun: true, Done: true}
		if in.Error != "" {
			row.Err = &source.InputError{Name: in.Name, Offset: source.NotOpened, Err: errors.New(in.Error)}
		}
		s.inputs = append(s.inputs, row)
	}
	return nil
}
