package sinks

import (
	"slices"
	"strings"
	"time"
)

// proxies is what proxies say about themselves, on the same clock as the
// failures.
func (p *page) proxies(r *Report) {
	if len(r.Proxies) == 0 {
		return
	}
	p.line("")
	p.line("  about the proxy itself")
	for i := range r.Proxies[:min(len(r.Proxies), p.most(maxOtherRows))] {
		t := &r.Proxies[i]
		m := plainMark
		switch t.Status {
		case "cut-off", "waiting", "not-ready", "exited":
			m = warningMark
		}
		name := p.shorten(p.user(t.name()), min(40, p.width/2)) + " " + p.dash + " " + p.user(statusText(t.Status))
		p.behind(m, "", " "+p.dot+" ", append([]string{name}, p.milestones(t)...))
	}
	if n := len(r.Proxies) - p.most(maxOtherRows); n > 0 {
		p.note(plainMark, plural(uint64(n), "more proxy", "more proxies"))
	}
}

// statusText are the words for a status.
func statusText(status string) string {
	switch status {
	case "cut-off":
		return "serving with its last configuration"
	case "waiting":
		return "waiting for its configuration"
	}
	return strings.ReplaceAll(status, "-", " ")
}

func (t *ProxyTally) name() string {
	if t.Input != "" {
		return t.Input
	}
	return strings.Trim(t.Namespace+"/"+t.Pod, "/")
}

// milestones are told in the order of their first time.
func (p *page) milestones(t *ProxyTally) (chunks []string) {
	list := slices.Clone(t.Milestones)
	slices.SortStableFunc(list, func(a, b Milestone) int {
		if a.First == nil || b.First == nil {
			return 0
		}
		return a.First.Compare(*b.First)
	})
	for i, m := range list {
		if m.Name == "stream-closed" && timesOf(list, "control-plane-gone") == m.Count {
			continue // the same records
		}
		text := milestoneWords[m.Name]
		if m.First != nil {
			text += " " + m.First.Format(p.times)
			if !m.Last.Equal(*m.First) && m.Last.Sub(*m.First) >= time.Second {
				text += p.dash + m.Last.Format(p.times)
			}
		}
		if m.Count > 1 {
			text += ", " + number(m.Count) + " times"
		}
		chunks = append(chunks, text+p.since(m, list[:i]))
	}
	return chunks
}

// since says how long a proxy took from its only start to being ready.
func (p *page) since(m Milestone, before []Milestone) string {
	for _, b := range before {
		if b.Name == "started" && m.Name == "ready" && b.Count == 1 && b.First != nil && m.First != nil {
			return " (after " + length(m.First.Sub(*b.First)) + ")"
		}
	}
	return ""
}

func timesOf(list []Milestone, name string) uint64 {
	for _, m := range list {
		if m.Name == name {
			return m.Count
		}
	}
	return 0
}
