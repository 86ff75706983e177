package parser

// A Field is a column of a record. Its name is the key that `flagwatch parse`
// prints; its operators and keys say where a layout keeps it.
type Field uint8

// The fields of access records come first, those of events after them. Adding
// one: a constant here and a row in fields; TestFieldsAreComplete complains
// about a constant without a row.
const (
	StartTime Field = iota
	Method
	Path
	Protocol
	ResponseCode
	ResponseFlags
	ResponseCodeDetails
	ConnectionTerminationDetails
	UpstreamTransportFailureReason
	DownstreamTransportFailureReason
	BytesReceived
	BytesSent
	Duration
	UpstreamServiceTime
	XForwardedFor
	UserAgent
	RequestID
	Authority
	UpstreamHost
	UpstreamCluster
	UpstreamLocalAddress
	DownstreamLocalAddress
	DownstreamRemoteAddress
	RequestedServerName
	RouteName
	GRPCStatus
	Level
	Component
	Message
	NumFields
)

// Extra stands in a FieldSet for every column that is no Field of its own;
// Record.Extra walks them.
const Extra Field = 63

// A FieldSet says which fields a caller reads; a parser looks for no others.
type FieldSet uint64

// Fields returns the set of the given fields.
func Fields(list ...Field) FieldSet {
	var s FieldSet
	for _, f := range list {
		s |= 1 << f
	}
	return s
}

// AllFields wants every field and the extra columns.
const AllFields = ownFields | 1<<Extra

// ownFields are the fields proper, without Extra.
const ownFields FieldSet = 1<<NumFields - 1

// Has says whether f is in the set.
func (s FieldSet) Has(f Field) bool { return s&(1<<(f&63)) != 0 }

// A Type is what the values of a column look like. A cut of a line counts only
// if every typed column holds a value of its type.
type Type uint8

const (
	TypeText     Type = iota // anything, user text included
	TypeToken                // no blank, no quote
	TypeName                 // a token without parentheses
	TypeTime                 // a time in the layout of START_TIME
	TypeInt                  // digits
	TypeNumber               // digits, perhaps with a fraction or an exponent
	TypeCode                 // 0 or three digits
	TypeFlags                // names joined by commas, or a numeric mask
	TypeProtocol             // HTTP/x
	TypeAddress              // ip:port, [v6]:port, a URL or a path of a socket
	TypeIPList               // what proxies write into x-forwarded-for
	TypePhrase               // no quote; blanks are possible
	TypeReason               // a phrase that does not begin with a digit
)

// A FieldInfo is a row of the list of fields.
type FieldInfo struct {
	Field    Field
	Name     string   // the key of `flagwatch parse`, after Istio's names
	Operator string   // Envoy's command operator, without percent signs; "" for events
	Type     Type     // what a value looks like
	Aliases  []string // other operators of the same value
	Keys     []string // other keys that JSON formats use
	About    string   // one sentence
}

// Source of operators: https://www.envoyproxy.io/docs/envoy/latest/configuration/advanced/substitution_formatter
// Source of names: https://istio.io/latest/docs/tasks/observability/logs/access-log/
var fields = [NumFields]FieldInfo{
	{StartTime, "start_time", "START_TIME", TypeTime, nil, []string{"@timestamp", "timestamp", "ts", "systemTime", "startTime", "time"}, "when the request or connection began"},
	{Method, "method", "REQ(:METHOD)", TypeToken, []string{"REQUEST_HEADER(:METHOD)"}, []string{":method", "req_method", "httpMethod", "requestMethod", "request_method"}, "request method"},
	{Path, "path", "REQ(X-ENVOY-ORIGINAL-PATH?:PATH)", TypeText, []string{"REQ(:PATH)", "REQUEST_HEADER(X-ENVOY-ORIGINAL-PATH?:PATH)", "REQUEST_HEADER(:PATH)", "PATH"}, []string{"x-envoy-origin-path", "x-envoy-original-path", ":path", "req_path", "requestPath", "request_path", "uri"}, "request path as the client sent it"},
	{Protocol, "protocol", "PROTOCOL", TypeProtocol, nil, nil, "HTTP version of the client side"},
	{ResponseCode, "response_code", "RESPONSE_CODE", TypeCode, nil, []string{"responseCode", "resp", "status", "status_code", "statusCode", "httpStatus", "resp_code", "code", "response_status", "response_status_code"}, "HTTP status; 0 when no response was sent and for TCP"},
	{ResponseFlags, "response_flags", "RESPONSE_FLAGS", TypeFlags, []string{"RESPONSE_FLAGS_LONG"}, []string{"responseFlags", "flags", "resp_flags", "response_flags_long", "envoy_response_flags"}, "why the proxy refused, cut or altered it"},
	{ResponseCodeDetails, "response_code_details", "RESPONSE_CODE_DETAILS", TypeToken, nil, []string{"responseCodeDetails", "resp_code_details", "code_details", "response_details", "status_details", "details"}, "who set the status, and why"},
	{ConnectionTerminationDetails, "connection_termination_details", "CONNECTION_TERMINATION_DETAILS", TypeReason, nil, []string{"connectionTerminationDetails"}, "why the proxy closed a connection"},
	{UpstreamTransportFailureReason, "upstream_transport_failure_reason", "UPSTREAM_TRANSPORT_FAILURE_REASON", TypeReason, nil, []string{"upstreamTransportFailureReason", "upstream_transport_failure", "transport_failure_reason"}, "TLS or connect error towards the upstream"},
	{DownstreamTransportFailureReason, "downstream_transport_failure_reason", "DOWNSTREAM_TRANSPORT_FAILURE_REASON", TypeReason, nil, []string{"downstreamTransportFailureReason", "downstream_transport_failure"}, "TLS error of the client's connection"},
	{BytesReceived, "bytes_received", "BYTES_RECEIVED", TypeInt, nil, []string{"bytesReceived", "requestSize", "request_size", "bytes_recv"}, "body bytes from the client"},
	{BytesSent, "bytes_sent", "BYTES_SENT", TypeInt, nil, []string{"bytesSent", "responseSize", "response_size", "responseContentLength"}, "body bytes to the client"},
	{Duration, "duration", "DURATION", TypeNumber, nil, []string{"clientDuration", "duration_ms", "request_duration_ms", "total_duration", "total_time_ms", "latency_ms", "elapsed_ms"}, "milliseconds from the first byte in to the last byte out"},
	{UpstreamServiceTime, "upstream_service_time", "RESP(X-ENVOY-UPSTREAM-SERVICE-TIME)", TypeNumber, []string{"RESPONSE_HEADER(X-ENVOY-UPSTREAM-SERVICE-TIME)"}, []string{"x-envoy-upstream-service-time", "x_envoy_upstream_service_time", "upstreamServiceTime", "service_time", "targetDuration"}, "milliseconds that the upstream took to begin its response"},
	{XForwardedFor, "x_forwarded_for", "REQ(X-FORWARDED-FOR)", TypeIPList, []string{"REQUEST_HEADER(X-FORWARDED-FOR)"}, []string{"x-forwarded-for", "xForwardedFor", "xff"}, "addresses that the request passed through"},
	{UserAgent, "user_agent", "REQ(USER-AGENT)", TypeText, []string{"REQUEST_HEADER(USER-AGENT)"}, []string{"user-agent", "userAgent"}, "client software, as it names itself"},
	{RequestID, "request_id", "REQ(X-REQUEST-ID)", TypeToken, []string{"REQUEST_HEADER(X-REQUEST-ID)"}, []string{"x-request-id", "x_request_id", "requestId", "requestID"}, "id that joins the records of one request"},
	{Authority, "authority", "REQ(:AUTHORITY)", TypeText, []string{"REQUEST_HEADER(:AUTHORITY)", "REQ(X-ENVOY-ORIGINAL-HOST?:AUTHORITY)", "REQ(HOST)"}, []string{":authority", "host", "http_host"}, "host that the client asked for"},
	{UpstreamHost, "upstream_host", "UPSTREAM_HOST", TypeAddress, nil, []string{"upstreamHost", "upstream_address", "upstreamRemoteAddress"}, "endpoint that was chosen"},
	{UpstreamCluster, "upstream_cluster", "UPSTREAM_CLUSTER", TypeToken, []string{"UPSTREAM_CLUSTER_RAW"}, []string{"upstreamCluster", "upstreamName", "cluster"}, "cluster that the route chose"},
	{UpstreamLocalAddress, "upstream_local_address", "UPSTREAM_LOCAL_ADDRESS", TypeAddress, nil, []string{"upstreamLocalAddress", "upstream_local"}, "proxy's end of the upstream connection"},
	{DownstreamLocalAddress, "downstream_local_address", "DOWNSTREAM_LOCAL_ADDRESS", TypeAddress, nil, []string{"downstreamLocalAddress", "downstream_local"}, "proxy's end of the client connection"},
	{DownstreamRemoteAddress, "downstream_remote_address", "DOWNSTREAM_REMOTE_ADDRESS", TypeAddress, []string{"DOWNSTREAM_DIRECT_REMOTE_ADDRESS"}, []string{"downstreamRemoteAddress", "downstream_remote", "remoteAddress", "client_address"}, "client's end of the client connection"},
	{RequestedServerName, "requested_server_name", "REQUESTED_SERVER_NAME", TypeToken, nil, []string{"requestedServerName", "sni"}, "SNI of the client's TLS handshake"},
	{RouteName, "route_name", "ROUTE_NAME", TypePhrase, nil, []string{"routeName", "route"}, "route that matched"},
	{GRPCStatus, "grpc_status", "GRPC_STATUS", TypeToken, []string{"GRPC_STATUS_NUMBER"}, []string{"grpcStatus", "grpc_status_number", "grpc-status", "grpc_code"}, "gRPC status, by number"},
	{Level, "level", "", TypeToken, nil, []string{"severity"}, "level of an event, as its emitter wrote it"},
	{Component, "component", "", TypeText, nil, []string{"scope", "logger"}, "part of the emitter that wrote an event"},
	{Message, "message", "", TypeText, nil, []string{"msg"}, "text of an event"},
}

// FieldList returns the list of fields in column order. The slice is shared:
// callers must not change it.
func FieldList() []FieldInfo { return fields[:] }

// String is the field's name.
func (f Field) String() string {
	if f < NumFields {
		return fields[f].Name
	}
	return "extra"
}

// FieldByName finds a field by its name.
func FieldByName(name string) (Field, bool) {
	for i := range fields {
		if fields[i].Name == name {
			return Field(i), true
		}
	}
	return 0, false
}
