package main

import (
	"fmt"

	"github.com/spf13/cobra"

	"github.com/flagwatch/flagwatch/classify"
	"github.com/flagwatch/flagwatch/internal/doctor"
	"github.com/flagwatch/flagwatch/internal/source"
	"github.com/flagwatch/flagwatch/parser"
)

func newDoctor(std streams) *cobra.Command {
	var o runOptions
	output := newChoice("text", "json")
	cmd := &cobra.Command{
		Use:   "doctor [FILE|DIR|GLOB|-]...",
		Short: "Say how well a log can be read and what its format lacks",
		Long: `doctor reads logs and says how well it could: the layouts of their access
records, the fields that these have and lack, and for each absent field which
causes of failures can not be told apart without it; records that can not be
read, with the byte where reading stopped; the time that the records span,
their gaps and their order.`,
		Example: `  flagwatch doctor access.log
  kubectl logs -n shop deploy/frontend -c istio-proxy | flagwatch doctor`,
		RunE: func(cmd *cobra.Command, args []string) error {
			return o.doctor(cmd, std, args, output.value)
		},
	}
	o.addFlags(cmd.Flags())
	o.reading.addFlags(cmd.Flags())
	cmd.Flags().VarP(output, "output", "o", "output format")
	return cmd
}

// doctor is the work of the command.
func (o *runOptions) doctor(cmd *cobra.Command, std streams, args []string, output string) error {
	var census doctor.Census
	count := func(buf []byte, _ *source.Batch, r *parser.Record, _ classify.Verdict) []byte {
		census.Add(r)
		return buf
	}
	res, err := o.run(cmd.Context(), std, args, parser.AllFields, count)
	if err != nil {
		return err
	}
	causes, err := loadRules(o.rules)
	if err != nil {
		return err
	}
	report := res.report
	if !drawsOn(std) {
		report = report.Redact()
	}
	report.Version = version()
	d := doctor.Diagnose(report, &census, causes)
	write := d.WriteText
	if output == "json" {
		write = d.WriteJSON
	}
	res.shown = output == "text"
	if report.Totals.Records > 0 || output == "json" {
		if err := write(std.out); err != nil {
			return fmt.Errorf("cannot write the diagnosis: %w", err)
		}
	}
	return res.conclude(std.err, o.verbose)
}
