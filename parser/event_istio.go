package parser

import "bytes"

// isIstioLevel knows the levels of Istio's programs and of ztunnel; Envoy's own
// stand in Istio's layout as well.
func isIstioLevel(b []byte) bool {
	switch string(b) {
	case "info", "warn", "error", "debug", "warning", "critical", "fatal", "trace":
		return true
	}
	return false
}

// isTracingLevel knows those of ztunnel up to 1.21.
func isTracingLevel(b []byte) bool {
	switch string(b) {
	case "INFO", "WARN", "ERROR", "DEBUG", "TRACE":
		return true
	}
	return false
}

// clientGo begins texts of the Kubernetes client that stand in istiod's log.
const clientGo = "k8s.io/client-go@"

// A scopeInfo is a row of the list of scopes.
type scopeInfo struct {
	name    string
	emitter Emitter
	own     bool // no other program's logger is likely to have this name
}

// scopes are the names under which the parts of Istio log. Several programs
// share some of them; the row names the one that says most there.
// Source: https://istio.io/latest/docs/ops/diagnostic-tools/component-logging/
var scopes = []scopeInfo{
	{"xdsproxy", PilotAgent, true}, {"sds", PilotAgent, true}, {"cache", PilotAgent, false}, {"citadelclient", PilotAgent, true},
	{"ca", PilotAgent, false}, {"googleca", PilotAgent, true}, {"healthcheck", PilotAgent, false}, {"dns", PilotAgent, false},
	{"token", PilotAgent, false}, {"stsserver", PilotAgent, true}, {"stsclient", PilotAgent, true}, {"agent", PilotAgent, false},
	{"secretfetcher", PilotAgent, true}, {"sdsServiceLog", PilotAgent, true}, {"wasm", PilotAgent, false},
	{"iptables", IstioInit, false}, {"init", IstioInit, false},
	{"ads", Istiod, true}, {"adsc", Istiod, true}, {"delta", Istiod, false}, {"model", Istiod, false}, {"klog", Istiod, true},
	{"kube", Istiod, true}, {"controllers", Istiod, false}, {"validationController", Istiod, true},
	{"validationServer", Istiod, true}, {"validation", Istiod, false}, {"authorization", Istiod, false}, {"authn", Istiod, false},
	{"serverca", Istiod, true}, {"security", Istiod, false}, {"rootcertrotator", Istiod, true}, {"secretcontroller", Istiod, true},
	{"pkica", Istiod, true}, {"webhook", Istiod, false}, {"gateway", Istiod, false}, {"gateways", Istiod, false},
	{"ingress", Istiod, false}, {"status", Istiod, false}, {"analysis", Istiod, false}, {"processing", Istiod, false},
	{"mcp", Istiod, false}, {"server", Istiod, false}, {"monitor", Istiod, false}, {"rbac", Istiod, false},
	{"trustBundle", Istiod, true}, {"spiffe", Istiod, true}, {"grpcgen", Istiod, true}, {"leader", Istiod, false},
	{"credentials", Istiod, false}, {"installer", Istiod, false}, {"patch", Istiod, false}, {"telemetry", Ztunnel, false},
	{"cni", IstioCNI, false}, {"cni-agent", IstioCNI, true}, {"cni-plugin", IstioCNI, true}, {"install", IstioCNI, false},
	{"repair", IstioCNI, false}, {"ambient", IstioCNI, false}, {"nodeagent", IstioCNI, false},
	{"access", Ztunnel, false}, {"app", Ztunnel, false}, {"ztunnel", Ztunnel, true}, {"readiness", Ztunnel, false},
	{"signal", Ztunnel, false}, {"state", Ztunnel, false}, {"tls", Ztunnel, false}, {"proxy", Ztunnel, false},
	{"proxyfactory", Ztunnel, true}, {"inpod", Ztunnel, true}, {"xds", Ztunnel, false}, {"identity", Ztunnel, false},
	{"hyper_util", Ztunnel, false}, {"admin", Ztunnel, false}, {"config", Ztunnel, false},
}

// envoyLoggers are the names of Envoy's loggers.
// Source: https://www.envoyproxy.io/docs/envoy/latest/operations/cli#cmdoption-component-log-level
var envoyLoggers = []string{
	"admin", "alternate_protocols_cache", "aws", "assert", "backtrace", "basic_auth", "cache_filter", "client", "config", "connection",
	"conn_handler", "compression", "decompression", "dns", "dynamic_modules", "envoy_bug", "ext_authz", "ext_proc", "file", "filter",
	"forward_proxy", "golang", "grpc", "happy_eyeballs", "hc", "health_checker", "http", "http2", "init", "io", "jwt", "key_value_store",
	"local_rate_limit", "lua", "main", "matcher", "misc", "multi_connection", "notification", "oauth2", "pool", "quic", "quic_stream",
	"rate_limit_quota", "rbac", "redis", "router", "runtime", "secret", "stats", "stats_sinks", "tap", "tracing", "udp", "upstream",
	"wasm", "websocket",
}

// A wording is a row of a list of texts: what an event's text begins with.
type wording struct {
	head    string
	emitter Emitter
}

// wordings decide lines of Istio's programs that have no scope; all others are
// the agent's.
var wordings = []wording{
	{"controller ", Istiod}, {"http: TLS handshake error", Istiod}, {"Pod injection failed", Istiod},
	{"Process sidecar injection request", Istiod}, {"Skipping due to policy check", Istiod}, {"Configuration not synced", Istiod},
	{"Gateway missing for route", Istiod}, {"bypassing leader election", Istiod}, {"Failed to update lock", Istiod},
	{"attempting to acquire leader lease", Istiod}, {"Could not verify certificate", Istiod}, {"skipping server on gateway", Istiod},
	{"constructed http route config", Istiod}, {"Processed authorization policy", Istiod}, {"kubernetes cluster", Istiod},
	{"grpc: Server.", Istiod}, {"istio.io/istio/pilot/", Istiod}, {"Sidecar injection request for", Istiod},
	{"successfully acquired lease", Istiod}, {"Skipping injection because", Istiod}, {"===> Skipping injection", Istiod},
	{"processing secret event", Istiod}, {"AdmissionRequest for path", Istiod}, {"Handle EDS endpoint", Istiod},
	{"\"", Istiod}, {clientGo, Istiod},
	{"Command error output", IstioInit}, {"Failed to execute: ip", IstioInit}, {"Running command", IstioInit}, {"Writing following contents to rules file", IstioInit},
	{"iptables", IstioInit}, {"Istio iptables", IstioInit}, {"Istio configuration", IstioInit},
	{"CNI ", IstioCNI}, {"Pod detected as broken", IstioCNI}, {"Controller Option: ", IstioCNI}, {"Labeling pod", IstioCNI}, {"Deleting broken pod", IstioCNI},
	{"configuration requires updates", IstioCNI}, {"Created CNI config", IstioCNI}, {"file modified: ", IstioCNI},
	{"Exit signal received", IstioCNI}, {"Detect changes to the CNI", IstioCNI}, {"write kubeconfig", IstioCNI},
}

var wordingsByFirst = func() (rows [256][]wording) {
	for _, row := range wordings {
		rows[row.head[0]] = append(rows[row.head[0]], row)
	}
	return rows
}()

// istio reads `TIME LEVEL [SCOPE] TEXT` of Istio's programs, of ztunnel and of
// the Envoy in Istio. Tabs stand between the columns; text that was copied
// from a screen has blanks instead.
func (e *event) istio(line []byte, lo int) bool {
	rest := line[lo:]
	if !isDateTime(rest, 'T') {
		return false
	}
	z := 26 // the usual place
	if len(rest) <= z || rest[z] != 'Z' {
		z = bytes.IndexByte(rest, 'Z')
	}
	if z < 19 || z > 29 || z+1 >= len(rest) || !isBlank(rest[z+1]) || z > 19 && !isFraction(rest[19:z]) {
		return false
	}
	head := event{time: span{uint32(lo), uint32(lo + z + 1)}}
	at := skipBlanks(line, lo+z+1)
	if e.tracing(line, at, head) {
		return true
	}
	return e.istioLevel(line, at, head)
}

// istioLevel reads what follows the time. Where the time is missing or does
// not have Istio's six digits, a scope that only Istio has must be there.
func (e *event) istioLevel(line []byte, at int, head event) bool {
	end := wordEnd(line, at)
	*e = head
	sure := e.time.hi-e.time.lo == 27
	if level := line[at:end]; isIstioLevel(level) {
		e.level = span{uint32(at), uint32(end)}
		at = skipBlanks(line, end)
	} else if sure || !hasPrefix(line[at:], "envoy ") {
		return false
	}
	if at == len(line) {
		return false
	}
	if e.envoyScope(line, at) {
		return sure || e.isEnvoy(line)
	}
	if e.level.hi == 0 {
		return false
	}
	return e.scope(line, at, line[at-1]) || sure || e.isBare(line)
}

// isKnown says whether an event with a level is of a logger that only Envoy or
// Istio has, or its text is one of theirs.
func (e *event) isKnown(line []byte) bool {
	if e.emitter == Envoy || e.emitter == EnvoyValidate {
		return true
	}
	_, known := findScope(e.component.of(line))
	return known || findBare(e.message.of(line)) != nil
}

// isBare says whether the text behind a level is one that also comes bare, and
// takes the emitter from there.
func (e *event) isBare(line []byte) bool {
	row := findBare(e.message.of(line))
	if row == nil || row.emitter == K8sEvent {
		return false
	}
	e.emitter = row.emitter
	return true
}

// isEnvoy says whether a line without Istio's time is Envoy's: by the name of
// the logger beside a level or a time, else by the text.
func (e *event) isEnvoy(line []byte) bool {
	if name := e.component.of(line)[len("envoy "):]; e.level.hi > 0 && isOneOf(name, envoyLoggers) {
		return true
	}
	var text event
	return text.bare(e.message.of(line), 0)
}

// envoyScope reads `envoy NAME [FILE:LINE] TEXT [thread=N]`.
// Source: https://istio.io/latest/docs/reference/commands/pilot-agent/
func (e *event) envoyScope(line []byte, at int) bool {
	if !hasPrefix(line[at:], "envoy ") {
		return false
	}
	name := at + len("envoy ")
	end := wordEnd(line, name)
	if end == name || end == len(line) || !isName(line[name:end]) {
		return false
	}
	e.emitter, e.component = Envoy, span{uint32(at), uint32(end)}
	at = skipBlanks(line, end)
	n := wordEnd(line, at)
	if isSourceFile(withoutNumber(line[at:n])) {
		if validates(line[at:n]) {
			e.emitter = EnvoyValidate
		}
		at = skipBlanks(line, n)
	}
	e.message = envoyMessage(line, at)
	return true
}

// envoyMessage is the message that begins at an offset, perhaps behind a place
// in the source.
func envoyMessage(line []byte, at int) span {
	return spanOf(line, location(line, at), withoutThread(line))
}

// withoutThread returns where a line ends if the thread that Istio's format
// puts there is left out.
func withoutThread(line []byte) int {
	const label = "thread="
	end := int(spanOf(line, 0, len(line)).hi)
	at := end
	for at > 0 && isDigit(line[at-1]) {
		at--
	}
	if at < end && at > len(label) && string(line[at-len(label):at]) == label && isBlank(line[at-len(label)-1]) {
		return at - len(label)
	}
	return len(line)
}

// scope reads `[SCOPE] TEXT` and decides the emitter; sep is the byte behind
// the column before. It says whether only Istio has such a scope.
func (e *event) scope(line []byte, at int, sep byte) bool {
	end := wordEnd(line, at)
	word := line[at:end]
	columns := isColumn(line, end)
	var row scopeInfo
	var known bool
	if columns || sep != '\t' {
		row, known = findScope(word)
		columns = columns && !isLabel(line, skipBlanks(line, end)) || known && sep != '\t'
	}
	if end >= len(line) || !columns || !isScope(word) {
		e.message = spanOf(line, at, len(line))
		e.emitter = wordingEmitter(e.message.of(line))
		return hasPrefix(word, clientGo)
	}
	e.component, e.message = span{uint32(at), uint32(end)}, spanOf(line, end, len(line))
	e.emitter = row.emitter
	if !known {
		e.emitter = wordingEmitter(e.message.of(line))
	}
	return row.own
}

// isColumn says whether a column ends at an offset: a tab or several blanks.
func isColumn(line []byte, end int) bool {
	return end < len(line) && (line[end] == '\t' || end+1 < len(line) && line[end] == ' ' && isBlank(line[end+1]))
}

// isLabel says whether a label such as `pod=x` begins at an offset: then the
// word in front of it is a text, not a scope.
func isLabel(line []byte, at int) bool {
	end := blankOr(line, at, '=')
	return end > at && end < len(line) && line[end] == '='
}

// findScope looks a scope up; names in ztunnel are paths of modules, perhaps
// followed by a span with braces.
func findScope(word []byte) (scopeInfo, bool) {
	if row, ok := scopeNamed(word); ok {
		return row, true
	}
	if hasPrefix(word, clientGo) {
		return scopeInfo{emitter: Istiod, own: true}, true
	}
	if i := bytes.Index(word, []byte("::")); i > 0 {
		_, ok := scopeNamed(word[:i])
		return scopeInfo{emitter: Ztunnel, own: ok}, true
	}
	if i := bytes.IndexAny(word, ":{"); i > 0 && word[len(word)-1] == '}' {
		return scopeNamed(word[:i])
	}
	return scopeInfo{}, false
}

// scopesByFirst holds the rows by the first byte of their names.
var scopesByFirst = func() (rows [256][]scopeInfo) {
	for _, row := range scopes {
		rows[row.name[0]] = append(rows[row.name[0]], row)
	}
	return rows
}()

// scopeNamed is the row of a scope.
func scopeNamed(name []byte) (scopeInfo, bool) {
	if len(name) == 0 {
		return scopeInfo{}, false
	}
	rows := scopesByFirst[name[0]]
	for i := range rows {
		if rows[i].name == string(name) {
			return rows[i], true
		}
	}
	return scopeInfo{}, false
}

// wordingEmitter decides by the text.
func wordingEmitter(text []byte) Emitter {
	if len(text) > 0 {
		for _, row := range wordingsByFirst[text[0]] {
			if hasPrefix(text, row.head) {
				return row.emitter
			}
		}
	}
	if bytes.Contains(text, []byte("cni")) && (bytes.Contains(text, []byte("istio-cni")) || bytes.Contains(text, []byte("cni.istio.io"))) {
		return IstioCNI
	}
	return PilotAgent
}

// tracing reads `TIME  LEVEL [SPAN:] ztunnel::MODULE: TEXT` of ztunnel up to
// 1.21; the module tells it from other programs in Rust.
func (e *event) tracing(line []byte, at int, head event) bool {
	if at == len(line) || line[at]-'A' >= 26 {
		return false
	}
	end := wordEnd(line, at)
	if !isTracingLevel(line[at:end]) {
		return false
	}
	i := bytes.Index(line[end:], []byte(" ztunnel::"))
	if i < 0 {
		return false
	}
	module := end + i + 1
	n := bytes.Index(line[module:], []byte(": "))
	if n < 0 {
		return false
	}
	*e = head
	e.emitter, e.level = Ztunnel, span{uint32(at), uint32(end)}
	e.component = span{uint32(module), uint32(module + n)}
	e.message = spanOf(line, module+n+1, len(line))
	return true
}

func skipBlanks(line []byte, at int) int {
	for at < len(line) && isBlank(line[at]) {
		at++
	}
	return at
}

// isName says whether a word is made of letters, digits, - and _.
func isName(word []byte) bool {
	for _, c := range word {
		if !isDigit(c) && c|0x20-'a' >= 26 && c != '-' && c != '_' {
			return false
		}
	}
	return len(word) > 0
}

// isScope says whether a word may be the name of a scope.
func isScope(word []byte) bool {
	for _, c := range word {
		if !inScope[c] {
			return false
		}
	}
	return len(word) > 0 && word[len(word)-1] != ':' && word[len(word)-1] != ','
}

var inScope = func() (set [256]bool) {
	for _, c := range "-_./:@{}=,0123456789abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ" {
		set[c] = true
	}
	return set
}()
