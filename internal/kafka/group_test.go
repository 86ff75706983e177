package kafka

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/twmb/franz-go/pkg/kerr"
	"github.com/twmb/franz-go/pkg/kfake"
	"github.com/twmb/franz-go/pkg/kgo"
	"github.com/twmb/franz-go/pkg/kmsg"
	"github.com/twmb/franz-go/pkg/sasl/scram"
)

// TestGroupErrors (K23) demands that each error that a coordinator may give is
// survived without a record lost or counted twice.
func TestGroupErrors(t *testing.T) {
	for _, test := range []struct {
		key   kmsg.Key
		top   bool
		codes []*kerr.Error
	}{
		{kmsg.JoinGroup, true, []*kerr.Error{kerr.CoordinatorLoadInProgress, kerr.CoordinatorNotAvailable, kerr.NotCoordinator, kerr.UnknownMemberID}},
		{kmsg.SyncGroup, true, []*kerr.Error{kerr.CoordinatorNotAvailable, kerr.NotCoordinator, kerr.UnknownMemberID, kerr.IllegalGeneration, kerr.RebalanceInProgress}},
		{kmsg.Heartbeat, true, []*kerr.Error{kerr.CoordinatorNotAvailable, kerr.NotCoordinator, kerr.UnknownMemberID, kerr.IllegalGeneration, kerr.RebalanceInProgress}},
		{kmsg.OffsetFetch, true, []*kerr.Error{kerr.CoordinatorLoadInProgress, kerr.NotCoordinator}},
		{kmsg.OffsetCommit, false, []*kerr.Error{
			kerr.CoordinatorLoadInProgress, kerr.CoordinatorNotAvailable, kerr.NotCoordinator, kerr.UnknownMemberID, kerr.IllegalGeneration, kerr.RebalanceInProgress,
			kerr.RequestTimedOut, kerr.UnknownTopicOrPartition, kerr.OffsetMetadataTooLarge,
		}},
	} {
		for _, code := range test.codes {
			t.Run(fmt.Sprintf("%s %s", test.key.Name(), code.Message), func(t *testing.T) {
				t.Parallel()
				c := newCluster(t, kfake.SeedTopics(2, "access"))
				opt := c.options("flagwatch", "access")
				m := c.run(opt)
				c.produce("access", 0, lines(200, 0, 50)...)
				wait(t, "50 records", func() bool { return recordsOf(m) == 50 })
				c.Fault(kfake.Fault{Keys: []kmsg.Key{test.key}, TopLevel: test.top, Err: code, Count: 2})
				if test.key != kmsg.Heartbeat && test.key != kmsg.OffsetCommit {
					nudge(m.reader.again)
				}
				for range 5 {
					c.produce("access", 0, lines(200, 0, 50)...)
					c.produce("access", 1, lines(200, 0, 50)...)
				}
				wait(t, "550 records", func() bool { return recordsOf(m) >= 550 })
				if err := m.stop(); err != nil {
					t.Error(err)
				}
				if n := recordsOf(m); n != 550 {
					t.Errorf("%d records, want 550", n)
				}
			})
		}
	}
}

// TestExpelled (K13) demands that the counts of a member which lost its
// partitions without knowing are refused, and counted by their new owner.
func TestExpelled(t *testing.T) {
	c := newCluster(t, kfake.SeedTopics(2, "access"))
	m := c.run(c.options("flagwatch", "access"))
	c.produce("access", 0, lines(200, 0, 20)...)
	wait(t, "20 records", func() bool { return recordsOf(m) == 20 })
	for round := range 5 {
		info := c.GroupInfo("flagwatch")
		if info == nil || len(info.Members) == 0 {
			t.Fatal("the group has no members")
		}
		req := kmsg.NewPtrLeaveGroupRequest()
		req.Group = "flagwatch"
		for _, member := range info.Members {
			gone := kmsg.NewLeaveGroupRequestMember()
			gone.MemberID = member.MemberID
			req.Members = append(req.Members, gone)
		}
		c.produce("access", 0, lines(200, 0, 20)...)
		if _, err := req.RequestWith(t.Context(), c.producer()); err != nil {
			t.Fatal(err)
		}
		c.produce("access", 1, lines(200, 0, 20)...)
		wait(t, "the round", func() bool { return recordsOf(m) >= 20+uint64(round+1)*40 })
	}
	if err := m.stop(); err != nil {
		t.Fatal(err)
	}
	if n := recordsOf(m); n != 220 {
		t.Errorf("%d records, want 220", n)
	}
}

// TestStaticRestart (K26) demands that a static member's restart moves no
// partition, and that its old process can not commit any more.
func TestStaticRestart(t *testing.T) {
	c := newCluster(t, kfake.SeedTopics(4, "access"))
	opt := c.options("flagwatch", "access")
	opt.Session = 20 * time.Second
	static := func(id string) *run {
		o := opt
		o.InstanceID = id
		return c.run(o)
	}
	a, b := static("a"), static("b")
	wait(t, "both", func() bool { return a.parts() == 2 && b.parts() == 2 })
	generation := c.GroupInfo("flagwatch").Epoch
	for range 3 {
		if err := a.stop(); err != nil {
			t.Fatal(err)
		}
		a = static("a")
		wait(t, "the restart", func() bool { return a.parts() == 2 })
	}
	if now := c.GroupInfo("flagwatch").Epoch; now != generation {
		t.Errorf("generation %d became %d", generation, now)
	}
	second := static("a")
	select {
	case err := <-a.done:
		if !errors.Is(err, errFatal) || !strings.Contains(err.Error(), "instance id a") {
			t.Errorf("the old process ended with %v", err)
		}
	case <-time.After(busy * 15 * time.Second):
		t.Error("the old process goes on")
	}
	c.produce("access", 0, lines(200, 0, 10)...)
	c.produce("access", 1, lines(200, 0, 10)...)
	wait(t, "20 records", func() bool { return recordsOf(second, b) == 20 })
}

// TestManyPartitions (K25) demands that a thousand partitions are dealt out in
// time, and with few goroutines.
func TestManyPartitions(t *testing.T) {
	c := newCluster(t, kfake.NumBrokers(3), kfake.SeedTopics(1000, "access"))
	begin := time.Now()
	var runs []*run
	for range 3 {
		runs = append(runs, c.run(c.options("flagwatch", "access")))
	}
	wait(t, "all partitions", func() bool {
		return runs[0].parts()+runs[1].parts()+runs[2].parts() == 1000 && runs[0].parts() > 300 && runs[1].parts() > 300
	})
	if d := time.Since(begin); d > busy*10*time.Second {
		t.Errorf("it took %v", d)
	}
	for p := int32(0); p < 1000; p += 50 {
		c.produce("access", p, line(200, "-", 1))
	}
	wait(t, "20 records", func() bool { return recordsOf(runs...) == 20 })
}

// TestStopIsQuick (K27) demands that the end commits what was counted, within
// five seconds.
func TestStopIsQuick(t *testing.T) {
	c := newCluster(t, kfake.SeedTopics(2, "access"))
	m := c.run(c.options("flagwatch", "access"))
	for range 20 {
		c.produce("access", 0, lines(200, 0, 200)...)
	}
	wait(t, "some records", func() bool { return recordsOf(m) > 0 })
	begin := time.Now()
	if err := m.stop(); err != nil {
		t.Fatal(err)
	}
	if d := time.Since(begin); d > busy*5*time.Second {
		t.Errorf("it took %v", d)
	}
	if members := c.GroupInfo("flagwatch").Members; len(members) != 0 {
		t.Errorf("%d members are left behind", len(members))
	}
	again := c.run(c.options("flagwatch", "access"))
	wait(t, "the rest", func() bool { return recordsOf(m, again) >= 4000 })
	if n := recordsOf(m, again); n != 4000 {
		t.Errorf("%d records, want 4000", n)
	}
}

// secret writes a password file.
func secret(t *testing.T, password string) string {
	path := filepath.Join(t.TempDir(), "password")
	if err := os.WriteFile(path, []byte(password+"\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	return path
}

// TestLogin (K09, K29) demands that a login works, that a wrong one and a
// missing right are said in words, and that no password is.
func TestLogin(t *testing.T) {
	may := func(kind kmsg.ACLResourceType, name string) kfake.ACL {
		return kfake.ACL{Resource: kind, Name: name, Pattern: kmsg.ACLResourcePatternTypeLiteral, Operation: kmsg.ACLOperationRead, Allow: true}
	}
	all := []kfake.ACL{may(kmsg.ACLResourceTypeTopic, "access"), may(kmsg.ACLResourceTypeGroup, "flagwatch")}
	c := newCluster(t, kfake.SeedTopics(1, "access"), kfake.EnableSASL(), kfake.EnableACLs(), kfake.Superuser("SCRAM-SHA-512", "root", "toor"),
		kfake.User("SCRAM-SHA-256", "both", "pass-1234", all...), kfake.User("PLAIN", "plain", "pass-1234", all...),
		kfake.User("SCRAM-SHA-256", "no-topic", "pass-1234", all[1]), kfake.User("SCRAM-SHA-256", "no-group", "pass-1234", all[0]))
	k, err := kgo.NewClient(kgo.SeedBrokers(c.addrs...), kgo.RecordPartitioner(kgo.ManualPartitioner()), kgo.SASL(scram.Auth{User: "root", Pass: "toor"}.AsSha512Mechanism()))
	if err != nil {
		t.Fatal(err)
	}
	c.client = k
	c.produce("access", 0, lines(200, 0, 5)...)
	for _, test := range []struct {
		name string
		s    Security
		want string
	}{
		{"scram", Security{SASL: "scram-sha-256", User: "both", PasswordFile: secret(t, "pass-1234")}, ""},
		{"plain", Security{SASL: "plain", User: "plain", PasswordFile: secret(t, "pass-1234"), ClearPlain: true}, ""},
		{"plain in the clear", Security{SASL: "plain", User: "plain", PasswordFile: secret(t, "pass-1234")}, "in the clear"},
		{"wrong password", Security{SASL: "scram-sha-256", User: "both", PasswordFile: secret(t, "guess-9876")}, "is the password right"},
		{"no password", Security{SASL: "scram-sha-256", User: "both"}, "a file with the password"},
		{"no such file", Security{SASL: "scram-sha-256", User: "both", PasswordFile: "/nonexistent/password"}, "/nonexistent/password"},
		{"no login", Security{}, "SASL"},
		{"no right on the topic", Security{SASL: "scram-sha-256", User: "no-topic", PasswordFile: secret(t, "pass-1234")}, "topic access: not allowed"},
		{"no right on the group", Security{SASL: "scram-sha-256", User: "no-group", PasswordFile: secret(t, "pass-1234")}, "READ on group flagwatch"},
	} {
		t.Run(test.name, func(t *testing.T) {
			opt := c.options("flagwatch", "access")
			err := test.s.Apply(&opt)
			if err == nil {
				begin := time.Now()
				var r *Reader
				if r, err = Open(t.Context(), opt, "p", nil); err == nil {
					r.Close()
				}
				if d := time.Since(begin); d > busy*5*time.Second {
					t.Errorf("it took %v", d)
				}
			}
			switch {
			case test.want == "" && err != nil:
				t.Error(err)
			case test.want != "" && (err == nil || !strings.Contains(err.Error(), test.want)):
				t.Errorf("%v, want %q", err, test.want)
			}
			if text := fmt.Sprintf("%v %+v", err, opt.SASL); strings.Contains(text, "pass-1234") || strings.Contains(text, "guess-9876") {
				t.Errorf("the password is in %q", text)
			}
		})
	}
}
