package sinks

import "time"

// A Card is what a report says about one cause: how often, where and since
// when, what proves it, what else it may be, and what to do next. Values come
// from the log and are as they were written.
type Card struct {
	ID           string     `json:"id"` // "" for failed requests that no rule explains
	Title        string     `json:"title"`
	Verdict      Verdict    `json:"verdict"`
	Side         string     `json:"side"`
	Severity     string     `json:"severity"`
	Fold         string     `json:"fold,omitempty"` // why it is only named, a name of FoldNames
	Records      uint64     `json:"records"`        // access records with this cause, failed or not
	Failed       uint64     `json:"failed"`         // of them
	Consequences uint64     `json:"consequences"`   // of the failed ones: another record of the same request has the cause
	Events       uint64     `json:"events"`
	Waiting      uint64     `json:"waiting,omitempty"` // proxies of which a record that should have come never came
	Share        float64    `json:"share"`             // of all failed access records
	First        *time.Time `json:"first,omitempty"`
	Last         *time.Time `json:"last,omitempty"`
	Ending       string     `json:"ending,omitempty"`       // a name of Endings; "": nobody knows
	Quiet        float64    `json:"quietSeconds,omitempty"` // from the last record to the end of what was read
	Pause        *Span      `json:"pause,omitempty"`        // in which a cause that goes on was over, to ten seconds
	cut          bool       // see Report.Cut

	Confidence  []NamedCount   `json:"confidence"` // of the records, each by itself
	Sides       []NamedCount   `json:"sides"`
	Rivals      []RivalCount   `json:"rivals"`
	Outcomes    []OutcomeCount `json:"outcomes"`
	Clusters    []ValueCount   `json:"clusters"`
	Service     string         `json:"service,omitempty"`            // of an application's own proxy, as callers name its cluster
	Traffic     []Traffic      `json:"traffic"`                      // of the services that it hit, and failed by this cause
	Meanwhile   *uint64        `json:"succeededMeanwhile,omitempty"` // about how many requests to them within its time, whatever the subset; none: nobody knows
	Namespace   string         `json:"namespace,omitempty"`          // that all of the services are in, where that is telling
	Callers     []ValueCount   `json:"callers"`                      // workloads that called, where they are known
	Hosts       []ValueCount   `json:"hosts"`
	Routes      []ValueCount   `json:"routes"`
	Authorities []ValueCount   `json:"authorities"`
	Paths       []ValueCount   `json:"paths"`
	Clients     []ValueCount   `json:"clients"` // addresses of callers, where they matter
	ServerNames []ValueCount   `json:"serverNames"`
	Details     []ValueCount   `json:"details"`
	Reasons     []ValueCount   `json:"transportReasons"`
	Proxies     []ValueCount   `json:"proxies"`
	Durations   *Durations     `json:"durations,omitempty"`
	Timeouts    []TimeoutCount `json:"timeouts"`
	Trend       []uint64       `json:"trend"`       // failed records over the time of the input, in equal parts
	ExplainedBy []NamedCount   `json:"explainedBy"` // causes of the consequences

	Evidence []Evidence    `json:"evidence"`
	Samples  []CauseSample `json:"samples"`
	Meaning  string        `json:"meaning,omitempty"` // of the verdict, like what follows
	Next     []string      `json:"next"`              // commands, with what is known filled in
	IfEmpty  []string      `json:"ifEmpty"`           // of each of them: what it means when it shows nothing
	Remedy   string        `json:"remedy,omitempty"`
	Versions string        `json:"versions,omitempty"`
	Docs     []string      `json:"docs"`
}

// Own are the failed records that no other record explains, the events, and
// the proxies that wait.
func (c *Card) Own() uint64 { return c.Failed - c.Consequences + c.Events + c.Waiting }

// A Verdict is what the whole stream says about a cause's records; it may be
// another cause than theirs.
type Verdict struct {
	Cause      string `json:"cause"`
	Title      string `json:"title"`
	Confidence string `json:"confidence"`
	Severity   string `json:"severity"`
	Side       string `json:"side"`
	Refined    bool   `json:"refined"` // the stream shows more than the records do
}

// A NamedCount is how often something was met.
type NamedCount struct {
	Name  string `json:"name"`
	Count uint64 `json:"count"`
}

// A RivalCount is a cause that records may have instead.
type RivalCount struct {
	ID    string `json:"id"`
	Title string `json:"title"`
	Tell  string `json:"tell,omitempty"` // what tells it apart
	Count uint64 `json:"count"`          // records that can not rule it out; 0: they all do
}

// A ValueCount is how often a value was met. Only the most frequent ones are
// kept; Count is too high by at most Excess.
type ValueCount struct {
	Value   string     `json:"value"`
	Cluster string     `json:"cluster,omitempty"`
	Count   uint64     `json:"count"`
	Excess  uint64     `json:"excess,omitempty"`
	First   *time.Time `json:"first,omitempty"`
	Last    *time.Time `json:"last,omitempty"`
}

// An OutcomeCount is how often a code and a set of flags were met.
type OutcomeCount struct {
	Code   *int     `json:"code"`
	Flags  []string `json:"flags"` // unknown ones too
	Count  uint64   `json:"count"`
	Excess uint64   `json:"excess,omitempty"`
}

// Durations are milliseconds; quantiles are too high by at most 1/16.
type Durations struct {
	Count uint64 `json:"count"`
	P50   int64  `json:"p50Ms"`
	P90   int64  `json:"p90Ms"`
	P99   int64  `json:"p99Ms"`
	Max   int64  `json:"maxMs"`
}

// A TimeoutCount is how many records took a whole number of seconds, give or
// take little. Only the most frequent ones are kept; Count is too high by at
// most Excess.
type TimeoutCount struct {
	Seconds int64  `json:"seconds"`
	Count   uint64 `json:"count"`
	Excess  uint64 `json:"excess,omitempty"`
}

// Evidence is one thing that the stream shows about a cause: Count of Of.
type Evidence struct {
	Kind  string `json:"kind"` // a name of EvidenceKinds
	Text  string `json:"text"`
	Count uint64 `json:"count"`
	Of    uint64 `json:"of"`
}

// A CauseSample is a record of a cause, without query strings and tokens.
type CauseSample struct {
	Time      *time.Time `json:"time,omitempty"`
	Input     string     `json:"input"`
	Offset    int64      `json:"offset"`
	Method    string     `json:"method,omitempty"`
	Authority string     `json:"authority,omitempty"`
	Path      string     `json:"path,omitempty"`
	Code      *int       `json:"code,omitempty"`
	Flags     []string   `json:"flags,omitempty"`
	Host      string     `json:"host,omitempty"`
	Duration  string     `json:"durationMs,omitempty"`
	RequestID string     `json:"requestId,omitempty"`
	Level     string     `json:"level,omitempty"`
	Message   string     `json:"message,omitempty"`
	Text      string     `json:"text"`
}

// A Join is what the records of the same requests said together.
type Join struct {
	Enabled      bool   `json:"enabled"`
	Requests     uint64 `json:"requests"`     // failed ones with an id
	Joined       uint64 `json:"joined"`       // of them: reported by several proxies
	Consequences uint64 `json:"consequences"` // failed records that another record explains
	Alone        uint64 `json:"alone"`        // failures passed on from an upstream whose record is not there
	Sampled      bool   `json:"sampled"`      // too many: counts are estimates
}

// A ProxyTally is what a proxy and its agent said about the proxy itself.
type ProxyTally struct {
	Namespace  string      `json:"namespace,omitempty"`
	Pod        string      `json:"pod,omitempty"`
	Container  string      `json:"container,omitempty"`
	Input      string      `json:"input,omitempty"` // where the place is not known
	Status     string      `json:"status"`          // a name of ProxyStatuses
	Milestones []Milestone `json:"milestones"`
	Gone       int64       `json:"controlPlaneGoneSeconds,omitempty"` // the longest that its log tells
}

// A Milestone is something that happened to a proxy.
type Milestone struct {
	Name  string     `json:"name"`
	Count uint64     `json:"count"`
	First *time.Time `json:"first,omitempty"`
	Last  *time.Time `json:"last,omitempty"`
}

// ReportOptions are choices for a report.
type ReportOptions struct {
	Alone    bool     // do not join the records of one request
	Selected bool     // records were left out by what they are, not only by their time
	Cut      bool     // records were left out that are later than the others
	Suppress []string // ids of causes that are only named
}
