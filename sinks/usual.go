package sinks

import "github.com/flagwatch/flagwatch/parser"

// usuals count the combinations that most records have: a success without a
// flag, from upstream as far as the record says. A record of a combination that
// is remembered costs little more than its count; a new one takes the place of
// another, which then goes to combos.
type usuals struct {
	counts []usual
	keys   []key // of counts
	shift  uint8 // a place is the rest of a hash behind so many bits, or the one beside it
	met    int   // combinations that took another's place since it grew
}

// A usual is how often one of them came. Two of them, which a combination may be
// at, lie in half a line of a cache.
type usual struct {
	id       uint64 // hash of cluster, code, dialect, direction and whether there are details
	n        uint32 // 0: free
	upstream packedUpstream
	sort     uint16 // see addDeclined
}

// A packedUpstream is the id of a cluster in 13 bits, a direction in two, and
// whether the cluster is one for anywhere.
type packedUpstream uint16

func packUpstream(cluster uint16, dir parser.Direction, anywhere bool) packedUpstream {
	p := packedUpstream(cluster) | packedUpstream(dir)<<13
	if anywhere {
		p |= 1 << 15
	}
	return p
}

func (p packedUpstream) cluster() uint16       { return uint16(p) & (1<<13 - 1) }
func (p packedUpstream) dir() parser.Direction { return parser.Direction(p >> 13 & 3) }
func (p packedUpstream) anywhere() bool        { return p>>15 != 0 }

// usualMix is odd and spreads what is multiplied by it.
const usualMix = 0x9e3779b97f4a7c15

// maxUsual is how many are remembered at most.
const maxUsual = 2048

func newUsuals() usuals {
	return usuals{counts: make([]usual, 64), keys: make([]key, 64), shift: 64 - 6}
}

// find returns the place of a combination; it is another's when the
// combination is new.
func (t *usuals) find(id uint64) uint64 {
	i := id * usualMix >> (t.shift & 63)
	other := t.counts[i].id ^ id
	return i ^ (other|-other)>>63 // which of the two it is decides no branch
}

// room returns the place of a new one, which find does not find. When many
// have lost theirs, there are to be more.
func (t *usuals) room(id uint64) uint64 {
	i := t.find(id)
	for range 2 {
		if t.counts[i].n == 0 {
			return i
		}
		i ^= 1
	}
	if t.met++; t.met > len(t.counts)/8 && len(t.counts) < maxUsual {
		t.grow()
		return t.room(id)
	}
	return i
}

func (t *usuals) grow() {
	old := *t
	n := 2 * len(old.counts)
	*t = usuals{counts: make([]usual, n), keys: make([]key, n), shift: old.shift - 1}
	for i, u := range old.counts {
		if u.n > 0 {
			at := t.room(u.id) // one of two, and no more than two want them
			t.counts[at], t.keys[at] = u, old.keys[i]
		}
	}
}

func (t *usuals) reset() {
	clear(t.counts)
	t.met = 0
}
