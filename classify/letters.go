package classify

import (
	"encoding/binary"
	"math/bits"
)

// chunks are how many runs of 64 bytes a text has at most.
const chunks = maxText / 64

// A padded is room for a text with zeros behind it, and for what each of its
// bytes is: one bit a byte.
type padded struct {
	text    [64*chunks + 64]byte
	in      [chunks + 1]uint64 // letters and digits
	letters [chunks + 1]uint64
	slashes [chunks + 1]uint64 // backslashes
}

// take copies a text, at most maxText bytes, and returns how many chunks it
// has; one without letters follows.
func (p *padded) take(text []byte) (n int) {
	n = (len(text) + 63) / 64
	copy(p.text[:], text)
	*(*[64]byte)(p.text[len(text):]) = [64]byte{}
	p.in[n], p.letters[n], p.slashes[n] = 0, 0, 0
	scanLetters(p, n)
	return n
}

// eight are the letters that begin at an offset.
func (p *padded) eight(at int) uint64 { return binary.LittleEndian.Uint64(p.text[at : at+8]) }

// escape takes the letters of escapes of blanks out of their words.
func (p *padded) escape(n int) {
	for c := range n {
		for found := p.slashes[c]; found != 0; found &= found - 1 {
			if at := 64*c + bits.TrailingZeros64(found) + 1; isBlankEscape(p.text[at]) {
				p.in[at/64] &^= 1 << (at % 64)
			}
		}
	}
}

// words appends the hashes of the words of a text, as wordsOf does; of a word
// that is longer than any in a phrase the hash is another one.
func (p *padded) words(dst []uint64, text []byte) []uint64 {
	const lower = 0x2020202020202020
	n, before := p.take(text), uint64(0)
	p.escape(n)
	for c := range n {
		in, more := p.in[c], p.in[c+1]
		for begins := in &^ (in<<1 | before); begins != 0; begins &= begins - 1 {
			i := bits.TrailingZeros64(begins)
			at, size, h := 64*c+i, wordSize(in, more, i), uint64(0)
			for ; size > 8; size -= 8 {
				h = hashWord(h, p.eight(at)|lower)
				at += 8
			}
			dst = append(dst, hashWord(h, (p.eight(at)|lower)&(^uint64(0)>>((64-8*size)&63))))
		}
		before = in >> 63
	}
	return dst
}

// wordSize is how many letters and digits there are from bit i on, up to those
// of the next chunk.
func wordSize(in, more uint64, i int) int {
	return bits.TrailingZeros64(^(in>>i | more<<(64-i)))
}

// scanGo is scanLetters without assembly: its twin, and what it is where there is
// none.
func (p *padded) scanGo(n int) {
	for i := range n {
		var in, found, slashes uint64
		for k, c := range p.text[64*i : 64*i+64] {
			bit := uint64(1) << k
			if letters[c] != 0 {
				in |= bit
				if !isNumeral(c) {
					found |= bit
				}
			}
			if c == '\\' {
				slashes |= bit
			}
		}
		p.in[i], p.letters[i], p.slashes[i] = in, found, slashes
	}
}

func isNumeral(c byte) bool { return c-'0' <= 9 }
