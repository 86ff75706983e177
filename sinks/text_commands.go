package sinks

import (
	"cmp"
	"iter"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/flagwatch/flagwatch/classify"
)

// A suggestion is a command to type next, and what it means that it shows
// nothing.
type suggestion struct{ command, empty string }

// suggestion is one of the commands.
func (c *Card) suggestion(i int) suggestion {
	t := suggestion{command: c.Next[i]}
	if i < len(c.IfEmpty) {
		t.empty = c.IfEmpty[i]
	}
	return t
}

// firstSuggestions are what to type next: for the first cause, and for one beside it
// that may be its reason, or is large.
func firstSuggestions(r *Report) (list []suggestion) {
	for i := range r.Causes {
		c, first := &r.Causes[i], &r.Causes[0]
		if first.Fold != "" {
			break
		}
		other := c.Verdict.Cause != first.Verdict.Cause && c.Verdict.Severity == classify.Error.String() && (c.Failed == 0 || c.Own()*4 >= r.Totals.Failed)
		if len(c.Next) > 0 && c.Fold == "" && (i == 0 || other) && !slices.Contains(list, c.suggestion(0)) {
			list = append(list, c.suggestion(0))
		}
	}
	return list[:min(len(list), 2)]
}

// steps are the commands to type next. They are never cut: a command that is
// too wide goes on in the next line behind a backslash.
func (p *page) steps(c *Card) {
	for i, command := range c.Next {
		p.label(firstOf(i, "Next"))
		p.command(labelWidth+3, labelWidth+5, command)
		p.empty(labelWidth+5, c.suggestion(i).empty)
	}
}

// empty says below a command what it means that it shows nothing: a comment
// for a shell.
func (p *page) empty(indent int, means string) {
	if means != "" {
		p.blanks(indent)
		p.write("# ")
		f := p.paragraph(indent+len("# "), " ")
		f.further = "# "
		f.words("if empty: " + p.user(means))
		p.endLine()
	}
}

// command writes a command behind a lead that is written already; its further
// lines are indented.
func (p *page) command(lead, indent int, command string) {
	width, begun := lead, false
	for word := range shellWords(p.shell(command)) {
		w := p.widthOf(word)
		switch {
		case !begun:
			begun = true
		case width+1+w+2 > p.width:
			p.line(` \`)
			p.blanks(indent)
			width = indent
		default:
			p.blanks(1)
			width++
		}
		for width+w+2 > p.width {
			head, tail := p.breakWord(word, p.width-width-2)
			p.buf.WriteString(head)
			p.line(`\`)
			word, width, w = tail, 0, p.widthOf(tail)
		}
		p.buf.WriteString(word)
		width += w
	}
	p.endLine()
}

// shell is a command to be read: like all text, but for its backslashes, which
// a shell takes as they are.
func (p *page) shell(command string) string {
	if strings.IndexByte(command, '\\') < 0 {
		return p.user(command)
	}
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
func shellWords(command string) iter.Seq[string] {
	return func(yield func(string) bool) {
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
				if !yield(command[begin:i]) {
					return
				}
				begin = i + 1
			}
		}
		yield(command[begin:])
	}
}
