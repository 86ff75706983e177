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
	value func(*Card) string
}

// CSVColumns are the columns of WriteCSV, in their order. Later versions add
// columns behind them.
func CSVColumns() []CSVColumn {
	return []CSVColumn{
		{"id", "cause of the records; empty: no documented cause fits", func(c *Card) string { return c.ID }},
		{"verdict", "cause that the whole input shows", func(c *Card) string { return c.Verdict.Cause }},
		{"title", "the verdict in words", func(c *Card) string { return c.Verdict.Title }},
		{"severity", "error, warning or info", func(c *Card) string { return c.Verdict.Severity }},
		{"side", "whose it is", func(c *Card) string { return c.Verdict.Side }},
		{"confidence", "high, medium or low", func(c *Card) string { return c.Verdict.Confidence }},
		{"fold", "why reports only name it; empty: they do not", func(c *Card) string { return c.Fold }},
		{"failed", "failed access records", func(c *Card) string { return count10(c.Failed) }},
		{"consequences", "of them: another record of the same request has the cause", func(c *Card) string { return count10(c.Consequences) }},
		{"records", "access records, failed or not", func(c *Card) string { return count10(c.Records) }},
		{"events", "records of a proxy's or control plane's own log", func(c *Card) string { return count10(c.Events) }},
		{"waiting", "proxies of which a record that should have come never came", func(c *Card) string { return count10(c.Waiting) }},
		{"share", "of all failed access records, 0 to 1", func(c *Card) string { return strconv.FormatFloat(c.Share, 'f', -1, 64) }},
		{"first", "time of the first record, RFC 3339 in UTC", func(c *Card) string { return stamp(c.First) }},
		{"last", "time of the last record", func(c *Card) string { return stamp(c.Last) }},
		{"code", "most frequent response code; -: none", func(c *Card) string { return c.outcome(func(o *OutcomeCount) string { return codeText(o.Code) }) }},
		{"flags", "response flags that came with it", func(c *Card) string {
			return c.outcome(func(o *OutcomeCount) string { return strings.Join(o.Flags, ",") })
		}},
		{"cluster", "most frequent upstream cluster", func(c *Card) string { return first(c.Clusters) }},
		{"host", "most frequent upstream host", func(c *Card) string { return first(c.Hosts) }},
		{"route", "most frequent route", func(c *Card) string { return first(c.Routes) }},
		{"authority", "most frequent authority", func(c *Card) string { return first(c.Authorities) }},
		{"proxy", "proxy that reports most of it", func(c *Card) string { return first(c.Proxies) }},
		{"p50_ms", "median duration of the failed records", func(c *Card) string { return c.duration(func(d *Durations) int64 { return d.P50 }) }},
		{"p99_ms", "duration that 99 % do not exceed", func(c *Card) string { return c.duration(func(d *Durations) int64 { return d.P99 }) }},
		{"next", "command to type next", func(c *Card) string { return strings.Join(c.Next[:min(len(c.Next), 1)], "") }},
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
			cells[j] = cell(c.value(&r.Causes[i]))
		}
		out.Write(cells)
	}
	out.Flush()
	return out.Error()
}

// cell is text that no spreadsheet computes.
// Source: https://owasp.org/www-community/attacks/CSV_Injection
func cell(s string) string {
	if s = safe.Text(s).String(); s != "" && strings.IndexByte("=+-@", s[0]) >= 0 && s != "-" {
		return "'" + s
	}
	return s
}
