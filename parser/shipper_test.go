package parser

import (
	"bytes"
	"os"
	"slices"
	"strings"
	"testing"
)

// Shippers say where a line is from: the record has it as its place.
func TestShippedPlace(t *testing.T) {
	const all = "bank/teller-5d9/istio-proxy"
	for name, want := range map[string]string{
		"fluent-bit": all, "filebeat": all, "vector": all, "stackdriver": all, "loki": all, "otlp": "bank/teller-5d9/", "journal-json": "//", "cloudwatch": "//",
		"merged-json": "bank/teller-5d9/", "syslog": "//", "compose": "//gateway-1",
	} {
		data, err := os.ReadFile("../testdata/logs/envelopes/" + name + ".log")
		if err != nil {
			t.Fatal(err)
		}
		first, _, _ := bytes.Cut(data, []byte{'\n'})
		at := account(t, first, AllFields)[0].Place()
		if got := string(at.Namespace) + "/" + string(at.Pod) + "/" + string(at.Container); got != want {
			t.Errorf("%s: %s, want %s", name, got, want)
		}
	}
}

// The path of a container's log tells the place where nothing else does.
func TestPlaceOf(t *testing.T) {
	for path, want := range map[string]string{
		"/var/log/containers/teller-5d9_bank_istio-proxy-0a1b2c.log":     "bank/teller-5d9/istio-proxy",
		"kube.var.log.containers.teller-5d9_bank_istio-proxy-0a1b2c.log": "bank/teller-5d9/istio-proxy",
		"/var/log/pods/bank_teller-5d9_7f0e/istio-proxy/0.log":           "bank/teller-5d9/istio-proxy",
		"/var/log/messages": "//", "/var/log/containers/": "//", "log/pods/": "//", "log": "//", "": "//",
	} {
		at := placeOf([]byte(path))
		if got := string(at.Namespace) + "/" + string(at.Pod) + "/" + string(at.Container); got != want {
			t.Errorf("%s: %s, want %s", path, got, want)
		}
	}
}

// A name alone in front of a record or an event is the container's where it is
// one that a mesh has in many pods, else, in front of an event, the pod's.
func TestPlaceOfOneName(t *testing.T) {
	const (
		logged = "2026-03-02T09:14:07.482113Z\tinfo\tEnvoy proxy is ready"
		envoy  = "[2026-03-02 09:14:07.482][12][info][main] exiting"
	)
	events := map[string]Kind{logged: Event, envoy: Event}
	records := map[string]Kind{
		dialects[0].Example(): Access,
		`{"level":"info","msg":"x","scope":"ads","time":"2026-03-02T09:14:07.482113Z"}`: Event,
		"2026-03-02T09:14:07.482113999Z " + envoy:                                       Event,
	}
	for name, place := range map[string]string{
		"istio-proxy": "//istio-proxy", "istio-init": "//istio-init", "istio-validation": "//istio-validation", "install-cni": "//install-cni",
		"envoy": "//envoy", "discovery": "//discovery", "ztunnel": "//ztunnel", "gateway-proxy": "//gateway-proxy", "kgateway-proxy": "//kgateway-proxy",
		"ztunnel-x7k2p": "/ztunnel-x7k2p/", "istio-proxy-0": "/istio-proxy-0/", "envoy-6d9-x": "/envoy-6d9-x/", "till-0": "/till-0/",
		"till-0 istio-proxy": "/till-0/istio-proxy", "bank till-0 istio-proxy": "bank/till-0/istio-proxy", "envoy till-0 envoy": "envoy/till-0/envoy",
	} {
		check := func(line string, want Kind) {
			all := account(t, []byte(name+" "+line+"\n"), AllFields)
			at, wraps := all[0].Place(), all[0].Envelopes()
			if got := string(at.Namespace) + "/" + string(at.Pod) + "/" + string(at.Container); len(all) != 1 || all[0].Kind != want || got != place || len(wraps) == 0 || wraps[0] != Stern {
				t.Errorf("%v in %v of %s, want one of kind %v in stern of %s: %s %s", all[0].Kind, wraps, got, want, place, name, line)
			}
		}
		for line, want := range events {
			check(line, want)
		}
		if strings.HasPrefix(place, "//") || strings.Contains(name, " ") {
			for line, want := range records {
				check(line, want)
			}
		}
	}
	for _, line := range []string{"envoy is ready", "discovery: 2026-03-02T09:14:07.482113Z", "ztunnel\t" + envoy + "x", "envoy", "envoy ", "istio-init done"} {
		if r := account(t, []byte(line+"\n"), AllFields)[0]; slices.Contains(r.Envelopes(), Stern) || r.Place().Container != nil {
			t.Errorf("%v in %v: %s", r.Kind, r.Envelopes(), line)
		}
	}
}

// A record's place is not that of the one before.
func TestPlaceIsForgotten(t *testing.T) {
	for _, d := range dialects {
		if d.ID != "google-csm-traffic-log" {
			continue
		}
		all := account(t, []byte(d.Example()+"\n"+dialects[0].Example()+"\n"), AllFields)
		if string(all[0].Place().Pod) != "frontend-6d9" || all[1].Place().Pod != nil {
			t.Errorf("pods %q and %q", all[0].Place().Pod, all[1].Place().Pod)
		}
	}
}
