package gen_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"hash/crc32"
	"io"
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/flagwatch/flagwatch/bench/gen"
	"github.com/flagwatch/flagwatch/parser"
)

// write returns n bytes of a dialect and the generator that knows them.
func write(t testing.TB, dialect string, fail float64, seed uint64, n int64) ([]byte, *gen.Generator) {
	t.Helper()
	g, err := gen.New(gen.Config{Dialect: dialect, Fail: fail, Seed: seed})
	if err != nil {
		t.Fatal(err)
	}
	var b bytes.Buffer
	written, err := g.Write(&b, n)
	if err != nil || written != int64(b.Len()) {
		t.Fatalf("Write = %d, %v; %d bytes arrived", written, err, b.Len())
	}
	return b.Bytes(), g
}

// A changed sum means that the same seed gives other bytes: raise gen.Version
// with it.
func TestBytesAreStable(t *testing.T) {
	sums := map[string]uint32{
		"istio-text":    0xeaf3edb2,
		"istio-json":    0x3d17d123,
		"envoy-default": 0x5879d538,
		"cri":           0x325c448c,
		"mixed":         0xb5c6c859,
		"custom":        0x12ef7969,
		"distinct":      0x99effc52,
		"events-envoy":  0x229333fc,
		"events-proxy":  0xe10d92bd,
		"events-istiod": 0x119a3b2c,
		"events-klog":   0x8ac76d5b,
		"events-mixed":  0xeffee005,
	}
	for _, dialect := range gen.Dialects() {
		b, _ := write(t, dialect, 0.06, 1, 1<<20)
		if got := crc32.ChecksumIEEE(b); got != sums[dialect] || gen.Version != 1 {
			t.Errorf("%s, version %d: sum %#08x, want %#08x", dialect, gen.Version, got, sums[dialect])
		}
	}
}

func TestSeedsDiffer(t *testing.T) {
	a, _ := write(t, "istio-text", 0.06, 1, 1<<16)
	b, _ := write(t, "istio-text", 0.06, 2, 1<<16)
	if bytes.Equal(a, b) {
		t.Error("two seeds gave the same bytes")
	}
}

func TestCounts(t *testing.T) {
	for _, dialect := range gen.Dialects() {
		b, g := write(t, dialect, 0.06, 7, 4<<20)
		c := g.Counts()
		if lines := int64(bytes.Count(b, []byte("\n"))); lines != c.Records {
			t.Errorf("%s: %d records, %d lines", dialect, c.Records, lines)
		}
		sum := int64(0)
		for _, n := range c.Codes {
			sum += n
		}
		if sum != c.Access || c.Access > c.Records {
			t.Errorf("%s: %d by code, %d access, %d records", dialect, sum, c.Access, c.Records)
		}
		if strings.HasPrefix(dialect, "events-") {
			if c.Access > 0 {
				t.Errorf("%s: %d access records", dialect, c.Access)
			}
			continue
		}
		if share := float64(c.Failed) / float64(c.Access); math.Abs(share-0.06) > 0.006 {
			t.Errorf("%s: %.3f failed, want about 0.06", dialect, share)
		}
	}
}

// Every line of an event log is an event of the program that it stands for.
func TestEventsAreEvents(t *testing.T) {
	for dialect, emitters := range map[string][]parser.Emitter{
		"events-envoy": {parser.Envoy}, "events-proxy": {parser.Envoy, parser.PilotAgent, parser.Istiod}, "events-istiod": {parser.Istiod}, "events-klog": {parser.Klog},
		"events-mixed": {parser.Envoy, parser.PilotAgent, parser.Istiod, parser.Klog},
	} {
		b, g := write(t, dialect, 0, 5, 1<<18)
		p, records := parser.NewParser(parser.Fields(parser.Message)), int64(0)
		p.Reset(append(make([]byte, 0, len(b)+parser.Padding), b...))
		for r, ok := p.Next(); ok; r, ok = p.Next() {
			records++
			if r.Kind != parser.Event || !slices.Contains(emitters, r.Emitter) || !r.Has(parser.Message) {
				t.Fatalf("%s: %v of %v: %s", dialect, r.Kind, r.Emitter, b[r.Begin:r.Begin+r.Size])
			}
		}
		if records != g.Counts().Records {
			t.Errorf("%s: %d records, want %d", dialect, records, g.Counts().Records)
		}
	}
}

// Columns of the text layouts as their documentation counts them; blanks in
// quotes do not separate.
func TestTextColumns(t *testing.T) {
	for dialect, want := range map[string]int{"istio-text": 22, "envoy-default": 13} {
		b, g := write(t, dialect, 0.2, 3, 1<<20)
		codes := map[string]int64{}
		for line := range strings.Lines(string(b)) {
			if strings.Contains(line, `"scanner`) {
				line = strings.ReplaceAll(line, `"probe" `, "")
			}
			cols := columns(strings.TrimSuffix(line, "\n"))
			if len(cols) != want {
				t.Fatalf("%s: %d columns, want %d: %s", dialect, len(cols), want, line)
			}
			codes[cols[2]+" "+cols[3]]++
		}
		if got, want := fmt.Sprint(codes), fmt.Sprint(g.Counts().Codes); got != want {
			t.Errorf("%s: codes and flags\n got %s\nwant %s", dialect, got, want)
		}
	}
}

// columns splits at blanks outside quotes.
func columns(line string) []string {
	quoted := false
	return strings.FieldsFunc(line, func(c rune) bool {
		if c == '"' {
			quoted = !quoted
		}
		return c == ' ' && !quoted
	})
}

func TestJSONIsTyped(t *testing.T) {
	b, g := write(t, "istio-json", 0.2, 3, 1<<20)
	codes := map[string]int64{}
	for line := range bytes.Lines(b) {
		var r struct {
			Code     int     `json:"response_code"`
			Flags    string  `json:"response_flags"`
			Agent    *string `json:"user_agent"`
			Service  *string `json:"upstream_service_time"`
			Duration int     `json:"duration"`
		}
		if err := json.Unmarshal(line, &r); err != nil {
			t.Fatalf("%v: %s", err, line)
		}
		codes[fmt.Sprintf("%d %s", r.Code, r.Flags)]++
	}
	if got, want := fmt.Sprint(codes), fmt.Sprint(g.Counts().Codes); got != want {
		t.Errorf("codes and flags\n got %s\nwant %s", got, want)
	}
}

func TestWrappedHoldsTheBareRecords(t *testing.T) {
	bare, _ := write(t, "istio-text", 0.06, 5, 1<<20)
	wrapped, _ := write(t, "cri", 0.06, 5, 1<<20)
	var inner []byte
	for line := range bytes.Lines(wrapped) {
		head, rest, ok := bytes.Cut(line, []byte(" stdout F "))
		if !ok || len(head) != len("2026-01-30T04:00:00.000184207Z") {
			t.Fatalf("not a CRI line: %s", line)
		}
		inner = append(inner, rest...)
	}
	if !bytes.Equal(inner, bare) {
		t.Error("the wrapped records are not the bare ones")
	}
}

func TestLineLength(t *testing.T) {
	b, g := write(t, "istio-text", 0.06, 1, 4<<20)
	if mean := len(b) / int(g.Counts().Records); mean < 330 || mean > 380 {
		t.Errorf("a line has %d bytes, want about 350", mean)
	}
}

func TestBadConfig(t *testing.T) {
	for _, c := range []gen.Config{{Dialect: "apache"}, {Dialect: "cri", Fail: 1.5}, {Dialect: "cri", Fail: -1}} {
		if _, err := gen.New(c); err == nil {
			t.Errorf("%+v: no error", c)
		}
	}
}

func TestParseSize(t *testing.T) {
	for in, want := range map[string]int64{"1": 1, "1000": 1000, "3K": 3 << 10, "128M": 128 << 20, "1G": 1 << 30} {
		if got, err := gen.ParseSize(in); got != want || err != nil {
			t.Errorf("%q = %d, %v; want %d", in, got, err, want)
		}
	}
	for _, in := range []string{"", "G", "1GB", "-1", "0", "1.5G", "99999999999G"} {
		if got, err := gen.ParseSize(in); err == nil {
			t.Errorf("%q = %d, want an error", in, got)
		}
	}
}

func BenchmarkWrite(b *testing.B) {
	for _, dialect := range gen.Dialects() {
		b.Run(dialect, func(b *testing.B) {
			g, err := gen.New(gen.Config{Dialect: dialect, Fail: 0.06, Seed: 1})
			if err != nil {
				b.Fatal(err)
			}
			const block = 1 << 20
			b.SetBytes(block)
			for b.Loop() {
				if _, err := g.Write(io.Discard, block); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}
