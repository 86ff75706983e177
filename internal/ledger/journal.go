package ledger

import (
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"hash/crc32"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"time"

	"github.com/flagwatch/flagwatch/sinks"
)

// An intent is what a commit is about to do.
type intent struct {
	Token string           `json:"token"`
	To    map[string]int64 `json:"to"` // offset by stream
}

// A Journal keeps the counts of one member in a directory of its own: a file
// of frames, which begins with the counts of some time and goes on with the
// commits since then. A commit's counts are in the file before it is tried, so
// that after a crash only its outcome must be asked for.
//
// It belongs to one process at a time, and is not safe for concurrent use.
type Journal struct {
	dir     string
	group   string
	restore func([]byte) (*sinks.Snapshot, bool, error)
	lock    *os.File
	file    *os.File
	size    int64
	base    int64 // size when the file was written anew
	counts  *sinks.Snapshot
	open    *intent // whose outcome is not known
	delta   *sinks.Snapshot
	buf     []byte
	based   bool     // its first counts were read
	limit   int64    // bytes of frames that are worth a new file
	most    int      // bytes that are written at once
	notes   []string // what there is to know about how it was read
}

// The kinds of frames.
const (
	frameHead    = 'H' // head, as JSON
	frameCounts  = 'S' // counts
	frameIntent  = 'I' // intent, as JSON and its length in front, and its counts
	frameApplied = 'A' // when, in seconds since 1970; nothing in journals of before
	frameDropped = 'D'
)

// A head says whose journal it is.
type head struct {
	Version int    `json:"version"`
	Group   string `json:"group"`
}

const (
	journalVersion = 1
	journalName    = "kafka.journal"
	frameHeadSize  = 9       // length, checksum of kind and payload, kind
	maxFrame       = 1 << 30 // bytes; what has more is not read, and not written
)

// OpenJournal opens the journal in dir, or makes one for the group. read reads
// the counts in it, nil is as for StateOptions.
func OpenJournal(dir, group string, read func([]byte) (*sinks.Snapshot, bool, error)) (*Journal, error) {
	if err := checkDir(dir); err != nil {
		return nil, err
	}
	if read == nil {
		read = restore
	}
	j := &Journal{dir: dir, group: group, restore: read, counts: sinks.NewSnapshot(), limit: 4 << 20, most: maxFrame}
	var err error
	if j.lock, err = lockDir(filepath.Join(dir, lockName)); err != nil {
		return nil, fmt.Errorf("%s: %w", dir, err)
	}
	if err := j.load(); err != nil {
		j.Close()
		return nil, fmt.Errorf("%s: %w", j.path(), err)
	}
	return j, nil
}

func (j *Journal) path() string { return filepath.Join(j.dir, journalName) }

// Close leaves the directory to others.
func (j *Journal) Close() error {
	var list []error
	for _, f := range []*os.File{j.file, j.lock} {
		if f != nil {
			list = append(list, f.Close())
		}
	}
	return errors.Join(list...)
}

// Notes are what there is to know about how the journal was read.
func (j *Journal) Notes() []string { return j.notes }

// load reads the frames up to the first that is not whole.
func (j *Journal) load() error {
	data, err := os.ReadFile(j.path())
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	if err := j.replay(data); err != nil {
		return err
	}
	return j.rewrite(j.counts)
}

func (j *Journal) replay(data []byte) error {
	whole := data
	for first := true; ; first = false {
		kind, payload, rest, ok := nextFrame(data)
		if !ok {
			j.noteEnd(len(whole)-len(data), data)
			return nil
		}
		if first != (kind == frameHead) {
			return errors.New("not a journal")
		}
		if err := j.apply(kind, payload); err != nil {
			return err
		}
		data = rest
	}
}

// noteEnd notes where reading ended, unless it was where a crash ends a journal:
// what that left of the last frame was never acted upon. The head and the first
// counts were there before the file had its name.
func (j *Journal) noteEnd(at int, rest []byte) {
	if at+len(rest) == 0 || j.based && frameSize(rest) >= int64(len(rest)) {
		return
	}
	j.notes = append(j.notes, fmt.Sprintf("the journal is damaged at byte %d: what it has from there on is not counted", at))
}

func (j *Journal) apply(kind byte, payload []byte) (err error) {
	switch kind {
	case frameHead:
		return j.check(payload)
	case frameCounts:
		j.based = true
		j.counts, err = j.read(payload)
	case frameIntent:
		n, size := binary.Uvarint(payload)
		if size <= 0 || n > uint64(len(payload)-size) {
			return errors.New("an intent is damaged")
		}
		j.open = new(intent)
		if err := json.Unmarshal(payload[size:size+int(n)], j.open); err != nil {
			return err
		}
		j.delta, err = j.read(payload[size+int(n):])
	case frameApplied:
		if j.delta != nil {
			at, _ := binary.Uvarint(payload)
			j.counts.MergeSnapshot(j.delta)
			j.counts.Stamp(time.Unix(max(1, int64(at)), 0))
		}
		j.open, j.delta = nil, nil
	case frameDropped:
		j.open, j.delta = nil, nil
	}
	return err
}

func (j *Journal) check(payload []byte) error {
	var h head
	if err := json.Unmarshal(payload, &h); err != nil {
		return err
	}
	switch {
	case h.Group != j.group:
		return fmt.Errorf("it is of group %q, not of %q", h.Group, j.group)
	case h.Version > journalVersion:
		return ErrNewer
	}
	return nil
}

// read reads counts.
func (j *Journal) read(data []byte) (*sinks.Snapshot, error) {
	s, whole, err := j.restore(data)
	if err == nil && !whole && !slices.Contains(j.notes, otherVersion) {
		j.notes = append(j.notes, otherVersion)
	}
	return s, err
}

// nextFrame takes the first frame off data. It is false when there is no whole
// one.
func nextFrame(data []byte) (kind byte, payload, rest []byte, ok bool) {
	if len(data) < frameHeadSize {
		return 0, nil, nil, false
	}
	end := frameSize(data)
	if end > frameHeadSize+maxFrame || int64(len(data)) < end {
		return 0, nil, nil, false
	}
	if crc32.Checksum(data[8:end], castagnoli) != binary.LittleEndian.Uint32(data[4:]) {
		return 0, nil, nil, false
	}
	return data[8], data[frameHeadSize:end], data[end:], true
}

// frameSize is how long the frame is that data begins with, as far as its head is
// there.
func frameSize(data []byte) int64 {
	if len(data) < frameHeadSize {
		return frameHeadSize
	}
	return frameHeadSize + int64(binary.LittleEndian.Uint32(data))
}

// frame appends a frame whose payload body appends.
func frame(dst []byte, kind byte, body func([]byte) []byte) []byte {
	at := len(dst)
	dst = append(dst, 0, 0, 0, 0, 0, 0, 0, 0, kind)
	dst = body(dst)
	binary.LittleEndian.PutUint32(dst[at:], uint32(len(dst)-at-frameHeadSize))
	binary.LittleEndian.PutUint32(dst[at+4:], crc32.Checksum(dst[at+8:], castagnoli))
	return dst
}

// rewrite makes a new file that begins with the counts. An open intent goes
// with it.
func (j *Journal) rewrite(counts *sinks.Snapshot) error {
	h, err := json.Marshal(head{journalVersion, j.group})
	if err != nil {
		return err
	}
	buf := frame(j.buf[:0], frameHead, func(b []byte) []byte { return append(b, h...) })
	buf = frame(buf, frameCounts, func(b []byte) []byte { return counts.AppendState(b) })
	if j.open != nil {
		buf = j.intent(buf, *j.open, j.delta)
	}
	j.buf = buf
	if err := tooLarge(len(buf), j.most); err != nil {
		return err
	}
	f, err := os.CreateTemp(j.dir, journalName+".*")
	if err != nil {
		return err
	}
	_, err = f.Write(buf)
	if err == nil {
		err = f.Sync()
	}
	if err == nil {
		err = os.Rename(f.Name(), j.path())
	}
	if err == nil {
		err = syncDir(j.dir)
	}
	if err != nil {
		f.Close()
		os.Remove(f.Name())
		return err
	}
	if j.file != nil {
		j.file.Close()
	}
	j.file, j.size, j.base = f, int64(len(buf)), int64(len(buf))
	return nil
}

func (j *Journal) intent(buf []byte, in intent, delta *sinks.Snapshot) []byte {
	text, err := json.Marshal(in)
	if err != nil {
		panic(err) // strings and numbers always are JSON
	}
	return frame(buf, frameIntent, func(b []byte) []byte {
		b = binary.AppendUvarint(b, uint64(len(text)))
		return delta.AppendState(append(b, text...))
	})
}

// write makes an intent and its counts durable.
func (j *Journal) write(in intent, d *sinks.Delta) error {
	s := sinks.NewSnapshot()
	s.Merge(d)
	j.buf = j.intent(j.buf[:0], in, s)
	if err := tooLarge(len(j.buf), j.most); err != nil {
		return err
	}
	if err := j.append(j.buf); err != nil {
		return err
	}
	return j.file.Sync()
}

func (j *Journal) append(b []byte) error {
	n, err := j.file.Write(b)
	j.size += int64(n)
	if err == nil && n < len(b) {
		err = io.ErrShortWrite
	}
	return err
}

// settle notes what became of the last intent, and when. It need not be
// durable: who does not find it asks again.
func (j *Journal) settle(applied bool, now time.Time) error {
	kind := byte(frameDropped)
	if applied {
		kind = frameApplied
	}
	return j.append(frame(j.buf[:0], kind, func(b []byte) []byte { return binary.AppendUvarint(b, uint64(now.Unix())) }))
}

// full says whether a new file is due.
func (j *Journal) full() bool { return j.size > 2*j.base+j.limit }
