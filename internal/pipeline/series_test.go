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

// TestMaxSeries demands as many series as workers and ledger are told, and what
// there is more as others.
func TestMaxSeries(t *testing.T) {
	for most, want := range map[int]int{0: 6, 6: 6, 4: 4, 3: 3} {
		led := ledger.NewMemory()
		if most > 0 {
			led.View(func(s *sinks.Snapshot) { s.SetMaxSeries(most) })
		}
		opt := Options{Workers: 1, Series: true, MaxSeries: most}
		if err := Run(t.Context(), &podsSource{[]string{"a", "b", "c", "d", "e", "f"}}, led, opt); err != nil {
			t.Fatal(err)
		}
		var out bytes.Buffer
		led.View(func(s *sinks.Snapshot) { s.WriteMetrics(&out, sinks.MetricOptions{}) })
		const series = `flagwatch_requests_total{proxy_namespace="`
		others := strings.Count(out.String(), series+"other")
		if n := strings.Count(out.String(), series) - others; n != want || (others > 0) != (want < 6) {
			t.Errorf("at most %d: %d series and %d of others, want %d", most, n, others, want)
		}
	}
}
