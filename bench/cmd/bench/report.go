package main

import (
	"bufio"
	"fmt"
	"os"
	"runtime"
	"strings"
	"time"
	"unicode/utf8"
)

// A row compares two jobs, or looks at one of them.
type row struct {
	about  string
	value  func(map[string]result) float64
	unit   string
	target float64
	atMost bool     // else at least
	needs  []string // jobs; without them the row is left out
}

func rows() []row {
	return []row{
		{"Istio text, codes and flags alone through the library, against the loop", cpuRatio("codes", "loop"), "x the CPU", 2.5, true, nil},
		{"Istio text, default report, against the loop", cpuRatio("text", "loop"), "x the CPU", 3, true, nil},
		{"the same against mawk, which counts codes and flags alone", cpuRatio("mawk", "text"), "x as fast", 3, false, []string{"mawk"}},
		{"cat FILE into flagwatch against cat FILE into the loop", cpuRatio("text, piped", "loop, piped"), "x the CPU", 1.5, true, nil},
		{"Istio JSON, default report, against fastjson2", cpuRatio("fastjson2", "json"), "x as fast", 3, false, nil},
		{"the same against jq, which counts codes and flags alone", cpuRatio("jq", "json"), "x as fast", 10, false, []string{"jq"}},
		{"flagwatch parse, all fields, per core", perCore("parse"), "GB/s", 0.4, false, nil},
		{"CRI-wrapped text against bare text", cpuRatio("cri", "text"), "x the CPU", 1.15, true, nil},
		{"a format of one's own against Istio's of the same length", cpuRatio("custom", "text"), "x the CPU", 1.5, true, nil},
		{"all requests failed, against a few of a hundred", cpuRatio("failing", "text"), "x the CPU", 1.6, true, nil},
		{"Envoy's events against access records, each byte", byteRatio("events-envoy", "half"), "x the CPU", 2, true, nil},
		{"a sidecar's events, each byte", byteRatio("events-proxy", "half"), "x the CPU", 2, true, nil},
		{"istiod's events, each byte", byteRatio("events-istiod", "half"), "x the CPU", 2, true, nil},
		{"events of Kubernetes' programs, each byte", byteRatio("events-klog", "half"), "x the CPU", 2, true, nil},
		{"all of these in one stream, each byte", byteRatio("events-mixed", "half"), "x the CPU", 2, true, nil},
		{"two workers against one, wall time", wallRatio("text", "2 workers"), "x as fast", 1.8, false, nil},
		{".gz against a bare decode loop, wall time", wallRatio("gz", "inflate gz"), "x the time", 1.1, true, nil},
		{".zst against a bare decode loop, wall time", wallRatio("zst", "inflate zst"), "x the time", 1.1, true, nil},
		{"start-up on a 1 KB file, wall time", func(r map[string]result) float64 { return float64(r["tiny"].wall.Microseconds()) / 1e3 }, "ms", 15, true, nil},
		{"most memory resident behind a pipe", resident("text, piped"), "MiB", 32, true, nil},
		{"the same, gzip", resident("gz, piped"), "MiB", 32, true, nil},
		{"most memory resident, file and two workers", resident("2 workers"), "MiB", 64, true, nil},
		{"twice the bytes against once", cpuRatio("text", "half"), "x the CPU", 2.1, true, nil},
		{"a million hosts against a few", cpuRatio("distinct", "text"), "x the CPU", 1.2, true, nil},
		{"most memory resident with a million hosts", resident("distinct"), "MiB", 64, true, nil},
		{"wc -l against the loop", cpuRatio("wc", "loop"), "x the CPU", 0, true, []string{"wc"}},
	}
}

// perCore is how many GB of its file a job reads in a second of CPU.
func perCore(name string) func(map[string]result) float64 {
	return func(r map[string]result) float64 {
		return float64(r[name].file.size) / 1e9 / max(r[name].cpu.Seconds(), 1e-9)
	}
}

func resident(name string) func(map[string]result) float64 {
	return func(r map[string]result) float64 { return mebibytes(r[name].rss) }
}

func cpuRatio(above, below string) func(map[string]result) float64 {
	return func(r map[string]result) float64 { return ratio(r[above].cpu, r[below].cpu) }
}

// byteRatio compares what a byte of two jobs' files costs.
func byteRatio(above, below string) func(map[string]result) float64 {
	return func(r map[string]result) float64 { return perCore(below)(r) / max(perCore(above)(r), 1e-9) }
}

func wallRatio(above, below string) func(map[string]result) float64 {
	return func(r map[string]result) float64 { return ratio(r[above].wall, r[below].wall) }
}

func ratio(a, b time.Duration) float64 { return float64(a) / float64(max(b, 1)) }

func mebibytes(n int64) float64 { return float64(n) / (1 << 20) }

// verdict says whether a value meets the row's target.
func (r row) verdict(v float64) (target, verdict string) {
	switch {
	case r.target == 0:
		return "", ""
	case r.atMost:
		target = fmt.Sprintf("<= %g", r.target)
	default:
		target = fmt.Sprintf(">= %g", r.target)
	}
	if v == r.target || (v < r.target) == r.atMost {
		return target, "met"
	}
	return target, "missed"
}

// report renders both tables as Markdown that reads well in a terminal too.
func report(c config, results map[string]result) string {
	var b strings.Builder
	fmt.Fprintf(&b, "# %s, files of %s, best of %d interleaved rounds\n\n", time.Now().Format("2006-01-02"), c.size, c.rounds)
	fmt.Fprintf(&b, "%s, %d cores, %s %s/%s\n\n", processor(), runtime.NumCPU(), runtime.Version(), runtime.GOOS, runtime.GOARCH)
	if n := cores(); n < 1.9 {
		fmt.Fprintf(&b, "Warning: two busy loops got %.2f cores just now, so the machine is not free: the rows of pipes and workers are worth little.\n\n", n)
	}
	table := [][]string{{"what", "value", "", "target", ""}}
	for _, r := range rows() {
		if !has(results, r.needs) {
			continue
		}
		v := r.value(results)
		target, verdict := r.verdict(v)
		table = append(table, []string{r.about, number(v), r.unit, target, verdict})
	}
	writeTable(&b, table)
	table = [][]string{{"job", "CPU s", "wall s", "MB/s of CPU", "MiB resident", "rounds"}}
	for _, j := range makeJobs(c, map[string]file{}) {
		if r, ok := results[j.name]; ok {
			table = append(table, []string{
				r.name, fmt.Sprintf("%.3f", r.cpu.Seconds()), fmt.Sprintf("%.3f", r.wall.Seconds()),
				fmt.Sprintf("%.0f", float64(r.file.size)/1e6/max(r.cpu.Seconds(), 1e-9)), fmt.Sprintf("%.1f", mebibytes(r.rss)), fmt.Sprint(r.rounds),
			})
		}
	}
	b.WriteByte('\n')
	writeTable(&b, table)
	return b.String()
}

func has(results map[string]result, names []string) bool {
	for _, name := range names {
		if _, ok := results[name]; !ok {
			return false
		}
	}
	return true
}

// number keeps three digits or so.
func number(v float64) string {
	if v >= 10 {
		return fmt.Sprintf("%.1f", v)
	}
	return fmt.Sprintf("%.2f", v)
}

// writeTable pads the columns; the first row is the head.
func writeTable(b *strings.Builder, table [][]string) {
	widths := make([]int, len(table[0]))
	for _, line := range table {
		for i, cell := range line {
			widths[i] = max(widths[i], utf8.RuneCountInString(cell), 1)
		}
	}
	for i, line := range table {
		for j, cell := range line {
			fmt.Fprintf(b, "| %-*s ", widths[j], cell)
		}
		b.WriteString("|\n")
		if i > 0 {
			continue
		}
		for _, w := range widths {
			b.WriteString("|" + strings.Repeat("-", w+2))
		}
		b.WriteString("|\n")
	}
}

// processor names the CPU where the system tells.
func processor() string {
	f, err := os.Open("/proc/cpuinfo")
	if err != nil {
		return runtime.GOARCH
	}
	defer f.Close()
	for lines := bufio.NewScanner(f); lines.Scan(); {
		if key, value, ok := strings.Cut(lines.Text(), ":"); ok && strings.TrimSpace(key) == "model name" {
			return strings.TrimSpace(value)
		}
	}
	return runtime.GOARCH
}
