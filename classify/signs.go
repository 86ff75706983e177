package classify

import (
	"encoding/binary"
	"math/bits"
	"strings"
	"sync"
)

// Signs are words. A text in which none of them stands has none of the phrases
// that they were chosen of. Of a long word the first letters and the length count.
type signSet struct {
	sieve [1 << signBits / 64]uint64 // bits of the words
	all   uint64                     // all bits when a word is short or begins with a digit, else 0
}

const (
	signBits  = 15
	shortSign = 3  // letters of the shortest word that is looked for as such
	longSign  = 16 // those beyond are not counted
)

// everyday are words that the programs' logs are full of on good days too. As
// signs they would tell little.
var everyday = sync.OnceValue(func() map[string]bool {
	return wordSet(
		"access add added address addresses agent all and any api app application are authority cache cds certificate certificates cleanup client " +
			"cluster clusters complete config configuration connect connected connecting connection connections container controller cpu " +
			"data debug default delta deployment details dial disconnected dns docker down downstream drain draining eds endpoint endpoints " +
			"envoy event events false file filter for from gateway generated get googleapis grpc has have health host http https " +
			"inbound info init initialization initialize initialized initializing injection inject injector iptables istio istiod its job key kube kubelet kubernetes " +
			"labels lds listener listeners load loaded local log main manager memory mesh message metadata name named namespace namespaces " +
			"network node nodes old option options outbound path patch pilot pod pods policy port ports proto protocol proxy push " +
			"rds ready received remote replicas request requests resource resources response restart root route routes run running " +
			"sds secret secrets sec server service services set shutdown sidecar since socket source start started starting state status stop stopping " +
			"stream streams svc sync target tcp tls token tokens transport true type types update updated updates upstream url user " +
			"validation value version via virtual volume volumes waiting webhook with worker workers workload xds ztunnel",
	)
})

// wordSet is the set of the words of a text.
func wordSet(text string) map[string]bool {
	set := map[string]bool{}
	for w := range strings.FieldsSeq(text) {
		set[w] = true
	}
	return set
}

// signOf chooses the sign of a phrase: of its words that are not everyday ones
// the one that most phrases have, since that is a word for trouble.
func signOf(words []string, often map[string]int) (sign string) {
	best := 0.0
	for _, w := range words {
		score := float64(often[w])
		switch {
		case len(w) < shortSign || isNumeral(w[0]):
			score = 1e-9 * float64(len(w))
		case everyday()[w]:
			score = 1e-3 * float64(len(w)) / score
		}
		if score > best {
			best, sign = score, w
		}
	}
	return sign
}

func newSigns(words map[string]bool) (s signSet) {
	for w := range words {
		if len(w) < shortSign || isNumeral(w[0]) {
			s.all = ^uint64(0)
		}
		var room [8]byte
		copy(room[:], w)
		at := signAt(binary.LittleEndian.Uint64(room[:]), len(w))
		s.sieve[at/64] |= 1 << (at % 64)
	}
	return s
}

// signAt is the place in the sieve of a word, given its first letters and how
// many it has.
func signAt(x uint64, size int) uint64 {
	return keyOf(x, min(size, longSign)) >> (64 - signBits)
}

// in says whether one of the words may stand in a text; the room is the
// caller's. Behind a backslash a word is looked for at the next byte and the
// one after it, whatever the escape is.
func (s *signSet) in(text []byte, room *padded) bool {
	return len(text) > maxText || s.scan(text, room)
}

// scanGo is scan without assembly: its twin, and what it is where there is none.
func (s *signSet) scanGo(text []byte, room *padded) bool {
	var before, escaped uint64 // the last byte in front is in a word; bytes that are two behind a backslash
	for c := range room.take(text) {
		in, more, letters := room.in[c], room.in[c+1], room.letters[c]
		begins := ^(in<<1 | before) | room.slashes[c]<<2 | escaped
		begins &= letters&(in>>1|more<<63)&(in>>2|more<<62) | in&s.all
		for ; begins != 0; begins &= begins - 1 {
			i := bits.TrailingZeros64(begins)
			at := signAt(room.eight(64*c+i), wordSize(in, more, i))
			if s.sieve[at/64]>>(at%64)&1 != 0 {
				return true
			}
		}
		before, escaped = in>>63, room.slashes[c]>>62
	}
	return false
}

// Hashes are a set of them: each in the slot that its bits from the twentieth
// on tell, or the next free one. There are a power of two; 0 is free.
type hashes []uint64

func newHashes(n int) hashes { return make(hashes, 1<<bits.Len(uint(2*n))) }

func (t hashes) slotOf(h uint64) uint64 {
	mask := uint64(len(t) - 1)
	i := h >> 20 & mask
	for t[i] != h && t[i] != 0 {
		i = (i + 1) & mask
	}
	return i
}

func (t hashes) add(h uint64) { t[t.slotOf(h)] = h }

func (t hashes) has(h uint64) bool { return t[t.slotOf(h)] == h }
