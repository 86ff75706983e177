package main

import (
	"io"

	"github.com/flagwatch/flagwatch/sinks"
)

// An outputFormat is a way to write a report.
type outputFormat struct {
	name  string
	about string
	write func(io.Writer, *sinks.Report, sinks.TextOptions) error
}

// outputFormats are the values of --output; the first is the default.
func outputFormats() []outputFormat {
	return []outputFormat{
		{"table", "a text for a terminal", sinks.WriteText},
		{"wide", "the same with all rows, all cards and names in full", writeWide},
		{"json", "one JSON document, described by sinks/report.schema.json", ignoreOptions((*sinks.Report).WriteJSON)},
		{"jsonl", "JSON objects, one a line: the report, each cause, each cell of ten seconds", ignoreOptions((*sinks.Report).WriteJSONL)},
		{"csv", "a line a cause", writeCSV},
		{"markdown", "a chat message", writeMarkdown},
		{"html", "one file for a browser, which needs no network", writeHTML},
		{"prom", "metrics for the textfile collector of Prometheus' node exporter", writeProm},
	}
}

func writeWide(w io.Writer, r *sinks.Report, opt sinks.TextOptions) error {
	opt.Wide = true
	return sinks.WriteText(w, r, opt)
}

func writeCSV(w io.Writer, r *sinks.Report, _ sinks.TextOptions) error { return sinks.WriteCSV(w, r) }

func writeMarkdown(w io.Writer, r *sinks.Report, _ sinks.TextOptions) error {
	return sinks.WriteMarkdown(w, r)
}

func writeHTML(w io.Writer, r *sinks.Report, _ sinks.TextOptions) error { return sinks.WriteHTML(w, r) }

func ignoreOptions(write func(*sinks.Report, io.Writer) error) func(io.Writer, *sinks.Report, sinks.TextOptions) error {
	return func(w io.Writer, r *sinks.Report, _ sinks.TextOptions) error { return write(r, w) }
}

// isText says whether a format is drawn for a terminal.
func (f *outputFormat) isText() bool { return f.name == "table" || f.name == "wide" }

func outputNames() (names []string) {
	for _, f := range outputFormats() {
		names = append(names, f.name)
	}
	return names
}

// outputFormatOf returns the format of a name, nothing if there is none.
func outputFormatOf(name string) outputFormat {
	for _, f := range outputFormats() {
		if f.name == name {
			return f
		}
	}
	return outputFormat{}
}
