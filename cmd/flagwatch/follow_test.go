package main

import (
	"bytes"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// A packed file among others is left out, and said to be; the others are
// followed.
func TestPackedFilesAreNotFollowed(t *testing.T) {
	dir := t.TempDir()
	at := func(name string) string { return filepath.Join(dir, name) }
	for name, head := range map[string]string{
		"x.log": "text\n", "empty.log": "", "x.log.gz": "\x1f\x8b\x08\x00\x00\x00\x00\x00\x00\x03", "x.log.zst": "\x28\xb5\x2f\xfd", "x.zip": "PK\x03\x04", "packed.log": "\x1f\x8b\x08\x00\x00\x00\x00\x00\x00\x03",
	} {
		if err := os.WriteFile(at(name), []byte(head), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	var errOut bytes.Buffer
	args := []string{at("x.log.gz"), at("x.log"), at("x.log.zst"), at("empty.log"), at("x.zip"), at("packed.log"), at("*.more")}
	got, err := toFollow(args, &errOut)
	if want := []string{at("x.log"), at("empty.log"), at("*.more")}; err != nil || !slices.Equal(got, want) {
		t.Errorf("%q, %v, want %q", got, err, want)
	}
	for _, name := range []string{"x.log.gz", "x.log.zst", "x.zip", "packed.log"} {
		if want := "flagwatch: --follow: " + at(name) + " is packed"; strings.Count(errOut.String(), want) != 1 {
			t.Errorf("%q is not said:\n%s", want, &errOut)
		}
	}
}
