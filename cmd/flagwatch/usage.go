package main

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"strings"

	"github.com/spf13/cobra"

	"github.com/flagwatch/flagwatch/internal/spell"
)

// meantCommand is an error of usage when the first argument is no file, and a word
// that one of the commands may be meant by.
func meantCommand(args, commands []string) error {
	if len(args) == 0 || strings.ContainsAny(args[0], "./\\*?[{") {
		return nil
	}
	list := spell.Nearest(args[0], commands)
	if _, err := os.Lstat(args[0]); len(list) == 0 || !errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	return usageError("%s: no such file or directory; did you mean the command %s?", args[0], strings.Join(list, " or "))
}

// sayWanted makes a command, and those below it, say what it wants when it gets
// too many arguments or too few.
func sayWanted(cmd *cobra.Command) {
	for _, c := range cmd.Commands() {
		sayWanted(c)
	}
	check := cmd.Args
	if check == nil {
		return
	}
	cmd.Args = func(cmd *cobra.Command, args []string) error {
		if check(cmd, args) == nil {
			return nil
		}
		_, name, _ := strings.Cut(cmd.CommandPath(), " ")
		if check(cmd, nil) == nil && check(cmd, args[:1]) != nil {
			return usageError("%s: takes no argument, and got %s", name, args[0])
		}
		return usageError("%s: %s", name, wanted(cmd, args))
	}
}

// wanted says which arguments a command wants.
func wanted(cmd *cobra.Command, args []string) string {
	_, operands, _ := strings.Cut(cmd.Use, " ")
	example, _, _ := strings.Cut(strings.TrimSpace(cmd.Example), "\n")
	got := "nothing"
	if len(args) > 0 {
		got = plural(len(args), "argument", "arguments")
	}
	return fmt.Sprintf("want %s, got %s; for example: %s", operands, got, example)
}
