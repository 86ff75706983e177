package sinks

import (
	"fmt"
	"slices"

	"github.com/flagwatch/flagwatch/classify"
	"github.com/flagwatch/flagwatch/parser"
)

// Everything that fails from a moment on.

const (
	retryWait = 100        // milliseconds that the waits between two retries take at most
	fewGood   = 50         // one success in so many failures is a proxy that had not got the change yet
	sureAlone = 2 * enough // failures of a client none of whose requests succeeds
)

// An entire is what fails altogether: all requests of clusters, or those of one
// client to them.
type entire struct {
	failed, before uint64
	onset          int64
	client         string // "" all of them
	about          bool   // before is an estimate
}

// fromAMomentOn looks for clusters of which every request fails, without a
// reason, from a moment on: the server began to want mutual TLS, or a
// DestinationRule switched it off, for all callers or for one.
func (q *inquiry) fromAMomentOn() {
	if q.blind || !q.is("upstream-closed", "upstream-connect-failed", "upstream-remote-reset", "plaintext-to-strict-mtls") || q.mostly(parser.Inbound) {
		return
	}
	limit := q.notWorked()
	if n := q.g.durations.n; n > 0 && float64(q.g.durations.upTo(limit)) < nearlyAll*float64(n) {
		return
	}
	if _, reasons, _, _ := biggest(&q.g.tops[byReason]); 10*reasons > q.g.access.failed {
		return
	}
	w := q.wholeClusters()
	if float64(w.failed) < nearlyAll*float64(q.g.access.failed) {
		w = q.wholeClient()
	}
	if float64(w.failed) < nearlyAll*float64(q.g.access.failed) {
		return
	}
	q.sayWhole(&w, limit)
	const mtls = "plaintext-to-strict-mtls"
	switch proved := q.met(mtls); {
	case proved && !q.is(mtls):
		q.conclude(mtls, classify.High)
	case w.before > 0 && limit > 2*quick && !q.retried() && !q.quicker():
		q.conclude(mtls, classify.Low)
	case w.before > 0:
		q.conclude(mtls, classify.Medium)
	default:
		q.addRival(mtls)
	}
	q.dropRivals("keepalive-race")
}

func (q *inquiry) sayWhole(w *entire, limit int64) {
	since := "from the first record on"
	if w.before > 0 {
		since = "from " + q.clock(w.onset) + " on, " + number(w.before) + " succeeded before"
		if w.about {
			since = "from " + q.clock(w.onset) + " on, about " + number(w.before) + " succeeded before"
		}
	}
	if limit > 2*quick {
		limit = min(limit, q.g.durations.max)
	}
	what := "every request of " + q.clusterNames()
	if w.client != "" {
		q.card.Clients = q.d.values(q.g, byCaller)
		what = fmt.Sprintf("every request of one client, %s, to %s", w.client, q.clusterNames())
		since += ", and those of other clients succeed"
	}
	q.say(onsetAllEvidence, w.failed, q.g.access.failed, "%s fails within %d ms %s", what, limit, since)
}

// notWorked is how long a request may take on which nobody worked: little, or
// as long as others need for their way there and back; retries wait.
func (q *inquiry) notWorked() int64 {
	limit := int64(2 * quick)
	if n := q.g.durations.n; n > 0 && float64(q.g.durations.upTo(limit)) >= nearlyAll*float64(n) {
		return limit
	}
	if ok := &q.d.latencies.ok; ok.n >= enough {
		limit = max(limit, ok.quantile(0.9))
	}
	if q.retried() {
		limit += retryWait
	}
	return limit
}

// retried says whether retries were used up in vain, and often.
func (q *inquiry) retried() bool {
	var n, all uint64
	flag, _ := parser.FlagByName("URX")
	for _, e := range q.g.tops[byOutcome].list {
		all += e.count
		if parser.FlagSet(e.key.flags)&parser.FlagsOf(flag) != 0 {
			n += e.count
		}
	}
	return 4*n >= all && n > 0
}

// quicker says whether most failures are quicker than most successes.
func (q *inquiry) quicker() bool {
	ok := &q.d.latencies.ok
	return ok.n >= enough && q.g.durations.quantile(0.5) <= ok.quantile(0.5)
}

// wholeClusters are the clusters that nothing succeeds of while they fail.
func (q *inquiry) wholeClusters() (w entire) {
	for i := range q.g.tops[byCluster].list {
		e := &q.g.tops[byCluster].list[i]
		cluster := unpack(e.key.rest).cluster
		good := q.goodAround(cluster, e.when)
		if !q.lone(e) || good.during*fewGood > e.count {
			continue
		}
		if w.failed == 0 || e.when.first < w.onset {
			w.onset = e.when.first
		}
		w.failed += e.count
		w.before += good.before
	}
	return w
}

// lone says whether a cluster fails often, and in no other way meanwhile.
func (q *inquiry) lone(e *entry) bool {
	cluster := unpack(e.key.rest).cluster
	if cluster == noName || e.count < enough || !e.when.timed {
		return false
	}
	otherwise := uint64(0)
	for _, c := range q.byCluster[cluster] {
		if c.cause != q.id && c.at+q.d.cells.width() > e.when.first && c.at <= e.when.last && !q.sameFault(c.cause) {
			otherwise += c.n
		}
	}
	return 10*otherwise <= e.count
}

// sameFault says whether a cause is of those that plain text to a server that
// wants TLS shows itself as.
func (c *scene) sameFault(cause uint16) bool {
	return slices.Contains([]string{"upstream-closed", "upstream-remote-reset", "plaintext-to-strict-mtls", "keepalive-race"}, c.d.causeName(cause))
}

// wholeClient is the one client that all failures come from, if none of its
// requests to the clusters succeeds meanwhile and those of others do.
func (q *inquiry) wholeClient() (w entire) {
	best, count, _, _ := biggest(&q.g.tops[byCaller])
	if best == nil || count < sureAlone || float64(count) < nearlyAll*float64(q.g.access.failed) || !best.when.timed {
		return w
	}
	w = entire{onset: best.when.first, client: best.value(), about: true}
	others, failing := false, q.failing()
	for i := range q.g.tops[byCluster].list {
		e := &q.g.tops[byCluster].list[i]
		s := q.d.fleet.known(unpack(e.key.rest).cluster)
		if s == nil || !q.lone(e) {
			return entire{}
		}
		for _, c := range s.clients[:s.numClient] {
			switch {
			case c.hash != hashID([]byte(w.client)):
				beside, _ := failing.beside(c.at)
				others = others || beside
			case c.when.last > e.when.first:
				return entire{}
			default:
				w.before += lookedEach * c.n
			}
		}
	}
	if others {
		w.failed = count
	}
	return w
}
