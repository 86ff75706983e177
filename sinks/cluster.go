package sinks

import "strings"

// A clusterName is a name of Istio's: outbound|80|v2|cart.shop.svc.cluster.local.
type clusterName struct{ direction, port, subset, host string }

// parseCluster takes a cluster's name apart; ok is false when Istio has not
// made it.
func parseCluster(name string) (c clusterName, ok bool) {
	if strings.Count(name, "|") != 3 {
		return c, false
	}
	c.direction, name, _ = strings.Cut(name, "|")
	c.port, name, _ = strings.Cut(name, "|")
	c.subset, c.host, _ = strings.Cut(name, "|")
	return c, true
}

// serviceNamespace is the namespace in the host of a Service, "" of any other.
func serviceNamespace(host string) string {
	if labels := strings.Split(host, "."); len(labels) > 2 && labels[2] == "svc" {
		return labels[1]
	}
	return ""
}

// A cluster is one that records name, with its name taken apart.
type cluster struct {
	name      string // as a report shows it
	service   string // clusterShort
	subset    string
	namespace string // of one that a proxy calls
	called    bool   // see isService
}

// clusterList takes the names of all clusters apart, by id.
func (d *Delta) clusterList() []cluster {
	list := make([]cluster, d.clusters.ids())
	for id := range list {
		name := d.clusters.label(uint16(id), noCluster)
		list[id] = cluster{name, clusterShort(name), subsetOf(name), namespaceIn(name), isService(name)}
	}
	return list
}

// subsetOf is the subset in the name of a cluster, "" if it has none.
func subsetOf(cluster string) string {
	c, _ := parseCluster(cluster)
	return c.subset
}

// namespaceIn is the namespace in the name of a cluster that a proxy calls, ""
// if it has none.
func namespaceIn(cluster string) string {
	if c, _ := parseCluster(cluster); c.direction == "outbound" {
		return serviceNamespace(c.host)
	}
	return ""
}

// clusterShort is service:port of Istio's names of clusters.
func clusterShort(name string) string {
	c, ok := parseCluster(name)
	switch {
	case !ok:
		return name
	case c.host == "":
		return c.direction + " port " + c.port
	}
	service, _, _ := strings.Cut(c.host, ".svc.")
	return service + ":" + c.port
}
