package parser

import "math/bits"

// find makes sure of a late field: of those of its group, or of it alone when
// its place is known.
func (r *Record) find(f Field) {
	switch {
	case r.ordered != nil:
		at := r.ordinal(f)
		r.set(f, int(at.lo), int(at.hi))
		r.late &^= 1 << f
	case r.planned != nil:
		r.findPlanned(f)
	case requestFields.Has(f):
		r.setRequest(r.late, requestLine, r.blankFrom(requestLine), int(r.proto), int(r.reqEnd))
		r.late &^= requestFields
	case numberFields.Has(f):
		r.findNumbers()
		r.late &^= numberFields
	case tailFields.Has(f):
		r.findTail()
		r.late &^= tailFields
	default:
		r.setAlone(f)
		r.late &^= 1 << f
	}
}

// setAlone stores a field that is in no group.
func (r *Record) setAlone(f Field) {
	at := r.spans[f]
	if userFields.Has(f) {
		at = r.userSpan(f)
	}
	r.set(f, int(at.lo), int(at.hi))
}

// userSpan is where one of userFields stands in a line that flat read.
func (r *Record) userSpan(f Field) span {
	k := 2 * (f - XForwardedFor)
	return span{uint32(r.users[k]) + 1 - r.base, uint32(r.users[k+1]) - r.base}
}

// findAll looks for all late columns.
func (r *Record) findAll() {
	if r.ordered == nil && r.planned == nil {
		r.findFlat()
	}
	for r.late != 0 {
		r.find(Field(bits.TrailingZeros64(uint64(r.late))))
	}
}

// findFlat does so for a layout that flat reads: group by group, and those
// whose place is known in one go.
func (r *Record) findFlat() {
	for _, f := range [...]Field{Method, BytesReceived, UpstreamLocalAddress} {
		if r.late.Has(f) {
			r.find(f)
		}
	}
	alone := r.late &^ (requestFields | numberFields | tailFields)
	r.late &^= alone
	for ; alone != 0; alone &= alone - 1 {
		r.setAlone(Field(bits.TrailingZeros64(uint64(alone))))
	}
}

// setLate stores text[lo:hi] if the parser was asked for the field.
func (r *Record) setLate(f Field, lo, hi int) {
	if r.late.Has(f) {
		r.set(f, lo, hi)
	}
}

// setRequest stores the wanted parts of the request line text[lo:end], which
// begins with a method up to m and ends with the protocol.
func (r *Record) setRequest(want FieldSet, lo, m, proto, end int) {
	if want.Has(Method) {
		r.set(Method, lo, m)
	}
	if want.Has(Path) && m+1 < proto {
		r.set(Path, m+1, proto-1)
	}
	if want.Has(Protocol) {
		r.set(Protocol, proto, end)
	}
}

// findNumbers reads the four columns from the bytes received on.
func (r *Record) findNumbers() {
	r.numbers(int(r.digits))
	for f := BytesReceived; f <= UpstreamServiceTime; f++ {
		r.setLate(f, int(r.spans[f].lo), int(r.spans[f].hi))
	}
}

// findTail reads the columns behind the cluster; the last one goes on to the
// end of the line.
func (r *Record) findTail() {
	s, lo := r.text, int(r.spans[UpstreamCluster].hi)+1
	last := RequestedServerName
	if r.layout.Has(RouteName) {
		last = RouteName
	}
	for f := UpstreamLocalAddress; f < last; f++ {
		hi := r.blankFrom(lo)
		r.setLate(f, lo, hi)
		lo = hi + 1
	}
	hi := len(s)
	for hi > lo && s[hi-1] == ' ' {
		hi--
	}
	r.setLate(last, lo, hi)
}

// blankFrom is the place of the first blank from lo on; behind the text or
// negative when there is none.
func (r *Record) blankFrom(lo int) int {
	if wide {
		if w := r.scanned.from(int(r.base) + lo); w != 0 {
			return lo + bits.TrailingZeros64(w)
		}
	}
	return searchStop(r.text, lo, ' ')
}
