package parser

// readJSONEvent decides whether the object at s[0], which a scan has just
// read, is an operational record: Istio's programs, the Envoy in Istio and
// ztunnel write time, level, scope and text under fixed keys, Kubernetes'
// programs a time in milliseconds, a caller and a text. Applications use the
// same keys, so a second sign must be there.
// Source: https://istio.io/latest/docs/ops/diagnostic-tools/component-logging/
func (p *Parser) readJSONEvent(s []byte) bool {
	r := &p.rec
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
	istio := len(when) == 27 && isDateTime(when, 'T') && when[26] == 'Z' && isOneOf(level, istioLevels)
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
	kept := r.extra[:0]
	for _, x := range r.extra {
		switch string(x.Key) {
		case "src.addr", "dst.addr", "direction":
		default:
			kept = append(kept, x)
		}
	}
	r.extra = kept
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
			r.errored = true
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
