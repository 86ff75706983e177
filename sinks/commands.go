package sinks

import (
	"cmp"
	"net"
	"slices"
	"strconv"
	"strings"

	"github.com/flagwatch/flagwatch/classify"
	"github.com/flagwatch/flagwatch/parser"
)

// Placeholders are the names in braces that commands of the catalogue may
// use; a report puts the most frequent value of a cause in their place.
func Placeholders() []string {
	return []string{"namespace", "pod", "container", "cluster", "subset", "service", "service_host", "client_ip", "upstream_namespace", "upstream_pod",
		"upstream_ip", "upstream_port", "node", "port", "host", "authority", "sni", "route", "path", "code"}
}

// fill returns the values of placeholders, as far as a card knows them.
func (c *scene) fill(card *Card) map[string]string {
	v := map[string]string{"client_ip": first(card.Clients), "authority": first(card.Authorities), "sni": first(card.ServerNames), "route": first(card.Routes), "path": first(card.Paths)}
	if g := c.d.causes.of(c.d.causes.ids[card.ID]); len(g.tops[byProxy].list) > 0 {
		best, _, _, _ := biggest(&g.tops[byProxy])
		input := ""
		v["namespace"], v["pod"], v["container"], input = c.d.proxyParts(uint16(best.key.rest))
		v["pod"] = cmp.Or(v["pod"], podOfInput(input))
	}
	if len(card.Outcomes) > 0 && card.Outcomes[0].Code != nil {
		v["code"] = strconv.Itoa(*card.Outcomes[0].Code)
	}
	cluster := first(card.Clusters)
	if cluster == noCluster || cluster == other {
		cluster = ""
	}
	derive(v, cluster, first(card.Hosts), func(ip string) (namespace, pod string) {
		if proxy, ok := c.d.fleet.homeOf(ip); ok {
			namespace, pod, _, _ = c.d.proxyParts(proxy)
		}
		return namespace, pod
	})
	if space := namespaceIn(card.Service); space != "" && v["pod"] == "" {
		v["namespace"], v["upstream_namespace"] = space, space
		v["upstream_pod"] = podOf(v["upstream_ip"], space)
	}
	return v
}

// fillFrom returns the values of placeholders, as far as one record knows
// them.
func fillFrom(r *parser.Record) map[string]string {
	v := map[string]string{}
	for name, f := range map[string]parser.Field{"authority": parser.Authority, "sni": parser.RequestedServerName, "route": parser.RouteName, "path": parser.Path, "code": parser.ResponseCode} {
		v[name] = string(withoutQuery(r.Bytes(f)))
	}
	if ip, _, err := net.SplitHostPort(string(r.Bytes(parser.DownstreamRemoteAddress))); err == nil {
		v["client_ip"] = ip
	}
	derive(v, string(r.Bytes(parser.UpstreamCluster)), string(r.Bytes(parser.UpstreamHost)), func(string) (string, string) { return "", "" })
	return v
}

// derive adds what the names of a cluster and of a host tell. homeOf is the
// proxy that is known to have an address.
func derive(v map[string]string, cluster, upstream string, homeOf func(ip string) (namespace, pod string)) {
	v["cluster"] = cluster
	if c, ok := parseCluster(cluster); ok {
		v["port"], v["subset"], v["service_host"] = c.port, c.subset, c.host
		v["service"], _, _ = strings.Cut(c.host, ".")
		if space := serviceNamespace(c.host); space != "" {
			v["upstream_namespace"] = space
		}
		if c.direction == "inbound" {
			v["namespace"] = cmp.Or(v["namespace"], namespaceOf(v["sni"]))
			v["upstream_namespace"], v["upstream_pod"] = cmp.Or(v["namespace"], ownNamespace), cmp.Or(v["pod"], ownPod)
		}
	}
	if cluster == "" && upstream == "" { // a connection that got no further than this proxy
		v["upstream_namespace"], v["upstream_pod"] = cmp.Or(v["namespace"], ownNamespace), cmp.Or(v["pod"], ownPod)
	}
	v["host"] = cmp.Or(v["service_host"], hostOf(v["authority"]))
	if ip, port, err := net.SplitHostPort(upstream); err == nil {
		v["upstream_ip"], v["upstream_port"], v["port"] = ip, port, cmp.Or(v["port"], port)
		if namespace, pod := homeOf(ip); v["upstream_pod"] == "" {
			v["upstream_pod"], v["upstream_namespace"] = pod, cmp.Or(namespace, v["upstream_namespace"])
		}
		if v["upstream_pod"] == "" && v["upstream_namespace"] != "" {
			v["upstream_pod"] = podOf(ip, v["upstream_namespace"])
		}
	}
	v["upstream_port"] = cmp.Or(v["upstream_port"], v["port"])
}

// podOf finds the name of a pod by its address and puts it into the command
// behind it, which does not run when no pod has the address any more; "" when
// either is no word.
func podOf(ip, namespace string) string {
	if !isWord(ip) || !isWord(namespace) {
		return ""
	}
	return podLookup + namespace + " --no-headers -o custom-columns=:.metadata.name --field-selector status.podIP=" + ip + " | xargs -r -I POD "
}

const podLookup = "kubectl get pods -n "

// onePod are the checks in front of a cause's own when one host of several has
// nearly all of it: what that pod is, what became of it, and what it said.
var onePod = []string{
	"kubectl get pods -A -o wide --field-selector status.podIP={upstream_ip}",
	"kubectl describe pod {upstream_pod} -n {upstream_namespace}",
	"kubectl logs -n {upstream_namespace} {upstream_pod} --all-containers --previous",
}

// advise fills in what to type next, and what to do when it is one pod.
func (q *inquiry) advise() {
	cause := classify.Documented(q.card.Verdict.Cause)
	values := q.fill(q.card)
	list := commands
	if cause != nil {
		var special bool
		cause, special = q.fitting(cause)
		if q.card.Remedy = cause.Remedy; special && values["pod"] != "" {
			list = ordered // the namespace is soon added
		}
	}
	q.card.Next = list(q.ownPod(cause, values), q.ownPod(q.g.cause, values), values)
	q.policyFirst()
	q.card.IfEmpty = emptyMean(q.card.Next)
}

// fitting is a cause with the remedy and the checks that fit the picture;
// special when it is a case, whose checks are in their order.
func (q *inquiry) fitting(cause *classify.Cause) (own *classify.Cause, special bool) {
	fit, k := *cause, q.caseOf(cause)
	switch alone := cause.OnePod != "" && q.oneOfSeveral(); {
	case k != nil && (!alone || k.Picture != classify.Answered):
		return q.inCase(cause, k), true
	case q.outside():
		fit.Checks = withoutPods(cause.Checks)
	case alone:
		fit.Checks, fit.Remedy = slices.Concat(onePod, about(cause.Checks, "{upstream_pod}")), cause.OnePod
	}
	return &fit, false
}

// ownPod lets the checks of a cause ask for the pod by its address, where the
// log of an application's own proxy does not name it, but callers know it.
func (q *inquiry) ownPod(cause *classify.Cause, values map[string]string) *classify.Cause {
	if cause == nil || q.card.Service == "" || values["pod"] != "" {
		return cause
	}
	own := *cause
	own.Checks = nil
	for _, check := range cause.Checks {
		own.Checks = append(own.Checks, strings.ReplaceAll(check, "{pod}", "{upstream_pod}"))
	}
	return &own
}

// policyFirst looks for a policy before it looks for a pod where one namespace
// does not answer.
func (q *inquiry) policyFirst() {
	if q.card.Namespace == "" {
		return
	}
	slices.SortStableFunc(q.card.Next, func(a, b string) int {
		const policies = "kubectl get networkpolicies"
		return compareBools(!strings.HasPrefix(a, policies), !strings.HasPrefix(b, policies))
	})
}

// about are the checks that ask about a placeholder.
func about(checks []string, placeholder string) (list []string) {
	for _, check := range checks {
		if strings.Contains(check, placeholder) {
			list = append(list, check)
		}
	}
	return list
}

// oneOfSeveral says whether one host has nearly all of it, while others of its
// cluster answer.
func (q *inquiry) oneOfSeveral() bool {
	best, count, all, _ := biggest(&q.g.tops[byHost])
	if all < enough || float64(count) < nearlyAll*float64(all) {
		return false
	}
	others, _ := q.d.fleet.hostsBeside(unpack(best.key.rest).cluster, &q.g.tops[byHost])
	return others > 0
}

// namespaceOf is the namespace in the server name that the mesh's proxies use
// among themselves: outbound_.8080_.v2_.cart.shop.svc.cluster.local.
func namespaceOf(sni string) string {
	labels := strings.Split(sni[strings.LastIndex(sni, "_.")+1:], ".")
	if !strings.HasPrefix(sni, "outbound_.") || len(labels) < 4 || labels[3] != "svc" {
		return ""
	}
	return labels[2]
}

// What stands for the names of the proxy that wrote the log, not known, where
// that proxy is its own upstream.
const ownNamespace, ownPod = "<namespace>", "<pod>"

func first(list []ValueCount) string {
	if len(list) == 0 {
		return ""
	}
	return list[0].Value
}

// hostOf is the host of a cluster's or an authority's name.
func hostOf(name string) string {
	if i := strings.LastIndexByte(name, '|'); i >= 0 && i+1 < len(name) {
		name = name[i+1:]
	}
	if host, _, err := net.SplitHostPort(name); err == nil {
		return host
	}
	return name
}

// commands are the checks of the verdict's cause, or of the records' own,
// filled in. Those that can be run as they stand come first.
func commands(verdict, own *classify.Cause, values map[string]string) []string {
	list := ordered(verdict, own, values)
	slices.SortStableFunc(list, func(a, b string) int { return cmp.Compare(lacking(a), lacking(b)) })
	return list
}

// ordered are commands in the order of the checks.
func ordered(verdict, own *classify.Cause, values map[string]string) []string {
	list := []string{}
	for _, cause := range []*classify.Cause{verdict, own} {
		if cause == nil || len(list) > 0 {
			continue
		}
		for _, check := range cause.Checks {
			if line := fillIn(check, values); !slices.Contains(list, line) && answerable(check, values) {
				list = append(list, line)
			}
		}
	}
	return list
}

// lacking is 0 for a command that names all it needs, 1 for one that does not.
func lacking(command string) int {
	for _, name := range Placeholders() {
		if strings.Contains(command, "<"+strings.ReplaceAll(name, "_", "-")+">") {
			return 1
		}
	}
	return 0
}

// fromLogs are placeholders that nobody can fill in but the log.
var fromLogs = []string{"{client_ip}", "{upstream_ip}", "{upstream_port}"}

// answerable says whether a check asks for nothing that only the log could
// tell, and did not.
func answerable(check string, values map[string]string) bool {
	return !slices.ContainsFunc(fromLogs, func(name string) bool {
		return strings.Contains(check, name) && values[strings.Trim(name, "{}")] == ""
	})
}

// fillIn puts values in the place of {names}. What is not known, and what a
// shell would take for more than a word, stays a name: <pod>. A pod that has
// to be looked up is POD.
func fillIn(command string, values map[string]string) string {
	var b strings.Builder
	if pod := values["upstream_pod"]; strings.HasPrefix(pod, podLookup) && strings.Contains(command, "{upstream_pod}") {
		b.WriteString(pod)
	}
	for {
		open := strings.IndexByte(command, '{')
		end := strings.IndexByte(command, '}')
		if open < 0 || end < open {
			break
		}
		name := command[open+1 : end]
		b.WriteString(command[:open])
		switch value, known := values[name]; {
		case !slices.Contains(Placeholders(), name):
			b.WriteString(command[open : end+1])
		case strings.HasPrefix(value, podLookup) && name == "upstream_pod":
			b.WriteString("POD")
		case value == ownNamespace, value == ownPod:
			b.WriteString(value)
		case !known || !isWord(value):
			b.WriteString("<" + strings.ReplaceAll(name, "_", "-") + ">")
		case strings.ContainsRune(value, '|') && !quoted(command[:open]):
			b.WriteString("'" + value + "'")
		default:
			b.WriteString(value)
		}
		command = command[end+1:]
	}
	return b.String() + command
}

// quoted says whether a quote was opened and not closed.
func quoted(before string) bool {
	return strings.Count(before, "'")%2 == 1 || strings.Count(before, `"`)%2 == 1
}

// isWord says whether a value can do no harm in a command that is copied into
// a shell.
func isWord(s string) bool {
	for i := range len(s) {
		c := s[i]
		if c|' ' < 'a' || c|' ' > 'z' {
			if (c < '0' || c > '9') && strings.IndexByte("._:/@%+=,|-", c) < 0 {
				return false
			}
		}
	}
	return s != "" && s[0] != '-'
}
