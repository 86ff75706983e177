package sinks

import "math/bits"

// A histogram counts durations in whole milliseconds. Below 32 ms each has a
// bucket of its own; above, sixteen buckets share a power of two, so a bucket
// is at most 1/16 wide. Histograms merge exactly.
type histogram struct {
	buckets [32 + 16*22]uint64 // up to 2^27 ms, a day and a half
	n       uint64
	max     int64
}

func (h *histogram) add(ms int64) {
	ms = max(ms, 0)
	h.buckets[bucketOf(ms)]++
	h.n++
	h.max = max(h.max, ms)
}

func bucketOf(ms int64) int {
	if ms < 32 {
		return int(ms)
	}
	shift := bits.Len64(uint64(ms)) - 5
	return min(16*shift+int(ms>>shift), len(histogram{}.buckets)-1)
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
	for i, n := range o.buckets {
		h.buckets[i] += n
	}
	h.n += o.n
	h.max = max(h.max, o.max)
}

// quantile is the largest duration that part q of all do not exceed, as far
// as the buckets tell.
func (h *histogram) quantile(q float64) int64 {
	rank := uint64(q * float64(h.n))
	sum := uint64(0)
	for i, n := range h.buckets {
		if sum += n; sum > rank {
			return min(max(lowest(i+1)-1, lowest(i)), h.max)
		}
	}
	return h.max
}

// upTo is how many durations are at most ms, exactly if that is below 32.
func (h *histogram) upTo(ms int64) uint64 {
	sum := uint64(0)
	for _, n := range h.buckets[:bucketOf(ms)+1] {
		sum += n
	}
	return sum
}
