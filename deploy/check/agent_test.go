package check

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"net"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"runtime"
	"strings"
	"syscall"
	"testing"
	"time"

	apps "k8s.io/api/apps/v1"
	core "k8s.io/api/core/v1"
)

// build makes the program as the image's build does.
func build(t *testing.T, dir string) string {
	t.Helper()
	image, err := os.ReadFile("../Dockerfile")
	if err != nil {
		t.Fatal(err)
	}
	line := regexp.MustCompile(`(?m)^RUN (.* go build .*)$`).FindStringSubmatch(string(image))
	if line == nil {
		t.Fatal("the image builds nothing")
	}
	cmd := exec.Command("sh", "-c", strings.Replace(line[1], "-o /out/", "-o "+dir+"/", 1))
	cmd.Dir, cmd.Env = "../..", append(os.Environ(), "TARGETOS="+runtime.GOOS, "TARGETARCH="+runtime.GOARCH)
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	return filepath.Join(dir, "flagwatch")
}

func TestProgram(t *testing.T) {
	dir, err := os.MkdirTemp("", "program") // t.TempDir is closed to others
	if err != nil {
		t.Fatal(err)
	}
	defer os.RemoveAll(dir)
	if err := os.Chmod(dir, 0o755); err != nil {
		t.Fatal(err)
	}
	flagwatch := build(t, dir)
	t.Run("takes what the chart tells it", func(t *testing.T) { takesWhatTheChartTells(t, flagwatch) })
	t.Run("runs on nothing", func(t *testing.T) { runsOnNothing(t, dir) })
	t.Run("reads what the kubelet writes", func(t *testing.T) { readsWhatTheKubeletWrites(t, flagwatch, filepath.Join(dir, "node")) })
}

// takesWhatTheChartTells asks the program about each configuration, each file
// of causes and each argument.
func takesWhatTheChartTells(t *testing.T, flagwatch string) {
	dir := t.TempDir()
	run := func(what string, args ...string) {
		t.Helper()
		if out, err := exec.Command(flagwatch, args...).CombinedOutput(); err != nil {
			t.Errorf("%s: %v: %s", what, err, out)
		}
	}
	flags := regexp.MustCompile(`^--[a-z-]+`)
	for name, values := range cases(t) {
		for _, o := range rendered(t, values) {
			switch o.kind {
			case "ConfigMap":
				for file, text := range decode[core.ConfigMap](t, o).Data {
					path := filepath.Join(dir, file)
					if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
						t.Fatal(err)
					}
					switch file {
					case "agent.yaml":
						run(name+": "+file, "config", "validate", path)
					case "rules.yaml":
						run(name+": "+file, "rules", "test", path)
					}
				}
			case "DaemonSet", "StatefulSet":
				args := podOf(t, o).Spec.Containers[0].Args
				help, err := exec.Command(flagwatch, args[0], "--help").Output()
				if err != nil {
					t.Fatal(err)
				}
				for _, arg := range args[1:] {
					if flag := flags.FindString(arg); !strings.Contains(string(help), flag+" ") {
						t.Errorf("%s: %s has no option %q", name, args[0], arg)
					}
				}
			}
		}
	}
}

const line = "2026-03-17T10:09:12.481000000Z stdout F [2026-03-17T10:09:12.113Z] \"GET /cart/7 HTTP/1.1\" 503 UF upstream_reset_before_response_started{remote_connection_failure,delayed_connect_error:_Connection_refused} - \"delayed_connect_error:_Connection_refused\" 0 152 1 - \"-\" \"curl/8.5.0\" \"3c0a7b52-1f6e-4d0c-9a57-5d8b7a1c2e11\" \"cart:7070\" \"192.0.2.14:7070\" outbound|7070||cart.shop.svc.cluster.local - 198.51.100.7:7070 192.0.2.9:41822 - default\n"

// runsOnNothing runs the program where there is no other file, as in the image.
// It needs root.
func runsOnNothing(t *testing.T, dir string) {
	cmd := exec.Command("/flagwatch", "version")
	cmd.Dir = "/"
	cmd.SysProcAttr = &syscall.SysProcAttr{Chroot: dir, Credential: &syscall.Credential{Uid: 65532, Gid: 65532}}
	if out, err := cmd.CombinedOutput(); err != nil || !strings.HasPrefix(string(out), "flagwatch ") {
		t.Errorf("%v: %s", err, out)
	}
}

// readsWhatTheKubeletWrites runs the agent as the pod does, with the user, the
// group and the capabilities that its security context gives it, over a log that
// is the kubelet's: root's, and closed to all but its group. It needs root, and
// setpriv of util-linux.
func readsWhatTheKubeletWrites(t *testing.T, flagwatch, dir string) {
	if os.Getuid() != 0 {
		t.Fatal("root is needed, to become the pod's user")
	}
	check := func(err error) {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
	}
	pods := filepath.Join(dir, "pods")
	container := filepath.Join(pods, "shop_cart-6d5f7c9b8-x2x7k_0b0e6f0e-0000-4000-8000-000000000001/istio-proxy")
	check(os.MkdirAll(container, 0o755))
	check(os.WriteFile(filepath.Join(container, "0.log"), []byte(strings.Repeat(line, 3)), 0o640))
	check(os.Chmod(pods, 0o750))

	var spec core.PodSpec
	for _, o := range rendered(t, nil) {
		if o.kind == "DaemonSet" {
			spec = decode[apps.DaemonSet](t, o).Spec.Template.Spec
		}
	}
	state := filepath.Join(dir, "lib", "state")
	check(os.Mkdir(filepath.Dir(state), 0o755)) // as DirectoryOrCreate makes it
	init := *spec.InitContainers[0].SecurityContext
	out, err := as(*init.RunAsUser, *init.RunAsGroup, flagwatch, "agent", "prepare", state).CombinedOutput()
	if err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	addr := freeAddress(t)
	var errs strings.Builder
	agent := as(*spec.SecurityContext.RunAsUser, *spec.SecurityContext.RunAsGroup, flagwatch,
		"agent", "--root", pods, "--state-dir", state, "--listen", addr, "--born-at-zero", "0s", pods)
	agent.Stderr = &errs
	check(agent.Start())
	const want = `flagwatch_failures_total{proxy_namespace="shop",proxy_workload="cart",direction="outbound",cause="upstream-refused",response_code_class="5xx"} 3`
	got := scrape(addr, want)
	check(agent.Process.Signal(syscall.SIGTERM))
	if err := agent.Wait(); err != nil || !strings.Contains(got, want) {
		t.Errorf("%v\n%s\n%s", err, errs.String(), got)
	}
	// Group 0 is what lets it read.
	out, err = as(*spec.SecurityContext.RunAsUser, 65532, "/bin/cat", filepath.Join(container, "0.log")).CombinedOutput()
	if err == nil {
		t.Errorf("another group reads it as well: %s", out)
	}
	if _, err := os.Stat(filepath.Join(state, "state")); errors.Is(err, fs.ErrNotExist) {
		t.Error("no state was written")
	}
}

// as is a command of a user without any capability, and without a way to get
// one.
func as(user, group int64, args ...string) *exec.Cmd {
	return exec.Command("setpriv", append([]string{
		fmt.Sprint("--reuid=", user), fmt.Sprint("--regid=", group), "--clear-groups",
		"--bounding-set=-all", "--inh-caps=-all", "--ambient-caps=-all", "--no-new-privs", "--",
	}, args...)...)
}

func freeAddress(t *testing.T) string {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	return l.Addr().String()
}

// scrape asks for metrics until there is this among them, half a minute at
// most, and returns what came last.
func scrape(addr, want string) (got string) {
	for deadline := time.Now().Add(30 * time.Second); time.Now().Before(deadline) && !strings.Contains(got, want); <-time.After(100 * time.Millisecond) {
		resp, err := http.Get("http://" + addr + "/metrics")
		if err != nil {
			continue
		}
		body, _ := io.ReadAll(resp.Body)
		resp.Body.Close()
		got = string(body)
	}
	return got
}
