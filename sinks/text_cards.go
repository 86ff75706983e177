package sinks

import (
	"cmp"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/flagwatch/flagwatch/classify"
)

const (
	maxCards     = 3 // cards that are shown
	maxCauseRows = 12
	labelWidth   = 8 // of the names at the left of a card
	maxProof     = 5
	maxRivalRows = 3
)

// answer is what matters most, and what to type next.
func (p *page) answer(r *Report) {
	if r.Headline == "" {
		return
	}
	p.line("")
	words := strings.Fields(p.user(r.Headline))
	for i, w := range words {
		words[i] = p.shorten(w, p.width-2)
	}
	p.flow("  ", " ", words...)
	for i, command := range firstCommands(r) {
		if i == 0 {
			p.line("")
		}
		p.command("  $ ", "      ", command)
	}
}

// firstCommands are what to type next: for the first cause, and for one beside
// it that may be its reason, or is large.
func firstCommands(r *Report) (list []string) {
	for i := range r.Causes {
		c, first := &r.Causes[i], &r.Causes[0]
		if first.Fold != "" {
			break
		}
		other := c.Verdict.Cause != first.Verdict.Cause && c.Verdict.Severity == classify.Error.String() && (c.Failed == 0 || c.Own()*4 >= r.Totals.Failed)
		if len(c.Next) > 0 && c.Fold == "" && (i == 0 || other) && !slices.Contains(list, c.Next[0]) {
			list = append(list, c.Next[0])
		}
	}
	return list[:min(len(list), 2)]
}

// verdict is the answer, and whose it is.
func (p *page) verdict(r *Report) {
	p.answer(r)
	if len(r.Sides) == 0 {
		return
	}
	p.line("")
	p.item(plainMark, "who", p.who(r.Sides)...)
	if len(r.Severities) > 1 {
		p.item(plainMark, "how bad", severities(r)...)
	}
}

// who is a bar for every side.
func (p *page) who(sides []NamedCount) []string {
	whole := uint64(min(max(p.width-45, 4), 20)) // leaves room for the longest name
	total := uint64(0)
	for _, s := range sides {
		total += s.Count
	}
	chunks := make([]string, 0, len(sides))
	for _, s := range sides {
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
	p.folded(r.Causes)
	p.consequences(r.Join)
	p.twice(r)
	for i := range shown[:min(len(shown), p.most(maxCards))] {
		p.card(i+1, &shown[i])
	}
	if n := len(shown); n > p.most(maxCards) {
		p.line("")
		p.flow("  ", " ", strings.Fields(plural(uint64(n), "cause", "causes")+", "+strconv.Itoa(maxCards)+" shown in full. All of them: -o wide. To share: -o html, -o markdown.")...)
	}
}

// shownCauses are those that are more than named.
func shownCauses(r *Report) []Card {
	return slices.DeleteFunc(slices.Clone(r.Causes), func(c Card) bool { return c.Fold != "" })
}

func (p *page) causeTable(r *Report, list []Card) {
	g := &grid{columns: []column{{"", true, false}, {"cause", false, true}, {"flags", false, true}, {"code", true, false}, {"count", true, false},
		{"share", true, false}, {"trend", false, false}, {"where", false, true}}}
	for i, c := range list[:min(len(list), p.most(maxCauseRows))] {
		flags, code := "", ""
		if len(c.Outcomes) > 0 {
			flags, code = p.user(strings.Join(c.Outcomes[0].Flags, ",")), p.code(c.Outcomes[0].Code)
		}
		g.add(severityMark(c.Verdict.Severity), "", strconv.Itoa(i+1), p.user(causeLabel(&c)), flags, code, number(c.Own()), shareOf(&c, r),
			p.trend(c.Trend), p.place(&c))
	}
	if n := len(list) - p.most(maxCauseRows); n > 0 {
		g.add(plainMark, "", "", strconv.Itoa(n)+" more", "", "", "", "", "", "")
	}
	for i := len(g.columns) - 1; i >= 0; i-- {
		if name := g.columns[i].head; p.wide {
			break
		} else if p.width < 100 && name == "trend" || p.width < narrow && (name == "where" || name == "share") {
			g.drop(i)
		}
	}
	p.grid(g)
}

// shareOf is a cause's share of the failed requests; events have none.
func shareOf(c *Card, r *Report) string {
	if c.Failed == 0 {
		return ""
	}
	return percent(c.Failed-c.Consequences, r.Totals.Failed)
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

// place is where a cause is met most.
func (p *page) place(c *Card) string {
	for _, list := range [][]ValueCount{c.Clusters, c.Authorities, c.ServerNames, c.Proxies} {
		if len(list) == 0 || list[0].Value == noCluster {
			continue
		}
		text := clusterShort(list[0].Value)
		if n := len(list) - 1; n > 0 {
			text += " +" + strconv.Itoa(n)
		}
		return p.user(text)
	}
	return ""
}

// clusterShort is service:port of Istio's names of clusters.
func clusterShort(name string) string {
	parts := strings.Split(name, "|")
	if len(parts) != 4 {
		return name
	}
	if parts[3] == "" {
		return parts[0] + " port " + parts[1]
	}
	service, _, _ := strings.Cut(parts[3], ".svc.")
	return service + ":" + parts[1]
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
	p.more(c)
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
	head := fmt.Sprintf("%s %d %s ", rule, n, symbol) + p.user(causeLabel(c)) + " " + rule + " " +
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
	var words []string
	for _, s := range sentences {
		words = append(words, strings.Fields(s)...)
	}
	if len(words) == 0 {
		return
	}
	for i, w := range words {
		words[i] = p.shorten(w, p.width-labelWidth-3)
	}
	p.flow("   "+p.pad(name, labelWidth, false), " ", words...)
}

// A fieldValues is a field with the values that a cause's records have in it.
type fieldValues struct {
	name string
	list []ValueCount
}

// fields are the fields that can prove a cause, the most telling first.
func (c *Card) fields() []fieldValues {
	return []fieldValues{
		{"transport reason", c.Reasons}, {"details", c.Details}, {"cluster", c.Clusters}, {"host", c.Hosts}, {"route", c.Routes},
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
	if d := c.Durations; d != nil {
		p.proofRow(rows == 0, "duration", d.whole())
		rows++
	}
	if c.First != nil {
		p.proofRow(rows == 0, "time", "first "+c.First.Format(p.times+".000")+", last "+c.Last.Format(p.times+".000")+" UTC")
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
		count += ", " + plural(uint64(n), "other", "others")
	}
	room := p.width - labelWidth - 3 - proofWidth - 2 - p.widthOf(count)
	value := p.user(list[0].Value)
	if room < 16 {
		p.proofRow(firstRow, name, value)
		p.proofRow(false, "", count)
		return
	}
	p.proofRow(firstRow, name, p.shorten(value, room)+"  "+count)
}

const proofWidth = 18

func (p *page) proofRow(firstRow bool, name, text string) {
	label := ""
	if firstRow {
		label = "Proof"
	}
	lead := "   " + p.pad(label, labelWidth, false) + p.pad(name, proofWidth, false)
	words := strings.Split(text, " ")
	for i, w := range words {
		words[i] = p.shorten(w, p.width-p.widthOf(lead))
	}
	p.flow(lead, " ", words...)
}

// evidence is what the stream shows.
func (p *page) evidence(c *Card) {
	for i, e := range c.Evidence {
		p.labelled([]string{"Seen", ""}[min(i, 1)], p.user(e.Text)+".")
	}
}

func (p *page) rivalRows(c *Card) {
	for i, r := range c.Rivals[:min(len(c.Rivals), maxRivalRows)] {
		sentence := r.Title
		if r.Tell != "" {
			sentence = "if " + r.Tell
		}
		p.labelled([]string{"Or", ""}[min(i, 1)], p.user(r.ID)+": "+p.user(sentence)+".")
	}
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
	lead := "   " + p.pad("Sample", labelWidth, false)
	p.line(lead + p.cutEnd(strings.Join(p.nonEmpty(parts...), "  "), p.width-p.widthOf(lead)))
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

// steps are the commands to type next. They are never cut: a command that is
// too wide goes on in the next line behind a backslash.
func (p *page) steps(c *Card) {
	for i, command := range c.Next {
		lead := "   " + p.pad([]string{"Next", ""}[min(i, 1)], labelWidth, false)
		p.command(lead, strings.Repeat(" ", labelWidth+5), command)
	}
}

// command writes a command behind a lead, its further lines behind another.
func (p *page) command(lead, further, command string) {
	line := ""
	for _, w := range shellWords(p.shell(command)) {
		switch {
		case line == "":
			line = w
		case p.widthOf(lead)+p.widthOf(line)+1+p.widthOf(w)+2 > p.width:
			p.line(lead + line + ` \`)
			lead, line = further, w
		default:
			line += " " + w
		}
		for p.widthOf(lead)+p.widthOf(line)+2 > p.width {
			head, tail := p.breakWord(line, p.width-p.widthOf(lead)-2)
			p.line(lead + head + `\`)
			lead, line = "", tail
		}
	}
	p.line(lead + line)
}

// shell is a command to be read: like all text, but for its backslashes, which
// a shell takes as they are.
func (p *page) shell(command string) string {
	parts := strings.Split(command, `\`)
	for i := range parts {
		parts[i] = p.user(parts[i])
	}
	return strings.Join(parts, `\`)
}

// breakWord breaks a word that is wider than the page, behind a comma if there
// is one. Its rest must begin the next line; what is in quotes is quoted in
// both parts.
func (p *page) breakWord(word string, room int) (head, tail string) {
	at, comma := 0, 0
	for i := range word {
		if i > 0 && p.widthOf(word[:i])+1 > room {
			break
		}
		if at = i; i > 0 && word[i-1] == ',' {
			comma = i
		}
	}
	if at = cmp.Or(comma, at); at == 0 {
		_, at = utf8.DecodeRuneInString(word)
	}
	if strings.Count(word[:at], "'")%2 == 1 {
		return word[:at] + "'", "'" + word[at:]
	}
	return word[:at], word[at:]
}

// shellWords splits a command where a line may end: not inside of quotes.
func shellWords(command string) (words []string) {
	quote, begin := byte(0), 0
	for i := range len(command) {
		switch c := command[i]; {
		case quote != 0:
			if c == quote {
				quote = 0
			}
		case c == '\'' || c == '"':
			quote = c
		case c == ' ':
			words = append(words, command[begin:i])
			begin = i + 1
		}
	}
	return append(words, command[begin:])
}

func (p *page) more(c *Card) {
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
		p.line(strings.Repeat(" ", indent) + p.shorten(page, p.width-indent))
	}
}
