package main

import (
	"bytes"
	"slices"
	"strings"
	"testing"

	"github.com/spf13/cobra"
)

// TestWrongNumberOfArguments demands of every command that it says what it
// wants, with an example that it would take.
func TestWrongNumberOfArguments(t *testing.T) {
	root, _ := newRoot(streams{openNull(t), new(bytes.Buffer), new(bytes.Buffer), noEnv})
	walk(root, func(cmd *cobra.Command) {
		for n := range 4 {
			args := slices.Repeat([]string{"x"}, n)
			if cmd.Args == nil || cmd.Args(cmd, args) == nil {
				continue
			}
			path := strings.Fields(cmd.CommandPath())[1:]
			var out, errs bytes.Buffer
			code := run(t.Context(), append(path, args...), streams{openNull(t), &out, &errs, noEnv})
			said := errs.String()
			if code != exitUsage || out.Len() > 0 || !strings.HasPrefix(said, "flagwatch: "+strings.Join(path, " ")+": ") || strings.Contains(said, "arg(s)") {
				t.Errorf("%q %q: exit code %d, %s", path, args, code, said)
			}
			_, example, shown := strings.Cut(strings.TrimSpace(said), "; for example: ")
			if !shown {
				if !strings.HasSuffix(said, ": takes no argument, and got x\n") {
					t.Errorf("%q %q: %s", path, args, said)
				}
				continue
			}
			words, _, _ := strings.Cut(example, " > ")
			if fields := strings.Fields(words); len(fields) <= len(path) || !slices.Equal(fields[1:len(path)+1], path) || cmd.Args(cmd, fields[len(path)+1:]) != nil {
				t.Errorf("%q: the example is %q", path, example)
			}
		}
	})
}

// TestNoOtherCommand demands that a command which only holds others lists them
// when it is given another word.
func TestNoOtherCommand(t *testing.T) {
	root, _ := newRoot(streams{openNull(t), new(bytes.Buffer), new(bytes.Buffer), noEnv})
	groups := 0
	for _, cmd := range root.Commands() {
		names := commandNames(cmd)
		var out, errs bytes.Buffer
		if len(names) == 0 || cmd.Name() == "agent" {
			continue
		}
		groups++
		if code := run(t.Context(), []string{cmd.Name(), "zzzzzz"}, streams{openNull(t), &out, &errs, noEnv}); code != exitUsage {
			t.Errorf("%s: exit code %d", cmd.Name(), code)
		}
		for _, name := range names {
			if !strings.Contains(errs.String(), name) {
				t.Errorf("%s: %s is not in: %s", cmd.Name(), name, errs.String())
			}
		}
	}
	if groups < 4 {
		t.Errorf("%d commands hold others", groups)
	}
}
