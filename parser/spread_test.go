package parser

import (
	"bytes"
	"fmt"
	"maps"
	"math/rand/v2"
	"slices"
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
		for name, wrap := range spreadWrappings {
			data := wrapEach(text.String(), wrap)
			for _, size := range []int{len(data), 1000, 64, 7} {
				all := spreadIn(data, size, f)
				n, total := 0, 0
				for _, r := range all {
					total += r.Lines
					if r.Dialect == Custom {
						code, _ := r.Code()
						set, _ := r.Flags()
						if n++; fmt.Sprint(r.Envelopes()) != name || code != 503 || set != FlagsOf(flagNamed(t, "UF")) || r.Lines != lines || r.Suspicious || r.Partial {
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

// spreadWrappings are what may stand around each line, by the envelopes that a
// record says it was in.
var spreadWrappings = map[string]func(line string) string{
	"[]":    func(s string) string { return s },
	"[cri]": func(s string) string { return "2026-05-06T07:08:10.000000001Z stdout F " + s },
	"[docker]": func(s string) string {
		return `{"log":` + quoted(s+"\n") + `,"stream":"stdout","time":"2026-05-06T07:08:10.000000001Z"}`
	},
	"[kubectl-timestamp]":                func(s string) string { return "2026-05-06T07:08:10.000000001Z " + s },
	"[kubectl-prefix]":                   func(s string) string { return "[pod/web-6d9-x/istio-proxy] " + s },
	"[kubectl-prefix kubectl-timestamp]": func(s string) string { return "[pod/web-6d9-x/istio-proxy] 2026-05-06T07:08:10.000000001Z " + s },
	"[stern]":                            func(s string) string { return "web-6d9-x istio-proxy " + s },
	"[stern kubectl-timestamp]":          func(s string) string { return "web-6d9-x istio-proxy 2026-05-06T07:08:10.000000001Z " + s },
	"[compose]":                          func(s string) string { return "envoy-1  | " + s },
}

func wrapEach(text string, wrap func(string) string) (data []byte) {
	for line := range strings.Lines(text) {
		data = append(data, wrap(strings.TrimSuffix(line, "\n"))+"\n"...)
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

// Wherever the bytes are cut and however the records are mixed with other
// lines, all of them are read, each once.
func TestSpreadMixed(t *testing.T) {
	others := []string{"", "hello", `{"level":"info","msg":"started"}`, "2026-05-06T07:08:09.000000Z\tinfo\tready", "503 UF", "---", "time: 2026-05-06T07:08:09.123Z"}
	for name, wrap := range spreadWrappings {
		for k, c := range spreadFormats {
			rng := rand.New(rand.NewPCG(uint64(k), 7))
			f := mustCompile(t, c.format)
			for range 12 {
				var data []byte
				want := 0
				for range 10 {
					if rng.IntN(3) == 0 {
						other := pick(rng, others...)
						if k != 0 && (other == "" || other == "---" || k == 1 && other != "hello") {
							continue // the record's own
						}
						data = append(data, wrapEach(other+"\n", wrap)...)
						continue
					}
					data = append(data, wrapEach(c.record, wrap)...)
					want++
				}
				if n := customIn(spreadIn(data, 1+rng.IntN(200), f)); n != want {
					t.Fatalf("%q %s: %d records, want %d\n%s", c.format, name, n, want, data)
				}
			}
			data := wrapEach(c.record+c.record, wrap)
			for size := 1; size < len(data); size++ {
				if n := customIn(spreadIn(data, size, f)); n != 2 {
					t.Fatalf("%q %s in %d bytes: %d records", c.format, name, size, n)
				}
			}
		}
	}
}

func customIn(all []*Record) (n int) {
	for _, r := range all {
		if r.Dialect == Custom {
			n++
		}
	}
	return n
}

// Wrappers tell where the record is from. Lines of another pod or stream are
// none of a record's.
func TestSpreadPlace(t *testing.T) {
	c := spreadFormats[0]
	f := mustCompile(t, c.format)
	for name, want := range map[string]string{"[kubectl-prefix]": "/web-6d9-x/istio-proxy", "[stern]": "/web-6d9-x/istio-proxy", "[compose]": "//envoy-1", "[docker]": "//"} {
		wrap := spreadWrappings[name]
		all := spreadIn(wrapEach(c.record, wrap), 1000, f)
		if at := all[0].Place(); len(all) != 1 || string(at.Namespace)+"/"+string(at.Pod)+"/"+string(at.Container) != want {
			t.Errorf("%s: %d records, place %q", name, len(all), at)
		}
	}
	all := spreadIn(wrapEach(c.record, func(s string) string { return "envoy " + s }), 1000, f)
	if at := all[0].Place(); len(all) != 1 || at.Pod != nil || string(at.Container) != "envoy" {
		t.Errorf("a name alone: %d records, place %q", len(all), at)
	}
	for name, change := range map[string][2]string{
		"[kubectl-prefix]": {"web-6d9-x", "web-6d9-y"}, "[stern]": {"web-6d9-x", "web-6d9-y"}, "[docker]": {`"stdout"`, `"stderr"`}, "[cri]": {"stdout", "stderr"},
	} {
		lines := strings.SplitAfter(string(wrapEach(c.record, spreadWrappings[name])), "\n")
		lines[1] = strings.Replace(lines[1], change[0], change[1], 1)
		if n := customIn(spreadIn([]byte(strings.Join(lines, "")), 1000, f)); n != 0 {
			t.Errorf("%s: lines of two streams are one record", name)
		}
	}
}

// A shipper that joined the lines itself has them in one text.
func TestSpreadInOneText(t *testing.T) {
	for _, c := range spreadFormats {
		line := `{"log":` + quoted(c.record) + `,"kubernetes":{"pod_name":"web-1"}}` + "\n"
		all := spreadIn([]byte(line+line), 1000, mustCompile(t, c.format))
		if customIn(all) != 2 || len(all) != 2 {
			t.Errorf("%q: %d records, %s", c.format, len(all), describe(all[0]))
		}
	}
}

// Such records allocate nothing.
func TestSpreadAllocatesNothing(t *testing.T) {
	for i := range len(spreadFormats) * len(spreadWrappings) {
		c := spreadFormats[i%len(spreadFormats)]
		name := slices.Sorted(maps.Keys(spreadWrappings))[i/len(spreadFormats)]
		data := block(wrapEach(strings.Repeat(c.record, 100), spreadWrappings[name]))
		p := NewParser(AllFields, mustCompile(t, c.format))
		pass := func() {
			p.Reset(data)
			for _, ok := p.Next(); ok; _, ok = p.Next() {
			}
		}
		pass()
		if n := testing.AllocsPerRun(10, pass); n > 0 {
			t.Errorf("%q %s: %v allocations", c.format, name, n)
		}
	}
}

// More lines than anybody has are refused.
func TestSpreadTooFar(t *testing.T) {
	if _, err := Compile("%RESPONSE_CODE%" + strings.Repeat("\n", maxSpread) + "%RESPONSE_FLAGS%"); err == nil || !strings.Contains(err.Error(), "lines") {
		t.Errorf("%v", err)
	}
}
