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
	istioJSON11
	_
	_
	_
	_
	_ // istio-json-1.25+
	_ // istio-waypoint
	ztunnelPlain
	_
	_
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
	Format   string // access-log format string, or the JSON map of keys to operators; empty for ztunnel's key=value pairs
	JSON     bool   // the record is a JSON object
}

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
)

var rawCluster = strings.NewReplacer("%UPSTREAM_CLUSTER%", "%UPSTREAM_CLUSTER_RAW%")

// istioJSON builds Istio's JSON map from the fields all versions have and
// those that a version adds.
func istioJSON(method string, added ...string) string {
	pairs := append([]string{
		"start_time", "START_TIME", "method", method, "path", "REQ(X-ENVOY-ORIGINAL-PATH?:PATH)", "protocol", "PROTOCOL",
		"response_code", "RESPONSE_CODE", "response_flags", "RESPONSE_FLAGS", "bytes_received", "BYTES_RECEIVED", "bytes_sent", "BYTES_SENT",
		"duration", "DURATION", "upstream_service_time", "RESP(X-ENVOY-UPSTREAM-SERVICE-TIME)", "x_forwarded_for", "REQ(X-FORWARDED-FOR)",
		"user_agent", "REQ(USER-AGENT)", "request_id", "REQ(X-REQUEST-ID)", "authority", "REQ(:AUTHORITY)", "upstream_host", "UPSTREAM_HOST",
		"upstream_cluster", "UPSTREAM_CLUSTER", "upstream_local_address", "UPSTREAM_LOCAL_ADDRESS", "downstream_local_address", "DOWNSTREAM_LOCAL_ADDRESS",
		"downstream_remote_address", "DOWNSTREAM_REMOTE_ADDRESS", "requested_server_name", "REQUESTED_SERVER_NAME",
	}, added...)
	var b strings.Builder
	for i := 0; i < len(pairs); i += 2 {
		b.WriteString(`,"` + pairs[i] + `":"%` + pairs[i+1] + `%"`)
	}
	return "{" + b.String()[1:] + "}"
}

var (
	jsonMixer = []string{"istio_policy_status", "DYNAMIC_METADATA(istio.mixer:status)"}
	jsonTLS   = []string{"upstream_transport_failure_reason", "UPSTREAM_TRANSPORT_FAILURE_REASON"}
	jsonRoute = []string{"route_name", "ROUTE_NAME"}
	jsonWhy   = []string{"response_code_details", "RESPONSE_CODE_DETAILS", "connection_termination_details", "CONNECTION_TERMINATION_DETAILS"}
)

func join(lists ...[]string) (all []string) {
	for _, l := range lists {
		all = append(all, l...)
	}
	return all
}

// Sources: Envoy's default format string,
// https://www.envoyproxy.io/docs/envoy/latest/configuration/observability/access_log/usage#default-format-string,
// Istio's in its access logging task,
// https://istio.io/latest/docs/tasks/observability/logs/access-log/#default-access-log-format,
// and the releases named in each row. A new row goes in front of the rows
// whose layout it shares only if it should name their records.
var dialects = []DialectInfo{
	{"envoy-default-http", "Envoy", "all", "http", textHead + textBody, false},
	{"envoy-default-tcp", "Envoy", "all", "tcp", textHead + textBody, false},
	{"istio-text-1.0", "Istio", "1.0", "http+tcp", textHead + textBody, false},
	{"istio-text-1.1", "Istio", "1.1", "http+tcp", textHead + textMixer + textBody + textTail, false},
	{"istio-text-1.2", "Istio", "1.2", "http+tcp", textHead + textMixer + textTLS + textBody + textTail, false},
	{"istio-text-1.3-1.7", "Istio", "1.3 - 1.7", "http+tcp", textHead + textMixer + textTLS + textBody + textTail + textRoute, false},
	{"istio-text-1.8", "Istio", "1.8", "http+tcp", textHead + textTLS + textBody + textTail + textRoute, false},
	{"istio-text-1.9-1.22", "Istio", "1.9 - 1.22", "http+tcp", textHead + textWhy + textTLS + textBody + textTail + textRoute, false},
	{"istio-text-1.23+", "Istio", "1.23 and later", "http+tcp", rawCluster.Replace(textHead + textWhy + textTLS + textBody + textTail + textRoute), false},
	{"istio-json-1.1", "Istio", "1.1", "http+tcp", istioJSON("START_TIME", jsonMixer...), true},
	{"istio-json-1.2", "Istio", "1.2", "http+tcp", istioJSON("REQ(:METHOD)", join(jsonMixer, jsonTLS)...), true},
	{"istio-json-1.3-1.7", "Istio", "1.3 - 1.7", "http+tcp", istioJSON("REQ(:METHOD)", join(jsonMixer, jsonTLS, jsonRoute)...), true},
	{"istio-json-1.8", "Istio", "1.8", "http+tcp", istioJSON("REQ(:METHOD)", join(jsonTLS, jsonRoute)...), true},
	{"istio-json-1.9-1.24", "Istio", "1.9 - 1.24", "http+tcp", istioJSON("REQ(:METHOD)", join(jsonTLS, jsonRoute, jsonWhy)...), true},
	{"istio-json-1.25+", "Istio", "1.25 and later", "http+tcp", rawCluster.Replace(istioJSON("REQ(:METHOD)", join(jsonTLS, jsonRoute, jsonWhy)...)), true},
	{"istio-waypoint", "Istio waypoint", "1.18 and later", "http+tcp", rawCluster.Replace(textHead + textWhy + textTLS + textBody + textTail + textRoute), false},
	{"ztunnel-plain-1.22", "Istio ztunnel", "1.22", "tcp", "", false},
	{"ztunnel-plain-1.23+", "Istio ztunnel", "1.23 - 1.30", "tcp", "", false},
	{"ztunnel-plain-1.31+", "Istio ztunnel", "1.31 and later", "tcp", "", false},
	{"ztunnel-json", "Istio ztunnel", "1.22 and later", "tcp", "", true},
}
