package parser

import "strings"

// A Dialect is a product's layout of access records.
type Dialect uint8

// The dialects that are no product's, then those of the list, in its order.
const (
	NoDialect Dialect = iota
	Custom            // a format the caller gave
	Inferred          // code and flags were read; the layout is in no list
	envoyDefault
	_ // envoy-default-tcp
	_ // istio-text-1.0
	istioText11
	istioText12
	istioText13
	istioText18
	istioText19
	_ // istio-text-1.23+
	_ // istio-json-1.1
	_ // istio-json-1.2
	_ // istio-json-1.3-1.7
	_ // istio-json-1.8
	_ // istio-json-1.9-1.24
	_ // istio-json-1.25+
	_ // istio-waypoint
	ztunnelOld
	ztunnelPlain
	ztunnelQuoted
	ztunnelClusters
	ztunnelJSON
)

const firstProduct = envoyDefault

// A DialectInfo is a row of the list of dialects. Rows with the same columns
// share one parser; the first of them names the record's dialect.
type DialectInfo struct {
	ID       string
	Product  string
	Versions string
	Traffic  string // http, tcp or http+tcp
	Encoding Encoding
	Format   string // access-log format string, or the JSON map of keys to operators; empty where there is neither
}

// An Encoding says how the records of a dialect are written.
type Encoding uint8

const (
	Text       Encoding = iota
	JSON                // numbers are numbers, what is missing is null; or, in older versions, all values are strings
	StringJSON          // text that looks like JSON: all values are strings, and nothing in them is escaped
	Elsewhere           // not in the log of the proxy
)

var encodings = [...]string{"text", "JSON", "text like JSON", "not in the log"}

func (e Encoding) String() string { return encodings[e] }

func (d Dialect) String() string {
	switch d {
	case NoDialect:
		return ""
	case Custom:
		return "custom"
	case Inferred:
		return "inferred"
	}
	return dialects[d-firstProduct].ID
}

// DialectList returns the list of dialects. The slice is shared: callers must
// not change it.
func DialectList() []DialectInfo { return dialects }

// The parts that Envoy's default format and Istio's text formats are made of.
const (
	textHead  = `[%START_TIME%] "%REQ(:METHOD)% %REQ(X-ENVOY-ORIGINAL-PATH?:PATH)% %PROTOCOL%" %RESPONSE_CODE% %RESPONSE_FLAGS% `
	textMixer = `"%DYNAMIC_METADATA(istio.mixer:status)%" `
	textTLS   = `"%UPSTREAM_TRANSPORT_FAILURE_REASON%" `
	textWhy   = `%RESPONSE_CODE_DETAILS% %CONNECTION_TERMINATION_DETAILS% `
	textBody  = `%BYTES_RECEIVED% %BYTES_SENT% %DURATION% %RESP(X-ENVOY-UPSTREAM-SERVICE-TIME)% "%REQ(X-FORWARDED-FOR)%" "%REQ(USER-AGENT)%" "%REQ(X-REQUEST-ID)%" "%REQ(:AUTHORITY)%" "%UPSTREAM_HOST%"`
	textTail  = ` %UPSTREAM_CLUSTER% %UPSTREAM_LOCAL_ADDRESS% %DOWNSTREAM_LOCAL_ADDRESS% %DOWNSTREAM_REMOTE_ADDRESS% %REQUESTED_SERVER_NAME%`
	textRoute = ` %ROUTE_NAME%`
	textIstio = textHead + textWhy + textTLS + textBody + textTail + textRoute
)

var rawCluster = strings.NewReplacer("%UPSTREAM_CLUSTER%", "%UPSTREAM_CLUSTER_RAW%")

// keyed builds the JSON map of the fields and operators in pairs.
func keyed(lists ...[]string) string {
	var b strings.Builder
	for _, pairs := range lists {
		for i := 0; i < len(pairs); i += 2 {
			b.WriteString(`,"` + pairs[i] + `":"%` + pairs[i+1] + `%"`)
		}
	}
	return "{" + b.String()[1:] + "}"
}

// The parts that the JSON maps of products are made of.
var (
	jsonTime    = []string{"start_time", "START_TIME"}
	jsonAt      = []string{"@timestamp", "START_TIME"}
	jsonMethod  = []string{"method", "REQ(:METHOD)"}
	jsonWrong   = []string{"method", "START_TIME"} // as Istio 1.1 has it
	jsonPath    = []string{"path", "REQ(X-ENVOY-ORIGINAL-PATH?:PATH)", "protocol", "PROTOCOL"}
	jsonOutcome = []string{"response_code", "RESPONSE_CODE", "response_flags", "RESPONSE_FLAGS"}
	jsonNumbers = []string{"bytes_received", "BYTES_RECEIVED", "bytes_sent", "BYTES_SENT", "duration", "DURATION"}
	jsonService = []string{"upstream_service_time", "RESP(X-ENVOY-UPSTREAM-SERVICE-TIME)"}
	jsonUser    = []string{"x_forwarded_for", "REQ(X-FORWARDED-FOR)", "user_agent", "REQ(USER-AGENT)", "request_id", "REQ(X-REQUEST-ID)"}
	jsonHost    = []string{"authority", "REQ(:AUTHORITY)", "upstream_host", "UPSTREAM_HOST"}
	jsonCluster = []string{"upstream_cluster", "UPSTREAM_CLUSTER"}
	jsonRaw     = []string{"upstream_cluster", "UPSTREAM_CLUSTER_RAW"}
	jsonLocal   = []string{"upstream_local_address", "UPSTREAM_LOCAL_ADDRESS", "downstream_local_address", "DOWNSTREAM_LOCAL_ADDRESS", "downstream_remote_address", "DOWNSTREAM_REMOTE_ADDRESS"}
	jsonName    = []string{"requested_server_name", "REQUESTED_SERVER_NAME"}
	jsonMixer   = []string{"istio_policy_status", "DYNAMIC_METADATA(istio.mixer:status)"}
	jsonTLS     = []string{"upstream_transport_failure_reason", "UPSTREAM_TRANSPORT_FAILURE_REASON"}
	jsonRoute   = []string{"route_name", "ROUTE_NAME"}
	jsonDetails = []string{"response_code_details", "RESPONSE_CODE_DETAILS"}
	jsonWhy     = []string{"response_code_details", "RESPONSE_CODE_DETAILS", "connection_termination_details", "CONNECTION_TERMINATION_DETAILS"}
	jsonGRPC    = []string{"grpc_status", "GRPC_STATUS", "grpc_status_number", "GRPC_STATUS_NUMBER"}
	jsonUber    = []string{"uber_trace_id", "REQ(UBER-TRACE-ID)"}
	jsonFirst   = []string{"time_to_first_byte", "RESPONSE_DURATION"}
)

// istioJSON builds Istio's JSON map from the fields that all its versions have
// and those that a version adds.
func istioJSON(method, cluster []string, added ...[]string) string {
	lists := [][]string{jsonTime, method, jsonPath, jsonOutcome, jsonNumbers, jsonService, jsonUser, jsonHost, cluster, jsonLocal, jsonName}
	return keyed(append(lists, added...)...)
}

// contourJSON builds Contour's JSON map, sorted by key as it writes it.
func contourJSON(added ...[]string) string {
	lists := [][]string{jsonAt, jsonHost[:2], jsonNumbers[:4], jsonLocal[2:], jsonNumbers[4:], jsonMethod, jsonPath, jsonUser[4:], jsonName, jsonOutcome,
		jsonUber, jsonCluster, jsonHost[2:], jsonLocal[:2], jsonService, jsonUser[2:4], jsonUser[:2]}
	return keyed(append(lists, added...)...)
}

// higress builds the text that Higress writes: a map sorted by key, with what
// later versions put in front and behind.
func higress(front []string, authority string, behind ...[]string) string {
	trace := []string{"trace_id", "REQ(X-B3-TRACEID)"}
	lists := [][]string{front, {"authority", authority}, jsonNumbers[:4], jsonLocal[2:], jsonNumbers[4:], jsonMixer, jsonMethod, jsonPath, jsonUser[4:], jsonName, jsonOutcome,
		jsonRoute, jsonTime, trace, jsonCluster, jsonHost[2:], jsonLocal[:2], jsonService, jsonTLS, jsonUser[2:4], jsonUser[:2]}
	return keyed(append(lists, behind...)...)
}

// gatewayKeys are Envoy Gateway's.
var gatewayKeys = keyed(jsonTime, jsonMethod, []string{"x-envoy-origin-path", "REQ(X-ENVOY-ORIGINAL-PATH?:PATH)"}, jsonPath[2:], jsonOutcome, jsonWhy, jsonTLS, jsonNumbers,
	[]string{"x-envoy-upstream-service-time", "RESP(X-ENVOY-UPSTREAM-SERVICE-TIME)", "x-forwarded-for", "REQ(X-FORWARDED-FOR)", "user-agent", "REQ(USER-AGENT)", "x-request-id", "REQ(X-REQUEST-ID)",
		":authority", "REQ(:AUTHORITY)"}, jsonHost[2:], jsonCluster, jsonLocal, jsonName, jsonRoute)

// airgapped are the keys of Google Distributed Cloud's audit log, which an
// OpenTelemetry access logger fills.
var airgapped = keyed(jsonTime, jsonMethod, jsonPath, jsonOutcome, jsonWhy, jsonTLS, jsonNumbers, []string{"x_envoy_upstream_service_time", "RESP(X-ENVOY-UPSTREAM-SERVICE-TIME)"},
	jsonUser[:4], []string{"x_request_id", "REQ(X-REQUEST-ID)"}, jsonHost, jsonCluster, jsonLocal, jsonName, jsonRoute, []string{"username", "REQ(USERNAME)", "x_goog_api_client", "REQ(X-GOOG-API-CLIENT)",
		"severity_text", "SEVERITY", "severity_number", "SEVERITY_NUMBER", "time_unix_nano", "TIME", "observed_time_unix_nano", "TIME", "resource", "RESOURCE", "body", "BODY"})

// Kuma puts names of its own into Envoy's default format.
const (
	kumaEnds  = `"%KUMA_SOURCE_SERVICE%" "%KUMA_DESTINATION_SERVICE%" "%KUMA_SOURCE_ADDRESS_WITHOUT_PORT%" "%UPSTREAM_HOST%"`
	kumaTCP   = `%KUMA_SOURCE_ADDRESS_WITHOUT_PORT%(%KUMA_SOURCE_SERVICE%)->%UPSTREAM_HOST%(%KUMA_DESTINATION_SERVICE%) took %DURATION%ms, sent %BYTES_SENT% bytes, received: %BYTES_RECEIVED% bytes`
	kumaTrace = `"%REQ(USER-AGENT)%" "%REQ(X-B3-TRACEID?X-DATADOG-TRACEID)%"`
)

var (
	kumaHTTP = strings.Replace(textHead+textBody, `"%UPSTREAM_HOST%"`, kumaEnds, 1)
	kumaMesh = strings.Replace(kumaHTTP, `] `, `] %KUMA_MESH% `, 1)
)

// Sources: Envoy's default format string,
// https://www.envoyproxy.io/docs/envoy/latest/configuration/observability/access_log/usage#default-format-string,
// Istio's in its access logging task,
// https://istio.io/latest/docs/tasks/observability/logs/access-log/#default-access-log-format,
// those of other products in their own documentation of access logs, and the
// releases named in each row. A new row goes in front of the rows whose layout
// it shares only if it should name their records.
var dialects = []DialectInfo{
	{"envoy-default-http", "Envoy", "all", "http", Text, textHead + textBody},
	{"envoy-default-tcp", "Envoy", "all", "tcp", Text, textHead + textBody},
	{"istio-text-1.0", "Istio", "1.0", "http+tcp", Text, textHead + textBody},
	{"istio-text-1.1", "Istio", "1.1", "http+tcp", Text, textHead + textMixer + textBody + textTail},
	{"istio-text-1.2", "Istio", "1.2", "http+tcp", Text, textHead + textMixer + textTLS + textBody + textTail},
	{"istio-text-1.3-1.7", "Istio", "1.3 - 1.7", "http+tcp", Text, textHead + textMixer + textTLS + textBody + textTail + textRoute},
	{"istio-text-1.8", "Istio", "1.8", "http+tcp", Text, textHead + textTLS + textBody + textTail + textRoute},
	{"istio-text-1.9-1.22", "Istio", "1.9 - 1.22", "http+tcp", Text, textIstio},
	{"istio-text-1.23+", "Istio", "1.23 and later", "http+tcp", Text, rawCluster.Replace(textIstio)},
	{"istio-json-1.1", "Istio", "1.1", "http+tcp", JSON, istioJSON(jsonWrong, jsonCluster, jsonMixer)},
	{"istio-json-1.2", "Istio", "1.2", "http+tcp", JSON, istioJSON(jsonMethod, jsonCluster, jsonMixer, jsonTLS)},
	{"istio-json-1.3-1.7", "Istio", "1.3 - 1.7", "http+tcp", JSON, istioJSON(jsonMethod, jsonCluster, jsonMixer, jsonTLS, jsonRoute)},
	{"istio-json-1.8", "Istio", "1.8", "http+tcp", JSON, istioJSON(jsonMethod, jsonCluster, jsonTLS, jsonRoute)},
	{"istio-json-1.9-1.24", "Istio", "1.9 - 1.24", "http+tcp", JSON, istioJSON(jsonMethod, jsonCluster, jsonTLS, jsonRoute, jsonWhy)},
	{"istio-json-1.25+", "Istio", "1.25 and later", "http+tcp", JSON, istioJSON(jsonMethod, jsonRaw, jsonTLS, jsonRoute, jsonWhy)},
	{"istio-waypoint", "Istio waypoint", "1.18 and later", "http+tcp", Text, rawCluster.Replace(textIstio)},
	{"ztunnel-plain-1.18-1.21", "Istio ztunnel", "1.18 - 1.21", "tcp", Text, ""},
	{"ztunnel-plain-1.22", "Istio ztunnel", "1.22", "tcp", Text, ""},
	{"ztunnel-plain-1.23+", "Istio ztunnel", "1.23 - 1.30", "tcp", Text, ""},
	{"ztunnel-plain-1.31+", "Istio ztunnel", "1.31 and later", "tcp", Text, ""},
	{"ztunnel-json", "Istio ztunnel", "1.22 and later", "tcp", JSON, ""},
	{"envoy-gateway-0.2-0.5", "Envoy Gateway", "0.2 - 0.5", "http", Text, textHead + textBody},
	{"envoy-gateway-0.6-1.3", "Envoy Gateway", "0.6 - 1.3", "http+tcp", StringJSON, gatewayKeys},
	{"envoy-gateway-1.4+", "Envoy Gateway", "1.4 and later", "http+tcp", JSON, gatewayKeys},
	{"contour-text", "Contour", "all", "http+tcp", Text, textHead + textBody},
	{"contour-json-1.0-1.23", "Contour", "1.0 - 1.23", "http+tcp", JSON, contourJSON()},
	{"contour-json-1.24+", "Contour", "1.24 and later", "http+tcp", JSON, contourJSON(jsonGRPC)},
	{"emissary-text", "Emissary-ingress", "1.0 and later", "http+tcp", Text, "ACCESS " + textHead + textBody},
	{"emissary-json", "Emissary-ingress", "1.0 and later", "http+tcp", JSON, istioJSON(jsonMethod, jsonCluster, jsonMixer, jsonTLS)},
	{"kgateway-gloo", "kgateway, Gloo Gateway", "all, without a format of one's own", "http", Text, textHead + textBody},
	{"consul-json", "Consul", "1.15 and later", "http+tcp", JSON, istioJSON(jsonMethod, jsonCluster, jsonTLS, jsonRoute, jsonWhy)},
	{"kuma-http-0.4", "Kuma", "0.4", "http", Text, kumaHTTP},
	{"kuma-http-0.5-1.3", "Kuma", "0.5 - 1.3", "http", Text, kumaMesh},
	{"kuma-http-1.4+", "Kuma", "1.4 and later", "http", Text, strings.Replace(kumaMesh, `"%REQ(USER-AGENT)%"`, kumaTrace, 1)},
	{"kuma-tcp-0.4", "Kuma", "0.4", "tcp", Text, `[%START_TIME%] ` + kumaTCP},
	{"kuma-tcp-0.5+", "Kuma", "0.5 and later", "tcp", Text, `[%START_TIME%] %RESPONSE_FLAGS% %KUMA_MESH% ` + kumaTCP},
	{"higress-1.0-1.3", "Higress", "1.0 - 1.3", "http", StringJSON, higress(nil, "REQ(:AUTHORITY)")},
	{"higress-1.4", "Higress", "1.4", "http", StringJSON, higress(nil, "REQ(X-ENVOY-ORIGINAL-HOST?:AUTHORITY)")},
	{"higress-2.0.0-2.0.4", "Higress", "2.0.0 - 2.0.4", "http", StringJSON, higress(nil, "REQ(X-ENVOY-ORIGINAL-HOST?:AUTHORITY)", jsonDetails)},
	{"higress-2.0.5+", "Higress", "2.0.5 and later", "http", StringJSON, higress([]string{"ai_log", "FILTER_STATE(wasm.ai_log:PLAIN)"}, "REQ(X-ENVOY-ORIGINAL-HOST?:AUTHORITY)", jsonDetails)},
	{"cilium-gateway-text", "Cilium", "with access logs of its Gateway API", "http+tcp", Text, textHead + textBody},
	{"cilium-gateway-json", "Cilium", "with access logs of its Gateway API", "http+tcp", JSON, keyed(jsonTime, jsonMethod, jsonPath, jsonOutcome, jsonNumbers, jsonService, jsonUser, jsonHost)},
	{"cilium-legacy", "Cilium", "before: sent to the agent, for Hubble", "http", Elsewhere, ""},
	{"app-mesh", "AWS App Mesh", "all", "http+tcp", Text, textHead + textBody},
	{"google-csm-envoy", "Google Cloud Service Mesh", "provider envoy: as Istio of that version", "http+tcp", Text, textIstio},
	{"google-csm-traffic-log", "Google Cloud Service Mesh", "provider stackdriver, 1.4 and later", "http+tcp", JSON, ""},
	{"google-gdc-airgapped", "Google Distributed Cloud", "1.9 and later", "http", JSON, airgapped},
	{"osm-json", "Open Service Mesh", "0.2 - 1.2", "http+tcp", JSON, keyed(jsonTime, jsonMethod, jsonPath, jsonOutcome[:2], jsonDetails, jsonFirst, jsonCluster, jsonOutcome[2:], jsonNumbers, jsonService, jsonUser, jsonName, jsonHost)},
	{"osm-probe", "Open Service Mesh", "0.9 and later, health probes", "tcp", StringJSON, keyed(jsonTime, jsonNumbers, jsonName, jsonOutcome[2:], jsonCluster, jsonHost[2:])},
}
