package main

import (
	"strings"
	"testing"
	"testing/fstest"
)

func TestCheck(t *testing.T) {
	for _, c := range []struct{ name, data, want string }{
		{"a/ok.go", "package a\n\nfunc initial() {}\n", ""},
		{"a/init.go", "package a\n\nfunc init() {}\n", "a/init.go:3: func init(): "},
		{"util/u.go", "package util\n", "util/u.go:1: package util: "},
		{"a/a_test.go", "package a\n\nfunc f() {\n\tt.Sk" + "ip()\n}\n", "a/a_test.go:4: t.Sk" + "ip(: "},
		{"README.md", "one\nTO" + "DO: two\n", "README.md:2: TO" + "DO: "},
		{".ci/run", "# FIX" + "ME\n", ".ci/run:1: "},
		{"doc.md", "see ../shar" + "ed/x\n", "doc.md:1: "},
		{"long.go", "package a\n" + strings.Repeat("\n", maxLines), "long.go:601: more than 600 lines: "},
		{"testdata/x.go", "func init() {}\n", ""},
		{".git/x.md", "TO" + "DO\n", ""},
		{"picture.svg", "TO" + "DO\n", ""},
	} {
		faults, err := check(fstest.MapFS{c.name: {Data: []byte(c.data)}})
		if err != nil {
			t.Errorf("%s: %v", c.name, err)
		}
		got := strings.Join(faults, "\n")
		if c.want == "" && got != "" || !strings.HasPrefix(got, c.want) {
			t.Errorf("%s: %q, want %q...", c.name, got, c.want)
		}
	}
}
