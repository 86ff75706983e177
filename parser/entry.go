package parser

import "bytes"

// entryKeys are the members of an entry of Envoy's access log service that are
// fields, by their spelling: its JSON has them in either case.
// Source: https://www.envoyproxy.io/docs/envoy/latest/api-v3/data/accesslog/v3/accesslog.proto
var entryKeys = map[string]Field{
	"starttime": StartTime, "duration": Duration, "upstreamcluster": UpstreamCluster, "routename": RouteName, "upstreamtransportfailurereason": UpstreamTransportFailureReason,
	"downstreamtransportfailurereason": DownstreamTransportFailureReason, "upstreamremoteaddress": UpstreamHost, "upstreamlocaladdress": UpstreamLocalAddress,
	"downstreamlocaladdress": DownstreamLocalAddress, "downstreamremoteaddress": DownstreamRemoteAddress, "requestmethod": Method, "authority": Authority, "path": Path,
	"useragent": UserAgent, "requestid": RequestID, "forwardedfor": XForwardedFor, "requestbodybytes": BytesReceived, "responsecode": ResponseCode,
	"responsecodedetails": ResponseCodeDetails, "responsebodybytes": BytesSent, "receivedbytes": BytesReceived, "sentbytes": BytesSent, "tlssnihostname": RequestedServerName,
	"responseflags": ResponseFlags, "protocolversion": Protocol, "connectionterminationdetails": ConnectionTerminationDetails,
}

// entryParts are the members of an entry that have such members.
var entryParts = map[string]bool{"commonproperties": true, "request": true, "response": true, "connectionproperties": true, "tlsproperties": true}

// entryFlags are the short names of flags by the spelling of an entry's, which
// are the long ones but for a few.
var entryFlags = func() map[string]string {
	m := map[string]string{"unauthorizeddetails": "UAEX", "overloadmanager": "OM", "dnsresolutionfailure": "DF"}
	for i := range flags {
		m[string(appendSpelling(nil, []byte(flags[i].Long)))] = flags[i].Short
	}
	return m
}()

// readEntry reads an entry of Envoy's access log service: as the flat object
// that the proxy would have written.
func (p *Parser) readEntry(s []byte) bool {
	common := memberObject(s, "common_properties")
	if common == nil {
		common = memberObject(s, "commonProperties")
	}
	if common == nil {
		return false
	}
	p.traffic = append(p.traffic[:0], '{')
	if p.addEntry(s); len(p.traffic) == 1 {
		return false
	}
	if memberObject(s, "response") == nil {
		p.traffic = append(p.traffic, `"response_code":0,`...)
	}
	if memberObject(common, "response_flags") == nil && memberObject(common, "responseFlags") == nil {
		p.traffic = append(p.traffic, `"response_flags":"-",`...)
	}
	p.traffic[len(p.traffic)-1] = '}'
	if !p.readFlat(padded(&p.traffic)) {
		return false
	}
	p.rec.Dialect = Inferred
	return true
}

// addEntry adds the members of an object of an entry under the names of fields.
func (p *Parser) addEntry(object []byte) {
	var buf [maxSpelling]byte
	for i := 1; ; {
		name, v, next, ok := nextMember(object, i)
		if !ok {
			return
		}
		whole := object[i:next]
		if i = next; len(name) > maxSpelling {
			continue
		}
		spelling := appendSpelling(buf[:0], name)
		nested := whole[max(0, bytes.IndexByte(whole, '{')):]
		f, known := entryKeys[string(spelling)]
		switch {
		case v.hi == 0 && entryParts[string(spelling)] && nested[0] == '{':
			p.addEntry(nested)
		case known && (v.hi > v.lo || nested[0] == '{'):
			p.traffic = append(append(append(p.traffic, '"'), fields[f].Name...), `":"`...)
			p.addEntryValue(f, v.of(object), nested)
			p.traffic = append(p.traffic, `",`...)
		}
	}
}

// addEntryValue adds the value of a field, or what its object makes.
func (p *Parser) addEntryValue(f Field, v, nested []byte) {
	switch {
	case f == ResponseFlags:
		p.addEntryFlags(nested)
	case f == Duration:
		p.traffic = appendMilliseconds(p.traffic, v)
	case f == Protocol && hasPrefix(v, "HTTP") && len(v) > 4:
		p.traffic = append(append(p.traffic, "HTTP/"...), v[4])
		if len(v) > 5 {
			p.traffic = append(append(p.traffic, '.'), v[5:]...)
		}
	case len(v) > 0:
		p.traffic = append(p.traffic, v...)
	default:
		p.addEntryAddress(nested)
	}
}

// addEntryAddress adds an address of a socket or the path of a pipe.
func (p *Parser) addEntryAddress(address []byte) {
	for i := 1; ; {
		name, v, next, ok := nextMember(address, i)
		if !ok {
			return
		}
		whole := address[i:next]
		i = next
		switch string(name) {
		case "address", "path":
			p.traffic = append(p.traffic, v.of(address)...)
		case "port_value", "portValue":
			p.traffic = append(append(p.traffic, ':'), v.of(address)...)
		case "socket_address", "socketAddress", "pipe":
			if at := bytes.IndexByte(whole, '{'); at >= 0 {
				p.addEntryAddress(whole[at:])
			}
		}
	}
}

// addEntryFlags adds the flags that an object has as members that are not
// false.
func (p *Parser) addEntryFlags(object []byte) {
	lo := len(p.traffic)
	var buf [maxSpelling]byte
	for i := 1; ; {
		name, v, next, ok := nextMember(object, i)
		if !ok {
			break
		}
		if i = next; len(name) > maxSpelling || string(v.of(object)) == "false" {
			continue
		}
		if len(p.traffic) > lo {
			p.traffic = append(p.traffic, ',')
		}
		if short, known := entryFlags[string(appendSpelling(buf[:0], name))]; known {
			p.traffic = append(p.traffic, short...)
		} else {
			p.traffic = append(p.traffic, name...)
		}
	}
	if len(p.traffic) == lo {
		p.traffic = append(p.traffic, '-')
	}
}
