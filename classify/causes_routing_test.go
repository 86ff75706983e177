package classify

import (
	"slices"
	"testing"
)

func TestRoutingRules(t *testing.T) { checkRuled(t, routingRecords()) }

func routingRecords() []ruled { return slices.Concat(routeRecords(), egressRecords()) }

func routeRecords() []ruled {
	nr := hop{code: 404, flags: "NR", details: "route_not_found", path: "/v2/basket"}
	site := func(name string) func(*hop) {
		return func(h *hop) { h.asked, h.sni, h.local = name, name, "10.62.9.3:8443" }
	}
	asked := func(host string) func(*hop) { return func(h *hop) { h.asked = host } }
	on := func(port string) func(*hop) { return func(h *hop) { h.local = "10.62.9.3:" + port } }
	chain := hop{flags: "NR", details: "filter_chain_not_found", method: "tcp", local: "10.62.9.3:8443"}
	silent := hop{flags: "NR", method: "tcp", local: "10.62.9.3:8443"}
	because := func(reason string) func(*hop) { return func(h *hop) { h.downstream = reason } }
	http := "TLS_error|error:1000009c:SSL_routines:OPENSSL_internal:HTTP_REQUEST:TLS_error_end"
	other := "TLS_error|error:100000f7:SSL_routines:OPENSSL_internal:WRONG_VERSION_NUMBER:TLS_error_end"
	return []ruled{
		// no route
		{nr.istio(), "route-missing", "gateway-host-unbound route-config-not-received"},
		{nr.mixer(), "route-missing", "gateway-host-unbound route-config-not-received"},
		{nr.envoy(), "route-missing", "gateway-host-unbound route-config-not-received"},
		{nr.object(), "route-missing", "gateway-host-unbound route-config-not-received"},
		{with(nr, func(h *hop) { h.code, h.method, h.proto = 200, "POST", "HTTP/2" }).istio(), "route-missing", "gateway-host-unbound route-config-not-received"},
		{with(nr, asked("basket.market.svc.cluster.local")).istio(), "route-missing", "gateway-host-unbound route-config-not-received"},
		{with(nr, func(h *hop) { h.method, h.path, h.asked = "CONNECT", "-", "fx.example.org:443" }).istio(), "route-missing", "websocket-upgrade-refused gateway-host-unbound"},
		{nr.object("response_flags"), "route-missing", "gateway-host-unbound route-config-not-received"},
		{with(nr, asked("203.0.113.9")).istio(), "route-missing", "gateway-host-unbound unknown-host-probe"},
		{with(nr, asked("203.0.113.9:8080")).istio(), "route-missing", "route-host-port-mismatch gateway-host-unbound"},
		{with(nr, asked("[fd00::9]:8080")).istio(), "route-missing", "route-host-port-mismatch gateway-host-unbound"},
		{with(nr, asked("basket:7070")).istio(), "route-missing", "route-host-port-mismatch gateway-host-unbound"},
		{with(nr, asked("basket:7070")).envoy(), "route-missing", "route-host-port-mismatch gateway-host-unbound"},
		{with(nr, asked("market.example.net:30443")).istio(), "route-host-port-mismatch", "route-missing gateway-host-unbound"},
		{with(nr, asked("basket:9999")).object(), "route-host-port-mismatch", "route-missing gateway-host-unbound"},
		{with(nr, func(h *hop) { h.details = "route_configuration_not_found" }).istio(), "route-config-not-received", "route-missing"},
		{with(nr, func(h *hop) { h.flags, h.details = "", "route_configuration_not_found" }).object(), "route-config-not-received", "route-missing"},

		// gateways
		{with(nr, site("market.example.net")).istio(), "gateway-host-unbound", "route-missing gateway-vs-tls-mismatch"},
		{with(nr, func(h *hop) { site("Market.example.net")(h); h.asked = "market.example.net:443" }).istio(), "gateway-host-unbound", "route-missing gateway-vs-tls-mismatch"},
		{with(nr, func(h *hop) { site("market.example.net")(h); h.asked, h.proto = "admin.example.net", "HTTP/2" }).istio(), "gateway-shared-cert-connection-reuse", "route-missing gateway-host-unbound"},
		{with(nr, func(h *hop) { site("market.example.net")(h); h.asked, h.proto = "admin.example.net", "HTTP/3" }).object(), "gateway-shared-cert-connection-reuse", "route-missing gateway-host-unbound"},
		{with(nr, func(h *hop) { site("market.example.net")(h); h.asked, h.proto = "admin.example.net", "HTTP/2" }).mixer(), "gateway-shared-cert-connection-reuse", "route-missing gateway-host-unbound"},
		{with(nr, func(h *hop) { site("market.example.net")(h); h.asked = "admin.example.net" }).istio(), "gateway-host-unbound", "route-missing gateway-shared-cert-connection-reuse"},

		// scanners
		{with(nr, func(h *hop) { h.path, h.asked = "/.env", "203.0.113.9" }).istio(), "unknown-host-probe", "route-missing gateway-host-unbound"},
		{with(nr, func(h *hop) { h.path = "/blog/wp-login.php?x=1" }).mixer(), "unknown-host-probe", "route-missing gateway-host-unbound"},
		{with(nr, func(h *hop) { h.path = "/cgi-bin/luci/;stok=/locale" }).envoy(), "unknown-host-probe", "route-missing gateway-host-unbound"},
		{with(nr, func(h *hop) { h.agent = "Mozilla/5.0 zgrab/0.x" }).istio(), "unknown-host-probe", "route-missing gateway-host-unbound"},
		{with(nr, func(h *hop) { h.path, h.asked = "//lib/app.js", "market.example.net" }).object(), "unknown-host-probe", "route-missing gateway-host-unbound"},
		{with(nr, func(h *hop) { h.path = "/environment?from=/.env" }).istio(), "route-missing", "gateway-host-unbound route-config-not-received"},

		// no cluster
		{hop{code: 503, flags: "NC", details: "cluster_not_found"}.istio(), "cluster-missing", ""},
		{hop{code: 404, flags: "NC", details: "cluster_not_found"}.istio(), "cluster-missing", ""},
		{hop{code: 200, flags: "NC", details: "cluster_not_found", method: "POST", proto: "HTTP/2"}.object(), "cluster-missing", ""},
		{hop{code: 503, flags: "NC"}.envoy(), "cluster-missing", ""},
		{hop{code: 503, flags: "NR", details: "cluster_not_found"}.istio(), "cluster-missing", ""},
		{hop{code: 503, flags: "NR"}.mixer(), "cluster-missing", "route-missing"},
		{hop{code: 503, details: "cluster_not_found"}.object("response_flags"), "cluster-missing", ""},
		{hop{flags: "NC", method: "tcp"}.istio(), "cluster-missing", ""},

		// no filter chain
		{chain.istio(), "sni-not-sent", "sni-no-match http-to-https-port"},
		{chain.object(), "sni-not-sent", "sni-no-match"},
		{chain.object("requested_server_name"), "sni-not-sent", "sni-no-match gateway-port-name-conflict plaintext-to-strict-mtls"},
		{chain.envoy(), "sni-not-sent", "sni-no-match plaintext-to-strict-mtls cluster-missing"},
		{with(chain, func(h *hop) { h.sni = "orders.example.net" }).istio(), "sni-no-match", "gateway-port-name-conflict gateway-vs-tls-mismatch tls-params-mismatch"},
		{with(chain, func(h *hop) { h.sni, h.local = "basket.market.svc.cluster2.global", "10.62.9.3:32022" }).istio(), "sni-no-match", "gateway-port-name-conflict gateway-vs-tls-mismatch tls-params-mismatch"},
		{with(chain, on("7070")).istio(), "plaintext-to-strict-mtls", "sni-not-sent http-to-https-port"},
		{with(chain, on("15006")).object(), "plaintext-to-strict-mtls", "sni-not-sent http-to-https-port"},
		{with(chain, func(h *hop) { on("7070")(h); because(http)(h) }).object(), "plaintext-to-strict-mtls", ""},
		{with(chain, func(h *hop) { on("7070")(h); because(other)(h) }).object(), "plaintext-to-strict-mtls", ""},
		{with(chain, because(http)).object(), "http-to-https-port", "sni-not-sent"},
		{with(chain, because("TLS_error|error:1000009b:SSL_routines:OPENSSL_internal:HTTPS_PROXY_REQUEST:TLS_error_end")).object(), "http-to-https-port", "sni-not-sent"},
		{with(chain, because(http)).object("downstream_local_address"), "http-to-https-port", "plaintext-to-strict-mtls sni-not-sent"},
		{with(chain, because(other)).object(), "downstream-tls-failed", "http-to-https-port"},
		{silent.mixer(), "sni-not-sent", "sni-no-match plaintext-to-strict-mtls cluster-missing"},
		{with(silent, on("7070")).mixer(), "plaintext-to-strict-mtls", "sni-not-sent cluster-missing"},
		{with(silent, func(h *hop) { h.sni = "orders.example.net" }).mixer(), "sni-no-match", "gateway-port-name-conflict cluster-missing"},
	}
}

func egressRecords() []ruled {
	fixed := hop{code: 502, details: "direct_response", asked: "fx.example.org"}
	on := func(cluster, route string) func(*hop) { return func(h *hop) { h.cluster, h.route = cluster, route } }
	coded := func(code int) func(*hop) { return func(h *hop) { h.code = code } }
	good := hop{code: 200, details: "via_upstream", served: "3", took: 4, host: "203.0.113.8:80", received: 12, sent: 900}
	return []ruled{
		{with(fixed, on("", "block_all")).istio(), "egress-blocked-http", ""},
		{with(fixed, on("BlackHoleCluster", "")).object(), "egress-blocked-http", ""},
		{fixed.object("route_name"), "egress-blocked-http", "redirect-or-direct-response"},
		{with(fixed, on("", "closed-for-today")).istio(), "redirect-or-direct-response", ""},
		{with(fixed, func(h *hop) { h.code, h.route = 500, "httproute/market/basket/rule/0/match/0/market_example_net" }).object(), "backend-ref-not-found", ""},
		{with(fixed, coded(500)).istio(), "backend-ref-not-found", "redirect-or-direct-response"},
		{with(fixed, func(h *hop) { h.code, h.route = 500, "closed-for-today" }).istio(), "redirect-or-direct-response", ""},
		{with(fixed, coded(301)).istio(), "redirect-or-direct-response", ""},
		{with(fixed, coded(404)).istio(), "redirect-or-direct-response", ""},
		{with(fixed, coded(503)).istio(), "redirect-or-direct-response", ""},
		{with(good, on("PassthroughCluster", "allow_any")).istio(), "egress-passthrough", ""},
		{with(good, on("PassthroughCluster", "allow_any")).mixer(), "egress-passthrough", ""},
		{with(good, func(h *hop) { on("PassthroughCluster", "")(h); h.method, h.code, h.details = "tcp", 0, "" }).istio(), "egress-passthrough", ""},
		{with(good, on("InboundPassthroughCluster", "default")).istio(), "inbound-undeclared-port", ""},
		{with(good, on("InboundPassthroughClusterIpv4", "default")).istio(), "inbound-undeclared-port", ""},
		{with(good, on("InboundPassthroughClusterIpv6", "default")).object(), "inbound-undeclared-port", ""},
		{with(good, on(basket, "default")).istio(), "", ""},
	}
}

// A wrong guess about an address is a wrong cause.
func TestAddresses(t *testing.T) {
	for _, a := range []struct {
		address, host, port string
		private, number     bool
	}{
		{"10.62.5.9:7070", "10.62.5.9", "7070", true, true},
		{"10.62.5.9", "10.62.5.9", "", true, true},
		{"[fd00::7]:7070", "fd00::7", "7070", true, true},
		{"[2001:db8::7]:7070", "2001:db8::7", "7070", false, true},
		{"[2001:db8::7]", "2001:db8::7", "", false, true},
		{"[2001:db8", "[2001:db8", "", false, false},
		{"2001:db8::7", "2001:db8::7", "", false, true},
		{"fd00::7", "fd00::7", "", true, true},
		{"dead.beef.cafe.face:1", "dead.beef.cafe.face", "1", false, false},
		{"172.15.0.1:1", "172.15.0.1", "1", false, true},
		{"172.31.0.1:1", "172.31.0.1", "1", true, true},
		{"192.168.4.4:1", "192.168.4.4", "1", true, true},
		{"100.64.0.9:1", "100.64.0.9", "1", true, true},
		{"100.128.0.9:1", "100.128.0.9", "1", false, true},
		{"127.0.0.1:1", "127.0.0.1", "1", true, true},
		{"1000.1.1.1:1", "1000.1.1.1", "1", false, true},
		{"10", "10", "", false, false},
		{"10.example.org:1", "10.example.org", "1", false, false},
		{"basket:7070", "basket", "7070", false, false},
		{"feed.example.org:443", "feed.example.org", "443", false, false},
		{"envoy://connect_originate/10.62.5.9:7070", "envoy://connect_originate/10.62.5.9:7070", "", false, false},
		{"", "", "", false, false},
	} {
		host, port := cutPort([]byte(a.address))
		if string(host) != a.host || string(port) != a.port || isPrivate(host) != a.private || isAddress(host) != a.number {
			t.Errorf("%q: %q %q private %v address %v", a.address, host, port, isPrivate(host), isAddress(host))
		}
	}
}
