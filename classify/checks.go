package classify

// withFields is the middle of a command that lists the objects of a kind with some
// of their fields: a setting without the name of its object helps nobody. The
// columns behind it are written so that no shell takes a part of them for a
// pattern.
// Source: https://kubernetes.io/docs/reference/kubectl/#custom-columns
const withFields = " -A -o custom-columns=NS:.metadata.namespace,NAME:.metadata.name,"

// What keeps of such a list its head, and what belongs to the service or to
// the host of the records.
const (
	ofService = " | grep -E '^NS|{service}'"
	ofHost    = " | grep -E '^NS|{host}'"
)

// What is asked about certificates.
const (
	datesCheck    = "openssl s_client -connect {upstream_ip}:{upstream_port} -servername {host} </dev/null | openssl x509 -noout -dates"
	ownCertLog    = "kubectl logs -n {namespace} {pod} -c istio-proxy | grep -iE 'sds|csr|cert'"
	istiodCertLog = "kubectl logs -n istio-system deploy/istiod | grep -iE 'cert|expire'"
)

// What policies there are, the newest last.
const (
	newestPolicies   = "kubectl get authorizationpolicies -A --sort-by=.metadata.creationTimestamp"
	newestTokenRules = "kubectl get requestauthentications -A --sort-by=.metadata.creationTimestamp"
	meshAuthorizers  = "kubectl get configmap istio -n istio-system -o yaml | grep -A8 extensionProviders"
)

// Lists that several causes ask for.
const (
	routeTimeouts  = "kubectl get virtualservices" + withFields + "TO:..destination.host,TIMEOUT:..timeout" + ofService
	tryTimeouts    = "kubectl get virtualservices" + withFields + "TO:..destination.host,TRIES:..attempts,EACH:..perTryTimeout,ALL:..timeout" + ofService
	virtualHosts   = "kubectl get virtualservices" + withFields + "GATEWAYS:.spec.gateways,HOSTS:.spec.hosts,TO:..destination.host"
	virtualSubsets = "kubectl get virtualservices" + withFields + "TO:..destination.host,SUBSET:..destination.subset" + ofService
	faults         = "kubectl get virtualservices" + withFields + "HOSTS:.spec.hosts,FAULT:..fault"
	poolLimits     = "kubectl get destinationrules" + withFields + "HOST:.spec.host,POOL:..connectionPool" + ofService
	subsets        = "kubectl get destinationrules" + withFields + "HOST:.spec.host,SUBSETS:..subsets" + ofService
	tlsModes       = "kubectl get destinationrules" + withFields + "HOST:.spec.host,TLS:..tls" + ofService
	gatewayHosts   = "kubectl get gateways.networking.istio.io" + withFields + "HOSTS:..hosts,PORT:..port.number,TLS:..tls.mode,SECRET:..credentialName"
	externalHosts  = "kubectl get serviceentries" + withFields + "HOSTS:.spec.hosts,PORTS:.spec.ports" + ofHost
	filters        = "kubectl get envoyfilters" + withFields + "SELECTS:.spec.workloadSelector.labels,PATCHES:..patch.value.name"
	customPolicies = "kubectl get authorizationpolicies" + withFields + "ACTION:.spec.action,PROVIDER:.spec.provider.name | grep -E '^NS|CUSTOM'"
)
