package parser

import (
	"hash/maphash"
	"math/bits"
)

// endingColumns tell how the request of an object ended, beside its code and
// its flags.
var endingColumns = [...]Field{
	ResponseCodeDetails, ConnectionTerminationDetails, UpstreamTransportFailureReason, DownstreamTransportFailureReason, GRPCStatus, policyStatus,
}

// Ending returns a hash of all that tells how the request ended: of two records
// of one dialect with the same one, the code, the flags, the details, those of
// the connection's termination, the transport failure reasons and the gRPC
// status are the same, and nothing else tells it. It is false when it would not
// be cheap, or the parser was not asked for all of them.
func (r *Record) Ending(seed maphash.Seed) (hash uint64, ok bool) {
	switch {
	case r.ending.hi > 0:
		return maphash.Bytes(seed, r.text[r.ending.lo:r.ending.hi]), true
	case r.ordered != nil:
		return r.orderedEnding(seed), true
	}
	return 0, false
}

// orderedEnding is Ending of an object that was read in an order. Values count
// as they are written: where they differ, what they mean may be the same.
func (r *Record) orderedEnding(seed maphash.Seed) uint64 {
	code := uint64(r.code) << 2
	if r.hasCode {
		code |= 1
	}
	if r.hasFlags {
		code |= 2
	}
	h := mixed(uint64(r.flags), code)
	if r.flags&UnknownFlags != 0 {
		h = mixed(h, maphash.Bytes(seed, r.ordinal(ResponseFlags).of(r.text)))
	}
	for i, f := range endingColumns {
		if at := r.ordinal(f); at.hi > at.lo {
			h = mixed(h+uint64(i), maphash.Bytes(seed, at.of(r.text)))
		}
	}
	return h
}

// mixed is another word for each pair of words, as far as that goes.
func mixed(a, b uint64) uint64 {
	hi, lo := bits.Mul64(a^0x8ebc6af09c88c6e3, b^0x9fb21c651e98df25)
	return hi ^ lo ^ a<<1
}

// Stamp returns the start time as it was written, if it ends in a Z behind
// milliseconds, and stands at hand; else nil. It lives as long as the record.
func (r *Record) Stamp() *[len(usualTime)]byte {
	if r.ending.hi == 0 {
		return r.orderedStamp()
	}
	return (*[len(usualTime)]byte)(r.text[1:])
}

// orderedStamp is Stamp of an object that was read in an order.
func (r *Record) orderedStamp() *[len(usualTime)]byte {
	if r.ordered == nil {
		return nil
	}
	at := r.ordinal(StartTime)
	if int(at.hi-at.lo) != len(usualTime) || r.text[at.hi-1] != 'Z' {
		return nil
	}
	return (*[len(usualTime)]byte)(r.text[at.lo:])
}
