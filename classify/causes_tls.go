package classify

// tlsCauses are why TLS with the upstream, or the lack of it, failed.
var tlsCauses = []Cause{
	{
		ID: "tls-to-plaintext-upstream", Title: "Envoy speaks TLS to a plaintext port outside the mesh", Side: ClientProxy, Severity: Error,
		Meaning:  "The proxy started TLS, and the server answered in plain text: the port is not one for TLS. This is not TLS inside TLS.",
		Evidence: "flag UF with WRONG_VERSION_NUMBER towards a host outside the mesh",
		Rivals:   []Rival{{"mtls-to-plaintext", "the host is a workload of the mesh without a sidecar"}, {"client-disconnected", "the client left before the retries ended"}, {"route-timeout", "the route's timeout ended the retries"}, {"retries-exhausted", "a later attempt got an answer"}},
		Checks: []string{
			"openssl s_client -connect {upstream_ip}:{upstream_port} -servername {host} </dev/null",
			"istioctl proxy-config clusters {pod} -n {namespace} --fqdn {host} -o json | grep -A8 transportSocket",
			externalHosts, tlsModes,
		},
		Remedy:   "Send to the TLS port (targetPort: 443 in the ServiceEntry), or take the tls block out of the DestinationRule.",
		Docs:     []string{"https://istio.io/latest/docs/ops/common-problems/network-issues/", "https://istio.io/latest/docs/tasks/traffic-management/egress/egress-tls-origination/"},
		Examples: []string{`[2026-05-21T02:46:38.146Z] "GET /rates HTTP/1.1" 503 UF upstream_reset_before_response_started{remote_connection_failure|TLS_error:|268435703:SSL_routines:OPENSSL_internal:WRONG_VERSION_NUMBER:TLS_error_end} - "TLS_error:|268435703:SSL_routines:OPENSSL_internal:WRONG_VERSION_NUMBER:TLS_error_end" 0 98 9 - "-" "python-requests/2.32.3" "c8ddace2-87f2-4b4e-b896-8f2db9afa137" "fx.example.org" "203.0.113.40:80" outbound|80||fx.example.org - 203.0.113.40:80 10.61.4.20:40118 - default`},
	},
	{
		ID: "mtls-to-plaintext", Title: "Mutual TLS sent to a mesh workload speaking plaintext", Side: ClientProxy, Severity: Error,
		Meaning:  "The caller's proxy started mutual TLS, and the workload answered in plain text: it has no sidecar, or its sidecar is bypassed.",
		Evidence: "flag UF with WRONG_VERSION_NUMBER towards a service of the mesh",
		Rivals:   []Rival{{"tls-to-plaintext-upstream", "the host lies outside the mesh"}, {"client-disconnected", "the client left before the retries ended"}, {"route-timeout", "the route's timeout ended the retries"}, {"retries-exhausted", "a later attempt got an answer"}},
		Checks: []string{
			"kubectl get pods -A -o wide --field-selector status.podIP={upstream_ip}",
			"istioctl proxy-config clusters {pod} -n {namespace} --fqdn {host} -o json | grep -A8 transportSocket",
			"kubectl get destinationrules,peerauthentications -A",
		},
		Remedy:   "Inject a sidecar into the workload, or set tls.mode DISABLE for this host in the DestinationRule.",
		Docs:     []string{"https://istio.io/latest/docs/ops/common-problems/security-issues/", "https://istio.io/latest/docs/ops/common-problems/network-issues/"},
		Examples: []string{`[2026-05-22T07:53:49.183Z] "GET /basket HTTP/1.1" 503 UF upstream_reset_before_response_started{remote_connection_failure|TLS_error:|268435703:SSL_routines:OPENSSL_internal:WRONG_VERSION_NUMBER:TLS_error_end} - "TLS_error:|268435703:SSL_routines:OPENSSL_internal:WRONG_VERSION_NUMBER:TLS_error_end" 0 98 4 - "-" "curl/8.9.1" "ce5d0aea-0ee1-4ba5-810f-9aac1160334e" "basket:8080" "10.61.7.33:8080" outbound|8080||basket.market.svc.cluster.local - 10.96.31.8:8080 10.61.4.20:40118 - default`, `[2026-05-03T12:00:00.220Z] "GET /basket HTTP/1.1" 503 UF,URX "-" "TLS error: 268435703:SSL routines:OPENSSL_internal:WRONG_VERSION_NUMBER" 0 91 83 - "-" "axios/1.7.7" "a8a90ef8-8429-4da5-9dc3-b73d226d8e43" "basket:8080" "10.61.7.33:8080" outbound|8080||basket.market.svc.cluster.local - 10.96.31.8:8080 10.61.4.20:40118 - default`},
	},
	{
		ID: "plaintext-to-strict-mtls", Title: "Plaintext sent to a port that demands mutual TLS", Side: ClientProxy, Severity: Error,
		Meaning:  "The server's proxy accepts mutual TLS only, and the caller sent plain text: it has no sidecar, or a DestinationRule switched its TLS off.",
		Evidence: "the server writes 0 NR filter_chain_not_found, with a reason HTTP_REQUEST or WRONG_VERSION_NUMBER where the layout has it; the client writes 503 UC, or 0 UR for TCP",
		Rivals: []Rival{
			{"sni-not-sent", "the port belongs to a gateway and the client does speak TLS"},
			{"http-to-https-port", "the port belongs to a gateway"},
			{"cluster-missing", "a TCP route of an old Envoy names a cluster that is not there"},
			{"headless-pod-ip-passthrough", "the client calls the pod by its address"},
			{"upstream-closed", "the server's proxy writes no NR at that time"},
		},
		Checks: []string{
			"istioctl x describe pod {upstream_pod} -n {upstream_namespace}",
			"kubectl get peerauthentications,destinationrules -A",
			"kubectl get pods -A -o wide --field-selector status.podIP={upstream_ip}",
			"kubectl get pods -A -o wide --field-selector status.podIP={client_ip}",
		},
		Remedy: "Set tls.mode ISTIO_MUTUAL in the DestinationRule or drop its tls block; give the caller a sidecar, or allow plain text on this port with PeerAuthentication PERMISSIVE.",
		Docs:   []string{"https://istio.io/latest/docs/ops/common-problems/network-issues/", "https://istio.io/latest/docs/tasks/security/authentication/mtls-migration/"},
		Examples: []string{
			`[2026-05-04T17:07:11.257Z] "- - -" 0 NR filter_chain_not_found - "-" 0 0 0 - "-" "-" "-" "-" "-" - - 10.61.7.33:8080 10.61.4.20:50190 - -`,
			`[2026-05-05T22:14:22.294Z] "GET /basket HTTP/1.1" 503 UC upstream_reset_before_response_started{connection_termination} - "-" 0 95 1 - "-" "Go-http-client/1.1" "7cc6d4ba-ee39-4cd8-8265-d72c56f163dc" "basket.market.svc.cluster.local:8080" "10.96.31.8:8080" PassthroughCluster 10.61.4.20:50190 10.96.31.8:8080 10.61.4.20:40118 - allow_any`,
		},
	},
	{
		ID: "plaintext-to-tls-upstream", Title: "Envoy speaks plaintext to a TLS port", Side: ClientProxy, Severity: Error,
		Meaning:  "The backend expects TLS, and the proxy sent it plain HTTP, so every request to it fails at once.",
		Evidence: "502 UPE or 503 UC at once, for every request, to a port like 8443",
		Rivals:   []Rival{{"upstream-protocol-error", "the cluster does use TLS, and the answer is no valid HTTP"}, {"upstream-closed", "only some requests fail"}},
		Checks: []string{
			"openssl s_client -connect {upstream_ip}:{upstream_port} </dev/null",
			"istioctl proxy-config clusters {pod} -n {namespace} --fqdn {host} -o json | grep -A8 transportSocket",
			"kubectl get service {service} -n {upstream_namespace} -o yaml",
		},
		Remedy:   "Let the proxy originate TLS (DestinationRule tls.mode SIMPLE, BackendTLSPolicy, backend-protocol annotation), or name the port https so that it is passed through.",
		Docs:     []string{"https://istio.io/latest/docs/ops/configuration/traffic-management/protocol-selection/"},
		Examples: []string{`[2026-05-06T03:21:33.331Z] "GET /basket HTTP/1.1" 502 UPE upstream_reset_before_response_started{protocol_error} - "-" 0 87 1 - "-" "python-requests/2.32.3" "ae527a2f-21b0-49ce-812c-d8cf3315c7bc" "console:8443" "10.61.7.50:8443" outbound|8443||console.market.svc.cluster.local 10.61.4.20:50190 10.96.31.8:8080 10.61.4.20:40118 - default`},
	},
	{
		ID: "upstream-cert-untrusted", Title: "Upstream's certificate is not accepted by this proxy", Side: ClientProxy, Severity: Error,
		Meaning:  "The server showed a certificate that this proxy does not accept: its names, its issuer or its pin are not the ones configured.",
		Evidence: "flag UF with CERTIFICATE_VERIFY_FAILED",
		Rivals:   []Rival{{"certificate-expired", "the certificate is out of date: Envoy before 1.37 does not say why"}, {"certificate-revoked", "the certificate is on a revocation list"}, {"client-disconnected", "the client left before the retries ended"}, {"route-timeout", "the route's timeout ended the retries"}, {"retries-exhausted", "a later attempt got an answer"}},
		Checks: []string{
			"openssl s_client -connect {upstream_ip}:{upstream_port} -servername {host} -showcerts </dev/null | openssl x509 -noout -issuer -dates -ext subjectAltName",
			"istioctl proxy-config secret {pod} -n {namespace}",
			tlsModes,
		},
		Remedy:   "Correct subjectAltNames and caCertificates of the DestinationRule, or distribute the new root to both sides.",
		Versions: "since Envoy 1.37 the reason says what was wrong",
		Docs:     []string{"https://istio.io/latest/docs/ops/configuration/traffic-management/tls-configuration/", "https://www.envoyproxy.io/docs/envoy/latest/intro/arch_overview/security/ssl"},
		Examples: []string{`[2026-05-07T08:28:44.368Z] "GET /basket HTTP/1.1" 503 UF upstream_reset_before_response_started{remote_connection_failure|TLS_error:|268435581:SSL_routines:OPENSSL_internal:CERTIFICATE_VERIFY_FAILED:verify_cert_failed:_SAN_matcher,_certificate_SANs_are_[pay.example.org,_*.pay.example.org]:TLS_error_end} - "TLS_error:|268435581:SSL_routines:OPENSSL_internal:CERTIFICATE_VERIFY_FAILED:verify_cert_failed:_SAN_matcher,_certificate_SANs_are_[pay.example.org,_*.pay.example.org]:TLS_error_end" 0 98 14 - "-" "curl/8.9.1" "0a2e2e6c-9b56-4a3d-9374-9b27a417cc7d" "basket:8080" "10.61.7.33:8080" outbound|8080||basket.market.svc.cluster.local - 10.96.31.8:8080 10.61.4.20:40118 - default`},
	},
	{
		ID: "client-cert-refused", Title: "Upstream refuses this proxy's certificate or got none", Side: ClientProxy, Severity: Error,
		Meaning:  "The server demands a certificate of the caller and did not like the one it got, or got none.",
		Evidence: "flag UF with an alert that the peer sent, such as UNKNOWN_CA or BAD_CERTIFICATE. With TLS 1.3 there is no alert: only 503 UC",
		Rivals:   []Rival{{"tls-params-mismatch", "the server refuses version, cipher or server name"}, {"certificate-expired", "this proxy's certificate is out of date"}, {"client-disconnected", "the client left before the retries ended"}, {"route-timeout", "the route's timeout ended the retries"}, {"retries-exhausted", "a later attempt got an answer"}},
		Checks: []string{
			"istioctl proxy-config secret {pod} -n {namespace}",
			"openssl s_client -connect {upstream_ip}:{upstream_port} -servername {host} </dev/null | grep -A8 'Acceptable client certificate'",
			tlsModes,
		},
		Remedy:   "Configure a client certificate (tls.mode MUTUAL) that the server's CA has signed, or put both meshes under one root.",
		Docs:     []string{"https://www.envoyproxy.io/docs/envoy/latest/intro/arch_overview/security/ssl"},
		Examples: []string{`[2026-05-08T13:35:55.405Z] "GET /basket HTTP/1.1" 503 UF upstream_reset_before_response_started{remote_connection_failure|TLS_error:|268436504:SSL_routines:OPENSSL_internal:TLSV1_ALERT_UNKNOWN_CA:TLS_error_end} - "TLS_error:|268436504:SSL_routines:OPENSSL_internal:TLSV1_ALERT_UNKNOWN_CA:TLS_error_end" 0 98 12 - "-" "axios/1.7.7" "f4687529-581a-4821-bce1-dd770d94f123" "basket:8080" "10.61.7.33:8080" outbound|8080||basket.market.svc.cluster.local - 10.96.31.8:8080 10.61.4.20:40118 - default`},
	},
	{
		ID: "tls-params-mismatch", Title: "TLS version, cipher, server name or ALPN not agreed", Side: ClientProxy, Severity: Error,
		Meaning:  "Proxy and server could not agree how to speak TLS: version, cipher, server name or application protocol.",
		Evidence: "flag UF with an alert such as PROTOCOL_VERSION or UNRECOGNIZED_NAME, or another TLS error",
		Rivals:   []Rival{{"client-cert-refused", "the server asks for a client certificate"}, {"upstream-connect-failed", "the connection was cut on the way"}, {"client-disconnected", "the client left before the retries ended"}, {"route-timeout", "the route's timeout ended the retries"}, {"retries-exhausted", "a later attempt got an answer"}},
		Checks: []string{
			"openssl s_client -connect {upstream_ip}:{upstream_port} -servername {host} -alpn h2,http/1.1 </dev/null",
			"openssl s_client -connect {upstream_ip}:{upstream_port} -servername {host} -tls1_2 </dev/null",
			"istioctl proxy-config clusters {pod} -n {namespace} --fqdn {host} -o json | grep -iE -A4 'sni|alpn|tlsParams'",
		},
		Remedy:   "Set sni in the DestinationRule, and bring TLS versions, ciphers and ALPN of both sides together.",
		Docs:     []string{"https://www.envoyproxy.io/docs/envoy/latest/intro/arch_overview/security/ssl"},
		Examples: []string{`[2026-05-09T18:42:06.442Z] "GET /basket HTTP/1.1" 503 UF upstream_reset_before_response_started{remote_connection_failure|TLS_error:|268436568:SSL_routines:OPENSSL_internal:TLSV1_ALERT_UNRECOGNIZED_NAME:TLS_error_end} - "TLS_error:|268436568:SSL_routines:OPENSSL_internal:TLSV1_ALERT_UNRECOGNIZED_NAME:TLS_error_end" 0 98 12 - "-" "okhttp/4.12.0" "52669fb3-d2a2-43f1-a0ce-ad7d71c0d7ca" "basket:8080" "10.61.7.33:8080" outbound|8080||basket.market.svc.cluster.local - 10.96.31.8:8080 10.61.4.20:40118 - default`},
	},
	{
		ID: "certificate-expired", Title: "Certificate outside its validity period", Side: ControlPlane, Severity: Error,
		Meaning:  "A certificate in the TLS handshake is out of date. Expired in an alert means that the peer refused this proxy's certificate; otherwise this proxy refused the peer's.",
		Evidence: "has expired behind CERTIFICATE_VERIFY_FAILED, or the alert CERTIFICATE_EXPIRED",
		Rivals:   []Rival{{"clock-skew", "the certificate is valid, and the clock of one side is wrong"}, {"client-disconnected", "the client left before the retries ended"}, {"route-timeout", "the route's timeout ended the retries"}, {"retries-exhausted", "a later attempt got an answer"}},
		Checks: []string{
			secretCheck,
			datesCheck,
			istiodCertLog,
		},
		Remedy: "Find out why it was not renewed: istiod down for longer than the certificate's life, a plugged-in CA that expired, or a secret nobody renews. Then restart the workload.",
		Cases: []Case{
			{
				Picture: PeerRefused, Checks: []string{secretCheck, ownCertLog, istiodCertLog},
				Remedy: "It is this proxy's own certificate that ran out, so look at this one workload: its proxy got no new one from istiod (its log says why), or the secret or file that it shows is not renewed. Restart the workload to get a new one at once.",
			},
			{
				Picture: OutsideHost, Side: App, Checks: []string{datesCheck, externalHosts},
				Remedy: "The host is outside of the mesh, and its own certificate is out of date: istiod neither issues nor renews it. Tell those who run the host, and look whether the name still leads to the right address; to be without TLS checks meanwhile is a risk that its owner must accept.",
			},
		},
		Docs:     []string{"https://istio.io/latest/docs/ops/common-problems/security-issues/", "https://www.envoyproxy.io/docs/envoy/latest/intro/arch_overview/security/ssl"},
		Examples: []string{`[2026-05-10T23:49:17.479Z] "GET /basket HTTP/1.1" 503 UF upstream_reset_before_response_started{remote_connection_failure|TLS_error:|268436501:SSL_routines:OPENSSL_internal:SSLV3_ALERT_CERTIFICATE_EXPIRED:TLS_error_end} - "TLS_error:|268436501:SSL_routines:OPENSSL_internal:SSLV3_ALERT_CERTIFICATE_EXPIRED:TLS_error_end" 0 98 12 - "-" "Go-http-client/1.1" "acba7fae-df9c-4e44-9067-d20ac770832a" "basket:8080" "10.61.7.33:8080" outbound|8080||basket.market.svc.cluster.local - 10.96.31.8:8080 10.61.4.20:40118 - default`},
	},
	{
		ID: "certificate-revoked", Title: "Certificate is on a revocation list", Side: ControlPlane, Severity: Error,
		Meaning:  "One side found the other's certificate on its list of revoked certificates.",
		Evidence: "revoked behind CERTIFICATE_VERIFY_FAILED, or the alert CERTIFICATE_REVOKED",
		Rivals:   []Rival{{"client-disconnected", "the client left before the retries ended"}, {"route-timeout", "the route's timeout ended the retries"}, {"retries-exhausted", "a later attempt got an answer"}},
		Checks:   []string{"openssl s_client -connect {upstream_ip}:{upstream_port} -servername {host} </dev/null | openssl x509 -noout -serial -issuer", "istioctl proxy-config secret {pod} -n {namespace}"},
		Remedy:   "Issue a new certificate; if the list is wrong, publish a new one.",
		Cases: []Case{
			{
				Picture: PeerRefused, Checks: []string{secretCheck, ownCertLog},
				Remedy: "It is this proxy's own certificate that the peer has on its list: issue a new one for this workload, or take it off the list.",
			},
			{
				Picture: OutsideHost, Side: App,
				Remedy: "The host is outside of the mesh, and its own certificate is revoked: tell those who run it. If the list that this proxy was given is out of date, replace that.",
			},
		},
		Docs:     []string{"https://www.envoyproxy.io/docs/envoy/latest/intro/arch_overview/security/ssl"},
		Examples: []string{`[2026-05-11T04:56:28.516Z] "GET /basket HTTP/1.1" 503 UF upstream_reset_before_response_started{remote_connection_failure|TLS_error:|268436500:SSL_routines:OPENSSL_internal:SSLV3_ALERT_CERTIFICATE_REVOKED:TLS_error_end} - "TLS_error:|268436500:SSL_routines:OPENSSL_internal:SSLV3_ALERT_CERTIFICATE_REVOKED:TLS_error_end" 0 98 12 - "-" "python-requests/2.32.3" "e7e981ed-f020-4e4d-879f-bc6f89295385" "basket:8080" "10.61.7.33:8080" outbound|8080||basket.market.svc.cluster.local - 10.96.31.8:8080 10.61.4.20:40118 - default`},
	},
	{
		ID: "workload-cert-not-issued", Title: "Workload has no certificate yet", Side: ControlPlane, Severity: Error,
		Meaning:  "The proxy was to speak TLS, but has not been given a key and certificate.",
		Evidence: "TLS error: Secret is not supplied by SDS",
		Rivals:   []Rival{{"client-disconnected", "the client left before the retries ended"}, {"route-timeout", "the route's timeout ended the retries"}, {"retries-exhausted", "a later attempt got an answer"}, {"token-missing", "the agent's line says that the token can not be read"}, {"control-plane-unreachable", "the agent's line names a dial error: the CA was not reached, and configuration is missing too"}, {"control-plane-auth", "the agent's line says Unauthenticated or PermissionDenied: the CA was reached and refused"}},
		Checks: []string{
			"istioctl proxy-config secret {pod} -n {namespace}",
			"kubectl logs -n {namespace} {pod} -c istio-proxy | grep -iE 'sds|csr|certificate'",
			"kubectl get secrets -n {namespace}",
		},
		Remedy:   "On a gateway create the secret that credentialName names, in the gateway's namespace. In a sidecar repair the way to istiod or its CA.",
		Docs:     []string{"https://istio.io/latest/docs/tasks/traffic-management/ingress/secure-ingress/", "https://istio.io/latest/docs/ops/common-problems/security-issues/"},
		Examples: []string{`[2026-05-12T09:03:39.553Z] "GET /basket HTTP/1.1" 503 UF upstream_reset_before_response_started{remote_connection_failure|TLS_error:_Secret_is_not_supplied_by_SDS} - "TLS_error:_Secret_is_not_supplied_by_SDS" 0 98 0 - "-" "curl/8.9.1" "ef533c8e-49fc-4661-b106-d5747866a33a" "basket:8080" "10.61.7.33:8080" outbound|8080||basket.market.svc.cluster.local - 10.96.31.8:8080 10.61.4.20:40118 - default`},
	},
}

// tlsReasons are the reasons that come from TLS, most telling first; the one
// that lists names out of the peer's certificate stands in front of all whose
// words such a name could have. A name with ALERT in it was sent by the peer;
// older builds leave the word out.
// Source: https://www.envoyproxy.io/docs/envoy/latest/intro/arch_overview/security/ssl
var tlsReasons = []reason{
	{words: "verify_cert_failed_san", cause: "upstream-cert-untrusted", confidence: High},
	{words: "wrong_version_number", when: "external", cause: "tls-to-plaintext-upstream", rivals: "mtls-to-plaintext", confidence: High},
	{words: "wrong_version_number", cause: "mtls-to-plaintext", rivals: "tls-to-plaintext-upstream", confidence: Medium},
	{words: "secret_is_not_supplied_by_sds", cause: "workload-cert-not-issued", confidence: High},
	{words: "certificate_has_expired,certificate_expired", cause: "certificate-expired", rivals: "clock-skew", confidence: High},
	{words: "certificate_is_not_yet_valid", cause: "clock-skew", rivals: "certificate-expired", confidence: High},
	{words: "certificate_revoked", cause: "certificate-revoked", confidence: High},
	{words: "verify_cert_failed", cause: "upstream-cert-untrusted", confidence: High},
	{words: "certificate_verify_failed", cause: "upstream-cert-untrusted", rivals: "certificate-expired certificate-revoked", confidence: Medium},
	{words: "handshake_failure_on_client_hello,protocol_version,unrecognized_name,no_application_protocol,no_shared_cipher,no_shared_group,no_common_signature_algorithms,unsupported_protocol,insufficient_security,inappropriate_fallback,illegal_parameter",
		cause: "tls-params-mismatch", rivals: "client-cert-refused", confidence: High},
	{words: "unknown_ca,certificate_required,access_denied,decrypt_error,bad_certificate,unsupported_certificate,certificate_unknown", cause: "client-cert-refused", rivals: "certificate-expired", confidence: High},
	{words: "alert_handshake_failure", cause: "client-cert-refused", rivals: "tls-params-mismatch", confidence: Medium},
	{words: "connection_reset_by_peer,33554536", cause: "upstream-connect-failed", rivals: "tls-params-mismatch client-cert-refused", confidence: Medium},
	{words: "tls_error", cause: "tls-params-mismatch", rivals: "client-cert-refused upstream-connect-failed", confidence: Low},
}
