//go:build e2e

package e2e

import (
	"bufio"
	"compress/gzip"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"
	"time"
)

// rotateAt is the size from which on a log is rotated: small, so that it
// happens often.
const rotateAt = 256 << 10

// A podLog is a container's log as the kubelet and the container runtime keep
// it: lines in CRI's format; a full file is renamed, the one before is packed.
// Source: https://kubernetes.io/docs/concepts/cluster-administration/logging/
type podLog struct {
	t       *testing.T
	dir     string
	file    *os.File
	size    int
	rotated []string
	lines   atomic.Int64
}

// newPodLog makes the directory of a container of a pod below a root.
func newPodLog(t *testing.T, root, namespace, pod, container string) *podLog {
	t.Helper()
	l := &podLog{t: t, dir: filepath.Join(root, namespace+"_"+pod+"_6a6b0a0e-64a6-4e3c-9d2c-0a3f1f6f5f11", container)}
	if err := os.MkdirAll(l.dir, 0o755); err != nil {
		t.Fatal(err)
	}
	l.open()
	t.Cleanup(func() { l.file.Close() })
	return l
}

func (l *podLog) open() {
	f, err := os.OpenFile(filepath.Join(l.dir, "0.log"), os.O_CREATE|os.O_APPEND|os.O_WRONLY, 0o640)
	if err != nil {
		l.t.Error(err)
		return
	}
	l.file, l.size = f, 0
}

// write adds a line, which ends with \n.
func (l *podLog) write(stream, line string) {
	if l.size > rotateAt {
		l.rotate()
	}
	n, err := fmt.Fprintf(l.file, "%s %s F %s", time.Now().UTC().Format(time.RFC3339Nano), stream, line)
	if err != nil {
		l.t.Error(err)
	}
	l.size += n
	l.lines.Add(1)
}

func (l *podLog) rotate() {
	l.file.Close()
	name := filepath.Join(l.dir, "0.log."+time.Date(2026, 1, 1, 0, 0, len(l.rotated), 0, time.UTC).Format("20060102-150405"))
	if err := os.Rename(l.file.Name(), name); err != nil {
		l.t.Error(err)
	}
	if n := len(l.rotated); n > 0 {
		l.pack(l.rotated[n-1])
	}
	l.rotated = append(l.rotated, name)
	l.open()
}

func (l *podLog) pack(name string) {
	if err := packFile(name, name+".tmp"); err != nil {
		l.t.Error(err)
	}
	if err := os.Rename(name+".tmp", name+".gz"); err != nil {
		l.t.Error(err)
	}
	if err := os.Remove(name); err != nil {
		l.t.Error(err)
	}
}

// packFile writes a gzip file beside a file.
func packFile(from, to string) error {
	data, err := os.ReadFile(from)
	if err != nil {
		return err
	}
	f, err := os.Create(to)
	if err != nil {
		return err
	}
	defer f.Close()
	z := gzip.NewWriter(f)
	if _, err := z.Write(data); err != nil {
		return err
	}
	return z.Close()
}

// copyLines copies what a proxy writes, until done is closed and the file has
// no more.
func (l *podLog) copyLines(path string, done <-chan struct{}) {
	var f *os.File
	defer func() { f.Close() }()
	if !poll(20*time.Second, func() (ok bool) { f, _ = os.Open(path); return f != nil }) {
		l.t.Errorf("no %s", path)
		return
	}
	in, part := bufio.NewReader(f), ""
	for {
		text, err := in.ReadString('\n')
		part += text
		if err == nil {
			l.write("stdout", part)
			part = ""
			continue
		}
		if err != io.EOF {
			l.t.Error(err)
			return
		}
		select {
		case <-done:
			if text == "" {
				return
			}
		case <-time.After(10 * time.Millisecond):
		}
	}
}

// writeText adds the lines of a text.
func (l *podLog) writeText(stream, text string) {
	for line := range strings.Lines(text) {
		l.write(stream, strings.TrimSuffix(line, "\n")+"\n")
	}
}
