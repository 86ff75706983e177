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
	total := d.sumUp()
	hasFlags := total.noFlags < total.total.all
	width, all := d.cells.width(), span{d.first, d.last, d.hasTime}
	for k, w := range d.cells.each {
		if w.begin+width <= t.UnixNano() {
			continue
		}
		v := unpack(k.rest)
		when := all.within(w.begin, width)
		if v.details != noName {
			when = d.causes.of(v.details).spanOf(v.cluster, when)
		}
		v.cluster, v.unknown, v.details = clusters[v.cluster], unknown[v.unknown], causes[v.details]
		out.addFailed(k.flags, v, w.n, w.begin, when)
	}
	for cluster, w := range d.load.all {
		if w.begin+d.load.width() > t.UnixNano() {
			out.addHealthy(clusters[cluster], w, all.within(w.begin, d.load.width()), hasFlags)
		}
	}
	for k, w := range d.declined.each {
		if w.begin+d.declined.width() > t.UnixNano() {
			v := unpack(k.rest)
			sort := out.declined.sort(key{flags: k.flags, rest: packPlain(clusters[v.cluster], v.code, noName, 0)})
			out.declined.put(sort, floorDiv(w.begin, out.declined.width()), w.n)
		}
	}
	return &Snapshot{sum: out}
}

// addFailed counts the failures of a cell, whose outcome has the cause's id in
// place of the details'.
func (d *Delta) addFailed(flags uint64, v outcome, n uint64, begin int64, when span) {
	d.addTotal(when, n)
	d.addCombo(key{flags: flags, rest: pack(v.cluster, noName, v.code, 0, 0, 0, v.unknown, true, true)}, n)
	sort := d.cells.sort(key{flags: flags, rest: packPlain(v.cluster, v.code, v.unknown, v.details)})
	d.cells.put(sort, floorDiv(begin, d.cells.width()), n)
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
func (d *Delta) addHealthy(cluster uint16, w window, when span, hasFlags bool) {
	d.addTotal(when, w.n)
	d.addCombo(key{rest: pack(cluster, noName, untoldCode, 0, 0, 0, noName, false, hasFlags)}, w.n)
	d.load.put(cluster, floorDiv(w.begin, d.load.width()), w.n)
}

// within is the part of a cell's time that is in s.
func (s span) within(begin, width int64) span {
	end := begin + width - 1
	if s.timed && s.first <= end && s.last >= begin {
		begin, end = max(begin, s.first), min(end, s.last)
	}
	return span{begin, end, true}
}

// spanOf is the part of a time in which the cause's records of a cluster lie.
func (g *group) spanOf(cluster uint16, when span) span {
	whole := g.when
	for i := range g.tops[byCluster].list {
		if e := &g.tops[byCluster].list[i]; unpack(e.key.rest).cluster == cluster {
			whole = e.when
		}
	}
	return whole.within(when.first, when.last-when.first+1)
}

func (d *Delta) addTotal(when span, n uint64) {
	d.records += n
	d.kinds[parser.Access].Records += n
	d.addTime(when.first, when.last)
}
