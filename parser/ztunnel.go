package parser

import "bytes"

// Errored says whether a record names its own error: ztunnel's error="...",
// which is in Extra under the key error.
func (r *Record) Errored() bool { return r.errored }

// Failure returns the text of ztunnel's error, as it is written: JSON escapes
// stay. It is nil when the record names none, and lives as long as the record.
func (r *Record) Failure() []byte {
	if !r.errored || r.failure.hi == r.failure.lo {
		return nil
	}
	return r.text[r.failure.lo:r.failure.hi:r.failure.hi]
}

// ztunnelKeys are the keys of ztunnel's access records that are fields.
// Source: https://istio.io/latest/docs/ambient/usage/troubleshoot-ztunnel/
var ztunnelKeys = []struct {
	key   string
	field Field
}{
	{"src.addr", DownstreamRemoteAddress},
	{"dst.addr", UpstreamHost},
	{"bytes_recv", BytesReceived},
	{"bytes_sent", BytesSent},
	{"source", DownstreamRemoteAddress}, // up to 1.21
	{"destination", UpstreamHost},
}

// readZtunnel reads the access record that a line of ztunnel holds: the event
// is `connection complete` of the scope access, and key=value pairs follow.
func (p *Parser) readZtunnel(lo int, line []byte, e *event) bool {
	const text = "connection complete"
	message := e.message.of(line)
	component := e.component.of(line)
	old := bytes.HasPrefix(component, []byte("ztunnel::proxy"))
	if !old && string(component) != "access" || !hasPrefix(message, text) || len(message) == len(text) || !isBlank(message[len(text)]) {
		return false
	}
	r := &p.rec
	r.Kind, r.Dialect = Access, ztunnelPlain
	if old {
		r.Dialect = ztunnelOld
	}
	p.keep(StartTime, e.time.at(lo))
	p.readPairsOf(lo, line[:e.message.hi], int(e.message.lo)+len(text))
	return true
}

// readPairsOf reads the pairs from an offset on of a line that begins at lo.
func (p *Parser) readPairsOf(lo int, line []byte, at int) {
	for {
		key, value, next, ok := pair(line, at)
		if !ok {
			return
		}
		p.ztunnelPair(lo, line, key, value)
		at = next
	}
}

// ztunnelPairs reads a record whose pairs begin at an offset of s.
func (p *Parser) ztunnelPairs(s []byte, at int) {
	r := &p.rec
	r.forget()
	r.Kind, r.Emitter, r.Dialect, r.text = Access, Ztunnel, ztunnelPlain, s
	p.readPairsOf(0, s, at)
}

// ztunnelPair keeps a pair whose spans count in the line that begins at lo.
func (p *Parser) ztunnelPair(lo int, line []byte, key, value span) {
	k, v := key.of(line), value.of(line)
	for _, row := range ztunnelKeys {
		if string(k) == row.key {
			p.rec.layout |= 1 << row.field
			p.keep(row.field, value.at(lo))
			return
		}
	}
	p.ztunnelVersion(line, k, value)
	switch string(k) {
	case "duration":
		if n := len(v) - 2; n > 0 && string(v[n:]) == "ms" {
			p.keep(Duration, span{value.lo, value.hi - 2}.at(lo))
			return
		}
	case "direction":
		p.rec.direction = ztunnelDirection(v)
		return
	case "error":
		p.rec.errored, p.rec.failure = true, value.at(lo)
	}
	if p.want.Has(Extra) && len(v) > 0 {
		p.rec.extra = append(p.rec.extra, ExtraField{Key: k, Value: v})
	}
}

// ztunnelVersion tells the layouts apart: names got quotes in 1.23, and a
// cluster in 1.31.
func (p *Parser) ztunnelVersion(line, key []byte, value span) {
	r := &p.rec
	switch {
	case r.Dialect == ztunnelOld:
	case string(key) == "src.cluster" || string(key) == "dst.cluster":
		r.Dialect = ztunnelClusters
	case r.Dialect == ztunnelPlain && value.lo > 0 && line[value.lo-1] == '"' && isOneOf(key, ztunnelNames[:]):
		r.Dialect = ztunnelQuoted
	}
}

// ztunnelNames are the keys that got quotes.
var ztunnelNames = [...]string{"src.workload", "src.namespace", "dst.service", "dst.workload", "dst.namespace"}

func ztunnelDirection(v []byte) Direction {
	switch string(v) {
	case "inbound":
		return Inbound
	case "outbound":
		return Outbound
	}
	return NoDirection
}

// opensPairs says whether a line is the beginning of a ztunnel's access record
// that breaks off before what all of them end with.
func opensPairs(line []byte) bool {
	const head = 96 // time, level, scope and message stand within
	return bytes.Contains(line[:min(len(line), head)], []byte("connection complete")) && bytes.Contains(line, []byte("src.addr=")) &&
		!bytes.Contains(line, []byte(" duration=")) && !bytes.Contains(line, []byte(" error="))
}

// beginsPair says whether a line begins with a pair of a ztunnel's access
// record.
func beginsPair(line []byte) bool {
	key, _, ok := bytes.Cut(line[:min(len(line), 32)], []byte{'='})
	return ok && (hasPrefix(key, "src.") || hasPrefix(key, "dst.") || hasPrefix(key, "bytes_") || string(key) == "direction" || string(key) == "duration" || string(key) == "error")
}

// pair finds the next key=value or key="value" from an offset on. A quoted
// value ends at the quote that a blank or the end of the line follows; one
// that breaks off ends with the line.
func pair(line []byte, at int) (key, value span, next int, ok bool) {
	at = skipBlanks(line, at)
	eq := at
	for eq < len(line) && line[eq] != '=' && !isBlank(line[eq]) {
		eq++
	}
	if eq == at || eq >= len(line) || line[eq] != '=' {
		return key, value, at, false
	}
	key = span{uint32(at), uint32(eq)}
	lo := eq + 1
	if lo < len(line) && line[lo] == '"' {
		if end := quoteEnd(line, lo+1); end >= 0 {
			return key, span{uint32(lo + 1), uint32(end)}, end + 1, true
		}
		if string(line[at:eq]) == "error" || bytes.IndexByte(line[lo:], '=') < 0 {
			end := len(bytes.TrimRight(line[lo+1:], " \t\r\"'`"))
			return key, span{uint32(lo + 1), uint32(lo + 1 + end)}, len(line), true
		}
	}
	end := wordEnd(line, lo)
	return key, span{uint32(lo), uint32(end)}, end, true
}

// quoteEnd returns where a quoted value ends; negative when it does not.
func quoteEnd(line []byte, at int) int {
	for {
		n := bytes.IndexByte(line[at:], '"')
		if n < 0 {
			return -1
		}
		at += n
		if line[at-1] != '\\' && (at+1 == len(line) || isBlank(line[at+1])) {
			return at
		}
		at++
	}
}
