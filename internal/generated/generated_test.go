package generated

import (
	"os"
	"path/filepath"
	"testing"
)

func TestPartsAreWrittenAndThenAgree(t *testing.T) {
	file := filepath.Join(t.TempDir(), "doc.md")
	const doc = "a\n<!-- generated: x -->\nold\n<!-- end -->\nb\n"
	if err := os.WriteFile(file, []byte(doc), 0o644); err != nil {
		t.Fatal(err)
	}
	Parts(t, true, file, Part{"x", "new\n"})
	Parts(t, false, file, Part{"x", "new\n"})
	if have, err := os.ReadFile(file); err != nil || string(have) != "a\n<!-- generated: x -->\nnew\n<!-- end -->\nb\n" {
		t.Errorf("%q, %v", have, err)
	}
	if _, err := replace(doc, Part{Name: "y"}); err == nil {
		t.Error("a part that is not there was replaced")
	}
}
