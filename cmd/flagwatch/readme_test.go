package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/flagwatch/flagwatch/internal/generated"
	"github.com/flagwatch/flagwatch/parser"
)

const (
	readme    = "README.md"
	sampleLog = "testdata/logs/sample.log"
)

// TestGeneratedReadme compares the parts of README.md that show what the
// program prints with what it prints. -update writes them again.
func TestGeneratedReadme(t *testing.T) {
	t.Chdir("../..")
	generated.Parts(t, *update, readme,
		generated.Part{Name: "report", Text: "```\n" + output(t, sampleLog) + "```\n"},
		generated.Part{Name: "parse", Text: "```\n" + overflows(t) + "```\n"},
		generated.Part{Name: "record", Text: "```json\n" + firstFailure(t) + "```\n"},
		generated.Part{Name: "dialects", Text: dialectRows()},
	)
}

func output(t *testing.T, args ...string) string {
	t.Helper()
	var out, errs bytes.Buffer
	if code := run(t.Context(), args, streams{openNull(t), &out, &errs, noEnv}); code != 0 {
		t.Fatalf("exit code %d: %s", code, errs.String())
	}
	return out.String()
}

// sampleRecords returns the records of the sample that pass the filter.
func sampleRecords(t *testing.T, keep func(map[string]any) bool) (lines []string, records []map[string]any) {
	t.Helper()
	for line := range strings.Lines(output(t, "parse", sampleLog)) {
		var r map[string]any
		if err := json.Unmarshal([]byte(line), &r); err != nil {
			t.Fatal(err)
		}
		if keep(r) {
			lines, records = append(lines, line), append(records, r)
		}
	}
	return lines, records
}

// overflows is what the jq program in the README prints.
func overflows(t *testing.T) string {
	_, records := sampleRecords(t, func(r map[string]any) bool {
		flags, _ := r["response_flags"].([]any)
		return slices.Contains(flags, any("UO"))
	})
	var b strings.Builder
	for _, r := range records[:3] {
		fmt.Fprintf(&b, "%s\t%s\t%s\n", r["start_time"], r["path"], r["upstream_cluster"])
	}
	return b.String()
}

// firstFailure is the first record with UF, indented.
func firstFailure(t *testing.T) string {
	lines, _ := sampleRecords(t, func(r map[string]any) bool {
		flags, _ := r["response_flags"].([]any)
		return slices.Contains(flags, any("UF"))
	})
	var b bytes.Buffer
	if err := json.Indent(&b, []byte(lines[0]), "", "  "); err != nil {
		t.Fatal(err)
	}
	return b.String()
}

func dialectRows() string {
	var b strings.Builder
	b.WriteString("| dialect | product | versions | encoding |\n|---|---|---|---|\n")
	for _, d := range parser.DialectList() {
		fmt.Fprintf(&b, "| `%s` | %s | %s | %s |\n", d.ID, d.Product, d.Versions, d.Encoding)
	}
	return b.String()
}

// The README and the help name the same exit codes.
func TestReadmeExitCodes(t *testing.T) {
	text, err := os.ReadFile("../../" + readme)
	if err != nil {
		t.Fatal(err)
	}
	_, list, _ := strings.Cut(long, "Exit codes:\n")
	for line := range strings.Lines(list) {
		code := strings.Fields(line)[0]
		if !strings.Contains(string(text), "\n| "+code+" | ") {
			t.Errorf("no exit code %s in the README", code)
		}
	}
}
