package parser

import (
	"fmt"
	"hash/maphash"
	"strings"
	"testing"
)

// endingObject is an object in Istio's order of keys, with what is given in
// place of the value of a key.
func endingObject(instead ...string) string {
	return strings.NewReplacer(instead...).Replace(`{"authority":"cart:8080","connection_termination_details":null,"duration":7,"grpc_status":null,"path":"/a",` +
		`"response_code":503,"response_code_details":"no_healthy_upstream","response_flags":"UH","start_time":"2026-03-02T10:00:00.123Z",` +
		`"upstream_cluster":"outbound|80||a","upstream_transport_failure_reason":null}`)
}

// endings are the endings of the access records of lines, the first of which is
// read twice: the second time in its order.
func endings(t *testing.T, seed maphash.Seed, lines ...string) (list []uint64) {
	t.Helper()
	p := NewParser(AllFields)
	p.Reset(block([]byte(strings.Join(append(lines[:1:1], lines...), "\n"))))
	p.Next()
	for r, ok := p.Next(); ok; r, ok = p.Next() {
		h, known := r.Ending(seed)
		if !known {
			t.Fatalf("the ending of %s is not known", p.block[r.Begin:r.Begin+r.Size])
		}
		if _, known := r.Clone().Ending(seed); known && r.ordered != nil {
			t.Fatal("a copy knows the ending by what it has no copy of")
		}
		list = append(list, h)
	}
	return list
}

// Objects that ended alike have one ending, whatever else differs; any
// difference in how they ended is another one.
func TestEndingOfObjects(t *testing.T) {
	seed := maphash.MakeSeed()
	same := endings(t, seed, endingObject(), endingObject("cart:8080", "shop", "/a", "/b", ":7", ":1234", "||a", "||b", ".123Z", ".124Z"))
	if len(same) != 2 || same[0] != same[1] {
		t.Errorf("endings %x of objects that ended alike", same)
	}
	lines := []string{endingObject()}
	for _, instead := range [][2]string{
		{":503", ":502"}, {":503", ":0"}, {`"UH"`, `"UF"`}, {`"UH"`, `"-"`}, {`"UH"`, `"UH,XX"`}, {`"UH"`, `"UH,YY"`},
		{"no_healthy_upstream", "via_upstream"}, {`"no_healthy_upstream"`, "null"}, {`grpc_status":null`, `grpc_status":"Unavailable"`},
		{`termination_details":null`, `termination_details":"x"`}, {`failure_reason":null`, `failure_reason":"x"`}, {`failure_reason":null`, `failure_reason":"y"`},
	} {
		lines = append(lines, endingObject(instead[:]...))
	}
	met := map[uint64]string{}
	for i, h := range endings(t, seed, lines...) {
		if other, ok := met[h]; ok {
			t.Errorf("one ending of\n%s and\n%s", other, lines[i])
		}
		met[h] = lines[i]
	}
	if len(met) != len(lines) {
		t.Errorf("%d endings of %d objects", len(met), len(lines))
	}
}

// The start time is at hand if it has milliseconds and no other zone.
func TestStampOfObjects(t *testing.T) {
	for value, want := range map[string]bool{
		`"2026-03-02T10:00:00.123Z"`: true, `"2026-03-02T10:00:00.12+0"`: false, `"2026-03-02T10:00:00.1234Z"`: false, `"2026-03-02T10:00:00Z"`: false, "null": false, `"-"`: false,
	} {
		p := NewParser(AllFields)
		line := endingObject(`"2026-03-02T10:00:00.123Z"`, value)
		p.Reset(block([]byte(endingObject() + "\n" + line)))
		p.Next()
		r, _ := p.Next()
		text := r.Stamp()
		if (text != nil) != want || want && fmt.Sprintf("%q", text[:]) != value {
			t.Errorf("stamp %q of %s", text, value)
		}
	}
}

// Every object of a log is read in its order, wherever it stands.
func TestObjectsAcrossStretches(t *testing.T) {
	var lines strings.Builder
	for n := range 2000 {
		lines.WriteString(endingObject("/a", "/"+strings.Repeat("a", n*7%97), `reason":null`, `reason":"x"`) + "\n")
	}
	p := NewParser(AllFields)
	p.Reset(block([]byte(lines.String())))
	n := 0
	for r, ok := p.Next(); ok; r, ok = p.Next() {
		if n > 0 && r.ordered == nil {
			t.Errorf("object %d, at %d, was scanned", n, r.Begin)
		}
		n++
	}
	if n != 2000 {
		t.Errorf("%d objects", n)
	}
}
