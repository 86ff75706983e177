package main

import (
	"fmt"
	"io"
	"os"
	"strings"
	"time"

	"github.com/flagwatch/flagwatch/internal/source"
)

// A meter shows on a terminal how far reading is, four times a second.
type meter struct {
	w      io.Writer
	inputs func() []source.Input
	part   func() (read, size int64)
	begun  time.Time
	shown  bool
	stop   chan struct{}
	done   chan struct{}
}

const (
	meterTick  = 250 * time.Millisecond
	meterAfter = time.Second // what is read sooner shows nothing
	eraseLine  = "\r\x1b[K"
)

// watch shows progress of inputs, if that is asked for, until the function that
// it returns is called. part says how much there is to read, and was.
func (o *reading) watch(std streams, inputs func() []source.Input, part func() (read, size int64), writes bool) (stop func()) {
	if !o.wantsProgress(std, writes) {
		return func() {}
	}
	m := &meter{w: std.err, inputs: inputs, part: part, begun: time.Now(), stop: make(chan struct{}), done: make(chan struct{})}
	if o.progress.value == "always" {
		m.show(m.begun)
	}
	go m.run()
	return func() {
		close(m.stop)
		<-m.done
	}
}

// wantsProgress says no when standard error is no terminal, or records are
// written to the same one.
func (o *reading) wantsProgress(std streams, writes bool) bool {
	switch {
	case o.noProgress || o.progress == nil || o.progress.value == "never":
		return false
	case o.progress.value == "always":
		return true
	case !isTerminalWriter(std.err) || writes && isTerminalWriter(std.out):
		return false
	}
	return std.env("TERM") != "dumb"
}

func isTerminalWriter(w io.Writer) bool {
	f, ok := w.(*os.File)
	return ok && isTerminal(f)
}

func (m *meter) run() {
	defer close(m.done)
	tick := time.NewTicker(meterTick)
	defer tick.Stop()
	for {
		select {
		case now := <-tick.C:
			if now.Sub(m.begun) >= meterAfter {
				m.show(now)
			}
		case <-m.stop:
			if m.shown {
				io.WriteString(m.w, eraseLine)
			}
			return
		}
	}
}

func (m *meter) show(now time.Time) {
	m.shown = true
	io.WriteString(m.w, eraseLine+progressLine(m.inputs(), m.part, now.Sub(m.begun)))
}

// progressLine is one line of at most 79 columns.
func progressLine(inputs []source.Input, progress func() (read, size int64), took time.Duration) string {
	done, decoded := 0, int64(0)
	for _, in := range inputs {
		if decoded += in.Bytes; in.Done {
			done++
		}
	}
	read, size := progress()
	line := fmt.Sprintf("reading %d/%d", min(done+1, len(inputs)), len(inputs))
	if size > 0 {
		line += fmt.Sprintf("  %d%%", min(100, read*100/size))
	}
	seconds := max(took.Seconds(), 1e-3)
	line += fmt.Sprintf("  %s  %s/s", amount(float64(decoded)), amount(float64(decoded)/seconds))
	if size > read && read > 0 {
		left := time.Duration(float64(took) * float64(size-read) / float64(read))
		line += fmt.Sprintf("  ETA %d:%02d", int(left.Minutes()), int(left.Seconds())%60)
	}
	return line
}

// amount is a number of bytes for people.
func amount(n float64) string {
	units := []string{"B", "kB", "MB", "GB", "TB", "PB"}
	i := 0
	for ; n >= 1000 && i < len(units)-1; i++ {
		n /= 1000
	}
	return strings.TrimSuffix(fmt.Sprintf("%.1f", n), ".0") + " " + units[i]
}
