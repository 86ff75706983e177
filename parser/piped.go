package parser

import (
	"bytes"
	"strings"
)

// Istio's names of clusters have pipes in them: outbound|80||cart.shop. Where
// pipes stand between the columns as well, such a name is one value, and no
// part of it belongs to a neighbour.

// findPiped notes for which columns that matters.
func (f *Format) findPiped() {
	piped, cluster := false, false
	for i := range f.columns {
		c := &f.columns[i]
		piped = piped || strings.IndexByte(c.until, '|') >= 0
		cluster = cluster || c.field == UpstreamCluster
	}
	for i := range f.columns {
		t := f.columns[i].typ
		f.columns[i].piped = piped && cluster && (sortOf(t) == TypeText)
	}
}

// pipedCluster is the length of `outbound|PORT|SUBSET|` or `inbound|PORT|SUBSET|`
// at s[0]; 0 when there is none.
func pipedCluster(s []byte) int {
	n := 0
	switch {
	case hasPrefix(s, "outbound|"):
		n = len("outbound|")
	case hasPrefix(s, "inbound|"):
		n = len("inbound|")
	default:
		return 0
	}
	port := digitsEnd(s, n)
	if port == n || port == len(s) || s[port] != '|' {
		return 0
	}
	subset := bytes.IndexByte(s[port+1:], '|')
	if subset < 0 {
		return 0
	}
	return port + subset + 2
}

func digitsEnd(s []byte, i int) int {
	for i < len(s) && isDigit(s[i]) {
		i++
	}
	return i
}

// holdsCluster says whether a value has only a part of a cluster's name. A
// cluster's own value with pipes is such a name.
func holdsCluster(v []byte, own bool) bool {
	if own && bytes.IndexByte(v, '|') >= 0 {
		n := pipedCluster(v)
		return n == 0 || bytes.IndexByte(v[n:], '|') >= 0
	}
	for i := 0; i < len(v); i++ { // by the words between pipes
		end := bytes.IndexByte(v[i:], '|')
		if end < 0 {
			end = len(v) - i
		}
		if word := string(v[i : i+end]); word == "outbound" || word == "inbound" {
			if end = pipedCluster(v[i:]) - 1; end < 0 {
				return true
			}
		}
		i += end
	}
	return false
}
