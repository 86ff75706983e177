package main

import (
	"slices"
	"strings"
	"testing"

	"github.com/flagwatch/flagwatch/internal/spell"
	"github.com/flagwatch/flagwatch/sinks"
)

func TestTextOptions(t *testing.T) {
	for _, c := range []struct {
		env, color string
		want       sinks.TextOptions
	}{
		{"", "auto", sinks.TextOptions{}},
		{"", "always", sinks.TextOptions{Color: true}},
		{"NO_COLOR=1", "always", sinks.TextOptions{Color: true}},
		{"FORCE_COLOR=1", "auto", sinks.TextOptions{Color: true}},
		{"FORCE_COLOR=0", "auto", sinks.TextOptions{}},
		{"CLICOLOR_FORCE=1", "auto", sinks.TextOptions{Color: true}},
		{"CLICOLOR_FORCE=1", "never", sinks.TextOptions{}},
		{"NO_COLOR=1 FORCE_COLOR=1", "auto", sinks.TextOptions{}},
		{"COLUMNS=72", "auto", sinks.TextOptions{Width: 72}},
		{"COLUMNS=wide", "auto", sinks.TextOptions{}},
		{"LANG=de_DE.UTF-8", "auto", sinks.TextOptions{}},
		{"LANG=en_US.utf8", "auto", sinks.TextOptions{}},
		{"LANG=C", "auto", sinks.TextOptions{ASCII: true}},
		{"LC_ALL=C LANG=en_US.UTF-8", "auto", sinks.TextOptions{ASCII: true}},
		{"LC_CTYPE=en_US.UTF-8 LANG=C", "auto", sinks.TextOptions{}},
	} {
		env := map[string]string{}
		for _, pair := range strings.Fields(c.env) {
			name, value, _ := strings.Cut(pair, "=")
			env[name] = value
		}
		std := streams{out: new(strings.Builder), env: func(name string) string { return env[name] }}
		if got := textOptions(std, c.color); got != c.want {
			t.Errorf("%s, %s: got %+v, want %+v", c.env, c.color, got, c.want)
		}
	}
}

func TestNearest(t *testing.T) {
	names := []string{"parse", "list", "version", "completion", "help"}
	for _, c := range []struct {
		word string
		want []string
	}{
		{"prase", []string{"parse"}},
		{"parze", []string{"parse"}},
		{"lst", []string{"list"}},
		{"versions", []string{"version"}},
		{"comp", []string{"completion"}},
		{"p", nil},
		{"access", nil},
		{"", nil},
	} {
		if got := spell.Nearest(c.word, names); !slices.Equal(got, c.want) {
			t.Errorf("%s: got %q, want %q", c.word, got, c.want)
		}
	}
}
