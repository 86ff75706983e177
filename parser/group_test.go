package parser

import (
	"bytes"
	"fmt"
	"slices"
	"strings"
	"testing"
)

// A groupCase is lines of a stream and what they are: one row a record.
type groupCase struct {
	name, lines string
	want        []groupRow
}

type groupRow struct {
	lines   int
	emitter Emitter // NoEmitter: noise
	text    string  // what the text ends with; the message begins it
}

const (
	envoyStamp = "[2026-03-02 09:14:07.482]"
	istioStamp = "2026-03-02T09:14:07.482113Z"
)

var groupCases = []groupCase{
	{"a refused bootstrap of new Envoys", envoyStamp + "[31][critical][main] [source/server/server.cc:449] error `Unknown gRPC client cluster 'xds-a'` initializing config 'goo.gle/debugonly  \n" +
		"  /etc/envoy/boot.yaml'\nUnknown gRPC client cluster 'xds-a'\n" + envoyStamp + "[31][info][main] [source/server/server.cc:1016] exiting\n",
		[]groupRow{{3, Envoy, "Unknown gRPC client cluster 'xds-a'"}, {1, Envoy, "exiting"}}},
	{"the same in Istio's layout", istioStamp + "\tcritical\tenvoy main source/server/server.cc:449\terror `Invalid path: /etc/ca.pem` initializing config 'goo.gle/debugstr \n" +
		"  /etc/istio/boot.json'\tthread=19\nInvalid path: /etc/ca.pem\n",
		[]groupRow{{3, Envoy, "Invalid path: /etc/ca.pem"}}},
	{"a dump in front of the error", envoyStamp + "[31][critical][main] [source/server/server.cc:76] error initializing configuration 'b.yaml': goo.gle/debugproto \n" +
		"node {\n  id: \"sidecar~10.8.1.7~cart\"\n}\nstatic_resources {\n  listeners {\n    typed_config {\n      [type.googleapis.com/envoy.x.Manager] {\n      }\n    }\n    port_value: 99999\n  }\n}\n" +
		"api_type: GRPC\n: Proto constraint validation failed (BootstrapValidationError.Node: bad)\nlistening on :8080\n",
		[]groupRow{{15, Envoy, "BootstrapValidationError.Node: bad)"}, {1, NoEmitter, ""}}},
	{"several refused listeners", istioStamp + "\twarning\tenvoy config source/x.cc:160\tgRPC config for type.googleapis.com/envoy.config.listener.v3.Listener rejected: Error adding/updating listener(s) 0.0.0.0_80: cannot bind '0.0.0.0:80': Permission denied\n" +
		"10.8.0.9_443: Didn't find a registered implementation for name: 'shop.filter'\n\tthread=28\n",
		[]groupRow{{3, Envoy, "thread=28"}}},
	{"headers", envoyStamp + "[31][debug][http] [source/common/http/conn_manager_impl.cc:1] [C1][S2] request headers complete (end_stream=true):\n':authority', 'cart:8080'\n':path', '/'\n\nGET / 200\n",
		[]groupRow{{3, Envoy, "':path', '/'"}, {1, NoEmitter, ""}, {1, NoEmitter, ""}}},
	{"a crash without logger", "Caught Segmentation fault, suspect faulting address 0x0\nBacktrace (use tools/stack_decode.py to get line numbers):\nEnvoy version: abc/1.31.2/Clean/RELEASE/BoringSSL\n#0: [0x7f6be7810520]\n#1: Envoy::Http::get() [0x561313e8f5d2]\n",
		[]groupRow{{5, Envoy, "#1: Envoy::Http::get() [0x561313e8f5d2]"}}},
	{"a crash with logger", envoyStamp + "[31][critical][assert] [source/a.cc:7] assert failure: a == b. Details: x\n" +
		envoyStamp + "[31][critical][backtrace] [./source/server/backtrace.h:104] Caught Aborted, suspect faulting address 0x53900000028\n" +
		envoyStamp + "[31][critical][backtrace] [./source/server/backtrace.h:98] Backtrace (use tools/stack_decode.py to get line numbers):\n" +
		envoyStamp + "[31][critical][backtrace] [./source/server/backtrace.h:121] #0: [0x7f6be7810520]\n" +
		envoyStamp + "[31][critical][backtrace] [./source/server/backtrace.h:119] #1: Envoy::run() [0x561313e8f5d2]\n" +
		"ConnectionImpl 0x538dbfd83b00, connecting_: 0, state(): Closing\nsocket_: \n  ListenSocketImpl 0x538dbf8ae690, transport_protocol_: raw_buffer\n",
		[]groupRow{{1, Envoy, "Details: x"}, {7, Envoy, "transport_protocol_: raw_buffer"}}},
	{"crashes of two threads mixed", envoyStamp + "[31][critical][backtrace] [a.h:1] Caught Aborted, suspect faulting address 0x5\n" +
		envoyStamp + "[31][critical][backtrace] [a.h:1] #0: [0x7f6be7810520]\n" +
		envoyStamp + "[32][critical][backtrace] [a.h:1] #1: [0x7f6be7810521]\n" +
		envoyStamp + "[32][critical][backtrace] [a.h:1] #2: [0x7f6be7810522]\n",
		[]groupRow{{2, Envoy, "[0x7f6be7810520]"}, {2, Envoy, "[0x7f6be7810522]"}}},
	{"a second crash", "#3: [0x7f6be7810520]\n#4: [0x7f6be7810521]\n#0: [0x7f6be7810522]\n#1: [0x7f6be7810523]\n#1: [0x7f6be7810524]\n",
		[]groupRow{{2, Envoy, "0521]"}, {2, Envoy, "0523]"}, {1, Envoy, "0524]"}}},
	{"two half crashes", "#3: [0x7f6be7810520]\n#2: [0x7f6be7810521]\n",
		[]groupRow{{1, Envoy, ""}, {1, Envoy, ""}}},
	{"a bug that Envoy survives", istioStamp + "\terror\tenvoy envoy_bug ./source/assert.h:60\tenvoy bug failure: false. Details: socket(2) failed\tthread=3\n" +
		istioStamp + "\terror\tenvoy envoy_bug ./source/assert.h:60\tstacktrace for envoy bug\tthread=3\n[symbolize_elf.inc : 357] RAW: Unable to get high fd: rc=0, limit=80\n" +
		istioStamp + "\terror\tenvoy envoy_bug ./source/assert.h:60\t#0 UNKNOWN [0x5593c7]\tthread=3\n" + istioStamp + "\tinfo\tenvoy main a.cc:1\texiting\tthread=3\n",
		[]groupRow{{4, Envoy, "#0 UNKNOWN [0x5593c7]\tthread=3"}, {1, Envoy, "exiting"}}},
	{"a panic of the agent", "panic: runtime error: invalid memory address or nil pointer dereference\n[signal SIGSEGV: segmentation violation code=0x1 addr=0x0 pc=0x1a]\n\ngoroutine 88 [running]:\nistio.io/istio/pkg/istio-agent.(*Agent).Run(0xc000)\n\tistio.io/istio/pkg/istio-agent/agent.go:12 +0x1d\ncreated by main.main in goroutine 1\n\t/src/main.go:3 +0x2\nexit status 2\n",
		[]groupRow{{9, PilotAgent, "exit status 2"}}},
	{"a panic of istiod", "fatal error: concurrent map writes\n\ngoroutine 7 [running]:\nistio.io/istio/pilot/pkg/model.(*PushContext).x(...)\n\tistio.io/istio/pilot/pkg/model/a.go:12\nok\n",
		[]groupRow{{5, Istiod, "a.go:12"}, {1, NoEmitter, ""}}},
	{"a panic of somebody else", "panic: boom\n\ngoroutine 1 [running]:\nmain.main()\n\t/src/main.go:12 +0x1d\n",
		[]groupRow{{1, NoEmitter, ""}, {1, NoEmitter, ""}, {1, NoEmitter, ""}, {1, NoEmitter, ""}, {1, NoEmitter, ""}}},
	{"a panic that istiod caught", istioStamp + "\terror\tklog\tObserved a panic: no\ngoroutine 9 [running]:\nnet/http.(*conn).serve.func1()\n\tnet/http/server.go:1850 +0xb0\n",
		[]groupRow{{4, Istiod, "+0xb0"}}},
	{"an admission error", istioStamp + "\terror\tauthorization\tProcessed authorization policy: 2 errors occurred:\n\t* no provider\n\t* no rule\n\n",
		[]groupRow{{3, Istiod, "\t* no rule"}, {1, NoEmitter, ""}}},
	{"a refused resource", "Error from server: error when creating \"vs.yaml\": admission webhook \"validation.istio.io\" denied the request: configuration is invalid: 2 errors occurred:\n\t* http route may not be null\n\t* port must be set\n",
		[]groupRow{{3, K8sEvent, "port must be set"}}},
	{"a refused change", "Error from server (InternalError): error when applying patch:\n{\"spec\":{}}\nto:\nResource: \"x, Resource=y\", GroupVersionKind: \"z\"\nName: \"cart\", Namespace: \"shop\"\nfor: \"a.yaml\": error when patching \"a.yaml\": Internal error occurred: failed calling webhook \"validation.istio.io\": EOF\n",
		[]groupRow{{6, K8sEvent, "EOF"}}},
	{"a change that a server refused", "Error from server (Conflict): error when applying patch:\n{\"spec\":{}}\nto:\n",
		[]groupRow{{1, NoEmitter, ""}, {1, NoEmitter, ""}, {1, NoEmitter, ""}}},
	{"iptables", istioStamp + "\tinfo\tWriting following contents to rules file: /tmp/rules.txt\n* nat\n-N ISTIO_INBOUND\n-A PREROUTING -p tcp -j ISTIO_INBOUND\nCOMMIT\n" +
		istioStamp + "\terror\tCommand error output: xtables parameter problem: iptables-restore: unable to initialize table 'nat'\n\nError occurred at line: 1\nTry `iptables-restore -h' or 'iptables-restore --help' for more information.\nstarted\n",
		[]groupRow{{5, IstioInit, "COMMIT"}, {4, IstioInit, "for more information."}, {1, NoEmitter, ""}}},
	{"a probe", istioStamp + "\terror\tRequest to probe app failed: connection refused, original URL path = /app-health/cart/readyz\napp URL path = /ready\n",
		[]groupRow{{2, PilotAgent, "/ready"}}},
	{"the agent's configuration", istioStamp + "\tinfo\tEffective config: binaryPath: /usr/local/bin/envoy\nconcurrency: 2\ndiscoveryAddress: istiod.istio-system.svc:15012\nproxyMetadata: {}\ntracing:\n  zipkin:\n    address: zipkin:9411\n\n" + istioStamp + "\tinfo\tJWT policy is third-party-jwt\n",
		[]groupRow{{7, PilotAgent, "zipkin:9411"}, {1, NoEmitter, ""}, {1, PilotAgent, ""}}},
	{"a refused client", istioStamp + "\terror\tads\tFailed to authenticate client from 10.8.2.3:34536\nAuthenticator ClientCertAuthenticator: no verified chain is found\n; Authenticator KubeJWTAuthenticator: failed\n",
		[]groupRow{{3, Istiod, "KubeJWTAuthenticator: failed"}}},
	{"klog", "E0227 21:51:03.156818    7 pod_workers.go:190] \"Error syncing pod\" err=<\n\tfailed to do\n\tone of two things\n > pod=\"shop/cart\"\n",
		[]groupRow{{4, Klog, " > pod=\"shop/cart\""}}},
	{"health of an API server", "I0227 21:51:03.156818    7 healthz.go:261] etcd,informer-sync check failed: readyz\n[-]etcd failed: not finished\n[-]informer-sync failed: 2 informers not started yet\n",
		[]groupRow{{3, Klog, "not started yet"}}},
	{"a container in describe", "    State:          Waiting\n      Reason:       CrashLoopBackOff\n    Last State:     Terminated\n      Reason:       OOMKilled\n      Exit Code:    137\n    Ready:          False\n    Restart Count:  12\n",
		[]groupRow{{2, K8sEvent, "CrashLoopBackOff"}, {3, K8sEvent, "Exit Code:    137"}, {1, K8sEvent, ""}, {1, K8sEvent, ""}}},
	{"a message that YAML folds", "  kind: Event\n  message: 'Error creating: Internal error occurred: failed calling webhook \"a.istio.io\":\n    failed to call webhook: Post \"https://istiod-b.c.svc:443/inject\": no\n    endpoints available'\n  reason: FailedCreate\n" +
		"    message: >-\n      Internal error occurred: failed calling webhook\n      \"a.istio.io\": EOF\n    reason: FailedCreate\n    message: >-\n      all is well\n",
		[]groupRow{{1, NoEmitter, ""}, {3, K8sEvent, "endpoints available'"}, {1, NoEmitter, ""}, {3, K8sEvent, "EOF"}, {1, NoEmitter, ""}, {1, NoEmitter, ""}, {1, NoEmitter, ""}}},
	{"containers in describe", "  istio-proxy:\n    State:          Waiting\n      Reason:       CrashLoopBackOff\n    Last State:     Terminated\n      Reason:       OOMKilled\n  cart:\n    State:          Running\n  istio-init:\n    name: none\n",
		[]groupRow{{5, K8sEvent, "OOMKilled"}, {1, NoEmitter, ""}, {1, K8sEvent, "Running"}, {1, NoEmitter, ""}, {1, NoEmitter, ""}}},
	{"labels in describe", "Labels:           app=cart\n                  istio.io/rev=default\nStatus:           Running\n    Limits:\n      cpu:     2\n      memory:  1Gi\nLimits:\n  none\n",
		[]groupRow{{2, K8sEvent, "rev=default"}, {1, NoEmitter, ""}, {3, K8sEvent, "1Gi"}, {1, NoEmitter, ""}, {1, NoEmitter, ""}}},
	{"an application behind an event", envoyStamp + "[31][warning][config] [a.cc:1] gRPC config for type.googleapis.com/x rejected: y\nException in thread \"main\" java.lang.IllegalStateException: no\n\tat com.example.Main.main(Main.java:12)\n" +
		istioStamp + "\tinfo\tEnvoy proxy is ready\n  File \"/app/main.py\", line 3, in <module>\nValueError: no\n",
		[]groupRow{{1, Envoy, ""}, {1, NoEmitter, ""}, {1, NoEmitter, ""}, {1, PilotAgent, ""}, {1, NoEmitter, ""}, {1, NoEmitter, ""}}},
	{"half a group", "  }\n}\n: Proto constraint validation failed (x: y)\ngoroutine 7 [running]:\nistio.io/istio/pilot/pkg/model.x(...)\n",
		[]groupRow{{1, NoEmitter, ""}, {1, NoEmitter, ""}, {1, Envoy, ""}, {1, NoEmitter, ""}, {1, NoEmitter, ""}}},
}

func checkGroups(t *testing.T, records []*Record, want []groupRow) {
	t.Helper()
	for i := range max(len(records), len(want)) {
		if i >= len(records) || i >= len(want) {
			t.Fatalf("%d records, want %d", len(records), len(want))
		}
		r, w := records[i], want[i]
		if r.Lines != w.lines || r.Emitter != w.emitter || (r.Kind == Event) != (w.emitter != NoEmitter) {
			t.Errorf("record %d at line %d: %v of %q over %d lines, want %q over %d", i, r.Line, r.Kind, r.Emitter, r.Lines, w.emitter, w.lines)
		}
		if text := r.Text(); !bytes.HasPrefix(text, r.Bytes(Message)) || !strings.HasSuffix(string(text), w.text) {
			t.Errorf("record %d at line %d: text %q, want ..%q", i, r.Line, text, w.text)
		} else if n := bytes.Count(text, []byte{'\n'}); r.Kind == Event && n != r.Lines-1 {
			t.Errorf("record %d at line %d: %d line ends in the text, want %d", i, r.Line, n, r.Lines-1)
		}
	}
}

func TestGroups(t *testing.T) {
	for _, c := range groupCases {
		t.Run(c.name, func(t *testing.T) {
			checkGroups(t, account(t, []byte(c.lines), AllFields), c.want)
			checkGroups(t, account(t, []byte(strings.ReplaceAll(c.lines, "\n", "\r\n")), AllFields), trimmed(c.want))
		})
	}
}

// trimmed takes the texts out of rows.
func trimmed(rows []groupRow) (out []groupRow) {
	for _, row := range rows {
		out = append(out, groupRow{row.lines, row.emitter, ""})
	}
	return out
}

// groupWrappers put each line of a stream into a wrapper.
var groupWrappers = map[string]func(n int, line string) string{
	"cri":    func(n int, line string) string { return fmt.Sprintf("2026-03-02T09:14:07.%09dZ stderr F %s", n, line) },
	"prefix": func(_ int, line string) string { return "[pod/cart-7f/istio-proxy] " + line },
	"docker": func(_ int, line string) string { return dockerLine(line, "stderr") },
	"in prefix": func(n int, line string) string {
		return fmt.Sprintf("[pod/cart-7f/discovery] 2026-03-02T09:14:07.%09dZ stdout F %s", n, line)
	},
}

func dockerLine(line, stream string) string {
	quoted := strings.NewReplacer(`\`, `\\`, `"`, `\"`, "\t", `\t`).Replace(line)
	return `{"log":"` + quoted + `\n","stream":"` + stream + `","time":"2026-03-02T09:14:07.482113123Z"}`
}

func wrapLines(lines string, wrap func(int, string) string) string {
	var b strings.Builder
	for i, line := range strings.Split(strings.TrimSuffix(lines, "\n"), "\n") {
		b.WriteString(wrap(i, line) + "\n")
	}
	return b.String()
}

// A wrapper changes nothing of a group, nor does its text hold any of it.
func TestGroupsInWrappers(t *testing.T) {
	for kind, wrap := range groupWrappers {
		for _, c := range groupCases {
			t.Run(kind+"/"+c.name, func(t *testing.T) {
				bare := account(t, []byte(c.lines), AllFields)
				got := account(t, []byte(wrapLines(c.lines, wrap)), AllFields)
				checkGroups(t, got, c.want)
				for i := range min(len(bare), len(got)) {
					if !bytes.Equal(bare[i].Text(), got[i].Text()) {
						t.Errorf("record %d: text %q, want %q", i, got[i].Text(), bare[i].Text())
					}
				}
			})
		}
	}
}

// Names in front of lines are wrappers where a record follows; the lines that
// go on it have the same names.
func TestGroupsBehindNames(t *testing.T) {
	c := groupCases[0]
	for _, names := range []string{"cart-7f istio-proxy ", "shop cart-7f istio-proxy ", "proxy-1  | "} {
		got := account(t, []byte(wrapLines(c.lines, func(_ int, line string) string { return names + line })), AllFields)
		checkGroups(t, got, c.want)
	}
}

// Lines of another stream or pod end a group, and belong to no other's.
func TestGroupsMixed(t *testing.T) {
	a := strings.Split(strings.TrimSuffix(groupCases[0].lines, "\n"), "\n")
	for kind, put := range map[string]func(source int, line string) string{
		"streams": func(source int, line string) string {
			return "2026-03-02T09:14:07.000000001Z " + []string{"stdout", "stderr"}[source] + " F " + line
		},
		"pods": func(source int, line string) string {
			return "[pod/" + []string{"cart-7f", "cart-8a"}[source] + "/istio-proxy] " + line
		},
		"docker": func(source int, line string) string { return dockerLine(line, []string{"stdout", "stderr"}[source]) },
	} {
		t.Run(kind, func(t *testing.T) {
			lines := []string{put(0, a[0]), put(1, a[0]), put(1, a[1]), put(0, a[1]), put(0, a[2]), put(1, a[3])}
			got := account(t, []byte(strings.Join(lines, "\n")+"\n"), AllFields)
			checkGroups(t, got, []groupRow{{1, Envoy, ""}, {2, Envoy, "boot.yaml'"}, {1, NoEmitter, ""}, {1, Envoy, "Unknown gRPC client cluster 'xds-a'"}, {1, Envoy, "exiting"}})
		})
	}
}

// A group ends at its limits; the lines behind are records of their own.
func TestGroupLimits(t *testing.T) {
	head := envoyStamp + "[31][critical][main] [a.cc:1] error initializing configuration 'b': goo.gle/debugstr\n"
	lines := account(t, []byte(head+strings.Repeat("  a: 1\n", maxGroupLines+5)), AllFields)
	if len(lines) != 7 || lines[0].Lines != maxGroupLines || lines[6].Kind != Noise {
		t.Errorf("%d records, the first over %d lines, want 7 and %d", len(lines), lines[0].Lines, maxGroupLines)
	}
	long := "  a: " + strings.Repeat("x", 1000) + "\n"
	sizes := account(t, []byte(head+strings.Repeat(long, 400)), AllFields)
	if size := sizes[0].Size; size > maxGroupSize || size < maxGroupSize-len(long) {
		t.Errorf("a group of %d bytes, want %d at most", size, maxGroupSize)
	}
}

// A line that a given format reads is an access record, even behind an event
// that such a line could go on.
func TestGroupsEndAtGivenFormat(t *testing.T) {
	f, err := Compile(`code: "%RESPONSE_CODE%"`)
	if err != nil {
		t.Fatal(err)
	}
	const lines = envoyStamp + "[31][critical][main] [a.cc:1] error initializing configuration 'b': goo.gle/debugstr\nname: \"a\"\ncode: \"503\"\n"
	for _, c := range []struct {
		formats []*Format
		want    []int
	}{{nil, []int{3}}, {[]*Format{f}, []int{2, 1}}} {
		p, got := NewParser(AllFields, c.formats...), []int(nil)
		p.Reset(block([]byte(lines)))
		for r, ok := p.Next(); ok; r, ok = p.Next() {
			got = append(got, r.Lines)
		}
		if !slices.Equal(got, c.want) {
			t.Errorf("records of %v lines, want %v", got, c.want)
		}
	}
}

// Lines that claim to begin a group, one after the other, are each read a few
// times at most.
func TestClaimsAreReadOnce(t *testing.T) {
	for _, line := range []string{"panic: a\n", "\tpanic: a\n", "fatal error: a\n", "    Limits:\n", "#7: [0x1]\n", "Error from server: error when applying patch:\n"} {
		p := NewParser(AllFields)
		data := block([]byte(strings.Repeat(line, 20000)))
		steps := 0
		p.groups.stops = func([]byte) bool { steps++; return false }
		p.Reset(data)
		for _, ok := p.Next(); ok; _, ok = p.Next() {
		}
		if steps > 2*20000 {
			t.Errorf("%q: %d lines read for %d", line, steps, 20000)
		}
	}
}

// Groups whose first line has a head of its own stand behind one name too.
func TestGroupsBehindOneName(t *testing.T) {
	behind := func(_ int, line string) string { return "discovery " + line }
	names := []string{"a panic that istiod caught", "an admission error", "iptables", "a probe", "a refused client"}
	seen := 0
	for _, c := range groupCases {
		if !slices.Contains(names, c.name) {
			continue
		}
		seen++
		records := account(t, []byte(wrapLines(c.lines, behind)), AllFields)
		checkGroups(t, records, c.want)
		if at := records[0].Place(); at.Pod != nil || string(at.Container) != "discovery" {
			t.Errorf("%s: place %q", c.name, at)
		}
	}
	if seen != len(names) {
		t.Errorf("%d of %d groups", seen, len(names))
	}
}

// No group depends on how the bytes arrive, bare or wrapped, nor on what
// stands in front.
func TestGroupsInPortions(t *testing.T) {
	var all strings.Builder
	for _, c := range groupCases {
		all.WriteString(c.lines)
		for _, kind := range []string{"cri", "prefix", "docker", "in prefix"} {
			all.WriteString(wrapLines(c.lines, groupWrappers[kind]))
		}
	}
	for _, list := range []string{all.String(), kubeList(3), kubeList(90)} {
		text := []byte(list)
		want := readInPortions(text, len(text))
		for _, size := range []int{37, 1000, 4096, 65536} {
			got := readInPortions(text, size)
			for i := range max(len(got), len(want)) {
				if at(got, i) != at(want, i) {
					t.Fatalf("portions of %d bytes: record %d of %d\ngot  %s\nwant %s", size, i, len(want), at(got, i), at(want, i))
				}
			}
		}
	}
}

// Cut off at any byte, a group is still accounted for, and its first record
// never has more lines than are there.
func TestGroupsCutAtEveryByte(t *testing.T) {
	for _, c := range groupCases {
		for n := range len(c.lines) {
			account(t, []byte(c.lines[:n]), AllFields)
			if want, got := readInPortions([]byte(c.lines[:n]), n+1), readInPortions([]byte(c.lines[:n]), 11); strings.Join(got, "\n") != strings.Join(want, "\n") {
				t.Fatalf("%s: %d bytes in small portions give other records:\n%s\nwant\n%s", c.name, n, strings.Join(got, "\n"), strings.Join(want, "\n"))
			}
		}
	}
}

// kubeList is what kubectl prints of n events as JSON.
func kubeList(n int) string {
	const item = `        {
            "apiVersion": "v1",
            "count": 3,
            "involvedObject": {
                "kind": "ReplicaSet",
                "name": "cart-7f"
            },
            "kind": "Event",
            "lastTimestamp": "2026-03-02T09:14:07Z",
            "managedFields": [
                {
                    "manager": "kube-controller-manager"
                }
            ],
            "message": "Error creating: Internal error occurred: failed calling webhook \"namespace.sidecar-injector.istio.io\": EOF",
            "reason": "FailedCreate",
            "type": "Warning"
        }`
	return "{\n    \"apiVersion\": \"v1\",\n    \"items\": [\n" + strings.Repeat(item+",\n", n-1) + item + "\n    ],\n    \"kind\": \"List\"\n}\n"
}

func TestKubernetesEventObjects(t *testing.T) {
	const message = `failed "x"`
	for _, line := range []string{
		`{"kind":"Event","involvedObject":{"kind":"Pod","name":"a"},"reason":"Unhealthy","message":"failed \"x\"","type":"Warning","lastTimestamp":"2026-03-02T09:14:07Z"}`,
		`{"kind":"Event","regarding":{"kind":"Pod","name":"a"},"reason":"Unhealthy","note":"failed \"x\"","type":"Warning","eventTime":"2026-03-02T09:14:07Z","deprecatedLastTimestamp":null}`,
	} {
		r := eventOf(t, line)
		if r.Kind != Event || r.Emitter != K8sEvent || string(r.Bytes(Message)) != message || string(r.Bytes(Component)) != "Unhealthy" ||
			string(r.Bytes(Level)) != "Warning" || string(r.Bytes(StartTime)) != "2026-03-02T09:14:07Z" {
			t.Errorf("%s: %s", line, describe(r))
		}
	}
	for _, line := range []string{
		`{"reason":"Unhealthy","message":"m","type":"Warning"}`,
		`{"involvedObject":{},"reason":"it broke","message":"m","type":"Warning"}`,
		`{"involvedObject":{},"reason":"Unhealthy","message":"m","type":"order"}`,
	} {
		if r := eventOf(t, line); r.Kind != Noise {
			t.Errorf("%v, want noise: %s", r.Kind, line)
		}
	}
	records := account(t, []byte(kubeList(3)), AllFields)
	events := 0
	for _, r := range records {
		if r.Kind == Event && r.Lines == 18 && string(r.Bytes(Component)) == "FailedCreate" {
			events++
		}
	}
	if events != 3 {
		t.Errorf("%d events in a list of 3", events)
	}
}

func TestTextWithoutMessage(t *testing.T) {
	for _, r := range account(t, []byte(groupCases[0].lines), Fields(ResponseCode)) {
		if r.Text() != nil {
			t.Errorf("text %q without being asked", r.Text())
		}
	}
}

// Each text of the lists is an event of its emitter, and reading it allocates
// nothing.
func TestBareTexts(t *testing.T) {
	p := NewParser(AllFields)
	for _, list := range bareLists {
		for _, text := range list.texts {
			data := block([]byte(text.head + "x" + text.with + "y\n"))
			read := func() {
				p.Reset(data)
				if r, _ := p.Next(); r.Kind != Event || r.Emitter != list.emitter && findBare(r.Bytes(Message)).emitter != r.Emitter {
					t.Fatalf("%v of %v, want event of %v: %s", r.Kind, r.Emitter, list.emitter, data)
				}
			}
			read()
			if n := testing.AllocsPerRun(5, read); n != 0 {
				t.Errorf("%v allocations: %s", n, data)
			}
		}
	}
}

func TestGroupsAllocateNothing(t *testing.T) {
	for _, c := range groupCases {
		for kind, wrap := range groupWrappers {
			for _, data := range [][]byte{block([]byte(c.lines)), block([]byte(wrapLines(c.lines, wrap)))} {
				p, st := NewParser(AllFields), FrameState{}
				read := func() {
					Cut(data, &st)
					p.Reset(data)
					for r, ok := p.Next(); ok; r, ok = p.Next() {
						r.Text()
					}
				}
				read()
				if n := testing.AllocsPerRun(20, read); n != 0 {
					t.Errorf("%s in %s: %v allocations", c.name, kind, n)
				}
			}
		}
	}
}

// FuzzGroups reads lines in any order and portions: all bytes are accounted
// for, and the records do not depend on the portions.
func FuzzGroups(f *testing.F) {
	for i, c := range groupCases {
		f.Add([]byte(c.lines), i+5)
		f.Add([]byte(wrapLines(c.lines, groupWrappers["cri"])), 3*i+40)
		f.Add([]byte(wrapLines(c.lines, groupWrappers["docker"])), 7*i+90)
	}
	f.Fuzz(func(t *testing.T, data []byte, size int) {
		if len(data) > 3000 {
			return
		}
		account(t, data, AllFields)
		want := readInPortions(data, len(data)+1)
		if got := readInPortions(data, 16+abs(size)%1000); strings.Join(got, "\n") != strings.Join(want, "\n") {
			t.Fatalf("portions give other records:\n%s\nwant\n%s\nof %q", strings.Join(got, "\n"), strings.Join(want, "\n"), data)
		}
	})
}

func abs(n int) int {
	if n < 0 {
		return -(n + 1)
	}
	return n
}

// BenchmarkEvents reads streams of events, for comparison with BenchmarkNext.
func BenchmarkEvents(b *testing.B) {
	streams := map[string]string{"kubernetes": kubeList(40)}
	for _, c := range groupCases {
		streams["groups"] += c.lines
	}
	for _, name := range []string{"envoy", "istio", "istio cri"} {
		line := envoyStamp + "[31][warning][config] [source/extensions/config_subscription/grpc/grpc_stream.h:188] StreamAggregatedResources gRPC config stream to xds-grpc closed since 40s ago: 14, connection refused\n"
		if name != "envoy" {
			line = istioStamp + "\twarn\txdsproxy\tupstream [6] terminated with unexpected error rpc error: code = Unavailable desc = transport is closing\n" + istioStamp + "\tinfo\tEnvoy proxy is ready\n"
		}
		if streams[name] = strings.Repeat(line, 500); name == "istio cri" {
			streams[name] = wrapLines(streams[name], groupWrappers["cri"])
		}
	}
	for name, text := range streams {
		b.Run(name, func(b *testing.B) {
			data, p := block([]byte(text)), NewParser(AllFields)
			b.SetBytes(int64(len(data)))
			b.ReportAllocs()
			for b.Loop() {
				p.Reset(data)
				for _, ok := p.Next(); ok; _, ok = p.Next() {
				}
			}
		})
	}
}

// BenchmarkCut looks for the end of the last record of a block of noise, of
// events, and of what may be either.
func BenchmarkCut(b *testing.B) {
	for name, line := range map[string]string{
		"access":  `[2026-03-02T09:14:07.482Z] "GET / HTTP/1.1" 200 - via_upstream - "-" 0 91 1 1` + "\n",
		"json":    `{"response_code":200,"response_flags":"-","method":"GET"}` + "\n",
		"noise":   "10.8.2.3 - - [02/Mar/2026:09:14:07 +0000] \"GET / HTTP/1.1\" 200 612\n",
		"events":  istioStamp + "\tinfo\tEnvoy proxy is ready\n",
		"indents": "\tat com.example.Main.main(Main.java:12)\n",
	} {
		b.Run(name, func(b *testing.B) {
			data, st := []byte(strings.Repeat(line, 256<<10/len(line))), FrameState{}
			for b.Loop() {
				Cut(data, &st)
			}
		})
	}
}
