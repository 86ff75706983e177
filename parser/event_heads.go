package parser

import "bytes"

// A program writes few different heads in front of its messages: a level, the
// name of a logger, a place in the source. A head that was met lately is known
// again by its bytes, and what was found in it need not be found again.

const (
	headBits  = 8
	headSlots = 1 << headBits
	maxHead   = 120 // bytes of a head that is remembered
)

// headKind says how the line goes on behind a head.
type headKind uint8

const (
	noHead       headKind = iota
	envoyHead             // of Envoy's own layout: the message
	placedHead            // of Envoy in Istio's layout with a place in the source: the message, perhaps another place
	unplacedHead          // of Envoy in Istio's layout without: perhaps a place, then the message
	scopeHead             // of Istio's programs: the message, unless it begins like a label
)

// An eventHead is a head that was met. Its spans count from its begin.
type eventHead struct {
	kind      headKind
	emitter   Emitter // NoEmitter: the message decides
	traces    bool
	size      uint8
	level     span
	component span
	text      [maxHead]byte
}

// eventHeads are heads that were met lately, by their last bytes.
type eventHeads [headSlots]eventHead

// slot is the place of a head; eight bytes must be readable in front of its
// end.
func (t *eventHeads) slot(head []byte, line []byte, end int) *eventHead {
	h := (load64(line, end-8) + uint64(len(head))) * 0x9e3779b97f4a7c15
	return &t[h>>(64-headBits)]
}

// find is the head line[lo:hi] if it was met lately.
func (t *eventHeads) find(line []byte, lo, hi int) *eventHead {
	head := line[lo:hi]
	if h := t.slot(head, line, hi); string(h.text[:h.size]) == string(head) && h.kind != noHead {
		return h
	}
	return nil
}

// note remembers that an event whose spans are those of e has such a head.
func (t *eventHeads) note(line []byte, lo, hi int, kind headKind, emitter Emitter, e *event) {
	head := line[lo:hi]
	if len(head) > maxHead {
		return
	}
	h := t.slot(head, line, hi)
	*h = eventHead{kind: kind, emitter: emitter, traces: e.logsTraces(line), size: uint8(len(head))}
	h.level = span{e.level.lo - uint32(lo), e.level.hi - uint32(lo)}
	h.component = span{e.component.lo - uint32(lo), e.component.hi - uint32(lo)}
	copy(h.text[:], head)
}

// give copies to e what is known by a head that begins at lo.
func (h *eventHead) give(e *event, lo int) {
	e.emitter, e.level, e.component = h.emitter, h.level.at(lo), h.component.at(lo)
}

// fastEvent reads the usual event: in the layout of Envoy, of Istio's programs
// or of Kubernetes', bare or in the usual CRI head of a stream of which no
// piece is open. It must find what read finds.
func (p *Parser) fastEvent(s []byte, head int) bool {
	line := s[head:]
	if len(line) < 30 || p.givenText || s[len(s)-1] >= 0x80 {
		return false
	}
	if own := line[0]-'0' <= 9 && line[26] == 'Z' && line[27] == '\t' || line[0] == '[' && line[11] == ' ' || isKlog(line); !own {
		return false
	}
	r := &p.rec
	if head > 0 {
		if p.parts[usualStream(s)].size > 0 || stamp(s) != len("2006-01-02T15:04:05.000000000Z ") {
			return false
		}
		r.wrap(CRI)
	}
	r.text = line
	var e event
	ok, traces := p.heads.recognise(line, &e)
	if !ok {
		r.depth = 0
		return false
	}
	p.setEvent(0, line, &e, traces)
	return true
}

// recognise is that of an event in Envoy's own layout, in Istio's or in klog's.
func (t *eventHeads) recognise(line []byte, e *event) (ok, traces bool) {
	switch c := line[0]; {
	case c == '[':
		return t.envoy(line, e)
	case isDigit(c):
		return t.istio(line, e)
	}
	return e.recognise(line), false
}

// envoy reads `[date time][thread][level][name] [file:line] text`.
func (t *eventHeads) envoy(line []byte, e *event) (ok, traces bool) {
	lo, hi := envoyHeadOf(line)
	if hi > 0 {
		if h := t.find(line, lo, hi); h != nil {
			e.time = span{1, 24}
			h.give(e, lo)
			e.message = spanOf(line, hi, len(line))
			return true, h.traces
		}
	}
	if !e.recognise(line) {
		return false, false
	}
	if hi > 0 && int(e.level.lo) == lo+1 && location(line, int(e.component.hi)+2) == hi {
		t.note(line, lo, hi, envoyHead, e.emitter, e)
	}
	return true, e.logsTraces(line)
}

// envoyHeadOf finds `[level][name] [file:line]` behind a time with milliseconds
// and a thread; hi is 0 when there is no such thing.
func envoyHeadOf(line []byte) (lo, hi int) {
	const thread = len("[2006-01-02 15:04:05.000][")
	if line[20] != '.' || line[24] != ']' || line[25] != '[' || !isDigits(line[21:24]) || !isDateTime(line[1:], ' ') {
		return 0, 0
	}
	lo = thread
	for lo < len(line) && isDigit(line[lo]) {
		lo++
	}
	if lo == thread || lo+1 >= len(line) || line[lo] != ']' {
		return 0, 0
	}
	lo++
	place := lo + bytes.IndexByte(line[lo:], ' ') + 1
	if place <= lo || place == len(line) || line[place] != '[' {
		return 0, 0
	}
	end := bytes.IndexByte(line[place:], ' ')
	if end < 0 {
		return 0, 0
	}
	return lo, place + end
}

// istio reads `TIME LEVEL SCOPE TEXT`, with tabs between the columns.
func (t *eventHeads) istio(line []byte, e *event) (ok, traces bool) {
	const lo = len("2006-01-02T15:04:05.000000Z\t")
	hi := istioHeadOf(line, lo)
	if hi > 0 {
		if h := t.find(line, lo, hi); h != nil && h.goesOn(line, hi, e) {
			e.time = span{0, uint32(lo - 1)}
			h.give(e, lo)
			if h.emitter == NoEmitter {
				e.emitter = wordingEmitter(e.message.of(line))
			}
			return true, h.traces
		}
	}
	if !e.recognise(line) {
		return false, false
	}
	if hi > 0 && int(e.level.lo) == lo && e.level.hi+1 == e.component.lo {
		t.noteIstio(line, lo, hi, e)
	}
	return true, e.logsTraces(line)
}

// istioHeadOf finds the end of the column behind the level; 0 when there is
// none.
func istioHeadOf(line []byte, lo int) int {
	if !isMicros(load64(line, 19)) || !isDateTime(line, 'T') || line[lo]-'A' < 26 {
		return 0
	}
	level := tabIn(line, lo)
	if level < 0 {
		return 0
	}
	if end := tabIn(line, level+1); end > level+1 {
		return end
	}
	return 0
}

// isMicros says whether eight bytes are a point, six digits and Z.
func isMicros(x uint64) bool {
	const a, as, an = 0x5a3030303030302e, 0xfff0f0f0f0f0f0ff, 0x0006060606060600 // see isDateTime
	x ^= a
	return (x|(x+an))&as == 0
}

// noteIstio remembers a head by what was found in its line.
func (t *eventHeads) noteIstio(line []byte, lo, hi int, e *event) {
	emitter, name := e.emitter, e.component.of(line)
	switch end := int(e.component.hi); {
	case hasPrefix(name, "envoy ") && end == hi:
		t.note(line, lo, hi, unplacedHead, emitter, e)
	case hasPrefix(name, "envoy "):
		if at := skipBlanks(line, end); wordEnd(line, at) == hi && isSourceFile(withoutNumber(line[at:hi])) {
			t.note(line, lo, hi, placedHead, emitter, e)
		}
	case end == hi:
		if _, known := findScope(name); !known {
			emitter = NoEmitter
		}
		t.note(line, lo, hi, scopeHead, emitter, e)
	}
}

// goesOn reads what stands behind a head, which ends at hi. It is false when
// that makes the head another one.
func (h *eventHead) goesOn(line []byte, hi int, e *event) bool {
	switch h.kind {
	case placedHead:
		e.message = envoyMessage(line, skipBlanks(line, hi))
	case unplacedHead:
		at := skipBlanks(line, hi)
		if isSourceFile(withoutNumber(line[at:wordEnd(line, at)])) {
			return false
		}
		e.message = envoyMessage(line, at)
	case scopeHead:
		if isLabel(line, skipBlanks(line, hi)) {
			return false
		}
		e.message = spanOf(line, hi, len(line))
	default:
		return false
	}
	return true
}
