package source

import (
	"bufio"
	"context"
	"errors"
	"io"
	"sync/atomic"
)

const (
	rawSize   = 64 << 10
	sniffSize = 512 // the header of a tar archive; more than any other magic
	maxLayers = 6   // formats around each other, such as a gz in a tar in a gz
)

// A raw is bytes that may be packed, and how far they were read.
type raw struct {
	*bufio.Reader
	src *meter
}

// A meter counts what is read. Others may look at n.
type meter struct {
	r io.Reader
	n atomic.Int64
}

func (m *meter) Read(p []byte) (int, error) {
	n, err := m.r.Read(p)
	m.n.Add(int64(n))
	return n, err
}

func newRaw(r io.Reader) *raw {
	m := &meter{r: r}
	return &raw{bufio.NewReaderSize(m, rawSize), m}
}

// at is the offset of the next byte.
func (r *raw) at() int64 { return r.src.n.Load() - int64(r.Buffered()) }

// rewind goes back to offset at, if the bytes are those of a file.
func (r *raw) rewind(at int64) bool {
	u, ok := r.src.r.(*unread)
	if !ok || !u.back(r.src.n.Load()-at) {
		return false
	}
	r.src.n.Store(at)
	r.Reset(r.src)
	return true
}

// tools are decoders for one goroutine, to be used again and again.
type tools struct {
	share *share
	free  map[*codec][]decoder
	raws  []*raw

	cutter cutter // of the log that is being read
}

func newTools(s *share) *tools { return &tools{share: s, free: map[*codec][]decoder{}} }

// rest ends a job: decoders that are large are not kept.
func (t *tools) rest() {
	if t.share.taken > 0 {
		clear(t.free)
		t.share.give()
	}
}

func (t *tools) take(c *codec) decoder {
	list := t.free[c]
	if len(list) == 0 {
		return c.open(window{share: t.share})
	}
	t.free[c] = list[:len(list)-1]
	return list[len(list)-1]
}

// raw puts a buffer in front of m, until it is given to done.
func (t *tools) raw(m *meter) *raw {
	n := len(t.raws)
	if n == 0 {
		return &raw{bufio.NewReaderSize(m, rawSize), m}
	}
	r := t.raws[n-1]
	t.raws = t.raws[:n-1]
	r.src = m
	r.Reset(m)
	return r
}

// done takes a buffer back, which then refers to nothing.
func (t *tools) done(r *raw) {
	r.src = nil
	r.Reset(nil)
	t.raws = append(t.raws, r)
}

// plain is what r holds below its compression.
func (t *tools) plain(r io.Reader) (plain io.Reader, give func()) {
	packed := newRaw(r)
	head, _ := packed.Peek(magicSize)
	c := codecOf(head)
	if c == nil {
		return packed, func() {}
	}
	d := &decoding{codec: c, raw: packed, dec: t.take(c)}
	return d, func() { t.give(c, d.dec) }
}

// Unpack is what r holds below its compression, or r's bytes as they are.
func Unpack(r io.Reader) io.Reader {
	plain, _ := newTools(&share{pool: new(pool), limit: DefaultMaxWindow, ctx: context.Background()}).plain(r)
	return plain
}

func (t *tools) give(c *codec, d decoder) { t.free[c] = append(t.free[c], d) }

// A decoding is what the members of a compressed stream, one after the other,
// decode to. At a damage it returns an error again and again, until resync.
type decoding struct {
	codec *codec
	raw   *raw
	dec   decoder
	open  bool  // in a member
	begun int64 // where the member began
	err   error
	out   int64 // decoded bytes
}

func (d *decoding) Read(p []byte) (int, error) {
	for d.err == nil {
		if !d.open {
			d.err = d.next()
			continue
		}
		n, err := d.dec.Read(p)
		d.out += int64(n)
		if err == io.EOF {
			d.open = false
		} else if err != nil {
			d.err = d.explain(err)
		}
		if n > 0 {
			return n, nil
		}
	}
	return 0, d.err
}

// next begins the next member.
func (d *decoding) next() error {
	if err := d.skipZeros(); err != nil {
		return err
	}
	d.begun = d.raw.at()
	head, err := d.raw.Peek(magicSize)
	switch {
	case len(head) == 0:
		return err
	case err != nil && err != io.EOF:
		return err
	case !d.codec.begins(head) && len(head) < magicSize:
		d.raw.Discard(len(head))
		return d.explain(io.ErrUnexpectedEOF)
	case !d.codec.begins(head):
		return errors.New("what follows is no " + d.codec.name)
	}
	if err := d.dec.reset(d.raw.Reader); err != nil {
		return d.explain(err)
	}
	d.open = true
	return nil
}

// skipZeros skips what fills up blocks of a tape, and the stream padding of xz.
func (d *decoding) skipZeros() error {
	for {
		head, _ := d.raw.Peek(1)
		if len(head) == 0 || head[0] != 0 {
			return nil
		}
		buf, _ := d.raw.Peek(d.raw.Buffered())
		n := 0
		for n < len(buf) && buf[n] == 0 {
			n++
		}
		d.raw.Discard(n)
	}
}

// explain says what an error of the decoder means. Errors of reading stay what
// they are.
func (d *decoding) explain(err error) error {
	var window *windowError
	switch {
	case errors.Is(err, io.ErrUnexpectedEOF) || err == io.EOF:
		return errors.New("truncated " + d.codec.name)
	case errors.As(err, &window):
		return err
	case d.readFailed(err):
		return err
	}
	return &corruptError{d.codec.name, err}
}

// readFailed tells an error of what is below from one of the decoder.
func (d *decoding) readFailed(err error) bool {
	_, again := d.raw.Peek(1)
	return again != nil && errors.Is(err, again)
}

// A corruptError is what a decoder says of its input.
type corruptError struct {
	format string
	err    error
}

func (e *corruptError) Error() string { return "corrupt " + e.format + ": " + e.err.Error() }
func (e *corruptError) Unwrap() error { return e.err }

// resync looks for the next member behind a damage and returns how many bytes
// in between were given up. It is false when there is none.
func (d *decoding) resync() (lost int64, ok bool) {
	reached := d.raw.at()
	if d.codec.name == "gzip" && d.open {
		// A deflate decoder may only notice in one of the next members.
		d.raw.rewind(d.begun + 1)
	}
	ok = d.find()
	d.open, d.err = false, nil
	if !ok {
		d.err = io.EOF
	}
	return max(0, d.raw.at()-reached), ok
}

// find moves to the beginning of a member, or to the end.
func (d *decoding) find() bool {
	for {
		buf, err := d.raw.Peek(rawSize)
		for i := range buf {
			if d.codec.begins(buf[i:]) {
				d.raw.Discard(i)
				return true
			}
		}
		if err != nil {
			d.raw.Discard(len(buf))
			return false
		}
		d.raw.Discard(len(buf) - magicSize + 1)
	}
}
