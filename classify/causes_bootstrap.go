package classify

// Heads of the examples' lines, each as its program writes it.
const (
	startLog    = "[2026-05-11 06:20:31.417][1][critical][main] [source/server/server.cc:449] "
	validateLog = "[2026-05-11 06:19:02.044][31][critical][main] [source/server/config_validation/server.cc:76] "
	updateLog   = "2026-05-11T06:22:03.114907Z\twarning\tenvoy config external/envoy/source/extensions/config_subscription/grpc/grpc_subscription_impl.cc:160\t"
	streamLog   = "2026-05-11T06:21:14.902118Z\twarning\tenvoy config external/envoy/source/extensions/config_subscription/grpc/grpc_stream.h:227\t"
	agentLog    = "2026-05-11T06:22:40.551204Z\twarn\t"
	istiodLog   = "2026-05-11T06:22:41.070316Z\terror\t"
)

// Pages that many rows rest on.
const (
	bootstrapPage = "https://www.envoyproxy.io/docs/envoy/latest/configuration/overview/bootstrap"
	cliPage       = "https://www.envoyproxy.io/docs/envoy/latest/operations/cli"
	restartPage   = "https://www.envoyproxy.io/docs/envoy/latest/intro/arch_overview/operations/hot_restart"
	xdsPage       = "https://www.envoyproxy.io/docs/envoy/latest/configuration/overview/xds_api"
	protocolPage  = "https://www.envoyproxy.io/docs/envoy/latest/api-docs/xds_protocol"
	v3Page        = "https://www.envoyproxy.io/docs/envoy/latest/faq/api/envoy_v3"
	proxyPage     = "https://istio.io/latest/docs/ops/diagnostic-tools/proxy-cmd/"
	meshPage      = "https://docs.cloud.google.com/service-mesh/docs/troubleshooting/troubleshoot-proxy"
	securityPage  = "https://istio.io/latest/docs/ops/common-problems/security-issues/"
)

// Checks that many rows share.
const (
	overrideCheck = "kubectl get pod -n {namespace} {pod} -o yaml | grep -iE 'bootstrap|discoveryAddress|image:'" // a container in a crash loop takes no exec
	firstLines    = "kubectl logs -n {namespace} {pod} -c istio-proxy --previous | head -50"
	proxyStatus   = "istioctl proxy-status {pod}.{namespace}"
)

var bootstrapCauses = []Cause{
	{
		ID: "bootstrap-rejected", Title: "Static configuration refused; proxy exits at once", Side: Platform, Severity: Error, Seen: InEvents,
		Meaning:  "Envoy read the file that it starts with, found it wrong, and ended within a second. The container restarts and fails the same way: nothing was asked of the control plane yet.",
		Evidence: "critical, initializing config, and the reason in the same line; exit code 1",
		Rivals: []Rival{
			{"control-plane-unreachable", "the process lives and is never ready: its log has no line of level critical"},
			{"config-rejected", "the word rejected stands behind the type of a resource, and the process goes on with what it had"},
			{"envoy-exited", "the proxy had been running for some time"},
			{"rds-rejected-duplicate-domain", "the text speaks of domains of virtual hosts, and came by RDS: the process lives"},
		},
		Checks:   []string{firstLines, overrideCheck},
		Remedy:   "Repair what the reason names. If the file is generated, undo the last change to the bootstrap override, or run the proxy version that the template was made for. envoy --mode validate -c FILE tests a file before it is rolled out.",
		Docs:     []string{bootstrapPage, cliPage},
		Examples: []string{startLog + "error `Error: non-terminal filter named envoy.filters.http.cors of type envoy.filters.http.cors is the last filter in a http filter chain.` initializing config 'goo.gle/debugstr  "},
	},
	{
		ID: "bootstrap-unknown-cluster", Title: "Bootstrap names a cluster that is not defined statically", Parent: "bootstrap-rejected", Side: Platform, Severity: Error, Seen: InEvents,
		Meaning:  "A gRPC service in the bootstrap, most often the control plane's own, goes to a cluster that the bootstrap does not define, or that is itself of type EDS.",
		Evidence: "Unknown gRPC client cluster, or must have a statically defined non-EDS cluster, with the wrong name in quotes",
		Rivals: []Rival{
			{"unknown-grpc-cluster-crash", "the text stands behind an uncaught exception: an old Envoy died while it was serving"},
			{"lds-rejected-unknown-cluster", "the text stands behind a refused update, and the proxy lives on"},
		},
		Checks:   []string{firstLines, overrideCheck},
		Remedy:   "Give the cluster in static_resources and the cluster_name of the gRPC service the same name; EDS is not possible for a cluster that the configuration itself comes through.",
		Versions: "since 1.33 secrets may come through a cluster that is not static",
		Docs:     []string{bootstrapPage, xdsPage},
		Examples: []string{startLog + "error `Unknown gRPC client cluster 'mesh-xsd'` initializing config 'goo.gle/debugproto   "},
	},
	{
		ID: "bootstrap-static-route-unknown-cluster", Title: "Static route names an unknown cluster", Parent: "bootstrap-rejected", Side: Platform, Severity: Error, Seen: InEvents,
		Meaning:  "A route in the bootstrap sends requests to a cluster that the bootstrap does not define.",
		Evidence: "route: unknown cluster, or unknown weighted cluster, behind initializing config",
		Rivals:   []Rival{{"config-rejected", "the text stands behind rejected: the route came from the control plane"}},
		Checks:   []string{firstLines, overrideCheck},
		Remedy:   "Define the cluster in static_resources, correct its name, or set validate_clusters to false if it arrives later.",
		Docs:     []string{"https://www.envoyproxy.io/docs/envoy/latest/api-v3/config/route/v3/route.proto", bootstrapPage},
		Examples: []string{validateLog + "error initializing configuration '/opt/edge/envoy.yaml': route: unknown cluster 'checkout_pool'"},
	},
	{
		ID: "bootstrap-missing-field", Title: "Required field missing or empty in the bootstrap", Parent: "bootstrap-rejected", Side: Platform, Severity: Error, Seen: InEvents,
		Meaning:  "The bootstrap is well formed, but a field that must be set is missing or empty.",
		Evidence: "is missing in, value is required, value length must be at least, or node 'id' and 'cluster' are required",
		Rivals:   []Rival{{"bootstrap-invalid-proto", "the field is there and has a wrong name, type or value"}},
		Checks:   []string{firstLines, overrideCheck},
		Remedy:   "Set the field that the text names. For the node, set node.id and node.cluster or start with --service-node and --service-cluster.",
		Docs:     []string{bootstrapPage, "https://www.envoyproxy.io/docs/envoy/latest/api-v3/config/bootstrap/v3/bootstrap.proto"},
		Examples: []string{startLog + "error initializing configuration '/opt/edge/envoy.yaml': Field 'connect_timeout' is missing in: name: \"checkout_pool\""},
	},
	{
		ID: "bootstrap-invalid-proto", Title: "Bootstrap has unknown fields or wrong types", Parent: "bootstrap-rejected", Side: Platform, Severity: Error, Seen: InEvents,
		Meaning:  "The text is YAML or JSON, but does not fit the message it stands for: a field that this version does not know, a wrong type, or a value outside its range.",
		Evidence: "Unable to parse JSON as proto, has unknown fields, or Proto constraint validation failed",
		Rivals: []Rival{
			{"bootstrap-invalid-yaml", "the file is not well formed at all"},
			{"bootstrap-missing-field", "the text says that a value is required"},
			{"bootstrap-deprecated-v2", "the type or field is one of the removed v2 API"},
		},
		Checks:   []string{firstLines, overrideCheck},
		Remedy:   "Compare the path in the text with the API reference of the version that runs; a field newer than the binary has to go.",
		Docs:     []string{"https://www.envoyproxy.io/docs/envoy/latest/api-v3/config/bootstrap/v3/bootstrap.proto", cliPage},
		Examples: []string{startLog + "error initializing configuration '/opt/edge/envoy.yaml': Protobuf message (type envoy.config.bootstrap.v3.Bootstrap reason INVALID_ARGUMENT:(static_resources.clusters[2]) lb_polcy: Cannot find field.) has unknown fields"},
	},
	{
		ID: "bootstrap-invalid-yaml", Title: "Bootstrap is not valid YAML or JSON", Parent: "bootstrap-rejected", Side: Platform, Severity: Error, Seen: InEvents,
		Meaning:  "The file is empty or cut, or indentation, quotes or brackets are wrong.",
		Evidence: "yaml-cpp: error at line and column, Unable to convert YAML as JSON, or a JSON text that ends too early",
		Rivals:   []Rival{{"bootstrap-invalid-proto", "the file can be read, and a value does not fit"}},
		Checks:   []string{firstLines, overrideCheck},
		Remedy:   "Correct the line that the text names; look for a template that was rendered to nothing.",
		Docs:     []string{bootstrapPage},
		Examples: []string{startLog + "error `yaml-cpp: error at line 17, column 9: illegal map value` initializing config 'goo.gle/debugonly    "},
	},
	{
		ID: "bootstrap-malformed-address", Title: "Host name where the bootstrap needs an IP address", Parent: "bootstrap-rejected", Side: Platform, Severity: Error, Seen: InEvents,
		Meaning:  "A listener or a cluster of type STATIC has a host name as its address.",
		Evidence: "malformed IP address behind initializing config, with the name",
		Rivals:   []Rival{{"config-rejected", "the text stands behind rejected: the resource came from the control plane"}},
		Checks:   []string{firstLines, overrideCheck},
		Remedy:   "Write an IP address, or set the cluster's type to STRICT_DNS or LOGICAL_DNS.",
		Docs:     []string{"https://www.envoyproxy.io/docs/envoy/latest/intro/arch_overview/upstream/service_discovery"},
		Examples: []string{startLog + "error `malformed IP address: checkout.till.svc.cluster.local. Consider setting resolver_name or setting cluster type to 'STRICT_DNS' or 'LOGICAL_DNS'` initializing config 'goo.gle/debugonly "},
	},
	{
		ID: "bootstrap-missing-file", Title: "File named in the bootstrap is missing or unreadable", Parent: "bootstrap-rejected", Side: Platform, Severity: Error, Seen: InEvents,
		Meaning:  "The bootstrap itself, or a certificate or data file that it names, is not there or may not be read.",
		Evidence: "Invalid path or unable to read file, with the path",
		Rivals: []Rival{
			{"bootstrap-tls-material-invalid", "the file is there and its content does not fit"},
			{"file-cert-invalid", "the text stands behind rejected: the control plane named the file"},
		},
		Checks:   []string{firstLines, "kubectl get pod -n {namespace} {pod} -o jsonpath='{.spec.volumes}'"},
		Remedy:   "Mount the volume or create the file; check the owner and mode for the user that the proxy runs as.",
		Docs:     []string{bootstrapPage, "https://www.envoyproxy.io/docs/envoy/latest/configuration/security/secret"},
		Examples: []string{startLog + "error initializing configuration '/opt/edge/envoy.yaml': Invalid path: /opt/edge/tls/ca.pem"},
	},
	{
		ID: "bootstrap-tls-material-invalid", Title: "Key and certificate in the bootstrap do not fit", Parent: "bootstrap-rejected", Side: Platform, Severity: Error, Seen: InEvents,
		Meaning:  "A private key, certificate chain or trust bundle that the bootstrap names could not be loaded: it is no PEM, or key and certificate are not a pair, or the chain is missing.",
		Evidence: "Failed to load private key, certificate chain, trusted CA certificates or incomplete certificate; KEY_VALUES_MISMATCH names a pair that does not belong together",
		Rivals: []Rival{
			{"bootstrap-missing-file", "the file is absent: since 1.40 a missing certificate is reported as an incomplete one"},
			{"sds-rejected-bad-key", "the text stands behind a rejected Secret"},
		},
		Checks:   []string{firstLines, "kubectl exec -n {namespace} {pod} -c istio-proxy -- ls -l /etc/certs"},
		Remedy:   "Compare the public keys of key and certificate, put the whole chain in one PEM file, and remove a passphrase.",
		Docs:     []string{"https://www.envoyproxy.io/docs/envoy/latest/intro/arch_overview/security/ssl"},
		Examples: []string{startLog + "error `Failed to load private key from /opt/edge/tls/tls.key, Cause: error:0b000074:X.509 certificate routines:OPENSSL_internal:KEY_VALUES_MISMATCH` initializing config 'goo.gle/debugstr "},
	},
	{
		ID: "bootstrap-deprecated-v2", Title: "Bootstrap uses the removed v2 API", Parent: "bootstrap-rejected", Side: Platform, Severity: Error, Seen: InEvents,
		Meaning:  "The bootstrap is written for the v2 API, which Envoy refuses since 1.17 and no longer knows since 1.18.",
		Evidence: "v2 xDS major version is deprecated, or an unknown type whose name begins with envoy.api.v2 or envoy.config.filter",
		Rivals:   []Rival{{"bootstrap-unknown-extension", "the type's name is not one of v2"}, {"lds-rejected-deprecated-v2", "the text stands behind rejected"}},
		Checks:   []string{firstLines, overrideCheck},
		Remedy:   "Write the file for v3: names under envoy.extensions, typed_config everywhere, and transport_api_version: V3.",
		Versions: "Envoy 1.17 and later",
		Docs:     []string{v3Page},
		Examples: []string{startLog + "error initializing configuration '/opt/edge/envoy.yaml': The v2 xDS major version is deprecated and disabled by default. Support for v2 will be removed from Envoy at the start of Q1 2021. (envoy.config.filter.http.router.v2.Router)"},
	},
	{
		ID: "bootstrap-deprecated-cluster-names", Title: "gRPC API source still uses the old cluster_names field", Parent: "bootstrap-rejected", Side: Platform, Severity: Error, Seen: InEvents,
		Meaning:  "An API source of type GRPC lists cluster_names, which is only for REST; gRPC names its cluster under grpc_services.",
		Evidence: "GRPC must not have a cluster name specified",
		Rivals:   []Rival{{"bootstrap-deprecated-v2", "the whole file or a type is v2"}},
		Checks:   []string{firstLines, overrideCheck},
		Remedy:   "Replace cluster_names by grpc_services with envoy_grpc and its cluster_name.",
		Docs:     []string{"https://www.envoyproxy.io/docs/envoy/latest/api-v3/config/core/v3/config_source.proto"},
		Examples: []string{startLog + "error initializing configuration '/opt/edge/envoy.yaml': envoy::config::core::v3::ApiConfigSource::GRPC must not have a cluster name specified: api_type: GRPC"},
	},
	{
		ID: "bootstrap-unknown-extension", Title: "Bootstrap names an extension this binary lacks", Parent: "bootstrap-rejected", Side: Platform, Severity: Error, Seen: InEvents,
		Meaning:  "A filter, socket or other extension in the bootstrap is not compiled into this build, or its type URL is misspelt.",
		Evidence: "Didn't find a registered implementation, or could not find @type",
		Rivals: []Rival{
			{"bootstrap-deprecated-v2", "the type belongs to the removed v2 API"},
			{"lds-rejected-unknown-extension", "the text stands behind rejected"},
			{"config-validate-failed", "the name ends with .validation: the validation mode itself lacks a part"},
			{"bootstrap-invalid-proto", "the type is known, and a field of it is not"},
		},
		Checks:   []string{firstLines, "kubectl get pod -n {namespace} {pod} -o jsonpath='{.spec.containers[*].image}'"},
		Remedy:   "Use a build that has the extension, such as the contrib image or Istio's proxy, or remove it.",
		Docs:     []string{"https://www.envoyproxy.io/docs/envoy/latest/extending/extending", cliPage},
		Examples: []string{validateLog + "error initializing configuration '/opt/edge/envoy.yaml': Didn't find a registered implementation for 'till.audit' with type URL: 'till.envoy.AuditConfig'"},
	},
	{
		ID: "bootstrap-port-in-use", Title: "A port of the bootstrap is already taken", Parent: "bootstrap-rejected", Side: Platform, Severity: Error, Seen: InEvents,
		Meaning:  "A static listener or the admin interface could not bind its port: another process in the same network namespace has it, often a second or not yet ended Envoy.",
		Evidence: "cannot bind, Address already in use, behind initializing config",
		Rivals:   []Rival{{"lds-rejected-port-in-use", "the text stands behind rejected, and the proxy lives"}},
		Checks:   []string{firstLines, "kubectl exec -n {namespace} {pod} -c istio-proxy -- ss -ltnp"},
		Remedy:   "Free the port or choose another; with hostNetwork every pod of the node shares the ports. Validation does not find this.",
		Docs:     []string{"https://istio.io/latest/docs/ops/deployment/application-requirements/", cliPage},
		Examples: []string{startLog + "error initializing config '  etc/istio/proxy/envoy-rev.json': cannot bind '127.0.0.1:15000': Address already in use"},
	},
	{
		ID: "privileged-port-bind", Title: "Proxy may not bind a port below 1024", Side: Platform, Severity: Error, Seen: InEvents,
		Meaning:  "The proxy runs as an ordinary user, and the kernel does not let it listen on a privileged port.",
		Evidence: "cannot bind, Permission denied",
		Rivals:   []Rival{{"bootstrap-port-in-use", "the text says Address already in use"}},
		Checks:   []string{"kubectl get pod -n {namespace} {pod} -o jsonpath='{.spec.containers[*].securityContext}'", "kubectl get service -n {namespace} {service} -o yaml"},
		Remedy:   "Let the Service map its port to a targetPort above 1024, or give the container NET_BIND_SERVICE or the sysctl net.ipv4.ip_unprivileged_port_start.",
		Docs:     []string{meshPage},
		Examples: []string{"2026-05-11T06:22:03.090447Z\terror\tenvoy config external/envoy/source/common/listener_manager/listener_manager_impl.cc:1405\tlistener '0.0.0.0_443' failed to bind or apply socket options: cannot bind '0.0.0.0:443': Permission denied\tthread=21"},
	},
	{
		ID: "bootstrap-port-permission-denied", Title: "Bootstrap listener may not bind its privileged port", Parent: "privileged-port-bind", Side: Platform, Severity: Error, Seen: InEvents,
		Meaning:  "A static listener asks for a port below 1024, the proxy's user may not have it, and the proxy ended.",
		Evidence: "cannot bind, Permission denied, behind initializing config",
		Rivals:   []Rival{{"lds-rejected-port-permission-denied", "the text stands behind rejected, and the proxy lives"}},
		Checks:   []string{firstLines, "kubectl get pod -n {namespace} {pod} -o jsonpath='{.spec.containers[*].securityContext}'"},
		Remedy:   "Let the listener use a port above 1024, or grant NET_BIND_SERVICE.",
		Docs:     []string{meshPage, bootstrapPage},
		Examples: []string{startLog + "error initializing configuration '/opt/edge/envoy.yaml': cannot bind '0.0.0.0:443': Permission denied"},
	},
	{
		ID: "config-validate-failed", Title: "Validation mode itself fails", Parent: "bootstrap-rejected", Side: Platform, Severity: Error, Seen: InEvents,
		Meaning:  "envoy --mode validate came upon something that its validation server does not have; the file may be fine.",
		Evidence: "the source is config_validation and the text names an implementation ending with .validation, or says not implemented",
		Rivals:   []Rival{{"bootstrap-unknown-extension", "the extension is one that the file names"}},
		Checks:   []string{"envoy --version", "envoy --mode validate -c /etc/envoy/envoy.yaml"},
		Remedy:   "Validate with the binary and options that the proxy runs with; builds that replaced the listener manager need its validating twin.",
		Docs:     []string{cliPage},
		Examples: []string{validateLog + "error initializing configuration '/opt/edge/envoy.yaml': Didn't find a registered implementation for name: 'envoy.listener_manager_impl.validation'"},
	},
	{
		ID: "hot-restart-base-id-conflict", Title: "Another Envoy uses the same base id", Parent: "bootstrap-rejected", Side: Platform, Severity: Error, Seen: InEvents,
		Meaning:  "Two Envoys on one host or in one pod share the base id, and with it the socket that they would talk over at a hot restart.",
		Evidence: "unable to bind domain socket with base_id and id, see --base-id option",
		Rivals:   []Rival{{"hot-restart-parent-not-ready", "the new process was meant to take over, and the old one did not answer"}},
		Checks:   []string{firstLines, "kubectl exec -n {namespace} {pod} -c istio-proxy -- ps -ef"},
		Remedy:   "Start each with its own --base-id, with --use-dynamic-base-id, or with --disable-hot-restart.",
		Versions: "1.40 prints the base id multiplied by ten",
		Docs:     []string{restartPage, cliPage},
		Examples: []string{"unable to bind domain socket with base_id=30, id=0, errno=98 (see --base-id option)"},
	},
	{
		ID: "hot-restart-parent-not-ready", Title: "Hot restart failed: old process gone or still starting", Parent: "bootstrap-rejected", Side: Platform, Severity: Error, Seen: InEvents,
		Meaning:  "A process with a restart epoch above 0 looked for its predecessor, which had ended or was not ready to hand over.",
		Evidence: "hot restart sendmsg() failed or was refused, cannot open shared memory region, or previous envoy process is still initializing",
		Rivals:   []Rival{{"hot-restart-base-id-conflict", "both processes have epoch 0"}, {"envoy-assert-failure", "the assertion has nothing to do with a hot restart"}},
		Checks:   []string{firstLines, "kubectl exec -n {namespace} {pod} -c istio-proxy -- ps -ef"},
		Remedy:   "Begin again with --restart-epoch 0; let the supervisor wait for the old process before it starts the next one.",
		Docs:     []string{restartPage},
		Examples: []string{"[2026-05-11 06:20:31.417][52][critical][assert] [source/server/hot_restart_impl.cc:44] panic: cannot open shared memory region /envoy_shared_memory_30 check user permissions. Error: No such file or directory"},
	},
	{
		ID: "envoy-not-running", Title: "Admin port refuses: Envoy is not running", Side: Platform, Severity: Error, Seen: InEvents,
		Meaning:  "The agent asked Envoy's admin port on the loopback address, and nothing listened there: Envoy has not come up or has ended.",
		Evidence: "Envoy proxy is NOT ready, and connection refused on 127.0.0.1:15000; or server is terminated",
		Rivals: []Rival{
			{"bootstrap-rejected", "a line of level critical in front of it gives the reason"},
			{"envoy-exited", "Envoy exited with error stands in front of it"},
		},
		Checks:   []string{firstLines, "kubectl describe pod -n {namespace} {pod}"},
		Remedy:   "Look for the reason in the lines in front: a refused bootstrap, a crash, or the memory limit. Once at the start it is normal.",
		Docs:     []string{proxyPage, "https://istio.io/latest/docs/ops/deployment/application-requirements/"},
		Examples: []string{agentLog + "Envoy proxy is NOT ready: failed to get readiness stats: Get \"http://127.0.0.1:15000/stats?usedonly\": dial tcp 127.0.0.1:15000: connect: connection refused"},
	},
	{
		ID: "unknown-grpc-cluster-crash", Title: "Filter names a missing gRPC cluster; old Envoy crashes", Parent: "envoy-exited", Side: Platform, Severity: Error, Seen: InEvents,
		Meaning:  "A filter such as ext_authz names a gRPC cluster that does not exist. Old versions find out with the first request, throw, and end; newer ones refuse the listener or count the call as failed.",
		Evidence: "uncaught exception with Unknown gRPC client cluster",
		Rivals:   []Rival{{"bootstrap-unknown-cluster", "the text stands behind initializing config, before any request"}},
		Checks:   []string{firstLines, filters},
		Remedy:   "Define the cluster or correct the name in the filter, and run a version that is still maintained.",
		Versions: "Envoy before 1.8",
		Docs:     []string{"https://www.envoyproxy.io/docs/envoy/latest/api-v3/config/core/v3/grpc_service.proto"},
		Examples: []string{"libc++abi: terminating with uncaught exception of type Envoy::EnvoyException: Unknown gRPC client cluster 'authz_pool'"},
	},
}

// Where a text stands: at the start, or anywhere that has no level, because
// Envoy prints the reason of its end once more, alone.
const (
	atStart   = "emitter:envoy,envoy-validate !level:trace,debug,info,warning,error "
	oldTypes  = "message:xds_major_version_is_deprecated,v2_and_auto_xds,unknown_type_envoy_api_v2,unknown_type_envoy_config_filter,could_not_find_type_type_googleapis_com_envoy_api_v2,could_not_find_type_type_googleapis_com_envoy_config_filter"
	unloaded  = "message:failed_to_load_private_key,failed_to_load_certificate_chain,failed_to_load_trusted_ca,failed_to_load_incomplete_certificate,failed_to_load_crl,failed_to_load_pkcs12,key_values_mismatch"
	unknown   = "message:didn_t_find_a_registered_implementation,could_not_find_type,invalid_type_url_unknown_type"
	unfit     = "message:unable_to_parse_json_as_proto,has_unknown_fields,no_such_field,cannot_find_field,proto_constraint_validation_failed,embedded_message_failed_validation,unable_to_parse_file,unable_to_unpack_as"
	noCluster = "message:unknown_grpc_client_cluster,statically_defined"
	twoHosts  = "message:only_unique_values_for_domains,duplicate_entry_of_domain,only_a_single_wildcard_domain"
)

var bootstrapRules = []Rule{
	{"emitter:envoy message:unknown_grpc_client_cluster message:uncaught,terminate,terminating", "unknown-grpc-cluster-crash", "", High},
	{atStart + "message:must_not_have_a_cluster_name_specified", "bootstrap-deprecated-cluster-names", "", High},
	{atStart + oldTypes, "bootstrap-deprecated-v2", "", High},
	{atStart + noCluster, "bootstrap-unknown-cluster", "", High},
	{atStart + "message:unknown_cluster,unknown_weighted_cluster,unknown_shadow_cluster", "bootstrap-static-route-unknown-cluster", "", High},
	{atStart + "message:cannot_bind message:address_already_in_use", "bootstrap-port-in-use", "", High},
	{atStart + "message:cannot_bind message:permission_denied message:initializing_configuration,initializing_config", "bootstrap-port-permission-denied", "", High},
	{"emitter:envoy message:cannot_bind message:permission_denied", "privileged-port-bind", "", High},
	{atStart + "message:malformed_ip_address", "bootstrap-malformed-address", "", High},
	{atStart + "message:incomplete_certificate", "bootstrap-tls-material-invalid", "bootstrap-missing-file", Medium},
	{atStart + unloaded, "bootstrap-tls-material-invalid", "", High},
	{"emitter:envoy message:unable_to_bind_domain_socket", "hot-restart-base-id-conflict", "", High},
	{"emitter:envoy message:hot_restart_sendmsg,cannot_open_shared_memory_region,previous_envoy_process_is_still_initializing", "hot-restart-parent-not-ready", "", High},
	{atStart + "message:invalid_path,unable_to_read_file", "bootstrap-missing-file", "", High},
	{"emitter:envoy-validate message:not_implemented", "config-validate-failed", "", High},
	{atStart + "message:listener_manager_impl_validation", "config-validate-failed", "", High},
	{atStart + unknown, "bootstrap-unknown-extension", "bootstrap-invalid-proto", High},
	{atStart + "message:unable_to_convert_yaml_as_json,yaml_cpp", "bootstrap-invalid-yaml", "", High},
	{atStart + "message:unexpected_end_of_string,unexpected_end_of_stream,after_array_value,between_key_value_pair,after_key_value_pair,closing_quote_expected", "bootstrap-invalid-yaml", "bootstrap-invalid-proto", Medium},
	{atStart + "message:is_missing_in,value_is_required,value_length_must_be_at_least,value_must_contain_at_least,id_and_cluster_are_required", "bootstrap-missing-field", "bootstrap-invalid-proto", High},
	{atStart + "message:unexpected_character", "bootstrap-invalid-proto", "bootstrap-invalid-yaml", Medium},
	{atStart + unfit, "bootstrap-invalid-proto", "bootstrap-missing-field", High},
	{"emitter:envoy message:unable_to_initialize_config_as_v2", "bootstrap-invalid-proto", "", Medium},
	{atStart + twoHosts, "bootstrap-rejected", "rds-rejected-duplicate-domain", Medium},
	{atStart + "message:initializing_configuration,initializing_config,error_initializing,invalid_log_level_specified", "bootstrap-rejected", "", High},
	{atStart + "message:terminal_filter_named,cannot_bind", "bootstrap-rejected", "config-rejected", Medium},
	{"emitter:pilot-agent message:failed_to_generate_bootstrap_config", "bootstrap-rejected", "", High},
	{"emitter:pilot-agent message:proxy_is_not_ready message:readiness_stats,retrieving_envoy_stats,server_is_terminated,connection_refused", "envoy-not-running", "bootstrap-rejected envoy-exited", Medium},
}
