//go:build e2e

package e2e

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/twmb/franz-go/pkg/kgo"
)

// The soak: members, partitions, and how long it lasts unless SOAK says so.
const (
	soakMembers    = 3
	soakPartitions = 8
	soakTime       = 60 * time.Second
	soakSession    = 4 * time.Second
)

// A kafkaMember is a flagwatch that reads in a group, with a state of its own
// that its successors take over.
type kafkaMember struct {
	t    *testing.T
	bin  string
	dir  string
	args []string
	cmd  *exec.Cmd
	done chan error
	from int64 // where its log begins in that of its predecessors
}

func (m *kafkaMember) start() {
	m.t.Helper()
	out, err := os.Create(filepath.Join(m.dir, "report.json"))
	if err != nil {
		m.t.Fatal(err)
	}
	defer out.Close()
	log, err := os.OpenFile(filepath.Join(m.dir, "log"), os.O_CREATE|os.O_APPEND|os.O_WRONLY, 0o600)
	if err != nil {
		m.t.Fatal(err)
	}
	defer log.Close()
	info, err := log.Stat()
	if err != nil {
		m.t.Fatal(err)
	}
	m.from = info.Size()
	m.cmd = exec.Command(m.bin, append([]string{"kafka", "--state-dir", filepath.Join(m.dir, "state"), "--listen", "127.0.0.1:0", "-o", "json"}, m.args...)...)
	m.cmd.Stdout, m.cmd.Stderr = out, log
	m.cmd.SysProcAttr = &syscall.SysProcAttr{Pdeathsig: syscall.SIGKILL}
	if err := m.cmd.Start(); err != nil {
		m.t.Fatal(err)
	}
	m.done = make(chan error, 1)
	go func(cmd *exec.Cmd, done chan error) { done <- cmd.Wait() }(m.cmd, m.done)
}

func (m *kafkaMember) kill() {
	m.cmd.Process.Kill()
	<-m.done
}

// ended says whether the process is gone, which a fenced one may be.
func (m *kafkaMember) ended() bool {
	select {
	case err := <-m.done:
		m.done <- err
		return true
	default:
		return false
	}
}

// settle waits until it is a member, and so has found out what became of its
// predecessor's last commit. One that found no broker is started again.
func (m *kafkaMember) settle() {
	m.t.Helper()
	for limit := time.Now().Add(patience); !m.ready(); time.Sleep(100 * time.Millisecond) {
		if m.ended() {
			m.start()
		}
		if time.Now().After(limit) {
			m.t.Fatalf("%s: is no member: %s", m.dir, m.log())
		}
	}
}

func (m *kafkaMember) ready() bool {
	data, _ := os.ReadFile(filepath.Join(m.dir, "log"))
	_, rest, ok := strings.Cut(string(data[min(m.from, int64(len(data))):]), "listening on ")
	addr, _, whole := strings.Cut(rest, "\n")
	if !ok || !whole {
		return false
	}
	r, err := http.Get("http://" + addr + "/readyz")
	if err != nil {
		return false
	}
	r.Body.Close()
	return r.StatusCode == http.StatusOK
}

// stop ends it as Kubernetes does, and returns the report.
func (m *kafkaMember) stop() (report struct {
	Totals struct{ Records, Access uint64 }
}) {
	m.t.Helper()
	m.cmd.Process.Signal(syscall.SIGTERM)
	select {
	case err := <-m.done:
		if err != nil {
			m.t.Errorf("%s: %v: %s", m.dir, err, m.log())
		}
	case <-time.After(patience):
		m.t.Fatalf("%s: does not end: %s", m.dir, m.log())
	}
	data, err := os.ReadFile(filepath.Join(m.dir, "report.json"))
	if err == nil {
		err = json.Unmarshal(data, &report)
	}
	if err != nil {
		m.t.Fatal(err)
	}
	return report
}

func (m *kafkaMember) log() string {
	data, _ := os.ReadFile(filepath.Join(m.dir, "log"))
	return string(data[max(0, len(data)-1500):])
}

// TestKafkaSoak demands that members which are killed, which sleep until they
// have lost their partitions, and whose broker is killed, count every record
// that the log holds exactly once.
func TestKafkaSoak(t *testing.T) {
	libs, ok := needKafka(t)
	if !ok {
		return
	}
	last := soakTime
	if s := os.Getenv("SOAK"); s != "" {
		d, err := time.ParseDuration(s)
		if err != nil {
			t.Fatal(err)
		}
		last = d
	}
	for _, static := range []bool{false, true} {
		t.Run(fmt.Sprintf("static=%v", static), func(t *testing.T) { soak(t, libs, last/2, static) })
	}
}

func soak(t *testing.T, libs string, last time.Duration, static bool) {
	b := startBroker(t, libs)
	b.createTopic("access", soakPartitions)
	bin, err := buildFlagwatch(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	var members []*kafkaMember
	for i := range soakMembers {
		m := &kafkaMember{t: t, bin: bin, dir: t.TempDir(), args: []string{
			"--brokers", b.addr("PLAINTEXT"), "--topic", "access", "--group", "counters", "--session-timeout", soakSession.String(),
		}}
		if static {
			m.args = append(m.args, "--instance-id", fmt.Sprintf("counter-%d", i))
		}
		m.start()
		defer m.cmd.Process.Kill()
		members = append(members, m)
	}
	ctx, cancel := context.WithTimeout(t.Context(), last)
	defer cancel()
	wrote := make(chan struct{})
	go func() {
		defer close(wrote)
		write(ctx, b.producer(kgo.RecordRetries(100), kgo.UnknownTopicRetries(-1)))
	}()
	disturb(ctx, t, b, members)
	<-wrote
	for _, m := range members {
		m.cmd.Process.Signal(syscall.SIGCONT)
		m.settle()
	}
	total := drained(t, b, members)
	var counted, access uint64
	for _, m := range members {
		r := m.stop()
		counted += r.Totals.Records
		access += r.Totals.Access
	}
	if counted != uint64(total) || access != counted {
		t.Errorf("%d records are counted, %d of them access records; the log holds %d: %+d", counted, access, total, int64(counted)-total)
	}
	t.Logf("%d records", total)
}

// write produces until ctx ends.
func write(ctx context.Context, k *kgo.Client) {
	for id := 0; ctx.Err() == nil; id++ {
		k.Produce(ctx, &kgo.Record{Topic: "access", Partition: int32(id % soakPartitions), Value: []byte(kafkaLine(200, id))}, nil)
		if id%100 == 99 {
			time.Sleep(25 * time.Millisecond)
		}
	}
	flush, cancel := context.WithTimeout(context.Background(), 20*time.Second)
	defer cancel()
	k.Flush(flush)
}

// disturb kills and stops members, and now and then the broker, until ctx ends.
func disturb(ctx context.Context, t *testing.T, b *broker, members []*kafkaMember) {
	kills, naps, crashes := 0, 0, 0
	rnd := rand.New(rand.NewPCG(uint64(time.Now().UnixNano()), 1))
	pause := func(d time.Duration) {
		select {
		case <-ctx.Done():
		case <-time.After(d):
		}
	}
	pause(3 * time.Second)
	for round := 0; ctx.Err() == nil; round++ {
		m := members[rnd.IntN(len(members))]
		switch round % 4 {
		case 0, 2:
			m.kill()
			kills++
			pause(time.Duration(rnd.IntN(1500)) * time.Millisecond)
			m.start()
		case 1:
			m.cmd.Process.Signal(syscall.SIGSTOP)
			naps++
			pause(soakSession + 2*time.Second)
			m.cmd.Process.Signal(syscall.SIGCONT)
			pause(time.Second)
			if m.ended() {
				m.start()
			}
		case 3:
			b.kill()
			crashes++
			pause(time.Duration(rnd.IntN(2000)) * time.Millisecond)
			b.start()
		}
		pause(time.Second + time.Duration(rnd.IntN(1500))*time.Millisecond)
	}
	t.Logf("%d kills, %d naps beyond the session, %d crashes of the broker", kills, naps, crashes)
}

// drained waits until the group has all that the log holds.
func drained(t *testing.T, b *broker, members []*kafkaMember) (total int64) {
	t.Helper()
	var behind bytes.Buffer
	for limit := time.Now().Add(patience); ; time.Sleep(200 * time.Millisecond) {
		ends, err := b.ends("access", soakPartitions)
		if err == nil {
			var have map[int]int64
			if have, err = b.committed("counters", "access", soakPartitions); err == nil {
				total = 0
				behind.Reset()
				for p, end := range ends {
					total += end
					if have[p] != end {
						fmt.Fprintf(&behind, " %d: %d of %d", p, have[p], end)
					}
				}
				if behind.Len() == 0 {
					return total
				}
			}
		}
		if time.Now().After(limit) {
			for _, m := range members {
				t.Log(m.log())
			}
			t.Fatalf("not all is committed: %v %s", err, behind.String())
		}
	}
}
