package kafka

import (
	"errors"
	"strings"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/twmb/franz-go/pkg/kerr"
	"github.com/twmb/franz-go/pkg/kfake"
	"github.com/twmb/franz-go/pkg/kmsg"
)

// A notebook keeps what an operator is told.
type notebook struct {
	mu    sync.Mutex
	lines []string
}

func (n *notebook) say(line string) {
	n.mu.Lock()
	defer n.mu.Unlock()
	n.lines = append(n.lines, line)
}

// with returns the lines with a text in them.
func (n *notebook) with(text string) (list []string) {
	n.mu.Lock()
	defer n.mu.Unlock()
	for _, line := range n.lines {
		if strings.Contains(line, text) {
			list = append(list, line)
		}
	}
	return list
}

// hangUp lets brokers close the connection on a request, a number of times; or
// whenever it comes, if that is negative. It returns how often they did.
func (c *cluster) hangUp(key kmsg.Key, times int) *atomic.Int64 {
	did := new(atomic.Int64)
	c.ControlKey(int16(key), func(kmsg.Request) (kmsg.Response, error, bool) {
		c.KeepControl()
		if did.Load() == int64(times) {
			return nil, nil, false
		}
		did.Add(1)
		return nil, errors.New("hanging up"), true
	})
	return did
}

// TestLeaving demands that a complete run ends well whatever becomes of the
// farewell, that it is tried again, and that it is said in one line when the
// others wait for the partitions.
func TestLeaving(t *testing.T) {
	fault := func(top bool, err *kerr.Error, count int) func(*cluster) {
		return func(c *cluster) {
			c.Fault(kfake.Fault{Keys: []kmsg.Key{kmsg.LeaveGroup}, TopLevel: top, Err: err, Count: count})
		}
	}
	for name, test := range map[string]struct {
		harm     func(*cluster)
		left     bool // the group is empty
		mentions string
	}{
		"as ever":              {func(*cluster) {}, true, ""},
		"hangs up once":        {func(c *cluster) { c.hangUp(kmsg.LeaveGroup, 1) }, true, ""},
		"hangs up thrice":      {func(c *cluster) { c.hangUp(kmsg.LeaveGroup, 3) }, true, ""},
		"hangs up always":      {func(c *cluster) { c.hangUp(kmsg.LeaveGroup, -1) }, false, "the broker hung up"},
		"moves":                {fault(true, kerr.NotCoordinator, 2), true, ""},
		"loads":                {fault(true, kerr.CoordinatorLoadInProgress, 2), true, ""},
		"is not there":         {fault(true, kerr.CoordinatorNotAvailable, -1), false, "Coordinator Not Available"},
		"knows no such member": {fault(false, kerr.UnknownMemberID, -1), false, ""},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			c := newCluster(t, kfake.SeedTopics(1, "access"))
			c.produce("access", 0, lines(200, 0, 20)...)
			var told notebook
			opt := c.options("flagwatch", "access")
			opt.Say = told.say
			m := c.run(opt)
			wait(t, "20 records", func() bool { return recordsOf(m) == 20 })
			test.harm(c)
			if err := m.stop(); err != nil {
				t.Error(err)
			}
			if left := len(c.GroupInfo("flagwatch").Members) == 0; left != test.left {
				t.Errorf("left: %v, want %v", left, test.left)
			}
			said := told.with("could not be left")
			if failed := test.mentions != ""; failed != (len(said) == 1) || failed && (!strings.Contains(said[0], test.mentions) || !strings.Contains(said[0], "for up to 3s")) {
				t.Errorf("%q, want one line with %q", told.lines, test.mentions)
			}
		})
	}
}

// TestHints demands that the first contact asks whether the configuration is
// right when a broker hangs up, that nothing behind it does, and that what
// happens again and again is not said each time.
func TestHints(t *testing.T) {
	c := newCluster(t, kfake.SeedTopics(1, "access"))
	c.hangUp(kmsg.ListOffsets, 1)
	if _, err := Open(t.Context(), c.options("flagwatch", "access"), "p", nil); err == nil || !strings.Contains(err.Error(), "does its listener want TLS or SASL?") {
		t.Errorf("the first contact: %v", err)
	}
	var told notebook
	opt := c.options("flagwatch", "access")
	opt.Say = told.say
	m := c.run(opt)
	c.produce("access", 0, lines(200, 0, 20)...)
	wait(t, "20 records", func() bool { return recordsOf(m) == 20 })
	for _, key := range []kmsg.Key{kmsg.Fetch, kmsg.Heartbeat, kmsg.OffsetCommit, kmsg.OffsetFetch} {
		did := c.hangUp(key, 1)
		c.produce("access", 0, lines(200, 0, 10)...)
		wait(t, key.Name()+" to be hung up on", func() bool { return did.Load() == 1 })
	}
	wait(t, "60 records", func() bool { return recordsOf(m) == 60 })
	if err := m.stop(); err != nil {
		t.Error(err)
	}
	if list := told.with("the broker hung up"); len(list) == 0 || len(told.with("?")) > 0 || len(list) > 4 {
		t.Errorf("%q", told.lines)
	}
}

// TestElection demands that the first contact waits for leaders that are being
// elected.
func TestElection(t *testing.T) {
	c := newCluster(t, kfake.SeedTopics(1, "access"))
	c.produce("access", 0, lines(200, 0, 20)...)
	c.Fault(kfake.Fault{Keys: []kmsg.Key{kmsg.ListOffsets}, Err: kerr.LeaderNotAvailable, Count: 3})
	m := c.run(c.options("flagwatch", "access"))
	wait(t, "20 records", func() bool { return recordsOf(m) == 20 })
	if err := m.stop(); err != nil {
		t.Error(err)
	}
}
