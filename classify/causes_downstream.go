package classify

import "slices"

// downstreamCauses are about the client's side.
var downstreamCauses = slices.Concat(connectionCauses, requestCauses)

var downstreamRules = slices.Concat(connectionRules, requestRules)

// connectionCauses are about the client's connection: its handshake, its end.
var connectionCauses = []Cause{
	{
		ID: "client-disconnected", Title: "Client left or cancelled before the response was complete", Side: Client, Severity: Info, Aliases: []string{"client-reset", "downstream-disconnect", "downstream-reset"},
		Meaning:  "The client closed its connection, or cancelled the request, before it had the whole response. Usually its own timeout ran out because the answer was slow; the mesh did not cut anything.",
		Evidence: "flag DC with downstream_remote_disconnect, flag DR, or details http2.remote_reset; code 0, or the code already sent",
		Rivals: []Rival{
			{"request-timeout-by-lb", "the durations sit at the idle timeout of a load balancer in front"},
			{"upstream-connect-timeout", "the proxy was still dialling: the upstream host is set and UPSTREAM_LOCAL_ADDRESS is not"},
			{"tcp-on-http-named-port", "no request was ever read: the port is named http and the client speaks something else"},
			{"downstream-closed-locally", "the details say downstream_local_disconnect"},
			{"downstream-tls-failed", "the handshake was still going on: the client reset it"},
			{"served-cert-refused", "the handshake was still going on, and the client does not trust the certificate"},
			{"http2-downstream-violation", "flag DR without details: look at them for a broken rule of HTTP/2"},
			{"request-headers-too-large", "flag DR without details: look at them for a limit of headers"},
			{"response-truncated", "ztunnel can not tell which end reset: look at the application's log"},
		},
		Checks: []string{
			"kubectl logs -n {namespace} {pod} -c istio-proxy --since=10m | grep -F {authority}",
		},
		Remedy:   "If durations sit at a round number, that is the client's timeout: make the upstream faster or the timeout longer. If they are spread out, people left: nothing to do.",
		Versions: "The flag DR exists since Envoy 1.30; before, a reset by an HTTP/2 client shows DC or no flag.",
		Docs:     []string{"https://www.envoyproxy.io/docs/envoy/latest/configuration/observability/access_log/usage#response-flags", "https://www.envoyproxy.io/docs/envoy/latest/configuration/http/http_conn_man/response_code_details"},
		Examples: []string{
			`[2026-04-02T08:15:30.101Z] "GET /cart HTTP/1.1" 0 DC downstream_remote_disconnect - "-" 0 0 4998 - "-" "curl/8.6.0" "5f0b1d5e-8c11-4f43-9b57-0d8b7a1c2e01" "cart.shop:7070" "10.60.2.14:7070" outbound|7070||cart.shop.svc.cluster.local 10.60.1.9:52010 10.60.40.7:7070 10.60.1.9:41822 - default`,
			`[2026-04-02T08:15:30.101Z] "POST /shop.Cart/Add HTTP/2" 0 DR http2.remote_reset - "-" 0 0 212 - "-" "curl/8.6.0" "5f0b1d5e-8c11-4f43-9b57-0d8b7a1c2e01" "cart.shop:7070" "10.60.2.14:7070" outbound|7070||cart.shop.svc.cluster.local 10.60.1.9:52010 10.60.40.7:7070 10.60.1.9:41822 - default`,
		},
	},
	{
		ID: "request-timeout-by-lb", Title: "Load balancer in front gave up first", Parent: "client-disconnected", Side: Network, Severity: Warning,
		Meaning:  "A load balancer in front of the gateway has an idle timeout of its own. It ran out, so the load balancer closed the connection and answered its client itself, often with 502 or 504.",
		Evidence: "flag DC at a gateway, duration within a tenth of a second of a whole half minute (30 s, 60 s, 120 s)",
		Rivals: []Rival{
			{"client-disconnected", "the client behind the load balancer has that very timeout itself"},
			{"downstream-closed-locally", "the details, where they are logged, say downstream_local_disconnect"},
		},
		Checks: []string{
			"kubectl get services -n {namespace} -o custom-columns=NAME:.metadata.name,TYPE:.spec.type,NOTES:.metadata.annotations | grep -E '^NAME|LoadBalancer'",
			"time curl -sv -o /dev/null https://{authority}/",
		},
		Remedy: "Raise the load balancer's idle timeout above the slowest answer, or make the answer faster.",
		Docs:   []string{"https://www.envoyproxy.io/docs/envoy/latest/configuration/observability/access_log/usage#response-flags"},
		Examples: []string{
			`[2026-04-02T08:15:30.101Z] "GET /cart HTTP/1.1" 0 DC downstream_remote_disconnect - "-" 0 0 60003 - "198.51.100.20" "curl/8.6.0" "5f0b1d5e-8c11-4f43-9b57-0d8b7a1c2e01" "shop.example.com" "10.60.2.14:7070" outbound|7070||cart.shop.svc.cluster.local 10.60.3.3:52010 10.60.3.3:8443 10.60.1.9:41822 shop.example.com default`,
		},
	},
	{
		ID: "downstream-closed-locally", Title: "This proxy itself closed the client's connection", Side: ClientProxy, Severity: Warning,
		Meaning:  "This proxy itself closed the client's connection. The words in the brackets of the details say why, in Envoy since 1.26.",
		Evidence: "details downstream_local_disconnect, with a reason that leads to no finer cause, or none",
		Rivals: []Rival{
			{"drain-cut-connections", "the pod was shutting down"},
			{"config-change-connection-drain", "a new listener configuration arrived at that moment"},
			{"connection-max-age", "the connection had reached its maximum age"},
			{"http2-downstream-violation", "the reason names a violation of HTTP/2"},
		},
		Checks: []string{
			`kubectl logs -n {namespace} {pod} -c istio-proxy --since=15m | grep -iE "drain|lds|terminat"`,
			"kubectl get events -n {namespace} --field-selector involvedObject.name={pod}",
		},
		Remedy:   "Look at what happened on this pod at that time: a rollout, a configuration push, or a limit of the listener.",
		Versions: "The reason in brackets: Envoy 1.26 and later.",
		Docs:     []string{"https://www.envoyproxy.io/docs/envoy/latest/configuration/http/http_conn_man/response_code_details"},
		Examples: []string{
			`[2026-04-02T08:15:30.101Z] "GET /cart HTTP/1.1" 0 DC downstream_local_disconnect - "-" 0 0 30 - "-" "curl/8.6.0" "5f0b1d5e-8c11-4f43-9b57-0d8b7a1c2e01" "cart.shop:7070" "10.60.2.14:7070" outbound|7070||cart.shop.svc.cluster.local 10.60.1.9:52010 10.60.40.7:7070 10.60.1.9:41822 - default`,
			`[2026-04-02T08:15:30.101Z] "GET /feed HTTP/2" 0 DC downstream_local_disconnect(http2_ping_timeout) - "-" 0 0 9120 - "-" "curl/8.6.0" "5f0b1d5e-8c11-4f43-9b57-0d8b7a1c2e01" "cart.shop:7070" "10.60.2.14:7070" outbound|7070||cart.shop.svc.cluster.local 10.60.1.9:52010 10.60.40.7:7070 10.60.1.9:41822 - default`,
		},
	},
	{
		ID: "config-change-connection-drain", Title: "Configuration push drained listeners and cut connections", Side: ControlPlane, Severity: Warning,
		Meaning:  "A new configuration replaced the listener or its filter chain. The old one was drained, and what was still open on it was cut.",
		Evidence: "details downstream_local_disconnect with filter_chain_is_being_removed, on many pods at the same moment",
		Rivals: []Rival{
			{"drain-cut-connections", "the pod itself was shutting down: one pod only, and its log says so"},
			{"client-disconnected", "the details say downstream_remote_disconnect"},
		},
		Checks: []string{
			`kubectl logs -n {namespace} {pod} -c istio-proxy --since=30m | grep -E "lds|add/update listener|draining"`,
			"kubectl get envoyfilters,telemetries,sidecars -A --sort-by=.metadata.creationTimestamp",
			"istioctl proxy-status",
		},
		Remedy: "Apply EnvoyFilters, Telemetry and other changes of listeners outside of peak hours, and let clients retry on a closed connection.",
		Docs:   []string{"https://www.envoyproxy.io/docs/envoy/latest/configuration/http/http_conn_man/response_code_details", "https://www.envoyproxy.io/docs/envoy/latest/intro/arch_overview/operations/draining"},
		Examples: []string{
			`[2026-04-02T08:15:30.101Z] "GET /cart HTTP/1.1" 0 DC downstream_local_disconnect(filter_chain_is_being_removed) - "-" 0 0 5003 - "-" "curl/8.6.0" "5f0b1d5e-8c11-4f43-9b57-0d8b7a1c2e01" "cart.shop:7070" "10.60.2.14:7070" outbound|7070||cart.shop.svc.cluster.local 10.60.1.9:52010 10.60.40.7:7070 10.60.1.9:41822 - default`,
		},
	},
	{
		ID: "connection-max-age", Title: "Connection reached its configured maximum age", Side: ClientProxy, Severity: Info,
		Meaning:  "The connection had reached the maximum age that is configured for it, so this proxy closed it. That is wanted: clients connect again.",
		Evidence: "flag DT, details duration_timeout, or max_connection_duration_reached as the reason of the close",
		Rivals:   []Rival{{"downstream-closed-locally", "the reason of the close is another one"}},
		Checks: []string{
			`istioctl proxy-config listeners {pod} -n {namespace} -o json | grep -iE "max_?(downstream_)?connection_?duration"`,
		},
		Remedy: "Nothing, unless the age is too short for long-lived streams: then raise max_connection_duration.",
		Docs:   []string{"https://www.envoyproxy.io/docs/envoy/latest/configuration/observability/access_log/usage#response-flags", "https://www.envoyproxy.io/docs/envoy/latest/faq/configuration/timeouts"},
		Examples: []string{
			`[2026-04-02T08:15:30.101Z] "- - -" 0 DT - - "-" 80 912 3600001 - "-" "-" "5f0b1d5e-8c11-4f43-9b57-0d8b7a1c2e01" "-" "10.60.2.30:3306" outbound|3306||db.shop.svc.cluster.local 10.60.1.9:50112 10.60.8.1:3306 10.60.1.9:41822 - -`,
		},
	},
	{
		ID: "slow-client", Title: "Client did not finish sending in time", Side: Client, Severity: Warning,
		Meaning:  "The client opened a connection or a request and did not finish sending in time: a slow network, a stuck program, or somebody who holds connections open on purpose.",
		Evidence: `details request_overall_timeout or request_header_timeout, code 408 (gRPC: 200); termination details "transport socket timeout was reached"`,
		Rivals: []Rival{
			{"client-disconnected", "the client left before the timeout struck"},
			{"downstream-tls-failed", "the handshake failed: a TLS error stands in the record"},
		},
		Checks: []string{
			`kubectl logs -n {namespace} {pod} -c istio-proxy --since=15m | grep -E "request_(overall|header)_timeout|transport socket timeout"`,
			"openssl s_client -connect {authority} -servername {sni}",
		},
		Remedy: "Find the client by its address. If its uploads are rightly slow, raise request_timeout or request_headers_timeout; else leave the limit as it is.",
		Docs:   []string{"https://www.envoyproxy.io/docs/envoy/latest/configuration/http/http_conn_man/response_code_details", "https://www.envoyproxy.io/docs/envoy/latest/faq/configuration/timeouts"},
		Examples: []string{
			`[2026-04-02T08:15:30.101Z] "POST /upload HTTP/1.1" 408 - request_overall_timeout - "-" 8192 15 30001 - "-" "curl/8.6.0" "5f0b1d5e-8c11-4f43-9b57-0d8b7a1c2e01" "cart.shop:7070" "-" outbound|7070||cart.shop.svc.cluster.local - 10.60.40.7:7070 10.60.1.9:41822 - default`,
			`[2026-04-02T08:15:30.101Z] "- - -" 0 - - transport socket timeout was reached "-" 0 0 15001 - "-" "-" "5f0b1d5e-8c11-4f43-9b57-0d8b7a1c2e01" "-" "-" - - 10.60.3.3:8443 10.60.1.9:41822 - -`,
		},
	},
	{
		ID: "downstream-tls-failed", Title: "Client's TLS handshake with this proxy failed", Side: Client, Severity: Warning,
		Meaning:  "The TLS handshake between the client and this proxy failed, before any request. Version, cipher or the bytes themselves did not fit.",
		Evidence: "code 0 without a flag, with DOWNSTREAM_TRANSPORT_FAILURE_REASON; the name of the TLS error says what did not fit",
		Rivals: []Rival{
			{"tls-params-mismatch", "the name is UNSUPPORTED_PROTOCOL or NO_SHARED_CIPHER: no common version or cipher"},
			{"http-to-https-port", "the client sent no TLS at all"},
			{"served-cert-refused", "the client closed because it does not trust the certificate"},
		},
		Checks: []string{
			"openssl s_client -connect {authority} -servername {sni} -showcerts </dev/null",
			"istioctl proxy-config secret {pod} -n {namespace}",
		},
		Remedy:   "Compare what the client offers with the server's TLS settings (minProtocolVersion, cipherSuites of the Gateway).",
		Versions: "Records of failed handshakes exist where the listener's access log is not limited to the flag NR.",
		Docs:     []string{"https://www.envoyproxy.io/docs/envoy/latest/intro/arch_overview/security/ssl"},
		Examples: []string{
			`{"start_time":"2026-04-02T08:15:30.101Z","response_code":0,"response_flags":"-","response_code_details":null,"connection_termination_details":null,"bytes_received":0,"bytes_sent":0,"duration":4,"upstream_host":null,"upstream_cluster":null,"downstream_local_address":"10.60.3.3:8443","downstream_remote_address":"198.51.100.20:41822","requested_server_name":"shop.example.com","downstream_transport_failure_reason":"TLS_error:|268435696:SSL_routines:OPENSSL_internal:UNSUPPORTED_PROTOCOL:TLS_error_end"}`,
		},
	},
	{
		ID: "http-to-https-port", Title: "Client sent plaintext HTTP to a TLS port", Parent: "downstream-tls-failed", Side: Client, Severity: Warning,
		Meaning:  "The client sent plain HTTP to a port that takes TLS only. Nobody answered: it sees a reset or an empty reply.",
		Evidence: "DOWNSTREAM_TRANSPORT_FAILURE_REASON with HTTP_REQUEST or HTTPS_PROXY_REQUEST",
		Rivals: []Rival{
			{"plaintext-to-strict-mtls", "the port is a workload's, and demands the mesh's mutual TLS"},
			{"downstream-tls-failed", "the bytes are no HTTP either"},
			{"sni-not-sent", "the client does speak TLS, without a server name"},
		},
		Checks: []string{
			"curl -sv https://{authority}/ -o /dev/null",
			gatewayHosts,
		},
		Remedy: "Use https:// in the client, or redirect from port 80 (httpsRedirect in the Gateway).",
		Docs:   []string{"https://www.envoyproxy.io/docs/envoy/latest/intro/arch_overview/security/ssl"},
		Examples: []string{
			`{"start_time":"2026-04-02T08:15:30.101Z","response_code":0,"response_flags":"-","response_code_details":null,"connection_termination_details":null,"bytes_received":0,"bytes_sent":0,"duration":4,"upstream_host":null,"upstream_cluster":null,"downstream_local_address":"10.60.3.3:8443","downstream_remote_address":"198.51.100.20:41822","requested_server_name":"shop.example.com","downstream_transport_failure_reason":"TLS_error:|268435612:SSL_routines:OPENSSL_internal:HTTP_REQUEST:TLS_error_end"}`,
		},
	},
	{
		ID: "downstream-cert-refused", Title: "This proxy refuses the client's certificate or got none", Parent: "downstream-tls-failed", Side: Client, Severity: Warning,
		Meaning:  "This proxy demands a client certificate. The client sent none, or one that the proxy does not trust.",
		Evidence: "DOWNSTREAM_TRANSPORT_FAILURE_REASON with PEER_DID_NOT_RETURN_A_CERTIFICATE or CERTIFICATE_VERIFY_FAILED",
		Rivals: []Rival{
			{"certificate-expired", "the text ends in has_expired"},
			{"clock-skew", "the text says is_not_yet_valid"},
		},
		Checks: []string{
			"openssl s_client -connect {authority} -servername {sni} -cert client.pem -key client.key </dev/null",
			"istioctl proxy-config secret {pod} -n {namespace}",
		},
		Remedy: "Give the client a certificate of the CA that the Gateway's credential (or PeerAuthentication) names, or use SIMPLE TLS if no certificate is wanted.",
		Docs:   []string{"https://www.envoyproxy.io/docs/envoy/latest/intro/arch_overview/security/ssl", "https://istio.io/latest/docs/tasks/traffic-management/ingress/secure-ingress/"},
		Examples: []string{
			`{"start_time":"2026-04-02T08:15:30.101Z","response_code":0,"response_flags":"-","response_code_details":null,"connection_termination_details":null,"bytes_received":0,"bytes_sent":0,"duration":4,"upstream_host":null,"upstream_cluster":null,"downstream_local_address":"10.60.3.3:8443","downstream_remote_address":"198.51.100.20:41822","requested_server_name":"shop.example.com","downstream_transport_failure_reason":"TLS_error:|268435655:SSL_routines:OPENSSL_internal:PEER_DID_NOT_RETURN_A_CERTIFICATE:TLS_error_end"}`,
			`{"start_time":"2026-04-02T08:15:30.101Z","response_code":0,"response_flags":"-","response_code_details":null,"connection_termination_details":null,"bytes_received":0,"bytes_sent":0,"duration":4,"upstream_host":null,"upstream_cluster":null,"downstream_local_address":"10.60.3.3:8443","downstream_remote_address":"198.51.100.20:41822","requested_server_name":"shop.example.com","downstream_transport_failure_reason":"TLS_error:|268435581:SSL_routines:OPENSSL_internal:CERTIFICATE_VERIFY_FAILED:verify_cert_failed:_X509_verify_cert:_certificate_verification_error_at_depth_0:_unable_to_get_local_issuer_certificate:TLS_error_end"}`,
		},
	},
	{
		ID: "served-cert-refused", Title: "Client does not trust the certificate this proxy serves", Parent: "downstream-tls-failed", Side: ClientProxy, Severity: Error,
		Meaning:  "The client looked at the certificate that this proxy serves and refused it: an unknown CA, a wrong name, or an incomplete chain.",
		Evidence: "DOWNSTREAM_TRANSPORT_FAILURE_REASON with ALERT in its name (UNKNOWN_CA, BAD_CERTIFICATE, CERTIFICATE_UNKNOWN), or BAD_PACKET_LENGTH beside DECRYPTION_FAILED_OR_BAD_RECORD_MAC",
		Rivals: []Rival{
			{"certificate-expired", "the alert is CERTIFICATE_EXPIRED"},
			{"downstream-tls-failed", "version or cipher did not fit"},
		},
		Checks: []string{
			"openssl s_client -connect {authority} -servername {sni} -showcerts </dev/null | openssl x509 -noout -subject -issuer -dates -ext subjectAltName",
			"istioctl proxy-config secret {pod} -n {namespace}",
		},
		Remedy: "Serve the full chain with the name that clients use, from a CA that they trust; or give the clients the CA's certificate.",
		Docs:   []string{"https://www.envoyproxy.io/docs/envoy/latest/intro/arch_overview/security/ssl"},
		Examples: []string{
			`{"start_time":"2026-04-02T08:15:30.101Z","response_code":0,"response_flags":"-","response_code_details":null,"connection_termination_details":null,"bytes_received":0,"bytes_sent":0,"duration":4,"upstream_host":null,"upstream_cluster":null,"downstream_local_address":"10.60.3.3:8443","downstream_remote_address":"198.51.100.20:41822","requested_server_name":"shop.example.com","downstream_transport_failure_reason":"TLS_error:|268436504:SSL_routines:OPENSSL_internal:TLSV1_ALERT_UNKNOWN_CA:TLS_error_end"}`,
		},
	},
}

var connectionRules = []Rule{
	// the client's handshake
	{"downstream:secret_is_not_supplied !flag:NR", "workload-cert-not-issued", "", High},
	{"downstream:http_request,https_proxy_request,wrong_version_number inbound !flag:NR", "plaintext-to-strict-mtls", "http-to-https-port", High},
	{"downstream:http_request,https_proxy_request !flag:NR", "http-to-https-port", "plaintext-to-strict-mtls", High},
	{"downstream:has_expired,alert_certificate_expired,sslv3_certificate_expired !flag:NR", "certificate-expired", "", High},
	{"downstream:is_not_yet_valid,not_yet_valid !flag:NR", "clock-skew", "certificate-expired", Medium},
	{"downstream:certificate_revoked,certificate_verify_failed_verify_cert_failed_x509_verify_cert_certificate_revoked !flag:NR", "certificate-revoked", "", High},
	{"downstream:peer_did_not_return_a_certificate,certificate_verify_failed !flag:NR", "downstream-cert-refused", "", High},
	{"downstream:unknown_ca,bad_certificate,certificate_unknown !flag:NR", "served-cert-refused", "", High},
	{"downstream:bad_packet_length,decryption_failed_or_bad_record_mac !flag:NR", "served-cert-refused", "downstream-tls-failed", Medium},
	{"downstream:connection_reset_by_peer !flag:NR", "client-disconnected", "downstream-tls-failed served-cert-refused", Medium},
	{"downstream:unsupported_protocol,no_shared_cipher !flag:NR", "downstream-tls-failed", "tls-params-mismatch", High},
	{"downstream !flag:NR", "downstream-tls-failed", "http-to-https-port served-cert-refused", Medium},
	{"termination:transport_socket_timeout", "slow-client", "downstream-tls-failed", High},

	// who closed the client's connection
	{"details:downstream_local_disconnect_transport_socket_timeout", "slow-client", "downstream-tls-failed", High},
	{"details:^duration_timeout,downstream_local_disconnect_duration_timeout,downstream_local_disconnect_max_connection_duration_reached", "connection-max-age", "", High},
	{"details:downstream_local_disconnect_filter_chain_is_being_removed", "config-change-connection-drain", "drain-cut-connections", High},
	{"details:downstream_local_disconnect_purging_socket,downstream_local_disconnect_deferred_close", "drain-cut-connections", "config-change-connection-drain", Medium},
	{"details:downstream_local_disconnect_on_idle_timeout,downstream_local_disconnect_tcp_session_idle_timeout", "stream-idle-timeout", "", High},
	{"details:downstream_local_disconnect_codec_error,downstream_local_disconnect_too_many_premature_resets", "http2-downstream-violation", "malformed-request", Medium},
	{"details:downstream_local_disconnect_http2_connection_protocol_violation", "downstream-closed-locally", "http2-downstream-violation", Medium},
	{"details:downstream_local_disconnect_wasm,downstream_local_disconnect_go,downstream_local_disconnect_ext_proc", "extension-answered", "downstream-closed-locally", Medium},
	{"details:^downstream_local_disconnect", "downstream-closed-locally", "drain-cut-connections config-change-connection-drain", Medium},

	{"details:^request_overall_timeout,^request_header_timeout,^downstream_header_timeout", "slow-client", "", High},
	{"details:^max_duration_timeout", "max-stream-duration", "route-timeout", High},

	// clients that left; what an earlier attempt left behind comes first
	{"details:^downstream_remote_disconnect !reason !code:101,206 balancer-timeout !inbound only:DC,DI", "request-timeout-by-lb", "client-disconnected", Low},
	{"details:^downstream_remote_disconnect !reason !code:101,206 inbound column:method !method only:DC,DI", "client-disconnected", "tcp-on-http-named-port", Medium},
	{"details:^downstream_remote_disconnect !reason !code:101,206 dialling only:DC,DI", "client-disconnected", "upstream-connect-timeout", Medium},
	{"details:^downstream_remote_disconnect !reason !code:101,206 only:DC,DI", "client-disconnected", "", High},
	{"details:^http2_remote_reset,^http2_remote_refuse,^http3_remote_reset,^http3_remote_refuse !reason !flag:DPE !code:101,206", "client-disconnected", "", High},
	{"flag:DC !details !reason !code:101,206 only:DC,DI balancer-timeout !inbound", "request-timeout-by-lb", "client-disconnected downstream-closed-locally", Low},
	{"flag:DC !details !reason !code:101,206 only:DC,DI dialling", "client-disconnected", "upstream-connect-timeout downstream-closed-locally", Medium},
	{"flag:DC !details !reason !code:101,206 only:DC,DI", "client-disconnected", "downstream-closed-locally", Medium},
	{"flag:DR !details !reason !code:101,206 only:DR,DI", "client-disconnected", "request-headers-too-large http2-downstream-violation", Medium},
}
