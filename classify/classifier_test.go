package classify

import (
	"testing"

	"github.com/flagwatch/flagwatch/parser"
)

func classifier(t testing.TB) *Classifier {
	t.Helper()
	c, err := New(Own{})
	if err != nil {
		t.Fatal(err)
	}
	return c
}

// Every example of the catalogue gets the cause it stands for.
func TestExamples(t *testing.T) {
	c := classifier(t)
	for _, cause := range c.All() {
		t.Run(cause.ID, func(t *testing.T) {
			for _, line := range cause.Examples {
				v := c.Classify(oneRecord(t, line))
				if v.Cause == nil {
					t.Errorf("got no cause: %s", line)
				} else if v.Cause.ID != cause.ID {
					t.Errorf("got %s: %s", v.Cause.ID, line)
				}
			}
		})
	}
}

func TestClassifyAllocatesNothing(t *testing.T) {
	c := classifier(t)
	r := record(t, outbound(`503 UF upstream_reset_before_response_started{remote_connection_failure|delayed_connect_error:_111} - "delayed_connect_error:_111" 0 91 1 -`), parser.Access)
	c.Classify(r)
	if n := testing.AllocsPerRun(100, func() { c.Classify(r) }); n != 0 {
		t.Errorf("%v allocations a record", n)
	}
}

func BenchmarkClassify(b *testing.B) {
	c := classifier(b)
	r := record(b, outbound(`503 UF upstream_reset_before_response_started{remote_connection_failure|delayed_connect_error:_111} - "delayed_connect_error:_111" 0 91 1 -`), parser.Access)
	for b.Loop() {
		c.Classify(r)
	}
}

// oneRecord reads one record of either kind.
func oneRecord(t testing.TB, line string) *parser.Record {
	t.Helper()
	r := firstRecord(line)
	if r == nil || r.Kind != parser.Access && r.Kind != parser.Event {
		t.Fatalf("no record: %s", line)
	}
	return r
}
