//go:build e2e

package e2e

import "time"

// Routing: the request matches nothing, or what it matches has no endpoint.
func routing() []Scenario {
	ok := []Upstream{answers(okAnswer)}
	return []Scenario{
		{Name: "ok_http", Doc: "a healthy request", Up: ok, Client: get("/reviews/1"),
			Want: []Want{{Code: 200, Details: "via_upstream", OK: true}}},
		{Name: "ok_app_404", Doc: "the application's own 404", Up: []Upstream{answers("HTTP/1.1 404 Not Found\r\ncontent-length: 0\r\n\r\n")}, Client: get("/reviews/none"),
			Want: []Want{{Code: 404, Details: "via_upstream", OK: true}}},
		{Name: "ok_http10_upstream", Doc: "an upstream that answers in HTTP/1.0 is no failure", Up: []Upstream{once("HTTP/1.0 200 OK\r\n\r\nok\n", closes)}, Client: get("/"),
			Want: []Want{{Code: 200, Details: "via_upstream", OK: true}}},
		{Name: "nr_domain", Doc: "no domain matches", VHost: `domains: ["ratings.lab"]`, Client: get("/"),
			Want: []Want{{Code: 404, Flags: "NR", Details: "route_not_found", Cause: "route-missing gateway-host-unbound", Weak: "route-missing gateway-host-unbound"}}},
		{Name: "nr_path", Doc: "no path matches", Route: `{match: {prefix: /api}, route: {cluster: "$CLUSTER"}}`, Client: get("/admin"),
			Want: []Want{{Code: 404, Flags: "NR", Details: "route_not_found", Cause: "route-missing gateway-host-unbound"}}},
		{Name: "nr_port_in_authority", Doc: "the domains lack the port that was sent", VHost: `domains: ["reviews.lab"]`, Client: get("/", "host: reviews.lab:8444"),
			Want: []Want{{Code: 404, Flags: "NR", Details: "route_not_found", Cause: "route-host-port-mismatch route-missing gateway-host-unbound"}}},
		{Name: "nr_connect", Doc: "CONNECT without a route for it", Client: request("CONNECT ratings.lab:443", "host: ratings.lab:443"),
			Want: []Want{{Code: 404, Flags: "NR", Details: "route_not_found", Cause: "route-missing gateway-host-unbound route-host-port-mismatch"}}},
		{Name: "nc_route", Doc: "the route names a cluster that does not exist", Client: get("/"),
			HCM:  `route_config: {name: lab, validate_clusters: false, virtual_hosts: [{name: v, domains: ["*"], routes: [{match: {prefix: "/"}, route: {cluster: "outbound|9080|v9|reviews.lab.svc.cluster.local"}}]}]}`,
			Want: []Want{{Code: 503, Flags: "NC", Details: "cluster_not_found", Cause: "cluster-missing", Weak: "cluster-missing"}}},
		{Name: "nc_404", Doc: "the same with the code 404", Client: get("/"),
			HCM:  `route_config: {name: lab, validate_clusters: false, virtual_hosts: [{name: v, domains: ["*"], routes: [{match: {prefix: "/"}, route: {cluster: gone, cluster_not_found_response_code: NOT_FOUND}}]}]}`,
			Want: []Want{{Code: 404, Flags: "NC", Details: "cluster_not_found", Cause: "cluster-missing"}}},
		{Name: "direct_block_all", Doc: "Istio's block_all route", Route: `{name: block_all, match: {prefix: "/"}, direct_response: {status: 502}}`, Client: get("/", "host: api.example.org"),
			VHost: `name: block_all`,
			Want:  []Want{{Code: 502, Details: "direct_response", Cause: "egress-blocked-http"}}},
		{Name: "uh_black_hole", Doc: "BlackHoleCluster has no hosts", ClusterName: "BlackHoleCluster", Cluster: `load_assignment: {cluster_name: "$CLUSTER"}`, Client: get("/", "host: api.example.org"),
			Want: []Want{{Code: 503, Flags: "UH", Details: "no_healthy_upstream", Cause: "egress-blocked-http no-endpoints"}}},
		{Name: "uf_passthrough", Doc: "PassthroughCluster, the address refuses", ClusterName: "PassthroughCluster", Cluster: `type: ORIGINAL_DST, lb_policy: CLUSTER_PROVIDED, load_assignment: null, original_dst_lb_config: {use_http_header: true}`,
			Client: get("/", "host: api.example.org", "x-envoy-original-dst-host: 127.0.0.1:1"),
			Want:   []Want{{Code: 503, Flags: "UF", Details: before(refused), Cause: "? egress-passthrough upstream-refused"}}},
		{Name: "uh_passthrough", Doc: "PassthroughCluster without an original destination", ClusterName: "PassthroughCluster", Cluster: `type: ORIGINAL_DST, lb_policy: CLUSTER_PROVIDED, load_assignment: null, original_dst_lb_config: {use_http_header: true}`,
			Client: get("/", "host: api.example.org"),
			Want:   []Want{{Code: 503, Flags: "UH", Details: "no_healthy_upstream", Cause: "? egress-passthrough no-endpoints upstream-refused"}}},
		{Name: "uf_inbound_passthrough", Doc: "InboundPassthroughCluster, nothing listens on the port", ClusterName: "InboundPassthroughCluster",
			Client: get("/"), Want: []Want{{Code: 503, Flags: "UF", Details: before(refused), Cause: "? inbound-undeclared-port upstream-refused"}}},
		{Name: "direct_redirect", Doc: "a redirect to HTTPS", Route: `{match: {prefix: "/"}, redirect: {https_redirect: true}}`, Client: get("/"),
			Want: []Want{{Code: 301, Details: "direct_response", Cause: "redirect-or-direct-response", OK: true}}},
		{Name: "direct_500", Doc: "a fixed 500, as for a backend reference that does not exist", Route: `{match: {prefix: "/"}, direct_response: {status: 500}}`, Client: get("/"),
			Want: []Want{{Code: 500, Details: "direct_response", Cause: "backend-ref-not-found redirect-or-direct-response"}}},
		{Name: "ok_internal_redirect", Doc: "an internal redirect leaves two records", Client: get("/old"),
			Route: `{match: {prefix: "/"}, route: {cluster: "$CLUSTER", internal_redirect_policy: {max_internal_redirects: 1}}}`,
			Up: []Upstream{{Serve: func(c *conn) {
				for {
					r, ok := c.request()
					switch {
					case !ok:
						return
					case r.URL.Path == "/old":
						c.send("HTTP/1.1 302 Found\r\nlocation: http://reviews.lab/new\r\ncontent-length: 0\r\n\r\n")
					default:
						c.send(okAnswer)
					}
				}
			}}},
			Want: []Want{{Code: 302, Details: "internal_redirect", OK: true, By: unpinned}, {Code: 200, Details: "via_upstream", OK: true}}},
		{Name: "uo_maintenance", Doc: "the cluster is in maintenance mode", Boot: `layered_runtime: {layers: [{name: lab, static_layer: {upstream.maintenance_mode.maint: 100}}]},`,
			ClusterName: "maint", Up: ok, Client: get("/"),
			Want: []Want{{Code: 503, Flags: "UO", Details: "maintenance_mode", Cause: "maintenance-mode"}}},
		{Name: "do_drop_overload", Doc: "the control plane lets half of the requests drop", Up: ok, Client: get("/"), Cluster: drops(99.9999),
			Want: []Want{{Code: 503, Flags: "DO", Details: "drop_overload", Cause: "drop-overload"}}},
		{Name: "udo_drop_all", Doc: "the control plane lets all requests drop", Up: ok, Client: get("/"), Cluster: drops(100),
			Want: []Want{{Code: 503, Flags: "UDO", Details: "unconditional_drop_overload", Cause: "drop-overload"}}},
		{Name: "uh_no_endpoints", Doc: "no endpoint", Cluster: `load_assignment: {cluster_name: "$CLUSTER"}`, Client: get("/"),
			Want: []Want{{Code: 503, Flags: "UH", Details: "no_healthy_upstream", Cause: "no-endpoints", Weak: "no-endpoints"}}},
		{Name: "uh_unhealthy", Doc: "the only endpoint is unhealthy", Client: get("/"), Up: ok,
			Cluster: `common_lb_config: {healthy_panic_threshold: {value: 0}}, load_assignment: {cluster_name: "$CLUSTER", endpoints: [{lb_endpoints: [{health_status: UNHEALTHY, endpoint: {address: ` + socket(upPort) + `}}]}]}`,
			Want:    []Want{{Code: 503, Flags: "UH", Details: "no_healthy_upstream", Cause: "no-endpoints", Weak: "no-endpoints"}}},
		{Name: "uh_subset", Doc: "no endpoint has the subset's labels", Client: get("/"), Up: ok, ClusterName: "outbound|8080|v2|uh-subset.lab.svc.cluster.local",
			Route:   `{match: {prefix: "/"}, route: {cluster: "$CLUSTER", metadata_match: {filter_metadata: {envoy.lb: {version: v2}}}}}`,
			Cluster: `lb_subset_config: {fallback_policy: NO_FALLBACK, subset_selectors: [{keys: [version]}]}`,
			Want:    []Want{{Code: 503, Flags: "UH", Details: "no_healthy_upstream", Cause: "subset-without-endpoints no-endpoints", Weak: "subset-without-endpoints no-endpoints"}}},
		{Name: "uh_ejected", Doc: "the only endpoint is ejected after a 5xx", Client: func(s *session) { get("/")(s); time.Sleep(300 * time.Millisecond); get("/")(s) }, Up: []Upstream{answers("HTTP/1.1 500 Internal Server Error\r\ncontent-length: 0\r\n\r\n")},
			Cluster: `common_lb_config: {healthy_panic_threshold: {value: 0}}, outlier_detection: {consecutive_5xx: 1, max_ejection_percent: 100, base_ejection_time: 60s}`,
			Want: []Want{{Code: 500, Details: "via_upstream", Cause: "upstream-5xx"},
				{Code: 503, Flags: "UH", Details: "no_healthy_upstream", Cause: "no-endpoints outlier-all-ejected"}}},
		{Name: "uh_dns", Doc: "the name of a STRICT_DNS cluster does not exist", Client: get("/"),
			Cluster: `type: STRICT_DNS, load_assignment: ` + endpoints("$CLUSTER", `{socket_address: {address: nobody.invalid, port_value: 80}}`) + dnsAt(sidePort),
			Want:    []Want{{Code: 503, Flags: "UH", Details: "no_healthy_upstream", Cause: "no-endpoints dns-failure"}}},
		{Name: "df_forward_proxy", Doc: "a forward proxy that gets no answer from DNS", Client: get("/", "host: nobody.invalid"),
			HTTP:    httpFilter("dynamic_forward_proxy", "dynamic_forward_proxy.v3.FilterConfig", "dns_cache_config: {"+dnsCache+"}"),
			Cluster: `load_assignment: null, type: null, lb_policy: CLUSTER_PROVIDED, cluster_type: ` + filter("envoy.clusters.dynamic_forward_proxy", "clusters.dynamic_forward_proxy.v3.ClusterConfig", "dns_cache_config: {"+dnsCache+"}"),
			Want:    []Want{{Code: 503, Flags: "DF", Details: "dns_resolution_failure{*}", Cause: "dns-failure", Weak: "dns-failure"}}},
		{Name: "nr_route_config_missing", Doc: "RDS never delivers the routes", Client: get("/"),
			HCM:  `route_config: null, rds: {route_config_name: lab, config_source: {initial_fetch_timeout: 0.2s, api_config_source: {api_type: GRPC, transport_api_version: V3, grpc_services: [{envoy_grpc: {cluster_name: "$CLUSTER"}}]}}}`,
			Want: []Want{{Code: 404, Flags: "NR", Details: "route_not_found", Cause: "route-missing gateway-host-unbound route-config-not-received"}}},
	}
}

const dnsCache = `name: lab, dns_lookup_family: V4_ONLY, dns_query_timeout: 1s, typed_dns_resolver_config: {name: envoy.network.dns_resolver.cares, typed_config: {"@type": type.googleapis.com/envoy.extensions.network.dns_resolver.cares.v3.CaresDnsResolverConfig, resolvers: [{socket_address: {address: $IP, port_value: 9090}}], dns_resolver_options: {no_default_search_domain: true}}}`

// dnsAt asks a resolver of the scenario only: nothing leaves the machine.
func dnsAt(port string) string {
	return `, dns_lookup_family: V4_ONLY, typed_dns_resolver_config: {name: envoy.network.dns_resolver.cares, typed_config: {"@type": type.googleapis.com/envoy.extensions.network.dns_resolver.cares.v3.CaresDnsResolverConfig, resolvers: [` + socket(port) + `], dns_resolver_options: {no_default_search_domain: true}}}`
}

func drops(percent float64) string {
	return expand(`load_assignment: {cluster_name: "$CLUSTER", policy: {drop_overloads: [{category: lab, drop_percentage: {numerator: $PART, denominator: MILLION}}]}, endpoints: [{lb_endpoints: [{endpoint: {address: `+socket(upPort)+`}}]}]}`,
		"PART", number(percent*10000))
}

const second = time.Second
