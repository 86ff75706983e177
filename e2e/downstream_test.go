//go:build e2e

package e2e

import (
	"fmt"
	"strings"
	"time"
)

// Downstream: the client says something that the proxy can not or will not
// understand. What it refuses before it has read a request leaves the same line
// whatever it was, so TLS to a plaintext port, the usual fault, comes first.
func downstream() []Scenario {
	ok := []Upstream{answers(okAnswer)}
	bad := func(details, cause string) []Want {
		return []Want{{Code: 400, Flags: "DPE", Details: details, Cause: cause}}
	}
	codec := "codec_type: HTTP2"
	frames := func(script func(h h2)) Client { return h2Client(func(s *session, h h2) { script(h); h.await(ended) }) }
	return []Scenario{
		{Name: "dpe_tls", Doc: "TLS to a plaintext port", Up: ok, Client: hello(), Want: []Want{{Code: 400, Flags: "DPE", Details: "http1.codec_error", Cause: "https-to-http-port", Weak: "https-to-http-port malformed-request"}}},
		{Name: "dpe_garbage", Doc: "no HTTP at all", Up: ok, Client: raw("\x00\x01garbage\r\n\r\n"), Want: bad("http1.codec_error", "https-to-http-port malformed-request")},
		{Name: "dpe_method", Doc: "a bad method", Up: ok, Client: raw("G@T / HTTP/1.1\r\nhost: reviews.lab\r\n\r\n"), Want: bad("http1.codec_error", "https-to-http-port malformed-request")},
		{Name: "dpe_version", Doc: "a bad version", Up: ok, Client: raw("GET / HTTP/9.x\r\nhost: reviews.lab\r\n\r\n"), Want: bad("http1.codec_error", "https-to-http-port malformed-request")},
		{Name: "dpe_length", Doc: "a bad content length", Up: ok, Client: raw("POST / HTTP/1.1\r\nhost: reviews.lab\r\ncontent-length: ten\r\n\r\n"), Want: bad("http1.codec_error", "https-to-http-port malformed-request")},
		{Name: "dpe_header_name", Doc: "a bad header name", Up: ok, Client: raw("GET / HTTP/1.1\r\nhost: reviews.lab\r\nb@d name: 1\r\n\r\n"), Want: bad("http1.codec_error", "https-to-http-port malformed-request")},
		{Name: "dpe_preface", Doc: "HTTP/2 to an HTTP/1 port", Up: ok, HCM: "codec_type: HTTP1", Client: raw(preface), Want: bad("http1.codec_error", "https-to-http-port h2c-on-http1-port malformed-request")},
		{Name: "dpe_redis", Doc: "Redis to an HTTP port", Up: ok, Client: raw("*1\r\n$4\r\nPING\r\n"), Want: bad("http1.codec_error", "https-to-http-port tcp-on-http-named-port malformed-request")},
		{Name: "dc_mysql", Doc: "bytes without a line end to an HTTP port", Up: ok, Client: raw("mysql_native_password"), Want: []Want{{Code: 0, Flags: "DC", Details: "downstream_remote_disconnect", Cause: "client-disconnected tcp-on-http-named-port"}}},
		{Name: "dpe_http10", Doc: "an HTTP/1.0 client", Up: ok, Client: raw("GET / HTTP/1.0\r\nhost: reviews.lab\r\n\r\n"), Want: []Want{{Code: 426, Flags: "DPE", Details: "low_version", Cause: "http10-client", Weak: "http10-client"}}},
		{Name: "ok_http10_accepted", Doc: "an HTTP/1.0 client where it is allowed", Up: ok, HCM: "http_protocol_options: {accept_http_10: true}", Client: raw("GET / HTTP/1.0\r\nhost: reviews.lab\r\n\r\n"), Want: []Want{{Code: 200, Details: "via_upstream", OK: true}}},
		{Name: "dpe_length_and_chunked", Doc: "length and chunked", Up: ok, Client: request("POST /", "content-length: 3", "transfer-encoding: chunked"), Want: bad("http1.content_length_and_chunked_not_allowed", "malformed-request")},
		{Name: "dpe_transfer_encoding", Doc: "an odd transfer encoding", Up: ok, Client: request("POST /", "transfer-encoding: zip"), Want: []Want{{Code: 501, Flags: "DPE", Details: "http1.invalid_transfer_encoding", Cause: "malformed-request"}}},
		{Name: "dpe_underscore", Doc: "a header with an underscore", Up: ok, Client: get("/", "b_d: 1"), HCM: "common_http_protocol_options: {headers_with_underscores_action: REJECT_REQUEST}", Want: bad("http1.unexpected_underscore", "malformed-request")},
		{Name: "dpe_url", Doc: "a full URL that is none", Up: ok, Client: raw("GET http:// HTTP/1.1\r\nhost: reviews.lab\r\n\r\n"), Want: bad("http1.invalid_url", "malformed-request https-url-on-plaintext")},
		{Name: "dpe_authority", Doc: "a host that is none", Up: ok, Client: get("/", "host: reviews lab"), Want: bad("http.invalid_authority", "malformed-request")},
		{Name: "no_host", Doc: "no host", Up: ok, Client: raw("GET / HTTP/1.1\r\n\r\n"), Want: []Want{{Code: 400, Details: "missing_host_header", Cause: "malformed-request"}}},
		{Name: "path_normalization", Doc: "a path that can not be normalised", Up: ok, Client: get("/a%00b"), HCM: "normalize_path: true", Want: []Want{{Code: 400, Details: "path_normalization_failed", Cause: "malformed-request"}}},
		{Name: "dpe_headers_too_large", Doc: "headers over the limit", Up: ok, Client: get("/", "x-big: "+strings.Repeat("x", 70000)), Want: []Want{{Code: 431, Flags: "DPE", Details: "http1.headers_too_large", Cause: "request-headers-too-large"}}},
		{Name: "dpe_headers_too_many", Doc: "too many headers", Up: ok, Client: get("/", many(150)...), Want: []Want{{Code: 431, Flags: "DPE", Details: "http1.too_many_headers", Cause: "request-headers-too-large"}}},
		{Name: "ih_strict", Doc: "a strict x-envoy header", Up: ok, Client: get("/", "x-envoy-upstream-rq-timeout-ms: soon"), Router: "strict_check_headers: [x-envoy-upstream-rq-timeout-ms]",
			HCM:  "use_remote_address: true, internal_address_config: {cidr_ranges: [{address_prefix: 127.0.0.0, prefix_len: 8}]}",
			Want: []Want{{Code: 400, Flags: "IH", Details: "request_headers_failed_strict_check{x-envoy-upstream-rq-timeout-ms}", Cause: "strict-header-invalid", Weak: "strict-header-invalid"}}},
		{Name: "h2_bad_header", Doc: "a bad header in HTTP/2", Up: ok, HCM: codec, Client: h2get("/", "b@d name", "1"), Want: []Want{{Code: 0, Flags: "DPE", Details: "http2.invalid.header.field", Cause: "http2-downstream-violation malformed-request"}}},
		{Name: "h2_no_path", Doc: "no path in HTTP/2", Up: ok, HCM: codec, Client: frames(func(h h2) { h.headers(1, true, ":method", "GET", ":scheme", "http", ":authority", "reviews.lab") }),
			Want: []Want{{Code: 0, Flags: "DPE", Details: "http2.violation.of.messaging.rule", Cause: "http2-downstream-violation malformed-request"}}},
		{Name: "h2_headers_too_large", Doc: "headers over the limit in HTTP/2", Up: ok, HCM: codec + ", max_request_headers_kb: 8", Client: h2get("/", "x-big", strings.Repeat("x", 12000)),
			Want: []Want{{Code: 0, Flags: "DR", Details: "http2.header_list_size_too_large", Cause: "request-headers-too-large"}}},
		{Name: "h2_headers_too_many", Doc: "too many headers in HTTP/2", Up: ok, HCM: codec + ", common_http_protocol_options: {max_headers_count: 10}", Client: h2get("/", pairs(30)...),
			Want: []Want{{Code: 0, Flags: "DR", Details: "http2.too_many_headers", Cause: "request-headers-too-large"}}},
		{Name: "h2_empty_data_flood", Doc: "a flood of empty DATA frames", Up: []Upstream{silent()}, HCM: codec, Client: frames(func(h h2) {
			h.headers(1, false, ":method", "POST", ":scheme", "http", ":path", "/", ":authority", "reviews.lab")
			for range 50 {
				h.frame(frameData, 0, 1, nil)
			}
		}), Want: []Want{{Code: 0, Flags: "DPE", Details: "http2.inbound_empty_frames_flood", Cause: "http2-downstream-violation"}}},
		{Name: "h2_ping_flood", Doc: "a flood of PING frames", Up: []Upstream{silent()}, HCM: codec + ", http2_protocol_options: {max_outbound_control_frames: 10}", Client: frames(func(h h2) {
			h.headers(1, true, ":method", "GET", ":scheme", "http", ":path", "/", ":authority", "reviews.lab")
			var flood []byte
			for range 20000 {
				flood = append(flood, 0, 0, 8, framePing, 0, 0, 0, 0, 0, 1, 2, 3, 4, 5, 6, 7, 8)
			}
			h.Write(flood)
		}), Want: []Want{{Code: 0, Flags: "DPE", Details: "codec_error:*", Cause: "http2-downstream-violation"}}},
		{Name: "h2_window_zero", Doc: "WINDOW_UPDATE of nothing", Up: []Upstream{silent()}, HCM: codec, Client: frames(func(h h2) {
			h.headers(1, true, ":method", "GET", ":scheme", "http", ":path", "/", ":authority", "reviews.lab")
			time.Sleep(200 * time.Millisecond)
			h.frame(frameWindow, 0, 1, make([]byte, 4))
		}), Want: []Want{{Code: 0, Flags: "DPE", Details: "http2.*", Cause: "http2-downstream-violation"}}},
		{Name: "h2_rapid_reset", Doc: "streams that are reset at once, until the proxy has enough", Up: []Upstream{silent()}, HCM: codec,
			Boot: "layered_runtime: {layers: [{name: lab, static_layer: {overload.premature_reset_total_stream_count: 4, overload.premature_reset_min_stream_lifetime_seconds: 5}}]},",
			Client: h2Client(func(s *session, h h2) {
				h.ask(s, "/held")
				for i := range uint32(4) {
					h.headers(3+2*i, true, ":method", "GET", ":scheme", "http", ":path", fmt.Sprintf("/reset/%d", i), ":authority", "reviews.lab", "x-request-id", s.id)
					time.Sleep(50 * time.Millisecond)
					h.reset(3+2*i, cancel)
				}
				h.await(func(byte, byte, uint32) bool { return false })
			}),
			Want: rapidReset()},
		{Name: "ping_timeout", Doc: "a client that does not answer PING", Up: []Upstream{silent()}, HCM: codec + ", http2_protocol_options: {connection_keepalive: {interval: 0.3s, timeout: 0.3s}}",
			Client: h2Client(func(s *session, h h2) { h.ask(s, "/"); h.hold() }),
			Want:   []Want{{Code: 0, Flags: "DC", Details: "downstream_local_disconnect(http2_ping_timeout)", Cause: "downstream-closed-locally client-disconnected"}}},
	}
}

func rapidReset() []Want {
	reset := Want{Code: 0, Flags: "DR", Details: "http2.remote_reset", Cause: "client-disconnected"}
	return []Want{reset, reset, {Code: 0, Details: "too_many_premature_resets", Cause: "http2-downstream-violation"}}
}

func many(n int) (headers []string) {
	for i := range n {
		headers = append(headers, fmt.Sprintf("x-many-%d: 1", i))
	}
	return headers
}

func pairs(n int) (list []string) {
	for i := range n {
		list = append(list, fmt.Sprintf("x-many-%d", i), "1")
	}
	return list
}
