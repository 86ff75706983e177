package classify

import (
	"slices"
	"strings"

	"github.com/flagwatch/flagwatch/parser"
)

// These functions answer "what can this be?" about one thing without the rest
// of its record: the causes whose rules ask for it, in the order of trial.

// AboutFlags returns the causes of records with any of the flags.
func (c *Classifier) AboutFlags(set parser.FlagSet) []*Cause {
	return c.about("flag", &look{first: first{flags: set}})
}

// AboutCode returns the causes that go with a response code.
func (c *Classifier) AboutCode(code int) []*Cause {
	return c.about("code", &look{first: first{code: int16(code)}})
}

// AboutStatus returns the causes that go with a gRPC status.
func (c *Classifier) AboutStatus(status int) []*Cause {
	return c.about("grpc", &look{first: first{grpc: int16(status)}})
}

// AboutText returns the causes whose rules look for a phrase that the text
// has: details, a transport failure reason, the message of an event. The
// columns say in which of them the phrases were looked for.
func (c *Classifier) AboutText(text string) (causes []*Cause, in []string) {
	words := wordsOf(nil, []byte(text))
	for i := range earlyColumns {
		l := &look{}
		l.found[i] = c.phrases[i].find(words)
		found := c.about(columns[i].name, l)
		if len(found) > 0 {
			in = append(in, columns[i].name)
		}
		for _, cause := range found {
			if !slices.Contains(causes, cause) {
				causes = append(causes, cause)
			}
		}
	}
	return causes, in
}

// SymptomOf finds the symptom that a text shows.
func SymptomOf(text string) (*Symptom, bool) {
	words := wordsOf(nil, []byte(text))
	for i := range symptoms {
		if hasAll(words, symptoms[i].Text) {
			return &symptoms[i], true
		}
	}
	return nil, false
}

// hasAll says whether each of the phrases, set apart by blanks, is there.
func hasAll(words []uint64, texts string) bool {
	for text := range strings.FieldsSeq(texts) {
		p, err := phraseOf(text)
		if err != nil || !p.anywhere(words) {
			return false
		}
	}
	return true
}

func (p *phrase) anywhere(words []uint64) bool {
	for i := range words {
		if p.in(words, i, 0) {
			return true
		}
	}
	return false
}

// about returns the causes of rules with a term of this name that holds.
func (c *Classifier) about(name string, l *look) (causes []*Cause) {
	for i := range c.rules {
		r := &c.rules[i]
		asked := slices.ContainsFunc(r.early, func(t term) bool { return t.want && t.name == name && t.holds(l) })
		if asked && !slices.Contains(causes, r.verdict.Cause) {
			causes = append(causes, r.verdict.Cause)
		}
	}
	return causes
}
