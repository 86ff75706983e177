package ledger

import (
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"hash/crc32"
	"io/fs"
	"os"
	"path/filepath"
	"sync"
	"time"

	"github.com/flagwatch/flagwatch/internal/source"
	"github.com/flagwatch/flagwatch/sinks"
)

// The state directory holds one file, the generation of it before, and a lock.
const (
	stateName    = "state"
	previousName = "state.previous"
	tempName     = "state.tmp"
	lockName     = "lock"

	stateMagic   = "flagwatch state\n"
	stateVersion = 1
	maxState     = 1 << 30
)

var (
	// ErrNewer is what an error Is about a state that a newer version wrote.
	ErrNewer = errors.New("written by a newer version")
	// ErrDamaged is what an error Is about a state that is not what was written.
	ErrDamaged = errors.New("damaged")
	// ErrInUse is what an error Is about a directory that another process uses.
	ErrInUse = errors.New("in use by another process")
)

// Places are where the streams of an epoch can be found again. What Save
// returns is written together with the counts up to the ends; only streams
// that got further are in ends.
type Places interface {
	Save(ends map[*source.Stream]int64) ([]byte, error)
}

// StateOptions are choices for a State. The zero value is ready for use.
type StateOptions struct {
	Strict bool             // a damaged state is an error; else it begins anew
	Now    func() time.Time // nil: time.Now

	// Restore reads counts, and says whether all of them could be read. nil:
	// sinks.RestoreSnapshot with the causes of the catalogue.
	Restore func([]byte) (*sinks.Snapshot, bool, error)

	fail func(step string) error // for tests: an error in place of a step
}

// A State is the Ledger of a run that goes on where it was interrupted. Counts
// and places are one file, which is replaced as a whole: what it shows is what
// the disk has, whatever ends the process. When it can not be written, reading
// goes on, what it shows stays as it is, and the next Commit or Flush tries
// again.
type State struct {
	dir  string
	opt  StateOptions
	lock *os.File

	writing sync.Mutex      // held while the disk is waited for
	live    *sinks.Snapshot // durable or not
	dirty   bool
	ends    map[*source.Stream]int64 // that are not yet durable
	places  Places
	most    int    // bytes of a file
	saved   []byte // places as the disk had them at the start

	mu      sync.Mutex // never held while the disk is waited for
	file    []byte     // as the disk has it
	durable []byte     // the counts in it
	spare   []byte     // memory of the file before; the writer's
	stats   StateStats
	shown   *sinks.Snapshot // of durable, made when it is asked for
	metered *sinks.Snapshot // what of it metrics show
}

// StateStats say how the state is.
type StateStats struct {
	Written time.Time // when it was last made durable
	Bytes   int
	Err     error     // why it is not durable now
	Since   time.Time // since when
	Notes   []string  // what there is to know about how it was read
}

// OpenState locks a directory and reads the state in it. Close gives it back.
func OpenState(dir string, opt StateOptions) (*State, error) {
	if opt.Now == nil {
		opt.Now = time.Now
	}
	if opt.Restore == nil {
		opt.Restore = restore
	}
	if opt.fail == nil {
		opt.fail = func(string) error { return nil }
	}
	if err := checkDir(dir); err != nil {
		return nil, err
	}
	s := &State{dir: dir, opt: opt, live: sinks.NewSnapshot(), most: maxState, ends: map[*source.Stream]int64{}}
	var err error
	if s.lock, err = lockDir(filepath.Join(dir, lockName)); err != nil {
		return nil, fmt.Errorf("%s: %w", dir, err)
	}
	if err := s.load(); err != nil {
		s.lock.Close()
		return nil, err
	}
	return s, nil
}

// otherVersion is the note of counts that were read in part.
const otherVersion = "the state is of another version: counters go on, the report begins anew"

func restore(data []byte) (*sinks.Snapshot, bool, error) { return sinks.RestoreSnapshot(data, nil) }

// checkDir makes the directory if it is not there, and refuses one that others
// can write to.
func checkDir(dir string) error {
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return fmt.Errorf("state directory: %w", err)
	}
	info, err := os.Lstat(dir)
	switch {
	case err != nil:
		return fmt.Errorf("state directory: %w", err)
	case !info.IsDir():
		return fmt.Errorf("state directory %s: is no directory", dir)
	case info.Mode().Perm()&0o002 != 0:
		return fmt.Errorf("state directory %s: everybody can write to it (%v)", dir, info.Mode().Perm())
	}
	return checkOwner(dir, info)
}

// load reads the state, or else the one before it.
func (s *State) load() error {
	first := s.loadFile(stateName)
	if first == nil || errors.Is(first, ErrNewer) {
		return first
	}
	second := s.loadFile(previousName)
	switch {
	case errors.Is(first, fs.ErrNotExist) && errors.Is(second, fs.ErrNotExist):
		return nil
	case errors.Is(second, ErrNewer):
		return second
	case second == nil:
		if errors.Is(first, fs.ErrNotExist) {
			return nil
		}
		s.note("the state is damaged, the one of the epoch before is used: " + first.Error())
		return s.setAside(first)
	case s.opt.Strict:
		return errors.Join(first, second)
	}
	s.note("both states are damaged, counting begins anew: " + first.Error())
	return nil
}

// setAside keeps a damaged state from taking the place of the one that is used
// in its stead.
func (s *State) setAside(why error) error {
	if !errors.Is(why, ErrDamaged) {
		return nil
	}
	return os.Rename(s.path(stateName), s.path(tempName))
}

// path is where a file of the directory is.
func (s *State) path(name string) string { return filepath.Join(s.dir, name) }

func (s *State) note(text string) { s.stats.Notes = append(s.stats.Notes, text) }

func (s *State) loadFile(name string) error {
	path := s.path(name)
	places, counts, err := readState(path)
	if err != nil {
		return fmt.Errorf("%s: %w", path, err)
	}
	sum, whole, err := s.opt.Restore(counts)
	if err != nil {
		return fmt.Errorf("%s: %w: %w", path, ErrDamaged, err)
	}
	if !whole {
		s.note(otherVersion)
	}
	s.live, s.durable, s.saved = sum, counts, places
	return nil
}

// ReadState returns the places and the counts of a state directory, whoever
// uses it.
func ReadState(dir string) (places []byte, counts *sinks.Snapshot, err error) {
	var list []error
	for _, name := range []string{stateName, previousName} {
		path := filepath.Join(dir, name)
		var data []byte
		if places, data, err = readState(path); err == nil {
			if counts, _, err = restore(data); err == nil {
				return places, counts, nil
			}
		}
		if errors.Is(err, ErrNewer) {
			return nil, nil, fmt.Errorf("%s: %w", path, err)
		}
		if !errors.Is(err, fs.ErrNotExist) {
			list = append(list, fmt.Errorf("%s: %w", path, err))
		}
	}
	if list == nil {
		return nil, nil, fmt.Errorf("%s: no agent has written a state there: %w", dir, fs.ErrNotExist)
	}
	return nil, nil, errors.Join(list...)
}

var castagnoli = crc32.MakeTable(crc32.Castagnoli)

// A state file is the magic, the version, the length of the rest but for the
// checksum, the places with their length in front, the counts, and a checksum of
// all that.
func readState(path string) (places, counts []byte, err error) {
	info, err := os.Lstat(path)
	switch {
	case err != nil:
		return nil, nil, err
	case !info.Mode().IsRegular() || info.Size() > maxState:
		return nil, nil, fmt.Errorf("%w: no regular file, or too large", ErrDamaged)
	}
	data, err := os.ReadFile(path)
	if err != nil {
		return nil, nil, err
	}
	return parseState(data)
}

const headLen = len(stateMagic) + 4 + 8

func parseState(data []byte) (places, counts []byte, err error) {
	if len(data) < headLen+8+4 || string(data[:len(stateMagic)]) != stateMagic {
		return nil, nil, fmt.Errorf("%w: no state", ErrDamaged)
	}
	if v := binary.LittleEndian.Uint32(data[len(stateMagic):]); v > stateVersion {
		return nil, nil, fmt.Errorf("%w: format %d, this program knows up to %d", ErrNewer, v, stateVersion)
	}
	body, sum := data[:len(data)-4], binary.LittleEndian.Uint32(data[len(data)-4:])
	n := binary.LittleEndian.Uint64(data[len(stateMagic)+4:])
	if n != uint64(len(body)-headLen) || crc32.Checksum(body, castagnoli) != sum {
		return nil, nil, fmt.Errorf("%w: checksum", ErrDamaged)
	}
	rest := body[headLen:]
	n = binary.LittleEndian.Uint64(rest)
	if rest = rest[8:]; n > uint64(len(rest)) {
		return nil, nil, fmt.Errorf("%w: length", ErrDamaged)
	}
	return rest[:n], rest[n:], nil
}

// makeState makes a state file in buf. The counts, as appendCounts appends
// them, are a part of it.
func makeState(buf, places []byte, appendCounts func([]byte) []byte) (file, counts []byte) {
	b := append(buf[:0], stateMagic...)
	b = binary.LittleEndian.AppendUint32(b, stateVersion)
	b = binary.LittleEndian.AppendUint64(b, 0)
	b = binary.LittleEndian.AppendUint64(b, uint64(len(places)))
	b = append(b, places...)
	at := len(b)
	b = appendCounts(b)
	end := len(b)
	binary.LittleEndian.PutUint64(b[headLen-8:], uint64(end-headLen))
	b = binary.LittleEndian.AppendUint32(b, crc32.Checksum(b, castagnoli))
	return b, b[at:end]
}

// Saved are the places to go on from, as Places.Save wrote them.
func (s *State) Saved() []byte { return s.saved }

// Follow says whose places are written from now on. Before it nothing is
// committed.
func (s *State) Follow(p Places) { s.places = p }

// Commit is Ledger's. It fails only when the places can not be told.
func (s *State) Commit(_ context.Context, e Epoch) error {
	s.writing.Lock()
	defer s.writing.Unlock()
	for _, end := range e.Ends {
		s.ends[end.Stream] = end.End.Offset
	}
	s.live.Merge(e.Delta)
	s.live.Stamp(s.opt.Now())
	s.dirty = true
	return s.write()
}

// Flush writes what is not yet durable.
func (s *State) Flush() error {
	s.writing.Lock()
	defer s.writing.Unlock()
	return s.write()
}

// write makes the live counts durable. An error of the disk is noted only.
func (s *State) write() error {
	if !s.dirty {
		return nil
	}
	now := s.opt.Now()
	places, err := s.places.Save(s.ends)
	if err != nil {
		return err
	}
	clear(s.ends)
	file, counts := makeState(s.spare, places, s.live.AppendState)
	if err = tooLarge(len(file), s.most); err == nil {
		err = s.replace(file)
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if err != nil {
		s.spare = file
		if s.stats.Err == nil {
			s.stats.Since = now
		}
		s.stats.Err = err
		return nil
	}
	s.spare, s.file, s.durable, s.dirty = s.file, file, counts, false
	s.shown, s.metered = nil, nil
	s.stats.Err, s.stats.Written, s.stats.Bytes = nil, now, len(counts)+len(places)
	return nil
}

// tooLarge is the error about what is not written, as it could not be read again.
func tooLarge(size, most int) error {
	if size > most {
		return fmt.Errorf("%d bytes of counts: more than the %d that can be read again", size, most)
	}
	return nil
}

// replace writes a file of its own each time: after a failed fsync nothing
// that was written before can be relied on.
func (s *State) replace(data []byte) error {
	if err := s.writeTemp(s.path(tempName), data); err != nil {
		return err
	}
	steps := []struct {
		name string
		do   func() error
	}{
		{"keep", func() error { return ignoreMissing(os.Rename(s.path(stateName), s.path(previousName))) }},
		{"rename", func() error { return os.Rename(s.path(tempName), s.path(stateName)) }},
		{"sync directory", func() error { return syncDir(s.dir) }},
	}
	for _, step := range steps {
		if err := s.opt.fail(step.name); err != nil {
			return err
		}
		if err := step.do(); err != nil {
			return err
		}
	}
	return nil
}

func ignoreMissing(err error) error {
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	return err
}

func (s *State) writeTemp(path string, data []byte) (err error) {
	if err := ignoreMissing(os.Remove(path)); err != nil {
		return err
	}
	f, err := os.OpenFile(path, os.O_WRONLY|os.O_CREATE|os.O_EXCL|noFollow, 0o600)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, f.Close()) }()
	if err := s.opt.fail("write"); err != nil {
		return err
	}
	if _, err := f.Write(data); err != nil {
		return err
	}
	if err := s.opt.fail("sync"); err != nil {
		return err
	}
	return f.Sync()
}

func syncDir(dir string) error {
	d, err := os.Open(dir)
	if err != nil {
		return err
	}
	defer d.Close()
	return d.Sync()
}

// View calls f with what is durable. The snapshot is f's until f returns.
func (s *State) View(f func(*sinks.Snapshot)) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.shown == nil {
		s.shown = sinks.NewSnapshot()
		if s.durable != nil {
			if sum, _, err := s.opt.Restore(s.durable); err == nil {
				s.shown = sum
			}
		}
	}
	f(s.shown)
}

// ViewMetrics calls f with what metrics show of what is durable: that is made
// much sooner than all of it. The snapshot is f's until f returns.
func (s *State) ViewMetrics(f func(*sinks.Snapshot)) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.metered == nil {
		s.metered = sinks.NewSnapshot()
		if s.durable != nil {
			if m, err := sinks.RestoreMetrics(s.durable); err == nil {
				s.metered = m
			}
		}
	}
	f(s.metered)
}

// Stats may be called at any time.
func (s *State) Stats() StateStats {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.stats
}

// Close gives the directory back. What is not durable is lost.
func (s *State) Close() error { return s.lock.Close() }
