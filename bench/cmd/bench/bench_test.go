package main

import (
	"strings"
	"testing"
	"time"

	"github.com/flagwatch/flagwatch/bench/gen"
)

var example = file{counts: gen.Counts{Records: 1234567, Codes: map[string]int64{"200 -": 1234560, "503 UF,URX": 7}}}

func TestChecks(t *testing.T) {
	for _, c := range []struct {
		name  string
		check func(file, string) error
		out   string
		ok    bool
	}{
		{"loop", sameLines, "1234567\n", true},
		{"wc", sameLines, "1234567 big.log\n", true},
		{"other number", sameLines, "1234568\n", false},
		{"nothing", sameLines, "", false},
		{"codes", sameCodes, "503 UF,URX 7\n200 - 1234560\n", true},
		{"one wrong", sameCodes, "503 UF,URX 8\n200 - 1234560\n", false},
		{"one missing", sameCodes, "200 - 1234560\n", false},
		{"one too many", sameCodes, "503 UF,URX 7\n200 - 1234560\n404 NR 1\n", false},
		{"other order", sameSets, "503 URX,UF 7\n200 - 1234560\n", true},
		{"one wrong set", sameSets, "503 URX,UF 8\n200 - 1234560\n", false},
		{"no line of three", sameSets, "503 URX,UF\n200 - 1234560\n", false},
		{"commas", namesRecords, "read 1,234,567 records", true},
		{"blanks", namesRecords, "read 1\u202f234\u202f567 records", true},
		{"plain", namesRecords, `{"records":1234567}`, true},
		{"part of a number", namesRecords, "read 11234567 records", false},
	} {
		if err := c.check(example, c.out); (err == nil) != c.ok {
			t.Errorf("%s: %v", c.name, err)
		}
	}
}

func TestVerdicts(t *testing.T) {
	for _, c := range []struct {
		row             row
		value           float64
		target, verdict string
	}{
		{row{target: 6, atMost: true}, 3.9, "<= 6", "met"},
		{row{target: 6, atMost: true}, 6, "<= 6", "met"},
		{row{target: 6, atMost: true}, 6.1, "<= 6", "missed"},
		{row{target: 1.5}, 1.6, ">= 1.5", "met"},
		{row{target: 1.5}, 1.5, ">= 1.5", "met"},
		{row{target: 1.5}, 1.4, ">= 1.5", "missed"},
		{row{atMost: true}, 1.4, "", ""},
	} {
		if target, verdict := c.row.verdict(c.value); target != c.target || verdict != c.verdict {
			t.Errorf("%+v at %v: %q %q, want %q %q", c.row, c.value, target, verdict, c.target, c.verdict)
		}
	}
}

// Every job that a row names exists, so no row divides by nothing.
func TestRowsFindTheirJobs(t *testing.T) {
	results := make(map[string]result)
	for i, j := range makeJobs(config{}, map[string]file{}) {
		d := time.Duration(i+2) * time.Second
		j.file.size = 1 << 30
		results[j.name] = result{job: j, cpu: d, wall: d, rss: 1 << 20}
	}
	for _, r := range rows() {
		if v := r.value(results); has(results, r.needs) && (v <= 0 || v > 1000 && r.unit != "ms") {
			t.Errorf("%s: %v", r.about, v)
		}
	}
}

func TestTable(t *testing.T) {
	var b strings.Builder
	writeTable(&b, [][]string{{"a", "long head"}, {"wide cell", ""}})
	want := "| a         | long head |\n|-----------|-----------|\n| wide cell |           |\n"
	if b.String() != want {
		t.Errorf("got\n%swant\n%s", b.String(), want)
	}
}
