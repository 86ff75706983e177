package parser

// A Kind says what a record is. Every record has one, and the counts of all
// kinds add up to the number of records.
type Kind uint8

const (
	Access  Kind = iota // a request or connection that a proxy reports
	Event               // an operational record of a known emitter
	Noise               // text that does not claim to be a record
	Invalid             // claims to be a record and can not be read
	NumKinds
)

var kinds = [NumKinds]string{"access", "event", "noise", "invalid"}

func (k Kind) String() string { return kinds[k] }

// A Reason says why a record is invalid.
type Reason uint8

const (
	NoReason Reason = iota
	Binary
	Oversize
	Incomplete
	BadEnvelope
	BadJSON
	Spliced
	NoCode
	UnknownLayout
	Internal
	NumReasons
)

// ReasonInfo is a row of the list of reasons.
type ReasonInfo struct{ Name, About string }

var reasons = [NumReasons]ReasonInfo{
	{"", ""},
	{"binary", "bytes that no log line has"},
	{"oversize", "longer than the cap, and its head can not be read"},
	{"incomplete", "breaks off before the code and the flags"},
	{"bad-envelope", "the wrapper is damaged, so the line inside is unknown"},
	{"bad-json", "looks like a JSON record and is not well-formed"},
	{"spliced", "another line's text stands inside it"},
	{"no-code", "has no response code where its layout has one"},
	{"unknown-layout", "begins like an access record; no known layout fits"},
	{"internal", "a fault of flagwatch itself; please report it"},
}

// ReasonList returns the list of reasons; the first row means none.
func ReasonList() []ReasonInfo { return reasons[:] }

func (r Reason) String() string { return reasons[r].Name }

// An Emitter is the program that wrote an event.
type Emitter uint8

const (
	NoEmitter Emitter = iota
	Envoy
	EnvoyValidate
	PilotAgent
	Istiod
	IstioCNI
	IstioInit
	Ztunnel
	Klog
	K8sEvent
	NumEmitters
)

var emitters = [NumEmitters]string{"", "envoy", "envoy-validate", "pilot-agent", "istiod", "istio-cni", "istio-init", "ztunnel", "klog", "k8s-event"}

func (e Emitter) String() string { return emitters[e] }

// An Envelope is a wrapper that something put around a record.
type Envelope uint8

const (
	CRI Envelope = iota
	Docker
	KubectlTimestamp
	KubectlPrefix
	Stern
	Compose
	Syslog
	ANSI
	Quote
	JSONLog
	JSONMessage
	JSONBody
	JSONText
	JSONPayload
	JSONJournal
	JSONAt
	JSONLine
	JSONProcessed
	JSONOriginal
	JSONEvent
	JSONRaw
	JSONMsg
	NumEnvelopes
)

var envelopes = [NumEnvelopes]string{"cri", "docker", "kubectl-timestamp", "kubectl-prefix", "stern", "compose", "syslog", "ansi", "quote", "json:log", "json:message", "json:body",
	"json:textPayload", "json:jsonPayload", "json:MESSAGE", "json:@message", "json:line", "json:log_processed", "json:original", "json:event", "json:_raw", "json:msg"}

func (e Envelope) String() string { return envelopes[e] }

// A Direction says on which side of a workload a proxy stood.
type Direction uint8

const (
	NoDirection Direction = iota
	Inbound
	Outbound
	NumDirections
)

var directions = [NumDirections]string{"", "inbound", "outbound"}

func (d Direction) String() string { return directions[d] }
