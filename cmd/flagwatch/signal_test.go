//go:build unix

package main

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"
)

const sampleLine = `[2026-03-17T10:09:12.480Z] "GET /a HTTP/1.1" 503 UH 0 19 0 - "-" "curl/8" "2f1b8a52-0000-4000-8000-0000000000ff" "shop" "-"` + "\n"

// A process is a flagwatch that waits for more on its standard input.
type process struct {
	*exec.Cmd
	in   io.WriteCloser
	out  *bufio.Reader
	errs bytes.Buffer
}

func start(t *testing.T, args ...string) *process {
	t.Helper()
	p := &process{Cmd: exec.CommandContext(t.Context(), "flagwatch", args...)}
	in, err := p.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	out, err := p.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	p.in, p.out, p.Stderr = in, bufio.NewReader(out), &p.errs
	if err := p.Start(); err != nil {
		t.Fatal(err)
	}
	return p
}

// feed gives a line and waits for the record, so that the process is known to
// read.
func (p *process) feed(t *testing.T) {
	t.Helper()
	if _, err := io.WriteString(p.in, sampleLine); err != nil {
		t.Fatal(err)
	}
	if line, err := p.out.ReadString('\n'); err != nil || !strings.Contains(line, `"UH"`) {
		t.Fatalf("%q, %v", line, err)
	}
}

func (p *process) signal(t *testing.T, s os.Signal) {
	t.Helper()
	if err := p.Process.Signal(s); err != nil {
		t.Fatal(err)
	}
}

// status waits for the end and returns the exit code, or 128 and the signal as
// a shell says it.
func (p *process) status(t *testing.T) int {
	t.Helper()
	err := p.Wait()
	e, ok := errors.AsType[*exec.ExitError](err)
	switch {
	case err == nil:
		return 0
	case !ok:
		t.Fatal(err)
	}
	if w := e.Sys().(syscall.WaitStatus); w.Signaled() {
		return 128 + int(w.Signal())
	}
	return e.ExitCode()
}

func TestInterruptWhileReadingAPipe(t *testing.T) {
	p := start(t, "parse", "-v")
	p.feed(t)
	p.signal(t, os.Interrupt)
	if code := p.status(t); code != 0 || !strings.Contains(p.errs.String(), "1 record = 1 access") {
		t.Errorf("exit code %d, %s", code, p.errs.String())
	}
}

func TestInterruptPrintsTheReport(t *testing.T) {
	r, w, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	defer w.Close()
	defer r.Close()
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	var out, errs bytes.Buffer
	code := run(ctx, []string{"-o", "json"}, streams{r, &out, &errs, noEnv})
	if code != 0 || !strings.Contains(out.String(), `"kind": "Report"`) || errs.Len() > 0 {
		t.Errorf("exit code %d\n%s\n%s", code, out.String(), errs.String())
	}
}

// A second interrupt ends a process that can not end by itself: nobody reads
// what it prints.
func TestSecondInterrupt(t *testing.T) {
	log := filepath.Join(t.TempDir(), "a.log")
	writeFile(t, log, bytes.Repeat([]byte(sampleLine), 20_000))
	p := start(t, "parse", log)
	if _, err := p.out.ReadString('\n'); err != nil {
		t.Fatal(err)
	}
	p.signal(t, os.Interrupt)
	ended := make(chan int, 1)
	go func() { ended <- p.status(t) }()
	for {
		select {
		case code := <-ended:
			if code != exitInterrupt {
				t.Errorf("exit code %d, %s", code, p.errs.String())
			}
			return
		case <-time.After(50 * time.Millisecond):
			p.Process.Signal(os.Interrupt)
		}
	}
}

func TestTerminate(t *testing.T) {
	p := start(t, "parse")
	p.feed(t)
	p.signal(t, syscall.SIGTERM)
	if code := p.status(t); code != 143 {
		t.Errorf("exit code %d, %s", code, p.errs.String())
	}
}

func TestBrokenPipe(t *testing.T) {
	r, w, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	cmd := exec.CommandContext(t.Context(), "flagwatch", "list", "flags")
	var errs bytes.Buffer
	cmd.Stdout, cmd.Stderr = w, &errs
	r.Close()
	p := &process{Cmd: cmd}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	w.Close()
	if code := p.status(t); code != 141 || errs.Len() > 0 {
		t.Errorf("exit code %d, %s", code, errs.String())
	}
}
