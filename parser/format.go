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
	headed   bool   // a record begins with a time, perhaps behind a literal
	plan     *plan  // nil when a line can not be read by searching for what stands between the columns
	clock    *clock // layout of the start time; nil: RFC 3339
	object   *node  // of a JSON map; it has no columns
	leaves   int    // keys and elements of the map, on all levels
	warnings []Warning
}

// A column is one operator and the literal that ends its value.
type column struct {
	field Field  // Extra when the operator is no field of its own
	typ   Type   // what a value looks like
	key   []byte // the operator as written, without percent signs and length
	until string // the whole literal up to the next column; "" in the last
	most  int    // bytes that a value is cut to; 0: it is not cut
	clock *clock // layout of a time; nil: RFC 3339
	open  bool   // a value may hold what ends it
	rank  int    // of those that fill a field, the lowest does
	place int    // where the operator stands in the format

	merged bool // it stands for several operators
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
	f.finish()
	f.warn(f.columns)
	return f, nil
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
	for i := range f.columns {
		c := &f.columns[i]
		c.open = !c.ends(c.until) && (c.until != "" || i+1 < len(f.columns))
		f.layout |= 1 << c.field
		if c.field == StartTime {
			f.clock = c.clock
		}
	}
	f.headed = f.columns[0].typ == TypeTime && f.columns[0].until != ""
	f.findPlan()
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
	if c.most == 0 || c.typ == TypeCode && c.most >= 3 {
		return
	}
	switch c.typ {
	case TypeCode:
		c.typ = TypeInt
	case TypeTime, TypeFlags, TypeProtocol, TypeAddress, TypeIPList, TypeNumber:
		c.typ, c.clock = TypeText, nil
	}
}

// whole says whether the value can be told from one that was cut; texts are
// kept in both cases.
func (c *column) whole(n int) bool {
	if c.most == 0 || n < c.most {
		return true
	}
	switch fields[c.field].Type {
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
	case t == TypeTime && c.clock != nil:
		return len(v) == 0 || len(v) == 1 && v[0] == '-' || c.clock.fits(v)
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
		case !sameSort(a.typ, b.typ):
			f.warnPair(a, b, "nothing stands between them: where two readings fit, neither has a value")
			i++
		default:
			f.warnPair(a, b, "nothing stands between them to tell them apart: they are kept as one column")
			a.key = []byte(a.operator() + b.operator())
			a.field, a.typ, a.most, a.clock, a.until, a.merged = Extra, TypeText, 0, nil, b.until, true
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

// sameSort says whether values of two types can run into each other.
func sameSort(a, b Type) bool {
	return sortOf[a] == sortOf[b]
}

// sortOf puts types together whose values are made of the same bytes.
var sortOf = map[Type]int{TypeInt: 1, TypeNumber: 1, TypeCode: 2, TypeFlags: 3, TypeProtocol: 4, TypeTime: 5}

// flagsColumn is the column of the flags, or behind all when there is none.
func (f *Format) flagsColumn() int {
	for i := range f.columns {
		if f.columns[i].field == ResponseFlags {
			return i
		}
	}
	return len(f.columns)
}
