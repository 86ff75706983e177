package sinks

import (
	"reflect"
	"testing"
)

func TestGroupBy(t *testing.T) {
	card := func(id string, hosts ...ValueCount) Card {
		return Card{ID: id, Verdict: Verdict{Cause: id}, Hosts: hosts}
	}
	r := &Report{Causes: []Card{
		card("refused", ValueCount{Value: "a", Cluster: "x", Count: 5}, ValueCount{Value: "a", Cluster: "y", Count: 2}, ValueCount{Value: "b", Count: 9, Excess: 8}),
		card("timeout", ValueCount{Value: "c", Count: 1}, ValueCount{Value: "a", Count: 8}),
	}}
	r.GroupBy("host")
	want := []Grouping{{"host", []Group{
		{Value: "a", Count: 15, Causes: []NamedCount{{"timeout", 8}, {"refused", 7}}},
		{Value: "b", Count: 9, Excess: 8, Causes: []NamedCount{{"refused", 9}}},
		{Value: "c", Count: 1, Causes: []NamedCount{{"timeout", 1}}},
	}}}
	if !reflect.DeepEqual(r.Groupings, want) {
		t.Errorf("%+v, want %+v", r.Groupings, want)
	}
}
