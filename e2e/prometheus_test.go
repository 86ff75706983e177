//go:build e2e

package e2e

import (
	"encoding/json"
	"fmt"
	"net/http"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"
)

// A prometheus is a running server.
type prometheus struct {
	addr string
	dir  string
	at   time.Time // of which queries ask
}

const prometheusPort, agentPort, memberPort = ":9090", ":9469", ":9470"

// startPrometheus scrapes jobs every second, and evaluates the rules of a
// file as often. The process ends with the test.
func startPrometheus(t *testing.T, bin, ip, rules string, jobs map[string]string) *prometheus {
	t.Helper()
	p := &prometheus{addr: ip + prometheusPort, dir: t.TempDir()}
	var scrapes []string
	for job, target := range jobs {
		scrapes = append(scrapes, fmt.Sprintf("{job_name: %s, static_configs: [{targets: [%s]}]}", job, quote(target)))
	}
	config := fmt.Sprintf("{global: {scrape_interval: 1s, scrape_timeout: 1s, evaluation_interval: 1s}, rule_files: [%s], scrape_configs: [%s]}", quote(rules), join(scrapes...))
	path := filepath.Join(p.dir, "prometheus.yaml")
	if err := os.WriteFile(path, []byte(config), 0o600); err != nil {
		t.Fatal(err)
	}
	log, err := os.Create(filepath.Join(p.dir, "log"))
	if err != nil {
		t.Fatal(err)
	}
	defer log.Close()
	cmd := exec.Command(filepath.Join(bin, "prometheus"), "--config.file="+path, "--storage.tsdb.path="+filepath.Join(p.dir, "data"), "--web.listen-address="+p.addr)
	cmd.Stdout, cmd.Stderr = log, log
	cmd.SysProcAttr = &syscall.SysProcAttr{Pdeathsig: syscall.SIGKILL}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		cmd.Process.Kill()
		cmd.Wait()
	})
	if !poll(60*time.Second, func() bool { return p.get("/-/ready", nil) == nil }) {
		t.Fatalf("prometheus does not answer: %s", p.log())
	}
	return p
}

func (p *prometheus) log() string {
	data, _ := os.ReadFile(filepath.Join(p.dir, "log"))
	return string(data[max(0, len(data)-2000):])
}

// get reads a page; an answer of the API goes to data.
func (p *prometheus) get(path string, data any) error {
	client := http.Client{Timeout: 30 * time.Second}
	r, err := client.Get("http://" + p.addr + path)
	if err != nil {
		return err
	}
	defer r.Body.Close()
	if data == nil {
		if r.StatusCode != http.StatusOK {
			return fmt.Errorf("%s: %s", path, r.Status)
		}
		return nil
	}
	answer := struct {
		Status, Error string
		Data          any
	}{Data: data}
	if err := json.NewDecoder(r.Body).Decode(&answer); err != nil {
		return err
	}
	if answer.Status != "success" {
		return fmt.Errorf("%s", answer.Error)
	}
	return nil
}

// A promSeries is one of an answer, with one value or with raw samples.
type promSeries struct {
	Metric map[string]string
	Value  promSample
	Values []promSample
}

// A promSample is a time in seconds and a value.
type promSample struct{ at, value float64 }

func (s *promSample) UnmarshalJSON(data []byte) error {
	var text string
	if err := json.Unmarshal(data, &[]any{&s.at, &text}); err != nil {
		return err
	}
	v, err := strconv.ParseFloat(text, 64)
	s.value = v
	return err
}

// query evaluates an expression that is no scalar.
func (p *prometheus) query(expr string) ([]promSeries, error) {
	var data struct{ Result []promSeries }
	if err := p.get(fmt.Sprintf("/api/v1/query?time=%.3f&query=%s", float64(p.at.UnixMilli())/1e3, url.QueryEscape(expr)), &data); err != nil {
		return nil, fmt.Errorf("%s: %w", expr, err)
	}
	return data.Result, nil
}

// now lets queries ask of this moment, until it is called again.
func (p *prometheus) now() *prometheus {
	p.at = time.Now()
	return p
}

// number is the value of an expression that gives one; 0 when it gives none.
func (p *prometheus) number(expr string) float64 {
	list, err := p.query(expr)
	if err != nil || len(list) != 1 {
		return 0
	}
	return list[0].Value.value
}

// by are the values of an expression by the value of a label.
func (p *prometheus) by(t *testing.T, label, expr string) map[string]int {
	t.Helper()
	list, err := p.query("sum by (" + label + ") (" + expr + ") > 0")
	if err != nil {
		t.Fatal(err)
	}
	counts := map[string]int{}
	for _, s := range list {
		counts[s.Metric[label]] = int(s.Value.value)
	}
	return counts
}

// promtool runs it and returns what it printed.
func promtool(bin, dir, stdin string, args ...string) (string, error) {
	cmd := exec.Command(filepath.Join(bin, "promtool"), args...)
	cmd.Dir, cmd.Stdin = dir, strings.NewReader(stdin)
	out, err := cmd.CombinedOutput()
	return string(out), err
}

// TestRules lets promtool check and test the rules in the tree. What flagwatch
// generates is the same, which the ordinary tests show.
func TestRules(t *testing.T) {
	bin, ok := needPrometheus(t)
	if !ok {
		return
	}
	const dir = "../deploy/rules"
	if out, err := promtool(bin, dir, "", "check", "rules", "flagwatch.yaml"); err != nil {
		t.Errorf("%v: %s", err, out)
	}
	tests, err := filepath.Glob(dir + "/*_test.yaml")
	if err != nil || len(tests) == 0 {
		t.Fatalf("no tests of rules: %v", err)
	}
	for _, test := range tests {
		name := filepath.Base(test)
		t.Run(strings.TrimSuffix(name, "_test.yaml"), func(t *testing.T) {
			if out, err := promtool(bin, dir, "", "test", "rules", name); err != nil {
				t.Errorf("%v: %s", err, out)
			}
		})
	}
}
