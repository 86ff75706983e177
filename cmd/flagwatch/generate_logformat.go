package main

import (
	"fmt"
	"io"

	"github.com/spf13/cobra"

	"github.com/flagwatch/flagwatch/internal/logformat"
)

func newGenerateLogformat(std streams) *cobra.Command {
	target := newChoice(append([]string{"all"}, logformat.TargetNames()...)...)
	json := false
	cmd := &cobra.Command{
		Use:   "logformat",
		Short: "Print configuration that logs all fields which diagnoses need",
		Long: `logformat prints the configuration of access logs that have every field which a
diagnosis rests on: Istio's own format and the fields that it leaves out. It is
printed for Istio, Envoy and Envoy Gateway, as YAML; flagwatch --format-from
reads the records of each.`,
		Example: `  flagwatch generate logformat --for istio
  flagwatch generate logformat --for envoy-gateway --json | kubectl apply -f -`,
		Args: cobra.NoArgs,
		RunE: func(*cobra.Command, []string) error {
			return printFormats(std.out, json, func(t *logformat.Target) bool {
				return t.Name == target.value || target.value == "all" && !t.IsTelemetry()
			})
		},
	}
	cmd.Flags().Var(target, "for", "the product to configure")
	cmd.Flags().BoolVar(&json, "json", false, "log JSON instead of text")
	return cmd
}

func newGenerateTelemetry(std streams) *cobra.Command {
	json := false
	cmd := &cobra.Command{
		Use:   "telemetry",
		Short: "Print Istio's Telemetry and a provider that logs all fields",
		Long: `telemetry prints a provider of access logs for Istio's MeshConfig, with every
field which a diagnosis rests on, and a Telemetry that switches it on for the
whole mesh.`,
		Example: `  flagwatch generate telemetry --json`,
		Args:    cobra.NoArgs,
		RunE: func(*cobra.Command, []string) error {
			return printFormats(std.out, json, (*logformat.Target).IsTelemetry)
		},
	}
	cmd.Flags().BoolVar(&json, "json", false, "log JSON instead of text")
	return cmd
}

// printFormats prints the configuration of the products, a document each.
func printFormats(w io.Writer, json bool, wanted func(*logformat.Target) bool) error {
	separator := ""
	for i := range logformat.Targets {
		t := &logformat.Targets[i]
		if !wanted(t) {
			continue
		}
		if _, err := fmt.Fprint(w, separator, t.Write(json)); err != nil {
			return err
		}
		separator = "---\n"
	}
	return nil
}
