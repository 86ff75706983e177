package classify

// Heads and tails of the examples' texts, as Envoy words them.
const (
	listenerRefused = updateLog + "gRPC config for type.googleapis.com/envoy.config.listener.v3.Listener rejected: Error adding/updating listener(s) "
	clusterRefused  = updateLog + "gRPC config for type.googleapis.com/envoy.config.cluster.v3.Cluster rejected: Error adding/updating cluster(s) "
	listenerPage    = "https://www.envoyproxy.io/docs/envoy/latest/configuration/listeners/lds"
	upgradePage     = "https://istio.io/latest/docs/ops/common-problems/upgrade-issues/"
	listenersCheck  = "istioctl proxy-config listeners {pod} -n {namespace}"
	filtersCheck    = filters
	ackCheck        = "kubectl logs -n istio-system deploy/istiod | grep 'ACK ERROR'"
)

var refusedCauses = []Cause{
	{
		ID: "config-rejected", Title: "Proxy refused configuration from the control plane", Side: ControlPlane, Severity: Error, Seen: InEvents, Aliases: []string{"xds-config-rejected"},
		Meaning:  "The control plane was reached and sent a resource, and Envoy refused it. What was in force before stays in force, so a new proxy has nothing and an old one is out of date.",
		Evidence: "rejected behind the type of a resource, ACK ERROR in istiod's log, or readiness counters with rejected above 0",
		Rivals: []Rival{
			{"bootstrap-rejected", "the level is critical, the text says initializing config, and the process ends"},
			{"control-plane-unreachable", "all readiness counters are 0"},
			{"config-invalid", "the API server refused the resource when it was applied, so no proxy has seen it"},
		},
		Checks:   []string{proxyStatus, ackCheck, filtersCheck},
		Remedy:   "Repair the resource that the text names: most often an EnvoyFilter, a Gateway's port, or a proxy older than the control plane.",
		Docs:     []string{protocolPage, meshPage, upgradePage},
		Examples: []string{listenerRefused + "0.0.0.0_8443: Error: terminal filter named envoy.filters.network.tcp_proxy of type envoy.filters.network.tcp_proxy must be the last filter in a network filter chain."},
	},
	{
		ID: "lds-rejected-deprecated-v2", Title: "Listener uses the removed v2 API", Parent: "config-rejected", Side: ControlPlane, Severity: Error, Seen: InEvents,
		Meaning:  "A listener carries a type or a transport version of the v2 API, which the proxy no longer takes.",
		Evidence: "v2 xDS major version is deprecated, or V2 (and AUTO) xDS transport protocol versions are deprecated, behind a rejected Listener",
		Rivals:   []Rival{{"bootstrap-deprecated-v2", "the text stands behind initializing config"}, {"lds-rejected-unknown-extension", "the type's name is not one of v2"}},
		Checks:   []string{ackCheck, filtersCheck},
		Remedy:   "Upgrade the control plane or write the EnvoyFilter for v3; set transport_api_version: V3 in every gRPC service.",
		Versions: "Envoy 1.17 and later",
		Docs:     []string{v3Page, upgradePage},
		Examples: []string{listenerRefused + "till-8080: V2 (and AUTO) xDS transport protocol versions are deprecated in log_name: \"till\". The v2 xDS major version is deprecated and disabled by default."},
	},
	{
		ID: "lds-rejected-duplicate-listener", Title: "Two listeners share a name or an address", Parent: "config-rejected", Side: ControlPlane, Severity: Error, Seen: InEvents,
		Meaning:  "Two listeners have one name, or want the same address and port.",
		Evidence: "duplicate listener, or has duplicate address",
		Rivals:   []Rival{{"lds-rejected-port-in-use", "the port is taken by another process: the text says cannot bind"}},
		Checks:   []string{listenersCheck, "istioctl analyze -n {namespace}"},
		Remedy:   "Find the Gateways, Services or ServiceEntries that claim the same address and port, and leave it to one of them.",
		Docs:     []string{listenerPage},
		Examples: []string{updateLog + "error adding listener: 'till_tcp_9400' has duplicate address '10.96.31.8:9400' as existing listener"},
	},
	{
		ID: "lds-rejected-invalid-proto", Title: "Listener has fields this proxy does not know", Parent: "config-rejected", Side: ControlPlane, Severity: Error, Seen: InEvents,
		Meaning:  "A listener has an unknown field, a wrong type, or a value outside its range, often because the control plane is newer than the proxy.",
		Evidence: "unknown fields, Unable to parse JSON as proto, or Proto constraint validation failed, behind a rejected Listener",
		Rivals:   []Rival{{"bootstrap-invalid-proto", "the text stands behind initializing config"}, {"lds-rejected-unknown-extension", "the whole extension is unknown, not a field of it"}},
		Checks:   []string{"istioctl version", ackCheck, filtersCheck},
		Remedy:   "Bring proxy and control plane to neighbouring versions; remove the field from the EnvoyFilter.",
		Docs:     []string{protocolPage, upgradePage},
		Examples: []string{listenerRefused + "virtualOutbound: Protobuf message (type envoy.extensions.filters.network.http_connection_manager.v3.HttpConnectionManager reason INVALID_ARGUMENT: no such field: 'till_limit') has unknown fields"},
	},
	{
		ID: "lds-rejected-lua-script", Title: "Lua script in a listener does not compile", Parent: "config-rejected", Side: ControlPlane, Severity: Error, Seen: InEvents,
		Meaning:  "The script of a Lua filter has a syntax error, so the listener that holds it was refused.",
		Evidence: "script load error, with the line of the script",
		Rivals:   []Rival{{"lua-runtime-error", "the script compiled and failed while a request ran through it: script log"}},
		Checks:   []string{filtersCheck, proxyStatus},
		Remedy:   "Repair the line that the text names; mind how YAML's block styles keep quotes and line ends.",
		Docs:     []string{"https://www.envoyproxy.io/docs/envoy/latest/configuration/http/http_filters/lua_filter"},
		Examples: []string{listenerRefused + "virtualInbound: script load error: [string \"function envoy_on_request(h)...\"]:4: 'then' expected near 'h'"},
	},
	{
		ID: "lds-rejected-no-filter-chain", Title: "Listener without filter chains", Parent: "config-rejected", Side: ControlPlane, Severity: Error, Seen: InEvents,
		Meaning:  "A listener arrived that has no filter chain at all, so it could not do anything with a connection.",
		Evidence: "no filter chains specified",
		Rivals:   []Rival{{"lds-rejected-invalid-proto", "a chain is there and something in it does not fit"}},
		Checks:   []string{listenersCheck, gatewayHosts},
		Remedy:   "Give the Gateway's server a usable tls section or port name; look for an EnvoyFilter that removed the only chain.",
		Docs:     []string{listenerPage},
		Examples: []string{listenerRefused + "0.0.0.0_8443: error adding listener '0.0.0.0:8443': no filter chains specified"},
	},
	{
		ID: "lds-rejected-port-in-use", Title: "Listener's port is already taken", Parent: "config-rejected", Side: Platform, Severity: Error, Seen: InEvents,
		Meaning:  "A listener could not bind, because another process in the pod's or node's network has the port.",
		Evidence: "cannot bind, Address already in use, behind a rejected Listener",
		Rivals:   []Rival{{"bootstrap-port-in-use", "the text stands behind initializing config, and the proxy ends"}, {"lds-rejected-duplicate-listener", "two listeners of this proxy want the address"}},
		Checks:   []string{"kubectl exec -n {namespace} {pod} -c istio-proxy -- ss -ltnp", listenersCheck},
		Remedy:   "Move the other process or the listener to another port; do not run two proxies with hostNetwork on one node.",
		Docs:     []string{"https://istio.io/latest/docs/ops/deployment/application-requirements/", listenerPage},
		Examples: []string{listenerRefused + "0.0.0.0_15443: cannot bind '0.0.0.0:15443': Address already in use"},
	},
	{
		ID: "lds-rejected-port-permission-denied", Title: "Listener may not bind its privileged port", Parent: "privileged-port-bind", Side: Platform, Severity: Error, Seen: InEvents,
		Meaning:  "A listener asks for a port below 1024, which the proxy's user may not have.",
		Evidence: "cannot bind, Permission denied, behind a rejected Listener or ACK ERROR",
		Rivals:   []Rival{{"bootstrap-port-permission-denied", "the text stands behind initializing config, and the proxy ends"}},
		Checks:   []string{"kubectl get service -n {namespace} {service} -o yaml", "kubectl get pod -n {namespace} {pod} -o jsonpath='{.spec.containers[*].securityContext}'"},
		Remedy:   "Set the Service's targetPort to a port above 1024, or allow the container to bind low ports.",
		Docs:     []string{meshPage},
		Examples: []string{listenerRefused + "0.0.0.0_443: cannot bind '0.0.0.0:443': Permission denied"},
	},
	{
		ID: "lds-rejected-unknown-cluster", Title: "Listener names a cluster the proxy may not use", Parent: "config-rejected", Side: ControlPlane, Severity: Error, Seen: InEvents,
		Meaning:  "A filter of a listener names a cluster that this proxy does not have, or that is not of a kind that the filter may use.",
		Evidence: "unknown cluster, Unknown gRPC client cluster, or must have a statically defined non-EDS cluster, behind a rejected Listener",
		Rivals:   []Rival{{"bootstrap-unknown-cluster", "the text stands behind initializing config"}},
		Checks:   []string{"istioctl proxy-config clusters {pod} -n {namespace}", filtersCheck},
		Remedy:   "Correct the name in the EnvoyFilter or extension provider; make sure that a Service or ServiceEntry stands behind it and is visible to the proxy.",
		Docs:     []string{"https://istio.io/latest/docs/reference/config/networking/envoy-filter/", protocolPage},
		Examples: []string{listenerRefused + "virtualInbound: Unknown gRPC client cluster 'outbound|9191||authz.till.svc.cluster.local'"},
	},
	{
		ID: "lds-rejected-unknown-extension", Title: "Listener names an extension this proxy lacks", Parent: "config-rejected", Side: ControlPlane, Severity: Error, Seen: InEvents,
		Meaning:  "A listener has a filter that is not compiled into this proxy, or whose type URL is wrong.",
		Evidence: "Didn't find a registered implementation, or could not find @type, behind a rejected Listener or ACK ERROR",
		Rivals:   []Rival{{"bootstrap-unknown-extension", "the text stands behind initializing config"}, {"lds-rejected-invalid-proto", "the extension is known, a field of it is not"}},
		Checks:   []string{"istioctl version", filtersCheck, "kubectl get pod -n {namespace} {pod} -o jsonpath='{.spec.containers[*].image}'"},
		Remedy:   "Let proxies and control plane have neighbouring versions, use the proxy image that the product ships, or take the filter out.",
		Docs:     []string{upgradePage, protocolPage},
		Examples: []string{listenerRefused + "virtualInbound: Didn't find a registered implementation for 'till.audit' with type URL: 'till.envoy.AuditConfig'"},
	},
	{
		ID: "lds-rejected-wasm-load", Title: "Wasm module could not be fetched or loaded", Parent: "config-rejected", Side: ControlPlane, Severity: Error, Seen: InEvents,
		Meaning:  "A listener needs a Wasm module that could not be fetched, does not match its checksum, or cannot be run by this proxy.",
		Evidence: "Wasm in the reason behind a rejected Listener",
		Rivals:   []Rival{{"extension-not-loaded", "the listener was accepted and requests are answered by a filter that failed to load"}},
		Checks:   []string{"kubectl get wasmplugin -A", "kubectl logs -n {namespace} {pod} -c istio-proxy | grep -i wasm"},
		Remedy:   "Check the module's URL, checksum and pull secret from the pod; failStrategy: FAIL_OPEN keeps traffic flowing meanwhile.",
		Docs:     []string{"https://istio.io/latest/docs/reference/config/proxy_extensions/wasm-plugin/", "https://www.envoyproxy.io/docs/envoy/latest/configuration/http/http_filters/wasm_filter"},
		Examples: []string{listenerRefused + "virtualInbound: Unable to create Wasm HTTP filter till-meter"},
	},
	{
		ID: "cds-rejected-config-mismatch", Title: "Cluster settings contradict each other", Parent: "config-rejected", Side: ControlPlane, Severity: Error, Seen: InEvents,
		Meaning:  "Two settings of a cluster exclude each other, such as a balancing policy that its discovery type does not allow.",
		Evidence: "is not valid for Cluster type, may only be used with, must have a single, behind a rejected Cluster",
		Rivals:   []Rival{{"cds-rejected-duplicate-cluster", "the name is there twice"}},
		Checks:   []string{"istioctl proxy-config clusters {pod} -n {namespace} --fqdn {host} -o json", "kubectl get destinationrules,serviceentries -A"},
		Remedy:   "Change the DestinationRule, ServiceEntry or EnvoyFilter that sets the second of the two.",
		Docs:     []string{"https://www.envoyproxy.io/docs/envoy/latest/intro/arch_overview/upstream/service_discovery", protocolPage},
		Examples: []string{clusterRefused + "outbound|7600||ledger.example.org: cluster: LB policy ROUND_ROBIN is not valid for Cluster type ORIGINAL_DST"},
	},
	{
		ID: "cds-rejected-duplicate-cluster", Title: "Two clusters share one name", Parent: "config-rejected", Side: ControlPlane, Severity: Error, Seen: InEvents,
		Meaning:  "One answer of the control plane holds two clusters of one name.",
		Evidence: "duplicate cluster",
		Rivals:   []Rival{{"cds-rejected-config-mismatch", "the cluster is there once and contradicts itself"}},
		Checks:   []string{"istioctl analyze -n {namespace}", filtersCheck},
		Remedy:   "Remove the second definition: an EnvoyFilter that adds a cluster of an existing name, or two entries for one host and port.",
		Docs:     []string{protocolPage},
		Examples: []string{clusterRefused + "inbound|7600||: duplicate cluster inbound|7600|| found"},
	},
	{
		ID: "rds-rejected-duplicate-domain", Title: "Two virtual hosts claim one domain", Parent: "config-rejected", Side: ControlPlane, Severity: Error, Seen: InEvents,
		Meaning:  "Two virtual hosts of one route configuration have the same domain, in whatever case, or there are two wildcards. The whole route configuration was refused, so every host on that port keeps its old routes or has none.",
		Evidence: "Only unique values for domains are permitted, with the domain; or Only a single wildcard domain",
		Rivals:   []Rival{{"bootstrap-rejected", "the text stands behind initializing config: the routes are in the bootstrap"}},
		Checks:   []string{"istioctl analyze -A", virtualHosts + ofHost, externalHosts},
		Remedy:   "Leave the domain to one VirtualService, Service or ServiceEntry; names that differ only in case are the same.",
		Docs:     []string{"https://www.envoyproxy.io/docs/envoy/latest/api-v3/config/route/v3/route_components.proto", "https://istio.io/latest/docs/ops/best-practices/traffic-management/"},
		Examples: []string{updateLog + "gRPC config for type.googleapis.com/envoy.config.route.v3.RouteConfiguration rejected: Only unique values for domains are permitted. Duplicate entry of domain ledger.till in route 7600"},
	},
	{
		ID: "sds-rejected-bad-key", Title: "Delivered key or certificate can not be loaded", Parent: "config-rejected", Side: ControlPlane, Severity: Error, Seen: InEvents,
		Meaning:  "The control plane delivered a secret whose key or certificate is no PEM, is encrypted with a passphrase, or whose two halves do not belong together.",
		Evidence: "Failed to load private key or certificate chain from <inline>, behind a rejected Secret",
		Rivals:   []Rival{{"file-cert-invalid", "the text names a file of the proxy's own"}, {"bootstrap-tls-material-invalid", "the text stands behind initializing config"}},
		Checks:   []string{"istioctl proxy-config secret {pod} -n {namespace}", "kubectl get secret -n {namespace}"},
		Remedy:   "Write the secret again with an unencrypted key, its certificate first, and the chain behind it.",
		Docs:     []string{"https://www.envoyproxy.io/docs/envoy/latest/configuration/security/secret", "https://istio.io/latest/docs/tasks/traffic-management/ingress/secure-ingress/"},
		Examples: []string{updateLog + "gRPC config for type.googleapis.com/envoy.extensions.transport_sockets.tls.v3.Secret rejected: Failed to load private key from <inline>, Cause: error:0b000074:X.509 certificate routines:OPENSSL_internal:KEY_VALUES_MISMATCH"},
	},
	{
		ID: "config-invalid", Title: "Resource refused by validation", Side: ControlPlane, Severity: Error, Seen: InEvents,
		Meaning:  "Someone applied a resource, the validation webhook looked at it and said no. The webhook works; the resource is wrong and nothing of it is in force.",
		Evidence: "admission webhook validation.istio.io denied the request, with the reason",
		Rivals: []Rival{
			{"webhook-refused", "the webhook did not answer at all: failed calling webhook"},
			{"config-rejected", "the resource was stored, and a proxy refused what was made of it"},
		},
		Checks:   []string{"istioctl validate -f FILE", "istioctl analyze -n {namespace}"},
		Remedy:   "Correct what stands behind configuration is invalid, and apply it again.",
		Docs:     []string{"https://istio.io/latest/docs/ops/common-problems/validation/"},
		Examples: []string{`Error from server: error when creating "till.yaml": admission webhook "rev.validation.istio.io" denied the request: configuration is invalid: domain name "till_api" invalid`},
	},
	{
		ID: "lua-runtime-error", Title: "Lua filter script failed at run time", Side: ControlPlane, Severity: Error, Seen: InEvents,
		Meaning:  "A script of a Lua filter raised an error while a request ran through it. The request went on without the rest of the script.",
		Evidence: "script log of level error with the script's line and Lua's own words, such as attempt to index",
		Rivals:   []Rival{{"lds-rejected-lua-script", "the script does not compile: script load error"}},
		Checks:   []string{filtersCheck, "kubectl logs -n {namespace} {pod} -c istio-proxy | grep 'script log'"},
		Remedy:   "Test the value that the line uses for nil, above all headers and metadata that not every request has.",
		Docs:     []string{"https://www.envoyproxy.io/docs/envoy/latest/configuration/http/http_filters/lua_filter"},
		Examples: []string{"2026-05-11T06:24:10.220518Z\terror\tenvoy lua external/envoy/source/extensions/filters/common/lua/lua.cc:34\tscript log: [string \"function envoy_on_request(h)...\"]:9: attempt to concatenate local 'tenant' (a nil value)\tthread=24"},
	},
}

// Where a text stands: behind a refusal, and of which type of resource.
const (
	refusal    = "emitter:envoy,istiod,pilot-agent !message:initializing_configuration,initializing_config message:rejected,ack_error,error_adding_updating_listener,error_adding_updating_listeners,error_adding_updating_cluster,error_adding_listener "
	ofListener = "message:listener,listeners,lds "
	ofCluster  = "message:cluster,clusters,cds "
	ofSecret   = "message:secret,secrets,sds "
	mismatch   = "message:is_not_valid_for_cluster_type,may_only_be_used_with,may_not_be_used_with,can_only_be_used_with,cannot_be_used_with,must_have_a_single,must_not_have,is_not_compatible,eds_cluster_must_specify,service_name_required"
)

var refusedRules = []Rule{
	{"emitter:envoy level:error message:script_log message:script_log_string,attempt_to,bad_argument", "lua-runtime-error", "", High},
	{"emitter:envoy !level:trace,debug,info,warning,critical message:script_log_string", "lua-runtime-error", "", Medium},
	{refusal + ofListener + oldTypes, "lds-rejected-deprecated-v2", "", High},
	{refusal + ofListener + "message:duplicate_listener,has_duplicate_address", "lds-rejected-duplicate-listener", "", High},
	{refusal + ofListener + "message:script_load_error", "lds-rejected-lua-script", "", High},
	{refusal + ofListener + "message:no_filter_chains_specified,no_filter_chain_specified", "lds-rejected-no-filter-chain", "", High},
	{refusal + "message:cannot_bind message:address_already_in_use", "lds-rejected-port-in-use", "", High},
	{refusal + "message:cannot_bind message:permission_denied", "lds-rejected-port-permission-denied", "", High},
	{"emitter:envoy level:error message:failed_to_bind message:address_already_in_use", "lds-rejected-port-in-use", "bootstrap-port-in-use", Medium},
	{refusal + ofListener + "message:unknown_cluster,unknown_grpc_client_cluster,statically_defined", "lds-rejected-unknown-cluster", "", High},
	{refusal + ofListener + unknown, "lds-rejected-unknown-extension", "lds-rejected-invalid-proto", High},
	{refusal + ofListener + "message:wasm", "lds-rejected-wasm-load", "extension-not-loaded", High},
	{refusal + ofSecret + unloaded, "sds-rejected-bad-key", "", High},
	{refusal + "message:duplicate_cluster", "cds-rejected-duplicate-cluster", "", High},
	{refusal + twoHosts, "rds-rejected-duplicate-domain", "", High},
	{refusal + unloaded, "file-cert-invalid", "config-rejected", Medium},
	{refusal + "message:invalid_path", "file-cert-invalid", "config-rejected", Medium},
	{refusal + ofListener + unfit, "lds-rejected-invalid-proto", "", High},
	{refusal + ofCluster + mismatch, "cds-rejected-config-mismatch", "", High},
	{"emitter:envoy !message:initializing_configuration,initializing_config message:error_adding_updating_listener,error_adding_updating_listeners,error_adding_updating_cluster,error_adding_listener,config_rejected,update_rejected,filesystem_config_update_failure", "config-rejected", "", High},
	{"emitter:envoy message:config_for message:rejected", "config-rejected", "", High},
	{"emitter:istiod,pilot-agent message:ack_error", "config-rejected", "", High},
	{"message:denied_the_request message:validation_istio_io,configuration_is_invalid", "config-invalid", "", High},
	{"emitter:envoy component:ext_proc level:warning,error message:received_grpc_error_on_stream", "extension-answered", "", Medium},
	{"emitter:envoy level:warning message:resetting message:streams_in message:empty_buckets", "overload-manager", "", High},
	{"emitter:envoy component:wasm level:error,critical message:failed_to_load,wasm_vm_failed", "extension-not-loaded", "lds-rejected-wasm-load", High},
	{"emitter:pilot-agent component:wasm level:warning,error message:fail_to_convert,failed_to_convert,failed_to_fetch,failed_to_download,could_not_fetch,cannot_fetch,wasm_module_download", "lds-rejected-wasm-load", "extension-not-loaded", Medium},
}
