package gen

import "bytes"

// CustomFormat is the format string of the dialect custom: the columns of
// Istio's text in another order, as somebody may have laid them out. A line is
// about as long as one of istio-text.
const CustomFormat = `%START_TIME% code=%RESPONSE_CODE% flags=%RESPONSE_FLAGS% "%REQ(:METHOD)% %REQ(X-ENVOY-ORIGINAL-PATH?:PATH)% %PROTOCOL%" ` +
	`%RESPONSE_CODE_DETAILS% %CONNECTION_TERMINATION_DETAILS% "%UPSTREAM_TRANSPORT_FAILURE_REASON%" ` +
	`%DURATION% %BYTES_RECEIVED% %BYTES_SENT% %RESP(X-ENVOY-UPSTREAM-SERVICE-TIME)% ` +
	`"%REQ(:AUTHORITY)%" "%REQ(USER-AGENT)%" "%REQ(X-FORWARDED-FOR)%" "%REQ(X-REQUEST-ID)%" "%UPSTREAM_HOST%" ` +
	`%UPSTREAM_CLUSTER% %DOWNSTREAM_REMOTE_ADDRESS% %DOWNSTREAM_LOCAL_ADDRESS% %UPSTREAM_LOCAL_ADDRESS% %REQUESTED_SERVER_NAME% %ROUTE_NAME%
`

// appendCustom renders a record by CustomFormat.
func appendCustom(g *Generator, dst []byte) []byte {
	r := g.draw()
	dst = g.stamp.append(dst, r.start)
	dst = append(append(dst, " code="...), r.out.code...)
	dst = append(append(dst, " flags="...), r.out.flags...)
	if r.out.tcp {
		dst = append(dst, ` "- - -" `...)
	} else {
		dst = append(append(append(dst, ` "`...), r.method...), ' ')
		dst = append(append(dst, g.path...), ' ')
		dst = append(append(dst, r.protocol...), `" `...)
	}
	dst = append(append(dst, r.out.details...), ` - "`...)
	dst = append(append(dst, orDash(r.out.reason)...), `" `...)
	dst = append(appendInt(dst, r.took), ' ')
	dst = append(appendInt(dst, r.received), ' ')
	dst = append(appendInt(dst, r.sent), ' ')
	dst = g.appendHeaders(dst, r)
	dst = append(append(append(dst, r.upstreamHost()...), `" `...), r.cluster()...)
	dst = r.appendRemote(append(dst, ' '))
	dst = append(append(dst, ' '), r.downstreamLocal()...)
	dst = r.appendUpstreamLocal(append(dst, ' '))
	dst = append(append(dst, ' '), r.sni()...)
	return append(append(dst, ' '), r.route()...)
}

// appendHeaders is the service time and the quoted columns up to the upstream
// host.
func (g *Generator) appendHeaders(dst []byte, r *record) []byte {
	if r.out.tcp {
		return append(dst, `- "-" "-" "-" "-" "`...)
	}
	if r.out.far == answered {
		dst = appendInt(dst, r.service)
	} else {
		dst = append(dst, '-')
	}
	dst = append(append(dst, ` "`...), r.authority()...)
	dst = append(append(dst, `" "`...), r.agent.text...)
	dst = append(append(dst, `" "`...), r.forwarded...)
	dst = appendUUID(append(dst, `" "`...), r.idHi, r.idLo)
	return append(dst, `" "`...)
}

// appendDistinct is Istio text with a million authorities and upstream hosts,
// as a scanner or a broken client leaves behind; paths and ids are nearly all
// different in every dialect.
func appendDistinct(g *Generator, dst []byte) []byte {
	g.inner = appendIstioText(g, g.inner[:0])
	line := g.inner
	host := bytes.LastIndex(line, []byte(`" "`)) // the upstream host's quotes begin here
	authority := bytes.LastIndex(line[:host], []byte(`" "`))
	end := host + 3 + bytes.IndexByte(line[host+3:], '"')
	dst = append(dst, line[:authority+3]...)
	if line[authority+3] == '-' {
		dst = append(dst, '-')
	} else {
		dst = append(appendHex(append(dst, 'h'), g.rec.idHi, 5), ".shop:8080"...)
	}
	dst = append(dst, `" "`...)
	if line[host+3] == '-' {
		return append(dst, line[host+3:]...)
	}
	dst = append(dst, "10."...)
	dst = append(appendInt(dst, int64(g.rec.idLo&15)), '.')
	dst = append(appendInt(dst, int64(g.rec.idLo>>8&255)), '.')
	dst = append(appendInt(dst, int64(g.rec.idLo>>16&255)), ":8080"...)
	return append(dst, line[end:]...)
}
