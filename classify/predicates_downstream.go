package classify

import (
	"bytes"

	"github.com/flagwatch/flagwatch/parser"
)

// Milliseconds of the timeouts that load balancers have: half minutes.
const (
	halfMinute = 30_000
	tolerance  = 100
)

// tunnelPort is where ztunnel, waypoints and gateways take the mesh's tunnel.
// Source: https://istio.io/latest/docs/ops/deployment/application-requirements/
const tunnelPort = ":15008"

// downstreamPredicates are questions about the client's side, and about
// records that say little.
var downstreamPredicates = []predicate{
	{"mesh-sni", parser.Fields(parser.RequestedServerName), "the TLS server name is one that the mesh's proxies use among themselves", func(r *parser.Record) bool {
		return bytes.HasPrefix(r.Bytes(parser.RequestedServerName), []byte("outbound_."))
	}},
	{"balancer-timeout", parser.Fields(parser.Duration, parser.XForwardedFor), "a forwarded request took whole half minutes, as the timeouts of load balancers are", balancerTimeout},
	{"dialling", parser.Fields(parser.UpstreamHost, parser.UpstreamLocalAddress, parser.Duration), "a host was chosen, but a second or more later there was no connection to it", dialling},
	{"tunnel-port", parser.Fields(parser.UpstreamHost), "the upstream port is that of the mesh's tunnel", func(r *parser.Record) bool {
		return bytes.HasSuffix(r.Bytes(parser.UpstreamHost), []byte(tunnelPort))
	}},
	{"flags-column", parser.Fields(parser.ResponseFlags), "the layout has a column for flags", func(r *parser.Record) bool { _, ok := r.Flags(); return ok }},
}

func balancerTimeout(r *parser.Record) bool {
	d, ok := r.Number(parser.Duration)
	if !ok || d < halfMinute-tolerance || !r.Has(parser.XForwardedFor) {
		return false
	}
	rest := int64(d) % halfMinute
	return rest <= tolerance || rest >= halfMinute-tolerance
}

func dialling(r *parser.Record) bool {
	d, ok := r.Number(parser.Duration)
	return ok && d >= noticeable && r.Has(parser.UpstreamHost) && r.Column(parser.UpstreamLocalAddress) && !r.Has(parser.UpstreamLocalAddress)
}
