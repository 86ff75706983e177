package main

import (
	"bytes"
	"strconv"
	"strings"

	"github.com/flagwatch/flagwatch/classify"
	"github.com/flagwatch/flagwatch/internal/spell"
	"github.com/flagwatch/flagwatch/parser"
)

// A selector says of a record whether it is meant. It is safe for concurrent
// use and allocates nothing.
type selector func(r *parser.Record, v classify.Verdict) bool

// selectorKeys is the list of what --only and --exclude know, with how a value
// is read.
var selectorKeys = []struct {
	name string
	read func(value string, c *classify.Classifier) (selector, error)
}{
	{"cause", selectCause},
	{"flag", selectFlag},
	{"code", selectCode},
	{"cluster", selectField(parser.UpstreamCluster)},
	{"host", selectField(parser.UpstreamHost)},
	{"route", selectField(parser.RouteName)},
	{"authority", selectField(parser.Authority)},
	{"direction", selectDirection},
}

// selectorFields are the fields that selectors may look at.
const selectorFields = parser.FieldSet(1<<parser.ResponseCode | 1<<parser.ResponseFlags | 1<<parser.UpstreamCluster |
	1<<parser.UpstreamHost | 1<<parser.RouteName | 1<<parser.Authority)

// A selection is terms by key: of each key that is there, one must fit.
type selection [][]selector

// parseSelection reads terms such as flag=UF, several joined by commas.
func parseSelection(option string, terms []string, c *classify.Classifier) (selection, error) {
	if len(terms) == 0 {
		return nil, nil
	}
	list := make(selection, len(selectorKeys))
	for _, term := range terms {
		for one := range strings.SplitSeq(term, ",") {
			i, s, err := parseTerm(option, one, c)
			if err != nil {
				return nil, err
			}
			list[i] = append(list[i], s)
		}
	}
	return list, nil
}

func parseTerm(option, term string, c *classify.Classifier) (key int, s selector, err error) {
	name, value, ok := strings.Cut(term, "=")
	var names []string
	for i, k := range selectorKeys {
		if names = append(names, k.name); ok && k.name == name {
			if s, err = k.read(value, c); err != nil {
				err = usageError("--%s %s: %w", option, term, err)
			}
			return i, s, err
		}
	}
	return 0, nil, usageError("--%s %s: want KEY=VALUE with one of the keys %s%s", option, term, strings.Join(names, ", "), spell.DidYouMean(name, names))
}

// all says whether of each key a term fits.
func (s selection) all(r *parser.Record, v classify.Verdict) bool {
	for _, terms := range s {
		if len(terms) > 0 && !fitsOne(terms, r, v) {
			return false
		}
	}
	return true
}

// one says whether any term fits.
func (s selection) one(r *parser.Record, v classify.Verdict) bool {
	for _, terms := range s {
		if fitsOne(terms, r, v) {
			return true
		}
	}
	return false
}

func fitsOne(terms []selector, r *parser.Record, v classify.Verdict) bool {
	for _, s := range terms {
		if s(r, v) {
			return true
		}
	}
	return false
}

func selectCause(value string, c *classify.Classifier) (selector, error) {
	cause, ok := c.Cause(value)
	if !ok {
		return nil, usageError("no such cause%s", spell.DidYouMean(value, explainable(c)))
	}
	return func(_ *parser.Record, v classify.Verdict) bool { return v.Cause != nil && v.Cause.ID == cause.ID }, nil
}

func selectFlag(value string, _ *classify.Classifier) (selector, error) {
	if value == "-" {
		return func(r *parser.Record, _ classify.Verdict) bool {
			set, ok := r.Flags()
			return ok && set == 0
		}, nil
	}
	flag, ok := parser.FlagByName(value)
	if !ok {
		var names []string
		for _, f := range parser.FlagList() {
			names = append(names, f.Short)
		}
		return nil, usageError("no such flag%s", spell.DidYouMean(value, names))
	}
	return func(r *parser.Record, _ classify.Verdict) bool {
		set, ok := r.Flags()
		return ok && set.Has(flag)
	}, nil
}

// selectCode reads a code of three digits, a class of codes from 1xx to 5xx, or 0
// for records without a response. Codes outside of the classes do occur.
// Source: https://www.rfc-editor.org/rfc/rfc9110#name-status-codes
func selectCode(value string, _ *classify.Classifier) (selector, error) {
	size, least, most := 1, 100, 999
	digits := strings.TrimSuffix(strings.ToLower(value), "xx")
	if len(digits) < len(value) {
		size, least, most = 100, 1, 5
	}
	n, err := strconv.Atoi(digits)
	if value != "0" && (err != nil || len(value) != 3 || n < least || n > most) {
		return nil, usageError("want a code such as 503, a class from 1xx to 5xx, or 0 for no response")
	}
	return func(r *parser.Record, _ classify.Verdict) bool {
		code, ok := r.Code()
		return ok && code/size == n
	}, nil
}

func selectDirection(value string, _ *classify.Classifier) (selector, error) {
	for _, d := range []parser.Direction{parser.Inbound, parser.Outbound} {
		if d.String() == value {
			return func(r *parser.Record, _ classify.Verdict) bool { return r.Direction() == d }, nil
		}
	}
	return nil, usageError("want inbound or outbound")
}

// selectField compares a field as a whole; * stands for anything.
func selectField(f parser.Field) func(string, *classify.Classifier) (selector, error) {
	return func(value string, _ *classify.Classifier) (selector, error) {
		var parts [][]byte
		for part := range strings.SplitSeq(value, "*") {
			parts = append(parts, []byte(part))
		}
		return func(r *parser.Record, _ classify.Verdict) bool { return r.Has(f) && fitsPattern(r.Bytes(f), parts) }, nil
	}
}

// fitsPattern says whether b is the parts with anything in between.
func fitsPattern(b []byte, parts [][]byte) bool {
	first, last := parts[0], parts[len(parts)-1]
	if len(parts) == 1 {
		return bytes.Equal(b, first)
	}
	if len(b) < len(first)+len(last) || !bytes.HasPrefix(b, first) || !bytes.HasSuffix(b, last) {
		return false
	}
	b = b[len(first) : len(b)-len(last)]
	for _, part := range parts[1 : len(parts)-1] {
		i := bytes.Index(b, part)
		if i < 0 {
			return false
		}
		b = b[i+len(part):]
	}
	return true
}
