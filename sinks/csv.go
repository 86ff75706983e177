package sinks

import (
	"encoding/csv"
	"io"
	"strconv"
	"strings"
	"time"

	"github.com/flagwatch/flagwatch/internal/safe"
)

// A CSVColumn is a column of WriteCSV.
type CSVColumn struct {
	Name  string
	About string
	value func(*Report, *Card) string
}

// CSVColumns are the columns of WriteCSV, in their order. Later versions add
// columns behind them.
func CSVColumns() []CSVColumn {
	return []CSVColumn{
		{"id", "cause of the records; empty: no documented cause fits", func(_ *Report, c *Card) string { return c.ID }},
		{"verdict", "cause that the whole input shows", func(_ *Report, c *Card) string { return c.Verdict.Cause }},
		{"title", "the verdict in words", func(_ *Report, c *Card) string { return c.Verdict.Title }},
		{"severity", "error, warning or info", func(_ *Report, c *Card) string { return c.Verdict.Severity }},
		{"side", "whose it is", func(_ *Report, c *Card) string { return c.Verdict.Side }},
		{"confidence", "high, medium or low", func(_ *Report, c *Card) string { return c.Verdict.Confidence }},
		{"fold", "why reports only name it; empty: they do not", func(_ *Report, c *Card) string { return c.Fold }},
		{"failed", "failed access records", func(_ *Report, c *Card) string { return count10(c.Failed) }},
		{"consequences", "of them: another record of the same request has the cause", func(_ *Report, c *Card) string { return count10(c.Consequences) }},
		{"records", "access records, failed or not", func(_ *Report, c *Card) string { return count10(c.Records) }},
		{"events", "records of a proxy's or control plane's own log", func(_ *Report, c *Card) string { return count10(c.Events) }},
		{"waiting", "proxies of which a record that should have come never came", func(_ *Report, c *Card) string { return count10(c.Waiting) }},
		{"share", "of all failed access records, 0 to 1", func(_ *Report, c *Card) string { return strconv.FormatFloat(c.Share, 'f', -1, 64) }},
		{"first", "time of the first record, RFC 3339 in UTC", func(_ *Report, c *Card) string { return stamp(c.First) }},
		{"last", "time of the last record", func(_ *Report, c *Card) string { return stamp(c.Last) }},
		{"code", "most frequent response code; -: none", func(_ *Report, c *Card) string {
			return c.outcome(func(o *OutcomeCount) string { return codeText(o.Code) })
		}},
		{"flags", "response flags that came with it", func(_ *Report, c *Card) string {
			return c.outcome(func(o *OutcomeCount) string { return strings.Join(o.Flags, ",") })
		}},
		{"cluster", "most frequent upstream cluster", func(_ *Report, c *Card) string { return first(c.Clusters) }},
		{"host", "most frequent upstream host", func(_ *Report, c *Card) string { return first(c.Hosts) }},
		{"route", "most frequent route", func(_ *Report, c *Card) string { return first(c.Routes) }},
		{"authority", "most frequent authority", func(_ *Report, c *Card) string { return first(c.Authorities) }},
		{"proxy", "proxy that reports most of it", func(_ *Report, c *Card) string { return first(c.Proxies) }},
		{"p50_ms", "median duration of the failed records", func(_ *Report, c *Card) string { return c.duration(func(d *Durations) int64 { return d.P50 }) }},
		{"p99_ms", "duration that 99 % do not exceed", func(_ *Report, c *Card) string { return c.duration(func(d *Durations) int64 { return d.P99 }) }},
		{"next", "command to type next", func(_ *Report, c *Card) string { return strings.Join(c.Next[:min(len(c.Next), 1)], "") }},
		{"max_ms", "longest duration of the failed records", func(_ *Report, c *Card) string { return c.duration(func(d *Durations) int64 { return d.Max }) }},
		{"timeouts", "how many took a whole number of seconds, as timeouts do", func(_ *Report, c *Card) string { return timeouts(c.Timeouts) }},
		{"ok_p50_ms", "median duration of the requests that did not fail", func(r *Report, _ *Card) string { return r.okDuration(func(d *Durations) int64 { return d.P50 }) }},
		{"ok_p99_ms", "duration that 99 % of them do not exceed", func(r *Report, _ *Card) string { return r.okDuration(func(d *Durations) int64 { return d.P99 }) }},
		{"ending", "ongoing, over, or empty: nobody knows", func(_ *Report, c *Card) string { return c.Ending }},
		{"service", "service that it hit most", func(_ *Report, c *Card) string { return c.hit(func(t *Traffic) string { return t.Service }) }},
		{"service_failed", "requests to that service that failed by this cause", func(_ *Report, c *Card) string { return c.hit(func(t *Traffic) string { return count10(t.Failed) }) }},
		{"service_requests", "all requests to that service", func(_ *Report, c *Card) string { return c.hit(func(t *Traffic) string { return count10(t.Requests) }) }},
		{"caller", "workload that called most", func(_ *Report, c *Card) string { return first(c.Callers) }},
		{"if_empty", "what it means that the command shows nothing", func(_ *Report, c *Card) string { return strings.Join(c.IfEmpty[:min(len(c.IfEmpty), 1)], "") }},
	}
}

func count10(n uint64) string { return strconv.FormatUint(n, 10) }

func stamp(t *time.Time) string {
	if t == nil {
		return ""
	}
	return t.Format(time.RFC3339Nano)
}

func (c *Card) outcome(text func(*OutcomeCount) string) string {
	if len(c.Outcomes) == 0 {
		return ""
	}
	return text(&c.Outcomes[0])
}

func (c *Card) hit(text func(*Traffic) string) string {
	if len(c.Traffic) == 0 {
		return ""
	}
	return text(&c.Traffic[0])
}

func (r *Report) okDuration(ms func(*Durations) int64) string {
	if r.Latency == nil || r.Latency.OK == nil {
		return ""
	}
	return strconv.FormatInt(ms(r.Latency.OK), 10)
}

func (c *Card) duration(ms func(*Durations) int64) string {
	if c.Durations == nil {
		return ""
	}
	return strconv.FormatInt(ms(c.Durations), 10)
}

// WriteCSV writes a line with the names of the columns, then a line for each
// cause. Text that comes from the log is escaped; what a spreadsheet would
// take for a formula begins with an apostrophe.
func WriteCSV(w io.Writer, r *Report) error {
	columns := CSVColumns()
	cells := make([]string, len(columns))
	for i, c := range columns {
		cells[i] = c.Name
	}
	out := csv.NewWriter(w)
	out.Write(cells) // an error is kept until Flush
	for i := range r.Causes {
		for j, c := range columns {
			cells[j] = cell(c.value(r, &r.Causes[i]))
		}
		out.Write(cells)
	}
	out.Flush()
	return out.Error()
}

// cell is text that no spreadsheet computes.
// Source: https://owasp.org/www-community/attacks/CSV_Injection
func cell(s string) string {
	if s = safe.Escape(s); s != "" && strings.IndexByte("=+-@", s[0]) >= 0 && s != "-" {
		return "'" + s
	}
	return s
}
