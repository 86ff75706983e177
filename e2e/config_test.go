//go:build e2e

package e2e

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
)

// Ports on the scenario's own loopback address.
const (
	listenPort = ":15006"
	upPort     = ":9080"
	sidePort   = ":9090" // a second server or a second listener
	adminPort  = ":15000"
)

// filter is one filter, extension or transport socket. kind is its message
// below envoy.extensions, fields are the rest of its configuration.
func filter(name, kind, fields string) string {
	return `{name: ` + name + `, typed_config: {` + join(`"@type": type.googleapis.com/envoy.extensions.`+kind, fields) + `}}`
}

// join puts commas between fragments that are not empty.
func join(fragments ...string) string {
	return strings.Join(slices.DeleteFunc(fragments, func(f string) bool { return f == "" }), ", ")
}

func httpFilter(name, message, fields string) string {
	return filter("envoy.filters.http."+name, "filters.http."+message, fields)
}

func netFilter(name, message, fields string) string {
	return filter("envoy.filters.network."+name, "filters.network."+message, fields)
}

// defaults adds the fields that the fragment does not set itself.
func defaults(fragment string, pairs ...string) string {
	for i := 0; i < len(pairs); i += 2 {
		if !strings.Contains(", "+fragment, ", "+pairs[i]+":") {
			fragment = join(pairs[i]+": "+pairs[i+1], fragment)
		}
	}
	return fragment
}

func socket(port string) string {
	return `{socket_address: {address: $IP, port_value: ` + port[1:] + `}}`
}

func endpoints(cluster, address string) string {
	return `{cluster_name: "` + cluster + `", endpoints: [{lb_endpoints: [{endpoint: {address: ` + address + `}}]}]}`
}

// bootstrap is the configuration of the scenario in YAML's flow style.
func (s *Scenario) bootstrap(ip, dir string) string {
	text := fmt.Sprintf(`{
node: {id: lab, cluster: lab},
admin: {address: %s},
%s
static_resources: {
 listeners: [%s,
%s],
 clusters: [{%s},
%s]}}
`, socket(adminPort), s.Boot, s.listener(), s.Listeners, s.cluster(), s.Clusters)
	return expand(text, "IP", ip, "DIR", dir, "CLUSTER", s.clusterName(), "LOGS", fileLogs(dir))
}

// expand puts values in place of $NAME.
func expand(text string, pairs ...string) string {
	for i := 0; i < len(pairs); i += 2 {
		text = strings.ReplaceAll(text, "$"+pairs[i], pairs[i+1])
	}
	return text
}

func (s *Scenario) clusterName() string {
	if s.ClusterName != "" {
		return s.ClusterName
	}
	return "outbound|8080||" + strings.ReplaceAll(s.Name, "_", "-") + ".lab.svc.cluster.local"
}

func (s *Scenario) cluster() string {
	return defaults(s.Cluster, "name", `"$CLUSTER"`, "connect_timeout", "2s", "type", "STATIC",
		"load_assignment", endpoints("$CLUSTER", socket(upPort)))
}

func (s *Scenario) listener() string {
	var logs, inspect, match, secure string
	if s.ListenerLog {
		logs = "access_log: [$LOGS]"
	}
	if s.Inspect {
		inspect = "listener_filters: [" + filter("envoy.filters.listener.tls_inspector", "filters.listener.tls_inspector.v3.TlsInspector", "") + "]"
	}
	if s.Match != "" {
		match = "filter_chain_match: {" + s.Match + "}"
	}
	if s.Down != "" {
		secure = "transport_socket: " + s.Down
	}
	chain := join(match, secure, "filters: ["+join(s.Net, s.terminal())+"]")
	return "{" + join(defaults(s.Listener, "name", "main", "address", socket(listenPort)), logs, inspect, "filter_chains: [{"+chain+"}]") + "}"
}

// terminal is the last filter of the chain: the HTTP connection manager or
// the TCP proxy.
func (s *Scenario) terminal() string {
	logs := "access_log: [$LOGS]"
	if s.ListenerLog {
		logs = ""
	}
	if s.TCP {
		return netFilter("tcp_proxy", "tcp_proxy.v3.TcpProxy", join(logs, defaults(s.Proxy, "stat_prefix", "tcp", "cluster", `"$CLUSTER"`)))
	}
	filters := join(s.HTTP, httpFilter("router", "router.v3.Router", s.Router))
	hosts := defaults(s.VHost, "name", "reviews", "domains", `["*"]`, "routes", "["+s.route()+"]")
	return netFilter("http_connection_manager", "http_connection_manager.v3.HttpConnectionManager",
		join(logs, "http_filters: ["+filters+"]", defaults(s.HCM, "stat_prefix", "http", "preserve_external_request_id", "true",
			"route_config", `{name: lab, virtual_hosts: [{`+hosts+`}]}`)))
}

func (s *Scenario) route() string {
	if s.Route != "" {
		return s.Route
	}
	return `{name: default, match: {prefix: "/"}, route: {cluster: "$CLUSTER"}}`
}

// fileLogs is one access logger a dialect.
func fileLogs(dir string) string {
	var list []string
	for _, d := range dialects() {
		format := "json_format: " + d.format
		if !d.json {
			format = "text_format_source: {inline_string: " + quote(d.format+"\n") + "}"
		}
		list = append(list, filter("envoy.access_loggers.file", "access_loggers.file.v3.FileAccessLog",
			fmt.Sprintf("path: %s, log_format: {%s}", quote(dir+"/"+d.id+".log"), format)))
	}
	return strings.Join(list, ",\n")
}

func quote(text string) string {
	b, err := json.Marshal(text)
	if err != nil {
		panic(err)
	}
	return string(b)
}
