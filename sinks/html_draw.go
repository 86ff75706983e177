package sinks

import (
	"fmt"
	"strconv"
	"strings"
	"time"
)

const (
	laneSteps = 60 // bars in a lane, at most
	lanes     = 8  // causes that have a lane
	laneTop   = 20 // height of a lane in its own units
)

type (
	htmlWhen struct {
		Notes, Ticks, Heads []string
		Onset               string
		Lanes               []htmlLane
		Rows                []htmlRow
	}
	htmlLane struct {
		All                                        bool
		Width                                      int
		Mark, Name, Class, Title, Path, Onset, Sum string
	}
	htmlRow struct {
		From   string
		Counts []string
	}
)

// rect is a path of one rectangle.
func rect(x, y, width, height float64) string {
	return "M" + decimal(x) + " " + decimal(y) + "h" + decimal(width) + "v" + decimal(height) + "h-" + decimal(width) + "z"
}

func decimal(f float64) string {
	s := strings.TrimRight(strconv.FormatFloat(f, 'f', 2, 64), "0")
	return strings.TrimSuffix(s, ".")
}

// bars is a path of a bar for each count, as high as its part of top. What is
// not zero is seen.
func bars(counts []uint64, top uint64) string {
	var b strings.Builder
	for i, n := range counts {
		if n > 0 {
			h := max(1, laneTop*float64(n)/float64(max(top, 1)))
			b.WriteString(rect(float64(i)+0.08, laneTop-h, 0.84, h))
		}
	}
	return b.String()
}

// trendPath is empty when nothing has a time.
func trendPath(counts []uint64) string {
	most := uint64(0)
	for _, n := range counts {
		most = max(most, n)
	}
	if len(counts) < 2 {
		return ""
	}
	if len(counts) == trendSteps {
		return bars(counts, most)
	}
	wide := make([]uint64, trendSteps) // few steps are drawn as broad ones
	for i := range wide {
		wide[i] = counts[i*len(counts)/trendSteps]
	}
	return bars(wide, most)
}

// A chart is time cut into equal steps.
type chart struct {
	begin time.Time
	step  time.Duration
	n     int
}

// newChart has whole cells in its steps.
func newChart(s *Span, t *Timeline) chart {
	cell, begin := t.width(), t.begin(s.First)
	cells := int(s.Last.Sub(begin)/cell) + 1
	each := (cells + laneSteps - 1) / laneSteps
	return chart{begin, time.Duration(each) * cell, (cells + each - 1) / each}
}

// at is the step of a time, false outside.
func (c chart) at(t time.Time) (int, bool) {
	d := t.Sub(c.begin)
	return int(d / c.step), d >= 0 && int(d/c.step) < c.n
}

// when draws failures over time: all of them, then each cause on a lane of its
// own. It is nil when nothing failed at a known time.
func (m *htmlMaker) when() *htmlWhen {
	s := m.Pictured()
	steps := failuresByTime(&m.Timeline, s)
	if s == nil || len(steps) == 0 {
		return nil
	}
	c := newChart(s, &m.Timeline)
	all, byCause := m.count(c)
	w := &htmlWhen{Notes: m.page.when(m.Report, steps), Heads: []string{"all"}}
	if m.spark(m.Report, steps) != "" {
		w.Notes = w.Notes[1:] // the page has a better picture
	}
	if m.Join.Consequences > 0 {
		w.Notes = append(w.Notes, "consequences are counted here, too")
	}
	w.Lanes = append(w.Lanes, m.lane(c, "all failed requests", all))
	w.Lanes[0].All = true
	series := [][]uint64{all}
	for i, card := range shownCauses(m.Report) {
		counts := byCause[card.ID]
		if len(series) > lanes || totalOf(counts) == 0 {
			continue
		}
		lane := m.lane(c, strconv.Itoa(i+1)+" "+m.user(causeLabel(&card)), counts)
		mark := severityMark(card.Verdict.Severity)
		lane.Mark, lane.Class = m.marks[mark], m.v.ClassOf(m.marks[mark])
		if i == 0 && card.First != nil {
			w.onset(c, &lane, *card.First, m.times)
		}
		w.Lanes, series = append(w.Lanes, lane), append(series, counts)
		w.Heads = append(w.Heads, m.user(causeLabel(&card)))
	}
	m.axis(w, c)
	m.numbers(w, c, series)
	return w
}

// count adds up the cells by step, and by cause and step.
func (m *htmlMaker) count(c chart) (all []uint64, byCause map[string][]uint64) {
	all, byCause = make([]uint64, c.n), map[string][]uint64{}
	for _, cell := range m.Timeline.Cells {
		i, ok := c.at(cell.Time)
		if !ok {
			continue
		}
		if byCause[cell.Cause] == nil {
			byCause[cell.Cause] = make([]uint64, c.n)
		}
		all[i] += cell.Failed
		byCause[cell.Cause][i] += cell.Failed
	}
	return all, byCause
}

func totalOf(counts []uint64) (n uint64) {
	for _, c := range counts {
		n += c
	}
	return n
}

func (m *htmlMaker) lane(c chart, name string, counts []uint64) htmlLane {
	top, at := uint64(0), 0
	for i, n := range counts {
		if n > top {
			top, at = n, i
		}
	}
	title := fmt.Sprintf("%s: %s in this time, most in %s from %s on", name, number(totalOf(counts)), length(c.step), c.begin.Add(time.Duration(at)*c.step).Format(m.times))
	return htmlLane{Width: c.n, Name: name, Title: title, Path: bars(counts, top), Sum: number(totalOf(counts))}
}

// onset marks when the most important cause began.
func (w *htmlWhen) onset(c chart, lane *htmlLane, first time.Time, layout string) {
	if _, ok := c.at(first); !ok {
		return
	}
	x := decimal(float64(first.Sub(c.begin)) / float64(c.step))
	lane.Onset = "M" + x + " 0V" + strconv.Itoa(laneTop)
	w.Lanes[0].Onset = lane.Onset
	w.Onset = lane.Name + " began at " + first.Format(layout)
}

// axis are times at the begin, the end and between.
func (m *htmlMaker) axis(w *htmlWhen, c chart) {
	layout := "15:04"
	if c.step < 2*time.Second || time.Duration(c.n)*c.step < 5*time.Minute {
		layout = "15:04:05"
	} else if m.times != "15:04:05" {
		layout = "01-02 15:04"
	}
	const parts = 3
	for i := range parts + 1 {
		w.Ticks = append(w.Ticks, c.begin.Add(time.Duration(c.n)*c.step*time.Duration(i)/parts).Format(layout))
	}
}

// numbers are the rows of the table that says what the picture shows.
func (m *htmlMaker) numbers(w *htmlWhen, c chart, series [][]uint64) {
	for i := range c.n {
		if series[0][i] == 0 {
			continue
		}
		row := htmlRow{From: c.begin.Add(time.Duration(i) * c.step).Format(m.times)}
		for _, counts := range series {
			row.Counts = append(row.Counts, number(counts[i]))
		}
		w.Rows = append(w.Rows, row)
	}
}
