package classify

import (
	"fmt"
	"strings"
	"testing"

	"github.com/flagwatch/flagwatch/parser"
)

// heads are what stands in front of a message, one for each of the programs
// whose rules differ.
var heads = []string{
	"[2026-03-15 03:58:10.105][77][info][main] ", "[2026-03-15 03:58:10.105][77][critical][main] ",
	"2026-03-15T03:58:10.105202Z\twarning\tenvoy config\t", "2026-03-15T03:58:10.105202Z\tinfo\txdsproxy\t",
	"2026-03-15T03:58:10.105202Z\terror\tads\t", "2026-03-15T03:58:10.105202Z\tinfo\tcni-agent\t",
	"W0315 03:58:10.105202       1 edge.go:77] ", "3m9s        Warning   Unhealthy   pod/till-5f    ",
}

// A classifier that leaves texts early says the same as one that looks through
// every one of them.
func FuzzKeys(f *testing.F) {
	for _, cause := range Causes() {
		for _, example := range cause.Examples {
			f.Add(example)
		}
	}
	for _, text := range []string{
		`\nfailed_calling_webhook`, `C:\\new`, strings.Repeat("edge", 15) + "grpc config stream closed: 14", strings.Repeat("a", 63) + " eof", strings.Repeat("a", 200) + " secret forbidden",
		"GRPC_CONFIG_STREAM closed", "panic", "no panic", "eof\x80", "ﬁle EOF", "K8S é eof", strings.Repeat("till ", 12) + `ab\neof`, strings.Repeat("till ", 12) + `abc\neof`,
		strings.Repeat("till ", 12) + `a\nfailed_calling_webhook`, strings.Repeat("a", 61) + `\nfailed calling webhook`, strings.Repeat("a", 62) + `\\nfailed calling webhook`, "7failed calling webhook",
		strings.Repeat("till ", 12) + " failed calling webhook", strings.Repeat("a", maxText) + " panic", "IST0102", "signal 11",
	} {
		f.Add(text)
	}
	early := Default()
	late := early.Clone()
	p := parser.NewParser(early.Fields())
	f.Fuzz(func(t *testing.T, message string) {
		for _, head := range append([]string{""}, heads...) {
			line := head + message + "\n"
			p.Reset(append(make([]byte, 0, len(line)+parser.Padding), line...))
			for r, ok := p.Next(); ok; r, ok = p.Next() {
				early.memo.misses, late.memo.misses = fewMisses, -fewMisses
				for i := range early.memo.texts {
					clear(early.memo.texts[i])
				}
				if got, want := early.Classify(r), late.Classify(r); got.Cause != want.Cause || got.Confidence != want.Confidence {
					t.Errorf("%q: got %v, want %v", line, got, want)
				}
			}
		}
	})
}

// Of every phrase that a rule asks for, the text itself has a key and a sign.
func TestEveryPhraseHasItsKey(t *testing.T) {
	c := Default()
	p, rare := &c.phrases[messageColumn], c.rarities()
	for text, n := range p.numbers {
		k := &keys{signs: newSigns(map[string]bool{rare[n].sign: true}), slots: make([]uint64, 4)}
		k.add(rare[n].key)
		inner := strings.Trim(text, "^$")
		for _, value := range []string{inner, strings.ToUpper(inner), strings.ReplaceAll(inner, "_", ": ")} {
			if !k.in([]byte(value), new(padded)) || !k.signs.in([]byte(value), new(padded)) {
				t.Errorf("%q is left early", value)
			}
		}
		if k.in([]byte("till: 7 ledgers"), new(padded)) {
			t.Errorf("%q is met by chance", text)
		}
	}
}

// Texts that no rule asks for are left early.
func TestUsualEventsAreLeftEarly(t *testing.T) {
	k := Default().newKeys(messageColumn, first{kind: parser.Event, emitter: parser.Envoy, level: levelOf([]byte("info"))})
	for _, text := range []string{
		"cds: add 27 cluster(s), remove 3 cluster(s)", "cds: added/updated 2 cluster(s) (skipped 25 unmodified cluster(s))", "lds: add/update listener '10.96.7.7_443'",
		"all clusters initialized. initializing init manager", "add/update cluster outbound|443||till.shop.svc.cluster.local starting warming",
	} {
		if k.in([]byte(text), new(padded)) || k.signs.in([]byte(text), new(padded)) {
			t.Errorf("%q is looked through", text)
		}
	}
}

// Texts that never come twice cost no allocation.
func TestNewTextsAllocateNothing(t *testing.T) {
	c := Default()
	var log strings.Builder
	for n := range 4 * fewMisses {
		fmt.Fprintf(&log, "2026-03-15T03:58:10.105202Z\tinfo\tenvoy upstream\tcds: add %d cluster(s), remove 3 cluster(s)\n", n)
		fmt.Fprintf(&log, "2026-03-15T03:58:10.105202Z\twarning\tenvoy config\tStreamAggregatedResources gRPC config stream to xds-grpc closed since %ds ago: 14, till\n", n)
	}
	p, block := parser.NewParser(c.Fields()), append(make([]byte, 0, log.Len()+parser.Padding), log.String()...)
	pass := func() {
		p.Reset(block)
		for r, ok := p.Next(); ok; r, ok = p.Next() {
			c.Classify(r)
		}
	}
	pass()
	if n := testing.AllocsPerRun(5, pass); n != 0 {
		t.Errorf("%v allocations", n)
	}
}
