package sinks

import (
	"slices"
	"strings"

	"github.com/flagwatch/flagwatch/parser"
)

// latencies are how long requests took: all that failed, and of the others
// those that are looked at (see lookedAt).
type latencies struct{ ok, failed histogram }

// measure counts a request that did not fail. Connections of TCP and upgraded
// ones live as long as they are used, so they are not measured.
func (l *latencies) measure(r *parser.Record) {
	if code, _ := r.Code(); code < 200 {
		return
	}
	if ms, ok := r.Millis(); ok {
		l.ok.add(ms)
	}
}

func (l *latencies) merge(o *latencies) {
	l.ok.merge(&o.ok)
	l.failed.merge(&o.failed)
}

func (l *latencies) reset() {
	l.ok.reset()
	l.failed.reset()
}

// A Latency is how long failed requests took, beside those that did not fail.
type Latency struct {
	OK       *Durations     `json:"ok,omitempty"` // with a response; one of sixteen is measured, chosen by its time
	Failed   *Durations     `json:"failed,omitempty"`
	Timeouts []TimeoutCount `json:"timeouts"` // of all causes
}

// latency is nil when no request tells how long it took.
func (d *Delta) latency() *Latency {
	l := &Latency{OK: d.latencies.ok.summary(), Failed: d.latencies.failed.summary(), Timeouts: []TimeoutCount{}}
	if l.OK == nil && l.Failed == nil {
		return nil
	}
	bySecond := map[int64]TimeoutCount{}
	for _, g := range d.causes.list {
		for _, t := range g.timeoutCounts() {
			sum := bySecond[t.Seconds]
			bySecond[t.Seconds] = TimeoutCount{t.Seconds, sum.Count + t.Count, sum.Excess + t.Excess}
		}
	}
	for _, t := range bySecond {
		l.Timeouts = append(l.Timeouts, t)
	}
	slices.SortFunc(l.Timeouts, compareTimeouts)
	return l
}

// sayable says whether there are enough requests for their quantiles to mean
// anything.
func (d *Durations) sayable() bool { return d != nil && d.Count >= minShare }

// latencyRows says how long failed and other requests took.
func latencyRows(r *Report) []string {
	l := r.Latency
	if l == nil || r.Totals.Failed == 0 || l.Failed == nil {
		return nil
	}
	chunks := []string{"failed " + l.Failed.text()}
	if at := timeouts(l.Timeouts); at != "" {
		chunks[0] += ", " + at // of the failed ones
	}
	if l.OK.sayable() {
		chunks = append(chunks, "ok "+l.OK.text())
	}
	return chunks
}

// whole is text with the longest one.
func (d *Durations) whole() string {
	if !d.sayable() {
		return d.text()
	}
	return d.text() + ", longest " + milliseconds(d.Max)
}

func (d *Durations) text() string {
	if !d.sayable() {
		return "up to " + milliseconds(d.Max)
	}
	return "median " + milliseconds(d.P50) + ", 99 % up to " + milliseconds(d.P99)
}

// latency is a row with how long failed and other requests took.
func (p *page) latency(r *Report) {
	chunks := latencyRows(r)
	if p.width < narrow || slices.ContainsFunc(chunks, func(s string) bool { return p.widthOf(s) > p.width-margin-12 }) {
		chunks = strings.Split(strings.Join(chunks, ", "), ", ")
	}
	if len(chunks) > 0 && chunks[0] != "" {
		p.item(plainMark, "duration", chunks...)
	}
}

func (m *markdown) latency(r *Report) {
	if chunks := latencyRows(r); len(chunks) > 0 {
		m.line("")
		m.line("Duration: " + strings.Join(chunks, " · "))
	}
}
