package source

import (
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"
)

// stamped is a log whose lines begin with their seconds since 1970.
func stamped(from, to int, lag func(int) int) string {
	var s strings.Builder
	for i := from; i < to; i++ {
		at := i
		if lag != nil {
			at -= lag(i)
		}
		fmt.Fprintf(&s, "%010d %s\n", at, strings.Repeat("x", 50+i%40))
	}
	return s.String()
}

func stampOf(lines []byte) (int64, bool) {
	if len(lines) < 10 {
		return 0, false
	}
	n, err := strconv.ParseInt(string(lines[:10]), 10, 64)
	return n * 1e9, err == nil
}

// seconds lists the stamps in what was read.
func secondsIn(data string) map[int]bool {
	list := map[int]bool{}
	for line := range strings.Lines(data) {
		n, _ := strconv.Atoi(line[:10])
		list[n] = true
	}
	return list
}

// TestWindowSearch demands that a search leaves out most of what is not in
// the window and nothing of what is, late records included.
func TestWindowSearch(t *testing.T) {
	const first, last = 1_000_000, 1_200_000
	late := func(i int) int { // Envoy's portions: some records come late, never by more than the slack
		if i%7 == 0 {
			return int(Slack/time.Second) - 1
		}
		return 0
	}
	text := stamped(first, last, late)
	path := filepath.Join(t.TempDir(), "a.log")
	if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
	for _, row := range []struct{ since, until int }{{1_100_000, 0}, {0, 1_050_000}, {1_150_000, 1_150_600}, {first - 9999, last + 9999}, {last + 5000, 0}, {0, first - 5000}, {first + 10, last - 10}} {
		opt := Options{Lines: true, TimeOf: stampOf, Since: int64(row.since) * 1e9, Until: int64(row.until) * 1e9}
		r := newReader(t, opt, path)
		var b Batch
		var data strings.Builder
		begin, next := int64(-1), int64(0)
		for {
			err := r.Next(t.Context(), &b)
			if err == io.EOF {
				break
			}
			if err != nil {
				t.Fatal(err)
			}
			if begin < 0 {
				begin, next = b.From.Offset, b.From.Offset
				if want := int64(strings.Count(text[:begin], "\n")); b.From.Line != want {
					t.Errorf("%v: line %d, want %d", row, b.From.Line, want)
				}
			}
			if b.From.Offset != next {
				t.Fatalf("%v: a batch at %d, want %d", row, b.From.Offset, next)
			}
			next = b.To.Offset
			data.Write(b.Data)
		}
		got := data.String()
		if begin >= 0 && !strings.HasPrefix(text[begin:], got) {
			t.Errorf("%v: not a part of the file", row)
		}
		seen := secondsIn(got)
		for n := range secondsIn(text) {
			if n >= row.since && (row.until == 0 || n <= row.until) && !seen[n] {
				t.Fatalf("%v: %d is missing", row, n)
			}
		}
		in := r.Inputs()[0]
		if in.Bytes+in.Skipped != int64(len(text)) || in.Bytes != int64(len(got)) {
			t.Errorf("%v: %+v of %d", row, in, len(text))
		}
		if row.until == 1_150_600 && in.Bytes > int64(len(text))/3 {
			t.Errorf("%v: read %d of %d bytes", row, in.Bytes, len(text))
		}
	}
}

// A file that is not in order, or tells no times, is read as a whole.
func TestWindowUnordered(t *testing.T) {
	text := stamped(2_000_000, 2_040_000, nil)
	for name, text := range map[string]string{
		"two files in one": text + text,
		"no times":         strings.Repeat("a line without a time\n", 300_000),
		"one line":         strings.Repeat("x", 5<<20),
	} {
		path := filepath.Join(t.TempDir(), "a.log")
		if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
		r := newReader(t, Options{TimeOf: stampOf, Since: 2_039_000e9}, path)
		drain(t, r)
		if in := r.Inputs()[0]; in.Skipped != 0 || in.Bytes != int64(len(text)) {
			t.Errorf("%s: %+v of %d", name, in, len(text))
		}
	}
}

// The last lines of any kind of input are the same.
func TestTail(t *testing.T) {
	for name, text := range map[string]string{"whole lines": lines(0, 40000), "no line end": lines(0, 40000) + "half", "short": lines(0, 2), "blank": "\n\n\n\n"} {
		all := strings.SplitAfter(text, "\n")
		if all[len(all)-1] == "" {
			all = all[:len(all)-1]
		}
		for _, n := range []int{1, 2, 3, 1000, 20000, 100000} {
			skipped := max(0, len(all)-n)
			want := strings.Join(all[skipped:], "")
			for form, data := range map[string]string{"plain": text, "gzip": pack(t, "gzip", text), "tar": packTar(t, packedFile{"a.log", text})} {
				path := filepath.Join(t.TempDir(), "x")
				if err := os.WriteFile(path, []byte(data), 0o644); err != nil {
					t.Fatal(err)
				}
				checkTail(t, fmt.Sprint(name, " ", n, " ", form), newReader(t, Options{Tail: n, Lines: true}, path), want, Position{int64(len(text) - len(want)), int64(skipped)})
			}
			r, w := piped(Options{Tail: n, Lines: true})
			go func() {
				io.WriteString(w, text)
				w.Close()
			}()
			checkTail(t, fmt.Sprint(name, " ", n, " pipe"), r, want, Position{int64(len(text) - len(want)), int64(skipped)})
		}
	}
}

func checkTail(t *testing.T, name string, r *Reader, want string, from Position) {
	t.Helper()
	var b Batch
	var data strings.Builder
	for first := true; ; first = false {
		err := r.Next(t.Context(), &b)
		if err == io.EOF {
			break
		}
		if err != nil {
			t.Fatal(err)
		}
		if first && b.From != from {
			t.Errorf("%s: begins at %v, want %v", name, b.From, from)
		}
		data.Write(b.Data)
	}
	if data.String() != want {
		t.Errorf("%s: %d bytes, want %d", name, data.Len(), len(want))
	}
	if in := r.Inputs()[0]; in.Skipped != from.Offset {
		t.Errorf("%s: %d bytes were left out, want %d", name, in.Skipped, from.Offset)
	}
}
