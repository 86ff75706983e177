package classify

import (
	"hash/maphash"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/flagwatch/flagwatch/parser"
)

// A told is an operational line and the cause that it shows; "" for none, and
// a cause of severity info raises no alarm either.
type told struct{ cause, line string }

// A frame is how a program wraps a text: its version's layout, with TEXT where
// the text stands.
type frame string

func (f frame) around(cause, text string) told {
	return told{cause, strings.ReplaceAll(string(f), "TEXT", text)}
}

// How Envoy ends at its start.
const (
	ends19    frame = "[2018-12-04 05:11:37.250][000009][critical][main] [source/server/server.cc:88] error initializing configuration '/opt/edge/envoy.yaml': TEXT"
	ends116   frame = "[2021-02-17 23:40:01.988][1][critical][main] [external/envoy/source/server/server.cc:113] error initializing configuration '/opt/edge/envoy.yaml': TEXT"
	ends127   frame = "2024-04-09T13:25:44.310206Z\tcritical\tenvoy main external/envoy/source/server/server.cc:421\terror initializing config '  etc/istio/proxy/envoy-rev.json': TEXT\tthread=19"
	ends135   frame = "2026-03-15T04:02:55.671930Z\tcritical\tenvoy main external/envoy/source/server/server.cc:449\terror `TEXT` initializing config 'goo.gle/debugonly    "
	checks    frame = "[2026-03-15 03:58:10.105][77][critical][main] [source/server/config_validation/server.cc:76] error initializing configuration '/opt/edge/envoy.yaml': TEXT"
	alone     frame = "TEXT"
	asserting frame = "[2022-08-30 16:20:09.004][41][critical][assert] [source/server/hot_restarting_base.cc:98] TEXT"
)

// How a proxy refuses an update, and how istiod hears of it.
const (
	refuses18   frame = "[2019-01-22 10:47:19.400][14][warning][config] [external/envoy/source/common/config/grpc_mux_subscription_impl.h:70] gRPC config for type.googleapis.com/envoy.api.v2.KIND rejected: TEXT"
	refuses120  frame = "2023-07-02T20:13:08.115603Z\twarning\tenvoy config external/envoy/source/common/config/grpc_subscription_impl.cc:128\tgRPC config for type.googleapis.com/envoy.config.kind.v3.KIND rejected: TEXT\tthread=30"
	refusesPlus frame = "2026-03-15T04:09:31.020044Z\twarning\tenvoy config external/envoy/source/extensions/config_subscription/grpc/delta_subscription_state.cc:281\tdelta config for type.googleapis.com/envoy.config.kind.v3.KIND rejected: TEXT"
	nacked      frame = "2022-10-11T08:33:02.660317Z\twarn\tads\tADS:XDS: ACK ERROR sidecar~10.61.4.20~ledger-6c9d7f-kx2lp.till~till.svc.cluster.local-88 Internal:TEXT"
	nackedJSON  frame = `{"level":"warn","time":"2025-01-08T19:05:44.207518Z","scope":"delta","msg":"ADS:XDS: ACK ERROR ledger-6c9d7f-kx2lp.till-88 Internal:TEXT\n"}`
)

// How a call to the control plane fails.
const (
	stream111  frame = "[2020-06-19 07:31:52.733][22][warning][config] [bazel-out/k8-opt/bin/external/envoy/source/common/config/_virtual_includes/grpc_stream_lib/common/config/grpc_stream.h:92] StreamAggregatedResources gRPC config stream closed: 14, TEXT"
	stream124  frame = "2023-11-27T01:50:13.448806Z\twarning\tenvoy config external/envoy/source/common/config/grpc_stream.h:201\tStreamAggregatedResources gRPC config stream to xds-grpc closed since 326s ago: 14, TEXT\tthread=22"
	stream140  frame = "2026-03-15T04:11:02.119650Z\twarning\tenvoy config external/envoy/source/extensions/config_subscription/grpc/grpc_stream.h:227\tDeltaAggregatedResources gRPC config stream to xds-grpc closed since 48s ago: 14, TEXT{via_upstream}\tthread=25"
	streamJSON frame = `{"level":"warning","time":"2025-06-30T03:18:57.901236Z","scope":"envoy config","msg":"DeltaAggregatedResources gRPC config stream to xds-grpc closed since 77s ago: 14, TEXT","caller":"external/envoy/source/extensions/config_subscription/grpc/grpc_stream.h:227","thread":"24"}`
	dials      frame = "2025-09-01T12:44:30.902215Z\terror\txdsproxy\tfailed to connect to upstream istiod.istio-system.svc:15012: failed to dial: TEXT\tid=4"
	breaks     frame = "2021-04-13T17:09:26.077390Z\twarn\txdsproxy\tupstream [17] terminated with unexpected error rpc error: code = Unavailable desc = TEXT"
	signs      frame = "2020-09-08T22:18:40.630041Z\terror\tcitadelclient\tFailed to create certificate: rpc error: code = Unavailable desc = TEXT"
	warms      frame = "2022-12-19T06:54:58.339077Z\twarn\tsds\tfailed to warm certificate: failed to generate workload certificate: create certificate: rpc error: code = Unavailable desc = TEXT"
	nodes      frame = "2025-02-26T14:30:07.550912Z\twarn\txds::client:xds{id=6}\tXDS client connection error: gRPC connection error connecting to https://istiod.istio-system.svc:15012: status: Unknown, message: \"client error (Connect)\", source: TEXT, retrying in 80ms"
	notReady   frame = "2024-05-21T03:36:15.871644Z\twarn\tEnvoy proxy is NOT ready: TEXT"
	waits12    frame = "2019-03-06T19:57:21.014553Z\tinfo\tEnvoy proxy is NOT ready: TEXT"
)

// every wraps a text in each of the frames.
func every(cause, text string, frames ...frame) (lines []told) {
	for _, f := range frames {
		lines = append(lines, f.around(cause, text))
	}
	return lines
}

func bootstrapEvents() []told {
	texts := []told{
		{"bootstrap-unknown-cluster", "Unknown gRPC client cluster 'mesh-xsd'"},
		{"bootstrap-unknown-cluster", "envoy.config.core.v3.ApiConfigSource must have a statically defined non-EDS cluster: 'mesh-xsd' does not exist, was added via api, or is an EDS cluster"},
		{"bootstrap-static-route-unknown-cluster", "route: unknown cluster 'checkout_pool'"},
		{"bootstrap-static-route-unknown-cluster", "route: unknown weighted cluster 'checkout_canary'"},
		{"bootstrap-missing-field", "Proto constraint validation failed (HttpConnectionManagerValidationError.StatPrefix: value length must be at least 1 characters): stat_prefix: till"},
		{"bootstrap-missing-field", "Proto constraint validation failed (FilterConfigValidationError.DnsCacheConfig: [value is required]): "},
		{"bootstrap-invalid-proto", "Protobuf message (type envoy.config.bootstrap.v3.Bootstrap reason INVALID_ARGUMENT:(admin) adress: Cannot find field.) has unknown fields"},
		{"bootstrap-invalid-proto", "Unable to parse JSON as proto (INVALID_ARGUMENT:(static_resources.clusters[0].connect_timeout): invalid value 250 for type type.googleapis.com/google.protobuf.Duration): "},
		{"bootstrap-invalid-proto", "Unable to parse JSON as proto (INVALID_ARGUMENT: invalid JSON in envoy.config.bootstrap.v3.Bootstrap @ admin:   near 1:20 (offset 19): unexpected  character: '['; expected '{'): {}"},
		{"bootstrap-invalid-yaml", "Unable to convert YAML as JSON: till"},
		{"bootstrap-invalid-yaml", "yaml-cpp: error at line 3, column 12: end of map not found"},
		{"bootstrap-invalid-yaml", "Unable to parse JSON as proto (INVALID_ARGUMENT:Unexpected end of string. Expected , or } after key:value pair.): {"},
		{"bootstrap-malformed-address", "malformed IP address: ledger.till.svc.cluster.local. Consider setting resolver_name or setting cluster type to 'STRICT_DNS' or 'LOGICAL_DNS'"},
		{"bootstrap-missing-file", "Invalid path: /opt/edge/etc/tls/ca.pem"},
		{"bootstrap-tls-material-invalid", "Failed to load certificate chain from /opt/edge/tls/tls.crt"},
		{"bootstrap-tls-material-invalid", "Failed to load incomplete certificate from /opt/edge/tls/tls.crt: certificate chain not set"},
		{"bootstrap-deprecated-cluster-names", "envoy::api::v2::core::ConfigSource::GRPC must not have a cluster name specified: api_type: GRPC"},
		{"bootstrap-deprecated-v2", "Unable to parse JSON as proto (INVALID_ARGUMENT:(static_resources.listeners[0].filter_chains[0].filters[0].typed_config): invalid value Invalid type URL, unknown type: envoy.config.filter.network.tcp_proxy.v2.TcpProxy for type Any)"},
		{"bootstrap-unknown-extension", "Didn't find a registered implementation for name: 'till.audit'"},
		{"bootstrap-unknown-extension", "Unable to parse JSON as proto (INVALID_ARGUMENT: could not find @type 'type.googleapis.com/till.envoy.AuditConfig'): {}"},
		{"bootstrap-port-in-use", "cannot bind '0.0.0.0:9901': Address already in use"},
		{"bootstrap-rejected", "Only unique values for domains are permitted. Duplicate entry of domain ledger.till"},
		{"bootstrap-rejected", "Error: terminal filter named envoy.filters.network.tcp_proxy of type envoy.filters.network.tcp_proxy must be the last filter in a network filter chain."},
	}
	var lines []told
	for i, x := range texts {
		frames := []frame{ends19, ends116, ends127, ends135, checks}
		lines = append(lines, every(x.cause, x.line, frames[i%5], frames[(i+2)%5], alone)...)
	}
	return append(lines,
		ends116.around("bootstrap-rejected", "till quota exceeded"),
		ends127.around("bootstrap-port-permission-denied", "cannot bind '0.0.0.0:443': Permission denied"),
		ends135.around("bootstrap-port-permission-denied", "cannot bind '0.0.0.0:80': Permission denied"),
		ends135.around("bootstrap-missing-file", "unable to read file: /opt/edge/envoy.yaml"),
		ends135.around("bootstrap-missing-field", "ads: node 'id' and 'cluster' are required. Set it either in 'node' config or via --service-node and --service-cluster options."),
		alone.around("bootstrap-missing-field", "Proto constraint validation failed (SocketAddressValidationError.Address: value length must be at least 1 characters)"),
		alone.around("privileged-port-bind", "cannot bind '0.0.0.0:80': Permission denied"),
		alone.around("bootstrap-rejected", "error: invalid log level specified 'verbose'"),
		checks.around("config-validate-failed", "Didn't find a registered implementation for name: 'envoy.listener_manager_impl.validation'"),
		told{"config-validate-failed", "[2018-05-02 12:31:40.777][3110][critical][assert] source/server/config_validation/dispatcher.cc:20] panic: not implemented"},
		told{"bootstrap-invalid-proto", "[2018-02-09 09:15:22.061][4021][debug][main] external/envoy/source/server/server.cc:170] Unable to initialize config as v2, will retry as v1: Unable to parse JSON as proto (INVALID_ARGUMENT:static: Cannot find field.): {"},
		alone.around("hot-restart-base-id-conflict", "unable to initialize hot restart: unable to bind domain socket with id=0"),
		alone.around("hot-restart-base-id-conflict", "unable to bind domain socket with id=0 (see --base-id option)"),
		asserting.around("hot-restart-parent-not-ready", "assert failure: rc == static_cast<int>(cur_chunk_size). Details: hot restart sendmsg() failed: returned -1, errno 111"),
		asserting.around("hot-restart-parent-not-ready", "panic: cannot open shared memory region /envoy_shared_memory_70 check user permissions. Error: No such file or directory"),
		ends116.around("hot-restart-parent-not-ready", "previous envoy process is still initializing"),
		alone.around("unknown-grpc-cluster-crash", "terminate called after throwing an instance of 'Envoy::EnvoyException': Unknown gRPC client cluster 'authz_pool'"),
		ends116.around("bootstrap-rejected", "error adding listener: 'till_tcp_9400' has duplicate address '0.0.0.0:9400' as existing listener"),
		ends135.around("bootstrap-rejected", "error adding listener '0.0.0.0:9400': no filter chains specified"),
		told{"bootstrap-rejected", "2022-03-14T21:08:53.400182Z\tfatal\tfailed to generate bootstrap config: open etc/istio/proxy/envoy-rev.json: read-only file system"},
		waits12.around("envoy-not-running", "failed retrieving Envoy stats: Get http://127.0.0.1:15000/stats?usedonly: dial tcp 127.0.0.1:15000: connect: connection refused"),
		notReady.around("envoy-not-running", "server is terminated: context canceled"),
	)
}

func refusedEvents() []told {
	refused := func(cause, kind, text string, frames ...frame) (lines []told) {
		for _, f := range frames {
			wrapped := strings.ReplaceAll(string(f), "KIND", kind)
			short := map[string]string{"Listener": "LDS", "Cluster": "CDS", "RouteConfiguration": "RDS", "Secret": "SDS"}[kind]
			lines = append(lines, frame(strings.ReplaceAll(wrapped, "XDS", short)).around(cause, text))
		}
		return lines
	}
	listener := func(cause, text string, frames ...frame) []told {
		return refused(cause, "Listener", "Error adding/updating listener(s) virtualInbound: "+text, frames...)
	}
	return slices.Concat(
		listener("lds-rejected-deprecated-v2", "The v2 xDS major version is deprecated and disabled by default. (envoy.config.filter.http.lua.v2.Lua)", refuses120, nacked),
		listener("lds-rejected-duplicate-listener", "duplicate listener virtualInbound found", refuses18, refuses120, nackedJSON),
		listener("lds-rejected-lua-script", "script load error: [string 'function envoy_on_request(h)...']:2: unexpected symbol near '}'", refuses18, nacked),
		listener("lds-rejected-no-filter-chain", "error adding listener '0.0.0.0:8443': no filter chains specified", refuses120, nacked),
		listener("lds-rejected-port-in-use", "cannot bind '0.0.0.0:15443': Address already in use", refuses18, refusesPlus, nackedJSON),
		listener("lds-rejected-port-permission-denied", "cannot bind '0.0.0.0:443': Permission denied", refuses120, nacked),
		listener("lds-rejected-unknown-cluster", "Unknown gRPC client cluster 'outbound|9191||authz.till.svc.cluster.local'", refuses18, refusesPlus),
		listener("lds-rejected-unknown-cluster", "tcp_proxy: unknown cluster 'ledger_pool'", refuses120),
		listener("lds-rejected-unknown-extension", "Didn't find a registered implementation for name: 'till.audit'", refuses18, refuses120, nacked, nackedJSON),
		listener("lds-rejected-wasm-load", "Unable to create Wasm HTTP filter till-meter", refuses120, nacked),
		listener("lds-rejected-invalid-proto", "Proto constraint validation failed (TcpProxyValidationError.StatPrefix: value length must be at least 1 characters)", refuses18, nacked),
		listener("lds-rejected-invalid-proto", "Protobuf message (type envoy.extensions.filters.http.jwt_authn.v3.JwtAuthentication with unknown field set {14}) has unknown fields", refuses120),
		listener("config-rejected", "Error: non-terminal filter named envoy.filters.http.cors of type envoy.filters.http.cors is the last filter in a http filter chain.", refuses120, nacked),
		refused("cds-rejected-duplicate-cluster", "Cluster", "Error adding/updating cluster(s) inbound|7600||: duplicate cluster inbound|7600|| found", refuses18, refuses120, nacked),
		refused("cds-rejected-config-mismatch", "Cluster", "Error adding/updating cluster(s) outbound|443||ledger.example.org: LOGICAL_DNS clusters must have a single locality_lb_endpoint and a single lb_endpoint", refuses120, nacked),
		refused("cds-rejected-config-mismatch", "Cluster", "Error adding/updating cluster(s) direct: cluster: LB policy ROUND_ROBIN is not valid for Cluster type ORIGINAL_DST", refuses18),
		refused("file-cert-invalid", "Cluster", "Error adding/updating cluster(s) outbound|443||ledger.example.org: Failed to load certificate chain from /etc/till-certs/client.pem", refuses120, nacked),
		refused("file-cert-invalid", "Cluster", "Error adding/updating cluster(s) outbound|443||ledger.example.org: Invalid path: /etc/till-certs/ca.pem", refuses18),
		refused("config-rejected", "Cluster", "Error adding/updating cluster(s) direct: malformed IP address: ledger.example.org.", refuses120),
		refused("rds-rejected-duplicate-domain", "RouteConfiguration", "Only unique values for domains are permitted. Duplicate entry of domain Ledger.till in route 7600", refuses18, refuses120, nacked, nackedJSON),
		refused("rds-rejected-duplicate-domain", "RouteConfiguration", "Only a single wildcard domain is permitted in route 80", refuses120),
		refused("config-rejected", "RouteConfiguration", "route: unknown cluster 'outbound|7600||ledger.till.svc.cluster.local'", refuses18, nacked),
		refused("sds-rejected-bad-key", "Secret", "Failed to load private key from <inline>, Cause: error:09000068:PEM routines:OPENSSL_internal:BAD_PASSWORD_READ", refuses18, refuses120),
		refused("sds-rejected-bad-key", "Secret", "Failed to load certificate chain from <inline>", refusesPlus),
		[]told{
			{"lds-rejected-duplicate-listener", "[2019-10-01 18:22:45.093][9][warning][upstream] [source/server/lds_api.cc:50] lds: fetch failure: error adding listener: 'till_tcp_9400' has duplicate address '0.0.0.0:9400' as existing listener"},
			{"config-rejected", "2026-03-15T04:09:31.019880Z\twarning\tenvoy upstream external/envoy/source/common/listener_manager/lds_api.cc:89\tlds: listener '0.0.0.0_7600' config rejected: Error: terminal filter named till must be the last filter in a network filter chain.\tthread=25"},
			{"lds-rejected-unknown-extension", "2026-03-15T04:09:31.019880Z\twarning\tenvoy upstream external/envoy/source/common/listener_manager/lds_api.cc:89\tlds: listener 'virtualInbound' config rejected: Didn't find a registered implementation for 'till.audit' with type URL: 'till.envoy.AuditConfig'\tthread=25"},
			{"cds-rejected-duplicate-cluster", "2026-03-15T04:09:31.019880Z\twarning\tenvoy upstream external/envoy/source/common/upstream/cds_api_helper.cc:51\tcds: cluster 'inbound|7600||' config rejected: inbound|7600||: duplicate cluster inbound|7600|| found\tthread=25"},
			{"config-rejected", "[2026-03-15 04:20:07.614][12][warning][config] [source/extensions/config_subscription/rest/http_subscription_impl.cc:132] REST config for /v3/discovery:clusters rejected: Unable to parse JSON as proto (INVALID_ARGUMENT: unexpected character: '<'): <html>sign in</html>"},
			{"config-rejected", "[warning][config] [source/common/config/filesystem_subscription_impl.cc:53] Filesystem config update failure: till quota"},
			{"config-rejected", "[2026-03-15 04:20:07.614][12][warning][config] [source/extensions/config_subscription/filesystem/filesystem_subscription_impl.cc:61] Filesystem config update rejected: till quota"},
			{"lds-rejected-port-in-use", "[2026-03-15 04:20:09.870][12][error][config] [source/common/listener_manager/listener_manager_impl.cc:1405] listener '127.0.0.1_7600' failed to bind or apply socket options: cannot bind '127.0.0.1:7600': Address already in use"},
			{"privileged-port-bind", "[2026-03-15 04:20:09.870][12][error][config] [source/common/listener_manager/listener_manager_impl.cc:1405] listener '0.0.0.0_443' failed to bind or apply socket options: cannot bind '0.0.0.0:443': Permission denied"},
			{"config-invalid", "Error from server: error when creating \"till.yaml\": admission webhook \"validation.istio.io\" denied the request: configuration is invalid: gateway must have at least one server"},
			{"config-invalid", "Error from server: admission webhook \"rev.validation.istio.io\" denied the request: error decoding configuration: YAML decoding error: unknown field \"hots\""},
			{"lua-runtime-error", "[2019-08-26 02:55:13.507][31][error][lua] [external/envoy/source/extensions/filters/http/lua/lua_filter.cc:562] script log: /etc/envoy/till.lua:12: attempt to index local 'rate' (a nil value)"},
			{"lua-runtime-error", "script log: [string \"function envoy_on_response(h)...\"]:7: bad argument #1 to 'tonumber'"},
			{"lds-rejected-wasm-load", "2023-03-15T04:21:33.105070Z\terror\twasm\tfailed to fetch Wasm module https://plugins.till.example/meter.wasm: wasm module download failed: status code 404"},
			{"lds-rejected-wasm-load", `{"level":"error","time":"2025-03-15T04:21:33.105070Z","scope":"wasm","msg":"fail to convert Wasm module till.meter: could not fetch Wasm OCI image: unauthorized"}`},
			{"config-rejected", "2020-03-15T04:21:33.105070Z\twarn\tADS:RDS: ACK ERROR router~10.61.4.9~edge-7c.till~till.svc.cluster.local-8 Internal:route: unknown cluster 'till'"},
			{"config-rejected", "external/envoy/source/common/config/grpc_mux_subscription_impl.cc:73] gRPC config for type.googleapis.com/envoy.api.v2.Listener rejected: Error adding/updating listener(s) 10.61.4.9_7600: error adding listener '10.61.4.9:7600': multiple filter chains with the same matching rules are defined"},
			{"extension-not-loaded", "2021-03-15T04:21:33.105070Z\terror\tenvoy wasm\tWasm VM failed Failed to initialize Wasm code"},
			{"extension-not-loaded", "[2026-03-15 04:21:33.105][12][critical][wasm] [source/extensions/common/wasm/wasm.cc:479] Plugin configured to fail closed failed to load"},
			{"extension-answered", "[2026-03-15 04:22:10.348][27][warning][ext_proc] [source/extensions/filters/http/ext_proc/ext_proc.cc:2068] [Tags: \"ConnectionId\":\"9\",\"StreamId\":\"71\"] Received gRPC error on stream: 14, message upstream connect error or disconnect/reset before headers."},
			{"overload-manager", "[2026-03-15 04:22:41.990][27][warning][misc] [source/common/buffer/watermark_buffer.cc:242] resetting 3 streams in 1 buckets, 7 empty buckets"},
		},
	)
}

func controlEvents() []told {
	return slices.Concat(bootstrapEvents(), refusedEvents(), streamEvents(), groupEvents())
}

// groupEvents are events over several lines: the reason may stand in any.
func groupEvents() []told {
	dump := strings.Repeat("  socket_address {\n    address: \"10.96.7.20\"\n    port_value: 7600\n  }\n", 400)
	constraint := ": Proto constraint validation failed (ListenerValidationError.Address: value is required)"
	return []told{
		ends135.around("bootstrap-unknown-cluster", "Unknown gRPC client cluster 'mesh-xsd'").and("  /opt/edge/envoy.yaml'\tthread=19", "Unknown gRPC client cluster 'mesh-xsd'"),
		checks.around("bootstrap-missing-field", "goo.gle/debugonly   ").and("static_resources {", strings.TrimRight(dump, "\n"), "}", constraint),
		ends116.around("bootstrap-deprecated-v2", "The v2 xDS major version is deprecated and disabled by default. (envoy.api.v2.Listener in: {").and("static_resources {", "})"),
		frame(strings.ReplaceAll(string(refuses120), "KIND", "Listener")).around("lds-rejected-unknown-extension",
			"Error adding/updating listener(s) virtualInbound: Didn't find a registered implementation for name: 'till.audit'\nvirtualOutbound: Didn't find a registered implementation for name: 'till.audit'\n"),
		told{"token-expired", "2021-06-08T23:17:42.810060Z\terror\tads\tFailed to authenticate client from 10.61.4.20:51820"}.and("Authenticator ClientCertAuthenticator: no verified chain is found",
			"; Authenticator KubeJWTAuthenticator: failed to validate the JWT from cluster north: [invalid bearer token, Token has expired.]"),
	}
}

// and adds lines.
func (e told) and(lines ...string) told {
	e.line += "\n" + strings.Join(lines, "\n")
	return e
}

func TestControlEvents(t *testing.T) {
	c := classifier(t)
	for _, want := range controlEvents() {
		v := c.Classify(record(t, want.line, parser.Event))
		switch {
		case v.Cause == nil:
			t.Errorf("got no cause, want %s: %s", want.cause, want.line)
		case v.Cause.ID != want.cause:
			t.Errorf("got %s, want %s: %s", v.Cause.ID, want.cause, want.line)
		case v.Failed != (v.Severity > Info):
			t.Errorf("%s of severity %s: failed is %v", v.Cause.ID, v.Severity, v.Failed)
		}
	}
}

func TestHarmlessControlEvents(t *testing.T) {
	c := classifier(t)
	for _, line := range harmlessEvents {
		if v := c.Classify(record(t, line, parser.Event)); v.Failed {
			t.Errorf("%s is an alarm: %s", v.Cause.ID, line)
		}
	}
}

// No rule may stand behind others that leave nothing to it.
func TestNoRuleOfControlIsDead(t *testing.T) {
	c := classifier(t)
	all := Rules()
	type key struct{ when, cause string }
	reached := map[key]bool{}
	for _, e := range controlEvents() {
		line := record(t, e.line, parser.Event)
		if n := c.plan(line, failedAccess(line)).decide(c, line); n >= 0 {
			reached[key{all[n].When, all[n].Cause}] = true
		}
	}
	for _, r := range slices.Concat(certRules, controlRules) {
		if !reached[key{r.When, r.Cause}] {
			t.Errorf("no record reaches the rule of %s: %s", r.Cause, r.When)
		}
	}
}

// Every cause of the list is shown by a record.
func TestControlCausesAreShown(t *testing.T) {
	shown := map[string]bool{}
	for _, e := range controlEvents() {
		shown[e.cause] = true
	}
	for _, cause := range controlCauses {
		if !shown[cause.ID] {
			t.Errorf("no record shows %s", cause.ID)
		}
	}
}

func TestControlEventsAllocateNothing(t *testing.T) {
	c := classifier(t)
	for _, e := range controlEvents() {
		line := record(t, e.line, parser.Event)
		c.Classify(line)
		if n := testing.AllocsPerRun(5, func() { c.Classify(line) }); n != 0 {
			t.Errorf("%v allocations: %s", n, e.line)
		}
	}
}

// BenchmarkClassifyEvents reads two texts in turn that a classifier can not
// remember both: each is looked through anew.
func BenchmarkClassifyEvents(b *testing.B) {
	c := classifier(b)
	line := func(i int) *parser.Record {
		return record(b, "2026-03-15T04:09:31.020044Z\twarning\tenvoy config external/envoy/source/common/listener_manager/lds_api.cc:89\tlds: listener '10.96."+
			strconv.Itoa(i)+".8_7600' config rejected: duplicate listener till", parser.Event)
	}
	place := func(r *parser.Record) uint64 {
		return maphash.Bytes(c.memo.seed, r.Bytes(parser.Message)) % maxTexts
	}
	pair := [2]*parser.Record{line(0), line(1)}
	for i := 2; place(pair[0]) != place(pair[1]); i++ {
		pair[1] = line(i)
	}
	b.SetBytes(int64(pair[0].Size))
	for i := 0; b.Loop(); i++ {
		c.Classify(pair[i&1])
	}
}
