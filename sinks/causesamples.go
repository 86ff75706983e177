package sinks

import (
	"cmp"
	"math"
	"slices"

	"github.com/flagwatch/flagwatch/parser"
)

// maxSampleRaw is how many bytes of a cause's sample are kept.
const maxSampleRaw = 1024

// causeSamples keeps the first records of a cause by time, hash and place,
// whatever order they come in; those without a time come last.
type causeSamples struct {
	list [maxSamples]causeSample
	n    int
}

// A causeSample is a record as it was written, and the parts of it that are
// shown.
type causeSample struct {
	hash   uint64
	input  string
	offset int64
	flags  parser.FlagSet
	code   uint16
	text   []byte // the record, then the parts; its own
	size   uint16 // of the record
	sizes  [len(sampleFields)]uint8
	at     int64 // math.MaxInt64: not known
}

// raw is the record as far as it was kept.
func (s *causeSample) raw() []byte { return s.text[:s.size:s.size] }

// length is how long the text has to be.
func (s *causeSample) length() int {
	n := int(s.size)
	for _, size := range s.sizes {
		n += int(size)
	}
	return n
}

// setRaw puts other bytes in the record's place.
func (s *causeSample) setRaw(raw []byte) {
	parts := s.text[s.size:]
	raw = raw[:min(len(raw), maxSampleRaw)]
	s.text, s.size = slices.Concat(raw, parts), uint16(len(raw))
}

// sampleFields are the parts that are shown.
var sampleFields = [...]parser.Field{
	parser.Method, parser.Authority, parser.Path, parser.UpstreamHost, parser.UpstreamCluster, parser.Duration, parser.RequestID,
	parser.Level, parser.Message,
}

func (s *causeSamples) add(from *Origin, r *parser.Record, at int64, timed bool) {
	if !timed {
		at = math.MaxInt64
	}
	if s.n == maxSamples && at > s.list[maxSamples-1].at {
		return
	}
	raw := from.raw(r)
	e := s.room(at, hashID(raw), from.Input, from.Offset+int64(r.Begin))
	if e == nil {
		return
	}
	raw = raw[:min(len(raw), maxSampleRaw)]
	e.text, e.size = append(e.text, raw...), uint16(len(raw))
	e.flags, _ = r.Flags()
	e.code = noCode
	if code, ok := r.Code(); ok {
		e.code = uint16(code)
	}
	for i, f := range sampleFields {
		part := withoutQuery(r.Bytes(f))
		part = part[:min(len(part), maxValue)]
		e.text, e.sizes[i] = append(e.text, part...), uint8(len(part))
	}
}

// room returns the place of a new sample, whose text is empty; nil when it
// comes too late.
func (s *causeSamples) room(at int64, hash uint64, input string, offset int64) *causeSample {
	i := s.n
	for i > 0 {
		e := &s.list[i-1]
		if cmp.Or(cmp.Compare(at, e.at), cmp.Compare(hash, e.hash), cmp.Compare(input, e.input), cmp.Compare(offset, e.offset)) >= 0 {
			break
		}
		i--
	}
	if i == maxSamples {
		return nil
	}
	s.n = min(s.n+1, maxSamples)
	text := s.list[s.n-1].text[:0] // of the one that gives way
	copy(s.list[i+1:s.n], s.list[i:])
	e := &s.list[i]
	e.text = text
	e.at, e.hash, e.input, e.offset = at, hash, input, offset
	return e
}

func (s *causeSamples) merge(o *causeSamples) {
	for i := range o.list[:o.n] {
		e := &o.list[i]
		if place := s.room(e.at, e.hash, e.input, e.offset); place != nil {
			*place = *e
			place.text = slices.Clone(e.text[:e.length()])
		}
	}
}

// part is the value of a field that is shown.
func (s *causeSample) part(f parser.Field) string {
	at := int(s.size)
	for i, g := range sampleFields {
		end := at + int(s.sizes[i])
		if g == f {
			return string(s.text[at:end])
		}
		at = end
	}
	return ""
}
