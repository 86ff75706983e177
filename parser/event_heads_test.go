package parser

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"
)

// behindTime are heads as they stand behind a time, right and wrong ones that
// look alike, each for the layout of Envoy and for that of Istio's programs.
var behindTime = map[string][]string{
	"envoy": {
		"[info][upstream] [source/common/till/edge.cc:84]", "[info][upstream] [source/common/till/edge.cc:85]", "[warning][upstream] [source/common/till/edge.cc:84]", "[info][upstreams] [source/common/till/edge.cc:84]",
		"[critical][main] [source/server/config_validation/server.cc:71]", "[error][envoy_bug] [source/common/common/assert.cc:40]", "[critical][backtrace] [./source/server/backtrace.h:113]", "[debug][http] [source/common/http/till.cc:9]",
		"[info][till ledger] [source/till.cc:3]", "[info][main] source/till.cc:3]", "[info][main]  [source/till.cc:3]", "[info][main]x [source/till.cc:3]", "[info][main] [source/till.go:3]", "[info] [source/till.cc:3]", "[notice][main] [source/till.cc:3]",
		"[info][main] [source/till.cc:3]x", "[info][main] [a] [source/till.cc:3]", "[info][main]\t[source/till.cc:3]", "[info][main]", "[info][main] [source/" + strings.Repeat("till/", 30) + "edge.cc:3]",
	},
	"istio": {
		"info\tads", "info\txdsproxy", "error\tads", "warn\tca", "info\tledger", "info\tztunnel::till", "info\taccess", "error\tenvoy main external/envoy/source/server/config_validation/server.cc:71", "debug\tenvoy http external/envoy/source/till.cc:9",
		"info\tenvoy upstream external/envoy/source/common/till/edge.cc:84", "warning\tenvoy upstream external/envoy/source/common/till/edge.cc:84", "info\tenvoy upstream", "info\tenvoy upstream\texternal/envoy/source/till.cc:3", "critical\tenvoy backtrace external/envoy/source/server/backtrace.h:113",
		"info\tenvoy till@edge external/envoy/source/till.cc:3", "info\tenvoy upstream till.go:3", "info ads", "info ads\tledger", "info\t\tads", "info\tads  ledger", "INFO\tads", "INFO ztunnel::till: edge", "Info\tads", "ads\tinfo", "info", "info\tpod=till", "info\tads:", "envoy upstream till.cc:3\tx",
		"info\t" + strings.Repeat("ledger", 30),
	},
}

// rests are what follows them: what a head means may depend on it.
var rests = []string{
	"all is well", "", " ", "pod=till is well", "CNI till", "istio-cni of till", "iptables of till", "[source/till.cc:3] all is well", "source/till.cc:3] all is well", "source/till.cc:3 all is well", "till.cc:3\tall is well", "[till] all is well",
	"all is well\tthread=17", "all is well\tthread=", "all\tis\twell", "#0: till [0x7f6be7810520]", "Sending local reply with details till_denied", "connection complete src.addr=10.9.7.5:3", " two blanks", "all is well ", "ztunnel::till: all is well", "trailing\xc3\xa9",
}

var eventTimes = map[string][]string{
	"envoy": {"[2026-03-15 03:58:10.105][77]", "[2026-03-15 03:58:10.106][7]", "[2026-03-15 03:58:10.1][7]", "[2026-03-15 03:58:10.105123][7]", "[2026-03-15 03:58:10.105][x]", "[2026-03-15 03:58:60.105][7]", "[2026-03-15 0x:58:10.105][7]", "[2026-03-15 03:58:10,105][7]"},
	"istio": {"2026-03-15T03:58:10.105202Z\t", "2026-03-15T03:58:10.105203Z\t", "2026-03-15T03:58:10.1052x3Z\t", "2026-03-15 03:58:10.105203Z\t", "2026-03-15T03:5x:10.105203Z\t"},
}

// A head that was met before is read as if it were met for the first time,
// whatever stands in front of it and behind it.
func TestHeadsAreKnownAgain(t *testing.T) {
	rng := rand.New(rand.NewPCG(3, 9))
	pick := func(list []string) string { return list[rng.IntN(len(list))] }
	for range 40 {
		var data []byte
		for range 400 {
			layout := []string{"envoy", "istio"}[rng.IntN(2)]
			times, sep := eventTimes[layout], " "
			if layout == "istio" {
				sep = "\t"
			}
			time := times[0]
			if rng.IntN(4) == 0 {
				time = pick(times)
			}
			line := time + pick(behindTime[layout]) + sep + pick(rests)
			if rng.IntN(8) == 0 {
				line = "2026-03-02T09:14:07.482113042Z stderr F " + line
			}
			data = fmt.Appendln(data, line)
		}
		checkFast(t, data)
	}
}

// Usual heads are remembered, or nothing is won.
func TestUsualHeadsAreRemembered(t *testing.T) {
	for _, line := range []string{
		"[2026-03-15 03:58:10.105][77][info][upstream] [source/common/till/edge.cc:84] all is well",
		"2026-03-15T03:58:10.105202Z\tinfo\tenvoy upstream external/envoy/source/common/till/edge.cc:84\tall is well\tthread=17",
		"2026-03-15T03:58:10.105202Z\tinfo\tenvoy upstream\tall is well", "2026-03-15T03:58:10.105202Z\tinfo\tads\tall is well", "2026-03-15T03:58:10.105202Z\tinfo\tledger\tall is well",
	} {
		var heads eventHeads
		var e event
		if ok, _ := heads.recognise([]byte(line), &e); !ok {
			t.Errorf("%s: not recognised", line)
		}
		n := 0
		for i := range heads {
			if heads[i].kind != noHead {
				n++
			}
		}
		if n != 1 {
			t.Errorf("%s: %d heads", line, n)
		}
	}
}

// Heads that take turns in one slot cost no allocation.
func TestHeadsAllocateNothing(t *testing.T) {
	var data []byte
	for i := range 4 * headSlots {
		data = fmt.Appendf(data, "[2026-03-15 03:58:10.105][77][info][upstream] [source/common/till/edge.cc:%d] all is well\n2026-03-15T03:58:10.105202Z\tinfo\tledger%d\tall is well\nI0315 03:58:10.105202       1 edge.go:%d] all is well\n", i, i, i)
	}
	p, b := NewParser(AllFields), block(data)
	if n := testing.AllocsPerRun(5, func() { readAll(p, b) }); n > 0 {
		t.Errorf("%v allocations", n)
	}
}
