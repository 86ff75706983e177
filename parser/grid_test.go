package parser

import (
	"bytes"
	"math/rand/v2"
	"reflect"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// withoutGrid is the format with nothing but its plan.
func withoutGrid(f *Format) *Format {
	slow := *f
	if f.plan != nil {
		plan := *f.plan
		plan.grid = nil
		slow.plan = &plan
	}
	return &slow
}

// checkGrid reads lines with and without the grid.
func checkGrid(t *testing.T, format string, f *Format, want FieldSet, lines string) {
	t.Helper()
	data := block([]byte(lines))
	fast, slow := NewParser(want, f), NewParser(want, withoutGrid(f))
	fast.Reset(data)
	slow.Reset(data)
	for {
		a, more := fast.Next()
		b, other := slow.Next()
		if more != other {
			t.Fatalf("%s\nmore records: %v, without a grid %v: %q", format, more, other, lines)
		}
		if !more {
			return
		}
		if a.Plain() && (a.flags != 0 || want.Has(ResponseCodeDetails) && string(a.Bytes(ResponseCodeDetails)) != usualWhy) {
			t.Fatalf("%s\nplain: %q", format, lines)
		}
		if x, y := viewOf(a), viewOf(b); !reflect.DeepEqual(x, y) {
			t.Fatalf("%s\n%q\n          grid %+v\nwithout a grid %+v", format, data[a.Begin:a.Begin+a.Size], x, y)
		}
	}
}

// pieces of formats as people write them.
var formatPieces = []string{
	`%START_TIME%`, `[%START_TIME%]`, `code=%RESPONSE_CODE%`, `%RESPONSE_CODE%`, `flags=%RESPONSE_FLAGS%`, `%RESPONSE_FLAGS%`, `"%REQ(:METHOD)% %REQ(:PATH)% %PROTOCOL%"`,
	`%REQ(:METHOD)%`, `"%REQ(:PATH)%"`, `%PROTOCOL%`, `%RESPONSE_CODE_DETAILS%`, `%CONNECTION_TERMINATION_DETAILS% "%UPSTREAM_TRANSPORT_FAILURE_REASON%"`, `"%RESPONSE_CODE_DETAILS%"`,
	`%DURATION% %BYTES_SENT% %BYTES_RECEIVED% %RESP(X-ENVOY-UPSTREAM-SERVICE-TIME)%`, `"took":%DURATION%`, `"%REQ(USER-AGENT)%" "%REQ(X-FORWARDED-FOR)%" "%REQ(X-A)%" "%UPSTREAM_HOST%"`,
	`%UPSTREAM_CLUSTER% %UPSTREAM_LOCAL_ADDRESS% %DOWNSTREAM_REMOTE_ADDRESS% %ROUTE_NAME%`, `"authority_of_the_request":"%REQ(:AUTHORITY)%"`, `"id":"%REQ(X-REQUEST-ID)%"`,
	`%REQ(X-B)% %REQ(X-C)% %REQUESTED_SERVER_NAME% %UPSTREAM_LOCAL_ADDRESS%`, `%GRPC_STATUS%`, `%REQ(X-D):3%`, `%RESPONSE_CODE% %RESPONSE_CODE_DETAILS% %RESPONSE_FLAGS%`,
}

var operatorIn = regexp.MustCompile(`%[^%]+%`)

// randomFormat puts pieces together, and writes a record.
func randomFormat(rng *rand.Rand) (format string, record func() string) {
	var list []string
	for range 1 + rng.IntN(7) {
		list = append(list, pick(rng, formatPieces...))
	}
	format = pick(rng, "", "", "#", "access: ") + strings.Join(list, pick(rng, " ", " ", " ", " | ", "\t", ","))
	return format, func() string {
		tcp := rng.IntN(6) == 0
		return operatorIn.ReplaceAllStringFunc(format, func(op string) string {
			return randomValue(rng, strings.TrimSuffix(strings.Trim(op, "%"), ":3"), tcp)
		})
	}
}

// damaged changes one byte of a line, or a few.
func damaged(rng *rand.Rand, line string) string {
	b := []byte(line)
	for range rng.IntN(4) {
		if len(b) == 0 {
			break
		}
		switch k := rng.IntN(len(b)); rng.IntN(3) {
		case 0:
			b[k] = pick(rng, " ", `"`, "-", "|", "0", "x", "\t")[0]
		case 1:
			b = append(b[:k], b[k+1:]...)
		default:
			b = append(b[:k], append([]byte(pick(rng, " ", `"`, `" "`, "-", "12")), b[k:]...)...)
		}
	}
	return string(b)
}

// The grid gives what the plan gives, whatever is asked for.
func TestGridLikePlan(t *testing.T) {
	for seed := range uint64(1500) {
		rng := rand.New(rand.NewPCG(seed, 11))
		format, record := randomFormat(rng)
		f := mustCompile(t, format)
		var lines strings.Builder
		for range 12 {
			lines.WriteString(damaged(rng, record()) + "\n")
		}
		checkGrid(t, format, f, AllFields, lines.String())
		checkGrid(t, format, f, Fields(ResponseCode, ResponseFlags), lines.String())
		checkGrid(t, format, f, Fields(Field(rng.IntN(int(NumFields))), Field(rng.IntN(int(NumFields)))), lines.String())
	}
}

func FuzzGrid(f *testing.F) {
	for seed := range uint64(40) {
		rng := rand.New(rand.NewPCG(seed, 13))
		format, record := randomFormat(rng)
		f.Add(format, record()+"\n"+damaged(rng, record()))
	}
	f.Fuzz(func(t *testing.T, format, lines string) {
		if compiled, err := Compile(format); err == nil && len(compiled.columns) < 24 {
			checkGrid(t, format, compiled, AllFields, lines)
			checkGrid(t, format, compiled, Fields(ResponseCode, ResponseFlags), lines)
		}
	})
}

// Usual lines are read by the grid, not by what stands behind it.
func TestUsualLinesHaveGrid(t *testing.T) {
	for format, lines := range map[string][]string{
		`%START_TIME% code=%RESPONSE_CODE% flags=%RESPONSE_FLAGS% "%REQ(:METHOD)% %REQ(:PATH)% %PROTOCOL%" %RESPONSE_CODE_DETAILS% %DURATION% %BYTES_SENT% %BYTES_RECEIVED% "%REQ(USER-AGENT)%" "%REQ(X-A)%" %UPSTREAM_CLUSTER% %UPSTREAM_LOCAL_ADDRESS% %DOWNSTREAM_REMOTE_ADDRESS% %ROUTE_NAME%`: {
			`2026-04-05T06:07:08.009Z code=200 flags=- "GET /a HTTP/1.1" via_upstream 5 6 7 "probe/2" "-" outbound|80||a.b.svc.cluster.local 10.0.0.1:2 10.0.0.2:3 default`,
			`2026-04-05T06:07:08.009Z code=503 flags=UF,URX "POST /a?b=c d HTTP/2" upstream_reset_before_response_started{connection_failure} 123456 0 - "a b" "x" - - 10.0.0.2:3 -`,
			`2026-04-05T06:07:08.009Z code=0 flags=DC "- - -" - 5 6 7 "-" "-" tcp 10.0.0.1:2 10.0.0.2:3 -`,
		},
		`access {"at":"%START_TIME%","code":"%RESPONSE_CODE%","flags":"%RESPONSE_FLAGS%","user_agent_of_the_client":"%REQ(USER-AGENT)%","path":"%REQ(:PATH)%","took":"%DURATION%"} `: {
			`access {"at":"2026-04-05T06:07:08.009Z","code":"200","flags":"-","user_agent_of_the_client":"probe/2","path":"/a b","took":"12"} `,
			`access {"at":"2026-04-05T06:07:08.009Z","code":"404","flags":"NR","user_agent_of_the_client":"-","path":"-","took":"-"} `,
		},
		`[%START_TIME(%d/%b/%Y:%H:%M:%S %z)%] %RESPONSE_CODE% %RESPONSE_FLAGS% %REQ(:METHOD)% %UPSTREAM_HOST% %DURATION%`: {
			`[05/Apr/2026:06:07:08 +0000] 200 - GET 10.0.0.1:80 12`,
			`[05/Apr/2026:06:07:08 +0000] 504 UT PUT - 15000`,
		},
	} {
		f := mustCompile(t, format)
		for _, line := range lines {
			s := block([]byte(line))
			p := NewParser(AllFields, f)
			if !p.readCells(f, p.wanted[0], s, nil, 0) {
				t.Errorf("not in the grid: %s", line)
			}
		}
		checkGrid(t, format, f, AllFields, strings.Join(lines, "\n"))
	}
}

// What the reader of a known layout saw before it gave a line up is not left in
// the record.
func TestGridBehindFlat(t *testing.T) {
	const head = `[%START_TIME%] "%REQ(:METHOD)% %REQ(:PATH)% %PROTOCOL%" `
	line := `[2026-04-05T06:07:08.009Z] "GET /a HTTP/1.1" 503 UF via_upstream - "-" 5 6 7 8 "1.2.3.4" "probe/2" "id" "a:80" "10.0.0.1:80" outbound|80||a.b.svc.cluster.local - 10.0.0.2:80 10.0.0.3:1 - default`
	f := mustCompile(t, head+`503 UF via_upstream - "-" 5 6 7 8 "1.2.3.4" "probe/2" "id" "a:80" "%UPSTREAM_HOST%" %UPSTREAM_CLUSTER% - 10.0.0.2:80 10.0.0.3:1 - default`)
	p := NewParser(AllFields, f)
	s := block([]byte(line))
	p.rec.reset(0, len(s), 1)
	if p.nested.of(s, 0, ' '); !p.flat(s) {
		t.Fatal("not read")
	}
	quotes := p.nested.quotes[:p.nested.total]
	p.rec.Kind = Noise
	if !p.readPlan(f, p.wanted[0], s, quotes, 0) {
		t.Fatal("not read by the plan")
	}
	if flags, ok := p.rec.Flags(); ok || flags != 0 || p.rec.Plain() || p.rec.code != 0 {
		t.Errorf("flags %v, code %d, plain %v", flags, p.rec.code, p.rec.Plain())
	}
}

// A ticker agrees with the clock, whatever it saw before.
func TestTicker(t *testing.T) {
	rng := rand.New(rand.NewPCG(5, 3))
	for _, layout := range []string{"%Y-%m-%dT%H:%M:%S.%3fZ", "%d/%b/%Y:%H:%M:%S %z", "%H:%M:%S.%6f %Y-%m-%d %3f", "%s.%3f", "%b %e %T", "%Y"} {
		f := mustCompile(t, "%START_TIME("+layout+")% %RESPONSE_CODE% %RESPONSE_FLAGS%")
		c := &f.columns[0]
		var tick ticker
		for range 20000 {
			value := []byte(pick(rng, "2026-04-05T06:07:08.009Z", "2026-04-05T06:07:08.127Z", "05/Apr/2026:06:07:08 +0000", "05/Apr/2026:06:59:60 +0000", "06:07:08.123456 2026-04-05 123", "1790000000.250", "Apr  5 06:07:08", "2026", "-", ""))
			if k := rng.IntN(len(value) + 1); k < len(value) && rng.IntN(2) == 0 {
				value[k] = pick(rng, "0", "9", "5", "6", " ", "-", "Z", ":", "/")[0]
			}
			if got, want := tick.fits(c, block(value), 0, len(value)), c.fits(TypeTime, value); got != want {
				t.Fatalf("%s: %q fits: %v, want %v", layout, value, got, want)
			}
		}
	}
}

// Numbers are counted in words; one by one they are the same.
func TestNumbersIn(t *testing.T) {
	rng := rand.New(rand.NewPCG(8, 2))
	for range 200000 {
		var text []byte
		for range rng.IntN(24) {
			text = append(text, pick(rng, "0", "5", "9", "1", "3", " ", " ", "-", "x", ":", "/", "\xb0")[0])
		}
		if rng.IntN(2) == 0 {
			text = bytes.Map(func(r rune) rune {
				if r == ' ' || r >= '0' && r <= '9' {
					return r
				}
				return '7'
			}, text)
		}
		s, lo := block(append([]byte("0 1 2 3 4 5 6 7 8"), text...)), 17
		for count := 1; count < 7; count++ {
			want := strings.Trim(string(text), "0123456789 ") == "" && bytes.Count(text, []byte{' '}) == count-1
			if got := numbersIn(s, lo, len(s), count); got != want {
				t.Fatalf("%q as %d numbers: %v, want %v", text, count, got, want)
			}
		}
	}
}

// Each column of a line may be missing, with the blank in front of it or behind
// it: what is read stands in the line.
func TestMissingColumns(t *testing.T) {
	for _, format := range []string{
		`[%START_TIME%] "%REQ(:METHOD)% %REQ(:PATH)% %PROTOCOL%" %RESPONSE_CODE% %RESPONSE_FLAGS% %RESPONSE_CODE_DETAILS% %BYTES_RECEIVED% "%REQ(USER-AGENT)%" %DURATION% "%UPSTREAM_HOST%"`,
		`%START_TIME% %RESPONSE_CODE% %RESPONSE_FLAGS% "%REQ(:PATH)%" %RESPONSE_CODE_DETAILS% %BYTES_SENT% %DURATION% "%REQ(USER-AGENT)%" %BYTES_RECEIVED%`,
	} {
		f, err := Compile(format)
		if err != nil {
			t.Fatal(err)
		}
		values := strings.NewReplacer("%START_TIME%", "2026-03-02T10:00:00.000Z", "%REQ(:METHOD)%", "GET", "%REQ(:PATH)%", "/stock/7", "%PROTOCOL%", "HTTP/1.1", "%RESPONSE_CODE%", "200", "%RESPONSE_FLAGS%", "-",
			"%RESPONSE_CODE_DETAILS%", "via_upstream", "%BYTES_RECEIVED%", "17", "%BYTES_SENT%", "531", "%DURATION%", "16", "%REQ(USER-AGENT)%", "probe/1.0", "%UPSTREAM_HOST%", "10.1.2.3:80")
		line := values.Replace(format)
		words := strings.Split(line, " ")
		for from := range words {
			for to := from + 1; to <= len(words); to++ {
				damaged := strings.Join(append(slices.Clone(words[:from]), words[to:]...), " ")
				p := NewParser(AllFields, f)
				p.Reset(block([]byte(line + "\n" + damaged + "\n" + line + "\n")))
				for r, ok := p.Next(); ok; r, ok = p.Next() {
					for field := range NumFields {
						if v := r.Bytes(field); !bytes.Contains([]byte(line+"\n"+damaged), v) {
							t.Errorf("%q: %q is not in the line", damaged, v)
						}
					}
				}
			}
		}
	}
}
