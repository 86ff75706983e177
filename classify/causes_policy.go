package classify

import "slices"

// policyCauses are answers of the proxy that somebody wished for.
var policyCauses = slices.Concat(denialCauses, limitCauses)

var policyRules = slices.Concat(denialRules, limitRules)

// denialCauses are denials by policy: who may call, with which token.
var denialCauses = []Cause{
	{
		ID: "rbac-denied", Title: "Authorization policy denied the caller", Side: Client, Severity: Warning,
		Meaning:  "An AuthorizationPolicy of this workload does not let the caller in. The proxy works as told. With [none] in the details no ALLOW policy fits the request; else a DENY policy fits, and the brackets name it.",
		Evidence: "rbac_access_denied_matched_policy in the details, or in the termination details of a TCP record; gRPC logs it with code 200",
		Rivals: []Rival{
			{"ext-authz-provider-invalid", "the brackets say due-to-bad-CUSTOM-action"},
			{"jwt-missing", "a policy asks for a token's claims, and the request carries no token"},
		},
		Checks: []string{
			"istioctl x authz check {pod} -n {namespace}",
			"kubectl get authorizationpolicies -A",
			"kubectl get pods -A -o wide --field-selector status.podIP={client_ip}",
			`kubectl exec -n {namespace} {pod} -c istio-proxy -- pilot-agent request POST "logging?rbac=debug"`,
		},
		Remedy:   "If the caller should get in, add an ALLOW rule with its service account, path and method. A caller without mutual TLS has no principal; rules about HTTP never fit a TCP port.",
		Versions: "Since Envoy 1.16 the policy is named in brackets.",
		Cases: []Case{{
			Picture: FromAMoment, Side: ClientProxy, Severity: Error, Checks: []string{newestPolicies, "istioctl x authz check {pod} -n {namespace}"},
			Remedy: "Everybody is denied from one moment on, so most likely a policy was made or changed: look at the newest one. The first ALLOW policy of a workload denies all that it does not name: add the callers, or take it back.",
		}},
		Docs: []string{"https://istio.io/latest/docs/ops/common-problems/security-issues/", "https://istio.io/latest/docs/reference/config/security/authorization-policy/"},
		Examples: []string{
			`[2026-04-02T08:15:30.101Z] "GET /cart HTTP/1.1" 403 - rbac_access_denied_matched_policy[ns[shop]-policy[no-web]-rule[0]] - "-" 0 19 0 - "-" "curl/8.6.0" "5f0b1d5e-8c11-4f43-9b57-0d8b7a1c2e01" "cart.shop:7070" "-" inbound|7070|| - 10.60.2.14:7070 10.60.1.9:41822 outbound_.7070_._.cart.shop.svc.cluster.local default`,
			`[2026-04-02T08:15:30.101Z] "- - -" 0 - - rbac_access_denied_matched_policy[none] "-" 78 0 2 - "-" "-" "5f0b1d5e-8c11-4f43-9b57-0d8b7a1c2e01" "-" "10.60.2.30:3306" inbound|3306|| 127.0.0.6:50112 10.60.2.30:3306 10.60.1.9:41822 outbound_.3306_._.db.shop.svc.cluster.local -`,
		},
	},
	{
		ID: "ext-authz-provider-invalid", Title: "CUSTOM policy's provider is missing, so everything is denied", Parent: "rbac-denied", Side: ControlPlane, Severity: Error,
		Meaning:  "A CUSTOM AuthorizationPolicy names an external authorizer that the mesh configuration does not have, or a workload has policies with two of them. Istio then denies everything on that workload.",
		Evidence: "due-to-bad-CUSTOM-action in the brackets of rbac_access_denied_matched_policy",
		Rivals:   []Rival{{"rbac-denied", "the brackets name a policy of yours, or none"}},
		Checks: []string{
			`kubectl logs -n istio-system deploy/istiod | grep "failed to process CUSTOM action"`,
			meshAuthorizers,
			customPolicies,
		},
		Remedy: "Define the provider under extensionProviders of the mesh configuration with exactly the name that the policy uses; one provider a workload.",
		Docs:   []string{"https://istio.io/latest/docs/tasks/security/authorization/authz-custom/"},
		Examples: []string{
			`[2026-04-02T08:15:30.101Z] "GET /cart HTTP/1.1" 403 - rbac_access_denied_matched_policy[istio-ext-authz-ns[shop]-policy[login]-rule[0]-deny-due-to-bad-CUSTOM-action] - "-" 0 19 0 - "-" "curl/8.6.0" "5f0b1d5e-8c11-4f43-9b57-0d8b7a1c2e01" "cart.shop:7070" "-" inbound|7070|| - 10.60.2.14:7070 10.60.1.9:41822 outbound_.7070_._.cart.shop.svc.cluster.local default`,
		},
	},
	{
		ID: "jwt-missing", Title: "Request carries no token", Side: Client, Severity: Warning,
		Meaning:  "The route demands a token and the request carries none, or carries it where the proxy does not look.",
		Evidence: "details jwt_authn_access_denied{Jwt_is_missing}",
		Rivals: []Rival{
			{"rbac-denied", "403 with rbac details: RequestAuthentication alone lets requests without a token pass"},
			{"jwt-expired", "the details say Jwt_is_expired"},
			{"jwt-signature", "the details say Jwt_verification_fails"},
			{"jwt-issuer-unknown", "the details say Jwt_issuer_is_not_configured"},
			{"jwt-invalid", "the details say what is wrong with the token"},
		},
		Checks: []string{
			`curl -sv -H "Authorization: Bearer TOKEN" http://{authority}/ -o /dev/null`,
			"kubectl get requestauthentications,authorizationpolicies -A",
			"istioctl proxy-config listeners {pod} -n {namespace} -o json | grep -A12 jwt_authn",
		},
		Remedy: `Send the token as "Authorization: Bearer ...", or name the header, parameter or cookie that holds it under fromHeaders, fromParams or fromCookies.`,
		Cases: []Case{{
			Picture: FromAMoment, Side: ClientProxy, Severity: Error, Checks: []string{newestPolicies, newestTokenRules},
			Remedy: "Everybody is denied from one moment on, so most likely a policy about tokens was made or changed, or the issuer changed its tokens: take that back, or let policy and tokens fit again.",
		}},
		Docs: []string{"https://istio.io/latest/docs/ops/common-problems/security-issues/", "https://istio.io/latest/docs/tasks/security/authentication/authn-policy/"},
		Examples: []string{
			`[2026-04-02T08:15:30.101Z] "GET /cart HTTP/1.1" 401 - jwt_authn_access_denied{Jwt_is_missing} - "-" 0 14 0 - "-" "curl/8.6.0" "5f0b1d5e-8c11-4f43-9b57-0d8b7a1c2e01" "cart.shop:7070" "-" outbound|7070||cart.shop.svc.cluster.local - 10.60.40.7:7070 10.60.1.9:41822 - default`,
			`[2026-04-02T08:15:30.101Z] "GET /cart HTTP/1.1" 401 - jwt_authn_access_denied - "-" 0 14 0 - "-" "curl/8.6.0" "5f0b1d5e-8c11-4f43-9b57-0d8b7a1c2e01" "cart.shop:7070" "-" outbound|7070||cart.shop.svc.cluster.local - 10.60.40.7:7070 10.60.1.9:41822 - default`,
		},
	},
	{
		ID: "jwt-expired", Title: "Token is expired", Side: Client, Severity: Warning,
		Meaning:  "The token's time is over (its exp claim).",
		Evidence: "details jwt_authn_access_denied{Jwt_is_expired}",
		Rivals:   []Rival{{"jwt-invalid", "the token is not valid yet: Jwt_not_yet_valid"}},
		Checks: []string{
			"kubectl get requestauthentications,authorizationpolicies -A",
			"istioctl proxy-config listeners {pod} -n {namespace} -o json | grep -A12 jwt_authn",
		},
		Remedy: "Let the client fetch a new token before the old one ends. If fresh tokens fail, compare the clocks of issuer and node.",
		Docs:   []string{"https://istio.io/latest/docs/ops/common-problems/security-issues/", "https://istio.io/latest/docs/tasks/security/authentication/authn-policy/"},
		Examples: []string{
			`[2026-04-02T08:15:30.101Z] "GET /cart HTTP/1.1" 401 - jwt_authn_access_denied{Jwt_is_expired} - "-" 0 14 0 - "-" "curl/8.6.0" "5f0b1d5e-8c11-4f43-9b57-0d8b7a1c2e01" "cart.shop:7070" "-" outbound|7070||cart.shop.svc.cluster.local - 10.60.40.7:7070 10.60.1.9:41822 - default`,
		},
	},
	{
		ID: "jwt-issuer-unknown", Title: "Token's issuer is not configured", Side: Client, Severity: Warning,
		Meaning:  "The token comes from an issuer (its iss claim) that no RequestAuthentication here names.",
		Evidence: "details jwt_authn_access_denied{Jwt_issuer_is_not_configured}",
		Rivals:   []Rival{{"jwt-audience", "the issuer is known and the aud claim does not fit: code 403"}},
		Checks: []string{
			"kubectl get requestauthentications,authorizationpolicies -A",
			"istioctl proxy-config listeners {pod} -n {namespace} -o json | grep -A12 jwt_authn",
		},
		Remedy: "Write the token's iss claim into a jwtRules entry, letter by letter: a slash at the end counts.",
		Cases: []Case{{
			Picture: FromAMoment, Side: ClientProxy, Severity: Error, Checks: []string{newestPolicies, newestTokenRules},
			Remedy: "Everybody is denied from one moment on, so most likely a policy about tokens was made or changed, or the issuer changed its tokens: take that back, or let policy and tokens fit again.",
		}},
		Docs: []string{"https://istio.io/latest/docs/ops/common-problems/security-issues/", "https://istio.io/latest/docs/tasks/security/authentication/authn-policy/"},
		Examples: []string{
			`[2026-04-02T08:15:30.101Z] "GET /cart HTTP/1.1" 401 - jwt_authn_access_denied{Jwt_issuer_is_not_configured} - "-" 0 14 0 - "-" "curl/8.6.0" "5f0b1d5e-8c11-4f43-9b57-0d8b7a1c2e01" "cart.shop:7070" "-" outbound|7070||cart.shop.svc.cluster.local - 10.60.40.7:7070 10.60.1.9:41822 - default`,
		},
	},
	{
		ID: "jwt-signature", Title: "Token's signature or key does not verify", Side: Client, Severity: Warning,
		Meaning:  "The token's signature does not fit the keys that the proxy has for its issuer. Keys were changed, or the token is from elsewhere. When every token fails, istiod could not fetch the keys and gave the proxies a key that fits nothing.",
		Evidence: "Jwt_verification_fails, or Jwks_doesn't_have_key_to_match_kid_or_alg_from_Jwt",
		Rivals:   []Rival{{"jwt-jwks-unreachable", `every token of the issuer fails, and istiod logs "Failed to fetch public key"`}},
		Checks: []string{
			`kubectl logs -n istio-system deploy/istiod | grep -i "jwks"`,
			"kubectl get requestauthentications,authorizationpolicies -A",
			"istioctl proxy-config listeners {pod} -n {namespace} -o json | grep -A12 jwt_authn",
		},
		Remedy: "Compare the token's kid with the issuer's published keys. If all tokens fail, see to it that istiod reaches jwksUri.",
		Docs:   []string{"https://istio.io/latest/docs/ops/common-problems/security-issues/", "https://istio.io/latest/docs/tasks/security/authentication/authn-policy/"},
		Examples: []string{
			`[2026-04-02T08:15:30.101Z] "GET /cart HTTP/1.1" 401 - jwt_authn_access_denied{Jwt_verification_fails} - "-" 0 14 0 - "-" "curl/8.6.0" "5f0b1d5e-8c11-4f43-9b57-0d8b7a1c2e01" "cart.shop:7070" "-" outbound|7070||cart.shop.svc.cluster.local - 10.60.40.7:7070 10.60.1.9:41822 - default`,
		},
	},
	{
		ID: "jwt-audience", Title: "Token's audience is not allowed", Side: Client, Severity: Warning,
		Meaning:  "The token is meant for somebody else: none of its audiences (aud claim) is allowed here.",
		Evidence: "403 with jwt_authn_access_denied{Audiences_in_Jwt_are_not_allowed}",
		Rivals:   []Rival{{"rbac-denied", "403 with rbac details"}},
		Checks: []string{
			"kubectl get requestauthentications,authorizationpolicies -A",
			"istioctl proxy-config listeners {pod} -n {namespace} -o json | grep -A12 jwt_authn",
		},
		Remedy: "Ask the issuer for a token with this audience, or add the audience to jwtRules.",
		Cases: []Case{{
			Picture: FromAMoment, Side: ClientProxy, Severity: Error, Checks: []string{newestPolicies, newestTokenRules},
			Remedy: "Everybody is denied from one moment on, so most likely a policy about tokens was made or changed, or the issuer changed its tokens: take that back, or let policy and tokens fit again.",
		}},
		Docs: []string{"https://istio.io/latest/docs/ops/common-problems/security-issues/", "https://istio.io/latest/docs/tasks/security/authentication/authn-policy/"},
		Examples: []string{
			`[2026-04-02T08:15:30.101Z] "GET /cart HTTP/1.1" 403 - jwt_authn_access_denied{Audiences_in_Jwt_are_not_allowed} - "-" 0 14 0 - "-" "curl/8.6.0" "5f0b1d5e-8c11-4f43-9b57-0d8b7a1c2e01" "cart.shop:7070" "-" outbound|7070||cart.shop.svc.cluster.local - 10.60.40.7:7070 10.60.1.9:41822 - default`,
		},
	},
	{
		ID: "jwt-invalid", Title: "Token malformed, unsupported or not yet valid", Side: Client, Severity: Warning,
		Meaning:  "The token can not be used: it is no JWT, its algorithm is not supported, or it is not valid yet.",
		Evidence: "another text in the braces of jwt_authn_access_denied",
		Rivals: []Rival{
			{"jwt-signature", "the text is Jwt_verification_fails"},
			{"jwt-missing", "the text is Jwt_is_missing"},
		},
		Checks: []string{
			"kubectl get requestauthentications,authorizationpolicies -A",
			"istioctl proxy-config listeners {pod} -n {namespace} -o json | grep -A12 jwt_authn",
		},
		Remedy: "Decode the token (three parts set apart by dots) and look at alg, nbf and iat; compare the clocks if it is not valid yet.",
		Docs:   []string{"https://istio.io/latest/docs/ops/common-problems/security-issues/", "https://istio.io/latest/docs/tasks/security/authentication/authn-policy/"},
		Examples: []string{
			`[2026-04-02T08:15:30.101Z] "GET /cart HTTP/1.1" 401 - jwt_authn_access_denied{Jwt_is_not_in_the_form_of_Header.Payload.Signature_with_two_dots_and_3_sections} - "-" 0 14 0 - "-" "curl/8.6.0" "5f0b1d5e-8c11-4f43-9b57-0d8b7a1c2e01" "cart.shop:7070" "-" outbound|7070||cart.shop.svc.cluster.local - 10.60.40.7:7070 10.60.1.9:41822 - default`,
		},
	},
	{
		ID: "jwt-jwks-unreachable", Title: "Key set of the token issuer could not be fetched", Side: ControlPlane, Severity: Error,
		Meaning:  "The keys of the token's issuer could not be fetched or read, so no token can be checked.",
		Evidence: "details jwt_authn_access_denied with Jwks_remote_fetch_is_failed or another Jwks_ text",
		Rivals:   []Rival{{"jwt-signature", "the keys are there: only some tokens fail"}},
		Checks: []string{
			"kubectl logs -n istio-system deploy/istiod | grep -i jwks",
			"kubectl get requestauthentications,authorizationpolicies -A",
			"istioctl proxy-config listeners {pod} -n {namespace} -o json | grep -A12 jwt_authn",
		},
		Remedy: "Let istiod (or the proxy, where it fetches itself) reach jwksUri: a ServiceEntry, the firewall, the CA of the issuer. Or put the keys into jwks.",
		Docs:   []string{"https://istio.io/latest/docs/ops/common-problems/security-issues/", "https://istio.io/latest/docs/tasks/security/authentication/authn-policy/"},
		Examples: []string{
			`[2026-04-02T08:15:30.101Z] "GET /cart HTTP/1.1" 401 - jwt_authn_access_denied{Jwks_remote_fetch_is_failed} - "-" 0 14 0 - "-" "curl/8.6.0" "5f0b1d5e-8c11-4f43-9b57-0d8b7a1c2e01" "cart.shop:7070" "-" outbound|7070||cart.shop.svc.cluster.local - 10.60.40.7:7070 10.60.1.9:41822 - default`,
		},
	},
	{
		ID: "ext-authz-denied", Title: "External authorizer denied the request", Side: Client, Severity: Warning,
		Meaning:  "The external authorizer looked at the request and said no. It works as told; code and body are the authorizer's.",
		Evidence: "flag UAEX, details ext_authz_denied; Envoy 1.15 to 1.20 lost the flag on some denials",
		Rivals: []Rival{
			{"ext-authz-error", "no details are logged: the authorizer may have been down; then no request of anybody passes"},
			{"mixer-policy-denied", "Istio up to 1.7 with Mixer policy"},
			{"extension-answered", "the details name another filter"},
		},
		Checks: []string{
			meshAuthorizers,
			customPolicies,
			"kubectl logs -n {namespace} {pod} -c istio-proxy --since=15m | grep ext_authz",
		},
		Remedy: "Look into the authorizer's own log for the reason, with the request id of this record.",
		Cases: []Case{{
			Picture: FromAMoment, Side: ClientProxy, Severity: Error, Checks: []string{newestPolicies, customPolicies, meshAuthorizers},
			Remedy: "Everybody is denied from one moment on, so most likely a CUSTOM policy was made, or the authorizer's own rules were changed: take that back, or look into the authorizer's log with the request id of a record.",
		}},
		Docs: []string{"https://istio.io/latest/docs/tasks/security/authorization/authz-custom/"},
		Examples: []string{
			`[2026-04-02T08:15:30.101Z] "GET /cart HTTP/1.1" 403 UAEX ext_authz_denied - "-" 0 0 4 - "-" "curl/8.6.0" "5f0b1d5e-8c11-4f43-9b57-0d8b7a1c2e01" "cart.shop:7070" "-" inbound|7070|| - 10.60.2.14:7070 10.60.1.9:41822 outbound_.7070_._.cart.shop.svc.cluster.local default`,
			`[2026-04-02T08:15:30.101Z] "GET /cart HTTP/1.1" 401 - ext_authz_denied - "-" 0 0 5 - "-" "curl/8.6.0" "5f0b1d5e-8c11-4f43-9b57-0d8b7a1c2e01" "cart.shop:7070" "-" outbound|7070||cart.shop.svc.cluster.local - 10.60.40.7:7070 10.60.1.9:41822 - default`,
		},
	},
	{
		ID: "ext-authz-redirect", Title: "External authorizer sent the client to a login page", Parent: "ext-authz-denied", Side: Client, Severity: Info,
		Meaning:  "The external authorizer sent the browser to its login page. That is how a login begins: nothing failed.",
		Evidence: "a 3xx code with ext_authz_denied or UAEX",
		Rivals:   []Rival{{"ext-authz-denied", "the code is 401 or 403"}},
		Checks: []string{
			"curl -sv https://{authority}/ -o /dev/null",
		},
		Remedy: "Nothing. If browsers go round in circles, look at the cookie domain and callback address of the login service.",
		Docs:   []string{"https://istio.io/latest/docs/tasks/security/authorization/authz-custom/"},
		Examples: []string{
			`[2026-04-02T08:15:30.101Z] "GET / HTTP/2" 302 UAEX ext_authz_denied - "-" 0 0 6 - "-" "curl/8.6.0" "5f0b1d5e-8c11-4f43-9b57-0d8b7a1c2e01" "shop.example.com" "-" outbound|80||web.shop.svc.cluster.local - 10.60.40.7:7070 10.60.1.9:41822 - default`,
		},
	},
	{
		ID: "ext-authz-error", Title: "External authorizer unreachable, slow or broken", Side: Platform, Severity: Error,
		Meaning:  "The external authorizer could not be asked: it is down, slow, or answered nonsense. The proxy then denies, because failOpen is off.",
		Evidence: "flag UAEX with ext_authz_error or ext_authz_invalid; without details, whole seconds are those that the proxy waited for an answer",
		Rivals:   []Rival{{"ext-authz-denied", "the details say ext_authz_denied: the authorizer did answer"}},
		Checks: []string{
			meshAuthorizers,
			"istioctl proxy-config endpoints {pod} -n {namespace} | grep -i auth",
			"kubectl logs -n {namespace} {pod} -c istio-proxy --since=15m | grep ext_authz_error",
		},
		Remedy: "Bring the authorizer back: its pods, Service, port and TLS settings, its timeout. Records of the proxy towards it (UF, UH, UT) say what is wrong.",
		Docs:   []string{"https://istio.io/latest/docs/tasks/security/authorization/authz-custom/"},
		Examples: []string{
			`[2026-04-02T08:15:30.101Z] "GET /cart HTTP/1.1" 403 UAEX ext_authz_error - "-" 0 0 201 - "-" "curl/8.6.0" "5f0b1d5e-8c11-4f43-9b57-0d8b7a1c2e01" "cart.shop:7070" "-" inbound|7070|| - 10.60.2.14:7070 10.60.1.9:41822 outbound_.7070_._.cart.shop.svc.cluster.local default`,
			`[2026-04-02T08:15:30.101Z] "GET /cart HTTP/1.1" 500 UAEX ext_authz_invalid - "-" 0 0 4 - "-" "curl/8.6.0" "5f0b1d5e-8c11-4f43-9b57-0d8b7a1c2e01" "cart.shop:7070" "-" outbound|7070||cart.shop.svc.cluster.local - 10.60.40.7:7070 10.60.1.9:41822 - default`,
		},
	},
	{
		ID: "mixer-policy-denied", Title: "Mixer policy check denied or failed", Side: ControlPlane, Severity: Error,
		Meaning:  "Mixer, the policy service of old Istio, denied the request or could not be asked. The status column says which: UNAVAILABLE means that Mixer is down, the others are denials.",
		Evidence: "flag UAEX, or none, and a status in the mixer column",
		Rivals: []Rival{
			{"ext-authz-denied", "the mixer column is empty: another authorizer denied"},
			{"unknown-origin", "the mixer column is empty"},
		},
		Checks: []string{
			"kubectl get pods -n istio-system -l istio-mixer-type=policy",
			"kubectl logs -n istio-system -l istio-mixer-type=policy -c mixer --prefix --tail=50",
		},
		Remedy:   "UNAVAILABLE: repair istio-policy, or switch policy checks off. A denial: look at the Mixer rules. Mixer is gone since Istio 1.8: plan the upgrade.",
		Versions: "Istio 1.0 to 1.7.",
		Docs:     []string{"https://archive.istio.io/v1.4/docs/ops/common-problems/network-issues/"},
		Examples: []string{
			`[2019-04-02T08:15:30.101Z] "GET /cart HTTP/1.1" 503 UAEX "UNAVAILABLE:upstream connect error" 0 57 12 - "-" "curl/7.61.0" "5f0b1d5e-8c11-4f43-9b57-0d8b7a1c2e01" "cart.shop:7070" "-" outbound|7070||cart.shop.svc.cluster.local - 10.60.40.7:7070 10.60.1.9:41822 -`,
		},
	},
}

var denialRules = []Rule{
	// Istio's mixer has a column of its own
	{"flag:UAEX mixer", "mixer-policy-denied", "ext-authz-denied", High},
	{"mixer !mixer:^ok$ only:UAEX code:400-599 !host", "mixer-policy-denied", "unknown-origin", Medium},

	{"details:due_to_bad_custom_action", "ext-authz-provider-invalid", "", High},
	{"termination:due_to_bad_custom_action", "ext-authz-provider-invalid", "", High},
	{"details:^rbac_access_denied,downstream_local_disconnect_rbac_deny_close", "rbac-denied", "", High},
	{"termination:rbac_access_denied,rbac_deny_close", "rbac-denied", "", High},

	{"details:^jwt_authn_access_denied$", "jwt-missing", "jwt-expired jwt-signature jwt-issuer-unknown jwt-invalid", Low},
	{"details:^jwt_authn_access_denied_jwt_is_missing", "jwt-missing", "", High},
	{"details:^jwt_authn_access_denied_jwt_is_expired", "jwt-expired", "", High},
	{"details:^jwt_authn_access_denied_jwt_issuer_is_not_configured", "jwt-issuer-unknown", "", High},
	{"details:^jwt_authn_access_denied_audiences_in_jwt", "jwt-audience", "", High},
	{"details:^jwt_authn_access_denied_jwt_verification_fails,^jwt_authn_access_denied_jwks_doesn_t_have_key,^jwt_authn_access_denied_jwks_doesnt_have_key", "jwt-signature", "jwt-jwks-unreachable", Medium},
	{"details:^jwt_authn_access_denied_jwks", "jwt-jwks-unreachable", "", High},
	{"details:^jwt_authn_access_denied", "jwt-invalid", "", High},

	{"details:^ext_authz_error,^ext_authz_invalid", "ext-authz-error", "", High},
	{"details:^ext_authz_denied code:300-399", "ext-authz-redirect", "", High},
	{"details:^ext_authz_denied,downstream_local_disconnect_ext_authz_close", "ext-authz-denied", "", High},
	{"flag:UAEX details:^proto_message_extraction", "extension-answered", "", High},
	{"flag:UAEX code:300-399", "ext-authz-redirect", "", Medium},
	{"flag:UAEX code:5xx !details", "ext-authz-error", "ext-authz-denied", Low},
	{"flag:UAEX !details round-seconds", "ext-authz-error", "ext-authz-denied", Low}, // Envoy's own answer to a silent authorizer is 403
	{"flag:UAEX !details", "ext-authz-denied", "ext-authz-error", Medium},
	{"flag:UAEX", "ext-authz-denied", "ext-authz-error extension-answered", Low},
}
