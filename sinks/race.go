package sinks

import (
	"fmt"

	"github.com/flagwatch/flagwatch/classify"
	"github.com/flagwatch/flagwatch/parser"
)

// What the rate of a race is: few of all, and a little more where only
// requests fail that are not repeated.
const (
	rare       = 0.02
	rareUnsafe = 0.1
)

// race recognises the race between a server that closes an idle connection
// and a request on it: few, at once, all along, at all hosts.
func (q *inquiry) race() {
	n := q.g.durations.n
	if q.blind || !q.is("keepalive-race", "upstream-closed") || n < enough {
		return
	}
	fast, requests, failed := q.g.durations.upTo(quick), q.requests(), q.g.access.failed
	unsafe := q.g.methods > 0 && float64(q.g.unsafe) >= nearlyAll*float64(q.g.methods)
	most := rare
	if unsafe {
		most = rareUnsafe
	}
	inbound := q.mostly(parser.Inbound)
	if float64(fast) < nearlyAll*float64(n) || float64(failed) > most*float64(requests) || !inbound && !(q.even(q.steps()) && q.severalHosts()) {
		return
	}
	text := fmt.Sprintf("a low rate all along: %s of %s requests%s, %s of them within %d ms", number(failed), number(requests), inBrackets(percent(failed, requests)), number(fast), quick)
	if hosts := len(q.g.tops[byHost].list); hosts > 1 {
		text += fmt.Sprintf(", at %d hosts", hosts)
		if hosts == maxTop {
			text += " or more"
		}
	}
	if unsafe {
		text += fmt.Sprintf("; %s of %s are POST or PATCH, which are seldom repeated", number(q.g.unsafe), number(q.g.methods))
	}
	q.say(steadyEvidence, failed, requests, "%s", text)
	if inbound || unsafe {
		q.conclude("keepalive-race", classify.Medium)
	} else {
		q.conclude("keepalive-race", classify.Low)
	}
}

func inBrackets(s string) string {
	if s == "" {
		return ""
	}
	return " (" + s + ")"
}

// severalHosts says whether no host has nearly all failures, or its cluster
// has no other.
func (q *inquiry) severalHosts() bool {
	best, count, all, _ := biggest(&q.g.tops[byHost])
	if best == nil || float64(count) < nearlyAll*float64(all) {
		return true
	}
	others, _ := q.d.fleet.hostsBeside(unpack(best.key.rest).cluster, &q.g.tops[byHost])
	return others == 0
}

// requests are all requests of the group's clusters.
func (q *inquiry) requests() (n uint64) {
	clusters := map[uint16]bool{}
	for _, e := range q.g.tops[byCluster].list {
		clusters[unpack(e.key.rest).cluster] = true
	}
	for k, count := range q.d.outcomes {
		if clusters[unpack(k.rest).cluster] {
			n += count
		}
	}
	return n
}

// Causes that a stream may rule out.
var (
	needAll  = []string{"client-cert-refused", "plaintext-to-strict-mtls", "plaintext-to-tls-upstream", "gateway-host-unbound", "route-config-not-received"}
	needSome = []string{"keepalive-race"}
)

// everyPath tells a host that the gateway has no route for from paths that it
// lacks: then nothing succeeds for the host, whatever the path.
func (q *inquiry) everyPath() {
	const unbound, missing = "gateway-host-unbound", "route-missing"
	if q.blind || !q.is(missing, unbound) {
		return
	}
	best, count, all, _ := biggest(&q.g.tops[byAuthority])
	if best == nil || count < 2*lookedEach || float64(count) < nearlyAll*float64(all) || !best.when.timed {
		return
	}
	host := best.value()
	heard, ok := q.d.fleet.last(string(withoutPort([]byte(host))))
	failing := q.failing()
	beside, known := failing.beside(heard.at)
	switch {
	case !ok:
	case beside:
		q.say(besideEvidence, lookedEach*heard.n, lookedEach*heard.n+count, "other requests for %s succeed at the same time: some of its paths have no route", host)
		q.conclude(missing, classify.Medium)
		q.dropRivals(unbound, "route-config-not-received", "gateway-vs-tls-mismatch")
	case len(q.g.tops[byPath].list) < enough || !known && heard.when.last > best.when.first:
	default:
		q.say(onsetAllEvidence, count, all, "no request for %s succeeds %s", host, q.lost(best.when, &heard, cellNanos<<failing.shift))
		if q.is(unbound) {
			q.dropRivals(missing)
		} else if len(q.g.tops[byClient].list) > 1 { // a sidecar has one
			q.conclude(unbound, classify.Medium)
		} else {
			q.dropRivals(unbound)
		}
	}
}

// failing are the steps that the cause was met in.
func (q *inquiry) failing() (m marks) {
	for _, c := range q.ofCause[q.id] {
		m.add(c.at)
	}
	for m.bits != 0 && cellNanos<<m.shift < q.d.cells.width() {
		m.widen()
	}
	return m
}

// lost is when nothing was answered for a host, and how much was before, give
// or take a step, or at other times.
func (q *inquiry) lost(failed span, h *heard, step int64) string {
	switch about := "about " + number(lookedEach*h.n); {
	case h.n == 0:
		return "from " + q.clock(failed.first) + " on, whatever the path; none before"
	case h.when.last > failed.first+step:
		return "while these fail, from " + q.clock(failed.first) + " to " + q.clock(failed.last) + ", whatever the path; " + about + " at other times"
	default:
		return "from " + q.clock(failed.first) + " on, whatever the path; " + about + " before"
	}
}

// refute drops rivals that the stream rules out: those by which everything
// fails if much succeeds at the same hosts, and those by which little fails if
// all does.
func (q *inquiry) refute() {
	if q.blind || !q.g.when.timed {
		return
	}
	var failed, good, known uint64
	for i := range q.g.tops[byCluster].list {
		e := &q.g.tops[byCluster].list[i]
		if cluster := unpack(e.key.rest).cluster; cluster >= firstName && e.when.timed {
			known++
			failed += e.count
			good += q.goodAround(cluster, e.when).during
		}
	}
	switch {
	case known == 0:
	case good*fewGood <= failed && failed >= enough:
		q.dropRivals(needSome...)
	case good > 4*failed && q.severalHosts() && !q.onlyClient():
		q.dropRivals(needAll...)
	}
}

// onlyClient says whether one client has all failures, and is not the only one.
func (q *inquiry) onlyClient() bool {
	if len(q.g.tops[byCaller].list) != 1 {
		return false
	}
	for i := range q.g.tops[byCluster].list {
		if s := q.d.fleet.known(unpack(q.g.tops[byCluster].list[i].key.rest).cluster); s != nil && s.numClient > 1 {
			return true
		}
	}
	return false
}
