package sinks

import (
	"cmp"
	"fmt"
	"io"
	"strconv"
)

// WriteDiff writes a diff for a terminal, in the layout of a report. Text that
// comes from the log is escaped.
func WriteDiff(w io.Writer, d *Diff, opt TextOptions) error {
	p := newPage(opt)
	p.line("flagwatch diff")
	p.side("before", &d.Before)
	p.side("after", &d.After)
	p.line("")
	p.marked(plainMark, fmt.Sprintf("%s, %d without a significant change", plural(uint64(len(d.Changes)), "change", "changes"), len(d.Unchanged)))
	p.changes(d.Changes)
	_, err := w.Write(p.buf.Bytes())
	return err
}

func (p *page) side(name string, s *DiffSide) {
	chunks := []string{plural(s.Totals.Access, "access record", "access records"), number(s.Totals.Failed) + " failed"}
	if share := percent(s.Totals.Failed, s.Totals.Access); share != "" {
		chunks[1] += " (" + share + ")"
	}
	if s.Span != nil {
		chunks = append(chunks, p.span(s.Span))
	}
	chunks = append(chunks, plural(uint64(len(s.Inputs)), "input", "inputs"))
	p.item(plainMark, name, chunks...)
}

func (p *page) changes(list []Change) {
	g := &grid{last: "cause", columns: []column{{"change", false, false}, {"cause", false, true}, {"before", true, false}, {"", true, false}, {"after", true, false}, {"", true, false},
		{"ratio", true, false}, {"confidence", false, false}, {"cluster", false, true}}}
	for _, c := range list[:min(len(list), p.most(maxCauseRows))] {
		cluster, below := p.user(p.diffCluster(c.Cluster)), ""
		if p.width < narrow {
			cluster, below = "", cluster
		}
		g.add(severityMark(c.Severity), below, c.Change, p.user(cmp.Or(c.Cause, "unexplained")), number(c.Before), percent(c.Before, c.Of), number(c.After), percent(c.After, c.AfterOf),
			c.ratioText(p.dash), c.Confidence, cluster)
	}
	if n := len(list) - p.most(maxCauseRows); n > 0 {
		g.add(plainMark, "", strconv.Itoa(n)+" more", "", "", "", "", "", "", "", "")
	}
	for i := len(g.columns) - 1; i >= 0 && p.width < narrow; i-- {
		if name := g.columns[i].head; name == "ratio" || name == "confidence" {
			g.drop(i)
		}
	}
	p.grid(g)
}

// diffCluster is a cluster's name, in short where that says as much.
func (p *page) diffCluster(name string) string {
	if p.wide || subsetOf(name) != "" {
		return name
	}
	return clusterShort(name)
}

// WriteDiffMarkdown writes a diff as a chat message. Text that comes from the
// log stands in code.
func WriteDiffMarkdown(w io.Writer, d *Diff) error {
	m := &markdown{page: newPage(TextOptions{Width: messageWidth})}
	m.line(fmt.Sprintf("**flagwatch diff: %s, %d without a significant change**", plural(uint64(len(d.Changes)), "change", "changes"), len(d.Unchanged)))
	m.fenced(func(p *page) {
		p.side("before", &d.Before)
		p.side("after", &d.After)
		if len(d.Changes) > 0 {
			p.changes(d.Changes)
		}
	})
	_, err := w.Write(m.buf.Bytes())
	return err
}

// ratioText is "3.4 (2.1–5.5)".
func (c *Change) ratioText(dash string) string {
	if c.Ratio == 0 {
		return ""
	}
	short := func(x float64) string { return strconv.FormatFloat(x, 'g', -1, 64) }
	return short(c.Ratio) + " (" + short(c.Low) + dash + short(c.High) + ")"
}
