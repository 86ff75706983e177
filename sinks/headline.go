package sinks

import (
	"slices"
	"strings"
	"time"

	"github.com/flagwatch/flagwatch/classify"
	"github.com/flagwatch/flagwatch/parser"
)

// headline is the report in one sentence: the most important cause, how much
// of all it is, since when and where, and a control plane that was gone.
func (c *scene) headline(r *Report) string {
	if len(r.Causes) == 0 || r.Causes[0].Fold != "" {
		return ""
	}
	card := &r.Causes[0]
	alike := sameVerdict(r.Causes)
	parts := []string{card.Verdict.Title + ": " + c.amount(alike, r)}
	if first, last := period(alike); first != nil {
		parts = append(parts, c.during(*first, *last, alike))
	}
	if where := c.where(card); where != "" && len(alike) == 1 {
		parts = append(parts, where)
	} else if where := shared(alike); where != "" {
		parts = append(parts, where)
	}
	text := strings.Join(parts, ", ")
	for _, e := range card.Evidence {
		if e.Kind == controlEvidence {
			text += "; " + e.Text
		}
	}
	return text + together(r) + c.besides(card, r) + "."
}

// together are other causes of outages that hit the same service at the same
// time: parts of one story, most likely.
func together(r *Report) string {
	c, names := &r.Causes[0], []string{}
	if c.First == nil || !single(c.Clusters) || c.Verdict.Severity != classify.Error.String() {
		return ""
	}
	for i := range r.Causes[1:] {
		o := &r.Causes[i+1]
		if o.Fold == "" && o.First != nil && single(o.Clusters) && o.clusterOf(0) == c.clusterOf(0) && o.Verdict.Severity == c.Verdict.Severity && o.Verdict.Cause != c.Verdict.Cause &&
			o.Own()*10 >= r.Totals.Failed && o.First.Before(*c.Last) && o.Last.After(*c.First) && len(names) < 2 {
			names = append(names, causeLabel(o))
		}
	}
	switch len(names) {
	case 0:
		return ""
	case 1:
		return "; " + names[0] + " hits the same service meanwhile"
	}
	return "; " + strings.Join(names, " and ") + " hit the same service meanwhile"
}

// during says from when to when, and whether that was all.
func (c *scene) during(first, last time.Time, cards []*Card) string {
	begun := first.UnixNano()-c.shown.first >= int64(time.Minute)
	quiet := time.Duration(c.shown.last - last.UnixNano())
	text := "at " + first.Format(c.layout)
	if last.Sub(first) >= time.Second {
		text = "from " + first.Format(c.layout) + " to " + last.Format(c.layout)
	}
	pause, ending := cards[0].Pause, ending(cards)
	switch {
	case ending == endingOngoing && pause != nil && len(cards) == 1:
		return "from " + first.Format(c.layout) + " to " + pause.First.Format(c.layout) + ", and again since " + pause.Last.Format(c.layout) + ", " + stillGoing(c.cut)
	case ending == endingOngoing && begun && last.Sub(first) >= quietTime:
		return "since " + first.Format(c.layout) + ", " + stillGoing(c.cut)
	case ending == endingOngoing:
		return text + ", " + stillGoing(c.cut)
	case ending == endingOver:
		return text + " (over: none in the last " + length(quiet) + ")"
	}
	return text + inBrackets(lastSeen(cards))
}

// lastSeen is when some causes were met last, if all of them tell that.
func lastSeen(cards []*Card) string {
	latest := cards[0]
	for _, c := range cards {
		if c.lastSeen() == "" {
			return ""
		}
		if c.Quiet < latest.Quiet {
			latest = c
		}
	}
	return latest.lastSeen()
}

// sameVerdict are the first card and those of other records that have the same
// cause: a proxy on each side of a connection may tell of it.
func sameVerdict(cards []Card) (list []*Card) {
	for i := range cards {
		c := &cards[i]
		if i == 0 || c.Fold == "" && c.Failed > 0 && cards[0].Failed > 0 && c.Verdict.Cause == cards[0].Verdict.Cause && c.Verdict.Cause != "" {
			list = append(list, c)
		}
	}
	return list
}

// period is from the first to the last record of some causes.
func period(cards []*Card) (first, last *time.Time) {
	for _, c := range cards {
		if c.First != nil && (first == nil || c.First.Before(*first)) {
			first = c.First
		}
		if c.Last != nil && (last == nil || c.Last.After(*last)) {
			last = c.Last
		}
	}
	return first, last
}

// shared is the one cluster that those of some causes name which name any.
func shared(cards []*Card) string {
	name := ""
	for _, c := range cards {
		for _, v := range c.Clusters {
			switch {
			case v.Value == noCluster, v.Value == name:
			case name != "":
				return ""
			default:
				name = v.Value
			}
		}
	}
	if name == "" {
		return ""
	}
	return "to " + clusterShort(name)
}

// besides are failed requests that are no outage, where they outnumber it.
func (c *scene) besides(card *Card, r *Report) string {
	n := uint64(0)
	for _, s := range r.Severities {
		if s.Name != classify.Error.String() {
			n += s.Count
		}
	}
	if n <= card.Own() || card.Failed == 0 || card.Verdict.Severity != classify.Error.String() {
		return ""
	}
	if slices.ContainsFunc(r.Causes, func(c Card) bool { return c.Failed > 0 && ofTeam(c.Verdict.Cause) }) {
		return "; " + plural(n, "more is rated no outage", "more are rated no outage")
	}
	return "; " + plural(n, "more is no outage: a refusal, a client that left, or a probe", "more are no outage: refusals, clients that left, or probes")
}

// amount is how much of all failures some causes have, with codes and flags.
func (c *scene) amount(cards []*Card, r *Report) string {
	failed, outcomes := uint64(0), []string{}
	for _, card := range cards {
		failed += card.Failed - card.Consequences
		if len(card.Outcomes) > 0 && len(outcomes) < 2 {
			o := outcomeText(card.Outcomes[0].Code, card.Outcomes[0].Flags)
			if !slices.Contains(outcomes, o) {
				outcomes = append(outcomes, o)
			}
		}
	}
	switch {
	case failed > 0:
		once, about := r.failedOnce(), ""
		if r.Join.Sampled && once < r.Totals.Failed {
			about = "about "
		}
		text := about + number(failed) + " of " + about + plural(once, "failed request", "failed requests")
		if len(outcomes) > 0 {
			text += " (" + strings.Join(outcomes, " and ") + ")"
		}
		if once < r.Totals.Failed {
			text += ", in " + plural(r.Totals.Failed, "record", "records")
		}
		return text
	case cards[0].Waiting > 0:
		return plural(cards[0].Waiting, "proxy waits", "proxies wait")
	}
	return plural(cards[0].Events, "event", "events")
}

// where is the one place that has nearly all of it.
func (c *scene) where(card *Card) string {
	host, part := "", ""
	for _, e := range card.Evidence {
		if e.Kind == hostEvidence {
			host, part = card.Hosts[0].Value, "nearly all at "
			if e.Count == e.Of {
				part = "all of them at "
			}
		}
	}
	switch {
	case single(card.Clusters) && host != "":
		return card.target() + ", " + part + host
	case single(card.Clusters):
		return allOf(card, card.target())
	case len(card.Clusters) > 1 && card.from() != "":
		return allOf(card, strings.TrimSpace(card.from()))
	case card.Namespace != "":
		return allOf(card, card.from()+"to services of namespace "+card.Namespace)
	case host != "":
		return part + host
	case single(card.Authorities):
		return allOf(card, "for "+card.Authorities[0].Value)
	case single(card.Proxies) && card.Proxies[0].Value != other && (card.Failed == 0 || len(card.Hosts) == 0):
		return "at " + c.placeOf(card)
	}
	return ""
}

// target is who calls whom.
func (c *Card) target() string { return c.from() + "to " + c.clusterOf(0) }

// from is the one workload that calls, if there is one for certain.
func (c *Card) from() string {
	if len(c.Callers) != 1 || c.Callers[0].Count-c.Callers[0].Excess < c.Records {
		return ""
	}
	return "from " + c.Callers[0].Value + " "
}

// clusterOf is a cluster in short; for that of an application's own proxy,
// which tells only the port, what callers call it.
func (c *Card) clusterOf(i int) string {
	name := c.Clusters[i].Value
	if parser.ClusterDirection([]byte(name)) != parser.Inbound {
		return clusterShort(name)
	}
	switch {
	case c.Service != "":
		return clusterShort(c.Service)
	case single(c.Authorities):
		return c.Authorities[0].Value
	}
	return clusterShort(name)
}

// placeOf is the one proxy of a card: by the address that its application
// has, where only the name of an input stands for it and that input shows no
// other.
func (c *scene) placeOf(card *Card) string {
	name := card.Proxies[0].Value
	for id := range c.d.fleet.homes {
		_, _, _, input := c.d.proxyParts(uint16(id))
		if input == "" || input != name || c.inboundHosts() != 1 {
			continue
		}
		if h := &c.d.fleet.homes[id]; h.length > 0 {
			return string(h.address[:h.length])
		}
	}
	return name
}

// inboundHosts is how many addresses the applications behind the proxies have.
func (c *scene) inboundHosts() (n int) {
	for id := range c.d.fleet.clusters {
		if c.direction(uint16(id)) == parser.Inbound {
			n += int(c.d.fleet.clusters[id].numHost)
		}
	}
	return n
}

// allOf says that all of a cause's records have something.
func allOf(card *Card, what string) string {
	if card.Own() == 1 {
		return what
	}
	return "all of them " + what
}

// single says whether there is a single value.
func single(list []ValueCount) bool {
	return len(list) == 1 && list[0].Value != noCluster && list[0].Value != ""
}
