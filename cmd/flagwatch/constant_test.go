package main

import (
	"archive/tar"
	"bytes"
	"compress/gzip"
	"encoding/json"
	"flag"
	"io"
	"os"
	"runtime"
	"slices"
	"testing"

	"github.com/flagwatch/flagwatch/bench/gen"
	"github.com/flagwatch/flagwatch/sinks"
)

var logSize = flag.String("size", "96M", "bytes of log that TestConstantMemory reads in each packing; make soak reads 20G")

// How much memory may be alive while a log of any size is read, and how much
// more at its end than when half of it was read.
const (
	mostAlive  = 48 << 20
	mostGrowth = 8 << 20
)

// A log of any size is counted to its last record in constant memory, plain or
// packed. It is made as it is read: nothing of it is on disk.
func TestConstantMemory(t *testing.T) {
	size, err := gen.ParseSize(*logSize)
	if err != nil {
		t.Fatal(err)
	}
	for name, pack := range map[string]func(io.Writer) io.WriteCloser{
		"plain": func(w io.Writer) io.WriteCloser { return nopCloser{w} },
		"gzip":  func(w io.Writer) io.WriteCloser { return fastGzip(w) },
		"tar.gz": func(w io.Writer) io.WriteCloser {
			z := fastGzip(w)
			return &tarredLog{tar: tar.NewWriter(z), z: z}
		},
	} {
		t.Run(name, func(t *testing.T) { readConstantly(t, size, pack) })
	}
}

func readConstantly(t *testing.T, size int64, pack func(io.Writer) io.WriteCloser) {
	r, w, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	g, err := gen.New(gen.Config{Dialect: "istio-text", Fail: 0.06, Seed: 3})
	if err != nil {
		t.Fatal(err)
	}
	const parts = 8
	alive := make([]uint64, 0, parts)
	written := make(chan error, 1)
	go func() {
		defer w.Close()
		out := pack(w)
		for range parts {
			if _, err := g.Write(out, size/parts); err != nil {
				written <- err
				return
			}
			alive = append(alive, heapAlive())
		}
		written <- out.Close()
	}()
	var out, told bytes.Buffer
	if code := run(t.Context(), []string{"-o", "json", "--no-progress"}, streams{in: r, out: &out, err: &told, env: func(string) string { return "" }}); code != 0 {
		t.Fatalf("exit code %d: %s", code, told.String())
	}
	if err := <-written; err != nil {
		t.Fatal(err)
	}
	var report sinks.Report
	if err := json.Unmarshal(out.Bytes(), &report); err != nil {
		t.Fatal(err)
	}
	if want, got := g.Counts(), report.Totals; got.Access != uint64(want.Access) || got.Failed != uint64(want.Failed) || got.Records != uint64(want.Records) {
		t.Errorf("counted %+v, want %+v", got, want)
	}
	if most, half := slices.Max(alive), alive[parts/2-1]; most > mostAlive || alive[parts-1] > half+mostGrowth {
		t.Errorf("bytes alive: %d", alive)
	}
	t.Logf("%d bytes of log, bytes alive: %d", size, alive)
}

// heapAlive is what the collector can not free.
func heapAlive() uint64 {
	var m runtime.MemStats
	runtime.GC()
	runtime.ReadMemStats(&m)
	return m.HeapAlloc
}

type nopCloser struct{ io.Writer }

func (nopCloser) Close() error { return nil }

func fastGzip(w io.Writer) io.WriteCloser {
	z, _ := gzip.NewWriterLevel(w, gzip.BestSpeed) // the level is valid
	return z
}

// memberSize is how large a log in the archive is.
const memberSize = 4 << 20

// A tarredLog is an archive of logs.
type tarredLog struct {
	tar  *tar.Writer
	z    io.Closer
	held []byte
}

func (l *tarredLog) Write(p []byte) (int, error) {
	l.held = append(l.held, p...)
	if len(l.held) < memberSize {
		return len(p), nil
	}
	return len(p), l.member()
}

func (l *tarredLog) member() error {
	err := l.tar.WriteHeader(&tar.Header{Name: "istio-proxy.log", Mode: 0o600, Size: int64(len(l.held))})
	if err == nil {
		_, err = l.tar.Write(l.held)
	}
	l.held = l.held[:0]
	return err
}

func (l *tarredLog) Close() error {
	if err := l.member(); err != nil {
		return err
	}
	if err := l.tar.Close(); err != nil {
		return err
	}
	return l.z.Close()
}
