package sinks

import (
	"cmp"
	"strings"
)

// hints are remarks beside the findings.
func (p *page) hints(r *Report) {
	if len(r.Hints) == 0 {
		return
	}
	p.line("")
	p.line("  worth a look, though no record proves it")
	for i := range r.Hints[:min(len(r.Hints), maxOtherRows)] {
		p.behind(infoMark, "", " ", strings.Fields(p.user(r.Hints[i].sentence())))
	}
}

func (h *Hint) sentence() string {
	return cmp.Or(h.Cause, h.Title) + " (confidence " + h.Confidence + "): " + h.Text + "."
}
