// Package safe stands between what others wrote and a terminal, a pager, a
// JSON reader or a path: one escaping type in front of every output, one
// careful open in front of every path.
package safe

import (
	"encoding/binary"
	"math/bits"
	"unicode"
	"unicode/utf8"
)

// Text is bytes that a log line, a file name or an error brought along. Its
// only printer escapes them, with any verb of package fmt that prints text.
type Text []byte

// String is the escaped text, see AppendText.
func (t Text) String() string { return string(AppendText(nil, t)) }

// Escape is the escaped text of s: s itself if there is nothing to escape.
func Escape(s string) string {
	for i := range len(s) {
		if c := s[i]; c < ' ' || c >= 0x7F || c == '\\' {
			return Text(s).String()
		}
	}
	return s
}

// AppendText appends b so that it can only be read, never obeyed: a byte of a
// C0 or C1 control, DEL or invalid UTF-8 as \xNN, a rune that is invisible or
// turns the direction of text as \u{...}, a backslash doubled. The result is
// one line of valid UTF-8 and can be turned back.
func AppendText(dst, b []byte) []byte {
	for len(b) > 0 {
		n := plain(b)
		dst, b = append(dst, b[:n]...), b[n:]
		if len(b) == 0 {
			break
		}
		r, size := utf8.DecodeRune(b)
		dst = appendTextRune(dst, b[:size], r)
		b = b[size:]
	}
	return dst
}

func appendTextRune(dst, b []byte, r rune) []byte {
	switch {
	case r == '\\':
		return append(dst, `\\`...)
	case isControl(r) || r == utf8.RuneError && len(b) == 1:
		for _, c := range b {
			dst = append(dst, '\\', 'x', hex[c>>4], hex[c&15])
		}
		return dst
	case isHidden(r):
		return append(appendHex(append(dst, `\u{`...), r, 4), '}')
	}
	return append(dst, b...)
}

// AppendJSON appends b as a JSON string with its quotes. Controls (DEL and C1
// too) and runes that are invisible or turn the direction of text become
// escapes, so nothing is lost; a byte of invalid UTF-8 becomes U+FFFD.
func AppendJSON(dst, b []byte) []byte {
	dst = append(dst, '"')
	for len(b) > 0 {
		n := plain(b)
		dst, b = append(dst, b[:n]...), b[n:]
		if len(b) == 0 {
			break
		}
		r, size := utf8.DecodeRune(b)
		dst = appendJSONRune(dst, b[:size], r)
		b = b[size:]
	}
	return append(dst, '"')
}

func appendJSONRune(dst, b []byte, r rune) []byte {
	switch {
	case r == '"', r == '\\':
		return append(dst, '\\', byte(r))
	case r == '\n':
		return append(dst, `\n`...)
	case r == '\r':
		return append(dst, `\r`...)
	case r == '\t':
		return append(dst, `\t`...)
	case r == utf8.RuneError && len(b) == 1:
		return append(dst, "\uFFFD"...)
	case isControl(r) || isHidden(r):
		return appendUnicode(dst, r)
	}
	return append(dst, b...)
}

// AppendDocument appends a whole JSON document with the runes escaped that
// AppendJSON escapes and encoding/json leaves raw. In a well-formed document
// they stand inside strings only; line ends and indents stay.
func AppendDocument(dst, doc []byte) []byte {
	for len(doc) > 0 {
		n := 0
		for n < len(doc) && doc[n] < 0x7F && (doc[n] >= ' ' || doc[n] == '\n') {
			n++
		}
		dst, doc = append(dst, doc[:n]...), doc[n:]
		if len(doc) == 0 {
			break
		}
		r, size := utf8.DecodeRune(doc)
		switch {
		case r == utf8.RuneError && size == 1:
			dst = append(dst, "\uFFFD"...)
		case r != '\n' && r != '\r' && r != '\t' && (isControl(r) || isHidden(r)):
			dst = appendUnicode(dst, r)
		default:
			dst = append(dst, doc[:size]...)
		}
		doc = doc[size:]
	}
	return dst
}

// appendUnicode appends \uNNNN, or two of them for a rune beyond U+FFFF.
func appendUnicode(dst []byte, r rune) []byte {
	if r > 0xFFFF {
		r -= 0x10000
		dst = appendHex(append(dst, `\u`...), 0xD800+r>>10, 4)
		r = 0xDC00 + r&0x3FF
	}
	return appendHex(append(dst, `\u`...), r, 4)
}

// appendHex appends r with at least width digits.
func appendHex(dst []byte, r rune, width int) []byte {
	for n := max(width, (bits.Len32(uint32(r))+3)/4) - 1; n >= 0; n-- {
		dst = append(dst, hex[r>>(4*n)&15])
	}
	return dst
}

const hex = "0123456789abcdef"

// isControl says whether r is a C0 or C1 control or DEL.
func isControl(r rune) bool { return r < ' ' || 0x7F <= r && r < 0xA0 }

// isHidden says whether r shows nothing or something of a font's own, or
// changes how its neighbours are laid out.
func isHidden(r rune) bool {
	return r > 0x7F && unicode.In(r, unicode.Cf, unicode.Zl, unicode.Zp, unicode.Co, unicode.Other_Default_Ignorable_Code_Point)
}

const (
	ones = 0x0101010101010101
	tops = 0x8080808080808080
)

// plain counts the leading bytes of b that need no escape in any output:
// printable ASCII but the quote and the backslash.
func plain(b []byte) int {
	i := 0
	for ; i+8 <= len(b); i += 8 {
		if m := special(binary.LittleEndian.Uint64(b[i:])); m != 0 {
			return i + bits.TrailingZeros64(m)/8
		}
	}
	if i > 0 && i < len(b) { // the last eight bytes, some of them once more
		if m := special(binary.LittleEndian.Uint64(b[len(b)-8:])); m != 0 {
			return len(b) - 8 + bits.TrailingZeros64(m)/8
		}
		return len(b)
	}
	for i < len(b) && b[i] >= ' ' && b[i] < 0x7F && b[i] != '"' && b[i] != '\\' {
		i++
	}
	return i
}

// special sets the top bit of the lowest byte of w that is not plain. Bits
// above it may be set by a borrow.
func special(w uint64) uint64 {
	quote, slash, del := w^ones*'"', w^ones*'\\', w^ones*0x7F
	m := (w-ones*' ')&^w | (quote-ones)&^quote | (slash-ones)&^slash | (del-ones)&^del | w
	return m & tops
}
