package sinks

import (
	"math"
	"time"
)

// How failures lie in time, and what of it may be chance.

const (
	unlikely  = 1e-3 // how probable what is still taken for chance is
	mostOf    = 0.8  // of the failures that are in a burst
	stretches = 10   // parts of the time of the input, one of which a burst may fill
)

// inTime says that failures came at an even rate all along, or else when they
// began and whether most came in a short time.
func (q *inquiry) inTime() {
	steps := q.steps()
	if q.steady(steps) {
		return
	}
	q.onset()
	q.burst(steps)
}

// steady says so of failures that come at an even rate.
func (q *inquiry) steady(steps []step) bool {
	width := q.d.cells.width()
	cells := (q.shown.last-q.shown.first)/width + 1
	total := countOf(steps)
	if total < 2*enough || cells < stretches || !q.even(steps) {
		return false
	}
	if int64(len(steps)) >= cells/2 {
		most := densest(steps, width)
		q.say(steadyEvidence, total, total, "steady: at most %s in %d s, in %d of %d steps of %[2]d s", number(most), width/1e9, len(steps), cells)
		return true
	}
	wide := cells / stretches
	q.say(steadyEvidence, total, total, "spread over %s, at an even rate: at most %s in any %s of %d s", length(time.Duration(q.g.when.last-q.g.when.first)),
		number(densest(steps, wide*width)), plural(uint64(wide), "step", "steps"), width/1e9)
	return true
}

// burst says whether most failures came in a short time.
func (q *inquiry) burst(steps []step) {
	width := q.d.cells.width()
	total := countOf(steps)
	if total < 2*enough {
		return
	}
	from, to, n := narrowest(steps, uint64(math.Ceil(mostOf*float64(total))))
	if q.isBurst(steps[from], steps[to], n, total) {
		length := steps[to].at.UnixNano() - steps[from].at.UnixNano() + width
		q.say(burstEvidence, n, total, "a burst: %s of %s within %d s, from %s on", number(n), number(total), length/1e9, steps[from].at.Format(q.layout))
	}
}

// isBurst says whether the steps from one to another are a short part of the
// time, it is over, and the requests that went well came at other times, too.
func (q *inquiry) isBurst(from, to step, n, total uint64) bool {
	width := q.d.cells.width()
	cells := (q.shown.last-q.shown.first)/width + 1
	begin, end := from.at.UnixNano(), to.at.UnixNano()+width
	part := float64(end-begin) / float64(cells*width)
	if part > 1.0/stretches || q.shown.last < end+int64(time.Minute) || float64(stretches)*atLeastOf(n, total, part) > unlikely {
		return false
	}
	good, meanwhile := uint64(0), uint64(0)
	for _, g := range q.good {
		good += g.n
		if g.at < end && g.at+q.d.load.width() > begin {
			meanwhile += g.n
		}
	}
	return 2*meanwhile <= good
}

// even says whether failures begin and end with the input and gather nowhere,
// as far as chance allows.
func (q *inquiry) even(steps []step) bool {
	w, all := q.g.when, q.shown
	if !w.timed || !all.timed || all.last <= all.first {
		return false
	}
	n, whole := float64(countOf(steps)), float64(all.last-all.first)
	gap := -math.Log(unlikely) / n * whole
	if n < enough || float64(w.first-all.first) > gap || float64(all.last-w.last) > gap {
		return false
	}
	width := q.d.cells.width()
	cells := (all.last-all.first)/width + 1
	wide := max(1, cells/stretches)
	return float64(cells)*atLeastOf(densest(steps, wide*width), countOf(steps), float64(wide)/float64(cells)) > unlikely
}

func countOf(steps []step) (n uint64) {
	for _, s := range steps {
		n += s.failed
	}
	return n
}

// narrowest is the shortest run of steps with at least n failures, and how
// many it has; steps are sorted by time.
func narrowest(steps []step, n uint64) (from, to int, sum uint64) {
	best, have, begin := int64(math.MaxInt64), uint64(0), 0
	for i, s := range steps {
		have += s.failed
		for have-steps[begin].failed >= n {
			have -= steps[begin].failed
			begin++
		}
		if length := s.at.Sub(steps[begin].at); have >= n && (int64(length) < best || int64(length) == best && have > sum) {
			best, from, to, sum = int64(length), begin, i, have
		}
	}
	return from, to, sum
}

// densest is how many failures there are at most in steps that begin within a
// time of that width.
func densest(steps []step, width int64) (most uint64) {
	have, begin := uint64(0), 0
	for _, s := range steps {
		have += s.failed
		for int64(s.at.Sub(steps[begin].at)) >= width {
			have -= steps[begin].failed
			begin++
		}
		most = max(most, have)
	}
	return most
}

// atLeastOf is how probable k or more of n are that each come with probability
// p: the bound of Chernoff, which is too high by little.
func atLeastOf(k, n uint64, p float64) float64 {
	if n == 0 || p >= 1 || float64(k) <= p*float64(n) {
		return 1
	}
	a := float64(k) / float64(n)
	d := a * math.Log(a/p)
	if a < 1 {
		d += (1 - a) * math.Log((1-a)/(1-p))
	}
	return math.Exp(-float64(n) * d)
}

// atLeastMean is how probable k or more are when mean are to be expected, by
// Poisson's law.
func atLeastMean(k uint64, mean float64) float64 {
	term, below := math.Exp(-mean), 0.0
	for i := range k {
		below += term
		term *= mean / float64(i+1)
	}
	return max(0, 1-below)
}
