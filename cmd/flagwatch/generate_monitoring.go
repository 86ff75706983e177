package main

import (
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"

	"github.com/spf13/cobra"

	"github.com/flagwatch/flagwatch/internal/monitoring"
	"github.com/flagwatch/flagwatch/internal/spell"
)

func newGenerateRules(std streams) *cobra.Command {
	var dir string
	cmd := &cobra.Command{
		Use:   "rules",
		Short: "Print alert rules for Prometheus",
		Long: `Prints rules for Prometheus: an alert for each family of causes, one for a cause
that is new, and those about the agent itself. Each leads to its runbook.`,
		Example: `  flagwatch generate rules > flagwatch.yaml
  flagwatch generate rules --dir rules`,
		Args: cobra.NoArgs,
		RunE: func(*cobra.Command, []string) error {
			file := monitoring.RuleFile()
			if dir != "" {
				return writeFiles(dir, file)
			}
			_, err := io.WriteString(std.out, file.Text)
			return err
		},
	}
	addDir(cmd, &dir)
	return cmd
}

func newGenerateDashboards(std streams) *cobra.Command {
	var dir string
	cmd := &cobra.Command{
		Use:   "dashboards [" + strings.Join(dashboardNames(), "|") + "]",
		Short: "Print dashboards for Grafana",
		Long: `Prints a dashboard as Grafana imports it; without a name a JSON array of all.
With --dir each goes to a file of its own, as Grafana's provisioning wants it.`,
		Example: `  flagwatch generate dashboards flagwatch-mesh > mesh.json
  flagwatch generate dashboards --dir dashboards`,
		ValidArgs: dashboardNames(),
		Args:      cobra.MaximumNArgs(1),
		RunE: func(_ *cobra.Command, args []string) error {
			files, err := chooseDashboards(args)
			switch {
			case err != nil:
				return err
			case dir != "":
				return writeFiles(dir, files...)
			}
			return printDashboards(std.out, files, len(args) == 0)
		},
	}
	addDir(cmd, &dir)
	return cmd
}

func dashboardNames() (names []string) {
	for _, d := range monitoring.Dashboards() {
		names = append(names, d.UID)
	}
	return names
}

func chooseDashboards(args []string) ([]monitoring.File, error) {
	files, names := monitoring.DashboardFiles(), dashboardNames()
	if len(args) == 0 {
		return files, nil
	}
	for i, name := range names {
		if name == args[0] {
			return files[i : i+1], nil
		}
	}
	return nil, usageError("generate dashboards: no dashboard %s%s (want one of %s)", args[0], spell.DidYouMean(args[0], names), strings.Join(names, ", "))
}

func printDashboards(w io.Writer, files []monitoring.File, array bool) error {
	var texts []string
	for _, f := range files {
		texts = append(texts, strings.TrimSuffix(f.Text, "\n"))
	}
	text := strings.Join(texts, ",\n")
	if array {
		text = "[" + text + "]"
	}
	_, err := fmt.Fprintln(w, text)
	return err
}

func addDir(cmd *cobra.Command, dir *string) {
	cmd.Flags().StringVar(dir, "dir", "", "directory to write files to; without it they are printed")
}

// writeFiles writes files into a directory, which is made if it is not there.
func writeFiles(dir string, files ...monitoring.File) error {
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return err
	}
	for _, f := range files {
		if err := os.WriteFile(filepath.Join(dir, f.Name), []byte(f.Text), 0o644); err != nil {
			return err
		}
	}
	return nil
}
