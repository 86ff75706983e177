package sinks

import (
	"math/bits"
	"strings"
	"time"

	"github.com/flagwatch/flagwatch/classify"
	"github.com/flagwatch/flagwatch/parser"
)

// DefaultMaxSeries is how many series a metric has at most; what comes later
// is counted under the workload "other".
const DefaultMaxSeries = 2000

// unexplained is the cause of a failed request that no rule explains, as a
// label.
const unexplained = "unexplained"

// A family is a metric whose series come with what is counted.
type family uint8

const (
	requestsFamily family = iota
	failuresFamily
	flagsFamily
	numFamilies
)

// A series is the labels of a counter. Its strings are not of a record.
type series struct {
	namespace, workload string
	direction           parser.Direction
	name                string // cause or flag
	class               uint8  // of the response code; 0: none
}

// A counter is the value of a series.
type counter struct {
	n    uint64
	born int64 // when it was first committed, seconds since 1970; 0: not yet
}

// bounds are the upper bounds of the histogram's buckets in milliseconds.
var bounds = [...]int64{5, 10, 25, 50, 100, 250, 500, 1000, 2500, 5000, 10000, 30000, 60000}

// A timing is a histogram of requests.
type timing struct {
	buckets [len(bounds) + 1]uint64 // each by itself; the last one is without a bound
	sum     uint64                  // milliseconds
}

func (t *timing) add(ms int64) {
	i := 0
	for i < len(bounds) && ms > bounds[i] {
		i++
	}
	t.buckets[i]++
	t.sum += uint64(max(ms, 0))
}

func (t *timing) plus(o *timing) {
	for i, n := range o.buckets {
		t.buckets[i] += n
	}
	t.sum += o.sum
}

// A meter counts what only metrics show: by workload instead of by cluster.
type meter struct {
	max      int
	families [numFamilies]map[series]*counter
	limited  [numFamilies]uint64
	events   map[string]*counter // by cause
	timings  [parser.NumDirections][2]timing
	lost     map[string]uint64 // bytes
	inputs   map[string]int64  // the latest start of a record, nanoseconds since 1970

	works []work // by id of places
	at    work   // of the origin that was met last
	from  [2]string
	last  *counter // of requests that the last record was
	key   series
}

// A work is the workload that a place belongs to.
type work struct{ namespace, workload string }

// CountSeries makes d count what metrics show, too. A Snapshot into which it is
// merged does the same.
func (d *Delta) CountSeries() {
	if d.meter == nil {
		d.meter = newMeter(DefaultMaxSeries)
	}
}

func newMeter(most int) *meter {
	m := &meter{max: most, events: map[string]*counter{}, lost: map[string]uint64{}, inputs: map[string]int64{}}
	for f := range m.families {
		m.families[f] = map[series]*counter{}
	}
	return m
}

// reset keeps the series, at zero, so that counting them again costs nothing.
func (m *meter) reset() {
	if m == nil {
		return
	}
	for f, rows := range m.families {
		if len(rows) > m.max {
			clear(rows)
		}
		for _, c := range rows {
			c.n = 0
		}
		m.limited[f] = 0
	}
	for _, c := range m.events {
		c.n = 0
	}
	m.timings = [parser.NumDirections][2]timing{}
	clear(m.lost)
	clear(m.inputs)
	m.works, m.last = m.works[:0], nil
}

// AddLost counts bytes that are known of and were never read, under a reason
// of the contract.
func (d *Delta) AddLost(reason string, bytes int64) {
	d.CountSeries()
	d.meter.lost[reason] += uint64(bytes)
}

// metered counts a record for metrics.
func (d *Delta) metered(from *Origin, r *parser.Record, v *classify.Verdict) {
	m := d.meter
	switch {
	case r.Kind == parser.Event && v.Cause != nil:
		m.event(v.Cause.ID).n++
	case r.Kind == parser.Access:
		d.meterRequest(from, r, v)
	}
}

func (m *meter) event(cause string) *counter {
	c := m.events[cause]
	if c == nil {
		c = &counter{}
		m.events[cause] = c
	}
	return c
}

func (d *Delta) meterRequest(from *Origin, r *parser.Record, v *classify.Verdict) {
	m := d.meter
	w := d.work(from, r)
	k := series{namespace: w.namespace, workload: w.workload, direction: r.Direction()}
	if m.last == nil || m.key != k {
		m.key, m.last = k, m.row(requestsFamily, k, 1)
	}
	m.last.n++
	failed := 0
	if v.Failed {
		failed = 1
		m.fail(k, r, v)
	}
	if ms, ok := r.Number(parser.Duration); ok {
		m.timings[k.direction][failed].add(int64(ms))
	}
	if at, ok := d.clock.time(r); ok && at > m.inputs[from.Source] {
		m.inputs[from.Source] = at
	}
	if flags, _ := r.Flags(); flags != 0 {
		m.flag(k, flags)
	}
}

func (m *meter) fail(k series, r *parser.Record, v *classify.Verdict) {
	k.name = unexplained
	if v.Cause != nil {
		k.name = v.Cause.ID
	}
	if code, ok := r.Code(); ok && code >= 100 && code < 600 {
		k.class = uint8(code / 100)
	}
	m.row(failuresFamily, k, 1).n++
}

func (m *meter) flag(k series, flags parser.FlagSet) {
	k.name = other
	if flags&parser.UnknownFlags != 0 {
		m.row(flagsFamily, k, 1).n++
	}
	for rest := uint64(flags &^ parser.UnknownFlags); rest != 0; rest &= rest - 1 {
		k.name = parser.Flag(bits.TrailingZeros64(rest)).String()
		m.row(flagsFamily, k, 1).n++
	}
}

// row is the counter of a series, to which n will be added. When there are too
// many, first the workload gives way, then all but the direction.
func (m *meter) row(f family, k series, n uint64) *counter {
	rows := m.families[f]
	if c := rows[k]; c != nil {
		return c
	}
	if len(rows) >= m.max {
		m.limited[f] += n
		k.namespace, k.workload = other, other
		if c := rows[k]; c != nil {
			return c
		}
		if len(rows) >= 2*m.max && k.name != "" {
			k.name, k.class = other, 0
			if c := rows[k]; c != nil {
				return c
			}
		}
	}
	c := &counter{}
	rows[k] = c
	return c
}

func (m *meter) merge(o *meter) {
	for f, rows := range o.families {
		for k, from := range rows {
			if from.n == 0 {
				continue
			}
			c := m.row(family(f), k, from.n)
			c.n += from.n
			c.bear(from.born)
		}
		m.limited[f] += o.limited[f]
	}
	for cause, from := range o.events {
		if from.n > 0 {
			m.event(cause).n += from.n
		}
	}
	for d := range o.timings {
		for i := range o.timings[d] {
			m.timings[d][i].plus(&o.timings[d][i])
		}
	}
	for reason, n := range o.lost {
		m.lost[reason] += n
	}
	for input, at := range o.inputs {
		m.inputs[input] = max(m.inputs[input], at)
	}
}

func (c *counter) bear(at int64) {
	if c.born == 0 || at != 0 && at < c.born {
		c.born = at
	}
}

// Stamp notes when the series that are new were committed first.
func (s *Snapshot) Stamp(now time.Time) {
	if s.sum.meter == nil {
		return
	}
	for _, rows := range s.sum.meter.families {
		for _, c := range rows {
			c.bear(now.Unix())
		}
	}
}

// SetMaxSeries says how many series a metric may have, before anything is
// counted. What is there stays.
func (s *Snapshot) SetMaxSeries(n int) {
	s.sum.CountSeries()
	s.sum.meter.max = n
}

// work is the workload of a record. A stream whose place is known speaks for
// all its records: a place in the record could be forged.
func (d *Delta) work(from *Origin, r *parser.Record) work {
	m := d.meter
	if from.Namespace != "" || len(r.Envelopes()) == 0 {
		if m.from != [2]string{from.Namespace, from.Pod} {
			m.from = [2]string{from.Namespace, from.Pod}
			m.at = work{labelValue(from.Namespace), labelValue(workloadOf(from.Pod))}
		}
		return m.at
	}
	id := d.place(from, r)
	for int(id) >= len(m.works) {
		m.works = append(m.works, work{})
	}
	w := &m.works[id]
	if w.namespace == "" && id >= firstName {
		parts := strings.Split(string(d.places.name(id)), "\x00")
		*w = work{labelValue(parts[0]), labelValue(workloadOf(parts[1]))}
	}
	if id == otherName {
		return work{other, other}
	}
	return *w
}

// workloadOf takes off a pod's name what its controller appended: the hash of
// a pod template, a random suffix, or an ordinal.
// Source: https://kubernetes.io/docs/concepts/workloads/controllers/
func workloadOf(pod string) string {
	head, last, ok := cutLast(pod)
	switch {
	case !ok:
		return pod
	case isDigits(last) && len(last) < 5:
		return head
	case len(last) != 5 || !isRandom(last):
		return pod
	}
	if name, hash, ok := cutLast(head); ok && len(hash) >= 6 && len(hash) <= 10 && isRandom(hash) {
		return name
	}
	return head
}

func cutLast(s string) (head, last string, ok bool) {
	i := strings.LastIndexByte(s, '-')
	if i <= 0 {
		return s, "", false
	}
	return s[:i], s[i+1:], true
}

func isDigits(s string) bool { return s != "" && strings.Trim(s, "0123456789") == "" }

// isRandom says whether s is made of the letters that Kubernetes makes random
// names of: no vowels, and nothing that looks like one.
// Source: https://pkg.go.dev/k8s.io/apimachinery/pkg/util/rand
func isRandom(s string) bool { return strings.Trim(s, "bcdfghjklmnpqrstvwxz2456789") == "" }
