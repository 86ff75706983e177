package monitoring

import "time"

// selfAlerts are those of flagwatch itself, whatever it reads.
func selfAlerts() []alert { return append(agentAlerts(), kafkaAlerts()...) }

// agentAlerts tell of flagwatch itself: that its counts may be less than the
// truth, or late.
func agentAlerts() []alert {
	const of = "sum by (job, instance) "
	at := "{{ $labels.instance }}"
	return []alert{
		{name: "FlagwatchAbsent", severity: warning, lasts: 10 * time.Minute,
			expr: "absent(flagwatch_build_info)", when: "Prometheus scrapes no flagwatch for 10m.",
			summary: "No flagwatch is scraped.", meaning: "Nobody counts failures, so no alert of the mesh can fire.",
			steps: []string{"kubectl get pods -A -l app.kubernetes.io/name=flagwatch -o wide", "kubectl get podmonitors -A"}},
		{name: "FlagwatchBytesLost", severity: warning,
			expr:    "sum by (job, instance, reason) (increase(flagwatch_lost_bytes_total[15m])) > 0",
			when:    "Any byte within 15m.",
			summary: "{{ $value | humanize1024 }}B of logs on " + at + " were never read: {{ $labels.reason }}.",
			meaning: "Logs were rotated, truncated or deleted faster than they were read, or before the agent came back. Counts are too low by what was in them.",
			steps:   []string{"curl -s http://AGENT:9469/metrics | grep -e lost_bytes -e input_lag", "kubectl get pods -A -o wide --field-selector spec.nodeName=NODE"}},
		{name: "FlagwatchBehind", severity: warning, lasts: 10 * time.Minute,
			expr: "flagwatch_input_lag_seconds > 300\nand\nchanges(flagwatch_input_last_record_timestamp_seconds[5m]) > 0",
			when: "The latest record of an input is older than 5m although records come, for 10m. An input where nothing happens has a lag, too, and is left alone.",

			summary: "Input {{ $labels.input }} on " + at + " is {{ $value | humanizeDuration }} behind.",
			meaning: "The agent reads more slowly than logs are written, or it catches up after a stop.",
			steps:   []string{"curl -s http://AGENT:9469/metrics | grep -e input_ -e process_cpu -e log_bytes", "kubectl top pod -n NAMESPACE POD"}},
		{name: "FlagwatchStateStale", severity: warning, lasts: 5 * time.Minute,
			expr: "flagwatch_state_age_seconds > 60", when: "What is shown is older than 60 s for 5m while there is more to write.",
			summary: "Counts of " + at + " stand still for {{ $value | humanizeDuration }}: the state is not written.",
			meaning: "The agent shows what is durable only. Its state directory is full, read only, slow or gone.",
			steps:   []string{"kubectl logs -n NAMESPACE POD | grep 'state can not be written'", "kubectl exec -n NAMESPACE POD -- /flagwatch agent state --state-dir /var/lib/flagwatch"}},
		{name: "FlagwatchSeriesLimited", severity: info,
			expr: "sum by (job, instance, metric) (increase(flagwatch_series_limited_total[1h])) > 0", when: "Any count within 1h.",
			summary: "{{ $labels.metric }} on " + at + " has too many series: workloads are counted as other.",
			meaning: "Sums are right, but the workloads that came last have no series of their own.",
			steps:   []string{"curl -s http://AGENT:9469/metrics | grep series_limited", "flagwatch agent --max-series 5000"}},
		{name: "FlagwatchInvalidRecords", severity: warning, lasts: 15 * time.Minute,
			expr: of + "(rate(flagwatch_records_total{kind=\"invalid\"}[15m]))\n  / " + of + "(rate(flagwatch_records_total[15m])) > 0.01\nand\n" +
				of + "(increase(flagwatch_records_total{kind=\"invalid\"}[15m])) >= 50",
			when:    "More than 1 % of the records within 15m, and at least 50, for 15m.",
			summary: percentage + " of the records on " + at + " can not be read.",
			meaning: "Proxies write a layout that flagwatch does not know, or something writes between their lines. What can not be read is not counted by cause.",
			steps:   []string{"curl -s http://AGENT:9469/metrics | grep invalid_total", "kubectl logs -n NAMESPACE POD -c istio-proxy --tail=1000 | flagwatch parse | grep '\"kind\":\"invalid\"' | head"}},
	}
}

// kafkaAlerts tell of members of a group that read Kafka.
func kafkaAlerts() []alert {
	at := "{{ $labels.instance }}"
	return []alert{
		{name: "FlagwatchKafkaDown", severity: warning, lasts: 5 * time.Minute,
			expr: "flagwatch_kafka_up == 0", when: "A member is not in its group, or has trouble, for 5m.",
			summary: at + " does not read Kafka.", meaning: "The brokers are not reached, refuse the member, or rebalance without end. Other members may have its partitions.",
			steps: []string{"curl -s http://MEMBER:9469/readyz", "kubectl logs -n NAMESPACE POD --tail=50"}},
		{name: "FlagwatchKafkaOffsetsLost", severity: warning,
			expr: "sum by (job, instance, reason) (increase(flagwatch_kafka_lost_offsets_total[15m])) > 0", when: "Any offset within 15m.",
			summary: "{{ $value | humanize }} offsets were never read by " + at + ": {{ $labels.reason }}.",
			meaning: "Records went away before they were read, or can not be decoded. Counts are too low by what was in them; docs/kafka.md says what the reasons are.",
			steps:   []string{"curl -s http://MEMBER:9469/metrics | grep -e kafka_lost -e kafka_log_start -e kafka_committed"}},
		{name: "FlagwatchKafkaHalted", severity: warning, lasts: 5 * time.Minute,
			expr: "flagwatch_kafka_halted > 0", when: "A partition stands still for 5m.",
			summary: "Partition {{ $labels.partition }} of {{ $labels.topic }} stands still on " + at + ".",
			meaning: "A batch of the partition can not be decoded, and reading does not go on behind it by itself.",
			steps:   []string{"curl -s http://MEMBER:9469/readyz", "flagwatch kafka --on-poison skip"}},
		{name: "FlagwatchKafkaBehind", severity: warning,
			expr:    "min_over_time(flagwatch_kafka_lag[15m]) > 1000\nand\nflagwatch_kafka_lag > flagwatch_kafka_lag offset 15m",
			when:    "A partition is more than 1000 offsets behind at any moment of 15m, and further than before.",
			summary: "Partition {{ $labels.partition }} of {{ $labels.topic }} is {{ $value | humanize }} offsets behind.",
			meaning: "Members read more slowly than records come. More members, or more partitions, read more.",
			steps:   []string{"curl -s http://MEMBER:9469/metrics | grep -e kafka_lag -e kafka_partitions -e process_cpu"}},
	}
}
