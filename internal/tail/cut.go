package tail

import (
	"slices"
	"time"

	"github.com/flagwatch/flagwatch/internal/source"
)

// A cutting is the end of a generation whose content is no more in its file:
// the file was truncated, or replaced. A copy may have it.
type cutting struct {
	of      *generation
	before  *generation // what comes next is another content than that of this one
	size    int64       // bytes of it that were known
	flushed bool        // the record that was held was to end anyway
}

// truncated begins a file anew that has lost what was read of it, or known. It
// is known to have been of this size.
func (f *follower) truncated(s *stream, g *generation, size int64, now time.Time) {
	info, err := g.file.Stat()
	if err != nil {
		f.fault(g, err, now)
		return
	}
	next := &generation{id: Identity{Handle: g.id.Handle, Device: g.id.Device, Inode: g.id.Inode}, label: g.label, path: g.path, lostName: g.lostName, file: g.file, size: info.Size(), grew: now}
	g.file = nil
	next.growHead()
	s.gens = slices.Insert(s.gens, f.cutOff(s, g, size), next)
	s.rescan = true
	f.scan(s, now)
	f.queue(s)
}

// replaced ends a generation whose file is another one now.
func (f *follower) replaced(s *stream, g *generation) {
	f.forget(s, g)
	f.cutOff(s, g, g.size)
}

// cutOff ends a generation and returns where another stands in its place. What
// was not read of it is lost, unless settle finds it.
func (f *follower) cutOff(s *stream, g *generation, size int64) (at int) {
	f.counts.Truncations++
	g.cut = true
	at = slices.Index(s.gens, g)
	c := cutting{of: g, size: size, flushed: s.flush}
	switch {
	case g == s.current() && g.off > 0:
		c.before, g.apart = g, true
		s.begin(g)
		s.finish(g)
		at++
	default: // nothing was read of it
		s.gens = slices.Delete(s.gens, at, at+1)
		if at > 0 {
			c.before = s.gens[at-1]
			s.part(c.before)
		}
	}
	s.cuts = append(s.cuts, c)
	return at
}

// part says that no record goes on behind g.
func (s *stream) part(g *generation) {
	g.apart = true
	if g.finished {
		s.flush = s.flush || len(s.held) > 0
		s.framer.Skipping = false
	}
}

// settle counts what was lost of what was cut off: a copy, which a scan has
// found, is read in its place, and the record that is held goes on there.
func (f *follower) settle(s *stream) {
	for _, c := range s.cuts {
		kept := c.of.off
		for _, g := range s.gens[s.at:] {
			if g.hasRestOf(c.of) {
				kept = max(kept, g.contentSize())
			}
		}
		if kept > c.of.off && c.before != nil {
			c.before.apart, s.flush = false, c.flushed
		}
		s.lost[source.TruncatedAway] += max(c.size-kept, 0)
	}
	s.cuts = nil
}

// hasRestOf says whether a generation that is still to be read gives what was
// not read of another.
func (g *generation) hasRestOf(cut *generation) bool {
	if g.copyOf == cut {
		return true
	}
	return cut.off == 0 && cut.id.HeadLen > 0 && g.off == 0 && g.file != nil && cut.id.begins(g.file, g.packed)
}

// shrunk sees to a file that is smaller than it was: its end was cut off, or
// all of it and it holds something new. It is true for what is another
// generation by now.
func (f *follower) shrunk(s *stream, g *generation, size int64, now time.Time) bool {
	same, err := g.continues(g.file, size)
	switch {
	case err != nil: // reading will tell
	case same:
		f.counts.Truncations++
		s.lost[source.TruncatedAway] += g.size - size
	case g == s.current(), g.off == 0:
		f.truncated(s, g, g.size, now)
		return true
	}
	return false
}
