package classify

// webhookCauses are why the API server could not ask istiod: then pods are not
// created, or not injected, and resources are refused.
var webhookCauses = []Cause{
	{
		ID: "webhook-ca-bundle-mismatch", Title: "API server does not trust istiod's webhook certificate", Side: ControlPlane, Severity: Error, Seen: InEvents, Aliases: []string{"webhook-ca-mismatch", "validation-webhook-x509-unknown-authority"},
		Meaning:  "The webhook configuration holds a root certificate (caBundle) that did not sign the certificate istiod serves: it is empty, stale, or of another control plane.",
		Evidence: "a failed webhook call with x509 unknown authority; on istiod's side TLS handshakes that end with `bad certificate`",
		Rivals:   []Rival{{"injection-webhook-x509-wrong-name", "the text says for which names the certificate is valid"}, {"webhook-cert-expired", "the text says expired or not yet valid"}, {"istiod-misconfigured", "istiod's log says that it can not load or patch the CA bundle"}},
		Checks: []string{
			"kubectl get mutatingwebhookconfigurations,validatingwebhookconfigurations -o custom-columns='NAME:.metadata.name,CA:.webhooks[0].clientConfig.caBundle' | cut -c1-140",
			"kubectl get configmap -n istio-system istio-ca-root-cert -o jsonpath='{.data.root-cert\\.pem}' | base64 -w0 | cut -c1-80",
		},
		Remedy: "Restart istiod, which writes the caBundle again; remove webhook configurations of control planes that are gone, and stop whatever else writes them.",
		Docs:   []string{"https://istio.io/latest/docs/ops/common-problems/injection/", "https://istio.io/latest/docs/ops/common-problems/validation/", "https://docs.cloud.google.com/service-mesh/docs/troubleshooting/troubleshoot-webhook"},
		Examples: []string{
			`1m4s        Warning   FailedCreate   replicaset/ledger-5c7f8d6b9   Error creating: Internal error occurred: failed calling webhook "namespace.sidecar-injector.istio.io": failed to call webhook: Post "https://istiod.istio-system.svc:443/inject?timeout=10s": x509: certificate signed by unknown authority (possibly because of "crypto/rsa: verification error" while trying to verify candidate authority certificate "cluster.local")`,
			"2022-08-30T05:55:41.270019Z\tinfo\thttp: TLS handshake error from 10.60.0.2:40112: remote error: tls: bad certificate",
		},
	},
	{
		ID: "injection-webhook-x509-wrong-name", Title: "Webhook certificate lacks the service name", Parent: "webhook-ca-bundle-mismatch", Side: ControlPlane, Severity: Error, Seen: InEvents,
		Meaning:  "The server at the webhook's address shows a certificate for other names: the configuration points at another revision's service, or the certificate is from very old tools.",
		Evidence: "a failed webhook call with `certificate is valid for A, not B`, or a remark about the legacy Common Name",
		Rivals:   []Rival{{"webhook-ca-bundle-mismatch", "no names are told: the signer is what is not trusted"}},
		Checks:   []string{"kubectl get mutatingwebhookconfigurations -o custom-columns='NAME:.metadata.name,SERVICE:.webhooks[*].clientConfig.service.name'", "kubectl get service -n istio-system"},
		Remedy:   "Point the webhook at the Service of its own revision, or renew the certificate with the Service's DNS names.",
		Docs:     []string{"https://istio.io/latest/docs/ops/common-problems/injection/"},
		Examples: []string{`Error creating: Internal error occurred: failed calling webhook "rev.namespace.sidecar-injector.istio.io": failed to call webhook: Post "https://istiod-blue.istio-system.svc:443/inject?timeout=10s": x509: certificate is valid for istiod.istio-system.svc, istiod-remote.istio-system.svc, not istiod-blue.istio-system.svc`},
	},
	{
		ID: "webhook-cert-expired", Title: "Webhook certificate outside its validity period", Parent: "certificate-expired", Side: ControlPlane, Severity: Error, Seen: InEvents,
		Meaning:  "The certificate that istiod serves to the API server has run out, or is not valid yet.",
		Evidence: "a failed webhook call with `certificate has expired or is not yet valid`",
		Rivals:   []Rival{{"clock-skew", "the text says that the current time is before the start: the clocks differ"}, {"webhook-ca-bundle-mismatch", "the text says unknown authority"}},
		Checks:   []string{"kubectl get secret -n istio-system -o name | grep -E 'istio-ca-secret|cacerts|galley|injector'", "kubectl logs -n istio-system deploy/istiod | grep -i -E 'certificate|rotat' | tail"},
		Remedy:   "Restart istiod so that it issues a new certificate; renew the root or plugged-in CA if that is what ran out.",
		Docs:     []string{"https://istio.io/latest/docs/ops/common-problems/injection/", "https://istio.io/latest/docs/tasks/security/cert-management/plugin-ca-cert/"},
		Examples: []string{`W0819 11:22:33.440915       1 dispatcher.go:128] Failed calling webhook, failing closed sidecar-injector.istio.io: failed calling webhook "sidecar-injector.istio.io": Post https://istiod.istio-system.svc:443/inject?timeout=30s: x509: certificate has expired or is not yet valid`},
	},
	{
		ID: "webhook-refused", Title: "Webhook address refuses connections: istiod is not running", Side: ControlPlane, Severity: Error, Seen: InEvents, Aliases: []string{"webhook-istiod-not-running"},
		Meaning:  "The API server reached the address of the webhook, and nothing listens there: istiod is down, is just starting, or serves another port. Until it answers, pods that are to get a sidecar are not created.",
		Evidence: "a failed webhook call with `connection refused`",
		Rivals:   []Rival{{"webhook-no-endpoints", "the Service has no endpoints"}, {"webhook-blocked-by-apiserver-proxy", "the address refused is that of an HTTP proxy"}},
		Checks:   []string{"kubectl get pods -n istio-system -l app=istiod -o wide", "kubectl get endpointslices -n istio-system", "kubectl logs -n istio-system deploy/istiod --previous | tail"},
		Remedy:   "Get istiod running and ready, with its webhook port 15017 open; its pods' events and log say what holds it.",
		Docs:     []string{"https://istio.io/latest/docs/ops/common-problems/injection/", "https://docs.cloud.google.com/service-mesh/docs/troubleshooting/troubleshoot-webhook"},
		Examples: []string{`  Warning  FailedCreate  33s (x14 over 2m)  replicaset-controller  Error creating: Internal error occurred: failed calling webhook "namespace.sidecar-injector.istio.io": failed to call webhook: Post "https://istiod.istio-system.svc:443/inject?timeout=10s": dial tcp 10.96.210.4:443: connect: connection refused`},
	},
	{
		ID: "webhook-no-endpoints", Title: "Webhook service has no ready pod", Side: ControlPlane, Severity: Error, Seen: InEvents,
		Meaning:  "The Service of the webhook exists, and no pod behind it is ready. Until one is, pods that are to get a sidecar are not created, and Istio's resources are not accepted.",
		Evidence: "a failed webhook call with `no endpoints available for service`",
		Rivals:   []Rival{{"webhook-refused", "the Service has endpoints, and they refuse"}, {"injection-webhook-service-missing", "the Service itself is gone"}},
		Checks:   []string{"kubectl get pods -n istio-system -l app=istiod", "kubectl describe pods -n istio-system -l app=istiod | grep -A20 Events", "kubectl logs -n istio-system deploy/istiod --tail=40"},
		Remedy:   "Get istiod ready: its pods' events and log say what holds it (no room on a node, image, memory, its certificates). If the revision was removed, remove its webhook configurations too.",
		Docs:     []string{"https://istio.io/latest/docs/ops/common-problems/injection/"},
		Examples: []string{`W0911 09:08:07.060504       1 dispatcher.go:217] Failed calling webhook, failing open rev.validation.istio.io: failed calling webhook "rev.validation.istio.io": failed to call webhook: Post "https://istiod-green.istio-system.svc:443/validate?timeout=10s": no endpoints available for service "istiod-green"`},
	},
	{
		ID: "injection-webhook-service-missing", Title: "Webhook names a Service that does not exist", Parent: "webhook-no-endpoints", Side: ControlPlane, Severity: Error, Seen: InEvents,
		Meaning:  "A webhook configuration was left behind by a revision or installation that is gone, or names the wrong namespace.",
		Evidence: "a failed webhook call with `service \"NAME\" not found`",
		Rivals:   []Rival{{"webhook-no-endpoints", "the Service exists"}},
		Checks:   []string{"kubectl get mutatingwebhookconfigurations,validatingwebhookconfigurations | grep -i istio", "kubectl get service -A | grep -i istiod"},
		Remedy:   "Delete the stale webhook configuration, or install the revision that it names.",
		Docs:     []string{"https://istio.io/latest/docs/ops/common-problems/injection/", "https://istio.io/latest/docs/setup/upgrade/canary/"},
		Examples: []string{`Error from server (InternalError): error when creating "gateway.yaml": Internal error occurred: failed calling webhook "validation.istio.io": Post "https://istiod-1-9-2.istio-system.svc:443/validate?timeout=10s": service "istiod-1-9-2" not found`},
	},
	{
		ID: "injection-webhook-dns-failure", Title: "API server can not resolve the webhook's name", Parent: "webhook-no-endpoints", Side: Network, Severity: Error, Seen: InEvents,
		Meaning:  "The API server asked its own DNS for the name of istiod's Service, and that DNS does not know the cluster's names.",
		Evidence: "a failed webhook call with `dial tcp: lookup NAME ... no such host`",
		Rivals:   []Rival{{"injection-webhook-service-missing", "`service ... not found`: the cluster itself does not know the name"}},
		Checks:   []string{"kubectl get mutatingwebhookconfigurations -o custom-columns=NAME:.metadata.name,CALLS:..clientConfig.service,URL:..clientConfig.url", "kubectl get service -n istio-system istiod"},
		Remedy:   "Let the webhook configuration name the Service (clientConfig.service) instead of a URL, or give the API server a DNS that knows the name.",
		Docs:     []string{"https://kubernetes.io/docs/reference/access-authn-authz/extensible-admission-controllers/"},
		Examples: []string{`Internal error occurred: failed calling webhook "sidecar-injector.istio.io": Post "https://istiod.mesh-system.example.net:15017/inject?timeout=10s": dial tcp: lookup istiod.mesh-system.example.net on 10.1.0.53:53: no such host`},
	},
	{
		ID: "webhook-blocked-by-network", Title: "API server can not reach the webhook port", Side: Network, Severity: Error, Seen: InEvents, Aliases: []string{"injection-webhook-no-route"},
		Meaning:  "Packets from the API server to istiod's port 15017 get no answer. With a managed control plane a firewall is the usual reason; or the API server has no route to pod addresses. Until it does, pods that are to get a sidecar are not created.",
		Evidence: "a failed webhook call that times out or has no route",
		Rivals: []Rival{
			{"webhook-refused", "the text says refused: the packets do arrive"},
			{"webhook-no-endpoints", "istiod has no ready pod"},
			{"webhook-blocked-by-apiserver-proxy", "the API server has an HTTP proxy in its environment"},
			{"webhook-ca-bundle-mismatch", "istiod's log shows handshakes that end with bad certificate: the packets do arrive"},
		},
		Checks: []string{"kubectl get pods -n istio-system -l app=istiod -o wide", "kubectl get networkpolicies -n istio-system", "kubectl top pods -n istio-system"},
		Remedy: "Open TCP 15017 from the control plane to the nodes or pods (a firewall rule for a private GKE cluster, a security group on EKS), or run istiod on the host network where the API server can not reach pods.",
		Docs:   []string{"https://istio.io/latest/docs/ops/common-problems/injection/", "https://docs.cloud.google.com/service-mesh/docs/troubleshooting/troubleshoot-webhook"},
		Examples: []string{
			`Error creating: Internal error occurred: failed calling webhook "object.sidecar-injector.istio.io": failed to call webhook: Post "https://istiod.istio-system.svc:443/inject?timeout=10s": context deadline exceeded`,
			`W0415 20:19:18.171615       1 admission.go:253] Failed calling webhook, failing open sidecar-injector.istio.io: failed calling admission webhook "sidecar-injector.istio.io": Post https://istio-sidecar-injector.istio-system.svc:443/inject: dial tcp 10.100.3.77:443: i/o timeout`,
		},
	},
	{
		ID: "validation-webhook-unreachable", Title: "Validation webhook never answers istiod's test", Parent: "webhook-blocked-by-network", Side: Network, Severity: Error, Seen: InEvents,
		Meaning:  "istiod sends a resource that must be refused, to see whether validation works, and it was not refused: the API server does not reach the webhook. Validation stays open for mistakes.",
		Evidence: "istiod is not ready to switch to fail-closed, or says that the webhook is not ready",
		Rivals:   []Rival{{"webhook-no-endpoints", "no istiod pod is ready"}, {"istiod-custom-webhook-no-dryrun", "another webhook refused the test for lack of dry run"}, {"webhook-refused", "the text says connection refused"}, {"webhook-ca-bundle-mismatch", "the text says x509, or istiod's log shows bad certificate"}},
		Checks:   []string{"kubectl logs -n istio-system deploy/istiod | grep -i validation | tail", "kubectl get validatingwebhookconfigurations -o custom-columns=NAME:.metadata.name,POLICY:..failurePolicy,CALLS:..clientConfig.service"},
		Remedy:   "As for the injection webhook: open the way from the API server to port 15017 and compare the caBundle. In the first seconds of istiod it is normal.",
		Docs:     []string{"https://istio.io/latest/docs/ops/common-problems/validation/"},
		Examples: []string{
			"2023-01-17T13:02:20.114406Z\tinfo\tvalidationController\tNot ready to switch validation to fail-closed: dummy invalid config not rejected",
			"2024-06-26T16:36:46.566676Z\terror\tcontrollers\terror handling istio-validator-istio-system, retrying (retry count: 7): webhook is not ready, retry\tcontroller=validation",
		},
	},
	{
		ID: "webhook-blocked-by-apiserver-proxy", Title: "API server sends webhook calls to its HTTP proxy", Side: Platform, Severity: Error, Seen: InEvents,
		Meaning:  "The API server runs with an HTTP or HTTPS proxy in its environment, and asks that proxy for addresses inside the cluster, which it does not know.",
		Evidence: "a failed webhook call whose only reason is an HTTP status, such as Service Unavailable, or `proxyconnect`",
		Rivals:   []Rival{{"webhook-tls-broken", "the text is an error of TLS or of the connection"}, {"webhook-no-endpoints", "the text names the Service without endpoints"}, {"webhook-refused", "the text says connection refused and names istiod's address, not the proxy's"}},
		Checks:   []string{"kubectl get pod -n kube-system -l component=kube-apiserver -o yaml | grep -i -A1 -E 'http_proxy|https_proxy|no_proxy'"},
		Remedy:   "Add .svc, and the ranges of Services and pods, to no_proxy of the API server, or take the proxy away.",
		Docs:     []string{"https://istio.io/latest/docs/ops/common-problems/injection/"},
		Examples: []string{
			`W0529 06:16:26.364656       1 dispatcher.go:64] Failed calling webhook, failing open sidecar-injector.istio.io: failed calling webhook "sidecar-injector.istio.io": Post https://istio-sidecar-injector.istio-system.svc:443/inject?timeout=30s: Service Unavailable`,
			`Error creating: Internal error occurred: failed calling webhook "namespace.sidecar-injector.istio.io": failed to call webhook: Post "https://istiod.istio-system.svc:443/inject?timeout=10s": proxyconnect tcp: dial tcp 172.20.0.9:3128: connect: connection refused`,
		},
	},
	{
		ID: "webhook-tls-broken", Title: "Webhook call is cut in the middle", Side: Network, Severity: Error, Seen: InEvents,
		Meaning:  "The connection to the webhook opens and is then cut, or the other side does not speak TLS: something between the API server and istiod takes the call.",
		Evidence: "a failed webhook call with EOF, a reset, or an HTTP answer to a TLS client",
		Rivals:   []Rival{{"webhook-refused", "istiod restarts at the very moment"}, {"webhook-blocked-by-network", "the call times out instead"}},
		Checks:   []string{"kubectl get service -n istio-system istiod -o yaml", "kubectl get networkpolicies,peerauthentications -n istio-system", "kubectl get pods -n istio-system -l app=istiod -o jsonpath='{.items[*].spec.containers[*].name}'"},
		Remedy:   "Take the proxy, the load balancer or the redirection out of the way of port 15017, and do not inject istiod's own pod.",
		Docs:     []string{"https://istio.io/latest/docs/ops/common-problems/injection/"},
		Examples: []string{`Error creating: Internal error occurred: failed calling webhook "sidecar-injector.istio.io": Post "https://istiod.istio-system.svc:443/inject?timeout=10s": http: server gave HTTP response to HTTPS client`},
	},
	{
		ID: "webhook-version", Title: "Webhook speaks an API version Kubernetes removed", Side: ControlPlane, Severity: Error, Seen: InEvents,
		Meaning:  "istiod or its webhook configuration is older than this Kubernetes: the two have no version of AdmissionReview in common.",
		Evidence: "a failed webhook call about the version of the response or about converting an AdmissionReview",
		Rivals:   []Rival{{"istiod-k8s-api-removed", "istiod's own log says that a resource can not be found"}},
		Checks:   []string{"kubectl version", "istioctl version"},
		Remedy:   "Upgrade Istio to a release that supports this version of Kubernetes.",
		Docs:     []string{"https://istio.io/latest/docs/releases/supported-releases/", "https://kubernetes.io/docs/reference/using-api/deprecation-guide/"},
		Examples: []string{`Internal error occurred: failed calling webhook "sidecar-injector.istio.io": expected webhook response of admission.k8s.io/v1, Kind=AdmissionReview, got /, Kind=`},
	},
}

// Every rule about a failed call asks that the call was for Istio: the
// webhooks of others fail with the same words.
const (
	failedCall = "message:failed_calling_webhook,failed_calling_admission_webhook message:istio_io,istiod,istio_sidecar_injector,istio_galley,sidecar_injector,maistra_io "
	selfTest   = "message:not_ready_to_switch_validation,dummy_invalid_rejected_for_the_wrong_reason,dummy_invalid_config_rejected_for_the_wrong_reason "
)

var webhookRules = []Rule{
	{failedCall + "message:x509,certificate message:current_time message:is_before", "clock-skew", "webhook-cert-expired", High},
	{failedCall + "message:certificate_has_expired,certificate_is_not_yet_valid", "webhook-cert-expired", "clock-skew", High},
	{failedCall + "message:certificate_is_valid_for,certificate_is_not_valid_for,legacy_common_name,cannot_validate_certificate", "injection-webhook-x509-wrong-name", "", High},
	{failedCall + "message:x509,unable_to_load_root_certificates,tls_bad_certificate,tls_unknown_certificate", "webhook-ca-bundle-mismatch", "", High},
	{failedCall + "message:no_endpoints_available", "webhook-no-endpoints", "", High},
	{failedCall + "message:proxyconnect,proxy_authentication_required", "webhook-blocked-by-apiserver-proxy", "", High},
	{failedCall + "message:dial_tcp_lookup,no_such_host,server_misbehaving", "injection-webhook-dns-failure", "", High},
	{failedCall + "message:connection_refused", "webhook-refused", "webhook-no-endpoints", High},
	{failedCall + "message:admissionreview", "webhook-version", "", High},
	{failedCall + "message:not_found message:service !message:404", "injection-webhook-service-missing", "", High},
	{failedCall + "message:eof,connection_reset_by_peer,broken_pipe,server_gave_http_response,does_not_look_like_a_tls_handshake,remote_error_tls,http2_server_sent_goaway", "webhook-tls-broken", "webhook-refused", High},
	{failedCall + "message:i_o_timeout,context_deadline_exceeded,connection_timed_out,no_route_to_host,network_is_unreachable,request_canceled,client_timeout_exceeded,tls_handshake_timeout,request_did_not_complete", "webhook-blocked-by-network", "webhook-no-endpoints webhook-refused", Medium},
	{failedCall + "message:service_unavailable,bad_gateway,gateway_timeout,gateway_time_out,unable_to_connect,proxy_error,internal_server_error$,forbidden$,timeout_30s_forbidden,timeout_10s_forbidden,inject_forbidden", "webhook-blocked-by-apiserver-proxy", "", High},
	{failedCall + "message:currently_unable_to_handle_the_request,an_error_on_the_server", "webhook-blocked-by-apiserver-proxy", "webhook-tls-broken webhook-refused", Low},
	{failedCall + "!message:denied_the_request", "webhook-blocked-by-network", "webhook-refused webhook-no-endpoints webhook-ca-bundle-mismatch webhook-blocked-by-apiserver-proxy", Low},
	// istiod's own test of validation
	{"message:does_not_support_dry_run", "istiod-custom-webhook-no-dryrun", "", High},
	{selfTest + "message:is_forbidden", "istiod-rbac-forbidden", "", High},
	{selfTest + "message:x509", "webhook-ca-bundle-mismatch", "", High},
	{selfTest + "message:no_endpoints_available", "webhook-no-endpoints", "", High},
	{selfTest + "message:connection_refused", "webhook-refused", "webhook-no-endpoints", High},
	{selfTest, "validation-webhook-unreachable", "webhook-no-endpoints webhook-refused webhook-ca-bundle-mismatch", Medium},
	{"message:webhook_is_not_ready", "validation-webhook-unreachable", "webhook-no-endpoints webhook-refused", Medium},
	// what istiod sees of an API server that does not trust it
	{"emitter:istiod,pilot-agent message:tls_handshake_error_from message:remote_error_tls_bad_certificate,remote_error_tls_unknown_certificate", "webhook-ca-bundle-mismatch", "", Medium},
	{"emitter:istiod,pilot-agent message:failed_to_load_ca_bundle,failed_to_load_cabundle", "webhook-ca-bundle-mismatch", "istiod-misconfigured", Medium},
}
