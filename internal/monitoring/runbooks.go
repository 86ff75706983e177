package monitoring

import (
	"fmt"
	"strings"
)

// pages is where the documents of this repository are read.
const pages = "https://github.com/flagwatch/flagwatch/blob/main/"

func (a *alert) runbook() string { return pages + "docs/runbooks.md#" + strings.ToLower(a.name) }

// Runbooks is the page that alerts lead to: a section an alert.
func Runbooks() string {
	var b strings.Builder
	b.WriteString("# Runbooks\n\nWhat the alerts of `flagwatch generate rules` mean and what to type first. In commands, words in\n" +
		"capitals stand for what the alert's labels say; AGENT is the address of a flagwatch agent, MEMBER that of a\n" +
		"`flagwatch kafka --listen`.\n\n## Mesh\n\n")
	table(&b, meshAlerts())
	b.WriteString("\n## flagwatch itself\n\n")
	table(&b, selfAlerts())
	for _, a := range append(meshAlerts(), selfAlerts()...) {
		a.section(&b)
	}
	return b.String()
}

func table(b *strings.Builder, alerts []alert) {
	b.WriteString("| alert | severity | when |\n|---|---|---|\n")
	for _, a := range alerts {
		fmt.Fprintf(b, "| [%s](#%s) | %s | %s |\n", a.name, strings.ToLower(a.name), a.severity, a.when)
	}
}

func (a *alert) section(b *strings.Builder) {
	fmt.Fprintf(b, "\n### %s\n\n%s\n\nFires: %s\n\n```\n%s\n```\n", a.name, a.meaning, a.when, strings.Join(a.steps, "\n"))
	if len(a.causes) == 0 {
		return
	}
	b.WriteString("\n| cause | side | |\n|---|---|---|\n")
	for _, c := range a.causes {
		fmt.Fprintf(b, "| [%s](../classify/CAUSES.md#%s) | %s | %s |\n", c.ID, c.ID, c.Side, strings.ReplaceAll(c.Title, "|", `\|`))
	}
}
