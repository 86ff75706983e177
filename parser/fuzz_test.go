package parser

import (
	"bytes"
	"os"
	"path/filepath"
	"testing"
)

// block returns data as a block: with readable bytes behind it.
func block(data []byte) []byte {
	return append(bytes.Clone(data), make([]byte, Padding)...)[:len(data)]
}

// corpus returns the lines of the golden cases.
func corpus(t testing.TB) (lines [][]byte) {
	t.Helper()
	files, err := filepath.Glob("../testdata/logs/*/*.log")
	if err != nil || len(files) == 0 {
		t.Fatal("no golden cases", err)
	}
	for _, name := range append(files, "../testdata/logs/sample.log") {
		data, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		lines = append(lines, bytes.Split(data, []byte{'\n'})...)
	}
	return lines
}

// account reads a block and fails unless every byte and every physical line
// is in exactly one record.
func account(t testing.TB, data []byte, want FieldSet) (records []*Record) {
	t.Helper()
	p := NewParser(want)
	p.Reset(block(data))
	size, lines := 0, 0
	for r, ok := p.Next(); ok; r, ok = p.Next() {
		size += r.Size
		lines += r.Lines
		if r.Begin < 0 || r.Begin+min(r.Size, 1) > len(data) {
			t.Fatalf("record at %d of %d bytes", r.Begin, len(data))
		}
		if r.Kind == Noise && r.Lines > 1 {
			t.Fatalf("noise over %d lines", r.Lines)
		}
		if (r.Kind == Invalid) != (r.Reason != NoReason) {
			t.Fatalf("kind %v with reason %q", r.Kind, r.Reason)
		}
		for f := range NumFields {
			r.Bytes(f)
		}
		records = append(records, r.Clone())
	}
	if size != len(data) {
		t.Fatalf("records have %d bytes of %d: %.300q", size, len(data), data)
	}
	physical := bytes.Count(data, []byte{'\n'})
	if len(data) > 0 && data[len(data)-1] != '\n' {
		physical++
	}
	if lines != physical {
		t.Fatalf("records have %d lines of %d: %.300q", lines, physical, data)
	}
	return records
}

// Whatever the bytes, every one of them is accounted for, and nothing panics.
func FuzzAccounting(f *testing.F) {
	for _, line := range corpus(f) {
		f.Add(line)
		f.Add(append(bytes.Clone(line), line...))
		f.Add([]byte("2026-01-02T03:04:05.000000006Z stdout P " + string(line[:len(line)/2]) + "\n2026-01-02T03:04:05.000000006Z stdout F " + string(line[len(line)/2:]) + "\n"))
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		account(t, data, AllFields)
		account(t, data, Fields(ResponseCode, ResponseFlags))
	})
}

// A format string that compiles reads any line without a panic.
func FuzzFormat(f *testing.F) {
	for _, d := range dialects {
		if d.Encoding == Text {
			f.Add(d.Format, []byte(`[2026-01-02T03:04:05.006Z] "GET / HTTP/1.1" 200 - 0 1 2 3 "-" "-" "-" "-" "-"`))
		}
	}
	f.Fuzz(func(t *testing.T, format string, line []byte) {
		compiled, err := Compile(format)
		if err != nil {
			return
		}
		p := NewParser(AllFields, compiled)
		p.Reset(block(line))
		for _, ok := p.Next(); ok; _, ok = p.Next() {
		}
	})
}
