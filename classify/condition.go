package classify

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/flagwatch/flagwatch/internal/spell"
	"github.com/flagwatch/flagwatch/parser"
)

// A condition is what Rule.When says. It is a list of terms set apart by
// blanks, all of which must hold; a term with ! in front must not:
//
//	failed            the record reports a failed request
//	flag:UF,URX       has one of the flags
//	only:UF,URX       has no flag but these
//	code:503,5xx,400-499
//	grpc:14,2         the gRPC status
//	emitter:envoy     level:error,critical
//	details           the column has a value
//	details:no_healthy_upstream,^overload$
//	                  the column holds one of the phrases: the same words in a
//	                  row, whatever stands between them; ^ and $ bind a phrase
//	                  to the begin and the end
//	column:sni        the layout has the column, with or without a value
//	http2             a predicate of the list
//
// Columns and predicates are listed in signature.go and predicates.go.
//
// A condition with a term about emitter, level, message or component is about
// events, every other about access records.
type condition struct {
	kind  parser.Kind
	early []term // decided by the first key of a verdict
	late  []ask  // looked up in the record
}

// An ask is a question of the classifier's list, and the answer wanted.
type ask struct {
	question int
	want     bool
}

// A term is one test of the first key of a verdict.
type term struct {
	name  string // "" when it asks for no certain value
	holds func(*look) bool
	want  bool

	column  int      // of a term about a text
	phrases []uint16 // one of which it must hold; nil: any text
}

// compile reads a condition. The error names the term and its byte.
func (c *compiled) compile(when string) (cond condition, err error) {
	cond.kind = parser.Access
	at := 0
	for _, word := range strings.Split(when, " ") {
		if word != "" {
			name, negated := strings.CutPrefix(word, "!")
			if err = c.term(&cond, name, !negated); err != nil {
				return cond, fmt.Errorf("byte %d: %q: %w", at, word, err)
			}
		}
		at += len(word) + 1
	}
	if len(cond.early)+len(cond.late) == 0 {
		return cond, fmt.Errorf("condition without a term")
	}
	return cond, nil
}

func (c *compiled) term(cond *condition, word string, want bool) error {
	name, list, valued := strings.Cut(word, ":")
	if !valued {
		list = ""
	} else if list == "" {
		return fmt.Errorf("no value behind the colon")
	}
	var holds func(*look) bool
	var err error
	switch name {
	case "flag", "only":
		holds, err = flagTest(name, list)
	case "code", "grpc":
		holds, err = numberTest(name, list)
	case "failed":
		holds = func(k *look) bool { return k.failed }
	case "emitter", "level":
		cond.kind, holds = parser.Event, wordTest(name, list)
	default:
		return c.question(cond, name, list, want)
	}
	if err != nil {
		return err
	}
	cond.early = append(cond.early, term{name: name, holds: holds, want: want})
	return nil
}

func flagTest(name, list string) (func(*look) bool, error) {
	var set parser.FlagSet
	for _, short := range strings.Split(list, ",") {
		if short == "unknown" {
			set |= parser.UnknownFlags
			continue
		}
		f, ok := parser.FlagByName(short)
		if !ok {
			return nil, fmt.Errorf("no flag %q", short)
		}
		set |= parser.FlagsOf(f)
	}
	if name == "only" {
		return func(k *look) bool { return k.flags&^set == 0 }, nil
	}
	return func(k *look) bool { return k.flags&set != 0 }, nil
}

// numberTest reads `503`, `5xx` and `400-499`.
func numberTest(name, list string) (func(*look) bool, error) {
	var ranges [][2]int16
	for _, text := range strings.Split(list, ",") {
		lo, hi, isRange := strings.Cut(strings.ReplaceAll(text, "xx", "00"), "-")
		from, err := strconv.ParseInt(lo, 10, 16)
		to := from
		if isRange && err == nil {
			to, err = strconv.ParseInt(hi, 10, 16)
		}
		if strings.HasSuffix(text, "xx") {
			to = from + 99
		}
		if err != nil || to < from {
			return nil, fmt.Errorf("%q is no number or range", text)
		}
		ranges = append(ranges, [2]int16{int16(from), int16(to)})
	}
	value := func(k *look) int16 { return k.code }
	if name == "grpc" {
		value = func(k *look) int16 { return k.grpc }
	}
	return func(k *look) bool {
		v := value(k)
		return slices.ContainsFunc(ranges, func(r [2]int16) bool { return v >= r[0] && v <= r[1] })
	}, nil
}

func wordTest(name, list string) func(*look) bool {
	words := strings.Split(list, ",")
	if name == "level" {
		return func(k *look) bool { return slices.Contains(words, levels[k.level][0]) }
	}
	return func(k *look) bool { return slices.Contains(words, k.emitter.String()) }
}

// question compiles a term about a column or a predicate.
func (c *compiled) question(cond *condition, name, list string, want bool) error {
	for i, col := range columns {
		if col.name != name {
			continue
		}
		if i < earlyColumns {
			if i >= accessColumns {
				cond.kind = parser.Event
			}
			return c.earlyText(cond, i, list, want)
		}
		f := col.field
		return c.text(cond, predicate{name: name + ":" + list, fields: parser.Fields(f)}, func(r *parser.Record) []byte { return r.Bytes(f) }, list, want)
	}
	for i, n := range notes {
		if n.name == name {
			there := term{holds: func(k *look) bool { return k.notes>>i&1 != 0 }, want: want}
			if want || list == "" {
				cond.early = append(cond.early, there)
			}
			if list == "" {
				return nil
			}
			return c.text(cond, predicate{name: name + ":" + list}, n.read, list, want)
		}
	}
	if name == "column" {
		return c.columnTerm(cond, list, want)
	}
	if p, ok := predicateNamed[name]; ok && list == "" {
		c.asks(cond, p, want)
		return nil
	}
	return fmt.Errorf("no such column or predicate%s", spell.DidYouMean(name, termNames()))
}

// asks adds a question to the condition, and to the list if it is new.
func (c *compiled) asks(cond *condition, p predicate, want bool) {
	i := slices.IndexFunc(c.questions, func(q predicate) bool { return q.name == p.name })
	if i < 0 {
		i = len(c.questions)
		c.questions = append(c.questions, p)
		c.fields |= p.fields
	}
	cond.late = append(cond.late, ask{i, want})
}

func (c *compiled) columnTerm(cond *condition, name string, want bool) error {
	for _, col := range columns {
		if col.name == name {
			f := col.field
			c.asks(cond, predicate{name: "column:" + name, fields: parser.Fields(f), test: func(r *parser.Record) bool { return r.Column(f) }}, want)
			return nil
		}
	}
	return fmt.Errorf("no such column%s", spell.DidYouMean(name, termNames()))
}

func (c *compiled) earlyText(cond *condition, column int, list string, want bool) error {
	if list == "" {
		cond.early = append(cond.early, term{holds: func(k *look) bool { return k.first.texts[column] != absent }, want: want})
		return nil
	}
	var numbers []uint16
	for _, text := range strings.Split(list, ",") {
		n, err := c.phrases[column].number(text)
		if err != nil {
			return err
		}
		numbers = append(numbers, n)
	}
	holds := func(k *look) bool { return slices.ContainsFunc(numbers, k.found[column].has) }
	cond.early = append(cond.early, term{name: columns[column].name, holds: holds, want: want, column: column, phrases: numbers})
	return nil
}

// text adds the question whether a text that is asked for late holds a phrase.
func (c *compiled) text(cond *condition, p predicate, read func(*parser.Record) []byte, list string, want bool) (err error) {
	if p.test, err = textTest(read, list); err == nil {
		c.asks(cond, p, want)
	}
	return err
}

func textTest(read func(*parser.Record) []byte, list string) (func(*parser.Record) bool, error) {
	if list == "" {
		return func(r *parser.Record) bool { return read(r) != nil }, nil
	}
	var any phrases
	for _, text := range strings.Split(list, ",") {
		if _, err := any.number(text); err != nil {
			return nil, err
		}
	}
	any.build()
	return func(r *parser.Record) bool {
		value := read(r)
		return value != nil && any.in(value)
	}, nil
}

func termNames() (names []string) {
	names = []string{"failed", "flag", "only", "code", "grpc", "emitter", "level", "column"}
	for _, c := range columns {
		names = append(names, c.name)
	}
	for _, n := range notes {
		names = append(names, n.name)
	}
	for _, p := range predicates {
		names = append(names, p.name)
	}
	return names
}
