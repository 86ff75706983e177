package sinks

import (
	"bytes"
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

// add counts an answer.
func (h *heard) add(at int64) {
	h.n++
	h.when.add(at)
	h.at.add(at)
}

func (h *heard) merge(o *heard) {
	h.n += o.n
	h.when.merge(o.when)
	h.at.merge(o.at)
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
			if h := s.client(hashID(withoutPort(r.Bytes(parser.DownstreamRemoteAddress)))); h != nil {
				h.add(at)
			}
		}
	}
	if authority := withoutPort(r.Bytes(parser.Authority)); len(authority) > 0 {
		if h := d.fleet.authority(hashID(authority)); h != nil {
			h.add(at)
		}
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

// client is the place of a client that got an answer; nil when it is not kept.
func (s *served) client(hash uint64) *heard {
	list, h := heardOf(s.clients[:s.numClient], hash, maxClients)
	s.numClient = uint8(len(list))
	return h
}

// authority is the place of an authority that got an answer; nil when it is not
// kept.
func (t *fleet) authority(hash uint64) (h *heard) {
	t.heard, h = heardOf(t.heard, hash, maxHeard)
	return h
}

// heardOf finds a place in a sorted list, of which the lowest hashes are kept,
// or makes one.
func heardOf(list []heard, hash uint64, most int) ([]heard, *heard) {
	i, end := 0, len(list)
	for i < end {
		if mid := int(uint(i+end) >> 1); list[mid].hash < hash {
			i = mid + 1
		} else {
			end = mid
		}
	}
	switch {
	case i < len(list) && list[i].hash == hash:
		return list, &list[i]
	case i == most:
		return list, nil
	case len(list) == most:
		copy(list[i+1:], list[i:])
		list[i] = heard{}
	default:
		list = slices.Insert(list, i, heard{})
	}
	list[i].hash = hash
	return list, &list[i]
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
		for i := range from.clients[:from.numClient] {
			if h := to.client(from.clients[i].hash); h != nil {
				h.merge(&from.clients[i])
			}
		}
		to.tcp += from.tcp
		to.short += from.short
	}
	for i := range o.heard {
		if h := t.authority(o.heard[i].hash); h != nil {
			h.merge(&o.heard[i])
		}
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
