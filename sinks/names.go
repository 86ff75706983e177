package sinks

// Ids of a table of names. Every other id is a name of its own.
const (
	noName    uint16 = iota // the record has no such value
	otherName               // the table was full
	firstName
)

// maxName is how many bytes of a name are kept; names that differ only behind
// them are one.
const maxName = 256

// names gives bytes a small id. It is bounded: when max names are there, new
// ones share otherName. Ids mean nothing outside of their table. A name is
// known by its seeded hash of 64 bits: whoever writes names can not aim at
// another one.
type names struct {
	max   int
	seed  seed
	arena []byte
	ends  []uint32 // ends[i] is where the name with id firstName+i ends in arena
	slots []nameSlot
}

type nameSlot struct {
	hash uint64
	id   uint16 // noName: free
}

func newNames(max int) names {
	return names{max: max, seed: newSeed(), slots: make([]nameSlot, 64)}
}

func (t *names) id(name []byte) uint16 {
	if len(name) == 0 {
		return noName
	}
	name = name[:min(len(name), maxName)]
	h := t.hash(name)
	mask := uint64(len(t.slots) - 1)
	for i := h & mask; ; i = (i + 1) & mask {
		s := &t.slots[i]
		if s.id == noName {
			return t.insert(name, h)
		}
		if s.hash == h {
			return s.id
		}
	}
}

// hash is what a name is known by, and longer bytes, too.
func (t *names) hash(name []byte) uint64 { return t.seed.hash(name) }

func (t *names) insert(name []byte, h uint64) uint16 {
	if len(t.ends) >= t.max {
		return otherName
	}
	if 2*(len(t.ends)+1) > len(t.slots) {
		t.grow()
	}
	t.arena = append(t.arena, name...)
	t.ends = append(t.ends, uint32(len(t.arena)))
	id := firstName + uint16(len(t.ends)-1)
	t.place(h, id)
	return id
}

func (t *names) place(h uint64, id uint16) {
	mask := uint64(len(t.slots) - 1)
	i := h & mask
	for t.slots[i].id != noName {
		i = (i + 1) & mask
	}
	t.slots[i] = nameSlot{h, id}
}

func (t *names) grow() {
	t.slots = make([]nameSlot, 2*len(t.slots))
	for i := range t.ends {
		id := firstName + uint16(i)
		t.place(t.hash(t.name(id)), id)
	}
}

// name returns the bytes of an id; they live as long as the table's arena.
func (t *names) name(id uint16) []byte {
	if id < firstName {
		return nil
	}
	i := id - firstName
	from := uint32(0)
	if i > 0 {
		from = t.ends[i-1]
	}
	return t.arena[from:t.ends[i]]
}

// known is the id of a name, otherName if it is not there.
func (t *names) known(name []byte) uint16 {
	h := t.hash(name)
	mask := uint64(len(t.slots) - 1)
	for i := h & mask; t.slots[i].id != noName; i = (i + 1) & mask {
		if t.slots[i].hash == h {
			return t.slots[i].id
		}
	}
	return otherName
}

// label is the name as a report shows it; none stands for noName.
func (t *names) label(id uint16, none string) string {
	switch id {
	case noName:
		return none
	case otherName:
		return other
	}
	return string(t.name(id))
}

// ids returns how many ids are in use: all are below the result.
func (t *names) ids() int { return int(firstName) + len(t.ends) }

// merge takes over the names of o and returns which id here stands for each
// id there.
func (t *names) merge(o *names) []uint16 {
	ids := make([]uint16, o.ids())
	ids[otherName] = otherName
	for i := range o.ends {
		id := firstName + uint16(i)
		ids[id] = t.id(o.name(id))
	}
	return ids
}

func (t *names) reset() {
	t.arena, t.ends = t.arena[:0], t.ends[:0]
	clear(t.slots)
}
