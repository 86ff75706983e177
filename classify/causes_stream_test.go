package classify

import "slices"

func streamEvents() []told {
	dialing := func(address, why string) string {
		return `connection error: desc = "transport: Error while dialing: dial tcp ` + address + ": " + why + `"`
	}
	shakes := func(why string) string {
		return `connection error: desc = "transport: authentication handshake failed: ` + why + `"`
	}
	reset := func(why string) string {
		return "upstream connect error or disconnect/reset before headers. reset reason: remote connection failure{upstream_reset_before_response_started{" + why + "}}"
	}
	all := []frame{stream111, stream124, stream140, dials, breaks, signs, warms}
	return slices.Concat(
		every("control-plane-down", dialing("10.96.7.20:15012", "connect: connection refused"), all...),
		every("control-plane-down", reset("remote_connection_failure|delayed_connect_error:_Connection_refused"), stream124),
		every("control-plane-down", "tcp connect error: Connection refused (os error 111)", nodes),
		every("control-plane-dns", dialing("lookup istiod.istio-system.svc on 10.96.0.10:53", "no such host"), all...),
		every("control-plane-dns", dialing("lookup istiod.istio-system.svc on 10.96.0.10:53", "read udp 10.61.4.20:40511->10.96.0.10:53: i/o timeout"), all...),
		every("control-plane-dns", "dns error: failed to lookup address information: Name does not resolve", nodes),
		every("control-plane-blocked", dialing("10.96.7.20:15012", "i/o timeout"), all...),
		every("control-plane-blocked", "context deadline exceeded", dials, stream124),
		every("control-plane-blocked", dialing("10.96.7.20:15012", "i/o timeout")+" (previously 14, "+shakes("context deadline exceeded")+" since 20s ago)", stream124),
		every("control-plane-down", dialing("10.96.7.20:15012", "connect: connection refused")+" (previously 14, no healthy upstream since 31s ago)", stream111, stream124),
		every("control-plane-down", `connection error: desc = \"transport: Error while dialing dial tcp 10.96.7.20:15012: connect: connection refused\"`, streamJSON),
		every("control-plane-blocked", "upstream connect error or disconnect/reset before headers. reset reason: connection timeout{upstream_reset_before_response_started{connection_timeout}}", stream124),
		every("control-plane-blocked", "tcp connect error: Connection timed out (os error 110)", nodes),
		every("control-plane-tls-handshake-timeout", shakes("context deadline exceeded"), all...),
		every("control-plane-tls-handshake-timeout", "net/http: TLS handshake timeout", dials, stream124),
		every("control-plane-san-mismatch", shakes("x509: certificate is valid for istiod.istio-system.svc, not istiod-blue.till.svc"), all...),
		every("control-plane-san-mismatch", reset("remote_connection_failure|TLS_error:|268435581:SSL_routines:OPENSSL_internal:CERTIFICATE_VERIFY_FAILED:verify_cert_failed:_SAN_matcher,_certificate_SANs_are_[istiod.istio-system.svc]:TLS_error_end"), stream124),
		every("control-plane-san-mismatch", "invalid peer certificate: NotValidForName", nodes),
		every("ca-root-mismatch", shakes(`x509: certificate signed by unknown authority (possibly because of "crypto/rsa: verification error" while trying to verify candidate authority certificate "cluster.local")`), all...),
		every("ca-root-mismatch", reset("remote_connection_failure|TLS_error:|268435581:SSL_routines:OPENSSL_internal:CERTIFICATE_VERIFY_FAILED:TLS_error_end"), stream124),
		every("ca-root-mismatch", "invalid peer certificate: UnknownIssuer", nodes),
		every("certificate-expired", shakes("x509: certificate has expired or is not yet valid"), all...),
		every("certificate-expired", shakes("x509: certificate has expired or is not yet valid: current time 2026-03-15T04:11:02Z is after 2026-03-14T00:00:00Z"), stream124, dials),
		every("clock-skew", shakes("x509: certificate has expired or is not yet valid: current time 2026-03-15T04:11:02Z is before 2026-03-15T04:19:40Z"), all...),
		every("clock-skew", reset("remote_connection_failure|TLS_error:|268435581:SSL_routines:OPENSSL_internal:CERTIFICATE_VERIFY_FAILED:_certificate_is_not_yet_valid:TLS_error_end"), stream124),
		every("clock-skew", "invalid peer certificate: NotValidYet", nodes),
		every("node-id-malformed", `missing parts in the service node "till-ledger"`, stream124, breaks),
		every("node-id-malformed", `invalid node type (valid types: sidecar, router) in the service node "till~10.61.4.20~ledger.till~till"`, stream111),
		every("xds-message-too-large", "grpc: received message larger than max (9120044 vs. 4194304)", stream124, breaks),
		every("control-plane-overload", "request rate limit exceeded: rate: Wait(n=1) would exceed context deadline", stream140, breaks),
		every("control-plane-starting", "server is not ready to serve discovery information", stream124, breaks),
		every("control-plane-starting", "server warmup not complete; try again", stream140),
		every("proxy-identity-mismatch", "authorization failed: no identities ([spiffe://cluster.local/ns/till/sa/default]) matched till/ledger", stream111, breaks),
		every("cluster-id-mismatch", `client claims to be in cluster "north", but we only know about local cluster "south"`, stream124, breaks),
		every("token-expired", "the service account authentication returns an error: [invalid bearer token, Token has expired.]", stream124, signs),
		every("token-audience", "[invalid bearer token, Token is invalid because its audience does not match]", stream124, signs),
		every("token-missing", "open ./var/run/secrets/tokens/istio-token: no such file or directory", stream124, warms),
		every("ca-not-ready", "CSR signing error: Istio CA is not ready", stream124, signs),
		every("control-plane-auth", "request authenticate failure", stream111, breaks, signs, warms),
		every("control-plane-auth", "authentication failure", stream124, breaks),
		every("control-plane-no-healthy-upstream", "no healthy upstream", stream111, stream124, breaks),
		every("control-plane-connection-reset", "connection closed", stream124, warms),
		every("control-plane-connection-reset", "read tcp 10.61.4.20:40512->10.96.7.20:15012: read: connection reset by peer", stream140, breaks),
		every("control-plane-connection-reset", `closing transport due to: connection error: desc = "error reading from server: EOF"`, stream124, warms),
		every("control-plane-recycled", `closing transport due to: connection error: desc = "error reading from server: EOF", received prior goaway: code: NO_ERROR`, stream111, breaks),
		every("control-plane-unreachable", "till", stream124, dials, nodes),
		every("control-plane-unreachable", reset("remote_connection_failure|TLS_error:|268435703:SSL_routines:OPENSSL_internal:WRONG_VERSION_NUMBER:TLS_error_end"), stream124),
		every("control-plane-unreachable", "upstream connect error or disconnect/reset before headers. reset reason: connection failure", stream111),
		every("xds-cluster-not-http2", "upstream connect error or disconnect/reset before headers. reset reason: protocol error{upstream_reset_before_response_started{protocol_error}}", stream111, stream124),
		every("workload-cert-not-issued", "till", signs, warms),
		readinessEvents(), otherStreamEvents(), certEvents(),
	)
}

func readinessEvents() []told {
	counters := func(text string) string { return text + "cds updates: " }
	const (
		none     = "0 successful, 0 rejected; lds updates: 0 successful, 0 rejected"
		half     = "3 successful, 0 rejected; lds updates: 0 successful, 0 rejected"
		refused  = "2 successful, 0 rejected; lds updates: 0 successful, 3 rejected"
		refused2 = "0 successful, 1 rejected; lds updates: 0 successful, 0 rejected"
	)
	return []told{
		waits12.around("control-plane-unreachable", counters("")+none),
		notReady.around("control-plane-unreachable", counters("config not received from Pilot (is Pilot running?): ")+none),
		notReady.around("control-plane-unreachable", counters("config not received from XDS server (is Istiod running?): ")+none),
		notReady.around("config-rejected", counters("config not received from Pilot (is Pilot running?): ")+refused),
		waits12.around("config-rejected", counters("")+refused2),
		notReady.around("config-rejected", counters("config received from XDS server, but was rejected: ")+refused),
		notReady.around("control-plane-slow", counters("config not fully received from XDS server: ")+half),
		waits12.around("control-plane-slow", counters("config not received from Pilot (is Pilot running?): ")+half),
		notReady.around("control-plane-unreachable", "server is not live, current state is: PRE_INITIALIZING"),
		notReady.around("warming-stuck", "server is not live, current state is: INITIALIZING"),
		notReady.around("warming-stuck", "workers have not yet started"),
	}
}

func otherStreamEvents() []told {
	const (
		head    = "2026-03-15T04:11:02.119650Z\twarning\tenvoy config external/envoy/source/extensions/config_subscription/grpc/grpc_stream.h:189\t"
		delta   = head + "DeltaAggregatedResources gRPC config stream to xds-grpc closed"
		secrets = head + "StreamSecrets gRPC config stream to sds-grpc closed"
	)
	return []told{
		{"control-plane-auth", delta + ": 16, till{via_upstream}\tthread=25"},
		{"control-plane-auth", head + "gRPC config stream closed: 7, till"},
		{"control-plane-overload", delta + " since 51s ago: 8, till{via_upstream}\tthread=25"},
		{"control-plane-unreachable", delta + ": 14, till (previously 14, ledger since 9s ago)\tthread=25"},
		{"control-plane-unreachable", delta + ": 4, till\tthread=25"},
		{"control-plane-recycled", delta + ": 0, \tthread=25"},
		{"control-plane-recycled", delta + ": 14, \tthread=25"},
		{"control-plane-recycled", "[2018-10-30 22:09:41.266][18][warning][upstream] external/envoy/source/common/config/grpc_mux_impl.cc:226] gRPC config stream closed: 13, "},
		{"control-plane-recycled", "2024-08-13T15:37:20.094471Z\tdebug\tenvoy config external/envoy/source/extensions/config_subscription/grpc/grpc_stream.h:208\tDeltaAggregatedResources gRPC config stream to xds-grpc closed: 14, till\tthread=25"},
		{"control-plane-recycled", head + "StreamLoadStats gRPC config stream closed: 12, till"},
		{"workload-cert-not-issued", secrets + ": 2, failed to generate secret for default: till{via_upstream}\tthread=25"},
		{"control-plane-auth", secrets + ": 2, failed to generate secret for default: failed to generate workload certificate: create certificate: rpc error: code = Unauthenticated desc = request authenticate failure{via_upstream}\tthread=25"},
		{"sds-socket-missing", secrets + " since 35s ago: 14, upstream connect error or disconnect/reset before headers. reset reason: remote connection failure{upstream_reset_before_response_started{remote_connection_failure|immediate_connect_error:_No_such_file_or_directory}}\tthread=25"},
		{"sds-file-missing", secrets + ": 2, failed to generate secret for file-cert:/etc/till-certs/client.pem~/etc/till-certs/client.key: open /etc/till-certs/client.pem: no such file or directory\tthread=25"},
		{"control-plane-unreachable", head + "Unable to establish new stream\tthread=25"},
		{"control-plane-unreachable", "[2026-03-15 04:25:00.301][12][warning][config] [source/extensions/config_subscription/rest/http_subscription_impl.cc:122] REST update for /v3/discovery:listeners failed"},
		{"xds-initial-fetch-timeout", "[2026-03-15 04:25:15.302][12][warning][config] [source/extensions/config_subscription/rest/http_subscription_impl.cc:126] REST config: initial fetch timeout for /v3/discovery:listeners"},
		{"xds-initial-fetch-timeout", "[2022-01-12 11:06:33.480][1][warning][config] [source/common/config/grpc_subscription_impl.cc:118] gRPC config: initial fetch timed out for type.googleapis.com/envoy.config.endpoint.v3.ClusterLoadAssignment"},
		{"sds-secret-missing", "[2022-01-12 11:06:33.480][1][warning][config] [source/common/config/grpc_subscription_impl.cc:118] gRPC config: initial fetch timed out for type.googleapis.com/envoy.api.v2.auth.Secret"},
		{"workload-cert-not-issued", "2020-05-25T08:14:06.110722Z\terror\tcache\tnode:sidecar~10.61.4.20~ledger.till~till.svc.cluster.local-2 resource:default CSR hit non-retryable error (HTTP code: 0). Error: till"},
		{"control-plane-unreachable", "2020-05-25T08:14:06.110722Z\terror\tcitadelclient\tFailed to connect to endpoint istiod.istio-system.svc:15012: till"},
		{"control-plane-slow", "2022-12-19T06:54:58.339077Z\twarn\tsds\tfailed to warm certificate: failed to generate workload certificate: create certificate: rpc error: code = DeadlineExceeded desc = context deadline exceeded"},
		{"control-plane-slow", head + "StreamSecrets gRPC config stream to sds-grpc closed: 2, create certificate: rpc error: code = DeadlineExceeded desc = till\tthread=25"},
		{"control-plane-slow", "2025-02-26T14:30:07.550912Z\twarn\tstate\ttimed out waiting for workload 'north//Pod/till/ledger-6c9d7f-kx2lp' from xds"},
		{"workload-cert-not-issued", "2025-02-26T14:30:07.550912Z\twarn\tidentity::manager\tcertificate fetch failed (till) and no valid existing certificate; will retry in 5s"},
		{"control-plane-auth", "2025-02-26T14:30:07.550912Z\twarn\tidentity::manager\tcertificate fetch failed (signing gRPC error: Unauthenticated: authentication failure) and no valid existing certificate; will retry in 5s"},
		{"workload-cert-not-issued", "2020-05-25T08:14:06.110722Z\terror\tsds\tresource:default Close connection. Failed to get secret for proxy \"sidecar~10.61.4.20~ledger.till~till.svc.cluster.local\" from secret cache: till"},
		{"xds-push-timeout", "2018-10-07T13:20:58.774030Z\twarn\tads\tFailed to push, client busy sidecar~10.61.4.20~ledger-6c9d7f-kx2lp.till~till.svc.cluster.local-7"},
		{"control-plane-unreachable", "[2017-10-07 13:20:58.774][9][info][upstream] external/envoy/source/common/upstream/cds_subscription.cc:70] cds: fetch failure: network error"},
		{"control-plane-unreachable", "2024-07-07T13:20:58.774030Z\twarn\txds::client:xds{id=4}\tXDS client error: gRPC error: code: 'The service is currently unavailable', message: \"till\", retrying in 10s"},
		{"control-plane-auth", "2024-07-07T13:20:58.774030Z\twarn\txds::client:xds{id=4}\tXDS client error: gRPC error: code: 'The request does not have valid authentication credentials', retrying in 10s"},
		{"xds-push-timeout", "2019-07-07T13:20:58.774030Z\twarn\tads\tRepeated failure to push 12 sidecar~10.61.4.20~ledger-6c9d7f-kx2lp.till~till.svc.cluster.local-7"},
		{"control-plane-overload", "2024-06-11T05:48:29.338090Z\twarn\tads\tproxy \"ledger-6c9d7f-kx2lp.till\" exceeded rate limit: rate: Wait(n=1) would exceed context deadline"},
		{"control-plane-starting", "2023-02-08T18:16:00.404115Z\twarn\tads\tserver is not ready to serve discovery information"},
		{"node-id-malformed", "2021-11-30T09:01:17.287034Z\twarn\tads\tclosing stream: no valid IP address in the service node id or metadata"},
		{"xds-message-too-large", "2024-06-11T05:48:29.338090Z\terror\tads\tsend failed: rpc error: trying to send message larger than max (9120044 vs. 4194304)"},
	}
}

func certEvents() []told {
	refuses := func(why string) string {
		return "2024-01-24T16:28:39.502713Z\terror\tsecurity\tFailed to authenticate client from 10.61.4.20:51820: Authenticator ClientCertAuthenticator: no verified chain is found; Authenticator KubeJWTAuthenticator: failed to validate the JWT from cluster \"north\": " + why
	}
	agent := func(text string) string { return "2024-01-24T16:28:40.160298Z\terror\t" + text }
	istiod := func(scope, text string) string {
		return "2024-01-24T16:28:39.502713Z\terror\t" + scope + "\t" + text
	}
	mount := func(text string) string {
		return "  Warning  FailedMount  12s (x5 over 20s)  kubelet  " + text
	}
	return []told{
		{"token-expired", refuses("the service account authentication returns an error: [invalid bearer token, Token has expired.]")},
		{"token-audience", refuses("the service account authentication returns an error: [invalid bearer token, Token is invalid because its audience is wrong]")},
		{"token-audience", refuses("the token is not authenticated")},
		{"cluster-id-mismatch", refuses("could not get cluster north's kube client")},
		{"istiod-plugin-ca-invalid", "Error: failed to create discovery service: failed to create CA: failed to create an istiod CA: cannot verify the cert with the provided root chain and cert pool with error: x509: certificate has expired or is not yet valid"},
		{"cluster-id-mismatch", refuses(`client claims to be in cluster "north", but we only know about local cluster "south" and remote clusters []`)},
		{"control-plane-auth", refuses("till")},
		{"control-plane-auth", istiod("serverca", "Authentication failed for 10.61.4.20:51820: Authenticator ClientCertAuthenticator at index 0 got error: no verified chain is found.")},
		{"proxy-identity-mismatch", istiod("ads", "Unauthorized XDS: 10.61.4.20:51820 with identity [spiffe://cluster.local/ns/till/sa/default]: no identities ([spiffe://cluster.local/ns/till/sa/default]) matched till/ledger")},
		{"istiod-plugin-ca-invalid", agent("failed to create discovery service: failed to create CA: failed to create an istiod CA: cannot verify the cert with the provided root chain and cert pool")},
		{"istiod-csr-forbidden", istiod("ca", "failed to create CSR: certificatesigningrequests.certificates.k8s.io is forbidden: User \"system:serviceaccount:istio-system:istiod\" cannot create resource")},
		{"istiod-csr-forbidden", istiod("ca", "failed to approve: user not permitted to approve requests with signerName \"kubernetes.io/legacy-unknown\"")},
		{"ca-secret-write-race", istiod("pkica", "Failed to write secret to CA (error: Operation cannot be fulfilled on secrets \"istio-ca-secret\": the object has been modified). Abort.")},
		{"control-plane-auth", "2022-01-24T16:28:39.502713Z\tinfo\tgrpc: Server.Serve failed to complete security handshake from \"10.61.4.20:51820\": tls: failed to verify certificate: x509: certificate signed by unknown authority"},
		{"control-plane-auth", "grpc: Server.Serve failed to complete security handshake from \"10.61.4.20:51820\": remote error: tls: bad certificate"},
		{"certificate-expired", "2022-01-24T16:28:39.502713Z\tinfo\tgrpc: Server.Serve failed to complete security handshake from \"10.61.4.20:51820\": tls: failed to verify client certificate: x509: certificate has expired or is not yet valid"},
		{"ca-not-ready", agent("failed to create discovery service: failed to create CA: failed to create a self-signed istiod CA: failed to create CA due to secret write error")},
		{"ca-not-ready", istiod("serverca", "CSR signing error (cannot sign: Istio CA is not ready)")},
		{"root-cert-missing", agent("root CA file for XDS does not exist ./var/run/secrets/istio/root-cert.pem")},
		{"root-cert-missing", agent("invalid config - istiod.istio-system.svc:15012 missing a root certificate ./var/run/secrets/istio/root-cert.pem")},
		{"root-cert-missing", mount(`MountVolume.SetUp failed for volume "istiod-ca-cert" : configmap "istio-ca-root-cert" not found`)},
		{"root-cert-missing", mount("Unable to attach or mount volumes: unmounted volumes=[istiod-ca-cert], unattached volumes=[istio-token istiod-ca-cert]: timed out waiting for the condition")},
		{"istio-token-projection-unsupported", mount(`MountVolume.SetUp failed for volume "istio-token" : failed to fetch token: the server could not find the requested resource`)},
		{"token-missing", "2022-01-24T16:28:40.160298Z\twarn\tfailed to fetch token from file: open ./var/run/secrets/tokens/istio-token: permission denied"},
		{"token-missing", "2020-06-24T16:28:40.160298Z\tfatal\tMissing JWT, can't authenticate with control plane. Try using plain text (15010)"},
		{"token-missing", mount(`MountVolume.SetUp failed for volume "istio-token" : failed to fetch token: serviceaccounts "ledger" not found`)},
		{"sds-file-missing", mount(`MountVolume.SetUp failed for volume "istio-certs" : secret "istio.ledger" not found`)},
		{"sds-socket-missing", mount(`MountVolume.SetUp failed for volume "sds-uds-path" : hostPath type check failed: /var/run/sds is not a directory`)},
		{"sds-secret-missing", agent("sds\tresource:till-cert waiting for gateway secret for proxy \"router~10.61.4.9~edge.till~till.svc.cluster.local\"")},
		{"sds-secret-missing", agent("secretFetcherLog\tcannot find secret till-cert and cannot find fallback secret spare-cert")},
		{"sds-secret-missing", istiod("ads", "proxy edge-7d.till attempted to access unauthorized certificates kubernetes://till-cert: not allowed")},
		{"root-cert-missing", agent("xdsproxy\tfailed to get root CA: open ./var/run/secrets/istio/root-cert.pem: no such file or directory")},
		{"sds-secret-missing", istiod("ads", "failed to fetch key and certificate for kubernetes://till-cert: secret istio-system/till-cert not found")},
		{"file-cert-invalid", "2025-05-05T05:05:05.505050Z\twarning\tenvoy secret external/envoy/source/common/secret/sds_api.cc:53\tFailed to reload certificates: till\tthread=25"},
		{"file-cert-invalid", agent("cache\tfailed to extract expiration time in the certificate loaded from file: till")},
		{"control-plane-auth", agent("xdsproxy\tfailed to accept downstream gRPC connection accept unix: till")},
		{"workload-cert-not-issued", agent("citadelclient\tFailed to load key pair open etc/certs/key.pem: no such file or directory")},
		{"certificate-expired", "[2020-11-17 14:02:48.630][21][debug][pool] [source/common/http/conn_pool_base.cc:277] [C311] client disconnected, failure reason: TLS error: 268436501:SSL routines:OPENSSL_internal:SSLV3_ALERT_CERTIFICATE_EXPIRED"},
		{"upstream-cert-untrusted", "[2020-11-17 14:02:48.630][21][debug][pool] [source/common/http/conn_pool_base.cc:277] [C311] client disconnected, failure reason: TLS error: 268435581:SSL routines:OPENSSL_internal:CERTIFICATE_VERIFY_FAILED"},
	}
}

// harmlessEvents look like a fault and are none.
var harmlessEvents = []string{
	"[2026-03-15 04:02:55.800][1][warning][main] [source/server/server.cc:1059] There is no configured limit to the number of allowed active downstream connections. Configure a limit in `envoy.resource_monitors.global_downstream_max_connections` resource monitor.",
	"[2026-03-15 04:02:55.800][1][warning][config] [source/common/protobuf/message_validator_impl.cc:64] Unknown field: type envoy.service.discovery.v3.DiscoveryResponse reason INVALID_ARGUMENT: invalid JSON in envoy.config.cluster.v3.Cluster: no such field: 'till'",
	"[2026-03-15 04:02:55.800][1][warning][misc] [source/common/protobuf/message_validator_impl.cc:21] Deprecated field: type envoy.config.cluster.v3.Cluster Using deprecated option 'envoy.config.cluster.v3.Cluster.http2_protocol_options' from file cluster.proto.",
	"[2021-03-03 03:03:03.303][1][warning][misc] [source/common/protobuf/utility.cc:294] Configuration does not parse cleanly as v3. v2 configuration is deprecated and will be removed from Envoy: envoy.config.filter.http.router.v2.Router",
	"[2026-03-15 04:02:55.800][1][info][config] [source/server/configuration_impl.cc:131] loading 4 cluster(s)",
	"[2026-03-15 04:02:55.800][1][info][upstream] [source/common/upstream/cluster_manager_impl.cc:240] cm init: all clusters initialized",
	"[2026-03-15 04:02:55.800][1][info][main] [source/server/server.cc:1016] starting main dispatch loop",
	"[2026-03-15 04:02:55.800][1][info][config] [source/common/listener_manager/listener_manager_impl.cc:967] all dependencies initialized. starting workers",
	"[2026-03-15 04:02:55.800][1][info][upstream] [source/common/listener_manager/lds_api.cc:109] lds: add/update listener 'virtualInbound'",
	"[2026-03-15 04:02:55.800][1][debug][config] [source/common/listener_manager/listener_manager_impl.cc:510] duplicate/locked listener '10.96.7.20_7600'. no add/update",
	"[2026-03-15 04:02:55.800][1][debug][config] [source/extensions/config_subscription/grpc/grpc_subscription_impl.cc:70] gRPC config for type.googleapis.com/envoy.config.listener.v3.Listener accepted with 8 resources with version 2026-03-15",
	"[2026-03-15 04:02:55.800][1][info][main] [source/server/server.cc:1159] exiting",
	"2023-07-02T20:13:09.000411Z\twarning\tenvoy lua external/envoy/source/extensions/filters/common/lua/lua.cc:26\tscript log: till: attempt to pay twice\tthread=30",
	"2023-07-02T20:13:09.000411Z\terror\tenvoy lua external/envoy/source/extensions/filters/common/lua/lua.cc:34\tscript log: till is closed today\tthread=30",
	"2023-07-02T20:13:09.000411Z\twarning\tenvoy runtime external/envoy/source/common/runtime/runtime_features.cc:31\tUnable to use runtime singleton for feature envoy.http.till\tthread=30",
	"2023-07-02T20:13:09.000411Z\tdebug\tenvoy config external/envoy/source/common/config/grpc_stream.h:61\tNo stream available to sendDiscoveryRequest for type.googleapis.com/envoy.config.cluster.v3.Cluster\tthread=30",
	"2023-07-02T20:13:09.000411Z\tdebug\tenvoy config external/envoy/source/common/config/grpc_stream.h:61\tUnable to establish new stream to configuration server xds-grpc\tthread=30",
	"2026-03-15T04:31:44.150018Z\twarning\tenvoy config external/envoy/source/extensions/config_subscription/grpc/grpc_stream.h:189\tStreamAggregatedResources gRPC config stream to xds-grpc closed: 13, upstream_reset_after_response_started{connection_termination}\tthread=25",
	"2021-04-13T17:09:26.077390Z\twarning\tenvoy config\tStreamAggregatedResources gRPC config stream closed: 14, transport is closing",
	"2021-04-13T17:09:26.077390Z\twarning\tenvoy config\tStreamAggregatedResources gRPC config stream closed: 13, ",
	"2021-04-13T17:09:26.077390Z\twarning\tenvoy config\tStreamAggregatedResources gRPC config stream closed: 0, ",
	"2021-04-13T17:09:26.200814Z\tinfo\txdsproxy\tconnected to upstream XDS server: istiod.istio-system.svc:15012",
	"2021-04-13T17:09:26.200814Z\tinfo\txdsproxy\tdisconnected from XDS server: istiod.istio-system.svc:15012",
	"2021-04-13T17:09:26.200814Z\twarn\txdsproxy\tregistered overlapping stream; closing previous",
	"2023-09-22T09:22:39.922093Z\tinfo\txdsproxy\tdownstream [9] dropped xds push to Envoy, connection already closed",
	"2021-04-13T17:09:26.200814Z\tinfo\ttransport: loopyWriter.run returning. connection error: desc = \"transport is closing\"",
	"2021-04-13T17:09:20.664102Z\tinfo\tEnvoy proxy is ready",
	"2022-01-24T16:28:39.502713Z\tinfo\tgrpc: Server.Serve failed to complete security handshake from \"10.61.4.20:51820\": EOF",
	"2019-09-26T07:46:46.400672Z\twarn\tsecretFetcherLog\tCannot find secret till-cert, searching for fallback secret spare-cert",
	"2023-09-22T09:22:30.110458Z\tinfo\tReadiness succeeded in 2.114805206s",
	"2021-04-13T17:09:20.664102Z\tinfo\tcache\tRoot cert has changed, start rotating root cert for SDS clients",
	"2023-09-22T09:22:29.874110Z\tinfo\tcache\tgenerated new workload certificate\tlatency=91.4ms ttl=23h59m59s",
	"2021-11-05T12:12:12.121212Z\twarn\tcitadelclient\tcannot load key pair, using token instead: open /etc/certs/cert-chain.pem: no such file or directory",
	"2023-09-22T09:22:30.110458Z\terror\tfailed scraping envoy metrics: error scraping http://localhost:15090/stats/prometheus: dial tcp [::1]:15090: connect: connection refused",
	"2021-04-13T17:09:18.001733Z\tinfo\tFLAG: --caCertTTL=\"8760h0m0s\" rejected=\"0\"",
	"2024-07-30T20:41:00.004411Z\tinfo\tads\tLDS: PUSH for node:ledger-6c9d7f-kx2lp.till resources:41 size:88.4kB",
	"2024-07-30T20:41:00.004411Z\tinfo\tvalidationServer\tconfiguration is invalid: domain name \"till_api\" invalid",
	"2024-07-30T20:41:00.004411Z\tinfo\tCould not verify certificate: x509: certificate signed by unknown authority",
	"2020-02-26T22:30:48.144198Z\tinfo\tConfiguration not synced: first push for [istio/networking/v1alpha3/gateways] not received",
	"2023-12-13T06:09:40.690169Z\twarn\txds::client:xds{id=10}\tXDS client connection error: gRPC connection error:status: Unknown, message: \"client error (SendRequest)\", source: connection error: stream closed because of a broken pipe, retrying in 20ms",
	"E0403 12:52:35.904118       1 authentication.go:63] \"Unable to authenticate the request\" err=\"[invalid bearer token, service account token has been invalidated]\"",
	"I1118 09:28:44.358276    1675 operation_generator.go:637] \"MountVolume.SetUp succeeded for volume \\\"istiod-ca-cert\\\" (UniqueName: \\\"kubernetes.io/configmap/till-istiod-ca-cert\\\")\"",
	"  Warning  FailedMount  12s  kubelet  MountVolume.SetUp failed for volume \"kube-api-access-q7m2x\" : object \"till\"/\"kube-root-ca.crt\" not registered",
	"  Warning  FailedMount  12s  kubelet  MountVolume.SetUp failed for volume \"istio-certs\" : failed to sync secret cache: timed out waiting for the condition",
	"configuration '/opt/edge/envoy.yaml' OK",
}
