package tail

import (
	"bytes"

	"github.com/flagwatch/flagwatch/internal/source"
)

// quarantineAfter is how many bytes that are no text are handed out one behind
// the other. More of them are discarded, until text comes again: a file that is
// no log costs no more than its reading.
const quarantineAfter = 256 << 10

// quarantine discards a batch that is no text and stands behind others that were
// none.
func (s *stream) quarantine(b *source.Batch) {
	if !isJunk(b.Data) {
		s.junk = 0
		return
	}
	before := s.junk
	if s.junk += int64(len(b.Data)); before >= quarantineAfter {
		b.Discarded[source.Binary] += int64(len(b.Data))
		b.Data, b.Cut = b.Data[:0], false
	}
}

// isJunk says whether nine in ten bytes stand in lines that hold a zero byte.
// Of text it looks at little more than a tenth.
func isJunk(data []byte) bool {
	least := len(data) / 10 * 9
	text := len(data) - least
	if end := bytes.IndexByte(data[text:], '\n'); end >= 0 && bytes.IndexByte(data[:text+end+1], 0) < 0 {
		return false // in lines enough there is none
	}
	junk := 0
	for len(data) > 0 {
		n := bytes.IndexByte(data, '\n') + 1
		if n == 0 {
			n = len(data)
		}
		if bytes.IndexByte(data[:n], 0) >= 0 {
			junk += n
		}
		data = data[n:]
	}
	return junk > 0 && junk >= least
}

// leastNULs is how many zero bytes in front of a record are a hole: a log was
// truncated under a writer that knows its own place.
const leastNULs = 512

// nuls is how many zero bytes buf begins with.
func nuls(buf []byte) int {
	const step = 4096
	var zero [step]byte
	n := 0
	for n+step <= len(buf) && [step]byte(buf[n:n+step]) == zero {
		n += step
	}
	for n < len(buf) && buf[n] == 0 {
		n++
	}
	return n
}

// discard hands out that the first n bytes of buf are in no record. What
// stands behind them is read again, as far as that is possible.
func (s *stream) discard(b *block, g *generation, buf []byte, n int) {
	if !g.packed {
		g.off -= int64(len(buf) - n)
		buf = buf[:n]
	}
	s.handOut(b, buf, n, false)
	b.batch.Data = buf[:0]
	b.batch.Discarded[source.Binary] = int64(n)
	g.marker = hashOf(s.last(min(g.off, markerSize)))
}
