package monitoring

// Selections of the series that the reader has chosen.
const (
	agents    = `job=~"$job",instance=~"$instance"`
	workloads = `job=~"$job",proxy_namespace=~"$proxy_namespace",proxy_workload=~"$proxy_workload",direction=~"$direction"`
	causes    = workloads + `,cause=~"$cause"`
)

const (
	meshUID  = "flagwatch-mesh"
	agentUID = "flagwatch-agent"
)

func rate(metric, matchers string) string {
	return "rate(" + metric + "{" + matchers + "}[$__rate_interval])"
}

func meshDashboard() Dashboard {
	d := newDashboard(meshUID, "Mesh failures", "Requests that proxies report as failed, by documented cause. Counted by flagwatch from access logs.")
	d.Links = []Link{{Title: "flagwatch itself", Type: "link", URL: "/d/" + agentUID, KeepTime: true, IncludeVars: true}}
	d.Annotations.List = []Variable{{
		Name: "Alerts", Datasource: prometheus(), Enable: true, IconColor: "red",
		Expr: `ALERTS{alertname=~"Mesh.*",alertstate="firing"}`, TitleFormat: "{{alertname}} {{proxy_workload}}",
	}}
	d.choose("job", "Job", "label_values(flagwatch_build_info, job)")
	d.choose("proxy_namespace", "Namespace", `label_values(flagwatch_requests_total{job=~"$job"}, proxy_namespace)`)
	d.choose("proxy_workload", "Workload", `label_values(flagwatch_requests_total{job=~"$job",proxy_namespace=~"$proxy_namespace"}, proxy_workload)`)
	d.choose("direction", "Direction", `label_values(flagwatch_requests_total{job=~"$job"}, direction)`)
	d.choose("cause", "Cause", `label_values(flagwatch_failures_total{job=~"$job"}, cause)`)

	failures, requests := "sum("+rate("flagwatch_failures_total", causes)+")", "sum("+rate("flagwatch_requests_total", workloads)+")"
	d.row("Now", 5,
		stat(6, "Failed share", "percentunit", "Failed requests of all requests. Red: see below which cause and workload it is.", failures+" / "+requests).warn(0.01, 0.05),
		stat(6, "Failed requests", "reqps", "Failed requests a second, each counted once.", failures),
		stat(6, "Requests", "reqps", "Requests and connections a second that proxies reported.", requests),
		stat(6, "Events with a cause", "short", "Records of proxies' and control planes' own logs that show a fault, within the time shown.",
			`sum(increase(flagwatch_events_total{job=~"$job",cause=~"$cause"}[$__range]))`).warn(1, 100).now(""))
	d.row("Causes", 10,
		stacked(16, "Failed requests by cause", "reqps", "What fails, and since when. A click on a line leads to what is known about the cause.",
			"sum by (cause) ("+rate("flagwatch_failures_total", causes)+") > 0", "{{cause}}").link("About ${__field.labels.cause}", causePage),
		bars(8, "Causes of failed requests", "short", "Failed requests within the time shown.",
			"topk(15, sum by (cause) (increase(flagwatch_failures_total{"+causes+"}[$__range])) > 0)", "{{cause}}").link("About ${__field.labels.cause}", causePage))
	d.row("Events", 8,
		stacked(16, "Events by cause", "short", "Records of proxies' and control planes' own logs that show a fault: rejected configuration, a control plane that is not reached, crashes.",
			`sum by (cause) (increase(flagwatch_events_total{job=~"$job",cause=~"$cause"}[$__rate_interval])) > 0`, "{{cause}}").link("About ${__field.labels.cause}", causePage),
		bars(8, "Causes of events", "short", "Events within the time shown.",
			`topk(15, sum by (cause) (increase(flagwatch_events_total{job=~"$job",cause=~"$cause"}[$__range])) > 0)`, "{{cause}}").link("About ${__field.labels.cause}", causePage))
	d.row("Where", 10,
		graph(12, "Failed share by workload", "percentunit", "The workloads whose proxies report the largest shares of failed requests.",
			"topk(10, sum by (proxy_namespace, proxy_workload) ("+rate("flagwatch_failures_total", causes)+")\n  / sum by (proxy_namespace, proxy_workload) ("+rate("flagwatch_requests_total", workloads)+") > 0)",
			"{{proxy_namespace}}/{{proxy_workload}}").warn(0.01, 0.05),
		matrix(12, "Failed requests, workload by cause", "Failed requests within the time shown. A dark column is a cause that is everywhere, a dark row a workload that has it all.",
			"sum by (proxy_workload, cause) (increase(flagwatch_failures_total{"+causes+"}[$__range])) > 0"))
	d.row("Flags and codes", 8,
		stacked(12, "Response flags", "cps", "Flags of Envoy's access log, each occurrence: one request may have several.",
			"sum by (flag) ("+rate("flagwatch_response_flags_total", workloads)+") > 0", "{{flag}}"),
		stacked(6, "Failed requests by code", "reqps", "Classes of response codes. Without a class: no response was sent, or the class was not logged.",
			"sum by (response_code_class) ("+rate("flagwatch_failures_total", causes)+") > 0", "{{response_code_class}}"),
		stacked(6, "Failed requests by direction", "reqps", "inbound: on the way into the workload that the proxy belongs to. outbound: on its way out.",
			"sum by (direction) ("+rate("flagwatch_failures_total", causes)+") > 0", "{{direction}}"))
	const buckets = `job=~"$job",direction=~"$direction"`
	quantile := func(q string) string {
		return "histogram_quantile(" + q + ", sum by (le, outcome) (" + rate("flagwatch_request_duration_seconds_bucket", buckets) + "))"
	}
	d.row("Latency", 9,
		graph(12, "Duration", "s", "Durations of requests that went well and of those that failed. Failures that all take the same time hit a time limit.",
			quantile("0.5"), "p50 {{outcome}}", quantile("0.99"), "p99 {{outcome}}"),
		heatmap(12, "Durations of failed requests", "s", "How long failed requests took. A line that stands out is a time limit.",
			"sum by (le) (increase(flagwatch_request_duration_seconds_bucket{"+buckets+`,outcome="failed"}[$__rate_interval]))`))
	return d
}

// causePage is the section about the cause that a value is labelled with.
const causePage = pages + "classify/CAUSES.md#${__field.labels.cause}"

func bars(width int, title, unit, description, query, legend string) Panel {
	p := panel("bargauge", width, title, unit, description, query, legend).now("")
	p.Options = map[string]any{
		"orientation": "horizontal", "displayMode": "basic",
		"reduceOptions": map[string]any{"calcs": []string{"lastNotNull"}, "fields": "", "values": false},
	}
	p.FieldConfig.Defaults.NoValue = "none"
	return p
}

// matrix is a table of workloads and causes with colored cells.
func matrix(width int, title, description, query string) Panel {
	p := panel("table", width, title, "short", description, query, "").now("table").warn(1, 100)
	p.FieldConfig.Defaults.Custom = map[string]any{"cellOptions": map[string]any{"type": "color-background", "mode": "gradient"}}
	p.FieldConfig.Defaults.NoValue = "-"
	p.FieldConfig.Defaults.Decimals = new(int)
	p.FieldConfig.Overrides = []any{map[string]any{ // names of workloads have no color
		"matcher":    map[string]any{"id": "byType", "options": "string"},
		"properties": []any{map[string]any{"id": "custom.cellOptions", "value": map[string]any{"type": "auto"}}},
	}}
	p.Transformations = []any{map[string]any{
		"id": "groupingToMatrix", "options": map[string]any{"columnField": "cause", "rowField": "proxy_workload", "valueField": "Value", "emptyValue": "null"},
	}}
	return p
}

func heatmap(width int, title, unit, description, query string) Panel {
	p := panel("heatmap", width, title, unit, description, query, "{{le}}")
	p.Targets[0].Format = "heatmap"
	p.Options = map[string]any{
		"calculate": false, "color": map[string]any{"mode": "scheme", "scheme": "Oranges", "steps": 64},
		"yAxis": map[string]any{"unit": unit}, "cellGap": 1, "tooltip": map[string]any{"mode": "single"},
	}
	return p
}

func agentDashboard() Dashboard {
	d := newDashboard(agentUID, "flagwatch itself", "Whether what flagwatch counts is all there is, and in time.")
	d.Links = []Link{{Title: "Mesh failures", Type: "link", URL: "/d/" + meshUID, KeepTime: true, IncludeVars: true}}
	d.choose("job", "Job", "label_values(flagwatch_build_info, job)")
	d.choose("instance", "Instance", `label_values(flagwatch_build_info{job=~"$job"}, instance)`)
	each := func(metric string) string { return metric + "{" + agents + "}" }

	d.row("Now", 5,
		stat(4, "Agents", "short", "Instances that Prometheus scrapes.", "count("+each("flagwatch_build_info")+")"),
		stat(5, "Lost bytes", "bytes", "Bytes that are known of and were never read, within the time shown. Red: logs are rotated faster than they are read.",
			"sum(increase("+each("flagwatch_lost_bytes_total")+"[$__range]))").warn(1, 1e6).now(""),
		stat(5, "Invalid share", "percentunit", "Records that can not be read. Red: a layout that is not known; see which reason it is.",
			"sum(rate(flagwatch_records_total{"+agents+`,kind="invalid"}[$__rate_interval])) / sum(`+rate("flagwatch_records_total", agents)+")").warn(0.001, 0.01),
		stat(5, "Age of the state", "s", "What is shown is older than this while there is more to write. Red: the state directory can not be written.",
			"max("+each("flagwatch_state_age_seconds")+")").warn(10, 60),
		stat(5, "Counts without a workload", "short", "Counts under the workload other within the time shown, as a metric had too many series. Red: raise --max-series.",
			"sum(increase("+each("flagwatch_series_limited_total")+"[$__range]))").warn(1, 1000).now(""))
	d.row("Reading", 8,
		stacked(8, "Records by kind", "cps", "access: requests. event: of operational logs. noise: nothing that claims to be a record. invalid: can not be read.",
			"sum by (kind) ("+rate("flagwatch_records_total", agents)+")", "{{kind}}"),
		graph(8, "Bytes read", "Bps", "Logs read, decompressed, by instance.", "sum by (instance) ("+rate("flagwatch_log_bytes_total", agents)+")", "{{instance}}"),
		graph(8, "Lag by input", "s", "Now minus the start of the latest record. It also rises where nothing happens; see whether records come.",
			"max by (instance, input) ("+each("flagwatch_input_lag_seconds")+")", "{{instance}} {{input}}").warn(60, 300))
	d.row("What is not counted", 8,
		stacked(6, "Invalid records by reason", "cps", "unknown-layout, no-code: tell flagwatch the format. spliced: two writers in one log. internal: please report it.",
			"sum by (reason) ("+rate("flagwatch_invalid_total", agents)+")", "{{reason}}"),
		stacked(6, "Discarded bytes by reason", "Bps", "Bytes that were read and are in no record.", "sum by (reason) ("+rate("flagwatch_discarded_bytes_total", agents)+")", "{{reason}}"),
		stacked(6, "Lost bytes by reason", "Bps", "Bytes that were never read. rotated-away: the agent was down or too slow. truncated-away: copytruncate.",
			"sum by (reason) ("+rate("flagwatch_lost_bytes_total", agents)+")", "{{reason}}"),
		stacked(6, "Counts without a workload", "cps", "By the metric that had too many series.", "sum by (metric) ("+rate("flagwatch_series_limited_total", agents)+")", "{{metric}}"))
	d.row("Delay", 7,
		graph(12, "Age of the state", "s", "How old what is shown is, while there is more to write.", "max by (instance) ("+each("flagwatch_state_age_seconds")+")", "{{instance}}").warn(10, 60),
		graph(12, "Since the latest record", "s", "Prometheus' clock minus the start of the latest record: it tells a stopped input from a stopped agent.",
			"time() - max by (instance, input) ("+each("flagwatch_input_last_record_timestamp_seconds")+")", "{{instance}} {{input}}"))
	d.row("Kafka", 8,
		graph(8, "Lag by topic", "short", "Offsets that may be read and do not count yet. It rises for long: more members, or more partitions.", "sum by (topic) ("+each("flagwatch_kafka_lag")+")", "{{topic}}"),
		stacked(8, "Partitions by member", "short", "Who owns how many partitions. A gap is a rebalance.", "sum by (instance) ("+each("flagwatch_kafka_partitions")+")", "{{instance}}"),
		stat(4, "Members in trouble", "short", "Members that are not in their group. Red: see /readyz of the member.", "count("+each("flagwatch_kafka_up")+") - sum("+each("flagwatch_kafka_up")+")").warn(1, 2),
		stat(4, "Lost offsets", "short", "Offsets that were never read, within the time shown. Red: they are deleted faster than they are read, or can not be decoded.",
			"sum(increase("+each("flagwatch_kafka_lost_offsets_total")+"[$__range]))").warn(1, 1000).now(""))
	d.row("Process", 8,
		graph(6, "CPU", "percentunit", "Of one core. 1 for long: it reads as fast as it can.", rate("process_cpu_seconds_total", agents), "{{instance}}"),
		graph(6, "Memory", "bytes", "Resident memory.", each("process_resident_memory_bytes"), "{{instance}}"),
		graph(6, "Written to disk", "Bps", "The state, which is all that is written.", rate("process_io_storage_written_bytes_total", agents), "{{instance}}"),
		versions(6))
	return d
}

func versions(width int) Panel {
	p := panel("table", width, "Versions", "short", "What is running, and on how many instances. Two for long: an update that stopped half way.",
		`count by (version, goversion) (flagwatch_build_info{`+agents+"})", "").now("table")
	p.Transformations = []any{map[string]any{"id": "organize", "options": map[string]any{"excludeByName": map[string]any{"Time": true}, "renameByName": map[string]any{"Value": "Instances"}}}}
	return p
}
