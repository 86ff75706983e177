package agent

import (
	"flag"
	"fmt"
	"os"
	"strings"
	"testing"

	"github.com/flagwatch/flagwatch/internal/generated"
)

var update = flag.Bool("update", false, "write generated files again")

// TestGeneratedKeys compares docs/agent.md with the list of keys, and reads the
// example in it.
func TestGeneratedKeys(t *testing.T) {
	const file = "../../docs/agent.md"
	var b strings.Builder
	b.WriteString("| key | kind | meaning |\n|---|---|---|\n")
	for _, k := range Keys() {
		kind := k.Type
		if k.Enum != nil {
			kind = strings.Join(k.Enum, ", ")
		}
		fmt.Fprintf(&b, "| `%s` | %s | %s |\n", k.Name, kind, k.Help)
	}
	generated.Parts(t, *update, file, generated.Part{Name: "keys", Text: b.String()})
	doc, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	_, example, _ := strings.Cut(string(doc), "```yaml\n")
	example, _, _ = strings.Cut(example, "```")
	c, err := Parse("example", []byte(example))
	if err != nil || len(c.Inputs) != 2 || c.Listen != ":9469" {
		t.Errorf("the example: %+v, %v", c, err)
	}
}
