package main

import (
	"encoding/binary"
	"slices"

	"github.com/flagwatch/flagwatch/internal/safe"
)

// A piece is text that many records have, such as a key. It is copied whole,
// room and all: a few moves of a fixed size cost less than a call.
type piece struct {
	text [pieceRoom]byte
	size int
}

// pieceRoom is the most that a piece holds.
const pieceRoom = 48

func newPiece(text string) (p piece) {
	if len(text) > pieceRoom {
		panic("too long for a piece: " + text)
	}
	p.size = copy(p.text[:], text)
	return p
}

func appendPiece(buf []byte, p *piece) []byte {
	buf = slices.Grow(buf, pieceRoom)
	n := len(buf)
	*(*[pieceRoom]byte)(buf[n : n+pieceRoom]) = p.text
	return buf[:n+p.size]
}

// appendString appends key, which ends with a quote, and value as a JSON
// string: what safe.AppendJSON makes of it.
func appendString(buf []byte, key *piece, value []byte) []byte {
	buf = slices.Grow(buf, pieceRoom+len(value)+wordSize)
	begin := len(buf)
	*(*[pieceRoom]byte)(buf[begin : begin+pieceRoom]) = key.text
	n := begin + key.size
	if !copyPlain(buf[n:cap(buf)], value) {
		return safe.AppendJSON(buf[:n-1], value)
	}
	n += len(value) + 1
	buf = buf[:n]
	buf[n-1] = '"'
	return buf
}

// appendDigits appends key, without its quote, and the digits of value as they
// are. It is false, and nothing is appended, unless value is a plain number of
// at most eight digits.
func appendDigits(buf []byte, key *piece, value []byte) (_ []byte, ok bool) {
	n := len(value)
	if n == 0 || n > wordSize || value[0] == '0' && n > 1 {
		return buf, false
	}
	w := wordOf(value, '0') ^ ones*'0'
	if (w|(w+ones*(0x80-10)))&tops != 0 {
		return buf, false
	}
	buf = slices.Grow(buf, pieceRoom+wordSize)
	begin := len(buf)
	*(*[pieceRoom]byte)(buf[begin : begin+pieceRoom]) = key.text
	at := begin + key.size - 1
	binary.LittleEndian.PutUint64(buf[at:at+wordSize], w^ones*'0')
	return buf[:at+n], true
}

const (
	wordSize = 8
	ones     = 0x0101010101010101
	tops     = 0x8080808080808080
)

// copyPlain copies from to the front of to, which has room for another word.
// It is false when something in it needs an escape: anything but printable
// ASCII, the quote and the backslash.
//
// Each test adds to all bytes of a word what carries good ones beyond 0x7F;
// bytes that are there already are bad, whatever they carry over.
func copyPlain(to, from []byte) bool {
	var (
		n         = len(from)
		good, bad = uint64(tops), uint64(0)
		w         uint64
	)
	to = to[:n+wordSize]
	switch {
	case n == 0:
		return true
	case n < wordSize:
		w = wordOf(from, ' ')
		binary.LittleEndian.PutUint64(to, w)
	default:
		rest, at := from, to
		for len(rest) > wordSize && len(at) >= wordSize {
			w = binary.LittleEndian.Uint64(rest)
			binary.LittleEndian.PutUint64(at, w)
			good &= (w + ones*(0x80-' ')) & (w ^ ones*'"' + ones*0x7F) & (w ^ ones*'\\' + ones*0x7F)
			bad |= w | (w + ones)
			rest, at = rest[wordSize:], at[wordSize:]
		}
		w = binary.LittleEndian.Uint64(from[n-wordSize:])
		binary.LittleEndian.PutUint64(to[n-wordSize:], w)
	}
	good &= (w + ones*(0x80-' ')) & (w ^ ones*'"' + ones*0x7F) & (w ^ ones*'\\' + ones*0x7F)
	bad |= w | (w + ones)
	return good&^bad&tops == tops
}

// wordOf loads one to eight bytes; those behind are pad.
func wordOf(b []byte, pad byte) uint64 {
	switch n := uint(len(b)); {
	case n == wordSize:
		return binary.LittleEndian.Uint64(b)
	case n >= 4:
		lo, hi := binary.LittleEndian.Uint32(b), binary.LittleEndian.Uint32(b[n-4:])
		return uint64(lo) | uint64(hi)<<(8*n-32) | ones*uint64(pad)<<(8*n)
	default:
		w := uint64(b[0]) | uint64(b[n/2])<<(n/2*8) | uint64(b[n-1])<<(8*n-8)
		return w | ones*uint64(pad)<<(8*n)
	}
}
