//go:build e2e

package e2e

import (
	"fmt"
	"slices"
	"strings"
	"sync"
)

// A table gathers what each scenario gave in each dialect. Scenarios add to
// it side by side.
type table struct {
	mu   sync.Mutex
	rows []row
}

type row struct {
	scenario, dialect string
	faults            []string
}

func (tb *table) add(scenario string, c cell, faults []string) {
	tb.mu.Lock()
	defer tb.mu.Unlock()
	tb.rows = append(tb.rows, row{scenario, c.dialect.id, faults})
}

// print writes a line a scenario: what is right in all dialects, and in how
// many records something is not. It stands at the end of every run, good or
// bad.
func (tb *table) print() {
	columns := []string{"response_code", "response_flags", "response_code_details", "cause"}
	var b strings.Builder
	fmt.Fprintf(&b, "%-42s %7s  %-5s %-5s %-7s %-5s  other\n", "scenario", "records", "code", "flags", "details", "cause")
	names := map[string][]row{}
	for _, r := range tb.rows {
		names[r.scenario] = append(names[r.scenario], r)
	}
	good := 0
	for _, name := range sortedKeys(names) {
		rows := names[name]
		bad := map[string][]string{}
		for _, r := range rows {
			good += boolInt(len(r.faults) == 0)
			for _, f := range r.faults {
				if !slices.Contains(columns, f) {
					f = "other"
				}
				bad[f] = append(bad[f], r.dialect)
			}
		}
		fmt.Fprintf(&b, "%-42s %7d  %-5s %-5s %-7s %-5s  %s\n", name, len(rows), state(bad["response_code"]), state(bad["response_flags"]),
			state(bad["response_code_details"]), state(bad["cause"]), state(bad["other"]))
	}
	fmt.Printf("%s%d scenarios, %d of %d records right in every column\n", &b, len(names), good, len(tb.rows))
}

func state(bad []string) string {
	if len(bad) == 0 {
		return "ok"
	}
	return fmt.Sprintf("BAD:%d", len(bad))
}

func sortedKeys(m map[string][]row) []string {
	var list []string
	for name := range m {
		list = append(list, name)
	}
	slices.Sort(list)
	return list
}

func boolInt(b bool) int {
	if b {
		return 1
	}
	return 0
}
