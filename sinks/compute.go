package sinks

import (
	"bytes"
	"cmp"
	"maps"
	"math"
	"math/bits"
	"slices"
	"strings"
	"time"

	"github.com/flagwatch/flagwatch/classify"
	"github.com/flagwatch/flagwatch/parser"
)

const (
	apiVersion = "flagwatch.io/v1"
	noCluster  = "-"
)

// Report computes a report. The inputs are those that were read into the
// Snapshot, in the order to show them.
func (s *Snapshot) Report(inputs ...Input) *Report { return s.ReportWith(ReportOptions{}, inputs...) }

// ReportWith is Report with choices.
func (s *Snapshot) ReportWith(opt ReportOptions, inputs ...Input) *Report {
	d := s.sum.settled()
	sum, failures := d.sumUp(), d.failures()
	r := &Report{
		snapshot:   s,
		Selected:   opt.Selected,
		Cut:        opt.Cut,
		APIVersion: apiVersion,
		Kind:       "Report",
		Inputs:     append([]Input{}, inputs...),
		Totals:     d.totals(sum),
		Accounting: s.Identity(inputs...),
		Dialects:   tallies(sum.dialects),
		Directions: tallies(sum.directions),
		BothSides:  BothSides{d.sampled.n, d.sampled.both()},
		AnsweredBy: tallies(sum.answered),
		Codes:      codeTallies(sum),
		Flags:      flagTallies(sum),
		Outcomes:   outcomes(sum),
		Details:    tallies(sum.details),
		Clusters:   tallies(sum.clusters),
		Hosts:      d.hostTallies(),
		HeatMap:    d.heatMap(),
		Places:     d.placeTallies(),
		Timeline:   d.timeline(&failures),
		Events:     d.eventTallies(),
		Invalid:    d.reasonTallies(),
		Latency:    d.latency(),
		Clients:    d.callerCounts(),
		Samples: Samples{
			sampleList(&d.invalidSamples), sampleList(&d.suspiciousSamples),
			sampleList(&d.noiseSamples), sampleList(&d.kubectlSamples),
		},
	}
	d.attachHealth(r.Inputs)
	if d.hasTime {
		r.Span = &Span{utc(d.first), utc(d.last), float64(d.last-d.first) / 1e9}
	}
	shown := d.pictured()
	if shown.first > d.first || shown.last < d.last {
		r.Shown = &Span{utc(shown.first), utc(shown.last), float64(shown.last-shown.first) / 1e9}
	}
	c := newScene(d, failures.cells, opt, r.Pictured())
	c.shown = shown
	r.Causes, r.Join, r.Proxies = c.cards(opt, sum), c.joinCounts(), d.proxyTallies()
	r.Hints, r.Services = c.hints(sum), r.services()
	r.Sides, r.Severities = sideCounts(r.Causes), severityCounts(r.Causes)
	r.Headline = c.headline(r)
	return r
}

// A sum is the combinations of access records taken apart.
type sum struct {
	total                          counts
	clientErrors, noFlags          uint64
	codes                          map[uint16]counts
	flags                          map[parser.Flag]counts
	unknown                        map[string]counts
	sets                           map[flagSet]counts
	dialects, directions, answered map[string]counts
	details, clusters              map[string]counts
	services                       map[string][]clusterCounts // see ofService
}

// A flagSet is a code and a set of flags; other stands for all that found no
// room.
type flagSet struct {
	code    uint16
	flags   uint64
	unknown string
	other   bool
}

func (d *Delta) sumUp() *sum {
	s := &sum{
		codes: map[uint16]counts{}, flags: map[parser.Flag]counts{}, unknown: map[string]counts{}, sets: map[flagSet]counts{},
		dialects: map[string]counts{}, directions: map[string]counts{}, answered: map[string]counts{},
		details: map[string]counts{}, clusters: map[string]counts{},
	}
	ids := idSums{details: make([]counts, d.details.ids()), clusters: make([]counts, d.clusters.ids())}
	for k, n := range d.outcomes {
		s.add(d, k, n, &ids)
	}
	tallyAll(s.dialects, ids.dialects[:], func(i int) string { return parser.Dialect(i).String() })
	tallyAll(s.directions, ids.directions[:], func(i int) string { return parser.Direction(i).String() })
	tallyAll(s.answered, ids.answered[:], func(i int) string { return classify.Answerer(i).String() })
	tallyAll(s.details, ids.details, func(i int) string { return className(d.details.label(uint16(i), "")) })
	tallyAll(s.clusters, ids.clusters, func(i int) string { return d.clusters.label(uint16(i), noCluster) })
	if d.over != nil {
		s.addOverflow(d.over)
	}
	return s
}

// An idSums are counts by ids, whose names a sum has.
type idSums struct {
	dialects          [256]counts
	directions        [parser.NumDirections]counts
	answered          [classify.NumAnswerers]counts
	details, clusters []counts
}

// tallyAll adds counts by ids to those by names.
func tallyAll(m map[string]counts, list []counts, name func(int) string) {
	for i, c := range list {
		if c.all > 0 {
			tally(m, name(i), c)
		}
	}
}

func (s *sum) add(d *Delta, k key, n uint64, ids *idSums) {
	o := unpack(k.rest)
	c := counts{all: n}
	if o.failed {
		c.failed = n
	}
	s.total.plus(c)
	if o.clientError() {
		s.clientErrors += n
	}
	if !o.hasFlags {
		s.noFlags += n
	}
	unknown := d.unknown.label(o.unknown, "")
	if k.flags&uint64(parser.UnknownFlags) != 0 && unknown == "" {
		unknown = "?"
	}
	tally(s.codes, o.code, c)
	s.addFlags(k.flags, c)
	if unknown != "" {
		for token := range strings.SplitSeq(unknown, ",") {
			tally(s.unknown, token, c)
		}
	}
	tally(s.sets, flagSet{code: o.code, flags: k.flags, unknown: unknown}, c)
	ids.dialects[o.dialect].plus(c)
	ids.directions[o.dir].plus(c)
	ids.answered[o.answered].plus(c)
	ids.details[o.details].plus(c)
	ids.clusters[o.cluster].plus(c)
}

func (s *sum) addFlags(set uint64, c counts) {
	for f := range parser.FlagSet(set).All {
		tally(s.flags, f, c)
	}
}

func (s *sum) addOverflow(v *overflow) {
	s.total.plus(v.total)
	s.clientErrors += v.clientErrors
	s.noFlags += v.noFlags
	for i, c := range v.codes {
		tally(s.codes, uint16(i), c)
	}
	for i, c := range v.flags {
		if i == bits.TrailingZeros64(uint64(parser.UnknownFlags)) {
			tally(s.unknown, other, c)
		} else {
			tally(s.flags, parser.Flag(i), c)
		}
	}
	for i, c := range v.dialects {
		if c.all > 0 {
			tally(s.dialects, parser.Dialect(i).String(), c)
		}
	}
	for i, c := range v.directions {
		tally(s.directions, parser.Direction(i).String(), c)
	}
	for i, c := range v.answered {
		tally(s.answered, classify.Answerer(i).String(), c)
	}
	tally(s.sets, flagSet{code: noCode, other: true}, v.total)
	tally(s.details, other, v.total)
	tally(s.clusters, other, v.total)
}

// tally adds to a count; one of nothing makes no entry.
func tally[K comparable](m map[K]counts, k K, c counts) {
	if c.all > 0 {
		sum := m[k]
		sum.plus(c)
		m[k] = sum
	}
}

func (d *Delta) totals(s *sum) Totals {
	return Totals{
		Records:      d.records,
		Access:       d.kinds[parser.Access].Records,
		Events:       d.kinds[parser.Event].Records,
		Noise:        d.kinds[parser.Noise].Records,
		Invalid:      d.kinds[parser.Invalid].Records,
		Failed:       s.total.failed,
		ClientErrors: s.clientErrors,
		WithoutCode:  s.codes[noCode].all,
		WithoutFlags: s.noFlags,
		Partial:      d.partial,
		Suspicious:   d.suspicious,
		Kubectl:      d.kubectl,
	}
}

// tallies sorts named counts; what has no name is left out.
func tallies(m map[string]counts) []Tally {
	list := make([]Tally, 0, len(m))
	for name, c := range m {
		if name != "" {
			list = append(list, Tally{name, c.all, c.failed})
		}
	}
	sortBy(list, func(t Tally) uint64 { return t.Count }, func(t Tally) string { return t.Name })
	return list
}

func codeTallies(s *sum) []CodeTally {
	list := make([]CodeTally, 0, len(s.codes))
	for _, code := range slices.Sorted(maps.Keys(s.codes)) {
		if c := s.codes[code]; code < untoldCode {
			list = append(list, CodeTally{int(code), c.all, c.failed, share(c.all, s.total.all)})
		}
	}
	slices.SortStableFunc(list, func(a, b CodeTally) int { return cmp.Compare(b.Count, a.Count) })
	return list
}

func flagTallies(s *sum) []FlagTally {
	list := make([]FlagTally, 0, len(s.flags)+len(s.unknown))
	for f, c := range s.flags {
		t := FlagTally{Name: f.String(), Known: f < parser.NumFlags, Count: c.all, Failed: c.failed, Share: share(c.all, s.total.all)}
		if t.Known {
			t.Long = parser.FlagList()[f].Long
		}
		list = append(list, t)
	}
	for name, c := range s.unknown {
		if name != "" {
			list = append(list, FlagTally{Name: name, Count: c.all, Failed: c.failed, Share: share(c.all, s.total.all)})
		}
	}
	sortBy(list, func(t FlagTally) uint64 { return t.Count }, func(t FlagTally) string { return t.Name })
	return list
}

func outcomes(s *sum) []Outcome {
	list := make([]Outcome, 0, len(s.sets))
	for set, c := range s.sets {
		list = append(list, Outcome{
			Code: codeOf(set.code), Flags: knownFlags(set.flags), Unknown: splitNames(set.unknown), Other: set.other,
			Count: c.all, Failed: c.failed, Share: share(c.all, s.total.all),
		})
	}
	slices.SortFunc(list, compareOutcomes)
	return list
}

func compareOutcomes(a, b Outcome) int {
	return cmp.Or(
		cmp.Compare(b.Count, a.Count),
		compareCodes(a.Code, b.Code),
		slices.Compare(a.Flags, b.Flags),
		slices.Compare(a.Unknown, b.Unknown),
		compareBools(a.Other, b.Other),
	)
}

func compareBools(a, b bool) int {
	switch {
	case a == b:
		return 0
	case b:
		return -1
	}
	return 1
}

// compareCodes puts records without a code last.
func compareCodes(a, b *int) int {
	last := noCode
	if a == nil {
		a = &last
	}
	if b == nil {
		b = &last
	}
	return cmp.Compare(*a, *b)
}

// flagNames are all flags of a key, known ones first.
func (d *Delta) flagNames(k key) []string {
	return append(knownFlags(k.flags), splitNames(d.unknown.label(unpack(k.rest).unknown, ""))...)
}

func knownFlags(set uint64) []string {
	list := []string{}
	for f := range parser.FlagSet(set).All {
		list = append(list, f.String())
	}
	slices.Sort(list)
	return list
}

func splitNames(s string) []string {
	if s == "" {
		return nil
	}
	return strings.Split(s, ",")
}

func codeOf(code uint16) *int {
	if code >= untoldCode {
		return nil
	}
	c := int(code)
	return &c
}

func (d *Delta) hostTallies() []HostTally {
	list := make([]HostTally, 0, len(d.hosts.list))
	for i := range d.hosts.list {
		h := &d.hosts.list[i]
		o := unpack(h.key.rest)
		list = append(list, HostTally{
			Host: h.value(), Cluster: d.clusters.label(o.cluster, noCluster), Code: codeOf(o.code),
			Flags: d.flagNames(h.key), Count: h.count, Excess: h.excess,
		})
	}
	slices.SortFunc(list, func(a, b HostTally) int {
		return cmp.Or(cmp.Compare(b.Count, a.Count), cmp.Compare(a.Host, b.Host), cmp.Compare(a.Cluster, b.Cluster),
			compareCodes(a.Code, b.Code), slices.Compare(a.Flags, b.Flags))
	})
	return list
}

func (d *Delta) placeTallies() []PlaceTally {
	list := []PlaceTally{}
	for id, c := range d.byPlace {
		if c.Records == 0 {
			continue
		}
		t := PlaceTally{Namespace: other, PlaceCounts: c}
		if parts := bytes.SplitN(d.places.name(uint16(id)), []byte{0}, 4); len(parts) >= 3 {
			t.Namespace, t.Pod, t.Container = string(parts[0]), string(parts[1]), string(parts[2])
		}
		list = append(list, t)
	}
	slices.SortFunc(list, func(a, b PlaceTally) int {
		return cmp.Or(cmp.Compare(b.Records, a.Records), cmp.Compare(a.Namespace, b.Namespace), cmp.Compare(a.Pod, b.Pod), cmp.Compare(a.Container, b.Container))
	})
	return list
}

func (d *Delta) eventTallies() []EventTally {
	list := []EventTally{}
	for e := range d.events {
		for l, c := range d.events[e] {
			if c.all > 0 {
				list = append(list, EventTally{parser.Emitter(e).String(), d.levels.label(uint16(l), ""), c.all, c.failed})
			}
		}
	}
	slices.SortFunc(list, func(a, b EventTally) int {
		return cmp.Or(cmp.Compare(b.Count, a.Count), cmp.Compare(a.Emitter, b.Emitter), cmp.Compare(a.Level, b.Level))
	})
	return list
}

func (d *Delta) reasonTallies() []ReasonTally {
	list := []ReasonTally{}
	for i, n := range d.invalid {
		if n > 0 {
			list = append(list, ReasonTally{parser.Reason(i).String(), n})
		}
	}
	sortBy(list, func(t ReasonTally) uint64 { return t.Count }, func(t ReasonTally) string { return t.Reason })
	return list
}

func sampleList(s *samples) []Sample {
	list := []Sample{}
	for i := range s.list[:s.n] {
		e := &s.list[i]
		t := Sample{Input: e.input, Offset: e.offset, Reason: e.reason.String(), Text: string(bytes.TrimRight(e.raw[:e.length], "\r\n"))}
		if e.reason != parser.NoReason {
			t.Stopped = e.stop
		}
		list = append(list, t)
	}
	return list
}

// sortBy sorts by count, the highest first, then by name.
func sortBy[T any](list []T, count func(T) uint64, name func(T) string) {
	slices.SortFunc(list, func(a, b T) int {
		return cmp.Or(cmp.Compare(count(b), count(a)), cmp.Compare(name(a), name(b)))
	})
}

// share is part of whole, to six decimals.
func share(part, whole uint64) float64 {
	if whole == 0 {
		return 0
	}
	return math.Round(float64(part)/float64(whole)*1e6) / 1e6
}

func utc(nanos int64) time.Time { return time.Unix(0, nanos).UTC() }
