package gen

import "strings"

// An eventRow is what programs around the access log write, and how often: a
// level, what names the part of the program, and a text in which {svc}, {ip},
// {pod}, {uuid} and {n} stand for something else in every record.
type eventRow struct {
	weight          float64
	level, by, text string
}

// envoyRows have the logger and the place in the source in the middle.
var envoyRows = []eventRow{
	{12, "info", "upstream common/upstream/cds_api_helper.cc:32", "cds: add {n} cluster(s), remove {n} cluster(s)"},
	{12, "info", "upstream common/upstream/cds_api_helper.cc:71", "cds: added/updated {n} cluster(s) (skipped {n} unmodified cluster(s))"},
	{10, "info", "upstream common/listener_manager/lds_api.cc:106", "lds: add/update listener '{ip}_15006'"},
	{8, "info", "upstream common/upstream/cluster_manager_impl.cc:655", "add/update cluster outbound|8080||{svc} starting warming"},
	{8, "info", "upstream common/upstream/cluster_manager_impl.cc:662", "warming cluster outbound|8080||{svc} complete"},
	{3, "info", "config common/listener_manager/listener_manager_impl.cc:944", "all dependencies initialized. starting workers"},
	{4, "info", "runtime common/runtime/runtime_impl.cc:425", "RTDS has finished initialization"},
	{6, "debug", "http common/http/conn_manager_impl.cc:299", `[Tags: "ConnectionId":"{n}","StreamId":"{n}{n}{n}"] request end stream`},
	{4, "debug", "pool common/conn_pool/conn_pool_base.cc:182", `[Tags: "ConnectionId":"{n}{n}"] creating stream`},
	{3, "warning", "config extensions/config_subscription/grpc/grpc_stream.h:155", "StreamAggregatedResources gRPC config stream to xds-grpc closed: 13, "},
	{2, "warning", "filter extensions/filters/http/jwt_authn/jwks_async_fetcher.cc:110", "Jwks async fetching url=https://{svc}/jwks.json: failed"},
	{1, "warning", "config extensions/config_subscription/grpc/grpc_stream.h:193", "StreamAggregatedResources gRPC config stream to xds-grpc closed since {n}s ago: 14, upstream connect error or disconnect/reset before headers. reset reason: connection timeout"},
}

var agentRows = []eventRow{
	{8, "info", "xdsproxy", "connected to delta upstream XDS server: istiod.istio-system.svc:15012\tid={n}"},
	{4, "info", "xdsproxy", "disconnected from XDS server: istiod.istio-system.svc:15012\tid={n}"},
	{6, "info", "cache", "generated new workload certificate\tresourceName=default latency={n}.{n}ms ttl=23h59m59.{n}s"},
	{6, "info", "ads", "XDS: Incremental Pushing ConnectedEndpoints:2 Version:{n}"},
	{3, "info", "", "Envoy proxy is ready"},
	{2, "warn", "ca", "ca request failed, starting attempt 2 in {n}.{n}ms"},
	{2, "warn", "", "Envoy proxy is NOT ready: config not received from XDS server (is Istiod running?): cds updates: 0 successful, 0 rejected; lds updates: 0 successful, 0 rejected"},
}

var istiodRows = []eventRow{
	{12, "info", "ads", "CDS: PUSH request for node:{pod} resources:{n} size:{n}.1kB cached:{n}/{n}"},
	{8, "info", "ads", "EDS: PUSH INC for node:{pod} resources:{n} size:{n}B empty:0 cached:{n}/{n}"},
	{10, "info", "ads", "ADS: new connection for node:{pod}-{n}"},
	{10, "info", "ads", `ADS: "{ip}:4{n}" {pod}-{n} terminated`},
	{10, "info", "ads", "Push debounce stable[{n}] 3 for config ServiceEntry/shop/{svc}: {n}.{n}ms since last change, {n}.{n}ms since last push, full=false"},
	{8, "info", "ads", "Full push, new service {svc}"},
	{4, "info", "validationServer", "configuration for {svc} is valid"},
	{4, "warn", "ads", "ADS:LDS: ACK ERROR {pod}-{n} Internal:Error adding/updating listener(s) {ip}_15006: duplicate listener"},
}

var klogRows = []eventRow{
	{10, "I", "httplog.go:132", `"HTTP" verb="GET" URI="/api/v1/namespaces/shop/pods/{pod}" latency="{n}.{n}ms" userAgent="kubelet/v1.34.1" srcIP="{ip}:4{n}" resp=200`},
	{10, "I", "reconciler_common.go:224", `"operationExecutor.MountVolume started for volume \"istio-data\" (UniqueName: \"kubernetes.io/empty-dir/{uuid}-istio-data\") pod \"{pod}\" (UID: \"{uuid}\") " pod="shop/{pod}"`},
	{10, "I", "trace.go:236", `Trace[{n}{n}{n}]: "Update" accept:application/json,audit-id:{uuid},client:{ip},protocol:HTTP/2.0,resource:leases,scope:resource,url:/apis/coordination.k8s.io/v1/namespaces/shop/leases/{svc},user-agent:kube-controller-manager/v1.34.1,verb:PUT (total time: {n}ms):`},
	{5, "I", "pod_startup_latency_tracker.go:104", `"Observed pod startup duration" pod="shop/{pod}" podStartSLOduration=3.{n}`},
	{5, "W", "dispatcher.go:205", `Failed calling webhook, failing open rev.namespace.sidecar-injector.istio.io: failed calling webhook "rev.namespace.sidecar-injector.istio.io": failed to call webhook: Post "https://istiod.istio-system.svc:443/inject?timeout=10s": dial tcp {ip}:443: connect: connection refused`},
}

var (
	envoyOf  = rowTable(envoyRows)
	agentOf  = rowTable(agentRows)
	istiodOf = rowTable(istiodRows)
	klogOf   = rowTable(klogRows)
)

func rowTable(rows []eventRow) *table {
	weights := make([]float64, len(rows))
	for i, r := range rows {
		weights[i] = r.weight
	}
	return newTable(weights)
}

// drawEvent picks a row and moves the clock on.
func (g *Generator) drawEvent(rows []eventRow, of *table) *eventRow {
	g.noise++
	g.rec.wrapper = 0
	g.clock += int64(g.bits(3))
	return &rows[of[g.bits(tableBits)]]
}

// appendEnvoyEvents is Envoy's own layout:
// https://www.envoyproxy.io/docs/envoy/latest/operations/cli#cmdoption-log-format
func appendEnvoyEvents(g *Generator, dst []byte) []byte {
	r := g.drawEvent(envoyRows, envoyOf)
	logger, place := cutBlank(r.by)
	dst = append(dst, '[')
	at := len(dst)
	dst = g.stamp.append(dst, g.clock)
	dst[at+len("2006-01-02")] = ' '
	dst = appendInt(append(dst[:len(dst)-1], "]["...), int64(10+g.bits(4)))
	for _, column := range []string{"][", r.level, "][", logger, "] [source/", place, "] "} {
		dst = append(dst, column...)
	}
	return g.appendFilled(dst, r.text)
}

// appendProxyEvents is a sidecar's log: the agent, and its Envoy in Istio's
// layout.
// https://istio.io/latest/docs/ops/diagnostic-tools/component-logging/
func appendProxyEvents(g *Generator, dst []byte) []byte {
	if g.bits(8) < 86 {
		return g.appendIstioEvent(dst, g.drawEvent(agentRows, agentOf))
	}
	r := g.drawEvent(envoyRows, envoyOf)
	logger, place := cutBlank(r.by)
	dst = g.appendMicros(dst)
	for _, column := range []string{"\t", r.level, "\tenvoy ", logger, " external/envoy/source/", place, "\t"} {
		dst = append(dst, column...)
	}
	return appendInt(append(g.appendFilled(dst, r.text), "\tthread="...), int64(10+g.bits(4)))
}

func appendIstiodEvents(g *Generator, dst []byte) []byte {
	return g.appendIstioEvent(dst, g.drawEvent(istiodRows, istiodOf))
}

func (g *Generator) appendIstioEvent(dst []byte, r *eventRow) []byte {
	dst = append(append(g.appendMicros(dst), '\t'), r.level...)
	if r.by != "" {
		dst = append(append(dst, '\t'), r.by...)
	}
	return g.appendFilled(append(dst, '\t'), r.text)
}

// appendKlogEvents is the log of Kubernetes' programs:
// https://kubernetes.io/docs/concepts/cluster-administration/system-logs/#klog-output
func appendKlogEvents(g *Generator, dst []byte) []byte {
	r := g.drawEvent(klogRows, klogOf)
	when := g.appendMicros(g.inner[:0])
	g.inner = when
	dst = append(append(append(dst, r.level...), when[5:7]...), when[8:10]...)
	dst = append(append(append(dst, ' '), when[11:26]...), "       1 "...)
	return g.appendFilled(append(append(dst, r.by...), "] "...), r.text)
}

// appendAllEvents is the logs of all of them in one stream.
func appendAllEvents(g *Generator, dst []byte) []byte {
	switch g.bits(2) {
	case 0:
		return appendEnvoyEvents(g, dst)
	case 1:
		return appendProxyEvents(g, dst)
	case 2:
		return appendIstiodEvents(g, dst)
	}
	return appendKlogEvents(g, dst)
}

// appendMicros appends the time as 2026-01-30T04:00:00.000000Z.
func (g *Generator) appendMicros(dst []byte) []byte {
	dst = g.stamp.append(dst, g.clock)
	n := g.bits(9)
	return append(dst[:len(dst)-1], byte('0'+n/100), byte('0'+n/10%10), byte('0'+n%10), 'Z')
}

// appendFilled appends a text with its names filled in.
func (g *Generator) appendFilled(dst []byte, text string) []byte {
	for {
		before, rest, ok := strings.Cut(text, "{")
		dst = append(dst, before...)
		if !ok {
			return dst
		}
		var name string
		name, text, _ = strings.Cut(rest, "}")
		dst = g.appendNamed(dst, name)
	}
}

func (g *Generator) appendNamed(dst []byte, name string) []byte {
	svc := &services[serviceOf[g.bits(tableBits)]]
	switch id := g.rng.Uint64(); name {
	case "svc":
		return append(dst, svc.authority...)
	case "ip":
		ip, _, _ := strings.Cut(svc.hosts[id%uint64(len(svc.hosts))].addr, ":")
		return append(dst, ip...)
	case "pod":
		app, _, _ := strings.Cut(svc.authority, ".")
		dst = appendHex(append(append(dst, app...), '-'), id, 9)
		return append(appendHex(append(dst, '-'), id>>36, 5), ".shop"...)
	case "uuid":
		return appendUUID(dst, id, g.rng.Uint64())
	default:
		return appendInt(dst, int64(id>>54))
	}
}

func cutBlank(s string) (before, after string) {
	before, after, _ = strings.Cut(s, " ")
	return before, after
}
