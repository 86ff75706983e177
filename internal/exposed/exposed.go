// Package exposed joins the lists of metrics that the commands expose.
package exposed

import (
	"github.com/flagwatch/flagwatch/internal/kafka"
	"github.com/flagwatch/flagwatch/sinks"
)

// Metrics lists every metric under a name of flagwatch's: those of what was
// counted, then those of reading Kafka. The caller may change it.
func Metrics() []sinks.Metric { return append(sinks.Metrics(), kafka.Metrics()...) }
