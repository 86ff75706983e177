package sinks

import (
	"cmp"
	"maps"
	"slices"
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
	Subset   *Subset `json:"subset,omitempty"` // that nearly all failures are of, where the service has others
}

// A Subset is the part of a service's traffic that goes to one of its subsets.
type Subset struct {
	Name      string  `json:"name"` // "": what goes to none of them
	Requests  uint64  `json:"requests"`
	Failed    uint64  `json:"failed"`
	Share     float64 `json:"share"`
	Meanwhile *uint64 `json:"succeededMeanwhile,omitempty"` // about how many within the cause's time
}

// A clusterCounts is a cluster of a service, with its own requests.
type clusterCounts struct {
	name string
	counts
}

// trafficOf adds the clusters of a service up.
func trafficOf(service string, list []clusterCounts) Traffic {
	t := Traffic{Service: service}
	var most *clusterCounts
	for i := range list {
		c := &list[i]
		t.Requests += c.all
		t.Failed += c.failed
		if most == nil || c.failed > most.failed {
			most = c
		}
	}
	t.Failed = min(t.Failed, t.Requests)
	t.Share = share(t.Failed, t.Requests)
	if len(list) > 1 && most.failed >= enough && float64(most.failed) >= nearlyAll*float64(t.Failed) {
		failed := min(most.failed, most.all)
		t.Subset = &Subset{Name: subsetOf(most.name), Requests: most.all, Failed: failed, Share: share(failed, most.all)}
	}
	return t
}

// services are those with the most failed requests. There are none when
// records were chosen by what they are: then nobody knows the others.
func (r *Report) services() []Traffic {
	list := []Traffic{}
	if r.Selected {
		return list
	}
	byName := map[string][]clusterCounts{}
	for _, t := range r.Clusters {
		if isService(t.Name) {
			name := clusterShort(t.Name)
			byName[name] = append(byName[name], clusterCounts{t.Name, counts{t.Count, t.Failed}})
		}
	}
	for name, clusters := range byName {
		if t := trafficOf(name, clusters); t.Failed > 0 {
			list = append(list, t)
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
// requests to them, whatever the subset, succeeded within its time.
func (c *scene) traffic(card *Card, g *group, total *sum) {
	card.Traffic = []Traffic{}
	if c.selected || g.access.failed == 0 {
		return
	}
	failed, hit := map[string]uint64{}, map[string]bool{} // by cluster; services
	for i := range g.tops[byCluster].list {
		e := &g.tops[byCluster].list[i]
		if cluster := &c.clusters[unpack(e.key.rest).cluster]; cluster.called {
			failed[cluster.name] += e.count - e.excess
			hit[cluster.service] = true
		}
	}
	for service := range hit {
		list := slices.Clone(total.ofService(service))
		for i := range list {
			list[i].failed = failed[list[i].name]
		}
		t := trafficOf(service, list)
		if t.Subset != nil {
			t.Subset.Meanwhile = c.meanwhile(g, func(o *cluster) bool {
				return o.service == service && o.subset == t.Subset.Name
			})
		}
		card.Traffic = append(card.Traffic, t)
	}
	sortBy(card.Traffic, func(t Traffic) uint64 { return t.Failed }, func(t Traffic) string { return t.Service })
	if len(hit) > 0 {
		card.Meanwhile = c.meanwhile(g, func(o *cluster) bool { return o.called && hit[o.service] })
	}
}

// meanwhile is about how many requests of some clusters succeeded within a
// cause's time, nil when nobody knows.
func (c *scene) meanwhile(g *group, of func(*cluster) bool) *uint64 {
	if c.blind {
		return nil
	}
	n, known := c.succeeded(g.when, func(id uint16) bool { return of(&c.clusters[id]) })
	if !known {
		return nil
	}
	return &n
}

// ofService are the clusters of a service, by name.
func (s *sum) ofService(name string) []clusterCounts {
	if s.services == nil {
		s.services = map[string][]clusterCounts{}
		for _, cluster := range slices.Sorted(maps.Keys(s.clusters)) {
			if isService(cluster) {
				service := clusterShort(cluster)
				s.services[service] = append(s.services[service], clusterCounts{cluster, counts{all: s.clusters[cluster].all}})
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

// text is "subset v2 104 of its 147 (70.7 %)".
func (s *Subset) text() string {
	name := "no subset"
	if s.Name != "" {
		name = "subset " + s.Name
	}
	return strings.TrimSpace(name + " " + number(s.Failed) + " of its " + number(s.Requests) + " " + parenthesised(percent(s.Failed, s.Requests)))
}

// traffic is what the cause did to the service that it hit most.
func (c *Card) traffic() string {
	text := c.Traffic[0].text()
	switch {
	case c.noneMeanwhile(c.Meanwhile):
		text += "; none succeeded meanwhile"
	case c.Meanwhile != nil && *c.Meanwhile > 0 && len(c.Traffic) == 1:
		text += "; about " + number(*c.Meanwhile) + " succeeded meanwhile"
	}
	if s := c.Traffic[0].Subset; s != nil {
		text += "; " + s.text()
		if len(c.Traffic) == 1 && c.noneMeanwhile(s.Meanwhile) {
			text += ", where none succeeded meanwhile"
		}
	}
	if n := len(c.Traffic) - 1; n > 0 {
		text += "; " + unlisted(n, len(c.Clusters), maxTop, "other service", "other services")
	}
	return text
}

// hit are the services with the most failures, and how the first cause's own
// fare meanwhile. A tenth of the most is no more than what always fails.
func (r *Report) hit(most int) (chunks []string) {
	if len(r.Services) == 0 && !r.Selected && len(r.Causes) > 0 {
		return r.Causes[0].hitHosts(most)
	}
	n := 0
	for i := range r.Services {
		t := &r.Services[i]
		if 10*t.Failed < r.Services[0].Failed {
			break
		}
		if n++; n > most {
			continue
		}
		chunks = append(chunks, t.text()+r.how(t))
	}
	if n > most {
		chunks = append(chunks, unlisted(n-most, n, maxServices, "more", "more"))
	}
	return chunks
}

// hitHosts are the authorities with the most failures of a cause that names no
// cluster: no route was found for them.
func (c *Card) hitHosts(most int) (chunks []string) {
	if c.Fold != "" || slices.ContainsFunc(c.Clusters, func(v ValueCount) bool { return v.Value != noCluster }) {
		return nil
	}
	for i, v := range c.Authorities {
		if i == most {
			return append(chunks, unlisted(len(c.Authorities)-i, len(c.Authorities), maxTop, "more", "more"))
		}
		chunks = append(chunks, v.Value+" "+plural(v.Count-v.Excess, "failed request", "failed requests"))
	}
	return chunks
}

// how says which subset of a service fails, and whether no request to either
// succeeded while the most important cause lasted.
func (r *Report) how(t *Traffic) (text string) {
	var c *Card
	if len(r.Causes) > 0 && r.Causes[0].Fold == "" && len(r.Causes[0].Traffic) == 1 && r.Causes[0].Traffic[0].Service == t.Service {
		c = &r.Causes[0]
	}
	if c != nil && c.noneMeanwhile(c.Meanwhile) {
		return ", none succeeded meanwhile"
	}
	if t.Subset == nil {
		return ""
	}
	text = ", " + t.Subset.text()
	if c != nil && c.subsetGone(t.Subset.Name) {
		text += ", where none succeeded meanwhile"
	}
	return text
}

// subsetGone says whether no request to that subset of the cause's service
// succeeded while it lasted.
func (c *Card) subsetGone(name string) bool {
	s := c.Traffic[0].Subset
	return s != nil && s.Name == name && c.noneMeanwhile(s.Meanwhile)
}

// noneMeanwhile says whether nothing succeeded while the cause lasted, and that
// means something.
func (c *Card) noneMeanwhile(succeeded *uint64) bool {
	return succeeded != nil && *succeeded == 0 && c.Failed >= minShare && c.First != nil && c.Last.Sub(*c.First) >= quietTime
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
		name := q.clusters[unpack(list[i].key.rest).cluster].namespace
		if name == "" || space != "" && name != space {
			return
		}
		space = name
	}
	own := q.meanwhile(q.g, func(o *cluster) bool { return o.namespace == space })
	others := q.meanwhile(q.g, func(o *cluster) bool { return o.called && o.namespace != space })
	if own != nil && *own == 0 && *others >= minShare {
		q.say(spaceEvidence, q.g.access.failed, q.g.access.failed, "%d services fail, all in namespace %s, and none of its requests succeeded meanwhile, but about %s to other namespaces: a NetworkPolicy there is likely",
			len(q.card.Traffic), space, number(*others))
		q.card.Namespace = space
	}
}
