package gen

import (
	"fmt"
	"math"
	"math/rand/v2"
	"strconv"
	"strings"
)

// firstMillisecond is 2026-01-30T04:00:00Z. Records end about 2 ms apart: 500
// a second, what a few busy pods write.
const firstMillisecond = 1769745600000

// A table draws an index with given weights: one look-up by 14 random bits.
type table [1 << 14]uint16

const tableBits = 14

// newTable spreads the slots over the weights; every weight above zero gets
// at least one.
func newTable(weights []float64) *table {
	sum := 0.0
	for _, w := range weights {
		sum += w
	}
	t, slot, upTo := new(table), 0, 0.0
	for i, w := range weights {
		upTo += w
		for end := max(slot+1, int(upTo/sum*float64(len(t)))); w > 0 && slot < end && slot < len(t); slot++ {
			t[slot] = uint16(i)
		}
	}
	for ; slot < len(t); slot++ {
		t[slot] = t[slot-1]
	}
	return t
}

// zipf weighs n ranks by 1/rank^s: a few names take most of the traffic.
func zipf(n int, s float64) *table {
	weights := make([]float64, n)
	for i := range weights {
		weights[i] = math.Pow(float64(i+1), -s)
	}
	return newTable(weights)
}

// lognormal returns values with the given median whose logarithm spreads by
// sigma: durations and sizes have few small and a long tail of large values.
func lognormal(median, sigma float64) *[1 << 12]int64 {
	rng := rand.New(rand.NewPCG(1, uint64(median)))
	v := new([1 << 12]int64)
	for i := range v {
		v[i] = int64(median * math.Exp(rng.NormFloat64()*sigma))
	}
	return v
}

var (
	durations     = lognormal(9, 1.3)     // ms: half under 9, one in a hundred above 185
	responseSizes = lognormal(1100, 1.6)  // bytes
	requestSizes  = lognormal(420, 1.2)   // bytes, of requests with a body
	tcpSizes      = lognormal(20000, 2.2) // bytes
)

// How far a request came decides which columns have a value.
const (
	refused  = iota // no route: no cluster, no host
	routed          // a cluster, no host
	chosen          // a host, no connection
	reached         // a connection, no answer
	answered        // a service time
)

// An outcome is how a request ended.
type outcome struct {
	weight  float64
	code    string
	flags   string
	details string
	reason  string // upstream transport failure reason
	far     int
	took    int64 // ms on top of the usual duration
	body    int64 // size of the proxy's own response; 0: the application's
	tcp     bool
	failed  bool
}

// Codes, flags and details go together as Envoy writes them:
// https://www.envoyproxy.io/docs/envoy/latest/configuration/http/http_conn_man/response_code_details
// Weights of healthy outcomes are after a shop's week: nine in ten are 200,
// clients' own mistakes are about 4 %, TCP is 2 %. Of the failures a third is
// the application's own, a third is connections, the rest is policy, limits
// and clients that left.
var outcomes = []outcome{
	{weight: 880, code: "200", flags: "-", details: "via_upstream", far: answered},
	{weight: 22, code: "201", flags: "-", details: "via_upstream", far: answered},
	{weight: 14, code: "204", flags: "-", details: "via_upstream", far: answered},
	{weight: 12, code: "304", flags: "-", details: "via_upstream", far: answered},
	{weight: 7, code: "302", flags: "-", details: "via_upstream", far: answered},
	{weight: 4, code: "301", flags: "-", details: "direct_response", far: refused},
	{weight: 2, code: "101", flags: "-", details: "via_upstream", far: answered, took: 45000},
	{weight: 24, code: "404", flags: "-", details: "via_upstream", far: answered},
	{weight: 7, code: "401", flags: "-", details: "via_upstream", far: answered},
	{weight: 5, code: "400", flags: "-", details: "via_upstream", far: answered},
	{weight: 3, code: "409", flags: "-", details: "via_upstream", far: answered},
	{weight: 20, code: "0", flags: "-", details: "-", far: answered, took: 900, tcp: true},

	{weight: 200, code: "500", flags: "-", details: "via_upstream", far: answered, failed: true},
	{weight: 80, code: "503", flags: "-", details: "via_upstream", far: answered, failed: true},
	{weight: 50, code: "502", flags: "-", details: "via_upstream", far: answered, failed: true},
	{weight: 130, code: "503", flags: "UC", details: "upstream_reset_before_response_started{connection_termination}", far: reached, body: 95, failed: true},
	{weight: 100, code: "503", flags: "UF,URX", details: "upstream_reset_before_response_started{remote_connection_failure,delayed_connect_error:_111}", reason: "delayed_connect_error:_111", far: chosen, took: 60, body: 152, failed: true},
	{weight: 50, code: "503", flags: "UF", details: "upstream_reset_before_response_started{connection_timeout}", far: chosen, took: 10000, body: 91, failed: true},
	{weight: 30, code: "503", flags: "URX,UF", details: "upstream_reset_before_response_started{remote_connection_failure|TLS_error:|268435581:SSL_routines:OPENSSL_internal:CERTIFICATE_VERIFY_FAILED:TLS_error_end}", reason: "TLS_error:|268435581:SSL_routines:OPENSSL_internal:CERTIFICATE_VERIFY_FAILED:TLS_error_end", far: chosen, took: 70, body: 239, failed: true},
	{weight: 90, code: "503", flags: "UH", details: "no_healthy_upstream", far: routed, body: 19, failed: true},
	{weight: 70, code: "504", flags: "UT", details: "response_timeout", far: reached, took: 15000, body: 24, failed: true},
	{weight: 30, code: "503", flags: "UO", details: "overflow", far: routed, body: 81, failed: true},
	{weight: 30, code: "404", flags: "NR", details: "route_not_found", far: refused, failed: true},
	{weight: 10, code: "503", flags: "NC", details: "cluster_not_found", far: refused, failed: true},
	{weight: 15, code: "502", flags: "UPE", details: "upstream_reset_before_response_started{protocol_error}", far: reached, body: 87, failed: true},
	{weight: 60, code: "0", flags: "DC", details: "downstream_remote_disconnect", far: reached, took: 5000, failed: true},
	{weight: 40, code: "403", flags: "-", details: "rbac_access_denied_matched_policy[none]", far: routed, body: 19, failed: true},
	{weight: 25, code: "401", flags: "-", details: "jwt_authn_access_denied{Jwt_is_expired}", far: routed, body: 14, failed: true},
	{weight: 15, code: "403", flags: "UAEX", details: "ext_authz_denied", far: routed, body: 9, failed: true},
	{weight: 25, code: "429", flags: "RL", details: "local_rate_limited", far: routed, body: 18, failed: true},
	{weight: 10, code: "408", flags: "SI", details: "stream_idle_timeout", far: reached, took: 300000, body: 19, failed: true},
	{weight: 5, code: "400", flags: "DPE", details: "http1.codec_error", far: refused, body: 11, failed: true},
	{weight: 20, code: "0", flags: "UF,URX", details: "-", reason: "delayed_connect_error:_111", far: chosen, took: 2000, tcp: true, failed: true},
	{weight: 15, code: "0", flags: "UH", details: "-", far: routed, took: 5, tcp: true, failed: true},
}

// outcomesThat draws among the healthy or the failed outcomes.
func outcomesThat(failed bool) *table {
	weights := make([]float64, len(outcomes))
	for i, o := range outcomes {
		if o.failed == failed {
			weights[i] = o.weight
		}
	}
	return newTable(weights)
}

var healthy, failing = outcomesThat(false), outcomesThat(true)

// Where the proxy stood: six of ten records are a client's sidecar, three the
// server's, one a gateway.
const (
	client = iota
	server
	gateway
)

var stands = newTable([]float64{6, 3, 1})

// A service is a destination; everything that repeats is rendered once.
type service struct {
	outbound, inbound string // cluster names
	authority         string
	vip               string
	hosts             []host
	sni               string
	public            string // host name at the gateway
	grpc              bool
	paths             []string // # a number, @ a UUID, $ a short hex id
}

type host struct{ ip, addr string }

// The first names take most of the traffic: 64 services, Zipf with s = 1.1.
var (
	services   = makeServices(64)
	serviceOf  = zipf(64, 1.1)
	names      = strings.Fields("cart checkout catalog frontend recommendation payment search inventory user-profile pricing shipping session review notification image order")
	namespaces = strings.Fields("shop shop shop payments search platform")
	ports      = []int{8080, 9080, 80, 8000, 3550, 50051}
)

var restPaths = [][]string{
	{"/api/v1/products/#", "/api/v1/products/#/reviews?limit=20&offset=0", "/api/v1/products?category=#&sort=price", "/healthz"},
	{"/cart/@", "/cart/@/items", "/cart/@/items/#", "/ready"},
	{"/orders/#", "/orders/#/status", "/v2/customers/@/orders?page=2&size=50", "/"},
	{"/search?q=garden+chair&page=1&session=$", "/search/suggest?q=gar", "/static/js/main.$.js", "/static/img/#.webp"},
}

func makeServices(n int) []service {
	list := make([]service, n)
	for i := range list {
		name := names[i%len(names)]
		if i >= len(names) {
			name += "-v" + strconv.Itoa(i/len(names)+1)
		}
		port := ports[i%len(ports)]
		fqdn := name + "." + namespaces[i%len(namespaces)] + ".svc.cluster.local"
		s := service{
			outbound:  fmt.Sprintf("outbound|%d||%s", port, fqdn),
			inbound:   fmt.Sprintf("inbound|%d||", port),
			authority: fmt.Sprintf("%s:%d", strings.TrimSuffix(fqdn, ".svc.cluster.local"), port),
			vip:       fmt.Sprintf("10.96.%d.%d:%d", i%200+1, i*7%250+1, port),
			sni:       fmt.Sprintf("outbound_.%d_._.%s", port, fqdn),
			public:    "www.shop.example",
			paths:     restPaths[i%len(restPaths)],
			grpc:      port == 50051,
		}
		if s.grpc {
			s.paths = []string{"/shop.v1.Service" + strconv.Itoa(i) + "/Get", "/shop.v1.Service" + strconv.Itoa(i) + "/List"}
		}
		for j := range 2 + i%7 {
			ip := fmt.Sprintf("10.%d.%d.%d", 244+i%3, i+3, 10+j*3)
			s.hosts = append(s.hosts, host{ip, fmt.Sprintf("%s:%d", ip, port)})
		}
		list[i] = s
	}
	return list
}

// pathOf prefers a service's first path: half, then a quarter, and so on.
var pathOf = newTable([]float64{50, 25, 18, 7})

// GET is four of five; gRPC is always POST.
var (
	methods  = []string{"GET", "POST", "PUT", "DELETE", "PATCH", "HEAD", "OPTIONS"}
	methodOf = newTable([]float64{80, 13, 3, 1.5, 1, 1, 0.5})
)

// An agent is a User-Agent in text, where nothing is escaped, and in JSON.
type agent struct{ text, json string }

// Inside a mesh the clients are libraries, at the gateway browsers and bots.
// About one in 5,000 carries quotes of its own.
var (
	libraries = agents("Go-http-client/1.1", "Java-http-client/21.0.4", "okhttp/4.12.0", "python-requests/2.32.3", "axios/1.7.7", "Apache-HttpClient/4.5.14 (Java/17.0.12)", "node", "kube-probe/1.31", "Prometheus/2.54.1", "-", "curl/8.9.1")
	libraryOf = newTable([]float64{30, 18, 12, 9, 8, 7, 6, 5, 3, 1.5, 0.5})
	rpcAgents = agents("grpc-go/1.68.0", "grpc-java-netty/1.66.0", "grpc-python/1.66.1 grpc-c/43.0.0 (linux; chttp2)")
	rpcOf     = newTable([]float64{6, 3, 1})
	browsers  = agents(
		"Mozilla/5.0 (Windows NT 10.0; Win64; x64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/131.0.0.0 Safari/537.36",
		"Mozilla/5.0 (iPhone; CPU iPhone OS 18_1 like Mac OS X) AppleWebKit/605.1.15 (KHTML, like Gecko) Version/18.1 Mobile/15E148 Safari/604.1",
		"Mozilla/5.0 (Linux; Android 14; K) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/131.0.0.0 Mobile Safari/537.36",
		"Mozilla/5.0 (Macintosh; Intel Mac OS X 10_15_7) AppleWebKit/605.1.15 (KHTML, like Gecko) Version/18.1 Safari/605.1.15",
		"Mozilla/5.0 (X11; Linux x86_64; rv:133.0) Gecko/20100101 Firefox/133.0",
		"Mozilla/5.0 (compatible; examplebot/2.1; +http://bot.example/about.html)",
		"ShopApp/7.3.1 (build 4411; iOS 18.1)",
		`scanner "probe" 1.0`)
	browserOf = newTable([]float64{38, 22, 20, 8, 5, 4, 3, 0.2})
)

func agents(list ...string) []agent {
	var out []agent
	for _, text := range list {
		a := agent{text, strconv.Quote(text)}
		if text == "-" {
			a.json = "null"
		}
		out = append(out, a)
	}
	return out
}

// Clients of the gateway: 4,096 public addresses of the documentation ranges,
// Zipf with s = 0.9.
var (
	publics  = makePublics(4096)
	publicOf = zipf(4096, 0.9)
)

func makePublics(n int) []string {
	list := make([]string, n)
	for i := range list {
		list[i] = fmt.Sprintf("%s.%d", []string{"192.0.2", "198.51.100", "203.0.113", "198.18.7"}[i%4], i/4%254+1)
	}
	return list
}

// Lines that are no access record, for the mixed log.
var others = []string{
	"\twarning\tenvoy config external/envoy/source/extensions/config_subscription/grpc/grpc_stream.h:226\tStreamAggregatedResources gRPC config stream to xds-grpc closed since 41s ago: 14, connection reset\tthread=15",
	"\tinfo\txdsproxy\tconnected to delta upstream XDS server: istiod.istio-system.svc:15012\tid=7",
	"\tinfo\tcache\tgenerated new workload certificate\tresourceName=default latency=46.1ms ttl=23h59m59.9s",
	" INFO  [worker-3] com.shop.OrderService : order placed",
	" DEBUG cache miss, asking the store",
}
