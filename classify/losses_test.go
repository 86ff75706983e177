package classify

import (
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/flagwatch/flagwatch/parser"
)

// What a field is needed for is what its documentation says: flags for why the
// proxy answered, details for who refused, the cluster for the side.
func TestLosses(t *testing.T) {
	c := Default()
	tests := []struct {
		field   parser.Field
		missing parser.FieldSet
		lost    string // causes that must be among them
		told    string // causes that must not
	}{
		{parser.ResponseFlags, 0, "no-endpoints circuit-breaker-overflow subset-without-endpoints", "jwt-expired"},
		{parser.ResponseCodeDetails, 0, "jwt-expired jwt-missing per-try-timeout", "no-endpoints"},
		{parser.UpstreamTransportFailureReason, parser.Fields(parser.ResponseCodeDetails), "upstream-refused certificate-expired", "no-endpoints"},
		{parser.UpstreamCluster, 0, "inbound-undeclared-port egress-passthrough app-error", "jwt-expired"},
		{parser.RequestedServerName, 0, "sni-no-match", "no-endpoints"},
		{parser.RouteName, 0, "", "no-endpoints jwt-expired route-missing"},
	}
	for _, tt := range tests {
		var ids []string
		for _, l := range c.Losses(tt.field, tt.missing) {
			if l.Instead == l.Cause {
				t.Errorf("%v: %s is taken for itself", tt.field, l.Cause.ID)
			}
			ids = append(ids, l.Cause.ID)
		}
		for _, id := range strings.Fields(tt.lost) {
			if !slices.Contains(ids, id) {
				t.Errorf("%v: %s is told without it", tt.field, id)
			}
		}
		for _, id := range strings.Fields(tt.told) {
			if slices.Contains(ids, id) {
				t.Errorf("%v: %s can not be told without it", tt.field, id)
			}
		}
	}
}

// The fields that a rule asks for are read from its condition.
func TestNeedsOf(t *testing.T) {
	for when, want := range map[string]parser.FieldSet{
		"flag:UF code:503":            parser.Fields(parser.ResponseFlags, parser.ResponseCode),
		"failed !details !flag:UF":    0,
		"details:overload column:sni": parser.Fields(parser.ResponseCodeDetails, parser.RequestedServerName),
		"grpc:14 inbound":             parser.Fields(parser.GRPCStatus, parser.UpstreamCluster),
		"both-ways !http2":            parser.Fields(parser.BytesReceived, parser.BytesSent),
	} {
		if got := needsOf(when); got != want {
			t.Errorf("%s: %b, want %b", when, got, want)
		}
	}
}

// Whatever is missing, the examples are read as if it were not logged.
func TestLossesOfAny(t *testing.T) {
	c := Default()
	rng := rand.New(rand.NewPCG(7, 11))
	for range 40 {
		missing := parser.FieldSet(rng.Uint64()) & (1<<parser.Level - 1)
		f := parser.Field(rng.IntN(int(parser.Level)))
		for _, l := range c.Losses(f, missing) {
			if l.Cause == nil || l.Instead == l.Cause {
				t.Fatalf("%v without %b: %+v", f, missing, l)
			}
		}
	}
}
