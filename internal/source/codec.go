package source

import (
	"bufio"
	"bytes"
	"compress/bzip2"
	"errors"
	"fmt"
	"io"
	"math"

	"github.com/klauspost/compress/gzip"
	"github.com/klauspost/compress/s2"
	"github.com/klauspost/compress/zstd"
	"github.com/pierrec/lz4/v4"
)

// DefaultMaxWindow is how far back a compressed format may refer unless
// Options say otherwise: what `zstd -19` and `xz -6` need.
const DefaultMaxWindow = 8 << 20

// magicSize is how many bytes tell every format.
const magicSize = 10

// A codec is a compressed format, or another encoding of text.
type codec struct {
	name   string
	begins func(head []byte) bool // whether a member begins here
	open   func(window) decoder
}

// A decoder decodes one member, or as many as follow each other; then its Read
// returns io.EOF. What it does not need is left in the reader.
type decoder interface {
	reset(*bufio.Reader) error
	Read([]byte) (int, error)
}

// codecs is the list of compressed formats.
var codecs = []codec{
	{"gzip", isGzip, func(window) decoder { return new(gzipDecoder) }},
	{"zstd", isZstd, func(w window) decoder { return &zstdDecoder{window: w} }},
	{"lz4", isLZ4, func(window) decoder { return &lz4Decoder{lz4.NewReader(nil)} }},
	{"snappy", isSnappy, func(window) decoder { return &s2Decoder{s2.NewReader(nil, s2.ReaderAllocBlock(64<<10))} }},
	{"xz", isXZ, func(w window) decoder { return &xzDecoder{window: w} }},
	{"bzip2", isBzip2, func(window) decoder { return new(bzip2Decoder) }},
	{"UTF-16", isUTF16, func(window) decoder { return new(utf16Decoder) }},
}

// codecOf returns the format that begins with head, or nil.
func codecOf(head []byte) *codec {
	for i := range codecs {
		if codecs[i].begins(head) {
			return &codecs[i]
		}
	}
	return nil
}

// isGzip checks all of the fixed header, so that the beginning of a member is
// also found among bytes of any kind: RFC 1952, section 2.3.
func isGzip(b []byte) bool {
	return len(b) >= 10 && b[0] == 0x1f && b[1] == 0x8b && b[2] == 8 && b[3] < 0x20 &&
		(b[8] == 0 || b[8] == 2 || b[8] == 4) && (b[9] <= 13 || b[9] == 255)
}

// isZstd knows frames and skippable frames: RFC 8878, section 3.1.
func isZstd(b []byte) bool {
	return len(b) >= 4 && (string(b[:4]) == "\x28\xb5\x2f\xfd" || isSkippable(b))
}

// isSkippable: zstd and lz4 share these. One alone does not tell which.
func isSkippable(b []byte) bool { return b[0]&0xf0 == 0x50 && string(b[1:4]) == "\x2a\x4d\x18" }

// isLZ4 knows frames and legacy frames: lz4's doc/lz4_Frame_format.md.
func isLZ4(b []byte) bool {
	return len(b) >= 4 && (string(b[:4]) == "\x04\x22\x4d\x18" || string(b[:4]) == "\x02\x21\x4c\x18")
}

// isSnappy knows the stream identifier of snappy's framing_format.txt, and
// that of S2.
func isSnappy(b []byte) bool {
	return bytes.HasPrefix(b, []byte("\xff\x06\x00\x00sNaPpY")) || bytes.HasPrefix(b, []byte("\xff\x06\x00\x00S2sTwO"))
}

// isXZ: section 2.1.1.1 of the .xz file format.
func isXZ(b []byte) bool { return bytes.HasPrefix(b, []byte("\xfd7zXZ\x00")) }

func isBzip2(b []byte) bool {
	return len(b) >= 10 && string(b[:3]) == "BZh" && '1' <= b[3] && b[3] <= '9' && (string(b[4:10]) == "1AY&SY" || string(b[4:10]) == "\x17\x72\x45\x38\x50\x90")
}

type gzipDecoder struct{ gzip.Reader }

func (d *gzipDecoder) reset(r *bufio.Reader) error {
	err := d.Reset(r)
	if err == nil {
		d.Multistream(false)
	}
	return err
}

// A zstdDecoder decodes all frames that follow each other.
type zstdDecoder struct {
	window window
	zstd   *zstd.Decoder
}

func (d *zstdDecoder) reset(r *bufio.Reader) (err error) {
	if d.zstd == nil {
		d.zstd, err = zstd.NewReader(nil, zstd.WithDecoderConcurrency(1), zstd.WithDecoderLowmem(true),
			zstd.WithDecoderMaxWindow(uint64(max(d.window.share.limit, 1<<10))))
		if err != nil {
			return err
		}
	}
	var h zstd.Header
	head, _ := r.Peek(zstd.HeaderMaxSize)
	if err := h.Decode(head); err == nil && !h.Skippable {
		size := h.WindowSize
		if h.SingleSegment {
			size = h.FrameContentSize
		}
		if err := d.window.grow(int64(min(size, math.MaxInt64))); err != nil {
			return err
		}
	}
	return d.zstd.Reset(r)
}

func (d *zstdDecoder) Read(p []byte) (int, error) {
	n, err := d.zstd.Read(p)
	if errors.Is(err, zstd.ErrWindowSizeExceeded) {
		err = &windowError{}
	}
	return n, err
}

// A windowError says that decoding takes more memory than it may.
type windowError struct{ size uint64 } // 0: not known

func (e *windowError) Error() string {
	if e.size == 0 {
		return "needs a larger window than --max-window allows"
	}
	mib := (e.size + 1<<20 - 1) >> 20
	return fmt.Sprintf("needs a window of %d MiB; --max-window %dMiB allows it", mib, mib)
}

type lz4Decoder struct{ *lz4.Reader }

func (d *lz4Decoder) reset(r *bufio.Reader) error {
	d.Reset(r)
	return nil
}

type s2Decoder struct{ *s2.Reader }

func (d *s2Decoder) reset(r *bufio.Reader) error {
	d.Reset(r)
	return nil
}

type bzip2Decoder struct{ io.Reader }

func (d *bzip2Decoder) reset(r *bufio.Reader) error {
	d.Reader = bzip2.NewReader(r)
	return nil
}
