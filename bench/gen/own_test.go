package gen_test

import (
	"bytes"
	"testing"

	"github.com/flagwatch/flagwatch/bench/gen"
	"github.com/flagwatch/flagwatch/parser"
)

// Every line of the dialect custom is in the format that is said to be its.
func TestCustomIsInItsFormat(t *testing.T) {
	format, err := parser.Compile(gen.CustomFormat)
	if err != nil {
		t.Fatal(err)
	}
	data, g := write(t, "custom", 0.5, 1, 1<<20)
	p := parser.NewParser(parser.AllFields, format)
	p.Reset(append(bytes.Clone(data), make([]byte, parser.Padding)...)[:len(data)])
	read := int64(0)
	for r, ok := p.Next(); ok; r, ok = p.Next() {
		if _, hasCode := r.Code(); r.Kind != parser.Access || r.Dialect != parser.Custom || r.Suspicious || !hasCode {
			t.Fatalf("%v: %.400q", r.Kind, data[r.Begin:r.Begin+r.Size])
		}
		read++
	}
	if read != g.Counts().Access {
		t.Errorf("read %d of %d records", read, g.Counts().Access)
	}
}

// A record of the dialect distinct is one of Istio's with a host of its own.
func TestDistinctHosts(t *testing.T) {
	data, g := write(t, "distinct", 0.06, 1, 4<<20)
	p := parser.NewParser(parser.AllFields)
	p.Reset(append(bytes.Clone(data), make([]byte, parser.Padding)...)[:len(data)])
	hosts, authorities, chosen := make(map[string]bool), make(map[string]bool), 0
	for r, ok := p.Next(); ok; r, ok = p.Next() {
		if r.Kind != parser.Access || r.Partial || r.Suspicious {
			t.Fatalf("%v: %.400q", r.Kind, data[r.Begin:r.Begin+r.Size])
		}
		if host := r.Bytes(parser.UpstreamHost); host != nil {
			hosts[string(host)], authorities[string(r.Bytes(parser.Authority))] = true, true
			chosen++
		}
	}
	if len(hosts) < chosen*9/10 || len(authorities) < chosen*9/10 || chosen < int(g.Counts().Access)*9/10 {
		t.Errorf("%d hosts and %d authorities in %d records", len(hosts), len(authorities), chosen)
	}
}
