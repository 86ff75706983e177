package sinks

import (
	"bytes"
	"encoding/json"
	"math"
	"strings"
	"testing"
	"time"

	"github.com/flagwatch/flagwatch/internal/safe"
)

// slowly is what the encoder writes, in the words of encoding/json.
func slowly(t *testing.T, v any, indent bool) string {
	t.Helper()
	doc, err := json.Marshal(v)
	if indent {
		doc, err = json.MarshalIndent(v, "", "  ")
	}
	if err != nil {
		t.Fatal(err)
	}
	return string(safe.AppendDocument(nil, doc))
}

func encoded(t *testing.T, v any, indent bool) string {
	t.Helper()
	var b bytes.Buffer
	e := newEncoder(&b, indent)
	e.document(v, "")
	if err := e.close(); err != nil {
		t.Fatal(err)
	}
	return b.String()
}

func TestEncoderIsEncodingJSON(t *testing.T) {
	at := time.Date(2026, 3, 2, 10, 0, 59, 120_000_000, time.UTC)
	west := at.In(time.FixedZone("", -7*3600))
	two := 2
	values := map[string]any{
		"many causes": manyCauses(),
		"nothing":     &Report{},
		"nil lists":   Card{},
		"head":        head{Report: manyPlaces(10).Report()},
		"cause":       causeLine{lineCause, &Card{ID: "a", Docs: []string{}}},
		"embedded":    PlaceTally{Pod: "a-1", PlaceCounts: PlaceCounts{Records: 3}},
		"maps":        Identity{Kinds: map[string]Volume{"b": {1, 2, 3}, "a": {}}, Discarded: map[string]uint64{}},
		"pointers":    []any{OutcomeCount{Code: &two}, OutcomeCount{}},
		"times":       []time.Time{at, at.Add(time.Second), at.Add(time.Nanosecond), at.Add(time.Minute), at.Truncate(time.Hour), west, at, time.Unix(-1, 5).UTC(), {}},
		"floats":      []float64{0, 1, 0.25, 1e-7, 1e21, -3.5, 1.0 / 3},
		"numbers":     []int64{math.MinInt64, -1, 0, math.MaxInt64},
		"strings":     hostileStrings(),
	}
	for name, v := range values {
		for _, indent := range []bool{false, true} {
			if got, want := encoded(t, v, indent), slowly(t, v, indent); got != want {
				t.Errorf("%s: %s", name, firstDifference(got, want))
			}
		}
	}
}

// hostileStrings hold every rune that some writer of JSON treats by itself.
func hostileStrings() []string {
	list := []string{"", `a "b" \c`, "<script>&amp;</script>", "\xff\xfe", "é\u2028\u202e\U000e0041", strings.Repeat("x", 300) + "\x1b[2J"}
	for c := range 256 {
		list = append(list, string([]byte{'a', byte(c), 'b'}))
	}
	return list
}

func firstDifference(got, want string) string {
	i := 0
	for i < min(len(got), len(want)) && got[i] == want[i] {
		i++
	}
	near := func(s string) string { return s[max(i-40, 0):min(i+40, len(s))] }
	return "got ..." + near(got) + "... want ..." + near(want)
}

func TestEncoderTellsWhatCanNotBeWritten(t *testing.T) {
	for name, v := range map[string]any{"NaN": []float64{math.NaN()}, "year": time.Date(10000, 1, 1, 0, 0, 0, 0, time.UTC)} {
		e := newEncoder(&bytes.Buffer{}, false)
		e.document(v, "\n")
		if e.close() == nil {
			t.Errorf("%s: no error", name)
		}
	}
}

func FuzzEncoder(f *testing.F) {
	f.Add("a<b>\u2028", int64(1772445600_000000000))
	f.Add("\xc3(", int64(-1))
	f.Fuzz(func(t *testing.T, s string, nanos int64) {
		at := utc(nanos)
		v := []ValueCount{{Value: s, First: &at, Last: &at}, {Cluster: s}}
		if got, want := encoded(t, v, true), slowly(t, v, true); got != want {
			t.Error(firstDifference(got, want))
		}
	})
}
