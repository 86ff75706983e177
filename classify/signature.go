package classify

import (
	"github.com/flagwatch/flagwatch/parser"
)

// columns are the texts that a condition may look into. Those in front are
// part of the first key of a verdict: their phrases are found in one walk for
// all rules. The others are looked at when a rule in question asks.
var columns = []struct {
	name  string
	field parser.Field
}{
	{"details", parser.ResponseCodeDetails},
	{"termination", parser.ConnectionTerminationDetails},
	{"reason", parser.UpstreamTransportFailureReason},
	{"downstream", parser.DownstreamTransportFailureReason},
	{"message", parser.Message},
	{"component", parser.Component},
	// asked for late
	{"cluster", parser.UpstreamCluster},
	{"host", parser.UpstreamHost},
	{"authority", parser.Authority},
	{"sni", parser.RequestedServerName},
	{"route", parser.RouteName},
	{"method", parser.Method},
	{"path", parser.Path},
	{"protocol", parser.Protocol},
	{"agent", parser.UserAgent},
	{"service-time", parser.UpstreamServiceTime},
	{"local", parser.DownstreamLocalAddress},
	{"remote", parser.DownstreamRemoteAddress},
	{"upstream-local", parser.UpstreamLocalAddress},
}

// notes are texts of a record that are no field of their own. They are asked
// for late.
var notes = []struct {
	name string
	read func(*parser.Record) []byte
}{
	{"error", (*parser.Record).Failure}, // ztunnel's
	{"mixer", (*parser.Record).Mixer},
}

// How many columns of the list are part of the first key: those of access
// records, and with those of events.
const (
	accessColumns = 4
	messageColumn = accessColumns
	earlyColumns  = 6
)

// A predicate is a yes or no that a condition may ask of a record.
type predicate struct {
	name   string
	fields parser.FieldSet // what it reads
	about  string
	test   func(*parser.Record) bool
}
