package sinks

import (
	"math"
	"slices"
	"time"
)

// What became of a cause.
const (
	endingOngoing = "ongoing" // failures came up to the end of the log
	endingOver    = "over"    // they ended, although requests went on
)

// Endings are the values of Card.Ending.
func Endings() []string { return []string{endingOngoing, endingOver} }

// What tells whether a cause is over.
const (
	quietTime = time.Minute // shorter silences prove nothing
	missed    = 5           // failures that were to be expected in a silence: none of them is a chance under 1 %
	rhythm    = 3           // gaps that make a usual gap
)

// end says how long the cause has been quiet, and whether that means that it
// is over. Few failures, a service that nobody calls any more, and records that
// were chosen by what they are tell nothing.
func (q *inquiry) end() {
	w, all, width := q.g.when, q.shown, q.d.cells.width()
	if !w.timed || !all.timed || q.g.access.failed == 0 || w.last > all.last || q.selected {
		return
	}
	quiet := all.last - w.last
	q.card.Quiet = time.Duration(quiet).Round(time.Millisecond).Seconds()
	q.card.cut = q.cut
	if q.g.access.failed < enough || all.last-all.first < int64(quietTime) {
		return
	}
	usual, longest := gaps(q.steps())
	switch {
	case quiet <= max(2*width, usual):
		q.card.Ending, q.card.Pause = endingOngoing, q.pause()
	case quiet >= int64(quietTime) && quiet > 2*longest && q.expected() >= missed:
		q.card.Ending = endingOver
	}
}

// gaps are the usual and the longest time from one cell with failures to the
// next.
func gaps(steps []step) (usual, longest int64) {
	var list []int64
	for i := 1; i < len(steps); i++ {
		list = append(list, int64(steps[i].at.Sub(steps[i-1].at)))
	}
	if len(list) == 0 {
		return 0, 0
	}
	slices.Sort(list)
	if len(list) >= rhythm {
		usual = list[len(list)/2]
	}
	return usual, list[len(list)-1]
}

// expected is how many of the requests that succeeded after the last failure
// would have failed at the rate of before.
func (q *inquiry) expected() float64 {
	return q.wouldFail(q.g.access.failed, q.g.when, math.MaxInt64)
}

// wouldFail is how many of the requests that succeeded behind a span, up to a
// time, would have failed at the rate of the span.
func (q *inquiry) wouldFail(failures uint64, s span, until int64) float64 {
	var during, after uint64
	width := q.d.load.width()
	for cluster, steps := range q.goodOf {
		if len(steps) == 0 || !q.calls(uint16(cluster)) {
			continue
		}
		for _, g := range steps {
			switch {
			case g.at > s.last && g.at <= until-width:
				after += g.n
			case g.at+width > s.first && g.at <= s.last:
				during += g.n
			}
		}
	}
	failed := float64(failures)
	return float64(after) * failed / (failed + float64(during))
}

// pause is the one time, as far as cells tell, in which a cause that goes on
// was over: no other gap is half as long, and failures were to be expected.
func (q *inquiry) pause() *Span {
	steps, width := q.steps(), q.d.cells.width()
	best, longest, second := 0, int64(0), int64(0)
	for i := 1; i < len(steps); i++ {
		gap := int64(steps[i].at.Sub(steps[i-1].at))
		if gap > longest {
			best, longest, second = i, gap, longest
		} else {
			second = max(second, gap)
		}
	}
	if longest-width < int64(quietTime) || longest <= 2*max(second, width) {
		return nil
	}
	before := span{steps[0].at.UnixNano(), steps[best-1].at.UnixNano() + width - 1, true}
	again := steps[best].at.UnixNano()
	if n := countOf(steps[:best]); n < enough || q.wouldFail(n, before, again) < missed {
		return nil
	}
	return &Span{utc(before.last + 1), utc(again), float64(longest-width) / 1e9}
}

// calls says whether the cause's records name a cluster. Those that name none
// failed in front of all of them.
func (q *inquiry) calls(cluster uint16) bool {
	named := false
	for i := range q.g.tops[byCluster].list {
		c := unpack(q.g.tops[byCluster].list[i].key.rest).cluster
		if c == cluster {
			return true
		}
		named = named || c != noName
	}
	return !named
}

// ended is what became of a cause in words; "" when nobody knows.
func (c *Card) ended(layout string) string {
	switch {
	case c.Ending == endingOngoing && c.Pause != nil:
		return "again since " + c.Pause.Last.Format(layout) + ", " + stillGoing(c.cut)
	case c.Ending == endingOngoing:
		return stillGoing(c.cut)
	case c.Ending == endingOver:
		return "over: none in the last " + c.quiet()
	}
	return c.lastSeen()
}

func (c *Card) quiet() string { return length(time.Duration(c.Quiet * float64(time.Second))) }

// stillGoing says so, and of when: the log may go on behind what was read.
func stillGoing(cut bool) string {
	if cut {
		return "still going when --until cut it"
	}
	return "still going at the end of the log"
}

// lastSeen says when a cause was met last, if nobody knows whether it is over.
func (c *Card) lastSeen() string {
	switch {
	case c.Ending != "" || c.Quiet < 1:
		return ""
	case c.cut:
		return "last seen " + c.quiet() + " before --until cut it"
	}
	return "last seen " + c.quiet() + " before the end of the log"
}

// ending is what became of several causes together.
func ending(cards []*Card) string {
	if slices.ContainsFunc(cards, func(c *Card) bool { return c.Ending == endingOngoing }) {
		return endingOngoing
	}
	if slices.ContainsFunc(cards, func(c *Card) bool { return c.Ending == "" }) {
		return ""
	}
	return endingOver
}
