package classify

// remainingCauses are answers without a flag that names their cause.
var remainingCauses = []Cause{
	{
		ID: "app-error", Title: "Application answered with a server error", Parent: "upstream-5xx", Side: App, Severity: Error, Aliases: []string{"upstream-app-5xx"},
		Meaning:  "The application answered with a server error. The proxies only passed it on: nothing of the mesh failed.",
		Evidence: "a code from 500 on, or a gRPC server error, with via_upstream, on the inbound record of the workload",
		Rivals:   []Rival{{"unknown-origin", "the layout has no details: the service time is the only mark"}},
		Checks: []string{
			`kubectl logs -n {namespace} {pod} --all-containers --since=15m | grep -iE "error|exception|panic"`,
			"kubectl describe pod {pod} -n {namespace}",
		},
		Remedy: "Look into the application's own log for this request id and time.",
		Docs:   []string{"https://www.envoyproxy.io/docs/envoy/latest/configuration/http/http_conn_man/response_code_details"},
		Examples: []string{
			`[2026-04-02T08:15:30.101Z] "GET /cart HTTP/1.1" 500 - via_upstream - "-" 0 21 35 34 "-" "curl/8.6.0" "5f0b1d5e-8c11-4f43-9b57-0d8b7a1c2e01" "cart.shop:7070" "10.60.2.14:7070" inbound|7070|| 127.0.0.6:48711 10.60.2.14:7070 10.60.1.9:41822 outbound_.7070_._.cart.shop.svc.cluster.local default`,
			`{"start_time":"2026-04-02T08:15:30.101Z","method":"POST","path":"/shop.Cart/Add","protocol":"HTTP/2","response_code":200,"response_flags":"-","response_code_details":"via_upstream","grpc_status":13,"bytes_received":12,"bytes_sent":0,"duration":4,"upstream_service_time":"3","upstream_host":"10.60.2.14:7070","upstream_cluster":"inbound|7070||","downstream_local_address":"10.60.2.14:7070","downstream_remote_address":"10.60.1.9:41822"}`,
		},
	},
	{
		ID: "upstream-5xx", Title: "Next hop answered with a server error", Side: App, Severity: Error, Aliases: []string{"upstream-5xx-relayed", "upstream-grpc-error-relayed"},
		Meaning:  "The next hop answered with a server error, and this proxy passed it on. From here it can not be told whether the application said it, or a proxy in front of it.",
		Evidence: "a code from 500 on, or a gRPC server error, with via_upstream, on a record that is not inbound",
		Rivals: []Rival{
			{"app-error", "the inbound record of the same request id says via_upstream too: the application answered"},
			{"upstream-closed", "the inbound record carries UC: the application broke off"},
			{"upstream-refused", "the inbound record carries UF: the application does not listen"},
			{"unknown-origin", "the layout has no details, and no service time either"},
		},
		Checks: []string{
			"kubectl logs -n {upstream_namespace} {upstream_pod} -c istio-proxy --since=15m | grep -E '\" {code} |\":{code}'",
			"kubectl get pods -n {upstream_namespace} -o wide | grep -F {upstream_ip}",
			"kubectl logs -n {upstream_namespace} {upstream_pod} --all-containers --since=15m",
		},
		OnePod: "Other hosts of the service answer well, so look at the log and the version of this pod; to be rid of it at once delete it.",
		Remedy: "Give flagwatch the records of the upstream's proxy too: joined by request id they name the hop that failed first. Then look at that application's log.",
		Docs:   []string{"https://www.envoyproxy.io/docs/envoy/latest/configuration/http/http_conn_man/response_code_details"},
		Examples: []string{
			`[2026-04-02T08:15:30.101Z] "GET /cart HTTP/1.1" 503 - via_upstream - "-" 0 91 35 34 "-" "curl/8.6.0" "5f0b1d5e-8c11-4f43-9b57-0d8b7a1c2e01" "cart.shop:7070" "10.60.2.14:7070" outbound|7070||cart.shop.svc.cluster.local 10.60.1.9:52010 10.60.40.7:7070 10.60.1.9:41822 - default`,
		},
	},
	{
		ID: "unknown-origin", Title: "Error without flag or details: origin not logged", Side: ServerProxy, Severity: Warning,
		Meaning:  "The request failed, and the record has neither a flag nor details that say who answered. The layout is too short to tell.",
		Evidence: "an error code, or a gRPC error, without flag and details; the service time is missing",
		Rivals: []Rival{
			{"upstream-5xx", "a service time is logged: the upstream did answer"},
			{"extension-answered", "a filter of this proxy answered"},
			{"overload-manager", "code 503 and a body of 16 bytes"},
			{"no-endpoints", "code 503 and a body of 19 bytes"},
			{"upstream-connect-failed", "code 503 and no upstream connection; %RESPONSE_FLAGS% would say UF"},
			{"route-timeout", "code 504 at the same duration each time"},
			{"max-stream-duration", "code 504 with the column of flags empty, and details max_duration_timeout where they are logged"},
			{"upstream-protocol-error", "code 502 of this proxy; %RESPONSE_FLAGS% would say UPE"},
		},
		Checks: []string{
			"kubectl get configmap istio -n istio-system -o yaml | grep -A3 -i accessLogFormat",
			"kubectl get telemetries" + withFields + "LOGGING:.spec.accessLogging",
		},
		Remedy: "Log %RESPONSE_FLAGS% and %RESPONSE_CODE_DETAILS% (Istio's default format has both since 1.9); the next failure then names its cause.",
		Docs:   []string{"https://istio.io/latest/docs/tasks/observability/logs/access-log/", "https://www.envoyproxy.io/docs/envoy/latest/configuration/advanced/substitution_formatter"},
		Examples: []string{
			`[2026-04-02T08:15:30.101Z] "GET /cart HTTP/1.1" 503 - 0 69 4 - "10.60.1.9" "curl/8.6.0" "5f0b1d5e-8c11-4f43-9b57-0d8b7a1c2e01" "cart.shop:7070" "-"`,
		},
	},
	{
		ID: "unknown-flag", Title: "Response flag of an extension unknown to this tool", Side: ClientProxy, Severity: Warning,
		Meaning:  "The record carries a response flag that is no flag of Envoy. An extension that is built into this proxy registered it.",
		Evidence: "a word in the flags column that is in no list; the record keeps it",
		Rivals: []Rival{
			{"extension-answered", "the details tell more about the answer"},
			{"unknown-origin", "the column holds something else than flags"},
		},
		Checks: []string{
			"kubectl exec -n {namespace} {pod} -c istio-proxy -- pilot-agent request GET server_info",
			`istioctl proxy-config listeners {pod} -n {namespace} -o json | grep -E '"name": "envoy.filters|type_url'`,
		},
		Remedy:   "Ask the owner of the proxy's extensions what the flag means. With --rules a cause of your own can name it.",
		Versions: "Extensions may register flags since Envoy 1.30.",
		Docs:     []string{"https://www.envoyproxy.io/docs/envoy/latest/configuration/observability/access_log/usage#response-flags"},
		Examples: []string{
			`[2026-04-02T08:15:30.101Z] "GET /cart HTTP/1.1" 503 QUOTA - - "-" 0 0 2 - "-" "curl/8.6.0" "5f0b1d5e-8c11-4f43-9b57-0d8b7a1c2e01" "cart.shop:7070" "-" outbound|7070||cart.shop.svc.cluster.local - 10.60.40.7:7070 10.60.1.9:41822 - default`,
		},
	},
	{
		ID: "extension-answered", Title: "A filter or extension answered itself", Side: ClientProxy, Severity: Warning,
		Meaning:  "A filter of this proxy answered itself: login, Lua, Wasm, external processing, cache, CSRF, API keys, transcoding, a filter that removed a header that is needed. The details name the filter, or are its own words.",
		Evidence: "details that are not Envoy's own refusals, and no answer from upstream",
		Rivals: []Rival{
			{"unknown-flag", "a flag of that extension is logged too"},
			{"extension-not-loaded", "the filter did not load at all"},
			{"malformed-request", "the details are codec or header errors of the client"},
			{"downstream-closed-locally", "the proxy closed for a reason of its own, not an extension's"},
		},
		Checks: []string{
			`istioctl proxy-config listeners {pod} -n {namespace} -o json | grep -oE "envoy.filters.http[a-z_.]*" | sort | uniq -c`,
			"kubectl get envoyfilters,wasmplugins -A",
			"kubectl logs -n {namespace} {pod} -c istio-proxy --since=15m | grep -F {authority}",
		},
		Remedy: "Find the filter by the words of the details, and read its configuration and log. The answer is its decision, not the application's.",
		Docs:   []string{"https://www.envoyproxy.io/docs/envoy/latest/configuration/http/http_conn_man/response_code_details", "https://www.envoyproxy.io/docs/envoy/latest/faq/debugging/why_is_envoy_sending_internal_responses"},
		Examples: []string{
			`[2026-04-02T08:15:30.101Z] "GET /cart HTTP/1.1" 403 - csrf_origin_mismatch - "-" 0 0 0 - "-" "curl/8.6.0" "5f0b1d5e-8c11-4f43-9b57-0d8b7a1c2e01" "cart.shop:7070" "-" outbound|7070||cart.shop.svc.cluster.local - 10.60.40.7:7070 10.60.1.9:41822 - default`,
			`[2026-04-02T08:15:30.101Z] "GET /cart HTTP/1.1" 502 - filter_removed_required_response_headers{missing_required_header:_:status} - "-" 0 0 3 - "-" "curl/8.6.0" "5f0b1d5e-8c11-4f43-9b57-0d8b7a1c2e01" "cart.shop:7070" "-" outbound|7070||cart.shop.svc.cluster.local - 10.60.40.7:7070 10.60.1.9:41822 - default`,
			`[2026-04-02T08:15:30.101Z] "POST /chat HTTP/1.1" 500 - ext_proc_error_gRPC_error_14{upstream_connect_error_or_disconnect/reset_before_headers._reset_reason:_remote_connection_failure} - "-" 0 0 9 - "-" "curl/8.6.0" "5f0b1d5e-8c11-4f43-9b57-0d8b7a1c2e01" "cart.shop:7070" "-" outbound|7070||cart.shop.svc.cluster.local - 10.60.40.7:7070 10.60.1.9:41822 - default`,
		},
	},
}

var remainingRules = []Rule{
	// a flag of somebody else's extension
	{"flag:unknown details !details:^via_upstream$", "unknown-flag", "extension-answered", Medium},
	{"flag:unknown", "unknown-flag", "extension-answered unknown-origin", Medium},

	// answers that were passed on
	{"failed details:^via_upstream$,^cache_insert_via_upstream$ inbound", "app-error", "", High},
	{"failed details:^via_upstream$,^cache_insert_via_upstream$", "upstream-5xx", "app-error", Medium},

	// flags that are left
	{"flag:DC,DR failed", "client-disconnected", "", Low},
	{"flag:DI !failed", "fault-delay", "", High},

	// details that are left
	{"details:^upstream_reset_before_response_started$", "upstream-closed", "", Medium},
	{"details:^no_cluster_found$", "cluster-missing", "", High},

	// answers of filters
	{"failed details:^rejecting_because_detection_failed,^lua_response,^oauth,^oauth2,^csrf_origin_mismatch,^cors_response,^ext_proc_error,^wasm_close_stream,^grpc_base_64_decode_failed,^grpc_base_64_decode_failed_bad_size,^grpc_json,^early_grpc_json,^grpc_bridge,^grpc_field_extraction,^proto_message_extraction,^proto_api_scrubber,^cache,^mcp_filter,^reverse_tunnel", "extension-answered", "", High},
	{"failed details:basic_auth,missing_key_sources,missing_credentials,missing_api_key,unknown_api_key,unkonwn_api_key,client_not_allowed,failed_to_inject_credential,cdn_loop,no_checksum_for_path,checksum_but_no_body,mismatched_checksum,filter_added_invalid", "extension-answered", "", High},
	{"failed details", "extension-answered", "", Medium},

	// nobody says who answered
	{"failed service-time inbound", "app-error", "unknown-origin", Medium},
	{"failed service-time code:200-999", "upstream-5xx", "unknown-origin app-error", Medium},
	{"failed termination", "downstream-closed-locally", "", Low},
	{"failed flags-column code:503", "unknown-origin", "upstream-5xx overload-manager extension-answered", Low},
	{"failed flags-column code:504", "unknown-origin", "upstream-5xx max-stream-duration", Low},
	{"failed flags-column code:5xx", "unknown-origin", "upstream-5xx extension-answered", Low},
	{"failed code:503", "unknown-origin", "upstream-5xx upstream-connect-failed no-endpoints", Low},
	{"failed code:504", "unknown-origin", "upstream-5xx route-timeout", Low},
	{"failed code:502", "unknown-origin", "upstream-5xx upstream-protocol-error", Low},
	{"failed", "unknown-origin", "upstream-5xx extension-answered", Low},
}
