package classify

// A Symptom is what the one who sent a request saw: the text of a client's
// error or of the answer that a proxy wrote.
type Symptom struct {
	Text   string   // its words, as in a condition
	About  string   // what it says, and what tells its causes apart
	Causes []string // ids, most likely first
}

// Symptoms returns the list. It is shared: callers must not change it.
//
// Source of the proxy's answers:
// https://www.envoyproxy.io/docs/envoy/latest/configuration/http/http_conn_man/local_reply
func Symptoms() []Symptom { return symptoms }

var symptoms = []Symptom{
	{"istio_proxy oomkilled", "Kubernetes killed the proxy at its memory limit. While it is away the pod is cut off from the mesh.", []string{"envoy-oom"}},
	{"istio_proxy crashloopbackoff", "The proxy ends again and again. Its previous log says why.", []string{"sidecar-crashloop-unspecified", "bootstrap-rejected", "envoy-oom"}},
	{"cni crashloopbackoff", "The CNI installer ends again and again. Its previous log says why.", []string{"cni-install-crashloop"}},
	{"oomkilled", "Kubernetes killed a container at its memory limit. Which one says Last State in kubectl describe pod: the application, and its callers see UF or UC meanwhile; or istio-proxy, and the pod is cut off from the mesh.", []string{"app-crash", "envoy-oom", "upstream-refused", "upstream-closed"}},
	{"exit_code_137", "A container was killed by signal 9: at its memory limit (then Last State says OOMKilled), or at the end of its grace period. Look which one: the application or istio-proxy.", []string{"app-crash", "envoy-oom", "envoy-exited"}},
	{"crashloopbackoff", "A container ends again and again, and Kubernetes waits longer before each start. Which one says kubectl describe pod: the application, and its callers see UF and UC; or istio-proxy.", []string{"app-crash", "sidecar-crashloop-unspecified", "cni-install-crashloop", "upstream-refused"}},
	{"wrong_version_number", "A TLS client read an answer that is not TLS. Look at the access record of the client's own proxy: 400 with DPE means that the port is declared HTTP while the client speaks TLS; a TCP record without a flag means that TLS was put around TLS, or that the far side speaks plaintext.", []string{"https-to-http-port", "double-tls", "tls-to-plaintext-upstream", "mtls-to-plaintext"}},
	{"disconnect_reset_before_headers reset_reason_connection_termination", "The proxy wrote this: its upstream took the request and closed the connection without an answer. The record carries UC.", []string{"upstream-closed", "keepalive-race", "plaintext-to-strict-mtls", "app-crash", "peer-draining"}},
	{"disconnect_reset_before_headers reset_reason_overflow", "The proxy wrote this: a limit of the cluster was reached. The record carries UO.", []string{"circuit-breaker-overflow", "retry-budget-overflow"}},
	{"disconnect_reset_before_headers reset_reason_connection_timeout", "The proxy wrote this: nobody answered its attempt to connect. The record carries UF.", []string{"upstream-connect-timeout", "stale-endpoint", "upstream-unreachable"}},
	{"disconnect_reset_before_headers reset_reason_protocol_error", "The proxy wrote this: what its upstream sent is not valid HTTP. The record carries UPE.", []string{"upstream-protocol-error", "grpc-protocol-mismatch", "plaintext-to-tls-upstream"}},
	{"disconnect_reset_before_headers reset_reason_remote_reset", "The proxy wrote this: its upstream reset the stream. The record carries UR.", []string{"upstream-remote-reset", "upstream-protocol-error"}},
	{"disconnect_reset_before_headers reset_reason_local_reset", "The proxy wrote this: it reset the stream to its upstream. The record carries LR.", []string{"local-reset"}},
	{"disconnect_reset_before_headers", "The proxy wrote this: it could not connect to its upstream, or the connection broke. Behind \"reset reason\" and \"transport failure reason\" stands why; the record carries UF, UC, UR or UO.", []string{"upstream-refused", "upstream-connect-timeout", "upstream-closed", "plaintext-to-strict-mtls", "mtls-to-plaintext", "upstream-connect-failed"}},
	{"no_healthy_upstream", "The proxy wrote this: the cluster has no endpoint that it may use. The record carries UH.", []string{"no-endpoints", "subset-without-endpoints", "outlier-all-ejected", "dns-failure", "egress-blocked-tcp"}},
	{"upstream_request_timeout", "The proxy wrote this: the upstream did not answer in time. The record carries UT.", []string{"route-timeout", "per-try-timeout", "upstream-connect-timeout"}},
	{"rbac_access_denied", "The proxy wrote this: an authorization policy denied the caller.", []string{"rbac-denied", "ext-authz-provider-invalid"}},
	{"jwt_is_missing", "The proxy wrote this: the route demands a token and the request has none.", []string{"jwt-missing"}},
	{"jwt_is_expired", "The proxy wrote this: the token is past its time.", []string{"jwt-expired"}},
	{"jwt_issuer_is_not_configured", "The proxy wrote this: no policy names the token's issuer.", []string{"jwt-issuer-unknown"}},
	{"jwt_verification_fails", "The proxy wrote this: the token's signature does not fit the issuer's keys.", []string{"jwt-signature", "jwt-jwks-unreachable"}},
	{"audiences_in_jwt_are_not_allowed", "The proxy wrote this: the token is for somebody else.", []string{"jwt-audience"}},
	{"jwks", "The proxy wrote this: it could not get or read the keys of the token's issuer.", []string{"jwt-jwks-unreachable"}},
	{"fault_filter_abort", "The proxy wrote this on purpose: fault injection is configured.", []string{"fault-abort", "fault-with-retry-ignored"}},
	{"local_rate_limited", "The proxy wrote this: a rate limit of this proxy was reached.", []string{"rate-limited-local"}},
	{"ssl_error_syscall", "The server closed the connection in the middle of the TLS handshake. A gateway does that when it has no filter chain for the server name; its listener record carries NR filter_chain_not_found.", []string{"sni-no-match", "sni-not-sent", "gateway-port-name-conflict", "http-to-https-port"}},
	{"client_sent_an_http_request_to_an_https_server", "The application behind the proxy speaks TLS and was sent plaintext.", []string{"plaintext-to-tls-upstream"}},
	{"http_request_was_sent_to_https_port", "The server behind the proxy speaks TLS and was sent plaintext.", []string{"plaintext-to-tls-upstream", "http-to-https-port"}},
	{"426_upgrade_required", "A proxy refuses HTTP/1.0; the sender must speak HTTP/1.1.", []string{"http10-client"}},
	{"15012 i_o_timeout", "Port 15012 is istiod's: packets to the control plane get no answer.", []string{"control-plane-blocked", "control-plane-down", "control-plane-slow"}},
	{"15012 connection_refused", "Port 15012 is istiod's: its address was reached and nobody listens.", []string{"control-plane-down", "control-plane-blocked"}},
	{"15012 no_such_host", "Port 15012 is istiod's: its name does not resolve.", []string{"control-plane-dns", "control-plane-down"}},
	{"proxy_is_not_ready", "pilot-agent writes this as long as Envoy lacks configuration; for some seconds at a start it is normal. The counters behind it say which: \"cds updates: 0 successful, 0 rejected; lds updates: 0 successful, 0 rejected\" means that nothing has come, so the control plane is not reached; rejected above 0 that Envoy refused what came; one of cds and lds at 0 that half of it is missing.", []string{"control-plane-unreachable", "control-plane-down", "control-plane-blocked", "control-plane-dns", "config-rejected", "control-plane-slow", "warming-stuck"}},
	{"could_not_resolve_host", "The client's own look-up found no address; no proxy has seen the request. In a pod that has just started the proxy may not be there yet; else the name is wrong, or DNS does not answer.", []string{"dns-failure", "app-started-before-proxy"}},
	{"econnreset", "The far side, or the sidecar in between, cut the connection. Look at the record of the client's own proxy at that time: UC means that the upstream closed it, NR at the server's proxy that it demands mutual TLS.", []string{"upstream-closed", "keepalive-race", "plaintext-to-strict-mtls", "drain-cut-connections", "app-crash"}},
	{"econnrefused", "Nothing listens where the client connects to. A client with a sidecar is refused by the sidecar itself when that is not ready yet; behind one the record carries UF.", []string{"upstream-refused", "app-started-before-proxy", "stale-endpoint"}},
	{"socket_hang_up", "The far side closed the connection without an answer.", []string{"upstream-closed", "keepalive-race", "plaintext-to-strict-mtls"}},
	{"etimedout", "Nobody answered the attempt to connect.", []string{"upstream-connect-timeout", "upstream-unreachable", "stale-endpoint"}},
	{"connection_reset_by_peer", "The far side cut the connection. A sidecar that demands mutual TLS does so to plaintext.", []string{"plaintext-to-strict-mtls", "sni-no-match", "upstream-closed", "drain-cut-connections"}},
	{"empty_reply_from_server", "The far side closed the connection without an answer.", []string{"plaintext-to-strict-mtls", "upstream-closed", "keepalive-race"}},
	{"unable_to_get_local_issuer_certificate", "The client does not trust the certificate that it was shown.", []string{"served-cert-refused", "upstream-cert-untrusted"}},
	{"self_signed_certificate_in_certificate_chain", "The client does not trust the certificate that it was shown.", []string{"served-cert-refused", "upstream-cert-untrusted"}},
	{"alert_certificate_required", "The server demands a client certificate and got none.", []string{"downstream-cert-refused", "client-cert-refused"}},
	{"payload_too_large", "The body is larger than a filter of the proxy may buffer, or than the application takes.", []string{"body-too-large"}},
	{"request_header_fields_too_large", "The request's headers are larger than the proxy takes.", []string{"request-headers-too-large"}},
	{"misdirected_request", "The connection was opened for another server name than the request's host.", []string{"gateway-shared-cert-connection-reuse"}},
}
