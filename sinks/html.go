package sinks

import (
	"bufio"
	"crypto/sha256"
	"encoding/base64"
	"html/template"
	"io"
)

// WriteHTML writes the report as one HTML file that needs nothing else: no
// network, no script, no font. Pictures are drawn here, as SVG. The report as
// JSON stands at the end of it, in the element with the id "report".
//
// Text that comes from the log is escaped for a terminal first, because a page
// is copied from, and then by html/template. The policy in the page's head
// forbids whatever is not the style sheet of this file.
func WriteHTML(w io.Writer, r *Report) error {
	body, err := template.New("report").Parse(htmlBody)
	if err != nil {
		return err
	}
	b := bufio.NewWriterSize(w, flushAt)
	b.WriteString(htmlHead(r))
	if err := body.Execute(b, newHTMLView(r)); err != nil {
		return err
	}
	// The encoder escapes <, > and &, so the document can not end its element.
	b.WriteString(`<script type="application/json" id="report">`)
	e := newEncoder(b, false)
	e.document(r, "</script>\n</body>\n</html>\n")
	if err := e.close(); err != nil {
		return err
	}
	return b.Flush()
}

// htmlHead is what stands in front of the body. Nothing in it comes from a
// log but the time.
func htmlHead(r *Report) string {
	sum := sha256.Sum256([]byte(htmlStyle))
	title := "flagwatch report"
	if s := r.Pictured(); s != nil {
		title += " " + s.First.Format("2006-01-02 15:04") + " UTC"
	}
	return `<!DOCTYPE html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="default-src 'none'; style-src 'sha256-` + base64.StdEncoding.EncodeToString(sum[:]) + `'; img-src data:; base-uri 'none'; form-action 'none'">
<meta name="referrer" content="no-referrer">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<link rel="icon" href="data:,">
<title>` + title + `</title>
<style>` + htmlStyle + `</style>
</head>
`
}
