package main

import (
	"os"
	"strings"
	"testing"

	"github.com/spf13/pflag"
)

// TestKafkaPage demands that docs/kafka.md says something of every option that
// is the command's own.
func TestKafkaPage(t *testing.T) {
	page, err := os.ReadFile("../../docs/kafka.md")
	if err != nil {
		t.Fatal(err)
	}
	own := pflag.NewFlagSet("kafka", pflag.ContinueOnError)
	newKafkaOptions().addKafkaFlags(own)
	own.VisitAll(func(f *pflag.Flag) {
		if !strings.Contains(string(page), "--"+f.Name) {
			t.Errorf("docs/kafka.md says nothing of --%s", f.Name)
		}
	})
}
