package classify

// sidecarCauses are what is known of a sidecar's start, readiness and end.
var sidecarCauses = []Cause{
	{
		ID: "sidecar-crashloop-unspecified", Title: "Proxy container restarts again and again, reason elsewhere", Side: Platform, Severity: Error, Seen: InEvents,
		Meaning:  "The proxy's container ends soon after each start, and Kubernetes waits longer before every new attempt. The event does not say why it ends.",
		Evidence: "an event BackOff, or the kubelet's CrashLoopBackOff, for istio-proxy, or for a container without a name",
		Rivals: []Rival{
			{"bootstrap-rejected", "the container's log has a critical line about the configuration"},
			{"envoy-oom", "the last state is OOMKilled"},
			{"iptables-setup-failed", "the container that restarts is istio-init"},
		},
		Checks: []string{"kubectl logs -n {namespace} {pod} -c istio-proxy --previous", "kubectl describe pod -n {namespace} {pod}"},
		Remedy: "Act on what the previous container's log says last.",
		Docs:   []string{"https://kubernetes.io/docs/tasks/debug/debug-application/debug-running-pod/", "https://kubernetes.io/docs/concepts/workloads/pods/pod-lifecycle/#restart-policy"},
		Examples: []string{
			"4m51s       Warning   BackOff   pod/ledger-5c7f8d6b9-q2wzt   Back-off restarting failed container istio-proxy in pod ledger-5c7f8d6b9-q2wzt_market(5c1a3f7e-2b90-4d11-8c52-0f6c1f1d7a10)",
		},
	},
	{
		ID: "sidecar-not-ready-unspecified", Title: "Proxy readiness probe fails, reason elsewhere", Side: Platform, Severity: Warning, Seen: InEvents,
		Meaning:  "The kubelet's readiness check of the proxy failed. Once or twice at the start that is normal; while it lasts, the pod gets no traffic.",
		Evidence: "a failed readiness or startup probe of port 15021 or 15020, or an answer 503",
		Rivals: []Rival{
			{"control-plane-unreachable", "the agent's line `Envoy proxy is NOT ready` has only zeros"},
			{"config-rejected", "its counters show updates rejected"},
			{"app-probe-failed", "the probe is that of the application"},
		},
		Checks: []string{"kubectl logs -n {namespace} {pod} -c istio-proxy | grep -E 'NOT ready|is ready' | tail", "istioctl proxy-status", "kubectl get pods -n istio-system -l app=istiod"},
		Remedy: "Follow the reason that the agent's own line gives. Timeouts without such a line point to a lack of CPU or a policy between node and pod.",
		Docs:   []string{"https://istio.io/latest/docs/ops/diagnostic-tools/proxy-cmd/", "https://kubernetes.io/docs/concepts/workloads/pods/pod-lifecycle/#container-probes"},
		Examples: []string{
			`19s         Warning   Unhealthy   pod/ledger-5c7f8d6b9-q2wzt   Readiness probe failed: Get "http://10.61.8.14:15021/healthz/ready": dial tcp 10.61.8.14:15021: connect: connection refused`,
			`I0214 08:09:10.111213    2231 prober.go:107] "Probe failed" probeType="Readiness" pod="market/ledger-5c7f8d6b9-q2wzt" podUID="5c1a3f7e-2b90-4d11-8c52-0f6c1f1d7a10" containerName="istio-proxy" probeResult="failure" output="HTTP probe failed with statuscode: 503"`,
		},
	},
	{
		ID: "proxy-start-timeout", Title: "Waiting for the proxy to become ready timed out", Side: Platform, Severity: Error, Seen: InEvents,
		Meaning:  "The application is held until its proxy is ready, and the proxy was not within the time (60 s). Kubernetes then ends the proxy and tries again.",
		Evidence: "`pilot-agent wait` gave up, or the event FailedPostStartHook of istio-proxy",
		Rivals:   []Rival{{"control-plane-unreachable", "readiness lines with zeros stand before it: this is then the reason"}, {"bootstrap-rejected", "a critical line about the configuration stands before it"}},
		Checks:   []string{"kubectl logs -n {namespace} {pod} -c istio-proxy --previous | grep -E 'NOT ready|critical|closed'", "istioctl proxy-status"},
		Remedy:   "Repair the reason that keeps the proxy from being ready; a longer wait only hides it.",
		Versions: "Istio 1.7 and later",
		Docs:     []string{"https://istio.io/latest/docs/ops/common-problems/injection/"},
		Examples: []string{
			`2024-03-21T11:00:59.140066Z	error	timeout waiting for Envoy proxy to become ready. Last error: HTTP status code 503`,
			`  Warning  FailedPostStartHook  42s  kubelet  Exec lifecycle hook ([pilot-agent wait]) for Container "istio-proxy" in Pod "ledger-0_market(77aa10f2-0b6e-4f7e-9a54-31d0c9be6a01)" failed - error: command 'pilot-agent wait' exited with 255: Error: timeout waiting for Envoy proxy to become ready.`,
		},
	},
	{
		ID: "app-started-before-proxy", Title: "Application started before its proxy was ready", Side: Platform, Severity: Error, Seen: InEvents,
		Meaning:  "Containers of a pod start together. The application used the network before its proxy could carry the traffic, and was refused.",
		Evidence: "the application's own start hook failed on the network; otherwise the application's log alone shows it, with the proxy's ready line later than the error",
		Rivals:   []Rival{{"upstream-refused", "it still fails long after the proxy is ready"}},
		Checks: []string{
			"kubectl logs -n {namespace} {pod} -c istio-proxy --timestamps | grep -m1 'Envoy proxy is ready'",
			"kubectl get pod -n {namespace} {pod} -o custom-columns='NAME:.status.containerStatuses[*].name,STARTED:.status.containerStatuses[*].state.running.startedAt'",
		},
		Remedy:   "Set holdApplicationUntilProxyStarts (mesh-wide, or by the annotation proxy.istio.io/config), or use native sidecars, and let the application try again.",
		Docs:     []string{"https://istio.io/latest/docs/ops/common-problems/injection/", "https://kubernetes.io/docs/concepts/workloads/pods/sidecar-containers/"},
		Examples: []string{`  Warning  FailedPostStartHook  8s  kubelet  Exec lifecycle hook ([/bin/sh -c curl -sf http://catalog:8080/warm]) for Container "ledger" in Pod "ledger-0_market(77aa10f2-0b6e-4f7e-9a54-31d0c9be6a01)" failed - error: command '/bin/sh -c curl -sf http://catalog:8080/warm' exited with 7: curl: (7) Failed to connect to catalog port 8080: Connection refused`},
	},
	{
		ID: "app-probe-failed", Title: "Application's own probe failed behind the proxy", Side: App, Severity: Warning, Seen: InEvents,
		Meaning:  "The agent passes the kubelet's probe on to the application, and the application did not answer it well. The proxy itself is fine.",
		Evidence: "the agent's `Request to probe app failed`, a probe of /app-health/, or the answer 500 that the agent gives for it",
		Rivals:   []Rival{{"sidecar-not-ready-unspecified", "the probe is that of istio-proxy: port 15021, path /healthz/ready"}},
		Checks:   []string{"kubectl describe pod -n {namespace} {pod} | grep -E 'Liveness|Readiness|Startup'", "kubectl logs -n {namespace} {pod} --all-containers --since=10m | grep -i -E 'health|live|ready'"},
		Remedy:   "Let the application answer its probe, or give the probe more time: initialDelaySeconds, timeoutSeconds.",
		Docs:     []string{"https://istio.io/latest/docs/ops/configuration/mesh/app-health-check/"},
		Examples: []string{
			"2021-05-17T18:40:11.090871Z\terror\tRequest to probe app failed: Get \"http://localhost:8080/livez\": dial tcp 127.0.0.1:8080: connect: connection refused, original URL path = /app-health/ledger/livez",
			`7s          Warning   Unhealthy   pod/ledger-5c7f8d6b9-q2wzt   Liveness probe failed: Get "http://10.61.8.14:15020/app-health/ledger/livez": context deadline exceeded`,
		},
	},
	{
		ID: "inbound-listener-missing", Title: "No inbound listener for an application port", Side: Platform, Severity: Error, Seen: InEvents,
		Meaning:  "The agent expects a listener for each port of the application, and the control plane sent none for one of them: no Service names that port.",
		Evidence: "`envoy missing listener for inbound application port`",
		Rivals:   []Rival{{"control-plane-unreachable", "every listener is missing"}},
		Checks:   []string{"kubectl get service -n {namespace} -o wide", "istioctl proxy-config listeners {pod} -n {namespace}"},
		Remedy:   "Declare the port in a Service that selects the pod, or take it off the containerPorts.",
		Versions: "Istio 1.0 and 1.1",
		Docs:     []string{"https://istio.io/latest/docs/ops/deployment/application-requirements/"},
		Examples: []string{"2019-04-09T07:31:50.622017Z\tinfo\tEnvoy proxy is NOT ready: failed checking application ports. listeners=\"0.0.0.0:15090\": envoy missing listener for inbound application port: 9080"},
	},
	{
		ID: "draining", Title: "Proxy is shutting down as asked", Side: Platform, Severity: Info, Seen: InEvents,
		Meaning:  "The pod is being stopped: the proxy takes no new connections and waits for the open ones. Errors just after this are effects of the shutdown.",
		Evidence: "the agent's or Envoy's lines about the signal TERM and the drain; the event Killing",
		Rivals:   []Rival{{"drain-cut-connections", "connections were still open when the time was over"}},
		Checks:   []string{"kubectl get events -n {namespace} --field-selector involvedObject.name={pod}"},
		Remedy:   "Nothing, unless the pod was not meant to stop.",
		Docs:     []string{"https://www.envoyproxy.io/docs/envoy/latest/intro/arch_overview/operations/draining", "https://kubernetes.io/docs/concepts/workloads/pods/pod-lifecycle/#pod-termination"},
		Examples: []string{
			"2025-06-05T19:20:21.222324Z\tinfo\tAgent draining Proxy for termination",
			"[2021-09-30 05:06:07.080][1][warning][main] [source/server/server.cc:720] caught ENVOY_SIGTERM",
			"9s          Normal    Killing   pod/ledger-5c7f8d6b9-q2wzt   Stopping container istio-proxy",
		},
	},
	{
		ID: "drain-cut-connections", Title: "Shutdown cut connections that were still open", Parent: "draining", Side: Platform, Severity: Warning, Seen: InEvents,
		Meaning:  "The time to drain was over before the connections were: the proxy ended and cut what was left.",
		Evidence: "the graceful termination ended too early, or Envoy was killed while it drained",
		Rivals:   []Rival{{"draining", "no request failed at that time"}, {"envoy-oom", "the container's last state is OOMKilled"}},
		Checks: []string{
			"kubectl get pod -n {namespace} {pod} -o jsonpath='{.spec.terminationGracePeriodSeconds}'",
			"istioctl proxy-config bootstrap {pod} -n {namespace} -o json | grep -i -E 'drain|EXIT_ON_ZERO'",
		},
		Remedy: "Give more time: terminationDrainDuration, or EXIT_ON_ZERO_ACTIVE_CONNECTIONS with a terminationGracePeriodSeconds above the longest request; stop the application after its proxy has drained.",
		Docs:   []string{"https://istio.io/latest/docs/reference/config/istio.mesh.v1alpha1/#ProxyConfig", "https://www.envoyproxy.io/docs/envoy/latest/intro/arch_overview/operations/draining"},
		Examples: []string{
			"2023-12-24T17:18:19.202122Z\twarn\tGraceful termination logic ended prematurely, error while obtaining downstream_cx_active stat (Max retry 5 exceeded)",
			"2025-02-11T02:03:04.050607Z\tinfo\tEnvoy exited with status signal: killed",
		},
	},
}

var sidecarRules = []Rule{
	// start and readiness
	{"message:timeout_waiting_for_envoy_proxy_to_become_ready", "proxy-start-timeout", "control-plane-unreachable bootstrap-rejected", High},
	{"component:failedpoststarthook message:pilot_agent_wait", "proxy-start-timeout", "control-plane-unreachable bootstrap-rejected", High},
	{"message:poststarthookerror message:pilot_agent_wait", "proxy-start-timeout", "control-plane-unreachable bootstrap-rejected", High},
	{"component:failedpoststarthook !message:istio_proxy message:connection_refused,could_not_resolve_host,no_such_host,failed_to_connect", "app-started-before-proxy", "", Medium},
	{"message:missing_listener_for_inbound_application_port,failed_checking_application_ports", "inbound-listener-missing", "control-plane-unreachable", High},
	{"message:request_to_probe_app_failed", "app-probe-failed", "", High},
	{"message:readiness_probe_failed,liveness_probe_failed,startup_probe_failed,probe_failed message:app_health", "app-probe-failed", "", High},
	{"message:readiness_probe_failed,startup_probe_failed,probe_failed message:healthz_ready", "sidecar-not-ready-unspecified", "control-plane-unreachable config-rejected", Medium},
	{"message:^probe_failed message:containername_istio_proxy", "sidecar-not-ready-unspecified", "control-plane-unreachable config-rejected", Medium},
	{"emitter:k8s-event message:container_istio_proxy_failed", "sidecar-not-ready-unspecified", "control-plane-unreachable config-rejected", Medium},
	{"emitter:k8s-event message:readiness_probe_failed,startup_probe_failed message:statuscode_503", "sidecar-not-ready-unspecified", "app-probe-failed", Low},
	{"emitter:k8s-event message:readiness_probe_failed,liveness_probe_failed,startup_probe_failed message:statuscode_500", "app-probe-failed", "", Low},
	{"message:failed_container_istio_proxy,failed_container_name_istio_proxy", "sidecar-crashloop-unspecified", "bootstrap-rejected envoy-oom envoy-exited", High},
	{"emitter:k8s-event message:istio_ingressgateway,istio_egressgateway message:crashloopbackoff", "sidecar-crashloop-unspecified", "bootstrap-rejected envoy-oom envoy-exited", High},
	{"emitter:k8s-event message:^back_off_restarting_failed_container$", "sidecar-crashloop-unspecified", "bootstrap-rejected", Low},
	// end
	{"message:graceful_termination_logic_ended_prematurely", "drain-cut-connections", "draining", Medium},
	{"message:connection_failed_to_drain_within_the_timeout", "drain-cut-connections", "draining", Medium},
	{"message:graceful_termination_period", "draining", "drain-cut-connections", High},
	{"message:there_are_still message:active_connections", "draining", "drain-cut-connections", High},
	{"message:agent_draining,caught_sigterm,caught_envoy_sigterm,closing_and_draining_listeners,current_state_is_draining,stopping_container_istio_proxy,killing_container_with_id_docker_istio_proxy,received_signal_sigterm,pool_draining,due_to_connection_drain", "draining", "", High},
}
