package classify

import (
	"fmt"
	"strings"
	"sync"

	"github.com/flagwatch/flagwatch/parser"
)

// A Classifier finds the cause of records. It remembers verdicts, so one
// belongs to one goroutine: Clone gives another its own. Classify allocates
// nothing once it has seen what a stream consists of.
type Classifier struct {
	*compiled
	memo memo
}

// compiled are the rules, shared by all clones and never changed.
type compiled struct {
	causes    []Cause
	byName    map[string]*Cause // by id and alias
	rules     []rule
	phrases   [earlyColumns]phrases
	questions []predicate
	fields    parser.FieldSet
	rarities  func() []rarity // of the phrases of messages
}

// A rule is a compiled Rule.
type rule struct {
	condition
	verdict Verdict
	needs   parser.FieldSet // see needsOf
}

// Own are causes and rules of a caller; its rules come before the catalogue's.
type Own struct {
	Causes []Cause
	Rules  []Rule
}

// New compiles the catalogue behind the given rules. The error names the row
// and what is wrong with it.
func New(own Own) (*Classifier, error) {
	c := &compiled{byName: map[string]*Cause{}, fields: FailedFields | AnsweredFields | earlyFields()}
	c.causes = append(Causes(), own.Causes...)
	if err := c.nameCauses(); err != nil {
		return nil, err
	}
	rules := append(own.Rules[:len(own.Rules):len(own.Rules)], Rules()...)
	c.rules = make([]rule, 0, len(rules))
	for _, r := range rules {
		if err := c.addRule(r); err != nil {
			return nil, fmt.Errorf("rule of %s: %q: %w", r.Cause, r.When, err)
		}
	}
	for i := range c.phrases {
		c.phrases[i].build()
	}
	c.rarities = sync.OnceValue(c.phrases[messageColumn].rarities)
	return &Classifier{c, newMemo()}, nil
}

// Default compiles the catalogue alone, which can not fail.
func Default() *Classifier {
	c, err := New(Own{})
	if err != nil {
		panic(err)
	}
	return c
}

// Clone returns a classifier for another goroutine.
func (c *Classifier) Clone() *Classifier { return &Classifier{c.compiled, newMemo()} }

// Fields are the fields that Classify reads: what to ask a parser for.
func (c *Classifier) Fields() parser.FieldSet { return c.fields }

// Cause finds a cause by its id or an alias; `_` and `-` are the same.
func (c *Classifier) Cause(name string) (*Cause, bool) {
	cause, ok := c.byName[strings.ReplaceAll(strings.ToLower(name), "_", "-")]
	return cause, ok
}

// All returns the catalogue and the caller's own causes behind it. The rows
// must not be changed.
func (c *Classifier) All() []Cause { return c.causes }

func (c *compiled) nameCauses() error {
	for i := range c.causes {
		cause := &c.causes[i]
		for _, name := range append([]string{cause.ID}, cause.Aliases...) {
			if other := c.byName[name]; other != nil {
				return fmt.Errorf("cause %s: the name %q is taken: it is that of the cause %q", cause.ID, name, other.Title)
			}
			c.byName[name] = cause
		}
	}
	return nil
}

func (c *compiled) addRule(r Rule) error {
	cond, err := c.compile(r.When)
	if err != nil {
		return err
	}
	cause, err := c.named(r.Cause)
	if err != nil {
		return err
	}
	v := Verdict{Cause: cause, Confidence: r.Confidence, Side: cause.Side, Severity: cause.Severity, rule: uint16(len(c.rules) + 1)}
	for _, id := range strings.Fields(r.Rivals) {
		rival, err := c.named(id)
		if err != nil {
			return err
		}
		v.Rivals = append(v.Rivals, rival)
	}
	c.rules = append(c.rules, rule{cond, v, needsOf(r.When)})
	return nil
}

func (c *compiled) named(id string) (*Cause, error) {
	cause := c.byName[id]
	switch {
	case cause == nil || cause.ID != id:
		return nil, fmt.Errorf("no cause %q", id)
	case cause.Seen == Topic:
		return nil, fmt.Errorf("%s is a topic: no record shows it", id)
	}
	return cause, nil
}

// Classify says what a record means by itself; its neighbours never matter. A
// request that did not fail has a cause only if something about it needs to be
// known; an event without a fault has none. The Verdict stays valid.
func (c *Classifier) Classify(r *parser.Record) (v Verdict) {
	switch r.Kind {
	case parser.Access:
		if Healthy(r) {
			return v
		}
		failed := failedAccess(r)
		if !failed && unremarkable(r) {
			return v
		}
		c.judge(r, failed, &v)
		if !failed && v.Severity != Info {
			v = Verdict{}
		}
		v.Failed = failed
	case parser.Event:
		if c.quiet(r) {
			return v
		}
		c.judge(r, failedAccess(r), &v)
		v.Failed = v.Severity > Info
	}
	return v
}

// Healthy says of an access record that its verdict is empty, if that is seen
// at a glance: false says nothing.
func Healthy(r *parser.Record) bool {
	return Ordinary(r) && !Anywhere(r.Bytes(parser.UpstreamCluster))
}

// Ordinary says of an access record what Healthy says, unless its cluster is one
// for Anywhere.
func Ordinary(r *parser.Record) bool { return r.Plain() && answered(r) }

// Anywhere says whether a cluster is one of those that stand for traffic to
// anywhere.
// Source: https://istio.io/latest/docs/tasks/traffic-management/egress/egress-control/
func Anywhere(cluster []byte) bool {
	return len(cluster) > 0 && (cluster[0] == 'P' || cluster[0] == 'I')
}

// unremarkable says whether a request that did not fail has nothing that an
// informational cause tells about: a flag, an answer of the proxy, a cluster
// that is nobody's.
func unremarkable(r *parser.Record) bool {
	if flags, _ := r.Flags(); flags != 0 {
		return false
	}
	if details := r.Bytes(parser.ResponseCodeDetails); details != nil && string(details) != "via_upstream" {
		return false
	}
	return !Anywhere(r.Bytes(parser.UpstreamCluster))
}

// answered says whether the code is that of an answer, a redirect, or a refusal
// that is the application's own business.
func answered(r *parser.Record) bool {
	code, _ := r.Code()
	return code >= 200 && code < 500
}

// judge looks the verdict up and fits it to the record, of which is known
// whether it failed as a request. Without a cause v stays as it is.
func (c *Classifier) judge(r *parser.Record, failed bool, v *Verdict) {
	n := c.plan(r, failed).decide(c, r)
	if n < 0 {
		return
	}
	*v = c.rules[n].verdict
	if v.Side == ClientProxy && r.Direction() == parser.Inbound {
		v.Side = ServerProxy
	} else if v.Side == ServerProxy && r.Direction() == parser.Outbound {
		v.Side = ClientProxy
	}
	switch {
	case r.Suspicious:
		v.Doubt = "user text makes the line ambiguous"
	case r.Partial:
		v.Doubt = "the record is damaged"
	}
	if v.Doubt != "" && v.Confidence > Low {
		v.Confidence--
	}
}
