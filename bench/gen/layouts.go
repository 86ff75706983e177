package gen

// appendIstioText is the layout of Istio 1.9 and newer:
// https://istio.io/latest/docs/tasks/observability/logs/access-log/#default-access-log-format
func appendIstioText(g *Generator, dst []byte) []byte {
	r := g.draw()
	dst = g.appendHead(dst, r)
	dst = append(dst, ' ')
	dst = append(dst, r.out.details...)
	dst = append(dst, ` - "`...)
	dst = append(dst, orDash(r.out.reason)...)
	dst = append(dst, `" `...)
	dst = g.appendMiddle(dst, r)
	dst = append(dst, ' ')
	dst = append(dst, r.cluster()...)
	dst = append(dst, ' ')
	dst = r.appendUpstreamLocal(dst)
	dst = append(dst, ' ')
	dst = append(dst, r.downstreamLocal()...)
	dst = append(dst, ' ')
	dst = r.appendRemote(dst)
	dst = append(dst, ' ')
	dst = append(dst, r.sni()...)
	dst = append(dst, ' ')
	return append(dst, r.route()...)
}

// appendEnvoyDefault is Envoy's own default:
// https://www.envoyproxy.io/docs/envoy/latest/configuration/observability/access_log/usage#default-format-string
func appendEnvoyDefault(g *Generator, dst []byte) []byte {
	r := g.draw()
	dst = append(g.appendHead(dst, r), ' ')
	return g.appendMiddle(dst, r)
}

// appendCRI is Istio text as a container runtime writes it to a node's disk.
func appendCRI(g *Generator, dst []byte) []byte {
	g.inner = appendIstioText(g, g.inner[:0])
	before := len(dst)
	dst = g.stamp.append(dst, g.clock)
	dst = append(dst[:len(dst)-1], "184207Z stdout F "...)
	g.rec.wrapper = len(dst) - before
	return append(dst, g.inner...)
}

// appendMixed is what a log store hands out: seven of ten Istio text, two
// JSON, some Envoy default, one in twenty no access record at all.
func appendMixed(g *Generator, dst []byte) []byte {
	switch n := g.bits(8); {
	case n < 180:
		return appendIstioText(g, dst)
	case n < 230:
		return appendIstioJSON(g, dst)
	case n < 243:
		return appendEnvoyDefault(g, dst)
	}
	g.noise++
	g.rec.wrapper = 0
	dst = g.stamp.append(dst, g.clock)
	return append(dst, others[g.bits(16)%uint64(len(others))]...)
}

// appendHead is the start of all text layouts: time, request, code, flags.
func (g *Generator) appendHead(dst []byte, r *record) []byte {
	dst = append(dst, '[')
	dst = g.stamp.append(dst, r.start)
	if r.out.tcp {
		dst = append(dst, `] "- - -" `...)
	} else {
		dst = append(dst, `] "`...)
		dst = append(dst, r.method...)
		dst = append(dst, ' ')
		dst = append(dst, g.path...)
		dst = append(dst, ' ')
		dst = append(dst, r.protocol...)
		dst = append(dst, `" `...)
	}
	dst = append(dst, r.out.code...)
	dst = append(dst, ' ')
	return append(dst, r.out.flags...)
}

// appendMiddle is what all text layouts have next: bytes, durations, headers
// and the upstream host.
func (g *Generator) appendMiddle(dst []byte, r *record) []byte {
	dst = append(appendInt(dst, r.received), ' ')
	dst = append(appendInt(dst, r.sent), ' ')
	dst = append(appendInt(dst, r.took), ' ')
	if r.out.tcp {
		dst = append(dst, `- "-" "-" "-" "-" "`...)
		dst = append(dst, r.upstreamHost()...)
		return append(dst, '"')
	}
	if r.out.far == answered {
		dst = appendInt(dst, r.service)
	} else {
		dst = append(dst, '-')
	}
	dst = append(dst, ` "`...)
	dst = append(dst, r.forwarded...)
	dst = append(dst, `" "`...)
	dst = append(dst, r.agent.text...)
	dst = append(dst, `" "`...)
	dst = appendUUID(dst, r.idHi, r.idLo)
	dst = append(dst, `" "`...)
	dst = append(dst, r.authority()...)
	dst = append(dst, `" "`...)
	dst = append(dst, r.upstreamHost()...)
	return append(dst, '"')
}

// appendIstioJSON is the layout of Istio 1.25 and newer, whose proxies sort
// the keys; numbers are numbers, but a header stays a string.
func appendIstioJSON(g *Generator, dst []byte) []byte {
	r := g.draw()
	http := !r.out.tcp
	dst = appendString(dst, `{"authority":`, r.authority(), http)
	dst = appendInt(append(dst, `,"bytes_received":`...), r.received)
	dst = appendInt(append(dst, `,"bytes_sent":`...), r.sent)
	dst = append(dst, `,"connection_termination_details":null`...)
	dst = appendString(dst, `,"downstream_local_address":`, r.downstreamLocal(), true)
	dst = append(dst, `,"downstream_remote_address":"`...)
	dst = append(r.appendRemote(dst), '"')
	dst = appendInt(append(dst, `,"duration":`...), r.took)
	dst = appendString(dst, `,"method":`, r.method, http)
	if http {
		dst = append(append(append(dst, `,"path":"`...), g.path...), '"')
	} else {
		dst = append(dst, `,"path":null`...)
	}
	dst = appendString(dst, `,"protocol":`, r.protocol, http)
	if http {
		dst = append(appendUUID(append(dst, `,"request_id":"`...), r.idHi, r.idLo), '"')
	} else {
		dst = append(dst, `,"request_id":null`...)
	}
	dst = appendString(dst, `,"requested_server_name":`, r.sni(), true)
	dst = append(append(dst, `,"response_code":`...), r.out.code...)
	dst = appendString(dst, `,"response_code_details":`, r.out.details, true)
	dst = append(append(append(dst, `,"response_flags":"`...), r.out.flags...), '"')
	dst = appendString(dst, `,"route_name":`, r.route(), true)
	dst = append(g.stamp.append(append(dst, `,"start_time":"`...), r.start), '"')
	dst = appendString(dst, `,"upstream_cluster":`, r.cluster(), true)
	dst = appendString(dst, `,"upstream_host":`, r.upstreamHost(), true)
	if r.out.far < reached {
		dst = append(dst, `,"upstream_local_address":null`...)
	} else {
		dst = append(r.appendUpstreamLocal(append(dst, `,"upstream_local_address":"`...)), '"')
	}
	if http && r.out.far == answered {
		dst = append(appendInt(append(dst, `,"upstream_service_time":"`...), r.service), '"')
	} else {
		dst = append(dst, `,"upstream_service_time":null`...)
	}
	dst = appendString(dst, `,"upstream_transport_failure_reason":`, orDash(r.out.reason), true)
	dst = append(dst, `,"user_agent":`...)
	if http {
		dst = append(dst, r.agent.json...)
	} else {
		dst = append(dst, "null"...)
	}
	return append(appendString(dst, `,"x_forwarded_for":`, r.forwarded, http), '}')
}

// appendString appends a key and its value, null for "-" or when absent.
func appendString(dst []byte, key, value string, present bool) []byte {
	dst = append(dst, key...)
	if !present || value == "-" {
		return append(dst, "null"...)
	}
	dst = append(dst, '"')
	dst = append(dst, value...)
	return append(dst, '"')
}

func orDash(s string) string {
	if s == "" {
		return "-"
	}
	return s
}

func (r *record) authority() string {
	if r.stand == gateway {
		return r.svc.public
	}
	return r.svc.authority
}

func (r *record) upstreamHost() string {
	if r.out.far < chosen {
		return "-"
	}
	return r.host.addr
}

func (r *record) cluster() string {
	switch {
	case r.out.far < routed:
		return "-"
	case r.stand == server:
		return r.svc.inbound
	}
	return r.svc.outbound
}

func (r *record) appendUpstreamLocal(dst []byte) []byte {
	switch {
	case r.out.far < reached:
		return append(dst, '-')
	case r.stand == server:
		dst = append(dst, "127.0.0.6:"...)
	default:
		dst = append(append(dst, r.peer.ip...), ':')
	}
	return appendInt(dst, int64(r.portUp))
}

func (r *record) downstreamLocal() string {
	switch r.stand {
	case server:
		return r.host.addr
	case gateway:
		return "10.244.9.17:8443"
	}
	return r.svc.vip
}

func (r *record) appendRemote(dst []byte) []byte {
	if r.stand == gateway && r.forwarded != "-" {
		dst = append(dst, r.forwarded...)
	} else {
		dst = append(dst, r.peer.ip...)
	}
	return appendInt(append(dst, ':'), int64(r.portDown))
}

func (r *record) sni() string {
	switch r.stand {
	case server:
		return r.svc.sni
	case gateway:
		return r.svc.public
	}
	return "-"
}

func (r *record) route() string {
	if r.out.tcp || r.out.far < routed || r.stand == gateway {
		return "-"
	}
	return "default"
}
