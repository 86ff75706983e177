package sinks

import (
	"github.com/flagwatch/flagwatch/classify"
	"github.com/flagwatch/flagwatch/parser"
)

const (
	maxProfiles = 4096 // how many a Delta keeps
	maxWords    = 8192 // texts that profiles and hosts are told apart by
	maxSights   = 2048 // paths and clients
)

// profiles count records with a cause by all at once that they are told apart
// by, but for what has many values: most records of a cause differ in little
// else, so they cost one counter. What is told apart one by one is derived
// when a report is computed: see settled.
type profiles struct {
	list  chain[profile]
	slots []uint16 // place in list and one, by hash; 0: free
}

// A profile is what records have in common. What a record of a known face needs
// of it fills a line of a cache.
type profile struct {
	n      uint64
	when   span
	group  *group // of the cause; nil: not known yet
	name   uint32 // hash of the authority without its port
	sort   uint16 // id of cells; 0: not known yet
	key    profileKey
	rivals []*classify.Cause
	work   *work  // workload of the records that are owed to a meter
	owed   uint64 // how many
	_      uint64 // fills two lines
}

// A profileKey is made of ids, so that equal keys are equal profiles.
type profileKey struct {
	flags   uint64
	outcome uint64 // see pack
	verdict uint64 // see packVerdict
	texts   uint64 // ids of valueDims, but for the details
}

// valueDims are the dims whose values are texts of words, in the
// order of profileKey.texts.
var valueDims = [...]dim{byRoute, byAuthority, byServerName, byReason}

func packVerdict(v *classify.Verdict, cause, proxy uint16) uint64 {
	return uint64(cause) | uint64(proxy)<<16 | uint64(v.Side)<<32 | uint64(v.Confidence)<<40 | uint64(len(v.Rivals))<<48
}

func (k *profileKey) cause() uint16                   { return uint16(k.verdict) }
func (k *profileKey) proxy() uint16                   { return uint16(k.verdict >> 16) }
func (k *profileKey) side() classify.Side             { return classify.Side(k.verdict >> 32) }
func (k *profileKey) confidence() classify.Confidence { return classify.Confidence(k.verdict >> 40) }
func (k *profileKey) text(i int) uint16               { return uint16(k.texts >> (16 * i)) }

func (k *profileKey) hash() uint64 {
	return fold(fold(k.flags^0x8ebc6af09c88c6e3, k.outcome), fold(k.verdict, k.texts))
}

// at is the place of a profile in slots, or the free one where it belongs.
func (t *profiles) at(k *profileKey, rivals []*classify.Cause) uint64 {
	mask := uint64(len(t.slots) - 1)
	i := k.hash() & mask
	for ; t.slots[i] != 0; i = (i + 1) & mask {
		if p := t.list.at(int(t.slots[i]) - 1); p.key == *k && sameCauses(p.rivals, rivals) {
			break
		}
	}
	return i
}

// sameCauses compares lists of one length. Those of one rule are one list.
func sameCauses(a, b []*classify.Cause) bool {
	if len(a) == 0 || &a[0] == &b[0] {
		return true
	}
	for i := range a {
		if a[i] != b[i] {
			return false
		}
	}
	return true
}

// of returns the profile of a key, a new one if need be; nil when there is no
// room.
func (t *profiles) of(k *profileKey, rivals []*classify.Cause) *profile {
	if len(t.slots) == 0 {
		t.slots = make([]uint16, 64)
	}
	i := t.at(k, rivals)
	if t.slots[i] == 0 {
		if t.list.n == maxProfiles {
			return nil
		}
		if 2*(t.list.n+1) > len(t.slots) {
			t.grow()
			i = t.at(k, rivals)
		}
		t.list.add(profile{key: *k, rivals: rivals})
		t.slots[i] = uint16(t.list.n)
	}
	return t.list.at(int(t.slots[i]) - 1)
}

func (t *profiles) grow() {
	t.slots = make([]uint16, 2*len(t.slots))
	for i := range t.list.n {
		p := t.list.at(i)
		t.slots[t.at(&p.key, p.rivals)] = uint16(i + 1)
	}
}

func (t *profiles) reset() {
	t.list.cut(0)
	clear(t.slots)
}

// profileKey reads what the profile of a record is made of. It is false when
// one of its texts found no room.
func (d *Delta) profileKey(r *parser.Record, v *classify.Verdict, outcome key, cause, proxy uint16) (k profileKey, ok bool) {
	k = profileKey{flags: outcome.flags, outcome: outcome.rest, verdict: packVerdict(v, cause, proxy)}
	route, authority := d.value(r.Bytes(parser.RouteName)), d.value(r.Bytes(parser.Authority))
	server, reason := d.value(r.Bytes(parser.RequestedServerName)), d.value(transportReason(r))
	k.texts = uint64(route) | uint64(authority)<<16 | uint64(server)<<32 | uint64(reason)<<48
	return k, route != otherName && authority != otherName && server != otherName && reason != otherName
}

// value is the id of a text.
func (d *Delta) value(text []byte) uint16 { return d.words.id(text[:min(len(text), maxValue)]) }

// count adds a record that was met at a time.
func (p *profile) count(at int64, timed bool) {
	p.n++
	if timed {
		p.when.add(at)
	}
}

// expand takes a profile apart: d counts its values one by one. texts are
// those of valueDims.
func (d *Delta) expand(k *profileKey, rivals []*classify.Cause, texts *[len(valueDims)][]byte, n uint64, when span) {
	d.addCombo(key{flags: k.flags, rest: k.outcome}, n)
	g := d.causes.of(k.cause())
	g.total(k, rivals, n, when)
	for by, e := range k.keys() {
		g.tops[by].addMany(e, nil, n, when)
	}
	if details := d.details.name(unpack(k.outcome).details); len(details) > 0 {
		g.tops[byDetails].addMany(key{}, details, n, when)
	}
	for i, by := range valueDims {
		if len(texts[i]) > 0 {
			g.tops[by].addMany(key{}, texts[i], n, when)
		}
	}
}

// keys walks the dims whose values are keys.
func (k *profileKey) keys() func(yield func(dim, key) bool) {
	return func(yield func(dim, key) bool) {
		o := unpack(k.outcome)
		_ = yield(byCluster, key{rest: packPlain(o.cluster, 0, noName, 0)}) &&
			yield(byOutcome, key{flags: k.flags, rest: packPlain(noName, o.code, o.unknown, 0)}) &&
			yield(byProxy, key{rest: uint64(k.proxy())})
	}
}

// total adds what is not told apart.
func (g *group) total(k *profileKey, rivals []*classify.Cause, n uint64, when span) {
	g.access.add(n, unpack(k.outcome).failed)
	g.sides[k.side()] += n
	g.confidences[k.confidence()] += n
	for _, c := range rivals {
		g.addRival(c, n)
	}
	g.when.merge(when)
}
