package sinks

import (
	"cmp"
	"slices"
	"strings"
	"time"

	"github.com/flagwatch/flagwatch/classify"
	"github.com/flagwatch/flagwatch/parser"
)

// An application's own 4xx is no failure. But what had succeeded and is
// declined from a moment on is worth a notice.

// deniedLength is how many bytes Envoy's body "RBAC: access denied" has.
// Source: https://istio.io/latest/docs/tasks/security/authorization/authz-http/
const deniedLength = 19

// asDenied stands in a sort's flags for answers of that length.
const asDenied = 1

const (
	usualPart = 0.1 // share of the requests before that is usual
	enoughNow = 2 * enough
)

// addDeclined counts a 4xx that is no failure. Its sort is that of the answers
// of any length; 0: not known yet.
func (d *Delta) addDeclined(r *parser.Record, cluster, code uint16, sort *uint16, at int64) {
	k := key{rest: packPlain(cluster, code, noName, 0)}
	if code == 403 {
		if sent, ok := r.Int(parser.BytesSent); ok && sent == deniedLength {
			k.flags = asDenied
			d.declined.add(d.declined.sort(k), at)
			return
		}
	}
	if *sort == 0 {
		*sort = d.declined.sort(k)
	}
	d.declined.add(*sort, at)
}

// A refusal is what became of a cluster's requests in time.
type refusal struct {
	cluster, code uint16
	denied        uint64        // answers as long as that of a policy
	steps         []declinedNow // by time
}

// A declinedNow is how many requests were declined in a step.
type declinedNow struct {
	step int64
	n    uint64
}

type turnout struct{ declined, all uint64 }

// declined looks for clusters of which nearly every request gets the same 4xx
// from a moment on, and did not before.
func (c *scene) declined() (list []Hint) {
	width := max(c.d.declined.width(), c.d.load.width(), c.d.cells.width())
	for _, r := range c.refusals(width) {
		if len(r.steps) == 0 {
			continue
		}
		at, last, after, before, ok := c.declinedFrom(r, width)
		if !ok {
			continue
		}
		since := "from " + c.clock(at*width) + " on"
		if end := (last + 1) * width; end+int64(time.Minute) < c.shown.last {
			since = "from " + c.clock(at*width) + " to " + c.clock(end)
		}
		id, confidence, why, look := r.likely(c.d.clusters.label(r.cluster, ""))
		list = append(list, c.hint(id, confidence, after.declined, after.all,
			"%s of %s to %s are answered with %d %s; %s of %s before. %s Look at: %s", number(after.declined), plural(after.all, "request", "requests"),
			clusterShort(c.d.clusters.label(r.cluster, "")), r.code, since, number(before.declined), number(before.all), why, look)...)
	}
	slices.SortFunc(list, func(a, b Hint) int { return cmp.Or(cmp.Compare(b.Count, a.Count), cmp.Compare(a.Text, b.Text)) })
	return list
}

// refusals are the clusters with a 4xx, each with its steps.
func (c *scene) refusals(width int64) map[uint32]*refusal {
	all := map[uint32]*refusal{}
	sorts := c.d.declined.sorts
	ofSort := make([]*refusal, len(sorts))
	for i, k := range sorts {
		o := unpack(k.rest)
		if o.cluster < firstName {
			continue
		}
		id := uint32(o.cluster)<<16 | uint32(o.code)
		if all[id] == nil {
			all[id] = &refusal{cluster: o.cluster, code: o.code}
		}
		ofSort[i] = all[id]
	}
	for id, w := range c.d.declined.all {
		r := ofSort[id]
		if r == nil {
			continue
		}
		r.steps = append(r.steps, declinedNow{floorDiv(w.begin, width), w.n})
		if sorts[id].flags == asDenied {
			r.denied += w.n
		}
	}
	for _, r := range all {
		slices.SortFunc(r.steps, func(a, b declinedNow) int { return cmp.Compare(a.step, b.step) })
	}
	return all
}

// declinedFrom is the first step from which on, up to the last refusal, nearly
// all requests are declined, and few of those before; the step itself may hold
// some of both and counts as neither.
func (c *scene) declinedFrom(r *refusal, width int64) (at, last int64, after, before turnout, ok bool) {
	total := r.total()
	last = r.steps[len(r.steps)-1].step
	whole := c.requestsOf(r.cluster).until((last + 1) * width)
	seen := c.requestsOf(r.cluster)
	for steps := r.steps; len(steps) > 0; {
		step, declined := steps[0].step, uint64(0)
		for len(steps) > 0 && steps[0].step == step {
			declined += steps[0].n
			steps = steps[1:]
		}
		before.all = seen.until(step * width)
		after = turnout{total - before.declined - declined, whole - seen.until((step+1)*width)}
		if before.all >= enoughNow && float64(before.declined) <= usualPart*float64(before.all) &&
			after.declined >= enoughNow && float64(after.declined) >= nearlyAll*float64(after.all) {
			return step, last, turnout{after.declined + declined, after.all + declined}, before, true
		}
		before.declined += declined
	}
	return 0, last, after, before, false
}

// A progress counts a cluster's requests as time goes on.
type progress struct {
	good   []goodStep   // still to come
	failed []failedCell // the same
	n      uint64
}

func (c *scene) requestsOf(cluster uint16) *progress {
	return &progress{good: c.goodOf[cluster], failed: c.byCluster[cluster]}
}

// until is how many requests came before a time, which is no earlier than the
// one before.
func (p *progress) until(at int64) uint64 {
	for ; len(p.good) > 0 && p.good[0].at < at; p.good = p.good[1:] {
		p.n += p.good[0].n
	}
	for ; len(p.failed) > 0 && p.failed[0].at < at; p.failed = p.failed[1:] {
		p.n += p.failed[0].n
	}
	return p.n
}

// likely is what the answers may come from, and the command that shows it.
func (r *refusal) likely(cluster string) (id string, confidence classify.Confidence, why, look string) {
	in := namespaceFlag(cluster)
	switch {
	case r.code == 403 && 10*r.denied >= 9*r.total():
		return "rbac-denied", classify.Medium, "The answers have 19 bytes, as \"RBAC: access denied\" has: an AuthorizationPolicy began to deny.", "kubectl get authorizationpolicies" + in
	case r.code == 401:
		return "jwt-missing", classify.Low, "A policy began to ask for a token, or the application did.", "kubectl get requestauthentications,authorizationpolicies" + in
	case r.code == 429:
		return "rate-limited-local", classify.Low, "A rate limit is reached, the application's or that of its proxy.", "kubectl get envoyfilters" + in
	case r.code == 404:
		return "route-missing", classify.Low, "The next proxy has no route for them any more, or the application changed.", "kubectl get virtualservices,httproutes" + in
	}
	return "", classify.Low, "The application changed what it accepts, or something in front of it did: its own log tells.", "kubectl get authorizationpolicies,envoyfilters" + in
}

// namespaceFlag is for kubectl, from a cluster like outbound|80||cart.shop.svc.cluster.local.
func namespaceFlag(cluster string) string {
	if space := serviceNamespace(cluster[strings.LastIndexByte(cluster, '|')+1:]); space != "" {
		return " -n " + space
	}
	return " -A"
}

func (r *refusal) total() (n uint64) {
	for _, s := range r.steps {
		n += s.n
	}
	return n
}
