package classify

import (
	"bytes"

	"github.com/flagwatch/flagwatch/parser"
)

// Milliseconds that durations are judged by.
const (
	atOnce     = 5   // no time for a timer: a connection was found dead or refused
	longEnough = 90  // few connect timeouts are as short as 0.1 s, none is shorter
	noticeable = 900 // nearly all connect timeouts are a second or more
	second     = 1000
	jitter     = 10
)

// upstreamPredicates are questions about routes and about the way upstream.
var upstreamPredicates = []predicate{
	{"at-once", parser.Fields(parser.Duration), "it was over within 5 ms", func(r *parser.Record) bool { d, ok := r.Number(parser.Duration); return ok && d <= atOnce }},
	{"long-enough", parser.Fields(parser.Duration), "it took about 0.1 s or more, as long as the shortest connect timeouts", func(r *parser.Record) bool { d, ok := r.Number(parser.Duration); return ok && d >= longEnough }},
	{"slow", parser.Fields(parser.Duration), "it took about a second or more", func(r *parser.Record) bool { d, ok := r.Number(parser.Duration); return ok && d >= noticeable }},
	{"round-seconds", parser.Fields(parser.Duration), "it took whole seconds, give or take 10 ms", roundSeconds},
	{"passthrough", parser.Fields(parser.UpstreamCluster), "it left the mesh through PassthroughCluster", func(r *parser.Record) bool { return string(r.Bytes(parser.UpstreamCluster)) == "PassthroughCluster" }},
	{"black-hole", parser.Fields(parser.UpstreamCluster), "it was for BlackHoleCluster, where nothing gets out", func(r *parser.Record) bool { return string(r.Bytes(parser.UpstreamCluster)) == "BlackHoleCluster" }},
	{"inbound-passthrough", parser.Fields(parser.UpstreamCluster), "it came in on a port that is in no Service", func(r *parser.Record) bool {
		return bytes.HasPrefix(r.Bytes(parser.UpstreamCluster), []byte("InboundPassthroughCluster"))
	}},
	{"subset", parser.Fields(parser.UpstreamCluster), "the cluster is a subset of a service", func(r *parser.Record) bool { return len(clusterPart(r, 2)) > 0 }},
	{"external", parser.Fields(parser.UpstreamCluster), "the cluster's host lies outside the cluster's own names", external},
	{"loopback", parser.Fields(parser.UpstreamHost), "the upstream host is this pod itself", func(r *parser.Record) bool { return isLoopback(hostOf(r.Bytes(parser.UpstreamHost))) }},
	{"private-host", parser.Fields(parser.UpstreamHost), "the upstream host has an address of a private network", func(r *parser.Record) bool { return isPrivate(hostOf(r.Bytes(parser.UpstreamHost))) }},
	{"host-tls-port", parser.Fields(parser.UpstreamHost), "the upstream host's port is one for TLS", func(r *parser.Record) bool { return isTLSPort(portOf(r.Bytes(parser.UpstreamHost))) }},
	{"host-is-authority", parser.Fields(parser.UpstreamHost, parser.Authority), "the request named the address that it was sent to", hostIsAuthority},
	{"tls-port", parser.Fields(parser.DownstreamLocalAddress), "it came in on a port for TLS", func(r *parser.Record) bool { return isTLSPort(portOf(r.Bytes(parser.DownstreamLocalAddress))) }},
	{"pod-port", parser.Fields(parser.DownstreamLocalAddress), "it came in on a port that is none for TLS", podPort},
	{"sni-is-authority", parser.Fields(parser.RequestedServerName, parser.Authority), "the TLS server name is the host asked for", func(r *parser.Record) bool { same, known := sniAndAuthority(r); return known && same }},
	{"sni-not-authority", parser.Fields(parser.RequestedServerName, parser.Authority), "the TLS server name is another host than the one asked for", func(r *parser.Record) bool { same, known := sniAndAuthority(r); return known && !same }},
	{"authority-ip", parser.Fields(parser.Authority), "the host asked for is an address", func(r *parser.Record) bool { return isAddress(hostOf(r.Bytes(parser.Authority))) }},
	{"authority-port", parser.Fields(parser.Authority), "the host asked for has a port", func(r *parser.Record) bool { return len(portOf(r.Bytes(parser.Authority))) > 0 }},
	{"port-as-called", parser.Fields(parser.Authority, parser.DownstreamLocalAddress), "the host asked for has the port that was called", portAsCalled},
	{"scanner", parser.Fields(parser.Path, parser.UserAgent), "path or agent are those of a scanner", scanner},
}

func roundSeconds(r *parser.Record) bool {
	d, ok := r.Number(parser.Duration)
	if !ok || d < second-jitter {
		return false
	}
	rest := int64(d) % second
	return rest <= jitter || rest >= second-jitter
}

// clusterPart is a part of `outbound|PORT|SUBSET|HOST`; older layouts of Istio
// have `.` and `_.` for the bars, which names of hosts have too, so only bars
// count.
func clusterPart(r *parser.Record, n int) []byte {
	rest := r.Bytes(parser.UpstreamCluster)
	for ; n > 0; n-- {
		i := bytes.IndexByte(rest, '|')
		if i < 0 {
			return nil
		}
		rest = rest[i+1:]
	}
	if i := bytes.IndexByte(rest, '|'); i >= 0 {
		return rest[:i]
	}
	return rest
}

// external says whether the cluster's host is no name of Kubernetes: one label
// or `NAME.NAMESPACE.svc...`.
func external(r *parser.Record) bool { return outside(clusterPart(r, 3)) }

// cutPort splits `HOST:PORT`, `[IPV6]:PORT` and an address without port.
func cutPort(address []byte) (host, port []byte) {
	i := bytes.LastIndexByte(address, ':')
	switch {
	case len(address) > 0 && address[0] == '[':
		end := bytes.IndexByte(address, ']')
		if end < 0 {
			return address, nil
		}
		if i < end {
			i = len(address) - 1
		}
		return address[1:end], address[i+1:]
	case i < 0 || bytes.IndexByte(address, ':') < i:
		return address, nil
	}
	return address[:i], address[i+1:]
}

func hostOf(address []byte) []byte { host, _ := cutPort(address); return host }
func portOf(address []byte) []byte { _, port := cutPort(address); return port }

// isTLSPort knows 443, 8443, 15443 and their kin.
func isTLSPort(port []byte) bool { return bytes.HasSuffix(port, []byte("443")) }

func podPort(r *parser.Record) bool {
	port := portOf(r.Bytes(parser.DownstreamLocalAddress))
	return len(port) > 0 && !isTLSPort(port)
}

func isLoopback(host []byte) bool {
	return bytes.HasPrefix(host, []byte("127.")) || string(host) == "::1" || string(host) == "localhost"
}

// isPrivate follows RFC 1918, RFC 6598, RFC 4193 and loopback.
func isPrivate(host []byte) bool {
	if !isAddress(host) {
		return false
	}
	a, rest := octet(host)
	b, _ := octet(rest)
	switch {
	case isLoopback(host), a == 10, a == 172 && b >= 16 && b <= 31, a == 192 && b == 168, a == 100 && b >= 64 && b <= 127:
		return true
	}
	return bytes.IndexByte(host, ':') > 1 && host[0]|0x20 == 'f' && (host[1]|0x20 == 'c' || host[1]|0x20 == 'd')
}

// octet reads the first number of an IPv4 address, -1 if there is none.
func octet(host []byte) (n int, rest []byte) {
	i := 0
	for ; i < len(host) && i < 3 && host[i]-'0' <= 9; i++ {
		n = n*10 + int(host[i]-'0')
	}
	if i == 0 || i == len(host) || host[i] != '.' {
		return -1, nil
	}
	return n, host[i+1:]
}

// isAddress says whether a host is an IP address and not a name.
func isAddress(host []byte) bool {
	dots, colons, letters := 0, 0, 0
	for _, c := range host {
		switch {
		case c == '.':
			dots++
		case c == ':':
			colons++
		case c >= '0' && c <= '9':
		case c|0x20 >= 'a' && c|0x20 <= 'f':
			letters++
		default:
			return false
		}
	}
	return colons >= 2 || colons == 0 && letters == 0 && dots == 3
}

func hostIsAuthority(r *parser.Record) bool {
	host, authority := r.Bytes(parser.UpstreamHost), r.Bytes(parser.Authority)
	if len(host) == 0 {
		return false
	}
	return bytes.Equal(host, authority) || bytes.Equal(hostOf(host), authority)
}

func sniAndAuthority(r *parser.Record) (same, known bool) {
	sni, host := r.Bytes(parser.RequestedServerName), hostOf(r.Bytes(parser.Authority))
	return bytes.EqualFold(sni, host), len(sni) > 0 && len(host) > 0
}

func portAsCalled(r *parser.Record) bool {
	port := portOf(r.Bytes(parser.Authority))
	return len(port) > 0 && bytes.Equal(port, portOf(r.Bytes(parser.DownstreamLocalAddress)))
}

// scanPaths and scanAgents are in lower case. A path counts by its parts: a
// mark stands behind a slash, or is an ending that begins with a dot.
var (
	scanPaths = []string{
		"/.env", "/.git", "/.aws", "/.ssh", "/.vscode", "/.ds_store", "/.svn", "/wp-login", "/wp-admin", "/wp-content", "/wp-includes", "/wp-json",
		"/xmlrpc.php", "/phpmyadmin", "/phpinfo", "/pma/", "/cgi-bin/", "/vendor/phpunit", "/boaform", "/hnap1", "/solr/admin", "/manager/html",
		"/_ignition", "/owa/auth", "/autodiscover/", "/ecp/", "/telescope/requests", "/server-status", "/goform/", "/setup.cgi", "/shell?",
		"/etc/passwd", "/actuator/gateway", "/geoserver", "/sdk/websdk", "/remote/login", "/dana-na/", "/druid/index", "/nmaplowercheck",
	}
	scanAgents = []string{
		"zgrab", "masscan", "nmap", "nuclei", "sqlmap", "nikto", "censys", "expanse", "shodan", "l9explore", "l9tcpid", "leakix", "wpscan",
		"gobuster", "dirbuster", "feroxbuster", "ffuf", "internet-measurement", "paloaltonetworks", "netsystemsresearch", "project-discovery",
		"onyphe", "stretchoid", "criminalip", "odin.io", "fuzz faster", "hello, world", "xenu", "acunetix", "nessus", "openvas", "qualys",
	}
)

func scanner(r *parser.Record) bool {
	path := r.Bytes(parser.Path)
	if i := bytes.IndexByte(path, '?'); i >= 0 {
		path = path[:i+1]
	}
	return pathMarks.in(path) || bytes.HasSuffix(path, []byte(".php")) || bytes.HasPrefix(path, []byte("//")) ||
		scannerMarks.in(r.Bytes(parser.UserAgent))
}

var pathMarks, scannerMarks = newNeedles(scanPaths), newNeedles(scanAgents)

// needles are lower-case marks that are looked for in any case.
type needles struct {
	starts [1 << 8]uint64 // bits of second letters, by the first one
	lists  [1 << 8][]string
}

func newNeedles(marks []string) *needles {
	n := &needles{}
	for _, mark := range marks {
		n.starts[mark[0]] |= 1 << (mark[1] & 63)
		n.lists[mark[0]] = append(n.lists[mark[0]], mark)
	}
	return n
}

// in says whether text has one of the marks.
func (n *needles) in(text []byte) bool {
	for i := 0; i+1 < len(text); i++ {
		c := lower[text[i]]
		if starts := n.starts[c]; starts == 0 || starts>>(lower[text[i+1]]&63)&1 == 0 {
			continue
		}
		for _, mark := range n.lists[c] {
			if hasPrefixFold(text[i:], mark) {
				return true
			}
		}
	}
	return false
}

// lower maps letters to lower case, and every other byte to itself.
var lower = func() (t [256]byte) {
	for c := range t {
		t[c] = byte(c)
		if c >= 'A' && c <= 'Z' {
			t[c] |= 0x20
		}
	}
	return t
}()

func hasPrefixFold(text []byte, mark string) bool {
	if len(text) < len(mark) {
		return false
	}
	for i := range len(mark) {
		if lower[text[i]] != mark[i] {
			return false
		}
	}
	return true
}
