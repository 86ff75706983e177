package sinks

import (
	"slices"
	"strings"
	"testing"

	"github.com/flagwatch/flagwatch/classify"
)

// Each silence is one of a command that the catalogue has or a report adds,
// and fits a line of the first screen.
func TestSilences(t *testing.T) {
	commands := append([]string{}, onePod...)
	for _, c := range classify.Causes() {
		for _, check := range slices.Concat(c.Checks, onePod) {
			commands = append(commands, check, fillIn(check, map[string]string{"upstream_pod": podOf("10.1.2.3", "a")}))
		}
	}
	used := map[string]bool{}
	for _, command := range commands {
		used[emptyMeans(command)] = true
	}
	for _, s := range silences {
		if !used[s.means] {
			t.Errorf("no command has the silence %q", s.means)
		}
		if n := len("      # if empty: " + s.means); n > 80 {
			t.Errorf("%q makes a line of %d columns", s.means, n)
		}
	}
	for command, want := range map[string]string{
		"kubectl get pods -A -o wide --field-selector status.podIP=10.1.2.3": "no pod has this address, at least no longer",
		podOf("10.1.2.3", "a") + "kubectl describe pod POD -n a":             "no pod has this address, at least no longer",
		"kubectl get nodes": "",
	} {
		if got := emptyMeans(command); got != want {
			t.Errorf("%s: %q, want %q", command, got, want)
		}
	}
}

// Each command has what its silence means beside it, in all formats as a line
// that does not get into the command.
func TestEmptyStandsBesideCommands(t *testing.T) {
	r := reportOf(incident())
	for i := range r.Causes {
		if c := &r.Causes[i]; len(c.IfEmpty) != len(c.Next) {
			t.Errorf("%s: %d commands and %d silences", c.ID, len(c.Next), len(c.IfEmpty))
		}
	}
	for name, out := range allFormats(t, r) {
		for line := range strings.Lines(out) {
			if i := strings.Index(line, "# if empty: "); i >= 0 && strings.TrimSpace(line[:i]) != "" {
				t.Errorf("%s: a silence behind a command: %s", name, line)
			}
		}
		if name != "html" && name != "json" && name != "jsonl" && name != "csv" && !strings.Contains(out, "# if empty: no pod has this address") {
			t.Errorf("%s says nothing of an empty answer", name)
		}
	}
}
