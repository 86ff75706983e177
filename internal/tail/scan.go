package tail

import (
	"bytes"
	"cmp"
	"compress/gzip"
	"encoding/binary"
	"errors"
	"io"
	"io/fs"
	"maps"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/flagwatch/flagwatch/internal/safe"
	"github.com/flagwatch/flagwatch/internal/source"
)

// keptFinished is how many finished generations are remembered though their
// files are gone.
const keptFinished = 8

// A candidate is a file in a stream's directory.
type candidate struct {
	name, path string
	label      label
	file       File
	packed     bool
	id         Identity
	info       fs.FileInfo
}

func (c *candidate) seen() seen {
	return seen{c.id.Device, c.id.Inode, c.info.Size(), c.info.ModTime().UnixNano()}
}

// scan looks for generations in a stream's directory, unless it has not
// changed.
func (f *follower) scan(s *stream, now time.Time) {
	info, err := f.sys.Stat(s.dir)
	if err != nil {
		f.unlisted(s, err, now)
		return
	}
	if !s.rescan && info.ModTime().Equal(s.changed) && now.Sub(s.full) < fullEvery {
		return
	}
	f.verify(s, now)
	names, err := f.sys.Names(s.dir)
	if err != nil {
		f.unlisted(s, err, now)
		return
	}
	delete(f.bad, s.dir)
	s.rescan = !settled(info.ModTime(), time.Now())
	s.changed, s.full, s.over = info.ModTime(), now, false
	f.scans++
	list := f.candidates(s, names)
	fresh := f.matchAll(s, list, now)
	if len(s.aside) > len(list) {
		maps.DeleteFunc(s.aside, func(name string, _ aside) bool {
			return !slices.ContainsFunc(list, func(c candidate) bool { return c.name == name })
		})
	}
	f.missing(s, now)
	f.take(s, fresh, now)
	f.settle(s)
	s.known = true
	s.trim(f.scans)
}

// verify sees to it that open files are what they are taken for, before others
// are compared with them.
func (f *follower) verify(s *stream, now time.Time) {
	for _, g := range slices.Clone(s.gens[s.at:]) {
		if g.file == nil || g.packed {
			continue
		}
		f.look(s, g, now)
		if g.file == nil || g.finished || g.off > 0 && (g.marker == "" || g != s.current()) {
			continue
		}
		if same, err := g.continues(g.file, g.size); err == nil && !same {
			f.truncated(s, g, g.prior, now)
		}
	}
}

func (f *follower) candidates(s *stream, names []string) (list []candidate) {
	for _, name := range names {
		if l, ok := labelOf(s.base, name); ok {
			list = append(list, candidate{name: name, path: filepath.Join(s.dir, name), label: l})
		}
	}
	slices.SortFunc(list, func(a, b candidate) int { return a.label.order(b.label) })
	return list
}

// unlisted handles a directory that can not be read.
func (f *follower) unlisted(s *stream, err error, now time.Time) {
	if !notThere(err) {
		f.bad[s.dir] = reason(s.dir, err)
		return
	}
	s.over, s.rescan = true, true
	f.scans++
	f.missing(s, now)
	f.settle(s)
}

// missing handles what a scan has not found.
func (f *follower) missing(s *stream, now time.Time) {
	for _, g := range slices.Clone(s.gens[s.at:]) {
		switch {
		case g.scan == f.scans:
			g.lostName = time.Time{}
		case g.file != nil:
			if g.lostName.IsZero() {
				g.lostName = now
			}
		case g.nothing():
			s.gens = slices.DeleteFunc(s.gens, func(x *generation) bool { return x == g })
		case f.bad[g.path] == "":
			f.giveUp(s, g, source.RotatedAway)
		}
	}
}

// take queues new generations. Of a stream that is seen for the first time
// some are history.
func (f *follower) take(s *stream, fresh []*generation, now time.Time) {
	first := !s.known
	for _, g := range fresh {
		switch {
		case first && !f.wanted(s, g, now):
			g.begun, g.finished = true, true
			g.off = g.size
			g.base = s.pos - g.off
			if !g.packed && g.file != nil {
				g.marker, _ = markerAt(g.file, g.off)
			}
			f.forget(s, g)
			s.gens = slices.Insert(s.gens, s.at, g)
			s.at++ // it is remembered as finished
		default:
			s.gens = append(s.gens, g)
			if g.copyOf != nil {
				g.copyOf.passed = true
			}
		}
	}
	queue := s.gens[s.at:]
	if len(queue) > 0 && queue[0].begun {
		if queue[0].off > 0 {
			queue = queue[1:]
		} else {
			queue[0].begun = false
		}
	}
	sortQueue(queue)
	if len(fresh) > 0 {
		f.queue(s)
	}
	f.makeRoom()
}

// sortQueue brings generations in the order in which they are read: the rest
// of one that is known first, then the oldest.
func sortQueue(list []*generation) {
	slices.SortStableFunc(list, func(a, b *generation) int {
		return cmp.Or(
			truth(b.copyOf != nil)-truth(a.copyOf != nil),
			truth(a.lostName.IsZero())-truth(b.lostName.IsZero()), // its name is no longer true
			a.label.order(b.label),
		)
	})
}

// wanted says whether a generation of a stream that is seen for the first time
// is to be read, and from where.
func (f *follower) wanted(s *stream, g *generation, now time.Time) bool {
	if !g.label.live && !f.opt.History {
		return false
	}
	if f.opt.End && now.Sub(f.begun) < scanEvery {
		if !g.label.live {
			return false
		}
		g.off = lineBefore(g.file, g.size)
		g.marker, _ = markerAt(g.file, g.off)
		s.before = rawMarker(g.file, g.off)
		s.saved.marker = g.marker
	}
	return true
}

// lineBefore is where the line begins that a file of this size ends in.
func lineBefore(f File, size int64) int64 {
	n := min(size, source.HeadKept)
	buf := make([]byte, n)
	if _, err := f.ReadAt(buf, size-n); err != nil && err != io.EOF {
		return size
	}
	if i := bytes.LastIndexByte(buf, '\n'); i >= 0 {
		return size - n + int64(i) + 1
	}
	if n == size {
		return 0
	}
	return size
}

func rawMarker(f File, off int64) []byte {
	buf := make([]byte, min(off, markerSize))
	if _, err := f.ReadAt(buf, off-int64(len(buf))); err != nil {
		return nil
	}
	return buf
}

// matchAll finds out which files are generations that are known, and returns
// the new ones. A file that is one in itself comes before a file that has the
// same content.
func (f *follower) matchAll(s *stream, list []candidate, now time.Time) (fresh []*generation) {
	var others []*candidate
	for i := range list {
		c := &list[i]
		if f.atHand(s, c) || !f.openCandidate(s, c) {
			continue
		}
		if !f.matchSelf(s, c, now) {
			others = append(others, c)
		}
	}
	readingOrder(others)
	for _, c := range others {
		if g := f.copied(s, c, fresh); g != nil {
			f.setAside(s, c, g)
		} else if g := f.matchContent(s, c, fresh, now); g != nil {
			fresh = append(fresh, g)
		}
	}
	slices.SortStableFunc(fresh, func(a, b *generation) int { return a.label.order(b.label) })
	return fresh
}

// atHand says whether a file is one that is open or was seen before, without
// opening it.
func (f *follower) atHand(s *stream, c *candidate) bool {
	info, err := f.sys.Stat(c.path)
	if err != nil || !info.Mode().IsRegular() {
		return false
	}
	dev, ino, _ := inode(info)
	for _, g := range s.gens[s.at:] {
		if g.file != nil && g.id.Device == dev && g.id.Inode == ino {
			f.found(g, c)
			return true
		}
	}
	if f.claims.isOthers(inodeKey{dev, ino}, s) {
		return true
	}
	old, ok := s.aside[c.name]
	if !ok || !old.stands(seen{dev, ino, info.Size(), info.ModTime().UnixNano()}) {
		return false
	}
	old.holds.kept = f.scans
	return true
}

func (f *follower) found(g *generation, c *candidate) {
	g.scan, g.label, g.path = f.scans, c.label, c.path
	if g.packed {
		g.label.packed = true
	}
}

func (f *follower) openCandidate(s *stream, c *candidate) bool {
	file, at, err := f.sys.Open(c.path)
	if err == nil {
		c.id, c.info, err = identify(file)
	}
	if err != nil {
		if file != nil {
			file.Close()
		}
		if notThere(err) {
			return false
		}
		if _, ok := errors.AsType[*safe.RefusedError](err); ok && f.bad[c.path] == "" {
			f.counts.Refused++
		}
		f.bad[c.path] = reason(c.path, err)
		return false
	}
	delete(f.bad, c.path)
	c.file, c.path = file, at
	if c.packed, err = isPacked(file); err != nil {
		f.unreadable(s, c, err)
		return false
	}
	return true
}

// unreadable notes that a file can be opened and not read now. The generation
// that it is is not lost.
func (f *follower) unreadable(s *stream, c *candidate, err error) {
	c.file.Close()
	f.bad[c.path] = reason(c.path, err)
	s.rescan = true
	for _, g := range s.gens {
		if g.id.sameFile(&c.id) {
			g.scan = f.scans
		}
	}
}

// contentSize is how many bytes a file of this size holds, decompressed; of a
// packed one what its last four bytes say, -1 if that is not known.
// Source: https://www.rfc-editor.org/rfc/rfc1952
func contentSize(f io.ReaderAt, packed bool, size int64) int64 {
	if !packed {
		return size
	}
	var b [4]byte
	if f == nil {
		return -1
	}
	if _, err := f.ReadAt(b[:], size-4); err != nil {
		return -1
	}
	return int64(binary.LittleEndian.Uint32(b[:]))
}

func (c *candidate) contentSize() int64 { return contentSize(c.file, c.packed, c.info.Size()) }

func (g *generation) contentSize() int64 { return contentSize(g.file, g.packed, g.size) }

// isPacked decides by what a file begins with, not by its name.
func isPacked(f File) (bool, error) {
	var magic [2]byte
	n, err := f.ReadAt(magic[:], 0)
	if err == io.EOF {
		err = nil
	}
	return n == 2 && magic == [2]byte{0x1f, 0x8b}, err
}

// setAside remembers a file that holds nothing but what is in g.
func (f *follower) setAside(s *stream, c *candidate, g *generation) {
	s.aside[c.name] = aside{seen: c.seen(), holds: g, cut: g.cut, whole: g.finished && c.contentSize() == g.off, packed: c.packed}
	g.kept = f.scans
	c.file.Close()
}

// fresh makes a file a new generation.
func (f *follower) fresh(s *stream, c *candidate, now time.Time) *generation {
	g := &generation{id: c.id, label: c.label, path: c.path, file: c.file, packed: c.packed, size: c.info.Size(), grew: now, scan: f.scans}
	g.id.readHead(c.file, c.packed, headSize)
	f.claims.take(inodeKey{c.id.Device, c.id.Inode}, s)
	f.open++
	f.touch(g)
	return g
}

// touch makes a file the last one that is closed for another.
func (f *follower) touch(g *generation) {
	f.reads++
	g.used = f.reads
}

// matchSelf finds the generation that a file is.
func (f *follower) matchSelf(s *stream, c *candidate, now time.Time) bool {
	for _, g := range slices.Backward(s.gens) {
		if g.packed != c.packed || g.scan == f.scans || !g.id.sameFile(&c.id) || !g.finished && g.nameless(c) {
			continue
		}
		same, err := g.continues(c.file, c.info.Size())
		if err != nil && !c.packed {
			f.unreadable(s, c, err)
			return true
		}
		if c.packed { // it does not change once it is written
			same = g.id.begins(c.file, true) && (c.info.Size() == g.size || !g.finished && c.info.Size() > g.size)
		}
		switch {
		case !g.finished && same:
			f.adopt(s, g, c, now)
			return true
		case same && (c.packed || c.info.Size() == g.off):
			f.setAside(s, c, g)
			return true
		case !g.finished:
			f.replaced(s, g)
		}
	}
	return false
}

// nameless says whether an inode is all that a file has in common with g. Where
// the kernel has no handles its number may have been given to another file, a
// copy even, and of what was empty no content tells. Only the name that is
// written to does: it is no copy.
func (g *generation) nameless(c *candidate) bool {
	return g.id.HeadLen == 0 && (g.id.Handle == "" || c.id.Handle == "") && !(c.label.live && g.path == c.path)
}

// matchContent finds the generation that a file has the content of: it was
// packed, or copied. It returns a new generation if there is something to read.
func (f *follower) matchContent(s *stream, c *candidate, fresh []*generation, now time.Time) *generation {
	g := f.sameContent(s, c, fresh)
	switch {
	case g == nil:
		return f.fresh(s, c, now)
	case g.file != nil && c.differs(g):
		return f.fresh(s, c, now) // it only begins alike
	case !g.finished && g.file != nil && g.isLive() && !c.label.live: // someone is copying it
		c.file.Close()
		s.rescan = true
		return nil
	case g.finished && c.contentSize() <= g.off, c.packed && (g.file != nil || g.packed && g.finished) && !c.hasMore(g):
		f.setAside(s, c, g)
		return nil
	case !g.finished && g.file == nil && g.scan != f.scans:
		g.id.Device, g.id.Inode, g.id.Handle = c.id.Device, c.id.Inode, c.id.Handle
		if g.packed = c.packed; g.packed {
			g.size = c.info.Size()
			g.id.readHead(c.file, true, headSize)
		}
		f.adopt(s, g, c, now)
		return nil
	}
	x := f.fresh(s, c, now)
	x.copyOf = g
	return x
}

// hasMore says whether a packed file goes on behind all that is in g.
func (c *candidate) hasMore(g *generation) bool {
	end := g.off
	if !g.packed {
		end = max(g.off, g.size)
	}
	z, err := gzip.NewReader(&sequence{f: c.file})
	if err != nil {
		return false
	}
	_, left, _ := skip(z, end+1)
	return left == 0
}

// sameContent is the generation whose read content is what a file begins with;
// of several, the one that is known best. The new ones are not yet among them.
func (f *follower) sameContent(s *stream, c *candidate, fresh []*generation) (best *generation) {
	for _, g := range slices.Backward(s.gens) {
		if c.packed && filepath.Base(g.path) == strings.TrimSuffix(c.name, ".gz") && c.label.packed && !g.packed && g.mayBePacked(c.file) {
			return g
		}
		if g.passed || taken(g, fresh) || g.id.HeadLen == 0 || best != nil && g.id.HeadLen <= best.id.HeadLen {
			continue
		}
		if c.packed {
			if g.id.begins(c.file, true) && g.continuesPacked(c.file) {
				best = g
			}
		} else if !g.packed && (g.off > 0 || !g.finished && g.file == nil && g.scan != f.scans) {
			if same, err := g.continues(c.file, c.info.Size()); same && err == nil && (!c.label.live || g.tells(c)) {
				best = g
			}
		}
	}
	return best
}

// tells says whether what was read of g is enough to know its content again
// under the name that is written to: lines begin alike, and a writer begins with
// one. What was truncated does not appear there again.
func (g *generation) tells(c *candidate) bool {
	if g.cut || g.off >= headSize || g.id.sameFile(&c.id) {
		return !g.cut
	}
	buf := make([]byte, g.off)
	n, _ := c.file.ReadAt(buf, 0)
	return bytes.IndexByte(buf[:n], '\n') >= 0
}

// mayBePacked says whether a packed file, which may be in the making, can have
// the content of g.
func (g *generation) mayBePacked(f File) bool {
	if g.id.HeadLen == 0 {
		return !g.label.live
	}
	z, err := gzip.NewReader(&sequence{f: f})
	if err != nil {
		return true
	}
	head, err := io.ReadAll(io.LimitReader(z, int64(g.id.HeadLen)))
	return err != nil || hashOf(head) == g.id.Head && g.continuesPacked(f)
}

// taken says whether one of the new generations goes on with g.
func taken(g *generation, fresh []*generation) bool {
	return slices.ContainsFunc(fresh, func(x *generation) bool { return x.copyOf == g })
}

// adopt gives a generation its file back.
func (f *follower) adopt(s *stream, g *generation, c *candidate, now time.Time) {
	if size := c.info.Size(); size != g.size || g.grew.IsZero() {
		g.grew = now
	}
	g.file, g.err = c.file, nil
	f.found(g, c)
	f.touch(g)
	f.open++
	f.claims.take(inodeKey{c.id.Device, c.id.Inode}, s)
	f.queue(s)
	if g.packed {
		g.size = c.info.Size()
		return
	}
	g.size = max(c.info.Size(), g.off)
	g.primed = false
}

// opened opens the file of a generation if there is need and room.
func (f *follower) opened(s *stream, g *generation, now time.Time) bool {
	if now.Before(g.retry) {
		return false
	}
	if g.file == nil {
		if f.open >= f.opt.MaxOpen && !f.evict(g) {
			return false
		}
		s.rescan = true
		g.err = nil
		f.scan(s, now)
		if g.file == nil {
			if g.finished || s.current() != g {
				return false
			}
			g.retry = now.Add(retryFirst)
			return false
		}
	}
	if front := g.off - int64(len(s.held)); !g.packed && !g.primed && front > 0 {
		s.before = rawMarker(g.file, front)
	}
	g.primed = true
	if !g.packed || g.zip != nil {
		return true
	}
	last, same, err := g.unpack()
	switch {
	case err != nil:
		f.unpacked(s, g, err, now)
		return false
	case !same:
		f.giveUp(s, g, source.RotatedAway)
		return false
	}
	if len(s.held) == 0 && g.off > 0 {
		s.before = last
	}
	return true
}

// trim forgets finished generations whose files are gone.
func (s *stream) trim(scans uint64) {
	for i := 0; i < s.at-keptFinished; {
		if g := s.gens[i]; g.scan != scans && g.kept != scans && g.end() <= s.saved.at {
			s.gens = slices.Delete(s.gens, i, i+1)
			s.at--
			continue
		}
		i++
	}
}
