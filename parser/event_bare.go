package parser

import "bytes"

// A bareText is a row of the list of texts that come without time and level.
type bareText struct {
	head    string
	with    string // what must stand behind it, if head alone is not enough
	emitter Emitter
}

// bareTexts are the texts that Envoy, Istio's programs and Kubernetes print
// without time and level: before the logger exists, when the process dies, or
// because somebody copied the text alone.
var bareTexts = []bareText{
	// Envoy: configuration
	// https://www.envoyproxy.io/docs/envoy/latest/operations/cli#cmdoption-mode
	{"configuration '", "' OK", EnvoyValidate},
	{"error initializing config", "'", Envoy},
	{"error `", "` initializing config '", Envoy},
	{"envoy::", " must ", Envoy},
	{"envoy.", " must ", Envoy},
	{"Unknown gRPC client cluster '", "", Envoy},
	{"Invalid path: ", "etc/", Envoy},
	{"Unable to parse JSON as proto (", "", Envoy},
	{"Unable to convert YAML as JSON: ", "", Envoy},
	{"Protobuf message (type ", "", Envoy},
	{"Proto constraint validation failed (", "", Envoy},
	{": Proto constraint validation failed (", "", Envoy},
	{"yaml-cpp: error at line ", "", Envoy},
	{"malformed IP address: ", "", Envoy},
	{"Didn't find a registered implementation for ", "", Envoy},
	{"Error adding/updating listener(s) ", "", Envoy},
	{"Error adding/updating cluster", "", Envoy},
	{"Failed to load private key from ", "", Envoy},
	{"Failed to load certificate chain from ", "", Envoy},
	{"Failed to load trusted CA certificates from ", "", Envoy},
	{"Failed to load incomplete certificate from ", "", Envoy},
	{"cannot bind '", "': ", Envoy},
	{"route: unknown cluster '", "", Envoy},
	{"route: unknown weighted cluster '", "", Envoy},
	{"duplicate listener ", " found", Envoy},
	{"Only a single wildcard domain is permitted in route ", "", Envoy},
	{"Only unique values for domains are permitted", "", Envoy},
	{"Error: non-terminal filter named ", "", Envoy},
	{"Error: terminal filter named ", "", Envoy},
	{"error: invalid log level specified '", "", Envoy},
	// Envoy: control plane
	{"gRPC config ", "type.googleapis.com/", Envoy},
	{"gRPC config: initial fetch timed out for ", "", Envoy},
	{"gRPC config stream ", "closed", Envoy},
	{"StreamAggregatedResources gRPC config stream ", "", Envoy},
	{"DeltaAggregatedResources gRPC config stream ", "", Envoy},
	// Envoy: death
	{"Caught ", ", suspect faulting address ", Envoy},
	{"Backtrace (use tools/stack_decode.py", "", Envoy},
	{"Envoy version: ", "/", Envoy},
	{"assert failure: ", "", Envoy},
	{"envoy bug failure: ", "", Envoy},
	{"panic: not reached", "", Envoy},
	{"panic: not implemented", "", Envoy},
	{"panic: listener accept failure: ", "", Envoy},
	{"panic: cannot open shared memory region /envoy_", "", Envoy},
	{"std::terminate called! Uncaught ", "", Envoy},
	{"terminate called after throwing an instance of 'Envoy::", "", Envoy},
	{"libc++abi", "Envoy", Envoy},
	{"unable to bind domain socket with ", "id=", Envoy},
	{"script log: ", "[string ", Envoy},
	{"hot restart sendmsg() ", "", Envoy},
	{"socket(2) failed, got error: ", "", Envoy},
	// the agent
	{"Envoy proxy is ", "ready", PilotAgent},
	{"Envoy proxy is NOT ready: ", "", PilotAgent},
	{"Envoy exited with error: ", "", PilotAgent},
	{"Envoy may have been out of memory killed", "", PilotAgent},
	{"Waiting for Envoy proxy to be ready", "", PilotAgent},
	{"Error: timeout waiting for Envoy proxy", "", PilotAgent},
	{"timeout waiting for Envoy proxy", "", PilotAgent},
	{"Error: failed to start SDS server: ", "", PilotAgent},
	{"Error: failed to generate bootstrap config: ", "", PilotAgent},
	// istiod
	{"===> Skipping injection because ", "", Istiod},
	// istio-init and the validation of istio-cni
	{"iptables-restore ", "", IstioInit},
	{"iptables-restore: ", "", IstioInit},
	{"ip6tables-restore", "", IstioInit},
	{"iptables v", ": ", IstioInit},
	{"ip6tables v", ": ", IstioInit},
	{"iptables: ", "", IstioInit},
	{"ip6tables: ", "", IstioInit},
	{"+ iptables", "", IstioInit},
	{"+ ip6tables", "", IstioInit},
	{"+ /usr/sbin/ip", "tables", IstioInit},
	{"+ /sbin/ip", "tables", IstioInit},
	{"Failed to execute: ip", "tables", IstioInit},
	{"xtables parameter problem: ", "", IstioInit},
	{"iptables validation failed; workload is not ready for Istio", "", IstioInit},
	{"/usr/local/bin/istio-iptables.sh ", "", IstioInit},
	{"Writing following contents to rules file: ", "", IstioInit},
	{"-A ISTIO_", "", IstioInit},
	{"-N ISTIO_", "", IstioInit},
	{":ISTIO_", "[", IstioInit},
	{"in new validator: ", "", IstioInit},
	{"Listening on 127.0.0.1:150", "", IstioInit},
	{"Error connecting to 127.0.0.6:", "", IstioInit},
	// Kubernetes: texts of events and of the API server
	// https://kubernetes.io/docs/reference/access-authn-authz/extensible-admission-controllers/
	{"Error creating: ", "webhook", K8sEvent},
	{"Error from server (", "webhook", K8sEvent},
	{"Internal error occurred: ", "webhook", K8sEvent},
	{"failed calling webhook \"", "", K8sEvent},
	{"failed calling admission webhook \"", "", K8sEvent},
	{"admission webhook \"", " denied the request", K8sEvent},
	{"Failed to create pod sandbox: ", "", K8sEvent},
	{"Failed create pod sandbox: ", "", K8sEvent},
	{"failed to find plugin \"istio-cni\" in path ", "", K8sEvent},
	{"Readiness probe failed: ", "", K8sEvent},
	{"Liveness probe failed: ", "", K8sEvent},
	{"Startup probe failed: ", "", K8sEvent},
	{"MountVolume.SetUp failed for volume ", "", K8sEvent},
	{"Back-off restarting failed container", "", K8sEvent},
}

// bareByFirst holds the rows of the list by the first byte of their head.
var bareByFirst = func() (rows [256][]bareText) {
	for _, row := range bareTexts {
		rows[row.head[0]] = append(rows[row.head[0]], row)
	}
	return rows
}()

// bare reads a text of the list.
func (e *event) bare(line []byte, lo int) bool {
	text := line[lo:]
	if len(text) == 0 {
		return false
	}
	rows := bareByFirst[text[0]]
	for i := range rows {
		row := &rows[i]
		if hasPrefix(text, row.head) && (row.with == "" || bytes.Contains(text[len(row.head):], []byte(row.with))) {
			*e = event{emitter: row.emitter, message: spanOf(line, lo, len(line))}
			return true
		}
	}
	return false
}
