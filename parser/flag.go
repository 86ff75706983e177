package parser

import "math/bits"

// A Flag is one of Envoy's response flags. Its number is Envoy's own (the bit
// of a numeric mask): LH is 0, UDO is 29.
type Flag uint8

// NumFlags is how many flags Envoy has.
const NumFlags = 30

// A FlagInfo is a row of the list of flags.
type FlagInfo struct {
	Short string // what %RESPONSE_FLAGS% prints
	Long  string // what %RESPONSE_FLAGS_LONG% prints
	On    string // http, tcp or http+tcp: the records that carry it
	Since string // first Envoy version that has it
	About string // one sentence
}

// Source: https://www.envoyproxy.io/docs/envoy/latest/configuration/observability/access_log/usage#response-flags
var flags = [NumFlags]FlagInfo{
	{"LH", "FailedLocalHealthCheck", "http", "1.0", "the proxy answered a health check itself and said unhealthy"},
	{"UH", "NoHealthyUpstream", "http+tcp", "1.0", "the cluster had no endpoint that the load balancer may use"},
	{"UT", "UpstreamRequestTimeout", "http", "1.0", "the upstream did not finish within the timeout of the route or of a try"},
	{"LR", "LocalReset", "http", "1.0", "the proxy itself reset the upstream stream"},
	{"UR", "UpstreamRemoteReset", "http+tcp", "1.0", "the upstream reset the stream or the connection"},
	{"UF", "UpstreamConnectionFailure", "http+tcp", "1.0", "the connection to the upstream could not be made: refused, timed out or failed in TLS"},
	{"UC", "UpstreamConnectionTermination", "http", "1.0", "the upstream closed the connection while the request was under way"},
	{"UO", "UpstreamOverflow", "http+tcp", "1.0", "a limit of the cluster was reached: connections, pending requests, requests or retries"},
	{"NR", "NoRouteFound", "http+tcp", "1.0", "no route matched the request, or no filter chain matched the connection"},
	{"DI", "DelayInjected", "http", "1.2", "fault injection delayed the request on purpose"},
	{"FI", "FaultInjected", "http", "1.2", "fault injection answered with an error on purpose"},
	{"RL", "RateLimited", "http", "1.2", "a rate limit refused the request"},
	{"UAEX", "UnauthorizedExternalService", "http+tcp", "1.6", "the external authorizer denied the request or could not be asked"},
	{"RLSE", "RateLimitServiceError", "http", "1.8", "the rate limit service could not be asked"},
	{"DC", "DownstreamConnectionTermination", "http", "1.9", "the client's connection went away before the response was complete"},
	{"URX", "UpstreamRetryLimitExceeded", "http+tcp", "1.10", "all retries or connect attempts were used up"},
	{"SI", "StreamIdleTimeout", "http", "1.10", "nothing moved on the stream for the idle timeout"},
	{"IH", "InvalidEnvoyRequestHeaders", "http", "1.11", "a checked request header had a value that is not allowed"},
	{"DPE", "DownstreamProtocolError", "http", "1.12", "what the client sent is not valid HTTP"},
	{"UMSDR", "UpstreamMaxStreamDurationReached", "http", "1.15", "the request lived longer than the cluster's maximum stream duration"},
	{"RFCF", "ResponseFromCacheFilter", "http", "1.15", "the response came from the proxy's cache"},
	{"NFCF", "NoFilterConfigFound", "http", "1.16", "a filter's configuration had not arrived by the deadline"},
	{"DT", "DurationTimeout", "http+tcp", "1.16", "the connection lived longer than its maximum duration"},
	{"UPE", "UpstreamProtocolError", "http", "1.18", "what the upstream sent is not valid HTTP, or it broke off within a response"},
	{"NC", "NoClusterFound", "http+tcp", "1.18", "the route names a cluster that this proxy does not have"},
	{"OM", "OverloadManagerTerminated", "http", "1.19", "the overload manager ended the stream"},
	{"DF", "DnsResolutionFailed", "http", "1.22", "the proxy could not resolve the upstream's name"},
	{"DO", "DropOverload", "http", "1.29", "the endpoints' drop policy dropped a share of the requests"},
	{"DR", "DownstreamRemoteReset", "http", "1.30", "the client reset the stream, or the proxy refused its headers on HTTP/2"},
	{"UDO", "UnconditionalDropOverload", "http", "1.34", "the endpoints' drop policy dropped every request"},
}

// FlagList returns the list of flags by number. The slice is shared: callers
// must not change it.
func FlagList() []FlagInfo { return flags[:] }

// String is the short name.
func (f Flag) String() string {
	if f < NumFlags {
		return flags[f].Short
	}
	return "?"
}

// FlagByName finds a flag by its short or long name.
func FlagByName(name string) (Flag, bool) {
	for i := range flags {
		if flags[i].Short == name || flags[i].Long == name {
			return Flag(i), true
		}
	}
	return 0, false
}

// A FlagSet is a set of flags: order never matters. It is comparable.
type FlagSet uint64

// UnknownFlags is in a set when the record carries tokens that are no known
// flag; Record.UnknownFlags walks them.
const UnknownFlags FlagSet = 1 << 63

// FlagsOf returns the set of the given flags.
func FlagsOf(list ...Flag) FlagSet {
	var s FlagSet
	for _, f := range list {
		s |= 1 << f
	}
	return s
}

// Has says whether f is in the set.
func (s FlagSet) Has(f Flag) bool { return s>>f&1 != 0 }

// Len is how many known flags are in the set.
func (s FlagSet) Len() int { return bits.OnesCount64(uint64(s &^ UnknownFlags)) }

// All walks the known flags by number.
func (s FlagSet) All(yield func(Flag) bool) {
	for rest := uint64(s &^ UnknownFlags); rest != 0; rest &= rest - 1 {
		if !yield(Flag(bits.TrailingZeros64(rest))) {
			return
		}
	}
}

// flagByToken finds a flag by its short or long name.
func flagByToken(token []byte) (Flag, bool) {
	if len(token) <= 8 {
		if f, ok := shortFlags.find(wordOf(string(token))); ok {
			return f, true
		}
	}
	f, ok := longFlags[string(token)]
	return f, ok
}

// longFlags finds flags by their long names.
var longFlags = func() map[string]Flag {
	m := make(map[string]Flag, NumFlags)
	for i, f := range flags {
		m[f.Long] = Flag(i)
	}
	return m
}()

// A flagTable finds flags by their short names, as words of eight bytes with
// zeros behind the name, by a hash that is another for each of them.
type flagTable struct {
	mix   uint64
	slots [1 << flagBits]struct {
		word uint64
		flag Flag
	}
}

const flagBits = 7

var shortFlags = newFlagTable()

// newFlagTable looks for a factor that tells the names apart.
func newFlagTable() *flagTable {
	mix := uint64(0x9e3779b97f4a7c15)
	for range 10_000 {
		if t := (&flagTable{mix: mix}); t.fill() {
			return t
		}
		mix *= 0xd1342543de82ef95
	}
	panic("no factor tells the flags apart: double the slots")
}

func (t *flagTable) fill() bool {
	for i, f := range flags {
		word := wordOf(f.Short)
		s := &t.slots[t.at(word)]
		if s.word != 0 {
			return false
		}
		s.word, s.flag = word, Flag(i)
	}
	return true
}

// wordOf is a name of up to eight bytes as a word.
func wordOf(name string) uint64 {
	var word [8]byte
	copy(word[:], name)
	return load64(word[:], 0)
}

func (t *flagTable) at(word uint64) uint64 { return word * t.mix >> (64 - flagBits) }

func (t *flagTable) find(word uint64) (Flag, bool) {
	s := &t.slots[t.at(word)]
	return s.flag, s.word == word && word != 0
}

// set reads short names joined by commas, up to eight bytes with zeros behind
// them. It is false when one is no short name.
func (t *flagTable) set(names uint64) (set FlagSet, ok bool) {
	for {
		comma := bits.TrailingZeros64(near(names, ',')) // of those that near has, the lowest is one
		name := names
		if comma < 64 {
			name &= 1<<(comma&^7) - 1
		}
		f, ok := t.find(name)
		if !ok {
			return 0, false
		}
		if set |= 1 << f; comma == 64 {
			return set, true
		}
		names >>= comma | 7
		names >>= 1
	}
}

// decodeFlags reads a flags column: names joined by commas in any order, short
// or long, or a numeric mask. Tokens that are no flag put UnknownFlags in.
func decodeFlags(v []byte) FlagSet {
	if len(v) == 0 || len(v) == 1 && v[0] == '-' {
		return 0
	}
	if mask, ok := digits(v); ok {
		if mask < 1<<NumFlags {
			return FlagSet(mask)
		}
		return UnknownFlags
	}
	var set FlagSet
	for len(v) > 0 {
		n := 0
		for n < len(v) && v[n] != ',' {
			n++
		}
		if f, ok := flagByToken(trimBlanks(v[:n])); ok {
			set |= 1 << f
		} else if n > 0 {
			set |= UnknownFlags
		}
		v = v[min(n+1, len(v)):]
	}
	return set
}

func trimBlanks(v []byte) []byte {
	for len(v) > 0 && v[0] == ' ' {
		v = v[1:]
	}
	for len(v) > 0 && v[len(v)-1] == ' ' {
		v = v[:len(v)-1]
	}
	return v
}
