package classify

import "slices"

// routingCauses are why a proxy found no way for a request.
var (
	routingCauses = slices.Concat(routeCauses, egressCauses)
	routingRules  = slices.Concat(routeRules, egressRules)
)

// routeCauses are about routes, filter chains and the clusters they name.
var routeCauses = []Cause{
	{
		ID: "route-missing", Title: "No route for this host, path and method", Side: ClientProxy, Severity: Error, Aliases: []string{"no-route"},
		Meaning:  "The proxy looked for a rule that fits the request's host, path, method and headers and found none, so it answered 404 itself. No application saw the request.",
		Evidence: "flag NR with details route_not_found; cluster and upstream host are empty",
		Rivals: []Rival{
			{"gateway-host-unbound", "every path of the host fails, not only some"},
			{"route-host-port-mismatch", "the same request works without the port in its Host header"},
			{"route-config-not-received", "the pod has just started and every host fails"},
			{"websocket-upgrade-refused", "the request is a CONNECT, and the route does not allow it"},
			{"unknown-host-probe", "the path or the user agent is that of a scanner, and nobody in your house sends such requests"},
		},
		Checks: []string{
			"istioctl proxy-config routes {pod} -n {namespace} -o json",
			"istioctl analyze -n {namespace}",
			virtualHosts, "kubectl get httproutes -A",
		},
		Remedy:   "Add the host, path or method to the VirtualService or HTTPRoute; check that it is bound to this gateway (or to mesh) and exported to this namespace.",
		Versions: "before Envoy 1.18 a missing cluster has the same flag",
		Docs:     []string{"https://istio.io/latest/docs/ops/common-problems/network-issues/", "https://www.envoyproxy.io/docs/envoy/latest/faq/debugging/why_is_my_route_not_found"},
		Examples: []string{`[2026-05-05T18:54:42.554Z] "GET /v3/basket HTTP/1.1" 404 NR route_not_found - "-" 0 0 0 - "-" "Go-http-client/1.1" "a69df0e8-3cfd-4734-a5d3-f876bcfbea0b" "basket.market.svc.cluster.local" "-" - - 10.96.31.8:8080 10.61.4.20:40118 - -`},
	},
	{
		ID: "gateway-host-unbound", Title: "No route at all for this host on the gateway", Parent: "route-missing", Side: ClientProxy, Severity: Error, Aliases: []string{"gateway-no-virtualservice"},
		Meaning:  "The gateway has not one route for this host, often although TLS was set up for it: no VirtualService is bound to the gateway for the host, or the gateway's hosts exclude it.",
		Evidence: "404 NR on a gateway with the TLS server name equal to the host asked for",
		Rivals: []Rival{
			{"route-missing", "other paths of the host work"},
			{"gateway-vs-tls-mismatch", "the VirtualService has tls: rules although the gateway ends TLS"},
			{"gateway-shared-cert-connection-reuse", "it fails in browsers and works in curl, and another site of the gateway has the same certificate"},
		},
		Checks: []string{
			"istioctl proxy-config routes {pod} -n {namespace}",
			gatewayHosts, virtualHosts + ofHost,
			"istioctl analyze -A",
		},
		Remedy:   "Give the VirtualService the host and name the gateway in its gateways list; the Gateway's hosts (with its namespace prefix) must cover the host too.",
		Docs:     []string{"https://istio.io/latest/docs/ops/common-problems/network-issues/"},
		Examples: []string{`[2026-05-06T23:01:53.591Z] "GET / HTTP/2" 404 NR route_not_found - "-" 0 0 0 - "-" "python-requests/2.32.3" "c45b86c7-d759-46ec-834e-16c135124b68" "market.example.net" "-" - - 10.61.9.2:8443 198.51.100.24:52010 market.example.net -`},
	},
	{
		ID: "route-host-port-mismatch", Title: "Route domains lack the host:port form that was sent", Parent: "route-missing", Side: ClientProxy, Severity: Error,
		Meaning:  "The client put a port into the Host header that the proxy's routes do not list, so no virtual host fits.",
		Evidence: "404 NR, and the host asked for ends in a port that is not the one called",
		Rivals:   []Rival{{"route-missing", "the request fails without the port too"}, {"gateway-host-unbound", "no path of the host works in either form"}},
		Checks: []string{
			"istioctl proxy-config routes {pod} -n {namespace} -o json | grep -A3 domains",
			"curl -sSI -H 'Host: {host}' http://{authority}/",
		},
		Remedy:   "List host:* among the domains, let the proxy strip the port (strip_any_host_port), or call the host without a port.",
		Versions: "Istio before about 1.13, and hand-written Envoy configuration",
		Docs:     []string{"https://www.envoyproxy.io/docs/envoy/latest/faq/debugging/why_is_my_route_not_found"},
		Examples: []string{`[2026-05-07T04:08:04.628Z] "GET / HTTP/1.1" 404 NR route_not_found - "-" 0 0 0 - "-" "curl/8.9.1" "51da33fb-68e9-4bf7-b43d-4dc89171cb2d" "market.example.net:30443" "-" - - 10.61.9.2:8080 10.61.4.20:40118 - -`},
	},
	{
		ID: "gateway-shared-cert-connection-reuse", Title: "Browser reused another site's connection: gateways share one certificate", Parent: "route-missing", Side: ClientProxy, Severity: Error,
		Meaning:  "The certificate of one site also covers another, so the browser sent the second site's request over the first site's HTTP/2 connection. The gateway serves that connection with the routes of the first site and finds none.",
		Evidence: "404 NR over HTTP/2 or 3, and the TLS server name differs from the host asked for",
		Rivals:   []Rival{{"route-missing", "a fresh connection to the host, as curl makes it, fails too"}, {"gateway-host-unbound", "the host fails for every client"}},
		Checks: []string{
			"openssl s_client -connect {host}:443 -servername {sni} </dev/null | openssl x509 -noout -ext subjectAltName",
			gatewayHosts,
		},
		Remedy:   "Serve both hosts from one Gateway with a wildcard host, or give each host its own certificate or address.",
		Docs:     []string{"https://istio.io/latest/docs/ops/common-problems/network-issues/"},
		Examples: []string{`[2026-05-08T09:15:15.665Z] "GET / HTTP/2" 404 NR route_not_found - "-" 0 0 0 - "-" "axios/1.7.7" "dcd7a8f7-41dc-4541-93ea-165b7c642e98" "admin.example.net" "-" - - 10.61.9.2:8443 198.51.100.24:52010 market.example.net -`},
	},
	{
		ID: "gateway-vs-tls-mismatch", Title: "Gateway TLS mode and VirtualService rule kind do not fit", Parent: "route-missing", Side: ClientProxy, Severity: Error,
		Meaning:  "A gateway that ends TLS needs http: rules, one that passes TLS through needs tls: rules. With the wrong kind the host has no route, and one record looks exactly like a host that is not bound.",
		Evidence: "never proved by one record: 404 NR with the TLS server name equal to the host, or 0 NR on the TLS port",
		Rivals:   []Rival{{"gateway-host-unbound", "the VirtualService has rules of the right kind, but lacks the host or the gateway"}, {"sni-no-match", "no Gateway names the host at all"}},
		Checks: []string{
			"istioctl proxy-config listeners {pod} -n {namespace} -o json",
			gatewayHosts,
			virtualHosts + ofHost,
		},
		Remedy: "SIMPLE and MUTUAL go with http: rules, PASSTHROUGH goes with tls: rules and sniHosts.",
		Docs:   []string{"https://istio.io/latest/docs/ops/common-problems/network-issues/"},
	},
	{
		ID: "unknown-host-probe", Title: "Scanner or probe asked for a host nobody serves", Parent: "route-missing", Side: Client, Severity: Info,
		Meaning:  "A program that searches the internet for weak spots asked for a page that does not exist here. Nothing of yours is broken.",
		Evidence: "404 NR for a path like /.env or /wp-login.php, or from the agent of a scanner",
		Rivals:   []Rival{{"route-missing", "the client is one of yours"}, {"gateway-host-unbound", "the host is yours, and people do ask for it"}},
		Checks:   []string{"kubectl logs -n {namespace} {pod} -c istio-proxy | grep -F {authority}"},
		Remedy:   "Nothing to repair. Drop such requests at the edge if they are a nuisance.",
		Docs:     []string{"https://www.envoyproxy.io/docs/envoy/latest/configuration/http/http_conn_man/response_code_details"},
		Examples: []string{`[2026-05-09T14:22:26.702Z] "GET /.env HTTP/1.1" 404 NR route_not_found - "-" 0 0 0 - "-" "okhttp/4.12.0" "2b04a5a4-1b45-483d-aea1-71203f754a5b" "203.0.113.90" "-" - - 10.61.9.2:8080 198.51.100.77:41100 - -`},
	},
	{
		ID: "sni-not-sent", Title: "TLS client named no server; gateway found no filter chain", Side: Client, Severity: Error,
		Meaning:  "The client started TLS without naming the server it wants (SNI). The gateway chooses its certificate by that name and closed the connection.",
		Evidence: "0 NR filter_chain_not_found on a TLS port, without a server name",
		Rivals: []Rival{
			{"sni-no-match", "the client does send a name: the layout has no column for it"},
			{"http-to-https-port", "the client speaks plain HTTP: DOWNSTREAM_TRANSPORT_FAILURE_REASON says HTTP_REQUEST where the layout has it"},
			{"gateway-port-name-conflict", "istiod says that it skipped a server of the gateway"},
			{"plaintext-to-strict-mtls", "the port belongs to a workload, not to a gateway"},
			{"cluster-missing", "a TCP route of an old Envoy names a cluster that is not there"},
		},
		Checks: []string{
			"openssl s_client -connect {host}:443 -servername {host} </dev/null",
			"openssl s_client -connect {host}:443 -noservername </dev/null",
			"istioctl proxy-config listeners {pod} -n {namespace}",
		},
		Remedy:   "Let the client send the server name: call by name, not by address; a load balancer in front must pass TLS through or send SNI itself. Or set the Gateway's hosts to \"*\".",
		Versions: "logged since Istio 1.8",
		Docs:     []string{"https://istio.io/latest/docs/ops/common-problems/network-issues/"},
		Examples: []string{`[2026-05-10T19:29:37.739Z] "- - -" 0 NR filter_chain_not_found - "-" 0 0 0 - "-" "-" "-" "-" "-" - - 10.61.9.2:8443 198.51.100.24:52010 - -`},
	},
	{
		ID: "sni-no-match", Title: "No gateway filter chain for the server name sent", Side: ClientProxy, Severity: Error,
		Meaning:  "The client named a server in its TLS hello, and no server of the gateway covers that name, so the connection was closed before any request.",
		Evidence: "0 NR filter_chain_not_found with a server name",
		Rivals: []Rival{
			{"gateway-port-name-conflict", "a Gateway does list the host, but istiod dropped it: its log says non unique port name"},
			{"gateway-vs-tls-mismatch", "the Gateway passes TLS through and the VirtualService has http: rules"},
			{"tls-params-mismatch", "the name is served, but not for the protocol (ALPN) that the client offers"},
			{"cluster-missing", "the server name is that of a route to another network or subset (outbound_.PORT_.SUBSET_.HOST): the gateway has no cluster of that name"},
		},
		Checks: []string{
			"istioctl proxy-config listeners {pod} -n {namespace} -o json | grep -A3 -i server_names",
			"istioctl proxy-config secret {pod} -n {namespace}",
			gatewayHosts,
		},
		Remedy:   "Add the host to a server of the Gateway (a wildcard covers one label only) and make sure that its certificate secret exists.",
		Docs:     []string{"https://istio.io/latest/docs/ops/common-problems/network-issues/"},
		Examples: []string{`[2026-05-11T00:36:48.776Z] "- - -" 0 NR filter_chain_not_found - "-" 0 0 0 - "-" "-" "-" "-" "-" - - 10.61.9.2:8443 198.51.100.24:52010 orders.example.net -`},
	},
	{
		ID: "gateway-port-name-conflict", Title: "Two gateway servers collide, one of them was dropped", Parent: "sni-no-match", Side: ClientProxy, Severity: Error,
		Meaning:  "Two Gateways open the same port under the same port name. istiod keeps one and skips the other, whose hosts then have no filter chain.",
		Evidence: "0 NR filter_chain_not_found for one Gateway's hosts; istiod logs non unique port name",
		Rivals:   []Rival{{"sni-no-match", "istiod skipped nothing: no Gateway lists the host"}},
		Checks: []string{
			"kubectl logs -n istio-system deploy/istiod | grep -i 'skipping server'",
			"istioctl analyze -A",
		},
		Remedy:   "Give every HTTPS port of every Gateway on this workload a name of its own.",
		Docs:     []string{"https://istio.io/latest/docs/ops/common-problems/network-issues/"},
		Examples: []string{"2026-05-30T03:04:05.607080Z\tinfo\tmodel\tskipping server on gateway till/front port https.443.HTTPS: non unique port name for HTTPS port"},
	},
	{
		ID: "cluster-missing", Title: "Route points to a cluster this proxy does not have", Side: ClientProxy, Severity: Error,
		Meaning:  "A route fits, but it leads to a destination that the proxy does not know: a subset, port or host that no Service or DestinationRule defines, or that has not arrived yet.",
		Evidence: "flag NC or details cluster_not_found; before Envoy 1.18 flag NR with code 503",
		Rivals:   []Rival{{"route-missing", "the answer is 404 with route_not_found"}},
		Checks: []string{
			virtualSubsets, subsets,
			"istioctl proxy-config clusters {pod} -n {namespace} --fqdn {host}",
			"istioctl proxy-status",
		},
		Remedy:   "Define the subset or port that the route names. When you roll out, apply DestinationRules first and VirtualServices second; when you remove, the other way round.",
		Versions: "flag NC since Envoy 1.18 (Istio 1.10)",
		Docs:     []string{"https://istio.io/latest/docs/ops/best-practices/traffic-management/", "https://www.envoyproxy.io/docs/envoy/latest/configuration/observability/access_log/usage"},
		Examples: []string{
			`[2026-05-12T05:43:59.813Z] "GET /basket HTTP/1.1" 503 NC cluster_not_found - "-" 0 0 0 - "-" "curl/8.9.1" "5112345a-258f-4518-b58c-f07366e4dc19" "basket:8080" "-" - - 10.96.31.8:8080 10.61.4.20:40118 - -`,
			`[2026-05-13T10:50:10.850Z] "GET /basket HTTP/1.1" 503 NR "-" "-" 0 0 0 - "-" "axios/1.7.7" "2708495f-f4b7-47ff-ab84-d8b7e5954974" "basket:8080" "-" - - 10.96.31.8:8080 10.61.4.20:40118 - -`,
		},
	},
	{
		ID: "route-config-not-received", Title: "Route configuration has not reached this proxy", Side: ControlPlane, Severity: Error,
		Meaning:  "The proxy listens, but the control plane has not delivered its routes yet, or they were refused.",
		Evidence: "details route_configuration_not_found, or route_not_found for every host of a pod that has just started",
		Rivals:   []Rival{{"route-missing", "other hosts work on this proxy"}},
		Checks:   []string{"istioctl proxy-status", "istioctl proxy-config routes {pod} -n {namespace}", "kubectl logs -n istio-system deploy/istiod | grep -F {pod}"},
		Remedy:   "If it lasts longer than the start of the pod, look for refused routes and for the way to istiod.",
		Docs:     []string{"https://www.envoyproxy.io/docs/envoy/latest/configuration/http/http_conn_man/response_code_details"},
		Examples: []string{`[2026-05-14T15:57:21.887Z] "GET /basket HTTP/1.1" 404 NR route_configuration_not_found - "-" 0 0 0 - "-" "okhttp/4.12.0" "d9cb59cb-171c-4e79-86e6-e7e79758aa81" "basket:8080" "-" - - 10.96.31.8:8080 10.61.4.20:40118 - -`},
	},
}

var routeRules = []Rule{
	// 0 NR: the listener found no filter chain
	{"details:filter_chain_not_found downstream:http_request,https_proxy_request tls-port", "http-to-https-port", "sni-not-sent", High},
	{"details:filter_chain_not_found downstream:http_request,https_proxy_request,wrong_version_number pod-port", "plaintext-to-strict-mtls", "", High},
	{"details:filter_chain_not_found downstream:http_request,https_proxy_request", "http-to-https-port", "plaintext-to-strict-mtls sni-not-sent", Medium},
	{"details:filter_chain_not_found downstream", "downstream-tls-failed", "http-to-https-port", Medium},
	{"details:filter_chain_not_found sni", "sni-no-match", "gateway-port-name-conflict gateway-vs-tls-mismatch tls-params-mismatch", Medium},
	{"details:filter_chain_not_found tls-port column:sni column:downstream", "sni-not-sent", "sni-no-match", High},
	{"details:filter_chain_not_found tls-port column:sni", "sni-not-sent", "sni-no-match http-to-https-port", Medium},
	{"details:filter_chain_not_found pod-port", "plaintext-to-strict-mtls", "sni-not-sent http-to-https-port", Medium},
	{"details:filter_chain_not_found", "sni-not-sent", "sni-no-match gateway-port-name-conflict plaintext-to-strict-mtls", Low},
	{"flag:NR code:0 sni", "sni-no-match", "gateway-port-name-conflict cluster-missing", Low},
	{"flag:NR code:0 pod-port", "plaintext-to-strict-mtls", "sni-not-sent cluster-missing", Low},
	{"flag:NR code:0", "sni-not-sent", "sni-no-match plaintext-to-strict-mtls cluster-missing", Low},

	// NC and what it was before
	{"details:^cluster_not_found,^cache_no_cluster$", "cluster-missing", "", High},
	{"flag:NC", "cluster-missing", "", High},
	{"flag:NR code:503", "cluster-missing", "route-missing", Medium},

	// NR: no route
	{"details:^route_configuration_not_found", "route-config-not-received", "route-missing", High},
	{"flag:NR scanner", "unknown-host-probe", "route-missing gateway-host-unbound", Medium},
	{"flag:NR http2 sni-not-authority", "gateway-shared-cert-connection-reuse", "route-missing gateway-host-unbound", Medium},
	{"flag:NR method:^connect$", "route-missing", "websocket-upgrade-refused gateway-host-unbound", Medium},
	{"flag:NR authority-ip authority-port", "route-missing", "route-host-port-mismatch gateway-host-unbound", Medium},
	{"flag:NR authority-ip", "route-missing", "gateway-host-unbound unknown-host-probe", Medium},
	{"flag:NR sni-is-authority", "gateway-host-unbound", "route-missing gateway-vs-tls-mismatch", Medium},
	{"flag:NR sni-not-authority", "gateway-host-unbound", "route-missing gateway-shared-cert-connection-reuse", Medium},
	{"flag:NR authority-port local !port-as-called", "route-host-port-mismatch", "route-missing gateway-host-unbound", Low},
	{"flag:NR authority-port", "route-missing", "route-host-port-mismatch gateway-host-unbound", Medium},
	{"flag:NR", "route-missing", "gateway-host-unbound route-config-not-received", Medium},
	{"details:^route_not_found,^cache_no_route$", "route-missing", "gateway-host-unbound route-config-not-received", Medium},
}
