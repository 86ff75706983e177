package classify

// limitCauses are answers that a filter gives on purpose: limits, faults,
// health checks, checked headers.
var limitCauses = []Cause{
	{
		ID: "rate-limited-local", Title: "Local rate limit reached", Side: Client, Severity: Warning,
		Meaning:  "The rate limit inside this proxy (a token bucket) is used up, so it turned the request or connection away. It counts for this one proxy only.",
		Evidence: "flag RL, details local_rate_limited, code 429 unless configured; TCP: URX without UF",
		Rivals: []Rival{
			{"rate-limited-global", "no details are logged and the limit is one of a rate limit service"},
			{"retries-exhausted", "TCP: the attempts to connect were used up; no bytes came"},
			{"extension-answered", "the details are words of an extension"},
		},
		Checks: []string{
			filters + " | grep -E '^NS|ratelimit'",
			"kubectl exec -n {namespace} {pod} -c istio-proxy -- pilot-agent request GET stats | grep rate_limit",
		},
		Remedy: "Raise the bucket if this is good traffic, add replicas, or slow the client down.",
		Docs:   []string{"https://istio.io/latest/docs/tasks/policy-enforcement/rate-limit/"},
		Examples: []string{
			`[2026-04-02T08:15:30.101Z] "GET /cart HTTP/1.1" 429 RL local_rate_limited - "-" 0 18 0 - "-" "curl/8.6.0" "5f0b1d5e-8c11-4f43-9b57-0d8b7a1c2e01" "cart.shop:7070" "-" inbound|7070|| - 10.60.2.14:7070 10.60.1.9:41822 outbound_.7070_._.cart.shop.svc.cluster.local default`,
		},
	},
	{
		ID: "rate-limited-global", Title: "Global rate limit reached", Side: Client, Severity: Warning,
		Meaning:  "The rate limit service said that this caller is over its limit.",
		Evidence: "flag RL, details request_rate_limited or rate_limited_by_quota, code 429 unless configured",
		Rivals:   []Rival{{"rate-limited-local", "no details are logged and the limit is one inside the proxy"}},
		Checks: []string{
			filters + " | grep -E '^NS|ratelimit'",
			"kubectl get pods -A -l app=ratelimit",
		},
		Remedy: "Raise the limit of this descriptor in the rate limit service's configuration, or slow the client down.",
		Docs:   []string{"https://istio.io/latest/docs/tasks/policy-enforcement/rate-limit/"},
		Examples: []string{
			`[2026-04-02T08:15:30.101Z] "GET /cart HTTP/1.1" 429 RL request_rate_limited - "-" 0 0 3 - "-" "curl/8.6.0" "5f0b1d5e-8c11-4f43-9b57-0d8b7a1c2e01" "cart.shop:7070" "-" outbound|7070||cart.shop.svc.cluster.local - 10.60.40.7:7070 10.60.1.9:41822 - default`,
		},
	},
	{
		ID: "rate-limit-service-error", Title: "Rate limit service failed and failures are denied", Side: Platform, Severity: Error,
		Meaning:  "The rate limit service could not be asked, and the filter is told to deny in that case (failure_mode_deny).",
		Evidence: "flag RLSE, details rate_limiter_error, code 500 unless configured",
		Rivals:   []Rival{{"rate-limited-global", "the details say request_rate_limited: the service did answer"}},
		Checks: []string{
			"kubectl get pods,services,endpointslices -A -l app=ratelimit",
			"istioctl proxy-config clusters {pod} -n {namespace} | grep -i rate",
		},
		Remedy: "Bring the rate limit service back (pods, Service, its cluster in the EnvoyFilter, timeout), or let requests pass while it is away.",
		Docs:   []string{"https://istio.io/latest/docs/tasks/policy-enforcement/rate-limit/"},
		Examples: []string{
			`[2026-04-02T08:15:30.101Z] "GET /cart HTTP/1.1" 500 RLSE rate_limiter_error - "-" 0 0 22 - "-" "curl/8.6.0" "5f0b1d5e-8c11-4f43-9b57-0d8b7a1c2e01" "cart.shop:7070" "-" outbound|7070||cart.shop.svc.cluster.local - 10.60.40.7:7070 10.60.1.9:41822 - default`,
		},
	},
	{
		ID: "overload-manager", Title: "Proxy protects itself from overload", Side: Platform, Severity: Error,
		Meaning:  "This proxy protects itself: its memory, or another resource that its overload manager watches, is near the limit, so it refuses or resets requests.",
		Evidence: "details overload (503 without a flag, 500 with DPE), flag OM, overload_error",
		Rivals: []Rival{
			{"load-shed", "a concurrency or admission filter answered: the details name it"},
			{"circuit-breaker-overflow", "flag UO with {overflow}: a limit of one upstream"},
			{"malformed-request", "code 500 with DPE is the proxy's; the client's faults are 400"},
		},
		Checks: []string{
			"kubectl top pod {pod} -n {namespace} --containers",
			"kubectl exec -n {namespace} {pod} -c istio-proxy -- pilot-agent request GET stats | grep overload",
		},
		Remedy: "Give the proxy more memory or more replicas; look for requests with large bodies or very many open streams.",
		Docs:   []string{"https://www.envoyproxy.io/docs/envoy/latest/configuration/operations/overload_manager/overload_manager"},
		Examples: []string{
			`[2026-04-02T08:15:30.101Z] "GET /cart HTTP/1.1" 503 - overload - "-" 0 16 0 - "-" "curl/8.6.0" "5f0b1d5e-8c11-4f43-9b57-0d8b7a1c2e01" "cart.shop:7070" "-" - - 10.60.40.7:7070 10.60.1.9:41822 - -`,
			`[2026-04-02T08:15:30.101Z] "GET /cart HTTP/1.1" 200 OM overload - "-" 0 9000 40 3 "-" "curl/8.6.0" "5f0b1d5e-8c11-4f43-9b57-0d8b7a1c2e01" "cart.shop:7070" "10.60.2.14:7070" outbound|7070||cart.shop.svc.cluster.local 10.60.1.9:52010 10.60.40.7:7070 10.60.1.9:41822 - default`,
		},
	},
	{
		ID: "load-shed", Title: "Concurrency or admission filter turned the request away", Side: ClientProxy, Severity: Error,
		Meaning:  "A filter sheds load on purpose: adaptive concurrency found the upstream too slow, admission control saw too many errors, or the limit of connections was reached.",
		Evidence: "503 with reached_concurrency_limit or denied_by_admission_control; over_connection_limit",
		Rivals: []Rival{
			{"overload-manager", "the details are overload: the whole proxy is short of memory"},
			{"circuit-breaker-overflow", "flag UO with {overflow}"},
		},
		Checks: []string{
			`istioctl proxy-config listeners {pod} -n {namespace} -o json | grep -E "adaptive_concurrency|admission_control|connection_limit"`,
			"kubectl top pods -n {namespace}",
		},
		Remedy: "Find out why the upstream became slow or fails; add replicas. Raise the filter's limit only if the upstream has room.",
		Docs:   []string{"https://www.envoyproxy.io/docs/envoy/latest/configuration/http/http_filters/adaptive_concurrency_filter", "https://www.envoyproxy.io/docs/envoy/latest/configuration/http/http_filters/admission_control_filter"},
		Examples: []string{
			`[2026-04-02T08:15:30.101Z] "GET /cart HTTP/1.1" 503 - reached_concurrency_limit - "-" 0 0 0 - "-" "curl/8.6.0" "5f0b1d5e-8c11-4f43-9b57-0d8b7a1c2e01" "cart.shop:7070" "-" outbound|7070||cart.shop.svc.cluster.local - 10.60.40.7:7070 10.60.1.9:41822 - default`,
			`[2026-04-02T08:15:30.101Z] "GET /cart HTTP/1.1" 503 - denied_by_admission_control - "-" 0 0 0 - "-" "curl/8.6.0" "5f0b1d5e-8c11-4f43-9b57-0d8b7a1c2e01" "cart.shop:7070" "-" outbound|7070||cart.shop.svc.cluster.local - 10.60.40.7:7070 10.60.1.9:41822 - default`,
		},
	},
	{
		ID: "drop-overload", Title: "Control plane told the proxy to drop a share", Side: ControlPlane, Severity: Warning,
		Meaning:  "The control plane told the proxies to drop a share of the requests to this cluster (or all of them), to spare it.",
		Evidence: "flag DO or UDO, details drop_overload or unconditional_drop_overload",
		Rivals:   []Rival{{"circuit-breaker-overflow", "flag UO: a limit of the proxy itself"}},
		Checks: []string{
			`istioctl proxy-config endpoints {pod} -n {namespace} --cluster "{cluster}" -o json | grep -i drop`,
			"istioctl proxy-status",
		},
		Remedy:   "Ask the owner of the control plane why it sends drop_overloads for this cluster.",
		Versions: "DO: Envoy 1.29 and later; UDO: 1.34 and later.",
		Docs:     []string{"https://www.envoyproxy.io/docs/envoy/latest/configuration/observability/access_log/usage#response-flags", "https://www.envoyproxy.io/docs/envoy/latest/api-v3/config/endpoint/v3/endpoint.proto"},
		Examples: []string{
			`[2026-04-02T08:15:30.101Z] "GET /cart HTTP/1.1" 503 DO drop_overload - "-" 0 0 0 - "-" "curl/8.6.0" "5f0b1d5e-8c11-4f43-9b57-0d8b7a1c2e01" "cart.shop:7070" "-" outbound|7070||cart.shop.svc.cluster.local - 10.60.40.7:7070 10.60.1.9:41822 - default`,
			`[2026-04-02T08:15:30.101Z] "GET /cart HTTP/1.1" 503 UDO unconditional_drop_overload - "-" 0 0 0 - "-" "curl/8.6.0" "5f0b1d5e-8c11-4f43-9b57-0d8b7a1c2e01" "cart.shop:7070" "-" outbound|7070||cart.shop.svc.cluster.local - 10.60.40.7:7070 10.60.1.9:41822 - default`,
		},
	},
	{
		ID: "fault-abort", Title: "Fault injection aborted the request on purpose", Side: ClientProxy, Severity: Warning,
		Meaning:  "Fault injection answered with an error on purpose: somebody tests, or forgot to take the test away. Retries and timeouts of the same VirtualService do not apply to injected faults.",
		Evidence: "flag FI, details fault_filter_abort, the configured code",
		Rivals:   []Rival{{"fault-delay", "flag DI alone: only delayed"}},
		Checks: []string{
			faults,
			filters + " | grep -E '^NS|fault'",
		},
		Remedy: "Delete the fault from the VirtualService (or end the chaos experiment).",
		Docs:   []string{"https://istio.io/latest/docs/tasks/traffic-management/fault-injection/", "https://istio.io/latest/docs/ops/common-problems/network-issues/"},
		Examples: []string{
			`[2026-04-02T08:15:30.101Z] "GET /cart HTTP/1.1" 500 FI fault_filter_abort - "-" 0 18 0 - "-" "curl/8.6.0" "5f0b1d5e-8c11-4f43-9b57-0d8b7a1c2e01" "cart.shop:7070" "-" outbound|7070||cart.shop.svc.cluster.local - 10.60.40.7:7070 10.60.1.9:41822 - default`,
			`[2026-04-02T08:15:30.101Z] "POST /shop.Cart/Add HTTP/2" 200 DI,FI fault_filter_abort - "-" 0 0 2001 - "-" "curl/8.6.0" "5f0b1d5e-8c11-4f43-9b57-0d8b7a1c2e01" "cart.shop:7070" "-" outbound|7070||cart.shop.svc.cluster.local - 10.60.40.7:7070 10.60.1.9:41822 - default`,
		},
	},
	{
		ID: "fault-delay", Title: "Fault injection delayed the request on purpose", Side: ClientProxy, Severity: Info,
		Meaning:  "Fault injection delayed the request on purpose. The request then went on and was not harmed by it.",
		Evidence: "flag DI beside a good answer",
		Rivals:   []Rival{{"fault-abort", "flag FI is there too"}},
		Checks: []string{
			faults,
		},
		Remedy: "Delete the fault from the VirtualService when the test is over.",
		Docs:   []string{"https://istio.io/latest/docs/tasks/traffic-management/fault-injection/"},
		Examples: []string{
			`[2026-04-02T08:15:30.101Z] "GET /cart HTTP/1.1" 200 DI via_upstream - "-" 0 512 2009 8 "-" "curl/8.6.0" "5f0b1d5e-8c11-4f43-9b57-0d8b7a1c2e01" "cart.shop:7070" "10.60.2.14:7070" outbound|7070||cart.shop.svc.cluster.local 10.60.1.9:52010 10.60.40.7:7070 10.60.1.9:41822 - default`,
		},
	},
	{
		ID: "extension-not-loaded", Title: "Filter has no configuration or its module failed to load", Side: ControlPlane, Severity: Error,
		Meaning:  "A filter that the control plane announced never got its configuration, or a Wasm module failed to load. The proxy fails every request that would pass it.",
		Evidence: "flag NFCF with code 500 and empty details, or 503 with wasm_fail_stream",
		Rivals: []Rival{
			{"extension-answered", "the module runs and answered itself"},
			{"lds-rejected-wasm-load", "the proxy refused the whole listener: its log names the module"},
		},
		Checks: []string{
			`kubectl logs -n {namespace} {pod} -c istio-proxy | grep -iE "wasm|ecds|fail closed"`,
			"kubectl get wasmplugins,envoyfilters -A",
			"istioctl proxy-config ecds {pod} -n {namespace}",
		},
		Remedy: "Repair the image address, pull secret or checksum of the WasmPlugin; or set failStrategy FAIL_OPEN until it loads.",
		Docs:   []string{"https://istio.io/latest/docs/tasks/extensibility/wasm-module-distribution/", "https://www.envoyproxy.io/docs/envoy/latest/configuration/observability/access_log/usage#response-flags"},
		Examples: []string{
			`[2026-04-02T08:15:30.101Z] "GET /cart HTTP/1.1" 500 NFCF  - "-" 0 0 0 - "-" "curl/8.6.0" "5f0b1d5e-8c11-4f43-9b57-0d8b7a1c2e01" "cart.shop:7070" "-" outbound|7070||cart.shop.svc.cluster.local - 10.60.40.7:7070 10.60.1.9:41822 - default`,
			`[2026-04-02T08:15:30.101Z] "GET /cart HTTP/1.1" 503 - wasm_fail_stream - "-" 0 0 0 - "-" "curl/8.6.0" "5f0b1d5e-8c11-4f43-9b57-0d8b7a1c2e01" "cart.shop:7070" "-" inbound|7070|| - 10.60.2.14:7070 10.60.1.9:41822 outbound_.7070_._.cart.shop.svc.cluster.local default`,
		},
	},
	{
		ID: "health-check-failed", Title: "Health-check filter was told to answer failed", Side: ServerProxy, Severity: Warning,
		Meaning:  `The proxy's own health check filter answered "not healthy": the proxy is draining, was told to fail, or too few hosts of a named cluster are healthy. It is meant for the load balancer that asks.`,
		Evidence: "flag LH, details health_check_failed...",
		Rivals:   []Rival{{"draining", "the pod is shutting down: wanted"}},
		Checks: []string{
			"kubectl get pod {pod} -n {namespace} -o wide",
			"kubectl exec -n {namespace} {pod} -c istio-proxy -- pilot-agent request GET server_info",
		},
		Remedy: "If the pod should serve, undo /healthcheck/fail on its admin port, or bring back the hosts of the cluster that the details name.",
		Docs:   []string{"https://www.envoyproxy.io/docs/envoy/latest/configuration/http/http_filters/health_check_filter"},
		Examples: []string{
			`[2026-04-02T08:15:30.101Z] "GET /healthz HTTP/1.1" 503 LH health_check_failed - "-" 0 0 0 - "-" "curl/8.6.0" "5f0b1d5e-8c11-4f43-9b57-0d8b7a1c2e01" "cart.shop:7070" "-" - - 10.60.40.7:7070 10.60.1.9:41822 - -`,
		},
	},
	{
		ID: "strict-header-invalid", Title: "Invalid x-envoy header refused by strict checking", Side: Client, Severity: Warning,
		Meaning:  "The client sent an x-envoy-* header with a value that this proxy is told to check strictly and does not accept.",
		Evidence: "400 with IH and request_headers_failed_strict_check; the braces name the header",
		Rivals:   []Rival{{"malformed-request", "flag DPE: the request itself is broken"}},
		Checks: []string{
			"kubectl logs -n {namespace} {pod} -c istio-proxy --since=15m | grep strict_check",
			"curl -sv http://{authority}/ -o /dev/null",
		},
		Remedy: "Correct or drop the named header in the client; at the edge, remove x-envoy-* headers of strangers.",
		Docs:   []string{"https://www.envoyproxy.io/docs/envoy/latest/configuration/http/http_filters/router_filter"},
		Examples: []string{
			`[2026-04-02T08:15:30.101Z] "GET /cart HTTP/1.1" 400 IH request_headers_failed_strict_check{x-envoy-max-retries} - "-" 0 0 0 - "-" "curl/8.6.0" "5f0b1d5e-8c11-4f43-9b57-0d8b7a1c2e01" "cart.shop:7070" "-" outbound|7070||cart.shop.svc.cluster.local - 10.60.40.7:7070 10.60.1.9:41822 - default`,
		},
	},
}

var limitRules = []Rule{
	{"details:^local_rate_limited,downstream_local_disconnect_local_ratelimit", "rate-limited-local", "", High},
	{"details:^request_rate_limited,^rate_limited_by_quota,downstream_local_disconnect_ratelimit_close_over_limit", "rate-limited-global", "", High},
	{"details:^rate_limiter_error,downstream_local_disconnect_ratelimit_error", "rate-limit-service-error", "", High},
	{"flag:RLSE", "rate-limit-service-error", "", Medium},
	{"flag:RL !details", "rate-limited-local", "rate-limited-global", Medium},
	{"flag:RL", "rate-limited-local", "rate-limited-global extension-answered", Low},

	{"details:^overload$,^overload_error,overload_manager_reset", "overload-manager", "", High},
	{"flag:OM", "overload-manager", "", High},
	{"details:^reached_concurrency_limit,^denied_by_admission_control,downstream_local_disconnect_over_connection_limit", "load-shed", "", High},
	{"details:^drop_overload,^unconditional_drop_overload", "drop-overload", "", High},
	{"flag:DO,UDO", "drop-overload", "", High},

	{"details:^fault_filter_abort", "fault-abort", "", High},
	{"flag:FI", "fault-abort", "", High},
	{"details:^wasm_fail_stream", "extension-not-loaded", "extension-answered", High},
	{"flag:NFCF", "extension-not-loaded", "", High},
	{"details:^health_check_failed", "health-check-failed", "draining", High},
	{"flag:LH", "health-check-failed", "draining", High},
	{"details:^request_headers_failed_strict_check", "strict-header-invalid", "", High},
	{"flag:IH", "strict-header-invalid", "", High},
}
