package parser

import (
	"fmt"
	"slices"
	"strings"
)

// A Format is a compiled access-log format. It is immutable and may be shared
// by any number of parsers.
type Format struct {
	dialect Dialect
	prefix  string   // literal in front of the first column
	columns []column // in the order of the line
	layout  FieldSet
	quotes  int // how many quotes the literals have
}

// A column is one operator and the literal that ends its value.
type column struct {
	field Field  // Extra when the operator is no field of its own
	typ   Type   // what a value looks like
	key   []byte // the operator as written, without percent signs
	until string // the whole literal up to the next column; "" in the last
}

// maxColumns is how many operators a format may have.
const maxColumns = 64

// Compile compiles an access-log format string: any operator that Envoy has or
// may get, since an unknown one is an opaque column. The error names the byte
// where the string stops being well-formed.
//
// Source of the grammar:
// https://www.envoyproxy.io/docs/envoy/latest/configuration/advanced/substitution_formatter
func Compile(format string) (*Format, error) {
	f := &Format{dialect: Custom}
	literal := &f.prefix
	for i := 0; i < len(format); {
		if format[i] != '%' {
			*literal += format[i : i+1]
			i++
			continue
		}
		if strings.HasPrefix(format[i:], "%%") {
			*literal += "%"
			i += 2
			continue
		}
		op, end, err := operator(format, i)
		if err != nil {
			return nil, err
		}
		if len(f.columns) == maxColumns {
			return nil, fmt.Errorf("format: byte %d: more than %d operators", i, maxColumns)
		}
		f.columns = append(f.columns, newColumn(op))
		literal = &f.columns[len(f.columns)-1].until
		i = end
	}
	if len(f.columns) == 0 {
		return nil, fmt.Errorf("format: no operator such as %%RESPONSE_CODE%% in %q", format)
	}
	return f.finish(), nil
}

// finish derives what depends on all columns and takes line ends off the last
// literal: a record ends there.
func (f *Format) finish() *Format {
	last := &f.columns[len(f.columns)-1]
	last.until = strings.TrimRight(last.until, "\r\n")
	f.quotes = strings.Count(f.prefix, `"`)
	for _, c := range f.columns {
		f.quotes += strings.Count(c.until, `"`)
		f.layout |= 1 << c.field
	}
	return f
}

// operator reads one %COMMAND(argument):length% at i and returns it without
// its percent signs, and the offset behind it.
func operator(format string, i int) (op string, end int, err error) {
	j := i + 1
	for j < len(format) && (format[j] >= 'A' && format[j] <= 'Z' || format[j] >= '0' && format[j] <= '9' || format[j] == '_') {
		j++
	}
	if j == i+1 {
		return "", 0, fmt.Errorf("format: byte %d: want the name of an operator, or %%%% for a percent sign", i)
	}
	if j < len(format) && format[j] == '(' {
		if j = argument(format, j); j < 0 {
			return "", 0, fmt.Errorf("format: byte %d: the argument of %s has no )", i, format[i:])
		}
	}
	k := j
	if k < len(format) && format[k] == ':' {
		for k++; k < len(format) && format[k]-'0' <= 9; k++ {
		}
	}
	if k >= len(format) || format[k] != '%' {
		return "", 0, fmt.Errorf("format: byte %d: operator %s has no closing %%", i, format[i:min(k, len(format))])
	}
	return format[i+1 : j], k + 1, nil
}

// argument returns the offset behind the parenthesis that closes the argument
// opened at i: the first one that a percent sign or a length follows. It is
// negative when there is none.
func argument(format string, i int) int {
	for j := i + 1; j < len(format); j++ {
		if format[j] != ')' {
			continue
		}
		k := j + 1
		if k < len(format) && format[k] == ':' {
			for k++; k < len(format) && format[k]-'0' <= 9; k++ {
			}
		}
		if k < len(format) && format[k] == '%' {
			return j + 1
		}
	}
	return -1
}

func newColumn(op string) column {
	for i := range fields {
		if fields[i].Operator == "" {
			break
		}
		if fields[i].Operator == op || slices.Contains(fields[i].Aliases, op) {
			return column{field: Field(i), typ: fields[i].Type, key: []byte(op)}
		}
	}
	if strings.HasPrefix(op, "START_TIME") {
		return column{field: StartTime, typ: TypeText, key: []byte(op)}
	}
	return column{field: Extra, typ: TypeText, key: []byte(op)}
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
