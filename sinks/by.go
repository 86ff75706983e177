package sinks

import (
	"cmp"
	"slices"
	"strconv"
)

// A dimension is what failed requests can be grouped by.
type dimension struct {
	name   string
	values func(*Card) []ValueCount // where a card has the values

	pairs  bool // a value may come with several clusters, each counted by itself
	chosen bool // only values that surely are frequent are listed, and only where they matter
}

// dimensions is the list of them.
var dimensions = []dimension{
	{name: "cluster", values: func(c *Card) []ValueCount { return c.Clusters }},
	{name: "host", values: func(c *Card) []ValueCount { return c.Hosts }, pairs: true},
	{name: "route", values: func(c *Card) []ValueCount { return c.Routes }},
	{name: "authority", values: func(c *Card) []ValueCount { return c.Authorities }},
	{name: "path", values: func(c *Card) []ValueCount { return c.Paths }, chosen: true},
	{name: "pod", values: func(c *Card) []ValueCount { return c.Proxies }},
}

// Groupings is the list of names that GroupBy knows.
func Groupings() (names []string) {
	for _, d := range dimensions {
		names = append(names, d.name)
	}
	return names
}

// A Grouping is the records that have a cause, by one of Groupings. Of each
// cause only the most frequent values are kept: Rest says how many records
// that leaves in no group, and each group how many of them it may have.
type Grouping struct {
	By     string  `json:"by"`
	Groups []Group `json:"groups"`         // the largest first
	Rest   uint64  `json:"rest,omitempty"` // records without such a value, or with one that is rare
}

// A Group is a value of a Grouping. Count is too high by at most Excess, and
// there are never more than AtMost.
type Group struct {
	Value  string       `json:"value"`
	Count  uint64       `json:"count"`
	Excess uint64       `json:"excess,omitempty"`
	AtMost uint64       `json:"atMost,omitempty"` // 0: Count
	Causes []NamedCount `json:"causes"`           // the most frequent first
}

// sure is how many records the group has at least.
func (g *Group) sure() uint64 { return g.Count - g.Excess }

// GroupBy adds groupings to the report. Names must be of Groupings.
func (r *Report) GroupBy(names ...string) {
	for _, name := range names {
		g := grouper{Grouping: Grouping{By: name, Groups: []Group{}}, dimension: &dimensions[slices.Index(Groupings(), name)], at: map[string]int{}}
		for i := range r.Causes {
			g.add(&r.Causes[i])
		}
		r.Groupings = append(r.Groupings, g.done())
	}
}

// A grouper makes a Grouping of causes, one by one.
type grouper struct {
	Grouping
	*dimension
	at     map[string]int // places of values in Groups
	floors []floor
}

// A floor is how many records a cause may have of a value that it does not
// list.
type floor struct {
	cause string
	n     uint64
}

func (g *grouper) add(c *Card) {
	values := g.values(c)
	sums, listed := map[string]uint64{}, uint64(0)
	for _, v := range values {
		at, ok := g.at[v.Value]
		if !ok {
			at = len(g.Groups)
			g.at[v.Value] = at
			g.Groups = append(g.Groups, Group{Value: v.Value})
		}
		g.Groups[at].Count += v.Count
		g.Groups[at].Excess += v.Excess
		sums[v.Value] += v.Count
		listed += v.Count - v.Excess
	}
	for value, n := range sums {
		group := &g.Groups[g.at[value]]
		group.Causes = append(group.Causes, NamedCount{causeLabel(c), n})
	}
	rest := max(c.Records, listed) - listed
	g.Rest += rest
	switch {
	case g.chosen:
		g.floors = append(g.floors, floor{causeLabel(c), rest})
	case len(values) >= maxTop:
		g.floors = append(g.floors, floor{causeLabel(c), min(rest, values[len(values)-1].Count)})
	}
}

func (g *grouper) done() Grouping {
	for i := range g.Groups {
		group, hidden := &g.Groups[i], uint64(0)
		for _, f := range g.floors {
			if g.pairs || !slices.ContainsFunc(group.Causes, func(c NamedCount) bool { return c.Name == f.cause }) {
				hidden += f.n
			}
		}
		if hidden > 0 {
			group.AtMost = group.Count + hidden
		}
		sortBy(group.Causes, func(c NamedCount) uint64 { return c.Count }, func(c NamedCount) string { return c.Name })
	}
	slices.SortFunc(g.Groups, func(a, b Group) int {
		return cmp.Or(cmp.Compare(b.sure(), a.sure()), cmp.Compare(a.Value, b.Value))
	})
	return g.Grouping
}

// groupings writes a table for each grouping.
func (p *page) groupings(list []Grouping) {
	for _, by := range list {
		g := &grid{columns: []column{{by.By, false, true}, {"count", true, false}, {"causes", false, true}}}
		for _, group := range by.Groups[:min(len(by.Groups), p.most(maxFailedRows))] {
			causes := ""
			for i, c := range group.Causes {
				if i == 3 {
					causes += " +" + strconv.Itoa(len(group.Causes)-i)
					break
				}
				if i > 0 {
					causes += ", "
				}
				causes += p.user(c.Name) + " " + number(c.Count)
			}
			g.add(plainMark, "", p.user(group.Value), p.bounds(&group), causes)
		}
		if n := len(by.Groups) - p.most(maxFailedRows); n > 0 {
			g.add(plainMark, "", strconv.Itoa(n)+" more", "", "")
		}
		p.grid(g)
		if by.Rest > 0 {
			p.note(infoMark, plural(by.Rest, "record has no "+by.By+" or a rare one", "records have no "+by.By+" or a rare one")+": of each cause the "+strconv.Itoa(maxTop)+" most frequent are kept.")
		}
	}
}

// bounds is how many records a group has: exactly, or between two numbers.
func (p *page) bounds(g *Group) string {
	if most := max(g.AtMost, g.Count); most > g.sure() {
		return number(g.sure()) + " " + p.dash + " " + number(most)
	}
	return number(g.Count)
}
