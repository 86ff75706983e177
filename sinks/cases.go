package sinks

import (
	"net"
	"path"
	"slices"
	"strings"

	"github.com/flagwatch/flagwatch/classify"
	"github.com/flagwatch/flagwatch/parser"
)

// What all records of a cause together show, and what follows for its side,
// its remedy and its checks.

// caseOf is the first case of a cause that the records show; nil if none does.
func (q *inquiry) caseOf(cause *classify.Cause) *classify.Case {
	for i := range cause.Cases {
		if c := &cause.Cases[i]; q.shows(c.Picture) {
			return c
		}
	}
	return nil
}

func (q *inquiry) shows(p classify.Picture) bool {
	switch p {
	case classify.PeerRefused:
		return q.peerRefused()
	case classify.OutsideHost:
		return q.outside()
	case classify.Answered:
		return q.answered()
	case classify.FromAMoment:
		return q.allSince()
	}
	return false
}

// inCase is a cause as a case has it, which makes the verdict's side and
// severity its own.
func (q *inquiry) inCase(cause *classify.Cause, c *classify.Case) *classify.Cause {
	own, v := *cause, &q.card.Verdict
	own.Remedy = c.Remedy
	if len(c.Checks) > 0 {
		own.Checks = c.Checks
	}
	if side := c.Side; side != classify.NoSide {
		if side == classify.ClientProxy && q.mostly(parser.Inbound) {
			side = classify.ServerProxy
		}
		v.Side, v.Refined = side.String(), true
	}
	if c.Severity != classify.NoSeverity {
		v.Severity, v.Refined = c.Severity.String(), true
	}
	q.tellCase(c.Picture)
	return &own
}

// tellCase says what a case rests on, where nothing else does.
func (q *inquiry) tellCase(p classify.Picture) {
	good := q.goodBefore()
	switch {
	case p == classify.Answered && q.wholly(enough):
		q.say(answeredEvidence, good, good+q.g.access.failed, "%s of %s succeeded before %s, and hardly any since", plural(good, "request", "requests"), q.clusterNames(), q.clock(q.g.when.first))
		q.addRival("app-crash")
	case p == classify.Answered && q.hostsAnswered():
		n := uint64(len(q.g.tops[byHost].list))
		q.say(answeredEvidence, n, n, "%s at other times", plural(n, "host that refuses answered", "hosts that refuse answered"))
		q.addRival("app-crash")
	case p == classify.FromAMoment:
		q.say(onsetAllEvidence, q.g.access.failed, q.g.access.failed, "every request of %s is denied from %s on, %s succeeded before", q.clusterNames(), q.clock(q.g.when.first), number(good))
	}
}

// peerRefused says whether the reasons are alerts, which the other side sends.
func (q *inquiry) peerRefused() bool {
	return len(q.card.Reasons) > 0 && !slices.ContainsFunc(q.card.Reasons, func(v ValueCount) bool {
		return !isAlert(v.Value)
	})
}

// outside says whether all clusters lead out of the mesh.
func (q *inquiry) outside() bool {
	list := q.g.tops[byCluster].list
	return len(list) > 0 && !slices.ContainsFunc(list, func(e entry) bool {
		return !classify.Outside(q.d.clusters.name(unpack(e.key.rest).cluster))
	})
}

// answered says whether enough requests to each of the clusters succeeded, at
// any time.
func (q *inquiry) answered() bool {
	list := q.g.tops[byCluster].list
	return !q.blind && !q.selected && len(list) > 0 && !slices.ContainsFunc(list, func(e entry) bool {
		return q.goodBetween(unpack(e.key.rest).cluster, ever()) < enough
	})
}

// hostsAnswered says whether each of the hosts is known to have answered.
func (q *inquiry) hostsAnswered() bool {
	list := q.g.tops[byHost].list
	return len(list) > 0 && !slices.ContainsFunc(list, func(e entry) bool {
		s := q.d.fleet.known(unpack(e.key.rest).cluster)
		return s == nil || !slices.Contains(s.hosts[:s.numHost], hashID(e.name[:e.length]))
	})
}

// allSince says whether that holds for many requests before and after: a few
// are one client's bad luck.
func (q *inquiry) allSince() bool { return !q.blind && !q.selected && q.wholly(sureAlone) }

// wholly says whether each cluster failed at least so often, and succeeded as
// often before, and not since.
func (q *inquiry) wholly(least uint64) bool {
	list := q.g.tops[byCluster].list
	for i := range list {
		e := &list[i]
		good := q.goodAround(unpack(e.key.rest).cluster, e.when)
		if unpack(e.key.rest).cluster == noName || !e.when.timed || e.count < least || good.before < least || good.during*fewGood > e.count {
			return false
		}
	}
	return len(list) > 0
}

// goodBefore counts what succeeded of the clusters before they failed.
func (q *inquiry) goodBefore() (n uint64) {
	for i := range q.g.tops[byCluster].list {
		e := &q.g.tops[byCluster].list[i]
		n += q.goodAround(unpack(e.key.rest).cluster, e.when).before
	}
	return n
}

// caseOfRecord is the first case of a cause that one record shows.
func caseOfRecord(c *classify.Cause, r *parser.Record) *classify.Case {
	for i := range c.Cases {
		k := &c.Cases[i]
		if k.Picture == classify.PeerRefused && isAlert(string(transportReason(r))) || k.Picture == classify.OutsideHost && classify.Outside(r.Bytes(parser.UpstreamCluster)) {
			return k
		}
	}
	return nil
}

// isAlert says whether a reason of a transport failure is an alert of TLS,
// which the other side sent.
func isAlert(reason string) bool { return strings.Contains(strings.ToUpper(reason), "_ALERT_") }

// insideOnly are parts of checks that ask for objects of the cluster, which a
// host outside of it has not.
var insideOnly = []string{"{upstream_pod}", "{upstream_namespace}", "status.podIP={upstream_ip}", "{service}"}

// withoutPods are the checks that make sense for a host outside of the mesh;
// all of them if none does.
func withoutPods(checks []string) []string {
	list := slices.DeleteFunc(slices.Clone(checks), func(check string) bool {
		return slices.ContainsFunc(insideOnly, func(part string) bool { return strings.Contains(check, part) })
	})
	if len(list) == 0 {
		return checks
	}
	return list
}

// oneCaller looks for one client that all failures come from, while others
// of its service get answers. Where its own proxy is known, that is told.
func (q *inquiry) oneCaller() {
	if slices.ContainsFunc(q.card.Evidence, func(e Evidence) bool { return e.Kind == proxyEvidence || e.Kind == onsetAllEvidence }) {
		return
	}
	for _, by := range []dim{byClient, byCaller} {
		best, count, _, _ := biggest(&q.g.tops[by])
		if best == nil || count < sureAlone || float64(count) < nearlyAll*float64(q.g.access.failed) || !best.when.timed {
			continue
		}
		if q.othersAnswered(best) {
			q.say(callerEvidence, count, q.g.access.failed, "one caller of several: %s has %s of %s failures, and others get answers meanwhile", best.value(), number(count), number(q.g.access.failed))
			return
		}
	}
}

// othersAnswered says whether clients other than this one got answers of each
// of the clusters while it failed.
func (q *inquiry) othersAnswered(client *entry) bool {
	list, failing := q.g.tops[byCluster].list, q.failing()
	for i := range list {
		s := q.d.fleet.known(unpack(list[i].key.rest).cluster)
		if s == nil || !slices.ContainsFunc(s.clients[:s.numClient], func(h heard) bool {
			beside, _ := failing.beside(h.at)
			return beside && h.hash != hashID(client.name[:client.length])
		}) {
			return false
		}
	}
	return len(list) > 0
}

// restarts is how often a host must have cut connections to be one that ends
// and comes back.
const restarts = 3

// comesBack looks for a host that refuses, and in between has connections that
// it cuts: they show that it lives again each time, and not for long.
func (q *inquiry) comesBack() {
	best, count, all, _ := biggest(&q.g.tops[byHost])
	if !q.is("upstream-refused") || all < enough || float64(count) < nearlyAll*float64(all) || !best.when.timed {
		return
	}
	for i, g := range q.d.causes.list {
		other, cut, cuts, _ := biggest(&g.tops[byHost])
		if g.id() != "upstream-closed" || cut < restarts || float64(cut) < nearlyAll*float64(cuts) || other.value() != best.value() {
			continue
		}
		if n := len((&inquiry{scene: q.scene, g: g, id: uint16(i + 1)}).stepsWithin(best.when)); n >= restarts {
			q.say(loopEvidence, uint64(n), cut, "%s also took connections and cut them, at %d times from %s to %s: it comes back and ends again, as in a crash loop",
				best.value(), n, q.clock(other.when.first), q.clock(other.when.last))
			q.addRival("app-crash")
		}
	}
}

// stepsWithin are the steps of a group's failures that overlap with a span.
func (q *inquiry) stepsWithin(s span) []step {
	return slices.DeleteFunc(q.steps(), func(t step) bool {
		at := t.at.UnixNano()
		return at+q.d.cells.width() <= s.first || at > s.last
	})
}

// podOfInput is the pod that a file is named after: cart-6c8d9f7b5d-x2x7k.log.
func podOfInput(input string) string {
	name, _, _ := strings.Cut(path.Base(input), ".")
	if _, ok := templateOf(name); !ok || net.ParseIP(name) != nil {
		return ""
	}
	return name
}
