package classify

// istiodCauses are what istiod lacks from its cluster.
var istiodCauses = []Cause{
	{
		ID: "istiod-apiserver-unreachable", Title: "istiod can not reach the Kubernetes API", Side: Network, Severity: Error, Seen: InEvents,
		Meaning:  "istiod's requests to the API server fail on the network, so it learns of no change: services, endpoints and configuration grow old.",
		Evidence: "`Failed to watch` or `Failed to list` with an error of the connection; a lease that can not be renewed",
		Rivals:   []Rival{{"istiod-rbac-forbidden", "the API server answers: forbidden"}, {"istiod-k8s-api-removed", "it answers: could not find the requested resource"}},
		Checks:   []string{"kubectl logs -n istio-system deploy/istiod | grep -E 'Failed to (watch|list)|lease' | tail", "kubectl get networkpolicies -n istio-system", "kubectl get endpoints kubernetes"},
		Remedy:   "Open the way from istiod to the API server's address: NetworkPolicy, firewall, authorized networks of a private cluster.",
		Docs:     []string{"https://docs.cloud.google.com/service-mesh/docs/troubleshooting/troubleshoot-intro", "https://istio.io/latest/docs/ops/deployment/application-requirements/"},
		Examples: []string{
			"2024-05-12T23:01:44.310088Z\terror\tklog\tk8s.io/client-go@v0.29.3/tools/cache/reflector.go:229: Failed to watch *v1.Service: Get \"https://10.96.0.1:443/api/v1/services?watch=true\": dial tcp 10.96.0.1:443: connect: connection refused",
			"2021-10-08T12:22:09.804411Z\terror\tklog\terror retrieving resource lock istio-system/istio-leader: Get \"https://10.96.0.1:443/api/v1/namespaces/istio-system/configmaps/istio-leader\": context deadline exceeded",
		},
	},
	{
		ID: "istiod-misconfigured", Title: "istiod lacks something it needs from the cluster", Side: ControlPlane, Severity: Error, Seen: InEvents,
		Meaning:  "istiod runs, and can not read or write an object that it depends on: its mesh configuration, its webhook configuration, its credentials.",
		Evidence: "an error of istiod that names the object",
		Rivals:   []Rival{{"istiod-rbac-forbidden", "the reason is forbidden"}, {"istiod-crd-missing", "the reason is a resource that can not be found"}, {"webhook-ca-bundle-mismatch", "the line is about the CA bundle, and the API server reports unknown authority"}},
		Checks:   []string{"kubectl logs -n istio-system deploy/istiod | grep -w -E 'error|warn' | tail -n 40", "istioctl analyze -n istio-system", "kubectl get configmap -n istio-system istio -o yaml"},
		Remedy:   "Restore the object that the line names, as a rule by installing this revision again with its own settings.",
		Docs:     []string{"https://istio.io/latest/docs/ops/diagnostic-tools/istioctl-analyze/", "https://istio.io/latest/docs/reference/config/istio.mesh.v1alpha1/"},
		Examples: []string{
			"2022-03-03T03:33:33.330033Z\terror\tpatching webhook istio-sidecar-injector failed: webhook entry \"sidecar-injector.istio.io\" not found in config \"istio-sidecar-injector\"",
			"2023-11-15T08:00:01.992200Z\terror\tfailed to read mesh configuration, using default: yaml: line 14: mapping values are not allowed in this context",
		},
	},
	{
		ID: "istiod-crd-missing", Title: "Custom resource definition missing", Parent: "istiod-misconfigured", Side: ControlPlane, Severity: Error, Seen: InEvents,
		Meaning:  "istiod watches a kind of resource whose definition (CRD) is not installed, or not in the version it asks for.",
		Evidence: "`the server could not find the requested resource`, or `no matches for kind`, about a kind of Istio or of the Gateway API",
		Rivals:   []Rival{{"istiod-k8s-api-removed", "the kind is one of Kubernetes itself"}},
		Checks:   []string{"kubectl get crd | grep -E 'istio.io|gateway.networking.k8s.io'", "kubectl api-resources --api-group=networking.istio.io"},
		Remedy:   "Install the CRDs of this Istio release (the base chart); for the Gateway API install its CRDs.",
		Docs:     []string{"https://istio.io/latest/docs/setup/install/helm/", "https://istio.io/latest/docs/tasks/traffic-management/ingress/gateway-api/"},
		Examples: []string{"2020-07-01T01:02:03.405060Z\terror\tklog\tpkg/mod/k8s.io/client-go@v0.18.3/tools/cache/reflector.go:125: Failed to list *v1alpha3.WorkloadEntry: the server could not find the requested resource (get workloadentries.networking.istio.io)"},
	},
	{
		ID: "istiod-k8s-api-removed", Title: "istiod asks for an API version Kubernetes removed", Parent: "istiod-misconfigured", Side: ControlPlane, Severity: Error, Seen: InEvents,
		Meaning:  "This Istio is older than the cluster: a beta version of a Kubernetes API that it uses is gone.",
		Evidence: "`the server could not find the requested resource` about a v1beta1 kind of Kubernetes, or about CRDs as a whole",
		Rivals:   []Rival{{"istiod-crd-missing", "the kind is one of Istio or of the Gateway API"}},
		Checks:   []string{"kubectl version", "istioctl version"},
		Remedy:   "Upgrade Istio to a release that supports this version of Kubernetes.",
		Versions: "Istio 1.9 and older on Kubernetes 1.22 and later; likewise with each later removal",
		Docs:     []string{"https://kubernetes.io/docs/reference/using-api/deprecation-guide/", "https://istio.io/latest/docs/releases/supported-releases/"},
		Examples: []string{"2021-12-19T19:18:17.161514Z\terror\tklog\tk8s.io/client-go@v0.19.3/tools/cache/reflector.go:156: Failed to watch *v1beta1.Ingress: failed to list *v1beta1.Ingress: the server could not find the requested resource"},
	},
	{
		ID: "istiod-rbac-forbidden", Title: "istiod lacks permission for a resource", Parent: "istiod-misconfigured", Side: ControlPlane, Severity: Error, Seen: InEvents,
		Meaning:  "The API server refuses what istiod's service account asks: its role is older than istiod, was changed, or belongs to another revision.",
		Evidence: "`is forbidden: User \"system:serviceaccount:...\" cannot VERB resource`",
		Rivals:   []Rival{{"istiod-csr-forbidden", "the resource is a certificate signing request"}},
		Checks: []string{
			"kubectl auth can-i --list --as=system:serviceaccount:istio-system:istiod | grep -i istio",
			"kubectl get clusterrolebindings -o wide | grep -i istiod",
		},
		Remedy: "Install the base and istiod charts of one release and revision together, so that the roles fit.",
		Docs:   []string{"https://kubernetes.io/docs/reference/access-authn-authz/rbac/", "https://istio.io/latest/docs/setup/install/helm/"},
		Examples: []string{
			"2023-06-07T15:14:13.121110Z\terror\tklog\tk8s.io/client-go@v0.26.2/tools/cache/reflector.go:169: Failed to watch *v1.Secret: failed to list *v1.Secret: secrets is forbidden: User \"system:serviceaccount:istio-system:istiod-blue\" cannot list resource \"secrets\" in API group \"\" at the cluster scope",
		},
	},
	{
		ID: "istiod-custom-webhook-no-dryrun", Title: "Other webhook without dry run blocks istiod's check", Parent: "istiod-misconfigured", Side: ControlPlane, Severity: Warning, Seen: InEvents,
		Meaning:  "istiod tests validation with a dry run. Another webhook of the cluster watches Istio's resources and does not allow dry runs, so the test says nothing.",
		Evidence: "`does not support dry run`",
		Rivals:   []Rival{{"validation-webhook-unreachable", "the test fails without naming another webhook"}},
		Checks:   []string{"kubectl get validatingwebhookconfigurations,mutatingwebhookconfigurations -o yaml | grep -E ' name:|sideEffects'"},
		Remedy:   "Give the other webhook sideEffects: None, or keep networking.istio.io out of its rules.",
		Docs:     []string{"https://kubernetes.io/docs/reference/access-authn-authz/extensible-admission-controllers/#side-effects"},
		Examples: []string{"2021-03-10T10:11:12.131415Z\tinfo\tvalidationController\tNot ready to switch validation to fail-closed: dummy invalid rejected for the wrong reason: admission webhook \"policy.checks.example.com\" does not support dry run"},
	},
}

const (
	brokenCall = "message:dial_tcp,connection_refused,i_o_timeout,no_route_to_host,tls_handshake_timeout,context_deadline_exceeded,client_connection_lost,connection_reset_by_peer,unexpected_eof,no_such_host,currently_unable_to_handle_the_request"
	notFound   = "message:could_not_find_the_requested_resource,no_matches_for_kind "
	ofIstio    = "message:istio_io,istiod,istio_system,pilot_discovery "
)

var istiodRules = []Rule{
	{"emitter:istiod,pilot-agent message:failed_to_watch,failed_to_list,error_retrieving_resource_lock,failed_to_renew_lease,failed_to_get_api_group_resources " + brokenCall, "istiod-apiserver-unreachable", "", High},
	{"emitter:istiod,pilot-agent message:api_v1,apis,443_version " + brokenCall, "istiod-apiserver-unreachable", "", High},
	{"emitter:klog message:failed_to_watch,failed_to_list " + ofIstio + brokenCall, "istiod-apiserver-unreachable", "", Medium},
	{"emitter:istiod,pilot-agent message:failed_to_renew_lease,leader_election_lost,leaderelection_lost", "istiod-apiserver-unreachable", "", Low},
	{"emitter:istiod,pilot-agent message:is_forbidden !message:certificatesigningrequests,signers", "istiod-rbac-forbidden", "", High},
	{"emitter:klog message:is_forbidden message:serviceaccount_istio_system,istiod !message:certificatesigningrequests,signers", "istiod-rbac-forbidden", "", High},
	{"emitter:istiod,pilot-agent,klog " + notFound + "message:v1beta1_mutatingwebhookconfiguration,v1beta1_validatingwebhookconfiguration,v1beta1_customresourcedefinition,v1beta1_ingress,v1beta1_ingressclass,v1beta1_endpointslice,v1beta1_poddisruptionbudget,v1beta1_certificatesigningrequest,v1beta1_deployment,v2beta2_horizontalpodautoscaler,failed_to_list_crds", "istiod-k8s-api-removed", "istiod-crd-missing", High},
	{"emitter:istiod,pilot-agent " + notFound, "istiod-crd-missing", "istiod-k8s-api-removed", High},
	{"emitter:klog " + notFound + "message:istio_io", "istiod-crd-missing", "", Medium},
	{"emitter:istiod,pilot-agent message:patching_webhook message:failed !message:object_has_been_modified", "istiod-misconfigured", "webhook-ca-bundle-mismatch", Medium},
	{"emitter:istiod,pilot-agent message:failed_to_read_mesh_config,failed_to_read_mesh_configuration,failed_to_load_mesh_config,failed_to_parse_mesh_config,unable_to_read_mesh_config,invalid_mesh_config,failed_to_create_discovery_service", "istiod-misconfigured", "", Medium},
}
