package main

import (
	"io"
	"runtime"
	"strings"

	"github.com/flagwatch/flagwatch/internal/exposed"
	"github.com/flagwatch/flagwatch/sinks"
)

// writeProm writes metrics. A report of a run that ends has no time of its own.
func writeProm(w io.Writer, r *sinks.Report, _ sinks.TextOptions) error {
	return r.WriteMetrics(w, sinks.MetricOptions{Version: moduleVersion(), GoVersion: runtime.Version(), GOOS: runtime.GOOS, GOARCH: runtime.GOARCH})
}

func metricTable() table {
	list := exposed.Metrics()
	t := table{head: []string{"METRIC", "TYPE", "LABELS", "MEANING"}, json: list}
	for _, m := range list {
		t.rows = append(t.rows, []string{m.Name, m.Type, strings.Join(m.Labels, ","), m.Help})
	}
	return t
}
