package sinks

import (
	"math/bits"
	"slices"
	"strings"
	"time"

	"github.com/flagwatch/flagwatch/classify"
	"github.com/flagwatch/flagwatch/parser"
)

// DefaultMaxSeries is how many series a metric has at most; what comes later
// is counted under the workload "other".
const DefaultMaxSeries = 2000

// moreSeries is how many times as many series a Delta tells apart as a metric may
// have: which of them come too late is known only where it is merged into, by
// those that are there.
const moreSeries = 2

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
	ms = max(ms, 0)
	t.buckets[bucketFor(ms)]++
	t.sum += uint64(ms)
}

// bucketFor is the place of the first bound that a duration does not exceed. Of
// so many bits there is one bound at most, so there is nothing to search.
func bucketFor(ms int64) int {
	i := int(firstBounds[min(bits.Len64(uint64(ms)), len(firstBounds)-1)])
	if i < len(bounds) {
		i += int(uint64(bounds[i]-ms) >> 63)
	}
	return i
}

// firstBounds has, by the bits of a duration, the place of the first bound that
// has as many or more.
var firstBounds = [...]uint8{0, 0, 0, 0, 1, 2, 3, 4, 5, 6, 7, 8, 8, 9, 10, 11, 12, 13}

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
	inputs   map[string]*int64 // the latest start of a record, nanoseconds since 1970

	pods   map[[2]string]*work // by namespace and pod of a stream
	places []*work             // by id of places
	at     *work               // of the stream that the batch is of; nil: not known yet
	owing  []*profile          // see owe
}

// A work is the workload that a place belongs to, with the counters that its
// records go to.
type work struct {
	namespace, workload string
	requests            [parser.NumDirections]*counter
	flags               [parser.NumDirections][parser.NumFlags + 1]*counter
	failures            [16]failure // met lately
}

// A failure is a counter by what it is for.
type failure struct {
	cause *classify.Cause
	dir   parser.Direction
	class uint8
	c     *counter
}

// CountSeries makes d count what metrics show, too. A Snapshot into which it is
// merged does the same. A metric has at most DefaultMaxSeries: see SetMaxSeries.
func (d *Delta) CountSeries() {
	if d.meter == nil {
		d.meter = newMeter(DefaultMaxSeries)
	}
}

func newMeter(most int) *meter {
	m := &meter{max: most, events: map[string]*counter{}, lost: map[string]uint64{}, inputs: map[string]*int64{}, pods: map[[2]string]*work{}}
	for f := range m.families {
		m.families[f] = map[series]*counter{}
	}
	return m
}

// crowded says whether there are more series than a metric may have.
func (m *meter) crowded() bool {
	return m != nil && slices.ContainsFunc(m.families[:], func(rows map[series]*counter) bool { return len(rows) > m.max })
}

// reset keeps the series, at zero, so that counting them again costs nothing.
func (m *meter) reset() {
	if m == nil {
		return
	}
	for _, rows := range m.families {
		if len(rows) > m.max {
			clear(rows)
			clear(m.pods)
		}
		for _, c := range rows {
			c.n = 0
		}
	}
	for _, c := range m.events {
		c.n = 0
	}
	for _, at := range m.inputs {
		*at = 0
	}
	m.timings = [parser.NumDirections][2]timing{}
	clear(m.lost)
	m.places = m.places[:0]
	m.at = nil
	m.owing = m.owing[:0]
}

// AddLost counts bytes that are known of and were never read, under a reason
// of the contract.
func (d *Delta) AddLost(reason string, bytes int64) {
	d.CountSeries()
	d.meter.lost[reason] += uint64(bytes)
}

func (m *meter) event(cause string) *counter {
	c := m.events[cause]
	if c == nil {
		c = &counter{}
		m.events[cause] = c
	}
	return c
}

// meterRequest counts what addRequest does not. What a profile tells is counted
// when the series are asked for.
func (d *Delta) meterRequest(from *Origin, place uint16, r *parser.Record, v *classify.Verdict, p *profile) {
	m := d.meter
	if p != nil {
		m.owe(p, d.work(from, place, r))
		return
	}
	if v.Cause == nil && !v.Failed {
		m.measure(r, d.metDir)
	}
	if flags, _ := r.Flags(); flags != 0 || v.Failed {
		w := d.work(from, place, r)
		if v.Failed {
			code, _ := r.Code()
			m.fail(w, d.metDir, code, v.Cause, 1)
		}
		m.flag(w, d.metDir, flags, 1)
	}
}

// owe leaves a record of a workload for settle.
func (m *meter) owe(p *profile, w *work) {
	if p.work != w {
		m.pay(p)
		p.work = w
	}
	if p.owed == 0 {
		m.owing = append(m.owing, p)
	}
	p.owed++
}

// settle counts what is owed.
func (m *meter) settle() {
	if m == nil {
		return
	}
	for _, p := range m.owing {
		m.pay(p)
	}
	m.owing = m.owing[:0]
}

// pay counts the records that a profile owes. A profile may owe nothing and be
// in the list nevertheless.
func (m *meter) pay(p *profile) {
	if p.owed == 0 {
		return
	}
	o := unpack(p.key.outcome)
	dir := parser.Direction(o.dir)
	if o.failed {
		m.fail(p.work, dir, int(o.code), p.group.cause, p.owed)
	}
	m.flag(p.work, dir, parser.FlagSet(p.key.flags), p.owed)
	p.owed = 0
}

// measure counts how long a healthy request took; addCause does so for others.
func (m *meter) measure(r *parser.Record, dir parser.Direction) {
	if ms, ok := r.Millis(); ok {
		m.timing(dir, false).add(ms)
	}
}

func (m *meter) timing(dir parser.Direction, failed bool) *timing {
	if failed {
		return &m.timings[dir][1]
	}
	return &m.timings[dir][0]
}

func (m *meter) requests(w *work, dir parser.Direction) *counter {
	c := w.requests[dir]
	if c == nil {
		c = m.row(requestsFamily, w.series(dir), moreSeries*m.max)
		w.requests[dir] = c
	}
	return c
}

// endBatch ends a batch of a configured input, of which the last start of a
// record is known.
func (m *meter) endBatch(source string, s *segment) {
	m.at = nil
	if s.timed {
		at := m.input(source)
		*at = max(*at, s.most)
	}
}

func (m *meter) input(name string) *int64 {
	at := m.inputs[name]
	if at == nil {
		at = new(int64)
		m.inputs[name] = at
	}
	return at
}

func (w *work) series(dir parser.Direction) series {
	return series{namespace: w.namespace, workload: w.workload, direction: dir}
}

func (m *meter) fail(w *work, dir parser.Direction, code int, cause *classify.Cause, n uint64) {
	class := uint8(0)
	if code >= 100 && code < 600 {
		class = uint8(code / 100)
	}
	free := &w.failures[len(w.failures)-1]
	for i := range w.failures {
		x := &w.failures[i]
		if x.c == nil {
			free = x
			break
		}
		if x.cause == cause && x.dir == dir && x.class == class {
			x.c.n += n
			return
		}
	}
	k := w.series(dir)
	k.name, k.class = unexplained, class
	if cause != nil {
		k.name = cause.ID
	}
	*free = failure{cause, dir, class, m.row(failuresFamily, k, moreSeries*m.max)}
	free.c.n += n
}

func (m *meter) flag(w *work, dir parser.Direction, flags parser.FlagSet, n uint64) {
	if flags&parser.UnknownFlags != 0 {
		m.flagRow(w, dir, parser.NumFlags, other).n += n
	}
	for rest := uint64(flags &^ parser.UnknownFlags); rest != 0; rest &= rest - 1 {
		f := parser.Flag(bits.TrailingZeros64(rest))
		m.flagRow(w, dir, int(f), f.String()).n += n
	}
}

func (m *meter) flagRow(w *work, dir parser.Direction, i int, name string) *counter {
	c := w.flags[dir][i]
	if c == nil {
		k := w.series(dir)
		k.name = name
		c = m.row(flagsFamily, k, moreSeries*m.max)
		w.flags[dir][i] = c
	}
	return c
}

// row is the counter of a series. When there are as many as there may be, first
// the workload gives way, then all but the direction.
func (m *meter) row(f family, k series, most int) *counter {
	rows := m.families[f]
	if c := rows[k]; c != nil {
		return c
	}
	if len(rows) >= most {
		k.namespace, k.workload = other, other
		if c := rows[k]; c != nil {
			return c
		}
		if len(rows) >= 2*most && k.name != "" {
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

// merge adds o, and keeps as many series as there may be.
func (m *meter) merge(o *meter, most int) {
	o.settle()
	for f, rows := range o.families {
		for k, from := range rows {
			if from.n == 0 {
				continue
			}
			if k.workload == other || m.families[f][k] == nil && len(m.families[f]) >= most {
				m.limited[f] += from.n
			}
			c := m.row(family(f), k, most)
			c.n += from.n
			c.bear(from.born)
		}
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
		if *at > 0 {
			mine := m.input(input)
			*mine = max(*mine, *at)
		}
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
// counted. What is there stays. Deltas that are merged into s have a number of
// their own.
func (s *Snapshot) SetMaxSeries(n int) { s.sum.SetMaxSeries(n) }

// SetMaxSeries is CountSeries with at most n series a metric. As long as d is to
// be merged it tells twice as many apart.
func (d *Delta) SetMaxSeries(n int) {
	d.CountSeries()
	d.meter.max = n
}

// work is the workload of a record. A stream whose place is known speaks for
// all its records: a place in the record could be forged.
func (d *Delta) work(from *Origin, place uint16, r *parser.Record) *work {
	m := d.meter
	if isOfStream(from, r) {
		return m.stream(from)
	}
	id := int(place)
	for id >= len(m.places) {
		m.places = append(m.places, nil)
	}
	if m.places[id] == nil {
		m.places[id] = m.workAt(d.places.name(uint16(id)), id == int(otherName))
	}
	return m.places[id]
}

// isOfStream says whether a record's workload is that of its stream.
func isOfStream(from *Origin, r *parser.Record) bool {
	return from.Namespace != "" || !r.HasPlace()
}

// stream is the workload of the stream that the batch is of.
func (m *meter) stream(from *Origin) *work {
	if m.at == nil {
		m.at = m.pod([2]string{from.Namespace, from.Pod})
	}
	return m.at
}

// workAt is the workload of a place, whose parts are closed by a zero byte.
func (m *meter) workAt(place []byte, tooMany bool) *work {
	switch {
	case tooMany:
		return m.pod([2]string{other, other})
	case len(place) == 0:
		return m.pod([2]string{})
	}
	parts := strings.Split(string(place), "\x00")
	return m.pod([2]string{parts[0], parts[1]})
}

func (m *meter) pod(at [2]string) *work {
	w := m.pods[at]
	if w == nil {
		if len(m.pods) > 2*m.max {
			clear(m.pods)
		}
		w = &work{namespace: labelValue(at[0]), workload: labelValue(workloadOf(at[1]))}
		m.pods[at] = w
	}
	return w
}

// workloadOf takes off a pod's name what its controller appended: the hash of
// a pod template, a random suffix, or an ordinal.
// Source: https://kubernetes.io/docs/concepts/workloads/controllers/
func workloadOf(pod string) string {
	if name, ok := templateOf(pod); ok {
		return name
	}
	if head, last, ok := cutLast(pod); ok && (isDigits(last) && len(last) < 5 || isSuffix(last)) {
		return head
	}
	return pod
}

// templateOf is the name in front of the hash of a pod template and a random
// suffix.
func templateOf(pod string) (name string, ok bool) {
	head, last, ok := cutLast(pod)
	if !ok || !isSuffix(last) {
		return "", false
	}
	name, hash, ok := cutLast(head)
	return name, ok && len(hash) >= 6 && len(hash) <= 10 && isRandom(hash)
}

// isSuffix says whether s may be the random suffix of a pod's name.
func isSuffix(s string) bool { return len(s) == 5 && isRandom(s) }

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
