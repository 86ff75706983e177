package parser

import (
	"encoding/json"
	"strings"
)

// Example returns a record in the dialect, of a connection that was refused;
// empty when the dialect's records are not in a log.
func (d DialectInfo) Example() string {
	if d.Format == "" {
		return examples[d.ID]
	}
	return d.render(func(op string) string {
		if d.Traffic == "tcp" && strings.HasPrefix(op, "RE") || op == "PROTOCOL" && d.Traffic == "tcp" {
			op += " tcp"
		}
		if v, ok := exampleValues[op]; ok {
			return v
		}
		return "-"
	})
}

// render writes a record as the proxy would. value returns the text of an
// operator, "-" when it has none.
func (d DialectInfo) render(value func(op string) string) string {
	var b strings.Builder
	rest, quoted := d.Format, d.Encoding != JSON
	for {
		lo := strings.IndexByte(rest, '%')
		if lo < 0 {
			b.WriteString(rest)
			return b.String()
		}
		n := strings.IndexByte(rest[lo+1:], '%')
		op := rest[lo+1 : lo+1+n]
		if quoted {
			b.WriteString(rest[:lo] + value(op))
			rest = rest[lo+n+2:]
			continue
		}
		b.WriteString(rest[:lo-1])
		b.WriteString(typedValue(op, value(op)))
		rest = rest[lo+n+3:]
	}
}

// typedValue is a value as typed JSON has it.
func typedValue(op, v string) string {
	name, _, _ := strings.Cut(op, "(")
	row := operatorByName(name)
	switch {
	case v == "-" && name != "RESPONSE_FLAGS":
		return "null"
	case row != nil && row.JSON == JSONNumber && isDigits([]byte(v)):
		return v
	}
	var b strings.Builder
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	if err := e.Encode(v); err != nil {
		panic(err)
	}
	return strings.TrimSuffix(b.String(), "\n")
}

// exampleValues are what the examples say, by operator.
var exampleValues = map[string]string{
	"START_TIME": "2026-03-14T09:26:53.589Z", "REQ(:METHOD)": "GET", "REQ(X-ENVOY-ORIGINAL-PATH?:PATH)": "/reviews/7", "PROTOCOL": "HTTP/1.1",
	"RESPONSE_CODE": "503", "RESPONSE_CODE tcp": "0", "RESPONSE_FLAGS": "UF", "RESPONSE_FLAGS tcp": "UF,URX",
	"RESPONSE_CODE_DETAILS":             "upstream_reset_before_response_started{remote_connection_failure|delayed_connect_error:_Connection_refused}",
	"UPSTREAM_TRANSPORT_FAILURE_REASON": "delayed_connect_error:_Connection_refused",
	"BYTES_RECEIVED":                    "0", "BYTES_SENT": "167", "DURATION": "4", "REQ(USER-AGENT)": "curl/8.7.1", "REQ(X-REQUEST-ID)": "0f2c7a51-8d0e-4c1b-9a5d-3c1f7f5f2b11",
	"REQ(:AUTHORITY)": "reviews:9080", "REQ(X-ENVOY-ORIGINAL-HOST?:AUTHORITY)": "reviews:9080", "UPSTREAM_HOST": "192.0.2.42:9080",
	"UPSTREAM_CLUSTER": "outbound|9080||reviews.shop.svc.cluster.local", "UPSTREAM_CLUSTER_RAW": "outbound|9080||reviews.shop.svc.cluster.local",
	"DOWNSTREAM_LOCAL_ADDRESS": "198.51.100.12:9080", "DOWNSTREAM_REMOTE_ADDRESS": "192.0.2.21:60891", "ROUTE_NAME": "default",
	"KUMA_MESH": "default", "KUMA_SOURCE_SERVICE": "frontend", "KUMA_DESTINATION_SERVICE": "reviews", "KUMA_SOURCE_ADDRESS_WITHOUT_PORT": "192.0.2.21",
	"SEVERITY": "INFO", "TIME": "1773480413589000000",
}

const ztunnelEnd = ` direction="outbound" bytes_sent=0 bytes_recv=0 duration="4ms" error="connection failed: Connection refused (os error 111)"`

// examples are those of the dialects that no format string describes.
var examples = map[string]string{
	"ztunnel-plain-1.18-1.21": `2026-03-14T09:26:53.589793Z  WARN outbound{id=0f2c7a518d0e4c1b9a5d3c1f7f5f2b11}: ztunnel::proxy::outbound: connection complete source=192.0.2.21:60891 destination=192.0.2.42:9080 component="outbound plaintext"`,
	"ztunnel-plain-1.22":      "2026-03-14T09:26:53.589793Z\terror\taccess\tconnection complete\t" + `src.addr=192.0.2.21:60891 src.workload=frontend-6d9 src.namespace=shop dst.addr=192.0.2.42:15008 dst.hbone_addr=192.0.2.42:9080 dst.service=reviews.shop.svc.cluster.local` + ztunnelEnd,
	"ztunnel-plain-1.23+":     "2026-03-14T09:26:53.589793Z\terror\taccess\tconnection complete\t" + `src.addr=192.0.2.21:60891 src.workload="frontend-6d9" src.namespace="shop" dst.addr=192.0.2.42:15008 dst.hbone_addr=192.0.2.42:9080 dst.service="reviews.shop.svc.cluster.local"` + ztunnelEnd,
	"ztunnel-plain-1.31+":     "2026-03-14T09:26:53.589793Z\terror\taccess\tconnection complete\t" + `src.addr=192.0.2.21:60891 src.workload="frontend-6d9" src.namespace="shop" src.cluster="east" dst.addr=192.0.2.42:15008 dst.hbone_addr=192.0.2.42:9080 dst.service="reviews.shop.svc.cluster.local" dst.cluster="west"` + ztunnelEnd,
	"ztunnel-json":            `{"level":"error","time":"2026-03-14T09:26:53.589793Z","scope":"access","message":"connection complete","src.addr":"192.0.2.21:60891","src.workload":"frontend-6d9","src.namespace":"shop","dst.addr":"192.0.2.42:15008","dst.hbone_addr":"192.0.2.42:9080","dst.service":"reviews.shop.svc.cluster.local","direction":"outbound","bytes_sent":0,"bytes_recv":0,"duration":"4ms","error":"connection failed: Connection refused (os error 111)"}`,
	"google-csm-traffic-log":  `{"httpRequest":{"requestMethod":"GET","requestUrl":"http://reviews:9080/reviews/7","requestSize":"512","status":503,"responseSize":"167","userAgent":"curl/8.7.1","remoteIp":"192.0.2.21:60891","serverIp":"192.0.2.42:9080","latency":"0.004s","protocol":"http"},"labels":{"response_flag":"UF","response_details":"upstream_reset_before_response_started{remote_connection_failure}","request_id":"0f2c7a51-8d0e-4c1b-9a5d-3c1f7f5f2b11","upstream_cluster":"outbound|9080||reviews.shop.svc.cluster.local","route_name":"default"},"logName":"projects/shop/logs/client-accesslog-stackdriver","resource":{"type":"k8s_container","labels":{"namespace_name":"shop","pod_name":"frontend-6d9","container_name":"istio-proxy"}},"severity":"INFO","timestamp":"2026-03-14T09:26:53.589793Z"}`,
}
