package parser

import (
	"encoding/json"
	"fmt"
	"net/url"
	"strings"
	"testing"
)

// Two records of our own, with all that escaping touches.
const (
	harborText = `[2026-07-02T11:20:01.004Z] "GET /berths/4 HTTP/1.1" 503 UF,URX upstream_reset_before_response_started{remote_connection_failure|delayed_connect_error:_111} - "delayed_connect_error:_111" 0 77 12 - "-" "tug/2" "id-41" "berths.harbor:7080" "10.61.4.8:7080" outbound|7080||berths.harbor.svc.cluster.local - 10.61.9.9:7080 10.61.2.2:51000 - default`
	harborJSON = `{"start_time":"2026-07-02T11:20:01.004Z","method":"GET","path":"/berths/4","response_code":503,"response_flags":"UF,URX","response_code_details":"upstream_reset_before_response_started{remote_connection_failure|delayed_connect_error:_111}","duration":12,"upstream_host":"10.61.4.8:7080","upstream_cluster":"outbound|7080||berths.harbor.svc.cluster.local"}`
	harborWant = "503 UF,URX|/berths/4|upstream_reset_before_response_started{remote_connection_failure|delayed_connect_error:_111}|10.61.4.8:7080|outbound|7080||berths.harbor.svc.cluster.local|12"
)

func quotedJSON(s string) string {
	b, err := json.Marshal(s)
	if err != nil {
		panic(err)
	}
	return string(b)
}

func doubledCSV(s string) string { return `"` + strings.ReplaceAll(s, `"`, `""`) + `"` }

// harborOutcome describes the access records of a text with their places.
func harborOutcome(t *testing.T, text string) string {
	t.Helper()
	got := outcomes(t, text, Path, ResponseCodeDetails, UpstreamHost, UpstreamCluster, Duration)
	for _, r := range account(t, []byte(text), AllFields) {
		if r.Kind == Access {
			at := r.Place()
			got += fmt.Sprintf(" %s/%s/%s", at.Namespace, at.Pod, at.Container)
		}
	}
	return got
}

// Records in strings of what exports, interfaces and shippers write, whatever
// else stands on their line.
func TestQuoted(t *testing.T) {
	const all = "harbor/pilot-0/istio-proxy"
	const kube = `"kubernetes":{"namespace_name":"harbor","pod_name":"pilot-0","container_name":"istio-proxy"}`
	const tag = `kube.var.log.containers.pilot-0_harbor_istio-proxy-77aa.log`
	for name, c := range map[string]struct {
		write func(line string) string
		place string
	}{
		"table row":       {func(s string) string { return `"2 Jul, 11:20",pilot-0,` + doubledCSV(s) + `,77` }, "//"},
		"first in a row":  {func(s string) string { return doubledCSV(s) + `,"2026-07-02 11:20:01","dock"` }, "//"},
		"last in a row":   {func(s string) string { return `07/02/2026;dock;` + doubledCSV(s) }, "//"},
		"object in a row": {func(s string) string { return `1,` + doubledCSV(`{"log":`+quotedJSON(s)+`,`+kube+`}`) }, all},
		"printed event": {func(s string) string {
			return `[0] ` + tag + `: [[1782991201.5, {}], {"log"=>` + quotedJSON(s) + `, "stream"=>"stdout"}]`
		}, all},
		"tagged object": {func(s string) string {
			return "2026-07-02T11:20:01+00:00\t" + tag + "\t" + `{"log":` + quotedJSON(s) + `}`
		}, all},
		"object behind": {func(s string) string {
			return `2026-07-02 11:20:01.5 +0000 app.all: {"log":` + quotedJSON(s+"\n") + `,` + kube + `}`
		}, all},
		"pairs": {func(s string) string { return `pod=pilot-0 level=info message=` + quotedJSON(s) + ` zone=a` }, "//"},
		"streams": {func(s string) string {
			return `{"streams":[{"stream":{"app":"x"},"values":[["1782991201500000000",` + quotedJSON(s) + `]]}]}`
		}, "//"},
		"rows of tables": {func(s string) string {
			return `{"tables":[{"name":"t","rows":[["2026-07-02T11:20:01Z","pilot-0",` + quotedJSON(s) + `]]}]}`
		}, "//"},
		"twice": {func(s string) string { return `{"x":{"y":` + quotedJSON(s) + `},"z":[` + quotedJSON(s) + `]}` }, "//"},
		"source": {func(s string) string {
			return `{"_index":"i","_source":{"message":` + quotedJSON(s) + `,` + kube + `},"sort":[1]}`
		}, all},
		"hits": {func(s string) string {
			return `{"took":1,"hits":{"total":1,"hits":[{"_source":{"message":` + quotedJSON(s) + `,` + kube + `}}]}}`
		}, all},
		"content": {func(s string) string {
			return `{"id":"q","content":{"message":` + quotedJSON(s) + `,"attributes":{"a":1}}}`
		}, "//"},
		"search result": {func(s string) string { return `{"preview":false,"result":{"_raw":` + quotedJSON(s) + `,"host":"h"}}` }, "//"},
		"names of columns": {func(s string) string {
			return `{"LogMessage":` + quotedJSON(s) + `,"PodName":"pilot-0","PodNamespace":"harbor","ContainerName":"istio-proxy"}`
		}, all},
		"names in camels": {func(s string) string {
			return `{"message":` + quotedJSON(s) + `,"nodeName":"n","namespace":"harbor","podName":"pilot-0","containerName":"istio-proxy"}`
		}, all},
		"short message": {func(s string) string { return `{"version":"1.1","host":"h","short_message":` + quotedJSON(s) + `}` }, "//"},
		"payload":       {func(s string) string { return `{"topic":"l","offset":3,"payload":` + quotedJSON(s) + `}` }, "//"},
		"labels": {func(s string) string {
			return `2026-07-02T11:20:01Z {container="istio-proxy", namespace="harbor", pod="pilot-0"} ` + s
		}, all},
		"brackets":          {func(s string) string { return `[pilot-0 istio-proxy] ` + s }, "/pilot-0/istio-proxy"},
		"one in brackets":   {func(s string) string { return `[pilot-0] ` + s }, "/pilot-0/"},
		"name and brackets": {func(s string) string { return `harbor/pilot-0[istio-proxy]: ` + s }, all},
	} {
		for kind, line := range map[string]string{"text": harborText, "JSON": harborJSON} {
			text := c.write(line)
			if got := harborOutcome(t, text); got != harborWant+" "+c.place {
				t.Errorf("%s, %s: %s\ngot  %s\nwant %s", name, kind, text, got, harborWant+" "+c.place)
			}
		}
	}
}

// Two records in one line are two, in an array as well.
func TestQuotedSeveral(t *testing.T) {
	other := strings.Replace(harborText, "id-41", "id-42", 1)
	for _, text := range []string{
		`[{"log":` + quotedJSON(harborText) + `,"stream":"stdout","pod_name":"a-0"},{"log":` + quotedJSON(other) + `,"stream":"stdout","pod_name":"b-0"}]`,
		`{"values":[["1",` + quotedJSON(harborText) + `],["2",` + quotedJSON(other) + `]]}`,
		`{"data":[{"attributes":{"message":` + quotedJSON(harborText) + `}},{"attributes":{"message":` + quotedJSON(other) + `}}]}`,
		doubledCSV(harborText) + "," + doubledCSV(other),
		`{"logEvents":[{"message":` + quotedJSON(`{"logEvents":[{"message":`+quotedJSON(harborText)+`}]}`) + `},{"message":` + quotedJSON(other) + `}]}`,
		"[\n  " + laidOut(harborJSON) + ",\n  " + laidOut(harborJSON) + "\n]",
	} {
		if got := outcomes(t, text+"\n", Path, ResponseCodeDetails, UpstreamHost, UpstreamCluster, Duration); got != harborWant+"\n"+harborWant {
			t.Errorf("%s\ngot %s", text, got)
		}
	}
}

// A list's lines from several places have none.
func TestQuotedPlaces(t *testing.T) {
	for second, want := range map[string]string{"a-0": " /a-0/ /a-0/", "b-0": " // //"} {
		text := `{"hits":{"hits":[{"_source":{"message":` + quotedJSON(harborText) + `,"pod_name":"a-0"}},{"_source":{"message":` + quotedJSON(harborJSON) + `,"pod_name":"` + second + `"}}]}}`
		if got := harborOutcome(t, text+"\n"); got != harborWant+"\n"+harborWant+want {
			t.Errorf("%s\ngot %s", text, got)
		}
	}
}

// laidOut is an object of ours over several lines.
func laidOut(object string) string {
	return strings.NewReplacer(`,"`, ",\n    \"", `{"`, "{\n    \"", `"}`, "\"\n  }").Replace(object)
}

// Objects that carry a line are wrappers also when they are laid out, in a list
// or not, and what they carry is counted once.
func TestLaidOutWrapper(t *testing.T) {
	object := func(key, value string) string {
		return "{\n  \"insertId\": \"q\",\n  \"" + key + "\": " + value + ",\n  \"resource\": {\n    \"labels\": {\n      \"container_name\": \"istio-proxy\",\n      \"namespace_name\": \"harbor\",\n      \"pod_name\": \"pilot-0\"\n    }\n  }\n}"
	}
	inner := laidOut(harborJSON)
	for _, one := range []string{object("textPayload", quotedJSON(harborText)), object("textPayload", quotedJSON(harborJSON)), object("jsonPayload", inner)} {
		list := "[\n  " + strings.ReplaceAll(one+",\n"+one, "\n", "\n  ") + "\n]\n"
		for text, count := range map[string]int{one + "\n": 1, list: 2} {
			want := strings.TrimSuffix(strings.Repeat(harborWant+"\n", count), "\n") + strings.Repeat(" harbor/pilot-0/istio-proxy", count)
			if got := harborOutcome(t, text); got != want {
				t.Errorf("%s\ngot  %s\nwant %s", text, got, want)
			}
		}
		data := []byte(list)
		want := fmt.Sprint(readInPortions(data, len(data)))
		for size := 1; size < len(data); size += 7 {
			if got := fmt.Sprint(readInPortions(data, size)); got != want {
				t.Fatalf("in portions of %d bytes\ngot  %s\nwant %s", size, got, want)
			}
		}
	}
}

// What a page, a table or a call has behind a record is not the record's.
func TestCellEnds(t *testing.T) {
	for _, text := range []string{
		"EVENTS\t3680\tdock\t" + harborText + "\t1782991201500",
		"{code}" + harborText + "{code}",
		"<![CDATA[" + harborText + "]]>",
		"<tr><td>a</td><td>" + harborText + "</td></tr>",
		"Body: Str(" + harborText + ")",
		"| 11:20 | " + strings.ReplaceAll(harborText, "|", `\|`) + " | yes |",
		"| 11:20 | `" + harborText + "` | yes |",
		strings.ReplaceAll(harborText, " ", "\t"),
		url.PathEscape(harborText),
		url.QueryEscape(harborText),
		strings.ReplaceAll(harborText, `"`, "&#x22;"),
		strings.Replace(harborJSON, "503", "\x1b[01;31m\x1b[K503\x1b[m\x1b[K", 1),
	} {
		fields := []Field{Path, ResponseCodeDetails, UpstreamHost, UpstreamCluster, Duration}
		if got := outcomes(t, text+"\n", fields...); got != harborWant {
			t.Errorf("%s\ngot  %s\nwant %s", text, got, harborWant)
		}
		if strings.Contains(text, "default") {
			if got := outcomes(t, text+"\n", RouteName); got != "503 UF,URX|default" {
				t.Errorf("%s\ngot %s", text, got)
			}
		}
	}
}

// Blanks within the braces of details end no column.
func TestBlanksInDetails(t *testing.T) {
	const details = "upstream_reset_before_response_started{connection failure,TLS error: 268435581:SSL routines:OPENSSL_internal:CERTIFICATE_VERIFY_FAILED}"
	for ending, want := range map[string]string{"-": "", "idle timeout": "idle timeout"} {
		line := strings.Replace(harborText, "upstream_reset_before_response_started{remote_connection_failure|delayed_connect_error:_111} -", details+" "+ending, 1)
		for _, text := range []string{line, line + ` "more" 7`, "harbor.log: " + line} {
			if got := outcomes(t, text+"\n", ResponseCodeDetails, ConnectionTerminationDetails, UpstreamHost); got != "503 UF,URX|"+details+"|"+want+"|10.61.4.8:7080" {
				t.Errorf("%s\ngot %s", text, got)
			}
		}
	}
}

// Strings that hold no record are nobody's.
func TestQuotedNoise(t *testing.T) {
	for _, text := range []string{
		`{"a":"[1,2]","b":["[2026-07-02] \"x\""],"c":"{\"k\":1}"}`,
		`x,"he said ""[no]"" and ""{yes}""",7`,
		`level=info msg="[dock] \"GET /berths HTTP/1.1\" took 7ms"`,
		"[\n  {\n    \"log\": \"the \\\"tug\\\" left\",\n    \"kubernetes\": {\n      \"pod_name\": \"a-0\"\n    }\n  }\n]",
	} {
		if got := outcomes(t, text+"\n"); got != "" {
			t.Errorf("%s\ngot %s", text, got)
		}
	}
}
