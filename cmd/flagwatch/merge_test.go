package main

import (
	"bytes"
	"compress/gzip"
	"encoding/json"
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/klauspost/compress/zstd"

	"github.com/flagwatch/flagwatch/sinks"
)

// runJSON runs a command that writes JSON, from a directory's point of view.
func runJSON(t *testing.T, code int, args ...string) (text string) {
	t.Helper()
	var out, errs bytes.Buffer
	if got := run(t.Context(), args, streams{nil, &out, &errs, func(string) string { return "" }}); got != code {
		t.Fatalf("%v: exit %d, want %d: %s", args, got, code, errs.String())
	}
	return out.String()
}

// plainReport is a report without its snapshot, and its inputs in order.
func plainReport(t *testing.T, text string) string {
	t.Helper()
	var report map[string]any
	if err := json.Unmarshal([]byte(text), &report); err != nil {
		t.Fatal(err)
	}
	delete(report, "snapshot")
	inputs := report["inputs"].([]any)
	slices.SortFunc(inputs, func(a, b any) int {
		return strings.Compare(a.(map[string]any)["name"].(string), b.(map[string]any)["name"].(string))
	})
	plain, err := json.MarshalIndent(report, "", " ")
	if err != nil {
		t.Fatal(err)
	}
	return string(plain)
}

// TestMergeOfPartition demands that reports of the parts, merged in any order
// and in several steps, are the report of the whole.
func TestMergeOfPartition(t *testing.T) {
	rnd := rand.New(rand.NewPCG(11, 8))
	root := writeForm(t, rnd, corpus(t), func(w io.Writer) (io.WriteCloser, error) { return open{w}, nil })
	events, err := filepath.Glob("../../testdata/logs/events-*/*.log")
	if err != nil || len(events) == 0 {
		t.Fatalf("%d logs of events, %v", len(events), err)
	}
	logs, err := filepath.Glob(filepath.Join(root, "shop", "*", "*"))
	if err != nil {
		t.Fatal(err)
	}
	logs = append(logs, events[:min(len(events), 8)]...)
	want := plainReport(t, runJSON(t, 0, append([]string{"-o", "json", "--no-redact"}, logs...)...))
	for round := range 6 {
		parts := make([][]string, 1+rnd.IntN(5))
		for _, log := range logs {
			i := rnd.IntN(len(parts))
			parts[i] = append(parts[i], log)
		}
		var files []string
		for i, part := range parts {
			if len(part) > 0 {
				files = append(files, tempFile(t, fmt.Sprintf("%d.json", i), runJSON(t, 0, append([]string{"-o", "json", "--no-redact"}, part...)...)))
			}
		}
		rnd.Shuffle(len(files), func(i, j int) { files[i], files[j] = files[j], files[i] })
		for len(files) > 2 { // a report of a merge can be merged
			both := tempFile(t, "both.json", runJSON(t, 0, "merge", "-o", "json", "--no-redact", files[0], files[1]))
			files = append(files[2:], both)
		}
		got := plainReport(t, runJSON(t, 0, append([]string{"merge", "-o", "json", "--no-redact"}, files...)...))
		if got != want {
			t.Fatalf("round %d, %d parts: %s", round, len(parts), firstDifference(got, want))
		}
	}
}

func tempFile(t *testing.T, name, text string) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), name)
	if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
	return path
}

// TestMergePacked demands that reports are read below their compression, as logs
// are: as files, from standard input and by diff.
func TestMergePacked(t *testing.T) {
	log := tempFile(t, "a.log", selectorLines())
	report := runJSON(t, 0, "-o", "json", "--no-redact", log)
	plain := tempFile(t, "a.json", report)
	want := plainReport(t, runJSON(t, 0, "merge", "-o", "json", "--no-redact", plain))
	pack := func(w func(*bytes.Buffer) io.WriteCloser) string {
		var buf bytes.Buffer
		z := w(&buf)
		io.WriteString(z, report)
		if err := z.Close(); err != nil {
			t.Fatal(err)
		}
		return buf.String()
	}
	gz := pack(func(b *bytes.Buffer) io.WriteCloser { return gzip.NewWriter(b) })
	zst := pack(func(b *bytes.Buffer) io.WriteCloser {
		w, err := zstd.NewWriter(b)
		if err != nil {
			t.Fatal(err)
		}
		return w
	})
	for name, text := range map[string]string{"a.json.gz": gz, "a.json.zst": zst, "a": gz} {
		file := tempFile(t, name, text)
		if got := plainReport(t, runJSON(t, 0, "merge", "-o", "json", "--no-redact", file)); got != want {
			t.Errorf("%s: %s", name, firstDifference(got, want))
		}
		if got := plainReport(t, runJSON(t, 0, "merge", "-o", "json", "--no-redact", file, plain)); got != want {
			t.Errorf("%s beside what is packed in it: %s", name, firstDifference(got, want))
		}
		in, err := os.Open(file)
		if err != nil {
			t.Fatal(err)
		}
		var out, errs bytes.Buffer
		if code := run(t.Context(), []string{"merge", "-o", "json", "--no-redact", "-"}, streams{in, &out, &errs, func(string) string { return "" }}); code != 0 || plainReport(t, out.String()) != want {
			t.Errorf("%s as standard input: exit %d, %s", name, code, errs.String())
		}
		in.Close()
		var d sinks.Diff
		if err := json.Unmarshal([]byte(runJSON(t, 0, "diff", "-o", "json", file, log)), &d); err != nil || len(d.Changes) > 0 || d.Before.Totals.Records == 0 {
			t.Errorf("%s differs from its log: %+v, %v", name, d.Changes, err)
		}
	}
	runJSON(t, 1, "merge", tempFile(t, "a.json.gz", gz[:len(gz)-9]))
}

// A redacted report can be merged, and its snapshot holds nothing that the
// report hides.
func TestMergeRedacted(t *testing.T) {
	secret, client := "hunter2secret", "203.0.113.77"
	line := func(code int) string {
		return fmt.Sprintf(`[2026-03-17T10:09:12.480Z] "GET /a?token=%s HTTP/1.1" %d - via_upstream - "-" 0 167 58 57 "%s" "x" "2f1b8a52-0000-4000-8000-0000000000ff" "reviews:9080" "192.0.2.43:9080" inbound|9080|| 127.0.0.1:1 192.0.2.43:9080 %s:44867 - default`+"\n", secret, code, client, client)
	}
	log := tempFile(t, "a.log", strings.Repeat(line(503), 40)+"["+line(500)+line(200))
	report := runJSON(t, 0, "-o", "json", log)
	again := tempFile(t, "b.json", report)
	shown := runJSON(t, 0, "merge", "-o", "json", "--no-redact", again)
	for name, text := range map[string]string{"report": report, "merged": shown} {
		if strings.Contains(text, secret) || strings.Contains(text, client) {
			t.Errorf("the %s shows what was redacted", name)
		}
	}
	open := tempFile(t, "c.json", runJSON(t, 0, "-o", "json", "--no-redact", log))
	if text := runJSON(t, 0, "merge", "-o", "json", "--no-redact", open); !strings.Contains(text, client) {
		t.Error("without redaction the client is not there")
	}
}

// A truncated, foreign or damaged report is an input that could not be read;
// the others are merged.
func TestMergeDamaged(t *testing.T) {
	good := runJSON(t, 0, "-o", "json", "../../testdata/logs/sample.log")
	file := tempFile(t, "good.json", good)
	at := strings.Index(good, `"snapshot": "`) + len(`"snapshot": "`)
	for name, text := range map[string]string{
		"truncated":     good[:len(good)/2],
		"no snapshot":   `{"apiVersion": "flagwatch.io/v1", "kind": "Report"}`,
		"other version": `{"apiVersion": "flagwatch.io/v9", "kind": "Report"}`,
		"other kind":    `{"apiVersion": "flagwatch.io/v1", "kind": "Diff"}`,
		"no base64":     good[:at] + "!" + good[at+1:],
		"a byte":        good[:at+40] + string(good[at+40]^1) + good[at+41:],
	} {
		bad := tempFile(t, "bad.json", text)
		got := runJSON(t, 1, "merge", "-o", "json", bad, file)
		var report struct{ Totals struct{ Records int } }
		if err := json.Unmarshal([]byte(got), &report); err != nil || report.Totals.Records != 449 {
			t.Errorf("%s: %d records, %v", name, report.Totals.Records, err)
		}
	}
}
