package doctor

import (
	"bytes"
	"cmp"
	"fmt"
	"io"
	"slices"
	"strings"
	"time"

	"github.com/mattn/go-runewidth"

	"github.com/flagwatch/flagwatch/internal/safe"
	"github.com/flagwatch/flagwatch/sinks"
)

// width is how many columns a line has at most.
const width = 80

// maxRows is how many rows of a sort are shown.
const maxRows = 12

// A sheet is text of at most width columns. All that it writes is escaped.
type sheet struct{ buf bytes.Buffer }

// WriteText writes the diagnosis for people: 80 columns, no colour.
func (d *Diagnosis) WriteText(w io.Writer) error {
	s := &sheet{}
	s.inputs(d)
	s.dialects(d)
	s.fields(d)
	s.absent(d)
	s.unread(d)
	s.advice(d)
	_, err := w.Write(s.buf.Bytes())
	return err
}

// title begins a part.
func (s *sheet) title(text string) {
	if s.buf.Len() > 0 {
		s.buf.WriteByte('\n')
	}
	s.buf.WriteString(text + "\n")
}

// text writes words behind a lead, which further lines are indented to.
func (s *sheet) text(lead, words string) {
	line, indent, empty := lead, strings.Repeat(" ", runewidth.StringWidth(lead)), true
	for _, word := range strings.Fields(safe.Escape(words)) {
		word = runewidth.Truncate(word, width-len(indent), "...")
		if !empty && runewidth.StringWidth(line)+1+runewidth.StringWidth(word) > width {
			s.buf.WriteString(line + "\n")
			line, empty = indent, true
		}
		if !empty {
			line += " "
		}
		line, empty = line+word, false
	}
	s.buf.WriteString(strings.TrimRight(line, " ") + "\n")
}

// line writes one line, cut at the width.
func (s *sheet) line(indent, text string) {
	s.buf.WriteString(indent + runewidth.Truncate(safe.Escape(strings.TrimRight(text, "\r\n")), width-len(indent), "...") + "\n")
}

// row writes a name in a column and numbers behind it.
func (s *sheet) row(name string, cells ...string) {
	line := "  " + runewidth.FillRight(runewidth.Truncate(safe.Escape(name), 44, "..."), 44)
	for _, c := range cells {
		line += fmt.Sprintf(" %11s", c)
	}
	s.buf.WriteString(strings.TrimRight(line, " ") + "\n")
}

func (s *sheet) inputs(d *Diagnosis) {
	s.title("INPUTS")
	for i, in := range d.Inputs {
		if i == maxRows {
			s.text("  ", fmt.Sprintf("and %d more", len(d.Inputs)-i))
			break
		}
		s.line("  ", in.Name)
		if in.Error != "" {
			s.text("    ", "error: "+in.Error)
		}
		if in.Health != nil {
			s.health(in.Health)
		}
	}
}

func (s *sheet) health(h *sinks.Health) {
	s.text("    ", fmt.Sprintf("%s: %d access, %d event, %d noise, %d invalid", plural(h.Records, "record"), h.Access, h.Events, h.Noise, h.Invalid))
	if h.First == nil {
		if h.Access > 0 {
			s.text("    ", "no access record tells its time")
		}
		return
	}
	order := "in order"
	if h.Back > 0 {
		order = "out of order by up to " + duration(h.Back)
	}
	s.text("    ", fmt.Sprintf("%s to %s UTC, %s; longest gap %s", h.First.Format(time.DateTime), h.Last.Format(time.DateTime), order, duration(h.Gap)))
}

func duration(seconds float64) string {
	return time.Duration(seconds * float64(time.Second)).Round(time.Millisecond).String()
}

func (s *sheet) dialects(d *Diagnosis) {
	s.title("LAYOUTS OF ACCESS RECORDS")
	if len(d.Dialects) == 0 {
		s.text("  ", "none: not one access record")
	}
	for i, t := range d.Dialects {
		if i == maxRows {
			s.text("  ", fmt.Sprintf("and %d more", len(d.Dialects)-i))
			break
		}
		s.row(t.Name, fmt.Sprint(t.Count), percent(t.Share))
	}
	for i := range d.Layouts {
		l := &d.Layouts[i]
		s.line("  ", l.Input)
		s.text("    ", l.Summary())
		s.text("    ", "give it with --format, the names put right: "+l.Format)
	}
}

func percent(share float64) string {
	switch p := 100 * share; {
	case share == 0 || share == 1:
		return fmt.Sprintf("%.0f %%", p)
	case p < 0.1:
		return "<0.1 %"
	default:
		return fmt.Sprintf("%.1f %%", min(p, 99.9))
	}
}

func (s *sheet) fields(d *Diagnosis) {
	if len(d.Fields) == 0 {
		return
	}
	s.title("FIELDS" + strings.Repeat(" ", 40) + "     column       value")
	for _, f := range d.Fields {
		if f.Columns > 0 || f.Values > 0 {
			s.row(f.Name, percent(share(f.Columns, d.Totals.Access)), percent(share(f.Values, d.Totals.Access)))
		}
	}
	s.text("  ", "column: access records whose layout has the field; value: those that have something in it")
}

func (s *sheet) absent(d *Diagnosis) {
	if len(d.Absent) == 0 {
		return
	}
	s.title("ABSENT FIELDS, AND WHAT EACH COSTS")
	var free []string
	for _, a := range d.Absent {
		if len(a.Causes) == 0 && a.Costs == "" {
			free = append(free, a.Name)
			continue
		}
		where := "in this format"
		if a.Share < 1 {
			where = "in " + percent(a.Share) + " of the access records"
		}
		s.text("  ", fmt.Sprintf("no %%%s%% %s", a.Operator, where))
		if a.Costs != "" {
			s.text("    ", a.Costs)
		}
		s.lost(a.Causes)
	}
	if len(free) > 0 {
		s.text("  ", "also absent, and no cause needs them: "+strings.Join(free, ", "))
	}
}

// lost says which causes can not be told apart: those that look like the same.
func (s *sheet) lost(list []Lost) {
	if len(list) == 0 {
		return
	}
	alike := map[string][]string{}
	var order []string
	for _, l := range list {
		if alike[l.Instead] == nil {
			order = append(order, l.Instead)
		}
		alike[l.Instead] = append(alike[l.Instead], l.Cause)
	}
	slices.SortStableFunc(order, func(a, b string) int { return cmp.Compare(len(alike[b]), len(alike[a])) })
	s.text("    ", plural(len(list), "cause")+" can not be told:")
	for _, instead := range order {
		names := alike[instead]
		words := strings.Join(names[:min(len(names), maxRows)], ", ")
		if more := len(names) - maxRows; more > 0 {
			words += fmt.Sprintf(" and %d more", more)
		}
		if instead == "" {
			s.text("    - ", "not explained at all: "+words)
		} else {
			s.text("    - ", "taken for "+instead+": "+words)
		}
	}
}

func plural[N int | uint64](n N, what string) string {
	if n == 1 {
		return "1 " + what
	}
	return fmt.Sprintf("%d %ss", n, what)
}

func (s *sheet) unread(d *Diagnosis) {
	t := d.Totals
	if t.Invalid > 0 {
		s.title("INVALID RECORDS")
		for _, r := range d.Invalid {
			s.text("  ", fmt.Sprintf("%d %s: %s", r.Count, r.Reason, r.About))
		}
		s.samples(d.Samples.Invalid)
	}
	if t.Suspicious > 0 {
		s.title("SUSPICIOUS RECORDS")
		s.text("  ", fmt.Sprintf("%d where the text of a user allows more than one reading: the fields between the quotes in doubt are left out", t.Suspicious))
		s.samples(d.Samples.Suspicious)
	}
	if t.Access+t.Events == 0 && t.Noise > 0 {
		s.title("OTHER TEXT")
		s.samples(d.Samples.Noise)
	}
}

func (s *sheet) samples(list []sinks.Sample) {
	for i, p := range list {
		if i == maxRows/2 {
			break
		}
		where := fmt.Sprintf("%s, byte %d", p.Input, p.Offset)
		if p.Reason != "" {
			where += fmt.Sprintf(", reading stopped at byte %d (%s)", p.Stopped, p.Reason)
		}
		s.text("  ", where)
		s.line("    ", p.Text)
	}
}

// advice says what to do next.
func (s *sheet) advice(d *Diagnosis) {
	if d.Totals.Access == 0 || !slices.ContainsFunc(d.Absent, func(a Absent) bool { return a.Share == 1 && len(a.Causes) > 0 }) {
		return
	}
	s.title("WHAT TO DO")
	s.text("  ", "flagwatch generate logformat prints the access-log format that has all of these fields, for Istio, Envoy and Envoy Gateway.")
}
