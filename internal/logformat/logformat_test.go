package logformat_test

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/flagwatch/flagwatch/internal/logformat"
	"github.com/flagwatch/flagwatch/parser"
)

// read says how a record of a format is read: its code and flags.
func read(t *testing.T, f *parser.Format, line string) string {
	t.Helper()
	p := parser.NewParser(parser.AllFields, f)
	p.Reset(append([]byte(line), make([]byte, parser.Padding)...)[:len(line)])
	r, _ := p.Next()
	code, _ := r.Code()
	flags, _ := r.Flags()
	return fmt.Sprint(r.Dialect, " ", code, " ", flags.Len())
}

func TestFind(t *testing.T) {
	const fromText, fromMap = "gate 503 UF", `{"code":503,"flags":"UF"}`
	tests := []struct {
		name, config string
		want         []string // line:column what; and the notes in front of which stands "- "
		lines        []string // a record of each format; "" of a known layout
	}{
		{"MeshConfig", `
accessLogFile: /dev/stdout
accessLogEncoding: TEXT
accessLogFormat: "gate %RESPONSE_CODE% %RESPONSE_FLAGS%\n"
defaultConfig:
  holdApplicationUntilProxyStarts: true
`, []string{"4:18 accessLogFormat"}, []string{fromText}},
		{"MeshConfig in JSON", `
accessLogFile: /dev/stdout
accessLogEncoding: JSON
accessLogFormat: |
  {"code": "%RESPONSE_CODE%", "flags": "%RESPONSE_FLAGS%"}
`, []string{"4:18 accessLogFormat"}, []string{fromMap}},
		{"MeshConfig without a format", "accessLogFile: /dev/stdout\naccessLogEncoding: JSON\n", []string{"1:1 accessLogFile: Istio's own JSON format"}, []string{""}},
		{"ConfigMap", `
apiVersion: v1
kind: ConfigMap
metadata:
  name: istio
  namespace: mesh-system
data:
  meshNetworks: "networks: {}"
  mesh: |-
    # the team's own
    accessLogFormat: gate %RESPONSE_CODE% %RESPONSE_FLAGS%
    rootNamespace: mesh-system
`, []string{"11:22 ConfigMap mesh-system/istio mesh accessLogFormat"}, []string{fromText}},
		{"ConfigMap as kubectl prints it in JSON", `{
	"apiVersion": "v1",
	"kind": "ConfigMap",
	"metadata": {"name": "istio", "annotations": {"last": "accessLogFormat: x"}},
	"data": {"mesh": "accessLogFormat: |\n  gate %RESPONSE_CODE% %RESPONSE_FLAGS%\n"}
}`, []string{"5:19 ConfigMap istio mesh accessLogFormat"}, []string{fromText}},
		{"IstioOperator", `
apiVersion: install.istio.io/v1alpha1
kind: IstioOperator
metadata: {name: east}
spec:
  profile: minimal
  meshConfig:
    accessLogFormat: 'gate %RESPONSE_CODE% %RESPONSE_FLAGS%'
  values:
    global: {proxy: {accessLogFormat: 'gate %RESPONSE_CODE% %RESPONSE_FLAGS%'}}
`, []string{"8:22 IstioOperator east accessLogFormat (1 more)"}, []string{fromText}},
		{"extension providers", `
apiVersion: install.istio.io/v1alpha1
kind: IstioOperator
spec:
  meshConfig:
    extensionProviders:
    - name: plain
      envoyFileAccessLog:
        path: /dev/stdout
        logFormat:
          text: "gate %RESPONSE_CODE% %RESPONSE_FLAGS%"
    - name: object
      envoyFileAccessLog:
        path: /dev/stdout
        logFormat:
          labels:
            code: "%RESPONSE_CODE%"
            flags: "%RESPONSE_FLAGS%"
    - name: tracing
      zipkin: {service: zipkin.obs.svc, port: 9411}
`, []string{"11:17 IstioOperator logFormat.text", "17:13 IstioOperator logFormat.labels"}, []string{fromText, fromMap}},
		{"EnvoyFilter", `
apiVersion: networking.istio.io/v1alpha3
kind: EnvoyFilter
metadata: {name: own-log, namespace: shop}
spec:
  configPatches:
  - applyTo: NETWORK_FILTER
    patch:
      operation: MERGE
      value:
        typed_config:
          "@type": type.googleapis.com/envoy.extensions.filters.network.http_connection_manager.v3.HttpConnectionManager
          local_reply_config:
            body_format: {text_format: "%RESPONSE_CODE% sorry"}
          access_log:
          - name: envoy.access_loggers.file
            typed_config:
              "@type": type.googleapis.com/envoy.extensions.access_loggers.file.v3.FileAccessLog
              path: /dev/stdout
              log_format:
                text_format_source:
                  inline_string: "gate %RESPONSE_CODE% %RESPONSE_FLAGS%\n"
`, []string{"22:34 EnvoyFilter shop/own-log text_format_source"}, []string{fromText}},
		{"EnvoyProxy", `
apiVersion: gateway.envoyproxy.io/v1alpha1
kind: EnvoyProxy
metadata: {name: edge}
spec:
  telemetry:
    accessLog:
      settings:
      - format:
          type: JSON
          json:
            code: "%RESPONSE_CODE%"
            flags: "%RESPONSE_FLAGS%"
        sinks: [{type: File, file: {path: /dev/stdout}}]
      - format:
          type: Text
          text: |
            gate %RESPONSE_CODE% %RESPONSE_FLAGS%
        sinks: [{type: File, file: {path: /dev/stdout}}]
`, []string{"12:13 EnvoyProxy edge format.json", "17:17 EnvoyProxy edge format.text"}, []string{fromMap, fromText}},
		{"EnvoyProxy without a format", "apiVersion: gateway.envoyproxy.io/v1alpha1\nkind: EnvoyProxy\nspec: {telemetry: {accessLog: {settings: [{format: {type: JSON}}]}}}\n",
			[]string{"3:52 EnvoyProxy format: type JSON, the product's own fields"}, []string{""}},
		{"Contour's file", `
accesslog-format: json
json-fields:
- "@timestamp"
- "code=%RESPONSE_CODE%"
- response_flags
- upstream_cluster
`, []string{"4:1 json-fields"}, []string{`{"@timestamp":"2026-08-01T02:03:04.005Z","code":503,"response_flags":"UF","upstream_cluster":null}`}},
		{"Contour's file with a format", "accesslog-format: envoy\naccesslog-format-string: \"gate %RESPONSE_CODE% %RESPONSE_FLAGS%\\n\"\n", []string{"2:26 accesslog-format-string"}, []string{fromText}},
		{"ContourConfiguration", `
apiVersion: projectcontour.io/v1alpha1
kind: ContourConfiguration
metadata: {name: edge}
spec: {envoy: {logging: {accessLogFormat: JSON, accessLogJSONFields: ["code=%RESPONSE_CODE%", "flags=%RESPONSE_FLAGS%"]}}}
`, []string{"5:70 ContourConfiguration edge accessLogJSONFields"}, []string{fromMap}},
		{"bootstrap", `
admin: {address: {socket_address: {address: 127.0.0.1, port_value: 15000}}}
application_log_config: {log_format: {text_format: "[%l] %v"}}
static_resources:
  listeners:
  - name: in
    access_log: &log
    - name: envoy.access_loggers.stdout
      typed_config:
        "@type": type.googleapis.com/envoy.extensions.access_loggers.stream.v3.StdoutAccessLog
        log_format: {text_format: "gate %RESPONSE_CODE% %RESPONSE_FLAGS%"}
  - name: out
    access_log: *log
`, []string{"11:35 text_format (1 more)", "- 11:35: no line end: Envoy writes its records one behind the other"}, []string{fromText}},
		{"listener in JSON, camel case", `{"name":"in","accessLog":[{"typedConfig":{"@type":"x.FileAccessLog","logFormat":{"typedJsonFormat":{"code":"%RESPONSE_CODE%","flags":"%RESPONSE_FLAGS%","v":1}}}}]}`,
			[]string{"1:100 typedJsonFormat"}, []string{`{"code":503,"flags":"UF","v":1}`}},
		{"older formats", `
listeners:
- filter_chains:
  - filters:
    - typed_config:
        access_log:
        - name: envoy.file_access_log
          config: {path: /dev/stdout, format: "gate %RESPONSE_CODE% %RESPONSE_FLAGS%\n"}
        - name: envoy.file_access_log
          config: {path: /dev/stdout, json_format: {code: "%RESPONSE_CODE%", flags: "%RESPONSE_FLAGS%"}}
`, []string{"8:47 format", "10:52 json_format"}, []string{fromText, fromMap}},
		{"several documents", `
apiVersion: telemetry.istio.io/v1
kind: Telemetry
metadata: {name: all}
spec: {accessLogging: [{providers: [{name: plain}]}]}
---
accessLogFormat: "gate %RESPONSE_CODE% %RESPONSE_FLAGS%"
---
typed_json_format:
  nested: {code: "%RESPONSE_CODE%", list: ["%RESPONSE_FLAGS%", 7, true, null]}
`, []string{"7:18 accessLogFormat", "10:3 typed_json_format"}, []string{fromText, `{"nested":{"code":503,"list":["UF",7,true,null]}}`}},
		{"a warning", "accessLogFormat: >-\n  gate %RESPONSE_CODE%\n  %RESPONSE_FLAG%\n",
			[]string{"1:18 accessLogFormat", "- 3:3: %RESPONSE_FLAG% is no operator of Envoy that is known: its values are kept as they are; did you mean %RESPONSE_FLAGS%?",
				"- 1:18: no %RESPONSE_FLAGS%: why the proxy itself refused, cut or could not forward a request can not be told"}, nil},
	}
	for _, tt := range tests {
		found, err := logformat.Find("c", []byte(tt.config))
		if err != nil {
			t.Errorf("%s: %v", tt.name, err)
			continue
		}
		var got []string
		for i, f := range found {
			what := fmt.Sprintf("%d:%d %s", f.Line, f.Column, f.What)
			if f.More > 0 {
				what += fmt.Sprintf(" (%d more)", f.More)
			}
			got = append(got, what)
			for _, n := range f.Notes {
				if !strings.Contains(n.Text, "no %START_TIME%") {
					got = append(got, fmt.Sprintf("- %d:%d: %s", n.Line, n.Column, n.Text))
				}
			}
			switch {
			case i >= len(tt.lines):
			case (f.Format == nil) != (tt.lines[i] == ""):
				t.Errorf("%s: format %v of %s", tt.name, f.Format, f.What)
			case f.Format != nil && read(t, f.Format, tt.lines[i]) != "custom 503 1":
				t.Errorf("%s: %s is read as %s", tt.name, tt.lines[i], read(t, f.Format, tt.lines[i]))
			}
		}
		if !slices.Equal(got, tt.want) {
			t.Errorf("%s:\n got %q\nwant %q", tt.name, got, tt.want)
		}
	}
}

func TestFindErrors(t *testing.T) {
	tests := []struct{ name, config, want string }{
		{"tabs", "spec:\n  meshConfig:\n\t\taccessLogFormat: x\n", "c:3:1: a tab in the indentation"},
		{"first tab", "\taccessLogFormat: x\n", "c:1:1: a tab in the indentation"},
		{"YAML", "a:\n- b\n c: d\n", "c:3:1: not well-formed YAML"},
		{"JSON", "{\"accessLogFormat\": \"%RESPONSE_CODE%\",\n \"x\": ]", "c:2:7: not well-formed"},
		{"operator", "spec:\n  accessLogFormat: \"a %RESPONSE_CODE% %response_flags%\"\n", "c:2:39: %response_flags is no operator: their names are upper case; did you mean %RESPONSE_FLAGS%?"},
		{"operator in a block", "accessLogFormat: |\n  a %PROTOCOL% \\\n  b %REQ(X-A\n", "c:3:5: the argument of %REQ has no )"},
		{"operator in a map", "json_format:\n  a: \"%PROTOCOL%\"\n  b: {c: ['x', 'y %DURATION']}\n", "c:3:19: operator %DURATION has no closing %"},
		{"operator in a ConfigMap", "apiVersion: v1\nkind: ConfigMap\ndata:\n  mesh: |\n    x: 1\n    accessLogFormat: \"100 %\"\n", "c:6:27: want the name of an operator"},
		{"mesh that is no YAML", "apiVersion: v1\nkind: ConfigMap\ndata:\n  mesh: |\n    x: 1\n    - y\n", "c:5:5: not well-formed YAML"},
		{"no operator", "text_format: hello\n", "c:1:14: no operator such as %RESPONSE_CODE%"},
		{"JSON encoding", "accessLogEncoding: JSON\naccessLogFormat: \"a %PROTOCOL%\"\n", "c:2:18: invalid character 'a'"},
		{"Contour field", "json-fields:\n- response_cod\n", `c:2:3: "response_cod" is no field of Contour's, and has no =FORMAT; did you mean response_code`},
		{"nothing", "apiVersion: v1\nkind: Service\nmetadata: {name: cart}\n", "c:1:1: no access-log format in it, only Service cart"},
		{"empty", "", "c:1:1: no access-log format in it"},
		{"Telemetry", "apiVersion: telemetry.istio.io/v1\nkind: Telemetry\nspec: {accessLogging: [{providers: [{name: x}]}]}\n", "c:1:1: no access-log format in it, only Telemetry; a Telemetry names providers: their formats are in the MeshConfig"},
		{"another file", "text_format_source: {filename: /etc/format}\n", "one is in the file /etc/format: give it with --format @FILE"},
		{"too large", strings.Repeat("# comment\n", logformat.MaxSize/10+1), "c:838861:9: more than 8 MiB"},
		{"deep", strings.Repeat("[", 300) + strings.Repeat("]", 300), "c:1:"},
	}
	for _, tt := range tests {
		_, err := logformat.Find("c", []byte(tt.config))
		if err == nil || !strings.HasPrefix(err.Error(), "c:") || !strings.Contains(err.Error(), tt.want) {
			t.Errorf("%s: %v, want %s", tt.name, err, tt.want)
		}
		if _, ok := errors.AsType[*logformat.Error](err); !ok {
			t.Errorf("%s: %T", tt.name, err)
		}
	}
}

func TestParse(t *testing.T) {
	tests := []struct{ value, line, note string }{
		{"gate %RESPONSE_CODE% %RESPONSE_FLAGS%", "gate 503 UF", ""},
		{"gate %RESPONSE_CODE% %RESPONSE_FLAGS%\n", "gate 503 UF", ""},
		{`gate %RESPONSE_CODE% %RESPONSE_FLAGS%\n`, "gate 503 UF", ""},
		{`\"gate\" %RESPONSE_CODE% %RESPONSE_FLAGS%\n`, `"gate" 503 UF`, `read without`},
		{`{"a":"%RESPONSE_CODE%","b":"%RESPONSE_FLAGS%"}`, `{"a":"503","b":"UF"}`, ""},
		{`{"a":%RESPONSE_CODE%,"b":"%RESPONSE_FLAGS%"}`, `{"a":503,"b":"UF"}`, ""},
		{`{"a":%RESPONSE_CODE%,"b":"%RESPONSE_FLAGS%"} {"}]` + `{":"\""}`, `{"a":503,"b":"UF"} {"}]{":"\""}`, ""},
		{`{%RESPONSE_CODE%,"%RESPONSE_FLAGS%"`, `{503,"UF"`, ""},
		{`}%RESPONSE_CODE% 100%% %RESPONSE_FLAGS%`, `}503 100% UF`, ""},
	}
	for _, tt := range tests {
		f, err := logformat.Parse("x", tt.value)
		if err != nil {
			t.Errorf("%q: %v", tt.value, err)
			continue
		}
		if got := read(t, f.Format, tt.line); got != "custom 503 1" {
			t.Errorf("%q: %q is %s", tt.value, tt.line, got)
		}
		noted := slices.ContainsFunc(f.Notes, func(n logformat.Note) bool { return tt.note != "" && strings.Contains(n.Text, tt.note) })
		if noted != (tt.note != "") {
			t.Errorf("%q: notes %v", tt.value, f.Notes)
		}
	}
	for value, want := range map[string]string{
		"a\nb %REQ(X": "x:2:3: ", "%PROTOCOLS": "did you mean %PROTOCOL%?", "": "x:1:1: no operator", `{"a": "%req(x)%"}`: "x:1:8: ",
		"%RESPONSE_CODE% %REQ(:METHOD": "x:1:17: ", "%PROTOCOL %RESPONSE_CODE%": "x:1:1: ", "%RESPONSE_CODE% 100%": "x:1:20: ",
		`{"a": "%RESPONSE_CODE%"`:                 "x:1:1: the { is not closed",
		`{"a": {"b": "%RESPONSE_CODE%"}`:          "x:1:1: the { is not closed",
		`{"a": ["%RESPONSE_CODE%"}`:               "x:1:25: the } closes nothing",
		`{"a": "%RESPONSE_CODE%"}}`:               "x:1:25: the } closes nothing",
		`{"a": "%RESPONSE_CODE%}`:                 "x:1:7: the \" is not closed",
		"{\n\"a\": [\"%RESPONSE_CODE%\"\n}":       "x:3:1: the } closes nothing",
		`{"a\"}": %RESPONSE_CODE%, "b": {"c": 1}`: "x:1:1: the { is not closed",
	} {
		if _, err := logformat.Parse("x", value); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: %v, want %s", value, err, want)
		}
	}
}

// Whatever the configuration, there is no panic, and every error has a place.
func FuzzFind(f *testing.F) {
	f.Add([]byte("apiVersion: v1\nkind: ConfigMap\ndata:\n  mesh: |\n    accessLogFormat: \"a %PROTOCOL%\"\n"))
	f.Add([]byte("a: &x {json_format: {b: [*x, '%REQ(A)%']}}"))
	f.Add([]byte("json-fields: ['a=%PROTOCOL%', ts]\n---\naccess_log: {format: {text: '%'}}"))
	f.Fuzz(func(t *testing.T, data []byte) {
		if len(data) > 1<<12 {
			return
		}
		if _, err := logformat.Find("c", data); err != nil && !strings.HasPrefix(err.Error(), "c:") {
			t.Fatalf("%q: %v", data, err)
		}
	})
}
