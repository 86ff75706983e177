// Command flagwatch reads the logs of Envoy-based proxies and reports which
// requests failed, with which response flags, where and since when.
package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"

	"github.com/flagwatch/flagwatch/internal/safe"
)

func main() {
	os.Exit(run(interruptible(), os.Args[1:], streams{os.Stdin, os.Stdout, os.Stderr, os.Getenv}))
}

// Streams are what a command reads and writes, its environment included.
type streams struct {
	in       *os.File
	out, err io.Writer
	env      func(string) string
}

// The exit codes; 130, 141 and 143 come from signals.
const (
	exitIncomplete = 1
	exitUsage      = 2
	exitMet        = 3
	exitNothing    = 4
	exitInterrupt  = 130
)

// An exitError says with which code to exit. Any other error exits with 1.
type exitError struct {
	code int
	err  error // nil when all has been said
}

func (e *exitError) Error() string { return fmt.Sprint(e.err) }
func (e *exitError) Unwrap() error { return e.err }

func usageError(format string, args ...any) error {
	return &exitError{exitUsage, fmt.Errorf(format, args...)}
}

// run is main without the process: it returns the exit code.
func run(ctx context.Context, args []string, std streams) int {
	root, began := newRoot(std)
	root.SetArgs(args)
	err := root.ExecuteContext(ctx)
	if err == nil {
		return 0
	}
	printErrors(std.err, err)
	if e, ok := errors.AsType[*exitError](err); ok {
		return e.code
	}
	if !*began {
		return exitUsage
	}
	return exitIncomplete
}

// printErrors prints a line for each of the joined errors.
func printErrors(w io.Writer, err error) {
	if e, ok := err.(*exitError); ok {
		err = e.err
	}
	if err == nil {
		return
	}
	if joined, ok := err.(interface{ Unwrap() []error }); ok {
		for _, e := range joined.Unwrap() {
			printErrors(w, e)
		}
		return
	}
	say(w, err.Error())
}

// openError says what is wrong with a file that the user named: its name and
// the reason, wherever it is told.
func openError(name string, err error) error {
	if e, ok := errors.AsType[*fs.PathError](err); ok {
		err = e.Err
	}
	return fmt.Errorf("%s: %w", name, err)
}

// say prints one line for the user that is not part of the output.
func say(w io.Writer, text string) { fmt.Fprintf(w, "flagwatch: %s\n", safe.Text(text)) }
