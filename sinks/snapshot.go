package sinks

import (
	"github.com/flagwatch/flagwatch/internal/packed"
	"github.com/flagwatch/flagwatch/parser"
)

// A Snapshot is what has been committed. Snapshots merge: below the caps any
// partition of the input, merged in any order, gives the whole; above them
// the totals stay exact. It is not safe for concurrent use.
type Snapshot struct {
	sum   *Delta
	codec *packed.Codec // of AppendState; nil until it is needed
}

// NewSnapshot returns an empty Snapshot.
func NewSnapshot() *Snapshot { return &Snapshot{sum: NewDelta()} }

// Adopt returns a Snapshot of what a Delta counted, which is the Snapshot's
// from now on.
func Adopt(d *Delta) *Snapshot {
	d.meter.settle()
	if !d.meter.crowded() {
		return &Snapshot{sum: d}
	}
	s := NewSnapshot()
	s.SetMaxSeries(d.meter.max)
	s.Merge(d)
	return s
}

// Merge adds a Delta, which stays as it is.
func (s *Snapshot) Merge(d *Delta) { s.sum.merge(d, 1) }

// MergeSnapshot adds another Snapshot, which stays as it is.
func (s *Snapshot) MergeSnapshot(o *Snapshot) { s.sum.merge(o.sum, 1) }

// Merge adds another Delta, which stays as it is.
func (d *Delta) Merge(o *Delta) { d.merge(o, moreSeries) }

// merge keeps so many times as many series as a metric may have.
func (d *Delta) merge(o *Delta, more int) {
	d.records += o.records
	for i := range o.kinds {
		d.kinds[i].plus(o.kinds[i])
		d.skipped[i].plus(o.skipped[i])
	}
	for i := range o.invalid {
		d.invalid[i] += o.invalid[i]
	}
	for i := range o.discarded {
		d.discarded[i] += o.discarded[i]
	}
	d.partial += o.partial
	d.suspicious += o.suspicious
	d.kubectl += o.kubectl
	if o.hasTime {
		d.addTime(o.first, o.last)
	}
	d.mergeAccess(o)
	d.mergePlaces(o)
	d.mergeEvents(o)
	d.mergeHealth(o)
	d.sampled.merge(&o.sampled)
	d.invalidSamples.merge(&o.invalidSamples)
	d.suspiciousSamples.merge(&o.suspiciousSamples)
	d.noiseSamples.merge(&o.noiseSamples)
	d.kubectlSamples.merge(&o.kubectlSamples)
	if o.meter != nil {
		d.CountSeries()
		d.meter.merge(o.meter, more*d.meter.max)
	}
}

func (v *Volume) plus(o Volume) {
	v.Records += o.Records
	v.Bytes += o.Bytes
	v.Lines += o.Lines
}

func (d *Delta) mergeAccess(o *Delta) {
	clusters, details, unknown := d.clusters.merge(&o.clusters), d.details.merge(&o.details), d.unknown.merge(&o.unknown)
	rekey := func(k key) key {
		v := unpack(k.rest)
		v.cluster, v.details, v.unknown = clusters[v.cluster], details[v.details], unknown[v.unknown]
		k.rest = v.pack()
		return k
	}
	for k, n := range o.plainOutcomes {
		d.addCombo(rekey(k), n)
	}
	if o.over != nil {
		d.overflow().merge(o.over)
	}
	causes := d.causeIDs(o)
	plain := func(k key) key {
		v := unpack(k.rest)
		k.rest = packPlain(clusters[v.cluster], v.code, unknown[v.unknown], causes[v.details])
		return k
	}
	d.cells.merge(&o.cells, plain)
	d.declined.merge(&o.declined, plain)
	d.untimed += o.untimed
	d.hosts.merge(&o.hosts, plain)
	d.load.merge(&o.load, clusters)
	d.mergeCauses(o, causes, clusters, rekey, plain)
}

func (d *Delta) mergePlaces(o *Delta) {
	ids := d.places.merge(&o.places)
	for i, c := range o.byPlace {
		id := int(ids[i])
		for id >= len(d.byPlace) {
			d.byPlace = append(d.byPlace, PlaceCounts{})
		}
		d.byPlace[id].plus(c)
	}
}

func (c *PlaceCounts) plus(o PlaceCounts) {
	c.Records += o.Records
	c.Access += o.Access
	c.Failed += o.Failed
}

func (d *Delta) mergeEvents(o *Delta) {
	ids := d.levels.merge(&o.levels)
	for e := range o.events {
		for l, id := range ids {
			d.events[e][id].plus(o.events[e][l])
		}
	}
}

// An Identity is the account of what was read: the records of all kinds add
// up to the records, the bytes in records and the discarded ones to the bytes
// that were read. Records that were left out because that was asked for are in
// neither; their bytes were read.
type Identity struct {
	Records   uint64            `json:"records"`
	Kinds     map[string]Volume `json:"kinds"`
	Bytes     uint64            `json:"bytesInRecords"`
	Discarded map[string]uint64 `json:"bytesDiscarded"`
	Skipped   map[string]Volume `json:"skipped,omitempty"` // by kind: read, and left out because that was asked for
	Read      uint64            `json:"bytesRead"`         // what the inputs say; without inputs the sum of the two above
	Complete  bool              `json:"complete"`
}

// Identity returns the account for inputs that gave this many bytes.
func (s *Snapshot) Identity(inputs ...Input) Identity {
	d := s.sum
	id := Identity{Records: d.records, Kinds: map[string]Volume{}, Discarded: map[string]uint64{}}
	sum := uint64(0)
	for k := range parser.NumKinds {
		id.Kinds[k.String()] = d.kinds[k]
		id.Bytes += d.kinds[k].Bytes
		sum += d.kinds[k].Records
	}
	account := id.Bytes
	for k := range parser.NumKinds {
		if v := d.skipped[k]; v.Records > 0 {
			if id.Skipped == nil {
				id.Skipped = map[string]Volume{}
			}
			id.Skipped[k.String()] = v
			account += v.Bytes
		}
	}
	for i, n := range d.discarded {
		if n > 0 {
			id.Discarded[discards[i]] = n
			account += n
		}
	}
	id.Read = account
	if len(inputs) > 0 {
		id.Read = 0
	}
	for _, in := range inputs {
		id.Read += uint64(in.Bytes)
	}
	id.Complete = sum == id.Records && account == id.Read
	return id
}
