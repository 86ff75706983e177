// Package sinks is what becomes of records: a Delta counts them, a Snapshot
// adds Deltas up, and a Report is computed from a Snapshot and drawn by the
// renderers of this package.
package sinks

import (
	"math"

	"github.com/flagwatch/flagwatch/classify"
	"github.com/flagwatch/flagwatch/parser"
)

// What a Delta or a Snapshot keeps at most. What does not fit is counted
// under the name "other"; the totals by kind, code, flag, direction, dialect
// and answerer stay exact.
const (
	maxClusters = 4096
	maxDetails  = 1024
	maxUnknown  = 64
	maxPlaces   = 1024
	maxLevels   = 16
	maxCombos   = 16384
	maxCells    = 8192
	maxHosts    = 64
)

const other = "other"

// Wanted are the fields that Delta.Add reads: what to ask a parser for.
const Wanted = parser.FieldSet(1<<parser.StartTime | 1<<parser.ResponseCode | 1<<parser.ResponseFlags | 1<<parser.ResponseCodeDetails |
	1<<parser.ConnectionTerminationDetails | 1<<parser.UpstreamTransportFailureReason | 1<<parser.DownstreamTransportFailureReason |
	1<<parser.BytesReceived | 1<<parser.BytesSent | 1<<parser.UpstreamServiceTime | 1<<parser.RequestID | 1<<parser.UpstreamHost |
	1<<parser.UpstreamCluster | 1<<parser.GRPCStatus | 1<<parser.Duration | 1<<parser.Method | 1<<parser.Path | 1<<parser.Authority |
	1<<parser.RequestedServerName | 1<<parser.RouteName | 1<<parser.DownstreamRemoteAddress | 1<<parser.UserAgent | 1<<parser.Level | 1<<parser.Message)

// An Origin says where the records of a block come from.
type Origin struct {
	Input                     string // name of the stream
	Source                    string // the configured input that it belongs to
	Namespace, Pod, Container string // where the stream is known to come from; a record's wrapper comes first
	Offset                    int64  // byte offset of the block in the stream
	Block                     []byte // the block that the records are views of: samples are copied from it
}

// placed says whether the stream is known to come from some place.
func (o *Origin) placed() bool { return len(o.Namespace)+len(o.Pod)+len(o.Container) > 0 }

// raw returns the record's bytes, nil when the block is not known.
func (o *Origin) raw(r *parser.Record) []byte {
	if r.Begin < 0 || r.Size < 0 || r.Begin+r.Size > len(o.Block) {
		return nil
	}
	return o.Block[r.Begin : r.Begin+r.Size]
}

// A Delta is what one worker has counted and nobody has committed. It keeps
// no view of a record. It is not safe for concurrent use.
type Delta struct {
	records    uint64
	kinds      [parser.NumKinds]Volume
	invalid    [parser.NumReasons]uint64
	discarded  [len(discards)]uint64
	partial    uint64
	suspicious uint64
	kubectl    uint64
	skipped    [parser.NumKinds]Volume // records that were not asked for

	clusters names
	details  names // names end before the closing brace: see classOf
	unknown  names // flag tokens that are no known flag, sorted and joined by commas
	places   names // namespace, pod and container, each closed by a zero byte
	levels   names

	combos    table // access records by outcome, but for the usual ones and profiles
	usual     usuals
	over      *overflow
	cells     cells
	untimed   uint64 // failed access records without a time, in no cell
	hosts     top    // those that pairs have no room for
	causes    groups
	profiles  profiles // of failed records, and of others with a cause
	faces     faces    // of profiles
	words     names    // texts of profiles and pairs
	sights    names    // paths and clients
	pairs     pairs    // hosts, timeouts, paths and clients under causes
	proxies   names    // places, or inputs where the place is not known
	lives     lives    // by id of proxies
	load      load
	declined  cells // an application's own 4xx
	fleet     fleet
	callers   callers
	joins     joins
	sampled   requests
	latencies *latencies
	byPlace   []PlaceCounts // by id of places
	events    [parser.NumEmitters][firstName + maxLevels]counts

	meter  *meter           // nil unless series are counted
	metAt  int64            // start of the access record that is counted; 0: not known
	metDir parser.Direction // its direction

	clock       clock
	hasTime     bool
	first, last int64 // start times, nanoseconds since 1970

	invalidSamples    samples
	suspiciousSamples samples
	noiseSamples      samples
	kubectlSamples    samples

	dirs       []parser.Direction // by id of clusters
	classes    [64]class          // of details that were met lately
	lastOrigin [3]string
	lastPlace  uint16       // place of lastOrigin
	lastLevel  [64]metLevel // by the first byte

	inputs   names
	segments [][]segment                  // by id of inputs
	batch    segment                      // since EndBatch
	batched  [parser.NumKinds]uint64      // records at EndBatch
	ofStream [parser.NumDirections]uint64 // access records of the batch whose place is the stream's
	unwell   uint64                       // of them: failed

	streamProxy uint16 // of the stream that the batch is of; noName: not known yet
	scratch     []byte
}

// A Volume is how much there is of something.
type Volume struct {
	Records uint64 `json:"records"`
	Bytes   uint64 `json:"bytes"`
	Lines   uint64 `json:"lines"`
}

// counts are records, and how many of them failed.
type counts struct{ all, failed uint64 }

func (c *counts) add(n uint64, failed bool) {
	c.all += n
	if failed {
		c.failed += n
	}
}

// discards are the reasons for which bytes that were read are not kept.
var discards = [...]string{"oversize", "binary", "corrupt", other}

// NewDelta returns an empty Delta.
func NewDelta() *Delta {
	return &Delta{
		clusters:  newNames(maxClusters),
		details:   newNames(maxDetails),
		unknown:   newNames(maxUnknown),
		places:    newNames(maxPlaces),
		levels:    newNames(maxLevels),
		combos:    newTable(),
		usual:     newUsuals(),
		hosts:     newTop(maxHosts),
		proxies:   newNames(maxProxies),
		joins:     newJoins(),
		callers:   newCallers(),
		faces:     newFaces(),
		latencies: &latencies{},
		words:     newNames(maxWords),
		sights:    newNames(maxSights),
		inputs:    newNames(maxInputs),
		scratch:   make([]byte, 0, 2*maxName),
	}
}

// Reset makes the Delta empty and keeps its memory.
func (d *Delta) Reset() {
	kept := *d
	for _, t := range []*names{&kept.clusters, &kept.details, &kept.unknown, &kept.places, &kept.levels, &kept.proxies, &kept.words, &kept.sights, &kept.inputs} {
		t.reset()
	}
	kept.combos.reset()
	kept.usual.reset()
	kept.cells.reset()
	kept.declined.reset()
	kept.hosts.reset()
	kept.causes.reset()
	kept.lives.reset()
	kept.load.reset()
	kept.fleet.reset()
	kept.callers.reset()
	kept.latencies.reset()
	kept.joins.reset()
	kept.profiles.reset()
	kept.faces.reset()
	kept.pairs.reset()
	kept.meter.reset()
	*d = Delta{
		clusters: kept.clusters, details: kept.details, unknown: kept.unknown, places: kept.places, levels: kept.levels,
		combos: kept.combos, usual: kept.usual, cells: kept.cells, declined: kept.declined, hosts: kept.hosts, causes: kept.causes,
		proxies: kept.proxies, lives: kept.lives, load: kept.load, fleet: kept.fleet, callers: kept.callers, latencies: kept.latencies, joins: kept.joins, profiles: kept.profiles, faces: kept.faces, words: kept.words, sights: kept.sights, pairs: kept.pairs, byPlace: kept.byPlace[:0], clock: kept.clock,
		dirs: kept.dirs[:0], scratch: kept.scratch, meter: kept.meter, inputs: kept.inputs,
	}
}

// AddDiscarded counts bytes that were read and belong to no record, under a
// reason of the contract: oversize, binary or corrupt.
func (d *Delta) AddDiscarded(reason string, bytes int64) {
	i := 0
	for i < len(discards)-1 && discards[i] != reason {
		i++
	}
	d.discarded[i] += uint64(bytes)
}

// AddSkipped counts a record that was read and is not to be counted otherwise.
func (d *Delta) AddSkipped(r *parser.Record) {
	d.skipped[r.Kind].plus(Volume{1, uint64(r.Size), uint64(r.Lines)})
}

// Add counts one record and what a classifier said of it. What is counted by
// where records come from has it from EndBatch on: all records of a batch are of
// one Origin. It allocates nothing but when a table grows. The record's kind,
// bytes and lines are counted before anything of it is read, so the account holds
// even if that panics.
func (d *Delta) Add(from *Origin, r *parser.Record, v classify.Verdict) {
	d.Account(from, r)
	switch r.Kind {
	case parser.Access:
		p := d.addAccess(from, r, &v)
		place := d.addRequest(from, r, v.Failed)
		if d.meter != nil {
			d.meterRequest(from, place, r, &v, p)
		}
		return
	case parser.Event:
		d.addEvent(from, r, &v)
		if d.meter != nil && v.Cause != nil {
			d.meter.event(v.Cause.ID).n++
		}
	}
	d.addPlace(d.place(from, r), r, false)
}

// Account is the part of Add that needs no access record and no event to be
// read: their number, bytes and lines, and all of other records but their
// place. It is for a caller that wants no report of what proxies did.
func (d *Delta) Account(from *Origin, r *parser.Record) {
	d.account(r)
	if r.Suspicious {
		d.suspicious++
		d.suspiciousSamples.add(from, r)
	}
	switch r.Kind {
	case parser.Noise:
		d.addNoise(from, r)
	case parser.Invalid:
		d.invalid[r.Reason]++
		d.invalidSamples.add(from, r)
	}
}

// Met looks for the place where records like one that classify.Ordinary holds for
// are counted, and counts nothing. It is false when there was none before, or the
// record is no healthy one: its cluster is one for anywhere, or it is damaged.
func (d *Delta) Met(r *parser.Record) (place int, ok bool) {
	id := d.usualID(r)
	i := d.usual.find(id)
	u := &d.usual.counts[i]
	return int(i), u.id == id && !u.upstream.anywhere() && !r.Suspicious && !r.Partial
}

// AddMet is Add for a record that Met found a place for.
func (d *Delta) AddMet(from *Origin, r *parser.Record, place int) {
	d.account(r)
	d.countUsual(from, r, place)
	d.addRequest(from, r, false)
	if d.meter != nil {
		d.meter.measure(r, d.metDir)
	}
}

// account counts that the record is there.
func (d *Delta) account(r *parser.Record) {
	d.records++
	k := &d.kinds[r.Kind]
	k.Records++
	k.Bytes += uint64(r.Size)
	k.Lines += uint64(r.Lines)
}

// addAccess counts an access record, and returns its profile if it has one.
func (d *Delta) addAccess(from *Origin, r *parser.Record, v *classify.Verdict) *profile {
	if r.Partial {
		d.partial++
	}
	if v.Cause == nil && !v.Failed && (r.Plain() || isUsual(r)) {
		d.addUsual(from, r)
		return nil
	}
	if v.Cause != nil || v.Failed {
		return d.addCause(from, r, v)
	}
	cluster := d.clusters.id(r.Bytes(parser.UpstreamCluster))
	dir := d.direction(r, cluster)
	at, timed := d.begin(from, r, cluster, dir, true)
	if code, _ := r.Code(); code == 0 {
		d.lookTCP(r, cluster)
	}
	k := d.outcome(r, cluster, dir, false)
	d.addCombo(k, 1)
	if timed && unpack(k.rest).clientError() {
		d.addDeclined(r, cluster, unpack(k.rest).code, new(uint16), at)
	}
	return nil
}

func (d *Delta) addCombo(k key, n uint64) {
	if !d.combos.add(k, n, maxCombos) {
		d.overflow().add(k, n)
	}
}

// begin counts when an access record began, by its cluster, and looks at some of
// those that did not fail.
func (d *Delta) begin(from *Origin, r *parser.Record, cluster uint16, dir parser.Direction, ok bool) (at int64, timed bool) {
	at, timed = d.clock.time(r)
	d.metAt, d.metDir = at, dir
	if timed {
		d.addTime(at, at)
		d.batch.see(at)
		if ok {
			d.load.add(cluster, at)
			if lookedAt(at) {
				d.look(from, r, cluster, dir, at)
			}
		}
	}
	d.batch.met(r.Dialect)
	if d.sampled.mayTake(at) {
		d.sampled.add(r, dir, at)
	}
	return at, timed
}

// usualDetails are those of a healthy record.
const usualDetails = "via_upstream"

// isUsual says whether a record that did not fail is usual. Plain ones are.
func isUsual(r *parser.Record) bool {
	flags, hasFlags := r.Flags()
	_, hasCode := r.Code()
	details := r.Bytes(parser.ResponseCodeDetails)
	return flags == 0 && hasFlags && hasCode && (details == nil || string(details) == usualDetails) && !r.Has(parser.GRPCStatus) && !r.Errored()
}

// addUsual counts a usual record.
func (d *Delta) addUsual(from *Origin, r *parser.Record) {
	id := d.usualID(r)
	i := d.usual.find(id)
	if d.usual.counts[i].id != id {
		i = d.addNewUsual(id, r)
	}
	d.countUsual(from, r, int(i))
}

// usualID is what the combination of a usual record is known by.
func (d *Delta) usualID(r *parser.Record) uint64 {
	cluster := r.Bytes(parser.UpstreamCluster)
	code, _ := r.Code()
	id := d.clusters.hash(cluster) ^ (uint64(code)<<16|uint64(r.Dialect)<<32|1)*usualMix
	if len(cluster) == 0 {
		id ^= uint64(r.Direction())
	}
	if r.Plain() || r.Has(parser.ResponseCodeDetails) {
		id = ^id
	}
	return id
}

// countUsual counts a record of the combination at a place.
func (d *Delta) countUsual(from *Origin, r *parser.Record, place int) {
	u := &d.usual.counts[place]
	if u.n++; u.n == math.MaxUint32 {
		d.addCombo(d.usual.keys[place], uint64(u.n)-1)
		u.n = 1
	}
	cluster := u.upstream.cluster()
	at, timed := d.begin(from, r, cluster, u.upstream.dir(), true)
	switch code, _ := r.Code(); {
	case uint(code)-400 < 100 && timed:
		d.addDeclined(r, cluster, uint16(code), &u.sort, at)
	case code == 0:
		d.lookTCP(r, cluster)
	}
}

// addNewUsual remembers the combination of a record, and returns its place.
func (d *Delta) addNewUsual(id uint64, r *parser.Record) uint64 {
	name := r.Bytes(parser.UpstreamCluster)
	cluster := d.clusters.id(name)
	dir := d.direction(r, cluster)
	k := d.outcome(r, cluster, dir, false)
	i := d.usual.room(id)
	u := &d.usual.counts[i]
	if u.n > 0 {
		d.addCombo(d.usual.keys[i], uint64(u.n))
	}
	*u, d.usual.keys[i] = usual{id: id, upstream: packUpstream(cluster, dir, classify.Anywhere(name))}, k
	return i
}

// outcomes walks the combinations, in no order; one may come twice.
func (d *Delta) outcomes(yield func(key, uint64) bool) {
	for p := range d.profiles.list.all {
		if !yield(key{flags: p.key.flags, rest: p.key.outcome}, p.n) {
			return
		}
	}
	d.plainOutcomes(yield)
}

// plainOutcomes are those of records without a profile.
func (d *Delta) plainOutcomes(yield func(key, uint64) bool) {
	for i, u := range d.usual.counts {
		if u.n > 0 && !yield(d.usual.keys[i], uint64(u.n)) {
			return
		}
	}
	d.combos.all(yield)
}

// outcome reads what a combination is made of and packs it.
func (d *Delta) outcome(r *parser.Record, cluster uint16, dir parser.Direction, failed bool) key {
	flags, hasFlags := r.Flags()
	details := r.Bytes(parser.ResponseCodeDetails)
	code := uint16(noCode)
	if c, ok := r.Code(); ok && c >= 0 && c < 1000 {
		code = uint16(c)
	}
	unknown := noName
	if flags&parser.UnknownFlags != 0 {
		unknown = d.unknownFlags(r)
	}
	rest := pack(cluster, d.class(details), code, uint8(r.Dialect), uint8(dir), uint8(classify.AnsweredBy(r)), unknown, failed, hasFlags)
	return key{flags: uint64(flags), rest: rest}
}

// A class is the id that details have.
type class struct {
	hash uint64
	id   uint16
}

// class is the id of the details' class.
func (d *Delta) class(details []byte) uint16 {
	if len(details) == 0 {
		return noName
	}
	h := d.details.hash(details)
	c := &d.classes[h%uint64(len(d.classes))]
	if c.hash != h || c.id == noName {
		*c = class{h, d.details.id(classOf(details))}
	}
	return c.id
}

// direction is the record's; a cluster's is worked out once.
func (d *Delta) direction(r *parser.Record, cluster uint16) parser.Direction {
	if cluster < firstName {
		return r.Direction()
	}
	if int(cluster) < len(d.dirs) {
		return d.dirs[cluster]
	}
	for len(d.dirs) < int(cluster) {
		d.dirs = append(d.dirs, parser.NoDirection)
	}
	d.dirs = append(d.dirs, r.Direction())
	return d.dirs[cluster]
}

func (d *Delta) addTime(first, last int64) {
	if !d.hasTime {
		d.first, d.last, d.hasTime = first, last, true
	}
	d.first, d.last = min(d.first, first), max(d.last, last)
}

func (d *Delta) overflow() *overflow {
	if d.over == nil {
		d.over = new(overflow)
	}
	return d.over
}

func (d *Delta) addEvent(from *Origin, r *parser.Record, v *classify.Verdict) {
	d.addLife(from, r, v)
	d.events[r.Emitter][d.level(r.Bytes(parser.Level))].add(1, v.Failed)
}

// A metLevel is a level that was met lately, as it was written.
type metLevel struct {
	text [8]byte
	size int // 0: none
	id   uint16
}

// level is the id of an event's level.
func (d *Delta) level(text []byte) uint16 {
	if len(text) == 0 {
		return noName
	}
	last := &d.lastLevel[text[0]%64]
	if last.size > 0 && string(last.text[:last.size]) == string(text) {
		return last.id
	}
	d.scratch = appendLower(d.scratch[:0], text)
	id := d.levels.id(d.scratch)
	if len(text) <= len(last.text) {
		last.size, last.id = copy(last.text[:], text), id
	}
	return id
}

func (d *Delta) addNoise(from *Origin, r *parser.Record) {
	raw := trim(from.raw(r))
	if len(raw) == 0 {
		return
	}
	d.noiseSamples.add(from, r)
	d.lookApp(from, r, raw)
	if isKubectlError(raw) {
		d.kubectl++
		d.kubectlSamples.add(from, r)
	}
}
