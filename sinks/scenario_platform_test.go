package sinks

import (
	"fmt"
	"slices"
	"strings"
	"testing"
)

func istiodLine(at, level, scope, message string) string {
	return fmt.Sprintf("2026-03-02T%s.000000Z\t%s\t%s\t%s\n", at, level, scope, message)
}

// kubeEvent is a row of kubectl get events.
func kubeEvent(age, kind, reason, object, message string) string {
	return fmt.Sprintf("%-8s%-10s%-24s%-28s%s\n", age, kind, reason, object, message)
}

const eventHead = "LAST SEEN   TYPE      REASON                  OBJECT                      MESSAGE\n"

func mainLoop(at string) string {
	return envoyLine(at, "info", "main", "initializing epoch 0 (base id=0, hot restart version=11.104)") +
		envoyLine(at, "info", "main", "starting main dispatch loop")
}

func workers(at string) string {
	return envoyLine(at, "info", "main", "all dependencies initialized. starting workers")
}

func isReady(at string) string {
	return agentLine(at, "info", "Readiness succeeded in 3.1s") + agentLine(at, "info", "Envoy proxy is ready")
}

// identityScenarios: what a proxy needs to be somebody is missing (B4, B5).
var identityScenarios = []scenario{
	{"the token's volume is not there", mainLoop("10:00:00") + repeat(every(0, 15, 6), func(at string) string {
		return agentLine(at, "error", "failed to read the token: open /var/run/secrets/tokens/istio-token: no such file or directory")
	}), "token-missing", "high", "", ""},
	{"kubelet can not mount the token", eventHead + repeat([]string{"2m", "4m", "7m"}, func(age string) string {
		return kubeEvent(age, "Warning", "FailedMount", "pod/cart-7d", `Unable to attach or mount volumes: unmounted volumes=[istio-token], unattached volumes=[istio-token istiod-ca-cert]: timed out waiting for the condition`)
	}), "token-missing", "medium", "", ""},
	{"a cluster that issues no such tokens", eventHead + repeat([]string{"2m", "4m", "7m"}, func(age string) string {
		return kubeEvent(age, "Warning", "FailedMount", "pod/cart-7d", `MountVolume.SetUp failed for volume "istio-token" : failed to fetch token: the server could not find the requested resource`)
	}), "istio-token-projection-unsupported", "", "", ""},
	{"istiod finds the token too old", repeat(every(0, 20, 6), func(at string) string {
		return istiodLine(at, "error", "security", `Failed to authenticate client from 10.42.1.7:40112: Authenticator KubeJWTAuthenticator: failed to validate the JWT from cluster "Kubernetes": the service account authentication returns an error: [invalid bearer token, Token has expired.]`)
	}), "token-expired", "high", "", ""},
	{"istiod finds another audience in the token", repeat(every(0, 20, 6), func(at string) string {
		return istiodLine(at, "error", "security", `Failed to authenticate client from 10.42.1.7:40112: Authenticator KubeJWTAuthenticator: failed to validate the JWT from cluster "Kubernetes": [invalid bearer token, Token is invalid because its audience does not match]`)
	}), "token-audience", "high", "", ""},
	{"no root certificate in the pod", repeat(every(0, 10, 4), func(at string) string {
		return agentLine(at, "error", "root CA file for XDS does not exist /var/run/secrets/istio/root-cert.pem")
	}) + repeat(every(1, 10, 6), func(at string) string { return notReady(at, noUpdates) }), "root-cert-missing", "high", "", ""},
	{"the namespace has no ConfigMap with the root", eventHead + repeat([]string{"1m", "3m"}, func(age string) string {
		return kubeEvent(age, "Warning", "FailedMount", "pod/cart-7d", `MountVolume.SetUp failed for volume "istiod-ca-cert" : configmap "istio-ca-root-cert" not found`)
	}), "root-cert-missing", "high", "", ""},
	{"istiod's certificate is of another root", repeat(every(0, 30, 6), func(at string) string {
		return envoyLine(at, "warning", "config", `StreamAggregatedResources gRPC config stream to xds-grpc closed since 120s ago: 14, connection error: desc = "transport: authentication handshake failed: tls: failed to verify certificate: x509: certificate signed by unknown authority (possibly because of "crypto/rsa: verification error" while trying to verify candidate authority certificate "cluster.local")"`)
	}), "ca-root-mismatch", "high", "", ""},
	{"the CA has no key to sign with", repeat(every(0, 20, 5), func(at string) string {
		return istiodLine(at, "error", "serverca", "CSR signing error (Istio CA is not ready)")
	}), "ca-not-ready", "high", "", ""},
	{"the CA refuses to sign", mainLoop("10:00:00") + repeat(every(0, 12, 8), func(at string) string {
		return agentLine(at, "warn", `cache	resource:default failed to sign: create certificate: rpc error: code = Unauthenticated desc = request authenticate failure`)
	}) + repeat(every(0, 2, 30), func(at string) string {
		return notReady(at, "server is not live, current state is: INITIALIZING")
	}), "control-plane-auth", "high", "", ""},
	{"the CA does not answer", mainLoop("10:00:00") + repeat(every(0, 12, 8), func(at string) string {
		return agentLine(at, "warn", `sds	failed to warm certificate: failed to generate workload certificate: create certificate: EOF`)
	}) + repeat(every(0, 2, 30), func(at string) string {
		return notReady(at, "server is not live, current state is: INITIALIZING")
	}), "workload-cert-not-issued", "", "", ""},
}

// startScenarios: refused, unreachable, or refused later (B1 to B3, B6, B7).
var startScenarios = []scenario{
	{"a listener that can not bind ends the start, told twice", repeat(every(0, 40, 3), func(at string) string {
		return envoyLine(at, "error", "config", "listener '0.0.0.0_15021' failed to bind or apply socket options: cannot bind '0.0.0.0:15021': Address already in use") +
			envoyLine(at, "critical", "main", "error `cannot bind '0.0.0.0:15021': Address already in use` initializing config 'goo.gle/debugstr   ") +
			"  etc/istio/proxy/envoy-rev.json'\ncannot bind '0.0.0.0:15021': Address already in use\n"
	}), "bootstrap-port-in-use", "high", streamEvidence, ""},
	{"the same text in a proxy that lives", mainLoop("10:00:00") + workers("10:00:01") + isReady("10:00:02") + repeat(every(5, 60, 3), func(at string) string {
		return envoyLine(at, "error", "config", "listener '0.0.0.0_15021' failed to bind or apply socket options: cannot bind '0.0.0.0:15021': Address already in use")
	}), "lds-rejected-port-in-use", "", countersEvidence, ""},
	{"an unknown field ends the start", envoyLine("10:00:00", "critical", "main", "error initializing config '  etc/istio/proxy/envoy-rev.json': Protobuf message (type envoy.config.bootstrap.v3.Bootstrap reason INVALID_ARGUMENT: no such field: 'lisnter') has unknown fields"),
		"bootstrap-invalid-proto", "", "", ""},
	{"a bootstrap refused once, and twice in its words", envoyLine("10:00:00", "critical", "main", "error `Unable to convert YAML as JSON: ` initializing config 'goo.gle/debugproto   ") +
		"  etc/istio/proxy/envoy-rev.json'\nUnable to convert YAML as JSON: \n", "bootstrap-invalid-yaml", "high", "", ""},
	{"validation finds it", "error initializing configuration 'boot.yaml': Unknown gRPC client cluster 'xds-grcp'\n", "bootstrap-unknown-cluster", "", "", ""},
	{"Kubernetes sees a crash, the log says why", eventHead + kubeEvent("20s", "Warning", "BackOff", "pod/cart-7d", "Back-off restarting failed container istio-proxy in pod cart-7d_shop(0b7f)") + repeat(every(0, 40, 3), func(at string) string {
		return envoyLine(at, "critical", "main", "error initializing configuration 'etc/istio/proxy/envoy-rev.json': Unknown gRPC client cluster 'xds-grcp'")
	}), "bootstrap-unknown-cluster", "", "", ""},
	{"Kubernetes sees a proxy that is not ready, the log says why", eventHead + repeat([]string{"12s", "14s", "16s"}, func(age string) string {
		return kubeEvent(age, "Warning", "Unhealthy", "pod/cart-7d", "Readiness probe failed: HTTP probe failed with statuscode: 503")
	}) + repeat(every(0, 2, 40), func(at string) string { return notReady(at, noUpdates) }), "control-plane-unreachable", "high", "", ""},
	{"the name of the control plane does not resolve", mainLoop("10:00:00") + repeat(every(1, 20, 5), func(at string) string {
		return envoyLine(at, "warning", "config", `StreamAggregatedResources gRPC config stream to xds-grpc closed since 65s ago: 14, connection error: desc = "transport: Error while dialing: dial tcp: lookup istiod.istio-system.svc on 10.96.0.10:53: no such host"`)
	}), "control-plane-dns", "", streamEvidence, ""},
	{"packets to the control plane are dropped", mainLoop("10:00:00") + repeat(every(1, 20, 5), func(at string) string {
		return envoyLine(at, "warning", "config", `StreamAggregatedResources gRPC config stream to xds-grpc closed since 65s ago: 14, connection error: desc = "transport: Error while dialing: dial tcp 10.96.11.4:15012: i/o timeout"`)
	}), "control-plane-blocked", "", streamEvidence, ""},
	{"an update refused while the proxy serves", mainLoop("10:00:00") + workers("10:00:02") + isReady("10:00:03") + envoyLine("10:20:00", "warning", "config", listenerRefused),
		"lds-rejected-no-filter-chain", "", countersEvidence, ""},
	{"records out of order", isReady("10:00:04") + notReady("10:00:02", noUpdates) + mainLoop("10:00:00") + notReady("10:00:01", noUpdates) + workers("10:00:03"), "control-plane-unreachable", "", startEvidence, foldRoutine},
	{"a shutdown that is asked for", isReady("10:00:01") + agentLine("10:30:00", "info", "Agent draining Proxy for termination") + envoyLine("10:30:00", "warning", "main", "caught ENVOY_SIGTERM") +
		envoyLine("10:30:01", "warning", "config", "StreamAggregatedResources gRPC config stream to xds-grpc closed: 13, upstream_reset_after_response_started{connection_termination}"),
		"draining", "", "", foldRoutine},
}

// injectionScenarios: I1 to I4 and I7 as rows of events and lines of istiod.
var injectionScenarios = []scenario{
	{"istiod skips a pod", repeat(every(0, 30, 3), func(at string) string {
		return istiodLine(at, "info", "injection", "Skipping injection of shop/cart-7d due to policy check")
	}), "injection-skipped-policy", "", "", ""},
	{"istiod's pods are not ready", eventHead + repeat([]string{"10s", "52s"}, func(age string) string {
		return kubeEvent(age, "Warning", "FailedCreate", "replicaset/cart-7d", `Error creating: Internal error occurred: failed calling webhook "namespace.sidecar-injector.istio.io": failed to call webhook: Post "https://istiod.istio-system.svc:443/inject?timeout=10s": no endpoints available for service "istiod"`)
	}), "webhook-no-endpoints", "", "", ""},
	{"the webhook's certificate has another root, and istiod hears of it", eventHead + kubeEvent("10s", "Warning", "FailedCreate", "replicaset/cart-7d", `Error creating: Internal error occurred: failed calling webhook "namespace.sidecar-injector.istio.io": failed to call webhook: Post "https://istiod.istio-system.svc:443/inject?timeout=10s": x509: certificate signed by unknown authority (possibly because of "crypto/rsa: verification error" while trying to verify candidate authority certificate "cluster.local")`) +
		repeat(every(0, 60, 3), func(at string) string {
			return istiodLine(at, "info", "", "http: TLS handshake error from 10.42.0.1:51888: remote error: tls: bad certificate")
		}), "webhook-ca-bundle-mismatch", "", "", ""},
	{"the hook waits, and its log says for what", eventHead + kubeEvent("5s", "Warning", "FailedPostStartHook", "pod/cart-7d", `Exec lifecycle hook ([pilot-agent wait]) for Container "istio-proxy" in Pod "cart-7d_shop(0b7f)" failed - error: command 'pilot-agent wait' exited with 255: Error: timeout waiting for Envoy proxy to become ready. Last error: HTTP status code 503`) +
		repeat(every(0, 2, 35), func(at string) string { return notReady(at, noUpdates) }), "control-plane-unreachable", "", "", ""},
}

// placed puts the wrapper of a log collector with the place of a pod around lines.
func placed(pod, container, text string) string {
	var b strings.Builder
	for line := range strings.Lines(text) {
		b.WriteString("[pod/" + pod + "/" + container + "] " + line)
	}
	return b.String()
}

// interleave mixes lines of two streams, one by one.
func interleave(a, b string) string {
	x, y := strings.SplitAfter(a, "\n"), strings.SplitAfter(b, "\n")
	var out strings.Builder
	for i := range max(len(x), len(y)) {
		for _, list := range [][]string{x, y} {
			if i < len(list) {
				out.WriteString(list[i])
			}
		}
	}
	return out.String()
}

// Streams that are cut, mixed or late never make an alarm out of proxies that
// are well.
func TestNoAlarm(t *testing.T) {
	start := notReady("10:00:01", noUpdates) + mainLoop("10:00:00") + workers("10:00:02") + isReady("10:00:03")
	renewed := envoyLine("10:30:00", "warning", "config", streamEnded) + agentLine("10:30:01", "info", "xdsproxy\tconnected to delta upstream XDS server: istiod.istio-system.svc:15012")
	later := strings.ReplaceAll(start+renewed, "T10:", "T11:")
	later = strings.ReplaceAll(later, "02 10:", "02 11:")
	lines := strings.SplitAfter(start+renewed, "\n")
	reversed := slices.Clone(lines)
	slices.Reverse(reversed)
	for name, text := range map[string]string{
		"in order":                 start + renewed,
		"backwards":                strings.Join(reversed, ""),
		"two pods, interleaved":    interleave(placed("cart-1", "istio-proxy", start+renewed), placed("cart-2", "istio-proxy", later)),
		"two pods, no prefix":      interleave(start+renewed, later),
		"with an application":      interleave(start+renewed, strings.Repeat("INFO handling basket 7\n", 9)),
		"the head of it is gone":   strings.Join(lines[3:], ""),
		"cut within a line":        (start + renewed)[40:],
		"half a readiness message": start + notReady("10:00:04", "config not received from XDS server (is Istiod running?): cds upda") + isReady("10:00:05"),
		"a backtrace cut in half":  start + "#3: Envoy::Server::ServerBase::run() [0x55d0c2]\n#4: Envoy::MainCommonBase::run() [0x55d0",
		"a dump without its head":  start + "  admin:\n    address:\n      socket_address: {address: 127.0.0.1, port_value: 15000}\n",
		"readiness of one, ready of the other": interleave(placed("cart-1", "istio-proxy", notReady("10:00:01", noUpdates)), placed("cart-2", "istio-proxy", isReady("10:00:02"))) +
			placed("cart-1", "istio-proxy", isReady("10:00:03")),
	} {
		t.Run(name, func(t *testing.T) {
			r := reportOf(text)
			for _, c := range r.Causes {
				if c.Fold == "" && c.Verdict.Severity != "info" {
					t.Errorf("an alarm: %s", cardList(r))
				}
			}
		})
	}
}

// A pod that is well must not hide one that is not.
func TestTwoPodsMixed(t *testing.T) {
	well := mainLoop("10:00:00") + workers("10:00:02") + isReady("10:00:03") + renewedStreams()
	ill := mainLoop("10:00:00") + repeat(every(0, 2, 40), func(at string) string { return notReady(at, noUpdates) })
	r := reportOf(interleave(placed("cart-1", "istio-proxy", well), placed("cart-2", "istio-proxy", ill)))
	if len(r.Causes) == 0 || r.Causes[0].Verdict.Cause != "control-plane-unreachable" || r.Causes[0].Fold != "" {
		t.Fatalf("verdict: %s", cardList(r))
	}
	if p := r.Causes[0].Proxies; len(p) != 1 || p[0].Value != "cart-2" {
		t.Errorf("proxies %+v", p)
	}
}

func renewedStreams() string {
	return repeat([]string{"10:30:00", "11:00:00", "11:30:00"}, func(at string) string {
		return envoyLine(at, "warning", "config", streamEnded) + agentLine(at, "info", "xdsproxy\tconnected to delta upstream XDS server: istiod.istio-system.svc:15012")
	})
}

// What a card says to do belongs to the verdict, not to what the records say
// by themselves.
func TestRemedyIsTheVerdicts(t *testing.T) {
	refined := 0
	for _, s := range slices.Concat(scenarios, identityScenarios, startScenarios, injectionScenarios) {
		for _, c := range reportOf(s.text).Causes {
			cause, ok := catalogue().Cause(c.Verdict.Cause)
			if !ok || c.Remedy != cause.Remedy || c.Meaning != cause.Meaning || !slices.Equal(c.Docs, cause.Docs) {
				t.Errorf("%s: %s tells of another cause: %s", s.name, c.Verdict.Cause, c.Remedy)
			}
			if c.Verdict.Cause != c.ID {
				refined++
			}
		}
	}
	if refined < 5 {
		t.Errorf("%d refined verdicts were looked at", refined)
	}
}
