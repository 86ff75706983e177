//go:build e2e

package e2e

import (
	"context"
	"fmt"
	"io"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"
)

// An envoy is a running process. Its configuration, its logs and what it
// writes itself are in dir.
type envoy struct {
	dir  string
	ip   string
	cmd  *exec.Cmd
	done chan struct{} // closed when the process has ended
}

// startEnvoy runs the configuration. The process ends with the test at the
// latest. descriptors, if not 0, is its limit of open files.
func startEnvoy(t *testing.T, bin, dir, ip, config string, descriptors int) *envoy {
	t.Helper()
	if err := os.WriteFile(filepath.Join(dir, "envoy.yaml"), []byte(config), 0o644); err != nil {
		t.Fatal(err)
	}
	log, err := os.Create(filepath.Join(dir, "envoy.log"))
	if err != nil {
		t.Fatal(err)
	}
	defer log.Close()
	args := []string{bin, "-c", "envoy.yaml", "--disable-hot-restart", "--concurrency", "1",
		"--file-flush-interval-msec", "50", "--drain-time-s", "1", "--log-level", "info"}
	if descriptors > 0 {
		args = append([]string{"sh", "-c", fmt.Sprintf(`ulimit -n %d; exec "$@"`, descriptors), "sh"}, args...)
	}
	e := &envoy{dir: dir, ip: ip, cmd: exec.Command(args[0], args[1:]...), done: make(chan struct{})}
	e.cmd.Dir, e.cmd.Stdout, e.cmd.Stderr = dir, log, log
	if err := e.cmd.Start(); err != nil {
		t.Fatal(err)
	}
	go func() {
		e.cmd.Wait()
		close(e.done)
	}()
	t.Cleanup(e.stop)
	return e
}

// stop ends the process: politely first, so that access logs are written out.
func (e *envoy) stop() {
	e.cmd.Process.Signal(syscall.SIGTERM)
	if !e.ended(10 * time.Second) {
		e.cmd.Process.Kill()
		<-e.done
	}
}

func (e *envoy) ended(within time.Duration) bool {
	select {
	case <-e.done:
		return true
	case <-time.After(within):
		return false
	}
}

// ready waits until the process serves.
func (e *envoy) ready(t *testing.T) {
	t.Helper()
	live := poll(20*time.Second, func() bool {
		body, code := e.admin("/ready")
		return code == http.StatusOK && body == "LIVE\n" || e.ended(0)
	})
	if !live || e.ended(0) {
		t.Fatalf("envoy does not serve: %s", e.log())
	}
}

// admin reads a page of the administration interface; code 0 is no answer.
func (e *envoy) admin(path string) (body string, code int) {
	ctx, cancel := context.WithTimeout(context.Background(), 5*time.Second)
	defer cancel()
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, "http://"+e.ip+adminPort+path, nil)
	if err != nil {
		return "", 0
	}
	req.Close = true
	resp, err := http.DefaultClient.Do(req)
	if err != nil {
		return "", 0
	}
	defer resp.Body.Close()
	data, _ := io.ReadAll(resp.Body)
	return string(data), resp.StatusCode
}

// log is what the process has written about itself, without the hundred lines
// that list its extensions.
func (e *envoy) log() string {
	data, _ := os.ReadFile(filepath.Join(e.dir, "envoy.log"))
	var b strings.Builder
	for line := range strings.Lines(string(data)) {
		if !strings.Contains(line, "[source/server/server.cc:467]") {
			b.WriteString(line)
		}
	}
	return b.String()
}

// poll asks until the answer is yes, and returns the last answer.
func poll(limit time.Duration, ask func() bool) bool {
	for end := time.Now().Add(limit); time.Now().Before(end); {
		if ask() {
			return true
		}
		time.Sleep(15 * time.Millisecond)
	}
	return ask()
}
