package main

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"os"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/mattn/go-runewidth"
	"golang.org/x/term"

	"github.com/flagwatch/flagwatch/internal/ledger"
	"github.com/flagwatch/flagwatch/sinks"
)

const (
	redrawEvery  = 250 * time.Millisecond
	drawingShare = 50 // drawing takes at most one part in so many of the time
	leastWidth   = 40 // columns that a text needs so as not to be wrapped
	leastHeight  = 10
)

// A watcher shows what is committed while a run goes on, at most every so
// often, and never so often that drawing costs much. The zero value shows
// nothing.
type watcher struct {
	every time.Duration
	show  func(*sinks.Report)
}

// epoch is the time between commits that suits the watcher; 0: any.
func (w *watcher) epoch() time.Duration {
	if w.show == nil {
		return 0
	}
	return min(w.every, time.Second)
}

// start watches a ledger until the function that it returns is called; after
// that nothing is shown any more. The run must commit to the Ledger that start
// returns.
func (w *watcher) start(mem *ledger.Memory, report func(*sinks.Snapshot) *sinks.Report) (ledger.Ledger, func()) {
	if w.show == nil {
		return mem, func() {}
	}
	led := &newsLedger{mem, make(chan struct{}, 1)}
	done := make(chan struct{})
	var watching sync.WaitGroup
	watching.Go(func() {
		pause := time.NewTimer(w.every)
		defer pause.Stop()
		for wait(pause.C, done) && wait(led.news, done) {
			began := time.Now()
			var r *sinks.Report
			mem.View(func(s *sinks.Snapshot) { r = report(s) })
			w.show(r)
			pause.Reset(max(w.every, drawingShare*time.Since(began)))
		}
	})
	return led, func() {
		close(done)
		watching.Wait()
	}
}

// wait is false when done comes first.
func wait[T any](c <-chan T, done <-chan struct{}) bool {
	select {
	case <-done:
		return false
	case <-c:
		return true
	}
}

// A newsLedger tells that something was committed.
type newsLedger struct {
	*ledger.Memory
	news chan struct{}
}

func (l *newsLedger) Commit(ctx context.Context, e ledger.Epoch) error {
	err := l.Memory.Commit(ctx, e)
	select {
	case l.news <- struct{}{}:
	default:
	}
	return err
}

// A screen draws a text again and again in the same place: the last lines of a
// terminal's normal screen. What was above stays in the scroll-back.
type screen struct {
	out    io.Writer
	size   func() (width, height int)
	widths []int // of the lines that were drawn
}

// draw replaces what was drawn. Lines that are too wide are cut, and those
// that find no room are left out.
func (s *screen) draw(text []byte) {
	width, height := s.size()
	var b bytes.Buffer
	s.back(&b, width)
	s.widths = s.widths[:0]
	if width < leastWidth || height < leastHeight {
		b.WriteString("\x1b[J")
		s.out.Write(b.Bytes()) // a terminal that is gone ends the program with the next write
		return
	}
	for line := range strings.Lines(string(text)) {
		if len(s.widths) == height-1 {
			break
		}
		line = strings.TrimSuffix(line, "\n")
		b.WriteString(line + "\x1b[K\r\n")
		s.widths = append(s.widths, visibleWidth(line))
	}
	b.WriteString("\x1b[J")
	s.out.Write(b.Bytes())
}

// erase takes away what was drawn.
func (s *screen) erase() {
	if len(s.widths) == 0 {
		return
	}
	var b bytes.Buffer
	width, _ := s.size()
	s.back(&b, width)
	b.WriteString("\x1b[J")
	s.widths = nil
	s.out.Write(b.Bytes())
}

// back goes to the begin of what was drawn. A terminal that has become
// narrower since has wrapped it.
func (s *screen) back(b *bytes.Buffer, width int) {
	rows := 0
	for _, w := range s.widths {
		rows += max(1, (w+width-1)/max(width, 1))
	}
	b.WriteByte('\r')
	if rows > 0 {
		fmt.Fprintf(b, "\x1b[%dA", rows)
	}
}

// visibleWidth is how many columns a line takes, without its colours.
func visibleWidth(line string) int {
	chars := runewidth.Condition{}
	width := 0
	for {
		before, rest, found := strings.Cut(line, "\x1b[")
		width += chars.StringWidth(before)
		if !found {
			return width
		}
		_, line, _ = strings.Cut(rest, "m")
	}
}

// terminalSize is what the terminal says, or else COLUMNS and LINES.
func terminalSize(std streams) func() (width, height int) {
	return func() (int, int) {
		if f, ok := std.out.(*os.File); ok {
			if w, h, err := term.GetSize(int(f.Fd())); err == nil && w > 0 && h > 0 {
				return w, h
			}
		}
		w, _ := strconv.Atoi(std.env("COLUMNS"))
		h, _ := strconv.Atoi(std.env("LINES"))
		return w, h
	}
}

// drawsOn says whether the output is a terminal that can be drawn on.
func drawsOn(std streams) bool {
	f, ok := std.out.(*os.File)
	return ok && isTerminal(f) && std.env("TERM") != "dumb"
}
