// Package rules reads a team's own causes from YAML: the rows that the
// catalogue has, to be placed in front of it.
package rules

import (
	"fmt"
	"slices"
	"strings"

	"go.yaml.in/yaml/v3"

	"github.com/flagwatch/flagwatch/classify"
	"github.com/flagwatch/flagwatch/internal/document"
	"github.com/flagwatch/flagwatch/internal/spell"
)

// Parse reads a file of causes. Errors name the file, the line and the column,
// and what was expected there.
//
//	causes:
//	  - id: payments-nightly-restart
//	    title: Payments restarts at night
//	    side: application
//	    severity: warning
//	    match:
//	      - when: flag:UF cluster:payments
//	        rivals: [upstream-refused]
//	        confidence: medium
//	    meaning: The batch job restarts the pods one by one.
//	    remedy: Nothing to do before 04:00.
//	    examples:
//	      - '[2026-03-02T09:14:07.482Z] "GET / HTTP/1.1" 503 UF ...'
func Parse(name string, data []byte) (classify.Own, error) {
	f := &file{name: name}
	root, second, err := document.Read(name, data)
	if err != nil {
		return f.own, err
	}
	if root == nil {
		return f.own, fmt.Errorf("%s: no causes in it", name)
	}
	f.fields(root, map[string]func(*yaml.Node){"causes": func(n *yaml.Node) { f.each(n, f.cause) }})
	if second != nil {
		f.fail(second, "a second document: want all causes in one")
	}
	if f.err == nil && len(f.own.Causes) == 0 {
		f.fail(root, "no causes in it")
	}
	if f.err == nil {
		f.compile()
	}
	return f.own, f.err
}

// A file is one that is being read; the first error stays.
type file struct {
	name string
	own  classify.Own
	ids  []*yaml.Node // of the causes
	at   []*yaml.Node // of the rules' conditions
	err  error
}

func (f *file) fail(n *yaml.Node, format string, args ...any) {
	if f.err == nil {
		f.err = fmt.Errorf("%s:%d:%d: %s", f.name, n.Line, n.Column, fmt.Sprintf(format, args...))
	}
}

// fields reads a mapping by the readers of its keys; any other key is an error.
func (f *file) fields(n *yaml.Node, readers map[string]func(*yaml.Node)) {
	if n.Kind != yaml.MappingNode {
		f.fail(n, "want a mapping of %s", strings.Join(keys(readers), ", "))
		return
	}
	for i := 0; i+1 < len(n.Content) && f.err == nil; i += 2 {
		key, value := n.Content[i], n.Content[i+1]
		read := readers[key.Value]
		if read == nil {
			f.fail(key, "unknown key %q%s", key.Value, spell.DidYouMean(key.Value, keys(readers)))
			return
		}
		for j := range i / 2 {
			if n.Content[2*j].Value == key.Value {
				f.fail(key, "%q is there twice", key.Value)
			}
		}
		read(value)
	}
}

func keys(readers map[string]func(*yaml.Node)) (list []string) {
	for key := range readers {
		list = append(list, key)
	}
	slices.Sort(list)
	return list
}

func (f *file) each(n *yaml.Node, read func(*yaml.Node)) {
	if n.Kind != yaml.SequenceNode {
		f.fail(n, "want a list")
		return
	}
	for _, item := range n.Content {
		read(item)
	}
}

// text reads a string into dst.
func (f *file) text(dst *string) func(*yaml.Node) {
	return func(n *yaml.Node) {
		if n.Kind != yaml.ScalarNode {
			f.fail(n, "want a text")
			return
		}
		*dst = n.Value
	}
}

func (f *file) texts(dst *[]string) func(*yaml.Node) {
	return func(n *yaml.Node) {
		f.each(n, func(item *yaml.Node) {
			var s string
			f.text(&s)(item)
			*dst = append(*dst, s)
		})
	}
}

// one reads one of a closed set of names.
func one[T fmt.Stringer](f *file, dst *T, set []T) func(*yaml.Node) {
	return func(n *yaml.Node) {
		var names []string
		for _, v := range set {
			if v.String() == n.Value {
				*dst = v
				return
			}
			names = append(names, v.String())
		}
		f.fail(n, "%q is none of %s", n.Value, strings.Join(names, ", "))
	}
}

var (
	allSides       = []classify.Side{classify.Client, classify.ClientProxy, classify.ServerProxy, classify.App, classify.Network, classify.ControlPlane, classify.Platform}
	allSeverities  = []classify.Severity{classify.Info, classify.Warning, classify.Error}
	allConfidences = []classify.Confidence{classify.Low, classify.Medium, classify.High}
	allSeen        = []classify.Seen{classify.InAccess, classify.InEvents}
)

func (f *file) cause(n *yaml.Node) {
	c := classify.Cause{Severity: classify.Error, Side: classify.App}
	var matches []*yaml.Node
	id := n
	f.fields(n, map[string]func(*yaml.Node){
		"id":    func(n *yaml.Node) { id = n; f.text(&c.ID)(n) },
		"title": f.text(&c.Title), "parent": f.text(&c.Parent),
		"seen": one(f, &c.Seen, allSeen), "side": one(f, &c.Side, allSides), "severity": one(f, &c.Severity, allSeverities),
		"meaning": f.text(&c.Meaning), "evidence": f.text(&c.Evidence), "remedy": f.text(&c.Remedy), "versions": f.text(&c.Versions),
		"aliases": f.texts(&c.Aliases), "checks": f.texts(&c.Checks), "docs": f.texts(&c.Docs), "examples": f.texts(&c.Examples),
		"rivals": func(n *yaml.Node) { f.each(n, func(n *yaml.Node) { f.rival(n, &c) }) },
		"match":  func(n *yaml.Node) { f.each(n, func(n *yaml.Node) { matches = append(matches, n) }) },
	})
	switch {
	case f.err != nil:
		return
	case c.ID == "" || strings.ToLower(c.ID) != c.ID || strings.ContainsAny(c.ID, " _"):
		f.fail(n, "id %q: want lower-case words joined by -", c.ID)
	case c.Title == "":
		f.fail(n, "%s has no title", c.ID)
	case len(matches) == 0:
		f.fail(n, "%s has no match: no record would get it", c.ID)
	}
	for _, m := range matches {
		f.match(m, c.ID)
	}
	f.own.Causes, f.ids = append(f.own.Causes, c), append(f.ids, id)
}

func (f *file) rival(n *yaml.Node, c *classify.Cause) {
	var r classify.Rival
	f.fields(n, map[string]func(*yaml.Node){"id": f.text(&r.ID), "tell": f.text(&r.Tell)})
	c.Rivals = append(c.Rivals, r)
}

func (f *file) match(n *yaml.Node, id string) {
	r := classify.Rule{Cause: id, Confidence: classify.High}
	var rivals []string
	where := n
	f.fields(n, map[string]func(*yaml.Node){
		"when":       func(n *yaml.Node) { where = n; f.text(&r.When)(n) },
		"rivals":     f.texts(&rivals),
		"confidence": one(f, &r.Confidence, allConfidences),
	})
	r.Rivals = strings.Join(rivals, " ")
	f.own.Rules, f.at = append(f.own.Rules, r), append(f.at, where)
}

// compile finds the cause or the rule that the classifier does not take, for its
// place.
func (f *file) compile() {
	if _, err := classify.New(f.own); err == nil {
		return
	}
	for i := range f.own.Causes {
		if _, err := classify.New(classify.Own{Causes: f.own.Causes[:i+1]}); err != nil {
			f.fail(f.ids[i], "%v", err)
			return
		}
	}
	for i := range f.own.Rules {
		if _, err := classify.New(classify.Own{Causes: f.own.Causes, Rules: f.own.Rules[i : i+1]}); err != nil {
			f.fail(f.at[i], "%v", err)
			return
		}
	}
}
