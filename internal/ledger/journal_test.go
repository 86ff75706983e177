package ledger

import (
	"bytes"
	"context"
	"errors"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/flagwatch/flagwatch/classify"
	"github.com/flagwatch/flagwatch/internal/source"
	"github.com/flagwatch/flagwatch/parser"
	"github.com/flagwatch/flagwatch/sinks"
)

// counted returns what a text comes to.
func counted(text string) *sinks.Delta { return countedWith(classify.Default(), text) }

func countedWith(causes *classify.Classifier, text string) *sinks.Delta {
	d := sinks.NewDelta()
	p := parser.NewParser(sinks.Wanted | causes.Fields())
	data := append([]byte(text), make([]byte, parser.Padding)...)[:len(text)]
	p.Reset(data)
	for rec, ok := p.Next(); ok; rec, ok = p.Next() {
		d.Add(&sinks.Origin{Input: "access/0", Block: data}, rec, causes.Classify(rec))
	}
	return d
}

const someLines = `[2026-03-01T09:00:00.000Z] "GET /cart HTTP/1.1" 503 UF 0 91 3 - "-" "curl/8.5.0" "1" "cart" "10.1.0.7:8080"
[2026-03-01T09:00:01.000Z] "GET /cart HTTP/1.1" 503 UO 0 91 3 - "-" "curl/8.5.0" "2" "cart" "-"
[2026-03-01T09:00:02.000Z] "GET /cart HTTP/1.1" 200 - 0 91 3 2 "-" "curl/8.5.0" "3" "cart" "10.1.0.7:8080"
some text of an application
`

// A script is Offsets whose answers are laid down.
type script struct {
	err     error
	applied bool
	asked   []string
}

func (s *script) Commit(_ context.Context, _ int, _ map[string]int64, token string) error {
	return s.err
}

func (s *script) Applied(_ context.Context, _ map[string]int64, token string) (bool, error) {
	s.asked = append(s.asked, token)
	return s.applied, nil
}

func epochOf(text string, end int64) Epoch {
	s := &source.Stream{Name: "access/0", Group: 1}
	return Epoch{Group: 1, Ends: []StreamEnd{{s, source.Position{Offset: end}}}, Delta: counted(text)}
}

// open opens the journal in dir, as a process does, and resolves it.
func open(t *testing.T, dir string, o Offsets) (*Kafka, *Journal) {
	t.Helper()
	j, err := OpenJournal(dir, "flagwatch", nil)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { j.Close() })
	k := NewKafka(j)
	k.Bind(o)
	if err := k.Resolve(t.Context(), o); err != nil {
		t.Fatal(err)
	}
	return k, j
}

func reportOf(t *testing.T, k *Kafka) string {
	t.Helper()
	var buf bytes.Buffer
	k.View(func(s *sinks.Snapshot) {
		if err := s.Report().WriteJSON(&buf); err != nil {
			t.Fatal(err)
		}
	})
	return buf.String()
}

// TestJournalKeepsCounts demands that a process finds the counts that the one
// before it had committed, all of them.
func TestJournalKeepsCounts(t *testing.T) {
	dir := t.TempDir()
	k, j := open(t, dir, &script{})
	for end := range int64(3) {
		if err := k.Commit(t.Context(), epochOf(someLines, end+1)); err != nil {
			t.Fatal(err)
		}
	}
	want := reportOf(t, k)
	j.Close()
	for range 2 {
		k, j = open(t, dir, &script{})
		if got := reportOf(t, k); got != want {
			t.Fatalf("%s\nwant\n%s", got, want)
		}
		j.Close()
	}
}

// TestJournalCrash demands that counts of a commit whose outcome the process
// did not live to see count exactly when the group has it.
func TestJournalCrash(t *testing.T) {
	unknown := errors.New("connection lost")
	for _, applied := range []bool{false, true} {
		dir := t.TempDir()
		k, j := open(t, dir, &script{})
		if err := k.Commit(t.Context(), epochOf(someLines, 4)); err != nil {
			t.Fatal(err)
		}
		o := &script{err: unknown}
		k.Bind(o)
		if err := k.Commit(t.Context(), epochOf(someLines, 8)); !errors.Is(err, unknown) {
			t.Fatal(err)
		}
		j.Close()
		o = &script{applied: applied}
		k, j = open(t, dir, o)
		want := uint64(4)
		if applied {
			want = 8
		}
		k.View(func(s *sinks.Snapshot) {
			if n := s.Identity().Records; n != want {
				t.Errorf("applied %v: %d records, want %d", applied, n, want)
			}
		})
		if len(o.asked) != 1 {
			t.Errorf("asked for %v", o.asked)
		}
		j.Close()
		if k, _ = open(t, dir, &script{applied: !applied}); reportOf(t, k) == "" {
			t.Error("no report")
		}
		k.View(func(s *sinks.Snapshot) {
			if n := s.Identity().Records; n != want {
				t.Errorf("applied %v, at the next start: %d records, want %d", applied, n, want)
			}
		})
	}
}

func TestJournalFenced(t *testing.T) {
	k, _ := open(t, t.TempDir(), &script{err: ErrFenced})
	if err := k.Commit(t.Context(), epochOf(someLines, 4)); !errors.Is(err, ErrFenced) {
		t.Fatal(err)
	}
	k.View(func(s *sinks.Snapshot) {
		if n := s.Identity().Records; n != 0 {
			t.Errorf("%d records of a fenced commit are visible", n)
		}
	})
}

// twoCommits is what a journal has after two commits, and how much of that it had
// before.
func twoCommits(t *testing.T) (data []byte, before int) {
	t.Helper()
	dir := t.TempDir()
	k, j := open(t, dir, &script{})
	before = int(j.size)
	for end := range int64(2) {
		if err := k.Commit(t.Context(), epochOf(someLines, end+1)); err != nil {
			t.Fatal(err)
		}
	}
	j.Close()
	data, err := os.ReadFile(filepath.Join(dir, journalName))
	if err != nil {
		t.Fatal(err)
	}
	return data, before
}

// TestJournalTorn demands that a journal that was cut off anywhere opens with
// the counts of some commit before: nothing is half there.
func TestJournalTorn(t *testing.T) {
	whole, _ := twoCommits(t)
	for size := 0; size < len(whole); size += 1 + size/20 {
		torn := t.TempDir()
		if err := os.WriteFile(filepath.Join(torn, journalName), whole[:size], 0o600); err != nil {
			t.Fatal(err)
		}
		k, j := open(t, torn, &script{applied: false})
		k.View(func(s *sinks.Snapshot) {
			if n := s.Identity().Records; n%4 != 0 || n > 8 {
				t.Errorf("%d of %d bytes: %d records", size, len(whole), n)
			}
		})
		j.Close()
	}
}

// TestJournalDamaged demands that what was lost is told, and that what a crash
// leaves of the last frame is no damage.
func TestJournalDamaged(t *testing.T) {
	whole, base := twoCommits(t)
	flipped := func(at int) []byte {
		data := bytes.Clone(whole)
		data[at] ^= 4
		return data
	}
	for name, c := range map[string]struct {
		data []byte
		want int
	}{
		"whole": {whole, 0}, "torn": {whole[:len(whole)-20], 0}, "torn in a head": {whole[:base+4], 0},
		"head": {flipped(12), 1}, "counts": {flipped(base - 9), 1}, "cut off counts": {whole[:base-9], 1}, "empty": {nil, 0}, "intent": {flipped(base + 40), 1},
	} {
		dir := t.TempDir()
		if err := os.WriteFile(filepath.Join(dir, journalName), c.data, 0o600); err != nil {
			t.Fatal(err)
		}
		if _, j := open(t, dir, &script{}); len(j.Notes()) != c.want {
			t.Errorf("%s: notes %q, want %d", name, j.Notes(), c.want)
		}
	}
}

func TestJournalIsOnes(t *testing.T) {
	dir := t.TempDir()
	_, j := open(t, dir, &script{})
	if _, err := OpenJournal(dir, "flagwatch", nil); err == nil {
		t.Error("a second process got the directory")
	}
	j.Close()
	if _, err := OpenJournal(dir, "other", nil); err == nil {
		t.Error("another group got the counts")
	}
	if err := os.Chmod(dir, 0o777); err != nil {
		t.Fatal(err)
	}
	if _, err := OpenJournal(dir, "flagwatch", nil); err == nil {
		t.Error("a directory that everybody may write to was taken")
	}
}

// TestJournalRewrite demands that a journal does not grow for ever, and that
// its counts stay.
func TestJournalRewrite(t *testing.T) {
	dir := t.TempDir()
	k, j := open(t, dir, &script{})
	files, e := 0, epochOf(someLines, 1)
	j.limit = 16 << 10
	for end := range int64(200) {
		before := j.size
		e.Ends[0].End.Offset = end
		if err := k.Commit(t.Context(), e); err != nil {
			t.Fatal(err)
		}
		if j.size < before {
			files++
		}
	}
	if files == 0 || j.size > 3*j.base+2*j.limit {
		t.Errorf("%d bytes after %d new files", j.size, files)
	}
	j.Close()
	k, _ = open(t, dir, &script{})
	k.View(func(s *sinks.Snapshot) {
		if n := s.Identity().Records; n != 4*200 {
			t.Errorf("%d records", n)
		}
	})
}

// TestJournalOwnCauses demands that causes of a team's own outlive the
// process, and that those which are no more leave the other counts as they are.
func TestJournalOwnCauses(t *testing.T) {
	causes, err := classify.New(classify.Own{
		Causes: []classify.Cause{{ID: "cart-is-small", Title: "The cart is small", Meaning: "It is.", Severity: classify.Warning}},
		Rules:  []classify.Rule{{Cause: "cart-is-small", When: "flag:UO"}},
	})
	if err != nil {
		t.Fatal(err)
	}
	read := func(causes *classify.Classifier) func([]byte) (*sinks.Snapshot, bool, error) {
		return func(data []byte) (*sinks.Snapshot, bool, error) {
			return sinks.RestoreSnapshot(data, func(id string) *classify.Cause {
				c, _ := causes.Cause(id)
				return c
			})
		}
	}
	dir := t.TempDir()
	reopen := func(causes *classify.Classifier) (*Kafka, *Journal, map[string]uint64, uint64) {
		j, err := OpenJournal(dir, "flagwatch", read(causes))
		if err != nil {
			t.Fatal(err)
		}
		k := NewKafka(j)
		k.Bind(&script{})
		seen, records := map[string]uint64{}, uint64(0)
		k.View(func(s *sinks.Snapshot) {
			r := s.Report()
			records = r.Totals.Records
			for _, c := range r.Causes {
				seen[c.ID] = c.Records
			}
		})
		return k, j, seen, records
	}
	for round := range uint64(3) {
		k, j, seen, records := reopen(causes)
		if seen["cart-is-small"] != round || seen["upstream-connect-failed"] != round || records != 4*round {
			t.Errorf("start %d: %v of %d records", round, seen, records)
		}
		if round == 1 { // with the counts of the process before in the file's beginning
			if err := j.rewrite(j.counts); err != nil {
				t.Fatal(err)
			}
		}
		e := epochOf("", int64(round+1))
		e.Delta = countedWith(causes, someLines)
		if err := k.Commit(t.Context(), e); err != nil {
			t.Fatal(err)
		}
		j.Close()
	}
	_, j, seen, records := reopen(classify.Default())
	defer j.Close()
	if seen["cart-is-small"] != 0 || seen["upstream-connect-failed"] != 3 || records != 12 || len(j.Notes()) > 0 {
		t.Errorf("without the rules: %v of %d records, notes %q", seen, records, j.Notes())
	}
}

// TestJournalBorn demands that a new series is 0 in metrics for a while from its
// commit on, and that no restart makes less of what was shown: that would be
// counted once more.
func TestJournalBorn(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		dir := t.TempDir()
		shown := func(k *Kafka) string {
			var buf bytes.Buffer
			k.View(func(s *sinks.Snapshot) {
				s.WriteMetrics(&buf, sinks.MetricOptions{Now: time.Now(), BornFor: time.Minute})
			})
			m := regexp.MustCompile(`(?m)^flagwatch_requests_total\{proxy_namespace="shop".* (\d+)$`).FindStringSubmatch(buf.String())
			if m == nil {
				return "nothing"
			}
			return m[1]
		}
		is := func(k *Kafka, when, want string) {
			t.Helper()
			if got := shown(k); got != want {
				t.Errorf("%s: %s, want %s", when, got, want)
			}
		}
		e := epochOf("", 1)
		e.Delta = shopLines()
		k, j := open(t, dir, &script{})
		commit := func(want error) {
			t.Helper()
			if err := k.Commit(t.Context(), e); !errors.Is(err, want) {
				t.Fatal(err)
			}
		}
		commit(nil)
		is(k, "new", "0")
		time.Sleep(2 * time.Minute)
		is(k, "later", "2")
		j.Close()

		k, j = open(t, dir, &script{})
		is(k, "after a restart", "2")
		commit(nil)
		is(k, "after the next commit", "4")
		j.Close()

		dir, lost := t.TempDir(), errors.New("connection lost")
		k, j = open(t, dir, &script{err: lost})
		commit(lost)
		j.Close()
		time.Sleep(2 * time.Minute)
		k, j = open(t, dir, &script{applied: true})
		is(k, "new by an intent", "0")
		j.Close()
		time.Sleep(2 * time.Minute)
		k, _ = open(t, dir, &script{})
		is(k, "later, after a restart", "2")
		commit(nil)
		is(k, "later, after the next commit", "4")
	})
}

// shopLines are two requests of a workload, for metrics.
func shopLines() *sinks.Delta {
	d, p := sinks.NewDelta(), parser.NewParser(sinks.Wanted)
	d.CountSeries()
	text := someLines[:strings.LastIndex(someLines, "[")]
	data := append([]byte(text), make([]byte, parser.Padding)...)[:len(text)]
	p.Reset(data)
	from := &sinks.Origin{Input: "access/0", Namespace: "shop", Pod: "cart-6d5f7c9b8-x2x7k", Block: data}
	for rec, ok := p.Next(); ok; rec, ok = p.Next() {
		d.Add(from, rec, classify.Default().Classify(rec))
	}
	d.EndBatch(from, int64(len(data)))
	return d
}

// TestJournalTooLarge demands that nothing is written that could not be read
// again, and that what was written before stays.
func TestJournalTooLarge(t *testing.T) {
	dir := t.TempDir()
	k, j := open(t, dir, &script{})
	if err := k.Commit(t.Context(), epochOf(someLines, 1)); err != nil {
		t.Fatal(err)
	}
	before := reportOf(t, k)
	j.most = 100
	if err := k.Commit(t.Context(), epochOf(someLines, 2)); err == nil || !strings.Contains(err.Error(), "more than the 100 ") {
		t.Error("a commit:", err)
	}
	if err := j.rewrite(j.counts); err == nil {
		t.Error("a new file was written")
	}
	j.Close()
	if k, _ = open(t, dir, &script{applied: true}); reportOf(t, k) != before {
		t.Error("the counts are others")
	}
}
