package sinks

import (
	"fmt"
	"strings"
	"time"
)

// health is what to know about each input before believing the rest.
func (p *page) health(inputs []Input) {
	g := &grid{columns: []column{{"input", false, true}, {"access", true, false}, {"events", true, false}, {"noise", true, false}, {"invalid", true, false},
		{"dialects", false, true}, {"from", false, false}, {"to", false, false}, {"step back", true, false}, {"gap", true, false}, {"read", true, false}}}
	for _, in := range inputs {
		h := in.Health
		if h == nil {
			continue
		}
		from, to, back, gap, read := "", "", "", "", ""
		if h.First != nil {
			from, to = h.First.Format("01-02 15:04:05"), h.Last.Format("01-02 15:04:05")
			back, gap = seconds64(h.Back), seconds64(h.Gap)
		}
		if h.Read < 1 {
			read = fmt.Sprintf("%.1f %%", 100*h.Read)
		}
		g.add(healthMark(h), "", p.user(in.Name), number(h.Access), number(h.Events), number(h.Noise), number(h.Invalid), p.user(strings.Join(h.Dialects, ", ")), from, to, back, gap, read)
	}
	p.grid(g)
}

// healthMark warns of records that can not be read.
func healthMark(h *Health) mark {
	if h.Invalid > 0 {
		return warningMark
	}
	return plainMark
}

func seconds64(s float64) string {
	if s == 0 {
		return ""
	}
	return length(time.Duration(s * float64(time.Second)))
}
