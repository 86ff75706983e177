package parser

import (
	"bytes"
	"slices"
	"strings"
)

const pathOperator = "REQ(X-ENVOY-ORIGINAL-PATH?:PATH)"

// columnShapes are the columns that their values give away. least is how many
// of them must: all, where a column's type would refuse others.
var columnShapes = []struct {
	operator string
	least    float64
	fits     func([]byte) bool
}{
	{"PROTOCOL", 1, isProtocol},
	{"REQ(:METHOD)", .9, isMethod},
	{"REQ(X-REQUEST-ID)", .8, isUUID},
	{"UPSTREAM_CLUSTER", .8, isClusterName},
	{"RESPONSE_CODE_DETAILS", .6, isDetails},
	{"REQUESTED_SERVER_NAME", .6, func(v []byte) bool { return hasPrefix(v, "outbound_.") }},
	{pathOperator, .9, func(v []byte) bool { return v[0] == '/' && isToken(v) }},
	{"REQ(USER-AGENT)", .6, isAgent},
	{"UPSTREAM_TRANSPORT_FAILURE_REASON", .8, func(v []byte) bool {
		return hasPrefix(v, "TLS_error:") || hasPrefix(v, "TLS error:") || bytes.Contains(v, []byte("connect_error:")) || bytes.Contains(v, []byte("connect error:"))
	}},
	{"REQ(X-FORWARDED-FOR)", 1, func(v []byte) bool { return bytes.IndexByte(v, ':') < 0 && isIPv4List(v) }},
}

// shareOf is the share of the values that fit, of those that say something.
func shareOf(values [][]byte, fit func([]byte) bool) float64 {
	n, all := 0, 0
	for _, v := range values {
		if len(v) == 0 || isDash(v) {
			continue
		}
		all++
		if fit(v) {
			n++
		}
	}
	if all == 0 {
		return 0
	}
	return float64(n) / float64(all)
}

// timeLayouts are arguments of START_TIME; of the first, none.
var timeLayouts = []string{"", "%s.%3f", "%s.%6f", "%s", "%s%3f", "%d/%b/%Y:%H:%M:%S %z", "%Y-%m-%d %H:%M:%S", "%Y-%m-%d %H:%M:%S.%3f", "%Y/%m/%d %H:%M:%S", "%H:%M:%S.%3f"}

// timeOf returns the operator of the time that all values are; "" when they are
// none.
func timeOf(values [][]byte) (operator string, share float64) {
	for _, layout := range timeLayouts {
		fit, operator := func(v []byte) bool { _, ok := parseTime(v); return ok }, "START_TIME"
		if layout != "" {
			c, err := newClock(layout, false)
			if err != nil {
				continue
			}
			epoch := strings.HasPrefix(layout, "%s")
			fit = func(v []byte) bool { return c.fits(v) && (!epoch || hasPrefix(v, "1") && len(v) >= 10) }
			operator = "START_TIME(" + layout + ")"
		}
		if shareOf(values, fit) == 1 {
			return operator, 1
		}
	}
	return "", 0
}

// requestOf returns the operators of a request line that all values are.
func requestOf(values [][]byte) string {
	lines, short := 0, 0
	for _, v := range values {
		lo := bytes.IndexByte(v, ' ')
		hi := bytes.LastIndexByte(v, ' ')
		if lo <= 0 || !isMethod(v[:lo]) && !isDash(v[:lo]) {
			return ""
		}
		switch last := v[hi+1:]; {
		case hi > lo && (isProtocol(last) || isDash(last)):
			lines++
		case lo == hi:
			short++
		}
	}
	switch len(values) {
	case lines:
		return "%REQ(:METHOD)% %" + pathOperator + "% %PROTOCOL%"
	case short:
		return "%REQ(:METHOD)% %" + pathOperator + "%"
	}
	return ""
}

// methods are those that logs have.
var methods = []string{"GET", "POST", "PUT", "DELETE", "HEAD", "OPTIONS", "PATCH", "CONNECT", "TRACE", "PRI", "PROPFIND"}

func isMethod(v []byte) bool { return slices.Contains(methods, string(v)) }

func isUUID(v []byte) bool {
	if len(v) != 36 || v[8] != '-' || v[13] != '-' || v[18] != '-' || v[23] != '-' {
		return false
	}
	for _, c := range v {
		if !isDigit(c) && (c|' ' < 'a' || c|' ' > 'f') && c != '-' {
			return false
		}
	}
	return true
}

// isClusterName knows the names that Istio gives to clusters.
func isClusterName(v []byte) bool {
	return ClusterDirection(v) != NoDirection && isToken(v)
}

// isAgent says whether v begins like `name/1`.
func isAgent(v []byte) bool {
	i := bytes.IndexByte(v, '/')
	return i > 1 && i+1 < len(v) && isLetter(v[0]|' ') && isDigit(v[i+1]) && isToken(v[:i]) && !isProtocol(v)
}

func isIPv4List(v []byte) bool {
	for part := range bytes.SplitSeq(v, []byte{','}) {
		if part = bytes.TrimSpace(part); bytes.Count(part, []byte{'.'}) != 3 || !isDigits(bytes.ReplaceAll(part, []byte{'.'}, nil)) {
			return false
		}
	}
	return true
}

// isHostPort says whether v is an address with a port.
func isHostPort(v []byte) bool {
	i := bytes.LastIndexByte(v, ':')
	return i > 0 && isDigits(v[i+1:]) && (v[0] == '[' && v[i-1] == ']' || isIPv4List(v[:i]))
}

// isHostName says whether v may be a host that a client asked for.
func isHostName(v []byte) bool {
	letters := false
	for _, c := range v {
		letters = letters || isLetter(c|' ')
		if !isLetter(c|' ') && !isDigit(c) && strings.IndexByte(".-:_", c) < 0 {
			return false
		}
	}
	return letters && bytes.ContainsAny(v, ".:") && !isTime(v)
}
