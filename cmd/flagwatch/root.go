package main

import (
	"errors"
	"fmt"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/flagwatch/flagwatch/internal/spell"
)

const long = `flagwatch reads the logs of Envoy-based proxies (Istio and others) and reports
which requests failed, with which response flags, where and since when. It
finds the layout of every record by itself and reads through the envelopes of
kubectl, containerd, docker and stern. Without arguments it reads standard
input; a directory stands for the files below it, ** in a pattern for any
directories.

Exit codes:
  0    all input was read, or Ctrl-C ended the reading of a pipe
  1    an input could not be read, or not to its end; the report is printed
  2    wrong usage
  3    --fail-on was met
  4    no access record and no event, nothing that --fail-on could judge, or no data
  130  second Ctrl-C; 141 and 143 are SIGPIPE and SIGTERM as a shell says it`

const examples = `  kubectl logs -n shop deploy/frontend -c istio-proxy --since=15m | flagwatch
  flagwatch /var/log/pods/shop_*/istio-proxy/*.log
  flagwatch parse access.log | head`

const moreExamples = `
  flagwatch -o markdown access.log
  flagwatch -o html access.log > report.html
  flagwatch demo`

const terminalUsage = `flagwatch reads proxy logs from a pipe or from files.

Examples:
` + examples + `

Usage:
  flagwatch [FILE|DIR|GLOB|-]...
  flagwatch parse [FILE|DIR|GLOB|-]...
  flagwatch doctor [FILE|DIR|GLOB|-]...
  flagwatch explain X...
  flagwatch list flags|dialects|fields|causes|metrics
  flagwatch rules test FILE
  flagwatch merge REPORT.json...
  flagwatch diff BEFORE AFTER
  flagwatch demo
flagwatch --help says more.
`

// newRoot returns the command line. Once a command begins its work, began is
// true: an error before that is one of usage.
func newRoot(std streams) (root *cobra.Command, began *bool) {
	var o runOptions
	shown := newPresentation()
	began = new(bool)
	root = &cobra.Command{
		Use:              "flagwatch [FILE|DIR|GLOB|-]...",
		Short:            "Report failed requests from the logs of Envoy-based proxies",
		Long:             long,
		Example:          examples + moreExamples,
		Version:          version(),
		Args:             cobra.ArbitraryArgs,
		SilenceErrors:    true,
		SilenceUsage:     true,
		PersistentPreRun: func(*cobra.Command, []string) { *began = true },
		ValidArgsFunction: func(*cobra.Command, []string, string) ([]string, cobra.ShellCompDirective) {
			return nil, cobra.ShellCompDirectiveDefault
		},
		RunE: func(cmd *cobra.Command, args []string) error {
			o.commands = commandNames(cmd)
			return o.report(cmd.Context(), std, args, shown)
		},
	}
	o.addFlags(root.Flags())
	o.view.addFlags(root.Flags())
	o.reading.addFlags(root.Flags())
	o.gates.addFlags(root.Flags(), false)
	shown.addFlags(root.Flags())
	root.Flags().BoolVarP(&o.followFiles, "follow", "f", false, "go on with what is added to the files, also when they are rotated, until Ctrl-C")
	root.SetVersionTemplate("flagwatch {{.Version}}\n")
	root.SetIn(std.in)
	root.SetOut(std.out)
	root.SetErr(std.err)
	root.AddCommand(newAgent(std), newConfig(std), newParse(std), newDoctor(std), newExplain(std), newList(std), newRules(std), newGenerate(std), newKafka(std), newMerge(std), newDiff(std), newDemo(std), newVersion(std))
	root.SetHelpCommand(newHelp(root))
	root.SetFlagErrorFunc(flagError)
	root.InitDefaultCompletionCmd()
	refuseOthers(root)
	sayWanted(root)
	completeValues(root)
	return root, began
}

// flagError adds to an unknown flag which one it may be a misspelling of.
func flagError(cmd *cobra.Command, err error) error {
	unknown, ok := errors.AsType[*pflag.NotExistError](err)
	if !ok {
		return err
	}
	var names []string
	cmd.Flags().VisitAll(func(f *pflag.Flag) { names = append(names, "--"+f.Name) })
	return fmt.Errorf("%w%s", err, spell.DidYouMean("--"+unknown.GetSpecifiedName(), names))
}

// newHelp is cobra's help, but for exiting with 2 when there is no such
// command.
func newHelp(root *cobra.Command) *cobra.Command {
	return &cobra.Command{
		Use:   "help [COMMAND]",
		Short: "Help about a command",
		RunE: func(_ *cobra.Command, args []string) error {
			cmd, rest, _ := root.Find(args)
			if len(rest) > 0 {
				return usageError("help: no command %s%s", rest[0], spell.DidYouMean(rest[0], commandNames(cmd)))
			}
			return cmd.Help()
		},
	}
}

// refuseOthers makes it an error to name a command, or a shell, that a command
// which only holds others does not have. cobra would print its help.
func refuseOthers(root *cobra.Command) {
	for _, cmd := range root.Commands() {
		if cmd.Runnable() || !cmd.HasSubCommands() {
			continue
		}
		cmd.Args = cobra.ArbitraryArgs
		cmd.RunE = func(_ *cobra.Command, args []string) error {
			if len(args) == 0 {
				return cmd.Help()
			}
			names := commandNames(cmd)
			return usageError("%s: no %s%s (want one of %s)", cmd.Name(), args[0], spell.DidYouMean(args[0], names), strings.Join(names, ", "))
		}
	}
}

func commandNames(root *cobra.Command) (names []string) {
	for _, c := range root.Commands() {
		names = append(names, c.Name())
	}
	return names
}
