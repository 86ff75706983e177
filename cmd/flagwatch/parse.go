package main

import (
	"github.com/spf13/cobra"

	"github.com/flagwatch/flagwatch/classify"
	"github.com/flagwatch/flagwatch/internal/source"
	"github.com/flagwatch/flagwatch/parser"
)

func newParse(std streams) *cobra.Command {
	o := runOptions{account: true}
	cmd := &cobra.Command{
		Use:   "parse [FILE|DIR|GLOB|-]...",
		Short: "Print one JSON object for each record",
		Long: `parse prints one JSON object a line for each record, in the order of the
input: access records with typed fields, events of proxies and of their
agents, and a short row for whatever else there is, so that the values of
"lines" add up to the lines of the input.`,
		Example: `  flagwatch parse access.log | jq -c 'select(.failed)'`,
		RunE: func(cmd *cobra.Command, args []string) error {
			res, err := o.run(cmd.Context(), std, args, parser.AllFields, emitRecord)
			if err != nil {
				return err
			}
			return res.conclude(std.err, o.verbose)
		},
	}
	o.addFlags(cmd.Flags())
	o.reading.addFlags(cmd.Flags())
	return cmd
}

func emitRecord(buf []byte, b *source.Batch, r *parser.Record, v classify.Verdict) []byte {
	return appendRecord(buf, r, v, b.From.Line+int64(r.Line))
}
