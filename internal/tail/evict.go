package tail

import (
	"cmp"
	"slices"
)

// makeRoom closes files that nothing is known to come of, until there are few
// enough.
func (f *follower) makeRoom() {
	for f.open > f.opt.MaxOpen && f.evict(nil) {
	}
}

// evict closes the file that was read longest ago among those that lose
// nothing by it: their name is there, and there is nothing unread.
func (f *follower) evict(but *generation) bool {
	for again := true; ; again = false {
		for len(f.spares) > 0 {
			x := f.spares[0]
			f.spares = f.spares[1:]
			if x.g != but && x.g.mayClose() && x.g.used == x.used && closable(x.g) == x.rank {
				f.close(x.g)
				return true
			}
		}
		if !again {
			return false
		}
		f.findSpares()
	}
}

// A spare is a file that may be closed for another, if nothing has become of
// it since.
type spare struct {
	g    *generation
	rank int
	used uint64
}

// findSpares lists all spares, the best first.
func (f *follower) findSpares() {
	f.spares = nil
	for _, s := range f.order {
		for _, g := range s.gens[s.at:] {
			if g.mayClose() {
				f.spares = append(f.spares, spare{g, closable(g), g.used})
			}
		}
	}
	slices.SortFunc(f.spares, func(a, b spare) int {
		return cmp.Or(cmp.Compare(b.rank, a.rank), cmp.Compare(a.used, b.used))
	})
}

func (g *generation) mayClose() bool { return g.file != nil && g.lostName.IsZero() && !g.packed }

// closable ranks files by how little is lost if their name is gone later.
func closable(g *generation) int {
	switch {
	case g.isLive() && g.unread() == 0:
		return 2
	case g.isLive():
		return 1
	}
	return 0
}
