package sinks

// A load counts the records that did not fail, by time and cluster: what
// failures are compared with. Its steps are ten seconds; when there are too
// many of them, they are doubled, for all clusters alike, so that what it
// holds depends on nothing but the records.
type load struct {
	steps   table
	shift   uint8 // a step is ten seconds times two to the shift
	windows []window
}

// A window is the step that a cluster's records came in last, not yet in the
// table.
type window struct {
	begin int64 // nanoseconds since 1970
	n     uint64
}

func newLoad() load { return load{steps: newTable()} }

func (l *load) width() int64 { return cellNanos << l.shift }

func (l *load) add(cluster uint16, at int64) {
	for int(cluster) >= len(l.windows) {
		l.windows = append(l.windows, window{})
	}
	w := &l.windows[cluster]
	switch {
	case uint64(at-w.begin) < uint64(l.width()):
		w.n++
	case at < w.begin: // a record is written at its end, so some are late
		l.put(cluster, floorDiv(at, l.width()), 1)
	default:
		l.close(cluster)
		w.begin = floorDiv(at, l.width()) * l.width()
		w.n++
	}
}

// close puts a cluster's window into the table.
func (l *load) close(cluster uint16) {
	w := &l.windows[cluster]
	if w.n > 0 {
		l.put(cluster, floorDiv(w.begin, l.width()), w.n)
		w.n = 0
	}
}

// put counts n records of a step.
func (l *load) put(cluster uint16, step int64, n uint64) {
	shift := l.shift
	for !l.steps.add(key{rest: uint64(cluster), at: step >> (l.shift - shift)}, n, maxCells) {
		l.widen()
	}
}

// widen doubles the steps.
func (l *load) widen() {
	old := l.steps
	l.steps = newTable()
	l.shift++
	for k, n := range old.all {
		k.at >>= 1
		l.steps.add(k, n, maxCells)
	}
	for i := range l.windows {
		w := &l.windows[i]
		w.begin = floorDiv(w.begin, l.width()) * l.width()
	}
}

// all walks the steps of all clusters, in no order; one may come twice.
func (l *load) all(yield func(cluster uint16, w window) bool) {
	for k, n := range l.steps.all {
		if !yield(uint16(k.rest), window{k.at * l.width(), n}) {
			return
		}
	}
	for cluster, w := range l.windows {
		if w.n > 0 && !yield(uint16(cluster), w) {
			return
		}
	}
}

func (l *load) merge(o *load, clusters []uint16) {
	for l.shift < o.shift {
		l.widen()
	}
	for cluster, w := range o.all {
		l.put(clusters[cluster], floorDiv(w.begin, l.width()), w.n)
	}
}

func (l *load) reset() {
	l.steps.reset()
	l.shift, l.windows = 0, l.windows[:0]
}
