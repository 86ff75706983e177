package sinks

import (
	"bytes"
	"io"
	"strconv"
	"strings"
)

// How much of a report fits a chat message: Slack's limit for text is 4,000
// characters.
// Source: https://docs.slack.dev/reference/methods/chat.postMessage
const (
	maxMessage    = 4000
	messageWidth  = 78
	messageCauses = 8
	messageCards  = 2
	messageHints  = 2

	messageServices = 2
)

// WriteMarkdown writes the report as a chat message: the answer, the causes,
// and what to type next. Whatever comes from the log stands in code, so that
// no chat takes it for markup, a link or a mention.
func WriteMarkdown(w io.Writer, r *Report) error {
	var text []byte
	for causes, cards := messageCauses, messageCards; ; {
		text = message(r, causes, cards)
		switch {
		case len(text) <= maxMessage:
		case cards > 0:
			cards--
			continue
		case causes > 1:
			causes--
			continue
		}
		break
	}
	_, err := w.Write(text)
	return err
}

func message(r *Report, causes, cards int) []byte {
	m := &markdown{page: newPage(TextOptions{Width: messageWidth})}
	m.show(r)
	shown := shownCauses(r)
	m.summary(r)
	if len(shown) > 0 {
		m.fenced(func(p *page) { p.messageTable(r, shown, causes) })
	}
	for i := range shown[:min(len(shown), cards)] {
		m.card(i+1, &shown[i])
	}
	if n := len(shown) - cards; n > 0 && cards > 0 {
		m.line("")
		m.line(plural(uint64(n), "more cause", "more causes") + ": `flagwatch -o html` shows all.")
	}
	return m.buf.Bytes()
}

// A markdown is a message in the making.
type markdown struct{ *page }

// prose makes a sentence fit for markdown: words that a chat would take for
// more than a word become code.
func (m *markdown) prose(s string) string {
	words := strings.Fields(m.user(s))
	for i, w := range words {
		if strings.ContainsAny(w, "`*_[]<>|~@&#\\!") || strings.Contains(w, "://") || strings.Contains(w, "www.") {
			words[i] = code(w)
		}
	}
	return strings.Join(words, " ")
}

// code is a word as code; a backtick in it can not end it.
func code(s string) string { return "`" + withoutTicks(s) + "`" }

func withoutTicks(s string) string { return strings.ReplaceAll(s, "`", `\x60`) }

func (m *markdown) summary(r *Report) {
	t := r.Totals
	if r.Headline != "" {
		m.line("**" + m.prose(r.Headline) + "**")
		m.line("")
	}
	failed := "no failed request"
	if t.Failed > 0 {
		failed = number(t.Failed) + " " + failedOf(r)
	}
	chunks := []string{plural(t.Records, "record", "records")}
	if t.Access > 0 {
		chunks = append(chunks, failed)
	}
	if n := t.Invalid; n > 0 {
		chunks = append(chunks, number(n)+" unreadable")
	}
	if s := r.Pictured(); s != nil {
		chunks = append(chunks, m.span(s))
	}
	m.line(strings.Join(chunks, " · "))
	total := uint64(0)
	for _, s := range r.Sides {
		total += s.Count
	}
	chunks = chunks[:0]
	for _, s := range r.Sides {
		share := percent(s.Count, total)
		chunks = append(chunks, strings.TrimSpace(m.prose(s.Name)+" "+number(s.Count)+" "+parenthesised(share)))
	}
	if len(chunks) > 0 {
		m.line("")
		m.line("Whose: " + strings.Join(chunks, " · "))
	}
	if hit := r.hit(messageServices); len(hit) > 0 {
		for i := range hit {
			hit[i] = m.prose(hit[i])
		}
		m.line("")
		m.line("Where: " + strings.Join(hit, " · "))
	}
	m.latency(r)
	m.callers(r)
	for i := range r.Hints[:min(len(r.Hints), messageHints)] {
		m.line("")
		m.line("Worth a look: " + m.prose(r.Hints[i].sentence()))
	}
	for _, in := range r.Inputs {
		if in.Error != "" {
			m.line("")
			m.line("Not read to its end: " + code(m.cutEnd(m.user(in.Name), messageWidth)) + ", " + m.prose(m.cutEnd(in.Error, messageWidth)))
			break
		}
	}
}

// callers are whose requests failed most.
func (m *markdown) callers(r *Report) {
	const most = 2
	if r.Clients == nil || r.Totals.Failed == 0 {
		return
	}
	var chunks []string
	for _, list := range [][]ValueCount{r.Clients.Addresses, r.Clients.UserAgents} {
		for _, v := range list[:min(len(list), most)] {
			chunks = append(chunks, code(m.cutEnd(m.user(v.Value), messageWidth/2))+" "+atLeast(&v))
		}
	}
	if len(chunks) > 0 {
		m.line("")
		m.line("Callers: " + strings.Join(chunks, " · "))
	}
}

func parenthesised(s string) string {
	if s == "" {
		return ""
	}
	return "(" + s + ")"
}

// fenced writes a block of code.
func (m *markdown) fenced(write func(*page)) {
	p := newPage(TextOptions{Width: messageWidth})
	p.times, p.input = m.times, m.input
	write(p)
	m.line("")
	m.line("```")
	m.buf.WriteString(withoutTicks(string(bytes.TrimLeft(p.buf.Bytes(), "\n"))))
	m.line("```")
}

func (p *page) messageTable(r *Report, list []Card, limit int) {
	g := &grid{columns: []column{{"", true, false}, {"cause", false, false}, {"flags", false, true}, {"code", true, false}, {"count", true, false}, {"where", false, true}}}
	for i := range list[:min(len(list), limit)] {
		c := &list[i]
		code, flags := "", ""
		if len(c.Outcomes) > 0 {
			code, flags = p.code(c.Outcomes[0].Code), p.user(strings.Join(c.Outcomes[0].Flags, ","))
		}
		g.add(severityMark(c.Verdict.Severity), "", strconv.Itoa(i+1), p.user(causeLabel(c)), flags, code, number(c.Own()), p.place(c, true))
	}
	if n := len(list) - limit; n > 0 {
		g.add(plainMark, "", "", strconv.Itoa(n)+" more", "", "", "", "")
	}
	p.grid(g)
}

// card is the most important of a cause: what it is, what proves it, and the
// commands, each in a line that can be copied.
func (m *markdown) card(n int, c *Card) {
	m.line("")
	m.line("**" + strconv.Itoa(n) + " " + m.prose(causeLabel(c)) + "** · " + m.prose(c.Verdict.Title) + " · confidence " + m.prose(c.Verdict.Confidence))
	for _, e := range c.Evidence[:min(len(c.Evidence), 3)] {
		m.line("- " + m.prose(e.Text))
	}
	if len(c.Next) == 0 {
		return
	}
	m.line("")
	m.line("```")
	for i := range c.Next {
		t := c.suggestion(i)
		m.line(withoutTicks(m.shell(t.command)))
		if t.empty != "" {
			m.line(withoutTicks("# if empty: " + m.user(t.empty)))
		}
	}
	m.line("```")
}
