//go:build e2e && soak

package e2e

import (
	"bytes"
	"compress/gzip"
	"fmt"
	"io"
	"math/rand/v2"
	"net"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"
)

// The soak of the agent: how long it lasts unless SOAK says so, how many pods
// there are at a time, and how often they do something.
const (
	agentSoakTime = 20 * time.Minute
	soakPods      = 60
	soakTick      = 20 * time.Millisecond
	soakKept      = 4 // rotated generations of a log, as the kubelet keeps them
)

// A soakPod is a directory that a kubelet writes to.
type soakPod struct {
	dir     string
	restart int      // of the container
	rotated []string // oldest first
	old     []string // of the container before
	last    time.Time
}

// A soakNode is a directory of pods, of which one or another does something at
// random.
type soakNode struct {
	t      *testing.T
	dir    string
	rnd    *rand.Rand
	pods   []*soakPod
	made   int
	lines  uint64 // written
	counts map[string]int

	asked []asked
	read  time.Time // all that was written by then is shown
}

// An asked is how much was written when the agent was asked what it shows.
type asked struct {
	at    time.Time
	lines uint64
}

// shows notes that the agent shows so many lines.
func (n *soakNode) shows(lines uint64) {
	n.asked = append(n.asked, asked{time.Now(), n.lines})
	for len(n.asked) > 0 && n.asked[0].lines <= lines {
		n.read, n.asked = n.asked[0].at, n.asked[1:]
	}
}

func (n *soakNode) check(err error) {
	n.t.Helper()
	if err != nil {
		n.t.Fatal(err)
	}
}

func (n *soakNode) newPod() *soakPod {
	n.made++
	p := &soakPod{dir: filepath.Join(n.dir, fmt.Sprintf("shop_cart%d-6d5f7c9b8-%05d_0b0e6f0e-0000-4000-8000-%012d", n.made%5, n.made%100000, n.made), "istio-proxy")}
	n.check(os.MkdirAll(p.dir, 0o755))
	return p
}

func (p *soakPod) live() string { return filepath.Join(p.dir, fmt.Sprintf("%d.log", p.restart)) }

func (n *soakNode) append(p *soakPod, lines int) {
	f, err := os.OpenFile(p.live(), os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o640)
	n.check(err)
	defer f.Close()
	var b bytes.Buffer
	for range lines {
		n.lines++
		code, flags := 200, "-"
		if n.lines%10 == 0 {
			code, flags = 503, "UH"
		}
		now := time.Now().UTC()
		fmt.Fprintf(&b, "%s stdout F [%s] \"GET /cart/%d HTTP/1.1\" %d %s via_upstream - \"-\" 0 152 %d 1 \"-\" \"agent/%d\" \"4d2b8a53-2c7f-4e1d-8b68-%012x\" \"cart:7070\" \"192.0.2.%d:7070\" outbound|7070||cart.shop.svc.cluster.local - 198.51.100.7:7070 192.0.2.9:41822 - default\n",
			now.Format("2006-01-02T15:04:05.000000000Z"), now.Format("2006-01-02T15:04:05.000Z"), n.lines, code, flags, n.rnd.IntN(300), n.rnd.IntN(50), n.lines, n.rnd.IntN(20))
	}
	_, err = b.WriteTo(f)
	n.check(err)
	p.last = time.Now()
}

// rotate is the kubelet's: rename, pack the one before, delete the oldest.
func (n *soakNode) rotate(p *soakPod) {
	name := p.live() + time.Now().UTC().Format(".20060102-150405.000000000")
	if os.Rename(p.live(), name) != nil {
		return // nothing was written yet
	}
	if k := len(p.rotated); k > 0 {
		n.pack(p, k-1)
	}
	if p.rotated = append(p.rotated, name); len(p.rotated) > soakKept {
		n.check(os.Remove(p.rotated[0]))
		p.rotated = p.rotated[1:]
	}
}

func (n *soakNode) pack(p *soakPod, i int) {
	name := p.rotated[i]
	data, err := os.ReadFile(name)
	n.check(err)
	tmp, err := os.Create(name + ".tmp")
	n.check(err)
	z := gzip.NewWriter(tmp)
	_, err = z.Write(data)
	n.check(err)
	n.check(z.Close())
	n.check(tmp.Close())
	n.check(os.Rename(name+".tmp", name+".gz"))
	n.check(os.Remove(name))
	p.rotated[i] = name + ".gz"
}

// act is what happens in one tick. A log is rotated no oftener than an agent
// that is held up for seconds can bear, and a pod that goes had been silent for
// a while before what the agent has shown was written.
func (n *soakNode) act() {
	i := n.rnd.IntN(len(n.pods))
	p := n.pods[i]
	quiet := n.read.Sub(p.last)
	switch x := n.rnd.IntN(1000); {
	case x < 20:
		n.rotate(p)
		n.counts["rotations"]++
	case x < 24 && len(p.rotated) > 0 && quiet > time.Second:
		for _, name := range p.old {
			n.check(os.RemoveAll(name))
		}
		p.old, p.rotated = append(p.rotated, p.live()), nil
		p.restart++
		n.counts["restarts"]++
	case x < 30 && quiet > 2*time.Second:
		n.check(os.RemoveAll(filepath.Dir(p.dir)))
		n.pods[i] = n.newPod()
		n.counts["pods gone"]++
	default:
		n.append(p, 1+n.rnd.IntN(60))
	}
}

// A sample is what a process takes at a time.
type sample struct{ at, memory, files float64 }

func sampleOf(t *testing.T, pid int, at time.Duration) sample {
	t.Helper()
	statm, err := os.ReadFile(fmt.Sprintf("/proc/%d/statm", pid))
	if err != nil {
		t.Fatal(err)
	}
	pages, err := strconv.ParseFloat(strings.Fields(string(statm))[1], 64)
	if err != nil {
		t.Fatal(err)
	}
	files, err := os.ReadDir(fmt.Sprintf("/proc/%d/fd", pid))
	if err != nil {
		t.Fatal(err)
	}
	return sample{at.Seconds(), pages * float64(os.Getpagesize()), float64(len(files))}
}

// growth is how much a straight line through samples rises from the first to
// the last, and their mean.
func growth(list []sample, of func(sample) float64) (rise, mean float64) {
	n := float64(len(list))
	var sx, sy, sxx, sxy float64
	for _, s := range list {
		x, y := s.at, of(s)
		sx, sy, sxx, sxy = sx+x, sy+y, sxx+x*x, sxy+x*y
	}
	slope := (n*sxy - sx*sy) / (n*sxx - sx*sx)
	return slope * (list[len(list)-1].at - list[0].at), sy / n
}

var recordsOf = regexp.MustCompile(`(?m)^flagwatch_records_total\{kind="access"\} (\d+)$`)

// shownBy is how many records the agent shows.
func shownBy(addr string) (n uint64, page string) {
	resp, err := http.Get("http://" + addr + "/metrics")
	if err != nil {
		return 0, ""
	}
	defer resp.Body.Close()
	body, _ := io.ReadAll(resp.Body)
	if m := recordsOf.FindSubmatch(body); m != nil {
		n, _ = strconv.ParseUint(string(m[1]), 10, 64)
	}
	return n, string(body)
}

// TestAgentSoak lets an agent follow pods that write, rotate, restart, come and
// go. Its memory and its descriptors stay as they are, no counter goes back, and
// each line is counted once.
func TestAgentSoak(t *testing.T) {
	last := agentSoakTime
	if s := os.Getenv("SOAK"); s != "" {
		var err error
		if last, err = time.ParseDuration(s); err != nil {
			t.Fatal(err)
		}
	}
	bin, err := buildFlagwatch(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	for _, durable := range []bool{true, false} {
		t.Run(fmt.Sprintf("state=%v", durable), func(t *testing.T) {
			t.Parallel()
			soakAgent(t, bin, last, durable)
		})
	}
}

func soakAgent(t *testing.T, bin string, last time.Duration, durable bool) {
	dir := t.TempDir()
	n := &soakNode{t: t, dir: filepath.Join(dir, "pods"), rnd: rand.New(rand.NewPCG(uint64(time.Now().UnixNano()), 2)), counts: map[string]int{}}
	for range soakPods {
		n.pods = append(n.pods, n.newPod())
	}
	l, err := net.Listen("tcp", "127.0.0.1:0")
	n.check(err)
	addr := l.Addr().String()
	n.check(l.Close())
	args := []string{"agent", "--root", n.dir, "--listen", addr, "--max-open-files", "40", n.dir}
	if durable {
		args = append(args, "--state-dir", filepath.Join(dir, "state"))
	}
	agent := exec.Command(bin, args...)
	var errs bytes.Buffer
	agent.Stderr = &errs
	agent.Env = append(os.Environ(), "GOMEMLIMIT=205MiB")
	agent.SysProcAttr = &syscall.SysProcAttr{Pdeathsig: syscall.SIGKILL}
	n.check(agent.Start())
	defer agent.Process.Kill()

	var samples []sample
	var shown uint64
	begin := time.Now()
	for next := begin; time.Since(begin) < last; <-time.After(soakTick) {
		n.act()
		if time.Now().Before(next) {
			continue
		}
		next = time.Now().Add(time.Second)
		samples = append(samples, sampleOf(t, agent.Process.Pid, time.Since(begin)))
		if got, page := shownBy(addr); page != "" {
			if got < shown {
				t.Fatalf("%d records are shown after %d", got, shown)
			}
			shown = got
			n.shows(shown)
		}
	}
	var page string
	for deadline := time.Now().Add(30 * time.Second); shown < n.lines && time.Now().Before(deadline); <-time.After(200 * time.Millisecond) {
		shown, page = shownBy(addr)
	}
	if shown != n.lines {
		t.Errorf("%d records are shown, %d were written\n%s\n%s", shown, n.lines, errs.String(), lossesOf(page))
	}
	n.check(agent.Process.Signal(syscall.SIGTERM))
	if err := agent.Wait(); err != nil {
		t.Errorf("%v: %s", err, errs.String())
	}
	steady := samples[len(samples)/3:]
	memory, mean := growth(steady, func(s sample) float64 { return s.memory })
	files, open := growth(steady, func(s sample) float64 { return s.files })
	t.Logf("%d lines, %v, memory %.1f MiB %+.1f, files %.1f %+.1f", n.lines, n.counts, mean/(1<<20), memory/(1<<20), open, files)
	for i := range 10 {
		_, m := growth(samples[i*len(samples)/10:(i+1)*len(samples)/10], func(s sample) float64 { return s.memory })
		t.Logf("tenth %d: %.1f MiB", i+1, m/(1<<20))
	}
	if memory > 8<<20+mean/10 {
		t.Errorf("memory grew by %.1f MiB around %.1f MiB", memory/(1<<20), mean/(1<<20))
	}
	if files > 5+open/10 {
		t.Errorf("open files grew by %.1f around %.1f", files, open)
	}
}

// lossesOf are the lines of a page that say what was not counted.
func lossesOf(page string) string {
	var b strings.Builder
	for line := range strings.Lines(page) {
		if strings.HasPrefix(line, "flagwatch_lost") || strings.HasPrefix(line, "flagwatch_records") || strings.HasPrefix(line, "flagwatch_discarded") {
			b.WriteString(line)
		}
	}
	return b.String()
}
