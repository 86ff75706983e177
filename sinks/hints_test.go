package sinks

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"
)

func tcpAt(at, cluster string, received, sent int) string {
	return fmt.Sprintf(`[2026-03-02T%s.000Z] "- - -" 0 - - - "-" %d %d 31 - "-" "-" "-" "-" "203.0.113.8:443" %s 10.42.1.7:40112 203.0.113.8:443 10.42.1.7:51000 - -`+"\n", at, received, sent, cluster)
}

// eachSecond are n times of day, all of which are looked at or not, as it comes.
func eachSecond(n int) []string { return every(0, 1, n) }

func subsetAt(subset string) func(string) string {
	return okAt("outbound|9080|" + subset + "|reviews.shop.svc.cluster.local")
}

func TestFormatWithoutFlags(t *testing.T) {
	without := func(at string) string {
		return fmt.Sprintf(`{"start_time":"2026-03-02T%s.000Z","method":"GET","path":"/reviews/7","protocol":"HTTP/1.1","response_code":503,"duration":3,"upstream_host":"10.42.3.9:9080","upstream_cluster":"%s"}`+"\n", at, reviews)
	}
	ztunnel := `2026-03-02T10:00:09.000000Z	info	access	connection complete	src.addr=10.42.1.7:40112 dst.addr=10.42.3.9:15008 direction="outbound" bytes_sent=96 bytes_recv=4096 duration="31ms"` + "\n"
	for name, test := range map[string]struct {
		text string
		n    uint64
	}{
		"none has them":  {repeat(eachSecond(20), without), 20},
		"some have them": {repeat(eachSecond(5), without) + repeat(eachSecond(20), okAt(reviews)), 5},
		"all have them":  {repeat(eachSecond(20), okAt(reviews)), 0},
		"ztunnel":        {strings.Repeat(ztunnel, 9), 0},
	} {
		r := reportOf(test.text)
		n := uint64(0)
		for _, h := range r.Hints {
			if h.Cause == "log-format-without-flags" {
				n = h.Count
			}
		}
		if n != test.n || r.Totals.Access == 0 {
			t.Errorf("%s: %d records without flags, want %d; %d access records", name, n, test.n, r.Totals.Access)
		}
	}
}

func TestHints(t *testing.T) {
	const external = "outbound|443||api.pay.example"
	short := repeat(eachSecond(20), func(at string) string { return tcpAt(at, external, 517, 143) })
	full := repeat(eachSecond(20), func(at string) string { return tcpAt(at, external, 1900, 6100) })
	app := func(at string) string {
		return placed("cart-1", "cart", "2026-03-02T"+at+"Z ERROR dial tcp 10.96.7.1:8080: connect: connection refused\n")
	}
	proxy := placed("cart-1", "istio-proxy", mainLoop("10:00:00")+notReady("10:00:02", noUpdates)+workers("10:00:03")+isReady("10:00:04"))
	gateway := placed("istio-ingressgateway-5d", "istio-proxy", repeat(eachSecond(120), okAt(reviews)))
	other := placed("cart-1", "istio-proxy", repeat(eachSecond(120), subsetAt("v1")))
	for _, test := range []struct {
		name, text string
		want       []string
	}{
		{"short connections to an external port of TLS", short, []string{"double-tls"}},
		{"TLS that works", full, nil},
		{"some of them are short", full + full + short[:len(short)/4], nil},
		{"inside the mesh", strings.ReplaceAll(short, "api.pay.example", "pay.shop.svc.cluster.local"), nil},
		{"a gateway that calls without the subset", gateway + other, []string{"gateway-route-host"}},
		{"no gateway", strings.ReplaceAll(gateway, "istio-ingressgateway-5d", "web-1") + other, nil},
		{"a gateway that calls by subset", placed("istio-ingressgateway-5d", "istio-proxy", repeat(eachSecond(120), subsetAt("v2"))) + other, nil},
		{"an application that was first", app("10:00:01") + app("10:00:03") + proxy, []string{"app-started-before-proxy"}},
		{"an application that is refused later, too", app("10:00:01") + proxy + app("10:20:00"), nil},
		{"an application that is refused, of another pod", strings.ReplaceAll(app("10:00:01"), "cart-1", "cart-2") + proxy, nil},
		{"all of it as it should be", repeat(eachSecond(40), okAt(reviews)) + proxy, nil},
	} {
		t.Run(test.name, func(t *testing.T) {
			r := reportOf(test.text)
			var got []string
			for _, h := range r.Hints {
				got = append(got, h.Cause)
			}
			if !slices.Equal(got, test.want) {
				t.Errorf("hints %+v, want %v", r.Hints, test.want)
			}
			if r.Totals.Failed > 0 {
				t.Errorf("%d failed: a hint is no failure", r.Totals.Failed)
			}
		})
	}
}

// The probes of a load balancer come as a clock makes them.
func TestProbesBeside(t *testing.T) {
	refused := repeat(every(0, 10, 30), func(at string) string { return listener(at, "10.42.0.1:8443", "-", "-") })
	for name, test := range map[string]struct {
		times []string
		clock bool
	}{
		"every five seconds": {every(0, 5, 60), true},
		"every ten seconds":  {every(0, 10, 30), true},
		"in bursts":          {slices.Concat(every(0, 1, 30), every(2, 9, 12), every(4, 2, 20)), false},
	} {
		r := reportOf(refused + repeat(test.times, okAt(ratings)))
		i := slices.IndexFunc(r.Causes[0].Evidence, func(e Evidence) bool { return e.Kind == besideEvidence })
		if i < 0 || strings.Contains(r.Causes[0].Evidence[i].Text, "constant rate") != test.clock {
			t.Errorf("%s: %+v", name, r.Causes[0].Evidence)
		}
	}
}

func cutAt(at, pod string) string {
	return placed(pod, "istio-proxy", accessAt(at, access{code: "0", flags: "DC", details: "downstream_local_disconnect(purging_socket_that_have_not_progressed_to_connections)", cluster: reviews}))
}

func TestReplacedListeners(t *testing.T) {
	var many, one, late strings.Builder
	for i := range 5 {
		pod := fmt.Sprintf("cart-%d", i)
		many.WriteString(cutAt(every(5, 2, 6)[i], pod))
		late.WriteString(cutAt(every(5, 300, 6)[i], pod))
		one.WriteString(cutAt(every(5, 2, 6)[i], "cart-1"))
	}
	drain := placed("cart-1", "istio-proxy", agentLine("10:04:59", "info", "Agent draining Proxy for termination"))
	for name, test := range map[string]struct{ text, cause, confidence string }{
		"five pods at once":       {many.String(), "config-change-connection-drain", "medium"},
		"one pod that is drained": {drain + one.String(), "drain-cut-connections", "high"},
		"one pod after the other": {late.String(), "drain-cut-connections", ""},
	} {
		r := reportOf(test.text)
		if v := r.Causes[0].Verdict; v.Cause != test.cause || test.confidence != "" && v.Confidence != test.confidence {
			t.Errorf("%s: verdict %s %s, want %s %s", name, v.Cause, v.Confidence, test.cause, test.confidence)
		}
	}
}

func refusedBy(at, host string) string {
	return accessAt(at, access{code: "503", flags: "UF", details: "upstream_reset_before_response_started{remote_connection_failure|delayed_connect_error:_Connection_refused}", host: host, cluster: reviews})
}

func okFrom(at, host string) string { return accessAt(at, access{host: host, cluster: reviews}) }

func TestOneHostOfSeveral(t *testing.T) {
	bad := repeat(eachSecond(30), func(at string) string { return refusedBy(at, "10.42.3.9:9080") })
	good := repeat(eachSecond(120), func(at string) string { return okFrom(at, "10.42.3.10:9080") + okFrom(at, "10.42.3.11:9080") })
	for name, test := range map[string]struct{ text, kind, want string }{
		"one of three":       {bad + good, hostEvidence, "one host of 3: 10.42.3.9:9080 has 30 of 30 failures"},
		"no other":           {bad, hostEvidence, "no other host of its cluster was met"},
		"of another cluster": {bad + repeat(eachSecond(99), okAt(ratings)), hostEvidence, "no other host of its cluster was met"},
		"all refuse": {bad + repeat(eachSecond(30), func(at string) string { return refusedBy(at, "10.42.3.10:9080") }), allHostsEvidence,
			"all 2 hosts of reviews.shop:9080 refuse on port 9080, and no request succeeded:"},
		"all refuse, and are mended": {bad + repeat(eachSecond(30), func(at string) string { return refusedBy(at, "10.42.3.10:9080") }) + repeat(every(30, 5, 40), okAt(reviews)), allHostsEvidence,
			"and no request succeeded up to 10:"},
	} {
		r := reportOf(test.text)
		if !slices.ContainsFunc(r.Causes[0].Evidence, func(e Evidence) bool { return e.Kind == test.kind && strings.Contains(e.Text, test.want) }) {
			t.Errorf("%s: no %q in %+v", name, test.want, r.Causes[0].Evidence)
		}
	}
}

// Commands about the upstream name the upstream's pod, not the pod whose proxy
// wrote the log.
func TestUpstreamPodIsNamed(t *testing.T) {
	client := placed("cart-1", "istio-proxy", repeat(eachSecond(30), func(at string) string { return refusedBy(at, "10.42.3.9:9080") }))
	server := placed("reviews-7", "istio-proxy", repeat(eachSecond(60), func(at string) string { return accessAt(at, access{cluster: inbound, host: "10.42.3.9:8080"}) }))
	next := func(text string) string { return strings.Join(reportOf(text).Causes[0].Next, "\n") }
	if got := next(client + server); !strings.Contains(got, "kubectl describe pod reviews-7 -n shop") {
		t.Errorf("both sides: %s", got)
	}
	if got := next(client); strings.Contains(got, "cart-1") || !strings.Contains(got, "status.podIP=10.42.3.9 | xargs -r -I POD kubectl describe pod POD -n shop") {
		t.Errorf("one side: %s", got)
	}
	strict := placed("reviews-7", "istio-proxy", repeat(eachSecond(30), func(at string) string {
		return listener(at, "10.42.3.9:9080", "-", "TLS_error:|268435612:SSL routines:OPENSSL_internal:HTTP_REQUEST:TLS_error_end")
	}))
	if got := next(strict + server); !strings.Contains(got, "istioctl x describe pod reviews-7 -n <namespace>") || !strings.Contains(got, "status.podIP=10.42.0.7") || strings.Contains(got, "upstream") {
		t.Errorf("refused by the server: %s", got)
	}
}

func TestPlaintextProvedBySidecar(t *testing.T) {
	refused := repeat(eachSecond(30), func(at string) string {
		return listener(at, "10.42.3.9:9080", "-", "TLS_error:|268435612:SSL routines:OPENSSL_internal:HTTP_REQUEST:TLS_error_end")
	})
	served := repeat(eachSecond(60), func(at string) string { return accessAt(at, access{cluster: inbound}) })
	if v := reportOf(placed("reviews-7", "istio-proxy", refused+served)).Causes[0]; v.Verdict.Confidence != "high" || len(v.Rivals) > 0 && v.Rivals[0].ID == "http-to-https-port" {
		t.Errorf("a sidecar: %+v, rivals %+v", v.Verdict, v.Rivals)
	}
	if v := reportOf(placed("gateway-7", "istio-proxy", refused)).Causes[0]; v.Verdict.Confidence == "high" {
		t.Errorf("perhaps a gateway: %+v", v.Verdict)
	}
}

// What a fleet learns does not depend on who counts which record.
func TestFleetsMerge(t *testing.T) {
	var all strings.Builder
	whole := NewDelta()
	for i, at := range eachSecond(400) {
		all.WriteString(okFrom(at, fmt.Sprintf("10.42.3.%d:9080", i%7)) + tcpAt(at, "outbound|443||api.pay.example", 517, 143))
	}
	countBlock(whole, Origin{Input: "log"}, all.String())
	parts := NewSnapshot()
	lines := strings.SplitAfter(all.String(), "\n")
	for n := range 3 {
		d := NewDelta()
		for i := n; i < len(lines); i += 3 {
			countBlock(d, Origin{Input: "log"}, lines[i])
		}
		parts.Merge(d)
	}
	sum := NewSnapshot()
	sum.Merge(whole)
	for _, name := range []string{reviews, "outbound|443||api.pay.example"} {
		a, b := sum.sum.fleet.of(sum.sum.clusters.id([]byte(name))), parts.sum.fleet.of(parts.sum.clusters.id([]byte(name)))
		slices.Sort(a.hosts[:])
		slices.Sort(b.hosts[:])
		if *a != *b {
			t.Errorf("%s: %+v\n%+v", name, a, b)
		}
	}
}

func TestWallTime(t *testing.T) {
	for text, want := range map[string]time.Time{
		"2026-03-02 10:00:01.250 more":   time.Date(2026, 3, 2, 10, 0, 1, 250e6, time.UTC),
		"2026-03-02T10:00:01Z":           time.Date(2026, 3, 2, 10, 0, 1, 0, time.UTC),
		"2026-03-02T10:00:01,125 [main]": time.Date(2026, 3, 2, 10, 0, 1, 125e6, time.UTC),
		"2026-03-02":                     {},
		"2026-13-02T10:00:01Z":           {},
		"x026-03-02T10:00:01Z":           {},
	} {
		at, ok := wallTime([]byte(text))
		if ok != !want.IsZero() || ok && !utc(at).Equal(want) {
			t.Errorf("%s: %v %v", text, utc(at), ok)
		}
	}
}
