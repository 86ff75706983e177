package sinks

import (
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/flagwatch/flagwatch/classify"
)

// TestAccount demands that what Account counts of a block is what Add counts
// of it, and that it counts nothing of what access records and events say.
func TestAccount(t *testing.T) {
	block := padded(strings.Join(mixture(), ""))
	from := Origin{Input: "log", Block: block}
	whole, account, c := NewDelta(), NewDelta(), classify.Default()
	for _, r := range cloneAll(block) {
		whole.Add(&from, r, c.Classify(r))
		account.Account(&from, r)
	}
	got, want := reported(account), reported(whole)
	for name, pair := range map[string][2]any{
		"accounting": {got.Accounting, want.Accounting}, "invalid": {got.Invalid, want.Invalid}, "samples": {got.Samples, want.Samples},
	} {
		if !reflect.DeepEqual(pair[0], pair[1]) {
			t.Errorf("%s differ: %+v\nwant %+v", name, pair[0], pair[1])
		}
	}
	totals := func(r *Report) [6]uint64 {
		t := r.Totals
		return [...]uint64{t.Access, t.Events, t.Noise, t.Invalid, t.Suspicious, t.Kubectl}
	}
	if g, w := totals(got), totals(want); g != w || slices.Contains(w[:], 0) {
		t.Errorf("totals %d, want %d and all of them there", g, w)
	}
	if len(got.Codes)+len(got.Flags)+len(got.Clusters)+len(got.Causes) > 0 || len(want.Codes) == 0 {
		t.Errorf("codes %v, flags %v, clusters %v, causes %v", got.Codes, got.Flags, got.Clusters, got.Causes)
	}
}

func reported(d *Delta) *Report {
	s := NewSnapshot()
	s.Merge(d)
	return s.Report()
}
