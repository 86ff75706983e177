package sinks

import (
	"time"

	"github.com/flagwatch/flagwatch/parser"
)

// Since returns what the cells still know of the time from the one that holds
// t on: how many records of each cluster did not fail, and the failures by
// cluster, code, flags and cause. What cells do not keep apart is missing:
// details, hosts, dialects, proxies and samples.
func (s *Snapshot) Since(t time.Time) *Snapshot {
	d, out := s.sum.settled(), NewDelta()
	clusters, unknown := out.clusters.merge(&d.clusters), out.unknown.merge(&d.unknown)
	causes := out.causeIDs(d)
	width := d.cells.width()
	for k, w := range d.cells.each {
		if w.begin+width <= t.UnixNano() {
			continue
		}
		v := unpack(k.rest)
		v.cluster, v.unknown, v.details = clusters[v.cluster], unknown[v.unknown], causes[v.details]
		out.addFailed(k.flags, v, w, width)
	}
	for cluster, w := range d.load.all {
		if w.begin+d.load.width() > t.UnixNano() {
			out.addHealthy(clusters[cluster], w, d.load.width())
		}
	}
	return &Snapshot{out}
}

// addFailed counts the failures of a cell, whose outcome has the cause's id in
// place of the details'.
func (d *Delta) addFailed(flags uint64, v outcome, w window, width int64) {
	n, when := w.n, span{w.begin, w.begin + width - 1, true}
	d.addTotal(when, n)
	d.addCombo(key{flags: flags, rest: pack(v.cluster, noName, v.code, 0, 0, 0, v.unknown, true, true)}, n)
	sort := d.cells.sort(key{flags: flags, rest: packPlain(v.cluster, v.code, v.unknown, v.details)})
	d.cells.put(sort, floorDiv(w.begin, d.cells.width()), n)
	if v.details == noName {
		return
	}
	g := d.causes.of(v.details)
	g.used = true
	g.access.add(n, true)
	g.when.merge(when)
	if g.cause != nil {
		g.sides[g.cause.Side] += n
	}
	g.tops[byCluster].addMany(key{rest: packPlain(v.cluster, 0, noName, 0)}, nil, n, when)
	g.tops[byOutcome].addMany(key{flags: flags, rest: packPlain(noName, v.code, v.unknown, 0)}, nil, n, when)
}

// addHealthy counts records that did not fail.
func (d *Delta) addHealthy(cluster uint16, w window, width int64) {
	d.addTotal(span{w.begin, w.begin + width - 1, true}, w.n)
	d.addCombo(key{rest: pack(cluster, noName, noCode, 0, 0, 0, noName, false, false)}, w.n)
	d.load.put(cluster, floorDiv(w.begin, d.load.width()), w.n)
}

func (d *Delta) addTotal(when span, n uint64) {
	d.records += n
	d.kinds[parser.Access].Records += n
	d.addTime(when.first, when.last)
}
