package parser

import (
	"fmt"
	"slices"
	"strings"
)

// An Inference is a layout that was worked out from lines.
type Inference struct {
	Format  string // as a format string; a column that was not recognised has the name of no operator
	Columns []InferredColumn
	Lines   int // that seemed to carry a code and flags
	Fit     int // of them, those that the layout reads whole

	format *Format
}

// An InferredColumn is a column of such a layout.
type InferredColumn struct {
	Operator string // without percent signs
	Field    Field  // Extra when it is none
	By       Evidence
	Share    float64 // of its values in the sample, those that look like it
}

// An Evidence says what a column was recognised by.
type Evidence uint8

const (
	ByNothing Evidence = iota // it was not recognised
	ByPlace                   // it stands where known layouts have it
	ByShape                   // its values look like nothing else
	ByName                    // a key in front of it says so
)

var evidences = [...]string{"nothing", "place", "shape", "name"}

func (e Evidence) String() string { return evidences[e] }

// Known is how many columns were recognised.
func (i *Inference) Known() (n int) {
	for _, c := range i.Columns {
		if c.By > ByNothing {
			n++
		}
	}
	return n
}

// worth says how much the layout explains: columns that are nothing known are
// a sign that the line was cut in the wrong places.
func (i *Inference) worth() int { return i.Fit * (3*i.Known() - len(i.Columns)) }

// Layout returns the layout for NewParser: records that it reads are of the
// dialect Inferred.
func (i *Inference) Layout() *Format { return i.format }

// The limits of an inference.
const (
	fewestTokens = 4  // of a line
	fewestRead   = 3  // lines, when their codes and flags are read without
	mostTokens   = 48 // of a line
)

// separators are what may stand between columns, the likeliest last: it wins
// when several explain as much.
const separators = "\t|;, "

// Infer works out the layout of most of the lines; it is nil when they have
// none in which a code and flags are recognised beyond doubt.
func (s *Sample) Infer() (best *Inference) {
	for i := range len(separators) {
		for _, g := range s.families(separators[i]) {
			in := g.infer()
			if in == nil {
				continue
			}
			if in.Lines = len(s.lines); in.measure(s.lines) && (best == nil || in.worth() >= best.worth()) {
				best = in
			}
		}
	}
	return best
}

// measure counts the lines that the layout reads whole. It is false when they
// are too few to believe in it.
func (i *Inference) measure(lines []sampled) bool {
	p := NewParser(Fields(ResponseCode, ResponseFlags), i.format)
	doubtful := 0
	for _, line := range lines {
		p.Reset(append(make([]byte, 0, len(line.text)+Padding), line.text...))
		r, _ := p.Next()
		if r.Kind == Access && r.learned && r.hasCode && r.hasFlags {
			i.Fit++
			if line.read || line.torn {
				doubtful++
			}
		}
	}
	return i.Fit > doubtful || doubtful >= fewestRead
}

// A draft is the columns of a family as far as they are recognised.
type draft struct {
	*family
	values [][][]byte // by column
	text   []string   // operators by column
	by     []Evidence
	share  []float64
	used   map[string]bool // operators
	code   int
	flags  int
}

// infer works out the columns of a family; nil when there is no code or no
// flags column.
func (g *family) infer() *Inference {
	n := len(g.rows[0])
	d := &draft{family: g, values: make([][][]byte, n), text: make([]string, n), by: make([]Evidence, n), share: make([]float64, n), used: map[string]bool{}, code: -1, flags: -1}
	for _, row := range g.rows {
		for i, t := range row {
			d.values[i] = append(d.values[i], t.value)
		}
	}
	d.named()
	if !d.outcome() {
		return nil
	}
	d.shaped()
	d.placed()
	if !d.enough() {
		return nil
	}
	return d.build()
}

// set recognises a column, unless the operator has one.
func (d *draft) set(i int, operator string, by Evidence, share float64) {
	if d.text[i] == "" && !d.used[operator] {
		d.text[i], d.by[i], d.share[i], d.used[operator] = "%"+operator+"%", by, share, true
	}
}

// named recognises columns by the keys in front of them.
func (d *draft) named() {
	for i, t := range d.rows[0] {
		key := strings.TrimLeft(strings.TrimRight(t.head, openers), " ")
		if len(key) < 2 {
			continue
		}
		k, known := keyOf([]byte(strings.ToLower(key[:len(key)-1])))
		if !known || k.field >= NumFields || fields[k.field].Operator == "" {
			continue
		}
		f := &fields[k.field]
		operator := f.Operator
		if f.Type == TypeTime {
			operator, _ = timeOf(d.values[i])
		}
		share := shareOf(d.values[i], func(v []byte) bool { return fits(f.Type, v) || f.Type == TypeTime })
		if operator == "" || share < 1 {
			continue
		}
		switch d.set(i, operator, ByName, share); k.field {
		case ResponseCode:
			d.code = i
		case ResponseFlags:
			d.flags = i
		}
	}
}

// outcome finds the code and the flags, if their keys did not tell.
func (d *draft) outcome() bool {
	if d.flags < 0 {
		d.flags = d.only(isFlagsOrDash, func(v []byte) bool { return len(v) > 1 })
	}
	if d.flags < 0 { // only dashes: where they stand behind a code
		for i := 1; i < len(d.values) && d.flags < 0; i++ {
			if d.all(i, isDash) && d.all(i-1, isFinal) && d.text[i] == "" {
				d.flags = i
			}
		}
	}
	if d.flags < 0 {
		return false
	}
	if d.code < 0 {
		for _, i := range []int{d.flags - 1, d.flags + 1} {
			if i >= 0 && i < len(d.values) && d.code < 0 && d.text[i] == "" && d.all(i, isStatus) {
				d.code = i
			}
		}
	}
	if d.code < 0 {
		d.code = d.only(isStatus, isFinal)
	}
	if d.code < 0 {
		return false
	}
	d.set(d.code, "RESPONSE_CODE", ByShape, 1)
	d.set(d.flags, "RESPONSE_FLAGS", ByShape, 1)
	return true
}

// all says whether all values of a column fit.
func (d *draft) all(i int, fit func([]byte) bool) bool {
	return !slices.ContainsFunc(d.values[i], func(v []byte) bool { return !fit(v) })
}

// only is the column of which all values fit and one shows it; negative when
// there is none, or several.
func (d *draft) only(fit, shows func([]byte) bool) int {
	found := -1
	for i := range d.values {
		if d.text[i] == "" && d.all(i, fit) && slices.ContainsFunc(d.values[i], shows) {
			if found >= 0 {
				return -1
			}
			found = i
		}
	}
	return found
}

func isDash(v []byte) bool  { return len(v) == 1 && v[0] == '-' }
func isFinal(v []byte) bool { return isStatus(v) && len(v) == 3 }

// isFlagsOrDash says whether v is flags, all of which are known, or none.
func isFlagsOrDash(v []byte) bool {
	return isDash(v) || isFlags(v) && !isDigits(v) && decodeFlags(v)&UnknownFlags == 0
}

// shaped recognises columns by what their values look like.
func (d *draft) shaped() {
	for i, values := range d.values {
		if d.text[i] != "" {
			continue
		}
		if operators := requestOf(values); operators != "" && !d.used["REQ(:METHOD)"] {
			d.text[i], d.by[i], d.share[i], d.used["REQ(:METHOD)"], d.used["PROTOCOL"], d.used[pathOperator] = operators, ByShape, 1, true, true, true
			continue
		}
		if operator, share := timeOf(values); operator != "" {
			if !d.used["START_TIME"] {
				d.set(i, operator, ByShape, share)
			}
			d.used["START_TIME"] = true
			continue
		}
		for _, s := range columnShapes {
			if share := shareOf(values, s.fits); share >= s.least && !d.used[s.operator] {
				d.set(i, s.operator, ByShape, share)
				break
			}
		}
	}
}

// placed recognises columns by where they stand beside the known ones, as in
// Envoy's default format and Istio's.
func (d *draft) placed() {
	d.placedNumbers()
	d.placedAddresses()
	for i := range d.values {
		if share := shareOf(d.values[i], isHostName); share >= .9 && d.text[i] == "" {
			d.set(i, "REQ(:AUTHORITY)", ByPlace, share)
		}
	}
	if id := slices.Index(d.text, "%REQ(X-REQUEST-ID)%"); id >= 2 && d.text[id-1] == "%REQ(USER-AGENT)%" && d.text[id-2] == "" && d.quoted(id-2) {
		d.set(id-2, "REQ(X-FORWARDED-FOR)", ByPlace, shareOf(d.values[id-2], isIPList))
	}
}

// placedNumbers recognises the first row of numbers behind the flags.
func (d *draft) placedNumbers() {
	first, n := d.run(max(d.flags, d.code)+1, func(i int) bool { return d.text[i] == "" && d.all(i, isCount) })
	if n < 3 {
		return
	}
	for k, operator := range []string{"BYTES_RECEIVED", "BYTES_SENT", "DURATION", "RESP(X-ENVOY-UPSTREAM-SERVICE-TIME)"} {
		if k < n && (k < 3 || n == 4) {
			d.set(first+k, operator, ByPlace, 1)
		}
	}
}

func isCount(v []byte) bool { return isDigits(v) || isDash(v) }

// run is the first row of columns from i on that fit.
func (d *draft) run(i int, fit func(int) bool) (first, n int) {
	for i < len(d.values) && !fit(i) {
		i++
	}
	for first = i; i < len(d.values) && fit(i); i++ {
		n++
	}
	return first, n
}

// placedAddresses recognises addresses by where the cluster stands.
func (d *draft) placedAddresses() {
	var before, behind []int
	cluster := slices.Index(d.text, "%UPSTREAM_CLUSTER%")
	for i := range d.values {
		switch {
		case d.text[i] != "" || shareOf(d.values[i], isHostPort) < .9:
		case i == 0:
			d.set(0, "DOWNSTREAM_REMOTE_ADDRESS", ByPlace, 1)
		case cluster >= 0 && i > cluster:
			behind = append(behind, i)
		default:
			before = append(before, i)
		}
	}
	if n := len(before); n == 1 || n > 0 && (cluster >= 0 || d.quoted(before[n-1])) {
		d.set(before[n-1], "UPSTREAM_HOST", ByPlace, 1)
	}
	if cluster < 0 || len(behind) == 0 {
		return
	}
	last := behind[len(behind)-1]
	switch last - cluster {
	case 3, 2:
		d.set(last, "DOWNSTREAM_REMOTE_ADDRESS", ByPlace, 1)
		d.set(last-1, "DOWNSTREAM_LOCAL_ADDRESS", ByPlace, shareOf(d.values[last-1], isHostPort))
		if last-cluster == 3 {
			d.set(cluster+1, "UPSTREAM_LOCAL_ADDRESS", ByPlace, shareOf(d.values[cluster+1], isHostPort))
		}
	}
	if last+2 < len(d.values) {
		d.set(last+1, "REQUESTED_SERVER_NAME", ByPlace, 1)
		d.set(last+2, "ROUTE_NAME", ByPlace, 1)
	}
}

func (d *draft) quoted(i int) bool { return strings.HasPrefix(d.rows[0][i].tail, `"`) }

// enough says whether the lines may be records of a proxy: one line must show
// a flag, several must at least look like requests.
func (d *draft) enough() bool {
	flagged := slices.ContainsFunc(d.values[d.flags], func(v []byte) bool { return len(v) > 1 })
	request := d.used["REQ(:METHOD)"] || d.used["PROTOCOL"] || d.used[pathOperator]
	upstream := d.used["UPSTREAM_CLUSTER"] || d.used["UPSTREAM_HOST"] || d.used["RESPONSE_CODE_DETAILS"]
	other := request || upstream
	apart := d.code - d.flags
	switch {
	case apart*apart > 1 && d.by[d.flags] != ByName && !(d.used["REQ(:METHOD)"] && (d.used["PROTOCOL"] || upstream)): // words like flags, in prose
		return false
	case d.by[d.flags] == ByName && d.by[d.code] == ByName:
		return d.used["START_TIME"] || other
	case flagged:
		return d.used["START_TIME"] && other || request && other && len(d.rows) >= fewestRead
	}
	return d.used["START_TIME"] && request && len(d.rows) >= fewestRead
}

// build compiles what was recognised.
func (d *draft) build() *Inference {
	in := &Inference{}
	var format strings.Builder
	for i, t := range d.rows[0] {
		if i > 0 {
			format.WriteByte(d.sep)
		}
		text := d.text[i]
		if text == "" {
			text = fmt.Sprintf("%%COLUMN_%d%%", i+1)
		}
		format.WriteString(escapePercent(t.head) + text + escapePercent(t.tail))
	}
	in.Format = format.String()
	f, err := compileText(in.Format)
	if err != nil {
		return nil
	}
	f.dialect, f.warnings = Inferred, nil
	in.describe(d, f)
	f.finish()
	f.warnings = nil
	in.format = f
	return in
}

func escapePercent(s string) string { return strings.ReplaceAll(s, "%", "%%") }

// describe lists the columns and gives those that were not recognised a type.
func (i *Inference) describe(d *draft, f *Format) {
	for n, text := range d.text {
		for range 1 + strings.Count(text, "% %") { // of a request line several
			c := &f.columns[len(i.Columns)]
			if c.lenient = true; text == "" && !d.quoted(n) {
				c.typ = TypeToken
			}
			i.Columns = append(i.Columns, InferredColumn{string(c.key), c.field, d.by[n], d.share[n]})
		}
	}
}
