package source

import (
	"bytes"
	"encoding/binary"
	"io"
	"strings"
	"testing"
	"testing/iotest"
	"unicode/utf16"
)

// inUTF16 is a text in UTF-16 behind a byte order mark.
func inUTF16(text string, order binary.AppendByteOrder) (b []byte) {
	for _, u := range append([]uint16{0xfeff}, utf16.Encode([]rune(text))...) {
		b = order.AppendUint16(b, u)
	}
	return b
}

// Text that a console of Windows wrote is read as the same text in UTF-8.
func TestUTF16(t *testing.T) {
	text := strings.Repeat("[2026-07-02T11:20:01.004Z] \"GET /tänze/€/\U0001F98A HTTP/1.1\" 503 UF\r\n", 2000)
	for _, order := range []binary.AppendByteOrder{binary.LittleEndian, binary.BigEndian} {
		data := inUTF16(text, order)
		for name, r := range map[string]io.Reader{"whole": bytes.NewReader(data), "bytes": iotest.OneByteReader(bytes.NewReader(data))} {
			unpacked := Unpack(r)
			if name == "bytes" { // and into a buffer as small
				unpacked = iotest.OneByteReader(unpacked)
			}
			got, err := io.ReadAll(unpacked)
			if err != nil || string(got) != text {
				t.Errorf("%v, %s: %v, %d bytes, want %d", order, name, err, len(got), len(text))
			}
		}
	}
}

// What is no character, or half of one, is replaced; bytes that only begin like
// a byte order mark are left alone.
func TestUTF16Damaged(t *testing.T) {
	for data, want := range map[string]string{
		"\xff\xfea\x00\x3d\xd8b\x00":         "a\ufffdb",
		"\xff\xfea\x00\x8a\xdd":              "a\ufffd",
		"\xff\xfea\x00b":                     "a\ufffd",
		"\xfe\xff\x00a\xd8\x3d\xdd\x8a\x00b": "a\U0001F58Ab",
		"\xff\xfe":                           "\xff\xfe",
		"\xff\xfe\x00\x00a":                  "\xff\xfe\x00\x00a",
		"\xfe\xffab":                         "\xfe\xffab",
	} {
		got, err := io.ReadAll(Unpack(strings.NewReader(data)))
		if err != nil || string(got) != want {
			t.Errorf("%q: %q, %v, want %q", data, got, err, want)
		}
	}
}
