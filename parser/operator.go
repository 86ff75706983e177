package parser

import "strings"

// An OperatorInfo is a row of the list of Envoy's command operators.
type OperatorInfo struct {
	Name     string
	Argument Argument
	Length   bool     // may be followed by :LENGTH, in bytes
	JSON     JSONType // of a value that is this operator alone
	Missing  Missing  // what stands for no value
	Type     Type     // what a value looks like in text
	About    string   // one phrase
}

// An Argument says whether an operator has one, in parentheses.
type Argument uint8

const (
	NoArgument Argument = iota
	Optional
	Required
)

// A JSONType is the type of a value in typed JSON.
type JSONType uint8

const (
	JSONString JSONType = iota
	JSONNumber
	JSONAny // whatever the metadata or the expression holds
)

// A Missing is what an operator prints when there is no value: in text, and
// behind the slash as the only operator of a JSON value.
type Missing uint8

const (
	Dash  Missing = iota // "-" / null
	Empty                // nothing / ""
	Zero                 // 0 / 0
	Never                // there always is one
)

// OperatorList returns the list of operators. The slice is shared: callers
// must not change it.
func OperatorList() []OperatorInfo { return operators }

// operatorByName finds a row of the list; nil when there is none.
func operatorByName(name string) *OperatorInfo {
	if i, ok := operatorIndex[name]; ok {
		return &operators[i]
	}
	return nil
}

var operatorIndex = func() map[string]int {
	m := make(map[string]int, len(operators))
	for i := range operators {
		m[operators[i].Name] = i
	}
	return m
}()

// A fieldRank says which field an operator fills. Of several operators of one
// format that fill a field, the one with the lowest rank does.
type fieldRank struct {
	field Field
	rank  int
}

// fieldOf finds the field of an operator; Extra when it is none of its own.
func fieldOf(name, arg string) fieldRank {
	op := name
	if arg != "" {
		op += "(" + arg + ")"
	}
	if r, ok := fieldOperators[op]; ok {
		return r
	}
	if family := headerFamilies[name]; family != "" {
		return headerField(family, strings.ToUpper(arg))
	}
	if r, ok := fieldOperators[name]; ok && arg != "" {
		return fieldRank{r.field, r.rank + 1}
	}
	return fieldRank{Extra, 0}
}

// headerFamilies names the operator that the others are spellings of.
var headerFamilies = map[string]string{
	"REQ": "REQ", "REQUEST_HEADER": "REQ", "STREAM_INFO_REQ": "REQ", "REQ_WITHOUT_QUERY": "REQ",
	"RESP": "RESP", "RESPONSE_HEADER": "RESP",
	"TRAILER": "TRAILER", "RESPONSE_TRAILER": "TRAILER",
}

// headerField finds the field of a header, or of the pseudo header that is
// logged instead when there is no such header.
func headerField(family, arg string) fieldRank {
	first, second, _ := strings.Cut(arg, "?")
	if r, ok := fieldOperators[family+"("+arg+")"]; ok {
		return r
	}
	if r, ok := fieldOperators[family+"("+first+")"]; ok {
		return fieldRank{r.field, r.rank + 2}
	}
	if r, ok := fieldOperators[family+"("+second+")"]; ok && strings.HasPrefix(second, ":") {
		return fieldRank{r.field, r.rank + 3}
	}
	return fieldRank{Extra, 0}
}

// fieldOperators finds the field of an operator by its text: those of the list
// of fields, and some that stand in for them.
var fieldOperators = func() map[string]fieldRank {
	m := map[string]fieldRank{
		"REQ(X-ENVOY-ORIGINAL-PATH)": {Path, 5}, "REQ(X-ENVOY-ORIGINAL-HOST)": {Authority, 5}, "RESP(:STATUS)": {ResponseCode, 5},
		"RESP(GRPC-STATUS)": {GRPCStatus, 5}, "TRAILER(GRPC-STATUS)": {GRPCStatus, 4},
		"START_TIME_LOCAL": {StartTime, 1}, "UPSTREAM_REMOTE_ADDRESS": {UpstreamHost, 5}, "METHOD": {Method, 5}, "DOWNSTREAM_ADDRESS": {DownstreamRemoteAddress, 5},
	}
	for _, f := range fields {
		if f.Operator == "" {
			continue
		}
		m[f.Operator] = fieldRank{f.Field, 0}
		for i, alias := range f.Aliases {
			m[alias] = fieldRank{f.Field, 1 + i}
		}
	}
	return m
}()

// Source: https://www.envoyproxy.io/docs/envoy/latest/configuration/advanced/substitution_formatter
var operators = []OperatorInfo{
	{"START_TIME", Optional, false, JSONString, Never, TypeTime, "when the request or connection began"},
	{"START_TIME_LOCAL", Optional, false, JSONString, Never, TypeTime, "the same in local time"},
	{"EMIT_TIME", Optional, false, JSONString, Never, TypeTime, "when the record was written"},
	{"EMIT_TIME_LOCAL", Optional, false, JSONString, Never, TypeTime, "the same in local time"},
	{"BYTES_RECEIVED", NoArgument, false, JSONNumber, Zero, TypeInt, "body bytes from the client"},
	{"BYTES_SENT", NoArgument, false, JSONNumber, Zero, TypeInt, "body bytes to the client"},
	{"BYTES_RETRANSMITTED", NoArgument, false, JSONNumber, Zero, TypeInt, "bytes that QUIC sent again"},
	{"PACKETS_RETRANSMITTED", NoArgument, false, JSONNumber, Zero, TypeInt, "packets that QUIC sent again"},
	{"REQUEST_HEADERS_BYTES", NoArgument, false, JSONNumber, Zero, TypeInt, "size of the request headers"},
	{"RESPONSE_HEADERS_BYTES", NoArgument, false, JSONNumber, Zero, TypeInt, "size of the response headers"},
	{"RESPONSE_TRAILERS_BYTES", NoArgument, false, JSONNumber, Zero, TypeInt, "size of the response trailers"},
	{"UPSTREAM_WIRE_BYTES_SENT", NoArgument, false, JSONNumber, Zero, TypeInt, "bytes sent to the upstream"},
	{"UPSTREAM_WIRE_BYTES_RECEIVED", NoArgument, false, JSONNumber, Zero, TypeInt, "bytes received from the upstream"},
	{"UPSTREAM_HEADER_BYTES_SENT", NoArgument, false, JSONNumber, Zero, TypeInt, "header bytes sent to the upstream"},
	{"UPSTREAM_HEADER_BYTES_RECEIVED", NoArgument, false, JSONNumber, Zero, TypeInt, "header bytes received from the upstream"},
	{"UPSTREAM_DECOMPRESSED_HEADER_BYTES_SENT", NoArgument, false, JSONNumber, Zero, TypeInt, "decompressed header bytes sent to the upstream"},
	{"UPSTREAM_DECOMPRESSED_HEADER_BYTES_RECEIVED", NoArgument, false, JSONNumber, Zero, TypeInt, "decompressed header bytes received from the upstream"},
	{"DOWNSTREAM_WIRE_BYTES_SENT", NoArgument, false, JSONNumber, Zero, TypeInt, "bytes sent to the client"},
	{"DOWNSTREAM_WIRE_BYTES_RECEIVED", NoArgument, false, JSONNumber, Zero, TypeInt, "bytes received from the client"},
	{"DOWNSTREAM_HEADER_BYTES_SENT", NoArgument, false, JSONNumber, Zero, TypeInt, "header bytes sent to the client"},
	{"DOWNSTREAM_HEADER_BYTES_RECEIVED", NoArgument, false, JSONNumber, Zero, TypeInt, "header bytes received from the client"},
	{"DOWNSTREAM_DECOMPRESSED_HEADER_BYTES_SENT", NoArgument, false, JSONNumber, Zero, TypeInt, "decompressed header bytes sent to the client"},
	{"DOWNSTREAM_DECOMPRESSED_HEADER_BYTES_RECEIVED", NoArgument, false, JSONNumber, Zero, TypeInt, "decompressed header bytes received from the client"},
	{"RESPONSE_CODE", NoArgument, false, JSONNumber, Zero, TypeCode, "HTTP status; 0 when no response was sent and for TCP"},
	{"RESPONSE_CODE_DETAILS", Optional, false, JSONString, Dash, TypeToken, "who set the status, and why"},
	{"CONNECTION_TERMINATION_DETAILS", NoArgument, false, JSONString, Dash, TypeReason, "why the proxy closed a connection"},
	{"PROTOCOL", NoArgument, false, JSONString, Dash, TypeProtocol, "HTTP version of the client side"},
	{"UPSTREAM_PROTOCOL", NoArgument, false, JSONString, Dash, TypeProtocol, "HTTP version of the upstream side"},
	{"RESPONSE_FLAGS", NoArgument, false, JSONString, Dash, TypeFlags, "why the proxy refused, cut or altered it, in short names"},
	{"RESPONSE_FLAGS_LONG", NoArgument, false, JSONString, Dash, TypeFlags, "the same in long names"},
	{"CUSTOM_FLAGS", NoArgument, false, JSONString, Empty, TypePhrase, "flags that filters made up"},
	{"UPSTREAM_REQUEST_ATTEMPT_COUNT", NoArgument, false, JSONNumber, Zero, TypeInt, "how often the upstream was tried"},
	{"DURATION", NoArgument, false, JSONNumber, Dash, TypeNumber, "milliseconds from the first byte in to the last byte out"},
	{"REQUEST_DURATION", NoArgument, false, JSONNumber, Dash, TypeNumber, "milliseconds until the request was read"},
	{"REQUEST_TX_DURATION", NoArgument, false, JSONNumber, Dash, TypeNumber, "milliseconds until the request was sent on"},
	{"RESPONSE_DURATION", NoArgument, false, JSONNumber, Dash, TypeNumber, "milliseconds until the response began"},
	{"RESPONSE_TX_DURATION", NoArgument, false, JSONNumber, Dash, TypeNumber, "milliseconds from the first to the last byte of the response"},
	{"DOWNSTREAM_HANDSHAKE_DURATION", NoArgument, false, JSONNumber, Dash, TypeNumber, "milliseconds until the TLS handshake of the client was done"},
	{"ROUNDTRIP_DURATION", NoArgument, false, JSONNumber, Dash, TypeNumber, "round trip of a QUIC client in milliseconds"},
	{"UPSTREAM_CONNECTION_POOL_READY_DURATION", NoArgument, false, JSONNumber, Dash, TypeNumber, "milliseconds until the pool had a connection"},
	{"COMMON_DURATION", Required, false, JSONNumber, Dash, TypeNumber, "time between two points of the stream"},
	{"UPSTREAM_HOST", NoArgument, false, JSONString, Dash, TypeAddress, "endpoint that was chosen"},
	{"UPSTREAM_HOST_NAME", NoArgument, false, JSONString, Dash, TypeToken, "its name"},
	{"UPSTREAM_HOST_NAME_WITHOUT_PORT", NoArgument, false, JSONString, Dash, TypeToken, "its name, port off"},
	{"UPSTREAM_HOSTS_ATTEMPTED", NoArgument, false, JSONString, Dash, TypeToken, "endpoints that were tried"},
	{"UPSTREAM_HOSTS_ATTEMPTED_WITHOUT_PORT", NoArgument, false, JSONString, Dash, TypeToken, "endpoints that were tried, ports off"},
	{"UPSTREAM_HOST_NAMES_ATTEMPTED", NoArgument, false, JSONString, Dash, TypeToken, "names of the endpoints that were tried"},
	{"UPSTREAM_HOST_NAMES_ATTEMPTED_WITHOUT_PORT", NoArgument, false, JSONString, Dash, TypeToken, "names of the endpoints that were tried, ports off"},
	{"UPSTREAM_CONNECTION_IDS_ATTEMPTED", NoArgument, false, JSONString, Dash, TypeToken, "ids of the connections that were tried"},
	{"UPSTREAM_CLUSTER", NoArgument, false, JSONString, Dash, TypeToken, "cluster that the route chose, by its name for statistics"},
	{"UPSTREAM_CLUSTER_RAW", NoArgument, false, JSONString, Dash, TypeToken, "cluster that the route chose"},
	{"UPSTREAM_CONNECTION_ID", NoArgument, false, JSONNumber, Zero, TypeInt, "number of the upstream connection"},
	{"UPSTREAM_LOCAL_ADDRESS", NoArgument, false, JSONString, Dash, TypeAddress, "proxy's end of the upstream connection"},
	{"UPSTREAM_LOCAL_ADDRESS_WITHOUT_PORT", Optional, false, JSONString, Dash, TypeAddress, "proxy's end of the upstream connection, port off"},
	{"UPSTREAM_LOCAL_PORT", NoArgument, false, JSONNumber, Dash, TypeInt, "proxy's end of the upstream connection: port"},
	{"UPSTREAM_REMOTE_ADDRESS", NoArgument, false, JSONString, Dash, TypeAddress, "far end of the upstream connection"},
	{"UPSTREAM_REMOTE_ADDRESS_WITHOUT_PORT", Optional, false, JSONString, Dash, TypeAddress, "far end of the upstream connection, port off"},
	{"UPSTREAM_REMOTE_PORT", NoArgument, false, JSONNumber, Dash, TypeInt, "far end of the upstream connection: port"},
	{"UPSTREAM_REMOTE_ADDRESS_ENDPOINT_ID", NoArgument, false, JSONString, Dash, TypeText, "endpoint id of an internal listener"},
	{"UPSTREAM_TRANSPORT_FAILURE_REASON", NoArgument, false, JSONString, Dash, TypeReason, "TLS or connect error towards the upstream"},
	{"UPSTREAM_LOCAL_CLOSE_REASON", NoArgument, false, JSONString, Dash, TypePhrase, "why the proxy closed the upstream connection"},
	{"UPSTREAM_DETECTED_CLOSE_TYPE", NoArgument, false, JSONString, Dash, TypeToken, "how the upstream connection was closed"},
	{"UPSTREAM_TLS_CIPHER", NoArgument, false, JSONString, Dash, TypeToken, "TLS cipher of the upstream connection"},
	{"UPSTREAM_TLS_VERSION", NoArgument, false, JSONString, Dash, TypeToken, "TLS version of the upstream connection"},
	{"UPSTREAM_TLS_SESSION_ID", NoArgument, false, JSONString, Dash, TypeToken, "TLS session id of the upstream connection"},
	{"UPSTREAM_PEER_ISSUER", NoArgument, false, JSONString, Dash, TypeText, "the upstream's certificate: issuer"},
	{"UPSTREAM_PEER_CERT", NoArgument, false, JSONString, Dash, TypeToken, "the upstream's certificate: PEM text"},
	{"UPSTREAM_PEER_SUBJECT", NoArgument, false, JSONString, Dash, TypeText, "the upstream's certificate: subject"},
	{"UPSTREAM_PEER_URI_SAN", NoArgument, false, JSONString, Dash, TypeToken, "the upstream's certificate: URI names"},
	{"UPSTREAM_PEER_DNS_SAN", NoArgument, false, JSONString, Dash, TypeToken, "the upstream's certificate: DNS names"},
	{"UPSTREAM_PEER_IP_SAN", NoArgument, false, JSONString, Dash, TypeToken, "the upstream's certificate: IP names"},
	{"UPSTREAM_LOCAL_URI_SAN", NoArgument, false, JSONString, Dash, TypeToken, "the proxy's own certificate towards the upstream: URI names"},
	{"UPSTREAM_LOCAL_DNS_SAN", NoArgument, false, JSONString, Dash, TypeToken, "the proxy's own certificate towards the upstream: DNS names"},
	{"UPSTREAM_LOCAL_IP_SAN", NoArgument, false, JSONString, Dash, TypeToken, "the proxy's own certificate towards the upstream: IP names"},
	{"UPSTREAM_TLS_GROUP", NoArgument, false, JSONString, Dash, TypeToken, "TLS key exchange group of the upstream connection"},
	{"UPSTREAM_SERVER_NAME", NoArgument, false, JSONString, Dash, TypeToken, "SNI that the proxy sent"},
	{"UPSTREAM_PEER_CERT_V_START", Optional, false, JSONString, Dash, TypeTime, "the upstream's certificate: begin of validity"},
	{"UPSTREAM_PEER_CERT_V_END", Optional, false, JSONString, Dash, TypeTime, "the upstream's certificate: end of validity"},
	{"DOWNSTREAM_REMOTE_ADDRESS", NoArgument, false, JSONString, Dash, TypeAddress, "client's end of its connection"},
	{"DOWNSTREAM_REMOTE_ADDRESS_WITHOUT_PORT", Optional, false, JSONString, Dash, TypeAddress, "client's end of its connection, port off"},
	{"DOWNSTREAM_DIRECT_REMOTE_ADDRESS", NoArgument, false, JSONString, Dash, TypeAddress, "client's end of its connection, before headers or filters replaced it"},
	{"DOWNSTREAM_DIRECT_REMOTE_ADDRESS_WITHOUT_PORT", Optional, false, JSONString, Dash, TypeAddress, "client's end of its connection, before headers or filters replaced it, port off"},
	{"DOWNSTREAM_LOCAL_ADDRESS", NoArgument, false, JSONString, Dash, TypeAddress, "proxy's end of the client connection"},
	{"DOWNSTREAM_LOCAL_ADDRESS_WITHOUT_PORT", Optional, false, JSONString, Dash, TypeAddress, "proxy's end of the client connection, port off"},
	{"DOWNSTREAM_DIRECT_LOCAL_ADDRESS", NoArgument, false, JSONString, Dash, TypeAddress, "proxy's end of the client connection, before headers or filters replaced it"},
	{"DOWNSTREAM_DIRECT_LOCAL_ADDRESS_WITHOUT_PORT", Optional, false, JSONString, Dash, TypeAddress, "proxy's end of the client connection, before headers or filters replaced it, port off"},
	{"DOWNSTREAM_REMOTE_PORT", NoArgument, false, JSONNumber, Dash, TypeInt, "client's end of its connection: port"},
	{"DOWNSTREAM_DIRECT_REMOTE_PORT", NoArgument, false, JSONNumber, Dash, TypeInt, "client's end of its connection, before headers or filters replaced it: port"},
	{"DOWNSTREAM_LOCAL_PORT", NoArgument, false, JSONNumber, Dash, TypeInt, "proxy's end of the client connection: port"},
	{"DOWNSTREAM_DIRECT_LOCAL_PORT", NoArgument, false, JSONNumber, Dash, TypeInt, "proxy's end of the client connection, before headers or filters replaced it: port"},
	{"DOWNSTREAM_LOCAL_ADDRESS_ENDPOINT_ID", NoArgument, false, JSONString, Dash, TypeText, "endpoint id of an internal listener"},
	{"DOWNSTREAM_DIRECT_LOCAL_ADDRESS_ENDPOINT_ID", NoArgument, false, JSONString, Dash, TypeText, "the same, before it was restored"},
	{"DOWNSTREAM_ADDRESS", NoArgument, false, JSONString, Dash, TypeAddress, "client's address, of old proxies"},
	{"CONNECTION_ID", NoArgument, false, JSONNumber, Zero, TypeInt, "number of the client's connection"},
	{"STREAM_ID", NoArgument, false, JSONString, Dash, TypeToken, "id of the stream"},
	{"UNIQUE_ID", NoArgument, false, JSONString, Never, TypeToken, "a fresh random id"},
	{"REQUESTED_SERVER_NAME", Optional, false, JSONString, Dash, TypeToken, "SNI of the client's TLS handshake"},
	{"DOWNSTREAM_TRANSPORT_FAILURE_REASON", NoArgument, false, JSONString, Dash, TypeReason, "TLS error of the client's connection"},
	{"DOWNSTREAM_LOCAL_CLOSE_REASON", NoArgument, false, JSONString, Dash, TypePhrase, "why the proxy closed the client's connection"},
	{"DOWNSTREAM_DETECTED_CLOSE_TYPE", NoArgument, false, JSONString, Dash, TypeToken, "how the client's connection was closed"},
	{"DOWNSTREAM_PEER_URI_SAN", NoArgument, false, JSONString, Dash, TypeToken, "the client's certificate: URI names"},
	{"DOWNSTREAM_LOCAL_URI_SAN", NoArgument, false, JSONString, Dash, TypeToken, "the proxy's own certificate towards the client: URI names"},
	{"DOWNSTREAM_PEER_DNS_SAN", NoArgument, false, JSONString, Dash, TypeToken, "the client's certificate: DNS names"},
	{"DOWNSTREAM_LOCAL_DNS_SAN", NoArgument, false, JSONString, Dash, TypeToken, "the proxy's own certificate towards the client: DNS names"},
	{"DOWNSTREAM_PEER_IP_SAN", NoArgument, false, JSONString, Dash, TypeToken, "the client's certificate: IP names"},
	{"DOWNSTREAM_LOCAL_IP_SAN", NoArgument, false, JSONString, Dash, TypeToken, "the proxy's own certificate towards the client: IP names"},
	{"DOWNSTREAM_PEER_EMAIL_SAN", NoArgument, false, JSONString, Dash, TypeText, "the client's certificate: mail names"},
	{"DOWNSTREAM_LOCAL_EMAIL_SAN", NoArgument, false, JSONString, Dash, TypeText, "the proxy's own certificate towards the client: mail names"},
	{"DOWNSTREAM_PEER_OTHERNAME_SAN", NoArgument, false, JSONString, Dash, TypeText, "the client's certificate: other names"},
	{"DOWNSTREAM_LOCAL_OTHERNAME_SAN", NoArgument, false, JSONString, Dash, TypeText, "the proxy's own certificate towards the client: other names"},
	{"DOWNSTREAM_PEER_SUBJECT", NoArgument, false, JSONString, Dash, TypeText, "the client's certificate: subject"},
	{"DOWNSTREAM_LOCAL_SUBJECT", NoArgument, false, JSONString, Dash, TypeText, "the proxy's own certificate towards the client: subject"},
	{"DOWNSTREAM_PEER_ISSUER", NoArgument, false, JSONString, Dash, TypeText, "the client's certificate: issuer"},
	{"DOWNSTREAM_TLS_SESSION_ID", NoArgument, false, JSONString, Dash, TypeToken, "TLS session id of the client connection"},
	{"DOWNSTREAM_TLS_CIPHER", NoArgument, false, JSONString, Dash, TypeToken, "TLS cipher of the client connection"},
	{"DOWNSTREAM_TLS_VERSION", NoArgument, false, JSONString, Dash, TypeToken, "TLS version of the client connection"},
	{"DOWNSTREAM_PEER_FINGERPRINT_256", NoArgument, false, JSONString, Dash, TypeToken, "the client's certificate: SHA-256"},
	{"DOWNSTREAM_PEER_FINGERPRINT_1", NoArgument, false, JSONString, Dash, TypeToken, "the client's certificate: SHA-1"},
	{"DOWNSTREAM_PEER_SERIAL", NoArgument, false, JSONString, Dash, TypeToken, "the client's certificate: serial number"},
	{"DOWNSTREAM_PEER_CHAIN_FINGERPRINTS_256", NoArgument, false, JSONString, Dash, TypeToken, "the client's certificate: SHA-256 of its whole chain"},
	{"DOWNSTREAM_PEER_CHAIN_FINGERPRINTS_1", NoArgument, false, JSONString, Dash, TypeToken, "the client's certificate: SHA-1 of its whole chain"},
	{"DOWNSTREAM_PEER_CHAIN_SERIALS", NoArgument, false, JSONString, Dash, TypeToken, "the client's certificate: serial numbers of its whole chain"},
	{"DOWNSTREAM_PEER_CERT", NoArgument, false, JSONString, Dash, TypeToken, "the client's certificate: PEM text"},
	{"DOWNSTREAM_PEER_ISSUER_FINGERPRINT_256", NoArgument, false, JSONString, Dash, TypeToken, "the client's certificate: issuer's SHA-256"},
	{"DOWNSTREAM_PEER_ISSUER_SERIAL", NoArgument, false, JSONString, Dash, TypeToken, "the client's certificate: issuer's serial number"},
	{"DOWNSTREAM_TLS_GROUP", NoArgument, false, JSONString, Dash, TypeToken, "TLS key exchange group of the client connection"},
	{"DOWNSTREAM_PEER_CERT_V_START", Optional, false, JSONString, Dash, TypeTime, "the client's certificate: begin of validity"},
	{"DOWNSTREAM_PEER_CERT_V_END", Optional, false, JSONString, Dash, TypeTime, "the client's certificate: end of validity"},
	{"TLS_JA3_FINGERPRINT", NoArgument, false, JSONString, Dash, TypeToken, "JA3 fingerprint of the client's TLS"},
	{"TLS_JA4_FINGERPRINT", NoArgument, false, JSONString, Dash, TypeToken, "JA4 fingerprint of the client's TLS"},
	{"FILTER_CHAIN_NAME", NoArgument, false, JSONString, Dash, TypePhrase, "filter chain that matched"},
	{"ROUTE_NAME", NoArgument, false, JSONString, Dash, TypePhrase, "route that matched"},
	{"VIRTUAL_CLUSTER_NAME", NoArgument, false, JSONString, Dash, TypePhrase, "virtual cluster that matched"},
	{"HOSTNAME", NoArgument, false, JSONString, Dash, TypeToken, "the proxy's host name"},
	{"REQ", Required, true, JSONString, Dash, TypeText, "request header X, else Y"},
	{"RESP", Required, true, JSONString, Dash, TypeText, "response header X, else Y"},
	{"TRAILER", Required, true, JSONString, Dash, TypeText, "response trailer X, else Y"},
	{"REQUEST_HEADER", Required, true, JSONString, Dash, TypeText, "another name of REQ"},
	{"RESPONSE_HEADER", Required, true, JSONString, Dash, TypeText, "another name of RESP"},
	{"RESPONSE_TRAILER", Required, true, JSONString, Dash, TypeText, "another name of TRAILER"},
	{"STREAM_INFO_REQ", Required, true, JSONString, Dash, TypeText, "another name of REQ"},
	{"REQ_WITHOUT_QUERY", Required, true, JSONString, Dash, TypeText, "request header X, else Y, without what follows a question mark"},
	{"REQ_ALL_HEADERS", Optional, true, JSONAny, Dash, TypeText, "all request headers"},
	{"RESP_ALL_HEADERS", Optional, true, JSONAny, Dash, TypeText, "all response headers"},
	{"PATH", Optional, true, JSONString, Dash, TypeText, "request path"},
	{"QUERY_PARAM", Required, true, JSONString, Dash, TypeText, "one parameter of the query, decoded"},
	{"QUERY_PARAMS", Optional, true, JSONString, Dash, TypeText, "all parameters of the query"},
	{"GRPC_STATUS", Optional, false, JSONString, Dash, TypeToken, "gRPC status"},
	{"GRPC_STATUS_NUMBER", NoArgument, false, JSONNumber, Dash, TypeInt, "gRPC status, by number"},
	{"LOCAL_REPLY_BODY", NoArgument, false, JSONString, Empty, TypeText, "body that the proxy answered with"},
	{"ACCESS_LOG_TYPE", NoArgument, false, JSONString, Never, TypeToken, "which moment of the stream the record is about"},
	{"TRACE_ID", NoArgument, false, JSONString, Dash, TypeToken, "id of the trace"},
	{"SPAN_ID", NoArgument, false, JSONString, Dash, TypeToken, "id of the span"},
	{"ENVIRONMENT", Required, true, JSONString, Dash, TypeText, "variable of the proxy's environment"},
	{"DYNAMIC_METADATA", Required, true, JSONAny, Dash, TypeText, "what filters noted about the request"},
	{"CLUSTER_METADATA", Required, true, JSONAny, Dash, TypeText, "metadata of the cluster"},
	{"UPSTREAM_METADATA", Required, true, JSONAny, Dash, TypeText, "metadata of the endpoint"},
	{"METADATA", Required, true, JSONAny, Dash, TypeText, "metadata of a route, listener, cluster or another part"},
	{"FILTER_STATE", Required, true, JSONAny, Dash, TypeText, "object that a filter shares"},
	{"UPSTREAM_FILTER_STATE", Required, true, JSONAny, Dash, TypeText, "object that an upstream filter shares"},
	{"CEL", Required, true, JSONString, Dash, TypeText, "value of an expression, as text"},
	{"TYPED_CEL", Required, true, JSONAny, Dash, TypeText, "value of an expression"},
	{"COALESCE", Required, true, JSONString, Dash, TypeText, "first of several operators that has a value"},
	{"XFCC_VALUE", Required, false, JSONString, Dash, TypeText, "one key of the forwarded client certificate"},
	{"FILE_CONTENT", Required, true, JSONString, Dash, TypeText, "content of a file"},
	{"SECRET", Required, true, JSONString, Dash, TypeText, "a secret from SDS"},
	{"METHOD", NoArgument, false, JSONString, Dash, TypeToken, "method, of generic proxies"},
	{"HOST", NoArgument, false, JSONString, Dash, TypeToken, "host, of generic proxies"},
	{"REQUEST_PROPERTY", Required, false, JSONString, Dash, TypeText, "property of the request, of generic proxies"},
	{"RESPONSE_PROPERTY", Required, false, JSONString, Dash, TypeText, "property of the response, of generic proxies"},
	{"GENERIC_RESPONSE_CODE", NoArgument, false, JSONNumber, Dash, TypeInt, "status, of generic proxies"},
	{"PER_REQUEST_STATE", Required, false, JSONString, Dash, TypeText, "object that a filter shares, in the old spelling"},
}
