package kafka

import (
	"fmt"
	"testing"
)

// TestOneGroup demands that one group counts every record once.
func TestOneGroup(t *testing.T) {
	c := newCluster(t)
	if err := c.CreateTopic("access", 4, nil); err != nil {
		t.Fatal(err)
	}
	for p := range 4 {
		c.produce("access", int32(p), lines(200+p, 0, 500)...)
	}
	m := c.run(c.options("flagwatch", "access"))
	wait(t, "2000 records", func() bool { return recordsOf(m) == 2000 })
	for p := range 4 {
		c.produce("access", int32(p), lines(400+p, 0, 50)...)
	}
	wait(t, "2200 records", func() bool { return recordsOf(m) == 2200 })
	if err := m.stop(); err != nil {
		t.Fatal(err)
	}
	again := c.run(c.options("flagwatch", "access"))
	c.produce("access", 0, line(503, "UF", 1))
	wait(t, "the record after the restart", func() bool { return recordsOf(again) == 1 })
	if err := again.stop(); err != nil {
		t.Fatal(err)
	}
	want := map[int]uint64{200: 500, 201: 500, 202: 500, 203: 500, 400: 50, 401: 50, 402: 50, 403: 50, 503: 1}
	if got := codesOf(m, again); fmt.Sprint(got) != fmt.Sprint(want) {
		t.Errorf("%v, want %v", got, want)
	}
}

// TestMembersComeAndGo demands the same while members join and leave.
func TestMembersComeAndGo(t *testing.T) {
	c := newCluster(t)
	if err := c.CreateTopic("access", 6, nil); err != nil {
		t.Fatal(err)
	}
	opt := c.options("flagwatch", "access")
	runs := []*run{c.run(opt)}
	total := 0
	for round := range 4 {
		for p := range 6 {
			c.produce("access", int32(p), lines(200+p, 0, 100)...)
			total += 100
		}
		runs = append(runs, c.run(opt))
		wait(t, "the new member", func() bool { return runs[len(runs)-1].joined() })
		if round == 2 {
			if err := runs[0].stop(); err != nil {
				t.Fatal(err)
			}
		}
	}
	wait(t, "all records", func() bool { return recordsOf(runs...) >= uint64(total) })
	for _, m := range runs[1:] {
		if err := m.stop(); err != nil {
			t.Fatal(err)
		}
	}
	if got := recordsOf(runs...); got != uint64(total) {
		t.Errorf("%d records, want %d", got, total)
	}
}
