package main

import (
	"bytes"
	"fmt"
	"io"
	"os"
	"os/exec"
	"strings"
	"syscall"
	"testing"
	"time"
	"unsafe"
)

// openPTY returns both ends of a terminal of 100 columns and 30 rows.
func openPTY(t *testing.T) (ours, theirs *os.File) {
	t.Helper()
	ours, err := os.OpenFile("/dev/ptmx", os.O_RDWR|syscall.O_NOCTTY, 0)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { ours.Close() })
	var unlock, number int32
	size := [4]uint16{30, 100}
	ioctl(t, ours, syscall.TIOCSPTLCK, unsafe.Pointer(&unlock))
	ioctl(t, ours, syscall.TIOCGPTN, unsafe.Pointer(&number))
	theirs, err = os.OpenFile(fmt.Sprintf("/dev/pts/%d", number), os.O_RDWR|syscall.O_NOCTTY, 0)
	if err != nil {
		t.Fatal(err)
	}
	ioctl(t, theirs, syscall.TIOCSWINSZ, unsafe.Pointer(&size))
	return ours, theirs
}

func ioctl(t *testing.T, f *os.File, request uintptr, argument unsafe.Pointer) {
	t.Helper()
	c, err := f.SyscallConn()
	if err != nil {
		t.Fatal(err)
	}
	var errno syscall.Errno
	if err := c.Control(func(fd uintptr) { _, _, errno = syscall.Syscall(syscall.SYS_IOCTL, fd, request, uintptr(argument)) }); err != nil || errno != 0 {
		t.Fatal(err, errno)
	}
}

// drawing ends each drawing of a report that is not yet whole.
const drawing = "Ctrl-C ends with the whole report"

// onTerminal runs flagwatch with its output on a terminal and returns all that
// it wrote. drawn is called for each drawing.
func onTerminal(t *testing.T, in *os.File, drawn func(*os.Process, int), args ...string) string {
	t.Helper()
	ours, theirs := openPTY(t)
	cmd := exec.CommandContext(t.Context(), "flagwatch", args...)
	cmd.Stdin, cmd.Stdout, cmd.Stderr = in, theirs, theirs
	cmd.Env = append(os.Environ(), "TERM=xterm", "LANG=C.UTF-8")
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	theirs.Close()
	var out bytes.Buffer
	part, seen := make([]byte, 4096), 0
	for {
		n, err := ours.Read(part)
		if err != nil { // the other end is closed
			break
		}
		out.Write(part[:n])
		if count := bytes.Count(out.Bytes(), []byte(drawing)); count > seen {
			seen = count
			drawn(cmd.Process, seen)
		}
	}
	if err := cmd.Wait(); err != nil {
		t.Errorf("%q: %v", args, err)
	}
	return out.String()
}

// shownBy is what a terminal shows in the end.
func shownBy(t *testing.T, written string) string {
	term := newTerminal(t, 100, 30)
	io.WriteString(term, strings.ReplaceAll(written, "\r\n", "\n"))
	return term.text()
}

// While the pipe runs, the report is redrawn in place; Ctrl-C ends with the
// whole report, and nothing of the drawings is left.
func TestLiveOnATerminal(t *testing.T) {
	r, w, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	defer w.Close()
	began := time.Now()
	io.WriteString(w, sampleRecord)
	written := onTerminal(t, r, func(p *os.Process, count int) {
		if count < 3 {
			io.WriteString(w, sampleRecord)
		} else {
			p.Signal(os.Interrupt)
		}
	})
	if took := time.Since(began); took < 3*redrawEvery {
		t.Errorf("three drawings within %v", took)
	}
	shown := shownBy(t, written)
	if strings.Contains(shown, drawing) || strings.Count(shown, "  3 records") != 1 || !strings.Contains(shown, "flagwatch explain no-endpoints") {
		t.Errorf("the terminal shows in the end:\n%s", shown)
	}
	if strings.Contains(written, "\x1b[?1049h") || strings.Contains(written, "\x1b[2J") {
		t.Error("the screen was cleared or changed")
	}
}

// The demo is played, and leaves the report that the sample has.
func TestDemoOnATerminal(t *testing.T) {
	drawn, began := 0, time.Now()
	written := onTerminal(t, nil, func(_ *os.Process, count int) { drawn = count }, "demo", "--for", "2s")
	if took := time.Since(began); drawn < 1 || drawn > 1+int(took/redrawEvery) {
		t.Errorf("drawn %d times in %v", drawn, took)
	}
	if shown := shownBy(t, written); strings.Count(shown, "449 records") != 1 || !strings.Contains(shown, "1 ✖ upstream-refused") {
		t.Errorf("the terminal shows in the end:\n%s", shown)
	}
}
