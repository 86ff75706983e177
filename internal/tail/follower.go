package tail

import (
	"errors"
	"io"
	"slices"
	"sync"
	"time"

	"github.com/flagwatch/flagwatch/internal/source"
)

const (
	pollEvery  = 350 * time.Millisecond
	scanEvery  = time.Second
	fullEvery  = 2 * time.Minute  // a scan that trusts no directory's time
	idleAfter  = 10 * time.Second // then a file is asked about more rarely, if its changes are told
	idlePolls  = 8
	retryFirst = time.Second
)

// A follower is the tailer of one path, but for time and goroutines: every
// call does what is due and returns. It is used by one goroutine. Others may
// look at it under mu, which it lets go of while it waits for the disk.
type follower struct {
	opt  Options
	sys  System
	hint *hints

	mu      sync.Mutex
	streams map[string]*stream
	order   []*stream // as they were found
	counts  Counts
	bad     map[string]string // paths that can not be read, and why
	waiting int

	saved    map[string]*SavedStream // not yet claimed
	claims   *claims
	ready    []*stream
	begun    time.Time
	nextPoll time.Time
	nextScan time.Time
	polls    int
	rounds   int // of scans
	open     int
	reads    uint64
	scans    uint64
	held     int // bytes that all streams hold
	finds    []find
	spares   []spare
}

// next fills b if there is something to hand out. If not it returns how long
// there will be nothing, unless a hint says otherwise.
func (f *follower) next(b *block, now time.Time) (ok bool, wait time.Duration) {
	f.mu.Lock()
	defer f.mu.Unlock()
	for {
		f.due(now)
		if len(f.ready) == 0 {
			return false, max(min(f.nextPoll.Sub(now), f.nextScan.Sub(now)), 0)
		}
		s := f.ready[0]
		before := len(s.held)
		handed, more := f.work(s, b, now)
		f.held += len(s.held) - before
		if s.patience() == waitLine {
			f.pollBy(now.Add(waitLine))
		}
		if !more || s.turn >= turnSize {
			f.ready = append(f.ready[:0], f.ready[1:]...)
			s.turn, s.queued = 0, false
			if more {
				f.queue(s)
			}
		}
		if handed {
			return true, 0
		}
	}
}

// pollBy sees to it that the next poll comes no later.
func (f *follower) pollBy(at time.Time) {
	if at.Before(f.nextPoll) {
		f.nextPoll = at
	}
}

func (f *follower) queue(s *stream) {
	if !s.queued {
		s.queued = true
		f.ready = append(f.ready, s)
	}
}

// due does what the time has come for.
func (f *follower) due(now time.Time) {
	if f.begun.IsZero() {
		f.begun = now
	}
	for _, s := range f.hint.take() {
		s.rescan = true
		f.scan(s, now)
		f.poll(s, now)
	}
	if !now.Before(f.nextScan) {
		f.nextScan = now.Add(scanEvery)
		f.discover(now)
		f.rounds++
		for i, s := range slices.Clone(f.order) {
			if !s.watched || (f.rounds+i)%idlePolls == 0 {
				f.scan(s, now)
			}
		}
		f.nextPoll = now
	}
	if !now.Before(f.nextPoll) {
		f.nextPoll = now.Add(pollEvery)
		f.polls++
		f.waiting = 0
		for i, s := range f.order {
			if f.idle(s, now) && (f.polls+i)%idlePolls != 0 {
				continue
			}
			f.poll(s, now)
		}
	}
}

// idle says whether a stream can be asked about more rarely, as its changes
// are told.
func (f *follower) idle(s *stream, now time.Time) bool {
	if f.hint == nil || len(s.held) > 0 || now.Sub(s.grew) < idleAfter {
		return false
	}
	if !s.watched {
		f.hint.watch(s)
		return false // what came before that is not told
	}
	return true
}

// work hands out the next of a stream, and says whether there may be more now.
func (f *follower) work(s *stream, b *block, now time.Time) (handed, more bool) {
	if s.flush {
		s.flush = false
		return s.rest(b, true), true
	}
	g := s.current()
	if g == nil {
		return f.leftover(s, b, now)
	}
	s.begin(g)
	if !f.opened(s, g, now) {
		return false, s.current() != g
	}
	f.touch(g)
	if g.off == 0 && !g.packed && !g.id.begins(g.file, false) { // it was another content when it was found
		f.truncated(s, g, g.prior, now)
		return false, true
	}
	handed, err := s.next(b, g, now)
	switch {
	case err == nil:
		return handed, !handed || len(s.held) > alwaysKept || g.packed || g.off < g.size || !g.isLive() || s.current() != s.gens[len(s.gens)-1]
	case errors.Is(err, errReplaced):
		f.truncated(s, g, g.prior, now)
		return handed, true
	case g.packed:
		f.unpacked(s, g, err, now)
		return handed, s.current() != g || s.flush
	case err != io.EOF:
		f.fault(g, err, now)
		return handed, false
	}
	if f.drained(s, g, now) {
		g.growHead() // what it is known by from now on
		f.forget(s, g)
		s.finish(g)
		return false, true
	}
	if s.overtaken(g) {
		s.split(g)
		return false, true
	}
	if handed, more = f.leftover(s, b, now); !handed && f.held > shared {
		s.putBack(g, now)
	}
	return handed, more
}

// leftover hands out what has waited long enough for something to go on.
func (f *follower) leftover(s *stream, b *block, now time.Time) (handed, more bool) {
	if lost := s.lost != [source.NumLosses]int64{}; lost && len(s.held) == 0 {
		b.grow(0)
		s.handOut(b, b.buf[markerSize:markerSize], 0, false)
		return true, false
	}
	quiet := now.Sub(s.grew)
	if p := s.patience(); p > 0 && quiet >= p {
		return s.rest(b, false), false
	}
	if s.current() == nil && len(s.held) > 0 && quiet >= waitPiece {
		return s.rest(b, true), false
	}
	return false, false
}

// drained says whether a generation that was read to its end has ended.
func (f *follower) drained(s *stream, g *generation, now time.Time) bool {
	if g.isLive() && !f.superseded(s, g) {
		return false
	}
	info, err := g.file.Stat()
	if err != nil || info.Size() != g.off {
		return false
	}
	later := s.gens[s.at+1:]
	if len(later) == 0 && g.lostName.IsZero() {
		return false // the writer may still be at it
	}
	followed := func(x *generation) bool {
		return x.hasBytes() && (x.isLive() || x.label.order(g.label) > 0)
	}
	return slices.ContainsFunc(later, followed) || now.Sub(g.grew) >= waitNext
}

// overtaken says whether an older generation was found behind the live one: a
// copy of what was truncated away before any of it was read.
func (s *stream) overtaken(g *generation) bool {
	return g.isLive() && len(s.held) == 0 && !s.framer.Skipping && g.off > 0 && s.at+1 < len(s.gens) && s.gens[s.at+1].label.order(g.label) < 0
}

// split ends a generation here and lets the rest of it come behind the others.
func (s *stream) split(g *generation) {
	rest := *g
	rest.begun, rest.primed, rest.copyOf = false, false, nil
	g.file, g.finished, g.passed = nil, true, true
	s.at++
	s.gens = append(s.gens, &rest)
	sortQueue(s.gens[s.at:])
}

// superseded says whether a container has started again since.
func (f *follower) superseded(s *stream, g *generation) bool {
	if last := s.gens[len(s.gens)-1]; last.label.seq > g.label.seq {
		g.apart = true
		return true
	}
	return false
}

func (g *generation) hasBytes() bool { return g.packed && g.id.HeadLen > 0 || !g.packed && g.size > 0 }

// unpacked handles the end of a packed generation.
func (f *follower) unpacked(s *stream, g *generation, err error, now time.Time) {
	if err != io.EOF {
		if info, e := g.file.Stat(); e == nil && info.Size() != g.size {
			g.size, g.grew = info.Size(), now
		}
		if now.Sub(g.grew) < waitStill { // it may still be written
			f.close(g)
			g.retry = now.Add(retryFirst)
			return
		}
		f.bad[g.path] = "damaged archive: " + err.Error()
		f.counts.Damaged++
	}
	f.forget(s, g)
	s.finish(g)
}

// fault notes that a file can not be read now. It is opened again later.
func (f *follower) fault(g *generation, err error, now time.Time) {
	if g.err == nil {
		f.counts.Faults++
	}
	g.err, g.retry = err, now.Add(retryFirst)
	f.bad[g.path] = reason(g.path, err)
	f.close(g)
}

func (f *follower) close(g *generation) {
	if g.file != nil {
		f.open--
	}
	g.close()
}

// forget closes a file for ever.
func (f *follower) forget(s *stream, g *generation) {
	f.close(g)
	f.claims.drop(inodeKey{g.id.Device, g.id.Inode}, s)
}

// poll asks what has become of a stream's files.
func (f *follower) poll(s *stream, now time.Time) {
	for i := 0; s.at+i < len(s.gens); i++ {
		g := s.gens[s.at+i]
		f.look(s, g, now)
		if f.heldTooLong(g, now) {
			f.giveUp(s, g, source.HoldBudget)
			break
		}
	}
	g := s.current()
	switch {
	case s.flush, s.lost != [source.NumLosses]int64{}:
		f.queue(s)
	case g == nil:
		if len(s.held) > 0 && now.Sub(s.grew) >= min(waitPiece, max(s.patience(), waitLine)) {
			f.queue(s)
		}
	case now.Before(g.retry):
	case g.packed, s.back.due(g.unread(), now), g.off > g.size, !g.isLive(), len(s.gens) > s.at+1:
		f.queue(s)
	case len(s.held) > 0 && s.patience() > 0 && now.Sub(s.grew) >= s.patience():
		f.queue(s)
	}
}

// look sees how large a file is by now.
func (f *follower) look(s *stream, g *generation, now time.Time) {
	if g.packed {
		return
	}
	var size int64
	if g.file != nil {
		info, err := g.file.Stat()
		if err != nil {
			f.fault(g, err, now)
			return
		}
		size = info.Size()
	} else {
		info, err := f.sys.Stat(g.path)
		if err != nil {
			s.rescan = true
			return
		}
		dev, ino, _ := inode(info)
		if dev != g.id.Device || ino != g.id.Inode {
			s.rescan = true
			return
		}
		size = info.Size()
	}
	if g.file == nil && size < g.size { // it has to be opened to tell
		s.rescan = true
		return
	}
	if size < g.size && f.shrunk(s, g, size, now) {
		return
	}
	if size != g.size {
		g.grew, g.prior = now, g.size
	}
	g.size = max(size, g.off)
	if g.file == nil && g.unread() > 0 {
		f.waiting++
	}
	if g.file != nil {
		g.growHead()
	}
}

// heldTooLong says whether a deleted file has been kept open for long enough.
func (f *follower) heldTooLong(g *generation, now time.Time) bool {
	if g.lostName.IsZero() || g.unread() == 0 {
		return false
	}
	return now.Sub(g.lostName) > f.opt.HoldTime || g.unread() > f.opt.HoldBytes
}

// giveUp ends a generation with bytes that nobody will read.
func (f *follower) giveUp(s *stream, g *generation, why source.Loss) {
	s.lost[why] += g.unread()
	f.counts.Generations++
	g.apart = true
	f.forget(s, g)
	if g == s.current() {
		s.finish(g)
	} else {
		s.gens = slices.DeleteFunc(s.gens, func(x *generation) bool { return x == g })
	}
	f.queue(s)
}
