package main

import (
	"fmt"
	"os"

	"github.com/spf13/cobra"

	"github.com/flagwatch/flagwatch/internal/agent"
)

func newConfig(std streams) *cobra.Command {
	cmd := &cobra.Command{
		Use:   "config",
		Short: "Check a configuration of the agent, or print its schema",
	}
	cmd.AddCommand(&cobra.Command{
		Use:   "validate FILE",
		Short: "Check a configuration; errors name the line and the column",
		Long: `Checks what the agent checks at its start, and says all that is wrong. What only
the node knows, such as whether a directory is there, shows when the agent runs.`,
		Example: "  flagwatch config validate agent.yaml",
		Args:    cobra.ExactArgs(1),
		RunE: func(_ *cobra.Command, args []string) error {
			data, err := os.ReadFile(args[0])
			if err != nil {
				return openError(args[0], err)
			}
			if _, err := agent.Parse(args[0], data); err != nil {
				return &exitError{exitUsage, err}
			}
			_, err = fmt.Fprintln(std.out, "ok")
			return err
		},
	}, &cobra.Command{
		Use:   "schema",
		Short: "Print the JSON Schema of a configuration",
		Args:  cobra.NoArgs,
		RunE:  func(*cobra.Command, []string) error { return writeJSON(std.out, agent.Schema()) },
	})
	return cmd
}
