package sinks

import (
	"strings"
	"unicode/utf8"

	"github.com/flagwatch/flagwatch/internal/safe"
)

// A Metric is one that flagwatch exposes.
type Metric struct {
	Name   string   `json:"name"`
	Type   string   `json:"type"` // counter, gauge or histogram
	Labels []string `json:"labels"`
	Help   string   `json:"help"`
	Where  string   `json:"where,omitempty"` // who exposes it, if not every output of metrics does
}

// workloadLabels are those of a series by workload.
var workloadLabels = []string{"proxy_namespace", "proxy_workload", "direction"}

// metricList is THE LIST of metrics, in the order of the exposition.
var metricList = []Metric{
	{"flagwatch_build_info", "gauge", []string{"version", "goversion", "goos", "goarch"}, "Always 1; the labels say what is running.", ""},
	{"flagwatch_records_total", "counter", []string{"kind"}, "Records read, by kind: access, event, noise or invalid.", ""},
	{"flagwatch_invalid_total", "counter", []string{"reason"}, "Records that could not be read, by reason.", ""},
	{"flagwatch_log_bytes_total", "counter", nil, "Bytes of logs read, decompressed.", ""},
	{"flagwatch_discarded_bytes_total", "counter", []string{"reason"}, "Bytes that were read and are in no record, by reason.", ""},
	{"flagwatch_lost_bytes_total", "counter", []string{"reason"}, "Bytes that are known of and were never read, by reason.", ""},
	{"flagwatch_requests_total", "counter", workloadLabels, "Requests and connections that proxies reported.", ""},
	{"flagwatch_failures_total", "counter", append(workloadLabels[:3:3], "cause", "response_code_class"), "Failed requests, each once, by primary cause.", ""},
	{"flagwatch_response_flags_total", "counter", append(workloadLabels[:3:3], "flag"), "Response flags, each occurrence.", ""},
	{"flagwatch_events_total", "counter", []string{"cause"}, "Records of proxies' and control planes' own logs that have a cause.", ""},
	{"flagwatch_request_duration_seconds", "histogram", []string{"direction", "outcome"}, "Duration of requests, by outcome: ok or failed.", ""},
	{"flagwatch_series_limited_total", "counter", []string{"metric"}, "Counts that went to the series of other, as a metric had too many.", ""},
	{"flagwatch_input_lag_seconds", "gauge", []string{"input"}, "Now minus the start time of the latest record of an input.", "agent"},
	{"flagwatch_input_last_record_timestamp_seconds", "gauge", []string{"input"}, "Start time of the latest record of an input, since 1970.", "agent"},
	{"flagwatch_state_age_seconds", "gauge", nil, "Time since what is shown was made durable, while there is more to write.", "agent"},
}

// Metrics lists the metrics that flagwatch exposes. The caller may change it.
func Metrics() []Metric { return append([]Metric(nil), metricList...) }

// maxLabel is how many bytes a label's value has at most.
const maxLabel = 128

// labelValue makes a value of any text: printable, and not too long. Of a long
// one the end is replaced by a hash, so that two stay two.
func labelValue(s string) string {
	if s == "" {
		return ""
	}
	s = safe.Escape(s)
	if len(s) <= maxLabel {
		return s
	}
	const digits = "0123456789abcdef"
	h := hashID([]byte(s))
	end := maxLabel - 9
	for end > 0 && !utf8.RuneStart(s[end]) {
		end--
	}
	b := []byte(s[:end] + "~")
	for range 8 {
		b = append(b, digits[h&15])
		h >>= 4
	}
	return string(b)
}

// appendLabels appends labels in braces; those without a value are left out.
func appendLabels(dst []byte, names, values []string) []byte {
	first := true
	for i, name := range names {
		if values[i] == "" {
			continue
		}
		dst = append(dst, ",{"[truth(first)])
		first = false
		dst = append(append(dst, name...), `="`...)
		dst = append(dst, labelEscapes.Replace(values[i])...)
		dst = append(dst, '"')
	}
	if !first {
		dst = append(dst, '}')
	}
	return dst
}

func truth(b bool) int {
	if b {
		return 1
	}
	return 0
}

// labelEscapes are those of the text format.
// Source: https://prometheus.io/docs/instrumenting/exposition_formats/
var labelEscapes = strings.NewReplacer(`\`, `\\`, "\n", `\n`, `"`, `\"`)
