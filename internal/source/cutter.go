package source

import (
	"bytes"
	"context"
	"errors"
	"slices"

	"github.com/flagwatch/flagwatch/parser"
)

const (
	blockSize = 256 << 10 // a batch is larger only when a record is
	headSize  = 64 << 10  // what is kept of a record that is too long
	retrySize = 64 << 10  // above this an unfinished record is looked at only now and then
)

// errQuiet is an input's word for: nothing came for a while.
var errQuiet = errors.New("quiet")

// An input is the bytes of one stream.
type input interface {
	// read waits for the first bytes. Only when it may be quiet it gives up
	// after a while with errQuiet. It returns no bytes with an error.
	read(ctx context.Context, p []byte, mayBeQuiet bool) (int, error)
	close()
}

// A cutter turns the bytes of an input into batches.
type cutter struct {
	in     input
	stream *Stream
	lines  bool
	block  int

	state    parser.FrameState
	pos      Position // of the first held byte
	held     []byte   // read and not yet handed out
	skipping bool     // in the rest of a record that is too long; then nothing is held
}

// next fills b. After an error there is nothing more to come.
func (c *cutter) next(ctx context.Context, b *Batch) error {
	buf := slices.Grow(b.buf[:0], max(c.block, len(c.held))+parser.Padding)
	buf = append(buf, c.held...)
	b.buf = buf
	var err error
	for tried := 0; err == nil; {
		if n, head := c.cut(buf, tried); n > 0 {
			c.handOut(b, buf, n, head)
			return nil
		}
		tried = len(buf)
		buf, err = c.fill(ctx, buf)
	}
	if n := c.rest(ctx, buf, err); n > 0 {
		c.handOut(b, buf, n, false)
		return nil
	}
	return err
}

// fill reads until there is something worth another look. The buffer never
// grows beyond the longest record, so where a record is too long does not
// depend on how its bytes arrive.
func (c *cutter) fill(ctx context.Context, buf []byte) ([]byte, error) {
	tried := len(buf)
	mayBeQuiet := bytes.IndexByte(buf, '\n') >= 0
	for {
		size := c.block
		if len(buf) >= size {
			size = 2 * len(buf)
		}
		size = min(size, parser.MaxRecord)
		buf = slices.Grow(buf, size+parser.Padding-len(buf))
		n, err := c.in.read(ctx, buf[len(buf):size], mayBeQuiet)
		mayBeQuiet = mayBeQuiet || bytes.IndexByte(buf[len(buf):len(buf)+n], '\n') >= 0
		buf = buf[:len(buf)+n]
		if err != nil || len(buf) < retrySize || len(buf)-tried >= tried/4 || len(buf) == parser.MaxRecord {
			return buf, err
		}
	}
}

// cut returns how many bytes of buf to hand out, and whether they are the head
// of a record that is too long. It knows that the first tried bytes hold no
// whole record.
func (c *cutter) cut(buf []byte, tried int) (n int, head bool) {
	if c.skipping {
		return len(buf), false
	}
	if bytes.IndexByte(buf[tried:], '\n') >= 0 {
		c.state.Final = false
		n = parser.Cut(buf, &c.state)
	}
	if n == 0 && len(buf) >= parser.MaxRecord {
		if n = c.wholeLines(buf); n == 0 {
			return headSize, true
		}
	}
	return n, false
}

// rest returns how many bytes of buf to hand out after reading gave err: all
// of them at the end of the input, else the lines that are whole.
func (c *cutter) rest(ctx context.Context, buf []byte, err error) int {
	if err == errQuiet || err == ctx.Err() {
		return c.wholeLines(buf)
	}
	return len(buf)
}

// wholeLines returns the end of the last line, and takes the record that ends
// there as it is.
func (c *cutter) wholeLines(buf []byte) int {
	end := bytes.LastIndexByte(buf, '\n') + 1
	if end == 0 {
		return 0
	}
	c.state.Final = true
	if n := parser.Cut(buf[:end], &c.state); n > 0 {
		return n
	}
	return end
}

// handOut gives b the first n bytes of buf, which becomes b's, and holds the
// rest.
func (c *cutter) handOut(b *Batch, buf []byte, n int, head bool) {
	used := n
	b.buf, b.Data, b.Discarded = buf, buf[:n], [NumDiscards]int64{}
	switch {
	case head:
		used = len(buf)
		b.Discarded[Oversize] = int64(used - n)
	case c.skipping:
		if end := bytes.IndexByte(buf, '\n'); end >= 0 {
			used, c.skipping = end+1, false
		}
		b.Data = buf[:0]
		b.Discarded[Oversize] = int64(used)
	}
	c.skipping = c.skipping || head
	b.Stream, b.Cut, b.From = c.stream, head, c.pos
	c.pos.Offset += int64(used)
	if c.lines {
		c.pos.Line += int64(bytes.Count(buf[:used], []byte{'\n'}))
	}
	b.To = c.pos
	c.held = append(c.held[:0], buf[used:]...)
}

// lose fills b with bytes that can not be decoded, and nothing else. All that
// was held is handed out by now.
func (c *cutter) lose(b *Batch, n int64) {
	b.Data, b.Discarded, b.Cut = b.buf[:0], [NumDiscards]int64{Corrupt: n}, false
	b.Stream, b.From = c.stream, c.pos
	c.pos.Offset += n
	b.To = c.pos
}

// restart forgets what came before: a new record begins here.
func (c *cutter) restart() {
	c.state, c.held, c.skipping = parser.FrameState{}, c.held[:0], false
}
