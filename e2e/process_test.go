//go:build e2e

package e2e

import (
	"encoding/binary"
	"io"
	"slices"
	"strings"
	"time"
)

// Process: the proxy itself is short of something.
func process() []Scenario {
	ok := []Upstream{answers(okAnswer)}
	heap := func(rest string) string {
		return `overload_manager: {refresh_interval: 0.05s, resource_monitors: [{name: envoy.resource_monitors.fixed_heap, typed_config: {"@type": type.googleapis.com/envoy.extensions.resource_monitors.fixed_heap.v3.FixedHeapConfig, max_heap_size_bytes: 1000}}], ` + rest + `},`
	}
	trigger := `triggers: [{name: envoy.resource_monitors.fixed_heap, threshold: {value: 0.9}}]`
	soon := func(c Client) Client { return func(s *session) { time.Sleep(500 * time.Millisecond); c(s) } }
	return []Scenario{
		{Name: "overload_action", Doc: "the heap is full: no more requests", Up: ok, Client: soon(get("/")), Boot: heap(`actions: [{name: envoy.overload_actions.stop_accepting_requests, ` + trigger + `}]`),
			Want: []Want{{Code: 503, Details: "overload", Cause: "overload-manager"}}},
		{Name: "overload_load_shed", Doc: "load is shed when headers arrive", Up: ok, Client: soon(get("/")), Boot: heap(`loadshed_points: [{name: envoy.load_shed_points.http_connection_manager_decode_headers, ` + trigger + `}]`),
			Want: []Want{{Code: 503, Details: "overload", Cause: "overload-manager"}}},
		{Name: "overload_abort_dispatch", Doc: "load is shed before a request is read", Up: ok, Client: soon(get("/")), Boot: heap(`loadshed_points: [{name: envoy.load_shed_points.http1_server_abort_dispatch, ` + trigger + `}]`),
			Want: []Want{{Code: 500, Flags: "DPE", Details: "overload", Cause: "overload-manager"}}},
		{Name: "grpc_overload", Doc: "the heap is full: no more calls", Up: ok, HCM: "codec_type: HTTP2", Client: soon(grpc("/lab.Reviews/Get")), Boot: heap(`actions: [{name: envoy.overload_actions.stop_accepting_requests, ` + trigger + `}]`),
			Want: []Want{{Code: 200, Details: "overload", Cause: "overload-manager"}}},
		{Name: "om_memory", Doc: "the stream that holds most memory is reset; the pressure must rise while it is there", HCM: "codec_type: HTTP2, http2_protocol_options: {initial_stream_window_size: 16777216, initial_connection_window_size: 16777216}", Listener: "per_connection_buffer_limit_bytes: 16777216", Cluster: "per_connection_buffer_limit_bytes: 16777216",
			Boot:   strings.Replace(heap(`buffer_factory_config: {minimum_account_to_track_power_of_two: 16}, actions: [{name: envoy.overload_actions.reset_high_memory_stream, triggers: [{name: envoy.resource_monitors.fixed_heap, scaled: {scaling_threshold: 0.5, saturation_threshold: 0.9}}]}]`), "0.05s", "2s", 1),
			Up:     []Upstream{once("HTTP/1.1 200 OK\r\n\r\n"+strings.Repeat("x", 8<<20), holds)},
			Client: h2Client(func(s *session, h h2) { h.ask(s, "/big"); h.await(ended) }),
			Want:   []Want{{Code: 200, Flags: "OM", Details: "overload", Cause: "overload-manager", By: unpinned}}},
		{Name: "fd_limit", Doc: "all file descriptors are used up", Up: ok, Descriptors: 100, Client: func(s *session) {
			held := s.dial(listenPort)
			defer held.Close()
			for range 120 {
				defer s.dial(listenPort).Close()
			}
			time.Sleep(300 * time.Millisecond)
			held.send(s.text("GET /"))
			held.response("GET")
		}, Want: []Want{{Code: 503, Flags: "UF", Details: before("local_connection_failure|socket_creation_failure"), Cause: "local-connection-failure"}},
			Events: []Event{{Text: "socket(2) failed", Lines: 1, Cause: "fd-limit-crash"}}},
	}
}

// Starts: the proxy does not start, or is never told what to do.
func starts() []Scenario {
	static := func(rest string) string {
		return `{node: {id: lab, cluster: lab}, admin: {address: ` + socket(adminPort) + `}, ` + rest + `}`
	}
	ads := func(cluster string) string {
		return `dynamic_resources: {ads_config: {api_type: GRPC, transport_api_version: V3, grpc_services: [{envoy_grpc: {cluster_name: ` + cluster + `}}]}, lds_config: {ads: {}, resource_api_version: V3}, cds_config: {ads: {}, resource_api_version: V3}}`
	}
	xds := func(fields string) string {
		return `static_resources: {clusters: [{` + join(`name: xds-grpc, type: STATIC, connect_timeout: 1s`, fields, `load_assignment: `+endpoints("xds-grpc", socket(":15010"))) + `}]}`
	}
	grpc := protocols("explicit_http_config: {http2_protocol_options: {}}")
	listener := func(chain string) string {
		return `static_resources: {listeners: [{name: main, address: ` + socket(listenPort) + `, filter_chains: [` + chain + `]}]}`
	}
	refusedStart := func(name, doc, config, text, cause string) Scenario {
		return Scenario{Name: name, Doc: doc, Config: config, NoWait: true, Ends: true, Events: []Event{{Text: text, Lines: 1, Cause: cause}}}
	}
	list := []Scenario{
		refusedStart("b1_unknown_cluster", "ADS names a cluster that is not there", static(ads("xds-grcp")+", "+xds(grpc)), "error `Unknown gRPC client cluster 'xds-grcp'`", "bootstrap-unknown-cluster"),
		refusedStart("b1_yaml", "no YAML", "node: {id: lab\nadmin: [", "critical][main]", "bootstrap-invalid-yaml"),
		refusedStart("b1_unknown_field", "a field that does not exist", static(`static_resource: {}`), "has unknown fields", "bootstrap-invalid-proto"),
		refusedStart("b1_node_missing", "ADS without a node", `{`+ads("xds-grpc")+", "+xds(grpc)+`}`, "ads: node 'id' and 'cluster' are required", "bootstrap-missing-field"),
		refusedStart("b1_address", "a name where an address belongs", static(`static_resources: {clusters: [{name: c, type: STATIC, load_assignment: `+endpoints("c", `{socket_address: {address: reviews.lab, port_value: 80}}`)+`}]}`), "malformed IP address: reviews.lab", "bootstrap-malformed-address"),
		refusedStart("b1_unknown_type", "an extension that this build does not have", static(listener(`{filters: [{name: x, typed_config: {"@type": type.googleapis.com/lab.Unknown}}]}`)), "could not find @type", "bootstrap-unknown-extension"),
		refusedStart("b1_ca_missing", "a CA file that is not there", static(`static_resources: {clusters: [{name: c, `+upstreamTLS("validation_context: {trusted_ca: {filename: ./ca.pem}}", "")+`}]}`), "ca.pem", "bootstrap-missing-file file-cert-invalid"),
		refusedStart("b1_key_mismatch", "a key of another certificate", static(`static_resources: {clusters: [{name: c, `+upstreamTLS(mixedIdentity(), "")+`}]}`), "KEY_VALUES_MISMATCH", "bootstrap-tls-material-invalid file-cert-invalid"),
		refusedStart("b1_route_cluster", "a static route to a cluster that is not there", static(listener(`{filters: [`+netFilter("http_connection_manager", "http_connection_manager.v3.HttpConnectionManager", `stat_prefix: x, http_filters: [`+httpFilter("router", "router.v3.Router", "")+`], route_config: {name: r, validate_clusters: true, virtual_hosts: [{name: v, domains: ["*"], routes: [{match: {prefix: "/"}, route: {cluster: nowhere}}]}]}`)+`]}`)), "unknown cluster 'nowhere'", "bootstrap-static-route-unknown-cluster"),
		refusedStart("b1_no_router", "no filter at the end", static(listener(`{filters: [`+netFilter("http_connection_manager", "http_connection_manager.v3.HttpConnectionManager", `stat_prefix: x, http_filters: [`+httpFilter("fault", "fault.v3.HTTPFault", "")+`], route_config: {}`)+`]}`)), "non-terminal filter named", "bootstrap-rejected config-validate-failed"),
	}
	list = append(list,
		Scenario{Name: "b1_port_in_use", Doc: "the port is taken", Up: []Upstream{silent()}, NoWait: true, Ends: true, Config: static(`static_resources: {listeners: [{name: main, address: ` + socket(upPort) + `, filter_chains: [{filters: [` + netFilter("echo", "echo.v3.Echo", "") + `]}]}]}`),
			Events: []Event{{Text: "failed to bind", Lines: 1, Cause: "? bootstrap-port-in-use lds-rejected-port-in-use"}, {Text: "error `cannot bind", Lines: 1, Cause: "bootstrap-port-in-use"}}},
		Scenario{Name: "b2_unreachable", Doc: "nothing listens where the control plane should be", NoWait: true, Config: static(ads("xds-grpc") + ", " + xds(grpc)),
			Events: []Event{{Text: "initial fetch timed out for type.googleapis.com/envoy.config.cluster.v3.Cluster", Lines: 1, Cause: "xds-initial-fetch-timeout control-plane-slow"}, {Text: "gRPC config stream to xds-grpc closed since", Lines: 1, Cause: "control-plane-down control-plane-unreachable"}}},
		Scenario{Name: "b6_not_http2", Doc: "the control plane's cluster does not speak HTTP/2", NoWait: true, Config: static(ads("xds-grpc") + ", " + xds("")), Up: []Upstream{h2Upstream(func(h2, uint32) {}).at(":15010")},
			Events: []Event{{Text: "initial fetch timed out for type.googleapis.com/envoy.config.cluster.v3.Cluster", Lines: 1, Cause: "xds-initial-fetch-timeout control-plane-slow"}, {Text: "gRPC config stream to xds-grpc closed since", Lines: 1, Cause: "xds-cluster-not-http2 control-plane-unreachable"}}},
		Scenario{Name: "b2_fetch_timeout", Doc: "the control plane never sends the listeners", Config: strings.Replace(static(ads("xds-grpc")+", "+xds(grpc)), "lds_config: {", "lds_config: {initial_fetch_timeout: 1s, ", 1), Up: []Upstream{controlPlane("listener.v3.Listener").at(":15010")},
			Events: []Event{{Text: "initial fetch timed out for type.googleapis.com/envoy.config.listener.v3.Listener", Lines: 1, Cause: "xds-initial-fetch-timeout control-plane-slow"}}},
		Scenario{Name: "b3_lds_rejected", Doc: "the control plane sends a listener without filter chains", Config: static(ads("xds-grpc") + ", " + xds(grpc)), Up: []Upstream{controlPlane().at(":15010")},
			Events: []Event{{Text: "lds: listener 'bad' config rejected", Lines: 1, Cause: "lds-rejected-no-filter-chain config-rejected"}, {Text: "gRPC config for type.googleapis.com/envoy.config.listener.v3.Listener rejected", Lines: 1, Cause: "lds-rejected-no-filter-chain config-rejected"}}},
	)
	return list
}

// mixedIdentity is a certificate with the key of another.
func mixedIdentity() string {
	p := newPKI()
	return "tls_certificates: [{certificate_chain: {inline_string: " + quote(p.server.certPEM()) + "}, private_key: {inline_string: " + quote(p.client.keyPEM()) + "}}]"
}

// controlPlane is an ADS server that sends no cluster and one bad listener,
// but nothing of the kinds that are withheld.
// Messages are those of envoy.service.discovery.v3, fields by number.
func controlPlane(withheld ...string) Upstream {
	const kinds = "type.googleapis.com/envoy.config."
	return Upstream{Serve: func(c *conn) {
		if _, err := io.CopyN(io.Discard, c.in, int64(len(preface))); err != nil {
			return
		}
		h, sent := h2{c}, map[string]bool{}
		h.frame(frameSettings, 0, 0, nil)
		for {
			kind, flags, stream, payload, err := h.next()
			switch {
			case err != nil:
				return
			case kind == frameSettings && flags&ack == 0:
				h.frame(frameSettings, ack, 0, nil)
			case kind == frameHeaders:
				h.headers(stream, false, ":status", "200", "content-type", "application/grpc")
				h.widen(0)
				h.widen(stream) // each request repeats all that the proxy can do: 30 KB
			case kind == frameData:
				for _, name := range []string{"cluster.v3.Cluster", "listener.v3.Listener"} {
					if strings.Contains(string(payload), field(4, kinds+name)) && !sent[name] && !slices.Contains(withheld, name) {
						sent[name] = true
						h.frame(frameData, 0, stream, message(discoveryResponse(kinds+name)))
					}
				}
			}
		}
	}}
}

func discoveryResponse(kind string) []byte {
	response := field(1, "1") + field(4, kind) + field(5, "nonce-1")
	if strings.Contains(kind, "Listener") {
		address := field(1, field(2, "127.0.0.1")+"\x18\x92\x4e") // socket_address: address, port_value 10002
		listener := field(1, "bad") + field(2, address)
		response += field(2, field(1, kind)+field(2, listener))
	}
	return []byte(response)
}

// field is a length-delimited protobuf field.
func field(number int, value string) string {
	return string(append(binary.AppendUvarint([]byte{byte(number<<3 | 2)}, uint64(len(value))), value...))
}

// message puts gRPC's prefix in front.
func message(body []byte) []byte {
	return append(binary.BigEndian.AppendUint32([]byte{0}, uint32(len(body))), body...)
}
