package classify

import "bytes"

// A Case is a picture of the whole stream in which a cause asks for something
// else than usual. Of several that fit the first counts.
type Case struct {
	Picture  Picture
	Side     Side     // NoSide: the cause's
	Severity Severity // NoSeverity: the cause's
	Checks   []string // none: the cause's
	Remedy   string
}

// A Picture is what all records of a cause together show.
type Picture uint8

const (
	PeerRefused Picture = iota // the peer's alerts refuse this proxy
	OutsideHost                // the hosts are no Services of the cluster
	Answered                   // other requests to the same service were answered, at any time
	FromAMoment                // every request of a service has it from a moment on
)

var pictures = []string{
	"the peer refuses this proxy",
	"the host is outside of the mesh",
	"other requests to the service are answered",
	"every request of a service has it from a moment on",
}

// String is the picture as a clause.
func (p Picture) String() string { return pictures[p] }

// Outside says whether a cluster, by its name, leads to a host that is no
// Service of Kubernetes: direction, port, subset and host with bars between.
// Source: https://istio.io/latest/docs/reference/config/networking/service-entry/
func Outside(cluster []byte) bool {
	parts := bytes.Split(cluster, []byte("|"))
	return len(parts) == 4 && string(parts[0]) == "outbound" && outside(parts[3])
}

// outside says whether a name is none of Kubernetes: those have one label or
// end in .svc or .local.
func outside(host []byte) bool {
	return bytes.IndexByte(host, '.') >= 0 && !bytes.Contains(host, []byte(".svc.")) && !bytes.HasSuffix(host, []byte(".svc")) &&
		!bytes.HasSuffix(host, []byte(".local"))
}
