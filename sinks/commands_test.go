package sinks

import (
	"slices"
	"strings"
	"testing"

	"github.com/flagwatch/flagwatch/classify"
)

// What can be typed as it stands comes first; otherwise the catalogue's order
// stays.
func TestCompleteCommandsComeFirst(t *testing.T) {
	cause := &classify.Cause{Checks: []string{"logs {pod} -n {namespace}", "openssl </dev/null", "describe {pod} -n {namespace}", "get service {service}"}}
	for _, test := range []struct {
		values map[string]string
		want   []string
	}{
		{map[string]string{"service": "cart"}, []string{"openssl </dev/null", "get service cart", "logs <pod> -n <namespace>", "describe <pod> -n <namespace>"}},
		{map[string]string{"service": "cart", "pod": "cart-7", "namespace": "shop"}, []string{"logs cart-7 -n shop", "openssl </dev/null", "describe cart-7 -n shop", "get service cart"}},
	} {
		if got := commands(cause, nil, test.values); !slices.Equal(got, test.want) {
			t.Errorf("%v: got %q, want %q", test.values, got, test.want)
		}
	}
}

func TestNamespaceOfServerName(t *testing.T) {
	for sni, want := range map[string]string{
		"outbound_.8080_._.cart.shop.svc.cluster.local":   "shop",
		"outbound_.8080_.v2_.cart.shop.svc.cluster.local": "shop",
		"outbound_.443_._.api.example.com":                "",
		"outbound_.80_._.cart.shop":                       "",
		"cart.shop.svc.cluster.local":                     "",
		"outbound_.":                                      "",
		"":                                                "",
	} {
		if got := namespaceOf(sni); got != want {
			t.Errorf("%q: got %q, want %q", sni, got, want)
		}
	}
}

// When one pod of several fails, it is the one to look at, and its Service is
// not the one to change.
func TestOnePodOfSeveral(t *testing.T) {
	bad := repeat(eachSecond(30), func(at string) string { return refusedBy(at, "10.42.3.9:9080") })
	good := repeat(eachSecond(120), func(at string) string { return okFrom(at, "10.42.3.10:9080") + okFrom(at, "10.42.3.11:9080") })
	one, all := reportOf(bad + good).Causes[0], reportOf(bad).Causes[0]
	next := strings.Join(one.Next, "\n")
	if !strings.Contains(next, "--previous") || !strings.Contains(next, "describe pod") || strings.Contains(next, ".spec.ports") || strings.Contains(one.Remedy, "targetPort") {
		t.Errorf("one of three: %s\n%s", next, one.Remedy)
	}
	next = strings.Join(all.Next, "\n")
	if !strings.Contains(next, ".spec.ports") || !strings.Contains(all.Remedy, "targetPort") {
		t.Errorf("all: %s\n%s", next, all.Remedy)
	}
	for _, command := range append(one.Next, all.Next...) {
		if strings.Contains(command, "-c istio-proxy -- ") {
			t.Errorf("the pod may have no sidecar: %s", command)
		}
	}
}

// What a command asks a shell for is built of words only.
func TestPodOf(t *testing.T) {
	if got := podOf("10.42.3.9", "shop"); got != "kubectl get pods -n shop --no-headers -o custom-columns=:.metadata.name --field-selector status.podIP=10.42.3.9 | xargs -r -I POD " {
		t.Error(got)
	}
	for _, bad := range [][2]string{{"10.42.3.9;reboot", "shop"}, {"10.42.3.9", "$(reboot)"}, {"", "shop"}} {
		if got := podOf(bad[0], bad[1]); got != "" {
			t.Errorf("%q: %s", bad, got)
		}
	}
	if got := fillIn("logs {pod}", map[string]string{"pod": podOf("10.42.3.9", "shop")}); got != "logs <pod>" {
		t.Errorf("a pod's own name became a command: %s", got)
	}
}

// A command that is folded is the same command for a shell: nothing is cut,
// whatever the width.
func TestFoldedCommands(t *testing.T) {
	commands := []string{`logs -n shop "` + strings.Repeat("a b ", 30) + `"`, "x '" + strings.Repeat("one,two,", 30) + "' y", strings.Repeat("w", 300)}
	for _, cause := range classify.Causes() {
		commands = append(commands, cause.Checks...)
	}
	for _, command := range commands {
		for _, width := range []int{40, 60, 80, 120} {
			p := newPage(TextOptions{Width: width})
			p.label("Next")
			p.command(labelWidth+3, labelWidth+5, command)
			text := strings.TrimSuffix(p.buf.String(), "\n")
			for _, line := range strings.Split(text, "\n") {
				if p.widthOf(line) > width {
					t.Errorf("%d columns: %q", width, line)
				}
			}
			joined := strings.ReplaceAll(text, "\\\n", "")
			got := strings.Join(strings.Fields(strings.ReplaceAll(joined, "''", "")), " ")
			if want := "Next " + strings.Join(strings.Fields(command), " "); got != want {
				t.Errorf("%d columns:\n%s\nis\n%s\nwant\n%s", width, text, got, want)
			}
		}
	}
}
