package sinks

import (
	"bytes"
	"cmp"
	"slices"

	"github.com/flagwatch/flagwatch/parser"
)

const (
	maxServing = 16      // hosts of a cluster that are told apart
	maxCallers = 4       // proxies that call a cluster
	maxClients = 4       // clients of a cluster
	maxHeard   = 32      // authorities that got an answer
	lookedEach = 16      // records, of which one is looked at
	maxHome    = 48      // bytes of an address with its port
	helloBytes = 1 << 10 // no server's side of a full TLS handshake is that short
)

// A fleet is what successes tell of clusters and proxies. One record of sixteen
// is looked at, chosen by its time alone: each worker chooses the same ones,
// so fleets merge like sets.
type fleet struct {
	clusters []served // by id of clusters
	homes    []home   // by id of proxies
	heard    []heard  // authorities by hash, the lowest ones
}

// A heard is what was answered, and when.
type heard struct {
	hash uint64
	n    uint64
	when span
	at   marks
}

// heardAt is one answer.
func heardAt(name []byte, at int64) heard {
	h := heard{hash: hashID(name), n: 1, when: span{at, at, true}}
	h.at.add(at)
	return h
}

// A served is what answered for a cluster, and for whom.
type served struct {
	hosts     [maxServing]uint64 // hashes of hosts that answered
	callers   [maxCallers]uint16 // ids of proxies
	clients   [maxClients]heard  // by their addresses, those with the lowest hashes
	numHost   uint8
	numClient uint8
	tcp       uint64 // connections of TCP, all of them
	short     uint64 // of them: too short for TLS to have worked
}

// A home is the address that a proxy's own application has.
type home struct {
	address [maxHome]byte
	length  uint8
}

// lookedAt chooses records by their time.
func lookedAt(at int64) bool { return at>>20%lookedEach == 0 }

// look learns from a success.
func (d *Delta) look(from *Origin, r *parser.Record, cluster uint16, dir parser.Direction, at int64) {
	d.latencies.measure(r)
	host := r.Bytes(parser.UpstreamHost)
	if len(host) == 0 {
		return
	}
	proxy := d.proxy(from, r)
	if dir == parser.Inbound {
		d.fleet.live(proxy, host)
	}
	if s := d.fleet.of(cluster); s != nil {
		s.addHost(hashID(host))
		s.addCaller(proxy)
		if dir == parser.Outbound || dir == parser.Inbound {
			s.addClient(heardAt(withoutPort(r.Bytes(parser.DownstreamRemoteAddress)), at))
		}
	}
	if authority := withoutPort(r.Bytes(parser.Authority)); len(authority) > 0 {
		d.fleet.hear(heardAt(authority, at))
	}
}

// lookTCP counts a finished connection to a port of TLS.
func (d *Delta) lookTCP(r *parser.Record, cluster uint16) {
	if s := d.fleet.of(cluster); s != nil && bytes.HasPrefix(d.clusters.name(cluster), []byte("outbound|443|")) {
		s.tcp++
		received, _ := r.Number(parser.BytesReceived)
		if sent, ok := r.Number(parser.BytesSent); ok && received > 0 && sent > 0 && sent < helloBytes {
			s.short++
		}
	}
}

// of is nil for records without a cluster, and for clusters that share an id.
func (t *fleet) of(cluster uint16) *served {
	if cluster < firstName {
		return nil
	}
	for int(cluster) >= len(t.clusters) {
		t.clusters = append(t.clusters, served{})
	}
	return &t.clusters[cluster]
}

func (s *served) addHost(hash uint64) {
	if s.numHost < maxServing && !slices.Contains(s.hosts[:s.numHost], hash) {
		s.hosts[s.numHost] = hash
		s.numHost++
	}
}

// addClient counts a client that got an answer.
func (s *served) addClient(c heard) {
	list := insertHeard(s.clients[:s.numClient], c, maxClients)
	s.numClient = uint8(len(list))
}

// hear counts an authority that got an answer.
func (t *fleet) hear(a heard) { t.heard = insertHeard(t.heard, a, maxHeard) }

// insertHeard adds to a sorted list, of which the lowest hashes are kept. The
// list has room for them.
func insertHeard(list []heard, a heard, most int) []heard {
	if len(list) == most && a.hash > list[most-1].hash {
		return list
	}
	i, found := slices.BinarySearchFunc(list, a.hash, func(h heard, hash uint64) int { return cmp.Compare(h.hash, hash) })
	switch {
	case found:
		list[i].n += a.n
		list[i].when.merge(a.when)
		list[i].at.merge(a.at)
	case len(list) == most:
		copy(list[i+1:], list[i:])
		list[i] = a
	default:
		list = slices.Insert(list, i, a)
	}
	return list
}

// last is what was answered of an authority; ok is false when that is not known.
func (t *fleet) last(authority string) (h heard, ok bool) {
	hash := hashID([]byte(authority))
	for _, h := range t.heard {
		if h.hash == hash {
			return h, true
		}
	}
	return heard{}, len(t.heard) < maxHeard
}

// dropClients forgets who got answers.
func (t *fleet) dropClients() {
	for i := range t.clusters {
		t.clusters[i].clients, t.clusters[i].numClient = [maxClients]heard{}, 0
	}
}

// known is what a cluster served, nil when nothing is known.
func (t *fleet) known(cluster uint16) *served {
	if cluster < firstName || int(cluster) >= len(t.clusters) {
		return nil
	}
	return &t.clusters[cluster]
}

func (s *served) addCaller(proxy uint16) {
	for i, have := range s.callers {
		if have == proxy {
			return
		}
		if have == noName {
			s.callers[i] = proxy
			return
		}
	}
}

// live notes where a proxy's application listens. Of several addresses the
// first in order is kept.
func (t *fleet) live(proxy uint16, host []byte) {
	if len(host) > maxHome || bytes.HasPrefix(host, []byte("127.")) || bytes.HasPrefix(host, []byte("[::")) || bytes.IndexByte(host, ':') < 0 {
		return
	}
	for int(proxy) >= len(t.homes) {
		t.homes = append(t.homes, home{})
	}
	if h := &t.homes[proxy]; h.length == 0 || bytes.Compare(host, h.address[:h.length]) < 0 {
		h.length = uint8(copy(h.address[:], host))
	}
}

func (t *fleet) merge(o *fleet, clusters, proxies []uint16) {
	for i := range o.clusters {
		from, to := &o.clusters[i], t.of(clusters[i])
		if to == nil {
			continue
		}
		for _, h := range from.hosts[:from.numHost] {
			to.addHost(h)
		}
		for _, c := range from.callers {
			to.addCaller(proxies[c])
		}
		for _, c := range from.clients[:from.numClient] {
			to.addClient(c)
		}
		to.tcp += from.tcp
		to.short += from.short
	}
	for _, a := range o.heard {
		t.hear(a)
	}
	for i := range o.homes {
		if h := &o.homes[i]; h.length > 0 {
			t.live(proxies[i], h.address[:h.length])
		}
	}
}

func (t *fleet) reset() { t.clusters, t.homes, t.heard = t.clusters[:0], t.homes[:0], t.heard[:0] }

// hostsBeside counts the hosts of a cluster that answered, other than those
// of a top. With all of maxServing taken there may be more.
func (t *fleet) hostsBeside(cluster uint16, failing *top) (n int, more bool) {
	if cluster < firstName || int(cluster) >= len(t.clusters) {
		return 0, false
	}
	s := &t.clusters[cluster]
	for _, h := range s.hosts[:s.numHost] {
		if !slices.ContainsFunc(failing.list, func(e entry) bool {
			return unpack(e.key.rest).cluster == cluster && hashID(e.name[:e.length]) == h
		}) {
			n++
		}
	}
	return n, s.numHost == maxServing
}

// homeOf is the proxy whose application has an address; the port is not
// compared when the proxy does not know of it.
func (t *fleet) homeOf(ip string) (proxy uint16, ok bool) {
	for i := range t.homes {
		h := &t.homes[i]
		if h.length > 0 && hostOf(string(h.address[:h.length])) == ip {
			return uint16(i), true
		}
	}
	return 0, false
}

// homeAt is the address of a proxy's application, "" if it has none.
func (t *fleet) homeAt(proxy uint16) string {
	if int(proxy) >= len(t.homes) {
		return ""
	}
	h := &t.homes[proxy]
	return string(h.address[:h.length])
}
