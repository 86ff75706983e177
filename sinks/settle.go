package sinks

import (
	"bytes"
	"cmp"
	"slices"
)

// settled returns what a report is computed from: d with its profiles and
// pairs taken apart. What is told apart one by one is exact as long as there
// was room for all of it. The result shares memory with d, which must not
// change while it is in use.
func (d *Delta) settled() *Delta {
	d.load.closeAll()
	d.cells.closeAll()
	d.declined.closeAll()
	s := *d
	s.combos.slots = slices.Clone(d.combos.slots)
	if d.over != nil {
		over := *d.over
		s.over = &over
	}
	s.causes.list = slices.Clone(d.causes.list)
	for i, g := range s.causes.list {
		own := *g
		for by := range own.tops {
			own.tops[by] = g.tops[by].clone()
		}
		s.causes.list[i] = &own
	}
	s.hosts = d.hosts.clone()
	all := s.takeApart()
	s.profiles, s.pairs = profiles{}, pairs{}
	s.fill(all)
	for _, g := range s.causes.list {
		g.tops[byPath].dropUnsure()
		g.tops[byClient].dropUnsure()
		g.tops[byCaller].dropUnsure()
	}
	return &s
}

// takeApart counts what profiles and pairs stand for: totals in d, and values
// in the result.
func (d *Delta) takeApart() []*pairCount {
	var t pairs
	for p := range d.profiles.list.all {
		d.addCombo(key{flags: p.key.flags, rest: p.key.outcome}, p.n)
		d.causes.of(p.key.cause()).total(&p.key, p.rivals, p.n, p.when)
		add := func(by dim, k key, name uint16) {
			t.told(pair{key: k, name: name, cause: p.key.cause(), dim: by}, p.n, p.when)
		}
		for by, k := range p.key.keys() {
			add(by, k, noName)
		}
		if details := unpack(p.key.outcome).details; details >= firstName {
			add(byDetails, key{}, details)
		}
		for n, by := range valueDims {
			if id := p.key.text(n); id != noName {
				add(by, key{}, id)
			}
		}
	}
	for s := range d.pairs.list.all {
		p := s.pair
		if p.dim == allHosts {
			t.told(pair{key: key{flags: p.key.flags, rest: plainOf(p.key.rest, noName)}, name: p.name, dim: allHosts}, s.n, s.when)
		}
		if p.dim == allHosts || p.dim == byHost {
			p.dim, p.key = byHost, clusterOf(p.key)
		}
		t.told(p, s.n, s.when)
	}
	list := make([]*pairCount, 0, t.list.n)
	return slices.AppendSeq(list, t.list.all)
}

// told counts a pair n times. Names are told apart by their ids; profiles and
// pairs stand for less than there is room for.
func (t *pairs) told(p pair, n uint64, when span) {
	h := p.hash(uint64(p.name) | uint64(p.dim)<<16)
	c := t.find(h)
	if c == nil {
		c = t.add(p, h)
	}
	c.n += n
	c.when.merge(when)
}

// fill adds values that were counted exactly to their tops.
func (d *Delta) fill(list []*pairCount) {
	frequent := func(a, b *pairCount) int {
		if a.n != b.n {
			return cmp.Compare(b.n, a.n)
		}
		return d.compare(&a.pair, &b.pair)
	}
	causes := len(d.causes.list) + 1
	for _, list := range partBy(list, causes*int(allHosts+1), func(c **pairCount) uint16 { return uint16((*c).pair.dim)*uint16(causes) + (*c).pair.cause }) {
		if len(list) == 0 {
			continue
		}
		p, t := &list[0].pair, &d.hosts
		if p.dim != allHosts {
			t = &d.causes.of(p.cause).tops[p.dim]
		}
		t.fill(list, frequent, d.textOf)
	}
}

// compare orders values of one dim by what they stand for: ids depend on what
// was met first.
func (d *Delta) compare(a, b *pair) int {
	x, y := unpack(a.key.rest), unpack(b.key.rest)
	if a.dim == byProxy {
		return bytes.Compare(d.proxies.name(uint16(a.key.rest)), d.proxies.name(uint16(b.key.rest)))
	}
	return cmp.Or(bytes.Compare(d.textOf(a), d.textOf(b)), bytes.Compare(d.clusters.name(x.cluster), d.clusters.name(y.cluster)),
		cmp.Compare(x.code, y.code), cmp.Compare(a.key.flags, b.key.flags), bytes.Compare(d.unknown.name(x.unknown), d.unknown.name(y.unknown)))
}

// textOf is the name of a value.
func (d *Delta) textOf(p *pair) []byte {
	switch p.dim {
	case byDetails:
		name := d.details.name(p.name)
		return name[:min(len(name), maxValue)]
	case byPath, byClient, byCaller:
		return d.sights.name(p.name)
	}
	return d.words.name(p.name)
}
