package main

import (
	"bytes"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/spf13/cobra"
)

// servers are commands that go on until they are told to end, or need a
// server: of their examples, the arguments are checked.
var servers = []string{"agent", "kafka"}

// documents are what has examples in blocks of code.
func documents(t *testing.T) []string {
	t.Helper()
	list, err := filepath.Glob("docs/*.md")
	if err != nil {
		t.Fatal(err)
	}
	return append(list, readme)
}

// TestExamplesRun runs every example of the help and of the documentation in
// a shell, with a kubectl that prints the sample.
func TestExamplesRun(t *testing.T) {
	t.Chdir("../..")
	list := map[string]string{}
	for _, name := range documents(t) {
		text, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		for _, block := range regexp.MustCompile("(?s)\n```(?:sh|console)?\n(.*?)\n```").FindAllStringSubmatch(string(text), -1) {
			addExamples(list, name, block[1])
		}
	}
	root, _ := newRoot(streams{openNull(t), new(bytes.Buffer), new(bytes.Buffer), noEnv})
	walk(root, func(c *cobra.Command) { addExamples(list, "help of "+c.CommandPath(), c.Example) })
	if len(list) < 15 {
		t.Errorf("only %d examples were found", len(list))
	}
	box := newSandbox(t)
	for command, where := range list {
		if out, err := box.run(command); err != nil {
			t.Errorf("%s: %s: %v\n%.600s", where, command, err, out)
		}
	}
}

func walk(c *cobra.Command, visit func(*cobra.Command)) {
	visit(c)
	for _, sub := range c.Commands() {
		if sub.Name() != "completion" { // cobra's own examples write into the system
			walk(sub, visit)
		}
	}
}

var (
	runsFlagwatch = regexp.MustCompile(`(^|\|\s*)flagwatch( |$)`)
	synopsis      = regexp.MustCompile(`\[(FILE|COMMAND|flags)|\.\.\.(\s|$)|[a-z]\|[a-z]|(^|\s)[A-Z]{3,}(\s|$)|: |\S\s{3,}\S`)
	remark        = regexp.MustCompile(`\s+# .*$`)
)

// addExamples adds the commands in a block of code that run flagwatch. A line
// that ends with a bar or a backslash goes on in the next one.
func addExamples(list map[string]string, where, block string) {
	held := ""
	for line := range strings.Lines(block) {
		line = held + strings.TrimSpace(remark.ReplaceAllString(strings.TrimPrefix(strings.TrimSpace(line), "$ "), ""))
		held = ""
		switch {
		case strings.HasSuffix(line, "|"):
			held = line + " "
		case strings.HasSuffix(line, `\`):
			held = strings.TrimSuffix(line, `\`)
		case runsFlagwatch.MatchString(line) && !strings.HasPrefix(line, "flagwatch ·") && !synopsis.MatchString(unquoted(line)):
			list[line] = where
		}
	}
}

var quotes = regexp.MustCompile(`'[^']*'|"[^"]*"`)

func unquoted(line string) string { return quotes.ReplaceAllString(line, "''") }

// A sandbox is a folder with the files that examples name.
type sandbox struct{ dir, path string }

func newSandbox(t *testing.T) sandbox {
	t.Helper()
	dir := t.TempDir()
	sample, err := os.ReadFile(sampleLog)
	if err != nil {
		t.Fatal(err)
	}
	text, err := os.ReadFile(readme)
	if err != nil {
		t.Fatal(err)
	}
	rules := regexp.MustCompile("(?s)\n```yaml\n(causes:.*?\n)```").FindSubmatch(text)
	if rules == nil {
		t.Fatalf("%s shows no causes of a team", readme)
	}
	for name, data := range map[string][]byte{
		"access.log": sample, "before.log": sample, "after.log": sample, sampleLog: sample, "pods/shop_frontend_1/istio-proxy/0.log": sample, "team.yaml": rules[1], "agent.yaml": []byte("stateDir: state\n"),
	} {
		file := filepath.Join(dir, name)
		if err := os.MkdirAll(filepath.Dir(file), 0o755); err != nil {
			t.Fatal(err)
		}
		writeFile(t, file, data)
	}
	report := []byte(runJSON(t, 0, "-o", "json", filepath.Join(dir, "access.log")))
	for _, name := range []string{"before.json", "after.json", "part-0.json"} {
		writeFile(t, filepath.Join(dir, name), report)
	}
	bin := filepath.Join(dir, "bin")
	if err := os.Mkdir(bin, 0o755); err != nil {
		t.Fatal(err)
	}
	for name, script := range map[string]string{"kubectl": "cat " + filepath.Join(dir, "access.log"), "jq": "cat", "aws": "cat " + filepath.Join(dir, "access.log"), "gcloud": "cat " + filepath.Join(dir, "access.log")} {
		if err := os.WriteFile(filepath.Join(bin, name), []byte("#!/bin/sh\n"+script+"\n"), 0o755); err != nil {
			t.Fatal(err)
		}
	}
	return sandbox{dir, bin + ":" + os.Getenv("PATH")}
}

// run runs a command as a shell does. Of a pipe, what the last command says
// counts, and flagwatch may say that its reader has left.
func (s sandbox) run(command string) (string, error) {
	for _, name := range servers {
		if strings.Contains(command, "flagwatch "+name+" ") {
			command += " --help"
		}
	}
	command = strings.ReplaceAll(command, "/var/log/pods/", s.dir+"/pods/")
	cmd := exec.Command("sh", "-c", command)
	cmd.Dir = s.dir
	cmd.Env = append(os.Environ(), "PATH="+s.path)
	out, err := cmd.CombinedOutput()
	return string(out), err
}

// Every choice and every flag with known values completes them, in the words
// of every shell that asks.
func TestFlagsComplete(t *testing.T) {
	for _, c := range []struct {
		args string
		want string
	}{
		{"-o ", "html\tone file for a browser"}, {"--output=", "markdown\ta chat message"}, {"--color ", "never"}, {"--every ", "30s"},
		{"--suppress cause=no-e", "cause=no-endpoints\t"}, {"demo --for ", "15s"}, {"demo -o ", "wide\t"}, {"list ", "causes"}, {"list causes -o ", "json"},
		{"explain upstream-ref", "upstream-refused"}, {"de", "demo\t"}, {"completion ", "powershell\t"},
	} {
		args := append([]string{"__complete"}, strings.Split(c.args, " ")...)
		var out, errs bytes.Buffer
		run(t.Context(), args, streams{openNull(t), &out, &errs, noEnv})
		if !strings.Contains("\n"+out.String(), "\n"+c.want) {
			t.Errorf("%q completes to %.300q, want %q", c.args, out.String(), c.want)
		}
	}
}

// No flag is a free word to the shell: it is a switch, has values, or takes a
// file.
func TestEveryFlagCompletes(t *testing.T) {
	root, _ := newRoot(streams{openNull(t), new(bytes.Buffer), new(bytes.Buffer), noEnv})
	walk(root, func(c *cobra.Command) {
		if c.Name() == "__complete" {
			return
		}
		for _, name := range []string{"output", "color", "progress", "every", "suppress", "jobs"} {
			f := c.LocalFlags().Lookup(name)
			if f == nil {
				continue
			}
			if _, ok := c.GetFlagCompletionFunc(name); !ok {
				t.Errorf("%s --%s completes nothing", c.CommandPath(), name)
			}
		}
	})
}
