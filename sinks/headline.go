package sinks

import (
	"strings"
	"time"
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
	return text + "."
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
	for _, e := range card.Evidence {
		if e.Kind == hostEvidence {
			return "nearly all at " + card.Hosts[0].Value
		}
	}
	if len(card.Clusters) == 1 && card.Clusters[0].Value != noCluster {
		return "all of them to " + clusterShort(card.Clusters[0].Value)
	}
	if len(card.Proxies) == 1 && card.Failed == 0 {
		return "at " + card.Proxies[0].Value
	}
	return ""
}
