package source

import (
	"context"
	"io"
	"time"
)

const (
	quiet     = 2 * time.Second // then a record that could go on is whole; longer than a network's hiccup
	pipeReads = 3               // buffers in turn: being filled, waiting, being emptied
	pipeBlock = blockSize / 2   // of a buffer; few programs write more at once
)

// A chunk is what one read gave.
type chunk struct {
	buf []byte
	n   int
	err error
}

// A pipe is an input that can block. A goroutine reads ahead, so that waiting
// for bytes can be given up; it ends with the input, or soon after close or
// the end of the reader's ctx. While a read is blocked it lives on.
type pipe struct {
	full chan chunk
	free chan []byte
	open func() (io.ReadCloser, error)

	cur   chunk // being emptied
	at    int   // how far
	began bool
	ended bool // no buffer goes back, so soon nothing more arrives
	timer *time.Timer
}

func newPipe(open func() (io.ReadCloser, error)) *pipe {
	return &pipe{open: open, full: make(chan chunk, pipeReads+1), free: make(chan []byte, pipeReads)}
}

// run is the goroutine. It never waits to send: full has room for every buffer.
func (p *pipe) run() {
	r, err := p.open()
	if err != nil {
		p.full <- chunk{err: err}
		return
	}
	defer r.Close()
	for buf := range p.free {
		n, err := r.Read(buf)
		p.full <- chunk{buf, n, err}
		if err != nil {
			return
		}
	}
}

func (p *pipe) begin() {
	p.began = true
	for range pipeReads {
		p.free <- make([]byte, pipeBlock)
	}
	go p.run()
}

// read takes all that has arrived, as far as dst has room.
func (p *pipe) read(ctx context.Context, dst []byte, mayBeQuiet bool) (int, error) {
	if !p.began {
		p.begin()
	}
	if ctx.Err() != nil {
		p.close()
	}
	n := 0
	for {
		m := copy(dst[n:], p.cur.buf[p.at:p.cur.n])
		n, p.at = n+m, p.at+m
		if n == len(dst) || p.cur.err != nil {
			break
		}
		p.recycle()
		select {
		case p.cur = <-p.full:
			continue
		default:
		}
		if n > 0 {
			return n, nil
		}
		if err := p.wait(ctx, mayBeQuiet); err != nil {
			return 0, err
		}
	}
	if n > 0 {
		return n, nil
	}
	return 0, p.cur.err
}

// recycle gives the emptied buffer back.
func (p *pipe) recycle() {
	if p.cur.buf != nil && !p.ended {
		p.free <- p.cur.buf
	}
	p.cur, p.at = chunk{}, 0
}

// wait waits for the next chunk.
func (p *pipe) wait(ctx context.Context, mayBeQuiet bool) error {
	var pause <-chan time.Time
	if mayBeQuiet {
		if p.timer == nil {
			p.timer = time.NewTimer(quiet)
		} else {
			p.timer.Reset(quiet)
		}
		defer p.timer.Stop()
		pause = p.timer.C
	}
	select {
	case p.cur = <-p.full:
		return nil
	case <-pause:
		return errQuiet
	case <-ctx.Done():
		return ctx.Err()
	}
}

func (p *pipe) close() {
	if p.began && !p.ended {
		close(p.free)
	}
	p.ended = true
}
