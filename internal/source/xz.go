package source

import (
	"bufio"
	"crypto/sha256"
	"encoding/binary"
	"errors"
	"hash"
	"hash/crc32"
	"hash/crc64"
	"io"

	"github.com/ulikunitz/xz/lzma"
)

// An xzDecoder decodes one stream of the .xz file format, version 1.2.1. It
// reads the container itself, since the dictionary that a block asks for is
// allocated by whoever decodes it: no block may ask for more than the limit.
type xzDecoder struct {
	window window

	r     *bufio.Reader
	n     int64 // bytes of r that were read
	check byte  // kind of the blocks' checks
	block io.Reader
	begun int64 // where the block began
	sum   hash.Hash
}

var errXZ = errors.New("malformed header")

var xzCRC64 = crc64.MakeTable(crc64.ECMA)

func (d *xzDecoder) reset(r *bufio.Reader) error {
	*d = xzDecoder{window: d.window, r: r}
	var head [12]byte
	if err := d.full(head[:]); err != nil {
		return err
	}
	if !isXZ(head[:]) || head[6] != 0 || crc32.ChecksumIEEE(head[6:8]) != binary.LittleEndian.Uint32(head[8:]) {
		return errXZ
	}
	d.check = head[7]
	switch d.check {
	case 0, 1, 4, 10:
		return nil
	}
	return errors.New("unknown kind of check")
}

// full fills p.
func (d *xzDecoder) full(p []byte) error {
	n, err := io.ReadFull(d.r, p)
	d.n += int64(n)
	if err == io.EOF {
		err = io.ErrUnexpectedEOF
	}
	return err
}

// counted is what the LZMA decoder reads from.
type counted struct{ d *xzDecoder }

func (c counted) Read(p []byte) (int, error) {
	n, err := c.d.r.Read(p)
	c.d.n += int64(n)
	return n, err
}

func (c counted) ReadByte() (byte, error) {
	b, err := c.d.r.ReadByte()
	if err == nil {
		c.d.n++
	}
	return b, err
}

func (d *xzDecoder) Read(p []byte) (int, error) {
	for {
		if d.block == nil {
			if err := d.next(); err != nil {
				return 0, err
			}
		}
		n, err := d.block.Read(p)
		d.sum.Write(p[:n])
		if err == io.EOF {
			err = d.endBlock()
		}
		if n > 0 || err != nil {
			return n, err
		}
	}
}

// next begins the next block; behind the last one it reads the index and
// returns io.EOF.
func (d *xzDecoder) next() error {
	size, err := d.r.ReadByte()
	if err != nil {
		return io.ErrUnexpectedEOF
	}
	d.n++
	if size == 0 {
		return d.index()
	}
	head := make([]byte, 4*(int(size)+1))
	head[0] = size
	if err := d.full(head[1:]); err != nil {
		return err
	}
	body := head[:len(head)-4]
	if crc32.ChecksumIEEE(body) != binary.LittleEndian.Uint32(head[len(body):]) {
		return errXZ
	}
	dictionary, err := blockDictionary(body[1:])
	if err != nil {
		return err
	}
	if err := d.window.grow(dictionary); err != nil {
		return err
	}
	d.begun, d.sum = d.n, d.newSum()
	d.block, err = lzma.Reader2Config{DictCap: int(max(dictionary, lzma.MinDictCap))}.NewReader2(counted{d})
	return err
}

// blockDictionary reads a block's header behind its size: section 3.1.
func blockDictionary(b []byte) (int64, error) {
	flags := b[0]
	b = b[1:]
	if flags&0x3c != 0 {
		return 0, errXZ
	}
	for _, present := range []byte{0x40, 0x80} {
		if flags&present != 0 {
			_, n := binary.Uvarint(b)
			if n <= 0 {
				return 0, errXZ
			}
			b = b[n:]
		}
	}
	if flags&3 != 0 || len(b) < 3 || b[0] != 0x21 {
		return 0, errors.New("uses another filter than LZMA2")
	}
	if b[1] != 1 {
		return 0, errXZ
	}
	return lzma.DecodeDictCap(b[2])
}

func (d *xzDecoder) newSum() hash.Hash {
	switch d.check {
	case 1:
		return crc32.NewIEEE()
	case 4:
		return crc64.New(xzCRC64)
	case 10:
		return sha256.New()
	}
	return noSum{}
}

// endBlock reads the padding and the check.
func (d *xzDecoder) endBlock() error {
	d.block = nil
	padding := int((d.begun - d.n) & 3)
	var buf [3 + sha256.Size]byte
	rest := buf[:padding+d.sum.Size()]
	if err := d.full(rest); err != nil {
		return err
	}
	want := d.sum.Sum(nil)
	for i, b := range rest[padding:] {
		if d.check != 10 { // stored the other way round
			i = len(want) - 1 - i
		}
		if want[i] != b {
			return errors.New("checksum mismatch")
		}
	}
	return nil
}

// index reads the index and the footer, whose contents are not needed.
func (d *xzDecoder) index() error {
	begun := d.n - 1
	count, err := binary.ReadUvarint(counted{d})
	for i := uint64(0); err == nil && i < 2*count; i++ {
		_, err = binary.ReadUvarint(counted{d})
	}
	if err == io.EOF {
		err = io.ErrUnexpectedEOF
	}
	if err != nil {
		return err
	}
	var rest [3 + 4 + 12]byte
	tail := rest[:int((begun-d.n)&3)+4+12]
	if err := d.full(tail); err != nil {
		return err
	}
	if string(tail[len(tail)-2:]) != "YZ" {
		return errXZ
	}
	return io.EOF
}

// noSum is the check of streams without one.
type noSum struct{}

func (noSum) Write(p []byte) (int, error) { return len(p), nil }
func (noSum) Sum(b []byte) []byte         { return b }
func (noSum) Reset()                      {}
func (noSum) Size() int                   { return 0 }
func (noSum) BlockSize() int              { return 1 }
