package main

import (
	"context"
	"os"
	"strings"
	"time"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/flagwatch/flagwatch"
)

const demoSteps = 20 // a second

func newDemo(std streams) *cobra.Command {
	var o runOptions
	defaults := pflag.NewFlagSet("demo", pflag.ContinueOnError) // those of the report
	o.addFlags(defaults)
	o.view.addFlags(defaults)
	o.reading.addFlags(defaults)
	p := newPresentation()
	length := 5 * time.Second
	cmd := &cobra.Command{
		Use:   "demo",
		Short: "Show the report of a made-up incident, live",
		Long: `demo plays the bundled log of a made-up incident, a quarter of an hour in a few
seconds, and ends with the report. It reads no file and needs no cluster.`,
		Example: "  flagwatch demo\n  flagwatch demo -o html > incident.html",
		Args:    cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			if !p.live(std) {
				length = 0
			}
			in, err := play(cmd.Context(), flagwatch.Sample, length)
			if err != nil {
				return err
			}
			defer in.Close()
			std.in = in
			return o.report(cmd.Context(), std, nil, p)
		},
	}
	p.addFlags(cmd.Flags())
	cmd.Flags().DurationVar(&length, "for", length, "how long the incident is played on a terminal")
	return cmd
}

// play writes a log into a pipe, evenly over a time, and returns the end to
// read from. It stops when ctx is done or nobody reads any more.
func play(ctx context.Context, log string, length time.Duration) (*os.File, error) {
	r, w, err := os.Pipe()
	if err != nil {
		return nil, err
	}
	lines := strings.SplitAfter(log, "\n")
	steps := max(1, int(length*demoSteps/time.Second))
	go func() {
		defer w.Close()
		tick := time.NewTicker(time.Second / demoSteps)
		defer tick.Stop()
		for i := range steps {
			part := lines[len(lines)*i/steps : len(lines)*(i+1)/steps]
			if _, err := w.WriteString(strings.Join(part, "")); err != nil {
				return
			}
			if steps > 1 && !wait(tick.C, ctx.Done()) {
				return
			}
		}
	}()
	return r, nil
}
