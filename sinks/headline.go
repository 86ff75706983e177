package sinks

import (
	"strings"
	"time"

	"github.com/flagwatch/flagwatch/classify"
)

// headline is the report in one sentence: the most important cause, how much
// of all it is, since when and where, and a control plane that was gone.
func (c *scene) headline(r *Report) string {
	if len(r.Causes) == 0 || r.Causes[0].Fold != "" {
		return ""
	}
	card := &r.Causes[0]
	layout := c.layout
	parts := []string{card.Verdict.Title + ": " + c.amount(card, r)}
	if card.First != nil {
		if when := "from " + card.First.Format(layout); card.Last.Sub(*card.First) >= time.Second {
			parts = append(parts, when+" to "+card.Last.Format(layout))
		} else {
			parts = append(parts, "at "+card.First.Format(layout))
		}
	}
	if where := c.where(card); where != "" {
		parts = append(parts, where)
	}
	text := strings.Join(parts, ", ")
	for _, e := range card.Evidence {
		if e.Kind == controlEvidence {
			text += "; " + e.Text
		}
	}
	return text + c.besides(card, r) + "."
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
	return "; " + plural(n, "more is no outage: a refusal, a client that left, or a probe", "more are no outage: refusals, clients that left, or probes")
}

// amount is how much of all failures a cause has, with the code and flags.
func (c *scene) amount(card *Card, r *Report) string {
	switch {
	case card.Failed > 0:
		text := number(card.Failed) + " of " + plural(r.Totals.Failed, "failed request", "failed requests")
		if len(card.Outcomes) > 0 {
			text += " (" + strings.TrimSpace(codeText(card.Outcomes[0].Code)+" "+strings.Join(card.Outcomes[0].Flags, ",")) + ")"
		}
		return text
	case card.Waiting > 0:
		return plural(card.Waiting, "proxy waits", "proxies wait")
	}
	return plural(card.Events, "event", "events")
}

// where is the one place that has nearly all of it.
func (c *scene) where(card *Card) string {
	host := ""
	for _, e := range card.Evidence {
		if e.Kind == hostEvidence {
			host = card.Hosts[0].Value
		}
	}
	switch {
	case single(card.Clusters) && host != "":
		return "to " + clusterShort(card.Clusters[0].Value) + ", nearly all at " + host
	case single(card.Clusters):
		return "all of them to " + clusterShort(card.Clusters[0].Value)
	case host != "":
		return "nearly all at " + host
	case single(card.Authorities):
		return "all of them for " + card.Authorities[0].Value
	case single(card.Proxies) && card.Proxies[0].Value != other && (card.Failed == 0 || len(card.Hosts) == 0):
		return "at " + card.Proxies[0].Value
	}
	return ""
}

// single says whether there is a single value.
func single(list []ValueCount) bool {
	return len(list) == 1 && list[0].Value != noCluster && list[0].Value != ""
}
