//go:build e2e

package e2e

import (
	"crypto/ecdsa"
	"crypto/rand"
	"crypto/sha256"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"net/http"
	"time"
)

// Policy: a filter refuses, or what it asks does not answer.
func policy(p *pki) []Scenario {
	ok := answers(okAnswer)
	authz := func(fields string) string {
		return httpFilter("ext_authz", "ext_authz.v3.ExtAuthz", join(`http_service: {server_uri: {uri: "http://authz.lab", cluster: side, timeout: 0.5s}, authorization_response: {allowed_client_headers: {patterns: [{exact: location}]}}}`, fields))
	}
	side := `{name: side, type: STATIC, connect_timeout: 1s, load_assignment: ` + endpoints("side", socket(sidePort)) + `}`
	sideH2 := `{name: side, type: STATIC, connect_timeout: 1s, ` + protocols("explicit_http_config: {http2_protocol_options: {}}") + `, load_assignment: ` + endpoints("side", socket(sidePort)) + `}`
	says := func(status string) []Upstream {
		return []Upstream{ok, answers("HTTP/1.1 " + status + "\r\nlocation: https://login.lab/\r\ncontent-length: 0\r\n\r\n").at(sidePort)}
	}
	limits := `rate_limits: [{actions: [{generic_key: {descriptor_value: lab}}]}]`
	rls := httpFilter("ratelimit", "ratelimit.v3.RateLimit", `domain: lab, failure_mode_deny: true, rate_limit_service: {transport_api_version: V3, grpc_service: {envoy_grpc: {cluster_name: side}, timeout: 2s}}`)
	list := []Scenario{
		{Name: "rl_local", Doc: "local rate limit", Up: []Upstream{ok}, Client: gets(2, "/"), HTTP: httpFilter("local_ratelimit", "local_ratelimit.v3.LocalRateLimit", "stat_prefix: rl, token_bucket: {max_tokens: 1, fill_interval: 600s}, filter_enabled: {default_value: {numerator: 100}}, filter_enforced: {default_value: {numerator: 100}}"),
			Want: []Want{{Code: 200, Details: "via_upstream", OK: true}, {Code: 429, Flags: "RL", Details: "local_rate_limited", Cause: "rate-limited-local", Weak: "rate-limited-local rate-limited-global"}}},
		{Name: "rl_global", Doc: "a rate limit service says no", Client: get("/"), Clusters: sideH2, HTTP: rls, VHost: limits, Up: []Upstream{ok, overLimit().at(sidePort)},
			Want: []Want{{Code: 429, Flags: "RL", Details: "request_rate_limited", Cause: "rate-limited-global", Weak: "rate-limited-local rate-limited-global"}}},
		{Name: "rlse_down", Doc: "the rate limit service is down and that means no", Client: get("/"), Clusters: sideH2, HTTP: rls, VHost: limits, Up: []Upstream{ok},
			Want: []Want{{Code: 500, Flags: "RLSE", Details: "rate_limiter_error", Cause: "rate-limit-service-error", Weak: "rate-limit-service-error"}}},
		{Name: "uaex_denied", Doc: "the authorizer says no", Client: get("/"), Clusters: side, HTTP: authz(""), Up: says("403 Forbidden"),
			Want: []Want{{Code: 403, Flags: "UAEX", Details: "ext_authz_denied", Cause: "ext-authz-denied", Weak: "ext-authz-denied"}}},
		{Name: "uaex_redirect", Doc: "the authorizer sends the user to the login", Client: get("/"), Clusters: side, HTTP: authz(""), Up: says("302 Found"),
			Want: []Want{{Code: 302, Flags: "UAEX", Details: "ext_authz_denied", Cause: "ext-authz-redirect", Weak: "ext-authz-redirect", OK: true}}},
		{Name: "uaex_down", Doc: "the authorizer is down", Client: get("/"), Clusters: side, HTTP: authz(""), Up: []Upstream{ok},
			Want: []Want{{Code: 403, Flags: "UAEX", Details: "ext_authz_error", Cause: "ext-authz-error"}}},
		{Name: "uaex_slow", Doc: "the authorizer is slow, and 503 is configured for that", Client: get("/"), Clusters: side, HTTP: authz("status_on_error: {code: ServiceUnavailable}"), Up: []Upstream{ok, silent().at(sidePort)},
			Want: []Want{{Code: 503, Flags: "UAEX", Details: "ext_authz_error", Cause: "ext-authz-error"}}},
		{Name: "rbac_policy", Doc: "an authorization policy denies", Up: []Upstream{ok}, Client: get("/admin"), HTTP: httpFilter("rbac", "rbac.v3.RBAC", `rules: {action: DENY, policies: {"ns[lab]-policy[no-admin]-rule[0]": {permissions: [{url_path: {path: {prefix: /admin}}}], principals: [{any: true}]}}}`),
			Want: []Want{{Code: 403, Details: "rbac_access_denied_matched_policy[ns[lab]-policy[no-admin]-rule[0]]", Cause: "rbac-denied"}}},
		{Name: "rbac_none", Doc: "no authorization policy allows", Up: []Upstream{ok}, Client: get("/"), HTTP: httpFilter("rbac", "rbac.v3.RBAC", `rules: {action: ALLOW, policies: {"ns[lab]-policy[get]-rule[0]": {permissions: [{header: {name: ":method", string_match: {exact: PUT}}}], principals: [{any: true}]}}}`),
			Want: []Want{{Code: 403, Details: "rbac_access_denied_matched_policy[none]", Cause: "rbac-denied"}}},
		{Name: "lh_health_check", Doc: "the health check filter is failing", ClusterName: "inbound|8080||", Up: []Upstream{ok}, HTTP: httpFilter("health_check", "health_check.v3.HealthCheck", `pass_through_mode: false, headers: [{name: ":path", string_match: {exact: /healthz}}]`),
			Client: func(s *session) { post("/healthcheck/fail", 0)(s.to(adminPort)); get("/healthz")(s) },
			Want:   []Want{{Code: 503, Flags: "LH", Details: "health_check_failed", Cause: "health-check-failed", Weak: "health-check-failed"}}},
		{Name: "lh_cluster_empty", Doc: "the health check's cluster is empty", ClusterName: "inbound|8080||", HTTP: httpFilter("health_check", "health_check.v3.HealthCheck", `pass_through_mode: false, headers: [{name: ":path", string_match: {exact: /healthz}}], cluster_min_healthy_percentages: {empty: {value: 50}}`),
			Clusters: `{name: empty, type: STATIC}`, Client: get("/healthz"),
			Want: []Want{{Code: 503, Flags: "LH", Details: "health_check_failed_cluster_empty", Cause: "health-check-failed"}}},
		{Name: "basic_auth", Doc: "no credentials", Up: []Upstream{ok}, Client: get("/"), HTTP: httpFilter("basic_auth", "basic_auth.v3.BasicAuth", `users: {inline_string: "lab:{SHA}tESsBmE/yNY3lb6a0L6vVQEZNqw="}`),
			Want: []Want{{Code: 401, Details: "no_credential_for_basic_auth", Cause: "extension-answered"}}},
		{Name: "api_key", Doc: "an unknown API key", Up: []Upstream{ok}, Client: get("/", "x-key: wrong"), HTTP: httpFilter("api_key_auth", "api_key_auth.v3.ApiKeyAuth", `credentials: [{key: right, client: lab}], key_sources: [{header: x-key}]`),
			Want: []Want{{Code: 401, Details: "unknown_api_key", Cause: "extension-answered"}}},
		{Name: "csrf", Doc: "the origin is another", Up: []Upstream{ok}, Client: post("/", 0, "origin: http://evil.example"), HTTP: httpFilter("csrf", "csrf.v3.CsrfPolicy", "filter_enabled: {default_value: {numerator: 100}}"),
			Want: []Want{{Code: 403, Details: "csrf_origin_mismatch", Cause: "extension-answered"}}},
		{Name: "cdn_loop", Doc: "the request has been here before", Up: []Upstream{ok}, Client: get("/", "cdn-loop: lab-cdn"), HTTP: httpFilter("cdn_loop", "cdn_loop.v3.CdnLoopConfig", "cdn_id: lab-cdn"),
			Want: []Want{{Code: 502, Details: "cdn_loop_detected", Cause: "extension-answered"}}},
		{Name: "lua_answer", Doc: "a script answers", Up: []Upstream{ok}, Client: get("/"), HTTP: httpFilter("lua", "lua.v3.Lua", `default_source_code: {inline_string: "function envoy_on_request(h) h:respond({[':status']='503'}, 'no') end"}`),
			Want: []Want{{Code: 503, Details: "lua_response", Cause: "extension-answered"}}},
		{Name: "lua_removes_path", Doc: "a script removes the path", Up: []Upstream{ok}, Client: get("/"), HTTP: httpFilter("lua", "lua.v3.Lua", `clear_route_cache: false, default_source_code: {inline_string: "function envoy_on_request(h) h:headers():remove(':path') end"}`),
			Want: []Want{{Code: 503, Flags: "DPE", Details: "filter_removed_required_request_headers{missing_required_header:_:path}", Cause: "extension-answered"}}},
		{Name: "ext_proc_down", Doc: "the external processor is down", Up: []Upstream{ok}, Client: get("/"), Clusters: sideH2, HTTP: httpFilter("ext_proc", "ext_proc.v3.ExternalProcessor", "grpc_service: {envoy_grpc: {cluster_name: side}}"),
			Want: []Want{{Code: 500, Details: "ext_proc_error_gRPC_error_14{*}", Cause: "extension-answered"}}},
		{Name: "nfcf_ecds", Doc: "a filter's configuration never comes", Up: []Upstream{ok}, Client: get("/"), Clusters: sideH2,
			HTTP: `{name: late, config_discovery: {config_source: {initial_fetch_timeout: 0.2s, api_config_source: {api_type: GRPC, transport_api_version: V3, grpc_services: [{envoy_grpc: {cluster_name: side}}]}}, type_urls: [type.googleapis.com/envoy.extensions.filters.http.fault.v3.HTTPFault]}}`,
			Want: []Want{{Code: 500, Flags: "NFCF", Cause: "extension-not-loaded", Weak: "extension-not-loaded"}}},
		{Name: "admission_control", Doc: "admission control sheds load", Up: []Upstream{answers("HTTP/1.1 500 Broken\r\ncontent-length: 0\r\n\r\n")}, Client: gets(3, "/"),
			HTTP: httpFilter("admission_control", "admission_control.v3.AdmissionControl", "enabled: {default_value: true, runtime_key: a}, success_criteria: {http_criteria: {http_success_status: [{start: 200, end: 300}]}}, sampling_window: 60s, sr_threshold: {default_value: {value: 100}, runtime_key: b}, aggression: {default_value: 100, runtime_key: c}, rps_threshold: {default_value: 0, runtime_key: d}, max_rejection_probability: {default_value: {value: 100}, runtime_key: e}"),
			Want: append([]Want{{Code: 500, Details: "via_upstream", Cause: "upstream-5xx"}}, repeat(2, Want{Code: 503, Details: "denied_by_admission_control", Cause: "load-shed"})...)},
		{Name: "adaptive_concurrency", Doc: "more requests at a time than the proxy thinks good", Up: []Upstream{silent()}, Client: together(get("/1"), get("/2")), Route: `{match: {prefix: "/"}, route: {cluster: "$CLUSTER", timeout: 1s}}`,
			HTTP: httpFilter("adaptive_concurrency", "adaptive_concurrency.v3.AdaptiveConcurrency", "gradient_controller_config: {concurrency_limit_params: {concurrency_update_interval: 0.1s}, min_rtt_calc_params: {interval: 60s, request_count: 50, min_concurrency: 1}}"),
			Want: []Want{{Code: 503, Details: "reached_concurrency_limit", Cause: "load-shed"}, {Code: 504, Flags: "UT", Details: "response_timeout", Cause: "route-timeout"}}},
		{Name: "ext_proc_slow", Doc: "the external processor does not answer in time", Up: []Upstream{ok, h2Upstream(func(h2, uint32) {}).at(sidePort)}, Client: get("/"), Clusters: sideH2, HTTP: httpFilter("ext_proc", "ext_proc.v3.ExternalProcessor", "message_timeout: 0.3s, grpc_service: {envoy_grpc: {cluster_name: side}}"),
			Want: []Want{{Code: 504, Details: "ext_proc_error_per-message_timeout_exceeded", Cause: "extension-answered"}}},
		{Name: "ok_rfcf", Doc: "the second answer comes from the cache", Client: gets(2, "/"), Up: []Upstream{answers("HTTP/1.1 200 OK\r\ncache-control: max-age=600\r\ndate: " + time.Now().UTC().Format(http.TimeFormat) + "\r\ncontent-length: 3\r\n\r\nok\n")},
			HTTP: httpFilter("cache", "cache.v3.CacheConfig", `typed_config: {"@type": type.googleapis.com/envoy.extensions.http.cache.simple_http_cache.v3.SimpleHttpCacheConfig}`),
			Want: []Want{{Code: 200, Details: "via_upstream", OK: true}, {Code: 200, Flags: "RFCF", Details: "cache.response_from_cache_filter", OK: true, By: unpinned}}},
	}
	return append(list, tokens(p)...)
}

func repeat(n int, w Want) (list []Want) {
	for range n {
		list = append(list, w)
	}
	return list
}

// to is the session with another port as its listener.
func (s *session) to(port string) *session {
	other := *s
	other.port = port
	return &other
}

// overLimit is a rate limit service: RateLimitResponse{overall_code: OVER_LIMIT}.
func overLimit() Upstream {
	return h2Upstream(func(h h2, stream uint32) {
		h.headers(stream, false, ":status", "200", "content-type", "application/grpc")
		h.frame(frameData, 0, stream, []byte{0, 0, 0, 0, 2, 0x08, 2})
		h.headers(stream, true, "grpc-status", "0")
	})
}

// tokens are the refusals of the JWT filter. The texts are those of
// https://github.com/google/jwt_verify_lib, blanks as underscores.
func tokens(p *pki) []Scenario {
	key := p.server.key
	provider := func(jwks string) string {
		return httpFilter("jwt_authn", "jwt_authn.v3.JwtAuthentication", `providers: {lab: {issuer: "https://issuer.lab", audiences: [reviews], `+jwks+`}}, rules: [{match: {prefix: "/"}, requires: {provider_name: lab}}]`)
	}
	local := provider("local_jwks: {inline_string: " + quote(jwks(key)) + "}")
	remote := provider(`remote_jwks: {http_uri: {uri: "http://issuer.lab/keys", cluster: side, timeout: 0.5s}, retry_policy: {num_retries: 0}}`)
	far := time.Now().Add(1000 * time.Hour).Unix()
	good := map[string]any{"iss": "https://issuer.lab", "aud": "reviews", "exp": far}
	with := func(key string, value any) map[string]any {
		m := map[string]any{"iss": good["iss"], "aud": good["aud"], "exp": good["exp"]}
		m[key] = value
		return m
	}
	denied := func(code int, text, cause string) []Want {
		return []Want{{Code: code, Details: "jwt_authn_access_denied{" + text + "}", Cause: cause}}
	}
	side := `{name: side, type: STATIC, connect_timeout: 1s, load_assignment: ` + endpoints("side", socket(sidePort)) + `}`
	ask := func(claims map[string]any, key *ecdsa.PrivateKey) Client {
		return get("/", "authorization: Bearer "+token(claims, key))
	}
	ok := []Upstream{answers(okAnswer)}
	return []Scenario{
		{Name: "ok_jwt", Doc: "a good token", Up: ok, HTTP: local, Client: ask(good, key), Want: []Want{{Code: 200, Details: "via_upstream", OK: true}}},
		{Name: "jwt_missing", Doc: "no token", Up: ok, HTTP: local, Client: get("/"), Want: denied(401, "Jwt_is_missing", "jwt-missing")},
		{Name: "jwt_expired", Doc: "a token that has expired", Up: ok, HTTP: local, Client: ask(with("exp", 1000), key), Want: denied(401, "Jwt_is_expired", "jwt-expired")},
		{Name: "jwt_issuer", Doc: "a token of another issuer", Up: ok, HTTP: local, Client: ask(with("iss", "https://other.lab"), key), Want: denied(401, "Jwt_issuer_is_not_configured", "jwt-issuer-unknown")},
		{Name: "jwt_audience", Doc: "a token for another audience", Up: ok, HTTP: local, Client: ask(with("aud", "ratings"), key), Want: denied(403, "Audiences_in_Jwt_are_not_allowed", "jwt-audience")},
		{Name: "jwt_signature", Doc: "a token with a wrong signature", Up: ok, HTTP: local, Client: ask(good, p.client.key), Want: denied(401, "Jwt_verification_fails", "jwt-signature")},
		{Name: "jwt_garbage", Doc: "a token that is none", Up: ok, HTTP: local, Client: get("/", "authorization: Bearer abc"), Want: denied(401, "Jwt_is_not_in_the_form_of_Header.Payload.Signature*", "jwt-invalid")},
		{Name: "jwt_jwks_down", Doc: "the keys can not be fetched", Up: ok, Clusters: side, HTTP: remote, Client: ask(good, key), Want: denied(401, "Jwks_remote_fetch_is_failed", "jwt-jwks-unreachable")},
	}
}

func jwks(key *ecdsa.PrivateKey) string {
	part := func(b []byte) string { return base64.RawURLEncoding.EncodeToString(b) }
	return fmt.Sprintf(`{"keys":[{"kty":"EC","crv":"P-256","alg":"ES256","kid":"lab","x":%q,"y":%q}]}`, part(key.X.FillBytes(make([]byte, 32))), part(key.Y.FillBytes(make([]byte, 32))))
}

func token(claims map[string]any, key *ecdsa.PrivateKey) string {
	body, err := json.Marshal(claims)
	if err != nil {
		panic(err)
	}
	part := base64.RawURLEncoding.EncodeToString
	text := part([]byte(`{"alg":"ES256","kid":"lab","typ":"JWT"}`)) + "." + part(body)
	sum := sha256.Sum256([]byte(text))
	r, s, err := ecdsa.Sign(rand.Reader, key, sum[:])
	if err != nil {
		panic(err)
	}
	return text + "." + part(append(r.FillBytes(make([]byte, 32)), s.FillBytes(make([]byte, 32))...))
}
