package sinks

import (
	"time"
)

// A Report is what a Snapshot shows. It is the schema of `-o json`; every
// renderer draws it. Lists are sorted by count, then by name. Strings that
// come from the log are as they were written: renderers escape them.
type Report struct {
	APIVersion string        `json:"apiVersion"`
	Kind       string        `json:"kind"`
	Version    string        `json:"version,omitempty"`  // of the program, if it is known
	Redacted   bool          `json:"redacted,omitempty"` // see Redact
	Selected   bool          `json:"selected,omitempty"` // records were chosen by what they are: shares are of those
	Cut        bool          `json:"cut,omitempty"`      // the log goes on: what came later was left out
	Headline   string        `json:"headline,omitempty"` // what matters most, in one sentence
	Span       *Span         `json:"span,omitempty"`
	Shown      *Span         `json:"shownSpan,omitempty"` // the time that pictures show, if that is less than Span
	Inputs     []Input       `json:"inputs"`
	Totals     Totals        `json:"totals"`
	Accounting Identity      `json:"accounting"`
	Sides      []NamedCount  `json:"sides"`      // whose failures they are, consequences left out
	Severities []NamedCount  `json:"severities"` // outages, refusals, and what needs no action
	Causes     []Card        `json:"causes"`     // the most important first
	Hints      []Hint        `json:"hints"`      // remarks that no record proves
	Join       Join          `json:"join"`
	Proxies    []ProxyTally  `json:"proxies"`
	Dialects   []Tally       `json:"dialects"`
	Directions []Tally       `json:"directions"`
	BothSides  BothSides     `json:"bothSides"`
	AnsweredBy []Tally       `json:"answeredBy"`
	Codes      []CodeTally   `json:"codes"`
	Flags      []FlagTally   `json:"flags"`
	Outcomes   []Outcome     `json:"outcomes"`
	Details    []Tally       `json:"details"`
	Clusters   []Tally       `json:"clusters"`
	Services   []Traffic     `json:"services"` // the most failed requests first; none when Selected
	Hosts      []HostTally   `json:"hosts"`
	Places     []PlaceTally  `json:"places"`
	HeatMap    HeatMap       `json:"heatMap"`
	Timeline   Timeline      `json:"timeline"`
	Latency    *Latency      `json:"latency,omitempty"`
	Clients    *Clients      `json:"clients,omitempty"`
	Events     []EventTally  `json:"events"`
	Invalid    []ReasonTally `json:"invalid"`
	Samples    Samples       `json:"samples"`

	Groupings []Grouping `json:"groupings,omitempty"` // see GroupBy
	Layouts   []Layout   `json:"layouts,omitempty"`   // that were worked out from lines

	Snapshot string `json:"snapshot,omitempty"` // see AttachSnapshot

	snapshot *Snapshot // that it was computed from; metrics are drawn from that
}

// A Span is a time, of a report from the first to the last start time of access
// records.
type Span struct {
	First   time.Time `json:"first"`
	Last    time.Time `json:"last"`
	Seconds float64   `json:"seconds"`
}

// Pictured is the time that pictures show: Span, but without few records whose
// clocks are far off. It is nil when no record has a time.
func (r *Report) Pictured() *Span {
	if r.Shown != nil {
		return r.Shown
	}
	return r.Span
}

// failedOnce is how many requests failed: records without those that another
// record of the same request explains.
func (r *Report) failedOnce() uint64 {
	n := r.Totals.Failed
	for i := range r.Causes {
		n -= min(n, r.Causes[i].Consequences)
	}
	return n
}

// An Input is a stream that was read, as its reader tells.
type Input struct {
	Name  string `json:"name"`
	Bytes int64  `json:"bytes"`
	Error string `json:"error,omitempty"`

	SameAs  string `json:"sameAs,omitempty"`       // the input with the same contents, which was read instead
	NotRead int64  `json:"bytesNotRead,omitempty"` // because only a part was asked for

	Health *Health `json:"health,omitempty"`
}

// Totals are records, except for Kubectl's lines of noise.
type Totals struct {
	Records      uint64 `json:"records"`
	Access       uint64 `json:"access"`
	Events       uint64 `json:"events"`
	Noise        uint64 `json:"noise"`
	Invalid      uint64 `json:"invalid"`
	Failed       uint64 `json:"failed"`       // of access
	ClientErrors uint64 `json:"clientErrors"` // of access: an application's own 4xx
	WithoutCode  uint64 `json:"withoutCode"`  // of access
	WithoutFlags uint64 `json:"withoutFlags"` // of access: no flags column
	Partial      uint64 `json:"partial"`      // of access: damaged
	Suspicious   uint64 `json:"suspicious"`   // user text made the cut ambiguous
	Kubectl      uint64 `json:"kubectlErrors"`
}

// A Tally counts access records under a name.
type Tally struct {
	Name   string `json:"name"`
	Count  uint64 `json:"count"`
	Failed uint64 `json:"failed"`
}

// BothSides tells from a sample of request ids how many requests were
// reported by a proxy on each side.
type BothSides struct {
	SampledRequests int `json:"sampledRequests"`
	SeenTwice       int `json:"seenInBothDirections"`
}

// A CodeTally counts access records with a response code.
type CodeTally struct {
	Code   int     `json:"code"`
	Count  uint64  `json:"count"`
	Failed uint64  `json:"failed"`
	Share  float64 `json:"share"` // of access records
}

// A FlagTally counts access records that carry a flag.
type FlagTally struct {
	Name   string  `json:"name"`
	Long   string  `json:"longName,omitempty"`
	Known  bool    `json:"known"`
	Count  uint64  `json:"count"`
	Failed uint64  `json:"failed"`
	Share  float64 `json:"share"` // of access records
}

// An Outcome counts access records with one code and one set of flags.
type Outcome struct {
	Code    *int     `json:"code"` // null: none
	Flags   []string `json:"flags"`
	Unknown []string `json:"unknownFlags,omitempty"`
	Other   bool     `json:"other,omitempty"` // what found no room in the table of outcomes
	Count   uint64   `json:"count"`
	Failed  uint64   `json:"failed"`
	Share   float64  `json:"share"` // of access records
}

// A HostTally counts failed records of an upstream host. Only the most
// frequent hosts are kept; Count is too high by at most Excess.
type HostTally struct {
	Host    string   `json:"host"`
	Cluster string   `json:"cluster"`
	Code    *int     `json:"code"`
	Flags   []string `json:"flags"`
	Count   uint64   `json:"count"`
	Excess  uint64   `json:"excess"`
}

// A PlaceTally counts records by where they come from.
type PlaceTally struct {
	Namespace string `json:"namespace,omitempty"`
	Pod       string `json:"pod,omitempty"`
	Container string `json:"container,omitempty"`
	PlaceCounts
}

// A Timeline counts failed access records in cells.
type Timeline struct {
	CellSeconds int    `json:"cellSeconds"`
	Untimed     uint64 `json:"untimed"` // failed records that no cell holds
	Cells       []Cell `json:"cells"`   // by time, cluster, code and flags
}

// A Cell counts failed access records of one cluster, code and set of flags.
type Cell struct {
	Time    time.Time `json:"time"`
	Cluster string    `json:"cluster"`
	Code    *int      `json:"code"`
	Flags   []string  `json:"flags"`
	Cause   string    `json:"cause,omitempty"`
	Failed  uint64    `json:"failed"`
}

// An EventTally counts events of one emitter and level. Failed ones show a
// fault by themselves.
type EventTally struct {
	Emitter string `json:"emitter"`
	Level   string `json:"level"`
	Count   uint64 `json:"count"`
	Failed  uint64 `json:"failed"`
}

// A ReasonTally counts invalid records.
type ReasonTally struct {
	Reason string `json:"reason"`
	Count  uint64 `json:"count"`
}

// Samples are the first records of some sorts, by input and offset.
type Samples struct {
	Invalid    []Sample `json:"invalid"`
	Suspicious []Sample `json:"suspicious"`
	Noise      []Sample `json:"noise"`
	Kubectl    []Sample `json:"kubectl"`
}

// A Sample is the head of a record.
type Sample struct {
	Input   string `json:"input"`
	Offset  int64  `json:"offset"` // of its first byte
	Reason  string `json:"reason,omitempty"`
	Stopped int64  `json:"stoppedAt,omitempty"` // offset where reading stopped
	Text    string `json:"text"`
}
