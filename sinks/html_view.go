package sinks

import (
	"cmp"
	"strings"
)

// How much of a report a page holds; the JSON in it holds all.
const (
	htmlCards  = 25
	htmlOpen   = 3 // cards that are open from the start
	htmlCauses = 200
	htmlRows   = 15
)

// An htmlView is a report as the page shows it: all text is escaped already.
type htmlView struct {
	Meta, Warnings []string
	Headline       string
	Next           []htmlStep
	Hit            []string
	ShareHead      string // of shares of records
	Tiles          []htmlTile
	Who            []htmlBar
	When           *htmlWhen
	Causes         []htmlCause
	Nothing        string
	Notes          []string
	Cards          []htmlCard
	Heat           *htmlHeat
	Places         []htmlTable
	Latency        *htmlLatency
	Proxies        []htmlProxy
	Outcomes       []htmlOutcome
	Health         []string
	Inputs         []htmlInput
	Doubtful       []htmlRecord
	Foot           string
}

type (
	htmlTile  struct{ Value, Label string }
	htmlStep  struct{ Command, Empty string }
	htmlBar   struct{ Name, Path, Count, Share string }
	htmlPair  struct{ Name, Value, Count string }
	htmlCell  struct{ Text, Class, Count string }
	htmlProxy struct {
		Name, Status string
		Told         []string
	}
	htmlOutcome struct{ Code, Flags, Mark, Long, Count, Failed, Share string }
	htmlInput   struct{ Name, Bytes, State string }
	htmlRecord  struct{ Where, Why, Text string }
	htmlCause   struct {
		N                                                                 int
		Full                                                              bool
		Mark, Severity, Label, Outcome, Count, Share, Trend, Until, Where string
	}
	htmlCard struct {
		N                     int
		Open                  bool
		Mark, Severity, Label string
		About                 []string
		What, Times           string
		Proof, Rivals         []htmlPair
		Seen, Samples         []string
		Next                  []htmlStep
		Traffic, Fix, Explain string
		Links                 []string
	}
)

// ClassOf is the class of a mark.
func (v *htmlView) ClassOf(mark string) string {
	for m, symbol := range unicodeSymbols.marks {
		if symbol == mark {
			return [...]string{"", "info", "warning", "error"}[m]
		}
	}
	return ""
}

// An htmlMaker draws a report.
type htmlMaker struct {
	*page
	*Report
	v *htmlView
}

func newHTMLView(r *Report) *htmlView {
	m := &htmlMaker{newPage(TextOptions{}), r, &htmlView{}}
	m.show(r)
	m.head()
	m.tiles()
	m.v.Who = m.who()
	m.v.When = m.when()
	m.causes()
	m.v.Heat = m.heat()
	m.places()
	m.v.Latency = m.latency()
	m.health()
	return m.v
}

func (m *htmlMaker) head() {
	v := m.v
	if s := m.Pictured(); s != nil {
		v.Meta = append(v.Meta, m.span(s))
	}
	if names := m.dialects(m.Report); names != "" {
		v.Meta = append(v.Meta, names)
	}
	if n := len(m.Inputs); n > 0 {
		v.Meta = append(v.Meta, plural(uint64(n), "input", "inputs"))
	}
	v.Headline = m.user(m.Report.Headline)
	if v.Headline == "" {
		v.Headline = m.calm()
	}
	for _, s := range firstSuggestions(m.Report) {
		v.Next = append(v.Next, m.step(s))
	}
	v.Hit, v.ShareHead = m.users(m.hit(3)), shareHead(m.Report)
	if m.Shown != nil {
		v.Warnings = append(v.Warnings, "Some clocks are far off: times go from "+m.Report.Span.First.Format("2006-01-02 15:04:05")+" to "+m.Report.Span.Last.Format("2006-01-02 15:04:05")+
			" UTC. Pictures leave few records out.")
	}
	if n := m.Totals.Kubectl; n > 0 {
		v.Warnings = append(v.Warnings, plural(n, "line is", "lines are")+" kubectl's own error, not the log.")
	}
	for i, in := range m.Inputs {
		if in.Error != "" && i < maxFailedRows {
			v.Warnings = append(v.Warnings, m.user(in.Name)+": "+m.user(in.Error))
		}
	}
	if m.Redacted {
		v.Foot = "Redacted: query strings, tokens and addresses of clients are left out of the records that are quoted. "
	}
	v.Foot += strings.TrimSpace("Made by flagwatch "+m.user(m.Version)) + ". Times are UTC. The report as JSON is in this file, in the element with the id report."
}

func (m *htmlMaker) step(s suggestion) htmlStep { return htmlStep{m.shell(s.command), m.user(s.empty)} }

// calm is the headline when there is nothing to do.
func (m *htmlMaker) calm() string {
	switch t := m.Totals; {
	case t.Access > 0 && t.Failed == 0:
		return "No failed request in " + plural(t.Access, "access record", "access records") + "."
	case t.Access > 0:
		return "Nothing that needs action: " + plural(t.Failed, "failed request", "failed requests") + " of " + number(t.Access) + "."
	case t.Events > 0:
		return "No request was logged; " + plural(t.Events, "event was", "events were") + "."
	}
	return "No access record and no event was found."
}

func (m *htmlMaker) tiles() {
	t := m.Totals
	add := func(value, label string) { m.v.Tiles = append(m.v.Tiles, htmlTile{value, label}) }
	add(number(t.Failed), strings.TrimSpace("failed of "+number(t.Access)+m.chosen()+" requests "+parenthesised(percent(t.Failed, t.Access))))
	words := map[string]string{"error": "outage", "warning": "refused or cut on purpose", "info": "left or probed"}
	for _, s := range m.Severities {
		add(number(s.Count), words[s.Name])
	}
	if t.ClientErrors > 0 {
		add(number(t.ClientErrors), noun(t.ClientErrors, "client error, answered by the application", "client errors, answered by the application"))
	}
	if t.Events > 0 {
		add(number(t.Events), noun(t.Events, "event of a proxy or control plane", "events of proxies and control plane"))
	}
	if t.Invalid > 0 {
		add(number(t.Invalid), noun(t.Invalid, "unreadable record", "unreadable records"))
	}
}

func (m *htmlMaker) chosen() string {
	if m.Selected {
		return " chosen"
	}
	return ""
}

func (m *htmlMaker) who() (list []htmlBar) {
	total := uint64(0)
	for _, s := range m.Sides {
		total += s.Count
	}
	for _, s := range m.Sides {
		list = append(list, htmlBar{m.user(s.Name), rect(0, 0, 100*float64(s.Count)/float64(total), 10), number(s.Count), percent(s.Count, total)})
	}
	return list
}

func (m *htmlMaker) causes() {
	list := shownCauses(m.Report)
	for i := range list[:min(len(list), htmlCauses)] {
		m.v.Causes = append(m.v.Causes, m.causeRow(i, &list[i]))
	}
	for i := range list[:min(len(list), htmlCards)] {
		m.v.Cards = append(m.v.Cards, m.card(i, &list[i]))
	}
	m.v.Nothing = "No cause to show."
	if n := len(list) - htmlCauses; n > 0 {
		m.v.Notes = append(m.v.Notes, plural(uint64(n), "more cause is", "more causes are")+" in the JSON of this file.")
	}
	for i := range m.Hints[:min(len(m.Hints), htmlRows)] {
		m.v.Notes = append(m.v.Notes, "worth a look: "+m.user(m.Hints[i].sentence()))
	}
	folded := map[string][]string{}
	for i := range m.Report.Causes {
		if c := &m.Report.Causes[i]; c.Fold != "" && len(folded[c.Fold]) < htmlRows {
			folded[c.Fold] = append(folded[c.Fold], m.user(causeLabel(c))+" "+number(max(c.Records, c.Own())))
		}
	}
	for _, why := range FoldNames() {
		if len(folded[why]) > 0 {
			m.v.Notes = append(m.v.Notes, why+": "+strings.Join(folded[why], ", "))
		}
	}
	if j := m.Join; j.Consequences > 0 {
		m.v.Notes = append(m.v.Notes, plural(j.Consequences, "failed record is a consequence", "failed records are consequences")+
			": another proxy's record of the same request has the cause.")
	}
}

func (m *htmlMaker) causeRow(i int, c *Card) htmlCause {
	outcome := ""
	if len(c.Outcomes) > 0 {
		outcome = m.user(outcomeText(c.Outcomes[0].Code, c.Outcomes[0].Flags))
	}
	return htmlCause{
		N: i + 1, Full: i < htmlCards, Mark: m.marks[severityMark(c.Verdict.Severity)], Severity: m.user(c.Verdict.Severity), Label: m.user(causeLabel(c)), Outcome: outcome,
		Count: number(c.Own()), Share: shareOf(c, m.Report), Trend: trendPath(c.Trend), Until: m.until(c), Where: m.place(c, true),
	}
}

func (m *htmlMaker) card(i int, c *Card) htmlCard {
	h := htmlCard{
		N: i + 1, Open: i < htmlOpen, Mark: m.marks[severityMark(c.Verdict.Severity)], Severity: m.user(c.Verdict.Severity), Label: m.user(causeLabel(c)),
		About: m.nonEmpty(amount(c), prefixed("confidence ", m.user(c.Verdict.Confidence)), m.user(c.Verdict.Side)),
		What:  m.user(c.Verdict.Title + ". " + c.meaning()), Fix: m.user(c.Remedy), Proof: m.proofRows(c),
	}
	if c.First != nil {
		h.Times = m.period(c)
	}
	for _, e := range c.Evidence {
		h.Seen = append(h.Seen, m.user(e.Text))
	}
	for _, r := range c.Rivals[:min(len(c.Rivals), maxRivalRows)] {
		h.Rivals = append(h.Rivals, htmlPair{Name: m.user(r.ID), Value: m.user(cmp.Or(prefixed("if ", r.Tell), r.Title))})
	}
	if len(c.Traffic) > 0 {
		h.Traffic = m.user(c.traffic())
	}
	for i := range c.Next {
		h.Next = append(h.Next, m.step(c.suggestion(i)))
	}
	for _, s := range c.Samples[:min(len(c.Samples), 3)] {
		h.Samples = append(h.Samples, m.user(s.Text))
	}
	if c.Verdict.Cause != "" {
		h.Explain = "flagwatch explain " + m.user(c.Verdict.Cause)
	}
	for _, page := range c.Docs {
		if strings.HasPrefix(page, "https://") {
			h.Links = append(h.Links, m.user(page))
		}
	}
	return h
}

// proofRows are the fields that the records agree on, up to three values each.
func (m *htmlMaker) proofRows(c *Card) (rows []htmlPair) {
	total := max(c.Records, 1)
	for _, f := range c.fields() {
		if len(f.list) == 0 || f.list[0].Value == noCluster && len(f.list) == 1 {
			continue
		}
		for i, v := range f.list[:min(len(f.list), 3)] {
			sure := v.Count - v.Excess
			row := htmlPair{Value: m.user(v.Value), Count: strings.TrimSpace(number(sure) + " " + parenthesised(percent(sure, total)))}
			if i == 0 {
				row.Name, row.Count = f.name, strings.TrimSpace(number(sure)+" of "+number(total)+" "+parenthesised(percent(sure, total)))
			}
			rows = append(rows, row)
		}
		if n := len(f.list) - 3; n > 0 {
			rows = append(rows, htmlPair{Value: unlisted(n, len(f.list), maxTop, "more", "more")})
		}
	}
	return rows
}

func (m *htmlMaker) health() {
	for i := range m.Report.Proxies[:min(len(m.Report.Proxies), htmlRows)] {
		t := &m.Report.Proxies[i]
		m.v.Proxies = append(m.v.Proxies, htmlProxy{m.user(t.name()), m.user(statusText(t.Status)), m.milestones(t)})
	}
	for i, o := range m.Report.Outcomes {
		if i == 2*htmlRows {
			break
		}
		m.v.Outcomes = append(m.v.Outcomes, htmlOutcome{codeText(o.Code), m.flags(o), m.marks[outcomeMark(o)], longNames(o), number(o.Count), number(o.Failed), percent(o.Count, m.Totals.Access)})
	}
	t, a := m.Totals, m.Accounting
	m.v.Health = append(m.v.Health, plural(t.Records, "record", "records")+" = "+number(t.Access)+" access + "+number(t.Events)+" events + "+
		number(t.Noise)+" noise + "+number(t.Invalid)+" invalid")
	discarded := uint64(0)
	for _, n := range a.Discarded {
		discarded += n
	}
	m.v.Health = append(m.v.Health, number(a.Read)+" bytes read = "+number(a.Bytes)+" in records + "+number(discarded)+" discarded")
	if t.Events > 0 {
		m.v.Health = append(m.v.Health, "events: "+strings.Join(m.events(m.Report), " · "))
	}
	if t.Invalid > 0 {
		m.v.Health = append(m.v.Health, "unreadable: "+strings.Join(m.reasons(m.Report), " · "))
	}
	for i := range m.Layouts[:min(len(m.Layouts), htmlRows)] {
		l := &m.Layouts[i]
		m.v.Health = append(m.v.Health, "layout of "+m.user(l.Input)+", worked out: "+m.user(l.Summary()))
	}
	for _, in := range m.Inputs[:min(len(m.Inputs), htmlRows)] {
		m.v.Inputs = append(m.v.Inputs, htmlInput{m.user(in.Name), number(uint64(in.Bytes)), m.inputState(&in)})
	}
	if n := len(m.Inputs) - htmlRows; n > 0 {
		m.v.Inputs = append(m.v.Inputs, htmlInput{plural(uint64(n), "more input", "more inputs"), "", ""})
	}
	m.doubtful("unreadable", m.Samples.Invalid)
	m.doubtful("more than one reading", m.Samples.Suspicious)
	m.doubtful("kubectl's own error", m.Samples.Kubectl)
}

func (m *htmlMaker) inputState(in *Input) string {
	if in.Error == "" && in.SameAs != "" {
		return "the same log as " + m.user(in.SameAs) + ", counted once"
	}
	return cmp.Or(m.user(in.Error), "read to its end")
}

func (m *htmlMaker) doubtful(why string, list []Sample) {
	for _, s := range list {
		about := why
		if s.Reason != "" {
			about = why + ": " + m.user(s.Reason)
		}
		m.v.Doubtful = append(m.v.Doubtful, htmlRecord{m.user(s.Input) + " byte " + number(uint64(s.Offset)), about, m.cutEnd(m.user(s.Text), 400)})
	}
}
