package sinks

import (
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"reflect"
	"strings"

	"github.com/flagwatch/flagwatch/classify"
	"github.com/flagwatch/flagwatch/internal/packed"
	"github.com/flagwatch/flagwatch/parser"
)

// What a Snapshot leaves for itself has two parts. The counters are what metrics
// show, in JSON that any version reads: counters go on whatever the program's
// version. The rest is a picture of the Delta, which only a program with the
// same Delta reads.

// leave are the fields that a picture need not have: Merge makes them anew.
var leave = []string{
	"Delta.meter", "Delta.faces", "Delta.metAt", "Delta.metDir", "Delta.ofStream", "Delta.unwell", "Delta.streamProxy", "Delta.clock", "Delta.scratch", "Delta.dirs", "Delta.classes", "Delta.lastOrigin", "Delta.lastPlace", "Delta.lastLevel",
	"names.seed", "names.slots", "cells.slots", "pairs.slots", "pairCount.hash", "profiles.slots", "profile.group", "profile.work", "profile.owed", "profile._", "group.number", "groups.ids", "groups.lately",
	"top.seed", "top.hashes", "top.tags", "top.low", "top.rares",
}

// counters are the part that any version reads. A key that is not there is zero.
type counters struct {
	Kinds     map[string]Volume `json:"kinds"`
	Invalid   map[string]uint64 `json:"invalid"`
	Discarded map[string]uint64 `json:"discarded"`
	Lost      map[string]uint64 `json:"lost"`
	Events    map[string]uint64 `json:"events"`
	Inputs    map[string]int64  `json:"inputs"`
	Limited   []uint64          `json:"limited"`
	Requests  []tallyRow        `json:"requests"`
	Failures  []tallyRow        `json:"failures"`
	Flags     []tallyRow        `json:"flags"`
	Durations []tallyTiming     `json:"durations"`
}

type tallyRow struct {
	Namespace string `json:"ns,omitempty"`
	Workload  string `json:"wl,omitempty"`
	Direction string `json:"dir,omitempty"`
	Name      string `json:"name,omitempty"`
	Class     uint8  `json:"class,omitempty"`
	N         uint64 `json:"n"`
	Born      int64  `json:"born"`
}

type tallyTiming struct {
	Direction string   `json:"dir"`
	Failed    bool     `json:"failed"`
	Buckets   []uint64 `json:"buckets"`
	Sum       uint64   `json:"sum"`
}

func codec(find func(id string) *classify.Cause) *packed.Codec {
	return &packed.Codec{
		Leave:  leave,
		Shared: reflect.TypeFor[*classify.Cause](),
		Name:   func(p any) string { return p.(*classify.Cause).ID },
		Find: func(name string) any {
			if c := find(name); c != nil {
				return c
			}
			return nil
		},
	}
}

// AppendState appends all that RestoreSnapshot needs.
func (s *Snapshot) AppendState(dst []byte) []byte {
	t, err := json.Marshal(s.sum.counters())
	if err != nil {
		panic(err) // plain values can be marshalled
	}
	if s.codec == nil {
		s.codec = codec(nil)
	}
	dst = binary.AppendUvarint(dst, uint64(len(t)))
	dst = append(dst, t...)
	dst = append(dst, s.codec.Shape(Delta{})...)
	return s.codec.Append(dst, s.sum)
}

// shapeLen is how long the name of a shape is.
const shapeLen = 16

// RestoreSnapshot reads what AppendState wrote. It is not whole when a version
// with other counts wrote it: then it has what metrics show, and a report
// begins anew. find looks a cause up by its id, nil when there is none; a nil
// find takes those of the catalogue.
func RestoreSnapshot(data []byte, find func(id string) *classify.Cause) (s *Snapshot, whole bool, err error) {
	if find == nil {
		catalogue := classify.Default()
		find = func(id string) *classify.Cause {
			c, _ := catalogue.Cause(id)
			return c
		}
	}
	t, picture, err := readCounters(data)
	if err != nil {
		return nil, false, err
	}
	c := codec(find)
	s = NewSnapshot()
	if string(picture[:shapeLen]) != c.Shape(Delta{}) {
		s.sum.restore(t, true)
		return s, false, nil
	}
	var d Delta
	if err := c.Read(picture[shapeLen:], &d); err != nil {
		return nil, false, err
	}
	if err := merged(s, &d); err != nil {
		return nil, false, err
	}
	s.sum.restore(t, false)
	return s, true, nil
}

// RestoreMetrics reads of what AppendState wrote no more than what WriteMetrics
// writes.
func RestoreMetrics(data []byte) (*Snapshot, error) {
	t, _, err := readCounters(data)
	if err != nil {
		return nil, err
	}
	s := NewSnapshot()
	s.sum.restore(t, true)
	return s, nil
}

// readCounters reads the counters, and returns the shape and the picture that
// stand behind them.
func readCounters(data []byte) (t *counters, picture []byte, err error) {
	n, size := binary.Uvarint(data)
	if size <= 0 || n > uint64(len(data)-size) || uint64(len(data)-size)-n < shapeLen {
		return nil, nil, errors.New("it ends early")
	}
	t = new(counters)
	if err := json.Unmarshal(data[size:size+int(n)], t); err != nil {
		return nil, nil, fmt.Errorf("counters: %w", err)
	}
	return t, data[size+int(n):], nil
}

// merged merges a Delta that may hold anything.
func merged(s *Snapshot, d *Delta) (err error) {
	defer func() {
		if v := recover(); v != nil {
			err = fmt.Errorf("%w: %v", packed.ErrCorrupt, v)
		}
	}()
	s.sum.Merge(d)
	return nil
}

func (d *Delta) counters() *counters {
	t := &counters{Kinds: map[string]Volume{}, Invalid: map[string]uint64{}, Discarded: map[string]uint64{}, Events: map[string]uint64{}, Inputs: map[string]int64{}}
	for k := range parser.NumKinds {
		t.Kinds[k.String()] = d.kinds[k]
	}
	for r := range parser.NumReasons {
		if n := d.invalid[r]; n > 0 {
			t.Invalid[r.String()] = n
		}
	}
	for i, n := range d.discarded {
		t.Discarded[discards[i]] = n
	}
	m := d.meter
	if m == nil {
		return t
	}
	t.Lost, t.Limited = m.lost, m.limited[:]
	for input, at := range m.inputs {
		t.Inputs[input] = *at
	}
	for cause, c := range m.events {
		t.Events[cause] = c.n
	}
	for f, list := range t.families() {
		for k, c := range m.families[f] {
			*list = append(*list, tallyRow{k.namespace, k.workload, k.direction.String(), k.name, k.class, c.n, c.born})
		}
	}
	for dir := range m.timings {
		for failed := range m.timings[dir] {
			x := &m.timings[dir][failed]
			t.Durations = append(t.Durations, tallyTiming{parser.Direction(dir).String(), failed == 1, x.buckets[:], x.sum})
		}
	}
	return t
}

func (t *counters) families() [numFamilies]*[]tallyRow {
	return [numFamilies]*[]tallyRow{&t.Requests, &t.Failures, &t.Flags}
}

// restore adds what counters have; the totals only when nothing else brings them.
func (d *Delta) restore(t *counters, totals bool) {
	if totals {
		d.restoreTotals(t)
	}
	d.CountSeries()
	m := d.meter
	for reason, n := range t.Lost {
		m.lost[reason] += n
	}
	for cause, n := range t.Events {
		m.event(cause).n += n
	}
	for input, at := range t.Inputs {
		*m.input(input) = at
	}
	copy(m.limited[:], t.Limited)
	for f, list := range t.families() {
		for _, row := range *list {
			dir, _ := directionOf(row.Direction)
			k := series{row.Namespace, row.Workload, dir, row.Name, row.Class}
			m.families[f][k] = &counter{row.N, row.Born}
		}
	}
	for _, x := range t.Durations {
		dir, ok := directionOf(x.Direction)
		if !ok || len(x.Buckets) != len(bounds)+1 {
			continue
		}
		at := &m.timings[dir][0]
		if x.Failed {
			at = &m.timings[dir][1]
		}
		at.plus(&timing{[len(bounds) + 1]uint64(x.Buckets), x.Sum})
	}
}

func (d *Delta) restoreTotals(t *counters) {
	for k := range parser.NumKinds {
		v := t.Kinds[k.String()]
		d.kinds[k].plus(v)
		d.records += v.Records
	}
	for r := range parser.NumReasons {
		d.invalid[r] += t.Invalid[r.String()]
	}
	for reason, n := range t.Discarded {
		d.AddDiscarded(reason, int64(n))
	}
}

func directionOf(name string) (parser.Direction, bool) {
	for d := range parser.NumDirections {
		if strings.EqualFold(d.String(), name) {
			return d, true
		}
	}
	return parser.NoDirection, false
}
