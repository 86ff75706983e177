package classify

import (
	"bytes"

	"github.com/flagwatch/flagwatch/parser"
)

// An Answerer is who wrote the response that a record reports.
type Answerer uint8

const (
	Application Answerer = iota // the workload behind this proxy
	Upstream                    // the other side: an application or the next proxy
	Proxy                       // the proxy that wrote the record
	Nobody                      // no response was sent
	Unknown                     // the record does not say
	NumAnswerers
)

var answerers = [NumAnswerers]string{"application", "upstream", "proxy", "nobody", "unknown"}

func (a Answerer) String() string { return answerers[a] }

// AnsweredFields are the fields that AnsweredBy reads.
var AnsweredFields = parser.Fields(parser.ResponseCode, parser.ResponseFlags, parser.ResponseCodeDetails,
	parser.UpstreamServiceTime, parser.UpstreamCluster, parser.BytesSent, parser.GRPCStatus)

// Flags of answers that the proxy writes itself: refusals always, cuts unless
// a response from upstream had begun.
var (
	refusals = flagSet("LH", "UH", "UF", "NR", "FI", "RL", "UAEX", "RLSE", "IH", "RFCF", "NFCF", "NC", "DF", "DO", "UDO")
	cuts     = flagSet("UT", "LR", "UR", "UC", "UO", "SI", "DPE", "UMSDR", "UPE", "OM")
)

// flagSet is the set of flags with the given short names.
func flagSet(names ...string) parser.FlagSet {
	var s parser.FlagSet
	for _, name := range names {
		f, ok := parser.FlagByName(name)
		if !ok {
			panic("no such flag: " + name)
		}
		s |= parser.FlagsOf(f)
	}
	return s
}

// AnsweredBy says who wrote the response of an access record; of any other
// record it is Unknown. One record can not tell an application from another
// proxy, unless the proxy stood in front of its own workload (inbound).
// It allocates nothing.
func AnsweredBy(r *parser.Record) Answerer {
	if r.Kind != parser.Access {
		return Unknown
	}
	code, hasCode := r.Code()
	if hasCode && code == 0 {
		return Nobody
	}
	details := r.Bytes(parser.ResponseCodeDetails)
	switch {
	case relayed(details):
		return sender(r)
	case details != nil:
		return byDetails(r, code, details)
	case !hasCode:
		return Unknown
	}
	return byFlags(r, code)
}

// relayed says whether the details name an answer that the proxy passed on.
func relayed(details []byte) bool {
	switch string(details) {
	case "via_upstream", "cache.insert_via_upstream", "websocket_handshake_unsuccessful", "internal_redirect":
		return true
	}
	return false
}

// sender is who stands behind this proxy.
func sender(r *parser.Record) Answerer {
	if r.Direction() == parser.Inbound {
		return Application
	}
	return Upstream
}

// byDetails decides an answer whose details are other than relayed.
func byDetails(r *parser.Record, code int, details []byte) Answerer {
	switch {
	case copiesServiceTime(details), bytes.HasPrefix(details, []byte("upstream_reset_before_response_started")):
		return Proxy
	case begun(r):
		return sender(r)
	case code >= 500:
		return Proxy
	case leftOrCut(details), headSent(r, code, details):
		return Unknown
	}
	return Proxy
}

// copiesServiceTime is for answers of the proxy that carry the service time
// of another exchange: the authorizer's, or the one that filled the cache.
func copiesServiceTime(details []byte) bool {
	return bytes.HasPrefix(details, []byte("ext_authz_")) || bytes.HasPrefix(details, []byte("cache.")) ||
		string(details) == "direct_response"
}

// begun says whether the head of a response came from upstream.
func begun(r *parser.Record) bool { return r.Has(parser.UpstreamServiceTime) }

// leftOrCut says whether the details name the end of a stream that somebody
// else had answered.
func leftOrCut(details []byte) bool {
	return clientLeft(details) || bytes.HasPrefix(details, []byte("upstream_reset_after_response_started")) ||
		bytes.HasPrefix(details, []byte("downstream_local_disconnect")) || string(details) == "too_many_premature_resets"
}

// headSent says whether a limit of the proxy struck while a body was on its
// way. The proxy's own answer to a gRPC request has code 200 too, but a status
// or no body.
func headSent(r *parser.Record, code int, details []byte) bool {
	if code >= 400 || r.Has(parser.GRPCStatus) {
		return false
	}
	switch string(details) {
	case "response_timeout", "stream_idle_timeout", "max_duration_timeout", "upstream_max_stream_duration_reached", "overload":
		n, _ := r.Int(parser.BytesSent)
		return n > 0
	}
	return false
}

// byFlags decides where there are no details.
func byFlags(r *parser.Record, code int) Answerer {
	flags, _ := r.Flags()
	switch {
	case flags&refusals != 0:
		return Proxy
	case flags&(cuts|left) == 0:
		return Unknown
	case begun(r):
		return sender(r)
	case flags&cuts != 0 && code >= 400:
		return Proxy
	}
	return Unknown
}
