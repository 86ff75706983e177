package classify

import (
	"cmp"
	"slices"
	"strings"

	"github.com/flagwatch/flagwatch/parser"
)

// These functions answer "what can this be?" about one thing without the rest
// of its record: the causes whose rules ask for it, the usual ones first, the
// others in the order of trial.

// usual are the causes to think of first, those that are met most in front.
var usual = []string{
	"upstream-refused", "no-endpoints", "upstream-closed", "upstream-connect-timeout", "route-timeout", "upstream-5xx", "client-disconnected",
	"route-missing", "gateway-host-unbound", "rbac-denied", "circuit-breaker-overflow", "keepalive-race", "app-crash", "plaintext-to-strict-mtls", "mtls-to-plaintext",
	"upstream-connect-failed", "cluster-missing", "egress-blocked-http", "upstream-protocol-error", "plaintext-to-tls-upstream", "upstream-cert-untrusted", "certificate-expired",
	"client-cert-refused", "tls-params-mismatch", "tls-to-plaintext-upstream", "upstream-unreachable", "upstream-remote-reset", "outlier-all-ejected", "subset-without-endpoints",
	"per-try-timeout", "jwt-missing", "jwt-expired", "ext-authz-denied", "rate-limited-local", "app-error", "unknown-host-probe",
	"control-plane-down", "control-plane-blocked", "control-plane-dns",
}

// byUse names each cause once, the usual ones first.
func byUse(list []*Cause) (once []*Cause) {
	place := func(c *Cause) int {
		if i := slices.Index(usual, c.ID); i >= 0 {
			return i
		}
		return len(usual)
	}
	for _, cause := range list {
		if !slices.Contains(once, cause) {
			once = append(once, cause)
		}
	}
	slices.SortStableFunc(once, func(a, b *Cause) int { return cmp.Compare(place(a), place(b)) })
	return once
}

// AboutFlags returns the causes of records with any of the flags.
func (c *Classifier) AboutFlags(set parser.FlagSet) []*Cause {
	return c.about("flag", &look{first: first{flags: set}})
}

// AboutCode returns the causes that go with a response code: those whose rules
// name it or its class, their rivals, and those whose examples have it.
func (c *Classifier) AboutCode(code int) []*Cause {
	is := func(code int) *look { return &look{first: first{code: int16(code)}} }
	here, below, above := is(code), is(code-100), is(code+100)
	var causes []*Cause
	for i := range c.rules {
		if r := &c.rules[i]; r.wants(func(t *term) bool { return t.name == "code" && t.holds(here) && !t.holds(below) && !t.holds(above) }) {
			causes = append(append(causes, r.verdict.Cause), r.verdict.Rivals...)
		}
	}
	for i := range c.causes {
		if cause := &c.causes[i]; cause.shows(code) {
			causes = append(causes, cause)
		}
	}
	return byUse(causes)
}

// shows says whether an example is an access record with a response code.
func (c *Cause) shows(code int) bool {
	p := parser.NewParser(parser.Fields(parser.ResponseCode))
	for _, example := range c.Examples {
		p.Reset(append(make([]byte, 0, len(example)+1+parser.Padding), example+"\n"...))
		for r, ok := p.Next(); ok; r, ok = p.Next() {
			if n, ok := r.Code(); ok && n == code && r.Kind == parser.Access {
				return true
			}
		}
	}
	return false
}

// AboutStatus returns the causes that go with a gRPC status, and those of the
// response codes that it stands for when the proxy answers.
func (c *Classifier) AboutStatus(status int) []*Cause {
	causes := c.about("grpc", &look{first: first{grpc: int16(status)}})
	for _, code := range codesOf[status] {
		causes = append(causes, c.AboutCode(code)...)
	}
	return byUse(causes)
}

// codesOf are the response codes that become a gRPC status, by status.
// Source: https://github.com/grpc/grpc/blob/master/doc/http-grpc-status-mapping.md
var codesOf = map[int][]int{7: {403}, 12: {404}, 13: {400}, 14: {503, 504, 502, 429}, 16: {401}}

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
	return byUse(causes), in
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
		if r := &c.rules[i]; r.wants(func(t *term) bool { return t.name == name && t.holds(l) }) {
			causes = append(causes, r.verdict.Cause)
		}
	}
	return byUse(causes)
}

// wants says whether a rule has such a term, and wants it to hold.
func (r *rule) wants(such func(*term) bool) bool {
	return slices.ContainsFunc(r.early, func(t term) bool { return t.want && such(&t) })
}
