package kafka

import (
	"fmt"
	"io"
	"strconv"
	"strings"
	"time"

	"github.com/flagwatch/flagwatch/sinks"
)

// A metric is one that WriteMetrics writes.
type metric struct {
	Name, Type, Help string
	Labels           []string

	all  func(*Status) []sample
	each func(*PartitionStatus) float64 // by topic and partition
}

type sample struct {
	label string
	value float64
}

func one(v float64) []sample { return []sample{{value: v}} }

func truth(b bool) float64 {
	if b {
		return 1
	}
	return 0
}

// metricList is THE LIST of Kafka's metrics, in the order in which they are
// written.
var metricList = []metric{
	{Name: "flagwatch_kafka_up", Type: "gauge", Help: "Whether the process is a member of its group without trouble.",
		all: func(s *Status) []sample { return one(truth(s.Joined && s.Trouble == "")) }},
	{Name: "flagwatch_kafka_insecure", Type: "gauge", Help: "Whether the brokers' certificates are not verified.",
		all: func(s *Status) []sample { return one(truth(s.Insecure)) }},
	{Name: "flagwatch_kafka_partitions", Type: "gauge", Help: "Partitions that this member owns.",
		all: func(s *Status) []sample { return one(float64(len(s.Partitions))) }},
	{Name: "flagwatch_kafka_rebalances_total", Type: "counter", Help: "Generations of the group that this member took part in.",
		all: func(s *Status) []sample { return one(float64(s.Rebalances)) }},
	{Name: "flagwatch_kafka_commit_rejected_total", Type: "counter", Help: "Commits that the coordinator refused; their counts were dropped, and the partitions' new owner counts them.",
		all: func(s *Status) []sample { return one(float64(s.Rejected)) }},
	{Name: "flagwatch_kafka_control_records_total", Type: "counter", Help: "Markers of transactions, which hold nothing to count.",
		all: func(s *Status) []sample { return one(float64(s.ControlRecords)) }},
	{Name: "flagwatch_kafka_aborted_records_total", Type: "counter", Help: "Records of transactions that were given up; they do not count.",
		all: func(s *Status) []sample { return one(float64(s.Aborted)) }},
	{Name: "flagwatch_kafka_stalls_total", Type: "counter", Help: "Times that all connections were made anew because a partition could not be fetched for long.",
		all: func(s *Status) []sample { return one(float64(s.Stalls)) }},
	{Name: "flagwatch_kafka_lost_offsets_total", Type: "counter", Help: "Offsets that were never read, by reason.", Labels: []string{"reason"},
		all: func(s *Status) (list []sample) {
			for why, n := range s.Lost {
				list = append(list, sample{Loss(why).String(), float64(n)})
			}
			return list
		}},
	{Name: "flagwatch_kafka_next_offset", Type: "gauge", Help: "Offset that is fetched next.", each: func(p *PartitionStatus) float64 { return float64(p.Next) }},
	{Name: "flagwatch_kafka_committed_offset", Type: "gauge", Help: "Offset up to which records count; -1 before the first commit.", each: func(p *PartitionStatus) float64 { return float64(p.Committed) }},
	{Name: "flagwatch_kafka_log_start_offset", Type: "gauge", Help: "First offset that the broker still has.", each: func(p *PartitionStatus) float64 { return float64(p.LogStart) }},
	{Name: "flagwatch_kafka_high_watermark", Type: "gauge", Help: "Offset behind the last record that may be read.", each: func(p *PartitionStatus) float64 { return float64(p.HighWatermark) }},
	{Name: "flagwatch_kafka_lag", Type: "gauge", Help: "Offsets that may be read and do not count yet.", each: func(p *PartitionStatus) float64 { return float64(p.Lag) }},
	{Name: "flagwatch_kafka_halted", Type: "gauge", Help: "Whether the partition stands still because its records can not be decoded.", each: func(p *PartitionStatus) float64 { return truth(p.Halted != "") }},
	{Name: "flagwatch_kafka_last_success_timestamp_seconds", Type: "gauge", Help: "When the partition was last fetched.", each: func(p *PartitionStatus) float64 {
		return float64(p.LastSuccess.UnixNano()/int64(time.Millisecond)) / 1000
	}},
}

// Metrics lists the metrics of Kafka. The caller may change it.
func Metrics() (list []sinks.Metric) {
	for _, m := range metricList {
		if m.each != nil {
			m.Labels = []string{"topic", "partition"}
		}
		list = append(list, sinks.Metric{Name: m.Name, Type: m.Type, Labels: m.Labels, Help: m.Help, Where: "kafka"})
	}
	return list
}

// WriteMetrics writes a status in Prometheus' text format. Names of topics
// hold nothing that needs an escape.
func (s *Status) WriteMetrics(w io.Writer) error {
	var b strings.Builder
	for _, m := range metricList {
		fmt.Fprintf(&b, "# HELP %s %s\n# TYPE %s %s\n", m.Name, m.Help, m.Name, m.Type)
		if m.each != nil {
			for i := range s.Partitions {
				p := &s.Partitions[i]
				fmt.Fprintf(&b, "%s{topic=%q,partition=\"%d\"} %s\n", m.Name, p.Topic, p.Partition, number(m.each(p)))
			}
			continue
		}
		for _, x := range m.all(s) {
			labels := ""
			if len(m.Labels) > 0 {
				labels = fmt.Sprintf("{%s=%q}", m.Labels[0], x.label)
			}
			fmt.Fprintf(&b, "%s%s %s\n", m.Name, labels, number(x.value))
		}
	}
	_, err := io.WriteString(w, b.String())
	return err
}

func number(v float64) string { return strconv.FormatFloat(v, 'f', -1, 64) }
