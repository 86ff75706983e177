package main

import (
	"context"
	"errors"
	"fmt"
	"io"

	"github.com/spf13/cobra"

	"github.com/flagwatch/flagwatch/sinks"
)

func newDiff(std streams) *cobra.Command {
	var o runOptions
	output, color := newChoice("table", "wide", "json", "markdown"), newChoice(colorNames...)
	cmd := &cobra.Command{
		Use:   "diff BEFORE AFTER",
		Short: "Show which causes are new, gone, or met more or less often",
		Long: `diff compares two reports of flagwatch -o json, or logs: a file, a directory or a
quoted pattern each. A cause that is in both, in the same cluster, has changed
when such a difference of its share of the cluster's requests would come by
chance in less than one of a hundred cases. There is no diff when a file of one
of them can not be read at all.

--fail-on new-cause is met by a cause in a cluster, worse than information,
that was not there before.`,
		Example: `  flagwatch diff before.json after.json
  flagwatch diff before.log 'after*.log' --fail-on new-cause`,
		Args: cobra.ExactArgs(2),
		RunE: func(cmd *cobra.Command, args []string) error {
			opt := textOptions(std, color.value)
			opt.Wide = output.value == "wide"
			write := func(w io.Writer, d *sinks.Diff) error { return sinks.WriteDiff(w, d, opt) }
			switch output.value {
			case "json":
				write = func(w io.Writer, d *sinks.Diff) error { return d.WriteJSON(w) }
			case "markdown":
				write = sinks.WriteDiffMarkdown
			}
			return o.diff(cmd.Context(), std, args, write)
		},
	}
	o.addFlags(cmd.Flags())
	o.view.addFlags(cmd.Flags())
	o.gates.addFlags(cmd.Flags(), true)
	cmd.Flags().VarP(output, "output", "o", "output format")
	cmd.Flags().Var(color, "color", "colour in the table")
	return cmd
}

func (o *runOptions) diff(ctx context.Context, std streams, args []string, write func(io.Writer, *sinks.Diff) error) error {
	if err := o.gates.parse(o.rules, true); err != nil {
		return err
	}
	var sides [2]*result
	var ends [2]error
	for i, arg := range args {
		res, err := o.load(ctx, std, []string{arg})
		if err != nil {
			return err
		}
		sides[i], ends[i] = res, res.conclude(std.err, o.verbose)
	}
	for i, end := range ends {
		if t := sides[i].report.Totals; end != nil && (sides[i].unread || t.Access+t.Events == 0) {
			return firstExit(append(ends[:], fmt.Errorf("no diff: %s could not be read", args[i]))...)
		}
	}
	d := sides[0].report.Compare(sides[1].report)
	if err := write(std.out, d); err != nil {
		return fmt.Errorf("cannot write the diff: %w", err)
	}
	return o.gates.conclude(std.err, sides[1].report, d, firstExit(ends[0], ends[1]))
}

// firstExit joins errors; the first one that has an exit code decides it.
func firstExit(errs ...error) error {
	joined := errors.Join(errs...)
	if e, ok := errors.AsType[*exitError](joined); ok {
		return &exitError{e.code, joined}
	}
	return joined
}
