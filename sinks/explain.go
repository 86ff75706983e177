package sinks

import (
	"cmp"
	"io"
	"strings"

	"github.com/flagwatch/flagwatch/classify"
	"github.com/flagwatch/flagwatch/parser"
)

// WriteCause writes all that the catalogue says about a cause.
func WriteCause(w io.Writer, c *classify.Cause, opt TextOptions) error {
	p := newPage(opt)
	p.line(p.bold(c.ID) + "  " + c.Title)
	p.facts(c)
	for _, paragraph := range strings.Split(c.Meaning, "\n\n") {
		p.line("")
		p.flow("  ", " ", strings.Fields(paragraph)...)
	}
	p.line("")
	p.told("Evidence", c.Evidence)
	for i, r := range c.Rivals {
		p.told([]string{"Not", ""}[min(i, 1)], r.ID+": "+r.Tell)
	}
	for i, check := range c.Checks {
		p.line("  " + p.pad([]string{"Check", ""}[min(i, 1)], toldWidth, false) + "$ " + check)
	}
	p.told("Remedy", c.Remedy)
	p.told("One pod", c.OnePod)
	for _, k := range c.Cases {
		p.told("Or", k.Remedy)
	}
	p.told("Versions", c.Versions)
	for i, page := range c.Docs {
		p.line("  " + p.pad([]string{"Page", ""}[min(i, 1)], toldWidth, false) + page)
	}
	_, err := w.Write(p.buf.Bytes())
	return err
}

const toldWidth = 10

// told writes a named sentence, if there is one.
func (p *page) told(name, sentence string) {
	if sentence != "" {
		p.flow("  "+p.pad(name, toldWidth, false), " ", strings.Fields(sentence)...)
	}
}

func (p *page) bold(s string) string {
	if !p.color {
		return s
	}
	return "\x1b[1m" + s + "\x1b[0m"
}

// facts writes where a cause is seen, who has to act and how bad it is.
func (p *page) facts(c *classify.Cause) {
	list := []string{map[classify.Seen]string{
		classify.InAccess: "seen in access records", classify.InEvents: "seen in events", classify.Topic: "no stream shows it for certain",
	}[c.Seen], "side: " + c.Side.String(), "severity: " + c.Severity.String()}
	if c.Parent != "" {
		list = append(list, "a kind of "+c.Parent)
	}
	if len(c.Aliases) > 0 {
		list = append(list, "also "+strings.Join(c.Aliases, ", "))
	}
	p.flow("  ", " "+p.dot+" ", list...)
}

// WriteSuspects writes what something is and the causes to think of, most
// likely first.
func WriteSuspects(w io.Writer, name, about string, causes []*classify.Cause, opt TextOptions) error {
	p := newPage(opt)
	p.line(p.bold(p.user(name)))
	p.flow("  ", " ", strings.Fields(about)...)
	if len(causes) > 0 {
		shown := causes
		if most := p.most(maxSuspects); len(causes)-fewMore > most {
			shown = causes[:most]
		}
		p.suspects(shown)
		p.line("")
		p.flow("  ", " ", strings.Fields(goOn(causes, len(causes)-len(shown)))...)
	}
	_, err := w.Write(p.buf.Bytes())
	return err
}

// maxSuspects is how many causes are listed, and few more: a longer list is no
// answer.
const maxSuspects, fewMore = 15, 5

// suspects is a table of causes with the flags that their records have.
func (p *page) suspects(causes []*classify.Cause) {
	g := &grid{columns: []column{{head: "CAUSE"}, {head: "FLAGS", flex: true}, {head: "WHAT", flex: true}}}
	for _, c := range causes {
		g.add(markOf(c.Severity), "", c.ID, flagsIn(c), c.Title)
	}
	p.grid(g)
}

// flagsIn are the flags of a cause's examples.
func flagsIn(c *classify.Cause) string {
	set := parser.FlagSet(0)
	p := parser.NewParser(parser.Fields(parser.ResponseFlags))
	for _, example := range c.Examples {
		p.Reset(append(make([]byte, 0, len(example)+1+parser.Padding), example+"\n"...))
		for r, ok := p.Next(); ok; r, ok = p.Next() {
			if flags, known := r.Flags(); known && r.Kind == parser.Access {
				set |= flags
			}
		}
	}
	return strings.Join(knownFlags(uint64(set)), " ")
}

// goOn is how to go on from a list of causes.
func goOn(causes []*classify.Cause, hidden int) string {
	if hidden == 0 {
		return "flagwatch explain " + causes[0].ID + " says more about the first."
	}
	return plural(uint64(hidden), "more cause goes", "more causes go") + " with it: name the flags or the details that stand beside it, or paste the whole record, and few remain. " +
		"flagwatch explain " + causes[0].ID + " says more about the first, flagwatch list causes lists all."
}

// WriteVerdict writes what one record says about itself, and what to do: its
// commands are filled in with what the record tells.
func WriteVerdict(w io.Writer, what string, r *parser.Record, v classify.Verdict, opt TextOptions) error {
	p := newPage(opt)
	p.line(p.bold(p.user(what)))
	if v.Cause == nil {
		p.line("  nothing failed here, as far as this record tells")
		_, err := w.Write(p.buf.Bytes())
		return err
	}
	cause, side := *v.Cause, v.Side
	if k := caseOfRecord(v.Cause, r); k != nil {
		cause.Remedy, side = k.Remedy, cmp.Or(k.Side, side)
		if len(k.Checks) > 0 {
			cause.Checks = k.Checks
		}
	}
	p.told("Cause", v.Cause.ID+", confidence "+v.Confidence.String()+", side "+side.String()+".")
	p.told("Because", v.Doubt)
	p.told("What", strings.TrimSuffix(v.Cause.Title, ".")+". "+v.Cause.Meaning)
	for i, rival := range v.Rivals {
		p.told([]string{"Or", ""}[min(i, 1)], rival.ID+": "+tell(v.Cause, rival)+".")
	}
	for i, command := range commands(&cause, nil, fillFrom(r)) {
		p.line("  " + p.pad([]string{"Check", ""}[min(i, 1)], toldWidth, false) + "$ " + p.shell(command))
	}
	p.told("Remedy", cause.Remedy)
	more := "flagwatch explain " + v.Cause.ID
	if ofTeam(v.Cause.ID) {
		more += " --rules FILE"
	}
	p.told("More", more)
	_, err := w.Write(p.buf.Bytes())
	return err
}

// tell is what tells a rival from the cause, else what it is.
func tell(c, rival *classify.Cause) string {
	for _, r := range c.Rivals {
		if r.ID == rival.ID && r.Tell != "" {
			return "if " + r.Tell
		}
	}
	return rival.Title
}

// markOf is the mark of a severity.
func markOf(s classify.Severity) mark {
	return [...]mark{plainMark, infoMark, warningMark, errorMark}[s]
}
