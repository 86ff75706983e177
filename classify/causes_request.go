package classify

// requestCauses are about what clients send.
var requestCauses = []Cause{
	{
		ID: "https-to-http-port", Title: "Client speaks TLS to a port treated as HTTP", Side: Client, Severity: Error,
		Meaning:  `The client started TLS on a port that this proxy reads as HTTP. A TLS hello is no HTTP request, so the proxy answered 400; curl reports "wrong version number". The usual case: an https:// URL to a port 443 that a ServiceEntry or Service declares as HTTP.`,
		Evidence: "400 with DPE and http1.codec_error, while method and path are empty",
		Rivals: []Rival{
			{"malformed-request", "the bytes are no TLS: the client calls with http://, or is a scanner"},
			{"tcp-on-http-named-port", "the record is inbound and its SNI begins with outbound_: TLS worked, what came inside was no HTTP"},
			{"h2c-on-http1-port", "the client speaks HTTP/2 without TLS"},
		},
		Checks: []string{
			externalHosts, "kubectl get service {service} -n {upstream_namespace} -o jsonpath='{.spec.ports}'",
			"istioctl proxy-config listeners {pod} -n {namespace} --port {port}",
			"curl -sv http://{authority}/ -o /dev/null",
		},
		Remedy: "Declare the port with protocol HTTPS (or TLS) so that the proxy passes the bytes through; or let the application call http:// and the proxy begin TLS.",
		Docs:   []string{"https://istio.io/latest/docs/ops/common-problems/network-issues/", "https://istio.io/latest/docs/ops/configuration/traffic-management/protocol-selection/"},
		Examples: []string{
			`[2026-04-02T08:15:30.101Z] "- - HTTP/1.1" 400 DPE http1.codec_error - "-" 0 11 0 - "-" "-" "-" "-" "-" - - 203.0.113.7:443 10.60.1.9:41822 - -`,
		},
	},
	{
		ID: "tcp-on-http-named-port", Title: "Other protocol on a port named or detected as HTTP", Side: Platform, Severity: Error,
		Meaning:  "The connection came through the mesh's mutual TLS, but what the application sent inside is no HTTP, although the port is named or detected as http or grpc. A database or message protocol on a wrongly named port looks like this.",
		Evidence: "inbound 400 with DPE and http1.codec_error, and a server name that begins with outbound_",
		Rivals: []Rival{
			{"https-to-http-port", "the application itself speaks TLS to the port"},
			{"client-disconnected", "the client left before it had sent a request"},
			{"malformed-request", "the port does carry HTTP, and only some requests are broken"},
		},
		Checks: []string{
			"kubectl get service {service} -n {upstream_namespace} -o jsonpath='{.spec.ports}'",
			"istioctl x describe pod {pod} -n {namespace}",
			"kubectl get services -n {namespace} -o wide",
		},
		Remedy: "Name the port after its protocol (tcp-, mysql-, mongo-, redis-) or set appProtocol; one target port must have one protocol in all Services.",
		Docs:   []string{"https://istio.io/latest/docs/ops/configuration/traffic-management/protocol-selection/"},
		Examples: []string{
			`[2026-04-02T08:15:30.101Z] "- - HTTP/1.1" 400 DPE http1.codec_error - "-" 0 11 0 - "-" "-" "5f0b1d5e-8c11-4f43-9b57-0d8b7a1c2e01" "-" "-" inbound|7070|| - 10.60.2.14:7070 10.60.1.9:41822 outbound_.7070_._.cart.shop.svc.cluster.local default`,
		},
	},
	{
		ID: "h2c-on-http1-port", Title: "HTTP/2 without TLS on an HTTP/1 port", Side: Client, Severity: Error,
		Meaning:  "The client began HTTP/2 without TLS and without asking (prior knowledge), as gRPC clients do, on a port that takes HTTP/1 only.",
		Evidence: "400 with DPE and http1.codec_error; the method PRI where it is logged",
		Rivals: []Rival{
			{"https-to-http-port", "the client speaks TLS"},
			{"malformed-request", "the bytes are no HTTP at all"},
		},
		Checks: []string{
			"kubectl get service {service} -n {upstream_namespace} -o jsonpath='{.spec.ports}'",
			"curl -sv --http2-prior-knowledge http://{authority}/ -o /dev/null",
		},
		Remedy: "Name the port grpc or http2 (or set appProtocol: kubernetes.io/h2c), or let the client speak HTTP/1.1.",
		Docs:   []string{"https://istio.io/latest/docs/ops/configuration/traffic-management/protocol-selection/"},
		Examples: []string{
			`[2026-04-02T08:15:30.101Z] "PRI * HTTP/2" 400 DPE http1.codec_error - "-" 0 11 0 - "-" "-" "5f0b1d5e-8c11-4f43-9b57-0d8b7a1c2e01" "-" "-" - - 10.60.40.7:7070 10.60.1.9:41822 - -`,
		},
	},
	{
		ID: "malformed-request", Title: "Client sent bytes that are no valid HTTP request", Side: Client, Severity: Warning, Aliases: []string{"downstream-protocol-error"},
		Meaning:  "What the client sent breaks the rules of HTTP: bad characters, two lengths, no Host, a path that can not be normalised. Often a scanner; sometimes a hand-made client, or an attempt to smuggle a request.",
		Evidence: "flag DPE with an http1.* detail, or missing_host_header, missing_path_rejected, absolute_path_rejected, path_normalization_failed",
		Rivals: []Rival{
			{"https-to-http-port", "nothing of a request was read, and every call of this client fails"},
			{"http2-downstream-violation", "the client speaks HTTP/2"},
			{"extension-answered", "a filter of the proxy broke the request: the details name it"},
		},
		Checks: []string{
			`kubectl logs -n {namespace} {pod} -c istio-proxy --since=15m | grep -E "DPE|missing_host_header|path_normalization_failed"`,
			"curl -sv http://{authority}/ -o /dev/null",
		},
		Remedy: "Look at the detail for the broken rule and repair the client. From unknown addresses: nothing to repair.",
		Docs:   []string{"https://www.envoyproxy.io/docs/envoy/latest/configuration/http/http_conn_man/response_code_details"},
		Examples: []string{
			`[2026-04-02T08:15:30.101Z] "GET /cart HTTP/1.1" 400 - missing_host_header - "-" 0 0 1 - "-" "curl/8.6.0" "5f0b1d5e-8c11-4f43-9b57-0d8b7a1c2e01" "-" "-" - - 10.60.40.7:7070 10.60.1.9:41822 - -`,
			`[2026-04-02T08:15:30.101Z] "- - HTTP/1.1" 400 DPE http1.content_length_and_chunked_not_allowed - "-" 0 11 0 - "-" "-" "5f0b1d5e-8c11-4f43-9b57-0d8b7a1c2e01" "-" "-" - - 10.60.40.7:7070 10.60.1.9:41822 - -`,
		},
	},
	{
		ID: "https-url-on-plaintext", Title: "Absolute https URL sent over a plaintext connection", Parent: "malformed-request", Side: Client, Severity: Warning,
		Meaning:  "The request line carries a full https:// URL, but the connection has no TLS. Clients that are told to use a plain proxy do that.",
		Evidence: "403 with DPE and http1.https_url_on_plaintext_connection",
		Rivals:   []Rival{{"malformed-request", "another detail of http1.*"}},
		Checks: []string{
			"curl -sv -x http://{authority} https://{host}/ -o /dev/null",
		},
		Remedy:   "Call http:// and let the proxy begin TLS, or let the client tunnel with CONNECT.",
		Versions: "Recent Envoy takes such URLs by default.",
		Docs:     []string{"https://www.envoyproxy.io/docs/envoy/latest/configuration/http/http_conn_man/response_code_details"},
		Examples: []string{
			`[2026-04-02T08:15:30.101Z] "GET https://cart.shop/ HTTP/1.1" 403 DPE http1.https_url_on_plaintext_connection - "-" 0 0 0 - "-" "curl/8.6.0" "5f0b1d5e-8c11-4f43-9b57-0d8b7a1c2e01" "cart.shop:7070" "-" - - 10.60.40.7:7070 10.60.1.9:41822 - -`,
		},
	},
	{
		ID: "http2-downstream-violation", Title: "Client violates HTTP/2 or HTTP/3 rules or floods", Side: Client, Severity: Warning,
		Meaning:  "The client broke a rule of HTTP/2 or HTTP/3, or sent so many frames or resets that the proxy took it for a flood and cut it off.",
		Evidence: "http2.*, http3.* or codec_error details with DPE or DR; too_many_premature_resets",
		Rivals: []Rival{
			{"malformed-request", "the connection is HTTP/1"},
			{"client-disconnected", "the detail is http2.remote_reset without DPE: the client only cancelled"},
			{"request-headers-too-large", "the detail names too many or too large headers"},
		},
		Checks: []string{
			`kubectl logs -n {namespace} {pod} -c istio-proxy --since=15m | grep -E "http2\.|codec_error|premature"`,
			"curl -sv --http2 https://{authority}/ -o /dev/null",
		},
		Remedy: "Update or repair the client's HTTP/2 library. If it is a flood, block the address at the edge.",
		Docs:   []string{"https://www.envoyproxy.io/docs/envoy/latest/configuration/http/http_conn_man/response_code_details", "https://www.envoyproxy.io/docs/envoy/latest/configuration/best_practices/edge"},
		Examples: []string{
			`[2026-04-02T08:15:30.101Z] "GET /cart HTTP/2" 0 DPE http2.violation.of.messaging.rule - "-" 0 0 0 - "-" "curl/8.6.0" "5f0b1d5e-8c11-4f43-9b57-0d8b7a1c2e01" "cart.shop:7070" "-" - - 10.60.40.7:7070 10.60.1.9:41822 - -`,
			`[2026-04-02T08:15:30.101Z] "GET /cart HTTP/2" 0 - too_many_premature_resets - "-" 0 0 3 - "-" "curl/8.6.0" "5f0b1d5e-8c11-4f43-9b57-0d8b7a1c2e01" "cart.shop:7070" "10.60.2.14:7070" outbound|7070||cart.shop.svc.cluster.local - 10.60.40.7:7070 10.60.1.9:41822 - default`,
		},
	},
	{
		ID: "request-headers-too-large", Title: "Request headers too large or too many", Side: Client, Severity: Warning,
		Meaning:  "The request's headers are larger, or more in number, than this proxy takes: 60 KiB and 100 headers unless configured. Cookies that grow are the usual reason.",
		Evidence: "431 with DPE and http1.headers_too_large or http1.too_many_headers; on HTTP/2 code 0 with DR",
		Rivals: []Rival{
			{"http2-downstream-violation", "on HTTP/2, another refusal without details"},
			{"client-disconnected", "flag DR without details: the client cancelled"},
		},
		Checks: []string{
			"curl -sv --max-time 5 https://{authority}/ -o /dev/null",
			`istioctl proxy-config listeners {pod} -n {namespace} -o json | grep -iE "max_?request_?headers"`,
		},
		Remedy: "Shrink the cookies or headers; else raise max_request_headers_kb or max_headers_count with an EnvoyFilter on every proxy of the path.",
		Docs:   []string{"https://www.envoyproxy.io/docs/envoy/latest/api-v3/extensions/filters/network/http_connection_manager/v3/http_connection_manager.proto", "https://www.envoyproxy.io/docs/envoy/latest/configuration/http/http_conn_man/response_code_details"},
		Examples: []string{
			`[2026-04-02T08:15:30.101Z] "- - HTTP/1.1" 431 DPE http1.headers_too_large - "-" 0 31 0 - "-" "-" "5f0b1d5e-8c11-4f43-9b57-0d8b7a1c2e01" "-" "-" - - 10.60.40.7:7070 10.60.1.9:41822 - -`,
			`[2026-04-02T08:15:30.101Z] "GET /cart HTTP/2" 0 DR http2.header_list_size_too_large - "-" 0 0 0 - "-" "curl/8.6.0" "5f0b1d5e-8c11-4f43-9b57-0d8b7a1c2e01" "cart.shop:7070" "-" - - 10.60.40.7:7070 10.60.1.9:41822 - -`,
		},
	},
	{
		ID: "body-too-large", Title: "Body larger than the buffer a filter allows", Side: Client, Severity: Warning,
		Meaning:  "A filter of this proxy has to hold the whole body (external authorization, Wasm, Lua, a retry), and the body is larger than the buffer.",
		Evidence: "413 request_payload_too_large, 500 response_payload_too_large, 507 request_payload_exceeded_retry_buffer_limit",
		Rivals: []Rival{
			{"upstream-connect-failed", "507: an attempt had failed before; the transport failure reason tells why"},
			{"extension-answered", "the filter refuses with details of its own"},
		},
		Checks: []string{
			`istioctl proxy-config listeners {pod} -n {namespace} -o json | grep -iE "bufferLimit|maxRequestBytes"`,
			"istioctl proxy-config clusters {pod} -n {namespace} --fqdn {host} -o json | grep -i bufferLimit",
		},
		Remedy: "Raise per_connection_buffer_limit_bytes (or max_request_bytes of the filter), or take the filter off routes with large bodies.",
		Docs:   []string{"https://www.envoyproxy.io/docs/envoy/latest/faq/configuration/flow_control", "https://www.envoyproxy.io/docs/envoy/latest/configuration/http/http_conn_man/response_code_details"},
		Examples: []string{
			`[2026-04-02T08:15:30.101Z] "POST /upload HTTP/1.1" 413 - request_payload_too_large - "-" 1048577 17 1 - "-" "curl/8.6.0" "5f0b1d5e-8c11-4f43-9b57-0d8b7a1c2e01" "cart.shop:7070" "-" outbound|7070||cart.shop.svc.cluster.local - 10.60.40.7:7070 10.60.1.9:41822 - default`,
			`[2026-04-02T08:15:30.101Z] "POST /cart HTTP/1.1" 507 - request_payload_exceeded_retry_buffer_limit - "delayed_connect_error:_111" 70000 0 1 - "-" "curl/8.6.0" "5f0b1d5e-8c11-4f43-9b57-0d8b7a1c2e01" "cart.shop:7070" "-" outbound|7070||cart.shop.svc.cluster.local - 10.60.40.7:7070 10.60.1.9:41822 - default`,
		},
	},
	{
		ID: "websocket-upgrade-refused", Title: "Upgrade or CONNECT is not enabled on this route", Side: ClientProxy, Severity: Error,
		Meaning:  "The client asked to switch protocols (websocket, CONNECT) and the route or listener does not allow it, or the application did not agree.",
		Evidence: "403 upgrade_failed, websocket_handshake_unsuccessful, http.connect_not_supported",
		Rivals:   []Rival{{"app-error", "the application itself refused: the details are via_upstream"}},
		Checks: []string{
			`curl -sv -o /dev/null -H "Connection: Upgrade" -H "Upgrade: websocket" -H "Sec-WebSocket-Version: 13" -H "Sec-WebSocket-Key: AAAAAAAAAAAAAAAAAAAAAA==" http://{authority}/`,
			"istioctl proxy-config listeners {pod} -n {namespace} -o json | grep -i upgradeConfigs -A3",
		},
		Remedy: "Allow the upgrade type on listener and route. If a client library adds an Upgrade header that nobody needs (Upgrade: TLS/1.2), switch that off in the client.",
		Docs:   []string{"https://www.envoyproxy.io/docs/envoy/latest/intro/arch_overview/http/upgrades", "https://www.envoyproxy.io/docs/envoy/latest/configuration/http/http_conn_man/response_code_details"},
		Examples: []string{
			`[2026-04-02T08:15:30.101Z] "GET /live HTTP/1.1" 403 - upgrade_failed - "-" 0 0 0 - "-" "curl/8.6.0" "5f0b1d5e-8c11-4f43-9b57-0d8b7a1c2e01" "cart.shop:7070" "-" outbound|7070||cart.shop.svc.cluster.local - 10.60.40.7:7070 10.60.1.9:41822 - default`,
			`[2026-04-02T08:15:30.101Z] "GET /live HTTP/1.1" 200 - websocket_handshake_unsuccessful - "-" 0 40 6 5 "-" "curl/8.6.0" "5f0b1d5e-8c11-4f43-9b57-0d8b7a1c2e01" "cart.shop:7070" "10.60.2.14:7070" outbound|7070||cart.shop.svc.cluster.local 10.60.1.9:52010 10.60.40.7:7070 10.60.1.9:41822 - default`,
		},
	},
	{
		ID: "http10-client", Title: "HTTP/1.0 request refused: the sender must use HTTP/1.1", Side: Client, Severity: Error, Aliases: []string{"http10-upstream"},
		Meaning:  "Somebody called this proxy with HTTP/1.0, which Envoy refuses with 426. The sender must change: nginx as a reverse proxy speaks 1.0 to its upstream unless told otherwise; so do ab and old health checks. An upstream that answers with HTTP/1.0 is no problem.",
		Evidence: "code 426, details low_version",
		Checks: []string{
			"kubectl logs -n {namespace} {pod} -c istio-proxy --since=15m | grep low_version",
			"curl -sv --http1.0 http://{authority}/ -o /dev/null",
		},
		Remedy:   "Let the sender use HTTP/1.1 (nginx: proxy_http_version 1.1). If it can not, set PILOT_HTTP10=1 in istiod.",
		Versions: "Newer Envoy adds the flag DPE; older ones leave the flag empty.",
		Docs:     []string{"https://istio.io/latest/docs/ops/common-problems/network-issues/"},
		Examples: []string{
			`[2026-04-02T08:15:30.101Z] "GET /cart HTTP/1.0" 426 - low_version - "-" 0 0 0 - "-" "curl/8.6.0" "5f0b1d5e-8c11-4f43-9b57-0d8b7a1c2e01" "cart.shop:7070" "-" - - 10.60.40.7:7070 10.60.1.9:41822 - -`,
			`[2026-04-02T08:15:30.101Z] "- - HTTP/1.1" 426 DPE low_version - "-" 0 0 0 - "-" "-" "5f0b1d5e-8c11-4f43-9b57-0d8b7a1c2e01" "-" "-" - - 10.60.40.7:7070 10.60.1.9:41822 - -`,
		},
	},
}

var requestRules = []Rule{
	{"details:^low_version", "http10-client", "", High},
	{"flag:DPE code:426", "http10-client", "", High},
	{"details:^upgrade_failed,^websocket_handshake_unsuccessful,^http_connect_not_supported", "websocket-upgrade-refused", "", High},
	{"details:^request_payload_exceeded_retry_buffer_limit", "body-too-large", "upstream-connect-failed", High},
	{"details:^request_payload_too_large,^response_payload_too_large,^connect_bridge_unary_request_too_large,^connect_bridge_unary_response_too_large", "body-too-large", "", High},
	{"details:^http1_headers_too_large,^http1_too_many_headers,^http2_too_many_headers,^http2_header_list_size_too_large,^http3_headers_too_large,^http3_too_many_headers,^http3_too_many_trailers", "request-headers-too-large", "", High},
	{"flag:DPE code:431", "request-headers-too-large", "", High},
	{"details:^http1_https_url_on_plaintext_connection", "https-url-on-plaintext", "", High},

	// a filter broke the request, not the client
	{"details:^filter_removed_required", "extension-answered", "", High},

	{"details:^too_many_premature_resets", "http2-downstream-violation", "client-disconnected", High},
	{"details:^codec_error_http_1_1_protocol_error_hpe_invalid_method !method", "https-to-http-port", "malformed-request", Medium},
	{"details:^codec_error_http_1_1", "malformed-request", "https-to-http-port", Medium},
	{"flag:DPE details:^codec_error !http2 column:protocol protocol", "malformed-request", "https-to-http-port", Medium},
	{"details:^codec_error,^uhv_http2", "http2-downstream-violation", "", High},
	{"flag:DPE,DR details:^http2_remote_reset,^http2_remote_refuse,^http3_remote_reset,^http3_remote_refuse", "http2-downstream-violation", "client-disconnected", Medium},
	{"details:^http2,^http3 !details:^http2_remote_reset,^http2_remote_refuse,^http3_remote_reset,^http3_remote_refuse", "http2-downstream-violation", "", High},

	// bytes that HTTP/1 could not read
	{"flag:DPE method:^pri$", "h2c-on-http1-port", "", High},
	{"details:^http1_codec_error mesh-sni !method", "tcp-on-http-named-port", "https-to-http-port malformed-request", Medium},
	{"details:^http1_codec_error !method inbound", "https-to-http-port", "malformed-request tcp-on-http-named-port h2c-on-http1-port", Medium},
	{"details:^http1_codec_error !method", "https-to-http-port", "malformed-request h2c-on-http1-port", Medium},
	{"details:^http1_codec_error", "malformed-request", "", Medium},
	{"details:^http1,^http_invalid_authority,^http_invalid_method,^http_invalid_path,^http_invalid_scheme,^uhv", "malformed-request", "", High},
	{"details:^missing_host_header,^missing_path_rejected,^absolute_path_rejected,^invalid_path,^early_connect_data,^empty_host_header", "malformed-request", "", High},
	{"details:^path_normalization_failed !code:307", "malformed-request", "", High},
	{"flag:DPE !details code:0", "http2-downstream-violation", "malformed-request", Medium},
	{"flag:DPE !details code:400 mesh-sni !method", "tcp-on-http-named-port", "https-to-http-port malformed-request", Low},
	{"flag:DPE !details code:400 !method", "https-to-http-port", "malformed-request h2c-on-http1-port", Low},
	{"flag:DPE !details code:403", "https-url-on-plaintext", "malformed-request", Low},
	{"flag:DPE !details code:500", "overload-manager", "malformed-request", Low},
	{"flag:DPE !details code:503", "extension-answered", "malformed-request", Low},
	{"flag:DPE !details", "malformed-request", "http2-downstream-violation", Low},
	{"flag:DPE", "malformed-request", "extension-answered", Low},
}
