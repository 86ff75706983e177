package main

import (
	"bytes"
	"compress/gzip"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/flagwatch/flagwatch/parser"
)

// TestOwnOutputIsNoLog demands that whatever flagwatch prints about logs is
// refused as a log, as a file, packed, from a pipe and followed, and that it is
// read when it stands behind a record.
func TestOwnOutputIsNoLog(t *testing.T) {
	dir := t.TempDir()
	failing, fine, other := filepath.Join(dir, "failing.log"), filepath.Join(dir, "fine.log"), filepath.Join(dir, "other.log")
	good := strings.Replace(sampleLine, "503 UH", "200 -", 1)
	writeFile(t, failing, bytes.Repeat([]byte(sampleLine), 1200))
	writeFile(t, fine, []byte(good))
	writeFile(t, other, []byte("hello\n"))
	commands := [][]string{{"doctor"}, {"doctor", "-o", "json"}, {"-q"}, {"-q", "--color", "always"}, {"--color", "always"}, {"--color", "always", "-o", "wide"}, {"merge"}}
	for _, f := range outputFormats() {
		commands = append(commands, []string{"-o", f.name})
	}
	var runs [][]string
	for _, c := range commands {
		runs = append(runs, append(c[:len(c):len(c)], failing), append(c[:len(c):len(c)], fine))
	}
	for _, o := range []string{"table", "wide", "json", "markdown"} {
		runs = append(runs, []string{"diff", "-o", o, fine, failing}, []string{"diff", "-o", o, fine, fine})
	}
	runs = append(runs, []string{"demo"}, []string{"-o", "html", fine, other})
	for _, args := range runs {
		text := output(t, args...)
		name := strings.ReplaceAll(strings.Join(args, " "), dir+"/", "")
		t.Run(name, func(t *testing.T) {
			at := filepath.Join(t.TempDir(), "out")
			writeFile(t, at, []byte(text))
			refusal(t, at, openNull(t), at)
			refusal(t, "--follow", openNull(t), "-f", at)
			refusal(t, "stdin", pipeOf(t, text))
			writeFile(t, at, []byte("\ufeff"+strings.ReplaceAll(text, "\n", "\r\n")))
			refusal(t, "CRLF", openNull(t), at)
			var packed bytes.Buffer
			w := gzip.NewWriter(&packed)
			w.Write([]byte(text))
			w.Close()
			writeFile(t, at+".gz", packed.Bytes())
			refusal(t, "packed", openNull(t), at+".gz")
			writeFile(t, at, []byte(good+text))
			if out := output(t, at); !strings.Contains(out, " access ") {
				t.Errorf("behind a record:\n%s", out)
			}
		})
	}
}

// refusal demands that a run ends with usage and no report, and says what to do.
func refusal(t *testing.T, what string, in *os.File, args ...string) {
	t.Helper()
	var out, errs bytes.Buffer
	code := run(t.Context(), args, streams{in, &out, &errs, noEnv})
	if code != exitUsage || out.Len() > 0 || !strings.Contains(errs.String(), "is a report of flagwatch, not a log; flagwatch merge") {
		t.Errorf("%s: exit code %d\n%.300s\n%.300s", what, code, errs.String(), out.String())
	}
}

func pipeOf(t *testing.T, text string) *os.File {
	t.Helper()
	r, w, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { r.Close() })
	go func() {
		w.WriteString(text)
		w.Close()
	}()
	return r
}

// TestLogIsNoOwnOutput demands that no log is taken for one, nor what only
// looks like it.
func TestLogIsNoOwnOutput(t *testing.T) {
	heads := []string{
		"**2 requests failed**\n", "12 records · 3\n", "id,verdict,code\n", "<!DOCTYPE html>\n<html><title>502</title>\n", "# HELP envoy_x y\n",
		"INPUTS: 3\n", "flagwatch: x\n", "flagwatch  | x\n", "1 record\n", `{"apiVersion":"v1"}` + "\n",
	}
	for _, d := range parser.DialectList() {
		heads = append(heads, d.Example()+"\n")
	}
	err := filepath.WalkDir("../../testdata", func(path string, d fs.DirEntry, err error) error {
		if err != nil || !strings.HasSuffix(path, ".log") {
			return err
		}
		data, err := os.ReadFile(path)
		heads = append(heads, string(data[:min(len(data), 512)]))
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	for _, head := range heads {
		if why := refuseReport([]byte(head)); why != "" {
			t.Errorf("%q %s", head, why)
		}
	}
}
