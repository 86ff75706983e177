package parser

import "bytes"

// localReply keeps the details that Envoy's debug log names when the proxy
// answers a request itself: `Sending local reply with details DETAILS`.
func (p *Parser) localReply(line []byte, lo int, e *event) {
	if e.emitter != Envoy || e.level.hi > 0 && line[e.level.lo] != 'd' { // it is a debug line
		return
	}
	text := e.message.of(line)
	i := bytes.Index(text[:min(len(text), 256)], []byte(replyWords))
	if i < 0 {
		return
	}
	from := int(e.message.lo) + i + len(replyWords)
	to := from + len(line[from:e.message.hi])
	if tab := bytes.IndexByte(line[from:to], '\t'); tab >= 0 {
		to = from + tab
	}
	if to > from {
		p.rec.layout |= 1 << ResponseCodeDetails
		p.keep(ResponseCodeDetails, spanOf(line, from, to).at(lo))
	}
}

const replyWords = "Sending local reply with details "
