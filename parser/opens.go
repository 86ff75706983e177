package parser

import "bytes"

// opens returns the shapes of the lines that may go on an event.
func (e *event) opens(line []byte) shape {
	text := e.message.of(line)
	if len(text) == 0 {
		return 0
	}
	switch e.emitter {
	case Envoy, EnvoyValidate:
		return e.envoyOpens(line, text)
	case PilotAgent, Istiod, IstioCNI, IstioInit:
		return e.istioOpens(line, text)
	case Klog:
		return klogOpens(text)
	case K8sEvent:
		return e.kubeOpens(text)
	}
	return 0
}

func (e *event) envoyOpens(line, text []byte) shape {
	level := e.level.of(line)
	last := text[len(text)-1]
	switch {
	case e.logsTraces(line):
		return shapeFrame | shapeLogged | shapeConfig | shapeTail
	case string(level) == "critical" || e.time.hi == 0 && e.level.hi == 0:
		return shapeFrame | shapeConfig | shapeTail
	case string(level) == "warning" || string(level) == "error":
		return shapeConfig | shapeTail
	case last == ':':
		return shapeConfig | shapeHeader
	case last == '{' || last == '}' || last == '"':
		return shapeConfig
	}
	return 0
}

func (e *event) istioOpens(line, text []byte) (is shape) {
	if level := e.level.of(line); string(level) == "error" || string(level) == "fatal" || bytes.Contains(text, []byte("panic")) {
		is = shapeGo
	}
	if e.emitter == IstioInit || bytes.Contains(text, []byte("iptables")) {
		is |= shapeRules
	}
	return is | textOpens(text)
}

// textOpens knows texts of Istio's programs and of Kubernetes that go on.
func textOpens(text []byte) (is shape) {
	switch {
	case bytes.Contains(text, []byte("occurred:")):
		is = shapeList
	case hasPrefix(text, "Request to probe app failed: "):
		return shapeProbe
	case hasPrefix(text, "Effective config:"):
		return shapeConfig | shapeValue
	case hasPrefix(text, "Failed to authenticate client from "), hasPrefix(text, "Authentication failed"):
		return shapeAuth
	case bytes.Contains(text, []byte("ACK ERROR")):
		return shapeConfig | shapeTail
	}
	return is
}

func klogOpens(text []byte) shape {
	is := shapeGo | textOpens(text)
	switch {
	case text[len(text)-1] == '<':
		is |= shapeIndent
	case bytes.Contains(text, []byte("check failed")):
		is |= shapeCheck
	}
	return is
}

// kubeOpens: what kubectl describe tells of a thing is indented below it, and
// so is the rest of a message that YAML folds.
func (e *event) kubeOpens(text []byte) shape {
	if quote, ok := bytes.CutPrefix(text, []byte(yamlMessage)); ok && quote[0] != quote[len(quote)-1] {
		return shapeIndent
	}
	if e.level.hi == 0 && e.time.hi == 0 && findBare(text) == nil {
		return shapeIndent
	}
	return shapeTail | textOpens(text)
}

// A claim is a line that is an event only if what follows it says so: a crash
// of a program in Go may be anybody's.
type claim struct {
	head    string
	with    string // what must stand in that line, if head alone is not enough
	opens   shape
	sign    []byte // what must stand in the lines that follow
	emitter Emitter
}

// claims is the list of them; the first row that fits wins.
var claims = []claim{
	{"panic: ", "", shapeGo, []byte("istio.io/istio/cni/"), IstioCNI},
	{"panic: ", "", shapeGo, []byte("istio.io/istio/pilot/cmd/pilot-agent"), PilotAgent},
	{"panic: ", "", shapeGo, []byte("istio.io/istio/pkg/istio-agent"), PilotAgent},
	{"panic: ", "", shapeGo, []byte("istio.io/istio/"), Istiod},
	{"fatal error: ", "", shapeGo, []byte("istio.io/istio/cni/"), IstioCNI},
	{"fatal error: ", "", shapeGo, []byte("istio.io/istio/pilot/cmd/pilot-agent"), PilotAgent},
	{"fatal error: ", "", shapeGo, []byte("istio.io/istio/pkg/istio-agent"), PilotAgent},
	{"fatal error: ", "", shapeGo, []byte("istio.io/istio/"), Istiod},
	{"Limits:", "", shapeIndent, []byte(" cpu:  "), K8sEvent},
	{"Limits:", "", shapeIndent, []byte(" memory:  "), K8sEvent},
	{"Requests:", "", shapeIndent, []byte(" cpu:  "), K8sEvent},
	{"Requests:", "", shapeIndent, []byte(" memory:  "), K8sEvent},
	{yamlMessage, "", shapeIndent, []byte("failed calling webhook"), K8sEvent},
	{yamlMessage, "", shapeIndent, []byte("\"https://istiod"), K8sEvent},
	{"istio-proxy:", "", shapeIndent, []byte(" State:  "), K8sEvent}, // a container of `kubectl describe`
	{"istio-init:", "", shapeIndent, []byte(" State:  "), K8sEvent},
	{"istio-validation:", "", shapeIndent, []byte(" State:  "), K8sEvent},
	{"install-cni:", "", shapeIndent, []byte(" State:  "), K8sEvent},
	{"Error from server", "error when applying patch:", shapeApplied, []byte("webhook"), K8sEvent},
	{"Error from server", "error when patching", shapeApplied, []byte("webhook"), K8sEvent},
}

// claimFirst are the bytes that lines may begin with which make claims.
var claimFirst = func() (set [256]bool) {
	set[' '], set['\t'] = true, true
	for _, c := range claims {
		set[c.head[0]] = true
	}
	return set
}()

// claimOpens returns the shapes of the lines that may go on a line that claims
// to be an event.
func claimOpens(line []byte) (is shape) {
	if len(line) < 7 || !claimFirst[line[0]] {
		return 0
	}
	for i := range claims {
		if c := &claims[i]; c.fits(line) {
			is |= c.opens
		}
	}
	return is
}

// fits says whether a line makes the claim. Only what is indented in the first
// place may have blanks in front: a claim can not go on another one, so no
// line is read over and over.
func (c *claim) fits(line []byte) bool {
	lo := 0
	if isBlank(line[0]) {
		if c.opens != shapeIndent {
			return false
		}
		lo = skipBlanks(line, 0)
	}
	return hasPrefix(line[lo:], c.head) && bytes.Contains(line[lo:], []byte(c.with))
}

// claimant names the emitter of a claim by the lines that follow it.
func claimant(line, following []byte) Emitter {
	for i := range claims {
		if c := &claims[i]; c.fits(line) && bytes.Contains(following, c.sign) {
			return c.emitter
		}
	}
	return NoEmitter
}
