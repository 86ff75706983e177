package sinks

import (
	"cmp"
	"io"
	"slices"
	"strconv"
	"strings"

	"github.com/flagwatch/flagwatch/parser"
)

// TextOptions say what the terminal can show.
type TextOptions struct {
	Width   int  // columns; 0: 100
	Color   bool // repeat the marks in colour
	ASCII   bool // nothing but ASCII
	Wide    bool // all rows and all cards, and names in full: rows may be wider than Width
	Top     int  // rows of each table; 0: some
	Brief   bool // without cards and without the tables behind them
	Quiet   bool // only the answer and the table of causes
	Verbose bool // print the account of records and bytes, too
}

// How many rows of a sort are shown.
const (
	maxFailedRows = 12
	maxOtherRows  = 6
	maxTopRows    = 5
)

// WriteText writes the report for a terminal. Text that comes from the log is
// escaped.
func WriteText(w io.Writer, r *Report, opt TextOptions) error {
	p := newPage(opt)
	p.out = w
	p.show(r)
	switch {
	case opt.Quiet:
		p.quietly(r)
	case opt.Brief:
		p.briefly(r)
	default:
		p.all(r)
	}
	if opt.Verbose || !r.Accounting.Complete {
		p.account(r)
	}
	return p.flush()
}

// quietly is what a script's log or a second look needs.
func (p *page) quietly(r *Report) {
	p.totals(r, p.inputSize(r))
	p.troubles(r)
	p.answer(r)
	p.causeTable(r, shownCauses(r))
}

// briefly is what fits a screen.
func (p *page) briefly(r *Report) {
	p.totals(r, p.head(r))
	p.troubles(r)
	p.verdict(r)
	if r.Totals.Access > 0 {
		p.failures(r)
	}
	p.causeTable(r, shownCauses(r))
	p.more(r)
	p.folded(r.Causes)
}

func (p *page) all(r *Report) {
	p.totals(r, p.head(r))
	p.troubles(r)
	p.verdict(r)
	if r.Totals.Access > 0 {
		p.failures(r)
	}
	p.causes(r)
	p.groupings(r.Groupings)
	p.hints(r)
	p.proxies(r)
	if r.Totals.Access > 0 {
		p.outcomes(r)
	}
	if r.Totals.Failed > 0 {
		p.clusters(r)
		p.clients(r)
	}
	p.others(r)
	if p.wide {
		p.health(r.Inputs)
	}
	p.advice(r)
}

// head says what was read, and returns what found no room.
func (p *page) head(r *Report) (rest string) {
	chunks := []string{"flagwatch"}
	if names := p.dialects(r); names != "" {
		chunks = append(chunks, names)
	}
	if s := r.Pictured(); s != nil {
		chunks = append(chunks, p.span(s))
	}
	if rest = p.inputSize(r); p.widthOf(strings.Join(append(chunks, rest), " "+p.dot+" ")) <= p.width {
		chunks, rest = append(chunks, rest), ""
	}
	p.flow("", " "+p.dot+" ", p.nonEmpty(chunks...)...)
	p.line("")
	return rest
}

func (p *page) inputSize(r *Report) string {
	if len(r.Inputs) == 0 {
		return ""
	}
	return plural(uint64(len(r.Inputs)), "input", "inputs") + ", " + size(r.Accounting.Read)
}

func (p *page) dialects(r *Report) string {
	names := []string{}
	for i, d := range r.Dialects {
		if i == 3 {
			names = append(names, strconv.Itoa(len(r.Dialects)-i)+" more")
			break
		}
		names = append(names, p.user(d.Name))
	}
	return strings.Join(names, ", ")
}

func (p *page) span(s *Span) string {
	if s.First.Equal(s.Last) {
		return s.First.Format("2006-01-02 15:04:05") + " UTC"
	}
	last, gap := s.Last.Format("15:04:05"), p.dash
	if s.First.YearDay() != s.Last.YearDay() || s.First.Year() != s.Last.Year() {
		last, gap = s.Last.Format("2006-01-02 15:04:05"), " "+p.dash+" "
	}
	return s.First.Format("2006-01-02 15:04:05") + gap + last + " UTC (" + length(s.Last.Sub(s.First)) + ")"
}

// totals are the counts of all kinds, then what became of the access records
// and what else is to be said.
func (p *page) totals(r *Report, read string) {
	t := r.Totals
	digits := max(len(number(t.Records)), len(number(t.Failed)))
	lead := func(n uint64) string { return "  " + p.pad(number(n), digits, true) + " " }
	chunks := []string{noun(t.Records, "record", "records"), number(t.Access) + " access", plural(t.Events, "event", "events"), number(t.Noise) + " noise", number(t.Invalid) + " invalid"}
	if t.Access == 0 {
		p.flow(lead(t.Records), "   ", p.nonEmpty(append(chunks, read)...)...)
		p.clocks(r)
		return
	}
	p.flow(lead(t.Records), "   ", chunks...)
	p.clocks(r)
	first := lead(t.Failed)
	chunks = append(chunks[:0], failedOf(r))
	if t.Failed == 0 {
		first, chunks[0] = "  ", "no failed request"
	}
	chunks = appendCount(chunks, t.ClientErrors, "client error", "client errors")
	chunks = appendCount(chunks, t.Partial, "partial", "partial")
	chunks = appendCount(chunks, t.Suspicious, "suspicious", "suspicious")
	p.flow(first, "   ", p.nonEmpty(append(chunks, read)...)...)
}

// twice tells that one request may have several records.
func (p *page) twice(r *Report) {
	if b := r.BothSides; b.SeenTwice > 0 {
		p.line("")
		p.note(infoMark, number(r.Totals.Access)+" records, not requests: of "+plural(uint64(b.SampledRequests), "sampled request", "sampled requests")+", "+
			plural(uint64(b.SeenTwice), "was", "were")+" reported by a proxy on both sides.")
	}
}

// clocks tells of records that pictures leave out.
func (p *page) clocks(r *Report) {
	if r.Shown != nil {
		const layout = "2006-01-02 15:04:05"
		p.note(warningMark, "Some clocks are far off: times go from "+r.Span.First.Format(layout)+" to "+r.Span.Last.Format(layout)+" UTC. Pictures leave few records out.")
	}
}

func noun(n uint64, one, many string) string {
	if n == 1 {
		return one
	}
	return many
}

// failedOf leaves the share out where successes were not asked for.
func failedOf(r *Report) string {
	t := &r.Totals
	if p := percent(t.Failed, t.Access); p != "" && !(t.Failed == t.Access && r.Accounting.Skipped[parser.Access.String()].Records > 0) {
		if r.Selected {
			return "failed (" + p + " of the chosen access records)"
		}
		return "failed (" + p + " of access)"
	}
	return "failed of " + number(t.Access) + " access"
}

// shareHead is the head of a column of shares of access records.
func shareHead(r *Report) string {
	if r.Selected {
		return "of chosen"
	}
	return "share"
}

func appendCount(chunks []string, n uint64, one, many string) []string {
	if n == 0 {
		return chunks
	}
	return append(chunks, plural(n, one, many))
}

// troubles are inputs that could not be read as a whole and what kubectl
// wrote in place of a log.
func (p *page) troubles(r *Report) {
	p.inputs(r.Inputs)
	if r.Totals.Kubectl == 0 {
		return
	}
	p.line("")
	p.marked(warningMark, plural(r.Totals.Kubectl, "line is", "lines are")+" kubectl's own error, not the log:")
	for _, s := range r.Samples.Kubectl {
		p.marked(plainMark, p.cutEnd(p.user(s.Text), p.width-margin))
	}
}

// inputs names those that failed and those of which nothing was counted.
func (p *page) inputs(list []Input) {
	shown := 0
	for _, in := range list {
		if in.Error == "" && (in.Bytes > 0 || len(list) == 1) {
			continue
		}
		if shown++; shown == 1 {
			p.line("")
		}
		switch {
		case shown > p.most(maxFailedRows):
		case in.Error != "":
			p.note(errorMark, p.user(in.Name)+": "+p.user(in.Error))
		case in.SameAs != "":
			p.note(infoMark, p.user(in.Name)+": the same log as "+p.user(in.SameAs)+", counted once")
		case in.NotRead > 0:
			p.note(infoMark, p.user(in.Name)+": nothing of it was asked for")
		default:
			p.note(infoMark, p.user(in.Name)+": empty")
		}
	}
	if n := shown - p.most(maxFailedRows); n > 0 {
		p.note(plainMark, plural(uint64(n), "more input", "more inputs"))
	}
}

// outcomes is the table of codes and flags.
func (p *page) outcomes(r *Report) {
	g := &grid{columns: []column{{"code", true, false}, {"flags", false, true}, {"long name", false, true}, {"count", true, false}, {shareHead(r), true, false}}}
	if p.width < narrow {
		g.columns = slices.Delete(g.columns, 2, 3)
	}
	failed, flagged, rest := splitOutcomes(r.Outcomes)
	p.outcomeRows(g, failed, p.most(maxFailedRows), r.Totals.Access)
	p.outcomeRows(g, flagged, p.most(maxOtherRows), r.Totals.Access)
	p.outcomeRows(g, rest, p.most(maxOtherRows), r.Totals.Access)
	p.grid(g)
}

// splitOutcomes parts failed records, records that only carry a flag, and all
// others; one outcome may have failed and other records.
func splitOutcomes(list []Outcome) (failed, flagged, rest []Outcome) {
	for _, o := range list {
		bad, good := o, o
		bad.Count, good.Count, good.Failed = o.Failed, o.Count-o.Failed, 0
		if bad.Count > 0 {
			failed = append(failed, bad)
		}
		switch {
		case good.Count == 0:
		case len(o.Flags)+len(o.Unknown) > 0:
			flagged = append(flagged, good)
		default:
			rest = append(rest, good)
		}
	}
	for _, l := range [][]Outcome{failed, flagged, rest} {
		slices.SortStableFunc(l, compareOutcomes)
	}
	return failed, flagged, rest
}

func (p *page) outcomeRows(g *grid, list []Outcome, limit int, access uint64) {
	more := uint64(0)
	for i, o := range list {
		if i >= limit {
			more += o.Count
			continue
		}
		p.outcomeRow(g, outcomeMark(o), p.code(o.Code), p.flags(o), longNames(o), o.Count, access)
	}
	if more > 0 {
		p.outcomeRow(g, plainMark, p.cut, strconv.Itoa(len(list)-limit)+" more", "", more, access)
	}
}

func (p *page) outcomeRow(g *grid, m mark, code, flags, long string, count, access uint64) {
	if len(g.columns) == 5 {
		g.add(m, "", code, flags, long, number(count), percent(count, access))
	} else {
		g.add(m, long, code, flags, number(count), percent(count, access))
	}
}

func (p *page) code(code *int) string { return codeText(code) }

func codeText(code *int) string {
	if code == nil {
		return "-"
	}
	return strconv.Itoa(*code)
}

// outcomeText is a code with its flags; a bare 0 would read as a count.
func outcomeText(code *int, flags []string) string {
	text := codeText(code)
	if code != nil && *code == 0 {
		text = "code 0"
	}
	return strings.TrimSpace(text + " " + strings.Join(flags, ","))
}

func (p *page) flags(o Outcome) string {
	if o.Other {
		return other
	}
	var list []string
	for _, name := range o.Flags {
		list = append(list, p.user(name))
	}
	for _, name := range o.Unknown {
		list = append(list, strings.TrimSuffix("? "+p.user(name), " ?"))
	}
	if len(list) == 0 {
		return "-"
	}
	return strings.Join(list, ",")
}

// longNames are the flags' names in full.
func longNames(o Outcome) string {
	list := []string{}
	for _, name := range o.Flags {
		if f, ok := parser.FlagByName(name); ok {
			list = append(list, parser.FlagList()[f].Long)
		}
	}
	if len(o.Unknown) > 0 {
		list = append(list, "not in this version's table")
	}
	return strings.Join(list, ", ")
}

// outcomeMark tells outages from refusals on purpose and from clients that
// went away.
func outcomeMark(o Outcome) mark {
	switch {
	case o.Failed == 0 && len(o.Flags)+len(o.Unknown) == 0:
		return plainMark
	case o.Failed == 0, only(o, "DC", "DR"):
		return infoMark
	case only(o, "RL", "UAEX", "FI", "DI", "DO", "UDO", "IH", "DPE"), o.Code != nil && *o.Code >= 400 && *o.Code < 500 && len(o.Flags) == 0:
		return warningMark
	}
	return errorMark
}

// only says whether the outcome has flags, and none but these.
func only(o Outcome, names ...string) bool {
	for _, f := range o.Flags {
		if !slices.Contains(names, f) {
			return false
		}
	}
	return len(o.Flags) > 0 && len(o.Unknown) == 0
}

// clusters is a table of clusters, with what failed in them if there is room.
func (p *page) clusters(r *Report) {
	if p.heatMap(r) {
		return
	}
	g := &grid{columns: []column{{"cluster", false, true}, {"access", true, false}, {"failed", true, false}, {shareHead(r), true, false}}}
	for _, t := range topFailed(r.Clusters, p.most(maxTopRows)) {
		g.add(plainMark, "", p.clusterName(t.Name), number(t.Count), number(t.Failed), percent(t.Failed, t.Count))
	}
	p.grid(g)
}

func (p *page) clusterName(name string) string {
	if name == noCluster {
		return "(no cluster)"
	}
	return p.user(name)
}

// topFailed are the names with the most failed records.
func topFailed(list []Tally, limit int) []Tally {
	list = slices.DeleteFunc(slices.Clone(list), func(t Tally) bool { return t.Failed == 0 })
	slices.SortStableFunc(list, func(a, b Tally) int { return cmp.Compare(b.Failed, a.Failed) })
	return list[:min(len(list), limit)]
}
