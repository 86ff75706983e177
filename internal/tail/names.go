package tail

import (
	"cmp"
	"path/filepath"
	"strconv"
	"strings"
)

// A label is what the name of a log file says of its place among the
// generations of one log.
type label struct {
	seq    int    // the kubelet's count of container starts
	stamp  string // of a rotation; sorts by time
	number int    // of a rotation; the highest is the oldest
	live   bool   // the name that is written to
	packed bool   // ends with .gz
}

// packedLast is the stamp of a log's own name that ends with .gz: it was packed
// where it stood, and sorts behind every time.
const packedLast = "~"

// order sorts generations, the oldest first.
func (a label) order(b label) int {
	switch {
	case a.seq != b.seq:
		return cmp.Compare(a.seq, b.seq)
	case a.live != b.live:
		return cmp.Compare(truth(a.live), truth(b.live))
	case a.stamp != b.stamp:
		return cmp.Compare(a.stamp, b.stamp)
	}
	return cmp.Compare(b.number, a.number)
}

func truth(b bool) int {
	if b {
		return 1
	}
	return 0
}

// labelOf reads the name of a file beside base: base itself, or base with a
// number or a time behind it, packed or not. In a container's directory, where
// base is empty, base is the kubelet's N.log for any N.
func labelOf(base, name string) (label, bool) {
	if base != "" && name == base {
		return label{live: true}, true
	}
	name, packed := strings.CutSuffix(name, ".gz")
	l := label{packed: packed}
	if base == "" {
		count, rest, ok := strings.Cut(name, ".log")
		n, err := strconv.Atoi(count)
		if !ok || err != nil || n < 0 {
			return l, false
		}
		l.seq, base, name = n, "", rest
	}
	rest, ok := strings.CutPrefix(name, base)
	switch {
	case !ok:
		return l, false
	case rest == "" && packed:
		l.stamp = packedLast
		return l, true
	case rest == "":
		l.live = true
		return l, true
	case rest[0] != '.' && rest[0] != '-':
		return l, false
	}
	rest = rest[1:]
	if len(rest) >= 8 && isStamp(rest) {
		l.stamp = rest
		return l, true
	}
	n, err := strconv.Atoi(rest)
	l.number = n
	return l, err == nil && n >= 0
}

// isStamp takes 20260317, 20260317-101112, 2026-03-17T10:11:12.345 and the like.
func isStamp(s string) bool {
	for _, c := range []byte(s) {
		if (c < '0' || c > '9') && strings.IndexByte("-_.:TZ", c) < 0 {
			return false
		}
	}
	return s[0] >= '0' && s[0] <= '9'
}

// baseOf takes what a rotation, or packing alone, appends off a name.
func baseOf(name string) string {
	if plain, packed := strings.CutSuffix(name, ".gz"); packed {
		return baseOf(plain)
	}
	for i := len(name) - 1; i > 0; i-- {
		if name[i] == '.' || name[i] == '-' {
			if l, ok := labelOf(name[:i], name); ok && !l.live && (l.stamp != "" || l.number < 1000) {
				return name[:i]
			}
		}
	}
	return name
}

// A place is whose log a file is, by where it lies.
type place struct{ namespace, pod, container string }

// podPlace reads the end of <namespace>_<pod>_<uid>/<container>, the
// kubelet's directory of a container's logs.
// Source: https://kubernetes.io/docs/concepts/cluster-administration/logging/
func podPlace(dir string) (place, bool) {
	parent, container := filepath.Split(dir)
	parts := strings.Split(filepath.Base(parent), "_")
	if len(parts) != 3 || parts[0] == "" || parts[1] == "" || container == "" {
		return place{}, false
	}
	return place{parts[0], parts[1], container}, true
}

// linkPlace reads <pod>_<namespace>_<container>-<id>.log, a link in
// /var/log/containers.
func linkPlace(name string) (place, bool) {
	name, ok := strings.CutSuffix(name, ".log")
	parts := strings.Split(name, "_")
	if !ok || len(parts) != 3 {
		return place{}, false
	}
	i := strings.LastIndexByte(parts[2], '-')
	if i <= 0 {
		return place{}, false
	}
	return place{parts[1], parts[0], parts[2][:i]}, true
}
