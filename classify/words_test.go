package classify

import (
	"slices"
	"strings"
	"testing"

	"github.com/flagwatch/flagwatch/parser"
)

// slowWords are the words of a text as it is read by people.
func slowWords(text string) []string {
	for _, escape := range []string{`\n`, `\t`, `\r`} {
		text = strings.ReplaceAll(text, escape, " ")
	}
	return strings.FieldsFunc(strings.Map(func(c rune) rune {
		if c >= 'A' && c <= 'Z' {
			return c + 'a' - 'A'
		}
		return c
	}, text), func(c rune) bool { return (c < 'a' || c > 'z') && (c < '0' || c > '9') })
}

// slowHas says whether a text has a phrase.
func slowHas(text, spelling string) bool {
	inner, begin := strings.CutPrefix(spelling, "^")
	inner, end := strings.CutSuffix(inner, "$")
	words, want := slowWords(text), slowWords(inner)
	for i := 0; i+len(want) <= len(words); i++ {
		if slices.Equal(words[i:i+len(want)], want) && (!begin || i == 0) && (!end || i+len(want) == len(words)) {
			return true
		}
	}
	return false
}

func FuzzPhrases(f *testing.F) {
	for _, text := range []string{
		"delayed_connect_error:_111", "gRPC config stream to xds-grpc closed: 14, no healthy upstream{no_healthy_upstream}",
		`Error adding/updating listener(s) a: duplicate listener a found\nb: no filter chains specified\n`, `C:\\new\table`, "closed: 14, ", "Closed", " closed", `\n/closed`, "gRPC_Config", "grpconfig", "",
		strings.Repeat("till_", 12) + "duplicate listener", strings.Repeat("n", 70) + " closed", strings.Repeat("a", 62) + `\ta closed`, `a\\nhealthy`, "closed 141", "updatinglistener s",
	} {
		f.Add(text)
	}
	spellings := []string{"closed_14$", "closed", "^gRPC_config", "no_healthy_upstream", "111", "listener", "duplicate_listener", "specified", "a", "n", "healthy", "^closed$", "updating_listener_s"}
	p, begins := phrasesOf(f, spellings...), phrasesOf(f, "^gRPC_config", "^closed")
	f.Fuzz(func(t *testing.T, text string) {
		words, room := wordsOf(nil, []byte(text)), new(padded)
		if len(text) <= maxText && p.find(words) != p.find(room.words(nil, []byte(text))) {
			t.Errorf("%q: other phrases at once", text)
		}
		if len(words) == maxWords || strings.Contains(text, `\\`) {
			return // a text that is cut; escaped backslashes, which JSON alone can tell
		}
		found := p.find(words)
		for _, s := range spellings {
			if got, want := found.has(p.numbers[s]), slowHas(text, s); got != want {
				t.Errorf("%q has %q: got %v, want %v", text, s, got, want)
			}
		}
		if got, want := begins.in([]byte(text)), slowHas(text, "^gRPC_config") || slowHas(text, "^closed"); got != want {
			t.Errorf("%q begins: got %v, want %v", text, got, want)
		}
	})
}

// phrasesOf are phrases that are asked for late.
func phrasesOf(t testing.TB, spellings ...string) *phrases {
	t.Helper()
	var p phrases
	for _, s := range spellings {
		if _, err := p.number(s); err != nil {
			t.Fatal(err)
		}
	}
	p.build()
	return &p
}

// The reason may stand at either end of a text that is too long to read.
func TestLongTextsAreReadAtBothEnds(t *testing.T) {
	c := classifier(t)
	head, reason, filler := "error initializing configuration '/opt/edge/envoy.yaml': ", "Invalid path: /opt/edge/ca.pem", strings.Repeat("till ", maxText)
	for _, text := range []string{head + reason + filler, head + filler + reason} {
		line := record(t, "[2026-03-15 03:58:10.105][77][critical][main] "+text, parser.Event)
		if v := c.Classify(line); v.Cause == nil || v.Cause.ID != "bootstrap-missing-file" {
			t.Errorf("got %+v", v)
		}
	}
}
