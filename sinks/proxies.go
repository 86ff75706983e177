package sinks

import (
	"cmp"
	"slices"
)

// milestoneNames are the milestones as a report names them.
var milestoneNames = [numMilestones]string{
	"", "started", "working", "ready", "not-ready", "nothing-received", "updates-refused", "bootstrap-refused", "draining", "exited", "control-plane-connected",
	"stream-closed", "control-plane-gone",
}

// milestoneWords are the milestones in a text.
var milestoneWords = map[string]string{
	"started": "started", "working": "configured", "ready": "ready", "not-ready": "not ready", "nothing-received": "nothing received",
	"updates-refused": "updates refused", "bootstrap-refused": "bootstrap refused", "draining": "asked to end", "exited": "exited", "control-plane-connected": "control plane reached",
	"stream-closed": "control plane stream ended", "control-plane-gone": "control plane gone",
}

// ProxyStatuses are the values of ProxyTally.Status: what a proxy's log says
// about it at its end. One that is cut off runs, and its control plane is gone.
func ProxyStatuses() []string {
	return []string{"serving", "cut-off", "waiting", "not-ready", "draining", "exited", "unknown"}
}

// status is the last that is known.
func (l *life) status(serves bool) string {
	_, waiting := l.absent()
	switch {
	case l.has(proxyBroken) && l.after(proxyBroken, proxyStarted) && l.after(proxyBroken, proxyWorking) && l.after(proxyBroken, proxyReady):
		return "exited"
	case l.has(proxyExited) && l.after(proxyExited, proxyStarted) && l.after(proxyExited, proxyWorking):
		return "exited"
	case l.has(proxyDraining) && l.after(proxyDraining, proxyStarted) && l.after(proxyDraining, proxyReady):
		return "draining"
	case l.has(proxyNotReady) && !l.after(proxyReady, proxyNotReady):
		return "not-ready"
	case l.has(streamDown) && !l.after(proxyConnected, streamDown):
		return "cut-off"
	case l.has(proxyReady), l.has(proxyWorking) && !waiting, serves:
		return "serving"
	case waiting:
		return "waiting"
	}
	return "unknown"
}

// proxyTallies are the proxies that say something about themselves.
func (d *Delta) proxyTallies() []ProxyTally {
	list := []ProxyTally{}
	for _, id := range d.lives.ids((*life).known) {
		l := &d.lives[id]
		t := ProxyTally{Status: l.status(d.serves(id)), Milestones: []Milestone{}, Gone: l.down}
		t.Namespace, t.Pod, t.Container, t.Input = d.proxyParts(id)
		for m, o := range l.times {
			if o.n > 0 {
				t.Milestones = append(t.Milestones, Milestone{milestoneNames[m], o.n, o.when.begin(), o.when.end()})
			}
		}
		list = append(list, t)
	}
	slices.SortFunc(list, func(a, b ProxyTally) int {
		return cmp.Or(cmp.Compare(a.Namespace, b.Namespace), cmp.Compare(a.Pod, b.Pod), cmp.Compare(a.Container, b.Container), cmp.Compare(a.Input, b.Input))
	})
	return list
}

func (l *life) known() bool {
	for _, o := range l.times {
		if o.n > 0 {
			return true
		}
	}
	return false
}
