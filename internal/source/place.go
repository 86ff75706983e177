package source

import (
	"regexp"
	"strings"
)

// Where the layouts of paths that name a pod come from: the kubelet's
// directories (https://kubernetes.io/docs/concepts/cluster-administration/logging/),
// and what `istioctl bug-report` and `kubectl cluster-info dump` write.
var (
	podDirectory  = regexp.MustCompile(`(?:^|/)([a-z0-9-]+)_([a-z0-9.-]+)_[0-9a-f-]{32,36}/([a-z0-9-]+)/[^/]+$`)
	containerLink = regexp.MustCompile(`(?:^|/)([a-z0-9.-]+)_([a-z0-9-]+)_([a-z0-9-]+)-[0-9a-f]{64}\.log[^/]*$`)
	bugReport     = regexp.MustCompile(`(?:^|/)(?:proxies|istio|operator|cni|ztunnel)/([a-z0-9-]+)/([a-z0-9.-]+)/[^/]+$`)
	clusterDump   = regexp.MustCompile(`(?:^|/)([a-z0-9-]+)/([a-z0-9.-]+)/logs\.txt$`)
)

// locate sets where the stream comes from, as far as its path tells.
func (s *Stream) locate(path string) {
	path = strings.ReplaceAll(path, `\`, "/")
	switch {
	case s.match(podDirectory, path, &s.Namespace, &s.Pod, &s.Container):
	case s.match(containerLink, path, &s.Pod, &s.Namespace, &s.Container):
	case s.match(bugReport, path, &s.Namespace, &s.Pod):
	case s.match(clusterDump, path, &s.Namespace, &s.Pod):
	}
}

func (s *Stream) match(re *regexp.Regexp, path string, parts ...*string) bool {
	m := re.FindStringSubmatch(path)
	if m == nil {
		return false
	}
	for i, part := range parts {
		*part = m[i+1]
	}
	return true
}

// saysLog tells from a member's name that it is a log: a word "log" or "logs",
// or an ending that logs have. Rotation and compression leave that in place.
func saysLog(name string) bool {
	name = strings.ToLower(name[strings.LastIndexByte(name, '/')+1:])
	for word := range strings.FieldsFuncSeq(name, func(r rune) bool { return (r < 'a' || 'z' < r) }) {
		switch word {
		case "log", "logs", "jsonl", "ndjson", "access", "stdout", "stderr":
			return true
		}
	}
	return false
}
