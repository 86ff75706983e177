package sinks

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"
)

// A line of an Envoy, of its agent, and of a listener that no route saw.

func envoyLine(at, level, component, message string) string {
	return fmt.Sprintf("[2026-03-02 %s.000][1][%s][%s] [source/server/server.cc:990] %s\n", at, level, component, message)
}

func agentLine(at, level, message string) string {
	return fmt.Sprintf("2026-03-02T%s.000000Z\t%s\t%s\n", at, level, message)
}

func notReady(at, reason string) string {
	return agentLine(at, "warn", "Envoy proxy is NOT ready: "+reason)
}

const (
	noUpdates       = "config not received from XDS server (is Istiod running?): cds updates: 0 successful, 0 rejected; lds updates: 0 successful, 0 rejected"
	refusedUpdates  = "config received from XDS server, but was rejected: cds updates: 1 successful, 0 rejected; lds updates: 0 successful, 4 rejected"
	oldRefused      = "config not received from Pilot (is Pilot running?): cds updates: 1 successful, 0 rejected; lds updates: 0 successful, 2 rejected"
	streamEnded     = "StreamAggregatedResources gRPC config stream to xds-grpc closed: 14, connection termination"
	listenerRefused = "gRPC config for type.googleapis.com/envoy.config.listener.v3.Listener rejected: Error adding/updating listener(s) 0.0.0.0_8443: no filter chains specified"
)

// every is n times of day from 10:MM:00 on, step seconds apart.
func every(minute, step, n int) (list []string) {
	at := time.Date(2026, 3, 2, 10, minute, 0, 0, time.UTC)
	for i := range n {
		list = append(list, at.Add(time.Duration(i*step)*time.Second).Format("15:04:05"))
	}
	return list
}

// repeat is a line for each time.
func repeat(times []string, line func(at string) string) string {
	var b strings.Builder
	for _, at := range times {
		b.WriteString(line(at))
	}
	return b.String()
}

func accessAt(at string, a access) string {
	a.time = "2026-03-02T" + at + ".000Z"
	a.id = fmt.Sprintf("5f0c9a44-6c1e-4a57-9d0a-%012x", hashID([]byte(at+a.cluster+a.flags))>>16)
	return a.String()
}

func okAt(cluster string) func(string) string {
	return func(at string) string { return accessAt(at, access{cluster: cluster}) }
}

const (
	reviews = "outbound|9080||reviews.shop.svc.cluster.local"
	ratings = "outbound|8080||ratings.shop.svc.cluster.local"
	inbound = "inbound|9080||"
)

func closedAt(at string) string {
	return accessAt(at, access{code: "503", flags: "UC", details: "upstream_reset_before_response_started{connection_termination}", cluster: reviews})
}

func emptyAt(at string) string {
	return accessAt(at, access{code: "503", flags: "UH", details: "no_healthy_upstream", host: "-", cluster: reviews})
}

// listener is the record of a connection that found no filter chain.
func listener(at, local, sni, reason string) string {
	return fmt.Sprintf(`[2026-03-02T%s.000Z] "- - -" 0 NR filter_chain_not_found - "%s" 0 0 0 - "-" "-" "-" "-" "-" - - %s 10.42.0.7:51000 %s -`+"\n", at, reason, local, sni)
}

// A scenario is a stream as a row of the documents describes it, and what the
// report has to make of the whole.
type scenario struct {
	name, text string
	cause      string // of the verdict that stands first, or of the named fold
	confidence string // "" any
	evidence   string // kind that must be there, "" any
	fold       string
}

var scenarios = []scenario{
	// traffic
	{"every request of a host fails from a moment on", repeat(every(0, 5, 60), okAt(reviews)) + repeat(every(5, 5, 60), closedAt) + repeat(every(0, 5, 120), okAt(ratings)),
		"plaintext-to-strict-mtls", "medium", onsetAllEvidence, ""},
	{"until it is removed", repeat(every(0, 5, 60), okAt(reviews)) + repeat(every(5, 5, 60), closedAt) + repeat(every(10, 5, 60), okAt(reviews)),
		"plaintext-to-strict-mtls", "medium", onsetAllEvidence, ""},
	{"a few of a host's requests fail", repeat(every(0, 5, 60), okAt(reviews)) + repeat(every(1, 20, 12), closedAt),
		"upstream-closed", "", "", ""},
	{"the server's own record proves it", repeat(every(5, 5, 60), closedAt) + repeat(every(5, 5, 60), func(at string) string {
		return listener(at, "10.42.3.9:9080", "-", "TLS_error:|268435612:SSL routines:OPENSSL_internal:HTTP_REQUEST:TLS_error_end")
	}), "plaintext-to-strict-mtls", "", "", ""},
	{"errors before no host is left", repeat(every(0, 2, 20), func(at string) string {
		return accessAt(at, access{code: "503", flags: "UF", details: "upstream_reset_before_response_started{connection_failure}", cluster: reviews})
	}) + repeat(every(1, 2, 60), emptyAt), "outlier-all-ejected", "medium", ejectionEvidence, ""},
	{"no host from the begin on", repeat(every(1, 2, 60), emptyAt), "no-endpoints", "", "", ""},
	{"a connection reused while the server closes it", repeat(every(0, 1, 900), okAt(inbound)) + repeat(every(1, 60, 9), func(at string) string {
		return accessAt(at, access{code: "503", flags: "UC", details: "upstream_reset_before_response_started{connection_termination}", cluster: inbound})
	}), "keepalive-race", "", steadyEvidence, ""},
	{"a client without a server name, probes that pass", repeat(every(0, 10, 30), okAt(ratings)) + repeat(every(0, 10, 30), func(at string) string {
		return listener(at, "10.42.0.1:8443", "-", "-")
	}), "sni-not-sent", "", besideEvidence, ""},
	{"a client that gives up after a minute", repeat(every(0, 30, 20), func(at string) string {
		return strings.Replace(accessAt(at, access{code: "0", flags: "DC", details: "downstream_remote_disconnect"}), " 0 95 3 2 ", " 0 0 60001 - ", 1)
	}), "request-timeout-by-lb", "low", timeoutEvidence, ""},

	// injection
	{"an untrusted webhook", `Warning  FailedCreate  2m (x14 over 9m)  replicaset-controller  Error creating: Internal error occurred: failed calling webhook "namespace.sidecar-injector.istio.io": failed to call webhook: Post "https://istiod.istio-system.svc:443/inject?timeout=10s": x509: certificate signed by unknown authority` + "\n",
		"webhook-ca-bundle-mismatch", "", "", ""},
	{"a webhook that nobody serves", `Warning  FailedCreate  2m (x14 over 9m)  replicaset-controller  Error creating: Internal error occurred: failed calling webhook "namespace.sidecar-injector.istio.io": failed to call webhook: Post "https://istiod.istio-system.svc:443/inject?timeout=10s": dial tcp 10.96.11.4:443: connect: connection refused` + "\n",
		"webhook-refused", "", "", ""},
	{"the apiserver's proxy", `W0302 10:11:12.156818       1 dispatcher.go:142] Failed calling webhook, failing open namespace.sidecar-injector.istio.io: failed calling webhook "namespace.sidecar-injector.istio.io": failed to call webhook: Post "https://istiod.istio-system.svc:443/inject?timeout=10s": Service Unavailable` + "\n",
		"webhook-blocked-by-apiserver-proxy", "", "", ""},
	{"the hook gives up", `Warning  FailedPostStartHook  62s  kubelet  Exec lifecycle hook ([pilot-agent wait]) for Container "istio-proxy" in Pod "cart-5" failed - error: command 'pilot-agent wait' exited with 255: Error: timeout waiting for Envoy proxy to become ready. Last error: HTTP status code 503` + "\n",
		"proxy-start-timeout", "", "", ""},

	// bootstrap
	{"a cluster that the bootstrap lacks, again and again", repeat(every(0, 40, 4), func(at string) string {
		return envoyLine(at, "critical", "main", "error initializing configuration 'etc/istio/proxy/envoy-rev.json': Unknown gRPC client cluster 'xds-wrong'")
	}), "bootstrap-unknown-cluster", "", streamEvidence, ""},
	{"a main loop that no workers follow", envoyLine("10:00:00", "info", "main", "initializing epoch 0 (base id=0, hot restart version=11.104)") +
		envoyLine("10:00:00", "info", "main", "starting main dispatch loop"), "control-plane-unreachable", "medium", absenceEvidence, ""},
	{"nothing received", repeat(every(0, 2, 40), func(at string) string { return notReady(at, noUpdates) }), "control-plane-unreachable", "high", countersEvidence, ""},
	{"nothing received, and nothing listens there", repeat(every(0, 30, 6), func(at string) string {
		return envoyLine(at, "warning", "config", "StreamAggregatedResources gRPC config stream to xds-grpc closed since 95s ago: 14, connection error: desc = \"transport: Error while dialing: dial tcp 10.96.11.4:15012: connect: connection refused\"")
	}), "control-plane-down", "", streamEvidence, ""},
	{"received and refused", repeat(every(0, 2, 40), func(at string) string { return notReady(at, refusedUpdates) }) +
		envoyLine("10:00:00", "warning", "config", listenerRefused), "config-rejected", "high", countersEvidence, ""},
	{"refused, in the words of old agents", repeat(every(0, 2, 40), func(at string) string { return notReady(at, oldRefused) }), "config-rejected", "high", "", ""},
	{"no HTTP/2 towards the control plane", repeat([]string{"10:00:45", "10:01:10", "10:01:55"}, func(at string) string {
		return envoyLine(at, "warning", "config", "StreamAggregatedResources gRPC config stream to xds-grpc closed since 41s ago: 14, upstream connect error or disconnect/reset before headers. reset reason: protocol error")
	}), "xds-cluster-not-http2", "", streamEvidence, ""},
	{"a node id without its parts", repeat(every(0, 20, 4), func(at string) string {
		return envoyLine(at, "warning", "config", `StreamAggregatedResources gRPC config stream to xds-grpc closed: 2, missing parts in the service node "sidecar~10.42.1.7"`)
	}), "node-id-malformed", "", "", ""},
	{"a token of another audience", repeat(every(0, 20, 4), func(at string) string {
		return envoyLine(at, "warning", "config", "StreamAggregatedResources gRPC config stream to xds-grpc closed: 16, authentication failure")
	}), "control-plane-auth", "", "", ""},

	// look-alikes
	{"not ready for a second", repeat(every(0, 1, 2), func(at string) string { return notReady(at, noUpdates) }) +
		agentLine("10:00:03", "info", "Readiness succeeded in 2.9s") + agentLine("10:00:03", "info", "Envoy proxy is ready"), "control-plane-unreachable", "", startEvidence, foldRoutine},
	{"one stream that is renewed", envoyLine("10:00:00", "warning", "config", streamEnded) + agentLine("10:00:01", "info", "xdsproxy\tconnected to delta upstream XDS server: istiod.istio-system.svc:15012"),
		"control-plane-recycled", "", "", foldRoutine},
	{"a stream that ends and never comes back", repeat(every(0, 20, 8), func(at string) string { return envoyLine(at, "warning", "config", streamEnded) }),
		"control-plane-connection-reset", "", streamEvidence, ""},
}

func TestScenarios(t *testing.T) {
	for _, s := range slices.Concat(scenarios, identityScenarios, startScenarios, injectionScenarios) {
		t.Run(s.name, func(t *testing.T) {
			r := reportOf(s.text)
			i := slices.IndexFunc(r.Causes, func(c Card) bool { return c.Fold == s.fold })
			if i < 0 {
				t.Fatalf("no cause with fold %q: %s", s.fold, cardList(r))
			}
			c := &r.Causes[i]
			if c.Verdict.Cause != s.cause || s.confidence != "" && c.Verdict.Confidence != s.confidence {
				t.Errorf("verdict %s, want %s %s; all: %s", c.Verdict.Cause, s.cause, s.confidence, cardList(r))
			}
			if s.evidence != "" && !slices.ContainsFunc(c.Evidence, func(e Evidence) bool { return e.Kind == s.evidence }) {
				t.Errorf("no evidence %s: %+v", s.evidence, c.Evidence)
			}
			if s.fold != "" && slices.ContainsFunc(r.Causes, func(c Card) bool { return c.Fold == "" && c.Verdict.Severity != "info" }) {
				t.Errorf("an alarm: %s", cardList(r))
			}
		})
	}
}

func cardList(r *Report) string {
	var b strings.Builder
	for _, c := range r.Causes {
		fmt.Fprintf(&b, "%s (%s, of %s, fold %q, %d failed, %d events) ", c.Verdict.Cause, c.Verdict.Confidence, c.ID, c.Fold, c.Failed, c.Events)
	}
	return b.String()
}
