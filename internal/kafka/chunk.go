package kafka

import (
	"slices"

	"github.com/flagwatch/flagwatch/internal/source"
	"github.com/flagwatch/flagwatch/parser"
)

// A chunk is a block of whole records of one partition, on its way from a
// fetcher to a worker.
type chunk struct {
	claim     *claim
	at        place
	from, to  int64 // offsets
	text      []byte
	cut       bool  // the last record is a head
	discarded int64 // bytes behind the head
}

// chunkSize is how much text a chunk should hold.
const chunkSize = 256 << 10

// headSize is how much is kept of a record that is too long; like a file's.
const headSize = 64 << 10

// A carry is text that waits for more: its end may be the beginning of a
// record that the next message goes on with.
type carry struct {
	at    place
	from  int64 // offset of the first message in it
	text  []byte
	marks []mark
	state parser.FrameState
	tried int // length of the text when the last try found no whole record
}

func newCarry(formats []*parser.Format) carry {
	return carry{state: parser.FrameState{Formats: formats}}
}

// A mark is where a message ends: in the text, and as the offset that follows.
type mark struct {
	end  int
	next int64
}

// add begins a message of a place. What is kept of another place is cut off.
func (k *carry) add(at place, offset int64, emit func(*carry, int, int64)) {
	if at != k.at {
		k.flush(emit)
	}
	if len(k.marks) == 0 {
		k.at, k.from = at, offset
	}
}

// end ends the message whose text was appended.
func (k *carry) end(next int64, emit func(*carry, int, int64)) {
	if n := len(k.text); n > k.lastEnd() && k.text[n-1] != '\n' {
		k.text = append(k.text, '\n')
	}
	k.marks = append(k.marks, mark{len(k.text), next})
	if len(k.text) >= max(chunkSize, k.tried+k.tried/4) {
		k.emit(false, emit)
	}
}

func (k *carry) lastEnd() int {
	if len(k.marks) == 0 {
		return 0
	}
	return k.marks[len(k.marks)-1].end
}

// flush emits all.
func (k *carry) flush(emit func(*carry, int, int64)) { k.emit(true, emit) }

// emit emits the messages that end with a whole record, all of them when
// nothing will follow soon.
func (k *carry) emit(final bool, emit func(*carry, int, int64)) {
	if len(k.marks) == 0 {
		return
	}
	k.state.Final = final || len(k.text) > parser.MaxRecord
	n := parser.Cut(k.text, &k.state)
	i, _ := slices.BinarySearchFunc(k.marks, n, func(m mark, n int) int { return m.end - n - 1 })
	if i == 0 {
		k.tried = len(k.text)
		return
	}
	k.tried = 0
	last := k.marks[i-1]
	emit(k, last.end, last.next)
	k.marks = k.marks[:copy(k.marks, k.marks[i:])]
	for j := range k.marks {
		k.marks[j].end -= last.end
	}
	k.from = last.next
}

// textSize is the memory of a full chunk: what it should hold, the message that
// makes it full, and the readable bytes behind.
const textSize = chunkSize + 64<<10

// cut takes the first bytes off, into memory that it gets for it; with the
// readable bytes behind them that a block has. The memory is exchanged when
// little of it would lie idle.
func (k *carry) cut(end int, memory []byte) []byte {
	if cap(memory) < textSize && end >= chunkSize {
		memory = make([]byte, 0, textSize) // as much will follow
	}
	if end < cap(k.text)/2 {
		memory = append(slices.Grow(memory[:0], end+parser.Padding), k.text[:end]...)
		k.text = k.text[:copy(k.text, k.text[end:])]
		return memory
	}
	text := slices.Grow(k.text, parser.Padding)
	k.text = append(memory[:0], text[end:]...)
	return text[:end]
}

// move gives the carry more memory for its text.
func (k *carry) move(memory []byte) { k.text = append(memory[:0], k.text...) }

// shrink takes memory that the carry needs no more; nil: there is none, or so
// much that nobody else should keep it.
func (k *carry) shrink() (memory []byte) {
	switch {
	case len(k.text) > cap(k.text)/4:
		return nil
	case cap(k.text) <= 4*chunkSize:
		memory = k.text
	}
	k.text = append([]byte(nil), k.text...)
	return memory
}

// fill makes the chunk a worker's batch. The memory of both is exchanged.
func (k *chunk) fill(b *source.Batch, s *source.Stream) {
	b.Stream, b.Cut = s, k.cut
	b.From, b.To = source.Position{Offset: k.from}, source.Position{Offset: k.to}
	b.Discarded, b.Lost = [source.NumDiscards]int64{}, [source.NumLosses]int64{}
	b.Discarded[source.Oversize] = k.discarded
	b.Data, k.text = k.text, b.Data[:0]
}
