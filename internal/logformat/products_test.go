package logformat_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/flagwatch/flagwatch/internal/logformat"
)

// Products have names of their own for the same settings.
func TestFindInProducts(t *testing.T) {
	const fromText, fromMap = "gate 503 UF", `{"code":503,"flags":"UF"}`
	tests := []struct {
		name, config string
		want         []string // what
		lines        []string // a record of each
	}{
		{"Kuma's MeshAccessLog", `
apiVersion: kuma.io/v1alpha1
kind: MeshAccessLog
metadata: {name: own, namespace: kuma-system}
spec:
  to:
  - targetRef: {kind: Mesh}
    default:
      backends:
      - type: File
        file:
          path: /tmp/access.log
          format:
            type: Plain
            plain: 'gate %RESPONSE_CODE% %RESPONSE_FLAGS%'
      - type: Tcp
        tcp:
          address: 10.1.1.1:5000
          format:
            type: Json
            json:
            - {key: code, value: '%RESPONSE_CODE%'}
            - {key: flags, value: '%RESPONSE_FLAGS%'}
`, []string{"MeshAccessLog kuma-system/own format.plain", "MeshAccessLog kuma-system/own format.json"}, []string{fromText, fromMap}},
		{"Kuma outside Kubernetes", `
type: MeshAccessLog
name: own
mesh: default
spec:
  from:
  - default:
      backends:
      - file: {path: /dev/stdout, format: {plain: 'gate %RESPONSE_CODE% %RESPONSE_FLAGS% %KUMA_MESH%'}}
`, []string{"MeshAccessLog own format.plain"}, []string{"gate 503 UF default"}},
		{"Kuma's older Mesh", `
type: Mesh
name: default
logging:
  backends:
  - name: file
    format: 'gate %RESPONSE_CODE% %RESPONSE_FLAGS%'
    type: file
`, []string{"Mesh default format"}, []string{fromText}},
		{"Kuma's OpenTelemetry", `
apiVersion: kuma.io/v1alpha1
kind: MeshAccessLog
metadata: {name: otel}
spec:
  to:
  - default:
      backends:
      - type: OpenTelemetry
        openTelemetry:
          endpoint: otel:4317
          body:
            kvlistValue:
              values:
              - {key: code, value: {stringValue: '%RESPONSE_CODE%'}}
              - {key: flags, value: {stringValue: '%RESPONSE_FLAGS%'}}
          attributes:
          - {key: code, value: '%RESPONSE_CODE%'}
          - {key: flags, value: '%RESPONSE_FLAGS%'}
          - {key: mesh, value: '%KUMA_MESH%'}
`, []string{"MeshAccessLog otel body", "MeshAccessLog otel attributes"}, []string{fromMap, `{"code":"503","flags":"UF","mesh":"default"}`}},
		{"Envoy's OpenTelemetry logger", `
access_log:
- name: envoy.access_loggers.open_telemetry
  typed_config:
    "@type": type.googleapis.com/envoy.extensions.access_loggers.open_telemetry.v3.OpenTelemetryAccessLogConfig
    body: {string_value: "gate %RESPONSE_CODE% %RESPONSE_FLAGS%"}
    attributes:
      values:
      - key: code
        value: {string_value: "%RESPONSE_CODE%"}
      - key: flags
        value: {string_value: "%RESPONSE_FLAGS%"}
`, []string{"body.string_value", "attributes"}, []string{fromText, fromMap}},
		{"Istio's OpenTelemetry provider", `
extensionProviders:
- name: otel
  envoyOtelAls:
    service: otel.obs.svc
    port: 4317
    logFormat:
      text: "gate %RESPONSE_CODE% %RESPONSE_FLAGS%"
      labels: {code: "%RESPONSE_CODE%"}
`, []string{"logFormat.text"}, []string{fromText}},
		{"Emissary's Module", `
apiVersion: getambassador.io/v3alpha1
kind: Module
metadata: {name: ambassador}
spec:
  config:
    envoy_log_format: 'gate %RESPONSE_CODE% %RESPONSE_FLAGS%'
---
apiVersion: getambassador.io/v3alpha1
kind: Module
metadata: {name: second}
spec:
  config:
    envoy_log_type: json
    envoy_log_format: {code: "%RESPONSE_CODE%", flags: "%RESPONSE_FLAGS%"}
`, []string{"Module ambassador envoy_log_format", "Module second envoy_log_format"}, []string{fromText, fromMap}},
		{"Gloo's Gateway", `
apiVersion: gateway.solo.io/v1
kind: Gateway
metadata: {name: proxy, namespace: gloo-system}
spec:
  options:
    accessLoggingService:
      accessLog:
      - fileSink: {path: /dev/stdout, stringFormat: "gate %RESPONSE_CODE% %RESPONSE_FLAGS%\n"}
      - fileSink:
          path: /dev/stdout
          jsonFormat: {code: "%RESPONSE_CODE%", flags: "%RESPONSE_FLAGS%"}
`, []string{"Gateway gloo-system/proxy stringFormat", "Gateway gloo-system/proxy jsonFormat"}, []string{fromText, fromMap}},
		{"kgateway's HTTPListenerPolicy", `
apiVersion: gateway.kgateway.dev/v1alpha1
kind: HTTPListenerPolicy
metadata: {name: logs}
spec:
  accessLog:
  - fileSink: {path: /dev/stdout, jsonFormat: {code: "%RESPONSE_CODE%", flags: "%RESPONSE_FLAGS%"}}
`, []string{"HTTPListenerPolicy logs jsonFormat"}, []string{fromMap}},
		{"Consul's ProxyDefaults", `
apiVersion: consul.hashicorp.com/v1alpha1
kind: ProxyDefaults
metadata: {name: global}
spec:
  accessLogs:
    enabled: true
    jsonFormat: |
      {"code": "%RESPONSE_CODE%", "flags": "%RESPONSE_FLAGS%"}
`, []string{"ProxyDefaults global jsonFormat"}, []string{fromMap}},
		{"App Mesh's VirtualNode", `
apiVersion: appmesh.k8s.aws/v1beta2
kind: VirtualNode
metadata: {name: cart}
spec:
  logging:
    accessLog:
      file:
        path: /dev/stdout
        format:
          json:
          - {key: code, value: "%RESPONSE_CODE%"}
          - {key: flags, value: "%RESPONSE_FLAGS%"}
`, []string{"VirtualNode cart format.json"}, []string{fromMap}},
		{"Envoy Gateway's OpenTelemetry sink", `
apiVersion: gateway.envoyproxy.io/v1alpha1
kind: EnvoyProxy
metadata: {name: edge}
spec:
  telemetry:
    accessLog:
      settings:
      - format: {type: Text, text: "gate %RESPONSE_CODE% %RESPONSE_FLAGS%"}
        sinks:
        - type: OpenTelemetry
          openTelemetry: {host: otel.obs, port: 4317, resources: {k8s.cluster.name: east}}
`, []string{"EnvoyProxy edge format.text"}, []string{fromText}},
	}
	for _, tt := range tests {
		found, err := logformat.Find("c", []byte(tt.config))
		if err != nil {
			t.Errorf("%s: %v", tt.name, err)
			continue
		}
		var what []string
		for i, f := range found {
			what = append(what, f.What)
			for _, n := range f.Notes {
				if strings.Contains(n.Text, "no operator of Envoy") {
					t.Errorf("%s: %s", tt.name, n.Text)
				}
			}
			if i < len(tt.lines) && (f.Format == nil || read(t, f.Format, tt.lines[i]) != "custom 503 1") {
				t.Errorf("%s: %s does not read %s", tt.name, f.What, tt.lines[i])
			}
		}
		if len(what) < len(tt.want) || !slices.Equal(what[:len(tt.want)], tt.want) {
			t.Errorf("%s: found %q, want %q", tt.name, what, tt.want)
		}
	}
}

// A body or a format elsewhere is nobody's access log.
func TestFindInProductsNothing(t *testing.T) {
	for name, config := range map[string]string{
		"a mail":                "body: \"100 %RESPONSE_CODE% sorry\"\n",
		"a pod's attributes":    "attributes: [{key: a, value: '%RESPONSE_CODE%'}]\n",
		"a format of a picture": "apiVersion: v1\nkind: Picture\nspec: {format: {plain: '%RESPONSE_CODE%'}}\n",
	} {
		if found, err := logformat.Find("c", []byte(config)); err == nil {
			t.Errorf("%s: %q", name, found[0].What)
		}
	}
}
