package classify

// iptablesCauses are why the rules that redirect a pod's traffic could not be
// written, by istio-init or by the CNI plugin.
var iptablesCauses = []Cause{
	{
		ID: "iptables-setup-failed", Title: "Redirection rules could not be written", Side: Platform, Severity: Error, Seen: InEvents,
		Meaning:  "iptables refused the rules that send a pod's traffic through its proxy. The pod does not start, or its traffic passes by the proxy.",
		Evidence: "an error of iptables-restore or of a single rule; istio-init that restarts again and again",
		Rivals: []Rival{
			{"iptables-permission-denied", "the text says permission denied or not permitted"},
			{"iptables-nat-table-unavailable", "the text says that the nat table can not be initialized"},
			{"iptables-ipv6-unsupported", "the program is ip6tables"},
		},
		Checks: []string{"kubectl logs -n {namespace} {pod} -c istio-init", "kubectl debug node/{node} -it --image=busybox -- grep -E 'nat|xt_' /proc/modules", "kubectl get pod -n {namespace} {pod} -o jsonpath='{.spec.initContainers[*].securityContext}'"},
		Remedy: "Read the text of iptables in the log of istio-init: load the kernel's modules on the node, give NET_ADMIN and NET_RAW, or use istio-cni.",
		Docs:   []string{"https://istio.io/latest/docs/ops/deployment/application-requirements/", "https://istio.io/latest/docs/setup/additional-setup/cni/"},
		Examples: []string{
			"2024-02-29T12:00:00.120012Z\terror\tFailed to execute: iptables-restore --noflush /tmp/iptables-rules-1709208000120012.txt, exit status 1",
			"Failed to execute: iptables-restore --noflush /tmp/iptables-rules-1709208000120012.txt, exit status 4",
		},
	},
	{
		ID: "iptables-permission-denied", Title: "Init container lacks NET_ADMIN or root", Parent: "iptables-setup-failed", Side: Platform, Severity: Error, Seen: InEvents,
		Meaning:  "Writing rules needs root and the capability NET_ADMIN, and the init container did not get them: a pod security policy or OpenShift's constraints took them away.",
		Evidence: "`Permission denied (you must be root)`, or `Operation not permitted`, from iptables",
		Rivals:   []Rival{{"iptables-nat-table-unavailable", "the table does not exist: the node lacks the module"}},
		Checks:   []string{"kubectl get pod -n {namespace} {pod} -o jsonpath='{.spec.initContainers[?(@.name==\"istio-init\")].securityContext}'", "kubectl get namespace {namespace} -o jsonpath='{.metadata.labels}'"},
		Remedy:   "Allow NET_ADMIN and NET_RAW in the namespace's pod security level, or use istio-cni, which takes this work from the pods.",
		Docs:     []string{"https://istio.io/latest/docs/ops/deployment/application-requirements/", "https://istio.io/latest/docs/setup/additional-setup/cni/"},
		Examples: []string{
			"2023-12-05T10:15:20.253035Z\terror\tCommand error output: xtables other problem: iptables-restore v1.8.7 (nf_tables): Could not fetch rule set generation id: Permission denied (you must be root)",
			"iptables v1.6.1: can't initialize iptables table `nat': Permission denied (you must be root)",
		},
	},
	{
		ID: "iptables-nat-table-unavailable", Title: "Node's kernel offers no nat table", Parent: "iptables-setup-failed", Side: Platform, Severity: Error, Seen: InEvents,
		Meaning:  "The table nat, which redirection needs, is not there: its kernel module is not loaded, or the node has only nf_tables while the image uses the legacy program.",
		Evidence: "`unable to initialize table 'nat'`, or `can't initialize iptables table 'nat'`",
		Rivals:   []Rival{{"iptables-permission-denied", "the text says permission denied"}},
		Checks:   []string{"kubectl debug node/{node} -it --image=busybox -- cat /proc/net/ip_tables_names", "kubectl debug node/{node} -it --image=busybox -- grep -E 'iptable_nat|nf_nat|xt_REDIRECT' /proc/modules"},
		Remedy:   "Load the modules on every node and at boot: iptable_nat, xt_REDIRECT, xt_owner, xt_conntrack; or use an image whose iptables is of the node's kind.",
		Docs:     []string{"https://istio.io/latest/docs/ops/deployment/platform-requirements/"},
		Examples: []string{
			"2022-08-08T18:28:38.485868Z\terror\tCommand error output: xtables parameter problem: iptables-restore: unable to initialize table 'nat'",
			"iptables v1.6.1: can't initialize iptables table `nat': Table does not exist (do you need to insmod?)",
		},
	},
	{
		ID: "iptables-ipv6-unsupported", Title: "Node has no usable ip6tables", Parent: "iptables-setup-failed", Side: Platform, Severity: Error, Seen: InEvents,
		Meaning:  "Rules for IPv6 were to be written as well, and the node's kernel has no IPv6 or none of its tables.",
		Evidence: "ip6tables or ip6tables-restore can not initialize a table",
		Rivals:   []Rival{{"iptables-nat-table-unavailable", "iptables, for IPv4, fails as well"}},
		Checks:   []string{"kubectl debug node/{node} -it --image=busybox -- sh -c 'cat /proc/net/ip6_tables_names; sysctl net.ipv6.conf.all.disable_ipv6'"},
		Remedy:   "Load ip6_tables and ip6table_nat on the nodes, or turn IPv6 off for pods and Istio alike.",
		Docs:     []string{"https://istio.io/latest/docs/ops/deployment/platform-requirements/"},
		Examples: []string{
			"ip6tables v1.8.4 (legacy): can't initialize ip6tables table `nat': Table does not exist (do you need to insmod?)",
			"2024-04-24T14:34:44.546474Z\terror\tCommand error output: xtables parameter problem: ip6tables-restore: unable to initialize table 'nat'",
		},
	},
	{
		ID: "iptables-invalid-option", Title: "Init image does not know an option given", Parent: "iptables-setup-failed", Side: Platform, Severity: Error, Seen: InEvents,
		Meaning:  "The injector gives the init container an option that its image is too old, or too new, to know: the two are of different releases.",
		Evidence: "the init program prints `Invalid option`, an unknown flag, or its usage",
		Rivals:   []Rival{{"injection-webhook-template-error", "the pod is not even created"}},
		Checks:   []string{"kubectl get pod -n {namespace} {pod} -o jsonpath='{.spec.initContainers[*].image} {.spec.initContainers[*].args}'", "istioctl version"},
		Remedy:   "Let the injector's template and the proxy_init image (values global.proxy_init.image) come from one release.",
		Docs:     []string{"https://istio.io/latest/docs/setup/additional-setup/sidecar-injection/"},
		Examples: []string{"/usr/local/bin/istio-iptables.sh -p PORT -u UID -g GID [-m mode] [-b ports] [-d ports] [-i CIDR] [-x CIDR] [-h]"},
	},
	{
		ID: "iptables-rules-already-present", Title: "Init container ran twice on one network namespace", Parent: "iptables-setup-failed", Side: Platform, Severity: Warning, Seen: InEvents,
		Meaning:  "The chains were there already: istio-init was started again in a pod that lives on, for example after the node's container clean-up, or the CNI plugin had written them.",
		Evidence: "`Chain already exists`",
		Rivals:   []Rival{{"iptables-setup-failed", "another error of iptables stands beside it"}},
		Checks:   []string{"kubectl get pod -n {namespace} {pod} -o jsonpath='{.status.initContainerStatuses[*].restartCount}'", "kubectl get pods -n istio-system -l k8s-app=istio-cni-node"},
		Remedy:   "Delete the pod, so that it gets a new network namespace; keep docker system prune and the like away from init containers; do not use istio-init and istio-cni together.",
		Docs:     []string{"https://istio.io/latest/docs/setup/additional-setup/cni/"},
		Examples: []string{"iptables: Chain already exists.", "2024-10-01T08:40:02.330099Z\terror\tCommand error output: xtables other problem: line 4: CREATE_CHAIN failed (Chain already exists): chain ISTIO_INBOUND"},
	},
}

const (
	sixTables = "message:ip6tables,ip6tables_restore,ip6tables_save "
	tables    = "message:iptables,iptables_restore,ip6tables,ip6tables_restore,xtables "
)

var iptablesRules = []Rule{
	{tables + "message:you_must_be_root,operation_not_permitted,permission_denied", "iptables-permission-denied", "iptables-nat-table-unavailable", High},
	{tables + "message:chain_already_exists,file_exists", "iptables-rules-already-present", "", High},
	{sixTables + "message:can_t_initialize,unable_to_initialize,address_family_not_supported,table_does_not_exist,no_such_file_or_directory", "iptables-ipv6-unsupported", "", High},
	{"emitter:istio-init,istio-cni,pilot-agent message:module_ip6_tables_not_found,module_ip6table_nat_not_found", "iptables-ipv6-unsupported", "", High},
	{"emitter:istio-init,istio-cni,pilot-agent message:module_ip_tables_not_found,module_iptable_nat_not_found", "iptables-nat-table-unavailable", "", High},
	{tables + "message:unable_to_initialize_table_nat,can_t_initialize_iptables_table_nat,unable_to_initialize_table", "iptables-nat-table-unavailable", "iptables-permission-denied", High},
	{tables + "message:table_nat message:does_not_exist,is_incompatible", "iptables-nat-table-unavailable", "", High},
	{tables + "message:invalid_option,unknown_option,unrecognized_option,unknown_flag", "iptables-invalid-option", "", High},
	{"message:istio_iptables_sh_p_port", "iptables-invalid-option", "", Medium},
	{tables + "message:failed_to_execute,failed_to_configure,command_error_output", "iptables-setup-failed", "iptables-permission-denied iptables-nat-table-unavailable", Medium},
	{tables + "message:no_chain_target_match_by_that_name,couldn_t_load_match,couldn_t_load_target,holding_the_xtables_lock,missing_kernel_module,line_failed,error_occurred_at_line,parameter_problem,resource_problem", "iptables-setup-failed", "iptables-nat-table-unavailable", Medium},
	{"emitter:istio-init level:error,critical", "iptables-setup-failed", "", Low},
	{"emitter:k8s-event message:^istio_init message:reason_crashloopbackoff", "iptables-setup-failed", "iptables-permission-denied iptables-nat-table-unavailable iptables-ipv6-unsupported", Low},
	{"message:failed_container_istio_init", "iptables-setup-failed", "iptables-permission-denied iptables-nat-table-unavailable iptables-ipv6-unsupported", Low},
}
