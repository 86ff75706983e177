package source

import (
	"bytes"
	"context"
)

// maxTail is how much of the end of an input is kept that can not be read from
// its end.
const maxTail = 64 << 20

// A tailing is the last lines of an input that can only be read as a whole.
type tailing struct {
	in    input
	n     int
	moved func(bytes, lines int64) // is told what was left out

	held  []byte
	check int // when held is that long, lines are dropped
	ended bool
	err   error
}

func (t *tailing) read(ctx context.Context, p []byte, _ bool) (int, error) {
	for !t.ended {
		t.fill(ctx)
	}
	if len(t.held) == 0 {
		err := t.err
		t.ended = false // what is read behind a damage is another tail
		return 0, err
	}
	n := copy(p, t.held)
	t.held = t.held[n:]
	return n, nil
}

func (t *tailing) fill(ctx context.Context) {
	if t.check == 0 {
		t.check = 4 * blockSize
	}
	if cap(t.held)-len(t.held) < blockSize {
		t.held = append(make([]byte, 0, 2*cap(t.held)+2*blockSize), t.held...)
	}
	n, err := t.in.read(ctx, t.held[len(t.held):len(t.held)+blockSize], false)
	t.held = t.held[:len(t.held)+n]
	if t.ended = err != nil; t.ended {
		t.err = err
	}
	if t.ended || len(t.held) >= t.check {
		t.drop()
		t.check = 2*len(t.held) + 4*blockSize
	}
}

// drop leaves the last lines.
func (t *tailing) drop() {
	end := len(t.held)
	if end > 0 && t.held[end-1] == '\n' {
		end--
	}
	begin := end
	for i := 0; i < t.n && begin >= 0; i++ {
		begin = bytes.LastIndexByte(t.held[:begin], '\n')
	}
	begin++
	if least := len(t.held) - maxTail; begin < least {
		begin = least + bytes.IndexByte(t.held[least:], '\n') + 1
	}
	t.moved(int64(begin), int64(bytes.Count(t.held[:begin], []byte{'\n'})))
	t.held = t.held[:copy(t.held, t.held[begin:])]
}

func (t *tailing) close() { t.in.close() }
