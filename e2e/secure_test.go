//go:build e2e

package e2e

import (
	"crypto/tls"
	"net"
	"strings"
	"time"
)

const verify = "CERTIFICATE_VERIFY_FAILED:verify_cert_failed:"

// failed is the record of a handshake with an upstream that failed.
func failed(reason, cause string) []Want {
	return []Want{{Code: 503, Flags: "UF", Details: before("remote_connection_failure|" + reason), Cause: cause}}
}

// upstreamSecure: the proxy speaks TLS to its upstream.
func upstreamSecure(p *pki) []Scenario {
	server := func(leaf pair) *tls.Config { return &tls.Config{Certificates: []tls.Certificate{leaf.tls()}} }
	trusting := upstreamTLS(p.ca.trust(""), "")
	trust13 := upstreamTLS(p.ca.trust("")+", tls_params: {tls_maximum_protocol_version: TLSv1_3}", "")
	demanding := func(top uint16) *tls.Config {
		c := server(p.server)
		c.ClientAuth, c.ClientCAs, c.MaxVersion = tls.RequireAndVerifyClientCert, p.ca.pool(), top
		return c
	}
	ok := answers(okAnswer)
	return []Scenario{
		{Name: "ok_tls_upstream", Doc: "TLS as it should be", Up: []Upstream{ok.over(server(p.server))}, Cluster: trusting, Client: get("/"),
			Want: []Want{{Code: 200, Details: "via_upstream", OK: true}}},
		{Name: "tls_to_plaintext", Doc: "TLS to an external server that speaks plaintext", ClusterName: "outbound|80||api.example.org", Client: get("/"),
			Up: []Upstream{{Serve: plaintextServer}}, Cluster: trusting, Want: failed(tlsError("WRONG_VERSION_NUMBER"), "tls-to-plaintext-upstream mtls-to-plaintext")},
		{Name: "mtls_to_plaintext", Doc: "mutual TLS of the mesh to a plaintext server", Client: get("/"), Up: []Upstream{{Serve: plaintextServer}},
			Cluster: upstreamTLS(p.ca.trust("")+", "+p.client.identity()+", alpn_protocols: [istio]", `sni: "outbound_.8080_._.mtls-to-plaintext.lab.svc.cluster.local"`),
			Want:    failed(tlsError("WRONG_VERSION_NUMBER"), "mtls-to-plaintext tls-to-plaintext-upstream")},
		{Name: "tls_to_silence", Doc: "TLS to a server that waits", Up: []Upstream{silent()}, Cluster: trusting + ", connect_timeout: 0.5s", Client: get("/"),
			Want: []Want{{Code: 503, Flags: "UF", Details: before("connection_timeout"), Cause: "upstream-connect-timeout"}}},
		{Name: "cert_unknown_ca", Doc: "the server's certificate is of an unknown authority", Up: []Upstream{ok.over(server(p.stranger))}, Cluster: trusting, Client: get("/"),
			Want: failed(tlsError(verify+"_X509_verify_cert:*local_issuer_certificate*"), "upstream-cert-untrusted")},
		{Name: "cert_expired", Doc: "the server's certificate has expired", Up: []Upstream{ok.over(server(p.expired))}, Cluster: trusting, Client: get("/"),
			Want: failed(tlsError(verify+"_X509_verify_cert:*has_expired*"), "certificate-expired upstream-cert-untrusted")},
		{Name: "cert_too_early", Doc: "the server's certificate is not yet valid", Up: []Upstream{ok.over(server(p.future))}, Cluster: trusting, Client: get("/"),
			Want: failed(tlsError(verify+"_X509_verify_cert:*is_not_yet_valid*"), "clock-skew certificate-expired upstream-cert-untrusted")},
		{Name: "cert_revoked", Doc: "the server's certificate was taken back", Up: []Upstream{ok.over(server(p.server))}, Client: get("/"),
			Cluster: upstreamTLS(p.ca.trust("crl: {inline_string: "+quote(p.revoked(p.server))+"}"), ""),
			Want:    failed(tlsError(verify+"_X509_verify_cert:*_revoked*"), "certificate-revoked")},
		{Name: "cert_san", Doc: "the server's certificate is for another name", Up: []Upstream{ok.over(server(p.untold))}, Client: get("/"),
			Cluster: upstreamTLS(p.ca.trust(`match_typed_subject_alt_names: [{san_type: DNS, matcher: {exact: reviews.lab}}]`), ""),
			Want:    failed(tlsError(verify+"_SAN_matcher*"), "upstream-cert-untrusted")},
		{Name: "cert_pin", Doc: "the server's certificate is not the one that is pinned", Up: []Upstream{ok.over(server(p.server))}, Client: get("/"),
			Cluster: upstreamTLS(p.ca.trust(`verify_certificate_hash: ["`+strings.Repeat("ab", 32)+`"]`), ""),
			Want:    failed(tlsError(verify+"_cert_hash_and_spki*"), "upstream-cert-untrusted")},
		{Name: "client_cert_missing", Doc: "the server wants a certificate of ours (TLS 1.2)", Up: []Upstream{ok.over(demanding(tls.VersionTLS12))}, Cluster: trusting, Client: get("/"),
			Want: failed("*", "client-cert-refused tls-params-mismatch")},
		{Name: "client_cert_missing_13", Doc: "the same in TLS 1.3", Up: []Upstream{ok.over(demanding(tls.VersionTLS13))}, Cluster: trust13, Client: get("/"),
			Want: []Want{{Code: 503, Flags: "UC", Details: before("connection_termination"), Cause: "upstream-closed client-cert-refused"}}},
		{Name: "client_cert_unknown_ca", Doc: "our certificate is of an authority that the server does not know", Up: []Upstream{ok.over(demanding(tls.VersionTLS12))}, Client: get("/"),
			Cluster: upstreamTLS(p.ca.trust("")+", "+p.strangerClient.identity(), ""), Want: failed("*", "client-cert-refused tls-params-mismatch")},
		{Name: "client_cert_expired", Doc: "our certificate has expired", Up: []Upstream{ok.over(demanding(tls.VersionTLS12))}, Client: get("/"),
			Cluster: upstreamTLS(p.ca.trust("")+", "+p.expiredClient.identity(), ""), Want: failed("*", "certificate-expired client-cert-refused")},
		{Name: "tls_version", Doc: "no common version", Up: []Upstream{ok.over(&tls.Config{Certificates: []tls.Certificate{p.server.tls()}, MinVersion: tls.VersionTLS13})}, Cluster: trusting, Client: get("/"),
			Want: failed(tlsError("TLSV1_ALERT_PROTOCOL_VERSION"), "tls-params-mismatch")},
		{Name: "tls_alpn", Doc: "no common application protocol", Client: get("/"), Cluster: upstreamTLS(p.ca.trust("")+", alpn_protocols: [istio]", ""),
			Up:   []Upstream{ok.over(&tls.Config{Certificates: []tls.Certificate{p.server.tls()}, NextProtos: []string{"h2"}})},
			Want: failed(tlsError("TLSV1_ALERT_NO_APPLICATION_PROTOCOL"), "tls-params-mismatch client-cert-refused")},
		{Name: "tls_sni", Doc: "the server knows no such name", Cluster: trusting, Client: get("/"), Up: []Upstream{{Serve: func(c *conn) {
			alert(c, 112) // unrecognized_name
		}}}, Want: failed(tlsError("TLSV1_ALERT_UNRECOGNIZED_NAME"), "tls-params-mismatch")},
		{Name: "tls_cipher", Doc: "no common cipher", Cluster: trusting, Client: get("/"), Up: []Upstream{{Serve: func(c *conn) { alert(c, 40) }}},
			Want: failed("TLS_error:|*SSLV3_ALERT_HANDSHAKE_FAILURE*HANDSHAKE_FAILURE_ON_CLIENT_HELLO*", "tls-params-mismatch client-cert-refused")},
		{Name: "tls_closed", Doc: "closed in the handshake", Up: []Upstream{{Serve: func(c *conn) { c.Read(make([]byte, 4096)) }}}, Cluster: trusting, Client: get("/"),
			Want: []Want{{Code: 503, Flags: "UF", Details: before("remote_connection_failure"), Cause: "upstream-connect-failed"}}},
		{Name: "tls_reset", Doc: "reset in the handshake", Up: []Upstream{{Serve: func(c *conn) { c.Read(make([]byte, 10)); c.reset() }}}, Cluster: trusting, Client: get("/"),
			Want: failed("TLS_error:|33554536:system_library:OPENSSL_internal:Connection_reset_by_peer:TLS_error_end", "upstream-connect-failed")},
		{Name: "plaintext_to_tls_400", Doc: "plaintext to a Go server that speaks TLS: it answers 400", ClusterName: "outbound|443||api.example.org", Client: get("/"),
			Up:   []Upstream{once("HTTP/1.0 400 Bad Request\r\n\r\nClient sent an HTTP request to an HTTPS server.\n", closes)},
			Want: []Want{{Code: 400, Details: "via_upstream", OK: true}}},
		{Name: "plaintext_to_tls_alert", Doc: "plaintext to a server that answers with a TLS alert", ClusterName: "outbound|443||api.example.org", Client: get("/"),
			Up:   []Upstream{{Serve: func(c *conn) { c.request(); c.send("\x15\x03\x01\x00\x02\x02\x46") }}},
			Want: []Want{{Code: 502, Flags: "UPE", Details: before("protocol_error"), Cause: "? plaintext-to-tls-upstream upstream-protocol-error"}}},
		{Name: "plaintext_to_strict", Doc: "plaintext to another proxy that demands mutual TLS: the client's half", Client: get("/"), Cluster: `load_assignment: ` + endpoints("$CLUSTER", socket(sidePort)),
			Listeners: strictListener(p, ""),
			Want:      []Want{{Code: 503, Flags: "UC", Details: before("connection_termination"), Cause: "upstream-closed plaintext-to-strict-mtls"}}},
		{Name: "sds_upstream_missing", Doc: "the certificate for the upstream never comes", Client: get("/"), Up: []Upstream{ok.over(server(p.server))},
			Cluster:  upstreamTLS(`tls_certificate_sds_secret_configs: [{name: default, sds_config: {initial_fetch_timeout: 0.2s, api_config_source: {api_type: GRPC, transport_api_version: V3, grpc_services: [{envoy_grpc: {cluster_name: sds}}]}}}]`, ""),
			Clusters: `{name: sds, type: STATIC, connect_timeout: 1s, ` + protocols("explicit_http_config: {http2_protocol_options: {}}") + `, load_assignment: ` + endpoints("sds", socket(":9999")) + `}`,
			Want:     failed("TLS_error:_Secret_is_not_supplied_by_SDS", "workload-cert-not-issued")},
	}
}

func plaintextServer(c *conn) {
	c.Read(make([]byte, 4096))
	c.send("HTTP/1.1 400 Bad Request\r\nconnection: close\r\ncontent-length: 0\r\n\r\n")
	time.Sleep(200 * time.Millisecond)
}

// alert answers the first bytes with a fatal alert of TLS 1.2.
func alert(c *conn, description byte) {
	c.Read(make([]byte, 4096))
	c.Write([]byte{21, 3, 3, 0, 2, 2, description})
	time.Sleep(200 * time.Millisecond)
}

// strictListener is a second proxy that accepts nothing but mutual TLS.
func strictListener(p *pki, match string) string {
	s := Scenario{Listener: "name: strict, address: " + socket(sidePort), Inspect: true, Match: join(`transport_protocol: tls`, match),
		Down: downstreamTLS(p.server.identity()+", "+p.ca.trust(""), "require_client_certificate: true"), ListenerLog: false, TCP: true, Proxy: "access_log: null"}
	return strings.ReplaceAll(s.listener(), "access_log: [$LOGS], ", "")
}

// downstreamSecure: the client speaks TLS to the proxy, or should.
func downstreamSecure(p *pki) []Scenario {
	mutual := downstreamTLS(p.server.identity()+", "+p.ca.trust("")+", tls_params: {tls_maximum_protocol_version: TLSv1_2}", "require_client_certificate: true")
	plain := downstreamTLS(p.server.identity(), "")
	with := func(leaf *pair) *tls.Config {
		c := &tls.Config{ServerName: "reviews.lab", InsecureSkipVerify: true}
		if leaf != nil {
			c.GetClientCertificate = func(*tls.CertificateRequestInfo) (*tls.Certificate, error) { cert := leaf.tls(); return &cert, nil }
		}
		return c
	}
	checked := &tls.Config{ServerName: "reviews.lab", RootCAs: p.other.pool()}
	handshake := func(down, cause string) []Want { return []Want{{Code: 0, Down: down, Cause: cause}} }
	nr := func(down, cause string) []Want {
		return []Want{{Code: 0, Flags: "NR", Details: "filter_chain_not_found", Down: down, Cause: cause}}
	}
	list := []Scenario{
		{Name: "down_cert_missing", Doc: "the client shows no certificate", Down: mutual, Client: secure(with(nil), "GET /"),
			Want: handshake(tlsError("PEER_DID_NOT_RETURN_A_CERTIFICATE:peer_did_not_provide_required_client_certificate"), "downstream-cert-refused")},
		{Name: "down_cert_unknown_ca", Doc: "the client's certificate is of an unknown authority", Down: mutual, Client: secure(with(&p.strangerClient), "GET /"),
			Want: handshake(tlsError(verify+"*local_issuer_certificate*"), "downstream-cert-refused")},
		{Name: "down_cert_expired", Doc: "the client's certificate has expired", Down: mutual, Client: secure(with(&p.expiredClient), "GET /"),
			Want: handshake(tlsError(verify+"*has_expired*"), "certificate-expired downstream-cert-refused")},
		{Name: "down_served_refused", Doc: "the client refuses the proxy's certificate", Down: plain, Client: secure(checked, "GET /"),
			Want: handshake("TLS_error:|*BAD_CERTIFICATE*", "served-cert-refused")},
		{Name: "down_plaintext", Doc: "plaintext HTTP to a TLS port", Down: plain, Client: get("/"),
			Want: handshake(tlsError("HTTP_REQUEST"), "http-to-https-port")},
		{Name: "down_connect", Doc: "CONNECT to a TLS port", Down: plain, Client: raw("CONNECT reviews.lab:443 HTTP/1.1\r\nhost: reviews.lab:443\r\n\r\n"),
			Want: handshake(tlsError("HTTPS_PROXY_REQUEST"), "http-to-https-port downstream-tls-failed")},
		{Name: "down_garbage", Doc: "other bytes to a TLS port", Down: plain, Client: raw("SSH-2.0-OpenSSH_9.6\r\n"),
			Want: handshake(tlsError("WRONG_VERSION_NUMBER"), "downstream-tls-failed")},
		{Name: "down_version", Doc: "an old version of TLS", Down: downstreamTLS(p.server.identity()+", tls_params: {tls_minimum_protocol_version: TLSv1_3}", ""), Client: secure(&tls.Config{ServerName: "reviews.lab", InsecureSkipVerify: true, MaxVersion: tls.VersionTLS12}, "GET /"),
			Want: handshake(tlsError("UNSUPPORTED_PROTOCOL"), "downstream-tls-failed tls-params-mismatch")},
		{Name: "down_cipher", Doc: "no common cipher", Down: downstreamTLS(p.server.identity()+", tls_params: {tls_maximum_protocol_version: TLSv1_2, cipher_suites: [ECDHE-ECDSA-AES128-GCM-SHA256]}", ""),
			Client: secure(&tls.Config{ServerName: "reviews.lab", InsecureSkipVerify: true, MaxVersion: tls.VersionTLS12, CipherSuites: []uint16{tls.TLS_ECDHE_ECDSA_WITH_CHACHA20_POLY1305_SHA256}}, "GET /"),
			Want:   handshake(tlsError("NO_SHARED_CIPHER"), "downstream-tls-failed tls-params-mismatch")},
		{Name: "down_sds_missing", Doc: "the proxy's own certificate never comes", Client: secure(with(nil), "GET /"),
			Down:     downstreamTLS(`tls_certificate_sds_secret_configs: [{name: default, sds_config: {initial_fetch_timeout: 0.2s, api_config_source: {api_type: GRPC, transport_api_version: V3, grpc_services: [{envoy_grpc: {cluster_name: sds}}]}}}]`, ""),
			Clusters: `{name: sds, type: STATIC, connect_timeout: 1s, ` + protocols("explicit_http_config: {http2_protocol_options: {}}") + `, load_assignment: ` + endpoints("sds", socket(":9999")) + `}`,
			Want:     handshake("TLS_error:_Secret_is_not_supplied_by_SDS", "workload-cert-not-issued")},
		{Name: "down_reset", Doc: "the client resets in the handshake", Down: plain, Client: func(s *session) {
			c := s.dial(listenPort)
			c.send("\x16\x03\x01")
			time.Sleep(200 * time.Millisecond)
			c.reset()
		},
			Want: handshake("TLS_error:|33554536*", "client-disconnected downstream-tls-failed")},
		{Name: "ok_down_probe", Doc: "a probe that opens and closes", Down: plain, Client: func(s *session) { s.dial(listenPort).Close() },
			Want: []Want{{Code: 0, OK: true}}},
		{Name: "down_slow", Doc: "a client that is too slow in the handshake", Down: plain + ", transport_socket_connect_timeout: 0.5s", Client: func(s *session) { c := s.dial(listenPort); defer c.Close(); c.send("\x16\x03\x01"); c.hold() },
			Want: []Want{{Code: 0, End: "transport socket timeout was reached", Cause: "slow-client downstream-tls-failed"}}},
		{Name: "nr_strict_plaintext", Doc: "plaintext to a sidecar that demands mutual TLS", Down: mutual, Inspect: true, Match: "transport_protocol: tls", Client: get("/"), ClusterName: "inbound|8080||", Listener: "name: virtualInbound",
			Want: nr("TLS_error|error:1000009c*HTTP_REQUEST*", "plaintext-to-strict-mtls http-to-https-port")},
		{Name: "nr_strict_bytes", Doc: "other bytes to it", Down: mutual, Inspect: true, Match: "transport_protocol: tls", Client: raw("SSH-2.0-OpenSSH_9.6\r\n"), Listener: "name: virtualInbound",
			Want: nr("TLS_error|error:100000f7*WRONG_VERSION_NUMBER*", "plaintext-to-strict-mtls downstream-tls-failed")},
		{Name: "nr_gateway_plaintext", Doc: "plaintext to a gateway's TLS port", Down: plain, Inspect: true, Match: `server_names: ["reviews.lab"]`, Listener: "address: " + socket(":8443"), Client: via(":8443", "GET / HTTP/1.1\r\nhost: reviews.lab\r\n\r\n"),
			Want: nr("TLS_error|error:1000009c*HTTP_REQUEST*", "http-to-https-port sni-not-sent")},
		{Name: "nr_sni_unknown", Doc: "a server name that no chain has", Down: plain, Inspect: true, Match: `server_names: ["reviews.lab"]`, Listener: "address: " + socket(":8443"), Client: viaTLS(":8443", "ratings.lab"),
			Want: nr("", "sni-no-match sni-not-sent gateway-port-name-conflict")},
		{Name: "nr_sni_missing", Doc: "no server name", Down: plain, Inspect: true, Match: `server_names: ["reviews.lab"]`, Listener: "address: " + socket(":8443"), Client: viaTLS(":8443", ""),
			Want: nr("", "sni-not-sent sni-no-match")},
		{Name: "nr_alpn", Doc: "an application protocol that no chain has", Down: plain, Inspect: true, Match: `application_protocols: [istio]`, Client: secure(&tls.Config{ServerName: "reviews.lab", InsecureSkipVerify: true, NextProtos: []string{"h2"}}, "GET /"),
			Want: nr("", "sni-no-match sni-not-sent")},
	}
	for i := range list {
		list[i].ListenerLog = true
	}
	sites := downstreamTLS(p.server.identity()+", alpn_protocols: [h2]", "")
	return append(list, http3(p), Scenario{Name: "nr_shared_cert", Doc: "a browser uses the connection of another site (HTTP/2)", Down: sites, Inspect: true, VHost: `domains: ["reviews.lab"]`,
		Client: h2Secure(&tls.Config{ServerName: "reviews.lab", InsecureSkipVerify: true, NextProtos: []string{"h2"}}, func(s *session, h h2) {
			h.ask(s, "/", ":authority", "ratings.lab", ":scheme", "https")
			h.await(ended)
		}),
		Want: []Want{{Code: 404, Flags: "NR", Details: "route_not_found", Cause: "gateway-shared-cert-connection-reuse route-missing"}}})
}

// via sends text to another port and reads until the end.
func via(port, text string) Client {
	return func(s *session) {
		c := s.dial(port)
		defer c.Close()
		c.send(text)
		c.SetDeadline(time.Now().Add(time.Second))
		c.hold()
	}
}

func viaTLS(port, name string) Client {
	return func(s *session) {
		raw := s.dial(port)
		defer raw.Close()
		tls.Client(net.Conn(raw.Conn), &tls.Config{ServerName: name, InsecureSkipVerify: true}).Handshake()
	}
}

// http3 is a request over QUIC. Its client is a second listener of the same
// process, which takes HTTP/1 and speaks HTTP/3 to the first.
func http3(p *pki) Scenario {
	front := Scenario{Listener: "name: front, address: " + socket(sidePort), Route: `{match: {prefix: "/"}, route: {cluster: quic}}`}
	quic := func(kind, context string) string {
		return filter("envoy.transport_sockets.quic", "transport_sockets.quic.v3."+kind, context)
	}
	return Scenario{Name: "nr_http3", Doc: "no route, over HTTP/3", VHost: `domains: ["ratings.lab"]`, HCM: "codec_type: HTTP3, http3_protocol_options: {}",
		Listener: "udp_listener_config: {quic_options: {}}, address: {socket_address: {protocol: UDP, address: $IP, port_value: 15006}}",
		Down:     quic("QuicDownstreamTransport", "downstream_tls_context: {common_tls_context: {"+p.server.identity()+"}}"),
		Clusters: `{name: quic, type: STATIC, connect_timeout: 2s, ` + protocols("explicit_http_config: {http3_protocol_options: {}}") + `, transport_socket: ` +
			quic("QuicUpstreamTransport", "upstream_tls_context: {sni: reviews.lab, common_tls_context: {"+p.ca.trust("")+"}}") + `, load_assignment: ` + endpoints("quic", socket(listenPort)) + `}`,
		Listeners: strings.ReplaceAll(front.listener(), "access_log: [$LOGS], ", ""),
		Client:    func(s *session) { get("/")(s.to(sidePort)) },
		Want:      []Want{{Code: 404, Flags: "NR", Details: "route_not_found", Cause: "gateway-host-unbound route-missing"}}}
}
