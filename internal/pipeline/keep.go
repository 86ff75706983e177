package pipeline

import (
	"math"
	"sync/atomic"

	"github.com/flagwatch/flagwatch/classify"
	"github.com/flagwatch/flagwatch/internal/source"
	"github.com/flagwatch/flagwatch/parser"
)

// A Keep says which records count; the others are only counted as skipped.
// The zero value keeps all.
type Keep struct {
	// Since and Until are times in nanoseconds since 1970; 0 is no bound. A
	// record without a time has that of the last one of its stream that has
	// one. Without such a one it is kept, unless the stream was begun behind
	// its beginning: that is how a search for Since begins.
	Since, Until int64

	// Before and After are set to the latest time of a record that was left out
	// because of Since and of Until.
	Before, After *Latest

	// Match is asked about each record, if set. It is called by all workers at
	// once.
	Match func(*parser.Record, classify.Verdict) bool
}

// Latest is the latest of the times that it was told, in nanoseconds since
// 1970; 0 before that. It is safe for concurrent use, and so is nil.
type Latest struct{ at atomic.Int64 }

// Tell tells a time.
func (l *Latest) Tell(at int64) {
	if l == nil {
		return
	}
	for old := l.at.Load(); at > old && !l.at.CompareAndSwap(old, at); {
		old = l.at.Load()
	}
}

// Time returns the latest.
func (l *Latest) Time() int64 {
	if l == nil {
		return 0
	}
	return l.at.Load()
}

// Timed says whether records are left out by their time.
func (k *Keep) Timed() bool { return k.Since != 0 || k.Until != 0 }

// A tide is the last time that was seen up to the end of a batch. The worker
// of the next batch of the stream may wait for it: that is in progress.
type tide struct {
	done chan struct{}
	at   int64 // 0: none yet; under done
}

// tides links the batches of each stream; under turn.
type tides map[*source.Stream]*tide

// link gives the worker's batch the tide before it and its own.
func (t tides) link(w *worker) {
	s := w.batch.Stream
	w.tide, w.mine = t[s], &tide{done: make(chan struct{})}
	t[s] = w.mine
	w.at = 0
	if w.tide == nil && w.batch.From.Offset > 0 {
		w.at = math.MinInt64
	}
}

// publish lets the next batch know the time.
func (w *worker) publish() {
	if w.mine != nil {
		w.mine.at = w.time()
		close(w.mine.done)
		w.tide, w.mine = nil, nil
	}
}

// time is the last time of the stream so far, 0 when there is none.
func (w *worker) time() int64 {
	if w.at == 0 && w.tide != nil {
		<-w.tide.done
		w.at, w.tide = w.tide.at, nil
	}
	return w.at
}

// keeps says whether a record counts.
func (w *worker) keeps(r *parser.Record, v classify.Verdict) bool {
	k := &w.run.opt.Keep
	if k.Timed() {
		if at, ok := r.Time(); ok && at != 0 {
			w.at = at
		}
		if at := w.time(); at != 0 && (at < k.Since || k.Until != 0 && at > k.Until) {
			if at < k.Since {
				k.Before.Tell(at)
			} else {
				k.After.Tell(at)
			}
			return false
		}
	}
	return k.Match == nil || k.Match(r, v)
}
