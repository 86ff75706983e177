package sinks

import (
	"cmp"
	"slices"
	"time"

	"github.com/flagwatch/flagwatch/parser"
)

const (
	maxInputs   = 4096 // more have no health
	maxSegments = 4096 // of one input: parts that were counted apart
	maxDialects = 128
)

// A segment is what was met in a part of an input. The times are those of
// access records, in nanoseconds since 1970.
type segment struct {
	begin, end  int64 // offsets
	kinds       [parser.NumKinds]uint64
	dialects    [maxDialects / 64]uint64
	timed       bool
	first, last int64 // in the order of the input
	least, most int64
	back, gap   int64 // the largest step back, and ahead
}

// met takes the dialect of an access record.
func (s *segment) met(d parser.Dialect) { s.dialects[d/64%2] |= 1 << (d % 64) }

// see takes the time of the next access record.
func (s *segment) see(at int64) {
	if !s.timed {
		s.timed, s.first, s.last, s.least, s.most = true, at, at, at, at
		return
	}
	s.step(at - s.last)
	s.last = at
	s.least, s.most = min(s.least, at), max(s.most, at)
}

// step takes how far a time is from the one before. Which way it goes decides no
// branch: half of them go back.
func (s *segment) step(d int64) { s.back, s.gap = max(s.back, -d), max(s.gap, d) }

// plus adds what follows.
func (s *segment) plus(o *segment) {
	for k := range o.kinds {
		s.kinds[k] += o.kinds[k]
	}
	for i := range o.dialects {
		s.dialects[i] |= o.dialects[i]
	}
	s.end = max(s.end, o.end)
	s.back, s.gap = max(s.back, o.back), max(s.gap, o.gap)
	switch {
	case !o.timed:
	case !s.timed:
		s.timed, s.first, s.last, s.least, s.most = true, o.first, o.last, o.least, o.most
	default:
		s.step(o.first - s.last)
		s.last = o.last
		s.least, s.most = min(s.least, o.least), max(s.most, o.most)
	}
}

// EndBatch tells that all records from an offset of an input to another were
// added since the last EndBatch, all of one Origin.
func (d *Delta) EndBatch(from *Origin, end int64) {
	s := d.batch
	s.begin, s.end = from.Offset, end
	for k := range d.kinds {
		s.kinds[k] = d.kinds[k].Records - d.batched[k]
		d.batched[k] = d.kinds[k].Records
	}
	d.batch = segment{}
	d.endStream(from)
	if d.meter != nil {
		d.meter.endBatch(from.Source, &s)
	}
	if id := d.inputs.id([]byte(from.Input)); id >= firstName {
		d.addSegment(id, &s)
	}
}

func (d *Delta) addSegment(id uint16, s *segment) {
	for int(id) >= len(d.segments) {
		d.segments = append(d.segments, nil)
	}
	d.segments[id] = addSegment(d.segments[id], s)
}

// addSegment puts s where it belongs in a list that is in order, and joins it
// with its neighbours: so batches that several workers counted are in the end
// what one would have counted.
func addSegment(list []segment, s *segment) []segment {
	i, _ := slices.BinarySearchFunc(list, s.begin, func(e segment, begin int64) int { return cmp.Compare(e.begin, begin+1) })
	switch before, behind := i > 0 && list[i-1].end == s.begin, i < len(list) && s.end == list[i].begin; {
	case before && behind:
		list[i-1].plus(s)
		list[i-1].plus(&list[i])
		return slices.Delete(list, i, i+1)
	case before || len(list) >= maxSegments && i > 0:
		list[i-1].plus(s)
	case behind:
		both := *s
		both.plus(&list[i])
		list[i] = both
	default:
		return slices.Insert(list, i, *s)
	}
	return list
}

func (d *Delta) mergeHealth(o *Delta) {
	ids := d.inputs.merge(&o.inputs)
	for i, list := range o.segments {
		if i < len(ids) && ids[i] >= firstName {
			for j := range list {
				d.addSegment(ids[i], &list[j])
			}
		}
	}
}

// A Health is what a reader should know about an input before believing what
// the report says of it.
type Health struct {
	Records  uint64     `json:"records"`
	Access   uint64     `json:"access"`
	Events   uint64     `json:"events"`
	Noise    uint64     `json:"noise"`
	Invalid  uint64     `json:"invalid"`
	Dialects []string   `json:"dialects"`
	First    *time.Time `json:"first,omitempty"` // of access records
	Last     *time.Time `json:"last,omitempty"`
	Back     float64    `json:"largestStepBackSeconds"` // from one record to the next
	Gap      float64    `json:"longestGapSeconds"`
	Read     float64    `json:"shareRead"` // of its bytes; less than 1 because only a part was asked for
}

// attachHealth gives each input what is known of it.
func (d *Delta) attachHealth(list []Input) {
	known := map[string]*segment{}
	for id, parts := range d.segments {
		if len(parts) == 0 {
			continue
		}
		sum := parts[0]
		for i := range parts[1:] {
			sum.plus(&parts[1+i])
		}
		known[string(d.inputs.name(uint16(id)))] = &sum
	}
	for i := range list {
		in := &list[i]
		if s := known[in.Name[:min(len(in.Name), maxName)]]; s != nil {
			in.Health = s.health(in)
		}
	}
}

func (s *segment) health(in *Input) *Health {
	h := &Health{Access: s.kinds[parser.Access], Events: s.kinds[parser.Event], Noise: s.kinds[parser.Noise], Invalid: s.kinds[parser.Invalid], Dialects: []string{}, Read: 1}
	h.Records = h.Access + h.Events + h.Noise + h.Invalid
	for i := range parser.Dialect(maxDialects) {
		if s.dialects[i/64]>>(i%64)&1 != 0 {
			h.Dialects = append(h.Dialects, i.String())
		}
	}
	if s.timed {
		first, last := utc(s.least), utc(s.most)
		h.First, h.Last, h.Back, h.Gap = &first, &last, float64(s.back)/1e9, float64(s.gap)/1e9
	}
	if all := in.Bytes + in.NotRead; all > 0 {
		h.Read = share(uint64(in.Bytes), uint64(all))
	}
	return h
}
