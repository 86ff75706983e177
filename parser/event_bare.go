package parser

import "bytes"

// A bareText is a text that comes without time and level.
type bareText struct {
	head string
	with string // what must stand behind it, if head alone is not enough
}

// A bareList is a list of such texts of one emitter; is says what they may be
// when they go on another event.
type bareList struct {
	emitter Emitter
	is      shape
	texts   []bareText
}

// bareLists are the texts that Envoy, Istio's programs and Kubernetes print
// without time and level: before the logger exists, when the process dies, or
// because somebody copied the text alone.
var bareLists = []bareList{
	// Envoy's configuration.
	// Source: https://www.envoyproxy.io/docs/envoy/latest/operations/cli#cmdoption-mode
	{EnvoyValidate, 0, []bareText{
		{"configuration '", "' OK"},
	}},
	{Envoy, 0, []bareText{
		{"error initializing config", "'"},
		{"error `", "` initializing config '"},
		{"error: invalid log level specified '", ""},
		{"listener '", "' failed to bind or apply socket options: "},
		{"final pre-worker listener init for listener '", "' failed"},
		{"lds: listener '", "' config rejected: "},
		{"cds: cluster '", "' config rejected: "},
		{"sds: secret '", "' config rejected: "},
	}},
	// Errors of a configuration, which Envoy also prints behind another text.
	{Envoy, shapeTail, []bareText{
		{"envoy::", " must "},
		{"envoy.", " must "},
		{"ads: node 'id' ", ""},
		{"Unknown gRPC client cluster '", ""},
		{"Invalid path: ", "etc/"},
		{"unable to read file: ", ""},
		{"Unable to parse JSON as proto (", ""},
		{"Unable to convert YAML as JSON: ", ""},
		{"Protobuf message (type ", ""},
		{"Proto constraint validation failed (", ""},
		{": Proto constraint validation failed (", ""},
		{"yaml-cpp: error at line ", ""},
		{"Field '", "' is missing in: "},
		{"The v2 xDS major version is deprecated", ""},
		{"malformed IP address: ", ""},
		{"Didn't find a registered implementation for ", ""},
		{"error adding listener: '", ""},
		{"error adding listener '", "'"},
		{"Error adding/updating listener(s) ", ""},
		{"Error adding/updating cluster", ""},
		{"Failed to load private key from ", ""},
		{"Failed to load certificate chain from ", ""},
		{"Failed to load trusted CA certificates from ", ""},
		{"Failed to load incomplete certificate from ", ""},
		{"Failed to load CRL from ", ""},
		{"cannot bind '", "': "},
		{"route: unknown cluster '", ""},
		{"route: unknown weighted cluster '", ""},
		{"duplicate listener ", " found"},
		{"cluster manager: duplicate cluster '", ""},
		{"Only a single wildcard domain is permitted in route ", ""},
		{"Only unique values for domains are permitted", ""},
		{"Error: non-terminal filter named ", ""},
		{"Error: terminal filter named ", ""},
		{"script load error: [string ", ""},
	}},
	// Envoy and its control plane.
	{Envoy, 0, []bareText{
		{"source/", "] gRPC config "},
		{"external/envoy/source/", "] gRPC config "},
		{"gRPC config ", "type.googleapis.com/"},
		{"delta config for ", "type.googleapis.com/"},
		{"Config for ", "type.googleapis.com/"},
		{"gRPC config: initial fetch timed out for ", ""},
		{"gRPC config stream ", "closed"},
		{"StreamAggregatedResources gRPC config stream ", ""},
		{"DeltaAggregatedResources gRPC config stream ", ""},
	}},
	// The death of Envoy.
	{Envoy, 0, []bareText{
		{"Caught ", ", suspect faulting address "},
		{"assert failure: ", ""},
		{"envoy bug failure: ", ""},
		{"panic: not reached", ""},
		{"panic: not implemented", ""},
		{"panic: listener accept failure: ", ""},
		{"panic: cannot open shared memory region /envoy_", ""},
		{"std::terminate called! Uncaught ", ""},
		{"terminate called after throwing an instance of 'Envoy::", ""},
		{"libc++abi", "Envoy"},
		{"unable to bind domain socket with ", "id="},
		{"unable to initialize hot restart: ", ""},
		{"script log: ", "[string "},
		{"hot restart sendmsg() ", ""},
		{"socket(2) failed, got error: ", ""},
	}},
	{Envoy, shapeFrame, []bareText{
		{"Backtrace (use tools/stack_decode.py", ""},
		{"Envoy version: ", "/"},
	}},
	// The agent.
	{PilotAgent, 0, []bareText{
		{"Envoy proxy is ", "ready"},
		{"Envoy proxy is NOT ready: ", ""},
		{"Envoy exited with error: ", ""},
		{"Envoy may have been out of memory killed", ""},
		{"config not received from XDS server (is Istiod running?)", ""},
		{"config not received from Pilot (is Pilot running?)", ""},
		{"config received from XDS server, but was rejected", ""},
		{"config not fully received from XDS server", ""},
		{"Waiting for Envoy proxy to be ready", ""},
		{"Error: timeout waiting for Envoy proxy", ""},
		{"timeout waiting for Envoy proxy", ""},
		{"Error: failed to start SDS server: ", ""},
		{"failed to start SDS server: ", ""},
		{"Error: failed to generate bootstrap config: ", ""},
		{"failed to generate bootstrap config: ", ""},
		{"failed to warm certificate: ", ""},
		{"failed to generate workload certificate: ", ""},
		{"failed to connect to upstream istiod", ""},
		{"Epoch ", " terminated with an error: "},
		{"Epoch ", " exited with error: "},
		{"Agent draining Proxy", ""},
		{"Graceful termination period is ", ", starting..."},
		{"Request to probe app failed: ", "original URL path = "},
	}},
	// istiod.
	{Istiod, 0, []bareText{
		{"===> Skipping injection because ", ""},
		{"ADS:", " ACK ERROR "},
		{"Error: failed to create discovery service: ", ""},
		{"failed to create discovery service: ", ""},
		{"Pod injection failed: ", ""},
		{"Error: failed to run injection template: ", ""},
		{"failed to run injection template: ", ""},
		{"grpc: Server.Serve failed to complete security handshake from ", ""},
	}},
	// istio-init, its script, and the validation of istio-cni.
	{IstioInit, 0, []bareText{
		{"iptables-restore ", ""},
		{"iptables-restore: ", ""},
		{"ip6tables-restore", ""},
		{"iptables v", ": "},
		{"ip6tables v", ": "},
		{"iptables: ", ""},
		{"ip6tables: ", ""},
		{"+ iptables", ""},
		{"+ ip6tables", ""},
		{"+ /usr/sbin/ip", "tables"},
		{"+ /sbin/ip", "tables"},
		{"Failed to execute: ip", "tables"},
		{"can't initialize iptables table ", ""},
		{"can't initialize ip6tables table ", ""},
		{"xtables parameter problem: ", ""},
		{"iptables validation failed; workload is not ready for Istio", ""},
		{"/usr/local/bin/istio-iptables.sh ", ""},
		{"Writing following contents to rules file: ", ""},
		{"in new validator: ", ""},
		{"Listening on 127.0.0.1:150", ""},
		{"Error connecting to 127.0.0.6:", ""},
	}},
	{IstioInit, shapeRules, []bareText{
		{"-A ISTIO_", ""},
		{"-N ISTIO_", ""},
		{":ISTIO_", "["},
		{"Try `ip", "tables-restore -h'"},
		{"Perhaps ip", "tables or your kernel needs to be upgraded"},
	}},
	// Kubernetes: texts of its events and its API server.
	// Source: https://kubernetes.io/docs/reference/access-authn-authz/extensible-admission-controllers/
	{K8sEvent, 0, []bareText{
		{"Error creating: ", "webhook"},
		{"Error creating ", "failed calling "},
		{"create Pod ", "failed calling webhook"},
		{"one or more objects failed to apply", "webhook"},
		{"Error creating: ", " is forbidden: "},
		{"Error from server (", "webhook"},
		{"Error from server: ", "webhook"},
		{"Error: ", "failed calling webhook"},
		{"Error: ", "admission webhook \""},
		{"error: ", "failed calling webhook"},
		{"error: ", "admission webhook \""},
		{"Internal error occurred: ", "webhook"},
		{"failed calling webhook \"", ""},
		{"failed calling admission webhook \"", ""},
		{"Failed calling webhook, failing ", ""},
		{"admission webhook \"", " denied the request"},
		{"Failed to create pod sandbox: ", ""},
		{"Failed create pod sandbox: ", ""},
		{"failed to setup network for sandbox ", "istio-cni"},
		{"failed to create pod network sandbox ", "istio-cni"},
		{"failed to find plugin \"istio-cni\" in path ", ""},
		{"plugin type=\"istio-cni\" ", ""},
		{"networkPlugin cni failed to ", "istio"},
		{"Readiness probe failed: ", ""},
		{"Liveness probe failed: ", ""},
		{"Startup probe failed: ", ""},
		{"MountVolume.SetUp failed for volume ", ""},
		{"Back-off restarting failed container", ""},
		{"back-off ", " restarting failed container="},
		{"Deployment/", "(container failed to start: "},
		{"DaemonSet/", "(container failed to start: "},
		{"Couldn't get configMap ", "/istio-ca-root-cert"},
		{"Exec lifecycle hook ([pilot-agent ", ""},
		{"PostStartHook failed", ""},
	}},
	{K8sEvent, shapeApplied, []bareText{
		{"for: \"", "webhook"},
	}},
}

// A bareRow is a text with what its list says of it.
type bareRow struct {
	head    string
	with    []byte
	emitter Emitter
	is      shape
}

// bareByFirst holds the rows of the lists by the first byte of their head.
var bareByFirst = func() (rows [256][]bareRow) {
	for _, list := range bareLists {
		for _, text := range list.texts {
			rows[text.head[0]] = append(rows[text.head[0]], bareRow{text.head, []byte(text.with), list.emitter, list.is})
		}
	}
	return rows
}()

// What stands in front of a text in an event or a condition: of one that
// kubectl prints as YAML, where it may be quoted, or as JSON, and of one that
// stands for many.
const (
	yamlMessage = "message: "
	jsonMessage = `"message": "`
	combined    = "(combined from similar events): "
)

// findBare looks a text up in the lists; nil when it is in none.
func findBare(text []byte) *bareRow {
	quoted := hasPrefix(text, yamlMessage) || hasPrefix(text, jsonMessage)
	if quoted {
		text = bytes.TrimLeft(text[bytes.IndexByte(text, ':')+2:], `'"`)
	}
	text = bytes.TrimPrefix(text, []byte(combined))
	if len(text) == 0 {
		return nil
	}
	rows := bareByFirst[text[0]]
	for i := range rows {
		row := &rows[i]
		if hasPrefix(text, row.head) && bytes.Contains(text[len(row.head):], row.with) && (!quoted || row.emitter == K8sEvent) {
			return row
		}
	}
	return nil
}

// bare reads a text of the lists.
func (e *event) bare(line []byte, lo int) bool {
	row := findBare(line[lo:])
	if row == nil {
		return false
	}
	*e = event{emitter: row.emitter, message: spanOf(line, lo, len(line))}
	return true
}
