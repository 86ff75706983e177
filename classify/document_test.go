package classify

import (
	"flag"
	"fmt"
	"strings"
	"testing"

	"github.com/flagwatch/flagwatch/internal/generated"
)

var update = flag.Bool("update", false, "write CAUSES.md again")

// CAUSES.md is the catalogue for readers: a section a cause.
func TestGeneratedCauses(t *testing.T) {
	generated.File(t, *update, "CAUSES.md", document(Causes(), Rules()))
}

func document(causes []Cause, rules []Rule) string {
	var b strings.Builder
	b.WriteString("# Causes\n\nEvery cause that flagwatch knows. `flagwatch explain ID` prints a section; `flagwatch list causes` lists them.\n" +
		"The conditions are those of `--rules` files, too; see condition.go for their language.\n\n" +
		"| cause | severity | side | seen in | |\n|---|---|---|---|---|\n")
	for _, c := range causes {
		fmt.Fprintf(&b, "| [%s](#%s) | %s | %s | %s | %s |\n", c.ID, c.ID, c.Severity, c.Side, c.Seen, cell(c.Title))
	}
	for _, c := range causes {
		section(&b, &c, rules)
	}
	return b.String()
}

func cell(s string) string { return strings.ReplaceAll(s, "|", `\|`) }

func section(b *strings.Builder, c *Cause, rules []Rule) {
	fmt.Fprintf(b, "\n## %s\n\n**%s.** %s\n", c.ID, strings.TrimSuffix(c.Title, "."), c.Meaning)
	paragraph(b, "Evidence", c.Evidence)
	if len(c.Rivals) > 0 {
		b.WriteString("\nTaken for, and what tells them apart:\n")
		for _, r := range c.Rivals {
			fmt.Fprintf(b, "* [%s](#%s): %s\n", r.ID, r.ID, r.Tell)
		}
	}
	fenced(b, "Check:", c.Checks)
	paragraph(b, "Remedy", c.Remedy)
	paragraph(b, "Remedy when one host of several has it", c.OnePod)
	for _, k := range c.Cases {
		paragraph(b, "Remedy when "+k.Picture.String(), k.Remedy)
		fenced(b, "Check then:", k.Checks)
	}
	paragraph(b, "Versions", c.Versions)
	paragraph(b, "Broader cause", c.Parent)
	paragraph(b, "Also known as", strings.Join(c.Aliases, ", "))
	var when []string
	for _, r := range rules {
		if r.Cause == c.ID {
			when = append(when, r.When)
		}
	}
	fenced(b, "Conditions, tried in the order of all rules:", when)
	fenced(b, "Example:", c.Examples)
	if len(c.Docs) > 0 {
		b.WriteString("\nPages: " + strings.Join(c.Docs, ", ") + "\n")
	}
}

func paragraph(b *strings.Builder, name, text string) {
	if text != "" {
		fmt.Fprintf(b, "\n%s: %s\n", name, text)
	}
}

func fenced(b *strings.Builder, name string, lines []string) {
	if len(lines) > 0 {
		fmt.Fprintf(b, "\n%s\n```\n%s\n```\n", name, strings.Join(lines, "\n"))
	}
}
