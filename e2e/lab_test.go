//go:build e2e

package e2e

import (
	"bytes"
	"encoding/json"
	"flag"
	"fmt"
	"hash/fnv"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"
)

var update = flag.Bool("update", false, "keep the lines of this run under testdata/logs/lab")

// A lab is what all scenarios of a run share.
type lab struct {
	envoy, flagwatch string // executables
	network          int    // second byte of the loopback addresses of this run
	table            *table
}

// TestLab makes every failure with a real Envoy and reads what it logged.
func TestLab(t *testing.T) {
	envoy, ok := needEnvoy(t)
	if !ok {
		return
	}
	bin, err := buildFlagwatch(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	l := &lab{envoy: envoy, flagwatch: bin, network: reserveNetwork(t), table: &table{}}
	t.Cleanup(l.table.print)
	for _, s := range scenarios() {
		t.Run(s.Name, func(t *testing.T) {
			t.Parallel()
			l.run(t, s)
		})
	}
}

// scenarios is the whole list, by side.
func scenarios() []Scenario {
	p := newPKI()
	return slices.Concat(routing(), upstreams(), streams(), upstreamSecure(p), downstreamSecure(p), downstream(), policy(p), grpcCalls(), tcp(p), process(), starts())
}

// networks is how many runs a machine can have at the same time.
const networks = 70

// reserveNetwork finds a 127.N.0.0/16 that no other run uses, and holds it.
// Further tries of a scenario have networks of their own.
func reserveNetwork(t *testing.T) int {
	for n := 40; n < 40+networks; n++ {
		if l, err := net.Listen("tcp", fmt.Sprintf("127.%d.0.1:15999", n)); err == nil {
			t.Cleanup(func() { l.Close() })
			return n
		}
	}
	t.Fatal("no free loopback network")
	return 0
}

// address gives each scenario an address of its own, so that ports are fixed
// and the kept lines do not change from run to run.
func (l *lab) address(name string, try int) string {
	h := fnv.New32a()
	h.Write([]byte(name))
	sum := h.Sum32()
	return fmt.Sprintf("127.%d.%d.%d", l.network+try*networks, sum>>8&0xff, 1+sum%250)
}

// requestID is the same in every run.
func requestID(name string) string {
	h := fnv.New64a()
	h.Write([]byte(name))
	return fmt.Sprintf("%08x-0000-4000-8000-%012x", h.Sum64()>>32, h.Sum64()&0xffffffff)
}

// attempts is how often a failure is made anew when it did not come out as the
// table says: the lab depends on time, and the machine may be busy. What
// flagwatch reads is judged once.
const attempts = 3

func (l *lab) run(t *testing.T, s Scenario) {
	var k *kept
	for try := range attempts {
		k = l.make(t, s, l.address(s.Name, try))
		if len(k.problems) == 0 {
			break
		}
		t.Logf("try %d was not as the table says: %s", try+1, strings.Join(k.problems, "\n"))
	}
	for _, p := range k.problems {
		t.Error(p)
	}
	l.judge(t, k)
	l.judgeLog(t, k)
	if t.Failed() {
		t.Logf("warnings of the envoy of %s:\n%s", s.Name, warnings(k.log, 20))
	}
	if *update && len(k.problems) == 0 {
		k.write(t)
	}
}

// make lets the failure happen once and returns what was logged.
func (l *lab) make(t *testing.T, s Scenario, ip string) *kept {
	t.Helper()
	for _, up := range s.Up {
		if up.Late == 0 {
			startUpstream(t, up, ip)
		}
	}
	config := s.Config
	if config == "" {
		config = s.bootstrap(ip, ".")
	}
	k := &kept{s: s, dir: t.TempDir()}
	e := startEnvoy(t, l.envoy, k.dir, ip, expand(config, "IP", ip), s.Descriptors)
	defer e.stop()
	if !s.NoWait {
		e.ready(t)
	}
	for _, up := range s.Up {
		if up.Late > 0 {
			time.AfterFunc(up.Late, func() { startUpstream(t, up, ip) })
		}
	}
	if s.Client != nil {
		k.act(&session{ip: ip, id: requestID(s.Name), envoy: e})
	}
	k.waitFor(e)
	e.stop()
	k.log = e.log()
	k.access()
	k.events()
	return k
}

// act runs the client; what it could not do is a fault of the lab.
func (k *kept) act(c *session) {
	defer func() {
		if fault := recover(); fault != nil {
			k.problem("client: %v", fault)
		}
	}()
	k.s.Client(c)
}

// waitFor waits until the records and events are there.
func (k *kept) waitFor(e *envoy) {
	poll(10*time.Second, func() bool { return len(readLines(e.dir, truth)) >= len(k.s.Want) })
	for _, ev := range k.s.Events {
		poll(70*time.Second, func() bool { return strings.Contains(e.log(), ev.Text) })
	}
	if k.s.Ends && !e.ended(10*time.Second) {
		k.problem("the process did not end by itself")
	}
}

func readLines(dir, id string) []string {
	data, _ := os.ReadFile(filepath.Join(dir, id+".log"))
	text := strings.TrimSuffix(string(data), "\n")
	if text == "" {
		return nil
	}
	return strings.Split(text, "\n")
}

// parse runs `flagwatch parse` over the lines.
func (l *lab) parse(lines []string, args ...string) ([]record, error) {
	cmd := exec.Command(l.flagwatch, append([]string{"parse"}, args...)...)
	cmd.Stdin = strings.NewReader(strings.Join(lines, "\n") + "\n")
	var out, fault bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &fault
	if err := cmd.Run(); err != nil {
		return nil, fmt.Errorf("flagwatch parse %s: %w: %s", strings.Join(args, " "), err, &fault)
	}
	return decode(out.Bytes())
}

// A record is one JSON object, numbers as written.
type record map[string]any

func decode(lines []byte) ([]record, error) {
	var list []record
	dec := json.NewDecoder(bytes.NewReader(lines))
	dec.UseNumber()
	for dec.More() {
		var r record
		if err := dec.Decode(&r); err != nil {
			return list, err
		}
		list = append(list, r)
	}
	return list, nil
}

// warnings are the last n lines of a log that are not of level info.
func warnings(log string, n int) string {
	lines := slices.DeleteFunc(strings.Split(strings.TrimSpace(log), "\n"), func(l string) bool { return strings.Contains(l, "][info][") })
	return strings.Join(lines[max(0, len(lines)-n):], "\n")
}

func sortedFields(joined string) []string {
	list := strings.Split(joined, ",")
	slices.Sort(list)
	return list
}
