package sinks

import (
	"bytes"
	"cmp"
	"maps"
	"math"
	"slices"
	"strings"
	"time"

	"github.com/flagwatch/flagwatch/classify"
	"github.com/flagwatch/flagwatch/parser"
)

// Why a cause is only named.
const (
	foldExpected   = "expected"
	foldRoutine    = "routine"
	foldSuppressed = "suppressed"
	foldExplained  = "explained" // by other causes: all of it is consequences
)

// FoldNames are the values of Card.Fold.
func FoldNames() []string { return []string{foldExplained, foldExpected, foldRoutine, foldSuppressed} }

// expected are causes that every public endpoint sees and nobody repairs:
// scanners, and redirects to a login.
var expected = []string{"unknown-host-probe", "ext-authz-redirect", "redirect-or-direct-response"}

// trendSteps is how many parts the time of the input has in a trend.
const trendSteps = 30

// cards computes the causes' cards, the most important first.
func (c *scene) cards(opt ReportOptions, total *sum) []Card {
	list := []Card{}
	for i, g := range c.d.causes.list {
		if !g.empty() {
			list = append(list, c.card(uint16(i+1), g, opt, total))
		}
	}
	list = c.addAbsent(list)
	slices.SortStableFunc(list, compareCards)
	return list
}

// compareCards puts what is folded last, then goes by severity and count.
func compareCards(a, b Card) int {
	return cmp.Or(
		compareBools(a.Fold != "", b.Fold != ""),
		cmp.Compare(rank(a.Verdict.Severity), rank(b.Verdict.Severity)),
		cmp.Compare(b.Own(), a.Own()),
		cmp.Compare(b.Failed+b.Records, a.Failed+a.Records),
		cmp.Compare(a.ID, b.ID),
	)
}

// rank orders severities; what no rule explains comes with the errors.
func rank(severity string) int {
	switch severity {
	case classify.Warning.String():
		return 1
	case classify.Info.String():
		return 2
	}
	return 0
}

func (c *scene) card(id uint16, g *group, opt ReportOptions, total *sum) Card {
	card := Card{
		ID: g.id(), Records: g.access.all, Failed: g.access.failed, Events: g.events.all,
		Share: share(g.access.failed, total.total.failed), First: g.when.begin(), Last: g.when.end(),
		Sides: named(g.sides[:], func(i int) string { return classify.Side(i).String() }),
		Confidence: named(g.confidences[:], func(i int) string {
			return classify.Confidence(i).String()
		}),
		Outcomes: c.d.outcomeCounts(&g.tops[byOutcome]), Rivals: g.rivalCounts(),
		Clusters: c.d.values(g, byCluster), Hosts: c.d.values(g, byHost), Routes: c.d.values(g, byRoute), Authorities: c.d.values(g, byAuthority),
		Paths: c.d.values(g, byPath), Clients: c.d.values(g, byClient), ServerNames: c.d.values(g, byServerName), Details: c.d.values(g, byDetails), Reasons: c.d.values(g, byReason),
		Proxies: c.d.values(g, byProxy), Durations: g.durations.summary(), Timeouts: g.timeoutCounts(), Trend: c.trend(id),
		Evidence: []Evidence{}, ExplainedBy: []NamedCount{}, Samples: g.samples.shown(), Callers: c.callersOf(g), Service: c.serviceOf(g),
	}
	card.explain(g.cause)
	card.Side = mostFrequent(card.Sides)
	card.Verdict = Verdict{card.ID, card.Title, mostFrequent(card.Confidence), card.Severity, card.Side, false}
	c.consequences(id, &card)
	c.traffic(&card, g, total)
	q := inquiry{scene: c, g: g, id: id, card: &card}
	q.end()
	q.investigate()
	q.investigateEvents()
	q.dropRivals(card.Verdict.Cause)
	card.adopt(classify.Documented(card.Verdict.Cause))
	card.fold(g, opt)
	q.advise()
	return card
}

// explain copies what the catalogue says.
func (c *Card) explain(cause *classify.Cause) {
	c.Docs = []string{}
	if cause == nil {
		c.Title, c.Severity = "No documented cause fits", classify.Warning.String()
		return
	}
	c.Title, c.Severity = cause.Title, cause.Severity.String()
	c.adopt(cause)
}

// adopt takes over what the catalogue tells about the cause of the verdict.
func (c *Card) adopt(cause *classify.Cause) {
	if cause != nil {
		c.Meaning, c.Remedy, c.Versions, c.Docs = cause.Meaning, cause.Remedy, cause.Versions, slices.Clone(cause.Docs)
	}
}

func (c *Card) fold(g *group, opt ReportOptions) {
	switch {
	case slices.Contains(opt.Suppress, c.ID), slices.Contains(opt.Suppress, c.Verdict.Cause):
		c.Fold = foldSuppressed
	case c.Fold != "":
	case c.Failed > 0 && c.Own() == 0:
		c.Fold = foldExplained
	case slices.Contains(expected, c.ID), g.access.all > 0 && g.access.failed == 0 && g.events.failed == 0:
		c.Fold = foldExpected
	case g.access.all == 0 && c.Severity == classify.Info.String() && !c.Verdict.Refined:
		c.Fold = foldRoutine
	}
}

func (s span) begin() *time.Time {
	if !s.timed {
		return nil
	}
	t := utc(s.first)
	return &t
}

func (s span) end() *time.Time {
	if !s.timed {
		return nil
	}
	t := utc(s.last)
	return &t
}

// named lists the counts that are not zero, the highest first.
func named(counts []uint64, name func(int) string) []NamedCount {
	list := []NamedCount{}
	for i, n := range counts {
		if n > 0 && name(i) != "" {
			list = append(list, NamedCount{name(i), n})
		}
	}
	sortBy(list, func(n NamedCount) uint64 { return n.Count }, func(n NamedCount) string { return n.Name })
	return list
}

func (g *group) timeoutCounts() []TimeoutCount {
	list := []TimeoutCount{}
	for i := range g.tops[byTimeout].list {
		e := &g.tops[byTimeout].list[i]
		if g.durations.gathers(e.key.seconds(), e.count-e.excess) {
			list = append(list, TimeoutCount{e.key.seconds(), e.count, e.excess})
		}
	}
	slices.SortFunc(list, compareTimeouts)
	return list
}

func compareTimeouts(a, b TimeoutCount) int {
	return cmp.Or(cmp.Compare(b.Count, a.Count), cmp.Compare(a.Seconds, b.Seconds))
}

func mostFrequent(list []NamedCount) string {
	if len(list) == 0 {
		return ""
	}
	return list[0].Name
}

// rivalCounts are the rivals of records first, then those that the catalogue
// tells apart.
func (g *group) rivalCounts() []RivalCount {
	list := []RivalCount{}
	tell := map[string]string{}
	if g.cause != nil {
		for _, r := range g.cause.Rivals {
			tell[r.ID] = r.Tell
		}
	}
	for _, r := range g.rivals {
		if r.cause != nil {
			list = append(list, RivalCount{r.cause.ID, r.cause.Title, tell[r.cause.ID], r.n})
		}
	}
	sortBy(list, func(r RivalCount) uint64 { return r.Count }, func(r RivalCount) string { return r.ID })
	return list
}

// values lists what the group's records are told apart by.
func (d *Delta) values(g *group, by dim) []ValueCount {
	list := []ValueCount{}
	for i := range g.tops[by].list {
		e := &g.tops[by].list[i]
		v := ValueCount{Value: e.value(), Count: e.count, Excess: e.excess, First: e.when.begin(), Last: e.when.end()}
		switch by {
		case byCluster:
			v.Value = d.clusters.label(unpack(e.key.rest).cluster, noCluster)
		case byHost:
			v.Cluster = d.clusters.label(unpack(e.key.rest).cluster, noCluster)
		case byDetails:
			v.Value = className(v.Value)
		case byProxy:
			v.Value = d.proxyName(uint16(e.key.rest))
		}
		list = append(list, v)
	}
	slices.SortFunc(list, func(a, b ValueCount) int {
		return cmp.Or(cmp.Compare(b.Count-b.Excess, a.Count-a.Excess), cmp.Compare(a.Value, b.Value), cmp.Compare(a.Cluster, b.Cluster))
	})
	return list
}

func (d *Delta) outcomeCounts(t *top) []OutcomeCount {
	list := []OutcomeCount{}
	for i := range t.list {
		e := &t.list[i]
		list = append(list, OutcomeCount{codeOf(unpack(e.key.rest).code), d.flagNames(e.key), e.count, e.excess})
	}
	slices.SortFunc(list, func(a, b OutcomeCount) int {
		return cmp.Or(cmp.Compare(b.Count, a.Count), compareCodes(a.Code, b.Code), slices.Compare(a.Flags, b.Flags))
	})
	return list
}

// proxyParts are the namespace, pod and container of a proxy, or its input.
func (d *Delta) proxyParts(id uint16) (namespace, pod, container, input string) {
	name := d.proxies.name(id)
	if parts := bytes.SplitN(name, []byte{0}, 4); len(parts) >= 4 {
		return string(parts[0]), string(parts[1]), string(parts[2]), ""
	}
	if id == otherName {
		return "", "", "", other
	}
	return "", "", "", string(name)
}

// proxyName names a proxy in one word.
func (d *Delta) proxyName(id uint16) string {
	namespace, pod, container, input := d.proxyParts(id)
	switch {
	case input != "":
		return input
	case pod == "":
		return cmp.Or(namespace, container, noCluster)
	case namespace == "":
		return pod
	}
	return namespace + "/" + pod
}

func (h *histogram) summary() *Durations {
	if h.n == 0 {
		return nil
	}
	return &Durations{h.n, h.quantile(0.5), h.quantile(0.9), h.quantile(0.99), h.max}
}

// trend counts a cause's failed records over the time of the input.
func (c *scene) trend(id uint16) []uint64 {
	list := []uint64{}
	if !c.d.hasTime {
		return list
	}
	width := c.d.cells.width()
	begin := floorDiv(c.shown.first, width) * width
	steps := (c.shown.last-begin)/width + 1
	list = make([]uint64, min(steps, trendSteps))
	for _, cell := range c.ofCause[id] {
		if cell.at >= begin && cell.at <= c.shown.last {
			i := (cell.at - begin) / width * int64(len(list)) / steps
			list[min(max(i, 0), int64(len(list))-1)] += cell.n
		}
	}
	return list
}

// consequences takes over what the join found.
func (c *scene) consequences(id uint16, card *Card) {
	for by, n := range c.join.consequences[id] {
		card.Consequences += n
		card.ExplainedBy = append(card.ExplainedBy, NamedCount{c.d.causes.of(by).id(), n})
	}
	card.Consequences = min(card.Consequences, card.Failed)
	sortBy(card.ExplainedBy, func(n NamedCount) uint64 { return n.Count }, func(n NamedCount) string { return n.Name })
}

// joinCounts are the join's own numbers.
func (c *scene) joinCounts() Join {
	j := Join{Enabled: c.joining, Requests: c.join.requests, Joined: c.join.joined, Sampled: c.join.scale > 1}
	for _, by := range c.join.consequences {
		for _, n := range by {
			j.Consequences += n
		}
	}
	for _, n := range c.join.alone {
		j.Alone += n
	}
	return j
}

// sideCounts says whose the failures are: failed requests by the side of the
// verdict, without consequences; if none failed, events.
func sideCounts(cards []Card) []NamedCount {
	for _, count := range []func(*Card) uint64{
		func(c *Card) uint64 { return c.Failed - c.Consequences },
		func(c *Card) uint64 { return c.Events },
	} {
		sums := map[string]uint64{}
		for i := range cards {
			if n := count(&cards[i]); n > 0 && cards[i].Fold == "" {
				sums[cmp.Or(cards[i].Verdict.Side, "unknown")] += n
			}
		}
		if len(sums) > 0 {
			return countList(sums)
		}
	}
	return []NamedCount{}
}

func countList(sums map[string]uint64) []NamedCount {
	list := []NamedCount{}
	for _, name := range slices.Sorted(maps.Keys(sums)) {
		list = append(list, NamedCount{name, sums[name]})
	}
	sortBy(list, func(n NamedCount) uint64 { return n.Count }, func(n NamedCount) string { return n.Name })
	return list
}

// severityCounts parts failed requests into outages, refusals and what needs
// no action.
func severityCounts(cards []Card) []NamedCount {
	sums := map[string]uint64{}
	for i := range cards {
		if n := cards[i].Failed - cards[i].Consequences; n > 0 {
			sums[cards[i].Verdict.Severity] += n
		}
	}
	list := []NamedCount{}
	for _, s := range []classify.Severity{classify.Error, classify.Warning, classify.Info} {
		if n := sums[s.String()]; n > 0 {
			list = append(list, NamedCount{s.String(), n})
		}
	}
	return list
}

// shown are the samples, redacted.
func (s *causeSamples) shown() []CauseSample {
	list := []CauseSample{}
	for i := range s.list[:s.n] {
		e := &s.list[i]
		t := CauseSample{
			Input: e.input, Offset: e.offset, Method: e.part(parser.Method), Authority: e.part(parser.Authority), Path: e.part(parser.Path),
			Code: codeOf(e.code), Flags: knownFlags(uint64(e.flags)), Host: e.part(parser.UpstreamHost), Duration: e.part(parser.Duration),
			RequestID: e.part(parser.RequestID), Level: e.part(parser.Level), Message: redact(e.part(parser.Message)),
			Text: redact(strings.TrimRight(string(e.raw()), "\r\n")),
		}
		if e.at != math.MaxInt64 {
			at := utc(e.at)
			t.Time = &at
		}
		list = append(list, t)
	}
	return list
}

func (d *Delta) causeName(id uint16) string {
	if id == noName {
		return ""
	}
	return d.causes.of(id).id()
}
