package classify

import (
	"bytes"
	"encoding/binary"
	"math/bits"
	"slices"
	"strings"
)

// Most events are about nothing that a rule asks for. A rule that wants one of
// some phrases can not fit a text that has none of them, so a text is done with
// when it has none of the phrases of one such term of each rule. The phrases
// themselves are not looked for, but the rarest word of each, its sign, and
// where one stands a pair of neighbours, or the only word: its key. Keys are
// never changed once built.
type keys struct {
	signs signSet
	free  bool                      // a rule wants no phrase at all
	sieve [1 << keyBits / 64]uint64 // bits of the keys
	slots hashes                    // the keys
}

const (
	keyBits  = 16
	keyBegin = 0x5bd1e9955bd1e995 // stands for the word in front of the first one
)

// newKeys chooses the keys of a column, for events of an emitter and a level.
func (c *compiled) newKeys(column int, of first) *keys {
	rare, l := c.rarities(), &look{first: of}
	asked, signs, free := map[uint64]bool{}, map[string]bool{}, false
	for i := range c.rules {
		if cond := &c.rules[i].condition; cond.isOf(l) {
			free = free || !cond.wants(column)
			for _, n := range cond.needed(column, rare) {
				asked[rare[n].key], signs[rare[n].sign] = true, true
			}
		}
	}
	k := &keys{signs: newSigns(signs), free: free, slots: newHashes(len(asked))}
	for key := range asked {
		k.add(key)
	}
	return k
}

// wants says whether the condition holds for no text without certain phrases
// of a column.
func (cond *condition) wants(column int) bool {
	return slices.ContainsFunc(cond.early, func(t term) bool { return t.phrases != nil && t.column == column && t.want })
}

// isOf says whether the condition is about the emitter and the level.
func (cond *condition) isOf(l *look) bool {
	for _, t := range cond.early {
		if (t.name == "emitter" || t.name == "level") && t.holds(l) != t.want {
			return false
		}
	}
	return cond.kind == l.kind
}

// rarities are those of the phrases of a column, by number.
func (p *phrases) rarities() []rarity {
	words, often := make([][]string, len(p.list)), map[string]int{}
	for text, n := range p.numbers {
		words[n] = keyWords(text)
		for _, w := range words[n] {
			often[w]++
		}
	}
	rare := make([]rarity, len(p.list))
	for n := range p.list {
		rare[n] = rarityOf(words[n], p.list[n].begin, often)
		rare[n].sign = signOf(words[n], often)
	}
	return rare
}

// needed are phrases of a column without which the verdict of the condition is
// the same for all texts: those of the term that is met least, if one must
// hold, else those of all terms.
func (cond *condition) needed(column int, rare []rarity) (phrases []uint16) {
	best := 0.0
	for _, t := range cond.early {
		if t.phrases == nil || t.column != column {
			continue
		}
		if !t.want {
			if best == 0 {
				phrases = append(phrases, t.phrases...)
			}
			continue
		}
		score := rare[t.phrases[0]].score
		for _, n := range t.phrases {
			score = min(score, rare[n].score)
		}
		if score > best {
			best, phrases = score, t.phrases
		}
	}
	return phrases
}

// A rarity is the key of a phrase, how seldom it is met by chance, and the
// phrase's sign.
type rarity struct {
	key   uint64
	score float64
	sign  string
}

// blankEscapes stand between words.
var blankEscapes = strings.NewReplacer(`\n`, " ", `\t`, " ", `\r`, " ")

// keyWords are the words of a phrase.
func keyWords(text string) []string {
	words := strings.FieldsFunc(blankEscapes.Replace(text), func(r rune) bool { return r >= 0x80 || letters[r] == 0 })
	for i, w := range words {
		words[i] = strings.ToLower(w)
	}
	return words
}

// rarityOf chooses the key of a phrase. Words are the more seldom the longer
// they are and the fewer phrases have them.
func rarityOf(words []string, begin bool, often map[string]int) (best rarity) {
	last, seldom := uint64(keyBegin), 0.0
	for i, w := range words {
		var room [8]byte
		copy(room[:], w)
		h := keyOf(binary.LittleEndian.Uint64(room[:]), len(w))
		own := float64(len(w)) / float64(often[w])
		if len(words) == 1 && !begin {
			return rarity{key: h, score: own / 4}
		}
		if (i > 0 || begin) && own+seldom > best.score {
			best = rarity{key: pairOf(last, h), score: own + seldom}
		}
		last, seldom = h, own
	}
	return best
}

func (k *keys) add(key uint64) {
	k.sieve[key>>(64-keyBits)/64] |= 1 << (key >> (64 - keyBits) % 64)
	k.slots.add(key)
}

// may says in its lowest bit whether the key may be there.
func (k *keys) may(key uint64) uint64 {
	return k.sieve[key>>(64-keyBits)/64] >> (key >> (64 - keyBits) % 64)
}

// quiet says whether a text has no sign, or no key; the room is the caller's.
func (k *keys) quiet(text []byte, room *padded) bool {
	return !k.signs.in(text, room) || !k.in(text, room)
}

// in says whether a text may have a key; the room is the caller's.
func (k *keys) in(text []byte, room *padded) bool {
	if len(text) > maxText {
		return true
	}
	n := room.take(text)
	room.escape(n)
	last, before := uint64(keyBegin), uint64(0)
	for c := range n {
		in, more := room.in[c], room.in[c+1]
		for begins := in &^ (in<<1 | before); begins != 0; begins &= begins - 1 {
			i := bits.TrailingZeros64(begins)
			h := keyOf(room.eight(64*c+i), wordSize(in, more, i))
			pair := pairOf(last, h)
			if (k.may(h)|k.may(pair))&1 != 0 && (k.slots.has(h) || k.slots.has(pair)) {
				return true
			}
			last = h
		}
		before = in >> 63
	}
	return false
}

// keyOf is the key of a word, given its first letters and how many it has.
func keyOf(x uint64, size int) uint64 {
	const lower = 0x2020202020202020 // no digit changes by it
	mask := ^uint64(0) >> ((64 - 8*min(size, 8)) & 63)
	return ((x|lower)&mask + uint64(size)) * wordMix
}

// pairOf is the key of two neighbours, given those of the words.
func pairOf(first, second uint64) uint64 { return second ^ bits.RotateLeft64(first, 8) }

// indexFrom is the index of the first c in text[at:], counted in text; -1 when
// there is none.
func indexFrom(text []byte, at int, c byte) int {
	if i := bytes.IndexByte(text[at:], c); i >= 0 {
		return at + i
	}
	return -1
}
