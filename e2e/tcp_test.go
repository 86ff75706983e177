//go:build e2e

package e2e

import (
	"crypto/tls"
	"time"
)

// TCP: connections without HTTP; code 0.
func tcp(p *pki) []Scenario {
	talk := pipe("hello\n")
	echo := []Upstream{{Serve: func(c *conn) { c.in.ReadString('\n'); c.send("welcome\n"); c.hold() }}}
	trusting := upstreamTLS(p.ca.trust(""), "")
	list := []Scenario{
		{Name: "ok_tcp", Doc: "a connection that ends well", Up: echo, Client: talk, Want: []Want{{OK: true}}},
		{Name: "tcp_uf", Doc: "nothing listens", Client: talk, Want: []Want{{Flags: "UF,URX", Cause: "upstream-refused", Weak: "upstream-connect-failed upstream-refused", Reason: "delayed_connect_error:_Connection_refused"}}},
		{Name: "tcp_uf_timeout", Doc: "SYNs are dropped", Up: []Upstream{{Backlog: true}}, Cluster: "connect_timeout: 0.4s", Client: talk, Want: []Want{{Flags: "UF,URX", Cause: "upstream-connect-timeout upstream-connect-failed"}}},
		{Name: "tcp_uf_unreachable", Doc: "the routing table refuses", Cluster: `load_assignment: ` + endpoints("$CLUSTER", `{socket_address: {address: 255.255.255.255, port_value: 80}}`), Client: talk, Want: []Want{{Flags: "UF,URX", Reason: "immediate_connect_error:_*", Cause: "upstream-unreachable"}}},
		{Name: "tcp_uh", Doc: "no endpoint", Cluster: `load_assignment: {cluster_name: "$CLUSTER"}`, Client: talk, Want: []Want{{Flags: "UH", Cause: "no-endpoints", Weak: "no-endpoints"}}},
		{Name: "tcp_black_hole", Doc: "BlackHoleCluster", ClusterName: "BlackHoleCluster", Cluster: `load_assignment: {cluster_name: "$CLUSTER"}`, Client: talk, Want: []Want{{Flags: "UH", Cause: "egress-blocked-tcp"}}},
		{Name: "tcp_nc", Doc: "the cluster does not exist", Proxy: `cluster: "outbound|9000||gone.lab.svc.cluster.local"`, Client: talk, Want: []Want{{Flags: "NC", Cause: "cluster-missing", Weak: "cluster-missing"}}},
		{Name: "tcp_uo", Doc: "max_connections", Cluster: "circuit_breakers: {thresholds: [{max_connections: 0}]}", Up: echo, Client: talk, Want: []Want{{Flags: "UO", Cause: "circuit-breaker-overflow", Weak: "circuit-breaker-overflow"}}},
		{Name: "tcp_ur", Doc: "the server resets", Up: []Upstream{{Serve: func(c *conn) { c.in.ReadString('\n'); c.reset() }}}, Client: talk, Want: []Want{{Flags: "UR", Cause: "upstream-remote-reset", Weak: "upstream-remote-reset"}}},
		{Name: "ok_tcp_fin", Doc: "the server closes", Up: []Upstream{{Serve: func(c *conn) { c.in.ReadString('\n') }}}, Client: talk, Want: []Want{{OK: true}}},
		{Name: "ok_tcp_client_reset", Doc: "the client resets", Up: echo, Client: func(s *session) { c := s.dial(listenPort); c.send("hello\n"); c.in.ReadString('\n'); c.reset() }, Want: []Want{{OK: true}}},
		{Name: "tcp_dt", Doc: "the longest duration of a connection", Up: echo, Proxy: "max_downstream_connection_duration: 0.5s", Client: func(s *session) { c := s.dial(listenPort); defer c.Close(); c.send("hello\n"); c.hold() },
			Want: []Want{{Flags: "DT", Cause: "connection-max-age", Weak: "connection-max-age"}}},
		{Name: "ok_tcp_idle", Doc: "idle for too long", Up: echo, Proxy: "idle_timeout: 0.5s", Client: func(s *session) { c := s.dial(listenPort); defer c.Close(); c.send("hello\n"); c.hold() }, Want: []Want{{OK: true}}},
		{Name: "tcp_rl", Doc: "local rate limit of connections", Up: echo, Client: func(s *session) { talk(s); time.Sleep(200 * time.Millisecond); talk(s) }, Net: netFilter("local_ratelimit", "local_ratelimit.v3.LocalRateLimit", "stat_prefix: rl, token_bucket: {max_tokens: 1, fill_interval: 600s}"),
			Want: []Want{{OK: true}, {Flags: "URX", Cause: "rate-limited-local retries-exhausted"}}},
		{Name: "tcp_rbac", Doc: "an authorization policy denies", Up: echo, Client: talk, Net: netFilter("rbac", "rbac.v3.RBAC", `stat_prefix: rbac, rules: {action: DENY, policies: {"ns[lab]-policy[no-tcp]-rule[0]": {permissions: [{any: true}], principals: [{any: true}]}}}`),
			Want: []Want{{End: "rbac_access_denied_matched_policy[ns[lab]-policy[no-tcp]-rule[0]]", Cause: "rbac-denied"}}},
		{Name: "tcp_uaex", Doc: "the authorizer is down", Up: echo, Client: talk, Net: netFilter("ext_authz", "ext_authz.v3.ExtAuthz", `stat_prefix: a, transport_api_version: V3, grpc_service: {envoy_grpc: {cluster_name: side}}`),
			Clusters: `{name: side, type: STATIC, connect_timeout: 1s, ` + protocols("explicit_http_config: {http2_protocol_options: {}}") + `, load_assignment: ` + endpoints("side", socket(sidePort)) + `}`,
			Want:     []Want{{Flags: "UAEX", Details: "ext_authz_error", Cause: "ext-authz-error"}}},
		{Name: "tcp_tls_to_plaintext", Doc: "TLS to a server that speaks plaintext", Up: []Upstream{{Serve: plaintextServer}}, Cluster: trusting, Client: talk, Want: []Want{{Flags: "UF,URX", Reason: tlsError("WRONG_VERSION_NUMBER"), Cause: "mtls-to-plaintext tls-to-plaintext-upstream"}}},
		{Name: "tcp_later_attempt", Doc: "refused at first, then the server is there", Up: []Upstream{echo[0].after(second)}, Client: talk, Proxy: "max_connect_attempts: 20, backoff_options: {base_interval: 0.5s, max_interval: 0.5s}",
			Want: []Want{{Flags: "UF", OK: true}}},
		{Name: "tcp_plaintext_to_strict", Doc: "plaintext to another proxy that demands mutual TLS: the client's half", Client: talk, Cluster: `load_assignment: ` + endpoints("$CLUSTER", socket(sidePort)), Listeners: strictListener(p, ""),
			Want: []Want{{Flags: "UR", Cause: "upstream-remote-reset plaintext-to-strict-mtls"}}},
		{Name: "tunnel_refused", Doc: "the peer of a CONNECT tunnel refuses", Client: talk, Up: []Upstream{answers("HTTP/1.1 403 Forbidden\r\ncontent-length: 0\r\n\r\n")}, Proxy: `tunneling_config: {hostname: "reviews.lab:9080"}`,
			Want: []Want{{Flags: "UF,URX", Reason: "*tunnel_response:403*", Cause: "ambient-hbone-failed"}}},
		{Name: "tcp_dies_later", Doc: "a long connection that the server resets", Up: []Upstream{{Serve: func(c *conn) { c.in.ReadString('\n'); time.Sleep(second); c.reset() }}}, Client: talk, Want: []Want{{Flags: "UR", Cause: "upstream-remote-reset"}}},
		{Name: "ok_double_tls", Doc: "the client speaks TLS already and the proxy adds TLS: no sign of it", ClusterName: "outbound|443||api.example.org", Cluster: trusting, Client: hello(),
			Up: []Upstream{once("", closes).over(&tls.Config{Certificates: []tls.Certificate{p.server.tls()}})}, Want: []Want{{OK: true}}},
		{Name: "ok_tcp_connection_limit", Doc: "a connection limit of the listener", Up: echo, Client: func(s *session) {
			c := s.dial(listenPort)
			defer c.Close()
			c.send("hello\n")
			c.in.ReadString('\n')
			talk(s)
		}, Net: netFilter("connection_limit", "connection_limit.v3.ConnectionLimit", "stat_prefix: limit, max_connections: 1"),
			Want: []Want{{OK: true}, {OK: true}}},
	}
	for i := range list {
		list[i].TCP = true
	}
	return list
}
