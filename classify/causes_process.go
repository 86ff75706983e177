package classify

// processCauses are why an Envoy process died, as it says itself, or the agent
// that runs it, or the kubelet.
var processCauses = []Cause{
	{
		ID: "envoy-exited", Title: "Envoy process ended unexpectedly", Side: Platform, Severity: Error, Seen: InEvents,
		Meaning:  "Envoy ended although nobody had asked it to. The pod's traffic fails until it runs again.",
		Evidence: "the agent reports an exit with an error, or Envoy a fatal signal that names no finer reason",
		Rivals: []Rival{
			{"bootstrap-rejected", "it exits within a second of each start, and a critical line speaks of the configuration"},
			{"envoy-oom", "the signal was KILL, and the container's last state is OOMKilled"},
			{"envoy-assert-failure", "a line `assert failure` or `panic` stands just before the signal"},
			{"drain-cut-connections", "`Agent draining` stands before it: the pod was being stopped"},
			{"envoy-uncaught-exception", "the line before the exit speaks of an exception"},
			{"fd-limit-crash", "the lines before the exit say too many open files"},
		},
		Checks: []string{
			"kubectl logs -n {namespace} {pod} -c istio-proxy --previous | tail -n 60",
			"kubectl get pod -n {namespace} {pod} -o custom-columns='NAME:.status.containerStatuses[*].name,EXIT:.status.containerStatuses[*].lastState.terminated.exitCode,REASON:.status.containerStatuses[*].lastState.terminated.reason'",
		},
		Remedy: "Read the last critical lines of the previous container. Exit code 137 is a kill, 134 an abort, 139 a segmentation fault; for the last two report the backtrace and upgrade.",
		Docs:   []string{"https://istio.io/latest/docs/ops/common-problems/network-issues/", "https://kubernetes.io/docs/tasks/debug/debug-application/debug-running-pod/"},
		Examples: []string{
			"2026-02-03T10:41:22.607315Z\terror\tEnvoy exited with error: exit status 1",
			"2019-08-06T03:12:55.102938Z\twarn\tEpoch 2 terminated with an error: signal: killed",
		},
	},
	{
		ID: "envoy-segfault", Title: "Envoy crashed with a segmentation fault", Parent: "envoy-exited", Side: Platform, Severity: Error, Seen: InEvents,
		Meaning:  "Envoy, or an extension inside it, touched memory that is not its own, and the kernel ended it.",
		Evidence: "`Caught Segmentation fault` with a backtrace, or `signal: segmentation fault` in the agent's line; exit code 139",
		Rivals:   []Rival{{"fd-limit-crash", "lines before the crash say too many open files"}, {"envoy-assert-failure", "the signal is abort, not segmentation fault"}},
		Checks:   []string{"kubectl logs -n {namespace} {pod} -c istio-proxy --previous | grep -A40 'suspect faulting address'"},
		Remedy:   "Move to the newest patch release of the proxy, take out Wasm, Lua or other extensions on trial, and report the decoded backtrace.",
		Docs:     []string{"https://www.envoyproxy.io/docs/envoy/latest/faq/overview", "https://docs.aws.amazon.com/app-mesh/latest/userguide/troubleshooting-scaling.html"},
		Examples: []string{
			"[2024-09-12 07:20:44.318][31][critical][backtrace] [./source/server/backtrace.h:127] Caught Segmentation fault, suspect faulting address 0x28",
			"2022-11-09T16:30:02.771240Z\terror\tEnvoy exited with error: signal: segmentation fault",
		},
	},
	{
		ID: "envoy-assert-failure", Title: "Envoy stopped on a failed assertion", Parent: "envoy-exited", Side: Platform, Severity: Error, Seen: InEvents,
		Meaning:  "A condition that must hold inside Envoy did not, so it ended itself. The condition stands in the line.",
		Evidence: "`assert failure: CONDITION` or `panic: TEXT`, then `Caught Aborted`; exit code 134",
		Rivals: []Rival{
			{"fd-limit-crash", "the condition is about a socket, or the line says too many open files"},
			{"hot-restart-parent-not-ready", "the condition is about hot restart"},
			{"envoy-uncaught-exception", "the line speaks of an exception, not of an assertion"},
		},
		Checks: []string{"kubectl logs -n {namespace} {pod} -c istio-proxy --previous | grep -B3 -A40 -E 'assert failure|panic:'"},
		Remedy: "Look the condition up among the issues of this Envoy version and upgrade; if it began with a change of configuration, take that back.",
		Docs:   []string{"https://github.com/envoyproxy/envoy/blob/main/STYLE.md#error-handling"},
		Examples: []string{
			"[2023-04-18 22:05:10.540][44][critical][assert] [source/common/router/upstream_request.cc:390] assert failure: !upstream_canary_.",
			"2020-12-01T09:09:31.200417Z\tcritical\tenvoy assert\tpanic: not implemented",
		},
	},
	{
		ID: "envoy-uncaught-exception", Title: "Envoy stopped on an uncaught exception", Parent: "envoy-exited", Side: Platform, Severity: Error, Seen: InEvents,
		Meaning:  "An error reached the top of an Envoy thread because no code expected it; the runtime ended the process. Its text names the object that was bad.",
		Evidence: "`std::terminate called`, or the C++ library's `terminating with uncaught exception`",
		Rivals:   []Rival{{"unknown-grpc-cluster-crash", "the exception is about a gRPC cluster that is not there"}, {"bootstrap-rejected", "it happens at every start, with the same text"}},
		Checks:   []string{"kubectl logs -n {namespace} {pod} -c istio-proxy --previous | grep -i -A30 'exception'"},
		Remedy:   "Take back the configuration that the exception's text names, then upgrade: newer versions refuse such configuration without ending.",
		Docs:     []string{"https://github.com/envoyproxy/envoy/blob/main/STYLE.md#error-handling"},
		Examples: []string{
			"[2025-01-22 13:14:15.160][19][critical][main] [source/exe/terminate_handler.cc:36] std::terminate called! Uncaught EnvoyException 'Invalid header map size', see trace.",
			"terminate called after throwing an instance of 'Envoy::EnvoyException'",
		},
	},
	{
		ID: "envoy-oom", Title: "Proxy killed at its memory limit", Side: Platform, Severity: Error, Seen: InEvents, Aliases: []string{"proxy-oom-killed"},
		Meaning:  "The proxy's container needed more memory than its limit, and the kernel killed it. Open connections were lost without a word.",
		Evidence: "the agent's remark about out of memory, an event OOMKilling that names Envoy, or OOMKilled as the last state of istio-proxy",
		Rivals:   []Rival{{"envoy-exited", "the last state is not OOMKilled: somebody else sent the signal"}, {"drain-cut-connections", "the kill came at the end of the grace period of a pod being stopped"}},
		Checks: []string{
			"kubectl describe pod -n {namespace} {pod} | grep -A8 -i 'last state'",
			"kubectl top pod -n {namespace} {pod} --containers",
			"kubectl exec -n {namespace} {pod} -c istio-proxy -- pilot-agent request GET memory",
		},
		Remedy: "Raise the proxy's memory limit (annotation sidecar.istio.io/proxyMemoryLimit). If it grows with the size of the mesh, narrow its configuration with a Sidecar resource.",
		Docs:   []string{"https://istio.io/latest/docs/ops/deployment/performance-and-scalability/", "https://kubernetes.io/docs/tasks/configure-pod-container/assign-memory-resource/"},
		Examples: []string{
			"2023-07-30T21:15:08.044721Z\twarn\tEnvoy may have been out of memory killed. Check memory usage and limits.",
			"3m12s       Warning   OOMKilling   node/worker-7   Memory cgroup out of memory: Killed process 88213 (envoy) total-vm:1822140kB, anon-rss:1046016kB",
		},
	},
	{
		ID: "fd-limit-crash", Title: "Out of file descriptors", Side: Platform, Severity: Error, Seen: InEvents, Aliases: []string{"fd-limit", "fd-limit-exhausted"},
		Meaning:  "Each connection takes a file descriptor, and the process reached its limit. Old versions of Envoy crash, newer ones fail the connection and live on.",
		Evidence: "`Too many open files`, or a failed assertion about a socket's descriptor",
		Rivals: []Rival{
			{"inotify-limit", "the line is about a watch on files, not about sockets: the limit is the node's"},
			{"envoy-assert-failure", "`ulimit -n` in the container is far above the number of connections"},
		},
		Checks: []string{
			"kubectl exec -n {namespace} {pod} -c istio-proxy -- sh -c 'ulimit -n; ls /proc/1/fd | wc -l'",
			"kubectl exec -n {namespace} {pod} -c istio-proxy -- pilot-agent request GET 'stats?filter=cx_active'",
		},
		Remedy: "Raise the limit of open files of the container runtime or pod (16384 and more), and look for connections that are never closed.",
		Docs:   []string{"https://istio.io/latest/docs/ops/common-problems/network-issues/#envoy-is-crashing-under-load", "https://docs.aws.amazon.com/app-mesh/latest/userguide/troubleshooting-scaling.html"},
		Examples: []string{
			"[2018-07-07 12:13:14.151][9][critical][assert] source/common/network/connection_impl.cc:58] assert failure: fd_ != -1",
			"[2025-10-02 06:01:17.330][27][error][envoy_bug] [source/common/network/socket_interface_impl.cc:116] envoy bug failure: false. Details: socket(2) failed, got error: Too many open files",
		},
	},
	{
		ID: "inotify-limit", Title: "Node is out of inotify watches", Side: Platform, Severity: Error, Seen: InEvents,
		Meaning:  "The kernel allows each user of a node only so many file watches. The agent needs one for its certificates and got none.",
		Evidence: "the agent's secret manager or a file watcher reports `too many open files` or `no space left on device`",
		Rivals:   []Rival{{"fd-limit-crash", "sockets fail as well: it is the process's own limit"}},
		Checks:   []string{"kubectl debug node/{node} -it --image=busybox -- sysctl fs.inotify.max_user_instances fs.inotify.max_user_watches"},
		Remedy:   "Raise fs.inotify.max_user_instances and fs.inotify.max_user_watches on the nodes.",
		Docs:     []string{"https://github.com/istio/istio/issues/55915"},
		Examples: []string{
			"Error: failed to start SDS server: failed to start workload secret manager too many open files",
			"2024-12-12T04:44:10.902155Z\terror\tfailed to create a file watcher: fsnotify: too many open files",
		},
	},
}

var processRules = []Rule{
	// the limits first: they also show as assertions and signals
	{"message:too_many_open_files,no_space_left_on_device message:secret_manager,sds_server,inotify,fsnotify,file_watcher,create_watcher", "inotify-limit", "fd-limit-crash", High},
	{"emitter:envoy,envoy-validate message:assert_failure_fd_1,assert_failure_socket_valid", "fd-limit-crash", "envoy-assert-failure", High},
	{"emitter:envoy,envoy-validate,ztunnel,pilot-agent,istiod message:too_many_open_files", "fd-limit-crash", "", High},
	{"emitter:envoy message:proc_self message:errno_24", "fd-limit-crash", "", Medium},
	{"message:may_have_been_out_of_memory_killed", "envoy-oom", "envoy-exited", High},
	{"emitter:k8s-event component:oomkilling,systemoom message:envoy,pilot_agent", "envoy-oom", "", High},
	{"emitter:k8s-event message:oomkilled message:istio_ingressgateway,istio_egressgateway", "envoy-oom", "", Medium},
	{"emitter:k8s-event message:^istio_proxy message:reason_oomkilled", "envoy-oom", "", High},
	{"emitter:k8s-event message:^istio_proxy message:exit_code_139", "envoy-segfault", "", Medium},
	// a kill while the pod is being stopped is none of a crash
	{"message:envoy_exited_with_status_signal_killed", "drain-cut-connections", "envoy-oom envoy-exited", Medium},
	{"message:caught_segmentation_fault,signal_segmentation_fault,signal_11", "envoy-segfault", "", High},
	{"message:signal_aborted message:exited_with_error,terminated_with_an_error,envoy_exited", "envoy-assert-failure", "envoy-uncaught-exception fd-limit-crash", Low},
	{"message:std_terminate_called,terminating_with_uncaught_exception,terminate_called_after_throwing !message:unknown_grpc_client_cluster", "envoy-uncaught-exception", "", High},
	{"emitter:envoy message:assert_failure,^panic !message:hot_restart,shared_memory,domain_socket", "envoy-assert-failure", "", High},
	{"emitter:envoy message:watchdog_multikill,watchdog_abortaction,watchdog_kill", "envoy-exited", "", Medium},
	{"message:suspect_faulting_address", "envoy-exited", "envoy-assert-failure envoy-uncaught-exception fd-limit-crash", Medium},
	{"message:envoy_exited_with_error,exited_with_error,terminated_with_an_error message:signal_killed message:envoy,epoch", "envoy-exited", "envoy-oom", Medium},
	{"message:envoy_exited_with_error,exited_with_error,terminated_with_an_error message:envoy,epoch", "envoy-exited", "bootstrap-rejected", Medium},
	{"message:envoy_exited_with_status_signal !message:signal_terminated", "envoy-exited", "", Medium},
	{"message:error_in_invoking_drain_listeners_endpoint,failed_draining_listeners", "envoy-exited", "drain-cut-connections", Low},
}
