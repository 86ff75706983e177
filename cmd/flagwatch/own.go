package main

import (
	"bytes"
	"os"
	"regexp"
	"strings"
	"sync"

	"github.com/flagwatch/flagwatch/sinks"
)

// ownOutputs are how what flagwatch prints begins, but for JSON and CSV. They
// fit the beginning alone: a log that quotes a report further down is read.
// They are compiled when an input begins like one.
var ownOutputs = sync.OnceValue(func() []*regexp.Regexp {
	return []*regexp.Regexp{
		regexp.MustCompile(`^flagwatch( [·-] |\r?\n\r?\n +[\d,]+ records? )`),
		regexp.MustCompile(`^ *[\d,]+ records? {3}[\d,]+ access {3}[\d,]+ events? {3}[\d,]+ noise {3}`),         // --quiet
		regexp.MustCompile(`^(\*\*[^\n]+\*\*\r?\n\r?\n)?[\d,]+ records? · ([\d,]+ failed|no failed request)\b`), // -o markdown
		regexp.MustCompile(`^(?s:<!DOCTYPE html>.*<title>flagwatch report\b)`),
		regexp.MustCompile(`^# HELP flagwatch_[a-z_]+ `), // -o prom, /metrics
		regexp.MustCompile(`^(\*\*)?flagwatch diff(: \d|\r?\n)`),
		regexp.MustCompile(`^INPUTS\r?\n  \S`), // doctor
	}
})

// isOwnOutput tells from its beginning whether a file is what flagwatch prints,
// but for records and JSON.
func isOwnOutput(head []byte) bool {
	if len(head) == 0 || strings.IndexByte("f *0123456789<#Ii", head[0]) < 0 {
		return false
	}
	if bytes.HasPrefix(head, csvHead()) {
		return true
	}
	for _, begin := range ownOutputs() {
		if begin.Match(head) {
			return true
		}
	}
	return false
}

// csvHead is how -o csv begins; later columns may be others.
func csvHead() []byte {
	var b strings.Builder
	for _, c := range sinks.CSVColumns()[:8] {
		b.WriteString(c.Name + ",")
	}
	return []byte(b.String())
}

// refuseReport says why output of ours is no log: the records that it quotes
// were counted already.
func refuseReport(head []byte) string {
	head = bytes.TrimLeft(head, "\ufeff\r\n")
	switch {
	case sinks.IsReport(head) && bytes.Contains(head, []byte(`"kind": "Report"`)):
		return "is a report of flagwatch, not a log; flagwatch merge reads it"
	case sinks.IsReport(head), isOwnOutput(head):
		return "is a report of flagwatch, not a log; flagwatch merge and diff read those of -o json"
	}
	return ""
}

// refuseFile is refuseReport for an open file.
func refuseFile(f *os.File) string {
	head := make([]byte, 512)
	n, _ := f.ReadAt(head, 0)
	return refuseReport(head[:n])
}
