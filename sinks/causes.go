package sinks

import (
	"bytes"

	"github.com/flagwatch/flagwatch/classify"
	"github.com/flagwatch/flagwatch/parser"
)

const (
	maxCauses   = 1500 // the id of a cause has eleven bits in a key
	maxRivals   = 8
	maxTop      = 16
	maxProxies  = 1024
	wholeSecond = 1000 // milliseconds
)

// A dim is something that the records of a cause are told apart by.
type dim uint8

const (
	byCluster dim = iota
	byOutcome     // code and flags
	byHost        // with its cluster
	byRoute
	byAuthority
	byPath   // without its query
	byClient // address without its port
	byServerName
	byDetails // their class
	byReason  // of a transport failure
	byProxy
	byTimeout // durations close to a whole number of seconds
	byCaller  // client address without its port, of connections to an upstream that broke
	numDims
)

// A group is what is counted about the records of one cause.
type group struct {
	cause       *classify.Cause // nil: failed, and no rule says why
	number      uint16          // its id
	used        bool            // something was counted since the last reset
	methods     uint64          // failed records that name one
	unsafe      uint64          // of them: must not be repeated at will
	durations   histogram
	samples     causeSamples
	access      counts
	events      counts
	sides       [classify.NumSides]uint64
	confidences [classify.NumConfidences]uint64
	rivals      [maxRivals]rival
	when        span
	tops        [numDims]top
}

type rival struct {
	cause *classify.Cause
	n     uint64
}

// groups are the causes that were met. A group's id is its place in the list
// and one; it stays when the Delta is reset.
type groups struct {
	list   []*group
	ids    map[string]uint16
	lately [64]struct {
		cause *classify.Cause
		id    uint16
	}
}

// id returns the id of a cause; nil has one, too.
func (t *groups) id(c *classify.Cause) uint16 {
	name := ""
	if c != nil {
		name = c.ID
	}
	last := &t.lately[slotOf(name)]
	if last.id != noName && last.cause == c {
		return last.id
	}
	id, ok := t.ids[name]
	if !ok {
		id = t.insert(name, c)
	}
	last.cause, last.id = c, id
	return id
}

// slotOf spreads names of causes.
func slotOf(name string) int {
	if len(name) == 0 {
		return 0
	}
	return (len(name) + 7*int(name[0]) + 13*int(name[len(name)-1]) + 29*int(name[len(name)/2])) & 63
}

func (t *groups) insert(name string, c *classify.Cause) uint16 {
	if len(t.list) >= maxCauses && c != nil {
		return t.id(nil)
	}
	if t.ids == nil {
		t.ids = map[string]uint16{}
	}
	g := &group{cause: c, number: uint16(len(t.list) + 1)}
	for i := range g.tops {
		g.tops[i] = newTop(maxTop)
	}
	t.list = append(t.list, g)
	t.ids[name] = g.number
	return g.number
}

// of returns the group of an id.
func (t *groups) of(id uint16) *group { return t.list[id-1] }

func (t *groups) reset() {
	for _, g := range t.list {
		tops, durations, samples := g.tops, g.durations, g.samples
		for i := range tops {
			tops[i].reset()
		}
		durations.reset()
		samples.n = 0
		*g = group{cause: g.cause, number: g.number, tops: tops, durations: durations, samples: samples}
	}
}

// empty says whether nothing was counted since the last reset.
func (g *group) empty() bool { return !g.used }

// id is the cause's; what no rule explains has none.
func (g *group) id() string {
	if g.cause == nil {
		return ""
	}
	return g.cause.ID
}

func (g *group) addRival(c *classify.Cause, n uint64) {
	for i := range g.rivals {
		r := &g.rivals[i]
		if r.cause == nil || r.cause == c || r.cause.ID == c.ID {
			r.cause = c
			r.n += n
			return
		}
	}
}

// addCause counts an access record that failed, or has a cause, and returns its
// profile; nil when there is no room for one.
func (d *Delta) addCause(from *Origin, r *parser.Record, v *classify.Verdict) *profile {
	proxy := d.proxy(from, r)
	p, g, k := d.profileOf(r, v, proxy)
	cause := g.number
	o := unpack(k.rest)
	at, timed := d.begin(from, r, o.cluster, parser.Direction(o.dir), !v.Failed)
	if code, _ := r.Code(); code == 0 && !v.Failed {
		d.lookTCP(r, o.cluster)
	}
	if p != nil {
		p.count(at, timed)
	} else {
		d.spread(r, v, k, cause, proxy, span{at, at, timed})
	}
	g.used = true
	g.samples.add(from, r, at, timed)
	if ms, ok := r.Millis(); ok {
		if d.meter != nil {
			d.meter.timing(parser.Direction(o.dir), v.Failed).add(ms)
		}
		d.addDuration(g, cause, ms, at, timed)
		if v.Failed {
			d.latencies.failed.add(ms)
		}
	}
	address := withoutPort(r.Bytes(parser.DownstreamRemoteAddress))
	if hasNoCluster(k.rest) || v.Side == classify.Client { // else path and client say little
		d.addSight(g, cause, byPath, withoutQuery(r.Bytes(parser.Path)), at, timed)
		d.addSight(g, cause, byClient, address, at, timed)
	}
	if host := r.Bytes(parser.UpstreamHost); host != nil {
		d.addHost(g, key{flags: k.flags, rest: plainOf(k.rest, cause)}, host, v.Failed, at, timed)
	}
	if !v.Failed {
		return p
	}
	g.addMethod(r.Bytes(parser.Method))
	if k.flags&uint64(d.joins.broken) != 0 {
		d.addSight(g, cause, byCaller, address, at, timed)
	}
	d.callers.add(address, r.Bytes(parser.UserAgent), at, timed)
	d.joins.add(r, k, cause, p, at)
	if !timed {
		d.untimed++
		return p
	}
	d.addCell(key{flags: k.flags, rest: plainOf(k.rest, cause)}, p, at)
	return p
}

// addMethod counts the method of a failed record. POST and PATCH are the ones
// of RFC 9110 and RFC 5789 that are not idempotent, and that requests have.
func (g *group) addMethod(method []byte) {
	if len(method) == 0 {
		return
	}
	g.methods++
	if string(method) == "POST" || string(method) == "PATCH" {
		g.unsafe++
	}
}

// addCell counts a failure in its cell; p is its profile or nil.
func (d *Delta) addCell(sort key, p *profile, at int64) {
	if p == nil {
		d.cells.add(d.cells.sort(sort), at)
		return
	}
	if p.sort == 0 {
		p.sort = d.cells.sort(sort)
	}
	d.cells.add(p.sort, at)
}

// profileOf returns the profile of a record, its cause's group and its outcome;
// without room for the profile it is nil.
func (d *Delta) profileOf(r *parser.Record, v *classify.Verdict, proxy uint16) (*profile, *group, key) {
	h, known := d.faces.faceOf(r, v, proxy)
	if known {
		if p := d.faces.find(h); p != nil && p.group.cause == v.Cause {
			return p, p.group, key{flags: p.key.flags, rest: p.key.outcome}
		}
	}
	cause := d.causes.id(v.Cause)
	g := d.causes.of(cause)
	cluster := d.clusters.id(r.Bytes(parser.UpstreamCluster))
	k := d.outcome(r, cluster, d.direction(r, cluster), v.Failed)
	own, ok := d.profileKey(r, v, k, cause, proxy)
	if !ok {
		return nil, g, k
	}
	p := d.profiles.of(&own, v.Rivals)
	if p == nil {
		return nil, g, k
	}
	p.group = g
	if p.n == 0 {
		p.name = uint32(nameOf(r))
	}
	if known {
		d.faces.put(h, p)
	}
	return p, g, k
}

// spread counts one by one what a profile would stand for.
func (d *Delta) spread(r *parser.Record, v *classify.Verdict, outcome key, cause, proxy uint16, when span) {
	k, _ := d.profileKey(r, v, outcome, cause, proxy)
	texts := [...][]byte{r.Bytes(parser.RouteName), r.Bytes(parser.Authority), r.Bytes(parser.RequestedServerName), transportReason(r)}
	d.expand(&k, v.Rivals, &texts, 1, when)
}

// addHost counts a host under its cause, and by cluster, code and flags when
// the record failed: k is that with the cause.
func (d *Delta) addHost(g *group, k key, host []byte, failed bool, at int64, timed bool) {
	host = host[:min(len(host), maxValue)]
	p := pair{key: k, cause: uint16(unpack(k.rest).details), dim: byHost}
	if failed {
		p.dim = allHosts
	}
	if c := d.pairOf(p, &d.words, host); c != nil {
		c.count(at, timed)
		return
	}
	if failed {
		d.hosts.add(key{flags: k.flags, rest: plainOf(k.rest, noName)}, host, at, timed)
	}
	g.tops[byHost].add(clusterOf(k), host, at, timed)
}

// addSight counts a value that may never come again: exactly if there is room.
func (d *Delta) addSight(g *group, cause uint16, by dim, value []byte, at int64, timed bool) {
	if len(value) == 0 {
		return
	}
	value = value[:min(len(value), maxValue)]
	if c := d.pairOf(pair{cause: cause, dim: by}, &d.sights, value); c != nil {
		c.count(at, timed)
	} else {
		g.tops[by].add(key{}, value, at, timed)
	}
}

// addDuration counts a duration, and by itself one that a timer of whole
// seconds may have cut: such timers fire on time or a little late.
func (d *Delta) addDuration(g *group, cause uint16, ms, at int64, timed bool) {
	g.durations.add(ms)
	seconds := (ms + early) / wholeSecond
	if late := ms - seconds*wholeSecond; seconds > 0 && late <= lateness(seconds) {
		k := keyOfSeconds(seconds)
		if c := d.pairOf(pair{key: k, cause: cause, dim: byTimeout}, &d.words, nil); c != nil {
			c.count(at, timed)
		} else {
			g.tops[byTimeout].add(k, nil, at, timed)
		}
	}
}

// keyOfSeconds is the key of a timeout.
func keyOfSeconds(s int64) key { return key{flags: uint64(s)} }

func (k key) seconds() int64 { return int64(k.flags) }

// early is how many milliseconds less than whole seconds a duration is that
// counts as cut by a timer, lateness how many more.
const early = wholeSecond / 100

func lateness(seconds int64) int64 { return 30 + 2*seconds }

func withoutQuery(path []byte) []byte {
	if i := bytes.IndexByte(path, '?'); i >= 0 {
		return path[:i]
	}
	return path
}

func transportReason(r *parser.Record) []byte {
	if b := r.Bytes(parser.UpstreamTransportFailureReason); b != nil {
		return b
	}
	return r.Bytes(parser.DownstreamTransportFailureReason)
}

// proxy is the id of the proxy that wrote a record: its place, or else the
// input.
func (d *Delta) proxy(from *Origin, r *parser.Record) uint16 {
	if r.HasPlace() {
		return d.proxyAt(d.place(from, r), from)
	}
	if d.streamProxy == noName {
		d.streamProxy = d.proxyAt(d.placeOf(from), from)
	}
	return d.streamProxy
}

func (d *Delta) proxyAt(place uint16, from *Origin) uint16 {
	if place >= firstName {
		return d.proxies.id(d.places.name(place))
	}
	d.scratch = append(d.scratch[:0], from.Input...)
	return d.proxies.id(d.scratch)
}

// causeIDs are the ids here of the causes of o; 0 stands for itself.
func (d *Delta) causeIDs(o *Delta) []uint16 {
	ids := make([]uint16, len(o.causes.list)+1)
	for i, g := range o.causes.list {
		if !g.empty() {
			ids[i+1] = d.causes.id(g.cause)
		}
	}
	return ids
}

// mergeCauses adds the causes of o; ids, clusters, rekey for outcomes and plain
// for what packPlain packs turn what is of o into what is of d.
func (d *Delta) mergeCauses(o *Delta, ids, clusters []uint16, rekey, plain func(key) key) {
	proxies := d.proxies.merge(&o.proxies)
	ofProxy := func(k key) key { k.rest = uint64(proxies[k.rest]); return k }
	for i, from := range o.causes.list {
		if from.empty() {
			continue
		}
		g := d.causes.of(ids[i+1])
		g.merge(from)
		for by := range numDims {
			if by == byProxy {
				g.tops[by].merge(&from.tops[by], ofProxy)
			} else {
				g.tops[by].merge(&from.tops[by], plain)
			}
		}
	}
	values := d.words.merge(&o.words)
	d.mergeProfiles(o, func(k profileKey) profileKey {
		k.outcome = rekey(key{rest: k.outcome}).rest
		k.verdict = k.verdict&^(1<<32-1) | uint64(ids[k.cause()]) | uint64(proxies[k.proxy()])<<16
		texts := k.texts
		k.texts = 0
		for i := range valueDims {
			k.texts |= uint64(values[uint16(texts>>(16*i))]) << (16 * i)
		}
		return k
	})
	d.mergePairs(o, ids, plain)
	d.lives.merge(&o.lives, proxies)
	d.fleet.merge(&o.fleet, clusters, proxies)
	d.latencies.merge(o.latencies)
	d.callers.merge(&o.callers)
	d.joins.merge(&o.joins, ids)
}

// mergeProfiles adds the profiles of o. What finds no room is taken apart.
func (d *Delta) mergeProfiles(o *Delta, rekey func(profileKey) profileKey) {
	for from := range o.profiles.list.all {
		k := rekey(from.key)
		var texts [len(valueDims)][]byte
		whole := true
		for n := range texts {
			texts[n] = o.words.name(from.key.text(n))
			whole = whole && k.text(n) != otherName
		}
		if whole {
			if p := d.profiles.of(&k, from.rivals); p != nil {
				p.name = from.name
				p.n += from.n
				p.when.merge(from.when)
				continue
			}
		}
		d.expand(&k, from.rivals, &texts, from.n, from.when)
	}
}

// mergePairs adds the pairs of o. What finds no room goes to tops.
func (d *Delta) mergePairs(o *Delta, ids []uint16, plain func(key) key) {
	for s := range o.pairs.list.all {
		p, text, table := s.pair, o.textOf(&s.pair), &d.words
		p.cause = ids[p.cause]
		switch p.dim {
		case byTimeout:
		case byPath, byClient, byCaller:
			table = &d.sights
		default:
			p.key = plain(p.key)
		}
		if c := d.pairOf(p, table, text); c != nil {
			c.n += s.n
			c.when.merge(s.when)
			continue
		}
		g := d.causes.of(p.cause)
		switch p.dim {
		case byTimeout, byPath, byClient, byCaller:
			g.tops[p.dim].addMany(p.key, text, s.n, s.when)
			continue
		case allHosts:
			d.hosts.addMany(key{flags: p.key.flags, rest: plainOf(p.key.rest, noName)}, text, s.n, s.when)
		}
		g.tops[byHost].addMany(clusterOf(p.key), text, s.n, s.when)
	}
}

// merge adds everything but the tops.
func (g *group) merge(o *group) {
	g.used = true
	g.access.plus(o.access)
	g.events.plus(o.events)
	for i, n := range o.sides {
		g.sides[i] += n
	}
	for i, n := range o.confidences {
		g.confidences[i] += n
	}
	for _, r := range o.rivals {
		if r.cause != nil {
			g.addRival(r.cause, r.n)
		}
	}
	g.when.merge(o.when)
	g.durations.merge(&o.durations)
	g.methods += o.methods
	g.unsafe += o.unsafe
	g.samples.merge(&o.samples)
}
