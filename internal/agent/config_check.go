package agent

import (
	"errors"
	"fmt"
	"net"
	"net/netip"
	"strconv"
	"strings"

	"github.com/flagwatch/flagwatch/internal/tail"
)

// A mistake is what is wrong with a value of a configuration.
type mistake struct {
	key  string // such as listen or inputs[0].paths[1]
	text string
}

func (m mistake) String() string { return m.key + ": " + m.text }

// Check says all that is wrong with a configuration as it stands. What only the
// system knows, such as whether a directory is there, shows when an agent starts.
func (c *Config) Check() error {
	var list []error
	for _, m := range c.mistakes() {
		list = append(list, errors.New(m.String()))
	}
	return errors.Join(list...)
}

func (c *Config) mistakes() (list []mistake) {
	wrong := func(key, text string) {
		if text != "" {
			list = append(list, mistake{key, text})
		}
	}
	c.checkInputs(wrong)
	if len(c.Roots) == 0 {
		wrong("roots", "want at least one directory")
	}
	for i, dir := range c.Roots {
		wrong(fmt.Sprintf("roots[%d]", i), wrongPath(dir))
	}
	for _, x := range []struct{ name, value string }{{"stateDir", c.StateDir}, {"rules", c.Rules}} {
		if x.value != "" {
			wrong(x.name, wrongPath(x.value))
		}
	}
	for _, x := range []struct {
		name  string
		value int
	}{{"maxSeries", c.MaxSeries}, {"maxOpenFiles", c.MaxOpen}, {"workers", c.Workers}} {
		switch b := bounds[x.name]; {
		case x.value < b.least:
			wrong(x.name, fmt.Sprintf("%d, want %d or more", x.value, b.least))
		case x.value > b.most:
			wrong(x.name, fmt.Sprintf("%d, want %d or less", x.value, b.most))
		}
	}
	if c.BornAtZero < 0 {
		wrong("bornAtZero", fmt.Sprintf("%v, want 0 or more", c.BornAtZero))
	}
	c.checkAddresses(wrong)
	return list
}

func (c *Config) checkInputs(wrong func(key, text string)) {
	seen := map[string]bool{}
	for i, in := range c.Inputs {
		key := fmt.Sprintf("inputs[%d]", i)
		switch {
		case in.Name == "":
			wrong(key+".name", "an input needs a name")
		case seen[in.Name]:
			wrong(key+".name", fmt.Sprintf("two inputs are called %q", in.Name))
		}
		seen[in.Name] = true
		if len(in.Paths) == 0 {
			wrong(key+".paths", "an input needs paths")
		}
		for j, path := range in.Paths {
			wrong(fmt.Sprintf("%s.paths[%d]", key, j), wrongPattern(path))
		}
		for j, name := range in.Containers {
			if name == "" {
				wrong(fmt.Sprintf("%s.containers[%d]", key, j), "want a container's name")
			}
		}
	}
}

func (c *Config) checkAddresses(wrong func(key, text string)) {
	badListen, badPprof := WrongAddress(c.Listen), WrongAddress(c.Pprof)
	wrong("listen", badListen)
	wrong("pprof", badPprof)
	if c.Pprof == "" || badPprof != "" {
		return
	}
	if !isLoopback(c.Pprof) {
		wrong("pprof", c.Pprof+" is no loopback address")
	} else if c.Listen != "" && badListen == "" && sameAddress(c.Listen, c.Pprof) {
		wrong("pprof", c.Pprof+" is taken by listen, "+c.Listen)
	}
}

// sameAddress says whether who listens on a leaves nothing of b.
func sameAddress(a, b string) bool {
	hostA, portA, _ := net.SplitHostPort(a)
	hostB, portB, _ := net.SplitHostPort(b)
	ip, err := netip.ParseAddr(hostA)
	all := hostA == "" || err == nil && ip.IsUnspecified()
	return portA == portB && strings.Trim(portA, "0") != "" && (all || hostA == hostB)
}

// WrongAddress says what is wrong with an address to serve on, "" when nothing
// is. No address is none to serve on.
func WrongAddress(addr string) string {
	if addr == "" {
		return ""
	}
	const want = "%q: %s; want an address such as 127.0.0.1:9469 or :9469"
	host, port, err := net.SplitHostPort(addr)
	if e, ok := errors.AsType[*net.AddrError](err); ok {
		return fmt.Sprintf(want, addr, e.Err)
	}
	if _, err := strconv.ParseUint(port, 10, 16); err != nil {
		return fmt.Sprintf(want, addr, "a port is a number up to 65535")
	}
	if !isHost(host) {
		return fmt.Sprintf(want, addr, "that is no host")
	}
	return ""
}

// isHost says whether text may name a host, by an address or by a name. A name
// does not end in a number.
// Source: https://url.spec.whatwg.org/#host-parsing
func isHost(text string) bool {
	if _, err := netip.ParseAddr(text); err == nil || text == "" {
		return true
	}
	labels := strings.Split(strings.TrimSuffix(text, "."), ".")
	for _, label := range labels {
		if label == "" || len(label) > 63 || strings.HasPrefix(label, "-") || strings.HasSuffix(label, "-") ||
			strings.Trim(label, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-_") != "" {
			return false
		}
	}
	_, err := strconv.Atoi(labels[len(labels)-1])
	return err != nil
}

func wrongPath(path string) string {
	switch {
	case path == "":
		return "a path is empty"
	case strings.IndexByte(path, 0) >= 0:
		return fmt.Sprintf("%q: a path has no zero byte", path)
	}
	return ""
}

func wrongPattern(path string) string {
	if text := wrongPath(path); text != "" {
		return text
	}
	if tail.IsMalformed(path) {
		return fmt.Sprintf("%q: malformed pattern", path)
	}
	return ""
}
