// Package classify says what a record means: whether it failed, who answered
// and why.
package classify

import "github.com/flagwatch/flagwatch/parser"

// FailedFields are the fields that Failed reads.
var FailedFields = AnsweredFields | parser.Fields(parser.UpstreamHost, parser.BytesReceived, parser.ConnectionTerminationDetails,
	parser.UpstreamTransportFailureReason, parser.DownstreamTransportFailureReason)

// Flags that say nothing about success or play a part in an exception.
var (
	neutral = flagSet("DI", "RFCF")
	cached  = flagSet("RFCF")
	left    = flagSet("DC", "DR")
	ended   = flagSet("DC", "DR", "UC")
	login   = flagSet("UAEX")
	limiter = flagSet("RLSE")
	connect = flagSet("UF")
)

// Failed says whether an access record reports a failed request or connection;
// an event fails by its cause: see Classify. A failure is more than a code: a
// gRPC request that a proxy refused is logged with 200, a refused TCP
// connection with 0. It allocates nothing.
func Failed(r *parser.Record) bool { return r.Kind == parser.Access && failedAccess(r) }

func failedAccess(r *parser.Record) bool {
	flags, _ := r.Flags()
	code, hasCode := r.Code()
	if flags == 0 && code >= 200 && code < 400 {
		return failedQuietly(r, code)
	}
	excused := excusedFlags(r, flags, code)
	switch {
	case flags&^(neutral|excused) != 0, code >= 500, r.Errored(), failedGRPC(r):
		return true
	case excused != 0:
		return false
	case hasCode && code == 0:
		return failedWithoutAnswer(r)
	case code >= 400:
		details := r.Bytes(parser.ResponseCodeDetails)
		return details != nil && !passedOn(details)
	}
	return refusedQuietly(r.Bytes(parser.ResponseCodeDetails), code)
}

// failedQuietly decides the usual record: no flag and a code of success.
func failedQuietly(r *parser.Record, code int) bool {
	details := r.Bytes(parser.ResponseCodeDetails)
	if string(details) != "via_upstream" && refusedQuietly(details, code) {
		return true
	}
	return failedGRPC(r) || r.Errored()
}

// refusedQuietly is for codes under 400: answers to gRPC requests, and bodies
// that were cut when the head had been sent. A redirect and an upgrade need a
// flag to fail.
func refusedQuietly(details []byte, code int) bool {
	if details == nil || code == 101 || code >= 300 || code == 206 && clientLeft(details) {
		return false
	}
	return isRefused(details)
}

// passedOn says whether a code of 4xx is the application's or the operator's
// own wish.
func passedOn(details []byte) bool {
	switch string(details) {
	case "via_upstream", "direct_response", "cache.insert_via_upstream", "cache.response_from_cache_filter":
		return true
	}
	return false
}

// excusedFlags returns the flags that this record does not fail by. They
// explain its details and transport failure reasons as well.
func excusedFlags(r *parser.Record, flags parser.FlagSet, code int) parser.FlagSet {
	var excused parser.FlagSet
	switch {
	case flags == 0:
		return 0
	case code == 101:
		excused = ended
	case code == 206:
		excused = left
	case code >= 300 && code < 400:
		excused = login
	case code == 0 && flags&connect != 0 && connectedLater(r):
		excused = connect
	}
	if code < 400 {
		excused |= limiter
	}
	return flags & (excused | cached)
}

// connectedLater says whether a TCP connection went on after a failed attempt.
func connectedLater(r *parser.Record) bool {
	received, _ := r.Int(parser.BytesReceived)
	sent, _ := r.Int(parser.BytesSent)
	return r.Has(parser.UpstreamHost) && received > 0 && sent > 0
}

// failedGRPC follows OpenTelemetry's list of server errors; other statuses are
// an application's business, unless this proxy made them.
// Source: https://opentelemetry.io/docs/specs/semconv/rpc/grpc/
func failedGRPC(r *parser.Record) bool {
	if !r.Has(parser.GRPCStatus) {
		return false
	}
	status, ok := parser.GRPCStatusNumber(r.Bytes(parser.GRPCStatus))
	if !ok || status == 0 {
		return false
	}
	switch status {
	case 2, 4, 12, 13, 14, 15:
		return true
	}
	return AnsweredBy(r) == Proxy
}

// failedWithoutAnswer decides code 0: a TCP connection that ended well, or a
// request or connection that nobody answered.
func failedWithoutAnswer(r *parser.Record) bool {
	details := r.Bytes(parser.ResponseCodeDetails)
	return r.Has(parser.UpstreamTransportFailureReason) || r.Has(parser.DownstreamTransportFailureReason) ||
		details != nil && string(details) != "via_upstream" ||
		isDenial(r.Bytes(parser.ConnectionTerminationDetails))
}
