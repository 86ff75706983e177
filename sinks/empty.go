package sinks

import "strings"

// A silence is what it means that a command shows nothing.
type silence struct {
	words []string // the command begins with the first; the others are in it
	means string
}

// silences are told in order: the first that fits a command is its own.
// Source: https://kubernetes.io/docs/reference/kubectl/ and
// https://istio.io/latest/docs/reference/commands/istioctl/
var silences = []silence{
	{[]string{"kubectl get pods", "status.podIP=", "--previous"}, "no pod has this address, or nothing in it has restarted"},
	{[]string{"kubectl get pods", "status.podIP=", "xargs", "| grep"}, "no pod has this address, or nothing there says so"},
	{[]string{"kubectl get pods", "status.podIP=", "--since="}, "no pod has this address, or nothing was logged"},
	{[]string{"kubectl get pods", "status.podIP="}, "no pod has this address, at least no longer"},
	{[]string{"kubectl logs", "--previous"}, "no container of it has restarted, or it was replaced"},
	{[]string{"kubectl logs", "| grep"}, "not in the log, or the log no longer goes back so far"},
	{[]string{"kubectl logs", "--since="}, "nothing was logged in that time"},
	{[]string{"kubectl get events"}, "nothing in the last hour; events are not kept longer"},
	{[]string{"kubectl get networkpolicies"}, "none: look at the CNI's own policies and at firewalls"},
	{[]string{"kubectl get endpointslices"}, "no such Service there, or it has no selector"},
	{[]string{"kubectl get destinationrules ", "| grep"}, "only a head: no DestinationRule is about it"},
	{[]string{"kubectl get virtualservices ", "| grep"}, "only a head: no VirtualService is about it"},
	{[]string{"kubectl get virtualservices "}, "no VirtualService: only the routes of Services exist"},
	{[]string{"kubectl get httproutes "}, "no HTTPRoute: VirtualServices or Services route"},
	{[]string{"kubectl get serviceentries ", "| grep"}, "only a head: no ServiceEntry names the host"},
	{[]string{"kubectl get authorizationpolicies "}, "no AuthorizationPolicy is there now"},
	{[]string{"kubectl get requestauthentications,authorizationpolicies "}, "neither: no policy of Istio checks tokens"},
	{[]string{"kubectl get destinationrules,peerauthentications "}, "neither: mutual TLS is automatic, plaintext allowed"},
	{[]string{"kubectl get envoyfilters "}, "no EnvoyFilter changes the proxies"},
	{[]string{"istioctl proxy-config endpoints", "--cluster"}, "only a head: the proxy knows no endpoint of it"},
	{[]string{"istioctl proxy-config clusters", "--fqdn"}, "the proxy was never told of the service"},
	{[]string{"istioctl proxy-config", "| grep"}, "it is not configured in this proxy"},
	{[]string{"openssl s_client", "| openssl x509"}, "an error: no certificate, or not reachable from here"},
	{[]string{"openssl s_client", "Acceptable client certificate"}, "the server asks for no certificate, or is not reachable"},
	{[]string{"kubectl exec", "pilot-agent request GET stats", "| grep"}, "the counter never moved, or is not kept"},
	{[]string{"kubectl exec", "pilot-agent request GET runtime", "| grep"}, "no such runtime key: maintenance mode is not set"},
	{[]string{"kubectl exec", "pilot-agent request GET config_dump", "| grep -i warming"}, "nothing is warming now"},
	{[]string{"kubectl exec", "pilot-agent request GET", "| grep"}, "it is not configured in this proxy"},
	{[]string{"kubectl exec", "/metrics | grep"}, "istiod has counted no such thing since it started"},
	{[]string{"kubectl get configmap istio ", "outboundTrafficPolicy"}, "not set: any host is allowed"},
	{[]string{"kubectl get configmap istio ", "extensionProviders"}, "none: the mesh knows no external authorizer"},
	{[]string{"kubectl get configmap istio ", "accessLogFormat"}, "not set: the default format is written"},
	{[]string{"kubectl get services,serviceentries ", "| grep"}, "nothing in the cluster has this name"},
	{[]string{"kubectl get services ", "LoadBalancer"}, "only a head: no balancer belongs to a Service here"},
	{[]string{"kubectl get pods", "| grep -F"}, "no pod has this address, at least no longer"},
	{[]string{"kubectl get pods", "15008"}, "only a head: no pod declares this port"},
	{[]string{"kubectl get pods", "spec.nodeName="}, "none runs on this node, or its labels are others"},
	{[]string{"kubectl get pod ", "| grep"}, "the pod has no such setting: defaults hold"},
	{[]string{"kubectl describe pod ", "last state"}, "no container of it has restarted"},
	{[]string{"kubectl describe pod ", "| grep"}, "the pod has none"},
	{[]string{"kubectl describe pods ", "Events"}, "no such pod, or nothing in the last hour"},
	{[]string{"kubectl get deploy", "| grep"}, "not set: the default holds"},
	{[]string{"kubectl get daemonset", "| grep"}, "no such mount: the plugin can not be installed"},
	{[]string{"kubectl get --raw", "| grep"}, "the API server can not make such tokens"},
	{[]string{"kubectl get crd", "| grep"}, "none is installed"},
	{[]string{"kubectl get service", "| grep"}, "no such Service"},
	{[]string{"kubectl get secret", "| grep"}, "no such secret: istiod may have its CA from elsewhere"},
	{[]string{"kubectl get configmap", "istio-sidecar-injector"}, "no such settings: defaults hold"},
	{[]string{"kubectl get mutatingwebhookconfigurations", "| grep"}, "none is installed"},
	{[]string{"kubectl get validatingwebhookconfigurations", "| grep"}, "none is installed"},
	{[]string{"kubectl get clusterrolebindings", "| grep"}, "istiod has no rights in this cluster"},
	{[]string{"kubectl auth can-i", "| grep"}, "istiod has no rights to Istio's objects"},
	{[]string{"istioctl ztunnel-config", "| grep"}, "ztunnel does not know this address"},
}

// emptyMeans is what it means that a command shows nothing, "" when nothing
// general can be said.
func emptyMeans(command string) string {
	for _, s := range silences {
		fits := strings.HasPrefix(command, s.words[0])
		for _, w := range s.words[1:] {
			fits = fits && strings.Contains(command, w)
		}
		if fits {
			return s.means
		}
	}
	return ""
}

// emptyMean is emptyMeans of several commands.
func emptyMean(commands []string) []string {
	list := make([]string, len(commands))
	for i, command := range commands {
		list[i] = emptyMeans(command)
	}
	return list
}
