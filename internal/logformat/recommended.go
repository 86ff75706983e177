package logformat

import (
	"fmt"
	"slices"
	"strings"

	"github.com/flagwatch/flagwatch/parser"
)

// istioText is the dialect that the recommended format begins with.
const istioText = "istio-text-1.9-1.22"

// Recommended is the format string that logs all fields which diagnoses rest
// on: Istio's own, and behind it the fields that Istio leaves out. It ends with
// a line end.
func Recommended() string {
	var b strings.Builder
	for _, d := range parser.DialectList() {
		if d.ID == istioText {
			b.WriteString(d.Format)
		}
	}
	for _, f := range parser.FieldList() {
		if f.Operator == "" || strings.Contains(b.String(), "%"+f.Operator+"%") {
			continue
		}
		if f.Type == parser.TypeToken {
			b.WriteString(" %" + f.Operator + "%")
		} else {
			b.WriteString(` "%` + f.Operator + `%"`)
		}
	}
	return b.String() + "\n"
}

// RecommendedKeys are the same fields as keys and operators of a JSON map.
func RecommendedKeys() (pairs [][2]string) {
	for _, f := range parser.FieldList() {
		if f.Operator != "" {
			pairs = append(pairs, [2]string{f.Name, "%" + f.Operator + "%"})
		}
	}
	return pairs
}

// A Target is a product whose configuration is written.
type Target struct {
	Name      string
	About     string
	telemetry bool // it has Istio's Telemetry
	write     func(*manifest)
}

// Targets are the products, the most asked for first.
var Targets = []Target{
	{"istio", "Istio: MeshConfig, for istioctl or as meshConfig of the Helm chart's values", false, (*manifest).meshConfig},
	{"istio-telemetry", "Istio: a provider in MeshConfig, and a Telemetry that names it", true, (*manifest).provider},
	{"envoy", "Envoy: a bootstrap; copy its access_log to your listeners and filters", false, (*manifest).bootstrap},
	{"envoy-gateway", "Envoy Gateway: an EnvoyProxy; name it in parametersRef of the GatewayClass", false, (*manifest).envoyProxy},
}

// Write is the configuration of a product that logs the recommended format, as
// YAML.
func (t *Target) Write(json bool) string {
	m := &manifest{json: json}
	m.line(0, "# "+t.About+".")
	m.line(0, "# %DOWNSTREAM_TRANSPORT_FAILURE_REASON% needs Envoy 1.26, which is Istio 1.18; all else is older.")
	t.write(m)
	return m.String()
}

// IsTelemetry says whether the configuration has Istio's Telemetry.
func (t *Target) IsTelemetry() bool { return t.telemetry }

// A manifest is YAML that is written line by line.
type manifest struct {
	strings.Builder
	json bool
}

func (m *manifest) line(depth int, text string) {
	m.WriteString(strings.Repeat("  ", depth) + text + "\n")
}

// lines writes lines, which are indented by two blanks a level already.
func (m *manifest) lines(depth int, text string) {
	for l := range strings.Lines(strings.TrimPrefix(text, "\n")) {
		m.line(depth, strings.TrimRight(l, "\n"))
	}
}

// format writes the format below a key: of the text, or of the map.
func (m *manifest) format(depth int, text, object string) {
	if !m.json {
		m.line(depth, text+": |")
		m.line(depth+1, strings.TrimSuffix(Recommended(), "\n"))
		return
	}
	m.line(depth, object+":")
	for _, p := range RecommendedKeys() {
		m.line(depth+1, fmt.Sprintf("%s: %q", p[0], p[1]))
	}
}

func (m *manifest) operator() {
	m.lines(0, `
apiVersion: install.istio.io/v1alpha1
kind: IstioOperator
metadata:
  name: access-log
  namespace: istio-system
spec:
  meshConfig:
`)
}

func (m *manifest) meshConfig() {
	m.operator()
	m.line(2, "accessLogFile: /dev/stdout")
	if !m.json {
		m.line(2, "accessLogEncoding: TEXT")
		m.format(2, "accessLogFormat", "")
		return
	}
	m.line(2, "accessLogEncoding: JSON")
	m.line(2, "accessLogFormat: |")
	pairs := RecommendedKeys()
	for i, p := range pairs {
		head, tail := " ", ","
		if i == 0 {
			head = "{"
		}
		if i+1 == len(pairs) {
			tail = "}"
		}
		m.line(3, fmt.Sprintf("%s%q: %q%s", head, p[0], p[1], tail))
	}
}

func (m *manifest) provider() {
	m.operator()
	m.lines(2, `
extensionProviders:
- name: flagwatch
  envoyFileAccessLog:
    path: /dev/stdout
    logFormat:
`)
	m.format(5, "text", "labels")
	m.lines(0, `
---
apiVersion: telemetry.istio.io/v1
kind: Telemetry
metadata:
  name: access-log
  namespace: istio-system
spec:
  accessLogging:
  - providers:
    - name: flagwatch
`)
}

func (m *manifest) bootstrap() {
	m.lines(0, `
static_resources:
  listeners:
  - name: example
    address:
      socket_address: {address: 127.0.0.1, port_value: 10080}
    # Connections that no filter chain takes are logged here only.
`)
	m.accessLog(2)
	m.lines(2, `
filter_chains:
- filters:
  - name: envoy.filters.network.http_connection_manager
    typed_config:
      "@type": type.googleapis.com/envoy.extensions.filters.network.http_connection_manager.v3.HttpConnectionManager
      stat_prefix: example
`)
	m.accessLog(5)
	m.lines(5, `
route_config:
  name: example
  virtual_hosts:
  - name: all
    domains: ["*"]
    routes:
    - match: {prefix: "/"}
      direct_response: {status: 404}
http_filters:
- name: envoy.filters.http.router
  typed_config:
    "@type": type.googleapis.com/envoy.extensions.filters.http.router.v3.Router
`)
}

func (m *manifest) accessLog(depth int) {
	m.lines(depth, `
access_log:
- name: envoy.access_loggers.stdout
  typed_config:
    "@type": type.googleapis.com/envoy.extensions.access_loggers.stream.v3.StdoutAccessLog
    log_format:
`)
	if m.json {
		m.format(depth+3, "", "json_format")
		return
	}
	m.line(depth+3, "text_format_source:")
	m.format(depth+4, "inline_string", "")
}

func (m *manifest) envoyProxy() {
	m.lines(0, `
apiVersion: gateway.envoyproxy.io/v1alpha1
kind: EnvoyProxy
metadata:
  name: access-log
  namespace: envoy-gateway-system
spec:
  telemetry:
    accessLog:
      settings:
      - sinks:
        - type: File
          file:
            path: /dev/stdout
        format:
`)
	if m.json {
		m.line(5, "type: JSON")
	} else {
		m.line(5, "type: Text")
	}
	m.format(5, "text", "json")
}

// TargetNames are the names of the products.
func TargetNames() (names []string) {
	for _, t := range Targets {
		names = append(names, t.Name)
	}
	return slices.Clip(names)
}
