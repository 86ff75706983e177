package source

import (
	"slices"
	"strings"
)

// locate sets where the stream comes from, as far as its path tells: it may be
// one of the kubelet's, of those that `istioctl bug-report` writes, or of
// `kubectl cluster-info dump`. The kubelet's are described at
// https://kubernetes.io/docs/concepts/cluster-administration/logging/.
func (s *Stream) locate(path string) {
	rest, file := lastPart(strings.ReplaceAll(path, `\`, "/"))
	if s.locateLink(file) {
		return
	}
	rest, third := lastPart(rest)
	rest, second := lastPart(rest)
	_, first := lastPart(rest)
	if ns, pod, ok := podDirectory(second); ok && isName(third) {
		s.Namespace, s.Pod, s.Container = ns, pod, third
		return
	}
	known := slices.Contains([]string{"proxies", "istio", "operator", "cni", "ztunnel"}, first) || file == "logs.txt"
	if known && isName(second) && isName(third) {
		s.Namespace, s.Pod = second, third
	}
}

// locateLink reads POD_NAMESPACE_CONTAINER-ID.log.
func (s *Stream) locateLink(file string) bool {
	name, _, ok := strings.Cut(file, ".log")
	if !ok || len(name) < 65 {
		return false
	}
	parts := strings.Split(name[:len(name)-65], "_")
	if len(parts) != 3 || name[len(name)-65] != '-' || !isHex(name[len(name)-64:]) || !isName(parts[0]) || !isName(parts[1]) || !isName(parts[2]) {
		return false
	}
	s.Pod, s.Namespace, s.Container = parts[0], parts[1], parts[2]
	return true
}

// podDirectory reads NAMESPACE_POD_UID.
func podDirectory(name string) (ns, pod string, ok bool) {
	parts := strings.Split(name, "_")
	if len(parts) != 3 || !isName(parts[0]) || !isName(parts[1]) || len(parts[2]) < 32 || !isHex(strings.ReplaceAll(parts[2], "-", "")) {
		return "", "", false
	}
	return parts[0], parts[1], true
}

// lastPart splits off what is behind the last slash.
func lastPart(path string) (rest, part string) {
	i := strings.LastIndexByte(path, '/')
	return path[:max(i, 0)], path[i+1:]
}

// isName says whether s may be the name of a Kubernetes object.
func isName(s string) bool {
	return s != "" && !strings.ContainsFunc(s, func(r rune) bool {
		return (r < 'a' || 'z' < r) && (r < '0' || '9' < r) && r != '-' && r != '.'
	})
}

func isHex(s string) bool {
	return !strings.ContainsFunc(s, func(r rune) bool { return (r < '0' || '9' < r) && (r < 'a' || 'f' < r) })
}

// saysLog tells from a member's name that it is a log: a word "log" or "logs",
// or an ending that logs have. Rotation and compression leave that in place.
func saysLog(name string) bool {
	name = strings.ToLower(name[strings.LastIndexByte(name, '/')+1:])
	for word := range strings.FieldsFuncSeq(name, func(r rune) bool { return r < 'a' || 'z' < r }) {
		switch word {
		case "log", "logs", "jsonl", "ndjson", "access", "stdout", "stderr":
			return true
		}
	}
	return false
}
