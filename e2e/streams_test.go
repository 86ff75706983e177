//go:build e2e

package e2e

import (
	"fmt"
	"strings"
	"time"
)

// Streams: time limits, clients that leave, faults that are injected.
func streams() []Scenario {
	slow := []Upstream{silent()}
	begun := []Upstream{once("HTTP/1.1 200 OK\r\ncontent-length: 100\r\n\r\nbegin", holds)}
	route := func(fields string) string {
		return `{match: {prefix: "/"}, route: {cluster: "$CLUSTER", ` + fields + `}}`
	}
	fault := func(fields string) string { return httpFilter("fault", "fault.v3.HTTPFault", fields) }
	ut := Want{Code: 504, Flags: "UT", Details: "response_timeout", Cause: "route-timeout", Weak: "route-timeout"}
	return []Scenario{
		{Name: "ut_route", Doc: "route timeout", Up: slow, Client: get("/"), Route: route("timeout: 0.5s"), Want: []Want{ut}},
		{Name: "ut_in_body", Doc: "route timeout in the body", Up: begun, Client: get("/"), Route: route("timeout: 1.5s"),
			Want: []Want{{Code: 200, Flags: "UT", Details: "response_timeout", Cause: "route-timeout", By: unpinned}}},
		{Name: "ut_retried", Doc: "route timeout after a retry", Client: get("/"), Route: route(`timeout: 0.6s, retry_policy: {retry_on: "5xx", num_retries: 1, per_try_timeout: 0.25s}`), Up: slow,
			Want: []Want{{Code: 504, Flags: "URX,UT", Details: "upstream_per_try_timeout", Cause: "per-try-timeout route-timeout", Weak: "route-timeout per-try-timeout"}}},
		{Name: "ut_alternate_code", Doc: "x-envoy-upstream-alt-response changes the code", Up: slow, Client: get("/", "x-envoy-upstream-rq-timeout-alt-response: 1"), Route: route("timeout: 0.4s"),
			HCM:  "use_remote_address: true, internal_address_config: {cidr_ranges: [{address_prefix: 127.0.0.0, prefix_len: 8}]}",
			Want: []Want{{Code: 204, Flags: "UT", Details: "response_timeout", Cause: "route-timeout"}}},
		{Name: "ut_refused_backoff", Doc: "refused, then the route timeout in the back-off", Client: get("/"),
			Route: route(`timeout: 0.5s, retry_policy: {retry_on: connect-failure, num_retries: 3, retry_back_off: {base_interval: 20s, max_interval: 20s}}`),
			Want:  []Want{{Code: 504, Flags: "UT", Details: "response_timeout", Reason: "delayed_connect_error:_Connection_refused", Cause: "upstream-refused route-timeout"}}},
		{Name: "dc_refused_backoff", Doc: "refused, then the client leaves in the back-off", Client: leaves(time.Second/2, "GET /"),
			Route: route(`retry_policy: {retry_on: connect-failure, num_retries: 3, retry_back_off: {base_interval: 20s, max_interval: 20s}}`),
			Want:  []Want{{Code: 0, Flags: "DC", Details: "downstream_remote_disconnect", Reason: "delayed_connect_error:_Connection_refused", Cause: "upstream-refused client-disconnected"}}},
		{Name: "ut_syn_unanswered", Doc: "SYNs are dropped until the route timeout", Up: []Upstream{{Backlog: true}}, Cluster: "connect_timeout: 20s", Client: get("/"), Route: route("timeout: 0.5s"),
			Want: []Want{{Code: 504, Flags: "UT", Details: "response_timeout", Cause: "route-timeout upstream-connect-timeout"}}},
		{Name: "ut_per_try_idle", Doc: "per-try idle timeout", Up: slow, Client: get("/"), Route: route(`retry_policy: {retry_on: "", per_try_idle_timeout: 0.4s}`),
			Want: []Want{{Code: 504, Flags: "UT", Details: "upstream_per_try_idle_timeout", Cause: "per-try-timeout"}}},
		{Name: "max_duration_hcm", Doc: "the longest duration of a stream", Up: slow, Client: get("/"), HCM: "common_http_protocol_options: {max_stream_duration: 0.5s}",
			Want: []Want{{Code: 504, Details: "max_duration_timeout", Cause: "max-stream-duration"}}},
		{Name: "max_duration_in_body", Doc: "the same in the body", Up: begun, Client: get("/"), HCM: "common_http_protocol_options: {max_stream_duration: 1.5s}",
			Want: []Want{{Code: 200, Details: "max_duration_timeout", Cause: "max-stream-duration", By: unpinned}}},
		{Name: "umsdr", Doc: "the longest duration of an upstream stream", Up: slow, Client: get("/"), Cluster: protocols("common_http_protocol_options: {max_stream_duration: 0.5s}, explicit_http_config: {http_protocol_options: {}}"),
			Want: []Want{{Code: 504, Flags: "UMSDR", Details: "upstream_max_stream_duration_reached", Cause: "max-stream-duration", Weak: "max-stream-duration"}}},
		{Name: "si_waiting", Doc: "idle while waiting for the answer", Up: slow, Client: get("/"), HCM: "stream_idle_timeout: 0.5s",
			Want: []Want{{Code: 504, Flags: "SI", Details: "stream_idle_timeout", Cause: "stream-idle-timeout", Weak: "stream-idle-timeout"}}},
		{Name: "si_request", Doc: "idle in the middle of the request", Up: slow, HCM: "stream_idle_timeout: 0.5s",
			Client: func(s *session) {
				c := s.dial(listenPort)
				defer c.Close()
				c.send(s.text("POST /", "content-length: 10"))
				c.response("POST")
			},
			Want: []Want{{Code: 408, Flags: "SI", Details: "stream_idle_timeout", Cause: "stream-idle-timeout"}}},
		{Name: "si_in_body", Doc: "idle in the body", Up: begun, Client: get("/"), HCM: "stream_idle_timeout: 1.5s",
			Want: []Want{{Code: 200, Flags: "SI", Details: "stream_idle_timeout", Cause: "stream-idle-timeout", By: unpinned}}},
		{Name: "slow_request", Doc: "request_timeout", Up: slow, HCM: "request_timeout: 0.5s",
			Client: func(s *session) {
				c := s.dial(listenPort)
				defer c.Close()
				c.send(s.text("POST /", "content-length: 10"))
				c.response("POST")
			},
			Want: []Want{{Code: 408, Details: "request_overall_timeout", Cause: "slow-client"}}},
		{Name: "slow_headers", Doc: "request_headers_timeout", HCM: "request_headers_timeout: 0.5s",
			Client: func(s *session) {
				c := s.dial(listenPort)
				defer c.Close()
				c.send("GET / HTTP/1.1\r\nhost: rev")
				c.response("GET")
			},
			Want: []Want{{Code: 408, Details: "request_header_timeout", Cause: "slow-client"}}},
		{Name: "dc_waiting", Doc: "the client leaves before the answer", Up: slow, Client: leaves(300*time.Millisecond, "GET /slow"),
			Want: []Want{{Code: 0, Flags: "DC", Details: "downstream_remote_disconnect", Cause: "client-disconnected", Weak: "client-disconnected"}}},
		{Name: "dc_in_body", Doc: "the client leaves in the body", Up: begun, Client: leaves(300*time.Millisecond, "GET /big"),
			Want: []Want{{Code: 200, Flags: "DC", Details: "downstream_remote_disconnect", Cause: "client-disconnected", By: unpinned, Weak: "client-disconnected"}}},
		{Name: "dc_partial_content", Doc: "the client has seen enough of a range", Up: []Upstream{once("HTTP/1.1 206 Partial Content\r\ncontent-length: 100\r\n\r\nbegin", holds)}, Client: leaves(300*time.Millisecond, "GET /video"),
			Want: []Want{{Code: 206, Flags: "DC", Details: "downstream_remote_disconnect", OK: true, By: unpinned}}},
		{Name: "dr_waiting", Doc: "the client resets its stream", Up: slow, HCM: "codec_type: HTTP2",
			Client: h2Client(func(s *session, h h2) {
				h.ask(s, "/slow")
				time.Sleep(300 * time.Millisecond)
				h.reset(1, cancel)
				time.Sleep(200 * time.Millisecond)
			}),
			Want: []Want{{Code: 0, Flags: "DR", Details: "http2.remote_reset", Cause: "client-disconnected", Weak: "client-disconnected"}}},
		{Name: "dr_in_body", Doc: "the client resets its stream in the body", Up: begun, HCM: "codec_type: HTTP2",
			Client: h2Client(func(s *session, h h2) {
				h.ask(s, "/big")
				time.Sleep(300 * time.Millisecond)
				h.reset(1, cancel)
				time.Sleep(200 * time.Millisecond)
			}),
			Want: []Want{{Code: 200, Flags: "DR", Details: "http2.remote_reset", Cause: "client-disconnected", By: unpinned}}},
		{Name: "dc_shutdown", Doc: "the proxy is stopped while a request is open", Up: slow,
			Client: func(s *session) {
				go leaves(5*second, "GET /slow")(s)
				time.Sleep(500 * time.Millisecond)
				s.envoy.stop()
			},
			Want: []Want{{Code: 0, Flags: "DC", Details: "downstream_local_disconnect(purging_socket_that_have_not_progressed_to_connections)", Cause: "drain-cut-connections config-change-connection-drain downstream-closed-locally client-disconnected"}}},
		{Name: "fi_abort", Doc: "injected abort", Up: slow, Client: get("/"), HTTP: fault("abort: {http_status: 503, percentage: {numerator: 100}}"),
			Want: []Want{{Code: 503, Flags: "FI", Details: "fault_filter_abort", Cause: "fault-abort", Weak: "fault-abort"}}},
		{Name: "di_delay", Doc: "injected delay, then an answer", Up: []Upstream{answers(okAnswer)}, Client: get("/"), HTTP: fault("delay: {fixed_delay: 0.2s, percentage: {numerator: 100}}"),
			Want: []Want{{Code: 200, Flags: "DI", Details: "via_upstream", Cause: "fault-delay", Weak: "fault-delay", OK: true}}},
		{Name: "di_fi", Doc: "injected delay and abort", Up: slow, Client: get("/"), HTTP: fault("delay: {fixed_delay: 0.2s, percentage: {numerator: 100}}, abort: {http_status: 500, percentage: {numerator: 100}}"),
			Want: []Want{{Code: 500, Flags: "DI,FI", Details: "fault_filter_abort", Cause: "fault-abort", Weak: "fault-abort"}}},
		{Name: "di_ut", Doc: "injected delay, then the route timeout", Up: slow, Client: get("/"), Route: route("timeout: 0.3s"), HTTP: fault("delay: {fixed_delay: 0.2s, percentage: {numerator: 100}}"),
			Want: []Want{{Code: 504, Flags: "DI,UT", Details: "response_timeout", Cause: "route-timeout fault-delay", Weak: "route-timeout fault-delay"}}},
		{Name: "di_dc", Doc: "injected delay, the client leaves", Up: slow, Client: leaves(300*time.Millisecond, "GET /"), HTTP: fault("delay: {fixed_delay: 5s, percentage: {numerator: 100}}"),
			Want: []Want{{Code: 0, Flags: "DI,DC", Details: "downstream_remote_disconnect", Cause: "client-disconnected fault-delay"}}},
		{Name: "di_uf", Doc: "injected delay, then a refused connection", Client: get("/"), HTTP: fault("delay: {fixed_delay: 0.2s, percentage: {numerator: 100}}"),
			Want: []Want{{Code: 503, Flags: "DI,UF", Details: before(refused), Cause: "upstream-refused"}}},
		{Name: "ws_refused", Doc: "an upgrade that is not enabled", Up: slow, Client: request("GET /chat", "connection: upgrade", "upgrade: websocket"),
			Want: []Want{{Code: 403, Details: "upgrade_failed", Cause: "websocket-upgrade-refused"}}},
		{Name: "ws_no_handshake", Doc: "an upgrade answered with 200", Up: []Upstream{answers(okAnswer)}, Client: request("GET /chat", "connection: upgrade", "upgrade: websocket"), HCM: "upgrade_configs: [{upgrade_type: websocket}]",
			Want: []Want{{Code: 200, Details: "websocket_handshake_unsuccessful", Cause: "websocket-upgrade-refused", By: unpinned}}},
		{Name: "ok_ws_client_ends", Doc: "a websocket that its client ends", HCM: "upgrade_configs: [{upgrade_type: websocket}]", Up: []Upstream{websocket(holds)},
			Client: leaves(300*time.Millisecond, "GET /chat", "connection: upgrade", "upgrade: websocket"),
			Want:   []Want{{Code: 101, Flags: "DC", Details: "downstream_remote_disconnect", OK: true, By: unpinned}}},
		{Name: "ok_ws_server_ends", Doc: "a websocket that its server ends", HCM: "upgrade_configs: [{upgrade_type: websocket}]", Up: []Upstream{websocket(func(*conn) { time.Sleep(100 * time.Millisecond) })},
			Client: raw("GET /chat HTTP/1.1\r\nhost: reviews.lab\r\nconnection: upgrade\r\nupgrade: websocket\r\n\r\n"),
			Want:   []Want{{Code: 101, Flags: "UC", Details: after("connection_termination"), OK: true, By: unpinned}}},
		{Name: "body_over_buffer", Doc: "a body over a filter's buffer", Up: slow, Client: post("/upload", 100000), HTTP: httpFilter("buffer", "buffer.v3.Buffer", "max_request_bytes: 1000"),
			Want: []Want{{Code: 413, Details: "request_payload_too_large", Cause: "body-too-large"}}},
		{Name: "body_over_retry_buffer", Doc: "refused, and the body does not fit the retry buffer", Client: dripped(300000), Listener: "per_connection_buffer_limit_bytes: 32768",
			Route: `{match: {prefix: "/"}, request_body_buffer_limit: 1000, route: {cluster: "$CLUSTER", retry_policy: {retry_on: connect-failure, num_retries: 3, retry_back_off: {base_interval: 5s, max_interval: 5s}}}}`,
			Want:  []Want{{Code: 507, Details: "request_payload_exceeded_retry_buffer_limit", Reason: "delayed_connect_error:_Connection_refused", Cause: "body-too-large upstream-refused"}}},
		{Name: "response_over_buffer", Doc: "an answer over a filter's buffer", Client: get("/"), Listener: "per_connection_buffer_limit_bytes: 1024",
			Up:   []Upstream{answers(fmt.Sprintf("HTTP/1.1 200 OK\r\ncontent-length: 20000\r\n\r\n%s", strings.Repeat("x", 20000)))},
			HTTP: httpFilter("lua", "lua.v3.Lua", `default_source_code: {inline_string: "function envoy_on_response(h) h:body() end"}`),
			Want: []Want{{Code: 500, Details: "response_payload_too_large", Cause: "body-too-large"}}},
	}
}

func websocket(end func(*conn)) Upstream {
	return once("HTTP/1.1 101 Switching Protocols\r\nconnection: upgrade\r\nupgrade: websocket\r\n\r\n", end)
}

// dripped sends a body in pieces, some time after the head.
func dripped(n int) Client {
	return func(s *session) {
		c := s.dial(listenPort)
		defer c.Close()
		c.send(s.text("POST /upload", fmt.Sprintf("content-length: %d", n)))
		time.Sleep(300 * time.Millisecond)
		for range n / 1000 {
			c.send(strings.Repeat("x", 1000))
			time.Sleep(2 * time.Millisecond)
		}
		c.response("POST")
	}
}
