package pipeline

import (
	"io"
	"sync"
)

// An output is written to by the workers in the order of their batches.
type output struct {
	w io.Writer

	mu     sync.Mutex
	passed sync.Cond
	turn   uint64 // batch whose worker may write
	err    error  // nothing is written after it
}

func (o *output) init(w io.Writer) {
	o.w = w
	o.passed.L = &o.mu
}

// await waits until all batches before seq are written. From then to pass the
// output is the caller's.
func (o *output) await(seq uint64) {
	o.mu.Lock()
	defer o.mu.Unlock()
	for o.turn != seq {
		o.passed.Wait()
	}
}

// write needs await before it. It returns an error once.
func (o *output) write(p []byte) error {
	if o.err != nil || len(p) == 0 {
		return nil
	}
	_, o.err = o.w.Write(p)
	return o.err
}

// pass lets the next batch's worker write.
func (o *output) pass() {
	o.mu.Lock()
	o.turn++
	o.mu.Unlock()
	o.passed.Broadcast()
}

// flush writes what the worker has, in its turn.
func (w *worker) flush() {
	out := &w.run.out
	out.await(w.seq)
	if err := out.write(w.buf); err != nil {
		w.run.fail(err)
	}
	w.buf = w.buf[:0]
}
