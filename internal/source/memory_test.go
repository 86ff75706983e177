package source

import (
	"bytes"
	"context"
	"errors"
	"io"
	"path/filepath"
	"strings"
	"testing"
	"testing/synctest"

	"github.com/klauspost/compress/zstd"

	"github.com/flagwatch/flagwatch/parser"
)

// TestPool demands that jobs wait for memory, that one which has some never
// does, and that waiting ends with the context.
func TestPool(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var p pool
		ctx, cancel := context.WithCancel(t.Context())
		a, b := &share{pool: &p, limit: 1 << 30, ctx: ctx}, &share{pool: &p, limit: 1 << 30, ctx: ctx}
		wa, wb := window{share: a}, window{share: b}
		if err := wa.grow(windowPool); err != nil {
			t.Fatal(err)
		}
		if err := wa.grow(2 * windowPool); err != nil { // deeper in an archive
			t.Fatal(err)
		}
		got := make(chan error, 1)
		go func() { got <- wb.grow(smallWindow + 1) }()
		synctest.Wait()
		if len(got) > 0 {
			t.Fatal("nothing was left, and nobody waited")
		}
		a.give()
		if err := <-got; err != nil || b.taken != smallWindow+1 || p.taken != b.taken {
			t.Fatalf("%v, %d taken", err, p.taken)
		}
		wa = window{share: a}
		go func() { got <- wa.grow(windowPool) }()
		synctest.Wait()
		cancel()
		if err := <-got; err != context.Canceled || a.taken != 0 {
			t.Errorf("%v, %d taken", err, a.taken)
		}
	})
}

// TestWindowGrows demands that a decoder takes what it has not taken, nothing
// for a small window, and no more than it may have.
func TestWindowGrows(t *testing.T) {
	var p pool
	w := window{share: &share{pool: &p, limit: 8 << 20, ctx: t.Context()}}
	for _, row := range []struct{ size, taken int64 }{{0, 0}, {smallWindow, 0}, {2 << 20, 2 << 20}, {1 << 20, 2 << 20}, {8 << 20, 8 << 20}} {
		if err := w.grow(row.size); err != nil || p.taken != row.taken {
			t.Errorf("a window of %d: %d taken, want %d, %v", row.size, p.taken, row.taken, err)
		}
	}
	var large *windowError
	if err := w.grow(8<<20 + 1); !errors.As(err, &large) || p.taken != 8<<20 {
		t.Errorf("%v, %d taken", err, p.taken)
	}
}

// TestLargeWindowsTakeTurns reads more files with large windows at once than
// there is memory for, an archive of such ones among them.
func TestLargeWindowsTakeTurns(t *testing.T) {
	text := lines(0, 200_000)
	pack := func(text string) string {
		var out bytes.Buffer
		w, err := zstd.NewWriter(&out, zstd.WithWindowSize(8<<20))
		if err != nil {
			t.Fatal(err)
		}
		io.WriteString(w, text)
		w.Close()
		return out.String()
	}
	files, want := map[string]string{}, map[string]string{}
	for _, name := range []string{"a", "b", "c", "d", "e"} {
		files[name+".log.zst"], want[name+".log.zst"] = pack(name+text), name+text
	}
	files["twice.log.zst"], want["twice.log.zst"] = pack(pack(text)), text
	root := tree(t, files)
	r := newReader(t, Options{Parallel: 4}, root)
	list, err := drain(t, r)
	if err != io.EOF || len(list) != len(want) {
		t.Fatalf("%d logs, %v", len(list), err)
	}
	for _, g := range list {
		if g.data != want[filepath.Base(g.name)] {
			t.Errorf("%s: %d bytes", g.name, len(g.data))
		}
	}
	if r.pool.taken != 0 {
		t.Errorf("%d bytes are still taken", r.pool.taken)
	}
}

// TestSmallFileIsOneBatch demands that the end of a file is not waited for: what
// could go on is handed out with the rest.
func TestSmallFileIsOneBatch(t *testing.T) {
	text := lines(0, 10) + "{\n  \"open\": 1\n"
	root := tree(t, map[string]string{"a.log": text, "b.log": text, "c.log": text})
	list, err := drain(t, newReader(t, Options{}, root))
	if err != io.EOF || len(list) != 3 {
		t.Fatalf("%d logs, %v", len(list), err)
	}
	for _, g := range list {
		if g.batches != 1 || g.data != text {
			t.Errorf("%s: %d batches, %q", g.name, g.batches, g.data)
		}
	}
}

// TestFilesAreCutAfresh demands that a record that is too long ends with its
// file, whether files are plain or packed.
func TestFilesAreCutAfresh(t *testing.T) {
	long := strings.Repeat("x", parser.MaxRecord+10)
	for _, ending := range []string{"", ".zst"} {
		pack := func(text string) string { return text }
		if ending != "" {
			enc, err := zstd.NewWriter(nil)
			if err != nil {
				t.Fatal(err)
			}
			pack = func(text string) string { return string(enc.EncodeAll([]byte(text), nil)) }
		}
		root := tree(t, map[string]string{"a.log" + ending: pack(long), "b.log" + ending: pack(lines(0, 3))})
		list, err := drain(t, newReader(t, Options{Ordered: true}, root))
		if err != io.EOF || len(list) != 2 {
			t.Fatalf("%d logs, %v", len(list), err)
		}
		if a, b := list[0], list[1]; a.discarded != int64(len(long)-HeadKept) || b.data != lines(0, 3) || b.discarded != 0 {
			t.Errorf("%d discarded of the first; the second has %q and %d discarded", a.discarded, b.data, b.discarded)
		}
	}
}
