package sinks

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/flagwatch/flagwatch/classify"
)

// A Hint is a remark beside the findings: something that no record proves and
// that is worth a look. It is never counted as a failure.
type Hint struct {
	Cause      string `json:"cause"` // "" for what no documented cause fits
	Title      string `json:"title"`
	Confidence string `json:"confidence"`
	Text       string `json:"text"`
	Count      uint64 `json:"count"`
	Of         uint64 `json:"of"`
}

// noHintCause is the title of a remark that no cause of the catalogue fits.
const noHintCause = "Not documented"

// hints are the remarks about the whole input, by cause.
func (c *scene) hints(total *sum) []Hint {
	list := []Hint{}
	list = append(list, c.withoutFlags(total)...)
	list = append(list, c.declined()...)
	list = append(list, c.doubleTLS()...)
	list = append(list, c.gatewayRoutes()...)
	list = append(list, c.startedEarly()...)
	return list
}

func (c *scene) hint(id string, confidence classify.Confidence, count, of uint64, format string, args ...any) []Hint {
	title := noHintCause
	if cause := classify.Documented(id); cause != nil {
		title = cause.Title
	} else if id != "" {
		return nil
	}
	return []Hint{{id, title, confidence.String(), fmt.Sprintf(format, args...), count, of}}
}

// withoutFlags tells of a format that leaves out what says why a request
// failed. The records of ztunnel have no such column.
func (c *scene) withoutFlags(total *sum) []Hint {
	n, all := total.noFlags, total.total.all
	for name, count := range total.dialects {
		if strings.HasPrefix(name, "ztunnel") {
			n, all = n-min(n, count.all), all-min(all, count.all)
		}
	}
	if n == 0 {
		return nil
	}
	return c.hint("log-format-without-flags", classify.High, n, all,
		"%s of %s records have no column of response flags, so they can not say why a request failed. Add %%RESPONSE_FLAGS%% and %%RESPONSE_CODE_DETAILS%% to the format of the access log", number(n), number(all))
}

// doubleTLS looks for TCP connections to port 443 of a host outside of the
// mesh that nearly all end before a TLS handshake can be complete.
func (c *scene) doubleTLS() (list []Hint) {
	for i := range c.d.fleet.clusters {
		s := &c.d.fleet.clusters[i]
		name := c.d.clusters.label(uint16(i), "")
		if s.short < enough || float64(s.short) < nearlyAll*float64(s.tcp) || strings.Contains(name, ".svc.") {
			continue
		}
		list = append(list, c.hint("double-tls", classify.Low, s.short, s.tcp,
			"%s of %s connections to %s end before a TLS handshake can be complete, without a flag: if the application speaks TLS itself, a DestinationRule may add a second layer",
			number(s.short), number(s.tcp), clusterShort(name))...)
	}
	return list
}

// gatewayRoutes looks for services that a gateway calls without a subset and
// others with one.
func (c *scene) gatewayRoutes() (list []Hint) {
	type service struct{ port, host string }
	split := map[service]bool{} // called by subset
	for i := range c.d.fleet.clusters {
		if n, _ := parseCluster(c.d.clusters.label(uint16(i), "")); n.subset != "" {
			split[service{n.port, n.host}] = true
		}
	}
	for i := range c.d.fleet.clusters {
		name := c.d.clusters.label(uint16(i), "")
		n, _ := parseCluster(name)
		if n.direction != "outbound" || n.subset != "" || !split[service{n.port, n.host}] {
			continue
		}
		if gateway := c.gatewayOf(&c.d.fleet.clusters[i]); gateway != "" {
			list = append(list, c.hint("gateway-route-host", classify.Low, 1, 1,
				"%s calls %s without a subset, while other proxies call it by subset: the VirtualService of the gateway's host does not name the subsets", gateway, clusterShort(name))...)
		}
	}
	slices.SortFunc(list, func(a, b Hint) int { return cmp.Compare(a.Text, b.Text) })
	return list
}

// gatewayOf is a proxy that calls a cluster and is a gateway by its name.
func (c *scene) gatewayOf(s *served) string {
	for _, id := range s.callers {
		if name := c.d.proxyName(id); id != noName && (strings.Contains(name, "gateway") || strings.Contains(name, "ingress")) {
			return name
		}
	}
	return ""
}

// startedEarly looks for applications whose connections were refused before
// their proxy was ready, and not after.
func (c *scene) startedEarly() (list []Hint) {
	for id := range c.d.lives {
		refused := c.d.lives[id].refused
		if !refused.when.timed {
			continue
		}
		namespace, pod, _, input := c.d.proxyParts(uint16(id))
		for other := range c.d.lives {
			l := &c.d.lives[other]
			ns, p, _, in := c.d.proxyParts(uint16(other))
			if ns != namespace || p != pod || in != input || !l.startedAfter(refused.when) {
				continue
			}
			list = append(list, c.hint("app-started-before-proxy", classify.Medium, refused.n, refused.n,
				"the application of %s could not connect %s, all of it before its proxy was ready at %s: it started first",
				c.d.proxyName(uint16(other)), plural(refused.n, "time", "times"), c.clock(l.times[proxyReady].when.first))...)
		}
	}
	return list
}

// startedAfter says whether a proxy got ready while an application was
// refused, and the last of it is no later than a moment after that.
func (l *life) startedAfter(refused span) bool {
	ready, begin := l.times[proxyReady].when, l.times[proxyStarted].when
	if !ready.timed || refused.first >= ready.first || refused.last > ready.first+int64(moment) {
		return false
	}
	return !begin.timed || refused.last >= begin.first-int64(startTime)
}

// moment is how much clocks and buffers may shift lines.
const moment = 2 * time.Second
