package parser

import (
	"bytes"
	"fmt"
	"strings"
	"testing"
)

// A panic costs the record that caused it: it becomes an invalid one, and
// those behind it are read.
func TestFault(t *testing.T) {
	const good = `[2026-11-30T00:00:00.000Z] "GET /a HTTP/1.1" 200 - via_upstream - "-" 0 91 1 1 "-" "curl/8" "-" "reviews:9080" "10.1.2.3:9080" outbound|9080||reviews - 10.2.3.4:9080 10.1.9.9:4444 - default` + "\n"
	const slow = `[2026-11-30T00:00:00.000Z] "GET /a HTTP/1.1" 200 - via_upstream - "-" 0 91 1 1 "-" "a"b" "-" "reviews:9080" "10.1.2.3:9080" outbound|9080||reviews - 10.2.3.4:9080 10.1.9.9:4444 - default` + "\n"
	p := NewParser(AllFields)
	p.layouts.list = []*Format{nil}
	p.Reset(block([]byte(good + slow + good)))
	var got []string
	for range 3 {
		func() {
			defer func() {
				if recover() != nil {
					r := p.Fault()
					got = append(got, fmt.Sprint(r.Kind, " ", r.Reason, " ", r.Line, " ", r.Size == len(slow)))
				}
			}()
			r, _ := p.Next()
			got = append(got, fmt.Sprint(r.Kind, " ", r.Line))
		}()
	}
	if want := "access 1|invalid internal 2 true|access 3"; strings.Join(got, "|") != want {
		t.Errorf("got %q, want %q", got, want)
	}
}

// describe writes down all that a record says, for comparisons.
func describe(r *Record) string {
	var b strings.Builder
	code, ok := r.Code()
	set, has := r.Flags()
	fmt.Fprintf(&b, "%v %v %v %v partial=%v suspicious=%v code=%d/%v flags=%x/%v %v lines=%d", r.Kind, r.Reason, r.Dialect, r.Emitter, r.Partial, r.Suspicious, code, ok, uint64(set), has, r.Envelopes(), r.Lines)
	for f := range NumFields {
		if v := r.Bytes(f); v != nil {
			fmt.Fprintf(&b, " %v=%q", f, v)
		}
	}
	for _, e := range r.Extra() {
		fmt.Fprintf(&b, " +%q=%q", e.Key, e.Value)
	}
	return b.String()
}

// read reads data as a source would that gets it in portions of a size.
func readInPortions(data []byte, size int) (records []string) {
	p := NewParser(AllFields)
	var held []byte
	for len(data) > 0 || len(held) > 0 {
		n := min(size, len(data))
		held = append(held, data[:n]...)
		data = data[n:]
		end := Cut(held, &FrameState{Final: len(data) == 0})
		p.Reset(block(held[:end]))
		for r, ok := p.Next(); ok; r, ok = p.Next() {
			records = append(records, describe(r))
		}
		held = append(held[:0], held[end:]...)
	}
	return records
}

// No record depends on how the bytes arrive.
func TestPortions(t *testing.T) {
	var text []byte
	for _, line := range corpus(t) {
		if len(line) < 2000 && bytes.IndexByte(line, 0) < 0 {
			text = append(append(text, line...), '\n')
		}
	}
	want := readInPortions(text, len(text))
	for _, size := range []int{1000, 4096, 65536} {
		got := readInPortions(text, size)
		for i := range max(len(got), len(want)) {
			if i >= len(got) || i >= len(want) || got[i] != want[i] {
				t.Fatalf("portions of %d bytes: record %d of %d\ngot  %s\nwant %s", size, i, len(want), at(got, i), at(want, i))
			}
		}
	}
	small := text[:min(len(text), 12000)]
	want = readInPortions(small, len(small))
	if got := readInPortions(small, 1); strings.Join(got, "\n") != strings.Join(want, "\n") {
		t.Error("single bytes give other records")
	}
}

func at(list []string, i int) string {
	if i < len(list) {
		return list[i]
	}
	return "nothing"
}

// Cut at any byte, a line keeps its code and flags while they are there, and
// is otherwise one record that claims neither. A path with a quote in it may
// hold the code of the half that is left; then nothing can be told.
func TestCutAtEveryByte(t *testing.T) {
	p := NewParser(AllFields)
	for _, line := range corpus(t) {
		if len(line) == 0 || len(line) > 1500 {
			continue
		}
		all := account(t, line, AllFields)
		whole := all[0]
		if len(all) != 1 || whole.Kind != Access || whole.Partial || whole.Suspicious || whole.Emitter != NoEmitter || bytes.IndexByte(whole.Bytes(Path), '"') >= 0 {
			continue
		}
		data := block(line)
		for n := range len(line) {
			p.Reset(data[:n])
			for r, ok := p.Next(); ok; r, ok = p.Next() {
				checkCut(t, r, whole, line[:n])
			}
		}
	}
}

func checkCut(t *testing.T, r, whole *Record, line []byte) {
	if r.Kind != Access || r.Suspicious {
		return
	}
	wantCode, hasCode := whole.Code()
	wantFlags, hasFlags := whole.Flags()
	if code, ok := r.Code(); ok && (!hasCode || code != wantCode) {
		t.Errorf("code %d instead of %d: %q", code, wantCode, line)
	}
	if set, ok := r.Flags(); ok && (!hasFlags || set != wantFlags) {
		t.Errorf("flags %x instead of %x: %q", set, wantFlags, line)
	}
}

// The steady state allocates nothing: not for good records, not for damaged
// ones, not for hostile ones.
func TestNextAllocatesNothing(t *testing.T) {
	var all []byte
	for _, line := range corpus(t) {
		all = append(append(all, line...), '\n')
	}
	data := block(all)
	for name, want := range map[string]FieldSet{"all": AllFields, "small": Fields(ResponseCode, ResponseFlags)} {
		p := NewParser(want)
		pass := func() {
			p.Reset(data)
			for _, ok := p.Next(); ok; _, ok = p.Next() {
			}
		}
		pass()
		if n := testing.AllocsPerRun(20, pass); n > 0 {
			t.Errorf("%s: %v allocations in %d bytes", name, n, len(data))
		}
	}
}

// A line that a container runtime wrote in pieces of twenty bytes is the
// record that it is in one piece.
func TestPieces(t *testing.T) {
	const head = "2026-03-14T09:26:53.589793238Z stdout "
	n := 0
	for _, line := range corpus(t) {
		line = bytes.TrimSuffix(line, []byte{'\r'})
		all := account(t, line, AllFields)
		if len(all) != 1 || all[0].Kind == Noise || len(all[0].Envelopes()) > 2 || len(line) > 1500 || bytes.Contains(line, []byte(" P ")) {
			continue
		}
		wrapped := wrapPieces(head, line)
		got := account(t, wrapped, AllFields)
		if len(got) != 1 || got[0].Lines != bytes.Count(wrapped, []byte{'\n'}) {
			t.Errorf("%d records: %q", len(got), line)
			continue
		}
		if want, is := plainly(all[0]), plainly(got[0]); is != want {
			t.Errorf("%q\ngot  %s\nwant %s", line, is, want)
		}
		n++
	}
	if n < 500 {
		t.Errorf("only %d lines", n)
	}
}

func wrapPieces(head string, line []byte) (wrapped []byte) {
	for ; len(line) > 20; line = line[20:] {
		wrapped = append(append(append(wrapped, head+"P "...), line[:20]...), '\n')
	}
	return append(append(append(wrapped, head+"F "...), line...), '\n')
}

// plainly is describe without what a wrapper adds.
func plainly(r *Record) string {
	c := r.Clone()
	c.depth, c.Lines = 0, 1
	return describe(c)
}

// The first of two records on a line is read once: what is extra in it comes
// once.
func TestGluedExtra(t *testing.T) {
	const line = `[2026-11-30T00:00:00.000Z] "GET /a HTTP/1.1" 503 UAEX "UNAVAILABLE" "-" 0 91 1 - "-" "curl/8" "-" "reviews:9080" "-" outbound|9080||reviews - 10.2.3.4:9080 10.1.9.9:4444 -`
	all := account(t, []byte(line+line), AllFields)
	if len(all) != 2 {
		t.Fatalf("%d records", len(all))
	}
	for i, r := range all {
		if extra := r.Extra(); len(extra) != 1 || string(extra[0].Value) != "UNAVAILABLE" {
			t.Errorf("record %d: %d extra columns", i, len(extra))
		}
	}
}

// Values that other programs write differently mean the same.
func TestSpellings(t *testing.T) {
	for _, c := range []struct{ line, flags string }{
		{`{"response_code":503,"response_flags":["UF","URX"],"upstream_cluster":"a"}`, "UF,URX"},
		{`{"response_code":503,"response_flags":[],"upstream_cluster":"a"}`, ""},
		{`{"response_code":503,"response_flags":"URX,UF","upstream_cluster":"a"}`, "UF,URX"},
	} {
		r := account(t, []byte(c.line), AllFields)[0]
		var names []string
		set, ok := r.Flags()
		for f := range set.All {
			names = append(names, f.String())
		}
		if got := strings.Join(names, ","); !ok || got != c.flags {
			t.Errorf("%s: flags %q, %v", c.line, got, ok)
		}
		if r.Dialect != Inferred {
			t.Errorf("%s: dialect %v, but three keys are no product's", c.line, r.Dialect)
		}
	}
}

// A year that nanoseconds can not hold is no time, rather than another one.
func TestTimeRange(t *testing.T) {
	for text, want := range map[string]bool{
		"1970-01-01T00:00:00Z": true, "2261-12-31T23:59:59.999Z": true, "9999-12-31T23:59:59Z": false, "0001-01-01T00:00:00Z": false, "2026-02-30T00:00:00+01:00": true,
	} {
		if _, ok := parseTime([]byte(text)); ok != want {
			t.Errorf("%s: %v, want %v", text, ok, want)
		}
	}
}
