package main

import (
	"bytes"
	"fmt"
	"html"
	"strings"
	"testing"

	"github.com/flagwatch/flagwatch/internal/generated"
	"github.com/flagwatch/flagwatch/sinks"
)

const reportPage = "docs/report.md"

// TestGeneratedReportPage compares the lists in docs/report.md with those of
// the program, and the picture of a terminal with what it prints. -update
// writes them again.
func TestGeneratedReportPage(t *testing.T) {
	t.Chdir("../..")
	generated.Parts(t, *update, reportPage, generated.Part{Name: "outputs", Text: outputRows()}, generated.Part{Name: "csv", Text: csvRows()})
	generated.File(t, *update, "docs/terminal.svg", capture(t))
}

func outputRows() string {
	var b strings.Builder
	b.WriteString("| `-o` | what it is |\n|---|---|\n")
	for _, f := range outputFormats() {
		fmt.Fprintf(&b, "| `%s` | %s |\n", f.name, f.about)
	}
	return b.String()
}

func csvRows() string {
	var b strings.Builder
	b.WriteString("| column | what it is |\n|---|---|\n")
	for _, c := range sinks.CSVColumns() {
		fmt.Fprintf(&b, "| `%s` | %s |\n", c.Name, c.About)
	}
	return b.String()
}

// capture is the first screen of the sample's report as a picture of a
// terminal of 100 columns and 34 rows.
func capture(t *testing.T) string {
	t.Helper()
	const line, column, rows = 18, 8.43, 34
	text := "$ flagwatch " + sampleLog + "\n" + output(t, "--color", "always", sampleLog)
	var b bytes.Buffer
	fmt.Fprintf(&b, `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 %d %d" role="img" aria-label="The report in a terminal"><style>text{font:14px ui-monospace,Menlo,Consolas,"DejaVu Sans Mono",monospace;fill:#d7dbe0;white-space:pre}.e{fill:#ff8a80}.i{fill:#9aa3ad}</style><rect width="100%%" height="100%%" rx="6" fill="#14171a"/>`+"\n", int(100*column)+24, rows*line+24)
	for i, l := range strings.Split(text, "\n")[:rows] {
		l = html.EscapeString(l)
		l = strings.NewReplacer("\x1b[31m", `<tspan class="e">`, "\x1b[33m", `<tspan class="e">`, "\x1b[2m", `<tspan class="i">`, "\x1b[0m", "</tspan>").Replace(l)
		fmt.Fprintf(&b, "<text x=\"12\" y=\"%d\" xml:space=\"preserve\">%s</text>\n", (i+1)*line+8, l)
	}
	b.WriteString("</svg>\n")
	return b.String()
}
