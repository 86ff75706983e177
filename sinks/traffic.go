package sinks

import (
	"cmp"
	"slices"
	"strconv"
	"strings"

	"github.com/flagwatch/flagwatch/parser"
)

// maxServices is how many services a report names with their own traffic.
const maxServices = 16

// A Traffic is how many of a service's own requests failed, as the proxies saw
// it that call the service. Subsets of a service are counted together.
type Traffic struct {
	Service  string  `json:"service"` // service.namespace:port, or what its cluster is called
	Requests uint64  `json:"requests"`
	Failed   uint64  `json:"failed"`
	Share    float64 `json:"share"`
}

// services are those with the most failed requests. There are none when
// records were chosen by what they are: then nobody knows the others.
func (r *Report) services() []Traffic {
	sums := map[string]counts{}
	for _, t := range r.Clusters {
		if isService(t.Name) {
			c := sums[clusterShort(t.Name)]
			c.plus(counts{t.Count, t.Failed})
			sums[clusterShort(t.Name)] = c
		}
	}
	list := []Traffic{}
	for name, c := range sums {
		if c.failed > 0 && !r.Selected {
			list = append(list, Traffic{name, c.all, c.failed, share(c.failed, c.all)})
		}
	}
	sortBy(list, func(t Traffic) uint64 { return t.Failed }, func(t Traffic) string { return t.Service })
	return list[:min(len(list), maxServices)]
}

// isService says whether a cluster is one that a proxy calls.
func isService(cluster string) bool {
	return cluster != noCluster && cluster != other && parser.ClusterDirection([]byte(cluster)) != parser.Inbound
}

// traffic sets what the cause did to the services that it hit, and how many
// requests to them succeeded well within its time.
func (c *scene) traffic(card *Card, g *group, total *sum) {
	card.Traffic = []Traffic{}
	if c.selected || g.access.failed == 0 {
		return
	}
	meanwhile, known := uint64(0), false
	for i := range g.tops[byCluster].list {
		e := &g.tops[byCluster].list[i]
		id := unpack(e.key.rest).cluster
		cluster := c.d.clusters.label(id, noCluster)
		if !isService(cluster) {
			continue
		}
		name := clusterShort(cluster)
		at := slices.IndexFunc(card.Traffic, func(t Traffic) bool { return t.Service == name })
		if at < 0 {
			at = len(card.Traffic)
			card.Traffic = append(card.Traffic, Traffic{Service: name, Requests: total.ofService(name)})
		}
		card.Traffic[at].Failed += e.count - e.excess
		if g.when.timed && !c.blind {
			meanwhile, known = meanwhile+c.goodAround(id, g.when).during, true
		}
	}
	for i := range card.Traffic {
		t := &card.Traffic[i]
		t.Failed = min(t.Failed, t.Requests)
		t.Share = share(t.Failed, t.Requests)
	}
	sortBy(card.Traffic, func(t Traffic) uint64 { return t.Failed }, func(t Traffic) string { return t.Service })
	if known {
		card.Meanwhile = &meanwhile
	}
}

// ofService is how many records the clusters of a service have.
func (s *sum) ofService(name string) (n uint64) {
	if s.services == nil {
		s.services = map[string]uint64{}
		for cluster, c := range s.clusters {
			if isService(cluster) {
				s.services[clusterShort(cluster)] += c.all
			}
		}
	}
	return s.services[name]
}

// callersOf are the workloads whose proxies report a cause as the ones that
// call. What an input without the name of a pod tells of them is not known.
func (c *scene) callersOf(g *group) []ValueCount {
	sums := map[string]ValueCount{}
	add := func(proxy uint16, e *entry) {
		namespace, pod, _, _ := c.d.proxyParts(proxy)
		if pod == "" {
			return
		}
		name := strings.TrimPrefix(namespace+"/"+workloadOf(pod), "/")
		v := sums[name]
		v.Value, v.Count, v.Excess = name, v.Count+e.count, v.Excess+e.excess
		sums[name] = v
	}
	inbound, dim := c.mostlyInbound(g), byProxy
	if inbound {
		dim = byClient
	}
	for i := range g.tops[dim].list {
		e := &g.tops[dim].list[i]
		if !inbound {
			add(uint16(e.key.rest), e)
		} else if proxy, ok := c.d.fleet.homeOf(e.value()); ok {
			add(proxy, e)
		}
	}
	list := []ValueCount{}
	for _, v := range sums {
		list = append(list, v)
	}
	sortBy(list, func(v ValueCount) uint64 { return v.Count - v.Excess }, func(v ValueCount) string { return v.Value })
	return list
}

func (c *scene) mostlyInbound(g *group) bool {
	q := inquiry{scene: c, g: g}
	return q.mostly(parser.Inbound)
}

// serviceOf is the service that the hosts of a cause belong to, as the proxies
// that call it name it; "" when that is not one. A proxy in front of an
// application knows only the port.
func (c *scene) serviceOf(g *group) string {
	found := ""
	for i := range g.tops[byHost].list {
		e := &g.tops[byHost].list[i]
		if c.direction(unpack(e.key.rest).cluster) != parser.Inbound {
			return ""
		}
		cluster := c.d.clusterAt(e.value())
		if cluster == "" || found != "" && clusterShort(found) != clusterShort(cluster) {
			return ""
		}
		found = cluster
	}
	return found
}

// clusterAt is the one service that proxies call at an address; of several
// subsets any.
func (d *Delta) clusterAt(host string) string {
	found, hash := "", hashID([]byte(host))
	note := func(cluster string) bool {
		if !strings.HasPrefix(cluster, "outbound|") {
			return true
		}
		one := found == "" || clusterShort(found) == clusterShort(cluster)
		found = cmp.Or(found, cluster)
		return one
	}
	for id := range d.fleet.clusters {
		s := &d.fleet.clusters[id]
		if slices.Contains(s.hosts[:s.numHost], hash) && !note(d.clusters.label(uint16(id), "")) {
			return ""
		}
	}
	for i := range d.hosts.list {
		h := &d.hosts.list[i]
		if h.value() == host && !note(d.clusters.label(unpack(h.key.rest).cluster, "")) {
			return ""
		}
	}
	return found
}

// text is "reviews.shop:9080 104 of its 1,470 requests (7.1 %)".
func (t *Traffic) text() string {
	s := t.Service + " " + number(t.Failed) + " of its " + plural(t.Requests, "request", "requests")
	return strings.TrimSpace(s + " " + parenthesised(percent(t.Failed, t.Requests)))
}

// hit are the services with the most failures, and how the first cause's own
// fare meanwhile. A tenth of the most is no more than what always fails.
func (r *Report) hit(most int) (chunks []string) {
	n := 0
	for i := range r.Services {
		t := &r.Services[i]
		if 10*t.Failed < r.Services[0].Failed {
			break
		}
		if n++; n > most {
			continue
		}
		text := t.text()
		if r.allFail(t.Service) {
			text += ", none succeeded meanwhile"
		}
		chunks = append(chunks, text)
	}
	if n > most {
		chunks = append(chunks, strconv.Itoa(n-most)+" more")
	}
	return chunks
}

// allFail says whether no request to a service succeeded while the most
// important cause lasted.
func (r *Report) allFail(service string) bool {
	if len(r.Causes) == 0 {
		return false
	}
	c := &r.Causes[0]
	return c.Fold == "" && len(c.Traffic) == 1 && c.Traffic[0].Service == service && c.noneMeanwhile()
}

// noneMeanwhile says whether all requests to the cause's services failed while
// it lasted.
func (c *Card) noneMeanwhile() bool {
	return c.Meanwhile != nil && *c.Meanwhile == 0 && c.Failed >= minShare && c.First != nil && c.Last.Sub(*c.First) >= quietTime
}

// oneNamespace looks for several services that do not answer, all of one
// namespace, while other namespaces do: then it is no single pod.
func (q *inquiry) oneNamespace() {
	list := q.g.tops[byCluster].list
	if len(q.card.Traffic) < 2 || len(list) == maxTop || q.g.access.failed < enough || q.blind || !q.is("upstream-connect-timeout", "upstream-unreachable", "upstream-connect-failed") {
		return
	}
	space := ""
	for i := range list {
		name := namespaceIn(q.d.clusters.label(unpack(list[i].key.rest).cluster, ""))
		if name == "" || space != "" && name != space {
			return
		}
		space = name
	}
	others := uint64(0)
	for _, g := range q.good {
		name := q.d.clusters.label(g.cluster, "")
		if g.at+q.d.load.width() <= q.g.when.first || g.at > q.g.when.last {
			continue
		}
		if namespaceIn(name) == space && g.at > q.g.when.first && g.at+q.d.load.width() <= q.g.when.last {
			return
		}
		if namespaceIn(name) != space && isService(name) {
			others += g.n
		}
	}
	if others >= minShare {
		q.say(spaceEvidence, q.g.access.failed, q.g.access.failed, "%d services fail, all in namespace %s, and none of their requests succeeded meanwhile, but %s to other namespaces: a NetworkPolicy there is likely",
			len(q.card.Traffic), space, number(others))
		q.card.Namespace = space
	}
}

// namespaceIn is the namespace in the name of a cluster, "" if it has none.
func namespaceIn(cluster string) string {
	parts := strings.Split(cluster, "|")
	if len(parts) != 4 || parts[0] != "outbound" {
		return ""
	}
	if labels := strings.Split(parts[3], "."); len(labels) > 2 && labels[2] == "svc" {
		return labels[1]
	}
	return ""
}
