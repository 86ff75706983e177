package parser

import (
	"bytes"
	"encoding/binary"
	"math/bits"
)

// The values of an object begin behind `":`, which stands nowhere else when
// there is no quote and no backslash in a value: then it stands there as often
// as in the order, and there are as many quotes as the order and the strings
// have. So an object is read by the places where its values begin, without a
// step from one to the next: what stands in front of each is compared at once.

const (
	windowSize = 32      // bytes that are compared at once
	maxLonger  = 64      // units of eight bytes that windows have no room for
	stringMark = 1 << 15 // of a place: a quote stands there
	placeMask  = stringMark - 1
	laneRoom   = maxKeys + 1 + 32 // assembly takes 32 places at once
)

// A windows is what stands in front of the values of an order. A window begins
// with the last byte of the value before, which is compared with a quote.
type windows struct {
	texts   [][windowSize]byte
	cares   [maxKeys + 1]uint32 // which bytes of a window are compared
	heads   [laneRoom]uint16    // from where it begins to the value
	numbers uint64              // values that were numbers
	count   int                 // of values; 0: the order can not be read so
	places  int                 // `":` in an object
	quotes  int                 // that are no string's
	longer  []longer
	picks   [maxKeys + 1]uint8 // which of the places are those of values
	picked  bool               // not all are
}

// A longer is eight bytes in front of a value that its window has no room for.
type longer struct {
	word uint64
	back uint16 // how far in front
	step uint8
}

// An outline is an object, and where its values stand. Sets have a bit for each
// value.
type outline struct {
	sum    int              // quotes and backslashes
	lasts  [laneRoom]uint16 // found by matchWindows: the last byte of the value before, none in front of the base
	picked [laneRoom]uint16 // places of values, when other places lie between them

	text  []byte   // what it stands in
	begin int      // where
	end   int      // behind it
	noted []uint16 // where values seem to begin, with stringMark
	plain bool     // it is known to have no backslash

	base   int      // what the places of values count from, in the text
	places []uint16 // where they begin, with stringMark
	last   int      // the last byte of the last value

	// found by matchWindows
	strings uint64 // values that begin with a quote
	shorts  uint64 // that are at most a byte: it is not said of the last one
	opens   uint64 // that do not end with a quote: shifted by one
	differ  uint64 // more than the lowest bit: what stands between the values is another
	nulls   uint64 // that are null
	odd     uint64 // not 0: one of the nulls is not, or a number has not one to eight digits
}

var (
	keyClose  = []byte{'"', ':'}
	quoteByte = []byte{'"'}
)

// set makes the windows of steps and of what stands behind the last value.
// Numbers are the steps that have a number.
func (w *windows) set(steps []step, tail []byte, numbers uint64) {
	w.texts, w.longer, w.count, w.places, w.quotes, w.picked = w.texts[:0], w.longer[:0], 0, 0, bytes.Count(tail, quoteByte), false
	for k := range steps {
		token := steps[k].token
		places := bytes.Count(token, keyClose)
		if !bytes.HasSuffix(token, keyClose) || w.places+places > 1<<8 || len(w.longer)+len(token)/8 > maxLonger {
			return
		}
		w.places += places
		w.picks[k] = uint8(w.places - 1)
		w.picked = w.picked || places > 1
		w.quotes += int(steps[k].quotes)
		w.add(k, token)
	}
	if !bytes.Contains(tail, keyClose) {
		w.count, w.numbers = len(steps), numbers
	}
}

// add makes the window of a step.
func (w *windows) add(k int, token []byte) {
	text, before := [windowSize]byte{'"'}, min(k, 1)
	w.heads[k] = uint16(before + len(token))
	n := before + copy(text[before:], token)
	w.cares[k] = uint32(1<<n - 1)
	w.texts = append(w.texts, text)
	for at := n - before; at < len(token); at += 8 {
		back := max(len(token)-at, 8)
		w.longer = append(w.longer, longer{binary.LittleEndian.Uint64(token[len(token)-back:]), uint16(back), uint8(k)})
	}
}

// match finds the values of an object that was scanned, if it is in the order q.
func (o *outline) match(q *order) bool {
	w := &q.windows
	if len(o.noted) != w.places || int(o.noted[0]&placeMask) != o.begin+int(w.heads[0]) {
		return false
	}
	o.last = o.end - len(q.tail) - 1
	if len(q.tail) > 1 && string(o.text[o.last+1:o.end]) != string(q.tail) {
		return false
	}
	if o.base, o.places = o.begin, o.noted; w.picked {
		o.pick(w)
	}
	matchWindows(w, o)
	n := w.count
	if o.shorts &^= 1 << (n - 1); o.last <= int(o.places[n-1]&placeMask) {
		o.shorts |= 1 << (n - 1)
	}
	all := uint64(1)<<n - 1
	if o.differ > 1 || o.strings^o.opens>>1 != all || o.strings&o.shorts != 0 || o.sum != w.quotes+2*bits.OnesCount64(o.strings) {
		return false
	}
	for i := range w.longer {
		if c := &w.longer[i]; load64(o.text, int(o.places[c.step]&placeMask)-int(c.back)) != c.word {
			return false
		}
	}
	return o.odd == 0 || o.scalars(all&^o.strings)
}

// pick keeps the places of values.
func (o *outline) pick(w *windows) {
	list := o.picked[:w.count]
	for k := range list {
		list[k] = o.noted[w.picks[k]]
	}
	o.places = list
}

// scalars says whether the values that are no strings are numbers or null, and
// notes which are.
func (o *outline) scalars(rest uint64) bool {
	o.nulls = 0
	for ; rest != 0; rest &= rest - 1 {
		k := bits.TrailingZeros64(rest)
		lo := int(o.places[k])
		n := int(o.lasts[k+1]) + 1 - lo
		w := load64(o.text, lo)
		if n == 4 && uint32(w) == null {
			o.nulls |= rest & -rest
		} else if n < 1 || digitCount(w) < min(n, 8) || n > 8 && digitRun(o.text[lo:lo+n]) < n {
			return false
		}
	}
	return true
}

// matchWindowsGo is matchWindows without assembly, its twin.
func matchWindowsGo(w *windows, o *outline) {
	last := o.last
	o.strings, o.shorts, o.opens, o.differ, o.odd = 0, 0, 0, 0, 0
	if o.lasts[w.count] = uint16(last); o.text[last] != '"' {
		o.opens = 1
	}
	for k := w.count - 1; k >= 0; k-- {
		at := int(o.places[k] & placeMask)
		o.strings |= uint64(o.places[k]>>15) << k
		if last <= at {
			o.shorts |= 1 << k
		}
		last = max(at-int(w.heads[k]), o.base)
		o.lasts[k] = uint16(last)
		other := uint64(0)
		for i, c := range o.text[last : last+windowSize] {
			if c != w.texts[k][i] {
				other |= 1 << i & uint64(w.cares[k])
			}
		}
		o.differ |= other
		o.opens = o.opens<<1 + other
	}
	scalars := uint64(1)<<w.count - 1 - o.strings
	o.nulls = scalars &^ w.numbers
	for k := range w.count {
		if scalars>>k&1 == 0 {
			continue
		}
		lo := int(o.places[k])
		v := o.text[lo:max(int(o.lasts[k+1])+1, lo)]
		if null := o.nulls>>k&1 != 0; null && string(v) != "null" || !null && (len(v) == 0 || len(v) > 8 || digitRun(v) < len(v)) {
			o.odd = 1
		}
	}
}

// scanValuesGo is scanValues without assembly, its twin.
func scanValuesGo(text []byte, m *marks) {
	m.lines, m.total, m.sum = 0, 0, 0
	behind := text[:len(text)+2]
	for i, c := range text {
		switch c {
		case '"':
			m.sum++
			if behind[i+1] != ':' {
				continue
			}
			m.quotes[m.total] = uint16(i + 2)
			if behind[i+2] == '"' {
				m.quotes[m.total] |= stringMark
			}
			m.total++
		case '\\':
			m.sum++
		case '\n':
			m.ends[m.lines] = lineEnd{uint16(i), uint16(m.total)}
			m.lines++
			m.sums[m.lines] = uint16(m.sum)
		}
	}
}

// within forgets the value that would begin behind the text.
func (m *marks) within() {
	if n := m.total - 1; n >= 0 && int(m.quotes[n]&placeMask) >= len(m.text) {
		m.total = n
	}
}
