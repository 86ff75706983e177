package main

import (
	"errors"
	"flag"
	"os"
	"os/exec"
	"strconv"
	"testing"

	"github.com/rogpeppe/go-internal/testscript"
)

var update = flag.Bool("update", false, "write golden and generated files again")

func TestMain(m *testing.M) {
	testscript.Main(m, map[string]func(){"flagwatch": main})
}

func TestScripts(t *testing.T) {
	testscript.Run(t, testscript.Params{
		Dir:                 "testdata/script",
		UpdateScripts:       *update,
		RequireExplicitExec: true,
		Cmds:                map[string]func(*testscript.TestScript, bool, []string){"exits": exits, "bytes": writeBytes},
	})
}

// exits runs a program that must end with the given exit code.
func exits(ts *testscript.TestScript, _ bool, args []string) {
	want, err := strconv.Atoi(args[0])
	ts.Check(err)
	err, got := ts.Exec(args[1], args[2:]...), 0
	if e, ok := errors.AsType[*exec.ExitError](err); ok {
		got = e.ExitCode()
	} else {
		ts.Check(err)
	}
	if got != want {
		ts.Fatalf("exit code %d, want %d", got, want)
	}
}

// bytes writes a file from Go string literals, for what an archive of text can
// not hold.
func writeBytes(ts *testscript.TestScript, _ bool, args []string) {
	var data []byte
	for _, arg := range args[1:] {
		text, err := strconv.Unquote(`"` + arg + `"`)
		ts.Check(err)
		data = append(data, text...)
	}
	ts.Check(os.WriteFile(ts.MkAbs(args[0]), data, 0o666))
}
