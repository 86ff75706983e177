package pipeline

import (
	"context"
	"runtime/debug"

	"github.com/flagwatch/flagwatch/classify"
	"github.com/flagwatch/flagwatch/internal/source"
	"github.com/flagwatch/flagwatch/parser"
	"github.com/flagwatch/flagwatch/sinks"
)

// flushSize is how much output a worker keeps until its batch is done.
const flushSize = 1 << 20

// A worker takes batch after batch. All but now and before is its own.
type worker struct {
	run    *run
	parser *parser.Parser // of the batch: plain or one of the others
	plain  *parser.Parser
	others []learnedParser
	causes *classify.Classifier
	batch  source.Batch
	seq    uint64 // of the batch
	buf    []byte // output not yet written

	now    *counts // what it counts into; exchanged under gate
	before *counts // the coordinator's

	delta   *sinks.Delta
	from    sinks.Origin
	counted bool // the record that is being done is in the delta
	all     bool // all records are counted, and nothing else is done with them

	tide *tide // before the batch
	mine *tide // to be published
	at   int64 // the last time in the batch; 0: none yet
}

func newWorker(r *run) *worker {
	return &worker{
		run: r, plain: parser.NewParser(r.opt.Want, r.opt.Formats...), causes: r.opt.Classifier.Clone(),
		now: newCounts(&r.spare), before: newCounts(&r.spare), all: r.opt.Emit == nil && !r.opt.Keep.Timed() && r.opt.Keep.Match == nil,
	}
}

func (w *worker) work(ctx context.Context) {
	for w.take(ctx) {
		w.count()
		w.tell()
		if w.run.opt.Emit != nil {
			w.flush()
			w.run.out.pass()
		}
		w.run.gate.RUnlock()
	}
	w.release()
}

// tell lets the next epoch come.
func (w *worker) tell() {
	select {
	case w.run.news <- struct{}{}:
	default:
	}
}

// release lets go of what only reading needs: the last epoch and the report
// want memory of their own.
func (w *worker) release() {
	w.parser, w.plain, w.others, w.causes = nil, nil, nil, nil
	w.batch, w.buf, w.delta, w.from = source.Batch{}, nil, nil, sinks.Origin{}
}

// take takes the next batch, and with it gate.
func (w *worker) take(ctx context.Context) bool {
	r := w.run
	select {
	case r.turn <- struct{}{}:
	case <-r.stop:
		return false
	}
	defer func() { <-r.turn }()
	if r.over {
		return false
	}
	if err := r.src.Next(ctx, &w.batch); err != nil {
		r.over = true
		r.finish(err)
		return false
	}
	r.gate.RLock()
	if r.ended {
		r.gate.RUnlock()
		return false
	}
	w.seq = r.seq
	r.seq++
	w.parser = w.parserFor(r.learn(&w.batch).formats)
	if r.opt.Keep.Timed() {
		r.tides.link(w)
	}
	return true
}

// count counts the batch's records and bytes.
func (w *worker) count() {
	defer w.publish()
	b := &w.batch
	if !w.run.opt.Early {
		w.now.ends[b.Stream] = end{b.To, w.seq}
	}
	w.delta = w.now.delta(b.Stream.Group)
	for reason, n := range b.Discarded {
		if n > 0 {
			w.delta.AddDiscarded(source.Discard(reason).String(), n)
		}
	}
	for reason, n := range b.Lost {
		if n > 0 {
			w.delta.AddLost(source.Loss(reason).String(), n)
		}
	}
	s := b.Stream
	w.from = sinks.Origin{Input: s.Name, Source: s.Input, Namespace: s.Namespace, Pod: s.Pod, Container: s.Container, Offset: b.From.Offset, Block: b.Data}
	if b.Cut {
		w.parser.ResetCut(b.Data)
	} else {
		w.parser.Reset(b.Data)
	}
	for !w.walk() {
	}
	w.delta.EndBatch(&w.from, b.To.Offset)
}

// walk counts the batch's records until the last one, or until one panics.
func (w *worker) walk() (done bool) {
	defer w.rescue()
	for {
		w.counted = false
		rec, ok := w.parser.Next()
		if !ok {
			return true
		}
		w.record(rec)
	}
}

func (w *worker) record(rec *parser.Record) {
	if w.all && classify.Ordinary(rec) {
		if place, met := w.delta.Met(rec); met {
			w.counted = true
			w.delta.AddMet(&w.from, rec, place)
			return
		}
	}
	v := w.causes.Classify(rec)
	if !w.keeps(rec, v) {
		w.counted = true
		w.delta.AddSkipped(rec)
		return
	}
	if w.run.opt.Emit != nil {
		w.buf = w.run.opt.Emit(w.buf, &w.batch, rec, v)
		if len(w.buf) > flushSize {
			w.flush()
		}
	}
	w.counted = true
	if w.run.opt.Account {
		w.delta.Account(&w.from, rec)
		return
	}
	w.delta.Add(&w.from, rec, v)
}

// rescue counts the record at which something panicked as an invalid one. A
// record that panicked while it was counted is in the delta already: Add
// counts it before it looks into it.
func (w *worker) rescue() {
	v := recover()
	if v == nil {
		return
	}
	if w.run.opt.Fault != nil {
		w.run.opt.Fault(v, debug.Stack())
	}
	if !w.counted {
		w.record(w.parser.Fault())
	}
}
