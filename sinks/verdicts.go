package sinks

import (
	"slices"
	"time"

	"github.com/flagwatch/flagwatch/classify"
	"github.com/flagwatch/flagwatch/parser"
)

// The group's verdict about events: what one record leaves open, the other
// records of the same proxies decide.

const (
	startTime   = 30 * time.Second // how long a proxy may take to be ready
	routineGap  = 10 * time.Minute // streams that end less often are renewed as planned
	longestGone = 30               // seconds without a control plane that are no renewal
)

// investigateEvents asks everything that is asked about events.
func (q *inquiry) investigateEvents() {
	if q.g.events.all == 0 {
		return
	}
	switch {
	case q.shutDown(), q.startedWell(), q.toldTwice(), q.explainedByLog(), q.saidWhy():
	case q.family("control-plane-unreachable"), q.is("control-plane-recycled"):
		if !q.refusedInstead() {
			q.streams()
		}
	case q.family("config-rejected"):
		q.received()
	case q.family("bootstrap-rejected"):
		q.crashLoop()
	}
}

// toldTwice says whether the refusal of a listener is the one that ended the
// start: then the proxy tells one fault twice.
func (q *inquiry) toldTwice() bool {
	best := q.biggestOf("bootstrap-rejected")
	if best == nil || !q.family("config-rejected") || !all(q.witnesses(), (*witness).ended) {
		return false
	}
	q.say(countersEvidence, q.g.events.all, q.g.events.all, "the start ended with it: see %s", best.id())
	q.card.Fold = foldExplained
	return true
}

// ended says whether the proxy refused its bootstrap right after each of the
// records.
func (w *witness) ended() bool {
	broken := w.times[proxyBroken]
	if broken.n == 0 || w.n > broken.n && w.has(proxyWorking) {
		return false
	}
	return !w.when.timed || !broken.when.timed || w.when.first >= broken.when.first-int64(moment) && w.when.last <= broken.when.last
}

// A witness is a proxy that reported a group's records.
type witness struct {
	*life
	id   uint16
	when span // of the records
	n    uint64
}

func (q *inquiry) witnesses() (list []witness) {
	for i := range q.g.tops[byProxy].list {
		e := &q.g.tops[byProxy].list[i]
		l := new(life)
		if id := int(e.key.rest); id < len(q.d.lives) {
			l = &q.d.lives[id]
		}
		list = append(list, witness{l, uint16(e.key.rest), e.when, e.count})
	}
	return list
}

// all says whether something holds for all proxies of the group, and there
// are any.
func all(list []witness, holds func(*witness) bool) bool {
	for i := range list {
		if !holds(&list[i]) {
			return false
		}
	}
	return len(list) > 0
}

// routine makes the verdict harmless.
func (q *inquiry) routine() {
	q.card.Fold = foldRoutine
	q.card.Verdict.Severity = classify.Info.String()
}

// shutDown says whether all of it came after the proxies were asked to end.
func (q *inquiry) shutDown() bool {
	list := q.witnesses()
	if q.is("draining", "drain-cut-connections") || !all(list, func(w *witness) bool {
		drain := w.times[proxyDraining]
		return drain.when.timed && w.when.timed && w.when.first >= drain.when.first && !w.started(drain.when.first)
	}) {
		return false
	}
	q.say(startEvidence, q.g.events.all, q.g.events.all, "all of it came after the proxy was asked to end")
	q.routine()
	return true
}

// started says whether the proxy began again after a time.
func (l *life) started(after int64) bool {
	s := l.times[proxyStarted].when
	return s.timed && s.last > after
}

// startedWell says whether proxies were not ready for a moment only: that is
// how each of them starts.
func (q *inquiry) startedWell() bool {
	list := q.witnesses()
	if q.g.events.all > 3*uint64(len(list)) && q.lasts() > startTime || !all(list, (*witness).ripened) {
		return false
	}
	longest := time.Duration(0)
	for _, w := range list {
		longest = max(longest, w.unready())
	}
	if longest > startTime {
		q.say(startEvidence, q.g.events.all, q.g.events.all, "not ready %s, and ready soon after each: normal starts", plural(q.g.events.all, "time", "times"))
	} else {
		q.say(startEvidence, q.g.events.all, q.g.events.all, "not ready for %s, then ready: a normal start", length(longest))
	}
	q.routine()
	return true
}

// ripened says whether all that the proxy reported is that it was not ready
// yet, and soon it was.
func (w *witness) ripened() bool {
	notReady := w.times[proxyNotReady]
	if notReady.n < w.n || !notReady.when.timed || w.has(streamDown) || w.unready() > startTime && notReady.n > 3*w.times[proxyReady].n {
		return false
	}
	return w.settled()
}

// settled says whether the proxy got ready in the end.
func (l *life) settled() bool {
	return l.after(proxyReady, proxyNotReady) || l.after(proxyWorking, proxyNotReady)
}

// unready is how long the proxy was told not to be ready.
func (w *witness) unready() time.Duration {
	when := w.times[proxyNotReady].when
	return time.Duration(when.last - when.first)
}

// lasts is how long the group's records go on.
func (q *inquiry) lasts() time.Duration { return time.Duration(q.g.when.last - q.g.when.first) }

// explainedByLog lets the proxy's own log explain what Kubernetes only sees
// from outside.
func (q *inquiry) explainedByLog() bool {
	var families []string
	switch {
	case q.is("sidecar-crashloop-unspecified"):
		families = []string{"bootstrap-rejected", "envoy-exited", "envoy-oom", "fd-limit-crash"}
	case q.is("sidecar-not-ready-unspecified", "proxy-start-timeout"):
		families = []string{"control-plane-unreachable", "config-rejected", "warming-stuck", "bootstrap-rejected", "workload-cert-not-issued", "control-plane-auth"}
	}
	for _, name := range families {
		if best := q.biggestOf(name); best != nil {
			q.say(countersEvidence, best.events.all, best.events.all, "the proxy's own log says why: %s of %s", plural(best.events.all, "record", "records"), best.id())
			q.conclude(best.id(), classify.Medium)
			return true
		}
	}
	return false
}

// Reasons that a proxy's own log gives for not being ready.
var (
	whyEmpty = []string{"root-cert-missing", "token-missing", "control-plane-auth", "ca-root-mismatch", "control-plane-unreachable", "certificate-expired",
		"node-id-malformed", "bootstrap-rejected"}
	whyWarming = []string{"workload-cert-not-issued", "control-plane-auth", "control-plane-unreachable", "root-cert-missing", "token-missing", "ca-not-ready", "config-rejected"}
)

// saidWhy says whether records that tell only that a proxy is not ready are
// explained by others of the same proxies: then they are the same fault.
func (q *inquiry) saidWhy() bool {
	families := whyEmpty
	switch {
	case q.is("warming-stuck"):
		families = whyWarming
	case !q.is("control-plane-unreachable"):
		return false
	}
	list := q.witnesses()
	if !all(list, func(w *witness) bool { return w.times[proxyNotReady].n >= w.n }) {
		return false
	}
	for _, name := range families {
		if why := q.reportedBy(name, list); why != nil {
			q.say(countersEvidence, q.g.events.all, q.g.events.all, "the same proxies say why: see %s", why.id())
			q.card.Fold = foldExplained
			return true
		}
	}
	return false
}

// reportedBy is the group of a family, other than this one, that each of the
// proxies has records of.
func (q *inquiry) reportedBy(family string, list []witness) (best *group) {
	for _, g := range q.d.causes.list {
		if g == q.g || g.events.all == 0 || g.cause == nil || g.cause.ID != family && g.cause.Parent != family || best != nil && best.events.all >= g.events.all {
			continue
		}
		if all(list, func(w *witness) bool {
			return slices.ContainsFunc(g.tops[byProxy].list, func(e entry) bool { return e.key.rest == uint64(w.id) })
		}) {
			best = g
		}
	}
	return best
}

// biggestOf is the group with the most events of a family.
func (c *scene) biggestOf(family string) (best *group) {
	for _, g := range c.d.causes.list {
		if g.events.all > 0 && g.cause != nil && (g.cause.ID == family || g.cause.Parent == family) && (best == nil || g.events.all > best.events.all) {
			best = g
		}
	}
	return best
}

// refusedInstead says whether the counters of a proxy that is not ready show
// that it was reached and refused what it got.
func (q *inquiry) refusedInstead() bool {
	refused, empty := q.counters()
	if refused == 0 || empty > refused || !q.is("control-plane-unreachable") {
		return false
	}
	q.say(countersEvidence, refused, refused+empty, "its counters show refused updates in %s: the control plane was reached", plural(refused, "record", "records"))
	q.conclude("config-rejected", classify.High)
	return true
}

// counters are how many readiness records show refused updates, and how many
// nothing at all.
func (q *inquiry) counters() (refused, empty uint64) {
	for _, w := range q.witnesses() {
		refused += w.times[proxyRefused].n
		empty += w.times[proxyEmpty].n
	}
	return refused, empty
}

// received says what became of a proxy that refused an update.
func (q *inquiry) received() {
	if refused, _ := q.counters(); refused > 0 {
		q.say(countersEvidence, refused, q.g.events.all, "not ready, and its counters show refused updates in %s", plural(refused, "record", "records"))
		q.card.Verdict.Confidence = classify.High.String()
	}
	if list := q.witnesses(); all(list, func(w *witness) bool { return w.has(proxyWorking) || w.has(proxyReady) }) {
		q.say(countersEvidence, uint64(len(list)), uint64(len(list)), "the proxy runs on with the last configuration that it accepted")
	}
}

// crashLoop counts the starts that failed.
func (q *inquiry) crashLoop() {
	for _, w := range q.witnesses() {
		if n := w.times[proxyBroken].n; n >= 2 {
			q.say(streamEvidence, n, n, "%s refused its bootstrap %d times: it exits and is started again", q.d.proxyName(w.id), n)
			return
		}
	}
}

// streams tells a control plane that is gone from streams that are renewed as
// planned: those end now and then, and come back at once.
func (q *inquiry) streams() {
	list := q.witnesses()
	var ends, back uint64
	var down int64
	for i := range list {
		ends += list[i].times[streamClosed].n
		back += list[i].times[proxyConnected].n
		down = max(down, list[i].down)
	}
	_, empty := q.counters()
	if empty > 0 {
		q.say(countersEvidence, empty, q.g.events.all, "not ready, nothing received and nothing refused, in %s", plural(empty, "record", "records"))
	}
	switch {
	case down >= longestGone:
		q.say(streamEvidence, ends, ends, "the stream to the control plane is gone for %s, told %s", length(time.Duration(down)*time.Second), plural(ends, "time", "times"))
		q.outage(classify.High)
	case ends == 0:
		q.longUnready(empty)
	case !q.is("control-plane-unreachable", "control-plane-recycled", "control-plane-connection-reset", "control-plane-no-healthy-upstream"):
	case all(list, (*witness).renewed):
		q.say(streamEvidence, ends, ends, "the stream ended %s, with %s: renewed as planned", plural(ends, "time", "times"), plural(back, "reconnect", "reconnects"))
		q.conclude("control-plane-recycled", classify.High)
		q.routine()
	case ends >= 2:
		q.say(streamEvidence, ends, ends, "the stream ended %s within %s and did not come back", plural(ends, "time", "times"), length(q.lasts()))
		q.outage(classify.Medium)
	}
}

// outage makes the control plane's absence the verdict, unless the records
// name a finer cause.
func (q *inquiry) outage(c classify.Confidence) {
	if q.is("control-plane-recycled") {
		q.conclude("control-plane-unreachable", c)
	} else if q.card.Verdict.Confidence != classify.High.String() {
		q.card.Verdict.Confidence = c.String()
	}
}

// longUnready judges a group that has nothing but readiness records.
func (q *inquiry) longUnready(empty uint64) {
	if empty >= 3 || q.lasts() > startTime {
		q.card.Verdict.Confidence = classify.High.String()
	}
}

// renewed says whether a proxy's streams ended as rarely as planned ones do,
// or came back every time.
func (w *witness) renewed() bool {
	ends, back := w.times[streamClosed], w.times[proxyConnected]
	switch {
	case w.has(proxyEmpty) && !w.settled():
		return false
	case ends.n <= 1:
		return true
	case back.n >= ends.n && w.after(proxyConnected, streamClosed):
		return true
	}
	return ends.when.timed && (ends.when.last-ends.when.first)/int64(ends.n-1) >= int64(routineGap)
}

// addAbsent judges proxies by what never came: one that started and got no
// configuration says nothing for a while.
func (c *scene) addAbsent(cards []Card) []Card {
	waiting := c.d.lives.ids(func(l *life) bool { _, ok := l.absent(); return ok })
	waiting = slices.DeleteFunc(waiting, func(id uint16) bool { return c.d.serves(id) })
	if len(waiting) == 0 || c.biggestOf("bootstrap-rejected") != nil {
		return cards
	}
	longest := time.Duration(0)
	for _, id := range waiting {
		waited, _ := c.d.lives[id].absent()
		longest = max(longest, waited)
	}
	text := "the main loop started and no workers followed, up to the end of the log"
	if longest >= startTime {
		text += ", " + length(longest) + " later"
	}
	e := Evidence{absenceEvidence, text, uint64(len(waiting)), uint64(len(waiting))}
	for i := range cards {
		if best := c.biggestOf("control-plane-unreachable"); best != nil && cards[i].ID == best.id() {
			cards[i].Evidence = append(cards[i].Evidence, e)
			return cards
		}
	}
	if cause := classify.Documented("control-plane-unreachable"); cause != nil && c.explainsStart() == "" {
		cards = append(cards, c.absentCard(cause, waiting, e))
	}
	return cards
}

// explainsStart is the id of another cause that keeps a proxy from starting.
func (c *scene) explainsStart() string {
	for _, name := range []string{"config-rejected", "warming-stuck", "workload-cert-not-issued", "envoy-exited", "control-plane-auth"} {
		if g := c.biggestOf(name); g != nil {
			return g.id()
		}
	}
	return ""
}

// serves says whether requests show that a proxy works.
func (d *Delta) serves(proxy uint16) bool {
	id := d.places.known(d.proxies.name(proxy))
	if id >= firstName && int(id) < len(d.byPlace) {
		return d.byPlace[id].Access > 0
	}
	return d.kinds[parser.Access].Records > 0
}

func (c *scene) absentCard(cause *classify.Cause, waiting []uint16, e Evidence) Card {
	card := Card{ID: cause.ID, Waiting: uint64(len(waiting)), Sides: []NamedCount{}, Confidence: []NamedCount{}, Rivals: []RivalCount{}, Outcomes: []OutcomeCount{},
		Clusters: []ValueCount{}, Traffic: []Traffic{}, Callers: []ValueCount{}, Hosts: []ValueCount{}, Routes: []ValueCount{}, Authorities: []ValueCount{}, Paths: []ValueCount{}, Clients: []ValueCount{}, ServerNames: []ValueCount{},
		Details: []ValueCount{}, Reasons: []ValueCount{}, Proxies: []ValueCount{}, Timeouts: []TimeoutCount{}, Trend: []uint64{}, ExplainedBy: []NamedCount{}, Samples: []CauseSample{},
		Evidence: []Evidence{e}}
	card.explain(cause)
	card.Side = cause.Side.String()
	card.Verdict = Verdict{cause.ID, cause.Title, classify.Medium.String(), card.Severity, card.Side, true}
	values := map[string]string{}
	for _, id := range waiting {
		start := c.d.lives[id].times[proxyStarted].when
		card.Proxies = append(card.Proxies, ValueCount{Value: c.d.proxyName(id), Count: 1, First: start.begin(), Last: start.end()})
		card.First, card.Last = start.begin(), start.end()
		values["namespace"], values["pod"], values["container"], _ = c.d.proxyParts(id)
	}
	if rival := classify.Documented("warming-stuck"); rival != nil {
		card.Rivals = append(card.Rivals, RivalCount{ID: rival.ID, Title: rival.Title, Count: card.Waiting})
	}
	card.Next = commands(cause, nil, values)
	card.IfEmpty = emptyMean(card.Next)
	return card
}
