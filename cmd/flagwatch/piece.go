package main

import (
	"encoding/binary"
	"slices"
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

const (
	wordSize = 8
	ones     = 0x0101010101010101
	tops     = 0x8080808080808080
)

// copyPlain copies from to the front of to, which has room for another word.
// It is false when something in it needs an escape; to is spoilt then.
func copyPlain(to, from []byte) bool {
	n := len(from)
	to = to[:n+wordSize]
	if n < wordSize {
		if n == 0 {
			return true
		}
		w := wordOf(from, ' ')
		binary.LittleEndian.PutUint64(to, w)
		return plainBytes(w)&tops == tops
	}
	w := binary.LittleEndian.Uint64(from)
	binary.LittleEndian.PutUint64(to, w)
	plain := plainBytes(w)
	w = binary.LittleEndian.Uint64(from[n-wordSize:])
	binary.LittleEndian.PutUint64(to[n-wordSize:], w)
	plain &= plainBytes(w)
	for i := wordSize; i < n-wordSize; i += wordSize {
		w := binary.LittleEndian.Uint64(from[i:])
		binary.LittleEndian.PutUint64(to[i:], w)
		plain &= plainBytes(w)
	}
	return plain&tops == tops
}

// plainBytes sets the top bits of all bytes when they are printable ASCII but
// the quote and the backslash, and otherwise not all of them.
//
// Each sum carries what is good beyond 0x7F, or what is bad. A byte that is
// there already is bad, whatever it carries over to its neighbour.
func plainBytes(w uint64) uint64 {
	return (w + ones*(0x80-' ')) & (w ^ ones*'"' + ones*0x7F) & (w ^ ones*'\\' + ones*0x7F) &^ (w + ones)
}

// copyDigits copies from to the front of to, which has room for a word. It is
// false, and to is spoilt, unless from is a plain number of at most eight
// digits.
func copyDigits(to, from []byte) bool {
	n := len(from)
	if n == 0 || n > wordSize || from[0] == '0' && n > 1 {
		return false
	}
	w := wordOf(from, '0')
	binary.LittleEndian.PutUint64(to, w)
	w ^= ones * '0'
	return (w|(w+ones*(0x80-10)))&tops == 0
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
