package main

import (
	"context"
	"net"
	"os"
	"strconv"
	"strings"
	"testing"

	"github.com/spf13/pflag"
	"github.com/twmb/franz-go/pkg/kfake"
)

// TestKafkaPage demands that docs/kafka.md says something of every option that
// is the command's own.
func TestKafkaPage(t *testing.T) {
	page, err := os.ReadFile("../../docs/kafka.md")
	if err != nil {
		t.Fatal(err)
	}
	own := pflag.NewFlagSet("kafka", pflag.ContinueOnError)
	newKafkaOptions().addKafkaFlags(own)
	own.VisitAll(func(f *pflag.Flag) {
		if !strings.Contains(string(page), "--"+f.Name) {
			t.Errorf("docs/kafka.md says nothing of --%s", f.Name)
		}
	})
}

// TestTeller demands that nothing is said into a report that is redrawn, and
// that it is said afterwards.
func TestTeller(t *testing.T) {
	var out strings.Builder
	told := teller{out: &out}
	told.beside(true)
	told.say("before")
	if got, want := out.String(), eraseLine+"flagwatch: before\n"; got != want {
		t.Errorf("beside progress: %q, want %q", got, want)
	}
	told.beside(false)
	out.Reset()
	told.say("before")
	told.hold()
	for i := range 3 * maxKept {
		told.say(strconv.Itoa(i))
	}
	if got, want := out.String(), "flagwatch: before\n"; got != want {
		t.Errorf("%q, want %q", got, want)
	}
	told.release()
	told.say("after")
	if got := strings.Split(out.String(), "\n"); len(got) != maxKept+3 || got[maxKept] != "flagwatch: 59" || got[maxKept+1] != "flagwatch: after" {
		t.Errorf("%q", got)
	}
}

// TestKafkaEndsEarly demands that a run which is told to end before a broker
// has answered ends as one that has begun does: a member with the report of
// what it has, a bounded reading as an interrupted one.
func TestKafkaEndsEarly(t *testing.T) {
	silent, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer silent.Close()
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	for _, test := range []struct {
		args     []string
		code     int
		out, err string
	}{
		{[]string{"--group", "g", "-o", "json"}, 0, `"kind": "Report"`, ""},
		{[]string{"--until-end", "-o", "json"}, 1, "", "interrupted before anything was read"},
	} {
		var out, errs strings.Builder
		args := append([]string{"kafka", "--brokers", silent.Addr().String(), "--topic", "access"}, test.args...)
		code := run(ctx, args, streams{out: &out, err: &errs, env: func(string) string { return "" }})
		if code != test.code || !strings.Contains(out.String(), test.out) || !strings.Contains(errs.String(), test.err) {
			t.Errorf("%v: exit %d, want %d: %s %s", test.args, code, test.code, out.String(), errs.String())
		}
	}
}

// TestKafkaProgress demands that a bounded reading shows how far it is, where
// that is asked for and without a word.
func TestKafkaProgress(t *testing.T) {
	c, err := kfake.NewCluster(kfake.NumBrokers(1), kfake.SeedTopics(1, "access"))
	if err != nil {
		t.Fatal(err)
	}
	defer c.Close()
	for option, want := range map[string]string{"--progress=always": "reading 1/1", "--progress=auto": "", "--no-progress": ""} {
		var out, errs strings.Builder
		args := []string{"kafka", "--brokers", c.ListenAddrs()[0], "--topic", "access", "--until-end", option}
		run(t.Context(), args, streams{out: &out, err: &errs, env: func(string) string { return "" }})
		if !strings.Contains(errs.String(), want) || want == "" && strings.Contains(errs.String(), "reading") || !strings.Contains(errs.String(), "no messages") {
			t.Errorf("%s: %q", option, errs.String())
		}
	}
}
