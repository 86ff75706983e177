package classify

// injectionCauses are why a pod came up without its sidecar although the
// webhook was reached.
var injectionCauses = []Cause{
	{
		ID: "injection-webhook-template-error", Title: "Injection template does not render", Parent: "istiod-misconfigured", Side: ControlPlane, Severity: Error, Seen: InEvents,
		Meaning:  "istiod got the request to inject the pod and could not make a sidecar from its template: the template, or an annotation that goes into it, is wrong.",
		Evidence: "the injection webhook denied the request, with an error of a template or of YAML",
		Rivals:   []Rival{{"config-invalid", "the webhook that denied is the one for validation"}},
		Checks:   []string{"kubectl get configmap -n istio-system istio-sidecar-injector -o yaml", "kubectl get pod -n {namespace} {pod} -o jsonpath='{.metadata.annotations}'", "kubectl logs -n istio-system deploy/istiod | grep -i inject | tail"},
		Remedy:   "Take back the change of the template or of the values it uses; quote annotations that hold numbers or braces.",
		Docs:     []string{"https://istio.io/latest/docs/setup/additional-setup/sidecar-injection/", "https://istio.io/latest/docs/ops/common-problems/injection/"},
		Examples: []string{
			`Error creating: admission webhook "namespace.sidecar-injector.istio.io" denied the request: template: inject:88: function "mergeTolerations" not defined`,
			"2022-04-20T20:21:22.232425Z\terror\tPod injection failed: failed to run injection template: parsing pod: error converting YAML to JSON: yaml: line 31: mapping values are not allowed in this context",
		},
	},
	{
		ID: "injection-skipped", Title: "Pod was not injected, without an error", Side: Platform, Severity: Warning, Seen: InEvents,
		Meaning:  "The pod runs without a sidecar, and nothing failed: something decided against it.",
		Evidence: "a line that says that injection was skipped, or that a pod lacks its proxy",
		Rivals:   []Rival{{"injection-skipped-policy", "the line speaks of a policy or an annotation"}, {"webhook-blocked-by-apiserver-proxy", "the API server's log says `failing open`: it tried and failed"}, {"injection-namespace-selector-mismatch", "the webhook was never called: istiod's log has no line about the pod"}},
		Checks:   []string{"istioctl experimental check-inject -n {namespace} {pod}", "kubectl get namespace {namespace} --show-labels"},
		Remedy:   "Set the label of the namespace (istio-injection=enabled or istio.io/rev=REVISION) and restart the workload.",
		Docs:     []string{"https://istio.io/latest/docs/ops/common-problems/injection/", "https://istio.io/latest/docs/reference/config/analysis/ist0103/"},
		Examples: []string{
			"2024-11-04T14:24:34.445464Z\tinfo\tanalysis\tWarning [IST0103] (Pod market/ledger-5c7f8d6b9-q2wzt) The pod market/ledger-5c7f8d6b9-q2wzt is missing the Istio proxy.",
		},
	},
	{
		ID: "injection-namespace-selector-mismatch", Title: "Namespace labels do not match the webhook", Parent: "injection-skipped", Side: Platform, Severity: Warning, Seen: InEvents,
		Meaning:  "The webhook asks for a label that the namespace does not have, so the API server never calls it for pods there.",
		Evidence: "an analysis that the namespace is not enabled, or that its labels match no webhook",
		Rivals:   []Rival{{"injection-skipped-policy", "istiod logs the request of the pod: the namespace does match"}},
		Checks:   []string{"kubectl get namespace {namespace} -L istio-injection -L istio.io/rev", "istioctl experimental check-inject -n {namespace} {pod}", "kubectl get mutatingwebhookconfigurations -o custom-columns=NAME:.metadata.name,NAMESPACES:..namespaceSelector"},
		Remedy:   "Label the namespace for exactly one revision: istio-injection=enabled and istio.io/rev exclude each other. Then restart the pods.",
		Docs:     []string{"https://istio.io/latest/docs/setup/additional-setup/sidecar-injection/", "https://istio.io/latest/docs/reference/config/analysis/ist0102/"},
		Examples: []string{"2023-09-19T09:29:39.495959Z\tinfo\tanalysis\tInfo [IST0102] (Namespace market) The namespace is not enabled for Istio injection."},
	},
	{
		ID: "injection-skipped-hostnetwork", Title: "Host network pods are never injected", Parent: "injection-skipped", Side: Platform, Severity: Warning, Seen: InEvents,
		Meaning:  "The pod shares the network of its node. Redirecting its traffic would redirect the node's, so it gets no sidecar.",
		Evidence: "the injector says that host networking is enabled",
		Rivals:   []Rival{{"injection-skipped-policy", "hostNetwork is not set in the pod's spec"}},
		Checks:   []string{"kubectl get pod -n {namespace} {pod} -o jsonpath='{.spec.hostNetwork}'"},
		Remedy:   "Take hostNetwork off the pod, or accept that it is outside the mesh.",
		Docs:     []string{"https://istio.io/latest/docs/ops/common-problems/injection/"},
		Examples: []string{`===> Skipping injection because Deployment "market/node-agent" has host networking enabled`},
	},
	{
		ID: "injection-skipped-policy", Title: "Injector decided not to inject by policy", Parent: "injection-skipped", Side: Platform, Severity: Warning, Seen: InEvents,
		Meaning:  "istiod was asked about the pod and decided against a sidecar: by the label or annotation sidecar.istio.io/inject, by the default policy, or because the pod uses the host network.",
		Evidence: "`Skipping due to policy check`, or a policy that ends in `required:false`",
		Rivals:   []Rival{{"injection-skipped-hostnetwork", "the pod's spec has hostNetwork: true"}},
		Checks:   []string{"kubectl get pod -n {namespace} {pod} -o jsonpath='{.metadata.labels} {.metadata.annotations}'", "kubectl get configmap -n istio-system istio-sidecar-injector -o jsonpath='{.data.config}' | grep -E 'policy|Selector'"},
		Remedy:   "If a sidecar is wanted, set the label sidecar.istio.io/inject: \"true\" on the pod template, not on the Deployment, and check that the policy is enabled or disabled, in these words.",
		Docs:     []string{"https://istio.io/latest/docs/setup/additional-setup/sidecar-injection/#controlling-the-injection-policy", "https://istio.io/latest/docs/ops/common-problems/injection/"},
		Examples: []string{
			"2025-05-20T12:32:42.525262Z\tinfo\tSkipping due to policy check\tpath=/inject pod=market/nightly-29104-*****",
			"2019-02-26T17:27:37.475767Z\tinfo\tSkipping market/ledger due to policy check",
		},
	},
}

var injectionRules = []Rule{
	{"message:denied_the_request message:sidecar_injector", "injection-webhook-template-error", "", High},
	{"emitter:istiod,pilot-agent message:pod_injection_failed,failed_to_run_injection_template,failed_to_parse_template,failed_to_parse_injection,could_not_parse_injection,template_inject", "injection-webhook-template-error", "", High},
	{"message:skipping_injection_because message:host_networking", "injection-skipped-hostnetwork", "", High},
	{"message:skipping_injection_because message:injection_disabled,injection_is_disabled,policy", "injection-skipped-policy", "", High},
	{"message:skipping_injection_because !message:already", "injection-skipped", "injection-skipped-policy", Medium},
	{"message:skipping message:due_to_policy_check", "injection-skipped-policy", "injection-skipped-hostnetwork", High},
	{"message:sidecar_injection_policy message:required_false", "injection-skipped-policy", "injection-skipped-hostnetwork", High},
	{"message:ist0102,no_matching_namespace_labels,is_not_enabled_for_istio_injection", "injection-namespace-selector-mismatch", "", High},
	{"message:ist0103,is_missing_the_istio_proxy", "injection-skipped", "injection-namespace-selector-mismatch injection-skipped-policy", Medium},
}
