package source

import (
	"context"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/flagwatch/flagwatch/parser"
)

// tree writes files; a name that ends in a slash is an empty directory.
func tree(t *testing.T, files map[string]string) string {
	t.Helper()
	root := t.TempDir()
	for name, text := range files {
		path := filepath.Join(root, name)
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if strings.HasSuffix(name, "/") {
			if err := os.MkdirAll(path, 0o755); err != nil {
				t.Fatal(err)
			}
			continue
		}
		if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	return root
}

// A got is what a source handed out of one stream.
type got struct {
	name      string
	data      string
	batches   int
	cuts      int
	discarded int64
	to        Position
}

// drain reads a source to its end and checks what holds for every batch.
func drain(t *testing.T, src Source) (list []got, err error) {
	t.Helper()
	ctx := context.Background()
	var b Batch
	streams := map[*Stream]int{}
	for {
		if err := src.Next(ctx, &b); err != nil {
			return list, err
		}
		i, ok := streams[b.Stream]
		if !ok {
			i = len(list)
			streams[b.Stream] = i
			list = append(list, got{name: b.Stream.Name})
		}
		g := &list[i]
		if b.From != g.to {
			t.Fatalf("%s: a batch begins at %v, the last one ended at %v", g.name, b.From, g.to)
		}
		if n := b.To.Offset - b.From.Offset; n != b.Bytes() || n == 0 {
			t.Fatalf("%s: a batch of %d bytes moves the offset by %d", g.name, b.Bytes(), n)
		}
		if spare := cap(b.Data) - len(b.Data); spare < parser.Padding {
			t.Fatalf("%s: %d bytes behind the data", g.name, spare)
		}
		if len(b.Data) > parser.MaxRecord {
			t.Fatalf("%s: a batch of %d bytes", g.name, len(b.Data))
		}
		g.data += string(b.Data)
		g.batches++
		if b.Cut {
			g.cuts++
		}
		g.discarded += b.Discarded[Oversize]
		g.to = b.To
	}
}

func lines(from, to int) string {
	var s strings.Builder
	for i := from; i < to; i++ {
		fmt.Fprintf(&s, "line %d of some text\n", i)
	}
	return s.String()
}

func newReader(t *testing.T, opt Options, args ...string) *Reader {
	t.Helper()
	r, err := New(args, nil, opt)
	if err != nil {
		t.Fatal(err)
	}
	return r
}

func TestFilesInOrder(t *testing.T) {
	root := tree(t, map[string]string{"b.log": lines(0, 3), "a.log": lines(3, 5) + "no newline at the end", "empty.log": ""})
	b, a, empty := filepath.Join(root, "b.log"), filepath.Join(root, "a.log"), filepath.Join(root, "empty.log")
	r := newReader(t, Options{Lines: true}, b, empty, a, b)
	list, err := drain(t, r)
	if err != io.EOF {
		t.Fatal(err)
	}
	want := []got{
		{name: b, data: lines(0, 3), to: Position{60, 3}},
		{name: a, data: lines(3, 5) + "no newline at the end", to: Position{61, 2}},
	}
	if again := r.Repeats(); len(list) != len(want) || len(again) != 1 || again[0] != (Repeat{b, b}) {
		t.Errorf("%d streams, named again: %+v", len(list), again)
	}
	for i, w := range want {
		if i >= len(list) || list[i].name != w.name || list[i].data != w.data || list[i].to != w.to {
			t.Errorf("stream %d: %+v, want %+v", i, list[i], w)
		}
	}
	if in := r.Inputs()[1]; in.Name != empty || in.Bytes != 0 || !in.Done || in.Err != nil {
		t.Errorf("the empty file is reported as %+v", in)
	}
	if err := r.Next(t.Context(), new(Batch)); err != io.EOF {
		t.Errorf("after the end: %v", err)
	}
}

func TestStdinFile(t *testing.T) {
	root := tree(t, map[string]string{"in": "read by the shell\n" + lines(0, 2)})
	f, err := os.Open(filepath.Join(root, "in"))
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	if _, err := f.Seek(int64(len("read by the shell\n")), io.SeekStart); err != nil {
		t.Fatal(err)
	}
	r, err := New(nil, f, Options{})
	if err != nil {
		t.Fatal(err)
	}
	list, err := drain(t, r)
	if err != io.EOF || len(list) != 1 || list[0].data != lines(0, 2) || list[0].name != "stdin" {
		t.Errorf("%+v, %v", list, err)
	}
	if _, err := f.Stat(); err != nil {
		t.Errorf("standard input was closed: %v", err)
	}
}

// TestBlockSizes demands that neither the size of reads nor of blocks changes
// what is handed out.
func TestBlockSizes(t *testing.T) {
	long := strings.Repeat("x", parser.MaxRecord-1) + "\n"
	texts := map[string]string{
		"small":   lines(0, 40),
		"object":  lines(0, 2) + "{\n \"a\": 1,\n \"b\": {\n  \"c\": 2\n }\n}\n" + lines(2, 4),
		"parts":   "2024-05-01T00:00:00Z stdout P one\n2024-05-01T00:00:00Z stdout F two\n" + lines(0, 2),
		"half":    lines(0, 2) + "half",
		"longest": lines(0, 2) + long + lines(2, 3),
	}
	for name, text := range texts {
		root := tree(t, map[string]string{"a.log": text})
		for _, block := range []int{1, 2, 3, 7, 64, 1000, blockSize} {
			list, err := drain(t, newReader(t, Options{block: block}, filepath.Join(root, "a.log")))
			if err != io.EOF || len(list) != 1 || list[0].data != text || list[0].cuts != 0 {
				t.Errorf("%s in blocks of %d: %d streams, %v", name, block, len(list), err)
			}
		}
	}
}

func TestOversize(t *testing.T) {
	const size = 5 << 20
	before, after := lines(0, 10), lines(10, 20)
	for name, text := range map[string]string{
		"between":   before + strings.Repeat("x", size) + "\n" + after,
		"twice":     before + strings.Repeat("x", size) + "\n" + strings.Repeat("y", size) + "\n" + after,
		"just over": before + strings.Repeat("x", parser.MaxRecord) + "\n" + after,
		"at end":    before + strings.Repeat("x", size),
		"alone":     strings.Repeat("x", size),
	} {
		root := tree(t, map[string]string{"a.log": text})
		for _, block := range []int{4000, blockSize} {
			list, err := drain(t, newReader(t, Options{Lines: true, block: block}, filepath.Join(root, "a.log")))
			if err != io.EOF || len(list) != 1 {
				t.Fatalf("%s: %d streams, %v", name, len(list), err)
			}
			g := list[0]
			var want strings.Builder
			cuts := 0
			for line := range strings.Lines(text) {
				if len(line) > parser.MaxRecord {
					line = line[:HeadKept]
					cuts++
				}
				want.WriteString(line)
			}
			if g.data != want.String() || g.cuts != cuts {
				t.Errorf("%s in blocks of %d: %d bytes with %d heads, want %d with %d", name, block, len(g.data), g.cuts, want.Len(), cuts)
			}
			end := Position{int64(len(text)), int64(strings.Count(text, "\n"))}
			if g.to != end || int64(len(g.data))+g.discarded != end.Offset {
				t.Errorf("%s in blocks of %d: ends at %v after %d and %d bytes, want %v", name, block, g.to, len(g.data), g.discarded, end)
			}
		}
	}
}

func TestBufferStaysSmall(t *testing.T) {
	root := tree(t, map[string]string{"a.log": strings.Repeat("x", 5<<20) + "\n" + strings.Repeat("{\n", 1<<20)})
	r := newReader(t, Options{}, filepath.Join(root, "a.log"))
	var b Batch
	for r.Next(t.Context(), &b) == nil {
		if cap(b.buf) > 2*parser.MaxRecord {
			t.Fatalf("a buffer of %d bytes", cap(b.buf))
		}
	}
}

func TestNextAllocatesNothing(t *testing.T) {
	root := tree(t, map[string]string{"a.log": strings.Repeat(lines(0, 1000), 2000)})
	r := newReader(t, Options{}, filepath.Join(root, "a.log"))
	var b Batch
	next := func() {
		if err := r.Next(t.Context(), &b); err != nil {
			t.Fatal(err)
		}
	}
	next()
	if n := testing.AllocsPerRun(50, next); n > 0 {
		t.Errorf("%v allocations a batch", n)
	}
}

func TestCancelledFile(t *testing.T) {
	root := tree(t, map[string]string{"a.log": strings.Repeat(lines(0, 1000), 100)})
	r := newReader(t, Options{}, filepath.Join(root, "a.log"))
	ctx, cancel := context.WithCancel(t.Context())
	var b Batch
	if err := r.Next(ctx, &b); err != nil {
		t.Fatal(err)
	}
	cancel()
	if err := r.Next(ctx, &b); err != context.Canceled {
		t.Errorf("after the cancel: %v", err)
	}
	if in := r.Inputs()[0]; in.Done || !in.Begun || in.Live || in.Bytes != b.To.Offset {
		t.Errorf("an interrupted file is reported as %+v", in)
	}
}

func TestBatchBytes(t *testing.T) {
	b := Batch{Data: []byte("abc"), Discarded: [NumDiscards]int64{1, 2, 4}}
	if b.Bytes() != 10 {
		t.Errorf("%d bytes, want 10", b.Bytes())
	}
	for d, want := range []string{"oversize", "binary", "corrupt"} {
		if got := Discard(d).String(); got != want {
			t.Errorf("reason %d is %s, want %s", d, got, want)
		}
	}
}
