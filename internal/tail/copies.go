package tail

import (
	"bytes"
	"cmp"
	"compress/gzip"
	"io"
	"maps"
	"path/filepath"
	"slices"
)

// compareSize is how much of a file and of a copy is held at a time.
const compareSize = 32 << 10

// An aside is a file that holds nothing but what was read of a generation, or
// is to be read of it. As long as it is there the generation must be
// remembered, or another start would read it.
type aside struct {
	seen
	holds *generation
	cut   bool // holds was truncated already

	whole, packed bool // it has all that was ever in holds
}

// stands says whether the file needs no other look, being as it was: the
// generation that it is a copy of is read to its end, or still can be.
func (a *aside) stands(now seen) bool {
	return a.seen == now && a.cut == a.holds.cut && (a.holds.finished || a.holds.file != nil)
}

// readingOrder brings new files in the order in which they are looked at: one
// that may have a copy comes before the copy. That is the name that is written
// to, then what is not packed, the largest first.
func readingOrder(list []*candidate) {
	slices.SortStableFunc(list, func(a, b *candidate) int {
		return cmp.Or(
			truth(b.label.live)-truth(a.label.live),
			cmp.Compare(b.contentSize(), a.contentSize()),
			truth(a.packed)-truth(b.packed),
		)
	})
}

// copied is the generation, known or new, that a file is a copy of, as long as
// it is nothing else. A copy may be in the making: then it is the beginning of
// one. What is written to is no copy.
func (f *follower) copied(s *stream, c *candidate, fresh []*generation) *generation {
	if c.label.live {
		return nil
	}
	if old, ok := s.aside[c.name]; ok && old.stillHolds(c) {
		return old.holds
	}
	var head Identity
	if err := head.readHead(c.file, c.packed, headSize); err != nil && head.HeadLen == 0 {
		return nil
	}
	for _, list := range [][]*generation{fresh, s.gens} {
		for _, g := range slices.Backward(list) {
			if g.label.seq == c.label.seq && mayBegin(&head, &g.id) && f.holds(s, g, c) {
				return g
			}
		}
	}
	return nil
}

// stillHolds says of a file that was set aside whether all of it was read of
// its generation, which has been truncated or deleted since.
func (a *aside) stillHolds(c *candidate) bool {
	g, size := a.holds, c.contentSize()
	return a.device == c.id.Device && a.inode == c.id.Inode && (g.cut || g.file == nil) && size >= 0 && size <= g.off && !g.packed &&
		(a.seen == c.seen() || g.id.begins(c.file, c.packed))
}

// mayBegin says whether a content can be the beginning of another, by their
// heads, which tell something when they are whole.
func mayBegin(a, b *Identity) bool {
	return a.HeadLen > 0 && (a.HeadLen < headSize || b.HeadLen < headSize || a.Head == b.Head)
}

// holds says whether a file with the content of g is still there, its own or a
// copy, and begins with all that is in c.
func (f *follower) holds(s *stream, g *generation, c *candidate) bool {
	if g.file != nil {
		return begins(g.file, g.packed, c)
	}
	if file := f.reopen(g); file != nil {
		defer file.Close()
		return g.path != c.path && begins(file, g.packed, c)
	}
	for name, a := range s.aside {
		if a.holds == g && a.whole && name != c.name && f.copyHolds(s, name, &a, c) {
			return true
		}
	}
	return false
}

// copyHolds is holds of one copy.
func (f *follower) copyHolds(s *stream, name string, a *aside, c *candidate) bool {
	file, _, err := f.sys.Open(filepath.Join(s.dir, name))
	if err != nil {
		return false
	}
	defer file.Close()
	return a.holds.id.begins(file, a.packed) && begins(file, a.packed, c)
}

// reopen opens the file of g for another look at it, nil when it is gone.
func (f *follower) reopen(g *generation) File {
	if g.cut {
		return nil
	}
	file, _, err := f.sys.Open(g.path)
	if err != nil {
		return nil
	}
	if id, _, err := identify(file); err != nil || !g.id.sameFile(&id) {
		file.Close()
		return nil
	}
	return file
}

// differs says whether a file that is no copy of g, which is open, is no
// continuation of it either. One of which nothing can be read yet does not tell.
func (c *candidate) differs(g *generation) bool {
	var head Identity
	head.readHead(c.file, c.packed, headSize) // as far as it is there
	if head.HeadLen == 0 {
		return false
	}
	part, err := contentOf(g.file, g.packed)
	if err != nil {
		return false
	}
	whole, err := contentOf(c.file, c.packed)
	return err == nil && !isBeginning(part, whole)
}

func begins(file File, packed bool, c *candidate) bool {
	whole, err := contentOf(file, packed)
	if err != nil {
		return false
	}
	part, err := contentOf(c.file, c.packed)
	return err == nil && isBeginning(part, whole)
}

func contentOf(f io.ReaderAt, packed bool) (io.Reader, error) {
	if packed {
		return gzip.NewReader(&sequence{f: f})
	}
	return &sequence{f: f}, nil
}

// isBeginning says whether whole begins with all that can be read of part, and
// that is something.
func isBeginning(part, whole io.Reader) bool {
	a, b := make([]byte, compareSize), make([]byte, compareSize)
	for some := false; ; some = true {
		n, err := io.ReadFull(part, a)
		if m, _ := io.ReadFull(whole, b[:n]); m < n || !bytes.Equal(a[:n], b[:n]) {
			return false
		}
		if err != nil {
			return some || n > 0
		}
	}
}

// A SavedCopy is a file that holds nothing but what one of the generations does.
type SavedCopy struct {
	Name    string `json:"name"`
	Device  uint64 `json:"device"`
	Inode   uint64 `json:"inode"`
	Size    int64  `json:"size"`
	Changed int64  `json:"changed"` // nanoseconds since 1970
	Of      int    `json:"of"`      // among the saved generations
	Whole   bool   `json:"whole,omitempty"`
	Packed  bool   `json:"packed,omitempty"`
}

// saveCopies appends the copies of what was saved.
func (s *stream) saveCopies(v *SavedStream) {
	for _, name := range slices.Sorted(maps.Keys(s.aside)) {
		a := s.aside[name]
		if i := slices.Index(s.gens, a.holds); i >= 0 && i < len(v.Generations) && name != filepath.Base(a.holds.path) {
			v.Copies = append(v.Copies, SavedCopy{name, a.device, a.inode, a.size, a.changed, i, a.whole, a.packed})
		}
	}
}

// restoreCopies is the opposite, behind the generations.
func (s *stream) restoreCopies(v *SavedStream) {
	for _, c := range v.Copies {
		if c.Of >= 0 && c.Of < len(s.gens) {
			g := s.gens[c.Of]
			s.aside[c.Name] = aside{seen{c.Device, c.Inode, c.Size, c.Changed}, g, g.cut, c.Whole, c.Packed}
		}
	}
}
