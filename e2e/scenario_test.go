//go:build e2e

package e2e

import (
	"regexp"
	"strings"
)

// A Scenario is one way to fail, as data. Fragments are in YAML's flow style;
// $IP is the address of the scenario, $CLUSTER the name of its main cluster.
// Fields that a fragment does not name have the values of config_test.go.
type Scenario struct {
	Name string // also the name of the kept case
	Doc  string // what is done

	TCP         bool   // a TCP proxy instead of the HTTP connection manager
	Proxy       string // fields of the TCP proxy
	HCM         string // fields of the HTTP connection manager
	HTTP        string // HTTP filters in front of the router
	Router      string // fields of the router
	VHost       string // fields of the virtual host
	Route       string // its routes
	Net         string // network filters in front
	Down        string // transport socket of the filter chain
	Match       string // its match
	Inspect     bool   // with a TLS inspector
	Listener    string // fields of the listener
	ListenerLog bool   // the listener writes the access log, not the last filter
	Cluster     string // fields of the main cluster
	ClusterName string
	Clusters    string // more clusters
	Listeners   string // more listeners
	Boot        string // more of the bootstrap

	Config      string // a whole bootstrap instead of all these
	Descriptors int    // limit of open files of the process
	NoWait      bool   // do not wait until the process serves
	Ends        bool   // the process must end by itself
	Up          []Upstream
	Client      Client
	Want        []Want  // the access records, in order
	Events      []Event // of the application log
}

// A Want is what the documents say about a record. Patterns are literal but
// for `*`, which stands for any text; the empty pattern is `-` or nothing.
type Want struct {
	Code    int
	Flags   string // comma-joined, in any order
	Details string
	Reason  string // upstream transport failure, when it is no copy of the details
	Down    string // downstream transport failure
	End     string // termination details
	Cause   string // accepted ids, the best first, which is the one that is kept; `?` in front: none is better; none for a record that did not fail
	Weak    string // accepted as well where the layout has no details column
	OK      bool   // not failed
	Status  bool   // only the gRPC status shows that it failed
	By      string // who answered, when code and details do not tell
}

// unpinned stands for what the documents do not decide.
const unpinned = "?"

// An Event is a record of the application log: the line that holds Text and
// those behind it.
type Event struct {
	Text  string
	Lines int
	Cause string // accepted ids; none for a line that shows no fault
}

// before and after are the details of an upstream reset.
func before(reason string) string {
	return "upstream_reset_before_response_started{" + reason + "}"
}
func after(reason string) string { return "upstream_reset_after_response_started{" + reason + "}" }

// tlsError is the transport reason of a failed handshake.
func tlsError(name string) string {
	return "TLS_error:|*:SSL_routines:OPENSSL_internal:" + name + ":TLS_error_end"
}

const refused = "remote_connection_failure|delayed_connect_error:_Connection_refused"

// fits says whether text is what the pattern describes.
func fits(pattern, text string) bool {
	if text == "-" {
		text = ""
	}
	parts := strings.Split(pattern, "*")
	for i, p := range parts {
		parts[i] = regexp.QuoteMeta(p)
	}
	return regexp.MustCompile("^" + strings.Join(parts, ".*") + "$").MatchString(text)
}

// flagList is the sorted list of flags.
func flagList(joined string) []any {
	list := []any{}
	if joined == "" || joined == "-" {
		return list
	}
	for _, f := range sortedFields(joined) {
		list = append(list, f)
	}
	return list
}

// answeredBy is the rule of who wrote the response, for records whose code
// and details decide.
func (w Want) answeredBy(inbound bool) string {
	switch {
	case w.By != "":
		return w.By
	case w.Code == 0:
		return "nobody"
	case w.Details != "via_upstream" && !strings.HasPrefix(w.Details, "upstream_reset_after_response_started"):
		return "proxy"
	case inbound:
		return "application"
	}
	return "upstream"
}
