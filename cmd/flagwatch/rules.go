package main

import (
	"fmt"
	"io"
	"os"

	"github.com/spf13/cobra"

	"github.com/flagwatch/flagwatch/classify"
	"github.com/flagwatch/flagwatch/internal/rules"
	"github.com/flagwatch/flagwatch/parser"
)

func newRules(std streams) *cobra.Command {
	cmd := &cobra.Command{
		Use:   "rules",
		Short: "Work on a team's own causes",
		Long: `A file of rules holds causes of a team's own. Their conditions are tried before
those of the catalogue, with --rules FILE on the commands that read logs.`,
		Example: `  flagwatch --rules team.yaml access.log
  flagwatch rules test team.yaml`,
	}
	cmd.AddCommand(&cobra.Command{
		Use:     "test FILE",
		Short:   "Check that each example of a file of rules gets its cause",
		Example: "  flagwatch rules test team.yaml",
		Args:    cobra.ExactArgs(1),
		RunE:    func(_ *cobra.Command, args []string) error { return testRules(std.out, args[0]) },
	})
	return cmd
}

// loadRules compiles the catalogue behind the rules of a file; "" is none.
func loadRules(file string) (*classify.Classifier, error) {
	own, err := readRules(file)
	if err != nil {
		return nil, err
	}
	return compileRules(file, own)
}

func compileRules(file string, own classify.Own) (*classify.Classifier, error) {
	c, err := classify.New(own)
	if err != nil {
		return nil, usageError("%s: %w", file, err)
	}
	return c, nil
}

func readRules(file string) (own classify.Own, err error) {
	if file == "" {
		return own, nil
	}
	data, err := os.ReadFile(file)
	if err != nil {
		return own, usageError("rules: %w", openError(file, err))
	}
	if own, err = rules.Parse(file, data); err != nil {
		return own, &exitError{exitUsage, err}
	}
	return own, nil
}

// testRules runs the examples of a file.
func testRules(w io.Writer, file string) error {
	own, err := readRules(file)
	if err != nil {
		return err
	}
	c, err := compileRules(file, own)
	if err != nil {
		return err
	}
	ran, wrong := 0, 0
	for _, cause := range own.Causes {
		if len(cause.Examples) == 0 {
			fmt.Fprintf(w, "%s: no example\n", cause.ID)
		}
		for i, example := range cause.Examples {
			ran++
			if got := causeOf(c, example); got != cause.ID {
				wrong++
				fmt.Fprintf(w, "%s: example %d gets %s\n", cause.ID, i+1, got)
			}
		}
	}
	fmt.Fprintf(w, "%d of %s\n", ran-wrong, plural(ran, "example gets its cause", "examples get their cause"))
	if wrong > 0 {
		return &exitError{code: exitIncomplete}
	}
	return nil
}

// causeOf is the id of the first cause in an example, in words if there is none.
func causeOf(c *classify.Classifier, example string) string {
	got := "no cause: it is no record"
	eachRecord(example, func(r *parser.Record) error {
		if r.Kind != parser.Access && r.Kind != parser.Event {
			return nil
		}
		v := c.Classify(r)
		if v.Cause == nil {
			got = "no cause: nothing failed"
			return nil
		}
		got = v.Cause.ID
		return io.EOF
	})
	return got
}
