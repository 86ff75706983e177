//go:build e2e

package e2e

import (
	"strconv"
	"time"
)

func number(f float64) string { return strconv.Itoa(int(f)) }

// Upstreams: the connection fails, or the server does not answer as it should.
func upstreams() []Scenario {
	retry := `{match: {prefix: "/"}, route: {cluster: "$CLUSTER", retry_policy: {retry_on: "5xx,connect-failure,reset,refused-stream", num_retries: 2, retry_back_off: {base_interval: 0.01s}}}}`
	broken := func(code int) []Upstream {
		return []Upstream{answers("HTTP/1.1 " + strconv.Itoa(code) + " Broken\r\ncontent-length: 0\r\n\r\n")}
	}
	return []Scenario{
		{Name: "uf_refused", Doc: "nothing listens on the port", Client: get("/reviews/1"),
			Want: []Want{{Code: 503, Flags: "UF", Details: before(refused), Cause: "upstream-refused", Weak: "upstream-connect-failed upstream-refused"}}},
		{Name: "uf_refused_retried", Doc: "nothing listens, all retries fail", Client: get("/"), Route: retry,
			Want: []Want{{Code: 503, Flags: "URX,UF", Details: before(refused), Cause: "upstream-refused"}}},
		{Name: "uf_refused_inbound", Doc: "nothing listens on the application's port", ClusterName: "inbound|8080||", Client: get("/"),
			Want: []Want{{Code: 503, Flags: "UF", Details: before(refused), Cause: "upstream-refused"}}},
		{Name: "uf_timeout", Doc: "SYNs are dropped", Up: []Upstream{{Backlog: true}}, Cluster: "connect_timeout: 0.5s", Client: get("/"),
			Want: []Want{{Code: 503, Flags: "UF", Details: before("connection_timeout"), Cause: "upstream-connect-timeout", Weak: "upstream-connect-failed upstream-connect-timeout"}}},
		{Name: "uf_timeout_retried", Doc: "SYNs are dropped at each try", Up: []Upstream{{Backlog: true}}, Cluster: "connect_timeout: 0.3s", Client: get("/"), Route: retry,
			Want: []Want{{Code: 503, Flags: "URX,UF", Details: before("connection_timeout"), Cause: "upstream-connect-timeout"}}},
		{Name: "uf_unreachable", Doc: "the routing table refuses", Client: get("/"), Cluster: `load_assignment: ` + endpoints("$CLUSTER", `{socket_address: {address: 255.255.255.255, port_value: 80}}`),
			Want: []Want{{Code: 503, Flags: "UF", Details: before("remote_connection_failure|immediate_connect_error:_*|remote_address:*"), Cause: "upstream-unreachable", Weak: "upstream-connect-failed upstream-unreachable"}}},
		{Name: "uf_unix_missing", Doc: "a unix socket that is not there", Client: get("/"), Cluster: `load_assignment: ` + endpoints("$CLUSTER", `{pipe: {path: ./app.sock}}`),
			Want: []Want{{Code: 503, Flags: "UF", Details: before("remote_connection_failure|immediate_connect_error:_No_such_file_or_directory|remote_address:*"), Cause: "upstream-refused"}}},
		{Name: "uf_bind", Doc: "the source address is not local", Client: get("/"), Up: []Upstream{answers(okAnswer)}, Cluster: `upstream_bind_config: {source_address: {address: 192.0.2.1, port_value: 0}}`,
			Want: []Want{{Code: 503, Flags: "UF", Details: before("local_connection_failure|failed_to_bind_to_192.0.2.1:0:_Cannot_assign_requested_address"), Cause: "local-connection-failure", Weak: "upstream-connect-failed local-connection-failure"}}},
		{Name: "uc_close", Doc: "closed before the answer", Up: []Upstream{once("", closes)}, Client: get("/"),
			Want: []Want{{Code: 503, Flags: "UC", Details: before("connection_termination"), Cause: "upstream-closed", Weak: "upstream-closed"}}},
		{Name: "uc_reset", Doc: "reset before the answer", Up: []Upstream{once("", resets)}, Client: get("/"),
			Want: []Want{{Code: 503, Flags: "UC", Details: before("connection_termination"), Cause: "upstream-closed", Weak: "upstream-closed"}}},
		{Name: "uc_accept_close", Doc: "closed on accept", Up: []Upstream{{Serve: closes}}, Client: get("/"),
			Want: []Want{{Code: 503, Flags: "UC", Details: before("connection_termination"), Cause: "upstream-closed"}}},
		{Name: "uc_upload", Doc: "reset in the middle of an upload", Up: []Upstream{{Serve: func(c *conn) { c.head(); c.reset() }}}, Client: post("/upload", 1<<20),
			Want: []Want{{Code: 503, Flags: "UC", Details: before("connection_termination"), Cause: "upstream-closed"}}},
		{Name: "uc_retried", Doc: "closed before the answer, at each try", Up: []Upstream{once("", closes)}, Client: get("/"), Route: retry,
			Want: []Want{{Code: 503, Flags: "URX,UC", Details: before("connection_termination"), Cause: "upstream-closed"}}},
		{Name: "uc_keepalive_race", Doc: "an idle connection is closed when it is used again", Client: gets(2, "/"),
			Up: []Upstream{{Serve: func(c *conn) {
				if _, ok := c.request(); ok {
					c.send(okAnswer)
					c.request()
				}
			}}},
			Want: []Want{{Code: 200, Details: "via_upstream", OK: true}, {Code: 503, Flags: "UC", Details: before("connection_termination"), Cause: "upstream-closed keepalive-race"}}},
		{Name: "uc_after_seconds", Doc: "the application gives up after exactly two seconds", Client: get("/slow"), ClusterName: "inbound|8080||",
			Up:   []Upstream{{Serve: func(c *conn) { c.request(); time.Sleep(2 * second) }}},
			Want: []Want{{Code: 503, Flags: "UC", Details: before("connection_termination"), Cause: "app-closed-after-timeout upstream-closed"}}},
		{Name: "uc_after_continue", Doc: "closed after 100 Continue", Client: get("/"), Up: []Upstream{once("HTTP/1.1 100 Continue\r\n\r\n", closes)}, HCM: "proxy_100_continue: true",
			Want: []Want{{Code: 503, Flags: "UC", Details: after("connection_termination"), Cause: "upstream-closed response-truncated", By: unpinned}}},
		{Name: "upe_body_cut", Doc: "a body that ends too early", Up: []Upstream{once("HTTP/1.1 200 OK\r\ncontent-length: 100\r\n\r\nshort", closes)}, Client: get("/"),
			Want: []Want{{Code: 200, Flags: "UPE", Details: after("protocol_error"), Cause: "response-truncated upstream-protocol-error"}}},
		{Name: "upe_chunk_cut", Doc: "a chunked body that ends too early", Up: []Upstream{once("HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n5\r\nhello\r\n", resets)}, Client: get("/"),
			Want: []Want{{Code: 200, Flags: "UPE", Details: after("protocol_error"), Cause: "response-truncated upstream-protocol-error"}}},
		{Name: "ok_close_delimited_cut", Doc: "a close-delimited body cut by RST looks healthy", Client: get("/"),
			Up:   []Upstream{once("HTTP/1.1 200 OK\r\nconnection: close\r\n\r\nhello", func(c *conn) { time.Sleep(100 * time.Millisecond); c.reset() })},
			Want: []Want{{Code: 200, Details: "via_upstream", OK: true}}},
		{Name: "upe_garbage", Doc: "no HTTP at all", Up: []Upstream{once("220 mail.lab ESMTP\r\n", holds)}, Client: get("/"),
			Want: []Want{{Code: 502, Flags: "UPE", Details: before("protocol_error"), Cause: "upstream-protocol-error", Weak: "upstream-protocol-error"}}},
		{Name: "upe_retried", Doc: "no HTTP at each try", Up: []Upstream{once("220 mail.lab ESMTP\r\n", holds)}, Client: get("/"), Route: retry,
			Want: []Want{{Code: 502, Flags: "URX,UPE", Details: before("protocol_error"), Cause: "upstream-protocol-error"}}},
		{Name: "upe_two_lengths", Doc: "two lengths that differ", Up: []Upstream{once("HTTP/1.1 200 OK\r\ncontent-length: 2\r\ncontent-length: 3\r\n\r\nok\n", holds)}, Client: get("/"),
			Want: []Want{{Code: 502, Flags: "UPE", Details: before("protocol_error"), Cause: "upstream-protocol-error"}}},
		{Name: "upe_head_cut", Doc: "the head ends in the middle", Up: []Upstream{once("HTTP/1.1 200 OK\r\ncontent-", closes)}, Client: get("/"),
			Want: []Want{{Code: 502, Flags: "UPE", Details: before("protocol_error"), Cause: "upstream-protocol-error"}}},
		{Name: "upe_h2_to_h1", Doc: "HTTP/2 to a server that speaks HTTP/1", Up: []Upstream{{Serve: func(c *conn) { c.send("HTTP/1.1 400 Bad Request\r\ncontent-length: 0\r\n\r\n"); c.hold() }}}, Client: get("/"),
			Cluster: protocols("explicit_http_config: {http2_protocol_options: {}}"),
			Want:    []Want{{Code: 502, Flags: "UPE", Details: before("protocol_error"), Cause: "upstream-protocol-error grpc-protocol-mismatch"}}},
		{Name: "ur_remote_reset", Doc: "RST_STREAM before the answer", Up: []Upstream{h2Upstream(func(h h2, stream uint32) { h.reset(stream, internalError) })}, Client: get("/"),
			Cluster: protocols("explicit_http_config: {http2_protocol_options: {}}"),
			Want:    []Want{{Code: 503, Flags: "UR", Details: before("remote_reset"), Cause: "upstream-remote-reset", Weak: "upstream-remote-reset"}}},
		{Name: "ur_refused_stream", Doc: "RST_STREAM REFUSED_STREAM", Up: []Upstream{h2Upstream(func(h h2, stream uint32) { h.reset(stream, refusedStream) })}, Client: get("/"),
			Cluster: protocols("explicit_http_config: {http2_protocol_options: {}}"),
			Want:    []Want{{Code: 503, Flags: "UR", Details: before("remote_refused_stream_reset"), Cause: "upstream-remote-reset"}}},
		{Name: "ur_refused_retried", Doc: "RST_STREAM REFUSED_STREAM at each try", Up: []Upstream{h2Upstream(func(h h2, stream uint32) { h.reset(stream, refusedStream) })}, Client: get("/"),
			Cluster: protocols("explicit_http_config: {http2_protocol_options: {}}"), Route: retry,
			Want: []Want{{Code: 503, Flags: "URX,UR", Details: before("remote_refused_stream_reset"), Cause: "upstream-remote-reset"}}},
		{Name: "ur_in_body", Doc: "RST_STREAM in the body", Client: get("/"), Cluster: protocols("explicit_http_config: {http2_protocol_options: {}}"),
			Up: []Upstream{h2Upstream(func(h h2, stream uint32) {
				h.headers(stream, false, ":status", "200")
				h.frame(frameData, 0, stream, []byte("half"))
				h.reset(stream, internalError)
			})},
			Want: []Want{{Code: 200, Flags: "UR", Details: after("remote_reset"), Cause: "response-truncated upstream-remote-reset"}}},
		{Name: "uc_h2_body", Doc: "an HTTP/2 connection ends in the body", Client: get("/"), Cluster: protocols("explicit_http_config: {http2_protocol_options: {}}"),
			Up: []Upstream{h2Upstream(func(h h2, stream uint32) {
				h.headers(stream, false, ":status", "200")
				h.frame(frameData, 0, stream, []byte("half"))
				h.Close()
			})},
			Want: []Want{{Code: 200, Flags: "UC", Details: after("connection_termination"), Cause: "response-truncated upstream-closed"}}},
		{Name: "uc_goaway", Doc: "GOAWAY that covers the stream, then the end", Client: get("/"), Cluster: protocols("explicit_http_config: {http2_protocol_options: {}}"),
			Up:   []Upstream{h2Upstream(func(h h2, stream uint32) { h.goAway(stream, 0); h.Close() })},
			Want: []Want{{Code: 503, Flags: "UC", Details: before("connection_termination"), Cause: "upstream-closed"}}},
		{Name: "upe_h2_protocol_error", Doc: "RST_STREAM PROTOCOL_ERROR", Up: []Upstream{h2Upstream(func(h h2, stream uint32) { h.reset(stream, protocolError) })}, Client: get("/"),
			Cluster: protocols("explicit_http_config: {http2_protocol_options: {}}"),
			Want:    []Want{{Code: 502, Flags: "UPE", Details: before("protocol_error"), Cause: "upstream-protocol-error"}}},
		{Name: "upe_h2_no_status", Doc: "an HTTP/2 answer without a status", Up: []Upstream{h2Upstream(func(h h2, stream uint32) { h.headers(stream, true, "server", "lab") })}, Client: get("/"),
			Cluster: protocols("explicit_http_config: {http2_protocol_options: {}}"),
			Want:    []Want{{Code: 502, Flags: "UPE", Details: before("protocol_error"), Cause: "upstream-protocol-error"}}},
		{Name: "app_500", Doc: "the application's own 500", ClusterName: "inbound|8080||", Up: broken(500), Client: get("/"),
			Want: []Want{{Code: 500, Details: "via_upstream", Cause: "app-error upstream-5xx"}}},
		{Name: "upstream_503", Doc: "a 503 of the next hop", Up: broken(503), Client: get("/"),
			Want: []Want{{Code: 503, Details: "via_upstream", Cause: "upstream-5xx"}}},
		{Name: "urx_503", Doc: "a 503 at each of three tries", Up: broken(503), Client: get("/"), Route: retry,
			Want: []Want{{Code: 503, Flags: "URX", Details: "via_upstream", Cause: "retries-exhausted upstream-5xx", Weak: "retries-exhausted upstream-5xx"}}},
		{Name: "uo_connections", Doc: "max_connections and max_pending_requests", Up: []Upstream{silent()}, Cluster: `circuit_breakers: {thresholds: [{max_connections: 1, max_pending_requests: 1}]}`,
			Route:  `{match: {prefix: "/"}, route: {cluster: "$CLUSTER", timeout: 2s}}`,
			Client: together(get("/1"), get("/2"), get("/3")),
			Want: []Want{{Code: 503, Flags: "UO", Details: before("overflow"), Cause: "circuit-breaker-overflow", Weak: "circuit-breaker-overflow"},
				{Code: 504, Flags: "UT", Details: "response_timeout", Cause: "route-timeout"}, {Code: 504, Flags: "UT", Details: "response_timeout", Cause: "route-timeout"}}},
		{Name: "uo_pending", Doc: "no pending request is allowed", Up: []Upstream{answers(okAnswer)}, Cluster: `circuit_breakers: {thresholds: [{max_pending_requests: 0}]}`, Client: get("/"),
			Want: []Want{{Code: 503, Flags: "UO", Details: before("overflow"), Cause: "circuit-breaker-overflow"}}},
		{Name: "uo_h2_requests", Doc: "max_requests on HTTP/2", Up: []Upstream{h2Upstream(func(h h2, stream uint32) {})}, Client: together(get("/1"), get("/2")),
			Cluster: protocols("explicit_http_config: {http2_protocol_options: {}}") + `, circuit_breakers: {thresholds: [{max_requests: 1}]}`,
			Route:   `{match: {prefix: "/"}, route: {cluster: "$CLUSTER", timeout: 1s}}`,
			Want:    []Want{{Code: 503, Flags: "UO", Details: before("overflow"), Cause: "circuit-breaker-overflow"}, {Code: 504, Flags: "UT", Details: "response_timeout", Cause: "route-timeout"}}},
		{Name: "uo_retry_budget", Doc: "max_retries refuses the retry", Up: broken(503), Client: get("/"), Route: retry, Cluster: `circuit_breakers: {thresholds: [{max_retries: 0}]}`,
			Want: []Want{{Code: 503, Flags: "UO", Details: "via_upstream", Cause: "retry-budget-overflow"}}},
		{Name: "uo_uf_retry_budget", Doc: "max_retries refuses the retry of a refused connection", Client: get("/"), Route: retry, Cluster: `circuit_breakers: {thresholds: [{max_retries: 0}]}`,
			Want: []Want{{Code: 503, Flags: "UO,UF", Details: before(refused), Cause: "retry-budget-overflow circuit-breaker-overflow upstream-refused"}}},
	}
}

// protocols are the HTTP options of a cluster.
func protocols(options string) string {
	return `typed_extension_protocol_options: {envoy.extensions.upstreams.http.v3.HttpProtocolOptions: {"@type": type.googleapis.com/envoy.extensions.upstreams.http.v3.HttpProtocolOptions, ` + options + `}}`
}
