package classify

import (
	"slices"
	"testing"

	"github.com/flagwatch/flagwatch/parser"
)

// Layouts of the programs of a pod and a node, by version.
const (
	crashes15  frame = "[2017-11-28 03:04:05.607][17][critical][assert] source/common/network/address_impl.cc:112] TEXT"
	crashes112 frame = "[2020-01-30 03:04:05.607][17][critical][assert] [external/envoy/source/common/network/listener_impl.cc:80] TEXT"
	crashes116 frame = "2021-01-30T03:04:05.607080Z\tcritical\tenvoy assert\tTEXT"
	crashes128 frame = "2023-12-30T03:04:05.607080Z\tcritical\tenvoy assert external/envoy/source/common/network/socket_interface_impl.cc:113\tTEXT\tthread=17"
	signals    frame = "[2024-12-30 03:04:05.607][17][critical][backtrace] [./source/server/backtrace.h:127] TEXT"
	plainText  frame = "TEXT"
	agent12    frame = "2019-05-30T03:04:05.607080Z\tinfo\tTEXT"
	agentWarns frame = "2022-05-30T03:04:05.607080Z\twarn\tTEXT"
	agentError frame = "2025-05-30T03:04:05.607080Z\terror\tTEXT"
	agentJSON  frame = `{"level":"info","time":"2025-05-30T03:04:05.607080Z","msg":"TEXT"}`
	dies19     frame = "[2022-12-30 03:04:05.607][1][warning][main] [source/server/server.cc:860] TEXT"
	pasted     frame = "2020-05-30T03:04:05.607080Z     info    TEXT"
	plugin     frame = "2024-05-30T03:04:05.607080Z\terror\tcni-plugin\tTEXT"
	nodeAgent  frame = `{"level":"error","time":"2025-05-30T03:04:05.607080Z","scope":"cni-agent","msg":"TEXT"}`
	installs   frame = "2023-05-30T03:04:05.607080Z\tinfo\tinstall\tTEXT"
	repairs    frame = "2023-05-30T03:04:05.607080Z\tinfo\trepair\tTEXT"
	sandbox    frame = `  Warning  FailedCreatePodSandBox  31s (x4 over 1m)  kubelet  Failed to create pod sandbox: rpc error: code = Unknown desc = failed to setup network for sandbox "beef": TEXT`
	sandbox115 frame = `Failed create pod sandbox: rpc error: code = Unknown desc = failed to set up sandbox container "beef" network for pod "ledger-6c9d7f": NetworkPlugin cni failed to set up pod "ledger-6c9d7f_till" network: TEXT`
	inits      frame = "2021-05-30T03:04:05.607080Z\terror\tCommand error output: TEXT"
	backsOff   frame = "73s         Warning   BackOff   pod/ledger-6c9d7f   Back-off restarting failed container TEXT in pod ledger-6c9d7f_till(0c1d2e3f-4a5b-4c6d-8e7f-90a1b2c3d4e5)"
	syncs      frame = `E0530 03:04:05.607080    1717 pod_workers.go:191] Error syncing pod 0c1d2e3f-4a5b-4c6d-8e7f-90a1b2c3d4e5, skipping: failed to "StartContainer" for "TEXT" with CrashLoopBackOff: "back-off 40s restarting failed container=TEXT pod=istio-cni-node-x7_istio-system(0c1d2e3f-4a5b-4c6d-8e7f-90a1b2c3d4e5)"`
	unhealthy  frame = "26s         Warning   Unhealthy   pod/ledger-6c9d7f   TEXT"
	probes     frame = `I0530 03:04:05.607080    1717 prober.go:107] "Probe failed" probeType="Readiness" pod="till/ledger-6c9d7f" podUID="0c1d2e3f-4a5b-4c6d-8e7f-90a1b2c3d4e5" containerName="istio-proxy" probeResult="failure" output="TEXT"`
	hook       frame = `  Warning  FailedPostStartHook  77s  kubelet  Exec lifecycle hook (TEXT) for Container "ledger" in Pod "ledger-6c9d7f_till"`
	denies     frame = "2025-05-30T03:04:05.607080Z\twarn\taccess\tTEXT"
	nodes118   frame = "2023-05-30T03:04:05.607080Z  WARN outbound{id=beef}: ztunnel::proxy::outbound: TEXT"
	node       frame = "2024-10-30T03:04:05.607080Z\terror\tinpod::workloadmanager\tTEXT"
)

func processEvents() []told {
	return slices.Concat(
		every("fd-limit-crash", `assert failure: fd_ != -1`, crashes15, plainText),
		every("fd-limit-crash", `panic: listener accept failure: Too many open files`, crashes112, crashes116, plainText),
		every("fd-limit-crash", `assert failure: SOCKET_VALID(result.rc_). Details: socket(2) failed, got error: Too many open files`, crashes112, crashes116, crashes128),
		every("fd-limit-crash", `assert failure: SOCKET_VALID(result.return_value_).`, crashes128),
		every("inotify-limit", `failed to start workload secret manager too many open files`, agentError),
		every("inotify-limit", `unable to watch mesh config: fsnotify: no space left on device`, agentError),
		every("envoy-oom", `Envoy may have been out of memory killed. Check memory usage and limits.`, agentWarns, agentJSON, plainText),
		every("envoy-segfault", `Caught Segmentation fault, suspect faulting address 0x7f00`, signals, plainText),
		every("envoy-segfault", `Envoy exited with error: signal: segmentation fault (core dumped)`, agentError, agentJSON),
		every("envoy-assert-failure", `Envoy exited with error: signal: aborted`, agentError),
		every("envoy-assert-failure", `Epoch 0 exited with error: signal: aborted (core dumped)`, agentError),
		every("envoy-assert-failure", `assert failure: deferred_delete_list_.empty()`, crashes15, crashes112, crashes116, crashes128, plainText),
		every("envoy-assert-failure", `panic: not reached`, crashes112, crashes116),
		every("envoy-uncaught-exception", `std::terminate called! Uncaught EnvoyException 'stale cursor', see trace.`, signals, plainText),
		every("envoy-uncaught-exception", `libc++abi: terminating with uncaught exception of type Envoy::EnvoyException: stale cursor`, plainText),
		every("envoy-exited", `Caught Aborted, suspect faulting address 0x53900000010`, signals, plainText),
		every("envoy-exited", `Watchdog MULTIKILL as 3 threads are stuck.`, crashes112),
		every("envoy-exited", `Epoch 0 terminated with an error: signal: killed`, agent12, agentError),
		every("envoy-exited", `Epoch 4 exited with error: exit status 255`, agentError),
		every("envoy-exited", `Envoy exited with error: signal: killed`, agentError, agentJSON, plainText),
		every("envoy-exited", `Envoy exited with error: exit status 1`, agentError),
		every("envoy-exited", `Envoy exited with status signal: bus error`, agent12),
		every("envoy-exited", `failed draining listeners for Envoy on port 15000: Post "http://127.0.0.1:15000/drain_listeners?inboundonly": dial tcp 127.0.0.1:15000: connect: connection refused`, agentWarns),
		every("drain-cut-connections", `Envoy exited with status signal: killed`, agent12, agentJSON),
		[]told{
			{"fd-limit-crash", "[symbolize_elf.inc : 871] RAW: /proc/self/task/17/maps: errno=24"},
			{"fd-limit-crash", "[warn] evutil_make_internal_pipe_: pipe: Too many open files"},
			{"fd-limit-crash", "2025-05-30T03:04:05.607080Z\terror\thttp: Accept error: accept tcp [::]:15017: accept4: too many open files; retrying in 1s"},
			{"envoy-oom", "6m          Warning   OOMKilling   node/worker-3   Memory cgroup out of memory: Killed process 4711 (envoy) total-vm:902112kB, anon-rss:522016kB"},
			{"envoy-oom", "6m          Warning   SystemOOM   node/worker-3   System OOM encountered, victim process: envoy, pid: 4711"},
			{"envoy-oom", "istio-system   istio-ingressgateway-7d5c   0/1   OOMKilled   3 (40s ago)   41m"},
		},
	)
}

func sidecarEvents() []told {
	const late = `timeout waiting for Envoy proxy to become ready. Last error: Get "http://localhost:15021/healthz/ready": dial tcp [::1]:15021: connect: connection refused`
	return slices.Concat(
		every("proxy-start-timeout", late, agentError),
		every("proxy-start-timeout", "Error: "+late, plainText),
		every("proxy-start-timeout", `[pilot-agent wait]`, hook),
		every("app-started-before-proxy", `[/opt/till/warm] exited with 1: dial tcp 10.96.3.3:5432: connect: connection refused`, hook),
		every("inbound-listener-missing", `Envoy proxy is NOT ready: envoy missing listener for inbound application port: 7070`, agent12),
		every("app-probe-failed", `Request to probe app failed: Get http://localhost:7070/alive: EOF, original URL path = /app-health/till/livez`, agent12, agentError, pasted),
		every("app-probe-failed", `Readiness probe failed: Get "http://10.61.4.20:15020/app-health/till/readyz": context deadline exceeded (Client.Timeout exceeded while awaiting headers)`, unhealthy),
		every("app-probe-failed", `Liveness probe failed: HTTP probe failed with statuscode: 500`, unhealthy),
		every("sidecar-not-ready-unspecified", `Readiness probe failed: Get http://10.61.4.20:15020/healthz/ready: dial tcp 10.61.4.20:15020: connect: connection refused`, unhealthy, plainText),
		every("sidecar-not-ready-unspecified", `Startup probe failed: Get "http://10.61.4.20:15021/healthz/ready": context deadline exceeded`, unhealthy),
		every("sidecar-not-ready-unspecified", `HTTP probe failed with statuscode: 503`, probes),
		every("sidecar-not-ready-unspecified", `Get \"http://10.61.4.20:15021/healthz/ready\": context deadline exceeded`, probes),
		every("sidecar-not-ready-unspecified", `Readiness probe failed: HTTP probe failed with statuscode: 503`, unhealthy),
		every("sidecar-crashloop-unspecified", `istio-proxy`, backsOff, syncs),
		every("draining", `Agent draining Proxy for termination`, agent12, agentJSON),
		every("draining", `Agent draining proxy for 20s, then waiting for active connections to terminate...`, agent12, pasted),
		every("draining", `Graceful termination period is 25s, starting...`, agent12),
		every("draining", `Graceful termination period complete, terminating remaining proxies.`, agent12),
		every("draining", `There are still 4 active connections`, agent12),
		every("draining", `caught ENVOY_SIGTERM`, dies19),
		every("draining", `Envoy proxy is NOT ready: server is not live, current state is: DRAINING`, agentWarns),
		every("drain-cut-connections", `Graceful termination logic ended prematurely, envoy process terminated early`, agentWarns),
		every("drain-cut-connections", `connection failed to drain within the timeout`, node),
		[]told{
			{"proxy-start-timeout", `E0530 03:04:05.607080    1717 pod_workers.go:191] Error syncing pod 0c1d2e3f-4a5b-4c6d-8e7f-90a1b2c3d4e5, skipping: failed to "StartContainer" for "istio-proxy" with PostStartHookError: "command 'pilot-agent wait' exited with 255"`},
			{"sidecar-not-ready-unspecified", "31s         Normal    Killing   pod/ledger-6c9d7f   Container istio-proxy failed startup probe, will be restarted"},
			{"sidecar-crashloop-unspecified", "  Warning  BackOff  73s (x44 over 9m)  kubelet  Back-off restarting failed container"},
			{"draining", "44s         Normal    Killing   pod/ledger-6c9d7f   Stopping container istio-proxy"},
			{"gateway-host-unbound", "2023-05-30T03:04:05.607080Z\tinfo\tconstructed http route config for route http.8080 on port 80 with no vhosts; Setting up a default 404 vhost"},
			{"gateway-port-name-conflict", "2020-05-30T03:04:05.607080Z\tinfo\tmodel\tskipping server on gateway till/front port https.443.HTTPS: non unique port name for HTTPS port"},
			{"gateway-port-name-conflict", "2024-05-30T03:04:05.607080Z\twarn\tmodel\tskipping server on gateway till/front, duplicate host names: [shop.example.com]"},
			{"ext-authz-provider-invalid", "2024-05-30T03:04:05.607080Z\terror\tauthorization\tfailed to process CUSTOM action, will generate deny configs for the specified rules: available providers are [] but found \"till-guard\""},
			{"jwt-jwks-unreachable", "2021-05-30T03:04:05.607080Z\terror\tmodel\tFailed to fetch public key from \"https://id.till.example/keys\": Get \"https://id.till.example/keys\": context deadline exceeded"},
			{"jwt-jwks-unreachable", "[2022-05-30 03:04:05.607][1][warning][jwt] [source/extensions/filters/http/common/jwks_fetcher.cc:88] fetch: fetch pubkey [uri = https://id.till.example/keys]: network error 0"},
			{"jwt-jwks-unreachable", "[2025-05-30 03:04:05.607][1][warning][jwt] [source/extensions/filters/http/jwt_authn/jwks_async_fetcher.cc:115] Jwks async fetching url=https://id.till.example/keys: failed"},
			{"overload-manager", "[2019-05-30 03:04:05.607][1][info][main] [source/server/overload_manager_impl.cc:190] Overload action envoy.overload_actions.shrink_heap has become active"},
		},
	)
}

func nodeEvents() []told {
	return slices.Concat(
		every("ztunnel-dns-bind-failed", `failed to start proxy: Bind([::1]:15053, Os { code: 99, kind: AddrNotAvailable, message: \"Cannot assign requested address\" })`, node),
		every("ambient-capture-failed", `failed to start proxy: Bind(127.0.0.1:15001, Os { code: 98, kind: AddrInUse, message: \"Address already in use\" })`, node),
		every("cni-no-ztunnel-connection", `failed to connect to the Istio CNI node agent over "/run/till.sock", is the node agent healthy? details: "Connection refused (os error 111)". retrying in 15s`, node, "error\tinpod::workloadmanager\tTEXT"),
		every("ambient-policy-denied", `connection failed	src.addr=10.61.4.20:41 dst.addr=10.61.4.9:7600 direction="inbound" error="connection closed due to policy rejection: allow policies exist, but none allowed"`, denies),
		every("ambient-unknown-destination", `connection failed	src.addr=10.61.4.20:41 dst.addr=10.61.4.9:7600 direction="inbound" error="unknown destination: 10.61.4.9"`, denies),
		every("ambient-unknown-destination", `TLS handshake error: certificate lookup error: /10.61.4.9 is not a known destination`, "2025-05-30T03:04:05.607080Z\twarn\thyper_util:proxy{wl=till/ledger-6c9d7f}\tTEXT"),
		every("no-endpoints", `connection failed	src.addr=10.61.4.20:41 dst.addr=10.96.31.8:7600 direction="outbound" error="no healthy upstream: 10.96.31.8:7600"`, denies),
		every("ambient-waypoint-missing", `connection failed	src.addr=10.61.4.20:41 dst.addr=10.96.31.8:7600 direction="outbound" error="unknown waypoint: till/front"`, denies),
		every("ambient-hbone-failed", `connection failed	src.addr=10.61.4.20:41 dst.addr=10.61.4.9:15008 direction="inbound" error="till"`, denies),
		every("upstream-cert-untrusted", `failed dur=1.1ms err=tls handshake failed: Failure(error: Error { cause: Some(Ssl(ErrorStack([Error { reason: "CERTIFICATE_VERIFY_FAILED", line: 385 }]))) })`, nodes118),
		every("workload-cert-not-issued", `failed dur=1.1ms err=identity error: signing gRPC error: status: Unavailable`, nodes118),
		every("client-disconnected", `failed dur=71.1ms err=io error: Connection reset by peer (os error 104)`, nodes118),
		every("ambient-hbone-failed", `HBONE ping timeout`, node),
		every("ambient-capture-failed", `failed to add pod to ztunnel: got an error from ztunnel: netns is gone`, nodeAgent),
		every("cni-no-ztunnel-connection", `failed to add pod to ztunnel: no ztunnel connection`, nodeAgent, plugin),
		every("cni-race", `iptables validation failed; workload is not ready for Istio.`, plainText, agentError),
		every("cni-race", `Error connecting to 127.0.0.6:15002: dial tcp 127.0.0.1:0->127.0.0.6:15002: connect: connection refused`, plainText),
		every("cni-race", `Pod detected as broken, adding label: till/ledger-6c9d7f`, repairs),
		every("cni-race", `Pod till/ledger-6c9d7f detected as broken, adding label: cni.istio.io/uninitialized`, repairs),
		every("cni-race", `Repairing pod till/ledger-6c9d7f`, repairs),
		every("cni-race", `istio-validation`, backsOff),
		every("cni-plugin-binary-missing", `failed to find plugin "istio-cni" in path [/var/lib/cni/bin]`, sandbox, sandbox115, plainText),
		every("cni-plugin-binary-missing", `plugin type="istio-cni" failed (add): fork/exec /opt/cni/bin/istio-cni: no such file or directory`, sandbox),
		every("cni-plugin-unauthorized", `plugin type="istio-cni" name="istio-cni" failed (add): Unauthorized`, sandbox),
		every("cni-plugin-unauthorized", `failed to get pod info: Unauthorized`, plugin, nodeAgent),
		every("cni-agent-unreachable", `istio-cni cmdAdd failed to signal node Istio CNI agent: failed to send event request: Post "http://unix/cmdadd": dial unix /var/run/istio-cni/pluginevent.sock: connect: connection refused`, plugin),
		every("cni-agent-unreachable", `plugin type="istio-cni" name="istio-cni" failed (add): unable to push CNI event: Post "http://unix/cmdadd": dial unix /var/run/istio-cni/pluginevent.sock: connect: no such file or directory`, sandbox),
		every("cni-config-conflict", `configuration requires updates, (re)writing CNI config file at "/host/etc/cni/net.d/10-net.conflist": istio-cni CNI config removed from CNI config file: /host/etc/cni/net.d/10-net.conflist`, installs),
		every("cni-config-conflict", `configuration requires updates, (re)writing CNI config file at "": CNI config file /host/etc/cni/net.d/10-net.conflist preempted by /host/etc/cni/net.d/05-other.conflist`, installs),
		every("cni-config-conflict", `missing (or invalid) configuration detected, (re)writing CNI config file at /host/etc/cni/net.d/10-net.conflist`, installs),
		every("cni-install-crashloop", `install-cni`, backsOff, syncs),
		every("cni-install", `failed to create pod network sandbox k8s_ledger_till_0(beef): error adding pod till_ledger to CNI network "many": plugin type="many" failed (add): [till/ledger:istio-cni]: error adding container to network "istio-cni": netplugin failed`, plainText, "(combined from similar events): TEXT"),
		every("cni-install", `plugin type="istio-cni" name="istio-cni" failed (add): pods is not known`, sandbox, sandbox115),
		every("cni-install", `istio-cni cmdAdd failed to parse config: unexpected end of JSON input`, plugin),
		every("cni-install", `failed to reconcile rules of the host`, nodeAgent),
		every("iptables-permission-denied", "iptables v1.8.4 (legacy): can't initialize iptables table `nat': Permission denied (you must be root)", plainText, inits),
		every("iptables-permission-denied", "iptables-restore v1.8.9 (nf_tables): RULE_INSERT failed (Operation not permitted): rule in chain OUTPUT", inits),
		every("iptables-rules-already-present", `iptables: Chain already exists.`, plainText, inits),
		every("iptables-ipv6-unsupported", "ip6tables v1.6.1: can't initialize ip6tables table `filter': Address family not supported by protocol", plainText, inits),
		every("iptables-ipv6-unsupported", `xtables parameter problem: ip6tables-restore: unable to initialize table 'nat'`, inits),
		every("iptables-ipv6-unsupported", `modprobe: FATAL: Module ip6_tables not found in directory /lib/modules/6.1.0`, inits),
		every("iptables-nat-table-unavailable", `modprobe: FATAL: Module iptable_nat not found in directory /lib/modules/6.1.0`, inits),
		every("iptables-nat-table-unavailable", `iptables-restore v1.6.1: iptables-restore: unable to initialize table 'nat'`, plainText, inits),
		every("iptables-nat-table-unavailable", "iptables v1.8.7 (nf_tables): table `nat' is incompatible, use 'nft' tool.", plainText),
		every("iptables-setup-failed", `xtables other problem: iptables-restore: line 19 failed`, inits),
		every("iptables-setup-failed", `iptables-restore v1.8.7 (legacy): Couldn't load match 'owner': No such file or directory`, plainText),
		every("iptables-setup-failed", `iptables: No chain/target/match by that name.`, plainText),
		every("iptables-setup-failed", `Failed to execute: iptables-restore --noflush /tmp/iptables-rules-17.txt, exit status 3`, plainText, agentError),
		every("iptables-setup-failed", `Failed to configure iptables rules: exit status 2`, agentError),
		every("iptables-setup-failed", `nft: no buffer space available`, inits),
		every("iptables-setup-failed", `istio-init`, backsOff),
		every("iptables-invalid-option", `iptables-restore: unrecognized option '--wait-interval'`, inits),
		[]told{
			{"cni-install-crashloop", "istio-system   istio-cni-node-x7   0/1   CrashLoopBackOff   12 (2m ago)   41m"},
			{"sidecar-crashloop-unspecified", "istio-system   istio-egressgateway-7d5c   0/1   CrashLoopBackOff   12 (2m ago)   41m"},
			{"iptables-invalid-option", "/usr/local/bin/istio-iptables.sh -p PORT -u UID -g GID [-m mode] [-b ports] [-d ports] [-i CIDR] [-x CIDR] [-h]"},
		},
	)
}

func platformEvents() []told {
	return slices.Concat(processEvents(), sidecarEvents(), webhookEvents(), injectionEvents(), istiodEvents(), nodeEvents(), describedContainers())
}

// describedContainers are sections of `kubectl describe pod`, and events as
// kubectl prints them wide and in YAML.
func describedContainers() []told {
	section := func(cause, container, reason, code string) told {
		return told{cause, "  " + container + ":\n    Image:         docker.io/istio/proxyv2:1.24.1\n    State:          Waiting\n      Reason:       CrashLoopBackOff\n" +
			"    Last State:     Terminated\n      Reason:       " + reason + "\n      Exit Code:    " + code + "\n    Ready:          False\n    Restart Count:  17"}
	}
	return []told{
		section("envoy-oom", "istio-proxy", "OOMKilled", "137"),
		section("envoy-segfault", "istio-proxy", "Error", "139"),
		section("sidecar-crashloop-unspecified", "istio-proxy", "Error", "1"),
		{"sidecar-not-ready-unspecified", "till   38s   Warning   Unhealthy   pod/ledger-6c9d7f   spec.containers{istio-proxy}   kubelet, node-7   Readiness probe failed: HTTP probe failed with statuscode: 503   9m   21   ledger.18"},
		{"app-probe-failed", "till   38s   Warning   Unhealthy   pod/ledger-6c9d7f   spec.containers{ledger}   kubelet, node-7   Readiness probe failed: HTTP probe failed with statuscode: 503   9m   21   ledger.19"},
		{"sidecar-crashloop-unspecified", "  Deployment/till/edge (container failed to start: CrashLoopBackOff: back-off 40s restarting failed container=istio-proxy pod=edge-6c9d7f_till(0c1d2e3f))"},
		{"sidecar-crashloop-unspecified", "        \"message\": \"back-off 40s restarting failed container=istio-proxy pod=ledger-6c9d7f_till(0c1d2e3f)\","},
		{"root-cert-missing", "Couldn't get configMap till/istio-ca-root-cert: configmap \"istio-ca-root-cert\" not found"},
		{"sidecar-crashloop-unspecified", "  message: Back-off restarting failed container istio-proxy in pod ledger-6c9d7f_till(0c1d2e3f)"},
		{"root-cert-missing", "  message: 'MountVolume.SetUp failed for volume \"istiod-ca-cert\" : configmap \"istio-ca-root-cert\"\n    not found'"},
		{"webhook-no-endpoints", "    message: >-\n      Internal error occurred: failed calling webhook \"sidecar-injector.istio.io\":\n      Post \"https://istiod.istio-system.svc:443/inject\": no endpoints available for\n      service \"istiod\""},
		section("iptables-setup-failed", "istio-init", "Error", "255"),
		section("cni-race", "istio-validation", "Error", "126"),
		section("cni-install-crashloop", "install-cni", "Error", "1"),
	}
}

func TestPlatformEvents(t *testing.T) {
	c := classifier(t)
	for _, want := range platformEvents() {
		if v := c.Classify(record(t, want.line, parser.Event)); idOf(v.Cause) != want.cause {
			t.Errorf("got %q, want %s: %s", idOf(v.Cause), want.cause, want.line)
		}
	}
}

// harmlessPlatformEvents sound like faults and are the usual course, or are
// nobody's fault in the mesh.
var harmlessPlatformEvents = []string{
	"  istio-proxy:\n    State:          Running\n    Last State:     Terminated\n      Reason:       Completed\n      Exit Code:    0\n    Ready:          True\n    Restart Count:  1",
	"2025-05-30T03:04:05.607080Z\tinfo\tAgent draining Proxy",
	"2025-05-30T03:04:05.607080Z\tinfo\tThere are no more active connections. terminating proxy...",
	"2025-05-30T03:04:05.607080Z\tinfo\tEnvoy exited normally",
	"2020-05-30T03:04:05.607080Z\tinfo\tEpoch 0 exited normally",
	"2020-05-30T03:04:05.607080Z\tinfo\tAborted all epochs",
	"2025-05-30T03:04:05.607080Z\tinfo\tWaiting for Envoy proxy to be ready (timeout: 60 seconds)...",
	"2025-05-30T03:04:05.607080Z\tinfo\tEnvoy is ready!",
	"2025-05-30T03:04:05.607080Z\tinfo\tReadiness succeeded in 3.1s",
	"2025-05-30T03:04:05.607080Z\terror\tfailed scraping application metrics: error scraping http://localhost:9464/metrics: connection refused",
	"[2025-05-30 03:04:05.607][1][info][main] [source/server/server.cc:1050] main dispatch loop exited",
	"[2025-05-30 03:04:05.607][1][info][main] [source/server/server.cc:1050] Raised file descriptor limits from 1024 to 1048576.",
	"[2025-05-30 03:04:05.607][1][info][main] [source/server/server.cc:1050] Overload action envoy.overload_actions.shrink_heap became inactive",
	"[2018-05-30 03:04:05.607][1][warning][main] [source/server/drain_manager_impl.cc:62] shutting down parent after drain",
	"[2025-05-30 03:04:05.607][17][error][envoy_bug] [source/common/http/filter_manager.cc:90] envoy bug failure: !stopped_. Details: left over",
	"2025-05-30T03:04:05.607080Z\tinfo\tProcess sidecar injection request\tpath=/inject pod=till/ledger-6c9d7f-*****",
	"2021-05-30T03:04:05.607080Z\tinfo\tvalidationController\tEndpoint successfully rejected invalid config. Switching to fail-close.",
	"2021-05-30T03:04:05.607080Z\tinfo\tvalidationController\tEndpoint istiod is not ready: resource not found",
	"2021-05-30T03:04:05.607080Z\terror\tpatching webhook istio-sidecar-injector failed: Operation cannot be fulfilled on mutatingwebhookconfigurations \"istio-sidecar-injector\": the object has been modified",
	"2021-05-30T03:04:05.607080Z\tinfo\thttp: TLS handshake error from 10.0.0.4:50112: EOF",
	"2021-05-30T03:04:05.607080Z\tinfo\tklog\tattempting to acquire leader lease istio-system/istio-leader...",
	"2024-05-30T03:04:05.607080Z\twarn\tklog\tk8s.io/client-go@v0.29.3/tools/cache/reflector.go:470: watch of *v1.Service ended with: too old resource version",
	"2024-05-30T03:04:05.607080Z\tinfo\tinstall\tCopied istio-cni to /host/opt/cni/bin.",
	"2024-05-30T03:04:05.607080Z\tinfo\tinstall\tvalid Istio config present in node-level CNI file /host/etc/cni/net.d/10-net.conflist, not modifying",
	"2024-05-30T03:04:05.607080Z\tinfo\tcni-plugin\texcluded due to not containing sidecar annotation\tpod=till/batch-9",
	"2024-05-30T03:04:05.607080Z\tinfo\trepair\tPod till/ledger-6c9d7f already has label with key cni.istio.io/uninitialized, skipping",
	"2024-05-30T03:04:05.607080Z\tinfo\trepair\tCNI repair controller is disabled",
	"2024-05-30T03:04:05.607080Z\twarn\tinpod::workloadmanager\tfailed to connect to the Istio CNI node agent over \"/var/run/ztunnel/ztunnel.sock\", is the node agent healthy? details: \"No such file or directory (os error 2)\". retrying in 15ms",
	"2024-05-30T03:04:05.607080Z\tinfo\tsignal\treceived signal SIGTERM, starting shutdown",
	"+ iptables -t nat -N ISTIO_INBOUND",
	"iptables-restore --noflush /tmp/iptables-rules-17.txt",
	"-A ISTIO_OUTPUT -o lo -s 127.0.0.6/32 -j RETURN",
	"Listening on 127.0.0.1:15001",
	"42s         Normal    Pulled    pod/ledger-6c9d7f   Container image \"docker.io/istio/proxyv2:1.24.1\" already present on machine",
	"42s         Normal    Killing   pod/ledger-6c9d7f   Stopping container ledger",
	"73s         Warning   BackOff   pod/ledger-6c9d7f   Back-off restarting failed container ledger in pod ledger-6c9d7f_till(0c1d2e3f-4a5b-4c6d-8e7f-90a1b2c3d4e5)",
	"6m          Warning   OOMKilling   node/worker-3   Memory cgroup out of memory: Killed process 4711 (java) total-vm:902112kB, anon-rss:522016kB",
	"ledger-6c9d7f   1/2   CrashLoopBackOff   7 (2m ago)   41m",
	"    Liveness:   http-get http://:15020/app-health/till/livez delay=5s timeout=1s period=10s #success=1 #failure=3",
	"    Readiness:  http-get http://:15021/healthz/ready delay=1s timeout=3s period=2s #success=1 #failure=30",
	`W0708 19:20:21.222324       1 dispatcher.go:217] Failed calling webhook, failing open policy.till.example.com: failed calling webhook "policy.till.example.com": failed to call webhook: Post "https://policy.till.svc:443/check?timeout=10s": context deadline exceeded`,
	"E0530 03:04:05.607080    1717 reflector.go:147] k8s.io/client-go/informers/factory.go:150: Failed to watch *v1.Node: Get \"https://10.0.0.5:6443/api/v1/nodes\": dial tcp 10.0.0.5:6443: connect: connection refused",
	"I0530 03:04:05.607080       1 log.go:195] http: TLS handshake error from 10.0.0.4:50112: remote error: tls: bad certificate",
}

func TestHarmlessPlatformEvents(t *testing.T) {
	c := classifier(t)
	for _, line := range harmlessPlatformEvents {
		if v := c.Classify(record(t, line, parser.Event)); v.Failed {
			t.Errorf("%s is an alarm: %s", v.Cause.ID, line)
		}
	}
}

// No rule may stand behind others that leave nothing to it.
func TestNoRuleOfPlatformIsDead(t *testing.T) {
	c := classifier(t)
	all := Rules()
	reached := map[Rule]bool{}
	for _, e := range platformEvents() {
		r := record(t, e.line, parser.Event)
		if n := c.plan(r, failedAccess(r)).decide(c, r); n >= 0 {
			reached[all[n]] = true
		}
	}
	for _, r := range platformRules {
		if !reached[r] {
			t.Errorf("no record reaches the rule of %s: %s", r.Cause, r.When)
		}
	}
}

// Every cause of the list is shown by a record.
func TestPlatformCausesAreShown(t *testing.T) {
	events := platformEvents()
	for _, cause := range platformCauses {
		if !slices.ContainsFunc(events, func(e told) bool { return e.cause == cause.ID }) {
			t.Errorf("no record shows %s", cause.ID)
		}
	}
}

// A text keeps the phrases that decide about it, however many it has.
func TestPhrasesOfEventsFit(t *testing.T) {
	c := classifier(t)
	for _, e := range platformEvents() {
		r := record(t, e.line, parser.Event)
		for i := range earlyColumns {
			if f := c.phrases[i].find(wordsOf(nil, r.Bytes(columns[i].field))); f[maxFound-1] != 0 {
				t.Errorf("as many phrases as are kept: %s", e.line)
			}
		}
	}
}

func TestPlatformEventsAllocateNothing(t *testing.T) {
	c := classifier(t)
	for _, e := range platformEvents() {
		r := record(t, e.line, parser.Event)
		c.Classify(r)
		if n := testing.AllocsPerRun(5, func() { c.Classify(r) }); n != 0 {
			t.Errorf("%v allocations: %s", n, e.line)
		}
	}
}
