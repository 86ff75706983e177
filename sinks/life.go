package sinks

import (
	"bytes"
	"encoding/binary"
	"slices"
	"time"

	"github.com/flagwatch/flagwatch/classify"
	"github.com/flagwatch/flagwatch/parser"
)

// A milestone is something that a proxy or its agent says about the proxy's
// own life.
type milestone uint8

const (
	noMilestone    milestone = iota
	proxyStarted             // its main loop runs; no configuration yet
	proxyWorking             // configuration is there, workers run
	proxyReady               // the agent found it ready
	proxyNotReady            // the agent found it not ready
	proxyEmpty               // not ready, nothing received and nothing refused
	proxyRefused             // not ready, updates were refused
	proxyBroken              // it refused its own bootstrap, and ends
	proxyDraining            // it was asked to end
	proxyExited              // its process ended
	proxyConnected           // the agent reached the control plane
	streamClosed             // a stream of the control plane ended
	streamDown               // it has been gone for a while
	numMilestones
)

// said are the messages that are milestones, by their beginning. Versions of
// Envoy and Istio from 1.1 on word them so.
// Source: https://istio.io/latest/docs/ops/diagnostic-tools/proxy-cmd/
var said = []saying{
	{"starting main dispatch loop", proxyStarted},
	{"all dependencies initialized. starting workers", proxyWorking},
	{"error initializing config", proxyBroken},
	{"error `", proxyBroken},
	{"Envoy proxy is ready", proxyReady},
	{"Readiness succeeded", proxyReady},
	{"Envoy proxy is NOT ready", proxyNotReady},
	{"Agent draining Proxy", proxyDraining},
	{"Agent draining proxy", proxyDraining},
	{"Envoy exited", proxyExited},
	{"connected to upstream XDS server", proxyConnected},
	{"connected to delta upstream XDS server", proxyConnected},
	{"caught ENVOY_SIGTERM", proxyDraining},
}

// A saying is a row of that list.
type saying struct {
	begin string
	is    milestone
}

// saidByFirst holds the rows by their first byte.
var saidByFirst = func() (rows [256][]saying) {
	for _, s := range said {
		rows[s.begin[0]] = append(rows[s.begin[0]], s)
	}
	return rows
}()

// A life is what is known of one proxy.
type life struct {
	times [numMilestones]occasion
	down  int64 // longest that the control plane was said to be gone, seconds
	seen  span  // of its events

	refused occasion // lines of an application that could not connect
}

// An occasion is how often something happened, and when.
type occasion struct {
	n    uint64
	when span
}

// lives are the proxies' lives, by id of proxies.
type lives []life

func (t *lives) of(proxy uint16) *life {
	for int(proxy) >= len(*t) {
		*t = append(*t, life{})
	}
	return &(*t)[proxy]
}

func (t *lives) reset() { *t = (*t)[:0] }

func (t *lives) merge(o *lives, proxies []uint16) {
	for i := range *o {
		t.of(proxies[i]).merge(&(*o)[i])
	}
}

func (l *life) merge(o *life) {
	for i := range o.times {
		l.times[i].n += o.times[i].n
		l.times[i].when.merge(o.times[i].when)
	}
	l.down = max(l.down, o.down)
	l.seen.merge(o.seen)
	l.refused.n += o.refused.n
	l.refused.when.merge(o.refused.when)
}

func (l *life) note(m milestone, at int64, timed bool) {
	o := &l.times[m]
	o.n++
	if timed {
		o.when.add(at)
	}
}

// addLife counts what an event tells of its proxy, and the event's cause.
func (d *Delta) addLife(from *Origin, r *parser.Record, v *classify.Verdict) {
	if r.Emitter == parser.Klog || r.Emitter == parser.K8sEvent {
		if v.Cause != nil {
			d.addEventCause(from, r, v, 0, false)
		}
		return
	}
	message := r.Bytes(parser.Message)
	at, timed := d.clock.ofEvent(r)
	l := d.lives.of(d.proxy(from, r))
	if timed {
		l.seen.add(at)
	}
	if m := milestoneOf(message); m != noMilestone {
		l.note(m, at, timed)
		if m == proxyNotReady {
			l.counters(message, at, timed)
		}
	} else if seconds, closed := streamEnd(message); closed {
		l.closed(seconds, at, timed)
	}
	if v.Cause != nil {
		d.addEventCause(from, r, v, at, timed)
	}
}

func (d *Delta) addEventCause(from *Origin, r *parser.Record, v *classify.Verdict, at int64, timed bool) {
	g := d.causes.of(d.causes.id(v.Cause))
	g.used = true
	g.events.add(1, v.Failed)
	g.sides[v.Side]++
	g.confidences[v.Confidence]++
	for _, c := range v.Rivals {
		g.addRival(c, 1)
	}
	if timed {
		g.when.add(at)
	}
	g.samples.add(from, r, at, timed)
	g.tops[byProxy].add(key{rest: uint64(d.proxy(from, r))}, nil, at, timed)
}

func milestoneOf(message []byte) milestone {
	if len(message) == 0 {
		return noMilestone
	}
	for _, s := range saidByFirst[message[0]] {
		if len(message) >= len(s.begin) && string(message[:len(s.begin)]) == s.begin {
			return s.is
		}
	}
	return noMilestone
}

// counters reads "cds updates: 0 successful, 0 rejected; lds updates: ..." of
// a proxy that is not ready: what it received and what it refused.
func (l *life) counters(message []byte, at int64, timed bool) {
	i := bytes.Index(message, []byte("cds updates:"))
	if i < 0 {
		if bytes.Contains(message, []byte("PRE_INITIALIZING")) {
			l.note(proxyEmpty, at, timed)
		}
		return
	}
	var received, refused bool
	for part := range bytes.SplitSeq(message[i:], []byte("updates: ")) {
		words := part[:min(len(part), 64)]
		n := bytes.IndexByte(words, ' ')
		comma := bytes.Index(words, []byte(", "))
		if n < 1 || comma < n || words[0] < '0' || words[0] > '9' {
			continue
		}
		received = received || words[0] != '0'
		refused = refused || len(words) > comma+2 && words[comma+2] != '0'
	}
	switch {
	case refused:
		l.note(proxyRefused, at, timed)
	case !received:
		l.note(proxyEmpty, at, timed)
	}
}

// streamEnd recognises the end of a stream of the control plane, and for how
// many seconds it has been gone.
func streamEnd(message []byte) (seconds int64, closed bool) {
	const since = " closed since "
	head := message[:min(len(message), 200)]
	i := streamAt(head)
	if i < 0 {
		return 0, false
	}
	if j := bytes.Index(head[i:], []byte(since)); j >= 0 {
		for _, c := range head[i+j+len(since):] {
			if c < '0' || c > '9' || seconds > 1e9 {
				break
			}
			seconds = 10*seconds + int64(c-'0')
		}
		return seconds, true
	}
	return 0, bytes.Contains(head[i:], []byte(" closed: "))
}

// streamAt is where a stream of the control plane is named; -1 if none is. Of
// the name, the R is the rarest byte.
func streamAt(head []byte) int {
	const g, rest = 1, "RPC config stream"
	for from := g; from < len(head); {
		i := bytes.IndexByte(head[from:], rest[0])
		if i < 0 {
			return -1
		}
		at := from + i
		if head[at-g] == 'g' && bytes.HasPrefix(head[at:], []byte(rest)) {
			return at - g
		}
		from = at + 1
	}
	return -1
}

// closed counts the end of a stream. One that has been gone for a while began
// to be so before the record.
func (l *life) closed(seconds, at int64, timed bool) {
	l.note(streamClosed, at, timed)
	if seconds == 0 {
		return
	}
	l.down = max(l.down, seconds)
	l.note(streamDown, at, timed)
	if timed {
		l.times[streamDown].when.add(at - seconds*int64(time.Second))
	}
}

// ofEvent is eventTime; within the minute of the last one it decodes the
// seconds of the usual layouts only: "2006-01-02T15:04:05.000000Z" and
// "2006-01-02 15:04:05.000".
func (c *clock) ofEvent(r *parser.Record) (int64, bool) {
	b := r.Bytes(parser.StartTime)
	micros := len(b) == len("2006-01-02T15:04:05.000000Z") && b[10] == 'T' && b[26] == 'Z'
	if !micros && (len(b) != len("2006-01-02 15:04:05.000") || b[10] != ' ') {
		return eventTime(r)
	}
	const t = uint64('T') << 16 // a minute is the same one in both layouts, and in access records
	date, rest := binary.LittleEndian.Uint64(b), binary.LittleEndian.Uint64(b[8:])&^(0xff<<16)|t
	if s, ok := secondsOf(b, micros); ok && date == c.date && rest == c.rest {
		return c.minute + s, true
	}
	at, ok := eventTime(r)
	if ok && at > 0 {
		c.date, c.rest, c.minute = date, rest, at-at%60e9
	}
	return at, ok
}

// secondsOf reads the seconds of a time in one of the usual layouts as
// nanoseconds.
func secondsOf(b []byte, micros bool) (nano int64, ok bool) {
	nano, ok = seconds(binary.LittleEndian.Uint64(b[15:])>>8 | 'Z'<<56)
	if !micros {
		return nano, ok
	}
	x, y, z := b[23]-'0', b[24]-'0', b[25]-'0'
	return nano + (100*int64(x)+10*int64(y)+int64(z))*1e3, ok && x <= 9 && y <= 9 && z <= 9
}

// eventTime is the time of an event. Envoy writes local time without a zone;
// in a container that is UTC.
func eventTime(r *parser.Record) (int64, bool) {
	if at, ok := r.Time(); ok {
		return at, true
	}
	return wallTime(r.Bytes(parser.StartTime))
}

// wallTime reads a date and a time of day, to the millisecond.
func wallTime(b []byte) (int64, bool) {
	if len(b) < len("2006-01-02 15:04:05") || b[4] != '-' || b[10] != ' ' && b[10] != 'T' || b[13] != ':' {
		return 0, false
	}
	var n [7]int
	for i, at := range [][2]int{{0, 4}, {5, 7}, {8, 10}, {11, 13}, {14, 16}, {17, 19}} {
		for _, c := range b[at[0]:at[1]] {
			if c < '0' || c > '9' {
				return 0, false
			}
			n[i] = 10*n[i] + int(c-'0')
		}
	}
	if len(b) >= 23 && b[19] == '.' || len(b) >= 23 && b[19] == ',' {
		for _, c := range b[20:23] {
			n[6] = 10*n[6] + int(c-'0')
		}
	}
	t := time.Date(n[0], time.Month(n[1]), n[2], n[3], n[4], n[5], n[6]*1e6, time.UTC)
	return t.UnixNano(), n[0] > 1970 && n[0] < 2262 && n[1] <= 12 && n[2] <= 31
}

// refusals are what programs print when nobody answers on the network.
var refusals = [][]byte{[]byte("onnection refused"), []byte("ECONNREFUSED"), []byte("getaddrinfo"), []byte("no such host")}

// lookApp notes lines of an application that could not connect, with the time
// that stands in the line.
func (d *Delta) lookApp(from *Origin, r *parser.Record, raw []byte) {
	if !slices.ContainsFunc(refusals, func(words []byte) bool { return bytes.Contains(raw, words) }) {
		return
	}
	l := d.lives.of(d.proxy(from, r))
	l.refused.n++
	for i := range min(len(raw), 160) {
		if at, ok := wallTime(raw[i:]); ok {
			l.refused.when.add(at)
			return
		}
	}
}

// has says whether a milestone was met.
func (l *life) has(m milestone) bool { return l.times[m].n > 0 }

// after says whether a milestone was met at or after the last time of another
// one; without times its mere presence counts.
func (l *life) after(m, other milestone) bool {
	a, b := &l.times[m], &l.times[other]
	if a.n == 0 {
		return false
	}
	return !a.when.timed || !b.when.timed || a.when.last >= b.when.last
}

// absent says whether the proxy's last start was never followed by its work,
// although workers may be told of: the sign of a control plane that can not be
// reached, since a proxy that waits for it says nothing for half a minute. It
// returns how long the log goes on after that start.
func (l *life) absent() (waited time.Duration, ok bool) {
	if !l.has(proxyStarted) || l.after(proxyWorking, proxyStarted) || l.after(proxyReady, proxyStarted) || l.after(proxyExited, proxyStarted) {
		return 0, false
	}
	start := l.times[proxyStarted].when
	if !start.timed || !l.seen.timed {
		return 0, true
	}
	return time.Duration(l.seen.last - start.last), true
}

// ids are the proxies that something is known of.
func (t lives) ids(known func(*life) bool) (list []uint16) {
	for i := range t {
		if known(&t[i]) {
			list = append(list, uint16(i))
		}
	}
	return slices.Clip(list)
}
