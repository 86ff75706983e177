package main

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"math/big"
	"os"
	"path/filepath"
	"slices"
	"sort"
	"strings"
	"testing"

	"github.com/flagwatch/flagwatch/classify"
	"github.com/flagwatch/flagwatch/parser"
)

const goldenDir = "../../testdata/logs"

// A goldenRecord is what parse prints about one, numbers as written.
type goldenRecord map[string]any

// TestGolden compares the records of every testdata/logs/*/*.log with the
// .want beside it: the keys that it names must be equal, those it calls null
// absent.
func TestGolden(t *testing.T) {
	for _, log := range goldenLogs(t) {
		t.Run(caseName(log), func(t *testing.T) {
			want := readRecords(t, readFile(t, strings.TrimSuffix(log, ".log")+".want"))
			data := readFile(t, log)
			got := readRecords(t, runParse(t, log))
			checkLines(t, got, data)
			compareRecords(t, got, want)
		})
	}
}

// TestGoldenFormats does the same with the logs in folders that have a file
// named format, which is what --format is given.
func TestGoldenFormats(t *testing.T) {
	formats, err := filepath.Glob(filepath.Join(goldenDir, "*", "*", "format"))
	if err != nil || len(formats) == 0 {
		t.Fatalf("no formats in %s: %v", goldenDir, err)
	}
	for _, format := range formats {
		logs, err := filepath.Glob(filepath.Join(filepath.Dir(format), "*.log"))
		if err != nil || len(logs) == 0 {
			t.Fatalf("no log beside %s: %v", format, err)
		}
		for _, log := range logs {
			t.Run(caseName(log), func(t *testing.T) {
				want := readRecords(t, readFile(t, strings.TrimSuffix(log, ".log")+".want"))
				got := readRecords(t, runParse(t, log, "--format", "@"+format))
				checkLines(t, got, readFile(t, log))
				compareRecords(t, got, want)
			})
		}
	}
}

// TestGoldenSample reads the bundled sample: nothing in it is unreadable but
// the one line that breaks off.
func TestGoldenSample(t *testing.T) {
	log := filepath.Join(goldenDir, "sample.log")
	got := readRecords(t, runParse(t, log))
	checkLines(t, got, readFile(t, log))
	var unread []goldenRecord
	for _, r := range got {
		if r["kind"] == "invalid" {
			unread = append(unread, r)
		}
	}
	if len(unread) > 1 || len(unread) == 1 && unread[0]["reason"] != "incomplete" {
		t.Errorf("unreadable records: %v", unread)
	}
}

// TestGoldenInCRI wraps every line of the cases that are bare and line by line
// into the format of container runtimes: the records must be the same.
func TestGoldenInCRI(t *testing.T) {
	for _, log := range goldenLogs(t) {
		data := readFile(t, log)
		bare := readRecords(t, parseBlocks(data, len(data)))
		if slices.ContainsFunc(bare, func(r goldenRecord) bool { return r["lines"] != json.Number("1") || r["envelope"] != nil }) ||
			bytes.HasPrefix(data, []byte("\xef\xbb\xbf")) {
			continue
		}
		t.Run(caseName(log), func(t *testing.T) {
			wrapped := wrapCRI(data)
			got := readRecords(t, parseBlocks(wrapped, len(wrapped)))
			for _, r := range got {
				if e, ok := r["envelope"].([]any); ok && r["kind"] != "noise" && e[0] != "cri" {
					t.Errorf("line %v: envelope %v", r["line"], e)
				}
				delete(r, "envelope")
			}
			sameRecords(t, got, bare)
		})
	}
}

// TestGoldenInBlocks reads every case in small steps: the records must not
// depend on how the bytes arrive.
func TestGoldenInBlocks(t *testing.T) {
	for _, log := range goldenLogs(t) {
		t.Run(caseName(log), func(t *testing.T) {
			data := readFile(t, log)
			want := readRecords(t, runParse(t, log))
			for _, size := range []int{1, 7, 64, 4096} {
				t.Run(fmt.Sprint(size), func(t *testing.T) {
					sameRecords(t, readRecords(t, parseBlocks(data, size)), want)
				})
			}
		})
	}
}

func goldenLogs(t *testing.T) []string {
	t.Helper()
	list, err := filepath.Glob(filepath.Join(goldenDir, "*", "*.log"))
	if err != nil || len(list) == 0 {
		t.Fatalf("no golden cases in %s: %v", goldenDir, err)
	}
	return list
}

func caseName(log string) string {
	name, _ := strings.CutPrefix(strings.TrimSuffix(filepath.ToSlash(log), ".log"), goldenDir+"/")
	return name
}

func readFile(t *testing.T, path string) []byte {
	t.Helper()
	data, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return data
}

// runParse is `flagwatch parse log` with options.
func runParse(t *testing.T, log string, options ...string) []byte {
	t.Helper()
	var out, msg bytes.Buffer
	code := run(context.Background(), append([]string{"parse", log}, options...), streams{in: os.Stdin, out: &out, err: &msg})
	if code != 0 && code != exitNothing {
		t.Fatalf("parse %s: exit code %d: %s", log, code, &msg)
	}
	return out.Bytes()
}

// parseBlocks does what parse does with data that arrives size bytes at a time.
func parseBlocks(data []byte, size int) []byte {
	var held, out []byte
	var state parser.FrameState
	p, c, line := parser.NewParser(parser.AllFields), classify.Default(), int64(0)
	for len(data) > 0 {
		n := min(size, len(data))
		held, data = append(held, data[:n]...), data[n:]
		state.Final = false
		end := len(held)
		if len(data) > 0 {
			if !bytes.Contains(held[len(held)-n:], []byte{'\n'}) {
				continue
			}
			end = parser.Cut(held, &state)
		}
		block := append(make([]byte, 0, end+parser.Padding), held[:end]...)
		p.Reset(block)
		for r, ok := p.Next(); ok; r, ok = p.Next() {
			out = appendRecord(out, r, c.Classify(r), line+int64(r.Line))
		}
		line += int64(bytes.Count(block, []byte{'\n'}))
		held = held[end:]
	}
	return out
}

// wrapCRI puts what containerd puts in front of every line.
func wrapCRI(data []byte) []byte {
	var out []byte
	for l := range bytes.Lines(data) {
		out = append(append(out, "2026-03-14T09:26:53.000000000Z stdout F "...), l...)
	}
	return out
}

// readRecords reads one record a line and sorts them by first line: which of
// two interleaved records comes first is not fixed.
func readRecords(t *testing.T, jsonl []byte) []goldenRecord {
	t.Helper()
	var list []goldenRecord
	dec := json.NewDecoder(bytes.NewReader(jsonl))
	dec.UseNumber()
	for dec.More() {
		var r goldenRecord
		if err := dec.Decode(&r); err != nil {
			t.Fatalf("record %d is no JSON: %v", len(list)+1, err)
		}
		list = append(list, r)
	}
	sort.SliceStable(list, func(i, j int) bool { return integer(list[i]["line"]) < integer(list[j]["line"]) })
	return list
}

func integer(v any) int64 {
	n, _ := v.(json.Number)
	i, _ := n.Int64()
	return i
}

// checkLines checks that every physical line is accounted for, by a record of
// a known kind.
func checkLines(t *testing.T, got []goldenRecord, data []byte) {
	t.Helper()
	lines, kinds := int64(0), []any{"access", "event", "noise", "invalid"}
	for i, r := range got {
		lines += integer(r["lines"])
		if !slices.Contains(kinds, r["kind"]) {
			t.Errorf("record %d: kind %v", i+1, r["kind"])
		}
	}
	physical := int64(bytes.Count(data, []byte{'\n'}))
	if len(data) > 0 && data[len(data)-1] != '\n' {
		physical++
	}
	if lines != physical {
		t.Errorf("%d lines in records, %d in the input", lines, physical)
	}
}

func compareRecords(t *testing.T, got, want []goldenRecord) {
	t.Helper()
	if len(got) != len(want) {
		t.Errorf("%d records, want %d", len(got), len(want))
	}
	for i := range min(len(got), len(want)) {
		for _, key := range []string{"line", "lines"} {
			if !matches(got[i][key], want[i][key]) {
				t.Fatalf("record %d: %s: got %s, want %s; got %s", i+1, key, jsonText(got[i][key]), jsonText(want[i][key]), jsonText(got[i]))
			}
		}
		if got[i]["kind"] != want[i]["kind"] {
			t.Errorf("record %d (line %v): got %s, want %s", i+1, want[i]["line"], jsonText(got[i]), want[i]["kind"])
			continue
		}
		for _, key := range slices.Sorted(maps.Keys(want[i])) {
			if !matches(got[i][key], want[i][key]) {
				t.Errorf("record %d (line %v): %s: got %s, want %s", i+1, want[i]["line"], key, jsonText(got[i][key]), jsonText(want[i][key]))
			}
		}
	}
}

func sameRecords(t *testing.T, got, want []goldenRecord) {
	t.Helper()
	compareRecords(t, got, want)
	for i := range min(len(got), len(want)) {
		for _, key := range slices.Sorted(maps.Keys(got[i])) {
			if want[i][key] == nil {
				t.Errorf("record %d (line %v): %s: got %s, want nothing", i+1, want[i]["line"], key, jsonText(got[i][key]))
			}
		}
	}
}

// matches says whether got is want: of an object all that want names, of a
// number the value, of nothing nothing.
func matches(got, want any) bool {
	switch want := want.(type) {
	case map[string]any:
		got, ok := got.(map[string]any)
		for key := range want {
			ok = ok && matches(got[key], want[key])
		}
		return ok
	case []any:
		got, ok := got.([]any)
		return ok && slices.EqualFunc(got, want, matches)
	case json.Number:
		got, ok := got.(json.Number)
		return ok && sameNumber(got.String(), want.String())
	}
	return got == want
}

func sameNumber(a, b string) bool {
	x, ok1 := new(big.Rat).SetString(a)
	y, ok2 := new(big.Rat).SetString(b)
	return ok1 && ok2 && x.Cmp(y) == 0
}

func jsonText(v any) string {
	if v == nil {
		return "nothing"
	}
	b, err := json.Marshal(v)
	if err != nil {
		return fmt.Sprint(v)
	}
	return string(b)
}
