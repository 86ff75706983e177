package agent

import (
	"flag"
	"fmt"
	"os"
	"strings"
	"testing"
)

var update = flag.Bool("update", false, "write generated files again")

// TestGeneratedKeys compares docs/agent.md with the list of keys, and reads the
// example in it.
func TestGeneratedKeys(t *testing.T) {
	const file = "../../docs/agent.md"
	have, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	before, rest, _ := strings.Cut(string(have), "<!-- generated: keys -->\n")
	_, after, ok := strings.Cut(rest, "<!-- end -->\n")
	if !ok {
		t.Fatal("no place for the keys")
	}
	var b strings.Builder
	b.WriteString("| key | kind | meaning |\n|---|---|---|\n")
	for _, k := range Keys() {
		kind := k.Type
		if k.Enum != nil {
			kind = strings.Join(k.Enum, ", ")
		}
		fmt.Fprintf(&b, "| `%s` | %s | %s |\n", k.Name, kind, k.Help)
	}
	want := before + "<!-- generated: keys -->\n" + b.String() + "<!-- end -->\n" + after
	switch {
	case want == string(have):
	case *update:
		if err := os.WriteFile(file, []byte(want), 0o644); err != nil {
			t.Fatal(err)
		}
	default:
		t.Error("docs/agent.md does not list the keys; -update writes it again")
	}
	_, example, _ := strings.Cut(before, "```yaml\n")
	example, _, _ = strings.Cut(example, "```")
	c, err := Parse("example", []byte(example))
	if err != nil || len(c.Inputs) != 2 || c.Listen != ":9469" {
		t.Errorf("the example: %+v, %v", c, err)
	}
}
