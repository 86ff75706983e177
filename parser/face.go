package parser

import "hash/maphash"

// faceColumns tell for whom a request of an object was, beside its ending.
var faceColumns = [...]Field{Authority, UpstreamCluster, RequestedServerName, RouteName}

// Face returns a hash of the record's ending and of all that tells for whom the
// request was: of two records with the same one, the dialect, the direction, the
// cluster, the authority, the route and the server name are the same, too, and
// so are whether there is a service time and, with a code below 400, whether
// bytes were sent. Records that are alike in all this may have different faces.
// It is false where Ending is.
func (r *Record) Face(seed maphash.Seed) (hash uint64, ok bool) {
	h, ok := r.Ending(seed)
	if !ok {
		return 0, false
	}
	h = mixed(h, uint64(r.Dialect)<<16|uint64(r.direction)<<8|r.service())
	if r.ordered != nil {
		for _, f := range faceColumns {
			h = mixed(h, maphash.Bytes(seed, r.ordinal(f).of(r.text)))
		}
		return h, true
	}
	h = mixed(h, maphash.Bytes(seed, r.userSpan(Authority).of(r.text)))
	if r.layout.Has(UpstreamCluster) {
		from := r.spans[UpstreamCluster].hi
		if r.Has(DownstreamRemoteAddress) {
			from = r.spans[DownstreamRemoteAddress].hi
		}
		h = mixed(h, maphash.Bytes(seed, r.spans[UpstreamCluster].of(r.text)))
		h = mixed(h, maphash.Bytes(seed, r.text[from:]))
	}
	return h, true
}

// service is bit 0 when there is a service time, and bit 1 when the code is
// below 400 and bytes were sent.
func (r *Record) service() (bits uint64) {
	if r.ordered != nil {
		if r.Has(UpstreamServiceTime) {
			bits = 1
		}
	} else if r.text[r.userSpan(XForwardedFor).lo-3]-'0' <= 9 { // in front of a blank and a quote
		bits = 1
	}
	if r.code < 400 {
		if n, _ := r.Int(BytesSent); n > 0 {
			bits |= 2
		}
	}
	return bits
}
