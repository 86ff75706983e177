package sinks

import (
	"bytes"
	"slices"

	"github.com/flagwatch/flagwatch/parser"
)

const (
	maxServing = 16      // hosts of a cluster that are told apart
	maxCallers = 4       // proxies that call a cluster
	maxHome    = 48      // bytes of an address with its port
	helloBytes = 1 << 10 // no server's side of a full TLS handshake is that short
)

// A fleet is what successes tell of clusters and proxies. One record of sixteen
// is looked at, chosen by its time alone: each worker chooses the same ones,
// so fleets merge like sets.
type fleet struct {
	clusters []served // by id of clusters
	homes    []home   // by id of proxies
}

// A served is what answered for a cluster, and for whom.
type served struct {
	hosts   [maxServing]uint64 // hashes of hosts that answered
	callers [maxCallers]uint16 // ids of proxies
	numHost uint8
	tcp     uint64 // connections of TCP, all of them
	short   uint64 // of them: too short for TLS to have worked
}

// A home is the address that a proxy's own application has.
type home struct {
	address [maxHome]byte
	length  uint8
}

// lookedAt chooses records by their time.
func lookedAt(at int64) bool { return at>>20&15 == 0 }

// look learns from a success.
func (d *Delta) look(from *Origin, r *parser.Record, cluster uint16, dir parser.Direction) {
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
		to.tcp += from.tcp
		to.short += from.short
	}
	for i := range o.homes {
		if h := &o.homes[i]; h.length > 0 {
			t.live(proxies[i], h.address[:h.length])
		}
	}
}

func (t *fleet) reset() { t.clusters, t.homes = t.clusters[:0], t.homes[:0] }

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
