package source

import (
	"bufio"
	"encoding/binary"
	"io"
	"unicode/utf16"
	"unicode/utf8"
)

// byteOrder is that of text in UTF-16, as its byte order mark tells; nil: head
// does not begin with one and a character of ASCII, as logs do.
func byteOrder(head []byte) binary.ByteOrder {
	switch {
	case len(head) < 4:
	case head[0] == 0xff && head[1] == 0xfe && head[2] != 0 && head[3] == 0:
		return binary.LittleEndian
	case head[0] == 0xfe && head[1] == 0xff && head[2] == 0 && head[3] != 0:
		return binary.BigEndian
	}
	return nil
}

// isUTF16 knows what a console of Windows writes into a file: RFC 2781,
// section 3.2.
func isUTF16(head []byte) bool { return byteOrder(head) != nil }

// A utf16Decoder decodes text in UTF-16, to its end. What is no character
// becomes U+FFFD.
type utf16Decoder struct {
	r     *bufio.Reader
	order binary.ByteOrder
	buf   [utf8.UTFMax]byte
	rest  []byte // of the last character, in buf
}

func (d *utf16Decoder) reset(r *bufio.Reader) error {
	head, _ := r.Peek(magicSize)
	d.r, d.order, d.rest = r, byteOrder(head), nil
	_, err := r.Discard(2)
	return err
}

func (d *utf16Decoder) Read(p []byte) (n int, err error) {
	for n < len(p) && (n == 0 || len(d.rest) > 0 || d.r.Buffered() >= 4) {
		if len(d.rest) == 0 {
			c, err := d.rune()
			if err != nil {
				return n, err
			}
			d.rest = d.buf[:utf8.EncodeRune(d.buf[:], c)]
		}
		m := copy(p[n:], d.rest)
		d.rest = d.rest[m:]
		n += m
	}
	return n, nil
}

// rune reads a character.
func (d *utf16Decoder) rune() (rune, error) {
	b, err := d.r.Peek(2)
	if len(b) < 2 {
		if len(b) == 1 && err == io.EOF {
			d.r.Discard(1)
			return utf8.RuneError, nil
		}
		return 0, err
	}
	c := rune(d.order.Uint16(b))
	d.r.Discard(2)
	if !utf16.IsSurrogate(c) {
		return c, nil
	}
	if b, _ = d.r.Peek(2); len(b) == 2 {
		if c = utf16.DecodeRune(c, rune(d.order.Uint16(b))); c != utf8.RuneError {
			d.r.Discard(2)
			return c, nil
		}
	}
	return utf8.RuneError, nil
}
