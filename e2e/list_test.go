//go:build e2e

package e2e

import (
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// TestList checks the list itself: names and addresses are unique, and the
// kept cases are those of the list.
func TestList(t *testing.T) {
	var names []string
	addresses := map[string]string{}
	for _, s := range scenarios() {
		ip := (&lab{}).address(s.Name, 0)
		if other, taken := addresses[ip]; taken {
			t.Errorf("%s and %s have the address %s: rename one", s.Name, other, ip)
		}
		addresses[ip] = s.Name
		if slices.Contains(names, s.Name) {
			t.Errorf("two scenarios are called %s", s.Name)
		}
		if s.Doc == "" || len(s.Want)+len(s.Events) == 0 {
			t.Errorf("%s says not what is done or expected", s.Name)
		}
		for _, w := range s.Want {
			checkCauses(t, s.Name, w.Cause+" "+w.Weak)
		}
		for _, ev := range s.Events {
			checkCauses(t, s.Name, ev.Cause)
		}
		names = append(names, s.Name)
	}
	cases, err := filepath.Glob(filepath.Join(keptDir, "*.want"))
	if err != nil {
		t.Fatal(err)
	}
	for i, path := range cases {
		cases[i] = strings.TrimSuffix(filepath.Base(path), ".want")
		if !slices.Contains(names, cases[i]) {
			t.Errorf("%s.want is of no scenario: remove it and its log", cases[i])
		}
	}
	for _, name := range names {
		if !slices.Contains(cases, name) {
			t.Errorf("%s is not kept: make e2e RUN=%s E2E=-update", name, name)
		}
	}
}

func checkCauses(t *testing.T, scenario, causes string) {
	t.Helper()
	for _, id := range strings.Fields(causes) {
		if sides()[id] == "" && id != unpinned {
			t.Errorf("%s: the list of sides has no cause %q", scenario, id)
		}
	}
}
