package sinks

import (
	"bytes"
	"fmt"
	"io"
	"math"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/flagwatch/flagwatch/internal/safe"
	"github.com/mattn/go-runewidth"
)

// A mark is how bad a row is. It is drawn as a symbol; colour only repeats it.
type mark uint8

const (
	plainMark mark = iota
	infoMark
	warningMark
	errorMark
)

// symbols are the characters that a terminal without UTF-8 can not show.
type symbols struct {
	marks  [errorMark + 1]string
	dot    string // between things in one line
	dash   string // between two times
	cut    string // stands for what was left out
	atMost string
	bars   []string
	shades []string // nothing, then more and more
}

var (
	unicodeSymbols = symbols{[...]string{" ", "·", "!", "✖"}, "·", "–", "…", "≤", []string{"▁", "▂", "▃", "▄", "▅", "▆", "▇", "█"}, []string{"·", "░", "▒", "▓", "█"}}
	asciiSymbols   = symbols{[...]string{" ", ".", "!", "x"}, "-", "-", "..", "<=", []string{"_", ".", ":", "-", "=", "+", "*", "#"}, []string{".", "-", "+", "*", "#"}}
	colours        = [...]string{"", "\x1b[2m", "\x1b[33m", "\x1b[31m"}
)

// A page is a text in the making, of a certain width.
type page struct {
	symbols
	buf   bytes.Buffer
	out   io.Writer // where the page is written to while it grows; nil: nowhere
	err   error     // of out
	width int
	color bool
	ascii bool
	wide  bool
	top   int    // rows of each table; 0: as many as usual
	times string // layout of times of day
	input string // name of the only input
	chars runewidth.Condition
}

const (
	defaultWidth = 100
	minWidth     = 40
	narrow       = 80 // below it rows are stacked
	margin       = 5  // columns left of a row: two blanks, the mark, two blanks
)

func newPage(opt TextOptions) *page {
	p := &page{symbols: unicodeSymbols, width: max(opt.Width, minWidth), color: opt.Color, ascii: opt.ASCII, wide: opt.Wide, top: opt.Top}
	if opt.Width <= 0 {
		p.width = defaultWidth
	}
	if opt.ASCII {
		p.symbols = asciiSymbols
	}
	return p
}

// show makes the page one of a report.
func (p *page) show(r *Report) {
	p.times = timeLayout(r.Pictured())
	if len(r.Inputs) == 1 {
		p.input = r.Inputs[0].Name
	}
}

// spill writes what there is of a long page.
func (p *page) spill() {
	if p.out != nil && p.buf.Len() >= flushAt {
		p.flush()
	}
}

// flush writes what there is of a page. An error is kept.
func (p *page) flush() error {
	if p.err == nil {
		_, p.err = p.out.Write(p.buf.Bytes())
	}
	p.buf.Reset()
	return p.err
}

// most is how many rows of a sort are shown, if usually it is n.
func (p *page) most(n int) int {
	if p.top > 0 {
		return p.top
	}
	if p.wide {
		return math.MaxInt
	}
	return n
}

// user makes text of a log, a file name or an error fit to be shown. All such
// text goes through here.
func (p *page) user(s string) string {
	s = safe.Escape(s)
	if !p.ascii {
		return s
	}
	var b strings.Builder
	for _, r := range s {
		if r < utf8.RuneSelf {
			b.WriteRune(r)
		} else {
			fmt.Fprintf(&b, `\u{%04x}`, r)
		}
	}
	return b.String()
}

func (p *page) widthOf(s string) int {
	if isASCII(s) {
		return len(s)
	}
	n := 0
	for _, r := range s {
		if !isNarrow(r) {
			return p.chars.StringWidth(s)
		}
		n++
	}
	return n
}

// isASCII says whether all of s is printable ASCII, a column each.
func isASCII(s string) bool {
	for i := range len(s) {
		if s[i]-' ' > '~'-' ' {
			return false
		}
	}
	return true
}

// isNarrow knows characters that always take one column, our own signs among
// them. For others the library needs tables of two megabytes.
func isNarrow(r rune) bool {
	return ' ' <= r && r < 0x7f || 0xa1 <= r && r < 0x300 && r != 0xad || 0x2010 <= r && r <= 0x2027 || 0x2500 <= r && r < 0x25fd || r == '✖' || r == '→'
}

// begin is as much of s as finds room in width.
func (p *page) begin(s string, width int) string {
	n := 0
	for i, r := range s {
		switch {
		case !isNarrow(r):
			return p.chars.Truncate(s, width, "")
		case n == width:
			return s[:i]
		}
		n++
	}
	return s
}

// shorten cuts out the middle of s, so that it is at most width wide.
func (p *page) shorten(s string, width int) string {
	if p.widthOf(s) <= width {
		return s
	}
	room := max(width-p.widthOf(p.cut), 0)
	head := p.begin(s, (room+1)/2)
	tail := s
	for p.widthOf(tail) > room/2 {
		_, n := utf8.DecodeRuneInString(tail)
		tail = tail[n:]
	}
	return head + p.cut + tail
}

// cutEnd cuts off the end of s, so that it is at most width wide.
func (p *page) cutEnd(s string, width int) string {
	if p.widthOf(s) <= width {
		return s
	}
	return p.begin(s, max(width-p.widthOf(p.cut), 0)) + p.cut
}

func (p *page) pad(s string, width int, right bool) string {
	blanks := strings.Repeat(" ", max(width-p.widthOf(s), 0))
	if right {
		return blanks + s
	}
	return s + blanks
}

// write writes parts of a line.
func (p *page) write(parts ...string) {
	for _, s := range parts {
		p.buf.WriteString(s)
	}
}

// padded writes what pad returns.
func (p *page) padded(s string, width int, right bool) {
	if right {
		p.blanks(width - p.widthOf(s))
	}
	p.buf.WriteString(s)
	if !right {
		p.blanks(width - p.widthOf(s))
	}
}

func (p *page) blanks(n int) {
	for range n {
		p.buf.WriteByte(' ')
	}
}

// endLine ends a line, without blanks at its end.
func (p *page) endLine() {
	p.buf.Truncate(len(bytes.TrimRight(p.buf.Bytes(), " ")))
	p.buf.WriteByte('\n')
}

// line writes one line.
func (p *page) line(s string) {
	p.buf.WriteString(s)
	p.endLine()
}

// mark writes a mark in front of a line.
func (p *page) mark(m mark) {
	if p.color && m != plainMark {
		p.write("  ", colours[m], p.marks[m], "\x1b[0m  ")
	} else {
		p.write("  ", p.marks[m], "  ")
	}
}

// marked writes one line behind a mark.
func (p *page) marked(m mark, s string) {
	p.mark(m)
	p.line(s)
}

// flow writes chunks behind a lead, as many in a line as fit; further lines
// are indented to the end of the lead.
func (p *page) flow(lead, sep string, chunks ...string) {
	p.buf.WriteString(lead)
	f := p.paragraph(p.widthOf(lead), sep)
	for _, c := range chunks {
		f.add(c)
	}
	p.endLine()
}

// A paragraph is a line in the making, and those that it goes on in.
type paragraph struct {
	*page
	sep                string
	indent, gap, width int
	further            string // in front of further lines, within the indent
	begun              bool
}

// paragraph begins one behind a lead that is written already.
func (p *page) paragraph(indent int, sep string) paragraph {
	return paragraph{page: p, sep: sep, indent: indent, gap: p.widthOf(sep), width: indent}
}

func (f *paragraph) add(chunk string) {
	w := f.widthOf(chunk)
	switch {
	case !f.begun:
		f.begun = true
	case f.width+f.gap+w > f.page.width:
		f.endLine()
		f.blanks(f.indent - len(f.further))
		f.write(f.further)
		f.width = f.indent
	default:
		f.write(f.sep)
		f.width += f.gap
	}
	f.write(chunk)
	f.width += w
}

// words adds the words of a sentence, those that are wider than a line in
// short.
func (f *paragraph) words(sentence string) {
	for w := range strings.FieldsSeq(sentence) {
		f.add(f.shorten(w, f.page.width-f.indent))
	}
}

// item writes a named list of things behind a mark: the name in a column of
// its own.
func (p *page) item(m mark, name string, chunks ...string) {
	p.behind(m, p.pad(name, 12, false), " "+p.dot+" ", chunks)
}

// listed is item with a sentence.
func (p *page) listed(m mark, name, sentence string) {
	p.mark(m)
	p.padded(name, 12, false)
	f := p.paragraph(margin+12, " ")
	f.words(sentence)
	p.endLine()
}

// note writes a sentence behind a mark.
func (p *page) note(m mark, sentence string) { p.behind(m, "", " ", strings.Fields(sentence)) }

// behind is flow behind a mark.
func (p *page) behind(m mark, name, sep string, chunks []string) {
	p.mark(m)
	p.buf.WriteString(name)
	f := p.paragraph(margin-1+p.widthOf(p.marks[m])+p.widthOf(name), sep)
	for _, c := range chunks {
		f.add(c)
	}
	p.endLine()
}

// A grid is rows in columns.
type grid struct {
	columns []column
	rows    []row
	last    string // head of the column that is shortened last
}

type column struct {
	head  string
	right bool
	flex  bool // may be shortened in the middle
}

type row struct {
	mark  mark
	cells []string
	below string // a line of its own under the row
}

func (g *grid) add(m mark, below string, cells ...string) {
	g.rows = append(g.rows, row{m, cells, below})
}

// grid writes the rows under their heads.
func (p *page) grid(g *grid) {
	if len(g.rows) == 0 {
		return
	}
	g.dropEmpty()
	widths := p.fit(g)
	p.shortenColumns(g, widths)
	heads := make([]string, len(g.columns))
	for i, c := range g.columns {
		heads[i] = c.head
	}
	p.line("")
	p.row(g, plainMark, heads, widths)
	for _, r := range g.rows {
		p.row(g, r.mark, r.cells, widths)
		if r.below != "" {
			p.line(strings.Repeat(" ", margin) + p.shorten(r.below, p.width-margin))
		}
	}
}

// dropEmpty takes away the columns that say nothing.
func (g *grid) dropEmpty() {
	for i := len(g.columns) - 1; i >= 0; i-- {
		if !slices.ContainsFunc(g.rows, func(r row) bool { return r.cells[i] != "" }) {
			g.drop(i)
		}
	}
}

func (g *grid) drop(i int) {
	g.columns = slices.Delete(g.columns, i, i+1)
	for j := range g.rows {
		g.rows[j].cells = slices.Delete(g.rows[j].cells, i, i+1)
	}
}

// shortenColumns makes all cells fit their columns. On a wide page they do.
func (p *page) shortenColumns(g *grid, widths []int) {
	if p.wide {
		return
	}
	for i, width := range widths {
		cells := make([]string, len(g.rows))
		for j, r := range g.rows {
			cells[j] = r.cells[i]
		}
		for j, s := range p.shortenAll(cells, width) {
			g.rows[j].cells[i] = s
		}
	}
}

// shortenAll is shorten for all of a list. Different ones stay different: when
// their middles are what tells them apart, what they have in common is cut
// out.
func (p *page) shortenAll(list []string, width int) []string {
	short, from := make([]string, len(list)), map[string][]string{}
	for i, s := range list {
		short[i] = p.shorten(s, width)
		if !slices.Contains(from[short[i]], s) {
			from[short[i]] = append(from[short[i]], s)
		}
	}
	for i, s := range list {
		if alike := from[short[i]]; len(alike) > 1 {
			short[i] = p.tellApart(s, alike, width)
		}
	}
	return short
}

// tellApart shortens one of several names that look alike when shortened.
func (p *page) tellApart(s string, alike []string, width int) string {
	common := len(alike[0])
	for _, o := range alike[1:] {
		n := 0
		for n < min(common, len(o)) && o[n] == alike[0][n] {
			n++
		}
		common = n
	}
	for common > 0 && common < len(s) && !utf8.RuneStart(s[common]) {
		common--
	}
	number := fmt.Sprintf("#%d", slices.Index(alike, s)+1)
	if p.widthOf(s[common:]) == 0 || len(alike) > 2 {
		return p.cutEnd(s, width-len(number)) + number
	}
	begin := max(0, common-2)
	for begin > 0 && !utf8.RuneStart(s[begin]) {
		begin--
	}
	return p.cutEnd(p.cut+s[begin:], width)
}

func (p *page) row(g *grid, m mark, cells []string, widths []int) {
	p.mark(m)
	for i, c := range cells {
		if i > 0 {
			p.blanks(2)
		}
		p.padded(c, widths[i], g.columns[i].right)
	}
	p.endLine()
}

// fit returns the widths of the columns; the widest of those that may be
// shortened give way.
func (p *page) fit(g *grid) []int {
	widths := make([]int, len(g.columns))
	total := margin - 2
	for i, c := range g.columns {
		widths[i] = p.widthOf(c.head)
		for _, r := range g.rows {
			widths[i] = max(widths[i], p.widthOf(r.cells[i]))
		}
		total += widths[i] + 2
	}
	for ; total > p.width && !p.wide; total-- {
		i := g.widest(widths, false)
		if i < 0 {
			i = g.widest(widths, true)
		}
		if i < 0 {
			break
		}
		widths[i]--
	}
	return widths
}

// widest is the widest column that may be shortened, -1 if there is none.
func (g *grid) widest(widths []int, last bool) int {
	const least = 8
	found := -1
	for i, c := range g.columns {
		if c.flex && widths[i] > least && (c.head == g.last) == last && (found < 0 || widths[i] > widths[found]) {
			found = i
		}
	}
	return found
}
