package sinks

import (
	"cmp"
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"
)

// many are failures of more clusters and hosts than a report shows; how often
// each comes is its number and one.
func many(clusters, hosts int) (lines []string) {
	for c := range clusters {
		for h := range hosts {
			for range c*hosts + h + 1 {
				lines = append(lines, access{
					code: "503", flags: "UF", details: "upstream_reset_before_response_started{connection_timeout}",
					host: fmt.Sprintf("10.7.%d.%d:80", c, h), cluster: fmt.Sprintf("outbound|80||c%d.shop.svc.cluster.local", c),
				}.String())
			}
		}
	}
	return lines
}

// What is listed is exact whenever there was room to count all of it, however
// many more there are than the list shows, and whatever was counted where.
func TestListsAreExact(t *testing.T) {
	const clusters, hosts = 24, 4 // more than a card and the list of hosts show
	lines := many(clusters, hosts)
	rand := rand.New(rand.NewPCG(5, 2026))
	want := ""
	for _, parts := range []int{1, 3, 9} {
		rand.Shuffle(len(lines), func(i, j int) { lines[i], lines[j] = lines[j], lines[i] })
		deltas := make([]*Delta, parts)
		for i := range deltas {
			deltas[i] = NewDelta()
		}
		for _, line := range lines {
			countBlock(deltas[rand.IntN(parts)], Origin{Input: "a.log"}, line)
		}
		s := NewSnapshot()
		for _, d := range deltas {
			s.Merge(d)
		}
		if parts == 1 {
			checkLists(t, s.Report(), clusters, hosts)
			want = asJSON(t, s)
		} else if got := asJSON(t, s); got != want {
			t.Errorf("%d parts: got %s\nwant %s", parts, got, want)
		}
	}
}

func checkLists(t *testing.T, r *Report, clusters, hosts int) {
	t.Helper()
	if len(r.Hosts) != maxHosts {
		t.Fatalf("%d hosts listed", len(r.Hosts))
	}
	for i, h := range r.Hosts {
		n := clusters*hosts - 1 - i
		if h.Host != fmt.Sprintf("10.7.%d.%d:80", n/hosts, n%hosts) || h.Count != uint64(n+1) || h.Excess != 0 {
			t.Errorf("host %d is %s with %d, excess %d", i, h.Host, h.Count, h.Excess)
		}
	}
	for i, c := range r.Causes[0].Clusters {
		n := clusters - 1 - i
		sum := uint64(hosts*(n*hosts) + hosts*(hosts+1)/2)
		if c.Value != fmt.Sprintf("outbound|80||c%d.shop.svc.cluster.local", n) || c.Count != sum || c.Excess != 0 {
			t.Errorf("cluster %d is %s with %d, excess %d; want %d", i, c.Value, c.Count, c.Excess, sum)
		}
	}
	if len(r.Causes[0].Clusters) != maxTop {
		t.Errorf("%d clusters under the cause", len(r.Causes[0].Clusters))
	}
}

// Without room for profiles and pairs the totals stay exact, and no list says
// more than it knows.
func TestTotalsWithoutRoom(t *testing.T) {
	const n = maxProfiles + 3000
	d := NewDelta()
	for i := range n {
		countBlock(d, Origin{Input: "a.log"}, access{
			code: "503", flags: "UF", details: fmt.Sprintf("upstream_reset_before_response_started{connection_timeout%d}", i%700),
			host: fmt.Sprintf("10.%d.%d.1:80", i>>8, i&255), cluster: fmt.Sprintf("outbound|80||c%d.shop.svc.cluster.local", i%1400),
		}.String())
	}
	if d.profiles.list.n > maxProfiles || d.pairs.list.n > maxPairs {
		t.Errorf("%d profiles, %d pairs", d.profiles.list.n, d.pairs.list.n)
	}
	s := NewSnapshot()
	s.Merge(d)
	s.Merge(d)
	r := s.Report()
	sum := uint64(0)
	for _, c := range r.Causes {
		sum += c.Failed
		for _, v := range c.Hosts {
			if v.Count-v.Excess > 2 {
				t.Errorf("host %s came %d to %d times, not 2", v.Value, v.Count-v.Excess, v.Count)
			}
		}
	}
	if r.Totals.Failed != 2*n || sum != 2*n {
		t.Errorf("%d failed, %d under causes; want %d", r.Totals.Failed, sum, 2*n)
	}
}

// Rare values push each other out of a full list; which one is left says
// nothing, so it is not shown. One that is frequent is.
func TestRareValuesAreNotListed(t *testing.T) {
	top := newTop(maxTop)
	for i := range 3000 {
		top.add(key{}, fmt.Appendf(nil, "/item/%d", i), 0, false)
		if i%10 == 0 {
			top.add(key{}, []byte("/health"), 0, false)
		}
	}
	top.dropUnsure()
	if len(top.list) != 1 || top.list[0].value() != "/health" || top.list[0].count-top.list[0].excess > 300 {
		values := slices.Clone(top.list)
		slices.SortFunc(values, func(a, b entry) int { return cmp.Compare(b.count, a.count) })
		t.Errorf("%d values are left, the first %s with %d", len(values), values[0].value(), values[0].count)
	}
}
