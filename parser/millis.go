package parser

import "math/bits"

// Millis returns the duration in whole milliseconds: what Number says of
// Duration, and sooner where that column of a text was not looked for.
func (r *Record) Millis() (int64, bool) {
	if r.ordered == nil && r.planned == nil && r.late.Has(Duration) {
		if ms, ok := r.thirdNumber(); ok {
			return ms, true
		}
	}
	v, ok := r.Number(Duration)
	return int64(v), ok
}

// thirdNumber reads the third of the columns from the bytes received on, if it
// is a number and ends within sixteen bytes.
func (r *Record) thirdNumber() (int64, bool) {
	s, lo := r.text, int(r.digits)
	if lo < 8 || lo+16 > len(s) {
		return 0, false
	}
	ends := blanks(load64(s, lo)) | blanks(load64(s, lo+8))<<8
	ends &= ends - 1
	begin := bits.TrailingZeros64(ends) + 1
	ends &= ends - 1
	end := bits.TrailingZeros64(ends)
	n := end - begin
	if ends == 0 || n-1 > 7 || n < 1 {
		return 0, false
	}
	w := (load64(s, lo+end-8) ^ 0x3030303030303030) & (^uint64(0) << (64 - 8*n)) // what stands in front of it is nought
	if (w|(w&low7+0x7676767676767676))&^low7 != 0 {
		return 0, false
	}
	w = w*10 + w>>8
	const pairs = 0xff000000ff
	return int64((w&pairs*(100+1000000<<32) + w>>16&pairs*(1+10000<<32)) >> 32), true
}

// blanks are those of eight bytes, as bits.
func blanks(w uint64) uint64 {
	w ^= 0x2020202020202020
	return ^(w&low7 + low7 | w | low7) * 0x0002040810204081 >> 56
}
