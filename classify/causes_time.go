package classify

// timeCauses are the limits of time that a proxy keeps.
var timeCauses = []Cause{
	{
		ID: "route-timeout", Title: "Upstream slower than the route timeout", Side: App, Severity: Error, Aliases: []string{"upstream-request-timeout"},
		Meaning:  "The upstream had not answered when the time that the route allows was over, so the proxy answered 504 itself.",
		Evidence: "flag UT with response_timeout; the durations gather at the timeout",
		Rivals: []Rival{
			{"upstream-connect-timeout", "the record has an upstream host and no local address towards it: not even the connection was up"},
			{"per-try-timeout", "the layout has no details: the limit may be that of one attempt"},
		},
		Checks: []string{
			routeTimeouts,
			"kubectl logs -n {upstream_namespace} {upstream_pod} --all-containers --since=10m",
			"kubectl get httproutes" + withFields + "TO:..backendRefs,TIMEOUTS:..timeouts",
		},
		OnePod:   "Other hosts of the service answer in time, so look at this pod: its CPU and memory, its threads and connections, its node. To be rid of it at once delete the pod.",
		Remedy:   "Make the upstream quicker, or raise the timeout of the route. Attempts times perTryTimeout must fit into it.",
		Versions: "upstream_response_timeout up to Envoy 1.22",
		Docs:     []string{"https://www.envoyproxy.io/docs/envoy/latest/faq/configuration/timeouts", "https://istio.io/latest/docs/concepts/traffic-management/#timeouts"},
		Examples: []string{
			`[2026-05-15T20:04:32.924Z] "GET /basket HTTP/1.1" 504 UT response_timeout - "-" 0 24 15001 - "-" "Go-http-client/1.1" "245050cc-27cb-46e6-a578-8d93993a8a3f" "basket:8080" "10.61.7.33:8080" outbound|8080||basket.market.svc.cluster.local 10.61.4.20:50190 10.96.31.8:8080 10.61.4.20:40118 - default`,
			`[2026-05-16T01:11:43.961Z] "GET /basket HTTP/1.1" 504 UT upstream_response_timeout - "-" 0 24 3000 - "-" "python-requests/2.32.3" "2b6ce23d-20c8-4b8c-9b90-6ebf5f1cfdce" "basket:8080" "10.61.7.33:8080" outbound|8080||basket.market.svc.cluster.local 10.61.4.20:50190 10.96.31.8:8080 10.61.4.20:40118 - default`,
		},
	},
	{
		ID: "per-try-timeout", Title: "Upstream slower than the timeout of one attempt", Parent: "route-timeout", Side: App, Severity: Error,
		Meaning:  "Each attempt took longer than one attempt may take, and the last one was given up.",
		Evidence: "flag UT with upstream_per_try_timeout or upstream_per_try_idle_timeout",
		Rivals:   []Rival{{"route-timeout", "the details say response_timeout: the time for all attempts was over"}},
		Checks:   []string{tryTimeouts, "kubectl logs -n {upstream_namespace} {upstream_pod} --all-containers --since=10m"},
		Remedy:   "Make the upstream quicker, or raise perTryTimeout.",
		Docs:     []string{"https://www.envoyproxy.io/docs/envoy/latest/configuration/http/http_conn_man/response_code_details", "https://www.envoyproxy.io/docs/envoy/latest/faq/configuration/timeouts"},
		Examples: []string{`[2026-05-17T06:18:54.998Z] "GET /basket HTTP/1.1" 504 URX,UT upstream_per_try_timeout - "-" 0 24 6021 - "-" "curl/8.9.1" "6cbf6b6e-1341-45d8-9a76-3a747f55eeb5" "basket:8080" "10.61.7.33:8080" outbound|8080||basket.market.svc.cluster.local 10.61.4.20:50190 10.96.31.8:8080 10.61.4.20:40118 - default`},
	},
	{
		ID: "max-stream-duration", Title: "Request exceeded the maximum stream duration", Side: App, Severity: Error,
		Meaning:  "The request lived longer than a stream may live, or longer than the caller's grpc-timeout allowed.",
		Evidence: "flag UMSDR, or details max_duration_timeout without a flag",
		Rivals:   []Rival{{"route-timeout", "flag UT: the limit is that of the route"}},
		Checks:   []string{"istioctl proxy-config routes {pod} -n {namespace} -o json | grep -i -A3 maxStreamDuration", "istioctl proxy-config clusters {pod} -n {namespace} --fqdn {host} -o json | grep -i maxStreamDuration"},
		Remedy:   "Raise max_stream_duration or the caller's deadline, or make the upstream quicker.",
		Versions: "flag since Envoy 1.15, for the limit of the cluster only",
		Docs:     []string{"https://www.envoyproxy.io/docs/envoy/latest/faq/configuration/timeouts"},
		Examples: []string{
			`[2026-05-18T11:25:05.035Z] "GET /basket HTTP/1.1" 504 UMSDR upstream_max_stream_duration_reached - "-" 0 36 20000 - "-" "axios/1.7.7" "6f96a19d-3bc9-4cdc-af6e-1a4d479f51c2" "basket:8080" "10.61.7.33:8080" outbound|8080||basket.market.svc.cluster.local 10.61.4.20:50190 10.96.31.8:8080 10.61.4.20:40118 - default`,
			`[2026-05-19T16:32:16.072Z] "GET /basket HTTP/1.1" 504 - max_duration_timeout - "-" 0 24 20001 - "-" "okhttp/4.12.0" "ae5a801c-ee34-42e7-a4aa-56c077546ef2" "basket:8080" "10.61.7.33:8080" outbound|8080||basket.market.svc.cluster.local 10.61.4.20:50190 10.96.31.8:8080 10.61.4.20:40118 - default`,
		},
	},
	{
		ID: "stream-idle-timeout", Title: "No bytes flowed for the stream idle timeout", Side: App, Severity: Error,
		Meaning:  "Neither side sent a byte for so long that the proxy ended the request. Long polling, event streams and websockets are the usual victims.",
		Evidence: "flag SI with stream_idle_timeout",
		Rivals:   []Rival{{"slow-client", "code 408: the client had not finished its request"}},
		Checks:   []string{"istioctl proxy-config listeners {pod} -n {namespace} -o json | grep -i idleTimeout", "kubectl get envoyfilters -A"},
		Remedy:   "Send something at times (ping, comment line), or raise stream_idle_timeout (Envoy 5 minutes; off in Istio unless an EnvoyFilter or gateway profile sets it).",
		Docs:     []string{"https://www.envoyproxy.io/docs/envoy/latest/faq/configuration/timeouts"},
		Examples: []string{`[2026-05-20T21:39:27.109Z] "GET /basket HTTP/1.1" 504 SI stream_idle_timeout - "-" 0 14 300004 - "-" "Go-http-client/1.1" "ecf9e462-c84c-49bc-a18a-148c94289648" "basket:8080" "10.61.7.33:8080" outbound|8080||basket.market.svc.cluster.local 10.61.4.20:50190 10.96.31.8:8080 10.61.4.20:40118 - default`},
	},
}

var timeRules = []Rule{
	{"details:^upstream_per_try_timeout$,^upstream_per_try_idle_timeout$", "per-try-timeout", "", High},
	{"flag:UT details host column:upstream-local !upstream-local", "route-timeout", "upstream-connect-timeout", Medium},
	{"flag:UT details", "route-timeout", "", High},
	{"flag:UT", "route-timeout", "per-try-timeout upstream-connect-timeout", Medium},
	{"details:^response_timeout$,^upstream_response_timeout$", "route-timeout", "", High},
	{"flag:UMSDR", "max-stream-duration", "", High},
	{"details:^upstream_max_stream_duration_reached$", "max-stream-duration", "", High},
	{"flag:SI code:408", "stream-idle-timeout", "slow-client", Medium},
	{"flag:SI", "stream-idle-timeout", "", High},
	{"details:^stream_idle_timeout$", "stream-idle-timeout", "", High},
	{"flag:DT", "connection-max-age", "", High},
}
