package main

import (
	"archive/tar"
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
	"github.com/ulikunitz/xz"
)

// corpus is a few logs of many records, as they may lie beside each other.
func corpus(t *testing.T) map[string]string {
	t.Helper()
	data, err := os.ReadFile("../../testdata/logs/sample.log")
	if err != nil {
		t.Fatal(err)
	}
	logs := map[string]string{}
	for pod := range 4 {
		var text strings.Builder
		for hour := range 12 {
			text.WriteString(strings.ReplaceAll(string(data), "2026-03-17T10:", fmt.Sprintf("2026-03-17T%02d:", hour+pod)))
		}
		logs[fmt.Sprintf("shop/pod-%d/access.log", pod)] = text.String()
	}
	return logs
}

// reportOf is the report of some inputs without what tells their form: the
// list of inputs, and how an archive names its members.
func reportOf(t *testing.T, root string, args ...string) string {
	t.Helper()
	var out, errs bytes.Buffer
	for i := range args {
		if !strings.HasPrefix(args[i], "-") && args[i] != "json" {
			if _, err := os.Stat(filepath.Join(root, args[i])); err == nil {
				args[i] = filepath.Join(root, args[i])
			}
		}
	}
	code := run(t.Context(), append([]string{"-o", "json", "--no-progress"}, args...), streams{nil, &out, &errs, func(string) string { return "" }})
	if code != 0 {
		t.Fatalf("exit %d: %s", code, errs.String())
	}
	text := strings.ReplaceAll(out.String(), root+string(filepath.Separator), "")
	text = strings.ReplaceAll(text, "corpus.tar.gz!", "")
	var report map[string]any
	if err := json.Unmarshal([]byte(text), &report); err != nil {
		t.Fatal(err)
	}
	delete(report, "inputs")
	delete(report, "snapshot")
	plain, err := json.MarshalIndent(report, "", " ")
	if err != nil {
		t.Fatal(err)
	}
	return string(plain)
}

// writeForm writes every log of a corpus through a packer, as several members
// that end anywhere.
func writeForm(t *testing.T, rnd *rand.Rand, logs map[string]string, open func(io.Writer) (io.WriteCloser, error)) (root string) {
	t.Helper()
	root = t.TempDir()
	for name, text := range logs {
		path := filepath.Join(root, filepath.FromSlash(name))
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		f, err := os.Create(path)
		if err != nil {
			t.Fatal(err)
		}
		for text != "" {
			n := min(len(text), 1+rnd.IntN(len(logs)*200_000))
			w, err := open(f)
			if err != nil {
				t.Fatal(err)
			}
			io.WriteString(w, text[:n])
			if err := w.Close(); err != nil {
				t.Fatal(err)
			}
			text = text[n:]
		}
		f.Close()
	}
	return root
}

type open struct{ io.Writer }

func (open) Close() error { return nil }

// TestAnyFormSameReport demands that the same logs give the same report
// whatever they are packed in, in whatever order they are named, and however
// many workers read them.
func TestAnyFormSameReport(t *testing.T) {
	logs := corpus(t)
	rnd := rand.New(rand.NewPCG(8, 8))
	plain := writeForm(t, rnd, logs, func(w io.Writer) (io.WriteCloser, error) { return open{w}, nil })
	roots := map[string]string{
		"plain": plain,
		"gzip":  writeForm(t, rnd, logs, func(w io.Writer) (io.WriteCloser, error) { return gzip.NewWriter(w), nil }),
		"zstd":  writeForm(t, rnd, logs, func(w io.Writer) (io.WriteCloser, error) { return zstd.NewWriter(w) }),
		"xz":    writeForm(t, rnd, logs, func(w io.Writer) (io.WriteCloser, error) { return xz.NewWriter(w) }),
		"tar":   t.TempDir(),
	}
	writeTarGz(t, filepath.Join(roots["tar"], "corpus.tar.gz"), logs)
	var names []string
	for name := range logs {
		names = append(names, name)
	}
	slices.Sort(names)
	want := reportOf(t, plain, append([]string{"-j", "1"}, names...)...)
	for form, root := range roots {
		for _, workers := range []string{"1", "8"} {
			args := slices.Clone(names)
			rnd.Shuffle(len(args), func(i, j int) { args[i], args[j] = args[j], args[i] })
			if form == "tar" {
				args = []string{"corpus.tar.gz"}
			}
			if got := reportOf(t, root, append([]string{"-j", workers}, args...)...); got != want {
				t.Errorf("%s with %s workers: %s", form, workers, firstDifference(got, want))
			}
		}
	}
}

func writeTarGz(t *testing.T, path string, logs map[string]string) {
	t.Helper()
	f, err := os.Create(path)
	if err != nil {
		t.Fatal(err)
	}
	z := gzip.NewWriter(f)
	w := tar.NewWriter(z)
	for name, text := range logs {
		if err := w.WriteHeader(&tar.Header{Name: name, Mode: 0o644, Size: int64(len(text))}); err != nil {
			t.Fatal(err)
		}
		io.WriteString(w, text)
	}
	w.Close()
	z.Close()
	if err := f.Close(); err != nil {
		t.Fatal(err)
	}
}

// firstDifference shows the first lines that differ.
func firstDifference(got, want string) string {
	a, b := strings.Split(got, "\n"), strings.Split(want, "\n")
	for i := range min(len(a), len(b)) {
		if a[i] != b[i] {
			return fmt.Sprintf("line %d is\n%s\nwant\n%s\nafter\n%s", i, a[i], b[i], strings.Join(a[max(0, i-4):i], "\n"))
		}
	}
	return fmt.Sprintf("%d lines, want %d", len(a), len(b))
}
