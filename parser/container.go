package parser

// meshContainers are the names of containers that a mesh has in many pods: no
// pod is called so. Those of proxies come first.
// Source: for istio-init https://istio.io/latest/docs/setup/additional-setup/cni/,
// for istio-validation https://istio.io/latest/docs/ops/diagnostic-tools/cni/
var meshContainers = []struct {
	name  string
	proxy bool // its log is a proxy's
}{
	{"istio-proxy", true}, {"envoy", true}, {"ztunnel", true}, {"gateway-proxy", true}, {"kgateway-proxy", true},
	{"istio-init", false}, {"istio-validation", false}, {"install-cni", false}, {"discovery", false},
}

// ProxyContainers returns the names that containers usually have whose logs are
// a proxy's. The list is the caller's.
func ProxyContainers() (names []string) {
	for _, c := range meshContainers {
		if c.proxy {
			names = append(names, c.name)
		}
	}
	return names
}

// isContainer says whether a name alone is a container's and no pod's.
func isContainer(name []byte) bool {
	for i := range meshContainers {
		if meshContainers[i].name == string(name) {
			return true
		}
	}
	return false
}
