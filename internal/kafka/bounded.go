package kafka

import (
	"context"
	"fmt"
	"time"

	kafka "github.com/segmentio/kafka-go"
)

// A Range is what a bounded reading reads of each partition. The zero value is
// all that is there now.
type Range struct {
	Since, Until         time.Time // of the records' timestamps; zero: no bound
	FromOffset, ToOffset int64     // only with HasFrom and HasTo; to is not read any more
	HasFrom, HasTo       bool
}

// OpenRange reads the topics once, without a group. Next returns io.EOF when
// all is read that there was at the beginning.
func OpenRange(ctx context.Context, opt Options, span Range) (*Reader, error) {
	opt.Group = ""
	r, err := connect(ctx, opt)
	if err != nil {
		return nil, err
	}
	if err := r.bound(ctx, span); err != nil {
		r.c.close()
		return nil, err
	}
	r.start(func(context.Context) {})
	return r, nil
}

// Progress is how many offsets a bounded reading has to go over, and how many of
// them it has handed out.
func (r *Reader) Progress() (read, size int64) {
	r.mu.Lock()
	defer r.mu.Unlock()
	for _, c := range r.claims {
		end := max(c.begin, c.until)
		read += min(c.handed, end) - c.begin
		size += end - c.begin
	}
	return read, size
}

// bound makes a claim of each partition.
func (r *Reader) bound(ctx context.Context, span Range) error {
	leaders, err := r.c.parts(ctx)
	if err != nil {
		return err
	}
	var list []part
	for p := range leaders {
		list = append(list, p)
	}
	first, err := r.c.offsets(ctx, list, kafka.FirstOffset)
	if err != nil {
		return err
	}
	last, err := r.c.offsets(ctx, list, kafka.LastOffset)
	if err != nil {
		return err
	}
	from, to := first, last
	if !span.Since.IsZero() {
		if from, err = r.c.offsets(ctx, list, span.Since.UnixMilli()); err != nil {
			return err
		}
	}
	if !span.Until.IsZero() {
		if to, err = r.c.offsets(ctx, list, span.Until.UnixMilli()); err != nil {
			return err
		}
	}
	gen := &generation{claims: map[part]*claim{}}
	for _, p := range list {
		c := &claim{part: p, gen: gen, next: max(from[p], first[p]), until: min(to[p], last[p]), owned: -1, carry: newCarry(r.opt.Formats)}
		if span.HasFrom {
			c.next = max(c.next, span.FromOffset)
			if span.FromOffset < first[p] {
				r.lose(c, Retention, first[p]-span.FromOffset, c.next)
			}
		}
		if span.HasTo {
			c.until = min(c.until, span.ToOffset)
		}
		c.want, c.begin, c.handed, c.done = c.next, c.next, c.next, c.next >= c.until
		c.status.Topic, c.status.Partition, c.status.LastSuccess = p.topic, p.id, time.Now()
		c.status.LogStart, c.status.HighWatermark = first[p], last[p]
		r.claims = append(r.claims, c)
	}
	if len(list) == 0 {
		return fmt.Errorf("the topics have no partitions")
	}
	r.health.Joined = true
	return nil
}
