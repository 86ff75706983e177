package agent

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/flagwatch/flagwatch/classify"
	"github.com/flagwatch/flagwatch/internal/tail"
	"github.com/flagwatch/flagwatch/sinks"
)

const podDir = "shop_cart-6d5f7c9b8-x2x7k_0b0e6f0e-0000-4000-8000-000000000001/istio-proxy"

// line is a record of a failed request that began at a time.
func line(at time.Time) string {
	stamp := at.UTC().Format("2006-01-02T15:04:05.000Z")
	return at.UTC().Format("2006-01-02T15:04:05.000000000Z") + ` stdout F [` + stamp + `] "GET /a HTTP/1.1" 503 UF upstream_reset_before_response_started{remote_connection_failure,delayed_connect_error:_Connection_refused} - "delayed_connect_error:_Connection_refused" 0 5 3 - "-" "curl/8" "97728e73-e806-4ed0-917d-9d3d9eef3351" "till:80" "192.0.2.42:9080" outbound|80||till.shop.svc.cluster.local 192.0.2.1:1 198.51.100.12:80 192.0.2.21:60891 - default` + "\n"
}

// A run is an agent over a directory of pods.
type run struct {
	t    *testing.T
	dir  string
	url  string
	stop context.CancelFunc
	done chan error
}

func start(t *testing.T, lines string) *run {
	return startWith(t, lines, func(string, *Config) {})
}

// startWith starts an agent whose configuration is changed before.
func startWith(t *testing.T, lines string, change func(dir string, cfg *Config)) *run {
	r := &run{t: t, dir: t.TempDir(), done: make(chan error, 1)}
	pods := filepath.Join(r.dir, "pods")
	r.check(os.MkdirAll(filepath.Join(pods, podDir), 0o755))
	r.check(os.WriteFile(filepath.Join(pods, podDir, "0.log"), []byte(lines), 0o644))
	l, err := net.Listen("tcp", "127.0.0.1:0")
	r.check(err)
	cfg := Default()
	cfg.Inputs = []tail.Input{{Name: "mesh", Paths: []string{pods}, Containers: tail.DefaultContainers()}}
	cfg.Roots, cfg.StateDir, cfg.Listen, cfg.BornAtZero = []string{pods}, filepath.Join(r.dir, "state"), l.Addr().String(), 0
	r.url = "http://" + cfg.Listen
	change(r.dir, &cfg)
	r.check(l.Close())
	ctx, cancel := context.WithCancel(t.Context())
	r.stop = cancel
	go func() {
		r.done <- Run(ctx, cfg, Env{Log: slog.New(slog.DiscardHandler), Causes: classify.Default(), Build: sinks.MetricOptions{Version: "test"}})
	}()
	return r
}

func (r *run) check(err error) {
	r.t.Helper()
	if err != nil {
		r.t.Fatal(err)
	}
}

// get asks until there is an answer that has this in it.
func (r *run) get(path, want string) (resp *http.Response, body string) {
	r.t.Helper()
	deadline := time.Now().Add(20 * time.Second)
	for time.Now().Before(deadline) {
		var err error
		if resp, err = http.Get(r.url + path); err == nil {
			data, _ := io.ReadAll(resp.Body)
			resp.Body.Close()
			if body = string(data); strings.Contains(body, want) {
				return resp, body
			}
		}
		<-time.After(20 * time.Millisecond)
	}
	r.t.Fatalf("%s: %s\nwant %q", path, body, want)
	return nil, ""
}

func (r *run) end() {
	r.t.Helper()
	r.stop()
	r.check(<-r.done)
}

func TestPages(t *testing.T) {
	now := time.Now()
	r := start(t, line(now.Add(-2*time.Hour))+line(now.Add(-time.Minute))+line(now.Add(-time.Minute)))
	resp, body := r.get("/metrics", `flagwatch_records_total{kind="access"} 3`)
	if got := resp.Header.Get("Content-Type"); got != sinks.ContentType {
		t.Errorf("content type %q", got)
	}
	for _, want := range []string{
		`flagwatch_failures_total{proxy_namespace="shop",proxy_workload="cart",direction="outbound",cause="upstream-refused",response_code_class="5xx"} 3`,
		`flagwatch_input_last_record_timestamp_seconds{input="mesh"} `, `flagwatch_state_age_seconds 0`, "process_resident_memory_bytes ",
	} {
		if !strings.Contains(body, want) {
			t.Errorf("/metrics has no %s", want)
		}
	}
	for path, want := range map[string]uint64{"/api/v1/report": 3, "/api/v1/report?since=15m": 2, "/api/v1/report?since=24h": 3} {
		resp, body := r.get(path, `"kind": "Report"`)
		var rep sinks.Report
		if err := json.Unmarshal([]byte(body), &rep); err != nil {
			t.Fatal(path, err)
		}
		counted, err := rep.RestoreSnapshot(func(id string) *classify.Cause {
			c, _ := classify.Default().Cause(id)
			return c
		})
		if err != nil || counted.Report().Totals.Failed != want || !rep.Redacted {
			t.Errorf("%s can not be merged: %v", path, err)
		}
		if rep.Totals.Failed != want || len(rep.Causes) != 1 || rep.Causes[0].ID != "upstream-refused" || len(rep.Inputs) != 1 || resp.Header.Get("X-Content-Type-Options") != "nosniff" {
			t.Errorf("%s: %d failed, %d causes, inputs %+v", path, rep.Totals.Failed, len(rep.Causes), rep.Inputs)
		}
	}
	r.get("/livez", "ok")
	r.get("/readyz", "ok")
	for _, x := range []struct {
		method, path string
		want         int
	}{
		{"POST", "/metrics", http.StatusMethodNotAllowed}, {"DELETE", "/api/v1/report", http.StatusMethodNotAllowed},
		{"HEAD", "/metrics", http.StatusOK}, {"GET", "/api/v1/report?since=soon", http.StatusBadRequest},
		{"GET", "/api/v1/report?since=-1m", http.StatusBadRequest}, {"GET", "/api/v1/report?since=", http.StatusBadRequest},
		{"GET", "/api/v1/report?sinc=15m", http.StatusBadRequest}, {"GET", "/api/v1/report?since=15m%zz", http.StatusBadRequest},
		{"GET", "/api/v1/report?since=1m&since=2m", http.StatusBadRequest}, {"GET", "/debug/pprof/", http.StatusNotFound}, {"GET", "/", http.StatusNotFound},
	} {
		req, err := http.NewRequest(x.method, r.url+x.path, nil)
		r.check(err)
		resp, err := http.DefaultClient.Do(req)
		r.check(err)
		resp.Body.Close()
		if resp.StatusCode != x.want {
			t.Errorf("%s %s: %d, want %d", x.method, x.path, resp.StatusCode, x.want)
		}
	}
	r.end()
}

// S28: connections that never ask for anything, and headers without an end.
func TestBadClients(t *testing.T) {
	r := start(t, line(time.Now()))
	r.get("/livez", "ok")
	addr := strings.TrimPrefix(r.url, "http://")
	for range maxConnections - 4 {
		c, err := net.Dial("tcp", addr)
		r.check(err)
		defer c.Close()
		fmt.Fprint(c, "GET /metrics HTTP/1.1\r\nHost")
	}
	c, err := net.Dial("tcp", addr)
	r.check(err)
	defer c.Close()
	go io.Copy(c, strings.NewReader("GET /metrics HTTP/1.1\r\nX: "+strings.Repeat("x", 1<<20)))
	answer := make([]byte, 64)
	n, _ := c.Read(answer)
	if !strings.Contains(string(answer[:n]), "431") {
		t.Errorf("a header of a megabyte: %q", answer[:n])
	}
	begin := time.Now()
	r.get("/metrics", "flagwatch_build_info")
	if d := time.Since(begin); d > 5*time.Second {
		t.Errorf("a good client waited for %v", d)
	}
	r.end()
}

// T68, T69: a state that can not be written any more, until it can again.
func TestStateIsGone(t *testing.T) {
	r := start(t, line(time.Now()))
	r.get("/metrics", `flagwatch_records_total{kind="access"} 1`)
	state := filepath.Join(r.dir, "state")
	r.check(os.RemoveAll(state))
	f, err := os.OpenFile(filepath.Join(r.dir, "pods", podDir, "0.log"), os.O_APPEND|os.O_WRONLY, 0)
	r.check(err)
	_, err = f.WriteString(line(time.Now()))
	r.check(err)
	r.check(f.Close())
	_, body := r.get("/metrics", "flagwatch_state_age_seconds 0.")
	if !strings.Contains(body, `flagwatch_records_total{kind="access"} 1`) {
		t.Error("what is shown is not what the disk had")
	}
	r.check(os.Mkdir(state, 0o700))
	r.get("/metrics", `flagwatch_records_total{kind="access"} 2`)
	r.end()
}

// A directory that is not there yet is followed when it comes.
func TestRootThatComesLater(t *testing.T) {
	later := ""
	r := startWith(t, line(time.Now()), func(dir string, cfg *Config) {
		later = filepath.Join(dir, "later")
		cfg.Roots = append(cfg.Roots, later)
		cfg.Inputs = append(cfg.Inputs, tail.Input{Name: "later", Paths: []string{filepath.Join(later, "*.log")}})
	})
	r.get("/metrics", `flagwatch_records_total{kind="access"} 1`)
	r.check(os.Mkdir(later, 0o755))
	r.check(os.WriteFile(filepath.Join(later, "a.log"), []byte(line(time.Now())), 0o644))
	r.get("/metrics", `flagwatch_records_total{kind="access"} 2`)
	r.end()
}

func TestMeetsAny(t *testing.T) {
	dir := t.TempDir()
	real := filepath.Join(dir, "real")
	if err := errors.Join(os.Mkdir(real, 0o755), os.Symlink(real, filepath.Join(dir, "link"))); err != nil {
		t.Fatal(err)
	}
	for _, x := range []struct {
		root, path string
		want       bool
	}{
		{"real", "real", true}, {"real", "real/a.log", true}, {"real", "real/*/a.log", true}, {"real", "real/../real/a.log", true},
		{"real", "*/a.log", true}, {"real", "**/*.log", true}, {"link", "real/a.log", true}, {"gone", "gone/*.log", true},
		{"real", "other/a.log", false}, {"real", "realistic/a.log", false}, {"real", "other/*.log", false}, {"real", "real/../other", false},
	} {
		if got := meetsAny([]string{filepath.Join(dir, x.root)}, dir+"/"+x.path); got != x.want {
			t.Errorf("%s in %s: %v, want %v", x.path, x.root, got, x.want)
		}
	}
}

// What the server of pages has to say is in the agent's log, and written as it is.
func TestServersOwnLog(t *testing.T) {
	path := filepath.Join(t.TempDir(), "log")
	f, err := os.Create(path)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	a := &agent{cfg: Config{Listen: "127.0.0.1:0"}, log: slog.New(slog.NewJSONHandler(f, nil))} // counts nothing: a page of metrics fails
	stop, err := a.serve(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	var begin struct{ Address string }
	data, _ := os.ReadFile(path)
	if err := json.Unmarshal(data, &begin); err != nil {
		t.Fatal(err)
	}
	client := http.Client{Timeout: time.Minute}
	for range maxRenders + 1 { // a page that fails gives its place back
		if _, err := client.Get("http://" + begin.Address + "/metrics"); !errors.Is(err, io.EOF) {
			t.Error(err)
		}
	}
	stop()
	if data, _ = os.ReadFile(path); !strings.Contains(string(data), `"level":"WARN","msg":"http: panic serving`) {
		t.Errorf("%s", data)
	}
}

func TestNothingToRead(t *testing.T) {
	cfg := Default()
	cfg.Roots = []string{filepath.Join(t.TempDir(), "gone")}
	cfg.Inputs[0].Paths = cfg.Roots
	err := Run(t.Context(), cfg, Env{Log: slog.New(slog.DiscardHandler), Causes: classify.Default()})
	if err == nil || !strings.Contains(err.Error(), "gone") {
		t.Error(err)
	}
}
