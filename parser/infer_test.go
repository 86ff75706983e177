package parser

import (
	"bytes"
	"fmt"
	"slices"
	"strings"
	"testing"
)

// inferCases are layouts in no list: a line with verbs, and the format string
// that must come out. COLUMN_N stands for what can not be known.
var inferCases = []struct{ name, line, format string }{
	{"blanks", "{time} {method} {path} {protocol} {code} {flags} {details} {n} {n} {n} {n} \"{agent}\" {id} {authority} {host} {cluster}",
		`%START_TIME% %REQ(:METHOD)% %REQ(X-ENVOY-ORIGINAL-PATH?:PATH)% %PROTOCOL% %RESPONSE_CODE% %RESPONSE_FLAGS% %RESPONSE_CODE_DETAILS% %BYTES_RECEIVED% %BYTES_SENT% %DURATION% %RESP(X-ENVOY-UPSTREAM-SERVICE-TIME)% "%REQ(USER-AGENT)%" %REQ(X-REQUEST-ID)% %REQ(:AUTHORITY)% %UPSTREAM_HOST% %UPSTREAM_CLUSTER%`},
	{"pipes", "{time} | {method} {path} | {code} | {flags} | {agent} | {cluster}",
		`%START_TIME% | %REQ(:METHOD)% %REQ(X-ENVOY-ORIGINAL-PATH?:PATH)% | %RESPONSE_CODE% | %RESPONSE_FLAGS% | %REQ(USER-AGENT)% | %UPSTREAM_CLUSTER%`},
	{"tabs", "{time}\t{code}\t{flags}\t{agent}\t{path}\t{method}", "%START_TIME%\t%RESPONSE_CODE%\t%RESPONSE_FLAGS%\t%REQ(USER-AGENT)%\t%REQ(X-ENVOY-ORIGINAL-PATH?:PATH)%\t%REQ(:METHOD)%"},
	{"commas", `"{time}","{method}","{path}",{code},"{flags}",{word}`, `"%START_TIME%","%REQ(:METHOD)%","%REQ(X-ENVOY-ORIGINAL-PATH?:PATH)%",%RESPONSE_CODE%,"%RESPONSE_FLAGS%",%COLUMN_6%`},
	{"keys", "time={time} status={code} flags={flags} path={path} duration_ms={n} tenant={word}", "time=%START_TIME% status=%RESPONSE_CODE% flags=%RESPONSE_FLAGS% path=%REQ(X-ENVOY-ORIGINAL-PATH?:PATH)% duration_ms=%DURATION% tenant=%COLUMN_6%"},
	{"the usual head", `[{time}] "{method} {path} {protocol}" {code} {flags} {details} t-{word} {n} {n} {n} {n} "{xff}" "{agent}" "{id}" "{authority}" "{host}" {cluster} - {host} {host} - default`,
		`[%START_TIME%] "%REQ(:METHOD)% %REQ(X-ENVOY-ORIGINAL-PATH?:PATH)% %PROTOCOL%" %RESPONSE_CODE% %RESPONSE_FLAGS% %RESPONSE_CODE_DETAILS% %COLUMN_6% %BYTES_RECEIVED% %BYTES_SENT% %DURATION% %RESP(X-ENVOY-UPSTREAM-SERVICE-TIME)% "%REQ(X-FORWARDED-FOR)%" "%REQ(USER-AGENT)%" "%REQ(X-REQUEST-ID)%" "%REQ(:AUTHORITY)%" "%UPSTREAM_HOST%" %UPSTREAM_CLUSTER% %UPSTREAM_LOCAL_ADDRESS% %DOWNSTREAM_LOCAL_ADDRESS% %DOWNSTREAM_REMOTE_ADDRESS% %REQUESTED_SERVER_NAME% %ROUTE_NAME%`},
	{"brackets", "[{time}] [{code}] [{flags}] [{path}] [{cluster}]", "[%START_TIME%] [%RESPONSE_CODE%] [%RESPONSE_FLAGS%] [%REQ(X-ENVOY-ORIGINAL-PATH?:PATH)%] [%UPSTREAM_CLUSTER%]"},
	{"the code in front", `{code} {flags} [{time}] "{method} {path}" {word}`, `%RESPONSE_CODE% %RESPONSE_FLAGS% [%START_TIME%] "%REQ(:METHOD)% %REQ(X-ENVOY-ORIGINAL-PATH?:PATH)%" %COLUMN_5%`},
	{"epoch", "{epoch} {word} {method} {path} {code} {flags}", "%START_TIME(%s.%3f)% %COLUMN_2% %REQ(:METHOD)% %REQ(X-ENVOY-ORIGINAL-PATH?:PATH)% %RESPONSE_CODE% %RESPONSE_FLAGS%"},
	{"web server's time", `{host} - - [{clf}] "{method} {path} {protocol}" {code} {n} {flags}`, `%DOWNSTREAM_REMOTE_ADDRESS% %COLUMN_2% %COLUMN_3% [%START_TIME(%d/%b/%Y:%H:%M:%S %z)%] "%REQ(:METHOD)% %REQ(X-ENVOY-ORIGINAL-PATH?:PATH)% %PROTOCOL%" %RESPONSE_CODE% %COLUMN_7% %RESPONSE_FLAGS%`},
}

// inferLine writes the nth line of a layout; every third one failed.
func inferLine(layout string, n int) string {
	failed := n%3 == 1
	pick := func(list ...string) string { return list[n%len(list)] }
	either := func(bad, good string) string {
		if failed {
			return bad
		}
		return good
	}
	number := 0
	for strings.Contains(layout, "{n}") {
		number++
		layout = strings.Replace(layout, "{n}", fmt.Sprint(number*1000+n*number), 1)
	}
	return strings.NewReplacer(
		"{time}", fmt.Sprintf("2026-05-06T07:08:%02d.%03dZ", n%60, n), "{epoch}", fmt.Sprintf("17780513%02d.%03d", n%60, n), "{clf}", fmt.Sprintf("06/May/2026:07:08:%02d +0000", n%60),
		"{method}", pick("GET", "POST"), "{path}", fmt.Sprintf("/stock/%d?size=%d", n, n), "{protocol}", pick("HTTP/1.1", "HTTP/2"),
		"{code}", either("503", "200"), "{flags}", either(pick("UF,URX", "UH", "UC"), "-"), "{details}", either("no_healthy_upstream", "via_upstream"),
		"{agent}", pick("curl/8.2", "Mozilla/5.0 (X11; Linux)", "probe/1"), "{id}", fmt.Sprintf("%08x-1b2c-4d5e-8f90-a1b2c3d4e5f6", n), "{authority}", "stock.example:8443",
		"{host}", fmt.Sprintf("10.3.%d.7:8080", n%200), "{cluster}", "outbound|8080||stock.depot.svc.cluster.local", "{xff}", pick("10.7.7.7", "10.7.7.8, 10.9.9.9"),
		"{word}", pick("blue", "green", "red"),
	).Replace(layout)
}

func inferLog(layout string, lines int) []byte {
	var b bytes.Buffer
	for n := range lines {
		b.WriteString(inferLine(layout, n) + "\n")
	}
	return block(b.Bytes())
}

func TestInfer(t *testing.T) {
	for _, c := range inferCases {
		var s Sample
		kept := s.Add(inferLog(c.line, 20))
		in := s.Infer()
		if in == nil {
			t.Errorf("%s: nothing from %d lines", c.name, kept)
			continue
		}
		if in.Format != c.format || in.Lines != 20 || in.Fit != 20 {
			t.Errorf("%s: %d of %d lines\n got %s\nwant %s", c.name, in.Fit, in.Lines, in.Format, c.format)
		}
		for _, col := range in.Columns {
			if unknown := strings.HasPrefix(col.Operator, "COLUMN_"); unknown != (col.By == ByNothing) {
				t.Errorf("%s: %s is known by %v", c.name, col.Operator, col.By)
			}
		}
		data := inferLog(c.line, 40)
		p := NewParser(AllFields, in.Layout())
		p.Reset(data)
		n := 0
		for r, ok := p.Next(); ok; r, ok = p.Next() {
			code, _ := r.Code()
			flags, has := r.Flags()
			failed := n%3 == 1
			if r.Kind != Access || r.Dialect != Inferred || r.stray() || !has || failed != (code == 503) || failed != (flags != 0) {
				t.Errorf("%s: record %d: %s", c.name, n, describe(r))
			}
			n++
		}
		if n != 40 {
			t.Errorf("%s: %d records", c.name, n)
		}
	}
}

// How a column was recognised is told: its key, its values, or its place.
func TestInferEvidence(t *testing.T) {
	var s Sample
	s.Add(inferLog(`{time} status={code} {flags} {n} {n} {n} {method} {word}`, 20))
	in := s.Infer()
	if in == nil {
		t.Fatal("nothing")
	}
	var got []string
	for _, c := range in.Columns {
		got = append(got, c.Operator+" "+c.By.String())
	}
	want := []string{"START_TIME shape", "RESPONSE_CODE name", "RESPONSE_FLAGS shape", "BYTES_RECEIVED place", "BYTES_SENT place", "DURATION place", "REQ(:METHOD) shape", "COLUMN_8 nothing"}
	if !slices.Equal(got, want) || in.Known() != 7 {
		t.Errorf("got %q, want %q", got, want)
	}
}

// What is no proxy's log gets no layout, however regular it is.
func TestInferNothing(t *testing.T) {
	for name, layout := range map[string]string{
		"a web server's":     `10.1.1.{word} - - [{clf}] "{method} {path} {protocol}" {code} {n} "-" "{agent}"`,
		"an application's":   `{time} INFO {word} handled {path} in {n} ms with {code}`,
		"words like flags":   `{time} {word} status 503 DC north`,
		"words in prose":     `{time} INFO handled {path} in {n} ms with {code} by worker {flags}`,
		"too few columns":    `{code} {flags}`,
		"no code":            `{time} {method} {path} {flags} {word}`,
		"a table":            `{word} 200 UF {n}`,
		"known":              `[{time}] "{method} {path} {protocol}" {code} {flags} {n} {n} {n} {n} "{xff}" "{agent}" "{id}" "{authority}" "{host}"`,
		"an object":          `{"time":"{time}","code":{code},"flags":"{flags}","method":"{method}","path":"{path}"}`,
		"several languages":  `{word}`,
		"text of many blank": `   `,
	} {
		var s Sample
		s.Add(inferLog(layout, 20))
		if in := s.Infer(); in != nil {
			t.Errorf("%s: %s", name, in.Format)
		}
	}
}

// A line alone is enough when a flag, a time and a request stand in it; three
// are when no flag does.
func TestInferFew(t *testing.T) {
	const layout = "{time} {method} {path} {code} {flags} {word}"
	for n, want := range []bool{false, true} {
		var s Sample
		s.Add(block([]byte(inferLine(layout, n) + "\n")))
		if got := s.Infer() != nil; got != want {
			t.Errorf("line %d alone: %v", n, got)
		}
	}
	var s Sample
	for _, n := range []int{0, 2, 3} {
		s.Add(block([]byte(inferLine(layout, n) + "\n")))
	}
	if s.Infer() == nil {
		t.Error("three healthy lines show nothing")
	}
}

// Records of a layout that was worked out allocate nothing.
func TestInferredAllocatesNothing(t *testing.T) {
	for _, c := range inferCases {
		data := inferLog(c.line, 100)
		var s Sample
		s.Add(data)
		p := NewParser(AllFields, s.Infer().Layout())
		pass := func() {
			p.Reset(data)
			for _, ok := p.Next(); ok; _, ok = p.Next() {
			}
		}
		pass()
		if n := testing.AllocsPerRun(10, pass); n > 0 {
			t.Errorf("%s: %v allocations", c.name, n)
		}
	}
}

// A sample forgets its oldest lines, so a layout that came later is found.
func TestSampleForgets(t *testing.T) {
	var s Sample
	s.Add(inferLog(inferCases[0].line, maxSampled))
	for range 4 {
		s.Add(inferLog(inferCases[2].line, maxSampled/2))
	}
	if in := s.Infer(); in == nil || in.Format != inferCases[2].format || len(s.lines) > maxSampled {
		t.Errorf("%d lines: %+v", len(s.lines), in)
	}
}

// Whatever the lines are, there is no panic, and what comes out is a format
// that reads as many of them as it says.
func FuzzInfer(f *testing.F) {
	for _, c := range inferCases {
		f.Add([]byte(inferLog(c.line, 4)))
	}
	f.Add([]byte("503 UF | \"a [b] | 2026-05-06T07:08:09Z GET /x%\n"))
	f.Fuzz(func(t *testing.T, data []byte) {
		if len(data) > 1<<12 {
			return
		}
		var s Sample
		s.Add(block(data))
		in := s.Infer()
		if in == nil {
			return
		}
		if _, err := Compile(in.Format); err != nil || in.Fit == 0 || in.Fit > in.Lines {
			t.Fatalf("%q: %d of %d: %v", in.Format, in.Fit, in.Lines, err)
		}
	})
}

// Names of clusters have pipes in them: where pipes stand between columns, a
// name is one value.
func TestPipedCluster(t *testing.T) {
	f, err := Compile("%START_TIME%|%RESPONSE_CODE%|%RESPONSE_FLAGS%|%REQ(USER-AGENT)%|%UPSTREAM_CLUSTER%|%REQ(X-TENANT)%")
	if err != nil {
		t.Fatal(err)
	}
	for line, want := range map[string]string{
		"2026-05-06T07:08:09Z|503|UF|a b|outbound|80|v1|cart.shop.svc.cluster.local|blue": "a b/outbound|80|v1|cart.shop.svc.cluster.local",
		"2026-05-06T07:08:09Z|503|UF|a b|inbound|80|||blue":                               "a b/inbound|80||",
		"2026-05-06T07:08:09Z|503|UF|a b|PassthroughCluster|blue":                         "a b/PassthroughCluster",
		"2026-05-06T07:08:09Z|503|UF|-|-|-":                                               "/",
	} {
		r := readOne(t, line, f)
		if got := string(r.Bytes(UserAgent)) + "/" + string(r.Bytes(UpstreamCluster)); got != want || r.Suspicious {
			t.Errorf("%s: %s, want %s, suspicious %v", line, got, want, r.Suspicious)
		}
	}
}

func readOne(t *testing.T, line string, formats ...*Format) *Record {
	t.Helper()
	p := NewParser(AllFields, formats...)
	p.Reset(block([]byte(line + "\n")))
	r, ok := p.Next()
	if !ok || r.Dialect != Custom {
		t.Fatalf("%q is %v", line, r.Dialect)
	}
	return r.Clone()
}
