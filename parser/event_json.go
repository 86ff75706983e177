package parser

import (
	"bytes"
	"slices"
)

// readJSONEvent decides whether the object at s[0], which a scan has just
// read, is an operational record: Istio's programs, the Envoy in Istio and
// ztunnel write time, level, scope and text under fixed keys, Kubernetes'
// programs a time in milliseconds, a caller and a text. Applications use the
// same keys, so a second sign must be there.
// Source: https://istio.io/latest/docs/ops/diagnostic-tools/component-logging/
func (p *Parser) readJSONEvent(s []byte) bool {
	r := &p.rec
	if r.present&Fields(Level, Component) == 0 && p.kubeObject(s) {
		return true
	}
	text := r.Bytes(Message)
	if text == nil {
		return false
	}
	emitter := p.jsonEmitter(s, text)
	if emitter == NoEmitter {
		return false
	}
	r.Kind, r.Emitter = Event, emitter
	if emitter == Ztunnel && string(r.Bytes(Component)) == "access" && string(text) == "connection complete" {
		p.ztunnelObject(s)
	}
	return true
}

func (p *Parser) jsonEmitter(s, text []byte) Emitter {
	r := &p.rec
	level, scope, when := r.Bytes(Level), r.Bytes(Component), r.Bytes(StartTime)
	istio := len(when) == 27 && isDateTime(when, 'T') && when[26] == 'Z' && isIstioLevel(level)
	row, known := findScope(scope)
	switch {
	case hasPrefix(scope, "envoy ") && isName(scope[len("envoy "):]):
		return Envoy
	case known && (row.own || istio):
		return row.emitter
	case istio:
		return wordingEmitter(text)
	case level == nil && isKubeTime(when) && hasMember(s, "caller"):
		return Klog
	}
	var e event
	if e.bare(text, 0) {
		return e.emitter
	}
	return NoEmitter
}

// kubeObject reads an Event of Kubernetes: of the core API, or of
// events.k8s.io, which has other names for two keys.
// Source: https://kubernetes.io/docs/reference/kubernetes-api/cluster-resources/event-v1/
func (p *Parser) kubeObject(s []byte) bool {
	if !bytes.Contains(s, []byte(`"involvedObject"`)) && !bytes.Contains(s, []byte(`"regarding"`)) {
		return false
	}
	var at [NumFields]span
	about := false
	for i := 1; ; {
		name, v, next, ok := nextMember(s, i)
		if !ok {
			break
		}
		switch string(name) {
		case "involvedObject", "regarding":
			about = true
		case "type":
			at[Level] = v
		case "reason":
			at[Component] = v
		case "note":
			at[Message] = v
		case "lastTimestamp", "eventTime", "deprecatedLastTimestamp":
			if v.hi > v.lo && string(v.of(s)) != "null" {
				at[StartTime] = v
			}
		}
		i = next
	}
	r := &p.rec
	if level := string(at[Level].of(s)); !about || level != "Warning" && level != "Normal" || !isReason(at[Component].of(s)) {
		return false
	}
	for _, f := range [...]Field{StartTime, Level, Component, Message} {
		p.keepJSON(f, s, at[f])
	}
	r.Kind, r.Emitter = Event, K8sEvent
	p.dropExtra("type", "reason", "note", "lastTimestamp", "eventTime", "deprecatedLastTimestamp")
	return true
}

// keepJSON stores the string s[v.lo:v.hi] of an object as the value of a field.
func (p *Parser) keepJSON(f Field, s []byte, v span) {
	r := &p.rec
	if v.hi == v.lo || !p.want.Has(f) {
		return
	}
	if bytes.IndexByte(v.of(s), '\\') < 0 {
		r.inScratch &^= 1 << f
		r.set(f, int(v.lo), int(v.hi))
		return
	}
	lo := len(r.scratch)
	r.scratch = unescape(r.scratch, v.of(s))
	r.setScratch(f, lo)
}

// dropExtra removes keys that became fields.
func (p *Parser) dropExtra(names ...string) {
	r := &p.rec
	r.extra = slices.DeleteFunc(r.extra, func(x ExtraField) bool { return isOneOf(x.Key, names) })
}

// isKubeTime says whether a time is one of Kubernetes' programs: milliseconds
// since 1970, perhaps with a fraction.
// Source: https://kubernetes.io/docs/concepts/cluster-administration/system-logs/#json-log-format
func isKubeTime(when []byte) bool {
	const digits = 13
	return len(when) >= digits && isDigits(when[:digits]) && (len(when) == digits || isFraction(when[digits:]))
}

// ztunnelObject turns the event in p.rec into the access record that it is.
func (p *Parser) ztunnelObject(s []byte) {
	r := &p.rec
	r.Kind, r.Dialect = Access, ztunnelJSON
	r.present &^= Fields(Level, Component, Message)
	p.trimMilliseconds()
	p.dropExtra("src.addr", "dst.addr", "direction")
	for i := 1; ; {
		name, v, next, ok := nextMember(s, i)
		if !ok {
			return
		}
		switch string(name) {
		case "src.addr":
			p.keep(DownstreamRemoteAddress, v)
		case "dst.addr":
			p.keep(UpstreamHost, v)
		case "direction":
			r.direction = ztunnelDirection(v.of(s))
		case "error":
			r.errored, r.failure = true, v
		}
		i = next
	}
}

// trimMilliseconds takes the unit off the duration.
func (p *Parser) trimMilliseconds() {
	r := &p.rec
	v := r.Bytes(Duration)
	if n := len(v) - 2; n > 0 && string(v[n:]) == "ms" {
		r.spans[Duration].hi -= 2
	}
}

// hasMember says whether an object has a key.
func hasMember(s []byte, key string) bool {
	for i := 1; ; {
		name, _, next, ok := nextMember(s, i)
		if !ok || string(name) == key {
			return ok
		}
		i = next
	}
}

// nextMember returns the key that follows s[i] in an object, and its value
// without quotes, as it is written; of an object or an array the span is empty.
func nextMember(s []byte, i int) (name []byte, v span, next int, ok bool) {
	for i < len(s) && (s[i] <= ' ' || s[i] == ',') {
		i++
	}
	if i >= len(s) || s[i] != '"' {
		return nil, span{}, i, false
	}
	end, _ := stringEnd(s, i+1)
	if end < 0 {
		return nil, span{}, i, false
	}
	name = s[i+1 : end]
	if i = skipSpace(s, end+1); i >= len(s) || s[i] != ':' {
		return nil, span{}, i, false
	}
	if i = skipSpace(s, i+1); i >= len(s) {
		return nil, span{}, i, false
	}
	v, _, next, ok = scalar(s, i)
	return name, v, next, ok
}
