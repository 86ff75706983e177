package sinks

import (
	"bytes"
	"cmp"
	"slices"

	"github.com/flagwatch/flagwatch/classify"
	"github.com/flagwatch/flagwatch/parser"
)

const (
	maxHops = 1 << 14 // failed records that wait to be joined
	maxWay  = 16      // hops of one request; what has more is no id of a request
)

// joins keeps the failed records that have a request id, to find those of one
// request. When they are too many, only ids whose hash ends with level zero
// bits are kept: the same ones everywhere, so that joins merge.
type joins struct {
	hops   chain[hop]
	level  uint8
	left   parser.FlagSet // flags that say that whoever asked went away
	tired  parser.FlagSet // flags that an answer from upstream may carry
	broken parser.FlagSet // flags of a connection to the upstream that broke, or never was
}

func newJoins() joins {
	var t joins
	for name, set := range map[string]*parser.FlagSet{"DC": &t.left, "DR": &t.left, "URX": &t.tired, "UC": &t.broken, "UF": &t.broken, "UR": &t.broken} {
		if f, ok := parser.FlagByName(name); ok {
			*set |= parser.FlagsOf(f)
		}
	}
	return t
}

// A hop is one proxy's record of a failed request.
type hop struct {
	id    uint64 // hash of the request id
	at    int64
	name  uint32 // hash of the authority
	cause uint16
	dir   uint8
	how   uint8
}

// How a hop's response came to be, as bits.
const (
	relayed  = 1 << iota // it came from upstream as it is
	departed             // whoever asked went away first
)

func (h *hop) is(how uint8) bool { return h.how&how != 0 }

// add keeps a failed record; k is its outcome, p its profile or nil.
func (t *joins) add(r *parser.Record, k key, cause uint16, p *profile, at int64) {
	id := r.Bytes(parser.RequestID)
	if len(id) == 0 {
		return
	}
	h := hop{id: hashID(id), at: at, cause: cause}
	if !t.kept(h.id) {
		return
	}
	if p != nil {
		h.name = p.name
	} else {
		h.name = uint32(nameOf(r))
	}
	o := unpack(k.rest)
	flags, by := parser.FlagSet(k.flags), classify.Answerer(o.answered)
	h.dir = o.dir
	if flags&^t.tired == 0 && (by == classify.Upstream || by == classify.Unknown && o.dir != uint8(parser.Inbound)) {
		h.how |= relayed
	}
	if flags&t.left != 0 {
		h.how |= departed
	}
	t.put(h)
}

// kept says whether hops of the request are still kept.
func (t *joins) kept(id uint64) bool { return id&(1<<t.level-1) == 0 }

// nameOf is the hash of the record's authority without its port.
func nameOf(r *parser.Record) uint64 { return hashID(withoutPort(r.Bytes(parser.Authority))) }

func withoutPort(authority []byte) []byte {
	if i := bytes.LastIndexByte(authority, ':'); i > 0 {
		return authority[:i]
	}
	return authority
}

func (t *joins) put(h hop) {
	if !t.kept(h.id) {
		return
	}
	for t.hops.n == maxHops {
		t.thin()
		if !t.kept(h.id) {
			return
		}
	}
	t.hops.add(h)
}

// thin keeps about half of the ids.
func (t *joins) thin() {
	t.level++
	n := 0
	for h := range t.hops.all {
		if t.kept(h.id) {
			*t.hops.at(n) = *h
			n++
		}
	}
	t.hops.cut(n)
}

// merge adds o, whose causes have the given ids here.
func (t *joins) merge(o *joins, ids []uint16) {
	for t.level < o.level {
		t.thin()
	}
	for from := range o.hops.all {
		h := *from
		h.cause = ids[h.cause]
		t.put(h)
	}
}

func (t *joins) reset() {
	t.hops.cut(0)
	t.level = 0
}

// A joined is what the hops of all requests say together, by cause.
type joined struct {
	requests     uint64                       // with an id
	joined       uint64                       // of them with more than one failed record
	consequences map[uint16]map[uint16]uint64 // records of a cause that another cause's explain
	alone        map[uint16]uint64            // relayed failures whose other side is not there
	scale        uint64                       // one hop stands for so many
}

// join looks for the records of one request and blames the innermost one.
func (t *joins) join() joined {
	j := joined{consequences: map[uint16]map[uint16]uint64{}, alone: map[uint16]uint64{}, scale: 1 << t.level}
	hops := make([]hop, 0, t.hops.n)
	for h := range t.hops.all {
		hops = append(hops, *h)
	}
	for _, few := range partBy(hops, 1<<joinBits, func(h *hop) uint16 { return uint16(h.id >> (64 - joinBits)) }) {
		j.requestsOf(few)
	}
	return j
}

// joinBits is how many bits of an id's hash hops are parted by, so that few are
// to be sorted at once.
const joinBits = 12

// requestsOf is given all hops of some requests.
func (j *joined) requestsOf(hops []hop) {
	slices.SortFunc(hops, func(a, b hop) int {
		if a.id != b.id { // most of the time
			return cmp.Compare(a.id, b.id)
		}
		return cmp.Or(cmp.Compare(a.at, b.at), cmp.Compare(b.dir, a.dir), cmp.Compare(a.name, b.name), cmp.Compare(a.cause, b.cause))
	})
	for len(hops) > 0 {
		n := 1
		for n < len(hops) && hops[n].id == hops[0].id {
			n++
		}
		j.request(hops[:n])
		hops = hops[n:]
	}
}

// request is given the failed hops of one request, the earliest first.
func (j *joined) request(hops []hop) {
	j.requests += j.scale
	if len(hops) > maxWay {
		return
	}
	if len(hops) == 1 {
		if hops[0].is(relayed) {
			j.alone[hops[0].cause] += j.scale
		}
		return
	}
	j.joined += j.scale
	blamed := blame(hops)
	for i := range hops {
		if h := &hops[i]; h.follows(blamed) {
			if j.consequences[h.cause] == nil {
				j.consequences[h.cause] = map[uint16]uint64{}
			}
			j.consequences[h.cause][blamed.cause] += j.scale
		}
	}
}

// blame chooses the hop with the cause: the innermost one that does not pass
// on what it got, nor was cut off by whoever asked. If all of them were cut
// off, the outermost one knows who went first.
func blame(hops []hop) *hop {
	var best *hop
	for i := range hops {
		h := &hops[i]
		switch {
		case best == nil, h.weight() > best.weight(), h.weight() == best.weight() && !h.is(departed) && h.inside(best):
			best = h
		case h.weight() == best.weight() && h.is(departed) && best.inside(h):
			best = h
		}
	}
	return best
}

// weight is how much a hop knows of the cause.
func (h *hop) weight() int {
	switch {
	case h.is(relayed):
		return 0
	case h.is(departed):
		return 1
	}
	return 2
}

// inside says whether h is nearer to the end of the request's way than o.
// Between the two proxies of one hop the direction tells, whatever their
// clocks say; else the later one is inside, and at the same time the one that
// calls on.
func (h *hop) inside(o *hop) bool {
	inbound, outbound := uint8(parser.Inbound), uint8(parser.Outbound)
	if h.name == o.name && h.dir != o.dir && h.dir|o.dir == inbound|outbound {
		return h.dir == inbound
	}
	if h.at != o.at {
		return h.at > o.at
	}
	return h.dir == outbound && o.dir == inbound
}

// follows says whether h is a consequence of the blamed hop, not another try
// on the same hop.
func (h *hop) follows(blamed *hop) bool {
	return h != blamed && (h.how != 0 || h.dir != blamed.dir || h.name != blamed.name)
}
