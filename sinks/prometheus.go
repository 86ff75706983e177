package sinks

import (
	"bytes"
	"cmp"
	"io"
	"slices"
	"strconv"
	"time"

	"github.com/VictoriaMetrics/metrics"

	"github.com/flagwatch/flagwatch/classify"
	"github.com/flagwatch/flagwatch/parser"
)

// MetricOptions are choices for WriteMetrics.
type MetricOptions struct {
	Version                 string // of the program
	GoVersion, GOOS, GOARCH string
	Causes                  []classify.Cause // those that are there from the start; nil: the catalogue's

	// Agent's: a run that ends has none of it.
	Now      time.Time     // zero: no ages are shown
	BornFor  time.Duration // how long a series by workload is shown as 0 at first
	StateAge time.Duration
	Inputs   []string // names of inputs
}

// ContentType is of what WriteMetrics writes.
const ContentType = "text/plain; version=0.0.4; charset=utf-8"

// WriteMetrics writes what was counted in Prometheus' text format. All counts
// come from s, so they are exactly those that were committed.
func (s *Snapshot) WriteMetrics(w io.Writer, o MetricOptions) error {
	e := &exposition{o: o, d: s.sum, m: s.sum.meter}
	if e.m == nil {
		e.m = newMeter(DefaultMaxSeries)
	}
	for i := range metricList {
		e.metric(&metricList[i])
	}
	_, err := w.Write(e.out.Bytes())
	return err
}

// WriteMetrics is that of the Snapshot that the report was computed from, which
// must not have been changed since.
func (r *Report) WriteMetrics(w io.Writer, o MetricOptions) error {
	return r.snapshot.WriteMetrics(w, o)
}

// An exposition is one that is being written.
type exposition struct {
	o    MetricOptions
	d    *Delta
	m    *meter
	at   *Metric
	head bool // of the metric is written
	out  bytes.Buffer
	name []byte
}

func (e *exposition) metric(m *Metric) {
	e.at, e.head = m, false
	switch m.Name {
	case "flagwatch_build_info":
		e.gauge(1, e.o.Version, e.o.GoVersion, e.o.GOOS, e.o.GOARCH)
	case "flagwatch_records_total":
		for k := range parser.NumKinds {
			e.counter(e.d.kinds[k].Records, k.String())
		}
	case "flagwatch_invalid_total":
		for r := range parser.NumReasons {
			if name := r.String(); name != "" {
				e.counter(e.d.invalid[r], name)
			}
		}
	case "flagwatch_log_bytes_total":
		e.counter(e.d.bytes())
	case "flagwatch_discarded_bytes_total":
		for i, n := range e.d.discarded {
			if discards[i] != other {
				e.counter(n, discards[i])
			}
		}
	case "flagwatch_lost_bytes_total":
		for _, reason := range lossReasons {
			e.counter(e.m.lost[reason], reason)
		}
	case "flagwatch_requests_total":
		e.family(requestsFamily, nil)
	case "flagwatch_failures_total":
		e.family(failuresFamily, e.causes())
	case "flagwatch_response_flags_total":
		e.family(flagsFamily, flagNames())
	case "flagwatch_events_total":
		e.events()
	case "flagwatch_request_duration_seconds":
		e.timings()
	case "flagwatch_series_limited_total":
		for f, name := range []string{"flagwatch_requests_total", "flagwatch_failures_total", "flagwatch_response_flags_total"} {
			e.counter(e.m.limited[f], name)
		}
	default:
		e.ages()
	}
}

// lossReasons are those of the contract.
var lossReasons = []string{"rotated-away", "truncated-away", "hold-budget", "retention"}

// ages are the metrics that only a program that goes on has.
func (e *exposition) ages() {
	if e.o.Now.IsZero() {
		return
	}
	if e.at.Name == "flagwatch_state_age_seconds" {
		e.gauge(e.o.StateAge.Seconds())
		return
	}
	for _, input := range e.o.Inputs {
		at := e.m.inputs[input]
		switch {
		case at == nil || *at == 0:
		case e.at.Name == "flagwatch_input_lag_seconds":
			e.gauge(max(e.o.Now.Sub(time.Unix(0, *at)).Seconds(), 0), input)
		default:
			e.gauge(float64(*at/1e6)/1e3, input)
		}
	}
}

func (d *Delta) bytes() (n uint64) {
	for k := range d.kinds {
		n += d.kinds[k].Bytes
	}
	for _, b := range d.discarded {
		n += b
	}
	return n
}

// series builds the name of a series, with HELP and TYPE in front of the first.
func (e *exposition) series(suffix string, names, values []string) string {
	if !e.head {
		e.head = true
		e.out.WriteString("# HELP " + e.at.Name + " " + e.at.Help + "\n# TYPE " + e.at.Name + " " + e.at.Type + "\n")
	}
	e.name = append(append(e.name[:0], e.at.Name...), suffix...)
	e.name = appendLabels(e.name, names, values)
	return string(e.name)
}

func (e *exposition) counter(n uint64, values ...string) {
	metrics.WriteCounterUint64(&e.out, e.series("", e.at.Labels, values), n)
}

func (e *exposition) gauge(v float64, values ...string) {
	metrics.WriteGaugeFloat64(&e.out, e.series("", e.at.Labels, values), v)
}

func (e *exposition) causes() (names []string) {
	list := e.o.Causes
	if list == nil {
		list = classify.Causes()
	}
	for i := range list {
		names = append(names, list[i].ID)
	}
	return append(names, unexplained)
}

func flagNames() (names []string) {
	for f := range parser.NumFlags {
		names = append(names, parser.Flag(f).String())
	}
	return names
}

// family writes the series of one metric. For each of names there is one from
// the start, without a workload.
func (e *exposition) family(f family, names []string) {
	rows := e.m.families[f]
	keys := make([]series, 0, len(rows))
	for k := range rows {
		keys = append(keys, k)
	}
	for _, name := range names {
		if k := (series{name: name}); rows[k] == nil {
			keys = append(keys, k)
		}
	}
	slices.SortFunc(keys, func(a, b series) int {
		return cmp.Or(cmp.Compare(a.namespace, b.namespace), cmp.Compare(a.workload, b.workload), cmp.Compare(a.direction, b.direction), cmp.Compare(a.name, b.name), cmp.Compare(a.class, b.class))
	})
	for _, k := range keys {
		values := []string{k.namespace, k.workload, k.direction.String(), k.name, classLabel(k.class)}
		e.counter(e.shown(rows[k], k), values[:len(e.at.Labels)]...)
	}
}

// shown is the value of a series. One that is new is 0 for a while, so that
// its first increase is seen as one.
func (e *exposition) shown(c *counter, k series) uint64 {
	switch {
	case c == nil:
		return 0
	case k.workload == "" && k.namespace == "" || e.o.BornFor == 0 || e.o.Now.Unix()-c.born >= int64(e.o.BornFor/time.Second):
		return c.n
	}
	return 0
}

func classLabel(class uint8) string {
	if class == 0 {
		return ""
	}
	return strconv.Itoa(int(class)) + "xx"
}

func (e *exposition) events() {
	names := e.causes()
	for id := range e.m.events {
		names = append(names, id)
	}
	slices.Sort(names)
	for _, id := range slices.Compact(names) {
		if id == unexplained {
			continue
		}
		n := uint64(0)
		if c := e.m.events[id]; c != nil {
			n = c.n
		}
		e.counter(n, id)
	}
}

func (e *exposition) timings() {
	names := []string{"direction", "outcome", "le"}
	for dir := range e.m.timings {
		for failed, outcome := range []string{"ok", "failed"} {
			t := &e.m.timings[dir][failed]
			values := []string{parser.Direction(dir).String(), outcome, ""}
			sum := uint64(0)
			for i, n := range t.buckets {
				sum += n
				values[2] = "+Inf"
				if i < len(bounds) {
					values[2] = strconv.FormatFloat(float64(bounds[i])/1e3, 'g', -1, 64)
				}
				metrics.WriteCounterUint64(&e.out, e.series("_bucket", names, values), sum)
			}
			metrics.WriteCounterFloat64(&e.out, e.series("_sum", names[:2], values), float64(t.sum)/1e3)
			metrics.WriteCounterUint64(&e.out, e.series("_count", names[:2], values), sum)
		}
	}
}

// WriteProcessMetrics writes what the Go runtime and the system say of this
// process.
func WriteProcessMetrics(w io.Writer) { metrics.WriteProcessMetrics(w) }
