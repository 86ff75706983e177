package sinks

import (
	"hash/maphash"

	"github.com/flagwatch/flagwatch/classify"
	"github.com/flagwatch/flagwatch/parser"
)

// maxProfiles is how many profiles a Delta keeps.
const maxProfiles = 4096

// profiles count records by all at once that their cause tells apart, but for
// what has many values: most records of a cause differ in little else, so they
// cost one counter. What is told apart one by one is derived when a Delta is
// merged. A profile is known by a
// seeded hash of 64 bits: whoever writes values can not aim at another one.
type profiles struct {
	seed  uint64
	list  []profile
	slots []uint16 // place in list and one; 0: free
	arena []byte
}

// A profile is what records have in common.
type profile struct {
	hash    uint64
	cause   uint16
	proxy   uint16
	cluster key
	outcome key
	verdict classify.Verdict
	ends    [len(valueDims)]uint32 // where values end in the arena, one behind the other from begin on
	begin   uint32
	n       uint64
	when    span
}

// valueDims are the dims whose values are text.
var valueDims = [...]dim{byRoute, byAuthority, byServerName, byDetails, byReason}

type values [len(valueDims)][]byte

func newProfiles() profiles {
	return profiles{seed: maphash.Comparable(maphash.MakeSeed(), 0), slots: make([]uint16, 2*maxProfiles)}
}

// valuesOf reads what the profile of a record is made of.
func (d *Delta) valuesOf(r *parser.Record, details uint16) (list values) {
	list = values{r.Bytes(parser.RouteName), r.Bytes(parser.Authority), r.Bytes(parser.RequestedServerName), d.details.name(details), transportReason(r)}
	for i, b := range list {
		list[i] = b[:min(len(b), maxValue)]
	}
	return list
}

// add counts a record. It is false when it has no profile and there is no room
// for one.
func (t *profiles) add(p *profile, list *values, at int64, timed bool) bool {
	h := fold(t.seed^p.cluster.hash(), p.outcome.hash())
	h = fold(h, uint64(p.cause)|uint64(p.proxy)<<16|uint64(p.verdict.Side)<<32|uint64(p.verdict.Confidence)<<40|uint64(len(p.verdict.Rivals))<<48)
	for _, b := range list {
		h = fold(h, hashID(b))
	}
	i := h & uint64(len(t.slots)-1)
	for ; t.slots[i] != 0; i = (i + 1) & uint64(len(t.slots)-1) {
		if have := &t.list[t.slots[i]-1]; have.hash == h {
			have.count(at, timed)
			return true
		}
	}
	if len(t.list) == maxProfiles {
		return false
	}
	p.hash, p.begin = h, uint32(len(t.arena))
	for n, b := range list {
		t.arena = append(t.arena, b...)
		p.ends[n] = uint32(len(t.arena))
	}
	p.count(at, timed)
	t.list = append(t.list, *p)
	t.slots[i] = uint16(len(t.list))
	return true
}

func (p *profile) count(at int64, timed bool) {
	p.n++
	if timed {
		p.when.add(at)
	}
}

// value is the text that a profile has in a dim; it lives as long as the
// arena.
func (t *profiles) value(p *profile, n int) []byte {
	begin := p.begin
	if n > 0 {
		begin = p.ends[n-1]
	}
	return t.arena[begin:p.ends[n]]
}

func (t *profiles) reset() {
	t.list, t.arena = t.list[:0], t.arena[:0]
	clear(t.slots)
}

// expand counts what a profile stands for under its group, whose keys rekey
// and whose proxy is already that of the group's Delta.
func (g *group) expand(p *profile, list *values, proxy uint16, rekey func(key) key) {
	v := p.verdict
	g.access.add(p.n, v.Failed)
	g.sides[v.Side] += p.n
	g.confidences[v.Confidence] += p.n
	for _, c := range v.Rivals {
		g.addRival(c, p.n)
	}
	g.when.merge(p.when)
	g.tops[byCluster].addMany(rekey(p.cluster), nil, p.n, p.when)
	g.tops[byOutcome].addMany(rekey(p.outcome), nil, p.n, p.when)
	g.tops[byProxy].addMany(key{rest: uint64(proxy)}, nil, p.n, p.when)
	for n, by := range valueDims {
		if b := list[n]; len(b) > 0 {
			g.tops[by].addMany(key{}, b, p.n, p.when)
		}
	}
}
