package parser

import "math/bits"

// Millis returns the duration in whole milliseconds: what Number says of
// Duration, and sooner where that column of a text was not looked for.
func (r *Record) Millis() (int64, bool) {
	if !wide || !r.late.Has(Duration) || r.ordered != nil || r.planned != nil {
		return r.wholeDuration()
	}
	// The third of the columns from the bytes received on, which are digits or a
	// dash or nothing.
	lo := int(r.digits)
	blanks := r.scanned.from(int(r.base) + lo)
	blanks &= blanks - 1
	begin := bits.TrailingZeros64(blanks) + 1
	blanks &= blanks - 1
	n := bits.TrailingZeros64(blanks) - begin
	if blanks == 0 || uint(n-1) > 7 {
		return r.wholeDuration()
	}
	w := (load64(r.text, lo+begin) ^ 0x3030303030303030) << ((64 - 8*n) & 63) // what stands behind it is shifted out
	if w>>60 != 0 {                                                           // a dash
		return r.wholeDuration()
	}
	w = w*10 + w>>8
	const pairs = 0xff000000ff
	return int64((w&pairs*(100+1000000<<32) + w>>16&pairs*(1+10000<<32)) >> 32), true
}

func (r *Record) wholeDuration() (int64, bool) {
	v, ok := r.Number(Duration)
	return int64(v), ok
}
