package kafka

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"slices"

	"github.com/klauspost/compress/gzip"
	"github.com/klauspost/compress/s2"
	"github.com/klauspost/compress/zstd"
	"github.com/pierrec/lz4/v4"
)

var errTooLarge = errors.New("a batch of records is larger than 64 MiB when it is decompressed")

// The codecs of batches.
// https://kafka.apache.org/documentation/#recordbatch
const (
	codecNone = iota
	codecGzip
	codecSnappy
	codecLZ4
	codecZstd
)

// An unpacker decompresses batches, within a bound: a few kilobytes of a
// producer must not become gigabytes here. It keeps what it needs for the
// next one. It is not safe for concurrent use.
type unpacker struct {
	src bytes.Reader
	gz  *gzip.Reader
	lz  *lz4.Reader
	zst *zstd.Decoder
	out []byte
}

// maxKept is how much memory is kept for the next batch.
const maxKept = 2 << 20

// unpack returns the body of a batch, which is valid until the next one.
func (u *unpacker) unpack(codec int16, body []byte) ([]byte, error) {
	if codec == codecNone {
		return body, nil
	}
	if cap(u.out) > maxKept {
		u.out = nil
	}
	var err error
	u.src.Reset(body)
	switch codec {
	case codecGzip:
		if u.gz == nil {
			u.gz = new(gzip.Reader)
		}
		if err = u.gz.Reset(&u.src); err == nil {
			u.out, err = readAll(u.out[:0], u.gz)
		}
	case codecSnappy:
		u.out, err = unsnap(u.out[:0], body)
	case codecLZ4:
		if u.lz == nil {
			u.lz = lz4.NewReader(nil)
		}
		u.lz.Reset(&u.src)
		u.out, err = readAll(u.out[:0], u.lz)
	case codecZstd:
		if u.zst == nil {
			u.zst, err = zstd.NewReader(nil, zstd.WithDecoderConcurrency(1), zstd.WithDecoderMaxMemory(maxDecoded), zstd.IgnoreChecksum(true)) // the batch has one of its own
		}
		if err == nil {
			u.out, err = u.zst.DecodeAll(body, u.out[:0])
		}
	default:
		err = fmt.Errorf("a batch has the unknown codec %d", codec)
	}
	u.src.Reset(nil)
	if errors.Is(err, zstd.ErrDecoderSizeExceeded) || errors.Is(err, zstd.ErrWindowSizeExceeded) {
		err = errTooLarge
	}
	return u.out, err
}

// readAll appends all of r to dst, up to maxDecoded.
func readAll(dst []byte, r io.Reader) ([]byte, error) {
	for {
		if len(dst) == cap(dst) {
			dst = slices.Grow(dst, max(64<<10, len(dst)/2))
		}
		n, err := r.Read(dst[len(dst):cap(dst)])
		dst = dst[:len(dst)+n]
		switch {
		case len(dst) > maxDecoded:
			return nil, errTooLarge
		case err == io.EOF:
			return dst, nil
		case err != nil:
			return dst, err
		}
	}
}

// framed begins snappy data in pieces, as the Java client writes it. Behind it
// stand two version numbers.
const framed = "\x82SNAPPY\x00"

func unsnap(dst, src []byte) ([]byte, error) {
	if !bytes.HasPrefix(src, []byte(framed)) {
		return unsnapBlock(dst, src)
	}
	for src = src[min(len(src), len(framed)+8):]; len(src) > 0; {
		if len(src) < 4 {
			return dst, errDamaged
		}
		n := int64(binary.BigEndian.Uint32(src))
		if src = src[4:]; n > int64(len(src)) {
			return dst, errDamaged
		}
		var err error
		if dst, err = unsnapBlock(dst, src[:n]); err != nil {
			return dst, err
		}
		src = src[n:]
	}
	return dst, nil
}

func unsnapBlock(dst, src []byte) ([]byte, error) {
	n, err := s2.DecodedLen(src)
	if err != nil {
		return dst, err
	}
	if len(dst)+n > maxDecoded {
		return dst, errTooLarge
	}
	dst = slices.Grow(dst, n)
	out, err := s2.Decode(dst[len(dst):len(dst)+n], src)
	return dst[:len(dst)+len(out)], err
}
