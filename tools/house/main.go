// House holds the tree to the rules of CONTRIBUTING.md that no public linter
// knows. Usage: house DIR
package main

import (
	"bytes"
	"fmt"
	"io/fs"
	"os"
	"path"
	"regexp"
	"slices"
	"strings"
)

const maxLines = 600

// A rule forbids a pattern in the files that it covers.
type rule struct {
	covers  func(name string) bool
	pattern *regexp.Regexp
	about   string
}

func rules() []rule {
	return []rule{
		{isGo, regexp.MustCompile(`(?m)^func init\(\)`), "a func init hides when it runs: build the value where it is used"},
		{isGo, regexp.MustCompile(`(?m)^package (util|utils|common|helpers|misc)\b`), "a package is named after what it is about"},
		{isGo, regexp.MustCompile(`\b[tbf]\.Skip(f|Now)?\(`), "a skipped test tests nothing"},
		{isText, regexp.MustCompile(`\b(TO` + `DO|FIX` + `ME)\b`), "do it, or open an issue"},
		{isText, regexp.MustCompile(`\.\./shar` + `ed\b`), "the tree needs nothing outside itself"},
	}
}

func isGo(name string) bool { return path.Ext(name) == ".go" }

func isText(name string) bool {
	texts := []string{".go", ".md", ".sh", ".yaml", ".yml", ".txtar", ".mod"}
	return slices.Contains(texts, path.Ext(name)) || path.Base(name) == "Makefile" || strings.HasPrefix(name, ".ci/")
}

func main() {
	if len(os.Args) != 2 {
		fmt.Fprintln(os.Stderr, "usage: house DIR")
		os.Exit(2)
	}
	faults, err := check(os.DirFS(os.Args[1]))
	if err != nil {
		fmt.Fprintln(os.Stderr, "house:", err)
		os.Exit(2)
	}
	for _, fault := range faults {
		fmt.Println(fault)
	}
	if len(faults) > 0 {
		os.Exit(1)
	}
}

// check returns what breaks a rule, each with file and line.
func check(tree fs.FS) (faults []string, err error) {
	list := rules()
	err = fs.WalkDir(tree, ".", func(name string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		if d.IsDir() && skipped(name) {
			return fs.SkipDir
		}
		if !d.Type().IsRegular() || !isText(name) {
			return nil
		}
		data, err := fs.ReadFile(tree, name)
		if err != nil {
			return err
		}
		faults = append(faults, checkFile(list, name, data)...)
		return nil
	})
	return faults, err
}

// skipped says which folders hold nothing that is written by hand.
func skipped(name string) bool {
	base := path.Base(name)
	hidden := strings.HasPrefix(base, ".") && base != "." && base != ".ci" && base != ".github"
	return hidden || base == "testdata" || base == "node_modules"
}

func checkFile(list []rule, name string, data []byte) (faults []string) {
	if lines := bytes.Count(data, []byte{'\n'}); isGo(name) && lines > maxLines {
		faults = append(faults, fmt.Sprintf("%s:%d: more than %d lines: split it by subject", name, lines, maxLines))
	}
	for _, r := range list {
		if !r.covers(name) {
			continue
		}
		for _, at := range r.pattern.FindAllIndex(data, -1) {
			line := 1 + bytes.Count(data[:at[0]], []byte{'\n'})
			faults = append(faults, fmt.Sprintf("%s:%d: %s: %s", name, line, data[at[0]:at[1]], r.about))
		}
	}
	return faults
}
