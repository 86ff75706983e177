//go:build e2e

package e2e

import "strings"

// sides says whose fault each cause of the lab is.
func sides() map[string]string {
	list := map[string]string{
		"application": `outlier-all-ejected upstream-refused upstream-closed keepalive-race app-closed-after-timeout upstream-remote-reset
			response-truncated upstream-protocol-error route-timeout per-try-timeout max-stream-duration stream-idle-timeout retries-exhausted
			app-error upstream-5xx`,
		"client": `sni-not-sent h2c-on-http1-port https-url-on-plaintext downstream-tls-failed http-to-https-port downstream-cert-refused http10-client slow-client client-disconnected
			rate-limited-global rate-limited-local ext-authz-denied ext-authz-redirect rbac-denied jwt-missing jwt-expired jwt-issuer-unknown
			jwt-signature jwt-audience jwt-invalid strict-header-invalid malformed-request https-to-http-port http2-downstream-violation
			request-headers-too-large body-too-large`,
		"client-proxy": `route-missing gateway-host-unbound route-host-port-mismatch gateway-shared-cert-connection-reuse sni-no-match
			gateway-port-name-conflict cluster-missing backend-ref-not-found redirect-or-direct-response egress-blocked-http egress-blocked-tcp
			egress-passthrough tls-to-plaintext-upstream plaintext-to-tls-upstream circuit-breaker-overflow retry-budget-overflow
			local-connection-failure plaintext-to-strict-mtls mtls-to-plaintext upstream-cert-untrusted client-cert-refused tls-params-mismatch
			served-cert-refused grpc-protocol-mismatch connection-max-age downstream-closed-locally fault-abort fault-delay load-shed
			extension-answered maintenance-mode websocket-upgrade-refused`,
		"control-plane": `route-config-not-received certificate-expired certificate-revoked workload-cert-not-issued config-change-connection-drain
			jwt-jwks-unreachable drop-overload extension-not-loaded config-rejected lds-rejected-no-filter-chain control-plane-unreachable
			control-plane-down control-plane-slow xds-initial-fetch-timeout file-cert-invalid`,
		"network": `dns-failure upstream-connect-failed upstream-connect-timeout upstream-unreachable ambient-hbone-failed`,
		"platform": `inbound-undeclared-port no-endpoints subset-without-endpoints clock-skew rate-limit-service-error ext-authz-error overload-manager
			tcp-on-http-named-port bootstrap-rejected bootstrap-unknown-cluster bootstrap-static-route-unknown-cluster bootstrap-missing-field
			bootstrap-invalid-proto bootstrap-invalid-yaml bootstrap-malformed-address bootstrap-missing-file bootstrap-tls-material-invalid
			bootstrap-unknown-extension bootstrap-port-in-use config-validate-failed fd-limit-crash drain-cut-connections
			lds-rejected-port-in-use xds-cluster-not-http2`,
		"server-proxy": `health-check-failed`,
	}
	side := map[string]string{}
	for name, causes := range list {
		for _, id := range strings.Fields(causes) {
			side[id] = name
		}
	}
	return side
}
