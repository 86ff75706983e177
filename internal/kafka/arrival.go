package kafka

import (
	"context"

	kafka "github.com/segmentio/kafka-go"
)

// A wish is what a fetch asks for of one partition.
type wish struct {
	*claim
	from  int64
	freed bool // the partition may be fetched again; the fetch has done with its busy
}

// An arrival is what came of a wish. What arrives of one partition is converted
// in the order in which it arrived, while the next fetch is under way.
type arrival struct {
	*wish
	*fetched
	end    int64         // offset behind its last whole batch; from: there is none
	before chan struct{} // closed when it is its turn; nil: it is
	done   chan struct{} // closed when its turn is over
}

// receive converts what came of a fetch.
func (r *Reader) receive(ctx context.Context, list []wish, res *response) {
	alone := res.filled() == 1
	for _, a := range r.queue(list, res) {
		r.turn(ctx, a, alone)
	}
	r.giveBack(res)
}

// turn waits for the turn of an arrival, and takes it.
func (r *Reader) turn(ctx context.Context, a arrival, alone bool) {
	if a.before != nil {
		<-a.before
	}
	fits := r.fits(a)
	switch {
	case !fits:
	case a.code != 0:
		r.refused(ctx, a.claim, kafka.Error(a.code))
	default:
		r.convert(ctx, a.claim, a.fetched, alone)
	}
	r.passed(a, fits)
}

// filled is how many partitions something came of.
func (res *response) filled() (n int) {
	for i := range res.parts {
		if res.parts[i].tooLarge || len(res.parts[i].log) > 0 {
			n++
		}
	}
	return n
}

// queue puts what arrived behind what arrived before, and lets the partitions be
// fetched again of which it is known where that has to begin.
func (r *Reader) queue(list []wish, res *response) (queue []arrival) {
	r.mu.Lock()
	defer r.mu.Unlock()
	for i := range res.parts {
		f := &res.parts[i]
		w := wishOf(list, f.part)
		if w == nil {
			continue
		}
		a := arrival{wish: w, fetched: f, end: f.end(w.from), before: w.last, done: make(chan struct{})}
		w.last = a.done
		if a.end > w.from && w.from == w.want {
			w.want, w.busy, w.freed = a.end, false, true
		}
		queue = append(queue, a)
	}
	nudge(r.stir)
	return queue
}

func wishOf(list []wish, p part) *wish {
	for i := range list {
		if list[i].part == p {
			return &list[i]
		}
	}
	return nil
}

// end is the offset behind the last whole batch, as the batches themselves say.
func (f *fetched) end(from int64) int64 {
	for log := f.log; f.code == 0; {
		whole, rest, err := cutBatch(log)
		if err != nil {
			break
		}
		from = max(from, lastOffset(whole)+1)
		log = rest
	}
	return from
}

// fits says whether an arrival goes on where the partition is. When that could
// not be converted which arrived before, it does not.
func (r *Reader) fits(a arrival) bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	return a.from == a.next && !a.closed && a.claim.status.Halted == ""
}

// passed ends an arrival's turn.
func (r *Reader) passed(a arrival, fits bool) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if !fits || a.next != a.end {
		a.want = a.next
	}
	if !a.freed {
		a.busy, a.freed = false, true
	}
	close(a.done)
	nudge(r.stir)
}
