package sinks

import (
	"math/bits"

	"github.com/flagwatch/flagwatch/classify"
	"github.com/flagwatch/flagwatch/parser"
)

// overflow keeps the single totals of access records whose combination found
// no room.
type overflow struct {
	total        counts
	clientErrors uint64
	noFlags      uint64 // layouts without flags
	codes        [noCode + 1]counts
	flags        [64]counts
	dialects     [256]counts
	directions   [parser.NumDirections]counts
	answered     [classify.NumAnswerers]counts
}

func (v *overflow) add(k key, n uint64) {
	o := unpack(k.rest)
	v.total.add(n, o.failed)
	if o.clientError() {
		v.clientErrors += n
	}
	if !o.hasFlags {
		v.noFlags += n
	}
	v.codes[o.code].add(n, o.failed)
	v.dialects[o.dialect].add(n, o.failed)
	v.directions[o.dir].add(n, o.failed)
	v.answered[o.answered].add(n, o.failed)
	for rest := k.flags; rest != 0; rest &= rest - 1 {
		v.flags[bits.TrailingZeros64(rest)].add(n, o.failed)
	}
}

func (v *overflow) merge(o *overflow) {
	v.total.plus(o.total)
	v.clientErrors += o.clientErrors
	v.noFlags += o.noFlags
	plus(v.codes[:], o.codes[:])
	plus(v.flags[:], o.flags[:])
	plus(v.dialects[:], o.dialects[:])
	plus(v.directions[:], o.directions[:])
	plus(v.answered[:], o.answered[:])
}

func (c *counts) plus(o counts) {
	c.all += o.all
	c.failed += o.failed
}

func plus(dst, src []counts) {
	for i := range src {
		dst[i].plus(src[i])
	}
}
