package sinks

import "github.com/flagwatch/flagwatch/parser"

// PlaceCounts is what one place sent.
type PlaceCounts struct {
	Records uint64 `json:"records"`
	Access  uint64 `json:"access"`
	Failed  uint64 `json:"failed"`
}

// addPlace counts the record for where it comes from, if that is known.
func (d *Delta) addPlace(id uint16, r *parser.Record, failed bool) {
	if id == noName {
		return
	}
	c := d.countsOf(id)
	c.Records++
	if r.Kind == parser.Access {
		c.Access++
	}
	if failed {
		c.Failed++
	}
}

func (d *Delta) countsOf(place uint16) *PlaceCounts {
	for int(place) >= len(d.byPlace) {
		d.byPlace = append(d.byPlace, PlaceCounts{})
	}
	return &d.byPlace[place]
}

// addRequest counts an access record for its place, which it returns unless it is
// the stream's: those wait for the end of the batch.
func (d *Delta) addRequest(from *Origin, r *parser.Record, failed bool) (place uint16) {
	if !r.HasPlace() {
		d.ofStream[d.metDir]++
		if failed {
			d.unwell++
		}
		return noName
	}
	place = d.place(from, r)
	d.addPlace(place, r, failed)
	if d.meter != nil {
		d.meter.requests(d.work(from, place, r), d.metDir).n++
	}
	return place
}

// endStream counts what addRequest left for the end of a batch.
func (d *Delta) endStream(from *Origin) {
	sum := uint64(0)
	for dir, n := range d.ofStream {
		if n > 0 && d.meter != nil {
			d.meter.requests(d.meter.stream(from), parser.Direction(dir)).n += n
		}
		sum += n
	}
	if sum > 0 && from.placed() {
		c := d.countsOf(d.placeOf(from))
		c.Records += sum
		c.Access += sum
		c.Failed += d.unwell
	}
	d.ofStream, d.unwell, d.streamProxy = [parser.NumDirections]uint64{}, 0, noName
}

func (d *Delta) place(from *Origin, r *parser.Record) uint16 {
	if len(r.Envelopes()) == 0 || !r.HasPlace() {
		return d.placeOf(from)
	}
	p := r.Place()
	b := appendPart(d.scratch[:0], p.Namespace, from.Namespace)
	b = appendPart(b, p.Pod, from.Pod)
	d.scratch = appendPart(b, p.Container, from.Container)
	return d.places.id(d.scratch)
}

// placeOf is the place of the stream, looked up once for all its records.
func (d *Delta) placeOf(from *Origin) uint16 {
	if !from.placed() {
		return noName
	}
	if from.Namespace == d.lastOrigin[0] && from.Pod == d.lastOrigin[1] && from.Container == d.lastOrigin[2] {
		return d.lastPlace
	}
	d.lastOrigin = [3]string{from.Namespace, from.Pod, from.Container}
	b := appendPart(d.scratch[:0], nil, from.Namespace)
	b = appendPart(b, nil, from.Pod)
	d.scratch = appendPart(b, nil, from.Container)
	d.lastPlace = d.places.id(d.scratch)
	return d.lastPlace
}

func appendPart(dst, first []byte, second string) []byte {
	if len(first) > 0 {
		dst = append(dst, first...)
	} else {
		dst = append(dst, second...)
	}
	return append(dst, 0)
}
