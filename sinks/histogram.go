package sinks

import "math/bits"

// A histogram counts durations in whole milliseconds. Below 32 ms each has a
// bucket of its own; above, sixteen buckets share a power of two, so a bucket
// is at most 1/16 wide. Histograms merge exactly.
type histogram struct {
	n     uint64
	max   int64
	parts [numBuckets / 16]*[16]uint64 // of the buckets; nil: nothing is in them
}

const numBuckets = 32 + 16*22 // up to 2^27 ms, a day and a half

func (h *histogram) add(ms int64) {
	ms = max(ms, 0)
	*h.bucket(bucketOf(ms))++
	h.n++
	h.max = max(h.max, ms)
}

// bucket is where a bucket is counted.
func (h *histogram) bucket(i int) *uint64 {
	p := h.parts[i/16]
	if p == nil {
		p = new([16]uint64)
		h.parts[i/16] = p
	}
	return &p[i%16]
}

func (h *histogram) count(i int) uint64 {
	if p := h.parts[i/16]; p != nil {
		return p[i%16]
	}
	return 0
}

// reset keeps the memory.
func (h *histogram) reset() {
	for _, p := range h.parts {
		if p != nil {
			clear(p[:])
		}
	}
	h.n, h.max = 0, 0
}

// bucketOf has no branch for the short ones: which come next can not be foreseen.
func bucketOf(ms int64) int {
	shift := bits.Len64(uint64(ms)|31) - 5
	return min(16*shift+int(ms>>shift), numBuckets-1)
}

// lowest is the smallest duration of a bucket.
func lowest(bucket int) int64 {
	if bucket < 32 {
		return int64(bucket)
	}
	shift := bucket/16 - 1
	return int64(16+bucket%16) << shift
}

func (h *histogram) merge(o *histogram) {
	if o.n == 0 {
		return
	}
	for i := range numBuckets {
		if n := o.count(i); n > 0 {
			*h.bucket(i) += n
		}
	}
	h.n += o.n
	h.max = max(h.max, o.max)
}

// quantile is the largest duration that part q of all do not exceed, as far
// as the buckets tell.
func (h *histogram) quantile(q float64) int64 {
	rank := uint64(q * float64(h.n))
	sum := uint64(0)
	for i := range numBuckets {
		if sum += h.count(i); sum > rank {
			return min(max(lowest(i+1)-1, lowest(i)), h.max)
		}
	}
	return h.max
}

// gathers says whether n durations close to whole seconds are more than the
// durations around them make probable.
func (h *histogram) gathers(seconds int64, n uint64) bool {
	from := bucketOf(seconds*wholeSecond - wholeSecond/2)
	to := bucketOf(seconds*wholeSecond+wholeSecond/2) + 1
	around := uint64(0)
	for i := from; i < to; i++ {
		around += h.count(i)
	}
	timer := float64(early + lateness(seconds))
	others := float64(around-min(around, n)) / (float64(lowest(to)-lowest(from)) - timer)
	const few = 0.04 // that chance brings anyway
	return atLeastMean(n, max(others*timer, few)) < unlikely
}

// upTo is how many durations are at most ms, exactly if that is below 32.
func (h *histogram) upTo(ms int64) uint64 {
	sum := uint64(0)
	for i := range bucketOf(ms) + 1 {
		sum += h.count(i)
	}
	return sum
}
