package parser

import (
	"fmt"
	"slices"
	"strings"
)

// A Format is a compiled access-log format. It is immutable and may be shared
// by any number of parsers.
type Format struct {
	dialect  Dialect
	prefix   string   // literal in front of the first column
	columns  []column // in the order of the line
	layout   FieldSet
	headed   bool    // a record begins with a time, perhaps behind a literal
	like     Dialect // known one with the same layout
	plan     *plan   // nil when a line can not be read by searching for what stands between the columns
	clock    *clock  // layout of the start time; nil: RFC 3339
	object   *node   // of a JSON map; it has no columns
	leaves   int     // keys and elements of the map, on all levels
	warnings []Warning
	twin     *Format // of a map: the text that it is, should the proxy have been told so; nil when it is none
	lines    int     // that a record goes over; 0: one
	first    *Format // of a record of several lines: its first line; it may have no column
}

// A column is one operator and the literal that ends its value.
type column struct {
	field  Field  // Extra when the operator is no field of its own
	typ    Type   // what a value looks like
	uncut  Type   // what one looks like that was not cut to a length
	key    []byte // the operator as written, without percent signs and length
	until  string // the whole literal up to the next column; "" in the last
	most   int    // bytes that a value is cut to; 0: it is not cut
	clock  *clock // layout of a time; nil: RFC 3339
	open   bool   // a value may hold what ends it
	rank   int    // of those that fill a field, the lowest does
	always bool   // a value is never missing: "-" and nothing are none
	plain  bool   // a field that is kept as it is found
	place  int    // where the operator stands in the format

	lenient bool // where nothing else fits, tokens and addresses are any text
	merged  bool // it stands for several operators
	piped   bool // the line has a cluster's name with pipes around it: a value has none in it
}

// maxColumns is how many operators a format may have.
const maxColumns = 64

// A FormatError says why a format is not well-formed.
type FormatError struct {
	Offset   int    // byte of the format where it is not
	Operator string // what was written as the name of the operator there; may be empty
	Problem  string
}

func (e *FormatError) Error() string {
	return fmt.Sprintf("format: byte %d: %s", e.Offset, e.Problem)
}

// Compile compiles an access-log format string: any operator that Envoy has or
// may get, since an unknown one is an opaque column. The error is a
// *FormatError, which names the byte where the string stops being well-formed.
// What a well-formed string does not tell is in the format's Warnings.
//
// Source of the grammar:
// https://www.envoyproxy.io/docs/envoy/latest/configuration/advanced/substitution_formatter
func Compile(format string) (*Format, error) {
	f, err := compileText(format)
	if err != nil {
		return nil, err
	}
	if len(f.columns) == 0 {
		return nil, &FormatError{0, "", fmt.Sprintf("no operator such as %%RESPONSE_CODE%% in %.60q", format)}
	}
	last := &f.columns[len(f.columns)-1]
	last.until = strings.TrimRight(last.until, "\r\n")
	if f.setSpread(format); f.lines > maxSpread {
		return nil, &FormatError{0, "", fmt.Sprintf("a record goes over %d lines: at most %d are read", f.lines, maxSpread)}
	}
	for i := range f.columns {
		f.columns[i].lenient = true
	}
	f.finish()
	f.like = likeness(f)
	f.warn(f.columns)
	return f, nil
}

// DialectFormat returns the format of a dialect by its id. It is nil for one
// that no format describes, and for an id that is not known.
func DialectFormat(id string) (f *Format, known bool) {
	for i, d := range dialects {
		if d.ID != id {
			continue
		}
		dialect := firstProduct + Dialect(i)
		if f = productFormats[dialect]; f != nil || d.Format == "" {
			return f, true
		}
		compile := compileProduct
		if d.Encoding == JSON {
			compile = func(s string) (*Format, error) { return CompileJSON([]byte(s)) }
		}
		if f, _ = compile(d.Format); f != nil {
			f.dialect = dialect
		}
		return f, true
	}
	return nil, false
}

// compileText compiles a string that may have no operator.
func compileText(format string) (*Format, error) {
	f := &Format{dialect: Custom}
	literal := &f.prefix
	for i := 0; i < len(format); {
		if format[i] != '%' {
			n := strings.IndexByte(format[i:], '%')
			if n < 0 {
				n = len(format) - i
			}
			*literal += format[i : i+n]
			i += n
			continue
		}
		if strings.HasPrefix(format[i:], "%%") {
			*literal += "%"
			i += 2
			continue
		}
		op, end, err := operatorAt(format, i)
		if err != nil {
			return nil, err
		}
		if len(f.columns) == maxColumns {
			return nil, &FormatError{i, op.name, fmt.Sprintf("more than %d operators", maxColumns)}
		}
		col, err := f.newColumn(op, i)
		if err != nil {
			return nil, err
		}
		f.columns = append(f.columns, col)
		literal = &f.columns[len(f.columns)-1].until
		i = end
	}
	return f, nil
}

// finish derives what depends on all columns.
func (f *Format) finish() {
	f.merge()
	settle(f.columns)
	f.findPiped()
	for i := range f.columns {
		c := &f.columns[i]
		if c.open = !c.ends(c.until); c.until == "" {
			c.open = i+1 < len(f.columns)
		}
		c.plain = c.field != Extra && c.field != ResponseCode && c.field != ResponseFlags && c.field != StartTime && c.most == 0
		f.layout |= 1 << c.field
		if c.field == StartTime {
			f.clock = c.clock
		}
	}
	f.headed = f.columns[0].typ == TypeTime && f.columns[0].until != ""
	f.findPlan()
}

// likeness is the dialect that flat reads and that has the columns of f.
func likeness(f *Format) Dialect {
	for _, d := range flatDialects {
		product := productFormats[d]
		if product.prefix == f.prefix && slices.EqualFunc(product.columns, f.columns, func(a, b column) bool {
			return a.field == b.field && a.typ == b.typ && a.until == b.until && a.most == b.most && (a.field != Extra || string(a.key) == string(b.key))
		}) {
			return d
		}
	}
	return NoDialect
}

// settle leaves every field to one of the columns: the others are extra.
func settle(columns []column) {
	best := map[Field]int{}
	for i := range columns {
		c := &columns[i]
		if c.field == Extra {
			continue
		}
		j, taken := best[c.field]
		switch {
		case !taken:
			best[c.field] = i
		case c.rank < columns[j].rank:
			columns[j].field = Extra
			best[c.field] = i
		default:
			c.field = Extra
		}
	}
}

// An operator is one as it stands in a format.
type operator struct {
	name   string
	arg    string
	hasArg bool
	length int // 0: none
}

// text is the operator without percent signs and length.
func (o *operator) text() string {
	if o.hasArg {
		return o.name + "(" + o.arg + ")"
	}
	return o.name
}

// operatorAt reads the operator at i and returns the offset behind it.
func operatorAt(format string, i int) (op operator, end int, err error) {
	j := i + 1
	for j < len(format) && isNameByte(format[j]) {
		j++
	}
	if j == i+1 || j < len(format) && isLetter(format[j]) {
		return op, 0, notAnOperator(format, i)
	}
	op.name = format[i+1 : j]
	if j < len(format) && format[j] == '(' {
		lo := j + 1
		if j = argument(format, j); j < 0 {
			return op, 0, &FormatError{i, op.name, fmt.Sprintf("the argument of %%%s has no ) in front of a %%", op.name)}
		}
		op.arg, op.hasArg = format[lo:j-1], true
	}
	n, length := lengthAt(format, j)
	if k := j + n; k < len(format) && format[k] == '%' {
		op.length = length
		return op, k + 1, nil
	}
	return op, 0, &FormatError{i, op.name, fmt.Sprintf("operator %.60s has no closing %%", format[i:j+n])}
}

// notAnOperator is the error about a percent sign that no operator begins at.
func notAnOperator(format string, i int) error {
	j := i + 1
	for j < len(format) && (isNameByte(format[j]) || isLetter(format[j])) {
		j++
	}
	name := format[i+1 : j]
	if name == "" {
		return &FormatError{i, "", "want the name of an operator behind the %, or %% for a percent sign"}
	}
	return &FormatError{i, name, fmt.Sprintf("%%%.60s is no operator: their names are upper case", name)}
}

func isNameByte(c byte) bool { return c >= 'A' && c <= 'Z' || c-'0' <= 9 || c == '_' }
func isLetter(c byte) bool   { return c >= 'a' && c <= 'z' }

// argument returns the offset behind the parenthesis that closes the argument
// opened at i: the first one that a percent sign or a length follows. It is
// negative when there is none.
func argument(format string, i int) int {
	for j := i + 1; j < len(format); j++ {
		if format[j] != ')' {
			continue
		}
		n, _ := lengthAt(format, j+1)
		if k := j + 1 + n; k < len(format) && format[k] == '%' {
			return j + 1
		}
	}
	return -1
}

// lengthAt reads `:LENGTH` at i: how many bytes it has, none when there is no
// length, and what it says.
func lengthAt(format string, i int) (n, length int) {
	if i >= len(format) || format[i] != ':' {
		return 0, 0
	}
	j := i + 1
	for j < len(format) && format[j]-'0' <= 9 {
		length = min(length*10+int(format[j]-'0'), MaxRecord)
		j++
	}
	if j == i+1 {
		return 0, 0
	}
	return j - i, length
}

// newColumn makes the column of the operator at an offset of the format.
func (f *Format) newColumn(op operator, place int) (column, error) {
	r := fieldOf(op.name, op.arg)
	c := column{field: r.field, rank: r.rank, typ: TypeText, key: []byte(op.text()), most: op.length, place: place}
	row := operatorByName(op.name)
	switch {
	case r.field != Extra:
		c.typ = fields[r.field].Type
	case row != nil:
		c.typ = row.Type
	}
	if c.field == ResponseCode && op.name != "RESPONSE_CODE" {
		c.typ = TypeInt // a header: it may be missing
	}
	if c.field == ResponseCodeDetails && op.hasArg {
		c.typ = TypeText
	}
	if row != nil && row.Type == TypeTime && op.hasArg && op.arg != "" {
		if err := c.setClock(op); err != nil {
			return c, &FormatError{place, op.name, fmt.Sprintf("%%%s%%: %v", op.text(), err)}
		}
	}
	c.always = c.typ == TypeCode || c.typ == TypeTime && row != nil && row.Missing == Never
	c.limit()
	f.judge(op, row, place)
	return c, nil
}

// setClock gives a time the layout that the argument of its operator says.
func (c *column) setClock(op operator) (err error) {
	if c.clock, err = newClock(op.arg, strings.HasSuffix(op.name, "_LOCAL")); err != nil {
		return err
	}
	if !c.clock.known {
		c.rank += 3
	}
	if c.clock.free {
		c.typ = TypeText
	}
	return nil
}

// limit makes the type one that a value which was cut still has.
func (c *column) limit() {
	c.uncut = c.typ
	if c.most == 0 || c.typ == TypeCode && c.most >= 3 {
		return
	}
	switch c.typ {
	case TypeCode:
		c.typ, c.always = TypeInt, false
	case TypeTime, TypeFlags, TypeProtocol, TypeAddress, TypeIPList, TypeNumber:
		c.typ, c.clock, c.always = TypeText, nil, false
	}
}

// whole says whether the value can be told from one that was cut; texts are
// kept in both cases.
func (c *column) whole(n int) bool {
	if c.most == 0 || n < c.most {
		return true
	}
	switch c.uncut {
	case TypeCode:
		return c.most >= 3
	case TypeTime, TypeFlags, TypeProtocol, TypeInt, TypeNumber, TypeAddress:
		return false
	}
	return true
}

// fits says whether v is a value of the column, seen as one of the type.
func (c *column) fits(t Type, v []byte) bool {
	if c.most > 0 && len(v) > c.most {
		return false
	}
	switch {
	case c.piped && holdsCluster(v, c.field == UpstreamCluster):
		return false
	case t == TypeTime && c.clock != nil:
		return !c.always && (len(v) == 0 || len(v) == 1 && v[0] == '-') || c.clock.fits(v)
	case t == TypeTime && c.always && len(v) < 2:
		return false
	case t == TypeTime || t == TypeNumber:
		return fits(t, v) && c.allows(v)
	}
	return fits(t, v)
}

func (c *column) allows(v []byte) bool {
	for _, b := range v {
		if c.excludes(b) {
			return false
		}
	}
	return true
}

// merge makes one column of those that stand side by side and that nothing
// tells apart.
func (f *Format) merge() {
	for i := 0; i+1 < len(f.columns); {
		a, b := &f.columns[i], &f.columns[i+1]
		switch {
		case a.until != "":
			i++
		case !sameSort(a, b):
			f.warnPair(a, b, "nothing stands between them: where two readings fit, neither has a value")
			i++
		default:
			f.warnPair(a, b, "nothing stands between them to tell them apart: they are kept as one column")
			a.key = []byte(a.operator() + b.operator())
			a.field, a.typ, a.most, a.clock, a.until, a.always, a.merged = Extra, TypeText, 0, nil, b.until, false, true
			f.columns = slices.Delete(f.columns, i+1, i+2)
		}
	}
}

// operator is the column's operator with its percent signs.
func (c *column) operator() string {
	if c.merged {
		return string(c.key)
	}
	return "%" + string(c.key) + "%"
}

// sameSort says whether values of two columns can run into each other, so that
// no end of the first one is more likely than the next. Of a text, only what
// always looks like something can be told.
func sameSort(a, b *column) bool {
	x, y := sortOf(a.typ), sortOf(b.typ)
	return x == y || x == TypeText && !b.always || y == TypeText && !a.always
}

// sortOf stands for the types whose values are made of the same bytes.
func sortOf(t Type) Type {
	switch t {
	case TypeNumber:
		return TypeInt
	case TypeInt, TypeCode, TypeFlags, TypeProtocol, TypeTime:
		return t
	}
	return TypeText
}

// flagsColumn is the column of the flags, or behind all when there is none.
func (f *Format) flagsColumn() int {
	for i := range f.columns {
		if f.columns[i].field == ResponseFlags {
			return i
		}
	}
	return len(f.columns)
}
