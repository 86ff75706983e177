package classify

import (
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/flagwatch/flagwatch/parser"
)

// Marks are found wherever they stand and in any case, and nothing else is.
func TestNeedles(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2026))
	for _, marks := range [][]string{scanPaths, scanAgents} {
		n := newNeedles(marks)
		for range 20000 {
			mark := marks[r.IntN(len(marks))]
			text := []byte(strings.Repeat("x/.", r.IntN(4)) + mark + strings.Repeat("-a", r.IntN(3)))
			switch i := r.IntN(len(text)); r.IntN(4) {
			case 0:
				text[i] = byte(r.Uint32())
			case 1:
				text = text[:i]
			case 2:
				text = []byte(strings.ToUpper(string(text)))
			}
			want := false
			for _, m := range marks {
				want = want || strings.Contains(asciiLower(text), m)
			}
			if got := n.in(text); got != want {
				t.Fatalf("%q: %v, want %v", text, got, want)
			}
		}
	}
}

func asciiLower(text []byte) string {
	b := []byte(string(text))
	for i, c := range b {
		if c >= 'A' && c <= 'Z' {
			b[i] += 'a' - 'A'
		}
	}
	return string(b)
}

// A phrase that begins a text is found as it is among all words of the text.
func TestPhrasesAtTheBegin(t *testing.T) {
	for _, list := range [][]string{{"^one"}, {"^one_two_three", "^four"}, {"^one", "two"}, {"^one$"}, {"two$"}} {
		var p phrases
		for _, text := range list {
			if _, err := p.number(text); err != nil {
				t.Fatal(err)
			}
		}
		p.build()
		for _, text := range []string{"", "one", "One two", "one-two three four", "four", "zero one", "two", "zero two", "one two three"} {
			if got, want := p.in([]byte(text)), p.find(wordsOf(nil, []byte(text))) != (found{}); got != want {
				t.Errorf("%v in %q: %v, want %v", list, text, got, want)
			}
		}
	}
}

// What a parser calls plain has nothing to explain, and is what it is called.
func TestPlain(t *testing.T) {
	plain := 0
	for _, line := range []string{
		`[2026-03-02T10:00:00.000Z] "GET /a HTTP/1.1" 200 - via_upstream - "-" 0 95 3 2 "-" "curl/8" "id" "a:80" "10.0.0.1:80" outbound|80||a.b.svc.cluster.local - 10.0.0.2:80 10.0.0.3:1 - default`,
		`[2026-03-02T10:00:00.000Z] "GET /a HTTP/1.1" 503 - via_upstream - "-" 0 95 3 2 "-" "curl/8" "id" "a:80" "10.0.0.1:80" outbound|80||a.b.svc.cluster.local - 10.0.0.2:80 10.0.0.3:1 - default`,
		`[2026-03-02T10:00:00.000Z] "GET /a HTTP/1.1" 200 - via_upstream - "-" 0 95 3 2 "-" "curl/8" "id" "a:80" "10.0.0.1:80" PassthroughCluster - 10.0.0.2:80 10.0.0.3:1 - allow_any`,
		`[2026-03-02T10:00:00.000Z] "GET /a HTTP/1.1" 200 DC via_upstream - "-" 0 95 3 2 "-" "curl/8" "id" "a:80" "10.0.0.1:80" outbound|80||a.b.svc.cluster.local - 10.0.0.2:80 10.0.0.3:1 - default`,
		`[2026-03-02T10:00:00.000Z] "GET /a HTTP/1.1" 200 - direct_response - "-" 0 95 3 2 "-" "curl/8" "id" "a:80" "10.0.0.1:80" outbound|80||a.b.svc.cluster.local - 10.0.0.2:80 10.0.0.3:1 - default`,
		`{"response_code":200,"response_flags":"-","response_code_details":"via_upstream","upstream_cluster":"outbound|80||a.b.svc.cluster.local"}`,
		`{"response_code":200,"response_flags":"-","response_code_details":"via_upstream","grpc_status":"14","upstream_cluster":"outbound|80||a.b.svc.cluster.local"}`,
	} {
		text := strings.Repeat(line+"\n", 3) // an order of keys is known from the second one on
		p := parser.NewParser(Default().Fields())
		p.Reset(append(make([]byte, 0, len(text)+parser.Padding), text...))
		for r, ok := p.Next(); ok; r, ok = p.Next() {
			flags, _ := r.Flags()
			usual := flags == 0 && string(r.Bytes(parser.ResponseCodeDetails)) == "via_upstream" && !r.Has(parser.GRPCStatus)
			if r.Plain() {
				plain++
			}
			if r.Plain() && !usual {
				t.Errorf("plain: %s", line)
			}
		}
	}
	if plain != 3*3+2 {
		t.Errorf("%d of the records are plain", plain)
	}
}
