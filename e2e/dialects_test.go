//go:build e2e

package e2e

import "strings"

// A dialect is one layout in which every failure is logged.
type dialect struct {
	id     string // also the name of its log file
	format string // access-log format string or JSON map, as configured
	json   bool   // the logger is configured with json_format
	custom bool   // no product's layout: given to flagwatch as --format
	reads  string // dialect that flagwatch must name: the first with this layout; "" is not pinned
}

// truth is the logger that holds every operator that the lab checks.
const truth = "json-typed"

const (
	textHead = `[%START_TIME%] "%REQ(:METHOD)% %REQ(X-ENVOY-ORIGINAL-PATH?:PATH)% %PROTOCOL%" %RESPONSE_CODE% %RESPONSE_FLAGS% `
	textWhy  = `%RESPONSE_CODE_DETAILS% %CONNECTION_TERMINATION_DETAILS% `
	textBody = `%BYTES_RECEIVED% %BYTES_SENT% %DURATION% %RESP(X-ENVOY-UPSTREAM-SERVICE-TIME)% "%REQ(X-FORWARDED-FOR)%" "%REQ(USER-AGENT)%" "%REQ(X-REQUEST-ID)%" "%REQ(:AUTHORITY)%" "%UPSTREAM_HOST%"`
	textTail = ` %DOWNSTREAM_LOCAL_ADDRESS% %DOWNSTREAM_REMOTE_ADDRESS% %REQUESTED_SERVER_NAME%`
	textTLS  = `"%UPSTREAM_TRANSPORT_FAILURE_REASON%" `
)

// The columns of JSON layouts: key and operator.
var (
	columns = []string{"start_time", "START_TIME", "method", "REQ(:METHOD)", "protocol", "PROTOCOL", "response_code", "RESPONSE_CODE",
		"response_flags", "RESPONSE_FLAGS", "bytes_received", "BYTES_RECEIVED", "bytes_sent", "BYTES_SENT", "duration", "DURATION",
		"upstream_host", "UPSTREAM_HOST", "upstream_cluster", "UPSTREAM_CLUSTER", "upstream_local_address", "UPSTREAM_LOCAL_ADDRESS",
		"downstream_local_address", "DOWNSTREAM_LOCAL_ADDRESS", "downstream_remote_address", "DOWNSTREAM_REMOTE_ADDRESS",
		"requested_server_name", "REQUESTED_SERVER_NAME"}
	columnsWhy = []string{"response_code_details", "RESPONSE_CODE_DETAILS", "connection_termination_details", "CONNECTION_TERMINATION_DETAILS",
		"upstream_transport_failure_reason", "UPSTREAM_TRANSPORT_FAILURE_REASON", "route_name", "ROUTE_NAME"}
	columnsHeaders = []string{"path", "REQ(X-ENVOY-ORIGINAL-PATH?:PATH)", "upstream_service_time", "RESP(X-ENVOY-UPSTREAM-SERVICE-TIME)",
		"x_forwarded_for", "REQ(X-FORWARDED-FOR)", "user_agent", "REQ(USER-AGENT)", "request_id", "REQ(X-REQUEST-ID)", "authority", "REQ(:AUTHORITY)"}
	columnsGateway = []string{"x-envoy-origin-path", "REQ(X-ENVOY-ORIGINAL-PATH?:PATH)", "x-envoy-upstream-service-time", "RESP(X-ENVOY-UPSTREAM-SERVICE-TIME)",
		"x-forwarded-for", "REQ(X-FORWARDED-FOR)", "user-agent", "REQ(USER-AGENT)", "x-request-id", "REQ(X-REQUEST-ID)", ":authority", "REQ(:AUTHORITY)"}
	columnsAll = []string{"downstream_transport_failure_reason", "DOWNSTREAM_TRANSPORT_FAILURE_REASON", "grpc_status", "GRPC_STATUS(CAMEL_STRING)",
		"downstream_local_close_reason", "DOWNSTREAM_LOCAL_CLOSE_REASON"}
	columnsContour = []string{"@timestamp", "START_TIME", "uber_trace_id", "REQ(UBER-TRACE-ID)", "grpc_status", "GRPC_STATUS", "grpc_status_number", "GRPC_STATUS_NUMBER"}
)

// dialects is the list of layouts. Contour's text is Envoy's default, so its
// JSON stands for it.
func dialects() []dialect {
	newer := textHead + textWhy + textTLS + textBody + ` %UPSTREAM_CLUSTER_RAW% %UPSTREAM_LOCAL_ADDRESS%` + textTail + ` %ROUTE_NAME%`
	return []dialect{
		{id: truth, format: object(columns, columnsWhy, columnsHeaders, columnsAll), json: true},
		{id: "envoy-default", format: textHead + textBody, reads: "envoy-default-http"},
		{id: "istio-text-1.2", format: textHead + `"%DYNAMIC_METADATA(istio.mixer:status)%" ` + textTLS + textBody + ` %UPSTREAM_CLUSTER% %UPSTREAM_LOCAL_ADDRESS%` + textTail, reads: "istio-text-1.2"},
		{id: "istio-text-1.23", format: newer, reads: "istio-text-1.9-1.22"},
		{id: "istio-json", format: object(columns, columnsWhy, columnsHeaders), json: true, reads: "istio-json-1.9-1.24"},
		{id: "json-strings", format: object(columns, columnsWhy, columnsHeaders), reads: "istio-json-1.9-1.24"},
		{id: "envoy-gateway-json", format: object(columns, columnsWhy, columnsGateway), json: true},
		{id: "contour-json", format: object(columns[2:], columnsHeaders, columnsContour), json: true},
		{id: "custom", custom: true, format: `%RESPONSE_CODE% flags=%RESPONSE_FLAGS% why=%RESPONSE_CODE_DETAILS% end="%CONNECTION_TERMINATION_DETAILS%" ` +
			`down="%DOWNSTREAM_TRANSPORT_FAILURE_REASON%" up="%UPSTREAM_TRANSPORT_FAILURE_REASON%" t=%START_TIME(%s.%3f)% cluster=%UPSTREAM_CLUSTER% host=%UPSTREAM_HOST% ` +
			`sni=%REQUESTED_SERVER_NAME% ms=%DURATION% grpc=%GRPC_STATUS% service=%RESP(X-ENVOY-UPSTREAM-SERVICE-TIME)% in=%BYTES_RECEIVED% out=%BYTES_SENT% authority="%REQ(:AUTHORITY)%" request="%REQ(:METHOD)% %REQ(:PATH)% %PROTOCOL%"`},
	}
}

// object is a JSON map of the columns.
func object(lists ...[]string) string {
	var pairs []string
	for _, list := range lists {
		for i := 0; i < len(list); i += 2 {
			pairs = append(pairs, quote(list[i])+":"+quote("%"+list[i+1]+"%"))
		}
	}
	return "{" + strings.Join(pairs, ",") + "}"
}
