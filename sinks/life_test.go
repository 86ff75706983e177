package sinks

import (
	"bytes"
	"testing"

	"github.com/flagwatch/flagwatch/parser"
)

// eventsOf calls see with the events of a log.
func eventsOf(t testing.TB, log string, see func(*parser.Record)) {
	t.Helper()
	p := parser.NewParser(parser.Fields(parser.Message, parser.StartTime))
	p.Reset(padded(log))
	for r, ok := p.Next(); ok; r, ok = p.Next() {
		if r.Kind == parser.Event {
			see(r)
		}
	}
}

// The time of an event is the same whether its minute is known or not.
func FuzzEventTime(f *testing.F) {
	for _, seconds := range []string{"05.310", "59.999", "60.000", "61.000", "0x.310", "05.31x", "05,310", "5.3100", "05.310442", "05.3104Z2", "05.310\u0660"} {
		f.Add(seconds)
	}
	f.Fuzz(func(t *testing.T, seconds string) {
		for _, log := range []string{
			"2026-03-15T03:58:07.000001Z\tinfo\tEnvoy proxy is ready\n2026-03-15T03:58:" + seconds + "Z\tinfo\tEnvoy proxy is ready\n",
			"[2026-03-15 03:58:07.001][7][info][main] exiting\n[2026-03-15 03:58:" + seconds + "][7][info][main] exiting\n",
			"2026-03-15T03:58:07.000001Z\tinfo\tEnvoy proxy is ready\n[2026-03-15 03:58:" + seconds + "][7][info][main] exiting\n",
		} {
			var c clock
			eventsOf(t, log, func(r *parser.Record) {
				got, ok := c.ofEvent(r)
				if want, wanted := eventTime(r); got != want || ok != wanted {
					t.Errorf("%q: got %d, %v, want %d, %v", r.Bytes(parser.StartTime), got, ok, want, wanted)
				}
			})
		}
	})
}

func TestStreamAt(t *testing.T) {
	for _, text := range []string{
		"", "R", "gR", "gRPC config stream", "StreamAggregatedResources gRPC config stream to ctrl closed: 14, ", "RPC config stream",
		"gRPC RPC gRPC config stream closed: 13, ", "DeltaAggregatedResources gRPC config strea", "RgRPC config stream",
	} {
		if got, want := streamAt([]byte(text)), bytes.Index([]byte(text), []byte("gRPC config stream")); got != want {
			t.Errorf("%q: got %d, want %d", text, got, want)
		}
	}
}
