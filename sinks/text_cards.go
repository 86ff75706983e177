package sinks

import (
	"cmp"
	"slices"
	"strconv"
	"strings"

	"github.com/flagwatch/flagwatch/classify"
)

const (
	maxCards     = 3 // cards that are shown
	maxCauseRows = 12
	labelWidth   = 8 // of the names at the left of a card
	maxProof     = 5
	maxRivalRows = 3
	maxHit       = 2 // services in the answer
)

// answer is what matters most, and what to type next.
func (p *page) answer(r *Report) {
	if r.Headline == "" {
		return
	}
	p.line("")
	p.blanks(2)
	f := p.paragraph(2, " ")
	f.words(p.user(r.Headline))
	p.endLine()
	for i, s := range firstSuggestions(r) {
		if i == 0 {
			p.line("")
		} else if p.width < 100 && !p.wide { // there is no room on the first screen
			break
		}
		p.buf.WriteString("  $ ")
		p.command(4, 6, s.command)
		p.empty(6, s.empty)
	}
}

// verdict is the answer, and whose it is.
func (p *page) verdict(r *Report) {
	p.answer(r)
	if len(r.Sides) == 0 {
		return
	}
	p.line("")
	p.item(plainMark, "who", p.who(r.Sides)...)
	for i, text := range r.hit(maxHit) {
		p.listed(plainMark, firstOf(i, "where"), p.user(text))
	}
}

func (p *page) users(list []string) []string {
	own := make([]string, len(list))
	for i, s := range list {
		own[i] = p.user(s)
	}
	return own
}

// who is a bar for every side.
func (p *page) who(sides []NamedCount) []string {
	whole := uint64(min(max(p.width-45, 4), 20)) // leaves room for the longest name
	total := uint64(0)
	for _, s := range sides {
		total += s.Count
	}
	chunks := make([]string, 0, len(sides))
	for i, s := range sides {
		if i > 0 && p.width < 100 && s.Count*20 < total { // there is no room for what does not matter
			chunks = append(chunks, strconv.Itoa(len(sides)-i)+" more")
			break
		}
		bar := strings.Repeat(p.bars[len(p.bars)-1], max(1, int(s.Count*whole/total)))
		chunks = append(chunks, p.user(s.Name)+" "+bar+" "+cmp.Or(percent(s.Count, total), number(s.Count)))
	}
	return chunks
}

// severities are said in the words of whoever is on call, but what a team's
// own cause means by its severity is not known.
func severities(r *Report) []string {
	words := map[string]string{"error": "outage", "warning": "refused or cut on purpose", "info": "left or probed"}
	plain := map[string]string{"error": "outage", "warning": "warning", "info": "information"}
	for i := range r.Causes {
		if v := &r.Causes[i].Verdict; ofTeam(v.Cause) {
			words[v.Severity] = plain[v.Severity]
		}
	}
	chunks := make([]string, 0, len(r.Severities))
	for _, s := range r.Severities {
		chunks = append(chunks, words[s.Name]+" "+number(s.Count))
	}
	return chunks
}

// ofTeam says whether a cause is not the catalogue's.
func ofTeam(id string) bool {
	return id != "" && !classify.IsDocumented(id)
}

// causes is the table of causes, then the cards of the most important ones.
func (p *page) causes(r *Report) {
	shown := shownCauses(r)
	p.causeTable(r, shown)
	p.more(r)
	p.folded(r.Causes)
	p.consequences(r.Join)
	p.twice(r)
	for i := range shown[:min(len(shown), p.most(maxCards))] {
		p.card(i+1, &shown[i])
		p.spill()
	}
	if n := len(shown); n > p.most(maxCards) {
		p.line("")
		p.flow("  ", " ", strings.Fields(plural(uint64(n), "cause", "causes")+", "+strconv.Itoa(maxCards)+" shown in full. All of them: -o wide. To share: -o html, -o markdown.")...)
	}
}

// shownCauses are those that are more than named. The others are the last.
func shownCauses(r *Report) []Card {
	n := slices.IndexFunc(r.Causes, func(c Card) bool { return c.Fold != "" })
	if n < 0 {
		n = len(r.Causes)
	}
	return r.Causes[:n:n]
}

func (p *page) causeTable(r *Report, list []Card) {
	g := &grid{last: "cause", columns: []column{{"", true, false}, {"cause", false, true}, {"flags", false, true}, {"code", true, false}, {"count", true, false},
		{"share", true, false}, {"trend", false, false}, {"until", false, false}, {"where", false, true}}}
	for i, c := range list[:min(len(list), p.most(maxCauseRows))] {
		flags, code := "", ""
		if len(c.Outcomes) > 0 {
			flags, code = p.user(strings.Join(c.Outcomes[0].Flags, ",")), p.code(c.Outcomes[0].Code)
		}
		g.add(severityMark(c.Verdict.Severity), "", strconv.Itoa(i+1), p.user(causeLabel(&c)), flags, code, number(c.Own()), shareOf(&c, r),
			p.trend(c.Trend), p.until(&c), p.place(&c, p.width >= 110 || p.wide))
	}
	if n := len(list) - p.most(maxCauseRows); n > 0 {
		g.add(plainMark, "", "", strconv.Itoa(n)+" more", "", "", "", "", "", "", "")
	}
	for i := len(g.columns) - 1; i >= 0; i-- {
		if name := g.columns[i].head; p.wide {
			break
		} else if p.width < 100 && (name == "trend" || name == "until") || p.width < narrow && (name == "where" || name == "share") {
			g.drop(i)
		}
	}
	p.grid(g)
}

// shareOf is a cause's share of the failed requests, each counted once; events
// have none.
func shareOf(c *Card, r *Report) string {
	if c.Failed == 0 {
		return ""
	}
	return percent(c.Failed-c.Consequences, r.failedOnce())
}

// causeLabel is the id of the verdict.
func causeLabel(c *Card) string { return cmp.Or(c.Verdict.Cause, "unexplained") }

func severityMark(severity string) mark {
	switch severity {
	case "info":
		return infoMark
	case "warning":
		return warningMark
	}
	return errorMark
}

// trend is empty when nothing has a time or the input is too short.
func (p *page) trend(counts []uint64) string {
	const cells = 8
	if len(counts) < cells {
		return ""
	}
	sums, most := [cells]uint64{}, uint64(0)
	for i, n := range counts {
		sums[i*cells/len(counts)] += n
		most = max(most, sums[i*cells/len(counts)])
	}
	if most == 0 {
		return ""
	}
	var b strings.Builder
	for _, n := range sums {
		b.WriteString(p.bars[level(n, most, len(p.bars))])
	}
	return b.String()
}

// until is when a cause was met last, as far as that was its end.
func (p *page) until(c *Card) string {
	switch c.Ending {
	case endingOngoing:
		if c.cut {
			return "cut"
		}
		return "now"
	case endingOver:
		return c.Last.Format(p.times)
	}
	return ""
}

// place is where a cause is met most, with its port or without. The name of
// the only input says nothing.
func (p *page) place(c *Card, port bool) string {
	if c.Namespace != "" {
		return p.user("namespace " + c.Namespace)
	}
	for i, list := range [][]ValueCount{c.Clusters, c.Authorities, c.ServerNames, c.Proxies} {
		if len(list) == 0 || list[0].Value == noCluster || list[0].Value == p.input {
			continue
		}
		text := list[0].Value
		if i == 0 {
			text = c.clusterOf(0)
		}
		if name, digits, ok := strings.Cut(text, ":"); ok && isDigits(digits) && !port {
			text = name
		}
		if n := len(list) - 1; n > 0 {
			text += " +" + strconv.Itoa(n)
			if len(list) >= maxTop {
				text += " or more"
			}
		}
		return p.user(text)
	}
	return ""
}

// consequences says what the join took off the counts.
func (p *page) consequences(j Join) {
	if j.Consequences == 0 {
		return
	}
	about := ""
	if j.Sampled {
		about = "about "
	}
	p.line("")
	p.note(infoMark, about+plural(j.Consequences, "failed record is a consequence", "failed records are consequences")+
		": another proxy's record of the same request has the cause. --join=false counts each by itself.")
}

// folded names what is expected, routine or suppressed.
func (p *page) folded(list []Card) {
	written := false
	for _, why := range FoldNames() {
		var chunks []string
		for i := range list {
			if c := &list[i]; c.Fold == why {
				chunks = append(chunks, p.user(causeLabel(c))+" "+number(max(c.Records, c.Own())))
			}
		}
		if len(chunks) == 0 {
			continue
		}
		if !written {
			p.line("")
			written = true
		}
		p.item(infoMark, why, chunks...)
	}
}

// card is all that there is to say about a cause.
func (p *page) card(n int, c *Card) {
	p.line("")
	p.cardHead(n, c)
	p.labelled("What", p.user(c.Verdict.Title)+".", p.user(c.meaning()))
	p.whose(c)
	p.proof(c)
	p.evidence(c)
	p.rivalRows(c)
	p.sampleRow(c)
	p.steps(c)
	p.labelled("Fix", p.user(c.Remedy))
	p.reading(c)
}

// meaning names the records' own cause when the verdict is another one.
func (c *Card) meaning() string {
	if c.Verdict.Cause != c.ID {
		return c.Meaning + " By themselves the records say only: " + cmp.Or(c.ID, "nothing that is documented") + "."
	}
	return c.Meaning
}

// sideWords say who a side is, where its name alone does not.
var sideWords = map[string]string{
	"client-proxy":  "the caller's sidecar or gateway, and the mesh configuration that it follows",
	"server-proxy":  "the sidecar in front of the application that was called, and the policies that it enforces",
	"platform":      "Kubernetes: Services, labels, pods and nodes",
	"control-plane": "istiod, or the way to it",
}

// whose says who has to act.
func (p *page) whose(c *Card) {
	if words := sideWords[c.Verdict.Side]; words != "" {
		p.labelled("Whose", words+".")
	}
}

func (p *page) cardHead(n int, c *Card) {
	rule := "──"
	if p.ascii {
		rule = "--"
	}
	m := severityMark(c.Verdict.Severity)
	symbol := p.marks[m]
	head := rule + " " + strconv.Itoa(n) + " " + symbol + " " + p.user(causeLabel(c)) + " " + rule + " " +
		strings.Join(p.nonEmpty(amount(c), prefixed("confidence ", p.user(c.Verdict.Confidence)), p.user(c.Verdict.Side)), " "+p.dot+" ") + " "
	head = p.cutEnd(head, p.width)
	head += strings.Repeat(rule[:len(rule)/2], max(0, p.width-p.widthOf(head)))
	if p.color {
		head = strings.Replace(head, symbol, colours[m]+symbol+"\x1b[0m", 1)
	}
	p.line(head)
}

// amount is how many requests, events or proxies a cause has.
func amount(c *Card) string {
	switch {
	case c.Waiting > 0:
		return plural(c.Waiting, "proxy", "proxies")
	case c.Failed == 0:
		return plural(c.Events, "event", "events")
	case c.Events > 0:
		return plural(c.Failed-c.Consequences, "request", "requests") + ", " + plural(c.Events, "event", "events")
	}
	return plural(c.Own(), "request", "requests")
}

func prefixed(prefix, s string) string {
	if s == "" {
		return ""
	}
	return prefix + s
}

func (p *page) nonEmpty(list ...string) []string {
	return slices.DeleteFunc(list, func(s string) bool { return s == "" })
}

// labelled writes sentences behind a name.
func (p *page) labelled(name string, sentences ...string) {
	if !slices.ContainsFunc(sentences, func(s string) bool { return strings.TrimSpace(s) != "" }) {
		return
	}
	p.label(name)
	f := p.paragraph(labelWidth+3, " ")
	for _, s := range sentences {
		f.words(s)
	}
	p.endLine()
}

// label writes a name at the left of a card.
func (p *page) label(name string) {
	p.blanks(3)
	p.padded(name, labelWidth, false)
}

// A fieldValues is a field with the values that a cause's records have in it.
type fieldValues struct {
	name string
	list []ValueCount
}

// fields are the fields that can prove a cause, the most telling first.
func (c *Card) fields() []fieldValues {
	return []fieldValues{
		{"transport reason", c.Reasons}, {"details", c.Details}, {"cluster", c.Clusters}, {"host", c.Hosts}, {"caller", c.Callers}, {"route", c.Routes},
		{"client", c.Clients}, {"authority", c.Authorities}, {"server name", c.ServerNames}, {"path", c.Paths},
	}
}

// proof are the fields that the records agree on.
func (p *page) proof(c *Card) {
	total := max(c.Records, 1)
	rows := 0
	for _, f := range c.fields() {
		if len(f.list) == 0 || rows == maxProof || f.name == "route" && f.list[0].Value == "default" && len(f.list) == 1 || f.list[0].Value == noCluster && len(f.list) == 1 {
			continue
		}
		if f.name == "path" && f.list[0].Count*2 < total {
			continue
		}
		p.fieldRow(rows == 0, f.name, f.list, total)
		rows++
	}
	if len(c.Traffic) > 0 {
		p.proofRow(rows == 0, "traffic", p.user(c.traffic()))
		rows++
	}
	if d := c.Durations; d != nil {
		p.proofRow(rows == 0, "duration", d.whole())
		rows++
	}
	if c.First != nil {
		p.proofRow(rows == 0, "time", p.period(c))
	}
}

// fieldRow shows the most frequent value with its count, the next one, and how
// many more there are.
func (p *page) fieldRow(firstRow bool, name string, list []ValueCount, total uint64) {
	n := list[0].Count - list[0].Excess
	count := number(n) + " of " + number(total)
	if share := percent(n, total); share != "" {
		count += " (" + share + ")"
	}
	if n == total && n > 1 {
		count = "all " + number(total)
	}
	if n := len(list) - 1; n > 0 {
		count += ", " + unlisted(n, len(list), maxTop, "other", "others")
	}
	room := p.width - labelWidth - 3 - proofWidth - 2 - p.widthOf(count)
	value := p.user(list[0].Value)
	if room < 16 {
		p.proofRow(firstRow, name, value)
		p.proofRow(false, "", count)
		return
	}
	p.proofRow(firstRow, name, p.shorten(value, room), "", count)
}

const proofWidth = 18

// proofRow writes texts behind the name of a field.
func (p *page) proofRow(firstRow bool, name string, texts ...string) {
	label := ""
	if firstRow {
		label = "Proof"
	}
	p.label(label)
	p.padded(name, proofWidth, false)
	f := p.paragraph(3+labelWidth+proofWidth, " ")
	for _, text := range texts {
		for w := range strings.SplitSeq(text, " ") {
			f.add(p.shorten(w, p.width-f.indent))
		}
	}
	p.endLine()
}

// evidence is what the stream shows.
func (p *page) evidence(c *Card) {
	for i, e := range c.Evidence {
		p.labelled(firstOf(i, "Seen"), p.user(e.Text)+".")
	}
}

func (p *page) rivalRows(c *Card) {
	for i, r := range c.Rivals[:min(len(c.Rivals), maxRivalRows)] {
		sentence := r.Title
		if r.Tell != "" {
			sentence = "if " + r.Tell
		}
		p.labelled(firstOf(i, "Or"), p.user(r.ID)+": "+p.user(sentence)+".")
	}
}

// firstOf is the name of the first of several rows.
func firstOf(i int, name string) string {
	if i > 0 {
		return ""
	}
	return name
}

// period is when a cause's records came.
func (p *page) period(c *Card) string {
	layout := p.times + ".000"
	return strings.Join(p.nonEmpty("first "+c.First.Format(layout)+", last "+c.Last.Format(layout)+" UTC", c.ended(p.times)), "; ")
}

// sampleRow is one record, in the fields that matter.
func (p *page) sampleRow(c *Card) {
	if len(c.Samples) == 0 {
		return
	}
	s := &c.Samples[0]
	var parts []string
	if s.Time != nil {
		parts = append(parts, s.Time.Format("15:04:05.000"))
	}
	if s.Code == nil && s.Message != "" {
		parts = append(parts, s.Level, s.Message)
	} else {
		parts = append(parts, s.request(p)...)
	}
	for i := range parts {
		parts[i] = p.user(parts[i])
	}
	p.label("Sample")
	p.line(p.cutEnd(strings.Join(p.nonEmpty(parts...), "  "), p.width-labelWidth-3))
}

func (s *CauseSample) request(p *page) []string {
	arrow := "→ "
	if p.ascii {
		arrow = "to "
	}
	return []string{
		strings.TrimSpace(s.Method + " " + s.Authority + s.Path), outcomeText(s.Code, orDash(s.Flags)),
		prefixed(arrow, s.Host), suffixed(s.Duration, " ms"), prefixed("id ", s.RequestID),
	}
}

func orDash(flags []string) []string {
	if len(flags) == 0 {
		return []string{"-"}
	}
	return flags
}

func suffixed(s, suffix string) string {
	if s == "" {
		return ""
	}
	return s + suffix
}

// reading is where to read more.
func (p *page) reading(c *Card) {
	if c.Verdict.Cause != "" {
		command := "flagwatch explain " + p.user(c.Verdict.Cause)
		if ofTeam(c.Verdict.Cause) {
			command += " --rules FILE"
		}
		p.labelled("More", command)
	}
	if len(c.Docs) > 0 {
		page := p.user(c.Docs[0])
		indent := labelWidth + 3
		if room := p.width - p.widthOf(page); room >= 0 { // what is shortened can not be opened
			indent = min(indent, room)
		}
		p.blanks(indent)
		p.line(p.shorten(page, p.width-indent))
	}
}
