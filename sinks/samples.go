package sinks

import (
	"cmp"

	"github.com/flagwatch/flagwatch/parser"
)

const (
	maxSamples = 3
	maxRaw     = 200 // bytes of a sample
)

// samples keeps the first records of one sort by input and offset, whatever
// order they come in.
type samples struct {
	list [maxSamples]sample
	n    int
}

type sample struct {
	input  string
	offset int64 // of the record's first byte
	stop   int64 // where reading stopped
	reason parser.Reason
	raw    [maxRaw]byte
	length uint8
}

func (s *samples) add(from *Origin, r *parser.Record) {
	offset := from.Offset + int64(r.Begin)
	e := s.room(from.Input, offset)
	if e == nil {
		return
	}
	e.input, e.offset, e.stop, e.reason = from.Input, offset, from.Offset+int64(r.Stop), r.Reason
	e.length = uint8(copy(e.raw[:], from.raw(r)))
}

// room returns the place of a new sample, nil when it comes too late.
func (s *samples) room(input string, offset int64) *sample {
	i := s.n
	for i > 0 && before(input, offset, &s.list[i-1]) {
		i--
	}
	if i == maxSamples {
		return nil
	}
	s.n = min(s.n+1, maxSamples)
	copy(s.list[i+1:s.n], s.list[i:])
	return &s.list[i]
}

func before(input string, offset int64, s *sample) bool {
	if c := cmp.Compare(input, s.input); c != 0 {
		return c < 0
	}
	return offset < s.offset
}

func (s *samples) merge(o *samples) {
	for i := range o.list[:o.n] {
		if e := s.room(o.list[i].input, o.list[i].offset); e != nil {
			*e = o.list[i]
		}
	}
}
