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
	byPath // without its query
	byServerName
	byDetails // their class
	byReason  // of a transport failure
	byProxy
	byTimeout // durations close to a whole number of seconds
	numDims
)

// A group is what is counted about the records of one cause.
type group struct {
	cause       *classify.Cause // nil: failed, and no rule says why
	access      counts
	events      counts
	sides       [classify.NumSides]uint64
	confidences [classify.NumConfidences]uint64
	rivals      [maxRivals]rival
	when        span
	durations   histogram
	tops        [numDims]top
	samples     causeSamples
	used        bool // something was counted since the last reset
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
	last   *classify.Cause
	lastID uint16
}

// id returns the id of a cause; nil has one, too.
func (t *groups) id(c *classify.Cause) uint16 {
	if t.lastID != noName && c == t.last {
		return t.lastID
	}
	name := ""
	if c != nil {
		name = c.ID
	}
	id, ok := t.ids[name]
	if !ok {
		id = t.insert(name, c)
	}
	t.last, t.lastID = c, id
	return id
}

func (t *groups) insert(name string, c *classify.Cause) uint16 {
	if len(t.list) >= maxCauses && c != nil {
		return t.id(nil)
	}
	if t.ids == nil {
		t.ids = map[string]uint16{}
	}
	g := &group{cause: c}
	for i := range g.tops {
		g.tops[i] = newTop(maxTop)
	}
	t.list = append(t.list, g)
	id := uint16(len(t.list))
	t.ids[name] = id
	return id
}

// of returns the group of an id.
func (t *groups) of(id uint16) *group { return t.list[id-1] }

func (t *groups) reset() {
	for _, g := range t.list {
		kept := g.tops
		for i := range kept {
			kept[i].reset()
		}
		*g = group{cause: g.cause, tops: kept}
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

// addCause counts an access record under its cause and returns the cause's id.
// k holds the record's cluster, details, code, flags and unknown tokens.
func (d *Delta) addCause(from *Origin, r *parser.Record, v classify.Verdict, k key, at int64, timed bool) uint16 {
	id := d.causes.id(v.Cause)
	g := d.causes.of(id)
	g.used = true
	g.samples.add(from, r, at, timed)
	if ms, ok := r.Number(parser.Duration); ok {
		g.addDuration(int64(ms), at, timed)
	}
	o := unpack(k.rest)
	p := profile{
		cause: id, proxy: d.proxy(from, r), verdict: v,
		cluster: key{rest: packPlain(o.cluster, 0, noName, 0)},
		outcome: key{flags: k.flags, rest: packPlain(noName, o.code, o.unknown, 0)},
	}
	if host := r.Bytes(parser.UpstreamHost); host != nil {
		g.tops[byHost].add(p.cluster, host, at, timed)
	}
	if o.cluster == noName || v.Side == classify.Client { // else a path says little
		if path := withoutQuery(r.Bytes(parser.Path)); path != nil {
			g.tops[byPath].add(key{}, path, at, timed)
		}
	}
	list := d.valuesOf(r, o.details)
	if !d.profiles.add(&p, &list, at, timed) {
		p.count(at, timed)
		g.expand(&p, &list, p.proxy, func(k key) key { return k })
	}
	return id
}

// addDuration counts a duration, and by itself one that a timer of whole
// seconds may have cut: such timers fire on time or a little late.
func (g *group) addDuration(ms, at int64, timed bool) {
	g.durations.add(ms)
	seconds := (ms + wholeSecond/100) / wholeSecond
	if late := ms - seconds*wholeSecond; seconds > 0 && late <= 30+2*seconds {
		g.tops[byTimeout].add(key{at: seconds}, nil, at, timed)
	}
}

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
	if id := d.place(from, r); id >= firstName {
		return d.proxies.id(d.places.name(id))
	}
	if from.Input != d.lastInput || d.lastProxy == noName {
		d.lastInput = from.Input
		d.scratch = append(d.scratch[:0], from.Input...)
		d.lastProxy = d.proxies.id(d.scratch)
	}
	return d.lastProxy
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

// mergeCauses adds the causes of o; ids and rekey turn what is of o into what
// is of d.
func (d *Delta) mergeCauses(o *Delta, ids []uint16, rekey func(key) key) {
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
				g.tops[by].merge(&from.tops[by], rekey)
			}
		}
	}
	for i := range o.profiles.list {
		p := &o.profiles.list[i]
		var list values
		for n := range list {
			list[n] = o.profiles.value(p, n)
		}
		d.causes.of(ids[p.cause]).expand(p, &list, proxies[p.proxy], rekey)
	}
	d.lives.merge(&o.lives, proxies)
	d.joins.merge(&o.joins, ids)
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
	g.samples.merge(&o.samples)
}
