package main

import (
	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/flagwatch/flagwatch/classify"
	"github.com/flagwatch/flagwatch/sinks"
)

// A completion is a value of a flag, and what it means.
type completion struct{ value, about string }

// completions are the values of flags that are no choice and no file.
func completions() map[string]func() []completion {
	return map[string]func() []completion{
		"by":       groupingCompletions,
		"every":    func() []completion { return []completion{{"10s", ""}, {"30s", ""}, {"1m", ""}, {"5m", ""}} },
		"for":      func() []completion { return []completion{{"5s", ""}, {"15s", ""}} },
		"jobs":     func() []completion { return []completion{{"1", "one worker"}, {"0", "one worker a CPU"}} },
		"suppress": causeCompletions,
	}
}

// choiceCompletions are the values of a choice; those that are formats of a
// report are told apart by what they are for.
func choiceCompletions(c *choice) (list []completion) {
	for _, v := range c.list {
		list = append(list, completion{v, outputFormatOf(v).about})
	}
	return list
}

func groupingCompletions() (list []completion) {
	for _, name := range sinks.Groupings() {
		list = append(list, completion{name, ""})
	}
	return list
}

func causeCompletions() (list []completion) {
	for _, c := range classify.Causes() {
		list = append(list, completion{"cause=" + c.ID, c.Title})
	}
	return list
}

// completeValues registers the values of the flags of a command and of those
// below it, as far as they are known. Shells complete files for all others.
func completeValues(cmd *cobra.Command) {
	for _, c := range cmd.Commands() {
		completeValues(c)
	}
	known := completions()
	cmd.Flags().VisitAll(func(f *pflag.Flag) {
		if _, done := cmd.GetFlagCompletionFunc(f.Name); done {
			return
		}
		if c, ok := f.Value.(*choice); ok {
			register(cmd, f.Name, func() []completion { return choiceCompletions(c) })
		} else if list := known[f.Name]; list != nil {
			register(cmd, f.Name, list)
		}
	})
}

// register makes list the values of a flag, made when a shell asks for them.
func register(cmd *cobra.Command, name string, list func() []completion) {
	complete := func(*cobra.Command, []string, string) (values []cobra.Completion, _ cobra.ShellCompDirective) {
		for _, c := range list() {
			values = append(values, cobra.CompletionWithDesc(c.value, c.about))
		}
		return values, cobra.ShellCompDirectiveNoFileComp
	}
	cmd.RegisterFlagCompletionFunc(name, complete) // an error is a flag that is not there
}
