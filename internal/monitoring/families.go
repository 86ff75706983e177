// Package monitoring makes what a Prometheus and a Grafana need to watch a mesh
// through flagwatch's metrics: alert rules, their runbooks, and dashboards. All
// of it is made from the lists of metrics and causes.
package monitoring

import (
	"slices"
	"time"

	"github.com/flagwatch/flagwatch/classify"
)

// A Family is a group of causes that one alert tells of.
type Family struct {
	Alert    string // its name
	Severity string // critical, warning or info
	Summary  string // the end of a sentence, behind requests or events
	Meaning  string
	Roots    []string // causes; those below them belong to the family, too

	Events bool          // counted are events of operational logs, not requests
	Share  float64       // of a workload's requests, above which it alerts
	Least  int           // failures or events within the window, below which it does not
	Window time.Duration // of events; that of requests is requestWindow
	For    time.Duration // how long it must last
}

const requestWindow = 5 * time.Minute

// Severities of alerts, as Alertmanager's routes know them.
const (
	critical = "critical"
	warning  = "warning"
	info     = "info"
)

// Families is THE LIST: each cause that is counted and is more than
// information belongs to exactly one of those that count it.
func Families() []Family {
	return slices.Concat(requestFamilies(), eventFamilies())
}

func requestFamilies() []Family {
	list := []Family{
		{Alert: "MeshNoRoute", Summary: "match no route, listener or server name",
			Meaning: "Proxies do not know where to send requests: a host, path, port or server name has no configuration, or the configuration points to something that is not there.",
			Roots:   []string{"route-missing", "sni-not-sent", "sni-no-match", "cluster-missing", "route-config-not-received", "backend-ref-not-found"}},
		{Alert: "MeshEgressBlocked", Summary: "went to hosts that the mesh does not let out to",
			Meaning: "Workloads call hosts outside of the mesh that no ServiceEntry registers, and the outbound policy is REGISTRY_ONLY.",
			Roots:   []string{"egress-blocked-http", "egress-blocked-tcp"}},
		{Alert: "MeshNoEndpoints", Summary: "found no healthy endpoint",
			Meaning: "The route leads to a service without a ready pod, or to a name that does not resolve.",
			Roots:   []string{"no-endpoints", "dns-failure"}},
		{Alert: "MeshConnectFailures", Summary: "could not be sent: no connection to the upstream",
			Meaning: "Connections to the other side are refused, time out or have no path, also after retries.",
			Roots:   []string{"upstream-connect-failed", "retries-exhausted"}},
		{Alert: "MeshTLSFailures", Summary: "failed for TLS: certificates, plaintext or parameters",
			Meaning: "The two sides do not agree on TLS: one speaks plaintext, or a certificate is expired, not trusted or refused.",
			Roots: []string{"tls-to-plaintext-upstream", "mtls-to-plaintext", "plaintext-to-strict-mtls", "plaintext-to-tls-upstream", "upstream-cert-untrusted", "client-cert-refused",
				"tls-params-mismatch", "certificate-expired", "certificate-revoked", "workload-cert-not-issued", "headless-pod-ip-passthrough", "served-cert-refused"}},
		{Alert: "MeshUpstreamResets", Summary: "were cut off by the upstream or on the way to it",
			Meaning: "Connections or streams end before the response is complete: the application closes them, crashes, drains, or breaks the protocol.",
			Roots:   []string{"upstream-closed", "upstream-remote-reset", "local-reset", "response-truncated", "upstream-protocol-error", "config-change-connection-drain"}},
		{Alert: "MeshTimeouts", Summary: "ran into a time limit",
			Meaning: "The other side is slower than a time limit of the proxies: of a route, a try, a stream or an idle connection.",
			Roots:   []string{"route-timeout", "max-stream-duration", "stream-idle-timeout"}},
		{Alert: "MeshOverload", Summary: "were shed for a limit or overload",
			Meaning: "Circuit breakers, load shedding or the overload manager of proxies refuse requests.",
			Roots:   []string{"circuit-breaker-overflow", "overload-manager", "load-shed", "drop-overload"}},
		{Alert: "MeshPolicyServiceFailures", Summary: "failed because a service that decides about them does",
			Meaning: "An external authorizer, a rate limit service, a server of keys or an extension does not work, so requests are refused that policy would allow.",
			Roots:   []string{"ext-authz-error", "ext-authz-provider-invalid", "rate-limit-service-error", "jwt-jwks-unreachable", "mixer-policy-denied", "extension-not-loaded"}},
		{Alert: "MeshAmbientFailures", Summary: "failed between ztunnels or at a waypoint",
			Meaning: "Ambient mode: no tunnel between nodes, no waypoint, or traffic that is not captured.",
			Roots:   []string{"ambient-hbone-failed", "ambient-waypoint-missing", "ambient-unknown-destination", "ambient-capture-failed"}},
		{Alert: "MeshApplicationErrors", Summary: "got a server error from the application",
			Meaning: "The mesh works, and the application behind it answers with 5xx or a gRPC status of the server.",
			Roots:   []string{"upstream-5xx"}},
		{Alert: "MeshRequestsDenied", Severity: info, Share: 0.1, For: 15 * time.Minute, Summary: "are denied by policy: authorization, tokens or rate limits",
			Meaning: "Policy does what it was told to. That much of it points at a policy that is too narrow, tokens that are expired, or somebody who tries doors.",
			Roots:   []string{"rbac-denied", "ext-authz-denied", "jwt-missing", "jwt-expired", "jwt-issuer-unknown", "jwt-signature", "jwt-audience", "jwt-invalid", "rate-limited-local", "rate-limited-global", "ambient-policy-denied"}},
		{Alert: "MeshBadRequests", Severity: info, Share: 0.1, For: 15 * time.Minute, Summary: "are refused because of what clients send, or end because of them",
			Meaning: "Clients speak another protocol than the port, send what is malformed or too large, or leave at a time limit of their own.",
			Roots: []string{"client-disconnected", "downstream-closed-locally", "slow-client", "downstream-tls-failed", "https-to-http-port", "tcp-on-http-named-port", "h2c-on-http1-port", "malformed-request",
				"http2-downstream-violation", "request-headers-too-large", "body-too-large", "websocket-upgrade-refused", "http10-client", "strict-header-invalid"}},
		{Alert: "MeshConfiguredAnswers", Severity: info, Share: 0.1, For: 15 * time.Minute, Summary: "are answered by configuration of the proxies: faults, maintenance, extensions",
			Meaning: "Proxies answer in place of the application, as they are told to or for a reason that their log does not say: injected faults, maintenance mode, failed health checks, extensions.",
			Roots:   []string{"fault-abort", "maintenance-mode", "health-check-failed", "extension-answered", "unknown-origin", "unknown-flag"}},
	}
	for i := range list {
		f := &list[i]
		f.Least = 10
		if f.Severity == "" {
			f.Severity, f.Share, f.For = warning, 0.02, 5*time.Minute
		}
	}
	return list
}

func eventFamilies() []Family {
	list := []Family{
		{Alert: "MeshControlPlaneUnreachable", Severity: critical, Least: 1, Window: 5 * time.Minute, For: 10 * time.Minute, Summary: "say that proxies do not get configuration from the control plane",
			Meaning: "Proxies go on with the configuration that they have, and new pods do not start. A control plane that restarts is reported, too, but not for this long.",
			Roots:   []string{"control-plane-unreachable", "control-plane-starting", "control-plane-slow", "control-plane-overload", "warming-stuck", "node-id-malformed"}},
		{Alert: "MeshConfigRejected", Severity: warning, Least: 1, Window: 15 * time.Minute, Summary: "say that proxies reject configuration",
			Meaning: "A proxy that rejects an update keeps the old one, and says so only once.",
			Roots:   []string{"config-rejected", "privileged-port-bind", "config-invalid", "lua-runtime-error"}},
		{Alert: "MeshCertificateTrouble", Severity: critical, Least: 1, Window: 5 * time.Minute, For: 10 * time.Minute, Summary: "say that certificates are not issued, expired or not trusted",
			Meaning: "Workloads that start now get no certificate, and the others lose theirs when it expires.",
			Roots:   []string{"control-plane-auth", "ca-not-ready", "ca-root-mismatch", "root-cert-missing", "file-cert-invalid", "certificate-expired", "workload-cert-not-issued"}},
		{Alert: "MeshProxyCrash", Severity: warning, Least: 1, Window: 15 * time.Minute, Summary: "say that a proxy crashed or has run out of something",
			Meaning: "A proxy ended with a fault, was killed for its memory, or has no descriptors left.",
			Roots:   []string{"envoy-exited", "envoy-oom", "fd-limit-crash", "inotify-limit"}},
		{Alert: "MeshProxyStartFailures", Severity: warning, Least: 3, Window: 15 * time.Minute, For: 5 * time.Minute, Summary: "say that proxies do not start or do not become ready",
			Meaning: "A proxy refuses its bootstrap, finds its port taken, or does not become ready in time. One such record is usual while a pod starts.",
			Roots: []string{"bootstrap-rejected", "envoy-not-running", "sidecar-crashloop-unspecified", "sidecar-not-ready-unspecified", "proxy-start-timeout", "app-started-before-proxy",
				"app-probe-failed", "inbound-listener-missing", "draining"}},
		{Alert: "MeshIstiodTrouble", Severity: warning, Least: 3, Window: 15 * time.Minute, For: 5 * time.Minute, Summary: "say that istiod is misconfigured or does not reach the API server",
			Meaning: "istiod lacks rights or resources, or can not read what it configures proxies from.",
			Roots:   []string{"istiod-misconfigured", "istiod-apiserver-unreachable"}},
		{Alert: "MeshWebhookFailures", Severity: warning, Least: 3, Window: 15 * time.Minute, For: 5 * time.Minute, Summary: "say that the injection or validation webhook fails",
			Meaning: "Pods are refused or come up without a sidecar, and configuration can not be changed.",
			Roots:   []string{"webhook-ca-bundle-mismatch", "webhook-refused", "webhook-no-endpoints", "webhook-blocked-by-network", "webhook-blocked-by-apiserver-proxy", "webhook-tls-broken", "webhook-version", "webhook-cert-expired"}},
		{Alert: "MeshInjectionSkipped", Severity: info, Least: 10, Window: 15 * time.Minute, For: 15 * time.Minute, Summary: "say that pods get no sidecar",
			Meaning: "Labels, policy or host networking leave pods out. That is as it should be for some; that much of it is a selector that does not fit.",
			Roots:   []string{"injection-skipped"}},
		{Alert: "MeshCaptureFailures", Severity: critical, Least: 1, Window: 15 * time.Minute, Summary: "say that traffic of pods is not captured: CNI, iptables or ztunnel",
			Meaning: "Pods do not start, or their traffic goes past the proxies: no policy, no encryption.",
			Roots:   []string{"cni-race", "cni-install", "iptables-setup-failed", "ambient-capture-failed"}},
	}
	for i := range list {
		list[i].Events = true
	}
	return list
}

// Causes are the members of a family: what stands below its roots, but for
// information and for what another family of the same kind names. Events may
// have causes that requests have, too; not the other way round.
func (f *Family) Causes() (list []classify.Cause) {
	owner := map[string]string{}
	for _, g := range Families() {
		for _, id := range g.Roots {
			if g.Events == f.Events {
				owner[id] = g.Alert
			}
		}
	}
	parents := map[string]string{}
	for _, c := range classify.Causes() {
		parents[c.ID] = c.Parent
	}
	for _, c := range classify.Causes() {
		id := c.ID
		for id != "" && owner[id] == "" {
			id = parents[id]
		}
		counted := c.Seen == classify.InAccess || c.Seen == classify.InEvents && f.Events
		if owner[id] == f.Alert && counted && c.Severity != classify.Info {
			list = append(list, c)
		}
	}
	return list
}
