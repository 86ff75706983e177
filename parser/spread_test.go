package parser

import (
	"bytes"
	"fmt"
	"strings"
	"testing"
)

// spreadFormats are formats with line ends in them, each with a record.
var spreadFormats = []struct{ format, record string }{
	{"[%START_TIME%] \"%REQ(:METHOD)% %REQ(:PATH)%\"\n%RESPONSE_CODE% %RESPONSE_FLAGS%\n\"%REQ(USER-AGENT)%\" %UPSTREAM_HOST%\n", "[2026-05-06T07:08:09.123Z] \"GET /a\"\n503 UF\n\"x \"y\" z\" 10.1.1.1:80\n"},
	{"---\ntime: %START_TIME%\ncode: %RESPONSE_CODE%\nflags: %RESPONSE_FLAGS%", "---\ntime: 2026-05-06T07:08:09.123Z\ncode: 503\nflags: UF\n"},
	{"\n%RESPONSE_CODE% %RESPONSE_FLAGS% %START_TIME%\n", "\n503 UF 2026-05-06T07:08:09.123Z\n"},
	{"%START_TIME% %REQ(USER-AGENT)%\n\n  %RESPONSE_CODE% %RESPONSE_FLAGS% end\n\n", "2026-05-06T07:08:09.123Z curl 8\n\n  503 UF end\n"},
}

// Records of several lines are read, between other records, in wrappers and
// however the bytes arrive.
func TestSpread(t *testing.T) {
	const other = "{\"level\":\"info\",\"msg\":\"started\"}\n"
	for _, c := range spreadFormats {
		f := mustCompile(t, c.format)
		lines := strings.Count(c.record, "\n")
		var text strings.Builder
		for n := range 50 {
			text.WriteString(c.record)
			if n%7 == 3 {
				text.WriteString(other)
			}
		}
		for name, data := range map[string][]byte{"bare": []byte(text.String()), "cri": inCRI(text.String())} {
			for _, size := range []int{len(data), 1000, 64, 7} {
				all := spreadIn(data, size, f)
				n, total := 0, 0
				for _, r := range all {
					total += r.Lines
					if r.Dialect == Custom {
						code, _ := r.Code()
						set, _ := r.Flags()
						if n++; code != 503 || set != FlagsOf(flagNamed(t, "UF")) || r.Lines != lines || r.Suspicious || r.Partial {
							t.Fatalf("%q %s in %d bytes: %s", c.format, name, size, describe(r))
						}
					}
				}
				if n != 50 || total != bytes.Count(data, []byte{'\n'}) {
					t.Fatalf("%q %s in %d bytes: %d records, %d lines of %d", c.format, name, size, n, total, bytes.Count(data, []byte{'\n'}))
				}
			}
		}
	}
}

func flagNamed(t *testing.T, name string) Flag {
	t.Helper()
	f, ok := FlagByName(name)
	if !ok {
		t.Fatal(name)
	}
	return f
}

func inCRI(text string) (data []byte) {
	for line := range strings.Lines(text) {
		data = append(data, "2026-05-06T07:08:10.000000001Z stdout F "+line...)
	}
	return data
}

// spreadIn reads data as a source would that gets it in portions of a size.
func spreadIn(data []byte, size int, f *Format) (all []*Record) {
	p := NewParser(AllFields, f)
	st := &FrameState{Formats: []*Format{f}}
	var held []byte
	for len(data) > 0 || len(held) > 0 {
		n := min(size, len(data))
		held, data = append(held, data[:n]...), data[n:]
		st.Final = len(data) == 0
		end := Cut(held, st)
		p.Reset(block(held[:end]))
		for r, ok := p.Next(); ok; r, ok = p.Next() {
			all = append(all, r.Clone())
		}
		held = append(held[:0], held[end:]...)
	}
	return all
}

// A record that breaks off does not swallow the next one.
func TestSpreadTorn(t *testing.T) {
	c := spreadFormats[0]
	f := mustCompile(t, c.format)
	head, _, _ := strings.Cut(c.record, "\n")
	kinds := ""
	for _, r := range spreadIn([]byte(head+"\n"+c.record+"503 UF\n"), 1000, f) {
		kinds += fmt.Sprint(r.Dialect, r.Lines, " ")
	}
	if !strings.Contains(kinds, "custom 3") {
		t.Errorf("got %s", kinds)
	}
}

// Such records allocate nothing.
func TestSpreadAllocatesNothing(t *testing.T) {
	for _, c := range spreadFormats {
		data := block([]byte(strings.Repeat(c.record, 100)))
		p := NewParser(AllFields, mustCompile(t, c.format))
		pass := func() {
			p.Reset(data)
			for _, ok := p.Next(); ok; _, ok = p.Next() {
			}
		}
		pass()
		if n := testing.AllocsPerRun(10, pass); n > 0 {
			t.Errorf("%q: %v allocations", c.format, n)
		}
	}
}

// More lines than anybody has are refused.
func TestSpreadTooFar(t *testing.T) {
	if _, err := Compile("%RESPONSE_CODE%" + strings.Repeat("\n", maxSpread) + "%RESPONSE_FLAGS%"); err == nil || !strings.Contains(err.Error(), "lines") {
		t.Errorf("%v", err)
	}
}
