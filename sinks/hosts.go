package sinks

// maxHosts is how many hosts of failed records are kept. Below it the counts
// are exact.
const maxHosts = 64

// maxHostName is how many bytes of a host are kept.
const maxHostName = 64

// hosts keeps the most frequent hosts of failed records by the Space-Saving
// algorithm: Metwally, Agrawal, El Abbadi, "Efficient Computation of Frequent
// and Top-k Elements in Data Streams", 2005. A host that is not kept occurred
// at most as often as the least frequent one that is; a count is too high by
// at most its excess.
type hosts struct {
	hashes [maxHosts]uint64 // of list, looked through first
	list   [maxHosts]host
	n      int
	last   int
	low    int    // the host that was the least frequent one last
	rare   uint64 // its count then: none is rarer
}

type host struct {
	key    key // flags, cluster, code
	name   [maxHostName]byte
	length uint8
	count  uint64
	excess uint64
}

func (h *host) is(k key, name []byte) bool {
	return h.key == k && string(h.name[:h.length]) == string(name)
}

func (t *hosts) add(k key, name []byte) {
	if len(name) > maxHostName {
		name = name[:maxHostName]
	}
	t.put(k, name, 1, 0)
}

// put counts a host n times, of which excess may be others'.
func (t *hosts) put(k key, name []byte, n, excess uint64) {
	i := t.find(k, name)
	if i < 0 {
		i = t.evict(k, name)
	}
	t.list[i].count += n
	t.list[i].excess += excess
	t.last = i
}

func (t *hosts) find(k key, name []byte) int {
	if t.last < t.n && t.list[t.last].is(k, name) {
		return t.last
	}
	h := hashHost(k, name)
	for i, x := range t.hashes[:t.n] {
		if x == h && t.list[i].is(k, name) {
			return i
		}
	}
	return -1
}

// evict makes room for a new host; its count begins at what it may have had.
func (t *hosts) evict(k key, name []byte) int {
	i := t.n
	count := uint64(0)
	if t.n < maxHosts {
		t.n++
	} else {
		i = t.least()
		count = t.list[i].count
	}
	t.hashes[i] = hashHost(k, name)
	h := &t.list[i]
	h.key, h.count, h.excess = k, count, count
	h.length = uint8(copy(h.name[:], name))
	return i
}

func hashHost(k key, name []byte) uint64 { return fold(k.hash(), hashID(name)) }

// least is a least frequent host. Counts only rise, so one that is as rare as
// the last least one was need not be compared with the others.
func (t *hosts) least() int {
	for n := range t.n {
		if i := (t.low + n) % t.n; t.list[i].count == t.rare {
			t.low = i
			return i
		}
	}
	t.low = 0
	for i := range t.list[:t.n] {
		if t.list[i].count < t.list[t.low].count {
			t.low = i
		}
	}
	t.rare = t.list[t.low].count
	return t.low
}

// floor is how often a host that is not kept may have occurred.
func (t *hosts) floor() uint64 {
	if t.n < maxHosts {
		return 0
	}
	return t.list[t.least()].count
}

// merge adds o, whose keys rekey turns into keys of this side. A host that
// one side does not keep may have occurred there as often as that side's
// floor, so count and excess rise by it.
func (t *hosts) merge(o *hosts, rekey func(key) key) {
	mine, theirs := t.floor(), o.floor()
	union := append(make([]host, 0, 2*maxHosts), t.list[:t.n]...)
	met := make([]bool, len(union), 2*maxHosts)
next:
	for _, h := range o.list[:o.n] {
		h.key = rekey(h.key)
		for i := range union {
			if union[i].is(h.key, h.name[:h.length]) {
				union[i].count += h.count
				union[i].excess += h.excess
				met[i] = true
				continue next
			}
		}
		h.count, h.excess = h.count+mine, h.excess+mine
		union, met = append(union, h), append(met, true)
	}
	for i := range union {
		if !met[i] {
			union[i].count += theirs
			union[i].excess += theirs
		}
	}
	sortBy(union, func(h host) uint64 { return h.count }, func(h host) string { return string(h.name[:h.length]) })
	t.n = copy(t.list[:], union)
	t.last, t.low, t.rare = 0, 0, 0
	for i := range t.list[:t.n] {
		h := &t.list[i]
		t.hashes[i] = hashHost(h.key, h.name[:h.length])
	}
}
