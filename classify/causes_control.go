package classify

import "slices"

const (
	istiodPods     = "kubectl get pods -n istio-system -l app=istiod -o wide"
	istiodSlices   = "kubectl get endpointslices -n istio-system -l kubernetes.io/service-name=istiod"
	readinessCheck = "kubectl exec -n {namespace} {pod} -c istio-proxy -- pilot-agent request GET stats | grep -E 'update_(success|rejected)'"
	dialCheck      = "kubectl exec -n {namespace} {pod} -c istio-proxy -- curl -sv telnet://istiod.istio-system.svc:15012"
	scalePage      = "https://istio.io/latest/docs/ops/deployment/performance-and-scalability/"
	grpcPage       = "https://grpc.io/docs/guides/status-codes/"
	xdsGone        = streamLog + "DeltaAggregatedResources gRPC config stream to xds-grpc "
	resetLog       = "upstream connect error or disconnect/reset before headers. reset reason: remote connection failure{upstream_reset_before_response_started{"
)

// controlCauses is the list of all causes of the control plane's side.
var controlCauses = slices.Concat(streamCauses, refusedCauses, bootstrapCauses, certCauses)

var streamCauses = []Cause{
	{
		ID: "control-plane-unreachable", Title: "Proxy got no configuration: control plane not reached", Side: ControlPlane, Severity: Error, Seen: InEvents, Aliases: []string{"proxy-not-ready-no-config"},
		Meaning:  "The proxy runs and asks for its configuration, and no answer comes. A new pod is never ready; an old one serves on with what it has.",
		Evidence: "a configuration stream closed since so many seconds, readiness counters that are all 0, or the state PRE_INITIALIZING",
		Rivals: []Rival{
			{"bootstrap-rejected", "the process ends within a second, with a line of level critical"},
			{"warming-stuck", "the state is INITIALIZING: something came, and waits for its parts"},
			{"config-rejected", "a counter of rejected updates is above 0"},
			{"control-plane-down", "a line names connection refused"},
			{"control-plane-blocked", "a line names a timeout"},
			{"control-plane-dns", "a line says that the name does not resolve"},
			{"control-plane-connection-reset", "a line says that the connection was cut after it had been made"},
			{"control-plane-no-healthy-upstream", "a line says that the cluster of the control plane has no address"},
		},
		Checks:   []string{proxyStatus, istiodPods, dialCheck, readinessCheck},
		Remedy:   "Follow the text behind the stream's code: refused, timeout, name or certificate. In the first seconds of a pod wait for the next lines.",
		Versions: "since 1.24 Envoy says nothing during the first 30 seconds of such an outage",
		Docs:     []string{proxyPage, meshPage, "https://docs.aws.amazon.com/app-mesh/latest/userguide/troubleshooting-setup.html"},
		Examples: []string{agentLog + "Envoy proxy is NOT ready: config not received from XDS server (is Istiod running?): cds updates: 0 successful, 0 rejected; lds updates: 0 successful, 0 rejected"},
	},
	{
		ID: "control-plane-down", Title: "Nothing listens at the control plane's address", Parent: "control-plane-unreachable", Side: ControlPlane, Severity: Error, Seen: InEvents,
		Meaning:  "The control plane's address was reached and refused the connection: no istiod pod is ready behind the Service, or the process does not listen.",
		Evidence: "connection refused in the stream's or the agent's text, or connect error 111",
		Rivals:   []Rival{{"control-plane-blocked", "the attempt ends with a timeout"}, {"control-plane-dns", "the name was not found"}, {"envoy-not-running", "the refused address is 127.0.0.1:15000"}},
		Checks:   []string{istiodPods, istiodSlices, "kubectl logs -n istio-system deploy/istiod --tail=50"},
		Remedy:   "Bring istiod up, at least two replicas of it; check that revision and discovery address of the pod belong to a running istiod.",
		Docs:     []string{proxyPage, meshPage},
		Examples: []string{xdsGone + "closed since 44s ago: 14, connection error: desc = \"transport: Error while dialing: dial tcp 10.96.7.20:15012: connect: connection refused\"{via_upstream}\tthread=24"},
	},
	{
		ID: "control-plane-dns", Title: "Control plane's name does not resolve", Parent: "control-plane-unreachable", Side: Network, Severity: Error, Seen: InEvents,
		Meaning:  "The name of the control plane could not be looked up: it does not exist, or the DNS server did not answer.",
		Evidence: "lookup NAME with no such host or i/o timeout, or dns error",
		Rivals:   []Rival{{"control-plane-blocked", "the timeout belongs to the control plane's own address, not to a lookup"}, {"control-plane-no-healthy-upstream", "Envoy resolves the name itself and only says that it has no address"}},
		Checks:   []string{"kubectl exec -n {namespace} {pod} -c istio-proxy -- cat /etc/resolv.conf", "kubectl get service -n istio-system", "kubectl get pods -n kube-system -l k8s-app=kube-dns"},
		Remedy:   "Correct the revision or discovery address, repair DNS, and give pods with hostNetwork the dnsPolicy ClusterFirstWithHostNet.",
		Docs:     []string{proxyPage, "https://kubernetes.io/docs/tasks/administer-cluster/dns-debugging-resolution/"},
		Examples: []string{agentLog + "xdsproxy\tfailed to connect to upstream istiod-blue.istio-system.svc:15012: failed to dial: dial tcp: lookup istiod-blue.istio-system.svc on 10.96.0.10:53: no such host"},
	},
	{
		ID: "control-plane-blocked", Title: "Packets to the control plane get no answer", Parent: "control-plane-unreachable", Side: Network, Severity: Error, Seen: InEvents,
		Meaning:  "The control plane's address never answered: a network policy, a firewall or a route swallows the packets, or the node behind the address is dead.",
		Evidence: "i/o timeout, connection timeout, no route to host or context deadline exceeded in the stream's or the agent's text",
		Rivals:   []Rival{{"control-plane-dns", "the timeout belongs to a lookup"}, {"control-plane-tls-handshake-timeout", "the connection came about and the handshake did not end"}, {"control-plane-down", "istiod's pod or node is gone: the address of a dead node gives no answer either"}},
		Checks:   []string{istiodPods, istiodSlices, dialCheck, "kubectl get networkpolicies -n istio-system", "kubectl get networkpolicies -n {namespace}"},
		Remedy:   "If istiod's pods run on a node that is ready, open TCP 15012 (15010 for plain text) from the pod to istiod, in policies, security groups and firewalls; else bring istiod up on another node.",
		Docs:     []string{meshPage, "https://istio.io/latest/docs/ops/deployment/application-requirements/"},
		Examples: []string{xdsGone + "closed since 37s ago: 14, upstream connect error or disconnect/reset before headers. reset reason: connection timeout{upstream_reset_before_response_started{connection_timeout}}\tthread=24"},
	},
	{
		ID: "control-plane-connection-reset", Title: "Control plane connection is cut again and again", Parent: "control-plane-unreachable", Side: ControlPlane, Severity: Error, Seen: InEvents,
		Meaning:  "A connection comes about and is cut before or while configuration flows, time after time.",
		Evidence: "connection reset, connection closed, EOF or connection_termination behind closed since",
		Rivals:   []Rival{{"control-plane-recycled", "it happens once in half an hour, and the stream is back within seconds"}, {"xds-cluster-not-http2", "the reset reason is protocol error"}, {"control-plane-down", "attempts to connect again are refused"}},
		Checks:   []string{proxyStatus, "kubectl logs -n istio-system deploy/istiod --tail=100", istiodPods},
		Remedy:   "Look for a restarting istiod, a load balancer or proxy in between that ends long streams, or plain text sent to a TLS port.",
		Docs:     []string{proxyPage, grpcPage},
		Examples: []string{xdsGone + "closed since 75s ago: 14, upstream connect error or disconnect/reset before headers. reset reason: connection termination{upstream_reset_before_response_started{connection_termination}}\tthread=24"},
	},
	{
		ID: "control-plane-no-healthy-upstream", Title: "Configuration cluster has no usable address", Parent: "control-plane-unreachable", Side: ControlPlane, Severity: Error, Seen: InEvents,
		Meaning:  "The cluster that the configuration comes through has no address at the moment: its name does not resolve, or every host is marked unhealthy.",
		Evidence: "no healthy upstream in the text of a closed stream",
		Rivals:   []Rival{{"control-plane-dns", "a lookup is named"}, {"control-plane-down", "an address was there and refused"}},
		Checks:   []string{"kubectl exec -n {namespace} {pod} -c istio-proxy -- pilot-agent request GET clusters | grep xds-grpc", istiodSlices},
		Remedy:   "Repair the name's DNS record or the agent that serves the socket. Once in the first second of a start it is normal.",
		Docs:     []string{proxyPage, "https://www.envoyproxy.io/docs/envoy/latest/intro/arch_overview/upstream/service_discovery"},
		Examples: []string{xdsGone + "closed since 32s ago: 14, no healthy upstream{no_healthy_upstream}\tthread=24"},
	},
	{
		ID: "control-plane-tls-handshake-timeout", Title: "TLS handshake with the control plane never completes", Parent: "control-plane-unreachable", Side: Network, Severity: Error, Seen: InEvents,
		Meaning:  "The TCP connection came about, and the TLS handshake on it did not end in time: large packets are lost, or something in between does not speak TLS.",
		Evidence: "TLS handshake timeout, or authentication handshake failed with a deadline or timeout",
		Rivals:   []Rival{{"control-plane-blocked", "not even the TCP connection came about"}},
		Checks:   []string{"kubectl exec -n {namespace} {pod} -c istio-proxy -- openssl s_client -connect istiod.istio-system.svc:15012 </dev/null", "kubectl exec -n {namespace} {pod} -c istio-proxy -- ip link"},
		Remedy:   "Compare the MTU of pod, node and tunnel; take TLS inspection out of the way; look for an istiod without CPU.",
		Docs:     []string{proxyPage, meshPage},
		Examples: []string{agentLog + "xdsproxy\tfailed to connect to upstream istiod.istio-system.svc:15012: failed to dial: connection error: desc = \"transport: authentication handshake failed: context deadline exceeded\""},
	},
	{
		ID: "control-plane-san-mismatch", Title: "Control plane certificate lacks the dialled name", Parent: "control-plane-unreachable", Side: ControlPlane, Severity: Error, Seen: InEvents,
		Meaning:  "The control plane's certificate is trusted and does not contain the name that the proxy dialled.",
		Evidence: "x509: certificate is valid for A, not B, or SAN matcher with the names that the certificate has",
		Rivals:   []Rival{{"ca-root-mismatch", "the certificate is not trusted at all"}},
		Checks:   []string{"kubectl exec -n {namespace} {pod} -c istio-proxy -- openssl s_client -connect istiod.istio-system.svc:15012 </dev/null | openssl x509 -noout -ext subjectAltName", "kubectl get pod -n {namespace} {pod} -o yaml | grep -i discoveryAddress"},
		Remedy:   "Dial istiod by one of its Service names, or add the name with ISTIOD_CUSTOM_HOST or the certificate's dnsNames.",
		Docs:     []string{securityPage, "https://istio.io/latest/docs/setup/upgrade/canary/"},
		Examples: []string{agentLog + "xdsproxy\tfailed to connect to upstream istiod-blue.till.svc:15012: connection error: desc = \"transport: authentication handshake failed: tls: failed to verify certificate: x509: certificate is valid for istiod.istio-system.svc, not istiod-blue.till.svc\""},
	},
	{
		ID: "xds-cluster-not-http2", Title: "Configuration cluster lacks HTTP/2 options", Parent: "control-plane-unreachable", Side: Platform, Severity: Error, Seen: InEvents,
		Meaning:  "The cluster of the control plane in the bootstrap does not speak HTTP/2, or its server does not, so that no gRPC stream can begin.",
		Evidence: "reset reason: protocol error in the text of a closed stream; validation of the file passes",
		Rivals:   []Rival{{"control-plane-connection-reset", "the stream is cut with another reason"}},
		Checks:   []string{"kubectl exec -n {namespace} {pod} -c istio-proxy -- pilot-agent request GET config_dump | grep -A30 xds-grpc", "istioctl proxy-config bootstrap {pod} -n {namespace} -o json"},
		Remedy:   "Put explicit_http_config with http2_protocol_options into the cluster's HttpProtocolOptions.",
		Docs:     []string{xdsPage, "https://www.envoyproxy.io/docs/envoy/latest/api-v3/extensions/upstreams/http/v3/http_protocol_options.proto"},
		Examples: []string{xdsGone + "closed since 41s ago: 14, upstream connect error or disconnect/reset before headers. reset reason: protocol error{upstream_reset_before_response_started{protocol_error}}\tthread=24"},
	},
	{
		ID: "node-id-malformed", Title: "Control plane can not read the proxy's node id", Side: Platform, Severity: Error, Seen: InEvents,
		Meaning:  "istiod expects role, IP address, pod.namespace and domain, joined by ~, and the proxy's node id is something else. Envoy itself takes any text.",
		Evidence: "missing parts in the service node, invalid node type, or no valid IP address in the service node id",
		Rivals:   []Rival{{"control-plane-auth", "the id can be read and is not believed"}},
		Checks:   []string{"istioctl proxy-config bootstrap {pod} -n {namespace} -o json | grep -A3 '\"node\"'"},
		Remedy:   "Write node.id as sidecar~POD_IP~POD.NAMESPACE~NAMESPACE.svc.cluster.local, or start Envoy through pilot-agent, which does.",
		Docs:     []string{"https://istio.io/latest/docs/reference/commands/pilot-agent/", bootstrapPage},
		Examples: []string{xdsGone + "closed: 2, missing parts in the service node \"till-ledger\"{via_upstream}\tthread=24"},
	},
	{
		ID: "control-plane-starting", Title: "Control plane is still warming up", Side: ControlPlane, Severity: Warning, Seen: InEvents,
		Meaning:  "istiod answers and has not read all of the cluster yet, so it sends proxies away until it has.",
		Evidence: "server is not ready to serve discovery information, or server warmup not complete",
		Rivals:   []Rival{{"istiod-apiserver-unreachable", "istiod cannot read the cluster, so its warming up never ends"}},
		Checks:   []string{istiodPods, "kubectl logs -n istio-system deploy/istiod --tail=50"},
		Remedy:   "Wait; if it lasts for minutes, see what istiod's log says about the API server and its permissions.",
		Docs:     []string{scalePage, proxyPage},
		Examples: []string{xdsGone + "closed since 33s ago: 14, server warmup not complete; try again{via_upstream}\tthread=24"},
	},
	{
		ID: "control-plane-slow", Title: "Control plane delivers only part, or late", Side: ControlPlane, Severity: Warning, Seen: InEvents,
		Meaning:  "One of clusters and listeners has come, the other has not; or a workload that was asked for did not come in time.",
		Evidence: "config not fully received, or counters with one of cds and lds at 0 and none rejected",
		Rivals:   []Rival{{"warming-stuck", "both have come and wait for certificates or endpoints"}, {"config-rejected", "a counter of rejected is above 0"}, {"control-plane-blocked", "nothing comes at all, and every attempt ends in a timeout"}},
		Checks:   []string{proxyStatus, "kubectl top pods -n istio-system", "kubectl exec -n istio-system deploy/istiod -- curl -s localhost:15014/metrics | grep pilot_proxy_convergence"},
		Remedy:   "Give istiod more CPU or replicas, and cut down what each proxy gets with a Sidecar resource. For a second at the start it is normal.",
		Docs:     []string{scalePage, proxyPage},
		Examples: []string{agentLog + "Envoy proxy is NOT ready: config not fully received from XDS server: cds updates: 1 successful, 0 rejected; lds updates: 0 successful, 0 rejected"},
	},
	{
		ID: "xds-initial-fetch-timeout", Title: "A configuration type never arrived within its timeout", Parent: "control-plane-slow", Side: ControlPlane, Severity: Warning, Seen: InEvents,
		Meaning:  "Envoy waited for the first answer about a type of resource until its timeout, 15 seconds if nothing else is set, and went on without it.",
		Evidence: "initial fetch timed out, with the type",
		Rivals:   []Rival{{"sds-secret-missing", "the type is Secret"}, {"control-plane-unreachable", "the stream is down: nothing at all arrives"}},
		Checks:   []string{"kubectl logs -n {namespace} {pod} | grep 'initial fetch'", proxyStatus},
		Remedy:   "See whether the control plane has something to send for this proxy; make it faster, or raise initial_fetch_timeout.",
		Versions: "Istio sets no timeout for clusters, listeners and routes: there it is rare",
		Docs:     []string{"https://www.envoyproxy.io/docs/envoy/latest/intro/arch_overview/operations/init", xdsPage},
		Examples: []string{"[2026-05-11 06:20:46.420][1][warning][config] [source/extensions/config_subscription/grpc/grpc_subscription_impl.cc:130] gRPC config: initial fetch timed out for type.googleapis.com/envoy.config.listener.v3.Listener"},
	},
	{
		ID: "xds-push-timeout", Title: "Pushes to the proxy time out", Parent: "control-plane-slow", Side: ControlPlane, Severity: Warning, Seen: InEvents,
		Meaning:  "istiod wanted to send configuration to a proxy, and the proxy did not take it in time.",
		Evidence: "Repeated failure to push, or Timeout writing, with the proxy's id, in istiod's log",
		Rivals:   []Rival{{"control-plane-overload", "istiod turns proxies away"}},
		Checks:   []string{"kubectl top pod -n {namespace} {pod} --containers", "kubectl exec -n istio-system deploy/istiod -- curl -s localhost:15014/metrics | grep pilot_xds"},
		Remedy:   "Give the proxy CPU, make its configuration smaller with a Sidecar resource, and look at the network between the two.",
		Docs:     []string{scalePage},
		Examples: []string{"2026-05-11T06:22:41.070316Z\twarn\tads\tRepeated failure to push 31 sidecar~10.61.4.20~ledger-6c9d7f-kx2lp.till~till.svc.cluster.local-114"},
	},
	{
		ID: "control-plane-overload", Title: "Control plane limits requests", Side: ControlPlane, Severity: Warning, Seen: InEvents,
		Meaning:  "The control plane was reached and asks to come later, because too many proxies came at once.",
		Evidence: "rate limit exceeded, ResourceExhausted, or stream code 8",
		Rivals:   []Rival{{"xds-message-too-large", "the code is 8, and the text says larger than max"}, {"control-plane-starting", "istiod is warming up"}},
		Checks:   []string{"kubectl top pods -n istio-system", "kubectl get hpa -n istio-system", "kubectl get deploy -n istio-system istiod -o yaml | grep -A1 PILOT_MAX_REQUESTS_PER_SECOND"},
		Remedy:   "Scale istiod out, or raise PILOT_MAX_REQUESTS_PER_SECOND if it has CPU to spare. In App Mesh code 8 means more proxies than the quota of a node allows.",
		Docs:     []string{scalePage, "https://docs.aws.amazon.com/app-mesh/latest/userguide/troubleshooting-scaling.html"},
		Examples: []string{xdsGone + "closed since 39s ago: 8, request rate limit exceeded: rate: Wait(n=1) would exceed context deadline{via_upstream}\tthread=24"},
	},
	{
		ID: "xds-message-too-large", Title: "Configuration message exceeds the gRPC size limit", Parent: "control-plane-overload", Side: ControlPlane, Severity: Error, Seen: InEvents,
		Meaning:  "One answer of the control plane, or one of the agent, is larger than the receiver allows, so it can never arrive.",
		Evidence: "received message larger than max, with both sizes",
		Rivals:   []Rival{{"control-plane-overload", "the code is 8 and the text names a rate"}},
		Checks:   []string{"istioctl proxy-config all {pod} -n {namespace} -o json | wc -c", "kubectl get sidecar -A"},
		Remedy:   "Make the configuration smaller with Sidecar resources or exportTo, or raise the limit on the receiving side.",
		Docs:     []string{scalePage, "https://istio.io/latest/docs/reference/config/networking/sidecar/"},
		Examples: []string{streamLog + "StreamSecrets gRPC config stream closed: 8, grpc: received message larger than max (9120044 vs. 4194304)\tthread=24"},
	},
	{
		ID: "control-plane-recycled", Title: "Control plane stream renewed as planned", Side: ControlPlane, Severity: Info, Seen: InEvents,
		Meaning:  "A stream to the control plane ended and begins anew. istiod closes each about every half hour so that proxies spread over its replicas; a rollout of istiod does the same.",
		Evidence: "one closed line with code 0 or 13, or 14 with EOF, goaway or transport is closing, without since",
		Rivals:   []Rival{{"control-plane-connection-reset", "it repeats within minutes, or says closed since"}, {"control-plane-unreachable", "the stream does not come back: it repeats, or says closed since"}},
		Checks:   []string{"kubectl logs -n {namespace} {pod} -c istio-proxy | grep -c 'gRPC config stream'", proxyStatus},
		Remedy:   "None.",
		Docs:     []string{"https://istio.io/latest/docs/reference/commands/pilot-discovery/", proxyPage},
		Examples: []string{streamLog + "StreamAggregatedResources gRPC config stream closed: 13, "},
	},
	{
		ID: "warming-stuck", Title: "Listeners or clusters wait for certificates or endpoints", Side: ControlPlane, Severity: Error, Seen: InEvents, Aliases: []string{"proxy-not-ready-initializing"},
		Meaning:  "Configuration has come, and parts of it wait for something else: a certificate, endpoints or routes. Until then the workers do not start.",
		Evidence: "server is not live with state INITIALIZING, or workers have not yet started",
		Rivals:   []Rival{{"control-plane-unreachable", "the state is PRE_INITIALIZING: nothing has come"}, {"workload-cert-not-issued", "the lines around it name the certificate"}, {"control-plane-slow", "one of CDS and LDS has not come yet: the counters tell"}},
		Checks:   []string{secretCheck, "kubectl exec -n {namespace} {pod} -c istio-proxy -- pilot-agent request GET config_dump | grep -i warming", "kubectl exec -n {namespace} {pod} -c istio-proxy -- pilot-agent request GET init_dump"},
		Remedy:   "Find what is missing in init_dump, and repair its source: the CA for a certificate, the secret of a gateway, the endpoints of a cluster. For a second at the start it is normal.",
		Docs:     []string{"https://www.envoyproxy.io/docs/envoy/latest/intro/arch_overview/operations/init", proxyPage},
		Examples: []string{agentLog + "Envoy proxy is NOT ready: server is not live, current state is: INITIALIZING"},
	},
}

// calls are the texts around a failed call to the control plane: Envoy's about
// its stream, the agent's and ztunnel's about their connections.
var calls = []string{
	"emitter:envoy message:grpc_config_stream message:closed ",
	"emitter:pilot-agent,ztunnel message:rpc_error,connection_error,failed_to_connect_to_upstream,failed_to_dial,failed_to_connect_to_endpoint,upstream_grpc_client,failed_to_create_certificate,create_certificate,certificate_fetch_failed,xds_client_error ",
}

// callFailures are what such a text goes on with, most telling first. The text
// of a routine end comes behind all that say more.
var callFailures = []Rule{
	{"message:certificate_is_not_yet_valid,notvalidyet", "clock-skew", "certificate-expired", High},
	{"message:certificate_has_expired,certificate_expired,peer_certificate_expired", "certificate-expired", "clock-skew", High},
	{"message:certificate_is_valid_for,san_matcher,sans_are,notvalidforname,any_ip_sans,is_not_valid_for_any_names", "control-plane-san-mismatch", "", High},
	{"message:unknown_authority,unknownissuer,badsignature,certificate_verify_failed,self_signed_certificate", "ca-root-mismatch", "", High},
	{"message:missing_parts_in_the_service_node,invalid_node_type,no_valid_ip_address_in_the_service_node", "node-id-malformed", "", High},
	{"message:message_larger_than_max", "xds-message-too-large", "", High},
	{"message:rate_limit_exceeded,exceeded_rate_limit,resourceexhausted,resource_exhausted", "control-plane-overload", "", High},
	{"message:not_ready_to_serve_discovery,server_warmup_not_complete", "control-plane-starting", "", High},
	{"message:no_identities,unauthorized_xds", "proxy-identity-mismatch", "", High},
	{"message:client_claims_to_be_in_cluster,s_kube_client", "cluster-id-mismatch", "", High},
	{"message:token_has_expired,token_is_expired", "token-expired", "", High},
	{"message:its_audience,token_audiences,invalid_audience,token_is_not_authenticated", "token-audience", "", High},
	{"message:csr_signing_error,ca_is_not_ready", "ca-not-ready", "", High},
	{"message:request_authenticate_failure,valid_authentication_credentials,authentication_failure,authentication_failed,unauthenticated,permissiondenied,authorization_failed,tls_bad_certificate,tls_unknown_certificate,tls_certificate_required", "control-plane-auth", "token-expired token-audience cluster-id-mismatch", High},
	{"message:lookup,dns_error,no_such_host", "control-plane-dns", "", High},
	{"message:tls_handshake_timeout", "control-plane-tls-handshake-timeout", "", High},
	{"message:handshake_failed message:deadline_exceeded,i_o_timeout", "control-plane-tls-handshake-timeout", "control-plane-blocked", High},
	{"message:code_deadlineexceeded message:create_certificate,failed_to_create_certificate", "control-plane-slow", "control-plane-blocked", Medium},
	{"message:i_o_timeout,deadline_exceeded,deadline_has_elapsed,connection_timed_out,connection_timeout,no_route_to_host,network_is_unreachable", "control-plane-blocked", "control-plane-down", High},
	{"message:connection_refused,delayed_connect_error_111", "control-plane-down", "", High},
	{"message:no_healthy_upstream", "control-plane-no-healthy-upstream", "control-plane-dns control-plane-down", Medium},
	{"!message:since,create_certificate,failed_to_create_certificate message:transport_is_closing,prior_goaway,reading_from_server_eof,upstream_reset_after_response_started", "control-plane-recycled", "control-plane-connection-reset", Medium},
	{"message:connection_reset,connection_closed,connection_termination,server_preface,send_error,reading_from_server_eof,transport_is_closing,prior_goaway", "control-plane-connection-reset", "control-plane-down", Medium},
}

// readiness is the agent's word for its proxy; the counters behind it say
// which updates came and which were refused.
const readiness = "emitter:pilot-agent message:proxy_is_not_ready "

var controlRules = slices.Concat(refusedRules, bootstrapRules, []Rule{
	{readiness + "message:but_was_rejected", "config-rejected", "", High},
	{readiness + "message:cds_updates_0_successful_0_rejected_lds_updates_0_successful_0_rejected", "control-plane-unreachable", "control-plane-down control-plane-blocked control-plane-dns", Medium},
	{readiness + "message:successful_0_rejected_lds message:successful_0_rejected$", "control-plane-slow", "warming-stuck", Medium},
	{readiness + "message:cds_updates", "config-rejected", "", High},
	{readiness + "message:state_is_pre_initializing", "control-plane-unreachable", "warming-stuck", Medium},
	{readiness + "message:state_is_initializing,workers_have_not_yet_started", "warming-stuck", "workload-cert-not-issued control-plane-slow", Medium},
}, across(calls, callFailures), []Rule{
	{"emitter:envoy message:streamloadstats,streamhealthcheck message:grpc_config_stream", "control-plane-recycled", "control-plane-unreachable", Low},
	{"emitter:envoy message:grpc_config_stream message:protocol_error", "xds-cluster-not-http2", "control-plane-connection-reset", High},
	{"emitter:envoy message:grpc_config_stream message:failed_to_generate_secret,workload_certificate", "workload-cert-not-issued", "", High},
	{"emitter:envoy message:grpc_config_stream message:sds_grpc,streamsecrets message:no_such_file_or_directory", "sds-socket-missing", "", High},
	{"emitter:envoy message:grpc_config_stream message:closed_8,ago_8", "control-plane-overload", "xds-message-too-large", Medium},
	{"emitter:envoy message:grpc_config_stream message:closed_16,ago_16,closed_7,ago_7", "control-plane-auth", "token-expired", Medium},
	{"emitter:envoy message:grpc_config_stream message:closed_since,previously", "control-plane-unreachable", "control-plane-connection-reset", Medium},
	{"emitter:envoy message:grpc_config_stream message:closed_0,closed_1,closed_13,closed_14$", "control-plane-recycled", "control-plane-connection-reset", Medium},
	{"emitter:envoy level:trace,debug,info message:grpc_config_stream message:closed", "control-plane-recycled", "control-plane-unreachable", Low},
	{"emitter:envoy message:grpc_config_stream message:closed", "control-plane-unreachable", "control-plane-connection-reset", Medium},
	{"emitter:envoy level:warning,error message:unable_to_establish_new_stream", "control-plane-unreachable", "control-plane-no-healthy-upstream", Low},
	{"emitter:envoy message:rest_update_for message:failed", "control-plane-unreachable", "", Medium},
	{"emitter:envoy message:fetch_failure_network_error", "control-plane-unreachable", "", Medium},
	{"emitter:envoy message:initial_fetch_timed_out,initial_fetch_timeout_for", "xds-initial-fetch-timeout", "control-plane-unreachable", High},
	{"emitter:pilot-agent message:failed_to_sign,failed_to_create_certificate,create_certificate,csr_hit_non_retryable_error,csr_failed_with_error,failed_to_generate_workload_certificate,failed_to_warm_certificate,failed_to_rotate_secret,failed_to_get_secret_for_proxy", "workload-cert-not-issued", "control-plane-unreachable control-plane-auth", Medium},
	{"emitter:pilot-agent message:failed_to_connect_to_upstream,failed_to_connect_to_endpoint,upstream_grpc_client", "control-plane-unreachable", "control-plane-down control-plane-blocked", Medium},
	{"emitter:ztunnel message:certificate_fetch_failed", "workload-cert-not-issued", "control-plane-auth control-plane-unreachable", Medium},
	{"emitter:ztunnel message:timed_out_waiting_for_workload", "control-plane-slow", "", Medium},
	{"emitter:ztunnel message:xds_client_connection_error,xds_client_error !message:broken_pipe", "control-plane-unreachable", "control-plane-down control-plane-blocked", Medium},
	{"emitter:istiod message:repeated_failure_to_push,timeout_writing,failed_to_push_client_busy", "xds-push-timeout", "", High},
	{"emitter:istiod message:rate_limit_exceeded,exceeded_rate_limit", "control-plane-overload", "", High},
	{"emitter:istiod message:not_ready_to_serve_discovery,server_warmup_not_complete", "control-plane-starting", "", High},
	{"emitter:istiod message:missing_parts_in_the_service_node,invalid_node_type,no_valid_ip_address_in_the_service_node", "node-id-malformed", "", High},
	{"emitter:istiod message:larger_than_max", "xds-message-too-large", "", High},
})

// across puts each of the conditions in front of each of the rules.
func across(conditions []string, rules []Rule) (all []Rule) {
	for _, when := range conditions {
		for _, r := range rules {
			r.When = when + r.When
			all = append(all, r)
		}
	}
	return all
}
