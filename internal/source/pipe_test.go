package source

import (
	"context"
	"io"
	"os"
	"strings"
	"testing"
	"testing/synctest"
	"time"
)

// A failing input ends with an error of its own.
type failing struct {
	text string
	err  error
}

func (f *failing) read(_ context.Context, p []byte, _ bool) (int, error) {
	if f.text == "" {
		return 0, f.err
	}
	n := copy(p, f.text)
	f.text = f.text[n:]
	return n, nil
}

func (f *failing) close() {}

// piped is a reader of a pipe whose other end is w.
func piped(opt Options) (r *Reader, w *io.PipeWriter) {
	end, w := io.Pipe()
	r, _ = New(nil, nil, opt)
	w0 := r.rows[0]
	r.next, w0.Live = 1, true
	r.begun(w0, &sniffer{in: newPipe(func() (io.ReadCloser, error) { return end, nil })})
	return r, w
}

func TestPipe(t *testing.T) {
	text := strings.Repeat(lines(0, 5000), 20) + strings.Repeat("x", 3<<20) + "\n" + lines(5, 9) + "half"
	for _, size := range []int{999, 64 << 10, 1 << 20} {
		r, w := piped(Options{Lines: true})
		go func() {
			for rest := text; rest != ""; {
				n := min(size, len(rest))
				io.WriteString(w, rest[:n])
				rest = rest[n:]
			}
			w.Close()
		}()
		list, err := drain(t, r)
		if err != io.EOF || len(list) != 1 {
			t.Fatalf("%d streams, %v", len(list), err)
		}
		g := list[0]
		if want := strings.Replace(text, strings.Repeat("x", 3<<20)+"\n", strings.Repeat("x", HeadKept), 1); g.data != want {
			t.Errorf("writes of %d: %d bytes, want %d", size, len(g.data), len(want))
		}
		if want := (Position{int64(len(text)), int64(strings.Count(text, "\n"))}); g.to != want {
			t.Errorf("writes of %d: ends at %v, want %v", size, g.to, want)
		}
	}
}

// next wants a batch with this text after this time.
func next(t *testing.T, ctx context.Context, r *Reader, text string, after time.Duration) {
	t.Helper()
	var b Batch
	begin := time.Now()
	if err := r.Next(ctx, &b); err != nil || string(b.Data) != text || time.Since(begin) != after {
		t.Errorf("%q, %v after %v, want %q after %v", b.Data, err, time.Since(begin), text, after)
	}
}

func TestPipeGivesWhatHasArrived(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r, w := piped(Options{})
		defer w.Close()
		ctx, cancel := context.WithCancel(t.Context())
		go func() {
			io.WriteString(w, "one\nhal")
			time.Sleep(time.Hour)
			io.WriteString(w, "f\n{\n")
			time.Sleep(time.Hour)
			io.WriteString(w, "\"a\": 1}\nha")
			time.Sleep(time.Hour)
			io.WriteString(w, "{\nha")
			time.Sleep(time.Second)
			cancel()
		}()
		next(t, ctx, r, "one\n", 0)
		next(t, ctx, r, "half\n", time.Hour)
		next(t, ctx, r, "{\n", quiet) // it could go on, and does not
		next(t, ctx, r, "\"a\": 1}\n", time.Hour-quiet)
		next(t, ctx, r, "ha{\n", time.Hour)
		if err := r.Next(ctx, new(Batch)); err != context.Canceled {
			t.Errorf("after the cancel: %v", err)
		}
	})
}

func TestCancelledPipe(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r, w := piped(Options{})
		defer w.Close()
		ctx, cancel := context.WithCancel(t.Context())
		go io.WriteString(w, lines(0, 3)+"{\n\"a\": 1,\n ha")
		next(t, ctx, r, lines(0, 3), 0)
		go func() {
			time.Sleep(time.Second)
			cancel()
		}()
		next(t, ctx, r, "{\n\"a\": 1,\n", time.Second) // it had arrived
		if err := r.Next(ctx, new(Batch)); err != context.Canceled {
			t.Errorf("after the cancel: %v", err)
		}
		if in := r.Inputs()[0]; in.Done || !in.Live || in.Err != nil {
			t.Errorf("%+v", in)
		}
	})
}

// TestCancelEndsTorrent demands an end although bytes never stop coming.
func TestCancelEndsTorrent(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r, w := piped(Options{})
		ctx, cancel := context.WithCancel(t.Context())
		go func() {
			for {
				if _, err := io.WriteString(w, lines(0, 1000)); err != nil {
					return
				}
			}
		}()
		var b Batch
		for range 10 {
			if err := r.Next(ctx, &b); err != nil {
				t.Fatal(err)
			}
		}
		cancel()
		for range pipeReads + 2 {
			if err := r.Next(ctx, &b); err == context.Canceled {
				w.Close()
				return
			}
		}
		t.Error("goes on after the cancel")
	})
}

func BenchmarkPipe(b *testing.B) {
	block := []byte(strings.Repeat(strings.Repeat("x", 349)+"\n", 3000))
	b.SetBytes(int64(len(block)))
	in, out, err := os.Pipe()
	if err != nil {
		b.Fatal(err)
	}
	go func() {
		for range b.N {
			out.Write(block)
		}
		out.Close()
	}()
	r, err := New(nil, in, Options{})
	if err != nil {
		b.Fatal(err)
	}
	var batch Batch
	for r.Next(b.Context(), &batch) == nil {
	}
}
