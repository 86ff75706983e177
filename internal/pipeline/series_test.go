package pipeline

import (
	"bytes"
	"context"
	"io"
	"strings"
	"testing"

	"github.com/flagwatch/flagwatch/internal/ledger"
	"github.com/flagwatch/flagwatch/internal/source"
	"github.com/flagwatch/flagwatch/sinks"
)

// A podsSource hands out one record of each of some namespaces.
type podsSource struct{ names []string }

func (s *podsSource) Next(_ context.Context, b *source.Batch) error {
	if len(s.names) == 0 {
		return io.EOF
	}
	var at source.Position
	fill(b, &source.Stream{Name: s.names[0], Namespace: s.names[0], Pod: "cart-0"}, &at, accessLine(503, "UH", 1))
	s.names = s.names[1:]
	return nil
}

// TestMaxSeries demands that workers tell as many series apart as they are told.
func TestMaxSeries(t *testing.T) {
	for most, limited := range map[int]bool{0: false, 3: false, 2: true} {
		led := ledger.NewMemory()
		opt := Options{Workers: 1, Series: true, MaxSeries: most}
		if err := Run(t.Context(), &podsSource{[]string{"a", "b", "c"}}, led, opt); err != nil {
			t.Fatal(err)
		}
		var out bytes.Buffer
		led.View(func(s *sinks.Snapshot) { s.WriteMetrics(&out, sinks.MetricOptions{}) })
		for name, want := range map[string]bool{"a": true, "b": true, "c": !limited, "other": limited} {
			if got := strings.Contains(out.String(), `proxy_namespace="`+name+`"`); got != want {
				t.Errorf("at most %d: %s is there: %v", most, name, got)
			}
		}
	}
}
