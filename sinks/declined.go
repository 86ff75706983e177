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

// addDeclined counts a 4xx that is no failure.
func (d *Delta) addDeclined(r *parser.Record, cluster, code uint16, at int64, timed bool) {
	if !timed {
		return
	}
	k := key{rest: packPlain(cluster, code, noName, 0)}
	if sent, ok := r.Number(parser.BytesSent); ok && sent == deniedLength && code == 403 {
		k.flags = asDenied
	}
	d.declined.add(d.declined.sort(k), at)
}

// A refusal is what became of a cluster's requests in time.
type refusal struct {
	cluster, code uint16
	denied        uint64 // answers as long as that of a policy
	steps         map[int64]*turnout
}

type turnout struct{ declined, all uint64 }

// declined looks for clusters of which nearly every request gets the same 4xx
// from a moment on, and did not before.
func (c *scene) declined() (list []Hint) {
	width := max(c.d.declined.width(), c.d.load.width(), c.d.cells.width())
	for _, r := range c.refusals(width) {
		at, last, after, before, ok := r.onset()
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

// refusals lay the steps of clusters with a 4xx side by side.
func (c *scene) refusals(width int64) map[uint32]*refusal {
	all := map[uint32]*refusal{}
	ofCluster := map[uint16][]*refusal{}
	for k, w := range c.d.declined.each {
		o := unpack(k.rest)
		if o.cluster < firstName {
			continue
		}
		id := uint32(o.cluster)<<16 | uint32(o.code)
		r := all[id]
		if r == nil {
			r = &refusal{cluster: o.cluster, code: o.code, steps: map[int64]*turnout{}}
			all[id] = r
			ofCluster[o.cluster] = append(ofCluster[o.cluster], r)
		}
		r.at(floorDiv(w.begin, width)).declined += w.n
		if k.flags == asDenied {
			r.denied += w.n
		}
	}
	for _, g := range c.good {
		for _, r := range ofCluster[g.cluster] {
			r.at(floorDiv(g.at, width)).all += g.n
		}
	}
	for _, f := range c.cells {
		for _, r := range ofCluster[f.cluster] {
			r.at(floorDiv(f.at, width)).all += f.n
		}
	}
	return all
}

func (r *refusal) at(step int64) *turnout {
	t := r.steps[step]
	if t == nil {
		t = new(turnout)
		r.steps[step] = t
	}
	return t
}

// onset is the first step from which on, up to the last refusal, nearly all
// requests are declined, and few of those before; the step itself may hold
// some of both and counts as neither.
func (r *refusal) onset() (at, last int64, after, before turnout, ok bool) {
	steps := make([]int64, 0, len(r.steps))
	for s, t := range r.steps {
		if t.declined > 0 {
			steps = append(steps, s)
		}
	}
	slices.Sort(steps)
	last = steps[len(steps)-1]
	every := make([]int64, 0, len(r.steps))
	for s := range r.steps {
		if s <= last {
			every = append(every, s)
			after.add(*r.steps[s])
		}
	}
	slices.Sort(every)
	for _, s := range every {
		t := *r.steps[s]
		after.declined, after.all = after.declined-t.declined, after.all-t.all
		if t.declined > 0 && before.all >= enoughNow && float64(before.declined) <= usualPart*float64(before.all) &&
			after.declined >= enoughNow && float64(after.declined) >= nearlyAll*float64(after.all) {
			after.add(t.mostly())
			return s, last, after, before, true
		}
		before.add(t)
	}
	return 0, last, after, before, false
}

// mostly is the part of the first step that is declined.
func (t turnout) mostly() turnout { return turnout{t.declined, t.declined} }

func (t *turnout) add(o turnout) { t.declined, t.all = t.declined+o.declined, t.all+o.all }

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
	for _, t := range r.steps {
		n += t.declined
	}
	return n
}
