package ledger

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/flagwatch/flagwatch/classify"
	"github.com/flagwatch/flagwatch/internal/source"
	"github.com/flagwatch/flagwatch/parser"
	"github.com/flagwatch/flagwatch/sinks"
)

// fixedPlaces are places without a tailer.
type fixedPlaces struct{ text string }

func (p *fixedPlaces) Save(map[*source.Stream]int64) ([]byte, error) { return []byte(p.text), nil }

var errDisk = errors.New("no space left on device")

// A box is a state directory, and a process that uses it.
type box struct {
	t      *testing.T
	dir    string
	places fixedPlaces
	broken string // the step that fails
	state  *State
}

func newBox(t *testing.T) *box {
	b := &box{t: t, dir: filepath.Join(t.TempDir(), "state")}
	b.open(false)
	return b
}

func (b *box) open(strict bool) error {
	if b.state != nil {
		b.state.Close()
	}
	state, err := OpenState(b.dir, StateOptions{Strict: strict, fail: func(step string) error {
		if step == b.broken {
			return errDisk
		}
		return nil
	}})
	if err != nil {
		b.state = nil
		return err
	}
	b.state = state
	state.Follow(&b.places)
	return nil
}

// commit counts a record, up to a place of this name.
func (b *box) commit(place string) {
	b.t.Helper()
	b.places.text = place
	d := sinks.NewDelta()
	d.Add(&sinks.Origin{Input: "a"}, &parser.Record{Kind: parser.Noise, Size: 10, Lines: 1}, classify.Verdict{})
	if err := errors.Join(b.state.Commit(b.t.Context(), Epoch{Delta: d}), b.state.Flush()); err != nil {
		b.t.Fatal(err)
	}
}

// shown is how many records are shown.
func (b *box) shown() (n uint64) {
	b.state.View(func(s *sinks.Snapshot) { n = s.Identity().Records })
	return n
}

func (b *box) want(records uint64, place string) {
	b.t.Helper()
	if got := b.shown(); got != records || string(b.state.Saved()) != place {
		b.t.Errorf("%d records at %q, want %d at %q", got, b.state.Saved(), records, place)
	}
}

func TestStateGoesOn(t *testing.T) {
	b := newBox(t)
	b.want(0, "")
	b.commit("one")
	b.commit("two")
	if got := b.shown(); got != 2 {
		t.Errorf("%d records are shown", got)
	}
	b.open(false)
	b.want(2, "two")
	b.commit("three")
	b.open(false)
	b.want(3, "three")
}

// T64, T68, T70: whatever step fails, what is shown is what the disk has, and
// a process that ends there goes on from there.
func TestStepsFail(t *testing.T) {
	for _, step := range []string{"write", "sync", "keep", "rename", "sync directory"} {
		b := newBox(t)
		b.commit("one")
		b.broken = step
		b.commit("two")
		if got := b.shown(); got != 1 {
			t.Errorf("%s fails: %d records are shown, want 1", step, got)
		}
		if st := b.state.Stats(); !errors.Is(st.Err, errDisk) || st.Since.IsZero() {
			t.Errorf("%s fails: %+v", step, st)
		}
		t.Run("ends after "+step, func(t *testing.T) {
			b := newBox(t)
			b.commit("one")
			b.broken = step
			b.commit("two")
			b.broken = ""
			b.open(true)
			if got := b.shown(); got < 1 || got == 1 != (string(b.state.Saved()) == "one") {
				t.Errorf("%d records at %q", got, b.state.Saved())
			}
		})
		b.broken = ""
		if err := b.state.Flush(); err != nil {
			t.Fatal(err)
		}
		if got := b.shown(); got != 2 {
			t.Errorf("%s worked again: %d records are shown, want 2", step, got)
		}
		b.open(true)
		b.want(2, "two")
	}
}

// T65, T66: files that are not what was written.
func TestDamagedState(t *testing.T) {
	damage := map[string]func([]byte) []byte{
		"torn":    func(data []byte) []byte { return data[:len(data)/2] },
		"empty":   func([]byte) []byte { return nil },
		"flipped": func(data []byte) []byte { data[len(data)/2] ^= 4; return data },
		"longer":  func(data []byte) []byte { return append(data, 0) },
		"other":   func([]byte) []byte { return []byte(strings.Repeat("something else ", 10)) },
	}
	for name, f := range damage {
		b := newBox(t)
		b.commit("one")
		b.commit("two")
		change := func(file string) {
			path := filepath.Join(b.dir, file)
			data, err := os.ReadFile(path)
			if err == nil {
				err = os.WriteFile(path, f(data), 0o600)
			}
			if err != nil {
				t.Fatal(err)
			}
		}
		change(stateName)
		b.open(true)
		b.want(1, "one")
		if notes := b.state.Stats().Notes; len(notes) != 1 || !strings.Contains(notes[0], "damaged") {
			t.Errorf("%s: notes %q", name, notes)
		}
		change(previousName)
		if err := b.open(true); !errors.Is(err, ErrDamaged) {
			t.Errorf("%s, strict: %v", name, err)
		}
		b.open(false)
		b.want(0, "")
		if notes := b.state.Stats().Notes; len(notes) != 1 || !strings.Contains(notes[0], "begins anew") {
			t.Errorf("%s: notes %q", name, notes)
		}
	}
}

// A damaged state never takes the place of the one before it, which was used in
// its stead: whatever step fails next, that is still there.
func TestStepsFailAfterDamage(t *testing.T) {
	for _, step := range []string{"write", "sync", "keep", "rename", "sync directory"} {
		b := newBox(t)
		b.commit("one")
		b.commit("two")
		if err := os.WriteFile(filepath.Join(b.dir, stateName), []byte("damaged"), 0o600); err != nil {
			t.Fatal(err)
		}
		b.open(true)
		b.broken = step
		b.commit("three")
		b.broken = ""
		if err := b.open(true); err != nil {
			t.Errorf("%s: %v", step, err)
			continue
		}
		if got := b.shown(); got < 1 || got == 1 != (string(b.state.Saved()) == "one") {
			t.Errorf("%s: %d records at %q", step, got, b.state.Saved())
		}
	}
}

// T67: a state of a newer version is left alone.
func TestNewerState(t *testing.T) {
	b := newBox(t)
	b.commit("one")
	path := filepath.Join(b.dir, stateName)
	data, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	data[len(stateMagic)] = stateVersion + 1
	if err := os.WriteFile(path, data, 0o600); err != nil {
		t.Fatal(err)
	}
	if err := b.open(false); !errors.Is(err, ErrNewer) || !strings.Contains(err.Error(), "format 2") {
		t.Error(err)
	}
}

// T71: a second process on the same directory.
func TestStateInUse(t *testing.T) {
	b := newBox(t)
	b.commit("one")
	if _, err := OpenState(b.dir, StateOptions{}); !errors.Is(err, ErrInUse) {
		t.Error(err)
	}
	places, counts, err := ReadState(b.dir)
	if err != nil || string(places) != "one" || counts.Identity().Records != 1 {
		t.Errorf("%q, %v", places, err)
	}
	b.commit("two")
	b.open(false)
	b.want(2, "two")
}

// S25: directories and files that others could have made.
func TestStateDirectory(t *testing.T) {
	root := t.TempDir()
	open := filepath.Join(root, "open")
	link := filepath.Join(root, "link")
	file := filepath.Join(root, "file")
	err := errors.Join(os.Mkdir(open, 0o777), os.Chmod(open, 0o777), os.Symlink(root, link), os.WriteFile(file, nil, 0o600))
	if err != nil {
		t.Fatal(err)
	}
	for dir, want := range map[string]string{open: "everybody can write", link: "is no directory", file: "state directory"} {
		if _, err := OpenState(dir, StateOptions{}); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v, want %q", dir, err, want)
		}
	}
	b := newBox(t)
	target := filepath.Join(root, "target")
	if err := os.Symlink(target, filepath.Join(b.dir, tempName)); err != nil {
		t.Fatal(err)
	}
	b.commit("one")
	if _, err := os.Lstat(target); err == nil {
		t.Error("a planted link was written through")
	}
	b.open(false)
	b.want(1, "one")
}

func FuzzParseState(f *testing.F) {
	f.Add(stateOf([]byte("places"), []byte("counts")))
	f.Fuzz(func(t *testing.T, data []byte) {
		places, counts, err := parseState(data)
		if err == nil && string(stateOf(places, counts)) != string(data) {
			t.Errorf("%q and %q are of other bytes", places, counts)
		}
	})
}

func stateOf(places, counts []byte) []byte {
	file, _ := makeState(nil, places, func(b []byte) []byte { return append(b, counts...) })
	return file
}

// TestStateTooLarge demands that a state which could not be read again is not
// written, and that what the disk has stays.
func TestStateTooLarge(t *testing.T) {
	b := newBox(t)
	b.commit("one")
	b.state.most = 100
	b.commit("two")
	if err := b.state.Stats().Err; err == nil || !strings.Contains(err.Error(), "more than the 100 ") || b.shown() != 1 {
		t.Errorf("%d records, %v", b.shown(), err)
	}
	b.open(false)
	if got := string(b.state.Saved()); got != "one" || b.shown() != 1 {
		t.Errorf("after a restart: %d records up to %q", b.shown(), got)
	}
}
