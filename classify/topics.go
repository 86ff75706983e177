package classify

// topics are causes that no stream shows for certain: they are explained.
var topics = []Cause{
	{
		ID: "gateway-route-host", Title: "Gateway host's own route ignores the subset rules", Seen: Topic, Side: ClientProxy, Severity: Warning,
		Meaning: "A request that enters through an ingress gateway follows the VirtualService that is bound to the gateway and the gateway's host. The VirtualService of the internal host, with its subsets and weights, is not used: the gateway asked for another host.\n\n" +
			"Nothing fails and no flag is set. The gateway's records show the cluster with an empty subset (outbound|PORT||HOST), while calls inside the mesh reach the same host by subset.",
		Evidence: "a gateway's records with an empty subset for a host that other records reach by subset; low confidence",
		Rivals: []Rival{
			{"subset-policy-not-activated", "no VirtualService names the subset at all"},
			{"route-rules-not-effective", "calls inside the mesh ignore the rules too"},
		},
		Checks: []string{
			`istioctl proxy-config routes {pod} -n {namespace} -o json | grep -E '"(cluster|name|weight)"'`,
			virtualHosts + ofHost,
		},
		Remedy: "Repeat the subset rules in the VirtualService that is bound to the gateway, or make one VirtualService for both: list both hosts, and both the gateway and mesh under gateways.",
		Docs:   []string{"https://istio.io/latest/docs/ops/common-problems/network-issues/"},
	},
	{
		ID: "route-rules-not-effective", Title: "Route rules seem to have no effect", Seen: Topic, Side: ClientProxy, Severity: Warning,
		Meaning: "(a) A weighted split is a matter of chance: with few requests the shares are off. It takes about a hundred requests before the shares of a split show.\n\n" +
			"(b) It works for the sample application but not for yours: the Service or pod does not meet what the mesh needs. A port without a protocol name is taken for TCP when the first bytes are not HTTP, and HTTP rules never apply to TCP. Name ports PROTOCOL or PROTOCOL-SUFFIX, or set appProtocol; each pod must belong to a Service; one target port must not have two protocols.\n\n" +
			"(c) The change is on its way: a large mesh takes seconds, sometimes longer, until every proxy has it.",
		Evidence: "none that proves it; a TCP record on a port that should carry HTTP points at (b)",
		Rivals: []Rival{
			{"tcp-on-http-named-port", "the port is named http and other bytes come"},
			{"gateway-route-host", "only requests through a gateway ignore the rules"},
			{"subset-policy-not-activated", "the settings in question are those of a subset"},
		},
		Checks: []string{
			"istioctl proxy-config routes {pod} -n {namespace} --name {port} -o json",
			"istioctl x describe pod {pod} -n {namespace}",
			"istioctl proxy-status",
			"kubectl get service {service} -n {namespace} -o jsonpath='{.spec.ports}'",
		},
		Remedy: "Send more requests for (a), name the port for (b), wait until istioctl proxy-status says SYNCED for (c).",
		Docs:   []string{"https://istio.io/latest/docs/ops/common-problems/network-issues/", "https://istio.io/latest/docs/ops/deployment/application-requirements/"},
	},
	{
		ID: "subset-policy-not-activated", Title: "Subset policy unused: no route names the subset", Seen: Topic, Side: ClientProxy, Severity: Warning,
		Meaning:  "The trafficPolicy of a subset in a DestinationRule counts only for requests that a route sends to that subset. While no VirtualService names the subset, limits and outlier detection written there do nothing, even when all pods belong to the subset.",
		Evidence: "none: the cluster of the records has an empty subset",
		Rivals:   []Rival{{"gateway-route-host", "a VirtualService names the subset, but only inside the mesh"}},
		Checks: []string{
			virtualSubsets, subsets,
			"istioctl proxy-config clusters {pod} -n {namespace} --fqdn {host}",
		},
		Remedy: "Route to the subset explicitly in a VirtualService, or move the policy to the top of the DestinationRule.",
		Docs:   []string{"https://istio.io/latest/docs/ops/best-practices/traffic-management/"},
	},
	{
		ID: "envoyfilter-order", Title: "EnvoyFilter silently skipped because of insertion order", Seen: Topic, Side: ControlPlane, Severity: Warning,
		Meaning: "An EnvoyFilter that inserts BEFORE or AFTER another filter is skipped without a word when that filter is not there yet. Patches are applied in order of priority, then creation time; an upgrade can change the order in which Istio's own filters appear.\n\n" +
			"So an unchanged EnvoyFilter may stop working after an upgrade. No log says so.",
		Evidence: "none in any log: the filter is missing from the listener",
		Rivals:   []Rival{{"extension-not-loaded", "the filter is in the listener and failed to load"}},
		Checks: []string{
			`istioctl proxy-config listeners {pod} -n {namespace} -o json | grep -oE "envoy.filters.http[a-z_.]*"`,
			"kubectl get envoyfilters" + withFields + "PRIORITY:.spec.priority,OPERATIONS:..operation,PATCHES:..patch.value.name",
			"istioctl analyze -A",
		},
		Remedy: "Use INSERT_FIRST, or an anchor that is always there (the router), or give the filter that creates the anchor a lower priority number. Prefer Telemetry, WasmPlugin or Gateway API features where they exist.",
		Docs:   []string{"https://istio.io/latest/docs/ops/common-problems/network-issues/", "https://istio.io/latest/docs/reference/config/networking/envoy-filter/"},
	},
	{
		ID: "log-format-without-flags", Title: "Log format lacks response flags, so reasons stay unknown", Seen: Topic, Side: ClientProxy, Severity: Warning,
		Meaning:  "The reason of a failure stands in the response flags, right behind the code. A log format of one's own that leaves out %RESPONSE_FLAGS% (and %RESPONSE_CODE_DETAILS%) says that requests fail, never why. Every failure then counts as unknown-origin or as the upstream's.",
		Evidence: "records whose layout has no column of flags",
		Rivals:   []Rival{{"unknown-origin", "flags are logged but empty, and details are not logged"}},
		Checks: []string{
			"kubectl get configmap istio -n istio-system -o yaml | grep -A3 -i accessLogFormat",
			"kubectl get telemetries" + withFields + "LOGGING:.spec.accessLogging",
		},
		Remedy: "Remove meshConfig.accessLogFormat (the default has all that is needed), or add the two operators and %UPSTREAM_TRANSPORT_FAILURE_REASON%. flagwatch generate logformat prints a format.",
		Docs:   []string{"https://istio.io/latest/docs/ops/common-problems/network-issues/", "https://istio.io/latest/docs/tasks/observability/logs/access-log/"},
	},
	{
		ID: "external-name-port-undeclared", Title: "ExternalName or headless Service lacks a port declaration", Seen: Topic, Side: Platform, Severity: Warning,
		Meaning:  "A Service of type ExternalName, or a headless one, without a ports section gives the proxies nothing to build from: calls have no endpoint (UH), no route (NR), or leave through passthrough.",
		Evidence: "UH, NR or PassthroughCluster for the host of such a Service",
		Rivals: []Rival{
			{"no-endpoints", "the port is declared and no pod is ready"},
			{"route-missing", "the Service is an ordinary one"},
			{"egress-passthrough", "the host is no Service at all"},
		},
		Checks: []string{
			"kubectl get service {service} -n {namespace} -o yaml",
			"istioctl proxy-config clusters {pod} -n {namespace} --fqdn {host}",
		},
		Remedy: "Declare the port, with its protocol as name, in the Service.",
		Docs:   []string{"https://istio.io/latest/docs/ops/common-problems/network-issues/"},
	},
	{
		ID: "double-tls", Title: "Application already speaks TLS and Envoy adds TLS", Seen: Topic, Side: Client, Severity: Warning,
		Meaning: "The application already speaks https to an external host, and a DestinationRule with tls mode SIMPLE makes the proxy put TLS around it once more. The server undoes the proxy's TLS, reads a TLS hello where it awaits HTTP, and answers plaintext. curl says \"wrong version number\".\n\n" +
			"The proxy's TLS was fine, so its record is a short TCP connection without any flag. WRONG_VERSION_NUMBER in the proxy's own record means something else: the upstream spoke plaintext to the proxy.\n\n" +
			"curl prints the same words when an https URL goes to a port that is declared HTTP; then the client's proxy logs 400 with DPE.",
		Evidence: "at most a hint: short TCP records without a flag to port 443 of an external host",
		Rivals: []Rival{
			{"https-to-http-port", "the client's proxy logs 400 with DPE"},
			{"tls-to-plaintext-upstream", "the proxy's record has WRONG_VERSION_NUMBER as transport failure reason"},
		},
		Checks: []string{
			externalHosts, tlsModes,
			"istioctl proxy-config clusters {pod} -n {namespace} --fqdn {host} -o json | grep -A5 transportSocket",
		},
		Remedy: "Either let the application call http:// and the proxy do TLS (ServiceEntry port 80, protocol HTTP, targetPort 443), or take the tls section out of the DestinationRule and keep protocol HTTPS.",
		Docs:   []string{"https://istio.io/latest/docs/ops/common-problems/network-issues/", "https://istio.io/latest/docs/tasks/traffic-management/egress/egress-tls-origination/"},
	},
	{
		ID: "fault-with-retry-ignored", Title: "Retries and timeouts do not apply to injected faults", Seen: Topic, Side: ClientProxy, Severity: Warning,
		Meaning:  "Faults and retries (or timeouts) in one VirtualService do not work together: the fault filter answers before the router, which would retry, ever sees the request. The share of failures stays at the configured percentage. Default log formats do not count attempts, so records can not show that no retry happened.",
		Evidence: "none; fault-abort at about the configured percentage goes with it",
		Rivals: []Rival{
			{"fault-abort", "the fault itself"},
			{"retries-exhausted", "flag URX: retries did happen"},
		},
		Checks: []string{
			faults,
		},
		Remedy: "Inject the fault on the far side instead: an EnvoyFilter on the upstream workload's inbound listener, or a second VirtualService on an inner hop.",
		Docs:   []string{"https://istio.io/latest/docs/ops/common-problems/network-issues/"},
	},
	{
		ID: "server-first-protocol", Title: "Server speaks first, so protocol detection waits", Seen: Topic, Side: Platform, Severity: Warning,
		Meaning:  `With MySQL, SMTP, MongoDB over old drivers and others the server speaks first. A proxy that has to detect the protocol, or to tell TLS from plaintext, waits for the client's first bytes, which never come: the connection hangs for seconds or fails ("Lost connection at reading initial communication packet").`,
		Evidence: "a TCP record with a long duration, few or no bytes and no flag",
		Rivals: []Rival{
			{"tcp-on-http-named-port", "the port is named http"},
			{"upstream-connect-timeout", "the server can not be reached at all"},
		},
		Checks: []string{
			"kubectl get service {service} -n {namespace} -o jsonpath='{.spec.ports}'",
			"kubectl get peerauthentications -A",
		},
		Remedy: "Name the port tcp-, mysql- or mongo-, and use mutual TLS STRICT or DISABLE on it, or take the port out of the capture with traffic.sidecar.istio.io/excludeOutboundPorts.",
		Docs:   []string{"https://istio.io/latest/docs/ops/configuration/traffic-management/protocol-selection/"},
	},
	{
		ID: "external-ca-address", Title: "CA address differs from the configuration server: external CA", Seen: Topic, Side: ControlPlane, Severity: Info,
		Meaning:  "When the proxies' CA_ADDR differs from discoveryAddress, another server than istiod signs the certificates. Then certificate errors and configuration errors point at different servers: look for each at the right one.",
		Evidence: "two addresses in pilot-agent's first lines: CA Endpoint and discovery address",
		Rivals: []Rival{
			{"control-plane-unreachable", "the address that fails is the configuration server's"},
			{"ca-not-ready", "the address that fails is the CA's"},
		},
		Checks: []string{
			`kubectl logs -n {namespace} {pod} -c istio-proxy | grep -E "CA Endpoint|discoveryAddress|CA_ADDR"`,
			"kubectl get pod {pod} -n {namespace} -o yaml | grep -A1 CA_ADDR",
		},
		Remedy: "Wanted with an external CA (istio-csr, a cloud's CA). If not, remove CA_ADDR.",
		Docs:   []string{"https://istio.io/latest/docs/ops/integrations/certmanager/"},
	},
	{
		ID: "injection-unexpected", Title: "Pod got a sidecar it should not, or none", Seen: Topic, Side: Platform, Severity: Warning,
		Meaning: "(a) Namespaces kube-system and kube-public never get sidecars, and neither do pods with hostNetwork: their network is the node's.\n\n" +
			"(b) The webhook's namespaceSelector decides first: with opt-in only namespaces with istio-injection=enabled or an istio.io/rev label count, with opt-out all but the disabled ones. A namespace with both labels follows istio-injection.\n\n" +
			"(c) Where the selector matches, the default policy counts: enabled or disabled. Any other value switches injection off altogether.\n\n" +
			"(d) sidecar.istio.io/inject on the pod template (spec.template.metadata) overrides the policy both ways. The same label on the Deployment itself is ignored.\n\n" +
			"(e) Pods that existed before the label keep what they have: restart them.",
		Evidence: `none in the logs of proxies; istiod logs "Skipping ... due to policy check"`,
		Rivals: []Rival{
			{"injection-skipped", "istiod names the pod and the reason"},
			{"webhook-no-endpoints", "pods can not be created at all"},
		},
		Checks: []string{
			"istioctl x check-inject -n {namespace} {pod}",
			"kubectl get namespace {namespace} --show-labels",
			"kubectl get mutatingwebhookconfigurations -o custom-columns=NAME:.metadata.name,NAMESPACES:..namespaceSelector",
			"kubectl get pod {pod} -n {namespace} -o jsonpath='{.metadata.labels}'",
		},
		Remedy: "Set the label on the namespace, or on the pod template, and restart the pods.",
		Docs:   []string{"https://istio.io/latest/docs/ops/common-problems/injection/"},
	},
	{
		ID: "traffic-not-captured", Title: "Traffic bypasses the proxy: nothing is logged", Seen: Topic, Side: Platform, Severity: Warning,
		Meaning:  "The connection never passes the proxy, so there is no record at all: the port is excluded by annotation, the pod uses the node's network, the process runs as user 1337, the call goes to localhost, or the redirect rules were never written.",
		Evidence: "none: records that should be there are missing",
		Rivals: []Rival{
			{"cni-race", "the pod started before the CNI plugin had written its rules"},
			{"egress-passthrough", "the record is there, with PassthroughCluster"},
		},
		Checks: []string{
			`kubectl get pod {pod} -n {namespace} -o yaml | grep -E "hostNetwork|runAsUser|exclude(In|Out)bound"`,
			"kubectl logs -n {namespace} {pod} -c istio-init",
			"kubectl exec -n {namespace} {pod} -c istio-proxy -- pilot-agent request GET listeners",
		},
		Remedy: "Remove the exclusion, let the application run as another user than 1337, and restart the pod if its rules are missing.",
		Docs:   []string{"https://istio.io/latest/docs/ops/deployment/application-requirements/"},
	},
	{
		ID: "tcpdump-in-sidecar", Title: "tcpdump does not work inside the sidecar", Seen: Topic, Side: Platform, Severity: Info,
		Meaning:  "tcpdump needs root, and the sidecar runs without. Containers of a pod share the network, so another container that runs as root sees the same packets. What goes between proxy and application is plaintext on 127.0.0.1 (or 127.0.0.6); what goes between pods is encrypted.",
		Evidence: "none",
		Checks: []string{
			`kubectl debug -n {namespace} {pod} -it --image=nicolaka/netshoot --profile=netadmin -- tcpdump -i any -A "port {port}"`,
		},
		Remedy: "Use a debug container. With iptables rules in place, capture on lo to see plaintext.",
		Docs:   []string{"https://istio.io/latest/docs/ops/common-problems/injection/"},
	},
	{
		ID: "autoscaler-local-storage", Title: "Autoscaler keeps nodes because of local volumes", Seen: Topic, Side: Platform, Severity: Info,
		Meaning:  "The cluster autoscaler does not remove a node while pods with local volumes run on it. The sidecar mounts an emptyDir for its files, so every injected pod looks like one.",
		Evidence: "none in the logs of proxies",
		Checks: []string{
			"kubectl get pod {pod} -n {namespace} -o yaml | grep -A2 emptyDir",
			"kubectl get configmap cluster-autoscaler-status -n kube-system -o yaml",
		},
		Remedy: `Annotate the pod template with cluster-autoscaler.kubernetes.io/safe-to-evict: "true".`,
		Docs:   []string{"https://istio.io/latest/docs/ops/common-problems/injection/", "https://github.com/kubernetes/autoscaler/blob/master/cluster-autoscaler/FAQ.md"},
	},
}
