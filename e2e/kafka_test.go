//go:build e2e

package e2e

import (
	"bufio"
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"math/rand/v2"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/twmb/franz-go/pkg/kgo"
)

// TestKafka runs flagwatch against a real broker: every way to connect, every
// mistake that an operator may make, every codec, and a topic beside the same
// text as a file.
func TestKafka(t *testing.T) {
	libs, ok := needKafka(t)
	if !ok {
		return
	}
	b := startBroker(t, libs)
	bin, err := buildFlagwatch(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	l := &kafkaLab{t, b, bin}
	l.createTopic("access", 2)
	l.createTopic("closed", 1)
	l.allow(brokerUser, "access", "counters")
	l.allow("flagwatch", "access", "counters")
	l.fill("access", 100)
	t.Run("connections", l.connections)
	t.Run("mistakes", l.mistakes)
	t.Run("codecs", l.codecs)
	t.Run("file", l.asFile)
	t.Run("listen", l.listen)
	t.Run("memory", l.memory)
	t.Run("clients", l.clients)
	t.Run("foreign members", l.foreignMembers)
	t.Run("compaction", l.compaction)
	t.Run("own causes", l.ownCauses)
	t.Run("brokers come and go", l.comeAndGo)
}

// A kafkaLab is a broker and the product.
type kafkaLab struct {
	t *testing.T
	*broker
	bin string
}

// fill writes records to each partition of a topic.
func (l *kafkaLab) fill(topic string, n int, opts ...kgo.Opt) {
	l.t.Helper()
	k := l.producer(opts...)
	for id := range n {
		k.Produce(l.t.Context(), &kgo.Record{Topic: topic, Partition: int32(id % 2), Value: []byte(kafkaLine(200+id%3, id))}, nil)
	}
	if err := k.Flush(l.t.Context()); err != nil {
		l.t.Fatal(err)
	}
}

// read runs a bounded reading and returns what it printed.
func (l *kafkaLab) read(args ...string) (out, errors string, code int) {
	var stdout, stderr bytes.Buffer
	cmd := exec.Command(l.bin, append([]string{"kafka", "--until-end", "-o", "json"}, args...)...)
	cmd.Stdout, cmd.Stderr = &stdout, &stderr
	cmd.Run()
	return stdout.String(), stderr.String(), cmd.ProcessState.ExitCode()
}

type kafkaReport struct {
	Totals struct{ Records, Access, Failed uint64 }
}

func (l *kafkaLab) records(t *testing.T, args ...string) kafkaReport {
	t.Helper()
	out, errs, code := l.read(args...)
	var r kafkaReport
	if err := json.Unmarshal([]byte(out), &r); err != nil || code != 0 {
		t.Fatalf("exit %d: %s", code, errs)
	}
	return r
}

// connections are the ways to connect.
func (l *kafkaLab) connections(t *testing.T) {
	login := []string{"--sasl-user", brokerUser, "--sasl-password-file", l.file("password")}
	safe := []string{"--tls", "--tls-ca", l.file("ca.pem"), "--tls-server-name", brokerName}
	for name, args := range map[string][]string{
		"plaintext":        {"--brokers", l.addr("PLAINTEXT")},
		"plain":            append([]string{"--brokers", l.addr("SASL_PLAINTEXT"), "--sasl", "plain", "--allow-plaintext-auth"}, login...),
		"scram-sha-256":    append([]string{"--brokers", l.addr("SASL_PLAINTEXT"), "--sasl", "scram-sha-256"}, login...),
		"scram over TLS":   append(append([]string{"--brokers", l.addr("SASL_SSL"), "--sasl", "scram-sha-512"}, login...), safe...),
		"certificate":      append([]string{"--brokers", l.addr("SSL"), "--tls-cert", l.file("client.pem"), "--tls-key", l.file("client.key")}, safe...),
		"several brokers":  {"--brokers", "127.0.0.1:1," + l.addr("PLAINTEXT")},
		"TLS not verified": append(append([]string{"--brokers", l.addr("SASL_SSL"), "--sasl", "plain"}, login...), "--tls", "--tls-insecure"),
	} {
		t.Run(name, func(t *testing.T) {
			if r := l.records(t, append(args, "--topic", "access")...); r.Totals.Access != 100 {
				t.Errorf("%+v", r)
			}
		})
	}
}

// saidWithin is five seconds of a machine that has nothing else to do.
const saidWithin = 20 * time.Second

// mistakes are said within five seconds, in words.
func (l *kafkaLab) mistakes(t *testing.T) {
	login := []string{"--sasl", "scram-sha-512", "--sasl-user", brokerUser, "--sasl-password-file", l.file("password")}
	wrong := []string{"--sasl", "scram-sha-512", "--sasl-user", brokerUser, "--sasl-password-file", l.file("wrong")}
	for name, test := range map[string]struct {
		args []string
		want string
	}{
		"wrong password":     {append([]string{"--brokers", l.addr("SASL_PLAINTEXT"), "--topic", "access"}, wrong...), "refuses the user or the password"},
		"no such topic":      {[]string{"--brokers", l.addr("PLAINTEXT"), "--topic", "missing"}, "topic missing: there is none"},
		"topic not allowed":  {append([]string{"--brokers", l.addr("SASL_PLAINTEXT"), "--topic", "closed"}, login...), "topic closed: not allowed"},
		"other authority":    {[]string{"--brokers", l.addr("SASL_SSL"), "--topic", "access", "--tls", "--tls-ca", l.file("other.pem"), "--tls-server-name", brokerName}, "failed to verify certificate"},
		"other name":         {[]string{"--brokers", l.addr("SASL_SSL"), "--topic", "access", "--tls", "--tls-ca", l.file("ca.pem"), "--tls-server-name", "other.lab"}, "not other.lab"},
		"no certificate":     {[]string{"--brokers", l.addr("SSL"), "--topic", "access", "--tls", "--tls-ca", l.file("ca.pem"), "--tls-server-name", brokerName}, "tls:"},
		"TLS wanted":         {[]string{"--brokers", l.addr("SSL"), "--topic", "access"}, "TLS"},
		"TLS not wanted":     {[]string{"--brokers", l.addr("PLAINTEXT"), "--topic", "access", "--tls"}, "does its listener speak TLS"},
		"login wanted":       {[]string{"--brokers", l.addr("SASL_PLAINTEXT"), "--topic", "access"}, "SASL"},
		"login not wanted":   {append([]string{"--brokers", l.addr("PLAINTEXT"), "--topic", "access"}, login...), "wants no SASL"},
		"advertised nowhere": {[]string{"--brokers", l.addr("BAD"), "--topic", "access"}, fmt.Sprintf("127.0.0.1:%d", l.port["NOBODY"])},
		"nobody there":       {[]string{"--brokers", l.addr("NOBODY"), "--topic", "access"}, "connection refused"},
	} {
		t.Run(name, func(t *testing.T) {
			begin := time.Now()
			_, errs, code := l.read(test.args...)
			if code != 1 || !strings.Contains(errs, test.want) {
				t.Errorf("exit %d: %s\nwant %q", code, errs, test.want)
			}
			if d := time.Since(begin); d > saidWithin {
				t.Errorf("it took %v", d)
			}
			for _, secret := range []string{brokerPassword, "guess"} {
				if strings.Contains(errs, secret) {
					t.Errorf("the password is in %q", errs)
				}
			}
		})
	}
	t.Run("group not allowed", func(t *testing.T) {
		args := append([]string{"kafka", "--brokers", l.addr("SASL_PLAINTEXT"), "--topic", "access", "--group", "others"}, login...)
		out, err := exec.Command(l.bin, args...).CombinedOutput()
		if err == nil || !strings.Contains(string(out), "READ on group others") {
			t.Errorf("%v: %s", err, out)
		}
	})
}

func (l *kafkaLab) codecs(t *testing.T) {
	for name, codec := range map[string]kgo.CompressionCodec{
		"none": kgo.NoCompression(), "gzip": kgo.GzipCompression(), "snappy": kgo.SnappyCompression(), "lz4": kgo.Lz4Compression(), "zstd": kgo.ZstdCompression(),
	} {
		t.Run(name, func(t *testing.T) {
			l.createTopic("codec-"+name, 2)
			l.fill("codec-"+name, 1000, kgo.ProducerBatchCompression(codec))
			if r := l.records(t, "--brokers", l.addr("PLAINTEXT"), "--topic", "codec-"+name); r.Totals.Access != 1000 {
				t.Errorf("%+v", r)
			}
		})
	}
}

// asFile compares a topic with the same text as a file. What differs are the
// names of inputs and the places in them.
func (l *kafkaLab) asFile(t *testing.T) {
	text, err := os.ReadFile("../testdata/logs/sample.log")
	if err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(t.TempDir(), "sample.log")
	if err := os.WriteFile(path, text, 0o600); err != nil {
		t.Fatal(err)
	}
	l.createTopic("sample", 1)
	k := l.producer()
	for line := range strings.Lines(string(text)) {
		k.Produce(t.Context(), &kgo.Record{Topic: "sample", Value: []byte(line)}, nil)
	}
	if err := k.Flush(t.Context()); err != nil {
		t.Fatal(err)
	}
	got, errs, code := l.read("--brokers", l.addr("PLAINTEXT"), "--topic", "sample")
	if code != 0 {
		t.Fatalf("exit %d: %s", code, errs)
	}
	want, err := exec.Command(l.bin, "-o", "json", path).Output()
	if err != nil {
		t.Fatal(err)
	}
	if a, b := counted(t, []byte(got)), counted(t, want); a != b {
		t.Errorf("the topic gives\n%s\nthe file\n%s", a, b)
	}
	metrics := filepath.Join(t.TempDir(), "sample.prom")
	if _, errs, code := l.read("--brokers", l.addr("PLAINTEXT"), "--topic", "sample", "-o", "prom", "--output-file", metrics, "--fail-on", "failure-ratio>0%"); code != 3 {
		t.Errorf("exit %d: %s", code, errs)
	}
	written, err := os.ReadFile(metrics)
	if err != nil {
		t.Fatal(err)
	}
	for _, w := range []string{`flagwatch_kafka_next_offset{topic="sample",partition="0"} `, "flagwatch_kafka_up 1", `flagwatch_failures_total{`} {
		if !strings.Contains(string(written), "\n"+w) {
			t.Errorf("no %s in\n%s", w, written)
		}
	}
}

// counted is a report without where things stood.
func counted(t *testing.T, report []byte) string {
	t.Helper()
	var r map[string]any
	if err := json.Unmarshal(report, &r); err != nil {
		t.Fatal(err)
	}
	parts := map[string]any{}
	for _, key := range []string{"totals", "codes", "flags", "flagSets", "dialects", "details", "clusters", "directions", "answeredBy", "invalid", "span"} {
		parts[key] = r[key]
	}
	text, err := json.MarshalIndent(parts, "", " ")
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

// A listener is a member that serves what it counts.
type listener struct {
	t    *testing.T
	addr string
	cmd  *exec.Cmd
}

// member starts one, which ends with the test at the latest.
func (l *kafkaLab) member(t *testing.T, args ...string) *listener {
	t.Helper()
	cmd := exec.Command(l.bin, append([]string{"kafka", "--brokers", l.addr("PLAINTEXT"), "--listen", "127.0.0.1:0"}, args...)...)
	stderr, err := cmd.StderrPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	m := &listener{t: t, cmd: cmd}
	t.Cleanup(m.stop)
	said := bufio.NewScanner(stderr)
	for said.Scan() {
		if _, addr, ok := strings.Cut(said.Text(), "listening on "); ok {
			m.addr = addr
			go io.Copy(io.Discard, stderr)
			return m
		}
	}
	t.Fatalf("it does not listen: %v", cmd.Args)
	return nil
}

func (m *listener) stop() {
	if m.cmd.ProcessState == nil {
		m.cmd.Process.Signal(os.Interrupt)
		m.cmd.Wait()
	}
}

func (m *listener) get(path string) (string, int) {
	r, err := http.Get("http://" + m.addr + path)
	if err != nil {
		return err.Error(), 0
	}
	defer r.Body.Close()
	body, _ := io.ReadAll(r.Body)
	return string(body), r.StatusCode
}

// shows waits until all of some lines are in the metrics.
func (m *listener) shows(want ...string) {
	m.t.Helper()
	for limit := time.Now().Add(patience); ; time.Sleep(100 * time.Millisecond) {
		body, _ := m.get("/metrics")
		missing := ""
		for _, w := range want {
			if !strings.Contains(body, w+"\n") {
				missing = w
			}
		}
		if missing == "" {
			return
		}
		if time.Now().After(limit) {
			m.t.Fatalf("no %s in\n%s", missing, body)
		}
	}
}

// listen reads what a member serves.
func (l *kafkaLab) listen(t *testing.T) {
	m := l.member(t, "--topic", "access", "--group", "listeners")
	m.shows(
		`flagwatch_records_total{kind="access"} 100`, "flagwatch_kafka_up 1", `flagwatch_kafka_lag{topic="access",partition="0"} 0`,
		`flagwatch_kafka_committed_offset{topic="access",partition="1"} 50`, `flagwatch_kafka_lost_offsets_total{reason="retention"} 0`,
	)
	if body, code := m.get("/readyz"); code != http.StatusOK {
		t.Errorf("%d %s", code, body)
	}
	if body, code := m.get("/api/v1/report"); code != http.StatusOK || !strings.Contains(body, `"access": 100`) {
		t.Errorf("%d %.300s", code, body)
	}
}

// residentLimit is what a member of a hundred partitions may take, in KiB.
const residentLimit = 64 << 10

// memory reads a hundred partitions with much to catch up on. What it takes is
// bounded by what waits to be counted, not by what there is: about 42 MiB, of
// which 17 are the program itself.
func (l *kafkaLab) memory(t *testing.T) {
	const partitions, each = 100, 4000
	l.createTopic("wide", partitions)
	k := l.producer(kgo.ProducerBatchCompression(kgo.ZstdCompression()))
	rnd := rand.New(rand.NewPCG(1, 2))
	for id := range partitions * each {
		text := strings.Replace(kafkaLine(200+id%3, rnd.IntN(1<<30)), "cart", fmt.Sprintf("%016x%016x", rnd.Uint64(), rnd.Uint64()), 1) // lines differ, as those of a proxy do
		k.Produce(t.Context(), &kgo.Record{Topic: "wide", Partition: int32(id % partitions), Value: []byte(text)}, nil)
	}
	if err := k.Flush(t.Context()); err != nil {
		t.Fatal(err)
	}
	m := l.member(t, "--topic", "wide", "--group", "wide", "--state-dir", t.TempDir())
	most := watchResident(m.cmd.Process.Pid)
	m.shows(fmt.Sprintf(`flagwatch_records_total{kind="access"} %d`, partitions*each))
	m.stop()
	kib := most()
	t.Logf("%d MiB resident at most", kib>>10)
	if kib == 0 || kib > residentLimit {
		t.Errorf("%d MiB resident, want %d at most", kib>>10, residentLimit>>10)
	}
}

// watchResident watches how much memory a process had at most, in KiB, until
// it ends.
func watchResident(pid int) (most func() int) {
	kib, done := 0, make(chan struct{})
	go func() {
		defer close(done)
		for {
			status, err := os.ReadFile(fmt.Sprintf("/proc/%d/status", pid))
			_, rest, ok := strings.Cut(string(status), "VmHWM:")
			if err != nil || !ok {
				return
			}
			n := 0
			fmt.Sscan(rest, &n)
			kib = max(kib, n)
			time.Sleep(5 * time.Millisecond)
		}
	}()
	return func() int {
		<-done
		return kib
	}
}
