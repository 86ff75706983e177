package source

import (
	"bytes"
	"context"
	"errors"
	"io"
	"slices"

	"github.com/flagwatch/flagwatch/parser"
)

const (
	blockSize = 256 << 10 // a batch is larger only when a record is
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

	framer Framer
	pos    Position // of the first held byte
	held   []byte   // read and not yet handed out
}

// next fills b. After an error there is nothing more to come.
func (c *cutter) next(ctx context.Context, b *Batch) error {
	buf := slices.Grow(b.buf[:0], max(c.block, len(c.held))+parser.Padding)
	buf = append(buf, c.held...)
	b.buf = buf
	var err error
	for tried := 0; err == nil; {
		if c.ended() && len(buf) < parser.MaxRecord {
			err = io.EOF
			break
		}
		if n, head := c.framer.Cut(buf, tried); n > 0 {
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

// ended says that nothing more will be read: then there is nothing to cut.
func (c *cutter) ended() bool {
	f, ok := asFile(c.in)
	return ok && f.err == io.EOF
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

// rest returns how many bytes of buf to hand out after reading gave err: all
// of them at the end of the input, else the lines that are whole.
func (c *cutter) rest(ctx context.Context, buf []byte, err error) int {
	if err == errQuiet || err == ctx.Err() {
		return c.framer.WholeLines(buf)
	}
	return len(buf)
}

// handOut gives b the first n bytes of buf, which becomes b's, and holds the
// rest.
func (c *cutter) handOut(b *Batch, buf []byte, n int, head bool) {
	b.buf = buf
	used := c.framer.Fill(b, buf, n, head)
	b.Stream, b.From = c.stream, c.pos
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
	c.framer.Reset()
	c.held = c.held[:0]
}
