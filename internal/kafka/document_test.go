package kafka

import (
	"bytes"
	"flag"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/flagwatch/flagwatch/internal/generated"
)

var update = flag.Bool("update", false, "write generated files again")

// TestGeneratedMetrics compares docs/kafka.md with the list of metrics.
func TestGeneratedMetrics(t *testing.T) {
	var b strings.Builder
	b.WriteString("| name | kind | labels | what it says |\n|---|---|---|---|\n")
	for _, m := range Metrics() {
		fmt.Fprintf(&b, "| `%s` | %s | %s | %s |\n", m.Name, m.Type, strings.Join(m.Labels, ", "), m.Help)
	}
	generated.Parts(t, *update, "../../docs/kafka.md", generated.Part{Name: "metrics", Text: b.String()})
}

// TestWriteMetrics demands that every metric is there, with its labels.
func TestWriteMetrics(t *testing.T) {
	s := Status{Partitions: []PartitionStatus{{Topic: "access", Partition: 3, Next: 7, Committed: 5, HighWatermark: 9, Lag: 4, LastSuccess: time.UnixMilli(1_772_000_000_500)}}}
	s.Lost[Retention] = 12
	var b bytes.Buffer
	if err := s.WriteMetrics(&b); err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{
		"flagwatch_kafka_up 0", `flagwatch_kafka_lost_offsets_total{reason="retention"} 12`, `flagwatch_kafka_lost_offsets_total{reason="poison"} 0`,
		`flagwatch_kafka_lag{topic="access",partition="3"} 4`, `flagwatch_kafka_last_success_timestamp_seconds{topic="access",partition="3"} 1772000000.5`,
	} {
		if !strings.Contains(b.String(), want+"\n") {
			t.Errorf("no %s in\n%s", want, b.String())
		}
	}
	for _, m := range Metrics() {
		if !strings.Contains(b.String(), "# TYPE "+m.Name+" "+m.Type+"\n"+m.Name) {
			t.Errorf("no %s", m.Name)
		}
	}
}
