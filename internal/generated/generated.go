// Package generated compares documents with what the program's lists say, for
// tests named TestGenerated*; `make docs` runs these with -update.
package generated

import (
	"fmt"
	"os"
	"strings"
	"testing"
)

// File demands that a file holds text, or writes it when update is set.
func File(t *testing.T, update bool, name, text string) {
	t.Helper()
	have, err := os.ReadFile(name)
	switch {
	case err == nil && string(have) == text:
	case update:
		if err := os.WriteFile(name, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	default:
		t.Errorf("%s is not what the program says (%v); make docs writes it again", name, err)
	}
}

// A Part is what stands between two marks of a document:
//
//	<!-- generated: name -->
//	<!-- end -->
type Part struct{ Name, Text string }

// Parts demands that the parts of a document hold their text, or writes them
// when update is set.
func Parts(t *testing.T, update bool, name string, parts ...Part) {
	t.Helper()
	have, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	want := string(have)
	for _, p := range parts {
		if want, err = replace(want, p); err != nil {
			t.Fatalf("%s: %v", name, err)
		}
	}
	File(t, update, name, want)
}

func replace(doc string, p Part) (string, error) {
	mark, end := "<!-- generated: "+p.Name+" -->\n", "<!-- end -->\n"
	before, rest, ok := strings.Cut(doc, mark)
	_, after, ok2 := strings.Cut(rest, end)
	if !ok || !ok2 {
		return "", fmt.Errorf("no part %s", p.Name)
	}
	return before + mark + p.Text + end + after, nil
}
