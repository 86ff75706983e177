package safe

import (
	"bytes"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"strconv"
	"strings"
	"testing"
	"unicode"
	"unicode/utf8"
)

func TestAppendText(t *testing.T) {
	for _, c := range []struct{ in, want string }{
		{"", ""},
		{"GET /reviews/7", "GET /reviews/7"},
		{`say "hi"`, `say "hi"`},
		{"\x1b[2J", `\x1b[2J`},
		{"a\tb\r\nc", `a\x09b\x0d\x0ac`},
		{"\x7f\x00", `\x7f\x00`},
		{"\u009b31m", `\xc2\x9b31m`},
		{"\x9b\xff", `\x9b\xff`},
		{`C:\x`, `C:\\x`},
		{"abc\u202Etxt", `abc\u{202e}txt`},
		{"\u2028\u2029\ufeff\u00ad", `\u{2028}\u{2029}\u{feff}\u{00ad}`},
		{"\ue000\U000E0041\U0010FFFD", `\u{e000}\u{e0041}\u{10fffd}`},
		{"größe 日本 ✖", "größe 日本 ✖"},
		{"12345678\x1b", `12345678\x1b`},
		{"\uFFFD", "\uFFFD"},
	} {
		if got := Text(c.in).String(); got != c.want {
			t.Errorf("%q: got %s, want %s", c.in, got, c.want)
		}
		if got := Escape(c.in); got != c.want {
			t.Errorf("Escape of %q: got %s, want %s", c.in, got, c.want)
		}
	}
}

func TestEveryPrintingVerbEscapes(t *testing.T) {
	text := Text("\x1b]0;x\a")
	for _, verb := range []string{"%s", "%v", "%+v", "%20s"} {
		if got := fmt.Sprintf(verb, text); !strings.Contains(got, `\x1b]0;x\x07`) {
			t.Errorf("%s printed %q", verb, got)
		}
	}
}

// S38: what a template, a shell or a format would obey is text like any other.
func TestTemplatesStayLiteral(t *testing.T) {
	for _, s := range []string{"${jndi:ldap://192.0.2.1/a}", "{{printf 1}}", "%n%s%!d", "$(id)", "`id`", "<script>"} {
		if got := fmt.Sprint(Text(s)); got != s {
			t.Errorf("%q became %q", s, got)
		}
	}
}

// S07: every rune and every byte is shown without a control and can be had back.
func TestEveryRuneIsHarmless(t *testing.T) {
	for r := rune(0); r <= utf8.MaxRune; r++ {
		checkHarmless(t, []byte(string(r)))
	}
}

func TestEveryBytePairIsHarmless(t *testing.T) {
	for i := range 1 << 16 {
		checkHarmless(t, []byte{byte(i >> 8), byte(i)})
	}
}

func FuzzText(f *testing.F) {
	f.Add([]byte("\x1b[2J \u202E \\x1b \xff"))
	f.Fuzz(checkHarmless)
}

func checkHarmless(t *testing.T, in []byte) {
	t.Helper()
	out := AppendText(nil, in)
	if !harmless(out) {
		t.Fatalf("%q became %q", in, out)
	}
	if back := unescape(out); !bytes.Equal(back, in) {
		t.Fatalf("%q became %q and came back as %q", in, out, back)
	}
	doc := AppendJSON(nil, in)
	if !harmless(doc) {
		t.Fatalf("%q became JSON %q", in, doc)
	}
	var s string
	if err := json.Unmarshal(doc, &s); err != nil || s != replaceInvalid(in) {
		t.Fatalf("%q became JSON %q: reads as %q, %v", in, doc, s, err)
	}
}

// harmless is S07's byte scan, by Unicode category alone.
func harmless(out []byte) bool {
	for _, r := range string(out) {
		if unicode.In(r, unicode.Cc, unicode.Cf, unicode.Zl, unicode.Zp, unicode.Co) {
			return false
		}
	}
	return utf8.Valid(out)
}

// replaceInvalid puts U+FFFD for each byte of invalid UTF-8.
func replaceInvalid(b []byte) string { return string([]rune(string(b))) }

// unescape undoes AppendText.
func unescape(b []byte) []byte {
	var out []byte
	for len(b) > 0 {
		switch {
		case b[0] != '\\':
			out, b = append(out, b[0]), b[1:]
		case b[1] == '\\':
			out, b = append(out, '\\'), b[2:]
		case b[1] == 'x':
			v, _ := strconv.ParseUint(string(b[2:4]), 16, 8)
			out, b = append(out, byte(v)), b[4:]
		default:
			end := bytes.IndexByte(b, '}')
			v, _ := strconv.ParseUint(string(b[3:end]), 16, 32)
			out, b = utf8.AppendRune(out, rune(v)), b[end+1:]
		}
	}
	return out
}

func TestPlainAgreesWithTheSlowWay(t *testing.T) {
	rnd := rand.New(rand.NewPCG(1, 2))
	for range 100_000 {
		b := make([]byte, rnd.IntN(40))
		for i := range b {
			b[i] = byte(rnd.IntN(256))
			if rnd.IntN(4) > 0 {
				b[i] = byte(' ' + rnd.IntN(95))
			}
		}
		want := 0
		for want < len(b) && strconv.IsPrint(rune(b[want])) && b[want] < 0x7F && b[want] != '"' && b[want] != '\\' {
			want++
		}
		if got := plain(b); got != want {
			t.Fatalf("%q: got %d, want %d", b, got, want)
		}
	}
}

func TestAppendJSON(t *testing.T) {
	for _, c := range []struct{ in, want string }{
		{"", `""`},
		{`a"b\c`, `"a\"b\\c"`},
		{"\n\r\t\x00\x1b\x7f", `"\n\r\t\u0000\u001b\u007f"`},
		{"\u0085\u202E\U000E0001", `"\u0085\u202e\udb40\udc01"`},
		{"\xffok\xc3", "\"\uFFFDok\uFFFD\""},
		{"ü✖😀", `"ü✖😀"`},
	} {
		if got := string(AppendJSON(nil, []byte(c.in))); got != c.want {
			t.Errorf("%q: got %s, want %s", c.in, got, c.want)
		}
	}
}

func TestAppendDocument(t *testing.T) {
	type doc struct{ Path, Agent string }
	in := doc{"/a\u009b31m\x7f\u202E", "<x>\x1b\n\U000E0001"}
	raw, err := json.MarshalIndent(in, "", "\t")
	if err != nil {
		t.Fatal(err)
	}
	got := AppendDocument(nil, raw)
	var back doc
	if err := json.Unmarshal(got, &back); err != nil || back != in {
		t.Errorf("reads as %q, %v", back, err)
	}
	if !harmless([]byte(strings.NewReplacer("\n", "", "\t", "").Replace(string(got)))) {
		t.Errorf("not harmless: %q", got)
	}
}

func TestEscapingAllocatesNothing(t *testing.T) {
	buf := make([]byte, 0, 4096)
	in := []byte("GET /reviews/7?q=\"\x1b\u202E\xff HTTP/1.1")
	if n := testing.AllocsPerRun(100, func() { buf = AppendJSON(AppendText(buf[:0], in), in) }); n != 0 {
		t.Errorf("%v allocations", n)
	}
}

func BenchmarkAppendJSON(b *testing.B) {
	in := bytes.Repeat([]byte("Mozilla/5.0 (X11; Linux x86_64) "), 4)
	buf := make([]byte, 0, 4096)
	b.SetBytes(int64(len(in)))
	for b.Loop() {
		buf = AppendJSON(buf[:0], in)
	}
}
