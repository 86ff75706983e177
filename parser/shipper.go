package parser

import "bytes"

// A cargo is what a shipper's object carries: the line that it shipped, and
// where it says that the line is from.
type cargo struct {
	text   span
	key    Envelope
	rank   int  // of the key: the lowest wins
	nested bool // the text is an object, not a string
	sure   bool // only a shipper's object has such a key
	place  Place
	named  []byte // the key of a pair in a list of attributes
	lines  []byte // the texts of a list, one a line
	count  int    // how many
	proxy  []byte // the attributes of a list's element, as an object
	said   bool   // one of those is the flags or the code
	first  Place  // of a list's first line
	mixed  bool   // others are from elsewhere
}

// textKeys are the keys under which shippers keep a line, the surest first.
var textKeys = map[string]Envelope{
	"log": JSONLog, "message": JSONMessage, "body": JSONBody, "stringValue": JSONBody, "textPayload": JSONText, "jsonPayload": JSONPayload, "MESSAGE": JSONJournal,
	"@message": JSONAt, "short_message": JSONMessage, "payload": JSONMessage, "LogMessage": JSONMessage, "LogEntry": JSONMessage, "line": JSONLine, "log_processed": JSONProcessed, "event": JSONEvent, "original": JSONOriginal, "event.original": JSONOriginal, "_raw": JSONRaw, "msg": JSONMsg,
}

// carriers are keys that an object has which carries a line. Those that are
// sure say so even if the line is nobody's.
var carriers = map[string]bool{
	"kubernetes": true, "resourceLogs": true, "logEvents": true, "textPayload": true, "jsonPayload": false, "log_processed": true, "__REALTIME_TIMESTAMP": true,
	"@message": true, "source_type": true, "agent": true, "MESSAGE": false, "line": false, "event": false, "events": false, "_raw": false, "event.original": false, "httpRequest": false,
	"kubernetes.pod.name": true, "kubernetes.pod_name": true, "k8s": true, "filename": false, "common_properties": false, "commonProperties": false, "_source": false, "_index": false, "hits": false, "pod": false, "container": false, "content": false, "result": false, "short_message": false, "payload": false, "LogMessage": true, "LogEntry": true, "fields": false, "podName": true, "pod_name": true, "podNamespace": true, "ecs_task_arn": true, "scopeLogs": true, "logRecords": true, "labels": false, "data": false,
}

// A placeKey says which part of a Place a key names.
type placeKey uint8

const (
	noPlace placeKey = iota
	placeNamespace
	placePod
	placeContainer
	placeFile // the path of a container's log tells all three
)

// placeKeys are the keys of places. Source: the documentation of the
// Kubernetes filters of Fluent Bit, Vector, Filebeat, Promtail, and
// OpenTelemetry's semantic conventions.
var placeKeys = map[string]placeKey{
	"namespace_name": placeNamespace, "PodNamespace": placeNamespace, "_namespace_name": placeNamespace, "pod_namespace": placeNamespace, "namespace": placeNamespace, "k8s.namespace.name": placeNamespace,
	"kubernetes.namespace": placeNamespace, "kubernetes.namespace_name": placeNamespace, "kubernetes.pod_namespace": placeNamespace,
	"pod_name": placePod, "podName": placePod, "PodName": placePod, "_pod_name": placePod, "pod": placePod, "k8s.pod.name": placePod, "kubernetes.pod.name": placePod, "kubernetes.pod_name": placePod,
	"container_name": placeContainer, "containerName": placeContainer, "ContainerName": placeContainer, "_container_name": placeContainer, "container": placeContainer, "CONTAINER_NAME": placeContainer, "k8s.container.name": placeContainer, "kubernetes.container.name": placeContainer, "kubernetes.container_name": placeContainer,
	"file": placeFile, "filename": placeFile, "log.file.path": placeFile, "path": placeFile, "tag": placeFile, "_tag": placeFile, "logName": noPlace,
}

// ship looks for the line in the object at s[0]. It is false when there is
// none, or when the object may be anybody's and the text in it is no record.
func (p *Parser) ship(s []byte, o *object) bool {
	c := &p.cargo
	*c = cargo{lines: c.lines[:0], proxy: c.proxy[:0], rank: int(NumEnvelopes)}
	if _, ok := p.shipObject(s, 0, nil, 0); !ok && !o.cut {
		return false
	}
	switch {
	case c.count > 0:
		o.key, o.inner = c.key, span{}
	case c.rank == int(NumEnvelopes):
		return false
	case !c.sure && !p.isRecord(s, c):
		return false
	default:
		o.key, o.inner = c.key, c.text
	}
	o.torn, o.shipped = !o.whole, true
	return true
}

// from takes the parts of the place that another one has.
func (at *Place) from(other *Place) {
	if other.Namespace != nil {
		at.Namespace = other.Namespace
	}
	if other.Pod != nil {
		at.Pod = other.Pod
	}
	if other.Container != nil {
		at.Container = other.Container
	}
}

// is says whether two places are the same.
func (at *Place) is(other *Place) bool {
	return bytes.Equal(at.Namespace, other.Namespace) && bytes.Equal(at.Pod, other.Pod) && bytes.Equal(at.Container, other.Container)
}

// isRecord says whether the text of a cargo begins like a record.
func (p *Parser) isRecord(s []byte, c *cargo) bool {
	v := c.text.of(s)
	if c.nested {
		return true
	}
	p.unescaped = unescape(p.unescaped[:0], v[:min(len(v), 256)])
	v = p.unescaped
	return beginsRecord(v) || findBare(v) != nil || nextHead(v, 0) >= 0
}

// shipObject walks through the object at s[i], which stands under a key.
func (p *Parser) shipObject(s []byte, i int, parent []byte, depth int) (next int, ok bool) {
	for i++; depth < maxDepth; {
		if i = skipSpace(s, i); i < len(s) && s[i] == '}' {
			return i + 1, true
		}
		if i < len(s) && s[i] == ',' {
			i = skipSpace(s, i+1)
		}
		if i >= len(s) || s[i] != '"' {
			return i, false
		}
		end, _ := stringEnd(s, i+1)
		if end < 0 {
			return len(s), false
		}
		name := s[i+1 : end]
		if i = skipSpace(s, end+1); i >= len(s) || s[i] != ':' {
			return i, false
		}
		if i = skipSpace(s, i+1); i >= len(s) {
			return i, false
		}
		if i, ok = p.shipMember(s, i, parent, name, depth); !ok {
			return i, false
		}
	}
	return i, false
}

// shipMember walks through the value at s[i] of the key name.
func (p *Parser) shipMember(s []byte, i int, parent, name []byte, depth int) (next int, ok bool) {
	c := &p.cargo
	if sure, known := carriers[string(name)]; known && depth == 0 {
		c.sure = c.sure || sure
	}
	switch s[i] {
	case '{':
		lo := i
		if i, ok = p.shipObject(s, i, name, depth+1); ok {
			key, known := textKeys[string(name)]
			switch at := (span{uint32(lo), uint32(i)}); {
			case !known || depth > 0 || key == JSONBody:
			case hasColumns(at.of(s)):
				c.text, c.key, c.rank, c.nested = at, key, -1, true
			case key == JSONPayload || key == JSONProcessed:
				c.offer(at, key, true)
			}
		}
		return i, ok
	case '[':
		return p.shipArray(s, i, name, depth+1)
	}
	v, _, next, ok := scalar(s, i)
	switch key, known := textKeys[string(name)]; {
	case !ok && s[i] == '"' && known && p.holdsText(parent, name, depth):
		c.offer(span{uint32(i + 1), uint32(len(s))}, key, false)
	case ok && v.hi > v.lo && s[i] == '"':
		p.shipString(s, parent, name, v, depth)
	}
	return next, ok
}

// hasColumns says whether an object seems to be an access record.
func hasColumns(object []byte) bool {
	return bytes.Contains(object, []byte(`"response_`)) || bytes.Contains(object, []byte(`"upstream_`))
}

// offer takes a text for the line if its key is a better one.
func (c *cargo) offer(v span, key Envelope, nested bool) {
	if int(key) < c.rank {
		c.text, c.key, c.rank, c.nested = v, key, int(key), nested
	}
}

// shipString notes a string: the line, or a part of the place.
func (p *Parser) shipString(s, parent, name []byte, v span, depth int) {
	c := &p.cargo
	if key, ok := textKeys[string(name)]; ok && p.holdsText(parent, name, depth) {
		c.offer(v, key, false)
	}
	switch string(name) {
	case "key":
		c.named = v.of(s)
	case "stringValue", "intValue":
		if string(parent) != "value" {
			return
		}
		p.shipAttribute(v.of(s))
		name, parent = c.named, nil
	case "name":
		name = parent // kubernetes.pod.name, nested
	}
	text := v.of(s)
	switch placeKeys[string(name)] {
	case placeNamespace:
		c.place.Namespace = text
	case placePod:
		c.place.Pod = text
	case placeContainer:
		c.place.Container = text
	case placeFile:
		if at := placeOf(text); at.Pod != nil && c.place.Pod == nil {
			c.place = at
		}
	}
}

// holdsText says whether a key at this place is one of a line's: a key of
// OpenTelemetry's only in the body, the others at the top or in a list.
func (p *Parser) holdsText(parent, name []byte, depth int) bool {
	switch {
	case string(name) == "stringValue":
		return string(parent) == "body"
	case string(name) == "original":
		return string(parent) == "event"
	case depth == 0:
		return true
	}
	return isOneOf(parent, textLists[:]) || isOneOf(parent, textParents[:])
}

// textParents are the keys of objects that have a line beside other members.
var textParents = [...]string{"jsonPayload", "_source", "data", "content", "attributes", "result", "event", "fields"}

// textLists are the keys of lists with a line in each element.
var textLists = [...]string{"logRecords", "logEvents", "events", "log_events", "data", "hits", "results"}

// shipArray walks through the array at s[i]; of a list of lines it keeps all.
func (p *Parser) shipArray(s []byte, i int, name []byte, depth int) (next int, ok bool) {
	c := &p.cargo
	listed := isOneOf(name, textLists[:])
	for i++; depth < maxDepth; {
		if i = skipSpace(s, i); i < len(s) && s[i] == ']' {
			return i + 1, true
		}
		if i < len(s) && s[i] == ',' {
			i = skipSpace(s, i+1)
		}
		if i >= len(s) {
			return i, false
		}
		if s[i] != '{' {
			if _, _, i, ok = scalar(s, i); !ok {
				return i, false
			}
			continue
		}
		if listed {
			c.rank, c.text, c.proxy, c.said = int(NumEnvelopes), span{}, c.proxy[:0], false
		}
		i, ok = p.shipObject(s, i, name, depth)
		if listed && (ok || i >= len(s)) {
			p.shipElement(s)
		}
		if !ok {
			return i, false
		}
	}
	return i, false
}

// shipElement keeps the line of a list's element: its text, or the attributes
// when they are those of an access record and the text is no record.
func (p *Parser) shipElement(s []byte) {
	c := &p.cargo
	switch {
	case c.said && !(c.rank < int(NumEnvelopes) && p.isRecord(s, c)):
		c.proxy[0] = '{'
		c.lines = append(append(c.lines, c.proxy...), '}')
		c.key = JSONBody
	case c.rank < int(NumEnvelopes):
		lo := len(c.lines)
		c.lines = unescape(c.lines, c.text.of(s))
		for i := lo; i < len(c.lines); i++ {
			if c.lines[i] == '\n' || c.lines[i] == '\r' {
				c.lines[i] = ' '
			}
		}
	default:
		return
	}
	c.lines = append(trimBlanks(c.lines), '\n')
	if c.count++; c.count == 1 {
		c.first = c.place
	}
	c.mixed = c.mixed || !c.place.is(&c.first)
}

// shipAttribute adds a pair of a list of attributes to an object of its own:
// an access logger may have written the columns there.
func (p *Parser) shipAttribute(v []byte) {
	c := &p.cargo
	key, known := jsonKeys[string(c.named)]
	if !known || key.field == Level || key.field == Message || key.field == Component {
		return
	}
	c.said = c.said || key.field == ResponseFlags || key.field == ResponseCode && key.own
	c.proxy = append(append(append(c.proxy, `,"`...), c.named...), `":"`...)
	c.proxy = append(append(c.proxy, v...), '"')
}

// placeOf reads the path of a container's log, or a tag made of it:
// /var/log/containers/POD_NAMESPACE_CONTAINER-ID.log and
// /var/log/pods/NAMESPACE_POD_UID/CONTAINER/0.log.
// Source: https://kubernetes.io/docs/concepts/cluster-administration/logging/
func placeOf(path []byte) (at Place) {
	if i := bytes.Index(path, []byte("log/pods/")); i >= 0 {
		dir, rest, ok := bytes.Cut(path[i+len("log/pods/"):], []byte{'/'})
		parts := [3][]byte{}
		if ok && split3(dir, '_', &parts) {
			container, _, _ := bytes.Cut(rest, []byte{'/'})
			return Place{parts[0], parts[1], container}
		}
		return at
	}
	i := bytes.Index(path, []byte("log"))
	if i < 0 || !hasPrefix(path[min(i+4, len(path)):], "containers") {
		return at
	}
	name := path[min(i+len("log/containers/"), len(path)):]
	parts := [3][]byte{}
	if split3(name, '_', &parts) {
		if n := bytes.LastIndexByte(parts[2], '-'); n > 0 {
			return Place{parts[1], parts[0], parts[2][:n]}
		}
	}
	return at
}

// split3 cuts s into three parts.
func split3(s []byte, sep byte, parts *[3][]byte) bool {
	a, rest, ok1 := bytes.Cut(s, []byte{sep})
	b, c, ok2 := bytes.Cut(rest, []byte{sep})
	*parts = [3][]byte{a, b, c}
	return ok1 && ok2 && len(a) > 0 && len(b) > 0 && len(c) > 0
}

// nextQueued reads the next line of a list that a shipper sent as one object.
func (p *Parser) nextQueued() {
	r := &p.rec
	line, rest, _ := bytes.Cut(p.queue, []byte{'\n'})
	p.queue = rest
	r.reset(r.Begin+r.Size, 0, r.Line)
	r.Lines, r.envelopes, r.depth, r.place = 0, p.queueEnvelopes, p.queueDepth, p.queuePlace
	if len(rest) == 0 {
		r.Lines = p.queueLines
	}
	p.joined = &p.whole
	p.read(line)
}

// enqueue lets the lines behind the first one follow, and returns that one.
func (p *Parser) enqueue() []byte {
	r, c := &p.rec, &p.cargo
	p.queued, p.queuedBefore = append(append(p.queuedBefore[:0], c.lines...), p.queue...), p.queued
	padded(&p.queued)
	line, rest, _ := bytes.Cut(p.queued, []byte{'\n'})
	within := len(p.queue) > 0 // a line of another list
	if p.queue = rest; len(rest) > 0 {
		p.queueEnvelopes, p.queueDepth, p.queuePlace = r.envelopes, r.depth, r.place
	}
	if len(rest) > 0 && !within {
		p.queueLines = min(r.Lines, 1)
		r.Lines -= p.queueLines
	}
	return line
}
