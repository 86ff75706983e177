package main

import (
	"fmt"
	"os/exec"
	"slices"
	"strconv"
	"strings"

	"github.com/flagwatch/flagwatch/bench/gen"
)

// A job is one process over one file.
type job struct {
	name    string
	file    file
	argv    []string
	piped   bool // cat writes the file into standard input
	counted bool // what it prints is not kept: its lines are counted
	check   func(file, string) error
}

// makeJobs lists what runs in every round. The yardsticks come first; peers
// only when they are installed, each in its best plain invocation.
func makeJobs(c config, files map[string]file) []job {
	text, json := files["text"], files["json"]
	loop, inflate := c.program("loop"), c.program("inflate")
	report := func(name string, f file, args ...string) job {
		return job{name: name, file: f, argv: append(append([]string{c.program("flagwatch")}, args...), f.path), check: namesRecords}
	}
	piped := func(name string, f file) job {
		return job{name: name, file: f, argv: []string{c.program("flagwatch")}, piped: true, check: namesRecords}
	}
	jobs := []job{
		{name: "loop", file: text, argv: []string{loop, text.path}, check: sameLines},
		{name: "codes", file: text, argv: []string{c.program("codes"), text.path}, check: sameSets},
		report("text", text, "-j", "1"),
		report("half", files["half"], "-j", "1"),
		report("distinct", files["distinct"], "-j", "1"),
		report("failing", files["failing"], "-j", "1"),
		report("cri", files["cri"], "-j", "1"),
		report("custom", files["custom"], "-j", "1", "--format", strings.TrimSuffix(gen.CustomFormat, "\n")),
		{name: "fastjson2", file: json, argv: []string{c.program("fastjson2"), json.path}, check: sameCodes},
		report("json", json, "-j", "1"),
		{name: "parse", file: text, argv: []string{c.program("flagwatch"), "parse", "-j", "1", text.path}, counted: true, check: sameLines},
		{name: "loop, piped", file: text, argv: []string{loop}, piped: true, check: sameLines},
		piped("text, piped", text),
		piped("gz, piped", files["gz"]),
		report("2 workers", text, "-j", "2"),
		{name: "inflate gz", file: files["gz"], argv: []string{inflate, files["gz"].path}, check: sameLines},
		report("gz", files["gz"]),
		{name: "inflate zst", file: files["zst"], argv: []string{inflate, files["zst"].path}, check: sameLines},
		report("zst", files["zst"]),
		report("tiny", files["tiny"]),
	}
	for _, emitter := range emitters {
		jobs = append(jobs, report("events-"+emitter, files["events-"+emitter], "-j", "1"))
	}
	peers := []job{
		{name: "wc", file: text, argv: []string{"wc", "-l", text.path}, check: sameLines},
		{name: "mawk", file: text, argv: []string{"mawk", `{n[$5" "$6]++} END {for (k in n) print k, n[k]}`, text.path}, check: sameCodes},
		{name: "jq", file: json, argv: []string{"jq", "-nr", `reduce inputs as $r ({}; .["\($r.response_code) \($r.response_flags)"] += 1) | to_entries[] | "\(.key) \(.value)"`, json.path}, check: sameCodes},
	}
	for _, p := range peers {
		if _, err := exec.LookPath(p.argv[0]); err == nil {
			jobs = append(jobs, p)
		}
	}
	return jobs
}

// sameLines holds when the output begins with the number of lines.
func sameLines(f file, out string) error {
	if fields := strings.Fields(out); len(fields) == 0 || fields[0] != strconv.FormatInt(f.counts.Records, 10) {
		return fmt.Errorf("printed %.80q, the file has %d lines", out, f.counts.Records)
	}
	return nil
}

// sameCodes holds when the output is a line for each code and flags, with
// their count.
func sameCodes(f file, out string) error {
	seen := 0
	for line := range strings.Lines(out) {
		fields := strings.Fields(line)
		if len(fields) != 3 {
			return fmt.Errorf("printed %.80q, want code, flags and count", line)
		}
		if want := f.counts.Codes[fields[0]+" "+fields[1]]; fields[2] != strconv.FormatInt(want, 10) {
			return fmt.Errorf("printed %.80q, the file has %d", line, want)
		}
		seen++
	}
	if seen != len(f.counts.Codes) {
		return fmt.Errorf("printed %d kinds of endings, the file has %d", seen, len(f.counts.Codes))
	}
	return nil
}

// sameSets is sameCodes for a program that does not mind the order of flags.
func sameSets(f file, out string) error {
	sets := make(map[string]int64)
	for ending, n := range f.counts.Codes {
		code, flags, _ := strings.Cut(ending, " ")
		sets[code+" "+sortedFlags(flags)] += n
	}
	var lines strings.Builder
	for line := range strings.Lines(out) {
		if fields := strings.Fields(line); len(fields) == 3 {
			line = fields[0] + " " + sortedFlags(fields[1]) + " " + fields[2] + "\n"
		}
		lines.WriteString(line)
	}
	f.counts.Codes = sets
	return sameCodes(f, lines.String())
}

func sortedFlags(list string) string {
	flags := strings.Split(list, ",")
	slices.Sort(flags)
	return strings.Join(flags, ",")
}

// namesRecords holds when a report names the number of records, however it
// separates thousands.
func namesRecords(f file, out string) error {
	plain := strings.NewReplacer(",", "", "_", "", "'", "", "\u202f", "", "\u00a0", "").Replace(out)
	want := strconv.FormatInt(f.counts.Records, 10)
	for field := range strings.FieldsFuncSeq(plain, func(c rune) bool { return c < '0' || c > '9' }) {
		if field == want {
			return nil
		}
	}
	return fmt.Errorf("the report does not name the file's %s records", want)
}
