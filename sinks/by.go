package sinks

import (
	"cmp"
	"slices"
	"strconv"
)

// groupings is the list of what failed requests can be grouped by, with where
// a card has the values.
var groupings = []struct {
	name   string
	values func(*Card) []ValueCount
}{
	{"cluster", func(c *Card) []ValueCount { return c.Clusters }},
	{"host", func(c *Card) []ValueCount { return c.Hosts }},
	{"route", func(c *Card) []ValueCount { return c.Routes }},
	{"authority", func(c *Card) []ValueCount { return c.Authorities }},
	{"path", func(c *Card) []ValueCount { return c.Paths }},
	{"pod", func(c *Card) []ValueCount { return c.Proxies }},
}

// Groupings is the list of names that GroupBy knows.
func Groupings() (names []string) {
	for _, g := range groupings {
		names = append(names, g.name)
	}
	return names
}

// A Grouping is the records that have a cause, by one of Groupings. Of each
// cause only the most frequent values are kept, so there may be more groups.
type Grouping struct {
	By     string  `json:"by"`
	Groups []Group `json:"groups"` // the largest first
}

// A Group is a value of a Grouping. Count is too high by at most Excess.
type Group struct {
	Value  string       `json:"value"`
	Count  uint64       `json:"count"`
	Excess uint64       `json:"excess,omitempty"`
	Causes []NamedCount `json:"causes"` // the most frequent first
}

// GroupBy adds groupings to the report. Names must be of Groupings.
func (r *Report) GroupBy(names ...string) {
	for _, name := range names {
		i := slices.Index(Groupings(), name)
		r.Groupings = append(r.Groupings, Grouping{name, r.groups(groupings[i].values)})
	}
}

func (r *Report) groups(values func(*Card) []ValueCount) []Group {
	at, list := map[string]int{}, []Group{}
	for i := range r.Causes {
		c := &r.Causes[i]
		sums := map[string]uint64{}
		for _, v := range values(c) {
			k, ok := at[v.Value]
			if !ok {
				k = len(list)
				at[v.Value] = k
				list = append(list, Group{Value: v.Value})
			}
			list[k].Count += v.Count
			list[k].Excess += v.Excess
			sums[v.Value] += v.Count
		}
		for value, n := range sums {
			g := &list[at[value]]
			g.Causes = append(g.Causes, NamedCount{causeLabel(c), n})
		}
	}
	for i := range list {
		sortBy(list[i].Causes, func(c NamedCount) uint64 { return c.Count }, func(c NamedCount) string { return c.Name })
	}
	slices.SortFunc(list, func(a, b Group) int {
		return cmp.Or(cmp.Compare(b.Count-b.Excess, a.Count-a.Excess), cmp.Compare(a.Value, b.Value))
	})
	return list
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
			count := number(group.Count)
			if group.Excess > 0 {
				count = p.atMost + count
			}
			g.add(plainMark, "", p.user(group.Value), count, causes)
		}
		if n := len(by.Groups) - p.most(maxFailedRows); n > 0 {
			g.add(plainMark, "", strconv.Itoa(n)+" more", "", "")
		}
		p.grid(g)
	}
}
