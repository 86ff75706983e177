package gen

import "time"

// A record is one access record before a layout renders it.
type record struct {
	out       *outcome
	svc       *service
	host      *host
	peer      *host
	agent     *agent
	stand     int
	method    string
	protocol  string
	forwarded string
	start     int64 // ms since 1970
	took      int64 // ms
	service   int64 // ms
	received  int64
	sent      int64
	wrapper   int // bytes that the layout put around the record
	idHi      uint64
	idLo      uint64
	portUp    uint64
	portDown  uint64
}

// draw fills the record and the path.
func (g *Generator) draw() *record {
	r := &g.rec
	a, b := g.rng.Uint64(), g.rng.Uint64()
	of := healthy
	if a>>32 < g.fail {
		of = failing
	}
	pick := of[a&(1<<tableBits-1)]
	g.tally[pick]++
	r.out = &outcomes[pick]
	r.stand = int(stands[a>>tableBits&(1<<tableBits-1)])
	r.svc = &services[serviceOf[b&(1<<tableBits-1)]]
	r.host = &r.svc.hosts[b>>14&0xff*uint64(len(r.svc.hosts))>>8]
	from := &services[serviceOf[b>>22&(1<<tableBits-1)]]
	r.peer = &from.hosts[b>>36&0xff*uint64(len(from.hosts))>>8]
	r.portUp, r.portDown = 32768+b>>44&0x3fff, 32768+b>>50&0x3fff
	r.idHi, r.idLo = g.rng.Uint64(), g.rng.Uint64()
	r.wrapper = 0
	g.drawHTTP(r)
	g.drawSizes(r)
	g.clock += int64(a >> tableBits & 3)
	r.start = g.clock - r.took
	return r
}

func (g *Generator) drawHTTP(r *record) {
	a := g.rng.Uint64()
	index := func(shift int) uint64 { return a >> shift & (1<<tableBits - 1) }
	r.method = methods[methodOf[index(0)]]
	r.protocol = "HTTP/1.1"
	r.forwarded = "-"
	switch {
	case r.stand == gateway:
		r.agent = &browsers[browserOf[index(14)]]
		r.forwarded = publics[publicOf[index(28)]]
		r.protocol = "HTTP/2"
	case r.svc.grpc:
		r.agent = &rpcAgents[rpcOf[index(14)]]
		r.method, r.protocol = "POST", "HTTP/2"
	default:
		r.agent = &libraries[libraryOf[index(14)]]
	}
	path := r.svc.paths[int(pathOf[index(42)])%len(r.svc.paths)]
	g.path = appendPath(g.path[:0], path, r.idLo)
}

func (g *Generator) drawSizes(r *record) {
	a := g.rng.Uint64()
	took := durations[a&0xfff]
	r.service = took
	r.took = took + int64(a>>12&1) + r.out.took
	r.received, r.sent = 0, r.out.body
	if r.method == "POST" || r.method == "PUT" || r.method == "PATCH" {
		r.received = requestSizes[a>>24&0xfff]
	}
	if r.out.far == answered && r.method != "HEAD" {
		r.sent = responseSizes[a>>36&0xfff]
	}
	if r.out.tcp && r.out.far == answered {
		r.received, r.sent = tcpSizes[a>>24&0xfff], tcpSizes[a>>36&0xfff]
	}
	if r.out.tcp && r.out.far != answered {
		r.received, r.sent = 0, 0
	}
}

// appendPath puts ids into a template: nearly every path is another one.
func appendPath(dst []byte, template string, id uint64) []byte {
	for i := 0; i < len(template); i++ {
		switch c := template[i]; c {
		case '#':
			dst = appendInt(dst, int64(id&0xffffff))
		case '@':
			dst = appendUUID(dst, id*0x9e3779b97f4a7c15, id)
		case '$':
			dst = appendHex(dst, id, 8)
		default:
			dst = append(dst, c)
		}
	}
	return dst
}

const hexDigits = "0123456789abcdef"

// appendHex appends the n lowest hexadecimal digits of v.
func appendHex(dst []byte, v uint64, n int) []byte {
	for shift := 4 * (n - 1); shift >= 0; shift -= 4 {
		dst = append(dst, hexDigits[v>>shift&15])
	}
	return dst
}

// appendUUID appends a UUID of version 4, as Envoy makes request ids.
func appendUUID(dst []byte, hi, lo uint64) []byte {
	var u [36]byte
	hi = hi&^0xf000 | 0x4000
	lo = lo&^(3<<62) | 1<<63
	for i, v := range [2]uint64{hi, lo} {
		for j := 15; j >= 0; j-- {
			u[hexAt[i*16+j]] = hexDigits[v&15]
			v >>= 4
		}
	}
	u[8], u[13], u[18], u[23] = '-', '-', '-', '-'
	return append(dst, u[:]...)
}

// hexAt is where a UUID keeps its digits.
var hexAt = [32]uint8{0, 1, 2, 3, 4, 5, 6, 7, 9, 10, 11, 12, 14, 15, 16, 17, 19, 20, 21, 22, 24, 25, 26, 27, 28, 29, 30, 31, 32, 33, 34, 35}

func appendInt(dst []byte, n int64) []byte {
	if n < 0 {
		n = 0
	}
	var b [20]byte
	i := len(b)
	for {
		i--
		b[i] = byte('0' + n%10)
		if n /= 10; n == 0 {
			return append(dst, b[i:]...)
		}
	}
}

// A stamp renders times; it keeps the text of the last minute.
type stamp struct {
	minute int64
	text   [17]byte
}

// append appends ms as 2026-01-30T04:00:00.000Z.
func (s *stamp) append(dst []byte, ms int64) []byte {
	if m := ms / 60000; m != s.minute {
		s.minute = m
		time.UnixMilli(m*60000).UTC().AppendFormat(s.text[:0], "2006-01-02T15:04:")
	}
	sec, milli := ms%60000/1000, ms%1000
	dst = append(dst, s.text[:]...)
	return append(dst, byte('0'+sec/10), byte('0'+sec%10), '.', byte('0'+milli/100), byte('0'+milli/10%10), byte('0'+milli%10), 'Z')
}
