package parser

import (
	"strings"
	"testing"
)

// eventOf reads one line.
func eventOf(t *testing.T, line string) *Record {
	t.Helper()
	block := append(make([]byte, 0, len(line)+1+Padding), line+"\n"...)
	p := NewParser(AllFields)
	p.Reset(block)
	r, ok := p.Next()
	if !ok {
		t.Fatalf("no record: %s", line)
	}
	return r
}

func TestEvents(t *testing.T) {
	const stamp, micro = "2026-03-02 09:14:07.482", "2026-03-02T09:14:07.482113Z"
	for _, row := range []struct {
		line                            string
		emitter                         Emitter
		time, level, component, message string
	}{
		// Envoy's own layouts
		{"[" + stamp + "][15][warning][config] [source/extensions/config_subscription/grpc/grpc_stream.h:188] StreamAggregatedResources gRPC config stream to xds closed: 14, refused",
			Envoy, stamp, "warning", "config", "StreamAggregatedResources gRPC config stream to xds closed: 14, refused"},
		{"[" + stamp + "][000007][critical][main] source/server/server.cc:78] error initializing configuration 'a.json': no",
			Envoy, stamp, "critical", "main", "error initializing configuration 'a.json': no"},
		{"[" + stamp + "][12][info] [external/envoy/source/server/server.cc:901] exiting", Envoy, stamp, "info", "", "exiting"},
		{"[" + stamp + "][12][debug][pool] [C6546] client disconnected", Envoy, stamp, "debug", "pool", "[C6546] client disconnected"},
		{"[" + stamp + "][12][error][lua] script log: x", Envoy, stamp, "error", "lua", "script log: x"},
		{"[Envoy (Epoch 0)] [" + stamp + "][19][warning][config] [bazel-out/x/grpc_stream.h:91] gRPC config stream closed: 13, ",
			Envoy, stamp, "warning", "config", "gRPC config stream closed: 13,"},
		{"[envoy]  [" + stamp + "][137][critical][main] [source/server/server.cc:117] cannot bind '0.0.0.0:80': Permission denied",
			Envoy, stamp, "critical", "main", "cannot bind '0.0.0.0:80': Permission denied"},
		{stamp + "][15][critical][backtrace] [source/server/backtrace.h:104] Caught Aborted, suspect faulting address 0x5",
			Envoy, stamp, "critical", "backtrace", "Caught Aborted, suspect faulting address 0x5"},
		{"[warning][config] [./source/x/grpc_stream.h:152] StreamAggregatedResources gRPC config stream to xds closed: 2, no",
			Envoy, "", "warning", "config", "StreamAggregatedResources gRPC config stream to xds closed: 2, no"},
		{"[" + stamp + "][7][critical][main] [source/server/config_validation/server.cc:66] error initializing configuration 'x': y",
			EnvoyValidate, stamp, "critical", "main", "error initializing configuration 'x': y"},
		{"configuration '/etc/envoy/envoy.yaml' OK", EnvoyValidate, "", "", "", "configuration '/etc/envoy/envoy.yaml' OK"},

		// Envoy in Istio
		{micro + "\twarning\tenvoy config\tStreamAggregatedResources gRPC config stream closed: 16, authentication failure",
			Envoy, micro, "warning", "envoy config", "StreamAggregatedResources gRPC config stream closed: 16, authentication failure"},
		{micro + "\twarning\tenvoy main external/envoy/source/server/server.cc:919\tcaught ENVOY_SIGTERM\tthread=13",
			Envoy, micro, "warning", "envoy main", "caught ENVOY_SIGTERM"},
		{micro + "\tcritical\tenvoy main\t[external/envoy/source/server/server.cc:97] error initializing configuration 'x': y",
			Envoy, micro, "critical", "envoy main", "error initializing configuration 'x': y"},
		{micro + "     warning envoy config external/envoy/source/x/grpc_stream.h:155        DeltaAggregatedResources gRPC config stream to xds-grpc closed: 2, x    thread=18",
			Envoy, micro, "warning", "envoy config", "DeltaAggregatedResources gRPC config stream to xds-grpc closed: 2, x"},
		{"warning envoy config external//envoy/source/common/config/grpc_subscription_impl.cc:128\tgRPC config for type.googleapis.com/x rejected: y\tthread=30",
			Envoy, "", "warning", "envoy config", "gRPC config for type.googleapis.com/x rejected: y"},
		{`{"level":"warning","time":"` + micro + `","scope":"envoy config","msg":"gRPC config stream closed: 13, ","caller":"x.h:1","thread":"24"}`,
			Envoy, micro, "warning", "envoy config", "gRPC config stream closed: 13, "},

		// Envoy without a logger
		{"Caught Segmentation fault, suspect faulting address 0x0", Envoy, "", "", "", "Caught Segmentation fault, suspect faulting address 0x0"},
		{"#1: Envoy::Http::HeaderMapImpl::get() [0x561313e8f5d2]", Envoy, "", "", "", "#1: Envoy::Http::HeaderMapImpl::get() [0x561313e8f5d2]"},
		{"#0: [0x7f6be7810520]", Envoy, "", "", "", "#0: [0x7f6be7810520]"},
		{"libc++abi: terminating with uncaught exception of type Envoy::EnvoyException: no", Envoy, "", "", "", "libc++abi: terminating with uncaught exception of type Envoy::EnvoyException: no"},
		{"unable to bind domain socket with base_id=0, id=0, errno=98 (see --base-id option)", Envoy, "", "", "", "unable to bind domain socket with base_id=0, id=0, errno=98 (see --base-id option)"},
		{"[warn] evutil_make_internal_pipe_: pipe: Too many open files", Envoy, "", "warn", "", "evutil_make_internal_pipe_: pipe: Too many open files"},
		{"panic: listener accept failure: Too many open files", Envoy, "", "", "", "panic: listener accept failure: Too many open files"},
		{"Unknown gRPC client cluster 'xds'", Envoy, "", "", "", "Unknown gRPC client cluster 'xds'"},

		// Istio's programs
		{micro + "\tinfo\tEnvoy proxy is ready", PilotAgent, micro, "info", "", "Envoy proxy is ready"},
		{micro + "     warn    Epoch 0 terminated with an error: exit status 1", PilotAgent, micro, "warn", "", "Epoch 0 terminated with an error: exit status 1"},
		{micro + " warn Aborted all epochs", PilotAgent, micro, "warn", "", "Aborted all epochs"},
		{micro + "\terror\txdsproxy\tfailed to connect to upstream istiod: x\tid=3", PilotAgent, micro, "error", "xdsproxy", "failed to connect to upstream istiod: x\tid=3"},
		{micro + " info    xdsproxy        connected to upstream XDS server: x", PilotAgent, micro, "info", "xdsproxy", "connected to upstream XDS server: x"},
		{micro + "\tinfo\tcache\tgenerated new workload certificate\tlatency=170ms ttl=24h", PilotAgent, micro, "info", "cache", "generated new workload certificate\tlatency=170ms ttl=24h"},
		{micro + "\tinfo\tcache is warm", PilotAgent, micro, "info", "", "cache is warm"},
		{micro + "\tinfo\tRestarting\tpod=x", PilotAgent, micro, "info", "", "Restarting\tpod=x"},
		{"Envoy exited with error: signal: killed", PilotAgent, "", "", "", "Envoy exited with error: signal: killed"},
		{micro + "\twarn\tads\tADS:LDS: ACK ERROR x Internal:y", Istiod, micro, "warn", "ads", "ADS:LDS: ACK ERROR x Internal:y"},
		{micro + " error model Failed to fetch public key", Istiod, micro, "error", "model", "Failed to fetch public key"},
		{micro + "\tinfo\thttp: TLS handshake error from 10.8.2.3:48924: EOF", Istiod, micro, "info", "", "http: TLS handshake error from 10.8.2.3:48924: EOF"},
		{"error   klog    k8s.io/client-go@v0.20.1/x.go:167: Failed to watch", Istiod, "", "error", "klog", "k8s.io/client-go@v0.20.1/x.go:167: Failed to watch"},
		{"info\tvalidationController\tNot ready", Istiod, "", "info", "validationController", "Not ready"},
		{`{"level":"warn","time":"` + micro + `","scope":"ads","msg":"ADS:LDS: ACK ERROR x"}`, Istiod, micro, "warn", "ads", "ADS:LDS: ACK ERROR x"},
		{`{"severity":"ERROR","timestamp":"` + micro + `","logger":"validationServer","message":"invalid"}`, Istiod, micro, "ERROR", "validationServer", "invalid"},
		{"error   Pod injection failed: failed to run injection template: x", Istiod, "", "error", "", "Pod injection failed: failed to run injection template: x"},
		{"warn\tEnvoy proxy is NOT ready: x", PilotAgent, "", "warn", "", "Envoy proxy is NOT ready: x"},
		{micro + "\tinfo\tgrpc: Server.Serve failed to complete security handshake from \"10.8.2.3:1\": EOF", Istiod, micro, "info", "", "grpc: Server.Serve failed to complete security handshake from \"10.8.2.3:1\": EOF"},
		{micro + "\tinfo\tDeleting broken pod: shop/cart-7f", IstioCNI, micro, "info", "", "Deleting broken pod: shop/cart-7f"},
		{micro + "\terror\tFailed to execute: iptables-restore --noflush x, exit status 2", IstioInit, micro, "error", "", "Failed to execute: iptables-restore --noflush x, exit status 2"},
		{micro + "\tinfo\trepair\tPod detected as broken", IstioCNI, micro, "info", "repair", "Pod detected as broken"},
		{micro + "     info    install missing (or invalid) configuration detected", IstioCNI, micro, "info", "install", "missing (or invalid) configuration detected"},
		{micro + "\terror\tcni-plugin\tistio-cni failed with: x", IstioCNI, micro, "error", "cni-plugin", "istio-cni failed with: x"},
		{`{"level":"info","time":"` + micro + `","msg":"Pod detected as broken, deleting: default/x"}`, IstioCNI, micro, "info", "", "Pod detected as broken, deleting: default/x"},
		{micro + "\terror\tCommand error output: xtables parameter problem: x", IstioInit, micro, "error", "", "Command error output: xtables parameter problem: x"},
		{"iptables-restore v1.6.1: iptables-restore: unable to initialize table 'nat'", IstioInit, "", "", "", "iptables-restore v1.6.1: iptables-restore: unable to initialize table 'nat'"},
		{"+ iptables -t nat -N ISTIO_REDIRECT", IstioInit, "", "", "", "+ iptables -t nat -N ISTIO_REDIRECT"},
		{"Error connecting to 127.0.0.6:15002: dial tcp", IstioInit, "", "", "", "Error connecting to 127.0.0.6:15002: dial tcp"},

		// ztunnel
		{micro + "\tinfo\tinpod::workloadmanager\thandling new stream", Ztunnel, micro, "info", "inpod::workloadmanager", "handling new stream"},
		{"info\tdns::server:dns_proxy{wl=shop/cart-7f}\tshutting down", Ztunnel, "", "info", "dns::server:dns_proxy{wl=shop/cart-7f}", "shutting down"},
		{micro + "\twarn\thyper_util:proxy{wl=shop/cart-7f}\tTLS handshake error: x", Ztunnel, micro, "warn", "hyper_util:proxy{wl=shop/cart-7f}", "TLS handshake error: x"},
		{micro + "\twarn\taccess\tconnection failed\tsrc.addr=10.8.2.3:1 error=\"x\"", Ztunnel, micro, "warn", "access", "connection failed\tsrc.addr=10.8.2.3:1 error=\"x\""},
		{micro + "     warn    xds::client:xds{id=9}   XDS client connection error: x", Ztunnel, micro, "warn", "xds::client:xds{id=9}", "XDS client connection error: x"},
		{micro + "  WARN xds{id=11}: ztunnel::xds::client: XDS client error: x", Ztunnel, micro, "WARN", "ztunnel::xds::client", "XDS client error: x"},
		{micro + "\tdebug\taccess\tconnection opened\tsrc.addr=10.8.2.3:1 dst.addr=10.8.1.7:15008", Ztunnel, micro, "debug", "access", "connection opened\tsrc.addr=10.8.2.3:1 dst.addr=10.8.1.7:15008"},
		{`{"level":"debug","time":"` + micro + `","scope":"access","message":"connection opened","src.addr":"10.8.2.3:1"}`, Ztunnel, micro, "debug", "access", "connection opened"},

		// Kubernetes
		{"W0227 21:51:03.156818       1 admission.go:257] Failed calling webhook, failing open x", Klog, "0227 21:51:03.156818", "W", "admission.go", "Failed calling webhook, failing open x"},
		{`I0530 11:12:44.747275 3484 prober.go:116] "Probe failed" probeType="Readiness"`, Klog, "0530 11:12:44.747275", "I", "prober.go", `"Probe failed" probeType="Readiness"`},
		{`{"ts":1700034192196.4094,"caller":"dns/dns.go:153","msg":"Nameserver limits exceeded"}`, Klog, "1700034192196.4094", "", "", "Nameserver limits exceeded"},
		{"Warning  FailedCreate  16s (x14 over 58s)  replicaset-controller  Error creating: x", K8sEvent, "", "Warning", "FailedCreate", "Error creating: x"},
		{"  Normal   Scheduled  20m                 default-scheduler     Successfully assigned shop/cart", K8sEvent, "", "Normal", "Scheduled", "Successfully assigned shop/cart"},
		{"Normal   Pulled     20m                 kubelet, node-1  Container image \"x\" already present on machine", K8sEvent, "", "Normal", "Pulled", "Container image \"x\" already present on machine"},
		{"118s        Warning   FailedCreate    replicaset/grafana-68746b898    Error creating: x", K8sEvent, "", "Warning", "FailedCreate", "Error creating: x"},
		{"shop   0s   Warning   FailedMount   pod/cart-4c2f9449d5-nv496   MountVolume.SetUp failed", K8sEvent, "", "Warning", "FailedMount", "MountVolume.SetUp failed"},
		{"2026-03-02T04:06:13Z   2026-03-02T04:06:43Z   2   horizontal-pod-autoscaler   Warning   FailedGetResourceMetric   failed to get cpu", K8sEvent, "", "Warning", "FailedGetResourceMetric", "failed to get cpu"},
		{`Internal error occurred: failed calling webhook "sidecar-injector.istio.io": Post x`, K8sEvent, "", "", "", `Internal error occurred: failed calling webhook "sidecar-injector.istio.io": Post x`},
		{"(combined from similar events): Readiness probe failed: x", K8sEvent, "", "", "", "(combined from similar events): Readiness probe failed: x"},
		{`"message": "Back-off restarting failed container istio-proxy",`, K8sEvent, "", "", "", `"message": "Back-off restarting failed container istio-proxy",`},
		{"      Reason:       OOMKilled", K8sEvent, "", "", "", "Reason:       OOMKilled"},
		{"      Exit Code:    137", K8sEvent, "", "", "", "Exit Code:    137"},
		{"  ContainersReady   False", K8sEvent, "", "", "", "ContainersReady   False"},
		{"    Readiness:  http-get http://:15021/healthz/ready delay=1s timeout=1s period=2s #success=1 #failure=30", K8sEvent, "", "", "", "Readiness:  http-get http://:15021/healthz/ready delay=1s timeout=1s period=2s #success=1 #failure=30"},
		{"cart-7f   1/2     CrashLoopBackOff   7 (2m ago)   3h47m", K8sEvent, "", "", "", "cart-7f   1/2     CrashLoopBackOff   7 (2m ago)   3h47m"},
	} {
		r := eventOf(t, row.line)
		if r.Kind != Event || r.Emitter != row.emitter {
			t.Errorf("%v of %v, want event of %v: %s", r.Kind, r.Emitter, row.emitter, row.line)
			continue
		}
		for f, want := range map[Field]string{StartTime: row.time, Level: row.level, Component: row.component, Message: row.message} {
			if got := string(r.Bytes(f)); got != want {
				t.Errorf("%v is %q, want %q: %s", f, got, want, row.line)
			}
		}
	}
}

// Events stand behind one name, and behind the marks of a page, as well.
func TestEventsBehindNamesAndMarks(t *testing.T) {
	const logged = "2026-03-02T09:14:07.482113Z\tinfo\tEnvoy proxy is ready"
	for _, row := range []struct {
		line     string
		envelope Envelope
		message  string
	}{
		{"istio-proxy " + logged, Stern, "Envoy proxy is ready"},
		{"cart-7f-x2 " + logged, Stern, "Envoy proxy is ready"},
		{"istio-proxy [2026-03-02 09:14:07.482][12][info][main] exiting", Stern, "exiting"},
		{"`Warning  Unhealthy  9s  kubelet  Readiness probe failed: x`", Quote, "Readiness probe failed: x"},
		{"/var/log/istio.log:" + logged, Quote, "Envoy proxy is ready"},
		{"Mon, Mar 2 2026 9:14:07 am | " + logged, Quote, "Envoy proxy is ready"},
		{"istio-proxy:  [2026-03-02 09:14:07.482][12][info][main] exiting", Quote, "exiting"},
		{"> Envoy proxy is NOT ready: x", Quote, "Envoy proxy is NOT ready: x"},
	} {
		r := eventOf(t, row.line)
		if got := r.Envelopes(); r.Kind != Event || len(got) != 1 || got[0] != row.envelope || string(r.Bytes(Message)) != row.message {
			t.Errorf("%v in %v: %q, want an event in %v: %s", r.Kind, got, r.Bytes(Message), row.envelope, row.line)
		}
	}
	for _, line := range []string{"my-app 2026-03-02T09:14:07.482Z started", "read at 2026-03-02T09:14:07.482113Z of cart", "job 7: 2026-03-02T09:14:07.482113Z info started", "my app [2026-03-02 09:14:07.482] [app] [info] started", "my-app [2026-03-02 09:14:07.482] [app] [info] started", "> Warning lights", "`message`"} {
		if r := eventOf(t, line); r.Kind != Noise {
			t.Errorf("%v, want noise: %s", r.Kind, line)
		}
	}
}

// What applications print is none of the known emitters'.
func TestEventsAreNoApplicationLogs(t *testing.T) {
	for _, line := range strings.Split(`panic: unable to construct builder: error opening storage
goroutine 1 [running]:
main.main()
	/src/main.go:12 +0x1d
2026/03/02 09:14:07 listening on :8080
2026/03/02 09:14:07 [error] 31#31: *1 connect() failed (111: Connection refused) while connecting to upstream
10.8.2.3 - - [02/Mar/2026:09:14:07 +0000] "GET / HTTP/1.1" 200 612 "-" "curl/8.5.0"
2026-03-02T09:14:07.482Z  INFO 1 --- [           main] com.example.Application : Started Application in 3.2 seconds
2026-03-02 09:14:07.482  WARN 1 --- [nio-8080-exec-1] c.e.CartController : slow
2026-03-02T09:14:07.482113Z  INFO cart::server: listening
2026-03-02T09:14:07.482Z	info	app/main.go:12	started
2026-03-02T09:14:07Z INF started port=8080
2026-03-02 09:14:07,482 ERROR root Traceback (most recent call last):
Traceback (most recent call last):
  File "/app/main.py", line 3, in <module>
ValueError: invalid path
INFO:     Started server process [1]
ERROR:root:boom
error: something went wrong
error handling request
warn  deprecated option
info  cart  started
envoy is my favourite proxy
Exception in thread "main" java.lang.IllegalStateException: no
	at com.example.Main.main(Main.java:12)
Caused by: java.net.ConnectException: Connection refused
{"level":"info","ts":1772442847.482,"caller":"app/main.go:12","msg":"started"}
{"level":"error","time":"2026-03-02T09:14:07Z","msg":"failed to load","logger":"app"}
{"severity":"INFO","timestamp":"2026-03-02T09:14:07.482Z","message":"started","logger":"com.example"}
{"time":"2026-03-02T09:14:07.482113123Z","level":"INFO","msg":"started"}
{"message":"connection complete"}
{"msg":"hello"}
[2026-03-02 09:14:07.482] [app] [info] started
[2026-03-02 09:14:07 +0000] [7] [INFO] Listening at: http://0.0.0.0:8000 (7)
[2026-03-02 09:14:07.482][app][info] started
[main] INFO com.example.App - started
[warn] event loop is slow
[error] boom
#0 0x00005581 in main () at main.c:12
#12 [stage-1 3/3] COPY . .
# comment
Normal operation resumed
Warning: this is deprecated
Warning  something happened 3 times
5s elapsed
12s         waiting for the database
7 Warning lights
gc 1208 @12337.796s 0%: 0.008+10+7.2 ms clock
Invalid path: /users/1
Error creating: user already exists
Error from server (NotFound): pods "x" not found
Error from server (BadRequest): container "istio-proxy" in pod "x" is waiting to start: PodInitializing
No resources found in shop namespace.
Ready: true
  Reason: timeout
  State: Running
  ready   true
W0227 not a time
I2026 items loaded
E1234 12:34:56.123456 missing bracket
NAME   READY   STATUS   RESTARTS   AGE
LAST SEEN   TYPE   REASON   OBJECT   MESSAGE
progress 1/2 done 3 5m
-
#
[
[]
{
{}`, "\n") {
		if r := eventOf(t, line); r.Kind == Event || r.Kind == Access {
			t.Errorf("%v of %v, want noise: %s", r.Kind, r.Emitter, line)
		}
	}
}

func TestZtunnelAccess(t *testing.T) {
	const head = "2026-03-02T09:14:07.482113Z\terror\taccess\tconnection complete\tsrc.addr=10.8.2.3:41324 "
	for _, row := range []struct {
		line                     string
		dialect                  Dialect
		upstream, received, sent string
		duration                 float64
		direction                Direction
		extra                    map[string]string
	}{
		{head + `src.workload="web-6d" dst.addr=10.8.1.7:15008 dst.hbone_addr=10.8.1.7:8080 direction="inbound" bytes_sent=84 bytes_recv=158 duration="118ms" error="connection closed due to policy rejection: explicitly denied by: shop/deny"`,
			ztunnelQuoted, "10.8.1.7:15008", "158", "84", 118, Inbound,
			map[string]string{"src.workload": "web-6d", "dst.hbone_addr": "10.8.1.7:8080", "error": "connection closed due to policy rejection: explicitly denied by: shop/deny"}},
		{head + `src.workload=web-6d dst.addr=10.8.1.7:15008 direction="outbound" bytes_sent=0 bytes_recv=0 duration="10002ms" error="a \"b\" c"`,
			ztunnelPlain, "10.8.1.7:15008", "0", "0", 10002, Outbound,
			map[string]string{"src.workload": "web-6d", "error": `a \"b\" c`}},
		{`{"level":"error","time":"2026-03-02T09:14:07.482113Z","scope":"access","message":"connection complete","src.addr":"10.8.2.3:41324","src.workload":"web-6d","dst.addr":"10.8.1.7:15008","direction":"outbound","bytes_sent":84,"bytes_recv":158,"duration":"8ms","error":"a \"b\""}`,
			ztunnelJSON, "10.8.1.7:15008", "158", "84", 8, Outbound,
			map[string]string{"src.workload": "web-6d", "error": `a "b"`}},
	} {
		r := eventOf(t, row.line)
		if r.Kind != Access || r.Emitter != Ztunnel || r.Dialect != row.dialect || r.Direction() != row.direction || !r.Errored() {
			t.Errorf("%v of %v, %v, %v, errored %v: %s", r.Kind, r.Emitter, r.Dialect, r.Direction(), r.Errored(), row.line)
		}
		for f, want := range map[Field]string{
			DownstreamRemoteAddress: "10.8.2.3:41324", UpstreamHost: row.upstream, BytesReceived: row.received, BytesSent: row.sent,
			StartTime: "2026-03-02T09:14:07.482113Z", Level: "", Component: "", Message: "",
		} {
			if got := string(r.Bytes(f)); got != want {
				t.Errorf("%v is %q, want %q: %s", f, got, want, row.line)
			}
		}
		if got, _ := r.Number(Duration); got != row.duration {
			t.Errorf("duration is %v, want %v: %s", got, row.duration, row.line)
		}
		got := map[string]string{}
		for _, x := range r.Extra() {
			got[string(x.Key)] = string(x.Value)
		}
		if len(got) != len(row.extra) {
			t.Errorf("extra is %v, want %v", got, row.extra)
		}
		for k, v := range row.extra {
			if got[k] != v {
				t.Errorf("extra %s is %q, want %q", k, got[k], v)
			}
		}
	}
	if r := eventOf(t, head+`dst.addr=10.8.1.7:15008 bytes_sent=1 bytes_recv=2 duration="1ms"`); r.Errored() || r.Direction() != NoDirection {
		t.Error("errored without error")
	}
}

func TestGRPCStatusNumber(t *testing.T) {
	for text, want := range map[string]int{
		"0": 0, "14": 14, "14.0": 14, "1.4e+01": 14, "77": 77, "OK": 0, "Ok": 0, "Canceled": 1, "CANCELLED": 1, "Unavailable": 14,
		"UNAVAILABLE": 14, "DeadlineExceeded": 4, "DEADLINE_EXCEEDED": 4, "InvalidArgument": 3, "Unauthenticated": 16,
		"": -1, "-": -1, "-1": -1, "Unavailable2": -1, "Unavail": -1, "2.5": -1, "99999999999": -1,
	} {
		got, ok := GRPCStatusNumber([]byte(text))
		if ok != (want >= 0) || ok && got != want {
			t.Errorf("%q: %d, %v, want %d", text, got, ok, want)
		}
	}
}

func TestEventsAllocateNothing(t *testing.T) {
	const lines = "2026-03-02T09:14:07.482113Z\twarn\txdsproxy\tupstream [6] error\n" +
		"[2026-03-02 09:14:07.482][15][warning][config] [source/x.cc:188] closed: 14, refused\n" +
		"2026-03-02T09:14:07.482113Z\tinfo\taccess\tconnection complete\tsrc.addr=10.8.2.3:41324 dst.addr=10.8.1.7:15008 direction=\"inbound\" bytes_sent=1 bytes_recv=2 duration=\"1ms\"\n" +
		"Warning  FailedCreate  16s (x14 over 58s)  replicaset-controller  Error creating: x\n" +
		"W0227 21:51:03.156818       1 admission.go:257] x\n" +
		`{"level":"info","time":"2026-03-02T09:14:07.482113Z","scope":"access","message":"connection complete","src.addr":"10.8.2.3:41324","direction":"outbound","bytes_sent":84,"duration":"8ms"}` + "\n" +
		`{"time":"2026-03-02T09:14:07Z","msg":"an application's"}` + "\n" +
		"an application's line of text\n"
	for _, one := range strings.SplitAfter(lines, "\n") {
		block := append(make([]byte, 0, len(one)+Padding), one...)
		p := NewParser(AllFields)
		read := func() {
			p.Reset(block)
			for more := true; more; _, more = p.Next() {
			}
		}
		read()
		if n := testing.AllocsPerRun(100, read); n != 0 {
			t.Errorf("%v allocations: %s", n, one)
		}
	}
}

func BenchmarkReadEvent(b *testing.B) {
	for name, line := range map[string]string{
		"envoy": "[2026-03-02 09:14:07.482][15][warning][config] [source/x.cc:188] closed: 14, refused",
		"istio": "2026-03-02T09:14:07.482113Z\twarn\txdsproxy\tupstream [6] terminated with unexpected error",
		"noise": "2026-03-02 09:14:07.482  WARN 1 --- [nio-8080-exec-1] c.e.CartController : a slow answer of an upstream",
		"words": "Caused by: java.net.ConnectException: Connection refused by a host that is not there at all",
	} {
		b.Run(name, func(b *testing.B) {
			p := NewParser(AllFields)
			p.rec.text = []byte(line)
			for b.Loop() {
				p.readEvent(0, len(line))
			}
		})
	}
}

// FuzzEvent reads any line: no panic, and every span inside the line.
func FuzzEvent(f *testing.F) {
	for _, line := range []string{
		"", " ", "[", "envoy ", "info ", "envoy config ", "[2026-03-02 09:14:07.482][15][warning][config] [source/x.cc:188] closed", "[2026-03-02 09:14:07.482][", "#0: [0x",
		"2026-03-02T09:14:07.482113Z\terror\taccess\tconnection complete\ta=\"", "2026-03-02T09:14:07.482113Z info  ",
		"W0227 21:51:03.156818       1 admission.go:257] x", "W0227 21:51:03.156818       1", "Warning  FailedCreate  16s (x14 over", "a 1/2 Running 0",
		"warning envoy config x.cc:1\tthread=1", "Last State:  Running", "2026-03-02T09:14:07.482113Z  WARN x: ztunnel::a: b",
		"1s Warning FailedMount a/b c", "error `a` initializing config 'x", "[symbolize_elf.inc : 357] RAW: x", "[x] [2026-03-02 09:14:07.482][1][info] y",
	} {
		f.Add(line)
	}
	f.Fuzz(func(t *testing.T, line string) {
		p := NewParser(AllFields)
		p.rec.text = append(make([]byte, 0, len(line)+2+Padding), "<"+line+">"...)
		lo, hi := 1, 1+len(line)
		if !p.readEvent(lo, hi) {
			return
		}
		r := &p.rec
		if r.Kind != Event && r.Kind != Access || r.Emitter == NoEmitter || r.Emitter >= NumEmitters {
			t.Fatalf("%v of %v: %q", r.Kind, r.Emitter, line)
		}
		for f := range NumFields {
			if s := r.spans[f]; r.present.Has(f) && (int(s.lo) < lo || int(s.hi) > hi || s.lo >= s.hi) {
				t.Fatalf("%v is %v of %d bytes: %q", f, s, hi, line)
			}
		}
	})
}
