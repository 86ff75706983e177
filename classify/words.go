package classify

import (
	"fmt"
	"math/bits"
	"slices"
	"strings"
)

// Texts of proxies are compared by words: runs of letters and digits, in any
// case. `delayed_connect_error:_111` and `delayed connect error: 111` are the
// same four words, so the wordings of old and new versions match alike.

const (
	maxText  = 3072        // bytes of a text that are looked at: of a longer one its begin and its end
	maxWords = maxText / 2 // words of a text that are looked at
	maxFound = 24          // phrases of one text that are kept
)

// letters maps a byte to its lower-case letter or digit, 0 between words.
var letters = func() (t [256]byte) {
	for c := range t {
		switch {
		case c >= 'a' && c <= 'z', c >= '0' && c <= '9':
			t[c] = byte(c)
		case c >= 'A' && c <= 'Z':
			t[c] = byte(c) | 0x20
		}
	}
	return t
}()

// wordsOf appends the hashes of the words of a text: as many as dst has room
// for, or maxWords if it has none. In JSON the escapes of blanks stand between
// words.
func wordsOf(dst []uint64, text []byte) []uint64 {
	limit := cap(dst)
	if limit == 0 {
		limit = maxWords
	}
	for i := 0; i < len(text) && len(dst) < limit; i++ {
		c := letters[text[i]]
		if c == 0 {
			if text[i] == '\\' && i+1 < len(text) && isBlankEscape(text[i+1]) {
				i++
			}
			continue
		}
		var h, x uint64
		for n := 0; c != 0; n++ {
			if n > 0 && n%8 == 0 {
				h, x = hashWord(h, x), 0
			}
			x |= uint64(c) << (n % 8 * 8)
			if i++; i == len(text) {
				break
			}
			c = letters[text[i]]
		}
		dst = append(dst, hashWord(h, x))
		i--
	}
	return dst
}

// hashWord is the hash of a word that goes on with eight letters, or ends with
// fewer: it tells all words of eight letters apart.
func hashWord(h, letters uint64) uint64 {
	h = (h ^ letters) * wordMix
	return h ^ h>>32
}

// wordMix spreads the letters of a word over its hash.
const wordMix = 0x9e3779b97f4a7c15

func isBlankEscape(c byte) bool { return c == 'n' || c == 't' || c == 'r' }

// A phrase is a run of words, perhaps bound to the begin or the end of a text.
type phrase struct {
	words      []uint64
	begin, end bool
	letter     byte // the first one
}

// phraseOf reads the phrase of a condition: `^via_upstream$`, `connection_refused`.
func phraseOf(text string) (phrase, error) {
	inner, begin := strings.CutPrefix(text, "^")
	inner, end := strings.CutSuffix(inner, "$")
	p := phrase{words: wordsOf(nil, []byte(inner)), begin: begin, end: end}
	if len(p.words) == 0 {
		return p, fmt.Errorf("%q has no word", text)
	}
	p.letter = letters[inner[strings.IndexFunc(inner, func(r rune) bool { return r < 0x80 && letters[r] != 0 })]]
	return p, nil
}

// in says whether the phrase stands in words with its word at anchor at i.
func (p *phrase) in(words []uint64, i, anchor int) bool {
	from := i - anchor
	if from < 0 || from+len(p.words) > len(words) || p.begin && from > 0 || p.end && from+len(p.words) < len(words) {
		return false
	}
	return slices.Equal(words[from:from+len(p.words)], p.words)
}

// found are the phrases that a text has, by number, ascending; the rest is 0.
type found [maxFound]uint16

func (f *found) has(id uint16) bool { return slices.Contains(f[:], id) }

// add keeps the maxFound lowest numbers.
func (f *found) add(id uint16, n int) int {
	at, ok := slices.BinarySearch(f[:n], id)
	if ok || at == maxFound {
		return n
	}
	if n < maxFound {
		n++
	}
	copy(f[at+1:n], f[at:n-1])
	f[at] = id
	return n
}

// phrases finds all of its phrases in one walk over the words of a text. It is
// never changed once built.
type phrases struct {
	list    []phrase          // by number; 0 is none
	begins  int               // words that are enough, when all phrases are bound to the begin alone
	firsts  [256]bool         // letters that a text begins with then
	numbers map[string]uint16 // by spelling
	sieve   [256]uint64       // bits of the hashes of anchors
	slots   []slot            // by hash, a power of two; the next one if taken
	anchors []anchor
}

// A slot holds where the anchors of one word stand; hash 0 is a free one.
type slot struct {
	hash     uint64
	from, to uint16
}

// An anchor is the rarest word of a phrase: where a match is looked for.
type anchor struct {
	phrase uint16
	at     uint16
}

// number returns the number of a phrase, a new one if need be.
func (p *phrases) number(text string) (uint16, error) {
	if n, ok := p.numbers[text]; ok {
		return n, nil
	}
	one, err := phraseOf(text)
	if err != nil {
		return 0, err
	}
	if p.numbers == nil {
		p.numbers, p.list = map[string]uint16{}, make([]phrase, 1)
	}
	n := uint16(len(p.list))
	p.list, p.numbers[text] = append(p.list, one), n
	return n, nil
}

// build chooses the anchors when all phrases are there.
func (p *phrases) build() {
	for _, one := range p.list[min(1, len(p.list)):] {
		if p.begins = max(p.begins, len(one.words)); !one.begin || one.end {
			p.begins = lateWords
			break
		}
		p.firsts[one.letter] = true
	}
	often := map[uint64]int{}
	for _, one := range p.list {
		for _, w := range one.words {
			often[w]++
		}
	}
	anchors := map[uint64][]anchor{}
	for n := 1; n < len(p.list); n++ {
		words := p.list[n].words
		at := 0
		for i, w := range words {
			if often[w] < often[words[at]] {
				at = i
			}
		}
		anchors[words[at]] = append(anchors[words[at]], anchor{uint16(n), uint16(at)})
	}
	p.slots = make([]slot, 1<<bits.Len(uint(2*len(anchors))))
	for w, list := range anchors {
		p.sieve[w>>6%uint64(len(p.sieve))] |= 1 << (w & 63)
		from := len(p.anchors)
		p.anchors = append(p.anchors, list...)
		i := p.slotOf(w)
		p.slots[i] = slot{w, uint16(from), uint16(len(p.anchors))}
	}
}

// slotOf returns the slot that has the hash or is free for it.
func (p *phrases) slotOf(hash uint64) int {
	mask := uint64(len(p.slots) - 1)
	i := hash & mask
	for p.slots[i].hash != hash && p.slots[i].hash != 0 {
		i = (i + 1) & mask
	}
	return int(i)
}

// find returns the phrases of a text, given its words.
func (p *phrases) find(words []uint64) (f found) {
	n := 0
	for i, w := range words {
		if p.sieve[w>>6%uint64(len(p.sieve))]>>(w&63)&1 == 0 {
			continue
		}
		s := p.slots[p.slotOf(w)]
		for _, a := range p.anchors[s.from:s.to] {
			if p.list[a.phrase].in(words, i, int(a.at)) {
				n = f.add(a.phrase, n)
			}
		}
	}
	return f
}

// lateWords is how many words of a text are looked at that is asked for late.
const lateWords = 64

// in says whether a text has any of the phrases. The walk is that of find once
// more: a shared one that yields costs an event 4 % of its time.
func (p *phrases) in(text []byte) bool {
	if p.begins < lateWords && len(text) > 0 && letters[text[0]] != 0 && !p.firsts[letters[text[0]]] {
		return false
	}
	var room [lateWords]uint64
	words := wordsOf(room[:0:min(p.begins, lateWords)], text)
	for i, w := range words {
		if p.sieve[w>>6%uint64(len(p.sieve))]>>(w&63)&1 == 0 {
			continue
		}
		s := p.slots[p.slotOf(w)]
		for _, a := range p.anchors[s.from:s.to] {
			if p.list[a.phrase].in(words, i, int(a.at)) {
				return true
			}
		}
	}
	return false
}
