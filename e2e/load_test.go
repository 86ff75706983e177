//go:build e2e

package e2e

import (
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"
)

const (
	loadClients  = 4
	loadRequests = 2500 // of each client
)

// counters says which of Envoy's own counters add up to a code or flag. They
// count requests: a connection that failed may have failed several at once.
func counters() (codes map[int][]string, flags map[string][]string) {
	return map[int][]string{
			0:   {"http.http.downstream_cx_destroy_remote_active_rq"},
			200: {"cluster.good.upstream_rq_200"},
			301: {"http.http.rq_direct_response"},
			404: {"http.http.no_route"},
			418: {"http.http.fault.aborts_injected"},
			429: {"rl.http_local_rate_limit.enforced"},
			503: {"cluster.refuses.upstream_rq_503", "cluster.closes.upstream_rq_503", "cluster.empty.upstream_rq_503", "cluster.full.upstream_rq_503", "http.http.no_cluster"},
			504: {"cluster.slow.upstream_rq_504"},
		}, map[string][]string{
			"DC":  {"http.http.downstream_cx_destroy_remote_active_rq"},
			"DI":  {"http.http.fault.delays_injected"},
			"FI":  {"http.http.fault.aborts_injected"},
			"NC":  {"http.http.no_cluster"},
			"NR":  {"http.http.no_route"},
			"RL":  {"rl.http_local_rate_limit.enforced"},
			"UC":  {"cluster.closes.upstream_rq_503"},
			"UF":  {"cluster.refuses.upstream_rq_503"},
			"UH":  {"cluster.empty.upstream_cx_none_healthy"},
			"UO":  {"cluster.full.upstream_rq_pending_overflow", "cluster.refuses.upstream_rq_retry_overflow"},
			"UT":  {"cluster.slow.upstream_rq_timeout"},
			"URX": {"cluster.refuses.upstream_rq_retry_limit_exceeded"},
		}
}

// loadScenario fails in many ways at once.
func loadScenario() Scenario {
	cluster := func(name, port, fields string) string {
		return "{" + defaults(fields, "name", name, "type", "STATIC", "connect_timeout", "1s", "load_assignment", endpoints(name, socket(port))) + "}"
	}
	to := func(path, fields string) string {
		return `{match: {prefix: ` + path + `}, route: {cluster: ` + path[1:] + fields + `}}`
	}
	faults := httpFilter("fault", "fault.v3.HTTPFault", "abort: {http_status: 418, percentage: {numerator: 5}}, delay: {fixed_delay: 0.001s, percentage: {numerator: 5}}")
	limit := httpFilter("local_ratelimit", "local_ratelimit.v3.LocalRateLimit", "stat_prefix: rl, token_bucket: {max_tokens: 1, fill_interval: 1s}, filter_enabled: {default_value: {numerator: 4}}, filter_enforced: {default_value: {numerator: 100}}")
	routes := []string{
		to("/good", ""), to("/refuses", `, retry_policy: {retry_on: connect-failure, num_retries: 1, retry_back_off: {base_interval: 0.001s}}`), to("/closes", ""),
		to("/empty", ""), to("/full", ""), to("/slow", ", timeout: 0.02s"), to("/waits", ""),
		`{match: {prefix: /gone}, route: {cluster_header: x-cluster}}`, `{match: {prefix: /moved}, redirect: {path_redirect: /good}}`,
	}
	return Scenario{
		Name: "load", HTTP: join(faults, limit), VHost: "routes: [" + strings.Join(routes, ", ") + "]",
		Clusters: join(cluster("good", upPort, ""), cluster("refuses", ":9999", ""), cluster("closes", ":9081", ""), cluster("empty", upPort, `load_assignment: {cluster_name: empty}`),
			cluster("full", upPort, `circuit_breakers: {thresholds: [{max_connections: 0, max_pending_requests: 0}]}`), cluster("slow", ":9082", ""), cluster("waits", ":9082", "")),
		Up: []Upstream{answers(okAnswer), once("", closes).at(":9081"), silent().at(":9082")},
	}
}

// TestLoad compares what flagwatch counts with what Envoy counted itself, in
// every dialect.
func TestLoad(t *testing.T) {
	bin, ok := needEnvoy(t)
	if !ok {
		return
	}
	fw, err := buildFlagwatch(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	l := &lab{network: reserveNetwork(t)}
	s, dir := loadScenario(), t.TempDir()
	ip := l.address(s.Name, 0)
	for _, up := range s.Up {
		startUpstream(t, up, ip)
	}
	e := startEnvoy(t, bin, dir, ip, s.bootstrap(ip, "."), 0)
	e.ready(t)
	var wait sync.WaitGroup
	for n := range loadClients {
		wait.Go(func() { sendLoad(&session{ip: ip, envoy: e}, uint64(n), loadRequests) })
	}
	wait.Wait()
	total := loadClients * loadRequests
	if !poll(20*time.Second, func() bool { return len(readLines(dir, truth)) >= total }) {
		t.Errorf("envoy logged %d of %d requests", len(readLines(dir, truth)), total)
	}
	stats := readStats(t, e)
	e.stop()
	for _, d := range dialects() {
		t.Run(d.id, func(t *testing.T) { compareCounts(t, fw, filepath.Join(dir, d.id+".log"), d, stats) })
	}
}

// sendLoad asks one after the other, each over a connection of its own, and
// sometimes leaves.
func sendLoad(s *session, seed uint64, requests int) {
	random := rand.New(rand.NewPCG(seed, 7))
	paths := []string{"/refuses", "/closes", "/empty", "/full", "/slow", "/gone", "/moved", "/nowhere", "/waits"}
	for n := range requests {
		s.id = fmt.Sprintf("%08d-0000-4000-8000-%012d", seed, n)
		path := "/good"
		if random.IntN(4) == 0 {
			path = paths[random.IntN(len(paths))]
		}
		if path == "/waits" {
			leaves(3*time.Millisecond, "GET "+path)(s)
		} else {
			get(path, "x-cluster: nobody")(s)
		}
	}
}

func readStats(t *testing.T, e *envoy) map[string]int {
	t.Helper()
	text, code := e.admin("/stats")
	if code != 200 {
		t.Fatalf("no /stats: code %d", code)
	}
	stats := map[string]int{}
	for line := range strings.Lines(text) {
		name, value, _ := strings.Cut(strings.TrimSpace(line), ": ")
		if n, err := strconv.Atoi(value); err == nil {
			stats[name] = n
		}
	}
	return stats
}

// compareCounts reads the log as flagwatch's report does, and checks every
// code and flag, also those that only one side has.
func compareCounts(t *testing.T, bin, path string, d dialect, stats map[string]int) {
	args := []string{"-o", "json", path}
	if d.custom {
		args = append(args, "--format", d.format)
	}
	out, err := exec.Command(bin, args...).Output()
	if err != nil {
		t.Fatalf("flagwatch %s: %v", strings.Join(args, " "), err)
	}
	compareReport(t, out, stats)
}

func compareReport(t *testing.T, out []byte, stats map[string]int) {
	t.Helper()
	var report struct {
		Totals struct{ Access, Invalid int }
		Codes  []struct{ Code, Count int }
		Flags  []struct {
			Name  string
			Count int
		}
	}
	if err := json.Unmarshal(out, &report); err != nil {
		t.Fatal(err)
	}
	if want := stats["http.http.downstream_rq_total"]; report.Totals.Access != want || report.Totals.Invalid != 0 {
		t.Errorf("access records: %d and %d invalid, envoy counted %d", report.Totals.Access, report.Totals.Invalid, want)
	}
	gotCodes, gotFlags := map[int]int{}, map[string]int{}
	for _, c := range report.Codes {
		gotCodes[c.Code] = c.Count
	}
	for _, f := range report.Flags {
		gotFlags[f.Name] = f.Count
	}
	delete(gotFlags, "-")
	codes, flags := counters()
	sameCounts(t, "code", gotCodes, codes, stats)
	sameCounts(t, "flag", gotFlags, flags, stats)
}

func sameCounts[K comparable](t *testing.T, what string, got map[K]int, names map[K][]string, stats map[string]int) {
	t.Helper()
	for key, list := range names {
		want := 0
		for _, name := range list {
			n, ok := stats[name]
			if !ok {
				t.Errorf("envoy has no counter %s", name)
			}
			want += n
		}
		if want == 0 {
			t.Errorf("%s %v did not happen", what, key)
		}
		if got[key] != want {
			t.Errorf("%s %v: %d, envoy counted %d (%s)", what, key, got[key], want, strings.Join(list, " + "))
		}
	}
	for key, n := range got {
		if _, ok := names[key]; !ok {
			t.Errorf("%s %v: %d, envoy has no counter for it", what, key, n)
		}
	}
}
