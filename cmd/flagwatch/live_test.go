package main

import (
	"bufio"
	"bytes"
	"fmt"
	"io"
	"os"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/flagwatch/flagwatch/classify"
	"github.com/flagwatch/flagwatch/internal/ledger"
	"github.com/flagwatch/flagwatch/parser"
	"github.com/flagwatch/flagwatch/sinks"
)

// A terminal is what a terminal shows of what is written to it: all lines, of
// which the last height ones are the screen.
type terminal struct {
	t             *testing.T
	width, height int
	lines         [][]rune
	row, column   int // row from the first line on
	held          []byte
}

func newTerminal(t *testing.T, width, height int) *terminal {
	return &terminal{t: t, width: width, height: height, lines: [][]rune{nil}}
}

func (s *terminal) size() (int, int) { return s.width, s.height }

func (s *terminal) Write(p []byte) (int, error) {
	text := string(append(s.held, p...))
	s.held = nil
	for len(text) > 0 {
		rest, ok := strings.CutPrefix(text, "\x1b[")
		if !ok {
			r := []rune(text)[0]
			s.put(r)
			text = text[len(string(r)):]
			continue
		}
		end := strings.IndexFunc(rest, func(r rune) bool { return r >= '@' })
		if end < 0 {
			s.held = []byte(text)
			break
		}
		s.control(rest[end], rest[:end])
		text = rest[end+1:]
	}
	return len(p), nil
}

func (s *terminal) control(command byte, argument string) {
	switch command {
	case 'A':
		n := 1
		fmt.Sscan(argument, &n)
		s.row = max(s.row-n, len(s.lines)-s.height, 0) // the scroll-back can not be written to
	case 'J':
		s.lines[s.row] = s.lines[s.row][:min(s.column, len(s.lines[s.row]))]
		for i := s.row + 1; i < len(s.lines); i++ {
			s.lines[i] = nil
		}
	case 'K':
		s.lines[s.row] = s.lines[s.row][:min(s.column, len(s.lines[s.row]))]
	case 'm':
	default:
		s.t.Errorf("the terminal got CSI %s%c", argument, command)
	}
}

func (s *terminal) put(r rune) {
	switch r {
	case '\r':
		s.column = 0
		return
	case '\n':
		s.row++
		s.column = 0
	default:
		if s.column == s.width {
			s.row++
			s.column = 0
		}
	}
	for s.row >= len(s.lines) {
		s.lines = append(s.lines, nil)
	}
	if r == '\n' {
		return
	}
	line := s.lines[s.row]
	for len(line) <= s.column {
		line = append(line, ' ')
	}
	line[s.column] = r
	s.lines[s.row], s.column = line, s.column+1
}

// text is all that there is, from the first line of the scroll-back on.
func (s *terminal) text() string {
	var b strings.Builder
	for _, line := range s.lines {
		b.WriteString(strings.TrimRight(string(line), " ") + "\n")
	}
	return strings.TrimRight(b.String(), "\n") + "\n"
}

// However often something is drawn, what was above stays, and at the end
// nothing of it is left.
func TestScreenKeepsTheScrollBack(t *testing.T) {
	term := newTerminal(t, 60, 12)
	fmt.Fprint(term, "$ kubectl logs | flagwatch\n")
	s := &screen{out: term, size: term.size}
	for i := range 40 {
		s.draw([]byte(strings.Repeat(fmt.Sprintf("line of drawing %d\n", i), i)))
		if got := strings.Count(term.text(), fmt.Sprintf("drawing %d\n", i)); got != min(i, term.height-1) {
			t.Fatalf("drawing %d: %d lines", i, got)
		}
	}
	s.draw([]byte("short\n"))
	if got, want := term.text(), "$ kubectl logs | flagwatch\nshort\n"; got != want {
		t.Errorf("got %q, want %q", got, want)
	}
	s.erase()
	fmt.Fprint(term, "the report\n")
	if got, want := term.text(), "$ kubectl logs | flagwatch\nthe report\n"; got != want {
		t.Errorf("got %q, want %q", got, want)
	}
}

// A terminal that is too small gets nothing but the report at the end.
func TestScreenTooSmall(t *testing.T) {
	for _, size := range [][2]int{{0, 0}, {30, 40}, {100, 5}} {
		term := newTerminal(t, max(size[0], 1), max(size[1], 1))
		s := &screen{out: term, size: func() (int, int) { return size[0], size[1] }}
		s.draw([]byte("a\nb\n"))
		s.draw([]byte("a\nb\n"))
		s.erase()
		if got := term.text(); got != "\n" {
			t.Errorf("%v: %q", size, got)
		}
	}
}

// When the window became narrower, the terminal wrapped what was drawn: all of
// it is replaced.
func TestScreenBecomesNarrower(t *testing.T) {
	var out bytes.Buffer
	width := 100
	s := &screen{out: &out, size: func() (int, int) { return width, 30 }}
	s.draw([]byte(strings.Repeat("x", 90) + "\n\x1b[31m" + strings.Repeat("y", 10) + "\x1b[0m\n"))
	out.Reset()
	width = 45
	s.draw(nil)
	if got, want := out.String(), "\r\x1b[3A\x1b[J"; got != want {
		t.Errorf("got %q, want %q", got, want)
	}
}

func commitOne(t *testing.T, led ledger.Ledger) {
	t.Helper()
	d := sinks.NewDelta()
	d.Add(&sinks.Origin{Input: "a"}, &parser.Record{Kind: parser.Noise, Size: 10, Lines: 1}, classify.Verdict{})
	if err := led.Commit(t.Context(), ledger.Epoch{Delta: d}); err != nil {
		t.Fatal(err)
	}
}

// At most four reports a second, none without news, and none after the end.
func TestWatcherPaces(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		shown := 0
		w := watcher{redrawEvery, func(*sinks.Report) { shown++ }}
		led, stop := w.start(ledger.NewMemory(), func(s *sinks.Snapshot) *sinks.Report { return s.Report() })
		for range 100 {
			commitOne(t, led)
			time.Sleep(10 * time.Millisecond)
		}
		synctest.Wait()
		if shown != 4 {
			t.Errorf("%d reports in a second", shown)
		}
		time.Sleep(time.Hour)
		if shown > 5 {
			t.Errorf("%d reports without news", shown-5)
		}
		before := shown
		commitOne(t, led)
		stop()
		if shown > before+1 {
			t.Errorf("%d reports after the end", shown-before)
		}
	})
}

// Drawing that is slow is done less often: it takes at most 2 % of the time.
func TestWatcherIsCheap(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		const cost = 30 * time.Millisecond
		drawing := time.Duration(0)
		w := watcher{redrawEvery, func(*sinks.Report) { time.Sleep(cost); drawing += cost }}
		led, stop := w.start(ledger.NewMemory(), func(s *sinks.Snapshot) *sinks.Report { return s.Report() })
		for range 6000 {
			commitOne(t, led)
			time.Sleep(10 * time.Millisecond)
		}
		stop()
		if part := float64(drawing) / float64(time.Minute); drawing < 10*cost || part > 0.021 {
			t.Errorf("drawing took %v of a minute", drawing)
		}
	})
}

// --every reports again and again into a pipe; the last one is the whole.
func TestEveryIntoAPipe(t *testing.T) {
	r, w, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	var errs bytes.Buffer
	reports, out := io.Pipe()
	code := make(chan int, 1)
	go func() {
		code <- run(t.Context(), []string{"--every", "20ms", "-o", "jsonl"}, streams{r, out, &errs, noEnv})
		out.Close()
	}()
	heads, last := 0, ""
	w.WriteString(sampleRecord)
	for lines := bufio.NewScanner(reports); lines.Scan(); {
		if !strings.Contains(lines.Text(), `"kind":"Report"`) {
			continue
		}
		switch heads, last = heads+1, lines.Text(); heads {
		case 1, 2: // the next report comes when there is news
			w.WriteString(sampleRecord)
		case 3:
			w.Close()
		}
	}
	if c := <-code; c != 0 || heads < 3 || !strings.Contains(last, `"records":3,`) {
		t.Errorf("exit code %d, %d reports, the last one %s\n%s", c, heads, last, errs.String())
	}
}

const sampleRecord = `[2026-03-17T10:09:12.480Z] "GET /a HTTP/1.1" 503 UH 0 19 0 - "-" "curl/8" "2f1b8a52-0000-4000-8000-0000000000ff" "shop" "-"` + "\n"

func TestEveryIsChecked(t *testing.T) {
	for _, args := range [][]string{{"--every", "-1s", "a"}, {"--every", "1s", "-o", "html", "a"}, {"--every", "soon"}, {"--redact", "--no-redact"}} {
		var errs bytes.Buffer
		if code := run(t.Context(), args, streams{openNull(t), &errs, &errs, noEnv}); code != exitUsage {
			t.Errorf("%q: exit code %d: %s", args, code, errs.String())
		}
	}
}
