package sinks

import (
	"fmt"
	"os"
	"reflect"
	"regexp"
	"strconv"
	"strings"
	"testing"
	"time"
)

// scale is a prime that no number of a log is a multiple of: counts that are
// multiplied by it are told from all other numbers.
const scale = 104_729

// scaled multiplies every count of a report; what adds up still does.
func scaled(r *Report) *Report {
	scaleCounts(reflect.ValueOf(r))
	return r
}

func scaleCounts(v reflect.Value) {
	switch v.Kind() {
	case reflect.Pointer:
		if !v.IsNil() {
			scaleCounts(v.Elem())
		}
	case reflect.Slice:
		for i := range v.Len() {
			scaleCounts(v.Index(i))
		}
	case reflect.Struct:
		if v.Type() == reflect.TypeFor[time.Time]() {
			return
		}
		for i := range v.NumField() {
			if v.Type().Field(i).IsExported() {
				scaleCounts(v.Field(i))
			}
		}
	case reflect.Uint64:
		v.SetUint(v.Uint() * scale)
	}
}

// An allowance is what the JSON of a report lets a picture of it say.
type allowance struct {
	numbers  map[string]bool // with commas between thousands, or without
	percents map[string]bool
	counts   []uint64
}

func (a *allowance) count(n uint64) {
	a.numbers[number(n)], a.numbers[strconv.FormatUint(n, 10)] = true, true
	a.counts = append(a.counts, n)
}

func (a *allowance) part(n, of uint64) { a.percents[percent(n, of)] = true }

var (
	numberPattern = regexp.MustCompile(`\d[\d,]*(\.\d+)?( %)?`)
	clockPattern  = regexp.MustCompile(`\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?Z|\b(\d{4}-)?(\d\d-\d\d )?\d\d:\d\d(:\d\d)?(\.\d+)?\b`)
)

// walk allows all numbers of the JSON, and what is written in its strings.
func (a *allowance) walk(v any) {
	switch v := v.(type) {
	case map[string]any:
		for name, item := range v {
			a.numbers[name] = true
			a.walk(item)
		}
	case []any:
		a.numbers[strconv.Itoa(len(v))] = true
		for _, item := range v {
			a.walk(item)
		}
	case float64:
		a.numbers[strconv.FormatFloat(v, 'f', -1, 64)], a.numbers[number(uint64(max(v, 0)))] = true, true
	case string:
		for _, m := range numberPattern.FindAllString(v, -1) {
			a.numbers[strings.TrimSuffix(m, " %")] = true
			a.numbers[strings.Trim(m, ",")] = true
			a.percents[m] = true
		}
	}
}

// allowed adds to the JSON what pictures derive from it: a cause's own records,
// shares with their denominators, and sums.
func allowed(t *testing.T, r *Report) *allowance {
	a := &allowance{numbers: map[string]bool{}, percents: map[string]bool{"": true, "99 %": true, "90 %": true}}
	a.walk(decoded(t, r))
	a.count(1000) // milliseconds that an axis has at least
	tot := r.Totals
	a.count(tot.Access - tot.Failed)
	a.part(tot.Failed, tot.Access)
	sides := uint64(0)
	for _, s := range r.Sides {
		sides += s.Count
	}
	for _, s := range r.Sides {
		a.part(s.Count, sides)
	}
	once := tot.Failed
	for i := range r.Causes {
		once -= r.Causes[i].Consequences
	}
	for i := range r.Causes {
		c := &r.Causes[i]
		a.count(c.Own())
		a.count(c.Failed - c.Consequences)
		a.part(c.Failed-c.Consequences, once)
		for _, list := range [][]ValueCount{c.Clusters, c.Hosts, c.Routes, c.Authorities, c.Paths, c.Clients, c.ServerNames, c.Details, c.Reasons, c.Proxies, c.Callers} {
			for _, v := range list {
				a.count(v.Count - v.Excess)
				a.part(v.Count-v.Excess, max(c.Records, 1))
			}
		}
		for _, s := range c.Traffic {
			a.part(s.Failed, s.Requests)
			if s.Subset != nil {
				a.part(s.Subset.Failed, s.Subset.Requests)
			}
		}
		for _, v := range c.Timeouts {
			a.count(v.Count - v.Excess)
		}
	}
	for _, s := range r.Services {
		a.part(s.Failed, s.Requests)
		if s.Subset != nil {
			a.part(s.Subset.Failed, s.Subset.Requests)
		}
	}
	for _, o := range r.Outcomes {
		a.count(o.Count - o.Failed)
		a.part(o.Count, tot.Access)
		a.part(o.Count-o.Failed, tot.Access)
		a.part(o.Failed, tot.Access)
	}
	for _, c := range r.Clusters {
		a.part(c.Failed, c.Count)
	}
	for _, row := range r.HeatMap.Rows {
		a.part(row.Failed, row.Access)
	}
	steps(a, r)
	discarded := uint64(0)
	for _, n := range r.Accounting.Discarded {
		discarded += n
	}
	a.count(discarded)
	for _, s := range []string{size(r.Accounting.Read), size(discarded)} {
		a.walk(s)
	}
	return a
}

// steps allows the sums of cells of the same time, and of the times that are
// drawn as one.
func steps(a *allowance, r *Report) {
	for _, s := range failuresByTime(&r.Timeline, r.Pictured()) {
		a.count(s.failed)
	}
	if r.Pictured() == nil {
		return
	}
	c := newChart(r.Pictured(), &r.Timeline)
	all, causes := map[int]uint64{}, map[string]uint64{}
	byStep := map[string]uint64{}
	for _, cell := range r.Timeline.Cells {
		if i, ok := c.at(cell.Time); ok {
			all[i] += cell.Failed
			causes[cell.Cause] += cell.Failed
			causes[""] += cell.Failed
			byStep[fmt.Sprint(i, cell.Cause)] += cell.Failed
		}
	}
	for _, n := range all {
		a.count(n)
	}
	for _, m := range []map[string]uint64{causes, byStep} {
		for _, n := range m {
			a.count(n)
		}
	}
	a.walk(length(c.step))
}

// small are numbers that no count is: ordinals, and how many rows were left
// out.
func small(s string) bool {
	n, err := strconv.Atoi(s)
	return err == nil && n < 1000
}

// Every number in a picture is one of the JSON.
func TestNumbersAreThoseOfTheJSON(t *testing.T) {
	sample, err := os.ReadFile("../testdata/logs/sample.log")
	if err != nil {
		t.Fatal(err)
	}
	for name, text := range map[string]string{"incident": incident(), "sample": string(sample), "few": strings.Repeat(refused("").String(), 25)} {
		r := scaled(reportOf(text))
		a := allowed(t, r)
		for format, out := range allFormats(t, r) {
			if format == "html" {
				out = textOf(out)
			}
			if strings.HasPrefix(format, "json") {
				continue
			}
			if format == "csv" {
				out = strings.ReplaceAll(out, ",", "  ")
			}
			out = clockPattern.ReplaceAllString(whole(out), "")
			counts := 0
			for _, at := range numberPattern.FindAllStringIndex(out, -1) {
				m := strings.Trim(out[at[0]:at[1]], ",")
				ok := small(m) || a.numbers[m]
				if strings.HasSuffix(m, " %") {
					ok = a.percents[m]
				}
				if !ok {
					t.Errorf("%s, %s: %s in %q", name, format, m, out[max(0, at[0]-40):min(len(out), at[1]+40)])
				}
				if n, err := strconv.ParseUint(strings.ReplaceAll(m, ",", ""), 10, 64); err == nil && n >= scale && n%scale == 0 {
					counts++
				}
			}
			if counts < 2 {
				t.Errorf("%s, %s: only %d counts", name, format, counts)
			}
		}
	}
}

// whole is a text in one line, without words that were shortened.
func whole(text string) string {
	words := strings.Fields(text)
	for i, w := range words {
		if strings.Contains(w, "…") || strings.Contains(w, "..") || strings.HasSuffix(w, `\`) {
			words[i] = "-"
		}
	}
	return strings.Join(words, " ")
}
