package sinks

import (
	"slices"
	"strings"
)

// callers are the clients of failed requests. Those of others are not counted,
// so a healthy record costs nothing.
type callers struct {
	addresses top // without their ports
	agents    top
}

func newCallers() callers { return callers{newTop(maxHosts), newTop(maxHosts)} }

// add counts the client of a failed request, whose address has no port.
func (c *callers) add(address, agent []byte, at int64, timed bool) {
	if len(address) > 0 {
		c.addresses.add(key{}, address, at, timed)
	}
	if len(agent) > 0 {
		c.agents.add(key{}, agent, at, timed)
	}
}

func (c *callers) merge(o *callers) {
	same := func(k key) key { return k }
	c.addresses.merge(&o.addresses, same)
	c.agents.merge(&o.agents, same)
}

func (c *callers) reset() {
	c.addresses.reset()
	c.agents.reset()
}

// redact leaves out the addresses, and what of a user agent must not be shown.
func (c *callers) redact() {
	c.addresses.reset()
	old := c.agents.clone()
	c.agents.reset()
	for _, e := range old.list {
		c.agents.addMany(key{}, []byte(redactedAgent(e.value())), e.count, e.when)
	}
}

func redactedAgent(s string) string { return withoutAddresses(redact(s)) }

// Clients are the clients of failed requests, as these name them. Which of
// many rare ones are kept is an accident, so those are left out.
type Clients struct {
	Addresses  []ValueCount `json:"addresses"` // of the next hop towards the client: a proxy's or a balancer's, maybe
	UserAgents []ValueCount `json:"userAgents"`
}

// callerCounts is nil when no failed request names a client.
func (d *Delta) callerCounts() *Clients {
	c := &Clients{callerList(&d.callers.addresses), callerList(&d.callers.agents)}
	if len(c.Addresses)+len(c.UserAgents) == 0 {
		return nil
	}
	return c
}

func callerList(t *top) []ValueCount {
	sure := t.clone()
	sure.dropUnsure()
	list := []ValueCount{}
	for i := range sure.list {
		e := &sure.list[i]
		list = append(list, ValueCount{Value: e.value(), Count: e.count, Excess: e.excess, First: e.when.begin(), Last: e.when.end()})
	}
	sortBy(list, func(v ValueCount) uint64 { return v.Count }, func(v ValueCount) string { return v.Value })
	return list
}

// clients names those with the most failures.
func (p *page) clients(r *Report) {
	if r.Clients == nil || r.Totals.Failed == 0 {
		return
	}
	p.line("")
	p.clientList("clients", r.Clients.Addresses)
	p.clientList("user agents", r.Clients.UserAgents)
}

func (p *page) clientList(name string, list []ValueCount) {
	const most = 3
	var chunks []string
	for _, v := range list[:min(len(list), p.most(most))] {
		chunks = append(chunks, p.shorten(p.user(v.Value), 40)+" "+atLeast(&v))
	}
	if n := len(list) - p.most(most); n > 0 {
		chunks = append(chunks, unlisted(n, len(list), maxHosts, "more", "more"))
	}
	if len(chunks) > 0 {
		p.item(plainMark, name, chunks...)
	}
}

// atLeast is how often a value was met for sure.
func atLeast(v *ValueCount) string {
	if v.Excess > 0 {
		return "at least " + number(v.Count-v.Excess)
	}
	return number(v.Count)
}

// numbers are the names that clients' addresses go by in a redacted report:
// first those of the report's own list, then those of the causes.
func (r *Report) numbers() map[string]string {
	names := map[string]string{}
	number := func(list []ValueCount) {
		for _, v := range list {
			if _, ok := names[bare(v.Value)]; !ok {
				names[bare(v.Value)] = clientName(len(names) + 1)
			}
		}
	}
	if r.Clients != nil {
		number(r.Clients.Addresses)
	}
	for i := range r.Causes {
		number(r.Causes[i].Clients)
	}
	return names
}

// bare is an address without the brackets that IPv6 has in a log.
func bare(address string) string { return strings.Trim(address, "[]") }

// redacted is c with numbers for addresses.
func (c *Clients) redacted(names map[string]string) *Clients {
	if c == nil {
		return nil
	}
	own := &Clients{slices.Clone(c.Addresses), slices.Clone(c.UserAgents)}
	for i := range own.Addresses {
		own.Addresses[i].Value = names[bare(own.Addresses[i].Value)]
	}
	for i := range own.UserAgents {
		own.UserAgents[i].Value = redactedAgent(own.UserAgents[i].Value)
	}
	return own
}
