package parser

import (
	"bytes"
	"strconv"
)

// trafficLog is the dialect of Google's own access records, which are entries
// of Cloud Logging: half in httpRequest, half in labels.
var trafficLog = dialectByID("google-csm-traffic-log")

func dialectByID(id string) Dialect {
	for i := range dialects {
		if dialects[i].ID == id {
			return firstProduct + Dialect(i)
		}
	}
	return NoDialect
}

// trafficKeys are the keys of such an entry that are fields.
// Source: https://cloud.google.com/service-mesh/docs/observability/access-logs
var trafficKeys = map[string]string{
	"requestMethod": "method", "requestUrl": "path", "requestSize": "bytes_received", "status": "response_code", "responseSize": "bytes_sent", "userAgent": "user_agent",
	"remoteIp": "downstream_remote_address", "serverIp": "upstream_host", "latency": "duration", "protocol": "protocol", "timestamp": "start_time",
	"response_flag": "response_flags", "response_details": "response_code_details",
}

var trafficName = []byte("-accesslog-stackdriver")

// readTraffic reads an entry of Google's traffic log: as the flat object that a
// proxy would have written.
func (p *Parser) readTraffic(s []byte) bool {
	request, labels := memberObject(s, "httpRequest"), memberObject(s, "labels")
	if labels == nil || !bytes.Contains(s, trafficName) && (request == nil || !hasMember(labels, "response_flag")) {
		return false
	}
	p.traffic = append(p.traffic[:0], '{')
	p.addTraffic(request)
	p.addTraffic(labels)
	if when := memberString(s, "timestamp"); when != nil {
		p.traffic = append(append(append(p.traffic, `"start_time":"`...), when...), `",`...)
	}
	p.traffic[len(p.traffic)-1] = '}'
	text := padded(&p.traffic)
	p.cargo = cargo{lines: p.cargo.lines[:0], proxy: p.cargo.proxy[:0], rank: int(NumEnvelopes)}
	p.shipObject(s, 0, nil, 0)
	if p.flatObject(text, nil, 0) || p.readFlat(text) {
		p.rec.Dialect, p.rec.place = trafficLog, p.cargo.place
		return true
	}
	return false
}

// readFlat reads an object of the parser's own making.
func (p *Parser) readFlat(text []byte) bool {
	p.rec.forget()
	p.unescaped = p.unescaped[:0]
	o := p.scan(text)
	if !o.whole || !p.rec.hasCode && !p.rec.layout.Has(ResponseFlags) {
		return false
	}
	p.accessObject(text, &o)
	return true
}

// addTraffic adds the members of an object under the names of fields.
func (p *Parser) addTraffic(object []byte) {
	for i := 1; ; {
		name, v, next, ok := nextMember(object, i)
		if !ok {
			return
		}
		i = next
		value := v.of(object)
		if len(value) == 0 {
			continue
		}
		key := string(name)
		if known, ok := trafficKeys[key]; ok {
			key = known
		}
		p.traffic = append(append(append(p.traffic, '"'), key...), `":"`...)
		switch string(name) {
		case "latency":
			p.traffic = appendMilliseconds(p.traffic, value)
		case "requestUrl":
			p.traffic = append(p.traffic, pathOf(value)...)
		default:
			p.traffic = append(p.traffic, value...)
		}
		p.traffic = append(p.traffic, `",`...)
	}
}

// appendMilliseconds appends a duration such as 0.004s.
func appendMilliseconds(dst, v []byte) []byte {
	seconds, ok := parseNumber(bytes.TrimSuffix(v, []byte{'s'}))
	if !ok {
		return dst
	}
	return strconv.AppendFloat(dst, seconds*1000, 'f', -1, 64)
}

// pathOf is the path of a URL.
func pathOf(url []byte) []byte {
	if i := bytes.Index(url, []byte("://")); i >= 0 {
		if j := bytes.IndexByte(url[i+3:], '/'); j >= 0 {
			return url[i+3+j:]
		}
		return []byte{'/'}
	}
	return url
}

// memberObject returns the object under a key of the object s; nil when there
// is none.
func memberObject(s []byte, key string) []byte {
	for i := 1; ; {
		name, v, next, ok := nextMember(s, i)
		if !ok {
			return nil
		}
		if v.hi == 0 && string(name) == key {
			at := i + bytes.Index(s[i:next], name) + len(name)
			if at = at + bytes.IndexByte(s[at:next], ':') + 1; s[skipSpace(s, at)] == '{' {
				return s[skipSpace(s, at):next]
			}
			return nil
		}
		i = next
	}
}

// memberString returns the value under a key of the object s; nil when there
// is none.
func memberString(s []byte, key string) []byte {
	for i := 1; ; {
		name, v, next, ok := nextMember(s, i)
		if !ok {
			return nil
		}
		if v.hi > 0 && string(name) == key {
			return v.of(s)
		}
		i = next
	}
}
