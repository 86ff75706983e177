package main

import (
	"fmt"
	"os/exec"
	"strconv"
	"strings"
)

// A job is one process over one file.
type job struct {
	name  string
	file  file
	argv  []string
	piped bool // cat writes the file into standard input
	check func(file, string) error
}

// makeJobs lists what runs in every round. The yardsticks come first; peers
// only when they are installed, each in its best plain invocation.
func makeJobs(c config, files map[string]file) []job {
	text, json, cri := files["istio-text"], files["istio-json"], files["cri"]
	loop, flagwatch := c.program("loop"), c.program("flagwatch")
	jobs := []job{
		{name: "loop", file: text, argv: []string{loop, text.path}, check: sameLines},
		{name: "text", file: text, argv: []string{flagwatch, text.path}, check: namesRecords},
		{name: "cri", file: cri, argv: []string{flagwatch, cri.path}, check: namesRecords},
		{name: "fastjson2", file: json, argv: []string{c.program("fastjson2"), json.path}, check: sameCodes},
		{name: "json", file: json, argv: []string{flagwatch, json.path}, check: namesRecords},
		{name: "loop, piped", file: text, argv: []string{loop}, piped: true, check: sameLines},
		{name: "text, piped", file: text, argv: []string{flagwatch}, piped: true, check: namesRecords},
		{name: "text, 1 worker", file: text, argv: []string{flagwatch, "-j", "1", text.path}, check: namesRecords},
		{name: "text, 2 workers", file: text, argv: []string{flagwatch, "-j", "2", text.path}, check: namesRecords},
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
