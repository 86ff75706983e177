package source

import (
	"context"
	"sync"
)

const (
	windowPool  = 16 << 20 // what the decoders of all jobs may have together, or of one alone
	smallWindow = 1 << 20  // costs no more than what else a job needs
)

// A pool is memory that jobs share: who needs some may have to wait until
// others end.
type pool struct {
	mu    sync.Mutex
	taken int64
	given chan struct{} // closed when some comes back; nil when nobody waits
}

// take takes memory, and waits for it until ctx is done.
func (p *pool) take(ctx context.Context, size int64) error {
	for {
		p.mu.Lock()
		if p.taken == 0 || p.taken+size <= windowPool {
			p.taken += size
			p.mu.Unlock()
			return nil
		}
		if p.given == nil {
			p.given = make(chan struct{})
		}
		given := p.given
		p.mu.Unlock()
		select {
		case <-given:
		case <-ctx.Done():
			return ctx.Err()
		}
	}
}

// add takes memory without waiting: less than nothing may be left.
func (p *pool) add(size int64) {
	p.mu.Lock()
	p.taken += size
	p.mu.Unlock()
}

func (p *pool) give(size int64) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.taken -= size
	if p.given != nil {
		close(p.given)
		p.given = nil
	}
}

// A share is what one job has of the pool. It belongs to the job's goroutine.
type share struct {
	pool  *pool
	limit int64 // of one decoder
	ctx   context.Context
	taken int64
}

// take takes memory for a decoder. Only a job that has nothing waits: so those
// that others wait for always end.
func (s *share) take(size int64) error {
	if s.taken > 0 {
		s.pool.add(size)
	} else if err := s.pool.take(s.ctx, size); err != nil {
		return err
	}
	s.taken += size
	return nil
}

func (s *share) give() {
	s.pool.give(s.taken)
	s.taken = 0
}

// A window is how far back a decoder may refer: as much memory as it needs.
type window struct {
	share *share
	size  int64 // taken
}

// grow makes room for a window, unless that is more than a decoder may have.
func (w *window) grow(size int64) error {
	if size > w.share.limit {
		return &windowError{uint64(size)}
	}
	if size <= max(w.size, smallWindow) {
		return nil
	}
	if err := w.share.take(size - w.size); err != nil {
		return err
	}
	w.size = size
	return nil
}
