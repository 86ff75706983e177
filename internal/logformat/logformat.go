// Package logformat finds the access-log formats that people already have: in
// an argument, in a file, and in the configuration of Envoy and of what drives
// it.
package logformat

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"strings"

	"github.com/flagwatch/flagwatch/internal/spell"
	"github.com/flagwatch/flagwatch/parser"
)

// A Found is a format and where it stands.
type Found struct {
	Place                 // of the format's first byte
	What   string         // which setting of which resource; "" for an argument
	Format *parser.Format // nil: the product's own layout, which the parser knows
	More   int            // how many more times it is there
	Notes  []Note
	text   string // what it was compiled from
}

// A Note is something to know about a format.
type Note struct {
	Place
	Text string
}

// A Place is one in a file, or in an argument. Lines and columns count from 1;
// columns are bytes.
type Place struct {
	Name         string
	Line, Column int
}

func (p Place) String() string { return fmt.Sprintf("%s:%d:%d", p.Name, p.Line, p.Column) }

// An Error says what is wrong with a format or a configuration, and where.
type Error struct {
	Place
	Text string
}

func (e *Error) Error() string { return e.Place.String() + ": " + e.Text }

// Parse compiles the format that value is: a valid JSON object is a map, all
// else is a format string. The error is an *Error.
func Parse(name, value string) (Found, error) {
	value, note := unquoted(strings.TrimRight(value, "\r\n"))
	object := isObject(value)
	f, err := compile(value, object, func(offset int, _ string) Place { return placeIn(name, value, offset) })
	if at, problem := torn(value); err == nil && !object && problem != "" {
		err = &Error{placeIn(name, value, at), problem}
	}
	f.Place = Place{name, 1, 1}
	if note != "" && err == nil {
		f.Notes = append([]Note{{f.Place, note}}, f.Notes...)
	}
	return f, err
}

func isObject(value string) bool {
	return strings.HasPrefix(strings.TrimSpace(value), "{") && json.Valid([]byte(value))
}

// torn finds the brace, the bracket or the quote without a counterpart in what
// begins like a JSON map. Such a text whose braces are in order may be meant: a
// format string that writes JSON by itself.
func torn(value string) (at int, problem string) {
	head := strings.TrimLeft(value, " \t\r\n")
	if !strings.HasPrefix(head, "{") || !strings.HasPrefix(strings.TrimLeft(head[1:], " \t\r\n"), `"`) {
		return 0, ""
	}
	var open []int // places of braces, brackets and a quote
	for i := 0; i < len(value); i++ {
		c, last := value[i], byte(0)
		if len(open) > 0 {
			last = value[open[len(open)-1]]
		}
		quoted := last == '"'
		switch {
		case c == '\\':
			i++
		case c == '"' && quoted, !quoted && (c == '}' && last == '{' || c == ']' && last == '['):
			open = open[:len(open)-1]
		case c == '"', !quoted && (c == '{' || c == '['):
			open = append(open, i)
		case !quoted && (c == '}' || c == ']'):
			return i, fmt.Sprintf("the %c closes nothing", c)
		}
	}
	if len(open) == 0 {
		return 0, ""
	}
	at = open[len(open)-1]
	return at, fmt.Sprintf("the %c is not closed", value[at])
}

// unquoted undoes the escapes of a format that was copied out of a quoted
// string: no quote is without a backslash, or a line end is written as \n.
func unquoted(value string) (text, note string) {
	quotes := strings.Count(value, `"`)
	escaped := quotes > 0 && strings.Count(value, `\"`) == quotes
	if !escaped && (quotes > 0 || !strings.HasSuffix(value, `\n`)) {
		return strings.TrimSuffix(value, `\n`), ""
	}
	if json.Unmarshal([]byte(`"`+value+`"`), &text) != nil {
		return value, ""
	}
	text = strings.TrimRight(text, "\r\n")
	if !escaped {
		return text, ""
	}
	return text, "its quotes have backslashes in front of them, as in a quoted string: read without"
}

// compile compiles a format; at tells where a byte of it stands, which begins
// with the given text.
func compile(value string, object bool, at func(offset int, head string) Place) (Found, error) {
	f := Found{text: value}
	var err error
	if object {
		f.Format, err = parser.CompileJSON([]byte(value))
	} else {
		f.Format, err = parser.Compile(value)
	}
	if err != nil {
		return f, located(err, at)
	}
	for _, w := range f.Format.Warnings() {
		n := Note{at(max(w.Offset, 0), "%"+w.Operator), w.Text}
		if w.Unknown {
			n.Text += didYouMean(w.Operator)
		}
		f.Notes = append(f.Notes, n)
	}
	return f, nil
}

// located turns the parser's error into one with line and column.
func located(err error, at func(offset int, head string) Place) error {
	wrong, ok := errors.AsType[*parser.FormatError](err)
	if !ok {
		return err
	}
	head := "%" + wrong.Operator
	return &Error{at(wrong.Offset, head), wrong.Problem + didYouMean(wrong.Operator)}
}

// didYouMean names the known operator that is nearest to a name.
func didYouMean(name string) string {
	if name == "" {
		return ""
	}
	var names []string
	for _, o := range parser.OperatorList() {
		if o.Name == name {
			return ""
		}
		names = append(names, o.Name)
	}
	if near := spell.Closest(strings.ToUpper(name), names); near != "" {
		return "; did you mean %" + near + "%?"
	}
	return ""
}

// placeIn is the place of a byte in a text that begins at line 1.
func placeIn(name, text string, offset int) Place {
	before := text[:min(offset, len(text))]
	return Place{name, 1 + strings.Count(before, "\n"), len(before) - strings.LastIndexByte(before, '\n')}
}

// lineOf returns a line of a text, counted from 1.
func lineOf(text []byte, line int) []byte {
	for ; line > 1; line-- {
		i := bytes.IndexByte(text, '\n')
		if i < 0 {
			return nil
		}
		text = text[i+1:]
	}
	if i := bytes.IndexByte(text, '\n'); i >= 0 {
		text = text[:i]
	}
	return text
}
