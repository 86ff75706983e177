package main

import "github.com/spf13/cobra"

func newGenerate(std streams) *cobra.Command {
	cmd := &cobra.Command{
		Use:   "generate",
		Short: "Print files for a mesh, a Prometheus, a Grafana or a cluster",
		Long: `generate prints what belongs beside flagwatch, made from the lists that the
program itself uses.`,
	}
	cmd.AddCommand(newGenerateRules(std), newGenerateDashboards(std), newGenerateSchema(std), newGenerateManifests(std), newGenerateLogformat(std), newGenerateTelemetry(std))
	return cmd
}
