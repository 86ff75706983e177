//go:build unix

package main

import (
	"bufio"
	"bytes"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"
)

// A node is a directory of pods, and an agent that follows it.
type node struct {
	t     *testing.T
	dir   string
	addr  string
	agent *exec.Cmd
	errs  bytes.Buffer
	lines int // written
	seen  map[string]float64
}

const istioProxy = "pods/shop_cart-6d5f7c9b8-x2x7k_0b0e6f0e-0000-4000-8000-000000000001/istio-proxy"

func newNode(t *testing.T) *node {
	n := &node{t: t, dir: t.TempDir(), seen: map[string]float64{}}
	n.check(os.MkdirAll(filepath.Join(n.dir, istioProxy), 0o755))
	l, err := net.Listen("tcp", "127.0.0.1:0")
	n.check(err)
	n.addr = l.Addr().String()
	n.check(l.Close())
	return n
}

func (n *node) check(err error) {
	n.t.Helper()
	if err != nil {
		n.t.Fatal(err)
	}
}

func (n *node) start(args ...string) { n.begin(&n.errs, args...) }

// begin starts an agent whose log goes to errs.
func (n *node) begin(errs io.Writer, args ...string) {
	config := filepath.Join(n.dir, "agent.yaml")
	n.check(os.WriteFile(config, []byte("inputs:\n- name: mesh\n  paths: ["+filepath.Join(n.dir, "pods")+"]\n"), 0o600))
	n.agent = exec.Command("flagwatch", append([]string{"agent", "--config", config, "--root", filepath.Join(n.dir, "pods"),
		"--state-dir", filepath.Join(n.dir, "state"), "--listen", n.addr, "--born-at-zero", "0s"}, args...)...)
	n.agent.Stderr = errs
	n.check(n.agent.Start())
}

// stop ends the agent by a signal and returns its exit code, -1 for a signal.
func (n *node) stop(s os.Signal) int {
	n.agent.Process.Signal(s)
	n.agent.Wait()
	return n.agent.ProcessState.ExitCode()
}

func (n *node) file(name string) string { return filepath.Join(n.dir, istioProxy, name) }

// write appends lines that failed.
func (n *node) write(lines int) {
	f, err := os.OpenFile(n.file("0.log"), os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o644)
	n.check(err)
	defer f.Close()
	w := bufio.NewWriter(f)
	for range lines {
		fmt.Fprintf(w, "2026-03-17T10:09:12.481000000Z stdout F %s", sampleLine)
	}
	n.check(w.Flush())
	n.lines += lines
}

func (n *node) rotate(i int) {
	n.check(os.Rename(n.file("0.log"), n.file(fmt.Sprintf("0.log.20260317-%06d", i))))
}

// scrape reads the counters, none of which may have become less. It is false
// while nobody answers.
func (n *node) scrape() bool {
	client := http.Client{Timeout: 5 * time.Second}
	resp, err := client.Get("http://" + n.addr + "/metrics")
	if err != nil {
		return false
	}
	defer resp.Body.Close()
	body, err := io.ReadAll(resp.Body)
	if err != nil {
		return false
	}
	for line := range strings.Lines(string(body)) {
		name, value, ok := strings.Cut(strings.TrimSpace(line), " ")
		if !ok || name == "#" || !strings.HasPrefix(name, "flagwatch_") || strings.Contains(name, "_seconds{") || strings.HasSuffix(name, "age_seconds") {
			continue
		}
		v, err := strconv.ParseFloat(value, 64)
		n.check(err)
		if v < n.seen[name] {
			n.t.Errorf("%s went from %v to %v", name, n.seen[name], v)
		}
		n.seen[name] = v
	}
	return true
}

// settle waits until all that was written is shown, and demands that it is
// shown once.
func (n *node) settle() {
	n.t.Helper()
	deadline := time.Now().Add(20 * time.Second)
	for n.seen[`flagwatch_records_total{kind="access"}`] < float64(n.lines) && time.Now().Before(deadline) {
		n.scrape()
		wait(time.After(50*time.Millisecond), nil)
	}
	for name, want := range map[string]int{
		`flagwatch_records_total{kind="access"}`:                                                 n.lines,
		`flagwatch_requests_total{proxy_namespace="shop",proxy_workload="cart"}`:                 n.lines,
		`flagwatch_response_flags_total{proxy_namespace="shop",proxy_workload="cart",flag="UH"}`: n.lines,
		`flagwatch_records_total{kind="invalid"}`:                                                0,
		`flagwatch_lost_bytes_total{reason="rotated-away"}`:                                      0,
	} {
		if got, ok := n.seen[name]; got != float64(want) || !ok {
			n.t.Errorf("%s %v, want %d", name, got, want)
		}
	}
	if n.t.Failed() {
		n.t.Log(n.errs.String())
	}
}

// An agent whose log nobody reads any more goes on.
func TestAgentLogIsClosed(t *testing.T) {
	n := newNode(t)
	r, w, err := os.Pipe()
	n.check(err)
	n.check(r.Close())
	n.begin(w)
	n.check(w.Close())
	n.write(3)
	n.settle()
	if code := n.stop(syscall.SIGTERM); code != 0 {
		t.Errorf("exit code %d", code)
	}
}

// T63: an agent that is killed again and again, under load, with rotations in
// between: every record is counted once, and no counter ever becomes less.
func TestAgentIsKilled(t *testing.T) {
	n := newNode(t)
	for i := range 12 {
		n.start()
		for range 4 {
			n.write(500)
			wait(time.After(time.Duration(20+30*i)*time.Millisecond), nil)
			n.scrape()
		}
		if i%3 == 1 {
			n.rotate(i)
		}
		if code := n.stop(syscall.SIGKILL); code != -1 {
			t.Fatalf("it ended by itself with %d: %s", code, n.errs.String())
		}
		n.write(100)
	}
	n.start()
	n.settle()
	if code := n.stop(syscall.SIGTERM); code != 0 {
		t.Errorf("SIGTERM: exit code %d: %s", code, n.errs.String())
	}
}

// T73: SIGTERM under load loses nothing.
func TestAgentIsTerminated(t *testing.T) {
	n := newNode(t)
	for range 4 {
		n.start()
		n.write(20000)
		for range 10 {
			if n.scrape() {
				break
			}
			wait(time.After(50*time.Millisecond), nil)
		}
		begin := time.Now()
		if code := n.stop(syscall.SIGTERM); code != 0 || time.Since(begin) > 5*time.Second {
			t.Errorf("exit code %d after %v: %s", code, time.Since(begin), n.errs.String())
		}
	}
	n.start()
	n.settle()
	n.stop(syscall.SIGTERM)
}

// -f goes on with what is added to a file, also when it is rotated, and prints
// the report at the end.
func TestFollow(t *testing.T) {
	path := filepath.Join(t.TempDir(), "access.log")
	add := func(n int) {
		f, err := os.OpenFile(path, os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o644)
		if err != nil {
			t.Fatal(err)
		}
		defer f.Close()
		if _, err := io.WriteString(f, strings.Repeat(sampleLine, n)); err != nil {
			t.Fatal(err)
		}
	}
	add(3)
	p := start(t, "-f", "-o", "json", "--every", "100ms", path)
	for want, n := 3, 0; n < 3; n++ {
		for {
			line, err := p.out.ReadString('\n')
			if err != nil {
				t.Fatalf("%v: %s", err, p.errs.String())
			}
			if strings.Contains(line, fmt.Sprintf(`"access": %d,`, want)) {
				break
			}
		}
		if n == 0 {
			if err := os.Rename(path, path+".1"); err != nil {
				t.Fatal(err)
			}
		}
		add(2)
		want += 2
	}
	p.signal(t, os.Interrupt)
	rest, err := io.ReadAll(p.out)
	if err != nil || !strings.Contains(string(rest), `"complete": true`) {
		t.Errorf("%v: %s", err, rest)
	}
	if code := p.status(t); code != 0 {
		t.Errorf("exit code %d: %s", code, p.errs.String())
	}
}
