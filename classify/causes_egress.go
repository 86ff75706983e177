package classify

// egressCauses are answers of the route itself and traffic that no route is
// for: what leaves the mesh, what may not, and what comes in undeclared.
var egressCauses = []Cause{
	{
		ID: "backend-ref-not-found", Title: "Gateway API route names a backend that does not resolve", Side: ClientProxy, Severity: Error,
		Meaning:  "The HTTPRoute was accepted, but its backend does not exist, is of the wrong kind or lies in a namespace that does not permit it. The gateway answers 500 in its place.",
		Evidence: "500 with details direct_response; the route's name begins with httproute/ where the layout has it",
		Rivals:   []Rival{{"redirect-or-direct-response", "somebody configured a fixed answer with this code"}},
		Checks:   []string{"kubectl get httproutes" + withFields + "TO:..backendRefs,STATUS:.status..conditions", "kubectl get referencegrants -A", "kubectl get services -n {namespace}"},
		Remedy:   "Correct name, port or namespace of the backendRef, or add a ReferenceGrant.",
		Docs:     []string{"https://gateway.envoyproxy.io/latest/troubleshooting/configuration/", "https://gateway-api.sigs.k8s.io/api-types/httproute/"},
		Examples: []string{`[2026-05-18T07:05:25.295Z] "GET /basket HTTP/1.1" 500 - direct_response - "-" 0 0 0 - "-" "axios/1.7.7" "d5ec5ec4-2867-46a9-a585-f7e2e9a8bb44" "market.example.net" "-" - - 10.61.9.2:10080 10.61.4.20:40118 - httproute/market/basket/rule/0/match/0/market_example_net`},
	},
	{
		ID: "redirect-or-direct-response", Title: "Proxy answered by configuration: redirect or fixed response", Side: ClientProxy, Severity: Info,
		Meaning:  "The route itself holds the answer, such as the redirect from http to https. This is what somebody configured.",
		Evidence: "details direct_response",
		Rivals:   []Rival{{"egress-blocked-http", "the code is 502 and the route is called block_all"}, {"backend-ref-not-found", "the code is 500 and the route comes from an HTTPRoute"}},
		Checks:   []string{"istioctl proxy-config routes {pod} -n {namespace} -o json | grep -B5 -A5 -iE 'redirect|directResponse'"},
		Remedy:   "None, unless the answer is not the one you want.",
		Docs:     []string{"https://www.envoyproxy.io/docs/envoy/latest/configuration/http/http_conn_man/response_code_details"},
		Examples: []string{`[2026-05-19T12:12:36.332Z] "GET / HTTP/1.1" 301 - direct_response - "-" 0 0 0 - "-" "okhttp/4.12.0" "f8598773-f02d-4e5b-b643-c055c37fe68a" "market.example.net" "-" - - 10.61.9.2:8080 10.61.4.20:40118 - -`},
	},
	{
		ID: "egress-blocked-http", Title: "HTTP to an unregistered host blocked by egress policy", Side: ClientProxy, Severity: Error,
		Meaning:  "The mesh only lets requests out to hosts that it knows (REGISTRY_ONLY), and this host is not registered. The client's own proxy answered.",
		Evidence: "502 direct_response on route block_all, or cluster BlackHoleCluster",
		Rivals:   []Rival{{"redirect-or-direct-response", "somebody configured a fixed 502: the route is not block_all"}},
		Checks:   []string{"kubectl get configmap istio -n istio-system -o yaml | grep -A2 outboundTrafficPolicy", "kubectl get sidecars,serviceentries -A"},
		Remedy:   "Register the host with a ServiceEntry, or set outboundTrafficPolicy to ALLOW_ANY.",
		Docs:     []string{"https://istio.io/latest/docs/tasks/traffic-management/egress/egress-control/"},
		Examples: []string{
			`[2026-05-20T17:19:47.369Z] "GET /rates HTTP/1.1" 502 - direct_response - "-" 0 0 0 - "-" "Go-http-client/1.1" "f1c3e24f-7732-4fd8-80d3-2d25da184b89" "fx.example.org" "-" BlackHoleCluster - 203.0.113.40:80 10.61.4.20:40118 - block_all`,
			`[2026-05-21T22:26:58.406Z] "GET /rates HTTP/1.1" 503 UH no_healthy_upstream - "-" 0 19 0 - "-" "python-requests/2.32.3" "1bef3b1e-df1d-4d9d-939b-204f7339330e" "fx.example.org" "-" BlackHoleCluster - 203.0.113.40:80 10.61.4.20:40118 - -`,
		},
	},
	{
		ID: "egress-blocked-tcp", Title: "TCP or TLS to an unregistered host blocked", Side: ClientProxy, Severity: Error,
		Meaning:  "The client opened a connection to an address that the mesh does not know, and egress policy (REGISTRY_ONLY) has no place for it to go.",
		Evidence: "0 UH on a TCP record with cluster BlackHoleCluster or no cluster; the address called is downstream_local_address",
		Rivals:   []Rival{{"no-endpoints", "the record names a cluster of a Service"}},
		Checks:   []string{"kubectl get configmap istio -n istio-system -o yaml | grep -A2 outboundTrafficPolicy", "kubectl get sidecars,serviceentries -A", "kubectl get services -A -o wide"},
		Remedy:   "Register the host with a ServiceEntry (protocol TLS or TCP and its port), or set outboundTrafficPolicy to ALLOW_ANY.",
		Versions: "Istio 1.1 to 1.4 write no record",
		Docs:     []string{"https://istio.io/latest/docs/tasks/traffic-management/egress/egress-control/"},
		Examples: []string{`[2026-05-22T03:33:09.443Z] "- - -" 0 UH - - "-" 0 0 0 - "-" "-" "-" "-" "-" BlackHoleCluster - 203.0.113.40:443 10.61.4.20:40118 fx.example.org -`},
	},
	{
		ID: "egress-passthrough", Title: "Traffic left through passthrough: no mesh policy applied", Side: ClientProxy, Severity: Info,
		Meaning:  "The proxy did not know the destination and passed the traffic on as it was. Retries, timeouts and mutual TLS of the mesh did not apply.",
		Evidence: "cluster PassthroughCluster, route allow_any",
		Rivals:   []Rival{{"headless-pod-ip-passthrough", "the address is a pod of the mesh, and it fails"}},
		Checks:   []string{"kubectl get services,serviceentries -A -o wide | grep -F {host}", "kubectl get pods -A -o wide --field-selector status.podIP={upstream_ip}"},
		Remedy:   "None if the host is meant to be outside. Otherwise declare its port in a Service, or register the host with a ServiceEntry.",
		Docs:     []string{"https://istio.io/latest/docs/ops/configuration/traffic-management/traffic-routing/"},
		Examples: []string{`[2026-05-03T08:40:20.480Z] "GET /rates HTTP/1.1" 200 - via_upstream - "-" 0 812 31 30 "-" "axios/1.7.7" "e46e2616-ce8b-47a4-b5a1-b7cbb5d6e465" "fx.example.org" "203.0.113.40:80" PassthroughCluster 10.61.4.20:51022 203.0.113.40:80 10.61.4.20:40118 - allow_any`},
	},
	{
		ID: "inbound-undeclared-port", Title: "Traffic entered on a port that no Service declares", Side: Platform, Severity: Info,
		Meaning:  "A caller reached a container port that no Service lists. It works, but the protocol is guessed and no per-service policy applies. Where the address is outside of the pod, containers or machines behind a bridge in it (docker0, KubeVirt) called out, and that was taken for traffic that comes in: it often fails.",
		Evidence: "cluster InboundPassthroughCluster (before Istio 1.23 with Ipv4 or Ipv6 at the end)",
		Rivals:   []Rival{{"upstream-refused", "the port is closed: the record fails with UF"}},
		Checks:   []string{"kubectl get services -n {namespace} -o wide", "kubectl get pod {pod} -n {namespace} -o jsonpath='{.spec.containers[*].ports}'"},
		Remedy:   "Declare the port in the Service, with a name that tells its protocol. For what calls out from behind a bridge, name the bridge in the pod's annotation istio.io/reroute-virtual-interfaces (before Istio 1.25 traffic.sidecar.istio.io/kubevirtInterfaces).",
		Docs:     []string{"https://istio.io/latest/docs/ops/deployment/application-requirements/", "https://istio.io/latest/docs/reference/config/annotations/"},
		Examples: []string{`[2026-05-04T13:47:31.517Z] "GET /metrics HTTP/1.1" 200 - via_upstream - "-" 0 812 3 2 "-" "okhttp/4.12.0" "060df6cd-9bb3-40da-9fa1-8b842da71e82" "10.61.7.33:9102" "10.61.7.33:9102" InboundPassthroughCluster 127.0.0.6:42871 10.61.7.33:9102 10.61.4.20:40118 - -`},
	},
}

var egressRules = []Rule{
	{"flag:UH black-hole tcp", "egress-blocked-tcp", "", High},
	{"flag:UH black-hole", "egress-blocked-http", "", High},
	{"flag:UH tcp column:cluster !cluster", "egress-blocked-tcp", "no-endpoints", Medium},
	{"details:^direct_response$ black-hole", "egress-blocked-http", "", High},
	{"details:^direct_response$ route:^block_all$", "egress-blocked-http", "", High},
	{"details:^direct_response$ code:502 !route", "egress-blocked-http", "redirect-or-direct-response", Low},
	{"details:^direct_response$ code:500 route:^httproute", "backend-ref-not-found", "", High},
	{"details:^direct_response$ code:500 !route", "backend-ref-not-found", "redirect-or-direct-response", Low},
	{"details:^direct_response$", "redirect-or-direct-response", "", High},
	{"!failed passthrough", "egress-passthrough", "", High},
	{"!failed inbound-passthrough", "inbound-undeclared-port", "", High},
}
