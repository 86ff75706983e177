package main

import (
	"bytes"
	"encoding/json"
	"regexp"
	"strings"
	"testing"

	"github.com/flagwatch/flagwatch/classify"
	"github.com/flagwatch/flagwatch/parser"
)

// jsonString is what encoding/json writes for a text.
func jsonString(t *testing.T, text string) string {
	t.Helper()
	var b strings.Builder
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	if err := enc.Encode(text); err != nil {
		t.Fatal(err)
	}
	return strings.TrimSuffix(b.String(), "\n")
}

// checkPlain compares copyPlain with a look at each byte, and what it copied
// with encoding/json.
func checkPlain(t *testing.T, text string) {
	t.Helper()
	plain := true
	for _, c := range []byte(text) {
		plain = plain && c >= ' ' && c < 0x7F && c != '"' && c != '\\'
	}
	to := make([]byte, len(text)+wordSize)
	if got := copyPlain(to, []byte(text)); got != plain {
		t.Errorf("%q: plain is %v", text, got)
	}
	if plain && `"`+string(to[:len(text)])+`"` != jsonString(t, text) {
		t.Errorf("%q became %q", text, to)
	}
}

// Every byte at every place of texts of every length up to five words.
func TestCopyPlain(t *testing.T) {
	for n := range 5*wordSize + 1 {
		text := []byte(strings.Repeat("aZ~ !#[]", 6)[:n])
		checkPlain(t, string(text))
		for i := range text {
			kept := text[i]
			for c := range 256 {
				text[i] = byte(c)
				checkPlain(t, string(text))
			}
			text[i] = kept
		}
	}
}

func FuzzCopyPlain(f *testing.F) {
	f.Add("Mozilla/5.0 (X11; Linux x86_64)")
	f.Add("\xff\x00\x7f\x21\x22")
	f.Fuzz(checkPlain)
}

func FuzzCopyDigits(f *testing.F) {
	plain := regexp.MustCompile(`^(0|[1-9][0-9]{0,7})$`)
	for _, text := range []string{"", "0", "7", "00", "01", "12345678", "123456789", "-1", "1.5", "1e5", "12/4567", "1:", "\xb0\xb1", "99999999"} {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		to := make([]byte, wordSize)
		got := copyDigits(to, []byte(text))
		if want := plain.MatchString(text) && !strings.HasSuffix(text, "\n"); got != want {
			t.Errorf("%q: a plain number is %v", text, got)
		}
		if got && string(to[:len(text)]) != text {
			t.Errorf("%q became %q", text, to)
		}
	})
}

// What users write reaches the reader of the JSON as it was, invalid UTF-8 as
// U+FFFD, however much room the buffer has.
func FuzzAppendRecord(f *testing.F) {
	f.Add("/a?b=\u00e9", "curl/8 \\ \x1b[31m", "58", 0)
	f.Add("/", "-", "0", 4096)
	f.Add("/\xff", "a \"b\" c\u202e", "007", 100)
	p, c := parser.NewParser(parser.AllFields), classify.Default()
	f.Fuzz(func(t *testing.T, path, agent, number string, room int) {
		if room < 0 || room > 1<<12 {
			return
		}
		line := head[:strings.IndexByte(head, '"')] + `"GET ` + path + ` HTTP/1.1" 200 - via_upstream - "-" 0 ` + number + ` 58 57 "-" "` + agent + `" "a-b" "reviews:9080" "192.0.2.43:9080" outbound|9080||reviews 192.0.2.21:41000 198.51.100.12:9080 192.0.2.21:44867 - default` + "\n"
		p.Reset(append([]byte(line), make([]byte, parser.Padding)...)[:len(line)])
		for r, ok := p.Next(); ok; r, ok = p.Next() {
			got := appendRecord(append(make([]byte, 0, room), '#'), r, c.Classify(r), 1)
			if got[0] != '#' || bytes.IndexByte(got, '\n') != len(got)-1 {
				t.Fatalf("not one line behind what was there: %q", got)
			}
			checkTexts(t, r, got[1:])
		}
	})
}

// checkTexts compares the texts of a record with those of its JSON.
func checkTexts(t *testing.T, r *parser.Record, line []byte) {
	t.Helper()
	var fields map[string]any
	if err := json.Unmarshal(line, &fields); err != nil {
		t.Fatalf("%v: %s", err, line)
	}
	for f := range parser.NumFields {
		if forms[f] != asText || !r.Has(f) {
			continue
		}
		if want := string([]rune(string(r.Bytes(f)))); fields[f.String()] != want {
			t.Errorf("%s is %q, want %q", f, fields[f.String()], want)
		}
	}
}
