//go:build e2e

package e2e

// gRPC: the proxy answers 200 whatever happens, so the flag and the status
// tell.
func grpcCalls() []Scenario {
	cluster := protocols("explicit_http_config: {http2_protocol_options: {}}")
	call := grpc("/lab.Reviews/Get")
	codec := "codec_type: HTTP2"
	return []Scenario{
		{Name: "ok_grpc", Doc: "a healthy call", HCM: codec, Cluster: cluster, Client: call, Up: []Upstream{grpcAnswer("0")}, Want: []Want{{Code: 200, Details: "via_upstream", OK: true}}},
		{Name: "grpc_nr", Doc: "no route", HCM: codec, VHost: `domains: ["ratings.lab"]`, Client: call, Want: []Want{{Code: 200, Flags: "NR", Details: "route_not_found", Cause: "route-missing gateway-host-unbound"}}},
		{Name: "grpc_uh", Doc: "no endpoint", HCM: codec, Cluster: cluster + `, load_assignment: {cluster_name: "$CLUSTER"}`, Client: call, Want: []Want{{Code: 200, Flags: "UH", Details: "no_healthy_upstream", Cause: "no-endpoints", Weak: "no-endpoints"}}},
		{Name: "grpc_uf", Doc: "nothing listens", HCM: codec, Cluster: cluster, Client: call, Want: []Want{{Code: 200, Flags: "UF", Details: before(refused), Cause: "upstream-refused"}}},
		{Name: "grpc_uc", Doc: "closed before the answer", HCM: codec, Cluster: cluster, Client: call, Up: []Upstream{h2Upstream(func(h h2, _ uint32) { h.Close() })}, Want: []Want{{Code: 200, Flags: "UC", Details: before("connection_termination"), Cause: "upstream-closed"}}},
		{Name: "grpc_ut", Doc: "route timeout", HCM: codec, Cluster: cluster, Client: call, Up: []Upstream{h2Upstream(func(h2, uint32) {})}, Route: `{match: {prefix: "/"}, route: {cluster: "$CLUSTER", timeout: 0.4s}}`,
			Want: []Want{{Code: 200, Flags: "UT", Details: "response_timeout", Cause: "route-timeout", Weak: "route-timeout"}}},
		{Name: "grpc_deadline", Doc: "the caller's grpc-timeout", HCM: codec, Cluster: cluster, Client: grpc("/lab.Reviews/Get", "grpc-timeout", "400m"), Up: []Upstream{h2Upstream(func(h2, uint32) {})}, Route: `{match: {prefix: "/"}, route: {cluster: "$CLUSTER", timeout: 0s, max_stream_duration: {grpc_timeout_header_max: 0s}}}`,
			Want: []Want{{Code: 200, Details: "max_duration_timeout", Cause: "max-stream-duration"}}},
		{Name: "grpc_to_h1", Doc: "a call to a server that speaks HTTP/1", HCM: codec, Cluster: cluster, Client: call, Up: []Upstream{{Serve: func(c *conn) { c.send("HTTP/1.1 400 Bad Request\r\ncontent-length: 0\r\n\r\n"); c.hold() }}},
			Want: []Want{{Code: 200, Flags: "UPE", Details: before("protocol_error"), Cause: "grpc-protocol-mismatch upstream-protocol-error"}}},
		{Name: "grpc_fi", Doc: "injected abort", HCM: codec, Client: call, HTTP: httpFilter("fault", "fault.v3.HTTPFault", "abort: {http_status: 503, percentage: {numerator: 100}}"), Want: []Want{{Code: 200, Flags: "FI", Details: "fault_filter_abort", Cause: "fault-abort", Weak: "fault-abort"}}},
		{Name: "grpc_rbac", Doc: "an authorization policy denies", HCM: codec, Client: call, HTTP: httpFilter("rbac", "rbac.v3.RBAC", `rules: {action: ALLOW, policies: {}}`), Want: []Want{{Code: 200, Details: "rbac_access_denied_matched_policy[none]", Cause: "rbac-denied"}}},
		{Name: "grpc_app_unavailable", Doc: "the application says UNAVAILABLE", HCM: codec, Cluster: cluster, Client: call, Up: []Upstream{grpcAnswer("14")}, Want: []Want{{Code: 200, Details: "via_upstream", Cause: "upstream-5xx app-error", Status: true}}},
		{Name: "ok_grpc_not_found", Doc: "the application says NOT_FOUND", HCM: codec, Cluster: cluster, Client: call, Up: []Upstream{grpcAnswer("5")}, Want: []Want{{Code: 200, Details: "via_upstream", OK: true}}},
	}
}
