package sinks

import (
	"math"
	"strconv"
	"strings"
	"time"
)

type (
	htmlHeat struct {
		Heads []string
		Rows  []htmlHeatRow
	}
	htmlHeatRow struct {
		Name, Access, Failed, Share string
		Cells                       []htmlCell
	}
	htmlTable struct {
		Name  string
		Heads []htmlField
		Rows  [][]htmlField
	}
	htmlField struct {
		Text  string
		Right bool
	}
	htmlLatency struct {
		From, To, Rules string
		Rows            []htmlSpan
	}
	htmlSpan struct{ Name, Rules, Whisker, Box, P50, P90, P99, Max, Timeouts string }
)

func (m *htmlMaker) heat() *htmlHeat {
	if len(m.HeatMap.Rows) == 0 {
		return nil
	}
	h := &htmlHeat{}
	for _, name := range m.HeatMap.Columns {
		h.Heads = append(h.Heads, m.user(name))
	}
	for _, row := range m.HeatMap.Rows {
		r := htmlHeatRow{Name: m.clusterName(row.Cluster), Access: number(row.Access), Failed: number(row.Failed), Share: percent(row.Failed, row.Access)}
		for _, n := range row.Cells {
			cell := htmlCell{Count: "·"}
			if n > 0 {
				cell = htmlCell{Count: number(n), Class: "h" + strconv.Itoa(heatLevel(n, row.Access))}
			}
			r.Cells = append(r.Cells, cell)
		}
		h.Rows = append(h.Rows, r)
	}
	return h
}

// places are the tables of hosts and of proxies.
func (m *htmlMaker) places() {
	hosts := htmlTable{Name: "Upstream hosts with failures", Heads: []htmlField{{"host", false}, {"cluster", false}, {"code, flags", false}, {"failed", true}}}
	for _, h := range m.Hosts[:min(len(m.Hosts), htmlRows)] {
		count := number(h.Count)
		if h.Excess > 0 {
			count = number(h.Count-h.Excess) + " to " + count
		}
		hosts.Rows = append(hosts.Rows, []htmlField{
			{m.user(h.Host), false}, {m.clusterName(h.Cluster), false}, {m.user(outcomeText(h.Code, h.Flags)), false}, {count, true},
		})
	}
	var addresses, agents []ValueCount
	if c := m.Report.Clients; c != nil {
		addresses, agents = c.Addresses, c.UserAgents
	}
	places := htmlTable{Name: "Proxies that report", Heads: []htmlField{{"pod", false}, {"records", true}, {"access", true}, {"failed", true}, {shareHead(m.Report), true}}}
	for _, p := range m.Report.Places[:min(len(m.Report.Places), htmlRows)] {
		places.Rows = append(places.Rows, []htmlField{
			{m.user(strings.Trim(p.Namespace+"/"+p.Pod, "/")), false}, {number(p.Records), true}, {number(p.Access), true}, {number(p.Failed), true}, {percent(p.Failed, p.Access), true},
		})
	}
	for _, t := range []htmlTable{hosts, places, m.clientTable("Clients of failed requests", "address", addresses), m.clientTable("User agents of failed requests", "user agent", agents)} {
		if len(t.Rows) > 0 {
			m.v.Places = append(m.v.Places, t)
		}
	}
}

func (m *htmlMaker) clientTable(name, head string, list []ValueCount) htmlTable {
	t := htmlTable{Name: name, Heads: []htmlField{{head, false}, {"failed", true}, {"first", true}, {"last", true}}}
	for _, v := range list[:min(len(list), htmlRows)] {
		t.Rows = append(t.Rows, []htmlField{{m.user(v.Value), false}, {atLeast(&v), true}, {m.clock(v.First), true}, {m.clock(v.Last), true}})
	}
	return t
}

func (m *htmlMaker) clock(t *time.Time) string {
	if t == nil {
		return ""
	}
	return t.Format(m.times)
}

// usualTimeouts are the seconds that timeouts are often set to.
func usualTimeouts() []int { return []int{1, 5, 10, 15, 30, 60, 300, 3600} }

// An axis is logarithmic, in milliseconds, 200 units wide.
type axis struct{ least, most float64 }

func (a axis) x(ms float64) float64 {
	ms = min(max(ms, a.least), a.most)
	return 200 * math.Log(ms/a.least) / math.Log(a.most/a.least)
}

// latency draws how long requests took: all that failed, others, and the failed
// ones of each cause.
func (m *htmlMaker) latency() *htmlLatency {
	list := m.spans()
	if len(list) == 0 {
		return nil
	}
	most := int64(1000)
	for _, s := range list {
		most = max(most, s.Max)
	}
	a := axis{1, 1.1 * float64(most)} // room for what ends there
	l := &htmlLatency{From: "1 ms", To: milliseconds(most)}
	rules, names := "", []string{}
	for _, s := range usualTimeouts() {
		if int64(s)*1000 < most {
			rules += "M" + decimal(a.x(float64(s)*1000)) + " 0V20"
			names = append(names, strconv.Itoa(s)+" s")
		}
	}
	if l.Rules = strings.Join(names, ", "); l.Rules == "" {
		l.Rules = "none in this range"
	}
	for _, s := range list {
		p50, p99, end := a.x(float64(s.P50)), a.x(float64(s.P99)), a.x(float64(s.Max))
		l.Rows = append(l.Rows, htmlSpan{
			Name: s.name, Rules: rules, Whisker: rect(p50, 8, max(1, end-p50), 4), Box: rect(p50, 4, max(1, p99-p50), 12),
			P50: milliseconds(s.P50), P90: milliseconds(s.P90), P99: milliseconds(s.P99), Max: milliseconds(s.Max), Timeouts: timeouts(s.timeouts),
		})
	}
	return l
}

// A latencySpan is how long requests of some sort took.
type latencySpan struct {
	name string
	*Durations
	timeouts []TimeoutCount
}

func (m *htmlMaker) spans() (list []latencySpan) {
	if l := m.Report.Latency; l != nil && m.Totals.Failed > 0 {
		if l.OK.sayable() {
			list = append(list, latencySpan{name: "requests that did not fail", Durations: l.OK})
		}
		if l.Failed != nil {
			list = append(list, latencySpan{"all that failed", l.Failed, l.Timeouts})
		}
	}
	causes := shownCauses(m.Report)
	for i := range causes {
		if d := causes[i].Durations; d != nil && len(list) < htmlRows {
			list = append(list, latencySpan{strconv.Itoa(i+1) + " " + m.user(causeLabel(&causes[i])), d, causes[i].Timeouts})
		}
	}
	return list
}

func milliseconds(ms int64) string { return number(uint64(max(ms, 0))) + " ms" }

// timeouts are the whole seconds that several requests took.
func timeouts(list []TimeoutCount) string {
	var chunks []string
	for _, t := range list {
		if sure := t.Count - t.Excess; sure > 1 && len(chunks) < 3 {
			chunks = append(chunks, number(sure)+" at "+number(uint64(t.Seconds))+" s")
		}
	}
	return strings.Join(chunks, ", ")
}
