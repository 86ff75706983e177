package sinks

import (
	"net"
	"slices"
	"time"

	"github.com/flagwatch/flagwatch/classify"
	"github.com/flagwatch/flagwatch/parser"
)

// What other requests and proxies do at the same time.

const (
	manyProxies = 3                // that do the same at once
	atOnce      = 30 * time.Second // how long a change of configuration takes to reach them
	probeSteps  = 6                // steps that show a rate
)

// beside tells of other requests that succeed while TLS clients without a
// server name fail: the health checks of a load balancer, typically.
func (q *inquiry) beside() {
	if !q.is("sni-not-sent") || !q.g.when.timed {
		return
	}
	byCluster := map[uint16][]goodStep{}
	for _, g := range q.good {
		if g.at+q.d.load.width() > q.g.when.first && g.at <= q.g.when.last {
			byCluster[g.cluster] = append(byCluster[g.cluster], g)
		}
	}
	n, _ := q.succeeded(q.g.when, func(uint16) bool { return true })
	probes, _ := q.succeeded(q.g.when, func(id uint16) bool { return constant(byCluster[id], q.d.load.width()) })
	switch {
	case n == 0:
	case probes > 0:
		q.say(besideEvidence, probes, n+q.g.access.failed, "about %s succeeded in the same time, about %s of them at a constant rate, as health checks come: probes that pass prove nothing about clients that send no server name",
			plural(n, "request", "requests"), number(probes))
	default:
		q.say(besideEvidence, n, n+q.g.access.failed, "about %s succeeded in the same time: probes that pass prove nothing about clients that send no server name", plural(n, "request", "requests"))
	}
}

// constant says whether requests come as a clock makes them: as many in every
// step, but for the first and the last one.
func constant(steps []goodStep, width int64) bool {
	slices.SortFunc(steps, func(a, b goodStep) int { return int(min(max(a.at-b.at, -1), 1)) })
	var sums []uint64
	last := int64(0)
	for _, s := range steps {
		switch step := floorDiv(s.at, width); {
		case len(sums) > 0 && step == last:
			sums[len(sums)-1] += s.n
		case len(sums) > 0 && step != last+1:
			return false
		default:
			sums, last = append(sums, s.n), step
		}
	}
	if len(sums) < probeSteps+2 {
		return false
	}
	inner := sums[1 : len(sums)-1]
	least, most := slices.Min(inner), slices.Max(inner)
	return most-least <= max(1, most/10)
}

// replacedListeners tells a change of configuration, which reaches many
// proxies at once, from the shutdown of one of them.
func (q *inquiry) replacedListeners() {
	if !q.is("drain-cut-connections", "config-change-connection-drain") {
		return
	}
	list := q.witnesses()
	drained := 0
	first := span{}
	for i := range list {
		if w := &list[i]; w.has(proxyDraining) || w.has(proxyExited) {
			drained++
		} else if w.when.timed {
			first.add(w.when.first)
		}
	}
	switch n := len(list) - drained; {
	case drained > 0 && n == 0:
		q.say(proxiesEvidence, uint64(drained), uint64(len(list)), "%s", plural(uint64(drained), "proxy that cut connections was asked to end", "proxies that cut connections were asked to end"))
		q.conclude("drain-cut-connections", classify.High)
		q.card.Verdict.Confidence = classify.High.String()
	case n >= manyProxies && first.timed && time.Duration(first.last-first.first) <= atOnce:
		q.say(proxiesEvidence, uint64(n), uint64(len(list)), "%d proxies began to cut connections within %s, and none of them was asked to end: their listeners were replaced", n, length(time.Duration(first.last-first.first)))
		q.conclude("config-change-connection-drain", classify.Medium)
	}
}

// everyHost looks for clusters of which several hosts refuse on one port and
// none answers: then the port is wrong, not a pod.
func (q *inquiry) everyHost() {
	if !q.is("upstream-refused") || len(q.g.tops[byCluster].list) != 1 || q.mostly(parser.Inbound) {
		return
	}
	cluster := unpack(q.g.tops[byCluster].list[0].key.rest).cluster
	hosts, port := q.g.tops[byHost].list, ""
	for i := range hosts {
		_, p, err := net.SplitHostPort(hosts[i].value())
		if err != nil || port != "" && p != port {
			return
		}
		port = p
	}
	if n := len(hosts); n > 1 && n < maxTop && q.goodAround(cluster, q.g.when) == (around{}) {
		until := ""
		if q.goodBetween(cluster, ever()) > 0 {
			until = " up to " + q.clock(q.g.when.last)
		}
		q.say(allHostsEvidence, q.g.access.failed, q.g.access.failed, "all %d hosts of %s refuse on port %s, and no request succeeded%s: the Service's targetPort is not the port that the pods listen on",
			n, clusterShort(q.d.clusters.label(cluster, noCluster)), port, until)
		q.dropRivals("stale-endpoint")
	}
}

// ownSidecar proves plaintext by the proxy that refused it: one that passes
// requests on to an application of its own is no gateway.
func (q *inquiry) ownSidecar() {
	if !q.is("plaintext-to-strict-mtls") || len(q.card.Hosts) > 0 {
		return
	}
	if list := q.witnesses(); all(list, func(w *witness) bool { return q.d.fleet.homeAt(w.id) != "" }) {
		q.say(besideEvidence, q.g.access.failed, q.g.access.failed, "the proxy that refused is a sidecar, not a gateway: it serves %s to others", q.d.fleet.homeAt(list[0].id))
		q.card.Verdict.Confidence = classify.High.String()
		q.dropRivals("http-to-https-port", "sni-not-sent")
	}
}

// dropRivals removes causes that the stream rules out.
func (q *inquiry) dropRivals(ids ...string) {
	q.card.Rivals = slices.DeleteFunc(q.card.Rivals, func(r RivalCount) bool { return slices.Contains(ids, r.ID) })
}
