package classify

import (
	"bytes"
	"slices"

	"github.com/flagwatch/flagwatch/parser"
)

// predicates are the yes-or-no questions that conditions may ask.
var predicates = slices.Concat(commonPredicates, upstreamPredicates, downstreamPredicates)

var predicateNamed = func() map[string]predicate {
	named := make(map[string]predicate, len(predicates))
	for _, p := range predicates {
		named[p.name] = p
	}
	return named
}()

var commonPredicates = []predicate{
	{"inbound", parser.Fields(parser.UpstreamCluster), "the proxy stood in front of its own workload", func(r *parser.Record) bool { return r.Direction() == parser.Inbound }},
	{"outbound", parser.Fields(parser.UpstreamCluster), "the proxy stood on the caller's side", func(r *parser.Record) bool { return r.Direction() == parser.Outbound }},
	{"http2", parser.Fields(parser.Protocol), "the client spoke HTTP/2 or HTTP/3", http2},
	{"tcp", parser.Fields(parser.Method, parser.Protocol), "a connection, not a request", isConnection},
	{"both-ways", parser.Fields(parser.BytesReceived, parser.BytesSent), "bytes went in both directions", bothWays},
}

// isConnection says whether a record has neither what a request has nor an
// answer to one.
func isConnection(r *parser.Record) bool {
	code, ok := r.Code()
	return !r.Has(parser.Method) && !r.Has(parser.Protocol) && (!ok || code == 0)
}

func http2(r *parser.Record) bool {
	p := r.Bytes(parser.Protocol)
	return bytes.HasPrefix(p, []byte("HTTP/2")) || bytes.HasPrefix(p, []byte("HTTP/3"))
}

func bothWays(r *parser.Record) bool {
	received, _ := r.Int(parser.BytesReceived)
	sent, _ := r.Int(parser.BytesSent)
	return received > 0 && sent > 0
}
