package sinks

import (
	"fmt"
	"strings"
	"testing"
)

// by is a record of a client.
func by(a access, address, agent string) string {
	return strings.NewReplacer("10.42.1.7:51000", address+":51000", "curl/8.9.1", agent).Replace(a.String())
}

// Clients of failed requests are counted, with their user agents; others are
// not.
func TestClients(t *testing.T) {
	text := by(access{}, "10.9.9.9", "fine/1.0") + strings.Repeat(by(refused(""), "10.42.7.1", "shop-ios/5.2"), 3) + by(refused(""), "[2001:db8::7]", "-")
	c := reportOf(text).Clients
	if c == nil {
		t.Fatal("no clients")
	}
	got := ""
	for _, list := range [][]ValueCount{c.Addresses, c.UserAgents} {
		for _, v := range list {
			got += fmt.Sprint(v.Value, " ", v.Count, " ", v.Excess, " ", v.First.Format("15:04"), "\n")
		}
	}
	if want := "10.42.7.1 3 0 10:00\n[2001:db8::7] 1 0 10:00\nshop-ios/5.2 3 0 10:00\n"; got != want {
		t.Errorf("got\n%swant\n%s", got, want)
	}
}

// However many clients there are, few are kept, and the frequent ones are among
// them with bounds that hold.
func TestClientsAreBounded(t *testing.T) {
	var b strings.Builder
	for i := range 5000 {
		b.WriteString(by(refused(""), fmt.Sprintf("10.1.%d.%d", i>>8, i&255), fmt.Sprintf("scanner/%d", i)))
		if i%5 == 0 {
			b.WriteString(by(refused(""), "10.42.7.1", "shop-ios/5.2"))
		}
	}
	c := reportOf(b.String()).Clients
	for _, list := range [][]ValueCount{c.Addresses, c.UserAgents} {
		if len(list) == 0 || len(list) > maxHosts {
			t.Fatalf("%d values", len(list))
		}
		if v := list[0]; v.Value != "10.42.7.1" && v.Value != "shop-ios/5.2" || v.Count < 1000 || v.Count-v.Excess > 1000 {
			t.Errorf("%+v", v)
		}
	}
}

// A redacted report gives a client one number wherever it is named, and its
// snapshot knows no address and no token.
func TestRedactedClients(t *testing.T) {
	left := access{code: "0", flags: "DC", details: "downstream_remote_disconnect"}
	r := reportOf(strings.Repeat(by(refused(""), "203.0.113.77", "app token=hunter2"), 30) + strings.Repeat(by(left, "203.0.113.99", "a 203.0.113.5"), 25) + strings.Repeat(by(left, "[2001:db8::99]", "b"), 25))
	red := r.Redact()
	red.AttachSnapshot()
	if got := fmt.Sprint(red.Clients.Addresses[0].Value, " ", red.Clients.Addresses[1].Value, " ", red.Clients.Addresses[2].Value); got != "client-1 client-2 client-3" {
		t.Errorf("clients %s", got)
	}
	for _, c := range red.Causes {
		for _, v := range c.Clients {
			if v.Value != "client-2" && v.Value != "client-3" {
				t.Errorf("%s: %s", c.ID, v.Value)
			}
		}
	}
	s, err := red.RestoreSnapshot(nil)
	if err != nil {
		t.Fatal(err)
	}
	for name, report := range map[string]*Report{"report": red, "snapshot": s.Report()} {
		for format, out := range allFormats(t, report) {
			for _, secret := range []string{"203.0.113.77", "203.0.113.99", "203.0.113.5", "2001:db8::99", "hunter2"} {
				if strings.Contains(out, secret) {
					t.Errorf("%s, %s: has %s", name, format, secret)
				}
			}
		}
		if report.Clients == nil || len(report.Clients.UserAgents) != 3 {
			t.Errorf("%s: %+v", name, report.Clients)
		}
	}
	if r.Clients.Addresses[0].Value != "203.0.113.77" {
		t.Errorf("the report itself was changed: %+v", r.Clients.Addresses)
	}
}

// Counting a client costs no allocation.
func TestClientsAllocateNothing(t *testing.T) {
	d := NewDelta()
	text := by(refused(""), "10.42.7.1", "shop-ios/5.2")
	countBlock(d, Origin{Input: "a"}, text)
	records := cloneAll([]byte(text))
	verdict := catalogue().Classify(records[0])
	from := Origin{Input: "a"}
	if n := testing.AllocsPerRun(100, func() { d.Add(&from, records[0], verdict) }); n != 0 {
		t.Errorf("%v allocations", n)
	}
}

// A command needs a pod's address; a client from outside goes by its number.
func TestRedactedCommands(t *testing.T) {
	c := Card{
		Clients: []ValueCount{{Value: "10.42.3.9", Count: 9}, {Value: "203.0.113.7", Count: 4}, {Value: "fd00::7", Count: 2}},
		Next:    []string{"status.podIP=10.42.3.9", "whois 203.0.113.7", "status.podIP=fd00::7"}, Evidence: []Evidence{{Text: "all from 10.42.3.9"}},
	}
	r := Report{Causes: []Card{c}}
	clean := r.Redact().Causes[0]
	if got := strings.Join(clean.Next, ", "); got != "status.podIP=10.42.3.9, whois <client-2>, status.podIP=fd00::7" {
		t.Errorf("next: %s", got)
	}
	if clean.Evidence[0].Text != "all from client-1" || clean.Clients[0].Value != "client-1" {
		t.Errorf("%+v", clean)
	}
}
