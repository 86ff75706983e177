package parser

import (
	"bytes"
	"os"
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
