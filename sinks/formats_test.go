package sinks

import (
	"bytes"
	"encoding/csv"
	"encoding/json"
	"html"
	"io"
	"reflect"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"
	"unicode"
)

// allFormats writes a report in each format.
func allFormats(t *testing.T, r *Report) map[string]string {
	t.Helper()
	out := map[string]string{}
	for name, write := range writers() {
		var b bytes.Buffer
		if err := write(&b, r); err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		out[name] = b.String()
	}
	return out
}

func writers() map[string]func(io.Writer, *Report) error {
	text := func(opt TextOptions) func(io.Writer, *Report) error {
		return func(w io.Writer, r *Report) error { return WriteText(w, r, opt) }
	}
	return map[string]func(io.Writer, *Report) error{
		"table": text(TextOptions{}), "wide": text(TextOptions{Wide: true}), "quiet": text(TextOptions{Quiet: true}), "brief": text(TextOptions{Brief: true}),
		"narrow": text(TextOptions{Width: 60}), "broad": text(TextOptions{Width: 140}), "ascii": text(TextOptions{ASCII: true}),
		"json": func(w io.Writer, r *Report) error { return r.WriteJSON(w) }, "jsonl": func(w io.Writer, r *Report) error { return r.WriteJSONL(w) },
		"csv": WriteCSV, "markdown": WriteMarkdown, "html": WriteHTML,
	}
}

// A golden file for every format.
func TestFormatsGolden(t *testing.T) {
	r := reportOf(incident())
	small := reportOf(strings.Repeat(refused("").String(), 25) + access{}.String())
	for name, out := range allFormats(t, r) {
		switch name {
		case "wide", "quiet", "brief":
			golden(t, "incident_"+name+".txt", []byte(out))
		case "csv", "markdown":
			golden(t, "incident."+name, []byte(out))
		}
	}
	for name, out := range allFormats(t, small) {
		switch name {
		case "jsonl", "html", "markdown":
			golden(t, "small."+name, []byte(out))
		}
	}
}

// No output of any input can be obeyed, whatever the format.
func TestFormatsAreHarmless(t *testing.T) {
	for name, r := range reportsOfAllKinds(t) {
		for format, out := range allFormats(t, r) {
			harmless(t, name+", "+format, out)
		}
	}
}

func harmless(t *testing.T, name, out string) {
	t.Helper()
	for i, r := range out {
		if r != '\n' && unicode.In(r, unicode.Cc, unicode.Cf, unicode.Zl, unicode.Zp) || r == unicode.ReplacementChar && !strings.HasPrefix(out[i:], "\uFFFD") {
			t.Errorf("%s: %U at byte %d: %q", name, r, i, out[max(0, i-40):min(len(out), i+40)])
			return
		}
	}
}

// evil is what a terminal, a browser, a chat or a spreadsheet would obey.
var evil = []string{
	"<script>alert(1)</script>", `"><img src=x onerror=alert(1)>`, "'><svg onload=alert(1)>", "</title><b>", "</style><script>", "<!--", "]]>", "javascript:alert(1)",
	"\x1b]52;c;ZXZpbA==\a", "\u202e\u2066", "\u2028\u2029", "\x00\x9b\xff", "```\n# heading\n", "@channel <!channel> [a](https://evil.example) ![x](https://evil.example/x.png)",
	"=HYPERLINK(1)", "+1", "-1", "@SUM(1)", "\tx", "\r=1", "{{.}}", "${x}", "%s%n", "a|b|c", "`id`",
}

// corrupted is a report of which every string is evil.
func corrupted(text string) *Report {
	r := reportOf(incident() + "Error from server (NotFound): pods \"x\" not found\n")
	corrupt(reflect.ValueOf(r), text)
	r.Version = text
	return r
}

func corrupt(v reflect.Value, text string) {
	switch v.Kind() {
	case reflect.Pointer:
		if !v.IsNil() {
			corrupt(v.Elem(), text)
		}
	case reflect.Slice:
		for i := range v.Len() {
			corrupt(v.Index(i), text)
		}
	case reflect.Struct:
		if v.Type() == reflect.TypeFor[time.Time]() {
			return
		}
		for i := range v.NumField() {
			if f := v.Type().Field(i); f.IsExported() && f.Name != "Fold" { // that decides what is shown
				corrupt(v.Field(i), text)
			}
		}
	case reflect.String:
		v.SetString(text)
	}
}

var (
	tagPattern  = regexp.MustCompile(`<(/?[a-zA-Z!][^\s>/]*)([^>]*)>`)
	attrPattern = regexp.MustCompile(`([a-zA-Z-]+)="[^"]*"`)
)

// Whatever the strings of a report are, nothing that is written can be obeyed.
func TestCorruptedReportIsHarmless(t *testing.T) {
	for _, text := range evil {
		for format, out := range allFormats(t, corrupted(text)) {
			harmless(t, format, out)
		}
	}
}

// Whatever the strings of a report are, the page has no element and no
// attribute but its own, and its links go where the catalogue says.
func TestHTMLTextStaysText(t *testing.T) {
	tags, attributes := map[string]bool{}, map[string]bool{}
	for _, m := range tagPattern.FindAllStringSubmatch(htmlHead(&Report{})+actions.ReplaceAllString(htmlBody, "")+`</body></html><script type="" id="">`, -1) {
		tags[strings.TrimPrefix(m[1], "/")] = true
		for _, a := range attrPattern.FindAllStringSubmatch(m[2], -1) {
			attributes[a[1]] = true
		}
	}
	attributes["class"] = true // also where an action writes all of it
	for _, text := range evil {
		r := corrupted(text)
		var b bytes.Buffer
		if err := WriteHTML(&b, r); err != nil {
			t.Fatal(err)
		}
		out := b.String()
		harmless(t, text, out)
		if strings.Count(out, "<script") != 1 || strings.Count(out, "</script") != 1 {
			t.Errorf("%q: %d scripts", text, strings.Count(out, "<script"))
		}
		page, _, _ := strings.Cut(out, `<script type="application/json" id="report">`)
		for _, m := range tagPattern.FindAllStringSubmatch(page, -1) {
			if !tags[strings.TrimPrefix(m[1], "/")] {
				t.Errorf("%q: element %s", text, m[0])
			}
			for _, a := range attrPattern.FindAllStringSubmatch(m[2], -1) {
				if !attributes[a[1]] {
					t.Errorf("%q: attribute %s in %s", text, a[0], m[0])
				}
			}
		}
		if m := regexp.MustCompile(`(href|src)="[^#d][^"]*"`).FindString(page); m != "" {
			t.Errorf("%q: %s", text, m)
		}
		if doc := embedded(t, out); doc.Headline != copyOf(t, r).Headline {
			t.Errorf("%q: the document has %q", text, doc.Headline)
		}
	}
}

var actions = regexp.MustCompile(`\{\{[^}]*\}\}`)

// S12: no action of the template stands in a script, a style sheet, an event
// or the address of a link, but for pages of the catalogue and places in the
// page.
func TestHTMLTemplateIsPlain(t *testing.T) {
	if strings.Contains(htmlBody, "<script") || strings.Contains(htmlBody, "<style") || regexp.MustCompile(`\s(on\w+|style|src|srcdoc)=`).MatchString(htmlBody) {
		t.Error("the body has a script, a style, an event or a source")
	}
	for _, m := range regexp.MustCompile(`href="([^"]*)"`).FindAllStringSubmatch(htmlBody, -1) {
		if m[1] != "#causes" && m[1] != "#c{{.N}}" && m[1] != "{{.}}" {
			t.Errorf("link to %s", m[1])
		}
	}
	if n := strings.Count(htmlBody, `href="{{.}}"`); n != 1 || !strings.Contains(htmlBody, `{{range .Links}} <a href="{{.}}"`) {
		t.Errorf("%d links beside those of the catalogue", n-1)
	}
}

// copyOf is the report as its JSON tells it.
func copyOf(t *testing.T, r *Report) *Report {
	t.Helper()
	var b bytes.Buffer
	if err := r.WriteJSON(&b); err != nil {
		t.Fatal(err)
	}
	back := new(Report)
	if err := json.Unmarshal(b.Bytes(), back); err != nil {
		t.Fatal(err)
	}
	return back
}

// embedded is the report in a page.
func embedded(t *testing.T, page string) *Report {
	t.Helper()
	_, doc, _ := strings.Cut(page, `id="report">`)
	doc, _, _ = strings.Cut(doc, "</script>")
	r := new(Report)
	if err := json.Unmarshal([]byte(doc), r); err != nil {
		t.Fatalf("%v in %.200s", err, doc)
	}
	return r
}

// The report can be read back out of a page, and a page of a usual incident is
// small.
func TestHTMLHoldsTheReport(t *testing.T) {
	for name, r := range reportsOfAllKinds(t) {
		var b bytes.Buffer
		if err := WriteHTML(&b, r); err != nil {
			t.Fatal(err)
		}
		var want, got bytes.Buffer
		copyOf(t, r).WriteJSON(&want)
		embedded(t, b.String()).WriteJSON(&got)
		if want.String() != got.String() {
			t.Errorf("%s: the report in the page is another one", name)
		}
		if b.Len() > 250_000 {
			t.Errorf("%s: %d bytes", name, b.Len())
		}
	}
}

// A message fits a chat and keeps its blocks of code, whatever is in it.
func TestMarkdownIsAMessage(t *testing.T) {
	list := reportsOfAllKinds(t)
	for _, text := range evil {
		list[text] = corrupted(text)
	}
	for name, r := range list {
		var b bytes.Buffer
		if err := WriteMarkdown(&b, r); err != nil {
			t.Fatal(err)
		}
		if b.Len() == 0 || b.Len() > maxMessage {
			t.Errorf("%s: %d bytes", name, b.Len())
		}
		inside := false
		for line := range strings.Lines(b.String()) {
			switch {
			case line == "```\n":
				inside = !inside
			case strings.Contains(line, "```"):
				t.Errorf("%s: a block ends in %q", name, line)
			case inside:
			default:
				for i, part := range strings.Split(line, "`") {
					if i%2 == 0 && (strings.ContainsAny(part, "<>[]@#\\|!") || strings.Contains(part, "://")) {
						t.Errorf("%s: markup in %q", name, line)
					}
				}
				if strings.Count(line, "`")%2 != 0 {
					t.Errorf("%s: code does not end in %q", name, line)
				}
			}
		}
		if inside {
			t.Errorf("%s: a block does not end", name)
		}
	}
}

// CSV has the documented columns, a line a cause with the values of the JSON,
// and nothing that a spreadsheet computes.
func TestCSV(t *testing.T) {
	r := reportOf(incident())
	for _, text := range append(evil, "") {
		if text != "" {
			r = corrupted(text)
		}
		var b bytes.Buffer
		if err := WriteCSV(&b, r); err != nil {
			t.Fatal(err)
		}
		rows, err := csv.NewReader(&b).ReadAll()
		if err != nil || len(rows) != 1+len(r.Causes) {
			t.Fatalf("%d lines, %v", len(rows), err)
		}
		for i, c := range CSVColumns() {
			if rows[0][i] != c.Name || c.About == "" {
				t.Errorf("column %d is %s, want %s", i, rows[0][i], c.Name)
			}
		}
		for _, row := range rows[1:] {
			for i, value := range row {
				if value != "" && strings.IndexByte("=+-@\t\r", value[0]) >= 0 && value != "-" {
					t.Errorf("%s: %q", rows[0][i], value)
				}
			}
		}
	}
}

// JSONL has every cause and cell of the JSON, each as it is there.
func TestJSONL(t *testing.T) {
	for name, r := range reportsOfAllKinds(t) {
		var b bytes.Buffer
		if err := r.WriteJSONL(&b); err != nil {
			t.Fatal(err)
		}
		back := Report{}
		dec := json.NewDecoder(&b)
		for i := 0; dec.More(); i++ {
			var line json.RawMessage
			var kind struct{ Kind string }
			if err := dec.Decode(&line); err != nil || json.Unmarshal(line, &kind) != nil {
				t.Fatal(err)
			}
			var err error
			switch kind.Kind {
			case lineReport:
				err = json.Unmarshal(line, &back)
				back.Causes, back.Timeline = []Card{}, Timeline{r.Timeline.CellSeconds, r.Timeline.Untimed, []Cell{}}
			case lineCause:
				back.Causes = append(back.Causes, Card{})
				err = json.Unmarshal(line, &back.Causes[len(back.Causes)-1])
			case lineCell:
				back.Timeline.Cells = append(back.Timeline.Cells, Cell{})
				err = json.Unmarshal(line, &back.Timeline.Cells[len(back.Timeline.Cells)-1])
			default:
				t.Errorf("%s: line %d is a %s", name, i, kind.Kind)
			}
			if err != nil {
				t.Fatal(err)
			}
		}
		var want, got bytes.Buffer
		copyOf(t, r).WriteJSON(&want)
		back.WriteJSON(&got)
		if want.String() != got.String() {
			t.Errorf("%s: the lines are not the report", name)
		}
	}
}

// What is redacted has no address, no query and no token in the records that
// it quotes; the numbers are the same.
func TestRedactedReport(t *testing.T) {
	text := strings.Replace(incident(), "GET /reviews/7 ", "GET /reviews/7?token=s3cr3t&x=1 ", -1) +
		"[2026-03-02T10:09:00.000Z] \"GET /?session=s3cr3t HTTP/1.1\" [2001:db8::1]:443 192.0.2.77\n"
	r := reportOf(text)
	clean := r.Redact()
	if !clean.Redacted || r.Redacted || clean.Totals != r.Totals {
		t.Errorf("%+v, %+v", clean.Totals, r.Totals)
	}
	var quoted []string
	for _, list := range [][]Sample{clean.Samples.Invalid, clean.Samples.Suspicious, clean.Samples.Noise} {
		for _, s := range list {
			quoted = append(quoted, s.Text)
		}
	}
	for _, c := range clean.Causes {
		for _, s := range c.Samples {
			quoted = append(quoted, s.Text)
		}
		for _, v := range c.Clients {
			quoted = append(quoted, v.Value)
		}
	}
	if len(quoted) < 10 {
		t.Errorf("only %d records are quoted", len(quoted))
	}
	for _, s := range quoted {
		if m := regexp.MustCompile(`s3cr3t|\d+\.\d+\.\d+\.\d+|2001:db8`).FindString(s); m != "" {
			t.Errorf("%s in %s", m, s)
		}
	}
	before := r.Causes[0].Samples[0].Text
	if !strings.Contains(before, "10.42.1.7") {
		t.Errorf("the report itself was changed: %s", before)
	}
}

func TestWithoutAddresses(t *testing.T) {
	for _, c := range []struct{ text, want string }{
		{"10.0.0.1:8080 to 10.0.0.2.", "(address):8080 to (address)."},
		{"[2001:db8::1]:443 fe80::1", "[(address)]:443 (address)"},
		{"10.0.0.1,10.0.0.2", "(address),(address)"},
		{"2026-03-02T10:09:00.000Z 1.2.3 v1.30.0 10:09:00 :: a.b.c", "2026-03-02T10:09:00.000Z 1.2.3 v1.30.0 10:09:00 :: a.b.c"},
		{"id 5f0c9a44-6c1e-4a57 999.1.1.1", "id 5f0c9a44-6c1e-4a57 999.1.1.1"},
	} {
		if got := withoutAddresses(c.text); got != c.want {
			t.Errorf("got %q, want %q", got, c.want)
		}
	}
}

// textOf is what a page says, pictures and the document left out.
func textOf(page string) string {
	page, _, _ = strings.Cut(page, "<script")
	_, page, _ = strings.Cut(page, "<body>")
	page = regexp.MustCompile(`</(td|th|div|p|li|dd|dt|span|b|code|summary|title)>`).ReplaceAllString(page, "\n")
	return html.UnescapeString(tagPattern.ReplaceAllString(page, ""))
}

// A heat map's cells add up to the failed requests.
func TestHeatMapAddsUp(t *testing.T) {
	for name, r := range reportsOfAllKinds(t) {
		total := uint64(0)
		for _, row := range r.HeatMap.Rows {
			if got := totalOf(row.Cells); got != row.Failed || len(row.Cells) != len(r.HeatMap.Columns) {
				t.Errorf("%s: %s has %d, want %d", name, row.Cluster, got, row.Failed)
			}
			total += row.Failed
		}
		if total != r.Totals.Failed {
			t.Errorf("%s: %d in the map, %d failed", name, total, r.Totals.Failed)
		}
		if !slices.IsSortedFunc(r.HeatMap.Rows, func(a, b HeatRow) int {
			if a.Cluster == other || b.Cluster == other {
				return 0
			}
			return int(b.Failed) - int(a.Failed)
		}) {
			t.Errorf("%s: rows are not sorted", name)
		}
	}
}
