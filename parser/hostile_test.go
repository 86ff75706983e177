package parser

import (
	"strings"
	"testing"
)

// What a user can write makes no line take more than its length: each of these
// would run for minutes if something were looked for again at each of its bytes.
func TestHostileLines(t *testing.T) {
	const size = 200 << 10
	inAgent := func(s string) string {
		return `[2024-01-01T00:00:00.000Z] "GET / HTTP/1.1" 503 UF upstream_reset - "-" 0 1 2 - "-" "` + s +
			`" "id" "auth:80" "10.0.0.1:80" outbound|80||a.b.svc.cluster.local - 10.0.0.1:80 10.0.0.2:55 - default`
	}
	behind := func(lead string) func(string) string {
		return func(s string) string { return lead + s }
	}
	for _, row := range []struct {
		name, unit string
		line       func(string) string
	}{
		{"heads behind a lead", `[2024-01-01T00:00:00.000Z] "GET / `, behind("x > ")},
		{"heads", `[2024-01-01T00:00:00.000Z] "GET / `, inAgent},
		{"records", `[2024-01-01T00:00:00.000Z] "GET / HTTP/1.1" 200 - via_upstream - "-" 1 2 3 4 "-" "a" `, inAgent},
		{"quotes", `" "a`, inAgent},
		{"escaped heads", `\"[a "`, inAgent},
		{"doubled quotes", `""[a`, behind(`a `)},
		{"escaped quotes", `"[\"`, behind(`a `)},
		{"quoted records", `"[2024-01-01T00:00:00.000Z] \"GET / HTTP/1.1\" 200 - ", `, behind(`a `)},
		{"plus signs", `+`, behind(`%22`)},
		{"tabs", "\t", behind("[2024-01-01T00:00:00.000Z]\t\"GET")},
	} {
		t.Run(row.name, func(t *testing.T) {
			text := row.line(strings.Repeat(row.unit, size/len(row.unit))) + "\n"
			p := NewParser(AllFields)
			p.Reset(append([]byte(text), make([]byte, Padding)...)[:len(text)])
			read := 0
			for r, ok := p.Next(); ok; r, ok = p.Next() {
				read += r.Size
			}
			if read != len(text) {
				t.Errorf("records of %d bytes, want %d", read, len(text))
			}
		})
	}
}
