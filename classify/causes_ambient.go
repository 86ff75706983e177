package classify

// ambientCauses are about ztunnel, waypoints and the tunnel between them.
var ambientCauses = []Cause{
	{
		ID: "ambient-no-endpoints", Title: "Waypoint finds no endpoint for the service", Parent: "no-endpoints", Side: Platform, Severity: Error,
		Meaning:  "The waypoint has the service, but no endpoint of it: no ready pod, or none that its labels select.",
		Evidence: "flag UH on a waypoint or ambient gateway: cluster inbound-vip|... or connect_originate",
		Rivals:   []Rival{{"no-endpoints", "the same on a sidecar: the cluster begins with outbound"}},
		Checks: []string{
			"kubectl get endpointslices -n {upstream_namespace} -l kubernetes.io/service-name={service}",
			`istioctl proxy-config endpoints {pod} -n {namespace} --cluster "{cluster}"`,
			"istioctl ztunnel-config services",
		},
		Remedy: "Bring pods of the service up, and compare the Service's selector and targetPort with the pods.",
		Docs:   []string{"https://istio.io/latest/docs/ambient/usage/troubleshoot-ztunnel/", "https://istio.io/latest/docs/ambient/usage/troubleshoot-waypoint/"},
		Examples: []string{
			`[2026-04-02T08:15:30.101Z] "GET /cart HTTP/1.1" 503 UH no_healthy_upstream - "-" 0 19 0 - "-" "curl/8.6.0" "5f0b1d5e-8c11-4f43-9b57-0d8b7a1c2e01" "cart.shop:7070" "-" inbound-vip|7070|http|cart.shop.svc.cluster.local - 10.60.40.7:7070 10.60.1.9:41822 - default`,
		},
	},
	{
		ID: "ambient-hbone-failed", Title: "Tunnel to the destination's ztunnel failed", Side: Network, Severity: Error,
		Meaning:  "The mesh tunnel (HBONE) to the destination's ztunnel failed. The outer record only says that the connection broke; the record of connect_originate, or the log of ztunnel on either node, says why.",
		Evidence: "upstream host envoy://connect_originate/..., cluster connect_originate, tunnel_response:CODE, or an error of ztunnel about the tunnel",
		Rivals: []Rival{
			{"ambient-policy-denied", "the tunnel was answered 401"},
			{"ambient-peer-not-captured", "the tunnel port refuses: no ztunnel listens for that pod"},
			{"ambient-hbone-blocked", "nobody answers on port 15008"},
			{"upstream-refused", "ztunnel of the destination answered 503: the application does not listen"},
			{"ambient-no-endpoints", "the waypoint's own record carries UH"},
		},
		Checks: []string{
			"kubectl logs -n istio-system -l app=ztunnel --prefix --tail=-1 --since=15m | grep -F {upstream_ip}",
			"istioctl ztunnel-config workloads | grep -F {upstream_ip}",
			"kubectl get pods -n istio-system -l app=ztunnel -o wide",
			"kubectl get networkpolicies -A",
		},
		Remedy: "Read the error in the ztunnel log of the destination's node. Open port 15008 between all pods, restart a ztunnel that is not ready, and let the destination's policies allow the waypoint's service account.",
		Docs:   []string{"https://istio.io/latest/docs/ambient/usage/troubleshoot-ztunnel/", "https://istio.io/latest/docs/ambient/usage/troubleshoot-waypoint/"},
		Examples: []string{
			`[2026-04-02T08:15:30.101Z] "GET /cart HTTP/1.1" 503 UC upstream_reset_before_response_started{connection_termination} - "-" 0 95 4 - "-" "curl/8.6.0" "5f0b1d5e-8c11-4f43-9b57-0d8b7a1c2e01" "cart.shop:7070" "envoy://connect_originate/10.60.2.14:7070" inbound-vip|7070|http|cart.shop.svc.cluster.local envoy://internal_client_address/ 10.60.40.7:7070 10.60.1.9:41822 - default`,
			`[2026-04-02T08:15:30.101Z] "- - -" 0 UF,URX - - "tunnel_response:503" 0 0 1 - "-" "-" "5f0b1d5e-8c11-4f43-9b57-0d8b7a1c2e01" "-" "10.60.2.14:15008" connect_originate - envoy://internal_client_address/ envoy://internal_client_address/ - -`,
			`2026-04-02T08:15:30.101482Z	error	access	connection complete	src.addr=10.60.1.9:41822 src.workload="web-66c" src.namespace="shop" src.identity="spiffe://cluster.local/ns/shop/sa/web" dst.addr=10.60.2.14:15008 dst.hbone_addr=10.60.2.14:7070 dst.service="cart.shop.svc.cluster.local" dst.workload="cart-5b9" dst.namespace="shop" dst.identity="spiffe://cluster.local/ns/shop/sa/cart" direction="outbound" bytes_sent=0 bytes_recv=0 duration="3ms" error="http status: 503 Service Unavailable"`,
		},
	},
	{
		ID: "ambient-hbone-blocked", Title: "Tunnel port 15008 is not reachable", Parent: "ambient-hbone-failed", Side: Network, Severity: Error,
		Meaning:  "Connections to port 15008 of the destination get no answer. A NetworkPolicy or firewall that was written for the application's port drops the tunnel.",
		Evidence: `ztunnel error "connection timed out, maybe a NetworkPolicy is blocking HBONE port 15008"`,
		Rivals: []Rival{
			{"ambient-peer-not-captured", "the pod is reachable but its ztunnel is not there: refused rather than silent"},
			{"upstream-connect-timeout", "the node itself is gone"},
			{"ambient-hbone-failed", "packets reach the port: the failure comes at once, not after a timeout"},
		},
		Checks: []string{
			"kubectl get networkpolicies -n {upstream_namespace} -o custom-columns=NAME:.metadata.name,PODS:.spec.podSelector,INGRESS:.spec.ingress",
			"istioctl ztunnel-config workloads | grep -F {upstream_ip}",
			"kubectl get nodes -o wide",
		},
		Remedy: "Allow TCP 15008 to and from every pod of the mesh in the NetworkPolicies and security groups.",
		Docs:   []string{"https://istio.io/latest/docs/ambient/usage/troubleshoot-ztunnel/", "https://istio.io/latest/docs/ambient/usage/networkpolicy/"},
		Examples: []string{
			`2026-04-02T08:15:30.101482Z	error	access	connection complete	src.addr=10.60.1.9:41822 src.workload="web-66c" src.namespace="shop" src.identity="spiffe://cluster.local/ns/shop/sa/web" dst.addr=10.60.2.14:15008 dst.hbone_addr=10.60.2.14:7070 dst.service="cart.shop.svc.cluster.local" dst.workload="cart-5b9" dst.namespace="shop" dst.identity="spiffe://cluster.local/ns/shop/sa/cart" direction="outbound" bytes_sent=0 bytes_recv=0 duration="3ms" error="connection timed out, maybe a NetworkPolicy is blocking HBONE port 15008: deadline has elapsed"`,
		},
	},
	{
		ID: "ambient-policy-denied", Title: "Layer 4 policy denied the caller", Side: Client, Severity: Warning,
		Meaning:  "A layer 4 AuthorizationPolicy, which ztunnel enforces, does not let the caller in. Behind a waypoint the caller is the waypoint: policies on the pod must allow the waypoint's service account.",
		Evidence: `ztunnel error "connection closed due to policy rejection", or tunnel answer 401`,
		Rivals: []Rival{
			{"ambient-hbone-failed", "the tunnel failed for another reason: the status is not 401"},
			{"ambient-policy-changed", "an open connection was closed when a policy changed"},
		},
		Checks: []string{
			"istioctl ztunnel-config policies",
			"kubectl get authorizationpolicies -A",
			"kubectl logs -n istio-system -l app=ztunnel --prefix --tail=-1 --since=15m | grep -F {upstream_ip}",
		},
		Remedy:   "Add the caller's (or the waypoint's) service account to an ALLOW policy, or bind the policy to the waypoint with targetRefs. Rules about HTTP in a policy that ztunnel enforces deny.",
		Versions: "Since Istio 1.24 the error tells whether nothing allowed or a policy denied.",
		Docs:     []string{"https://istio.io/latest/docs/ambient/usage/l4-policy/", "https://istio.io/latest/docs/ambient/usage/troubleshoot-ztunnel/"},
		Examples: []string{
			`2026-04-02T08:15:30.101482Z	error	access	connection complete	src.addr=10.60.1.9:41822 src.workload="web-66c" src.namespace="shop" src.identity="spiffe://cluster.local/ns/shop/sa/web" dst.addr=10.60.2.14:15008 dst.hbone_addr=10.60.2.14:7070 dst.service="cart.shop.svc.cluster.local" dst.workload="cart-5b9" dst.namespace="shop" dst.identity="spiffe://cluster.local/ns/shop/sa/cart" direction="inbound" bytes_sent=0 bytes_recv=0 duration="3ms" error="connection closed due to policy rejection: allow policies exist, but none allowed"`,
			`[2026-04-02T08:15:30.101Z] "- - -" 0 URX,UF - - "tunnel_response:401" 0 0 1 - "-" "-" "5f0b1d5e-8c11-4f43-9b57-0d8b7a1c2e01" "-" "10.60.2.14:15008" connect_originate - envoy://internal_client_address/ envoy://internal_client_address/ - -`,
		},
	},
	{
		ID: "ambient-policy-changed", Title: "Policy change closed an open connection", Parent: "ambient-policy-denied", Side: ControlPlane, Severity: Warning,
		Meaning:  "A policy changed, and the connection that was open is not allowed any more, so ztunnel closed it.",
		Evidence: `ztunnel error "connection closed due to policy change"`,
		Rivals:   []Rival{{"ambient-policy-denied", "new connections of the caller are refused too"}},
		Checks: []string{
			"kubectl get authorizationpolicies -A --sort-by=.metadata.creationTimestamp",
			"istioctl ztunnel-config policies",
		},
		Remedy: "Wanted, if the policy is right; else restore it.",
		Docs:   []string{"https://istio.io/latest/docs/ambient/usage/l4-policy/"},
		Examples: []string{
			`2026-04-02T08:15:30.101482Z	error	access	connection complete	src.addr=10.60.1.9:41822 src.workload="web-66c" src.namespace="shop" src.identity="spiffe://cluster.local/ns/shop/sa/web" dst.addr=10.60.2.14:15008 dst.hbone_addr=10.60.2.14:7070 dst.service="cart.shop.svc.cluster.local" dst.workload="cart-5b9" dst.namespace="shop" dst.identity="spiffe://cluster.local/ns/shop/sa/cart" direction="inbound" bytes_sent=0 bytes_recv=0 duration="3ms" error="connection closed due to policy change"`,
		},
	},
	{
		ID: "ambient-waypoint-missing", Title: "Configured waypoint is unknown", Side: ControlPlane, Severity: Error,
		Meaning:  "Service or namespace are told to use a waypoint (label istio.io/use-waypoint) that ztunnel does not know: it was deleted, is not ready, or lives in a namespace that was not named.",
		Evidence: `ztunnel error "unknown waypoint"`,
		Rivals:   []Rival{{"ambient-unknown-destination", "the error names the destination, not a waypoint"}},
		Checks: []string{
			"kubectl get gateways.gateway.networking.k8s.io -A -l gateway.networking.k8s.io/gateway-name",
			"kubectl get services,namespaces -A -L istio.io/use-waypoint,istio.io/use-waypoint-namespace",
			"istioctl waypoint list -A",
		},
		Remedy: "Create the waypoint (istioctl waypoint apply), or remove or correct the label.",
		Docs:   []string{"https://istio.io/latest/docs/ambient/usage/waypoint/", "https://istio.io/latest/docs/ambient/usage/troubleshoot-ztunnel/"},
		Examples: []string{
			`2026-04-02T08:15:30.101482Z	error	access	connection complete	src.addr=10.60.1.9:41822 src.workload="web-66c" src.namespace="shop" src.identity="spiffe://cluster.local/ns/shop/sa/web" dst.addr=10.60.40.7:7070 dst.service="cart.shop.svc.cluster.local" dst.workload="cart-5b9" dst.namespace="shop" dst.identity="spiffe://cluster.local/ns/shop/sa/cart" direction="outbound" bytes_sent=0 bytes_recv=0 duration="3ms" error="unknown waypoint: waypoint shop/cart-waypoint not found"`,
		},
	},
	{
		ID: "ambient-peer-not-captured", Title: "Destination pod is not captured by its ztunnel", Parent: "ambient-hbone-failed", Side: Platform, Severity: Error, Aliases: []string{"ztunnel-backend-refused"},
		Meaning:  "The control plane says that the destination pod takes the mesh tunnel, but nothing listens on its port 15008: its node's ztunnel is down, or the pod was never captured.",
		Evidence: "ztunnel, outbound to port 15008: Connection refused",
		Rivals: []Rival{
			{"ambient-hbone-failed", "the tunnel was made and broke later"},
			{"upstream-refused", "the port refused is the application's, not 15008"},
		},
		Checks: []string{
			"istioctl ztunnel-config workloads | grep -F {upstream_ip}",
			"kubectl get pods -n istio-system -o wide -l app=ztunnel",
			"kubectl logs -n istio-system -l k8s-app=istio-cni-node --prefix --tail=-1 --since=1h | grep -F {upstream_ip}",
		},
		Remedy: "Restart the ztunnel of the destination's node if it is not ready; else restart the pod, so that istio-cni captures it anew.",
		Docs:   []string{"https://istio.io/latest/docs/ambient/usage/troubleshoot-ztunnel/"},
		Examples: []string{
			`2026-04-02T08:15:30.101482Z	error	access	connection complete	src.addr=10.60.1.9:41822 src.workload="web-66c" src.namespace="shop" src.identity="spiffe://cluster.local/ns/shop/sa/web" dst.addr=10.60.2.14:15008 dst.hbone_addr=10.60.2.14:7070 dst.service="cart.shop.svc.cluster.local" dst.workload="cart-5b9" dst.namespace="shop" dst.identity="spiffe://cluster.local/ns/shop/sa/cart" direction="outbound" bytes_sent=0 bytes_recv=0 duration="3ms" error="connection failed: io error: Connection refused (os error 111)"`,
		},
	},
	{
		ID: "ambient-peer-identity", Title: "Peer's certificate carries another identity", Parent: "ambient-hbone-failed", Side: ControlPlane, Severity: Error,
		Meaning:  "The one who answered on the tunnel port showed a certificate of another identity than expected: the address belongs to another pod now, or the workload's service account changed.",
		Evidence: `ztunnel error "peer did not present the expected SAN"`,
		Rivals:   []Rival{{"upstream-cert-untrusted", "the certificate's issuer is not trusted"}},
		Checks: []string{
			"istioctl ztunnel-config workloads | grep -F {upstream_ip}",
			"istioctl ztunnel-config certificates",
			"kubectl get pods -A -o wide --field-selector status.podIP={upstream_ip}",
		},
		Remedy: "Compare the pod that has the address with what ztunnel believes. If they differ for long, restart ztunnel on the calling node and look at istiod.",
		Docs:   []string{"https://istio.io/latest/docs/ambient/usage/troubleshoot-ztunnel/"},
		Examples: []string{
			`2026-04-02T08:15:30.101482Z	error	access	connection complete	src.addr=10.60.1.9:41822 src.workload="web-66c" src.namespace="shop" src.identity="spiffe://cluster.local/ns/shop/sa/web" dst.addr=10.60.2.14:15008 dst.hbone_addr=10.60.2.14:7070 dst.service="cart.shop.svc.cluster.local" dst.workload="cart-5b9" dst.namespace="shop" dst.identity="spiffe://cluster.local/ns/shop/sa/cart" direction="outbound" bytes_sent=0 bytes_recv=0 duration="3ms" error="io error: invalid peer certificate: Other(OtherError(identity verification error: peer did not present the expected SAN (spiffe://cluster.local/ns/shop/sa/cart), got spiffe://cluster.local/ns/shop/sa/web))"`,
		},
	},
	{
		ID: "ambient-protocol-error", Title: "Peer on the tunnel port does not speak HBONE", Parent: "ambient-hbone-failed", Side: Network, Severity: Error,
		Meaning:  "What answers, or calls, on port 15008 does not speak the mesh tunnel.",
		Evidence: `ztunnel errors "http2 handshake failed", "h2 failed", "expected method CONNECT", "invalid CONNECT address"`,
		Rivals:   []Rival{{"ambient-hbone-failed", "the tunnel protocol was right and the peer gave up"}},
		Checks: []string{
			"kubectl logs -n istio-system -l app=ztunnel --prefix --tail=-1 --since=15m | grep -F {upstream_ip}",
			"kubectl get pods" + withFields + "PORTS:..containerPort" + " | grep -E '^NS|15008'",
		},
		Remedy: "Keep port 15008 for the mesh: no application may listen there, and nobody but ztunnel, waypoints and gateways may call it.",
		Docs:   []string{"https://istio.io/latest/docs/ambient/usage/troubleshoot-ztunnel/"},
		Examples: []string{
			`2026-04-02T08:15:30.101482Z	error	access	connection complete	src.addr=10.60.1.9:41822 src.workload="web-66c" src.namespace="shop" src.identity="spiffe://cluster.local/ns/shop/sa/web" dst.addr=10.60.2.14:15008 dst.hbone_addr=10.60.2.14:7070 dst.service="cart.shop.svc.cluster.local" dst.workload="cart-5b9" dst.namespace="shop" dst.identity="spiffe://cluster.local/ns/shop/sa/cart" direction="inbound" bytes_sent=0 bytes_recv=0 duration="3ms" error="expected method CONNECT, got GET"`,
		},
	},
	{
		ID: "ambient-unknown-destination", Title: "Destination is unknown to ztunnel", Side: ControlPlane, Severity: Error,
		Meaning:  "ztunnel does not know the address or host that was called: the control plane has not told it, or, in a mesh of several networks, the east-west gateway of the other network is missing.",
		Evidence: `ztunnel errors "no service for target address", "unknown destination", "no service or workload for hostname", "unknown network gateway"`,
		Rivals: []Rival{
			{"no-endpoints", "the service is known but has no pod"},
			{"ambient-waypoint-missing", "the error names a waypoint"},
		},
		Checks: []string{
			"istioctl ztunnel-config services",
			"istioctl ztunnel-config workloads",
			"kubectl get gateways.gateway.networking.k8s.io -n istio-system -L topology.istio.io/network",
		},
		Remedy: "See that istiod is reachable for ztunnel and that the Service exists; for other networks, install and expose the east-west gateway.",
		Docs:   []string{"https://istio.io/latest/docs/ambient/usage/troubleshoot-ztunnel/"},
		Examples: []string{
			`2026-04-02T08:15:30.101482Z	error	access	connection complete	src.addr=10.60.1.9:41822 src.workload="web-66c" src.namespace="shop" src.identity="spiffe://cluster.local/ns/shop/sa/web" dst.addr=10.60.40.7:7070 dst.service="cart.shop.svc.cluster.local" dst.workload="cart-5b9" dst.namespace="shop" dst.identity="spiffe://cluster.local/ns/shop/sa/cart" direction="inbound" bytes_sent=0 bytes_recv=0 duration="3ms" error="no service for target address: 10.60.40.7:7070"`,
		},
	},
	{
		ID: "ambient-capture-failed", Title: "ztunnel could not set up capture for a pod", Side: Platform, Severity: Error,
		Meaning:  "ztunnel could not set up the pod's network: its addresses do not fit, or it could not bind a port inside the pod.",
		Evidence: `ztunnel errors "attempted recursive call to ourselves", "ip mismatch", "failed to bind to address"`,
		Rivals: []Rival{
			{"ztunnel-dns-bind-failed", "the port is that of DNS"},
			{"cni-install", "the CNI plugin works on no pod of the node"},
		},
		Checks: []string{
			"kubectl logs -n istio-system -l k8s-app=istio-cni-node --prefix --tail=-1 --since=1h",
			"kubectl get pods -n {namespace} -o wide",
			"kubectl logs -n istio-system -l app=ztunnel --prefix --tail=-1 --since=15m | grep -F {upstream_ip}",
		},
		Remedy: "Restart the pod. If it stays, look at the log of istio-cni on that node and at other network plugins.",
		Docs:   []string{"https://istio.io/latest/docs/ambient/usage/troubleshoot-ztunnel/", "https://istio.io/latest/docs/setup/additional-setup/cni/"},
		Examples: []string{
			`2026-04-02T08:15:30.101482Z	error	access	connection complete	src.addr=10.60.1.9:41822 src.workload="web-66c" src.namespace="shop" src.identity="spiffe://cluster.local/ns/shop/sa/web" dst.addr=10.60.2.14:15008 dst.hbone_addr=10.60.2.14:7070 dst.service="cart.shop.svc.cluster.local" dst.workload="cart-5b9" dst.namespace="shop" dst.identity="spiffe://cluster.local/ns/shop/sa/cart" direction="inbound" bytes_sent=0 bytes_recv=0 duration="3ms" error="ip mismatch: 10.60.2.14 != 10.60.2.77"`,
		},
	},
}

var ambientRules = []Rule{
	// ztunnel names its error
	{"error:certificate_revoked_by_crl", "certificate-revoked", "", High},
	{"error:policy_rejection", "ambient-policy-denied", "", High},
	{"error:policy_change", "ambient-policy-changed", "", High},
	{"error:blocking_hbone_port", "ambient-hbone-blocked", "ambient-peer-not-captured upstream-connect-timeout", High},
	{"error:unknown_waypoint", "ambient-waypoint-missing", "", High},
	{"error:no_healthy_upstream,no_endpoints_for_workload,no_valid_target_port,no_valid_routing_destination,no_ip_addresses_were_resolved,has_no_ip_addresses,cannot_resolve_port", "no-endpoints", "", High},
	{"error:no_service_for_target_address,unknown_destination,no_service_or_workload,unknown_network_gateway,no_gateway_address", "ambient-unknown-destination", "", High},
	{"error:certificateexpired,certificate_expired,invalid_peer_certificate_expired", "certificate-expired", "", High},
	{"error:expected_san,identity_verification_error", "ambient-peer-identity", "upstream-cert-untrusted", High},
	{"error:invalid_peer_certificate", "upstream-cert-untrusted", "certificate-expired", Medium},
	{"error:alertreceived", "client-cert-refused", "tls-params-mismatch", Medium},
	{"error:identity_error,certificate_fetch_failed,no_valid_existing_certificate", "workload-cert-not-issued", "", High},
	{"error:http_status_401", "ambient-policy-denied", "ambient-hbone-failed", High},
	{"error:http_status_503", "ambient-hbone-failed", "upstream-refused ambient-no-endpoints", Medium},
	{"error:http_status", "ambient-hbone-failed", "", Medium},
	{"error:connection_drain,pool_draining,failed_to_drain", "draining", "", High},
	{"error:^dns,dns_lookup,dns_response", "dns-failure", "", High},
	{"error:http2_handshake_failed,h2_failed,expected_method_connect,invalid_connect_address", "ambient-protocol-error", "ambient-hbone-failed", High},
	{"error:recursive_call_to_ourselves,ip_mismatch,failed_to_bind_to_address", "ambient-capture-failed", "", High},
	{"error:client_disconnected_before", "client-disconnected", "", High},
	{"error:destination_disconnected_before", "response-truncated", "", High},
	{"error:connection_refused outbound tunnel-port", "ambient-peer-not-captured", "ambient-hbone-failed", Medium},
	{"error:connection_refused", "upstream-refused", "", High},
	{"error:timed_out,deadline_has_elapsed outbound tunnel-port", "ambient-hbone-blocked", "ambient-hbone-failed upstream-connect-timeout", Medium},
	{"error:timed_out,deadline_has_elapsed", "upstream-connect-timeout", "", Medium},
	{"error:no_route_to_host,host_unreachable,network_is_unreachable,network_unreachable", "upstream-unreachable", "", High},
	{"error:connection_reset_by_peer,broken_pipe,^receive,^send", "client-disconnected", "response-truncated", Low},
	{"error outbound tunnel-port", "ambient-hbone-failed", "ambient-peer-not-captured", Low},
	{"error", "upstream-connect-failed", "", Low},

	// waypoints and gateways that use the tunnel
	{"flag:UH cluster:^connect_originate,^inbound_vip", "ambient-no-endpoints", "", High},
	{"reason:tunnel_response_401", "ambient-policy-denied", "ambient-hbone-failed", Medium},
	{"details:tunnel_response_401 flag:UF,UC,UPE,UR", "ambient-policy-denied", "ambient-hbone-failed", Medium},
	{"reason:tunnel_response_503", "ambient-hbone-failed", "upstream-refused ambient-peer-not-captured", High},
	{"reason:tunnel_response", "ambient-hbone-failed", "ambient-policy-denied", High},
	{"flag:UF cluster:^connect_originate reason:connection_refused,111 !both-ways", "ambient-hbone-failed", "ambient-peer-not-captured upstream-refused", High},
	{"flag:UF cluster:^connect_originate !both-ways", "ambient-hbone-failed", "ambient-hbone-blocked ambient-peer-not-captured", High},
	{"flag:UF,UC,UR,UPE host:^envoy_connect_originate !both-ways !details:^upstream_reset_after !code:101", "ambient-hbone-failed", "ambient-policy-denied ambient-peer-not-captured", Medium},
}
