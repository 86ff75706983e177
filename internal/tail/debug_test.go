package tail

import "fmt"

func (r *rig) dump() {
	for _, s := range r.f.order {
		fmt.Printf("stream pos %d held %d flush %v at %d over %v\n", s.pos, len(s.held), s.flush, s.at, s.over)
		for i, g := range s.gens {
			fmt.Printf("  %d %s off %d size %d base %d packed %v fin %v begun %v apart %v open %v lost %v err %v head %d %s marker %s id %d\n", i, g.path[len(r.dir):], g.off, g.size, g.base, g.packed, g.finished, g.begun, g.apart, g.file != nil, g.lostName, g.err, g.id.HeadLen, g.id.Head, g.marker[:min(6, len(g.marker))], g.id.Inode)
		}
	}
	fmt.Println(r.f.bad, r.f.counts, string(r.saved))
}
