package parser

import (
	"math/rand/v2"
	"testing"
	"time"
)

// mixedDialects are twenty of one layout each.
var mixedDialects = []string{
	"envoy-default-http", "istio-text-1.1", "istio-text-1.2", "istio-text-1.3-1.7", "istio-text-1.8", "istio-text-1.9-1.22", "istio-json-1.3-1.7", "istio-json-1.8", "istio-json-1.9-1.24",
	"envoy-gateway-0.6-1.3", "envoy-gateway-1.4+", "contour-json-1.24+", "emissary-text", "kuma-http-0.5-1.3", "kuma-http-1.4+", "kuma-tcp-0.5+", "higress-1.0-1.3", "higress-2.0.5+", "cilium-gateway-json", "osm-json",
}

// mixedBlock is about n bytes of records of the dialects in random order.
func mixedBlock(n int, ids ...string) []byte {
	rng := rand.New(rand.NewPCG(4, 8))
	rows := map[string]int{}
	for i, d := range dialects {
		rows[d.ID] = i
	}
	var all []byte
	for len(all) < n {
		all = append(append(all, renderRandom(rng, rows[ids[rng.IntN(len(ids))]]).line...), '\n')
	}
	return block(all)
}

func readAll(p *Parser, data []byte) (access int) {
	p.Reset(data)
	for r, ok := p.Next(); ok; r, ok = p.Next() {
		if r.Kind == Access && !r.Partial {
			access++
		}
	}
	return access
}

// A stream of twenty dialects in random order: every record is read, and
// nothing is allocated.
func TestMixed(t *testing.T) {
	data := mixedBlock(1<<20, mixedDialects...)
	lines := 0
	for _, c := range data {
		if c == '\n' {
			lines++
		}
	}
	p := NewParser(AllFields)
	if got := readAll(p, data); got != lines {
		t.Errorf("%d access records in %d lines", got, lines)
	}
	if n := testing.AllocsPerRun(5, func() { readAll(p, data) }); n > 0 {
		t.Errorf("%v allocations", n)
	}
}

// Time for each byte of the mixed stream, beside one of Istio's alone.
func BenchmarkMixed(b *testing.B) {
	pure, mixed := mixedBlock(1<<20, "istio-text-1.9-1.22"), mixedBlock(1<<20, mixedDialects...)
	for name, want := range map[string]FieldSet{"code+flags": Fields(ResponseCode, ResponseFlags), "all": AllFields} {
		b.Run(name, func(b *testing.B) {
			p := NewParser(want)
			readAll(p, pure)
			readAll(p, mixed)
			b.ReportAllocs()
			b.SetBytes(int64(len(mixed)))
			alone, together := time.Hour, time.Hour // the best of all rounds
			for b.Loop() {
				begin := time.Now()
				readAll(p, pure)
				middle := time.Now()
				readAll(p, mixed)
				alone, together = min(alone, middle.Sub(begin)), min(together, time.Since(middle))
			}
			b.ReportMetric(float64(together)/float64(len(mixed))/(float64(alone)/float64(len(pure))), "x-istio")
		})
	}
}
