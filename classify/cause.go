package classify

import "slices"

// A Cause is a row of the catalogue: one documented reason why a request, a
// connection or a proxy failed. Rules say when it is the answer.
type Cause struct {
	ID       string // never renamed; an old id stays among the aliases
	Title    string
	Seen     Seen
	Parent   string // the broader cause, for evidence that proves no finer one
	Side     Side
	Severity Severity
	Aliases  []string
	Meaning  string  // what happened
	Evidence string  // what in the stream shows it
	Rivals   []Rival // what it is taken for, and what tells them apart
	Checks   []string
	Remedy   string
	OnePod   string   // the remedy when one host of several has it; "": then, too, it is the other
	Cases    []Case   // pictures that ask for something else
	Versions string   // Envoy or Istio versions that it holds for; "" for all
	Docs     []string // the pages it rests on
	Examples []string // records that get exactly this cause
}

// A Rival is a cause that the same record may have.
type Rival struct {
	ID   string
	Tell string // what tells it from the cause
}

// A Rule says which records have a cause. Rules stand in order: the first that
// fits decides. condition.go describes the language of When.
type Rule struct {
	When       string
	Cause      string // id
	Rivals     string // ids that the record can not rule out, most likely first, set apart by blanks
	Confidence Confidence
}

// Seen says where a cause shows itself.
type Seen uint8

const (
	InAccess Seen = iota // in access records
	InEvents             // in operational records
	Topic                // nowhere for certain: it is explained, never counted
)

var seen = []string{"access", "event", "topic"}

func (s Seen) String() string { return seen[s] }

// A Side is who has to act.
type Side uint8

const (
	NoSide Side = iota
	Client
	ClientProxy // the proxy that wrote the record, towards its upstream
	ServerProxy // the proxy that wrote the record, in front of its workload
	App
	Network
	ControlPlane
	Platform
	NumSides
)

var sides = [NumSides]string{"", "client", "client-proxy", "server-proxy", "application", "network", "control-plane", "platform"}

func (s Side) String() string { return sides[s] }

// A Severity says how much a cause matters to the one on call.
type Severity uint8

const (
	NoSeverity Severity = iota
	Info
	Warning
	Error
	NumSeverities
)

var severities = [NumSeverities]string{"", "info", "warning", "error"}

func (s Severity) String() string { return severities[s] }

// A Confidence says how far a record proves its cause.
type Confidence uint8

const (
	NoConfidence Confidence = iota
	Low
	Medium
	High
	NumConfidences
)

var confidences = [NumConfidences]string{"", "low", "medium", "high"}

func (c Confidence) String() string { return confidences[c] }

// A Verdict is what one record says about itself. Its pointers lead into the
// classifier's rows, live as long as they, and must not be written through.
// The zero Verdict stands for a record without a fault.
type Verdict struct {
	Failed     bool
	Cause      *Cause // nil: nothing to explain
	Rivals     []*Cause
	Confidence Confidence
	Side       Side
	Severity   Severity
	rule       uint16
	Doubt      string // why the confidence is lower than the rule's
}

// Rule is the number of the rule that decided, among those of its classifier and
// its clones, counted from 1; 0: none did.
func (v *Verdict) Rule() uint16 { return v.rule }

// Causes returns the catalogue. The rows are shared: callers must not change
// them.
func Causes() []Cause {
	lists := catalogue()
	return slices.Concat(lists[:]...)
}

// Documented returns the cause of the catalogue with the id, nil when there is
// none. The row is shared: callers must not change it.
func Documented(id string) *Cause {
	for _, list := range catalogue() {
		for i := range list {
			if list[i].ID == id {
				return &list[i]
			}
		}
	}
	return nil
}

// IsDocumented says whether a cause of the catalogue has the id.
func IsDocumented(id string) bool { return Documented(id) != nil }

func catalogue() [9][]Cause {
	return [...][]Cause{routingCauses, upstreamCauses, downstreamCauses, policyCauses, ambientCauses, remainingCauses, controlCauses, platformCauses, topics}
}

// Rules returns the rules of the catalogue, in the order of their trial.
func Rules() []Rule {
	return slices.Concat(ambientRules, policyRules, downstreamRules, routingRules, upstreamRules, remainingRules, certRules, platformRules, controlRules)
}
