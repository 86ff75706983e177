package sinks

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/flagwatch/flagwatch/classify"
	"github.com/flagwatch/flagwatch/parser"
)

// Kinds of evidence.
const (
	onsetEvidence    = "onset"         // began within the log
	burstEvidence    = "burst"         // most of it came in a short time
	steadyEvidence   = "steady"        // a low rate all along
	hostEvidence     = "one-host"      // one host has nearly all of it
	proxyEvidence    = "one-proxy"     // one proxy reports nearly all of it
	proxiesEvidence  = "many-proxies"  // several proxies do it at once
	timeoutEvidence  = "timeout"       // durations are the same whole number of seconds
	ejectionEvidence = "ejection"      // errors of the cluster came right before
	allHostsEvidence = "all-hosts"     // no host of a cluster answers
	onsetAllEvidence = "all-requests"  // every request of a cluster fails from a moment on
	besideEvidence   = "beside"        // other requests succeed at the same time
	joinEvidence     = "join"          // the other side's record was found, or not
	startEvidence    = "start"         // normal while a proxy starts
	countersEvidence = "counters"      // what a proxy received and refused
	streamEvidence   = "stream"        // how often the control plane's stream ended
	absenceEvidence  = "absence"       // what should have followed never came
	controlEvidence  = "control-plane" // the control plane was gone at the same time
	spaceEvidence    = "one-namespace" // several services fail, all of one namespace
	callerEvidence   = "one-caller"    // one client has nearly all of it, while others get answers
	answeredEvidence = "answered"      // at other times
	loopEvidence     = "crash-loop"    // a host ends and comes back again and again
)

// EvidenceKinds are the values of Evidence.Kind.
func EvidenceKinds() []string {
	return []string{onsetEvidence, burstEvidence, steadyEvidence, hostEvidence, proxyEvidence, proxiesEvidence, timeoutEvidence, ejectionEvidence, allHostsEvidence, onsetAllEvidence,
		besideEvidence, joinEvidence, startEvidence, countersEvidence, streamEvidence, absenceEvidence, controlEvidence, spaceEvidence, callerEvidence, answeredEvidence, loopEvidence}
}

// What makes a pattern.
const (
	enough     = 5                // records below which nothing is a pattern
	nearlyAll  = 0.9              // a share
	quick      = 5                // milliseconds that nobody worked
	beforehand = 30 * time.Second // how long errors in front of an ejection count
)

// A scene is a Delta laid out for questions about causes.
type scene struct {
	d         *Delta
	clusters  []cluster      // by id
	ofCause   [][]failedCell // by id of the cause, then by time
	byCluster [][]failedCell // by id, then by time
	good      []goodStep     // by time
	goodOf    [][]goodStep   // by id of the cluster, then by time
	layout    string         // of times
	shown     span           // the time that pictures show
	join      joined
	joining   bool
	blind     bool // successes were not asked for: nothing is known of them
	selected  bool // records were chosen by what they are
	cut       bool // the log goes on
}

type goodStep struct {
	at      int64
	cluster uint16
	n       uint64
}

func newScene(d *Delta, cells []failedCell, opt ReportOptions, s *Span) *scene {
	c := &scene{d: d, layout: timeLayout(s), joining: !opt.Alone}
	c.clusters = d.clusterList()
	c.ofCause = partBy(cells, len(d.causes.list)+1, func(f *failedCell) uint16 { return f.cause })
	c.byCluster = partBy(cells, len(c.clusters), func(f *failedCell) uint16 { return f.cluster })
	c.good = make([]goodStep, 0, d.load.steps.used)
	for cluster, w := range d.load.all {
		c.good = append(c.good, goodStep{w.begin, cluster, w.n})
	}
	slices.SortFunc(c.good, func(a, b goodStep) int { return cmp.Compare(a.at, b.at) })
	c.goodOf = partBy(c.good, len(c.clusters), func(g *goodStep) uint16 { return g.cluster })
	c.selected, c.cut = opt.Selected, opt.Cut
	c.blind = d.filtered() && len(c.good) == 0
	if c.joining {
		c.join = d.joins.join()
	}
	return c
}

// filtered says whether access records were left out because that was asked for.
func (d *Delta) filtered() bool { return d.skipped[parser.Access].Records > 0 }

func (c *scene) clock(at int64) string { return utc(at).Format(c.layout) }

// An inquiry is about one group.
type inquiry struct {
	*scene
	g    *group
	id   uint16
	card *Card
}

// say adds evidence.
func (q *inquiry) say(kind string, count, of uint64, format string, args ...any) {
	q.card.Evidence = append(q.card.Evidence, Evidence{kind, fmt.Sprintf(format, args...), count, of})
}

// conclude makes a cause the group's verdict, if the catalogue has it.
func (q *inquiry) conclude(id string, confidence classify.Confidence) {
	cause := classify.Documented(id)
	if cause == nil || id == q.card.Verdict.Cause {
		return
	}
	side := cause.Side
	if side == classify.ClientProxy && q.mostly(parser.Inbound) {
		side = classify.ServerProxy
	}
	was := q.card.Verdict
	q.card.Verdict = Verdict{cause.ID, cause.Title, confidence.String(), cause.Severity.String(), side.String(), true}
	q.addRival(was.Cause)
}

// addRival names a cause that stays possible for all of the records.
func (q *inquiry) addRival(id string) {
	cause := classify.Documented(id)
	if cause == nil || slices.ContainsFunc(q.card.Rivals, func(r RivalCount) bool { return r.ID == id }) {
		return
	}
	q.card.Rivals = slices.Insert(q.card.Rivals, 0, RivalCount{ID: id, Title: cause.Title, Tell: q.tell(id), Count: q.g.access.all + q.g.events.all})
}

// tell is what the verdict's cause says about a rival.
func (q *inquiry) tell(id string) string {
	if cause := classify.Documented(q.card.Verdict.Cause); cause != nil {
		for _, r := range cause.Rivals {
			if r.ID == id {
				return r.Tell
			}
		}
	}
	return ""
}

func (q *inquiry) is(ids ...string) bool { return slices.Contains(ids, q.g.id()) }

// family says whether the group's cause is the named one or finer.
func (q *inquiry) family(id string) bool {
	return q.g.cause != nil && (q.g.cause.ID == id || q.g.cause.Parent == id)
}

// mostly says whether most records stood on that side.
func (q *inquiry) mostly(dir parser.Direction) bool {
	var n, all uint64
	for _, e := range q.g.tops[byCluster].list {
		all += e.count
		if q.direction(unpack(e.key.rest).cluster) == dir {
			n += e.count
		}
	}
	return 2*n > all
}

func (c *scene) direction(cluster uint16) parser.Direction {
	return parser.ClusterDirection(c.d.clusters.name(cluster))
}

// investigate asks everything that is asked about access records.
func (q *inquiry) investigate() {
	if q.g.access.failed == 0 {
		return
	}
	q.inTime()
	q.concentration()
	q.comesBack()
	q.oneNamespace()
	q.timeout()
	q.ejection()
	q.everyHost()
	q.everyPath()
	q.ownSidecar()
	q.fromAMomentOn()
	q.race()
	q.beside()
	q.oneCaller()
	q.replacedListeners()
	q.joined()
	q.controlPlane()
	q.refute()
}

// onset tells when failures began, if the log shows that they did not before.
func (q *inquiry) onset() {
	w, all := q.g.when, q.shown
	if !w.timed || !all.timed || q.g.access.failed < enough || w.first-all.first < int64(time.Minute) {
		return
	}
	q.say(onsetEvidence, q.g.access.failed, q.g.access.failed, "none in the %s before %s", length(time.Duration(w.first-all.first)), q.clock(w.first))
}

// steps are the group's failures by time.
func (q *inquiry) steps() (list []step) {
	for _, c := range q.ofCause[q.id] {
		if n := len(list); n > 0 && list[n-1].at.Equal(utc(c.at)) {
			list[n-1].failed += c.n
		} else {
			list = append(list, step{utc(c.at), c.n})
		}
	}
	return list
}

// concentration looks for one bad host and one bad proxy.
func (q *inquiry) concentration() {
	if best, count, all, _ := biggest(&q.g.tops[byHost]); all >= enough && float64(count) >= nearlyAll*float64(all) {
		q.oneHost(best, count, all)
	}
	if best, count, all, others := biggest(&q.g.tops[byProxy]); len(q.d.proxies.ends) > 1 && all >= enough && float64(count) >= nearlyAll*float64(all) {
		q.say(proxyEvidence, count, all, "one proxy of %d: %s reports %s of %s", max(len(q.d.proxies.ends), others+1), q.d.proxyName(uint16(best.key.rest)), number(count), number(all))
	}
}

// oneHost says how many hosts its cluster has, as far as they fail or answer.
func (q *inquiry) oneHost(best *entry, count, all uint64) {
	cluster := unpack(best.key.rest).cluster
	failing := uint64(0)
	for i := range q.g.tops[byHost].list {
		if unpack(q.g.tops[byHost].list[i].key.rest).cluster == cluster {
			failing++
		}
	}
	serving, more := q.d.fleet.hostsBeside(cluster, &q.g.tops[byHost])
	hosts, share := failing+uint64(serving), number(count)+" of "+number(all)+" failures"
	text := "one host: " + best.value() + " has " + share
	switch {
	case hosts > 1:
		known := strconv.FormatUint(hosts, 10)
		if more || q.mayHaveMissed(cluster, serving) {
			known += " or more"
		}
		text = "one host of " + known + ": " + best.value() + " has " + share
	case !q.blind:
		text += ", and no other host of its cluster was met"
	}
	if good, _ := q.succeeded(q.g.when, func(id uint16) bool { return id == cluster }); good > 0 {
		text += "; about " + plural(good, "request", "requests") + " of its cluster succeeded meanwhile"
	}
	q.say(hostEvidence, count, all, "%s", text)
}

// mayHaveMissed says whether a cluster may well have one more host that
// answers than the looks at some of its successes found.
func (q *inquiry) mayHaveMissed(cluster uint16, serving int) bool {
	looks := float64(q.goodBetween(cluster, ever())) / lookedEach
	hosts := float64(serving + 1)
	return hosts*math.Pow(1-1/hosts, looks) > 0.05
}

// biggest is the most frequent value, how often it was met for certain, how
// often all were, and how many others there are.
func biggest(t *top) (best *entry, count, all uint64, others int) {
	for i := range t.list {
		e := &t.list[i]
		all += e.count - e.excess
		if best == nil || e.count-e.excess > count || e.count-e.excess == count && e.value() < best.value() {
			best, count = e, e.count-e.excess
		}
	}
	return best, count, all, len(t.list) - 1
}

// goodBetween counts the successes of a cluster within a span, as far as the
// steps tell.
func (c *scene) goodBetween(cluster uint16, s span) (n uint64) {
	if !s.timed {
		return 0
	}
	for _, g := range c.goodOf[cluster] {
		if g.at+c.d.load.width() > s.first && g.at <= s.last {
			n += g.n
		}
	}
	return n
}

// succeeded is about how many requests of some clusters succeeded within a span:
// of a step at one of its ends the part that is in it. It is 0 when there are
// none in the steps between, and not known when there is no such step.
func (c *scene) succeeded(s span, of func(cluster uint16) bool) (n uint64, known bool) {
	width := c.d.load.width()
	if !s.timed || (floorDiv(s.last, width)-floorDiv(s.first-1, width)) < 2 {
		return 0, false
	}
	inner, parts := uint64(0), 0.0
	for id, steps := range c.goodOf {
		if len(steps) == 0 || !of(uint16(id)) {
			continue
		}
		for _, g := range steps {
			end := g.at + width
			if g.at >= s.first && end <= s.last {
				inner += g.n
			} else if end > s.first && g.at <= s.last {
				step := span{c.d.first, c.d.last, true}.within(g.at, width)
				part := float64(min(step.last, s.last)-max(step.first, s.first)+1) / float64(step.last-step.first+1)
				parts += float64(g.n) * min(max(part, 0), 1)
			}
		}
	}
	if inner == 0 {
		return 0, true
	}
	return inner + uint64(math.Round(parts)), true
}

// timeout looks for durations that a timer made. The timer of the client's
// load balancer and that of the application have causes of their own.
func (q *inquiry) timeout() {
	best, count, _, _ := biggest(&q.g.tops[byTimeout])
	if best == nil || count < enough || float64(count) < 0.6*float64(q.g.durations.n) {
		return
	}
	seconds := best.key.seconds()
	q.say(timeoutEvidence, count, q.g.durations.n, "%s of %s ended after %d.0 s: a timeout ended them", number(count), number(q.g.durations.n), seconds)
	switch {
	case q.is("client-disconnected") && (seconds == 30 || seconds == 60):
		q.conclude("request-timeout-by-lb", classify.Low)
	case q.is("upstream-closed") && q.mostly(parser.Inbound):
		q.conclude("app-closed-after-timeout", classify.Medium)
	}
}

// ejection looks for errors of the same cluster right before it had no
// healthy host left: outlier detection counts them. A cluster that goes on
// answering has hosts.
func (q *inquiry) ejection() {
	if !q.is("no-endpoints", "outlier-all-ejected") || q.d.cells.width() > int64(beforehand) {
		return
	}
	var errors, empty, good uint64
	for _, e := range q.g.tops[byCluster].list {
		cluster := unpack(e.key.rest).cluster
		until := int64(math.MinInt64) // errors up to here are counted
		for _, c := range q.byCluster[cluster] {
			if c.cause != q.id {
				continue
			}
			empty += c.n
			errors += q.errorsBetween(cluster, max(until, c.at-int64(beforehand)), c.at)
			until = c.at + 1
		}
		good += q.goodBetween(cluster, e.when)
	}
	if errors < enough || good > 10*empty {
		return
	}
	q.say(ejectionEvidence, errors, errors+empty, "%s of the same clusters within %d s before: outlier detection may have ejected every host",
		plural(errors, "error", "errors"), int(beforehand.Seconds()))
	q.conclude("outlier-all-ejected", classify.Medium)
}

// errorsBetween counts the failures of a cluster that outlier detection would
// count, in the cells from one time to another.
func (q *inquiry) errorsBetween(cluster uint16, from, to int64) (n uint64) {
	list := q.byCluster[cluster]
	i, _ := slices.BinarySearchFunc(list, from, func(c failedCell, at int64) int { return cmp.Compare(c.at, at) })
	for _, c := range list[i:] {
		if c.at > to {
			break
		}
		if c.cause != q.id && c.code >= 500 && c.code != noCode {
			n += c.n
		}
	}
	return n
}

// met says whether the stream holds records of a cause.
func (c *scene) met(id string) bool {
	i, ok := c.d.causes.ids[id]
	return ok && !c.d.causes.of(i).empty()
}

type around struct{ before, during uint64 }

// goodAround counts the successes of a cluster before a span and well within
// it: the steps at its two ends may hold some of what is outside.
func (c *scene) goodAround(cluster uint16, s span) (a around) {
	for _, g := range c.goodOf[cluster] {
		switch {
		case g.at <= s.first:
			a.before += g.n
		case g.at+c.d.load.width() <= s.last:
			a.during += g.n
		}
	}
	return a
}

// clusterNames are the group's most frequent clusters.
func (q *inquiry) clusterNames() string {
	list := q.card.Clusters
	names := make([]string, 0, 2)
	for _, v := range list[:min(len(list), 2)] {
		names = append(names, hostOf(v.Value))
	}
	if n := len(list) - len(names); n > 0 {
		names = append(names, unlisted(n, len(list), maxTop, "more", "more"))
	}
	return strings.Join(names, " and ")
}

// joined says what the join found.
func (q *inquiry) joined() {
	if !q.joining {
		return
	}
	if n := q.card.Consequences; n > 0 {
		names := make([]string, 0, len(q.card.ExplainedBy))
		for _, by := range q.card.ExplainedBy {
			names = append(names, fmt.Sprintf("%s %s", number(by.Count), by.Name))
		}
		q.say(joinEvidence, n, q.card.Failed, "%s of %s are explained by another proxy's record of the same request: %s", number(n), number(q.card.Failed), strings.Join(names, ", "))
	}
	if n := min(q.join.alone[q.id], q.card.Failed); n > 0 {
		q.say(joinEvidence, n, q.card.Failed, "%s of %s could not be joined: the upstream's own records are not in the input", number(n), number(q.card.Failed))
	}
}

// controlPlane tells of a control plane that was gone when failures began.
func (q *inquiry) controlPlane() {
	gone, ok := q.d.controlPlaneGone()
	if !ok || !q.g.when.timed || gone.first > q.g.when.first+int64(time.Minute) || gone.last < q.g.when.first-int64(10*time.Minute) {
		return
	}
	q.say(controlEvidence, 1, 1, "the control plane is unreachable since %s", q.clock(gone.first))
}

// controlPlaneGone is when the control plane was told to be gone.
func (d *Delta) controlPlaneGone() (s span, ok bool) {
	for i := range d.lives {
		l := &d.lives[i]
		for _, m := range []milestone{streamDown, proxyEmpty} {
			if o := l.times[m]; o.when.timed && (m == streamDown || o.n >= 3) {
				s.merge(o.when)
			}
		}
	}
	return s, s.timed
}
