package main

import (
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/flagwatch/flagwatch/deploy"
	"github.com/flagwatch/flagwatch/internal/agent"
	"github.com/flagwatch/flagwatch/internal/spell"
	"github.com/flagwatch/flagwatch/sinks"
)

// schemas are the JSON Schemas of what flagwatch reads and writes.
var schemas = map[string]func(io.Writer) error{
	"config": func(w io.Writer) error { return writeJSON(w, agent.Schema()) },
	"diff":   func(w io.Writer) error { _, err := w.Write(sinks.DiffSchema()); return err },
	"report": func(w io.Writer) error { _, err := w.Write(sinks.Schema()); return err },
}

func newGenerateSchema(std streams) *cobra.Command {
	names := slices.Sorted(maps.Keys(schemas))
	return &cobra.Command{
		Use:       "schema " + strings.Join(names, "|"),
		Short:     "The JSON Schema of a report, of a diff or of the agent's configuration",
		Example:   "  flagwatch generate schema report",
		Args:      cobra.ExactArgs(1),
		ValidArgs: names,
		RunE: func(_ *cobra.Command, args []string) error {
			write := schemas[args[0]]
			if write == nil {
				return usageError("generate schema: no schema %q%s (want one of %s)", args[0], spell.DidYouMean(args[0], names), strings.Join(names, ", "))
			}
			return write(std.out)
		},
	}
}

func newGenerateManifests(std streams) *cobra.Command {
	var names []string
	about := "Objects for a cluster, as kubectl apply -f - takes them:\n\n"
	for _, m := range deploy.Manifests() {
		names = append(names, m.Name)
		about += fmt.Sprintf("  %-14s %s\n", m.Name, m.About)
	}
	return &cobra.Command{
		Use:       "manifests [NAME]...",
		Short:     "Objects that run the agent in a cluster, without Helm",
		Long:      about + "\nWithout a name: namespace and agent.",
		Example:   "  flagwatch generate manifests | kubectl apply -f -",
		ValidArgs: names,
		RunE: func(_ *cobra.Command, args []string) error {
			if len(args) == 0 {
				args = []string{"namespace", "agent"}
			}
			for i, name := range args {
				text, err := deploy.YAML(name)
				if err != nil {
					return usageError("generate manifests: %w%s (want one of %s)", err, spell.DidYouMean(name, names), strings.Join(names, ", "))
				}
				if i > 0 {
					text = "---\n" + text
				}
				if _, err := io.WriteString(std.out, text); err != nil {
					return err
				}
			}
			return nil
		},
	}
}
