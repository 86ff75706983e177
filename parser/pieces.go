package parser

import "bytes"

// readPiece reads what is left of a record when nothing of its layout can be
// followed any more: members of an object without its braces, pairs that a
// shipper made of it, flags and details, the pairs of a ztunnel.
func (p *Parser) readPiece(s []byte) bool {
	if p.readMembers(s) || p.readPairs(s) || p.readOutcome(s) || p.readDetails(s) || p.readZtunnelPiece(s) {
		p.rec.Partial = true
		return true
	}
	return false
}

// readMembers reads the members of an object whose beginning was cut off.
func (p *Parser) readMembers(s []byte) bool {
	at := firstMember(s)
	if at < 0 || bytes.IndexByte(s[:at], '{') >= 0 {
		return false
	}
	r := &p.rec
	r.forget()
	p.unescaped = p.unescaped[:0]
	r.text = s
	var o object
	for i := at; i < len(s); {
		if i = skipSpace(s, i); i < len(s) && s[i] == ',' {
			i = skipSpace(s, i+1)
		}
		if i >= len(s) || s[i] != '"' {
			break
		}
		var ok bool
		if i, ok = p.member(s, i, &o); !ok {
			break
		}
	}
	own := r.hasCode && (o.keys.has(ownCode) && o.names >= enoughNames || o.proxy)
	if !own && !r.layout.Has(ResponseFlags) && !r.layout.Has(ResponseCodeDetails) || !o.proxy || !own && r.foreignFlags() {
		r.forget()
		return false
	}
	r.Kind, r.Dialect = Access, Inferred
	if r.layout.Has(ResponseFlags) {
		r.flags, r.hasFlags = decodeFlags(r.Bytes(ResponseFlags)), true
	}
	return true
}

// firstMember returns the offset of the first key of a proxy in the members of
// an object; negative when there is none.
func firstMember(s []byte) int {
	for i := 0; ; {
		j := bytes.Index(s[i:], []byte(`":`))
		if j < 0 {
			return -1
		}
		end := i + j
		lo := bytes.LastIndexByte(s[:end], '"')
		if lo >= 0 && (lo == 0 || s[lo-1] != '\\') {
			if _, known := keyOf(s[lo+1 : end]); known {
				return lo
			}
		}
		i = end + 2
	}
}

// pairKeys are the fields that a flattened record is read by: their names stand
// in front of a colon or an equals sign.
var pairKeys = func() (list []Field) {
	for f := range NumFields {
		if !sharedFields.Has(f) || f == StartTime || f == ResponseCode || f == BytesReceived || f == BytesSent || f == RequestID {
			list = append(list, f)
		}
	}
	return list
}()

// fewestPairs is how many pairs a record has: fewer may be prose.
const fewestPairs = 3

// readPairs reads a record that became `key:value` or `key=value` pairs.
func (p *Parser) readPairs(s []byte) bool {
	if !bytes.Contains(s, []byte("response_")) || hasPrefix(s, `{"`) {
		return false
	}
	r := &p.rec
	r.forget()
	r.text = s
	found := 0
	for _, f := range pairKeys {
		at, ok := pairValue(s, fields[f].Name)
		if !ok || !fits(fields[f].Type, at.of(s)) {
			continue
		}
		found++
		r.layout |= 1 << f
		switch f {
		case ResponseCode:
			r.setCode(at.of(s))
		case ResponseFlags:
			r.flags, r.hasFlags = decodeFlags(at.of(s)), true
			r.set(f, int(at.lo), int(at.hi))
		case StartTime:
			r.set(f, int(at.lo), int(at.hi))
		default:
			p.keep(f, at)
		}
	}
	if found < fewestPairs || !r.hasCode && !r.hasFlags && !r.layout.Has(ResponseCodeDetails) || r.flags&UnknownFlags != 0 {
		r.forget()
		return false
	}
	r.Kind, r.Dialect = Access, Inferred
	return true
}

// pairValue finds the value of a key: up to a comma, a blank or its closing
// quote, or as far as it can be one.
func pairValue(s []byte, key string) (v span, ok bool) {
	for i := 0; ; {
		j := index(s[i:], key)
		if j < 0 {
			return v, false
		}
		i += j + len(key)
		if i < len(s) && s[i] == '"' {
			i++
		}
		if i+1 >= len(s) || s[i] != ':' && s[i] != '=' {
			continue
		}
		lo := skipBlanks(s, i+1)
		if lo < len(s) && s[lo] == '"' {
			if end, _ := stringEnd(s, lo+1); end >= 0 {
				return span{uint32(lo + 1), uint32(end)}, true
			}
		}
		hi := lo
		for open := 0; hi < len(s) && s[hi] != ' ' && s[hi] != '\t' && s[hi] != '`'; hi++ {
			if s[hi] == '{' {
				open++
			} else if s[hi] == '}' {
				open--
			}
			if open < 0 || open == 0 && s[hi] == ',' && !flagFollows(s[lo:hi], s[hi+1:]) {
				break
			}
		}
		if fields[DownstreamLocalAddress].Type == typeOfKey(key) {
			hi = addressEnd(s, lo, hi)
		}
		return span{uint32(lo), uint32(hi)}, hi > lo
	}
}

func typeOfKey(key string) Type { f, _ := FieldByName(key); return fields[f].Type }

// flagFollows says whether a comma stands within a list of flags.
func flagFollows(before, behind []byte) bool {
	end := 0
	for end < len(behind) && behind[end] >= 'A' && behind[end] <= 'Z' {
		end++
	}
	_, ok := flagByToken(behind[:end])
	return ok && fits(TypeFlags, before) && decodeFlags(before)&UnknownFlags == 0 && (end == len(behind) || !isNameByte(behind[end]) && behind[end] != ':')
}

// addressEnd returns where an address in s[lo:hi] ends: behind the digits of
// its port, when the next key was glued to it.
func addressEnd(s []byte, lo, hi int) int {
	colon := bytes.IndexByte(s[lo:hi], ':')
	if colon < 0 || s[lo] == '[' || bytes.Contains(s[lo:hi], []byte("://")) {
		return hi
	}
	i := lo + colon + 1
	for i < hi && isDigit(s[i]) {
		i++
	}
	if i == lo+colon+1 {
		return hi
	}
	return i
}

// readOutcome reads a line that begins at the flags of a record: `UF,URX
// DETAILS - "REASON" ..`. Flags and details are both needed, and known.
func (p *Parser) readOutcome(s []byte) bool {
	blank := len(s) > 0 && s[0] == ' '
	s = trimBlanks(s)
	end := wordEnd(s, 0)
	if end == 0 || end+1 >= len(s) || isDigits(s[:end]) || !fits(TypeFlags, s[:end]) {
		return false
	}
	set, none := decodeFlags(s[:end]), end == 1 && s[0] == '-'
	lo := skipBlanks(s, end)
	hi := wordEnd(s, lo)
	if set&UnknownFlags != 0 || set == 0 && !none || !isDetails(s[lo:hi]) || !blank && endsFlag(s[:end]) {
		return false
	}
	r := &p.rec
	f := productFormats[istioText19]
	p.cuts.run(f, s, f.flagsColumn(), 0)
	if p.cuts.full || p.cuts.end > f.flagsColumn()+2 && p.endsInColumn(f, s) {
		p.take(f, s)
		return true
	}
	r.forget()
	r.Kind, r.Dialect, r.text, r.layout = Access, Inferred, s, Fields(ResponseFlags, ResponseCodeDetails)
	r.flags, r.hasFlags = set, true
	r.set(ResponseFlags, 0, end)
	p.keep(ResponseCodeDetails, span{uint32(lo), uint32(hi)})
	return true
}

// readDetails reads a line that is nothing but the details of a response.
func (p *Parser) readDetails(s []byte) bool {
	s = bytes.Trim(s, " \t\r`\"'")
	if !isWholeDetails(s) || bytes.IndexByte(s, '_') < 0 {
		return false
	}
	r := &p.rec
	r.forget()
	r.Kind, r.Dialect, r.text, r.layout = Access, Inferred, s, Fields(ResponseCodeDetails)
	p.keep(ResponseCodeDetails, span{0, uint32(len(s))})
	return true
}

// endsFlag says whether the first of the flags may be the end of another one.
func endsFlag(list []byte) bool {
	first, _, _ := bytes.Cut(list, []byte{','})
	for i := range flags {
		if name := flags[i].Short; len(name) > len(first) && name[len(name)-len(first):] == string(first) {
			return true
		}
	}
	return false
}

// detailsNames are how the details begin that a proxy writes most.
// Source: https://www.envoyproxy.io/docs/envoy/latest/configuration/http/http_conn_man/response_code_details
var detailsNames = []string{
	"via_upstream", "upstream_reset_", "upstream_response_timeout", "upstream_per_try_", "upstream_max_stream_", "response_timeout", "stream_idle_timeout", "max_duration_timeout",
	"request_overall_timeout", "request_header_timeout", "request_payload_", "response_payload_", "route_not_found", "filter_chain_not_found", "cluster_not_found", "no_healthy_upstream",
	"downstream_remote_disconnect", "downstream_local_disconnect", "direct_response", "ext_authz_", "rbac_access_denied", "jwt_authn_access_denied", "local_rate_limited", "request_rate_limited",
	"rate_limiter_error", "rate_limited", "fault_filter_abort", "maintenance_mode", "upgrade_failed", "low_version", "missing_host_header", "invalid_", "http1.", "http2.", "http3.",
	"codec_error", "overload", "internal_redirect", "path_normalization_failed", "early_upstream_reset", "admin_filter_response", "filter_removed_required_", "dns_", "cluster_",
}

// isDetails says whether a word is a response code's details.
func isDetails(word []byte) bool {
	for _, name := range detailsNames {
		if hasPrefix(word, name) {
			return true
		}
	}
	return false
}

// isWholeDetails says whether s is a response code's details to their end.
func isWholeDetails(s []byte) bool {
	if len(s) == 0 || wordEnd(s, 0) < len(s) || !isDetails(s) {
		return false
	}
	last := s[len(s)-1]
	return last == '}' || last == ']' || last == ')' || isOneOf(s, detailsNames)
}

// readZtunnelPiece reads a ztunnel's access record without its time, or without
// what stands in front of its pairs.
func (p *Parser) readZtunnelPiece(s []byte) bool {
	at := bytes.Index(s, []byte("src.addr="))
	if at < 0 || at > 128 || bytes.Contains(s[:at], []byte("opened")) {
		return false
	}
	complete, named := bytes.Contains(s[:at], []byte("complete")), bytes.Contains(s[:at], []byte("access"))
	both := bytes.Contains(s[at:], []byte(" dst.addr=")) && bytes.Contains(s[at:], []byte(" direction="))
	if at > 0 && !complete || !both && !named {
		return false
	}
	p.ztunnelPairs(s, at)
	return true
}
