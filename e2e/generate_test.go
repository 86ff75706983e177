//go:build e2e

package e2e

import (
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

// TestLogformatThatIsGenerated demands that Envoy takes the generated configuration
// as it is, and that flagwatch reads what Envoy then writes, by the same
// configuration: every field that the request has is there.
func TestLogformatThatIsGenerated(t *testing.T) {
	bin, ok := needEnvoy(t)
	if !ok {
		return
	}
	fw, err := buildFlagwatch(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	for n, args := range [][]string{{"generate", "logformat", "--for", "envoy"}, {"generate", "logformat", "--for", "envoy", "--json"}} {
		dir := t.TempDir()
		config := filepath.Join(dir, "generated.yaml")
		out, err := exec.Command(fw, args...).Output()
		if err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(config, out, 0o644); err != nil {
			t.Fatal(err)
		}
		if out, err := exec.Command(bin, "--mode", "validate", "-c", config).CombinedOutput(); err != nil {
			t.Errorf("%v: Envoy refuses it: %v\n%s", args, err, out)
			continue
		}
		checkGenerated(t, bin, fw, config, "127.0.3."+string(rune('1'+n)))
	}
}

// checkGenerated runs the configuration and reads the record of a request.
func checkGenerated(t *testing.T, bin, fw, config, ip string) {
	t.Helper()
	text, err := os.ReadFile(config)
	if err != nil {
		t.Fatal(err)
	}
	dir := filepath.Dir(config)
	own := "admin: {address: {socket_address: {address: " + ip + ", port_value: 15000}}}\n" + strings.Replace(string(text), "127.0.0.1", ip, 1)
	e := startEnvoy(t, bin, dir, ip, own, 0)
	e.ready(t)
	request, err := http.NewRequest(http.MethodGet, "http://"+ip+":10080/stock?size=2", nil)
	if err != nil {
		t.Fatal(err)
	}
	request.Host = "stock.example"
	request.Header.Set("User-Agent", `probe/1 (a "b")`)
	client := &http.Client{Timeout: 10 * time.Second, Transport: &http.Transport{DisableKeepAlives: true}}
	response, err := client.Do(request)
	if err != nil {
		t.Fatal(err)
	}
	response.Body.Close()
	e.stop()
	out, err := exec.Command(fw, "parse", "--format-from", config, filepath.Join(dir, "envoy.log")).Output()
	if err != nil {
		t.Fatalf("parse: %v", err)
	}
	record := ""
	for line := range strings.Lines(string(out)) {
		if strings.Contains(line, `"dialect":"custom"`) && strings.Contains(line, `"method"`) {
			record = line
		}
	}
	for _, want := range []string{`"response_code":404`, `"response_flags":[]`, `"path":"/stock?size=2"`, `"authority":"stock.example"`, `"user_agent":"probe/1 (a \"b\")"`, `"response_code_details":"direct_response"`, `"downstream_remote_address":"`} {
		if !strings.Contains(record, want) {
			t.Errorf("%s is not in the record %q of\n%s", want, record, out)
		}
	}
}
