package sinks

import (
	"fmt"
	"reflect"
	"strings"
	"testing"
)

func TestGroupBy(t *testing.T) {
	card := func(id string, records uint64, hosts ...ValueCount) Card {
		return Card{ID: id, Verdict: Verdict{Cause: id}, Records: records, Hosts: hosts}
	}
	r := &Report{Causes: []Card{
		card("refused", 8, ValueCount{Value: "a", Cluster: "x", Count: 5}, ValueCount{Value: "a", Cluster: "y", Count: 2}, ValueCount{Value: "b", Count: 9, Excess: 8}),
		card("timeout", 12, ValueCount{Value: "c", Count: 1}, ValueCount{Value: "a", Count: 8}),
	}}
	r.GroupBy("host")
	want := []Grouping{{By: "host", Groups: []Group{
		{Value: "a", Count: 15, Causes: []NamedCount{{"timeout", 8}, {"refused", 7}}},
		{Value: "b", Count: 9, Excess: 8, Causes: []NamedCount{{"refused", 9}}},
		{Value: "c", Count: 1, Causes: []NamedCount{{"timeout", 1}}},
	}, Rest: 3}}
	if !reflect.DeepEqual(r.Groupings, want) {
		t.Errorf("%+v, want %+v", r.Groupings, want)
	}
}

// What a group is said to have bounds what it has, and groups and rest are all
// records: with more values than a cause keeps, with few, with none.
func TestGroupsSayTheirBounds(t *testing.T) {
	for _, values := range []int{1, maxTop, maxTop + 1, 5 * maxTop} {
		truth, all := map[string]uint64{}, uint64(0)
		var b strings.Builder
		for i := range values {
			for n := range 1 + i%7 {
				a := refused("")
				if n%3 == 2 { // another cause, at some of the same clusters
					a = access{code: "503", flags: "UH", details: "no_healthy_upstream", host: "-"}
				}
				a.cluster = fmt.Sprintf("outbound|9080||service-%d.shop.svc.cluster.local", i)
				b.WriteString(a.String())
				truth[a.cluster]++
				all++
			}
		}
		r := reportOf(b.String())
		r.GroupBy("cluster")
		g := r.Groupings[0]
		sum := g.Rest
		for _, group := range g.Groups {
			n, most := truth[group.Value], max(group.Count, group.AtMost)
			if n < group.sure() || n > most || values < maxTop && n != group.Count {
				t.Errorf("%d values: %s has %d records, the group says %d to %d", values, group.Value, n, group.sure(), most)
			}
			sum += group.sure()
		}
		if sum != all {
			t.Errorf("%d values: groups and rest are %d records, of %d", values, sum, all)
		}
	}
}
