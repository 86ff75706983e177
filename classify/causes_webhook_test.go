package classify

import "slices"

// How the API server tells of a call that failed: versions of the text, and
// where it is seen.
const (
	calls19   = `failed calling admission webhook "sidecar-injector.istio.io": Post https://istio-sidecar-injector.istio-system.svc:443/inject?timeout=30s: TEXT`
	calls113  = `failed calling webhook "sidecar-injector.istio.io": Post https://istiod.istio-system.svc:443/inject?timeout=30s: TEXT`
	calls122  = `failed calling webhook "rev.namespace.sidecar-injector.istio.io": failed to call webhook: Post "https://istiod-blue.istio-system.svc:443/inject?timeout=10s": TEXT`
	validates = `failed calling webhook "rev.validation.istio.io": failed to call webhook: Post "https://istiod-blue.istio-system.svc:443/validate?timeout=10s": TEXT`
	galley    = `failed calling webhook "pilot.validation.istio.io": Post https://istio-galley.istio-system.svc:443/admitpilot?timeout=30s: TEXT`

	described frame = "  Warning  FailedCreate  9m (x11 over 12m)  replicaset-controller  Error creating: Internal error occurred: " + calls113
	listed    frame = "41s         Warning   FailedCreate   replicaset/till-6c9d7f   Error creating: Internal error occurred: " + calls122
	created   frame = "Error creating: Internal error occurred: " + calls19
	applied   frame = `Error from server (InternalError): error when creating "till.yaml": Internal error occurred: ` + validates
	appliedBy frame = `Error from server (InternalError): error when creating "till.yaml": Internal error occurred: ` + galley
	internal  frame = "Internal error occurred: " + calls122
	deploys   frame = "Error creating deployer pod: Internal error occurred: " + calls19
	ordinal   frame = "create Pod ledger-0 in StatefulSet ledger failed error: Internal error occurred: " + calls122
	synced    frame = "one or more objects failed to apply, reason: Internal error occurred: " + validates
	helm      frame = "Error: UPGRADE FAILED: cannot patch \"till\" with kind Gateway: Internal error occurred: " + validates
	yamlMsg   frame = "    message: 'Internal error occurred: " + calls122 + "'"
	opens19   frame = "W0304 05:06:07.080900       1 admission.go:257] Failed calling webhook, failing open sidecar-injector.istio.io: " + calls19
	closes116 frame = "W1112 13:14:15.161718       1 dispatcher.go:128] Failed calling webhook, failing closed sidecar-injector.istio.io: " + calls113
	closes126 frame = "W0708 19:20:21.222324       1 dispatcher.go:217] Failed calling webhook, failing closed rev.namespace.sidecar-injector.istio.io: " + calls122

	tests15   frame = "2021-02-02T11:22:33.445566Z\tinfo\tvalidationController\tNot ready to switch validation to fail-closed: dummy invalid rejected for the wrong reason: TEXT"
	tests112  frame = `{"level":"info","time":"2022-12-12T01:23:45.678901Z","scope":"validationController","msg":"Not ready to switch validation to fail-closed: dummy invalid rejected for the wrong reason: TEXT"}`
	denies10  frame = `Internal error occurred: admission webhook "sidecar-injector.istio.io" denied the request: TEXT`
	denies116 frame = `  Warning  FailedCreate  3s (x5 over 9s)  replicaset-controller  Error creating: admission webhook "namespace.sidecar-injector.istio.io" denied the request: TEXT`
	injects   frame = "2024-01-23T04:56:07.890123Z\tinfo\tTEXT"
	injectsAs frame = `{"level":"info","time":"2024-01-23T04:56:07.890123Z","msg":"TEXT"}`
)

func webhookEvents() []told {
	seen := []frame{described, listed, created, applied, internal, deploys, ordinal, synced, helm, yamlMsg, opens19, closes116, closes126}
	return slices.Concat(
		every("webhook-ca-bundle-mismatch", `x509: certificate signed by unknown authority`, append(seen, appliedBy)...),
		every("webhook-ca-bundle-mismatch", `tls: failed to verify certificate: x509: certificate signed by unknown authority (possibly because of "crypto/rsa: verification error" while trying to verify candidate authority certificate "cluster.local")`, listed, internal),
		every("webhook-ca-bundle-mismatch", `could not get REST client: unable to load root certificates: unable to parse bytes as PEM block`, internal),
		every("webhook-cert-expired", `x509: certificate has expired or is not yet valid`, described, created, closes116),
		every("webhook-cert-expired", `x509: certificate has expired or is not yet valid: current time 2026-01-02T03:04:05Z is after 2026-01-01T00:00:00Z`, listed, applied),
		every("clock-skew", `x509: certificate has expired or is not yet valid: current time 2026-01-02T03:04:05Z is before 2026-01-02T05:00:00Z`, listed, applied),
		every("injection-webhook-x509-wrong-name", `x509: certificate is valid for istiod.istio-system.svc, istio-pilot.istio-system.svc, not istiod-blue.istio-system.svc`, listed, closes126),
		every("injection-webhook-x509-wrong-name", `x509: certificate relies on legacy Common Name field, use SANs or temporarily enable Common Name matching with GODEBUG=x509ignoreCN=0`, internal),
		every("webhook-no-endpoints", `no endpoints available for service "istiod-blue"`, listed, applied, closes126),
		every("webhook-no-endpoints", `no endpoints available for service "istio-galley"`, appliedBy),
		every("webhook-blocked-by-apiserver-proxy", `proxyconnect tcp: dial tcp: lookup proxy.corp.example.com on 10.0.0.2:53: no such host`, listed),
		every("webhook-blocked-by-apiserver-proxy", `Internal Server Error`, listed, internal, yamlMsg),
		every("webhook-blocked-by-apiserver-proxy", `Service Unavailable`, append(seen, appliedBy)...),
		every("webhook-blocked-by-apiserver-proxy", `Forbidden`, described, opens19, applied),
		every("webhook-blocked-by-apiserver-proxy", `Bad Gateway`, listed),
		every("webhook-blocked-by-apiserver-proxy", `the server is currently unable to handle the request`, internal),
		every("injection-webhook-dns-failure", `dial tcp: lookup istiod-blue.istio-system.svc on 10.96.0.10:53: no such host`, listed, created),
		every("injection-webhook-dns-failure", `dial tcp: lookup istiod.istio-system.svc: i/o timeout`, described),
		every("webhook-refused", `dial tcp 10.96.44.9:443: connect: connection refused`, seen...),
		every("webhook-refused", `dial tcp 10.61.2.8:9443: getsockopt: connection refused`, created, opens19),
		every("injection-webhook-service-missing", `service "istiod-blue" not found`, listed, applied, closes126),
		every("webhook-version", `converting (v1.AdmissionReview) to (v1beta1.AdmissionReview): unknown conversion`, internal),
		every("webhook-tls-broken", `EOF`, described, listed, created),
		every("webhook-tls-broken", `read tcp 172.18.0.3:51514->10.96.44.9:443: read: connection reset by peer`, closes126),
		every("webhook-tls-broken", `http: server gave HTTP response to HTTPS client`, listed),
		every("webhook-blocked-by-network", `context deadline exceeded`, seen...),
		every("webhook-blocked-by-network", `net/http: request canceled while waiting for connection (Client.Timeout exceeded while awaiting headers)`, created, described),
		every("webhook-blocked-by-network", `net/http: TLS handshake timeout`, listed),
		every("webhook-blocked-by-network", `dial tcp 10.61.2.8:15017: i/o timeout`, closes116, appliedBy),
		every("webhook-blocked-by-network", `dial tcp 10.61.2.8:443: connect: no route to host`, opens19),
		every("webhook-blocked-by-network", `something nobody has seen before`, internal),

		every("istiod-custom-webhook-no-dryrun", `admission webhook 'guard.till.example.com' does not support dry run`, tests15, tests112),
		every("istiod-rbac-forbidden", `gateways.networking.istio.io is forbidden: User 'system:serviceaccount:istio-system:istiod-blue' cannot create resource 'gateways' in API group 'networking.istio.io' in the namespace 'istio-system'`, tests15, tests112),
		every("webhook-ca-bundle-mismatch", `Internal error occurred: failed calling webhook 'validation.istio.io': x509: certificate signed by unknown authority`, tests15),
		every("webhook-ca-bundle-mismatch", `x509: certificate signed by unknown authority`, tests112),
		every("webhook-no-endpoints", `no endpoints available for service 'istiod'`, tests15),
		every("webhook-refused", `dial tcp 10.96.44.9:443: connect: connection refused`, tests112),
		every("validation-webhook-unreachable", `context deadline exceeded`, tests15, tests112),
		[]told{
			{"validation-webhook-unreachable", "2020-06-01T10:20:30.405060Z\tinfo\tvalidationController\tNot ready to switch validation to fail-closed: dummy invalid config not rejected"},
			{"validation-webhook-unreachable", `{"level":"error","time":"2024-06-01T10:20:30.405060Z","scope":"controllers","msg":"error handling istio-validator-istio-system, retrying (retry count: 31): webhook is not ready, retry","controller":"validation"}`},
			{"webhook-ca-bundle-mismatch", "2020-06-01T10:20:30.405060Z\tinfo\thttp: TLS handshake error from 10.0.0.4:50112: remote error: tls: bad certificate"},
			{"webhook-ca-bundle-mismatch", `{"level":"info","time":"2025-06-01T10:20:30.405060Z","msg":"http: TLS handshake error from 10.0.0.4:50112: remote error: tls: unknown certificate authority"}`},
			{"webhook-ca-bundle-mismatch", "2021-06-01T10:20:30.405060Z\terror\tserver\tFailed to load CA bundle: open /var/run/secrets/istio-dns/root.pem: no such file or directory"},
		},
	)
}

func injectionEvents() []told {
	return slices.Concat(
		every("injection-webhook-template-error", `template: inject:41: unexpected "}" in operand`, denies10, denies116),
		every("injection-webhook-template-error", `error converting YAML to JSON: yaml: line 77: could not find expected ':'`, denies10, denies116),
		every("injection-webhook-template-error", `Pod injection failed: failed to run injection template: template: inject:12:8: executing inject at <.Values.till>: nil pointer`, injectsAs),
		every("injection-skipped-policy", `Skipping till/ledger-6c9d7f due to policy check`, injects, injectsAs),
		every("injection-skipped-policy", `Skipping due to policy check`, injects, injectsAs),
		every("injection-skipped-policy", `Sidecar injection policy for till/ledger: namespacePolicy:enabled useDefault:true inject:false required:false`, injects),
		every("injection-namespace-selector-mismatch", `Info [IST0102] (Namespace till) The namespace is not enabled for Istio injection.`, injects, injectsAs),
		every("injection-skipped", `Warning [IST0103] (Pod till/ledger-6c9d7f) The pod is missing the Istio proxy.`, injects),
		[]told{
			{"injection-skipped-hostnetwork", `===> Skipping injection because DaemonSet "till/probe" has host networking enabled`},
			{"injection-skipped-policy", `===> Skipping injection because Deployment "till/ledger" has sidecar injection disabled`},
			{"injection-skipped", `===> Skipping injection because Pod "till/ledger" is of an unknown kind`},
		},
	)
}

func istiodEvents() []told {
	const (
		watches117 frame = "2021-08-19T02:03:04.506070Z\terror\tklog\tk8s.io/client-go@v0.20.7/tools/cache/reflector.go:167: Failed to watch *v1.KIND: failed to list *v1.KIND: TEXT"
		watchesAs  frame = `{"level":"error","time":"2025-08-19T02:03:04.506070Z","scope":"klog","msg":"k8s.io/client-go@v0.32.1/tools/cache/reflector.go:251: Failed to watch: failed to list *v1.KIND: TEXT"}`
		lists10    frame = "2018-10-10T02:03:04.506070Z\terror\tistio.io/istio/pilot/pkg/serviceregistry/kube/controller.go:217: Failed to list *v1.KIND: TEXT"
		watchesRaw frame = "E0819 02:03:04.506070       1 reflector.go:125] istio.io/istio/pilot/pkg/config/kube/crd/controller.go:222: Failed to list *v1.KIND: TEXT"
	)
	return slices.Concat(
		every("istiod-apiserver-unreachable", `Get 'https://10.96.0.1:443/api/v1/endpoints?limit=500': dial tcp 10.96.0.1:443: connect: connection refused`, watches117, watchesAs, lists10, watchesRaw),
		every("istiod-apiserver-unreachable", `Get 'https://10.96.0.1:443/api/v1/endpoints?limit=500': dial tcp 10.96.0.1:443: i/o timeout`, watches117, watchesAs),
		every("istiod-apiserver-unreachable", `the server is currently unable to handle the request`, watches117),
		every("istiod-rbac-forbidden", `endpoints is forbidden: User 'system:serviceaccount:istio-system:istiod-blue' cannot list resource 'endpoints' in API group '' at the cluster scope`, watches117, watchesAs, lists10, watchesRaw),
		every("istiod-crd-missing", `the server could not find the requested resource (get gateways.networking.istio.io)`, watches117, watchesAs, watchesRaw),
		[]told{
			{"istiod-apiserver-unreachable", "2023-08-19T02:03:04.506070Z\terror\tklog\terror retrieving resource lock istio-system/istio-leader: Get \"https://10.96.0.1:443/api/v1/namespaces/istio-system/configmaps/istio-leader\": http2: client connection lost"},
			{"istiod-apiserver-unreachable", "2023-08-19T02:03:04.506070Z\tfatal\tfailed to create discovery service: failed to create kube client: Get \"https://10.96.0.1:443/version\": net/http: TLS handshake timeout"},
			{"istiod-apiserver-unreachable", "2023-08-19T02:03:04.506070Z\terror\tleader election lost: istio-leader"},
			{"istiod-apiserver-unreachable", "2020-08-19T02:03:04.506070Z\terror\tError: failed to create discovery service: Get \"https://10.96.0.1:443/version?timeout=32s\": dial tcp 10.96.0.1:443: connect: no route to host"},
			{"istiod-apiserver-unreachable", "2022-08-19T02:03:04.506070Z\tinfo\tklog\tfailed to renew lease istio-system/istio-gateway-deployment: timed out waiting for the condition"},
			{"istiod-crd-missing", "2024-08-19T02:03:04.506070Z\terror\tkube\tcould not create informer: no matches for kind \"TLSRoute\" in version \"gateway.networking.k8s.io/v1alpha2\""},
			{"istiod-k8s-api-removed", "2022-08-19T02:03:04.506070Z\terror\tklog\tk8s.io/client-go@v0.19.8/tools/cache/reflector.go:156: Failed to watch *v1beta1.ValidatingWebhookConfiguration: failed to list *v1beta1.ValidatingWebhookConfiguration: the server could not find the requested resource"},
			{"istiod-k8s-api-removed", "2021-08-19T02:03:04.506070Z\terror\tkube\tfailed to list CRDs: the server could not find the requested resource"},
			{"istiod-misconfigured", "2022-08-19T02:03:04.506070Z\terror\tpatching webhook istio-sidecar-injector-blue failed: webhook entry \"namespace.sidecar-injector.istio.io\" not found in config"},
			{"istiod-misconfigured", "2020-08-19T02:03:04.506070Z\twarn\tfailed to read mesh configuration, using default: unknown field \"enableTracin\" in v1alpha1.MeshConfig"},
		},
	)
}
