package sinks

import (
	"bytes"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/flagwatch/flagwatch/parser"
)

// failures says when requests failed.
func (p *page) failures(r *Report) {
	if r.Totals.Failed == 0 {
		return
	}
	if len(r.Sides) == 0 {
		p.line("")
	}
	if steps := failuresByTime(&r.Timeline, r.Pictured()); len(steps) > 0 {
		p.item(plainMark, "when", p.when(r, steps)...)
	}
}

// more is about all failures: how bad they are, how long they took and who
// answered.
func (p *page) more(r *Report) {
	if r.Totals.Failed == 0 {
		return
	}
	p.line("")
	if len(r.Severities) > 1 {
		p.item(plainMark, "how bad", severities(r)...)
	}
	p.latency(r)
	p.item(plainMark, "answered by", p.answerers(r)...)
}

// A step is how many records failed in one cell's time.
type step struct {
	at     time.Time
	failed uint64
}

// width is how long a cell is; ten seconds when none is known.
func (t *Timeline) width() time.Duration {
	return max(time.Duration(t.CellSeconds)*time.Second, cellNanos)
}

// begin is when the cell of a time begins.
func (t *Timeline) begin(at time.Time) time.Time {
	return utc(floorDiv(at.UnixNano(), int64(t.width())) * int64(t.width()))
}

// failuresByTime adds up cells of the same time within a span; both are sorted
// by time.
func failuresByTime(t *Timeline, s *Span) []step {
	var steps []step
	for _, c := range t.Cells {
		if s != nil && (c.Time.Add(t.width()).Before(s.First) || c.Time.After(s.Last)) {
			continue
		}
		if n := len(steps); n > 0 && steps[n-1].at.Equal(c.Time) {
			steps[n-1].failed += c.Failed
		} else {
			steps = append(steps, step{c.Time, c.Failed})
		}
	}
	return steps
}

func (p *page) when(r *Report, steps []step) []string {
	peak := steps[0]
	for _, s := range steps {
		if s.failed > peak.failed {
			peak = s
		}
	}
	layout := p.times
	var chunks []string
	if line := p.spark(r, steps); line != "" {
		chunks = append(chunks, line)
	}
	first, last := r.edges(steps[0].at, steps[len(steps)-1].at)
	cell := strconv.Itoa(r.Timeline.CellSeconds) + " s"
	if len(steps) == 1 {
		return append(chunks, "all within "+cell, "first "+first.Format(layout)+" UTC")
	}
	most := "most " + number(peak.failed) + " in " + cell + " at " + peak.at.Format(layout)
	if p.width < 100 {
		return append(chunks, most)
	}
	return append(chunks, "first "+first.Format(layout), "last "+last.Format(layout), most+" UTC")
}

// edges are the first and the last failure, of which the cells are given, as
// far as the causes tell them better.
func (r *Report) edges(begin, end time.Time) (first, last time.Time) {
	width := time.Duration(r.Timeline.CellSeconds) * time.Second
	first, last = begin.Add(width), end
	for i := range r.Causes {
		c := &r.Causes[i]
		if c.Failed == 0 || c.Failed != c.Records || c.First == nil {
			continue
		}
		if !c.First.Before(begin) && c.First.Before(first) {
			first = *c.First
		}
		if c.Last.After(last) && c.Last.Before(end.Add(width)) {
			last = *c.Last
		}
	}
	if first.Equal(begin.Add(width)) {
		first = begin
	}
	return first, last
}

// timeLayout leaves out of a time what the head of the report makes clear.
func timeLayout(s *Span) string {
	switch {
	case s == nil || s.Last.Sub(s.First) < 20*time.Hour:
		return "15:04:05"
	case s.Last.Sub(s.First) < 300*24*time.Hour:
		return "01-02 15:04:05"
	}
	return "2006-01-02 15:04:05"
}

// spark draws failures over the time of the input; it is empty when that is
// too short to show a shape.
func (p *page) spark(r *Report, steps []step) string {
	const least = 6
	most := 30
	if p.width < 100 {
		most = 24
	}
	span := r.Pictured()
	if span == nil {
		return ""
	}
	cell := r.Timeline.width()
	begin := r.Timeline.begin(span.First)
	all := int(span.Last.Sub(begin)/cell) + 1
	if all < least {
		return ""
	}
	n := min(all, most)
	sums, top := make([]uint64, n), uint64(0)
	for _, s := range steps {
		i := int(int64(s.at.Sub(begin)/cell) * int64(n) / int64(all))
		i = min(max(i, 0), n-1)
		sums[i] += s.failed
		top = max(top, sums[i])
	}
	var b strings.Builder
	for _, v := range sums {
		b.WriteString(p.bars[level(v, top, len(p.bars))])
	}
	return b.String()
}

// level keeps the lowest bar for nothing.
func level(v, top uint64, bars int) int {
	if v == 0 || top == 0 {
		return 0
	}
	return 1 + int((v*uint64(bars-1)-1)/top)
}

func (p *page) answerers(r *Report) []string {
	var chunks []string
	for _, t := range topFailed(r.AnsweredBy, maxTopRows) {
		chunks = append(chunks, p.user(t.Name)+" "+number(t.Failed))
	}
	return chunks
}

// others are the records that are no access records, or doubtful ones.
func (p *page) others(r *Report) {
	t := r.Totals
	if t.Events+t.Invalid+t.Suspicious == 0 && len(r.Accounting.Discarded)+len(r.Layouts) == 0 {
		return
	}
	p.line("")
	p.layouts(r.Layouts)
	if t.Events > 0 {
		p.item(plainMark, "events", p.events(r)...)
	}
	if t.Invalid > 0 {
		p.item(warningMark, "unreadable", p.reasons(r)...)
		p.samples(r.Samples.Invalid)
	}
	if t.Suspicious > 0 {
		p.listed(warningMark, "suspicious", plural(t.Suspicious, "record", "records")+" where user text allows more than one reading")
		p.samples(r.Samples.Suspicious)
	}
	for _, name := range discards {
		if n := r.Accounting.Discarded[name]; n > 0 {
			p.item(warningMark, "discarded", size(n)+" "+name)
		}
	}
}

func (p *page) events(r *Report) []string {
	var chunks []string
	more := uint64(0)
	for i, e := range r.Events {
		if i >= p.most(maxOtherRows) {
			more += e.Count
			continue
		}
		chunks = append(chunks, strings.TrimSpace(number(e.Count)+" "+p.user(e.Emitter)+" "+p.user(e.Level)))
	}
	if more > 0 {
		chunks = append(chunks, number(more)+" more")
	}
	return chunks
}

func (p *page) reasons(r *Report) []string {
	var chunks []string
	for _, t := range r.Invalid {
		chunks = append(chunks, number(t.Count)+" "+p.user(t.Reason))
	}
	return chunks
}

// samples shows records with their input, byte and reason, two lines each
// when the page is narrow.
func (p *page) samples(list []Sample) {
	for _, s := range list {
		at := strings.TrimSpace(" byte " + number(uint64(s.Offset)) + " " + p.user(s.Reason))
		room := p.width / 2
		if p.width < narrow {
			room = p.width - margin
		}
		where := p.shorten(p.user(s.Input), max(8, room-1-p.widthOf(at))) + " " + at // the offset is never shortened
		text := p.user(s.Text)
		if p.width < narrow {
			p.marked(plainMark, where)
			p.marked(plainMark, "  "+p.cutEnd(text, p.width-margin-2))
			continue
		}
		p.marked(plainMark, where+"  "+p.cutEnd(text, p.width-margin-2-p.widthOf(where)))
	}
}

// advice is for inputs without access records.
func (p *page) advice(r *Report) {
	t := r.Totals
	switch {
	case t.Access > 0:
	case r.Accounting.Read == 0:
		p.line("")
		p.line("  the input is empty")
	case hasProxyEvents(r) && !hasFaults(r):
		p.loggingIsOff()
	case t.Events == 0:
		p.nothingRead(r)
	}
}

// hasFaults says whether a proxy has worse to tell than that it logs no
// requests.
func hasFaults(r *Report) bool {
	return slices.ContainsFunc(r.Causes, func(c Card) bool { return c.Fold == "" })
}

func hasProxyEvents(r *Report) bool {
	return slices.ContainsFunc(r.Events, func(e EventTally) bool {
		return e.Emitter == parser.Envoy.String() || e.Emitter == parser.PilotAgent.String()
	})
}

// loggingOn is how access logging is turned on.
// Source: https://istio.io/latest/docs/tasks/observability/logs/access-log/
var loggingOn = []string{
	"Istio, by a Telemetry resource in the root namespace (or a workload's own):",
	"  apiVersion: telemetry.istio.io/v1",
	"  kind: Telemetry",
	"  metadata: {name: mesh-default, namespace: istio-system}",
	"  spec: {accessLogging: [{providers: [{name: envoy}]}]}",
	"",
	"Istio, for the whole mesh:",
	"  meshConfig.accessLogFile: /dev/stdout",
	"",
	"Envoy alone: an access_log in the HTTP connection manager.",
}

func (p *page) loggingIsOff() {
	p.line("")
	p.note(warningMark, "The proxy logs events but not one request: its access logging is off. To turn it on:")
	p.line("")
	for _, s := range loggingOn {
		p.marked(plainMark, s)
	}
}

// nothingRead says what the input looks like.
func (p *page) nothingRead(r *Report) {
	list := append(slices.Clone(r.Samples.Invalid), r.Samples.Noise...)
	p.line("")
	p.note(warningMark, "No access record and no event was found.")
	if len(list) == 0 || r.Totals.Kubectl > 0 {
		return
	}
	p.note(plainMark, "The input looks like "+looksLike([]byte(list[0].Text))+".")
	if r.Totals.Invalid == 0 {
		p.samples(list[:1])
	}
	p.note(plainMark, "Known layouts: flagwatch list dialects. Compressed files and archives are read as they are.")
}

// looksLike names what a line that is no record may be.
func looksLike(b []byte) string {
	switch {
	case bytes.HasPrefix(b, []byte("\x1f\x8b")):
		return "gzip data"
	case bytes.HasPrefix(b, []byte("\x28\xb5\x2f\xfd")):
		return "zstd data"
	case bytes.HasPrefix(b, []byte("PK\x03\x04")):
		return "a zip archive"
	case isKubectlError(b):
		return "an error of kubectl"
	case bytes.IndexByte(b, 0) >= 0:
		return "binary data"
	case bytes.HasPrefix(b, []byte("{")):
		return "JSON without the keys of an access record"
	case bytes.HasPrefix(b, []byte("<")):
		return "XML or HTML"
	case bytes.Contains(b, []byte(` - - [`)) && bytes.Contains(b, []byte(`] "`)):
		return "the access log of a web server (common log format)"
	case bytes.Contains(b, []byte("level=")) || bytes.Contains(b, []byte("msg=")):
		return "an application's log (key=value)"
	case bytes.Contains(b, []byte(" HTTP/")):
		return "an access log in a layout that is not known"
	}
	return "text that no proxy wrote"
}

// account prints the two identities.
func (p *page) account(r *Report) {
	a, t := r.Accounting, r.Totals
	m := plainMark
	if !a.Complete {
		m = warningMark
	}
	p.line("")
	p.listed(m, "account", plural(a.Records, "record", "records")+" = "+number(t.Access)+" access + "+plural(t.Events, "event", "events")+" + "+
		number(t.Noise)+" noise + "+number(t.Invalid)+" invalid")
	discarded := uint64(0)
	for _, n := range a.Discarded {
		discarded += n
	}
	p.listed(m, "", number(a.Read)+" bytes read = "+number(a.Bytes)+" in records + "+number(discarded)+" discarded")
}
