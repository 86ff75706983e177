package parser

import (
	"bytes"
	"encoding/json"
	"os"
	"strconv"
	"strings"
	"testing"
	"time"
)

// TestFormatsOfAllKinds reads a record of each format of testdata/formats.jsonl:
// separators, brackets, keys and values, times, lengths, alternatives, maps.
// A line is what Envoy prints for the format, and want what it says.
func TestFormatsOfAllKinds(t *testing.T) {
	data, err := os.ReadFile("testdata/formats.jsonl")
	if err != nil {
		t.Fatal(err)
	}
	for row := range bytes.Lines(data) {
		var c struct {
			Name, Format, Line string
			Want               map[string]string
		}
		if err := json.Unmarshal(row, &c); err != nil {
			t.Fatal(err)
		}
		compiled := Compile
		if json.Valid([]byte(c.Format)) {
			compiled = func(s string) (*Format, error) { return CompileJSON([]byte(s)) }
		}
		f, err := compiled(c.Format)
		if err != nil {
			t.Errorf("%s: %v", c.Name, err)
			continue
		}
		r := readOne(t, c.Line, f)
		for key, want := range c.Want {
			if got := told(r, key); got != want {
				t.Errorf("%s: %s is %q, want %q: %s", c.Name, key, got, want, describe(r))
			}
		}
	}
}

// told is what a record says of a field, as `flagwatch parse` prints it.
func told(r *Record, key string) string {
	f, _ := FieldByName(key)
	switch f {
	case ResponseCode:
		code, _ := r.Code()
		return strconv.Itoa(code)
	case ResponseFlags:
		set, _ := r.Flags()
		var names []string
		for flag := range set.All {
			names = append(names, flag.String())
		}
		for name := range r.UnknownFlags {
			names = append(names, string(name))
		}
		return strings.Join(names, ",")
	case StartTime:
		at, _ := r.Time()
		return time.Unix(0, at).UTC().Format(time.RFC3339Nano)
	case GRPCStatus:
		n, _ := GRPCStatusNumber(r.Bytes(f))
		return strconv.Itoa(n)
	case Duration:
		n, _ := r.Number(f)
		return strconv.FormatFloat(n, 'f', -1, 64)
	}
	return string(r.Bytes(f))
}
